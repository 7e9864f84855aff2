/* Libraries of functions: what FUNCTION LOAD and RESTORE bring and FCALL finds.
 *
 * A set of libraries is built beside the current one and joined to it as a whole or not at all:
 *
 *   text -> library_load -> staged set -> library_join -> the current set */
#ifndef COMMANDS_FUNCTION_LIBRARY_H
#define COMMANDS_FUNCTION_LIBRARY_H

#include "base/buf.h"
#include "base/list.h"
#include "script/script.h"
#include "types/table.h"

enum {
    LIBRARY_LOAD_MS_MAX = 500,  /* to run a library's text, as Redis has it */
    LIBRARY_ERROR_BYTES = 1024, /* what an error's text is cut to */
};

struct function {
    struct list link; /* of its library, as registered */
    struct function_library *library;
    script_function code;
    uint32_t flags; /* enum script_flag */
    struct span name, description; /* description.data is NULL without one */
    char text[];
};

struct function_library {
    struct list link; /* of its set, as loaded */
    struct list functions;
    uint32_t function_count;
    size_t bytes; /* with its functions, without what they take in the interpreter */
    struct span name, code;
    char text[];
};

struct library_set {
    struct script_engine *engine; /* where the functions live; NULL while there are none */
    struct table libraries, functions; /* by name; functions' in any case of letters */
    struct list order;
    size_t bytes;
};

void library_set_init(struct library_set *set, struct script_engine *engine);
/* The engine is the caller's, and must live. */
void library_set_release(struct library_set *set);
void library_set_clear(struct library_set *set);
size_t library_set_bytes(const struct library_set *set);

struct function *library_find_function(const struct library_set *set, struct span name);
struct function_library *library_find(const struct library_set *set, struct span name);

/* The library that a text's first line names: 0, or -1 and the error's text without its code. `name` holds *out; release it. */
ATTR_MUST_USE int library_read_name(struct span text, struct buf *name, char *error, size_t size);
/* Runs a text, whose library's name was read, and adds it to a set in which neither the name nor its functions are yet. */
ATTR_MUST_USE int library_load(struct library_set *set, struct span name, struct span text, char *error, size_t size);
/* Moves all libraries of `from` to `to`, which has the same engine; `replace`: in the place of those with the same names. Otherwise
 * nothing is changed and -1 and the error's text are returned. */
ATTR_MUST_USE int library_join(struct library_set *to, struct library_set *from, bool replace, char *error, size_t size);
void library_delete(struct library_set *set, struct function_library *library);

#endif
