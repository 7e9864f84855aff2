/* The stages of a turn, in order:
 *
 *   net_turn      the replies of the last turn go out, events come in           (one system call on io_uring)
 *   per event     DATA: parse where it lies; each request becomes an item of the window, its bucket is prefetched
 *   window full   entries are prefetched for all items, then all are executed in order
 *   resumed       sessions that were stopped go on: kept requests first, then their backlog
 *   long replies  go on where the output has drained
 *   tracking      what changed goes to those who asked for prefixes
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
#include "commands/long_reply.h"
#include "commands/tracking.h"
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
    if (t->inner) {
        turn_release(t->inner);
        mem_free(t->inner);
    }
    window_memory_free(t->window);
    mem_free(t->items);
}

/* The command that held the turn is over: its session goes on. */
static void end_hold(struct turn *t) {
    t->held = false;
    session_go(t->items[t->running_at].session, SESSION_STOP_SCRIPT);
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
        t->running_at = i;
        run_item(t, &t->items[i]);
        if (UNLIKELY(t->held)) end_hold(t);
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
    t->parsing = s;
    t->parsing_rest = data;
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
    t->parsing = NULL;
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
        t->running_at = 0;
        bool ran = dispatch_run(t->host, item);
        if (UNLIKELY(t->held)) end_hold(t);
        if (!ran) break;
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
    uint32_t held_before = t->held_count;
    s->backlog = (struct buf){0};
    take_bytes(t, s, &rest);
    run_window(t);
    t->parsing = NULL;
    if (UNLIKELY(t->held_count != held_before)) { /* the rest was kept */
        buf_release(&bytes);
        return;
    }
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

/* A session's end. One that is on the stack of an interrupted turn stays until that turn's end. */
static void end_session(struct turn *t, struct session *s) {
    struct turn *held = t->held ? t : t->outer;
    s->conn = NULL;
    if (UNLIKELY(held)) {
        bool running = held->items[held->running_at].session == s;
        if (running || held->parsing == s) {
            s->stop |= SESSION_STOP_CLOSING;
            list_remove(&s->output_link);
            held->closed[running ? 0 : 1] = s;
            return;
        }
    }
    session_free(s);
}

static void free_closed(struct turn *t) {
    for (int i = 0; i < 2; i++) {
        if (t->closed[i]) session_free(t->closed[i]);
        t->closed[i] = NULL;
    }
}

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
        end_session(t, s);
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
    t->events = events;
    t->event_count = count;
    for (t->event_at = 0; t->event_at < t->event_count; t->event_at++) {
        on_event(t, &events[t->event_at]);
    }
    run_window(t);
    run_resumed(t);
    long_replies_continue(t->host);
    if (UNLIKELY(t->held_count)) free_closed(t);
    if (UNLIKELY(t->host->dispatch.keys_ready)) blocking_serve(t->host);
    tracking_turn(t->host);
    sessions_flush(t->host->sessions, clock_mono_ms());
    if (count > 0) {
        uint64_t us = clock_ticks_to_ns(clock_ticks() - begin) / 1000;
        if (us > t->stats.longest_us) t->stats.longest_us = us;
    }
    return 0;
}

/* ---- a turn within a turn */

/* The running request's arguments must outlive the buffers that they were received in; blobs' do. */
static void copy_arguments(struct turn *t, struct request *request) {
    struct span *argv = (struct span *)(uintptr_t)request->argv; /* the window's memory */
    uint32_t blob = 0;
    for (uint32_t i = 0; i < request->argc; i++) {
        if (blob < request->blob_count && request->blobs[blob].arg == i) {
            blob++;
            continue;
        }
        char *copy = window_memory_alloc(t->host->window, argv[i].len + 1);
        if (argv[i].len) memcpy(copy, argv[i].data, argv[i].len);
        argv[i].data = copy;
    }
}

/* Requests that were parsed but not executed. */
static void keep_items(struct turn *t) {
    for (uint32_t i = t->running_at + 1; i < t->item_count; i++) {
        struct session *s = t->items[i].session;
        if (s->stop & SESSION_STOP_CLOSING) continue;
        session_keep(s, &t->items[i].request);
        if (!s->stop) session_queue_resume(s);
    }
    if (t->item_count) t->item_count = t->running_at + 1;
}

/* Events that were not looked at. */
static void keep_events(struct turn *t) {
    int count = t->event_count;
    t->event_count = MIN(count, t->event_at + 1);
    for (int i = t->event_at + 1; i < count; i++) {
        const struct net_event *event = &t->events[i];
        struct session *s = event->user;
        if (event->kind != NET_EVENT_DATA) {
            if (event->kind == NET_EVENT_CLOSED && s) {
                end_session(t, s);
            } else {
                on_event(t, event);
            }
        } else if (s && !(s->stop & SESSION_STOP_CLOSING)) {
            s->in_bytes += event->data.len;
            s->all->stats.in_bytes += event->data.len;
            keep_bytes(s, event->data);
            receive_into(t, s);
        }
    }
}

static void hold(struct turn *t) {
    struct dispatch_item *running = &t->items[t->running_at];
    bool own = t->item_count == 0; /* a kept request: in memory of its own */
    t->held = true;
    t->held_count++;
    session_stop(running->session, SESSION_STOP_SCRIPT);
    if (!own) copy_arguments(t, &running->request);
    keep_items(t);
    if (t->parsing && t->parsing_rest->len) {
        struct span rest = *t->parsing_rest;
        t->parsing_rest->len = 0;
        keep_bytes(t->parsing, rest);
        if (t->parsing->conn) receive_into(t, t->parsing);
    }
    keep_events(t);
}

static struct turn *inner_turn(struct turn *t) {
    if (!t->inner) {
        t->inner = mem_alloc(sizeof *t->inner);
        turn_init(t->inner, t->host);
        t->inner->window = window_memory_new();
        t->inner->outer = t;
    }
    t->inner->limits = t->limits;
    t->inner->accept = t->accept;
    t->inner->accept_context = t->accept_context;
    return t->inner;
}

void turn_serve_others(struct turn *t) {
    struct host *host = t->host;
    struct turn *inner = inner_turn(t);
    struct window_memory *window = host->window;
    const struct call *running = host->dispatch.running;
    uint64_t ticks = host->dispatch.ticks;
    struct net_event *events;
    if (!t->held) hold(t);
    host->window = inner->window;
    int count = net_turn(host->net, 0, &events);
    inner->number++;
    for (int i = 0; i < count; i++) on_event(inner, &events[i]);
    run_window(inner);
    run_resumed(inner);
    tracking_turn(host);
    sessions_flush(host->sessions, clock_mono_ms());
    host->window = window;
    host->dispatch.running = running;
    host->dispatch.ticks = ticks;
}

bool turn_has_waiting(const struct turn *t) {
    return !list_empty(&t->host->sessions->resume) || long_replies_ready(t->host);
}
