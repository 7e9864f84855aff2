"""The rows of the benchmark: what is sent, by how many connections, upon which data.

In a command {k} is key:000000000123, {v} a value, {r} a random number, {s} a sequence number (load/request.h); ";" stands between the
commands of a unit that is counted as one request. A row's data set is filled once and used by all rows that name it."""
import collections
import hashlib

# A server's memory before the measurement: `command` once for each of `count` sequence numbers.
Data = collections.namedtuple("Data", "command count value")

DATA = {
    "empty": None,
    "strings": Data("SET {k} {v}", 1000000, "100"),
    "blocks": Data("SET {k} {v}", 1000, "65536"),
    "megabytes": Data("SET {k} {v}", 20, "1000000"),
    "list": Data("RPUSH list {k}", 1000, "20"),
    "hash": Data("HSET hash {k} {v}", 20, "20"),
    "board": Data("ZADD board {s} {k}", 100000, "20"),
    "evicting": Data("SET {k} {v}", 1000000, "100"),
}
EVICTION_LIMIT_BYTES = 100 << 20

Row = collections.namedtuple("Row", "name conns depth value space data command keys group options script")


def row(name, conns, depth, value, space, data, command, keys="uniform", group="strings", script=None, **options):
    return Row(name, conns, depth, str(value), space, data, command, keys, group, options, script)


def strings():
    yield row("ping_c50_p1", 50, 1, 10, 1000, "empty", "PING")
    yield row("incr_c50_p16", 50, 16, 10, 100000, "empty", "INCR {k}")
    yield row("setex_c50_p16", 50, 16, 100, 1000000, "strings", "SET {k} {v} EX 600")
    for conns, depth in ((50, 1), (500, 1), (50, 16), (50, 100)):
        yield row("get_c%d_p%d" % (conns, depth), conns, depth, 100, 1000000, "strings", "GET {k}")
        if conns == 50:
            yield row("set_c50_p%d" % depth, 50, depth, 100, 1000000, "strings", "SET {k} {v}")
    yield row("get_zipf_c50_p16", 50, 16, 100, 1000000, "strings", "GET {k}", keys="zipf:0.99")
    yield row("mget10_c50_p4", 50, 4, 100, 1000000, "strings", "MGET" + 10 * " {k}")
    yield row("get64k_c20_p1", 20, 1, 65536, 1000, "blocks", "GET {k}")
    yield row("set64k_c20_p1", 20, 1, 65536, 1000, "blocks", "SET {k} {v}")
    yield row("get1m_c10_p1", 10, 1, 1000000, 20, "megabytes", "GET {k}")


def types():
    yield row("lpush_c50_p16", 50, 16, 20, 10000, "empty", "LPUSH l:{r} {v}", group="types")
    yield row("hset_c50_p16", 50, 16, 20, 10000, "empty", "HSET h:{r} f{r} {v}", group="types")
    yield row("sadd_c50_p16", 50, 16, 20, 10000, "empty", "SADD s:{r} {r}", group="types")
    yield row("zadd_c50_p16", 50, 16, 20, 1000000, "empty", "ZADD board {r} {k}", group="types")
    yield row("xadd_c50_p16", 50, 16, 20, 1000, "empty", "XADD stream:{r} * f {v}", group="types")
    yield row("lrange100_c50_p4", 50, 4, 20, 1000, "list", "LRANGE list 0 99", group="types")
    yield row("hgetall_c50_p4", 50, 4, 20, 20, "hash", "HGETALL hash", group="types")
    yield row("zrange100_c50_p4", 50, 4, 20, 100000, "board", "ZRANGE board 100 199 WITHSCORES", group="types")
    yield row("zrank_c50_p16", 50, 16, 20, 100000, "board", "ZRANK board {k}", group="types")


TEN_GETS = "local t = {} for i = 1, 10 do t[i] = redis.call('GET', KEYS[i]) end return t"
SLIDING_WINDOW = """
local now, span, most = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - span)
if redis.call('ZCARD', KEYS[1]) >= most then return 0 end
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('EXPIRE', KEYS[1], 60)
return 1
"""


def sha(script):
    return hashlib.sha1(script.encode()).hexdigest()


def together():
    """What a fleet does: scripts, publishing, transactions, a full cache."""
    one = "return 1"
    for depth in (1, 16):
        yield row("evalsha_one_c50_p%d" % depth, 50, depth, 10, 1000, "empty", "EVALSHA %s 0" % sha(one), group="fleet", script=one)
    yield row("evalsha_ten_gets_c50_p4", 50, 4, 100, 1000000, "strings", "EVALSHA %s 10" % sha(TEN_GETS) + 10 * " {k}", group="fleet",
              script=TEN_GETS)
    yield row("evalsha_limiter_c50_p16", 50, 16, 10, 1000, "empty", "EVALSHA %s 1 limit:{r} {s} 1000000 100" % sha(SLIDING_WINDOW),
              group="fleet", script=SLIDING_WINDOW)
    yield row("multi10_c50_p1", 50, 1, 10, 100000, "empty", "MULTI" + 10 * " ; INCR {k}" + " ; EXEC", group="fleet")
    yield row("publish_1000_subscribers", 1, 4, 100, 1000, "empty", "PUBLISH news {v}", group="fleet", subscribers=1000)
    yield row("evict_set_c50_p16", 50, 16, 100, 100000000, "evicting", "SET {k} {v}", group="fleet", limit_bytes=EVICTION_LIMIT_BYTES)


def all_rows():
    """In the order of their data, so that each is filled once."""
    order = list(DATA)
    return sorted(list(strings()) + list(types()) + list(together()), key=lambda r: order.index(r.data))


QUICK = ("ping_c50_p1", "get_c50_p1", "get_c50_p16", "set_c50_p16", "get_c50_p100")
