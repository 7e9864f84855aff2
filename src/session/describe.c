/* Clients in words: CLIENT LIST, CLIENT INFO and the log. Fields and their order are those that client libraries and exporters read:
 * https://redis.io/docs/latest/commands/client-list/ */
#include "session/session.h"

#include "base/clock.h"

size_t session_peer_name(const struct session *s, char *out, size_t size) {
    if (s->conn) return net_peer_name(s->conn, out, size);
    if (size) out[0] = 0;
    return 0;
}

static void put_flags(const struct session *s, struct buf *out) {
    static const struct {
        uint32_t flag;
        char letter;
    } letters[] = {
        {SESSION_MONITOR, 'O'},
        {SESSION_PUBSUB, 'P'},
        {SESSION_MULTI, 'x'},
        {SESSION_TRACKING, 't'},
        {SESSION_TRACKING_BROKEN, 'R'},
        {SESSION_TRACKING_BCAST, 'B'},
        {SESSION_DIRTY_WATCH, 'd'},
        {SESSION_CLOSE_AFTER_REPLY, 'c'},
        {SESSION_UNIX, 'U'},
        {SESSION_NO_EVICT, 'e'},
        {SESSION_NO_TOUCH, 'T'},
    };
    size_t before = out->len;
    if (s->unblock || s->stop & SESSION_STOP_PAUSED) buf_put_char(out, 'b');
    for (size_t i = 0; i < ARRAY_LENGTH(letters); i++) {
        if (s->flags & letters[i].flag) buf_put_char(out, letters[i].letter);
    }
    if (out->len == before) buf_put_char(out, 'N');
}

struct session_counts session_counts(const struct session *s) {
    struct session_counts counts = {.queued = -1, .redirect = -1};
    for (int i = 0; i < SESSION_EXTENSION_COUNT; i++) {
        const struct session_extension *extension = s->extension[i];
        if (extension && extension->count) extension->count(extension, &counts);
    }
    return counts;
}

static void put_identity(const struct session *s, struct buf *out) {
    char peer[NET_NAME_MAX], local[NET_NAME_MAX] = "";
    int64_t now_ms = clock_mono_ms();
    session_peer_name(s, peer, sizeof peer);
    if (s->conn) net_local_name(s->conn, local, sizeof local);
    buf_printf(out, "id=%llu addr=%s laddr=%s fd=%d name=%s age=%lld idle=%lld flags=",
               (unsigned long long)s->id, peer, local, s->conn ? net_fd(s->conn) : -1,
               s->name ? s->name : "", (long long)((now_ms - s->created_ms) / 1000),
               (long long)((now_ms - s->active_ms) / 1000));
    put_flags(s, out);
}

static void put_buffers(const struct session *s, const struct session_counts *counts,
                        struct buf *out) {
    size_t output_bytes = chunk_list_bytes(&s->output);
    buf_printf(out, " qbuf=%zu qbuf-free=%zu argv-mem=%zu multi-mem=%zu",
               reader_held_bytes(&s->reader) + s->backlog.len, s->backlog.capacity - s->backlog.len,
               s->kept_bytes, counts->queued_bytes);
    /* rbs and rbp are the memory that the output holds and the part of it in flight; oll has no lists to count: it is 0 or 1. */
    buf_printf(out, " rbs=%zu rbp=%zu obl=%zu oll=%d omem=%zu tot-mem=%zu events=%s",
               session_output_memory(s), s->sending.memory_bytes, output_bytes,
               s->sending.bytes > 0, s->sending.memory_bytes, session_memory_bytes(s),
               s->sending.bytes ? "rw" : "r");
}

void session_describe(const struct session *s, struct buf *out) {
    struct session_counts counts = session_counts(s);
    put_identity(s, out);
    buf_printf(out, " capa=%s", s->flags & SESSION_CAPA_REDIRECT ? "r" : "");
    buf_printf(out, " db=%u sub=%u psub=%u ssub=%u multi=%d watch=%u", s->db->number,
               counts.channels, counts.patterns, counts.shard_channels, counts.queued,
               counts.watched);
    put_buffers(s, &counts, out);
    buf_printf(out, " cmd=%s user=%s redir=%lld resp=%d lib-name=%s lib-ver=%s",
               s->last_command ? s->last_command : "NULL", s->user ? s->user->name : "default",
               (long long)counts.redirect, s->reply.protocol, s->lib_name ? s->lib_name : "",
               s->lib_version ? s->lib_version : "");
    buf_printf(out, " tot-net-in=%llu tot-net-out=%llu tot-cmds=%llu",
               (unsigned long long)s->in_bytes, (unsigned long long)s->out_bytes,
               (unsigned long long)s->request_count);
}
