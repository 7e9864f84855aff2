/* Packed blocks against a plain array of strings, in seeded runs; every form's borders; refused memory. */
#include "types/packed.h"

#include "base/alloc.h"
#include "base/random.h"
#include "test.h"

enum { MODEL_MAX = 600, TEXT_MAX = 9000 };

struct text {
    char *data;
    size_t len;
};

/* A block and what should be in it. */
struct model {
    struct packed *p;
    struct text texts[MODEL_MAX];
    uint32_t count;
    struct random random;
};

static struct span text_span(struct text t) {
    return span_make(t.data, t.len);
}

static void model_put(struct model *m, uint32_t at, struct span bytes) {
    memmove(m->texts + at + 1, m->texts + at, (m->count - at) * sizeof *m->texts);
    m->texts[at] = (struct text){malloc(bytes.len + 1), bytes.len};
    if (bytes.len) memcpy(m->texts[at].data, bytes.data, bytes.len);
    m->count++;
}

static void model_drop(struct model *m, uint32_t at) {
    free(m->texts[at].data);
    m->count--;
    memmove(m->texts + at, m->texts + at + 1, (m->count - at) * sizeof *m->texts);
}

static void model_release(struct model *m) {
    while (m->count) model_drop(m, m->count - 1);
    packed_free(m->p);
}

static int64_t random_number(struct random *r) {
    int64_t number = (int64_t)(random_next(r) >> random_below(r, 64));
    return random_below(r, 2) ? number : -number;
}

/* Mostly short ones, some numbers, texts that nearly are numbers, and lengths around every form's border. */
static struct span random_text(struct random *r, char *out) {
    static const size_t borders[] = {0, 1, 125, 126, 127, 128, 129, 4093, 4094, 4095, 4096, 4097};
    size_t len;
    switch (random_below(r, 8)) {
    case 0:
    case 1: return span_make(out, num_format_int(out, random_number(r)));
    case 2: return span_make(out, (size_t)snprintf(out, 32, "0%d", (int)random_below(r, 10)));
    case 3: len = borders[random_below(r, random_below(r, 4) ? 7 : ARRAY_LENGTH(borders))]; break;
    default: len = random_below(r, 40); break;
    }
    for (size_t i = 0; i < len; i++) out[i] = (char)('a' + random_below(r, 3));
    return span_make(out, len);
}

static bool model_agrees(const struct model *m) {
    char text[NUM_INT_TEXT_MAX];
    packed_at at = packed_first(m->p);
    packed_check(m->p);
    if (packed_count(m->p) != m->count) return false;
    for (uint32_t i = 0; i < m->count; i++, at = packed_next(m->p, at)) {
        if (!at || !span_eq(packed_bytes(at, text), text_span(m->texts[i]))) return false;
    }
    return at == NULL;
}

static bool looks_agree(struct model *m, struct span wanted) {
    uint32_t from = (uint32_t)random_below(&m->random, m->count),
             skip = (uint32_t)random_below(&m->random, 3);
    packed_at found = packed_find(m->p, packed_index(m->p, from), wanted, skip);
    uint32_t index = from;
    if (packed_find_index(m->p, packed_index(m->p, from), wanted, &index)) {
        if (!packed_equals(packed_index(m->p, index), wanted)) return false;
    }
    for (; from < m->count; from += skip + 1) {
        if (span_eq(text_span(m->texts[from]), wanted))
            return found == packed_index(m->p, (int64_t)from - m->count);
    }
    return found == NULL;
}

/* One random change of both. */
static void model_step(struct model *m, uint32_t grow_percent) {
    static char text[TEXT_MAX];
    struct span bytes = random_text(&m->random, text);
    uint32_t at = (uint32_t)random_below(&m->random, m->count + 1);
    bool grow = random_below(&m->random, 100) < grow_percent;
    if (m->count == 0 || (grow && m->count < MODEL_MAX - 1)) {
        packed_at placed;
        m->p = packed_insert(m->p, packed_index(m->p, at), bytes, &placed);
        model_put(m, at, bytes);
        if (placed != packed_index(m->p, at)) test_fail(__FILE__, __LINE__, "placed elsewhere");
    } else if (at < m->count && random_below(&m->random, 3) == 0) {
        packed_at placed;
        m->p = packed_replace(m->p, packed_index(m->p, at), bytes, &placed);
        model_drop(m, at);
        model_put(m, at, bytes);
        if (!packed_equals(placed, bytes)) test_fail(__FILE__, __LINE__, "placed elsewhere");
    } else if (at < m->count) {
        uint32_t count = 1 + (uint32_t)random_below(&m->random, 4);
        packed_at next;
        m->p = packed_remove(m->p, packed_index(m->p, at), count, &next);
        while (count-- > 0 && at < m->count) model_drop(m, at);
        if (next != packed_index(m->p, at)) test_fail(__FILE__, __LINE__, "the next is elsewhere");
    }
}

