/* The nodes of a list: blocks that change and are accounted for, and the array, which has room at both ends. */
#include "types/chain_nodes.h"

#include <errno.h>

#include "base/alloc.h"
#include "base/check.h"

enum { NODES_FIRST = 6 }; /* nodes of the first array; with its head a size class */

/* ---- nodes */

void chain_node_release(struct chain_node *node) {
    if (node->form == CHAIN_BLOB) {
        blob_unref(node->blob);
    } else {
        packed_free(node->packed);
    }
}

/* The node's block is this one now, and the accounts follow. */
void chain_node_set_packed(struct chain *c, struct chain_node *node, struct packed *p,
                           size_t bytes_before) {
    if (c->nodes) c->nodes->bytes += packed_class_bytes(p) - bytes_before;
    c->count = c->count + packed_count(p) - node->count;
    node->packed = p;
    node->count = packed_count(p);
}

/* Turns the block into another form; it stays as it is without memory. */
void chain_node_convert(struct chain *c, struct chain_node *node, enum chain_form form,
                        unsigned flags) {
    size_t bytes_before = chain_node_bytes(node);
    struct packed *p = packed_convert(node->packed, flags, node->form != (uint32_t)form);
    if (!p) return;
    chain_node_set_packed(c, node, p, bytes_before);
    node->form = form;
}

int chain_node_insert(struct chain *c, struct chain_node *node, packed_at at, struct span bytes) {
    size_t bytes_before = packed_class_bytes(node->packed);
    struct packed *p = packed_insert(node->packed, at, bytes, NULL);
    if (!p) return -ENOMEM;
    chain_node_set_packed(c, node, p, bytes_before);
    return 0;
}

int chain_node_push(struct chain *c, struct chain_node *node, enum chain_end end,
                    struct span bytes) {
    packed_at at = chain_with_grain(node, end) ? NULL : packed_first(node->packed);
    return chain_node_insert(c, node, at, bytes);
}

/* Removes `count` elements from the node's `index`-th on, in list order. Not all of them. */
void chain_node_remove(struct chain *c, struct chain_node *node, uint32_t index, uint32_t count) {
    size_t bytes_before = packed_class_bytes(node->packed);
    uint32_t place = node->form == CHAIN_REVERSED ? node->count - index - count : index;
    struct packed *p = packed_remove(node->packed, packed_index(node->packed, place), count, NULL);
    chain_node_set_packed(c, node, p, bytes_before);
}

/* A new node with one element, in the form that suits its end. */
int chain_node_make(struct chain_node *node, const struct chain_item *item, enum chain_end end,
                    const struct chain_limit *limit) {
    struct packed *empty;
    if (chain_is_large(item->bytes, limit)) {
        struct blob *blob =
            item->blob ? blob_ref(item->blob) : blob_try_copy(item->bytes, item->bytes.len);
        *node = (struct chain_node){.blob = blob, .count = 1, .form = CHAIN_BLOB};
        return blob ? 0 : -ENOMEM;
    }
    empty = packed_new(PACKED_BACKWARD);
    *node = (struct chain_node){.packed = packed_append(empty, item->bytes), .count = 1};
    node->form = end == CHAIN_HEAD ? CHAIN_REVERSED : CHAIN_PACKED;
    if (node->packed) return 0;
    packed_free(empty);
    return -ENOMEM;
}

/* ---- the array of nodes */

int chain_nodes_make(struct chain *c) {
    struct chain_nodes *nodes = mem_try_alloc(chain_nodes_bytes(NODES_FIRST));
    if (!nodes) return -ENOMEM;
    *nodes = (struct chain_nodes){.capacity = NODES_FIRST, .first = NODES_FIRST / 2};
    if (c->count > 0) {
        nodes->at[nodes->first] = c->one;
        nodes->count = 1;
        nodes->bytes = chain_node_bytes(&c->one);
    }
    c->one = (struct chain_node){0};
    c->nodes = nodes;
    return 0;
}

/* A larger or smaller array, all whose spare room is where it will be wanted: before the first node, or behind the last. */
static int nodes_resize(struct chain *c, uint32_t capacity, bool room_in_front) {
    struct chain_nodes *old = c->nodes, *nodes;
    size_t bytes = mem_class_bytes(chain_nodes_bytes(capacity));
    capacity = (uint32_t)((bytes - sizeof *nodes) / sizeof nodes->at[0]);
    nodes = mem_try_alloc(bytes);
    if (!nodes) return -ENOMEM;
    *nodes = (struct chain_nodes){.count = old->count, .capacity = capacity, .bytes = old->bytes};
    nodes->first = room_in_front ? capacity - old->count : 0;
    memcpy(nodes->at + nodes->first, old->at + old->first, old->count * sizeof nodes->at[0]);
    mem_free(old);
    c->nodes = nodes;
    return 0;
}

