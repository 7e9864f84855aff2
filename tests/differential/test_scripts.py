#!/usr/bin/env python3
# time-limit: 200
# builds: first
"""Scripts on Rondo and on Debian's redis-server: the same replies and the same data afterwards.

    test_scripts.py [--seed N] [--count N]

Two parts: scripts in the manner of what libraries send (limiters, locks, queues, compare-and-set), with random arguments; and random
values, texts and bytes through cjson, cmsgpack, struct and bit. The reference is RONDO_REFERENCE or redis-server."""
import argparse
import json
import os
import random
import shutil
import sys

FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(FOLDER, os.pardir, "cmd"))
sys.dont_write_bytecode = True

import harness
from harness import Report, Server, expect, show

COUNT = 4000  # random scripts of each kind, by default
BATCH = 50

# ---- in the manner of libraries. {name: (script, keys, function of a random source: arguments)} Nothing expires while the test runs, however slow the machine.

FIXED_WINDOW = """
local used = redis.call('INCRBY', KEYS[1], ARGV[1])
if used == tonumber(ARGV[1]) then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
local left = redis.call('PTTL', KEYS[1])
return {used, left > 0 and 1 or 0, used > tonumber(ARGV[3]) and 1 or 0}
"""
SLIDING_WINDOW = """
local now, window, limit = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - window)
local count = redis.call('ZCARD', KEYS[1])
if count >= limit then
  local oldest = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
  return {0, count, tostring(oldest[2] + window - now)}
end
redis.call('ZADD', KEYS[1], now, now .. '-' .. ARGV[4])
redis.call('PEXPIRE', KEYS[1], window + 600000)
return {1, count + 1, '0'}
"""
TOKEN_BUCKET = """
local rate, size, now, cost = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local state = redis.call('HMGET', KEYS[1], 'tokens', 'at')
local tokens = tonumber(state[1] or size)
local at = tonumber(state[2] or now)
tokens = math.min(size, tokens + math.max(0, now - at) * rate / 1000)
local granted = tokens >= cost
if granted then tokens = tokens - cost end
redis.call('HSET', KEYS[1], 'tokens', tokens, 'at', now)
redis.call('EXPIRE', KEYS[1], math.ceil(size / rate) + 600)
return {granted, string.format('%.6f', tokens), tokens}
"""
LOCK_TAKE = """
if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return 1 end
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return 0
"""
LOCK_RELEASE = """
if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) else return 0 end
"""
DELAYED_ADD = "return redis.call('ZADD', KEYS[1], ARGV[1], ARGV[2])"
DELAYED_MOVE = """
local due = redis.call('ZRANGEBYSCORE', KEYS[1], 0, ARGV[1], 'LIMIT', 0, 10)
for _, id in ipairs(due) do
  redis.call('ZREM', KEYS[1], id)
  redis.call('LPUSH', KEYS[2], id)
end
return {#due, due, redis.call('LLEN', KEYS[2])}
"""
COMPARE_AND_SET = """
local current = redis.call('GET', KEYS[1])
if (current or '') ~= ARGV[1] then return {err = 'CONFLICT it is ' .. tostring(current)} end
return redis.call('SET', KEYS[1], ARGV[2])
"""
GET_OR_SET = """
local found = {}
for i, key in ipairs(KEYS) do
  local value = redis.call('GET', key)
  if not value then value = ARGV[i]; redis.call('SET', key, value, 'EX', 100) end
  found[i] = value
end
return found
"""
JOB_UPDATE = """
local raw = redis.call('HGET', KEYS[1], ARGV[1])
local job = raw and cjson.decode(raw) or {tries = 0, log = {}}
job.tries = job.tries + 1
job.log[#job.log + 1] = ARGV[2]
if #job.log > 5 then table.remove(job.log, 1) end
redis.call('HSET', KEYS[1], ARGV[1], cjson.encode(job))
return {job.tries, table.concat(job.log, ',')}
"""
PACKED_COUNTERS = """
local raw = redis.call('GET', KEYS[1])
local counters = raw and cmsgpack.unpack(raw) or {0, 0, 0, 0}
local slot = bit.band(tonumber(ARGV[1]), 3) + 1
counters[slot] = counters[slot] + 1
redis.call('SET', KEYS[1], cmsgpack.pack(counters))
return counters
"""
RECORDS = """
redis.call('APPEND', KEYS[1], struct.pack('>I4hd', ARGV[1], ARGV[2], ARGV[3]))
local all, at, out = redis.call('GET', KEYS[1]), 1, {}
while at <= #all and #out < 12 do
  local id, kind, value
  id, kind, value, at = struct.unpack('>I4hd', all, at)
  out[#out + 1] = id; out[#out + 1] = kind; out[#out + 1] = tostring(value)
end
return out
"""
FAILS = """
redis.call('SET', KEYS[1], 'text')
local a = redis.pcall('LPUSH', KEYS[1], 'x')
local ok, b = pcall(redis.call, 'INCR', KEYS[1])
local c = redis.pcall('NOSUCHCOMMAND')
local d = redis.pcall('GET')
return {a.err, tostring(ok), type(b) == 'table' and b.err or b, c.err ~= nil, d.err ~= nil, redis.error_reply('MY own'),
        redis.status_reply('fine'), {1, 2, nil, 4}, 3.99, true, false}
"""


