# Lists, without waiting: that is in blocking.t.

test LPUSH and RPUSH
> LPUSH l a
< 1
> LPUSH l b c
< 3
> RPUSH l d e
< 5
> LRANGE l 0 -1
< ["c" "b" "a" "d" "e"]
> LLEN l
< 5
> TYPE l
< +list
> SET s v
< +OK
> LPUSH s a
< -WRONGTYPE Operation against a key holding the wrong kind of value
> RPUSH s a
< -WRONGTYPE Operation against a key holding the wrong kind of value
> LPUSH l
< -ERR wrong number of arguments for 'lpush' command
> LLEN missing
< 0
> LLEN s
< -WRONGTYPE Operation against a key holding the wrong kind of value

test LPUSHX and RPUSHX
> LPUSHX l a
< 0
> EXISTS l
< 0
> RPUSH l b
< 1
> LPUSHX l a x
< 3
> RPUSHX l c d
< 5
> LRANGE l 0 -1
< ["x" "a" "b" "c" "d"]
> SET s v
< +OK
> RPUSHX s a
< -WRONGTYPE Operation against a key holding the wrong kind of value

test elements are bytes, and numbers come back as they were sent
> RPUSH l "" 0 -0 00 1 63 64 -1 4095 4096 -4096 -4097 32768 9223372036854775807 -9223372036854775808 9223372036854775808 +1 " 1" 1.0 "\x00\xff\r\n"
< 20
> LRANGE l 0 -1
< ["" "0" "-0" "00" "1" "63" "64" "-1" "4095" "4096" "-4096" "-4097" "32768" "9223372036854775807" "-9223372036854775808"
< "9223372036854775808" "+1" " 1" "1.0" "\x00\xff\r\n"]

test LPOP and RPOP
> RPUSH l a b c
< 3
> LPOP l
< "a"
> RPOP l
< "c"
> RPOP l
< "b"
> EXISTS l
< 0
> LPOP l
< nil
> RPOP l
< nil
> SET s v
< +OK
> LPOP s
< -WRONGTYPE Operation against a key holding the wrong kind of value

test LPOP and RPOP with a count
> RPUSH l 1 2 3 4 5 6 7
< 7
> LPOP l 0
< []
> LPOP l 1
< ["1"]
> LPOP l 2
< ["2" "3"]
> RPOP l 2
< ["7" "6"]
> RPOP l 100
< ["5" "4"]
> EXISTS l
< 0
> LPOP l 1
< nil*
> RPOP l 0
< nil*
> LPOP l -1
< -ERR value is out of range, must be positive
> LPOP l a
< -ERR value is out of range, must be positive
> LPOP l 1 2
< -ERR wrong number of arguments for 'lpop' command
> RPOP l 1 2
< -ERR wrong number of arguments for 'rpop' command

test LRANGE
> RPUSH l a b c d e
< 5
> LRANGE l 0 0
< ["a"]
> LRANGE l 1 -2
< ["b" "c" "d"]
> LRANGE l -100 100
< ["a" "b" "c" "d" "e"]
> LRANGE l 3 2
< []
> LRANGE l 5 10
< []
> LRANGE l -3 -100
< []
> LRANGE missing 0 -1
< []
> LRANGE l a 1
< -ERR value is not an integer or out of range
> LRANGE l 0 1.5
< -ERR value is not an integer or out of range
> LRANGE missing 0 x
< -ERR value is not an integer or out of range
> SET s v
< +OK
> LRANGE s 0 -1
< -WRONGTYPE Operation against a key holding the wrong kind of value

test LINDEX and LSET
> RPUSH l a b c
< 3
> LINDEX l 0
< "a"
> LINDEX l -1
< "c"
> LINDEX l 3
< nil
> LINDEX l -4
< nil
> LINDEX l x
< -ERR value is not an integer or out of range
> LINDEX missing x
< nil
> LSET l 1 B
< +OK
> LSET l -1 12
< +OK
> LRANGE l 0 -1
< ["a" "B" "12"]
> LSET l 3 x
< -ERR index out of range
> LSET l -4 x
< -ERR index out of range
> LSET l x x
< -ERR value is not an integer or out of range
> LSET missing 0 x
< -ERR no such key
> LSET missing x x
< -ERR no such key

