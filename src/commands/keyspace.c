/* Commands on keys as such and on whole databases. Hot path: DEL, EXISTS, TOUCH of many keys. */
#include <limits.h>

#include "base/alloc.h"
#include "commands/host.h"
#include "commands/keys.h"

/* ---- many keys */

static void delete_keys(struct call *call, bool lazy) {
    uint32_t count = call->argc - 1, deleted = 0;
    const uint64_t *hashes = count > 1 ? call_prefetch_keys(call, 1, count, 1) : &call->key_hash;
    for (uint32_t i = 0; i < count; i++) {
        struct span key = call->argv[1 + i];
        call_prefetch_ahead(call, hashes, count, i);
        struct entry *e = db_find_whole(call->db, key, hashes[i]);
        if (!e) continue;
        db_remove(call->db, e, hashes[i], lazy);
        call_event(call, 'g', "del", key);
        deleted++;
    }
    reply_int(call->reply, deleted);
}

void keys_del(struct call *call) {
    delete_keys(call, call->host->settings->lazyfree_lazy_user_del);
}

void keys_unlink(struct call *call) {
    delete_keys(call, true);
}

/* EXISTS leaves access clocks as they are; TOUCH sets them even for clients that do not touch keys otherwise. */
static void count_keys(struct call *call, unsigned look_flags) {
    uint32_t count = call->argc - 1, found = 0;
    const uint64_t *hashes = count > 1 ? call_prefetch_keys(call, 1, count, 1) : &call->key_hash;
    for (uint32_t i = 0; i < count; i++) {
        struct span key = call->argv[1 + i];
        call_prefetch_ahead(call, hashes, count, i);
        if (db_find(call->db, key, hashes[i], look_flags)) {
            found++;
        } else {
            call_event(call, 'm', "keymiss", key);
        }
    }
    reply_int(call->reply, found);
}

void keys_exists(struct call *call) {
    count_keys(call, DB_LOOK_NO_TOUCH);
}

void keys_touch(struct call *call) {
    count_keys(call, 0);
}

/* ---- one key */

void keys_type(struct call *call) {
    const struct entry *e = call_look(call, 1, call->key_hash, DB_LOOK_NO_TOUCH);
    reply_status(call->reply, e ? entry_type_name(entry_type(e)) : "none");
}

void keys_random(struct call *call) {
    const struct entry *e = db_random(call->db);
    if (e) {
        reply_bulk(call->reply, entry_key(e));
    } else {
        reply_null(call->reply);
    }
}

/* ---- databases */

void keys_dbsize(struct call *call) {
    reply_int(call->reply, (int64_t)db_count(call->db));
}

enum { FLUSH_PURGE_BYTES_MIN = 1024 * 1024 };

static bool parse_flush(struct call *call, bool *lazy) {
    *lazy = call->host->settings->lazyfree_lazy_user_flush;
    if (call->argc == 1) return true;
    *lazy = call_is(call, 1, "async");
    if (call->argc == 2 && (*lazy || call_is(call, 1, "sync"))) return true;
    call_syntax_error(call);
    return false;
}

/* The allocator gives pages back as it works; after a flush there may be no more work, so it is told to, if it is worth it. */
static void purge_after(size_t used_before_bytes, bool lazy) {
    if (!lazy && mem_used_bytes() + FLUSH_PURGE_BYTES_MIN <= used_before_bytes) mem_purge();
}

void keys_flushdb(struct call *call) {
    size_t used_bytes = mem_used_bytes();
    bool lazy;
    if (!parse_flush(call, &lazy)) return;
    db_flush(call->db, lazy);
    purge_after(used_bytes, lazy);
    reply_ok(call->reply);
}

void keys_flushall(struct call *call) {
    size_t used_bytes = mem_used_bytes();
    bool lazy;
    if (!parse_flush(call, &lazy)) return;
    keyspace_flush(call->host->keyspace, lazy);
    purge_after(used_bytes, lazy);
    reply_ok(call->reply);
}

void keys_swapdb(struct call *call) {
    struct keyspace *ks = call->host->keyspace;
    int64_t first, second, count = keyspace_db_count(ks);
    if (!call_int_range(call, 1, INT_MIN, INT_MAX, "ERR invalid first DB index", &first)) return;
    if (!call_int_range(call, 2, INT_MIN, INT_MAX, "ERR invalid second DB index", &second)) return;
    if (first < 0 || first >= count || second < 0 || second >= count) {
        reply_error(call->reply, "ERR DB index is out of range");
        return;
    }
    keyspace_swap(ks, (uint32_t)first, (uint32_t)second);
    reply_ok(call->reply);
}
