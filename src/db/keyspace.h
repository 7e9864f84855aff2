/* Inside src/db only: the keyspace's own storage and what its files share. */
#ifndef DB_KEYSPACE_H
#define DB_KEYSPACE_H

#include "base/alloc.h"
#include "base/check.h"
#include "base/clock.h"
#include "base/list.h"
#include "db/db.h"
#include "db/entry_make.h"

struct keyspace {
    struct db *dbs;
    struct keyspace_options options;
    struct keyspace_stats stats;
    struct random random;
    struct list hooks; /* of struct db_hook */
    const struct value_ops *ops[ENTRY_TYPE_COUNT];

    struct list lazy; /* of struct lazy_item, see lazy.c */
    struct list pins; /* of struct db_pin, see pin.c */

    uint32_t db_used_count; /* databases that have ever held a key, and those before them */
    struct evictor *evictor; /* see evict.c; NULL until something was to be evicted */

    bool active_expire;
    bool own_change; /* what the hooks are told of is an expiry or an eviction */
    uint32_t expire_db; /* whose turn it is in the active cycle */

    int64_t clock_ms; /* the instant that lru_clock and lfu_minutes are of */
    uint32_t lru_clock, lfu_minutes;
};

/* -- access.c */
void access_refresh(struct keyspace *ks, int64_t now_ms);
uint32_t access_clock_new(struct keyspace *ks);
void access_touch_lfu(struct keyspace *ks, struct entry *e);
INLINE void access_touch(struct keyspace *ks, struct entry *e) {
    if (UNLIKELY(ks->clock_ms != clock_real_ms())) access_refresh(ks, clock_real_ms());
    if (UNLIKELY(ks->options.lfu)) {
        access_touch_lfu(ks, e);
    } else {
        entry_set_access_clock(e, ks->lru_clock);
    }
}

/* -- lazy.c. Freeing of what an entry holds; lazy: large values are queued. */
void lazy_drop_blob(struct keyspace *ks, struct blob *blob, bool lazy);
void lazy_drop_value(struct keyspace *ks, struct entry *e, bool lazy); /* what its word points to */
INLINE void lazy_drop_entry(struct keyspace *ks, struct entry *e, bool lazy) {
    if (UNLIKELY(e->head & ENTRY_HEAD_WORD)) lazy_drop_value(ks, e, lazy);
    entry_free(e);
}
void lazy_queue_table(struct keyspace *ks, struct table *table); /* its content is taken over */
void lazy_drain(struct keyspace *ks);

/* -- pin.c */
void pins_changing(struct keyspace *ks, const void *object);
bool pins_take_over(struct keyspace *ks, const void *object); /* true: it is pinned, and freed later */
INLINE bool pins_any(const struct keyspace *ks) {
    return UNLIKELY(!list_empty(&ks->pins));
}

/* -- db.c */
INLINE table_slot *db_lookup(const struct db *db, struct span key, uint64_t hash) {
    return table_find_by(&db->table, hash, key, entry_has_key);
}
/* The slot of an entry that is there. */
table_slot *db_slot_of(const struct db *db, const struct entry *e, uint64_t hash);
/* What the entry counts for in data_bytes. */
size_t db_weight_slow(const struct db *db, const struct entry *e);
INLINE size_t db_weight(const struct db *db, const struct entry *e) {
    if (UNLIKELY(e->head & ENTRY_HEAD_WORD)) return db_weight_slow(db, e);
    return mem_class_bytes(entry_used_bytes(e));
}
/* Puts a new entry into the table: for `old` when that is not NULL (in `slot`, if known), which is freed without its value. */
void db_enter(struct db *db, table_slot *slot, struct entry *old, uint64_t hash, struct entry *e);
/* Takes an entry out of the table and the accounts; it is not freed. */
void db_unlink(struct db *db, table_slot *slot, struct entry *e, uint64_t hash);
void db_tell_changed(struct db *db, struct span key);
INLINE void db_tell(struct db *db, const struct entry *e) {
    if (UNLIKELY(!list_empty(&db->keyspace->hooks))) db_tell_changed(db, entry_key(e));
}
/* Puts an entry whose word is a blob or an object; see put.c. NULL for -ENOMEM: the word is still the caller's. */
struct word_put {
    struct span key;
    uint64_t hash;
    enum entry_type type;
    void *word;
    int64_t deadline_ms;
    bool rewritten; /* the word is the old one, and stays */
};
struct entry *db_put_word(struct db *db, table_slot *slot, struct entry *old,
                          const struct word_put *put);

/* The same of what nobody but time or the limit has changed. */
INLINE void db_tell_own(struct db *db, const struct entry *e) {
    if (LIKELY(list_empty(&db->keyspace->hooks))) return;
    db->keyspace->own_change = true;
    db_tell_changed(db, entry_key(e));
    db->keyspace->own_change = false;
}

/* -- evict.c */
void evict_release(struct keyspace *ks);

/* -- expire.c */
INLINE bool db_entry_due(const struct entry *e, int64_t now_ms) {
    return UNLIKELY(e->head & ENTRY_HEAD_DEADLINE) && entry_deadline_ms(e) <= now_ms;
}
/* Removes an entry that is due: counts it and tells the hooks. */
void db_expire_entry(struct db *db, table_slot *slot, struct entry *e, uint64_t hash);
/* The entry, or its value, is on its way out. */
INLINE void db_forget_inner(struct db *db, const struct entry *e) {
    if (UNLIKELY(e->head & ENTRY_HEAD_INNER)) db->inner_count--;
}
/* Moves the accounts of deadlines from one to another; the table and the cycle hear of the new one. */
void db_deadline_changed(struct db *db, uint64_t hash, int64_t before_ms, int64_t after_ms);
INLINE void db_note_deadlines(struct db *db, uint64_t hash, int64_t before_ms, int64_t after_ms) {
    if (UNLIKELY(before_ms != after_ms)) db_deadline_changed(db, hash, before_ms, after_ms);
}

#endif
