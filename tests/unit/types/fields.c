/* Hashes against plain arrays, in seeded runs across all forms, with deadlines passing. */
#include "types/fields.h"

#include <errno.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "test.h"

enum { FIELDS_MAX = 2000, TEXT_MAX = 400 };

struct item {
    bool there;
    uint32_t value;
    int64_t deadline_ms;
};

struct model {
    struct fields *fields;
    struct fields_limits limits;
    struct random random;
    uint32_t field_count;
    bool timed;
    struct item items[FIELDS_MAX];
};

static const struct fields_limits usual = {512, 64};

static struct span text_at(const char *prefix, uint32_t id, char *text) {
    int len;
    if (id % 4 == 0) {
        len = snprintf(text, TEXT_MAX, "%u", id);
    } else if (id % 61 == 60) {
        len = snprintf(text, TEXT_MAX, "%s%0300u", prefix, id);
    } else {
        len = snprintf(text, TEXT_MAX, "%s:%u", prefix, id);
    }
    return span_make(text, (size_t)len);
}

/* The number at the text's end. */
static uint32_t id_of(struct span text) {
    uint32_t id = 0;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.data[i];
        id = c >= '0' && c <= '9' ? id * 10 + (uint32_t)(c - '0') : 0;
    }
    return id;
}

static bool is_live(const struct item *item) {
    return item->there && item->deadline_ms > clock_real_ms();
}

static void model_init(struct model *m, uint32_t field_count, struct fields_limits limits,
                       bool timed) {
    *m = (struct model){.limits = limits, .field_count = field_count, .timed = timed};
    random_init(&m->random, test_seed());
    m->fields = fields_new();
}

static int64_t random_deadline(struct model *m) {
    if (!m->timed || random_below(&m->random, 3) == 0) return FIELDS_NO_DEADLINE;
    if (random_below(&m->random, 4) == 0) return FIELDS_KEEP_DEADLINE;
    return clock_real_ms() + 1 + (int64_t)random_below(&m->random, 2000);
}

static void step_set(struct model *m, uint32_t id) {
    char texts[2][TEXT_MAX];
    struct item *item = m->items + id;
    int64_t deadline_ms = random_deadline(m), kept_ms = FIELDS_NO_DEADLINE;
    int expected = is_live(item) ? FIELDS_UPDATED : item->there ? FIELDS_REVIVED : FIELDS_ADDED;
    uint32_t value = (uint32_t)random_below(&m->random, 10000);
    if (is_live(item)) kept_ms = item->deadline_ms;
    EXPECT_INT(expected, fields_set(&m->fields, text_at("f", id, texts[0]),
                                    text_at("value", value, texts[1]), deadline_ms, &m->limits));
    *item = (struct item){true, value, deadline_ms == FIELDS_KEEP_DEADLINE ? kept_ms : deadline_ms};
}

static void step_remove(struct model *m, uint32_t id) {
    char text[TEXT_MAX];
    struct item *item = m->items + id;
    if (random_below(&m->random, 2)) {
        EXPECT(fields_remove(&m->fields, text_at("f", id, text)) == is_live(item));
        if (is_live(item)) item->there = false;
    } else {
        EXPECT(fields_remove_any(&m->fields, text_at("f", id, text)) == item->there);
        item->there = false;
    }
}

static int expected_expire(const struct item *item, unsigned conditions, int64_t deadline_ms) {
    bool any = item->deadline_ms != FIELDS_NO_DEADLINE;
    if (!is_live(item)) return FIELDS_ABSENT;
    if (conditions & FIELDS_IF_NONE && any) return FIELDS_REFUSED;
    if (conditions & FIELDS_IF_ANY && !any) return FIELDS_REFUSED;
    if (conditions & FIELDS_IF_LATER && !(any && deadline_ms > item->deadline_ms)) {
        return FIELDS_REFUSED;
    }
    if (conditions & FIELDS_IF_EARLIER && any && deadline_ms >= item->deadline_ms) {
        return FIELDS_REFUSED;
    }
    return deadline_ms <= clock_real_ms() ? FIELDS_EXPIRED : FIELDS_CHANGED;
}

