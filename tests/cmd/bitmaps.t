# Bits of strings: SETBIT, GETBIT, BITCOUNT, BITPOS, BITOP, BITFIELD. What Valkey 9 answers; BITOP's newer operations are Redis 8.2's.

test SETBIT and GETBIT
> SETBIT k 7 1
< 0
> GET k
< "\x01"
> SETBIT k 7 1
< 1
> SETBIT k 7 0
< 1
> GETBIT k 7
< 0
> SETBIT k 20 1
< 0
> GET k
< "\x00\x00\x08"
> GETBIT k 20
< 1
> GETBIT k 21
< 0
> GETBIT k 100000
< 0
> GETBIT missing 0
< 0
> SETBIT new 0 0
< 0
> GET new
< "\x00"
> SET n 12
< +OK
> OBJECT ENCODING n
< "int"
> GETBIT n 2
< 1
> SETBIT n 6 1
< 0
> GET n
< "32"
> OBJECT ENCODING n
< "raw"

test SETBIT and GETBIT refuse
> SETBIT k -1 1
< -ERR bit offset is not an integer or out of range
> SETBIT k x 1
< -ERR bit offset is not an integer or out of range
> SETBIT k #1 1
< -ERR bit offset is not an integer or out of range
> SETBIT k 4294967296 1
< -ERR bit offset is not an integer or out of range
> SETBIT k 0 2
< -ERR bit is not an integer or out of range
> SETBIT k 0 -1
< -ERR bit is not an integer or out of range
> SETBIT k 0 x
< -ERR bit is not an integer or out of range
> GETBIT k -1
< -ERR bit offset is not an integer or out of range
> SETBIT k 0
< -ERR wrong number of arguments for 'setbit' command
> SADD s x
< 1
> SETBIT s 0 1
< -WRONGTYPE Operation against a key holding the wrong kind of value
> GETBIT s 0
< -WRONGTYPE Operation against a key holding the wrong kind of value
> EXISTS k
< 0

test BITCOUNT
> BITCOUNT missing
< 0
> BITCOUNT missing 0 -1
< 0
> SET k foobar
< +OK
> BITCOUNT k
< 26
> BITCOUNT k 0 0
< 4
> BITCOUNT k 1 1
< 6
> BITCOUNT k 1 -2
< 18
> BITCOUNT k -2 1000
< 7
> BITCOUNT k 3
< 10
> BITCOUNT k -2 -1 BYTE
< 7
> BITCOUNT k 5 30 BIT
< 17
> BITCOUNT k 5 5 bit
< 1
> BITCOUNT k -8 -1 BIT
< 4
> BITCOUNT k 4 2
< 0
> BITCOUNT k -100 -200
< 0
> BITCOUNT k -200 -100
< 4
> BITCOUNT k 100 200
< 0
> SET empty ""
< +OK
> BITCOUNT empty 0 -1
< 0
> SET long "\xff"*5000
< +OK
> BITCOUNT long
< 40000
> BITCOUNT long 3 -6 BIT
< 39992
> BITCOUNT k 0 1 HELLO
< -ERR syntax error
> BITCOUNT k 0 x HELLO
< -ERR syntax error
> BITCOUNT k x 1
< -ERR value is not an integer or out of range
> BITCOUNT k 0 x
< -ERR value is not an integer or out of range
> BITCOUNT k 0 1 BIT x
< -ERR syntax error
> SADD s x
< 1
> BITCOUNT s
< -WRONGTYPE Operation against a key holding the wrong kind of value

test BITPOS
> BITPOS missing 0
< 0
> BITPOS missing 1
< -1
> BITPOS missing 0 5 10
< 0
> SET k "\xff\xf0\x00"
< +OK
> BITPOS k 0
< 12
> BITPOS k 1
< 0
> BITPOS k 1 2
< -1
> BITPOS k 0 0 0
< -1
> BITPOS k 0 0 7 BIT
< -1
> BITPOS k 0 7 15 BIT
< 12
> BITPOS k 1 -100 -1
< 0
> BITPOS k 1 -100 -200
< 0
> BITPOS k 1 3
< -1
> BITPOS k 0 10 20
< -1
> SET ones "\xff\xff\xff"
< +OK
> BITPOS ones 0
< 24
> BITPOS ones 0 1
< 24
> BITPOS ones 0 0 -1
< -1
> SET long "\x00"*5000
< +OK
> BITPOS long 1
< -1
> SETBIT long 39999 1
< 0
> BITPOS long 1
< 39999
> BITPOS long 1 -2 -1 BYTE
< 39999
> BITPOS k 2
< -ERR The bit argument must be 1 or 0.
> BITPOS k x
< -ERR value is not an integer or out of range
> BITPOS k 0 x
< -ERR value is not an integer or out of range
> BITPOS k 0 0 1 x
< -ERR syntax error
> BITPOS k 0 0 1 BIT x
< -ERR syntax error
> SADD s x
< 1
> BITPOS s 0
< -WRONGTYPE Operation against a key holding the wrong kind of value

test BITOP
> SET a "\xf0\xff\x0f"
< +OK
> SET b "\xcc\x0f"
< +OK
> BITOP AND d a b
< 3
> GET d
< "\xc0\x0f\x00"
> BITOP or d a b missing
< 3
> GET d
< "\xfc\xff\x0f"
> BITOP XOR d a b
< 3
> GET d
< "\x3c\xf0\x0f"
> BITOP NOT d a
< 3
> GET d
< "\x0f\x00\xf0"
> OBJECT ENCODING d
< "raw"
> BITOP NOT a a
< 3
> GET a
< "\x0f\x00\xf0"
> BITOP AND d missing
< 0
> EXISTS d
< 0
> SET d v EX 100
< +OK
> BITOP OR d b
< 2
> TTL d
< -1
> SADD s x
< 1
> BITOP OR s b
< 2
> TYPE s
< +string

