/* The table against a plain array, in seeded runs; scans under change; hashes that are not random. */
#include "types/table.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/hash.h"
#include "test.h"

struct item {
    uint64_t hash;
    int64_t deadline_ms;
    uint32_t id;
    bool present, steady; /* steady: there from a scan's first call to its last */
    uint32_t visit_count;
};

static uint64_t item_hash(const void *element) {
    return ((const struct item *)element)->hash;
}
static bool item_has_key(const void *element, struct span key) {
    return span_eq(span_make(&((const struct item *)element)->id, sizeof(uint32_t)), key);
}
static int64_t item_deadline_ms(const void *element) {
    return ((const struct item *)element)->deadline_ms;
}
static const struct table_type item_type = {item_hash, item_has_key, item_deadline_ms};

/* A table and what should be in it. */
struct model {
    struct table table;
    struct item *items;
    uint32_t item_count, present_count;
    struct random random;
};

enum hashing { HASH_RANDOM, HASH_CROWDED, HASH_FEW_PLACES, HASH_EQUAL };

static uint64_t make_hash(enum hashing hashing, uint32_t id) {
    uint64_t hash = hash_fold(id + 1, 0x9e3779b97f4a7c15u) * 0xd6e8feb86659fd93u;
    switch (hashing) {
    case HASH_RANDOM: return hash;
    case HASH_CROWDED: return id % 4 ? hash >> 7 : hash; /* most have seven leading zeros */
    case HASH_FEW_PLACES: return hash & ~(uint64_t)0xff0f;
    case HASH_EQUAL: return 0x123456789abcdef0u;
    }
    return 0;
}

static void model_init(struct model *m, uint32_t item_count, enum hashing hashing) {
    *m = (struct model){.item_count = item_count};
    random_init(&m->random, test_seed());
    table_init(&m->table, &item_type);
    m->items = calloc(item_count, sizeof *m->items);
    for (uint32_t i = 0; i < item_count; i++) {
        m->items[i] =
            (struct item){.hash = make_hash(hashing, i), .id = i, .deadline_ms = TABLE_NO_DEADLINE};
    }
}

static void model_release(struct model *m) {
    table_release(&m->table, NULL, NULL);
    free(m->items);
}

static table_slot *model_find(struct model *m, uint32_t i) {
    return table_find(&m->table, m->items[i].hash, span_make(&i, sizeof i));
}

static void model_insert(struct model *m, uint32_t i) {
    table_slot *slot = table_insert(&m->table, m->items[i].hash, &m->items[i]);
    if (table_element(slot) != &m->items[i]) test_fail(__FILE__, __LINE__, "wrong slot");
    m->items[i].present = true;
    m->present_count++;
}

static void model_remove(struct model *m, uint32_t i) {
    table_slot *slot = table_find_element(&m->table, m->items[i].hash, &m->items[i]);
    if (!slot) {
        test_fail(__FILE__, __LINE__, "item %u is lost", i);
        return;
    }
    table_remove(&m->table, slot, m->items[i].hash);
    m->items[i].present = m->items[i].steady = false;
    m->present_count--;
}

/* Changes `count` times, inserting with a chance of grow_percent. */
static void model_churn(struct model *m, uint32_t count, uint32_t grow_percent) {
    while (count-- > 0) {
        uint32_t i = (uint32_t)random_below(&m->random, m->item_count);
        bool grow = random_below(&m->random, 100) < grow_percent;
        if (m->items[i].present != grow) (grow ? model_insert : model_remove)(m, i);
    }
}

static bool model_holds(struct model *m) {
    table_check(&m->table);
    if (m->table.count != m->present_count) return false;
    for (uint32_t i = 0; i < m->item_count; i++) {
        table_slot *slot = model_find(m, i);
        if ((slot != NULL) != m->items[i].present) return false;
        if (slot && table_element(slot) != &m->items[i]) return false;
    }
    return true;
}

