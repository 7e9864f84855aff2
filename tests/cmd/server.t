# The server about itself.

test INFO
> INFO
< =txt has(/^# Server\r$/ /^redis_version:\d+\.\d+\.\d+\r$/ /^redis_mode:standalone\r$|^server_mode:standalone\r$/ /^process_id:\d+\r$/ /^tcp_port:$port\r$|^tcp_port:\d+\r$/
<       /^uptime_in_seconds:\d+\r$/ /^# Clients\r$/ /^connected_clients:[1-9]\d*\r$/ /^# Memory\r$/ /^used_memory:[1-9]\d*\r$/ /^# Persistence\r$/
<       /^loading:0\r$/ /^# Stats\r$/ /^total_connections_received:\d+\r$/ /^# Replication\r$/ /^role:master\r$/ /^connected_slaves:0\r$/
<       /^# CPU\r$/ /^used_cpu_sys:\d+\.\d+\r$/ /^# Errorstats\r$/ /^# Cluster\r$/ /^cluster_enabled:0\r$/ /^# Keyspace\r$/)
> INFO
< =txt hasnot(/^# Commandstats/ /^# Latencystats/ /^# Debug/)
> INFO default
< =txt has(/^# Server/ /^# Keyspace/)
> INFO all
< =txt has(/^# Server/ /^# Commandstats/ /^# Latencystats/ /^# Keyspace/)
> INFO everything
< =txt has(/^# Server/ /^# Commandstats/ /^# Latencystats/ /^# Keyspace/)
> INFO server
< =txt/# Server\r\n.*/
> INFO SERVER
< =txt/# Server\r\n.*/
> INFO server
< =txt hasnot(/^# Clients/ /^# Memory/)
> INFO server clients
< =txt has(/^# Server/ /^# Clients/)
> INFO server clients
< =txt hasnot(/^# Memory/)
> INFO clients
< =txt has(/^connected_clients:\d+\r$/ /^maxclients:\d+\r$/ /^blocked_clients:0\r$/)
> INFO replication
< =txt has(/^role:master/ /^master_replid:[0-9a-f]{40}\r$/)
> INFO nonsense
< =txt""
> INFO nonsense server
< =txt has(/^# Server/)

test INFO commandstats and errorstats
> SET k v
< +OK
> GET k
< "v"
> GET k
< "v"
> GET
< -ERR wrong number of arguments for 'get' command
> FOO
< -"ERR unknown command 'FOO', with args beginning with: "
> INCR k
< -ERR value is not an integer or out of range
> CONFIG GET port
< {"port" ?}
> INFO commandstats
< =txt has(/^cmdstat_get:calls=2,usec=\d+,usec_per_call=\d+\.\d\d,rejected_calls=1,failed_calls=0\r$/
<          /^cmdstat_set:calls=1,/ /^cmdstat_incr:calls=1,usec=\d+,usec_per_call=\d+\.\d\d,rejected_calls=0,failed_calls=1\r$/
<          /^cmdstat_config\|get:calls=1,/)
> INFO errorstats
< =txt has(/^errorstat_ERR:count=3\r$/)
> CONFIG RESETSTAT
< +OK
> INFO errorstats
< =txt hasnot(/errorstat_/)
> INFO commandstats
< =txt hasnot(/cmdstat_get/)

test INFO latencystats
> SET k v
< +OK
> INFO latencystats
< =txt has(/^latency_percentiles_usec_set:p50=\d+(\.\d+)?,p99=\d+(\.\d+)?,p99.9=\d+(\.\d+)?\r$/)

test INFO stats
> SET k v
< +OK
> GET k
< "v"
> GET missing
< nil
> INFO stats
< =txt has(/^keyspace_hits:1\r$/ /^keyspace_misses:1\r$/ /^total_commands_processed:\d+\r$/ /^expired_keys:0\r$/ /^evicted_keys:0\r$/ /^total_error_replies:0\r$/)
> FOO
< -"ERR unknown command 'FOO', with args beginning with: "
> INFO stats
< =txt has(/^total_error_replies:1\r$/)

test INFO keyspace
> INFO keyspace
< =txt/# Keyspace\r\n/
> MSET a 1 b 2
< +OK
> EXPIRE a 100
< 1
> SELECT 3
< +OK
> SET c 1
< +OK
> INFO keyspace
< =txt has(/^db0:keys=2,expires=1,avg_ttl=\d+/ /^db3:keys=1,expires=0,avg_ttl=0/)

test CONFIG
> CONFIG
< -ERR wrong number of arguments for 'config' command
> CONFIG FOO
< -ERR unknown subcommand 'FOO'. Try CONFIG HELP.
> CONFIG GET
< -ERR wrong number of arguments for 'config|get' command
> CONFIG SET
< -ERR wrong number of arguments for 'config|set' command
> CONFIG SET a
< -ERR wrong number of arguments for 'config|set' command
> CONFIG SET maxmemory 1mb port
< -ERR syntax error
> CONFIG RESETSTAT x
< -ERR wrong number of arguments for 'config|resetstat' command
> CONFIG REWRITE x
< -ERR wrong number of arguments for 'config|rewrite' command
> CONFIG HELP x
< -ERR wrong number of arguments for 'config|help' command
> CONFIG HELP
< [+"CONFIG <subcommand> [<arg> [value] [opt] ...]. Subcommands are:" ...]

test CONFIG GET
> CONFIG GET maxclients
< {"maxclients" /\d+/}
> CONFIG GET MAXCLIENTS
< {"MAXCLIENTS" /\d+/}
> CONFIG GET nonsense
< {}
> CONFIG GET maxmemory maxclients
< {"maxmemory" "0" "maxclients" /\d+/ ...}
> CONFIG GET maxmemory maxmemory
< {"maxmemory" "0"}
> CONFIG GET slowlog-*
< {"slowlog-log-slower-than" "10000" "slowlog-max-len" "128" ...}
> CONFIG GET *
< {"port" ? "maxmemory" "0" "timeout" "0" "databases" "16" "hz" "10" "maxmemory-policy" "noeviction" "appendonly" "no" "save" "" "bind" "127.0.0.1" ...}
> CONFIG GET hash-max-listpack-*
< {"hash-max-listpack-entries" ? "hash-max-listpack-value" "64" ...}
> CONFIG GET hash-max-ziplist-entries
< {"hash-max-ziplist-entries" ?}
> CONFIG GET dir
< {"dir" /\/.*/}

test CONFIG SET
> CONFIG SET maxmemory 100mb
< +OK
> CONFIG GET maxmemory
< {"maxmemory" "104857600"}
> CONFIG SET maxmemory 1kb
< +OK
> CONFIG SET maxmemory 0
< +OK
> CONFIG GET maxmemory
< {"maxmemory" "0"}
> CONFIG SET maxmemory abc
< -ERR CONFIG SET failed (possibly related to argument 'maxmemory') - argument must be a memory value
> CONFIG SET maxmemory -1
< -ERR CONFIG SET failed (possibly related to argument 'maxmemory') - argument must be a memory value
> CONFIG SET maxmemory-policy allkeys-lru
< +OK
> CONFIG GET maxmemory-policy
< {"maxmemory-policy" "allkeys-lru"}
> CONFIG SET maxmemory-policy foo
< -ERR CONFIG SET failed (possibly related to argument 'maxmemory-policy') - argument(s) must be one of the following: volatile-lru, volatile-lfu, volatile-random, volatile-ttl, allkeys-lru, allkeys-lfu, allkeys-random, noeviction
> CONFIG SET maxmemory-policy noeviction
< +OK
> CONFIG SET nonsense 1
< -ERR Unknown option or number of arguments for CONFIG SET - 'nonsense'
> CONFIG SET hz abc
< -ERR CONFIG SET failed (possibly related to argument 'hz') - argument couldn't be parsed into an integer
> CONFIG SET hz 20 slowlog-max-len 64
< +OK
> CONFIG GET hz slowlog-max-len
< {"hz" "20" "slowlog-max-len" "64" ...}
> CONFIG SET hz 10 slowlog-max-len 128
< +OK
> CONFIG SET hz 10 nonsense 1
< -ERR Unknown option or number of arguments for CONFIG SET - 'nonsense'
> CONFIG SET hz 15 slowlog-max-len abc
< -ERR CONFIG SET failed (possibly related to argument 'slowlog-max-len') - argument couldn't be parsed into an integer
> CONFIG GET hz
< {"hz" "10"}
> CONFIG SET hz 10 hz 20
< -ERR CONFIG SET failed (possibly related to argument 'hz') - duplicate parameter
> CONFIG SET port abc
< -ERR CONFIG SET failed (possibly related to argument 'port') - argument couldn't be parsed into an integer
> CONFIG SET databases 4
< -ERR CONFIG SET failed (possibly related to argument 'databases') - can't set immutable config
> CONFIG SET lazyfree-lazy-expire maybe
< -ERR CONFIG SET failed (possibly related to argument 'lazyfree-lazy-expire') - argument must be 'yes' or 'no'
> CONFIG SET lazyfree-lazy-expire no
< +OK
> CONFIG SET lazyfree-lazy-expire yes
< +OK
> CONFIG SET timeout -1
< -ERR CONFIG SET failed (possibly related to argument 'timeout') - argument must be between 0 and 2147483647 inclusive
> CONFIG SET maxclients 0
< -ERR CONFIG SET failed (possibly related to argument 'maxclients') - argument must be between 1 and 4294967295 inclusive
> config set HZ 10
< +OK
> CONFIG SET latency-monitor-threshold 5
< +OK
> CONFIG SET latency-monitor-threshold 0
< +OK

test CONFIG SET client-output-buffer-limit
> CONFIG GET client-output-buffer-limit
< {"client-output-buffer-limit" "normal 0 0 0 slave 268435456 67108864 60 pubsub 33554432 8388608 60"}
> CONFIG SET client-output-buffer-limit "normal 1mb 512kb 10"
< +OK
> CONFIG GET client-output-buffer-limit
< {"client-output-buffer-limit" "normal 1048576 524288 10 slave 268435456 67108864 60 pubsub 33554432 8388608 60"}
> CONFIG SET client-output-buffer-limit "normal 0 0 0"
< +OK
> CONFIG SET client-output-buffer-limit "foo 0 0 0"
< -ERR CONFIG SET failed (possibly related to argument 'client-output-buffer-limit') - Invalid client class specified in buffer limit configuration.
> CONFIG SET client-output-buffer-limit "normal 0 0"
< -ERR CONFIG SET failed (possibly related to argument 'client-output-buffer-limit') - Wrong number of arguments in buffer limit configuration.
> CONFIG SET client-output-buffer-limit "normal a 0 0"
< -ERR CONFIG SET failed (possibly related to argument 'client-output-buffer-limit') - Error in hard, soft or soft_seconds setting in buffer limit configuration.
> CONFIG SET client-output-buffer-limit "normal 0 0 0 pubsub 32mb 8mb 60"
< +OK
> CONFIG SET client-output-buffer-limit "normal 0 0 0 normal 0 0"
< -ERR CONFIG SET failed (possibly related to argument 'client-output-buffer-limit') - Wrong number of arguments in buffer limit configuration.

test CONFIG SET bind and port
!args --timeout 0
> CONFIG SET port $port
< +OK
> PING
< +PONG
> CONFIG SET bind 127.0.0.1
< +OK
> PING
< +PONG
> CONFIG GET bind
< {"bind" "127.0.0.1"}
> CONFIG SET port 70000
< -ERR CONFIG SET failed (possibly related to argument 'port') - argument must be between 0 and 65535 inclusive
> CONFIG SET bind 1.2.3.4
< -ERR CONFIG SET failed (possibly related to argument 'bind') - Failed to bind to specified addresses.
> PING
< +PONG

test CONFIG SET of what is fixed at start
> CONFIG SET tcp-backlog 100
< -ERR CONFIG SET failed (possibly related to argument 'tcp-backlog') - can't set immutable config
> CONFIG SET daemonize yes
< -ERR CONFIG SET failed (possibly related to argument 'daemonize') - can't set immutable config
> CONFIG SET unixsocket /tmp/x
< -ERR CONFIG SET failed (possibly related to argument 'unixsocket') - can't set immutable config
> CONFIG SET syslog-enabled yes
< -ERR CONFIG SET failed (possibly related to argument 'syslog-enabled') - can't set immutable config

test CONFIG REWRITE without a file
> CONFIG REWRITE
< -ERR The server is running without a config file

test CONFIG RESETSTAT
> CONFIG RESETSTAT
< +OK
> INFO stats
< =txt has(/^total_commands_processed:\d\r$/ /^keyspace_hits:0\r$/)

test TIME
> TIME
< [/\d{10}/ /\d{1,6}/]
> TIME x
< -ERR wrong number of arguments for 'time' command

test SHUTDOWN refused
> SHUTDOWN FOO
< -ERR syntax error
> SHUTDOWN ABORT
< -ERR No shutdown in progress.
> SHUTDOWN NOSAVE SAVE
< -ERR syntax error
> SHUTDOWN ABORT NOW
< -ERR syntax error
> SHUTDOWN NOW FOO
< -ERR syntax error
> PING
< +PONG

test SHUTDOWN
!args --timeout 0
!own
a> PING
a< +PONG
>> SHUTDOWN
!closed a
!ended 0
!start
> PING
< +PONG
>> SHUTDOWN NOSAVE
!ended 0
!start
>> SHUTDOWN NOSAVE NOW FORCE
!ended 0
!start
>> shutdown nosave
!ended 0
!start

test SHUTDOWN with replies still to go
!args --timeout 0
!own
> SET big "x"*1000000
< +OK
a>> GET big
a>> GET big
a< "x"*1000000
a< "x"*1000000
>> GET big
>> SHUTDOWN NOSAVE
< "x"*1000000
!ended 0
!start

test MEMORY
> MEMORY
< -ERR wrong number of arguments for 'memory' command
> MEMORY FOO
< -ERR unknown subcommand 'FOO'. Try MEMORY HELP.
> MEMORY USAGE
< -ERR wrong number of arguments for 'memory|usage' command
> MEMORY HELP
< [+"MEMORY <subcommand> [<arg> [value] [opt] ...]. Subcommands are:" ...]
> MEMORY HELP x
< -ERR wrong number of arguments for 'memory|help' command

test MEMORY USAGE
> SET k v
< +OK
> MEMORY USAGE k
< 16..200
> MEMORY USAGE missing
< nil
> SET big "x"*100000
< +OK
> MEMORY USAGE big
< 100000..200000
> MEMORY USAGE k SAMPLES 5
< 16..200
> MEMORY USAGE k SAMPLES 0
< 16..200
> MEMORY USAGE k SAMPLES -1
< -ERR syntax error
> MEMORY USAGE k SAMPLES abc
< -ERR value is not an integer or out of range
> MEMORY USAGE k SAMPLES
< -ERR syntax error
> MEMORY USAGE k FOO 1
< -ERR syntax error
> MEMORY USAGE k x
< -ERR syntax error

test MEMORY STATS
> SET k v
< +OK
> MEMORY STATS
< {"peak.allocated" :? "total.allocated" :? "startup.allocated" :? "replication.backlog" 0 "clients.slaves" 0 "clients.normal" :? "aof.buffer" 0
<  "db.0" {"overhead.hashtable.main" :? "overhead.hashtable.expires" :? ...} "overhead.total" :? "keys.count" 1 "keys.bytes-per-key" :?
<  "dataset.bytes" :? "dataset.percentage" ,/\d+(\.\d+)?/ "peak.percentage" ,/\d+(\.\d+)?/ "allocator.allocated" :? "allocator.active" :?
<  "allocator.resident" :? "fragmentation" ,/-?\d+(\.\d+)?([eE]-?\d+)?/ "fragmentation.bytes" :? ...}
> MEMORY STATS x
< -ERR wrong number of arguments for 'memory|stats' command

test MEMORY DOCTOR, PURGE, MALLOC-STATS
> MEMORY DOCTOR
< =txt/.+/
> MEMORY PURGE
< +OK
> MEMORY MALLOC-STATS
< =txt/.+/
> MEMORY DOCTOR x
< -ERR wrong number of arguments for 'memory|doctor' command
> MEMORY PURGE x
< -ERR wrong number of arguments for 'memory|purge' command

test DEBUG
> DEBUG SLEEP 0
< +OK
> DEBUG SLEEP 0.001
< +OK
> DEBUG SLEEP abc
< ?
> SET k v
< +OK
> DEBUG OBJECT k
< +/Value at:\S+ refcount:1 encoding:embstr serializedlength:\d+ lru:\d+ lru_seconds_idle:\d+.*/
> DEBUG OBJECT missing
< -ERR no such key
> DEBUG SET-ACTIVE-EXPIRE 0
< +OK
> DEBUG SET-ACTIVE-EXPIRE 1
< +OK
> DEBUG
< -ERR wrong number of arguments for 'debug' command
> DEBUG HELP
< [+"DEBUG <subcommand> [<arg> [value] [opt] ...]. Subcommands are:" ...]

test DEBUG unknown
!own
> DEBUG FOO
< -/ERR unknown subcommand.*'FOO'\. Try DEBUG HELP\./
> DEBUG SLEEP
< -/ERR .*/
> DEBUG OBJECT
< -/ERR .*/

test DEBUG SET-ACTIVE-EXPIRE
> DEBUG SET-ACTIVE-EXPIRE 0
< +OK
> SET k v PX 1
< +OK
> DEBUG SLEEP 0.15
< +OK
> INFO keyspace
< =txt has(/^db0:keys=1,expires=1/)
> EXISTS k
< 0
> DEBUG SET-ACTIVE-EXPIRE 1
< +OK

test DEBUG is refused unless allowed
!args --enable-debug-command no
> DEBUG SLEEP 0
< -ERR DEBUG command not allowed. If the enable-debug-command option is set to "local", you can run it from a local connection, otherwise you need to set this option in the configuration file, and then restart the server.
> DEBUG OBJECT k
< -ERR DEBUG command not allowed. If the enable-debug-command option is set to "local", you can run it from a local connection, otherwise you need to set this option in the configuration file, and then restart the server.

test DEBUG for local clients only
!args --enable-debug-command local
> DEBUG SLEEP 0
< +OK

test SLOWLOG
> SLOWLOG
< -ERR wrong number of arguments for 'slowlog' command
> SLOWLOG FOO
< -ERR unknown subcommand 'FOO'. Try SLOWLOG HELP.
> SLOWLOG LEN x
< -ERR wrong number of arguments for 'slowlog|len' command
> SLOWLOG RESET x
< -ERR wrong number of arguments for 'slowlog|reset' command
> SLOWLOG GET abc
< -ERR count should be greater than or equal to -1
> SLOWLOG GET -2
< -ERR count should be greater than or equal to -1
> SLOWLOG GET 1 2
< -ERR unknown subcommand or wrong number of arguments for 'GET'. Try SLOWLOG HELP.
> SLOWLOG HELP
< [+"SLOWLOG <subcommand> [<arg> [value] [opt] ...]. Subcommands are:" +"GET [<count>]" +"    Return top <count> entries from the slowlog (default: 10, -1 mean all)." +"    Entries are made of:" +"    id, timestamp, time in microseconds, arguments array, client IP and port," +"    client name" +LEN +"    Return the length of the slowlog." +RESET +"    Reset the slowlog." +HELP +"    Print this help."]
> SLOWLOG HELP x
< -ERR wrong number of arguments for 'slowlog|help' command

test SLOWLOG GET
!args --slowlog-log-slower-than 10000000
> SLOWLOG RESET
< +OK
> SLOWLOG GET
< []
> SLOWLOG LEN
< 0
> CLIENT SETNAME me
< +OK
> CONFIG SET slowlog-log-slower-than 0
< +OK
> SLOWLOG RESET
< +OK
> SET k v
< +OK
> GET k
< "v"
> CONFIG SET slowlog-log-slower-than 10000000
< +OK
> SLOWLOG LEN
< 3..5
> SLOWLOG GET 2
< [[:? :? :? ["GET" "k"] /127\.0\.0\.1:\d+/ "me"] [:? :? :? ["SET" "k" "v"] /127\.0\.0\.1:\d+/ "me"]]
> SLOWLOG GET 0
< []
> SLOWLOG GET -1
< [[:? :? :? ["GET" "k"] ? "me"] [:? :? :? ["SET" "k" "v"] ? "me"] ...]
> SLOWLOG GET
< [[:? :? :? ["GET" "k"] ? "me"] ...]
> SLOWLOG RESET
< +OK
> SLOWLOG LEN
< 0
> SLOWLOG GET
< []

test SLOWLOG shortens what is long
!args --slowlog-log-slower-than 10000000
> CONFIG SET slowlog-log-slower-than 0
< +OK
> SLOWLOG RESET
< +OK
> SET k "x"*200
< +OK
> DEL 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34
< 0
> CONFIG SET slowlog-log-slower-than 10000000
< +OK
> SLOWLOG GET 2
< [[:? :? :? ["DEL" "1" "2" "3" "4" "5" "6" "7" "8" "9" "10" "11" "12" "13" "14" "15" "16" "17" "18" "19" "20" "21" "22" "23" "24" "25" "26" "27" "28" "29" "30" "... (4 more arguments)"] ? ?]
<    [:? :? :? ["SET" "k" "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx... (72 more bytes)"] ? ?]]

test SLOWLOG keeps slowlog-max-len
!args --slowlog-log-slower-than 10000000
> CONFIG SET slowlog-log-slower-than 0 slowlog-max-len 2
< +OK
> GET a
< nil
> GET b
< nil
> GET c
< nil
> CONFIG SET slowlog-log-slower-than 10000000
< +OK
> SLOWLOG LEN
< 2
> CONFIG SET slowlog-max-len 128
< +OK
> SLOWLOG RESET
< +OK

test SLOWLOG hides passwords
!args --slowlog-log-slower-than 10000000
> CONFIG SET slowlog-log-slower-than 0
< +OK
> SLOWLOG RESET
< +OK
> CONFIG SET requirepass secret
< +OK
> CONFIG SET requirepass ""
< +OK
> AUTH default topsecret
< +OK
> CONFIG SET slowlog-log-slower-than 10000000
< +OK
> SLOWLOG GET 4
< [[:? :? :? ["AUTH" "(redacted)" "(redacted)"] ? ?] [:? :? :? ["CONFIG" "SET" "requirepass" "(redacted)"] ? ?] [:? :? :? ["CONFIG" "SET" "requirepass" "(redacted)"] ? ?] ?]

test LATENCY
> LATENCY
< -ERR wrong number of arguments for 'latency' command
> LATENCY FOO
< -ERR unknown subcommand 'FOO'. Try LATENCY HELP.
> LATENCY LATEST x
< -ERR wrong number of arguments for 'latency|latest' command
> LATENCY HISTORY
< -ERR wrong number of arguments for 'latency|history' command
> LATENCY HISTORY nothing
< []
> LATENCY HISTORY a b
< -ERR wrong number of arguments for 'latency|history' command
> LATENCY GRAPH nothing
< -ERR No samples available for event 'nothing'
> LATENCY GRAPH
< -ERR wrong number of arguments for 'latency|graph' command
> LATENCY DOCTOR x
< -ERR wrong number of arguments for 'latency|doctor' command
> LATENCY DOCTOR
< =txt/.+/
> LATENCY HELP
< [+"LATENCY <subcommand> [<arg> [value] [opt] ...]. Subcommands are:" ...]
> LATENCY HELP x
< -ERR wrong number of arguments for 'latency|help' command

test LATENCY events
!args --latency-monitor-threshold 1
> LATENCY RESET
< :?
> LATENCY LATEST
< []
> DEBUG SLEEP 0.01
< +OK
> LATENCY LATEST
< [["command" :? 10..2000 10..2000 ...] ...]
> LATENCY HISTORY command
< [[:? 10..2000]]
> LATENCY GRAPH command
< =txt/command - high \d+ ms, low \d+ ms \(all time high \d+ ms\)\n-+\n.*/
> LATENCY DOCTOR
< =txt/.+/
> LATENCY RESET nothing
< 0
> LATENCY RESET command
< 1
> LATENCY LATEST
< [...]
> DEBUG SLEEP 0.01
< +OK
> LATENCY RESET
< 1..5
> LATENCY HISTORY command
< []

test LATENCY HISTOGRAM
> SET k v
< +OK
> GET k
< "v"
> GET k
< "v"
> LATENCY HISTOGRAM set get
< {"set" {"calls" 1 "histogram_usec" {:? 1}} "get" {"calls" 2 "histogram_usec" ?}}|{"get" {"calls" 2 "histogram_usec" ?} "set" {"calls" 1 "histogram_usec" {:? 1}}}
> LATENCY HISTOGRAM nonsense
< {}
> LATENCY HISTOGRAM set nonsense
< {"set" {"calls" 1 "histogram_usec" {:? 1}}}
> LATENCY HISTOGRAM SET
< {"set" {"calls" 1 "histogram_usec" {:? 1}}}
> LATENCY HISTOGRAM append
< {}
> LATENCY HISTOGRAM config|resetstat
< {...}
> LATENCY HISTOGRAM
< {"set" {"calls" 1 "histogram_usec" ?} "get" {"calls" 2 "histogram_usec" ?} ...}

test MONITOR
!connect main
m> MONITOR
m< +OK
> SELECT 2
< +OK
> SET k "v\n\x01\"\\"
< +OK
m< +/\d+\.\d{6} \[\d+ 127\.0\.0\.1:\d+\] "SELECT" "2"/
m< +/\d+\.\d{6} \[2 127\.0\.0\.1:\d+\] "SET" "k" "v\\n\\x01\\"\\\\"/
> PING
< +PONG
m< +/\d+\.\d{6} \[2 127\.0\.0\.1:\d+\] "PING"/
> GET
< -ERR wrong number of arguments for 'get' command
> FOO
< -"ERR unknown command 'FOO', with args beginning with: "
> GET k
< "v\n\x01\"\\"
m< +/\d+\.\d{6} \[2 127\.0\.0\.1:\d+\] "GET" "k"/
m>> PING
m< +PONG|+/\d+\.\d{6} .* "PING"/
m< +PONG|+/\d+\.\d{6} .* "PING"/
> CLIENT LIST FLAGS O
< =txt has(/ flags=O /)
m>> QUIT
m< +OK
!closed m

test MONITOR hides what is secret
!connect main
m> MONITOR
m< +OK
> AUTH default secret
< +OK
m< +/.* "AUTH" "\(redacted\)" "\(redacted\)"/
> CONFIG SET requirepass ""
< +OK
> CONFIG GET port
< {"port" ?}
> PING
< +PONG
m< +/.* "PING"/
m>> RESET
m< +RESET
> PING
< +PONG
m> PING
m< +PONG
m> MONITOR x
m< -ERR wrong number of arguments for 'monitor' command

test COMMAND
> COMMAND COUNT
< 50..1000
> COMMAND COUNT x
< -ERR wrong number of arguments for 'command|count' command
> COMMAND FOO
< -ERR unknown subcommand 'FOO'. Try COMMAND HELP.
> COMMAND HELP
< [+"COMMAND <subcommand> [<arg> [value] [opt] ...]. Subcommands are:" +"(no subcommand)" +"    Return details about all commands." +COUNT +"    Return the total number of commands in this server." +LIST +"    Return a list of all commands in this server." +"INFO [<command-name> ...]" +"    Return details about multiple commands." +"    If no command names are given, documentation details for all" +"    commands are returned." +"DOCS [<command-name> ...]" +"    Return documentation details about multiple commands." +"    If no command names are given, documentation details for all" +"    commands are returned." +"GETKEYS <full-command>" +"    Return the keys from a full command." +"GETKEYSANDFLAGS <full-command>" +"    Return the keys and the access flags from a full command." +HELP +"    Print this help."]
> COMMAND HELP x
< -ERR wrong number of arguments for 'command|help' command
> COMMAND INFO nonsense
< [nil]
> COMMAND INFO get nonsense
< [["get" ...] nil]
> COMMAND INFO GET
< [["get" 2 set[+readonly +fast] 1 1 1 set[+@read +@string +@fast] set[] set[{"flags" set[+RO +access] "begin_search" {"type" "index" "spec" {"index" 1}} "find_keys" {"type" "range" "spec" {"lastkey" 0 "keystep" 1 "limit" 0}}}] []]]
> COMMAND
< [[? :? set[...] :? :? :? set[...] ? ? ?] ...]

test COMMAND INFO
> COMMAND INFO get set mset del getex config ping client|kill config|get
< [["get" 2 ...] ["set" -3 ...] ["mset" -3 ...] ["del" -2 ...] ["getex" -2 ...] ["config" -2 ...] ["ping" -1 ...] ["client|kill" -3 ...] ["config|get" -3 ...]]
> COMMAND INFO mset msetnx
< [["mset" -3 set[+write +denyoom] 1 -1 2 set[+@write +@string +@slow] set["request_policy:multi_shard" "response_policy:all_succeeded"] set[{"flags" set[+OW +update] "begin_search" {"type" "index" "spec" {"index" 1 ...} ...} "find_keys" {"type" "range" "spec" {"lastkey" -1 "keystep" 2 "limit" 0 ...} ...} ...}] []] ["msetnx" -3 set[+write +denyoom] 1 -1 2 set[+@write +@string +@slow] set[] set[{"flags" set[+OW +insert] "begin_search" {"type" "index" "spec" {"index" 1 ...} ...} "find_keys" {"type" "range" "spec" {"lastkey" -1 "keystep" 2 "limit" 0 ...} ...} ...}] []]]
> COMMAND INFO lcs rename
< [["lcs" -3 set[+readonly] 1 2 1 set[+@read +@string +@slow] set[] set[{"flags" set[+RO +access] "begin_search" {"type" "index" "spec" {"index" 1 ...} ...} "find_keys" {"type" "range" "spec" {"lastkey" 1 "keystep" 1 "limit" 0 ...} ...} ...}] []] ["rename" 3 set[+write] 1 2 1 set[+@keyspace +@write +@slow] set[] set[{"flags" set[+RW +access +delete] "begin_search" {"type" "index" "spec" {"index" 1 ...} ...} "find_keys" {"type" "range" "spec" {"lastkey" 0 "keystep" 1 "limit" 0 ...} ...} ...} {"flags" set[+OW +update] "begin_search" {"type" "index" "spec" {"index" 2 ...} ...} "find_keys" {"type" "range" "spec" {"lastkey" 0 "keystep" 1 "limit" 0 ...} ...} ...}] []]]
> COMMAND INFO set
< [["set" -3 set[+write +denyoom] 1 1 1 set[+@write +@string +@slow] set[] set[{"flags" set[+RW +access +update +variable_flags] "begin_search" {"type" "index" "spec" {"index" 1 ...} ...} "find_keys" {"type" "range" "spec" {"lastkey" 0 "keystep" 1 "limit" 0 ...} ...} ...}] []]]
> COMMAND INFO expire
< [["expire" -3 set[+write +fast] 1 1 1 set[+@keyspace +@write +@fast] set[] set[{"flags" set[+RW +update] "begin_search" {"type" "index" "spec" {"index" 1 ...} ...} "find_keys" {"type" "range" "spec" {"lastkey" 0 "keystep" 1 "limit" 0 ...} ...} ...}] []]]
> COMMAND INFO scan
< [["scan" -2 set[+readonly] 0 0 0 set[+@keyspace +@read +@slow] set["nondeterministic_output" "request_policy:special" "response_policy:special"] set[] []]]
> COMMAND INFO quit
< [["quit" -1 set[+noscript +loading +stale +fast +no_auth +allow_busy] 0 0 0 set[+@fast +@connection] set[] set[] []]]
> COMMAND INFO substr
< [["substr" 4 set[+readonly] 1 1 1 set[+@read +@string +@slow] set[] set[{"flags" set[+RO +access] "begin_search" {"type" "index" "spec" {"index" 1 ...} ...} "find_keys" {"type" "range" "spec" {"lastkey" 0 "keystep" 1 "limit" 0 ...} ...} ...}] []]]
> COMMAND INFO memory|usage
< [["memory|usage" -3 set[+readonly] 2 2 1 set[+@read +@slow] set[] set[{"flags" set[+RO] "begin_search" {"type" "index" "spec" {"index" 2 ...} ...} "find_keys" {"type" "range" "spec" {"lastkey" 0 "keystep" 1 "limit" 0 ...} ...} ...}] []]]
> COMMAND INFO client|kill
< [["client|kill" -3 set[+admin +noscript +loading +stale] 0 0 0 set[+@admin +@slow +@dangerous +@connection] set[] set[] []]]
> COMMAND INFO flushall
< [["flushall" -1 set[+write] 0 0 0 set[+@keyspace +@write +@slow +@dangerous] set["request_policy:all_shards" "response_policy:all_succeeded"] set[] []]]
> COMMAND INFO monitor
< [["monitor" 1 set[+admin +noscript +loading +stale] 0 0 0 set[+@admin +@slow +@dangerous] set[] set[] []]]
> COMMAND INFO debug
< [["debug" -2 set[+admin +noscript +loading +stale] 0 0 0 set[+@admin +@slow +@dangerous] set[] set[] []]]
> COMMAND INFO shutdown
< [["shutdown" -1 set[+admin +noscript +loading +stale +no_multi +allow_busy] 0 0 0 set[+@admin +@slow +@dangerous] set[] set[] []]]
> COMMAND INFO auth hello reset
< [["auth" -2 set[+noscript +loading +stale +fast +no_auth +allow_busy] 0 0 0 set[+@fast +@connection] set[] set[] []] ["hello" -1 set[+noscript +loading +stale +fast +no_auth +allow_busy] 0 0 0 set[+@fast +@connection] set[] set[] []] ["reset" 1 set[+noscript +loading +stale +fast +no_auth +allow_busy] 0 0 0 set[+@fast +@connection] set[] set[] []]]
> COMMAND INFO object|encoding
< [["object|encoding" 3 set[+readonly] 2 2 1 set[+@keyspace +@read +@slow] set["nondeterministic_output"] set[{"flags" set[+RO] "begin_search" {"type" "index" "spec" {"index" 2 ...} ...} "find_keys" {"type" "range" "spec" {"lastkey" 0 "keystep" 1 "limit" 0 ...} ...} ...}] []]]

test COMMAND LIST
> COMMAND LIST
< any["get" "set" "config|get" "ping" ...]
> COMMAND LIST FILTERBY PATTERN mset*
< any["mset" "msetnx" ...]
> COMMAND LIST FILTERBY PATTERN nothing*
< []
> COMMAND LIST FILTERBY ACLCAT connection
< any["ping" "client|list" "select" ...]
> COMMAND LIST FILTERBY ACLCAT nonsense
< []
> COMMAND LIST FILTERBY MODULE nonsense
< []
> COMMAND LIST FILTERBY FOO x
< -ERR syntax error
> COMMAND LIST FILTERBY PATTERN
< -ERR syntax error
> COMMAND LIST FILTERBY
< -ERR syntax error
> COMMAND LIST FOO
< -ERR syntax error
> COMMAND LIST FILTERBY PATTERN a b
< -ERR syntax error

test COMMAND DOCS
> COMMAND DOCS get
< {"get" {"group" "string" "arguments" [{"name" "key" "type" "key" "display_text" "key" "key_spec_index" 0 ...}] ...} ...}
> COMMAND DOCS nonsense
< {}
> COMMAND DOCS
< {"get" {"summary" ? ...} "set" ? "config" {"summary" ? "since" "2.0.0" "group" "server" "complexity" ? "subcommands" {"config|get" {"summary" ? ...} ...} ...} ...}
> COMMAND DOCS GET nonsense
< {"get" {"summary" ? ...}}
> COMMAND DOCS config|get
< {"config|get" {"summary" ? "since" "2.0.0" "group" "server" ...}}

test COMMAND DOCS of arguments
> COMMAND DOCS set
< {"set" {"group" "string" "arguments" [{"name" "key" "type" "key" "display_text" "key" "key_spec_index" 0 ...} {"name" "value" "type" "string" "display_text" "value" ...} {"name" "condition" "type" "oneof" "flags" set[+optional] "arguments" [{"name" "nx" "type" "pure-token" "display_text" "nx" "token" "NX" ...} {"name" "xx" "type" "pure-token" "display_text" "xx" "token" "XX" ...} {"name" "comparison-value" "type" "string" "display_text" "comparison-value" "token" "IFEQ" ...}] ...} {"name" "get" "type" "pure-token" "display_text" "get" "token" "GET" "flags" set[+optional] ...} {"name" "expiration" "type" "oneof" "flags" set[+optional] "arguments" [{"name" "seconds" "type" "integer" "display_text" "seconds" "token" "EX" ...} {"name" "milliseconds" "type" "integer" "display_text" "milliseconds" "token" "PX" ...} {"name" "unix-time-seconds" "type" "unix-time" "display_text" "unix-time-seconds" "token" "EXAT" ...} {"name" "unix-time-milliseconds" "type" "unix-time" "display_text" "unix-time-milliseconds" "token" "PXAT" ...} {"name" "keepttl" "type" "pure-token" "display_text" "keepttl" "token" "KEEPTTL" ...}] ...}] ...} ...}
> COMMAND DOCS getex
< {"getex" {"group" "string" "arguments" [{"name" "key" "type" "key" "display_text" "key" "key_spec_index" 0 ...} {"name" "expiration" "type" "oneof" "flags" set[+optional] "arguments" [{"name" "seconds" "type" "integer" "display_text" "seconds" "token" "EX" ...} {"name" "milliseconds" "type" "integer" "display_text" "milliseconds" "token" "PX" ...} {"name" "unix-time-seconds" "type" "unix-time" "display_text" "unix-time-seconds" "token" "EXAT" ...} {"name" "unix-time-milliseconds" "type" "unix-time" "display_text" "unix-time-milliseconds" "token" "PXAT" ...} {"name" "persist" "type" "pure-token" "display_text" "persist" "token" "PERSIST" ...}] ...}] ...} ...}
> COMMAND DOCS mset
< {"mset" {"group" "string" "arguments" [{"name" "data" "type" "block" "flags" set[+multiple] "arguments" [{"name" "key" "type" "key" "display_text" "key" "key_spec_index" 0 ...} {"name" "value" "type" "string" "display_text" "value" ...}] ...}] ...} ...}
> COMMAND DOCS lcs
< {"lcs" {"group" "string" "arguments" [{"name" "key1" "type" "key" "display_text" "key1" "key_spec_index" 0 ...} {"name" "key2" "type" "key" "display_text" "key2" "key_spec_index" 0 ...} {"name" "len" "type" "pure-token" "display_text" "len" "token" "LEN" "flags" set[+optional] ...} {"name" "idx" "type" "pure-token" "display_text" "idx" "token" "IDX" "flags" set[+optional] ...} {"name" "min-match-len" "type" "integer" "display_text" "min-match-len" "token" "MINMATCHLEN" "flags" set[+optional] ...} {"name" "withmatchlen" "type" "pure-token" "display_text" "withmatchlen" "token" "WITHMATCHLEN" "flags" set[+optional] ...}] ...} ...}
> COMMAND DOCS expire
< {"expire" {"group" "generic" "arguments" [{"name" "key" "type" "key" "display_text" "key" "key_spec_index" 0 ...} {"name" "seconds" "type" "integer" "display_text" "seconds" ...} {"name" "condition" "type" "oneof" "flags" set[+optional] "arguments" [{"name" "nx" "type" "pure-token" "display_text" "nx" "token" "NX" ...} {"name" "xx" "type" "pure-token" "display_text" "xx" "token" "XX" ...} {"name" "gt" "type" "pure-token" "display_text" "gt" "token" "GT" ...} {"name" "lt" "type" "pure-token" "display_text" "lt" "token" "LT" ...}] ...}] ...} ...}
> COMMAND DOCS scan
< {"scan" {"group" "generic" "arguments" [{"name" "cursor" "type" "integer" "display_text" "cursor" ...} {"name" "pattern" "type" "pattern" "display_text" "pattern" "token" "MATCH" "flags" set[+optional] ...} {"name" "count" "type" "integer" "display_text" "count" "token" "COUNT" "flags" set[+optional] ...} {"name" "type" "type" "string" "display_text" "type" "token" "TYPE" "flags" set[+optional] ...}] ...} ...}
> COMMAND DOCS copy
< {"copy" {"group" "generic" "arguments" [{"name" "source" "type" "key" "display_text" "source" "key_spec_index" 0 ...} {"name" "destination" "type" "key" "display_text" "destination" "key_spec_index" 1 ...} {"name" "destination-db" "type" "integer" "display_text" "destination-db" "token" "DB" "flags" set[+optional] ...} {"name" "replace" "type" "pure-token" "display_text" "replace" "token" "REPLACE" "flags" set[+optional] ...}] ...} ...}
> COMMAND DOCS flushall
< {"flushall" {"group" "server" "arguments" [{"name" "flush-type" "type" "oneof" "flags" set[+optional] "arguments" [{"name" "async" "type" "pure-token" "display_text" "async" "token" "ASYNC" ...} {"name" "sync" "type" "pure-token" "display_text" "sync" "token" "SYNC" ...}] ...}] ...} ...}
> COMMAND DOCS hello
< {"hello" {"group" "connection" "arguments" [{"name" "arguments" "type" "block" "flags" set[+optional] "arguments" [{"name" "protover" "type" "integer" "display_text" "protover" ...} {"name" "auth" "type" "block" "token" "AUTH" "flags" set[+optional] "arguments" [{"name" "username" "type" "string" "display_text" "username" ...} {"name" "password" "type" "string" "display_text" "password" ...}] ...} {"name" "clientname" "type" "string" "display_text" "clientname" "token" "SETNAME" "flags" set[+optional] ...}] ...}] ...} ...}
> COMMAND DOCS auth
< {"auth" {"group" "connection" "arguments" [{"name" "username" "type" "string" "display_text" "username" "flags" set[+optional] ...} {"name" "password" "type" "string" "display_text" "password" ...}] ...} ...}
> COMMAND DOCS setex
< {"setex" {"group" "string" "arguments" [{"name" "key" "type" "key" "display_text" "key" "key_spec_index" 0 ...} {"name" "seconds" "type" "integer" "display_text" "seconds" ...} {"name" "value" "type" "string" "display_text" "value" ...}] ...} ...}
> COMMAND DOCS substr
< {"substr" {"group" "string" "arguments" [{"name" "key" "type" "key" "display_text" "key" "key_spec_index" 0 ...} {"name" "start" "type" "integer" "display_text" "start" ...} {"name" "end" "type" "integer" "display_text" "end" ...}] ...} ...}
> COMMAND DOCS client|pause
< {"client|pause" {"group" "connection" "arguments" [{"name" "timeout" "type" "integer" "display_text" "timeout" ...} {"name" "mode" "type" "oneof" "flags" set[+optional] "arguments" [{"name" "write" "type" "pure-token" "display_text" "write" "token" "WRITE" ...} {"name" "all" "type" "pure-token" "display_text" "all" "token" "ALL" ...}] ...}] ...} ...}
> COMMAND DOCS client|reply
< {"client|reply" {"group" "connection" "arguments" [{"name" "action" "type" "oneof" "arguments" [{"name" "on" "type" "pure-token" "display_text" "on" "token" "ON" ...} {"name" "off" "type" "pure-token" "display_text" "off" "token" "OFF" ...} {"name" "skip" "type" "pure-token" "display_text" "skip" "token" "SKIP" ...}] ...}] ...} ...}
> COMMAND DOCS ping
< {"ping" {"group" "connection" "arguments" [{"name" "message" "type" "string" "display_text" "message" "flags" set[+optional] ...}] ...} ...}
> COMMAND DOCS shutdown
< {"shutdown" {"group" "server" "arguments" [{"name" "abort-selector" "type" "oneof" "flags" set[+optional] "arguments" [{"name" "save-selector-block" "type" "block" "arguments" [{"name" "save-selector" "type" "oneof" "flags" set[+optional] "arguments" [{"name" "nosave" "type" "pure-token" "display_text" "nosave" "token" "NOSAVE" ...} {"name" "save" "type" "pure-token" "display_text" "save" "token" "SAVE" ...}] ...} {"name" "now" "type" "pure-token" "display_text" "now" "token" "NOW" "flags" set[+optional] ...} {"name" "force" "type" "pure-token" "display_text" "force" "token" "FORCE" "flags" set[+optional] ...} {"name" "safe" "type" "pure-token" "display_text" "safe" "token" "SAFE" "flags" set[+optional] ...} {"name" "failover" "type" "pure-token" "display_text" "failover" "token" "FAILOVER" "flags" set[+optional] ...}] ...} {"name" "abort" "type" "pure-token" "display_text" "abort" "token" "ABORT" ...}] ...}] ...} ...}

test COMMAND GETKEYS
> COMMAND GETKEYS GET k
< ["k"]
> COMMAND GETKEYS MSET a 1 b 2
< ["a" "b"]
> COMMAND GETKEYS DEL a b c
< ["a" "b" "c"]
> COMMAND GETKEYS RENAME a b
< ["a" "b"]
> COMMAND GETKEYS LCS a b
< ["a" "b"]
> COMMAND GETKEYS OBJECT ENCODING k
< ["k"]
> COMMAND GETKEYS MEMORY USAGE k
< ["k"]
> COMMAND GETKEYS PING
< -ERR The command has no key arguments
> COMMAND GETKEYS GET
< -ERR Invalid number of arguments specified for command
> COMMAND GETKEYS GET a b
< -ERR Invalid number of arguments specified for command
> COMMAND GETKEYS NONSENSE a
< -ERR Invalid command specified
> COMMAND GETKEYS
< -ERR wrong number of arguments for 'command|getkeys' command
> COMMAND GETKEYS SET k v GET
< ["k"]
> COMMAND GETKEYS COPY a b DB 1
< ["a" "b"]
> COMMAND GETKEYS CONFIG GET port
< -ERR The command has no key arguments
> COMMAND GETKEYS MSET a
< -ERR Invalid number of arguments specified for command

test COMMAND GETKEYSANDFLAGS
> COMMAND GETKEYSANDFLAGS GET k
< [["k" set[+RO +access]]]
> COMMAND GETKEYSANDFLAGS SET k v
< [["k" set[+OW +update]]]
> COMMAND GETKEYSANDFLAGS SET k v GET
< [["k" set[+RW +access +update]]]
> COMMAND GETKEYSANDFLAGS SET k v IFEQ x
< [["k" set[+OW +update]]]
> COMMAND GETKEYSANDFLAGS MSET a 1 b 2
< [["a" set[+OW +update]] ["b" set[+OW +update]]]
> COMMAND GETKEYSANDFLAGS DEL a b
< [["a" set[+RM +delete]] ["b" set[+RM +delete]]]
> COMMAND GETKEYSANDFLAGS RENAME a b
< [["a" set[+RW +access +delete]] ["b" set[+OW +update]]]
> COMMAND GETKEYSANDFLAGS COPY a b
< [["a" set[+RO +access]] ["b" set[+OW +update]]]
> COMMAND GETKEYSANDFLAGS INCR a
< [["a" set[+RW +access +update]]]
> COMMAND GETKEYSANDFLAGS GETDEL a
< [["a" set[+RW +access +delete]]]
> COMMAND GETKEYSANDFLAGS PING
< -ERR The command has no key arguments
> COMMAND GETKEYSANDFLAGS GET
< -ERR Invalid number of arguments specified for command
> COMMAND GETKEYSANDFLAGS NONSENSE a
< -ERR Invalid command specified
> COMMAND GETKEYSANDFLAGS
< -ERR wrong number of arguments for 'command|getkeysandflags' command

test rename-command
!args --rename-command FLUSHALL "" --rename-command GET HOLE
!own
> SET k v
< +OK
> HOLE k
< "v"
> GET k
< -"ERR unknown command 'GET', with args beginning with: 'k' "
> FLUSHALL
< -"ERR unknown command 'FLUSHALL', with args beginning with: "

test maxclients
!args --maxclients 3
!own
!connect a
a> PING
a< +PONG
!connect b
b> PING
b< +PONG
!connect c
c> PING
c< +PONG
!connect d none
d< -ERR max number of clients reached
!closed d
a> INFO stats
a< =txt has(/^rejected_connections:[1-9]/)
!close b
a?> CLIENT LIST
a< =txt/([^\n]*\n){2}/
!connect e
e> PING
e< +PONG

# Memory counts as it is used: the first key that is over the limit is still taken.
test maxmemory with noeviction
> SET k v
< +OK
> CONFIG SET maxmemory 1
< +OK
> SET k2 v
< -OOM command not allowed when used memory > 'maxmemory'.
> SET k v
< -OOM command not allowed when used memory > 'maxmemory'.
> GET k
< "v"
> INCR n
< -OOM command not allowed when used memory > 'maxmemory'.
> APPEND k v
< -OOM command not allowed when used memory > 'maxmemory'.
> MSET a 1 b 2
< -OOM command not allowed when used memory > 'maxmemory'.
> EXPIRE k 100
< 1
> GETDEL k
< "v"
> INFO memory
< =txt has(/^maxmemory:1\r$/ /^maxmemory_policy:noeviction\r$/)
> CONFIG SET maxmemory 0
< +OK
> SET k v
< +OK

test maxmemory with a policy that evicts
!needs SET
> CONFIG SET maxmemory-policy allkeys-lru
< +OK
> MSET a 1 b 2 c 3 d 4
< +OK
> CONFIG SET maxmemory 1
< +OK
?> DBSIZE
< 0..1
> INFO stats
< =txt has(/^evicted_keys:[1-9]/)
> SET e v
< +OK|-"OOM command not allowed when used memory > 'maxmemory'."
> CONFIG SET maxmemory 0
< +OK
> SET f v
< +OK
