#include "test.h"

#include "base/alloc.h"
#include "base/random.h"
#include "resp/reader.h"
#include "stream.h"

static const struct reader_limits unauthenticated = {
    .bulk_bytes_max = 512 * 1024 * 1024,
    .arg_count_max = INT32_MAX,
    .unauthenticated = true,
};

static const size_t one_byte[] = {1};
static const struct stream_pieces unsplit = {0}, byte_by_byte = {one_byte, 1, true};

/* The unsplit bytes give `expected`, and so do all ways to split them in two, and byte by byte. */
static void expect_at_all_splits(struct span bytes, struct span expected,
                                 const struct reader_limits *limits) {
    struct buf log = {0};
    stream_run(&log, bytes, unsplit, limits);
    EXPECT_SPAN(expected, buf_span(&log));
    buf_clear(&log);
    stream_run(&log, bytes, byte_by_byte, limits);
    EXPECT_SPAN(expected, buf_span(&log));
    for (size_t at = 0; at <= bytes.len; at++) {
        const struct stream_pieces two = {&at, 1, false};
        buf_clear(&log);
        stream_run(&log, bytes, two, limits);
        EXPECT_SPAN(expected, buf_span(&log));
    }
    buf_release(&log);
}

struct form {
    struct span bytes, log;
};

static void expect_forms(const struct form *forms, size_t count,
                         const struct reader_limits *limits) {
    size_t used = mem_used_bytes();
    for (size_t i = 0; i < count && !test_failures; i++)
        expect_at_all_splits(forms[i].bytes, forms[i].log, limits);
    if (test_failures) return;
    EXPECT_INT(used, mem_used_bytes());
}

#define FORM(bytes, log)                \
    {                                   \
        {(bytes), sizeof(bytes) - 1}, { \
            (log), sizeof(log) - 1      \
        }                               \
    }
#define LEFT_0 "0 bytes left\n"

static void test_arrays(void) {
    static const struct form forms[] = {
        FORM("*1\r\n$4\r\nPING\r\n", "1 args, 14 bytes: 4=PING\n" LEFT_0),
        FORM("*2\r\n$3\r\nGET\r\n$16\r\nkey:000000000001\r\n",
             "2 args, 36 bytes: 3=GET 16=key:000000000001\n" LEFT_0),
        FORM("*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$0\r\n\r\n", "3 args, 26 bytes: 3=SET 1=k 0=\n" LEFT_0),
        FORM("*1\r\n$0\r\n\r\n", "1 args, 10 bytes: 0=\n" LEFT_0),
        FORM("*2\r\n$0\r\n\r\n$0\r\n\r\n", "2 args, 16 bytes: 0= 0=\n" LEFT_0),
        FORM("*1\r\n$4\r\na\r\nb\r\n", "1 args, 14 bytes: 4=a\r\nb\n" LEFT_0),
        FORM("*1\r\n$3\r\na\0b\r\n", "1 args, 13 bytes: 3=a\0b\n" LEFT_0),
        FORM("*1\r\n$102\r\n"
             "0123456789012345678901234567890123456789012345678901234567890123456789012345678901234"
             "567890"
             "12345678901\r\n",
             "1 args, 114 bytes: 102="
             "0123456789012345678901234567890123456789012345678901234567890123456789012345678901234"
             "567890"
             "12345678901\n" LEFT_0),
        FORM("*11\r\n$1\r\na\r\n$1\r\nb\r\n$1\r\nc\r\n$1\r\nd\r\n$1\r\ne\r\n$1\r\nf\r\n$1\r\ng\r\n$"
             "1\r\nh\r\n"
             "$1\r\ni\r\n$1\r\nj\r\n$1\r\nk\r\n",
             "11 args, 82 bytes: 1=a 1=b 1=c 1=d 1=e 1=f 1=g 1=h 1=i 1=j 1=k\n" LEFT_0),
        /* nothing to do */
        FORM("*0\r\n", "0 args, 4 bytes:\n" LEFT_0),
        FORM("*-1\r\n*-20\r\n", "0 args, 5 bytes:\n0 args, 6 bytes:\n" LEFT_0),
        FORM("*0\r\n*1\r\n$1\r\nx\r\n", "0 args, 4 bytes:\n1 args, 11 bytes: 1=x\n" LEFT_0),
        /* the bytes at the line ends are not looked at */
        FORM("*1\rx$1\rya??*1\r\n$1\r\nbzz",
             "1 args, 11 bytes: 1=a\n1 args, 11 bytes: 1=b\n" LEFT_0),
        FORM("*1\r\r$1\r\ra\r\r", "1 args, 11 bytes: 1=a\n" LEFT_0),
        /* incomplete */
        FORM("*", "1 bytes left\n"),
        FORM("*1\r\n$1\r\nx\r\n*1", "1 args, 11 bytes: 1=x\n2 bytes left\n"),
        FORM("*2\r\n$1\r\nx\r\n$10\r\nabc", "19 bytes left\n"),
        FORM("*1\r\n$1\r\nx", "9 bytes left\n"),
        FORM("*1\r\n$1\r\nx\r", "10 bytes left\n"),
        FORM("*1000000\r\n$1\r\nx\r\n", "17 bytes left\n"),
        FORM("*2147483647\r\n", "13 bytes left\n"),
        FORM("*1\r\n$536870912\r\n", "16 bytes left\n"),
    };
    expect_forms(forms, ARRAY_LENGTH(forms), &stream_limits);
}

