/* Words, quoting, titles, rates: the small parts of the server folder. */
#include "base/words.h"

#include "base/error.h"
#include "base/random.h"
#include "server/info.h"
#include "server/metrics.h"
#include "server/title.h"
#include "test.h"

/* The words joined by |, or the error. */
static const char *split(const char *line) {
    static char out[256];
    struct words words;
    size_t len = 0;
    int status = words_split(span_of(line), &words);
    if (status < 0) return status == ERROR_SYNTAX ? "syntax" : "limit";
    out[0] = '\0';
    for (uint32_t i = 0; i < words.count; i++) {
        len += (size_t)snprintf(out + len, sizeof out - len, "%s%s", i > 0 ? "|" : "",
                                words.at[i].data);
        if (strlen(words.at[i].data) != words.at[i].len) return "length";
    }
    words_release(&words);
    return out;
}

static void test_split(void) {
    static const char *const cases[][2] = {
        {"", ""},
        {"  \t ", ""},
        {"a b  c", "a|b|c"},
        {"\"a b\" 'c d'", "a b|c d"},
        {"\"\" ''", "|"},
        {"\"a\\n\\t\\\"\\\\\\x41\\q\"", "a\n\t\"\\Aq"},
        {"'a\\'b\\n'", "a'b\\n"},
        {"\"\\xzz\"", "xzz"},
        {"a\"b c\"", "ab c"},
        {"\"a\"b", "syntax"},
        {"'a'b", "syntax"},
        {"\"a", "syntax"},
        {"'a", "syntax"},
        {"\"a\\", "syntax"},
        {"a\\nb", "a\\nb"},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        EXPECT_SPAN(span_of(cases[i][1]), span_of(split(cases[i][0])));
    }
}

static void test_split_limit(void) {
    char line[4 * WORDS_MAX];
    memset(line, 0, sizeof line);
    for (int i = 0; i <= WORDS_MAX; i++) line[2 * i] = 'x', line[2 * i + 1] = ' ';
    EXPECT_SPAN(SPAN("limit"), span_of(split(line)));
}

/* Whatever is quoted comes back as one word. */
static void test_quote(void) {
    struct random random;
    random_init(&random, test_seed());
    for (int round = 0; round < 2000; round++) {
        char bytes[40];
        struct span text = span_make(bytes, random_below(&random, sizeof bytes));
        struct buf quoted = {0};
        struct words words;
        for (size_t i = 0; i < text.len; i++) {
            bytes[i] =
                (char)(round % 2 ? random_below(&random, 256)
                                 : (uint64_t)(uint8_t) "\"'\\ \nx"[random_below(&random, 6)]);
        }
        words_quote(&quoted, text);
        EXPECT_INT(0, words_split(buf_span(&quoted), &words));
        EXPECT_INT(1, words.count);
        EXPECT_SPAN(text, words.at[0]);
        words_release(&words);
        buf_release(&quoted);
    }
}

static void test_split_plain(void) {
    struct words words;
    EXPECT_INT(0, words_split_plain(SPAN(""), &words));
    EXPECT_INT(0, words.count);
    words_release(&words);
    EXPECT_INT(0, words_split_plain(SPAN("a \"b  c"), &words));
    EXPECT_INT(4, words.count);
    EXPECT_SPAN(SPAN("\"b"), words.at[1]);
    EXPECT_INT(0, words.at[2].len);
    words_release(&words);
}

static void test_title_is_valid(void) {
    EXPECT(title_is_valid(SPAN("{title} {listen-addr} {server-mode}")));
    EXPECT(title_is_valid(SPAN("{port}{tls-port}{unixsocket}{config-file}")));
    EXPECT(title_is_valid(SPAN("plain")));
    EXPECT(!title_is_valid(SPAN("{nothing}")));
    EXPECT(!title_is_valid(SPAN("{title")));
    EXPECT(!title_is_valid(SPAN("{}")));
    EXPECT(!title_is_valid(SPAN("")));
}

static void test_metrics(void) {
    struct metrics metrics = {0};
    for (int i = 0; i < 40; i++) {
        uint64_t totals[METRIC_COUNT] = {(uint64_t)i * 100, (uint64_t)i * 10, 0, (uint64_t)i};
        metrics_sample(&metrics, 1000 + i * METRICS_PERIOD_MS, totals);
        metrics_sample(&metrics, 1000 + i * METRICS_PERIOD_MS + 1, totals); /* too early: nothing */
    }
    EXPECT_INT(1000, metrics_rate(&metrics, METRIC_COMMANDS));
    EXPECT_INT(100, metrics_rate(&metrics, METRIC_INPUT_BYTES));
    EXPECT_INT(0, metrics_rate(&metrics, METRIC_OUTPUT_BYTES));
    EXPECT_INT(10, metrics_rate(&metrics, METRIC_TURNS));
    metrics_reset(&metrics);
    EXPECT_INT(0, metrics_rate(&metrics, METRIC_COMMANDS));
}

/* Counters that went back are no huge rate. */
static void test_metrics_backwards(void) {
    struct metrics metrics = {0};
    uint64_t high[METRIC_COUNT] = {1000000}, low[METRIC_COUNT] = {10};
    metrics_sample(&metrics, 1000, high);
    metrics_sample(&metrics, 1100, low);
    EXPECT_INT(0, metrics_rate(&metrics, METRIC_COMMANDS));
}

static void test_human_bytes(void) {
    static const struct {
        uint64_t bytes;
        const char *text;
    } cases[] = {
        {0, "0B"},          {1023, "1023B"},          {1024, "1.00K"},       {1536, "1.50K"},
        {1 << 20, "1.00M"}, {25276502016u, "23.54G"}, {UINT64_MAX, "16.00E"}};
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        char text[32];
        EXPECT_SPAN(span_of(cases[i].text),
                    span_of(info_human_bytes(cases[i].bytes, text, sizeof text)));
    }
}

int main(int argc, char **argv) {
    static const struct test tests[] = {
        {"words_split", test_split},
        {"words_split_limit", test_split_limit},
        {"words_quote", test_quote},
        {"words_split_plain", test_split_plain},
        {"title_is_valid", test_title_is_valid},
        {"metrics_rates", test_metrics},
        {"metrics_backwards", test_metrics_backwards},
        {"info_human_bytes", test_human_bytes},
    };
    return test_main(tests, ARRAY_LENGTH(tests), argc, argv);
}
