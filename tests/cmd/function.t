# FUNCTION and FCALL: libraries come, are listed, called and go. What a library's text may do: function_library.t; DUMP and RESTORE:
# function_dump.t; what runs for too long: function_busy.t.

test a library is loaded and its functions called
> FUNCTION LOAD "#!lua name=mylib\nredis.register_function('sum', function(keys, args) return args[1] + args[2] end)"
< "mylib"
> FCALL sum 0 3 4
< 7
> FCALL SUM 0 3 4
< 7
> FCALL sum 1 key 3 4
< 7
> FUNCTION DELETE mylib
< +OK
> FCALL sum 0 3 4
< -ERR Function not found

test keys and arguments come as two tables
> FUNCTION LOAD "#!lua name=l\nredis.register_function('f', function(k, a) return {k, a, #k, #a} end)"
< "l"
> FCALL f 2 a b c
< [["a" "b"] ["c"] 2 1]
> FCALL f 0
< [[] [] 0 0]
> FCALL f 1 "\x00\xff" "\r\n"
< [["\x00\xff"] ["\r\n"] 1 1]

test numkeys
> FUNCTION LOAD "#!lua name=l\nredis.register_function('f', function(k, a) return 1 end)"
< "l"
> FCALL f x
< -ERR Bad number of keys provided
> FCALL f 99999999999999999999
< -ERR Bad number of keys provided
> FCALL f 1
< -ERR Number of keys can't be greater than number of args
> FCALL f -1
< -ERR Number of keys can't be negative
> FCALL f
< -ERR wrong number of arguments for 'fcall' command
> FCALL nope x
< -ERR Function not found
> FCALL_RO nope x
< -ERR Function not found
> COMMAND GETKEYS FCALL f 2 a b c
< ["a" "b"]
> COMMAND GETKEYS FCALL_RO f 1 a b c
< ["a"]

test functions work on data
> FUNCTION LOAD "#!lua name=l\nredis.register_function('set', function(k, a) return redis.call('SET', k[1], a[1]) end)\nredis.register_function('get', function(k) return redis.call('GET', k[1]) end)\nredis.register_function('all', function(k) redis.setresp(3) return redis.call('HGETALL', k[1]) end)"
< "l"
> FCALL set 1 key value
< +OK
> FCALL get 1 key
< "value"
> GET key
< "value"
> HSET h a 1
< 1
> FCALL all 1 h
< {"a" "1"}
> FLUSHALL
< +OK
> FCALL get 1 key
< nil

test errors of functions
> FUNCTION LOAD "#!lua name=l\nredis.register_function('nope', function() return redis.call('nope') end)\nredis.register_function('raise', function() error('abc') end)\nredis.register_function('table', function() error({err='MY text'}) end)\nredis.register_function('global', function() return foo end)\nredis.register_function('keys', function() return KEYS end)\nredis.register_function('write', function() foo = 1 end)\nredis.register_function('reply', function() return redis.error_reply('MY x') end)\nredis.register_function('nested', function() return redis.call('FCALL', 'raise', 0) end)"
< "l"
> FCALL nope 0
< -ERR Unknown command called from script script: nope, on @user_function:2.
> FCALL raise 0
< -ERR user_function:3: abc script: raise, on @user_function:3.
> FCALL table 0
< -MY text script: table, on @user_function:4.
> FCALL global 0
< -ERR user_function:5: Script attempted to access nonexistent global variable 'foo' script: global, on @user_function:5.
> FCALL keys 0
< -ERR user_function:6: Script attempted to access nonexistent global variable 'KEYS' script: keys, on @user_function:6.
> FCALL write 0
< -ERR user_function:7: Attempt to modify a readonly table script: write, on @user_function:7.
> FCALL reply 0
< -MY x
> FCALL nested 0
< -ERR This Redis command is not allowed from script script: nested, on @user_function:9.

test functions of a library share what is local to it
> FUNCTION LOAD "#!lua name=l\nlocal count = 0\nlocal function more(by) count = count + by return count end\nredis.register_function('one', function() return more(1) end)\nredis.register_function('ten', function() return more(10) end)"
< "l"
> FCALL one 0
< 1
> FCALL ten 0
< 11
> FCALL one 0
< 12

test scripts and functions do not see one another
> FUNCTION LOAD "#!lua name=l\nredis.register_function('f', function() return type(redis.call) end)"
< "l"
> EVAL "return redis.register_function" 0
< nil
> SCRIPT FLUSH
< +OK
> FCALL f 0
< "function"
> EVAL "return redis.call('fcall', 'f', 0)" 0
< -/ERR This Redis command is not allowed from script script: .*/

