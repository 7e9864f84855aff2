"""What the tests of the whole server share: starting and ending it, and speaking RESP to it with nothing lost of a reply's type.

A reply is a Value: `kind` is RESP's own first byte ("+", "-", ":", "$", "*", "_", "%", "~", ">", ",", "#", "=", "(", "|"), `data` is
bytes, an int, None, or a list of Values; of a map it is the flat list. Nulls of RESP2 keep their kind with data None.

    with Server(backend="epoll") as server:
        client = server.connect()
        client.call("SET", "k", "v")            # Value("+", b"OK")

Environment: RONDO_SERVER is the binary (build/rondo-server), RONDO_TEST_SEED the seed of random tests, RONDO_BACKENDS a list of
backends to keep to.
"""
import collections
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get("RONDO_BUILD", os.path.join(SOURCE, "build"))
SERVER = os.environ.get("RONDO_SERVER", os.path.join(BUILD, "rondo-server"))
BACKENDS = ("io_uring", "epoll", "kqueue")
WAIT_S = 10.0  # for whatever must happen; a test that waits so long has failed
REPORTS = re.compile(r"ERROR: \w+Sanitizer|runtime error:|SUMMARY: \w+Sanitizer|^==\d+== (?!Memcheck|Copy|Using|Command)", re.M)

Value = collections.namedtuple("Value", "kind data")
AGGREGATES = "*%~>|"


class Closed(Exception):
    """The server ended the connection."""


class Timeout(Exception):
    """What should have come did not."""


class Trouble(Exception):
    """The server did not start, did not end well, or reported an error of its memory."""


def seed():
    """The seed of this run: printed by whoever uses it."""
    return int(os.environ.get("RONDO_TEST_SEED") or random.SystemRandom().randrange(1 << 32))


def encode(words):
    """One request, as an array of bulk strings."""
    out = [b"*%d\r\n" % len(words)]
    for word in words:
        if not isinstance(word, bytes):
            word = str(word).encode("utf-8", "surrogateescape")
        out.append(b"$%d\r\n%s\r\n" % (len(word), word))
    return b"".join(out)


def show(value):
    """A reply in the notation of the transcripts."""
    kind, data = value
    if data is None:
        return "nil*" if kind == "*" else "nil"
    if kind in AGGREGATES:
        opening, closing = {"*": ("[", "]"), "%": ("{", "}"), "~": ("set[", "]"), ">": ("push[", "]"), "|": ("attr{", "}")}[kind]
        return opening + " ".join(show(item) for item in data) + closing
    if kind == ":":
        return str(data)
    if kind == "#":
        return "#t" if data else "#f"
    if kind in "+-,(":
        return kind + data.decode("latin-1")
    if kind == "=":
        return "=" + data[:3].decode("latin-1") + quote(data[4:])
    return quote(data)


def quote(data):
    out = []
    for byte in data:
        char = chr(byte)
        if char in '"\\':
            out.append("\\" + char)
        elif char in "\r\n\t":
            out.append({"\r": "\\r", "\n": "\\n", "\t": "\\t"}[char])
        else:
            out.append(char if 32 <= byte < 127 else "\\x%02x" % byte)
    return '"' + "".join(out) + '"'