static void test_inline(void) {
    static const struct form forms[] = {
        FORM("PING\r\n", "1 args, 6 bytes: 4=PING\n" LEFT_0),
        FORM("PING\n", "1 args, 5 bytes: 4=PING\n" LEFT_0),
        FORM("SET  key\tvalue \r\n", "3 args, 17 bytes: 3=SET 3=key 5=value\n" LEFT_0),
        FORM("  \v\f GET a\r\n", "2 args, 12 bytes: 3=GET 1=a\n" LEFT_0),
        FORM("a\vb\fc d\n", "2 args, 8 bytes: 5=a\vb\fc 1=d\n" LEFT_0),
        FORM("a\rb\r\r\n", "2 args, 6 bytes: 1=a 1=b\n" LEFT_0),
        /* nothing to do */
        FORM("\r\n", "0 args, 2 bytes:\n" LEFT_0),
        FORM("\n\n", "0 args, 1 bytes:\n0 args, 1 bytes:\n" LEFT_0),
        FORM("  \t \r\n", "0 args, 6 bytes:\n" LEFT_0),
        FORM("\r\r\n", "0 args, 3 bytes:\n" LEFT_0),
        /* quotes */
        FORM("SET \"a b\" 'c d'\n", "3 args, 16 bytes: 3=SET 3=a b 3=c d\n" LEFT_0),
        FORM("\"\" ''\n", "2 args, 6 bytes: 0= 0=\n" LEFT_0),
        FORM("\"\\x41\\x7a\\xFf\\n\\r\\t\\b\\a\\\\\\\"\\q\"\n",
             "1 args, 31 bytes: 11=Az\xff\n\r\t\b\a\\\"q\n" LEFT_0),
        FORM("\"\\x4\" \"\\xg1\" \"\\x\"\n", "3 args, 18 bytes: 2=x4 3=xg1 1=x\n" LEFT_0),
        FORM("'\\x41\\n\\'' '\\\\x'\n", "2 args, 17 bytes: 7=\\x41\\n' 3=\\\\x\n" LEFT_0),
        FORM("'\\\\'\n", "Protocol error: unbalanced quotes in request\n"),
        FORM("foo\"bar baz\" x'y z'\n", "2 args, 20 bytes: 10=foobar baz 4=xy z\n" LEFT_0),
        FORM("\"a\"\v'b'\f\"c\"\n", "3 args, 12 bytes: 1=a 1=b 1=c\n" LEFT_0),
        FORM("a \"b\" c \"d\" e\n", "5 args, 14 bytes: 1=a 1=b 1=c 1=d 1=e\n" LEFT_0),
        FORM("\"a\rb\"\n", "1 args, 6 bytes: 3=a\rb\n" LEFT_0),
        /* a NUL ends the line's text */
        FORM("GET k\0 x \"\r\nPING\n",
             "2 args, 12 bytes: 3=GET 1=k\n1 args, 5 bytes: 4=PING\n" LEFT_0),
        /* not balanced */
        FORM("SET \"a\n", "Protocol error: unbalanced quotes in request\n"),
        FORM("SET 'a\r\n", "Protocol error: unbalanced quotes in request\n"),
        FORM("SET \"a\"b\n", "Protocol error: unbalanced quotes in request\n"),
        FORM("SET 'a'b\n", "Protocol error: unbalanced quotes in request\n"),
        FORM("SET \"a\\\"\n", "Protocol error: unbalanced quotes in request\n"),
        FORM("SET \"a\\\n", "Protocol error: unbalanced quotes in request\n"),
        FORM("SET 'a\\'\n", "Protocol error: unbalanced quotes in request\n"),
        FORM("a\"\n", "Protocol error: unbalanced quotes in request\n"),
        FORM("a \"b\" \"a\0\"\n", "Protocol error: unbalanced quotes in request\n"),
        /* incomplete */
        FORM("PING", "4 bytes left\n"),
        FORM("$4\r\nPING", "1 args, 4 bytes: 2=$4\n4 bytes left\n"),
        /* with arrays around */
        FORM("*1\r\n$1\r\na\r\nb c\r\n*1\r\n$1\r\nd\r\n\r\ne\n",
             "1 args, 11 bytes: 1=a\n2 args, 5 bytes: 1=b 1=c\n1 args, 11 bytes: 1=d\n0 args, 2 "
             "bytes:\n"
             "1 args, 2 bytes: 1=e\n" LEFT_0),
    };
    expect_forms(forms, ARRAY_LENGTH(forms), &stream_limits);
}

