/* Replies of very many elements: LRANGE, SMEMBERS, HGETALL, ZRANGE, XRANGE of a large collection. As much is written as a turn may take,
 * the rest in later turns as the output drains, while others are served. The reply is still that of one moment: the collection is
 * pinned (db.h), and whoever is about to change it makes the rest be written first. The session executes nothing meanwhile, and what is
 * pushed to it waits behind the reply.
 *
 * In transactions and scripts, for silent clients, and when too many are under way, the whole is written at once. */
#ifndef COMMANDS_LONG_REPLY_H
#define COMMANDS_LONG_REPLY_H

#include "commands/command.h"

struct long_replies;

enum { LONG_REPLY_STEP = 64 }; /* elements, about: of one call of `write` */

struct long_reply_kind {
    size_t state_bytes;
    enum entry_type type;
    /* Writes the next elements, LONG_REPLY_STEP or fewer; true when that was all. */
    bool (*write)(void *state, struct reply *reply);
};

/* After the head: writes the elements. The state is copied where it must outlive the call: it may point into the object, but not into
 * itself. The object must not change by itself (a hash whose fields have deadlines does). */
void long_reply(struct call *call, const struct long_reply_kind *kind, void *state,
                const void *object);

/* The turn's: writes on, within a budget. */
void long_replies_continue(struct host *host);
bool long_replies_ready(const struct host *host); /* there is something to write: do not wait */

struct long_replies *long_replies_new(void);
void long_replies_free(struct long_replies *all); /* when all sessions are gone */

#endif
