# maxmemory and its policies. A limit of one byte makes what goes certain: everything that may.

test noeviction refuses what needs memory, and nothing else
> MSET a 1 b 2
< +OK
> CONFIG SET maxmemory-policy noeviction maxmemory 1
< +OK
> SET c 3
< -OOM command not allowed when used memory > 'maxmemory'.
> LPUSH l x
< -OOM command not allowed when used memory > 'maxmemory'.
> INCR a
< -OOM command not allowed when used memory > 'maxmemory'.
> GET a
< "1"
> EXPIRE a 100
< 1
> DEL a
< 1
> DBSIZE
< 1
> CONFIG SET maxmemory 0
< +OK
> SET c 3
< +OK

test a refused command counts as rejected
> CONFIG SET maxmemory-policy noeviction maxmemory 1
< +OK
> SET b 1
< ?
> CONFIG RESETSTAT
< +OK
> SET c 3
< -OOM command not allowed when used memory > 'maxmemory'.
> INFO errorstats
< =txt has(/errorstat_OOM:count=1/)
> INFO commandstats
< =txt has(/cmdstat_set:calls=0,usec=0,usec_per_call=0.00,rejected_calls=1,failed_calls=0/)
> CONFIG SET maxmemory 0
< +OK

test transactions over the limit
> SET a 1
< +OK
> MULTI
< +OK
> SET b 2
< +QUEUED
> GET a
< +QUEUED
b> CONFIG SET maxmemory-policy noeviction maxmemory 1
b< +OK
> EXEC
< -EXECABORT Transaction discarded because of: OOM command not allowed when used memory > 'maxmemory'.
> GET b
< nil
> MULTI
< +OK
> GET a
< +QUEUED
> EXEC
< ["1"]
> MULTI
< +OK
> SET b 2
< -OOM command not allowed when used memory > 'maxmemory'.
> GET a
< +QUEUED
> EXEC
< -EXECABORT Transaction discarded because of previous errors.
> MULTI
< +OK
> SET b 2
< -OOM command not allowed when used memory > 'maxmemory'.
> DISCARD
< +OK
b> CONFIG SET maxmemory 0
b< +OK

test allkeys-lru
> MSET a 1 b 2
< +OK
> SET c 3 EX 100
< +OK
> CONFIG RESETSTAT
< +OK
> CONFIG SET maxmemory-policy allkeys-lru maxmemory 1
< +OK
?> DBSIZE
< 0
> INFO stats
< =txt has(/evicted_keys:3/)
> CONFIG SET maxmemory 0
< +OK

test allkeys-lfu
> CONFIG SET maxmemory-policy allkeys-lfu
< +OK
> MSET a 1 b 2
< +OK
> LPUSH l 1 2 3
< 3
> CONFIG SET maxmemory 1
< +OK
?> DBSIZE
< 0
> CONFIG SET maxmemory 0
< +OK

test allkeys-random, in every database
> MSET a 1 b 2
< +OK
> SELECT 5
< +OK
> MSET a 1 b 2
< +OK
> CONFIG SET maxmemory-policy allkeys-random maxmemory 1
< +OK
?> DBSIZE
< 0
> SELECT 0
< +OK
?> DBSIZE
< 0
> CONFIG SET maxmemory 0
< +OK

test volatile-lru
> MSET a 1 b 2
< +OK
> SET c 3 EX 100
< +OK
> SET d 4 EX 200
< +OK
> CONFIG SET maxmemory-policy volatile-lru maxmemory 1
< +OK
?> DBSIZE
< 2
> MGET a b c d
< ["1" "2" nil nil]
> SET e 5
< -OOM command not allowed when used memory > 'maxmemory'.
> EXPIRE a 100
< 1
?> SET e 5
< -OOM command not allowed when used memory > 'maxmemory'.
?> DBSIZE
< 1
> CONFIG SET maxmemory 0
< +OK

test volatile-lfu
> CONFIG SET maxmemory-policy volatile-lfu
< +OK
> MSET a 1 b 2
< +OK
> SET c 3 EX 100
< +OK
> CONFIG SET maxmemory 1
< +OK
?> DBSIZE
< 2
> EXISTS a b c
< 2
> CONFIG SET maxmemory 0
< +OK

