/* DEBUG: what tests and hunts for bugs need. Only with enable-debug-command. What would have to be pretended is not here. */
#include <stdio.h>
#include <sys/mman.h>
#include <time.h>

#include "base/alloc.h"
#include "base/check.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/log.h"
#include "commands/digest.h"
#include "commands/dump.h"
#include "commands/families.h"
#include "commands/host.h"
#include "commands/keys.h"

/* ---- ends of the process */

static void debug_segfault(struct call *call) {
    volatile char *p = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    *p = 'x';
}

static void debug_panic(struct call *call) {
    log_warning("DEBUG PANIC called at Unix time %lld", (long long)(clock_real_ms() / 1000));
    check_failed(__FILE__, __LINE__, "DEBUG PANIC");
}

static void debug_assert(struct call *call) {
    CHECK(call->argc == 0);
}

static void debug_oom(struct call *call) {
    mem_free(mem_alloc(SIZE_MAX / 2));
    reply_ok(call->reply);
}

/* ---- time */

static void debug_sleep(struct call *call) {
    double seconds;
    if (!call_double(call, 2, &seconds)) return;
    if (!(seconds >= 0 && seconds < 86400)) {
        reply_error(call->reply, "ERR value is out of range");
        return;
    }
    struct timespec left = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    while (nanosleep(&left, &left) < 0) continue;
    clock_refresh();
    reply_ok(call->reply);
}

static void debug_set_active_expire(struct call *call) {
    int64_t on;
    if (!call_int(call, 2, &on)) return;
    keyspace_set_active_expire(call->host->keyspace, on != 0);
    reply_ok(call->reply);
}

/* ---- keys */

static struct entry *find_or_reply(struct call *call, uint32_t at) {
    struct entry *e =
        db_find(call->db, call->argv[at], call_hash(call, at), DB_LOOK_NO_TOUCH | DB_LOOK_NO_STATS);
    if (!e) reply_error(call->reply, ERROR_NO_KEY_TEXT);
    return e;
}

static void debug_object(struct call *call) {
    const struct keyspace *ks = call->host->keyspace;
    const struct entry *e = find_or_reply(call, 2);
    struct buf out = {0};
    if (!e) return;
    /* Nothing is serialized here: what the value takes stands for what it would take in a file. */
    buf_printf(&out, "Value at:%p refcount:1 encoding:%s serializedlength:%zu", (const void *)e,
               object_encoding(call->db, e), db_entry_bytes(call->db, e));
    if (settings_policy_is_lfu(call->host->settings)) {
        buf_printf(&out, " lfu_freq:%u lfu_access_time_minutes:%u", entry_frequency(ks, e),
                   entry_access_clock(e) >> 8);
    } else {
        buf_printf(&out, " lru:%u lru_seconds_idle:%llu", entry_access_clock(e),
                   (unsigned long long)entry_idle_s(ks, e));
    }
    reply_status(call->reply, buf_terminate(&out));
    buf_release(&out);
}

/* "value:7", cut or filled up with zero bytes to `size` when that is not 0. */
static bool populate_one(struct call *call, struct span prefix, int64_t number, int64_t size) {
    char text[32];
    struct buf key = {0};
    buf_printf(&key, "%.*s:%lld", (int)prefix.len, prefix.data, (long long)number);
    size_t len = (size_t)snprintf(text, sizeof text, "value:%lld", (long long)number);
    uint64_t hash = hash_bytes(key.data, key.len);
    bool done = true;
    if (!db_exists(call->db, buf_span(&key), hash)) {
        struct blob *blob = size ? blob_try_new((size_t)size) : NULL;
        if (blob) {
            memset(blob->data, 0, (size_t)size);
            memcpy(blob->data, text, MIN(len, (size_t)size));
            blob->len = (size_t)size;
        }
        done = (blob || !size) && db_set_string(call->db, buf_span(&key), hash,
                                                span_make(text, len), blob, ENTRY_NO_DEADLINE);
    }
    buf_release(&key);
    return done;
}

static void debug_populate(struct call *call) {
    struct span prefix = call->argc > 3 ? call->argv[3] : SPAN("key");
    int64_t count, size = 0;
    const char *error = "ERR value is out of range, must be positive";
    if (!call_int_range(call, 2, 0, INT64_MAX, error, &count)) return;
    if (call->argc > 4 &&
        !call_int_range(call, 4, 0, call->host->settings->proto_max_bulk_bytes, error, &size)) {
        return;
    }
    for (int64_t i = 0; i < count; i++) {
        if (populate_one(call, prefix, i, size)) continue;
        reply_error(call->reply, ERROR_MEMORY_TEXT);
        return;
    }
    reply_ok(call->reply);
}

