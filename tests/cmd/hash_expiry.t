# Times to live of fields: Valkey 9's commands.

test HEXPIRE and HTTL
!needs HEXPIRE
> HSET h a 1 b 2 c 3
< 3
> HEXPIRE h 100 FIELDS 2 a x
< [1 -2]
> HTTL h FIELDS 3 a b x
< [99..100 -1 -2]
> HPTTL h FIELDS 1 a
< [99000..100000]
> HPEXPIRE h 200000 FIELDS 1 b
< [1]
> HTTL h FIELDS 1 b
< [199..200]
> HEXPIRE missing 100 FIELDS 2 a b
< [-2 -2]
> HTTL missing FIELDS 2 a b
< [-2 -2]
> HGETALL h
< {"a" "1" "b" "2" "c" "3" ...}
> HLEN h
< 3

test HEXPIREAT and HEXPIRETIME
!needs HEXPIRE
> HSET h a 1 b 2
< 2
> HEXPIREAT h 4000000000 FIELDS 1 a
< [1]
> HPEXPIREAT h 4000000000499 FIELDS 1 b
< [1]
> HEXPIRETIME h FIELDS 3 a b x
< [4000000000 4000000000 -2]
> HPEXPIRETIME h FIELDS 2 a b
< [4000000000000 4000000000499]
> HPEXPIREAT h 4000000000500 FIELDS 1 b
< [1]
> HEXPIRETIME h FIELDS 1 b
< [4000000001]
> HPEXPIREAT h 9223372036854775807 FIELDS 1 b
< [1]
> HPEXPIRETIME h FIELDS 1 b
< [9223372036854775807]

test a time that has passed removes the field
!needs HEXPIRE
> HSET h a 1 b 2 c 3
< 3
> HEXPIRE h 0 FIELDS 2 a x
< [2 -2]
> HEXPIREAT h 1 FIELDS 1 b
< [2]
> HGETALL h
< {"c" "3"}
> HPEXPIREAT h 0 FIELDS 1 c
< [2]
> EXISTS h
< 0

test conditions
!needs HEXPIRE
> HSET h a 1 b 2
< 2
> HEXPIRE h 100 XX FIELDS 1 a
< [0]
> HEXPIRE h 100 GT FIELDS 1 a
< [0]
> HEXPIRE h 100 NX FIELDS 1 a
< [1]
> HEXPIRE h 200 NX FIELDS 2 a b
< [0 1]
> HEXPIRE h 50 GT FIELDS 2 a b
< [0 0]
> HEXPIRE h 150 GT FIELDS 2 a b
< [1 0]
> HEXPIRE h 120 LT FIELDS 2 a b
< [1 1]
> HEXPIRE h 500 XX GT FIELDS 1 a
< [1]
> HEXPIRE h 10 XX LT FIELDS 1 a
< [1]
> HPERSIST h FIELDS 1 a
< [1]
> HEXPIRE h 10 LT FIELDS 1 a
< [1]
> HEXPIRE h 10 NX XX FIELDS 1 a
< -ERR NX and XX, GT or LT options at the same time are not compatible
> HEXPIRE h 10 GT LT FIELDS 1 a
< -ERR GT and LT options at the same time are not compatible
> HEXPIRE h 10 FOO FIELDS 1 a
< -ERR Unsupported option FOO

test syntax
!needs HEXPIRE
> HSET h a 1
< 1
> HEXPIRE h 10 FIELDS 1
< -ERR wrong number of arguments for 'hexpire' command
> HEXPIRE h 10 FIELDS 2 a
< -ERR numfields should be greater than 0 and match the provided number of fields
> HEXPIRE h 10 FIELDS 0 a
< -ERR numfields should be greater than 0 and match the provided number of fields
> HEXPIRE h 10 FIELDS -1 a
< -ERR numfields should be greater than 0 and match the provided number of fields
> HEXPIRE h 10 FIELDS x a
< -ERR value is not an integer or out of range
> HEXPIRE h 10 NX XX a b
< -ERR numfields should be greater than 0 and match the provided number of fields
> HEXPIRE h -1 FIELDS 1 a
< -ERR invalid expire time in 'hexpire' command
> HPEXPIRE h 9223372036854775807 FIELDS 1 a
< -ERR invalid expire time in 'hpexpire' command
> HEXPIREAT h 9223372036854776 FIELDS 1 a
< -ERR invalid expire time in 'hexpireat' command
> HEXPIRE h x FIELDS 1 a
< -ERR value is not an integer or out of range
> HTTL h FIELD 1 a
< -ERR syntax error
> HTTL h FIELDS 2 a
< -ERR syntax error
> HTTL h FIELDS x a
< -ERR value is not an integer or out of range
> HPERSIST h FIELD 1 a
< -ERR syntax error
> HPERSIST h FIELDS 2 a
< -ERR numfields should be greater than 0 and match the provided number of fields

test HPERSIST
!needs HPERSIST
> HSET h a 1 b 2
< 2
> HEXPIRE h 100 FIELDS 1 a
< [1]
> HPERSIST h FIELDS 3 a b x
< [1 -1 -2]
> HTTL h FIELDS 1 a
< [-1]
> HPERSIST missing FIELDS 1 a
< [-2]

