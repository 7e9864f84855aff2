# EVAL and its like. Texts are Valkey's, with the script's SHA as Redis has it.

test EVAL answers numbers, strings, arrays and nothing
> EVAL "return 1" 0
< 1
> EVAL "return 3.99" 0
< 3
> EVAL "return -3.99" 0
< -3
> EVAL "return 'hello'" 0
< "hello"
> EVAL "return {1,2,{'a','b'},nil,4}" 0
< [1 2 ["a" "b"]]
> EVAL "return nil" 0
< nil
> EVAL "return false" 0
< nil
> EVAL "return true" 0
< 1
> EVAL "return {}" 0
< []
> EVAL "return {ok='fine'}" 0
< +fine
> EVAL "return {err='MY text'}" 0
< -MY text
> EVAL "return redis.status_reply('fine')" 0
< +fine
> EVAL "return redis.error_reply('-MY text')" 0
< -MY text
> EVAL "return redis.error_reply('word')" 0
< -ERR word
> EVAL "return redis.error_reply()" 0
< -ERR wrong number or type of arguments
> EVAL "return function() end" 0
< nil

test KEYS and ARGV
> EVAL "return {KEYS[1],KEYS[2],ARGV[1],ARGV[2],#KEYS,#ARGV}" 2 a b c d
< ["a" "b" "c" "d" 2 2]
> EVAL "return {#KEYS,#ARGV}" 0
< [0 0]
> EVAL "KEYS[1]='x' return KEYS[1]" 0
< "x"
> EVAL "return #KEYS" 0
< 0
> EVAL "return ARGV[1]" 0 "\x00\r\n\xff"
< "\x00\r\n\xff"
> EVAL "return 1" 1
< -ERR Number of keys can't be greater than number of args
> EVAL "return 1" -1
< -ERR Number of keys can't be negative
> EVAL "return 1" x
< -ERR value is not an integer or out of range
> EVAL "return 1"
< -ERR wrong number of arguments for 'eval' command

test commands of scripts
> EVAL "return redis.call('set',KEYS[1],ARGV[1])" 1 k v
< +OK
> EVAL "return redis.call('get',KEYS[1])" 1 k
< "v"
> EVAL "return redis.call('get','missing')" 0
< nil
> EVAL "return redis.call('get','missing') == false" 0
< 1
> EVAL "redis.call('rpush','l',1,2.5,1e20,3) return redis.call('lrange','l',0,-1)" 0
< ["1" "2.5" "1e+20" "3"]
> EVAL "return redis.call('incr','n') + redis.call('incrby','n',5)" 0
< 7
> EVAL "return redis.call('ping').ok" 0
< "PONG"
> EVAL "redis.call('select',1) return redis.call('set','there',1)" 0
< +OK
> EXISTS there
< 0
> EVAL "local t={'rpush','big'} for i=1,100 do t[#t+1]=i end return redis.call(unpack(t))" 0
< 100
> EVAL "redis.call('set','large',string.rep('x',100000)) return #redis.call('get','large')" 0
< 100000
> EVAL "return redis.call('blpop','nothing',0)" 0
< nil

test errors of commands
> SET s x
< +OK
> EVAL "return redis.call('lpush','s','y')" 0
< -/WRONGTYPE Operation against a key holding the wrong kind of value script: [0-9a-f]{40}, on @user_script:1\./
> EVAL "return redis.pcall('lpush','s','y')" 0
< -WRONGTYPE Operation against a key holding the wrong kind of value
> EVAL "return redis.pcall('lpush','s','y').err" 0
< "WRONGTYPE Operation against a key holding the wrong kind of value"
> EVAL "local ok,e = pcall(redis.call,'lpush','s','y') return {type(e),e}" 0
< ["string" "WRONGTYPE Operation against a key holding the wrong kind of value"]
> EVAL "return redis.call('nope')" 0
< -ERR Unknown command called from script script: f01f0776df71cc5b400c2268135aa7f30dce2e53, on @user_script:1.
> EVAL "return redis.call('get')" 0
< -ERR Wrong number of args calling command from script script: f187dee77f607f7cff00bbabc9df38507582c78d, on @user_script:1.
> EVAL "return redis.call('subscribe','a')" 0
< -ERR This Redis command is not allowed from script script: fd4a0444fc6d87da49683765d56f05403bc78066, on @user_script:1.
> EVAL "return redis.call()" 0
< -ERR Please specify at least one argument for this call script: 0a907e1429221a4d85516cab7fd219a82a9439d8, on @user_script:1.
> EVAL "return redis.call({})" 0
< -ERR Command arguments must be strings or integers script: 80747816df1f4411f7c442b928fce6a814214839, on @user_script:1.
> EVAL "return\n\nredis.call('nope')" 0
< -/ERR Unknown command called from script script: [0-9a-f]{40}, on @user_script:3\./

