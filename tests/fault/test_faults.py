#!/usr/bin/env python3
# time-limit: 300
"""The whole server when something goes wrong: peers that vanish, that do not read, that send too much or nonsense; descriptors,
memory and disks that end; kernels that refuse. Others are served on, the counters say what happened, and the end is clean.

    test_faults.py [--backend NAME] [WORD...]"""
import argparse
import os
import random
import re
import resource
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "cmd"))
sys.dont_write_bytecode = True

import harness
from harness import Closed, Report, Server, Timeout, encode, expect, show
from refuse import refuse_calls

MB = 1024 * 1024


class Skip(Exception):
    """Cannot be tried here."""


# ---- helpers
def info(client, field):
    """An INFO field as text; None without it."""
    found = re.search(rb"^%s:(.*)\r$" % field.encode(), client.call("INFO", "everything").data, re.M)
    return found.group(1).decode() if found else None


def wait_for(condition, what):
    deadline = time.monotonic() + harness.WAIT_S
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise Timeout("waited in vain: " + what)
        time.sleep(0.005)


def reset(client):
    """Ends the connection with a reset instead of an orderly end."""
    client.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    client.close()


def wait_clients(client, count):
    wait_for(lambda: info(client, "connected_clients") == str(count), "%d connected clients" % count)


def is_sanitized():
    with open(harness.SERVER, "rb") as file:
        return b"__asan_init" in file.read()


def vm_bytes(pid):
    with open("/proc/%d/statm" % pid) as file:
        return int(file.read().split()[0]) * resource.getpagesize()


def resident_bytes(pid):
    with open("/proc/%d/statm" % pid) as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def fill(client, count, size):
    for i in range(count):
        expect(client.call("SET", "big%d" % i, "x" * size).data == b"OK", "SET of a big value")


# ---- peers that vanish
def reset_in_request(backend, seed):
    rng = random.Random(seed)
    with Server(backend) as server, server.connect() as watcher:
        whole = encode(["SET", "half", "x" * 50000])
        for _ in range(100):
            client = server.connect()
            client.write(whole[:rng.randrange(1, len(whole))])
            reset(client)
        wait_clients(watcher, 1)
        expect(watcher.call("EXISTS", "half").data == 0, "half a request was executed")


def reset_in_reply(backend, seed):
    rng = random.Random(seed)
    with Server(backend) as server, server.connect() as watcher:
        fill(watcher, 1, 3 * MB)
        for i in range(40):
            client = server.connect(receive_bytes=4096)
            client.write(encode(["GET", "big0"]) * 5)
            if i % 2:
                client.sock.recv(rng.randrange(1, 100000))
            (reset if i % 4 < 2 else type(client).close)(client)
            if i % 10 == 0:
                expect(watcher.call("PING").data == b"PONG", "others are not served")
        wait_clients(watcher, 1)


def killed_with_bytes_in_flight(backend, seed):
    with Server(backend) as server, server.connect() as watcher:
        fill(watcher, 1, 3 * MB)
        client = server.connect(receive_bytes=4096)
        number = client.call("CLIENT", "ID").data
        client.write(encode(["GET", "big0"]) * 20)
        client.sock.recv(10)
        expect(watcher.call("DEL", "big0").data == 1, "the value goes while it is being sent")
        expect(watcher.call("CLIENT", "KILL", "ID", number).data == 1, "CLIENT KILL")
        client.wait_closed()
        client.close()
        wait_clients(watcher, 1)


def overwritten_while_sent(backend, seed):
    """A reply is of the moment at which it was asked for, whatever happens to the value while it is on its way."""
    with Server(backend) as server, server.connect() as watcher, server.connect(receive_bytes=4096) as client:
        watcher.call("SET", "v", "a" * (2 * MB))
        client.send("GET", "v")
        client.sock.recv(1, socket.MSG_PEEK)
        for change in (["SETRANGE", "v", "0", "b" * MB], ["APPEND", "v", "c" * 100], ["SET", "v", "d" * MB], ["DEL", "v"], ["FLUSHALL"]):
            watcher.call(*change)
        expect(client.read().data == b"a" * (2 * MB), "the reply has changed on its way")


