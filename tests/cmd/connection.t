# The connection itself.

test PING and ECHO
> PING
< +PONG
> PING hello
< "hello"
> PING a b
< -ERR wrong number of arguments for 'ping' command
> ping "\x00\xff"
< "\x00\xff"
> ECHO hello
< "hello"
> ECHO ""
< ""
> ECHO
< -ERR wrong number of arguments for 'echo' command
> ECHO a b
< -ERR wrong number of arguments for 'echo' command

test unknown commands
> FOO
< -"ERR unknown command 'FOO', with args beginning with: "
> FOO a b
< -"ERR unknown command 'FOO', with args beginning with: 'a' 'b' "
> foo "a b" 'c'
< -"ERR unknown command 'foo', with args beginning with: 'a b' 'c' "
> "FOO\r\nBAR" x
< -"ERR unknown command 'FOO  BAR', with args beginning with: 'x' "
> FOO "x\r\ny"
< -"ERR unknown command 'FOO', with args beginning with: 'x  y' "
> FOO "a"*200 b
< -"ERR unknown command 'FOO', with args beginning with: 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' "
> "F"*200 b
< -"ERR unknown command 'FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF', with args beginning with: 'b' "
> "" a
< -"ERR unknown command '', with args beginning with: 'a' "
> GETT k
< -"ERR unknown command 'GETT', with args beginning with: 'k' "

test SELECT
> SET a 0
< +OK
> SELECT 1
< +OK
> GET a
< nil
> SET a 1
< +OK
> SELECT 0
< +OK
> GET a
< "0"
> SELECT 15
< +OK
> SELECT 16
< -ERR DB index is out of range
> SELECT -1
< -ERR DB index is out of range
> SELECT abc
< -ERR value is not an integer or out of range
> SELECT 1.0
< -ERR value is not an integer or out of range
> SELECT 99999999999999999999
< -ERR value is not an integer or out of range
> SELECT
< -ERR wrong number of arguments for 'select' command
> SELECT 1 2
< -ERR wrong number of arguments for 'select' command
> CLIENT INFO
< =txt has(/ db=15 /)

test QUIT
> QUIT
< +OK
!closed main
a> QUIT now
a< +OK
!closed a

test QUIT leaves what follows undone
>> QUIT
>> SET k v
< +OK
!closed main
b> EXISTS k
b< 0

test HELLO
> HELLO
<2 ["server" ? "version" /.*/ "proto" 2 "id" :? "mode" "standalone" "role" "master" "modules" [...] ...]
<3 {"server" ? "version" /.*/ "proto" 3 "id" :? "mode" "standalone" "role" "master" "modules" [...] ...}
> HELLO 2
< {"server" ? "version" /.*/ "proto" 2 "id" :?id "mode" "standalone" "role" "master" "modules" [...] ...}
> CLIENT ID
< $id
> HELLO 3
< {"server" ? "version" /.*/ "proto" 3 "id" :? "mode" "standalone" "role" "master" "modules" [...] ...}
> GET missing
< nil
> HELLO 2
< {"server" ? "version" /.*/ "proto" 2 ...}
> GET missing
< nil

test HELLO errors
> HELLO 1
< -NOPROTO unsupported protocol version
> HELLO 4
< -NOPROTO unsupported protocol version
> HELLO 0
< -NOPROTO unsupported protocol version
> HELLO -1
< -NOPROTO unsupported protocol version
> HELLO abc
< -ERR Protocol version is not an integer or out of range
> HELLO 3.0
< -ERR Protocol version is not an integer or out of range
> HELLO ""
< -ERR Protocol version is not an integer or out of range
> HELLO 3 FOO
< -ERR Syntax error in HELLO option 'FOO'
> HELLO 3 AUTH
< -ERR Syntax error in HELLO option 'AUTH'
> HELLO 3 AUTH default
< -ERR Syntax error in HELLO option 'AUTH'
> HELLO 3 SETNAME
< -ERR Syntax error in HELLO option 'SETNAME'
> HELLO 3 SETNAME a SETNAME
< -ERR Syntax error in HELLO option 'SETNAME'
> HELLO 3 SETNAME "a b"
< -ERR Client names cannot contain spaces, newlines or special characters.
> HELLO 3 AUTH foo bar
< -WRONGPASS invalid username-password pair or user is disabled.
> HELLO 2 SETNAME x FOO
< -ERR Syntax error in HELLO option 'FOO'
> CLIENT GETNAME
< nil

