/* Walks over the tree, its end, and its checks. Hot path: ztree_next and ztree_previous. */
#include "base/check.h"
#include "types/ztree_node.h"

/* ---- walking: elements are asked for WALK_AHEAD steps before they are reached, a leaf when its neighbour is entered */

enum { WALK_AHEAD = 12 };

INLINE void prefetch_slot(const struct ztree_leaf *leaf, uint32_t index) {
    PREFETCH((const void *)(uintptr_t)(leaf->slots[index] & ADDRESS_MASK));
}

static void prefetch_neighbour(const struct ztree_path *path, int step) {
    if (path->height == 0) return;
    struct ztree_inner *parent = path->inner[path->height - 1];
    int at = path->at[path->height - 1] + step;
    if (at < 0 || at >= parent->count) return;
    const struct ztree_leaf *leaf = children_of(parent)[at];
    for (uint32_t i = 0; i < 4; i++) PREFETCH((const char *)leaf + i * 64);
}

static void enter_leaf(struct ztree_path *path, struct ztree_leaf *leaf, int step) {
    path->leaf = leaf;
    path->index = step > 0 ? 0 : leaf->count - 1u;
    for (uint32_t i = 0; i < WALK_AHEAD && i < leaf->count; i++)
        prefetch_slot(leaf, step > 0 ? i : leaf->count - 1u - i);
    prefetch_neighbour(path, step);
}

struct zelement *ztree_seek(const struct ztree *t, uint64_t rank, struct ztree_path *path) {
    void *node = t->root;
    path->height = t->height;
    if (rank >= t->count) return NULL;
    for (uint32_t level = 0; level < t->height; level++) {
        struct ztree_inner *n = node;
        const uint64_t *below = below_of(n);
        uint32_t at = 0;
        while (rank >= below[at]) rank -= below[at++];
        path->inner[level] = n;
        path->at[level] = (uint16_t)at;
        node = children_of(n)[at];
    }
    path->leaf = node;
    path->index = (uint32_t)rank;
    for (uint32_t i = path->index; i < path->index + WALK_AHEAD && i < path->leaf->count; i++)
        prefetch_slot(path->leaf, i);
    prefetch_neighbour(path, 1);
    return slot_element(path->leaf->slots[rank]);
}

/* The nearest leaf on that side, from the lowest level that has another child there. */
static struct zelement *step_leaf(struct ztree_path *path, int step) {
    uint32_t level = path->height;
    while (level > 0) {
        struct ztree_inner *n = path->inner[--level];
        int at = path->at[level] + step;
        if (at < 0 || at >= n->count) continue;
        path->at[level] = (uint16_t)at;
        void *node = children_of(n)[at];
        while (++level < path->height) {
            n = path->inner[level] = node;
            path->at[level] = step > 0 ? 0 : (uint16_t)(n->count - 1);
            node = children_of(n)[path->at[level]];
        }
        enter_leaf(path, node, step);
        return slot_element(path->leaf->slots[path->index]);
    }
    return NULL;
}

struct zelement *ztree_next(struct ztree_path *path) {
    const struct ztree_leaf *leaf = path->leaf;
    if (UNLIKELY(path->index + 1u >= leaf->count)) return step_leaf(path, 1);
    path->index++;
    if (path->index + WALK_AHEAD < leaf->count) prefetch_slot(leaf, path->index + WALK_AHEAD);
    return slot_element(leaf->slots[path->index]);
}

struct zelement *ztree_previous(struct ztree_path *path) {
    const struct ztree_leaf *leaf = path->leaf;
    if (UNLIKELY(path->index == 0)) return step_leaf(path, -1);
    path->index--;
    if (path->index >= WALK_AHEAD) prefetch_slot(leaf, path->index - WALK_AHEAD);
    return slot_element(leaf->slots[path->index]);
}

/* ---- freeing: from the end, so that nothing is moved */

bool ztree_release_step(struct ztree *t, void (*element_free)(struct zelement *e)) {
    struct ztree_inner *inner[ZTREE_HEIGHT_MAX];
    void *node = t->root;
    uint32_t level = 0;
    if (!node) return true;
    for (; level < t->height; level++) {
        inner[level] = node;
        node = children_of(inner[level])[inner[level]->count - 1];
    }
    struct ztree_leaf *leaf = node;
    for (uint32_t i = 0; i < leaf->count; i++) {
        if (i + WALK_AHEAD < leaf->count) prefetch_slot(leaf, i + WALK_AHEAD);
        element_free(slot_element(leaf->slots[i]));
    }
    t->count -= leaf->count;
    leaf_free(t, leaf);
    while (level > 0 && --inner[level - 1]->count == 0) inner_free(t, inner[--level]);
    if (level > 0) return false;
    t->root = NULL;
    t->height = 0;
    return true;
}

/* ---- checks */

struct checker {
    const struct ztree *t;
    const struct zelement *last;
    size_t memory_bytes;
};

static void check_leaf(struct checker *c, const struct ztree_leaf *leaf) {
    CHECK(leaf->count > 0 && leaf->count <= leaf->capacity && leaf->capacity <= LEAF_MAX);
    c->memory_bytes += mem_class_bytes(leaf_bytes(leaf->capacity));
    for (uint32_t i = 0; i < leaf->count; i++) {
        const struct zelement *e = slot_element(leaf->slots[i]);
        struct ztree_bound bound = bound_at(e);
        CHECK((leaf->slots[i] & ~(uint64_t)ADDRESS_MASK) == digest_of(leaf, e->score));
        if (i > 0) CHECK(leaf->slots[i] >> DIGEST_SHIFT >= leaf->slots[i - 1] >> DIGEST_SHIFT);
        if (c->last) CHECK(is_before(&bound, c->last->score, c->last));
        c->last = e;
    }
}

static const struct zelement *first_below(void *node, uint32_t height) {
    while (height-- > 0) node = children_of(node)[0];
    return slot_element(((struct ztree_leaf *)node)->slots[0]);
}

static uint64_t check_node(struct checker *c, void *node, uint32_t height) {
    struct ztree_inner *n = node;
    uint64_t total = 0;
    if (height == 0) {
        check_leaf(c, node);
        return ((struct ztree_leaf *)node)->count;
    }
    CHECK(n->count > 0 && n->count <= n->capacity && n->capacity <= INNER_MAX);
    c->memory_bytes += mem_class_bytes(inner_bytes(n->capacity));
    for (uint32_t i = 0; i < n->count; i++) {
        void *child = children_of(n)[i];
        if (i > 0) CHECK(separators_of(n)[i] == first_below(child, height - 1));
        if (i > 0) CHECK(scores_of(n)[i] == separators_of(n)[i]->score);
        CHECK(check_node(c, child, height - 1) == below_of(n)[i]);
        total += below_of(n)[i];
    }
    return total;
}

void ztree_check(const struct ztree *t) {
    struct checker c = {.t = t};
    CHECK((t->root == NULL) == (t->count == 0));
    if (t->root) CHECK(check_node(&c, t->root, t->height) == t->count);
    if (t->height > 0) CHECK(((struct ztree_inner *)t->root)->count > 1);
    CHECK(c.memory_bytes == t->memory_bytes);
}
