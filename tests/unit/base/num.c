#include "base/num.h"

#include <math.h>

#include "base/error.h"
#include "base/num_shortest.h"
#include "base/random.h"
#include "test.h"

/* ---- integers */

static void test_parse_int(void) {
    static const struct {
        const char *text;
        int64_t value;
    } good[] = {
        {"0", 0},
        {"1", 1},
        {"-1", -1},
        {"10", 10},
        {"1234567890123456789", 1234567890123456789},
        {"9223372036854775807", INT64_MAX},
        {"-9223372036854775808", INT64_MIN},
        {"-9223372036854775807", INT64_MIN + 1},
        {"999999999999999999", 999999999999999999},
    };
    static const char *const bad[] = {
        "",
        "-",
        "+1",
        "-0",
        "00",
        "01",
        "-01",
        " 1",
        "1 ",
        "1a",
        "a",
        "0x10",
        "1.0",
        "--1",
        "9223372036854775808",
        "-9223372036854775809",
        "18446744073709551616",
        "99999999999999999999",
        "100000000000000000000",
        "-99999999999999999999",
        "\xb9",
    };
    int64_t value = 77;
    for (size_t i = 0; i < ARRAY_LENGTH(good); i++) {
        EXPECT(num_parse_int(span_of(good[i].text), &value));
        EXPECT_INT(good[i].value, value);
    }
    value = 77;
    for (size_t i = 0; i < ARRAY_LENGTH(bad); i++) EXPECT(!num_parse_int(span_of(bad[i]), &value));
    EXPECT(!num_parse_int(SPAN("1\0"), &value));
    EXPECT(!num_parse_int(span_make(NULL, 0), &value));
    EXPECT_INT(77, value); /* untouched */
}

static void test_parse_uint(void) {
    uint64_t value = 77;
    EXPECT(!num_parse_uint(SPAN("18446744073709551616"), &value));
    EXPECT(!num_parse_uint(SPAN("99999999999999999999"), &value));
    EXPECT(!num_parse_uint(SPAN("-1"), &value));
    EXPECT(!num_parse_uint(SPAN("01"), &value));
    EXPECT(!num_parse_uint(SPAN(""), &value));
    EXPECT_INT(77, value);
    EXPECT(num_parse_uint(SPAN("18446744073709551615"), &value));
    EXPECT(value == UINT64_MAX);
    EXPECT(num_parse_uint(SPAN("0"), &value));
    EXPECT_INT(0, value);
}

static bool int_is_right(int64_t value) {
    char ours[NUM_INT_TEXT_MAX + 1], theirs[32];
    int64_t back;
    size_t len;
    ours[NUM_INT_TEXT_MAX] = '!';
    len = num_format_int(ours, value);
    snprintf(theirs, sizeof theirs, "%" PRId64, value);
    if (!span_eq(span_make(ours, len), span_of(theirs)) || ours[NUM_INT_TEXT_MAX] != '!')
        return false;
    if (!num_parse_int(span_make(ours, len), &back) || back != value) return false;
    len = num_format_uint(ours, (uint64_t)value);
    snprintf(theirs, sizeof theirs, "%" PRIu64, (uint64_t)value);
    return span_eq(span_make(ours, len), span_of(theirs)) && num_digits((uint64_t)value) == len;
}

static void test_format_int(void) {
    struct random r;
    uint64_t power = 1;
    random_init(&r, test_seed());
    for (int64_t i = -20000; i < 20000; i++) EXPECT(int_is_right(i));
    for (int digits = 0; digits < 20; digits++, power *= 10) {
        for (uint64_t step = 0; step < 3; step++) {
            EXPECT(int_is_right((int64_t)(power + step - 1)));
            EXPECT(int_is_right((int64_t)(0 - power + step - 1)));
        }
    }
    for (int i = 0; i < 200000; i++) {
        EXPECT(int_is_right((int64_t)(random_next(&r) >> random_below(&r, 64))));
    }
    EXPECT(int_is_right(INT64_MIN));
    EXPECT(int_is_right(INT64_MAX));
    EXPECT_INT(1, num_digits(0));
    EXPECT_INT(20, num_digits(UINT64_MAX));
}

/* ---- doubles */

/* A whole number of many words, the lowest first: enough to compute the table of powers anew by
 * schoolbook means. */
enum { BIG_WORDS = 44, BIG_BITS = BIG_WORDS * 32 };

