# Waiting on keys, with lists. The other types' waiting commands are in their own files.

test BLPOP and BRPOP answer at once when they can
> RPUSH l a b c
< 3
> BLPOP l 0
< ["l" "a"]
> BRPOP missing l 1
< ["l" "c"]
> BLPOP l 1
< ["l" "b"]
> EXISTS l
< 0
> SET s v
< +OK
> BLPOP s 1
< -WRONGTYPE Operation against a key holding the wrong kind of value
> BLPOP missing s 1
< -WRONGTYPE Operation against a key holding the wrong kind of value

test BLPOP waits
a>> BLPOP k1 k2 0
?> INFO clients
< has(/^blocked_clients:1\b/ /^total_blocking_keys:2\b/)
> RPUSH other x
< 1
> RPUSH k2 x y
< 2
a< ["k2" "x"]
> LRANGE k2 0 -1
< ["y"]
?> INFO clients
< has(/^blocked_clients:0\b/ /^total_blocking_keys:0\b/)

test requests behind a waiting one wait, too
a>> BLPOP k 0
a>> PING
a>> ECHO later
?> INFO clients
< has(/^blocked_clients:1\b/)
!silent a
> RPUSH k x
< 1
a< ["k" "x"]
a< +PONG
a< "later"

test first come, first served
a>> BLPOP k 0
?> INFO clients
< has(/^blocked_clients:1\b/)
b>> BRPOP k 0
?> INFO clients
< has(/^blocked_clients:2\b/)
c>> BLPOP k 0
?> INFO clients
< has(/^blocked_clients:3\b/)
> RPUSH k 1 2 3 4
< 4
a< ["k" "1"]
b< ["k" "4"]
c< ["k" "2"]
> LRANGE k 0 -1
< ["3"]

test one key more than once
a>> BLPOP k k k 0
?> INFO clients
< has(/^blocked_clients:1\b/ /^total_blocking_keys:1\b/)
> RPUSH k x
< 1
a< ["k" "x"]

test the order of the command's keys decides after a transaction
a>> BLPOP k1 k2 0
?> INFO clients
< has(/^blocked_clients:1\b/)
> MULTI
< +OK
> RPUSH k2 second
< +QUEUED
> RPUSH k1 first
< +QUEUED
> EXEC
< [1 1]
a< ["k1" "first"]

test what a transaction takes back is not served
a>> BLPOP k 0
?> INFO clients
< has(/^blocked_clients:1\b/)
> MULTI
< +OK
> RPUSH k x
< +QUEUED
> DEL k
< +QUEUED
> EXEC
< [1 1]
!silent a
> RPUSH k y
< 1
a< ["k" "y"]

test timeouts
a>> BLPOP k 0.02
a< nil*
a>> BRPOP k 0.02
a< nil*
a>> BLMOVE k l LEFT LEFT 0.02
a< nil*
a>> BRPOPLPUSH k l 0.02
a< nil*
a>> BLMPOP 0.02 1 k LEFT
a< nil*
> RPUSH k x
< 1
> LLEN k
< 1

test timeouts that are none
> BLPOP k -1
< -ERR timeout is negative
> BLPOP k x
< -ERR timeout is not a float or out of range
> BLPOP k nan
< -ERR timeout is not a float or out of range
> BLPOP k 9223372036854776
< -ERR timeout is out of range
> BLMOVE k l LEFT LEFT -1
< -ERR timeout is negative
> BRPOPLPUSH k l -0.1
< -ERR timeout is negative
> BLMPOP -1 1 k LEFT
< -ERR timeout is negative
> BLMPOP 0 0 k LEFT
< -ERR numkeys should be greater than 0
> BLMPOP 0 1 k LEFT COUNT 0
< -ERR count should be greater than 0
> BLMOVE k l UP LEFT 0
< -ERR syntax error

test BLMOVE and BRPOPLPUSH
> RPUSH k a b
< 2
> BLMOVE k l LEFT RIGHT 0
< "a"
> BRPOPLPUSH k l 0
< "b"
> LRANGE l 0 -1
< ["b" "a"]
a>> BLMOVE k l RIGHT RIGHT 0
?> INFO clients
< has(/^blocked_clients:1\b/)
> RPUSH k x y
< 2
a< "y"
> LRANGE l 0 -1
< ["b" "a" "y"]

test BLMOVE serves who waits for its destination
a>> BLMOVE k1 k2 LEFT RIGHT 0
?> INFO clients
< has(/^blocked_clients:1\b/)
b>> BLMOVE k2 k3 LEFT RIGHT 0
?> INFO clients
< has(/^blocked_clients:2\b/)
c>> BLPOP k3 0
?> INFO clients
< has(/^blocked_clients:3\b/)
> RPUSH k1 x
< 1
a< "x"
b< "x"
c< ["k3" "x"]
> EXISTS k1 k2 k3
< 0

