/* Waiting on keys: BLPOP, BLMOVE, BZPOPMIN, XREAD BLOCK and their like.
 *
 * A handler that finds nothing calls blocking_wait and returns without a reply. When one of its keys has changed, the same handler
 * is run again with the same arguments (CALL_REPEATED is set): it answers as at the first time, or calls blocking_wait again and
 * the session waits on, in its place. So a handler knows nothing of being repeated, errors included (a key of another
 * type, a group that is gone).
 *
 * Writers do nothing: while somebody waits, the keyspace's hook tells of every changed, moved, swapped or flushed key; while nobody
 * does there is no hook. Keys are served after the command that changed them (a whole transaction, a whole script), in the
 * order of their first change, and each key's sessions in the order in which they began to wait. What serving one changes (BLMOVE)
 * serves others before the next command.
 *
 * Within transactions, scripts and internal sessions nothing blocks: blocking_wait answers null at once. */
#ifndef COMMANDS_BLOCKING_H
#define COMMANDS_BLOCKING_H

#include "commands/command.h"

struct blocking;

struct blocking_options {
    uint32_t first, count, step; /* the keys among the arguments; step 0: 1 */
    int64_t due_ms;              /* as from blocking_timeout_*; 0: for ever */
    enum entry_type type;        /* what a key must hold for the handler to be run again */
    bool any_change; /* run it also when a key is gone or holds another type: XREADGROUP */
    bool null_bulk;  /* the null where blocking is not allowed: bulk string rather than array */
    const struct span
        *argv; /* what is repeated, as many as the call's; NULL: the call's. "$" becomes an id */
};
void blocking_wait(struct call *call, const struct blocking_options *options);

/* Argument `at` as a timeout in seconds, fractions allowed (BLPOP), or in whole milliseconds (XREAD BLOCK): true and *due_ms, or
 * false after the error was written. */
bool blocking_timeout_s(struct call *call, uint32_t at, int64_t *due_ms);
bool blocking_timeout_ms(struct call *call, uint32_t at, int64_t *due_ms);

/* Runs those that wait for keys that have changed. After each command while host->dispatch.keys_ready, and at the turn's end for what
 * changed without a command (expiry). */
void blocking_serve(struct host *host);

/* Somebody waiting on the key is to be tried although the keyspace did not change (a consumer group was destroyed). */
void blocking_ready(struct host *host, struct db *db, struct span key);

struct blocking *blocking_new(struct host *host); /* after host->keyspace is set */
void blocking_free(struct blocking *b);           /* when all sessions are gone */

struct blocking_counts {
    uint64_t keys,
        any_change_keys; /* INFO's total_blocking_keys and total_blocking_keys_on_nokey */
};
struct blocking_counts blocking_counts(const struct host *host);

#endif
