# Client-side caching: CLIENT TRACKING and its kin, and the messages that tell clients to drop their copies.

test CLIENT TRACKING: what is refused
> CLIENT TRACKING
< -ERR wrong number of arguments for 'client|tracking' command
> CLIENT TRACKING maybe
< -ERR syntax error
> CLIENT TRACKING ON PREFIX
< -ERR syntax error
> CLIENT TRACKING ON REDIRECT
< -ERR syntax error
> CLIENT TRACKING ON LOUD
< -ERR syntax error
> CLIENT TRACKING OFF LOUD
< -ERR syntax error
> CLIENT TRACKING maybe PREFIX a
< -ERR syntax error
> CLIENT TRACKING ON REDIRECT x
< -ERR value is not an integer or out of range
> CLIENT TRACKING ON REDIRECT 0
< -ERR The client ID you want redirect to does not exist
> CLIENT TRACKING ON REDIRECT -1
< -ERR The client ID you want redirect to does not exist
> CLIENT TRACKING ON REDIRECT 9999999
< -ERR The client ID you want redirect to does not exist
> CLIENT ID
< :?me
> CLIENT TRACKING ON REDIRECT $me REDIRECT $me
< -ERR A client can only redirect to a single other client
> CLIENT TRACKING ON PREFIX a
< -ERR PREFIX option requires BCAST mode to be enabled
> CLIENT TRACKING ON BCAST OPTIN
< -ERR OPTIN and OPTOUT are not compatible with BCAST
> CLIENT TRACKING ON BCAST OPTOUT
< -ERR OPTIN and OPTOUT are not compatible with BCAST
> CLIENT TRACKING ON OPTIN OPTOUT
< -ERR You can't specify both OPTIN mode and OPTOUT mode
> CLIENT GETREDIR
< -1
> CLIENT TRACKINGINFO
< {"flags" set["off"] "redirect" -1 "prefixes" []}

test CLIENT TRACKING: modes are not changed while it is on
> CLIENT TRACKING ON
< +OK
> CLIENT TRACKING ON BCAST
< -ERR You can't switch BCAST mode on/off before disabling tracking for this client, and then re-enabling it with a different mode.
> CLIENT TRACKING ON BCAST OPTIN
< -ERR You can't switch BCAST mode on/off before disabling tracking for this client, and then re-enabling it with a different mode.
> CLIENT TRACKING ON OPTIN
< +OK
> CLIENT TRACKING ON OPTOUT
< -ERR You can't switch OPTIN/OPTOUT mode before disabling tracking for this client, and then re-enabling it with a different mode.
> CLIENT TRACKING ON
< +OK
> CLIENT TRACKING ON OPTOUT NOLOOP
< +OK
> CLIENT TRACKINGINFO
< {"flags" set["on" "optout" "noloop"] "redirect" 0 "prefixes" []}
> CLIENT TRACKING OFF
< +OK
> CLIENT TRACKING OFF
< +OK
> CLIENT TRACKING ON BCAST PREFIX b PREFIX a
< +OK
> CLIENT TRACKING ON
< -ERR You can't switch BCAST mode on/off before disabling tracking for this client, and then re-enabling it with a different mode.
> CLIENT TRACKINGINFO
< {"flags" set["on" "bcast"] "redirect" 0 "prefixes" ["a" "b"]}
> CLIENT GETREDIR
< 0

