#!/usr/bin/env python3
# time-limit: 200
"""Random streams of requests to Rondo and to Debian's redis-server: the same replies, but for the differences in known.txt.

    test_differential.py [--seed N] [--count N] [--protocol N] [--backend NAME]

What differs is shortened to the requests that it takes, and shown. The reference is RONDO_REFERENCE or redis-server."""
import argparse
import os
import re
import shutil
import sys

FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(FOLDER, os.pardir, "cmd"))
sys.dont_write_bytecode = True

import harness
from generate import Generator, as_dict, text
from harness import Report, Server, Value, expect, show

BATCH, ROUND = 50, 1500  # requests in one pipeline; requests between two FLUSHALLs
COUNT = 80000            # of one backend and protocol, by default
SHOWN_MAX = 8            # differences shown in full
SHORTENING_RUNS = 200
TOLERANCE = {"ttl": 3, "pttl": 3000, "expiretime": 3, "pexpiretime": 3000}
UNORDERED = {"keys", "smembers", "sinter", "sunion", "sdiff", "hkeys", "hvals"}


class Known:
    """The lines of known.txt:  /request/  /theirs/  /ours/   all of each must match; reasons stand above them."""

    def __init__(self, path):
        self.rules = []
        with open(path) as file:
            for line in file:
                if line.strip() and not line.startswith("#"):
                    parts = re.findall(r"/((?:\\/|[^/])*)/", line)
                    if len(parts) != 3:
                        raise ValueError("known.txt: " + line)
                    self.rules.append([re.compile(part, re.S) for part in parts])

    def covers(self, request, theirs, ours):
        words = " ".join(str(word) for word in request)
        return any(r.fullmatch(words) and t.fullmatch(show(theirs)) and o.fullmatch(show(ours)) for r, t, o in self.rules)


def sorted_items(value):
    return Value(value.kind, sorted(value.data)) if value.kind in "*~" and value.data else value


def sorted_pairs(value):
    return Value(value.kind, [item for pair in sorted(zip(value.data[::2], value.data[1::2])) for item in pair])


def normal(request, value):
    """Without what the command leaves open."""
    name = request[0].lower()
    if name in UNORDERED:
        return sorted_items(value)
    if name.endswith("scan") and value.kind == "*":
        if "1000" not in request:
            return Value("*", [])
        items = value.data[1]
        paired = name in ("hscan", "zscan") and "novalues" not in [str(word).lower() for word in request]
        return Value("*", [value.data[0], sorted_pairs(items) if paired else sorted_items(items)])
    if name in ("hgetall", "config") and value.kind in "*%" and value.data:
        return sorted_pairs(value)
    return value


def scores(value):
    """The same double, however it is written: Redis 7.0 has 9.2233720368547758e+18 where Valkey has 9223372036854775808."""
    if value.kind in harness.AGGREGATES and value.data is not None:
        return Value(value.kind, [scores(item) for item in value.data])
    if value.kind in ",$" and value.data and re.fullmatch(rb"-?\d+(\.\d+)?(e[+-]?\d+)?", value.data):
        return Value(value.kind, float(value.data))
    return value


def same(request, theirs, ours):
    theirs, ours = normal(request, theirs), normal(request, ours)
    if theirs == ours or request[0][0] in "zZ" and scores(theirs) == scores(ours):
        return True
    if request[0].lower() == "dbsize" and theirs.kind == ours.kind == ":":
        return ours.data <= theirs.data  # a key set with a time in the past: Redis 7.0 counts it until it notices
    allowed = TOLERANCE.get(request[0].lower())
    return bool(allowed) and theirs.kind == ours.kind == ":" and min(theirs.data, ours.data) > 0 and (
        abs(theirs.data - ours.data) <= allowed)


