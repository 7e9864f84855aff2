/* Whole values: what is written is read as the same, on both sides of every limit; cut input is refused at every byte; memory that is
 * refused leaves nothing behind. What other servers write and read is in tests/differential. */
#include "persist/value.h"

#include <errno.h>

#include "base/alloc.h"
#include "base/check.h"
#include "base/error.h"
#include "base/random.h"
#include "test.h"
#include "types/stream_group.h"

enum { NOW_MS = 1000000 };

static const struct value_limits small = {
    .list = {.bytes = 8192, .count = UINT32_MAX},
    .set = {.intset_count_max = 512, .packed_count_max = 128, .packed_bytes_max = 64},
    .zset = {.count_max = 128, .bytes_max = 64},
    .hash = {.packed_count_max = 128, .packed_bytes_max = 64},
    .stream = {.block_bytes = 4096, .block_entries = 100},
};

static struct span text_of(struct random *random, char *out) {
    switch (random_below(random, 4)) {
    case 0: return span_make(out, num_format_int(out, (int64_t)random_next(random)));
    case 1: return span_make(out, num_format_int(out, (int64_t)random_below(random, 300) - 150));
    case 2: {
        size_t len = random_below(random, 90);
        memset(out, 'a' + (int)random_below(random, 3), len);
        return span_make(out, len);
    }
    }
    size_t len = random_below(random, 30);
    for (size_t i = 0; i < len; i++) out[i] = (char)random_next(random);
    return span_make(out, len);
}

/* ---- values of each type, at random */

static void make_list(struct random *random, uint64_t count, struct value *out) {
    char text[100];
    out->object = chain_new();
    for (uint64_t i = 0; i < count; i++) {
        struct chain_item item = {.bytes = text_of(random, text)};
        CHECK(chain_push(out->object, CHAIN_TAIL, &item, &small.list) == 0);
    }
}

static void make_set(struct random *random, uint64_t count, struct value *out) {
    char text[100];
    struct set *s = set_new(SPAN("1"), 1, &small.set);
    bool numbers = random_below(random, 2);
    CHECK(set_add(&s, SPAN("1"), &small.set) == 1);
    for (uint64_t i = 0; i < count; i++) {
        struct span member = numbers ? span_make(text, num_format_int(text, (int64_t)i * 7777))
                                     : text_of(random, text);
        CHECK(set_add(&s, member, &small.set) >= 0);
    }
    out->object = s;
}

static void make_zset(struct random *random, uint64_t count, struct value *out) {
    char text[100];
    struct zset *z = zset_new(1, 1, &small.zset);
    for (uint64_t i = 0; i < count; i++) {
        struct zset_place place;
        struct span member = text_of(random, text);
        double score = (double)(int64_t)random_below(random, 1000) / 8 - 60;
        if (zset_find(z, member, &place)) continue;
        CHECK(zset_insert(&z, &place, member, score, &small.zset) == 0);
    }
    out->object = z;
}

static void make_hash(struct random *random, uint64_t count, struct value *out) {
    char field[100], value[100];
    struct fields *f = fields_new();
    bool timed = random_below(random, 2);
    for (uint64_t i = 0; i < count; i++) {
        int64_t deadline_ms = timed && random_below(random, 2)
                                  ? INT64_MAX / 2 + (int64_t)random_below(random, 1000)
                                  : FIELDS_NO_DEADLINE;
        CHECK(fields_set(&f, text_of(random, field), text_of(random, value), deadline_ms,
                         &small.hash) >= 0);
    }
    out->object = f;
}

static void make_groups(struct random *random, struct stream *s) {
    struct stream_group *g = stream_group_try_add(s, SPAN("group"), s->last_id, 3);
    struct stream_consumer *a = stream_consumer_try_add(s, g, SPAN("a"), 77);
    struct stream_consumer *b = stream_consumer_try_add(s, g, SPAN("b"), 78);
    a->active_ms = 77; /* the form has one time for both */
    b->active_ms = 78;
    for (uint64_t i = random_below(random, 20); i > 0; i--)
        stream_deliver(g, i & 1 ? a : b, (struct stream_id){i, i * i}, (int64_t)i);
    CHECK(stream_group_try_add(s, SPAN("idle"), STREAM_ID_ZERO, STREAM_ENTRIES_READ_UNKNOWN));
}

