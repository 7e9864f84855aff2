#!/usr/bin/env python3
# time-limit: 120
"""Replies of many elements go out in parts: they are whole and of one moment whatever happens meanwhile, and hold little memory.

    test_long_replies.py [--backend BACKEND]"""
import argparse
import functools
import re
import sys
import time

import harness
from harness import Closed, Report, Server, encode, expect, show

COUNT = 20000  # elements: 8 MB of a reply, more than the sockets take
VALUE = 400 * "v" + ":"
OUTPUT_BYTES_MAX = 1200 * 1024  # what one of them may hold while nobody reads

MAKERS = {
    "list": lambda n: ["RPUSH", "list"] + ["%s%d" % (VALUE, i) for i in n],
    "set": lambda n: ["SADD", "set"] + ["%s%d" % (VALUE, i) for i in n],
    "hash": lambda n: ["HSET", "hash"] + [word for i in n for word in ("%s%d" % (VALUE, i), i)],
    "zset": lambda n: ["ZADD", "zset"] + [word for i in n for word in (i, "%s%d" % (VALUE, i))],
}
READERS = {
    "list": [["LRANGE", "list", 0, -1], ["LRANGE", "list", 5, -7]],
    "set": [["SMEMBERS", "set"]],
    "hash": [["HGETALL", "hash"], ["HKEYS", "hash"], ["HVALS", "hash"]],
    "zset": [["ZRANGE", "zset", 0, -1], ["ZRANGE", "zset", 0, -1, "WITHSCORES"], ["ZREVRANGE", "zset", 3, -1], ["ZRANGE", "zset", "-inf", "+inf", "BYSCORE"],
             ["ZRANGEBYLEX", "zset", "-", "+"]],
    "stream": [["XRANGE", "stream", "-", "+"], ["XREVRANGE", "stream", "+", "-"], ["XRANGE", "stream", "1000-0", "+", "COUNT", COUNT - 2000]],
}
TYPES = ("list", "set", "hash", "zset", "stream")


def requests_of(kind):
    if kind == "stream":
        return [["XADD", "stream", "%d-1" % (i + 1), "field", "%s%d" % (VALUE, i)] for i in range(COUNT)]
    return [MAKERS[kind](range(start, start + 1000)) for start in range(0, COUNT, 1000)]


@functools.lru_cache(None)
def encoded(kind):
    requests = [["DEL", kind]] + requests_of(kind)
    return len(requests), b"".join(encode(request) for request in requests)


def fill(client, kind):
    count, data = encoded(kind)
    client.write(data)
    for _ in range(count):
        client.read()


MARK = encode(["ECHO", "the-end-of-it"]), b"$13\r\nthe-end-of-it\r\n"


def receive_until(client, end):
    parts, tail = [], b""
    while not tail.endswith(end):
        data = client.sock.recv(1 << 20)
        if not data:
            raise Closed("end of file")
        parts.append(data)
        tail = (tail + data)[-len(end):]
    return b"".join(parts)


def expected(client, words):
    """The bytes of the reply, from within a transaction, where it is written at once."""
    client.call("MULTI")
    client.call(*words)
    client.write(encode(["EXEC"]) + MARK[0])
    data = receive_until(client, MARK[1])
    expect(data.startswith(b"*1\r\n"), "not executed")
    return data[4:-len(MARK[1])]


def receive(client, count):
    data = bytearray(client.buffer[client.at:])
    client.buffer, client.at = bytearray(), 0
    while len(data) < count:
        more = client.sock.recv(min(1 << 20, count - len(data)))
        if not more:
            raise Closed("end of file")
        data += more
    return bytes(data)


def same(wanted, client, words):
    got = receive(client, len(wanted))
    if got != wanted:
        at = next(i for i in range(len(wanted)) if wanted[i] != got[i])
        expect(False, "%s: at byte %d: %r, not %r" % (words, at, got[at - 30:at + 30], wanted[at - 30:at + 30]))


def output_bytes(client, who):
    listed = client.call("CLIENT", "LIST", "ID", who).data.decode()
    return int(re.search(r" omem=(\d+)", listed).group(1))


def begin(server, protocol, words):
    """A client whose reply is under way and that does not read."""
    reader = server.connect(protocol)
    who = reader.call("CLIENT", "ID").data
    reader.sock.setsockopt(harness.socket.SOL_SOCKET, harness.socket.SO_RCVBUF, 65536)
    reader.send(*words)
    return reader, who


def until_under_way(client, who):
    deadline = time.monotonic() + harness.WAIT_S
    while output_bytes(client, who) == 0:
        expect(time.monotonic() < deadline, "nothing is written")
    return output_bytes(client, who)


def replies_are_whole(server, client, protocol):
    for kind in TYPES:
        fill(client, kind)
        for words in READERS[kind]:
            wanted = expected(client, words)
            client.send(*words)
            same(wanted, client, words)
            expect(client.call("PING") == ("+", b"PONG"), "more than the reply came")