def corpus(rng):
    """One request of each kind: (script, keys, arguments)."""
    token, time = rng.choice("abc"), rng.randrange(1, 100000)
    return [
        (FIXED_WINDOW, ["fixed:" + token], [rng.randrange(1, 4), 60000, 20]),
        (SLIDING_WINDOW, ["sliding:" + token], [time, rng.choice([100, 5000]), 10, rng.randrange(10)]),
        (TOKEN_BUCKET, ["bucket:" + token], [rng.choice([0.5, 3, 10]), 20, time, rng.choice([1, 2.5])]),
        (LOCK_TAKE, ["lock"], [token, 100000]),
        (LOCK_RELEASE, ["lock"], [rng.choice("abc")]),
        (DELAYED_ADD, ["delayed"], [time, "job%d" % rng.randrange(50)]),
        (DELAYED_MOVE, ["delayed", "ready"], [rng.randrange(1, 100000)]),
        (COMPARE_AND_SET, ["cas"], [rng.choice(["", "a", "b"]), rng.choice("ab")]),
        (GET_OR_SET, ["gos:%d" % rng.randrange(20) for _ in range(5)], list("vwxyz")),
        (JOB_UPDATE, ["jobs"], [token, rng.choice(["started", "fail\u00e9d", 'quo"te/\n'])]),
        (PACKED_COUNTERS, ["packed"], [rng.randrange(100)]),
        (RECORDS, ["records:%d" % rng.randrange(3)], [rng.randrange(2 ** 32), rng.randrange(-2 ** 15, 2 ** 15), rng.random()]),
        (FAILS, ["fails"], []),
    ]


# ---- random values through the libraries. Tables are shown with their keys sorted: the order of a table is nobody's promise.

DUMP = """
local function dump(v, depth)
  depth = depth or 0
  if depth > 12 then return '...' end
  if type(v) == 'number' then return string.format('%.17g', v) end
  if type(v) == 'string' then return '<' .. v .. '>' end
  if type(v) ~= 'table' then return v == cjson.null and 'null' or tostring(v) end
  local parts = {}
  for k, w in pairs(v) do parts[#parts + 1] = dump(k, depth + 1) .. '=' .. dump(w, depth + 1) end
  table.sort(parts)
  return '{' .. table.concat(parts, ',') .. '}'
end
local function all(ok, ...)
  local out = {tostring(ok)}
  for i = 1, select('#', ...) do out[#out + 1] = dump((select(i, ...))) end
  return out
end
"""
NUMBERS = [0, 1, -1, 127, 128, 255, 256, 32767, 32768, 65535, 65536, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 53, 2 ** 53 + 2, 10 ** 13,
           10 ** 14, 10 ** 15, -32, -33, -128, -129, -32768, -32769, -2 ** 31, -2 ** 31 - 1, 0.5, 0.1, -2.5, 1e300, 1e-300, 123456.789012345, 3.14]


def lua_string(rng):
    return "'" + "".join("\\%03d" % rng.choice([rng.randrange(256), rng.randrange(32, 127)]) for _ in range(rng.choice([0, 1, 5, 40]))) + "'"


