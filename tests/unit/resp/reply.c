#include "test.h"

#include <math.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "resp/reply.h"

static struct chunk_pool pool;
static struct chunk_list list;
static uint64_t copied_bytes, referenced_bytes;
static struct reply reply;

static void begin(uint8_t protocol) {
    chunk_pool_init(&pool);
    chunk_list_init(&list, &pool, &copied_bytes, &referenced_bytes);
    reply = (struct reply){.out = &list, .protocol = protocol};
}

/* What was written, taken as for sending. */
static struct span written(struct buf *out) {
    struct chunk_chain chain;
    struct iovec iov[8];
    int count;
    buf_clear(out);
    while ((count = chunk_list_take(&list, &chain, iov, ARRAY_LENGTH(iov), SIZE_MAX)) > 0) {
        for (int i = 0; i < count; i++) buf_put(out, iov[i].iov_base, iov[i].iov_len);
        chunk_chain_release(&chain, &pool);
    }
    return buf_span(out);
}

static void end(struct buf *out) {
    buf_release(out);
    chunk_list_clear(&list);
    chunk_pool_release(&pool);
}

#define EXPECT_WRITTEN(text) EXPECT_SPAN(span_make((text), sizeof(text) - 1), written(&out))

static void test_simple(void) {
    struct buf out = {0};
    for (uint8_t protocol = 2; protocol <= 3; protocol++) {
        begin(protocol);
        reply_ok(&reply);
        EXPECT_WRITTEN("+OK\r\n");
        reply_status(&reply, "PONG");
        EXPECT_WRITTEN("+PONG\r\n");
        reply_status(&reply, "a\r\nb\n");
        EXPECT_WRITTEN("+a  b \r\n");
        reply_status(&reply, "");
        EXPECT_WRITTEN("+\r\n");
        reply_array(&reply, 3);
        EXPECT_WRITTEN("*3\r\n");
        reply_array(&reply, 0);
        EXPECT_WRITTEN("*0\r\n");
        reply_array(&reply, 1234567);
        EXPECT_WRITTEN("*1234567\r\n");
        reply_raw(&reply, SPAN("*1\r\n:1\r\n"));
        EXPECT_WRITTEN("*1\r\n:1\r\n");
        reply_raw(&reply, span_make(NULL, 0));
        EXPECT_WRITTEN("");
        end(&out);
    }
}

static void test_errors(void) {
    struct buf out = {0};
    char long_word[600];
    begin(2);
    reply_error(&reply, "ERR no such key");
    EXPECT_WRITTEN("-ERR no such key\r\n");
    EXPECT_SPAN(SPAN("ERR"), span_of(reply.error_code));
    reply_error(&reply, "WRONGTYPE Operation against a key");
    EXPECT_WRITTEN("-WRONGTYPE Operation against a key\r\n");
    EXPECT_SPAN(SPAN("WRONGTYPE"), span_of(reply.error_code));
    EXPECT_INT(2, reply.error_count);
    /* line ends: gone from both ends, blanks in between */
    reply_error(&reply, "\r\nERR a\r\nb\nc\rd\r\n\n");
    EXPECT_WRITTEN("-ERR a  b c d\r\n");
    reply_errorf(&reply, "ERR unknown command '%s', with %d", "x\r\ny", 3);
    EXPECT_WRITTEN("-ERR unknown command 'x  y', with 3\r\n");
    reply_error(&reply, "BUSYKEY\nx");
    EXPECT_WRITTEN("-BUSYKEY x\r\n");
    EXPECT_SPAN(SPAN("ERR"), span_of(reply.error_code)); /* no blank in the text as it was given */
    /* codes of odd lengths */
    reply_error(&reply, "NOSPACE");
    EXPECT_SPAN(SPAN("ERR"), span_of(reply.error_code));
    reply_error(&reply, "");
    EXPECT_SPAN(SPAN("ERR"), span_of(reply.error_code));
    reply_error(&reply, "A234567890123456789012345678901 x");
    EXPECT_SPAN(SPAN("A234567890123456789012345678901"), span_of(reply.error_code));
    reply_error(&reply, "A2345678901234567890123456789012 x");
    EXPECT_SPAN(SPAN("ERR"), span_of(reply.error_code));
    EXPECT_INT(9, reply.error_count);
    EXPECT_WRITTEN("-NOSPACE\r\n-\r\n-A234567890123456789012345678901 x\r\n"
                   "-A2345678901234567890123456789012 x\r\n");
    memset(long_word, 'w', sizeof long_word);
    reply_errorf(&reply, "ERR %.*s\n", (int)sizeof long_word, long_word);
    EXPECT_INT(1 + 4 + 600 + 2, written(&out).len);
    EXPECT(out.data[5] == 'w' && out.data[604] == 'w' && out.data[605] == '\r');
    end(&out);
}

