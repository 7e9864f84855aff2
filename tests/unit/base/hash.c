#include "base/hash.h"

#include <math.h>

#include "base/random.h"
#include "test.h"

/* Each bit of the input turns each bit of the hash about half the time. */
static void test_avalanche(void) {
    static const size_t lengths[] = {1,  2,  3,  4,  5,  7,  8,  9,  12,  15,  16,  17,
                                     24, 31, 32, 33, 48, 63, 64, 65, 100, 128, 129, 200};
    enum { KEYS = 2000 };
    struct random r;
    random_init(&r, test_seed());
    hash_seed_set(random_next(&r), random_next(&r));
    for (size_t l = 0; l < ARRAY_LENGTH(lengths); l++) {
        size_t len = lengths[l];
        for (size_t sample = 0; sample < 16; sample++) {
            size_t bit = len == 1 ? sample % 8 : random_below(&r, len * 8);
            int turned[64] = {0};
            for (int k = 0; k < KEYS; k++) {
                uint8_t key[256];
                uint64_t before, changed;
                for (size_t i = 0; i < len; i++) key[i] = (uint8_t)random_next(&r);
                if (len <= 2)
                    hash_seed_set(random_next(&r), random_next(&r)); /* too few keys: many seeds */
                before = hash_bytes(key, len);
                key[bit / 8] ^= (uint8_t)(1 << bit % 8);
                changed = before ^ hash_bytes(key, len);
                for (int b = 0; b < 64; b++) turned[b] += (int)(changed >> b & 1);
            }
            /* a standard deviation is sqrt(2000)/2 = 22: seven of them */
            for (int b = 0; b < 64; b++) EXPECT(abs(turned[b] - KEYS / 2) < 157);
        }
    }
}

/* Keys as benchmarks make them: how evenly do they fall by the bits that the table uses? The sum of
 * squares of a random spread is near its number of cells; seven standard deviations are allowed. */
static bool spread_is_even(const uint32_t *counts, size_t cells, size_t keys) {
    double expected = (double)keys / (double)cells, chi = 0;
    for (size_t i = 0; i < cells; i++) {
        double off = counts[i] - expected;
        chi += off * off / expected;
    }
    return fabs(chi - (double)cells) < 7 * sqrt(2 * (double)cells);
}

static void spread_of(const char *prefix, int width, const char *suffix) {
    enum { KEYS = 1 << 20, CELLS = 1 << 16 };
    uint32_t *low = calloc(CELLS, sizeof *low), *high = calloc(CELLS, sizeof *high),
             *middle = calloc(CELLS, sizeof *low);
    bool even;
    for (unsigned i = 0; i < KEYS; i++) {
        char key[128];
        int len = snprintf(key, sizeof key, "%s%0*u%s", prefix, width, i, suffix);
        uint64_t h = hash_bytes(key, (size_t)len);
        low[h & 0xffff]++;
        middle[h >> 24 & 0xffff]++;
        high[h >> 48]++;
    }
    even = spread_is_even(low, CELLS, KEYS) && spread_is_even(middle, CELLS, KEYS) &&
           spread_is_even(high, CELLS, KEYS);
    free(low);
    free(middle);
    free(high);
    if (!even) test_fail(__FILE__, __LINE__, "uneven: %s%0*u%s", prefix, width, 0, suffix);
}

static void test_spread(void) {
    struct random r;
    random_init(&r, test_seed());
    hash_seed_set(random_next(&r), random_next(&r));
    spread_of("key:", 12, "");
    spread_of("", 0, "");
    spread_of("key:", 0, ":field");
    spread_of("a-longer-prefix-of-keys:", 20, "");
    spread_of("", 20, ":a-suffix-that-makes-the-key-longer-than-sixty-four-bytes-as-some-have");
}

static int compare_words(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* All bytes count, at each place of each length; so does the length. */
static void test_no_collisions(void) {
    uint64_t *hashes = malloc(sizeof *hashes * 300 * 301);
    uint8_t key[300] = {0};
    size_t count = 0;
    hash_seed_set(1, 2);
    for (size_t len = 0; len <= 300; len++) {
        hashes[count++] = hash_bytes(key, len); /* zeros of each length */
        for (size_t i = 0; i < len && len <= 260; i++) {
            key[i] = 1;
            hashes[count++] = hash_bytes(key, len);
            key[i] = 0;
        }
    }
    qsort(hashes, count, sizeof *hashes, compare_words);
    for (size_t i = 1; i < count; i++) EXPECT(hashes[i] != hashes[i - 1]);
    free(hashes);
}

static void test_seed_matters(void) {
    uint64_t a, b;
    hash_seed_set(1, 2);
    a = hash_bytes("key", 3);
    EXPECT(a == hash_bytes("key", 3));
    hash_seed_set(1, 3);
    EXPECT(a != hash_bytes("key", 3));
    hash_seed_set(2, 2);
    EXPECT(a != hash_bytes("key", 3));
    hash_seed_random();
    a = hash_bytes("key", 3);
    hash_seed_random();
    b = hash_bytes("key", 3);
    EXPECT(a != b);
}

/* Reads exactly its bytes (under the sanitizer), wherever they lie. */
static void test_bounds(void) {
    hash_seed_set(3, 4);
    for (size_t len = 0; len <= 200; len++) {
        char *exact = malloc(len ? len : 1), shifted[208];
        for (size_t i = 0; i < len; i++) exact[i] = (char)i;
        for (size_t shift = 0; shift < 8; shift++) {
            memcpy(shifted + shift, exact, len);
            EXPECT(hash_bytes(shifted + shift, len) == hash_bytes(exact, len));
        }
        free(exact);
    }
}

int main(int argc, char **argv) {
    static const struct test tests[] = {
        {"hash_avalanche", test_avalanche},
        {"hash_spread", test_spread},
        {"hash_no_collisions", test_no_collisions},
        {"hash_seed_matters", test_seed_matters},
        {"hash_bounds", test_bounds},
    };
    return test_main(tests, ARRAY_LENGTH(tests), argc, argv);
}
