/* Sorted sets: https://redis.io/docs/latest/commands/?group=sorted-set. What their handlers share, and those that ask for single members.
 * Hot path: sorted_score, sorted_rank. */
#include "commands/sorted.h"

#include "base/buf.h"
#include "base/clock.h"
#include "commands/host.h"
#include "commands/scan.h"

struct zset_limits sorted_limits(const struct call *call) {
    const struct settings *settings = call->host->settings;
    return (struct zset_limits){
        .count_max = (uint64_t)settings->zset_max_listpack_entries,
        .bytes_max = (size_t)settings->zset_max_listpack_value_bytes,
    };
}

/* ---- the set behind a key */

bool sorted_edit_begin(struct sorted_edit *edit, struct call *call, uint32_t at) {
    edit->call = call;
    edit->key = call->argv[at];
    edit->hash = call_hash(call, at);
    edit->entry = db_find_for_write(call->db, edit->key, edit->hash);
    if (!edit->entry) return true;
    if (!call_check_type(call, edit->entry, ENTRY_ZSET)) return false;
    edit->z = entry_object(edit->entry);
    edit->bytes_before = zset_memory_bytes(edit->z);
    return true;
}

void sorted_edit_end(struct sorted_edit *edit, const char *event) {
    struct db *db = edit->call->db;
    entry_set_object(edit->entry, edit->z);
    db_account(db, edit->bytes_before, zset_memory_bytes(edit->z));
    if (!event) return;
    if (zset_count(edit->z) > 0) {
        db_changed(db, edit->key);
        call_event(edit->call, 'z', event, edit->key);
        return;
    }
    sorted_edit_remove(edit, event);
}

void sorted_edit_remove_range(struct sorted_edit *edit, uint64_t rank, uint64_t count) {
    struct zset *cut = zset_cut_range(&edit->z, rank, count);
    if (cut) keyspace_drop(edit->call->host->keyspace, ENTRY_ZSET, cut);
}

void sorted_edit_remove(struct sorted_edit *edit, const char *event) {
    call_event(edit->call, 'z', event, edit->key);
    db_remove(edit->call->db, edit->entry, edit->hash, true);
    call_event(edit->call, 'g', "del", edit->key);
}

bool sorted_find(struct call *call, uint32_t at, const struct zset **z) {
    struct entry *e = call_find(call, at);
    if (!call_check_type(call, e, ENTRY_ZSET)) return false;
    *z = e ? entry_object(e) : NULL;
    return true;
}

void sorted_store(struct call *call, uint32_t at, struct zset *z, const char *event) {
    struct span key = call->argv[at];
    uint64_t hash = call_hash(call, at), count = z ? zset_count(z) : 0;
    struct entry *old = db_find_for_write(call->db, key, hash);
    if (count > 0) {
        if (!db_put_object(call->db, old, key, hash, ENTRY_ZSET, z, ENTRY_NO_DEADLINE)) {
            reply_error(call->reply, ERROR_MEMORY_TEXT);
            return;
        }
        call_event(call, 'z', event, key);
    } else {
        if (z) zset_free(z);
        if (old) {
            db_remove(call->db, old, hash, call->host->settings->lazyfree_lazy_server_del);
            call_event(call, 'g', "del", key);
        }
    }
    reply_int(call->reply, (int64_t)count);
}

void sorted_reply_head(struct call *call, uint64_t count, bool with_scores) {
    reply_array(call->reply, with_scores && call->reply->protocol == 2 ? count * 2 : count);
}

/* ---- single members */

void sorted_card(struct call *call) {
    const struct zset *z;
    if (sorted_find(call, 1, &z)) reply_int(call->reply, z ? (int64_t)zset_count(z) : 0);
}

static void reply_score(struct call *call, const struct zset *z, struct span member) {
    struct zset_place place;
    if (z && zset_find(z, member, &place)) {
        reply_double(call->reply, place.score);
    } else {
        reply_null(call->reply);
    }
}

void sorted_score(struct call *call) {
    const struct zset *z;
    if (sorted_find(call, 1, &z)) reply_score(call, z, call->argv[2]);
}

void sorted_mscore(struct call *call) {
    const struct zset *z;
    uint32_t count = call->argc - 2;
    if (!sorted_find(call, 1, &z)) return;
    reply_array(call->reply, count);
    for (uint32_t i = 0; i < count; i++) {
        if (z && i % ZSET_AHEAD == 0) zset_prefetch(z, call->argv + 2 + i, count - i, 1);
        reply_score(call, z, call->argv[2 + i]);
    }
}

static void reply_no_rank(struct call *call, bool with_score) {
    if (with_score) {
        reply_null_array(call->reply);
    } else {
        reply_null(call->reply);
    }
}

