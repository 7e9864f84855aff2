/* The keyspace against a plain array, in long seeded runs of all operations; then what single operations promise. */
#include "db/db.h"

#include "support.h"

enum { KEYS = 300, VALUE_MAX = 9000 };

/* What a key should hold. */
struct expected {
    bool present, is_object;
    size_t len;
    uint8_t *bytes; /* of a string */
    void *object;
    int64_t deadline_ms;
};

struct model {
    struct keyspace *ks;
    struct expected keys[2][KEYS]; /* by database */
    char *key_bytes[KEYS];
    size_t key_lens[KEYS];
    struct random random;
    uint8_t value[VALUE_MAX];
    uint32_t failures; /* allocations that failed on purpose */
};

static uint32_t below(struct model *m, uint64_t bound) {
    return (uint32_t)random_below(&m->random, bound);
}

static struct span key_of(struct model *m, uint32_t k) {
    return span_make(m->key_bytes[k], m->key_lens[k]);
}

/* Lengths round the layout's borders, mostly short. */
static size_t random_len(struct model *m, size_t max) {
    static const size_t borders[] = {0, 1, 7, 8, 9, 254, 255, 256, 257, 2047, 2048, 2049};
    size_t len = borders[below(m, ARRAY_LENGTH(borders))];
    if (below(m, 3) > 0) len = below(m, (uint64_t)2 << below(m, 14));
    return MIN(len, max);
}

static void model_init(struct model *m) {
    *m = (struct model){.ks = keyspace_new(&(struct keyspace_options){.db_count = 2, .seed = 1})};
    keyspace_register(m->ks, ENTRY_LIST, &thing_ops);
    random_init(&m->random, test_seed());
    for (uint32_t k = 0; k < KEYS; k++) {
        size_t len = k == 0 ? 70000 : k < 20 ? 250 + k : k < 24 ? 1000 : below(m, 40);
        len = MAX(len, 4);
        m->key_bytes[k] = malloc(len);
        m->key_lens[k] = len;
        for (size_t i = 0; i < len; i++) m->key_bytes[k][i] = (char)below(m, 256);
        memcpy(m->key_bytes[k], &k, 4);
    }
    m->key_lens[1] = 0; /* the empty key */
    clock_set_test(1000000000000, 1000000);
}

static void forget(struct expected *x) {
    free(x->bytes);
    *x = (struct expected){0};
}

static void expect_string(struct expected *x, const uint8_t *bytes, size_t len,
                          int64_t deadline_ms) {
    uint8_t *copy = malloc(len + 1);
    memcpy(copy, bytes, len);
    forget(x);
    *x = (struct expected){.present = true, .len = len, .bytes = copy, .deadline_ms = deadline_ms};
}

static int64_t random_deadline(struct model *m) {
    return below(m, 2) ? ENTRY_NO_DEADLINE : clock_real_ms() + 1 + below(m, 2000);
}

/* Is the key in its database what is expected? */
static bool holds(struct model *m, uint32_t d, uint32_t k) {
    const struct expected *x = &m->keys[d][k];
    struct entry *e = find(keyspace_db(m->ks, d), key_of(m, k));
    if (!x->present || x->deadline_ms <= clock_real_ms()) return e == NULL;
    if (!e || !span_eq(entry_key(e), key_of(m, k))) return false;
    if (entry_deadline_ms(e) != x->deadline_ms) return false;
    if (x->is_object) return entry_type(e) == ENTRY_LIST && entry_object(e) == x->object;
    if ((entry_blob(e) != NULL) != (entry_string(e).len > ENTRY_INLINE_BYTES_MAX)) {
        if (!entry_is_raw(e)) return false;
    }
    return entry_type(e) == ENTRY_STRING && span_eq(entry_string(e), span_make(x->bytes, x->len));
}

static void drop_if_due(struct expected *x) {
    if (x->present && x->deadline_ms <= clock_real_ms()) forget(x);
}