def lua_value(rng, depth=0):
    kind = rng.randrange(9)
    if kind < 3:
        number = rng.choice(NUMBERS + [rng.uniform(-1e6, 1e6), rng.randrange(-10 ** 15, 10 ** 15)])
        return "(%r)" % number
    if kind < 5:
        return lua_string(rng)
    if kind == 5:
        return rng.choice(["true", "false", "cjson.null"])
    if depth > 3:
        return "{}"
    if kind < 8:
        return "{" + ",".join(lua_value(rng, depth + 1) for _ in range(rng.choice([0, 1, 3, 17]))) + "}"
    key = rng.choice(["[%s]" % lua_string(rng), "[%d]" % rng.choice([1, 2, 5, 9, 12, 100]), "[1.5]", "[true]"])
    return "{%s=%s}" % (key, lua_value(rng, depth + 1))


def json_value(rng, depth=0):
    kind = rng.randrange(8)
    if kind < 2:
        return rng.choice(NUMBERS + [rng.uniform(-1e20, 1e20)])
    if kind < 4 or depth > 4:
        return "".join(chr(rng.choice([rng.randrange(1, 128), rng.randrange(0xa0, 0x800), 0x20ac, 0x1f600, 34, 92, 47])) for _ in range(rng.randrange(12)))
    if kind == 4:
        return rng.choice([True, False, None])
    if kind < 7:
        return [json_value(rng, depth + 1) for _ in range(rng.randrange(6))]
    return {str(rng.randrange(100)) + "k": json_value(rng, depth + 1) for _ in range(rng.randrange(6))}


def damaged(rng, data, alphabet):
    data = bytearray(data)
    for _ in range(rng.randrange(1, 4)):
        at = rng.randrange(len(data) + 1)
        what = rng.randrange(3)
        if what == 0:
            del data[at:at + rng.randrange(1, 4)]
        elif what == 1:
            data[at:at] = bytes([rng.choice(alphabet)])
        elif data:
            data[min(at, len(data) - 1)] = rng.choice(alphabet)
    return bytes(data)


JSON_LETTERS = b'{}[]:,"\\ntfu0123456789.-+eExXiInNaA \t\x00\x7f\xc3'


def json_decode(rng):
    text = json.dumps(json_value(rng), ensure_ascii=rng.random() < 0.5, indent=rng.choice([None, 1])).encode()
    if rng.random() < 0.5:
        text = damaged(rng, text, JSON_LETTERS)
    elif rng.random() < 0.2:
        text = bytes(rng.choice(JSON_LETTERS) for _ in range(rng.randrange(12)))
    return DUMP + "return all(pcall(cjson.decode, ARGV[1]))", [text]


def json_encode(rng):
    setting = rng.choice(["", "", "j.encode_number_precision(%d)" % rng.randrange(1, 15), "j.encode_sparse_array(true, %d, %d)" % (rng.randrange(3), rng.randrange(6)),
                          "j.encode_max_depth(%d)" % rng.randrange(1, 4), "j.encode_invalid_numbers('null')", "j.decode_invalid_numbers(false)"])
    value = lua_value(rng) if rng.random() < 0.95 else rng.choice(["0/0", "1/0", "-1/0", "print", "{[1]=1,[1000]=2}", "function() end"])
    return DUMP + "local j = cjson.new() %s return all(pcall(j.encode, %s))" % (setting, value), []


def msgpack_pack(rng):
    values = ", ".join(lua_value(rng) for _ in range(rng.randrange(4)))
    return DUMP + "return all(pcall(cmsgpack.pack%s))" % (", " + values if values else ""), []


def msgpack_unpack(rng):
    if rng.random() < 0.5:
        return DUMP + "return all(pcall(cmsgpack.unpack, cmsgpack.pack(%s)))" % ", ".join(lua_value(rng) for _ in range(rng.randrange(1, 4))), []
    data = bytes(rng.choice([rng.randrange(256), rng.randrange(0x80, 0xe0), rng.randrange(16)]) for _ in range(rng.randrange(1, 24)))
    call = rng.choice(["cmsgpack.unpack, ARGV[1]", "cmsgpack.unpack_one, ARGV[1], %d" % rng.randrange(-1, 9),
                       "cmsgpack.unpack_limit, ARGV[1], %d, %d" % (rng.randrange(-1, 4), rng.randrange(-1, 9))])
    return DUMP + "return all(pcall(%s))" % call, [data]


def struct_format(rng):
    return "".join(rng.choice(["b", "B", "h", "H", "l", "L", "T", "i", "I", "i%d" % rng.randrange(1, 9), "I%d" % rng.randrange(1, 9), "i16", "f", "d", "s",
                               "c%d" % rng.randrange(6), "c0", "x", "!", "!%d" % rng.choice([1, 2, 4, 8, 3]), ">", "<", " ", rng.choice("qzi33")])
                   for _ in range(rng.randrange(1, 7)))


