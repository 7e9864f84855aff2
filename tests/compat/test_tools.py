#!/usr/bin/env python3
# time-limit: 240
# builds: first
"""Redis's own tools against the server: redis-cli in the ways people use it, redis-benchmark with each of its tests."""
import os
import re
import shutil
import signal
import subprocess
import sys
import time

FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(FOLDER, os.pardir, "cmd"))
sys.dont_write_bytecode = True

import harness
from harness import Report, Server, Timeout, encode, expect

RUN_S = 60
# Each of redis-benchmark's tests, with the command that it stands for.
BENCHMARKS = {"ping_inline": "PING", "ping_mbulk": "PING", "set": "SET", "get": "GET", "incr": "INCR", "lpush": "LPUSH",
              "rpush": "RPUSH", "lpop": "LPOP", "rpop": "RPOP", "sadd": "SADD", "hset": "HSET", "spop": "SPOP", "zadd": "ZADD",
              "zpopmin": "ZPOPMIN", "lrange_100": "LRANGE", "mset": "MSET"}


def cli(server, *words, stdin=None):
    done = subprocess.run(["redis-cli", "-p", str(server.port)] + list(words), input=stdin, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=RUN_S)
    return done.stdout.decode("utf-8", "replace")


def until(process, pattern):
    """Reads what the tool prints until it matches, then ends the tool."""
    out, deadline = "", time.monotonic() + harness.WAIT_S
    os.set_blocking(process.stdout.fileno(), False)
    try:
        while time.monotonic() < deadline:
            part = process.stdout.read()
            out += part.decode("utf-8", "replace") if part else ""
            if re.search(pattern, out):
                return out
            time.sleep(0.01)
        raise Timeout("no %s in: %s" % (pattern, out[-500:]))
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(harness.WAIT_S)


def endless(server, pattern, *words):
    return until(subprocess.Popen(["redis-cli", "-p", str(server.port)] + list(words), stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT), pattern)


# ---- redis-cli
def commands(server):
    expect(cli(server, "SET", "k", "v") == "OK\n", "SET")
    expect(cli(server, "GET", "k") == "v\n", "GET")
    expect(cli(server, "-3", "CONFIG", "GET", "timeout").split() == ["timeout", "0"], "CONFIG GET")
    expect(cli(server, "--no-raw", "GET", "missing") == "(nil)\n", "nil")
    expect("(error) ERR unknown command" in cli(server, "--no-raw", "NONSENSE"), "an error")
    expect(cli(server, "--json", "-3", "CONFIG", "GET", "timeout").strip() == '{"timeout":"0"}', "--json")
    expect(cli(server, "-n", "3", "DBSIZE") == "0\n", "-n")
    expect(cli(server, "-x", "SET", "in", stdin=b"from stdin") == "OK\n", "-x")
    out = cli(server, stdin=b"SET a 1\nINCR a\nGET a\nHELP GET\n")
    expect(out.startswith("OK\n2\n2\n"), "commands on standard input: " + out[:200])


def pipe_mode(server):
    count = 20000
    data = b"".join(encode(["SET", "pipe:%d" % i, "value %d" % i]) for i in range(count))
    out = cli(server, "--pipe", stdin=data)
    expect("errors: 0, replies: %d" % count in out, out)
    expect(cli(server, "GET", "pipe:%d" % (count - 1)) == "value %d\n" % (count - 1), "the last key")
    expect(cli(server, "DBSIZE").strip().isdigit() and int(cli(server, "DBSIZE")) >= count, "DBSIZE")


LIBRARY = """#!lua name=shop

local function stock(keys)
  return tonumber(redis.call('HGET', keys[1], 'stock') or 0)
end

local function buy(keys, args)
  local left, wanted = stock(keys), tonumber(args[1])
  if left < wanted then return redis.error_reply('SOLDOUT only ' .. left .. ' left') end
  return redis.call('HINCRBY', keys[1], 'stock', -wanted)
end

redis.register_function('buy', buy)
redis.register_function{function_name = 'stock', callback = stock, flags = {'no-writes'}}
"""


