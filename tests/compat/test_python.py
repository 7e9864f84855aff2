#!/usr/bin/env python3
# time-limit: 120
"""redis-py against the server: what an application does with it, through its own parsing of every reply."""
import os
import sys

FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(FOLDER, os.pardir, "cmd"))
sys.dont_write_bytecode = True

import harness
from harness import Report, Server, expect

DEBIAN_PYTHON = "/usr/bin/python3"  # where the package python3-redis puts it
try:
    import redis
except ImportError:
    if os.path.exists(DEBIAN_PYTHON) and os.path.realpath(sys.executable) != os.path.realpath(DEBIAN_PYTHON):
        os.execv(DEBIAN_PYTHON, [DEBIAN_PYTHON] + sys.argv)
    redis = None


def raises(kind, text, function, *args, **more):
    try:
        function(*args, **more)
    except kind as error:
        expect(text in str(error), "%r is not in %r" % (text, str(error)))
        return
    expect(False, "%s did not raise %s" % (function, kind))


def equal(wanted, got):
    expect(wanted == got, "wanted %r, got %r" % (wanted, got))


def connection(client):
    equal(True, client.ping())
    equal(b"hello", client.echo("hello"))
    equal(True, client.client_setname("me"))
    equal("me", client.client_getname())
    equal("me", client.client_info()["name"])
    names = [entry["name"] for entry in client.client_list()]
    expect("me" in names, names)
    expect(client.client_id() > 0, "CLIENT ID")
    equal([], client.client_list(_type="pubsub"))
    equal(True, client.client_pause(1))
    client.client_unpause()
    raises(redis.ResponseError, "No such client", client.client_kill, "1.1.1.1:9999")


def strings(client):
    equal(True, client.set("k", "v"))
    equal(b"v", client.get("k"))
    equal(None, client.get("missing"))
    equal(True, client.set("k", "w", xx=True, ex=100))
    equal(None, client.set("k", "x", nx=True))
    equal(b"w", client.set("k", "x", get=True))
    equal(b"x", client.getex("k", px=50000))
    expect(49000 < client.pttl("k") <= 50000, "PTTL")
    equal(b"x", client.getdel("k"))
    equal(True, client.mset({"a": 1, "b": 2}))
    equal([b"1", b"2", None], client.mget("a", "b", "c"))
    equal(False, client.msetnx({"a": 5, "d": 6}))
    equal(11, client.incr("a", 10))
    equal(9, client.decr("a", 2))
    equal(9.5, client.incrbyfloat("a", 0.5))
    equal(4, client.append("s", "abcd"))
    equal(b"bc", client.getrange("s", 1, 2))
    equal(6, client.setrange("s", 4, "xy"))
    equal(6, client.strlen("s"))
    value = bytes(range(256)) * 1000
    client.set("binary", value)
    equal(value, client.get("binary"))
    raises(redis.ResponseError, "not an integer", client.incr, "s")


def keys(client):
    client.mset({"k%d" % i: i for i in range(1000)})
    equal(1000, client.dbsize())
    equal({b"k%d" % i for i in range(1000)}, set(client.scan_iter(count=37)))
    equal({b"k%d" % i for i in range(10, 20)}, set(client.scan_iter(match="k1?")))
    equal(1000, len(client.keys()))
    equal(b"string", client.type("k1"))
    equal(True, client.expire("k1", 100))
    equal(True, client.persist("k1"))
    equal(-1, client.ttl("k1"))
    equal(True, client.rename("k1", "n1"))
    raises(redis.ResponseError, "no such key", client.rename, "k1", "n1")
    equal(True, client.copy("n1", "n2"))
    equal(b"1", client.get("n2"))
    equal(True, client.move("n2", 1))
    equal(3, client.exists("k2", "k3", "k4"))
    equal(2, client.delete("k2", "k3"))
    equal(1, client.unlink("k4"))
    equal(2, client.touch("k5", "k6"))
    expect(client.randomkey() is not None, "RANDOMKEY")
    equal(b"int", client.object("encoding", "k5"))
    equal(True, client.swapdb(0, 2))
    equal(0, client.dbsize())
    equal(True, client.flushall())