def struct_pack(rng):
    values = ", ".join(rng.choice(["%d" % rng.choice([n for n in NUMBERS if isinstance(n, int)]), "%r" % rng.uniform(-1000, 1000), "'%s'" % ("abcdefgh"[:rng.randrange(9)])])
                       for _ in range(rng.randrange(7)))
    return DUMP + "return all(pcall(struct.pack, '%s'%s))" % (struct_format(rng), ", " + values if values else ""), []


def struct_unpack(rng):
    data = bytes(rng.choice([0, rng.randrange(256), rng.randrange(8)]) for _ in range(rng.randrange(40)))
    call = rng.choice(["struct.unpack, '%s', ARGV[1]" % struct_format(rng), "struct.unpack, '%s', ARGV[1], %d" % (struct_format(rng), rng.randrange(-1, 9)),
                       "struct.size, '%s'" % struct_format(rng)])
    return DUMP + "return all(pcall(%s))" % call, [data]


def bits(rng):
    name = rng.choice("tobit bnot band bor bxor lshift rshift arshift rol ror bswap tohex".split())
    values = [rng.choice([str(rng.randrange(-2 ** 32, 2 ** 33)), repr(rng.uniform(-1e10, 1e10)), str(rng.randrange(-40, 40)), "'%d'" % rng.randrange(1000), "'x'", "nil"]
                         if rng.random() < 0.2 else [str(rng.randrange(-2 ** 32, 2 ** 33)), str(rng.randrange(-40, 40))]) for _ in range(rng.randrange(4))]
    return DUMP + "return all(pcall(bit.%s%s))" % (name, "".join(", " + v for v in values)), []


KINDS = [json_decode, json_encode, msgpack_pack, msgpack_unpack, struct_pack, struct_unpack, bits]


# ---- comparing

def words(request):
    return [word if isinstance(word, (bytes, str)) else str(word) for word in request]


def compare(theirs, ours, requests):
    for start in range(0, len(requests), BATCH):
        part = [words(request) for request in requests[start:start + BATCH]]
        for request, t, o in zip(part, theirs.calls(part), ours.calls(part)):
            expect(t == o, "the replies differ\n# request %r\n# theirs  %s\n# ours    %s" % (request, show(t), show(o)))


READERS = {b"string": ["GET"], b"hash": ["HGETALL"], b"list": ["LRANGE", "0", "-1"], b"zset": ["ZRANGE", "0", "-1", "WITHSCORES"]}


def data_of(client):
    """Every key, its value, and whether it expires."""
    found = []
    for key in sorted(item.data for item in client.call("KEYS", "*").data):
        command, *rest = READERS[client.call("TYPE", key).data]
        value = client.call(command, key, *rest)
        shown = sorted(show(item) for item in value.data) if command == "HGETALL" else show(value)
        found.append((key, shown, client.call("TTL", key).data > 0))
    return found


def library_scripts(theirs, ours, seed, count):
    rng = random.Random(seed)
    requests = []
    while len(requests) < count:
        for script, keys, args in corpus(rng):
            requests.append(["EVAL", script, len(keys)] + keys + args)
    compare(theirs, ours, requests)
    expect(data_of(theirs) == data_of(ours), "the data differ")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=harness.seed())
    parser.add_argument("--count", type=int, default=COUNT)
    options = parser.parse_args()
    report = Report()
    reference = os.environ.get("RONDO_REFERENCE") or shutil.which("redis-server")
    if not reference:
        report.skip("differential/scripts", "there is no redis-server")
        return 0
    return run(report, reference, options)


def random_values(theirs, ours, kind, seed, count):
    rng = random.Random("%d %s" % (seed, kind.__name__))
    requests = []
    for _ in range(count):
        script, args = kind(rng)
        requests.append(["EVAL", script, 0] + args)
    compare(theirs, ours, requests)


def run(report, reference, options):
    print("# seed %d" % options.seed)
    with Server(None, binary=reference, ends_well=False) as reference_server, Server(None) as server:
        with reference_server.connect(2) as theirs, server.connect(2) as ours:
            report.run("differential/scripts of libraries", library_scripts, theirs, ours, options.seed, options.count)
            for kind in KINDS:
                report.run("differential/scripts " + kind.__name__, random_values, theirs, ours, kind, options.seed, options.count)
    return report.status()


if __name__ == "__main__":
    sys.exit(main())