static void rank(struct call *call, bool reverse) {
    bool with_score = call->argc == 4;
    const struct zset *z;
    struct zset_place place;
    if (call->argc > 4) {
        reply_errorf(call->reply, "ERR wrong number of arguments for '%s' command",
                     call->command->name);
        return;
    }
    if (with_score && !call_is(call, 3, "withscore")) {
        call_syntax_error(call);
        return;
    }
    if (!sorted_find(call, 1, &z)) return;
    if (!z || !zset_find(z, call->argv[2], &place)) {
        reply_no_rank(call, with_score);
        return;
    }
    uint64_t found = zset_rank(z, &place);
    if (reverse) found = zset_count(z) - 1 - found;
    if (with_score) reply_array(call->reply, 2);
    reply_int(call->reply, (int64_t)found);
    if (with_score) reply_double(call->reply, place.score);
}

void sorted_rank(struct call *call) {
    rank(call, false);
}

void sorted_revrank(struct call *call) {
    rank(call, true);
}

/* ---- ZSCAN */

enum { STEPS_A_COUNT = 10 }; /* as SCAN */

struct found {
    struct span member;
    double score;
};
struct scan {
    struct scan_options options;
    struct buf found; /* of struct found: the reply begins with their number */
    int64_t seen_count;
    bool out_of_memory;
};

static void collect(struct span member, double score, void *context) {
    struct scan *scan = context;
    struct found found = {member, score};
    scan->seen_count++;
    if (!scan_matches(&scan->options, member)) return;
    if (buf_try_reserve(&scan->found, sizeof found) < 0) {
        scan->out_of_memory = true;
    } else {
        buf_put(&scan->found, &found, sizeof found);
    }
}

/* A member that is a number in a packed block has no lasting bytes: small sets are answered from a cursor. */
static void scan_packed(struct call *call, const struct zset *z, struct scan *scan) {
    struct zset_cursor cursor;
    uint64_t count = 0;
    for (bool there = zset_seek(z, 0, &cursor); there; there = zset_next(&cursor))
        count += scan_matches(&scan->options, cursor.member);
    reply_array(call->reply, 2);
    reply_bulk_int(call->reply, 0);
    reply_array(call->reply, scan->options.names_only ? count : count * 2);
    for (bool there = zset_seek(z, 0, &cursor); there; there = zset_next(&cursor)) {
        char text[NUM_DOUBLE_TEXT_MAX];
        if (!scan_matches(&scan->options, cursor.member)) continue;
        reply_bulk(call->reply, cursor.member);
        if (scan->options.names_only) continue;
        reply_bulk(call->reply, span_make(text, num_format_double(text, cursor.score)));
    }
}

/* Scores have the 17 digits that Redis writes for large ones here. */
static void reply_scan(struct call *call, const struct scan *scan, uint64_t cursor) {
    size_t count = scan->found.len / sizeof(struct found);
    reply_array(call->reply, 2);
    reply_bulkf(call->reply, "%llu", (unsigned long long)cursor);
    reply_array(call->reply, scan->options.names_only ? count : count * 2);
    for (size_t i = 0; i < count; i++) {
        struct found found;
        memcpy(&found, scan->found.data + i * sizeof found, sizeof found);
        reply_bulk(call->reply, found.member);
        if (!scan->options.names_only) reply_bulkf(call->reply, "%.17g", found.score);
    }
}

void sorted_scan(struct call *call) {
    struct scan scan = {0};
    const struct zset *z;
    uint64_t cursor;
    if (!scan_parse_cursor(call, 2, &cursor)) return;
    if (!sorted_find(call, 1, &z)) return;
    if (!z) {
        reply_array(call->reply, 2);
        reply_bulk_int(call->reply, 0);
        reply_array(call->reply, 0);
        return;
    }
    if (!scan_parse_options(call, 3, SCAN_ZSET, &scan.options)) return;
    if (zset_is_packed(z)) {
        scan_packed(call, z, &scan);
        return;
    }
    int64_t wanted = scan.options.count, steps_max = MIN(wanted, INT32_MAX) * STEPS_A_COUNT;
    do {
        cursor = zset_scan(z, cursor, collect, &scan);
    } while (cursor && scan.seen_count < wanted && steps_max-- > 0 && !scan.out_of_memory);
    if (scan.out_of_memory) {
        reply_error(call->reply, ERROR_MEMORY_TEXT);
    } else {
        reply_scan(call, &scan, cursor);
    }
    buf_release(&scan.found);
}

/* ---- what the keyspace is told */

static void ops_free(void *object) {
    zset_free(object);
}

static void *ops_try_copy(const void *object) {
    return zset_copy(object);
}

static size_t ops_memory_bytes(const void *object) {
    return zset_memory_bytes(object);
}

static uint64_t ops_free_effort(const void *object) {
    return zset_free_effort(object);
}

static bool ops_free_step(void *object, uint32_t effort) {
    return zset_free_step(object, effort);
}

static const char *ops_encoding(const void *object) {
    return zset_is_packed(object) ? "listpack" : "skiplist";
}

const struct value_ops zset_value_ops = {
    .free = ops_free,
    .try_copy = ops_try_copy,
    .memory_bytes = ops_memory_bytes,
    .free_effort = ops_free_effort,
    .free_step = ops_free_step,
    .encoding = ops_encoding,
};
