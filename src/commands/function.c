/* FUNCTION and FCALL: https://redis.io/docs/latest/develop/programmability/functions-intro/ */
#include "commands/function.h"
#include "base/glob.h"
#include "commands/scripting.h"

/* ---- FCALL */

static void call_function(struct call *call, bool read_only) {
    scripting_show_call(call);
    if (!scripting_available(call)) return;
    const struct library_set *set = scripting_functions(call->host);
    const struct function *function = library_find_function(set, call->argv[1]);
    if (!function) {
        reply_error(call->reply, "ERR Function not found");
        return;
    }
    struct scripting_job job = {
        .engine = set->engine,
        .function = function->code,
        .name = function->name,
        .flags = function->flags,
        .read_only = read_only,
        .as_arguments = true,
    };
    scripting_run(call, &job);
}

void function_fcall(struct call *call) {
    call_function(call, false);
}

void function_fcall_ro(struct call *call) {
    call_function(call, true);
}

uint32_t function_flags(const struct host *host, const struct command *command,
                        const struct span *argv, uint32_t argc) {
    const struct function *function =
        host->scripting ? library_find_function(scripting_functions(host), argv[1]) : NULL;
    return function ? scripting_command_flags(command, function->flags) : command->flags;
}

/* ---- LOAD, DELETE, FLUSH */

static void reply_failure(struct call *call, const char *error) {
    reply_errorf(call->reply, "ERR %s", error);
}

/* The text is loaded beside the current libraries: what they had stays when something about it is wrong. */
static int load_text(struct library_set *set, struct span name, struct span text, bool replace,
                     char *error, size_t size) {
    struct library_set staged;
    library_set_init(&staged, set->engine);
    int rc = library_load(&staged, name, text, error, size);
    if (rc == 0) rc = library_join(set, &staged, replace, error, size);
    library_set_release(&staged);
    return rc;
}

static void load_named(struct call *call, struct span name, bool replace) {
    struct library_set *set = scripting_functions(call->host);
    char error[LIBRARY_ERROR_BYTES];
    if (!replace && library_find(set, name)) {
        reply_errorf(call->reply, "ERR Library '%.*s' already exists",
                     (int)MIN(name.len, sizeof error), name.data);
    } else if (!scripting_functions_engine(call)) {
        return;
    } else if (load_text(set, name, call->argv[call->argc - 1], replace, error, sizeof error) < 0) {
        reply_failure(call, error);
    } else {
        reply_bulk(call->reply, name);
    }
}

void function_load(struct call *call) {
    char error[LIBRARY_ERROR_BYTES];
    struct buf name = {0};
    bool replace = false;
    if (!scripting_available(call)) return;
    for (uint32_t i = 2; i + 1 < call->argc; i++) {
        if (!call_is(call, i, "replace")) {
            reply_errorf(call->reply, "ERR Unknown option given: %.*s",
                         (int)MIN(call->argv[i].len, sizeof error), call->argv[i].data);
            return;
        }
        replace = true;
    }
    if (library_read_name(call->argv[call->argc - 1], &name, error, sizeof error) == 0) {
        load_named(call, buf_span(&name), replace);
    } else {
        reply_failure(call, error);
    }
    buf_release(&name);
}

void function_delete(struct call *call) {
    if (!scripting_available(call)) return;
    struct library_set *set = scripting_functions(call->host);
    struct function_library *library = library_find(set, call->argv[2]);
    if (!library) {
        reply_error(call->reply, "ERR Library not found");
        return;
    }
    library_delete(set, library);
    script_collect(set->engine);
    reply_ok(call->reply);
}

void function_flush(struct call *call) {
    if (call->argc > 3) {
        call_subcommand_error(call);
    } else if (call->argc == 3 && !call_is(call, 2, "sync") && !call_is(call, 2, "async")) {
        reply_error(call->reply, "ERR FUNCTION FLUSH only supports SYNC|ASYNC option");
    } else if (scripting_available(call)) {
        scripting_drop_functions(call->host);
        reply_ok(call->reply);
    }
}

/* ---- LIST */

struct list_options {
    struct span pattern; /* data is NULL: all */
    bool with_code;
};

