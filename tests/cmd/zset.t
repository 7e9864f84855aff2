# Sorted sets. What Redis 7.2 and Valkey 9 answer; where they differ, Valkey.

test ZADD and ZRANGE
> ZADD z 1 a 2 b 3.5 c
< 3
> ZADD z 1 a 5 b
< 0
> ZADD z CH 1 a 6 b 7 d
< 2
> ZRANGE z 0 -1
< ["a" "c" "b" "d"]
> ZRANGE z 0 -1 WITHSCORES
<2 ["a" "1" "c" "3.5" "b" "6" "d" "7"]
<3 [["a" ,1] ["c" ,3.5] ["b" ,6] ["d" ,7]]
> ZRANGE z 1 2 WITHSCORES
<2 ["c" "3.5" "b" "6"]
<3 [["c" ,3.5] ["b" ,6]]
> ZRANGE z -1 -1
< ["d"]
> ZRANGE z 5 9
< []
> ZRANGE z 2 1
< []
> ZRANGE z 0 -1 REV
< ["d" "b" "c" "a"]
> ZRANGE z 0 0 REV WITHSCORES
<2 ["d" "7"]
<3 [["d" ,7]]
> ZREVRANGE z 0 1 WITHSCORES
<2 ["d" "7" "b" "6"]
<3 [["d" ,7] ["b" ,6]]
> ZRANGE missing 0 -1
< []
> TYPE z
< +zset
> OBJECT ENCODING z
< "listpack"
> ZCARD z
< 4
> ZCARD missing
< 0

test ZADD options
> ZADD z NX 1 a
< 1
> ZADD z NX 2 a 3 b
< 1
> ZADD z XX 5 a 6 new
< 0
> ZADD z XX CH 7 a 6 new
< 1
> ZADD z GT 3 a
< 0
> ZADD z GT CH 9 a
< 1
> ZADD z LT CH 10 a 1 b
< 1
> ZADD z XX GT CH 10 a 10 none
< 1
> ZADD z INCR 2.5 a
< ,12.5
> ZADD z NX INCR 1 a
< nil
> ZADD z XX INCR 1 none
< nil
> ZADD z GT INCR -1 a
< nil
> ZADD z LT INCR -1 a
< ,11.5
> ZADD missing XX 1 a
< 0
> EXISTS missing
< 0
> ZRANGE z 0 -1 WITHSCORES
<2 ["b" "1" "a" "11.5"]
<3 [["b" ,1] ["a" ,11.5]]

test ZADD errors
> ZADD z
< -ERR wrong number of arguments for 'zadd' command
> ZADD z 1
< -ERR wrong number of arguments for 'zadd' command
> ZADD z 1 a 2
< -ERR syntax error
> ZADD z NX
< -ERR wrong number of arguments for 'zadd' command
> ZADD z x a
< -ERR value is not a valid float
> ZADD z nan a
< -ERR value is not a valid float
> ZADD z "" a
< -ERR value is not a valid float
> ZADD z " 1" a
< -ERR value is not a valid float
> ZADD z 1 a x b
< -ERR value is not a valid float
> EXISTS z
< 0
> ZADD z NX XX 1 a
< -ERR XX and NX options at the same time are not compatible
> ZADD z NX GT 1 a
< -ERR GT, LT, and/or NX options at the same time are not compatible
> ZADD z LT NX 1 a
< -ERR GT, LT, and/or NX options at the same time are not compatible
> ZADD z GT LT 1 a
< -ERR GT, LT, and/or NX options at the same time are not compatible
> ZADD z INCR 1 a 2 b
< -ERR INCR option supports a single increment-element pair
> ZADD z inf a
< 1
> ZADD z INCR -inf a
< -ERR resulting score is not a number (NaN)
> ZINCRBY z x a
< -ERR value is not a valid float
> ZINCRBY z -inf a
< -ERR resulting score is not a number (NaN)
> ZINCRBY z 1
< -ERR wrong number of arguments for 'zincrby' command
> SET s v
< +OK
> ZADD s 1 a
< -WRONGTYPE Operation against a key holding the wrong kind of value
> ZSCORE s a
< -WRONGTYPE Operation against a key holding the wrong kind of value
> ZRANGE s 0 -1
< -WRONGTYPE Operation against a key holding the wrong kind of value
> ZREM s a
< -WRONGTYPE Operation against a key holding the wrong kind of value
> ZPOPMIN s
< -WRONGTYPE Operation against a key holding the wrong kind of value

