/* EVAL, EVALSHA, their read-only forms and SCRIPT. */
#include "commands/script_cache.h"
#include "commands/scripting.h"

enum { ERROR_BYTES = 700 };

#define NO_SCRIPT_TEXT "NOSCRIPT No matching script. Please use EVAL."

/* ---- EVAL */

static void run_entry(struct call *call, struct script_entry *e, bool read_only) {
    struct scripting_job job = {
        .function = e->function,
        .name = span_make(e->sha, SHA1_HEX_BYTES),
        .flags = e->flags,
        .read_only = read_only,
    };
    scripting_run(call, &job);
}

static void eval_text(struct call *call, bool read_only) {
    struct script_cache *cache = scripting_cache(call->host);
    uint32_t key_count;
    char sha[SHA1_HEX_BYTES], error[ERROR_BYTES];
    scripting_show_call(call);
    if (!scripting_available(call) || !scripting_key_count(call, NULL, &key_count)) return;
    sha1_hex(call->argv[1], sha);
    struct script_entry *e = script_cache_find(cache, span_make(sha, sizeof sha));
    if (!e) e = script_cache_add(cache, sha, call->argv[1], false, error, sizeof error);
    if (e) {
        run_entry(call, e, read_only);
    } else {
        reply_errorf(call->reply, "ERR %s", error);
    }
}

static void eval_sha(struct call *call, bool read_only) {
    scripting_show_call(call);
    if (!scripting_available(call)) return;
    struct script_entry *e = script_cache_find(scripting_cache(call->host), call->argv[1]);
    if (e) {
        run_entry(call, e, read_only);
    } else {
        reply_error(call->reply, NO_SCRIPT_TEXT);
    }
}

/* What is no script at all fails when it is run. */
static uint32_t text_flags(const struct host *host, const struct command *command,
                           const struct span *argv, uint32_t argc) {
    char error[ERROR_BYTES];
    uint32_t flags;
    size_t taken;
    if (script_parse_shebang(argv[1], &flags, &taken, error, sizeof error) < 0)
        return command->flags;
    return scripting_command_flags(command, flags);
}

static uint32_t sha_flags(const struct host *host, const struct command *command,
                          const struct span *argv, uint32_t argc) {
    struct script_cache *cache = host->scripting ? scripting_cache(host) : NULL;
    const struct script_entry *e = cache ? script_cache_find(cache, argv[1]) : NULL;
    return e ? scripting_command_flags(command, e->flags) : command->flags;
}

static void eval(struct call *call) {
    eval_text(call, false);
}

static void eval_ro(struct call *call) {
    eval_text(call, true);
}

static void evalsha(struct call *call) {
    eval_sha(call, false);
}

static void evalsha_ro(struct call *call) {
    eval_sha(call, true);
}

/* ---- SCRIPT */

static void load(struct call *call) {
    char sha[SHA1_HEX_BYTES], error[ERROR_BYTES];
    if (!scripting_available(call)) return;
    struct script_cache *cache = scripting_cache(call->host);
    sha1_hex(call->argv[2], sha);
    struct script_entry *e = script_cache_find(cache, span_make(sha, sizeof sha));
    if (!e) e = script_cache_add(cache, sha, call->argv[2], true, error, sizeof error);
    if (!e) {
        reply_errorf(call->reply, "ERR %s", error);
        return;
    }
    script_cache_keep(cache, e);
    reply_bulk(call->reply, span_make(sha, sizeof sha));
}

static void exists(struct call *call) {
    if (!scripting_available(call)) return;
    reply_array(call->reply, call->argc - 2);
    for (uint32_t i = 2; i < call->argc; i++) {
        reply_int(call->reply, script_cache_find(scripting_cache(call->host), call->argv[i]) != 0);
    }
}

static void flush(struct call *call) {
    bool known = call_is(call, 2, "sync") || call_is(call, 2, "async");
    if (call->argc > 3 || (call->argc == 3 && !known)) {
        reply_error(call->reply, "ERR SCRIPT FLUSH only support SYNC|ASYNC option");
        return;
    }
    if (!scripting_available(call)) return;
    scripting_drop_scripts(call->host);
    reply_ok(call->reply);
}

static void kill(struct call *call) {
    if (scripting_available(call)) scripting_kill(call, false);
}

