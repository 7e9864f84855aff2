/* A key that many read grows its array by doubling, and only after its stale readers are out of it: a reader that goes away costs
 * nothing then, and its number takes room until the array is full or the key changes. */
#include "commands/tracked_keys.h"

#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "base/check.h"
#include "base/hash.h"

enum {
    READERS_MIN = 4,        /* after the first: most keys have one reader */
    FREE_STEP_SEGMENTS = 4, /* some 1,000 keys */
};

struct emptied_table {
    struct list link;
    struct table table;
};

static uint64_t key_hash(const void *element) {
    struct span name = tracked_key_name(element);
    return hash_bytes(name.data, name.len);
}

static bool key_has_name(const void *element, struct span name) {
    return span_eq(tracked_key_name(element), name);
}

static const struct table_type key_type = {.hash = key_hash, .has_key = key_has_name};

static void free_key(void *element, void *context) {
    mem_free(element);
}

/* ---- life */

void tracked_keys_init(struct tracked_keys *t, bool (*is_alive)(uint32_t reader, void *context),
                       void *context) {
    *t = (struct tracked_keys){.is_alive = is_alive, .context = context};
    table_init(&t->table, &key_type);
    list_init(&t->emptied);
}

void tracked_keys_release(struct tracked_keys *t) {
    tracked_keys_forget(t);
    while (tracked_keys_free_step(t)) continue;
}

void tracked_keys_forget(struct tracked_keys *t) {
    if (t->table.count == 0) return;
    struct emptied_table *emptied = mem_alloc(sizeof *emptied);
    emptied->table = t->table;
    list_push_back(&t->emptied, &emptied->link);
    table_init(&t->table, &key_type);
    t->reader_count = 0;
}

bool tracked_keys_free_step(struct tracked_keys *t) {
    if (list_empty(&t->emptied)) return false;
    struct emptied_table *emptied = LIST_ENTRY(t->emptied.next, struct emptied_table, link);
    if (table_release_step(&emptied->table, FREE_STEP_SEGMENTS, free_key, NULL)) {
        list_remove(&emptied->link);
        mem_free(emptied);
    }
    return true;
}

/* ---- readers */

/* Where the reader is or belongs. */
static uint32_t place_of(const struct tracked_key *k, uint32_t reader) {
    uint32_t low = 0, high = k->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (k->readers[middle] < reader) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static void insert(struct tracked_keys *t, struct tracked_key *k, uint32_t reader) {
    uint32_t place = place_of(k, reader);
    uint32_t *at = k->readers + place;
    DCHECK(k->count < k->capacity);
    memmove(at + 1, at, (k->count - place) * sizeof *at);
    *at = reader;
    k->count++;
    t->reader_count++;
}

static struct tracked_key *try_make(struct span name, uint32_t capacity) {
    struct tracked_key *k = mem_try_alloc(sizeof *k + capacity * sizeof k->readers[0] + name.len);
    if (!k) return NULL;
    *k = (struct tracked_key){.capacity = capacity, .len = (uint32_t)name.len};
    if (name.len) memcpy(k->readers + capacity, name.data, name.len);
    return k;
}

static void drop_stale(struct tracked_keys *t, struct tracked_key *k) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < k->count; i++) {
        if (t->is_alive(k->readers[i], t->context)) k->readers[kept++] = k->readers[i];
    }
    t->reader_count -= k->count - kept;
    k->count = kept;
}

/* One with room for another reader, in the slot; NULL without memory. An array that is nearly full of the living grows too, so that
 * it is not looked through again and again. */
static struct tracked_key *with_room(struct tracked_keys *t, table_slot *slot) {
    struct tracked_key *k = table_element(slot);
    if (k->count < k->capacity) return k;
    drop_stale(t, k);
    if (k->count <= k->capacity / 2) return k;
    uint32_t capacity = MAX(k->capacity * 2, (uint32_t)READERS_MIN);
    struct tracked_key *larger = try_make(tracked_key_name(k), capacity);
    if (!larger) return k->count < k->capacity ? k : NULL;
    memcpy(larger->readers, k->readers, k->count * sizeof k->readers[0]);
    larger->count = k->count;
    table_slot_set(slot, larger);
    mem_free(k);
    return larger;
}

int tracked_keys_add(struct tracked_keys *t, struct span name, uint64_t hash, uint32_t reader) {
    table_slot *slot = table_find(&t->table, hash, name);
    struct tracked_key *k;
    if (slot) {
        k = table_element(slot);
        uint32_t place = place_of(k, reader);
        if (place < k->count && k->readers[place] == reader) return 0;
        k = with_room(t, slot);
    } else {
        k = try_make(name, 1);
        if (k) table_insert(&t->table, hash, k);
    }
    if (!k) return -ENOMEM;
    insert(t, k, reader);
    return 1;
}

/* ---- taking */

static struct tracked_key *take(struct tracked_keys *t, table_slot *slot, uint64_t hash) {
    struct tracked_key *k = table_element(slot);
    table_remove(&t->table, slot, hash);
    t->reader_count -= k->count;
    return k;
}

struct tracked_key *tracked_keys_take(struct tracked_keys *t, struct span name, uint64_t hash) {
    table_slot *slot = table_find(&t->table, hash, name);
    return slot ? take(t, slot, hash) : NULL;
}

struct tracked_key *tracked_keys_take_random(struct tracked_keys *t, struct random *random) {
    const struct tracked_key *k = table_random(&t->table, random);
    if (!k) return NULL;
    uint64_t hash = key_hash(k);
    return take(t, table_find_element(&t->table, hash, k), hash);
}