static void run_model(uint32_t item_count, enum hashing hashing, uint32_t rounds) {
    struct model m;
    size_t used_bytes = mem_used_bytes();
    model_init(&m, item_count, hashing);
    for (uint32_t round = 0; round < rounds; round++) {
        uint32_t grow_percent = (uint32_t)random_below(&m.random, 5) * 25;
        model_churn(&m, (uint32_t)random_below(&m.random, item_count * 3), grow_percent);
        if (!model_holds(&m)) {
            test_fail(__FILE__, __LINE__, "table differs from the model in round %u", round);
            break;
        }
    }
    for (uint32_t i = 0; i < item_count; i++) {
        if (m.items[i].present) model_remove(&m, i);
    }
    table_check(&m.table);
    EXPECT_INT(0, m.table.memory_bytes);
    EXPECT_INT(0, m.table.depth);
    model_release(&m);
    EXPECT_INT(used_bytes, mem_used_bytes());
}

static void test_model_tiny(void) {
    for (uint32_t n = 1; n < 60; n++) run_model(n, HASH_RANDOM, 12);
}
static void test_model_small(void) {
    run_model(700, HASH_RANDOM, 60);
}
static void test_model_large(void) {
    run_model(60000, HASH_RANDOM, 12);
}
static void test_model_crowded(void) {
    run_model(30000, HASH_CROWDED, 12);
}
static void test_model_few_places(void) {
    run_model(3000, HASH_FEW_PLACES, 12);
}
static void test_model_equal_hashes(void) {
    run_model(1500, HASH_EQUAL, 4);
}

/* A broken hash: the directory stays small, nothing loops. */
static void test_equal_hashes_bounded(void) {
    struct model m;
    model_init(&m, 20000, HASH_EQUAL);
    for (uint32_t i = 0; i < m.item_count; i++) model_insert(&m, i);
    table_check(&m.table);
    EXPECT(m.table.depth <= 12);
    EXPECT(m.table.memory_bytes < 20000 * 16);
    for (uint32_t i = m.item_count; i-- > 0;) model_remove(&m, i);
    EXPECT_INT(0, m.table.memory_bytes);
    model_release(&m);
}

static void test_memory(void) {
    struct model m;
    model_init(&m, 300000, HASH_RANDOM);
    for (uint32_t i = 0; i < m.item_count; i++) {
        model_insert(&m, i);
        if (i % 1000 == 999 && i > 20000) EXPECT(m.table.memory_bytes < (size_t)(i + 1) * 13);
    }
    for (uint32_t i = 0; i < m.item_count; i++) {
        model_remove(&m, i);
        if (i % 1000 == 0) EXPECT(m.table.memory_bytes < (size_t)(m.item_count - i) * 26 + 4096);
    }
    EXPECT_INT(0, m.table.memory_bytes);
    model_release(&m);
}

/* -- scan */

static void visit_item(void *element, void *context) {
    struct item *item = element;
    item->visit_count++;
    (*(uint64_t *)context)++;
}

/* One scan with changes between its calls; false when a steady item was not visited. */
static bool scan_under_churn(struct model *m, uint32_t churn, uint32_t grow_percent) {
    uint64_t cursor = 0, visits = 0, calls = 0;
    for (uint32_t i = 0; i < m->item_count; i++) {
        m->items[i].steady = m->items[i].present;
        m->items[i].visit_count = 0;
    }
    do {
        cursor = table_scan(&m->table, cursor, visit_item, &visits);
        if (cursor >= (uint64_t)1 << 53) return false;
        model_churn(m, (uint32_t)random_below(&m->random, churn + 1), grow_percent);
        if (++calls > (uint64_t)1 << 26) return false;
    } while (cursor != 0);
    for (uint32_t i = 0; i < m->item_count; i++) {
        if (m->items[i].steady && m->items[i].visit_count == 0) return false;
        if (churn == 0 && m->items[i].visit_count != m->items[i].present) return false;
    }
    return true;
}

