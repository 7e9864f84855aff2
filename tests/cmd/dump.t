# DUMP and RESTORE. The payloads are what redis-server 7.0 writes.

test DUMP
!own
> DUMP missing
< nil
> SET k hello
< +OK
> DUMP k
< "\x00\x05hello\n\x00cr\xdfve4 \n"
> SET k 12345
< +OK
> DUMP k
< "\x00\xc190\n\x00\x9d\x94\xea'\x93\xfc\x08\xb9"
> HSET h f v
< 1
> DUMP h
< "\x04\x01\x01f\x01v\n\x00\xad\xf2CV\xb1\x86\x0e\xfc"
> DUMP
< -ERR wrong number of arguments for 'dump' command
> DUMP k k
< -ERR wrong number of arguments for 'dump' command

test RESTORE of each type
> RESTORE k 0 "\x00\x05hello\n\x00cr\xdfve4 \n"
< +OK
> GET k
< "hello"
> OBJECT ENCODING k
< "embstr"
> TTL k
< -1
> RESTORE n 0 "\x00\xc190\n\x00\x9d\x94\xea'\x93\xfc\x08\xb9"
< +OK
> INCR n
< 12346
> OBJECT ENCODING n
< "int"
> RESTORE z 0 "\x00\xc3\t@\xc8\x01xx\xe0\xbb\x00\x01xx\n\x00\xaa\x8d\xb4J\n\xd7\x9d\xcd"
< +OK
> STRLEN z
< 200
> GETRANGE z 190 -1
< "xxxxxxxxxx"
> RESTORE list 0 "\x12\x01\x02\x0f\x0f\x00\x00\x00\x03\x00\x81a\x02\x01\x01\x81b\x02\xff\n\x00\x90C\xa3L\xeb\x8e\x1b\x1c"
< +OK
> LRANGE list 0 -1
< ["a" "1" "b"]
> OBJECT ENCODING list
< "listpack"
> RESTORE ints 0 "\x0b\x0e\x02\x00\x00\x00\x03\x00\x00\x00\x01\x00\x02\x00\x03\x00\n\x00\xa5\x02\\\xe2mnM\x1b"
< +OK
> SMEMBERS ints
< set["1" "2" "3"]
> OBJECT ENCODING ints
< "intset"
> RESTORE set 0 "\x02\x01\x01a\n\x00b\x96\xe9~D\xd2\x1am"
< +OK
> SMEMBERS set
< set["a"]
> OBJECT ENCODING set
< "listpack"
> RESTORE hash 0 "\x10\x12\x12\x00\x00\x00\x04\x00\x81f\x02\x81v\x02\x81n\x02\x05\x01\xff\n\x00\x84\x90\x93\x9fW\xb4\xf3\xc2"
< +OK
> HGETALL hash
< {"f" "v" "n" "5"}
> OBJECT ENCODING hash
< "listpack"
> RESTORE zset 0 "\x11\x14\x14\x00\x00\x00\x04\x00\x81a\x02\x831.5\x04\x81b\x02\x02\x01\xff\n\x00\xfa\x02\xb4%\xaf\x18\x87c"
< +OK
> ZRANGE zset 0 -1 WITHSCORES
<2 ["a" "1.5" "b" "2"]
<3 [["a" ,1.5] ["b" ,2]]
> OBJECT ENCODING zset
< "listpack"

test RESTORE of a stream with its group
> RESTORE s 0 "\x13\x01\x10\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x01((\x00\x00\x00\x0f\x00\x02\x01\x00\x01\x01\x01\x81a\x02\x00\x01\x02\x01\x00\x01\x00\x01\x81b\x02\x04\x01\x02\x01\x01\x01\x00\x01\x81c\x02\x04\x01\xff\x02\x02\x01\x01\x01\x00\x00\x02\x01\x01g\x01\x01\x01\x01\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x01\xd9\x16\\P\xa2\x01\x00\x00\x01\x01\x02me\xd9\x16\\P\xa2\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x01\n\x00\xb3\xfd\x0e\xa2^\xf6\xb1\x94"
< +OK
> XRANGE s - +
< [["1-1" ["a" "b"]] ["2-1" ["a" "c"]]]
> XPENDING s g
< [1 "1-1" "1-1" [["me" "1"]]]
> XREADGROUP GROUP g me COUNT 1 STREAMS s >
<2 [["s" [["2-1" ["a" "c"]]]]]
<3 {"s" [["2-1" ["a" "c"]]]}
> XINFO GROUPS s
< [{"name" "g" "consumers" 1 "pending" 2 "last-delivered-id" "2-1" "entries-read" 2 "lag" 0}]
> XADD s 2-1 a d
< -ERR The ID specified in XADD is equal or smaller than the target stream top item