test LOAD REPLACE
> FUNCTION LOAD "#!lua name=l\nredis.register_function('f', function() return 1 end)\nredis.register_function('g', function() return 2 end)"
< "l"
> FUNCTION LOAD "#!lua name=l\nredis.register_function('f', function() return 3 end)"
< -ERR Library 'l' already exists
> FUNCTION LOAD REPLACE "#!lua name=l\nredis.register_function('f', function() return 3 end)"
< "l"
> FCALL f 0
< 3
> FCALL g 0
< -ERR Function not found
> FUNCTION LOAD replace REPLACE "#!lua name=l\nredis.register_function('h', function() return 4 end)"
< "l"
> FUNCTION LIST
< [{"library_name" "l" "engine" "LUA" "functions" [{"name" "h" "description" nil "flags" set[]}]}]

test what a LOAD that fails leaves
> FUNCTION LOAD "#!lua name=a\nredis.register_function('f', function() return 1 end)"
< "a"
> FUNCTION LOAD "#!lua name=b\nredis.register_function('g', function() return 2 end)\nredis.register_function('f', function() return 2 end)"
< -ERR Function f already exists
> FUNCTION LOAD "#!lua name=b\nredis.register_function('F', function() return 2 end)"
< -ERR Function F already exists
> FUNCTION LOAD "#!lua name=b\nredis.register_function('g', function() return 2 end)"
< "b"
> FUNCTION LOAD REPLACE "#!lua name=b\nredis.register_function('g', function() return 3 end)\nredis.register_function('f', function() return 3 end)"
< -ERR Function f already exists
> FUNCTION LOAD REPLACE "#!lua name=b\nredis.register_function('g', function() return 3 end) nope()"
< -ERR Error registering functions: ERR user_function:2: Script attempted to access nonexistent global variable 'nope'
> FUNCTION LOAD REPLACE "#!lua name=b\nthis is no Lua"
< -ERR Error compiling function: user_function:2: '=' expected near 'is'
> FUNCTION LOAD REPLACE "#!lua name=b\nreturn 1"
< -ERR No functions registered
> FCALL f 0
< 1
> FCALL g 0
< 2
> FUNCTION STATS
< {"running_script" nil "engines" {"LUA" {"libraries_count" 2 "functions_count" 2}}}

test arguments of LOAD
> FUNCTION LOAD
< -ERR wrong number of arguments for 'function|load' command
> FUNCTION LOAD REPLACE
< -ERR Missing library metadata
> FUNCTION LOAD foo "#!lua name=l\nreturn 1"
< -ERR Unknown option given: foo
> FUNCTION LOAD "#!lua name=l\nreturn 1" REPLACE
< -ERR Unknown option given: #!lua name=l return 1

test the first line
> FUNCTION LOAD ""
< -ERR Missing library metadata
> FUNCTION LOAD "return 1"
< -ERR Missing library metadata
> FUNCTION LOAD "#!lua name=l"
< -ERR Invalid library metadata
> FUNCTION LOAD "#!lua name='l\nreturn 1"
< -ERR Invalid library metadata
> FUNCTION LOAD "#!lua name=l\x00m\nreturn 1"
< -ERR Invalid library metadata
> FUNCTION LOAD "#!\n"
< -ERR Library name was not given
> FUNCTION LOAD "#!lua\nreturn 1"
< -ERR Library name was not given
> FUNCTION LOAD "#!lua name=\nreturn 1"
< -ERR Library names can only contain letters, numbers, or underscores(_) and must be at least one character long
> FUNCTION LOAD "#!lua name=a-b\nreturn 1"
< -ERR Library names can only contain letters, numbers, or underscores(_) and must be at least one character long
> FUNCTION LOAD "#!lua name=\xff\nreturn 1"
< -ERR Library names can only contain letters, numbers, or underscores(_) and must be at least one character long
> FUNCTION LOAD "#!lua name=a name=b\nreturn 1"
< -ERR Invalid metadata value, name argument was given multiple times
> FUNCTION LOAD "#!lua name=a foo=b\nreturn 1"
< -ERR Invalid metadata value given: foo=b
> FUNCTION LOAD "#!lua name=a flags=no-writes\nreturn 1"
< -ERR Invalid metadata value given: flags=no-writes
> FUNCTION LOAD "#! lua name=a\nreturn 1"
< -ERR Invalid metadata value given: lua
> FUNCTION LOAD "#!js name=a\nreturn 1"
< -ERR Engine 'js' not found
> FUNCTION LOAD "#!LUA \t NAME=\"Quoted_1\"  \r\nredis.register_function('f', function() return 1 end)"
< "Quoted_1"
> FUNCTION LIST
< [{"library_name" "Quoted_1" "engine" "LUA" "functions" [{"name" "f" "description" nil "flags" set[]}]}]

