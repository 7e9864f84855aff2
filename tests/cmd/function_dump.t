# FUNCTION DUMP and RESTORE.

test what was dumped is restored
> FUNCTION LOAD "#!lua name=a\nredis.register_function('f', function() return 1 end)"
< "a"
> FUNCTION LOAD "#!lua name=b\nredis.register_function{function_name='g', callback=function() return 2 end, flags={'no-writes'}, description='text'}"
< "b"
> FUNCTION DUMP
< ?dump
> FUNCTION FLUSH
< +OK
> FUNCTION RESTORE $dump
< +OK
> FCALL f 0
< 1
> FCALL_RO g 0
< 2
> FUNCTION LIST WITHCODE
< any[{"library_name" "a" "engine" "LUA" "functions" [{"name" "f" "description" nil "flags" set[]}] "library_code" "#!lua name=a\nredis.register_function('f', function() return 1 end)"} {"library_name" "b" "engine" "LUA" "functions" [{"name" "g" "description" "text" "flags" set[+no-writes]}] "library_code" "#!lua name=b\nredis.register_function{function_name='g', callback=function() return 2 end, flags={'no-writes'}, description='text'}"}]

test policies
> FUNCTION LOAD "#!lua name=a\nredis.register_function('f', function() return 1 end)"
< "a"
> FUNCTION DUMP
< ?dump
> FUNCTION RESTORE $dump
< -ERR Library a already exists
> FUNCTION RESTORE $dump append
< -ERR Library a already exists
> FUNCTION LOAD REPLACE "#!lua name=a\nredis.register_function('f', function() return 2 end)"
< "a"
> FUNCTION LOAD "#!lua name=b\nredis.register_function('g', function() return 3 end)"
< "b"
> FUNCTION RESTORE $dump REPLACE
< +OK
> FCALL f 0
< 1
> FCALL g 0
< 3
> FUNCTION RESTORE $dump FLUSH
< +OK
> FCALL f 0
< 1
> FCALL g 0
< -ERR Function not found
> FUNCTION RESTORE $dump NOPE
< -ERR Wrong restore policy given, value should be either FLUSH, APPEND or REPLACE.
> FUNCTION RESTORE $dump FLUSH x
< -ERR unknown subcommand or wrong number of arguments for 'RESTORE'. Try FUNCTION HELP.
> FUNCTION RESTORE
< -ERR wrong number of arguments for 'function|restore' command

test a function that another library has already stops all of it
> FUNCTION LOAD "#!lua name=a\nredis.register_function('f', function() return 1 end)"
< "a"
> FUNCTION LOAD "#!lua name=b\nredis.register_function('g', function() return 2 end)"
< "b"
> FUNCTION DUMP
< ?dump
> FUNCTION FLUSH
< +OK
> FUNCTION LOAD "#!lua name=b\nredis.register_function('h', function() return 3 end)"
< "b"
> FUNCTION LOAD "#!lua name=c\nredis.register_function('f', function() return 4 end)"
< "c"
> FUNCTION RESTORE $dump REPLACE
< -ERR Function f already exists
> FCALL h 0
< 3
> FCALL f 0
< 4
> FUNCTION STATS
< {"running_script" nil "engines" {"LUA" {"libraries_count" 2 "functions_count" 2}}}

test functions may change their library in a REPLACE
> FUNCTION LOAD "#!lua name=a\nredis.register_function('f', function() return 1 end)"
< "a"
> FUNCTION LOAD "#!lua name=b\nredis.register_function('g', function() return 2 end)"
< "b"
> FUNCTION DUMP
< ?dump
> FUNCTION FLUSH
< +OK
> FUNCTION LOAD "#!lua name=a\nredis.register_function('g', function() return 3 end)"
< "a"
> FUNCTION LOAD "#!lua name=b\nredis.register_function('f', function() return 4 end)"
< "b"
> FUNCTION RESTORE $dump REPLACE
< +OK
> FCALL f 0
< 1
> FCALL g 0
< 2

test the empty dump
> FUNCTION DUMP
< ?dump
> FUNCTION LOAD "#!lua name=a\nredis.register_function('f', function() return 1 end)"
< "a"
> FUNCTION RESTORE $dump
< +OK
> FCALL f 0
< 1
> FUNCTION RESTORE $dump FLUSH
< +OK
> FUNCTION LIST
< []

test damaged bytes change nothing
> FUNCTION LOAD "#!lua name=a\nredis.register_function('f', function() return 1 end)"
< "a"
> FUNCTION RESTORE ""
< -ERR DUMP payload version or checksum are wrong
> FUNCTION RESTORE nonsense FLUSH
< -ERR DUMP payload version or checksum are wrong
> FUNCTION DUMP
< ?dump
> FUNCTION RESTORE "x$dump" FLUSH
< -ERR DUMP payload version or checksum are wrong
> FUNCTION RESTORE "$dump." FLUSH
< -ERR DUMP payload version or checksum are wrong
> FCALL f 0
< 1
