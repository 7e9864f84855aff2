/* The Lua 5.1 interpreter behind EVAL and FCALL: one engine for scripts and one for libraries of functions, one
 * run at a time.
 *
 *   command -> script_run -> Lua -> redis.call -> callbacks.command -> reply bytes -> Lua values -> the client's reply
 *
 * The engine knows nothing of commands: what it needs of them is a table of functions. Its memory has a bound of its own and is counted
 * (script_memory_bytes). Errors of scripts are replies; nothing in here ends the process but the allocator's rule for small sizes. */
#ifndef SCRIPT_SCRIPT_H
#define SCRIPT_SCRIPT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/sha1.h"
#include "base/span.h"
#include "resp/reply.h"

struct script_engine;
struct script_run;

/* What a script says of itself in its first line ("#!lua flags=no-writes,allow-oom"), and what it is run with. */
enum script_flag {
    SCRIPT_NO_WRITES = 1 << 0,
    SCRIPT_ALLOW_OOM = 1 << 1,
    SCRIPT_ALLOW_STALE = 1 << 2,
    SCRIPT_NO_CLUSTER = 1 << 3,
    SCRIPT_ALLOW_CROSS_SLOT = 1 << 4,
    SCRIPT_COMPAT = 1 << 5, /* EVAL without such a line: what it may do is found out call by call */
};

enum script_log_level { SCRIPT_LOG_DEBUG, SCRIPT_LOG_VERBOSE, SCRIPT_LOG_NOTICE, SCRIPT_LOG_WARNING };

/* What redis.acl_check_cmd answers. */
enum script_acl { SCRIPT_ACL_DENIED, SCRIPT_ACL_ALLOWED, SCRIPT_ACL_NO_COMMAND };

struct script_callbacks {
    /* Checks and runs a command; exactly one element, an error maybe, goes to run->reply. Errors are counted there. */
    void (*command)(struct script_run *run, const struct span *argv, uint32_t argc);
    enum script_acl (*acl_check)(struct script_run *run, const struct span *argv, uint32_t argc);
    void (*log)(struct script_run *run, enum script_log_level level, struct span text);
    /* Every SCRIPT_HOOK_COUNT instructions: true ends the script with "Script killed by user". */
    bool (*interrupt)(struct script_run *run);
};

enum { SCRIPT_HOOK_COUNT = 100000 };

struct script_options {
    const struct script_callbacks *callbacks;
    struct chunk_pool *chunks;           /* for the replies of commands */
    const char *redis_version, *version; /* redis.REDIS_VERSION, server.RONDO_VERSION */
    size_t memory_bytes_max;             /* 0: no bound */
};

/* NULL: this build has no Lua (script_available() is false), or there is no memory for it. */
struct script_engine *script_engine_new(const struct script_options *options);
void script_engine_free(struct script_engine *engine); /* NULL is fine */
bool script_available(void);
size_t script_memory_bytes(const struct script_engine *engine);
void script_set_memory_max(struct script_engine *engine, size_t bytes);

/* A compiled function: a reference in the interpreter's registry. Negative: none. */
typedef int script_function;
enum { SCRIPT_FUNCTION_NONE = -2 };

/* Compiles text (never bytecode) under a chunk name ("@user_script"). 0 and *out; or -1 and the interpreter's message in `error`, cut to
 * fit and terminated. */
ATTR_MUST_USE int script_compile(struct script_engine *engine, struct span text, const char *chunk_name, script_function *out,
                                 char *error, size_t error_size);
void script_function_release(struct script_engine *engine, script_function function);
/* Gives back the memory of what was released. */
void script_collect(struct script_engine *engine);

/* The first line, if it begins with "#!": the engine's name must be lua; flags go to *flags. *taken: bytes up to its line end. Without
 * such a line *flags is SCRIPT_COMPAT and *taken 0. 0, or -1 and the error's text without its code. */
ATTR_MUST_USE int script_parse_shebang(struct span text, uint32_t *flags, size_t *taken, char *error, size_t error_size);
/* The flag of a name; 0: unknown. */
uint32_t script_flag_named(struct span name, bool any_case);
/* The name of a flag, by its place among all: the first is at 0, NULL behind the last. */
const char *script_flag_at(uint32_t at, uint32_t *flag);

/* One execution. The caller fills the first part and keeps it on its stack. */
struct script_run {
    struct script_engine *engine;
    script_function function;
    const struct span *keys, *args; /* must last: they are copied when the script asks for them */
    uint32_t key_count, arg_count;
    bool as_arguments;              /* FCALL: keys and args are the function's arguments, not the globals KEYS and ARGV */
    bool read_only;                 /* writes are refused */
    bool allow_oom;
    struct span name;               /* in error texts: the SHA or the function's name */
    struct reply *out;              /* the answer: one element */
    void *context;                  /* the caller's, for the callbacks */

    struct reply reply;             /* what commands write to: the engine's */
    bool wrote;                     /* a write has run: it cannot be killed any more. Set by `command` */
    bool killed;                    /* to end at the next instruction */
    bool busy;                      /* its time is over: others are answered BUSY */
    uint64_t began_ticks;           /* clock_ticks */
    uint8_t made_globals;           /* the engine's: KEYS, ARGV */
};
void script_execute(struct script_run *run);

#endif
