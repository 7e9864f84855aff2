#include "base/glob.h"

#include "base/random.h"
#include "test.h"

static bool match(const char *pattern, const char *text) {
    return glob_match(span_of(pattern), span_of(text), false);
}

static void test_cases(void) {
    static const struct {
        const char *pattern, *text;
        bool matches;
    } cases[] = {
        {"", "", true},
        {"", "a", false},
        {"a", "", false},
        {"abc", "abc", true},
        {"abc", "abd", false},
        {"abc", "ab", false},
        {"ab", "abc", false},
        {"?", "a", true},
        {"?", "", false},
        {"??", "a", false},
        {"h?llo", "hello", true},
        {"*", "a", true},
        {"*", "", false}, /* Redis: only the empty pattern matches the empty text */
        {"**", "abc", true},
        {"a*", "a", true},
        {"a**", "a", true},
        {"*a", "a", true},
        {"*a", "ba", true},
        {"*a", "ab", false},
        {"h*llo", "heeeello", true},
        {"h*llo", "hllo", true},
        {"*b*", "abc", true},
        {"*b*", "acc", false},
        {"a*b*c", "aXbXbXc", true},
        {"a*b*c", "aXcXb", false},
        {"*?", "a", true},
        {"?*?", "a", false},
        {"*aab", "aaaaab", true},
        {"h[ae]llo", "hallo", true},
        {"h[ae]llo", "hillo", false},
        {"h[^e]llo", "hallo", true},
        {"h[^e]llo", "hello", false},
        {"h[a-b]llo", "hbllo", true},
        {"h[a-b]llo", "hcllo", false},
        {"[c-a]", "b", true}, /* a reversed range is turned round */
        {"[a-]", "-", false}, /* a range from ']' to 'a', and no end */
        {"[a-]", "^", true},
        {"[-a]", "-", true},
        {"[a-c-e]", "-", true},
        {"[a-c-e]", "d", false},
        {"[]", "a", false}, /* an empty class */
        {"[^]", "a", true},
        {"[]a]", "]", false}, /* ']' comes to its end at once */
        {"[]a]", "a]", false},
        {"[\\]]", "]", true},
        {"[\\\\]", "\\", true},
        {"[\\-]", "-", true},
        {"[a\\-z]", "b", false},
        {"[a", "a", true}, /* no end: the pattern's end is the class's */
        {"[a", "b", false},
        {"[", "a", false},
        {"[^", "a", true},
        {"[a-", "-", true},
        {"[a-z", "q", true}, /* a range to the end */
        {"[\\", "\\", true},
        {"[a\\", "\\", true},
        {"\\*", "*", true},
        {"\\*", "a", false},
        {"\\?x", "?x", true},
        {"\\\\", "\\", true},
        {"\\", "\\", true}, /* the last one stands for itself */
        {"\\a", "a", true},
        {"\\[a]", "[a]", true},
        {"*\\", "x\\", true},
        {"]", "]", true},
        {"^a", "^a", true},
        {"[\x80-\xff]", "\xc3", true},
        {"[a-\xff]", "z", true}, /* bytes of a range are unsigned */
        {"[a-\xff]", "A", false},
        {"key:[0-9][0-9]*:x", "key:42-abc:x", true},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        if (match(cases[i].pattern, cases[i].text) != cases[i].matches) {
            test_fail(__FILE__, __LINE__, "\"%s\" against \"%s\"", cases[i].pattern, cases[i].text);
        }
    }
}

static void test_nocase(void) {
    EXPECT(glob_match(SPAN("AbC"), SPAN("aBc"), true));
    EXPECT(!glob_match(SPAN("AbC"), SPAN("aBc"), false));
    EXPECT(glob_match(SPAN("*LLO"), SPAN("hello"), true));
    EXPECT(glob_match(SPAN("[A-C]"), SPAN("b"), true));
    EXPECT(glob_match(SPAN("[xyZ]"), SPAN("z"), true));
    EXPECT(glob_match(SPAN("\\A"), SPAN("a"), true));
    EXPECT(!glob_match(SPAN("[\\A]"), SPAN("a"), true)); /* as in Redis */
    EXPECT(
        !glob_match(SPAN("[Z-a]"), SPAN("["), true)); /* ends are lowered after they were ordered */
    EXPECT(!glob_match(SPAN("@"), SPAN("`"), true));
    EXPECT(glob_match(SPAN("\xc3\xa9*"), SPAN("\xc3\xa9t\xc3\xa9"), true));
}