test errors of Lua
> EVAL "return foo" 0
< -ERR user_script:1: Script attempted to access nonexistent global variable 'foo' script: 47e30a5d10d5694f99208f9adc4fe3bf2450edbd, on @user_script:1.
> EVAL "return x x" 0
< -ERR Error compiling script (new function): user_script:1: '<eof>' expected near 'x'
> EVAL "error('abc')" 0
< -ERR user_script:1: abc script: 40f4debfbef65423a0809794fadc3c7709d71d9f, on @user_script:1.
> EVAL "error({err='MY abc'})" 0
< -MY abc script: c2e87b3346410d85f1deb670935e1048bbd01a28, on @user_script:1.
> EVAL "error({})" 0
< -ERR unknown error script: 367bf7fe449ba40e54d99d9086aa3c2164008136, on @user_script:1.
> EVAL "error()" 0
< -ERR nil script: aca90d914519fdb9825352bdc0befb59f7c8510f, on @user_script:1.
> EVAL "local function f() return f()+1 end return f()" 0
< -ERR user_script:1: stack overflow script: 17123be6b2e405691a19f87f62a8a7feb33b510f, on @user_script:1.

test nothing of the globals can be changed
> EVAL "foo=1" 0
< -ERR user_script:1: Attempt to modify a readonly table script: 5bddd8336e5f711bfa499383fc73c17560c6250b, on @user_script:1.
> EVAL "redis.call=1" 0
< -ERR user_script:1: Attempt to modify a readonly table script: 70f4e18b61fcf46601aff14fe2eaa0a7d2ff5e00, on @user_script:1.
> EVAL "string.x=1" 0
< -ERR user_script:1: Attempt to modify a readonly table script: 0200261db1e7771c266e77366576961c8f228af1, on @user_script:1.
> EVAL "setmetatable(_G,{})" 0
< -ERR Attempt to modify a readonly table script: e8f1b52cec0990f58c59b37010d130cfdce9e1a5, on @user_script:1.
> EVAL "rawset(_G,'a',1)" 0
< -ERR Attempt to modify a readonly table script: a1cbfb6b00d33f3232294dcc9ab503e3b919971b, on @user_script:1.
> EVAL "getmetatable(_G).__index=1" 0
< -ERR user_script:1: Attempt to modify a readonly table script: 96d1db64a1931c322badf9841a84e590bd69d9ac, on @user_script:1.
> EVAL "getmetatable('').__index=1" 0
< -ERR user_script:1: Attempt to modify a readonly table script: 6252c9f1f7b0d445012a0983d7595ca7470339b9, on @user_script:1.
> EVAL "table.insert(table,1)" 0
< -/ERR .*Attempt to modify a readonly table script: .*/
> EVAL "local n=0 for k,v in pairs(string) do n=n+1 end return n>10" 0
< 1
> EVAL "for k in pairs(_G) do if k=='io' or k=='print' or k=='require' or k=='debug' or k=='dofile' or k=='setfenv' then return k end end" 0
< nil
> EVAL "return {type(os.clock()),rawget(os,'time') == nil and 1 or 0}" 0
< ["number" 1]
> EVAL "local a,b=loadstring('\\27Lua') return b" 0
< /.*unexpected symbol near 'char\(27\)'/
> EVAL "return load(function() return nil end)()" 0
< nil
> EVAL "return loadstring('return 7')()" 0
< 7

test EVALSHA and SCRIPT
> SCRIPT LOAD "return 'loaded'"
< ?sha
> EVALSHA $sha 0
< "loaded"
> SCRIPT EXISTS $sha ffffffffffffffffffffffffffffffffffffffff
< [1 0]
> SCRIPT SHOW $sha
< "return 'loaded'"
> SCRIPT FLUSH
< +OK
> EVALSHA $sha 0
< -NOSCRIPT No matching script. Please use EVAL.
> EVALSHA short 0
< -NOSCRIPT No matching script. Please use EVAL.
> EVAL "return 'loaded'" 0
< "loaded"
> EVALSHA $sha 0
< "loaded"
> SCRIPT FLUSH ASYNC
< +OK
> SCRIPT FLUSH X
< -ERR SCRIPT FLUSH only support SYNC|ASYNC option
> SCRIPT KILL
< -NOTBUSY No scripts in execution right now.
> SCRIPT LOAD "x x"
< -ERR Error compiling script (new function): user_script:1: '=' expected near 'x'
> SCRIPT DEBUG FOO
< -ERR Use SCRIPT DEBUG YES/SYNC/NO
> SCRIPT FOO
< -ERR unknown subcommand 'FOO'. Try SCRIPT HELP.

