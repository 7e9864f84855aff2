"""Background, pid file, supervisors, limits, titles, sockets."""
import os
import resource
import signal
import sys

from support import Client, Server, Skip, config, expect, expect_in, main, run_server, show, socket, wait_for


def alive(pid):
    try:
        os.kill(pid, 0)
        with open("/proc/%d/stat" % pid) as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except (ProcessLookupError, FileNotFoundError):
        return False


def read(path):
    try:
        with open(path) as file:
            return file.read()
    except FileNotFoundError:
        return ""


def test_daemonize():
    server = Server(start=False)
    pid_path, log_path = server.folder + "/pid", server.folder + "/own.log"
    sock_path = server.folder + "/sock"
    try:
        status, out, err = run_server("--port", "0", "--unixsocket", sock_path, "--unixsocketperm", "700", "--daemonize", "yes",
                                      "--pidfile", pid_path, "--logfile", log_path, "--dir", server.folder)
        expect((0, "", ""), (status, out, err))
        pid = int(wait_for(lambda: read(pid_path), "the pid file"))
        wait_for(lambda: "Ready to accept" in read(log_path), "the log")
        with socket.socket(socket.AF_UNIX) as sock:
            sock.connect(sock_path)
            expect("+PONG", show(Client(sock).call("PING")))
        expect(0o700, os.stat(sock_path).st_mode & 0o777)
        expect(pid, os.getsid(pid), "session")
        expect_in("%d:M " % pid, read(log_path))
        os.kill(pid, signal.SIGTERM)
        wait_for(lambda: not alive(pid), "the end")
        expect((False, False), (os.path.exists(pid_path), os.path.exists(sock_path)), "files left over")
    finally:
        server.kill()


def test_pidfile_in_foreground():
    with Server(start=False) as server:
        server.options = ["--pidfile", server.folder + "/pid"]
        server.start()
        wait_for(lambda: read(server.folder + "/pid") == "%d\n" % server.process.pid, "the pid file")
        server.stop()
        expect(False, os.path.exists(server.folder + "/pid"))
    with Server(options=["--pidfile", "/no/such/folder/pid"]) as server:
        server.wait_log("Failed to write PID file: No such file or directory")


def notified(address, options):
    """Starts and ends a server, and returns what it told its supervisor."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sock:
        sock.bind(address if address[0] != "@" else "\0" + address[1:])
        sock.settimeout(10)
        with Server(options=options, env={"NOTIFY_SOCKET": address}) as server:
            told = sock.recv(4096).decode()
            while "READY=1" not in told:
                told += sock.recv(4096).decode()
            server.stop()
        while "STOPPING=1" not in told:
            told += sock.recv(4096).decode()
        return told


def test_systemd():
    with Server(start=False) as folder_owner:
        told = notified(folder_owner.folder + "/notify", ["--supervised", "systemd"])
        expect_in("STATUS=Ready to accept connections\nREADY=1\n", told)
        expect(True, told.index("READY=1") < told.index("STOPPING=1"), "order")
    if sys.platform == "linux":
        told = notified("@rondo-test-%d" % os.getpid(), ["--supervised", "auto", "--daemonize", "yes"])
        expect_in("READY=1", told)  # and it did not go into the background: the harness saw its own child end


def test_systemd_missing():
    with Server(options=["--supervised", "systemd"], env={"NOTIFY_SOCKET": ""}) as server:
        server.wait_log("systemd supervision requested, but NOTIFY_SOCKET cannot be used")
        expect("no", config(server.connect(), "supervised"))


def limit_to(soft, hard):
    def set_limit():
        os.setgroups([])
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        # Root could raise the hard limit again.
        os.setgid(65534)
        os.setuid(65534)
    return set_limit


def can_drop():
    if os.getuid() != 0:
        raise Skip("must be root to try another user's limits")


def open_folder(server):
    os.chmod(server.folder, 0o777)


def test_descriptors_lowered():
    can_drop()
    with Server(start=False, preexec=limit_to(64, 100)) as server:
        open_folder(server)
        server.start()
        expect("64", config(server.connect(), "maxclients"))
        server.wait_log("You requested maxclients of 10000 requiring at least 10032 max file descriptors")
        server.wait_log("maxclients has been reduced to 64 to compensate for low ulimit")
        reply = server.connect().call("CONFIG", "SET", "maxclients", "500")
        expect_in("The operating system is not able to handle the specified number of clients, try with 6", show(reply))
        expect("64", config(server.connect(), "maxclients"))


def test_descriptors_raised():
    can_drop()
    with Server(start=False, preexec=limit_to(64, 4096), options=["--maxclients", "1000"]) as server:
        open_folder(server)
        server.start()
        expect("1000", config(server.connect(), "maxclients"))
        server.wait_log(r"Increased maximum number of open files to 1032 \(it was originally set to 64\)")


def test_descriptors_too_few():
    can_drop()
    server = Server(start=False, preexec=limit_to(30, 30))
    try:
        open_folder(server)
        try:
            server.start()
        except Exception as error:
            expect_in("is not enough for the server to start", str(error))
        else:
            raise AssertionError("it started")
        expect(1, server.process.returncode)
    finally:
        server.kill()


def title(pid):
    return read("/proc/%d/cmdline" % pid).rstrip("\0").replace("\0", " ")


def test_title():
    if sys.platform != "linux":
        raise Skip("no /proc")
    with Server() as server:
        expect("%s 127.0.0.1:%d" % (server.binary, server.port), title(server.process.pid))
        client = server.connect()
        expect("+OK", show(client.call("CONFIG", "SET", "proc-title-template", "rondo {port}")))
        expect("rondo %d" % server.port, title(server.process.pid))
        expect("-", client.call("CONFIG", "SET", "proc-title-template", "{nothing}").kind)
    with Server(options=["--set-proc-title", "no"]) as server:
        expect_in("--set-proc-title no", title(server.process.pid))


def test_oom_score():
    if sys.platform != "linux":
        raise Skip("no /proc")
    with Server(options=["--oom-score-adj", "absolute", "--oom-score-adj-values", "321", "400", "500"]) as server:
        path = "/proc/%d/oom_score_adj" % server.process.pid
        expect("321\n", read(path))
        client = server.connect()
        expect("+OK", show(client.call("CONFIG", "SET", "oom-score-adj-values", "322 400 500")))
        expect("322\n", read(path))
        if os.getuid() == 0:
            expect("+OK", show(client.call("CONFIG", "SET", "oom-score-adj", "no")))
            expect(read("/proc/self/oom_score_adj"), read(path))


def test_port_in_use():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        status, out, err = run_server("--bind", "127.0.0.1", "--port", str(taken.getsockname()[1]))
        expect(1, status)
        expect_in("Could not create server TCP listening socket 127.0.0.1:%d: Address already in use" % taken.getsockname()[1], out)


def test_nowhere():
    status, out, _ = run_server("--port", "0")
    expect(1, status)
    expect_in("Configured to not listen anywhere, exiting.", out)


if __name__ == "__main__":
    main(sys.modules[__name__], "daemon")
