# The libraries of scripts: cjson, cmsgpack, bit, struct. Their answers to random input are compared with redis-server's elsewhere.

test cjson
> EVAL "return cjson.encode({1,2,{a='b'},true,cjson.null,1.5})" 0
< "[1,2,{\"a\":\"b\"},true,null,1.5]"
> EVAL "return cjson.encode({})" 0
< "{}"
> EVAL "return cjson.encode({[1]=1,[3]=3})" 0
< "[1,null,3]"
> EVAL "return cjson.encode('/\"\\\\\\n\\1\\127')" 0
< "\"\\/\\\"\\\\\\n\\u0001\\u007f\""
> EVAL "return cjson.encode({0.1,1e15,123456789012345,-0.5,2^53})" 0
< "[0.1,1e+15,1.2345678901234e+14,-0.5,9.007199254741e+15]"
> EVAL "return cjson.decode(ARGV[1])" 0 "[1,2,[3,\"x\"],{\"ok\":\"fine\"}]"
< [1 2 [3 "x"] +fine]
> EVAL "return cjson.decode(ARGV[1])" 0 "\"\\u20ac\\ud83d\\ude00\""
< "\xe2\x82\xac\xf0\x9f\x98\x80"
> EVAL "return cjson.decode('[1,2') " 0
< -/ERR user_script:1: Expected comma or array end but found T_END at character 5 script: .*/
> EVAL "return cjson.encode({[1]=1,[100]=2})" 0
< -/ERR user_script:1: Cannot serialise table: excessively sparse array script: .*/
> EVAL "return cjson.encode(0/0)" 0
< -/ERR user_script:1: Cannot serialise number: must not be NaN or Inf script: .*/
> EVAL "local t={} for i=1,1001 do t={t} end return cjson.encode(t)" 0
< -/ERR user_script:1: Cannot serialise, excessive nesting \(1001\) script: .*/
> EVAL "return cjson.decode(string.rep('[',1001))" 0
< -/ERR user_script:1: Found too many nested data structures \(1001\) at character 1001 script: .*/
> EVAL "cjson.encode=1" 0
< -/ERR user_script:1: Attempt to modify a readonly table script: .*/

test the depth that scripts ask for is bounded by Lua's stack
> EVAL "local j=cjson.new() j.decode_max_depth(1000000) return {pcall(j.decode,string.rep('[',100000))}" 0
< [nil "Found too many nested data structures (7997) at character 7997"]
> EVAL "local t={} for i=1,100000 do t={t} end local j=cjson.new() j.encode_max_depth(1000000) return (select(2,pcall(j.encode,t)))" 0
< /Cannot serialise, excessive nesting \([0-9]{4}\)/
> EVAL "return (select(2,pcall(cmsgpack.unpack,string.rep('\\145',100000))))" 0
< /stack overflow \(too many return values at once; use unpack_one or unpack_limit instead\.\)/

test cmsgpack
> EVAL "return cmsgpack.pack({1,'a',true})" 0
< "\x93\x01\xa1a\xc3"
> EVAL "return cmsgpack.pack(300,-33,0.5,1e300)" 0
< "\xcd\x01,\xd0\xdf\xca?\x00\x00\x00\xcb~7\xe4<\x88\x00u\x9c"
> EVAL "return {cmsgpack.unpack('\\147\\1\\161a\\195')}" 0
< [[1 "a" 1]]
> EVAL "return {cmsgpack.unpack_one('\\1\\2\\3',1)}" 0
< [2 2]
> EVAL "return {cmsgpack.unpack_limit('\\1\\2\\3',2)}" 0
< [2 1 2]
> EVAL "return cmsgpack.unpack('\\147\\1')" 0
< -/ERR user_script:1: Missing bytes in input. script: .*/
> EVAL "return cmsgpack.unpack('\\193')" 0
< -/ERR user_script:1: Bad data format in input. script: .*/
> EVAL "local a={} a[1]=a return #cmsgpack.pack(a)" 0
< 17

test bit
> EVAL "return {bit.band(255,15),bit.bor(1,2),bit.bxor(5,1),bit.bnot(0),bit.lshift(1,31),bit.rshift(-1,28),bit.arshift(-8,1)}" 0
< [15 3 4 -1 -2147483648 15 -4]
> EVAL "return {bit.tohex(255,4),bit.tohex(255,-2),bit.bswap(1),bit.rol(0x12345678,8),bit.tobit(2^32+5)}" 0
< ["00ff" "FF" 16777216 878082066 5]

test struct
> EVAL "return struct.pack('>HB<i4sc2',258,7,-2,'ab','cde')" 0
< "\x01\x02\x07\xfe\xff\xff\xffab\x00cd"
> EVAL "return {struct.unpack('>HBc0s','\\1\\2\\3abcde\\0')}" 0
< [258 "abc" "de" 10]
> EVAL "return {struct.size('!8bd'),struct.size('bi8')}" 0
< [16 9]
> EVAL "return struct.unpack('i4','abc')" 0
< -/ERR .*data string too short.*/