static void step_expire(struct model *m, uint32_t id) {
    static const unsigned conditions[] = {0,
                                          0,
                                          FIELDS_IF_NONE,
                                          FIELDS_IF_ANY,
                                          FIELDS_IF_LATER,
                                          FIELDS_IF_EARLIER,
                                          FIELDS_IF_ANY | FIELDS_IF_EARLIER};
    unsigned condition = conditions[random_below(&m->random, ARRAY_LENGTH(conditions))];
    int64_t deadline_ms = clock_real_ms() - 20 + (int64_t)random_below(&m->random, 2000);
    struct item *item = m->items + id;
    char text[TEXT_MAX];
    int expected = expected_expire(item, condition, deadline_ms);
    EXPECT_INT(expected, fields_expire(&m->fields, text_at("f", id, text), deadline_ms, condition));
    if (expected == FIELDS_CHANGED) item->deadline_ms = deadline_ms;
    if (expected == FIELDS_EXPIRED) item->there = false;
}

static void step_persist(struct model *m, uint32_t id) {
    struct item *item = m->items + id;
    char text[TEXT_MAX];
    int expected = FIELDS_ABSENT;
    if (is_live(item)) {
        expected = item->deadline_ms == FIELDS_NO_DEADLINE ? FIELDS_WITHOUT : FIELDS_CHANGED;
    }
    EXPECT_INT(expected, fields_persist(&m->fields, text_at("f", id, text)));
    if (is_live(item)) item->deadline_ms = FIELDS_NO_DEADLINE;
}

static void step_time(struct model *m) {
    uint64_t due = 0;
    int64_t earliest_ms = FIELDS_NO_DEADLINE;
    clock_advance_test((int64_t)random_below(&m->random, 200));
    if (random_below(&m->random, 2)) return; /* what is due stays for a while */
    for (uint32_t id = 0; id < m->field_count; id++) {
        struct item *item = m->items + id;
        if (item->there && !is_live(item)) {
            item->there = false;
            due++;
        } else if (item->there) {
            earliest_ms = MIN(earliest_ms, item->deadline_ms);
        }
    }
    for (uint64_t removed = 0; removed < due;) {
        uint64_t more = fields_remove_due(&m->fields, clock_real_ms(), 10);
        EXPECT(more > 0);
        removed += more;
    }
    EXPECT_INT(0, fields_remove_due(&m->fields, clock_real_ms(), 10));
    EXPECT(fields_earliest_ms(m->fields) > clock_real_ms());
    EXPECT(fields_earliest_ms(m->fields) <= earliest_ms);
}

static void model_step(struct model *m, uint32_t weight) {
    uint32_t id = (uint32_t)random_below(&m->random, m->field_count);
    uint64_t what = random_below(&m->random, 10);
    if (what < weight) {
        step_set(m, id);
    } else if (what < 8 || !m->timed) {
        step_remove(m, id);
    } else if (what == 8) {
        step_expire(m, id);
    } else {
        step_persist(m, id);
    }
    if (m->timed && random_below(&m->random, 50) == 0) step_time(m);
}

static void check_field(const struct model *m, uint32_t id) {
    char texts[3][TEXT_MAX];
    struct span field = text_at("f", id, texts[0]);
    struct field_pair pair;
    bool found;
    fields_prefetch(m->fields, &field, 1, 1);
    found = fields_get(m->fields, field, &pair);
    EXPECT(found == is_live(m->items + id));
    if (!found) return;
    EXPECT_SPAN(text_at("value", m->items[id].value, texts[1]),
                packed_value_bytes(&pair.value, texts[2]));
    EXPECT_INT(m->items[id].deadline_ms, pair.deadline_ms);
}

static void check_walk(const struct model *m, uint32_t live) {
    struct field_pair pairs[FIELDS_WALK_BATCH];
    struct fields_walk walk;
    uint32_t count, total = 0;
    fields_walk_begin(&walk, m->fields);
    while ((count = fields_walk_next(&walk, pairs))) {
        for (uint32_t i = 0; i < count; i++) {
            char texts[3][TEXT_MAX];
            struct span field = packed_value_bytes(&pairs[i].field, texts[0]);
            uint32_t id = id_of(field);
            EXPECT(id < m->field_count && is_live(m->items + id));
            EXPECT_SPAN(text_at("value", m->items[id].value, texts[1]),
                        packed_value_bytes(&pairs[i].value, texts[2]));
        }
        total += count;
    }
    EXPECT_INT(live, total);
}

