/* The stages of a turn, in order:
 *
 *   net_turn      the replies of the last turn go out, events come in           (one system call on io_uring)
 *   per event     DATA: parse where it lies; each request becomes an item of the window, its bucket is prefetched
 *   window full   entries are prefetched for all items, then all are executed in order
 *   resumed       sessions that were stopped go on: kept requests first, then their backlog
 *   flush         every session with output gets one send queued
 *
 * An item's arguments point into the receive buffer, the session's reader or the window's memory: all stand until the window has
 * run. So the window runs before anything that would move them: the end of the turn, a session's end, a protocol error.
 * Hot path: take_bytes, run_window. */
#include "server/turn.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/log.h"
#include "commands/acl_check.h"
#include "commands/blocking.h"
#include "resp/window.h"

void turn_init(struct turn *t, struct host *host) {
    *t = (struct turn){
        .host = host,
        .window_size = TURN_WINDOW_DEFAULT,
        .session_request_max = TURN_SESSION_REQUESTS_DEFAULT,
    };
    t->items = mem_zalloc(TURN_WINDOW_MAX * sizeof *t->items);
}

void turn_release(struct turn *t) {
    mem_free(t->items);
}

/* ---- the window */

static void run_item(struct turn *t, struct dispatch_item *item) {
    struct session *s = item->session;
    if (LIKELY(!s->stop && !session_has_waiting(s)) && LIKELY(dispatch_run(t->host, item))) {
        t->stats.request_count++;
        return;
    }
    if (s->stop & SESSION_STOP_CLOSING) return;
    t->stats.kept_count++;
    session_keep(s, &item->request);
}

/* A session that writes more than its output may hold stops until it has drained, or ends. */
static void check_output(struct session *s) {
    const struct sessions_options *options = &s->all->options;
    if (s->output.sealed_bytes < SESSION_SEND_BYTES_MAX) return;
    if (!session_check_output_limit(s, clock_mono_ms())) return;
    if (!options->output_pause_bytes || session_output_bytes(s) < options->output_pause_bytes)
        return;
    session_stop(s, SESSION_STOP_OUTPUT);
}

static void run_window(struct turn *t) {
    if (t->item_count == 0) return;
    for (uint32_t i = 0; i < t->item_count; i++) dispatch_prefetch(&t->items[i]);
    dispatch_begin_batch(t->host);
    for (uint32_t i = 0; i < t->item_count; i++) {
        run_item(t, &t->items[i]);
        if (UNLIKELY(t->items[i].session->output.sealed_bytes)) check_output(t->items[i].session);
    }
    t->item_count = 0;
    t->stats.window_count++;
    window_memory_clear(t->host->window);
}

/* ---- bytes to items */

static void answer_protocol_error(struct turn *t, struct session *s, int code) {
    char text[128], peer[NET_NAME_MAX];
    run_window(t);
    if (s->stop & SESSION_STOP_CLOSING) return;
    t->stats.protocol_error_count++;
    const char *what = reader_error_text(&s->reader, code, text);
    session_peer_name(s, peer, sizeof peer);
    log_verbose("%s from client id=%llu addr=%s", what, (unsigned long long)s->id, peer);
    reply_errorf(&s->reply, "ERR %s", what);
    session_close_after_reply(s);
}

static bool turn_share_used(const struct turn *t, struct session *s) {
    if (s->turn_number != t->number) {
        s->turn_number = t->number;
        s->turn_request_count = 0;
    }
    return s->turn_request_count >= t->session_request_max;
}

/* Parses requests until the bytes, the session's share or its readiness end. What stays in *data was not looked at. */
static void take_bytes(struct turn *t, struct session *s, struct span *data) {
    t->limits.unauthenticated = acl_session_needs_auth(t->host, s);
    while (data->len && !s->stop && !turn_share_used(t, s)) {
        struct dispatch_item *item = &t->items[t->item_count];
        item->session = s;
        int rc = reader_next(&s->reader, data, &t->limits, t->host->window, &item->request);
        if (rc == READER_MORE) break;
        if (UNLIKELY(rc < 0)) {
            answer_protocol_error(t, s, rc);
            data->len = 0;
            return;
        }
        if (UNLIKELY(item->request.argc == 0)) continue;
        s->turn_request_count++;
        dispatch_prepare(t->host, item);
        /* AUTH changes what the next request may be: until then each runs before the next is read. */
        bool full = ++t->item_count == t->window_size;
        if (UNLIKELY(full || t->limits.unauthenticated)) {
            run_window(t);
            t->limits.unauthenticated = acl_session_needs_auth(t->host, s);
        }
    }
}

static void keep_bytes(struct session *s, struct span data) {
    if (data.len == 0 || s->stop & SESSION_STOP_CLOSING) return;
    if (session_keep_bytes(s, data) < 0) {
        log_warning("No memory for the input of client id=%llu, closing it",
                    (unsigned long long)s->id);
        session_close(s);
        return;
    }
    if (!s->stop) session_queue_resume(s);
}

