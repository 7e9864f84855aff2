/* Lua's patterns (reference manual 5.1, 5.4.1), matched so that the work can be interrupted and the stack it takes is bounded. Stock
 * Lua's own run to their end inside one C call, where no hook is called, and recurse as deep as the pattern is long. */
#ifndef SCRIPT_PATTERN_H
#define SCRIPT_PATTERN_H

#include <lua.h>
#include <stdint.h>

#include "base/span.h"

enum {
    PATTERN_CAPTURES_MAX = 32,
    PATTERN_DEPTH_MAX = 400,        /* captures and repetitions that a match may stand within */
    PATTERN_CHECK_STEPS = 1000000,  /* single characters compared between two looks at the clock */
};

struct pattern_capture {
    const char *start;
    ptrdiff_t len; /* or one of pattern.c's marks */
};

struct pattern {
    lua_State *L; /* errors are raised there */
    struct span subject;
    const char *end; /* of the pattern */
    uint32_t depth, steps;
    uint32_t capture_count;
    struct pattern_capture captures[PATTERN_CAPTURES_MAX];
};

/* Matches the pattern that begins at `p` at `at`: the end of the match, or NULL. Raises for malformed ones. */
const char *pattern_match(struct pattern *m, const char *at, const char *p);
/* Pushes all captures, or the whole match [at, end) when there are none; how many. */
int pattern_push_captures(struct pattern *m, const char *at, const char *end);
/* Pushes one of them, from 0; the whole match for the first where there is none. */
void pattern_push_capture(struct pattern *m, uint32_t index, const char *at, const char *end);

#endif