static void run_model(unsigned flags, uint32_t steps) {
    struct model m = {.p = packed_new(flags)};
    static char text[TEXT_MAX];
    random_init(&m.random, test_seed());
    for (uint32_t i = 0; i < steps && !test_failures; i++) {
        model_step(&m, i / 2000 % 2 ? 40 : 65);
        if (i % 16 == 0 && !model_agrees(&m))
            test_fail(__FILE__, __LINE__, "differs at step %u", i);
        if (m.count && !looks_agree(&m, random_text(&m.random, text))) {
            test_fail(__FILE__, __LINE__, "finds otherwise at step %u", i);
        }
        if (m.count && !looks_agree(&m, text_span(m.texts[random_below(&m.random, m.count)]))) {
            test_fail(__FILE__, __LINE__, "finds an element otherwise at step %u", i);
        }
    }
    model_release(&m);
}

static void test_model_forward(void) {
    run_model(0, 12000);
}
static void test_model_backward(void) {
    run_model(PACKED_BACKWARD, 12000);
}

/* Splitting, joining, copying and converting keep the elements. */
static void test_parts(void) {
    for (unsigned flags = 0; flags <= PACKED_BACKWARD; flags++) {
        struct model m = {.p = packed_new(flags)};
        random_init(&m.random, test_seed());
        for (uint32_t i = 0; i < 800; i++) {
            struct packed *rest, *copy;
            model_step(&m, 70);
            uint32_t at = (uint32_t)random_below(&m.random, m.count + 1);
            EXPECT_INT(0, packed_split(&m.p, packed_index(m.p, at), &rest));
            packed_check(m.p);
            packed_check(rest);
            EXPECT_INT(at, packed_count(m.p));
            m.p = packed_join(m.p, rest);
            packed_free(rest);
            copy = packed_copy(m.p);
            packed_free(m.p);
            m.p = packed_convert(copy, flags ^ PACKED_BACKWARD, false);
            EXPECT(model_agrees(&m));
            m.p = packed_convert(m.p, flags, true);
            packed_check(m.p);
            for (uint32_t j = 0; j < m.count; j++) {
                EXPECT(packed_equals(packed_index(m.p, m.count - 1 - j), text_span(m.texts[j])));
            }
            m.p = packed_convert(m.p, flags, true);
            EXPECT(model_agrees(&m));
        }
        model_release(&m);
    }
}

static void test_insert_many(void) {
    static char text[20][TEXT_MAX];
    struct model m = {.p = packed_new(PACKED_BACKWARD)};
    random_init(&m.random, test_seed());
    for (uint32_t round = 0; round < 25; round++) {
        struct span spans[20];
        uint32_t count = (uint32_t)random_below(&m.random, 20);
        uint32_t at = (uint32_t)random_below(&m.random, m.count + 1);
        for (uint32_t i = 0; i < count; i++) {
            spans[i] = random_text(&m.random, text[i]);
            model_put(&m, at + i, spans[i]);
        }
        m.p = packed_insert_many(m.p, packed_index(m.p, at), spans, count, NULL);
        EXPECT(model_agrees(&m));
    }
    model_release(&m);
}

