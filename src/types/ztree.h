/* An order-statistic B+ tree: a large sorted set's elements by score, then member bytes. It knows how many elements lie before
 * each, so rank and range are O(log n). The elements are the caller's (see zelement.h) and must outlive their stay.
 *
 *   inner:  | count 2 | capacity 2 | .. | elements below each child | scores | separators | children |
 *   leaf:   | base 8 | count 2 | rebuilt 2 | capacity 2 | shift 1 | slots ... |
 *   slot:   [ digest: 16 | address of the element: 48 ], sorted
 *
 * A separator is the smallest element below its child, with its score beside it; the first child's is not looked at. The digest is
 * the score's place between the leaf's scores, in 16 bits and in order: a search in a leaf touches only the few elements
 * whose digest is the sought one. Leaves take what they hold in steps of 128 bytes: 8 to 10 bytes an element in all,
 * whatever the order of insertion. Nodes have no links to their parents or neighbours: paths do. */
#ifndef TYPES_ZTREE_H
#define TYPES_ZTREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "types/zelement.h"

enum { ZTREE_HEIGHT_MAX = 16, ZTREE_RUN_MAX = 126 }; /* of inner levels; elements of a leaf */

struct ztree {
    void *root; /* a leaf at height 0; NULL when empty */
    uint64_t count;
    size_t memory_bytes; /* nodes, in class bytes; not the elements */
    uint32_t height;
};

/* A place in the order: what lies before it. */
struct ztree_bound {
    enum ztree_bound_kind {
        ZTREE_ELEMENT,       /* elements before (score, member) */
        ZTREE_SCORE,         /* scores below `score` */
        ZTREE_SCORE_BEHIND,  /* scores up to `score` */
        ZTREE_MEMBER,        /* members below `member`; all scores should be the same */
        ZTREE_MEMBER_BEHIND, /* members up to `member` */
    } kind;
    double score; /* not nan */
    struct span member;
};

struct ztree_inner;
struct ztree_leaf;

/* An element's place. Valid until the next change of the tree. */
struct ztree_path {
    struct ztree_leaf *leaf; /* NULL: none */
    uint32_t index;          /* in the leaf */
    uint32_t height;
    struct ztree_inner *inner[ZTREE_HEIGHT_MAX]; /* from the root down */
    uint16_t at[ZTREE_HEIGHT_MAX];               /* the child taken */
};

void ztree_init(struct ztree *t); /* allocates nothing */

void ztree_insert(struct ztree *t, struct zelement *e); /* an equal one must not be there */
/* The element must be there, and be as it was inserted. */
void ztree_remove(struct ztree *t, const struct zelement *e);
/* Writes the score and moves the element to its new place; often they are neighbours' and it stays. */
void ztree_set_score(struct ztree *t, struct zelement *e, double score);
/* Removes up to `max` elements from `rank` on, as many as one leaf has of them, and hands them over. Returns how many; 0 only
 * past the end. */
uint32_t ztree_take_run(struct ztree *t, uint64_t rank, uint32_t max,
                        struct zelement *run[ZTREE_RUN_MAX]);

uint64_t ztree_rank(const struct ztree *t, const struct zelement *e); /* it must be there; 0 is the first */
uint64_t ztree_count_before(const struct ztree *t, const struct ztree_bound *bound);

/* The element at `rank` and its path; NULL past the end. Asks for those that a walk from there meets first. */
struct zelement *ztree_seek(const struct ztree *t, uint64_t rank, struct ztree_path *path);
struct zelement *ztree_next(struct ztree_path *path);     /* NULL behind the last */
struct zelement *ztree_previous(struct ztree_path *path); /* NULL before the first */

/* Frees one leaf, calling element_free for what it holds; true when the tree is empty. Nothing else may be done with a tree once this has
 * begun. */
bool ztree_release_step(struct ztree *t, void (*element_free)(struct zelement *e));

/* Structure checks for tests: aborts on a broken invariant. */
void ztree_check(const struct ztree *t);

#endif
