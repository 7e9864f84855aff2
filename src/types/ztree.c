/* The B+ tree of sorted sets; layout and meaning of the digests stand in the header. Hot path.
 *
 * Invariants:
 *   - leaves are never empty, inner nodes neither; the root has two children or is a leaf
 *   - separator i > 0 is the smallest element below child i; separator 0 is stale
 *   - slots are sorted by element and therefore by digest; a digest is that of base, shift and the element's score
 *   - a node that gets below a quarter joins a neighbour if both fill three quarters at most: a split or a join is
 *     followed by many changes without either */
#include "types/ztree.h"

#include "base/check.h"
#include "types/ztree_node.h"

/* ---- leaves */

/* The capacity of the smallest leaf for so many: what fills a multiple of 128 bytes, which jemalloc has a class for. */
static uint32_t leaf_capacity(uint32_t count) {
    return (count + LEAF_STEP + 1) / LEAF_STEP * LEAF_STEP - 2;
}

static struct ztree_leaf *leaf_new(struct ztree *t, uint32_t count) {
    uint32_t capacity = leaf_capacity(count);
    struct ztree_leaf *leaf = mem_alloc(leaf_bytes(capacity));
    *leaf = (struct ztree_leaf){.capacity = (uint16_t)capacity};
    t->memory_bytes += mem_class_bytes(leaf_bytes(capacity));
    return leaf;
}

/* The leaf, or its new place, with the room that `count` elements need. */
static struct ztree_leaf *leaf_resize(struct ztree *t, struct ztree_leaf *leaf, uint32_t count) {
    uint32_t capacity = leaf_capacity(count);
    t->memory_bytes -= mem_class_bytes(leaf_bytes(leaf->capacity));
    leaf = mem_realloc(leaf, leaf_bytes(capacity));
    leaf->capacity = (uint16_t)capacity;
    t->memory_bytes += mem_class_bytes(leaf_bytes(capacity));
    return leaf;
}

/* Chooses base and shift for the scores there are, with as much room again on both sides, and makes all digests anew. */
static void leaf_rebuild(struct ztree_leaf *leaf) {
    uint64_t low = order_of(slot_element(leaf->slots[0])->score);
    uint64_t high = order_of(slot_element(leaf->slots[leaf->count - 1])->score);
    uint64_t margin = high > low ? high - low : (uint64_t)1 << 51;
    uint64_t top = high < UINT64_MAX - margin ? high + margin : UINT64_MAX;
    leaf->base = low > margin ? low - margin : 0;
    int bits = 64 - __builtin_clzll((top - leaf->base) | 1);
    leaf->shift = (uint8_t)MAX(bits - 16, 0);
    leaf->rebuilt = leaf->count;
    for (uint32_t i = 0; i < leaf->count; i++) {
        struct zelement *e = slot_element(leaf->slots[i]);
        leaf->slots[i] = digest_of(leaf, e->score) | (uint64_t)(uintptr_t)e;
    }
}

/* The first slot from `low` on that is not below the word. */
INLINE uint32_t leaf_lower(const struct ztree_leaf *leaf, uint32_t low, uint64_t word) {
    uint32_t count = leaf->count - low;
    while (count > 0) {
        uint32_t half = count / 2;
        bool below = leaf->slots[low + half] < word;
        low = below ? low + half + 1 : low;
        count = below ? count - half - 1 : half;
    }
    return low;
}

/* The slots with the score's digest: from *low to before *high. */
INLINE void leaf_digest_range(const struct ztree_leaf *leaf, double score, uint32_t *low,
                              uint32_t *high) {
    uint64_t digest = digest_of(leaf, score);
    *low = leaf_lower(leaf, 0, digest);
    *high = *low;
    if (digest >> DIGEST_SHIFT == DIGEST_MAX) {
        *high = leaf->count;
    } else if (*low < leaf->count && leaf->slots[*low] >> DIGEST_SHIFT == digest >> DIGEST_SHIFT) {
        *high = leaf_lower(leaf, *low, digest + ((uint64_t)1 << DIGEST_SHIFT));
    }
}

