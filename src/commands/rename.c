/* Keys that get another name or place, or a double. */
#include <limits.h>

#include "commands/host.h"
#include "commands/keys.h"

/* A name in a database. */
struct place {
    struct db *db;
    uint32_t key_at;
    uint64_t hash;
};

static struct place place_in(const struct call *call, struct db *db, uint32_t key_at) {
    return (struct place){db, key_at, call_hash(call, key_at)};
}

static struct entry *find_at(const struct call *call, const struct place *p) {
    return db_find_whole(p->db, call->argv[p->key_at], p->hash);
}

static void tell_at(const struct call *call, const struct place *p, const char *event) {
    db_event(p->db, 'g', event, call->argv[p->key_at]);
}

static struct db_place target(const struct call *call, const struct place *p, struct entry *old) {
    return (struct db_place){.db = p->db,
                             .key = call->argv[p->key_at],
                             .hash = p->hash,
                             .old = old,
                             .lazy = call->host->settings->lazyfree_lazy_server_del};
}

/* Argument `at` as a database; NULL after the error was written. */
static struct db *parse_db(struct call *call, uint32_t at) {
    struct keyspace *ks = call->host->keyspace;
    int64_t number;
    if (!call_int_range(call, at, INT_MIN, INT_MAX, NULL, &number)) return NULL;
    struct db *db = number < 0 ? NULL : keyspace_db(ks, (uint32_t)number);
    if (!db) reply_error(call->reply, "ERR DB index is out of range");
    return db;
}

static void refuse_same(struct call *call) {
    reply_error(call->reply, "ERR source and destination objects are the same");
}

/* `old` is what stands at `to` and is to go, or NULL. False after the error was written: nothing has changed. */
static bool move_entry(struct call *call, const struct place *from, struct entry *e,
                       const struct place *to, struct entry *old) {
    struct db_place place = target(call, to, old);
    if (db_move(from->db, e, from->hash, &place)) return true;
    reply_error(call->reply, ERROR_MEMORY_TEXT);
    return false;
}

/* ---- RENAME, RENAMENX */

static void rename_key(struct call *call, bool replace) {
    struct place from = place_in(call, call->db, 1), to = place_in(call, call->db, 2);
    struct entry *e = find_at(call, &from);
    if (!e) {
        reply_error(call->reply, ERROR_NO_KEY_TEXT);
        return;
    }
    if (!span_eq(call->argv[1], call->argv[2])) {
        struct entry *old = find_at(call, &to);
        if (old && !replace) {
            reply_int(call->reply, 0);
            return;
        }
        if (!move_entry(call, &from, e, &to, old)) return;
        tell_at(call, &from, "rename_from");
        tell_at(call, &to, "rename_to");
    } else if (!replace) {
        reply_int(call->reply, 0);
        return;
    }
    if (replace) {
        reply_ok(call->reply);
    } else {
        reply_int(call->reply, 1);
    }
}

void rename_replace(struct call *call) {
    rename_key(call, true);
}

void rename_new(struct call *call) {
    rename_key(call, false);
}

/* ---- MOVE */

void rename_move(struct call *call) {
    struct db *db = parse_db(call, 2);
    if (!db) return;
    if (db == call->db) {
        refuse_same(call);
        return;
    }
    struct place from = place_in(call, call->db, 1), to = place_in(call, db, 1);
    struct entry *e = find_at(call, &from);
    if (!e || find_at(call, &to)) {
        reply_int(call->reply, 0);
        return;
    }
    if (!move_entry(call, &from, e, &to, NULL)) return;
    tell_at(call, &from, "move_from");
    tell_at(call, &to, "move_to");
    reply_int(call->reply, 1);
}

/* ---- COPY */

struct copy {
    struct db *db;
    bool replace;
};

static bool parse_copy(struct call *call, struct copy *copy) {
    *copy = (struct copy){.db = call->db};
    for (uint32_t i = 3; i < call->argc; i++) {
        if (call_is(call, i, "replace")) {
            copy->replace = true;
        } else if (call_is(call, i, "db") && i + 1 < call->argc) {
            copy->db = parse_db(call, ++i);
            if (!copy->db) return false;
        } else {
            call_syntax_error(call);
            return false;
        }
    }
    if (copy->db != call->db || !span_eq(call->argv[1], call->argv[2])) return true;
    refuse_same(call);
    return false;
}

void rename_copy(struct call *call) {
    struct copy copy;
    if (!parse_copy(call, &copy)) return;
    struct place to = place_in(call, copy.db, 2);
    struct entry *e = call_find(call, 1);
    struct entry *old = e ? find_at(call, &to) : NULL;
    if (!e || (old && !copy.replace)) {
        reply_int(call->reply, 0);
        return;
    }
    struct db_place place = target(call, &to, old);
    if (!db_copy(call->db, e, &place)) {
        reply_error(call->reply, ERROR_MEMORY_TEXT);
        return;
    }
    tell_at(call, &to, "copy_to");
    reply_int(call->reply, 1);
}
