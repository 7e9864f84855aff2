#!/usr/bin/env python3
# time-limit: 120
"""However the bytes of requests arrive, the replies are the same: cut in two at every byte, byte by byte, and as one stream cut at
random places with many requests in each piece. Over real sockets, on every backend."""
import random
import select
import socket
import sys

import harness
from harness import Report, Server, encode, expect

REQUESTS = [
    ["SET", "k", "v"], ["GET", "k"], ["SET", "", ""], ["GET", ""], ["GET", "missing"],
    ["SET", "bin", b"\r\n$5\r\nhello\r\n*1\r\n\x00\xff"], ["GET", "bin"], ["STRLEN", "bin"],
    ["MSET", "a", "1", "b", "2", "c", "x" * 300], ["MGET", "a", "b", "c", "missing"],
    ["INCR", "a"], ["APPEND", "c", "y" * 20], ["GETRANGE", "c", "295", "310"], ["DEL", "a", "b", "k"], ["NONSENSE", "x"], ["GET"],
    ["CONFIG", "GET", "timeout"], ["ECHO", "e" * 40], ["TTL", "c"], ["EXISTS", "a", "bin"],
]
INLINE = [b"PING\r\n", b"SET inline 'a b'\r\n", b"GET inline\n", b"\r\n", b"  ECHO \"x\\x41\"  \r\n"]
STREAM_COUNT, PIECE_MAX = 4000, 3000
BIG_BYTES = 200000


def settle(client):
    """The server has executed what came before: the pieces do not melt together in its socket unless they are too quick."""
    client.send("ECHO", "settled")
    return client.read()


def replies_plain(client, requests):
    return [client.call(*request) for request in requests]


def cut_in_two(server):
    """Every request cut at every byte. Another connection's request between the halves makes them arrive apart."""
    with server.connect() as client, server.connect() as other:
        client.call("FLUSHALL")
        expected = replies_plain(client, REQUESTS)
        client.call("FLUSHALL")
        for request, reply in zip(REQUESTS, expected):
            data = encode(request)
            if request[0] in ("INCR", "APPEND", "DEL"):
                expect(client.call(*request) == reply, request)
                continue
            for at in range(1, len(data)):
                client.write(data[:at])
                settle(other)
                client.write(data[at:])
                got = client.read()
                expect(got == reply, "%s cut at %d: %s" % (request[:2], at, harness.show(got)[:200]))


def byte_by_byte(server):
    """All requests and inline ones, each byte in a packet of its own."""
    with server.connect() as client:
        client.call("FLUSHALL")
        client.write(b"".join(INLINE))
        expected = [client.read() for _ in range(len(INLINE) - 1)] + replies_plain(client, REQUESTS)
        client.call("FLUSHALL")
        for byte in b"".join(INLINE) + b"".join(encode(request) for request in REQUESTS):
            client.write(bytes([byte]))
        got = [client.read() for _ in expected]
        expect(got == expected, "byte by byte the replies differ")


def make_stream(rng):
    requests = []
    for i in range(STREAM_COUNT):
        key = "k%d" % rng.randrange(20)
        requests.append(rng.choice([
            ["SET", key, "v" * rng.choice([0, 1, 10, 100, 1000])], ["GET", key], ["APPEND", key, "z"], ["STRLEN", key], ["DEL", key],
            ["MGET", key, "k1", "k2"], ["SETRANGE", key, str(rng.randrange(30)), "abc"], ["EXISTS", key], ["GET", key, key], ["PING"],
            ["SELECT", str(rng.randrange(2))], ["ECHO", "%d" % i]]))
    return requests


def random_boundaries(server, seed):
    """A long pipeline in pieces cut anywhere, read while it is written; and the same stream one by one."""
    rng = random.Random(seed)
    requests = make_stream(rng)
    with server.connect() as client:
        client.call("FLUSHALL")
        expected = replies_plain(client, requests)
        client.call("FLUSHALL")
        client.call("SELECT", "0")
        data, at, got = b"".join(encode(request) for request in requests), 0, []
        while at < len(data):
            size = rng.choice([1, 2, 3, rng.randrange(1, 50), rng.randrange(1, PIECE_MAX)])
            client.write(data[at:at + size])
            at += size
            while len(got) < len(requests) and select_readable(client):
                got.append(client.read())
        while len(got) < len(requests):
            got.append(client.read())
        expect(got == expected, "seed %d: differs at %s" % (seed, [i for i, (a, b) in enumerate(zip(got, expected)) if a != b][:3]))


def select_readable(client):
    """A whole reply is there without waiting; as RESP is not parsed twice, only whether something can be read."""
    return len(client.buffer) > client.at or bool(select.select([client.sock], [], [], 0)[0])


def big_in_pieces(server, seed):
    """Values larger than any receive buffer, in pieces, several of them in one pipeline, and read back whole."""
    rng = random.Random(seed)
    with server.connect() as client:
        values = [rng.getrandbits(8 * size).to_bytes(size, "little") for size in (BIG_BYTES, 1, 16383, 16384, 16385, BIG_BYTES * 3)]
        data = b"".join(encode(["SET", "big%d" % i, value]) + encode(["PING"]) for i, value in enumerate(values))
        at = 0
        while at < len(data):
            size = rng.randrange(1, 100000)
            client.write(data[at:at + size])
            at += size
        got = [client.read() for _ in range(2 * len(values))]
        expect(got == [("+", b"OK"), ("+", b"PONG")] * len(values), "SET of big values")
        for i, value in enumerate(values):
            expect(client.call("GET", "big%d" % i).data == value, "value %d came back otherwise" % i)


def many_connections(server, seed):
    """Many clients at once, each in the middle of a request while the others go on."""
    rng = random.Random(seed)
    clients = [server.connect() for _ in range(60)]
    try:
        for round_ in range(10):
            cut = []
            for i, client in enumerate(clients):
                data = encode(["SET", "c%d" % i, "%d" % round_]) + encode(["GET", "c%d" % i])
                at = rng.randrange(1, len(data))
                client.write(data[:at])
                cut.append(data[at:])
            for client, rest in sorted(zip(clients, cut), key=lambda _: rng.random()):
                client.write(rest)
            for client in clients:
                expect(client.read().data == b"OK" and client.read().data == b"%d" % round_, "a request of another client came between")
    finally:
        for client in clients:
            client.close()


def half_closed(server):
    """A client that ends its sending side after its requests still gets all replies."""
    with server.connect() as client:
        client.write(b"".join(encode(["ECHO", "%d" % i]) for i in range(500)))
        client.sock.shutdown(socket.SHUT_WR)
        got = client.wait_closed()
        expect(got.endswith(b"$3\r\n499\r\n"), "the last replies are missing: %r" % got[-40:])


def main():
    report, seed = Report(), harness.seed()
    print("# seed %d" % seed)
    usable, refused = harness.backends()
    for backend, why in refused:
        report.skip("splits on %s" % backend, why)
    for backend in usable:
        def run(name, function, *args):
            report.run("cmd/splits %s (%s)" % (name, backend), function, *args)
        with Server(backend) as server:
            run("in two at every byte", cut_in_two, server)
            run("byte by byte", byte_by_byte, server)
            run("a stream at random boundaries", random_boundaries, server, seed)
            run("big values in pieces", big_in_pieces, server, seed)
            run("many connections", many_connections, server, seed)
            run("half closed", half_closed, server)
    return report.status()


if __name__ == "__main__":
    sys.exit(main())