static void test_int(void) {
    static const int64_t values[] = {0,        1,         9,    10,   99,    100,    101,
                                     999,      1000,      1001, 9999, 10000, 12345,  999999,
                                     1u << 31, INT64_MAX, -1,   -9,   -10,   -12345, INT64_MIN};
    struct buf out = {0}, expected = {0};
    begin(2);
    for (size_t i = 0; i < ARRAY_LENGTH(values); i++) {
        reply_int(&reply, values[i]);
        buf_printf(&expected, ":%" PRId64 "\r\n", values[i]);
    }
    for (int i = 0; i < 20000; i++) {
        reply_int(&reply, i);
        buf_printf(&expected, ":%d\r\n", i);
    }
    EXPECT(span_eq(buf_span(&expected), written(&out)));
    reply_bulk_int(&reply, -123);
    EXPECT_WRITTEN("$4\r\n-123\r\n");
    reply_bulk_int(&reply, INT64_MIN);
    EXPECT_WRITTEN("$20\r\n-9223372036854775808\r\n");
    buf_release(&expected);
    end(&out);
}

static void test_bulk(void) {
    struct buf out = {0}, bytes = {0}, expected = {0};
    begin(2);
    reply_bulk(&reply, span_make(NULL, 0));
    EXPECT_WRITTEN("$0\r\n\r\n");
    reply_bulk(&reply, SPAN("a\0\r\nb"));
    EXPECT_WRITTEN("$5\r\na\0\r\nb\r\n");
    reply_bulk_text(&reply, "text");
    EXPECT_WRITTEN("$4\r\ntext\r\n");
    reply_bulkf(&reply, "%s:%d", "id", 7);
    EXPECT_WRITTEN("$4\r\nid:7\r\n");
    /* all lengths up to where chunks end, and some large ones; alone and one behind another */
    for (size_t len = 0; len < 100000; len = len < 2100 ? len + 1 : len * 9 / 8) {
        while (bytes.len < len) buf_put_char(&bytes, (char)('a' + bytes.len % 26));
        bytes.len = len;
        buf_printf(&expected, "$%zu\r\n", len);
        buf_put_span(&expected, buf_span(&bytes));
        buf_put_text(&expected, "\r\n");
        reply_bulk(&reply, buf_span(&bytes));
        if (len % 3 == 0) continue;
        EXPECT(span_eq(buf_span(&expected), written(&out)));
        buf_clear(&expected);
    }
    written(&out);
    reply_bulkf(&reply, "%.*s", (int)bytes.len, bytes.data);
    buf_clear(&expected);
    buf_printf(&expected, "$%zu\r\n%.*s\r\n", bytes.len, (int)bytes.len, bytes.data);
    EXPECT(span_eq(buf_span(&expected), written(&out)));
    buf_release(&bytes);
    buf_release(&expected);
    end(&out);
}

static void test_resp2(void) {
    struct buf out = {0};
    begin(2);
    reply_null(&reply);
    reply_null_array(&reply);
    EXPECT_WRITTEN("$-1\r\n*-1\r\n");
    reply_bool(&reply, true);
    reply_bool(&reply, false);
    EXPECT_WRITTEN(":1\r\n:0\r\n");
    reply_big_number(&reply, "-123456789012345678901234567890");
    EXPECT_WRITTEN("$31\r\n-123456789012345678901234567890\r\n");
    reply_verbatim(&reply, "txt", SPAN("a\r\nb"));
    EXPECT_WRITTEN("$4\r\na\r\nb\r\n");
    reply_map(&reply, 6);
    reply_set(&reply, 2);
    reply_push(&reply, 3);
    EXPECT_WRITTEN("*12\r\n*2\r\n*3\r\n");
    end(&out);
}

