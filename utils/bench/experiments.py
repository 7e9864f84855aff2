"""Experiments of the field, measured on Rondo: what batching system calls, handing over descriptors, kernel threads and polling bring.

Each is a table of variants (a server and its options) over workloads. A variant that this server or this kernel refuses is
named with the reason. What the original reported stands beside each table."""
import collections
import os
import re
import shutil
import signal
import subprocess
import time

import measure
import servers
from measure import say
from report import table

Load = collections.namedtuple("Load", "name words options")
Variant = collections.namedtuple("Variant", "name options")
Experiment = collections.namedtuple("Experiment", "title original variants loads columns peers note")

KEYS = 1000000
FILL = dict(connections=50, depth=16, value=100, keys="sequence", space=KEYS, count=KEYS)


def load(name, command, connections, depth=1, value=100, **options):
    return Load(name, command.split(), dict(connections=connections, depth=depth, value=value, space=KEYS, **options))


PLAIN = Variant("io_uring", ["--net-backend", "io_uring"])
EPOLL = Variant("epoll", ["--net-backend", "epoll"])


def uring(name, *options):
    return Variant(name, PLAIN.options + list(options))


RATE = ("requests/s", lambda one: "%.0f" % one["rate"])
CPU = ("CPU ns per request", lambda one: "%.0f" % one["cpu_ns"])
P50 = ("p50 µs", lambda one: "%.0f" % one["p50_us"])
P99 = ("p99 µs", lambda one: "%.0f" % one["p99_us"])
P999 = ("p99.9 µs", lambda one: "%.0f" % one["p999_us"])
CALLS = ("system calls per request", lambda one: "–" if one["calls"] is None else "%.3f" % one["calls"])
SHARE = ("server's share of a core, %", lambda one: "%.0f" % (100 * one["server_share"]))

EXPERIMENTS = {
    "pending-writes": Experiment(
        "Pending writes: SET of 100 bytes, 50 clients",
        "Original (a patch for Redis, 2024): throughput +4.3 %, cycles per query -4.1 %, system calls per query about 2 to 1.1.",
        [PLAIN, EPOLL], [load("depth %d" % depth, "SET {k} {v}", 50, depth) for depth in (1, 10, 100)],
        [RATE, CPU, P50, P99, CALLS], True, ""),
    "one-call": Experiment(
        "Submit and reap in one call, direct descriptors: 288 connections",
        "Original (helio, 2023-24): PING 883k, 964k, 1004k per second for plain, one call, direct descriptors; p99.9 0.567 to 0.519 ms; "
        "GET on an empty base 690k, 717k, 741k; with 16 threads.",
        [uring("submit, then wait", "--net-submit-and-wait", "no"), uring("one call"),
         uring("direct descriptors", "--net-direct-descriptors", "yes")],
        [load("PING", "PING", 288), load("GET, empty", "GET {k}", 288)], [RATE, CPU, P50, P99, P999, CALLS], False, ""),
    "echo": Experiment(
        "ECHO: epoll, io_uring, io_uring with a kernel thread that submits",
        "Original (a study with Go, 2023): 38-44k, 57-67k, 67-83k per second on one core.",
        [EPOLL, PLAIN, uring("SQPOLL", "--net-sqpoll", "yes")],
        [load("%d connections, %d bytes" % (connections, size), "ECHO {v}", connections, value=size)
         for connections in (300, 500, 1000, 2000) for size in (128, 512, 1000)], [RATE, CPU, P99], False,
        "CPU time includes the kernel's threads. With two processors SQPOLL's thread shares that of the server."),
    "kqueue": Experiment(
        "kqueue: changes in the call that waits, counted on the emulation",
        "Original (a patch for Valkey, 2024): 4 to 19 % more throughput; kevent calls 1227 to 903 in a pipelined run.",
        [], [load("%s, 50 clients, depth %d" % (command.split()[0], depth), command, 50, depth)
             for command in ("GET {k}", "SET {k} {v}") for depth in (1, 16)] +
        [load("ECHO of 1 MB, 10 clients", "ECHO {v}", 10, value=1000000)], [
            ("requests", lambda one: "%.0f" % one["requests"]), ("kevent calls", lambda one: "%.0f" % one["turns"]),
            ("changes", lambda one: "%.0f" % one["changes"]),
            ("calls, were each change its own", lambda one: "%.0f" % (one["turns"] + one["changes"])),
            ("all system calls per request", lambda one: "%.3f" % one["calls"])], False,
        "A kevent call brings the events of a turn and takes the changes of the last one."),
    "polling": Experiment(
        "Polling the completion queue before sleeping",
        "Original (a patch for the kernel, 2024): sleeping half of the usual time and polling then gave a database 30 % more.",
        [uring("off"), uring("spinning", "--busy-poll-usec", "100"),
         uring("hybrid", "--busy-poll-usec", "100", "--busy-poll-mode", "hybrid")],
        [load("GET, %d connections" % connections, "GET {k}", connections) for connections in (1, 10, 50)] +
        [load("GET, 10 connections, 10000/s", "GET {k}", 10, depth=16, rate=10000)], [RATE, P50, P99, CPU, SHARE], False, ""),
}


