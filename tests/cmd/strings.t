# Strings. What Redis 7.2 and Valkey 9 answer; where they differ, Valkey.

test SET and GET
> SET k v
< +OK
> GET k
< "v"
> SET k ""
< +OK
> GET k
< ""
> GET missing
< nil
> SET k "\x00\r\n\xff"
< +OK
> GET k
< "\x00\r\n\xff"
> SET "" empty-name
< +OK
> GET ""
< "empty-name"
> set K lower
< +OK
> get K
< "lower"
> SET k "a"*100000
< +OK
> STRLEN k
< 100000
> GET k
< "a"*100000

test SET replaces another type
!needs LPUSH
> LPUSH l a
< 1
> SET l v
< +OK
> TYPE l
< +string

test SET arity and syntax
> SET
< -ERR wrong number of arguments for 'set' command
> SET k
< -ERR wrong number of arguments for 'set' command
> SET k v XYZ
< -ERR syntax error
> SET k v EX
< -ERR syntax error
> SET k v PX
< -ERR syntax error
> SET k v EXAT
< -ERR syntax error
> SET k v PXAT
< -ERR syntax error
> SET k v EX 10 PX 10
< -ERR syntax error
> SET k v EX 10 EX 10
< +OK
> SET k v EX 10 KEEPTTL
< -ERR syntax error
> SET k v KEEPTTL EX 10
< -ERR syntax error
> SET k v EXAT 10 PXAT 10
< -ERR syntax error
> SET k v NX XX
< -ERR syntax error
> SET k v XX NX
< -ERR syntax error
> SET k v NX IFEQ x
< -ERR syntax error
> SET k v XX IFEQ x
< -ERR syntax error
> SET k v IFEQ x NX
< -ERR syntax error
> SET k v IFEQ x XX
< -ERR syntax error
> SET k v IFEQ
< -ERR syntax error
> SET k v GET GET
< "v"
> SET k v GET XYZ
< -ERR syntax error
> SET k v PERSIST
< -ERR syntax error
> SET k v KEEPTTL KEEPTTL
< +OK
> EXISTS k
< 1

test SET numbers
> SET k v EX abc
< -ERR value is not an integer or out of range
> SET k v EX 0
< -ERR invalid expire time in 'set' command
> SET k v EX -1
< -ERR invalid expire time in 'set' command
> SET k v PX 0
< -ERR invalid expire time in 'set' command
> SET k v PX -5
< -ERR invalid expire time in 'set' command
> SET k v EX 1.5
< -ERR value is not an integer or out of range
> SET k v EX 9223372036854775807
< -ERR invalid expire time in 'set' command
> SET k v EX 9223372036854775808
< -ERR value is not an integer or out of range
> SET k v EX 9223372036854776
< -ERR invalid expire time in 'set' command
> SET k v PX 9223372036854775807
< -ERR invalid expire time in 'set' command
> SET k v EXAT 0
< -ERR invalid expire time in 'set' command
> SET k v EXAT -1
< -ERR invalid expire time in 'set' command
> SET k v PXAT 0
< -ERR invalid expire time in 'set' command
> SET k v EXAT abc
< -ERR value is not an integer or out of range
> SET k v EXAT 9223372036854775807
< -ERR invalid expire time in 'set' command
> SET k v EX ""
< -ERR value is not an integer or out of range
> SET k v EX " 10"
< -ERR value is not an integer or out of range
> EXISTS k
< 0

test SET expiries
> SET k v EX 10
< +OK
> TTL k
< 9..10
> SET k v PX 10000
< +OK
> PTTL k
< 9000..10000
> SET k v EXAT $now_s+100
< +OK
> TTL k
< 98..100
> SET k v PXAT $now_ms+100000
< +OK
> PTTL k
< 98000..100000
> SET k v EXAT 10000000000
< +OK
> EXPIRETIME k
< 10000000000
> SET k v PXAT 10000000000123
< +OK
> PEXPIRETIME k
< 10000000000123
> SET k v
< +OK
> TTL k
< -1
> SET k v ex 10
< +OK
> TTL k
< 9..10