test HELLO's options
> HELLO 3 SETNAME hans
< {"proto" 3 ...}
> CLIENT GETNAME
< "hans"
> HELLO 2 setname fritz
< {"proto" 2 ...}
> CLIENT GETNAME
< "fritz"
> HELLO 3 AUTH default any SETNAME both
< {"proto" 3 ...}
> CLIENT GETNAME
< "both"
> HELLO 3 SETNAME ""
< {"proto" 3 ...}
> CLIENT GETNAME
< nil

test HELLO 3 changes the types
!connect c none
c> HELLO 3
c< {"proto" 3 ...}
c> GET missing
c< nil
c> CONFIG GET port
c< {"port" ?}
c> HELLO 2
c< {"proto" 2 ...}
c> CONFIG GET port
c< ["port" ?]

test RESET
> SELECT 5
< +OK
> CLIENT SETNAME x
< +OK
> CLIENT NO-EVICT on
< +OK
> CLIENT NO-TOUCH on
< +OK
> CLIENT INFO
< =txt has(/ name=x / / db=5 / / flags=eT /)
> RESET
< +RESET
> CLIENT GETNAME
< nil
> CLIENT INFO
< =txt has(/ name= / / db=0 / / flags=N / / resp=2 /)
> GET missing
< nil
> RESET x
< -ERR wrong number of arguments for 'reset' command
> RESET
< +RESET

test RESET ends MONITOR
> MONITOR
< +OK
> RESET
< +RESET
> PING
< +PONG

test AUTH without a password set
> AUTH foo
< -ERR AUTH <password> called without any password configured for the default user. Are you sure your configuration is correct?
> AUTH foo bar
< -WRONGPASS invalid username-password pair or user is disabled.
> AUTH default bar
< +OK
> AUTH default ""
< +OK
> AUTH
< -ERR wrong number of arguments for 'auth' command
> AUTH a b c
< -ERR syntax error

test AUTH
!args --requirepass secret
!connect c none
c> PING
c< -NOAUTH Authentication required.
c> GET k
c< -NOAUTH Authentication required.
c> FOO
c< -NOAUTH Authentication required.
c> SET a
c< -NOAUTH Authentication required.
c> HELLO
c< -NOAUTH HELLO must be called with the client already authenticated, otherwise the HELLO <proto> AUTH <user> <pass> option can be used to authenticate the client and select the RESP protocol version at the same time
c> HELLO 3
c< -NOAUTH HELLO must be called with the client already authenticated, otherwise the HELLO <proto> AUTH <user> <pass> option can be used to authenticate the client and select the RESP protocol version at the same time
c> HELLO 2
c< -NOAUTH HELLO must be called with the client already authenticated, otherwise the HELLO <proto> AUTH <user> <pass> option can be used to authenticate the client and select the RESP protocol version at the same time
c> CLIENT ID
c< -NOAUTH Authentication required.
c> COMMAND COUNT
c< -NOAUTH Authentication required.
c> AUTH wrong
c< -WRONGPASS invalid username-password pair or user is disabled.
c> AUTH default wrong
c< -WRONGPASS invalid username-password pair or user is disabled.
c> AUTH nobody secret
c< -WRONGPASS invalid username-password pair or user is disabled.
c> AUTH
c< -ERR wrong number of arguments for 'auth' command
c> AUTH a b c
c< -ERR syntax error
c> GET k
c< -NOAUTH Authentication required.
c> AUTH secret
c< +OK
c> GET k
c< nil
c> AUTH wrong
c< -WRONGPASS invalid username-password pair or user is disabled.
c> GET k
c< nil
c> AUTH default secret
c< +OK
c> RESET
c< +RESET
c> GET k
c< -NOAUTH Authentication required.
c> AUTH secret
c< +OK
c> PING
c< +PONG

