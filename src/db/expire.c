/* Deadlines and what happens when they pass.
 *
 * A lookup removes what it finds due. The active cycle finds the rest: each table segment knows a lower bound of its deadlines, and
 * a round walks over all segments, reading the elements of those that are due. Of a database it knows
 *
 *   expire_earliest_ms   a lower bound of all deadlines; while a round runs: of those set since it began
 *   expire_walk          where the round stands, and the bound of what it has passed
 *
 * so that nothing is done before something is due. Elements of an object may have deadlines of their own (fields of a hash): the
 * object's earliest is one of the entry's, and a visit removes some of them instead of the entry.
 *
 * Reading a segment costs some 10 us for however few due keys, so after a round the database rests for EXPIRE_REST_FACTOR times
 * what was spent on little: with deadlines spread thin over all segments the cycle takes a twentieth of the time at most. A mass of keys due at once is removed in one round, budget after budget
 * (5 million: 220 to 250 ns a key), and counts for nothing in the rest. */
#include "base/hash.h"
#include "db/keyspace.h"

enum {
    EXPIRE_BATCH = 64,          /* keys removed between two looks at the clock: some 20 us */
    EXPIRE_INNER_BATCH = 128,   /* elements of objects, likewise */
    EXPIRE_BATCH_SEGMENTS = 64, /* whose headers alone are read between two looks */
    EXPIRE_REST_FACTOR = 20,
    EXPIRE_WORTH_COUNT = 8, /* a segment with fewer due keys was not worth reading yet */
};

void db_deadline_changed(struct db *db, uint64_t hash, int64_t before_ms, int64_t after_ms) {
    uint64_t sum = (uint64_t)db->deadline_sum_ms;
    if (before_ms != ENTRY_NO_DEADLINE) {
        db->deadline_count--;
        sum -= (uint64_t)before_ms;
    }
    if (after_ms != ENTRY_NO_DEADLINE) {
        db->deadline_count++;
        sum += (uint64_t)after_ms;
        table_note_deadline(&db->table, hash, after_ms);
        db->expire_earliest_ms = MIN(db->expire_earliest_ms, after_ms);
    }
    db->deadline_sum_ms = (int64_t)sum;
}

void db_note_inner_deadline(struct db *db, struct entry *entry, uint64_t hash,
                            int64_t earliest_ms) {
    bool before = entry->head & ENTRY_HEAD_INNER, after = earliest_ms != ENTRY_NO_DEADLINE;
    if (before != after) {
        entry->head ^= ENTRY_HEAD_INNER;
        db->inner_count += after ? 1 : (uint64_t)-1;
    }
    if (!after) return;
    table_note_deadline(&db->table, hash, earliest_ms);
    db->expire_earliest_ms = MIN(db->expire_earliest_ms, earliest_ms);
}

void db_expire_entry(struct db *db, table_slot *slot, struct entry *e, uint64_t hash) {
    db_unlink(db, slot, e, hash);
    db->keyspace->stats.expired_count++;
    db_tell_own(db, e);
    db_event(db, 'x', "expired", entry_key(e));
    lazy_drop_entry(db->keyspace, e, true);
}

struct entry *db_set_deadline(struct db *db, struct entry *entry, uint64_t hash,
                              int64_t deadline_ms) {
    int64_t before_ms = entry_deadline_ms(entry);
    if (before_ms == deadline_ms) return entry;
    if ((entry->head & ENTRY_HEAD_DEADLINE) || entry_try_widen_for_deadline(entry)) {
        entry_store_deadline(entry, deadline_ms);
    } else {
        struct entry_parts parts = entry_take_apart(entry);
        struct entry *moved;
        parts.deadline_ms = deadline_ms;
        moved = entry_try_make(&parts);
        if (!moved) return NULL;
        db->data_bytes -= db_weight(db, entry);
        db->data_bytes += db_weight(db, moved);
        table_slot_set(db_slot_of(db, entry, hash), moved);
        entry_free(entry);
        entry = moved;
    }
    db_deadline_changed(db, hash, before_ms, deadline_ms);
    db_tell(db, entry);
    return entry;
}

/* -- the active cycle */

static bool round_wanted(const struct db *db, int64_t now_ms) {
    if (db->deadline_count + db->inner_count == 0) return false;
    if (db->expire_running) return true;
    return db->expire_earliest_ms <= now_ms && db->expire_rest_ms <= clock_mono_ms();
}

static void round_begin(struct db *db) {
    db->expire_running = true;
    db->expire_walk = (struct table_due_walk){0};
    db->expire_earliest_ms = ENTRY_NO_DEADLINE;
    db->expire_spent_us = 0;
}

static void round_end(struct db *db) {
    db->expire_running = false;
    db->expire_earliest_ms = MIN(db->expire_earliest_ms, db->expire_walk.earliest_ms);
    db->expire_rest_ms = clock_mono_ms() + db->expire_spent_us * EXPIRE_REST_FACTOR / 1000;
}

