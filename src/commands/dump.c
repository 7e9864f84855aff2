/* DUMP and RESTORE: values as text that another server takes. The form is persist/value.h's. */
#include "commands/dump.h"

#include <errno.h>

#include "base/clock.h"
#include "commands/hash.h"
#include "commands/host.h"
#include "commands/keys.h"
#include "commands/set.h"
#include "commands/sorted.h"

void dump_dump(struct call *call) {
    const struct entry *e = call_find(call, 1);
    struct rdb_writer w = {0};
    unsigned version = 0;
    if (e) {
        struct value value = value_of(e);
        version = value_write(&w, &value);
    }
    if (version) rdb_write_footer(&w, version);
    if (w.failed) {
        reply_error(call->reply, ERROR_MEMORY_TEXT);
    } else if (version) {
        reply_bulk(call->reply, buf_span(&w.out));
    } else { /* no key, or a hash of which no field is left */
        reply_null(call->reply);
    }
    buf_release(&w.out);
}

/* ---- RESTORE */

enum { FREQUENCY_MAX = 255, NOT_GIVEN = -1 };

struct restore_options {
    bool replace, absolute;
    int64_t idle_s, frequency; /* NOT_GIVEN, or one of both */
    int64_t deadline_ms;
};

/* Arguments from 4 on. */
static bool parse_options(struct call *call, struct restore_options *o) {
    *o = (struct restore_options){.idle_s = NOT_GIVEN, .frequency = NOT_GIVEN};
    for (uint32_t at = 4; at < call->argc; at++) {
        bool more = at + 1 < call->argc;
        if (call_is(call, at, "replace")) {
            o->replace = true;
        } else if (call_is(call, at, "absttl")) {
            o->absolute = true;
        } else if (more && o->frequency == NOT_GIVEN && call_is(call, at, "idletime")) {
            if (!call_int(call, ++at, &o->idle_s)) return false;
            if (o->idle_s < 0) {
                reply_error(call->reply, "ERR Invalid IDLETIME value, must be >= 0");
                return false;
            }
        } else if (more && o->idle_s == NOT_GIVEN && call_is(call, at, "freq")) {
            if (!call_int(call, ++at, &o->frequency)) return false;
            if (o->frequency < 0 || o->frequency > FREQUENCY_MAX) {
                reply_error(call->reply, "ERR Invalid FREQ value, must be >= 0 and <= 255");
                return false;
            }
        } else {
            call_syntax_error(call);
            return false;
        }
    }
    return true;
}

/* Argument 2; 0 is no deadline. */
static bool parse_ttl(struct call *call, int64_t *out) {
    if (!call_int(call, 2, out)) return false;
    if (*out < 0) reply_error(call->reply, "ERR Invalid TTL value, must be >= 0");
    return *out >= 0;
}

static bool set_deadline(struct call *call, int64_t ttl, struct restore_options *o) {
    int64_t from_ms = o->absolute ? 0 : clock_real_ms();
    if (ttl >= DB_KEEP_DEADLINE - from_ms) {
        reply_error(call->reply, "ERR invalid expire time in 'restore' command");
        return false;
    }
    o->deadline_ms = ttl == 0 ? ENTRY_NO_DEADLINE : from_ms + ttl;
    return true;
}

struct value_limits dump_limits(const struct call *call) {
    const struct settings *s = call->host->settings;
    return (struct value_limits){
        .list = chain_limit_of(s->list_max_listpack_size),
        .set = set_limits_of(call),
        .zset = sorted_limits(call),
        .hash = hash_limits_of(call),
        .stream = {.block_bytes = (uint64_t)s->stream_node_max_bytes,
                   .block_entries = (uint64_t)s->stream_node_max_entries},
    };
}

/* False after the error was written. */
static bool read_payload(struct call *call, struct rdb_scratch *scratch, struct value *value) {
    struct value_limits limits = dump_limits(call);
    struct span body;
    int status = rdb_check_footer(call->argv[3], &body);
    if (status) {
        reply_error(call->reply, "ERR DUMP payload version or checksum are wrong");
        return false;
    }
    unsigned version = rdb_footer_version(call->argv[3]);
    status = value_read(body, version, &limits, clock_real_ms(), scratch, value);
    if (status)
        reply_error(call->reply, status == -ENOMEM ? ERROR_MEMORY_TEXT : "ERR Bad data format");
    return status == 0;
}

struct entry *dump_put(struct db *db, struct entry *old, struct span key, uint64_t hash,
                       const struct value *value, int64_t deadline_ms) {
    if (value->type == ENTRY_STRING)
        return db_put_string(db, old, key, hash, value->string, NULL, deadline_ms);
    bool timed = value->type == ENTRY_HASH && fields_deadline_count(value->object) > 0;
    struct entry *e = db_put_object(db, old, key, hash, value->type, value->object, deadline_ms);
    if (e && timed) db_note_inner_deadline(db, e, hash, fields_earliest_ms(entry_object(e)));
    return e;
}

/* A hash of which no field is left. */
static bool is_gone(const struct value *value) {
    return value->type == ENTRY_HASH && !value->object;
}

/* A value that nobody could see any more: what it was to replace goes. */
static void drop_old(struct call *call, struct entry *old) {
    if (old) {
        db_remove(call->db, old, call->key_hash, call->host->settings->lazyfree_lazy_server_del);
        call_event(call, 'g', "del", call->argv[1]);
    }
    reply_ok(call->reply);
}

static void store(struct call *call, struct entry *old, struct value *value,
                  const struct restore_options *o) {
    struct entry *e = dump_put(call->db, old, call->argv[1], call->key_hash, value, o->deadline_ms);
    if (!e) {
        reply_error(call->reply, ERROR_MEMORY_TEXT);
        return;
    }
    if (settings_policy_is_lfu(call->host->settings)) {
        if (o->frequency != NOT_GIVEN) entry_set_frequency(e, (uint32_t)o->frequency);
    } else if (o->idle_s != NOT_GIVEN) {
        entry_set_idle_s(e, (uint64_t)o->idle_s);
    }
    call_event(call, 'g', "restore", call->argv[1]);
    reply_ok(call->reply);
}

void dump_restore(struct call *call) {
    struct restore_options options;
    struct rdb_scratch scratch = {0};
    struct value value;
    struct entry *old;
    int64_t ttl;
    if (!parse_options(call, &options)) return;
    old = call_find_for_write(call, 1);
    if (old && !options.replace) {
        reply_error(call->reply, "BUSYKEY Target key name already exists.");
        return;
    }
    if (parse_ttl(call, &ttl) && read_payload(call, &scratch, &value)) {
        if (!set_deadline(call, ttl, &options)) {
            value_release(&value);
        } else if (is_gone(&value) || options.deadline_ms <= clock_real_ms()) {
            if (value.object) keyspace_drop(call->host->keyspace, value.type, value.object);
            drop_old(call, old);
        } else {
            store(call, old, &value, &options);
        }
    }
    rdb_scratch_release(&scratch);
}