test LINSERT
> RPUSH l a b a c
< 4
> LINSERT l BEFORE a x
< 5
> LINSERT l after a y
< 6
> LRANGE l 0 -1
< ["x" "a" "y" "b" "a" "c"]
> LINSERT l AFTER c z
< 7
> LINDEX l -1
< "z"
> LINSERT l BEFORE missing x
< -1
> LINSERT missing BEFORE a x
< 0
> LINSERT l BETWEEN a x
< -ERR syntax error

test LREM
> RPUSH l a b a c a b a
< 7
> LREM l 1 a
< 1
> LREM l -2 a
< 2
> LRANGE l 0 -1
< ["b" "a" "c" "b"]
> LREM l 0 b
< 2
> LREM l 0 missing
< 0
> LREM l 5 a
< 1
> LREM l 0 c
< 1
> EXISTS l
< 0
> LREM l 0 c
< 0
> LREM l x c
< -ERR value is not an integer or out of range
> LREM l -9223372036854775808 c
< -ERR value is out of range, value must between -9223372036854775807 and 9223372036854775807

test LTRIM
> RPUSH l a b c d e f
< 6
> LTRIM l 1 -2
< +OK
> LRANGE l 0 -1
< ["b" "c" "d" "e"]
> LTRIM l -3 100
< +OK
> LRANGE l 0 -1
< ["c" "d" "e"]
> LTRIM l 0 0
< +OK
> LRANGE l 0 -1
< ["c"]
> LTRIM l 1 0
< +OK
> EXISTS l
< 0
> LTRIM l 0 0
< +OK
> LTRIM l a 0
< -ERR value is not an integer or out of range

test LPOS
> RPUSH l a b c 1 2 3 c c
< 8
> LPOS l a
< 0
> LPOS l c
< 2
> LPOS l x
< nil
> LPOS l c RANK 1
< 2
> LPOS l c RANK 2
< 6
> LPOS l c RANK 4
< nil
> LPOS l c RANK -1
< 7
> LPOS l c RANK -3
< 2
> LPOS l c COUNT 0
< [2 6 7]
> LPOS l c COUNT 2
< [2 6]
> LPOS l c RANK 2 COUNT 0
< [6 7]
> LPOS l c RANK -2 COUNT 0
< [6 2]
> LPOS l c COUNT 0 MAXLEN 7
< [2 6]
> LPOS l c COUNT 0 MAXLEN 2 RANK -1
< [7 6]
> LPOS l c MAXLEN 2
< nil
> LPOS l 2 MAXLEN 0
< 4
> LPOS l x COUNT 0
< []
> LPOS missing x COUNT 1
< []
> LPOS missing x
< nil

test LPOS refuses
> LPOS l c RANK 0
< -ERR RANK can't be zero: use 1 to start from the first match, 2 from the second ... or use negative to start from the end of the list
> LPOS l c RANK x
< -ERR value is not an integer or out of range
> LPOS l c RANK -9223372036854775808
< -ERR value is out of range, value must between -9223372036854775807 and 9223372036854775807
> LPOS l c COUNT -1
< -ERR COUNT can't be negative
> LPOS l c COUNT x
< -ERR COUNT can't be negative
> LPOS l c MAXLEN -1
< -ERR MAXLEN can't be negative
> LPOS l c RANK
< -ERR syntax error
> LPOS l c WHERE 1
< -ERR syntax error
> SET s v
< +OK
> LPOS s c
< -WRONGTYPE Operation against a key holding the wrong kind of value

test LMOVE and RPOPLPUSH
> RPUSH l a b c
< 3
> LMOVE l m LEFT RIGHT
< "a"
> LMOVE l m right left
< "c"
> LRANGE m 0 -1
< ["c" "a"]
> RPOPLPUSH m l
< "a"
> LRANGE l 0 -1
< ["a" "b"]
> LMOVE m l LEFT LEFT
< "c"
> EXISTS m
< 0
> LRANGE l 0 -1
< ["c" "a" "b"]
> LMOVE m l LEFT LEFT
< nil
> RPOPLPUSH m l
< nil
> LMOVE l m UP LEFT
< -ERR syntax error
> LMOVE l m LEFT DOWN
< -ERR syntax error

test LMOVE within one list
> RPUSH l a b c 4
< 4
> LMOVE l l RIGHT LEFT
< "4"
> LRANGE l 0 -1
< ["4" "a" "b" "c"]
> LMOVE l l LEFT RIGHT
< "4"
> LMOVE l l LEFT LEFT
< "a"
> RPOPLPUSH l l
< "4"
> LRANGE l 0 -1
< ["4" "a" "b" "c"]
> RPUSH one x
< 1
> RPOPLPUSH one one
< "x"
> LRANGE one 0 -1
< ["x"]

