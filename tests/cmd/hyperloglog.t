# HyperLogLog. What Redis 7 and Valkey 9 answer, to the byte.

test PFADD and PFCOUNT
> PFADD h a b c
< 1
> PFADD h a b c
< 0
> PFADD h d
< 1
> PFCOUNT h
< 4
> PFCOUNT missing
< 0
> PFADD empty
< 1
> PFADD empty
< 0
> PFCOUNT empty
< 0
> TYPE h
< +string
> PFADD
< -ERR wrong number of arguments for 'pfadd' command
> PFCOUNT
< -ERR wrong number of arguments for 'pfcount' command

test a value's bytes
> PFADD h a b c
< 1
> GET h
< "HYLL\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x80\x60\xf3\x80\x50\xb1\x84\x4b\xfb\x80\x42\x5a"
> PFCOUNT h
< 3
> GET h
< "HYLL\x01\x00\x00\x00\x03\x00\x00\x00\x00\x00\x00\x00\x60\xf3\x80\x50\xb1\x84\x4b\xfb\x80\x42\x5a"
> PFADD e
< 1
> GET e
< "HYLL\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x80\x7f\xff"
> PFDEBUG DECODE h
< "Z:8436 v:1,1 Z:4274 v:2,1 Z:3068 v:1,1 Z:603"
> PFDEBUG ENCODING h
< +sparse
> PFDEBUG TODENSE h
< 1
> PFDEBUG TODENSE h
< 0
> PFDEBUG ENCODING h
< +dense
> STRLEN h
< 12304
> PFCOUNT h
< 3
> PFDEBUG DECODE h
< -ERR HLL encoding is not sparse
> PFDEBUG GETREG e
< [0 0 0 ...]
> PFDEBUG ENCODING e
< +dense

test a sparse value becomes dense at hll-sparse-max-bytes
> CONFIG SET hll-sparse-max-bytes 24
< +OK
> PFADD h a
< 1
> PFDEBUG ENCODING h
< +sparse
> PFADD h b c
< 1
> PFDEBUG ENCODING h
< +dense
> PFCOUNT h
< 3
> CONFIG SET hll-sparse-max-bytes 3000
< +OK

test PFMERGE
> PFADD a 1 2 3
< 1
> PFADD b 3 4 5
< 1
> PFCOUNT a b missing
< 5
> PFMERGE d a b missing
< +OK
> PFCOUNT d
< 5
> PFDEBUG ENCODING d
< +sparse
> PFMERGE n
< +OK
> PFCOUNT n
< 0
> PFDEBUG TODENSE b
< 1
> PFMERGE d b
< +OK
> PFDEBUG ENCODING d
< +dense
> PFCOUNT d
< 5
> PFCOUNT d a b
< 5

test what is no HyperLogLog
> SET s foobar
< +OK
> PFADD s a
< -WRONGTYPE Key is not a valid HyperLogLog string value.
> PFCOUNT s
< -WRONGTYPE Key is not a valid HyperLogLog string value.
> PFCOUNT missing s
< -WRONGTYPE Key is not a valid HyperLogLog string value.
> PFMERGE d s
< -WRONGTYPE Key is not a valid HyperLogLog string value.
> EXISTS d
< 0
> PFMERGE s
< -WRONGTYPE Key is not a valid HyperLogLog string value.
> PFDEBUG ENCODING s
< -WRONGTYPE Key is not a valid HyperLogLog string value.
> SET s "HYLL\x02\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x7f\xff"
< +OK
> PFCOUNT s
< -WRONGTYPE Key is not a valid HyperLogLog string value.
> SET s "HYLL\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x7f\xff"
< +OK
> PFCOUNT s
< -WRONGTYPE Key is not a valid HyperLogLog string value.
> SADD set x
< 1
> PFADD set x
< -WRONGTYPE Operation against a key holding the wrong kind of value
> PFCOUNT set
< -WRONGTYPE Operation against a key holding the wrong kind of value

test corrupted values
> PFADD h a b c
< 1
> APPEND h hello
< 32
> PFCOUNT h
< -INVALIDOBJ Corrupted HLL object detected
> PFCOUNT h h
< -INVALIDOBJ Corrupted HLL object detected
> PFMERGE d h
< -INVALIDOBJ Corrupted HLL object detected
> EXISTS d
< 0
> PFDEBUG TODENSE h
< -INVALIDOBJ Corrupted HLL object detected
> SET h "HYLL\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x80\x00"
< +OK
> PFADD h a
< -INVALIDOBJ Corrupted HLL object detected
> PFCOUNT h
< -INVALIDOBJ Corrupted HLL object detected

test PFDEBUG and PFSELFTEST
> PFDEBUG ENCODING missing
< -ERR The specified key does not exist
> PFADD h a
< 1
> PFDEBUG nothing h
< -ERR Unknown PFDEBUG subcommand 'nothing'
> PFDEBUG SIMD ON
< +enabled|+disabled
> PFDEBUG ENCODING
< -ERR wrong number of arguments for 'pfdebug' command
> PFSELFTEST
< +OK