static void test_zero_bytes(void) {
    EXPECT(glob_match(SPAN("a\0b"), SPAN("a\0b"), false));
    EXPECT(!glob_match(SPAN("a\0b"), SPAN("a\0c"), false));
    EXPECT(glob_match(SPAN("a*\0"), SPAN("axx\0"), false));
    EXPECT(glob_match(SPAN("[\0]"), SPAN("\0"), false));
    EXPECT(glob_match(span_make(NULL, 0), span_make(NULL, 0), false));
}

/* The definition, plainly: a star matches the empty text or one byte more. Literals, '?' and '*'
 * only. */
static bool plain_match(const char *p, const char *p_end, const char *t, const char *t_end) {
    if (p == p_end) return t == t_end;
    if (*p == '*') {
        return plain_match(p + 1, p_end, t, t_end) ||
               (t < t_end && plain_match(p, p_end, t + 1, t_end));
    }
    return t < t_end && (*p == '?' || *p == *t) && plain_match(p + 1, p_end, t + 1, t_end);
}

/* The bytes lie at the end of blocks of exactly their size: reading on is caught by the
 * sanitizer. */
static void test_against_definition(void) {
    struct random r;
    random_init(&r, test_seed());
    for (int i = 0; i < 200000; i++) {
        size_t pattern_len = random_below(&r, 9), text_len = 1 + random_below(&r, 9);
        char *pattern = malloc(pattern_len ? pattern_len : 1), *text = malloc(text_len);
        bool expected, got;
        for (size_t j = 0; j < pattern_len; j++) pattern[j] = "ab?*"[random_below(&r, 4)];
        for (size_t j = 0; j < text_len; j++) text[j] = "ab"[random_below(&r, 2)];
        expected = plain_match(pattern, pattern + pattern_len, text, text + text_len);
        got = glob_match(span_make(pattern, pattern_len), span_make(text, text_len), false);
        if (expected != got) {
            test_fail(__FILE__, __LINE__, "\"%.*s\" against \"%.*s\"", (int)pattern_len, pattern,
                      (int)text_len, text);
        }
        free(pattern);
        free(text);
    }
}

static void test_any_bytes(void) {
    struct random r;
    random_init(&r, test_seed());
    for (int i = 0; i < 200000; i++) {
        size_t pattern_len = random_below(&r, 12), text_len = random_below(&r, 12);
        char *pattern = malloc(pattern_len ? pattern_len : 1),
             *text = malloc(text_len ? text_len : 1);
        for (size_t j = 0; j < pattern_len; j++)
            pattern[j] = "[]^-\\*?ab\xff"[random_below(&r, 10)];
        for (size_t j = 0; j < text_len; j++) text[j] = "[]-\\ab"[random_below(&r, 6)];
        glob_match(span_make(pattern, pattern_len), span_make(text, text_len), random_below(&r, 2));
        free(pattern);
        free(text);
    }
}

/* Quadratic at worst, and that is bounded. */
static void test_bound(void) {
    size_t len = 100000;
    char *text = malloc(len), *pattern = malloc(len);
    memset(text, 'a', len);
    memset(pattern, '*', len);
    EXPECT(glob_match(span_make(pattern, len), span_make(text, len), false));
    memset(pattern, 'a', len / 2);
    pattern[0] = '*';
    EXPECT(glob_match(SPAN("*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a"), span_make(text, len), false));
    EXPECT(!glob_match(SPAN("*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b"), span_make(text, len), false));
    pattern[len / 2 - 1] = 'b';
    EXPECT(
        !glob_match(span_make(pattern, len / 2), span_make(text, len), false)); /* over the bound */
    memset(pattern, 'x', len);
    pattern[0] = '*';
    pattern[1] = '[';
    EXPECT(!glob_match(span_make(pattern, len), span_make(text, len), false));
    free(text);
    free(pattern);
}

int main(int argc, char **argv) {
    static const struct test tests[] = {
        {"glob_cases", test_cases},           {"glob_nocase", test_nocase},
        {"glob_zero_bytes", test_zero_bytes}, {"glob_against_definition", test_against_definition},
        {"glob_any_bytes", test_any_bytes},   {"glob_bound", test_bound},
    };
    return test_main(tests, ARRAY_LENGTH(tests), argc, argv);
}