static void do_set(struct model *m, struct db *db, struct expected *x, struct span key) {
    size_t len = random_len(m, VALUE_MAX);
    int64_t deadline_ms = below(m, 3) ? random_deadline(m) : DB_KEEP_DEADLINE;
    int64_t kept_ms = x->present ? x->deadline_ms : ENTRY_NO_DEADLINE;
    struct span value = span_make(m->value + below(m, VALUE_MAX - (uint32_t)len + 1), len);
    struct blob *blob = below(m, 4) == 0 ? blob_try_copy(value, len) : NULL;
    struct entry *e;
    if (below(m, 2)) {
        e = db_set_string(db, key, key_hash(key), value, blob, deadline_ms);
    } else {
        struct entry *old = db_find_for_write(db, key, key_hash(key));
        e = db_put_string(db, old, key, key_hash(key), value, blob, deadline_ms);
    }
    if (!e) {
        m->failures++;
        return;
    }
    expect_string(x, (const uint8_t *)value.data, len,
                  deadline_ms == DB_KEEP_DEADLINE ? kept_ms : deadline_ms);
}

static void do_put_object(struct model *m, struct db *db, struct expected *x, struct span key) {
    struct thing *thing = thing_new(below(m, 300), below(m, 200));
    struct entry *old = db_find_for_write(db, key, key_hash(key));
    int64_t deadline_ms = random_deadline(m);
    if (!db_put_object(db, old, key, key_hash(key), ENTRY_LIST, thing, deadline_ms)) {
        m->failures++;
        return;
    }
    forget(x);
    *x = (struct expected){
        .present = true, .is_object = true, .object = thing, .deadline_ms = deadline_ms};
}

static void do_edit(struct model *m, struct db *db, struct expected *x, struct span key) {
    struct entry *e = db_find_for_write(db, key, key_hash(key));
    size_t len, old_len = x->len;
    uint8_t *grown;
    char *bytes;
    if (!e || entry_type(e) != ENTRY_STRING) return;
    len = MIN(old_len + random_len(m, 3000), 40000);
    bytes = db_edit_string(db, &e, key_hash(key), len);
    if (!bytes) {
        m->failures++;
        return;
    }
    grown = calloc(1, len + 1);
    memcpy(grown, x->bytes, old_len);
    if (len > 0) bytes[len / 2] = (char)(grown[len / 2] = (uint8_t)below(m, 256));
    expect_string(x, grown, len, x->deadline_ms);
    free(grown);
    if (!entry_is_raw(e)) test_fail(__FILE__, __LINE__, "an edited string is not raw");
}

static void do_deadline(struct model *m, struct db *db, struct expected *x, struct span key) {
    struct entry *e = db_find_for_write(db, key, key_hash(key));
    int64_t deadline_ms = random_deadline(m);
    if (!e) return;
    if (!db_set_deadline(db, e, key_hash(key), deadline_ms)) {
        m->failures++;
        return;
    }
    x->deadline_ms = deadline_ms;
}

static void do_remove(struct model *m, struct db *db, struct expected *x, struct span key) {
    struct entry *e = db_find_for_write(db, key, key_hash(key));
    if (e) db_remove(db, e, key_hash(key), below(m, 2));
    forget(x);
}

static void do_move_or_copy(struct model *m, uint32_t d, uint32_t k, bool copy) {
    uint32_t to_d = below(m, 2), to_k = below(m, KEYS);
    struct db *from = keyspace_db(m->ks, d), *to = keyspace_db(m->ks, to_d);
    struct span key = key_of(m, k), to_key = key_of(m, to_k);
    struct expected *x = &m->keys[d][k], *to_x = &m->keys[to_d][to_k];
    struct entry *e = db_find_for_write(from, key, key_hash(key));
    struct entry *moved;
    struct db_place place = {to, to_key, key_hash(to_key),
                             db_find_for_write(to, to_key, key_hash(to_key)), below(m, 2)};
    if (!e || place.old == e) return;
    moved = copy ? db_copy(from, e, &place) : db_move(from, e, key_hash(key), &place);
    if (!moved) {
        m->failures++;
        return;
    }
    forget(to_x);
    *to_x = *x;
    if (copy && x->is_object) to_x->object = entry_object(moved);
    if (copy && x->bytes) {
        to_x->bytes = malloc(x->len + 1);
        memcpy(to_x->bytes, x->bytes, x->len);
    }
    if (!copy) *x = (struct expected){0};
}

static void do_swap(struct model *m) {
    static struct expected old[KEYS];
    keyspace_swap(m->ks, 0, 1);
    memcpy(old, m->keys[0], sizeof old);
    memcpy(m->keys[0], m->keys[1], sizeof old);
    memcpy(m->keys[1], old, sizeof old);
}

static void do_background(struct model *m) {
    keyspace_expire_cycle(m->ks, clock_real_ms(), 1000);
    keyspace_lazy_step(m->ks, 1000);
}

