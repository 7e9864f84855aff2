/* Lists. Positions come in two orders: list order is the user's; block order is that of the bytes. In a reversed node they are
 * opposite, and "before" in one is "after" in the other.
 *
 * Which node has which form:
 *   the first    REVERSED with backward sizes once something was pushed or popped at the head
 *   the last     PACKED with backward sizes
 *   between      PACKED, forward-only, from the third from either end on (the second stays as it is, so that pushing and popping
 *                around a node's border does not convert it again and again)
 * None of that is relied on. Counts, bytes and the nodes' order are: see chain_check. */
#include "types/chain.h"

#include <errno.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/check.h"

enum {
    /* A block smaller than this is pushed to and popped from at its beginning, too; moving so few bytes costs less than
     * turning the block round, or than beginning another. */
    AGAINST_GRAIN_BYTES_MAX = 1024,
    NODES_FIRST = 6,         /* the first array; with its head a size class */
    SAFE_BLOCK_BYTES = 8192, /* what a block may take when the limit is a count, as in Redis */
};

struct chain_limit chain_limit_of(int64_t setting) {
    static const uint32_t sizes[] = {4096, 8192, 16384, 32768, 65536};
    if (setting >= 0) {
        int64_t count = MIN(MAX(setting, 1), (int64_t)UINT32_MAX);
        return (struct chain_limit){.bytes = SAFE_BLOCK_BYTES, .count = (uint32_t)count};
    }
    return (struct chain_limit){.bytes = sizes[MIN(-setting, 5) - 1], .count = UINT32_MAX};
}

/* ---- nodes */

static uint32_t node_count(const struct chain *c) {
    return c->nodes ? c->nodes->count : c->count > 0;
}

static struct chain_node *node_at(const struct chain *c, uint32_t i) {
    if (c->nodes) return c->nodes->at + c->nodes->first + i;
    return (struct chain_node *)(uintptr_t)&c->one;
}

static struct chain_node *end_node(const struct chain *c, enum chain_end end) {
    return node_at(c, end == CHAIN_HEAD ? 0 : node_count(c) - 1);
}

static size_t node_bytes(const struct chain_node *node) {
    return node->form == CHAIN_BLOB ? blob_class_bytes(node->blob)
                                    : packed_class_bytes(node->packed);
}

static void node_release(struct chain_node *node) {
    if (node->form == CHAIN_BLOB) {
        blob_unref(node->blob);
    } else {
        packed_free(node->packed);
    }
}

/* The node's block is this one now, and the accounts follow. */
static void node_set_packed(struct chain *c, struct chain_node *node, struct packed *p,
                            size_t bytes_before) {
    if (c->nodes) c->nodes->bytes += packed_class_bytes(p) - bytes_before;
    c->count = c->count + packed_count(p) - node->count;
    node->packed = p;
    node->count = packed_count(p);
}

/* What the block would take without backward sizes: that is what it will be in the chain's middle. */
static size_t forward_bytes(const struct chain_node *node) {
    size_t used_bytes = packed_used_bytes(node->packed);
    return packed_flags(node->packed) & PACKED_BACKWARD ? used_bytes - node->count : used_bytes;
}

/* An element's bytes, without asking whether it is a number. */
static size_t expected_bytes(struct span bytes) {
    return bytes.len + (bytes.len < 128 ? 1 : bytes.len < 4096 ? 2 : 5);
}

static bool node_takes(const struct chain_node *node, struct span bytes,
                       const struct chain_limit *limit) {
    return node->form != CHAIN_BLOB && node->count < limit->count &&
           forward_bytes(node) + expected_bytes(bytes) <= limit->bytes;
}

static bool is_large(struct span bytes, const struct chain_limit *limit) {
    return bytes.len > limit->bytes;
}

/* Whether that end of the list is the end of the block, where there is room to grow. */
static bool with_grain(const struct chain_node *node, enum chain_end end) {
    return (node->form == CHAIN_REVERSED) == (end == CHAIN_HEAD);
}

/* Turns the block into another form; it stays as it is without memory. */
static void node_convert(struct chain *c, struct chain_node *node, enum chain_form form,
                         unsigned flags) {
    size_t bytes_before = node_bytes(node);
    struct packed *p = packed_convert(node->packed, flags, node->form != (uint32_t)form);
    if (!p) return;
    node_set_packed(c, node, p, bytes_before);
    node->form = form;
}

