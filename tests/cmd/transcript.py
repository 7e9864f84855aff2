"""The transcripts' format: FAMILY.t files of named tests, each a conversation with the server.

    # a comment
    test SET with EX                    begins a test: empty databases, new connections
    > SET k v EX 10                     sends it on the connection "main"
    < +OK                               the reply that must come
    a> GET k                            another connection, made when it is first named
    a< "v"
    a>> BLPOP l 0                       sends without a reply to be read before the next line (also: pipelines)
    a?> TTL k                           again and again until the reply is the one below, or time is up
    <2 ["a" "1"]                        only in RESP2; <3 only in RESP3
    <                                   a reply goes on over lines until it is complete

Words of a request are as in redis-cli: bare, 'single' or "double" quoted with \\n \\xff; a quoted word may be followed by *N, which
repeats it. $name puts in what was captured, $now_s, $now_ms the clock, $now_s+100 more of it, $port, $folder, $addr_NAME the
address from which a connection comes; not in single quotes.

Replies expected:
    +OK   -ERR text to the end of the line   -"text in quotes"   12   7..9   "bulk"   nil   nil* (null array)   ,1.5 (double)
    #t #f (boolean; 1 and 0 in RESP2)   =txt"verbatim"   (123 (big number)
    [a b c]  {k v k v} (map; flat array in RESP2)  set[a b]  push[a b] (arrays in RESP2)
    any[a b]  elements in any order       each[m]  every element matches m       [a b ...]  {k v ...}  and whatever else, a map's
    pairs then in any order               ?  anything    :?  an integer          ?name  anything, captured    m|m  either
    /regex/  a bulk string that matches as a whole; +/regex/ -/regex/ ,/regex/ =txt/regex/ likewise; :/regex/ an integer's digits
    has(/regex/ /regex/)  a string in which each is found, line by line; hasnot(/regex/)
In RESP2, what RESP3 has more is expected as the older type, by Redis's rules.

Directives, before the first test for the whole file, within a test for it alone:
    !args WORDS...          a server of its own with these options
    !protocol 2|3           the test is only for that protocol; !connect NAME [2|3|none] connects; none: without HELLO
    !backend NAME...        only with these backends          !own          not run against other servers: differs on purpose
    !needs COMMAND...       skipped while the server does not have them        !todo WHY   skipped: what the server cannot do yet
    !raw NAME "bytes"       sends these bytes                 !closed NAME  the connection ends; !close NAME ends it
    !silent NAME            nothing comes on it for a moment  !ended STATUS the server ends by itself
    !start                  starts the server again, after !ended
"""
import collections
import re
import select
import time

from harness import WAIT_S, Value, encode, show

SILENT_S = 0.03
Step = collections.namedtuple("Step", "line kind conn protocol argument")
LINE = re.compile(r"([A-Za-z_]\w*)?(\?>|>>|>|<)([23]?)(?: (.*)|)$")


class BadTranscript(Exception):
    """The file itself is wrong."""


class Mismatch(Exception):
    """The server answered something else."""


# ---- words of requests
ESCAPES = {"n": b"\n", "r": b"\r", "t": b"\t", "a": b"\a", "b": b"\b"}


def read_quoted(text, at):
    """The bytes between the quote at `at` and its end, and the place after it."""
    quote, out = text[at], bytearray()
    at += 1
    while at < len(text) and text[at] != quote:
        char = text[at]
        if char == "\\" and quote == '"':
            found = re.compile(r"\\x([0-9a-fA-F]{2})").match(text, at)
            if found:
                out.append(int(found.group(1), 16))
                at = found.end()
                continue
            at += 1
            out += ESCAPES.get(text[at], text[at].encode())
        elif char == "\\" and text[at + 1] == "'":
            at += 1
            out += b"'"
        else:
            out += char.encode()
        at += 1
    if at >= len(text):
        raise BadTranscript("no closing quote: " + text)
    return bytes(out), at + 1


def repeated(data, text, at):
    found = re.compile(r"\*(\d+)").match(text, at)
    return (data * int(found.group(1)), found.end()) if found else (data, at)


