/* Glob patterns as KEYS, SCAN MATCH and PSUBSCRIBE take them: * ? [abc] [^a] [a-z] and backslash. */
#ifndef BASE_GLOB_H
#define BASE_GLOB_H

#include <stdbool.h>

#include "base/span.h"

/* Does `text` match? A pattern that would need more than GLOB_STEPS_MAX comparisons (a pathological run of stars) does not
 * match: that bound keeps one request from holding the loop. */
enum { GLOB_STEPS_MAX = 1 << 20 };
bool glob_match(struct span pattern, struct span text, bool nocase);

#endif