test fields expire, and the key of an empty hash goes
!needs HPEXPIRE
> HSET h a 1 b 2
< 2
> HPEXPIRE h 1 FIELDS 1 a
< [1]
?> HEXISTS h a
< 0
> HGET h a
< nil
> HGETALL h
< {"b" "2"}
?> HLEN h
< 1
> HPEXPIRE h 1 FIELDS 1 b
< [1]
?> EXISTS h
< 0

test what has expired and was not removed yet is not there
!needs HPEXPIRE DEBUG
!args --enable-debug-command yes
> DEBUG SET-ACTIVE-EXPIRE 0
< +OK
> HSET h a 1 b 2
< 2
> HPEXPIRE h 1 FIELDS 1 a
< [1]
?> HEXISTS h a
< 0
> HLEN h
< 2
> HGET h a
< nil
> HMGET h a b
< [nil "2"]
> HGETALL h
< {"b" "2"}
> HKEYS h
< ["b"]
> HVALS h
< ["2"]
> HSCAN h 0
< ["0" ["b" "2"]]
> HSTRLEN h a
< 0
> HTTL h FIELDS 1 a
< [-2]
> HEXPIRE h 100 FIELDS 1 a
< [-2]
> HPERSIST h FIELDS 1 a
< [-2]
> HDEL h a
< 0
> HRANDFIELD h 5
< ["b"]
> HINCRBY h a 5
< 5
> HTTL h FIELDS 1 a
< [-1]
> HPEXPIRE h 1 FIELDS 1 a
< [1]
?> HEXISTS h a
< 0
> HSET h a new
< 1
> HTTL h FIELDS 1 a
< [-1]
> HPEXPIRE h 1 FIELDS 1 a
< [1]
?> HEXISTS h a
< 0
> HSETNX h a x
< 1
> DEBUG SET-ACTIVE-EXPIRE 1
< +OK

test a new value ends the time to live, a number keeps it
!needs HEXPIRE
> HSET h a 1 b 2
< 2
> HEXPIRE h 100 FIELDS 2 a b
< [1 1]
> HINCRBY h a 1
< 2
> HINCRBYFLOAT h a 0.5
< "2.5"
> HTTL h FIELDS 1 a
< [99..100]
> HSET h a 3
< 0
> HTTL h FIELDS 2 a b
< [-1 99..100]

test HSETEX
!needs HSETEX
> HSETEX h EX 100 FIELDS 2 a 1 b 2
< 1
> HTTL h FIELDS 2 a b
< [99..100 99..100]
> HSETEX h FIELDS 1 a 3
< 1
> HTTL h FIELDS 1 a
< [-1]
> HSETEX h KEEPTTL FIELDS 2 a 4 b 5
< 1
> HTTL h FIELDS 2 a b
< [-1 99..100]
> HSETEX h PX 200000 FIELDS 1 a 5
< 1
> HTTL h FIELDS 1 a
< [199..200]
> HSETEX h EXAT 4000000000 FIELDS 1 a 6
< 1
> HSETEX h PXAT 4000000000001 FIELDS 1 b 7
< 1
> HPEXPIRETIME h FIELDS 2 a b
< [4000000000000 4000000000001]
> HSETEX h FNX FIELDS 2 a 1 c 1
< 0
> HSETEX h FXX FIELDS 2 a 1 c 1
< 0
> HSETEX h FNX FIELDS 2 c 1 d 1
< 1
> HSETEX h FXX EX 10 FIELDS 2 c 2 d 2
< 1
> HSETEX h NX FIELDS 1 e 1
< 0
> HSETEX h XX FIELDS 1 e 1
< 1
> HSETEX other XX FIELDS 1 e 1
< 0
> HSETEX other FXX FIELDS 1 e 1
< 0
> HSETEX other NX FNX FIELDS 1 e 1
< 1
> HSETEX other EXAT 1 FIELDS 1 e 1
< 1
> EXISTS other
< 0
> HSETEX nothing EX 0 FIELDS 1 e 1
< 1
> EXISTS nothing
< 0

test HSETEX syntax
!needs HSETEX
> HSETEX h EX 10 FIELDS 2 a 1
< -ERR numfields should be greater than 0 and match the provided number of fields
> HSETEX h EX 10 FIELDS 0 a 1
< -ERR numfields should be greater than 0 and match the provided number of fields
> HSETEX h EX FIELDS 1 a 1
< -ERR syntax error
> HSETEX h EX 10 PX 10 FIELDS 1 a 1
< -ERR syntax error
> HSETEX h EX 10 KEEPTTL FIELDS 1 a 1
< -ERR syntax error
> HSETEX h NX XX FIELDS 1 a 1
< -ERR syntax error
> HSETEX h FNX FXX FIELDS 1 a 1
< -ERR syntax error
> HSETEX h PERSIST FIELDS 1 a 1
< -ERR syntax error
> HSETEX h EX -1 FIELDS 1 a 1
< -ERR invalid expire time in 'hsetex' command
> HSETEX h EX x FIELDS 1 a 1
< -ERR value is not an integer or out of range
> HSETEX h a 1 b 2
< -ERR numfields should be greater than 0 and match the provided number of fields
> EXISTS h
< 0

