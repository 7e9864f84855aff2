/* Inside src/types/zset*.c only: the large form. */
#ifndef TYPES_ZSET_LARGE_H
#define TYPES_ZSET_LARGE_H

#include "types/table.h"
#include "types/ztree.h"

struct large {
    struct ztree tree;
    struct table table; /* the same elements by member; emptied after the tree when it is freed in steps */
    size_t element_bytes;
};

extern const struct table_type large_table_type;

struct large *large_new(void);
struct large *large_try_copy(const struct large *l);
size_t large_memory_bytes(const struct large *l);
bool large_free_step(struct large *l); /* true: gone, itself included */

struct zelement *large_find(const struct large *l, struct span member, uint64_t hash);
ATTR_MUST_USE int large_insert(struct large *l, struct span member, uint64_t hash, double score);
void large_remove(struct large *l, struct zelement *e, uint64_t hash);
/* Is it cheaper to move what stays than to remove `count` of `there` elements? */
bool large_is_cut(uint64_t there, uint64_t count);
/* Removes elements; so many are there. */
void large_remove_range(struct large *l, uint64_t rank, uint64_t count);
/* Moves them to another set, out of one that is to be freed: its table is left as it is, and only large_free_step may follow. */
void large_save_range(struct large *l, uint64_t rank, uint64_t count, struct large *to);

struct large_sorted {
    double score;
    struct zelement *element;
};
/* The table's elements in order; freed with mem_free. NULL without memory. */
struct large_sorted *large_sort(const struct table *table);
/* Takes the table and its elements over. */
struct large *large_from(struct table *table, const struct large_sorted *sorted,
                         size_t element_bytes);

void large_check(const struct large *l);

#endif
