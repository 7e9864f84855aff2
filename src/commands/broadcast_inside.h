/* Inside commands/broadcast*.c only. */
#ifndef COMMANDS_BROADCAST_INSIDE_H
#define COMMANDS_BROADCAST_INSIDE_H

#include "commands/broadcast.h"

struct broadcast_prefix {
    struct list members;
    struct list dirty_link;
    struct table changed;      /* keys by name */
    struct list changed_order; /* the same, by first change */
    size_t changed_bytes;      /* of memory; no less than they take in RESP */
    bool lost;                 /* which keys have changed is not known any more */
    uint32_t len;
    char name[];
};

struct broadcast_member {
    struct list of_prefix;
    struct broadcast_prefix *prefix;
    struct broadcast_listener *listener;
};

INLINE struct span broadcast_prefix_name(const struct broadcast_prefix *p) {
    return span_make(p->name, p->len);
}

/* The listener must not be at the prefix already. NULL without memory. */
struct broadcast_member *broadcast_try_enter(struct broadcast *b, struct span prefix, struct broadcast_listener *listener);
void broadcast_exit(struct broadcast *b, struct broadcast_member *m);

#endif