static void model_check(const struct model *m) {
    uint32_t live = 0, there = 0, timed = 0;
    fields_check(m->fields);
    for (uint32_t id = 0; id < m->field_count; id++) {
        check_field(m, id);
        live += is_live(m->items + id);
        there += m->items[id].there;
        timed += m->items[id].there && m->items[id].deadline_ms != FIELDS_NO_DEADLINE;
    }
    EXPECT_INT(there, fields_count(m->fields));
    EXPECT_INT(timed, fields_deadline_count(m->fields));
    check_walk(m, live);
}

static void run_model(uint32_t field_count, struct fields_limits limits, bool timed) {
    static struct model m;
    size_t before_bytes = mem_used_bytes();
    model_init(&m, field_count, limits, timed);
    for (uint32_t round = 0; round < 6; round++) {
        for (uint32_t i = 0; i < field_count * 2; i++) model_step(&m, round % 2 ? 3 : 7);
        model_check(&m);
        EXPECT_INT(before_bytes + fields_memory_bytes(m.fields), mem_used_bytes());
    }
    struct fields *copy = fields_copy(m.fields), *original = m.fields;
    m.fields = copy;
    model_check(&m);
    fields_free(original);
    model_check(&m);
    fields_free(copy);
    EXPECT_INT(before_bytes, mem_used_bytes());
}

static void test_fields_model(void) {
    static const struct fields_limits limits[] = {
        {512, 64}, {0, 0}, {10, 1000}, {100000, 100000}, {50, 20}};
    clock_set_test(1700000000000, 1000);
    for (size_t i = 0; i < ARRAY_LENGTH(limits); i++) {
        for (int timed = 0; timed < 2; timed++) {
            run_model(12, limits[i], timed);
            run_model(300, limits[i], timed);
        }
    }
    run_model(FIELDS_MAX, usual, false);
    run_model(FIELDS_MAX, usual, true);
}

static void test_fields_forms(void) {
    struct fields *f = fields_new();
    EXPECT_INT(FIELDS_ADDED, fields_set(&f, SPAN("a"), SPAN("1"), FIELDS_NO_DEADLINE, &usual));
    EXPECT(fields_packed(f) != NULL);
    EXPECT_INT(FIELDS_REFUSED, fields_expire(&f, SPAN("a"), clock_real_ms() + 5, FIELDS_IF_ANY));
    EXPECT_INT(FIELDS_PACKED, fields_encoding_of(f));
    EXPECT_INT(FIELDS_CHANGED, fields_expire(&f, SPAN("a"), clock_real_ms() + 5, 0));
    EXPECT_INT(FIELDS_TIMED, fields_encoding_of(f));
    EXPECT_INT(clock_real_ms() + 5, fields_earliest_ms(f));
    EXPECT_INT(0, fields_prepare(&f, 512, 64, &usual));
    EXPECT_INT(FIELDS_TIMED, fields_encoding_of(f));
    EXPECT_INT(0, fields_prepare(&f, 1, 65, &usual));
    EXPECT_INT(FIELDS_TABLE, fields_encoding_of(f));
    EXPECT_INT(clock_real_ms() + 5, fields_earliest_ms(f));
    EXPECT_INT(1, fields_deadline_count(f));
    EXPECT_INT(FIELDS_EXPIRED, fields_expire(&f, SPAN("a"), clock_real_ms(), 0));
    EXPECT_INT(0, fields_count(f));
    fields_free(f);
}

static void test_fields_random(void) {
    struct random random;
    struct fields *f = fields_new();
    uint32_t seen = 0, refused = 0;
    clock_set_test(1700000000000, 1000);
    random_init(&random, test_seed());
    for (unsigned i = 0; i < 8; i++) {
        char name = (char)('a' + i);
        int64_t deadline_ms = i < 4 ? clock_real_ms() + 10 : FIELDS_NO_DEADLINE;
        EXPECT_INT(FIELDS_ADDED,
                   fields_set(&f, span_make(&name, 1), SPAN("v"), deadline_ms, &usual));
    }
    clock_advance_test(10);
    for (int i = 0; i < 1000; i++) {
        struct field_pair pair;
        if (fields_random(f, &random, &pair)) {
            EXPECT(pair.field.bytes.data[0] >= 'e');
            seen |= 1u << (pair.field.bytes.data[0] - 'a');
        } else {
            refused++;
        }
    }
    EXPECT_INT(0xf0, seen);
    EXPECT(refused > 300 && refused < 700);
    fields_free(f);
}

static void count_visit(const struct field_pair *pair, void *context) {
    (void)pair;
    ++*(uint32_t *)context;
}