/* ---- digests */

static void reply_digest(struct call *call, const uint8_t digest[DIGEST_BYTES]) {
    char text[2 * DIGEST_BYTES + 1];
    for (int i = 0; i < DIGEST_BYTES; i++) snprintf(text + 2 * i, 3, "%02x", digest[i]);
    reply_status(call->reply, text);
}

static void debug_digest(struct call *call) {
    uint8_t digest[DIGEST_BYTES];
    digest_keyspace(call->host->keyspace, digest);
    reply_digest(call, digest);
}

static void debug_digest_value(struct call *call) {
    reply_array(call->reply, call->argc - 2);
    for (uint32_t i = 2; i < call->argc; i++) {
        uint8_t digest[DIGEST_BYTES] = {0};
        const struct entry *e = db_find(call->db, call->argv[i], call_hash(call, i),
                                        DB_LOOK_NO_TOUCH | DB_LOOK_NO_STATS);
        if (e) digest_value(e, digest);
        reply_digest(call, digest);
    }
}

/* ---- tables */

static void put_table(struct buf *out, const struct table *t) {
    buf_printf(out, " number of elements: %llu\n segments: %u\n directory depth: %u\n bytes: %zu\n",
               (unsigned long long)t->count, t->segment_count, t->depth, t->memory_bytes);
}

static void debug_table_stats(struct call *call) {
    int64_t number;
    struct buf out = {0};
    if (!call_int(call, 2, &number)) return;
    bool in_range = number >= 0 && number < keyspace_db_count(call->host->keyspace);
    if (!in_range) {
        reply_error(call->reply, "ERR Out of range database");
        return;
    }
    const struct db *db = keyspace_db(call->host->keyspace, (uint32_t)number);
    buf_put_text(&out, "[Dictionary HT]\n");
    put_table(&out, &db->table);
    buf_printf(&out, "[Expires HT]\n number of elements: %llu\n",
               (unsigned long long)db->deadline_count);
    reply_verbatim(call->reply, "txt", buf_span(&out));
    buf_release(&out);
}

/* ---- replies */

static void debug_error(struct call *call) {
    struct span text = call->argv[2];
    reply_errorf(call->reply, "%.*s", (int)MIN(text.len, (size_t)INT32_MAX), text.data);
}

static void debug_log(struct call *call) {
    struct span text = call->argv[2];
    log_warning("DEBUG LOG: %.*s", (int)MIN(text.len, (size_t)1024), text.data);
    reply_ok(call->reply);
}

static void put_numbers(struct call *call) {
    for (int i = 0; i < 3; i++) reply_int(call->reply, i);
}

static void protocol_string(struct call *call) {
    reply_bulk_text(call->reply, "Hello World");
}
static void protocol_integer(struct call *call) {
    reply_int(call->reply, 12345);
}
static void protocol_double(struct call *call) {
    reply_double(call->reply, 3.141);
}
static void protocol_big_number(struct call *call) {
    reply_big_number(call->reply, "1234567999999999999999999999999999999");
}
static void protocol_null(struct call *call) {
    reply_null(call->reply);
}
static void protocol_array(struct call *call) {
    reply_array(call->reply, 3);
    put_numbers(call);
}
static void protocol_set(struct call *call) {
    reply_set(call->reply, 3);
    put_numbers(call);
}
static void protocol_map(struct call *call) {
    reply_map(call->reply, 3);
    for (int i = 0; i < 3; i++) {
        reply_int(call->reply, i);
        reply_bool(call->reply, i == 1);
    }
}
/* An attribute is no reply: a real one has to follow. */
static void protocol_attribute(struct call *call) {
    if (call->reply->protocol >= 3) {
        reply_attribute(call->reply, 1);
        reply_bulk_text(call->reply, "key-popularity");
        reply_array(call->reply, 2);
        reply_bulk_text(call->reply, "key:123");
        reply_int(call->reply, 90);
    }
    reply_bulk_text(call->reply, "Some real reply following the attribute");
}
static void protocol_push(struct call *call) {
    if (call->reply->protocol < 3) {
        reply_error(call->reply, "ERR RESP2 is not supported by this command");
        return;
    }
    reply_push(call->reply, 2);
    reply_bulk_text(call->reply, "server-cpu-usage");
    reply_int(call->reply, 42);
    reply_bulk_text(call->reply, "Some real reply following the push reply");
}
static void protocol_verbatim(struct call *call) {
    reply_verbatim(call->reply, "txt", SPAN("This is a verbatim\nstring"));
}
static void protocol_true(struct call *call) {
    reply_bool(call->reply, true);
}
static void protocol_false(struct call *call) {
    reply_bool(call->reply, false);
}