static void nodes_slide(struct chain_nodes *nodes, uint32_t first) {
    memmove(nodes->at + first, nodes->at + nodes->first, nodes->count * sizeof nodes->at[0]);
    nodes->first = first;
}

/* Room for one more on that side: there already, on the other side, or in a larger array. */
int chain_nodes_reserve(struct chain *c, bool in_front) {
    struct chain_nodes *nodes = c->nodes;
    uint32_t spare = nodes->capacity - nodes->count;
    if (in_front ? nodes->first > 0 : nodes->first + nodes->count < nodes->capacity) return 0;
    if (spare <= nodes->count / 4)
        return nodes_resize(c, nodes->capacity + nodes->capacity / 2, in_front);
    nodes_slide(nodes, in_front ? spare - spare / 4 : spare / 4);
    return 0;
}

/* As the `i`-th node. */
int chain_nodes_insert(struct chain *c, uint32_t i, struct chain_node node) {
    bool in_front = chain_nodes_in_front(c, i);
    int rc = chain_nodes_reserve(c, in_front);
    struct chain_nodes *nodes = c->nodes;
    struct chain_node *first = nodes->at + nodes->first;
    if (rc < 0) return rc;
    if (in_front) {
        memmove(first - 1, first, i * sizeof *first);
        first = nodes->at + --nodes->first;
    } else {
        memmove(first + i + 1, first + i, (nodes->count - i) * sizeof *first);
    }
    first[i] = node;
    nodes->count++;
    nodes->bytes += chain_node_bytes(&node);
    c->count += node.count;
    return 0;
}

/* Takes out `count` nodes from the `i`-th on, which the caller has released and taken from the accounts. */
void chain_nodes_cut(struct chain *c, uint32_t i, uint32_t count) {
    struct chain_nodes *nodes = c->nodes;
    struct chain_node *first = nodes->at + nodes->first;
    uint32_t behind = nodes->count - i - count;
    if (i < behind) {
        memmove(first + count, first, i * sizeof *first);
        nodes->first += count;
    } else {
        memmove(first + i, first + i + count, behind * sizeof *first);
    }
    nodes->count -= count;
    if (nodes->capacity > 64 && nodes->count < nodes->capacity / 8) {
        if (nodes_resize(c, MAX(nodes->count * 2, (uint32_t)NODES_FIRST), i == 0) < 0)
            return; /* it stays large */
    }
}

/* Releases a node and takes it from the accounts; it stays in the array, empty. */
void chain_node_empty(struct chain *c, struct chain_node *node) {
    c->count -= node->count;
    if (c->nodes) c->nodes->bytes -= chain_node_bytes(node);
    chain_node_release(node);
    *node = (struct chain_node){0};
}

void chain_node_drop(struct chain *c, uint32_t i) {
    chain_node_empty(c, chain_node_at(c, i));
    if (c->nodes) chain_nodes_cut(c, i, 1);
}

/* One small block left is a small list again: below half the limit, so that it does not change to and fro. */
void chain_settle(struct chain *c, const struct chain_limit *limit) {
    const struct chain_node *node;
    if (LIKELY(!c->nodes || c->nodes->count != 1)) return;
    node = chain_node_at(c, 0);
    if (node->form == CHAIN_BLOB || node->count > limit->count / 2) return;
    if (packed_used_bytes(node->packed) > limit->bytes / 2) return;
    c->one = *node;
    mem_free(c->nodes);
    c->nodes = NULL;
}

/* ---- finding */

/* The node that holds the index-th element; *index becomes its place in the node, in list order. */
uint32_t chain_seek(const struct chain *c, uint64_t *index) {
    uint32_t i;
    if (!c->nodes) return 0;
    if (*index < c->count / 2) {
        for (i = 0; *index >= chain_node_at(c, i)->count; i++) *index -= chain_node_at(c, i)->count;
        return i;
    }
    uint64_t behind = c->count - *index; /* elements from it on */
    for (i = c->nodes->count - 1; behind > chain_node_at(c, i)->count; i--)
        behind -= chain_node_at(c, i)->count;
    *index = chain_node_at(c, i)->count - behind;
    return i;
}