test scores
> ZADD z 1.5 a -0 b 1e30 c inf d -inf e 0.1 f 12345678901234567 g 5e-324 h 1e-7 i
< 9
> ZRANGE z 0 -1 WITHSCORES
<2 ["e" "-inf" "b" "0" "h" "5e-324" "i" "1e-7" "f" "0.1" "a" "1.5" "g" "12345678901234568" "c" "1e+30" "d" "inf"]
<3 [["e" ,-inf] ["b" ,0] ["h" ,5e-324] ["i" ,1e-7] ["f" ,0.1] ["a" ,1.5] ["g" ,12345678901234568] ["c" ,1e+30] ["d" ,inf]]
> ZSCORE z a
< ,1.5
> ZSCORE z c
< ,1e+30
> ZSCORE z d
< ,inf
> ZSCORE z none
< nil
> ZSCORE missing a
< nil
> ZMSCORE z a none d
< [,1.5 nil ,inf]
> ZMSCORE missing a b
< [nil nil]
> ZMSCORE z
< -ERR wrong number of arguments for 'zmscore' command
> ZINCRBY z 1.25 a
< ,2.75
> ZINCRBY z 1 fresh
< ,1
> ZINCRBY z 1 d
< ,inf

test equal scores stand in byte order
> ZADD z 0 b 0 a 0 "" 0 aa 0 10 0 9 0 "\xff" 0 -1
< 8
> ZRANGE z 0 -1
< ["" "-1" "10" "9" "a" "aa" "b" "\xff"]
> ZRANK z 10
< 2
> ZRANK z "\xff"
< 7

test ZREM
> ZADD z 1 a 2 b 3 c
< 3
> ZREM z a x c
< 2
> ZREM z b b
< 1
> EXISTS z
< 0
> ZREM z a
< 0
> ZREM z
< -ERR wrong number of arguments for 'zrem' command

test ZRANK and ZREVRANK
> ZADD z 10 a 20 b 30 c
< 3
> ZRANK z a
< 0
> ZRANK z c
< 2
> ZRANK z none
< nil
> ZRANK missing a
< nil
> ZREVRANK z a
< 2
> ZREVRANK z none
< nil
> ZRANK z b WITHSCORE
< [1 ,20]
> ZREVRANK z c WITHSCORE
< [0 ,30]
> ZRANK z none WITHSCORE
< nil*
> ZRANK missing a WITHSCORE
< nil*
> ZRANK z a WITHSCORES
< -ERR syntax error
> ZRANK z a WITHSCORE x
< -ERR wrong number of arguments for 'zrank' command