# ---- peers that do not read
def slow_reader_is_cut(backend, seed):
    options = ["--client-output-buffer-limit", "normal 2mb 0 0"]
    with Server(backend, options) as server, server.connect() as watcher:
        fill(watcher, 1, 500000)
        client = server.connect(receive_bytes=4096)
        try:
            client.write(encode(["GET", "big0"]) * 200)
        except Closed:
            pass
        wait_for(lambda: info(watcher, "client_output_buffer_limit_disconnections") == "1", "the limit is noticed")
        expect(watcher.call("GET", "big0").data == b"x" * 500000, "others are not served")
        drain(client)
        client.close()
        wait_clients(watcher, 1)
        server.wait_log("output buffer limit")


def drain(client):
    """Reads until the end, however it comes."""
    try:
        while client.sock.recv(1 << 20):
            pass
    except OSError:
        pass


def soft_limit(backend, seed):
    options = ["--client-output-buffer-limit", "normal 0 1mb 1"]
    with Server(backend, options) as server, server.connect() as watcher:
        fill(watcher, 1, 500000)
        client = server.connect(receive_bytes=4096)
        client.write(encode(["GET", "big0"]) * 30)
        wait_for(lambda: info(watcher, "client_output_buffer_limit_disconnections") == "1", "the soft limit is noticed")
        client.close()


def slow_reader_without_limit(backend, seed):
    """The server stops executing for it, its memory stays bounded, and in the end every reply arrives."""
    size, count = 400000, 400
    with Server(backend, ["--output-pause-bytes", "8mb"]) as server, server.connect() as watcher:
        fill(watcher, 1, size)
        before = resident_bytes(server.process.pid)
        client = server.connect(receive_bytes=4096)
        client.write(encode(["GET", "big0"]) * count + encode(["SETRANGE", "big0", "0", "y"]))
        for _ in range(20):
            expect(watcher.call("PING").data == b"PONG", "others are not served")
        grown = resident_bytes(server.process.pid) - before
        expect(is_sanitized() or grown < 64 * MB, "memory grew by %d bytes" % grown)
        for i in range(count):
            expect(client.read().data == b"x" * size, "reply %d is not whole" % i)
        expect(client.read().data == size, "the last request")
        client.close()


def slow_reader_is_not_idle(backend, seed):
    """`timeout` is for those who neither send nor take anything, not for those who take long replies slowly."""
    size, piece = 24 * MB, 100000
    with Server(backend, ["--timeout", "2"]) as server, server.connect() as watcher:
        fill(watcher, 1, size)
        client = server.connect(receive_bytes=piece)
        client.send("GET", "big0")
        taken, begin = 0, time.monotonic()
        while taken < size:
            data = client.sock.recv(piece)
            expect(data, "closed after %d bytes" % taken)
            taken += len(data)
            time.sleep(max(0, begin + 4.5 * taken / size - time.monotonic()))
        expect(time.monotonic() - begin > 4, "it was slow")
        client.close()


def many_slow_readers(backend, seed):
    with Server(backend, ["--client-output-buffer-limit", "normal 3mb 0 0"]) as server, server.connect() as watcher:
        fill(watcher, 1, MB)
        slow = [server.connect(receive_bytes=4096) for _ in range(20)]
        for client in slow:
            client.write(encode(["GET", "big0"]) * 8)
        wait_for(lambda: info(watcher, "client_output_buffer_limit_disconnections") == "20", "all are cut")
        for client in slow:
            client.close()
        wait_clients(watcher, 1)


# ---- peers that send too much, or nonsense
def query_buffer_limit(backend, seed):
    options = ["--client-query-buffer-limit", "1mb", "--maxclients", "100"]
    with Server(backend, options) as server, server.connect() as watcher:
        client = server.connect()
        try:
            client.write(b"*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$50000000\r\n")
            for _ in range(100):
                client.write(b"x" * 100000)
            client.wait_closed()
        except Closed:
            pass
        client.close()
        expect(info(watcher, "client_query_buffer_limit_disconnections") == "1", "the counter")
        expect(watcher.call("EXISTS", "k").data == 0, "half a request was executed")
        wait_clients(watcher, 1)


def nonsense(backend, seed):
    rng = random.Random(seed)
    pieces = [b"*", b"$", b"\r\n", b"*3\r\n", b"$5\r\n", b"hello", b"\x00", b"\xff" * 10, b"-1", b"99999999999", b"GET ", b"'", b'"', b"PING\r\n",
              encode(["PING"]), encode(["SET", "k", "v"])[:-3]]
    with Server(backend) as server, server.connect() as watcher:
        for _ in range(300):
            client = server.connect()
            try:
                client.write(b"".join(rng.choice(pieces) for _ in range(rng.randrange(1, 30))))
                if rng.random() < 0.5:
                    client.sock.shutdown(socket.SHUT_WR)
                    client.wait_closed()
            except (Closed, OSError):
                pass
            client.close()
        wait_clients(watcher, 1)


