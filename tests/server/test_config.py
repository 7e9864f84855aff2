"""CONFIG over the wire, and what changes with it: listeners, limits, the file."""
import os
import sys

from support import Client, Server, config, expect, expect_in, free_port, main, run_server, show, socket, text, wait_for


def set_error(client, *words):
    reply = client.call("CONFIG", "SET", *words)
    expect("-", reply.kind, "CONFIG SET " + " ".join(words))
    return text(reply)


def refused(port):
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
        return False
    except ConnectionRefusedError:
        return True


def test_get():
    with Server() as server:
        client = server.connect()
        expect("[]", show(client.call("CONFIG", "GET", "no-such-option")))
        expect('["MaxMemory" "0"]', show(client.call("CONFIG", "GET", "MaxMemory")))
        expect('["appendonly" "no" "save" ""]', show(client.call("CONFIG", "GET", "save", "appendonly")))
        names = [text(name) for name in client.call("CONFIG", "GET", "*").data[::2]]
        expect(sorted(names), names, "order of names")
        expect(True, {"slaveof", "replicaof", "hash-max-ziplist-entries", "requirepass"} <= set(names))
        expect("%", server.connect(3).call("CONFIG", "GET", "port").kind)


def test_set():
    with Server() as server:
        client = server.connect()
        expect("+OK", show(client.call("CONFIG", "SET", "maxmemory", "100mb", "maxmemory-policy", "allkeys-lru")))
        expect(str(100 << 20), config(client, "maxmemory"))
        expect("ERR CONFIG SET failed (possibly related to argument 'timeout') - argument couldn't be parsed into an integer",
               set_error(client, "maxmemory", "5", "timeout", "soon"))
        expect(str(100 << 20), config(client, "maxmemory"), "after a failure")
        expect("ERR Unknown option or number of arguments for CONFIG SET - 'nosuch'", set_error(client, "nosuch", "1"))
        expect("ERR CONFIG SET failed (possibly related to argument 'databases') - can't set immutable config",
               set_error(client, "databases", "3"))
        expect("ERR CONFIG SET failed (possibly related to argument 'hz') - duplicate parameter",
               set_error(client, "hz", "3", "hz", "4"))
        expect("+OK", show(client.call("CONFIG", "SET", "save", "", "appendonly", "no")))
        expect_in("Rondo has no append-only file", set_error(client, "appendonly", "yes"))


def test_hz_is_clamped():
    with Server() as server:
        client = server.connect()
        client.call("CONFIG", "SET", "hz", "100000")
        expect("500", config(client, "hz"))
        client.call("CONFIG", "SET", "hz", "0")
        expect("1", config(client, "hz"))


def test_port():
    """The listener moves, the client stays; a port that is taken leaves everything as it was."""
    with Server() as server:
        client = server.connect()
        old, new = server.port, free_port()
        expect("+OK", show(client.call("CONFIG", "SET", "port", str(new))))
        wait_for(lambda: refused(old), "the old port's end")
        server.port = new
        expect("+PONG", show(server.connect().call("PING")))
        expect("+PONG", show(client.call("PING")))
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            expect_in("possibly related to argument 'port'", set_error(client, "port", str(taken.getsockname()[1])))
        expect(str(new), config(client, "port"))
        expect("+PONG", show(server.connect().call("PING")))


def test_bind():
    with Server() as server:
        client = server.connect()
        expect("+OK", show(client.call("CONFIG", "SET", "bind", "127.0.0.1 127.0.0.2")))
        other = Client(socket.create_connection(("127.0.0.2", server.port)))
        expect("+PONG", show(other.call("PING")))
        expect_in("'bind'", set_error(client, "bind", "192.0.2.1"))
        expect("127.0.0.1 127.0.0.2", config(client, "bind"))
        expect("+OK", show(client.call("CONFIG", "SET", "bind", "127.0.0.1 -192.0.2.1")))


def test_maxclients():
    with Server() as server:
        client = server.connect()
        expect("+OK", show(client.call("CONFIG", "SET", "maxclients", "2")))
        second = server.connect()
        expect("+PONG", show(second.call("PING")))
        third = server.connect()
        expect_in(b"-ERR max number of clients reached", third.wait_closed())
        second.close()
        client.wait_until(lambda reply: "connected_clients:1\r" in text(reply), "INFO", "clients")
        expect("+PONG", show(server.connect().call("PING")))


def test_rewrite():
    with Server(start=False) as server:
        path = os.path.join(server.folder, "server.conf")
        with open(path, "w") as file:
            file.write("# my server\n\nmaxmemory 1mb\nsave 900 1\n# the end\n")
        os.chmod(path, 0o600)
        plain = server.command_line
        server.command_line = lambda: plain()[:1] + [path] + plain()[1:]
        server.start()
        client = server.connect()
        expect("+OK", show(client.call("CONFIG", "SET", "maxmemory", "2gb", "slowlog-max-len", "7", "requirepass", "a b")))
        expect("+OK", show(client.call("CONFIG", "REWRITE")))
        with open(path) as file:
            lines = file.read().splitlines()
        expect(["# my server", "", "maxmemory 2gb", "save 900 1", "# the end", "# Generated by CONFIG REWRITE"], lines[:6])
        expect(True, 'requirepass "a b"' in lines and "slowlog-max-len 7" in lines, "new lines")
        expect(0o600, os.stat(path).st_mode & 0o777)
        expect([], [name for name in os.listdir(server.folder) if name.startswith("server.conf.")], "left over")
    with Server() as server:
        expect("-ERR The server is running without a config file", show(server.connect().call("CONFIG", "REWRITE")))


def test_rename_command():
    with Server(start=False) as server:
        path = os.path.join(server.folder, "server.conf")
        with open(path, "w") as file:
            file.write('rename-command GET hidden-Get\nrename-command set ""\n')
        plain = server.command_line
        server.command_line = lambda: plain()[:1] + [path] + plain()[1:]
        server.start()
        client = server.connect()
        expect("nil", show(client.call("HIDDEN-GET", "k")))
        expect_in("ERR unknown command 'GET'", show(client.call("GET", "k")))
        expect_in("ERR unknown command 'SET'", show(client.call("SET", "k", "v")))
        expect("+PONG", show(client.call("PING")))
    for line, why in (('rename-command nosuch x', "No such command in rename-command"),
                      ('rename-command get set', "Target command name already exists")):
        status, out, err = run_server("--port", "0", "--unixsocket", "/tmp/rondo-rename-%d" % os.getpid(), "-",
                                      stdin=line + "\n")
        expect(1, status)
        expect_in(why, err)
        status, out, err = run_server("--test-config", "-", stdin=line + "\n")
        expect(1, status)
        expect_in(why, err)
    status, out, err = run_server("--test-config", "-", stdin='rename-command get hidden\nuser a on nopass\n')
    expect((0, ""), (status, err))
    expect_in("configuration is good, 2 options set", out)


def test_loglevel():
    with Server() as server:
        client = server.connect()
        expect("+OK", show(client.call("CONFIG", "SET", "loglevel", "nothing")))
        client.call("CONFIG", "SET", "port", "1")  # would warn
        expect("+OK", show(client.call("CONFIG", "SET", "loglevel", "notice")))


if __name__ == "__main__":
    main(sys.modules[__name__], "config")
