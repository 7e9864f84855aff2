#!/usr/bin/env python3
# time-limit: 200
# builds: first
"""DUMP and RESTORE between Rondo and other servers: a value of every type and encoding goes there, comes back, and is the same.

    test_dump.py [--seed N] [--count N]

The others are RONDO_REFERENCE or redis-server, and whatever RONDO_DUMP_PEERS names (binaries with ":" between them; else a
valkey-server that is installed). What a value is, is what the reading commands say of it, and OBJECT ENCODING. Payloads of what no
server writes any more (ziplists, zipmaps, streams before 7.0) are made here."""
import argparse
import os
import random
import shutil
import struct
import sys

FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(FOLDER, os.pardir, "cmd"))
sys.dont_write_bytecode = True

import harness
from harness import Report, Server, expect, show

COUNT = 150
INTS = [0, 1, 12, 13, 63, 64, 127, 128, 255, 256, 4095, 4096, 32767, 32768, 65535, 8388607, 8388608, 2 ** 31 - 1, 2 ** 31, 2 ** 63 - 1]
INTS += [-n - 1 for n in INTS] + [-1, -4096, -4097]
LENGTHS = [0, 1, 11, 20, 21, 62, 63, 64, 65, 200, 253, 254, 300, 4094, 4095, 4096, 5000]


# ---- values: requests that make one at a key