test QUIT before AUTH
!args --requirepass secret
!connect c none
c> QUIT
c< +OK
!closed c
!connect d none
d> RESET
d< +RESET
d> PING
d< -NOAUTH Authentication required.

test HELLO with AUTH
!args --requirepass secret
!connect c none
c> HELLO 3 AUTH default wrong
c< -WRONGPASS invalid username-password pair or user is disabled.
c> HELLO 3 AUTH nobody secret
c< -WRONGPASS invalid username-password pair or user is disabled.
c> HELLO 3 SETNAME x
c< -NOAUTH HELLO must be called with the client already authenticated, otherwise the HELLO <proto> AUTH <user> <pass> option can be used to authenticate the client and select the RESP protocol version at the same time
c> PING
c< -NOAUTH Authentication required.
c> HELLO 3 AUTH default secret SETNAME me
c< {"server" ? "version" ? "proto" 3 ...}
c> CLIENT GETNAME
c< "me"
c> GET missing
c< nil

test requirepass changes for those who come later
> CONFIG SET requirepass secret
< +OK
> PING
< +PONG
!connect b none
b> PING
b< -NOAUTH Authentication required.
b> AUTH secret
b< +OK
b> PING
b< +PONG
> CONFIG GET requirepass
< {"requirepass" "secret"}
> CONFIG SET requirepass ""
< +OK
> CONFIG GET requirepass
< {"requirepass" ""}
!connect c none
c> PING
c< +PONG
b> PING
b< +PONG
b> AUTH x
b< -ERR AUTH <password> called without any password configured for the default user. Are you sure your configuration is correct?

test CLIENT
> CLIENT
< -ERR wrong number of arguments for 'client' command
> CLIENT FOO
< -ERR unknown subcommand 'FOO'. Try CLIENT HELP.
> CLIENT FOO bar
< -ERR unknown subcommand 'FOO'. Try CLIENT HELP.
> CLIENT ID x
< -ERR wrong number of arguments for 'client|id' command
> CLIENT INFO x
< -ERR wrong number of arguments for 'client|info' command
> CLIENT HELP x
< -ERR wrong number of arguments for 'client|help' command

test CLIENT HELP
> CLIENT HELP
< [+"CLIENT <subcommand> [<arg> [value] [opt] ...]. Subcommands are:" ...]

test CLIENT ID
> CLIENT ID
< :?one
> CLIENT ID
< $one
b> CLIENT ID
b< :?two

test CLIENT SETNAME and GETNAME
> CLIENT GETNAME
< nil
> CLIENT SETNAME hans
< +OK
> CLIENT GETNAME
< "hans"
> CLIENT INFO
< =txt has(/ name=hans /)
> CLIENT SETNAME "a b"
< -ERR Client names cannot contain spaces, newlines or special characters.
> CLIENT SETNAME "a\nb"
< -ERR Client names cannot contain spaces, newlines or special characters.
> CLIENT SETNAME "a\xffb"
< -ERR Client names cannot contain spaces, newlines or special characters.
> CLIENT SETNAME "~!"
< +OK
> CLIENT GETNAME
< "~!"
> CLIENT SETNAME ""
< +OK
> CLIENT GETNAME
< nil
> CLIENT SETNAME
< -ERR wrong number of arguments for 'client|setname' command
> CLIENT SETNAME a b
< -ERR wrong number of arguments for 'client|setname' command
> CLIENT GETNAME x
< -ERR wrong number of arguments for 'client|getname' command