test HGETEX
!needs HGETEX
> HSET h a 1 b 2
< 2
> HGETEX h FIELDS 3 a x b
< ["1" nil "2"]
> HTTL h FIELDS 1 a
< [-1]
> HGETEX h EX 100 FIELDS 2 a x
< ["1" nil]
> HTTL h FIELDS 2 a b
< [99..100 -1]
> HGETEX h PERSIST FIELDS 2 a b
< ["1" "2"]
> HTTL h FIELDS 1 a
< [-1]
> HGETEX h PXAT 4000000000001 FIELDS 1 a
< ["1"]
> HPEXPIRETIME h FIELDS 1 a
< [4000000000001]
> HGETEX missing EX 100 FIELDS 2 a b
< [nil nil]
> HGETEX h EX 0 FIELDS 2 a b
< ["1" "2"]
> EXISTS h
< 0
> HGETEX h KEEPTTL FIELDS 1 a
< -ERR syntax error
> HGETEX h NX FIELDS 1 a
< -ERR syntax error
> HGETEX h EX 10 PERSIST FIELDS 1 a
< -ERR syntax error
> HGETEX h FIELDS 2 a
< -ERR numfields should be greater than 0 and match the provided number of fields

test HGETDEL
!needs HGETDEL
> HSET h a 1 b 2 c 3
< 3
> HGETDEL h FIELDS 3 a x a
< ["1" nil nil]
> HGETALL h
< {"b" "2" "c" "3"}
> HGETDEL h FIELDS 3 b c b
< ["2" "3" nil]
> EXISTS h
< 0
> HGETDEL h FIELDS 1 a
< [nil]
> HGETDEL h FIELD 1 a
< -ERR syntax error
> HGETDEL h FIELDS 2 a
< -ERR numfields should be greater than 0 and match the provided number of fields

test deadlines in a table, through COPY and RENAME
!needs HEXPIRE
> HSET h big "x"*200 a 1 b 2
< 3
> HEXPIRE h 100 FIELDS 2 a big
< [1 1]
> OBJECT ENCODING h
< "hashtable"
> COPY h h2
< 1
> RENAME h h3
< +OK
> HTTL h2 FIELDS 3 a b big
< [99..100 -1 99..100]
> HTTL h3 FIELDS 3 a b big
< [99..100 -1 99..100]
> HPEXPIRE h2 1 FIELDS 2 a big
< [1 1]
?> HLEN h2
< 1
> HGETALL h2
< {"b" "2"}
> HPEXPIRE h3 1 FIELDS 3 a b big
< [1 1 1]
?> EXISTS h3
< 0

test the encoding of a small hash with deadlines is Redis's
!own
> HSET h a 1
< 1
> HEXPIRE h 100 FIELDS 1 a
< [1]
> OBJECT ENCODING h
< "listpackex"

test events of deadlines
!needs HEXPIRE
> CONFIG SET notify-keyspace-events Eghx
< +OK
e> PSUBSCRIBE *
e< push["psubscribe" "*" 1]
> HSETEX h EX 100 FIELDS 3 a 1 b 2 c 3
< 1
e< push["pmessage" "*" "__keyevent@0__:hset" "h"]
e< push["pmessage" "*" "__keyevent@0__:hexpire" "h"]
> HEXPIRE h 200 FIELDS 2 a x
< [1 -2]
e< push["pmessage" "*" "__keyevent@0__:hexpire" "h"]
> HPERSIST h FIELDS 1 a
< [1]
e< push["pmessage" "*" "__keyevent@0__:hpersist" "h"]
> HEXPIRE h 0 FIELDS 1 a
< [2]
e< push["pmessage" "*" "__keyevent@0__:hexpired" "h"]
> HGETEX h EX 5 FIELDS 1 b
< ["2"]
e< push["pmessage" "*" "__keyevent@0__:hexpire" "h"]
> HPEXPIRE h 1 FIELDS 2 b c
< [1 1]
e< push["pmessage" "*" "__keyevent@0__:hexpire" "h"]
e< push["pmessage" "*" "__keyevent@0__:hexpired" "h"]
e< push["pmessage" "*" "__keyevent@0__:del" "h"]
> CONFIG SET notify-keyspace-events ""
< +OK

test INFO counts fields that have deadlines and those that expired
!needs HEXPIRE
> CONFIG RESETSTAT
< +OK
> HSET h a 1 b 2
< 2
> HEXPIRE h 100 FIELDS 1 a
< [1]
> INFO keyspace
< =txt has(/^db0:keys=1,expires=0,avg_ttl=0,keys_with_volatile_items=1\r$/)
> HPERSIST h FIELDS 1 a
< [1]
> INFO keyspace
< =txt has(/^db0:keys=1,expires=0,avg_ttl=0,keys_with_volatile_items=0\r$/)
> HPEXPIRE h 1 FIELDS 2 a b
< [1 1]
?> EXISTS h
< 0
> INFO stats
< =txt has(/^expired_fields:2\r$/)
