#!/usr/bin/env python3
# time-limit: 300
"""Runs the transcripts (transcript.py says what they are) on every backend, in both protocols.

    test_transcripts.py [--server BINARY [--peer]] [--backend NAME] [--protocol N] [FAMILY[:WORD]...]

--peer: the binary is another server (redis-server, valkey-server): how expectations are checked before Rondo is. Tests marked !own
are left out then.
"""
import argparse
import os
import sys

import harness
from harness import Report, Server, Trouble
from transcript import BadTranscript, Conversation, Mismatch, read_file

PASSWORD = "secret"  # of every transcript that sets one
ANSWER_S = 2
FOLDER = os.path.dirname(os.path.abspath(__file__))


class Servers:
    """The servers of one backend: one plain, and one at a time with other options."""

    def __init__(self, backend, binary):
        self.backend, self.binary = backend, binary
        self.plain = self.special = None

    def get(self, args):
        if not args:
            if self.plain is None or not self.plain.alive():
                self.plain = Server(self.backend, binary=self.binary)
            return self.plain
        if self.special is None or self.special.options != args or not self.special.alive():
            self.end_special()
            self.special = Server(self.backend, args, binary=self.binary)
        return self.special

    def drop_if_stuck(self, server):
        """After a failure: a server that does not answer is replaced, so that one failure stays one."""
        if server is None or answers(server):
            return
        server.kill()
        if server is self.plain:
            self.plain = None
        else:
            self.special = None

    def end_special(self):
        special, self.special = self.special, None
        end(special)

    def end(self):
        self.end_special()
        plain, self.plain = self.plain, None
        end(plain)


def answers(server):
    try:
        with server.connect() as client:
            client.sock.settimeout(ANSWER_S)
            client.call("PING")
        return True
    except (harness.Closed, harness.Timeout, OSError):
        return False


def end(server):
    if server:
        try:
            server.stop()
        finally:
            server.kill()


def restore_options(server, client):
    """What a test has set goes back: the first look at a server is how it was started."""
    reply = client.call("CONFIG", "GET", "*")
    if reply.kind == "-":
        return
    now = dict(zip((name.data for name in reply.data[::2]), (value.data for value in reply.data[1::2])))
    if getattr(server, "options_of", None) != server.process.pid:
        server.options_of, server.options_at_start = server.process.pid, now
    for name, value in server.options_at_start.items():
        if now.get(name) != value:
            client.call("CONFIG", "SET", name, value)


def clean(server, needs):
    """A test finds no keys, no functions, no statistics and the options of the start. The first command that is needed and not there."""
    with server.connect() as client:
        client.calls([["AUTH", PASSWORD], ["CLIENT", "UNPAUSE"], ["FLUSHALL"], ["FUNCTION", "FLUSH"]])
        restore_options(server, client)
        client.call("CONFIG", "RESETSTAT")
        for name in needs:
            if client.call("COMMAND", "INFO", name).data[0].data is None:
                return name
    return None


def run_test(report, servers, family, test, protocol):
    name = "cmd/%s %s (%sresp%d)" % (family, test.name, servers.backend + " " if servers.backend else "", protocol)
    server = None
    if test.todo and servers.backend:
        report.skip(name, test.todo)
        return
    try:
        server = servers.get(test.args)
        lacking = clean(server, test.needs)
        if lacking:
            report.skip(name, "there is no " + lacking)
            return
        Conversation(test, server, protocol).run()
    except (Mismatch, BadTranscript, Trouble, harness.Closed, harness.Timeout, OSError) as error:
        report.fail(name, "%s.t: %s" % (family, error))
        if server is not None and not server.alive():
            report.fail("cmd/%s the server lives" % family, server.log()[-4000:])
        servers.drop_if_stuck(server)
        return
    report.ok(name)


def wanted(test, options, backend, protocol):
    if test.protocol not in (None, protocol) or (options.peer and test.own):
        return False
    return test.backends is None or backend is None or backend in test.backends


def run_backend(report, backend, files, options):
    servers = Servers(backend, options.server)
    for family, tests in files:
        for protocol in options.protocol or (2, 3):
            for test in tests:
                if wanted(test, options, backend, protocol):
                    run_test(report, servers, family, test, protocol)
    if not options.peer:
        report.run("cmd/servers end well (%s)" % backend, servers.end)
    else:
        servers.plain and servers.plain.kill()
        servers.special and servers.special.kill()


def choose(words):
    paths = sorted(name[:-2] for name in os.listdir(FOLDER) if name.endswith(".t"))
    files = []
    for family in paths:
        tests = read_file(os.path.join(FOLDER, family + ".t"))
        mine = [word.partition(":") for word in words if word.partition(":")[0] == family]
        if words:
            tests = [test for test in tests if any(not m[2] or m[2].lower() in test.name.lower() for m in mine)]
        if tests:
            files.append((family, tests))
    return files


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--server")
    parser.add_argument("--peer", action="store_true")
    parser.add_argument("--backend", action="append")
    parser.add_argument("--protocol", type=int, action="append")
    parser.add_argument("families", nargs="*")
    options = parser.parse_args()
    files = choose(options.families)
    report = Report()
    if options.peer:
        run_backend(report, None, files, options)
        return report.status()
    if options.server:
        harness.SERVER = options.server
    options.server = None
    usable, refused = harness.backends()
    for backend, why in refused:
        report.skip("cmd transcripts on %s" % backend, why)
    for backend in options.backend or usable:
        run_backend(report, backend, files, options)
    return report.status()


if __name__ == "__main__":
    sys.exit(main())