#define COUNT_ERROR "Protocol error: invalid multibulk length\n"
#define BULK_ERROR "Protocol error: invalid bulk length\n"

static void test_errors(void) {
    static const struct form forms[] = {
        FORM("*\r\n", COUNT_ERROR),
        FORM("*x\r\n", COUNT_ERROR),
        FORM("*1x\r\n", COUNT_ERROR),
        FORM("* 1\r\n", COUNT_ERROR),
        FORM("*1 \r\n", COUNT_ERROR),
        FORM("*+1\r\n", COUNT_ERROR),
        FORM("*01\r\n", COUNT_ERROR),
        FORM("*00\r\n", COUNT_ERROR),
        FORM("*-0\r\n", COUNT_ERROR),
        FORM("*-\r\n", COUNT_ERROR),
        FORM("*1\n\r\n", COUNT_ERROR),
        FORM("*2147483648\r\n", COUNT_ERROR),
        FORM("*9223372036854775808\r\n", COUNT_ERROR),
        FORM("*111111111111111111111111\r\n", COUNT_ERROR),
        FORM("*1\r\nx\r\n", "Protocol error: expected '$', got 'x'\n"),
        FORM("*2\r\n$1\r\na\r\n*1\r\n", "Protocol error: expected '$', got '*'\n"),
        FORM("*1\r\n$4\r\nPINGPING\r\n*1\r\n$1\r\na\r\n",
             "1 args, 14 bytes: 4=PING\n1 args, 4 bytes: 2=NG\n1 args, 11 bytes: 1=a\n" LEFT_0),
        FORM("*1\r\n\r\n", "Protocol error: expected '$', got '\r'\n"),
        FORM("*1\r\n\n\r\n", "Protocol error: expected '$', got '\n'\n"),
        FORM("*1\r\n$\r\n", BULK_ERROR),
        FORM("*1\r\n$-1\r\n", BULK_ERROR),
        FORM("*1\r\n$x\r\n", BULK_ERROR),
        FORM("*1\r\n$01\r\na\r\n", BULK_ERROR),
        FORM("*1\r\n$+1\r\na\r\n", BULK_ERROR),
        FORM("*1\r\n$1a\r\na\r\n", BULK_ERROR),
        FORM("*1\r\n$12a\r\na\r\n", BULK_ERROR),
        FORM("*1\r\n$00\r\n\r\n", BULK_ERROR),
        FORM("*1\r\n$536870913\r\n", BULK_ERROR),
        FORM("*1\r\n$9223372036854775808\r\n", BULK_ERROR),
        FORM("*2\r\n$1\r\na\r\n$4294967297\r\na\r\n", BULK_ERROR),
        /* what came before stands */
        FORM("*1\r\n$1\r\na\r\n*x\r\n", "1 args, 11 bytes: 1=a\n" COUNT_ERROR),
    };
    expect_forms(forms, ARRAY_LENGTH(forms), &stream_limits);
}

static void test_small_limits(void) {
    static const struct reader_limits small = {.bulk_bytes_max = 5, .arg_count_max = 3};
    static const struct form forms[] = {
        FORM("*3\r\n$5\r\nabcde\r\n$1\r\nb\r\n$1\r\nc\r\n",
             "3 args, 29 bytes: 5=abcde 1=b 1=c\n" LEFT_0),
        FORM("*4\r\n", COUNT_ERROR),
        FORM("*1\r\n$6\r\nabcdef\r\n", BULK_ERROR),
    };
    expect_forms(forms, ARRAY_LENGTH(forms), &small);
}

static void test_unauthenticated(void) {
    static const struct form forms[] = {
        FORM("*10\r\n$1\r\na\r\n", "12 bytes left\n"),
        FORM("*11\r\n", "Protocol error: unauthenticated multibulk length\n"),
        FORM("*2147483647\r\n", "Protocol error: unauthenticated multibulk length\n"),
        FORM("*2147483648\r\n", COUNT_ERROR),
        FORM("*1\r\n$16384\r\n", "12 bytes left\n"),
        FORM("*1\r\n$16385\r\n", "Protocol error: unauthenticated bulk length\n"),
        FORM("*1\r\n$536870912\r\n", "Protocol error: unauthenticated bulk length\n"),
        FORM("*1\r\n$536870913\r\n", BULK_ERROR),
        FORM("AUTH \"secret\"\r\n", "2 args, 15 bytes: 4=AUTH 6=secret\n" LEFT_0),
    };
    expect_forms(forms, ARRAY_LENGTH(forms), &unauthenticated);
}

