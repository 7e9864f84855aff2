/* Options of features that Rondo does not have, so that a configuration written for Redis or Valkey starts unchanged as a cache.
 * Each row says what happens to its option (enum option_foreign):
 *   IGNORED  the value is checked and shown but does nothing, and nothing is lost by that;
 *   PINNED   the user may have expected something: a warning at start, the truth in CONFIG GET;
 *   REFUSED  starting would lose data or protection: the start stops with the reason.
 * `doc` names what is missing, as the end of "Rondo has no ...". */
#include "server/options.h"

#include <limits.h>

#define BOOL(name_, initial_, doc_) \
    .name = (name_), .kind = OPTION_BOOL, .at = OPTION_NOWHERE, .initial = (initial_), .doc = (doc_)
#define INT(name_, low_, high_, initial_, doc_)                                                \
    .name = (name_), .kind = OPTION_INT, .at = OPTION_NOWHERE, .low = (low_), .high = (high_), \
    .initial = (initial_), .doc = (doc_)
#define COUNT(name_, initial_, doc_) INT(name_, 0, INT_MAX, initial_, doc_)
#define BYTES(name_, initial_, doc_) \
    INT(name_, 0, INT64_MAX, initial_, doc_), .flags = OPTION_MEMORY
#define PORT(name_, doc_) INT(name_, 0, 65535, "0", doc_)
#define TEXT(name_, initial_, doc_) \
    .name = (name_), .kind = OPTION_TEXT, .at = OPTION_NOWHERE, .initial = (initial_), .doc = (doc_)
#define ENUM(name_, names_, initial_, doc_)                                        \
    .name = (name_), .kind = OPTION_ENUM, .at = OPTION_NOWHERE, .names = (names_), \
    .initial = (initial_), .doc = (doc_)
#define WORDS(name_, initial_, doc_)                                                         \
    .name = (name_), .kind = OPTION_SPECIAL, .at = OPTION_NOWHERE, .special = &option_words, \
    .flags = OPTION_MULTI, .initial = (initial_), .doc = (doc_)
#define SET_AT_START .flags = OPTION_IMMUTABLE
#define SECRET .flags = OPTION_SENSITIVE

static const char snapshots[] = "snapshots on disk", log_file[] = "append-only file",
                  replication[] = "replication", cluster[] = "cluster mode", tls[] = "TLS",
                  threads[] = "I/O threads", defrag[] = "active defragmentation",
                  modules[] = "modules", rdma[] = "RDMA", scripts[] = "server-side scripts",
                  command_log[] = "log of large commands", children[] = "background processes",
                  sockets[] = "such socket option", memory_test[] = "memory test in crash reports",
                  collation[] = "collation by locale", log_forms[] = "other log format";

/* Numbers only mark the names: nothing reads them. */
static const struct option_name fsync_names[] = {
    {"everysec", 0}, {"always", 1}, {"no", 2}, {NULL, 0}};
static const struct option_name diskless_names[] = {
    {"disabled", 0}, {"on-empty-db", 1}, {"swapdb", 2}, {"flush-before-load", 3}, {NULL, 0}};
static const struct option_name protected_names[] = {
    {"no", 0}, {"yes", 1}, {"local", 2}, {NULL, 0}};
static const struct option_name endpoint_names[] = {
    {"ip", 0}, {"hostname", 1}, {"unknown-endpoint", 2}, {NULL, 0}};
static const struct option_name save_behavior_names[] = {
    {"sync", 0}, {"best-effort", 1}, {NULL, 0}};
static const struct option_name propagation_names[] = {
    {"ignore", 0}, {"panic", 1}, {"panic-on-replicas", 2}, {NULL, 0}};
static const struct option_name client_auth_names[] = {
    {"no", 0}, {"yes", 1}, {"optional", 2}, {NULL, 0}};
static const struct option_name auth_user_names[] = {{"CN", 1}, {"URI", 2}, {"off", 0}, {NULL, 0}};
static const struct option_name log_format_names[] = {
    {"legacy", 0}, {"logfmt", 1}, {"json", 2}, {NULL, 0}};