test CLIENT TRACKING: prefixes do not overlap
> CLIENT TRACKING ON BCAST PREFIX foo PREFIX bar
< +OK
> CLIENT TRACKING ON BCAST PREFIX foobar
< -ERR Prefix 'foobar' overlaps with an existing prefix 'foo'. Prefixes for a single client must not overlap.
> CLIENT TRACKING ON BCAST PREFIX fo
< -ERR Prefix 'fo' overlaps with an existing prefix 'foo'. Prefixes for a single client must not overlap.
> CLIENT TRACKING ON BCAST PREFIX bar
< -ERR Prefix 'bar' overlaps with an existing prefix 'bar'. Prefixes for a single client must not overlap.
> CLIENT TRACKING ON BCAST PREFIX x PREFIX ""
< -ERR Prefix 'x' overlaps with another provided prefix ''. Prefixes for a single client must not overlap.
> CLIENT TRACKING ON BCAST PREFIX ""
< -ERR Prefix '' overlaps with an existing prefix 'bar'. Prefixes for a single client must not overlap.
> CLIENT TRACKING ON BCAST PREFIX y PREFIX ya
< -ERR Prefix 'y' overlaps with another provided prefix 'ya'. Prefixes for a single client must not overlap.
> CLIENT TRACKING ON BCAST PREFIX ya PREFIX y
< -ERR Prefix 'ya' overlaps with another provided prefix 'y'. Prefixes for a single client must not overlap.
> CLIENT TRACKING ON BCAST PREFIX y PREFIX y
< -ERR Prefix 'y' overlaps with another provided prefix 'y'. Prefixes for a single client must not overlap.
> CLIENT TRACKING ON BCAST PREFIX z
< +OK
> CLIENT TRACKINGINFO
< {"flags" set["on" "bcast"] "redirect" 0 "prefixes" ["bar" "foo" "z"]}
> CLIENT TRACKING OFF
< +OK
> CLIENT TRACKING ON BCAST
< +OK
> CLIENT TRACKINGINFO
< {"flags" set["on" "bcast"] "redirect" 0 "prefixes" [""]}
> CLIENT TRACKING ON BCAST PREFIX a
< -ERR Prefix 'a' overlaps with an existing prefix ''. Prefixes for a single client must not overlap.

test CLIENT CACHING: what is refused, and what it is for
> CLIENT CACHING YES
< -ERR CLIENT CACHING can be called only when the client is in tracking mode with OPTIN or OPTOUT mode enabled
> CLIENT CACHING perhaps
< -ERR CLIENT CACHING can be called only when the client is in tracking mode with OPTIN or OPTOUT mode enabled
> CLIENT TRACKING ON
< +OK
> CLIENT CACHING perhaps
< -ERR syntax error
> CLIENT CACHING YES
< -ERR CLIENT CACHING YES is only valid when tracking is enabled in OPTIN mode.
> CLIENT CACHING NO
< -ERR CLIENT CACHING NO is only valid when tracking is enabled in OPTOUT mode.
> CLIENT TRACKING ON OPTIN
< +OK
> CLIENT CACHING NO
< -ERR CLIENT CACHING NO is only valid when tracking is enabled in OPTOUT mode.
> CLIENT CACHING YES
< +OK
> CLIENT TRACKINGINFO
< {"flags" set["on" "optin" "caching-yes"] "redirect" 0 "prefixes" []}
> PING
< +PONG
> CLIENT TRACKINGINFO
< {"flags" set["on" "optin"] "redirect" 0 "prefixes" []}
> CLIENT TRACKING OFF
< +OK
> CLIENT TRACKING ON OPTOUT
< +OK
> CLIENT CACHING NO
< +OK
> CLIENT TRACKINGINFO
< {"flags" set["on" "optout" "caching-no"] "redirect" 0 "prefixes" []}
> NOSUCHCOMMAND
< -/ERR unknown command .*/
> CLIENT TRACKINGINFO
< {"flags" set["on" "optout"] "redirect" 0 "prefixes" []}

test a key that was read and then changed is told of once
!protocol 3
> CLIENT TRACKING ON
< +OK
> MSET k 1 other 2
< +OK
> GET k
< "1"
w> SET other 3
w< +OK
w> SET k 2
w< +OK
< push["invalidate" ["k"]]
w> SET k 3
w< +OK
!silent main
> MGET k other none
< ["3" "3" nil]
w> DEL k other none
w< 2
< push["invalidate" ["k"]]
< push["invalidate" ["other"]]
w> APPEND none x
w< 1
< push["invalidate" ["none"]]
> GET none
< "x"
w> EXPIRE none 100
w< 1
< push["invalidate" ["none"]]
> TTL none
< 100
w> RENAME none n2
w< +OK
< push["invalidate" ["none"]]

