/* Lists by value and in the middle: LINSERT, LSET, LREM, LPOS. Positions come in two orders; see chain.c. */
#include "types/chain.h"

#include <errno.h>

#include "base/buf.h"
#include "base/check.h"
#include "types/chain_nodes.h"

/* ---- inserting anywhere */

/* As a new last element of node i - 1 or a new first of node i, or as a node between them. */
static int insert_between(struct chain *c, uint32_t i, const struct chain_item *item,
                          const struct chain_limit *limit) {
    struct chain_node node;
    int rc;
    if (!chain_is_large(item->bytes, limit)) {
        if (i > 0 && chain_node_takes(chain_node_at(c, i - 1), item->bytes, limit)) {
            return chain_node_push(c, chain_node_at(c, i - 1), CHAIN_TAIL, item->bytes);
        }
        if (i < c->nodes->count && chain_node_takes(chain_node_at(c, i), item->bytes, limit)) {
            return chain_node_push(c, chain_node_at(c, i), CHAIN_HEAD, item->bytes);
        }
    }
    rc = chain_node_make(&node, item, i == 0 ? CHAIN_HEAD : CHAIN_TAIL, limit);
    if (rc < 0) return rc;
    rc = chain_nodes_insert(c, i, node);
    if (rc < 0) chain_node_release(&node);
    return rc;
}

/* Splits node i before `at` (block order): two nodes of the same form, in list order. */
static int split_node(struct chain *c, uint32_t i, packed_at at) {
    uint32_t place = chain_node_at(c, i)->form == CHAIN_REVERSED ? i : i + 1;
    struct chain_node *node, rest;
    size_t bytes_before;
    struct packed *p;
    int rc = chain_nodes_reserve(c, chain_nodes_in_front(c, place));
    if (rc < 0) return rc;
    node = chain_node_at(c, i);
    rest = (struct chain_node){.form = node->form};
    bytes_before = packed_class_bytes(node->packed);
    p = node->packed;
    rc = packed_split(&p, at, &rest.packed);
    if (rc < 0) return rc;
    chain_node_set_packed(c, node, p, bytes_before);
    rest.count = packed_count(rest.packed);
    rc = chain_nodes_insert(c, place, rest);
    CHECK(rc == 0); /* there is room */
    return 0;
}

/* Before `at` of node i in block order, NULL: behind its last. */
static int insert_at(struct chain *c, uint32_t i, packed_at at, const struct chain_item *item,
                     const struct chain_limit *limit) {
    struct chain_node *node = chain_node_at(c, i);
    bool reversed = node->form == CHAIN_REVERSED, large = chain_is_large(item->bytes, limit);
    if (c->nodes ? !large && chain_node_takes(node, item->bytes, limit)
                 : chain_small_takes(c, item->bytes, limit)) {
        return chain_node_insert(c, node, at, item->bytes);
    }
    if (!c->nodes && chain_nodes_make(c) < 0) return -ENOMEM;
    if (at == packed_first(chain_node_at(c, i)->packed))
        return insert_between(c, reversed ? i + 1 : i, item, limit);
    if (!at) return insert_between(c, reversed ? i : i + 1, item, limit);
    if (split_node(c, i, at) < 0) return -ENOMEM;
    return insert_between(c, i + 1, item, limit);
}

/* The last of those that equal `bytes`, in block order. */
static packed_at find_last(const struct packed *p, struct span bytes) {
    packed_at last = NULL;
    for (packed_at at = packed_find(p, packed_first(p), bytes, 0); at;) {
        last = at;
        at = packed_next(p, at);
        if (at) at = packed_find(p, at, bytes, 0);
    }
    return last;
}

int chain_insert(struct chain *c, struct span pivot, bool after, const struct chain_item *item,
                 const struct chain_limit *limit) {
    for (uint32_t i = 0; i < chain_node_count(c); i++) {
        const struct chain_node *node = chain_node_at(c, i);
        packed_at at;
        int rc;
        if (node->form == CHAIN_BLOB) {
            if (!span_eq(blob_span(node->blob), pivot)) continue;
            rc = insert_between(c, after ? i + 1 : i, item, limit);
            return rc < 0 ? rc : 1;
        }
        at = node->form == CHAIN_REVERSED
                 ? find_last(node->packed, pivot)
                 : packed_find(node->packed, packed_first(node->packed), pivot, 0);
        if (!at) continue;
        if (after != (node->form == CHAIN_REVERSED)) at = packed_next(node->packed, at);
        rc = insert_at(c, i, at, item, limit);
        return rc < 0 ? rc : 1;
    }
    return 0;
}

/* ---- setting */

