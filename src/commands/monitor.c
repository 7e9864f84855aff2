/* A line for each executed command, as redis-cli and its like read them:
 *
 *   +1339518083.107412 [0 127.0.0.1:60866] "keys" "*" */
#include "commands/monitor.h"

#include <stdio.h>

#include "base/clock.h"
#include "commands/families.h"
#include "commands/push.h"
#include "commands/redact.h"

/* Printable bytes as they are, the others escaped, between double quotes. */
static void put_quoted(struct buf *line, struct span text) {
    static const char plain[] = "\\\"\n\r\t\a\b", escaped[] = "\\\"nrtab";
    buf_put_char(line, '"');
    for (size_t i = 0; i < text.len; i++) {
        char c = text.data[i];
        const char *special = c ? strchr(plain, c) : NULL;
        if (special) {
            buf_put_char(line, '\\');
            buf_put_char(line, escaped[special - plain]);
        } else if (c < ' ' || c > '~') {
            buf_printf(line, "\\x%02x", (unsigned char)c);
        } else {
            buf_put_char(line, c);
        }
    }
    buf_put_char(line, '"');
}

static void put_origin(struct buf *line, const struct session *s) {
    char peer[NET_NAME_MAX];
    int64_t us = clock_real_us();
    buf_printf(line, "+%lld.%06lld ", (long long)(us / 1000000), (long long)(us % 1000000));
    if (s->flags & SESSION_INTERNAL) {
        buf_printf(line, "[%u lua]", s->db->number);
        return;
    }
    session_peer_name(s, peer, sizeof peer);
    /* "path:0" loses its port: "unix:path". */
    size_t len = strlen(peer);
    if (s->flags & SESSION_UNIX && len > 2) peer[len - 2] = 0;
    buf_printf(line, "[%u %s%s]", s->db->number, s->flags & SESSION_UNIX ? "unix:" : "", peer);
}

static void send_line(struct host *host, struct session *monitor, const struct buf *line,
                      struct blob *blob) {
    struct reply r = push_begin(host, monitor);
    if (blob) {
        chunk_put_blob(r.out, blob, 0, blob->len);
    } else {
        reply_raw(&r, buf_span(line));
    }
    push_end(host, monitor);
}

/* A large line is one blob for all of them. */
static void send_to_all(struct host *host, const struct buf *line) {
    bool large = line->len >= PUSH_REFERENCE_BYTES;
    struct blob *blob = large ? blob_try_copy(buf_span(line), line->len) : NULL;
    if (large && !blob) return;
    LIST_FOR_EACH(it, &host->sessions->all) {
        struct session *monitor = LIST_ENTRY(it, struct session, link);
        if (!(monitor->flags & SESSION_MONITOR) || session_is_silent(monitor)) continue;
        if (monitor->stop & SESSION_STOP_CLOSING) continue;
        send_line(host, monitor, line, blob);
    }
    if (blob) blob_unref(blob);
}

/* Escaped a byte takes four at most. */
static size_t line_bytes_max(const struct span *argv, uint32_t argc) {
    size_t bytes = 256;
    for (uint32_t i = 0; i < argc; i++) bytes += 4 * argv[i].len + sizeof REDACTED_TEXT + 3;
    return bytes;
}

/* A line for which there is no memory is not shown: the command itself has been executed. */
void monitor_feed(struct host *host, struct session *s, const struct span *argv, uint32_t argc) {
    struct buf line = {0};
    if (buf_try_reserve(&line, line_bytes_max(argv, argc)) < 0) return;
    put_origin(&line, s);
    for (uint32_t i = 0; i < argc; i++) {
        buf_put_char(&line, ' ');
        put_quoted(&line, redact_hides(argv, argc, i) ? SPAN(REDACTED_TEXT) : argv[i]);
    }
    buf_put_text(&line, "\r\n");
    send_to_all(host, &line);
    buf_release(&line);
}

void monitor_run(struct call *call) {
    struct session *s = call->session;
    if (call->flags & CALL_DENY_BLOCKING) {
        reply_error(call->reply, "ERR MONITOR isn't allowed for DENY BLOCKING client");
        return;
    }
    if (s->flags & SESSION_MONITOR) return; /* as Redis: no second answer */
    s->flags |= SESSION_MONITOR;
    call->host->sessions->monitor_count++;
    reply_ok(call->reply);
}
