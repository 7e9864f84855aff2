#include "server/info.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/compat.h"
#include "commands/registry.h"
#include "net/net.h"
#include "server/config.h"
#include "server/info_parts.h"
#include "server/platform.h"
#include "server/version.h"

/* -- one field */

void info_text(struct info *info, const char *name, const char *value) {
    buf_printf(info->out, "%s:%s\r\n", name, value);
}

void info_uint(struct info *info, const char *name, uint64_t value) {
    buf_printf(info->out, "%s:%" PRIu64 "\r\n", name, value);
}

void info_int(struct info *info, const char *name, int64_t value) {
    buf_printf(info->out, "%s:%" PRId64 "\r\n", name, value);
}

void info_ratio(struct info *info, const char *name, double part, double whole) {
    buf_printf(info->out, "%s:%.2f\r\n", name, whole > 0 ? part / whole : 0);
}

const char *info_human_bytes(uint64_t bytes, char *out, size_t size) {
    static const char units[] = "BKMGTPE";
    double value = (double)bytes;
    int unit = 0;
    while (value >= 1024 && units[unit + 1]) value /= 1024, unit++;
    if (unit == 0) {
        snprintf(out, size, "%" PRIu64 "B", bytes);
    } else {
        snprintf(out, size, "%.2f%c", value, units[unit]);
    }
    return out;
}

void info_bytes(struct info *info, const char *name, uint64_t bytes) {
    char human[32];
    buf_printf(info->out, "%s:%" PRIu64 "\r\n%s_human:%s\r\n", name, bytes, name,
               info_human_bytes(bytes, human, sizeof human));
}

void info_fixed(struct info *info, const struct info_fixed_field *fields, size_t count) {
    for (size_t i = 0; i < count; i++) info_text(info, fields[i].name, fields[i].value);
}

const char *info_option(struct info *info, const char *name, char *out, size_t size) {
    const struct option *option = config_find(span_of(name));
    struct buf text = {0};
    option_print(option, info->source->host->settings, NULL, &text);
    snprintf(out, size, "%s", buf_terminate(&text));
    buf_release(&text);
    return out;
}

/* -- sections */

static void listeners(struct info *info) {
    const struct settings *settings = info->source->host->settings;
    int number = 0;
    if (settings->port > 0) {
        buf_printf(info->out, "listener%d:name=tcp", number++);
        for (uint32_t i = 0; i < settings->bind_count; i++)
            buf_printf(info->out, ",bind=%s", settings->bind[i]);
        if (settings->bind_count == 0) buf_put_text(info->out, ",bind=*");
        buf_printf(info->out, ",port=%" PRId64 "\r\n", settings->port);
    }
    if (settings->unixsocket) {
        buf_printf(info->out, "listener%d:name=unix,bind=%s\r\n", number, settings->unixsocket);
    }
}

static void section_server(struct info *info) {
    const struct info_source *source = info->source;
    const struct settings *settings = source->host->settings;
    int64_t uptime_s = source->host->uptime_s(source->host->server);
    struct utsname system = {0};
    char supervised[32], executable[PATH_MAX];
    uname(&system);
    info_text(info, "redis_version", RONDO_REDIS_VERSION);
    info_text(info, "server_name", "rondo");
    info_text(info, "rondo_version", RONDO_VERSION);
    info_text(info, "redis_git_sha1", "00000000");
    info_text(info, "redis_git_dirty", "0");
    info_text(info, "redis_build_id", RONDO_VERSION);
    info_text(info, "redis_mode", "standalone");
    buf_printf(info->out, "os:%s %s %s\r\n", system.sysname, system.release, system.machine);
    info_uint(info, "arch_bits", sizeof(void *) * 8);
    info_text(info, "monotonic_clock", "POSIX clock_gettime, once a turn");
    info_text(info, "multiplexing_api", net_backend_name(source->host->net));
    info_text(info, "gcc_version", __VERSION__);
    info_int(info, "process_id", getpid());
    info_text(info, "process_supervised",
              info_option(info, "supervised", supervised, sizeof supervised));
    info_text(info, "run_id", source->run_id);
    info_int(info, "tcp_port", settings->port);
    info_int(info, "server_time_usec", clock_real_us());
    info_int(info, "uptime_in_seconds", uptime_s);
    info_int(info, "uptime_in_days", uptime_s / (24 * 3600));
    info_int(info, "hz", settings->hz);
    info_int(info, "configured_hz", settings->hz);
    info_int(info, "lru_clock", clock_real_ms() / 1000 & ((1 << 24) - 1));
    platform_executable(executable, sizeof executable);
    info_text(info, "executable", *executable ? executable : source->executable);
    info_text(info, "config_file", source->config_file);
    info_text(info, "io_threads_active", "0");
    listeners(info);
}

