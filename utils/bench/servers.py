"""Starting servers for a measurement, pinned to a processor, and talking to them.

    kinds = find_kinds(build, names, peers)         # what there is to measure
    with Server(kind, cpu=0, limit_bytes=None) as server:
        server.call("CONFIG", "GET", "maxmemory")

Only one server works at a time: the others are stopped (SIGSTOP), so that not even their timers disturb it."""
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import tempfile
import time

START_S = 10.0
PEERS = ("redis-server", "valkey-server", "pogocache")
SCHED_CLOCK = 2  # the kind of a process's CPU clock, see clock_getcpuclockid(3)


class Trouble(Exception):
    """A server that does not start, or ends in mid-measurement."""


class ErrorReply(Exception):
    """The server answered with an error: its text."""


class Kind:
    """A server that can be measured: its name in tables, its command, and how a memory limit is given to it."""

    def __init__(self, name, command, style="redis", ours=False):
        self.name, self.command, self.style, self.ours = name, command, style, ours

    def words(self, port, limit_bytes, policy, extra):
        words = list(self.command)
        if any("%PORT%" in word for word in words):
            return [word.replace("%PORT%", str(port)) for word in words]
        if self.style == "pogocache":
            words += ["-p", str(port), "--threads", "1", "--maxconns", "4096"]
            return words + (["--maxmemory", "%dmb" % max(1, limit_bytes >> 20)] if limit_bytes else [])
        words += ["--port", str(port), "--bind", "127.0.0.1", "--save", "", "--maxclients", "4096"]
        words += [] if self.ours else ["--appendonly", "no"]
        if limit_bytes:
            words += ["--maxmemory", str(limit_bytes), "--maxmemory-policy", policy]
        return words + list(extra)

    def version(self):
        try:
            done = subprocess.run(self.command[:1] + ["--version"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  stdin=subprocess.DEVNULL, timeout=5, text=True)
        except (OSError, subprocess.TimeoutExpired):
            return "unknown"
        found = re.search(r"(\d+\.\d+[\w.+~-]*)", done.stdout)
        return found.group(1) if found else "unknown"


def find_program(name):
    """On the PATH, or in a folder of BENCH_PATH, which is searched first."""
    folders = [os.environ.get(variable, "") for variable in ("BENCH_PATH", "PATH")]
    return shutil.which(name, path=":".join(folder for folder in folders if folder))


def style_of(name):
    return "pogocache" if "pogocache" in name else "redis"


def find_peers(given):
    """PEERS that are installed, and NAME=COMMAND of the command line, which goes before them; NAME= leaves one out."""
    found = {}
    for name in PEERS:
        path = find_program(name)
        if path:
            found[name] = [path]
    for text in given:
        name, _, command = text.partition("=")
        found[name] = shlex.split(command)
    return [Kind(name, command, style_of(name)) for name, command in found.items() if command]


def find_kinds(build, backends, given, extra=()):
    binary = os.path.join(build, "rondo-server")
    ours = [Kind("rondo %s" % backend, [binary, "--net-backend", backend] + list(extra), ours=True) for backend in backends]
    return [kind for kind in ours if starts(kind)] + find_peers(given)


def starts(kind):
    """A backend that this kernel or this build refuses is left out, with its reason."""
    try:
        with Server(kind):
            return True
    except Trouble as why:
        print("left out: %s" % why, flush=True)
        return False


def cpu_ns(pid):
    """CPU time of a process: all threads, the kernel's workers and ended ones included."""
    return time.clock_gettime_ns(((~pid) << 3) | SCHED_CLOCK)


class Client:
    """A blocking client: simple, for preparing and asking, not for measuring."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        self.file = self.socket.makefile("rb")

    def close(self):
        self.file.close()
        self.socket.close()

    def call(self, *words):
        out = [b"*%d\r\n" % len(words)]
        for word in words:
            word = word if isinstance(word, bytes) else str(word).encode()
            out.append(b"$%d\r\n%s\r\n" % (len(word), word))
        self.socket.sendall(b"".join(out))
        return self.reply()

    def reply(self):
        line = self.file.readline()
        if not line.endswith(b"\r\n"):
            raise Trouble("the server closed the connection")
        kind, rest = line[:1], line[1:-2]
        if kind == b"-":
            raise ErrorReply(rest.decode("latin-1"))
        if kind == b":":
            return int(rest)
        if kind == b"$":
            return None if int(rest) < 0 else self.file.read(int(rest) + 2)[:-2].decode("latin-1")
        if kind == b"*":
            return None if int(rest) < 0 else [self.reply() for _ in range(int(rest))]
        return rest.decode("latin-1")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    """One running server, on one processor (a number), several (a set) or any. Its log lies in a folder of its own, which goes with it."""

    def __init__(self, kind, cpu=None, limit_bytes=None, policy="allkeys-lru", extra=(), port=None):
        self.kind, self.port = kind, port or free_port()
        self.folder = tempfile.mkdtemp(prefix="bench-")
        self.log = os.path.join(self.folder, "log")
        self.client = None
        words = kind.words(self.port, limit_bytes, policy, extra)
        cpus = cpu if isinstance(cpu, (set, type(None))) else {cpu}
        pin = (lambda: os.sched_setaffinity(0, cpus)) if cpus else None
        try:
            with open(self.log, "wb") as log:
                self.process = subprocess.Popen(words, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=log,
                                                stderr=subprocess.STDOUT, preexec_fn=pin, start_new_session=True)
        except OSError as error:
            shutil.rmtree(self.folder, ignore_errors=True)
            raise Trouble("%s: %s" % (kind.name, error)) from error
        self.pid = self.process.pid
        self.wait()

    def wait(self):
        deadline = time.monotonic() + START_S
        while time.monotonic() < deadline and self.process.poll() is None:
            try:
                self.client = Client(self.port)
                self.client.call("PING")
                return
            except (OSError, Trouble):
                time.sleep(0.02)
        text = self.log_end()
        self.stop()
        raise Trouble("%s does not start: %s" % (self.kind.name, text))

    def log_end(self):
        with open(self.log, errors="replace") as file:
            return " / ".join(file.read().splitlines()[-3:])

    def stop(self):
        if self.client:
            self.client.close()
            self.client = None
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGCONT)
            self.process.kill()
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def freeze(self):
        self.process.send_signal(signal.SIGSTOP)

    def thaw(self):
        self.process.send_signal(signal.SIGCONT)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def call(self, *words):
        return self.client.call(*words)

    def info(self, *sections):
        lines = self.call("INFO", *sections).split("\r\n")
        return dict(line.split(":", 1) for line in lines if ":" in line and not line.startswith("#"))

    def resident_bytes(self):
        with open("/proc/%d/statm" % self.pid) as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