test SET in the past removes
> SET k v
< +OK
> SET k w EXAT 1
< +OK
> EXISTS k
< 0
> GET k
< nil
> SET k w PXAT 1
< +OK
> EXISTS k
< 0
> DBSIZE
< 0

test SET KEEPTTL
> SET k v EX 100
< +OK
> SET k w KEEPTTL
< +OK
> TTL k
< 99..100
> GET k
< "w"
> SET k x
< +OK
> TTL k
< -1
> SET k y KEEPTTL
< +OK
> TTL k
< -1
> SET new v KEEPTTL
< +OK
> TTL new
< -1

test SET NX and XX
> SET k v NX
< +OK
> SET k w NX
< nil
> GET k
< "v"
> SET k w XX
< +OK
> GET k
< "w"
> SET missing v XX
< nil
> EXISTS missing
< 0
> SET k z NX EX 10
< nil
> TTL k
< -1
> SET k z XX EX 10
< +OK
> TTL k
< 9..10
> SET k z NX GET
< "z"
> SET n1 a NX GET
< nil
> GET n1
< "a"
> SET n2 a XX GET
< nil
> EXISTS n2
< 0
> SET k y XX GET
< "z"
> GET k
< "y"

test SET GET
> SET k v GET
< nil
> SET k w GET
< "v"
> GET k
< "w"
> SET k x GET EX 100
< "w"
> TTL k
< 99..100
> SET k y GET KEEPTTL
< "x"
> TTL k
< 99..100
> SET n v EX 0 GET
< -ERR invalid expire time in 'set' command
> EXISTS n
< 0

test SET GET: another type
!needs LPUSH
> LPUSH l a
< 1
> SET l v GET
< -WRONGTYPE Operation against a key holding the wrong kind of value
> TYPE l
< +list
> SET l v GET XX
< -WRONGTYPE Operation against a key holding the wrong kind of value
> SET l v GET NX
< -WRONGTYPE Operation against a key holding the wrong kind of value

test SET IFEQ
> SET k v
< +OK
> SET k w IFEQ x
< nil
> GET k
< "v"
> SET k w IFEQ v
< +OK
> GET k
< "w"
> SET missing w IFEQ v
< nil
> EXISTS missing
< 0
> SET k x IFEQ w GET
< "w"
> SET k y IFEQ nope GET
< "x"
> GET k
< "x"
> SET missing w IFEQ v GET
< nil
> SET k z IFEQ x EX 100
< +OK
> TTL k
< 99..100
> SET k zz IFEQ z KEEPTTL
< +OK
> TTL k
< 99..100
> SET n 12
< +OK
> SET n 13 IFEQ 12
< +OK
> GET n
< "13"
> SET k v ifeq zz
< +OK
> GET k
< "v"

test SET IFEQ: another type
!needs LPUSH
> LPUSH l a
< 1
> SET l v IFEQ a
< -WRONGTYPE Operation against a key holding the wrong kind of value
> SET l v IFEQ a GET
< -WRONGTYPE Operation against a key holding the wrong kind of value

test GETEX
> SET k v
< +OK
> GETEX k
< "v"
> TTL k
< -1
> GETEX k EX 100
< "v"
> TTL k
< 99..100
> GETEX k
< "v"
> TTL k
< 99..100
> GETEX k PX 50000
< "v"
> PTTL k
< 49000..50000
> GETEX k EXAT $now_s+200
< "v"
> TTL k
< 198..200
> GETEX k PXAT $now_ms+300000
< "v"
> TTL k
< 298..300
> GETEX k PERSIST
< "v"
> TTL k
< -1
> GETEX missing
< nil
> GETEX missing EX 10
< nil
> EXISTS missing
< 0
> GETEX k EXAT 1
< "v"
> EXISTS k
< 0