/* A line of `len` bytes: `prefix`, then 'x'; then `suffix`. Split at places around the limit. */
static void expect_long_line(const char *prefix, size_t len, const char *suffix,
                             const char *expected) {
    static const size_t splits[] = {1, 2, 100, 65535, 65536, 65537, 65538};
    static const size_t sixteenth[] = {4096};
    struct buf bytes = {0}, log = {0};
    buf_put_text(&bytes, prefix);
    while (bytes.len < len) buf_put_char(&bytes, 'x');
    buf_put_text(&bytes, suffix);
    stream_run(&log, buf_span(&bytes), unsplit, &stream_limits);
    EXPECT_SPAN(span_of(expected), span_make(log.data, MIN(log.len, strlen(expected))));
    for (size_t i = 0; i <= ARRAY_LENGTH(splits); i++) {
        struct stream_pieces pieces = {splits + i, 1, false};
        struct buf again = {0};
        if (i == ARRAY_LENGTH(splits)) pieces = (struct stream_pieces){sixteenth, 1, true};
        stream_run(&again, buf_span(&bytes), pieces, &stream_limits);
        EXPECT(span_eq(buf_span(&log), buf_span(&again)));
        buf_release(&again);
    }
    buf_release(&bytes);
    buf_release(&log);
}

static void test_line_limits(void) {
    static const struct {
        const char *prefix, *too_big, *complete;
    } lines[] = {
        {"", "Protocol error: too big inline request\n", "1 args, 65537 bytes: 65536=xxx"},
        {"*", "Protocol error: too big mbulk count string\n", COUNT_ERROR},
        {"*1\r\n$", "Protocol error: too big bulk count string\n", BULK_ERROR},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(lines) && !test_failures; i++) {
        const char *prefix = lines[i].prefix;
        size_t max =
            READER_LENGTH_LINE_MAX + (i == 2 ? 4 : 0); /* the first line counts for itself */
        expect_long_line(prefix, max, "", i == 2 ? "65540 bytes left\n" : "65536 bytes left\n");
        expect_long_line(prefix, max + 1, "", lines[i].too_big);
        expect_long_line(prefix, max, i == 0 ? "\n" : "\r\n", lines[i].complete);
        expect_long_line(prefix, max + 1, i == 0 ? "\n" : "\r\n", lines[i].too_big);
    }
}

static void test_error_texts(void) {
    static const struct {
        int code;
        const char *text;
    } errors[] = {
        {READER_ERROR_INLINE_TOO_BIG, "Protocol error: too big inline request"},
        {READER_ERROR_UNBALANCED_QUOTES, "Protocol error: unbalanced quotes in request"},
        {READER_ERROR_COUNT_LINE_TOO_BIG, "Protocol error: too big mbulk count string"},
        {READER_ERROR_COUNT, "Protocol error: invalid multibulk length"},
        {READER_ERROR_COUNT_UNAUTHENTICATED, "Protocol error: unauthenticated multibulk length"},
        {READER_ERROR_BULK_LINE_TOO_BIG, "Protocol error: too big bulk count string"},
        {READER_ERROR_EXPECTED_BULK, "Protocol error: expected '$', got '#'"},
        {READER_ERROR_BULK, "Protocol error: invalid bulk length"},
        {READER_ERROR_BULK_UNAUTHENTICATED, "Protocol error: unauthenticated bulk length"},
        {READER_ERROR_MEMORY, "Protocol error: out of memory for this request"},
    };
    const struct reader reader = {.unexpected = '#'};
    char out[128];
    for (size_t i = 0; i < ARRAY_LENGTH(errors); i++)
        EXPECT_SPAN(span_of(errors[i].text),
                    span_of(reader_error_text(&reader, errors[i].code, out)));
}

/* ---- where the arguments lie */

struct parser {
    struct reader reader;
    struct window_memory *window;
    struct request request;
    size_t used_bytes; /* before */
};

static void parser_init(struct parser *p) {
    *p = (struct parser){.used_bytes = mem_used_bytes()};
    p->window = window_memory_new();
}

static int parser_feed(struct parser *p, struct span data) {
    return reader_next(&p->reader, &data, &stream_limits, p->window, &p->request);
}

static int parser_feed_text(struct parser *p, const char *text) {
    return parser_feed(p, span_of(text));
}

/* `len` bytes of the same kind in one piece. */
static int parser_feed_run(struct parser *p, char c, size_t len) {
    char *bytes = malloc(len);
    int result;
    memset(bytes, c, len);
    result = parser_feed(p, span_make(bytes, len));
    free(bytes);
    return result;
}

