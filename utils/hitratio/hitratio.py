#!/usr/bin/env python3
"""Hit ratios of Rondo and its peers with the same memory limit and policy, on traces of Zipf's law, with scans, with shifts.

    utils/hitratio/hitratio.py [--build build] [--policies WORD] [--traces WORD] [--limit BYTES] [--json FILE]

Prints a Markdown table for each trace. `make hitratio` builds what is needed and runs it: about four minutes."""
import argparse
import concurrent.futures
import json
import os
import re
import subprocess
import sys

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(SOURCE, "utils", "bench"))

import machine  # noqa: E402
import servers  # noqa: E402
from report import table  # noqa: E402

TRACES = ("zipf:0.8", "zipf:0.99", "zipf:1.2", "scan:0.99", "shift:0.99")
POLICIES = ("allkeys-lru", "allkeys-lfu", "allkeys-random", "volatile-lru", "volatile-lfu", "volatile-random", "volatile-ttl")
TTL_S = 3600  # to twice that: nothing expires while a trace is played


def parse(words):
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--build", default=os.path.join(SOURCE, "build"))
    parser.add_argument("--policies", default=".", help="those that this regular expression finds")
    parser.add_argument("--traces", default=".", help="those that this regular expression finds")
    parser.add_argument("--limit", type=int, default=8 << 20, help="maxmemory, in bytes")
    parser.add_argument("--keys", type=int, default=100000)
    parser.add_argument("--length", type=int, default=300000, help="requests of a trace")
    parser.add_argument("--seconds", type=float, default=30, help="that a trace takes with LRU, whose clock counts seconds; 0: no pause")
    parser.add_argument("--value", default="100:1000", help="bytes of a value, from:to")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=15, help="servers at once, of those that are paced")
    parser.add_argument("--backend", default="epoll", help="of Rondo")
    parser.add_argument("--option", action="append", default=[], help="passed to rondo-server, as in --option=--maxmemory-samples=10")
    parser.add_argument("--peer", action="append", default=[], metavar="NAME=COMMAND", help="as with the benchmark")
    parser.add_argument("--no-peers", action="store_true")
    parser.add_argument("--json", metavar="FILE")
    return parser.parse_args(words)


def play(options, kind, policy, trace):
    """Figures of one trace on a fresh server."""
    command = [os.path.join(options.build, "hitratio-player"), "--trace", trace, "--keys", str(options.keys), "--length",
               str(options.length), "--value", options.value, "--seed", str(options.seed)]
    if policy.startswith("volatile"):
        command += ["--ttl", str(TTL_S)]
    if options.seconds and policy.endswith("lru"):
        command += ["--rate", str(options.length / options.seconds)]
    try:
        with servers.Server(kind, limit_bytes=options.limit, policy=policy) as server:
            done = subprocess.run(command + ["--port", str(server.port), "--server-pid", str(server.pid)], stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True, timeout=300)
            if done.returncode != 0:
                return {"error": done.stderr.strip()}
            return figures(server, json.loads(done.stdout))
    except (servers.Trouble, subprocess.TimeoutExpired) as why:
        return {"error": str(why)}


def figures(server, result):
    if result["errors"]:
        return {"error": result["error"]}
    info = server.info() if server.kind.style == "redis" else {}
    return {
        "hit_ratio": result["hit_ratio"],
        "evicted": int(info["evicted_keys"]) if "evicted_keys" in info else None,
        "used_memory": int(info["used_memory"]) if "used_memory" in info else None,
        "resident": server.resident_bytes(),
        "keys": server.call("DBSIZE"),
        "cpu_ns": result["server_cpu_ns"] / result["length"],
    }


def plan(options, kinds):
    """(kind, policy, trace) of every play. pogocache has one policy of its own."""
    for trace in TRACES:
        for policy in POLICIES:
            if re.search(options.traces, trace) and re.search(options.policies, policy):
                for kind in kinds:
                    if kind.style == "redis" or policy == "allkeys-random":
                        yield kind, policy, trace


