#include "base/error.h"

#include <errno.h>

#include "test.h"

static void test_texts(void) {
    EXPECT_SPAN(SPAN("syntax error"), span_of(error_text(ERROR_SYNTAX)));
    EXPECT_SPAN(SPAN("out of range"), span_of(error_text(ERROR_RANGE)));
    EXPECT_SPAN(SPAN("limit reached"), span_of(error_text(ERROR_LIMIT)));
    EXPECT_SPAN(SPAN("Address already in use"), span_of(error_text(-EADDRINUSE)));
    EXPECT(error_text(0) != NULL);
    EXPECT(error_text(5) != NULL);
    EXPECT(error_text(-99999) != NULL);
    EXPECT(error_text(INT32_MIN) != NULL);
}

int main(int argc, char **argv) {
    static const struct test tests[] = {{"error_text", test_texts}};
    return test_main(tests, ARRAY_LENGTH(tests), argc, argv);
}