static void test_fields_scan_and_steps(void) {
    size_t before_bytes = mem_used_bytes();
    struct fields *f = fields_new();
    uint32_t visited = 0;
    uint64_t cursor = 0;
    for (uint32_t i = 0; i < FIELDS_MAX; i++) {
        char texts[2][TEXT_MAX];
        EXPECT_INT(FIELDS_ADDED, fields_set(&f, text_at("f", i, texts[0]),
                                            text_at("v", i, texts[1]), FIELDS_NO_DEADLINE, &usual));
    }
    do cursor = fields_scan(f, cursor, count_visit, &visited);
    while (cursor);
    EXPECT_INT(FIELDS_MAX, visited);
    EXPECT_INT(FIELDS_MAX, fields_free_effort(f));
    while (!fields_free_step(f, 64)) continue;
    EXPECT_INT(before_bytes, mem_used_bytes());
}

/* What fails without memory has changed nothing. */
static void without_memory_step(struct model *m, uint32_t id, int64_t deadline_ms) {
    char texts[2][TEXT_MAX];
    struct span field = text_at("f", id, texts[0]);
    for (uint64_t nth = 1;; nth++) {
        int rc;
        mem_test_fail_at(nth);
        rc = fields_set(&m->fields, field, text_at("value", nth + id, texts[1]), deadline_ms,
                        &m->limits);
        mem_test_fail_at(0);
        if (rc >= 0) {
            m->items[id] = (struct item){true, (uint32_t)nth + id, deadline_ms};
            break;
        }
        EXPECT_INT(-ENOMEM, rc);
        fields_check(m->fields);
        check_field(m, id);
    }
    for (uint64_t nth = 1; deadline_ms == FIELDS_NO_DEADLINE; nth++) {
        int64_t later_ms = clock_real_ms() + 1000 + id;
        int rc;
        mem_test_fail_at(nth);
        rc = fields_expire(&m->fields, field, later_ms, 0);
        mem_test_fail_at(0);
        if (rc == FIELDS_CHANGED) {
            m->items[id].deadline_ms = later_ms;
            break;
        }
        EXPECT_INT(-ENOMEM, rc);
        fields_check(m->fields);
        check_field(m, id);
    }
}

static void test_fields_without_memory(void) {
    static struct model m;
    struct fields_limits small = {30, 64};
    clock_set_test(1700000000000, 1000);
    model_init(&m, 100, small, true);
    for (uint32_t id = 0; id < 100; id++) {
        without_memory_step(&m, id, FIELDS_NO_DEADLINE);
        without_memory_step(&m, id / 2, clock_real_ms() + 50 + id);
        if (id % 10 == 0) model_check(&m);
    }
    model_check(&m);
    mem_test_fail_at(1);
    EXPECT(fields_copy(m.fields) == NULL);
    mem_test_fail_at(0);
    fields_free(m.fields);
}

static void test_fields_memory_targets(void) {
    struct fields *f = fields_new();
    char field[32], value[32];
    for (uint32_t i = 0; i < 10; i++) {
        int len = snprintf(field, sizeof field, "f%u", i);
        snprintf(value, sizeof value, "value-of-20-bytes-%02u", i);
        EXPECT_INT(FIELDS_ADDED, fields_set(&f, span_make(field, (size_t)len), span_make(value, 20),
                                            FIELDS_NO_DEADLINE, &usual));
    }
    EXPECT(fields_memory_bytes(f) <= 320 - 32 - 10);
    for (uint32_t i = 0; i < 300000; i++) {
        int len = snprintf(field, sizeof field, "field:%010u", i);
        EXPECT_INT(FIELDS_ADDED, fields_set(&f, span_make(field, (size_t)len), span_make(value, 20),
                                            FIELDS_NO_DEADLINE, &usual));
    }
    EXPECT(fields_memory_bytes(f) <= 300000 * (size_t)60);
    fields_free(f);
}

int main(int argc, char **argv) {
    static const struct test tests[] = {
        {"fields_model", test_fields_model},
        {"fields_forms", test_fields_forms},
        {"fields_random", test_fields_random},
        {"fields_scan_and_steps", test_fields_scan_and_steps},
        {"fields_without_memory", test_fields_without_memory},
        {"fields_memory_targets", test_fields_memory_targets},
    };
    return test_main(tests, ARRAY_LENGTH(tests), argc, argv);
}