test CLIENT SETINFO
> CLIENT SETINFO LIB-NAME redis-py
< +OK
> CLIENT SETINFO lib-ver 1.2.3
< +OK
> CLIENT INFO
< =txt has(/ lib-name=redis-py lib-ver=1.2.3 /)
> CLIENT SETINFO LIB-NAME "redis py"
< -ERR LIB-NAME cannot contain spaces, newlines or special characters.
> CLIENT SETINFO LIB-VER "1\n"
< -ERR LIB-VER cannot contain spaces, newlines or special characters.
> CLIENT SETINFO LIB-NAME redis-py(redis_v1)
< +OK
> CLIENT SETINFO LIB-VER ""
< +OK
> CLIENT INFO
< =txt has(/ lib-name=redis-py\(redis_v1\) lib-ver= /)
> CLIENT SETINFO FOO bar
< -ERR Unrecognized option 'FOO'
> CLIENT SETINFO LIB-NAME
< -ERR wrong number of arguments for 'client|setinfo' command
> CLIENT SETINFO
< -ERR wrong number of arguments for 'client|setinfo' command
> CLIENT SETINFO LIB-NAME a b
< -ERR wrong number of arguments for 'client|setinfo' command
> RESET
< +RESET
> CLIENT INFO
< =txt has(/ lib-name=redis-py\(redis_v1\) lib-ver= /)

test CLIENT INFO
> CLIENT INFO
<2 =txt has(/^id=\d+ addr=127\.0\.0\.1:\d+ laddr=127\.0\.0\.1:\d+ fd=\d+ name= age=\d+ idle=0 flags=N .*db=0 sub=0 psub=0 ssub=0 multi=-1 watch=0 qbuf=\d+ qbuf-free=\d+ argv-mem=\d+ multi-mem=0 .*obl=\d+ oll=\d+ omem=\d+ tot-mem=[1-9]\d* events=r cmd=client\|info user=default redir=-1 resp=2 lib-name= lib-ver=/)
<3 =txt has(/^id=\d+ addr=127\.0\.0\.1:\d+ laddr=127\.0\.0\.1:\d+ fd=\d+ name= age=\d+ idle=0 flags=N .*db=0 sub=0 psub=0 ssub=0 multi=-1 watch=0 qbuf=\d+ qbuf-free=\d+ argv-mem=\d+ multi-mem=0 .*obl=\d+ oll=\d+ omem=\d+ tot-mem=[1-9]\d* events=r cmd=client\|info user=default redir=-1 resp=3 lib-name= lib-ver=/)

test CLIENT LIST
> CLIENT SETNAME one
< +OK
b> CLIENT SETNAME two
b< +OK
b> SELECT 3
b< +OK
> CLIENT LIST
< =txt has(/^id=\d+ .* name=one .* db=0 .* cmd=client\|list / /^id=\d+ .* name=two .* db=3 .* cmd=select /)
> CLIENT LIST ID
< -ERR syntax error
> CLIENT LIST TYPE
< -ERR syntax error
> CLIENT LIST FOO
< -ERR syntax error
> CLIENT LIST TYPE foo
< -ERR Unknown client type 'foo'
> CLIENT LIST FOO bar
< -ERR syntax error
> CLIENT LIST ID abc
< -ERR syntax error
> CLIENT LIST ID 0
< -ERR client-id should be greater than 0
> CLIENT LIST ID -1
< -ERR client-id should be greater than 0