/* The rest of a large value goes straight to its place: one copy, the kernel's. The wish is renewed or withdrawn after each event. */
static void receive_into(struct turn *t, struct session *s) {
    char *at = NULL;
    size_t missing = reader_receiving(&s->reader, &at);
    bool wanted = missing >= SESSION_RECEIVE_INTO_BYTES_MIN && !s->stop && !session_has_waiting(s);
    if (!wanted && !s->receiving_into) return;
    s->receiving_into = wanted;
    net_receive_into(t->host->net, s->conn, at, wanted ? missing : 0);
}

static void on_data(struct turn *t, struct session *s, struct span data) {
    s->active_ms = clock_mono_ms();
    s->in_bytes += data.len;
    s->all->stats.in_bytes += data.len;
    if (LIKELY(!s->stop && !session_has_waiting(s))) take_bytes(t, s, &data);
    if (UNLIKELY(data.len)) {
        run_window(t); /* its own requests go before what is kept */
        keep_bytes(s, data);
    }
    if (UNLIKELY(reader_held_bytes(&s->reader) || s->backlog.len) && !session_check_query_limit(s))
        return;
    if (UNLIKELY(s->reader.missing || s->receiving_into)) receive_into(t, s);
}

/* ---- sessions that go on */

static void run_kept(struct turn *t, struct session *s) {
    struct dispatch_item *item = &t->items[0];
    while (!s->stop && !turn_share_used(t, s) && session_kept(s, &item->request)) {
        item->session = s;
        s->turn_request_count++;
        dispatch_prepare(t->host, item);
        dispatch_begin_batch(t->host);
        if (!dispatch_run(t->host, item)) break;
        t->stats.request_count++;
        window_memory_clear(t->host->window);
        if (UNLIKELY(s->output.sealed_bytes)) check_output(s);
        session_drop_kept(s);
    }
}

/* The backlog is parsed where it lies; while its items wait in the window it must not look like something to be kept behind. */
static void run_backlog(struct turn *t, struct session *s) {
    struct buf bytes = s->backlog;
    struct span rest = buf_span(&bytes);
    s->backlog = (struct buf){0};
    take_bytes(t, s, &rest);
    run_window(t);
    size_t taken = bytes.len - rest.len;
    /* Requests that the window could not run were kept; what is left of the bytes goes behind them. */
    s->backlog = bytes;
    session_took_backlog(s, taken);
}

static void resume_one(struct turn *t, struct session *s) {
    run_kept(t, s);
    if (!s->stop && !s->kept_head && s->backlog.len) run_backlog(t, s);
    if (!s->stop && session_has_waiting(s)) session_queue_resume(s);
    if (s->stop & SESSION_STOP_CLOSING) buf_release(&s->backlog);
}

static void run_resumed(struct turn *t) {
    struct sessions *all = t->host->sessions;
    uint32_t count = 0;
    LIST_FOR_EACH(it, &all->resume) count++;
    while (count-- > 0 && !list_empty(&all->resume)) {
        struct session *s = LIST_ENTRY(all->resume.next, struct session, resume_link);
        list_remove(&s->resume_link);
        s->resume_queued = false;
        resume_one(t, s);
    }
}

/* ---- events */

static void on_event(struct turn *t, const struct net_event *event) {
    struct session *s = event->user;
    switch (event->kind) {
    case NET_EVENT_ACCEPTED:
        s = t->accept(t->accept_context, event->conn, event->tag);
        net_set_user(event->conn, s);
        break;
    case NET_EVENT_DATA:
        if (s && !(s->stop & SESSION_STOP_CLOSING)) on_data(t, s, event->data);
        break;
    case NET_EVENT_SENT:
        if (s) session_sent(s);
        break;
    case NET_EVENT_CLOSED:
        if (!s) break;
        run_window(t);
        s->conn = NULL;
        session_free(s);
        break;
    case NET_EVENT_READY:
    case NET_EVENT_NONE: break;
    }
}

int turn_run(struct turn *t, int timeout_ms) {
    struct net_event *events;
    int count = net_turn(t->host->net, timeout_ms, &events);
    uint64_t begin = clock_ticks();
    clock_refresh();
    if (count < 0) return count;
    t->number++;
    for (int i = 0; i < count; i++) on_event(t, &events[i]);
    run_window(t);
    run_resumed(t);
    if (UNLIKELY(t->host->dispatch.keys_ready)) blocking_serve(t->host);
    sessions_flush(t->host->sessions, clock_mono_ms());
    if (count > 0) {
        uint64_t us = clock_ticks_to_ns(clock_ticks() - begin) / 1000;
        if (us > t->stats.longest_us) t->stats.longest_us = us;
    }
    return 0;
}

bool turn_has_waiting(const struct turn *t) {
    return !list_empty(&t->host->sessions->resume);
}
