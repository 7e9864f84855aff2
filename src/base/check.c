/* Ends the process at our own mistakes. Uses no heap and no stdio: the state is not to be trusted
 * any more. */
#include "base/check.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"

void check_failed(const char *file, int line, const char *condition) {
    char text[512];
    int len = snprintf(text, sizeof text, "=== CHECK FAILED at %s:%d: %s\n", file, line, condition);
    if (len >= (int)sizeof text) {
        len = (int)sizeof text - 1;
        text[len - 1] = '\n';
    }
    if (len > 0) log_raw(text, (unsigned long)len);
    abort();
}
