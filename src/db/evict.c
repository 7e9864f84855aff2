/* Finding keys to evict.
 *
 *   pool:  | worst | ... | best |    candidates of all databases, by score; a better one pushes the worst out
 *
 * A candidate is the address of an entry and its hash, nothing that is owned: before it is used the table is asked whether it still
 * holds that address there, and the entry is scored anew. So a stale candidate costs a look at a bucket, and no harm.
 *
 * Keys with deadlines are sampled like all keys while they are many (one in VOLATILE_DENSE). When they are few the table is walked
 * for them: it knows which segments hold deadlines, and hash order is as random as any. The walk goes on where it stopped, so
 * the last key with a deadline among many is found after so many rounds. */
#include "db/evict.h"

#include "base/hash.h"
#include "db/keyspace.h"

enum {
    POOL_SIZE = 16,
    VOLATILE_DENSE = 16,
    VOLATILE_TRIES = 16,           /* samples looked through, while keys with deadlines are many */
    VOLATILE_WALK_SEGMENTS = 1024, /* headers read in a round: some 50 us */
    VOLATILE_WALK_MAX = 1024, /* keys of a segment: it has less slots while the table is not vast */
};

struct candidate {
    const struct entry *entry;
    uint64_t hash, score;
    uint32_t db;
};

struct evictor {
    struct candidate pool[POOL_SIZE]; /* ascending by score */
    uint32_t count;
    enum evict_order order; /* that the scores are of */
    bool volatile_only;
    uint32_t next_db; /* of random eviction */
};

struct sample {
    struct entry *entries[VOLATILE_WALK_MAX];
    uint32_t count;
};

void evict_release(struct keyspace *ks) {
    mem_free(ks->evictor);
}

static uint64_t hash_of(const struct entry *e) {
    struct span key = entry_key(e);
    return hash_bytes(key.data, key.len);
}

/* -- scores: the greater, the sooner it goes */

static uint64_t score_of(const struct keyspace *ks, enum evict_order order, const struct entry *e) {
    switch (order) {
    case EVICT_LEAST_RECENT: return entry_idle_s(ks, e);
    case EVICT_LEAST_FREQUENT: return UINT8_MAX - entry_frequency(ks, e);
    case EVICT_SOONEST: return UINT64_MAX - (uint64_t)entry_deadline_ms(e);
    case EVICT_RANDOM: return 0;
    }
    return 0;
}

static bool may_go(const struct evict_rule *rule, const struct entry *e) {
    return !rule->volatile_only || entry_deadline_ms(e) != ENTRY_NO_DEADLINE;
}

static uint64_t eligible_count(const struct db *db, const struct evict_rule *rule) {
    return rule->volatile_only ? db->deadline_count : db->table.count;
}

/* -- sampling */

/* Where the next sample of the database is taken from is drawn now, and its line comes while others are served. */
static uint64_t next_place(struct db *db) {
    uint64_t place = db->evict_place;
    db->evict_place = random_next(&db->keyspace->random);
    table_sample_prefetch(&db->table, db->evict_place);
    return place;
}

static void sample_all(struct db *db, uint32_t want, struct sample *sample) {
    sample->count =
        (uint32_t)table_sample(&db->table, next_place(db), (void **)sample->entries, want);
}

/* A small segment has less than is wanted, and not all of it has a deadline. */
static void sample_dense(struct db *db, uint32_t want, struct sample *sample) {
    for (uint32_t tries = 0; tries < VOLATILE_TRIES && sample->count < want; tries++) {
        void *found[EVICT_SAMPLE_COUNT_MAX];
        size_t count = table_sample(&db->table, next_place(db), found, want);
        for (size_t i = 0; i < count && sample->count < want; i++) {
            if (entry_deadline_ms(found[i]) != ENTRY_NO_DEADLINE) {
                sample->entries[sample->count++] = found[i];
            }
        }
    }
}

/* The table takes what it collected for removed: their segment is to know of their deadlines again. Leaves out the entries whose
 * elements alone have deadlines. */