def split_words(text, lookup):
    """A line as the words of a request; `lookup` gives the values of $names."""
    words, at = [], 0
    while True:
        while at < len(text) and text[at] == " ":
            at += 1
        if at >= len(text):
            return words
        if text[at] in "\"'":
            single = text[at] == "'"
            data, at = read_quoted(text, at)
            data, at = repeated(data, text, at)
            words.append(data if single else put_in(data, lookup))
        else:
            end = text.find(" ", at)
            end = len(text) if end < 0 else end
            words.append(put_in(text[at:end].encode(), lookup))
            at = end


def leave(name, more):
    return b"$" + name.encode() + (more or b"")


def put_in(data, lookup):
    return re.sub(rb"\$([a-z]\w*)([+-]\d+)?", lambda m: lookup(m.group(1).decode(), m.group(2)), data)


# ---- expected replies
Pattern = collections.namedtuple("Pattern", "kind data name")


class ExpectationReader:
    """Recursive descent over the notation. Raises Incomplete when the text ends within a reply."""

    class Incomplete(Exception):
        pass

    def __init__(self, text):
        self.text, self.at = text, 0

    def skip(self):
        while self.at < len(self.text) and self.text[self.at] in " \n":
            self.at += 1

    def whole(self):
        self.skip()
        head = self.text[self.at:self.at + 2]
        if head[:1] == "-" and head[1:] not in ('"', "/") and not head[1:].isdigit():
            return Pattern("error", self.text[self.at + 1:].strip().encode(), None)
        pattern = self.item()
        self.skip()
        if self.at < len(self.text):
            raise BadTranscript("more after the reply: " + self.text[self.at:])
        return pattern

    def item(self):
        pattern = self.single()
        while self.text[self.at:self.at + 1] == "|":
            self.at += 1
            pattern = Pattern("either", (pattern, self.single()), None)
        return pattern

    def single(self):
        self.skip()
        text, at = self.text, self.at
        if at >= len(text):
            raise self.Incomplete()
        for opening, kind, closing in (("[", "array", "]"), ("{", "map", "}"), ("set[", "set", "]"), ("push[", "push", "]"),
                                       ("any[", "any", "]"), ("each[", "each", "]"), ("has(", "has", ")"),
                                       ("hasnot(", "hasnot", ")")):
            if text.startswith(opening, at):
                self.at += len(opening)
                return Pattern(kind, self.items(closing), None)
        if text[at] == '"':
            data, self.at = read_quoted(text, at)
            data, self.at = repeated(data, text, self.at)
            return Pattern("bulk", data, None)
        if text[at] == "/":
            return Pattern("regex", self.regex(), "$")
        if text[at] in "+-,:(" and text[at + 1:at + 2] in ("/", '"'):
            return self.prefixed(text[at])
        if text[at] == "=":
            self.at += 4
            return Pattern("verbatim", self.item(), text[at + 1:at + 4])
        return self.word()

    def prefixed(self, prefix):
        self.at += 1
        if self.text[self.at] == "/":
            return Pattern("regex", self.regex(), prefix)
        data, self.at = read_quoted(self.text, self.at)
        return Pattern({"+": "status", "-": "error", ",": "double", "(": "big"}[prefix], data, None)

    def regex(self):
        found = re.compile(r"/((?:\\.|[^/\\])*)/").match(self.text, self.at)
        if not found:
            raise BadTranscript("no closing /: " + self.text[self.at:])
        self.at = found.end()
        return found.group(1).replace("\\/", "/").encode()

    def word(self):
        found = re.compile(r"[^\s\[\]{}()|]+").match(self.text, self.at)
        if not found:
            raise BadTranscript("what is this? " + self.text[self.at:])
        word = found.group()
        self.at = found.end()
        simple = {"nil": "null", "nil*": "null_array", "...": "rest", "?": "anything", ":?": "integer"}
        if word in simple:
            return Pattern(simple[word], None, None)
        if word[0] == "?":
            return Pattern("anything", None, word[1:])
        if word[:2] == ":?":
            return Pattern("integer", None, word[2:])
        if word in ("#t", "#f"):
            return Pattern("bool", word == "#t", None)
        if word[0] == "+":
            return Pattern("status", word[1:].encode(), None)
        if word[0] in ",(":
            return Pattern("double" if word[0] == "," else "big", word[1:].encode(), None)
        found = re.match(r"(-?\d+)\.\.(-?\d+)$", word)
        if found:
            return Pattern("range", (int(found.group(1)), int(found.group(2))), None)
        if re.match(r"-?\d+$", word):
            return Pattern("number", int(word), None)
        if word[0] == "$":
            return Pattern("captured", word[1:], None)
        raise BadTranscript("what is this? " + word)

    def items(self, closing):
        out = []
        while True:
            self.skip()
            if self.at >= len(self.text):
                raise self.Incomplete()
            if self.text[self.at] == closing:
                self.at += 1
                return out
            out.append(self.item())