class Contender:
    """A running variant, frozen but when it is measured; or the reason why there is none."""

    def __init__(self, name, kind, setting, filled, extra_cpu):
        self.name, self.server, self.why = name, None, None
        cpus = {setting.server_cpu} | extra_cpu if setting.server_cpu is not None else None
        try:
            self.server = servers.Server(kind, cpus)
            if filled:
                measure.run_load(setting, self.server, ["SET", "{k}", "{v}"], **FILL)
            self.server.freeze()
        except servers.Trouble as why:
            self.why = str(why)

    def stop(self):
        if self.server:
            self.server.stop()

    def measure(self, setting, one):
        self.server.thaw()
        try:
            before = counters(self.server)
            seconds = {"seconds": setting.seconds, "warmup": setting.warmup}
            result = measure.run_load(setting, self.server, one.words, **dict(one.options, **seconds))
            found = measure.figures(result)
            found.update(differences(before, counters(self.server)))
            return found
        finally:
            self.server.freeze()


def counters(server):
    """Rondo's own counters, from INFO; nothing of others."""
    info = server.info("all") if server.kind.style == "redis" else {}
    return {"requests": int(info.get("total_commands_processed", 0)), "calls": int(info.get("net_system_calls", 0)),
            "turns": int(info.get("net_turns", 0)), "changes": int(info.get("net_submissions", 0))}


def differences(before, after):
    found = {name: after[name] - before[name] for name in after}
    found["calls"] = found["calls"] / found["requests"] if found["calls"] and found["requests"] else None
    return found


def traced_calls(setting, server, one):
    """System calls per request of a server without counters, with strace. It slows the server down, so it has a run of its own."""
    strace = shutil.which("strace")
    if not strace:
        return None
    out = os.path.join(server.folder, "strace")
    server.thaw()
    tracer = subprocess.Popen([strace, "-c", "-f", "-q", "-p", str(server.pid), "-o", out], stderr=subprocess.DEVNULL)
    try:
        wait_for_tracer(server.pid)
        result = measure.run_load(setting, server, one.words, **dict(one.options, seconds=0.5, warmup=0))
    finally:
        tracer.send_signal(signal.SIGINT)
        tracer.wait()
        server.freeze()
    with open(out) as file:
        total = re.search(r"^\s*100\.00\s+\S+\s+\d*\s+(\d+).*total$", file.read(), re.M)
    return int(total.group(1)) / result["units"] if total and result["units"] else None


def wait_for_tracer(pid):
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline:
        with open("/proc/%d/status" % pid) as file:
            if not re.search(r"^TracerPid:\s*0$", file.read(), re.M):
                return
        time.sleep(0.01)


def contenders(options, setting, name, experiment, peers):
    binary = os.path.join(options.build, "rondo-server")
    kinds = [(variant.name, servers.Kind("rondo " + variant.name, [binary] + variant.options, ours=True))
             for variant in experiment.variants]
    if name == "kqueue":
        kinds = [("kqueue emulation", servers.Kind("rondo kqueue", [binary + "-kqueue", "--net-backend", "kqueue"], ours=True))]
    kinds += [(peer.name, peer) for peer in peers if experiment.peers]
    filled = any("{k}" in one.words for one in experiment.loads) and name != "one-call"
    spare = sorted(os.sched_getaffinity(0) - {setting.server_cpu, setting.load_cpu})[:1]
    return [Contender(label, kind, setting, filled, set(spare) if label == "SQPOLL" else set()) for label, kind in kinds]


def run_one(options, setting, name, peers):
    """The experiment's part of the report."""
    experiment = EXPERIMENTS[name]
    running = contenders(options, setting, name, experiment, peers)
    found = {}
    try:
        for one in experiment.loads:
            for _ in range(setting.rounds):
                for contender in running:
                    if contender.server:
                        found.setdefault((one.name, contender.name), []).append(contender.measure(setting, one))
            say("%s: %s done" % (name, one.name))
        found = {key: measure.middle(rounds) | {"calls": rounds[-1]["calls"]} for key, rounds in found.items()}
        if CALLS in experiment.columns:
            trace_the_others(setting, experiment, running, found)
    finally:
        for contender in running:
            contender.stop()
    return text_of(experiment, running, found)


def trace_the_others(setting, experiment, running, found):
    for one in experiment.loads:
        for contender in running:
            if contender.server and found[one.name, contender.name]["calls"] is None:
                found[one.name, contender.name]["calls"] = traced_calls(setting, contender.server, one)


def text_of(experiment, running, found):
    rows = []
    for one in experiment.loads:
        for contender in running:
            if contender.server:
                rows.append(["%s, %s" % (one.name, contender.name)] +
                            [show(found[one.name, contender.name]) for _, show in experiment.columns])
    parts = ["## %s\n" % experiment.title, experiment.original + "\n", table(["workload, variant"] + [t for t, _ in experiment.columns], rows)]
    parts += ["Skipped: %s: %s\n" % (contender.name, contender.why) for contender in running if not contender.server]
    return "\n".join(parts + [experiment.note + "\n"] if experiment.note else parts)


def run(options, setting, names, about):
    """names: of EXPERIMENTS, or all. about: the report's head."""
    names = list(EXPERIMENTS) if names in ([], ["all"]) else names
    unknown = [name for name in names if name not in EXPERIMENTS]
    if unknown:
        raise servers.Trouble("no experiment is named %s; there are %s" % (", ".join(unknown), ", ".join(EXPERIMENTS)))
    peers = [] if options.no_peers else servers.find_peers(options.peer)
    parts = ["# Experiments\n", about] + [run_one(options, setting, name, peers) for name in names]
    folder = options.out or os.path.join(options.build, "bench")
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "experiments.md"), "w") as file:
        file.write("\n".join(parts))
    print("\n".join(parts))
    say("written: %s/experiments.md" % folder)