class Client:
    """One connection. Reading waits for a whole reply, WAIT_S at most."""

    def __init__(self, sock, protocol=2):
        self.sock, self.protocol = sock, protocol
        self.buffer, self.at = bytearray(), 0
        sock.settimeout(WAIT_S)
        if protocol == 3:
            reply = self.call("HELLO", "3")
            if reply.kind == "-":
                raise Trouble("HELLO 3: " + show(reply))

    def close(self):
        self.sock.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def write(self, data):
        try:
            self.sock.sendall(data)
        except socket.timeout:
            raise Timeout("the server takes no more bytes")
        except OSError as error:
            raise Closed(str(error))

    def send(self, *words):
        self.write(encode(words))

    def call(self, *words):
        self.send(*words)
        return self.read()

    def calls(self, requests):
        """All of them in one pipeline; requests and replies that together fill the sockets would stand still."""
        self.write(b"".join(encode(request) for request in requests))
        return [self.read() for _ in requests]

    def wait_until(self, condition, *words):
        """Calls until the reply is as wanted."""
        deadline = time.monotonic() + WAIT_S
        while True:
            reply = self.call(*words)
            if condition(reply):
                return reply
            if time.monotonic() > deadline:
                raise Timeout("%s still answers %s" % (" ".join(map(str, words)), show(reply)))
            time.sleep(0.002)

    # -- reading
    def _fill(self):
        try:
            data = self.sock.recv(1 << 18)
        except socket.timeout:
            raise Timeout("no reply")
        except OSError as error:
            raise Closed(str(error))
        if not data:
            raise Closed("end of file")
        if self.at:
            del self.buffer[:self.at]
            self.at = 0
        self.buffer += data

    def _line(self):
        start = self.at
        while True:
            end = self.buffer.find(b"\r\n", start)
            if end >= 0:
                line = bytes(self.buffer[self.at:end])
                self.at = end + 2
                return line
            seen = len(self.buffer) - self.at
            self._fill()
            start = self.at + max(0, seen - 1)

    def _bytes(self, count):
        while len(self.buffer) - self.at < count + 2:
            self._fill()
        data = bytes(self.buffer[self.at:self.at + count])
        if self.buffer[self.at + count:self.at + count + 2] != b"\r\n":
            raise Trouble("no line end after %d bytes" % count)
        self.at += count + 2
        return data

    def read(self):
        line = self._line()
        kind, rest = chr(line[0]) if line else "", line[1:]
        if kind in ("+", "-", ",", "("):
            return Value(kind, rest)
        if kind == ":":
            return Value(kind, int(rest))
        if kind == "#":
            return Value(kind, {b"t": True, b"f": False}[rest])
        if kind == "_":
            return Value(kind, None)
        if kind in ("$", "="):
            return Value(kind, None if rest == b"-1" else self._bytes(int(rest)))
        if kind and kind in AGGREGATES:
            count = int(rest)
            if count < 0:
                return Value(kind, None)
            return Value(kind, [self.read() for _ in range(count * 2 if kind in "%|" else count)])
        raise Trouble("not RESP: %r" % line[:100])

    def left_over(self):
        """Bytes that came and were not read; does not wait."""
        self.sock.setblocking(False)
        try:
            self.buffer += self.sock.recv(1 << 18)
        except OSError:
            pass
        finally:
            self.sock.settimeout(WAIT_S)
        return bytes(self.buffer[self.at:])

    def wait_closed(self):
        """Returns what came before the end."""
        while True:
            try:
                self._fill()
            except Closed:
                return bytes(self.buffer[self.at:])


