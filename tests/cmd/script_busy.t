# Scripts that do not end, and what others may do meanwhile.
!args --busy-reply-threshold 10

test an endless loop is killed by another client
a>> EVAL "while true do end" 0
b?> PING
b< -BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.
b> GET k
b< -BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.
b> EVAL "return 1" 0
b< -BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.
b> CLIENT SETNAME me
b< +OK
b> MULTI
b< +OK
b> GET k
b< -BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.
b> DISCARD
b< +OK
b> SCRIPT KILL
b< +OK
a< -/ERR Script killed by user with SCRIPT KILL\. script: [0-9a-f]{40}, on @user_script:1\./
a> PING
a< +PONG
b> GET k
b< nil
b> SCRIPT KILL
b< -NOTBUSY No scripts in execution right now.

test a script cannot catch its end
a>> EVAL "while true do pcall(function() while true do end end) end" 0
b?> PING
b< -BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.
b> SCRIPT KILL
b< +OK
a< -/ERR Script killed by user with SCRIPT KILL\. .*/
a>> EVAL "local f = coroutine.wrap(function() while true do end end) while true do pcall(f) end" 0
b?> PING
b< -BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.
b> SCRIPT KILL
b< +OK
a< -/ERR Script killed by user with SCRIPT KILL\. .*/
a> EVAL "local s=0 for i=1,1000 do s=s+i end return s" 0
a< 500500

test a script that has written is not killed
a>> EVAL "redis.call('set','k','v') local b=os.clock() while os.clock()-b<0.5 do end return redis.call('get','k')" 0
b?> PING
b< -BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.
b> SCRIPT KILL
b< -UNKILLABLE Sorry the script already executed write commands against the dataset. You can either wait the script termination or kill the server in a hard way using the SHUTDOWN NOSAVE command.
a< "v"
b> GET k
b< "v"

test requests behind a long script are kept in order
a>> EVAL "while true do end" 1 key arg
a>> SET k 1
a>> INCR k
b?> PING
b< -BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.
a>> INCR k
b> SCRIPT KILL
b< +OK
a< -/ERR Script killed .*/
a< +OK
a< 2
a< 3
b> GET k
b< "3"

test a transaction with a long script
a> MULTI
a< +OK
a> EVAL "while true do end" 0
a< +QUEUED
a> INCR n
a< +QUEUED
a>> EXEC
b?> PING
b< -BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.
b> SCRIPT KILL
b< +OK
a< [-/ERR Script killed .*/ 1]

test clients come and go meanwhile
a>> EVAL "while true do end" 0
b?> PING
b< -BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.
c> PING
c< -BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.
!close c
!close a
b> SCRIPT KILL
b< +OK
b> PING
b< +PONG

test a pattern that takes for ever is killed, one that is too deep refused
a>> EVAL "return string.find(string.rep('a',3000),string.rep('.-',6)..'b')" 0
b?> PING
b< -BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.
b> SCRIPT KILL
b< +OK
a< -/ERR Script killed .*/
a> EVAL "return string.find(string.rep('a',100000),string.rep('a?',100000))" 0
a< -/ERR .*pattern too complex .*/

test the server ends although a script has written
!args --busy-reply-threshold 10
a>> EVAL "redis.call('set','k','v') while true do end" 0
b?> PING
b< -BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.
b>> SHUTDOWN NOSAVE
!ended 0
!start
b> PING
b< +PONG