test flags in the first line
> EVAL "#!lua\nreturn 1" 0
< 1
> EVAL "#!lua" 0
< -ERR Invalid script shebang
> EVAL "#!luax\nreturn 1" 0
< -ERR Unexpected engine in script shebang: #!luax
> EVAL "#!lua flags=foo\nreturn 1" 0
< -ERR Unexpected flag in script shebang: foo
> EVAL "#!lua name=x\nreturn 1" 0
< -ERR Unknown lua shebang option: name=x
> EVAL "#!lua flags=no-writes\nreturn redis.call('set','a',1)" 0
< -ERR Write commands are not allowed from read-only scripts. script: 36dfcf40eac5d9221c568698818560e04c0903bd, on @user_script:2.
> EVAL_RO "#!lua\nreturn 1" 0
< -ERR Can not execute a script with write flag using *_ro command.
> EVAL_RO "return redis.call('set','a','b')" 0
< -ERR Write commands are not allowed from read-only scripts. script: ff967d0ae0e68b4f9e360fa91c54598bc25ad9b6, on @user_script:1.
> EVAL_RO "return redis.call('get','a')" 0
< nil

test memory: scripts over the limit
> SET a 1
< +OK
> CONFIG SET maxmemory-policy noeviction maxmemory 1
< +OK
> EVAL "return redis.call('get','a')" 0
< "1"
> EVAL "return redis.call('set','b',1)" 0
< -/OOM command not allowed when used memory > 'maxmemory'. script: .*/
> EVAL "redis.call('del','nothing') return redis.call('set','b',1)" 0
< +OK
> EVAL "#!lua\nreturn 1" 0
< -OOM command not allowed when used memory > 'maxmemory'.
> EVAL "#!lua flags=allow-oom\nreturn redis.call('set','b',1)" 0
< +OK
> EVAL "#!lua flags=no-writes\nreturn redis.call('get','b')" 0
< "1"
> CONFIG SET maxmemory 0
< +OK