/* Every number that begins or ends a form, and its neighbours. */
static void test_numbers(void) {
    static const struct {
        int64_t number;
        size_t bytes;
    } cases[] = {
        {0, 1},
        {63, 1},
        {64, 2},
        {4095, 2},
        {4096, 3},
        {-1, 2},
        {-4096, 2},
        {-4097, 3},
        {32767, 3},
        {-32768, 3},
        {32768, 4},
        {-32769, 4},
        {8388607, 4},
        {-8388608, 4},
        {8388608, 5},
        {2147483647, 5},
        {-2147483648LL, 5},
        {2147483648LL, 6},
        {INT64_MAX, 9},
        {INT64_MIN, 9},
        {1LL << 39, 7},
        {-(1LL << 39), 6},
        {1LL << 47, 8},
        {(1LL << 55) - 1, 8},
        {1LL << 55, 9},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct packed *p = packed_new(0);
        char text[NUM_INT_TEXT_MAX];
        struct span bytes = span_make(text, num_format_int(text, cases[i].number));
        EXPECT_INT(cases[i].bytes, packed_element_bytes(p, bytes));
        p = packed_append(p, bytes);
        EXPECT_INT(8 + cases[i].bytes, packed_used_bytes(p));
        EXPECT(packed_get(packed_first(p)).is_int);
        EXPECT_INT(cases[i].number, packed_get(packed_first(p)).number);
        EXPECT(packed_find(p, packed_first(p), bytes, 0) == packed_first(p));
        packed_check(p);
        packed_free(p);
    }
}

/* What only looks like a number stays as it is. */
static void test_texts_like_numbers(void) {
    static const char *const texts[] = {"",
                                        "-",
                                        "+1",
                                        "01",
                                        "-0",
                                        "-01",
                                        " 1",
                                        "1 ",
                                        "1.0",
                                        "1e3",
                                        "9223372036854775808",
                                        "-9223372036854775809",
                                        "18446744073709551616"};
    struct packed *p = packed_new(PACKED_BACKWARD);
    for (size_t i = 0; i < ARRAY_LENGTH(texts); i++) {
        p = packed_append(p, span_of(texts[i]));
        EXPECT(!packed_get(packed_last(p)).is_int);
        EXPECT_SPAN(span_of(texts[i]), packed_get(packed_last(p)).bytes);
    }
    packed_free(p);
}

/* Each allocation in turn is refused: the block stays as it was, and removing goes on. */
static void test_refused_memory(void) {
    struct model m = {.p = packed_new(PACKED_BACKWARD)};
    static char big[5000];
    struct packed *rest;
    memset(big, 'x', sizeof big);
    for (uint32_t i = 0; i < 100; i++) {
        struct span bytes = span_make(big, i * 3);
        m.p = packed_append(m.p, bytes);
        model_put(&m, i, bytes);
    }
    mem_test_fail_at(1);
    EXPECT(!packed_append(m.p, span_make(big, sizeof big)));
    mem_test_fail_at(1);
    EXPECT(!packed_replace(m.p, packed_first(m.p), span_make(big, sizeof big), NULL));
    mem_test_fail_at(1);
    EXPECT(!packed_copy(m.p));
    mem_test_fail_at(1);
    EXPECT(!packed_convert(m.p, 0, true));
    mem_test_fail_at(1);
    EXPECT(packed_split(&m.p, packed_index(m.p, 50), &rest) < 0);
    EXPECT(model_agrees(&m));
    mem_test_fail_at(1);
    m.p = packed_remove(m.p, packed_index(m.p, 1), 98, NULL);
    mem_test_fail_at(0);
    while (m.count > 2) model_drop(&m, 1);
    EXPECT(model_agrees(&m));
    model_release(&m);
}

static void test_limits(void) {
    struct packed *p = packed_new(0);
    struct span huge = span_make("", PACKED_BYTES_MAX + 1); /* never looked at */
    EXPECT(!packed_append(p, huge));
    EXPECT(!packed_insert_many(p, NULL, &huge, 1, NULL));
    EXPECT_INT(0, packed_count(p));
    packed_free(p);
}

int main(int argc, char **argv) {
    static const struct test tests[] = {
        {"model_forward", test_model_forward},
        {"model_backward", test_model_backward},
        {"parts", test_parts},
        {"insert_many", test_insert_many},
        {"numbers", test_numbers},
        {"texts_like_numbers", test_texts_like_numbers},
        {"refused_memory", test_refused_memory},
        {"limits", test_limits},
    };
    return test_main(tests, ARRAY_LENGTH(tests), argc, argv);
}
