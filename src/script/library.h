/* Libraries of functions: their text is run once, in a sandbox of its own, and registers functions with redis.register_function. */
#ifndef SCRIPT_LIBRARY_H
#define SCRIPT_LIBRARY_H

#include "script/script.h"

struct script_registration {
    struct span name, description; /* borrowed; description.data is NULL without one */
    uint32_t flags;                /* enum script_flag */
    script_function function;      /* the receiver's when it takes it */
};

struct script_loading {
    struct script_engine *engine;
    uint64_t time_ms_max;
    /* For each function: NULL when it is taken, or the error's text. */
    const char *(*registered)(void *context, const struct script_registration *registration);
    void *context;
    uint64_t began_ticks; /* the engine's */
};

/* Compiles and runs the code. 0; or -1 and the error's text without its code. What was registered before an error stays registered. */
ATTR_MUST_USE int script_load_library(struct script_loading *loading, struct span code, char *error, size_t error_size);

#endif