test ZCOUNT and ranges by score
> ZADD z 1 a 2 b 3 c 4 d 5 e
< 5
> ZCOUNT z -inf +inf
< 5
> ZCOUNT z 2 4
< 3
> ZCOUNT z (2 4
< 2
> ZCOUNT z 2 (4
< 2
> ZCOUNT z (2 (2
< 0
> ZCOUNT z 4 2
< 0
> ZCOUNT z 1e400 inf
< 0
> ZCOUNT z "" 3
< 3
> ZCOUNT z x 3
< -ERR min or max is not a float
> ZCOUNT z 1 nan
< -ERR min or max is not a float
> ZCOUNT missing 1 2
< 0
> ZRANGE z 2 4 BYSCORE
< ["b" "c" "d"]
> ZRANGE z (2 4 BYSCORE WITHSCORES
<2 ["c" "3" "d" "4"]
<3 [["c" ,3] ["d" ,4]]
> ZRANGE z 4 2 BYSCORE REV
< ["d" "c" "b"]
> ZRANGE z 2 4 BYSCORE REV
< []
> ZRANGE z -inf +inf BYSCORE LIMIT 1 2
< ["b" "c"]
> ZRANGE z +inf -inf BYSCORE REV LIMIT 1 2 WITHSCORES
<2 ["d" "4" "c" "3"]
<3 [["d" ,4] ["c" ,3]]
> ZRANGE z -inf +inf BYSCORE LIMIT 2 -1
< ["c" "d" "e"]
> ZRANGE z -inf +inf BYSCORE LIMIT 9 1
< []
> ZRANGE z -inf +inf BYSCORE LIMIT 0 0
< []
> ZRANGE z 0 -1 LIMIT 0 1
< -ERR syntax error, LIMIT is only supported in combination with either BYSCORE or BYLEX
> ZRANGE z 0 -1 BYSCORE LIMIT 0
< -ERR syntax error
> ZRANGE z 0 -1 BYSCORE BYLEX
< -ERR syntax error
> ZRANGE z 0 -1 FOO
< -ERR syntax error
> ZRANGE z a -1
< -ERR value is not an integer or out of range
> ZRANGE z 0 1.5
< -ERR value is not an integer or out of range
> ZRANGE z a b BYSCORE
< -ERR min or max is not a float
> ZRANGEBYSCORE z 2 3
< ["b" "c"]
> ZRANGEBYSCORE z (1 +inf WITHSCORES LIMIT 1 2
<2 ["c" "3" "d" "4"]
<3 [["c" ,3] ["d" ,4]]
> ZREVRANGEBYSCORE z +inf (1 LIMIT 1 2
< ["d" "c"]
> ZREVRANGEBYSCORE z 3 2 WITHSCORES
<2 ["c" "3" "b" "2"]
<3 [["c" ,3] ["b" ,2]]
> ZRANGEBYSCORE z 1 2 REV
< -ERR syntax error

test ranges by member
> ZADD z 0 a 0 b 0 c 0 d 0 e 0 foo
< 6
> ZLEXCOUNT z - +
< 6
> ZLEXCOUNT z [b (d
< 2
> ZLEXCOUNT z + -
< 0
> ZLEXCOUNT z (b [b
< 0
> ZLEXCOUNT z b d
< -ERR min or max not valid string range item
> ZLEXCOUNT z [b d
< -ERR min or max not valid string range item
> ZLEXCOUNT z -a +
< -ERR min or max not valid string range item
> ZLEXCOUNT missing - +
< 0
> ZRANGE z [b [d BYLEX
< ["b" "c" "d"]
> ZRANGE z - (c BYLEX
< ["a" "b"]
> ZRANGE z + [c BYLEX REV
< ["foo" "e" "d" "c"]
> ZRANGE z + - BYLEX REV LIMIT 1 2
< ["e" "d"]
> ZRANGE z - + BYLEX WITHSCORES
< -ERR syntax error, WITHSCORES not supported in combination with BYLEX
> ZRANGEBYLEX z (a + LIMIT 0 2
< ["b" "c"]
> ZREVRANGEBYLEX z (d -
< ["c" "b" "a"]
> ZRANGEBYLEX z a +
< -ERR min or max not valid string range item
> ZREVRANGEBYLEX z + - LIMIT 5 -1
< ["a"]

test ZREMRANGEBY...
> ZADD z 1 a 2 b 3 c 4 d 5 e 6 f 7 g
< 7
> ZREMRANGEBYRANK z 0 0
< 1
> ZREMRANGEBYRANK z -2 -1
< 2
> ZREMRANGEBYRANK z 9 10
< 0
> ZREMRANGEBYSCORE z (2 3
< 1
> ZREMRANGEBYSCORE z x 3
< -ERR min or max is not a float
> ZREMRANGEBYLEX z x 3
< -ERR min or max not valid string range item
> ZREMRANGEBYRANK z x 3
< -ERR value is not an integer or out of range
> ZRANGE z 0 -1
< ["b" "d" "e"]
> ZREMRANGEBYSCORE z -inf inf
< 3
> EXISTS z
< 0
> ZREMRANGEBYRANK z 0 -1
< 0
> ZADD z 0 a 0 b 0 c
< 3
> ZREMRANGEBYLEX z (a [b
< 1
> ZRANGE z 0 -1
< ["a" "c"]

test ZRANGESTORE
> ZADD src 1 a 2 b 3 c 4 d
< 4
> ZRANGESTORE dst src 1 2
< 2
> ZRANGE dst 0 -1 WITHSCORES
<2 ["b" "2" "c" "3"]
<3 [["b" ,2] ["c" ,3]]
> ZRANGESTORE dst src (1 +inf BYSCORE LIMIT 1 1
< 1
> ZRANGE dst 0 -1
< ["c"]
> ZRANGESTORE dst src 0 1 REV
< 2
> ZRANGE dst 0 -1
< ["c" "d"]
> ZRANGESTORE dst src 5 6
< 0
> EXISTS dst
< 0
> SET dst v
< +OK
> ZRANGESTORE dst src 0 0
< 1
> TYPE dst
< +zset
> ZRANGESTORE dst missing 0 0
< 0
> EXISTS dst
< 0
> ZRANGESTORE src src 1 -1
< 3
> ZRANGE src 0 -1
< ["b" "c" "d"]
> ZRANGESTORE dst src 0 1 WITHSCORES
< -ERR syntax error
> SET s v
< +OK
> ZRANGESTORE dst s 0 1
< -WRONGTYPE Operation against a key holding the wrong kind of value

test ZPOPMIN and ZPOPMAX
> ZADD z 1 a 2 b 3 c 4 d 5 e
< 5
> ZPOPMIN z
< ["a" ,1]
> ZPOPMAX z
< ["e" ,5]
> ZPOPMIN z 2
<2 ["b" "2" "c" "3"]
<3 [["b" ,2] ["c" ,3]]
> ZPOPMAX z 0
< []
> ZPOPMIN z -1
< -ERR value is out of range, must be positive
> ZPOPMIN z x
< -ERR value is out of range, must be positive
> ZPOPMIN z 1 2
< -ERR syntax error
> ZPOPMAX z 9
<2 ["d" "4"]
<3 [["d" ,4]]
> EXISTS z
< 0
> ZPOPMIN z
< []
> ZPOPMIN z 2
< []

test ZMPOP
> ZADD z 1 a 2 b 3 c
< 3
> ZMPOP 1 z MIN
< ["z" [["a" ,1]]]
> ZMPOP 2 missing z MAX COUNT 5
< ["z" [["c" ,3] ["b" ,2]]]
> EXISTS z
< 0
> ZMPOP 1 z MIN
< nil*
> ZMPOP 0 z MIN
< -ERR numkeys should be greater than 0
> ZMPOP x z MIN
< -ERR numkeys should be greater than 0
> ZMPOP 2 z MIN
< -ERR syntax error
> ZMPOP 1 z FOO
< -ERR syntax error
> ZMPOP 1 z MIN COUNT 0
< -ERR count should be greater than 0
> ZMPOP 1 z MIN COUNT x
< -ERR count should be greater than 0
> ZMPOP 1 z MIN COUNT
< -ERR syntax error
> ZMPOP 1 z MIN COUNT 1 COUNT 1
< -ERR syntax error
> SET s v
< +OK
> ZMPOP 1 s MIN
< -WRONGTYPE Operation against a key holding the wrong kind of value

test ZUNION, ZINTER and ZDIFF
> ZADD a 1 x 2 y 3 z
< 3
> ZADD b 10 y 20 z 30 w
< 3
> SADD s x w
< 2
> ZUNION 2 a b
< ["x" "y" "z" "w"]
> ZUNION 2 a b WITHSCORES
<2 ["x" "1" "y" "12" "z" "23" "w" "30"]
<3 [["x" ,1] ["y" ,12] ["z" ,23] ["w" ,30]]
> ZUNION 2 a b WEIGHTS 2 1 AGGREGATE MAX WITHSCORES
<2 ["x" "2" "y" "10" "z" "20" "w" "30"]
<3 [["x" ,2] ["y" ,10] ["z" ,20] ["w" ,30]]
> ZUNION 2 a b AGGREGATE MIN WITHSCORES
<2 ["x" "1" "y" "2" "z" "3" "w" "30"]
<3 [["x" ,1] ["y" ,2] ["z" ,3] ["w" ,30]]
> ZUNION 2 a s WITHSCORES
<2 ["w" "1" "x" "2" "y" "2" "z" "3"]
<3 [["w" ,1] ["x" ,2] ["y" ,2] ["z" ,3]]
> ZUNION 1 missing
< []
> ZINTER 2 a b WITHSCORES
<2 ["y" "12" "z" "23"]
<3 [["y" ,12] ["z" ,23]]
> ZINTER 2 a b WEIGHTS 1 0.5 AGGREGATE SUM WITHSCORES
<2 ["y" "7" "z" "13"]
<3 [["y" ,7] ["z" ,13]]
> ZINTER 3 a b missing
< []
> ZINTER 2 b s WITHSCORES
<2 ["w" "31"]
<3 [["w" ,31]]
> ZINTER 2 a a WITHSCORES
<2 ["x" "2" "y" "4" "z" "6"]
<3 [["x" ,2] ["y" ,4] ["z" ,6]]
> ZDIFF 2 a b WITHSCORES
<2 ["x" "1"]
<3 [["x" ,1]]
> ZDIFF 2 a s
< ["y" "z"]
> ZDIFF 2 a a
< []
> ZDIFF 2 missing a
< []
> ZDIFF 1 a WITHSCORES
<2 ["x" "1" "y" "2" "z" "3"]
<3 [["x" ,1] ["y" ,2] ["z" ,3]]
> ZINTERCARD 2 a b
< 2
> ZINTERCARD 2 a b LIMIT 1
< 1
> ZINTERCARD 2 a b LIMIT 0
< 2
> ZINTERCARD 2 a missing
< 0
> ZUNIONSTORE d 2 a b
< 4
> ZRANGE d 0 -1 WITHSCORES
<2 ["x" "1" "y" "12" "z" "23" "w" "30"]
<3 [["x" ,1] ["y" ,12] ["z" ,23] ["w" ,30]]
> ZINTERSTORE d 2 a b WEIGHTS -1 1
< 2
> ZRANGE d 0 -1 WITHSCORES
<2 ["y" "8" "z" "17"]
<3 [["y" ,8] ["z" ,17]]
> ZDIFFSTORE d 2 a b
< 1
> ZRANGE d 0 -1 WITHSCORES
<2 ["x" "1"]
<3 [["x" ,1]]
> ZINTERSTORE d 2 a missing
< 0
> EXISTS d
< 0
> ZADD i inf m
< 1
> ZADD j -inf m
< 1
> ZUNION 2 i j WITHSCORES
<2 ["m" "0"]
<3 [["m" ,0]]
> ZUNION 1 i WEIGHTS 0 WITHSCORES
<2 ["m" "0"]
<3 [["m" ,0]]

test errors of ZUNION and its like
> ZADD a 1 x
< 1
> ZUNION 0 a
< -ERR at least 1 input key is needed for 'zunion' command
> ZUNIONSTORE d 0 a
< -ERR at least 1 input key is needed for 'zunionstore' command
> ZINTERCARD 0 a
< -ERR at least 1 input key is needed for 'zintercard' command
> ZUNION x a
< -ERR value is not an integer or out of range
> ZUNION 2 a
< -ERR syntax error
> ZUNION 1 a FOO
< -ERR syntax error
> ZUNION 1 a WEIGHTS
< -ERR syntax error
> ZUNION 1 a WEIGHTS x
< -ERR weight value is not a float
> ZUNION 1 a AGGREGATE
< -ERR syntax error
> ZUNION 1 a AGGREGATE AVG
< -ERR syntax error
> ZUNIONSTORE d 1 a WITHSCORES
< -ERR syntax error
> ZDIFF 1 a WEIGHTS 1
< -ERR syntax error
> ZDIFF 1 a AGGREGATE SUM
< -ERR syntax error
> ZINTERCARD 1 a LIMIT -1
< -ERR LIMIT can't be negative
> ZINTERCARD 1 a LIMIT x
< -ERR LIMIT can't be negative
> ZINTERCARD 1 a WITHSCORES
< -ERR syntax error
> SET s v
< +OK
> ZUNION 2 a s
< -WRONGTYPE Operation against a key holding the wrong kind of value
> ZUNIONSTORE d 1 s
< -WRONGTYPE Operation against a key holding the wrong kind of value
> ZINTERCARD 1 s
< -WRONGTYPE Operation against a key holding the wrong kind of value

test ZRANDMEMBER of one member
> ZADD z 1.5 a
< 1
> ZRANDMEMBER z
< "a"
> ZRANDMEMBER z 5
< ["a"]
> ZRANDMEMBER z -2
< ["a" "a"]
> ZRANDMEMBER z 1 WITHSCORES
<2 ["a" "1.5"]
<3 [["a" ,1.5]]
> ZRANDMEMBER z -2 WITHSCORES
<2 ["a" "1.5" "a" "1.5"]
<3 [["a" ,1.5] ["a" ,1.5]]
> ZRANDMEMBER z 0
< []
> ZRANDMEMBER missing
< nil
> ZRANDMEMBER missing 3
< []
> ZRANDMEMBER z x
< -ERR value is not an integer or out of range
> ZRANDMEMBER z 1 FOO
< -ERR syntax error
> ZRANDMEMBER z 1 WITHSCORES x
< -ERR syntax error
> ZRANDMEMBER z -9223372036854775807 WITHSCORES
< -ERR value is out of range
> ZRANDMEMBER z -9223372036854775808
< -ERR value is out of range, value must between -9223372036854775807 and 9223372036854775807

test ZSCAN
> ZADD z 1 a 2.5 b 3 c
< 3
> ZSCAN z 0
< ["0" ["a" "1" "b" "2.5" "c" "3"]]
> ZSCAN z 0 MATCH [ab]
< ["0" ["a" "1" "b" "2.5"]]
> ZSCAN z 0 NOSCORES
< ["0" ["a" "b" "c"]]
> ZSCAN z 0 COUNT 0
< -ERR syntax error
> ZSCAN z 0 COUNT x
< -ERR value is not an integer or out of range
> ZSCAN z 0 NOVALUES
< -ERR NOVALUES option can only be used in HSCAN
> ZSCAN z x
< -ERR invalid cursor
> ZSCAN missing 0
< ["0" []]

test encodings
> CONFIG SET zset-max-listpack-entries 3
< +OK
> ZADD z 1 a 2 b 3 c
< 3
> OBJECT ENCODING z
< "listpack"
> ZADD z 4 d
< 1
> OBJECT ENCODING z
< "skiplist"
> ZREM z d
< 1
> OBJECT ENCODING z
< "skiplist"
> ZADD y 1 "x"*65
< 1
> OBJECT ENCODING y
< "skiplist"
> ZADD x 1 "x"*64
< 1
> OBJECT ENCODING x
< "listpack"
> CONFIG SET zset-max-listpack-entries 128
< +OK
> ZUNIONSTORE d 1 z
< 3
> OBJECT ENCODING d
< "listpack"
> COPY z e
< 1
> OBJECT ENCODING e
< "skiplist"
> ZRANGE e 0 -1 WITHSCORES
<2 ["a" "1" "b" "2" "c" "3"]
<3 [["a" ,1] ["b" ,2] ["c" ,3]]

test blocking commands that find something, and those that wait too short
> ZADD z 1 a 2 b 3 c
< 3
> BZPOPMIN missing z 0
< ["z" "a" ,1]
> BZPOPMAX z 0
< ["z" "c" ,3]
> BZPOPMIN missing 0.01
< nil*
> BZMPOP 0 2 missing z MIN COUNT 9
< ["z" [["b" ,2]]]
> BZMPOP 0.01 1 z MAX
< nil*
> BZPOPMIN z x
< -ERR timeout is not a float or out of range
> BZPOPMIN z -1
< -ERR timeout is negative
> BZMPOP x 1 z MIN
< -ERR timeout is not a float or out of range
> BZMPOP 0 0 z MIN
< -ERR numkeys should be greater than 0
> BZMPOP 0 1 z FOO
< -ERR syntax error
> SET s v
< +OK
> BZPOPMIN s 0
< -WRONGTYPE Operation against a key holding the wrong kind of value

test BZPOPMIN, BZPOPMAX and BZMPOP wait
a>> BZPOPMIN q z 0
?> INFO clients
< has(/^blocked_clients:1\b/)
b>> BZPOPMAX z 0
?> INFO clients
< has(/^blocked_clients:2\b/)
c>> BZMPOP 0 2 p z MIN COUNT 2
?> INFO clients
< has(/^blocked_clients:3\b/)
> ZADD z 1 a 2 b 3 c 4 d 5 e
< 5
a< ["z" "a" ,1]
b< ["z" "e" ,5]
c< ["z" [["b" ,2] ["c" ,3]]]
> ZRANGE z 0 -1
< ["d"]

test a waiting BZPOPMIN is served by what makes the key
a>> BZPOPMIN z 0
?> INFO clients
< has(/^blocked_clients:1\b/)
> RPUSH z x
< 1
> DEL z
< 1
> ZADD from 1.5 m
< 1
> ZUNIONSTORE z 1 from
< 1
a< ["z" "m" ,1.5]
> EXISTS z
< 0
a>> BZPOPMAX z 0
?> INFO clients
< has(/^blocked_clients:1\b/)
> RENAME from z
< +OK
a< ["z" "m" ,1.5]
a>> BZMPOP 0 1 g MAX
?> INFO clients
< has(/^blocked_clients:1\b/)
> GEOADD g 0 0 middle
< 1
a< ["g" [["middle" ,3377699720527872]]]

test BZPOPMIN in a transaction does not wait
> MULTI
< +OK
> BZPOPMIN z 0
< +QUEUED
> BZMPOP 0 1 z MIN
< +QUEUED
> EXEC
< [nil* nil*]