static void do_flush(struct model *m, uint32_t d) {
    db_flush(keyspace_db(m->ks, d), below(m, 2));
    for (uint32_t k = 0; k < KEYS; k++) forget(&m->keys[d][k]);
}

static void step(struct model *m, uint32_t d, uint32_t k) {
    struct db *db = keyspace_db(m->ks, d);
    struct expected *x = &m->keys[d][k];
    struct span key = key_of(m, k);
    uint32_t what = below(m, 1000);
    drop_if_due(x);
    if (what < 400) {
        do_set(m, db, x, key);
    } else if (what < 480) {
        do_put_object(m, db, x, key);
    } else if (what < 640) {
        do_edit(m, db, x, key);
    } else if (what < 720) {
        do_deadline(m, db, x, key);
    } else if (what < 820) {
        do_remove(m, db, x, key);
    } else if (what < 920) {
        do_move_or_copy(m, d, k, what % 2);
    } else if (what < 960) {
        clock_advance_test(below(m, 20));
    } else if (what < 990) {
        do_background(m);
    } else if (what < 998) {
        do_swap(m);
    } else if (below(m, 8) == 0) {
        do_flush(m, d);
    }
}

static void model_release(struct model *m) {
    keyspace_free(m->ks);
    for (uint32_t k = 0; k < KEYS; k++) {
        free(m->key_bytes[k]);
        forget(&m->keys[0][k]);
        forget(&m->keys[1][k]);
    }
}

static void run_model(uint32_t steps, bool fail_allocations) {
    static struct model m;
    size_t used_bytes = mem_used_bytes();
    model_init(&m);
    for (size_t i = 0; i < VALUE_MAX; i++) m.value[i] = (uint8_t)below(&m, 256);
    for (uint32_t s = 0; s < steps; s++) {
        uint32_t d = below(&m, 2), k = below(&m, KEYS);
        if (fail_allocations && below(&m, 3) == 0) mem_test_fail_at(1 + below(&m, 3));
        step(&m, d, k);
        mem_test_fail_at(0);
        if (!holds(&m, d, k)) {
            test_fail(__FILE__, __LINE__, "key %u differs after step %u", k, s);
            break;
        }
        if (s % 64 == 0 && !(db_agrees(keyspace_db(m.ks, 0)) && db_agrees(keyspace_db(m.ks, 1)))) {
            test_fail(__FILE__, __LINE__, "accounts differ after step %u", s);
            break;
        }
        if (s % 1024 == 0) {
            for (uint32_t i = 0; i < KEYS; i++) EXPECT(holds(&m, 0, i) && holds(&m, 1, i));
        }
    }
    EXPECT(!fail_allocations || m.failures > 100);
    model_release(&m);
    EXPECT_INT(used_bytes, mem_used_bytes());
    EXPECT_INT(0, thing_count);
}

static void test_model(void) {
    run_model(150000, false);
}
static void test_model_allocations_fail(void) {
    run_model(150000, true);
}

/* -- what single operations promise */

static void test_overwrite_in_place(void) {
    struct keyspace *ks = keyspace_new(NULL);
    struct db *db = keyspace_db(ks, 0);
    struct span key = SPAN("a key of 16 byte"), value = SPAN("0123456789");
    struct entry *e = set(db, key, value, ENTRY_NO_DEADLINE);
    size_t data_bytes = db->data_bytes;
    EXPECT(set(db, key, SPAN("9876543210"), ENTRY_NO_DEADLINE) == e);
    EXPECT(set(db, key, SPAN("98765"), ENTRY_NO_DEADLINE) == e);
    EXPECT_INT(data_bytes, db->data_bytes);
    e = set(db, key, SPAN("98765"), clock_real_ms() + 1000);
    EXPECT_INT(1, db->deadline_count);
    EXPECT(set(db, key, SPAN("43210"), clock_real_ms() + 2000) == e);
    EXPECT_INT(clock_real_ms() + 2000, entry_deadline_ms(e));
    EXPECT_INT(clock_real_ms() + 2000, db->deadline_sum_ms);
    EXPECT(set(db, key, SPAN("22222"), DB_KEEP_DEADLINE) == e);
    EXPECT_INT(1, db->deadline_count);
    e = set(db, key, SPAN("33333"), ENTRY_NO_DEADLINE);
    EXPECT_INT(0, db->deadline_count);
    EXPECT_INT(ENTRY_NO_DEADLINE, entry_deadline_ms(e));
    EXPECT_SPAN(SPAN("33333"), entry_string(e));
    keyspace_free(ks);
}