test the types of RESP3
!protocol 3
> HSET h f v
< 1
> ZADD z 1.5 m
< 1
> EVAL "redis.setresp(3) local r=redis.call('hgetall','h') return {type(r.map),r.map.f}" 0
< ["table" "v"]
> EVAL "redis.setresp(3) return redis.call('hgetall','h')" 0
< {"f" "v"}
> EVAL "return redis.call('hgetall','h')" 0
< ["f" "v"]
> EVAL "redis.setresp(3) return redis.call('zscore','z','m')" 0
< ,1.5
> EVAL "return redis.call('zscore','z','m')" 0
< "1.5"
> EVAL "redis.setresp(3) return redis.call('smembers','nothing')" 0
< set[]
> EVAL "redis.setresp(3) return {true,false}" 0
< [#t #f]
> EVAL "redis.setresp(3) return type(redis.call('get','nothing'))" 0
< "nil"
> EVAL "return {double=3.5}" 0
< ,3.5
> EVAL "return {map={a=1}}" 0
< {"a" 1}
> EVAL "return {set={a=true}}" 0
< set["a"]
> EVAL "return {big_number='123'}" 0
< ?
> EVAL "return {verbatim_string={string='x',format='mkd'}}" 0
< ?
> EVAL "return redis.setresp(4)" 0
< -ERR RESP version must be 2 or 3. script: 921c0a48021d97dfd5884aeea41875972c7804d9, on @user_script:1.

test the rest of the redis table
> EVAL "return redis.sha1hex('')" 0
< "da39a3ee5e6b4b0d3255bfef95601890afd80709"
> EVAL "return redis.sha1hex(string.rep('a',1000))" 0
< "291e9a6c66994949b57ba5e650361e98fc36b1ba"
> EVAL "return redis.replicate_commands()" 0
< 1
> EVAL "return redis.set_repl(redis.REPL_ALL)" 0
< nil
> EVAL "return redis.set_repl(9)" 0
< -ERR Invalid replication flags. Use REPL_AOF, REPL_REPLICA, REPL_ALL or REPL_NONE. script: f43d522179aeb2c4dadb59b026d11ed249ca02e0, on @user_script:1.
> EVAL "redis.log(redis.LOG_DEBUG,'a','b') return redis.LOG_WARNING" 0
< 3
> EVAL "return redis.acl_check_cmd('get','x')" 0
< 1
> EVAL "return redis.acl_check_cmd('xx')" 0
< -ERR Invalid command passed to server.acl_check_cmd() script: 28ed1caca0261076ea6e43dceda2f6152332377a, on @user_script:1.
> EVAL "return redis.REDIS_VERSION_NUM > 0x070000 and server.call == redis.call" 0
< 1

test scripts within transactions, and what they wake
> MULTI
< +OK
> EVAL "return redis.call('incr','c')" 0
< +QUEUED
> EVAL "return redis.call('incr','c')" 0
< +QUEUED
> EXEC
< [1 2]
b>> BLPOP wl 0
> EVAL "redis.call('rpush','wl','x') return 1" 0
< 1
b< ["wl" "x"]
> WATCH w
< +OK
b> EVAL "redis.call('set','w',1)" 0
b< nil
> MULTI
< +OK
> PING
< +QUEUED
> EXEC
< nil*

test time stands still
> EVAL "redis.call('set','k','v','px',1) local b=os.clock() while os.clock()-b<0.02 do end return redis.call('get','k')" 0
< "v"
> EVAL "local a=redis.call('time') local b=os.clock() while os.clock()-b<0.005 do end return redis.call('exists','k')" 0
< 0

test what takes too much memory ends with an error
> CONFIG SET script-memory-max 20mb
< +OK
> EVAL "local t={} for i=1,1e9 do t[i]=i end" 0
< -/ERR .*not enough memory.*/
> EVAL "return #string.rep('x',1e9)" 0
< -/ERR .*not enough memory.*/
> EVAL "local s='x' while true do s=s..s end" 0
< -/ERR .*not enough memory.*/
> EVAL "return string.rep('',1e15)" 0
< ""
> EVAL "return 1" 0
< 1
> CONFIG SET script-memory-max 512mb
< +OK

test scripts that only EVAL has sent are dropped, least used first
> SCRIPT FLUSH
< +OK
> SCRIPT LOAD "return 'kept'"
< ?sha
> EVAL "return 'first'" 0
< "first"
> EVAL "for i=1,10 do end return 0" 0
< 0
> INFO memory
< =txt has(/number_of_cached_scripts:3/)

test patterns
> EVAL "return {string.find('hello world','o w'),string.find('hello','l+'),string.match('key=val','(%w+)=(%w+)')}" 0
< [5 3 "key" "val"]
> EVAL "return {string.gsub('hello','l','<%0>')}" 0
< ["he<l><l>o" 2]
> EVAL "local t={} for k,v in string.gmatch('a=1, b=2','(%w+)=(%w+)') do t[#t+1]=k..v end return t" 0
< ["a1" "b2"]
> EVAL "return {string.find('THE (quick) fox','%f[%a]%a+%f[%A]'),string.match('f(a(b)c)','%b()'),string.gsub('abc','%w',{a='1',b=true and '2'})}" 0
< [1 "(a(b)c)" "12c" 3]
> EVAL "return string.gsub('abc','%w',function(c) if c=='b' then return 'X' end end)" 0
< "aXc"
> EVAL "return string.find('a','[a')" 0
< -/ERR user_script:1: malformed pattern \(missing '\]'\) script: .*/
> EVAL "return {string.find('a+b','+',1,true)}" 0
< [2 2]

test monitors see a script, and before what it runs
!connect main
> FUNCTION LOAD "#!lua name=l\nredis.register_function('f', function(k) return redis.call('INCR', k[1]) end)"
< "l"
m> MONITOR
m< +OK
> EVAL "return redis.call('incr',KEYS[1])" 1 n
< 1
m< +/.* \[0 127\.0\.0\.1:\d+\] "EVAL" "return redis.call\('incr',KEYS\[1\]\)" "1" "n"/
m< +/.* \[0 lua\] "incr" "n"/
> FCALL f 1 n
< 2
m< +/.* \[0 127\.0\.0\.1:\d+\] "FCALL" "f" "1" "n"/
m< +/.* \[0 lua\] "INCR" "n"/
> EVALSHA nonsense 0
< -NOSCRIPT No matching script. Please use EVAL.
m< +/.* "EVALSHA" "nonsense" "0"/
> FCALL_RO f 0
< -ERR Can not execute a script with write flag using *_ro command.
m< +/.* "FCALL_RO" "f" "0"/
> MULTI
< +OK
> FCALL f 1 n
< +QUEUED
> EXEC
< [3]
m< +/.* "MULTI"/
m< +/.* "FCALL" "f" "1" "n"/
m< +/.* \[0 lua\] "INCR" "n"/
m< +/.* "EXEC"/

test words of the first line
> EVAL "#!lua flags=NO-WRITES\nreturn 1" 0
< -ERR Unexpected flag in script shebang: NO-WRITES
> EVAL "#!lua flags=no-writes,\nreturn 1" 0
< -/ERR Unexpected flag in script shebang: ?/
> EVAL "#!lua flags=,no-writes\nreturn 1" 0
< -/ERR Unexpected flag in script shebang: ?/
> EVAL "#!lua flags=\nreturn 1" 0
< 1
> EVAL "#!lua flags=no-writes,allow-oom\nreturn 1" 0
< 1
> EVAL "#!lua flags=no-writes flags=bad\nreturn 1" 0
< -ERR Unexpected flag in script shebang: bad
> EVAL "#!Lua\nreturn 1" 0
< 1
