/* MULTI and EXEC: requests kept until they run as one. */
#ifndef COMMANDS_TRANSACTION_H
#define COMMANDS_TRANSACTION_H

#include "commands/dispatch.h"

/* For dispatch, while the session has SESSION_MULTI. True when the request was queued (or refused, with the error written)
 * instead of being run. */
bool transaction_queue(const struct host *host, struct dispatch_item *item);
/* A request was refused before it could be queued: EXEC will be, too. */
void transaction_spoil(struct session *s);
/* What the queued commands are: their flags (enum command_flag) or-ed. 0 outside of MULTI. */
uint32_t transaction_flags(const struct session *s);

bool transaction_is_exec(const struct command *c);
/* EXEC was refused: the transaction is over, and the answer says why. */
void transaction_abort(struct session *s, const char *why);

extern const struct command commands_transaction[];

#endif