static void test_value_inside_old_value(void) {
    struct keyspace *ks = keyspace_new(NULL);
    struct db *db = keyspace_db(ks, 0);
    struct span key = SPAN("k");
    size_t lens[] = {20, 300, 2049, 6000};
    for (size_t i = 0; i < ARRAY_LENGTH(lens); i++) {
        for (size_t skip = 1; skip < lens[i]; skip = skip * 3 + 1) {
            char *bytes = calloc(1, lens[i]);
            struct entry *e;
            for (size_t b = 0; b < lens[i]; b++) bytes[b] = (char)(b * 7);
            e = set(db, key, span_make(bytes, lens[i]), ENTRY_NO_DEADLINE);
            e = db_put_string(db, e, entry_key(e), key_hash(key),
                              span_make(entry_string(e).data + skip, lens[i] - skip), NULL,
                              ENTRY_NO_DEADLINE);
            EXPECT_SPAN(span_make(bytes + skip, lens[i] - skip), entry_string(e));
            EXPECT_SPAN(key, entry_key(e));
            free(bytes);
        }
    }
    keyspace_free(ks);
}

static void test_shared_blob_is_not_written(void) {
    struct keyspace *ks = keyspace_new(NULL);
    struct db *db = keyspace_db(ks, 0);
    struct span key = SPAN("k");
    char *bytes = calloc(1, 5000), *edited;
    struct entry *e = set(db, key, span_make(bytes, 5000), ENTRY_NO_DEADLINE);
    struct blob *sent = blob_ref(entry_blob(e));
    edited = db_edit_string(db, &e, key_hash(key), 5001);
    memset(edited, 'x', 5001);
    EXPECT(entry_blob(e) != sent);
    EXPECT_SPAN(span_make(bytes, 5000), blob_span(sent));
    blob_unref(sent);
    sent = blob_ref(entry_blob(e));
    memset(bytes, 'y', 5000);
    e = set(db, key, span_make(bytes, 5000), ENTRY_NO_DEADLINE);
    EXPECT(entry_blob(e) != sent && blob_span(sent).data[0] == 'x' && sent->len == 5001);
    blob_unref(sent);
    EXPECT(entry_blob(e)->ref_count == 1);
    sent = entry_blob(e);
    e = set(db, key, span_make(bytes, 4999),
            ENTRY_NO_DEADLINE); /* nobody else holds it: in place */
    EXPECT(entry_blob(e) == sent);
    e = db_put_string(db, e, key, key_hash(key), SPAN(""), blob_ref(sent), ENTRY_NO_DEADLINE);
    EXPECT(entry_blob(e) == sent && sent->ref_count == 1 && sent->len == 4999);
    EXPECT(db_agrees(db));
    free(bytes);
    keyspace_free(ks);
}

/* A value's own bytes are given out to be written anew only where nothing else would see it. */
static void test_rewrite(void) {
    enum { LEN = 5000 };
    struct keyspace *ks = keyspace_new(NULL);
    struct db *db = keyspace_db(ks, 0);
    struct span key = SPAN("k");
    uint64_t hash = key_hash(key);
    char bytes[LEN];
    memset(bytes, 'x', sizeof bytes);
    EXPECT(!db_rewrite_string(db, NULL, hash, LEN));
    struct entry *e = set(db, key, SPAN("short"), ENTRY_NO_DEADLINE);
    EXPECT(!db_rewrite_string(db, e, hash, LEN));
    e = set(db, key, span_make(bytes, LEN), clock_real_ms() + 100000);
    EXPECT(!db_rewrite_string(db, e, hash, 5)); /* would be inline */
    EXPECT(!db_rewrite_string(db, e, hash, 2 * LEN));
    EXPECT(entry_deadline_ms(e) != ENTRY_NO_DEADLINE && entry_string(e).len == LEN);
    struct blob *blob = blob_ref(entry_blob(e));
    EXPECT(!db_rewrite_string(db, e, hash, LEN)); /* is being sent */
    blob_unref(blob);
    EXPECT(db_rewrite_string(db, e, hash, LEN + 1) == blob->data);
    EXPECT(entry_deadline_ms(e) == ENTRY_NO_DEADLINE && entry_string(e).len == LEN + 1);
    EXPECT(memcmp(blob->data, bytes, LEN) == 0);
    EXPECT(db_agrees(db));
    keyspace_free(ks);
}

