"""How the server ends: by which signals, with which status, as PID 1 too, and with a report when it crashes."""
import os
import re
import signal
import sys

from support import SERVER, Server, Skip, expect, expect_in, main, show, subprocess, wait_for

def is_sanitized():
    with open(SERVER, "rb") as file:
        return b"__asan_init" in file.read()


def test_terminates():
    for number in (signal.SIGTERM, signal.SIGINT):
        with Server() as server:
            client = server.connect()
            client.call("PING")
            server.process.send_signal(number)
            expect(0, server.wait_ended(), "exit status after %s" % number.name)
            expect(b"", client.wait_closed())
            expect_in("ready to exit", server.log())
            server.process = None


def test_ignored():
    with Server() as server:
        client = server.connect()
        for number in (signal.SIGHUP, signal.SIGPIPE, signal.SIGUSR1, signal.SIGUSR2):
            server.process.send_signal(number)
            expect("+PONG", show(client.call("PING")))


def test_second_interrupt():
    """While the replies of a client that does not read are awaited, a second SIGINT ends at once."""
    with Server(ends_well=False) as server:
        client = server.connect(receive_bytes=4096)
        client.call("SET", "big", b"x" * (8 << 20))
        for _ in range(4):
            client.send("GET", "big")
        server.connect().wait_until(lambda reply: b"client_recent_max_output_buffer:0\r" not in reply.data, "INFO", "clients")
        server.process.send_signal(signal.SIGINT)
        server.wait_log("User requested shutdown")
        server.process.send_signal(signal.SIGINT)
        expect(1, server.wait_ended())
        expect_in("You insist... exiting now.", server.log())
        server.process = None


def test_as_pid_1():
    if os.getuid() != 0 or subprocess.run(["unshare", "--fork", "--pid", "true"], stderr=subprocess.DEVNULL).returncode != 0:
        raise Skip("a PID namespace cannot be made here")
    with Server(wrapper=["unshare", "--fork", "--pid", "--kill-child"], ends_well=False) as server:
        expect_in("1:M ", server.log())
        children = "/proc/%d/task/%d/children" % (server.process.pid, server.process.pid)
        with open(children) as file:
            os.kill(int(file.read().split()[0]), signal.SIGTERM)
        expect(0, server.wait_ended(), "exit status")
        server.process = None


CRASHES = (signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGABRT)


def no_core():
    import resource
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def test_crash_report():
    for number in CRASHES:
        with Server(ends_well=False, preexec=no_core) as server:
            client = server.connect()
            client.call("PING")
            server.process.send_signal(number)
            expect(-number, server.wait_ended(), "death by the signal itself")
            log = server.log()
            server.process = None
        expect(1, log.count("=== RONDO BUG REPORT START"), "reports")
        expect_in("crashed by signal: %d (%s)" % (number, number.name), log)
        expect_in("Sent by PID %d" % os.getpid(), log)
        for part in ("STACK TRACE", "turn_run", "INFO OUTPUT", "redis_version:", "CURRENT CLIENT AND COMMAND",
                     "=== RONDO BUG REPORT END"):
            expect_in(part, log)


def test_crash_in_command():
    with Server(ends_well=False, preexec=no_core) as server:
        client = server.connect()
        if client.call("DEBUG", "HELP").kind == "-":
            raise Skip("there is no DEBUG command")
        client.send("DEBUG", "SEGFAULT")
        client.wait_closed()
        expect(-signal.SIGSEGV, server.wait_ended())
        log = server.log()
        server.process = None
    expect_in("command 'debug', argc 2", log)
    expect_in("argument of 8 bytes\n", log)
    expect(None, re.search(r"argument of 8 bytes: SEGFAULT", log), "user data in the log")
    expect_in("Accessing address: 0x", log)


def test_crash_log_off():
    if is_sanitized():
        raise Skip("the sanitizer's own handler reports then")
    with Server(ends_well=False, preexec=no_core, options=["--crash-log-enabled", "no"]) as server:
        server.process.send_signal(signal.SIGSEGV)
        expect(-signal.SIGSEGV, server.wait_ended())
        expect(0, server.log().count("BUG REPORT"))
        server.process = None
    with Server(ends_well=False, preexec=no_core) as server:
        client = server.connect()
        expect("+OK", show(client.call("CONFIG", "SET", "crash-log-enabled", "no")))
        expect("+OK", show(client.call("CONFIG", "SET", "crash-log-enabled", "yes")))
        server.process.send_signal(signal.SIGSEGV)
        expect(-signal.SIGSEGV, server.wait_ended())
        expect(1, server.log().count("BUG REPORT START"))
        server.process = None


def test_crash_into_log_file():
    with Server(ends_well=False, preexec=no_core, start=False) as server:
        path = os.path.join(server.folder, "own.log")
        server.options = ["--logfile", path]
        server.start()
        server.process.send_signal(signal.SIGABRT)
        expect(-signal.SIGABRT, server.wait_ended())
        server.process = None
        with open(path) as file:
            expect_in("=== RONDO BUG REPORT END", file.read())


if __name__ == "__main__":
    main(sys.modules[__name__], "signals")