static void test_resp3(void) {
    struct buf out = {0};
    begin(3);
    reply_null(&reply);
    reply_null_array(&reply);
    EXPECT_WRITTEN("_\r\n_\r\n");
    reply_bool(&reply, true);
    reply_bool(&reply, false);
    EXPECT_WRITTEN("#t\r\n#f\r\n");
    reply_big_number(&reply, "-123456789012345678901234567890");
    EXPECT_WRITTEN("(-123456789012345678901234567890\r\n");
    reply_verbatim(&reply, "txt", SPAN("a\r\nb"));
    EXPECT_WRITTEN("=8\r\ntxt:a\r\nb\r\n");
    reply_verbatim(&reply, "mkd", span_make(NULL, 0));
    EXPECT_WRITTEN("=4\r\nmkd:\r\n");
    reply_map(&reply, 6);
    reply_set(&reply, 2);
    reply_push(&reply, 3);
    reply_attribute(&reply, 1);
    EXPECT_WRITTEN("%6\r\n~2\r\n>3\r\n|1\r\n");
    end(&out);
}

static void test_doubles(void) {
    static const struct {
        double value;
        struct span resp2, resp3;
    } rows[] = {
        {0, SPAN("$1\r\n0\r\n"), SPAN(",0\r\n")},
        {-0.0, SPAN("$2\r\n-0\r\n"), SPAN(",-0\r\n")},
        {3, SPAN("$1\r\n3\r\n"), SPAN(",3\r\n")},
        {1.5, SPAN("$3\r\n1.5\r\n"), SPAN(",1.5\r\n")},
        {-0.1, SPAN("$4\r\n-0.1\r\n"), SPAN(",-0.1\r\n")},
        {1e300, SPAN("$6\r\n1e+300\r\n"), SPAN(",1e+300\r\n")},
        {INFINITY, SPAN("$3\r\ninf\r\n"), SPAN(",inf\r\n")},
        {-INFINITY, SPAN("$4\r\n-inf\r\n"), SPAN(",-inf\r\n")},
        {NAN, SPAN("$3\r\nnan\r\n"), SPAN(",nan\r\n")},
        {-NAN, SPAN("$3\r\nnan\r\n"), SPAN(",nan\r\n")},
        {0.30000000000000004, SPAN("$19\r\n0.30000000000000004\r\n"),
         SPAN(",0.30000000000000004\r\n")},
    };
    struct buf out = {0};
    for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
        begin(2);
        reply_double(&reply, rows[i].value);
        EXPECT_SPAN(rows[i].resp2, written(&out));
        end(&out);
        begin(3);
        reply_double(&reply, rows[i].value);
        EXPECT_SPAN(rows[i].resp3, written(&out));
        end(&out);
    }
}

/* ---- references */

