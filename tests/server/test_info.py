"""INFO: the sections, and the fields that clients and exporters read, with values that follow what happens."""
import re
import sys

from support import Server, Skip, expect, expect_in, info, main, text

DEFAULT = ["Server", "Clients", "Memory", "Persistence", "Stats", "Replication", "CPU", "Modules", "Errorstats", "Cluster",
           "Keyspace", "Rondo"]

# What redis-cli --stat, redis_exporter, client libraries and dashboards look for.
NEEDED = """redis_version redis_mode os arch_bits multiplexing_api process_id run_id tcp_port uptime_in_seconds uptime_in_days hz
executable config_file connected_clients maxclients blocked_clients client_recent_max_input_buffer used_memory used_memory_human
used_memory_rss used_memory_peak used_memory_lua used_memory_overhead used_memory_startup used_memory_dataset
total_system_memory maxmemory maxmemory_policy mem_fragmentation_ratio mem_allocator lazyfree_pending_objects loading
rdb_changes_since_last_save rdb_bgsave_in_progress rdb_last_save_time rdb_last_bgsave_status aof_enabled
aof_rewrite_in_progress total_connections_received total_commands_processed instantaneous_ops_per_sec total_net_input_bytes
total_net_output_bytes instantaneous_input_kbps rejected_connections expired_keys evicted_keys keyspace_hits keyspace_misses
pubsub_channels pubsub_patterns latest_fork_usec total_error_replies role connected_slaves master_replid master_repl_offset
repl_backlog_active used_cpu_sys used_cpu_user cluster_enabled rondo_version server_name net_backend net_turns
net_system_calls reply_bytes_copied reply_bytes_by_reference""".split()


def sections(client, *names):
    return re.findall(r"^# (\w+)\r$", text(client.call("INFO", *names)), re.M)


def test_sections():
    with Server() as server:
        client = server.connect()
        expect(DEFAULT, sections(client))
        expect(DEFAULT, sections(client, "default"))
        with_all = [name for name in DEFAULT if name != "Modules"]
        with_all[with_all.index("Errorstats"):with_all.index("Errorstats") + 1] = ["Commandstats", "Errorstats", "Latencystats"]
        expect(with_all, sections(client, "all"))
        expect(sorted(with_all + ["Modules"]), sorted(sections(client, "everything")))
        expect(["Server", "Keyspace"], sections(client, "keyspace", "SERVER", "server"))
        expect([], sections(client, "nosuch"))
        expect("", text(client.call("INFO", "nosuch")))
        expect(["Debug"], sections(client, "debug"))
        expect("=", server.connect(3).call("INFO").kind)


def test_form():
    """CRLF at every line, an empty line between sections, name:value otherwise."""
    with Server() as server:
        body = text(server.connect().call("INFO", "everything"))
        expect(body.count("\n"), body.count("\r\n"))
        for line in body.split("\r\n"):
            if not re.match(r"^(|# \w+|[a-z][a-z0-9_|.-]*:.*)$", line):
                raise AssertionError("not a line of INFO: %r" % line)


def test_needed_fields():
    with Server() as server:
        fields = info(server.connect())
        expect([], [name for name in NEEDED if name not in fields], "missing fields")
        expect(str(server.port), fields["tcp_port"])
        expect(str(server.process.pid), fields["process_id"])
        expect("7.2.4", fields["redis_version"])
        expect(40, len(fields["run_id"]))
        expect(("master", "standalone", "0"), (fields["role"], fields["redis_mode"], fields["cluster_enabled"]))
        expect_in(fields["net_backend"], "io_uring epoll kqueue")


def test_counters():
    with Server() as server:
        client = server.connect()
        before = info(client)
        for _ in range(50):
            client.call("PING")
        after = info(client)
        expect(int(before["total_commands_processed"]) + 51, int(after["total_commands_processed"]))
        expect(True, int(after["total_net_input_bytes"]) >= int(before["total_net_input_bytes"]) + 50 * 14)
        expect(True, int(after["net_turns"]) > int(before["net_turns"]))
        expect("1", after["connected_clients"])
        stats = info(client, "commandstats")["cmdstat_ping"]
        expect_in("calls=5", stats)
        client.call("NOSUCH")
        expect("count=1", info(client, "errorstats")["errorstat_ERR"])
        expect_in("p50=", info(client, "latencystats")["latency_percentiles_usec_ping"])
        client.call("CONFIG", "RESETSTAT")
        reset = info(client, "everything")
        expect(True, int(reset["total_commands_processed"]) < 5)
        expect(None, reset.get("errorstat_ERR"))


def test_rates():
    with Server() as server:
        client = server.connect()
        seen = 0
        for _ in range(2000):
            client.calls([["PING"]] * 50)
            seen = int(info(client, "stats")["instantaneous_ops_per_sec"])
            if seen > 0:
                break
        expect(True, seen > 0, "instantaneous_ops_per_sec under load")


def test_python_client():
    """A real client library parses it all."""
    try:
        import redis
    except ImportError:
        raise Skip("python3-redis is not installed")
    with Server() as server:
        client = redis.Redis(port=server.port)
        fields = client.info("everything")
        expect("7.2.4", fields["redis_version"])
        expect(dict, type(fields["cmdstat_info"] if "cmdstat_info" in fields else {}))
        expect(0, fields["loading"])
        expect("no", client.config_get("appendonly")["appendonly"])
        expect(True, client.config_set("timeout", 5))
        expect({"timeout": "5"}, client.config_get("timeout"))


def test_keyspace():
    with Server() as server:
        client = server.connect()
        if client.call("SET", "a", "1").kind == "-":
            raise AssertionError("SET failed")
        client.call("SET", "b", "1", "EX", "1000")
        line = info(client, "keyspace")["db0"]
        found = re.match(r"keys=2,expires=1,avg_ttl=(\d+)", line)
        expect(True, bool(found) and 990000 < int(found.group(1)) <= 1000000, line)
        client.call("GET", "a")
        client.call("GET", "none")
        fields = info(client, "stats")
        expect(("1", "1"), (fields["keyspace_hits"], fields["keyspace_misses"]))


if __name__ == "__main__":
    main(sys.modules[__name__], "info")
