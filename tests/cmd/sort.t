# SORT and SORT_RO over lists, sets and sorted sets.

test numbers and text
> RPUSH l 10 9 -3 2.5 1e2
< 5
> SORT l
< ["-3" "2.5" "9" "10" "1e2"]
> SORT l DESC
< ["1e2" "10" "9" "2.5" "-3"]
> SORT l ASC
< ["-3" "2.5" "9" "10" "1e2"]
> SORT l DESC asc
< ["-3" "2.5" "9" "10" "1e2"]
> sort_ro l alpha
< ["-3" "10" "1e2" "2.5" "9"]
> SORT l ALPHA DESC
< ["9" "2.5" "1e2" "10" "-3"]
> SORT missing
< []
> SORT missing GET # ALPHA LIMIT 0 5
< []

test equal scores are in the order of their bytes
> RPUSH l 1.0 1 01 9007199254740993 9007199254740992
< 5
> SORT l
< ["01" "1" "1.0" "9007199254740992" "9007199254740993"]
> SORT l DESC
< ["9007199254740993" "9007199254740992" "1.0" "1" "01"]

test what is no number
> RPUSH l 1 a
< 2
> SORT l
< -ERR One or more scores can't be converted into double
> SORT l STORE d
< -ERR One or more scores can't be converted into double
> EXISTS d
< 0
> SORT l ALPHA
< ["1" "a"]
> RPUSH inf inf 1 -inf +5 .5 5.
< 6
> SORT inf
< ["-inf" ".5" "1" "+5" "5." "inf"]
> RPUSH empty 1 ""
< 2
> SORT empty
< -ERR One or more scores can't be converted into double
> RPUSH hex 1 0x10
< 2
> SORT hex
< -ERR One or more scores can't be converted into double
> RPUSH blank 1 " 2"
< 2
> SORT blank
< -ERR One or more scores can't be converted into double

test LIMIT
> RPUSH l 5 3 1 4 2
< 5
> SORT l LIMIT 1 2
< ["2" "3"]
> SORT l LIMIT 0 0
< []
> SORT l LIMIT 4 10
< ["5"]
> SORT l LIMIT 5 1
< []
> SORT l LIMIT 100 1
< []
> SORT l LIMIT -1 2
< ["1" "2"]
> SORT l LIMIT 2 -1
< ["3" "4" "5"]
> SORT l LIMIT 3 -100
< ["4" "5"]
> SORT l LIMIT 1 9223372036854775807
< ["2" "3" "4" "5"]
> SORT l LIMIT 1 2 LIMIT 0 1
< ["1"]
> SORT l LIMIT x 1
< -ERR value is not an integer or out of range
> SORT l LIMIT 0 1.5
< -ERR value is not an integer or out of range
> SORT l LIMIT 1
< -ERR syntax error
> SORT l LIMIT
< -ERR syntax error

test syntax and types
> SORT
< -ERR wrong number of arguments for 'sort' command
> SORT_RO
< -ERR wrong number of arguments for 'sort_ro' command
> SORT l BY
< -ERR syntax error
> SORT l GET
< -ERR syntax error
> SORT l STORE
< -ERR syntax error
> SORT l nonsense
< -ERR syntax error
> SORT_RO l STORE d
< -ERR syntax error
> SET s v
< +OK
> SORT s
< -WRONGTYPE Operation against a key holding the wrong kind of value
> SORT s nonsense
< -ERR syntax error
> HSET h f v
< 1
> SORT h
< -WRONGTYPE Operation against a key holding the wrong kind of value

test BY keys
> RPUSH l 1 2 3 4
< 4
> MSET w_1 30 w_2 10 w_3 20
< +OK
> SORT l BY w_*
< ["4" "2" "3" "1"]
> SORT l BY w_* DESC
< ["1" "3" "2" "4"]
> SORT l BY w_* LIMIT 1 2
< ["2" "3"]
> SET w_4 x
< +OK
> SORT l BY w_*
< -ERR One or more scores can't be converted into double
> SORT l BY w_* ALPHA
< ["2" "3" "1" "4"]
> DEL w_4
< 1
> SORT l BY w_* ALPHA
< ["4" "2" "3" "1"]
> SORT l BY w_* ALPHA DESC
< ["1" "3" "2" "4"]
> RPUSH w_4 5
< 1
> SORT l BY w_*
< ["4" "2" "3" "1"]
> SORT l BY none_*
< ["1" "2" "3" "4"]
> SORT l BY none_* DESC
< ["4" "3" "2" "1"]

test BY fields of hashes
> RPUSH l 1 2 3
< 3
> HSET h1 f 3 g c
< 2
> HSET h2 f 1 g b
< 2
> HSET h3 f 2 g a
< 2
> SORT l BY h*->f
< ["2" "3" "1"]
> SORT l BY h*->g ALPHA
< ["3" "2" "1"]
> SORT l BY h*->f ALPHA
< ["2" "3" "1"]
> SORT l BY h*->none
< ["1" "2" "3"]
> SORT l BY h*->f GET h*->g GET #
< ["b" "2" "a" "3" "c" "1"]