static bool replace_fits(const struct chain *c, const struct chain_node *node, packed_at at,
                         struct span bytes, const struct chain_limit *limit) {
    size_t used_bytes = c->nodes ? chain_forward_bytes(node) : packed_used_bytes(node->packed);
    return used_bytes - packed_body_bytes(at) + chain_expected_bytes(bytes) <= limit->bytes;
}

static int replace_node(struct chain *c, uint32_t i, const struct chain_item *item,
                        const struct chain_limit *limit) {
    struct chain_node node;
    int rc = c->nodes ? 0 : chain_nodes_make(c);
    if (rc == 0) rc = chain_node_make(&node, item, CHAIN_TAIL, limit);
    if (rc < 0) return rc;
    c->nodes->bytes += chain_node_bytes(&node) - chain_node_bytes(chain_node_at(c, i));
    chain_node_release(chain_node_at(c, i));
    *chain_node_at(c, i) = node;
    return 0;
}

int chain_set(struct chain *c, uint64_t index, const struct chain_item *item,
              const struct chain_limit *limit) {
    uint64_t place = index;
    uint32_t i = chain_seek(c, &place);
    struct chain_node *node = chain_node_at(c, i);
    packed_at at;
    int rc;
    if (node->count == 1 && (node->form == CHAIN_BLOB || chain_is_large(item->bytes, limit))) {
        rc = replace_node(c, i, item, limit);
        chain_settle(c, limit);
        return rc;
    }
    at = chain_node_index(node, (uint32_t)place);
    if (!chain_is_large(item->bytes, limit) &&
        (node->count == 1 || replace_fits(c, node, at, item->bytes, limit))) {
        size_t bytes_before = packed_class_bytes(node->packed);
        struct packed *p = packed_replace(node->packed, at, item->bytes, NULL);
        if (!p) return -ENOMEM;
        chain_node_set_packed(c, node, p, bytes_before);
        return 0;
    }
    /* It goes in before the old one, which then goes. */
    if (node->form == CHAIN_REVERSED) at = packed_next(node->packed, at);
    rc = insert_at(c, i, at, item, limit);
    if (rc == 0) chain_remove(c, index + 1, 1, limit);
    return rc;
}

/* ---- by value */

/* Removes up to `count` elements that equal `bytes` from the block's beginning on. Returns how many, at most all but one: the last
 * one to go takes the node with it, which is the caller's. *emptied says that it is due. */
static uint32_t remove_from_block(struct chain *c, struct chain_node *node, struct span bytes,
                                  uint32_t skip, uint32_t count, bool *emptied) {
    size_t bytes_before = packed_class_bytes(node->packed);
    struct packed *p = node->packed;
    uint32_t removed = 0;
    packed_at at = packed_find(p, packed_first(p), bytes, 0);
    while (at && removed < count) {
        if (skip > 0) {
            skip--;
            at = packed_next(p, at);
        } else if (packed_count(p) == 1) {
            *emptied = true;
            removed++;
            break;
        } else {
            p = packed_remove(p, at, 1, &at);
            removed++;
        }
        if (at) at = packed_find(p, at, bytes, 0);
    }
    chain_node_set_packed(c, node, p, bytes_before);
    return removed;
}

static uint32_t count_equal(const struct packed *p, struct span bytes) {
    uint32_t count = 0;
    for (packed_at at = packed_find(p, packed_first(p), bytes, 0); at; count++) {
        at = packed_next(p, at);
        if (at) at = packed_find(p, at, bytes, 0);
    }
    return count;
}

/* Up to `count` from one node, those nearest to the end that is searched from. */
static uint64_t remove_from_node(struct chain *c, struct chain_node *node, struct span bytes,
                                 enum chain_end from, uint64_t count) {
    bool emptied = false;
    uint32_t removed, skip = 0;
    if (node->form == CHAIN_BLOB) {
        if (!span_eq(blob_span(node->blob), bytes)) return 0;
        chain_node_empty(c, node);
        return 1;
    }
    if (chain_with_grain(node, from) &&
        count < node->count) { /* the last of the block are nearest */
        uint32_t equal = count_equal(node->packed, bytes);
        skip = equal > count ? equal - (uint32_t)count : 0;
    }
    removed = remove_from_block(c, node, bytes, skip, (uint32_t)MIN(count, UINT32_MAX), &emptied);
    if (emptied) chain_node_empty(c, node);
    return removed;
}

