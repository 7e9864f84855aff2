/* Inside types/chain only: the nodes of a list and the array that they stand in. */
#ifndef TYPES_CHAIN_NODES_H
#define TYPES_CHAIN_NODES_H

#include "types/chain.h"

/* -- one node */
INLINE uint32_t chain_node_count(const struct chain *c) {
    return c->nodes ? c->nodes->count : c->count > 0;
}

INLINE struct chain_node *chain_node_at(const struct chain *c, uint32_t i) {
    if (c->nodes) return c->nodes->at + c->nodes->first + i;
    return (struct chain_node *)(uintptr_t)&c->one;
}

INLINE struct chain_node *chain_end_node(const struct chain *c, enum chain_end end) {
    return chain_node_at(c, end == CHAIN_HEAD ? 0 : chain_node_count(c) - 1);
}

INLINE size_t chain_node_bytes(const struct chain_node *node) {
    return node->form == CHAIN_BLOB ? blob_class_bytes(node->blob)
                                    : packed_class_bytes(node->packed);
}

/* What the block would take without backward sizes: that is what it will be in the chain's middle. */
INLINE size_t chain_forward_bytes(const struct chain_node *node) {
    size_t used_bytes = packed_used_bytes(node->packed);
    return packed_flags(node->packed) & PACKED_BACKWARD ? used_bytes - node->count : used_bytes;
}

/* An element's bytes, without asking whether it is a number. */
INLINE size_t chain_expected_bytes(struct span bytes) {
    return bytes.len + (bytes.len < 128 ? 1 : bytes.len < 4096 ? 2 : 5);
}

INLINE bool chain_is_large(struct span bytes, const struct chain_limit *limit) {
    return bytes.len > limit->bytes;
}

INLINE bool chain_node_takes(const struct chain_node *node, struct span bytes,
                             const struct chain_limit *limit) {
    return node->form != CHAIN_BLOB && node->count < limit->count &&
           chain_forward_bytes(node) + chain_expected_bytes(bytes) <= limit->bytes;
}

/* Whether that end of the list is the end of the block, where there is room to grow. */
INLINE bool chain_with_grain(const struct chain_node *node, enum chain_end end) {
    return (node->form == CHAIN_REVERSED) == (end == CHAIN_HEAD);
}

/* A small list keeps to the limit with all that its block takes, as in Redis; so a change of encoding comes at the same length. */
INLINE bool chain_small_takes(const struct chain *c, struct span bytes,
                              const struct chain_limit *limit) {
    return !chain_is_large(bytes, limit) && c->one.count < limit->count &&
           packed_used_bytes(c->one.packed) + bytes.len <= limit->bytes;
}

INLINE size_t chain_nodes_bytes(uint32_t capacity) {
    return sizeof(struct chain_nodes) + capacity * sizeof(struct chain_node);
}

/* Which side moves to make room for an `i`-th node: the shorter. */
INLINE bool chain_nodes_in_front(const struct chain *c, uint32_t i) {
    return i < c->nodes->count - i;
}

INLINE packed_at chain_node_index(const struct chain_node *node, uint32_t index) {
    return packed_index(node->packed,
                        node->form == CHAIN_REVERSED ? node->count - 1 - index : index);
}

/* -- chain_nodes.c. What changes a block or the array keeps the accounts; int: 0 or -ENOMEM with everything as it was. */
/* The node's block is this one now. */
void chain_node_set_packed(struct chain *c, struct chain_node *node, struct packed *p,
                           size_t bytes_before);
/* Turns the block into another form; it stays as it is without memory. */
void chain_node_convert(struct chain *c, struct chain_node *node, enum chain_form form,
                        unsigned flags);
/* Before `at` in block order; NULL: at the block's end. */
int chain_node_insert(struct chain *c, struct chain_node *node, packed_at at, struct span bytes);
/* As the node's first or last in list order. */
int chain_node_push(struct chain *c, struct chain_node *node, enum chain_end end,
                    struct span bytes);
/* `count` elements from the `index`-th on, in list order. Not all of them. */
void chain_node_remove(struct chain *c, struct chain_node *node, uint32_t index, uint32_t count);
/* A node with one element that is in no list yet, in the form that suits its end. */
int chain_node_make(struct chain_node *node, const struct chain_item *item, enum chain_end end,
                    const struct chain_limit *limit);
void chain_node_release(struct chain_node *node); /* what it holds */
/* Releases a node and takes it from the accounts; it stays in the array, empty. Then chain_nodes_cut, or at once: */
void chain_node_empty(struct chain *c, struct chain_node *node);
void chain_node_drop(struct chain *c, uint32_t i);
int chain_nodes_make(struct chain *c); /* of a small list: the array, with its node in it */
int chain_nodes_reserve(struct chain *c, bool in_front); /* room for one more on that side */
int chain_nodes_insert(struct chain *c, uint32_t i, struct chain_node node); /* as the i-th */
void chain_nodes_cut(struct chain *c, uint32_t i, uint32_t count);           /* emptied nodes */
/* One small block left is a small list again. */
void chain_settle(struct chain *c, const struct chain_limit *limit);
/* The node that holds the index-th element; *index becomes its place in the node, in list order. */
uint32_t chain_seek(const struct chain *c, uint64_t *index);

#endif
