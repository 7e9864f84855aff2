# Sets. What Redis 7.2 and Valkey 9 answer; where they differ, Valkey.

test SADD, SREM and SCARD
> SADD s a b 1 a
< 3
> SADD s a 1
< 0
> SCARD s
< 3
> SCARD missing
< 0
> TYPE s
< +set
> SREM s a x
< 1
> SREM missing a
< 0
> SREM s b 1 b
< 2
> EXISTS s
< 0
> SADD s "" "\x00\r\n"
< 2
> SISMEMBER s ""
< 1
> SISMEMBER s "\x00\r\n"
< 1

test SMEMBERS, SISMEMBER and SMISMEMBER
> SMEMBERS missing
< set[]
> SADD s 3 1 2
< 3
> SMEMBERS s
< set["1" "2" "3"]
> SISMEMBER s 2
< 1
> SISMEMBER s 02
< 0
> SISMEMBER s x
< 0
> SISMEMBER missing x
< 0
> SMISMEMBER s 1 x 3 01
< [1 0 1 0]
> SMISMEMBER missing a b
< [0 0]

test encodings of sets
> CONFIG SET set-max-intset-entries 3 set-max-listpack-entries 4 set-max-listpack-value 10
< +OK
> SADD s 1 2 3
< 3
> OBJECT ENCODING s
< "intset"
> SADD s a
< 1
> OBJECT ENCODING s
< "listpack"
> SADD s b
< 1
> OBJECT ENCODING s
< "hashtable"
> SADD numbers 1 2 3
< 3
> SADD numbers 9223372036854775807
< 1
> OBJECT ENCODING numbers
< "hashtable"
> SADD long 12345678901234
< 1
> OBJECT ENCODING long
< "intset"
> SADD long a
< 1
> OBJECT ENCODING long
< "hashtable"
> SADD text 0123456789
< 1
> OBJECT ENCODING text
< "listpack"
> SADD text 01234567890
< 1
> OBJECT ENCODING text
< "hashtable"
> SADD many 1 2 3 4
< 4
> OBJECT ENCODING many
< "listpack"
> SADD more a b c d e
< 5
> OBJECT ENCODING more
< "hashtable"
> CONFIG SET set-max-intset-entries 512 set-max-listpack-entries 128 set-max-listpack-value 64
< +OK

test numbers of all widths
> SADD s 32767 -32768 32768 2147483647 -2147483649 9223372036854775807 -9223372036854775808
< 7
> OBJECT ENCODING s
< "intset"
> SMEMBERS s
< set["-9223372036854775808" "-2147483649" "-32768" "32767" "32768" "2147483647" "9223372036854775807"]
> SADD s 9223372036854775808
< 1
> OBJECT ENCODING s
< "listpack"
> SMISMEMBER s 9223372036854775808 -32768 -32769
< [1 1 0]

test SMOVE
> SADD a x y
< 2
> SADD b y
< 1
> SMOVE a b z
< 0
> SMOVE missing b x
< 0
> SMOVE a b x
< 1
> SMEMBERS b
< set["x" "y"]
> SMOVE a b y
< 1
> EXISTS a
< 0
> SMOVE b a x
< 1
> SMEMBERS a
< set["x"]
> SMOVE a a x
< 1
> SMOVE a a z
< 0
> SET s v
< +OK
> SMOVE missing s x
< 0
> SMOVE a s x
< -WRONGTYPE Operation against a key holding the wrong kind of value
> SMOVE s a x
< -WRONGTYPE Operation against a key holding the wrong kind of value

test SPOP
> SPOP missing
< nil
> SPOP missing 3
< set[]
> SADD s a b c
< 3
> SPOP s 0
< set[]
> SPOP s
< "a"|"b"|"c"
> SCARD s
< 2
> SPOP s 1
< set["a"|"b"|"c"]
> SPOP s 100
< set["a"|"b"|"c"]
> EXISTS s
< 0
> SADD s 1
< 1
> SPOP s
< "1"
> EXISTS s
< 0
> SPOP s -1
< -ERR value is out of range, must be positive
> SPOP s x
< -ERR value is out of range, must be positive
> SPOP s 1 2
< -ERR syntax error

test SRANDMEMBER
> SRANDMEMBER missing
< nil
> SRANDMEMBER missing 3
< []
> SADD s a b c
< 3
> SRANDMEMBER s
< "a"|"b"|"c"
> SRANDMEMBER s 0
< []
> SRANDMEMBER s 3
< any["a" "b" "c"]
> SRANDMEMBER s 10
< any["a" "b" "c"]
> SRANDMEMBER s 2
< ["a"|"b"|"c" "a"|"b"|"c"]
> SREM s b c
< 2
> SRANDMEMBER s -3
< ["a" "a" "a"]
> SRANDMEMBER s x
< -ERR value is not an integer or out of range
> SRANDMEMBER s -9223372036854775808
< -ERR value is out of range, value must between -9223372036854775807 and 9223372036854775807
> SRANDMEMBER s 1 2
< -ERR syntax error

test SINTER, SUNION and SDIFF
> SADD a 1 2 3 x
< 4
> SADD b 2 3 y
< 3
> SADD c 3 z
< 2
> SINTER a b
< set["2" "3"]
> SINTER a b c
< set["3"]
> SINTER a missing
< set[]
> SINTER a
< set["1" "2" "3" "x"]
> SUNION a b c missing
< set["1" "2" "3" "x" "y" "z"]
> SUNION missing
< set[]
> SDIFF a b c
< set["1" "x"]
> SDIFF a
< set["1" "2" "3" "x"]
> SDIFF a missing
< set["1" "2" "3" "x"]
> SDIFF missing a
< set[]
> SDIFF a b a
< set[]
> SUNION a a
< set["1" "2" "3" "x"]

