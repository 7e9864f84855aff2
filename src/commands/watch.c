/* Watched keys in a table by name; each holds its watches, one per session and database.
 *
 *   registry.table -> watched_key "k" -> watch (session 7, db 0) -> watch (session 9, db 3)
 *                                            |                          |
 *   watcher of 7:  ------------------------- keys                       keys of the watcher of 9
 *
 * A watch remembers whether the key existed: while it stands unchanged that stays true, and it decides whether emptying or swapping
 * the database is a change to it. */
#include "commands/watch.h"

#include "base/alloc.h"
#include "base/hash.h"

struct watched_key {
    struct list watches;
    uint32_t len;
    char key[];
};

struct watch {
    struct list of_key, of_watcher;
    struct watched_key *key;
    struct watcher *watcher;
    struct db *db;
    bool existed;
};

struct watch_registry {
    struct db_hook hook;
    struct table table;
    struct keyspace *keyspace;
    bool hooked;
};

INLINE struct span key_of(const struct watched_key *k) {
    return span_make(k->key, k->len);
}

static uint64_t key_hash(const void *element) {
    struct span key = key_of(element);
    return hash_bytes(key.data, key.len);
}

static bool has_key(const void *element, struct span key) {
    return span_eq(key_of(element), key);
}

static const struct table_type key_type = {.hash = key_hash, .has_key = has_key};

/* ---- changes */

static void touch(struct watch *w) {
    w->watcher->session->flags |= SESSION_DIRTY_WATCH;
}

static struct watched_key *find(const struct watch_registry *r, struct span key) {
    table_slot *slot = table_find(&r->table, hash_bytes(key.data, key.len), key);
    return slot ? table_element(slot) : NULL;
}

static void on_changed(struct db_hook *hook, struct db *db, struct span key) {
    struct watch_registry *r = CONTAINER_OF(hook, struct watch_registry, hook);
    struct watched_key *k = find(r, key);
    if (!k) return;
    LIST_FOR_EACH(it, &k->watches) {
        struct watch *w = LIST_ENTRY(it, struct watch, of_key);
        if (w->db == db) touch(w);
    }
}

struct emptied {
    struct db *a, *b; /* both NULL: all databases */
    bool swapped;
};

static void visit_emptied(void *element, void *context) {
    const struct emptied *emptied = context;
    struct watched_key *k = element;
    LIST_FOR_EACH(it, &k->watches) {
        struct watch *w = LIST_ENTRY(it, struct watch, of_key);
        if (emptied->a && w->db != emptied->a && w->db != emptied->b) continue;
        struct span key = key_of(k);
        bool exists = emptied->swapped && db_exists(w->db, key, hash_bytes(key.data, key.len));
        if (w->existed || exists) touch(w);
    }
}

static void visit_all(struct watch_registry *r, struct emptied emptied) {
    uint64_t cursor = 0;
    do cursor = table_scan(&r->table, cursor, visit_emptied, &emptied);
    while (cursor);
}

static void on_flushed(struct db_hook *hook, struct db *db) {
    visit_all(CONTAINER_OF(hook, struct watch_registry, hook), (struct emptied){.a = db, .b = db});
}

static void on_swapped(struct db_hook *hook, struct db *a, struct db *b) {
    visit_all(CONTAINER_OF(hook, struct watch_registry, hook), (struct emptied){a, b, true});
}

/* ---- the registry */

struct watch_registry *watch_new(struct keyspace *keyspace) {
    struct watch_registry *r = mem_zalloc(sizeof *r);
    r->keyspace = keyspace;
    r->hook = (struct db_hook){.changed = on_changed, .flushed = on_flushed, .swapped = on_swapped};
    table_init(&r->table, &key_type);
    return r;
}

void watch_free(struct watch_registry *r) {
    if (r->hooked) keyspace_unhook(r->keyspace, &r->hook);
    table_release(&r->table, NULL, NULL);
    mem_free(r);
}

uint32_t watch_key_count(const struct watch_registry *r) {
    return (uint32_t)r->table.count;
}

static void set_hook(struct watch_registry *r) {
    bool wanted = r->table.count > 0;
    if (wanted == r->hooked) return;
    r->hooked = wanted;
    if (wanted) {
        keyspace_hook(r->keyspace, &r->hook);
    } else {
        keyspace_unhook(r->keyspace, &r->hook);
    }
}

static struct watched_key *find_or_add(struct watch_registry *r, struct span key, uint64_t hash) {
    struct watched_key *k = find(r, key);
    if (k) return k;
    k = mem_alloc(sizeof *k + key.len);
    list_init(&k->watches);
    k->len = (uint32_t)key.len;
    if (key.len) memcpy(k->key, key.data, key.len);
    table_insert(&r->table, hash, k);
    return k;
}

void watch_add(struct watch_registry *r, struct watcher *watcher, struct db *db, struct span key,
               uint64_t hash) {
    bool existed = db_exists(db, key, hash);
    struct watched_key *k = find_or_add(r, key, hash);
    LIST_FOR_EACH(it, &k->watches) {
        struct watch *w = LIST_ENTRY(it, struct watch, of_key);
        if (w->watcher == watcher && w->db == db) return;
    }
    struct watch *w = mem_alloc(sizeof *w);
    *w = (struct watch){.key = k, .watcher = watcher, .db = db, .existed = existed};
    list_push_back(&k->watches, &w->of_key);
    list_push_back(&watcher->keys, &w->of_watcher);
    watcher->count++;
    set_hook(r);
}

static void forget(struct watch_registry *r, struct watch *w) {
    struct watched_key *k = w->key;
    list_remove(&w->of_key);
    list_remove(&w->of_watcher);
    mem_free(w);
    if (!list_empty(&k->watches)) return;
    uint64_t hash = key_hash(k);
    table_remove(&r->table, table_find(&r->table, hash, key_of(k)), hash);
    mem_free(k);
}

void watch_clear(struct watch_registry *r, struct watcher *watcher) {
    while (!list_empty(&watcher->keys)) {
        forget(r, LIST_ENTRY(watcher->keys.next, struct watch, of_watcher));
    }
    watcher->count = 0;
    set_hook(r);
}

void watch_expire(struct watcher *watcher) {
    LIST_FOR_EACH(it, &watcher->keys) {
        struct watch *w = LIST_ENTRY(it, struct watch, of_watcher);
        db_exists(w->db, key_of(w->key), key_hash(w->key));
    }
}
