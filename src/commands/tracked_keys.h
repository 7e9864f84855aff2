/* Which readers hold copies of which keys: a table by name whose elements are one allocation each, a key with its readers' numbers. It
 * knows nothing of sessions: a reader is a number that its owner gives out, and numbers may go stale. */
#ifndef COMMANDS_TRACKED_KEYS_H
#define COMMANDS_TRACKED_KEYS_H

#include <stdbool.h>

#include "base/list.h"
#include "base/random.h"
#include "base/span.h"
#include "types/table.h"

struct tracked_key {
    uint32_t count, capacity; /* of readers */
    uint32_t len;
    uint32_t readers[]; /* `capacity` of them, `count` in use and ascending; then the key's bytes */
};

struct tracked_keys {
    struct table table;
    struct list emptied;  /* tables of earlier contents, freed in steps */
    uint64_t reader_count; /* of all keys */
    bool (*is_alive)(uint32_t reader, void *context); /* asked before a key's array grows; others are dropped from it */
    void *context;
};

void tracked_keys_init(struct tracked_keys *t, bool (*is_alive)(uint32_t reader, void *context), void *context);
void tracked_keys_release(struct tracked_keys *t);

/* 1: added, 0: it was there, -ENOMEM. `hash` is hash_bytes of the name here and below. */
ATTR_MUST_USE int tracked_keys_add(struct tracked_keys *t, struct span name, uint64_t hash, uint32_t reader);
/* Takes the key out; the caller frees it with mem_free. NULL: nobody reads it. */
struct tracked_key *tracked_keys_take(struct tracked_keys *t, struct span name, uint64_t hash);
struct tracked_key *tracked_keys_take_random(struct tracked_keys *t, struct random *random); /* NULL: none */
/* Forgets everything, at once for who looks and in steps for the allocator: tracked_keys_free_step until it returns false. */
void tracked_keys_forget(struct tracked_keys *t);
bool tracked_keys_free_step(struct tracked_keys *t);

INLINE struct span tracked_key_name(const struct tracked_key *k) {
    return span_make((const char *)(k->readers + k->capacity), k->len);
}
INLINE bool tracked_keys_pending(const struct tracked_keys *t) { /* of steps */
    return !list_empty(&t->emptied);
}

#endif
