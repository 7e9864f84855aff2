/* HyperLogLog against an array of registers, in seeded runs from empty to dense; known bytes of Redis; and values that are corrupted. */
#include "types/hyperloglog.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/random.h"
#include "test.h"

enum { SPARSE_MAX = 3000 };

static struct span draft_span(const struct hll_draft *draft) {
    return span_make(draft->bytes, draft->len);
}

/* Both representations must hold exactly these registers. */
static void check_registers(const struct hll_draft *draft, const uint8_t *expected) {
    uint8_t found[HLL_REGISTER_COUNT] = {0};
    uint64_t count;
    EXPECT(hll_is_valid(draft_span(draft)));
    EXPECT_INT(0, hll_merge(found, draft_span(draft)));
    EXPECT(memcmp(found, expected, sizeof found) == 0);
    EXPECT_INT(0, hll_count(draft_span(draft), &count));
    EXPECT_INT(hll_count_registers(expected), count);
}

static void run_model(uint64_t seed, size_t sparse_max_bytes, uint32_t adds) {
    static uint8_t expected[HLL_REGISTER_COUNT];
    struct random random;
    struct hll_draft draft;
    char *room = mem_alloc(hll_draft_room(SPAN(""), adds));
    random_init(&random, seed);
    memset(expected, 0, sizeof expected);
    hll_draft_init(&draft, room, SPAN(""), sparse_max_bytes);
    for (uint32_t i = 0; i < adds; i++) {
        uint64_t number = random_below(&random, adds);
        struct span element = span_make(&number, sizeof number);
        struct hll_place place = hll_place_of(element);
        bool raised = place.value > expected[place.index];
        uint64_t cached;
        hll_set_cached(draft.bytes, 5);
        EXPECT_INT(raised, hll_draft_add(&draft, element));
        EXPECT(hll_cached(draft_span(&draft), &cached) == !raised);
        if (raised) expected[place.index] = place.value;
        EXPECT(hll_is_dense(draft_span(&draft)) ||
               draft.len <= MAX(sparse_max_bytes, HLL_EMPTY_BYTES));
        if (i % 512 == 0) check_registers(&draft, expected);
    }
    check_registers(&draft, expected);
    EXPECT_INT(0, hll_draft_make_dense(&draft));
    check_registers(&draft, expected);
    mem_free(room);
}

static void test_model(void) {
    static const size_t limits[] = {0, 20, 100, SPARSE_MAX, 40000};
    for (size_t i = 0; i < ARRAY_LENGTH(limits); i++) run_model(test_seed() + i, limits[i], 20000);
}

/* Raising all registers at once makes the same bytes as raising each from a search of its own. */
static void test_raise_all(void) {
    struct random random;
    random_init(&random, test_seed());
    for (unsigned round = 0; round < 30; round++) {
        uint8_t registers[HLL_REGISTER_COUNT] = {0};
        struct hll_draft slow, fast;
        size_t room_bytes = hll_draft_room(SPAN(""), HLL_REGISTER_COUNT);
        char *slow_room = mem_alloc(room_bytes), *fast_room = mem_alloc(room_bytes);
        uint32_t near = 1 + (uint32_t)random_below(&random, 600);
        hll_draft_init(&slow, slow_room, SPAN(""), SPARSE_MAX);
        hll_draft_init(&fast, fast_room, SPAN(""), SPARSE_MAX);
        for (unsigned pass = 0; pass < 3; pass++) { /* the second and third into what is there */
            for (unsigned i = 0; i < 300; i++) {
                registers[random_below(&random, near)] = (uint8_t)(1 + random_below(&random, 3));
            }
            EXPECT_INT(0, hll_draft_raise_all(&fast, registers));
            for (uint32_t i = 0; i < HLL_REGISTER_COUNT; i++) {
                uint8_t one[HLL_REGISTER_COUNT] = {0};
                if (!registers[i]) continue;
                one[i] = registers[i];
                EXPECT_INT(0, hll_draft_raise_all(&slow, one));
            }
            EXPECT_SPAN(draft_span(&slow), draft_span(&fast));
        }
        mem_free(slow_room);
        mem_free(fast_room);
    }
}

/* PFADD k a b c on redis-server 7.0. */
static void test_known_bytes(void) {
    static const char expected[] =
        "HYLL\1\0\0\0\0\0\0\0\0\0\0\x80\x60\xf3\x80\x50\xb1\x84\x4b\xfb\x80\x42\x5a";
    static const char *const elements[] = {"a", "b", "c"};
    char room[HLL_DENSE_BYTES + 100];
    struct hll_draft draft;
    uint64_t count;
    hll_draft_init(&draft, room, SPAN(""), SPARSE_MAX);
    for (size_t i = 0; i < ARRAY_LENGTH(elements); i++) {
        EXPECT_INT(1, hll_draft_add(&draft, span_of(elements[i])));
    }
    EXPECT_SPAN(span_make(expected, sizeof expected - 1), draft_span(&draft));
    EXPECT_INT(0, hll_count(draft_span(&draft), &count));
    EXPECT_INT(3, count);
}