# ---- too many peers
def too_many_clients(backend, seed):
    with Server(backend, ["--maxclients", "50"]) as server:
        clients = [server.connect()]
        wait_clients(clients[0], 1)
        clients += [server.connect() for _ in range(49)]
        for client in clients:
            expect(client.call("PING").data == b"PONG", "within maxclients")
        for _ in range(30):
            with server.connect() as refused:
                got = refused.wait_closed()
                expect(got == b"-ERR max number of clients reached\r\n", "the refusal: %r" % got)
        expect(info(clients[0], "rejected_connections") == "30", "rejected_connections")
        for client in clients[1:]:
            client.close()
        wait_clients(clients[0], 1)
        with server.connect() as again:
            expect(again.call("PING").data == b"PONG", "after others have gone")
        clients[0].close()


def descriptors_end(backend, seed):
    with Server(backend) as server, server.connect() as watcher:
        pid = server.process.pid
        used = len(os.listdir("/proc/%d/fd" % pid))
        # Ten more, while maxclients promises thousands.
        soft, hard = resource.prlimit(pid, resource.RLIMIT_NOFILE)
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (used + 10, hard))
        # io_uring asks for the limit when accepting is armed: listening anew arms it.
        expect(watcher.call("CONFIG", "SET", "bind", "127.0.0.1 -::1").data == b"OK", "listening anew")
        others = []
        for _ in range(40):
            client = server.connect()
            others.append(client)
        for _ in range(5):
            expect(watcher.call("PING").data == b"PONG", "those who are connected are not served")
        wait_for(lambda: int(info(watcher, "connected_clients")) >= 8, "the last descriptors are used")
        count = len(re.findall(r"(?i)descriptors|too many open files", server.log()))
        expect(0 < count < 10, "the log says it %d times: %s" % (count, server.log()[-1000:]))
        for client in others:
            client.close()
        wait_clients(watcher, 1)
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (soft, hard))
        with server.connect() as again:
            expect(again.call("PING").data == b"PONG", "accepting has not recovered")


# ---- memory ends
def memory_ends(backend, seed):
    if is_sanitized():
        raise Skip("the sanitizer's own memory is part of the address space")
    with Server(backend) as server, server.connect() as watcher, server.connect() as client:
        fill(watcher, 1, 1000)
        pid = server.process.pid
        resource.prlimit(pid, resource.RLIMIT_AS, (vm_bytes(pid) + 96 * MB,) * 2)
        reply = client.call("SETRANGE", "k", "400000000", "x")
        expect(reply.kind == "-" and reply.data.startswith(b"OOM"), "SETRANGE: " + show(reply)[:200])
        expect(client.call("EXISTS", "k").data == 0, "half a value is there")
        try:
            client.write(b"*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$400000000\r\n")
            for _ in range(400):
                client.write(b"x" * 1000000)
            client.write(b"\r\n")
            reply = client.read()
            expect(reply.kind == "-", "a SET without memory: " + show(reply)[:100])
        except Closed:
            pass
        expect(watcher.call("GET", "big0").data == b"x" * 1000, "others are not served")
        expect(watcher.call("SET", "after", "1").data == b"OK", "small requests still have memory")
        reply = watcher.call("APPEND", "big0", "y" * 1000)
        expect(reply.data == 2000, show(reply))


def memory_ends_for_copies(backend, seed):
    if is_sanitized():
        raise Skip("the sanitizer's own memory is part of the address space")
    with Server(backend) as server, server.connect() as client:
        fill(client, 1, 60 * MB)
        pid = server.process.pid
        resource.prlimit(pid, resource.RLIMIT_AS, (vm_bytes(pid) + 48 * MB,) * 2)
        for request in (["COPY", "big0", "copy"], ["APPEND", "big0", "x"], ["SETRANGE", "big0", str(200 * MB), "x"]):
            reply = client.call(*request)
            expect(reply.kind in "-:", "%s: %s" % (request[0], show(reply)[:100]))
            expect(client.call("PING").data == b"PONG", "the server lives after " + request[0])
        expect(client.call("STRLEN", "big0").data >= 60 * MB, "the value is damaged")


