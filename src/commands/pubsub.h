/* Publish and subscribe: channels, patterns and shard channels. */
#ifndef COMMANDS_PUBSUB_H
#define COMMANDS_PUBSUB_H

#include "commands/command.h"
#include "commands/host.h"

struct pubsub;
struct pubsub *pubsub_new(void);
void pubsub_free(struct pubsub *p); /* when all sessions are gone */

/* Delivers to channel and pattern subscribers; how many got it. */
uint64_t pubsub_publish(struct host *host, struct span channel, struct span payload);

struct pubsub_counts {
    uint64_t channels, patterns, shard_channels;
};
struct pubsub_counts pubsub_counts(const struct pubsub *p);

/* What the session listens to: channels, shard channels and patterns. */
void pubsub_each(const struct session *s, void (*visit)(struct span name, bool is_pattern, void *context), void *context);

extern const struct command commands_pubsub[];

#endif