test what is the client's own change comes behind the reply
!protocol 3
> CLIENT TRACKING ON
< +OK
> GET k
< nil
> SET k 1
< +OK
< push["invalidate" ["k"]]
> MGET a b
< [nil nil]
> MSET a 1 b 2
< +OK
< push["invalidate" ["a"]]
< push["invalidate" ["b"]]
> GET a
< "1"
> GET b
< "2"
> MULTI
< +OK
> INCR a
< +QUEUED
> INCR b
< +QUEUED
> EXEC
< [2 3]
< push["invalidate" ["a"]]
< push["invalidate" ["b"]]
> GET a
< "2"
> EVAL "redis.call('INCR', KEYS[1]) return {1, redis.call('GET', KEYS[1])}" 1 a
< [1 "3"]
< push["invalidate" ["a"]]

test what is read in transactions and scripts is remembered for the client
!protocol 3
> CLIENT TRACKING ON
< +OK
> MULTI
< +OK
> GET a
< +QUEUED
> EXEC
< [nil]
> EVAL "return redis.call('GET', KEYS[1])" 1 b
< nil
> EVAL_RO "return redis.call('GET', KEYS[1])" 1 c
< nil
> EVAL_RO "return 1" 1 d
< 1
w> MSET a 1 b 1 c 1 d 1
w< +OK
< push["invalidate" ["a"]]
< push["invalidate" ["b"]]
< push["invalidate" ["c"]]
w> SET a 2
w< +OK
!silent main

test CLIENT REPLY silences no invalidations
!protocol 3
> CLIENT TRACKING ON
< +OK
> GET k
< nil
>> CLIENT REPLY OFF
w> SET k 1
w< +OK
< push["invalidate" ["k"]]
>> GET k
>> CLIENT REPLY ON
< +OK
>> CLIENT REPLY SKIP
>> SET k 2
< push["invalidate" ["k"]]
> PING
< +PONG

test NOLOOP: own changes are not told, expiry is
!protocol 3
> CLIENT TRACKING ON NOLOOP
< +OK
> GET k
< nil
> SET k 1
< +OK
> EVAL "redis.call('GET', 'l') return redis.call('SET', 'l', '1')" 0
< +OK
> MULTI
< +OK
> GET m
< +QUEUED
> SET m 1
< +QUEUED
> EXEC
< [nil +OK]
!silent main
> GET k
< "1"
w> SET k 2 PX 30
w< +OK
< push["invalidate" ["k"]]
> GET k
< "2"
w?> EXISTS k
w< 0
< push["invalidate" ["k"]]

test OPTIN and OPTOUT
!protocol 3
> CLIENT TRACKING ON OPTIN
< +OK
> GET a
< nil
> CLIENT CACHING YES
< +OK
> CLIENT ID
< :?
> GET b
< nil
> GET c
< nil
> CLIENT CACHING YES
< +OK
> MULTI
< +OK
> GET d
< +QUEUED
> GET e
< +QUEUED
> EXEC
< [nil nil]
> GET f
< nil
w> MSET a 1 b 1 c 1 d 1 e 1 f 1
w< +OK
< push["invalidate" ["b"]]
< push["invalidate" ["d"]]
< push["invalidate" ["e"]]
> CLIENT TRACKING OFF
< +OK
> CLIENT TRACKING ON OPTOUT
< +OK
> CLIENT CACHING NO
< +OK
> GET a
< "1"
> GET b
< "1"
w> MSET a 1 b 1
w< +OK
< push["invalidate" ["b"]]
!silent main

test BCAST: changed keys are told once a turn, by prefix
!protocol 3
b> CLIENT TRACKING ON BCAST PREFIX user: PREFIX item:
b< +OK
> SET user:1 a
< +OK
b< push["invalidate" ["user:1"]]
> SET other 1
< +OK
> SET item 1
< +OK
> MULTI
< +OK
> SET user:1 b
< +QUEUED
> SET item:7 b
< +QUEUED
> DEL user:2 user:1
< +QUEUED
> EXEC
< [+OK +OK 1]
b< push["invalidate" ["user:1"]]|push["invalidate" ["item:7"]]
b< push["invalidate" ["user:1"]]|push["invalidate" ["item:7"]]
> MSET user:1 1 user:2 2 user:3 3
< +OK
b< push["invalidate" any["user:1" "user:2" "user:3"]]
b> SET user:9 1
b< +OK
b< push["invalidate" ["user:9"]]
b> CLIENT TRACKING OFF
b< +OK
> SET user:1 c
< +OK
!silent b