static void test_blobs(void) {
    struct buf out = {0};
    size_t used = mem_used_bytes();
    struct blob *blob = blob_try_new(REPLY_REFERENCE_BYTES);
    uint64_t referenced = referenced_bytes;
    begin(2);
    for (size_t i = 0; i < REPLY_REFERENCE_BYTES; i++) blob->data[i] = (char)('a' + i % 26);
    blob->len = 3;
    reply_bulk_blob(&reply, blob);
    EXPECT_INT(1, blob->ref_count);
    EXPECT_WRITTEN("$3\r\nabc\r\n");
    blob->len = REPLY_REFERENCE_BYTES - 1;
    reply_bulk_blob(&reply, blob);
    EXPECT_INT(1, blob->ref_count);
    EXPECT_INT(8 + REPLY_REFERENCE_BYTES - 1 + 2, written(&out).len);
    EXPECT_INT(referenced, referenced_bytes);
    blob->len = REPLY_REFERENCE_BYTES;
    reply_bulk_blob(&reply, blob);
    reply_bulk_blob_part(&reply, blob, 2, 3);
    reply_bulk_blob_part(&reply, blob, 0, 0);
    reply_bulk_blob_part(&reply, blob, 0, REPLY_REFERENCE_BYTES);
    EXPECT_INT(3, blob->ref_count);
    EXPECT_INT(referenced + 2 * REPLY_REFERENCE_BYTES, referenced_bytes);
    EXPECT_INT(8 + REPLY_REFERENCE_BYTES + 2 + 9 + 6 + 8 + REPLY_REFERENCE_BYTES + 2,
               written(&out).len);
    EXPECT_INT(1, blob->ref_count);
    EXPECT_SPAN(SPAN("$16384\r\nabc"), span_make(out.data, 11));
    EXPECT_SPAN(SPAN("\r\n$3\r\ncde\r\n$0\r\n\r\n$16384\r\nabc"),
                span_make(out.data + 8 + REPLY_REFERENCE_BYTES, 2 + 9 + 6 + 8 + 3));
    EXPECT_SPAN(SPAN("\r\n"), span_make(out.data + out.len - 2, 2));
    /* the writer's own reference may go first; dropped output gives its up */
    reply_bulk_blob(&reply, blob);
    blob_unref(blob);
    EXPECT_INT(8 + REPLY_REFERENCE_BYTES + 2, written(&out).len);
    blob = blob_try_new(REPLY_REFERENCE_BYTES);
    blob->len = REPLY_REFERENCE_BYTES;
    memset(blob->data, 'x', blob->len);
    reply_bulk_blob(&reply, blob);
    EXPECT_INT(2, blob->ref_count);
    chunk_list_clear(&list);
    EXPECT_INT(1, blob->ref_count);
    blob_unref(blob);
    end(&out);
    EXPECT_INT(used, mem_used_bytes());
}

/* ---- marks */

static void test_marks(void) {
    struct buf out = {0};
    for (uint8_t protocol = 2; protocol <= 3; protocol++) {
        struct chunk *outer, *inner, *empty;
        begin(protocol);
        reply_int(&reply, 1);
        outer = reply_mark(&reply);
        reply_int(&reply, 2);
        inner = reply_mark(&reply);
        reply_bulk_text(&reply, "k");
        reply_int(&reply, 3);
        empty = reply_mark(&reply);
        reply_fill_array(&reply, empty, 0);
        reply_null(&reply);
        reply_fill_map(&reply, inner, 2);
        reply_ok(&reply);
        reply_fill_array(&reply, outer, 3);
        outer = reply_mark(&reply);
        reply_int(&reply, 4);
        reply_fill_set(&reply, outer, 1);
        if (protocol == 2)
            EXPECT_WRITTEN(
                ":1\r\n*3\r\n:2\r\n*4\r\n$1\r\nk\r\n:3\r\n*0\r\n$-1\r\n+OK\r\n*1\r\n:4\r\n");
        else
            EXPECT_WRITTEN(
                ":1\r\n*3\r\n:2\r\n%2\r\n$1\r\nk\r\n:3\r\n*0\r\n_\r\n+OK\r\n~1\r\n:4\r\n");
        end(&out);
    }
}

/* A mark before many chunks of elements; its count is large. */
static void test_mark_before_much(void) {
    struct buf out = {0}, expected = {0};
    struct chunk *mark;
    begin(2);
    mark = reply_mark(&reply);
    buf_put_text(&expected, "*20000\r\n");
    for (int i = 0; i < 20000; i++) {
        reply_bulk_int(&reply, i);
        buf_printf(&expected, "$%zu\r\n%d\r\n", num_digits((uint64_t)i), i);
    }
    reply_fill_array(&reply, mark, 20000);
    EXPECT(span_eq(buf_span(&expected), written(&out)));
    buf_release(&expected);
    end(&out);
}

int main(int argc, char **argv) {
    static const struct test tests[] = {
        {"reply_simple", test_simple},   {"reply_errors", test_errors},
        {"reply_int", test_int},         {"reply_bulk", test_bulk},
        {"reply_resp2", test_resp2},     {"reply_resp3", test_resp3},
        {"reply_doubles", test_doubles}, {"reply_blobs", test_blobs},
        {"reply_marks", test_marks},     {"reply_mark_before_much", test_mark_before_much},
    };
    return test_main(tests, ARRAY_LENGTH(tests), argc, argv);
}