test CLIENT LIST's filters
> CLIENT SETNAME one
< +OK
> CLIENT ID
< :?one
b> CLIENT ID
b< :?two
b> CLIENT SETNAME two
b< +OK
b> SELECT 7
b< +OK
b> CLIENT SETINFO LIB-NAME lib
b< +OK
b> CLIENT SETINFO LIB-VER 9
b< +OK
> CLIENT LIST ID $one
< =txt/id=\d+ [^\n]* name=one [^\n]*\n/
> CLIENT LIST ID $two
< =txt/id=\d+ [^\n]* name=two [^\n]*\n/
> CLIENT LIST ID $one $two
< =txt has(/ name=one / / name=two /)
> CLIENT LIST ID $two SKIPME yes
< =txt has(/ name=two /)
> CLIENT LIST ID $one SKIPME yes
< =txt""
> CLIENT LIST ID $one SKIPME no
< =txt has(/ name=one /)
> CLIENT LIST ID 999999999
< =txt""
> CLIENT LIST NAME two
< =txt/id=\d+ [^\n]* name=two [^\n]*\n/
> CLIENT LIST NAME nobody
< =txt""
> CLIENT LIST DB 7
< =txt/id=\d+ [^\n]* name=two [^\n]*\n/
> CLIENT LIST DB 7 NAME one
< =txt""
> CLIENT LIST LIB-NAME lib
< =txt/id=\d+ [^\n]* name=two [^\n]*\n/
> CLIENT LIST LIB-VER 9
< =txt/id=\d+ [^\n]* name=two [^\n]*\n/
> CLIENT LIST LIB-VER 8
< =txt""
> CLIENT LIST TYPE normal
< =txt has(/ name=one / / name=two /)
> CLIENT LIST TYPE pubsub
< =txt""
> CLIENT LIST TYPE replica
< =txt""
> CLIENT LIST TYPE slave
< =txt""
> CLIENT LIST TYPE master
< =txt""
> CLIENT LIST TYPE primary
< =txt""
> CLIENT LIST NOT-TYPE normal
< =txt""
> CLIENT LIST USER default
< =txt has(/ name=one / / name=two /)
> CLIENT LIST USER nobody
< -ERR No such user 'nobody'
> CLIENT LIST NOT-USER default
< =txt""
> CLIENT LIST NOT-USER nobody
< -ERR No such user 'nobody'
> CLIENT LIST IP 127.0.0.1
< =txt has(/ name=one / / name=two /)
> CLIENT LIST IP 10.0.0.1
< =txt""
> CLIENT LIST LADDR 127.0.0.1:$port
< =txt has(/ name=one / / name=two /)
> CLIENT LIST LADDR 127.0.0.1:1
< =txt""
> CLIENT LIST ADDR 127.0.0.1:1
< =txt""
> CLIENT LIST NOT-LADDR 127.0.0.1:$port
< =txt""
> CLIENT LIST FLAGS N
< =txt has(/ name=one / / name=two /)
> CLIENT LIST FLAGS P
< =txt""
> CLIENT LIST FLAGS ?
< -ERR Unknown flags found in the provided filter: ?
> CLIENT LIST NOT-FLAGS N
< =txt""
> CLIENT LIST NOT-FLAGS ?
< -ERR Unknown flags found in the NOT-FLAGS filter: ?
> CLIENT LIST MAXAGE 1000
< =txt""
> CLIENT LIST MAXAGE 0
< -ERR maxage should be greater than 0
> CLIENT LIST MAXAGE -1
< -ERR maxage should be greater than 0
> CLIENT LIST MAXAGE abc
< -ERR maxage is not an integer or out of range
> CLIENT LIST IDLE 1000
< =txt""
> CLIENT LIST IDLE 0
< -ERR idle should be greater than 0
> CLIENT LIST IDLE abc
< -ERR idle is not an integer or out of range
> CLIENT LIST DB 16
< -ERR DB number should be between 0 and 15
> CLIENT LIST DB -1
< -ERR DB number should be between 0 and 15
> CLIENT LIST DB abc
< -ERR DB is not an integer or out of range
> CLIENT LIST NOT-DB 16
< -ERR NOT-DB number should be between 0 and 15
> CLIENT LIST NOT-DB abc
< -ERR NOT-DB is not an integer or out of range
> CLIENT LIST NOT-DB 7 NAME two
< =txt""
> CLIENT LIST NOT-ID $one $two NAME one
< =txt""
> CLIENT LIST NOT-ID 0
< -ERR client-id should be greater than 0
> CLIENT LIST NOT-NAME one ID $one $two
< =txt/id=\d+ [^\n]* name=two [^\n]*\n/
> CLIENT LIST NOT-LIB-NAME lib NAME two
< =txt""
> CLIENT LIST NOT-LIB-VER 9 NAME two
< =txt""
> CLIENT LIST NOT-IP 127.0.0.1
< =txt""
> CLIENT LIST NOT-ADDR 127.0.0.1:1 NAME two
< =txt has(/ name=two /)
> CLIENT LIST SKIPME maybe
< -ERR syntax error
> CLIENT LIST CAPA r
< =txt""
> CLIENT LIST CAPA x
< -ERR Unknown capa found in the provided filter: x
> CLIENT LIST NOT-CAPA x
< -ERR Unknown capa found in the NOT-CAPA filter: x
> CLIENT LIST NOT-CAPA r NAME two
< =txt has(/ name=two /)
> CLIENT LIST name two db 7 type normal
< =txt has(/ name=two /)

