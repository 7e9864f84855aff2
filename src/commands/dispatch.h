/* Runs one request: every check that stands between a request and its handler, the handler, and the statistics after it. */
#ifndef COMMANDS_DISPATCH_H
#define COMMANDS_DISPATCH_H

#include "commands/command.h"
#include "commands/host.h"
#include "commands/registry.h"

/* A request of the turn's batch, looked up and hashed when it was parsed. */
struct dispatch_item {
    struct session *session;
    struct request request;
    struct command_entry *entry; /* NULL: unknown command */
    uint64_t key_hash;
};

/* Looks the command up and hashes its first key; prefetches the key's bucket in the session's database. Hot path. */
void dispatch_prepare(struct host *host, struct dispatch_item *item);
/* The second stage of prefetching: the entries. */
void dispatch_prefetch(struct dispatch_item *item);

/* Checks and executes. Does nothing when the session is closing. When the session is stopped by its own request (blocked) or by a
 * pause, returns false if the request was NOT executed and has to be kept. */
bool dispatch_run(struct host *host, struct dispatch_item *item);

/* The flags of one request: enum command_flag. The arity fits. */
INLINE uint32_t dispatch_flags(const struct host *host, const struct command *c, const struct request *request) {
    return UNLIKELY(c->flags_of != NULL) ? c->flags_of(host, c, request->argv, request->argc) : c->flags;
}

/* The time at which the last command ended, in clock_ticks: one reading a command serves as the next one's start. */
void dispatch_begin_batch(struct host *host);

/* For transactions and scripts: runs a command of the session without pause, access and pub/sub checks, with replies going
 * to call->reply. Counts statistics as a normal call. */
void dispatch_call(struct host *host, struct call *call, struct command_entry *entry);

#endif