static bool parse_list(struct call *call, struct list_options *options) {
    for (uint32_t i = 2; i < call->argc; i++) {
        if (!options->with_code && call_is(call, i, "withcode")) {
            options->with_code = true;
        } else if (!options->pattern.data && call_is(call, i, "libraryname")) {
            if (++i == call->argc) {
                reply_error(call->reply, "ERR library name argument was not given");
                return false;
            }
            options->pattern = call->argv[i];
        } else {
            reply_errorf(call->reply, "ERR Unknown argument %.*s",
                         (int)MIN(call->argv[i].len, (size_t)1024), call->argv[i].data);
            return false;
        }
    }
    return true;
}

static void put_flags(struct reply *reply, uint32_t flags) {
    uint32_t flag;
    const char *name;
    reply_set(reply, (uint64_t)__builtin_popcount(flags));
    for (uint32_t i = 0; (name = script_flag_at(i, &flag)); i++) {
        if (flags & flag) reply_status(reply, name);
    }
}

static void put_function(struct reply *reply, const struct function *function) {
    reply_map(reply, 3);
    reply_bulk_text(reply, "name");
    reply_bulk(reply, function->name);
    reply_bulk_text(reply, "description");
    if (function->description.data) {
        reply_bulk(reply, function->description);
    } else {
        reply_null(reply);
    }
    reply_bulk_text(reply, "flags");
    put_flags(reply, function->flags);
}

static void put_library(struct reply *reply, const struct function_library *library,
                        bool with_code) {
    reply_map(reply, with_code ? 4 : 3);
    reply_bulk_text(reply, "library_name");
    reply_bulk(reply, library->name);
    reply_bulk_text(reply, "engine");
    reply_bulk_text(reply, "LUA");
    reply_bulk_text(reply, "functions");
    reply_array(reply, library->function_count);
    LIST_FOR_EACH(it, &library->functions)
    put_function(reply, LIST_ENTRY(it, struct function, link));
    if (!with_code) return;
    reply_bulk_text(reply, "library_code");
    reply_bulk(reply, library->code);
}

void function_list(struct call *call) {
    struct list_options options = {0};
    if (!parse_list(call, &options) || !scripting_available(call)) return;
    struct chunk *mark = reply_mark(call->reply);
    uint64_t count = 0;
    LIST_FOR_EACH(it, &scripting_functions(call->host)->order) {
        const struct function_library *library = LIST_ENTRY(it, struct function_library, link);
        if (options.pattern.data && !glob_match(options.pattern, library->name, true)) continue;
        put_library(call->reply, library, options.with_code);
        count++;
    }
    reply_fill_array(call->reply, mark, count);
}

/* ---- STATS, KILL */

static void put_running(struct reply *reply, const struct scripting_running *running) {
    reply_map(reply, 3);
    reply_bulk_text(reply, "name");
    reply_bulk(reply, running->name);
    reply_bulk_text(reply, "command");
    reply_array(reply, running->argc);
    for (uint32_t i = 0; i < running->argc; i++) reply_bulk(reply, running->argv[i]);
    reply_bulk_text(reply, "duration_ms");
    reply_int(reply, (int64_t)running->duration_ms);
}

void function_stats(struct call *call) {
    struct scripting_running running;
    if (!scripting_available(call)) return;
    if (scripting_runs_script(call->host)) {
        scripting_refuse_busy(call->host, call->session, NULL);
        return;
    }
    const struct library_set *set = scripting_functions(call->host);
    reply_map(call->reply, 2);
    reply_bulk_text(call->reply, "running_script");
    if (scripting_running_function(call->host, &running)) {
        put_running(call->reply, &running);
    } else {
        reply_null(call->reply);
    }
    reply_bulk_text(call->reply, "engines");
    reply_map(call->reply, 1);
    reply_bulk_text(call->reply, "LUA");
    reply_map(call->reply, 2);
    reply_bulk_text(call->reply, "libraries_count");
    reply_int(call->reply, (int64_t)set->libraries.count);
    reply_bulk_text(call->reply, "functions_count");
    reply_int(call->reply, (int64_t)set->functions.count);
}

void function_kill(struct call *call) {
    if (scripting_available(call)) scripting_kill(call, true);
}