test BLMOVE in a circle
a>> BRPOPLPUSH k1 k2 0
b>> BRPOPLPUSH k2 k1 0
?> INFO clients
< has(/^blocked_clients:2\b/)
> RPUSH k1 x
< 1
a< "x"
b< "x"
> LRANGE k1 0 -1
< ["x"]

test a destination of another type
> SET s v
< +OK
a>> BRPOPLPUSH k s 0
?> INFO clients
< has(/^blocked_clients:1\b/)
b>> BLPOP k 0
?> INFO clients
< has(/^blocked_clients:2\b/)
> RPUSH k x
< 1
a< -WRONGTYPE Operation against a key holding the wrong kind of value
b< ["k" "x"]

test BLMPOP
> RPUSH k a b c
< 3
> BLMPOP 0 2 missing k RIGHT COUNT 2
< ["k" ["c" "b"]]
a>> BLMPOP 0 2 k1 k2 LEFT COUNT 3
?> INFO clients
< has(/^blocked_clients:1\b/)
> RPUSH k2 1 2
< 2
a< ["k2" ["1" "2"]]
> BLMPOP 0 3 a b LEFT
< -ERR syntax error

test other types do not serve
a>> BLPOP k 0
?> INFO clients
< has(/^blocked_clients:1\b/)
> SET k v
< +OK
!silent a
> DEL k
< 1
> LPUSH k x
< 1
a< ["k" "x"]

test keys that come from elsewhere serve
!needs RENAME
a>> BLPOP k 0
?> INFO clients
< has(/^blocked_clients:1\b/)
> RPUSH other x y
< 2
> RENAME other k
< +OK
a< ["k" "x"]
> DEL k
< 1
a>> BLPOP k 0
?> INFO clients
< has(/^blocked_clients:1\b/)
b> SELECT 1
b< +OK
b> RPUSH k z
b< 1
> SWAPDB 0 1
< +OK
a< ["k" "z"]

test COPY and MOVE serve
!needs COPY MOVE
a>> BLPOP k 0
?> INFO clients
< has(/^blocked_clients:1\b/)
> RPUSH other x
< 1
> COPY other k
< 1
a< ["k" "x"]
a>> BLPOP k 0
?> INFO clients
< has(/^blocked_clients:1\b/)
b> SELECT 1
b< +OK
b> RPUSH k z
b< 1
b> MOVE k 0
b< 1
a< ["k" "z"]

test nothing blocks in a transaction
> MULTI
< +OK
> BLPOP k 0
< +QUEUED
> BLMOVE k l LEFT LEFT 0
< +QUEUED
> BRPOPLPUSH k l 0
< +QUEUED
> BLMPOP 0 1 k LEFT
< +QUEUED
> EXEC
< [nil* nil nil nil*]

test CLIENT UNBLOCK
a> CLIENT ID
a< ?id
a>> BLPOP k 0
?> INFO clients
< has(/^blocked_clients:1\b/)
> CLIENT UNBLOCK $id
< 1
a< nil*
a>> BLPOP k 0
?> INFO clients
< has(/^blocked_clients:1\b/)
> CLIENT UNBLOCK $id ERROR
< 1
a< -UNBLOCKED client unblocked via CLIENT UNBLOCK
a>> BLMOVE k l LEFT LEFT 0
?> INFO clients
< has(/^blocked_clients:1\b/)
> CLIENT UNBLOCK $id TIMEOUT
< 1
a< nil*
> CLIENT UNBLOCK $id
< 0
> RPUSH k x
< 1
> LLEN k
< 1

test who goes is not served
a>> BLPOP k 0
?> INFO clients
< has(/^blocked_clients:1\b/)
b>> BLPOP k 0
?> INFO clients
< has(/^blocked_clients:2\b/)
!close a
?> INFO clients
< has(/^blocked_clients:1\b/)
> RPUSH k x
< 1
b< ["k" "x"]

test a served client goes on
a>> BLPOP k 0
a>> BLPOP k 0
a>> BLPOP k 0
?> INFO clients
< has(/^blocked_clients:1\b/)
> RPUSH k 1 2
< 2
a< ["k" "1"]
a< ["k" "2"]
?> INFO clients
< has(/^blocked_clients:1\b/)
> RPUSH k 3
< 1
a< ["k" "3"]

test FLUSHALL leaves them waiting
a>> BLPOP k 0
?> INFO clients
< has(/^blocked_clients:1\b/)
> FLUSHALL
< +OK
!silent a
> RPUSH k x
< 1
a< ["k" "x"]

test CLIENT REPLY OFF and SKIP hold for the late reply
a>> CLIENT REPLY SKIP
a>> BLPOP k 0
?> INFO clients
< has(/^blocked_clients:1\b/)
> RPUSH k x y
< 2
?> LLEN k
< 1
a> PING
a< +PONG
