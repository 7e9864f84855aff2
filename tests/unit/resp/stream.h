/* A stream of requests read in pieces, and everything that came out of it as text: two runs over the same bytes give the same
 * text, however they were split. Each piece is a heap block of its exact size and goes away after it, as a receive buffer
 * does, so that a sanitizer sees a span that was kept too long. */
#ifndef TESTS_UNIT_RESP_STREAM_H
#define TESTS_UNIT_RESP_STREAM_H

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/check.h"
#include "resp/reader.h"

static const struct reader_limits stream_limits = {
    .bulk_bytes_max = 512 * 1024 * 1024,
    .arg_count_max = INT32_MAX,
};

/* Sizes of the pieces. After the last one: round again, or all that is left. */
struct stream_pieces {
    const size_t *sizes; /* 0 is allowed: nothing came */
    size_t count;
    bool repeat;
};

struct stream {
    struct reader reader;
    const struct reader_limits *limits;
    struct window_memory *window;
    struct buf *log;
    int result; /* the last one of reader_next */
    size_t request_count, wire_bytes;
};

static void stream_log_request(struct stream *s, struct request *request) {
    buf_printf(s->log, "%u args, %zu bytes:", request->argc, request->wire_bytes);
    for (uint32_t i = 0; i < request->argc; i++) {
        struct span arg = request->argv[i];
        buf_printf(s->log, " %zu=", arg.len);
        buf_put_span(s->log, arg);
    }
    buf_put_text(s->log, "\n");
}

/* Every second request's blobs are taken, from the last to the first. */
static void stream_take_blobs(struct stream *s, struct request *request) {
    for (uint32_t i = request->argc; s->request_count % 2 == 0 && i-- > 0;) {
        struct blob *blob = request_take_blob(request, i);
        if (!blob) continue;
        CHECK(span_eq(blob_span(blob), request->argv[i]) && blob->data == request->argv[i].data);
        CHECK(blob->ref_count == 1 && !request_take_blob(request, i));
        blob_unref(blob);
    }
}

static void stream_feed_piece(struct stream *s, struct span data) {
    char error[128];
    do {
        size_t before = data.len;
        struct request request;
        s->result = reader_next(&s->reader, &data, s->limits, s->window, &request);
        if (s->result == READER_REQUEST) {
            s->request_count++;
            s->wire_bytes += request.wire_bytes;
            stream_log_request(s, &request);
            stream_take_blobs(s, &request);
            CHECK(data.len < before && reader_held_bytes(&s->reader) == 0);
        } else if (s->result < 0) {
            buf_printf(s->log, "%s\n", reader_error_text(&s->reader, s->result, error));
        } else {
            CHECK(data.len == 0);
        }
    } while (s->result == READER_REQUEST);
    window_memory_clear(s->window);
}

/* Appends what comes out of `bytes` to `log`; the last result. */
static int stream_run(struct buf *log, struct span bytes, struct stream_pieces pieces,
                      const struct reader_limits *limits) {
    struct stream s = {.limits = limits, .window = window_memory_new(), .log = log};
    size_t at = 0;
    for (size_t i = 0; at < bytes.len && s.result >= 0; i++) {
        size_t left = bytes.len - at, size = left;
        char *piece;
        if (pieces.count && pieces.repeat) size = pieces.sizes[i % pieces.count];
        if (i < pieces.count) size = pieces.sizes[i];
        size = MIN(size, left);
        piece = malloc(size ? size : 1);
        memcpy(piece, bytes.data + at, size);
        stream_feed_piece(&s, span_make(piece, size));
        free(piece);
        at += size;
    }
    if (s.result >= 0) {
        buf_printf(log, "%zu bytes left\n", bytes.len - s.wire_bytes);
        CHECK(bytes.len == s.wire_bytes + s.reader.wire_bytes);
    }
    reader_release(&s.reader);
    window_memory_free(s.window);
    return s.result;
}

#endif
