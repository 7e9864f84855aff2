# Streams and consumer groups. What Redis 7.2 and Valkey 9 answer; where they differ, Valkey.

test XADD makes ids
> XADD s 1-1 a 1 b two
< "1-1"
> XADD s 1-* a 2 b ""
< "1-2"
> XADD s 5 a 3 b 4
< "5-0"
> XADD s 5-* x y
< "5-1"
> XADD s 6-18446744073709551615 f v
< "6-18446744073709551615"
> XADD s 6-* f v
< -ERR The ID specified in XADD is equal or smaller than the target stream top item
> XADD s 7-* f v
< "7-0"
> XLEN s
< 6
> TYPE s
< +stream
> OBJECT ENCODING s
< "stream"
> XRANGE s - +
< [["1-1" ["a" "1" "b" "two"]] ["1-2" ["a" "2" "b" ""]] ["5-0" ["a" "3" "b" "4"]] ["5-1" ["x" "y"]] ["6-18446744073709551615" ["f" "v"]] ["7-0" ["f" "v"]]]
> XADD t * f v
< /\d+-\d+/
> XADD z 0-* f v
< "0-1"

test XADD refuses
> XADD
< -ERR wrong number of arguments for 'xadd' command
> XADD s *
< -ERR wrong number of arguments for 'xadd' command
> XADD s * f
< -ERR wrong number of arguments for 'xadd' command
> XADD s * f v g
< -ERR wrong number of arguments for 'xadd' command
> XADD s 0-0 f v
< -ERR The ID specified in XADD must be greater than 0-0
> XADD s 0 f v
< -ERR The ID specified in XADD must be greater than 0-0
> XADD s - f v
< -ERR Invalid stream ID specified as stream command argument
> XADD s abc f v
< -ERR Invalid stream ID specified as stream command argument
> XADD s 1-x f v
< -ERR Invalid stream ID specified as stream command argument
> XADD s 1-2-3 f v
< -ERR Invalid stream ID specified as stream command argument
> XADD s 18446744073709551616 f v
< -ERR Invalid stream ID specified as stream command argument
> XADD s -1 f v
< -ERR Invalid stream ID specified as stream command argument
> EXISTS s
< 0
> XADD s 5-5 f v
< "5-5"
> XADD s 5-5 f v
< -ERR The ID specified in XADD is equal or smaller than the target stream top item
> XADD s 4 f v
< -ERR The ID specified in XADD is equal or smaller than the target stream top item
> XADD s 4-* f v
< -ERR The ID specified in XADD is equal or smaller than the target stream top item
> XADD s 18446744073709551615-18446744073709551615 f v
< "18446744073709551615-18446744073709551615"
> XADD s * f v
< -ERR The stream has exhausted the last possible ID, unable to add more items
> SET str v
< +OK
> XADD str * f v
< -WRONGTYPE Operation against a key holding the wrong kind of value
> XADD none NOMKSTREAM * f v
< nil
> EXISTS none
< 0
> XADD s MAXLEN 5 MINID 5 * f v
< -ERR syntax error, MAXLEN and MINID options at the same time are not compatible
> XADD s MAXLEN -1 * f v
< -ERR The MAXLEN argument must be >= 0.
> XADD s MAXLEN x * f v
< -ERR value is not an integer or out of range
> XADD s MAXLEN 5 LIMIT 5 * f v
< -ERR syntax error, LIMIT cannot be used without the special ~ option
> XADD s MAXLEN ~ 5 LIMIT -1 * f v
< -ERR The LIMIT argument must be >= 0.
> XADD s LIMIT 5 * f v
< -ERR syntax error, LIMIT cannot be used without specifying a trimming strategy
> XADD s MINID x * f v
< -ERR Invalid stream ID specified as stream command argument
> XADD s BAD 5 f v
< -ERR Invalid stream ID specified as stream command argument

test XADD trims
> XADD s 1 f v
< "1-0"
> XADD s 2 f v
< "2-0"
> XADD s 3 f v
< "3-0"
> XADD s MAXLEN 2 4 f v
< "4-0"
> XRANGE s - +
< [["3-0" ["f" "v"]] ["4-0" ["f" "v"]]]
> XADD s MAXLEN = 2 5 f v
< "5-0"
> XADD s MINID 5 6 f v
< "6-0"
> XRANGE s - +
< [["5-0" ["f" "v"]] ["6-0" ["f" "v"]]]
> XADD s MAXLEN ~ 1 7 f v
< "7-0"
> XLEN s
< 3
> XADD s MAXLEN 0 8 f v
< "8-0"
> XLEN s
< 0
> EXISTS s
< 1
> XINFO STREAM s
< {"length" 0 "radix-tree-keys" :? "radix-tree-nodes" :? "last-generated-id" "8-0" "max-deleted-entry-id" "0-0" "entries-added" 8 "recorded-first-entry-id" "0-0" "groups" 0 "first-entry" nil "last-entry" nil}

test entries of the same and of other fields
> XADD s 1-1 temperature 20 humidity 60
< "1-1"
> XADD s 1-2 temperature 21 humidity 61
< "1-2"
> XADD s 1-3 temperature 22
< "1-3"
> XADD s 1-4 humidity 60 temperature 20
< "1-4"
> XADD s 1-5 a 1 a 2 a 3
< "1-5"
> XADD s 1-6 "\x00\r\n" "\xff"
< "1-6"
> XADD s 1-7 "" ""
< "1-7"
> XADD s 1-8 f "x"*300
< "1-8"
> XADD s 1-9 123 -456
< "1-9"
> XADD s 1-10 007 9223372036854775807
< "1-10"
> XRANGE s - +
< [["1-1" ["temperature" "20" "humidity" "60"]] ["1-2" ["temperature" "21" "humidity" "61"]] ["1-3" ["temperature" "22"]] ["1-4" ["humidity" "60" "temperature" "20"]] ["1-5" ["a" "1" "a" "2" "a" "3"]] ["1-6" ["\x00\r\n" "\xff"]] ["1-7" ["" ""]] ["1-8" ["f" "x"*300]] ["1-9" ["123" "-456"]] ["1-10" ["007" "9223372036854775807"]]]
> XREVRANGE s + -
< [["1-10" ["007" "9223372036854775807"]] ["1-9" ["123" "-456"]] ["1-8" ["f" "x"*300]] ["1-7" ["" ""]] ["1-6" ["\x00\r\n" "\xff"]] ["1-5" ["a" "1" "a" "2" "a" "3"]] ["1-4" ["humidity" "60" "temperature" "20"]] ["1-3" ["temperature" "22"]] ["1-2" ["temperature" "21" "humidity" "61"]] ["1-1" ["temperature" "20" "humidity" "60"]]]