static void run_scans(uint32_t item_count, enum hashing hashing, uint32_t rounds) {
    struct model m;
    model_init(&m, item_count, hashing);
    for (uint32_t round = 0; round < rounds; round++) {
        model_churn(&m, item_count, (uint32_t)random_below(&m.random, 101));
        uint32_t churn = round % 4 ? (uint32_t)random_below(&m.random, item_count / 8 + 1) : 0;
        if (!scan_under_churn(&m, churn, (uint32_t)random_below(&m.random, 101))) {
            test_fail(__FILE__, __LINE__, "scan missed an element in round %u", round);
            break;
        }
        table_check(&m.table);
    }
    model_release(&m);
}

static void test_scan(void) {
    run_scans(50, HASH_RANDOM, 200);
    run_scans(2000, HASH_RANDOM, 200);
    run_scans(30000, HASH_RANDOM, 16);
}
static void test_scan_crowded(void) {
    run_scans(4000, HASH_CROWDED, 60);
    run_scans(500, HASH_EQUAL, 20);
    run_scans(500, HASH_FEW_PLACES, 40);
}

/* Grown and emptied over and over while one scan goes on: it still ends. */
static void test_scan_ends(void) {
    struct model m;
    uint64_t cursor = 0, visits = 0, calls = 0;
    model_init(&m, 4000, HASH_RANDOM);
    do {
        bool grow = calls % 2 == 0;
        for (uint32_t i = 0; i < m.item_count; i++) {
            if (m.items[i].present != grow && (grow || i % 16))
                (grow ? model_insert : model_remove)(&m, i);
        }
        cursor = table_scan(&m.table, cursor, visit_item, &visits);
        calls++;
    } while (cursor != 0 && calls < 5000);
    EXPECT(cursor == 0);
    for (uint32_t i = 0; i < m.item_count; i += 16) EXPECT(m.items[i].visit_count > 0);
    model_release(&m);
}

static void test_scan_any_cursor(void) {
    struct model m;
    uint64_t visits = 0;
    model_init(&m, 5000, HASH_RANDOM);
    EXPECT_INT(0, table_scan(&m.table, 12345, visit_item, &visits));
    for (uint32_t n = 0; n < 2; n++) {
        for (uint32_t i = 0; i < 100000; i++) {
            uint64_t cursor = random_next(&m.random) >> random_below(&m.random, 64);
            uint64_t next = table_scan(&m.table, cursor, visit_item, &visits);
            EXPECT(next < (uint64_t)1 << 53);
        }
        model_churn(&m, 20000, 90);
    }
    model_release(&m);
}

/* -- the rest */

static void test_random(void) {
    struct model m;
    uint32_t low = UINT32_MAX, high = 0;
    model_init(&m, 2000, HASH_RANDOM);
    EXPECT(table_random(&m.table, &m.random) == NULL);
    model_insert(&m, 7);
    EXPECT(table_random(&m.table, &m.random) == &m.items[7]);
    for (uint32_t i = 0; i < m.item_count; i++) {
        if (!m.items[i].present) model_insert(&m, i);
    }
    for (uint32_t i = 0; i < m.item_count * 200; i++) {
        ((struct item *)table_random(&m.table, &m.random))->visit_count++;
    }
    for (uint32_t i = 0; i < m.item_count; i++) {
        low = MIN(low, m.items[i].visit_count);
        high = MAX(high, m.items[i].visit_count);
    }
    EXPECT(low > 100 && high < 320);
    model_release(&m);
}

