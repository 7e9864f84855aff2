#include "base/blob.h"

#include "base/alloc.h"
#include "test.h"

static void test_new(void) {
    size_t used_before = mem_used_bytes();
    struct blob *b = blob_try_new(100);
    EXPECT(b != NULL);
    EXPECT_INT(1, b->ref_count);
    EXPECT_INT(0, b->len);
    EXPECT(b->capacity >= 100);
    EXPECT(blob_class_bytes(b) >= sizeof *b + b->capacity);
    EXPECT(b->capacity < 1000);
    memset(b->data, 'x', b->capacity); /* the room is real */
    EXPECT(blob_ref(b) == b);
    EXPECT_INT(2, b->ref_count);
    blob_unref(b);
    EXPECT_INT(1, b->ref_count);
    blob_unref(b);
    EXPECT_INT(used_before, mem_used_bytes());
    b = blob_try_new(0);
    EXPECT(b != NULL);
    blob_unref(b);
    EXPECT_INT(used_before, mem_used_bytes());
}

static void test_copy(void) {
    struct blob *b = blob_try_copy(SPAN("hello"), 50);
    EXPECT_SPAN(SPAN("hello"), blob_span(b));
    EXPECT(b->capacity >= 50);
    blob_unref(b);
    b = blob_try_copy(span_make(NULL, 0), 0);
    EXPECT_INT(0, b->len);
    blob_unref(b);
}

static void test_own(void) {
    size_t used_before = mem_used_bytes();
    struct blob *b = blob_try_copy(SPAN("hello"), 5), *other;
    EXPECT(blob_try_own(b, 5) == b); /* alone, room enough */
    b = blob_try_own(b, 1000);       /* alone, grown */
    EXPECT_SPAN(SPAN("hello"), blob_span(b));
    EXPECT(b->capacity >= 1000);
    EXPECT_INT(1, b->ref_count);
    blob_ref(b);
    other = blob_try_own(b, 2000); /* shared: copied */
    EXPECT(other != b);
    EXPECT_INT(1, b->ref_count);
    EXPECT_INT(1, other->ref_count);
    EXPECT_SPAN(SPAN("hello"), blob_span(other));
    EXPECT(other->capacity >= 2000);
    blob_unref(b);
    blob_unref(other);
    EXPECT_INT(used_before, mem_used_bytes());
}

static void test_out_of_memory(void) {
    struct blob *b;
    mem_test_fail_at(1);
    EXPECT(blob_try_new(10) == NULL);
    mem_test_fail_at(1);
    EXPECT(blob_try_copy(SPAN("x"), 1) == NULL);
    EXPECT(blob_try_new(SIZE_MAX) == NULL);
    EXPECT(blob_try_new(PTRDIFF_MAX) == NULL);
    b = blob_try_copy(SPAN("kept"), 4);
    mem_test_fail_at(1);
    EXPECT(blob_try_own(b, 100000) == NULL); /* grow */
    EXPECT_SPAN(SPAN("kept"), blob_span(b));
    blob_ref(b);
    mem_test_fail_at(1);
    EXPECT(blob_try_own(b, 4) == NULL); /* copy */
    EXPECT_INT(2, b->ref_count);
    EXPECT_SPAN(SPAN("kept"), blob_span(b));
    blob_unref(b);
    blob_unref(b);
}

int main(int argc, char **argv) {
    static const struct test tests[] = {
        {"blob_new", test_new},
        {"blob_copy", test_copy},
        {"blob_own", test_own},
        {"blob_out_of_memory", test_out_of_memory},
    };
    return test_main(tests, ARRAY_LENGTH(tests), argc, argv);
}