test BCAST NOLOOP: a message without the client's own changes
!protocol 3
b> CLIENT TRACKING ON BCAST NOLOOP
b< +OK
c> CLIENT TRACKING ON BCAST PREFIX k
c< +OK
b> SET k1 1
b< +OK
c< push["invalidate" ["k1"]]
!silent b
> SET k1 2
< +OK
b< push["invalidate" ["k1"]]
c< push["invalidate" ["k1"]]
b> SET k2 1 PX 30
b< +OK
c< push["invalidate" ["k2"]]
?> EXISTS k2
< 0
b< push["invalidate" ["k2"]]
c< push["invalidate" ["k2"]]

test long messages
!protocol 3
> CLIENT TRACKING ON
< +OK
b> CLIENT TRACKING ON BCAST
b< +OK
> GET "k"*5000
< nil
w> SET "k"*5000 1
w< +OK
< push["invalidate" ["k"*5000]]
b< push["invalidate" ["k"*5000]]

test FLUSHALL, FLUSHDB and SWAPDB: everything is to be dropped
!protocol 3
!own
> CLIENT TRACKING ON
< +OK
b> CLIENT TRACKING ON BCAST
b< +OK
> GET k
< nil
w> FLUSHALL
w< +OK
< push["invalidate" nil]
b< push["invalidate" nil]
w> FLUSHDB ASYNC
w< +OK
< push["invalidate" nil]
b< push["invalidate" nil]
> FLUSHALL
< +OK
< push["invalidate" nil]
b< push["invalidate" nil]
> MULTI
< +OK
> FLUSHDB
< +QUEUED
> PING
< +QUEUED
> EXEC
< [+OK +PONG]
< push["invalidate" nil]
b< push["invalidate" nil]
w> SET k 1
w< +OK
b< push["invalidate" ["k"]]
!silent main
w> SWAPDB 0 1
w< +OK
< push["invalidate" nil]
b< push["invalidate" nil]
w> SWAPDB 0 1
w< +OK
< push["invalidate" nil]
b< push["invalidate" nil]

test a name is the same key in every database
!protocol 3
> CLIENT TRACKING ON
< +OK
> GET k
< nil
w> SELECT 3
w< +OK
w> SET k 1
w< +OK
< push["invalidate" ["k"]]

test keys that are written by those who were blocked
!protocol 3
> CLIENT TRACKING ON
< +OK
> LRANGE l 0 -1
< []
> LLEN dest
< 0
>> BLMOVE l dest LEFT RIGHT 0
w> RPUSH l a
w< 1
< push["invalidate" ["l"]]
< "a"
< push["invalidate" ["dest"]]
> LLEN l
< 0
r> CLIENT TRACKING ON
r< +OK
r>> XREAD BLOCK 0 STREAMS s $
w> XADD s 1-1 a 1
w< "1-1"
r< push["invalidate" ["s"]]
r< {"s" [["1-1" ["a" "1"]]]}
w> XADD s 1-2 a 1
w< "1-2"
r< push["invalidate" ["s"]]

test expiry and eviction
!protocol 3
> CLIENT TRACKING ON
< +OK
w> SET k 1 PX 20
w< +OK
> GET k
< "1"
w?> EXISTS k
w< 0
< push["invalidate" ["k"]]
w> SET k 1
w< +OK
> GET k
< "1"
w> PEXPIREAT k 1
w< 1
< push["invalidate" ["k"]]

test the table of keys is bounded
!protocol 3
> CONFIG SET tracking-table-max-keys 2
< +OK
> CLIENT TRACKING ON
< +OK
> GET a
< nil
> GET b
< nil
!silent main
> GET c
< nil
< push["invalidate" ["a"]]|push["invalidate" ["b"]]|push["invalidate" ["c"]]
> INFO stats
< =txt has(/^tracking_total_keys:2\r$/ /^tracking_total_items:2\r$/)
> CONFIG SET tracking-table-max-keys 1
< +OK
< push["invalidate" ["a"]]|push["invalidate" ["b"]]|push["invalidate" ["c"]]
> CONFIG SET tracking-table-max-keys 1000000
< +OK

