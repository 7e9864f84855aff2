# Hashes. What Redis 7.2 and Valkey 9 answer; where they differ, Valkey.

test HSET and HGET
> HSET h a 1 b two
< 2
> HSET h a 3 c ""
< 1
> HGET h a
< "3"
> HGET h c
< ""
> HGET h missing
< nil
> HGET missing a
< nil
> HLEN h
< 3
> HLEN missing
< 0
> TYPE h
< +hash
> HSET h "" empty-name "\x00\r\n" "\xff"
< 2
> HGET h ""
< "empty-name"
> HGET h "\x00\r\n"
< "\xff"

test HSET arity
> HSET
< -ERR wrong number of arguments for 'hset' command
> HSET h
< -ERR wrong number of arguments for 'hset' command
> HSET h f
< -ERR wrong number of arguments for 'hset' command
> HSET h f v g
< -ERR wrong number of arguments for 'hset' command
> HMSET h f v g
< -ERR wrong number of arguments for 'hmset' command
> EXISTS h
< 0

test HMSET and HSETNX
> HMSET h a 1 b 2
< +OK
> HSETNX h a 5
< 0
> HSETNX h c 5
< 1
> HSETNX new f v
< 1
> HMGET h a b c d a
< ["1" "2" "5" nil "1"]
> HMGET missing a b
< [nil nil]

test HGETALL, HKEYS and HVALS
> HGETALL missing
< {}
> HKEYS missing
< []
> HVALS missing
< []
> HSET h f1 v1 f2 2 f3 v3
< 3
> HGETALL h
< {"f1" "v1" "f2" "2" "f3" "v3"}
> HKEYS h
< ["f1" "f2" "f3"]
> HVALS h
< ["v1" "2" "v3"]

test HDEL, and the key of an empty hash goes
> HSET h a 1 b 2 c 3
< 3
> HDEL h x y
< 0
> HDEL h a x b a
< 2
> HDEL h c c
< 1
> EXISTS h
< 0
> HDEL h a
< 0

test HEXISTS and HSTRLEN
> HSET h short abc number -1234567 empty ""
< 3
> HEXISTS h short
< 1
> HEXISTS h x
< 0
> HEXISTS missing x
< 0
> HSTRLEN h short
< 3
> HSTRLEN h number
< 8
> HSTRLEN h empty
< 0
> HSTRLEN h x
< 0
> HSTRLEN missing x
< 0

test HINCRBY
> HINCRBY h n 5
< 5
> HINCRBY h n -8
< -3
> HGET h n
< "-3"
> HSET h max 9223372036854775807 min -9223372036854775808 text abc float 1.5 blank " 1" zeros 007
< 6
> HINCRBY h max 1
< -ERR increment or decrement would overflow
> HINCRBY h min -1
< -ERR increment or decrement would overflow
> HINCRBY h max -1
< 9223372036854775806
> HINCRBY h text 1
< -ERR hash value is not an integer
> HINCRBY h float 1
< -ERR hash value is not an integer
> HINCRBY h blank 1
< -ERR hash value is not an integer
> HINCRBY h zeros 1
< -ERR hash value is not an integer
> HINCRBY h n abc
< -ERR value is not an integer or out of range
> HINCRBY h n 9223372036854775808
< -ERR value is not an integer or out of range
> HINCRBY fresh n abc
< -ERR value is not an integer or out of range
> EXISTS fresh
< 0

test HINCRBYFLOAT
> HINCRBYFLOAT h f 10.5
< "10.5"
> HINCRBYFLOAT h f -0.5
< "10"
> HGET h f
< "10"
> HINCRBYFLOAT h f 5.0e3
< "5010"
> HINCRBYFLOAT h n 0.1
< "0.1"
> HINCRBYFLOAT h n 0.2
< "0.3"
> HSET h text abc inf inf
< 2
> HINCRBYFLOAT h text 1
< -ERR hash value is not a float
> HINCRBYFLOAT h inf 1
< -ERR increment would produce NaN or Infinity
> HINCRBYFLOAT h f abc
< -ERR value is not a valid float
> HINCRBYFLOAT h f nan
< -ERR value is not a valid float
> HINCRBYFLOAT h f inf
< -ERR value is NaN or Infinity
> HINCRBYFLOAT h f -inf
< -ERR value is NaN or Infinity

test hashes and other types
> SET s v
< +OK
> HSET s f v
< -WRONGTYPE Operation against a key holding the wrong kind of value
> HGET s f
< -WRONGTYPE Operation against a key holding the wrong kind of value
> HMGET s f
< -WRONGTYPE Operation against a key holding the wrong kind of value
> HGETALL s
< -WRONGTYPE Operation against a key holding the wrong kind of value
> HDEL s f
< -WRONGTYPE Operation against a key holding the wrong kind of value
> HINCRBY s f 1
< -WRONGTYPE Operation against a key holding the wrong kind of value
> HSCAN s 0
< -WRONGTYPE Operation against a key holding the wrong kind of value
> HRANDFIELD s 2
< -WRONGTYPE Operation against a key holding the wrong kind of value
> HTTL s FIELDS 1 f
< -WRONGTYPE Operation against a key holding the wrong kind of value
> HEXPIRE s 10 FIELDS 1 f
< -WRONGTYPE Operation against a key holding the wrong kind of value
> SET h v
< +OK
> HSET h2 f v
< 1
> SET h2 v
< +OK
> GET h2
< "v"