static bool parser_release(struct parser *p) {
    reader_release(&p->reader);
    window_memory_free(p->window);
    return mem_used_bytes() == p->used_bytes;
}

static void test_in_place(void) {
    static const char bytes[] = "*2\r\n$3\r\nGET\r\n$1\r\nk\r\nGET 'a' b\r\n";
    struct span data = SPAN("*2\r\n$3\r\nGET\r\n$1\r\nk\r\nGET 'a' b\r\n");
    struct parser p;
    struct request *r = &p.request;
    parser_init(&p);
    data.data = bytes;
    EXPECT_INT(READER_REQUEST, reader_next(&p.reader, &data, &stream_limits, p.window, r));
    EXPECT(r->argv[0].data == bytes + 8 && r->argv[1].data == bytes + 17 && r->blob_count == 0);
    EXPECT(data.data == bytes + 20);
    EXPECT_INT(READER_REQUEST, reader_next(&p.reader, &data, &stream_limits, p.window, r));
    EXPECT(r->argc == 3 && r->argv[0].data == bytes + 20 && r->argv[2].data == bytes + 28);
    EXPECT_SPAN(SPAN("a"), r->argv[1]);
    EXPECT_INT(READER_MORE, reader_next(&p.reader, &data, &stream_limits, p.window, r));
    EXPECT_INT(0, reader_held_bytes(&p.reader));
    EXPECT(parser_release(&p));
}

/* What a split request consists of stays valid while the next one is being read. */
static void test_split_outlives_next(void) {
    struct parser p;
    struct request first;
    parser_init(&p);
    EXPECT_INT(READER_MORE, parser_feed_text(&p, "*2\r\n$3\r\nGET\r\n$5\r\nfi"));
    EXPECT_INT(READER_REQUEST, parser_feed_text(&p, "rst\r\n"));
    first = p.request;
    EXPECT_INT(READER_MORE, parser_feed_text(&p, "*2\r\n$3\r\nDEL\r\n$6\r\nsec"));
    EXPECT(reader_held_bytes(&p.reader) > 0);
    EXPECT_INT(READER_REQUEST, parser_feed_text(&p, "ond\r\n"));
    EXPECT_SPAN(SPAN("GET"), first.argv[0]);
    EXPECT_SPAN(SPAN("first"), first.argv[1]);
    EXPECT_SPAN(SPAN("second"), p.request.argv[1]);
    EXPECT_INT(0, reader_held_bytes(&p.reader));
    EXPECT(parser_release(&p));
}

/* ---- blobs */

static void test_blob(void) {
    enum { LEN = 100000 };
    struct parser p;
    struct blob *blob;
    parser_init(&p);
    EXPECT_INT(READER_MORE, parser_feed_text(&p, "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$100000\r\n"));
    EXPECT(reader_held_bytes(&p.reader) < 1000);
    EXPECT_INT(READER_MORE, parser_feed_run(&p, 'a', READER_BLOB_COME_BYTES - 1));
    EXPECT(reader_held_bytes(&p.reader) < LEN / 2);
    EXPECT_INT(READER_MORE, parser_feed_run(&p, 'b', 1));
    EXPECT(reader_held_bytes(&p.reader) >= LEN);
    EXPECT_INT(READER_MORE, parser_feed_run(&p, 'b', LEN - READER_BLOB_COME_BYTES));
    EXPECT_INT(READER_REQUEST, parser_feed_text(&p, "\r\n"));
    EXPECT_INT(3, p.request.argc);
    EXPECT_SPAN(SPAN("k"), p.request.argv[1]);
    EXPECT_INT(LEN, p.request.argv[2].len);
    EXPECT(!request_take_blob(&p.request, 0) && !request_take_blob(&p.request, 1));
    EXPECT(!request_take_blob(&p.request, 3));
    blob = request_take_blob(&p.request, 2);
    EXPECT(blob && blob->data == p.request.argv[2].data && blob->len == LEN);
    EXPECT(!request_take_blob(&p.request, 2));
    window_memory_clear(p.window);
    EXPECT_INT(1, blob->ref_count);
    EXPECT(blob->data[READER_BLOB_COME_BYTES - 2] == 'a' &&
           blob->data[READER_BLOB_COME_BYTES - 1] == 'b');
    EXPECT(blob->data[0] == 'a' && blob->data[LEN - 1] == 'b');
    blob_unref(blob);
    EXPECT(parser_release(&p));
}

static void test_blob_not_taken(void) {
    struct parser p;
    parser_init(&p);
    EXPECT_INT(READER_MORE, parser_feed_text(&p, "*2\r\n$20000\r\n"));
    EXPECT_INT(READER_MORE, parser_feed_run(&p, 'a', 20000));
    EXPECT_INT(READER_REQUEST, parser_feed_text(&p, "\r\n$1\r\nb\r\n"));
    EXPECT_INT(1, p.request.blob_count);
    EXPECT_INT(20000, p.request.argv[0].len);
    EXPECT_SPAN(SPAN("b"), p.request.argv[1]);
    EXPECT(parser_release(&p));
}

