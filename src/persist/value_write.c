/* Values to their serialized form: those that every server from Redis 7.0 on reads. Which is small and which large is the reader's own
 * business, so that collections are written element by element, whatever they lie in here. */
#include "persist/value.h"

#include "persist/value_parts.h"

static void write_element(struct rdb_writer *w, const struct packed_value *value) {
    char text[NUM_INT_TEXT_MAX];
    rdb_write_string(w, packed_value_bytes(value, text));
}

static void write_list(struct rdb_writer *w, const struct chain *c) {
    struct chain_walk walk;
    rdb_write_byte(w, RDB_LIST);
    rdb_write_length(w, chain_count(c));
    for (bool there = chain_walk_at(&walk, c, 0); there; there = chain_walk_next(&walk)) {
        struct chain_value v = chain_walk_value(&walk);
        write_element(w, &v.value);
    }
}

static void write_set(struct rdb_writer *w, const struct set *s) {
    struct packed_value members[SET_WALK_BATCH];
    struct set_walk walk;
    rdb_write_byte(w, RDB_SET);
    rdb_write_length(w, set_count(s));
    set_walk_begin(&walk, s);
    for (uint32_t n; (n = set_walk_next(&walk, members)) > 0;) {
        for (uint32_t i = 0; i < n; i++) write_element(w, &members[i]);
    }
}

/* From the last to the first, as Redis writes them: it reads them fastest so. */
static void write_zset(struct rdb_writer *w, const struct zset *z) {
    struct zset_cursor cursor;
    uint64_t count = zset_count(z);
    rdb_write_byte(w, RDB_ZSET);
    rdb_write_length(w, count);
    for (bool there = zset_seek(z, count - 1, &cursor); there; there = zset_previous(&cursor)) {
        rdb_write_string(w, cursor.member);
        rdb_write_double(w, cursor.score);
    }
}

/* Fields whose time has passed are in no walk, but in the count. */
static uint64_t live_count(const struct fields *f) {
    struct field_pair pairs[FIELDS_WALK_BATCH];
    struct fields_walk walk;
    uint64_t count = 0;
    if (fields_deadline_count(f) == 0) return fields_count(f);
    fields_walk_begin(&walk, f);
    for (uint32_t n; (n = fields_walk_next(&walk, pairs)) > 0;) count += n;
    return count;
}

static unsigned write_hash(struct rdb_writer *w, const struct fields *f) {
    struct field_pair pairs[FIELDS_WALK_BATCH];
    struct fields_walk walk;
    bool timed = fields_deadline_count(f) > 0;
    uint64_t count = live_count(f);
    if (count == 0) return 0;
    rdb_write_byte(w, timed ? RDB_HASH_TIMED : RDB_HASH);
    rdb_write_length(w, count);
    fields_walk_begin(&walk, f);
    for (uint32_t n; (n = fields_walk_next(&walk, pairs)) > 0;) {
        for (uint32_t i = 0; i < n; i++) {
            write_element(w, &pairs[i].field);
            write_element(w, &pairs[i].value);
            if (!timed) continue;
            bool has_deadline = pairs[i].deadline_ms != FIELDS_NO_DEADLINE;
            rdb_write_int64(w, has_deadline ? pairs[i].deadline_ms : -1);
        }
    }
    return timed ? RDB_VERSION_FIELD_EXPIRY : RDB_VERSION;
}

unsigned value_write(struct rdb_writer *w, const struct value *value) {
    switch (value->type) {
    case ENTRY_STRING:
        rdb_write_byte(w, RDB_STRING);
        rdb_write_string(w, value->string);
        break;
    case ENTRY_LIST: write_list(w, value->object); break;
    case ENTRY_SET: write_set(w, value->object); break;
    case ENTRY_ZSET: write_zset(w, value->object); break;
    case ENTRY_HASH: return write_hash(w, value->object);
    case ENTRY_STREAM: stream_write(w, value->object); break;
    }
    return RDB_VERSION;
}