static void make_stream(struct random *random, uint64_t count, struct value *out) {
    static const struct span names[] = {SPAN("name"), SPAN("1"), SPAN("")};
    char value[3][100];
    struct stream *s = stream_new();
    struct stream_id id = {random_below(random, 1000), 1};
    for (uint64_t i = 0; i < count; i++) {
        uint32_t pairs = 1 + (uint32_t)random_below(random, 8) / 6;
        struct span spans[4];
        for (uint32_t at = 0; at < pairs; at++) {
            spans[2 * at] = names[random_below(random, 8) < 7 ? at : 2];
            spans[2 * at + 1] = text_of(random, value[at]);
        }
        CHECK(stream_append(s, id, spans, pairs, &small.stream) == 0);
        if (random_below(random, 2)) id.ms += random_below(random, 100000);
        id.seq++;
        if (random_below(random, 9) == 0 && s->length > 1)
            CHECK(stream_delete(s, stream_last_entry_id(s)));
    }
    make_groups(random, s);
    out->object = s;
}

static void make_string(struct random *random, uint64_t count, struct value *out) {
    static char text[100];
    out->string = text_of(random, text);
}

static const struct maker {
    enum entry_type type;
    void (*make)(struct random *random, uint64_t count, struct value *out);
} makers[] = {
    {ENTRY_STRING, make_string}, {ENTRY_LIST, make_list}, {ENTRY_SET, make_set},
    {ENTRY_ZSET, make_zset},     {ENTRY_HASH, make_hash}, {ENTRY_STREAM, make_stream},
};

/* ---- the same value? Elements are looked up in the other: the orders of tables differ. */

static bool sets_equal(const struct set *a, const struct set *b) {
    struct packed_value members[SET_WALK_BATCH];
    struct set_walk walk;
    char text[NUM_INT_TEXT_MAX];
    set_walk_begin(&walk, a);
    for (uint32_t n; (n = set_walk_next(&walk, members)) > 0;) {
        for (uint32_t i = 0; i < n; i++)
            if (!set_has(b, packed_value_bytes(&members[i], text))) return false;
    }
    return set_count(a) == set_count(b);
}

static bool hashes_equal(const struct fields *a, const struct fields *b) {
    struct field_pair pairs[FIELDS_WALK_BATCH], other;
    struct fields_walk walk;
    char text[NUM_INT_TEXT_MAX], other_text[NUM_INT_TEXT_MAX];
    fields_walk_begin(&walk, a);
    for (uint32_t n; (n = fields_walk_next(&walk, pairs)) > 0;) {
        for (uint32_t i = 0; i < n; i++) {
            if (!fields_get(b, packed_value_bytes(&pairs[i].field, text), &other)) return false;
            if (other.deadline_ms != pairs[i].deadline_ms) return false;
            if (!span_eq(packed_value_bytes(&pairs[i].value, text),
                         packed_value_bytes(&other.value, other_text)))
                return false;
        }
    }
    return fields_count(a) == fields_count(b);
}

static bool zsets_equal(const struct zset *a, const struct zset *b) {
    struct zset_cursor x, y;
    bool more = zset_seek(a, 0, &x), other = zset_seek(b, 0, &y);
    while (more && other) {
        if (!span_eq(x.member, y.member) || x.score != y.score) return false;
        more = zset_next(&x);
        other = zset_next(&y);
    }
    return more == other;
}

/* Ordered types are written alike when they are alike. */
static bool written_equal(const struct value *a, const struct value *b) {
    struct rdb_writer x = {0}, y = {0};
    value_write(&x, a);
    value_write(&y, b);
    bool equal = span_eq(buf_span(&x.out), buf_span(&y.out));
    buf_release(&x.out);
    buf_release(&y.out);
    return equal;
}

static bool equal(const struct value *a, const struct value *b) {
    if (a->type != b->type) return false;
    switch (a->type) {
    case ENTRY_SET: set_check(b->object); return sets_equal(a->object, b->object);
    case ENTRY_HASH: fields_check(b->object); return hashes_equal(a->object, b->object);
    case ENTRY_ZSET: zset_check(b->object); return zsets_equal(a->object, b->object);
    case ENTRY_STREAM: stream_check(b->object); break;
    case ENTRY_LIST: chain_check(b->object); break;
    case ENTRY_STRING: return span_eq(a->string, b->string);
    }
    return written_equal(a, b);
}

