"""The command line and the configuration file, as seen from outside: what is said and the exit status."""
import os
import sys
import tempfile

from support import SOURCE, Server, config, expect, expect_in, main, run_server

FOLDER = tempfile.TemporaryDirectory(prefix="rondo-cli-")


def file_with(lines, name="test.conf"):
    path = os.path.join(FOLDER.name, name)
    with open(path, "w") as file:
        file.write(lines)
    return path


def test_help_and_version():
    for word in ("--help", "-h"):
        status, out, err = run_server(word)
        expect((0, ""), (status, err))
        expect_in("Usage: rondo-server [FILE]", out)
    for word in ("--version", "-v"):
        status, out, err = run_server(word)
        expect((0, ""), (status, err))
        expect_in("Rondo server v=", out)


def test_test_config():
    status, out, err = run_server(file_with("port 7\nmaxmemory 1mb\nreplica-priority 5\n"), "--test-config")
    expect((0, ""), (status, err))
    expect_in("configuration is good, 3 options set", out)
    expect_in("without effect in Rondo: replica-priority", out)
    status, out, err = run_server(file_with("port 7\nmaxmemory lots\n"), "--test-config")
    expect((1, ""), (status, out))
    expect_in("at line 2 of", err)
    expect_in(">>> 'maxmemory lots'\nargument must be a memory value\n", err)
    status, out, err = run_server("--test-config", "--port", "seven")
    expect(1, status)
    expect_in("argument couldn't be parsed into an integer", err)


def test_samples():
    names = [os.path.join(SOURCE, "server.conf")]
    names += [os.path.join(SOURCE, "conf", name) for name in sorted(os.listdir(os.path.join(SOURCE, "conf")))]
    expect(True, len(names) > 3)
    for name in names:
        status, out, err = run_server(name, "--test-config", cwd=FOLDER.name)
        expect((0, ""), (status, err), name)
        expect_in("configuration is good", out)


def test_bad_starts():
    for words, reason in (
            (["--nosuch", "1"], "Bad directive or wrong number of arguments"),
            (["--port"], "wrong number of arguments"),
            (["--port", "1", "2"], "wrong number of arguments"),
            (["--appendonly", "yes"], "Rondo has no append-only file: the value can only be no"),
            (["--cluster-enabled", "yes"], "Rondo has no cluster mode: the value can only be no"),
            (["--replicaof", "127.0.0.1", "6379"], "Rondo has no replication"),
            (["--tls-port", "6380"], "Rondo has no TLS"),
            (["--logfile", "/no/such/folder/log"], "Can't open the log file: No such file or directory"),
            (["--dir", "/no/such/folder"], "No such file or directory"),
            (["/no/such/file.conf"], "Fatal error, can't open config file '/no/such/file.conf': No such file"),
    ):
        status, out, err = run_server(*words)
        expect((1, ""), (status, out), str(words))
        expect_in(reason, err)


def test_precedence():
    """Standard input wins over the file, the options win over both; a file's own last line wins over its first."""
    path = file_with("timeout 1\ntimeout 2\nhz 20\nmaxmemory 1mb\n")
    inside = file_with("maxmemory 3mb\n", "inside.conf")
    status, out, _ = run_server(path, "-", "--test-config", stdin="hz 30\ninclude %s\nbogus\n" % inside)
    expect(1, status)
    server = Server(options=["--timeout", "9"], start=False)
    server.options = ["--hz", "40"]
    with open(os.path.join(server.folder, "in.conf"), "w") as file:
        file.write("include %s\ninclude %s\n" % (path, inside))
    server.binary = [server.binary, os.path.join(server.folder, "in.conf")]
    server.command_line, plain = None, server.command_line
    binary, conf = server.binary

    def command_line():
        server.binary = binary
        words = plain()
        return [words[0], conf] + words[1:]
    server.command_line = command_line
    server.start()
    with server:
        client = server.connect()
        expect("2", config(client, "timeout"))
        expect("40", config(client, "hz"))
        expect(str(3 << 20), config(client, "maxmemory"))


def test_redis_conf_starts():
    """What a stock redis.conf sets, old and new names: it starts, says what is ignored, and shows the truth."""
    path = file_with("""
# a comment
daemonize no
databases 16
always-show-logo no
save 900 1
save 300 10
stop-writes-on-bgsave-error yes
rdbcompression yes
rdbchecksum yes
dbfilename dump.rdb
rdb-del-sync-files no
slave-serve-stale-data yes
replica-read-only yes
repl-diskless-sync no
repl-disable-tcp-nodelay no
acllog-max-len 128
lazyfree-lazy-eviction no
io-threads 4
oom-score-adj no
oom-score-adj-values 0 200 800
disable-thp yes
appendonly no
appendfilename "appendonly.aof"
appendfsync everysec
no-appendfsync-on-rewrite no
auto-aof-rewrite-percentage 100
auto-aof-rewrite-min-size 64mb
aof-load-truncated yes
lua-time-limit 5000
list-max-ziplist-entries 512
hash-max-ziplist-entries 512
activerehashing yes
client-output-buffer-limit normal 0 0 0
client-output-buffer-limit slave 256mb 64mb 60
client-output-buffer-limit pubsub 32mb 8mb 60
hz 10
dynamic-hz yes
jemalloc-bg-thread yes
""", "redis.conf")
    status, out, err = run_server(path, "--test-config")
    expect((0, ""), (status, err))
    expect_in("'save 900 1' has no effect, the value stays ''", out)
    expect_in("NOTHING IS PERSISTED", out)
    expect_in("'io-threads 4' has no effect, the value stays 1", out)
    expect_in("appendonly", out)


def test_log_of_start():
    with Server(options=["--save", "60 1", "--repl-timeout", "5"]) as server:
        server.wait_log(r"WARNING 'save 60 1' has no effect.*NOTHING IS PERSISTED")
        server.wait_log(r"without effect: .*save.*repl-timeout")
        server.wait_log(r"Ready to accept connections")
        expect("", config(server.connect(), "save"))
        expect("5", config(server.connect(), "repl-timeout"))


def test_empty_save():
    with Server(options=["--save", "--appendonly", "no"]) as server:
        expect("", config(server.connect(), "save"))


if __name__ == "__main__":
    main(sys.modules[__name__], "cli")