test GETEX errors
> SET k v
< +OK
> GETEX
< -ERR wrong number of arguments for 'getex' command
> GETEX k XYZ
< -ERR syntax error
> GETEX k EX
< -ERR syntax error
> GETEX k EX 0
< -ERR invalid expire time in 'getex' command
> GETEX k EX -1
< -ERR invalid expire time in 'getex' command
> GETEX k EX abc
< -ERR value is not an integer or out of range
> GETEX k PX 9223372036854775807
< -ERR invalid expire time in 'getex' command
> GETEX k EX 9223372036854775807
< -ERR invalid expire time in 'getex' command
> GETEX k EX 10 PERSIST
< -ERR syntax error
> GETEX k PERSIST EX 10
< -ERR syntax error
> GETEX k PERSIST PERSIST
< "v"
> GETEX k EX 10 PX 10
< -ERR syntax error
> GETEX k KEEPTTL
< -ERR syntax error
> GETEX k NX
< -ERR syntax error
> GETEX k GET
< -ERR syntax error
> GETEX k IFEQ v
< -ERR syntax error
> TTL k
< -1
> GETEX missing EX abc
< -ERR value is not an integer or out of range
> GETEX missing EX 0
< -ERR invalid expire time in 'getex' command

test GETEX errors: another type
!needs LPUSH
> LPUSH l a
< 1
> GETEX l
< -WRONGTYPE Operation against a key holding the wrong kind of value
> GETEX l EX 10
< -WRONGTYPE Operation against a key holding the wrong kind of value

test GETDEL
> SET k v
< +OK
> GETDEL k
< "v"
> EXISTS k
< 0
> GETDEL k
< nil
> GETDEL
< -ERR wrong number of arguments for 'getdel' command
> GETDEL a b
< -ERR wrong number of arguments for 'getdel' command

test GETDEL: another type
!needs LPUSH
> LPUSH l a
< 1
> GETDEL l
< -WRONGTYPE Operation against a key holding the wrong kind of value
> EXISTS l
< 1

test GETSET
> GETSET k v
< nil
> GETSET k w
< "v"
> GET k
< "w"
> EXPIRE k 100
< 1
> GETSET k x
< "w"
> TTL k
< -1
> GETSET k
< -ERR wrong number of arguments for 'getset' command
> GETSET k a b
< -ERR wrong number of arguments for 'getset' command

test GETSET: another type
!needs LPUSH
> LPUSH l a
< 1
> GETSET l v
< -WRONGTYPE Operation against a key holding the wrong kind of value
> LRANGE l 0 -1
< ["a"]

test SETNX
> SETNX k v
< 1
> SETNX k w
< 0
> GET k
< "v"
> SETNX k
< -ERR wrong number of arguments for 'setnx' command
> SETNX k v x
< -ERR wrong number of arguments for 'setnx' command

test SETNX: another type
!needs LPUSH
> LPUSH l a
< 1
> SETNX l v
< 0

test SETEX and PSETEX
> SETEX k 10 v
< +OK
> TTL k
< 9..10
> GET k
< "v"
> PSETEX k 20000 w
< +OK
> PTTL k
< 19000..20000
> GET k
< "w"
> SETEX k 0 v
< -ERR invalid expire time in 'setex' command
> SETEX k -1 v
< -ERR invalid expire time in 'setex' command
> SETEX k abc v
< -ERR value is not an integer or out of range
> SETEX k 9223372036854775807 v
< -ERR invalid expire time in 'setex' command
> SETEX k 9223372036854775808 v
< -ERR value is not an integer or out of range
> PSETEX k 0 v
< -ERR invalid expire time in 'psetex' command
> PSETEX k -1 v
< -ERR invalid expire time in 'psetex' command
> PSETEX k abc v
< -ERR value is not an integer or out of range
> PSETEX k 9223372036854775807 v
< -ERR invalid expire time in 'psetex' command
> SETEX k 10
< -ERR wrong number of arguments for 'setex' command
> PSETEX k 10
< -ERR wrong number of arguments for 'psetex' command
> SETEX k 10 v EX
< -ERR wrong number of arguments for 'setex' command

test SETEX and PSETEX: another type
!needs LPUSH
> LPUSH l a
< 1
> SETEX l 10 v
< +OK
> TYPE l
< +string

test MGET
> MSET a 1 b two c ""
< +OK
> MGET a b c missing
< ["1" "two" "" nil]
> MGET a a
< ["1" "1"]
> MGET
< -ERR wrong number of arguments for 'mget' command
> MGET missing
< [nil]

