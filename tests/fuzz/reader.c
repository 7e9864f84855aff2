/* The request reader under libFuzzer: whatever the bytes and however they are split, the same requests and the same error come
 * out, and no memory is lost, also when there is none.
 *
 * Input: a byte of settings, 15 bytes of piece sizes, then the stream, in which 0xfe N stands for N * 256 times 'v': large
 * values in small inputs. Seeds: tests/fuzz/corpus/reader/. */
#include <stdint.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "unit/resp/stream.h"

enum {
    SETTING_UNAUTHENTICATED = 1,
    SETTING_SMALL_LIMITS = 2,
    SETTING_LARGE_PIECES = 4, /* the sizes are in kilobytes */
    SETTING_FAIL_SHIFT = 3,   /* the other bits: which allocation fails in one more run, 0 none */
    SIZE_COUNT = 15,
    HEAD_BYTES = 1 + SIZE_COUNT,
    RUN_BYTE = 0xfe,
    RUN_UNIT = 256,
    RUNS_BYTES_MAX = 150 * 1024, /* runs after so much are left out: speed */
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expand(struct buf *out, const uint8_t *data, size_t size) {
    for (size_t i = 0; i < size; i++) {
        if (data[i] == RUN_BYTE && i + 1 < size) {
            size_t len = (size_t)data[++i] * RUN_UNIT;
            if (out->len > RUNS_BYTES_MAX) continue;
            buf_reserve(out, len + 1);
            memset(out->data + out->len, 'v', len);
            out->len += len;
        } else {
            buf_put_char(out, (char)data[i]);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const size_t one = 1;
    static const struct stream_pieces unsplit = {0}, byte_by_byte = {&one, 1, true};
    struct reader_limits limits = stream_limits;
    struct buf bytes = {0}, whole = {0}, split = {0};
    size_t sizes[SIZE_COUNT], used = mem_used_bytes();
    if (size < HEAD_BYTES) return 0;
    limits.unauthenticated = data[0] & SETTING_UNAUTHENTICATED;
    if (data[0] & SETTING_SMALL_LIMITS) limits.bulk_bytes_max = limits.arg_count_max = 20;
    for (size_t i = 0; i < SIZE_COUNT; i++)
        sizes[i] = data[1 + i] * (data[0] & SETTING_LARGE_PIECES ? (size_t)1024 : 1);
    sizes[0]++; /* they must come to an end */
    expand(&bytes, data + HEAD_BYTES, size - HEAD_BYTES);

    stream_run(&whole, buf_span(&bytes), unsplit, &limits);
    stream_run(&split, buf_span(&bytes), (struct stream_pieces){sizes, SIZE_COUNT, true}, &limits);
    CHECK(span_eq(buf_span(&whole), buf_span(&split)));
    if (bytes.len < 4096) {
        buf_clear(&split);
        stream_run(&split, buf_span(&bytes), byte_by_byte, &limits);
        CHECK(span_eq(buf_span(&whole), buf_span(&split)));
    }
    if (data[0] >> SETTING_FAIL_SHIFT) {
        int result;
        buf_clear(&split);
        mem_test_fail_at(data[0] >> SETTING_FAIL_SHIFT);
        result = stream_run(&split, buf_span(&bytes),
                            (struct stream_pieces){sizes, SIZE_COUNT, true}, &limits);
        mem_test_fail_at(0);
        CHECK(result == READER_ERROR_MEMORY || span_eq(buf_span(&whole), buf_span(&split)));
    }
    buf_release(&bytes);
    buf_release(&whole);
    buf_release(&split);
    CHECK(mem_used_bytes() == used);
    return 0;
}