test XRANGE and XREVRANGE
> XADD s 1-1 n 1
< "1-1"
> XADD s 1-2 n 2
< "1-2"
> XADD s 2-0 n 3
< "2-0"
> XADD s 3-5 n 4
< "3-5"
> XRANGE s 1 1
< [["1-1" ["n" "1"]] ["1-2" ["n" "2"]]]
> XRANGE s 1-2 2
< [["1-2" ["n" "2"]] ["2-0" ["n" "3"]]]
> XRANGE s (1-1 (3-5
< [["1-2" ["n" "2"]] ["2-0" ["n" "3"]]]
> XRANGE s (1 +
< [["1-1" ["n" "1"]] ["1-2" ["n" "2"]] ["2-0" ["n" "3"]] ["3-5" ["n" "4"]]]
> XRANGE s - + COUNT 1
< [["1-1" ["n" "1"]]]
> XRANGE s - + COUNT 2
< [["1-1" ["n" "1"]] ["1-2" ["n" "2"]]]
> XRANGE s - + COUNT 0
< nil*
> XRANGE s - + COUNT -1
< nil*
> XRANGE s 3-6 +
< []
> XRANGE s + -
< []
> XREVRANGE s 2 1-2
< [["2-0" ["n" "3"]] ["1-2" ["n" "2"]]]
> XREVRANGE s (3-5 (1-1
< [["2-0" ["n" "3"]] ["1-2" ["n" "2"]]]
> XREVRANGE s + - COUNT 2
< [["3-5" ["n" "4"]] ["2-0" ["n" "3"]]]
> XREVRANGE s + - COUNT 0
< nil*
> XREVRANGE s - +
< []
> XRANGE none - +
< []
> XREVRANGE none + -
< []
> XRANGE none - + COUNT 0
< []
> XRANGE s - (0-0
< -ERR invalid end ID for the interval
> XRANGE s (18446744073709551615-18446744073709551615 +
< -ERR invalid start ID for the interval
> XRANGE s (- +
< -ERR Invalid stream ID specified as stream command argument
> XRANGE s x +
< -ERR Invalid stream ID specified as stream command argument
> XRANGE s -
< -ERR wrong number of arguments for 'xrange' command
> XRANGE s - + COUNT
< -ERR syntax error
> XRANGE s - + COUNT x
< -ERR value is not an integer or out of range
> XRANGE s - + LIMIT 1
< -ERR syntax error
> SET str v
< +OK
> XRANGE str - +
< -WRONGTYPE Operation against a key holding the wrong kind of value

test XDEL
> XADD s 1 n 1
< "1-0"
> XADD s 2 n 2
< "2-0"
> XADD s 3 n 3
< "3-0"
> XDEL s 2-0 9-9 2
< 1
> XRANGE s - +
< [["1-0" ["n" "1"]] ["3-0" ["n" "3"]]]
> XDEL s 3 1
< 2
> XLEN s
< 0
> EXISTS s
< 1
> XINFO STREAM s
< {"length" 0 "radix-tree-keys" :? "radix-tree-nodes" :? "last-generated-id" "3-0" "max-deleted-entry-id" "3-0" "entries-added" 3 "recorded-first-entry-id" "0-0" "groups" 0 "first-entry" nil "last-entry" nil}
> XADD s 3 n 3
< -ERR The ID specified in XADD is equal or smaller than the target stream top item
> XADD s 4 n 4
< "4-0"
> XDEL none 1
< 0
> XDEL s
< -ERR wrong number of arguments for 'xdel' command
> XDEL s 1 x
< -ERR Invalid stream ID specified as stream command argument
> SET str v
< +OK
> XDEL str 1
< -WRONGTYPE Operation against a key holding the wrong kind of value

test XTRIM
> XADD s 1 n 1
< "1-0"
> XADD s 2 n 2
< "2-0"
> XADD s 3 n 3
< "3-0"
> XADD s 4 n 4
< "4-0"
> XADD s 5 n 5
< "5-0"
> XTRIM s MAXLEN 4
< 1
> XTRIM s MAXLEN = 4
< 0
> XTRIM s MAXLEN ~ 1
< 0
> XTRIM s MINID 3
< 1
> XTRIM s MINID ~ 4
< 0
> XTRIM s MINID 3-5
< 1
> XRANGE s - +
< [["4-0" ["n" "4"]] ["5-0" ["n" "5"]]]
> XTRIM s MAXLEN 0
< 2
> XTRIM none MAXLEN 0
< 0
> XTRIM s
< -ERR wrong number of arguments for 'xtrim' command
> XTRIM s MAXLEN
< -ERR wrong number of arguments for 'xtrim' command
> XTRIM s LIMIT 5
< -ERR syntax error, LIMIT cannot be used without specifying a trimming strategy
> XTRIM s MAXLEN 5 LIMIT 5
< -ERR syntax error, LIMIT cannot be used without the special ~ option
> XTRIM s MAXLEN ~ 5 LIMIT 5
< 0
> XTRIM s NOMKSTREAM MAXLEN 5
< -ERR syntax error
> XTRIM s MAXLEN 5 MAXLEN 6
< -ERR syntax error, MAXLEN and MINID options at the same time are not compatible

test XTRIM by whole blocks
> CONFIG SET stream-node-max-entries 3
< +OK
> XADD s 1 n 1
< "1-0"
> XADD s 2 n 2
< "2-0"
> XADD s 3 n 3
< "3-0"
> XADD s 4 n 4
< "4-0"
> XADD s 5 n 5
< "5-0"
> XADD s 6 n 6
< "6-0"
> XADD s 7 n 7
< "7-0"
> XTRIM s MAXLEN ~ 5
< 0
> XTRIM s MAXLEN ~ 3
< 3
> XTRIM s MAXLEN ~ 0 LIMIT 2
< 0
> XTRIM s MINID ~ 7
< 3
> XTRIM s MINID 7
< 0
> XRANGE s - +
< [["7-0" ["n" "7"]]]
> CONFIG SET stream-node-max-entries 100
< +OK

test XSETID
> XSETID s 1-1
< -ERR no such key
> XADD s 1-1 f v
< "1-1"
> XADD s 2-2 f v
< "2-2"
> XSETID s 2-1
< -ERR The ID specified in XSETID is smaller than the target stream top item
> XSETID s 2-2
< +OK
> XSETID s 200-0
< +OK
> XADD s 100-0 f v
< -ERR The ID specified in XADD is equal or smaller than the target stream top item
> XSETID s 300 ENTRIESADDED 1
< -ERR The entries_added specified in XSETID is smaller than the target stream length
> XSETID s 300 ENTRIESADDED -1
< -ERR entries_added must be positive
> XSETID s 300 ENTRIESADDED x
< -ERR value is not an integer or out of range
> XSETID s 300 ENTRIESADDED 100 MAXDELETEDID 200-1
< +OK
> XINFO STREAM s
< {"length" 2 "radix-tree-keys" :? "radix-tree-nodes" :? "last-generated-id" "300-0" "max-deleted-entry-id" "200-1" "entries-added" 100 "recorded-first-entry-id" "1-1" "groups" 0 "first-entry" ["1-1" ["f" "v"]] "last-entry" ["2-2" ["f" "v"]]}
> XSETID s 200-0
< -ERR The ID specified in XSETID is smaller than current max_deleted_entry_id
> XSETID s 300 MAXDELETEDID 301
< -ERR The ID specified in XSETID is smaller than the provided max_deleted_entry_id
> XSETID s 300 MAXDELETEDID x
< -ERR Invalid stream ID specified as stream command argument
> XSETID s x
< -ERR Invalid stream ID specified as stream command argument
> XSETID s 300 ENTRIESADDED
< -ERR syntax error
> XSETID s 300 OTHER 1
< -ERR syntax error
> XSETID s
< -ERR wrong number of arguments for 'xsetid' command
> SET str v
< +OK
> XSETID str 1
< -WRONGTYPE Operation against a key holding the wrong kind of value

test XREAD
> XADD s 1 n 1
< "1-0"
> XADD s 2 n 2
< "2-0"
> XADD t 5 m 1
< "5-0"
> XREAD STREAMS s 0
<2 [["s" [["1-0" ["n" "1"]] ["2-0" ["n" "2"]]]]]
<3 {"s" [["1-0" ["n" "1"]] ["2-0" ["n" "2"]]]}
> XREAD STREAMS s t 0 0
<2 [["s" [["1-0" ["n" "1"]] ["2-0" ["n" "2"]]]] ["t" [["5-0" ["m" "1"]]]]]
<3 {"s" [["1-0" ["n" "1"]] ["2-0" ["n" "2"]]] "t" [["5-0" ["m" "1"]]]}
> XREAD STREAMS s none t 1 0 5
<2 [["s" [["2-0" ["n" "2"]]]]]
<3 {"s" [["2-0" ["n" "2"]]]}
> XREAD COUNT 1 STREAMS s t 0 0
<2 [["s" [["1-0" ["n" "1"]]]] ["t" [["5-0" ["m" "1"]]]]]
<3 {"s" [["1-0" ["n" "1"]]] "t" [["5-0" ["m" "1"]]]}
> XREAD COUNT 0 STREAMS s 1
<2 [["s" [["2-0" ["n" "2"]]]]]
<3 {"s" [["2-0" ["n" "2"]]]}
> XREAD COUNT -5 STREAMS s 1
<2 [["s" [["2-0" ["n" "2"]]]]]
<3 {"s" [["2-0" ["n" "2"]]]}
> XREAD STREAMS s 2
< nil*
> XREAD STREAMS s $
< nil*
> XREAD STREAMS none 0
< nil*
> XREAD STREAMS s +
<2 [["s" [["2-0" ["n" "2"]]]]]
<3 {"s" [["2-0" ["n" "2"]]]}
> XREAD STREAMS none +
< nil*
> XREAD BLOCK 1 STREAMS s $
< nil*
> XREAD BLOCK 0 STREAMS s 0
<2 [["s" [["1-0" ["n" "1"]] ["2-0" ["n" "2"]]]]]
<3 {"s" [["1-0" ["n" "1"]] ["2-0" ["n" "2"]]]}
> XREAD
< -ERR wrong number of arguments for 'xread' command
> XREAD STREAMS s
< -ERR wrong number of arguments for 'xread' command
> XREAD COUNT 1 STREAMS s t 0
< -ERR Unbalanced 'xread' list of streams: for each stream key an ID or '$' must be specified.
> XREAD STREAMS s >
< -ERR The > ID can be specified only when calling XREADGROUP using the GROUP <group> <consumer> option.
> XREAD STREAMS s x
< -ERR Invalid stream ID specified as stream command argument
> XREAD STREAMS s -
< -ERR Invalid stream ID specified as stream command argument
> XREAD COUNT x STREAMS s 0
< -ERR value is not an integer or out of range
> XREAD BLOCK -1 STREAMS s 0
< -ERR timeout is negative
> XREAD BLOCK x STREAMS s 0
< -ERR timeout is not an integer or out of range
> XREAD GROUP g c STREAMS s 0
< -ERR The GROUP option is only supported by XREADGROUP. You called XREAD instead.
> XREAD NOACK STREAMS s 0
< -ERR The NOACK option is only supported by XREADGROUP. You called XREAD instead.
> XREAD OTHER STREAMS s 0
< -ERR syntax error
> XREAD COUNT 1
< -ERR wrong number of arguments for 'xread' command
> SET str v
< +OK
> XREAD STREAMS str 0
< -WRONGTYPE Operation against a key holding the wrong kind of value
> XREAD STREAMS s str 0 0
< -WRONGTYPE Operation against a key holding the wrong kind of value

test XGROUP
> XGROUP CREATE s g $
< -ERR The XGROUP subcommand requires the key to exist. Note that for CREATE you may want to use the MKSTREAM option to create an empty stream automatically.
> XGROUP CREATE s g $ MKSTREAM
< +OK
> XGROUP CREATE s g 0
< -BUSYGROUP Consumer Group name already exists
> XGROUP CREATE s h 0 ENTRIESREAD 3
< +OK
> XGROUP CREATE s i 0 ENTRIESREAD -2
< -ERR value for ENTRIESREAD must be positive or -1
> XGROUP CREATE s i 0 ENTRIESREAD x
< -ERR value is not an integer or out of range
> XGROUP CREATE s i 0 OTHER
< -ERR unknown subcommand or wrong number of arguments for 'CREATE'. Try XGROUP HELP.
> XGROUP CREATE s i x
< -ERR Invalid stream ID specified as stream command argument
> XGROUP CREATE s i +
< -ERR Invalid stream ID specified as stream command argument
> XGROUP CREATE s i
< -ERR wrong number of arguments for 'xgroup|create' command
> XGROUP CREATE new i 0 MKSTREAM ENTRIESREAD 7
< +OK
> XINFO GROUPS s
< [{"name" "g" "consumers" 0 "pending" 0 "last-delivered-id" "0-0" "entries-read" nil "lag" 0} {"name" "h" "consumers" 0 "pending" 0 "last-delivered-id" "0-0" "entries-read" 3 "lag" 0}]
> XINFO GROUPS new
< [{"name" "i" "consumers" 0 "pending" 0 "last-delivered-id" "0-0" "entries-read" 7 "lag" 0}]
> XGROUP CREATECONSUMER s g c
< 1
> XGROUP CREATECONSUMER s g c
< 0
> XGROUP CREATECONSUMER s none c
< -NOGROUP No such consumer group 'none' for key name 's'
> XGROUP CREATECONSUMER none g c
< -ERR The XGROUP subcommand requires the key to exist. Note that for CREATE you may want to use the MKSTREAM option to create an empty stream automatically.
> XGROUP SETID s g 5-5
< +OK
> XGROUP SETID s g $ ENTRIESREAD 1
< +OK
> XGROUP SETID s none $
< -NOGROUP No such consumer group 'none' for key name 's'
> XGROUP SETID none g $
< -ERR The XGROUP subcommand requires the key to exist. Note that for CREATE you may want to use the MKSTREAM option to create an empty stream automatically.
> XGROUP SETID s g x
< -ERR Invalid stream ID specified as stream command argument
> XGROUP SETID s g 1 MKSTREAM
< -ERR unknown subcommand or wrong number of arguments for 'SETID'. Try XGROUP HELP.
> XGROUP DELCONSUMER s g c
< 0
> XGROUP DELCONSUMER s g c
< 0
> XGROUP DELCONSUMER s none c
< -NOGROUP No such consumer group 'none' for key name 's'
> XGROUP DESTROY s g
< 1
> XGROUP DESTROY s g
< 0
> XGROUP DESTROY none g
< -ERR The XGROUP subcommand requires the key to exist. Note that for CREATE you may want to use the MKSTREAM option to create an empty stream automatically.
> XINFO GROUPS s
< [{"name" "h" "consumers" 0 "pending" 0 "last-delivered-id" "0-0" "entries-read" 3 "lag" 0}]
> SET str v
< +OK
> XGROUP CREATE str g 0
< -WRONGTYPE Operation against a key holding the wrong kind of value
> XGROUP DESTROY str g
< -WRONGTYPE Operation against a key holding the wrong kind of value
> XGROUP
< -ERR wrong number of arguments for 'xgroup' command
> XGROUP NONE s g
< -ERR unknown subcommand 'NONE'. Try XGROUP HELP.
> XGROUP HELP
< [+/XGROUP <subcommand> \[<arg> \[value\] \[opt\] \.\.\.\]\. Subcommands are:/ +/CREATE <key> <groupname> <id\|\$> \[option\]/ +/    Create a new consumer group\. Options are:/ +/    \* MKSTREAM/ +/      Create the empty stream if it does not exist\./ +/    \* ENTRIESREAD entries_read/ +/      Set the group's entries_read counter \(internal use\)\./ +/CREATECONSUMER <key> <groupname> <consumer>/ +/    Create a new consumer in the specified group\./ +/DELCONSUMER <key> <groupname> <consumer>/ +/    Remove the specified consumer\./ +/DESTROY <key> <groupname>/ +/    Remove the specified group\./ +/SETID <key> <groupname> <id\|\$> \[ENTRIESREAD entries_read\]/ +/    Set the current group ID and entries_read counter\./ +HELP +/    Print this help\./]

test XREADGROUP delivers once
> XADD s 1 n 1
< "1-0"
> XADD s 2 n 2
< "2-0"
> XADD s 3 n 3
< "3-0"
> XGROUP CREATE s g 0
< +OK
> XREADGROUP GROUP g a COUNT 1 STREAMS s >
<2 [["s" [["1-0" ["n" "1"]]]]]
<3 {"s" [["1-0" ["n" "1"]]]}
> XREADGROUP GROUP g b COUNT 1 STREAMS s >
<2 [["s" [["2-0" ["n" "2"]]]]]
<3 {"s" [["2-0" ["n" "2"]]]}
> XREADGROUP GROUP g a STREAMS s >
<2 [["s" [["3-0" ["n" "3"]]]]]
<3 {"s" [["3-0" ["n" "3"]]]}
> XREADGROUP GROUP g a STREAMS s >
< nil*
> XREADGROUP GROUP g a STREAMS s 0
<2 [["s" [["1-0" ["n" "1"]] ["3-0" ["n" "3"]]]]]
<3 {"s" [["1-0" ["n" "1"]] ["3-0" ["n" "3"]]]}
> XREADGROUP GROUP g a STREAMS s 1
<2 [["s" [["3-0" ["n" "3"]]]]]
<3 {"s" [["3-0" ["n" "3"]]]}
> XREADGROUP GROUP g b COUNT 5 STREAMS s 0
<2 [["s" [["2-0" ["n" "2"]]]]]
<3 {"s" [["2-0" ["n" "2"]]]}
> XREADGROUP GROUP g new STREAMS s 0
<2 [["s" []]]
<3 {"s" []}
> XDEL s 3
< 1
> XREADGROUP GROUP g a STREAMS s 0
<2 [["s" [["1-0" ["n" "1"]] ["3-0" nil*]]]]
<3 {"s" [["1-0" ["n" "1"]] ["3-0" nil]]}
> XPENDING s g
< [3 "1-0" "3-0" [["a" "2"] ["b" "1"]]]
> XPENDING s g - + 10
< [["1-0" "a" :? 3] ["2-0" "b" :? 2] ["3-0" "a" :? 3]]
> XPENDING s g - + 10 a
< [["1-0" "a" :? 3] ["3-0" "a" :? 3]]
> XPENDING s g (1 2 10
< [["2-0" "b" :? 2]]
> XPENDING s g - + 1
< [["1-0" "a" :? 3]]
> XPENDING s g - + 0
< []
> XPENDING s g - + -1
< []
> XPENDING s g - + 10 nobody
< []
> XPENDING s g IDLE 100000 - + 10
< []
> XPENDING s g IDLE 0 - + 10 b
< [["2-0" "b" :? 2]]
> XACK s g 1 2 9
< 2
> XACK s g 1
< 0
> XACK s none 1
< 0
> XACK none g 1
< 0
> XACK s g x
< -ERR Invalid stream ID specified as stream command argument
> XACK s g
< -ERR wrong number of arguments for 'xack' command
> XPENDING s g
< [1 "3-0" "3-0" [["a" "1"]]]
> XACK s g 3
< 1
> XPENDING s g
< [0 nil nil nil*]

test XREADGROUP and XPENDING refuse
> XADD s 1 n 1
< "1-0"
> XGROUP CREATE s g 0
< +OK
> XREADGROUP GROUP g a STREAMS s $
< -ERR The $ ID is meaningless in the context of XREADGROUP: you want to read the history of this consumer by specifying a proper ID, or use the > ID to get new messages. The $ ID would just return an empty result set.
> XREADGROUP GROUP g a STREAMS s +
< -ERR The + ID is meaningless in the context of XREADGROUP: you want to read the history of this consumer by specifying a proper ID, or use the > ID to get new messages. The + ID would just return an empty result set.
> XREADGROUP GROUP none a STREAMS s >
< -NOGROUP No such key 's' or consumer group 'none' in XREADGROUP with GROUP option
> XREADGROUP GROUP g a STREAMS none >
< -NOGROUP No such key 'none' or consumer group 'g' in XREADGROUP with GROUP option
> XREADGROUP GROUP g a STREAMS s none > >
< -NOGROUP No such key 'none' or consumer group 'g' in XREADGROUP with GROUP option
> XREADGROUP GROUP g a STREAMS s x
< -ERR Invalid stream ID specified as stream command argument
> XREADGROUP GROUP g a STREAMS s
< -ERR wrong number of arguments for 'xreadgroup' command
> XREADGROUP GROUP g a COUNT 1 STREAMS s
< -ERR Unbalanced 'xreadgroup' list of streams: for each stream key an ID or '>' must be specified.
> XREADGROUP COUNT 1 NOACK STREAMS s >
< -ERR Missing GROUP option for XREADGROUP
> XREADGROUP GROUP g a COUNT 1 NOACK s >
< -ERR syntax error
> XPENDING s none
< -NOGROUP No such key 's' or consumer group 'none'
> XPENDING none g
< -NOGROUP No such key 'none' or consumer group 'g'
> XPENDING s g -
< -ERR syntax error
> XPENDING s g - +
< -ERR syntax error
> XPENDING s g - + x
< -ERR value is not an integer or out of range
> XPENDING s g x + 1
< -ERR Invalid stream ID specified as stream command argument
> XPENDING s g (18446744073709551615-18446744073709551615 + 1
< -ERR invalid start ID for the interval
> XPENDING s g IDLE x - + 1
< -ERR value is not an integer or out of range
> XPENDING s g IDLE 1 - +
< -ERR syntax error
> SET str v
< +OK
> XPENDING str g
< -WRONGTYPE Operation against a key holding the wrong kind of value
> XREADGROUP GROUP g a STREAMS str >
< -WRONGTYPE Operation against a key holding the wrong kind of value
> XACK str g 1
< -WRONGTYPE Operation against a key holding the wrong kind of value

test XREADGROUP NOACK
> XADD s 1 n 1
< "1-0"
> XGROUP CREATE s g 0
< +OK
> XREADGROUP GROUP g a NOACK STREAMS s >
<2 [["s" [["1-0" ["n" "1"]]]]]
<3 {"s" [["1-0" ["n" "1"]]]}
> XPENDING s g
< [0 nil nil nil*]
> XREADGROUP GROUP g a STREAMS s 0
<2 [["s" []]]
<3 {"s" []}
> XINFO GROUPS s
< [{"name" "g" "consumers" 1 "pending" 0 "last-delivered-id" "1-0" "entries-read" 1 "lag" 0}]
> XINFO CONSUMERS s g
< [{"name" "a" "pending" 0 "idle" :? "inactive" -1}]

test XCLAIM
> XADD s 1 n 1
< "1-0"
> XADD s 2 n 2
< "2-0"
> XADD s 3 n 3
< "3-0"
> XGROUP CREATE s g 0
< +OK
> XREADGROUP GROUP g a COUNT 2 STREAMS s >
<2 [["s" [["1-0" ["n" "1"]] ["2-0" ["n" "2"]]]]]
<3 {"s" [["1-0" ["n" "1"]] ["2-0" ["n" "2"]]]}
> XCLAIM s g b 0 1
< [["1-0" ["n" "1"]]]
> XCLAIM s g b 100000 2
< []
> XCLAIM s g b 0 3
< []
> XCLAIM s g b 0 3 FORCE
< [["3-0" ["n" "3"]]]
> XCLAIM s g b 0 1 2 3 JUSTID
< ["1-0" "2-0" "3-0"]
> XCLAIM s g c 0 9 FORCE
< []
> XPENDING s g - + 10
< [["1-0" "b" :? 2] ["2-0" "b" :? 1] ["3-0" "b" :? 2]]
> XCLAIM s g c 0 1 RETRYCOUNT 7 TIME 1
< [["1-0" ["n" "1"]]]
> XCLAIM s g c 0 2 RETRYCOUNT 9 IDLE 5000 JUSTID
< ["2-0"]
> XPENDING s g IDLE 4000 - + 10
< [["1-0" "c" :? 7] ["2-0" "c" :? 9]]
> XDEL s 1
< 1
> XCLAIM s g d 0 1
< []
> XPENDING s g - + 10
< [["2-0" "c" :? 9] ["3-0" "b" :? 2]]
> XCLAIM s g d 0 2 LASTID 9-9
< [["2-0" ["n" "2"]]]
> XINFO GROUPS s
< [{"name" "g" "consumers" 4 "pending" 2 "last-delivered-id" "9-9" "entries-read" 2 "lag" 1}]
> XCLAIM s none d 0 1
< -NOGROUP No such key 's' or consumer group 'none'
> XCLAIM none g d 0 1
< -NOGROUP No such key 'none' or consumer group 'g'
> XCLAIM s g d x 1
< -ERR Invalid min-idle-time argument for XCLAIM
> XCLAIM s g d 0 1 IDLE x
< -ERR Invalid IDLE option argument for XCLAIM
> XCLAIM s g d 0 1 TIME x
< -ERR Invalid TIME option argument for XCLAIM
> XCLAIM s g d 0 1 RETRYCOUNT x
< -ERR Invalid RETRYCOUNT option argument for XCLAIM
> XCLAIM s g d 0 1 LASTID x
< -ERR Invalid stream ID specified as stream command argument
> XCLAIM s g d 0 1 OTHER
< -ERR Unrecognized XCLAIM option 'OTHER'
> XCLAIM s g d 0 1 x
< -ERR Unrecognized XCLAIM option 'x'
> XCLAIM s g d 0
< -ERR wrong number of arguments for 'xclaim' command
> SET str v
< +OK
> XCLAIM str g d 0 1
< -WRONGTYPE Operation against a key holding the wrong kind of value

test XAUTOCLAIM
> XADD s 1 n 1
< "1-0"
> XADD s 2 n 2
< "2-0"
> XADD s 3 n 3
< "3-0"
> XADD s 4 n 4
< "4-0"
> XGROUP CREATE s g 0
< +OK
> XREADGROUP GROUP g a STREAMS s >
<2 [["s" [["1-0" ["n" "1"]] ["2-0" ["n" "2"]] ["3-0" ["n" "3"]] ["4-0" ["n" "4"]]]]]
<3 {"s" [["1-0" ["n" "1"]] ["2-0" ["n" "2"]] ["3-0" ["n" "3"]] ["4-0" ["n" "4"]]]}
> XAUTOCLAIM s g b 0 - COUNT 1
< ["2-0" [["1-0" ["n" "1"]]] []]
> XAUTOCLAIM s g b 0 2 COUNT 1 JUSTID
< ["3-0" ["2-0"] []]
> XAUTOCLAIM s g b 100000 0
< ["0-0" [] []]
> XDEL s 3
< 1
> XAUTOCLAIM s g b 0 3
< ["0-0" [["4-0" ["n" "4"]]] ["3-0"]]
> XAUTOCLAIM s g b 0 (1 JUSTID
< ["0-0" ["2-0" "4-0"] []]
> XPENDING s g - + 10
< [["1-0" "b" :? 2] ["2-0" "b" :? 1] ["4-0" "b" :? 2]]
> XAUTOCLAIM none g b 0 0
< -NOGROUP No such key 'none' or consumer group 'g'
> XAUTOCLAIM s none b 0 0
< -NOGROUP No such key 's' or consumer group 'none'
> XAUTOCLAIM s g b x 0
< -ERR Invalid min-idle-time argument for XAUTOCLAIM
> XAUTOCLAIM s g b 0 x
< -ERR Invalid stream ID specified as stream command argument
> XAUTOCLAIM s g b 0 (18446744073709551615-18446744073709551615
< -ERR invalid start ID for the interval
> XAUTOCLAIM s g b 0 0 COUNT 0
< -ERR COUNT must be > 0
> XAUTOCLAIM s g b 0 0 COUNT x
< -ERR COUNT must be > 0
> XAUTOCLAIM s g b 0 0 COUNT
< -ERR syntax error
> XAUTOCLAIM s g b 0 0 OTHER
< -ERR syntax error
> XAUTOCLAIM s g b 0
< -ERR wrong number of arguments for 'xautoclaim' command
> SET str v
< +OK
> XAUTOCLAIM str g b 0 0
< -WRONGTYPE Operation against a key holding the wrong kind of value

test XINFO
> XADD s 1 n 1
< "1-0"
> XADD s 2 n 2
< "2-0"
> XADD s 3 n 3
< "3-0"
> XGROUP CREATE s g 0
< +OK
> XGROUP CREATE s h $
< +OK
> XREADGROUP GROUP g a COUNT 1 STREAMS s >
<2 [["s" [["1-0" ["n" "1"]]]]]
<3 {"s" [["1-0" ["n" "1"]]]}
> XREADGROUP GROUP g b STREAMS s >
<2 [["s" [["2-0" ["n" "2"]] ["3-0" ["n" "3"]]]]]
<3 {"s" [["2-0" ["n" "2"]] ["3-0" ["n" "3"]]]}
> XGROUP CREATECONSUMER s g idle
< 1
> XINFO STREAM s
< {"length" 3 "radix-tree-keys" :? "radix-tree-nodes" :? "last-generated-id" "3-0" "max-deleted-entry-id" "0-0" "entries-added" 3 "recorded-first-entry-id" "1-0" "groups" 2 "first-entry" ["1-0" ["n" "1"]] "last-entry" ["3-0" ["n" "3"]]}
> XINFO STREAM s FULL
< {"length" 3 "radix-tree-keys" :? "radix-tree-nodes" :? "last-generated-id" "3-0" "max-deleted-entry-id" "0-0" "entries-added" 3 "recorded-first-entry-id" "1-0" "entries" [["1-0" ["n" "1"]] ["2-0" ["n" "2"]] ["3-0" ["n" "3"]]] "groups" [{"name" "g" "last-delivered-id" "3-0" "entries-read" 3 "lag" 0 "pel-count" 3 "pending" [["1-0" "a" :? 1] ["2-0" "b" :? 1] ["3-0" "b" :? 1]] "consumers" [{"name" "a" "seen-time" :? "active-time" :? "pel-count" 1 "pending" [["1-0" :? 1]]} {"name" "b" "seen-time" :? "active-time" :? "pel-count" 2 "pending" [["2-0" :? 1] ["3-0" :? 1]]} {"name" "idle" "seen-time" :? "active-time" -1 "pel-count" 0 "pending" []}]} {"name" "h" "last-delivered-id" "3-0" "entries-read" nil "lag" 0 "pel-count" 0 "pending" [] "consumers" []}]}
> XINFO STREAM s FULL COUNT 1
< {"length" 3 "radix-tree-keys" :? "radix-tree-nodes" :? "last-generated-id" "3-0" "max-deleted-entry-id" "0-0" "entries-added" 3 "recorded-first-entry-id" "1-0" "entries" [["1-0" ["n" "1"]]] "groups" [{"name" "g" "last-delivered-id" "3-0" "entries-read" 3 "lag" 0 "pel-count" 3 "pending" [["1-0" "a" :? 1]] "consumers" [{"name" "a" "seen-time" :? "active-time" :? "pel-count" 1 "pending" [["1-0" :? 1]]} {"name" "b" "seen-time" :? "active-time" :? "pel-count" 2 "pending" [["2-0" :? 1]]} {"name" "idle" "seen-time" :? "active-time" -1 "pel-count" 0 "pending" []}]} {"name" "h" "last-delivered-id" "3-0" "entries-read" nil "lag" 0 "pel-count" 0 "pending" [] "consumers" []}]}
> XINFO STREAM s FULL COUNT 0
< {"length" 3 "radix-tree-keys" :? "radix-tree-nodes" :? "last-generated-id" "3-0" "max-deleted-entry-id" "0-0" "entries-added" 3 "recorded-first-entry-id" "1-0" "entries" [["1-0" ["n" "1"]] ["2-0" ["n" "2"]] ["3-0" ["n" "3"]]] "groups" [{"name" "g" "last-delivered-id" "3-0" "entries-read" 3 "lag" 0 "pel-count" 3 "pending" [["1-0" "a" :? 1] ["2-0" "b" :? 1] ["3-0" "b" :? 1]] "consumers" [{"name" "a" "seen-time" :? "active-time" :? "pel-count" 1 "pending" [["1-0" :? 1]]} {"name" "b" "seen-time" :? "active-time" :? "pel-count" 2 "pending" [["2-0" :? 1] ["3-0" :? 1]]} {"name" "idle" "seen-time" :? "active-time" -1 "pel-count" 0 "pending" []}]} {"name" "h" "last-delivered-id" "3-0" "entries-read" nil "lag" 0 "pel-count" 0 "pending" [] "consumers" []}]}
> XINFO STREAM s FULL COUNT x
< -ERR value is not an integer or out of range
> XINFO STREAM s FULL COUNT
< -ERR unknown subcommand or wrong number of arguments for 'STREAM'. Try XINFO HELP.
> XINFO STREAM s OTHER
< -ERR unknown subcommand or wrong number of arguments for 'STREAM'. Try XINFO HELP.
> XINFO GROUPS s
< [{"name" "g" "consumers" 3 "pending" 3 "last-delivered-id" "3-0" "entries-read" 3 "lag" 0} {"name" "h" "consumers" 0 "pending" 0 "last-delivered-id" "3-0" "entries-read" nil "lag" 0}]
> XINFO CONSUMERS s g
< [{"name" "a" "pending" 1 "idle" :? "inactive" :?} {"name" "b" "pending" 2 "idle" :? "inactive" :?} {"name" "idle" "pending" 0 "idle" :? "inactive" -1}]
> XINFO CONSUMERS s h
< []
> XINFO CONSUMERS s none
< -NOGROUP No such consumer group 'none' for key name 's'
> XINFO STREAM none
< -ERR no such key
> XINFO GROUPS none
< -ERR no such key
> XINFO CONSUMERS none g
< -ERR no such key
> XINFO GROUPS
< -ERR wrong number of arguments for 'xinfo|groups' command
> XINFO CONSUMERS s
< -ERR wrong number of arguments for 'xinfo|consumers' command
> XINFO OTHER s
< -ERR unknown subcommand 'OTHER'. Try XINFO HELP.
> XINFO
< -ERR wrong number of arguments for 'xinfo' command
> XINFO HELP
< [+/XINFO <subcommand> \[<arg> \[value\] \[opt\] \.\.\.\]\. Subcommands are:/ +/CONSUMERS <key> <groupname>/ +/    Show consumers of <groupname>\./ +/GROUPS <key>/ +/    Show the stream consumer groups\./ +/STREAM <key> \[FULL \[COUNT <count>\]/ +/    Show information about the stream\./ +HELP +/    Print this help\./]
> SET str v
< +OK
> XINFO STREAM str
< -WRONGTYPE Operation against a key holding the wrong kind of value

test lag
> XADD s 1 n 1
< "1-0"
> XADD s 2 n 2
< "2-0"
> XADD s 3 n 3
< "3-0"
> XADD s 4 n 4
< "4-0"
> XADD s 5 n 5
< "5-0"
> XGROUP CREATE s g1 0
< +OK
> XGROUP CREATE s g2 2
< +OK
> XGROUP CREATE s g3 $
< +OK
> XINFO GROUPS s
< [{"name" "g1" "consumers" 0 "pending" 0 "last-delivered-id" "0-0" "entries-read" nil "lag" 5} {"name" "g2" "consumers" 0 "pending" 0 "last-delivered-id" "2-0" "entries-read" nil "lag" nil} {"name" "g3" "consumers" 0 "pending" 0 "last-delivered-id" "5-0" "entries-read" nil "lag" 0}]
> XREADGROUP GROUP g1 c COUNT 1 STREAMS s >
<2 [["s" [["1-0" ["n" "1"]]]]]
<3 {"s" [["1-0" ["n" "1"]]]}
> XREADGROUP GROUP g2 c COUNT 1 STREAMS s >
<2 [["s" [["3-0" ["n" "3"]]]]]
<3 {"s" [["3-0" ["n" "3"]]]}
> XINFO GROUPS s
< [{"name" "g1" "consumers" 1 "pending" 1 "last-delivered-id" "1-0" "entries-read" 1 "lag" 4} {"name" "g2" "consumers" 1 "pending" 1 "last-delivered-id" "3-0" "entries-read" nil "lag" nil} {"name" "g3" "consumers" 0 "pending" 0 "last-delivered-id" "5-0" "entries-read" nil "lag" 0}]
> XDEL s 3
< 1
> XINFO GROUPS s
< [{"name" "g1" "consumers" 1 "pending" 1 "last-delivered-id" "1-0" "entries-read" 1 "lag" nil} {"name" "g2" "consumers" 1 "pending" 1 "last-delivered-id" "3-0" "entries-read" nil "lag" nil} {"name" "g3" "consumers" 0 "pending" 0 "last-delivered-id" "5-0" "entries-read" nil "lag" 0}]
> XTRIM s MINID 4
< 2
> XINFO GROUPS s
< [{"name" "g1" "consumers" 1 "pending" 1 "last-delivered-id" "1-0" "entries-read" 1 "lag" nil} {"name" "g2" "consumers" 1 "pending" 1 "last-delivered-id" "3-0" "entries-read" nil "lag" 2} {"name" "g3" "consumers" 0 "pending" 0 "last-delivered-id" "5-0" "entries-read" nil "lag" 0}]
> XREADGROUP GROUP g1 c STREAMS s >
<2 [["s" [["4-0" ["n" "4"]] ["5-0" ["n" "5"]]]]]
<3 {"s" [["4-0" ["n" "4"]] ["5-0" ["n" "5"]]]}
> XINFO GROUPS s
< [{"name" "g1" "consumers" 1 "pending" 3 "last-delivered-id" "5-0" "entries-read" 5 "lag" 0} {"name" "g2" "consumers" 1 "pending" 1 "last-delivered-id" "3-0" "entries-read" nil "lag" 2} {"name" "g3" "consumers" 0 "pending" 0 "last-delivered-id" "5-0" "entries-read" nil "lag" 0}]

test XLEN, COPY, RENAME, DEL
> XLEN none
< 0
> SET str v
< +OK
> XLEN str
< -WRONGTYPE Operation against a key holding the wrong kind of value
> XLEN
< -ERR wrong number of arguments for 'xlen' command
> XADD s 1 n 1
< "1-0"
> XADD s 2 n 2
< "2-0"
> XGROUP CREATE s g 0
< +OK
> XREADGROUP GROUP g a COUNT 1 STREAMS s >
<2 [["s" [["1-0" ["n" "1"]]]]]
<3 {"s" [["1-0" ["n" "1"]]]}
> COPY s t
< 1
> XADD t 3 n 3
< "3-0"
> XDEL t 1
< 1
> XLEN s
< 2
> XPENDING t g
< [1 "1-0" "1-0" [["a" "1"]]]
> XREADGROUP GROUP g a STREAMS t >
<2 [["t" [["2-0" ["n" "2"]] ["3-0" ["n" "3"]]]]]
<3 {"t" [["2-0" ["n" "2"]] ["3-0" ["n" "3"]]]}
> XPENDING s g
< [1 "1-0" "1-0" [["a" "1"]]]
> RENAME t u
< +OK
> XRANGE u - +
< [["2-0" ["n" "2"]] ["3-0" ["n" "3"]]]
> DEL s
< 1
> UNLINK u
< 1
> EXISTS s t u
< 0

test keys of XREAD and XREADGROUP
> COMMAND GETKEYS XREAD COUNT 1 STREAMS a b 0 0
< ["a" "b"]
> COMMAND GETKEYS XREADGROUP GROUP streams c STREAMS a b 0 0
< ["a" "b"]
> COMMAND GETKEYS XGROUP CREATE a g 0
< ["a"]
> COMMAND GETKEYS XINFO STREAM a
< ["a"]
> COMMAND GETKEYS XADD a 1 f v
< ["a"]

test ids of now
> XADD s * f v
< /\d+-\d+/
> XADD s * f v
< /\d+-\d+/
> XLEN s
< 2
> XADD future 99999999999999-5 f v
< "99999999999999-5"
> XADD future * f v
< "99999999999999-6"

test XREAD waits
a>> XREAD BLOCK 0 STREAMS s t $ $
?> INFO clients
< has(/^blocked_clients:1\b/ /^total_blocking_keys:2\b/)
> XADD t 1-1 f v
< "1-1"
a<2 [["t" [["1-1" ["f" "v"]]]]]
a<3 {"t" [["1-1" ["f" "v"]]]}
a>> XREAD COUNT 1 BLOCK 0 STREAMS t 1-1
?> INFO clients
< has(/^blocked_clients:1\b/)
b>> XREAD BLOCK 0 STREAMS t $
?> INFO clients
< has(/^blocked_clients:2\b/)
> MULTI
< +OK
> XADD t 2 f a
< +QUEUED
> XADD t 3 f b
< +QUEUED
> EXEC
< ["2-0" "3-0"]
a<2 [["t" [["2-0" ["f" "a"]]]]]
a<3 {"t" [["2-0" ["f" "a"]]]}
b<2 [["t" [["2-0" ["f" "a"]] ["3-0" ["f" "b"]]]]]
b<3 {"t" [["2-0" ["f" "a"]] ["3-0" ["f" "b"]]]}

test XREAD waits in vain
> XREAD BLOCK 5 STREAMS s $
< nil*
> MULTI
< +OK
> XREAD BLOCK 0 STREAMS s $
< +QUEUED
> EXEC
< [nil*]
a>> XREAD BLOCK 0 STREAMS s $
?> INFO clients
< has(/^blocked_clients:1\b/)
> SET s v
< +OK
> DEL s
< 1
> XADD s 5 f v
< "5-0"
a<2 [["s" [["5-0" ["f" "v"]]]]]
a<3 {"s" [["5-0" ["f" "v"]]]}

test XREADGROUP waits
> XGROUP CREATE s g $ MKSTREAM
< +OK
a>> XREADGROUP GROUP g a BLOCK 0 STREAMS s >
?> INFO clients
< has(/^blocked_clients:1\b/)
b>> XREADGROUP GROUP g b BLOCK 0 STREAMS s >
?> INFO clients
< has(/^blocked_clients:2\b/)
> XADD s 1 f v
< "1-0"
a<2 [["s" [["1-0" ["f" "v"]]]]]
a<3 {"s" [["1-0" ["f" "v"]]]}
> XADD s 2 f v
< "2-0"
b<2 [["s" [["2-0" ["f" "v"]]]]]
b<3 {"s" [["2-0" ["f" "v"]]]}
> XPENDING s g
< [2 "1-0" "2-0" [["a" "1"] ["b" "1"]]]
a>> XREADGROUP GROUP g a BLOCK 0 STREAMS s >
?> INFO clients
< has(/^blocked_clients:1\b/)
> XGROUP DESTROY s g
< 1
a< -NOGROUP No such key 's' or consumer group 'g' in XREADGROUP with GROUP option

test XREADGROUP waits for a key that goes
> XGROUP CREATE s g $ MKSTREAM
< +OK
a>> XREADGROUP GROUP g a BLOCK 0 STREAMS s >
?> INFO clients
< has(/^blocked_clients:1\b/)
> DEL s
< 1
a< -NOGROUP No such key 's' or consumer group 'g' in XREADGROUP with GROUP option
> XGROUP CREATE s g $ MKSTREAM
< +OK
a>> XREADGROUP GROUP g a BLOCK 0 STREAMS s >
?> INFO clients
< has(/^blocked_clients:1\b/)
> SET s v
< +OK
a< -WRONGTYPE Operation against a key holding the wrong kind of value

test events of streams
!protocol 3
> CONFIG SET notify-keyspace-events Et
< +OK
e> PSUBSCRIBE *
e< push["psubscribe" "*" 1]
> XADD s 1 f v
< "1-0"
e< push["pmessage" "*" "__keyevent@0__:xadd" "s"]
> XADD s MAXLEN 1 2 f v
< "2-0"
e< push["pmessage" "*" "__keyevent@0__:xadd" "s"]
e< push["pmessage" "*" "__keyevent@0__:xtrim" "s"]
> XGROUP CREATE s g 0
< +OK
e< push["pmessage" "*" "__keyevent@0__:xgroup-create" "s"]
> XREADGROUP GROUP g c STREAMS s >
< {"s" [["2-0" ["f" "v"]]]}
e< push["pmessage" "*" "__keyevent@0__:xgroup-createconsumer" "s"]
> XGROUP SETID s g 0
< +OK
e< push["pmessage" "*" "__keyevent@0__:xgroup-setid" "s"]
> XGROUP CREATECONSUMER s g d
< 1
e< push["pmessage" "*" "__keyevent@0__:xgroup-createconsumer" "s"]
> XGROUP DELCONSUMER s g c
< 1
e< push["pmessage" "*" "__keyevent@0__:xgroup-delconsumer" "s"]
> XGROUP DESTROY s g
< 1
e< push["pmessage" "*" "__keyevent@0__:xgroup-destroy" "s"]
> XSETID s 9
< +OK
e< push["pmessage" "*" "__keyevent@0__:xsetid" "s"]
> XTRIM s MAXLEN 0
< 1
e< push["pmessage" "*" "__keyevent@0__:xtrim" "s"]
> XADD s 10 f v
< "10-0"
e< push["pmessage" "*" "__keyevent@0__:xadd" "s"]
> XDEL s 10
< 1
e< push["pmessage" "*" "__keyevent@0__:xdel" "s"]
!silent e
> CONFIG SET notify-keyspace-events ""
< +OK