/* Registers of every value, in blocks that end where the value does, at any alignment. */
static void test_dense_registers(void) {
    struct random random;
    random_init(&random, test_seed());
    for (unsigned round = 0; round < 200; round++) {
        uint8_t registers[HLL_REGISTER_COUNT], raised[HLL_REGISTER_COUNT],
            expected[HLL_REGISTER_COUNT];
        size_t shift = round % 9;
        char *block = mem_alloc(shift + HLL_DENSE_BYTES), *bytes = block + shift;
        uint64_t count;
        uint32_t most = 1 + (uint32_t)random_below(&random, HLL_REGISTER_MAX + 1);
        for (uint32_t i = 0; i < HLL_REGISTER_COUNT; i++) {
            registers[i] = (uint8_t)random_below(&random, most);
            raised[i] = (uint8_t)random_below(&random, most);
            expected[i] = MAX(registers[i], raised[i]);
        }
        memset(bytes, 0, HLL_HEADER_BYTES);
        memcpy(bytes, "HYLL", 4);
        hll_put_dense(bytes, registers);
        struct span value = span_make(bytes, HLL_DENSE_BYTES);
        EXPECT(hll_is_valid(value) && hll_is_dense(value));
        EXPECT_INT(0, hll_count(value, &count));
        EXPECT_INT(hll_count_registers(registers), count);
        EXPECT_INT(0, hll_merge(raised, value));
        EXPECT(memcmp(raised, expected, sizeof raised) == 0);
        for (uint32_t i = 0; i < HLL_REGISTER_COUNT; i++) {
            EXPECT_INT(registers[i], hll_register(value, i));
        }
        mem_free(block);
    }
}

static void test_estimates(void) {
    char room[HLL_DENSE_BYTES + 3 * HLL_REGISTER_COUNT + 100];
    struct hll_draft draft;
    uint64_t count;
    hll_draft_init(&draft, room, SPAN(""), SPARSE_MAX);
    for (uint64_t i = 1; i <= 200000; i++) {
        EXPECT(hll_draft_add(&draft, span_make(&i, sizeof i)) >= 0);
        if (i & (i - 1)) continue;
        EXPECT_INT(0, hll_count(draft_span(&draft), &count));
        EXPECT((count > i ? count - i : i - count) <= 1 + i * 5 / 100);
    }
}

/* Whatever bytes follow the header, nothing outside of them is touched (ASan looks) and the draft stays valid or says so. */
static void test_corrupted(void) {
    struct random random;
    uint8_t registers[HLL_REGISTER_COUNT];
    random_init(&random, test_seed());
    EXPECT(!hll_is_valid(SPAN("HYLL")));
    EXPECT(!hll_is_valid(SPAN("HYLL\2\0\0\0\0\0\0\0\0\0\0\0")));
    EXPECT(!hll_is_valid(SPAN("HYLL\0\0\0\0\0\0\0\0\0\0\0\0")));
    for (unsigned round = 0; round < 3000; round++) {
        size_t len = HLL_HEADER_BYTES + (size_t)random_below(&random, round % 2 ? 40 : 4000);
        char *bytes = mem_alloc(len);
        uint64_t count;
        memset(bytes, 0, HLL_HEADER_BYTES);
        memcpy(bytes, "HYLL\1", 5);
        for (size_t i = HLL_HEADER_BYTES; i < len; i++) bytes[i] = (char)random_below(&random, 256);
        struct span value = span_make(bytes, len);
        EXPECT(hll_is_valid(value));
        memset(registers, 0, sizeof registers);
        EXPECT((hll_count(value, &count) < 0) == (hll_merge(registers, value) < 0));
        struct hll_draft draft;
        char *room = mem_alloc(hll_draft_room(value, 20));
        hll_draft_init(&draft, room, value, SPARSE_MAX);
        for (uint64_t i = 0; i < 20; i++) {
            uint64_t number = random_next(&random);
            int rc = hll_draft_add(&draft, span_make(&number, sizeof number));
            EXPECT(rc >= 0 || rc == ERROR_SYNTAX);
            EXPECT(draft.len <= hll_draft_room(value, 20));
        }
        mem_free(room);
        mem_free(bytes);
    }
}

int main(int argc, char **argv) {
    static const struct test tests[] = {{"hll_model", test_model},
                                        {"hll_raise_all", test_raise_all},
                                        {"hll_known_bytes", test_known_bytes},
                                        {"hll_dense_registers", test_dense_registers},
                                        {"hll_estimates", test_estimates},
                                        {"hll_corrupted", test_corrupted}};
    return test_main(tests, ARRAY_LENGTH(tests), argc, argv);
}