def server_commands(client):
    equal("7.2.4", client.info()["redis_version"])
    equal({}, client.info("keyspace"))
    client.set("k", "v")
    equal(1, client.info("keyspace")["db0"]["keys"])
    equal("noeviction", client.config_get("maxmemory-policy")["maxmemory-policy"])
    equal(True, client.config_set("slowlog-log-slower-than", 0))
    client.get("k")
    expect(any(entry["command"] == b"GET k" for entry in client.slowlog_get()), "SLOWLOG GET")
    expect(client.slowlog_len() > 0, "SLOWLOG LEN")
    equal(True, client.slowlog_reset())
    equal(True, client.config_set("slowlog-log-slower-than", 10000))
    equal(True, client.config_resetstat())
    expect(client.time()[0] > 1600000000, "TIME")
    expect(client.memory_usage("k") > 10, "MEMORY USAGE")
    expect(client.memory_stats()["keys.count"] == 1, "MEMORY STATS")
    table = client.command()
    equal(2, table["get"]["arity"])
    expect(client.command_count() > 50, "COMMAND COUNT")
    equal(["a", "b"], client.command_getkeys("MSET", "a", "1", "b", "2"))
    equal({"set", "get"} & set(table), {"set", "get"})


def monitor(client):
    with client.monitor() as feed:
        client.set("seen", "1")
        for _ in range(50):
            line = feed.next_command()
            if line["command"] == "SET seen 1":
                equal(0, line["db"])
                return
    expect(False, "MONITOR did not show the SET")


def pipelines(client):
    pipe = client.pipeline(transaction=False)
    for i in range(5000):
        pipe.set("p%d" % i, "v%d" % i)
        pipe.get("p%d" % i)
    replies = pipe.execute()
    equal([True, b"v0", True, b"v1"], replies[:4])
    equal(b"v4999", replies[-1])
    pipe.set("x", "notanumber")
    pipe.incr("x")
    pipe.get("x")
    replies = pipe.execute(raise_on_error=False)
    expect(isinstance(replies[1], redis.ResponseError) and replies[2] == b"notanumber", replies)


def tracking(client):
    """RESP2's way: invalidations are messages to a connection that has subscribed."""
    subscriber = client.pubsub()
    subscriber.execute_command("CLIENT", "ID")
    number = subscriber.connection.read_response()
    subscriber.subscribe("__redis__:invalidate")
    equal("subscribe", subscriber.get_message(timeout=5)["type"])
    reader = redis.Redis(port=client.port_number, single_connection_client=True)
    equal(-1, reader.client_getredir())
    equal(b"OK", reader.client_tracking_on(clientid=number))
    equal(number, reader.client_getredir())
    equal([b"on"], reader.client_trackinginfo()[1])
    reader.mget("a", "b")
    client.mset({"a": 1, "b": 2, "c": 3})
    told = [subscriber.get_message(timeout=5)["data"] for _ in range(2)]
    equal([[b"a"], [b"b"]], told)
    equal(b"OK", reader.client_tracking_off())
    equal(b"OK", reader.client_tracking_on(clientid=number, prefix=["user:", "item:"], bcast=True, noloop=True))
    reader.set("user:1", 1)
    client.set("item:1", 1)
    equal([b"item:1"], subscriber.get_message(timeout=5)["data"])
    client.flushall()
    equal(None, subscriber.get_message(timeout=5)["data"])
    raises(redis.ResponseError, "overlaps", reader.client_tracking_on, clientid=number, prefix=["user:2"], bcast=True)
    reader.close()
    subscriber.close()


LIBRARY = """#!lua name=counters
local function more(keys, args) return redis.call('INCRBY', keys[1], args[1]) end
redis.register_function('more', more)
redis.register_function{function_name='read', callback=function(keys) return redis.call('GET', keys[1]) end, flags={'no-writes'}}
"""