# ---- kernels that refuse
def without_uring(backend, seed):
    for call in ("io_uring_setup", "io_uring_enter", "io_uring_register"):
        with Server("auto", binary=harness.SERVER, preexec=lambda: refuse_calls([call])) as server, server.connect() as client:
            expect(info(client, "multiplexing_api") == "epoll", "%s refused: %s" % (call, info(client, "multiplexing_api")))
            lines = [line for line in server.log().splitlines() if "epoll" in line]
            expect(len(lines) == 1, "the log: %s" % lines)
            expect("since" in lines[0], lines[0])
    try:
        Server("io_uring", preexec=lambda: refuse_calls(["io_uring_setup"])).kill()
        expect(False, "net-backend io_uring started without io_uring")
    except harness.Trouble as error:
        expect("io_uring" in str(error), str(error))


# ---- disks that end
def full_disk_for_the_log(backend, seed):
    with Server(backend, ["--logfile", "/dev/full"]) as server, server.connect() as client:
        for level in ("debug", "notice"):
            client.call("CONFIG", "SET", "loglevel", level)
        expect(client.call("SET", "k", "v").data == b"OK", "a full log stops the server")


def full_disk_for_the_config(backend, seed):
    folder = tempfile.mkdtemp(prefix="rondo-test-")
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", folder], stderr=subprocess.DEVNULL).returncode == 0
    try:
        if not mounted:
            raise Skip("mounting a small disk is not allowed")
        path = os.path.join(folder, "server.conf")
        with open(path, "w") as file:
            file.write("timeout 7\n")
        server = Server(backend, start=False)
        server.wrapper, server.binary = [server.binary, path], "--hz"
        server.command_line = lambda: server.wrapper + ["--port", str(server.port), "--net-backend", backend, "--bind", "127.0.0.1"]
        with server.start(), server.connect() as client:
            with open(os.path.join(folder, "filler"), "wb", buffering=0) as filler:
                try:
                    while filler.write(b"x" * 4096):
                        pass
                except OSError:
                    pass
            client.call("CONFIG", "SET", "timeout", "9")
            reply = client.call("CONFIG", "REWRITE")
            expect(reply.kind == "-", "CONFIG REWRITE on a full disk: " + show(reply))
            with open(path) as file:
                expect(file.read() == "timeout 7\n", "the old file has changed")
            left = sorted(os.listdir(folder))
            expect(left == ["filler", "server.conf"], "left behind: %s" % left)
            os.unlink(os.path.join(folder, "filler"))
            reply = client.call("CONFIG", "REWRITE")
            expect(reply.data == b"OK", "with room again: " + show(reply))
    finally:
        if mounted:
            subprocess.run(["umount", "-l", folder])
        shutil.rmtree(folder, ignore_errors=True)


# ---- the end comes in the middle of work
def terminated_under_load(backend, seed):
    server = Server(backend)
    stop, troubles, counts = threading.Event(), [], []

    def load():
        """Pipelines until the end of the file, which must not come within a reply."""
        try:
            client = server.connect()
        except OSError:
            return
        try:
            while not stop.is_set():
                client.calls([["SET", "k", "x" * 100], ["GET", "k"], ["INCR", "n"]] * 20)
                counts.append(1)
        except Closed:
            rest = bytes(client.buffer[client.at:])
            if rest and not rest.startswith((b"+", b"$", b":", b"-")):
                troubles.append("cut: %r" % rest[:50])
        except Exception as error:  # whatever it is, the test must hear of it
            troubles.append("%s: %s" % (type(error).__name__, error))
        finally:
            client.close()

    threads = [threading.Thread(target=load, daemon=True) for _ in range(8)]
    try:
        for thread in threads:
            thread.start()
        wait_for(lambda: len(counts) > 50, "the load runs")
        server.stop()  # SIGTERM; it must exit with 0
        stop.set()
        for thread in threads:
            thread.join(harness.WAIT_S)
        expect(not troubles, "\n".join(troubles[:5]))
    finally:
        server.kill()