class Matcher:
    """Compares a reply with a pattern; `captured` gets what is named in it."""

    def __init__(self, protocol, captured):
        self.protocol, self.captured = protocol, captured

    def matches(self, pattern, value):
        return getattr(self, "is_" + pattern.kind)(pattern, value)

    def kind(self, resp3, resp2):
        return resp3 if self.protocol == 3 else resp2

    def keep(self, name, value):
        if name:
            data = value.data
            self.captured[name] = str(data).encode() if isinstance(data, int) else data
        return True

    def is_anything(self, pattern, value):
        return self.keep(pattern.name, value)

    def is_integer(self, pattern, value):
        return value.kind == ":" and self.keep(pattern.name, value)

    def is_either(self, pattern, value):
        return any(self.matches(each, value) for each in pattern.data)

    def is_captured(self, pattern, value):
        data = self.captured[pattern.data]
        return data == (str(value.data).encode() if value.kind == ":" else value.data)

    def is_number(self, pattern, value):
        return value == (":", pattern.data)

    def is_range(self, pattern, value):
        return value.kind == ":" and pattern.data[0] <= value.data <= pattern.data[1]

    def is_bulk(self, pattern, value):
        return value == ("$", pattern.data)

    def is_status(self, pattern, value):
        return value == ("+", pattern.data)

    def is_error(self, pattern, value):
        return value == ("-", pattern.data)

    def is_null(self, pattern, value):
        return value == (self.kind("_", "$"), None)

    def is_null_array(self, pattern, value):
        return value == (self.kind("_", "*"), None)

    def is_bool(self, pattern, value):
        return value == (("#", pattern.data) if self.protocol == 3 else (":", int(pattern.data)))

    def is_double(self, pattern, value):
        return value == (self.kind(",", "$"), pattern.data)

    def is_big(self, pattern, value):
        return value == (self.kind("(", "$"), pattern.data)

    def is_regex(self, pattern, value):
        wanted = "$" if pattern.name == "," and self.protocol == 2 else pattern.name
        if value.kind != wanted or value.data is None:
            return False
        data = str(value.data).encode() if value.kind == ":" else value.data
        return re.fullmatch(pattern.data, data, re.S) is not None

    def is_verbatim(self, pattern, value):
        if self.protocol == 3:
            if value.kind != "=" or value.data[:4] != (pattern.name + ":").encode():
                return False
            value = Value("$", value.data[4:])
        return self.matches(pattern.data, value)

    def is_has(self, pattern, value):
        return value.kind in "$+=" and value.data is not None and all(
            re.search(each.data, value.data, re.M) for each in pattern.data)

    def is_hasnot(self, pattern, value):
        return value.kind in "$+=" and value.data is not None and not any(
            re.search(each.data, value.data, re.M) for each in pattern.data)

    # -- aggregates
    def in_order(self, patterns, items):
        if patterns and patterns[-1].kind == "rest":
            patterns = patterns[:-1]
            items = items[:len(patterns)]
        return len(patterns) == len(items) and all(map(self.matches, patterns, items))

    def is_list(self, kind, pattern, value):
        return value.kind == kind and value.data is not None and self.in_order(pattern.data, value.data)

    def is_array(self, pattern, value):
        return self.is_list("*", pattern, value)

    def is_push(self, pattern, value):
        return self.is_list(self.kind(">", "*"), pattern, value)

    def is_each(self, pattern, value):
        return value.kind in "*~" and value.data is not None and all(self.matches(pattern.data[0], v) for v in value.data)

    def is_any(self, pattern, value):
        return value.kind == "*" and value.data is not None and self.unordered(pattern.data, value.data)

    def is_set(self, pattern, value):
        return value.kind == self.kind("~", "*") and value.data is not None and self.unordered(pattern.data, value.data)

    def unordered(self, patterns, items):
        more = bool(patterns) and patterns[-1].kind == "rest"
        patterns, items = (patterns[:-1] if more else patterns), list(items)
        for pattern in patterns:
            found = next((i for i, item in enumerate(items) if self.matches(pattern, item)), None)
            if found is None:
                return False
            del items[found]
        return more or not items

    def is_map(self, pattern, value):
        if value.kind != self.kind("%", "*") or value.data is None:
            return False
        if not pattern.data or pattern.data[-1].kind != "rest":
            return self.in_order(pattern.data, value.data)
        pairs = list(zip(value.data[::2], value.data[1::2]))
        wanted = pattern.data[:-1]
        return all(any(self.matches(key, k) and self.matches(each, v) for k, v in pairs)
                   for key, each in zip(wanted[::2], wanted[1::2]))