test RESTORE's options
> RESTORE k 0 "\x02\x01\x01a\n\x00b\x96\xe9~D\xd2\x1am" REPLACE
< +OK
> RESTORE k 0 "\x00\x05hello\n\x00cr\xdfve4 \n"
< -BUSYKEY Target key name already exists.
> TYPE k
< +set
> RESTORE k 5000 "\x00\x05hello\n\x00cr\xdfve4 \n" replace
< +OK
> GET k
< "hello"
> PTTL k
< 1..5000
> RESTORE k 0 "\x00\x05hello\n\x00cr\xdfve4 \n" REPLACE
< +OK
> PTTL k
< -1
> RESTORE k $now_ms+100000 "\x00\x05hello\n\x00cr\xdfve4 \n" REPLACE ABSTTL
< +OK
> PTTL k
< 1..100000
> RESTORE k 0 "\x00\x05hello\n\x00cr\xdfve4 \n" REPLACE ABSTTL
< +OK
> TTL k
< -1
> RESTORE k 0 "\x00\x05hello\n\x00cr\xdfve4 \n" REPLACE IDLETIME 1000
< +OK
> OBJECT IDLETIME k
< 1000..1010
> RESTORE k 0 "\x00\x05hello\n\x00cr\xdfve4 \n" REPLACE FREQ 200
< +OK
> OBJECT IDLETIME k
< 0..10

test RESTORE with FREQ under an LFU policy
!own
> CONFIG SET maxmemory-policy allkeys-lfu
< +OK
> RESTORE k 0 "\x00\x05hello\n\x00cr\xdfve4 \n" FREQ 200
< +OK
> OBJECT FREQ k
< 199..200
> RESTORE k 0 "\x00\x05hello\n\x00cr\xdfve4 \n" REPLACE IDLETIME 77
< +OK
> CONFIG SET maxmemory-policy noeviction
< +OK

test RESTORE of what has expired
> SET k old
< +OK
> RESTORE k 1 "\x00\x05hello\n\x00cr\xdfve4 \n" ABSTTL
< -BUSYKEY Target key name already exists.
> RESTORE k 1 "\x00\x05hello\n\x00cr\xdfve4 \n" ABSTTL REPLACE
< +OK
> EXISTS k
< 0
> RESTORE k 1 "\x00\x05hello\n\x00cr\xdfve4 \n" ABSTTL
< +OK
> EXISTS k
< 0

test RESTORE's errors
> RESTORE k 0
< -ERR wrong number of arguments for 'restore' command
> RESTORE k x x
< -ERR value is not an integer or out of range
> RESTORE k -1 x
< -ERR Invalid TTL value, must be >= 0
> RESTORE k 9223372036854775807 x
< -ERR DUMP payload version or checksum are wrong
> RESTORE k 0 ""
< -ERR DUMP payload version or checksum are wrong
> RESTORE k 0 x
< -ERR DUMP payload version or checksum are wrong
> RESTORE k 0 x foo
< -ERR syntax error
> RESTORE k 0 x IDLETIME
< -ERR syntax error
> RESTORE k 0 x IDLETIME x
< -ERR value is not an integer or out of range
> RESTORE k 0 x IDLETIME -1
< -ERR Invalid IDLETIME value, must be >= 0
> RESTORE k 0 x FREQ
< -ERR syntax error
> RESTORE k 0 x FREQ -1
< -ERR Invalid FREQ value, must be >= 0 and <= 255
> RESTORE k 0 x FREQ 256
< -ERR Invalid FREQ value, must be >= 0 and <= 255
> RESTORE k 0 x FREQ 1 IDLETIME 1
< -ERR syntax error
> RESTORE k 0 x IDLETIME 1 FREQ 1
< -ERR syntax error
> RESTORE k 0 "\x00\x05hellp\n\x00cr\xdfve4 \n"
< -ERR DUMP payload version or checksum are wrong
> RESTORE k 0 "\x00\x05hello\n\x00\x00\x00\x00\x00\x00\x00\x00\x00"
< -ERR DUMP payload version or checksum are wrong
> RESTORE k 0 "\x02\x00\x0a\x00\x3a\xce\x39\x00\x9b\x89\x39\xe8"
< -ERR Bad data format
> EXISTS k
< 0