test GET
> RPUSH l 2 1
< 2
> MSET o_1 one o_2 two
< +OK
> SORT l GET o_*
< ["one" "two"]
> SORT l GET # GET o_* GET none_*
< ["1" "one" nil "2" "two" nil]
> SORT l GET o_* GET o_*
< ["one" "one" "two" "two"]
> SORT l GET constant
< [nil nil]
> SORT l GET *
< [nil nil]
> HSET h_1 "" empty f field
< 2
> SORT l GET h_*->
< [nil nil]
> SORT l GET h_*->f
< ["field" nil]
> SORT l GET o_*->f
< [nil nil]
> SET h_1->f string
< +OK
> SORT l GET h_*
< [nil nil]
> SET a1b2c mid
< +OK
> SORT l GET a*b2c
< ["mid" nil]
> HSET a1b f->g deep
< 1
> SORT l GET a*b->f->g
< ["deep" nil]
> SET a1* star
< +OK
> SORT l GET a**
< ["star" nil]
> SET big_1 "v"*100000
< +OK
> SORT l GET big_* LIMIT 0 1 STORE d
< 1
> LINDEX d 0
< /v{100000}/

test BY a constant keeps the order there is
> RPUSH l 3 1 2
< 3
> SORT l BY nosort
< ["3" "1" "2"]
> SORT l BY nosort DESC
< ["2" "1" "3"]
> SORT l BY nosort LIMIT 1 1
< ["1"]
> SORT l BY nosort DESC LIMIT 0 2
< ["2" "1"]
> SORT l BY nosort DESC LIMIT 2 2
< ["3"]
> SORT l BY nosort LIMIT 5 2
< []
> ZADD z 1 c 2 b 3 a 4 10
< 4
> SORT z BY nosort
< ["c" "b" "a" "10"]
> SORT z BY nosort DESC
< ["10" "a" "b" "c"]
> SORT z BY nosort LIMIT 1 2
< ["b" "a"]
> SORT z BY nosort DESC LIMIT 1 2
< ["a" "b"]
> SORT z BY nosort GET # LIMIT 3 5
< ["10"]
> SORT z ALPHA
< ["10" "a" "b" "c"]
> SORT z
< -ERR One or more scores can't be converted into double
> SADD s 3 1 2
< 3
> SORT s BY nosort
< any["1" "2" "3"]
> SORT s BY nosort DESC LIMIT 0 2
< [? ?]
> SORT s BY nosort STORE d
< 3
> LRANGE d 0 -1
< ["1" "2" "3"]
> SADD t b 10 a 9
< 4
> SORT t BY nosort DESC STORE d
< 4
> LRANGE d 0 -1
< ["b" "a" "9" "10"]

test STORE
> RPUSH l 3 1 2
< 3
> SORT l STORE d
< 3
> TYPE d
< +list
> LRANGE d 0 -1
< ["1" "2" "3"]
> OBJECT ENCODING d
< "listpack"|"quicklist"
> SET d string EX 100
< +OK
> SORT l DESC LIMIT 0 2 STORE d
< 2
> LRANGE d 0 -1
< ["3" "2"]
> TTL d
< -1
> SORT l GET # GET none_* STORE d
< 6
> LRANGE d 0 -1
< ["1" "" "2" "" "3" ""]
> SORT l STORE l
< 3
> LRANGE l 0 -1
< ["1" "2" "3"]
> SORT missing STORE d
< 0
> EXISTS d
< 0
> SORT missing STORE d
< 0
> SORT l LIMIT 0 0 STORE l
< 0
> EXISTS l
< 0
> RPUSH l 1
< 1
> SORT l STORE a STORE b
< 1
> EXISTS a b
< 1

test large ones
> SADD s 1000000000000 a "x"*300 5
< 4
> SORT s ALPHA LIMIT 0 3
< ["1000000000000" "5" "a"]
> RPUSH l "y"*20000 "x"*20000
< 2
> SORT l ALPHA GET # LIMIT 0 1
< [/x{20000}/]
> SORT l ALPHA STORE d
< 2
> LINDEX d 1
< /y{20000}/

test events
> CONFIG SET notify-keyspace-events KElgm
< +OK
> RPUSH l 2 1
< 2
sub> PSUBSCRIBE __keyevent@*
sub< push["psubscribe" "__keyevent@*" 1]
> SORT l STORE d
< 2
sub< push["pmessage" "__keyevent@*" "__keyevent@0__:sortstore" "d"]
> SORT l BY w_* LIMIT 0 0 STORE d
< 0
sub< push["pmessage" "__keyevent@*" "__keyevent@0__:keymiss" "w_2"]
sub< push["pmessage" "__keyevent@*" "__keyevent@0__:keymiss" "w_1"]
sub< push["pmessage" "__keyevent@*" "__keyevent@0__:del" "d"]
> CONFIG SET notify-keyspace-events ""
< +OK

test who waits for the target gets from it
> RPUSH l 2 1
< 2
b>> BLPOP d 0
> SORT l STORE d
< 2
b< ["d" "1"]
> LRANGE d 0 -1
< ["2"]

test keys of the request
> COMMAND GETKEYS SORT a BY b_* GET c_* STORE d
< ["a" "d"]
> COMMAND GETKEYS SORT a STORE b LIMIT 0 STORE STORE c
< ["a" "c"]
> COMMAND GETKEYS SORT_RO a BY w_*
< ["a"]

test a set that a script sorts by nothing comes in order
> SADD s c aa b a
< 4
> EVAL "return redis.call('sort',KEYS[1],'by','nosort')" 1 s
< ["a" "aa" "b" "c"]
> EVAL "return redis.call('sort',KEYS[1],'by','nosort','get','#','desc')" 1 s
< ["c" "b" "aa" "a"]