test INFO and CLIENT LIST
!protocol 3
> CLIENT TRACKING ON
< +OK
b> CLIENT TRACKING ON BCAST PREFIX a PREFIX b
b< +OK
c> CLIENT TRACKING ON BCAST PREFIX a
c< +OK
> MGET x y z
< [nil nil nil]
d> CLIENT TRACKING ON
d< +OK
d> GET x
d< nil
> INFO stats
< =txt has(/^tracking_total_keys:3\r$/ /^tracking_total_items:4\r$/ /^tracking_total_prefixes:2\r$/)
> INFO clients
< =txt has(/^tracking_clients:4\r$/)
> CLIENT INFO
< =txt has(/ flags=t .* redir=0 /)
b> CLIENT INFO
b< =txt has(/ flags=tB .* redir=0 /)
w> CLIENT INFO
w< =txt has(/ flags=N .* redir=-1 /)
b> CLIENT TRACKING OFF
b< +OK
c> RESET
c< +RESET
d> RESET
d< +RESET
> INFO stats
< =txt has(/^tracking_total_keys:3\r$/ /^tracking_total_prefixes:0\r$/)
> INFO clients
< =txt has(/^tracking_clients:1\r$/)
> CLIENT LIST FLAGS t
< =txt has(/ flags=t /)

test RESET ends tracking
!protocol 3
!connect r 3
r> CLIENT TRACKING ON
r< +OK
r> GET k
r< nil
r> RESET
r< +RESET
w> SET k 1
w< +OK
!silent r

test RESP2: messages go to the one who subscribes
!protocol 2
s> CLIENT ID
s< :?sub
s> SUBSCRIBE __redis__:invalidate
s< push["subscribe" "__redis__:invalidate" 1]
> CLIENT TRACKING ON REDIRECT $sub
< +OK
> CLIENT GETREDIR
< $sub
> CLIENT TRACKINGINFO
< {"flags" set["on"] "redirect" $sub "prefixes" []}
> CLIENT INFO
< =txt has(/ flags=t /)
> GET k
< nil
w> SET k 1
w< +OK
s< ["message" "__redis__:invalidate" ["k"]]
> GET k
< "1"
> SET k 2
< +OK
s< ["message" "__redis__:invalidate" ["k"]]
> FLUSHALL
< +OK
s< ["message" "__redis__:invalidate" nil]
b> CLIENT TRACKING ON BCAST PREFIX p REDIRECT $sub
b< +OK
w> MSET p1 1 p2 2 q 3
w< +OK
s< ["message" "__redis__:invalidate" any["p1" "p2"]]
n> CLIENT TRACKING ON
n< +OK
n> GET k
n< nil
w> SET k 3
w< +OK
!silent n

test RESP2: one who does not subscribe gets nothing
!protocol 2
s> CLIENT ID
s< :?sub
> CLIENT TRACKING ON REDIRECT $sub
< +OK
> GET k
< nil
w> SET k 1
w< +OK
!silent s

test RESP3: redirection goes to one with pushes, and is told of when that one has gone
!protocol 3
s> CLIENT ID
s< :?sub
> CLIENT TRACKING ON REDIRECT $sub
< +OK
> GET k
< nil
w> SET k 1
w< +OK
s< push["invalidate" ["k"]]
!silent main
> GET k
< "1"
> CLIENT KILL ID $sub
< 1
!closed s
w> SET k 2
w< +OK
< push["tracking-redir-broken" $sub]
> CLIENT TRACKINGINFO
< {"flags" set["on" "broken_redirect"] "redirect" $sub "prefixes" []}
> CLIENT INFO
< =txt has(/ flags=tR /)
> CLIENT TRACKING ON
< +OK
> CLIENT TRACKINGINFO
< {"flags" set["on"] "redirect" 0 "prefixes" []}