# ---- files
class Test:
    def __init__(self, name, line):
        self.name, self.line, self.steps = name, line, []
        self.args, self.protocol, self.backends, self.own, self.needs, self.todo = [], None, None, False, [], ""


def directive(test, words, number):
    name, rest = words[0].decode(), [w.decode("latin-1") for w in words[1:]]
    if name == "args":
        test.args = rest
    elif name == "protocol":
        test.protocol = int(rest[0])
    elif name == "backend":
        test.backends = rest
    elif name == "own":
        test.own = True
    elif name == "todo":
        test.todo = " ".join(rest)
    elif name == "needs":
        test.needs = test.needs + rest
    elif name in ("connect", "raw", "closed", "close", "silent", "ended", "start"):
        test.steps.append(Step(number, name, rest[0] if rest else None, None, words[2:]))
    else:
        raise BadTranscript("line %d: !%s?" % (number, name))


def read_expectation(lines, at, conn, protocol, text):
    """A reply over as many lines as it takes; the index of its last line."""
    while True:
        try:
            return ExpectationReader(text).whole(), at
        except ExpectationReader.Incomplete:
            at += 1
            found = LINE.match(lines[at].rstrip("\n")) if at < len(lines) else None
            if not found or found.group(2) != "<" or (found.group(1) or "main") != conn or (found.group(3) or "") != protocol:
                raise BadTranscript("line %d: the reply is not complete" % at)
            text += "\n" + (found.group(4) or "")


def read_line(lines, at, test):
    line = lines[at].rstrip("\n")
    if not line.strip() or line.startswith("#"):
        return at
    if line.startswith("!"):
        directive(test, split_words(line[1:], leave), at + 1)
        return at
    found = LINE.match(line)
    if not found:
        raise BadTranscript("line %d: %s?" % (at + 1, line))
    conn, kind, protocol = found.group(1) or "main", found.group(2), found.group(3)
    start = at
    argument = found.group(4) or ""
    if kind == "<":
        argument, at = read_expectation(lines, at, conn, protocol, argument)
    test.steps.append(Step(start + 1, kind, conn, int(protocol) if protocol else None, argument))
    return at


def read_file(path):
    """The tests of a file."""
    with open(path) as file:
        lines = file.readlines()
    tests, defaults, at = [], Test("", 0), 0
    while at < len(lines):
        if lines[at].startswith("test "):
            test = Test(lines[at][5:].strip(), at + 1)
            test.args, test.protocol, test.own = list(defaults.args), defaults.protocol, defaults.own
            test.backends, test.needs = defaults.backends, defaults.needs
            tests.append(test)
        else:
            try:
                at = read_line(lines, at, tests[-1] if tests else defaults)
            except (BadTranscript, IndexError) as error:
                raise BadTranscript("%s:%d: %s" % (path, at + 1, error))
        at += 1
    names = [test.name for test in tests]
    if len(set(names)) != len(names):
        raise BadTranscript("%s: two tests of one name: %s" % (path, [n for n in names if names.count(n) > 1]))
    return tests