/* Elements of the entry's object that are due; what is left of them waits for the next round. */
static size_t expire_inner(struct db *db, struct entry *e, uint64_t hash, int64_t now_ms,
                           size_t max) {
    const struct value_ops *ops = db->keyspace->ops[entry_type(e)];
    size_t before_bytes = ops->memory_bytes(entry_object(e));
    void *object = entry_object(e);
    int64_t earliest_ms;
    bool empty;
    uint64_t count = ops->expire_step(&object, now_ms, max, &earliest_ms, &empty);
    entry_set_object(e, object);
    db_account(db, before_bytes, ops->memory_bytes(object));
    db_note_inner_deadline(db, e, hash, earliest_ms);
    if (count == 0) return 0;
    db->keyspace->stats.expired_field_count += count;
    db_event(db, 'x', ops->expire_event, entry_key(e));
    if (empty) {
        db_event(db, 'g', "del", entry_key(e));
        db_remove(db, e, hash, true);
    } else {
        db_tell_own(db, e);
    }
    return count;
}

static size_t remove_due(struct db *db, int64_t now_ms) {
    void *due[EXPIRE_BATCH];
    size_t due_count = table_collect_due(&db->table, &db->expire_walk, EXPIRE_BATCH_SEGMENTS,
                                         now_ms, due, EXPIRE_BATCH);
    size_t removed = 0;
    for (size_t i = 0; i < due_count; i++) {
        struct entry *e = due[i];
        struct span key = entry_key(e);
        uint64_t hash = hash_bytes(key.data, key.len);
        if (!db_entry_due(e, now_ms)) {
            size_t left = EXPIRE_INNER_BATCH - MIN(removed, (size_t)EXPIRE_INNER_BATCH);
            removed += expire_inner(db, e, hash, now_ms, left);
            continue;
        }
        db_expire_entry(db, db_slot_of(db, e, hash), e, hash);
        removed++;
    }
    return removed;
}

/* One database, until its round ends (true) or the time is over. */
struct cycle {
    int64_t now_ms, start_us, last_us, longest_us, budget_us;
};

static bool cycle_db(struct cycle *cycle, struct db *db) {
    if (!db->expire_running) round_begin(db);
    do {
        int64_t before_us = cycle->last_us;
        size_t due_count = remove_due(db, cycle->now_ms);
        cycle->last_us = clock_mono_us();
        cycle->longest_us = MAX(cycle->longest_us, cycle->last_us - before_us);
        if (due_count < EXPIRE_WORTH_COUNT) db->expire_spent_us += cycle->last_us - before_us;
        if (db->expire_walk.round_ended) {
            round_end(db);
            return true;
        }
    } while (cycle->last_us - cycle->start_us + cycle->longest_us < cycle->budget_us);
    return false;
}

bool keyspace_expire_cycle(struct keyspace *ks, int64_t now_ms, int64_t budget_us) {
    struct cycle cycle = {.now_ms = now_ms, .budget_us = budget_us};
    bool left = false, started = false;
    if (!ks->active_expire) return false;
    for (uint32_t i = 0; i < ks->options.db_count && !left; i++) {
        struct db *db = ks->dbs + ks->expire_db;
        if (round_wanted(db, now_ms)) {
            if (!started) cycle.start_us = cycle.last_us = clock_mono_us();
            started = true;
            left = !cycle_db(&cycle, db);
        }
        ks->expire_db = (ks->expire_db + 1) % ks->options.db_count;
        if (started && cycle.last_us - cycle.start_us + cycle.longest_us >= budget_us) break;
    }
    if (!started) return false;
    ks->stats.expire_cycle_us += (uint64_t)(cycle.last_us - cycle.start_us);
    for (uint32_t i = 0; i < ks->options.db_count && !left; i++) {
        left = round_wanted(ks->dbs + i, now_ms);
    }
    ks->stats.expire_cycle_capped_count += left;
    return left;
}

void keyspace_set_active_expire(struct keyspace *ks, bool on) {
    ks->active_expire = on;
}

int64_t keyspace_next_deadline_hint_ms(const struct keyspace *ks) {
    int64_t hint_ms = ENTRY_NO_DEADLINE;
    for (uint32_t i = 0; i < ks->options.db_count && ks->active_expire; i++) {
        const struct db *db = ks->dbs + i;
        int64_t rest_ms = MAX(db->expire_rest_ms - clock_mono_ms(), 0);
        if (db->deadline_count + db->inner_count == 0) continue;
        if (db->expire_running) return clock_real_ms();
        if (db->expire_earliest_ms == ENTRY_NO_DEADLINE) continue;
        hint_ms = MIN(hint_ms, MAX(db->expire_earliest_ms, clock_real_ms() + rest_ms));
    }
    return hint_ms;
}
