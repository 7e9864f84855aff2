/* Inside src/types/ztree*.c only: the nodes and their order. */
#ifndef TYPES_ZTREE_NODE_H
#define TYPES_ZTREE_NODE_H

#include "types/ztree.h"

enum { LEAF_MAX = ZTREE_RUN_MAX, LEAF_STEP = 16, INNER_MIN = 7, INNER_MAX = 63 };

#define ADDRESS_MASK 0xffffffffffffu
#define DIGEST_SHIFT 48
#define DIGEST_MAX 0xffffu

struct ztree_leaf {
    uint64_t base;    /* the digest of this order_of(score) and below is 0 */
    uint16_t count;
    uint16_t rebuilt; /* elements when base and shift were chosen: at twice as many they are chosen anew */
    uint16_t capacity;
    uint8_t shift;
    uint64_t slots[];
};

/* Four arrays of `capacity` words one after the other, so that a search reads scores only. */
struct ztree_inner {
    uint16_t count, capacity;
    uint64_t words[];
};

INLINE uint64_t *below_of(struct ztree_inner *n) {
    return n->words;
}
INLINE double *scores_of(struct ztree_inner *n) {
    return (double *)(n->words + n->capacity);
}
INLINE struct zelement **separators_of(struct ztree_inner *n) {
    return (struct zelement **)(n->words + 2u * n->capacity);
}
INLINE void **children_of(struct ztree_inner *n) {
    return (void **)(n->words + 3u * n->capacity);
}
INLINE struct zelement *slot_element(uint64_t slot) {
    return (struct zelement *)(uintptr_t)(slot & ADDRESS_MASK);
}

/* ---- order */

INLINE int compare_members(struct span a, struct span b) {
    size_t len = MIN(a.len, b.len);
    int order = len ? memcmp(a.data, b.data, len) : 0;
    if (order) return order;
    return a.len < b.len ? -1 : a.len > b.len;
}

/* Scores as unsigned numbers in the same order. */
INLINE uint64_t order_of(double score) {
    uint64_t bits;
    score += 0.0; /* -0 is 0 */
    memcpy(&bits, &score, sizeof bits);
    return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

/* In a slot's place. */
INLINE uint64_t digest_of(const struct ztree_leaf *leaf, double score) {
    uint64_t order = order_of(score), digest;
    if (order <= leaf->base) return 0;
    digest = (order - leaf->base) >> leaf->shift;
    return MIN(digest, DIGEST_MAX) << DIGEST_SHIFT;
}

/* Does the element, with its score at hand, lie before the bound? */
INLINE bool is_before(const struct ztree_bound *bound, double score, const struct zelement *e) {
    switch (bound->kind) {
    case ZTREE_ELEMENT:
        if (score != bound->score) return score < bound->score;
        return compare_members(zelement_member(e), bound->member) < 0;
    case ZTREE_SCORE: return score < bound->score;
    case ZTREE_SCORE_BEHIND: return score <= bound->score;
    case ZTREE_MEMBER: return compare_members(zelement_member(e), bound->member) < 0;
    case ZTREE_MEMBER_BEHIND: return compare_members(zelement_member(e), bound->member) <= 0;
    }
    return false;
}

INLINE struct ztree_bound bound_at(const struct zelement *e) {
    return (struct ztree_bound){ZTREE_ELEMENT, e->score, zelement_member(e)};
}

/* ---- storage */

INLINE size_t leaf_bytes(uint32_t capacity) {
    return sizeof(struct ztree_leaf) + capacity * sizeof(uint64_t);
}

INLINE void leaf_free(struct ztree *t, struct ztree_leaf *leaf) {
    t->memory_bytes -= mem_class_bytes(leaf_bytes(leaf->capacity));
    mem_free_sized(leaf, leaf_bytes(leaf->capacity));
}

INLINE size_t inner_bytes(uint32_t capacity) {
    return sizeof(struct ztree_inner) + 4 * capacity * sizeof(uint64_t);
}

INLINE void inner_free(struct ztree *t, struct ztree_inner *n) {
    t->memory_bytes -= mem_class_bytes(inner_bytes(n->capacity));
    mem_free_sized(n, inner_bytes(n->capacity));
}

#endif