test encodings of hashes
> CONFIG SET hash-max-listpack-entries 3 hash-max-listpack-value 10
< +OK
> HSET h a 1 b 2 c 3
< 3
> OBJECT ENCODING h
< "listpack"
> HSET h d 4
< 1
> OBJECT ENCODING h
< "hashtable"
> HDEL h c d
< 2
> OBJECT ENCODING h
< "hashtable"
> HSET h2 a 12345678901
< 1
> OBJECT ENCODING h2
< "hashtable"
> HSET h3 12345678901 a
< 1
> OBJECT ENCODING h3
< "hashtable"
> HSET h4 a 1234567890
< 1
> OBJECT ENCODING h4
< "listpack"
> HINCRBYFLOAT h4 a 0.5
< "1234567890.5"
> OBJECT ENCODING h4
< "hashtable"
> HGETALL h
< {"a" "1" "b" "2" ...}
> CONFIG SET hash-max-ziplist-entries 512 hash-max-ziplist-value 64
< +OK

test a large hash
> HSET h big "y"*100000 other "z"*300
< 2
> HGET h big
< "y"*100000
> HSTRLEN h other
< 300
> HSET h big "y"*99990
< 0
> HSTRLEN h big
< 99990
> HSET h "n"*300 v
< 1
> HGET h "n"*300
< "v"
> HDEL h big
< 1
> HLEN h
< 2

test HSCAN
> HSCAN missing 0
< ["0" []]
> HSET h a 1 b 2 ab 3
< 3
> HSCAN h 0
< ["0" ["a" "1" "b" "2" "ab" "3"]]
> HSCAN h 0 MATCH a*
< ["0" ["a" "1" "ab" "3"]]
> HSCAN h 0 MATCH a* NOVALUES
< ["0" ["a" "ab"]]
> HSCAN h 0 COUNT 1
< ["0" ["a" "1" "b" "2" "ab" "3"]]
> HSCAN h 17
< ["0" ["a" "1" "b" "2" "ab" "3"]]
> HSCAN h 0 COUNT 0
< -ERR syntax error
> HSCAN h 0 COUNT x
< -ERR value is not an integer or out of range
> HSCAN h 0 NOSCORES
< -ERR NOSCORES option can only be used in ZSCAN
> HSCAN h 0 TYPE hash
< -ERR syntax error
> HSCAN h x
< -ERR invalid cursor
> HSCAN missing x
< -ERR invalid cursor

test HSCAN of a table
> HSET h big "x"*100 a 1 b 2
< 3
> HSCAN h 0 COUNT 100
< ["0" any["big" "x"*100 "a" "1" "b" "2"]]
> HSCAN h 0 COUNT 100 NOVALUES
< ["0" any["big" "a" "b"]]
> HSCAN h 0 COUNT 100 MATCH big NOVALUES
< ["0" ["big"]]

test HRANDFIELD
> HRANDFIELD missing
< nil
> HRANDFIELD missing 3
< []
> HSET h a 1 b 2 c 3
< 3
> HRANDFIELD h
< "a"|"b"|"c"
> HRANDFIELD h 0
< []
> HRANDFIELD h 3
< any["a" "b" "c"]
> HRANDFIELD h 100
< any["a" "b" "c"]
> HRANDFIELD h 2
< ["a"|"b"|"c" "a"|"b"|"c"]
> HRANDFIELD h -5
< ["a"|"b"|"c" "a"|"b"|"c" "a"|"b"|"c" "a"|"b"|"c" "a"|"b"|"c"]
> HDEL h b c
< 2
> HRANDFIELD h -2 WITHVALUES
<2 ["a" "1" "a" "1"]
<3 [["a" "1"] ["a" "1"]]
> HRANDFIELD h 5 WITHVALUES
<2 ["a" "1"]
<3 [["a" "1"]]
> HRANDFIELD h 1 WITHVALUE
< -ERR syntax error
> HRANDFIELD h 1 WITHVALUES x
< -ERR syntax error
> HRANDFIELD h x
< -ERR value is not an integer or out of range
> HRANDFIELD h -9223372036854775808
< -ERR value is out of range, value must between -9223372036854775807 and 9223372036854775807
> HRANDFIELD h 9223372036854775807 WITHVALUES
< -ERR value is out of range

test events of hashes
> CONFIG SET notify-keyspace-events Egh
< +OK
e> PSUBSCRIBE *
e< push["psubscribe" "*" 1]
> HSET h a 1 b 2
< 2
e< push["pmessage" "*" "__keyevent@0__:hset" "h"]
> HINCRBY h a 1
< 2
e< push["pmessage" "*" "__keyevent@0__:hincrby" "h"]
> HINCRBYFLOAT h a 1
< "3"
e< push["pmessage" "*" "__keyevent@0__:hincrbyfloat" "h"]
> HDEL h x
< 0
> HDEL h a b
< 2
e< push["pmessage" "*" "__keyevent@0__:hdel" "h"]
e< push["pmessage" "*" "__keyevent@0__:del" "h"]
> CONFIG SET notify-keyspace-events ""
< +OK

test COPY and RENAME of hashes
> HSET h a 1 b 2
< 2
> COPY h h2
< 1
> HSET h a 5
< 0
> HGETALL h2
< {"a" "1" "b" "2"}
> RENAME h h3
< +OK
> HGET h3 a
< "5"
