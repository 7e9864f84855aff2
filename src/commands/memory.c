/* The MEMORY family. Everything here is counted by those who own it; what is left of the used bytes is the data. */
#include "base/alloc.h"
#include "commands/families.h"
#include "commands/host.h"
#include "commands/scripting.h"

/* ---- MEMORY USAGE */

/* Sizes are kept as values change, so nothing has to be sampled; the option is checked all the same. */
static bool usage_parse(struct call *call) {
    for (uint32_t i = 3; i < call->argc; i += 2) {
        int64_t samples;
        if (!call_is(call, i, "samples") || i + 1 == call->argc) {
            call_syntax_error(call);
            return false;
        }
        if (!call_int(call, i + 1, &samples)) return false;
        if (samples < 0) {
            call_syntax_error(call);
            return false;
        }
    }
    return true;
}

static void usage(struct call *call) {
    if (!usage_parse(call)) return;
    const struct entry *e =
        db_find(call->db, call->argv[2], call_hash(call, 2), DB_LOOK_NO_TOUCH | DB_LOOK_NO_STATS);
    if (e) {
        reply_int(call->reply, (int64_t)(db_entry_bytes(call->db, e) + sizeof(table_slot)));
    } else {
        reply_null(call->reply);
    }
}

/* ---- MEMORY STATS */

struct overview {
    size_t used, peak, startup, clients, tables, scripts, functions, overhead, data, resident;
    uint64_t keys, databases; /* databases that hold keys */
    struct mem_stats allocator;
};

static double ratio(size_t part, size_t whole) {
    return whole ? (double)part / (double)whole : 0;
}

static size_t above(size_t a, size_t b) {
    return a > b ? a - b : 0;
}

static void look_at_databases(struct keyspace *ks, struct overview *o) {
    for (uint32_t i = 0; i < keyspace_db_count(ks); i++) {
        const struct db *db = keyspace_db(ks, i);
        if (db_count(db) == 0) continue;
        o->databases++;
        o->keys += db_count(db);
        o->tables += db->table.memory_bytes;
    }
}

static struct overview look(const struct call *call) {
    struct host *host = call->host;
    struct overview o = {
        .used = mem_used_bytes(),
        .peak = mem_peak_bytes(),
        .startup = host->startup_bytes(host->server),
        .resident = mem_resident_bytes(),
    };
    mem_stats_get(&o.allocator);
    LIST_FOR_EACH(it, &host->sessions->all) {
        o.clients += session_memory_bytes(LIST_ENTRY(it, struct session, link));
    }
    look_at_databases(host->keyspace, &o);
    struct scripting_counts scripts = scripting_counts(host);
    o.scripts = scripts.cache_bytes;
    o.functions = scripts.functions_bytes;
    o.overhead = o.startup + o.clients + o.tables + o.scripts + o.functions;
    o.data = above(o.used, o.overhead);
    return o;
}

static void put_size(struct reply *reply, const char *name, uint64_t value) {
    reply_bulk_text(reply, name);
    reply_int(reply, (int64_t)value);
}

static void put_ratio(struct reply *reply, const char *name, double value) {
    reply_bulk_text(reply, name);
    reply_double(reply, value);
}

static void put_databases(struct reply *reply, struct keyspace *ks) {
    for (uint32_t i = 0; i < keyspace_db_count(ks); i++) {
        const struct db *db = keyspace_db(ks, i);
        if (db_count(db) == 0) continue;
        reply_bulkf(reply, "db.%u", i);
        reply_map(reply, 2);
        put_size(reply, "overhead.hashtable.main", db->table.memory_bytes);
        put_size(reply, "overhead.hashtable.expires", 0); /* deadlines lie in the entries */
    }
}

enum { STATS_USE_PAIRS = 13, STATS_DATA_PAIRS = 8, STATS_ALLOCATOR_PAIRS = 12 };

static void put_use(struct reply *reply, const struct overview *o) {
    put_size(reply, "peak.allocated", o->peak);
    put_size(reply, "total.allocated", o->used);
    put_size(reply, "startup.allocated", o->startup);
    put_size(reply, "replication.backlog", 0);
    put_size(reply, "replicas.repl.buffer", 0);
    put_size(reply, "clients.slaves", 0);
    put_size(reply, "clients.normal", o->clients);
    put_size(reply, "cluster.links", 0);
    put_size(reply, "cluster.slot_import", 0);
    put_size(reply, "cluster.slot_export", 0);
    put_size(reply, "aof.buffer", 0);
    put_size(reply, "lua.caches", o->scripts);
    put_size(reply, "functions.caches", o->functions);
}

