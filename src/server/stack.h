/* The call stack as text, for the crash report. */
#ifndef SERVER_STACK_H
#define SERVER_STACK_H

#include <stddef.h>

void stack_prepare(void); /* once, before any crash: what the first trace would allocate is allocated here */
/* One line a frame through `put`. Async-signal-safe after stack_prepare. */
void stack_print(void (*put)(const char *text, size_t len));

#endif
