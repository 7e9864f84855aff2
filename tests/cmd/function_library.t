# What the text of a library may do while it is loaded.

test the forms of register_function
> FUNCTION LOAD "#!lua name=l\nredis.register_function('a', function() return 1 end)\nredis.register_function{function_name='b', callback=function() return 2 end}\nserver.register_function('c', function() return 3 end)\nredis.register_function{FUNCTION_NAME='d', CALLBACK=function() return 4 end, FLAGS={'NO-WRITES'}, Description=5}\nredis.register_function(6, function() return 6 end)"
< "l"
> FCALL a 0
< 1
> FCALL b 0
< 2
> FCALL c 0
< 3
> FCALL_RO d 0
< 4
> FCALL 6 0
< 6
> FUNCTION LIST
< [{"library_name" "l" "engine" "LUA" "functions" any[{"name" "a" "description" nil "flags" set[]} {"name" "b" "description" nil "flags" set[]} {"name" "c" "description" nil "flags" set[]} {"name" "d" "description" "5" "flags" set[+no-writes]} {"name" "6" "description" nil "flags" set[]}]}]

test all flags
> FUNCTION LOAD "#!lua name=l\nredis.register_function{function_name='f', callback=function() end, flags={'allow-cross-slot-keys', 'no-cluster', 'allow-stale', 'allow-oom', 'no-writes', 'no-writes'}}"
< "l"
> FUNCTION LIST
< [{"library_name" "l" "engine" "LUA" "functions" [{"name" "f" "description" nil "flags" set[+no-writes +allow-oom +allow-stale +no-cluster +allow-cross-slot-keys]}]}]

test arguments that register_function refuses
> FUNCTION LOAD "#!lua name=l\nredis.register_function()"
< -/ERR Error registering functions: ERR wrong number of arguments to (server|redis).register_function/
> FUNCTION LOAD "#!lua name=l\nredis.register_function('f', function() end, 1)"
< -/ERR Error registering functions: ERR wrong number of arguments to (server|redis).register_function/
> FUNCTION LOAD "#!lua name=l\nredis.register_function('f')"
< -/ERR Error registering functions: ERR calling (server|redis).register_function with a single argument is only applicable to Lua table \(representing named arguments\)\./
> FUNCTION LOAD "#!lua name=l\nredis.register_function({}, function() end)"
< -/ERR Error registering functions: ERR first argument to (server|redis).register_function must be a string/
> FUNCTION LOAD "#!lua name=l\nredis.register_function('f', 1)"
< -/ERR Error registering functions: ERR second argument to (server|redis).register_function must be a function/
> FUNCTION LOAD "#!lua name=l\nredis.register_function{}"
< -/ERR Error registering functions: ERR (server|redis).register_function must get a function name argument/
> FUNCTION LOAD "#!lua name=l\nredis.register_function{function_name='f'}"
< -/ERR Error registering functions: ERR (server|redis).register_function must get a callback argument/
> FUNCTION LOAD "#!lua name=l\nredis.register_function{'f'}"
< -/ERR Error registering functions: ERR unknown argument given to (server|redis).register_function/
> FUNCTION LOAD "#!lua name=l\nredis.register_function{foo='f'}"
< -/ERR Error registering functions: ERR unknown argument given to (server|redis).register_function/
> FUNCTION LOAD "#!lua name=l\nredis.register_function{[{}]='f'}"
< -/ERR Error registering functions: ERR named argument key given to (server|redis).register_function is not a string/
> FUNCTION LOAD "#!lua name=l\nredis.register_function{function_name={}}"
< -/ERR Error registering functions: ERR function_name argument given to (server|redis).register_function must be a string/
> FUNCTION LOAD "#!lua name=l\nredis.register_function{callback='f'}"
< -/ERR Error registering functions: ERR callback argument given to (server|redis).register_function must be a function/
> FUNCTION LOAD "#!lua name=l\nredis.register_function{description={}}"
< -/ERR Error registering functions: ERR description argument given to (server|redis).register_function must be a string/
> FUNCTION LOAD "#!lua name=l\nredis.register_function{flags='no-writes'}"
< -/ERR Error registering functions: ERR flags argument to (server|redis).register_function must be a table representing function flags/
> FUNCTION LOAD "#!lua name=l\nredis.register_function{flags={'no-flag'}}"
< -ERR Error registering functions: ERR unknown flag given
> FUNCTION LOAD "#!lua name=l\nredis.register_function{flags={{}}}"
< -ERR Error registering functions: ERR unknown flag given
> FUNCTION LIST
< []

test names of functions
!own
> FUNCTION LOAD "#!lua name=l\nredis.register_function('', function() end)"
< -ERR Error registering functions: ERR Library names can only contain letters, numbers, or underscores(_) and must be at least one character long
> FUNCTION LOAD "#!lua name=l\nredis.register_function('a b', function() end)"
< -ERR Error registering functions: ERR Library names can only contain letters, numbers, or underscores(_) and must be at least one character long
> FUNCTION LOAD "#!lua name=l\nredis.register_function('a\\0b', function() end)"
< -ERR Error registering functions: ERR Library names can only contain letters, numbers, or underscores(_) and must be at least one character long
> FUNCTION LOAD "#!lua name=l\nredis.register_function('f', function() end)\nredis.register_function('f', function() end)"
< -ERR Error registering functions: ERR Function already exists in the library
> FUNCTION LOAD "#!lua name=l\nredis.register_function('f', function() end)\nredis.register_function('F', function() end)"
< -ERR Error registering functions: ERR Function already exists in the library
> FUNCTION LOAD "#!lua name=l\nredis.register_function('a_name_that_is_longer_than_sixteen_bytes_0123456789', function() return 1 end)"
< "l"
> FCALL A_NAME_that_is_longer_than_sixteen_bytes_0123456789 0
< 1

