/* The B+ tree of streams; its form stands in the header. A full node splits: behind its last pair only the new one goes to the new
 * node, so that ids in order leave full nodes behind; elsewhere half of it goes. A node that has become small joins a
 * neighbour below the same parent when both fit in three quarters of one. */
#include "types/stream_tree.h"

#include "base/alloc.h"
#include "base/check.h"

enum {
    NODE_MAX = 63,
    NODE_FIRST = 2,
    NODE_SMALL = NODE_MAX / 4,
    NODE_JOINED_MAX = NODE_MAX * 3 / 4
};

struct pair {
    struct stream_id id;
    void *value; /* in inner nodes: the child */
};

struct stream_tree_node {
    uint32_t count, capacity;
    struct pair at[];
};

static size_t node_bytes(uint32_t capacity) {
    return sizeof(struct stream_tree_node) + capacity * sizeof(struct pair);
}

static void count_bytes(struct stream_tree *t, size_t more) {
    *t->memory_bytes += more;
    t->node_bytes += more;
}

static struct stream_tree_node *node_new(struct stream_tree *t, uint32_t capacity) {
    struct stream_tree_node *n = mem_alloc(node_bytes(capacity));
    n->count = 0;
    n->capacity = capacity;
    count_bytes(t, mem_class_bytes(node_bytes(capacity)));
    t->node_count++;
    return n;
}

static void node_free(struct stream_tree *t, struct stream_tree_node *n) {
    count_bytes(t, -mem_class_bytes(node_bytes(n->capacity)));
    t->node_count--;
    mem_free_sized(n, node_bytes(n->capacity));
}

static struct stream_tree_node *node_resize(struct stream_tree *t, struct stream_tree_node *n,
                                            uint32_t capacity) {
    count_bytes(t,
                mem_class_bytes(node_bytes(capacity)) - mem_class_bytes(node_bytes(n->capacity)));
    n = mem_realloc(n, node_bytes(capacity));
    n->capacity = capacity;
    return n;
}