def play_all(options, kinds):
    """Paced plays side by side, those at full speed one by one."""
    found, wanted = {}, list(plan(options, kinds))
    paced = [one for one in wanted if options.seconds and one[1].endswith("lru")]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        running = {one: pool.submit(play, options, *one) for one in paced}
        for one, future in running.items():
            found[one] = future.result()
            tell(one, found[one])
    for one in wanted:
        if one not in found:
            found[one] = play(options, *one)
            tell(one, found[one])
    return {(kind.name, policy, trace): result for (kind, policy, trace), result in found.items()}


def tell(one, result):
    kind, policy, trace = one
    text = result.get("error") or "%.2f %%, %d keys" % (100 * result["hit_ratio"], result["keys"])
    print("%s %s %s: %s" % (trace, policy, kind.name, text), file=sys.stderr, flush=True)


SHOWN = (("hit ratio, %", lambda one: "%.2f" % (100 * one["hit_ratio"])),
         ("evictions", lambda one: "–" if one["evicted"] is None else str(one["evicted"])),
         ("keys held", lambda one: str(one["keys"])),
         ("used memory, MiB", lambda one: "–" if one["used_memory"] is None else "%.2f" % (one["used_memory"] / (1 << 20))),
         ("resident memory, MiB", lambda one: "%.1f" % (one["resident"] / (1 << 20))),
         ("CPU ns per request", lambda one: "%.0f" % one["cpu_ns"]))


def trace_tables(trace, names, found):
    parts = ["## %s\n" % trace]
    policies = [policy for policy in POLICIES if any((name, policy, trace) in found for name in names)]
    for title, show in SHOWN:
        rows = []
        for policy in policies:
            cells = [found.get((name, policy, trace)) for name in names]
            rows.append([policy] + ["" if one is None else one.get("error") or show(one) for one in cells])
        parts.append(table([title] + names, rows))
    return "\n".join(parts)


def below(names, found, reference="redis-server", margin=0.001):
    """Where Rondo's hit ratio is below the reference's."""
    lines = []
    for (name, policy, trace), one in sorted(found.items()):
        other = found.get((reference, policy, trace), {})
        if name.startswith("rondo") and "hit_ratio" in one and "hit_ratio" in other and one["hit_ratio"] < other["hit_ratio"] - margin:
            lines.append("- %s, %s: %.2f %% against %.2f %%" % (trace, policy, 100 * one["hit_ratio"], 100 * other["hit_ratio"]))
    return "\nBelow %s:\n\n%s\n" % (reference, "\n".join(lines)) if lines else ""


def main():
    options = parse(sys.argv[1:])
    options.build = os.path.abspath(options.build)
    words = [word for text in options.option for word in text.split("=", 1)]
    peers = [name + "=" for name in servers.PEERS] if options.no_peers else options.peer
    kinds = servers.find_kinds(options.build, [options.backend], peers, words)
    names = [kind.name for kind in kinds]
    found = play_all(options, kinds)
    print("# Hit ratios\n\n%d keys, values of %s bytes, maxmemory %.1f MiB, traces of %d requests; LRU's take %g s. Counted is the last three "
          "quarters of a trace.\n" % (options.keys, options.value, options.limit / (1 << 20), options.length, options.seconds))
    print("Kernel %s. %s. pogocache has no choice of policy: its row is allkeys-random's, whatever it does.\n" % (
        machine.describe()["kernel"], ", ".join("%s %s" % (kind.name, kind.version()) for kind in kinds)))
    for trace in TRACES:
        if any(key[2] == trace for key in found):
            print(trace_tables(trace, names, found))
    print(below(names, found), end="")
    if options.json:
        with open(options.json, "w") as file:
            json.dump([dict(one, server=key[0], policy=key[1], trace=key[2]) for key, one in found.items()], file, indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