test CLIENT KILL
b> CLIENT ID
b< :?two
> CLIENT KILL ID $two
< 1
!closed b
> CLIENT KILL ID $two
< 0
> CLIENT KILL ID 0
< -ERR client-id should be greater than 0
> CLIENT KILL ID abc
< -ERR syntax error
> CLIENT KILL ID -5
< -ERR client-id should be greater than 0
> CLIENT KILL
< -ERR wrong number of arguments for 'client|kill' command
> CLIENT KILL 127.0.0.1:1
< -ERR No such client
> CLIENT KILL foo
< -ERR No such client
> CLIENT KILL ID
< -ERR No such client
> CLIENT KILL TYPE foo
< -ERR Unknown client type 'foo'
> CLIENT KILL TYPE pubsub
< 0
> CLIENT KILL USER nobody
< -ERR No such user 'nobody'
> CLIENT KILL FOO bar
< -ERR syntax error
> CLIENT KILL ADDR 127.0.0.1:1
< 0
> CLIENT KILL ADDR
< -ERR No such client
> CLIENT KILL LADDR 127.0.0.1:1
< 0
> CLIENT KILL SKIPME maybe ID 1
< -ERR syntax error
> CLIENT KILL SKIPME yes ID 999999999
< 0
> CLIENT KILL MAXAGE 1000
< 0
> CLIENT KILL MAXAGE 0
< -ERR maxage should be greater than 0
> CLIENT KILL MAXAGE abc
< -ERR maxage is not an integer or out of range
> CLIENT KILL ID 999999999 FOO
< -ERR syntax error

test CLIENT KILL by address
b> CLIENT ID
b< :?two
b> CLIENT SETNAME victim
b< +OK
> CLIENT LIST ID $two
< =txt has(/ name=victim /)
> CLIENT KILL NAME victim
< 1
!closed b
c> CLIENT SETNAME v2
c< +OK
d> CLIENT SETNAME v2
d< +OK
> CLIENT KILL NAME v2
< 2
!closed c
!closed d
> CLIENT KILL NAME nobody
< 0
e> SELECT 9
e< +OK
> CLIENT KILL DB 9
< 1
!closed e
f> CLIENT SETINFO LIB-NAME l
f< +OK
> CLIENT KILL LIB-NAME l LIB-VER 1
< 0
> CLIENT KILL LIB-NAME l
< 1
!closed f

test CLIENT LIST and KILL by a real address
b> CLIENT SETNAME b
b< +OK
> CLIENT LIST ADDR $addr_b
< =txt/id=\d+ [^\n]* name=b [^\n]*\n/
> CLIENT LIST NOT-ADDR $addr_b NAME b
< =txt""
> CLIENT KILL $addr_b
< +OK
!closed b
c> CLIENT SETNAME c
c< +OK
> CLIENT KILL ADDR $addr_c LADDR 127.0.0.1:$port
< 1
!closed c
d> CLIENT SETNAME d
d< +OK
> CLIENT KILL TYPE normal USER default IP 127.0.0.1 NAME d
< 1
!closed d
e> CLIENT SETNAME e
e< +OK
> CLIENT KILL NAME e FLAGS N NOT-FLAGS P MAXAGE 1000
< 0
> CLIENT KILL NAME e FLAGS N NOT-FLAGS P IDLE 1000
< 0
> CLIENT KILL NAME e FLAGS N NOT-FLAGS P NOT-TYPE pubsub SKIPME yes
< 1
!closed e
> CLIENT KILL $addr_main
< +OK
!closed main

