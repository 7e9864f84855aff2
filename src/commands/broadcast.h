/* Prefixes that listeners want to hear of (CLIENT TRACKING BCAST), and the keys that have changed under each since the last telling.
 * It knows nothing of sessions. */
#ifndef COMMANDS_BROADCAST_H
#define COMMANDS_BROADCAST_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/list.h"
#include "commands/push.h"
#include "types/table.h"

enum { BROADCAST_WAITING_BYTES_MAX = 4 * 1024 * 1024 }; /* of changed keys; more is to be told at once */

struct broadcast {
    struct table prefixes;
    struct broadcast_length *lengths; /* of prefixes, ascending: a key is looked up once for each */
    uint32_t length_count;
    struct list dirty;    /* prefixes with changed keys */
    size_t waiting_bytes; /* of changed keys */
    struct buf keys, own_keys; /* reused for messages */
};

/* Who listens; embedded, zero-initialised, where the owner keeps what it knows of it. */
struct broadcast_listener {
    uint64_t except_id; /* changes of this one are not told; 0: all are */
    struct broadcast_member **members; /* its prefixes, ascending by bytes */
    uint32_t member_count;
};

void broadcast_init(struct broadcast *b);
void broadcast_release(struct broadcast *b); /* when all have left */

/* -- a listener's prefixes: broadcast_listener.c */
/* Prefixes, ascending by bytes and each once; those that it has already stay as they are. -ENOMEM: some are missing. */
ATTR_MUST_USE int broadcast_join(struct broadcast *b, struct broadcast_listener *listener, const struct span *prefixes,
                                 uint32_t prefix_count);
void broadcast_leave_all(struct broadcast *b, struct broadcast_listener *listener);
struct span broadcast_prefix(const struct broadcast_listener *listener, uint32_t i);
/* A prefix of the listener that `name` begins with, or that begins with it; data NULL: none. */
struct span broadcast_overlap(const struct broadcast_listener *listener, struct span name);
size_t broadcast_listener_bytes(const struct broadcast_listener *listener); /* memory; O(prefixes) */
int broadcast_compare(struct span a, struct span b); /* by bytes: below, equal to or above 0 */

/* The key is remembered for each prefix that it has. changer_id: whose change it is, 0: nobody's. */
void broadcast_changed(struct broadcast *b, struct span key, uint64_t changer_id);
/* Tells what has changed: `send` for each listener of each prefix, with a RESP array of keys, or without bytes when it is lost which
 * keys they were (no memory). The listener may have to be told of several prefixes, and of none when all changes were its own. */
void broadcast_tell(struct broadcast *b, void (*send)(struct broadcast_listener *listener, struct push_bytes *keys));
INLINE bool broadcast_pending(const struct broadcast *b) {
    return !list_empty(&b->dirty);
}
/* One key as such an array, in `out`; false without memory. */
bool broadcast_put_key(struct buf *out, struct span key);

#endif
