/* The small forms: known vectors, round trips at every width, damaged and cut input, refused memory. */
#include "persist/rdb.h"

#include <errno.h>
#include <math.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/random.h"
#include "persist/crc64.h"
#include "persist/lzf.h"
#include "test.h"

static uint64_t bitwise(struct span bytes) {
    uint64_t crc = 0;
    for (size_t i = 0; i < bytes.len; i++) {
        crc ^= (unsigned char)bytes.data[i];
        for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (crc & 1 ? 0x95ac9329ac4bc9b5ull : 0);
    }
    return crc;
}

static void fill(struct random *random, char *bytes, size_t len, unsigned letters) {
    for (size_t i = 0; i < len; i++) bytes[i] = (char)random_below(random, letters);
}

static void test_crc64(void) {
    struct random random;
    char bytes[600];
    random_init(&random, test_seed());
    EXPECT(crc64(0, SPAN("123456789")) == 0xe9c6d914c4b8d9caull);
    EXPECT(crc64(0, SPAN("")) == 0);
    fill(&random, bytes, sizeof bytes, 256);
    for (size_t len = 0; len <= sizeof bytes; len++) {
        struct span whole = span_make(bytes, len);
        EXPECT(crc64(0, whole) == bitwise(whole));
        size_t cut = random_below(&random, len + 1);
        uint64_t first = crc64(0, span_make(bytes, cut));
        EXPECT(crc64(first, span_make(bytes + cut, len - cut)) == bitwise(whole));
    }
}

static void test_lzf_vectors(void) {
    char out[64];
    EXPECT(lzf_decompress(SPAN("\x02"
                               "abc"),
                          out, 3) &&
           !memcmp(out, "abc", 3));
    EXPECT(lzf_decompress(SPAN("\0a\xe0\x07\0"), out, 17) && !memcmp(out, "aaaaaaaaaaaaaaaaa", 17));
    EXPECT(lzf_decompress(SPAN("\1ab\x20\1"), out, 5) && !memcmp(out, "ababa", 5));
    EXPECT(!lzf_decompress(SPAN("\1ab\x20\2"), out, 5)); /* from before the beginning */
    EXPECT(!lzf_decompress(SPAN("\1ab\x20\1"), out, 4));
    EXPECT(!lzf_decompress(SPAN("\1ab\x20\1"), out, 6));
    EXPECT(!lzf_decompress(SPAN("\5ab"), out, 6));
    EXPECT(!lzf_decompress(SPAN("\0a\xe0"), out, 17));
    EXPECT(!lzf_decompress(SPAN("\0a\xe0\7"), out, 17));
    EXPECT(!lzf_decompress(SPAN("\0a\x20"), out, 4));
}

static void test_lzf_round_trips(void) {
    struct random random;
    random_init(&random, test_seed());
    for (int round = 0; round < 400; round++) {
        size_t len = random_below(&random, round < 300 ? 400 : 40000);
        char *in = mem_alloc(len + 1), *packed = mem_alloc(len + 1), *out = mem_alloc(len + 1);
        fill(&random, in, len, 1 + (unsigned)random_below(&random, 12));
        size_t packed_len = lzf_compress(span_make(in, len), packed, len);
        if (packed_len) {
            EXPECT(packed_len <= len);
            EXPECT(lzf_decompress(span_make(packed, packed_len), out, len));
            EXPECT(!memcmp(in, out, len));
            EXPECT(lzf_compress(span_make(in, len), out, packed_len - 1) == 0);
            for (int i = 0; i < 20; i++) { /* damaged: any answer, nothing outside */
                packed[random_below(&random, packed_len)] ^= (char)(1 << random_below(&random, 8));
                (void)lzf_decompress(span_make(packed, random_below(&random, packed_len + 1)), out,
                                     len);
            }
        }
        mem_free(in);
        mem_free(packed);
        mem_free(out);
    }
}

