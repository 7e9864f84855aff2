# Users, their rules, and what is refused. Texts are those of Redis 7.2 and Valkey 8.

test one's own name
> ACL WHOAMI
< "default"
> CLIENT INFO
< =txt/(?s).* user=default .*/

test SETUSER, GETUSER and LIST
> ACL SETUSER u1
< +OK
> ACL GETUSER u1
< {"flags" set["off" "sanitize-payload"] "passwords" [] "commands" "-@all" "keys" "" "channels" "" "selectors" []}
> ACL SETUSER u1 on >password ~a* %R~b* %W~c* &d* +@read -get +config|get +select|0 (%R~x +set)
< +OK
> ACL GETUSER u1
< {"flags" set["on" "sanitize-payload"]
< "passwords" ["5e884898da28047151d0e56f8dc6292773603d0d6aabbdd62a11ef721d1542d8"]
< "commands" "-@all +@read -get +config|get +select|0" "keys" "~a* %R~b* %W~c*" "channels" "&d*"
< "selectors" [{"commands" "-@all +set" "keys" "%R~x" "channels" ""}]}
> ACL LIST
< ["user default on nopass sanitize-payload ~* &* +@all" "user u1 on sanitize-payload #5e884898da28047151d0e56f8dc6292773603d0d6aabbdd62a11ef721d1542d8 ~a* %R~b* %W~c* resetchannels &d* -@all +@read -get +config|get +select|0 (%R~x resetchannels -@all +set)"]
> ACL USERS
< ["default" "u1"]
> ACL GETUSER nobody
< nil
> ACL DELUSER u1 nobody
< 1
> ACL DELUSER u1 default
< -ERR The 'default' user cannot be removed