/* No "db.dict.rehashing.count": nothing rehashes here, and client libraries take what begins with "db." for a database. */
static void put_data(struct reply *reply, const struct overview *o) {
    size_t net = above(o->used, o->startup);
    put_size(reply, "overhead.db.hashtable.lut", o->tables);
    put_size(reply, "overhead.db.hashtable.rehashing", 0);
    put_size(reply, "overhead.total", o->overhead);
    put_size(reply, "keys.count", o->keys);
    put_size(reply, "keys.bytes-per-key", o->keys ? net / o->keys : 0);
    put_size(reply, "dataset.bytes", o->data);
    put_ratio(reply, "dataset.percentage", MIN(ratio(o->data, net) * 100, 100));
    put_ratio(reply, "peak.percentage", ratio(o->used, o->peak) * 100);
}

/* An allocator that tells nothing of itself (libc's) leaves the ratios within it at 0. */
static void put_allocator(struct reply *reply, const struct overview *o) {
    const struct mem_stats *a = &o->allocator;
    put_size(reply, "allocator.allocated", a->allocated_bytes);
    put_size(reply, "allocator.active", a->active_bytes);
    put_size(reply, "allocator.resident", a->resident_bytes);
    put_size(reply, "allocator.muzzy", a->muzzy_bytes);
    put_ratio(reply, "allocator-fragmentation.ratio", ratio(a->active_bytes, a->allocated_bytes));
    put_size(reply, "allocator-fragmentation.bytes", above(a->active_bytes, a->allocated_bytes));
    put_ratio(reply, "allocator-rss.ratio", ratio(a->resident_bytes, a->active_bytes));
    put_size(reply, "allocator-rss.bytes", above(a->resident_bytes, a->active_bytes));
    put_ratio(reply, "rss-overhead.ratio", ratio(o->resident, a->resident_bytes));
    reply_bulk_text(reply, "rss-overhead.bytes");
    reply_int(reply, (int64_t)o->resident - (int64_t)a->resident_bytes);
    put_ratio(reply, "fragmentation", ratio(o->resident, o->used));
    reply_bulk_text(reply, "fragmentation.bytes");
    reply_int(reply, (int64_t)o->resident - (int64_t)o->used);
}

static void stats(struct call *call) {
    struct overview o = look(call);
    struct reply *reply = call->reply;
    reply_map(reply, STATS_USE_PAIRS + STATS_DATA_PAIRS + STATS_ALLOCATOR_PAIRS + o.databases);
    put_use(reply, &o);
    put_databases(reply, call->host->keyspace);
    put_data(reply, &o);
    put_allocator(reply, &o);
}

/* ---- MEMORY DOCTOR */

enum {
    DOCTOR_BYTES_MIN = 5 * 1024 * 1024,
    DOCTOR_WASTE_BYTES_MIN = 10 * 1024 * 1024,
    DOCTOR_CLIENT_BYTES = 200 * 1024
};

static void diagnose(const struct call *call, const struct overview *o, struct buf *out) {
    const struct mem_stats *a = &o->allocator;
    if (ratio(o->peak, o->used) > 1.5) {
        buf_put_text(
            out,
            " * Peak memory: at some time more than 150% of the memory now in use was in use. "
            "What was given back lies with the allocator until it is needed again; MEMORY PURGE "
            "gives unused pages to the system.\n\n");
    }
    if (ratio(o->resident, o->used) > 1.4 && above(o->resident, o->used) > DOCTOR_WASTE_BYTES_MIN) {
        buf_printf(out,
                   " * High total RSS: the process is more than 1.4 times as large as what it has "
                   "in use. After "
                   "a peak that is normal; otherwise the allocator (%s) is fragmented.\n\n",
                   mem_allocator());
    }
    if (ratio(a->active_bytes, a->allocated_bytes) > 1.1 &&
        above(a->active_bytes, a->allocated_bytes) > DOCTOR_WASTE_BYTES_MIN) {
        buf_put_text(out, " * High allocator fragmentation: pages that are in use are filled to "
                          "less than 90%. Values "
                          "of changing sizes, or a peak, leave gaps behind.\n\n");
    }
    if (ratio(a->resident_bytes, a->active_bytes) > 1.1 &&
        above(a->resident_bytes, a->active_bytes) > DOCTOR_WASTE_BYTES_MIN) {
        buf_put_text(out, " * High allocator RSS overhead: the allocator keeps many pages that "
                          "nothing is in. MEMORY "
                          "PURGE gives them back.\n\n");
    }
    if (o->clients / MAX(call->host->sessions->count, 1u) > DOCTOR_CLIENT_BYTES) {
        buf_put_text(out, " * Big client buffers: clients hold more than 200 KiB each on average. "
                          "CLIENT LIST shows which "
                          "do not read their replies, or send more than they wait for.\n\n");
    }
}