static void debug_protocol(struct call *call) {
    static const struct {
        const char *name;
        void (*run)(struct call *call);
    } kinds[] = {
        {"string", protocol_string},     {"integer", protocol_integer},
        {"double", protocol_double},     {"bignum", protocol_big_number},
        {"null", protocol_null},         {"array", protocol_array},
        {"set", protocol_set},           {"map", protocol_map},
        {"attrib", protocol_attribute},  {"push", protocol_push},
        {"verbatim", protocol_verbatim}, {"true", protocol_true},
        {"false", protocol_false},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(kinds); i++) {
        if (call_is(call, 2, kinds[i].name)) {
            kinds[i].run(call);
            return;
        }
    }
    reply_error(call->reply,
                "ERR Wrong protocol type name. Please use one of the following: "
                "string|integer|double|bignum|null|array|set|map|attrib|push|verbatim|true|false");
}

/* ---- the rest */

static void debug_no_persistence(struct call *call) {
    reply_error(call->reply,
                "ERR This server keeps its data in memory only: there is nothing to load from");
}

static void debug_help(struct call *call) {
    static const char *const lines[] = {
        "ASSERT",
        "    Crash by assertion failed.",
        "DIGEST",
        "    Output a hex signature representing the current DB content.",
        "DIGEST-VALUE <key> [<key> ...]",
        "    Output a hex signature of the values of all the specified keys.",
        "ERROR <string>",
        "    Return a RESP protocol error with <string> as message. Useful for clients",
        "    unit tests to simulate error replies.",
        "HTSTATS <dbid>",
        "    Return hash table statistics of the specified database.",
        "LOG <message>",
        "    Write <message> to the server log.",
        "OBJECT <key>",
        "    Show low level info about `key` and associated value.",
        "OOM",
        "    Crash the server simulating an out-of-memory error.",
        "PANIC",
        "    Crash the server simulating a panic.",
        "POPULATE <count> [<prefix>] [<size>]",
        "    Create <count> string keys named key:<num>. If <prefix> is specified then",
        "    it is used instead of the 'key' prefix.",
        "PROTOCOL <type>",
        "    Reply with a test value of the specified type. <type> can be: string,",
        "    integer, double, bignum, null, array, set, map, attrib, push, verbatim,",
        "    true, false.",
        "RELOAD",
        "    Write every value as DUMP does, read it back and put it in its place.",
        "SEGFAULT",
        "    Crash the server with sigsegv.",
        "SET-ACTIVE-EXPIRE <0|1>",
        "    Setting it to 0 disables expiring keys in background when they are not",
        "    accessed (otherwise the behavior). Setting it to 1 reenables back the",
        "    default.",
        "SLEEP <seconds>",
        "    Stop the server for <seconds>. Decimals allowed.",
        NULL,
    };
    call_help(call, lines);
}

static const struct debug_part {
    const char *name;
    uint32_t argc_min, argc_max;
    void (*run)(struct call *call);
} parts[] = {
    {"assert", 2, 2, debug_assert},
    {"digest", 2, 2, debug_digest},
    {"digest-value", 2, UINT32_MAX, debug_digest_value},
    {"error", 3, 3, debug_error},
    {"help", 2, 2, debug_help},
    {"htstats", 3, 4, debug_table_stats},
    {"loadaof", 2, 2, debug_no_persistence},
    {"log", 3, 3, debug_log},
    {"object", 3, 4, debug_object},
    {"oom", 2, 2, debug_oom},
    {"panic", 2, 2, debug_panic},
    {"populate", 3, 5, debug_populate},
    {"protocol", 3, 3, debug_protocol},
    {"reload", 2, 2, reload_run},
    {"segfault", 2, 2, debug_segfault},
    {"set-active-expire", 3, 3, debug_set_active_expire},
    {"sleep", 3, 3, debug_sleep},
};

void debug_run(struct call *call) {
    for (size_t i = 0; i < ARRAY_LENGTH(parts); i++) {
        if (!call_is(call, 1, parts[i].name)) continue;
        if (call->argc < parts[i].argc_min || call->argc > parts[i].argc_max) break;
        parts[i].run(call);
        return;
    }
    call_subcommand_error(call);
}
