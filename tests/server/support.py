"""What the tests of the process itself share, on top of tests/cmd/harness.py."""
import os
import subprocess
import sys
import time
import traceback

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cmd"))

from harness import *  # noqa: E402,F401,F403
from harness import SERVER, WAIT_S, Report, Timeout  # noqa: E402


def run_server(*words, stdin="", cwd=None, env=None):
    """A server that ends by itself: (exit status, standard output, standard error)."""
    done = subprocess.run([SERVER] + list(words), input=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          timeout=3 * WAIT_S, cwd=cwd, env=dict(os.environ, **(env or {})))
    return done.returncode, done.stdout, done.stderr


def wait_for(condition, what):
    """Waits until condition() gives something true, and returns it."""
    deadline = time.monotonic() + WAIT_S
    while True:
        found = condition()
        if found:
            return found
        if time.monotonic() > deadline:
            raise Timeout("waited in vain for " + what)
        time.sleep(0.005)


def text(reply):
    return reply.data.decode("latin-1") if isinstance(reply.data, bytes) else reply.data


def config(client, name):
    pairs = client.call("CONFIG", "GET", name).data
    return text(pairs[1]) if pairs else None


def info(client, *sections):
    """INFO as a dict; a line that is no field is left out."""
    lines = text(client.call("INFO", *sections)).split("\r\n")
    return dict(line.split(":", 1) for line in lines if ":" in line and not line.startswith("#"))


def expect(wanted, got, what="value"):
    if wanted != got:
        raise AssertionError("%s: wanted %r, got %r" % (what, wanted, got))


def expect_in(part, whole):
    if part not in whole:
        raise AssertionError("wanted %r in:\n%s" % (part, whole))


class Skip(Exception):
    """Cannot be tried here."""


def main(module, prefix):
    """Runs every function of the module that is named test_...; an argument runs only those that contain it."""
    report = Report()
    if not os.path.exists(SERVER):
        report.fail(prefix, "there is no server at " + SERVER)
        sys.exit(1)
    for name, function in list(vars(module).items()):
        if not name.startswith("test_") or not callable(function) or (len(sys.argv) > 1 and sys.argv[1] not in name):
            continue
        name = prefix + name[len("test"):]
        try:
            function()
            report.ok(name)
        except Skip as why:
            report.skip(name, why)
        except Exception:
            report.fail(name, traceback.format_exc())
    sys.exit(1 if report.failed else 0)
