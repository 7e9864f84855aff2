/* DEBUG RELOAD: every value goes through the bytes that DUMP would make of it, as it would through a file. Deadlines and access clocks
 * stay. A part of a database at a time is looked at, as SCAN does, and then changed. */
#include <errno.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/hash.h"
#include "commands/dump.h"
#include "commands/host.h"

struct reload {
    struct value_limits limits;
    struct buf entries; /* pointers: of the part that is being changed */
    int status;
};

static void collect(struct entry *e, void *context) {
    struct reload *r = context;
    buf_put(&r->entries, &e, sizeof e);
}

/* 0, -ENOMEM, or ERROR_SYNTAX: what was written cannot be read. */
static int put_back(struct reload *r, struct db *db, struct entry *old, struct span body,
                    unsigned version) {
    struct rdb_scratch scratch = {0};
    struct value value;
    struct span key = entry_key(old);
    uint64_t hash = hash_bytes(key.data, key.len);
    int status = value_read(body, version, &r->limits, clock_real_ms(), &scratch, &value);
    if (status == 0 && (value.type == ENTRY_STRING || value.object)) {
        uint32_t clock = entry_access_clock(old);
        struct entry *e = dump_put(db, old, key, hash, &value, DB_KEEP_DEADLINE);
        if (e) entry_set_access_clock(e, clock);
        if (!e) status = -ENOMEM;
    } else if (status == 0) { /* a hash: the last of its fields is past its deadline by now */
        db_remove(db, old, hash, true);
    }
    rdb_scratch_release(&scratch);
    return status;
}

static void reload_entry(struct reload *r, struct db *db, struct entry *e) {
    struct rdb_writer w = {0};
    struct value value = value_of(e);
    unsigned version = value_write(&w, &value);
    if (w.failed) {
        r->status = -ENOMEM;
    } else if (version) { /* else nothing of it is left that could be seen */
        r->status = put_back(r, db, e, buf_span(&w.out), version);
    }
    buf_release(&w.out);
}

static void reload_db(struct reload *r, struct db *db) {
    uint64_t cursor = 0;
    do {
        buf_clear(&r->entries);
        cursor = db_scan(db, cursor, collect, r);
        for (size_t at = 0; at < r->entries.len && r->status == 0; at += sizeof(struct entry *)) {
            struct entry *e;
            memcpy(&e, r->entries.data + at, sizeof e);
            reload_entry(r, db, e);
        }
    } while (cursor && r->status == 0);
}

void reload_run(struct call *call) {
    struct keyspace *ks = call->host->keyspace;
    struct reload r = {.limits = dump_limits(call)};
    for (uint32_t i = 0; i < keyspace_db_count(ks) && r.status == 0; i++)
        reload_db(&r, keyspace_db(ks, i));
    buf_release(&r.entries);
    if (r.status == 0) {
        reply_ok(call->reply);
    } else if (r.status == -ENOMEM) {
        reply_error(call->reply, ERROR_MEMORY_TEXT);
    } else {
        reply_error(call->reply, "ERR A value could not be read back");
    }
}