/* ---- tests */

static void test_round_trips(void) {
    struct random random;
    random_init(&random, test_seed());
    for (int round = 0; round < 400; round++) {
        const struct maker *m = &makers[(size_t)round % ARRAY_LENGTH(makers)];
        uint64_t count = 1 + random_below(&random, round % 5 ? 40 : 700);
        struct value value = {.type = m->type}, back;
        struct rdb_scratch scratch = {0};
        struct rdb_writer w = {0};
        m->make(&random, count, &value);
        unsigned version = value_write(&w, &value);
        EXPECT(version >= RDB_VERSION && !w.failed);
        EXPECT_INT(0, value_read(buf_span(&w.out), version, &small, NOW_MS, &scratch, &back));
        EXPECT(equal(&value, &back));
        value_release(&value);
        value_release(&back);
        rdb_scratch_release(&scratch);
        buf_release(&w.out);
    }
}

static void test_cut(void) {
    struct random random;
    size_t used_bytes = mem_used_bytes();
    random_init(&random, test_seed());
    for (size_t i = 0; i < ARRAY_LENGTH(makers); i++) {
        struct value value = {.type = makers[i].type}, back;
        struct rdb_scratch scratch = {0};
        struct rdb_writer w = {0};
        makers[i].make(&random, 30, &value);
        unsigned version = value_write(&w, &value);
        for (size_t len = 0; len < w.out.len; len++) {
            struct span cut = span_make(w.out.data, len);
            EXPECT_INT(ERROR_SYNTAX, value_read(cut, version, &small, NOW_MS, &scratch, &back));
        }
        rdb_write_byte(&w, 0);
        EXPECT_INT(ERROR_SYNTAX,
                   value_read(buf_span(&w.out), version, &small, NOW_MS, &scratch, &back));
        value_release(&value);
        rdb_scratch_release(&scratch);
        buf_release(&w.out);
    }
    EXPECT_INT(used_bytes, mem_used_bytes());
}

static void test_refused_memory(void) {
    struct random random;
    size_t used_bytes = mem_used_bytes();
    random_init(&random, test_seed());
    for (size_t i = 0; i < ARRAY_LENGTH(makers); i++) {
        struct value value = {.type = makers[i].type}, back;
        struct rdb_writer w = {0};
        makers[i].make(&random, 200, &value);
        unsigned version = value_write(&w, &value);
        int status = -ENOMEM;
        for (uint64_t n = 1; status; n++) {
            struct rdb_scratch scratch = {0};
            mem_test_fail_at(n);
            status = value_read(buf_span(&w.out), version, &small, NOW_MS, &scratch, &back);
            mem_test_fail_at(0);
            EXPECT(status == 0 || status == -ENOMEM);
            if (status == 0) value_release(&back);
            rdb_scratch_release(&scratch);
        }
        value_release(&value);
        buf_release(&w.out);
    }
    EXPECT_INT(used_bytes, mem_used_bytes());
}

static int read_bytes(struct span body, unsigned version, struct value *out) {
    struct rdb_scratch scratch = {0};
    int status = value_read(body, version, &small, NOW_MS, &scratch, out);
    rdb_scratch_release(&scratch);
    return status;
}

