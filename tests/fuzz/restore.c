/* RESTORE's reading under libFuzzer: whatever the bytes, they are refused or make a value that is whole, is written and read as the same
 * again, and no memory is lost, also when there is none.
 *
 * Input: a byte of settings, then a payload without its footer. Seeds: tests/fuzz/corpus/restore/. */
#include <errno.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/check.h"
#include "base/error.h"
#include "persist/value.h"

enum {
    SETTING_SMALL_LIMITS = 1, /* everything is large */
    SETTING_OLD_VERSION = 2,
    SETTING_FAIL_SHIFT = 2, /* the other bits: which allocation fails in one more run, 0 none */
    NOW_MS = 1000000,
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct value_limits limits_of(unsigned settings) {
    uint64_t count = settings & SETTING_SMALL_LIMITS ? 3 : 128;
    return (struct value_limits){
        .list = chain_limit_of(settings & SETTING_SMALL_LIMITS ? 3 : -2),
        .set = {.intset_count_max = count, .packed_count_max = count, .packed_bytes_max = 64},
        .zset = {.count_max = count, .bytes_max = 64},
        .hash = {.packed_count_max = count, .packed_bytes_max = 64},
        .stream = {.block_bytes = 4096, .block_entries = count},
    };
}

static void check(const struct value *value) {
    if (!value->object) return;
    switch (value->type) {
    case ENTRY_STRING: break;
    case ENTRY_LIST: chain_check(value->object); break;
    case ENTRY_SET: set_check(value->object); break;
    case ENTRY_ZSET: zset_check(value->object); break;
    case ENTRY_HASH: fields_check(value->object); break;
    case ENTRY_STREAM: stream_check(value->object); break;
    }
}

/* The orders of tables may differ, the lengths of what is written may not. */
static void check_again(const struct value *value, const struct value_limits *limits) {
    struct rdb_scratch scratch = {0};
    struct rdb_writer w = {0}, again = {0};
    struct value back;
    unsigned version = value_write(&w, value);
    CHECK(version > 0);
    CHECK(value_read(buf_span(&w.out), version, limits, NOW_MS, &scratch, &back) == 0);
    CHECK(back.type == value->type);
    CHECK(value_write(&again, &back) == version && w.out.len == again.out.len);
    value_release(&back);
    rdb_scratch_release(&scratch);
    buf_release(&w.out);
    buf_release(&again.out);
}

static int read_once(struct span body, unsigned settings, bool whole) {
    struct value_limits limits = limits_of(settings);
    struct rdb_scratch scratch = {0};
    struct value value;
    unsigned version = settings & SETTING_OLD_VERSION ? RDB_VERSION : RDB_VERSION_MAX;
    int status = value_read(body, version, &limits, NOW_MS, &scratch, &value);
    CHECK(status == 0 || status == ERROR_SYNTAX || status == -ENOMEM);
    check(&value);
    if (whole && status == 0 && (value.type == ENTRY_STRING || value.object))
        check_again(&value, &limits);
    value_release(&value);
    rdb_scratch_release(&scratch);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    size_t used_bytes = mem_used_bytes();
    if (size < 2) return 0;
    struct span body = span_make(data + 1, size - 1);
    int status = read_once(body, data[0], true);
    CHECK(status != -ENOMEM);
    if (data[0] >> SETTING_FAIL_SHIFT) {
        mem_test_fail_at(data[0] >> SETTING_FAIL_SHIFT);
        int failing = read_once(body, data[0], false);
        mem_test_fail_at(0);
        CHECK(failing == status || failing == -ENOMEM);
    }
    CHECK(mem_used_bytes() == used_bytes);
    return 0;
}