static void test_lengths(void) {
    static const uint64_t lengths[] = {0,     1,          63,         64,         16383,     16384,
                                       65536, UINT32_MAX, 1ull << 32, 1ull << 60, UINT64_MAX};
    static const size_t bytes[] = {1, 1, 1, 2, 2, 5, 5, 5, 9, 9, 9};
    for (size_t i = 0; i < ARRAY_LENGTH(lengths); i++) {
        struct rdb_writer w = {0};
        uint64_t length = 1;
        rdb_write_length(&w, lengths[i]);
        EXPECT(!w.failed);
        EXPECT_INT(bytes[i], w.out.len);
        struct rdb_reader r = rdb_reader_of(buf_span(&w.out));
        EXPECT_INT(0, rdb_read_length(&r, &length));
        EXPECT(length == lengths[i] && rdb_left(&r) == 0);
        for (size_t cut = 0; cut < w.out.len; cut++) {
            r = rdb_reader_of(span_make(w.out.data, cut));
            EXPECT_INT(ERROR_SYNTAX, rdb_read_length(&r, &length));
        }
        buf_release(&w.out);
    }
    uint64_t length;
    struct rdb_reader r = rdb_reader_of(SPAN("\x82....."));
    EXPECT_INT(ERROR_SYNTAX, rdb_read_length(&r, &length));
    r = rdb_reader_of(SPAN("\xc0\1"));
    EXPECT_INT(ERROR_SYNTAX, rdb_read_length(&r, &length));
    r = rdb_reader_of(SPAN("\3ab"));
    EXPECT_INT(ERROR_SYNTAX, rdb_read_count(&r, 1, &length));
}

static bool string_returns(struct span bytes, int form) {
    struct rdb_writer w = {0};
    struct rdb_scratch scratch = {0};
    struct span back;
    rdb_write_string(&w, bytes);
    struct rdb_reader r = rdb_reader_of(buf_span(&w.out));
    bool good = !w.failed && !rdb_read_string(&r, &scratch, &back) && rdb_left(&r) == 0 &&
                span_eq(bytes, back) && (form < 0 || (unsigned char)w.out.data[0] == form);
    for (size_t cut = 0; good && cut < w.out.len; cut++) {
        r = rdb_reader_of(span_make(w.out.data, cut));
        good = rdb_read_string(&r, &scratch, &back) == ERROR_SYNTAX;
    }
    rdb_scratch_release(&scratch);
    buf_release(&w.out);
    return good;
}

static void test_strings(void) {
    static char large[70000];
    EXPECT(string_returns(SPAN(""), 0));
    EXPECT(string_returns(SPAN("abc"), 3));
    EXPECT(string_returns(SPAN("0"), 0xc0));
    EXPECT(string_returns(SPAN("-128"), 0xc0));
    EXPECT(string_returns(SPAN("128"), 0xc1));
    EXPECT(string_returns(SPAN("-32768"), 0xc1));
    EXPECT(string_returns(SPAN("32768"), 0xc2));
    EXPECT(string_returns(SPAN("-2147483648"), 0xc2));
    EXPECT(string_returns(SPAN("2147483648"), 10));
    EXPECT(string_returns(SPAN("01"), 2));
    EXPECT(string_returns(SPAN("aaaaaaaaaaaaaaaaaaaa"), 20));
    EXPECT(string_returns(SPAN("aaaaaaaaaaaaaaaaaaaaa"), 0xc3));
    EXPECT(string_returns(span_make(large, 3000), 0xc3));
    struct random random;
    random_init(&random, test_seed());
    fill(&random, large, 20000, 256);
    EXPECT(string_returns(span_make(large, 20000), 0x80));
}

static void test_hostile_lengths(void) {
    static const struct span hostile[] = {
        SPAN("\x81\x10\0\0\0\0\0\0\0abc"),
        SPAN("\xc3\2\x81\x10\0\0\0\0\0\0\0\0a"),
        SPAN("\xc3\x81\xff\xff\xff\xff\xff\xff\xff\xff\5\0a"),
        SPAN("\xc4"),
        SPAN("\xff"),
    };
    struct rdb_scratch scratch = {0};
    struct span out;
    for (size_t i = 0; i < ARRAY_LENGTH(hostile); i++) {
        struct rdb_reader r = rdb_reader_of(hostile[i]);
        EXPECT_INT(ERROR_SYNTAX, rdb_read_string(&r, &scratch, &out));
    }
    EXPECT(scratch.unpacked.capacity == 0);
}