/* Joins node i with the next when both are small. */
static bool try_join(struct chain *c, uint32_t i, const struct chain_limit *limit) {
    struct chain_node *a = chain_node_at(c, i), *b = a + 1;
    size_t bytes_before;
    struct packed *p;
    if (a->form == CHAIN_BLOB || b->form == CHAIN_BLOB) return false;
    if (a->count + b->count > limit->count / 2) return false;
    if (chain_forward_bytes(a) + chain_forward_bytes(b) > limit->bytes / 2) return false;
    chain_node_convert(c, a, CHAIN_PACKED, PACKED_BACKWARD);
    chain_node_convert(c, b, CHAIN_PACKED, PACKED_BACKWARD);
    if (a->form != b->form || packed_flags(a->packed) != packed_flags(b->packed))
        return false; /* no memory */
    bytes_before = packed_class_bytes(a->packed);
    p = packed_join(a->packed, b->packed);
    if (!p) return false;
    chain_node_set_packed(c, a, p, bytes_before);
    chain_node_empty(c, b);
    chain_nodes_cut(c, i + 1, 1);
    return true;
}

/* Takes emptied nodes out of the array, in one pass, and joins small neighbours. */
static void tidy(struct chain *c, const struct chain_limit *limit) {
    struct chain_node *first = chain_node_at(c, 0);
    uint32_t kept = 0;
    if (!c->nodes) return;
    for (uint32_t i = 0; i < c->nodes->count; i++) {
        if (first[i].count) first[kept++] = first[i];
    }
    if (kept < c->nodes->count) chain_nodes_cut(c, kept, c->nodes->count - kept);
    for (uint32_t i = 0; i + 1 < c->nodes->count;) {
        if (!try_join(c, i, limit)) i++;
    }
    chain_settle(c, limit);
}

uint64_t chain_remove_equal(struct chain *c, struct span bytes, enum chain_end from, uint64_t count,
                            const struct chain_limit *limit) {
    uint32_t nodes = chain_node_count(c);
    uint64_t removed = 0, wanted = count ? count : UINT64_MAX;
    for (uint32_t i = 0; i < nodes && removed < wanted; i++) {
        struct chain_node *node = chain_node_at(c, from == CHAIN_HEAD ? i : nodes - 1 - i);
        removed += remove_from_node(c, node, bytes, from, wanted - removed);
    }
    if (removed) tidy(c, limit);
    return removed;
}

/* A search under way. */
struct finder {
    const struct chain_search *search;
    uint64_t list_count;
    uint64_t match_count;
    void (*found)(uint64_t index, void *context);
    void *context;
};

/* False when the search is over. */
static bool tell_match(struct finder *f, uint64_t index) {
    const struct chain_search *search = f->search;
    uint64_t depth = search->from == CHAIN_HEAD ? index : f->list_count - 1 - index;
    if (search->depth && depth >= search->depth) return false;
    if (++f->match_count < search->rank) return true;
    f->found(index, f->context);
    return !search->count || f->match_count - search->rank + 1 < search->count;
}

/* Places in block order of the elements that are sought, as uint32_t. */
static uint32_t collect_matches(const struct chain_node *node, struct span bytes,
                                struct buf *places) {
    const struct packed *p = node->packed;
    uint32_t place = 0, count = 0;
    buf_clear(places);
    for (packed_at at = packed_first(p); at;) {
        at = packed_find_index(p, at, bytes, &place);
        if (!at) break;
        buf_put(places, &place, sizeof place);
        count++;
        place++;
        at = packed_next(p, at);
    }
    return count;
}

/* `base` is the list index of the node's first element. False when the search is over. */
static bool find_in_node(struct finder *f, const struct chain_node *node, uint64_t base,
                         struct span bytes, struct buf *places) {
    uint32_t count;
    bool forward = !chain_with_grain(node, f->search->from); /* in block order */
    if (node->form == CHAIN_BLOB)
        return !span_eq(blob_span(node->blob), bytes) || tell_match(f, base);
    count = collect_matches(node, bytes, places);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t place;
        memcpy(&place, places->data + (forward ? i : count - 1 - i) * sizeof place, sizeof place);
        if (node->form == CHAIN_REVERSED) place = node->count - 1 - place;
        if (!tell_match(f, base + place)) return false;
    }
    return true;
}

void chain_find(const struct chain *c, struct span bytes, const struct chain_search *search,
                void (*found)(uint64_t index, void *context), void *context) {
    struct finder f = {search, c->count, 0, found, context};
    struct buf places = {0};
    uint32_t nodes = chain_node_count(c);
    uint64_t seen = 0; /* elements of the nodes before, from the end that is searched from */
    for (uint32_t i = 0; i < nodes && (!search->depth || seen < search->depth); i++) {
        const struct chain_node *node =
            chain_node_at(c, search->from == CHAIN_HEAD ? i : nodes - 1 - i);
        uint64_t base = search->from == CHAIN_HEAD ? seen : c->count - seen - node->count;
        if (!find_in_node(&f, node, base, bytes, &places)) break;
        seen += node->count;
    }
    buf_release(&places);
}