test MGET: another type
!needs LPUSH
> LPUSH l x
< 1
> MGET a l b
< [nil nil nil]

test MSET
> MSET a 1
< +OK
> MSET a 2 b 3 a 4
< +OK
> MGET a b
< ["4" "3"]
> MSET
< -ERR wrong number of arguments for 'mset' command
> MSET a
< -ERR wrong number of arguments for 'mset' command
> MSET a 1 b
< -ERR wrong number of arguments for 'mset' command
> MSET a 1 b 2 c
< -ERR wrong number of arguments for 'mset' command
> EXPIRE a 100
< 1
> MSET a 5
< +OK
> TTL a
< -1

test MSET: another type
!needs LPUSH
> LPUSH l x
< 1
> MSET l 1
< +OK
> TYPE l
< +string

test MSETNX
> MSETNX a 1 b 2
< 1
> MSETNX b 3 c 4
< 0
> EXISTS c
< 0
> GET b
< "2"
> MSETNX d 1 d 2
< 1
> GET d
< "2"
> MSETNX
< -ERR wrong number of arguments for 'msetnx' command
> MSETNX a
< -ERR wrong number of arguments for 'msetnx' command
> MSETNX a 1 b
< -ERR wrong number of arguments for 'msetnx' command
> EXISTS z
< 0

test MSETNX: another type
!needs LPUSH
> LPUSH l x
< 1
> MSETNX l 1 z 2
< 0

test APPEND
> APPEND k abc
< 3
> APPEND k ""
< 3
> APPEND k def
< 6
> GET k
< "abcdef"
> SET n 12
< +OK
> APPEND n 3
< 3
> GET n
< "123"
> INCR n
< 124
> APPEND new ""
< 0
> EXISTS new
< 1
> EXPIRE k 100
< 1
> APPEND k x
< 7
> TTL k
< 99..100
> APPEND k
< -ERR wrong number of arguments for 'append' command
> APPEND k a b
< -ERR wrong number of arguments for 'append' command
> APPEND k "y"*100
< 107
> STRLEN k
< 107

test APPEND: another type
!needs LPUSH
> LPUSH l a
< 1
> APPEND l x
< -WRONGTYPE Operation against a key holding the wrong kind of value

test STRLEN
> SET k hello
< +OK
> STRLEN k
< 5
> STRLEN missing
< 0
> SET n 12345
< +OK
> STRLEN n
< 5
> SET n -1
< +OK
> STRLEN n
< 2
> STRLEN
< -ERR wrong number of arguments for 'strlen' command
> STRLEN a b
< -ERR wrong number of arguments for 'strlen' command

test STRLEN: another type
!needs LPUSH
> LPUSH l a
< 1
> STRLEN l
< -WRONGTYPE Operation against a key holding the wrong kind of value

test INCR, DECR, INCRBY, DECRBY
> INCR n
< 1
> INCR n
< 2
> DECR n
< 1
> DECR m
< -1
> INCRBY n 10
< 11
> INCRBY n -3
< 8
> DECRBY n 5
< 3
> DECRBY n -5
< 8
> GET n
< "8"
> SET n 9223372036854775806
< +OK
> INCR n
< 9223372036854775807
> INCR n
< -ERR increment or decrement would overflow
> GET n
< "9223372036854775807"
> SET n -9223372036854775808
< +OK
> DECR n
< -ERR increment or decrement would overflow
> DECRBY n 1
< -ERR increment or decrement would overflow
> INCRBY n -1
< -ERR increment or decrement would overflow
> GET n
< "-9223372036854775808"
> SET n 0
< +OK
> DECRBY n -9223372036854775808
< -ERR decrement would overflow
> INCRBY n 9223372036854775807
< 9223372036854775807
> INCRBY n 1
< -ERR increment or decrement would overflow
> INCRBY n -9223372036854775808
< -1
> INCRBY n 9223372036854775808
< -ERR value is not an integer or out of range
> INCRBY n abc
< -ERR value is not an integer or out of range
> INCRBY n 1.5
< -ERR value is not an integer or out of range
> INCRBY n ""
< -ERR value is not an integer or out of range
> INCRBY n " 1"
< -ERR value is not an integer or out of range
> INCRBY n 01
< -ERR value is not an integer or out of range
> INCRBY n +1
< -ERR value is not an integer or out of range
> INCRBY n -0
< -ERR value is not an integer or out of range
> SET s abc
< +OK
> INCR s
< -ERR value is not an integer or out of range
> DECR s
< -ERR value is not an integer or out of range
> INCRBY s 1
< -ERR value is not an integer or out of range
> SET s "12 "
< +OK
> INCR s
< -ERR value is not an integer or out of range
> SET s " 12"
< +OK
> INCR s
< -ERR value is not an integer or out of range
> SET s 012
< +OK
> INCR s
< -ERR value is not an integer or out of range
> SET s ""
< +OK
> INCR s
< -ERR value is not an integer or out of range
> SET s 9223372036854775808
< +OK
> INCR s
< -ERR value is not an integer or out of range
> SET s 1.0
< +OK
> INCR s
< -ERR value is not an integer or out of range
> INCR
< -ERR wrong number of arguments for 'incr' command
> INCR a b
< -ERR wrong number of arguments for 'incr' command
> DECR
< -ERR wrong number of arguments for 'decr' command
> INCRBY n
< -ERR wrong number of arguments for 'incrby' command
> DECRBY n
< -ERR wrong number of arguments for 'decrby' command
> DECRBY n abc
< -ERR value is not an integer or out of range

