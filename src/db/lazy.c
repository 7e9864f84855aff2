/* Freeing in steps: what would stall the turn waits in a queue and goes bit by bit, in keyspace_lazy_step.
 *
 *   blob:    its pages go back to the system, a MiB a step, then the emptied block to the allocator: freeing 512 MiB at once
 *            takes tens of milliseconds
 *   object:  its type frees a bounded part a step
 *   table:   of a flushed database, a segment a step with its entries; large values found there join the queue */
#include <sys/mman.h>
#include <unistd.h>

#include "db/keyspace.h"

enum { BLOB_STEP_BYTES = 1024 * 1024, OBJECT_STEP_EFFORT = 64, TABLE_STEP_SEGMENTS = 1 };

struct lazy_item {
    struct list link;
    enum lazy_kind { LAZY_BLOB, LAZY_OBJECT, LAZY_TABLE } kind;
    const struct value_ops *ops; /* of an object */
    union {
        struct {
            struct blob *blob;
            size_t returned_bytes; /* from its start: pages given back */
        };
        void *object;
        struct table table;
    };
};

static struct lazy_item *lazy_push(struct keyspace *ks, enum lazy_kind kind) {
    struct lazy_item *item = mem_zalloc(sizeof *item);
    item->kind = kind;
    list_push_back(&ks->lazy, &item->link);
    return item;
}

void lazy_drop_blob(struct keyspace *ks, struct blob *blob, bool lazy) {
    if (lazy && blob->ref_count == 1 && blob->capacity >= LAZY_BLOB_BYTES_MIN) {
        lazy_push(ks, LAZY_BLOB)->blob = blob;
    } else {
        blob_unref(blob);
    }
}

static void drop_object(struct keyspace *ks, const struct value_ops *ops, void *object, bool lazy) {
    struct lazy_item *item;
    if (pins_any(ks) && pins_take_over(ks, object)) return;
    if (!lazy || !ops->free_effort || ops->free_effort(object) <= LAZY_EFFORT_MIN) {
        ops->free(object);
        return;
    }
    item = lazy_push(ks, LAZY_OBJECT);
    item->ops = ops;
    item->object = object;
}

void keyspace_drop(struct keyspace *ks, enum entry_type type, void *object) {
    drop_object(ks, ks->ops[type], object, true);
}

void lazy_drop_value(struct keyspace *ks, struct entry *e, bool lazy) {
    if (!(e->head & ENTRY_HEAD_WORD)) return;
    if (entry_type(e) == ENTRY_STRING) {
        lazy_drop_blob(ks, entry_blob(e), lazy);
    } else {
        drop_object(ks, ks->ops[entry_type(e)], entry_object(e), lazy);
    }
}

void lazy_queue_table(struct keyspace *ks, struct table *table) {
    lazy_push(ks, LAZY_TABLE)->table = *table;
    table_init(table, table->type);
}

/* -- steps: each does a bounded part and says whether the item is done. */

/* Whole pages inside the block; madvise(2). The block's first page stays: it holds the counts and the allocator's header. */
static bool step_blob(struct lazy_item *item) {
    size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    uintptr_t data = (uintptr_t)item->blob->data, end = data + item->blob->capacity;
    uintptr_t from = (data + item->returned_bytes + page_bytes - 1) & ~(page_bytes - 1);
    uintptr_t to = MIN(from + BLOB_STEP_BYTES, end & ~(page_bytes - 1));
    if (from < to) {
        madvise((void *)from, to - from, MADV_DONTNEED); /* when it fails, freeing takes longer */
        item->returned_bytes = to - data;
        return false;
    }
    blob_unref(item->blob);
    return true;
}

static void free_flushed_entry(void *element, void *context) {
    struct keyspace *ks = context;
    ks->stats.lazy_freed_count++;
    lazy_drop_entry(ks, element, true);
}

static bool step(struct keyspace *ks, struct lazy_item *item) {
    switch (item->kind) {
    case LAZY_BLOB: return step_blob(item);
    case LAZY_OBJECT: return item->ops->free_step(item->object, OBJECT_STEP_EFFORT);
    case LAZY_TABLE:
        return table_release_step(&item->table, TABLE_STEP_SEGMENTS, free_flushed_entry, ks);
    }
    return true;
}

static void step_first(struct keyspace *ks) {
    struct lazy_item *item = LIST_ENTRY(ks->lazy.next, struct lazy_item, link);
    if (!step(ks, item)) return;
    if (item->kind != LAZY_TABLE) ks->stats.lazy_freed_count++;
    list_remove(&item->link);
    mem_free(item);
}

bool keyspace_lazy_pending(const struct keyspace *ks) {
    return !list_empty(&ks->lazy);
}

size_t keyspace_lazy_objects(const struct keyspace *ks) {
    size_t count = 0;
    LIST_FOR_EACH(it, &ks->lazy) {
        const struct lazy_item *item = LIST_ENTRY(it, struct lazy_item, link);
        count += item->kind == LAZY_TABLE ? item->table.count : 1;
    }
    return count;
}

/* Stops when another step as long as the longest so far would not fit the budget. */
void keyspace_lazy_step(struct keyspace *ks, int64_t budget_us) {
    int64_t before_us, now_us, start_us, longest_us = 0;
    if (!keyspace_lazy_pending(ks)) return;
    start_us = now_us = clock_mono_us();
    do {
        before_us = now_us;
        step_first(ks);
        now_us = clock_mono_us();
        longest_us = MAX(longest_us, now_us - before_us);
    } while (keyspace_lazy_pending(ks) && now_us - start_us + longest_us < budget_us);
}

void lazy_drain(struct keyspace *ks) {
    while (keyspace_lazy_pending(ks)) step_first(ks);
}
