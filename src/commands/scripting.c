/* How scripts run commands, and what stands between.
 *
 * Commands of a script run as a session of their own without a connection: SELECT in there does not reach the caller, nothing blocks, and
 * monitors see who it is. Its user and database are the caller's while the script runs. Hot path: run_command. */
#include "commands/scripting.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/num.h"
#include "commands/acl_check.h"
#include "commands/dispatch.h"
#include "commands/eviction.h"
#include "commands/monitor.h"
#include "commands/script_cache.h"
#include "commands/scripting_inside.h"

/* ---- commands of scripts */

static void refuse(struct script_run *run, struct command_entry *e, const char *text) {
    struct job_context *x = run->context;
    reply_error(&run->reply, text);
    registry_count_error(x->scripting->host->commands, run->reply.error_code);
    if (e) e->stats.rejected_count++;
}

static bool arity_fits(const struct command *c, uint32_t argc) {
    return c->arity >= 0 ? argc == (uint32_t)c->arity : argc >= (uint32_t)-c->arity;
}

static struct command_entry *look_up(const struct host *host, const struct span *argv,
                                     uint32_t argc) {
    struct command_entry *e = registry_find(host->commands, argv[0]);
    if (UNLIKELY(e && e->subcommands) && argc > 1) return registry_find_subcommand(e, argv[1]);
    return e;
}

static bool refuse_user(struct script_run *run, struct command_entry *e, const struct span *argv,
                        uint32_t argc) {
    struct job_context *x = run->context;
    struct host *host = x->scripting->host;
    struct acl_request request = {e, argv, argc};
    struct acl_refusal refusal;
    struct buf text = {0};
    if (acl_session_may(host, x->call->session, &request, ACL_CONTEXT_SCRIPT, &refusal))
        return false;
    buf_put_text(&text, "ERR ACL failure in script: ");
    acl_refusal_text(acl_session_user(host, x->call->session), &request, &refusal, false, &text);
    refuse(run, e, buf_terminate(&text));
    buf_release(&text);
    return true;
}

/* As Redis: what grows is refused over the limit unless the script has written before; half a script is worse. */
static bool refuse_memory(const struct script_run *run, const struct command *c) {
    const struct job_context *x = run->context;
    return x->over_memory && !run->allow_oom && !run->wrote && c->flags & COMMAND_DENYOOM;
}

/* True after the error was written. */
static bool refuse_command(struct script_run *run, struct command_entry *e, const struct span *argv,
                           uint32_t argc) {
    if (UNLIKELY(!e)) {
        refuse(run, e, "ERR Unknown command called from script");
        return true;
    }
    const struct command *c = e->command;
    if (UNLIKELY(!arity_fits(c, argc) || !c->run)) {
        refuse(run, e, "ERR Wrong number of args calling command from script");
    } else if (UNLIKELY(c->flags & COMMAND_NOSCRIPT)) {
        refuse(run, e, "ERR This Redis command is not allowed from script");
    } else if (UNLIKELY(refuse_user(run, e, argv, argc))) {
        return true;
    } else if (UNLIKELY(run->read_only) && c->flags & COMMAND_WRITE) {
        refuse(run, e, "ERR Write commands are not allowed from read-only scripts.");
    } else if (UNLIKELY(refuse_memory(run, c))) {
        refuse(run, e, "OOM command not allowed when used memory > 'maxmemory'.");
    } else {
        return false;
    }
    return true;
}

static void run_command(struct script_run *run, const struct span *argv, uint32_t argc) {
    struct job_context *x = run->context;
    struct session *s = x->scripting->session;
    struct host *host = x->scripting->host;
    struct command_entry *e = look_up(host, argv, argc);
    if (UNLIKELY(refuse_command(run, e, argv, argc))) return;
    struct request request = {.argv = argv, .argc = argc};
    struct call call = {
        .session = s,
        .host = host,
        .db = s->db,
        .reply = &run->reply,
        .argv = argv,
        .argc = argc,
        .request = &request,
        .flags = CALL_DENY_BLOCKING,
    };
    int16_t key_at = e->command->keys[0].index;
    if (key_at > 0 && (uint32_t)key_at < argc)
        call.key_hash = hash_bytes(argv[key_at].data, argv[key_at].len);
    if (e->command->flags & COMMAND_WRITE) run->wrote = true;
    host->dispatch.ticks = clock_ticks();
    dispatch_call(host, &call, e);
}

