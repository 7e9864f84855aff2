#include "test.h"

static void test_eq(void) {
    EXPECT(span_eq(SPAN("abc"), SPAN("abc")));
    EXPECT(!span_eq(SPAN("abc"), SPAN("abd")));
    EXPECT(!span_eq(SPAN("abc"), SPAN("ab")));
    EXPECT(span_eq(SPAN("a\0b"), SPAN("a\0b")));
    EXPECT(!span_eq(SPAN("a\0b"), SPAN("a\0c")));
    EXPECT(span_eq(span_make(NULL, 0), SPAN("")));
    EXPECT_INT(3, span_of("abc").len);
}

static void test_compare(void) {
    EXPECT(span_compare(SPAN("a"), SPAN("b")) < 0);
    EXPECT(span_compare(SPAN("b"), SPAN("a")) > 0);
    EXPECT(span_compare(SPAN("a"), SPAN("aa")) < 0);
    EXPECT(span_compare(SPAN("b"), SPAN("aa")) > 0);
    EXPECT(span_compare(SPAN("\x7f"), SPAN("\x80")) < 0); /* bytes are unsigned */
    EXPECT_INT(0, span_compare(SPAN("ab"), SPAN("ab")));
    EXPECT_INT(0, span_compare(span_make(NULL, 0), SPAN("")));
    EXPECT(span_compare(span_make(NULL, 0), SPAN("a")) < 0);
}

static void test_nocase(void) {
    EXPECT(span_eq_nocase(SPAN("SeT"), SPAN("sEt")));
    EXPECT(!span_eq_nocase(SPAN("set"), SPAN("sets")));
    EXPECT(!span_eq_nocase(SPAN("@"), SPAN("`"))); /* 0x40 and 0x60: no letters */
    EXPECT(!span_eq_nocase(SPAN("["), SPAN("{")));
    EXPECT(!span_eq_nocase(SPAN("\xc0"), SPAN("\xe0"))); /* not ASCII */
    EXPECT(span_eq_nocase(span_make(NULL, 0), SPAN("")));
}

static void test_is(void) {
    EXPECT(span_is(SPAN("WithScores"), "WITHSCORES"));
    EXPECT(!span_is(SPAN("WithScore"), "WITHSCORES"));
    EXPECT(!span_is(SPAN("WithScoresX"), "WITHSCORES"));
    EXPECT(!span_is(SPAN("ex\0"), "ex"));
    EXPECT(span_is(span_make(NULL, 0), ""));
}

int main(int argc, char **argv) {
    static const struct test tests[] = {
        {"span_eq", test_eq},
        {"span_compare", test_compare},
        {"span_eq_nocase", test_nocase},
        {"span_is", test_is},
    };
    return test_main(tests, ARRAY_LENGTH(tests), argc, argv);
}