static void test_blob_abandoned(void) {
    struct parser p;
    parser_init(&p);
    EXPECT_INT(READER_MORE, parser_feed_text(&p, "*2\r\n$20000\r\n"));
    EXPECT_INT(READER_MORE, parser_feed_run(&p, 'a', 19999));
    reader_release(&p.reader);
    EXPECT_INT(0, reader_held_bytes(&p.reader));
    EXPECT_INT(READER_REQUEST, parser_feed_text(&p, "PING\r\n"));
    EXPECT(parser_release(&p));
}

/* A large value that lies whole in the bytes at hand stays there: the command copies it where it needs it. */
static void test_blob_not_made(void) {
    struct buf bytes = {0};
    struct parser p;
    buf_put_text(&bytes, "*1\r\n$20000\r\n");
    for (int i = 0; i < 20000; i++) buf_put_char(&bytes, 'v');
    buf_put_text(&bytes, "\r\n");
    parser_init(&p);
    p.used_bytes -= bytes.capacity;
    EXPECT_INT(READER_REQUEST, parser_feed(&p, buf_span(&bytes)));
    EXPECT_INT(0, p.request.blob_count);
    EXPECT(p.request.argv[0].data == bytes.data + 12);
    buf_release(&bytes);
    EXPECT(parser_release(&p));
}

/* MSET of large values in pieces: a blob for each, and each can be taken. */
static void test_many_blobs(void) {
    enum { COUNT = 40, LEN = 1 << 20 };
    char header[64];
    struct parser p;
    int result = READER_MORE;
    parser_init(&p);
    snprintf(header, sizeof header, "*%d\r\n$4\r\nMSET\r\n", 1 + 2 * COUNT);
    EXPECT_INT(READER_MORE, parser_feed_text(&p, header));
    for (int i = 0; i < COUNT; i++) {
        snprintf(header, sizeof header, "$2\r\n%02d\r\n$%d\r\n", i, LEN);
        EXPECT_INT(READER_MORE, parser_feed_text(&p, header));
        for (int piece = 0; piece < 16; piece++)
            EXPECT_INT(READER_MORE, parser_feed_run(&p, (char)('A' + i), LEN / 16));
        EXPECT(reader_held_bytes(&p.reader) < (size_t)(i + 1) * LEN * 3 / 2 + 10000);
        result = parser_feed_text(&p, "\r\n");
        EXPECT_INT(i == COUNT - 1 ? READER_REQUEST : READER_MORE, result);
    }
    EXPECT_INT(COUNT, p.request.blob_count);
    for (uint32_t i = 1; i < p.request.argc; i += 2) {
        struct blob *blob;
        EXPECT_INT(2, p.request.argv[i].len);
        EXPECT_INT(LEN, p.request.argv[i + 1].len);
        EXPECT_INT('A' + (int)i / 2, p.request.argv[i + 1].data[LEN - 1]);
        if (i % 4 == 1) continue; /* every second one is left to the window */
        blob = request_take_blob(&p.request, i + 1);
        EXPECT(blob);
        blob_unref(blob);
    }
    EXPECT(parser_release(&p));
}

/* A value whose end and many small arguments come together with the rest of a request already begun. */
static void test_large_and_small_at_all_splits(void) {
    struct buf bytes = {0}, log = {0};
    buf_put_text(&bytes, "*4\r\n$3\r\nSET\r\n$17000\r\n");
    for (int i = 0; i < 17000; i++) buf_put_char(&bytes, (char)('a' + i % 26));
    buf_put_text(&bytes, "\r\n$16384\r\n");
    for (int i = 0; i < 16384; i++) buf_put_char(&bytes, (char)('A' + i % 26));
    buf_put_text(&bytes, "\r\n$1\r\nx\r\nPING\r\n");
    stream_run(&log, buf_span(&bytes), unsplit, &stream_limits);
    for (size_t at = 0; at < bytes.len; at += at < 100 || at > bytes.len - 100 ? 1 : 97) {
        const size_t sizes[] = {at, 16384, 1};
        struct buf again = {0};
        stream_run(&again, buf_span(&bytes), (struct stream_pieces){sizes, 1, false},
                   &stream_limits);
        stream_run(&again, buf_span(&bytes), (struct stream_pieces){sizes, 3, false},
                   &stream_limits);
        EXPECT_INT(log.len * 2, again.len);
        EXPECT(memcmp(log.data, again.data, log.len) == 0);
        EXPECT(memcmp(log.data, again.data + log.len, log.len) == 0);
        buf_release(&again);
    }
    buf_release(&bytes);
    buf_release(&log);
}