static void show(struct call *call) {
    if (!scripting_available(call)) return;
    struct script_entry *e = script_cache_find(scripting_cache(call->host), call->argv[2]);
    if (e) {
        reply_bulk(call->reply, span_make(e->text, e->len));
    } else {
        reply_error(call->reply, NO_SCRIPT_TEXT);
    }
}

/* There is no debugger: switching it off is what it is already. */
static void debug(struct call *call) {
    if (call_is(call, 2, "no")) {
        reply_ok(call->reply);
    } else if (call_is(call, 2, "yes") || call_is(call, 2, "sync")) {
        reply_error(call->reply, "ERR The script debugger is not available");
    } else {
        reply_error(call->reply, "ERR Use SCRIPT DEBUG YES/SYNC/NO");
    }
}

static void help(struct call *call) {
    static const char *const lines[] = {
        "DEBUG (YES|SYNC|NO)",
        "    Set the debug mode for subsequent scripts executed.",
        "EXISTS <sha1> [<sha1> ...]",
        "    Return information about the existence of the scripts in the script cache.",
        "FLUSH [ASYNC|SYNC]",
        "    Flush the Lua scripts cache. Very dangerous on replicas.",
        "    When called without the optional mode argument, the behavior is determined",
        "     by the lazyfree-lazy-user-flush configuration directive. Valid modes are:",
        "    * ASYNC: Asynchronously flush the scripts cache.",
        "    * SYNC: Synchronously flush the scripts cache.",
        "KILL",
        "    Kill the currently executing Lua script.",
        "LOAD <script>",
        "    Load a script into the scripts cache without executing it.",
        "SHOW <sha1>",
        "    Show a script from the scripts cache.",
        NULL,
    };
    call_help(call, lines);
}

/* ---- the tables */

enum {
    EVAL_FLAGS = COMMAND_NOSCRIPT | COMMAND_SKIP_MONITOR | COMMAND_MAY_REPLICATE |
                 COMMAND_NO_MANDATORY_KEYS | COMMAND_STALE | COMMAND_MOVABLE_KEYS,
    EVAL_RO_FLAGS = COMMAND_NOSCRIPT | COMMAND_SKIP_MONITOR | COMMAND_NO_MANDATORY_KEYS |
                    COMMAND_STALE | COMMAND_READONLY | COMMAND_MOVABLE_KEYS,
};
#define EVAL_KEYS(flag_bits)                                                                     \
    {                                                                                            \
        {                                                                                        \
            .flags = (flag_bits), .index = 2, .keynum = true, .keynum_index = 0, .first_key = 1, \
            .step = 1                                                                            \
        }                                                                                        \
    }
#define COMPLEXITY "Depends on the script that is executed."
#define EVAL_ARGUMENTS "script:string numkeys:integer [key:key...] [arg:string...]"
#define SHA_ARGUMENTS "sha1:string numkeys:integer [key:key...] [arg:string...]"

static const char *const all_shards[] = {"request_policy:all_nodes",
                                         "response_policy:all_succeeded", NULL};

