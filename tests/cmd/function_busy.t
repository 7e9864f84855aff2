# Functions that run for too long.
!args --busy-reply-threshold 10

test a function that runs for too long lets others be told, and is killed
> FUNCTION LOAD "#!lua name=l\nredis.register_function('endless', function() while true do end end)\nredis.register_function('one', function() return 1 end)"
< "l"
a>> FCALL endless 1 key arg
b?> PING
b< -BUSY Redis is busy running a script. You can only call FUNCTION KILL or SHUTDOWN NOSAVE.
b> FCALL one 0
b< -BUSY Redis is busy running a script. You can only call FUNCTION KILL or SHUTDOWN NOSAVE.
b> FUNCTION LIST
b< -BUSY Redis is busy running a script. You can only call FUNCTION KILL or SHUTDOWN NOSAVE.
b> FUNCTION FLUSH
b< -BUSY Redis is busy running a script. You can only call FUNCTION KILL or SHUTDOWN NOSAVE.
b> FUNCTION STATS
b< {"running_script" {"name" "endless" "command" ["FCALL" "endless" "1" "key" "arg"] "duration_ms" 0..100000} "engines" {"LUA" {"libraries_count" 1 "functions_count" 2}}}
b> SCRIPT KILL
b< -BUSY Redis is busy running a script. You can only call FUNCTION KILL or SHUTDOWN NOSAVE.
b> FUNCTION KILL
b< +OK
a< -/ERR .*Script killed by user with FUNCTION KILL\. script: endless, on @user_function:2\./
b> FUNCTION KILL
b< -NOTBUSY No scripts in execution right now.
b> FUNCTION STATS
b< {"running_script" nil "engines" {"LUA" {"libraries_count" 1 "functions_count" 2}}}
a> FCALL one 0
a< 1

test a script is not killed by FUNCTION KILL
a>> EVAL "while true do end" 0
b?> PING
b< -BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.
b> FUNCTION KILL
b< -BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.
b> FUNCTION STATS
b< -BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.
b> SCRIPT KILL
b< +OK
a< -/ERR .*/

test a function that has written is not killed
> FUNCTION LOAD "#!lua name=l\nredis.register_function('writes', function() redis.call('SET', 'k', 'v') local b = os.clock() while os.clock() - b < 0.5 do end return redis.call('GET', 'k') end)"
< "l"
a>> FCALL writes 0
b?> PING
b< -BUSY Redis is busy running a script. You can only call FUNCTION KILL or SHUTDOWN NOSAVE.
b> FUNCTION KILL
b< -UNKILLABLE Sorry the script already executed write commands against the dataset. You can either wait the script termination or kill the server in a hard way using the SHUTDOWN NOSAVE command.
b> SCRIPT KILL
b< -UNKILLABLE Sorry the script already executed write commands against the dataset. You can either wait the script termination or kill the server in a hard way using the SHUTDOWN NOSAVE command.
a< "v"

test a function cannot catch its end
> FUNCTION LOAD "#!lua name=l\nredis.register_function('f', function() while true do pcall(function() while true do end end) end end)"
< "l"
a>> FCALL f 0
b?> PING
b< -BUSY Redis is busy running a script. You can only call FUNCTION KILL or SHUTDOWN NOSAVE.
b> FUNCTION KILL
b< +OK
a< -/ERR .*Script killed by user with FUNCTION KILL\. .*/
a> FUNCTION DELETE l
a< +OK

test a transaction with a long function
> FUNCTION LOAD "#!lua name=l\nredis.register_function('f', function() while true do end end)"
< "l"
a> MULTI
a< +OK
a> FCALL f 0
a< +QUEUED
a> INCR n
a< +QUEUED
a>> EXEC
b?> PING
b< -BUSY Redis is busy running a script. You can only call FUNCTION KILL or SHUTDOWN NOSAVE.
b> FUNCTION STATS
b< {"running_script" {"name" "f" "command" ["FCALL" "f" "0"] "duration_ms" ?} "engines" ?}
b> FUNCTION KILL
b< +OK
a< [-/ERR .*Script killed .*/ 1]

test the server ends although a function has written
!args --busy-reply-threshold 10
> FUNCTION LOAD "#!lua name=l\nredis.register_function('f', function() redis.call('SET', 'k', 'v') while true do end end)"
< "l"
a>> FCALL f 0
b?> PING
b< -BUSY Redis is busy running a script. You can only call FUNCTION KILL or SHUTDOWN NOSAVE.
b>> SHUTDOWN NOSAVE
!ended 0
!start
b> PING
b< +PONG
b> FUNCTION LIST
b< []

test who called a function that runs goes away
> FUNCTION LOAD "#!lua name=l\nredis.register_function('f', function() while true do end end)"
< "l"
a>> FCALL f 0
b?> PING
b< -BUSY Redis is busy running a script. You can only call FUNCTION KILL or SHUTDOWN NOSAVE.
!close a
b> FUNCTION STATS
b< {"running_script" {"name" "f" "command" ["FCALL" "f" "0"] "duration_ms" ?} "engines" ?}
b> FUNCTION KILL
b< +OK
b> PING
b< +PONG