def memory_is_bounded(server, client, protocol):
    for kind in TYPES:
        words = READERS[kind][0]
        wanted = expected(client, words)
        reader, who = begin(server, protocol, words)
        with reader:
            until_under_way(client, who)
            for _ in range(20):  # others are served, and nothing grows
                client.call("PING")
                held = output_bytes(client, who)
                expect(held <= OUTPUT_BYTES_MAX, "%s holds %d bytes" % (words, held))
            same(wanted, reader, words)


# What happens while the reply is under way; the value must be the one of the beginning.
CHANGES = {
    "list": [["RPUSH", "list", "new"], ["LSET", "list", 10000, "new"], ["LTRIM", "list", 0, 10], ["LPOP", "list", 1000]],
    "set": [["SADD", "set", "new"], ["SREM", "set", VALUE + "7"], ["SPOP", "set", 1000]],
    "hash": [["HSET", "hash", "new", "1"], ["HDEL", "hash", VALUE + "7"], ["HEXPIRE", "hash", 100, "FIELDS", 1, VALUE + "9"]],
    "zset": [["ZADD", "zset", 5, "new"], ["ZREM", "zset", VALUE + "7"], ["ZPOPMAX", "zset", 1000], ["ZREMRANGEBYRANK", "zset", 0, -10]],
    "stream": [["XADD", "stream", "*", "a", "b"], ["XTRIM", "stream", "MAXLEN", 10], ["XDEL", "stream", "15000-1"]],
}


def changes_come_after(server, client, protocol):
    for kind in TYPES:
        common = [["DEL", kind], ["UNLINK", kind], ["RENAME", kind, "other"], ["SET", kind, "text"], ["PEXPIRE", kind, 1], ["FLUSHALL"], ["FLUSHALL", "SYNC"],
                  ["SWAPDB", 0, 1], ["COPY", kind, "other"]]
        for change in CHANGES[kind] + common:
            client.call("FLUSHALL")
            fill(client, kind)
            words = READERS[kind][0]
            wanted = expected(client, words)
            reader, who = begin(server, protocol, words)
            with reader:
                until_under_way(client, who)
                reply = client.call(*change)
                expect(reply.kind != "-", "%s: %s" % (change, show(reply)))
                if change[0] == "PEXPIRE":
                    client.wait_until(lambda reply: reply.data == 0, "DBSIZE")
                same(wanted, reader, [words, change])
                expect(reader.call("PING") == ("+", b"PONG"), "it does not go on")
    client.call("FLUSHALL")


def what_follows_waits(server, client, protocol):
    fill(client, "list")
    wanted = expected(client, READERS["list"][0])
    with server.connect(protocol) as reader:
        reader.write(encode(READERS["list"][0]) + encode(["SET", "after", "1"]) + encode(["GET", "after"]) + encode(READERS["list"][0]) + encode(["PING"]))
        same(wanted, reader, "first")
        expect(reader.read() == ("+", b"OK") and reader.read() == ("$", b"1"), "not in order")
        same(wanted, reader, "second")
        expect(reader.read() == ("+", b"PONG"), "not in order")


def pushes_wait(server, client, protocol):
    if protocol == 2:
        return
    wanted = expected(client, READERS["list"][0])
    reader, who = begin(server, protocol, ["SUBSCRIBE", "news"])
    with reader:
        expect(reader.read().kind == ">", "not subscribed")
        reader.send(*READERS["list"][0])
        until_under_way(client, who)
        client.call("PUBLISH", "news", "hello")
        same(wanted, reader, "list")
        expect(show(reader.read()) == 'push["message" "news" "hello"]', "not the message")
        client.call("PUBLISH", "news", "again")
        expect(show(reader.read()) == 'push["message" "news" "again"]', "not the message")


def clients_go_away(server, client, protocol):
    for how in ("close", "kill", "delete and close"):
        fill(client, "list")
        readers = [begin(server, protocol, READERS["list"][0]) for _ in range(100)]  # more than may be under way
        until_under_way(client, readers[0][1])
        if how == "delete and close":
            client.call("DEL", "list")
        for reader, who in readers:
            if how == "kill":
                client.call("CLIENT", "KILL", "ID", who)
            else:
                reader.close()
        client.wait_until(lambda reply: reply.data.count(b"\n") <= 2, "CLIENT", "LIST")
        for reader, _ in readers:
            reader.close()
        client.call("DEL", "list")
    expect(client.call("PING") == ("+", b"PONG"), "it does not live")


TESTS = (replies_are_whole, memory_is_bounded, changes_come_after, what_follows_waits, pushes_wait, clients_go_away)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--backend")
    options = parser.parse_args()
    report = Report()
    usable, refused = harness.backends()
    for backend, why in refused:
        report.skip("cmd/long replies on %s" % backend, why)
    for backend in [options.backend] if options.backend else usable:
        for protocol in (2, 3):
            with Server(backend) as server, server.connect(protocol) as client:
                for test in TESTS:
                    report.run("cmd/long replies %s (%s, resp%d)" % (test.__name__, backend, protocol), test, server, client, protocol)
    return report.status()


if __name__ == "__main__":
    sys.exit(main())