test INCR, DECR, INCRBY, DECRBY: another type
!needs LPUSH
> LPUSH l a
< 1
> INCR l
< -WRONGTYPE Operation against a key holding the wrong kind of value
> DECR l
< -WRONGTYPE Operation against a key holding the wrong kind of value
> INCRBY l 1
< -WRONGTYPE Operation against a key holding the wrong kind of value
> DECRBY l 1
< -WRONGTYPE Operation against a key holding the wrong kind of value

test INCR keeps the time to live
> SET n 5 EX 100
< +OK
> INCR n
< 6
> TTL n
< 99..100
> GET n
< "6"
> OBJECT ENCODING n
< "int"

test INCRBYFLOAT
> SET n 10.50
< +OK
> INCRBYFLOAT n 0.1
< "10.6"
> INCRBYFLOAT n -5
< "5.6"
> SET n 5.0e3
< +OK
> INCRBYFLOAT n 2.0e2
< "5200"
> GET n
< "5200"
> INCRBYFLOAT new 1
< "1"
> INCRBYFLOAT new 0.000001
< "1.000001"
> INCRBYFLOAT new -1.000001
< "0"
> SET n 3
< +OK
> INCRBYFLOAT n 1.1
< "4.1"
> INCRBYFLOAT n 1e100
< "9999999999999999999669353532207342619498699019828496079271391541752018669482644324418977840117055488"
> SET n 1
< +OK
> INCRBYFLOAT n 1e17
< "100000000000000001"
> SET n 0
< +OK
> INCRBYFLOAT n 0.1
< "0.1"
> INCRBYFLOAT n 0.2
< "0.3"
> INCRBYFLOAT n 123456789.123456789
< "123456789.42345678900164785"
> SET n 1
< +OK
> INCRBYFLOAT n nan
< -ERR value is not a valid float
> INCRBYFLOAT n inf
< -ERR increment would produce NaN or Infinity
> INCRBYFLOAT n -inf
< -ERR increment would produce NaN or Infinity
> INCRBYFLOAT n abc
< -ERR value is not a valid float
> INCRBYFLOAT n ""
< -ERR value is not a valid float
> INCRBYFLOAT n " 1"
< -ERR value is not a valid float
> INCRBYFLOAT n "1 "
< -ERR value is not a valid float
> INCRBYFLOAT n 0x10
< "17"
> INCRBYFLOAT n 1e5000
< -ERR value is not a valid float
> SET n 1e4000
< +OK
> INCRBYFLOAT n 1
< /9{20}[0-9]{3980}/
> DEL n
< 1
> SET n 1
< +OK
> INCRBYFLOAT n +1
< "2"
> INCRBYFLOAT n .5
< "2.5"
> INCRBYFLOAT n 5.
< "7.5"
> SET s abc
< +OK
> INCRBYFLOAT s 1
< -ERR value is not a valid float
> SET s " 1"
< +OK
> INCRBYFLOAT s 1
< -ERR value is not a valid float
> SET s "1 "
< +OK
> INCRBYFLOAT s 1
< -ERR value is not a valid float
> INCRBYFLOAT n
< -ERR wrong number of arguments for 'incrbyfloat' command
> SET t 1 EX 100
< +OK
> INCRBYFLOAT t 1
< "2"
> TTL t
< 99..100