static void keep_collected(struct db *db, size_t found, struct sample *sample) {
    int64_t earliest_ms = ENTRY_NO_DEADLINE;
    uint64_t hash = found ? hash_of(sample->entries[0]) : 0;
    for (size_t i = 0; i < found; i++) {
        struct entry *e = sample->entries[i];
        int64_t deadline_ms = entry_deadline_ms(e);
        earliest_ms = MIN(earliest_ms, MIN(deadline_ms, entry_inner_deadline_ms(e)));
        if (deadline_ms != ENTRY_NO_DEADLINE) sample->entries[sample->count++] = e;
    }
    if (found) table_note_deadline(&db->table, hash, earliest_ms);
}

/* Keys with deadlines of the next segment that has some. */
static void sample_walk(struct db *db, struct sample *sample) {
    struct table_due_walk walk = {.position = db->evict_position};
    for (uint32_t tries = 0; tries < VOLATILE_TRIES && sample->count == 0; tries++) {
        size_t found =
            table_collect_due(&db->table, &walk, VOLATILE_WALK_SEGMENTS / VOLATILE_TRIES,
                              ENTRY_NO_DEADLINE - 1, (void **)sample->entries, VOLATILE_WALK_MAX);
        keep_collected(db, found, sample);
    }
    db->evict_position = walk.position;
}

static bool deadlines_dense(const struct db *db) {
    return db->deadline_count >= db->table.count / VOLATILE_DENSE;
}

static void sample_db(struct db *db, const struct evict_rule *rule, uint32_t want,
                      struct sample *sample) {
    sample->count = 0;
    if (!rule->volatile_only) {
        sample_all(db, want, sample);
        return;
    }
    if (deadlines_dense(db)) sample_dense(db, want, sample);
    if (sample->count == 0) sample_walk(db, sample);
}

/* -- the pool */

static bool in_pool(const struct evictor *ev, const struct entry *e) {
    for (uint32_t i = 0; i < ev->count; i++) {
        if (ev->pool[i].entry == e) return true;
    }
    return false;
}

static void pool_offer(struct evictor *ev, struct db *db, const struct entry *e) {
    uint64_t score = score_of(db->keyspace, ev->order, e);
    uint32_t at = 0;
    bool full = ev->count == POOL_SIZE;
    if ((full && score <= ev->pool[0].score) || in_pool(ev, e)) return;
    while (at < ev->count && ev->pool[at].score < score) at++;
    if (full) {
        at--;
        memmove(ev->pool, ev->pool + 1, at * sizeof *ev->pool);
    } else {
        memmove(ev->pool + at + 1, ev->pool + at, (ev->count - at) * sizeof *ev->pool);
        ev->count++;
    }
    ev->pool[at] = (struct candidate){e, hash_of(e), score, db->number};
}

/* A walk brings a segment's keys at once: they last for some rounds. */
static void pool_fill(struct keyspace *ks, const struct evict_rule *rule) {
    struct evictor *ev = ks->evictor;
    struct sample sample;
    for (uint32_t i = 0; i < ks->db_used_count; i++) {
        struct db *db = ks->dbs + i;
        if (eligible_count(db, rule) == 0) continue;
        sample_db(db, rule, rule->sample_count, &sample);
        for (uint32_t k = 0; k < sample.count; k++) pool_offer(ev, db, sample.entries[k]);
    }
}

static bool pool_lasts(const struct keyspace *ks, const struct evict_rule *rule) {
    uint64_t volatile_count = 0;
    if (!rule->volatile_only || ks->evictor->count <= POOL_SIZE / 2) return false;
    for (uint32_t i = 0; i < ks->db_used_count; i++) volatile_count += ks->dbs[i].deadline_count;
    return volatile_count < keyspace_key_count(ks) / VOLATILE_DENSE;
}

/* What goes. */
struct victim {
    struct db *db;
    struct entry *entry; /* NULL: none was found */
    uint64_t hash;
};

static struct victim victim_of(struct db *db, struct entry *e) {
    return (struct victim){db, e, hash_of(e)};
}

