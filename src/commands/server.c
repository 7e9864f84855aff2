/* The server family's table, and the handlers that ask the assembly or need few lines. */
#include "base/clock.h"
#include "base/log.h"
#include "commands/families.h"
#include "commands/host.h"

static void info(struct call *call) {
    struct host *host = call->host;
    struct buf text = {0};
    host->info(host->server, call->argv + 1, call->argc - 1, &text);
    reply_verbatim(call->reply, "txt", buf_span(&text));
    buf_release(&text);
}

/* Seconds and microseconds, each in words. */
static void time_now(struct call *call) {
    int64_t us = clock_real_us();
    reply_array(call->reply, 2);
    reply_bulk_int(call->reply, us / 1000000);
    reply_bulk_int(call->reply, us % 1000000);
}

static void role(struct call *call) {
    reply_array(call->reply, 3);
    reply_bulk_text(call->reply, "master");
    reply_int(call->reply, 0);
    reply_array(call->reply, 0);
}

/* ---- SHUTDOWN */

struct shutdown {
    bool save, no_save, now, force, safe, failover, abort;
};

static bool shutdown_parse(struct call *call, struct shutdown *asked) {
    const struct {
        const char *name;
        bool *flag;
    } options[] = {
        {"nosave", &asked->no_save}, {"save", &asked->save},         {"now", &asked->now},
        {"force", &asked->force},    {"failover", &asked->failover}, {"safe", &asked->safe},
        {"abort", &asked->abort},
    };
    *asked = (struct shutdown){0};
    for (uint32_t i = 1; i < call->argc; i++) {
        size_t at = 0;
        while (at < ARRAY_LENGTH(options) && !call_is(call, i, options[at].name)) at++;
        if (at == ARRAY_LENGTH(options)) return false;
        *options[at].flag = true;
    }
    bool other = asked->no_save || asked->save || asked->now || asked->force || asked->safe ||
                 asked->failover;
    return !(asked->abort && other) && !(asked->save && asked->no_save);
}

/* There is nothing to save to: who insists on saving is told so before anything is lost. Otherwise no answer but the end. */
static void shut_down(struct call *call) {
    struct host *host = call->host;
    struct shutdown asked;
    if (!shutdown_parse(call, &asked)) {
        call_syntax_error(call);
        return;
    }
    if (asked.failover) {
        reply_error(call->reply, "ERR SHUTDOWN FAILOVER is only supported in cluster mode.");
        return;
    }
    if (asked.save && !asked.force) {
        log_warning("SHUTDOWN SAVE refused: this server keeps its data in memory only");
        reply_error(call->reply, "ERR Errors trying to SHUTDOWN. Check logs.");
        return;
    }
    if (call->flags & CALL_DENY_BLOCKING && !asked.now && !asked.abort) {
        reply_error(call->reply,
                    "ERR SHUTDOWN without NOW or ABORT isn't allowed for DENY BLOCKING client");
        return;
    }
    host->shutdown(host->server, call->reply, asked.now, asked.force, asked.abort);
}

/* ---- CONFIG */

static void config_get(struct call *call) {
    struct host *host = call->host;
    host->config_get(host->server, call->reply, call->argv + 2, call->argc - 2);
}

static void config_set(struct call *call) {
    struct host *host = call->host;
    if (call->argc % 2) {
        call_syntax_error(call);
        return;
    }
    host->config_set(host->server, call->reply, call->argv + 2, call->argc - 2);
}

static void config_reset_stats(struct call *call) {
    call->host->config_reset_stats(call->host->server);
    reply_ok(call->reply);
}

static void config_rewrite(struct call *call) {
    call->host->config_rewrite(call->host->server, call->reply);
}

static void config_help(struct call *call) {
    static const char *const lines[] = {
        "GET <pattern>",
        "    Return parameters matching the glob-like <pattern> and their values.",
        "SET <directive> <value>",
        "    Set the configuration <directive> to <value>.",
        "RESETSTAT",
        "    Reset statistics reported by the INFO command.",
        "REWRITE",
        "    Rewrite the configuration file.",
        NULL,
    };
    call_help(call, lines);
}

const struct command config_subcommands[] = {
    {.name = "get",
     .run = config_get,
     .arity = -3,
     .group = GROUP_SERVER,
     .flags = COMMAND_ADMIN | COMMAND_NOSCRIPT | COMMAND_LOADING | COMMAND_STALE,
     .since = "2.0.0",
     .summary = "Returns the effective values of configuration parameters.",
     .complexity = "O(N) when N is the number of configuration parameters provided",
     .arguments = "parameter:string..."},
    {.name = "help",
     .run = config_help,
     .arity = 2,
     .group = GROUP_SERVER,
     .flags = COMMAND_LOADING | COMMAND_STALE,
     .since = "5.0.0",
     .summary = "Returns helpful text about the different subcommands.",
     .complexity = "O(1)"},
    {.name = "resetstat",
     .run = config_reset_stats,
     .arity = 2,
     .group = GROUP_SERVER,
     .flags = COMMAND_ADMIN | COMMAND_NOSCRIPT | COMMAND_LOADING | COMMAND_STALE,
     .since = "2.0.0",
     .summary = "Resets the server's statistics.",
     .complexity = "O(1)",
     .tips =
         (const char *const[]){"request_policy:all_nodes", "response_policy:all_succeeded", NULL}},
    {.name = "rewrite",
     .run = config_rewrite,
     .arity = 2,
     .group = GROUP_SERVER,
     .flags = COMMAND_ADMIN | COMMAND_NOSCRIPT | COMMAND_LOADING | COMMAND_STALE,
     .since = "2.8.0",
     .summary = "Persists the effective configuration to file.",
     .complexity = "O(1)",
     .tips =
         (const char *const[]){"request_policy:all_nodes", "response_policy:all_succeeded", NULL}},
    {.name = "set",
     .run = config_set,
     .arity = -4,
     .group = GROUP_SERVER,
     .flags = COMMAND_ADMIN | COMMAND_NOSCRIPT | COMMAND_LOADING | COMMAND_STALE,
     .since = "2.0.0",
     .summary = "Sets configuration parameters in-flight.",
     .complexity = "O(N) when N is the number of configuration parameters provided",
     .arguments = "data:(parameter:string value:string)...",
     .tips =
         (const char *const[]){"request_policy:all_nodes", "response_policy:all_succeeded", NULL}},
    {.name = NULL},
};

