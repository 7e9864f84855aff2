/* What the keyspace's tests share: keys, a recount of the accounts, a simple type of object. */
#ifndef TESTS_UNIT_DB_SUPPORT_H
#define TESTS_UNIT_DB_SUPPORT_H

#include "base/alloc.h"
#include "base/clock.h"
#include "base/hash.h"
#include "db/db.h"
#include "test.h"

INLINE uint64_t key_hash(struct span key) {
    return hash_bytes(key.data, key.len);
}
INLINE struct entry *find(struct db *db, struct span key) {
    return db_find(db, key, key_hash(key), 0);
}
INLINE struct entry *set(struct db *db, struct span key, struct span value, int64_t deadline_ms) {
    return db_set_string(db, key, key_hash(key), value, NULL, deadline_ms);
}

/* An object: a block that knows its size; copying may fail; freeing is as much effort as it says. */
struct thing {
    size_t bytes;
    uint32_t effort;
};
extern int thing_count;

struct thing *thing_new(size_t bytes, uint32_t effort);
extern const struct value_ops thing_ops;

/* Do the database's accounts and its table's structure agree with a walk over all entries? */
bool db_agrees(struct db *db);

/* -- definitions: each test program is one file */
int thing_count;

struct thing *thing_new(size_t bytes, uint32_t effort) {
    struct thing *thing = mem_zalloc(MAX(bytes, sizeof *thing));
    thing->bytes = mem_usable_bytes(thing);
    thing->effort = effort;
    thing_count++;
    return thing;
}
static void thing_free(void *object) {
    mem_free(object);
    thing_count--;
}
static void *thing_try_copy(const void *object) {
    const struct thing *thing = object;
    void *probe = mem_try_alloc(1);
    if (!probe) return NULL;
    mem_free(probe);
    return thing_new(thing->bytes, thing->effort);
}
static size_t thing_memory_bytes(const void *object) {
    return ((const struct thing *)object)->bytes;
}
static uint64_t thing_free_effort(const void *object) {
    return ((const struct thing *)object)->effort;
}
static bool thing_free_step(void *object, uint32_t effort) {
    struct thing *thing = object;
    if (thing->effort > effort) {
        thing->effort -= effort;
        return false;
    }
    thing_free(thing);
    return true;
}
const struct value_ops thing_ops = {.free = thing_free,
                                    .try_copy = thing_try_copy,
                                    .memory_bytes = thing_memory_bytes,
                                    .free_effort = thing_free_effort,
                                    .free_step = thing_free_step};

/* libc may give more than the class, never less. */
#ifdef BASE_HAVE_JEMALLOC
enum { BLOCKS_EXACT = true };
#else
enum { BLOCKS_EXACT = false };
#endif

struct recount {
    size_t data_bytes;
    uint64_t count, deadline_count, deadline_sum_ms;
    bool block_classes_agree;
};

static void recount_entry(void *element, void *context) {
    const struct entry *e = element;
    struct recount *recount = context;
    recount->count++;
    recount->data_bytes += entry_memory_bytes(e);
    if (entry_type(e) != ENTRY_STRING) {
        recount->data_bytes += thing_memory_bytes(entry_object(e));
    } else if (!entry_blob(e)) {
        size_t given_bytes = mem_usable_bytes(e), class_bytes = entry_memory_bytes(e);
        if (BLOCKS_EXACT ? given_bytes != class_bytes : given_bytes < class_bytes) {
            recount->block_classes_agree = false;
        }
    }
    if (entry_deadline_ms(e) != ENTRY_NO_DEADLINE) {
        recount->deadline_count++;
        recount->deadline_sum_ms += (uint64_t)entry_deadline_ms(e);
    }
}

bool db_agrees(struct db *db) {
    struct recount recount = {.block_classes_agree = true};
    uint64_t cursor = 0;
    table_check(&db->table);
    do {
        cursor = table_scan(&db->table, cursor, recount_entry, &recount);
    } while (cursor != 0);
    return recount.count == db_count(db) && recount.data_bytes == db->data_bytes &&
           recount.deadline_count == db->deadline_count &&
           recount.deadline_sum_ms == (uint64_t)db->deadline_sum_ms && recount.block_classes_agree;
}

#endif
