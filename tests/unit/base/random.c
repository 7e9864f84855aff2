#include "base/random.h"

#include "test.h"

/* The reference values of the published generators: splitmix64 from seed 0 fills the state. */
static void test_known_sequence(void) {
    struct random r;
    random_init(&r, 0);
    EXPECT(r.state[0] == 0xe220a8397b1dcdafu);
    EXPECT(r.state[1] == 0x6e789e6aa1b965f4u);
    EXPECT(r.state[2] == 0x06c45d188009454fu);
    EXPECT(r.state[3] == 0xf88bb8a8724c81ecu);
    r = (struct random){{1, 2, 3, 4}};
    EXPECT(random_next(&r) == 11520);
    EXPECT(random_next(&r) == 0);
    EXPECT(random_next(&r) == 1509978240);
    EXPECT(random_next(&r) == 1215971899390074240);
}

static void test_below(void) {
    struct random r;
    uint64_t counts[7] = {0};
    random_init(&r, test_seed());
    for (int i = 0; i < 70000; i++) {
        uint64_t n = random_below(&r, 7);
        EXPECT(n < 7);
        counts[n]++;
    }
    for (int i = 0; i < 7; i++) EXPECT(counts[i] > 9000 && counts[i] < 11000);
    EXPECT_INT(0, random_below(&r, 1));
    /* a bound for which every second draw is refused */
    for (int i = 0; i < 1000; i++) {
        EXPECT(random_below(&r, ((uint64_t)1 << 63) + 1) <= (uint64_t)1 << 63);
        EXPECT(random_below(&r, UINT64_MAX) < UINT64_MAX);
    }
}

static void test_system(void) {
    struct random a, b;
    unsigned char bytes[1000] = {0};
    int zeros = 0;
    random_init_system(&a);
    random_init_system(&b);
    EXPECT(memcmp(&a, &b, sizeof a) != 0);
    random_bytes(bytes, sizeof bytes);
    for (size_t i = 0; i < sizeof bytes; i++) zeros += bytes[i] == 0;
    EXPECT(zeros < 50);
    random_bytes(bytes, 0);
}

static void test_hex(void) {
    for (size_t digits = 0; digits <= 200; digits++) {
        char text[202];
        memset(text, '!', sizeof text);
        random_hex(text, digits);
        EXPECT_INT(digits, strspn(text, "0123456789abcdef"));
    }
}

int main(int argc, char **argv) {
    static const struct test tests[] = {
        {"random_known_sequence", test_known_sequence},
        {"random_below", test_below},
        {"random_system", test_system},
        {"random_hex", test_hex},
    };
    return test_main(tests, ARRAY_LENGTH(tests), argc, argv);
}