test INCRBYFLOAT: another type
!needs LPUSH
> LPUSH l a
< 1
> INCRBYFLOAT l 1
< -WRONGTYPE Operation against a key holding the wrong kind of value

test GETRANGE and SUBSTR
> SET k "Hello World"
< +OK
> GETRANGE k 0 4
< "Hello"
> GETRANGE k -5 -1
< "World"
> GETRANGE k 0 -1
< "Hello World"
> GETRANGE k 5 3
< ""
> GETRANGE k -1 -5
< ""
> GETRANGE k 20 30
< ""
> GETRANGE k 6 100
< "World"
> GETRANGE k -100 4
< "Hello"
> GETRANGE k -100 -50
< "H"
> GETRANGE k 0 0
< "H"
> GETRANGE k 9223372036854775807 9223372036854775807
< ""
> GETRANGE k -9223372036854775808 9223372036854775807
< "Hello World"
> GETRANGE k -9223372036854775808 -9223372036854775808
< "H"
> GETRANGE k 0 9223372036854775808
< -ERR value is not an integer or out of range
> GETRANGE k a 1
< -ERR value is not an integer or out of range
> GETRANGE k 0 b
< -ERR value is not an integer or out of range
> GETRANGE missing 0 -1
< ""
> GETRANGE missing a b
< -ERR value is not an integer or out of range
> SET n 12345
< +OK
> GETRANGE n 1 3
< "234"
> SUBSTR k 0 4
< "Hello"
> SUBSTR k -5 -1
< "World"
> GETRANGE k 0
< -ERR wrong number of arguments for 'getrange' command
> GETRANGE k 0 1 2
< -ERR wrong number of arguments for 'getrange' command
> SUBSTR k 0
< -ERR wrong number of arguments for 'substr' command
> GETRANGE empty 0 0
< ""
> SET e ""
< +OK
> GETRANGE e 0 -1
< ""

test GETRANGE and SUBSTR: another type
!needs LPUSH
> LPUSH l a
< 1
> GETRANGE l 0 1
< -WRONGTYPE Operation against a key holding the wrong kind of value
> SUBSTR l 0 1
< -WRONGTYPE Operation against a key holding the wrong kind of value

test SETRANGE
> SETRANGE k 5 abc
< 8
> GET k
< "\x00\x00\x00\x00\x00abc"
> SETRANGE k 0 XY
< 8
> GET k
< "XY\x00\x00\x00abc"
> SETRANGE k 100 ""
< 8
> STRLEN k
< 8
> SETRANGE missing 0 ""
< 0
> SETRANGE missing 10 ""
< 0
> EXISTS missing
< 0
> SETRANGE k -1 a
< -ERR offset is out of range
> SETRANGE k abc a
< -ERR value is not an integer or out of range
> SETRANGE k 536870912 a
< -ERR string exceeds maximum allowed size (proto-max-bulk-len)
> SETRANGE k 9223372036854775807 a
< -ERR string exceeds maximum allowed size (proto-max-bulk-len)
> SETRANGE k 536870909 abcd
< -ERR string exceeds maximum allowed size (proto-max-bulk-len)
> SETRANGE missing 536870912 a
< -ERR string exceeds maximum allowed size (proto-max-bulk-len)
> SETRANGE missing 536870912 ""
< 0
> STRLEN k
< 8
> SET n 12345
< +OK
> SETRANGE n 2 xx
< 5
> GET n
< "12xx5"
> SET t v EX 100
< +OK
> SETRANGE t 1 w
< 2
> TTL t
< 99..100
> SETRANGE k 0
< -ERR wrong number of arguments for 'setrange' command
> SETRANGE k 0 a b
< -ERR wrong number of arguments for 'setrange' command

