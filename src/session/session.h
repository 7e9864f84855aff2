/* One client: its connection, what it has sent and not yet had executed, its output, its selected database and its choices.
 * Sessions are made on ACCEPTED and end on CLOSED; in between `session_close` asks for the end.
 *
 *   bytes -> reader -> request -> (batch) -> command -> output chunks -> one send in flight
 *
 * A session that is stopped (blocked, paused, over its limit, closing after its reply) executes nothing: requests that were already
 * parsed are kept, later bytes wait unparsed, and reading pauses when those exceed a bound. */
#ifndef SESSION_SESSION_H
#define SESSION_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "acl/user.h"
#include "base/buf.h"
#include "base/chunk.h"
#include "base/list.h"
#include "base/span.h"
#include "db/db.h"
#include "net/net.h"
#include "net/timers.h"
#include "resp/reader.h"
#include "resp/reply.h"
#include "types/table.h"

struct sessions;
struct session;

/* Why a session does not execute: bits, 0 is running. */
enum session_stop {
    SESSION_STOP_BLOCKED = 1,  /* in a blocking command */
    SESSION_STOP_PAUSED = 2,   /* CLIENT PAUSE holds its next request */
    SESSION_STOP_OUTPUT = 4,   /* its output must drain before more is executed */
    SESSION_STOP_CLOSING = 8,  /* close after the reply, or closed */
    SESSION_STOP_SCRIPT = 16,  /* its script has been running for too long, and others are served meanwhile */
    SESSION_STOP_REPLY = 32,   /* its reply is being written part by part; see commands/long_reply.h */
};

enum session_flag {
    SESSION_MONITOR = 1 << 0,
    SESSION_CLOSE_AFTER_REPLY = 1 << 1,
    SESSION_REPLY_OFF = 1 << 2,        /* CLIENT REPLY OFF */
    SESSION_REPLY_SKIP_NEXT = 1 << 3,  /* CLIENT REPLY SKIP was this request: the next is silent */
    SESSION_REPLY_SKIP = 1 << 4,       /* this request is silent */
    SESSION_NO_EVICT = 1 << 5,
    SESSION_NO_TOUCH = 1 << 6,
    SESSION_AUTHENTICATED = 1 << 7,
    SESSION_PUBSUB = 1 << 8,           /* RESP2 subscriber: only a few commands are allowed */
    SESSION_MULTI = 1 << 9,
    SESSION_DIRTY_EXEC = 1 << 10,
    SESSION_DIRTY_WATCH = 1 << 11,
    SESSION_TRACKING = 1 << 12,
    SESSION_UNIX = 1 << 13,
    SESSION_INTERNAL = 1 << 14,        /* no connection: scripts and tests */
    SESSION_CAPA_REDIRECT = 1 << 15,   /* CLIENT CAPA: it can follow redirections */
    SESSION_TRACKING_BCAST = 1 << 16,
    SESSION_TRACKING_BROKEN = 1 << 17,  /* the session that its invalidations are redirected to has gone */
    SESSION_TRACKING_CACHING = 1 << 18, /* CLIENT CACHING was said for the next command */
    SESSION_RESTRICTED = 1 << 20,      /* its requests are to be checked: it must authenticate, or its user may not do everything */
};

enum session_class { SESSION_CLASS_NORMAL, SESSION_CLASS_REPLICA, SESSION_CLASS_PUBSUB, SESSION_CLASS_COUNT };

enum session_unblock_reason {
    SESSION_UNBLOCK_SERVED,  /* what it waited for came; the reply was written */
    SESSION_UNBLOCK_TIMEOUT, /* its time is over, or CLIENT UNBLOCK TIMEOUT: the timeout reply is due */
    SESSION_UNBLOCK_ERROR,   /* CLIENT UNBLOCK ERROR: "UNBLOCKED client unblocked via CLIENT UNBLOCK" is due */
    SESSION_UNBLOCK_CLOSED,  /* the connection is gone: no reply */
};

/* Slots for the features that keep state with a session. */
enum session_extension_kind {
    SESSION_EXTENSION_PUBSUB,
    SESSION_EXTENSION_TRANSACTION,
    SESSION_EXTENSION_TRACKING,
    SESSION_EXTENSION_SCRIPT,
    SESSION_EXTENSION_ACL,
    SESSION_EXTENSION_LONG_REPLY,
    SESSION_EXTENSION_COUNT,
};