/* Bytes that were received straight into their place are taken without being moved; others may come in between. */
static void test_receiving(void) {
    enum { LEN = 100000, FIRST = 5000 };
    struct parser p;
    struct blob *blob;
    char *at = NULL;
    parser_init(&p);
    EXPECT_INT(READER_MORE, parser_feed_text(&p, "*2\r\n$3\r\nSET\r\n$100000\r\n"));
    EXPECT_INT(0, reader_receiving(&p.reader, &at));
    EXPECT_INT(READER_MORE, parser_feed_run(&p, 'a', FIRST));
    EXPECT_INT(LEN - FIRST, reader_receiving(&p.reader, &at));
    memset(at, 'b', FIRST);
    struct span placed = span_make(at, FIRST);
    EXPECT_INT(READER_MORE, parser_feed(&p, placed));
    EXPECT_INT(LEN - 2 * FIRST, reader_receiving(&p.reader, &at));
    EXPECT_INT(READER_MORE, parser_feed_run(&p, 'c', LEN - 2 * FIRST));
    EXPECT_INT(0, reader_receiving(&p.reader, &at));
    EXPECT_INT(READER_REQUEST, parser_feed_text(&p, "\r\n"));
    blob = request_take_blob(&p.request, 1);
    EXPECT(blob && blob->len == LEN);
    EXPECT(blob->data[FIRST - 1] == 'a' && blob->data[FIRST] == 'b');
    EXPECT(blob->data[2 * FIRST - 1] == 'b' && blob->data[2 * FIRST] == 'c');
    blob_unref(blob);
    EXPECT(parser_release(&p));
}

/* ---- bounds */

/* What is announced costs nothing. */
static void test_announcements(void) {
    struct parser p;
    size_t window_bytes;
    parser_init(&p);
    window_bytes = mem_used_bytes() - p.used_bytes;
    EXPECT_INT(READER_MORE, parser_feed_text(&p, "*2147483647\r\n$536870912\r\n"));
    EXPECT(mem_used_bytes() - p.used_bytes - window_bytes < 1024);
    EXPECT_INT(READER_MORE, parser_feed_run(&p, 'x', READER_BLOB_COME_BYTES - 1));
    EXPECT(mem_used_bytes() - p.used_bytes - window_bytes < 2 * READER_BLOB_COME_BYTES);
    EXPECT(reader_held_bytes(&p.reader) < 2 * READER_BLOB_COME_BYTES);
    EXPECT(parser_release(&p));
}

/* 100,001 arguments, byte by byte: seconds, were it quadratic. And the window gives the memory back. */
static void test_many_arguments(void) {
    enum { COUNT = 100000 };
    struct buf bytes = {0};
    struct parser p;
    struct span data;
    int result = READER_MORE;
    parser_init(&p);
    buf_printf(&bytes, "*%d\r\n$4\r\nMSET\r\n", COUNT + 1);
    for (int i = 0; i < COUNT; i++) buf_printf(&bytes, "$6\r\n%06d\r\n", i);
    for (size_t i = 0; i < bytes.len; i++) {
        EXPECT_INT(READER_MORE, result);
        data = span_make(bytes.data + i, 1);
        result = reader_next(&p.reader, &data, &stream_limits, p.window, &p.request);
    }
    EXPECT_INT(READER_REQUEST, result);
    EXPECT_INT(COUNT + 1, p.request.argc);
    EXPECT_INT(bytes.len, p.request.wire_bytes);
    EXPECT_SPAN(SPAN("000000"), p.request.argv[1]);
    EXPECT_SPAN(SPAN("099999"), p.request.argv[COUNT]);
    window_memory_clear(p.window);
    /* whole in one piece */
    EXPECT_INT(READER_REQUEST, parser_feed(&p, buf_span(&bytes)));
    EXPECT_INT(COUNT + 1, p.request.argc);
    EXPECT_SPAN(SPAN("099999"), p.request.argv[COUNT]);
    EXPECT(p.request.argv[COUNT].data == bytes.data + bytes.len - 8);
    buf_release(&bytes);
    window_memory_clear(p.window);
    EXPECT(window_memory_bytes(p.window) < 1 << 20);
    EXPECT(parser_release(&p));
}

/* A pipeline of everything, split at random. */
static void put_random_request(struct buf *bytes, struct random *r) {
    static const char *const lines[] = {"PING\r\n", "GET 'a b'\n", "\r\n", "*0\r\n",
                                        "set x \"\\x00\"\r\n"};
    uint64_t count = random_below(r, 12);
    if (count < ARRAY_LENGTH(lines)) {
        buf_put_text(bytes, lines[count]);
        return;
    }
    buf_printf(bytes, "*%d\r\n", (int)count);
    while (count--) {
        uint64_t len = random_below(r, 200);
        if (random_below(r, 50) == 0) len = 16000 + random_below(r, 30000);
        buf_printf(bytes, "$%d\r\n", (int)len);
        while (len--) buf_put_char(bytes, (char)random_next(r));
        buf_put_text(bytes, "\r\n");
    }
}