static const struct option_name log_time_names[] = {
    {"legacy", 0}, {"iso8601", 1}, {"milliseconds", 2}, {NULL, 0}};
static const struct option_name rdb_check_names[] = {{"strict", 0}, {"relaxed", 1}, {NULL, 0}};
static const struct option_name shutdown_names[] = {{"default", 0},   {"save", 1},  {"nosave", 2},
                                                    {"now", 4},       {"force", 8}, {"safe", 16},
                                                    {"failover", 32}, {NULL, 0}};

static const char *check_shutdown(const struct span *words, uint32_t count) {
    bool save = false, nosave = false;
    for (uint32_t i = 0; i < count; i++) {
        save |= span_is(words[i], "save");
        nosave |= span_is(words[i], "nosave");
    }
    return save && nosave ? "shutdown options SAVE and NOSAVE can't be used simultaneously" : NULL;
}

const struct option options_foreign[] = {
    /* ---- persistence */
    {.name = "save",
     .kind = OPTION_SPECIAL,
     .at = OPTION_NOWHERE,
     .foreign = OPTION_PINNED,
     .special = &option_save,
     .flags = OPTION_MULTI,
     .initial = "",
     .doc = "snapshots on disk: NOTHING IS PERSISTED, all data is gone after a restart"},
    {BOOL("appendonly", "no", log_file), .foreign = OPTION_REFUSED, .flags = OPTION_DENY_LOADING},
    {ENUM("appendfsync", fsync_names, "everysec", log_file)},
    {TEXT("appendfilename", "appendonly.aof", log_file), SET_AT_START},
    {TEXT("appenddirname", "appendonlydir", log_file), SET_AT_START},
    {BOOL("no-appendfsync-on-rewrite", "no", log_file)},
    {COUNT("auto-aof-rewrite-percentage", "100", log_file)},
    {BYTES("auto-aof-rewrite-min-size", "64mb", log_file)},
    {BOOL("aof-load-truncated", "yes", log_file)},
    {BOOL("aof-use-rdb-preamble", "yes", log_file)},
    {BOOL("aof-timestamp-enabled", "no", log_file)},
    {BOOL("aof-rewrite-incremental-fsync", "yes", log_file)},
    {BOOL("aof-disable-auto-gc", "no", log_file), .flags = OPTION_HIDDEN},
    {TEXT("dbfilename", "dump.rdb", snapshots), .flags = OPTION_PROTECTED},
    {BOOL("rdbcompression", "yes", snapshots)},
    {BOOL("rdbchecksum", "yes", snapshots), SET_AT_START},
    {BOOL("rdb-del-sync-files", "no", snapshots)},
    {BOOL("rdb-save-incremental-fsync", "yes", snapshots)},
    {INT("rdb-key-save-delay", INT_MIN, INT_MAX, "0", snapshots), .flags = OPTION_HIDDEN},
    {ENUM("rdb-version-check", rdb_check_names, "strict", snapshots)},
    {BOOL("stop-writes-on-bgsave-error", "yes", snapshots)},
    {INT("key-load-delay", INT_MIN, INT_MAX, "0", snapshots), .flags = OPTION_HIDDEN},
    {INT("loading-process-events-interval-bytes", 1024, INT_MAX, "2mb", snapshots),
     .flags = OPTION_HIDDEN | OPTION_MEMORY},
    {BOOL("sanitize-dump-payload", "no", snapshots)},
    {TEXT("bgsave-cpulist", "", children), .alias = "bgsave_cpulist", SET_AT_START},
    {TEXT("aof-rewrite-cpulist", "", children), .alias = "aof_rewrite_cpulist", SET_AT_START},
    {TEXT("bio-cpulist", "", threads), .alias = "bio_cpulist", SET_AT_START},

    /* ---- replication */
    {.name = "replicaof",
     .alias = "slaveof",
     .kind = OPTION_SPECIAL,
     .at = OPTION_NOWHERE,
     .foreign = OPTION_REFUSED,
     .special = &option_words,
     .flags = OPTION_MULTI | OPTION_IMMUTABLE,
     .initial = "",
     .doc = replication},
    {TEXT("primaryauth", "", replication), .alias = "masterauth", SECRET},
    {TEXT("primaryuser", "", replication), .alias = "masteruser", SECRET},
    {COUNT("min-replicas-to-write", "0", replication), .alias = "min-slaves-to-write",
     .foreign = OPTION_REFUSED},
    {COUNT("min-replicas-max-lag", "10", replication), .alias = "min-slaves-max-lag"},
    {INT("repl-backlog-size", 1, INT64_MAX, "10mb", replication), .flags = OPTION_MEMORY},
    {INT("repl-backlog-ttl", 0, INT64_MAX, "3600", replication)},
    {INT("repl-timeout", 1, INT_MAX, "60", replication)},
    {INT("repl-ping-replica-period", 1, INT_MAX, "10", replication),
     .alias = "repl-ping-slave-period"},
    {BOOL("repl-disable-tcp-nodelay", "no", replication)},
    {BOOL("repl-mptcp", "no", replication), SET_AT_START},
    {BOOL("repl-diskless-sync", "yes", replication)},
    {COUNT("repl-diskless-sync-delay", "5", replication)},
    {COUNT("repl-diskless-sync-max-replicas", "0", replication)},
    {ENUM("repl-diskless-load", diskless_names, "disabled", replication),
     .flags = OPTION_DENY_LOADING},
    {BOOL("dual-channel-replication-enabled", "no", replication)},
    {BOOL("replica-serve-stale-data", "yes", replication), .alias = "slave-serve-stale-data"},
    {BOOL("replica-read-only", "yes", replication), .alias = "slave-read-only"},
    {BOOL("replica-lazy-flush", "yes", replication), .alias = "slave-lazy-flush"},
    {BOOL("replica-ignore-maxmemory", "yes", replication), .alias = "slave-ignore-maxmemory"},
    {BOOL("replica-announced", "yes", replication)},
    {TEXT("replica-announce-ip", "", replication), .alias = "slave-announce-ip"},
    {PORT("replica-announce-port", replication), .alias = "slave-announce-port"},
    {COUNT("replica-priority", "100", replication), .alias = "slave-priority"},
    {BOOL("replica-ignore-disk-write-errors", "no", replication)},
    {BYTES("replica-full-sync-buffer-limit", "0", replication)},
    {ENUM("propagation-error-behavior", propagation_names, "ignore", replication)},
    {BOOL("import-mode", "no", replication), .foreign = OPTION_PINNED},
    {TEXT("bind-source-addr", "", replication)},
    {INT("slot-migration-max-failover-repl-bytes", 0, INT64_MAX, "0", cluster),
     .flags = OPTION_MEMORY},

    /* ---- cluster */
    {BOOL("cluster-enabled", "no", cluster), .foreign = OPTION_REFUSED, SET_AT_START},
    {TEXT("cluster-config-file", "nodes.conf", cluster), SET_AT_START},
    {ENUM("cluster-config-save-behavior", save_behavior_names, "sync", cluster)},
    {INT("cluster-databases", 1, INT_MAX, "1", cluster), SET_AT_START},
    {INT("cluster-node-timeout", 0, INT64_MAX, "15000", cluster)},
    {INT("cluster-ping-interval", 0, INT64_MAX, "0", cluster), .flags = OPTION_HIDDEN},
    {PORT("cluster-port", cluster), SET_AT_START},
    {COUNT("cluster-migration-barrier", "1", cluster)},
    {COUNT("cluster-replica-validity-factor", "10", cluster),
     .alias = "cluster-slave-validity-factor"},
    {BOOL("cluster-replica-no-failover", "no", cluster), .alias = "cluster-slave-no-failover"},
    {BOOL("cluster-require-full-coverage", "yes", cluster)},
    {BOOL("cluster-allow-reads-when-down", "no", cluster)},
    {BOOL("cluster-allow-pubsubshard-when-down", "yes", cluster)},
    {BOOL("cluster-allow-replica-migration", "yes", cluster)},
    {BYTES("cluster-link-sendbuf-limit", "0", cluster)},
    {TEXT("cluster-announce-ip", "", cluster)},
    {TEXT("cluster-announce-client-ipv4", "", cluster)},
    {TEXT("cluster-announce-client-ipv6", "", cluster)},
    {TEXT("cluster-announce-hostname", "", cluster)},
    {TEXT("cluster-announce-human-nodename", "", cluster)},
    {PORT("cluster-announce-port", cluster)},
    {PORT("cluster-announce-tls-port", cluster)},
    {PORT("cluster-announce-bus-port", cluster)},
    {PORT("cluster-announce-client-port", cluster)},
    {PORT("cluster-announce-client-tls-port", cluster)},
    {ENUM("cluster-preferred-endpoint-type", endpoint_names, "ip", cluster)},
    {INT("cluster-blacklist-ttl", 0, INT64_MAX, "60", cluster)},
    {INT("cluster-manual-failover-timeout", 1, INT_MAX, "5000", cluster)},
    {INT("cluster-slot-migration-log-max-len", 0, INT64_MAX, "1000", cluster)},
    {BOOL("cluster-slot-stats-enabled", "no", cluster)},
    {COUNT("cluster-compatibility-sample-ratio", "0", cluster)},
    {INT("cluster-message-gossip-perc", 1, 100, "10", cluster), .flags = OPTION_HIDDEN},
    {TEXT("availability-zone", "", cluster)},

    /* ---- TLS */
    {PORT("tls-port", tls), .foreign = OPTION_REFUSED},
    {BOOL("tls-cluster", "no", tls)},
    {BOOL("tls-replication", "no", tls)},
    {ENUM("tls-auth-clients", client_auth_names, "yes", tls)},
    {ENUM("tls-auth-clients-user", auth_user_names, "off", tls)},
    {TEXT("tls-cert-file", "", tls)},
    {TEXT("tls-key-file", "", tls)},
    {TEXT("tls-key-file-pass", "", tls), SECRET},
    {TEXT("tls-client-cert-file", "", tls)},
    {TEXT("tls-client-key-file", "", tls)},
    {TEXT("tls-client-key-file-pass", "", tls), SECRET},
    {TEXT("tls-dh-params-file", "", tls)},
    {TEXT("tls-ca-cert-file", "", tls)},
    {TEXT("tls-ca-cert-dir", "", tls)},
    {TEXT("tls-protocols", "", tls)},
    {TEXT("tls-ciphers", "", tls)},
    {TEXT("tls-ciphersuites", "", tls)},
    {BOOL("tls-prefer-server-ciphers", "no", tls)},
    {BOOL("tls-session-caching", "yes", tls)},
    {COUNT("tls-session-cache-size", "20480", tls)},
    {COUNT("tls-session-cache-timeout", "300", tls)},
    {COUNT("tls-auto-reload-interval", "0", tls)},
    {INT("max-new-tls-connections-per-cycle", 1, 1000, "1", tls)},

    /* ---- threads, defragmentation, the allocator */
    {INT("io-threads", 1, 256, "1", threads), .foreign = OPTION_PINNED},
    {BOOL("io-threads-do-reads", "no", threads), .foreign = OPTION_PINNED},
    {BOOL("io-threads-always-active", "no", threads), .flags = OPTION_HIDDEN},
    {COUNT("events-per-io-thread", "2", threads), .flags = OPTION_HIDDEN},
    {INT("prefetch-batch-max-size", 0, 128, "16", threads)},
    {INT("max-new-connections-per-cycle", 1, 1000, "10", threads)},
    {COUNT("min-io-threads-avoid-copy-reply", "7", threads), .flags = OPTION_HIDDEN},
    {COUNT("min-string-size-avoid-copy-reply", "16384", threads), .flags = OPTION_HIDDEN},
    {COUNT("min-string-size-avoid-copy-reply-threaded", "65536", threads), .flags = OPTION_HIDDEN},
    {BOOL("activedefrag", "no", defrag), .foreign = OPTION_PINNED},
    {BYTES("active-defrag-ignore-bytes", "100mb", defrag)},
    {INT("active-defrag-threshold-lower", 0, 1000, "10", defrag)},
    {INT("active-defrag-threshold-upper", 0, 1000, "100", defrag)},
    {INT("active-defrag-cycle-min", 1, 99, "1", defrag)},
    {INT("active-defrag-cycle-max", 1, 99, "25", defrag)},
    {INT("active-defrag-cycle-us", 0, 100000, "500", defrag)},
    {INT("active-defrag-max-scan-fields", 1, INT64_MAX, "1000", defrag)},
    {BOOL("jemalloc-bg-thread", "no", "background thread of the allocator"),
     .foreign = OPTION_PINNED},
    {INT("maxmemory-eviction-tenacity", 0, 100, "10", "eviction in bursts")},

    /* ---- modules, scripts */
    {ENUM("enable-module-command", protected_names, "no", modules), SET_AT_START},
    {BOOL("lua-enable-insecure-api", "no", scripts), .alias = "lua-enable-deprecated-api",
     .flags = OPTION_HIDDEN | OPTION_PROTECTED},

    /* ---- sockets */
    {BOOL("mptcp", "no", sockets), .foreign = OPTION_PINNED, SET_AT_START},
    {INT("socket-mark-id", 0, UINT_MAX, "0", sockets), .foreign = OPTION_PINNED, SET_AT_START},
    {WORDS("rdma-bind", "", rdma), .foreign = OPTION_REFUSED},
    {PORT("rdma-port", rdma), .foreign = OPTION_REFUSED},
    {INT("rdma-rx-size", 64 * 1024, 16 * 1024 * 1024, "1mb", rdma),
     .flags = OPTION_IMMUTABLE | OPTION_MEMORY},
    {INT("rdma-completion-vector", -1, 1024, "-1", rdma), SET_AT_START},

    /* ---- observation */
    {INT("commandlog-request-larger-than", -1, INT64_MAX, "1048576", command_log)},
    {INT("commandlog-reply-larger-than", -1, INT64_MAX, "1048576", command_log)},
    {INT("commandlog-large-request-max-len", 0, INT64_MAX, "128", command_log)},
    {INT("commandlog-large-reply-max-len", 0, INT64_MAX, "128", command_log)},
    {BOOL("crash-memcheck-enabled", "yes", memory_test)},
    {BOOL("use-exit-on-panic", "no", "exit on panic"), .flags = OPTION_HIDDEN},
    {BOOL("enable-debug-assert", "no", "such assertions"),
     .flags = OPTION_HIDDEN | OPTION_IMMUTABLE},
    {COUNT("watchdog-period", "0", "watchdog"), .foreign = OPTION_PINNED, .flags = OPTION_HIDDEN},
    {ENUM("log-format", log_format_names, "legacy", log_forms), .foreign = OPTION_PINNED},
    {ENUM("log-timestamp-format", log_time_names, "legacy", log_forms), .foreign = OPTION_PINNED},
    {TEXT("ignore-warnings", "", "warnings to silence")},

    /* ---- the rest */
    {ENUM("shutdown-on-sigint", shutdown_names, "default", snapshots), .flags = OPTION_MULTI,
     .check = check_shutdown},
    {ENUM("shutdown-on-sigterm", shutdown_names, "default", snapshots), .flags = OPTION_MULTI,
     .check = check_shutdown},
    {TEXT("locale-collate", "", collation)},
    {TEXT("hash-seed", "", "fixed hash seed"), SET_AT_START},
    {BOOL("extended-redis-compatibility", "no",
          "need for it: names and texts are Redis's already")},
    {TEXT("debug-context", "", "debug context"), .flags = OPTION_HIDDEN},
};
const uint32_t options_foreign_count = ARRAY_LENGTH(options_foreign);
