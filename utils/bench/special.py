"""Measurements that are no plain row: memory and tail while keys are filled in, mass expiry, an open loop at half load."""
import statistics
import time

from measure import figures, middle, run_load, say
from servers import ErrorReply, Server, Trouble

VALUE_BYTES = (10, 32, 100)


def each(kinds, setting, what, measure):
    """measure(server) of a fresh server of each kind; an error is kept as such."""
    found = {}
    for kind in kinds:
        try:
            with Server(kind, setting.server_cpu) as server:
                found[kind.name] = measure(server)
        except (Trouble, ErrorReply, OSError) as why:
            found[kind.name] = {"error": str(why)}
    say("%-26s %s" % (what, "  ".join("%s %s" % (name, one.get("error") or one.get("brief")) for name, one in found.items())))
    return found


def refused(result):
    return {"error": result["error"]} if result["errors"] else None


def memory(kinds, setting, key_count):
    """Bytes of resident memory for a key of 16 bytes, by bytes of the value."""
    def measure(server, value):
        before = server.resident_bytes()
        result = run_load(setting, server, ["SET", "{k}", "{v}"], connections=50, depth=16, value=value, keys="sequence",
                          space=key_count, count=key_count)
        bytes_per_key = (server.resident_bytes() - before) / key_count
        return refused(result) or {"bytes_per_key": bytes_per_key, "keys": key_count, "brief": "%.0f B" % bytes_per_key}
    return {str(value): each(kinds, setting, "memory, values of %d B" % value, lambda s, v=value: measure(s, v))
            for value in VALUE_BYTES}


def growth(kinds, setting, key_count, rate):
    """New keys at a fixed rate: the slowest request of each stretch, while the table grows."""
    def measure(server):
        result = run_load(setting, server, ["SET", "{k}", "{v}"], connections=50, depth=64, value=32, keys="sequence",
                          space=key_count, count=key_count, rate=rate, series=50)
        series, keys, points = result["series"], 0, []
        for units, slowest in zip(series["units"][:-1], series["max_us"]):  # the last interval is cut short
            keys += units
            points.append([keys, slowest])
        return refused(result) or dict(figures(result), points=points, brief="slowest %.2f ms" % (result["latency_us"]["max"] / 1e3))
    return each(kinds, setting, "growth", measure)


def expiry(kinds, setting, key_count, rate):
    """An open loop of GETs on other keys, while all of key_count keys expire at one instant."""
    def measure(server):
        lasting = 10000
        at_ms = int(time.time() * 1000) + 1000 + key_count // 150
        filled = run_load(setting, server, ["SET", "{k}", "{v}", "PXAT", str(at_ms)], connections=50, depth=16, value=32,
                          keys="sequence", space=key_count, count=key_count)
        if filled["errors"]:
            return refused(filled)
        run_load(setting, server, ["SET", "stays:{s}", "{v}"], connections=1, depth=16, keys="sequence", count=lasting)
        time.sleep(max(0.0, at_ms / 1000 - time.time() - 0.5))
        result = run_load(setting, server, ["GET", "stays:{r}"], connections=50, depth=16, space=lasting, rate=rate, seconds=3, warmup=0,
                          series=20)
        left = server.call("DBSIZE") - lasting
        return refused(result) or dict(figures(result), left=left, brief="slowest %.2f ms, %d left" % (
            result["latency_us"]["max"] / 1e3, left))
    return each(kinds, setting, "mass expiry", measure)


def half_load(kinds, setting, key_count):
    """GETs of 50 clients at a rate that is half of what the slowest server can do, the same for all."""
    servers, rounds, found = {}, {}, {}
    try:
        for kind in kinds:
            try:
                servers[kind.name] = server = Server(kind, setting.server_cpu)
                run_load(setting, server, ["SET", "{k}", "{v}"], connections=50, depth=16, keys="sequence", space=key_count,
                         count=key_count)
                server.freeze()
            except Trouble as why:
                found[kind.name] = {"error": str(why)}
        rate = half_rate(setting, servers, key_count)
        for number in range(setting.rounds):
            for name, server in servers.items():
                result = thawed(server, lambda s: run_load(setting, s, ["GET", "{k}"], connections=50, depth=64, space=key_count,
                                                           rate=rate, seconds=2 * setting.seconds, warmup=setting.warmup,
                                                           seed=number + 1))
                rounds.setdefault(name, []).append(figures(result))
    finally:
        for server in servers.values():
            server.stop()
    found.update({name: dict(middle(done), rate_asked=rate) for name, done in rounds.items()})
    say("%-26s %s" % ("half load, %.0f/s" % rate, "  ".join(
        "%s p99 %.0f us" % (name, one["p99_us"]) for name, one in found.items() if "error" not in one)))
    return found


def thawed(server, what):
    server.thaw()
    try:
        return what(server)
    finally:
        server.freeze()


def half_rate(setting, servers, key_count):
    rates = []
    for server in servers.values():
        result = thawed(server, lambda s: run_load(setting, s, ["GET", "{k}"], connections=50, space=key_count, seconds=0.5, warmup=0.2))
        rates.append(result["units_per_second"])
    return max(1000.0, round(min(rates) / 2, -3))


def other_generators(kinds, setting, tools, requests):
    """redis-benchmark and memtier_benchmark, pipelined, where they can keep a server busy."""
    found = {}
    for tool in tools:
        for command in ("SET", "GET"):
            rounds = {}
            for kind in kinds:
                with Server(kind, setting.server_cpu) as server:
                    for _ in range(setting.rounds):
                        try:
                            rounds.setdefault(kind.name, []).append(tool.run(setting, server, command, requests))
                        except Trouble as why:
                            rounds[kind.name] = [{"error": str(why)}]
                            break
            name = "%s %s" % (tool.name, command.lower())
            found[name] = {kind: summary(done) for kind, done in rounds.items()}
            say("%-26s %s" % (name, "  ".join("%s %.0f ns" % (k, v["cpu_ns"]) for k, v in found[name].items() if "cpu_ns" in v)))
    return found


def summary(rounds):
    if "error" in rounds[0]:
        return rounds[0]
    return {name: statistics.median(r[name] for r in rounds) for name in rounds[0]}