test CLIENT KILL of oneself
> CLIENT ID
< :?one
> CLIENT KILL ID $one
< 0
> CLIENT KILL ID $one SKIPME yes
< 0
> CLIENT KILL ID $one SKIPME no
< 1
!closed main

test CLIENT REPLY
> CLIENT REPLY ON
< +OK
>> CLIENT REPLY OFF
>> PING
>> CLIENT REPLY SKIP
>> SET k v
>> CLIENT REPLY ON
< +OK
> GET k
< "v"
>> CLIENT REPLY SKIP
>> PING hidden
> PING shown
< "shown"
>> CLIENT REPLY SKIP
>> CLIENT REPLY ON
< +OK
> CLIENT REPLY FOO
< -ERR syntax error
> CLIENT REPLY
< -ERR wrong number of arguments for 'client|reply' command
> CLIENT REPLY ON x
< -ERR wrong number of arguments for 'client|reply' command
>> CLIENT REPLY OFF
>> FOO
>> CLIENT REPLY ON
< +OK
> PING
< +PONG

test CLIENT PAUSE WRITE
b> PING
b< +PONG
> CLIENT PAUSE 100000 WRITE
< +OK
b> GET k
b< nil
b>> SET k v
!silent b
> CLIENT UNPAUSE
< +OK
b< +OK
> CLIENT PAUSE
< -ERR wrong number of arguments for 'client|pause' command
> CLIENT PAUSE abc
< -ERR timeout is not an integer or out of range
> CLIENT PAUSE -1
< -ERR timeout is negative
> CLIENT PAUSE 10 FOO
< -ERR CLIENT PAUSE mode must be WRITE or ALL
> CLIENT PAUSE 10 ALL x
< +OK
> CLIENT PAUSE 99999999999999999999
< -ERR timeout is not an integer or out of range
> CLIENT PAUSE 9223372036854775807
< -ERR timeout is out of range
> CLIENT UNPAUSE
< +OK
> CLIENT UNPAUSE
< +OK
> CLIENT UNPAUSE x
< -ERR wrong number of arguments for 'client|unpause' command

test CLIENT PAUSE ALL ends by itself
b> PING
b< +PONG
> CLIENT PAUSE 30 ALL
< +OK
b> PING
b< +PONG
b> SET k v
b< +OK
> CLIENT PAUSE 30
< +OK
b> SET k w
b< +OK
> CLIENT PAUSE 1 write
< +OK
b> SET k x
b< +OK
> CLIENT PAUSE 0
< +OK
b> SET k y
b< +OK

# Whoever paused all clients can take it back.
test CLIENT PAUSE ALL and UNPAUSE
!own
b> PING
b< +PONG
> CLIENT PAUSE 100000
< +OK
b>> PING
b>> GET k
!silent b
> CLIENT UNPAUSE
< +OK
b< +PONG
b< nil

test a later CLIENT PAUSE is never shorter or weaker
b> PING
b< +PONG
> CLIENT PAUSE 100000 WRITE
< +OK
> CLIENT PAUSE 1 WRITE
< +OK
b>> SET k v
!silent b
> CLIENT UNPAUSE
< +OK
b< +OK

test CLIENT PAUSE holds whole pipelines in order
b> PING
b< +PONG
> CLIENT PAUSE 100000 WRITE
< +OK
b>> SET k 1
b>> GET k
b>> INCR k
b>> GET k
!silent b
> CLIENT UNPAUSE
< +OK
b< +OK
b< "1"
b< 2
b< "2"

test a paused client can be killed and go
b> CLIENT ID
b< :?two
> CLIENT PAUSE 100000 WRITE
< +OK
b>> SET k v
!silent b
> CLIENT KILL ID $two
< 1
!closed b
c>> SET k v
!silent c
!close c
> CLIENT UNPAUSE
< +OK
> EXISTS k
< 0..1