def functions(client):
    equal(b"counters", client.function_load(LIBRARY))
    raises(redis.ResponseError, "already exists", client.function_load, LIBRARY)
    equal(b"counters", client.function_load(LIBRARY, replace=True))
    equal(5, client.fcall("more", 1, "n", 5))
    equal(b"5", client.fcall_ro("read", 1, "n"))
    raises(redis.ResponseError, "write flag", client.fcall_ro, "more", 1, "n", 5)
    listed = client.function_list(withcode=True)
    equal(1, len(listed))
    fields = dict(zip(listed[0][::2], listed[0][1::2]))
    equal((b"counters", b"LUA", LIBRARY.encode()), (fields[b"library_name"], fields[b"engine"], fields[b"library_code"]))
    equal([], client.function_list("none*"))
    stats = client.function_stats()
    equal([b"running_script", None], stats[:2])
    dump = client.function_dump()
    equal(True, client.function_delete("counters") in (True, b"OK"))
    raises(redis.ResponseError, "Function not found", client.fcall, "more", 1, "n", 5)
    client.function_restore(dump)
    raises(redis.ResponseError, "already exists", client.function_restore, dump)
    client.function_restore(dump, "REPLACE")
    equal(10, client.pipeline().fcall("more", 1, "n", 5).execute()[0])
    raises(redis.ResponseError, "No scripts in execution", client.function_kill)
    client.function_flush("SYNC")
    equal([], client.function_list())


def scripts_and_locks(client):
    limit = client.register_script("local n = redis.call('INCR', KEYS[1]) return n <= tonumber(ARGV[1])")
    equal([1, 1, None], [limit(keys=["limit"], args=[2]) for _ in range(3)])
    client.script_flush()
    equal(None, limit(keys=["limit"], args=[2]))  # NOSCRIPT, and the script again
    lock, other = client.lock("lock", timeout=10), client.lock("lock", timeout=10, blocking_timeout=0.05)
    equal(True, lock.acquire())
    equal(False, other.acquire())
    equal(True, lock.owned())
    equal(True, lock.extend(20) in (True, 1))
    expect(19000 < client.pttl("lock") <= 30000, "the lock's time")
    equal(True, lock.reacquire() in (True, 1))
    lock.release()
    equal(True, other.acquire())
    client.set("lock", "somebody else's")
    raises(redis.exceptions.LockError, "longer owned", other.release)
    with client.lock("context", timeout=5):
        expect(client.exists("context"), "the lock is held")
    equal(0, client.exists("context"))


def pools_and_timeouts(client):
    clients = [redis.Redis(port=client.port_number) for _ in range(30)]
    for i, one in enumerate(clients):
        one.set("c%d" % i, i)
    equal([b"%d" % i for i in range(30)], [one.get("c%d" % i) for i, one in enumerate(clients)])
    for one in clients:
        one.connection_pool.disconnect()
    equal(True, client.ping())


def password(server):
    plain = redis.Redis(port=server.port)
    plain.config_set("requirepass", "secret")
    plain.connection_pool.disconnect()
    raises(redis.AuthenticationError, "Authentication", redis.Redis(port=server.port).ping)
    raises(redis.RedisError, "WRONGPASS", redis.Redis(port=server.port, password="wrong").ping)
    good = redis.Redis(port=server.port, password="secret", client_name="named", db=3)
    equal(True, good.ping())
    equal("named", good.client_getname())
    equal(True, redis.Redis(port=server.port, username="default", password="secret").ping())
    good.config_set("requirepass", "")


def main():
    report = Report()
    if redis is None:
        report.skip("compat/redis-py", "the module redis is not installed (Debian: python3-redis)")
        return 0
    usable, refused = harness.backends()
    for backend, why in refused:
        report.skip("compat/redis-py on %s" % backend, why)
    for backend in usable:
        with Server(backend) as server:
            client = redis.Redis(port=server.port)
            client.port_number = server.port
            for function in (connection, strings, keys, server_commands, monitor, pipelines, tracking, functions, scripts_and_locks, pools_and_timeouts):
                client.flushall()
                report.run("compat/redis-py %s %s (%s)" % (redis.__version__, function.__name__.replace("_", " "), backend),
                           function, client)
            report.run("compat/redis-py %s password (%s)" % (redis.__version__, backend), password, server)
            client.connection_pool.disconnect()
    return report.status()


if __name__ == "__main__":
    sys.exit(main())