class Pair:
    """Both servers, and a connection to each."""

    def __init__(self, reference, server, protocol, known):
        self.known = known
        self.theirs, self.ours = reference.connect(protocol), server.connect(protocol)

    def close(self):
        self.theirs.close()
        self.ours.close()

    def clear(self):
        for client in (self.theirs, self.ours):
            client.calls([["FLUSHALL"], ["SELECT", "0"], ["CLIENT", "SETNAME", ""], ["CLIENT", "NO-EVICT", "off"]])

    def run(self, requests):
        """The first index at which the replies differ in an unknown way, and both replies; or None."""
        for start in range(0, len(requests), BATCH):
            part = requests[start:start + BATCH]
            theirs, ours = self.theirs.calls(part), self.ours.calls(part)
            for i, (request, t, o) in enumerate(zip(part, theirs, ours)):
                if same(request, t, o):
                    continue
                if not self.known.covers(request, t, o):
                    return start + i, t, o
                if (t.kind == "-") != (o.kind == "-"):
                    self.clear()  # only one of them has done it: the rest of the pipeline says nothing
                    break
        return None

    def shorten(self, requests):
        """Leaves out whatever is not needed for the last one to differ."""
        runs, step = 0, max(1, len(requests) // 2)
        while step and runs < SHORTENING_RUNS:
            at = 0
            while at < len(requests) - 1 and runs < SHORTENING_RUNS:
                tried = requests[:at] + requests[min(at + step, len(requests) - 1):]
                runs += 1
                self.clear()
                found = self.run(tried)
                if found and tried[found[0]] == requests[-1]:
                    requests = tried[:found[0] + 1]
                else:
                    at += step
            step //= 2
        return requests


def show_difference(pair, requests, theirs, ours):
    short = pair.shorten(requests)
    lines = ["  " + " ".join(harness.quote(w.encode("utf-8", "surrogateescape")) for w in request) for request in short[-12:]]
    return "\n".join(lines + ["  theirs: " + show(theirs)[:300], "  ours:   " + show(ours)[:300]])


def compare_streams(pair, generator, count):
    """All differences, shortened, up to a bound; each round starts empty."""
    found, seen = [], set()
    while count > 0:
        requests = [generator.request() for _ in range(min(ROUND, count))]
        count -= len(requests)
        pair.clear()
        while requests:
            difference = pair.run(requests)
            if difference is None:
                break
            at, theirs, ours = difference
            kind = (requests[at][0].lower(), theirs.kind, ours.kind, show(theirs)[:60] if theirs.kind == "-" else "")
            if kind not in seen:
                seen.add(kind)
                found.append(show_difference(pair, requests[:at + 1], theirs, ours))
            if len(found) >= SHOWN_MAX:
                return found
            requests = requests[:at] + requests[at + 1:]
            pair.clear()
    return found


def shared_docs(reference, server):
    """What the reference says of the commands that both have."""
    with reference.connect() as theirs, server.connect() as ours:
        mine = {text(v.data) for v in ours.call("COMMAND", "LIST").data}
        docs = as_dict(theirs.call("COMMAND", "DOCS"))
    flat = []
    for name, value in sorted(docs.items()):
        if name not in mine:
            continue
        entry = as_dict(value)
        if "subcommands" in entry:
            subs = as_dict(entry["subcommands"])
            kept = [item for sub, v in subs.items() if sub in mine for item in (Value("$", sub.encode()), v)]
            entry["subcommands"] = Value("*", kept)
        flat += [Value("$", name.encode()), Value("*", [x for k, v in entry.items() for x in (Value("$", k.encode()), v)])]
    return Value("*", flat)


def run_streams(reference, server, options, protocol, known, seed):
    generator = Generator(seed, shared_docs(reference, server))
    pair = Pair(reference, server, protocol, known)
    try:
        found = compare_streams(pair, generator, options.count)
    finally:
        pair.close()
    expect(not found, "seed %d: these differ\n%s" % (seed, "\n".join(found)))


# ---- the commands' own tables
INFO_FIELDS = ["name", "arity", "flags", "first key", "last key", "step", "categories", "tips", "key specs"]


def flat(value):
    """COMMAND INFO's parts as plain data, sets sorted."""
    if value.kind == "~":
        return sorted(str(flat(v)) for v in value.data)
    if value.kind == "%":
        return sorted((text(k.data), flat(v)) for k, v in zip(value.data[::2], value.data[1::2]) if k.data != b"notes")
    if value.kind == "*" and value.data is not None:
        return [flat(v) for v in value.data]
    return text(value.data) if isinstance(value.data, bytes) else value.data


def compare_tables(reference, server, known):
    """COMMAND INFO of every command that both have."""
    lines = []
    with reference.connect(3) as theirs, server.connect(3) as ours:
        names = sorted(text(v.data) for v in ours.call("COMMAND", "LIST").data)
        for name, t, o in zip(names, theirs.call("COMMAND", "INFO", *names).data, ours.call("COMMAND", "INFO", *names).data):
            if t.data is None:
                continue
            for field, a, b in zip(INFO_FIELDS, t.data, o.data):
                if flat(a) != flat(b) and not known.covers(["COMMAND", "INFO", name, field], a, b):
                    lines.append("%s %s: theirs %s, ours %s" % (name, field, show(a), show(b)))
    expect(not lines, "\n".join(lines))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int)
    parser.add_argument("--count", type=int, default=COUNT)
    parser.add_argument("--protocol", type=int, action="append")
    parser.add_argument("--backend", help="by default the seed chooses one")
    options = parser.parse_args()
    reference_binary = os.environ.get("RONDO_REFERENCE") or shutil.which("redis-server")
    report = Report()
    if not reference_binary:
        report.skip("differential", "there is no redis-server here")
        return 0
    seed = options.seed if options.seed is not None else harness.seed()
    usable, refused = harness.backends()
    if not usable:
        report.fail("differential", "no backend can be used: %s" % refused)
        return 1
    backend = options.backend or usable[seed % len(usable)]
    print("# seed %d, %s" % (seed, backend))
    known = Known(os.path.join(FOLDER, "known.txt"))
    with Server(None, binary=reference_binary, ends_well=False) as reference, Server(backend) as server:
        report.run("differential/command tables", compare_tables, reference, server, known)
        for protocol in options.protocol or (2, 3):
            report.run("differential/streams resp%d" % protocol, run_streams, reference, server, options, protocol, known,
                       seed + protocol)
    return report.status()


if __name__ == "__main__":
    sys.exit(main())
