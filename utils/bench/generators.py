"""Load generators that others wrote: redis-benchmark (or valkey-benchmark) and memtier_benchmark, 50 connections, 16 in flight."""
import csv
import io
import json
import os
import subprocess
import tempfile
import time

from servers import Trouble, cpu_ns, find_program

CONNECTIONS, DEPTH, KEYS, VALUE_BYTES = 50, 16, 1000000, 100


def run(setting, server, command):
    """(standard output, seconds, CPU nanoseconds of the server)."""
    pin = (lambda: os.sched_setaffinity(0, {setting.load_cpu})) if setting.load_cpu is not None else None
    cpu, start = cpu_ns(server.pid), time.monotonic()
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=pin, timeout=180)
    except subprocess.TimeoutExpired as error:
        raise Trouble("%s hangs" % command[0]) from error
    seconds = time.monotonic() - start
    if done.returncode != 0:
        raise Trouble("%s: %s" % (command[0], done.stderr.strip().splitlines()[-1:]))
    return done.stdout, seconds, cpu_ns(server.pid) - cpu


def figures(rate, requests, seconds, cpu, p50_us, p99_us):
    return {"rate": rate, "cpu_ns": cpu / requests, "server_share": cpu / seconds / 1e9, "p50_us": p50_us, "p99_us": p99_us}


class RedisBenchmark:
    def __init__(self, path):
        self.path, self.name = path, os.path.basename(path)

    def run(self, setting, server, command, requests):
        out, seconds, cpu = run(setting, server, [
            self.path, "-p", str(server.port), "-c", str(CONNECTIONS), "-P", str(DEPTH), "-n", str(requests), "-r", str(KEYS),
            "-d", str(VALUE_BYTES), "-t", command.lower(), "--csv"])
        rows = [row for row in csv.reader(io.StringIO(out)) if row and row[0].upper() == command]
        if not rows:
            raise Trouble("%s printed no row for %s" % (self.name, command))
        rate, _, _, p50, _, p99 = (float(text) for text in rows[0][1:7])
        return figures(rate, requests, seconds, cpu, 1e3 * p50, 1e3 * p99)


class Memtier:
    def __init__(self, path):
        self.path, self.name = path, "memtier_benchmark"

    def run(self, setting, server, command, requests):
        each = max(1, requests // CONNECTIONS)
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "out.json")
            _, seconds, cpu = run(setting, server, [
                self.path, "--server=127.0.0.1", "--port=%d" % server.port, "--protocol=redis", "--threads=1",
                "--clients=%d" % CONNECTIONS, "--pipeline=%d" % DEPTH, "--requests=%d" % each, "--data-size=%d" % VALUE_BYTES,
                "--key-maximum=%d" % KEYS, "--ratio=%s" % ("1:0" if command == "SET" else "0:1"), "--hide-histogram",
                "--json-out-file=" + out])
            with open(out) as file:
                totals = json.load(file)["ALL STATS"]["Totals"]
        percentiles = totals.get("Percentile Latencies", {})
        return figures(totals["Ops/sec"], each * CONNECTIONS, seconds, cpu, 1e3 * percentiles.get("p50.00", 0),
                       1e3 * percentiles.get("p99.00", 0))


def find(names=("redis-benchmark", "memtier_benchmark")):
    found = []
    for name in names:
        path = find_program(name)
        if path:
            found.append(Memtier(path) if name.startswith("memtier") else RedisBenchmark(path))
    return found