static enum script_acl check_acl(struct script_run *run, const struct span *argv, uint32_t argc) {
    struct job_context *x = run->context;
    struct host *host = x->scripting->host;
    struct command_entry *e = look_up(host, argv, argc);
    if (!e) return SCRIPT_ACL_NO_COMMAND;
    struct acl_request request = {e, argv, argc};
    struct acl_refusal refusal;
    bool may = acl_user_may(host, acl_session_user(host, x->call->session), &request, &refusal);
    return may ? SCRIPT_ACL_ALLOWED : SCRIPT_ACL_DENIED;
}

static void log_text(struct script_run *run, enum script_log_level level, struct span text) {
    int len = (int)MIN(text.len, (size_t)1024);
    switch (level) {
    case SCRIPT_LOG_DEBUG: log_debug("%.*s", len, text.data); break;
    case SCRIPT_LOG_VERBOSE: log_verbose("%.*s", len, text.data); break;
    case SCRIPT_LOG_NOTICE: log_notice("%.*s", len, text.data); break;
    case SCRIPT_LOG_WARNING: log_warning("%.*s", len, text.data); break;
    }
}

/* ---- jobs */

void scripting_show_call(struct call *call) {
    if (UNLIKELY(call->host->sessions->monitor_count))
        monitor_feed(call->host, call->session, call->argv, call->argc);
}

uint32_t scripting_command_flags(const struct command *command, uint32_t flags) {
    uint32_t told = COMMAND_WRITE | COMMAND_DENYOOM | COMMAND_STALE | COMMAND_MAY_REPLICATE;
    if (flags & SCRIPT_COMPAT) return command->flags;
    uint32_t result = command->flags & ~told;
    if (!(flags & SCRIPT_NO_WRITES)) result |= COMMAND_WRITE;
    if (!(flags & (SCRIPT_NO_WRITES | SCRIPT_ALLOW_OOM))) result |= COMMAND_DENYOOM;
    if (flags & SCRIPT_ALLOW_STALE) result |= COMMAND_STALE;
    return result;
}

bool scripting_key_count(struct call *call, const char *not_a_number, uint32_t *count) {
    int64_t number;
    if (not_a_number && !num_parse_int(call->argv[2], &number)) {
        reply_error(call->reply, not_a_number);
        return false;
    }
    if (!call_int(call, 2, &number)) return false;
    if (number > (int64_t)call->argc - 3) {
        reply_error(call->reply, "ERR Number of keys can't be greater than number of args");
        return false;
    }
    if (number < 0) {
        reply_error(call->reply, "ERR Number of keys can't be negative");
        return false;
    }
    *count = (uint32_t)number;
    return true;
}

/* What the flags say before the first instruction. False after the error was written. */
static bool flags_fit(struct call *call, const struct scripting_job *job, bool over_memory) {
    if (job->flags & (SCRIPT_COMPAT | SCRIPT_NO_WRITES)) return true;
    if (over_memory && !(job->flags & SCRIPT_ALLOW_OOM)) {
        reply_error(call->reply, "OOM allow-oom flag is not set on the script, can not run it when "
                                 "used memory > 'maxmemory'");
        return false;
    }
    if (job->read_only) {
        reply_error(call->reply,
                    "ERR Can not execute a script with write flag using *_ro command.");
        return false;
    }
    return true;
}

static void run_as(struct scripting *scripting, struct script_run *run, const struct call *call) {
    struct session *s = scripting->session, *caller = call->session;
    struct host *host = scripting->host;
    uint32_t borrowed = SESSION_NO_TOUCH | SESSION_RESTRICTED;
    uint64_t began = host->dispatch.ticks;
    s->db = call->db;
    s->user = caller->user;
    s->flags = (s->flags & ~borrowed) | (caller->flags & borrowed);
    run->began_ticks = clock_ticks();
    host->dispatch.script_caller = caller;
    scripting->running = run;
    script_execute(run);
    scripting->running = NULL;
    host->dispatch.script_caller = NULL;
    host->dispatch.busy = false;
    host->dispatch.ticks = began; /* the script's time is all of it */
    s->user = NULL;
}

