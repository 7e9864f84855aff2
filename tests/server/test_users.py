"""Users in the configuration and in a file of their own."""
import os
import re
import stat
import sys

from support import *  # noqa: F401,F403
from support import Closed, Server, expect, expect_in, info, main, run_server, show, text

HASH = "5e884898da28047151d0e56f8dc6292773603d0d6aabbdd62a11ef721d1542d8"  # of "password"


def users(client):
    return [text(line) for line in client.call("ACL", "LIST").data]


def test_lines():
    """user lines are loaded, rewritten in place, and removed with their users."""
    with Server(start=False) as server:
        path = os.path.join(server.folder, "server.conf")
        with open(path, "w") as file:
            file.write("# users\nuser a on >password ~a* \"~q'\" +get (~s +set)\nhz 20\nuser b off\n")
        plain = server.command_line
        server.command_line = lambda: plain()[:1] + [path] + plain()[1:]
        server.start()
        client = server.connect()
        line = "user a on sanitize-payload #%s ~a* ~q' resetchannels -@all +get (~s resetchannels -@all +set)" % HASH
        expect([line, "user b off sanitize-payload resetchannels -@all",
                "user default on nopass sanitize-payload ~* &* +@all"], users(client))
        expect("1", show(client.call("ACL", "DELUSER", "b")))
        expect("+OK", show(client.call("ACL", "SETUSER", "c", "~\"c")))
        expect("+OK", show(client.call("CONFIG", "REWRITE")))
        with open(path) as file:
            rewritten = file.read()
        expect(0, rewritten.index("# users\nuser a on "))
        expect(3, len(re.findall("(?m)^user ", rewritten)))
        before = users(client)
        server.stop()
        server.start()
        expect(before, users(server.connect()))


def test_default_line():
    with Server(options=("--requirepass", "x", "--user", "default", "on", "nopass", "~a", "+@all")) as server:
        expect(["user default on nopass sanitize-payload ~a resetchannels +@all"], users(server.connect()))


def test_bad_lines():
    """Found before the start, with their place."""
    for lines, why in ((["user a on +nosuch"], "Error in user declaration '+nosuch': Unknown command or category name in ACL"),
                       (["user a on", "user a off"], "Error in user declaration 'a': Duplicate user found."),
                       (["user a (+get"], "Error in user declaration '(+get': Syntax error"),
                       (["user"], "wrong number of arguments"),
                       (["user a on", "aclfile x"], "please define either an ACL file or declare users")):
        for words in ((), ("--test-config",)):
            status, _, err = run_server(*words, "--port", "0", "-", stdin="\n".join(lines) + "\n")
            expect(1, status)
            expect_in(why, err)
    expect_in("at line 2 of standard input", run_server("-", stdin="\nuser a what\n")[2])


def test_file():
    """ACL LOAD and SAVE: all or nothing, and in one step."""
    with Server(start=False) as server:
        path = os.path.join(server.folder, "users.acl")
        with open(path, "w") as file:
            file.write("user alice on nopass ~* &* +@all\nuser bob on >password ~b +get (~s &c +set)\n\n")
        os.chmod(path, 0o640)
        plain = server.command_line
        server.command_line = lambda: plain() + ["--aclfile", path]
        server.start()
        client = server.connect()
        alice, bob = server.connect(), server.connect()
        expect("+OK", show(alice.call("AUTH", "alice", "x")))
        expect("+OK", show(bob.call("AUTH", "bob", "password")))
        expect("+OK", show(client.call("ACL", "SETUSER", "carol", "~\"c", "(~x", "+get)")))
        before = users(client)
        expect("+OK", show(client.call("ACL", "SAVE")))
        expect(0o640, stat.S_IMODE(os.stat(path).st_mode))
        expect(["users.acl"], [name for name in os.listdir(server.folder) if name.startswith("users.acl")])
        expect("+OK", show(client.call("ACL", "LOAD")))
        expect(before, users(client))
        expect("+PONG", show(alice.call("PING")))
        with open(path, "w") as file:
            file.write("user alice off\nuser alice on\nuser bob +nosuch\nwhat\n")
        reply = show(client.call("ACL", "LOAD"))
        for part in ("WARNING: Duplicate user 'alice' found on line 2.",
                     "users.acl:3: Error in applying operation '+nosuch': Unknown command or category name in ACL.",
                     "users.acl:4 should start with user keyword followed by the username.",
                     "WARNING: ACL errors detected, no change to the previously active ACL rules was performed"):
            expect_in(part, reply)
        expect(before, users(client))
        with open(path, "w") as file:
            file.write("user bob on nopass -@all +ping\n")
        expect("+OK", show(client.call("ACL", "LOAD")))
        expect("+PONG", show(bob.call("PING")))
        expect_in("NOPERM", show(bob.call("GET", "b")))
        try:
            alice.call("PING")
            raise AssertionError("alice is still there")
        except (OSError, Closed):
            pass
        os.chmod(server.folder, 0o500)
        try:
            if os.geteuid() != 0:
                expect_in("ERR There was an error trying to save the ACLs", show(client.call("ACL", "SAVE")))
        finally:
            os.chmod(server.folder, 0o700)
        os.unlink(path)
        expect_in("ERR Error loading ACLs, opening file", show(client.call("ACL", "LOAD")))
    status, _, err = run_server("--port", "0", "--aclfile", "/no/such.acl")
    expect(1, status)
    expect_in("Error loading ACLs, opening file '/no/such.acl': No such file or directory", err)


def test_counts():
    with Server() as server:
        client, other = server.connect(), server.connect()
        client.call("ACL", "SETUSER", "u", "on", ">p", "~a", "&c", "+get", "+publish")
        other.call("AUTH", "u", "q")
        other.call("AUTH", "u", "p")
        for words in (("SET", "a", "1"), ("GET", "b"), ("GET", "b"), ("PUBLISH", "d", "x")):
            expect_in("NOPERM", show(other.call(*words)))
        stats = info(client, "stats")
        expect(["1", "1", "2", "1"], [stats["acl_access_denied_" + name] for name in ("auth", "cmd", "key", "channel")])
        client.call("CONFIG", "RESETSTAT")
        expect("0", info(client, "stats")["acl_access_denied_key"])


if __name__ == "__main__":
    main(sys.modules[__name__], "users")
