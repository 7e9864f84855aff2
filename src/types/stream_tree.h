/* A B+ tree from stream ids to pointers: a stream's blocks by the first id they were made for, and pending entries by id. All
 * nodes are of one form; in inner nodes a pointer is a child, and its id a lower bound of what lies below (the first child's is
 * not looked at):
 *
 *   node:  | count 4 | capacity 4 | id 16, pointer 8 | id, pointer | ...      up to 63 pairs, 1536 bytes
 *
 * Nodes grow as they fill, so that a tree of a few entries is small; ids that come in order fill every node. Paths take the place
 * of links between nodes. Find, insert, remove: O(log n). A tree's memory is counted where its owner says. */
#ifndef TYPES_STREAM_TREE_H
#define TYPES_STREAM_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "types/stream_id.h"

/* Each level takes 32 splits of the one below, whatever was removed between: no machine holds more levels. */
enum { STREAM_TREE_LEVELS_MAX = 13 };

struct stream_tree_node;

struct stream_tree {
    struct stream_tree_node *root; /* NULL when empty */
    uint64_t count;
    size_t *memory_bytes; /* nodes are added to and taken from it, in class bytes */
    size_t node_bytes;    /* how much of that is this tree's */
    uint32_t height;      /* of inner levels */
    uint32_t node_count;
};

/* A pair's place. Valid until the next change of the tree. */
struct stream_tree_path {
    uint32_t height;
    uint32_t at[STREAM_TREE_LEVELS_MAX]; /* from the root down; the last is in the leaf */
    struct stream_tree_node *node[STREAM_TREE_LEVELS_MAX];
};

void stream_tree_init(struct stream_tree *t, size_t *memory_bytes); /* allocates nothing */
/* Its nodes count elsewhere from now on. */
void stream_tree_count_in(struct stream_tree *t, size_t *memory_bytes);
void *stream_tree_find(const struct stream_tree *t, struct stream_id id); /* NULL: none */
/* Adds the pair, unless the id is there: then its pointer is returned and nothing changes. NULL: added. */
void *stream_tree_insert(struct stream_tree *t, struct stream_id id, void *value);
void *stream_tree_remove(struct stream_tree *t, struct stream_id id); /* NULL: it was not there */
void stream_tree_remove_at(struct stream_tree *t, struct stream_tree_path *path);

/* The first pair from `id` on; the last one up to `id`; the last of all. False: none. */
bool stream_tree_seek(const struct stream_tree *t, struct stream_id id,
                      struct stream_tree_path *path);
bool stream_tree_seek_back(const struct stream_tree *t, struct stream_id id,
                           struct stream_tree_path *path);
INLINE bool stream_tree_first(const struct stream_tree *t, struct stream_tree_path *path) {
    return stream_tree_seek(t, STREAM_ID_ZERO, path);
}
INLINE bool stream_tree_last(const struct stream_tree *t, struct stream_tree_path *path) {
    return stream_tree_seek_back(t, STREAM_ID_MAX, path);
}
bool stream_tree_next(struct stream_tree_path *path); /* false behind the last: the path is spent */
bool stream_tree_previous(struct stream_tree_path *path);

struct stream_id stream_tree_id(const struct stream_tree_path *path);
void *stream_tree_value(const struct stream_tree_path *path);
void stream_tree_set_value(const struct stream_tree_path *path, void *value);

/* Frees one leaf, calling value_free (may be NULL) for what it holds; returns how many that were, 0 when the tree is empty. Nothing
 * but this may be done with a tree once it has begun, until it is empty. */
uint32_t stream_tree_release_step(struct stream_tree *t, void (*value_free)(void *value));
void stream_tree_release(struct stream_tree *t, void (*value_free)(void *value));

/* Structure checks for tests: aborts on a broken invariant. */
void stream_tree_check(const struct stream_tree *t);

#endif