test LIST
> FUNCTION LIST
< []
> FUNCTION LOAD "#!lua name=first\nredis.register_function('f', function() end)\nredis.register_function{function_name='g', callback=function() end, description='some text', flags={'no-writes', 'allow-oom'}}"
< "first"
> FUNCTION LOAD "#!lua name=second\nredis.register_function('h', function() end)"
< "second"
> FUNCTION LIST
< any[{"library_name" "first" "engine" "LUA" "functions" any[{"name" "f" "description" nil "flags" set[]} {"name" "g" "description" "some text" "flags" set[+no-writes +allow-oom]}]} {"library_name" "second" "engine" "LUA" "functions" [{"name" "h" "description" nil "flags" set[]}]}]
> FUNCTION LIST LIBRARYNAME SEC* WITHCODE
< [{"library_name" "second" "engine" "LUA" "functions" [{"name" "h" "description" nil "flags" set[]}] "library_code" "#!lua name=second\nredis.register_function('h', function() end)"}]
> FUNCTION LIST withcode libraryname second
< [{"library_name" "second" "engine" "LUA" "functions" [{"name" "h" "description" nil "flags" set[]}] "library_code" "#!lua name=second\nredis.register_function('h', function() end)"}]
> FUNCTION LIST LIBRARYNAME nope*
< []
> FUNCTION LIST LIBRARYNAME
< -ERR library name argument was not given
> FUNCTION LIST LIBRARYNAME a LIBRARYNAME b
< -ERR Unknown argument LIBRARYNAME
> FUNCTION LIST WITHCODE WITHCODE
< -ERR Unknown argument WITHCODE
> FUNCTION LIST foo
< -ERR Unknown argument foo

test DELETE
> FUNCTION DELETE
< -ERR wrong number of arguments for 'function|delete' command
> FUNCTION DELETE nope
< -ERR Library not found
> FUNCTION LOAD "#!lua name=l\nredis.register_function('f', function() return 1 end)"
< "l"
> FUNCTION DELETE L
< -ERR Library not found
> FUNCTION DELETE l
< +OK
> FUNCTION LIST
< []

test FLUSH
> FUNCTION LOAD "#!lua name=l\nredis.register_function('f', function() return 1 end)"
< "l"
> FUNCTION FLUSH nope
< -ERR FUNCTION FLUSH only supports SYNC|ASYNC option
> FUNCTION FLUSH SYNC ASYNC
< -ERR unknown subcommand or wrong number of arguments for 'FLUSH'. Try FUNCTION HELP.
> FCALL f 0
< 1
> FUNCTION FLUSH
< +OK
> FCALL f 0
< -ERR Function not found
> FUNCTION LOAD "#!lua name=l\nredis.register_function('f', function() return 1 end)"
< "l"
> FUNCTION FLUSH async
< +OK
> FUNCTION LIST
< []
> FUNCTION FLUSH SYNC
< +OK

test STATS, KILL and HELP while nothing runs
> FUNCTION STATS
< {"running_script" nil "engines" {"LUA" {"libraries_count" 0 "functions_count" 0}}}
> FUNCTION STATS x
< -ERR wrong number of arguments for 'function|stats' command
> FUNCTION KILL
< -NOTBUSY No scripts in execution right now.
> FUNCTION
< -ERR wrong number of arguments for 'function' command
> FUNCTION NOPE
< -ERR unknown subcommand 'NOPE'. Try FUNCTION HELP.
> FUNCTION HELP
< [+/FUNCTION <subcommand> .*/ ...]
> FUNCTION HELP x
< -ERR wrong number of arguments for 'function|help' command

test flags are kept
> FUNCTION LOAD "#!lua name=l\nlocal function set() return redis.call('SET', 'k', 1) end\nredis.register_function{function_name='free', callback=set}\nredis.register_function{function_name='reads', callback=set, flags={'no-writes'}}\nredis.register_function{function_name='asks', callback=function() return redis.call('GET', 'k') end, flags={'no-writes'}}"
< "l"
> FCALL free 0
< +OK
> FCALL_RO free 0
< -ERR Can not execute a script with write flag using *_ro command.
> FCALL reads 0
< -ERR Write commands are not allowed from read-only scripts. script: reads, on @user_function:2.
> FCALL_RO reads 0
< -ERR Write commands are not allowed from read-only scripts. script: reads, on @user_function:2.
> FCALL_RO asks 0
< "1"

test functions in a transaction
> MULTI
< +OK
> FUNCTION LOAD "#!lua name=l\nredis.register_function('f', function(k, a) return redis.call('INCRBY', k[1], a[1]) end)"
< +QUEUED
> FCALL f 1 n 5
< +QUEUED
> FUNCTION LIST LIBRARYNAME none
< +QUEUED
> FUNCTION DELETE l
< +QUEUED
> FCALL f 1 n 5
< +QUEUED
> EXEC
< ["l" 5 [] +OK -"ERR Function not found"]
> GET n
< "5"