static void test_append_growth(void) {
    struct keyspace *ks = keyspace_new(NULL);
    struct db *db = keyspace_db(ks, 0);
    struct span key = SPAN("k");
    struct entry *e = set(db, key, SPAN(""), ENTRY_NO_DEADLINE);
    const char *block = NULL;
    uint32_t moves = 0;
    for (size_t len = 1; len <= 3000000; len += 1 + len / 5000) {
        char *bytes = db_edit_string(db, &e, key_hash(key), len);
        bytes[len - 1] = 'x';
        moves += bytes != block;
        block = bytes;
    }
    EXPECT(moves < 160); /* 2 KiB in steps of 16 bytes at worst, then doubling */
    EXPECT(entry_blob(e)->capacity < 3000000 + 1200000);
    EXPECT(db_agrees(db));
    keyspace_free(ks);
}

/* -- hooks */

struct recorder {
    struct db_hook hook;
    char log[400];
};

static void record(struct recorder *r, const char *what, struct span key) {
    size_t len = strlen(r->log);
    snprintf(r->log + len, sizeof r->log - len, "%s:%.*s ", what, (int)key.len, key.data);
}
static void record_changed(struct db_hook *hook, struct db *db, struct span key) {
    record((struct recorder *)hook, "changed", key);
}
static void record_event(struct db_hook *hook, struct db *db, char event_class, const char *event,
                         struct span key) {
    record((struct recorder *)hook, event, key);
}
static void record_flushed(struct db_hook *hook, struct db *db) {
    record((struct recorder *)hook, db ? "flushed" : "flushed all", SPAN(""));
}
static void record_swapped(struct db_hook *hook, struct db *a, struct db *b) {
    record((struct recorder *)hook, "swapped", SPAN(""));
}

static void test_hooks(void) {
    struct keyspace *ks = keyspace_new(NULL);
    struct db *db = keyspace_db(ks, 0);
    struct recorder r = {.hook = {.changed = record_changed,
                                  .event = record_event,
                                  .flushed = record_flushed,
                                  .swapped = record_swapped}};
    struct entry *e;
    clock_set_test(1000, 1000);
    keyspace_hook(ks, &r.hook);
    e = set(db, SPAN("a"), SPAN("1"), 2000);
    e = db_copy(db, e, &(struct db_place){.db = db, SPAN("b"), key_hash(SPAN("b"))});
    db_move(db, e, key_hash(SPAN("b")),
            &(struct db_place){.db = db, SPAN("c"), key_hash(SPAN("c"))});
    clock_advance_test(1000);
    EXPECT(find(db, SPAN("a")) == NULL);
    EXPECT(!keyspace_expire_cycle(ks, clock_real_ms(), 1000));
    keyspace_swap(ks, 0, 1);
    db_flush(db, false);
    keyspace_flush(ks, true);
    EXPECT_SPAN(
        SPAN("new:a changed:a new:b changed:b new:c changed:b changed:c changed:a expired:a "
             "changed:c expired:c swapped: flushed: flushed all: "),
        span_of(r.log));
    keyspace_unhook(ks, &r.hook);
    EXPECT_INT(2, keyspace_stats(ks)->expired_count);
    keyspace_free(ks);
}

static void test_stats(void) {
    struct keyspace *ks = keyspace_new(NULL);
    struct db *db = keyspace_db(ks, 3);
    set(db, SPAN("a"), SPAN("1"), ENTRY_NO_DEADLINE);
    find(db, SPAN("a"));
    find(db, SPAN("b"));
    EXPECT(db_exists(db, SPAN("a"), key_hash(SPAN("a"))));
    EXPECT_INT(1, keyspace_stats(ks)->hit_count);
    EXPECT_INT(1, keyspace_stats(ks)->miss_count);
    EXPECT_INT(1, keyspace_key_count(ks));
    EXPECT(keyspace_db(ks, 16) == NULL && keyspace_db_count(ks) == 16);
    keyspace_free(ks);
}

/* -- access clock */