/* What no server writes, each with the reason why it is refused. */
static void test_refused(void) {
    static const struct {
        const char *why;
        struct span body;
    } cases[] = {
        {"no type", SPAN("")},
        {"modules", SPAN("\x07\x00")},
        {"no such type", SPAN("\x40\x00")},
        {"an empty list", SPAN("\x01\x00")},
        {"an empty set", SPAN("\x02\x00")},
        {"an empty sorted set", SPAN("\x05\x00")},
        {"an empty hash", SPAN("\x04\x00")},
        {"an empty listpack", SPAN("\x10\x07\x07\x00\x00\x00\x00\x00\xff")},
        {"a member twice", SPAN("\x02\x02\x01m\x01m")},
        {"a field twice", SPAN("\x04\x02\x01m\x01v\x01m\x01w")},
        {"a scored member twice", SPAN("\x05\x02\x01m\0\0\0\0\0\0\0\0\x01m\0\0\0\0\0\0\0\0")},
        {"a score that is nan", SPAN("\x05\x01\x01m\0\0\0\0\0\0\xf8\x7f")},
        {"a text score that is nan", SPAN("\x03\x01\x01m\xfd")},
        {"a field without value", SPAN("\x10\x0a\x0a\x00\x00\x00\x01\x00\x81m\x02\xff")},
        {"a count of more", SPAN("\x10\x0a\x0a\x00\x00\x00\x02\x00\x81m\x02\xff")},
        {"integers that fall", SPAN("\x0b\x0c\x02\x00\x00\x00\x02\x00\x00\x00\x02\x00\x01\x00")},
        {"a hash of the drafts", SPAN("\x16\x01\x01m\x01v\xff\xff\xff\xff\xff\xff\xff\xff")},
        {"pending, and nobody's",
         SPAN("\x13\x00\x00\x05\x00\x00\x00\x00\x00\x00\x01\x01g\x00\x00\x00\x01"
              "0123456789abcdef\0\0\0\0\0\0\0\0\x01\x00")},
        {"a length of no entries", SPAN("\x13\x00\x01\x05\x00\x00\x00\x00\x00\x00\x00")},
        {"last id below the deleted", SPAN("\x13\x00\x00\x05\x00\x00\x00\x06\x00\x00\x00")},
    };
    struct value out;
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        if (read_bytes(cases[i].body, RDB_VERSION, &out) != ERROR_SYNTAX)
            test_fail(__FILE__, __LINE__, "taken: %s", cases[i].why);
    }
    EXPECT_INT(0,
               read_bytes(SPAN("\x13\x00\x00\x05\x00\x00\x00\x00\x00\x00\x00"), RDB_VERSION, &out));
    value_release(&out);
}

/* Deadlines in the three forms; what has passed is left out. */
static void test_timed_hashes(void) {
    static const struct span forms[] = {
        /* Valkey's: without, 2000000 ms, 999999 ms */
        SPAN("\x16\x03\x01"
             "a\x01x\xff\xff\xff\xff\xff\xff\xff\xff\x01"
             "b\x01y\x80\x84\x1e\0\0\0\0\0\x01"
             "c\x01z\x3f\x42\x0f\0\0\0\0\0"),
        /* Redis's, relative to 999999 ms */
        SPAN("\x18\x3f\x42\x0f\0\0\0\0\0\x03\x00\x01"
             "a\x01x\x80\x00\x0f\x42\x42\x01"
             "b\x01y\x01\x01"
             "c\x01z"),
        /* its listpack */
        SPAN("\x19\x3f\x42\x0f\0\0\0\0\0\x25\x25\0\0\0\x09\0\x81"
             "c\x02\x81z\x02\xf2\x3f\x42\x0f\x04\x81"
             "b\x02\x81y\x02\xf2\x80\x84\x1e\x04"
             "\x81"
             "a\x02\x81x\x02\x00\x01\xff"),
    };
    for (size_t i = 0; i < ARRAY_LENGTH(forms); i++) {
        struct value out;
        EXPECT_INT(0, read_bytes(forms[i], RDB_VERSION_FIELD_EXPIRY, &out));
        EXPECT_INT(2, fields_count(out.object));
        EXPECT_INT(1, fields_deadline_count(out.object));
        value_release(&out);
    }
    struct value out;
    EXPECT_INT(0, read_bytes(SPAN("\x16\x01\x01"
                                  "a\x01x\x01\0\0\0\0\0\0\0"),
                             RDB_VERSION_FIELD_EXPIRY, &out));
    EXPECT(out.type == ENTRY_HASH && !out.object);
}

int main(int argc, char **argv) {
    static const struct test tests[] = {
        {"value_round_trips", test_round_trips},       {"value_cut", test_cut},
        {"value_refused_memory", test_refused_memory}, {"value_refused", test_refused},
        {"value_timed_hashes", test_timed_hashes},
    };
    return test_main(tests, ARRAY_LENGTH(tests), argc, argv);
}