test what users may do
> FUNCTION LOAD "#!lua name=l\nredis.register_function('set', function(k, a) return redis.call('SET', k[1], a[1]) end)\nredis.register_function('other', function(k, a) return redis.call('SET', 'elsewhere', a[1]) end)"
< "l"
> ACL SETUSER ann on nopass ~mine:* +fcall +set
< +OK
u> AUTH ann x
u< +OK
u> FCALL set 1 mine:1 v
u< +OK
u> FCALL set 1 yours:1 v
u< -NOPERM No permissions to access a key
u> FCALL other 0 v
u< -/ERR ACL failure in script: .* script: other, on @user_function:3\./
u> FUNCTION LIST
u< -NOPERM User ann has no permissions to run the 'function|list' command
> ACL DELUSER ann
< 1
> ACL CAT scripting
< any["eval" "evalsha" "eval_ro" "evalsha_ro" "fcall" "fcall_ro" "script|debug" "script|exists" "script|flush" "script|help" "script|kill" "script|load" "script|show" "function|delete" "function|dump" "function|flush" "function|help" "function|kill" "function|list" "function|load" "function|restore" "function|stats"]

test what COMMAND says
> COMMAND INFO fcall
< [["fcall" -3 set[+noscript +stale +skip_monitor +no_mandatory_keys +movablekeys] 0 0 0 set[+@slow +@scripting] set[] ? []]]
> COMMAND INFO fcall_ro
< [["fcall_ro" -3 set[+readonly +noscript +stale +skip_monitor +no_mandatory_keys +movablekeys] 0 0 0 set[+@slow +@scripting] set[] ? []]]
> COMMAND INFO function|load
< [["function|load" -3 set[+write +denyoom +noscript] 0 0 0 set[+@write +@slow +@scripting] set["request_policy:all_shards" "response_policy:all_succeeded"] set[] []]]
> COMMAND INFO function|stats
< [["function|stats" 2 set[+noscript +allow_busy] 0 0 0 set[+@slow +@scripting] set["nondeterministic_output" "request_policy:all_shards" "response_policy:special"] set[] []]]

test INFO and MEMORY count them
> FUNCTION LOAD "#!lua name=a\nredis.register_function('f', function() end)\nredis.register_function('g', function() end)"
< "a"
> FUNCTION LOAD "#!lua name=b\nredis.register_function('h', function() end)"
< "b"
> INFO memory
< has(/number_of_functions:3/ /number_of_libraries:2/ /used_memory_vm_functions:[1-9][0-9]{3,}/ /used_memory_functions:[1-9][0-9]{2,}/)
> FUNCTION FLUSH
< +OK
> INFO memory
< has(/number_of_functions:0/ /number_of_libraries:0/)

test functions over the limit of memory
> SET a 1
< +OK
> FUNCTION LOAD "#!lua name=l\nlocal function set() return redis.call('SET', 'b', 1) end\nredis.register_function('plain', set)\nredis.register_function{function_name='allowed', callback=set, flags={'allow-oom'}}\nredis.register_function{function_name='reads', callback=function() return redis.call('GET', 'a') end, flags={'no-writes'}}"
< "l"
> CONFIG SET maxmemory-policy noeviction maxmemory 1
< +OK
> FCALL plain 0
< -OOM command not allowed when used memory > 'maxmemory'.
> FCALL plain x
< -OOM command not allowed when used memory > 'maxmemory'.
> FCALL_RO plain 0
< -OOM command not allowed when used memory > 'maxmemory'.
> FCALL nope 0
< -ERR Function not found
> FCALL allowed 0
< +OK
> FCALL reads 0
< "1"
> FCALL_RO reads 0
< "1"
> FUNCTION LOAD "#!lua name=m\nredis.register_function('m', function() end)"
< -OOM command not allowed when used memory > 'maxmemory'.
> FUNCTION RESTORE x
< -OOM command not allowed when used memory > 'maxmemory'.
> MULTI
< +OK
> FCALL plain 0
< -OOM command not allowed when used memory > 'maxmemory'.
> EXEC
< -EXECABORT Transaction discarded because of previous errors.
> FUNCTION DELETE l
< +OK
> FUNCTION FLUSH
< +OK
> CONFIG SET maxmemory 0
< +OK

test functions that do not write run while writes are paused
> FUNCTION LOAD "#!lua name=l\nredis.register_function('writes', function() return redis.call('SET', 'a', 1) end)\nredis.register_function{function_name='reads', callback=function() return redis.call('GET', 'a') end, flags={'no-writes'}}"
< "l"
> CLIENT PAUSE 100000 WRITE
< +OK
> FCALL reads 0
< nil
> EVAL "#!lua flags=no-writes\nreturn 1" 0
< 1
b>> FCALL writes 0
!silent b
> FCALL reads 0
< nil
> CLIENT UNPAUSE
< +OK
b< +OK