/* How many pairs have an id below `id`, or up to it. */
static uint32_t count_below(const struct stream_tree_node *n, struct stream_id id, bool and_equal) {
    uint32_t low = 0, high = n->count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        int order = stream_id_compare(n->at[middle].id, id);
        if (order < 0 || (order == 0 && and_equal)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* The path to the leaf that `id` belongs to. The place in the leaf is the caller's to set. */
static struct stream_tree_node *descend(const struct stream_tree *t, struct stream_id id,
                                        struct stream_tree_path *path) {
    struct stream_tree_node *n = t->root;
    path->height = t->height;
    for (uint32_t level = 0; level < t->height; level++) {
        uint32_t below = count_below(n, id, true);
        path->node[level] = n;
        path->at[level] = below ? below - 1 : 0;
        n = n->at[path->at[level]].value;
    }
    path->node[t->height] = n;
    return n;
}

/* ---- reading */

void stream_tree_init(struct stream_tree *t, size_t *memory_bytes) {
    *t = (struct stream_tree){.memory_bytes = memory_bytes};
}

void stream_tree_count_in(struct stream_tree *t, size_t *memory_bytes) {
    *t->memory_bytes -= t->node_bytes;
    *memory_bytes += t->node_bytes;
    t->memory_bytes = memory_bytes;
}

void *stream_tree_find(const struct stream_tree *t, struct stream_id id) {
    struct stream_tree_path path;
    if (!t->root) return NULL;
    const struct stream_tree_node *leaf = descend(t, id, &path);
    uint32_t at = count_below(leaf, id, false);
    return at < leaf->count && stream_id_equal(leaf->at[at].id, id) ? leaf->at[at].value : NULL;
}

bool stream_tree_seek(const struct stream_tree *t, struct stream_id id,
                      struct stream_tree_path *path) {
    if (!t->root) return false;
    const struct stream_tree_node *leaf = descend(t, id, path);
    uint32_t at = count_below(leaf, id, false);
    path->at[t->height] = at;
    if (at < leaf->count) return true;
    path->at[t->height] = at - 1;
    return stream_tree_next(path);
}

bool stream_tree_seek_back(const struct stream_tree *t, struct stream_id id,
                           struct stream_tree_path *path) {
    if (!t->root) return false;
    uint32_t up_to = count_below(descend(t, id, path), id, true);
    path->at[t->height] = up_to ? up_to - 1 : 0;
    return up_to ? true : stream_tree_previous(path);
}

/* From `level` down along the first or last children. */
static void go_down(struct stream_tree_path *path, uint32_t level, bool last) {
    for (; level < path->height; level++) {
        struct stream_tree_node *n = path->node[level]->at[path->at[level]].value;
        path->node[level + 1] = n;
        path->at[level + 1] = last ? n->count - 1 : 0;
    }
}

bool stream_tree_next(struct stream_tree_path *path) {
    uint32_t level = path->height;
    while (path->at[level] + 1 == path->node[level]->count) {
        if (level-- == 0) return false;
    }
    path->at[level]++;
    go_down(path, level, false);
    return true;
}

bool stream_tree_previous(struct stream_tree_path *path) {
    uint32_t level = path->height;
    while (path->at[level] == 0) {
        if (level-- == 0) return false;
    }
    path->at[level]--;
    go_down(path, level, true);
    return true;
}

static struct pair *pair_of(const struct stream_tree_path *path) {
    return &path->node[path->height]->at[path->at[path->height]];
}

struct stream_id stream_tree_id(const struct stream_tree_path *path) {
    return pair_of(path)->id;
}

void *stream_tree_value(const struct stream_tree_path *path) {
    return pair_of(path)->value;
}

void stream_tree_set_value(const struct stream_tree_path *path, void *value) {
    pair_of(path)->value = value;
}

/* ---- inserting */

/* The node at `level` has moved to `n`. */
static void set_node(struct stream_tree *t, struct stream_tree_path *path, uint32_t level,
                     struct stream_tree_node *n) {
    path->node[level] = n;
    if (level == 0) {
        t->root = n;
    } else {
        path->node[level - 1]->at[path->at[level - 1]].value = n;
    }
}

static void put_pair(struct stream_tree_node *n, uint32_t at, struct pair pair) {
    memmove(&n->at[at + 1], &n->at[at], (n->count - at) * sizeof pair);
    n->at[at] = pair;
    n->count++;
}

/* A root above the root, whose only child is the old one. */
static void raise_root(struct stream_tree *t, struct stream_tree_path *path) {
    struct stream_tree_node *root = node_new(t, NODE_FIRST);
    CHECK(t->height + 2 <= STREAM_TREE_LEVELS_MAX);
    root->at[0] = (struct pair){t->root->at[0].id, t->root};
    root->count = 1;
    memmove(path->node + 1, path->node, (path->height + 1) * sizeof path->node[0]);
    memmove(path->at + 1, path->at, (path->height + 1) * sizeof path->at[0]);
    path->node[0] = root;
    path->at[0] = 0;
    path->height = ++t->height;
    t->root = root;
}

static void insert_at(struct stream_tree *t, struct stream_tree_path *path, uint32_t level,
                      uint32_t at, struct pair pair);

/* The full node at `level` gives its upper part, or only the new pair, to a node behind it. */
static void split_and_insert(struct stream_tree *t, struct stream_tree_path *path, uint32_t level,
                             uint32_t at, struct pair pair) {
    struct stream_tree_node *n = path->node[level];
    uint32_t stays = at == n->count ? n->count : n->count / 2;
    struct stream_tree_node *upper = node_new(t, stays == n->count ? NODE_FIRST : NODE_MAX);
    memcpy(upper->at, &n->at[stays], (n->count - stays) * sizeof pair);
    upper->count = n->count - stays;
    n->count = stays;
    if (at < stays || (at == stays && upper->count > 0)) {
        put_pair(n, at, pair);
    } else {
        put_pair(upper, at - stays, pair);
    }
    if (level == 0) {
        raise_root(t, path);
        level = 1;
    }
    insert_at(t, path, level - 1, path->at[level - 1] + 1, (struct pair){upper->at[0].id, upper});
}

static void insert_at(struct stream_tree *t, struct stream_tree_path *path, uint32_t level,
                      uint32_t at, struct pair pair) {
    struct stream_tree_node *n = path->node[level];
    if (n->count == NODE_MAX) {
        split_and_insert(t, path, level, at, pair);
        return;
    }
    if (n->count == n->capacity) {
        n = node_resize(t, n, MIN(n->capacity * 2, (uint32_t)NODE_MAX));
        set_node(t, path, level, n);
    }
    put_pair(n, at, pair);
}

void *stream_tree_insert(struct stream_tree *t, struct stream_id id, void *value) {
    struct stream_tree_path path;
    if (!t->root) t->root = node_new(t, NODE_FIRST);
    const struct stream_tree_node *leaf = descend(t, id, &path);
    uint32_t at = count_below(leaf, id, false);
    if (at < leaf->count && stream_id_equal(leaf->at[at].id, id)) return leaf->at[at].value;
    insert_at(t, &path, t->height, at, (struct pair){id, value});
    t->count++;
    return NULL;
}

/* ---- removing */

static void drop_at(struct stream_tree *t, struct stream_tree_path *path, uint32_t level);

/* The child at `left` and the next one in the node at `level` become one, when they are small enough together. */
static bool join_children(struct stream_tree *t, struct stream_tree_path *path, uint32_t level,
                          uint32_t left) {
    struct stream_tree_node *n = path->node[level];
    if (left + 1 >= n->count) return false;
    struct stream_tree_node *a = n->at[left].value, *b = n->at[left + 1].value;
    uint32_t count = a->count + b->count;
    if (count > NODE_JOINED_MAX) return false;
    if (count > a->capacity) a = node_resize(t, a, count);
    memcpy(&a->at[a->count], b->at, b->count * sizeof b->at[0]);
    a->at[a->count].id = n->at[left + 1].id; /* its own is no bound when it was the first */
    if (level + 1 == t->height) a->at[a->count].id = b->at[0].id;
    a->count = count;
    n->at[left].value = a;
    node_free(t, b);
    path->at[level] = left + 1;
    drop_at(t, path, level);
    return true;
}

static void join_if_small(struct stream_tree *t, struct stream_tree_path *path, uint32_t level) {
    struct stream_tree_node *n = path->node[level];
    uint32_t at;
    if (n->count > NODE_SMALL) return;
    if (n->capacity > NODE_FIRST * 2 && n->count <= n->capacity / 4) {
        n = node_resize(t, n, n->capacity / 2);
        set_node(t, path, level, n);
    }
    if (level == 0) return;
    at = path->at[level - 1];
    if (!join_children(t, path, level - 1, at) && at > 0) join_children(t, path, level - 1, at - 1);
}

/* Takes the pair at the path's place out of the node at `level`. */
static void drop_at(struct stream_tree *t, struct stream_tree_path *path, uint32_t level) {
    struct stream_tree_node *n = path->node[level];
    uint32_t at = path->at[level];
    n->count--;
    memmove(&n->at[at], &n->at[at + 1], (n->count - at) * sizeof n->at[0]);
    if (n->count > 0) {
        join_if_small(t, path, level);
        return;
    }
    node_free(t, n);
    if (level == 0) {
        t->root = NULL;
        t->height = 0;
    } else {
        drop_at(t, path, level - 1);
    }
}

void stream_tree_remove_at(struct stream_tree *t, struct stream_tree_path *path) {
    drop_at(t, path, path->height);
    t->count--;
    while (t->height > 0 && t->root->count == 1) {
        struct stream_tree_node *root = t->root;
        t->root = root->at[0].value;
        t->height--;
        node_free(t, root);
    }
}

void *stream_tree_remove(struct stream_tree *t, struct stream_id id) {
    struct stream_tree_path path;
    if (!t->root) return NULL;
    const struct stream_tree_node *leaf = descend(t, id, &path);
    uint32_t at = count_below(leaf, id, false);
    if (at == leaf->count || !stream_id_equal(leaf->at[at].id, id)) return NULL;
    void *value = leaf->at[at].value;
    path.at[path.height] = at;
    stream_tree_remove_at(t, &path);
    return value;
}

uint32_t stream_tree_release_step(struct stream_tree *t, void (*value_free)(void *value)) {
    struct stream_tree_node *above[STREAM_TREE_LEVELS_MAX], *n = t->root;
    uint32_t level = 0, freed;
    if (!n) return 0;
    for (; level < t->height; level++) {
        above[level] = n;
        n = n->at[n->count - 1].value;
    }
    freed = n->count;
    for (uint32_t i = 0; value_free && i < freed; i++) value_free(n->at[i].value);
    t->count -= freed;
    node_free(t, n);
    while (level > 0 && --above[level - 1]->count == 0) node_free(t, above[--level]);
    if (level == 0) {
        t->root = NULL;
        t->height = 0;
    }
    return freed;
}

void stream_tree_release(struct stream_tree *t, void (*value_free)(void *value)) {
    while (stream_tree_release_step(t, value_free) > 0) {}
}

/* ---- checks */

struct check {
    const struct stream_tree *tree;
    uint64_t count;
    uint32_t node_count;
    size_t bytes;
};

static void check_node(struct check *c, const struct stream_tree_node *n, uint32_t level,
                       struct stream_id low, struct stream_id high) {
    CHECK(n->count > 0 && n->count <= n->capacity && n->capacity <= NODE_MAX);
    c->node_count++;
    c->bytes += mem_class_bytes(node_bytes(n->capacity));
    for (uint32_t i = 0; i < n->count; i++) {
        bool inner = level < c->tree->height;
        struct stream_id id = inner && i == 0 ? low : n->at[i].id;
        struct stream_id next = i + 1 < n->count ? n->at[i + 1].id : high;
        CHECK(!stream_id_less(id, low) && stream_id_compare(id, high) <= 0);
        if (i > 0 && (i > 1 || !inner)) CHECK(stream_id_less(n->at[i - 1].id, id));
        if (inner) {
            check_node(c, n->at[i].value, level + 1, id, next);
        } else {
            c->count++;
        }
    }
}

void stream_tree_check(const struct stream_tree *t) {
    struct check c = {.tree = t};
    if (t->root) check_node(&c, t->root, 0, STREAM_ID_ZERO, STREAM_ID_MAX);
    CHECK(c.count == t->count);
    CHECK(c.node_count == t->node_count && c.bytes == t->node_bytes);
    CHECK(t->root || t->height == 0);
}
