#include "server/stack.h"

#include <string.h>

#if __has_include(<execinfo.h>)
#include <execinfo.h>
#include <unistd.h>

enum { FRAMES_MAX = 100 };

void stack_prepare(void) {
    void *frame;
    backtrace(&frame, 1);
}

/* backtrace_symbols_fd(3) writes to a descriptor and does not allocate; the lines come back through a pipe, whose 64 KiB hold
 * FRAMES_MAX of them. */
void stack_print(void (*put)(const char *text, size_t len)) {
    void *frames[FRAMES_MAX];
    char block[512];
    int ends[2], count = backtrace(frames, FRAMES_MAX);
    ssize_t n;
    if (pipe(ends) != 0) {
        backtrace_symbols_fd(frames, count, STDERR_FILENO);
        return;
    }
    backtrace_symbols_fd(frames, count, ends[1]);
    close(ends[1]);
    while ((n = read(ends[0], block, sizeof block)) > 0) put(block, (size_t)n);
    close(ends[0]);
}

#else /* musl has no such thing */

void stack_prepare(void) {}

void stack_print(void (*put)(const char *text, size_t len)) {
    static const char none[] = "(no stack traces on this system)\n";
    put(none, strlen(none));
}

#endif