def functions(server):
    """A library from a file, used, changed, carried to another server as bytes."""
    expect(cli(server, "-x", "FUNCTION", "LOAD", stdin=LIBRARY.encode()).strip() == "shop", "-x FUNCTION LOAD")
    cli(server, "HSET", "pen", "stock", "5")
    expect(cli(server, "FCALL", "buy", "1", "pen", "3").strip() == "2", "FCALL")
    expect(cli(server, "FCALL", "buy", "1", "pen", "3").strip() == "SOLDOUT only 2 left", "an error of the function's own")
    expect(cli(server, "FCALL_RO", "stock", "1", "pen").strip() == "2", "FCALL_RO")
    expect("already exists" in cli(server, "-x", "FUNCTION", "LOAD", stdin=LIBRARY.encode()), "the library is there")
    expect(cli(server, "-x", "FUNCTION", "LOAD", "REPLACE", stdin=LIBRARY.replace("left < wanted", "false").encode()).strip() == "shop", "REPLACE")
    expect(cli(server, "FCALL", "buy", "1", "pen", "3").strip() == "-1", "the new text is in use")
    listed = cli(server, "FUNCTION", "LIST", "LIBRARYNAME", "sh*", "WITHCODE")
    expect("shop" in listed and "stock" in listed and "no-writes" in listed and "if false then" in listed, listed)
    dump = subprocess.run(["redis-cli", "-p", str(server.port), "-D", "", "--raw", "FUNCTION", "DUMP"], stdout=subprocess.PIPE, timeout=RUN_S).stdout
    expect(cli(server, "FUNCTION", "FLUSH").strip() == "OK", "FLUSH")
    expect("Function not found" in cli(server, "FCALL", "stock", "1", "pen"), "no function is left")
    expect(cli(server, "-x", "FUNCTION", "RESTORE", stdin=dump).strip() == "OK", "RESTORE of %r" % dump)
    expect(cli(server, "FCALL_RO", "stock", "1", "pen").strip() == "-1", "restored")
    expect(cli(server, "FUNCTION", "DELETE", "shop").strip() == "OK", "DELETE")


def scan(server):
    cli(server, "FLUSHALL")
    cli(server, "--pipe", stdin=b"".join(encode(["SET", "scan:%d" % i, "v" * (i % 100)]) for i in range(3000)))
    names = cli(server, "--scan").split()
    expect(sorted(names) == sorted("scan:%d" % i for i in range(3000)), "--scan: %d names" % len(names))
    expect(len(cli(server, "--scan", "--pattern", "scan:1*").split()) == 1111, "--scan --pattern")


def keys_by_size(server):
    cli(server, "FLUSHALL")
    cli(server, "--pipe", stdin=b"".join(encode(["SET", "big:%d" % i, "v" * i]) for i in range(500)))
    out = cli(server, "--bigkeys")
    expect("Biggest string found" in out and "499 bytes" in out and "500 strings" in out, out[-1500:])
    out = cli(server, "--memkeys")
    expect("Biggest string found" in out and "500 strings" in out, out[-1500:])


def watching(server):
    out = endless(server, r"keys.*\n(\s*\d+.*\n){1}", "--stat", "-i", "0.05")
    expect("clients" in out and "requests" in out, out)
    out = cli(server, "--latency", "--raw", "-i", "0.2")
    expect(re.match(r"\d+ \d+ \d+\.\d+ \d+", out), "--latency: " + out)
    endless(server, r"OK", "MONITOR")


# ---- redis-benchmark
def benchmark(server, name):
    out = subprocess.run(["redis-benchmark", "-p", str(server.port), "-t", name, "-n", "2000", "-c", "20", "-q", "-r", "1000"],
                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=RUN_S).stdout.decode()
    expect("requests per second" in out and "rror" not in out, name + ": " + out)


def benchmarks(server, report, backend):
    with server.connect() as client:
        known = {name.data.decode() for name in client.call("COMMAND", "LIST").data}
    for name, command in BENCHMARKS.items():
        title = "compat/redis-benchmark %s (%s)" % (name, backend)
        if command.lower() in known:
            report.run(title, benchmark, server, name)
        else:
            report.skip(title, "there is no " + command)
    report.run("compat/redis-benchmark pipelined (%s)" % backend, pipelined, server)


def pipelined(server):
    out = subprocess.run(["redis-benchmark", "-p", str(server.port), "-t", "set,get", "-n", "20000", "-P", "100", "-d", "500", "--csv"],
                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=RUN_S).stdout.decode()
    expect('"SET",' in out and '"GET",' in out, out)


def main():
    report = Report()
    if not shutil.which("redis-cli") or not shutil.which("redis-benchmark"):
        report.skip("compat/tools", "redis-cli and redis-benchmark are not installed (Debian: redis-tools)")
        return 0
    usable, refused = harness.backends()
    for backend, why in refused:
        report.skip("compat/tools on %s" % backend, why)
    for backend in usable:
        with Server(backend) as server:
            for function in (commands, functions, pipe_mode, scan, keys_by_size, watching):
                report.run("compat/redis-cli %s (%s)" % (function.__name__.replace("_", " "), backend), function, server)
            benchmarks(server, report, backend)
    return report.status()


if __name__ == "__main__":
    sys.exit(main())