/* How many of the leaf's elements lie before the bound. */
static uint32_t leaf_find(const struct ztree_leaf *leaf, const struct ztree_bound *bound) {
    uint32_t low = 0, high = leaf->count;
    if (bound->kind <= ZTREE_SCORE_BEHIND) leaf_digest_range(leaf, bound->score, &low, &high);
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        const struct zelement *e = slot_element(leaf->slots[middle]);
        if (is_before(bound, e->score, e)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Where the element lies, found by its address: others are not touched. */
static uint32_t leaf_index_of(const struct ztree_leaf *leaf, const struct zelement *e) {
    uint32_t low, high;
    leaf_digest_range(leaf, e->score, &low, &high);
    while (low < high && slot_element(leaf->slots[low]) != e) low++;
    CHECK(low < high);
    return low;
}

/* ---- inner nodes */

static struct ztree_inner *inner_new(struct ztree *t, uint32_t count) {
    uint32_t capacity = INNER_MIN;
    while (capacity < count) capacity = capacity * 2 + 1;
    struct ztree_inner *n = mem_alloc(inner_bytes(capacity));
    n->count = 0;
    n->capacity = (uint16_t)capacity;
    t->memory_bytes += mem_class_bytes(inner_bytes(capacity));
    return n;
}

/* Moves `count` children within a node or between two that do not overlap otherwise. */
static void move_children(struct ztree_inner *to, uint32_t to_at, struct ztree_inner *from,
                          uint32_t from_at, uint32_t count) {
    for (uint32_t array = 0; array < 4; array++) {
        memmove(to->words + array * to->capacity + to_at,
                from->words + array * from->capacity + from_at, count * sizeof(uint64_t));
    }
}

/* The first child may hold what lies before the bound, else the last whose separator does; an element's own separator leads to it. */
static uint32_t inner_find(struct ztree_inner *n, const struct ztree_bound *bound) {
    const double *scores = scores_of(n);
    struct zelement **separators = separators_of(n);
    uint32_t low = 1, high = n->count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        bool before = is_before(bound, scores[middle], separators[middle]);
        if (!before && bound->kind == ZTREE_ELEMENT && scores[middle] == bound->score)
            before = span_eq(zelement_member(separators[middle]), bound->member);
        if (before) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low - 1;
}

/* ---- paths */

static void path_find(const struct ztree *t, const struct ztree_bound *bound,
                      struct ztree_path *path) {
    void *node = t->root;
    path->height = t->height;
    for (uint32_t level = 0; level < t->height; level++) {
        struct ztree_inner *n = node;
        uint32_t at = inner_find(n, bound);
        path->inner[level] = n;
        path->at[level] = (uint16_t)at;
        node = children_of(n)[at];
    }
    path->leaf = node;
}

static void path_find_element(const struct ztree *t, const struct zelement *e,
                              struct ztree_path *path) {
    struct ztree_bound bound = bound_at(e);
    path_find(t, &bound, path);
    path->index = leaf_index_of(path->leaf, e);
}

static uint64_t path_rank(const struct ztree_path *path) {
    uint64_t rank = path->index;
    for (uint32_t level = 0; level < path->height; level++) {
        const uint64_t *below = below_of(path->inner[level]);
        for (uint32_t i = 0; i < path->at[level]; i++) rank += below[i];
    }
    return rank;
}

static bool path_is_first(const struct ztree_path *path) {
    for (uint32_t level = 0; level < path->height; level++) {
        if (path->at[level] > 0) return false;
    }
    return true;
}

static bool path_is_last(const struct ztree_path *path) {
    for (uint32_t level = 0; level < path->height; level++) {
        if (path->at[level] + 1u < path->inner[level]->count) return false;
    }
    return true;
}

static void path_count(const struct ztree_path *path, int64_t more) {
    for (uint32_t level = 0; level < path->height; level++)
        below_of(path->inner[level])[path->at[level]] += (uint64_t)more;
}

/* What stands above the path's node of that level (the height: its leaf) is to be `node`. */
static void path_replace(struct ztree *t, struct ztree_path *path, uint32_t level, void *node) {
    if (level == 0) {
        t->root = node;
    } else {
        children_of(path->inner[level - 1])[path->at[level - 1]] = node;
    }
    if (level == path->height) {
        path->leaf = node;
    } else {
        path->inner[level] = node;
    }
}

/* The smallest element below the path's nodes from `level` on has become e. */
static void path_set_separator(const struct ztree_path *path, uint32_t levels, struct zelement *e) {
    for (uint32_t level = levels; level-- > 0;) {
        uint32_t at = path->at[level];
        if (at == 0) continue;
        separators_of(path->inner[level])[at] = e;
        scores_of(path->inner[level])[at] = e->score;
        return;
    }
}

/* ---- splitting: afterwards the path is void */

struct child {
    void *node;
    struct zelement *separator;
    uint64_t below;
};

static void inner_put(struct ztree_inner *n, uint32_t at, const struct child *child) {
    move_children(n, at + 1, n, at, n->count - at);
    below_of(n)[at] = child->below;
    scores_of(n)[at] = child->separator->score;
    separators_of(n)[at] = child->separator;
    children_of(n)[at] = child->node;
    n->count++;
}

static uint64_t inner_total(struct ztree_inner *n) {
    uint64_t total = 0;
    for (uint32_t i = 0; i < n->count; i++) total += below_of(n)[i];
    return total;
}

static void add_child(struct ztree *t, struct ztree_path *path, uint32_t levels,
                      const struct child *child);

static void grow_root(struct ztree *t, const struct child *right) {
    struct ztree_inner *n = inner_new(t, 2);
    struct child left = {t->root, right->separator /* stale, as the first may be */,
                         t->count - right->below};
    CHECK(t->height < ZTREE_HEIGHT_MAX);
    inner_put(n, 0, &left);
    inner_put(n, 1, right);
    t->root = n;
    t->height++;
}

/* Moves the children behind `keep` to a new right neighbour, which is to get one with so many elements more. */
static struct ztree_inner *split_inner(struct ztree *t, struct ztree_path *path, uint32_t level,
                                       uint32_t keep, uint64_t below_more) {
    struct ztree_inner *n = path->inner[level];
    struct ztree_inner *right = inner_new(t, INNER_MAX);
    move_children(right, 0, n, keep, n->count - keep);
    right->count = (uint16_t)(n->count - keep);
    n->count = (uint16_t)keep;
    struct child child = {right, separators_of(right)[0], inner_total(right) + below_more};
    if (level > 0) below_of(path->inner[level - 1])[path->at[level - 1]] -= child.below;
    add_child(t, path, level, &child);
    return right;
}

static struct ztree_inner *grow_inner(struct ztree *t, struct ztree_path *path, uint32_t level) {
    struct ztree_inner *n = path->inner[level];
    struct ztree_inner *larger = inner_new(t, n->capacity + 1u);
    move_children(larger, 0, n, 0, n->count);
    larger->count = n->count;
    inner_free(t, n);
    path_replace(t, path, level, larger);
    return larger;
}

/* Puts a new right neighbour of the path's node at `levels` (the height: its leaf) into the level above. */
static void add_child(struct ztree *t, struct ztree_path *path, uint32_t levels,
                      const struct child *child) {
    if (levels == 0) {
        grow_root(t, child);
        return;
    }
    struct ztree_inner *n = path->inner[levels - 1];
    uint32_t at = path->at[levels - 1] + 1u;
    if (n->count == INNER_MAX) {
        /* At the tree's end nodes stay full behind a growing order. */
        uint32_t keep = at == INNER_MAX ? INNER_MAX - 1 : at == 1 ? 1 : INNER_MAX / 2;
        bool in_right = at > keep;
        struct ztree_inner *right =
            split_inner(t, path, levels - 1, keep, in_right ? child->below : 0);
        inner_put(in_right ? right : n, in_right ? at - keep : at, child);
        return;
    }
    if (n->count == n->capacity) n = grow_inner(t, path, levels - 1);
    inner_put(n, at, child);
}

static void split_leaf(struct ztree *t, struct ztree_path *path) {
    struct ztree_leaf *leaf = path->leaf, *right;
    uint32_t keep = leaf->count / 2;
    if (path->index == leaf->count && path_is_last(path)) keep = leaf->count - 1u;
    if (path->index == 0 && path_is_first(path)) keep = 1;
    right = leaf_new(t, leaf->count - keep);
    right->count = (uint16_t)(leaf->count - keep);
    memcpy(right->slots, leaf->slots + keep, right->count * sizeof right->slots[0]);
    leaf->count = (uint16_t)keep;
    if (leaf_capacity(keep) < leaf->capacity) {
        leaf = leaf_resize(t, leaf, keep);
        path_replace(t, path, path->height, leaf);
    }
    leaf_rebuild(leaf);
    leaf_rebuild(right);
    struct child child = {right, slot_element(right->slots[0]), right->count};
    if (path->height > 0)
        below_of(path->inner[path->height - 1])[path->at[path->height - 1]] -= right->count;
    add_child(t, path, path->height, &child);
}

/* ---- joining and dropping: afterwards the path is void */

static void drop_child(struct ztree *t, struct ztree_path *path, uint32_t level);

/* The neighbour to join with: returns the left one's index of the two; false when there is none that fits. */
static bool pick_pair(struct ztree_inner *parent, uint32_t at, uint32_t count, uint32_t max,
                      uint32_t (*count_of)(const void *node), uint32_t *left) {
    void **children = children_of(parent);
    if (at + 1u < parent->count && count + count_of(children[at + 1]) <= max) {
        *left = at;
        return true;
    }
    if (at > 0 && count + count_of(children[at - 1]) <= max) {
        *left = at - 1;
        return true;
    }
    return false;
}

static uint32_t leaf_count(const void *node) {
    return ((const struct ztree_leaf *)node)->count;
}

static uint32_t inner_count(const void *node) {
    return ((const struct ztree_inner *)node)->count;
}

/* The pair's elements are all in its left node now. */
static void drop_right(struct ztree *t, struct ztree_path *path, uint32_t level, uint32_t left) {
    uint64_t *below = below_of(path->inner[level]);
    below[left] += below[left + 1];
    path->at[level] = (uint16_t)(left + 1);
    drop_child(t, path, level);
}

static void join_leaves(struct ztree *t, struct ztree_path *path) {
    uint32_t level = path->height - 1, left_at;
    struct ztree_inner *parent = path->inner[level];
    if (!pick_pair(parent, path->at[level], path->leaf->count, LEAF_MAX * 3 / 4, leaf_count,
                   &left_at))
        return;
    struct ztree_leaf *left = children_of(parent)[left_at];
    struct ztree_leaf *right = children_of(parent)[left_at + 1];
    uint32_t count = (uint32_t)left->count + right->count;
    if (count > left->capacity) left = leaf_resize(t, left, count);
    memcpy(left->slots + left->count, right->slots, right->count * sizeof right->slots[0]);
    left->count = (uint16_t)count;
    leaf_rebuild(left);
    children_of(parent)[left_at] = left;
    leaf_free(t, right);
    drop_right(t, path, level, left_at);
}

static void join_inners(struct ztree *t, struct ztree_path *path, uint32_t level) {
    uint32_t left_at, above = level - 1;
    struct ztree_inner *parent = path->inner[above];
    if (!pick_pair(parent, path->at[above], path->inner[level]->count, INNER_MAX * 3 / 4,
                   inner_count, &left_at))
        return;
    struct ztree_inner *left = children_of(parent)[left_at];
    struct ztree_inner *right = children_of(parent)[left_at + 1];
    if (left->count + right->count > left->capacity) {
        struct ztree_inner *larger = inner_new(t, (uint32_t)left->count + right->count);
        move_children(larger, 0, left, 0, left->count);
        larger->count = left->count;
        inner_free(t, left);
        children_of(parent)[left_at] = left = larger;
    }
    separators_of(right)[0] = separators_of(parent)[left_at + 1];
    scores_of(right)[0] = scores_of(parent)[left_at + 1];
    move_children(left, left->count, right, 0, right->count);
    left->count = (uint16_t)(left->count + right->count);
    inner_free(t, right);
    drop_right(t, path, above, left_at);
}

static void drop_root_levels(struct ztree *t) {
    while (t->height > 0 && ((struct ztree_inner *)t->root)->count == 1) {
        struct ztree_inner *n = t->root;
        t->root = children_of(n)[0];
        t->height--;
        inner_free(t, n);
    }
}

/* The path's child at that level is freed already; its elements are uncounted, or counted for another child. */
static void drop_child(struct ztree *t, struct ztree_path *path, uint32_t level) {
    struct ztree_inner *n = path->inner[level];
    uint32_t at = path->at[level];
    n->count--;
    move_children(n, at, n, at + 1, n->count - at);
    if (n->count == 0) {
        inner_free(t, n);
        if (level > 0) {
            drop_child(t, path, level - 1);
        } else {
            t->root = NULL;
            t->height = 0;
        }
        return;
    }
    if (at == 0) path_set_separator(path, level, separators_of(n)[0]);
    if (level == 0) {
        drop_root_levels(t);
    } else if (n->count < INNER_MAX / 4) {
        join_inners(t, path, level);
    }
}

/* ---- changing */

void ztree_init(struct ztree *t) {
    *t = (struct ztree){0};
}

void ztree_insert(struct ztree *t, struct zelement *e) {
    struct ztree_bound bound = bound_at(e);
    struct ztree_path path;
    if (!t->root) t->root = leaf_new(t, 1);
    for (;;) {
        path_find(t, &bound, &path);
        path.index = leaf_find(path.leaf, &bound);
        if (path.leaf->count < LEAF_MAX) break;
        split_leaf(t, &path);
    }
    struct ztree_leaf *leaf = path.leaf;
    if (leaf->count == leaf->capacity) {
        leaf = leaf_resize(t, leaf, leaf->count + 1u);
        path_replace(t, &path, path.height, leaf);
    }
    uint64_t *slot = leaf->slots + path.index;
    memmove(slot + 1, slot, (leaf->count - path.index) * sizeof *slot);
    *slot = digest_of(leaf, e->score) | (uint64_t)(uintptr_t)e;
    leaf->count++;
    if (leaf->count >= 2 * leaf->rebuilt) leaf_rebuild(leaf);
    path_count(&path, 1);
    t->count++;
}

/* Takes `count` elements from the path's on out of its leaf. The path is void afterwards. */
static void remove_at(struct ztree *t, struct ztree_path *path, uint32_t count) {
    struct ztree_leaf *leaf = path->leaf;
    uint64_t *slot = leaf->slots + path->index;
    leaf->count = (uint16_t)(leaf->count - count);
    memmove(slot, slot + count, (leaf->count - path->index) * sizeof *slot);
    path_count(path, -(int64_t)count);
    t->count -= count;
    if (leaf->count == 0) {
        leaf_free(t, leaf);
        if (path->height > 0) {
            drop_child(t, path, path->height - 1);
        } else {
            t->root = NULL;
        }
        return;
    }
    if (path->index == 0) path_set_separator(path, path->height, slot_element(leaf->slots[0]));
    if (leaf_capacity(leaf->count) + 2 * LEAF_STEP <= leaf->capacity)
        path_replace(t, path, path->height, leaf_resize(t, leaf, leaf->count));
    if (path->height > 0 && path->leaf->count < LEAF_MAX / 4) join_leaves(t, path);
}

void ztree_remove(struct ztree *t, const struct zelement *e) {
    struct ztree_path path;
    path_find_element(t, e, &path);
    remove_at(t, &path, 1);
}

/* Would the path's element with that score stand where it is, with its separators as they are? */
static bool may_stay(const struct ztree_path *path, const struct zelement *e, double score) {
    const struct ztree_leaf *leaf = path->leaf;
    struct ztree_bound bound = {ZTREE_ELEMENT, score, zelement_member(e)};
    if (path->index > 0) {
        const struct zelement *left = slot_element(leaf->slots[path->index - 1]);
        if (!is_before(&bound, left->score, left)) return false;
    } else if (!path_is_first(path)) {
        return false;
    }
    if (path->index + 1u == leaf->count) return path_is_last(path);
    const struct zelement *right = slot_element(leaf->slots[path->index + 1]);
    return !is_before(&bound, right->score, right);
}

void ztree_set_score(struct ztree *t, struct zelement *e, double score) {
    struct ztree_path path;
    path_find_element(t, e, &path);
    if (may_stay(&path, e, score)) {
        e->score = score;
        path.leaf->slots[path.index] = digest_of(path.leaf, score) | (uint64_t)(uintptr_t)e;
        return;
    }
    remove_at(t, &path, 1);
    e->score = score;
    ztree_insert(t, e);
}

uint32_t ztree_take_run(struct ztree *t, uint64_t rank, uint32_t max,
                        struct zelement *run[ZTREE_RUN_MAX]) {
    struct ztree_path path;
    uint32_t count;
    if (!ztree_seek(t, rank, &path)) return 0;
    count = MIN(max, path.leaf->count - path.index);
    for (uint32_t i = 0; i < count; i++) run[i] = slot_element(path.leaf->slots[path.index + i]);
    remove_at(t, &path, count);
    return count;
}

/* ---- asking */

uint64_t ztree_rank(const struct ztree *t, const struct zelement *e) {
    struct ztree_path path;
    path_find_element(t, e, &path);
    return path_rank(&path);
}

uint64_t ztree_count_before(const struct ztree *t, const struct ztree_bound *bound) {
    struct ztree_path path;
    if (!t->root) return 0;
    path_find(t, bound, &path);
    path.index = leaf_find(path.leaf, bound);
    return path_rank(&path);
}
