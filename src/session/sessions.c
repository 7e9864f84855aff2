/* All sessions: the registry, the end of the turn (sessions_flush), and what is looked at now and then (sessions_cron). */
#include <errno.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/log.h"
#include "session/session.h"

enum {
    CRON_ROUND = 10, /* calls of sessions_cron in which every session is looked at once */
    CRON_SESSIONS_MIN = 5,
};

/* ---- by id */

static struct span id_span(const uint64_t *id) {
    return span_make((const char *)id, sizeof *id);
}

uint64_t sessions_hash(uint64_t id) {
    return hash_bytes((const char *)&id, sizeof id);
}

static uint64_t session_hash(const void *element) {
    return sessions_hash(((const struct session *)element)->id);
}

static bool session_has_id(const void *element, struct span id) {
    return span_eq(id_span(&((const struct session *)element)->id), id);
}

static const struct table_type session_type = {.hash = session_hash, .has_key = session_has_id};

/* ---- life */

void sessions_init(struct sessions *all, const struct sessions_options *options) {
    *all = (struct sessions){.options = *options};
    chunk_pool_init(&all->chunks);
    list_init(&all->all);
    table_init(&all->by_id, &session_type);
    list_init(&all->output);
    list_init(&all->resume);
    all->cron_at = &all->all;
}

void sessions_release(struct sessions *all) {
    while (!list_empty(&all->all)) session_free(LIST_ENTRY(all->all.next, struct session, link));
    table_release(&all->by_id, NULL, NULL);
    chunk_pool_release(&all->chunks);
}

struct session *session_by_id(const struct sessions *all, uint64_t id) {
    table_slot *slot = table_find(&all->by_id, sessions_hash(id), id_span(&id));
    return slot ? table_element(slot) : NULL;
}

/* ---- limits */

static void close_over_limit(struct session *s, const char *what, size_t bytes) {
    struct buf line = {0};
    session_describe(s, &line);
    log_warning("Closing client over its %s limit (%zu bytes): %s", what, bytes,
                buf_terminate(&line));
    buf_release(&line);
    session_close(s);
}

bool session_check_query_limit(struct session *s) {
    size_t bytes = reader_held_bytes(&s->reader) + s->backlog.len + s->kept_bytes;
    if (bytes <= s->all->options.query_buffer_max) return true;
    s->all->stats.query_limit_closed_count++;
    close_over_limit(s, "query buffer", bytes);
    return false;
}

static bool over_soft_limit(struct session *s, const struct output_limit *limit, size_t bytes,
                            int64_t now_ms) {
    if (!limit->soft_bytes || bytes <= limit->soft_bytes) {
        s->soft_limit_since_ms = 0;
        return false;
    }
    if (!s->soft_limit_since_ms) s->soft_limit_since_ms = now_ms;
    return now_ms - s->soft_limit_since_ms > (int64_t)limit->soft_s * 1000;
}

bool session_check_output_limit(struct session *s, int64_t now_ms) {
    const struct output_limit *limit = &s->all->options.output_limit[session_class_of(s)];
    size_t bytes = session_output_memory(s);
    bool over_hard = limit->hard_bytes && bytes > limit->hard_bytes;
    /* One that is being closed already has been counted, and what it has left is never sent. */
    if (s->stop & SESSION_STOP_CLOSING && !(s->flags & SESSION_CLOSE_AFTER_REPLY)) return false;
    if (!over_soft_limit(s, limit, bytes, now_ms) && !over_hard) return true;
    s->all->stats.output_limit_closed_count++;
    close_over_limit(s, "output buffer", bytes);
    return false;
}

/* ---- the turn's end */

static void flush_one(struct session *s) {
    struct net *net = s->all->options.net;
    struct iovec iov[NET_SEND_PIECES_MAX];
    if (!s->conn || net_sending(s->conn)) return;
    int count =
        chunk_list_take(&s->output, &s->sending, iov, NET_SEND_PIECES_MAX, SESSION_SEND_BYTES_MAX);
    if (count > 0) {
        s->usual_bytes = s->sending.bytes;
        net_send(net, s->conn, iov, count, s->sending.bytes);
    } else if (s->flags & SESSION_CLOSE_AFTER_REPLY) {
        session_close(s);
    }
}

void sessions_flush(struct sessions *all, int64_t now_ms) {
    while (!list_empty(&all->output)) {
        struct session *s = LIST_ENTRY(all->output.next, struct session, output_link);
        list_remove(&s->output_link);
        s->output_queued = false;
        if (s->stop & SESSION_STOP_CLOSING && !(s->flags & SESSION_CLOSE_AFTER_REPLY)) continue;
        flush_one(s);
        /* What one send could take is on its way; limits are for what has to wait. */
        if (chunk_list_bytes(&s->output) > 0) session_check_output_limit(s, now_ms);
    }
}

/* ---- now and then */

static void cron_one(struct session *s, int64_t now_ms) {
    int64_t idle_ms = now_ms - s->active_ms;
    if (s->stop & SESSION_STOP_CLOSING) {
        /* A peer that does not take its last reply does not keep the connection for ever. */
        if (idle_ms > SESSION_LAST_REPLY_MS) session_close(s);
        return;
    }
    if (!session_check_output_limit(s, now_ms)) return;
    uint32_t timeout_s = s->all->options.timeout_s;
    bool exempt = s->unblock || s->flags & (SESSION_PUBSUB | SESSION_MONITOR);
    if (!timeout_s || exempt || idle_ms <= (int64_t)timeout_s * 1000) return;
    log_verbose("Closing idle client id=%llu", (unsigned long long)s->id);
    s->all->stats.idle_closed_count++;
    session_close(s);
}

/* A cursor walks the list, whose order is age; session_free moves it on when it stands on the one that goes. */
void sessions_cron(struct sessions *all, int64_t now_ms) {
    uint32_t count = MAX(all->count / CRON_ROUND, (uint32_t)CRON_SESSIONS_MIN);
    while (count-- > 0 && !list_empty(&all->all)) {
        if (all->cron_at == &all->all) {
            all->cron_at = all->all.next;
            chunk_pool_trim(&all->chunks);
        }
        struct session *s = LIST_ENTRY(all->cron_at, struct session, link);
        all->cron_at = s->link.next;
        cron_one(s, now_ms);
    }
}