static void test_lru(void) {
    struct keyspace *ks = keyspace_new(NULL);
    struct db *db = keyspace_db(ks, 0);
    struct entry *e;
    clock_set_test(1700000000000, 0);
    e = set(db, SPAN("a"), SPAN("1"), ENTRY_NO_DEADLINE);
    clock_advance_test(5000);
    EXPECT_INT(5, entry_idle_s(ks, e));
    EXPECT(db_find(db, SPAN("a"), key_hash(SPAN("a")), DB_LOOK_NO_TOUCH) == e);
    EXPECT_INT(5, entry_idle_s(ks, e));
    find(db, SPAN("a"));
    EXPECT_INT(0, entry_idle_s(ks, e));
    keyspace_free(ks);
}

static void test_lfu(void) {
    struct keyspace_options options = {.lfu = true, .lfu_log_factor = 10, .lfu_decay_minutes = 1};
    struct keyspace *ks = keyspace_new(&options);
    struct db *db = keyspace_db(ks, 0);
    struct entry *e;
    uint32_t warm;
    clock_set_test(1700000000000, 0);
    e = set(db, SPAN("a"), SPAN("1"), ENTRY_NO_DEADLINE);
    EXPECT_INT(5, entry_frequency(ks, e));
    for (int i = 0; i < 1000; i++) find(db, SPAN("a"));
    warm = entry_frequency(ks, e); /* Redis's table: 18 after 1000 accesses with factor 10 */
    EXPECT(warm >= 12 && warm <= 25);
    clock_advance_test(4 * 60000);
    EXPECT_INT(warm - 4, entry_frequency(ks, e));
    e = set(db, SPAN("a"), SPAN("2"), ENTRY_NO_DEADLINE);
    EXPECT_INT(warm - 4, entry_frequency(ks, e));
    clock_advance_test(300 * 60000);
    EXPECT_INT(0, entry_frequency(ks, e));
    options.lfu_decay_minutes = 0;
    keyspace_set_options(ks, &options);
    EXPECT(entry_frequency(ks, e) > 0);
    EXPECT_INT(16, keyspace_db_count(ks));
    keyspace_free(ks);
}

static void test_random(void) {
    struct keyspace *ks = keyspace_new(NULL);
    struct db *db = keyspace_db(ks, 0);
    clock_set_test(1000, 1000);
    EXPECT(db_random(db) == NULL);
    for (uint32_t i = 0; i < 64; i++) {
        set(db, span_make(&i, 4), SPAN("v"), i == 7 ? ENTRY_NO_DEADLINE : 1500);
    }
    clock_advance_test(1000);
    for (int i = 0; i < 20; i++) {
        struct entry *e = db_random(db);
        EXPECT(e && entry_deadline_ms(e) == ENTRY_NO_DEADLINE);
    }
    EXPECT(db_agrees(db));
    keyspace_free(ks);
}

static void count_visit(struct entry *e, void *context) {
    (*(uint32_t *)context)++;
}

static void test_scan(void) {
    struct keyspace *ks = keyspace_new(NULL);
    struct db *db = keyspace_db(ks, 0);
    uint64_t cursor = 0;
    uint32_t visits = 0;
    clock_set_test(1000, 1000);
    for (uint32_t i = 0; i < 3000; i++) {
        set(db, span_make(&i, 4), SPAN("v"), i % 3 ? ENTRY_NO_DEADLINE : 1500);
    }
    clock_advance_test(1000);
    do {
        cursor = db_scan(db, cursor, count_visit, &visits);
    } while (cursor != 0);
    EXPECT_INT(2000, visits);
    EXPECT_INT(3000, db_count(db));
    visits = 0;
    do {
        cursor = db_scan_expire(db, cursor, count_visit, &visits);
    } while (cursor != 0);
    EXPECT(visits >= 2000);
    EXPECT_INT(2000, db_count(db));
    EXPECT(db_agrees(db));
    keyspace_free(ks);
}

int main(int argc, char **argv) {
    static const struct test tests[] = {
        {"db_model", test_model},
        {"db_model_allocations_fail", test_model_allocations_fail},
        {"db_overwrite_in_place", test_overwrite_in_place},
        {"db_value_inside_old_value", test_value_inside_old_value},
        {"db_shared_blob_is_not_written", test_shared_blob_is_not_written},
        {"db_rewrite", test_rewrite},
        {"db_append_growth", test_append_growth},
        {"db_hooks", test_hooks},
        {"db_stats", test_stats},
        {"db_lru", test_lru},
        {"db_lfu", test_lfu},
        {"db_random", test_random},
        {"db_scan", test_scan},
    };
    return test_main(tests, ARRAY_LENGTH(tests), argc, argv);
}