static void test_random_pipelines(void) {
    struct random r;
    random_init(&r, test_seed());
    for (int round = 0; round < 100; round++) {
        struct buf bytes = {0}, log = {0}, again = {0};
        size_t sizes[16];
        for (uint64_t n = 1 + random_below(&r, 40); n > 0; n--) put_random_request(&bytes, &r);
        for (size_t i = 0; i < ARRAY_LENGTH(sizes); i++)
            sizes[i] = (size_t)random_below(&r, (uint64_t)1 << random_below(&r, 16));
        sizes[0] += 1;
        EXPECT_INT(READER_MORE, stream_run(&log, buf_span(&bytes), unsplit, &stream_limits));
        stream_run(&again, buf_span(&bytes),
                   (struct stream_pieces){sizes, ARRAY_LENGTH(sizes), true}, &stream_limits);
        EXPECT(span_eq(buf_span(&log), buf_span(&again)));
        buf_release(&bytes);
        buf_release(&log);
        buf_release(&again);
    }
}

/* ---- without memory: an error or the right result, and nothing lost */

static int run_failing_at(struct span bytes, struct stream_pieces pieces, uint64_t n) {
    struct stream s = {.limits = &stream_limits, .window = window_memory_new()};
    struct buf log = {0};
    size_t at = 0;
    buf_reserve(&log, 256 * 1024);
    s.log = &log;
    mem_test_fail_at(n);
    for (size_t i = 0; at < bytes.len && s.result >= 0; i++) {
        size_t size = pieces.count ? pieces.sizes[i % pieces.count] : bytes.len;
        size = MIN(size, bytes.len - at);
        stream_feed_piece(&s, span_make(bytes.data + at, size));
        at += size;
    }
    mem_test_fail_at(0);
    reader_release(&s.reader);
    window_memory_free(s.window);
    buf_release(&log);
    return s.result;
}

static void test_allocation_failures(void) {
    static const size_t sizes[] = {7, 5000};
    const struct stream_pieces cuts[] = {unsplit, byte_by_byte, {sizes, 2, true}};
    struct buf bytes = {0};
    size_t used;
    int errors = 0;
    buf_put_text(&bytes, "*12\r\n$17000\r\n");
    for (int i = 0; i < 17000; i++) buf_put_char(&bytes, 'v');
    for (int i = 0; i < 10; i++) buf_put_text(&bytes, "\r\n$5\r\nabcde");
    buf_put_text(&bytes, "\r\n$20000\r\n");
    for (int i = 0; i < 20000; i++) buf_put_char(&bytes, 'w');
    buf_put_text(&bytes, "\r\nSET 'a b' \"c\"\r\nGET k\r\n*1\r\n$1\r\nx\r\n");
    used = mem_used_bytes();
    for (size_t cut = 0; cut < ARRAY_LENGTH(cuts); cut++) {
        for (uint64_t n = 1; n < 60; n++) {
            int result = run_failing_at(buf_span(&bytes), cuts[cut], n);
            EXPECT(result == READER_MORE || result == READER_ERROR_MEMORY);
            errors += result == READER_ERROR_MEMORY;
            EXPECT_INT(used, mem_used_bytes());
        }
    }
    EXPECT(errors > 25);
    buf_release(&bytes);
}

int main(int argc, char **argv) {
    static const struct test tests[] = {
        {"reader_arrays", test_arrays},
        {"reader_inline", test_inline},
        {"reader_errors", test_errors},
        {"reader_small_limits", test_small_limits},
        {"reader_unauthenticated", test_unauthenticated},
        {"reader_line_limits", test_line_limits},
        {"reader_error_texts", test_error_texts},
        {"reader_in_place", test_in_place},
        {"reader_split_outlives_next", test_split_outlives_next},
        {"reader_blob", test_blob},
        {"reader_receiving", test_receiving},
        {"reader_blob_not_taken", test_blob_not_taken},
        {"reader_blob_abandoned", test_blob_abandoned},
        {"reader_blob_not_made", test_blob_not_made},
        {"reader_many_blobs", test_many_blobs},
        {"reader_large_and_small_at_all_splits", test_large_and_small_at_all_splits},
        {"reader_announcements", test_announcements},
        {"reader_many_arguments", test_many_arguments},
        {"reader_random_pipelines", test_random_pipelines},
        {"reader_allocation_failures", test_allocation_failures},
    };
    return test_main(tests, ARRAY_LENGTH(tests), argc, argv);
}
