/* Bits against loops that look at one bit at a time, in seeded runs over lengths around words, steps and blocks. */
#include "types/bits.h"

#include "base/random.h"
#include "test.h"

enum { ROOM = 18000, ROUNDS = 4000, SOURCES_MAX = 5 };

static struct random rnd;

static size_t random_len(size_t max) {
    static const size_t borders[] = {1,    7,    8,    9,    31,   32,    33,   127,
                                     128,  129,  255,  256,  257,  4095,  4096, 4097,
                                     7935, 7936, 7937, 8191, 8192, 15872, 17000};
    size_t len = random_below(&rnd, 2) ? borders[random_below(&rnd, ARRAY_LENGTH(borders))]
                                       : (size_t)random_below(&rnd, 300) + 1;
    return MIN(len, max);
}

/* Zeros, ones, noise, or one odd byte: what searches have to pass over. */
static void fill(char *bytes, size_t len) {
    uint64_t kind = random_below(&rnd, 4);
    memset(bytes, kind == 1 ? 0xff : 0, len);
    if (kind == 2) bytes[random_below(&rnd, len)] = (char)random_below(&rnd, 256);
    for (size_t i = 0; kind == 3 && i < len; i++) bytes[i] = (char)random_below(&rnd, 256);
}

static bool bit_at(struct span bytes, uint64_t at) {
    return at / 8 < bytes.len && (uint8_t)bytes.data[at / 8] & 0x80 >> at % 8;
}

static void test_count_and_find(void) {
    char bytes[ROOM];
    random_init(&rnd, test_seed());
    for (unsigned round = 0; round < ROUNDS; round++) {
        size_t shift = (size_t)random_below(&rnd, 9); /* unaligned, too */
        struct span s = span_make(bytes + shift, random_len(sizeof bytes - shift));
        fill(bytes + shift, s.len);
        uint64_t first = random_below(&rnd, s.len * 8);
        uint64_t last = first + random_below(&rnd, s.len * 8 - first), count = 0, total = 0;
        uint64_t found[2] = {BITS_NOT_FOUND, BITS_NOT_FOUND};
        for (uint64_t at = 0; at < s.len * 8; at++) {
            bool bit = bit_at(s, at);
            total += bit;
            if (at < first || at > last) continue;
            count += bit;
            if (found[bit] == BITS_NOT_FOUND) found[bit] = at;
        }
        EXPECT_INT(total, bits_count(s.data, s.len));
        EXPECT_INT(count, bits_count_range(s, first, last));
        EXPECT_INT(found[0], bits_find(s, first, last, false));
        EXPECT_INT(found[1], bits_find(s, first, last, true));
        EXPECT(bits_get(s, last) == bit_at(s, last));
        EXPECT(!bits_get(s, s.len * 8));
    }
}

static void test_fields(void) {
    enum { BYTES = 40 };
    char bytes[BYTES], before[BYTES];
    random_init(&rnd, test_seed());
    for (unsigned round = 0; round < ROUNDS; round++) {
        unsigned width = 1 + (unsigned)random_below(&rnd, BITS_FIELD_WIDTH_MAX);
        uint64_t at = random_below(&rnd, BYTES * 8 - width + 1), value = random_next(&rnd),
                 read = 0;
        struct span s = span_make(bytes, BYTES);
        fill(bytes, BYTES);
        memcpy(before, bytes, BYTES);
        bits_put_field(bytes, at, width, value);
        for (unsigned i = 0; i < BYTES * 8; i++) {
            bool inside = i >= at && i < at + width;
            bool expected =
                inside ? value >> (width - 1 - (i - at)) & 1 : bit_at(span_make(before, BYTES), i);
            EXPECT(bit_at(s, i) == expected);
            if (inside) read = read << 1 | expected;
        }
        EXPECT_INT(read, bits_field(s, at, width));
        /* beyond the end there are zeros */
        EXPECT_INT(0, bits_field(s, BYTES * 8 + at, width));
    }
}

static bool expected_bit(enum bits_op op, const struct span *sources, uint32_t count, uint64_t at) {
    bool x = bit_at(sources[0], at), all = x, odd = x;
    uint32_t others = 0;
    for (uint32_t i = 1; i < count; i++) {
        bool bit = bit_at(sources[i], at);
        all &= bit;
        odd ^= bit;
        others += bit;
    }
    switch (op) {
    case BITS_AND: return all;
    case BITS_OR: return x || others;
    case BITS_XOR: return odd;
    case BITS_NOT: return !x;
    case BITS_DIFF: return x && !others;
    case BITS_DIFF1: return !x && others;
    case BITS_ANDOR: return x && others;
    case BITS_ONE: return x + others == 1;
    }
    return false;
}

/* Sources lie anywhere; the result anywhere, or where one of them does. */
static void test_combine(void) {
    enum { SHIFT_MAX = 40, SPACE = ROOM + SHIFT_MAX };
    static char room[SOURCES_MAX][SPACE], copy[SOURCES_MAX][SPACE], beside[SPACE];
    random_init(&rnd, test_seed());
    for (unsigned round = 0; round < ROUNDS / 8; round++) {
        struct span sources[SOURCES_MAX], before[SOURCES_MAX];
        enum bits_op op = (enum bits_op)random_below(&rnd, BITS_ONE + 1);
        uint32_t count = op == BITS_NOT ? 1 : 1 + (uint32_t)random_below(&rnd, SOURCES_MAX);
        uint32_t over = (uint32_t)random_below(&rnd, 2 * count);
        size_t len = 0;
        for (uint32_t i = 0; i < count; i++) {
            size_t shift = (size_t)random_below(&rnd, SHIFT_MAX);
            sources[i] = span_make(room[i] + shift, random_below(&rnd, 8) ? random_len(ROOM) : 0);
            memset(room[i], 0x5a, sizeof room[i]);
            if (sources[i].len) fill(room[i] + shift, sources[i].len);
            memcpy(copy[i], room[i], sizeof copy[i]);
            before[i] = span_make(copy[i] + shift, sources[i].len);
            len = MAX(len, sources[i].len);
        }
        memset(beside, 0x5a, sizeof beside);
        char *out = over < count ? room[over] + (sources[over].data - room[over])
                                 : beside + random_below(&rnd, SHIFT_MAX);
        bits_combine(op, sources, count, out, len);
        for (uint64_t at = 0; at < len * 8; at++) {
            EXPECT(bit_at(span_make(out, len), at) == expected_bit(op, before, count, at));
        }
        EXPECT(len == ROOM || out[len] == 0x5a);
        for (uint32_t i = 0; i < count; i++) {
            EXPECT(i == over || memcmp(room[i], copy[i], sizeof room[i]) == 0);
        }
    }
}

int main(int argc, char **argv) {
    static const struct test tests[] = {{"bits_count_and_find", test_count_and_find},
                                        {"bits_fields", test_fields},
                                        {"bits_combine", test_combine}};
    return test_main(tests, ARRAY_LENGTH(tests), argc, argv);
}