test volatile-random
> MSET a 1 b 2
< +OK
> SET c 3 EX 100
< +OK
> CONFIG SET maxmemory-policy volatile-random maxmemory 1
< +OK
?> DBSIZE
< 2
> EXISTS a b c
< 2
> CONFIG SET maxmemory 0
< +OK

test volatile-ttl
> MSET a 1 b 2
< +OK
> SET c 3 EX 100
< +OK
> CONFIG SET maxmemory-policy volatile-ttl maxmemory 1
< +OK
?> DBSIZE
< 2
> EXISTS a b c
< 2
> CONFIG SET maxmemory 0
< +OK

test a hash whose fields have deadlines has none itself
!needs HEXPIRE
> HSET h f v g w
< 2
> HEXPIRE h 100 FIELDS 1 f
< [1]
> SET c 3 EX 100
< +OK
> CONFIG SET maxmemory-policy volatile-ttl maxmemory 1
< +OK
?> EXISTS c
< 0
> HLEN h
< 2
> HTTL h FIELDS 1 f
< [99..100]
> CONFIG SET maxmemory 0
< +OK

test every type goes
!needs XADD ZADD HSET
> RPUSH l a b c
< 3
> SADD s a b c
< 3
> SADD i 1 2 3
< 3
> ZADD z 1 a 2 b
< 2
> HSET h f v
< 1
> XADD x 1-1 f v
< "1-1"
> SET t "v"*5000
< +OK
> CONFIG SET maxmemory-policy allkeys-lru maxmemory 1
< +OK
?> DBSIZE
< 0
> CONFIG SET maxmemory 0
< +OK

test events and watchers
> CONFIG SET notify-keyspace-events Ee
< +OK
sub> PSUBSCRIBE __keyevent@*
sub< push["psubscribe" "__keyevent@*" 1]
> SET a 1
< +OK
w> WATCH a
w< +OK
w> MULTI
w< +OK
w> PING
w< +QUEUED
> CONFIG SET maxmemory-policy allkeys-random maxmemory 1
< +OK
sub< push["pmessage" "__keyevent@*" "__keyevent@0__:evicted" "a"]
w> EXEC
w< nil*
> CONFIG SET maxmemory 0
< +OK
> CONFIG SET notify-keyspace-events ""
< +OK

test a pause holds eviction
> SET a 1
< +OK
> CLIENT PAUSE 100000 WRITE
< +OK
> CONFIG SET maxmemory-policy allkeys-lru maxmemory 1
< +OK
> EXISTS a
< 1
> CLIENT UNPAUSE
< +OK
?> EXISTS a
< 0
> CONFIG SET maxmemory 0
< +OK

test another policy is heeded at once
> SET a 1
< +OK
> CONFIG SET maxmemory-policy volatile-lru maxmemory 1
< +OK
> EXISTS a
< 1
> CONFIG SET maxmemory-policy allkeys-lru
< +OK
?> EXISTS a
< 0
> CONFIG SET maxmemory 0
< +OK

test the limit is of data: replies do not evict
!own
> SET big "v"*1000000
< +OK
> CONFIG SET maxmemory-policy allkeys-lru maxmemory 2000000
< +OK
a>> GET big
a>> GET big
a>> GET big
a>> GET big
a>> GET big
> DBSIZE
< 1
> APPEND big x
< 1000001
> DBSIZE
< 1
!close a
> INFO memory
< =txt has(/maxmemory:2000000/ /maxmemory_policy:allkeys-lru/)
> CONFIG SET maxmemory 0
< +OK

test a limit below any use is exceeded without a key
> CONFIG SET maxmemory-policy noeviction maxmemory 1
< +OK
> SET k v
< -OOM command not allowed when used memory > 'maxmemory'.
> CONFIG SET maxmemory-policy allkeys-lru
< +OK
> SET k v
< -OOM command not allowed when used memory > 'maxmemory'.
> CONFIG SET maxmemory 0
< +OK
> SET k v
< +OK