static void big_multiply_10(uint32_t *big) {
    uint64_t carry = 0;
    for (int i = 0; i < BIG_WORDS; i++) {
        carry += (uint64_t)big[i] * 10;
        big[i] = (uint32_t)carry;
        carry >>= 32;
    }
}

static void big_divide_10(uint32_t *big) {
    uint64_t rest = 0;
    for (int i = BIG_WORDS - 1; i >= 0; i--) {
        rest = rest << 32 | big[i];
        big[i] = (uint32_t)(rest / 10);
        rest %= 10;
    }
}

static unsigned big_bit(const uint32_t *big, int bit) {
    return bit < 0 ? 0 : big[bit / 32] >> bit % 32 & 1;
}

/* The first 128 bits, plus one. */
static bool power_is_right(const uint32_t *big, const uint64_t power[2]) {
    __uint128_t first = 0;
    int top = BIG_BITS - 1;
    while (!big_bit(big, top)) top--;
    for (int i = 0; i < 128; i++) first = first << 1 | big_bit(big, top - i);
    first++;
    return (uint64_t)(first >> 64) == power[0] && (uint64_t)first == power[1];
}

static void test_powers(void) {
    uint32_t big[BIG_WORDS] = {1};
    for (int k = 0; k <= NUM_POWERS_MAX; k++, big_multiply_10(big)) {
        EXPECT(power_is_right(big, num_powers[k - NUM_POWERS_MIN]));
    }
    /* 2^1400 / 10^k: floors of floors are the floor of the whole; 10^292 leaves more than 128
     * bits */
    memset(big, 0, sizeof big);
    big[1400 / 32] = 1u << 1400 % 32;
    for (int k = -1; k >= NUM_POWERS_MIN; k--) {
        big_divide_10(big);
        EXPECT(power_is_right(big, num_powers[k - NUM_POWERS_MIN]));
    }
}

static void test_format_double(void) {
    static const struct {
        double value;
        const char *text;
    } cases[] = {
        {0, "0"},
        {-0.0, "-0"},
        {1, "1"},
        {-1, "-1"},
        {3, "3"},
        {1.5, "1.5"},
        {-1.5, "-1.5"},
        {0.1, "0.1"},
        {0.5, "0.5"},
        {3.14, "3.14"},
        {0.1 + 0.2, "0.30000000000000004"},
        {1.0 / 3, "0.3333333333333333"},
        {123456789.123, "123456789.123"},
        {0.00001, "0.00001"},
        {0.000001, "0.000001"},
        {0.0000001, "1e-7"},
        {0.00000012, "1.2e-7"},
        {0.0012345678, "0.0012345678"},
        {1.23e-10, "1.23e-10"},
        {-1.23e-10, "-1.23e-10"},
        {1e15, "1000000000000000"},
        {1e18, "1000000000000000000"},
        {1e19, "1e+19"},
        {1e20, "1e+20"},
        {1.5e20, "1.5e+20"},
        {1e21, "1e+21"},
        {1e30, "1e+30"},
        {-1e30, "-1e+30"},
        {1e100, "1e+100"},
        {1e-100, "1e-100"},
        {1.7976931348623157e308, "1.7976931348623157e+308"},
        {2.2250738585072014e-308, "2.2250738585072014e-308"},
        {5e-324, "5e-324"},
        {9007199254740991, "9007199254740991"},
        {9007199254740992, "9007199254740992"},
        {0x1p60, "1152921504606846976"}, /* integers up to 2^62 in full */
        {0x1p62, "4611686018427387904"},
        {-0x1p62, "-4611686018427387904"},
        {0x1p63, "9223372036854776000"}, /* from there on: the shortest digits, and zeros */
        {12345678901234567000.0, "12345678901234567000"},
        {5.684341886080802e-14, "5.684341886080802e-14"}, /* next to a power of two */
        {9.5367431640625e-7, "9.5367431640625e-7"},
        {1e23, "1e+23"},
        {INFINITY, "inf"},
        {-INFINITY, "-inf"},
        {NAN, "nan"},
        {-NAN, "nan"},
    };
    char out[NUM_DOUBLE_TEXT_MAX];
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        EXPECT_SPAN(span_of(cases[i].text), span_make(out, num_format_double(out, cases[i].value)));
    }
}

static double random_double(struct random *r) {
    double value;
    switch (random_below(r, 3)) {
    case 0: return (double)random_below(r, 100000000) / pow(10, (double)random_below(r, 12));
    case 1: return (double)(random_next(r) >> 11) * 0x1p-53;
    }
    do {
        uint64_t bits = random_next(r);
        memcpy(&value, &bits, sizeof value);
    } while (!isfinite(value));
    return value;
}