test SETUSER is all or nothing
> ACL SETUSER u2 on +get what
< -ERR Error in ACL SETUSER modifier 'what': Syntax error
> ACL SETUSER u2 +config|nosuch
< -ERR Error in ACL SETUSER modifier '+config|nosuch': Unknown command or category name in ACL
> ACL SETUSER u2 +config|get|x
< -ERR Error in ACL SETUSER modifier '+config|get|x': Allowing first-arg of a subcommand is not supported
> ACL SETUSER u2 ~* ~x
< -ERR Error in ACL SETUSER modifier '~x': Adding a pattern after the * pattern (or the 'allkeys' flag) is not valid and does not have any effect. Try 'resetkeys' to start with an empty list of patterns
> ACL SETUSER u2 (+get
< -ERR Unmatched parenthesis in acl selector starting at '(+get'.
> ACL SETUSER "u 2"
< -ERR Usernames can't contain spaces or null characters
> ACL GETUSER u2
< nil

test logging in
> ACL SETUSER u3 on >one ~* +@all
< +OK
a> AUTH u3 two
a< -WRONGPASS invalid username-password pair or user is disabled.
a> AUTH nobody one
a< -WRONGPASS invalid username-password pair or user is disabled.
a> AUTH one
a< -ERR AUTH <password> called without any password configured for the default user. Are you sure your configuration is correct?
a> AUTH u3 one
a< +OK
a> ACL WHOAMI
a< "u3"
> CLIENT KILL USER nobody
< -ERR No such user 'nobody'
> CLIENT LIST USER u3
< =txt/(?s).* user=u3 .*/
a> RESET
a< +RESET
a> ACL WHOAMI
a< "default"
a> HELLO 3 AUTH u3 one SETNAME me
a< ?
a> ACL WHOAMI
a< "u3"
> ACL SETUSER u3 off
< +OK
a> PING
a< +PONG
b> AUTH u3 one
b< -WRONGPASS invalid username-password pair or user is disabled.
> CLIENT KILL USER u3
< 1
!closed a
> ACL DELUSER u3
< 1

test a user that goes takes its clients with it
> ACL SETUSER u4 on nopass +@all ~*
< +OK
a> AUTH u4 x
a< +OK
b> AUTH u4 x
b< +OK
b> ACL DELUSER u4
b< 1
!closed a
!closed b

test commands, keys and channels
> ACL SETUSER u5 on nopass +@all -@dangerous -set +config|get ~a* %R~r* %W~w* resetchannels &c*
< +OK
a> AUTH u5 x
a< +OK
a> SET a 1
a< -NOPERM User u5 has no permissions to run the 'set' command
a> CONFIG SET hz 10
a< -NOPERM User u5 has no permissions to run the 'config|set' command
a> CONFIG GET hz
a< {"hz" "10"}
a> GET b
a< -NOPERM No permissions to access a key
a> MGET a1 a2 r1
a< [nil nil nil]
a> MGET a1 w1
a< -NOPERM No permissions to access a key
a> APPEND w1 x
a< 1
a> GETSET w1 x
a< -NOPERM No permissions to access a key
a> COPY r1 w2
a< 0
a> COPY w1 r1
a< -NOPERM No permissions to access a key
a> PUBLISH c1 x
a< 0
a> PUBLISH d x
a< -NOPERM No permissions to access a channel
a> SUBSCRIBE d
a< -NOPERM No permissions to access a channel
a> PSUBSCRIBE c?
a< -NOPERM No permissions to access a channel
a> PSUBSCRIBE c*
a< push["psubscribe" "c*" 1]
> ACL SETUSER u5 &d*
< +OK
> ACL SETUSER u5 resetchannels &d*
< +OK
!closed a
> ACL DELUSER u5
< 1

test SORT's BY and GET read any key
> RPUSH l 1
< 1
> ACL SETUSER u6 on nopass +sort ~l
< +OK
a> AUTH u6 x
a< +OK
a> SORT l BY w_* GET #
a< -ERR BY option of SORT denied due to insufficient ACL permissions.
a> SORT l BY nosort GET w_*
a< -ERR GET option of SORT denied due to insufficient ACL permissions.
a> SORT l BY nosort
a< ["1"]
a> SORT l STORE x
a< -NOPERM No permissions to access a key
> ACL SETUSER u6 %R~*
< +OK
a> SORT l BY w_* GET #
a< ["1"]
> ACL DELUSER u6
< 1

test transactions
> ACL SETUSER u7 on nopass +@all ~a
< +OK
a> AUTH u7 x
a< +OK
a> MULTI
a< +OK
a> SET b 1
a< -NOPERM No permissions to access a key
a> EXEC
a< -EXECABORT Transaction discarded because of previous errors.
a> MULTI
a< +OK
a> SET a 1
a< +QUEUED
a> INCR a
a< +QUEUED
> ACL SETUSER u7 -incr
< +OK
a> EXEC
a< [+OK -"NOPERM ACLs rules changed between the moment the transaction was accumulated and the EXEC call. This command is no longer allowed for the following reason: no permission to execute the command or subcommand"]
> ACL DELUSER u7
< 1

test who waits may lose what it could do
> ACL SETUSER u8 on nopass +@all ~l
< +OK
a> AUTH u8 x
a< +OK
a>> BLPOP l 0
?> INFO clients
< has(/blocked_clients:1/)
> ACL SETUSER u8 -blpop
< +OK
> RPUSH l 1
< 1
a< -NOPERM User u8 has no permissions to run the 'blpop' command
> LLEN l
< 1
> ACL DELUSER u8
< 1

test scripts
!needs eval
> ACL SETUSER u9 on nopass +eval +get ~a
< +OK
a> AUTH u9 x
a< +OK
a> EVAL "return redis.call('get', KEYS[1])" 1 a
a< nil
a> EVAL "return redis.call('get', KEYS[1])" 1 b
a< -NOPERM No permissions to access a key
a> EVAL "return redis.pcall('get', 'b')" 0
a< -ERR ACL failure in script: No permissions to access a key
a> EVAL "return redis.pcall('set', 'a', '1')" 0
a< -ERR ACL failure in script: User u9 has no permissions to run the 'set' command
> ACL DELUSER u9
< 1

test LOG
> ACL LOG RESET
< +OK
> ACL SETUSER u10 on >p +get ~a
< +OK
a> AUTH u10 q
a< ?
a> AUTH u10 p
a< +OK
a> GET b
a< ?
a> GET b
a< ?
a> SET b 1
a< ?
> ACL LOG
< [{"count" 1 "reason" "command" "context" "toplevel" "object" "set" "username" "u10" "age-seconds" ? "client-info" /.* cmd=set user=u10 .*/ "entry-id" :? "timestamp-created" :? "timestamp-last-updated" :?}
< {"count" 2 "reason" "key" "context" "toplevel" "object" "b" "username" "u10" "age-seconds" ? "client-info" /.* cmd=get user=u10 .*/ "entry-id" :? "timestamp-created" :? "timestamp-last-updated" :?}
< {"count" 1 "reason" "auth" "context" "toplevel" "object" "AUTH" "username" "u10" "age-seconds" ? "client-info" /.* user=default .*/ "entry-id" :? "timestamp-created" :? "timestamp-last-updated" :?}]
> ACL LOG 1
< each[?]
> ACL LOG 0
< []
> ACL LOG x
< -ERR value is not an integer or out of range
> ACL LOG 1 2
< -ERR unknown subcommand or wrong number of arguments for 'LOG'. Try ACL HELP.
> CONFIG SET acllog-max-len 0
< +OK
a> SET b 1
a< ?
> ACL LOG
< []
> CONFIG SET acllog-max-len 128
< +OK
> ACL DELUSER u10
< 1

test DRYRUN
> ACL SETUSER u11 +get ~a
< +OK
> ACL DRYRUN u11 get a
< +OK
> ACL DRYRUN u11 get b
< "User u11 has no permissions to access the 'b' key"
> ACL DRYRUN u11 set a 1
< "User u11 has no permissions to run the 'set' command"
> ACL DRYRUN u11 publish x y
< "User u11 has no permissions to run the 'publish' command"
> ACL DRYRUN nobody get a
< -ERR User 'nobody' not found
> ACL DRYRUN u11 nosuch a
< -ERR Command 'nosuch' not found
> ACL DRYRUN u11 get
< -ERR wrong number of arguments for 'get' command
> ACL DELUSER u11
< 1

test CAT and GENPASS
> ACL CAT
< ["keyspace" "read" "write" "set" "sortedset" "list" "hash" "string" "bitmap" "hyperloglog" "geo" "stream" "pubsub" "admin" "fast" "slow" "blocking" "dangerous" "connection" "transaction" "scripting"]
> ACL CAT transaction
< any["multi" "exec" "discard" "watch" "unwatch"]
> ACL CAT nosuch
< -ERR Unknown category 'nosuch'
> ACL GENPASS
< /[0-9a-f]{64}/
> ACL GENPASS 5
< /[0-9a-f]{2}/
> ACL GENPASS 4097
< -ERR ACL GENPASS argument must be the number of bits for the output password, a positive number up to 4096

test acl-pubsub-default
> CONFIG SET acl-pubsub-default allchannels
< +OK
> ACL SETUSER u12
< +OK
> CONFIG SET acl-pubsub-default resetchannels
< +OK
> ACL SETUSER u13
< +OK
> ACL LIST
< [? "user u12 off sanitize-payload &* -@all" "user u13 off sanitize-payload resetchannels -@all"]
> ACL DELUSER u12 u13
< 2

test no file
> ACL LOAD
< -ERR This instance is not configured to use an ACL file. You may want to specify users via the ACL SETUSER command and then issue a CONFIG REWRITE (assuming you have a configuration file set) in order to store users in the configuration.
> ACL NOSUCH
< -ERR unknown subcommand 'NOSUCH'. Try ACL HELP.

test renamed commands keep their names in rules
!args --rename-command GET hidden --rename-command DEL ""
> ACL SETUSER u14 on nopass +get +del ~*
< +OK
a> AUTH u14 x
a< +OK
a> HIDDEN k
a< nil
a> DEL k
a< -"ERR unknown command 'DEL', with args beginning with: 'k' "

test the default user can be shut
!args --requirepass to-be-shut
!connect a none
a> PING
a< -NOAUTH Authentication required.
a> AUTH to-be-shut
a< +OK
a> ACL SETUSER other on nopass +@all ~* &*
a< +OK
a> ACL SETUSER default off
a< +OK
!connect b none
b> AUTH to-be-shut
b< -WRONGPASS invalid username-password pair or user is disabled.
b> AUTH other x
b< +OK
