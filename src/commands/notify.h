/* Keyspace events: what happened to keys, published on __keyspace@N__:key and __keyevent@N__:event.
 * https://redis.io/docs/latest/develop/use/keyspace-notifications/ */
#ifndef COMMANDS_NOTIFY_H
#define COMMANDS_NOTIFY_H

#include "commands/host.h"

struct notifier;
struct notifier *notifier_new(struct host *host);
void notifier_free(struct notifier *n);
/* The class letters of notify-keyspace-events, already checked; "" turns it off: then the keyspace has no hook of this. */
void notifier_set(struct notifier *n, const char *classes);

#endif