test SETRANGE: another type
!needs LPUSH
> LPUSH l a
< 1
> SETRANGE l 0 a
< -WRONGTYPE Operation against a key holding the wrong kind of value
> SETRANGE l 0 ""
< -WRONGTYPE Operation against a key holding the wrong kind of value

test LCS
> MSET k1 ohmytext k2 mynewtext
< +OK
> LCS k1 k2
< "mytext"
> LCS k1 k2 LEN
< 6
> LCS k1 k2 IDX
< {"matches" [[[4 7] [5 8]] [[2 3] [0 1]]] "len" 6}
> LCS k1 k2 IDX MINMATCHLEN 4
< {"matches" [[[4 7] [5 8]]] "len" 6}
> LCS k1 k2 IDX MINMATCHLEN 4 WITHMATCHLEN
< {"matches" [[[4 7] [5 8] 4]] "len" 6}
> LCS k1 k2 IDX WITHMATCHLEN
< {"matches" [[[4 7] [5 8] 4] [[2 3] [0 1] 2]] "len" 6}
> LCS k1 k2 MINMATCHLEN 4
< "mytext"
> LCS k1 k2 WITHMATCHLEN
< "mytext"
> LCS k1 k2 IDX MINMATCHLEN 0
< {"matches" [[[4 7] [5 8]] [[2 3] [0 1]]] "len" 6}
> LCS k1 k2 IDX MINMATCHLEN -5
< {"matches" [[[4 7] [5 8]] [[2 3] [0 1]]] "len" 6}
> LCS k1 k2 IDX MINMATCHLEN 100
< {"matches" [] "len" 6}
> LCS k1 k2 idx len
< -ERR If you want both the length and indexes, please just use IDX.
> LCS k1 k2 LEN IDX
< -ERR If you want both the length and indexes, please just use IDX.
> LCS k1 k2 FOO
< -ERR syntax error
> LCS k1 k2 IDX MINMATCHLEN
< -ERR syntax error
> LCS k1 k2 IDX MINMATCHLEN abc
< -ERR value is not an integer or out of range
> LCS k1 missing
< ""
> LCS k1 missing LEN
< 0
> LCS k1 missing IDX
< {"matches" [] "len" 0}
> LCS missing missing
< ""
> LCS k1 k1
< "ohmytext"
> LCS k1 k1 IDX
< {"matches" [[[0 7] [0 7]]] "len" 8}
> LCS k1
< -ERR wrong number of arguments for 'lcs' command
> LCS
< -ERR wrong number of arguments for 'lcs' command
> SET n1 1234
< +OK
> SET n2 2345
< +OK
> LCS n1 n2
< "234"

test LCS: another type
!needs LPUSH
> LPUSH l a
< 1
> LCS k1 l
< -ERR The specified keys must contain string values
> LCS l k1
< -ERR The specified keys must contain string values
> LCS l k1 LEN
< -ERR The specified keys must contain string values

test encodings
> SET k 12345
< +OK
> OBJECT ENCODING k
< "int"
> SET k 9223372036854775807
< +OK
> OBJECT ENCODING k
< "int"
> SET k 9223372036854775808
< +OK
> OBJECT ENCODING k
< "embstr"
> SET k "x"*44
< +OK
> OBJECT ENCODING k
< "embstr"
> SET k "x"*45
< +OK
> OBJECT ENCODING k
< "embstr"|"raw"
> SET k "x"*200
< +OK
> OBJECT ENCODING k
< "raw"
> SET k 012
< +OK
> OBJECT ENCODING k
< "embstr"
> SET k -0
< +OK
> OBJECT ENCODING k
< "embstr"
> SET k ""
< +OK
> OBJECT ENCODING k
< "embstr"
> SET k short
< +OK
> APPEND k x
< 6
> OBJECT ENCODING k
< "raw"
> SET k 5
< +OK
> INCR k
< 6
> OBJECT ENCODING k
< "int"
> INCRBYFLOAT k 1
< "7"
> OBJECT ENCODING k
< "embstr"|"raw"
> SETRANGE k 0 a
< 1
> OBJECT ENCODING k
< "raw"