static int significant_digits(struct span text) {
    int count = 0, zeros = 0;
    for (size_t i = 0; i < text.len && text.data[i] != 'e'; i++) {
        if (text.data[i] < '0' || text.data[i] > '9') continue;
        if (text.data[i] == '0' && count == 0) continue;
        count++;
        zeros = text.data[i] == '0' ? zeros + 1 : 0;
    }
    return count - zeros;
}

/* Every text reads back as the same double, and one digit less would not. */
static void test_double_round_trip(void) {
    struct random r;
    random_init(&r, test_seed());
    for (int i = 0; i < 300000; i++) {
        double value = random_double(&r), back, shorter;
        char out[NUM_DOUBLE_TEXT_MAX + 1], text[64];
        struct span ours;
        int digits;
        out[NUM_DOUBLE_TEXT_MAX] = '!';
        ours = span_make(out, num_format_double(out, value));
        EXPECT_INT('!', out[NUM_DOUBLE_TEXT_MAX]);
        EXPECT(num_parse_double(ours, &back));
        EXPECT(back == value);
        digits = significant_digits(ours);
        if (digits < 2 || fabs(value) > 0x1p53) continue;
        snprintf(text, sizeof text, "%.*e", digits - 2, value);
        EXPECT(num_parse_double(span_of(text), &shorter));
        EXPECT(shorter != value);
    }
}

static void test_parse_double(void) {
    static const struct {
        const char *text;
        double value;
    } good[] = {
        {"0", 0},
        {"-0", -0.0},
        {"1", 1},
        {"+1", 1},
        {"01", 1},
        {"1.", 1},
        {".5", 0.5},
        {"-.5", -0.5},
        {"1.5", 1.5},
        {"3.0", 3},
        {"1e3", 1000},
        {"1E3", 1000},
        {"1e+3", 1000},
        {"1e-3", 0.001},
        {"1.5e300", 1.5e300},
        {"123456789012345678", 123456789012345678.0},
        {"9007199254740993", 9007199254740992.0},
        {"9007199254740993.0000000000000000001", 9007199254740994.0},
        {"0.1", 0.1},
        {"0.30000000000000004", 0.1 + 0.2},
        {"1e22", 1e22},
        {"1e23", 1e23},
        {"1e-22", 1e-22},
        {"5e-324", 5e-324},
        {"inf", INFINITY},
        {"+inf", INFINITY},
        {"-inf", -INFINITY},
        {"Infinity", INFINITY},
        {"-INFINITY", -INFINITY},
        {"0x10", 16},
        {"0x1p-1", 0.5},
        {"0e0", 0},
        {"0e999999999999", 0},
        {"0.00000000000000000000000000000000000000000000000000000000000000000001e68", 1},
    };
    static const char *const bad[] = {
        "",       " 1",    "\t1",    "1 ",     "1a",  "a",   "-",    "+",
        ".",      "e5",    "1e",     "1e+",    "--1", "+-1", "nan",  "-nan",
        "nan(1)", "1e400", "-1e400", "1e-400", "in",  "1,5", "1..2",
    };
    char many[300];
    double value = 77;
    for (size_t i = 0; i < ARRAY_LENGTH(good); i++) {
        EXPECT(num_parse_double(span_of(good[i].text), &value));
        EXPECT(value == good[i].value && signbit(value) == signbit(good[i].value));
    }
    value = 77;
    for (size_t i = 0; i < ARRAY_LENGTH(bad); i++)
        EXPECT(!num_parse_double(span_of(bad[i]), &value));
    EXPECT(!num_parse_double(span_make(NULL, 0), &value));
    EXPECT(!num_parse_double(SPAN("1\0"), &value));
    EXPECT(!num_parse_double(SPAN("1\0002"), &value));
    EXPECT(value == 77);
    memset(many, '0', sizeof many);
    many[0] = '1';
    EXPECT(num_parse_double(span_make(many, sizeof many), &value));
    EXPECT(value == 1e299);
}