static int node_insert(struct chain *c, struct chain_node *node, packed_at at, struct span bytes) {
    size_t bytes_before = packed_class_bytes(node->packed);
    struct packed *p = packed_insert(node->packed, at, bytes, NULL);
    if (!p) return -ENOMEM;
    node_set_packed(c, node, p, bytes_before);
    return 0;
}

static int node_push(struct chain *c, struct chain_node *node, enum chain_end end,
                     struct span bytes) {
    packed_at at = with_grain(node, end) ? NULL : packed_first(node->packed);
    return node_insert(c, node, at, bytes);
}

/* Removes `count` elements from the node's `index`-th on, in list order. Not all of them. */
static void node_remove(struct chain *c, struct chain_node *node, uint32_t index, uint32_t count) {
    size_t bytes_before = packed_class_bytes(node->packed);
    uint32_t place = node->form == CHAIN_REVERSED ? node->count - index - count : index;
    struct packed *p = packed_remove(node->packed, packed_index(node->packed, place), count, NULL);
    node_set_packed(c, node, p, bytes_before);
}

/* A new node with one element, in the form that suits its end. */
static int node_make(struct chain_node *node, const struct chain_item *item, enum chain_end end,
                     const struct chain_limit *limit) {
    struct packed *empty;
    if (is_large(item->bytes, limit)) {
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

static size_t nodes_bytes(uint32_t capacity) {
    return sizeof(struct chain_nodes) + capacity * sizeof(struct chain_node);
}

static int nodes_make(struct chain *c) {
    struct chain_nodes *nodes = mem_try_alloc(nodes_bytes(NODES_FIRST));
    if (!nodes) return -ENOMEM;
    *nodes = (struct chain_nodes){.capacity = NODES_FIRST, .first = NODES_FIRST / 2};
    if (c->count > 0) {
        nodes->at[nodes->first] = c->one;
        nodes->count = 1;
        nodes->bytes = node_bytes(&c->one);
    }
    c->one = (struct chain_node){0};
    c->nodes = nodes;
    return 0;
}

/* A larger or smaller array, all whose spare room is where it will be wanted: before the first node, or behind the last. */
static int nodes_resize(struct chain *c, uint32_t capacity, bool room_in_front) {
    struct chain_nodes *old = c->nodes, *nodes;
    size_t bytes = mem_class_bytes(nodes_bytes(capacity));
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
static int nodes_reserve(struct chain *c, bool in_front) {
    struct chain_nodes *nodes = c->nodes;
    uint32_t spare = nodes->capacity - nodes->count;
    if (in_front ? nodes->first > 0 : nodes->first + nodes->count < nodes->capacity) return 0;
    if (spare <= nodes->count / 4)
        return nodes_resize(c, nodes->capacity + nodes->capacity / 2, in_front);
    nodes_slide(nodes, in_front ? spare - spare / 4 : spare / 4);
    return 0;
}

/* Which side moves to make room for an `i`-th node: the shorter. */
static bool nodes_in_front(const struct chain *c, uint32_t i) {
    return i < c->nodes->count - i;
}

/* As the `i`-th node. */
static int nodes_insert(struct chain *c, uint32_t i, struct chain_node node) {
    bool in_front = nodes_in_front(c, i);
    int rc = nodes_reserve(c, in_front);
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
    nodes->bytes += node_bytes(&node);
    c->count += node.count;
    return 0;
}

/* Takes out `count` nodes from the `i`-th on, which the caller has released and taken from the accounts. */
static void nodes_cut(struct chain *c, uint32_t i, uint32_t count) {
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
static void node_empty(struct chain *c, struct chain_node *node) {
    c->count -= node->count;
    if (c->nodes) c->nodes->bytes -= node_bytes(node);
    node_release(node);
    *node = (struct chain_node){0};
}

static void remove_node(struct chain *c, uint32_t i) {
    node_empty(c, node_at(c, i));
    if (c->nodes) nodes_cut(c, i, 1);
}

/* One small block left is a small list again: below half the limit, so that it does not change to and fro. */
static void settle(struct chain *c, const struct chain_limit *limit) {
    const struct chain_node *node;
    if (LIKELY(!c->nodes || c->nodes->count != 1)) return;
    node = node_at(c, 0);
    if (node->form == CHAIN_BLOB || node->count > limit->count / 2) return;
    if (packed_used_bytes(node->packed) > limit->bytes / 2) return;
    c->one = *node;
    mem_free(c->nodes);
    c->nodes = NULL;
}

/* ---- life */

struct chain *chain_new(void) {
    return mem_zalloc(sizeof(struct chain));
}

void chain_free(struct chain *c) {
    chain_free_step(c, UINT32_MAX);
}

uint64_t chain_free_effort(const struct chain *c) {
    return node_count(c);
}

bool chain_free_step(struct chain *c, uint32_t effort) {
    uint32_t left = node_count(c);
    for (; left > 0 && effort > 0; effort--) {
        struct chain_node *node = node_at(c, --left);
        c->count -= node->count;
        node_release(node);
        if (c->nodes) c->nodes->count--;
    }
    if (left > 0) return false;
    mem_free(c->nodes);
    mem_free(c);
    return true;
}

static int node_try_copy(struct chain_node *to, const struct chain_node *from) {
    *to = *from;
    if (from->form == CHAIN_BLOB) {
        to->blob = blob_ref(from->blob);
        return 0;
    }
    to->packed = packed_copy(from->packed);
    return to->packed ? 0 : -ENOMEM;
}

static int copy_nodes(struct chain *to, const struct chain *from) {
    struct chain_nodes *nodes = mem_try_alloc(nodes_bytes(from->nodes->capacity));
    if (!nodes) return -ENOMEM;
    *nodes = (struct chain_nodes){.first = from->nodes->first, .capacity = from->nodes->capacity};
    to->nodes = nodes;
    for (uint32_t i = 0; i < from->nodes->count; i++) {
        if (node_try_copy(nodes->at + nodes->first + i, node_at(from, i)) < 0) return -ENOMEM;
        nodes->count++;
        nodes->bytes += node_bytes(node_at(to, i));
        to->count += node_at(to, i)->count;
    }
    return 0;
}

struct chain *chain_try_copy(const struct chain *c) {
    struct chain *copy = chain_new();
    int rc = 0;
    if (c->nodes) {
        rc = copy_nodes(copy, c);
    } else if (c->count > 0) {
        rc = node_try_copy(&copy->one, &c->one);
        if (rc == 0) copy->count = c->count;
    }
    if (rc == 0) return copy;
    chain_free(copy);
    return NULL;
}

size_t chain_memory_bytes(const struct chain *c) {
    size_t bytes = mem_class_bytes(sizeof *c);
    if (c->nodes) return bytes + mem_class_bytes(nodes_bytes(c->nodes->capacity)) + c->nodes->bytes;
    return c->count ? bytes + node_bytes(&c->one) : bytes;
}

const char *chain_encoding(const struct chain *c) {
    return c->nodes ? "quicklist" : "listpack";
}

/* ---- pushing */

/* A small list keeps to the limit with all that its block takes, as in Redis; so a change of encoding comes at the same length. */
static bool small_takes(const struct chain *c, struct span bytes, const struct chain_limit *limit) {
    return !is_large(bytes, limit) && c->one.count < limit->count &&
           packed_used_bytes(c->one.packed) + bytes.len <= limit->bytes;
}

/* The third from the end that grows is not at an end any more. */
static void seal(struct chain *c, enum chain_end end) {
    uint32_t count = c->nodes->count;
    struct chain_node *node;
    if (count < 5) return;
    node = node_at(c, end == CHAIN_HEAD ? 2 : count - 3);
    if (node->form != CHAIN_BLOB) node_convert(c, node, CHAIN_PACKED, 0);
}

static int push_new_node(struct chain *c, enum chain_end end, const struct chain_item *item,
                         const struct chain_limit *limit) {
    struct chain_node node;
    int rc = node_make(&node, item, end, limit);
    if (rc < 0) return rc;
    if (!c->nodes && c->count == 0 && node.form != CHAIN_BLOB) {
        c->one = node;
        c->count = 1;
        return 0;
    }
    rc = c->nodes ? 0 : nodes_make(c);
    if (rc == 0) rc = nodes_insert(c, end == CHAIN_HEAD ? 0 : c->nodes->count, node);
    if (rc < 0) {
        node_release(&node);
    } else {
        seal(c, end);
    }
    return rc;
}

int chain_push(struct chain *c, enum chain_end end, const struct chain_item *item,
               const struct chain_limit *limit) {
    struct chain_node *node;
    if (c->count == 0) return push_new_node(c, end, item, limit);
    node = end_node(c, end);
    if (!c->nodes) {
        if (small_takes(c, item->bytes, limit)) return node_push(c, node, end, item->bytes);
        if (nodes_make(c) < 0) return -ENOMEM;
        node = end_node(c, end);
    }
    if (!is_large(item->bytes, limit) && node_takes(node, item->bytes, limit) &&
        (with_grain(node, end) || packed_used_bytes(node->packed) <= AGAINST_GRAIN_BYTES_MAX)) {
        return node_push(c, node, end, item->bytes);
    }
    return push_new_node(c, end, item, limit);
}

/* ---- popping */

/* An end that is popped from gets the form for it; the only node serves both ends and keeps its order. */
static void make_ready(struct chain *c, struct chain_node *node, enum chain_end end) {
    enum chain_form form = end == CHAIN_HEAD ? CHAIN_REVERSED : CHAIN_PACKED;
    bool backward = packed_flags(node->packed) & PACKED_BACKWARD;
    if (LIKELY(backward && (with_grain(node, end) || node_count(c) == 1))) return;
    if (packed_used_bytes(node->packed) <= AGAINST_GRAIN_BYTES_MAX) return;
    if (node_count(c) == 1) form = (enum chain_form)node->form;
    node_convert(c, node, form, PACKED_BACKWARD);
}

struct chain_value chain_end_value(struct chain *c, enum chain_end end) {
    struct chain_node *node = end_node(c, end);
    if (node->form == CHAIN_BLOB) {
        return (struct chain_value){.value.bytes = blob_span(node->blob), .blob = node->blob};
    }
    make_ready(c, node, end);
    packed_at at = with_grain(node, end) ? packed_last(node->packed) : packed_first(node->packed);
    return (struct chain_value){.value = packed_get(at)};
}

void chain_drop(struct chain *c, enum chain_end end, const struct chain_limit *limit) {
    struct chain_node *node = end_node(c, end);
    if (node->count == 1) {
        remove_node(c, end == CHAIN_HEAD ? 0 : node_count(c) - 1);
    } else {
        make_ready(c, node, end);
        node_remove(c, node, end == CHAIN_HEAD ? 0 : node->count - 1, 1);
    }
    settle(c, limit);
}

/* ---- by index */

/* The node that holds the index-th element; *index becomes its place in the node, in list order. */
static uint32_t seek(const struct chain *c, uint64_t *index) {
    uint32_t i;
    if (!c->nodes) return 0;
    if (*index < c->count / 2) {
        for (i = 0; *index >= node_at(c, i)->count; i++) *index -= node_at(c, i)->count;
        return i;
    }
    uint64_t behind = c->count - *index; /* elements from it on */
    for (i = c->nodes->count - 1; behind > node_at(c, i)->count; i--)
        behind -= node_at(c, i)->count;
    *index = node_at(c, i)->count - behind;
    return i;
}

static packed_at node_index(const struct chain_node *node, uint32_t index) {
    return packed_index(node->packed,
                        node->form == CHAIN_REVERSED ? node->count - 1 - index : index);
}

void chain_remove(struct chain *c, uint64_t index, uint64_t count,
                  const struct chain_limit *limit) {
    uint64_t place = index;
    uint32_t i, first_empty, empty_count = 0;
    if (count == 0) return;
    i = first_empty = seek(c, &place);
    for (; count > 0; i++, place = 0) {
        struct chain_node *node = node_at(c, i);
        uint32_t here = (uint32_t)MIN(count, node->count - place);
        count -= here;
        if (here < node->count) {
            node_remove(c, node, (uint32_t)place, here);
            if (empty_count == 0) first_empty = i + 1;
        } else {
            node_empty(c, node);
            empty_count++;
        }
    }
    if (c->nodes && empty_count) nodes_cut(c, first_empty, empty_count);
    settle(c, limit);
}

/* ---- inserting anywhere */

/* As a new last element of node i - 1 or a new first of node i, or as a node between them. */
static int insert_between(struct chain *c, uint32_t i, const struct chain_item *item,
                          const struct chain_limit *limit) {
    struct chain_node node;
    int rc;
    if (!is_large(item->bytes, limit)) {
        if (i > 0 && node_takes(node_at(c, i - 1), item->bytes, limit)) {
            return node_push(c, node_at(c, i - 1), CHAIN_TAIL, item->bytes);
        }
        if (i < c->nodes->count && node_takes(node_at(c, i), item->bytes, limit)) {
            return node_push(c, node_at(c, i), CHAIN_HEAD, item->bytes);
        }
    }
    rc = node_make(&node, item, i == 0 ? CHAIN_HEAD : CHAIN_TAIL, limit);
    if (rc < 0) return rc;
    rc = nodes_insert(c, i, node);
    if (rc < 0) node_release(&node);
    return rc;
}

/* Splits node i before `at` (block order): two nodes of the same form, in list order. */
static int split_node(struct chain *c, uint32_t i, packed_at at) {
    uint32_t place = node_at(c, i)->form == CHAIN_REVERSED ? i : i + 1;
    struct chain_node *node, rest;
    size_t bytes_before;
    struct packed *p;
    int rc = nodes_reserve(c, nodes_in_front(c, place));
    if (rc < 0) return rc;
    node = node_at(c, i);
    rest = (struct chain_node){.form = node->form};
    bytes_before = packed_class_bytes(node->packed);
    p = node->packed;
    rc = packed_split(&p, at, &rest.packed);
    if (rc < 0) return rc;
    node_set_packed(c, node, p, bytes_before);
    rest.count = packed_count(rest.packed);
    rc = nodes_insert(c, place, rest);
    CHECK(rc == 0); /* there is room */
    return 0;
}

/* Before `at` of node i in block order, NULL: behind its last. */
static int insert_at(struct chain *c, uint32_t i, packed_at at, const struct chain_item *item,
                     const struct chain_limit *limit) {
    struct chain_node *node = node_at(c, i);
    bool reversed = node->form == CHAIN_REVERSED, large = is_large(item->bytes, limit);
    if (c->nodes ? !large && node_takes(node, item->bytes, limit)
                 : small_takes(c, item->bytes, limit)) {
        return node_insert(c, node, at, item->bytes);
    }
    if (!c->nodes && nodes_make(c) < 0) return -ENOMEM;
    if (at == packed_first(node_at(c, i)->packed))
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
    for (uint32_t i = 0; i < node_count(c); i++) {
        const struct chain_node *node = node_at(c, i);
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
    size_t used_bytes = c->nodes ? forward_bytes(node) : packed_used_bytes(node->packed);
    return used_bytes - packed_body_bytes(at) + expected_bytes(bytes) <= limit->bytes;
}

static int replace_node(struct chain *c, uint32_t i, const struct chain_item *item,
                        const struct chain_limit *limit) {
    struct chain_node node;
    int rc = c->nodes ? 0 : nodes_make(c);
    if (rc == 0) rc = node_make(&node, item, CHAIN_TAIL, limit);
    if (rc < 0) return rc;
    c->nodes->bytes += node_bytes(&node) - node_bytes(node_at(c, i));
    node_release(node_at(c, i));
    *node_at(c, i) = node;
    return 0;
}

int chain_set(struct chain *c, uint64_t index, const struct chain_item *item,
              const struct chain_limit *limit) {
    uint64_t place = index;
    uint32_t i = seek(c, &place);
    struct chain_node *node = node_at(c, i);
    packed_at at;
    int rc;
    if (node->count == 1 && (node->form == CHAIN_BLOB || is_large(item->bytes, limit))) {
        rc = replace_node(c, i, item, limit);
        settle(c, limit);
        return rc;
    }
    at = node_index(node, (uint32_t)place);
    if (!is_large(item->bytes, limit) &&
        (node->count == 1 || replace_fits(c, node, at, item->bytes, limit))) {
        size_t bytes_before = packed_class_bytes(node->packed);
        struct packed *p = packed_replace(node->packed, at, item->bytes, NULL);
        if (!p) return -ENOMEM;
        node_set_packed(c, node, p, bytes_before);
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
    node_set_packed(c, node, p, bytes_before);
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
        node_empty(c, node);
        return 1;
    }
    if (with_grain(node, from) && count < node->count) { /* the last of the block are nearest */
        uint32_t equal = count_equal(node->packed, bytes);
        skip = equal > count ? equal - (uint32_t)count : 0;
    }
    removed = remove_from_block(c, node, bytes, skip, (uint32_t)MIN(count, UINT32_MAX), &emptied);
    if (emptied) node_empty(c, node);
    return removed;
}

/* Joins node i with the next when both are small. */
static bool try_join(struct chain *c, uint32_t i, const struct chain_limit *limit) {
    struct chain_node *a = node_at(c, i), *b = a + 1;
    size_t bytes_before;
    struct packed *p;
    if (a->form == CHAIN_BLOB || b->form == CHAIN_BLOB) return false;
    if (a->count + b->count > limit->count / 2) return false;
    if (forward_bytes(a) + forward_bytes(b) > limit->bytes / 2) return false;
    node_convert(c, a, CHAIN_PACKED, PACKED_BACKWARD);
    node_convert(c, b, CHAIN_PACKED, PACKED_BACKWARD);
    if (a->form != b->form || packed_flags(a->packed) != packed_flags(b->packed))
        return false; /* no memory */
    bytes_before = packed_class_bytes(a->packed);
    p = packed_join(a->packed, b->packed);
    if (!p) return false;
    node_set_packed(c, a, p, bytes_before);
    node_empty(c, b);
    nodes_cut(c, i + 1, 1);
    return true;
}

/* Takes emptied nodes out of the array, in one pass, and joins small neighbours. */
static void tidy(struct chain *c, const struct chain_limit *limit) {
    struct chain_node *first = node_at(c, 0);
    uint32_t kept = 0;
    if (!c->nodes) return;
    for (uint32_t i = 0; i < c->nodes->count; i++) {
        if (first[i].count) first[kept++] = first[i];
    }
    if (kept < c->nodes->count) nodes_cut(c, kept, c->nodes->count - kept);
    for (uint32_t i = 0; i + 1 < c->nodes->count;) {
        if (!try_join(c, i, limit)) i++;
    }
    settle(c, limit);
}

uint64_t chain_remove_equal(struct chain *c, struct span bytes, enum chain_end from, uint64_t count,
                            const struct chain_limit *limit) {
    uint32_t nodes = node_count(c);
    uint64_t removed = 0, wanted = count ? count : UINT64_MAX;
    for (uint32_t i = 0; i < nodes && removed < wanted; i++) {
        struct chain_node *node = node_at(c, from == CHAIN_HEAD ? i : nodes - 1 - i);
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
    bool forward = !with_grain(node, f->search->from); /* in block order */
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
    uint32_t nodes = node_count(c);
    uint64_t seen = 0; /* elements of the nodes before, from the end that is searched from */
    for (uint32_t i = 0; i < nodes && (!search->depth || seen < search->depth); i++) {
        const struct chain_node *node = node_at(c, search->from == CHAIN_HEAD ? i : nodes - 1 - i);
        uint64_t base = search->from == CHAIN_HEAD ? seen : c->count - seen - node->count;
        if (!find_in_node(&f, node, base, bytes, &places)) break;
        seen += node->count;
    }
    buf_release(&places);
}

/* ---- walking */

static void enter_node(struct chain_walk *w, const struct chain_node *node) {
    w->reversed = node->form == CHAIN_REVERSED;
    w->packed = node->form == CHAIN_BLOB ? NULL : node->packed;
    w->blob = node->form == CHAIN_BLOB ? node->blob : NULL;
}

bool chain_walk_at(struct chain_walk *w, const struct chain *c, uint64_t index) {
    if (index >= c->count) return false;
    w->chain = c;
    w->node = seek(c, &index);
    enter_node(w, node_at(c, w->node));
    if (w->packed) w->at = node_index(node_at(c, w->node), (uint32_t)index);
    return true;
}

bool chain_walk_next_node(struct chain_walk *w) {
    if (++w->node >= node_count(w->chain)) return false;
    enter_node(w, node_at(w->chain, w->node));
    if (w->packed) w->at = w->reversed ? packed_last(w->packed) : packed_first(w->packed);
    if (w->node + 1 < node_count(w->chain)) PREFETCH(node_at(w->chain, w->node + 1)->packed);
    return true;
}

/* A reversed node has backward sizes: only with them it became one. */
bool chain_walk_back(struct chain_walk *w) {
    w->at = packed_previous(w->packed, w->at);
    return w->at ? true : chain_walk_next_node(w);
}

/* ---- checks */

static void check_node(const struct chain_node *node) {
    CHECK(node->count > 0 && node->form <= CHAIN_BLOB);
    if (node->form == CHAIN_BLOB) {
        CHECK(node->count == 1);
        return;
    }
    packed_check(node->packed);
    CHECK(packed_count(node->packed) == node->count);
    if (node->form == CHAIN_REVERSED) CHECK(packed_flags(node->packed) & PACKED_BACKWARD);
}

void chain_check(const struct chain *c) {
    uint64_t count = 0;
    size_t bytes = 0;
    for (uint32_t i = 0; i < node_count(c); i++) {
        const struct chain_node *node = node_at(c, i);
        check_node(node);
        count += node->count;
        bytes += node_bytes(node);
    }
    CHECK(count == c->count);
    if (!c->nodes) {
        CHECK(c->count == 0 || c->one.form != CHAIN_BLOB);
        return;
    }
    CHECK(bytes == c->nodes->bytes);
    CHECK(c->nodes->first + c->nodes->count <= c->nodes->capacity);
}