def free_port():
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    """A server of ours on a free port, in a folder of its own. `backend` None: another server than Rondo.

    options: a list of words added to the command line. wrapper: words in front of it (valgrind, a helper that limits something).
    ends_well: at the end it must exit with 0 and have reported nothing wrong with its memory."""

    def __init__(self, backend="epoll", options=(), binary=None, wrapper=(), env=None, ends_well=True, preexec=None, start=True):
        self.backend, self.options, self.wrapper = backend, list(options), list(wrapper)
        self.binary = binary or binary_of(backend)
        self.env, self.ends_well, self.preexec = env, ends_well, preexec
        self.process, self.folder = None, tempfile.mkdtemp(prefix="rondo-test-")
        self.log_path = os.path.join(self.folder, "log")
        if start:
            try:
                self.start()
            except BaseException:
                self.kill()
                raise

    def command_line(self):
        words = self.wrapper + [self.binary, "--port", str(self.port), "--bind", "127.0.0.1", "--dir", self.folder]
        given = set(word for word in self.options if word.startswith("--"))
        defaults = [("--enable-debug-command", "yes"), ("--save", ""), ("--appendonly", "no")]
        if self.backend:
            defaults = defaults[:1] + [("--net-backend", self.backend)]
        for name, value in defaults:
            if name not in given:
                words += [name, value]
        return words + self.options

    def start(self):
        for attempt in range(5):
            self.port = free_port()
            with open(self.log_path, "ab") as log:
                self.process = subprocess.Popen(self.command_line(), stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                                env=dict(os.environ, **(self.env or {})), cwd=self.folder,
                                                preexec_fn=self.preexec)
            if self._wait_started():
                return self
        raise Trouble("no free port: " + self.log())

    def _wait_started(self):
        """False when somebody else took the port meanwhile."""
        deadline = time.monotonic() + 4 * WAIT_S
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                if "in use" in self.log():
                    return False
                raise Trouble("the server ended with %s: %s" % (self.process.returncode, self.log()[-3000:]))
            try:
                with socket.create_connection(("127.0.0.1", self.port), timeout=WAIT_S) as probe:
                    probe.sendall(encode(["PING"]))
                    if probe.recv(100)[:1] in (b"+", b"-"):
                        return True
            except OSError:
                pass
            time.sleep(0.005)
        raise Trouble("the server does not answer: " + self.log()[-3000:])

    def connect(self, protocol=2, receive_bytes=None):
        sock = socket.socket()
        if receive_bytes:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
        sock.settimeout(WAIT_S)
        sock.connect(("127.0.0.1", self.port))
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return Client(sock, protocol)

    def log(self):
        try:
            with open(self.log_path, errors="replace") as file:
                return file.read()
        except FileNotFoundError:
            return ""

    def wait_log(self, pattern):
        """Waits for a line of the log that matches."""
        deadline = time.monotonic() + WAIT_S
        while not re.search(pattern, self.log(), re.M):
            if time.monotonic() > deadline:
                raise Timeout("the log says nothing like %s:\n%s" % (pattern, self.log()[-2000:]))
            time.sleep(0.005)

    def alive(self):
        return self.process is not None and self.process.poll() is None

    def wait_ended(self, limit_s=3 * WAIT_S):
        """The exit status, once it ends by itself."""
        try:
            return self.process.wait(limit_s)
        except subprocess.TimeoutExpired:
            raise Timeout("the server does not end")

    def stop(self):
        """SIGTERM, and the proof that it ended well. Keeps the folder."""
        if self.process is None:
            return
        if self.alive():
            self.process.send_signal(signal.SIGTERM)
        try:
            status = self.wait_ended()
        except Timeout:
            self.process.kill()
            self.process.wait()
            raise
        self.process = None
        found = REPORTS.search(self.log())
        if self.ends_well and (status != 0 or found):
            log = self.log()
            raise Trouble("the server ended with %s: %s" % (status, log[max(0, found.start() - 200) if found else -3000:][:6000]))

    def kill(self):
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.process = None
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        try:
            if kind is None:
                self.stop()
        finally:
            self.kill()


def binary_of(backend):
    """kqueue on Linux is a binary of its own, with the emulation in it."""
    if backend == "kqueue" and os.uname().sysname == "Linux":
        return SERVER + "-kqueue"
    return SERVER


def backends():
    """(usable, [(backend, why not)]) of this build and machine."""
    wanted = (os.environ.get("RONDO_BACKENDS") or " ".join(BACKENDS)).replace(",", " ").split()
    usable, refused = [], []
    for backend in wanted:
        if not os.path.exists(binary_of(backend)):
            refused.append((backend, "%s is not built" % os.path.basename(binary_of(backend))))
            continue
        try:
            with Server(backend):
                usable.append(backend)
        except Trouble as error:
            lines = [line for line in str(error).splitlines() if "net" in line.lower() or "backend" in line.lower()]
            refused.append((backend, (lines or str(error).splitlines())[-1]))
    return usable, refused


class Report:
    """Prints one line a test and keeps count."""

    def __init__(self):
        self.passed = self.failed = 0

    def ok(self, name):
        self.passed += 1
        print("ok " + name, flush=True)

    def fail(self, name, why=""):
        self.failed += 1
        for line in str(why).splitlines():
            print("# " + line)
        print("not ok " + name, flush=True)

    def skip(self, name, why):
        print("skip %s: %s" % (name, why), flush=True)

    def run(self, name, function, *args):
        """Runs one test; whatever it raises is its failure."""
        try:
            function(*args)
        except (AssertionError, Closed, Timeout, Trouble, OSError, ValueError, KeyError, IndexError) as error:
            self.fail(name, "%s: %s" % (type(error).__name__, error))
            return False
        self.ok(name)
        return True

    def status(self):
        return 1 if self.failed or not self.passed else 0


def expect(condition, why=""):
    """An assertion that stays with -O."""
    if not condition:
        raise AssertionError(why)
