/* Consumer groups of a stream. A group knows how far it has read, and which entries were delivered and not acknowledged: pending
 * ones, in a tree of the group's and in one of the consumer they were delivered to.
 *
 *   group --> pending by id   -----------> pending: consumer, when, how often
 *         --> consumers by name --> pending by id --^
 */
#ifndef TYPES_STREAM_GROUP_H
#define TYPES_STREAM_GROUP_H

#include "types/stream.h"

struct stream_consumer {
    struct span name;
    int64_t seen_ms;   /* Unix time of its last attempt */
    int64_t active_ms; /* of its last delivery or claim; -1: none */
    struct stream_tree pending;
    char text[];
};

struct stream_pending {
    struct stream_consumer *consumer;
    int64_t delivery_ms; /* Unix time */
    int64_t delivery_count;
};

#define STREAM_ENTRIES_READ_UNKNOWN ((int64_t)-1)

struct stream_group {
    struct span name;
    struct stream_id last_id; /* delivered */
    int64_t entries_read;     /* or STREAM_ENTRIES_READ_UNKNOWN */
    struct stream_tree pending;
    struct stream_names consumers;
    char text[];
};

INLINE struct stream_group *stream_group_at(const struct stream *s, uint32_t index) {
    return s->groups.at[index];
}
struct stream_group *stream_group_find(const struct stream *s, struct span name);
/* NULL without memory. The name must be new. */
struct stream_group *stream_group_try_add(struct stream *s, struct span name, struct stream_id last_id,
                                          int64_t entries_read);
/* Takes the group out and hands it over in a stream of its own, to be freed: O(consumers). */
ATTR_MUST_USE struct stream *stream_group_cut(struct stream *s, struct stream_group *g);
void stream_groups_free(struct stream *s);
bool stream_groups_try_copy(struct stream *to, const struct stream *from);
uint64_t stream_groups_free_effort(const struct stream *s);
/* Frees a part of the last group: how much that was, 0 when there is none. */
uint32_t stream_groups_free_step(struct stream *s);

INLINE struct stream_consumer *stream_consumer_at(const struct stream_group *g, uint32_t index) {
    return g->consumers.at[index];
}
struct stream_consumer *stream_consumer_find(const struct stream_group *g, struct span name);
struct stream_consumer *stream_consumer_try_add(struct stream *s, struct stream_group *g,
                                                struct span name, int64_t now_ms);
/* What was pending for it is forgotten. When nothing is pending for others, it is handed over in a stream of its own, to be freed;
 * else that is NULL. */
ATTR_MUST_USE struct stream *stream_consumer_remove(struct stream *s, struct stream_group *g,
                                                    struct stream_consumer *c);

/* -- pending entries */
/* Pending for `c` from now on, whether or not it was for another; delivered once. */
void stream_deliver(struct stream_group *g, struct stream_consumer *c, struct stream_id id,
                    int64_t now_ms);
/* A pending entry of `id` with no consumer yet: stream_pending_assign is to follow. */
struct stream_pending *stream_pending_add(struct stream_group *g, struct stream_id id, int64_t now_ms);
void stream_pending_assign(struct stream_pending *p, struct stream_id id, struct stream_consumer *c);
bool stream_pending_remove(struct stream_group *g, struct stream_id id); /* false: it was not pending */

/* -- how far a group has read */
/* Entries that were ever added up to `id`, or STREAM_ENTRIES_READ_UNKNOWN. */
int64_t stream_entries_up_to(const struct stream *s, struct stream_id id);
/* Entries that are yet to be delivered; false when that cannot be known. */
bool stream_group_lag(const struct stream *s, const struct stream_group *g, int64_t *lag);
/* An entry above last_id is being delivered. */
void stream_group_advance(const struct stream *s, struct stream_group *g, struct stream_id id);

void stream_groups_check(const struct stream *s);

#endif