def terminated_with_everything_open(backend, seed):
    """Idle, monitoring, paused, slow, half a request, waiting to be closed: all at once at the end."""
    server = Server(backend)
    clients = [server.connect() for _ in range(5)]
    try:
        fill(clients[0], 1, 3 * MB)
        slow = server.connect(receive_bytes=4096)
        clients.append(slow)
        slow.write(encode(["GET", "big0"]) * 10)
        clients[1].call("MONITOR")
        clients[2].write(b"*2\r\n$3\r\nGET\r\n$100\r\nhalf")
        clients[3].send("CLIENT", "REPLY", "OFF")
        clients[0].call("CLIENT", "PAUSE", "100000", "WRITE")
        clients[4].send("SET", "k", "v")
        expect(clients[0].call("PING").data == b"PONG", "before the end")
        server.stop()
    finally:
        for client in clients:
            client.close()
        server.kill()


# ---- memory given back
def no_leak(backend, seed):
    """A session of nearly everything, ended cleanly: a sanitized server reports what is left (Server.stop looks)."""
    if not is_sanitized():
        raise Skip("only the sanitized build can tell")
    with Server(backend, ["--slowlog-log-slower-than", "0", "--latency-monitor-threshold", "1"]) as server:
        for protocol in (2, 3):
            with server.connect(protocol) as client:
                for words in LEAK_REQUESTS:
                    client.send(*[word.strip('"') for word in words.split()])
                    client.read()
        with server.connect() as client:
            fill(client, 5, 100000)
            client.write(encode(["GET", "big0"]) * 30)
            client.sock.recv(10)


LEAK_REQUESTS = """SET k v|SET k v EX 100|GET k|GETSET k 5|INCR k|INCRBYFLOAT k 1.5|APPEND k x|SETRANGE k 10 y|GETRANGE k 0 -1|MSET a 1 b 2
MGET a b c|MSETNX c 1|LCS a b IDX|DEL a b|COPY k d|RENAME k e|MOVE d 1|EXPIRE e 100|PERSIST e|KEYS *|SCAN 0|RANDOMKEY|OBJECT ENCODING e
CLIENT SETNAME me|CLIENT LIST|CLIENT INFO|CLIENT SETINFO LIB-NAME x|CLIENT NO-EVICT on|COMMAND|COMMAND DOCS|COMMAND INFO get|COMMAND LIST
CONFIG GET *|CONFIG SET hz 20|CONFIG SET requirepass x|CONFIG SET requirepass ""|INFO everything|MEMORY STATS|MEMORY DOCTOR|SLOWLOG GET
SLOWLOG GET -1|LATENCY LATEST|LATENCY HISTOGRAM|LATENCY DOCTOR|DEBUG SLEEP 0.002|LATENCY GRAPH command|SELECT 3|SET x y|SWAPDB 3 4
FLUSHDB ASYNC|SET y z PX 1|NONSENSE|GET|PING|ECHO x|HELLO 3|RESET|SET q 1|FLUSHALL""".replace("\n", "|").split("|")

EVERYWHERE = [reset_in_request, reset_in_reply, killed_with_bytes_in_flight, overwritten_while_sent, slow_reader_is_cut, soft_limit,
              slow_reader_without_limit, slow_reader_is_not_idle, many_slow_readers, query_buffer_limit, nonsense, too_many_clients, descriptors_end,
              terminated_under_load, terminated_with_everything_open, no_leak]
ONCE = [memory_ends, memory_ends_for_copies, full_disk_for_the_log, full_disk_for_the_config]
URING = [without_uring]


def run(report, function, backend, seed):
    name = "fault/%s (%s)" % (function.__name__.replace("_", " "), backend)
    try:
        function(backend, seed)
    except Skip as why:
        report.skip(name, why)
    except (AssertionError, Closed, Timeout, harness.Trouble, OSError, ValueError, AttributeError, TypeError) as error:
        report.fail(name, "%s: %s" % (type(error).__name__, error))
    else:
        report.ok(name)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--backend", action="append")
    parser.add_argument("word", nargs="*")
    options = parser.parse_args()
    report, seed = Report(), harness.seed()
    print("# seed %d" % seed)
    usable, refused = harness.backends()
    for backend, why in refused:
        report.skip("faults on %s" % backend, why)
    usable = [backend for backend in usable if backend in (options.backend or usable)]
    for backend in usable:
        functions = EVERYWHERE + (ONCE if backend == usable[0] else []) + (URING if backend == "io_uring" else [])
        for function in functions:
            if not options.word or any(word in function.__name__ for word in options.word):
                run(report, function, backend, seed)
    return report.status()


if __name__ == "__main__":
    sys.exit(main())