static void doctor(struct call *call) {
    struct overview o = look(call);
    struct buf issues = {0};
    if (o.used < DOCTOR_BYTES_MIN) {
        buf_put_text(
            &issues,
            "This instance is empty or uses very little memory: too little to find issues in.\n");
    } else {
        diagnose(call, &o, &issues);
        if (issues.len == 0) buf_put_text(&issues, "No memory issue was found in this instance.\n");
    }
    reply_verbatim(call->reply, "txt", buf_span(&issues));
    buf_release(&issues);
}

/* ---- MEMORY MALLOC-STATS, PURGE, HELP */

static void malloc_stats(struct call *call) {
    struct buf out = {0};
    struct mem_stats a;
    mem_stats_get(&a);
    buf_printf(&out, "Allocator: %s\n", mem_allocator());
    buf_printf(&out, "Given out (by the server's own count): %zu, peak: %zu\n", mem_used_bytes(),
               mem_peak_bytes());
    buf_printf(&out, "Allocated: %zu, active: %zu, resident: %zu, muzzy: %zu, retained: %zu\n",
               a.allocated_bytes, a.active_bytes, a.resident_bytes, a.muzzy_bytes,
               a.retained_bytes);
    reply_verbatim(call->reply, "txt", buf_span(&out));
    buf_release(&out);
}

static void purge(struct call *call) {
    mem_purge();
    reply_ok(call->reply);
}

static void help(struct call *call) {
    static const char *const lines[] = {
        "DOCTOR",
        "    Return memory problems reports.",
        "MALLOC-STATS",
        "    Return internal statistics report from the memory allocator.",
        "PURGE",
        "    Attempt to purge dirty pages for reclamation by the allocator.",
        "STATS",
        "    Return information about the memory usage of the server.",
        "USAGE <key> [SAMPLES <count>]",
        "    Return memory in bytes used by <key> and its value. Nested values are",
        "    counted as they change, so SAMPLES makes no difference.",
        NULL,
    };
    call_help(call, lines);
}

const struct command memory_subcommands[] = {
    {.name = "doctor",
     .run = doctor,
     .arity = 2,
     .group = GROUP_SERVER,
     .since = "4.0.0",
     .summary = "Outputs a memory problems report.",
     .complexity = "O(1)",
     .tips = (const char *const[]){"nondeterministic_output", "request_policy:all_shards",
                                   "response_policy:special", NULL}},
    {.name = "help",
     .run = help,
     .arity = 2,
     .group = GROUP_SERVER,
     .flags = COMMAND_LOADING | COMMAND_STALE,
     .since = "4.0.0",
     .summary = "Returns helpful text about the different subcommands.",
     .complexity = "O(1)"},
    {.name = "malloc-stats",
     .run = malloc_stats,
     .arity = 2,
     .group = GROUP_SERVER,
     .flags = COMMAND_LOADING,
     .since = "4.0.0",
     .summary = "Returns the allocator statistics.",
     .complexity = "Depends on how much memory is allocated, could be slow",
     .tips = (const char *const[]){"nondeterministic_output", "request_policy:all_shards",
                                   "response_policy:special", NULL}},
    {.name = "purge",
     .run = purge,
     .arity = 2,
     .group = GROUP_SERVER,
     .flags = COMMAND_LOADING,
     .since = "4.0.0",
     .summary = "Asks the allocator to release memory.",
     .complexity = "Depends on how much memory is allocated, could be slow",
     .tips =
         (const char *const[]){"request_policy:all_shards", "response_policy:all_succeeded", NULL}},
    {.name = "stats",
     .run = stats,
     .arity = 2,
     .group = GROUP_SERVER,
     .since = "4.0.0",
     .summary = "Returns details about memory usage.",
     .complexity = "O(1)",
     .tips = (const char *const[]){"nondeterministic_output", "request_policy:all_shards",
                                   "response_policy:special", NULL}},
    {.name = "usage",
     .run = usage,
     .arity = -3,
     .group = GROUP_SERVER,
     .flags = COMMAND_READONLY,
     .since = "4.0.0",
     .summary = "Estimates the memory usage of a key.",
     .complexity = "O(N) where N is the number of samples.",
     .keys = {KEY_AT(2, KEY_RO)},
     .arguments = "key:key [SAMPLES count:integer]"},
    {.name = NULL},
};
