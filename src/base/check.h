/* Checks for our own mistakes. CHECK stays in every build; DCHECK only where DEBUG is defined.
 * Bytes from outside are never checked with these: they are validated and answered. */
#ifndef BASE_CHECK_H
#define BASE_CHECK_H

#include "base/compat.h"

/* Writes file, line and condition to the log's sink and aborts; the crash report follows from the signal. */
ATTR_NORETURN ATTR_COLD void check_failed(const char *file, int line, const char *condition);

#define CHECK(condition) \
    (LIKELY(condition) ? (void)0 : check_failed(__FILE__, __LINE__, #condition))

#ifdef DEBUG
#define DCHECK(condition) CHECK(condition)
#else
#define DCHECK(condition) ((void)sizeof(condition))
#endif

#endif