test CLIENT NO-EVICT and NO-TOUCH
> CLIENT NO-EVICT ON
< +OK
> CLIENT INFO
< =txt has(/ flags=e /)
> CLIENT NO-EVICT off
< +OK
> CLIENT NO-EVICT foo
< -ERR syntax error
> CLIENT NO-EVICT
< -ERR wrong number of arguments for 'client|no-evict' command
> CLIENT NO-TOUCH on
< +OK
> CLIENT INFO
< =txt has(/ flags=T /)
> CLIENT NO-TOUCH OFF
< +OK
> CLIENT INFO
< =txt has(/ flags=N /)
> CLIENT NO-TOUCH foo
< -ERR syntax error
> CLIENT NO-TOUCH
< -ERR wrong number of arguments for 'client|no-touch' command
> CLIENT NO-TOUCH on off
< -ERR wrong number of arguments for 'client|no-touch' command

test CLIENT UNBLOCK
> CLIENT UNBLOCK 999999999
< 0
> CLIENT UNBLOCK abc
< -ERR value is not an integer or out of range
> CLIENT UNBLOCK
< -ERR wrong number of arguments for 'client|unblock' command
> CLIENT ID
< :?one
> CLIENT UNBLOCK $one
< 0
> CLIENT UNBLOCK $one TIMEOUT
< 0
> CLIENT UNBLOCK $one ERROR
< 0
> CLIENT UNBLOCK $one FOO
< -ERR CLIENT UNBLOCK reason should be TIMEOUT or ERROR
> CLIENT UNBLOCK $one ERROR x
< 0

test CLIENT UNBLOCK of a blocked client
!needs BLPOP
b> CLIENT ID
b< :?two
b>> BLPOP l 0
?> CLIENT UNBLOCK $two
< 1
b< nil*
b>> BLPOP l 0
?> CLIENT UNBLOCK $two ERROR
< 1
b< -UNBLOCKED client unblocked via CLIENT UNBLOCK
b>> BLPOP l 0
?> CLIENT UNBLOCK $two TIMEOUT
< 1
b< nil*

test protocol errors
!connect c none
!raw c "*1\r\nfoo\r\n"
c< -ERR Protocol error: expected '$', got 'f'
!closed c
!connect d none
!raw d "*-5\r\n*1\r\n$4\r\nPING\r\n"
d< +PONG
!raw d "*0\r\n\r\n\r\nPING\r\n"
d< +PONG
!connect e none
!raw e "*abc\r\n"
e< -ERR Protocol error: invalid multibulk length
!closed e
!connect f none
!raw f "*1\r\n$abc\r\n"
f< -ERR Protocol error: invalid bulk length
!closed f
!connect g none
!raw g "*1\r\n$-1\r\n"
g< -ERR Protocol error: invalid bulk length
!closed g
!connect h none
!raw h "*2147483648\r\n"
h< -ERR Protocol error: invalid multibulk length
!closed h
!connect i none
!raw i "SET k \"unbalanced\r\n"
i< -ERR Protocol error: unbalanced quotes in request
!closed i
!connect j none
!raw j "a"*70000
j< -ERR Protocol error: too big inline request
!closed j
!connect k none
!raw k "*1\r\n$536870913\r\n"
k< -ERR Protocol error: invalid bulk length
!closed k

test inline requests
!connect c none
!raw c "PING\r\n"
c< +PONG
!raw c "PING\n"
c< +PONG
!raw c "  SET  k   'a b'  \r\nGET k\r\n"
c< +OK
c< "a b"
!raw c "SET k \"\\x41\\n\"\r\nGET k\r\n"
c< +OK
c< "A\n"
!raw c "\r\n\n\r\nECHO ''\r\n"
c< ""

test before AUTH long requests are refused
!args --requirepass secret
!connect c none
!raw c "*11\r\n"
c< -ERR Protocol error: unauthenticated multibulk length
!closed c
!connect d none
!raw d "*2\r\n$20000\r\n"
d< -ERR Protocol error: unauthenticated bulk length
!closed d

test the databases option
!args --databases 2
> SELECT 1
< +OK
> SELECT 2
< -ERR DB index is out of range
> COPY a b DB 2
< -ERR DB index is out of range