test SINTERSTORE, SUNIONSTORE and SDIFFSTORE
> SADD a 1 2 3
< 3
> SADD b 2 3 4
< 3
> SINTERSTORE to a b
< 2
> SMEMBERS to
< set["2" "3"]
> OBJECT ENCODING to
< "intset"
> SUNIONSTORE to a b
< 4
> SDIFFSTORE to a b
< 1
> SMEMBERS to
< set["1"]
> SINTERSTORE to a missing
< 0
> EXISTS to
< 0
> SET to string EX 100
< +OK
> SUNIONSTORE to a b
< 4
> TTL to
< -1
> SUNIONSTORE a a b
< 4
> SCARD a
< 4
> SDIFFSTORE a a a
< 0
> EXISTS a
< 0
> SET s v
< +OK
> SUNIONSTORE to b s
< -WRONGTYPE Operation against a key holding the wrong kind of value
> SCARD to
< 4

test SINTERCARD
> SADD a 1 2 3
< 3
> SADD b 2 3 4
< 3
> SINTERCARD 2 a b
< 2
> SINTERCARD 2 a b LIMIT 1
< 1
> SINTERCARD 2 a b LIMIT 0
< 2
> SINTERCARD 2 a b LIMIT 10
< 2
> SINTERCARD 2 a missing
< 0
> SINTERCARD 1 a
< 3
> SINTERCARD 0 a
< -ERR numkeys should be greater than 0
> SINTERCARD x a
< -ERR numkeys should be greater than 0
> SINTERCARD 3 a b
< -ERR Number of keys can't be greater than number of args
> SINTERCARD 2 a b LIMIT -1
< -ERR LIMIT can't be negative
> SINTERCARD 2 a b LIMIT x
< -ERR LIMIT can't be negative
> SINTERCARD 2 a b LIMIT
< -ERR syntax error
> SINTERCARD 2 a b FOO 1
< -ERR syntax error
> SINTERCARD 1 a b
< -ERR syntax error

test SSCAN
> SSCAN missing 0
< ["0" []]
> SADD s 1 2 10
< 3
> SSCAN s 0
< ["0" ["1" "2" "10"]]
> SSCAN s 0 MATCH 1* COUNT 1
< ["0" ["1" "10"]]
> SADD s "x"*100 xy
< 2
> SSCAN s 0 COUNT 100
< ["0" any["1" "2" "10" "xy" "x"*100]]
> SSCAN s 0 COUNT 100 MATCH x?
< ["0" ["xy"]]
> SSCAN s x
< -ERR invalid cursor
> SSCAN s 0 COUNT 0
< -ERR syntax error
> SSCAN s 0 NOVALUES
< -ERR NOVALUES option can only be used in HSCAN

test sets and other types
> SET k v
< +OK
> SADD k a
< -WRONGTYPE Operation against a key holding the wrong kind of value
> SREM k a
< -WRONGTYPE Operation against a key holding the wrong kind of value
> SMEMBERS k
< -WRONGTYPE Operation against a key holding the wrong kind of value
> SISMEMBER k a
< -WRONGTYPE Operation against a key holding the wrong kind of value
> SPOP k
< -WRONGTYPE Operation against a key holding the wrong kind of value
> SRANDMEMBER k 2
< -WRONGTYPE Operation against a key holding the wrong kind of value
> SINTER missing k
< -WRONGTYPE Operation against a key holding the wrong kind of value
> SUNION k missing
< -WRONGTYPE Operation against a key holding the wrong kind of value
> SSCAN k 0
< -WRONGTYPE Operation against a key holding the wrong kind of value

test events of sets
> CONFIG SET notify-keyspace-events Egs
< +OK
e> PSUBSCRIBE *
e< push["psubscribe" "*" 1]
> SADD a x y z
< 3
e< push["pmessage" "*" "__keyevent@0__:sadd" "a"]
> SADD a x
< 0
> SMOVE a b x
< 1
e< push["pmessage" "*" "__keyevent@0__:srem" "a"]
e< push["pmessage" "*" "__keyevent@0__:sadd" "b"]
> SUNIONSTORE c a b
< 3
e< push["pmessage" "*" "__keyevent@0__:sunionstore" "c"]
> SINTERSTORE c a b
< 0
e< push["pmessage" "*" "__keyevent@0__:del" "c"]
> SPOP a 5
< set["y" "z"]
e< push["pmessage" "*" "__keyevent@0__:spop" "a"]
e< push["pmessage" "*" "__keyevent@0__:del" "a"]
> SREM b x
< 1
e< push["pmessage" "*" "__keyevent@0__:srem" "b"]
e< push["pmessage" "*" "__keyevent@0__:del" "b"]
> CONFIG SET notify-keyspace-events ""
< +OK

test COPY of sets
> SADD numbers 1 2
< 2
> SADD texts a b
< 2
> SADD large a "x"*100
< 2
> COPY numbers n
< 1
> COPY texts t
< 1
> COPY large l
< 1
> SREM large a
< 1
> SMEMBERS n
< set["1" "2"]
> SMEMBERS t
< set["a" "b"]
> SMEMBERS l
< set["a" "x"*100]