enum {
    SESSION_BACKLOG_BYTES_MAX = 1024 * 1024, /* unparsed bytes of a stopped session above which reading pauses */
    SESSION_RECEIVE_INTO_BYTES_MIN = 16 * 1024, /* still missing of a value, to have it received in place */
    SESSION_LAST_REPLY_MS = 60 * 1000,       /* a closing session's peer has this long for each send of its last replies */
    SESSION_SEND_BYTES_MAX = 4 * 1024 * 1024, /* of one send */
};

/* A parsed request that could not be executed yet, in one allocation with its arguments. */
struct kept_request;

struct session {
    struct sessions *all;
    struct net_conn *conn;       /* NULL once CLOSED, and for internal sessions */
    struct db *db;
    uint32_t flags;              /* enum session_flag */
    uint8_t stop;                /* enum session_stop */
    bool output_queued;          /* in sessions' list of those to send for */
    bool resume_queued;
    bool reading_paused;         /* its backlog is over the bound */
    bool receiving_into;         /* net was asked to receive straight into the reader's blob */
    struct reply reply;          /* what handlers write to */
    struct chunk_list output;
    struct chunk_chain sending;  /* in flight */
    size_t usual_bytes;          /* of its last send: the next replies begin with a chunk that fits them */
    struct chunk_list *deferred; /* pushed to it while its own command runs; NULL: nothing. See commands/push.h */
    struct reader reader;
    struct list link;            /* all sessions, by age */
    struct list output_link, resume_link;

    uint64_t id;
    char *name, *lib_name, *lib_version; /* heap, NULL when not set */
    struct acl_user *user;               /* borrowed; NULL: default. Changed by commands/acl_check.h only */
    const char *last_command;            /* full name of the last one executed ("config|get"), static; NULL: none */

    struct kept_request *kept_head, *kept_tail;
    size_t kept_bytes;
    struct buf backlog;          /* raw bytes that came while stopped */

    int64_t created_ms, active_ms; /* monotonic; active: bytes came or were taken */
    int64_t soft_limit_since_ms;   /* 0: below the soft output limit */
    uint64_t request_count, in_bytes, out_bytes;

    void (*unblock)(struct session *s, enum session_unblock_reason reason); /* not NULL: blocked; see session_block */
    void *blocked_on;                               /* the blocking command's state */
    struct timer timer;                             /* its timeout */
    uint32_t turn_request_count;                    /* executed in the turn `turn_number`: the fairness bound */
    uint32_t turn_number;
    struct session_extension *extension[SESSION_EXTENSION_COUNT];
};

/* What other features keep for a session; made by them, released with it. */
struct session_counts {
    uint32_t channels, patterns, shard_channels, watched;
    int queued;           /* commands in MULTI; -1 outside */
    size_t queued_bytes;
    int64_t redirect;     /* of tracking; -1 none */
};
struct session_extension {
    void (*release)(struct session_extension *extension, struct session *s);
    void (*count)(const struct session_extension *extension, struct session_counts *counts); /* may be NULL */
    size_t (*memory_bytes)(const struct session_extension *extension);                       /* may be NULL */
};
struct session_counts session_counts(const struct session *s);

/* -- output. Handlers write to s->reply; these are for those who push to others' sessions. */
void session_queue_output(struct session *s);  /* after writing outside of a request of its own */
size_t session_output_bytes(const struct session *s); /* waiting and in flight */
size_t session_output_memory(const struct session *s);
size_t session_memory_bytes(const struct session *s); /* everything, CLIENT LIST's tot-mem */
enum session_class session_class_of(const struct session *s);

/* -- ending */
void session_close(struct session *s);             /* now: what was not sent is lost */
void session_close_after_reply(struct session *s); /* when the output has been sent; nothing more is executed */

/* -- stopping and going on */
void session_stop(struct session *s, enum session_stop why);
void session_go(struct session *s, enum session_stop why); /* clears the bit; when none is left, its kept requests run next turn */

