/* PFDEBUG and PFSELFTEST. */
#include "commands/hyperloglog.h"

#include <math.h>

#include "base/random.h"
#include "commands/host.h"

/* ---- PFDEBUG */

/* Leaves *e dense. False: answered. */
static bool make_dense(struct call *call, struct entry **e) {
    struct hll_draft draft;
    if (hll_is_dense(entry_string(*e))) return true;
    if (!hyperloglog_draft(call, *e, 0, &draft)) return false;
    if (hll_draft_make_dense(&draft) < 0) {
        hyperloglog_corrupted(call);
        return false;
    }
    return hyperloglog_put(call, 2, e, &draft);
}

static void debug_registers(struct call *call, struct entry *e) {
    if (!make_dense(call, &e)) return;
    reply_array(call->reply, HLL_REGISTER_COUNT);
    for (uint32_t i = 0; i < HLL_REGISTER_COUNT; i++) {
        reply_int(call->reply, hll_register(entry_string(e), i));
    }
}

static void debug_decode(struct call *call, struct entry *e) {
    struct span bytes = entry_string(e);
    struct buf text = {0};
    struct hll_run run;
    size_t at = HLL_HEADER_BYTES;
    if (hll_is_dense(bytes)) {
        reply_error(call->reply, "ERR HLL encoding is not sparse");
        return;
    }
    bytes.len = MIN(bytes.len, HLL_SPARSE_BYTES_MAX);
    while (hll_next_run(bytes, &at, &run) > 0) {
        const char *blank = text.len ? " " : "";
        if (run.value) {
            buf_printf(&text, "%sv:%u,%u", blank, run.value, run.count);
        } else {
            buf_printf(&text, "%s%c:%u", blank, run.bytes == 2 ? 'Z' : 'z', run.count);
        }
    }
    reply_bulk(call->reply, buf_span(&text));
    buf_release(&text);
}

static void debug_encoding(struct call *call, struct entry *e) {
    reply_status(call->reply, hll_is_dense(entry_string(e)) ? "dense" : "sparse");
}

static void debug_to_dense(struct call *call, struct entry *e) {
    bool sparse = !hll_is_dense(entry_string(e));
    if (make_dense(call, &e)) reply_int(call->reply, sparse);
}

/* There is one code for all machines, in plain words: nothing to be turned on. */
static void debug_simd(struct call *call) {
    if (call_is(call, 2, "on") || call_is(call, 2, "off")) {
        reply_status(call->reply, "disabled");
    } else {
        reply_error(call->reply, "ERR Argument must be ON or OFF");
    }
}

static const struct {
    const char *name;
    void (*run)(struct call *call, struct entry *e);
} debug_subcommands[] = {
    {"getreg", debug_registers},
    {"decode", debug_decode},
    {"encoding", debug_encoding},
    {"todense", debug_to_dense},
};

void hyperloglog_debug(struct call *call) {
    if (call_is(call, 1, "simd")) {
        debug_simd(call);
        return;
    }
    struct entry *e = call_find_for_write(call, 2);
    if (!e) {
        reply_error(call->reply, "ERR The specified key does not exist");
        return;
    }
    if (!hyperloglog_check(call, e)) return;
    for (size_t i = 0; i < ARRAY_LENGTH(debug_subcommands); i++) {
        if (!call_is(call, 1, debug_subcommands[i].name)) continue;
        debug_subcommands[i].run(call, e);
        return;
    }
    reply_errorf(call->reply, "ERR Unknown PFDEBUG subcommand '%.*s'", (int)call->argv[1].len,
                 call->argv[1].data);
}

/* ---- PFSELFTEST: well below a second, in which nobody else is served */

enum { TEST_ROUNDS = 100, TEST_ELEMENTS = 1000000 };

static bool test_registers(struct call *call, char *dense, struct random *random) {
    uint8_t expected[HLL_REGISTER_COUNT];
    for (uint32_t i = 0; i < HLL_REGISTER_COUNT; i++) {
        expected[i] = (uint8_t)random_below(random, HLL_REGISTER_MAX + 1);
        hll_set_register(dense, (struct hll_place){.index = i, .value = expected[i]});
    }
    for (uint32_t i = 0; i < HLL_REGISTER_COUNT; i++) {
        uint8_t found = hll_register(span_make(dense, HLL_DENSE_BYTES), i);
        if (found == expected[i]) continue;
        reply_errorf(call->reply, "ERR TESTFAILED Register %u should be %d but is %d", i,
                     expected[i], found);
        return false;
    }
    return true;
}

/* After `count` distinct elements: both representations agree, and err by six standard errors at most. */
static bool check_estimate(struct call *call, const struct hll_draft *dense,
                           const struct hll_draft *mixed, uint64_t count) {
    struct span bytes = span_make(mixed->bytes, mixed->len);
    uint64_t estimate = 0, mixed_estimate = 0;
    double error = 1.04 / sqrt(HLL_REGISTER_COUNT);
    uint64_t error_max = count == 10 ? 1 : (uint64_t)ceil(error * 6 * (double)count);
    int rc = hll_count(span_make(dense->bytes, dense->len), &estimate);
    if (rc == 0) rc = hll_count(bytes, &mixed_estimate);
    uint64_t off = estimate > count ? estimate - count : count - estimate;
    if (count < mixed->sparse_max_bytes / 2 && hll_is_dense(bytes)) {
        reply_error(call->reply, "ERR TESTFAILED sparse encoding not used");
    } else if (rc < 0 || estimate != mixed_estimate) {
        reply_error(call->reply, "ERR TESTFAILED dense/sparse disagree");
    } else if (off > error_max) {
        reply_errorf(call->reply, "ERR TESTFAILED Too big error. card:%llu abserr:%llu",
                     (unsigned long long)count, (unsigned long long)off);
    } else {
        return true;
    }
    return false;
}

/* The same elements into a dense value and one that begins sparse. */
static bool test_estimates(struct call *call, struct random *random) {
    struct hll_draft dense, mixed;
    uint64_t seed = random_next(random), checkpoint = 1;
    if (!hyperloglog_draft(call, NULL, HLL_REGISTER_COUNT, &dense)) return false;
    if (!hyperloglog_draft(call, NULL, HLL_REGISTER_COUNT, &mixed)) return false;
    bool good = hll_draft_make_dense(&dense) == 0;
    for (uint64_t i = 1; i <= TEST_ELEMENTS && good; i++) {
        uint64_t number = i ^ seed;
        struct span element = span_make(&number, sizeof number);
        good = hll_draft_add(&dense, element) >= 0 && hll_draft_add(&mixed, element) >= 0;
        if (i != checkpoint || !good) continue;
        if (!check_estimate(call, &dense, &mixed, i)) return false;
        checkpoint *= 10;
    }
    if (!good) hyperloglog_corrupted(call);
    return good;
}

void hyperloglog_self_test(struct call *call) {
    struct random random;
    char *dense = call_scratch(call, HLL_DENSE_BYTES);
    memset(dense, 0, HLL_DENSE_BYTES);
    random_init_system(&random);
    for (uint32_t i = 0; i < TEST_ROUNDS; i++) {
        if (!test_registers(call, dense, &random)) return;
    }
    if (test_estimates(call, &random)) reply_ok(call->reply);
}