static void test_sample(void) {
    struct model m;
    void *found[64];
    uint32_t low = UINT32_MAX, high = 0;
    model_init(&m, 3000, HASH_RANDOM);
    EXPECT_INT(0, table_sample(&m.table, 0, found, 5));
    table_sample_prefetch(&m.table, 1);
    model_insert(&m, 7);
    EXPECT_INT(1, table_sample(&m.table, random_next(&m.random), found, 5));
    EXPECT(found[0] == &m.items[7]);
    for (uint32_t i = 0; i < m.item_count; i++) {
        if (!m.items[i].present) model_insert(&m, i);
    }
    for (uint32_t i = 0; i < m.item_count * 200; i += 5) {
        uint64_t place = random_next(&m.random);
        table_sample_prefetch(&m.table, place);
        EXPECT_INT(5, table_sample(&m.table, place, found, 5));
        for (int k = 0; k < 5; k++) {
            struct item *item = found[k];
            for (int j = 0; j < k; j++) EXPECT(found[j] != item);
            EXPECT(item->present);
            item->visit_count++;
        }
    }
    for (uint32_t i = 0; i < m.item_count; i++) { /* neighbours of empty slots come more often */
        low = MIN(low, m.items[i].visit_count);
        high = MAX(high, m.items[i].visit_count);
    }
    EXPECT(low > 40 && high < 900);
    for (uint32_t i = 1; i < m.item_count; i++)
        model_remove(&m, i); /* segments that are empty or nearly */
    EXPECT_INT(1, table_sample(&m.table, random_next(&m.random), found, 5));
    EXPECT(found[0] == &m.items[0]);
    model_release(&m);
}

static void test_collect_due(void) {
    struct model m;
    struct table_due_walk walk = {0};
    void *due[50];
    uint32_t collected = 0, expected = 0;
    model_init(&m, 20000, HASH_RANDOM);
    for (uint32_t i = 0; i < m.item_count; i++) {
        if (i % 3 == 0) m.items[i].deadline_ms = (int64_t)random_below(&m.random, 1000);
        model_insert(&m, i);
        expected += m.items[i].deadline_ms <= 500;
    }
    m.items[1].deadline_ms = 400; /* set later */
    table_note_deadline(&m.table, m.items[1].hash, 400);
    expected++;
    for (int round = 0; round < 2; round++) {
        do {
            size_t n = table_collect_due(&m.table, &walk, 3, 500, due, ARRAY_LENGTH(due));
            for (size_t i = 0; i < n; i++) {
                EXPECT(((struct item *)due[i])->deadline_ms <= 500);
                model_remove(&m, ((struct item *)due[i])->id);
            }
            collected += (uint32_t)n;
        } while (!walk.round_ended);
    }
    EXPECT_INT(expected, collected);
    EXPECT(model_holds(&m));
    EXPECT(walk.earliest_ms > 500 && walk.earliest_ms < 510);
    model_release(&m);
}

static void count_free(void *element, void *context) {
    (*(uint32_t *)context)++;
}

static void test_release_step(void) {
    struct model m;
    uint32_t freed = 0, steps = 0;
    size_t used_bytes;
    model_init(&m, 20000, HASH_CROWDED);
    used_bytes = mem_used_bytes();
    for (uint32_t i = 0; i < m.item_count; i++) model_insert(&m, i);
    while (!table_release_step(&m.table, 1, count_free, &freed)) steps++;
    EXPECT_INT(m.item_count, freed);
    EXPECT(steps > 10);
    EXPECT_INT(used_bytes, mem_used_bytes());
    EXPECT(table_release_step(&m.table, 1, count_free, &freed));
    for (uint32_t i = 0; i < 10; i++) model_insert(&m, i); /* usable again */
    table_check(&m.table);
    model_release(&m);
}

int main(int argc, char **argv) {
    static const struct test tests[] = {
        {"table_model_tiny", test_model_tiny},
        {"table_model_small", test_model_small},
        {"table_model_large", test_model_large},
        {"table_model_crowded", test_model_crowded},
        {"table_model_few_places", test_model_few_places},
        {"table_model_equal_hashes", test_model_equal_hashes},
        {"table_equal_hashes_bounded", test_equal_hashes_bounded},
        {"table_memory", test_memory},
        {"table_scan", test_scan},
        {"table_scan_crowded", test_scan_crowded},
        {"table_scan_ends", test_scan_ends},
        {"table_scan_any_cursor", test_scan_any_cursor},
        {"table_random", test_random},
        {"table_sample", test_sample},
        {"table_collect_due", test_collect_due},
        {"table_release_step", test_release_step},
    };
    return test_main(tests, ARRAY_LENGTH(tests), argc, argv);
}