static void section_clients(struct info *info) {
    const struct host *host = info->source->host;
    const struct sessions *sessions = host->sessions;
    const struct info_sessions *seen = info_look_at_sessions(info);
    int64_t paused_ms = sessions->paused_until_ms - clock_mono_ms();
    bool paused = sessions->paused_until_ms != 0 && paused_ms > 0;
    info_uint(info, "connected_clients", sessions->count);
    info_text(info, "cluster_connections", "0");
    info_int(info, "maxclients", host->settings->maxclients);
    info_uint(info, "client_recent_max_input_buffer", seen->input_bytes_max);
    info_uint(info, "client_recent_max_output_buffer", seen->output_bytes_max);
    info_uint(info, "blocked_clients", sessions->blocked_count + seen->paused_count);
    info_uint(info, "tracking_clients", sessions->tracking_count);
    info_uint(info, "pubsub_clients", seen->pubsub_count);
    info_uint(info, "watching_clients", info->counts.watching_clients);
    info_uint(info, "clients_in_timeout_table", seen->timeout_count);
    info_uint(info, "total_watched_keys", info->counts.watched_keys);
    info_uint(info, "total_blocking_keys", info->counts.blocking_keys);
    info_uint(info, "total_blocking_keys_on_nokey", info->counts.blocking_keys_on_no_key);
    info_text(info, "paused_reason", paused ? "client_pause" : "none");
    info_text(info, "paused_actions",
              !paused                        ? "none"
              : sessions->paused_writes_only ? "write"
                                             : "all");
    info_int(info, "paused_timeout_milliseconds", paused ? paused_ms : 0);
}

static void section_persistence(struct info *info) {
    static const struct info_fixed_field before[] = {
        {"loading", "0"},
        {"async_loading", "0"},
        {"current_cow_peak", "0"},
        {"current_cow_size", "0"},
        {"current_cow_size_age", "0"},
        {"current_fork_perc", "0.00"},
        {"current_save_keys_processed", "0"},
        {"current_save_keys_total", "0"},
        {"rdb_changes_since_last_save", "0"},
        {"rdb_bgsave_in_progress", "0"},
    };
    static const struct info_fixed_field after[] = {
        {"rdb_last_bgsave_status", "ok"},
        {"rdb_last_bgsave_time_sec", "-1"},
        {"rdb_current_bgsave_time_sec", "-1"},
        {"rdb_saves", "0"},
        {"rdb_last_cow_size", "0"},
        {"rdb_last_load_keys_expired", "0"},
        {"rdb_last_load_keys_loaded", "0"},
        {"aof_enabled", "0"},
        {"aof_rewrite_in_progress", "0"},
        {"aof_rewrite_scheduled", "0"},
        {"aof_last_rewrite_time_sec", "-1"},
        {"aof_current_rewrite_time_sec", "-1"},
        {"aof_last_bgrewrite_status", "ok"},
        {"aof_rewrites", "0"},
        {"aof_rewrites_consecutive_failures", "0"},
        {"aof_last_write_status", "ok"},
        {"aof_last_cow_size", "0"},
        {"module_fork_in_progress", "0"},
        {"module_fork_last_cow_size", "0"},
    };
    info_fixed(info, before, ARRAY_LENGTH(before));
    info_int(info, "rdb_last_save_time", info->source->started_s);
    info_fixed(info, after, ARRAY_LENGTH(after));
}

static void section_replication(struct info *info) {
    info_text(info, "role", "master");
    info_text(info, "connected_slaves", "0");
    info_text(info, "master_failover_state", "no-failover");
    info_text(info, "master_replid", info->source->replication_id);
    info_text(info, "master_replid2", "0000000000000000000000000000000000000000");
    info_text(info, "master_repl_offset", "0");
    info_text(info, "second_repl_offset", "-1");
    info_text(info, "repl_backlog_active", "0");
    info_text(info, "repl_backlog_size", "0");
    info_text(info, "repl_backlog_first_byte_offset", "0");
    info_text(info, "repl_backlog_histlen", "0");
}

static void cpu_field(struct info *info, const char *name, struct timeval time) {
    buf_printf(info->out, "%s:%ld.%06ld\r\n", name, (long)time.tv_sec, (long)time.tv_usec);
}

