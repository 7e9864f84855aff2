/* One client's life. Who holds what:
 *   output   what handlers have written and the kernel has not been given
 *   sending  the chain that the kernel is reading from; released on SENT, or with the session
 *   kept     requests that were parsed before the session stopped, oldest first
 *   backlog  raw bytes behind those, parsed once the kept ones have run
 * Order is kept by one rule: a request may run at once only when nothing is kept and the backlog is empty. */
#include "session/session.h"

#include <errno.h>

#include "base/alloc.h"
#include "base/check.h"
#include "base/clock.h"
#include "base/log.h"
#include "session/kept.h"

struct session *session_new(struct sessions *all, struct net_conn *conn) {
    struct session *s = mem_zalloc(sizeof *s);
    s->all = all;
    s->conn = conn;
    s->db = keyspace_db(all->options.keyspace, 0);
    s->id = ++all->next_id;
    s->created_ms = s->active_ms = clock_mono_ms();
    chunk_list_init(&s->output, &all->chunks, &all->stats.copied_bytes,
                    &all->stats.referenced_bytes);
    s->reply = (struct reply){.out = &s->output, .protocol = 2};
    list_init(&s->link);
    list_init(&s->output_link);
    list_init(&s->resume_link);
    if (!conn) {
        s->flags |= SESSION_INTERNAL | SESSION_AUTHENTICATED;
        return s;
    }
    if (net_is_unix(conn)) s->flags |= SESSION_UNIX;
    list_push_back(&all->all, &s->link);
    table_insert(&all->by_id, sessions_hash(s->id), s);
    all->count++;
    all->stats.connection_count++;
    return s;
}

void session_free(struct session *s) {
    struct sessions *all = s->all;
    if (s->unblock) session_unblock(s, SESSION_UNBLOCK_CLOSED);
    for (int i = 0; i < SESSION_EXTENSION_COUNT; i++) {
        if (s->extension[i]) s->extension[i]->release(s->extension[i], s);
    }
    if (s->flags & SESSION_MONITOR) all->monitor_count--;
    timer_cancel(all->options.timers, &s->timer);
    if (!(s->flags & SESSION_INTERNAL)) {
        uint64_t hash = sessions_hash(s->id);
        table_remove(&all->by_id, table_find_element(&all->by_id, hash, s), hash);
        all->count--;
    }
    if (all->cron_at == &s->link) all->cron_at = s->link.next;
    list_remove(&s->link);
    list_remove(&s->output_link);
    list_remove(&s->resume_link);
    chunk_list_clear(&s->output);
    if (s->deferred) chunk_list_clear(s->deferred);
    mem_free(s->deferred);
    chunk_chain_release(&s->sending, &all->chunks);
    reader_release(&s->reader);
    while (s->kept_head) session_drop_kept(s);
    buf_release(&s->backlog);
    mem_free(s->name);
    mem_free(s->lib_name);
    mem_free(s->lib_version);
    mem_free(s);
}

/* ---- output */

void session_queue_output(struct session *s) {
    if (s->output_queued || !s->conn) return;
    s->output_queued = true;
    list_push_back(&s->all->output, &s->output_link);
}

size_t session_output_bytes(const struct session *s) {
    return chunk_list_bytes(&s->output) + s->sending.bytes;
}

size_t session_output_memory(const struct session *s) {
    return chunk_list_memory_bytes(&s->output) + s->sending.memory_bytes;
}

size_t session_memory_bytes(const struct session *s) {
    return mem_class_bytes(sizeof *s) + session_output_memory(s) + reader_held_bytes(&s->reader) +
           s->kept_bytes + s->backlog.capacity;
}

enum session_class session_class_of(const struct session *s) {
    return s->flags & SESSION_PUBSUB ? SESSION_CLASS_PUBSUB : SESSION_CLASS_NORMAL;
}

void session_sent(struct session *s) {
    s->out_bytes += s->sending.bytes;
    s->all->stats.out_bytes += s->sending.bytes;
    s->active_ms = clock_mono_ms(); /* who takes its replies is not idle, however long they are */
    chunk_chain_release(&s->sending, &s->all->chunks);
    bool more = chunk_list_bytes(&s->output) > 0;
    if (more || s->flags & SESSION_CLOSE_AFTER_REPLY) session_queue_output(s);
    if (s->stop & SESSION_STOP_OUTPUT && !more) session_go(s, SESSION_STOP_OUTPUT);
}