class Conversation:
    """One test run on one server in one protocol."""

    def __init__(self, test, server, protocol):
        self.test, self.server, self.protocol = test, server, protocol
        self.clients, self.unanswered, self.hello = {}, {}, {}
        self.captured = {"port": str(server.port).encode(), "folder": server.folder.encode()}

    def lookup(self, name, more):
        if name in ("now_s", "now_ms"):
            value = int(time.time() * (1000 if name == "now_ms" else 1)) + int(more or 0)
            return str(value).encode()
        if name.startswith("addr_") and name not in self.captured:
            return ("%s:%d" % self.client(name[5:]).sock.getsockname()).encode()
        if name not in self.captured:
            raise BadTranscript("$%s was never captured" % name)
        if more:
            return str(int(self.captured[name]) + int(more)).encode()
        return self.captured[name]

    def client(self, name):
        if name not in self.clients:
            self.clients[name] = self.server.connect(self.protocol)
        return self.clients[name]

    def run(self):
        steps = [s for s in self.test.steps if s.protocol in (None, self.protocol)]
        at = 0
        try:
            while at < len(steps):
                step = steps[at]
                try:
                    at += self.step(step, steps[at + 1:at + 2])
                except (Mismatch, BadTranscript, OSError) as error:
                    raise Mismatch("line %d: %s" % (step.line, error))
                except Exception as error:
                    raise Mismatch("line %d: %s: %s" % (step.line, type(error).__name__, error))
            self.check_left_over()
        finally:
            for client in self.clients.values():
                client.close()

    def step(self, step, following):
        """Does it; how many steps that were."""
        if step.kind == "?>":
            self.until(step, following[0])
            return 2
        {">": self.ask, ">>": self.ask, "<": self.hear, "connect": self.connect, "raw": self.raw, "closed": self.closed,
         "close": self.close, "silent": self.silent, "ended": self.ended, "start": self.start}[step.kind](step)
        return 1

    def ask(self, step):
        words = split_words(step.argument, self.lookup)
        client = self.client(step.conn)
        if step.kind == ">":
            if self.unanswered.get(step.conn):
                raise BadTranscript("the reply before was not read; >> sends without one")
            self.unanswered[step.conn] = True
        name = words[0].upper()
        if name == b"HELLO" and len(words) > 1 and words[1] in (b"2", b"3"):
            self.hello[step.conn] = int(words[1])
        elif name == b"RESET":
            self.hello[step.conn] = 2
        client.write(encode(words))

    def hear(self, step):
        client = self.client(step.conn)
        value = client.read()
        self.unanswered[step.conn] = False
        if step.conn in self.hello and value.kind != ">":
            protocol = self.hello.pop(step.conn)
            if value.kind != "-":
                client.protocol = protocol
        if not Matcher(client.protocol, self.captured).matches(step.argument, value):
            raise Mismatch("got %s" % show(value)[:600])

    def until(self, step, expected):
        client = self.client(step.conn)
        deadline = time.monotonic() + WAIT_S
        while True:
            value = client.call(*split_words(step.argument, self.lookup))
            if Matcher(client.protocol, self.captured).matches(expected.argument, value):
                return
            if time.monotonic() > deadline:
                raise Mismatch("for %d s the answer has been %s" % (WAIT_S, show(value)[:600]))
            time.sleep(0.002)

    def connect(self, step):
        word = step.argument[0] if step.argument else None
        protocol = {b"2": 2, b"3": 3, b"none": 2, None: self.protocol}[word]
        self.clients[step.conn] = self.server.connect(protocol)

    def raw(self, step):
        self.client(step.conn).write(b"".join(step.argument))

    def closed(self, step):
        rest = self.clients[step.conn].wait_closed()
        if rest:
            raise Mismatch("before the end came %r" % rest[:200])
        del self.clients[step.conn]

    def close(self, step):
        self.clients.pop(step.conn).close()
        self.unanswered.pop(step.conn, None)

    def silent(self, step):
        client = self.client(step.conn)
        if len(client.buffer) > client.at or select.select([client.sock], [], [], SILENT_S)[0]:
            raise Mismatch("not silent: %r" % client.left_over()[:200])
        self.unanswered[step.conn] = False

    def ended(self, step):
        status = self.server.wait_ended()
        if status != int(step.conn):
            raise Mismatch("the server ended with %d" % status)

    def start(self, step):
        self.server.process = None
        self.server.start()
        self.captured["port"] = str(self.server.port).encode()
        self.clients.clear()

    def check_left_over(self):
        for name, client in self.clients.items():
            left = client.left_over()
            if left:
                raise Mismatch("left unread on %s: %r" % (name, left[:500]))