test what is not there while a library is loaded
> FUNCTION LOAD "#!lua name=l\nredis.call('ping')"
< -ERR Error registering functions: ERR user_function:2: Script attempted to access nonexistent global variable 'call'
> FUNCTION LOAD "#!lua name=l\nredis.pcall('ping')"
< -ERR Error registering functions: ERR user_function:2: Script attempted to access nonexistent global variable 'pcall'
> FUNCTION LOAD "#!lua name=l\nredis.setresp(3)"
< -ERR Error registering functions: ERR user_function:2: Script attempted to access nonexistent global variable 'setresp'
> FUNCTION LOAD "#!lua name=l\nredis.set_repl(redis.REPL_NONE)"
< -ERR Error registering functions: ERR user_function:2: Script attempted to access nonexistent global variable 'set_repl'
> FUNCTION LOAD "#!lua name=l\nlocal x = string.rep('x', 3)"
< -ERR Error registering functions: ERR user_function:2: Script attempted to access nonexistent global variable 'string'
> FUNCTION LOAD "#!lua name=l\nerror('x')"
< -ERR Error registering functions: ERR user_function:2: Script attempted to access nonexistent global variable 'error'
> FUNCTION LOAD "#!lua name=l\nlocal x = _G"
< -ERR Error registering functions: ERR user_function:2: Script attempted to access nonexistent global variable '_G'
> FUNCTION LOAD "#!lua name=l\nlocal x = KEYS"
< -ERR Error registering functions: ERR user_function:2: Script attempted to access nonexistent global variable 'KEYS'
> FUNCTION LOAD "#!lua name=l\nfoo = 1"
< -ERR Error registering functions: ERR user_function:2: Attempt to modify a readonly table
> FUNCTION LOAD "#!lua name=l\nredis.foo = 1"
< -ERR Error registering functions: ERR user_function:2: Attempt to modify a readonly table
> FUNCTION LOAD "#!lua name=l\nlocal function f() return f() + 1 end\nf()"
< -ERR Error registering functions: ERR user_function:2: stack overflow
> FUNCTION LOAD "#!lua name=l\n\x1bLua"
< -ERR Error compiling function: user_function:2: unexpected symbol near 'char(27)'

test what is there while a library is loaded
!own
> FUNCTION LOAD "#!lua name=l\nlocal version = redis.REDIS_VERSION .. ' ' .. server.SERVER_NAME\nlocal number = redis.REDIS_VERSION_NUM\nredis.log(redis.LOG_NOTICE, 'a line')\nredis.register_function('f', function() return {version, number > 0, redis.REDIS_VERSION_NUM == number} end)"
< "l"
> FCALL f 0
< [/[0-9.]+ rondo/ 1 1]

test what was kept from loading is of no use later
> FUNCTION LOAD "#!lua name=l\nlocal api = redis\nlocal register = redis.register_function\nredis.register_function('api', function() return api.call('ping') end)\nredis.register_function('register', function() return register('g', function() end) end)\nredis.register_function('own', function() return redis.register_function('g', function() end) end)\nredis.register_function('none', function() return redis.register_function end)"
< "l"
> FCALL api 0
< -ERR user_function:4: Script attempted to access nonexistent global variable 'call' script: api, on @user_function:4.
> FCALL register 0
< -/ERR (server|redis).register_function can only be called on FUNCTION LOAD command script: register, on @user_function:5\./
> FCALL own 0
< -ERR user_function:6: attempt to call field 'register_function' (a nil value) script: own, on @user_function:6.
> FCALL none 0
< nil

test what functions make of globals when they are called
> FUNCTION LOAD "#!lua name=l\nredis.register_function('f', function() return {string.rep('x', 3), cjson.encode({1}), type(_G), math.floor(2.5), #redis.sha1hex('')} end)\nredis.register_function('set', function() _G.x = 1 end)\nredis.register_function('raw', function() rawset(_G, 'x', 1) end)\nredis.register_function('meta', function() setmetatable(redis, {}) end)"
< "l"
> FCALL f 0
< ["xxx" "[1]" "table" 2 40]
> FCALL set 0
< -/ERR .*Attempt to modify a readonly table script: set, on @user_function:3\./
> FCALL raw 0
< -/ERR .*Attempt to modify a readonly table script: raw, on @user_function:4\./
> FCALL meta 0
< -/ERR .*Attempt to modify a readonly table script: meta, on @user_function:5\./

test a library that never ends is ended
> FUNCTION LOAD "#!lua name=l\nredis.register_function('f', function() end)\nwhile true do end"
< -ERR Error registering functions: ERR FUNCTION LOAD timeout
> FUNCTION LIST
< []
> FUNCTION LOAD "#!lua name=l\nredis.register_function('f', function() return 1 end)"
< "l"
> FCALL f 0
< 1

test a library that needs too much memory
!own
!args --script-memory-max 1mb
> FUNCTION LOAD "#!lua name=l\nlocal t = {}\nfor i = 1, 10000000 do t[i] = i end"
< -ERR Error registering functions: ERR not enough memory
> FUNCTION LOAD "#!lua name=l\nredis.register_function('f', function() local t = {} for i = 1, 10000000 do t[i] = i end end)\nredis.register_function('g', function() return 1 end)"
< "l"
> FCALL f 0
< -/ERR not enough memory script: f, on @user_(function|script).*/
> FCALL g 0
< 1