test a deadline that no clock reaches
!own
> RESTORE k 9223372036854775807 "\x00\x05hello\n\x00cr\xdfve4 \n"
< -ERR invalid expire time in 'restore' command
> EXISTS k
< 0

test the old value stays when a payload is refused
> SET k old
< +OK
> RESTORE k 0 "\x00\x05hello\n\x00cr\xdfve4 !" REPLACE
< -ERR DUMP payload version or checksum are wrong
> GET k
< "old"

test deadlines of fields
!needs HPEXPIREAT
> HSET h f v g w
< 2
> HPEXPIREAT h 4102444800000 FIELDS 1 f
< [1]
> DUMP h
< ?payload
> RESTORE copy 0 $payload
< +OK
> HPEXPIRETIME copy FIELDS 2 f g
< [4102444800000 -1]
> HGETALL copy
< {"f" "v" "g" "w"}

test blocked clients are served
a>> BLPOP list 0
> RESTORE list 0 "\x12\x01\x02\x0f\x0f\x00\x00\x00\x03\x00\x81a\x02\x01\x01\x81b\x02\xff\n\x00\x90C\xa3L\xeb\x8e\x1b\x1c"
< +OK
a< ["list" "a"]
a>> XREAD BLOCK 0 STREAMS s 0
> RESTORE s 0 "\x13\x01\x10\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x01((\x00\x00\x00\x0f\x00\x02\x01\x00\x01\x01\x01\x81a\x02\x00\x01\x02\x01\x00\x01\x00\x01\x81b\x02\x04\x01\x02\x01\x01\x01\x00\x01\x81c\x02\x04\x01\xff\x02\x02\x01\x01\x01\x00\x00\x02\x01\x01g\x01\x01\x01\x01\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x01\xd9\x16\\P\xa2\x01\x00\x00\x01\x01\x02me\xd9\x16\\P\xa2\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x01\n\x00\xb3\xfd\x0e\xa2^\xf6\xb1\x94"
< +OK
a<2 [["s" [["1-1" ["a" "b"]] ["2-1" ["a" "c"]]]]]
a<3 {"s" [["1-1" ["a" "b"]] ["2-1" ["a" "c"]]]}

test events and transactions
!own
> CONFIG SET notify-keyspace-events KEA
< +OK
a> PSUBSCRIBE __keyevent@*
a< push["psubscribe" "__keyevent@*" 1]
> WATCH k
< +OK
b> RESTORE k 0 "\x00\x05hello\n\x00cr\xdfve4 \n"
b< +OK
a< push["pmessage" "__keyevent@*" "__keyevent@0__:restore" "k"]
> MULTI
< +OK
> DUMP k
< +QUEUED
> EXEC
< nil*
> RESTORE k 1 "\x00\x05hello\n\x00cr\xdfve4 \n" REPLACE ABSTTL
< +OK
a< push["pmessage" "__keyevent@*" "__keyevent@0__:del" "k"]
> MULTI
< +OK
> RESTORE k 0 "\x00\x05hello\n\x00cr\xdfve4 \n"
< +QUEUED
> DUMP k
< +QUEUED
> EXEC
< [+OK "\x00\x05hello\n\x00cr\xdfve4 \n"]
a< push["pmessage" "__keyevent@*" "__keyevent@0__:restore" "k"]
> CONFIG SET notify-keyspace-events ""
< +OK

test DEBUG RELOAD takes every value to bytes and back
!own
!args --enable-debug-command yes
> MSET number 12345 text hello
< +OK
> SETBIT long 80000 1
< 0
> RPUSH l a 2 c
< 3
> SADD ints 1 2 3
< 3
> SADD s a b
< 2
> ZADD z 1.5 a -inf b
< 2
> HSET h f v g w
< 2
> HPEXPIRE h 1000000 FIELDS 1 g
< [1]
> XADD x 5-1 f v
< "5-1"
> XGROUP CREATE x group 0
< +OK
> XREADGROUP GROUP group one STREAMS x >
<2 [["x" [["5-1" ["f" "v"]]]]]
<3 {"x" [["5-1" ["f" "v"]]]}
> SET timed v PX 1000000
< +OK
> DEBUG DIGEST
< ?digest
> DEBUG RELOAD
< +OK
> DEBUG DIGEST
< $digest
> OBJECT ENCODING number
< "int"
> PTTL timed
< 900000..1000000
> HPTTL h FIELDS 2 f g
< [-1 900000..1000000]
> XPENDING x group
< [1 "5-1" "5-1" [["one" "1"]]]
> DBSIZE
< 10
> DEBUG RELOAD NOSAVE
< -/.*unknown subcommand.*/