static struct victim pool_take(struct keyspace *ks, const struct evict_rule *rule) {
    struct evictor *ev = ks->evictor;
    while (ev->count > 0) {
        struct candidate c = ev->pool[--ev->count];
        struct db *db = ks->dbs + c.db;
        table_slot *slot = table_find_element(&db->table, c.hash, c.entry);
        struct entry *e = slot ? table_element(slot) : NULL;
        if (!e || !may_go(rule, e) || score_of(ks, ev->order, e) < c.score) continue;
        return victim_of(db, e);
    }
    return (struct victim){0};
}

/* -- rounds */

/* Neighbours of empty slots are favoured by table_sample, not by table_random. */
static struct entry *pick_random(struct db *db, const struct evict_rule *rule) {
    bool dense = !rule->volatile_only || deadlines_dense(db);
    struct sample sample = {.count = 0};
    for (uint32_t tries = dense ? VOLATILE_TRIES : 0; tries > 0; tries--) {
        struct entry *e = table_random(&db->table, &db->keyspace->random);
        if (may_go(rule, e)) return e;
    }
    sample_walk(db, &sample);
    return sample.count ? sample.entries[random_below(&db->keyspace->random, sample.count)] : NULL;
}

/* One database after the other, as Redis does it. */
static struct victim choose_random(struct keyspace *ks, const struct evict_rule *rule) {
    for (uint32_t i = 0; i < ks->db_used_count; i++) {
        struct db *db = ks->dbs + ks->evictor->next_db++ % ks->db_used_count;
        struct entry *e = eligible_count(db, rule) ? pick_random(db, rule) : NULL;
        if (e) return victim_of(db, e);
    }
    return (struct victim){0};
}

static struct victim choose(struct keyspace *ks, const struct evict_rule *rule) {
    if (rule->order == EVICT_RANDOM) return choose_random(ks, rule);
    if (!pool_lasts(ks, rule)) pool_fill(ks, rule);
    return pool_take(ks, rule);
}

static void evict(struct keyspace *ks, const struct victim *victim, bool lazy) {
    struct db *db = victim->db;
    struct entry *e = victim->entry;
    table_slot *slot = db_slot_of(db, e, victim->hash);
    if (db_entry_due(e, clock_real_ms())) { /* it was gone for everybody but us */
        db_expire_entry(db, slot, e, victim->hash);
        return;
    }
    db_unlink(db, slot, e, victim->hash);
    ks->stats.evicted_count++;
    db_tell_own(db, e);
    db_event(db, 'e', "evicted", entry_key(e));
    lazy_drop_entry(ks, e, lazy);
}

static bool anything_left(const struct keyspace *ks, const struct evict_rule *rule) {
    for (uint32_t i = 0; i < ks->db_used_count; i++) {
        if (eligible_count(ks->dbs + i, rule) > 0) return true;
    }
    return false;
}

/* Scores of another kind say nothing. */
static void adopt(struct keyspace *ks, const struct evict_rule *rule) {
    struct evictor *ev = ks->evictor;
    if (!ev) ev = ks->evictor = mem_zalloc(sizeof *ev);
    if (ev->order != rule->order || ev->volatile_only != rule->volatile_only) ev->count = 0;
    ev->order = rule->order;
    ev->volatile_only = rule->volatile_only;
}

enum evict_result keyspace_evict(struct keyspace *ks, const struct evict_rule *rule,
                                 size_t limit_bytes, uint32_t round_max) {
    DCHECK(rule->sample_count > 0 && rule->sample_count <= EVICT_SAMPLE_COUNT_MAX);
    adopt(ks, rule);
    for (uint32_t round = 0; keyspace_data_bytes(ks) > limit_bytes; round++) {
        struct victim victim;
        if (!anything_left(ks, rule)) return EVICT_NOTHING_LEFT;
        if (round == round_max) return EVICT_UNFINISHED;
        victim = choose(ks, rule);
        if (victim.entry) evict(ks, &victim, rule->lazy);
    }
    return EVICT_FITS;
}