/* The quick way and strtod(3) agree. */
static void test_parse_double_agrees(void) {
    struct random r;
    random_init(&r, test_seed());
    for (int i = 0; i < 300000; i++) {
        char text[64];
        double value, expected;
        int len = 0, digits = 1 + (int)random_below(&r, 21);
        if (random_below(&r, 2)) text[len++] = '-';
        for (int d = 0; d < digits; d++) {
            text[len++] = (char)('0' + random_below(&r, 10));
            if (random_below(&r, 12) == 0 && !memchr(text, '.', (size_t)len)) text[len++] = '.';
        }
        text[len] = '\0';
        if (random_below(&r, 2)) {
            snprintf(text + len, sizeof text - (size_t)len, "e%d", (int)random_below(&r, 60) - 30);
        }
        expected = strtod(text, NULL);
        EXPECT(num_parse_double(span_of(text), &value));
        EXPECT(value == expected);
    }
}

static void test_long_double(void) {
    static const struct {
        const char *in, *out;
    } cases[] = {
        {"3.0", "3"},
        {"10.50", "10.5"},
        {"0", "0"},
        {"-0", "0"},
        {"-0.0000000000000000001", "0"},
        {"0.1", "0.1"},
        {"5.0e3", "5000"},
        {"1e20", "100000000000000000000"},
        {"-2.5", "-2.5"},
        {"inf", "inf"},
        {"-inf", "-inf"},
        {"100", "100"},
    };
    static const char *const bad[] = {"", " 1", "1 ", "x", "nan", "1e", "1e100000"};
    char *out = malloc(NUM_LONG_DOUBLE_TEXT_MAX);
    long double value = 0;
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        EXPECT(num_parse_long_double(span_of(cases[i].in), &value));
        EXPECT_SPAN(span_of(cases[i].out), span_make(out, num_format_long_double(out, value)));
    }
    EXPECT(num_parse_long_double(SPAN("10.5"), &value));
    EXPECT_SPAN(SPAN("10.6"), span_make(out, num_format_long_double(out, value + 0.1L)));
    for (size_t i = 0; i < ARRAY_LENGTH(bad); i++) {
        EXPECT(!num_parse_long_double(span_of(bad[i]), &value));
    }
    EXPECT_SPAN(SPAN("nan"), span_make(out, num_format_long_double(out, (long double)NAN)));
    EXPECT(num_format_long_double(out, -0x1p16383L) > 4900); /* the longest fit */
    free(out);
}

static void test_parse_memory(void) {
    static const struct {
        const char *text;
        uint64_t bytes;
    } good[] = {
        {"0", 0},
        {"1048576", 1048576},
        {"10b", 10},
        {"5k", 5000},
        {"5K", 5000},
        {"5kb", 5120},
        {"100MB", 104857600},
        {"3m", 3000000},
        {"1gb", 1073741824},
        {"1Gb", 1073741824},
        {"2g", 2000000000},
        {"007", 7},
        {"18446744073709551615", UINT64_MAX},
        {"17179869183gb", 18446744072635809792u},
    };
    static const char *const syntax[] = {"",    "gb",   "-1",    "+1", "1 gb",
                                         "1tb", "1kbb", "1.5gb", "x",  "1gb "};
    static const char *const range[] = {"18446744073709551616", "17179869184gb",
                                        "99999999999999999999999k"};
    uint64_t bytes = 77;
    for (size_t i = 0; i < ARRAY_LENGTH(good); i++) {
        EXPECT_INT(0, num_parse_memory(span_of(good[i].text), &bytes));
        EXPECT(bytes == good[i].bytes);
    }
    bytes = 77;
    for (size_t i = 0; i < ARRAY_LENGTH(syntax); i++) {
        EXPECT_INT(ERROR_SYNTAX, num_parse_memory(span_of(syntax[i]), &bytes));
    }
    for (size_t i = 0; i < ARRAY_LENGTH(range); i++) {
        EXPECT_INT(ERROR_RANGE, num_parse_memory(span_of(range[i]), &bytes));
    }
    EXPECT_INT(77, bytes);
}

int main(int argc, char **argv) {
    static const struct test tests[] = {
        {"num_parse_int", test_parse_int},
        {"num_parse_uint", test_parse_uint},
        {"num_format_int", test_format_int},
        {"num_powers", test_powers},
        {"num_format_double", test_format_double},
        {"num_double_round_trip", test_double_round_trip},
        {"num_parse_double", test_parse_double},
        {"num_parse_double_agrees", test_parse_double_agrees},
        {"num_long_double", test_long_double},
        {"num_parse_memory", test_parse_memory},
    };
    return test_main(tests, ARRAY_LENGTH(tests), argc, argv);
}