static void test_numbers(void) {
    struct rdb_writer w = {0};
    int64_t number;
    double real;
    rdb_write_int64(&w, INT64_MIN + 5);
    rdb_write_double(&w, -1.5e-300);
    struct rdb_reader r = rdb_reader_of(buf_span(&w.out));
    EXPECT(!rdb_read_int64(&r, &number) && number == INT64_MIN + 5);
    EXPECT(!rdb_read_double(&r, &real) && real == -1.5e-300);
    EXPECT_INT(ERROR_SYNTAX, rdb_read_int64(&r, &number));
    buf_release(&w.out);
    r = rdb_reader_of(SPAN("\4-2.5\xfe\xff\xfd\3abc"));
    EXPECT(!rdb_read_text_double(&r, &real) && real == -2.5);
    EXPECT(!rdb_read_text_double(&r, &real) && isinf(real) && real > 0);
    EXPECT(!rdb_read_text_double(&r, &real) && isinf(real) && real < 0);
    EXPECT(!rdb_read_text_double(&r, &real) && isnan(real));
    EXPECT_INT(ERROR_SYNTAX, rdb_read_text_double(&r, &real));
}

static void test_footer(void) {
    struct rdb_writer w = {0};
    struct span body;
    rdb_write_byte(&w, 0);
    rdb_write_string(&w, SPAN("bar"));
    rdb_write_footer(&w, RDB_VERSION);
    EXPECT_SPAN(SPAN("\0\3bar"
                     "\x0a\x00\xe6\xbe\x49\x60\xee\x66\xfd\x17"),
                buf_span(&w.out));
    EXPECT_INT(0, rdb_check_footer(buf_span(&w.out), &body));
    EXPECT_SPAN(SPAN("\0\3bar"), body);
    for (size_t bit = 0; bit < w.out.len * 8; bit++) {
        w.out.data[bit / 8] ^= (char)(1 << bit % 8);
        EXPECT_INT(ERROR_SYNTAX, rdb_check_footer(buf_span(&w.out), &body));
        w.out.data[bit / 8] ^= (char)(1 << bit % 8);
    }
    memset(w.out.data + w.out.len - 8, 0, 8);
    EXPECT_INT(ERROR_SYNTAX, rdb_check_footer(buf_span(&w.out), &body));
    w.out.len -= RDB_FOOTER_BYTES;
    rdb_write_footer(&w, RDB_VERSION_MAX);
    EXPECT_INT(0, rdb_check_footer(buf_span(&w.out), &body));
    w.out.len -= RDB_FOOTER_BYTES;
    rdb_write_footer(&w, RDB_VERSION_MAX + 1);
    EXPECT_INT(ERROR_SYNTAX, rdb_check_footer(buf_span(&w.out), &body));
    EXPECT_INT(ERROR_SYNTAX, rdb_check_footer(SPAN("short"), &body));
    buf_release(&w.out);
}

static void test_refused_memory(void) {
    static char zeros[5000];
    struct rdb_writer w = {0};
    mem_test_fail_at(1);
    rdb_write_string(&w, span_make(zeros, sizeof zeros));
    rdb_write_footer(&w, RDB_VERSION);
    mem_test_fail_at(0);
    EXPECT(w.failed && w.out.len == 0);
    w.failed = false;
    rdb_write_string(&w, span_make(zeros, sizeof zeros));
    struct rdb_scratch scratch = {0};
    struct rdb_reader r = rdb_reader_of(buf_span(&w.out));
    struct span out;
    mem_test_fail_at(1);
    EXPECT_INT(-ENOMEM, rdb_read_string(&r, &scratch, &out));
    mem_test_fail_at(0);
    rdb_scratch_release(&scratch);
    buf_release(&w.out);
}

int main(int argc, char **argv) {
    static const struct test tests[] = {
        {"persist_crc64", test_crc64},
        {"persist_lzf_vectors", test_lzf_vectors},
        {"persist_lzf_round_trips", test_lzf_round_trips},
        {"persist_lengths", test_lengths},
        {"persist_strings", test_strings},
        {"persist_hostile_lengths", test_hostile_lengths},
        {"persist_numbers", test_numbers},
        {"persist_footer", test_footer},
        {"persist_refused_memory", test_refused_memory},
    };
    return test_main(tests, ARRAY_LENGTH(tests), argc, argv);
}