/* ---- ending */

void session_close(struct session *s) {
    s->flags &= ~(uint32_t)SESSION_CLOSE_AFTER_REPLY; /* now is sooner */
    s->stop |= SESSION_STOP_CLOSING;
    if (s->conn) net_close(s->all->options.net, s->conn);
}

void session_close_after_reply(struct session *s) {
    s->flags |= SESSION_CLOSE_AFTER_REPLY;
    s->stop |= SESSION_STOP_CLOSING;
    s->active_ms = clock_mono_ms(); /* the time for its last reply begins now */
    session_queue_output(s);
}

/* ---- stopping and going on */

void session_stop(struct session *s, enum session_stop why) {
    s->stop |= (uint8_t)why;
}

void session_queue_resume(struct session *s) {
    if (s->resume_queued) return;
    s->resume_queued = true;
    list_push_back(&s->all->resume, &s->resume_link);
}

void session_go(struct session *s, enum session_stop why) {
    s->stop &= (uint8_t)~why;
    if (!s->stop && session_has_waiting(s)) session_queue_resume(s);
}

static void on_timer(struct timer *timer) {
    session_unblock(CONTAINER_OF(timer, struct session, timer), SESSION_UNBLOCK_TIMEOUT);
}

void session_block(struct session *s, int64_t due_ms, void *blocked_on,
                   void (*unblock)(struct session *s, enum session_unblock_reason reason)) {
    DCHECK(!s->unblock);
    s->unblock = unblock;
    s->blocked_on = blocked_on;
    s->all->blocked_count++;
    session_stop(s, SESSION_STOP_BLOCKED);
    s->timer.fire = on_timer;
    if (due_ms > 0) timer_set(s->all->options.timers, &s->timer, due_ms);
}

void session_unblock(struct session *s, enum session_unblock_reason reason) {
    void (*unblock)(struct session *, enum session_unblock_reason) = s->unblock;
    if (!unblock) return;
    s->unblock = NULL;
    timer_cancel(s->all->options.timers, &s->timer);
    unblock(s, reason);
    s->blocked_on = NULL;
    s->flags &= ~(uint32_t)SESSION_TRACKING_CACHING; /* the request that it was said for is over */
    s->all->blocked_count--;
    session_queue_output(s);
    session_go(s, SESSION_STOP_BLOCKED);
}

/* ---- requests that wait */

void session_keep(struct session *s, const struct request *request) {
    struct kept_request *kept = kept_new(request);
    if (!kept) {
        log_warning("No memory to keep a request of client id=%llu, closing it",
                    (unsigned long long)s->id);
        session_close(s);
        return;
    }
    s->kept_bytes += kept->bytes;
    if (s->kept_tail) {
        s->kept_tail->next = kept;
    } else {
        s->kept_head = kept;
    }
    s->kept_tail = kept;
}

bool session_kept(struct session *s, struct request *out) {
    if (!s->kept_head) return false;
    *out = s->kept_head->request;
    return true;
}

void session_drop_kept(struct session *s) {
    struct kept_request *kept = s->kept_head;
    s->kept_head = kept->next;
    if (!s->kept_head) s->kept_tail = NULL;
    s->kept_bytes -= kept->bytes;
    kept_free(kept);
}

int session_keep_bytes(struct session *s, struct span bytes) {
    int rc = buf_try_reserve(&s->backlog, bytes.len);
    if (rc < 0) return rc;
    buf_put_span(&s->backlog, bytes);
    if (s->conn && s->backlog.len > SESSION_BACKLOG_BYTES_MAX) {
        net_pause(s->all->options.net, s->conn);
        s->reading_paused = true;
    }
    return 0;
}

void session_took_backlog(struct session *s, size_t bytes) {
    if (bytes == s->backlog.len) {
        buf_release(&s->backlog);
    } else {
        buf_consume(&s->backlog, bytes);
    }
    if (s->reading_paused && s->backlog.len <= SESSION_BACKLOG_BYTES_MAX / 2 && s->conn) {
        s->reading_paused = false;
        net_resume(s->all->options.net, s->conn);
    }
}