/* Blocks the session in its running command. `unblock` is called once, by session_unblock, writes the reply that the reason asks
 * for and cleans up. due_ms: monotonic, 0 for ever. */
void session_block(struct session *s, int64_t due_ms, void *blocked_on,
                   void (*unblock)(struct session *s, enum session_unblock_reason reason));
void session_unblock(struct session *s, enum session_unblock_reason reason); /* nothing when it is not blocked */
INLINE bool session_has_waiting(const struct session *s) { /* kept requests or unparsed bytes: nothing may overtake them */
    return s->kept_head || s->backlog.len > 0;
}
void session_queue_resume(struct session *s);

/* -- names, as CLIENT LIST and the log show them */
size_t session_peer_name(const struct session *s, char *out, size_t size);
void session_describe(const struct session *s, struct buf *out); /* one line of CLIENT LIST, without the line end */

INLINE bool session_is_silent(const struct session *s) {
    return (s->flags & (SESSION_REPLY_OFF | SESSION_REPLY_SKIP)) != 0;
}

/* -- all of them */
struct output_limit {
    uint64_t hard_bytes, soft_bytes; /* 0: none */
    uint32_t soft_s;
};

struct sessions_options {
    struct net *net;
    struct keyspace *keyspace;
    struct timers *timers;
    struct output_limit output_limit[SESSION_CLASS_COUNT];
    uint64_t query_buffer_max;  /* client-query-buffer-limit */
    uint64_t output_pause_bytes; /* output above which a session executes nothing more until it has drained; 0: never */
    uint32_t timeout_s;         /* idle clients; 0: never */
};

struct sessions_stats {
    uint64_t connection_count;          /* accepted since the start */
    uint64_t copied_bytes, referenced_bytes; /* of replies */
    uint64_t output_limit_closed_count, query_limit_closed_count, idle_closed_count;
    uint64_t in_bytes, out_bytes;
};

struct sessions {
    struct sessions_options options;
    struct sessions_stats stats;
    struct chunk_pool chunks;
    struct list all;              /* by age */
    struct list output, resume;   /* those with something to send; those to run kept requests of */
    struct table by_id;           /* the same */
    uint32_t count, blocked_count, monitor_count, tracking_count;
    uint64_t next_id;
    struct list *cron_at;        /* where sessions_cron goes on */
    int64_t paused_until_ms;      /* CLIENT PAUSE; monotonic; 0: none */
    bool paused_writes_only;
};

void sessions_init(struct sessions *all, const struct sessions_options *options);
void sessions_release(struct sessions *all);

struct session *session_new(struct sessions *all, struct net_conn *conn); /* conn NULL: internal */
void session_free(struct session *s);
struct session *session_by_id(const struct sessions *all, uint64_t id); /* NULL: none. Internal ones are not found */
uint64_t sessions_hash(uint64_t id); /* of by_id */

/* Queues one send for every session that has output and none in flight, and closes those over their limits. The turn's end. */
void sessions_flush(struct sessions *all, int64_t now_ms);
/* On SENT: releases what was sent; more output is queued by the next flush. */
void session_sent(struct session *s);
/* Idle timeout and soft limits: looks at a bounded number of sessions each time, all within about ten calls. */
void sessions_cron(struct sessions *all, int64_t now_ms);

/* Copies a request that must wait behind those already kept. -ENOMEM closes the session. */
void session_keep(struct session *s, const struct request *request);
/* The oldest kept request into *out (memory lives until session_drop_kept); false when there is none. */
bool session_kept(struct session *s, struct request *out);
void session_drop_kept(struct session *s);
/* Raw bytes behind the kept requests; reading pauses above SESSION_BACKLOG_BYTES_MAX. -ENOMEM: the session is to be closed. */
ATTR_MUST_USE int session_keep_bytes(struct session *s, struct span bytes);
void session_took_backlog(struct session *s, size_t bytes); /* the first bytes of the backlog were parsed */
/* True while reader and backlog are within client-query-buffer-limit; false after closing the session with a log line. */
bool session_check_query_limit(struct session *s);
/* True while the output is within its class's limits; false after closing the session with a log line. */
bool session_check_output_limit(struct session *s, int64_t now_ms);

#endif