const struct command commands_server[] = {
    {.name = "acl",
     .arity = -2,
     .group = GROUP_SERVER,
     .since = "6.0.0",
     .summary = "A container for Access List Control commands.",
     .complexity = "Depends on subcommand.",
     .subcommands = acl_subcommands},
    {.name = "command",
     .run = command_all,
     .arity = -1,
     .group = GROUP_SERVER,
     .flags = COMMAND_LOADING | COMMAND_STALE,
     .categories = CATEGORY_CONNECTION,
     .since = "2.8.13",
     .summary = "Returns detailed information about all commands.",
     .complexity = "O(N) where N is the total number of commands",
     .subcommands = command_subcommands,
     .tips = (const char *const[]){"nondeterministic_output_order", NULL}},
    {.name = "config",
     .arity = -2,
     .group = GROUP_SERVER,
     .since = "2.0.0",
     .summary = "A container for server configuration commands.",
     .complexity = "Depends on subcommand.",
     .subcommands = config_subcommands},
    {.name = "debug",
     .run = debug_run,
     .arity = -2,
     .group = GROUP_SERVER,
     .flags = COMMAND_ADMIN | COMMAND_NOSCRIPT | COMMAND_LOADING | COMMAND_STALE |
              COMMAND_PROTECTED | COMMAND_SYSTEM,
     .since = "1.0.0",
     .summary = "A container for debugging commands.",
     .complexity = "Depends on subcommand."},
    {.name = "info",
     .run = info,
     .arity = -1,
     .group = GROUP_SERVER,
     .flags = COMMAND_LOADING | COMMAND_STALE,
     .categories = CATEGORY_DANGEROUS,
     .since = "1.0.0",
     .summary = "Returns information and statistics about the server.",
     .complexity = "O(1)",
     .arguments = "[section:string...]",
     .tips = (const char *const[]){"nondeterministic_output", "request_policy:all_shards",
                                   "response_policy:special", NULL}},
    {.name = "latency",
     .arity = -2,
     .group = GROUP_SERVER,
     .since = "2.8.13",
     .summary = "A container for latency diagnostics commands.",
     .complexity = "Depends on subcommand.",
     .subcommands = latency_subcommands},
    {.name = "lolwut",
     .run = lolwut_run,
     .arity = -1,
     .group = GROUP_SERVER,
     .flags = COMMAND_READONLY | COMMAND_FAST,
     .since = "5.0.0",
     .summary = "Displays computer art and the server version.",
     .arguments = "[VERSION version:integer]"},
    {.name = "memory",
     .arity = -2,
     .group = GROUP_SERVER,
     .since = "4.0.0",
     .summary = "A container for memory diagnostics commands.",
     .complexity = "Depends on subcommand.",
     .subcommands = memory_subcommands},
    {.name = "monitor",
     .run = monitor_run,
     .arity = 1,
     .group = GROUP_SERVER,
     .flags = COMMAND_ADMIN | COMMAND_NOSCRIPT | COMMAND_LOADING | COMMAND_STALE,
     .since = "1.0.0",
     .summary = "Listens for all requests received by the server in real-time."},
    {.name = "role",
     .run = role,
     .arity = 1,
     .group = GROUP_SERVER,
     .flags = COMMAND_NOSCRIPT | COMMAND_LOADING | COMMAND_STALE | COMMAND_FAST,
     .categories = CATEGORY_ADMIN | CATEGORY_DANGEROUS,
     .since = "2.8.12",
     .summary = "Returns the replication role.",
     .complexity = "O(1)"},
    {.name = "shutdown",
     .run = shut_down,
     .arity = -1,
     .group = GROUP_SERVER,
     .flags = COMMAND_ADMIN | COMMAND_NOSCRIPT | COMMAND_LOADING | COMMAND_STALE |
              COMMAND_NO_MULTI | COMMAND_ALLOW_BUSY,
     .since = "1.0.0",
     .summary = "Synchronously saves the database(s) to disk and shuts down the server.",
     .complexity =
         "O(N) when saving, where N is the total number of keys in all databases when saving data,"
         " otherwise O(1)",
     .arguments =
         "[abort-selector:(save-selector-block:([save-selector:(NOSAVE | SAVE)] [NOW@7.0.0] "
         "[FORCE@7.0.0] [SAFE@9.0.0] [FAILOVER@9.0.0]) | ABORT@7.0.0)]"},
    {.name = "slowlog",
     .arity = -2,
     .group = GROUP_SERVER,
     .since = "2.2.12",
     .summary = "A container for slow log commands.",
     .complexity = "Depends on subcommand.",
     .subcommands = slowlog_subcommands},
    {.name = "time",
     .run = time_now,
     .arity = 1,
     .group = GROUP_SERVER,
     .flags = COMMAND_LOADING | COMMAND_STALE | COMMAND_FAST,
     .since = "2.6.0",
     .summary = "Returns the server time.",
     .complexity = "O(1)",
     .tips = (const char *const[]){"nondeterministic_output", NULL}},
    {.name = NULL},
};
