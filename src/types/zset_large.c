/* The large form of a sorted set: every element is in the tree and in the table. */
#include "types/zset_large.h"

#include <errno.h>
#include <stdlib.h>

#include "base/check.h"

static uint64_t element_hash(const void *element) {
    struct span member = zelement_member(element);
    return hash_bytes(member.data, member.len);
}

static bool element_has_key(const void *element, struct span key) {
    return span_eq(zelement_member(element), key);
}

const struct table_type large_table_type = {element_hash, element_has_key, NULL};

/* ---- life */

struct large *large_new(void) {
    struct large *l = mem_zalloc(sizeof *l);
    ztree_init(&l->tree);
    table_init(&l->table, &large_table_type);
    return l;
}

size_t large_memory_bytes(const struct large *l) {
    return mem_class_bytes(sizeof *l) + l->tree.memory_bytes + l->table.memory_bytes +
           l->element_bytes;
}

/* Leaves with their elements first; then the table, whose elements are gone and not looked at. */
bool large_free_step(struct large *l) {
    if (l->tree.root) {
        ztree_release_step(&l->tree, zelement_free);
        return false;
    }
    if (!table_release_step(&l->table, 1, NULL, NULL)) return false;
    mem_free(l);
    return true;
}

struct large *large_try_copy(const struct large *l) {
    struct large *copy = large_new();
    struct ztree_path path;
    for (const struct zelement *e = ztree_seek(&l->tree, 0, &path); e; e = ztree_next(&path)) {
        if (large_insert(copy, zelement_member(e), element_hash(e), e->score) == 0) continue;
        while (!large_free_step(copy)) {}
        return NULL;
    }
    return copy;
}

/* ---- members */

struct zelement *large_find(const struct large *l, struct span member, uint64_t hash) {
    table_slot *slot = table_find_by(&l->table, hash, member, element_has_key);
    return slot ? table_element(slot) : NULL;
}

static void add_element(struct large *l, struct zelement *e, uint64_t hash) {
    table_insert(&l->table, hash, e);
    ztree_insert(&l->tree, e);
    l->element_bytes += zelement_class_bytes(e);
}

int large_insert(struct large *l, struct span member, uint64_t hash, double score) {
    struct zelement *e = zelement_try_new(member, score);
    if (!e) return -ENOMEM;
    add_element(l, e, hash);
    return 0;
}

/* Out of the table and the accounts; the tree has no more of it. */
static void take_element(struct large *l, struct zelement *e, uint64_t hash) {
    table_remove(&l->table, table_find_element(&l->table, hash, e), hash);
    l->element_bytes -= zelement_class_bytes(e);
}

void large_remove(struct large *l, struct zelement *e, uint64_t hash) {
    ztree_remove(&l->tree, e);
    take_element(l, e, hash);
    zelement_free(e);
}

/* The next run of the tree from `rank` on, on its way into the cache, with hashes. Returns how many. */
static uint32_t take_run(struct large *l, uint64_t rank, uint64_t max, struct zelement **run,
                         uint64_t *hashes) {
    uint32_t taken =
        ztree_take_run(&l->tree, rank, (uint32_t)MIN(max, (uint64_t)ZTREE_RUN_MAX), run);
    CHECK(taken > 0);
    for (uint32_t i = 0; i < taken; i++) PREFETCH(run[i]);
    for (uint32_t i = 0; i < taken; i++) hashes[i] = element_hash(run[i]);
    return taken;
}

void large_remove_range(struct large *l, uint64_t rank, uint64_t count) {
    struct zelement *run[ZTREE_RUN_MAX];
    uint64_t hashes[ZTREE_RUN_MAX];
    while (count > 0) {
        uint32_t taken = take_run(l, rank, count, run, hashes);
        for (uint32_t i = 0; i < taken; i++) table_prefetch_bucket(&l->table, hashes[i]);
        for (uint32_t i = 0; i < taken; i++) {
            take_element(l, run[i], hashes[i]);
            zelement_free(run[i]);
        }
        count -= taken;
    }
}

void large_save_range(struct large *l, uint64_t rank, uint64_t count, struct large *to) {
    struct zelement *run[ZTREE_RUN_MAX];
    uint64_t hashes[ZTREE_RUN_MAX];
    while (count > 0) {
        uint32_t taken = take_run(l, rank, count, run, hashes);
        for (uint32_t i = 0; i < taken; i++) table_prefetch_bucket(&to->table, hashes[i]);
        for (uint32_t i = 0; i < taken; i++) {
            l->element_bytes -= zelement_class_bytes(run[i]);
            add_element(to, run[i], hashes[i]);
        }
        count -= taken;
    }
}

/* Moving an element takes half as long again as removing it, and waits for more of the cache. */
enum { CUT_COUNT_MIN = 4096, CUT_KEEP_FACTOR = 2 };

bool large_is_cut(uint64_t there, uint64_t count) {
    return count >= CUT_COUNT_MIN && (there - count) * CUT_KEEP_FACTOR <= count;
}

/* ---- from a table */

static int compare_sorted(const void *a, const void *b) {
    const struct large_sorted *first = a, *second = b;
    if (first->score != second->score) return first->score < second->score ? -1 : 1;
    return span_compare(zelement_member(first->element), zelement_member(second->element));
}

struct large_sorted *large_sort(const struct table *table) {
    enum { BATCH = 64 };
    struct large_sorted *sorted = mem_try_alloc((size_t)table->count * sizeof *sorted + 1);
    struct table_walk walk = {.table = table};
    void *batch[2][BATCH];
    size_t at = 0, counts[2], turn = 0;
    if (!sorted) return NULL;
    counts[0] = table_walk_next(&walk, batch[0], BATCH);
    for (; counts[turn] > 0; turn ^= 1) {
        counts[turn ^ 1] = table_walk_next(&walk, batch[turn ^ 1], BATCH);
        for (size_t i = 0; i < counts[turn]; i++) {
            struct zelement *e = batch[turn][i];
            sorted[at++] = (struct large_sorted){e->score, e};
        }
    }
    CHECK(at == table->count);
    qsort(sorted, at, sizeof *sorted, compare_sorted);
    return sorted;
}

struct large *large_from(struct table *table, const struct large_sorted *sorted,
                         size_t element_bytes) {
    struct large *l = large_new();
    l->table = *table;
    l->element_bytes = element_bytes;
    for (uint64_t i = 0; i < table->count; i++) ztree_insert(&l->tree, sorted[i].element);
    return l;
}

/* ---- checks */

void large_check(const struct large *l) {
    struct ztree_path path;
    size_t bytes = 0;
    ztree_check(&l->tree);
    table_check(&l->table);
    CHECK(l->tree.count == l->table.count);
    for (const struct zelement *e = ztree_seek(&l->tree, 0, &path); e; e = ztree_next(&path)) {
        CHECK(table_find_element(&l->table, element_hash(e), e) != NULL);
        bytes += zelement_class_bytes(e);
    }
    CHECK(bytes == l->element_bytes);
}