def element(rng, longest=5000):
    kind = rng.randrange(5)
    if kind == 0:
        return str(rng.choice(INTS))
    length = rng.choice([n for n in LENGTHS if n <= longest])
    if kind == 1:
        return b"ab" * (length // 2) + b"c" * (length & 1)
    if kind == 2:
        return bytes(rng.randrange(256) for _ in range(min(length, 300)))
    return rng.choice(["", "x", "007", "-0", "+1", "1.0", "12345678901234567890", " 1", "field", "value"]) + str(rng.randrange(1000))


def count_of(rng):
    return rng.choice([1, 2, 5, 60, 127, 128, 129, 200, 600])


def batches(head, tail, size):
    return [head + tail[i:i + size] for i in range(0, len(tail), size)]


def string(rng, key):
    return [["SET", key, element(rng)]]


def large_string(rng, key):
    return [["SET", key, element(rng, 300) * rng.choice([1, 7, 400])]]


def integers(rng, key):
    return batches(["SADD", key], [rng.choice(INTS[:rng.randrange(1, len(INTS))]) for _ in range(count_of(rng))], 100)


def members(rng, key):
    return batches(["SADD", key], [element(rng, rng.choice([20, 64, 5000])) for _ in range(count_of(rng))], 100)


def elements(rng, key):
    return batches(["RPUSH", key], [element(rng, rng.choice([20, 64, 5000])) for _ in range(count_of(rng))], 100)


def huge_elements(rng, key):
    return [["RPUSH", key, b"x" * rng.choice([8000, 70000]), "y", os.urandom(9000), "5"]]


def pairs(rng, key):
    longest = rng.choice([20, 64, 5000])
    return batches(["HSET", key], [element(rng, longest) for _ in range(2 * count_of(rng))], 100)


def scored(rng, key):
    scores = [0, -1, 5, 1.5, -2.25, 0.1, 1e300, -1e-300, "inf", "-inf", 2 ** 53, 3.0000000000000004, 17179869184]
    out, longest = [], rng.choice([20, 64, 5000])
    for _ in range(count_of(rng)):
        out += [rng.choice(scores), element(rng, longest)]
    return batches(["ZADD", key], out, 100)


def entries(rng, key):
    requests, ms = [], rng.choice([1, 1700000000000, 2 ** 63])
    names = [element(rng, 20) for _ in range(rng.choice([1, 1, 2, 5]))]
    for n in range(count_of(rng)):
        ms += rng.choice([0, 1, 1, 1000, 10 ** 9])
        row = names if rng.randrange(4) else [element(rng, 20) for _ in range(rng.choice([1, 3]))]
        words = []
        for name in row:
            words += [name, element(rng, 300)]
        requests.append(["XADD", key, "%d-%d" % (ms, n + 1)] + words)
    ids = [request[2] for request in requests]
    if rng.randrange(2):
        requests += [["XDEL", key, rng.choice(ids)] for _ in range(rng.randrange(1, 8))]
    if rng.randrange(4) == 0:
        requests.append(["XTRIM", key, "MAXLEN", len(ids) // 2])
    for group in range(rng.choice([0, 1, 3])):
        requests.append(["XGROUP", "CREATE", key, "group%d" % group, rng.choice(["0", "$", rng.choice(ids)])])
        for consumer in range(rng.choice([0, 1, 3])):
            requests.append(["XGROUP", "CREATECONSUMER", key, "group%d" % group, "consumer%d" % consumer])
            requests.append(["XREADGROUP", "GROUP", "group%d" % group, "consumer%d" % consumer, "COUNT", rng.choice([1, 50, 200]), "STREAMS", key, ">"])
        requests.append(["XACK", key, "group%d" % group, rng.choice(ids), rng.choice(ids)])
    return requests


def emptied_stream(rng, key):
    return [["XADD", key, "5-%d" % rng.randrange(9), "a", "b"], ["XTRIM", key, "MAXLEN", 0], ["XGROUP", "CREATE", key, "g", "$"]]


def timed_fields(rng, key):
    requests = pairs(rng, key) + [["HSET", key, "short", "1", "long", "2"]]
    return requests + [["HPEXPIREAT", key, 4102444800000 + rng.randrange(10 ** 9), "FIELDS", 2, "short", "long"],
                       ["HPEXPIREAT", key, 33000000000000, "FIELDS", 1, "long"]]


def counters(rng, key):
    return batches(["PFADD", key], [str(rng.random()) for _ in range(rng.choice([1, 50, 3000]))], 500)


def bits(rng, key):
    return [["SETBIT", key, rng.randrange(100000), 1] for _ in range(20)]


KINDS = [string, large_string, integers, members, elements, huge_elements, pairs, scored, entries, emptied_stream, counters, bits]

# ---- what a value is

READ = {b"string": [["GET"]], b"list": [["LRANGE", 0, -1]], b"set": [["SMEMBERS"]], b"zset": [["ZRANGE", 0, -1, "WITHSCORES"]], b"hash": [["HGETALL"]],
        b"stream": [["XRANGE", "-", "+"]]}


def group_facts(client, key):
    """What XINFO says that does not hang on the clock or on how the server keeps it."""
    def facts(row, wanted):
        return {row[i].data: show(row[i + 1]) for i in range(0, len(row), 2) if row[i].data in wanted}
    out = [facts(client.call("XINFO", "STREAM", key).data, (b"length", b"last-generated-id", b"max-deleted-entry-id", b"entries-added"))]
    for group in client.call("XINFO", "GROUPS", key).data:
        out.append(facts(group.data, (b"name", b"consumers", b"pending", b"last-delivered-id", b"entries-read")))
        name = dict(zip([w.data for w in group.data[::2]], [w.data for w in group.data[1::2]]))[b"name"]
        for consumer in client.call("XINFO", "CONSUMERS", key, name).data:
            out.append(facts(consumer.data, (b"name", b"pending")))
        pending = client.call("XPENDING", key, name, "-", "+", 1000).data
        out.append([(p.data[0].data, p.data[1].data, p.data[3].data) for p in pending])
    return out


def content(client, key):
    kind = client.call("TYPE", key).data
    if kind == b"none":
        return kind, None
    words = READ[kind][0]
    reply = client.call(words[0], key, *words[1:])
    if kind == b"set":
        return kind, sorted(v.data for v in reply.data)
    if kind == b"hash":
        data = [v.data for v in reply.data]
        return kind, sorted(zip(data[::2], data[1::2]))
    if kind == b"zset": # servers spell doubles in different ways
        data = [v.data for v in reply.data]
        return kind, list(zip(data[::2], [float(score) for score in data[1::2]]))
    if kind == b"stream":
        return kind, show(reply), group_facts(client, key)
    return kind, show(reply)


def deadlines(client, key):
    fields = sorted(v.data for v in client.call("HKEYS", key).data)
    return show(client.call("HPEXPIRETIME", key, "FIELDS", len(fields), *fields))


def make(client, requests):
    for reply in client.calls(requests):
        expect(reply.kind != "-", "the value cannot be made: %s" % show(reply))


def move(source, target, key):
    """Dumps at one, restores at the other."""
    payload = source.call("DUMP", key)
    expect(payload.data is not None, "nothing was dumped")
    reply = target.call("RESTORE", key, 0, payload.data, "REPLACE")
    expect(reply == ("+", b"OK"), "%s of %r" % (show(reply), payload.data[:200]))


def there_and_back(theirs, ours, kind, seed, count, facts=content):
    rng = random.Random("%d %s" % (seed, kind.__name__))
    for round_number in range(count):
        for source, target in ((theirs, ours), (ours, theirs)):
            ours.call("FLUSHALL")
            theirs.call("FLUSHALL")
            make(source, kind(rng, "k"))
            wanted = facts(source, "k")
            for a, b in ((source, target), (target, source)):
                move(a, b, "k")
                expect(facts(b, "k") == wanted, "round %d: %r became %r" % (round_number, wanted, facts(b, "k")))


def fields_here(theirs, ours, seed, count):
    """Where the other server has a form of its own for deadlines of fields, and takes none but that: its values come here."""
    rng = random.Random("%d timed" % seed)
    for round_number in range(count):
        theirs.call("FLUSHALL")
        make(theirs, timed_fields(rng, "k"))
        move(theirs, ours, "k")
        expect((content(theirs, "k"), deadlines(theirs, "k")) == (content(ours, "k"), deadlines(ours, "k")), "round %d" % round_number)


def encodings(theirs, ours):
    """What is at a server's limits takes the encoding that it has for such a value, whoever made it."""
    makers = {"int": [["SET", "k", "12345"]], "embstr": [["SET", "k", "text"]], "intset": [["SADD", "k"] + list(range(512))],
              "hashtable": [["SADD", "k"] + list(range(600))], "listpack": [["HSET", "k"] + list(range(256))],
              "quicklist": [["RPUSH", "k"] + ["x" * 60] * 400], "skiplist": [["ZADD", "k"] + [n // 2 for n in range(600)]],
              "stream": [["XADD", "k", "1-1", "a", "b"]]}
    for name, requests in makers.items():
        for source, target in ((theirs, ours), (ours, theirs)):
            ours.call("FLUSHALL")
            theirs.call("FLUSHALL")
            make(source, requests)
            move(source, target, "k")
            expect(target.call("OBJECT", "ENCODING", "k").data == name.encode(), "%s became %s" % (name, show(target.call("OBJECT", "ENCODING", "k"))))


# ---- forms of older servers

def crc64(data):
    crc = 0
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x95ac9329ac4bc9b5 if crc & 1 else 0)
    return crc


def payload(kind, body, version=6):
    text = bytes([kind]) + body + struct.pack("<H", version)
    return text + struct.pack("<Q", crc64(text))


def length(n):
    if n < 64:
        return bytes([n])
    if n < 16384:
        return struct.pack(">H", 0x4000 | n)
    return b"\x80" + struct.pack(">I", n)


def raw(data):
    return length(len(data)) + data


def ziplist(items):
    entries, previous, last = b"", 0, 10
    for item in items:
        head = bytes([previous]) if previous < 254 else b"\xfe" + struct.pack("<I", previous)
        if isinstance(item, int):
            if 0 <= item <= 12:
                body = bytes([0xf1 + item])
            elif -128 <= item < 128:
                body = b"\xfe" + struct.pack("<b", item)
            elif -32768 <= item < 32768:
                body = b"\xc0" + struct.pack("<h", item)
            elif -2 ** 23 <= item < 2 ** 23:
                body = b"\xf0" + struct.pack("<i", item)[:3]
            elif -2 ** 31 <= item < 2 ** 31:
                body = b"\xd0" + struct.pack("<i", item)
            else:
                body = b"\xe0" + struct.pack("<q", item)
        elif len(item) < 64:
            body = bytes([len(item)]) + item
        elif len(item) < 16384:
            body = struct.pack(">H", 0x4000 | len(item)) + item
        else:
            body = b"\x80" + struct.pack(">I", len(item)) + item
        last = 10 + len(entries)
        entries += head + body
        previous = len(head + body)
    return struct.pack("<IIH", 11 + len(entries), last, min(len(items), 65535)) + entries + b"\xff"


def zipmap(items):
    out = bytes([len(items) // 2 if len(items) // 2 < 254 else 254])
    for at, item in enumerate(items):
        out += bytes([len(item)]) if len(item) < 254 else b"\xfe" + struct.pack("<I", len(item))
        out += (b"\x02" + item + b"??") if at & 1 else item
    return out + b"\xff"


def old_forms(theirs, ours):
    ints = sorted({n for n in INTS if -2 ** 63 <= n < 2 ** 63})
    texts = [b"", b"a", b"x" * 63, b"y" * 64, b"z" * 250, b"w" * 16384]
    pairs_of = [w for i, n in enumerate(ints) for w in (b"f%d" % i, n)]
    shapes = {
        "list of a ziplist": payload(10, raw(ziplist(ints + texts))),
        "list of ziplists": payload(14, length(2) + raw(ziplist(texts)) + raw(ziplist(ints))),
        "hash of a ziplist": payload(13, raw(ziplist(pairs_of))),
        "hash of a zipmap": payload(9, raw(zipmap([b"a", b"1", b"b" * 300, b"c" * 260, b"", b""]))),
        "sorted set of a ziplist": payload(12, raw(ziplist([b"a", -5, b"b", 0, b"c", b"1.5", b"d", 12, b"e", b"inf"]))),
        "sorted set with texts": payload(3, length(3) + raw(b"a") + raw(b"1.25") + raw(b"b") + b"\xfe" + raw(b"c") + b"\xff"),
        "list of strings": payload(1, length(2) + raw(b"a") + b"\xc1\x39\x30"),
        "set": payload(2, length(2) + raw(b"a") + b"\xc0\xff"),
    }
    for name, bytes_of in shapes.items():
        replies = [client.call("RESTORE", "old", 0, bytes_of, "REPLACE") for client in (theirs, ours)]
        expect(replies[0] == replies[1] == ("+", b"OK"), "%s: %s, ours %s" % (name, show(replies[0]), show(replies[1])))
        expect(content(theirs, "old") == content(ours, "old"), "%s: %r, ours %r" % (name, content(theirs, "old"), content(ours, "old")))


# ---- damage

def damaged(theirs, ours, seed, count):
    """Bits and bytes of good payloads are changed, the checksum is made right again: the server lives and says OK or that it is bad."""
    rng = random.Random("%d damage" % seed)
    texts = (b"ERR Bad data format", b"ERR DUMP payload version or checksum are wrong")
    sources = []
    for kind in KINDS:
        for client in (theirs, ours):
            client.call("FLUSHALL")
            make(client, kind(rng, "k"))
            sources.append(client.call("DUMP", "k").data)
    accepted = 0
    for _ in range(count * 20):
        text = bytearray(rng.choice(sources)[:-8])
        for _ in range(rng.choice([1, 1, 1, 2, 8])):
            at = rng.randrange(min(len(text) - 2, 64)) if rng.randrange(2) else rng.randrange(len(text) - 2)
            text[at] = rng.choice([text[at] ^ 1 << rng.randrange(8), 0, 255, rng.randrange(256)])
        if rng.randrange(8) == 0:
            del text[rng.randrange(1, len(text) - 2):len(text) - 2]
        reply = ours.call("RESTORE", "d", 0, bytes(text) + struct.pack("<Q", crc64(text) if len(text) < 3000 else 0), "REPLACE")
        if reply == ("+", b"OK"):
            accepted += 1
            content(ours, "d")
        else:
            expect(reply.data in texts, show(reply))
    expect(accepted > 0, "nothing was accepted")


def run(report, peers, options):
    print("# seed %d" % options.seed)
    for peer in peers:
        name = os.path.basename(peer)
        with Server(None, binary=peer, ends_well=False) as reference_server, Server(None) as server:
            with reference_server.connect(2) as theirs, server.connect(2) as ours:
                for kind in KINDS:
                    report.run("differential/dump %s %s" % (name, kind.__name__), there_and_back, theirs, ours, kind, options.seed, options.count // 10 or 1)
                report.run("differential/dump %s encodings" % name, encodings, theirs, ours)
                report.run("differential/dump %s old forms" % name, old_forms, theirs, ours)
                report.run("differential/dump %s damaged" % name, damaged, theirs, ours, options.seed, options.count)
                if theirs.call("HTTL", "none", "FIELDS", 1, "f").kind == "-":
                    continue
                count = options.count // 10 or 1
                if b"valkey_version" in theirs.call("INFO", "server").data:
                    report.run("differential/dump %s fields with deadlines" % name, there_and_back, theirs, ours, timed_fields, options.seed, count,
                               lambda client, key: (content(client, key), deadlines(client, key)))
                else:
                    report.run("differential/dump %s fields with deadlines" % name, fields_here, theirs, ours, options.seed, count)
    return report.status()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=harness.seed())
    parser.add_argument("--count", type=int, default=COUNT)
    options = parser.parse_args()
    report = Report()
    reference = os.environ.get("RONDO_REFERENCE") or shutil.which("redis-server")
    if not reference:
        report.skip("differential/dump", "there is no redis-server")
        return 0
    named = os.environ.get("RONDO_DUMP_PEERS")
    others = named.split(":") if named else [path for path in [shutil.which("valkey-server")] if path]
    return run(report, [reference] + others, options)


if __name__ == "__main__":
    sys.exit(main())
