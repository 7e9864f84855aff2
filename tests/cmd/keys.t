# Keys of every type.

test DEL and UNLINK
> MSET a 1 b 2 c 3
< +OK
> DEL a
< 1
> DEL a
< 0
> DEL a b c
< 2
> DBSIZE
< 0
> MSET a 1 b 2 c 3
< +OK
> UNLINK a missing b
< 2
> UNLINK c c
< 1
> DEL
< -ERR wrong number of arguments for 'del' command
> UNLINK
< -ERR wrong number of arguments for 'unlink' command
> DEL missing
< 0

test EXISTS and TOUCH
> MSET a 1 b 2
< +OK
> EXISTS a
< 1
> EXISTS a b missing
< 2
> EXISTS a a a
< 3
> EXISTS missing
< 0
> TOUCH a b missing
< 2
> TOUCH a a
< 2
> TOUCH missing
< 0
> EXISTS
< -ERR wrong number of arguments for 'exists' command
> TOUCH
< -ERR wrong number of arguments for 'touch' command
> SET e v PX 1
< +OK
?> EXISTS e
< 0
> TOUCH e
< 0

test TYPE
> SET s v
< +OK
> TYPE s
< +string
> TYPE missing
< +none
> TYPE
< -ERR wrong number of arguments for 'type' command
> TYPE a b
< -ERR wrong number of arguments for 'type' command

test TYPE of the others
!needs LPUSH SADD ZADD HSET XADD
> LPUSH l a
< 1
> SADD t a
< 1
> ZADD z 1 a
< 1
> HSET h f v
< 1
> XADD x 1-1 f v
< "1-1"
> TYPE l
< +list
> TYPE t
< +set
> TYPE z
< +zset
> TYPE h
< +hash
> TYPE x
< +stream

