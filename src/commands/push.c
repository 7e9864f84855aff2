#include "commands/push.h"

#include "base/alloc.h"
#include "base/buf.h"
#include "commands/command.h"

/* ---- where a push goes */

static bool is_executing(const struct host *host, const struct session *s) {
    const struct call *running = host->dispatch.running;
    if (s->stop & SESSION_STOP_REPLY) return true;
    return (running && running->session == s) || host->dispatch.script_caller == s;
}

static struct chunk_list *deferred_of(struct session *s) {
    if (s->deferred) return s->deferred;
    s->deferred = mem_alloc(sizeof *s->deferred);
    chunk_list_init(s->deferred, s->output.pool, s->output.copied_bytes,
                    s->output.referenced_bytes);
    return s->deferred;
}

struct reply push_begin(struct host *host, struct session *s) {
    struct chunk_list *out = is_executing(host, s) ? deferred_of(s) : &s->output;
    return (struct reply){.out = out, .protocol = s->reply.protocol};
}

void push_end(struct host *host, struct session *s) {
    if (!is_executing(host, s)) session_queue_output(s);
}

void push_deliver_deferred(struct session *s) {
    chunk_list_append(&s->output, s->deferred);
    mem_free(s->deferred);
    s->deferred = NULL;
    session_queue_output(s);
}

/* ---- bytes for many */

void push_put_bytes(struct reply *r, struct push_bytes *b) {
    if (b->bytes.len >= PUSH_REFERENCE_BYTES && !b->blob)
        b->blob = blob_try_copy(b->bytes, b->bytes.len);
    if (b->blob) {
        chunk_put_blob(r->out, b->blob, 0, b->blob->len);
    } else {
        chunk_put(r->out, b->bytes.data, b->bytes.len);
    }
}

void push_bytes_release(struct push_bytes *b) {
    if (b->blob) blob_unref(b->blob);
    b->blob = NULL;
}

/* ---- one message for many */

static void put_bulk(struct buf *b, struct span text) {
    buf_put_char(b, '$');
    buf_put_int(b, (int64_t)text.len);
    buf_put(b, "\r\n", 2);
    buf_put_span(b, text);
    buf_put(b, "\r\n", 2);
}

static struct blob *build(const struct push_message *m, bool resp3) {
    struct buf text = {0};
    buf_put_char(&text, resp3 ? '>' : '*');
    buf_put_int(&text, m->pattern.data ? 4 : 3);
    buf_put(&text, "\r\n", 2);
    put_bulk(&text, m->kind);
    if (m->pattern.data) put_bulk(&text, m->pattern);
    put_bulk(&text, m->channel);
    put_bulk(&text, m->payload);
    struct blob *blob = blob_try_copy(buf_span(&text), text.len);
    buf_release(&text);
    return blob;
}

void push_message_send(struct push_message *m, struct host *host, struct session *s) {
    bool resp3 = s->reply.protocol == 3;
    struct blob **bytes = &m->bytes[resp3];
    /* As in Redis: CLIENT REPLY OFF silences RESP2's messages; RESP3's pushes are not replies. */
    if (!resp3 && s->flags & SESSION_REPLY_OFF) return;
    if (s->stop & SESSION_STOP_CLOSING) return;
    if (!*bytes) *bytes = build(m, resp3);
    if (!*bytes) return;
    struct reply r = push_begin(host, s);
    if ((*bytes)->len >= PUSH_REFERENCE_BYTES) {
        chunk_put_blob(r.out, *bytes, 0, (*bytes)->len);
    } else {
        chunk_put(r.out, (*bytes)->data, (*bytes)->len);
    }
    push_end(host, s);
}

void push_message_release(struct push_message *m) {
    for (int i = 0; i < 2; i++) {
        if (m->bytes[i]) blob_unref(m->bytes[i]);
        m->bytes[i] = NULL;
    }
}
