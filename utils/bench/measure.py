"""Rounds of rows over servers. Rounds are interleaved: every server does a row's first round before any does its second."""
import json
import statistics
import subprocess
import sys

from rows import DATA
from servers import ErrorReply, Server, Trouble

SATURATED = 0.9  # of a core: below, the server waited for the load
DISTURBED = 0.1  # of the time: more, and other programs had the processors of server or load


class Setting:
    """How everything is measured: the load program, processors, seconds, rounds."""

    def __init__(self, load, server_cpu, load_cpu, seconds, warmup, rounds, epoll=False):
        self.load, self.server_cpu, self.load_cpu = load, server_cpu, load_cpu
        self.seconds, self.warmup, self.rounds, self.epoll = seconds, warmup, rounds, epoll


def say(text):
    print(text, file=sys.stderr, flush=True)


def run_load(setting, server, words, limit_s=120, **options):
    """One run of the load program: its result, as a dict. An option's name is that of the program, with _ for -."""
    command = [setting.load, "--port", str(server.port), "--server-pid", str(server.pid)]
    if setting.load_cpu is not None:
        command += ["--cpu", str(setting.load_cpu)]
    if setting.epoll:
        command += ["--epoll"]
    for name, value in options.items():
        command += ["--" + name.replace("_", "-"), str(value)]
    done = subprocess.run(command + ["--"] + list(words), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=limit_s)
    if done.returncode != 0:
        raise Trouble("%s: %s" % (server.kind.name, done.stderr.strip() or server.log_end()))
    return json.loads(done.stdout)


def figures(result, operations=None):
    """What tables and plots need of one run. operations: what is counted; the units, if not told."""
    seconds = result["seconds"] or 1e-9
    count = operations if operations is not None else result["units"]
    curve = result["latency_us"]["curve"]
    at = {share: value for share, value in curve}
    return {
        "rate": count / seconds,
        "cpu_ns": result["server_cpu_ns"] / count if count else None,
        "server_share": result["server_cpu_ns"] / seconds / 1e9,
        "load_share": result["load_cpu_ns"] / seconds / 1e9,
        "waited_share": (result["server_waited_ns"] + result["load_waited_ns"]) / seconds / 1e9,
        "threads_ns": result["server_threads_ns"],
        "p50_us": at[0.5], "p99_us": at[0.99], "p999_us": at[0.999], "max_us": result["latency_us"]["max"],
        "curve": curve,
    }


def middle(rounds):
    """The median of each figure over the rounds; the curve is that of the round whose 99th percentile is the median."""
    found = {}
    for name, value in rounds[0].items():
        if isinstance(value, (int, float)) and all(r[name] is not None for r in rounds):
            found[name] = statistics.median(r[name] for r in rounds)
    ordered = sorted(rounds, key=lambda r: r["p99_us"])
    found["curve"] = ordered[len(ordered) // 2]["curve"]
    found["threads_ns"] = rounds[-1]["threads_ns"]
    found["spread"] = spread(rounds)
    found["rounds"] = len(rounds)
    return found


def spread(rounds):
    """(greatest - smallest) / median of the CPU time: how far to trust the row."""
    values = [r["cpu_ns"] for r in rounds if r["cpu_ns"]]
    return (max(values) - min(values)) / statistics.median(values) if values else 0.0


class Stage:
    """The running servers: all have the same data, all but one are frozen."""

    def __init__(self, kinds, setting):
        self.kinds, self.setting, self.servers = kinds, setting, {}
        self.state = None

    def prepare(self, row):
        """Servers that hold the row's data, and started with what it needs; those of another row are ended first."""
        state = (row.data, row.options.get("limit_bytes"))
        if state == self.state and row.data != "empty":
            return
        self.close()
        self.state = state
        for kind in self.kinds:
            try:
                self.servers[kind.name] = server = Server(kind, self.setting.server_cpu, limit_bytes=state[1])
                self.fill(server, DATA[row.data])
                server.freeze()
            except Trouble as why:
                say("  %s" % why)

    def fill(self, server, data):
        if not data:
            return
        done = run_load(self.setting, server, data.command.split(), connections=min(50, data.count), depth=16, value=data.value,
                        keys="sequence", space=data.count, count=data.count)
        if done["errors"]:
            say("  %s: filling: %s" % (server.kind.name, done["error"]))

    def close(self):
        for server in self.servers.values():
            server.stop()
        self.servers = {}
        self.state = None


def row_operations(row, result):
    return result["deliveries"] if row.options.get("subscribers") else None


def one_round(setting, server, row, round_number):
    """Figures, or the text of the error that says that the server does not do this."""
    options = {"connections": row.conns, "depth": row.depth, "value": row.value, "space": row.space, "keys": row.keys,
               "seconds": setting.seconds, "warmup": setting.warmup, "seed": round_number + 1}
    if row.options.get("subscribers"):
        options["subscribers"] = row.options["subscribers"]
    server.thaw()
    try:
        if row.script and round_number == 0:
            server.call("SCRIPT", "LOAD", row.script)
        result = run_load(setting, server, row.command.split(), **options)
    except ErrorReply as error:
        return str(error)
    finally:
        server.freeze()
    return result["error"] if result["errors"] else figures(result, row_operations(row, result))


def run_row(stage, row, results):
    """results[row][server]: the medians, or {"error": text}."""
    stage.prepare(row)
    rounds = {name: [] for name in stage.servers}
    found = results.setdefault(row.name, {})
    for number in range(stage.setting.rounds):
        for name, server in stage.servers.items():
            if name in found:
                continue
            try:
                one = one_round(stage.setting, server, row, number)
            except (Trouble, OSError, subprocess.TimeoutExpired) as why:
                one = str(why)
            if isinstance(one, str):
                found[name] = {"error": one}
            else:
                rounds[name].append(one)
    for name, done in rounds.items():
        if done and name not in found:
            found[name] = middle(done)
    say("%-26s %s" % (row.name, "  ".join("%s %s" % (name, brief(one)) for name, one in found.items())))


def brief(one):
    return "-" if "error" in one else "%.0f ns" % one.get("cpu_ns", 0)


def run_rows(kinds, setting, rows):
    results, stage = {}, Stage(kinds, setting)
    try:
        for row in rows:
            run_row(stage, row, results)
    finally:
        stage.close()
    return results