static void section_cpu(struct info *info) {
    struct rusage self = {0}, children = {0};
    getrusage(RUSAGE_SELF, &self);
    getrusage(RUSAGE_CHILDREN, &children);
    cpu_field(info, "used_cpu_sys", self.ru_stime);
    cpu_field(info, "used_cpu_user", self.ru_utime);
    cpu_field(info, "used_cpu_sys_children", children.ru_stime);
    cpu_field(info, "used_cpu_user_children", children.ru_utime);
    /* There is one thread (helper threads of the kernel's ring are counted in it). */
    cpu_field(info, "used_cpu_sys_main_thread", self.ru_stime);
    cpu_field(info, "used_cpu_user_main_thread", self.ru_utime);
}

static void section_modules(struct info *info) {}

static void section_cluster(struct info *info) {
    info_text(info, "cluster_enabled", "0");
}

static void section_keyspace(struct info *info) {
    const struct keyspace *keyspace = info->source->host->keyspace;
    for (uint32_t i = 0; i < keyspace_db_count(keyspace); i++) {
        const struct db *db = keyspace_db(info->source->host->keyspace, i);
        uint64_t keys = db_count(db), with_deadline = db->deadline_count;
        int64_t ttl_ms = 0;
        if (keys == 0) continue;
        if (with_deadline > 0)
            ttl_ms = db->deadline_sum_ms / (int64_t)with_deadline - clock_real_ms();
        buf_printf(info->out,
                   "db%u:keys=%" PRIu64 ",expires=%" PRIu64 ",avg_ttl=%" PRId64
                   ",keys_with_volatile_items=%" PRIu64 "\r\n",
                   i, keys, with_deadline, MAX(ttl_ms, 0), db->inner_count);
    }
}

/* -- the table */

enum section_flag {
    SECTION_DEFAULT = 1, /* without arguments, and for "default" */
    SECTION_ALL = 2,     /* for "all" and "everything" */
    SECTION_EVERYTHING = 4,
};

static const struct section {
    const char *name, *title;
    unsigned flags;
    void (*write)(struct info *info);
} sections_table[] = {
    {"server", "Server", SECTION_DEFAULT | SECTION_ALL, section_server},
    {"clients", "Clients", SECTION_DEFAULT | SECTION_ALL, section_clients},
    {"memory", "Memory", SECTION_DEFAULT | SECTION_ALL, info_section_memory},
    {"persistence", "Persistence", SECTION_DEFAULT | SECTION_ALL, section_persistence},
    {"stats", "Stats", SECTION_DEFAULT | SECTION_ALL, info_section_stats},
    {"replication", "Replication", SECTION_DEFAULT | SECTION_ALL, section_replication},
    {"cpu", "CPU", SECTION_DEFAULT | SECTION_ALL, section_cpu},
    {"modules", "Modules", SECTION_DEFAULT | SECTION_EVERYTHING, section_modules},
    {"commandstats", "Commandstats", SECTION_ALL, info_section_commandstats},
    {"errorstats", "Errorstats", SECTION_DEFAULT | SECTION_ALL, info_section_errorstats},
    {"latencystats", "Latencystats", SECTION_ALL, info_section_latencystats},
    {"cluster", "Cluster", SECTION_DEFAULT | SECTION_ALL, section_cluster},
    {"keyspace", "Keyspace", SECTION_DEFAULT | SECTION_ALL, section_keyspace},
    {"rondo", "Rondo", SECTION_DEFAULT | SECTION_ALL, info_section_rondo},
    {"debug", "Debug", 0, info_section_debug},
};

static bool is_asked(const struct section *section, const struct span *names, uint32_t count) {
    if (count == 0) return section->flags & SECTION_DEFAULT;
    for (uint32_t i = 0; i < count; i++) {
        if (span_is(names[i], section->name)) return true;
        if (span_is(names[i], "default") && (section->flags & SECTION_DEFAULT)) return true;
        if (span_is(names[i], "all") && (section->flags & SECTION_ALL)) return true;
        if (span_is(names[i], "everything") &&
            (section->flags & (SECTION_ALL | SECTION_EVERYTHING)))
            return true;
    }
    return false;
}

void info_write(const struct info_source *source, const struct span *sections, uint32_t count,
                struct buf *out) {
    struct info info = {.source = source, .out = out};
    size_t before = out->len;
    if (source->counts) source->counts(source->host->server, &info.counts);
    for (size_t i = 0; i < ARRAY_LENGTH(sections_table); i++) {
        const struct section *section = &sections_table[i];
        if (!is_asked(section, sections, count)) continue;
        buf_printf(out, "%s# %s\r\n", out->len > before ? "\r\n" : "", section->title);
        section->write(&info);
    }
}