static const struct command script_subcommands[] = {
    {.name = "debug",
     .run = debug,
     .arity = 3,
     .group = GROUP_SCRIPTING,
     .flags = COMMAND_NOSCRIPT,
     .categories = CATEGORY_SCRIPTING,
     .since = "3.2.0",
     .summary = "Sets the debug mode of server-side Lua scripts.",
     .complexity = "O(1)",
     .arguments = "mode:(YES | SYNC | NO)"},
    {.name = "exists",
     .run = exists,
     .arity = -3,
     .group = GROUP_SCRIPTING,
     .flags = COMMAND_NOSCRIPT,
     .categories = CATEGORY_SCRIPTING,
     .since = "2.6.0",
     .summary = "Determines whether server-side Lua scripts exist in the script cache.",
     .complexity = "O(N) with N being the number of scripts to check (so checking a single script "
                   "is an O(1) operation).",
     .arguments = "sha1:string...",
     .tips = (const char *const[]){"request_policy:all_shards", "response_policy:agg_logical_and",
                                   NULL}},
    {.name = "flush",
     .run = flush,
     .arity = -2,
     .group = GROUP_SCRIPTING,
     .flags = COMMAND_NOSCRIPT,
     .categories = CATEGORY_SCRIPTING,
     .since = "2.6.0",
     .summary = "Removes all server-side Lua scripts from the script cache.",
     .complexity = "O(N) with N being the number of scripts in cache",
     .arguments = "[flush-type:(ASYNC | SYNC)]",
     .tips = all_shards},
    {.name = "help",
     .run = help,
     .arity = 2,
     .group = GROUP_SCRIPTING,
     .flags = COMMAND_LOADING | COMMAND_STALE,
     .categories = CATEGORY_SCRIPTING,
     .since = "5.0.0",
     .summary = "Returns helpful text about the different subcommands.",
     .complexity = "O(1)"},
    {.name = "kill",
     .run = kill,
     .arity = 2,
     .group = GROUP_SCRIPTING,
     .flags = COMMAND_NOSCRIPT | COMMAND_ALLOW_BUSY,
     .categories = CATEGORY_SCRIPTING,
     .since = "2.6.0",
     .summary = "Terminates a server-side Lua script during execution.",
     .complexity = "O(1)",
     .tips =
         (const char *const[]){"request_policy:all_shards", "response_policy:one_succeeded", NULL}},
    {.name = "load",
     .run = load,
     .arity = 3,
     .group = GROUP_SCRIPTING,
     .flags = COMMAND_NOSCRIPT | COMMAND_STALE,
     .categories = CATEGORY_SCRIPTING,
     .since = "2.6.0",
     .summary = "Loads a server-side Lua script to the script cache.",
     .complexity = "O(N) with N being the length in bytes of the script body.",
     .arguments = "script:string",
     .tips = all_shards},
    {.name = "show",
     .run = show,
     .arity = 3,
     .group = GROUP_SCRIPTING,
     .flags = COMMAND_NOSCRIPT,
     .categories = CATEGORY_SCRIPTING,
     .since = "8.0.0",
     .summary = "Show server-side Lua script in the script cache.",
     .complexity = "O(1).",
     .arguments = "sha1:string"},
    {.name = NULL},
};

const struct command commands_scripting[] = {
    {.name = "eval",
     .run = eval,
     .arity = -3,
     .group = GROUP_SCRIPTING,
     .flags_of = text_flags,
     .flags = EVAL_FLAGS,
     .categories = CATEGORY_SCRIPTING,
     .keys = EVAL_KEYS(KEY_RW | KEY_ACCESS | KEY_UPDATE),
     .since = "2.6.0",
     .summary = "Executes a server-side Lua script.",
     .complexity = COMPLEXITY,
     .arguments = EVAL_ARGUMENTS},
    {.name = "evalsha",
     .run = evalsha,
     .arity = -3,
     .group = GROUP_SCRIPTING,
     .flags_of = sha_flags,
     .flags = EVAL_FLAGS,
     .categories = CATEGORY_SCRIPTING,
     .keys = EVAL_KEYS(KEY_RW | KEY_ACCESS | KEY_UPDATE),
     .since = "2.6.0",
     .summary = "Executes a server-side Lua script by SHA1 digest.",
     .complexity = COMPLEXITY,
     .arguments = SHA_ARGUMENTS},
    {.name = "eval_ro",
     .run = eval_ro,
     .arity = -3,
     .group = GROUP_SCRIPTING,
     .flags_of = text_flags,
     .flags = EVAL_RO_FLAGS,
     .categories = CATEGORY_SCRIPTING,
     .keys = EVAL_KEYS(KEY_RO | KEY_ACCESS),
     .since = "7.0.0",
     .summary = "Executes a read-only server-side Lua script.",
     .complexity = COMPLEXITY,
     .arguments = EVAL_ARGUMENTS},
    {.name = "evalsha_ro",
     .run = evalsha_ro,
     .arity = -3,
     .group = GROUP_SCRIPTING,
     .flags_of = sha_flags,
     .flags = EVAL_RO_FLAGS,
     .categories = CATEGORY_SCRIPTING,
     .keys = EVAL_KEYS(KEY_RO | KEY_ACCESS),
     .since = "7.0.0",
     .summary = "Executes a read-only server-side Lua script by SHA1 digest.",
     .complexity = COMPLEXITY,
     .arguments = SHA_ARGUMENTS},
    {.name = "script",
     .arity = -2,
     .group = GROUP_SCRIPTING,
     .since = "2.6.0",
     .summary = "A container for Lua scripts management commands.",
     .complexity = "Depends on subcommand.",
     .subcommands = script_subcommands},
    {.name = NULL},
};