test LMOVE to and from other types
> SET s v
< +OK
> RPUSH l a
< 1
> LMOVE l s LEFT LEFT
< -WRONGTYPE Operation against a key holding the wrong kind of value
> RPOPLPUSH s l
< -WRONGTYPE Operation against a key holding the wrong kind of value
> RPOPLPUSH missing s
< nil
> LRANGE l 0 -1
< ["a"]

test LMPOP
> RPUSH l a b c
< 3
> RPUSH m 1 2 3
< 3
> LMPOP 2 missing l LEFT
< ["l" ["a"]]
> LMPOP 2 l m RIGHT COUNT 10
< ["l" ["c" "b"]]
> LMPOP 2 l m LEFT COUNT 2
< ["m" ["1" "2"]]
> LMPOP 1 m LEFT COUNT 1
< ["m" ["3"]]
> LMPOP 2 l m LEFT
< nil*
> SET s v
< +OK
> LMPOP 2 s l LEFT
< -WRONGTYPE Operation against a key holding the wrong kind of value
> LMPOP 0 l LEFT
< -ERR numkeys should be greater than 0
> LMPOP a l LEFT
< -ERR numkeys should be greater than 0
> LMPOP 2 l LEFT
< -ERR syntax error
> LMPOP 1 l UP
< -ERR syntax error
> LMPOP 1 l LEFT COUNT 0
< -ERR count should be greater than 0
> LMPOP 1 l LEFT COUNT
< -ERR syntax error
> LMPOP 1 l LEFT COUNT 1 COUNT 2
< -ERR syntax error
> LMPOP 9223372036854775807 l LEFT
< -ERR syntax error

test long lists turn into chains and back
> RPUSH l "x"*8000 a
< 2
> OBJECT ENCODING l
< "listpack"
> RPUSH l "y"*200
< 3
> OBJECT ENCODING l
< "quicklist"
> LPOP l 2
< ["x"*8000 "a"]
> OBJECT ENCODING l
< "listpack"
> LINDEX l -1
< "y"*200
> RPUSH big "z"*9000
< 1
> OBJECT ENCODING big
< "quicklist"
> LSET big 0 small
< +OK
> LRANGE big 0 -1
< ["small"]

test large elements
> RPUSH l a "b"*20000 c "d"*100000
< 4
> LINSERT l BEFORE "b"*20000 "e"*30000
< 5
> LRANGE l 0 -1
< ["a" "e"*30000 "b"*20000 "c" "d"*100000]
> LPOS l "d"*100000
< 4
> RPOPLPUSH l l
< "d"*100000
> LREM l 0 "b"*20000
< 1
> LSET l 1 "f"*50000
< +OK
> LRANGE l 0 -1
< ["d"*100000 "f"*50000 "e"*30000 "c"]
> LTRIM l 1 2
< +OK
> LPOP l 2
< ["f"*50000 "e"*30000]
> EXISTS l
< 0

test events of lists
!needs SUBSCRIBE
> CONFIG SET notify-keyspace-events KEA
< +OK
w> PSUBSCRIBE __keyevent@0__:*
w< push["psubscribe" "__keyevent@0__:*" 1]
> RPUSH l a b c
< 3
w< push["pmessage" "__keyevent@0__:*" "__keyevent@0__:rpush" "l"]
> LSET l 0 x
< +OK
w< push["pmessage" "__keyevent@0__:*" "__keyevent@0__:lset" "l"]
> LINSERT l BEFORE x y
< 4
w< push["pmessage" "__keyevent@0__:*" "__keyevent@0__:linsert" "l"]
> LREM l 1 x
< 1
w< push["pmessage" "__keyevent@0__:*" "__keyevent@0__:lrem" "l"]
> LTRIM l 0 1
< +OK
w< push["pmessage" "__keyevent@0__:*" "__keyevent@0__:ltrim" "l"]
> LPOP l
< "y"
w< push["pmessage" "__keyevent@0__:*" "__keyevent@0__:lpop" "l"]
> LMOVE l m LEFT RIGHT
< "b"
w< push["pmessage" "__keyevent@0__:*" "__keyevent@0__:rpush" "m"]
w< push["pmessage" "__keyevent@0__:*" "__keyevent@0__:lpop" "l"]
w< push["pmessage" "__keyevent@0__:*" "__keyevent@0__:del" "l"]
> CONFIG SET notify-keyspace-events ""
< +OK