void scripting_run(struct call *call, const struct scripting_job *job) {
    struct scripting *scripting = call->host->scripting;
    uint32_t key_count;
    const char *not_a_number = job->as_arguments ? "ERR Bad number of keys provided" : NULL;
    if (!scripting_key_count(call, not_a_number, &key_count)) return;
    bool over = eviction_over_limit(call->host) && !eviction_make_room(call->host);
    if (!flags_fit(call, job, over)) return;
    bool compat = job->flags & SCRIPT_COMPAT;
    struct job_context context = {
        .scripting = scripting,
        .call = call,
        .over_memory = over,
        .function = job->as_arguments,
    };
    struct script_run run = {
        .engine = job->engine ? job->engine : scripting->engine,
        .function = job->function,
        .keys = call->argv + 3,
        .key_count = key_count,
        .args = call->argv + 3 + key_count,
        .arg_count = call->argc - 3 - key_count,
        .as_arguments = job->as_arguments,
        .read_only = job->read_only || (job->flags & SCRIPT_NO_WRITES),
        .allow_oom = !compat && (job->flags & (SCRIPT_ALLOW_OOM | SCRIPT_NO_WRITES)),
        .name = job->name,
        .out = call->reply,
        .context = &context,
    };
    run_as(scripting, &run, call);
}

/* ---- making and counting */

static const struct script_callbacks callbacks = {
    .command = run_command,
    .acl_check = check_acl,
    .log = log_text,
    .interrupt = scripting_on_interrupt,
};

static struct script_engine *new_engine(struct host *host) {
    struct script_options options = {
        .callbacks = &callbacks,
        .chunks = &host->sessions->chunks,
        .redis_version = host->redis_version,
        .version = host->version,
        .memory_bytes_max = (size_t)host->settings->script_memory_bytes_max,
    };
    return script_engine_new(&options);
}

struct scripting *scripting_new(struct host *host) {
    struct scripting *s = mem_zalloc(sizeof *s);
    s->host = host;
    s->engine = new_engine(host);
    library_set_init(&s->functions, NULL);
    if (s->engine) {
        s->cache = script_cache_new(s->engine, SCRIPTING_EVAL_SCRIPTS_MAX);
        s->session = session_new(host->sessions, NULL);
    }
    return s;
}

void scripting_free(struct scripting *s) {
    if (!s) return;
    if (s->engine) {
        scripting_drop_functions(s->host);
        script_cache_free(s->cache);
        session_free(s->session);
        script_engine_free(s->engine);
    }
    mem_free(s);
}

void scripting_set_memory_max(struct host *host, size_t bytes) {
    struct scripting *s = host->scripting;
    script_set_memory_max(s->engine, bytes);
    script_set_memory_max(s->functions.engine, bytes);
}

struct script_cache *scripting_cache(const struct host *host) {
    return host->scripting->cache;
}

bool scripting_available(struct call *call) {
    if (LIKELY(call->host->scripting && call->host->scripting->engine)) return true;
    reply_error(call->reply, "ERR scripts are not available: the server was built without Lua");
    return false;
}

void scripting_drop_scripts(struct host *host) {
    struct scripting *s = host->scripting;
    struct script_engine *engine = new_engine(host);
    script_cache_clear(s->cache);
    if (!engine) return; /* no memory for one: the old one serves on */
    script_cache_set_engine(s->cache, engine);
    script_engine_free(s->engine);
    s->engine = engine;
}

struct library_set *scripting_functions(const struct host *host) {
    return &host->scripting->functions;
}

struct script_engine *scripting_functions_engine(struct call *call) {
    struct library_set *functions = &call->host->scripting->functions;
    if (!functions->engine) functions->engine = new_engine(call->host);
    if (!functions->engine) reply_error(call->reply, ERROR_MEMORY_TEXT);
    return functions->engine;
}

void scripting_drop_functions(struct host *host) {
    struct library_set *functions = &host->scripting->functions;
    struct script_engine *engine = functions->engine;
    library_set_release(functions);
    script_engine_free(engine);
    library_set_init(functions, NULL);
}

struct scripting_counts scripting_counts(const struct host *host) {
    const struct scripting *s = host->scripting;
    if (!s || !s->engine) return (struct scripting_counts){0};
    return (struct scripting_counts){
        .vm_bytes = script_memory_bytes(s->engine),
        .cache_bytes = script_cache_bytes(s->cache),
        .script_count = script_cache_count(s->cache),
        .evicted_count = script_cache_evicted(s->cache),
        .functions_vm_bytes = script_memory_bytes(s->functions.engine),
        .functions_bytes = library_set_bytes(&s->functions),
        .function_count = s->functions.functions.count,
        .library_count = s->functions.libraries.count,
    };
}