test BITOP refuses
> SADD s x
< 1
> SET d old
< +OK
> BITOP AND d missing s
< -WRONGTYPE Operation against a key holding the wrong kind of value
> GET d
< "old"
> BITOP NOT d a b
< -ERR BITOP NOT must be called with a single source key.
> BITOP NAND d a b
< -ERR syntax error
> BITOP AND d
< -ERR wrong number of arguments for 'bitop' command

test BITOP DIFF, DIFF1, ANDOR, ONE
!own
> SET x "\xf0\x0f"
< +OK
> SET y "\xc3"
< +OK
> SET z "\x81\x01\xff"
< +OK
> BITOP DIFF d x y z
< 3
> GET d
< "\x30\x0e\x00"
> BITOP DIFF1 d x y z
< 3
> GET d
< "\x03\x00\xff"
> BITOP ANDOR d x y z
< 3
> GET d
< "\xc0\x01\x00"
> BITOP ONE d x y z
< 3
> GET d
< "\x32\x0e\xff"
> BITOP ONE d x
< 2
> GET d
< "\xf0\x0f"
> BITOP diff d x
< -ERR BITOP DIFF must be called with at least two source keys.
> BITOP diff1 d x
< -ERR BITOP DIFF1 must be called with at least two source keys.
> BITOP andor d x
< -ERR BITOP ANDOR must be called with at least two source keys.

test BITFIELD
> BITFIELD k
< []
> EXISTS k
< 0
> BITFIELD k GET u8 0
< [0]
> EXISTS k
< 0
> BITFIELD k SET u8 0 255 GET i8 0 GET u8 4
< [0 -1 240]
> BITFIELD k SET i8 #1 -100 GET i8 8 GET u8 #1
< [0 -100 156]
> GET k
< "\xff\x9c"
> BITFIELD k INCRBY u4 4 1 GET u8 0
< [0 240]
> BITFIELD k INCRBY i64 100 -1 INCRBY i64 100 -1
< [-1 -2]
> STRLEN k
< 21
> BITFIELD k SET u63 0 9223372036854775807 GET u63 0 GET i64 0
< [:? 9223372036854775807 ?]

test BITFIELD OVERFLOW
> BITFIELD k SET u8 0 250 OVERFLOW SAT INCRBY u8 0 10 INCRBY u8 0 -300 OVERFLOW FAIL INCRBY u8 0 -1 GET u8 0
< [0 255 0 nil 0]
> BITFIELD k OVERFLOW WRAP INCRBY u8 0 300 INCRBY i8 8 200
< [44 -56]
> BITFIELD k OVERFLOW SAT INCRBY i8 8 -200 INCRBY i8 8 1000
< [-128 127]
> BITFIELD k OVERFLOW SAT SET u8 0 -1 GET u8 0 SET i8 0 -1000 GET i8 0 SET i8 0 1000 GET i8 0
< [44 255 -1 -128 -128 127]
> BITFIELD k OVERFLOW FAIL SET u8 0 256 OVERFLOW wrap SET u8 0 257 GET u8 0
< [nil 127 1]
> BITFIELD n OVERFLOW FAIL SET u2 0 9
< [nil]
> GET n
< "\x00"

test BITFIELD refuses
> BITFIELD k GET u64 0
< -ERR Invalid bitfield type. Use something like i16 u8. Note that u64 is not supported but i64 is.
> BITFIELD k GET i65 0
< -ERR Invalid bitfield type. Use something like i16 u8. Note that u64 is not supported but i64 is.
> BITFIELD k GET x8 0
< -ERR Invalid bitfield type. Use something like i16 u8. Note that u64 is not supported but i64 is.
> BITFIELD k GET u8 -1
< -ERR bit offset is not an integer or out of range
> BITFIELD k GET u8 #-1
< -ERR bit offset is not an integer or out of range
> BITFIELD k GET u8 4294967296
< -ERR bit offset is not an integer or out of range
> BITFIELD k SET u8 0 x
< -ERR value is not an integer or out of range
> BITFIELD k SET u8 0 1 OVERFLOW x
< -ERR Invalid OVERFLOW type specified
> BITFIELD k OVERFLOW
< -ERR syntax error
> BITFIELD k GET u8
< -ERR syntax error
> EXISTS k
< 0
> SADD s x
< 1
> BITFIELD s
< -WRONGTYPE Operation against a key holding the wrong kind of value
> BITFIELD s SET u8 0 1
< -WRONGTYPE Operation against a key holding the wrong kind of value

test BITFIELD_RO
> SET k abc
< +OK
> BITFIELD_RO k GET u8 0 GET u8 #2
< [97 99]
> BITFIELD_RO k OVERFLOW SAT GET i4 0
< [6]
> BITFIELD_RO k GET u8 0 SET u8 0 1
< -ERR BITFIELD_RO only supports the GET subcommand
> BITFIELD_RO missing GET u8 0
< [0]

test which keys BITFIELD reads and writes
> COMMAND GETKEYSANDFLAGS BITFIELD k GET u8 0
< [["k" set[+RO +access]]]
> COMMAND GETKEYSANDFLAGS BITFIELD k GET u8 0 SET u8 0 1
< [["k" set[+RW +access +update]]]
> COMMAND GETKEYS BITOP AND d a b
< ["d" "a" "b"]
