/* Server-assisted client-side caching: who holds copies of which keys, and the messages that tell them to drop these.
 * https://valkey.io/topics/client-side-caching/
 *
 * A session that tracks is told of a key once after each time it has read it; one in BCAST mode is told of all changes of keys with
 * its prefixes, once a turn. A database's number is no part of it: a key is a name. While nobody tracks, a command pays for one
 * comparison (the one that is there for MONITOR) and the keyspace has no hook of this. */
#ifndef COMMANDS_TRACKING_H
#define COMMANDS_TRACKING_H

#include "commands/command.h"
#include "commands/host.h"

struct broadcast_listener;
struct command_entry;
struct tracking;
struct tracking *tracking_new(struct host *host);
void tracking_free(struct tracking *t); /* when all sessions are gone */

enum tracking_option {
    TRACKING_BCAST = 1 << 0,
    TRACKING_OPTIN = 1 << 1,
    TRACKING_OPTOUT = 1 << 2,
    TRACKING_NOLOOP = 1 << 3,
};

/* What CLIENT TRACKING ON asks for. Prefixes go with BCAST only; none stands for the empty one. */
struct tracking_choice {
    uint32_t options;     /* enum tracking_option */
    uint64_t redirect_id; /* the session that gets the messages; 0: the session itself */
    const struct span *prefixes; /* ascending by bytes */
    uint32_t prefix_count;
};
/* For one that tracks already options and redirection are replaced, and prefixes added. -ENOMEM: some of the prefixes are missing. */
ATTR_MUST_USE int tracking_on(struct host *host, struct session *s, const struct tracking_choice *choice);
void tracking_off(struct session *s);

/* What a session has chosen; all zero when it does not track. */
struct tracking_state {
    uint32_t options;
    uint64_t redirect_id;
    const struct broadcast_listener *listener; /* its prefixes */
};
struct tracking_state tracking_state(const struct session *s);

/* Dispatch's: after a command was run, while sessions->tracking_count > 0; and at the end of a request of a session with
 * SESSION_TRACKING_CACHING. */
void tracking_called(struct host *host, const struct call *call);
void tracking_request_ended(struct session *s, const struct command_entry *entry);

/* Before output is sent: what changed in this turn goes to those in BCAST mode, and a table over tracking-table-max-keys comes down
 * by a bounded number of keys. Cheap when there is nothing to do. */
void tracking_turn(struct host *host);
bool tracking_pending(const struct host *host); /* there is more to do: do not wait in the next turn */

struct tracking_counts {
    uint64_t keys, readers, prefixes;
};
struct tracking_counts tracking_counts(const struct tracking *t);

/* -- client_tracking.c: the handlers of CLIENT TRACKING and its kin */
void client_tracking(struct call *call);
void client_caching(struct call *call);
void client_getredir(struct call *call);
void client_trackinginfo(struct call *call);

#endif
