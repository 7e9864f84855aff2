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
#include <string.h>

#include "base/alloc.h"
#include "base/check.h"
#include "types/chain_nodes.h"

enum {
    /* A block smaller than this is pushed to and popped from at its beginning, too; moving so few bytes costs less than
     * turning the block round, or than beginning another. */
    AGAINST_GRAIN_BYTES_MAX = 1024,
    DETACH_NODES_MIN = 64, /* fewer are freed sooner than handed over */
    DETACH_AHEAD = 16,
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

/* ---- life */

struct chain *chain_new(void) {
    return mem_zalloc(sizeof(struct chain));
}

void chain_free(struct chain *c) {
    chain_free_step(c, UINT32_MAX);
}

uint64_t chain_free_effort(const struct chain *c) {
    return chain_node_count(c);
}

bool chain_free_step(struct chain *c, uint32_t effort) {
    uint32_t left = chain_node_count(c);
    for (; left > 0 && effort > 0; effort--) {
        struct chain_node *node = chain_node_at(c, --left);
        c->count -= node->count;
        chain_node_release(node);
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
    struct chain_nodes *nodes = mem_try_alloc(chain_nodes_bytes(from->nodes->capacity));
    if (!nodes) return -ENOMEM;
    *nodes = (struct chain_nodes){.first = from->nodes->first, .capacity = from->nodes->capacity};
    to->nodes = nodes;
    for (uint32_t i = 0; i < from->nodes->count; i++) {
        if (node_try_copy(nodes->at + nodes->first + i, chain_node_at(from, i)) < 0) return -ENOMEM;
        nodes->count++;
        nodes->bytes += chain_node_bytes(chain_node_at(to, i));
        to->count += chain_node_at(to, i)->count;
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
    if (c->nodes)
        return bytes + mem_class_bytes(chain_nodes_bytes(c->nodes->capacity)) + c->nodes->bytes;
    return c->count ? bytes + chain_node_bytes(&c->one) : bytes;
}

const char *chain_encoding(const struct chain *c) {
    return c->nodes ? "quicklist" : "listpack";
}

/* ---- pushing */

/* The third from the end that grows is not at an end any more. */
static void seal(struct chain *c, enum chain_end end) {
    uint32_t count = c->nodes->count;
    struct chain_node *node;
    if (count < 5) return;
    node = chain_node_at(c, end == CHAIN_HEAD ? 2 : count - 3);
    if (node->form != CHAIN_BLOB) chain_node_convert(c, node, CHAIN_PACKED, 0);
}

static int push_new_node(struct chain *c, enum chain_end end, const struct chain_item *item,
                         const struct chain_limit *limit) {
    struct chain_node node;
    int rc = chain_node_make(&node, item, end, limit);
    if (rc < 0) return rc;
    if (!c->nodes && c->count == 0 && node.form != CHAIN_BLOB) {
        c->one = node;
        c->count = 1;
        return 0;
    }
    rc = c->nodes ? 0 : chain_nodes_make(c);
    if (rc == 0) rc = chain_nodes_insert(c, end == CHAIN_HEAD ? 0 : c->nodes->count, node);
    if (rc < 0) {
        chain_node_release(&node);
    } else {
        seal(c, end);
    }
    return rc;
}

int chain_push(struct chain *c, enum chain_end end, const struct chain_item *item,
               const struct chain_limit *limit) {
    struct chain_node *node;
    if (c->count == 0) return push_new_node(c, end, item, limit);
    node = chain_end_node(c, end);
    if (!c->nodes) {
        if (chain_small_takes(c, item->bytes, limit))
            return chain_node_push(c, node, end, item->bytes);
        if (chain_nodes_make(c) < 0) return -ENOMEM;
        node = chain_end_node(c, end);
    }
    if (!chain_is_large(item->bytes, limit) && chain_node_takes(node, item->bytes, limit) &&
        (chain_with_grain(node, end) ||
         packed_used_bytes(node->packed) <= AGAINST_GRAIN_BYTES_MAX)) {
        return chain_node_push(c, node, end, item->bytes);
    }
    return push_new_node(c, end, item, limit);
}

/* ---- popping */

/* An end that is popped from gets the form for it; the only node serves both ends and keeps its order. */
static void make_ready(struct chain *c, struct chain_node *node, enum chain_end end) {
    enum chain_form form = end == CHAIN_HEAD ? CHAIN_REVERSED : CHAIN_PACKED;
    bool backward = packed_flags(node->packed) & PACKED_BACKWARD;
    if (LIKELY(backward && (chain_with_grain(node, end) || chain_node_count(c) == 1))) return;
    if (packed_used_bytes(node->packed) <= AGAINST_GRAIN_BYTES_MAX) return;
    if (chain_node_count(c) == 1) form = (enum chain_form)node->form;
    chain_node_convert(c, node, form, PACKED_BACKWARD);
}

struct chain_value chain_end_value(struct chain *c, enum chain_end end) {
    struct chain_node *node = chain_end_node(c, end);
    if (node->form == CHAIN_BLOB) {
        return (struct chain_value){.value.bytes = blob_span(node->blob), .blob = node->blob};
    }
    make_ready(c, node, end);
    packed_at at =
        chain_with_grain(node, end) ? packed_last(node->packed) : packed_first(node->packed);
    return (struct chain_value){.value = packed_get(at)};
}

void chain_drop(struct chain *c, enum chain_end end, const struct chain_limit *limit) {
    struct chain_node *node = chain_end_node(c, end);
    if (node->count == 1) {
        chain_node_drop(c, end == CHAIN_HEAD ? 0 : chain_node_count(c) - 1);
    } else {
        make_ready(c, node, end);
        chain_node_remove(c, node, end == CHAIN_HEAD ? 0 : node->count - 1, 1);
    }
    chain_settle(c, limit);
}

/* ---- by index */

/* How many whole nodes from the `i`-th on `count` elements make up. */
static uint32_t whole_nodes(const struct chain *c, uint32_t i, uint64_t *count) {
    uint32_t first = i;
    for (; i < chain_node_count(c) && *count >= chain_node_at(c, i)->count; i++)
        *count -= chain_node_at(c, i)->count;
    return i - first;
}

/* Moves nodes into a chain of their own. NULL without memory: nothing has happened. */
static struct chain *detach_nodes(struct chain *c, uint32_t i, uint32_t count) {
    struct chain_nodes *nodes = mem_try_alloc(chain_nodes_bytes(count));
    struct chain *cut;
    if (!nodes) return NULL;
    *nodes = (struct chain_nodes){.count = count, .capacity = count};
    memcpy(nodes->at, chain_node_at(c, i), count * sizeof nodes->at[0]);
    cut = chain_new();
    cut->nodes = nodes;
    for (uint32_t at = 0; at < count; at++) {
        cut->count += nodes->at[at].count;
        if (at + DETACH_AHEAD < count) PREFETCH(nodes->at[at + DETACH_AHEAD].packed);
        nodes->bytes += chain_node_bytes(nodes->at + at);
    }
    c->count -= cut->count;
    c->nodes->bytes -= nodes->bytes;
    chain_nodes_cut(c, i, count);
    return cut;
}

struct chain *chain_cut(struct chain *c, uint64_t index, uint64_t count,
                        const struct chain_limit *limit) {
    uint64_t place = index, rest = count;
    uint32_t i = chain_seek(c, &place), whole;
    struct chain *cut = NULL;
    if (c->nodes && count > 0) {
        uint64_t head = place ? MIN(count, chain_node_at(c, i)->count - place) : 0;
        rest -= head;
        i += head > 0;
        whole = whole_nodes(c, i, &rest);
        if (whole >= DETACH_NODES_MIN) cut = detach_nodes(c, i, whole);
    }
    chain_remove(c, index, cut ? count - cut->count : count, limit);
    chain_settle(c, limit);
    return cut;
}

void chain_remove(struct chain *c, uint64_t index, uint64_t count,
                  const struct chain_limit *limit) {
    uint64_t place = index;
    uint32_t i, first_empty, empty_count = 0;
    if (count == 0) return;
    i = first_empty = chain_seek(c, &place);
    for (; count > 0; i++, place = 0) {
        struct chain_node *node = chain_node_at(c, i);
        uint32_t here = (uint32_t)MIN(count, node->count - place);
        count -= here;
        if (here < node->count) {
            chain_node_remove(c, node, (uint32_t)place, here);
            if (empty_count == 0) first_empty = i + 1;
        } else {
            chain_node_empty(c, node);
            empty_count++;
        }
    }
    if (c->nodes && empty_count) chain_nodes_cut(c, first_empty, empty_count);
    chain_settle(c, limit);
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
    w->node = chain_seek(c, &index);
    enter_node(w, chain_node_at(c, w->node));
    if (w->packed) w->at = chain_node_index(chain_node_at(c, w->node), (uint32_t)index);
    return true;
}

bool chain_walk_next_node(struct chain_walk *w) {
    if (++w->node >= chain_node_count(w->chain)) return false;
    enter_node(w, chain_node_at(w->chain, w->node));
    if (w->packed) w->at = w->reversed ? packed_last(w->packed) : packed_first(w->packed);
    if (w->node + 1 < chain_node_count(w->chain))
        PREFETCH(chain_node_at(w->chain, w->node + 1)->packed);
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
    for (uint32_t i = 0; i < chain_node_count(c); i++) {
        const struct chain_node *node = chain_node_at(c, i);
        check_node(node);
        count += node->count;
        bytes += chain_node_bytes(node);
    }
    CHECK(count == c->count);
    if (!c->nodes) {
        CHECK(c->count == 0 || c->one.form != CHAIN_BLOB);
        return;
    }
    CHECK(bytes == c->nodes->bytes);
    CHECK(c->nodes->first + c->nodes->count <= c->nodes->capacity);
}
