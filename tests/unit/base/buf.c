#include "base/buf.h"

#include <errno.h>

#include "base/alloc.h"
#include "base/random.h"
#include "test.h"

static void test_put(void) {
    size_t used_before = mem_used_bytes();
    struct buf b = {0};
    EXPECT_INT(0, buf_span(&b).len);
    buf_put(&b, NULL, 0);
    buf_put_span(&b, span_make(NULL, 0));
    EXPECT(b.data == NULL);
    buf_put(&b, "ab\0c", 4);
    buf_put_span(&b, SPAN("-span-"));
    buf_put_text(&b, "text");
    buf_put_char(&b, '!');
    buf_put_int(&b, INT64_MIN);
    buf_printf(&b, "[%d %s]", 42, "x");
    EXPECT_SPAN(SPAN("ab\0c-span-text!-9223372036854775808[42 x]"), buf_span(&b));
    EXPECT(b.capacity >= b.len);
    buf_clear(&b);
    EXPECT_INT(0, b.len);
    EXPECT(b.capacity > 0);
    buf_release(&b);
    EXPECT(b.data == NULL && b.capacity == 0);
    EXPECT_INT(used_before, mem_used_bytes());
    buf_put_char(&b, 'x'); /* usable again */
    EXPECT_SPAN(SPAN("x"), buf_span(&b));
    buf_release(&b);
}

static void test_printf_lengths(void) {
    struct buf b = {0};
    char expected[3000];
    size_t len = 0;
    for (int i = 0; i < 60; i++) {
        buf_printf(&b, "%.*s", i, "0123456789012345678901234567890123456789012345678901234567890");
        memcpy(expected + len, "0123456789012345678901234567890123456789012345678901234567890",
               (size_t)i);
        len += (size_t)i;
        EXPECT_SPAN(span_make(expected, len), buf_span(&b));
    }
    buf_release(&b);
}

static void test_reserve(void) {
    struct buf b = {0};
    EXPECT_INT(0, buf_try_reserve(&b, 0));
    EXPECT_INT(0, buf_try_reserve(&b, 100));
    EXPECT(b.capacity >= 100);
    buf_put_text(&b, "kept");
    EXPECT_INT(-ENOMEM, buf_try_reserve(&b, SIZE_MAX));
    EXPECT_INT(-ENOMEM, buf_try_reserve(&b, SIZE_MAX - 2));
    EXPECT_INT(-ENOMEM, buf_try_reserve(&b, PTRDIFF_MAX));
    EXPECT_SPAN(SPAN("kept"), buf_span(&b));
    mem_test_fail_at(1);
    EXPECT_INT(-ENOMEM, buf_try_reserve(&b, b.capacity));
    EXPECT_SPAN(SPAN("kept"), buf_span(&b));
    EXPECT_INT(0, buf_try_reserve(&b, b.capacity));
    EXPECT_SPAN(SPAN("kept"), buf_span(&b));
    buf_release(&b);
}

/* Growing by half: bytes copied stay in proportion. */
static void test_growth(void) {
    struct buf b = {0};
    int growths = 0;
    size_t capacity = 0;
    for (int i = 0; i < 1000000; i++) {
        buf_put_char(&b, (char)i);
        if (b.capacity != capacity) {
            growths++;
            capacity = b.capacity;
        }
    }
    EXPECT(growths < 40);
    buf_release(&b);
}

static void test_consume(void) {
    struct buf b = {0};
    buf_consume(&b, 0);
    buf_put_text(&b, "hello world");
    buf_consume(&b, 0);
    buf_consume(&b, 6);
    EXPECT_SPAN(SPAN("world"), buf_span(&b));
    EXPECT_INT(0, strcmp("world", buf_terminate(&b)));
    EXPECT_INT(5, b.len);
    buf_consume(&b, 5);
    EXPECT_INT(0, b.len);
    EXPECT_INT(0, strcmp("", buf_terminate(&b)));
    buf_release(&b);
    EXPECT_INT(0, strcmp("", buf_terminate(&b)));
    buf_release(&b);
}

int main(int argc, char **argv) {
    static const struct test tests[] = {
        {"buf_put", test_put},         {"buf_printf_lengths", test_printf_lengths},
        {"buf_reserve", test_reserve}, {"buf_growth", test_growth},
        {"buf_consume", test_consume},
    };
    return test_main(tests, ARRAY_LENGTH(tests), argc, argv);
}
