/* Scripts among the commands: the interpreters' callbacks, the cache of scripts, the libraries of functions, and one way of running a Lua
 * function that EVAL and FCALL share. Scripts and functions have an interpreter each, as in Redis: dropping one's leaves the other's. */
#ifndef COMMANDS_SCRIPTING_H
#define COMMANDS_SCRIPTING_H

#include "commands/command.h"
#include "commands/function_library.h"
#include "commands/host.h"
#include "script/script.h"

enum { SCRIPTING_EVAL_SCRIPTS_MAX = 500 }; /* scripts that only EVAL has sent: more are dropped, least used first. As Redis 7.4 */

struct scripting;
struct scripting *scripting_new(struct host *host); /* after sessions and commands are set */
void scripting_free(struct scripting *s);           /* NULL is fine */
/* script-memory-max, for each interpreter. */
void scripting_set_memory_max(struct host *host, size_t bytes);
/* False after "ERR ... built without Lua" was written. */
bool scripting_available(struct call *call);

/* Monitors see the call before what it runs: the first thing that a command does which runs scripts (COMMAND_SKIP_MONITOR). */
void scripting_show_call(struct call *call);

/* A script or function to be run for a call: EVAL's and FCALL's numkeys stands at argument 2, keys and arguments follow. */
struct scripting_job {
    struct script_engine *engine; /* NULL: that of scripts */
    script_function function;
    struct span name;     /* in error texts; must last */
    uint32_t flags;       /* enum script_flag */
    bool read_only;       /* EVAL_RO and its like */
    bool as_arguments;    /* FCALL */
};
/* Checks numkeys, the flags and the memory, runs, and writes the reply. */
void scripting_run(struct call *call, const struct scripting_job *job);
/* A command that runs what has flags of its own: the command's flags less what those take back, and more. */
uint32_t scripting_command_flags(const struct command *command, uint32_t flags);
/* True and *count, or false after the error was written: argument 2 as numkeys. `not_a_number` is the error's text; NULL: the usual one. */
bool scripting_key_count(struct call *call, const char *not_a_number, uint32_t *count);

/* SCRIPT KILL and FUNCTION KILL: writes the reply. */
void scripting_kill(struct call *call, bool function);
/* True after "BUSY ..." was written: the command is none of those that may run beside a script. */
bool scripting_refuse_busy(const struct host *host, struct session *s, const struct command *c);

/* The function that is running; false: none is. */
struct scripting_running {
    struct span name;
    const struct span *argv; /* of the call */
    uint32_t argc;
    uint64_t duration_ms;
};
bool scripting_running_function(const struct host *host, struct scripting_running *out);
/* The same of a script. */
bool scripting_runs_script(const struct host *host);

struct scripting_counts {
    uint64_t vm_bytes, cache_bytes, script_count;
    uint64_t evicted_count; /* of EVAL's */
    uint64_t functions_vm_bytes, functions_bytes, function_count, library_count;
};
struct scripting_counts scripting_counts(const struct host *host);

/* -- the cache: by SHA-1 in hexadecimal */
struct script_cache *scripting_cache(const struct host *host);
/* No script is known any more, and scripts have a new interpreter, without what the old ones left in theirs. */
void scripting_drop_scripts(struct host *host);

/* -- libraries of functions */
struct library_set *scripting_functions(const struct host *host);
/* Their interpreter, which is made when it is first needed; NULL after the error was written. */
struct script_engine *scripting_functions_engine(struct call *call);
/* No library, no interpreter: all of their memory is given back. */
void scripting_drop_functions(struct host *host);

extern const struct command commands_scripting[], commands_functions[];

#endif