test KEYS
> MSET one 1 two 2 three 3 four 4 h?llo x hello y "h[llo" z
< +OK
> KEYS *
< any["one" "two" "three" "four" "h?llo" "hello" "h[llo"]
> KEYS t*
< any["two" "three"]
> KEYS t??
< ["two"]
> KEYS *o*
< any["one" "two" "four" "h?llo" "hello" "h[llo"]
> KEYS h\?llo
< ["h?llo"]
> KEYS h[e]llo
< ["hello"]
> KEYS h[^e]llo
< any["h?llo" "h[llo"]
> KEYS h[a-f]llo
< ["hello"]
> KEYS h\[llo
< ["h[llo"]
> KEYS hello
< ["hello"]
> KEYS nothing
< []
> KEYS ""
< []
> KEYS
< -ERR wrong number of arguments for 'keys' command
> KEYS a b
< -ERR wrong number of arguments for 'keys' command
> SELECT 1
< +OK
> KEYS *
< []

test KEYS leaves out what has expired
> DEBUG SET-ACTIVE-EXPIRE 0
< +OK
> MSET a 1 b 2
< +OK
> PEXPIRE a 1
< 1
?> KEYS *
< ["b"]
> DEBUG SET-ACTIVE-EXPIRE 1
< +OK

test KEYS patterns
> MSET a 1 ab 2 abc 3 "a*c" 4 "[" 5 "]" 6 "-" 7 "\\" 8 "A" 9
< +OK
> KEYS a?c
< any["abc" "a*c"]
> KEYS "a\\*c"
< ["a*c"]
> KEYS [[]
< ["["]
> KEYS []]
< []
> KEYS "[\\]]"
< ["]"]
> KEYS [a-]
< any["a" "]"]
> KEYS [-a]
< any["a" "-"]
> KEYS [z-a]
< ["a"]
> KEYS [^a-z]
< any["[" "]" "-" "\\" "A"]
> KEYS "\\\\"
< ["\\"]
> KEYS [
< []
> KEYS [a
< ["a"]
> KEYS a**c
< any["abc" "a*c"]
> KEYS ab*
< any["ab" "abc"]
> KEYS ***
< any["a" "]" "\\" "ab" "abc" "a*c" "[" "-" "A"]

test SCAN
> MSET a 1 b 2 c 3
< +OK
> SCAN 0 COUNT 1000
< ["0" any["a" "b" "c"]]
> SCAN 0 MATCH a* COUNT 100
< ["0" ["a"]]
> SCAN 0 COUNT 100 MATCH a*
< ["0" ["a"]]
> SCAN 0 MATCH z COUNT 1000
< ["0" []]
> SCAN 0 TYPE string COUNT 1000
< ["0" any["a" "b" "c"]]
> SCAN 0 TYPE STRING COUNT 1000
< ["0" any["a" "b" "c"]]
> SCAN 0 TYPE list COUNT 1000
< ["0" []]
> SCAN 0 TYPE nonsense COUNT 1000
< -ERR unknown type name 'nonsense'
> SCAN 0 TYPE string MATCH b COUNT 1000
< ["0" ["b"]]
> SCAN
< -ERR wrong number of arguments for 'scan' command
> SCAN a
< -ERR invalid cursor
> SCAN -1
< ["0" [...]]|-"ERR invalid cursor"
> SCAN 18446744073709551616
< -ERR invalid cursor
> SCAN 1.5
< -ERR invalid cursor
> SCAN " 0" COUNT 100
< ["0" any["a" "b" "c"]]
> SCAN ""
< -ERR invalid cursor
> SCAN 0 COUNT
< -ERR syntax error
> SCAN 0 COUNT 0
< -ERR syntax error
> SCAN 0 COUNT -1
< -ERR syntax error
> SCAN 0 COUNT abc
< -ERR value is not an integer or out of range
> SCAN 0 MATCH
< -ERR syntax error
> SCAN 0 TYPE
< -ERR syntax error
> SCAN 0 FOO bar
< -ERR syntax error
> SCAN 0 FOO
< -ERR syntax error
> SCAN 0 NOVALUES
< -ERR NOVALUES option can only be used in HSCAN
> SELECT 1
< +OK
> SCAN 0
< ["0" []]

test SCAN leaves out what has expired
> DEBUG SET-ACTIVE-EXPIRE 0
< +OK
> MSET a 1 b 2
< +OK
> PEXPIRE a 1
< 1
?> SCAN 0 COUNT 1000
< ["0" ["b"]]
> DEBUG SET-ACTIVE-EXPIRE 1
< +OK

test RANDOMKEY
> RANDOMKEY
< nil
> SET a 1
< +OK
> RANDOMKEY
< "a"
> SET b 1
< +OK
> RANDOMKEY
< "a"|"b"
> RANDOMKEY x
< -ERR wrong number of arguments for 'randomkey' command
> SELECT 1
< +OK
> RANDOMKEY
< nil

test RENAME
> SET a 1 EX 100
< +OK
> RENAME a b
< +OK
> EXISTS a
< 0
> GET b
< "1"
> TTL b
< 99..100
> SET c 3
< +OK
> RENAME b c
< +OK
> GET c
< "1"
> TTL c
< 99..100
> RENAME c c
< +OK
> TTL c
< 99..100
> RENAME missing c
< -ERR no such key
> RENAME missing missing
< -ERR no such key
> RENAME a
< -ERR wrong number of arguments for 'rename' command
> RENAME a b c
< -ERR wrong number of arguments for 'rename' command

test RENAMENX
> MSET a 1 b 2
< +OK
> RENAMENX a b
< 0
> GET b
< "2"
> RENAMENX a c
< 1
> EXISTS a
< 0
> GET c
< "1"
> RENAMENX c c
< 0
> RENAMENX missing c
< -ERR no such key
> RENAMENX missing x
< -ERR no such key
> RENAMENX a
< -ERR wrong number of arguments for 'renamenx' command
> SET e 1 EX 100
< +OK
> RENAMENX e f
< 1
> TTL f
< 99..100

test COPY
> SET a 1 EX 100
< +OK
> COPY a b
< 1
> GET b
< "1"
> TTL b
< 99..100
> GET a
< "1"
> SET c 3
< +OK
> COPY a c
< 0
> GET c
< "3"
> COPY a c REPLACE
< 1
> GET c
< "1"
> TTL c
< 99..100
> COPY missing d
< 0
> COPY missing c REPLACE
< 0
> GET c
< "1"
> COPY a a
< -ERR source and destination objects are the same
> COPY a a REPLACE
< -ERR source and destination objects are the same
> COPY a a DB 0
< -ERR source and destination objects are the same
> COPY a a DB 1
< 1
> COPY a a DB 1
< 0
> COPY a a DB 1 REPLACE
< 1
> COPY a z REPLACE DB 1
< 1
> SELECT 1
< +OK
> GET a
< "1"
> TTL a
< 99..100
> GET z
< "1"
> SELECT 0
< +OK
> COPY a b DB
< -ERR syntax error
> COPY a b DB abc
< -ERR value is not an integer or out of range
> COPY a b DB -1
< -ERR DB index is out of range
> COPY a b DB 16
< -ERR DB index is out of range
> COPY a b DB 99999999999999999999
< -ERR value is not an integer or out of range
> COPY a b FOO
< -ERR syntax error
> COPY a b REPLACE REPLACE
< 1
> COPY a
< -ERR wrong number of arguments for 'copy' command
> COPY
< -ERR wrong number of arguments for 'copy' command

test MOVE
> SET a 1 EX 100
< +OK
> MOVE a 1
< 1
> EXISTS a
< 0
> SELECT 1
< +OK
> GET a
< "1"
> TTL a
< 99..100
> SELECT 0
< +OK
> SET a 2
< +OK
> MOVE a 1
< 0
> GET a
< "2"
> MOVE a 0
< -ERR source and destination objects are the same
> MOVE missing 1
< 0
> MOVE a 16
< -ERR DB index is out of range
> MOVE a -1
< -ERR DB index is out of range
> MOVE a abc
< -ERR value is not an integer or out of range
> MOVE a
< -ERR wrong number of arguments for 'move' command
> MOVE a 1 2
< -ERR wrong number of arguments for 'move' command

test EXPIRE
> SET a 1
< +OK
> EXPIRE a 100
< 1
> TTL a
< 99..100
> EXPIRE missing 100
< 0
> EXPIRE a 0
< 1
> EXISTS a
< 0
> SET a 1
< +OK
> EXPIRE a -1
< 1
> EXISTS a
< 0
> SET a 1
< +OK
> EXPIRE a abc
< -ERR value is not an integer or out of range
> EXPIRE a 1.5
< -ERR value is not an integer or out of range
> EXPIRE a ""
< -ERR value is not an integer or out of range
> EXPIRE a 9223372036854775807
< -ERR invalid expire time in 'expire' command
> EXPIRE a -9223372036854775808
< -ERR invalid expire time in 'expire' command
> EXPIRE a 9223372036854775808
< -ERR value is not an integer or out of range
> EXPIRE a 9223372036854775
< -ERR invalid expire time in 'expire' command
> EXPIRE
< -ERR wrong number of arguments for 'expire' command
> EXPIRE a
< -ERR wrong number of arguments for 'expire' command
> EXPIRE a 100 FOO
< -ERR Unsupported option FOO
> EXPIRE a 100 NX FOO
< -ERR Unsupported option FOO
> EXPIRE missing abc
< -ERR value is not an integer or out of range
> EXPIRE missing 9223372036854775807
< -ERR invalid expire time in 'expire' command
> EXPIRE missing 100 FOO
< -ERR Unsupported option FOO
> TTL a
< -1

test EXPIRE NX XX GT LT
> SET a 1
< +OK
> EXPIRE a 100 XX
< 0
> EXPIRE a 100 GT
< 0
> TTL a
< -1
> EXPIRE a 100 NX
< 1
> EXPIRE a 200 NX
< 0
> TTL a
< 99..100
> EXPIRE a 200 XX
< 1
> TTL a
< 199..200
> EXPIRE a 100 GT
< 0
> EXPIRE a 300 GT
< 1
> TTL a
< 299..300
> EXPIRE a 400 LT
< 0
> EXPIRE a 50 LT
< 1
> TTL a
< 49..50
> EXPIRE a 60 XX GT
< 1
> TTL a
< 59..60
> EXPIRE a 50 XX LT
< 1
> TTL a
< 49..50
> PERSIST a
< 1
> EXPIRE a 60 XX GT
< 0
> EXPIRE a 60 XX LT
< 0
> EXPIRE a 60 LT
< 1
> TTL a
< 59..60
> EXPIRE a 100 NX XX
< -ERR NX and XX, GT or LT options at the same time are not compatible
> EXPIRE a 100 NX GT
< -ERR NX and XX, GT or LT options at the same time are not compatible
> EXPIRE a 100 NX LT
< -ERR NX and XX, GT or LT options at the same time are not compatible
> EXPIRE a 100 GT LT
< -ERR GT and LT options at the same time are not compatible
> EXPIRE a 100 XX GT LT
< -ERR GT and LT options at the same time are not compatible
> EXPIRE a 10 gt
< 0
> EXPIRE a 100 gt
< 1
> EXPIRE a -1 GT
< 0
> EXPIRE a -1 LT
< 1
> EXISTS a
< 0
> EXPIRE missing 10 NX
< 0
> EXPIRE missing 10 XX
< 0
> SET a 1
< +OK
> EXPIRE a -1 XX
< 0
> EXPIRE a 0 GT
< 0
> EXISTS a
< 1
> EXPIRE a 0 NX
< 1
> EXISTS a
< 0
> EXPIRE a 100 NX NX
< 0

test PEXPIRE
> SET a 1
< +OK
> PEXPIRE a 100000
< 1
> PTTL a
< 99000..100000
> PEXPIRE a 50000 GT
< 0
> PEXPIRE a 50000 LT
< 1
> PEXPIRE a 50000 NX
< 0
> PEXPIRE a 60000 XX
< 1
> PTTL a
< 59000..60000
> PEXPIRE a 9223372036854775807
< -ERR invalid expire time in 'pexpire' command
> PEXPIRE a -9223372036854775808
< 1
> SET a 1
< +OK
> PEXPIRE a abc
< -ERR value is not an integer or out of range
> PEXPIRE a 1500 FOO
< -ERR Unsupported option FOO
> PEXPIRE a
< -ERR wrong number of arguments for 'pexpire' command
> PEXPIRE a 0
< 1
> EXISTS a
< 0

test EXPIREAT and PEXPIREAT
> SET a 1
< +OK
> EXPIREAT a $now_s+100
< 1
> TTL a
< 98..100
> EXPIREAT a $now_s+50 GT
< 0
> EXPIREAT a $now_s+50 LT
< 1
> EXPIREAT a 20000000000 XX
< 1
> EXPIREAT a 20000000000 NX
< 0
> EXPIRETIME a
< 20000000000
> PEXPIRETIME a
< 20000000000000
> PEXPIREAT a 30000000000123
< 1
> PEXPIRETIME a
< 30000000000123
> EXPIRETIME a
< 30000000000
> PEXPIREAT a 30000000000123 GT
< 0
> PEXPIREAT a 30000000000124 GT
< 1
> PEXPIREAT a 30000000000122 LT
< 1
> PEXPIREAT a 30000000000125 NX
< 0
> PEXPIREAT a 9223372036854775807
< 1
> PEXPIRETIME a
< 9223372036854775807
> EXPIREAT a 9223372036854775807
< -ERR invalid expire time in 'expireat' command
> EXPIREAT a 9223372036854775
< 1
> EXPIRETIME a
< 9223372036854775
> EXPIREAT a abc
< -ERR value is not an integer or out of range
> PEXPIREAT a abc
< -ERR value is not an integer or out of range
> EXPIREAT a 100 FOO
< -ERR Unsupported option FOO
> PEXPIREAT a 100 FOO
< -ERR Unsupported option FOO
> EXPIREAT a
< -ERR wrong number of arguments for 'expireat' command
> PEXPIREAT a
< -ERR wrong number of arguments for 'pexpireat' command
> EXPIREAT a 1
< 1
> EXISTS a
< 0
> SET a 1
< +OK
> PEXPIREAT a 1
< 1
> EXISTS a
< 0
> SET a 1
< +OK
> EXPIREAT a -1
< 1
> EXISTS a
< 0
> SET a 1
< +OK
> PEXPIREAT a 0
< 1
> EXISTS a
< 0

test EXPIRETIME, PEXPIRETIME, TTL, PTTL
> SET a 1
< +OK
> EXPIRETIME a
< -1
> PEXPIRETIME a
< -1
> TTL a
< -1
> PTTL a
< -1
> EXPIRETIME missing
< -2
> PEXPIRETIME missing
< -2
> TTL missing
< -2
> PTTL missing
< -2
> PEXPIREAT a 20000000000500
< 1
> EXPIRETIME a
< 20000000001
> PEXPIREAT a 20000000000499
< 1
> EXPIRETIME a
< 20000000000
> PEXPIRE a 1600
< 1
> TTL a
< 2
> PEXPIRE a 10400
< 1
> TTL a
< 10
> EXPIRETIME
< -ERR wrong number of arguments for 'expiretime' command
> PEXPIRETIME a b
< -ERR wrong number of arguments for 'pexpiretime' command
> TTL
< -ERR wrong number of arguments for 'ttl' command
> PTTL a b
< -ERR wrong number of arguments for 'pttl' command

test PERSIST
> SET a 1 EX 100
< +OK
> PERSIST a
< 1
> TTL a
< -1
> PERSIST a
< 0
> PERSIST missing
< 0
> PERSIST
< -ERR wrong number of arguments for 'persist' command
> PERSIST a b
< -ERR wrong number of arguments for 'persist' command

test keys expire
> SET a 1 PX 100
< +OK
> GET a
< "1"
?> GET a
< nil
> SET b 1 PX 5
< +OK
?> DBSIZE
< 0
> INFO stats
< =txt has(/^expired_keys:2\r$/)

test keys expire without being read
> MSET a 1 b 2 c 3
< +OK
> PEXPIRE a 1
< 1
> PEXPIRE b 1
< 1
?> INFO keyspace
< =txt has(/^db0:keys=1,expires=0,avg_ttl=0/)

test an expired key is not there for writers
> DEBUG SET-ACTIVE-EXPIRE 0
< +OK
> SET a 1 PX 1
< +OK
?> EXISTS a
< 0
> APPEND a x
< 1
> TTL a
< -1
> SET b 5 PX 1
< +OK
?> TTL b
< -2
> INCR b
< 1
> SET c 1 PX 1
< +OK
?> EXISTS c
< 0
> DEL c
< 0
> PERSIST c
< 0
> RENAME c d
< -ERR no such key
> SET d 1 PX 1
< +OK
?> EXISTS d
< 0
> SETNX d 2
< 1
> GET d
< "2"
> SET e 1 PX 1
< +OK
?> EXISTS e
< 0
> COPY e f
< 0
> EXPIRE e 100
< 0
> SET e 1 XX
< nil
> SET e 1 KEEPTTL
< +OK
> TTL e
< -1
> DEBUG SET-ACTIVE-EXPIRE 1
< +OK

test OBJECT
> SET n 5
< +OK
> SET s hello
< +OK
> SET r "x"*100
< +OK
> OBJECT ENCODING n
< "int"
> OBJECT ENCODING s
< "embstr"
> OBJECT ENCODING missing
< nil
> OBJECT REFCOUNT s
< 1
> OBJECT REFCOUNT missing
< nil
> OBJECT IDLETIME s
< 0..1
> OBJECT IDLETIME missing
< nil
> OBJECT FREQ s
< -ERR An LFU maxmemory policy is not selected, access frequency not tracked. Please note that when switching between policies at runtime LRU and LFU data will take some time to adjust.
> OBJECT FREQ missing
< nil
> OBJECT
< -ERR wrong number of arguments for 'object' command
> OBJECT FOO
< -ERR unknown subcommand 'FOO'. Try OBJECT HELP.
> OBJECT FOO s
< -ERR unknown subcommand 'FOO'. Try OBJECT HELP.
> OBJECT ENCODING
< -ERR wrong number of arguments for 'object|encoding' command
> OBJECT ENCODING s x
< -ERR wrong number of arguments for 'object|encoding' command
> OBJECT REFCOUNT
< -ERR wrong number of arguments for 'object|refcount' command
> OBJECT IDLETIME
< -ERR wrong number of arguments for 'object|idletime' command
> OBJECT FREQ
< -ERR wrong number of arguments for 'object|freq' command
> OBJECT HELP
< [+"OBJECT <subcommand> [<arg> [value] [opt] ...]. Subcommands are:" +"ENCODING <key>" +"    Return the kind of internal representation used in order to store the value" +"    associated with a <key>." +"FREQ <key>" +"    Return the access frequency index of the <key>. The returned integer is" +"    proportional to the logarithm of the recent access frequency of the key." +"IDLETIME <key>" +"    Return the idle time of the <key>, that is the approximated number of" +"    seconds elapsed since the last access to the key." +"REFCOUNT <key>" +"    Return the number of references of the value associated with the specified" +"    <key>." +"HELP" +"    Print this help."]
> OBJECT HELP x
< -ERR wrong number of arguments for 'object|help' command
> object encoding n
< "int"

test OBJECT FREQ
!args --maxmemory-policy allkeys-lfu
> SET s v
< +OK
> OBJECT FREQ s
< 1..10
> OBJECT IDLETIME s
< -ERR An LFU maxmemory policy is selected, idle time not tracked. Please note that when switching between policies at runtime LRU and LFU data will take some time to adjust.
> OBJECT FREQ missing
< nil

test DBSIZE
> DBSIZE
< 0
> MSET a 1 b 2
< +OK
> DBSIZE
< 2
> SELECT 1
< +OK
> DBSIZE
< 0
> DBSIZE x
< -ERR wrong number of arguments for 'dbsize' command

test FLUSHDB and FLUSHALL
> SET a 1
< +OK
> SELECT 1
< +OK
> SET b 1
< +OK
> FLUSHDB
< +OK
> DBSIZE
< 0
> SET b 1
< +OK
> SELECT 0
< +OK
> DBSIZE
< 1
> FLUSHDB SYNC
< +OK
> DBSIZE
< 0
> SET a 1
< +OK
> FLUSHALL ASYNC
< +OK
> DBSIZE
< 0
> SELECT 1
< +OK
> DBSIZE
< 0
> SET a 1
< +OK
> FLUSHDB ASYNC
< +OK
> FLUSHALL SYNC
< +OK
> FLUSHALL
< +OK
> FLUSHDB FOO
< -ERR syntax error
> FLUSHALL FOO
< -ERR syntax error
> FLUSHDB SYNC ASYNC
< -ERR syntax error
> FLUSHALL ASYNC SYNC
< -ERR syntax error
> flushall async
< +OK

test SWAPDB
> SET a zero
< +OK
> SELECT 1
< +OK
> SET a one
< +OK
> SWAPDB 0 1
< +OK
> GET a
< "zero"
> SELECT 0
< +OK
> GET a
< "one"
> SWAPDB 0 0
< +OK
> GET a
< "one"
> SWAPDB 0 16
< -ERR DB index is out of range
> SWAPDB 16 0
< -ERR DB index is out of range
> SWAPDB -1 0
< -ERR DB index is out of range
> SWAPDB abc 0
< -ERR invalid first DB index
> SWAPDB 0 abc
< -ERR invalid second DB index
> SWAPDB 0
< -ERR wrong number of arguments for 'swapdb' command
> SWAPDB 0 1 2
< -ERR wrong number of arguments for 'swapdb' command
b> SELECT 2
b< +OK
b> SET x 2
b< +OK
> SWAPDB 2 3
< +OK
b> GET x
b< nil
b> SELECT 3
b< +OK
b> GET x
b< "2"

test SWAPDB keeps times to live
> SET a 1 EX 100
< +OK
> SWAPDB 0 5
< +OK
> TTL a
< -2
> SELECT 5
< +OK
> TTL a
< 99..100

test many keys
> MSET k1 1 k2 2 k3 3 k4 4 k5 5 k6 6 k7 7 k8 8 k9 9 k10 10 k11 11 k12 12
< +OK
> DEL k1 k2 k3 k4 k5 k6 k7 k8 k9 k10 k11
< 11
> KEYS *
< ["k12"]
> EXISTS k12 k12 k1
< 2
