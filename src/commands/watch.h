/* WATCH: which sessions want to know that a key has changed before their EXEC. While nobody watches, the keyspace has no hook of
 * this and a write costs nothing more. */
#ifndef COMMANDS_WATCH_H
#define COMMANDS_WATCH_H

#include "base/list.h"
#include "commands/host.h"

struct watch_registry;

/* One session's watches; zero-initialise `keys` with list_init. */
struct watcher {
    struct session *session;
    struct list keys;
    uint32_t count;
};

struct watch_registry *watch_new(struct keyspace *keyspace);
void watch_free(struct watch_registry *r); /* when no watcher is left */

/* A change sets SESSION_DIRTY_WATCH on the watcher's session. Watching a key twice is once. */
void watch_add(struct watch_registry *r, struct watcher *w, struct db *db, struct span key, uint64_t hash);
void watch_clear(struct watch_registry *r, struct watcher *w);
/* Looks at each watched key, so that those whose time is over count as changed. */
void watch_expire(struct watcher *w);

uint32_t watch_key_count(const struct watch_registry *r); /* INFO's total_watched_keys */

#endif
