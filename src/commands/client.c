/* The CLIENT family: what clients are told about themselves and each other, and what they may do to each other. */
#include "base/alloc.h"
#include "base/clock.h"
#include "commands/acl_check.h"
#include "commands/client_filter.h"
#include "commands/families.h"
#include "commands/host.h"

/* ---- names */

static bool is_printable(struct span text) {
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] < '!' || text.data[i] > '~') return false;
    }
    return true;
}

/* Empty: no text. False after the error was written: the old one stays. */
static bool set_text(struct call *call, char **text, struct span value) {
    char *copy = NULL;
    if (value.len) {
        copy = mem_try_alloc(value.len + 1);
        if (!copy) {
            reply_error(call->reply, ERROR_MEMORY_TEXT);
            return false;
        }
        memcpy(copy, value.data, value.len);
        copy[value.len] = 0;
    }
    mem_free(*text);
    *text = copy;
    return true;
}

/* Spaces would break the fields of CLIENT LIST apart. */
bool client_check_name(struct call *call, struct span name) {
    if (is_printable(name)) return true;
    reply_error(call->reply,
                "ERR Client names cannot contain spaces, newlines or special characters.");
    return false;
}

bool client_set_name(struct call *call, struct span name) {
    return set_text(call, &call->session->name, name);
}

static void setname(struct call *call) {
    if (!client_check_name(call, call->argv[2])) return;
    if (client_set_name(call, call->argv[2])) reply_ok(call->reply);
}

static void getname(struct call *call) {
    if (call->session->name) {
        reply_bulk_text(call->reply, call->session->name);
    } else {
        reply_null(call->reply);
    }
}

static void setinfo(struct call *call) {
    struct span name = call->argv[2];
    char **text = NULL;
    if (call_is(call, 2, "lib-name")) text = &call->session->lib_name;
    if (call_is(call, 2, "lib-ver")) text = &call->session->lib_version;
    if (!text) {
        reply_errorf(call->reply, "ERR Unrecognized option '%.*s'", (int)MIN(name.len, (size_t)128),
                     name.data);
        return;
    }
    if (!is_printable(call->argv[3])) {
        reply_errorf(call->reply, "ERR %.*s cannot contain spaces, newlines or special characters.",
                     (int)name.len, name.data);
        return;
    }
    if (set_text(call, text, call->argv[3])) reply_ok(call->reply);
}

/* What a client says it can do. Redirection never happens here, so it is only remembered. */
static void capa(struct call *call) {
    for (uint32_t i = 2; i < call->argc; i++) {
        if (call_is(call, i, "redirect")) call->session->flags |= SESSION_CAPA_REDIRECT;
    }
    reply_ok(call->reply);
}

/* ---- showing */

static void id(struct call *call) {
    reply_int(call->reply, (int64_t)call->session->id);
}

static void info(struct call *call) {
    struct buf line = {0};
    session_describe(call->session, &line);
    buf_put_char(&line, '\n');
    reply_verbatim(call->reply, "txt", buf_span(&line));
    buf_release(&line);
}

static void list(struct call *call) {
    struct buf lines = {0};
    struct client_filter filter;
    client_filter_init(&filter);
    if (call->argc == 3) {
        call_syntax_error(call);
        return;
    }
    if (!client_filter_parse(call, 2, &filter)) return;
    LIST_FOR_EACH(it, &call->host->sessions->all) {
        const struct session *s = LIST_ENTRY(it, struct session, link);
        if (!client_filter_matches(&filter, s, call->session)) continue;
        session_describe(s, &lines);
        buf_put_char(&lines, '\n');
    }
    reply_verbatim(call->reply, "txt", buf_span(&lines));
    buf_release(&lines);
}

/* ---- ending others */

void client_kill(struct session *s) {
    session_close(s);
    session_unblock(s, SESSION_UNBLOCK_CLOSED);
}

static void kill_reply(struct call *call, int64_t count) {
    if (call->argc > 3) {
        reply_int(call->reply, count);
    } else if (count == 0) {
        reply_error(call->reply, "ERR No such client");
    } else {
        reply_ok(call->reply);
    }
}

/* CLIENT KILL addr, or the filters of CLIENT LIST. */
static void kill_clients(struct call *call) {
    struct client_filter filter;
    struct session *me = call->session;
    int64_t count = 0;
    bool kill_me = false;
    client_filter_init(&filter);
    filter.skip_me = call->argc > 3; /* the old form may end oneself */
    if (call->argc == 3) {
        filter.conditions[0].text[CLIENT_FILTER_ADDR] = call->argv[2];
    } else if (!client_filter_parse(call, 2, &filter)) {
        return;
    }
    LIST_FOR_EACH(it, &call->host->sessions->all) {
        struct session *s = LIST_ENTRY(it, struct session, link);
        if (!client_filter_matches(&filter, s, me)) continue;
        count++;
        if (s == me) {
            kill_me = true;
        } else {
            client_kill(s);
        }
    }
    kill_reply(call, count);
    if (kill_me) session_close_after_reply(me);
}

static void unblock(struct call *call) {
    enum session_unblock_reason reason = SESSION_UNBLOCK_TIMEOUT;
    int64_t number;
    if (call_is(call, 3, "error")) {
        reason = SESSION_UNBLOCK_ERROR;
    } else if (call->argc == 4 && !call_is(call, 3, "timeout")) {
        reply_error(call->reply, "ERR CLIENT UNBLOCK reason should be TIMEOUT or ERROR");
        return;
    }
    if (!call_int(call, 2, &number)) return;
    struct session *s = session_by_id(call->host->sessions, (uint64_t)number);
    bool blocked = s && s->unblock;
    if (blocked) session_unblock(s, reason);
    reply_int(call->reply, blocked);
}

/* ---- holding all of them */

static void pause_clients(struct call *call) {
    struct sessions *all = call->host->sessions;
    int64_t now_ms = clock_mono_ms(), timeout_ms;
    bool writes_only = call_is(call, 3, "write");
    if (call->argc == 4 && !writes_only && !call_is(call, 3, "all")) {
        reply_error(call->reply, "ERR CLIENT PAUSE mode must be WRITE or ALL");
        return;
    }
    if (!call_int_range(call, 2, INT64_MIN, INT64_MAX,
                        "ERR timeout is not an integer or out of range", &timeout_ms)) {
        return;
    }
    if (timeout_ms < 0 || timeout_ms > INT64_MAX - clock_real_ms()) {
        reply_error(call->reply,
                    timeout_ms < 0 ? "ERR timeout is negative" : "ERR timeout is out of range");
        return;
    }
    /* A pause under way is never made weaker or shorter: CLIENT UNPAUSE is for that. */
    bool all_paused = all->paused_until_ms > now_ms && !all->paused_writes_only;
    all->paused_writes_only = writes_only && !all_paused;
    all->paused_until_ms = MAX(all->paused_until_ms, now_ms + timeout_ms);
    reply_ok(call->reply);
}

/* Those that are held go on when the turn sees that the time is over. */
static void unpause_clients(struct call *call) {
    struct sessions *all = call->host->sessions;
    if (all->paused_until_ms) all->paused_until_ms = clock_mono_ms();
    reply_ok(call->reply);
}

/* ---- switches */

/* After a request that ran silently: its reply is wanted after all. */
static void speak_again(struct call *call) {
    struct session *s = call->session;
    s->flags &= ~(uint32_t)(SESSION_REPLY_OFF | SESSION_REPLY_SKIP | SESSION_REPLY_SKIP_NEXT);
    if (call->reply == &s->reply) s->reply.out = &s->output;
}

static void reply_switch(struct call *call) {
    struct session *s = call->session;
    if (call_is(call, 2, "on")) {
        speak_again(call);
        reply_ok(call->reply);
    } else if (call_is(call, 2, "off")) {
        s->flags |= SESSION_REPLY_OFF;
    } else if (call_is(call, 2, "skip")) {
        if (!(s->flags & SESSION_REPLY_OFF)) s->flags |= SESSION_REPLY_SKIP_NEXT;
    } else {
        call_syntax_error(call);
    }
}

static void set_flag(struct call *call, enum session_flag flag) {
    if (call_is(call, 2, "on")) {
        call->session->flags |= flag;
    } else if (call_is(call, 2, "off")) {
        call->session->flags &= ~(uint32_t)flag;
    } else {
        call_syntax_error(call);
        return;
    }
    reply_ok(call->reply);
}

static void no_evict(struct call *call) {
    set_flag(call, SESSION_NO_EVICT);
}

static void no_touch(struct call *call) {
    set_flag(call, SESSION_NO_TOUCH);
}

/* ---- RESET */

static void drop_extension(struct session *s, enum session_extension_kind kind) {
    struct session_extension *extension = s->extension[kind];
    s->extension[kind] = NULL;
    if (extension) extension->release(extension, s);
}

/* The library's name and version stay: it is still the same library. */
void client_reset(struct call *call) {
    struct session *s = call->session;
    if (s->flags & SESSION_MONITOR) call->host->sessions->monitor_count--;
    drop_extension(s, SESSION_EXTENSION_TRACKING);
    drop_extension(s, SESSION_EXTENSION_TRANSACTION);
    drop_extension(s, SESSION_EXTENSION_PUBSUB);
    speak_again(call);
    s->flags &= SESSION_UNIX | SESSION_INTERNAL | SESSION_CLOSE_AFTER_REPLY | SESSION_CAPA_REDIRECT;
    acl_session_reset(call->host, s);
    s->db = keyspace_db(call->host->keyspace, 0);
    s->reply.protocol = call->reply->protocol = 2;
    mem_free(s->name);
    s->name = NULL;
}

/* ---- HELP */

static const char *const help_lines[] = {
    "CAPA <option> [options...]",
    "    Tell the server what this client can do. Options are:",
    "    * REDIRECT",
    "      The client follows redirections to another server.",
    "GETNAME",
    "    Return the name of the current connection.",
    "ID",
    "    Return the ID of the current connection.",
    "INFO",
    "    Return information about the current client connection.",
    "KILL <ip:port>",
    "    Kill connection made from <ip:port>.",
    "KILL <option> <value> [<option> <value> [...]]",
    "    Kill the connections that fit all options, which are those of LIST.",
    "    SKIPME is yes unless told otherwise.",
    "LIST [options ...]",
    "    Return information about the client connections that fit all options:",
    "    * TYPE (NORMAL|PRIMARY|REPLICA|PUBSUB)",
    "      Clients of the specified type.",
    "    * USER <username>",
    "      Clients authenticated as <username>.",
    "    * ADDR (<ip:port>|<unixsocket>:0)",
    "      Clients connected from the specified address.",
    "    * LADDR (<ip:port>|<unixsocket>:0)",
    "      Clients connected to the specified local address.",
    "    * IP <ip>",
    "      Clients connected from the specified IP address, whatever the port.",
    "    * ID <client-id> [<client-id>...]",
    "      Clients with the specified IDs.",
    "    * SKIPME (YES|NO)",
    "      Leave out the current connection (default: no).",
    "    * MAXAGE <maxage>",
    "      Clients connected for at least <maxage> seconds.",
    "    * IDLE <idle>",
    "      Clients idle for at least <idle> seconds.",
    "    * FLAGS <flags>",
    "      Clients that have all of the specified flags.",
    "    * NAME <client-name>",
    "      Clients with the specified name.",
    "    * LIB-NAME <library-name>",
    "      Clients with the specified library name.",
    "    * LIB-VER <library-version>",
    "      Clients with the specified library version.",
    "    * DB <db-id>",
    "      Clients that have the specified database selected.",
    "    * CAPA <capa>",
    "      Clients with the specified capabilities.",
    "    All but SKIPME, MAXAGE and IDLE can be turned round: NOT-TYPE, NOT-USER, ...",
    "NO-EVICT (ON|OFF)",
    "    Protect current client connection from eviction.",
    "NO-TOUCH (ON|OFF)",
    "    Will not touch LRU/LFU stats when this mode is on.",
    "PAUSE <timeout> [WRITE|ALL]",
    "    Suspend all, or just write, clients for <timeout> milliseconds.",
    "REPLY (ON|OFF|SKIP)",
    "    Control the replies sent to the current connection.",
    "SETINFO <option> <value>",
    "    Set client meta attr. Options are:",
    "    * LIB-NAME: the client lib name.",
    "    * LIB-VER: the client lib version.",
    "SETNAME <name>",
    "    Assign the name <name> to the current connection.",
    "UNBLOCK <clientid> [TIMEOUT|ERROR]",
    "    Unblock the specified blocked client.",
    "UNPAUSE",
    "    Stop the current client pause, resuming traffic.",
    NULL,
};

static void help(struct call *call) {
    call_help(call, help_lines);
}

const struct command client_subcommands[] = {
    {.name = "capa",
     .run = capa,
     .arity = -3,
     .group = GROUP_CONNECTION,
     .flags = COMMAND_ALLOW_BUSY | COMMAND_NOSCRIPT | COMMAND_LOADING | COMMAND_STALE,
     .categories = CATEGORY_CONNECTION,
     .since = "8.0.0",
     .summary = "A client claims its capability.",
     .complexity = "O(1)",
     .arguments = "capability:string..."},
    {.name = "getname",
     .run = getname,
     .arity = 2,
     .group = GROUP_CONNECTION,
     .flags = COMMAND_ALLOW_BUSY | COMMAND_NOSCRIPT | COMMAND_LOADING | COMMAND_STALE,
     .categories = CATEGORY_CONNECTION,
     .since = "2.6.9",
     .summary = "Returns the name of the connection.",
     .complexity = "O(1)"},
    {.name = "help",
     .run = help,
     .arity = 2,
     .group = GROUP_CONNECTION,
     .flags = COMMAND_LOADING | COMMAND_STALE,
     .categories = CATEGORY_CONNECTION,
     .since = "5.0.0",
     .summary = "Returns helpful text about the different subcommands.",
     .complexity = "O(1)"},
    {.name = "id",
     .run = id,
     .arity = 2,
     .group = GROUP_CONNECTION,
     .flags = COMMAND_ALLOW_BUSY | COMMAND_NOSCRIPT | COMMAND_LOADING | COMMAND_STALE,
     .categories = CATEGORY_CONNECTION,
     .since = "5.0.0",
     .summary = "Returns the unique client ID of the connection.",
     .complexity = "O(1)"},
    {.name = "info",
     .run = info,
     .arity = 2,
     .group = GROUP_CONNECTION,
     .flags = COMMAND_NOSCRIPT | COMMAND_LOADING | COMMAND_STALE,
     .categories = CATEGORY_CONNECTION,
     .since = "6.2.0",
     .summary = "Returns information about the connection.",
     .complexity = "O(1)",
     .tips = (const char *const[]){"nondeterministic_output", NULL}},
    {.name = "kill",
     .run = kill_clients,
     .arity = -3,
     .group = GROUP_CONNECTION,
     .flags = COMMAND_ADMIN | COMMAND_NOSCRIPT | COMMAND_LOADING | COMMAND_STALE,
     .categories = CATEGORY_CONNECTION,
     .since = "2.4.0",
     .summary = "Terminates open connections.",
     .complexity = "O(N) where N is the number of client connections",
     .arguments =
         "filter:(old-format:string<ip:port>!2.8.12 | new-format:([ID client-id:integer...@2.8.12]"
         " | [TYPE client-type:(NORMAL | MASTER@3.2.0 | PRIMARY@8.0.0 | SLAVE | REPLICA@5.0.0 | "
         "PUBSUB)@2.8.12] | [USER username:string] | [ADDR addr:string<ip:port>] | [LADDR "
         "laddr:string<ip:port>@6.2.0] | [SKIPME skipme:(YES | NO)] | [MAXAGE "
         "maxage:integer@8.0.0] | [NAME name:string@9.0.0] | [IDLE idle:integer@9.0.0] | [FLAGS "
         "flags:string@9.0.0] | [LIB-NAME lib-name:string@9.0.0] | [LIB-VER lib-ver:string@9.0.0] "
         "| [DB db:integer@9.0.0] | [CAPA capa:string@9.0.0] | [IP ip:string@9.0.0] | [NOT-TYPE "
         "not-client-type:(NORMAL | MASTER | PRIMARY | SLAVE | REPLICA | PUBSUB)@9.0.0] | [NOT-ID "
         "not-client-id:integer...@9.0.0] | [NOT-USER not-username:string@9.0.0] | [NOT-ADDR "
         "not-addr:string<ip:port>@9.0.0] | [NOT-LADDR not-laddr:string<ip:port>@9.0.0] | "
         "[NOT-NAME not-name:string@9.0.0] | [NOT-FLAGS not-flags:string@9.0.0] | [NOT-LIB-NAME "
         "not-lib-name:string@9.0.0] | [NOT-LIB-VER not-lib-ver:string@9.0.0] | [NOT-DB "
         "not-db:integer@9.0.0] | [NOT-CAPA not-capa:string@9.0.0] | [NOT-IP "
         "not-ip:string@9.0.0])...)"},
    {.name = "list",
     .run = list,
     .arity = -2,
     .group = GROUP_CONNECTION,
     .flags = COMMAND_ADMIN | COMMAND_NOSCRIPT | COMMAND_LOADING | COMMAND_STALE,
     .categories = CATEGORY_CONNECTION,
     .since = "2.4.0",
     .summary = "Lists open connections.",
     .complexity = "O(N) where N is the number of client connections",
     .arguments =
         "[TYPE client-type:(NORMAL | MASTER | REPLICA | PUBSUB)@5.0.0] [ID "
         "client-id:integer...@6.2.0] [USER username:string@8.1.0] [ADDR "
         "addr:string<ip:port>@8.1.0] [LADDR laddr:string<ip:port>@8.1.0] [SKIPME skipme:(YES | "
         "NO)@8.1.0] [MAXAGE maxage:integer@8.1.0] [NAME name:string@9.0.0] [IDLE "
         "idle:integer@9.0.0] [FLAGS flags:string@9.0.0] [LIB-NAME lib-name:string@9.0.0] [LIB-VER"
         " lib-ver:string@9.0.0] [DB db:integer@9.0.0] [CAPA capa:string@9.0.0] [IP "
         "ip:string@9.0.0] [NOT-TYPE not-client-type:(NORMAL | MASTER | REPLICA | PUBSUB)@9.0.0] "
         "[NOT-ID not-client-id:integer...@9.0.0] [NOT-USER not-username:string@9.0.0] [NOT-ADDR "
         "not-addr:string<ip:port>@9.0.0] [NOT-LADDR not-laddr:string<ip:port>@9.0.0] [NOT-NAME "
         "not-name:string@9.0.0] [NOT-FLAGS not-flags:string@9.0.0] [NOT-LIB-NAME "
         "not-lib-name:string@9.0.0] [NOT-LIB-VER not-lib-ver:string@9.0.0] [NOT-DB "
         "not-db:integer@9.0.0] [NOT-CAPA not-capa:string@9.0.0] [NOT-IP not-ip:string@9.0.0]",
     .tips = (const char *const[]){"nondeterministic_output", NULL}},
    {.name = "no-evict",
     .run = no_evict,
     .arity = 3,
     .group = GROUP_CONNECTION,
     .flags =
         COMMAND_ALLOW_BUSY | COMMAND_ADMIN | COMMAND_NOSCRIPT | COMMAND_LOADING | COMMAND_STALE,
     .categories = CATEGORY_CONNECTION,
     .since = "7.0.0",
     .summary = "Sets the client eviction mode of the connection.",
     .complexity = "O(1)",
     .arguments = "enabled:(ON | OFF)"},
    {.name = "no-touch",
     .run = no_touch,
     .arity = 3,
     .group = GROUP_CONNECTION,
     .flags = COMMAND_ALLOW_BUSY | COMMAND_NOSCRIPT | COMMAND_LOADING | COMMAND_STALE,
     .categories = CATEGORY_CONNECTION,
     .since = "7.2.0",
     .summary = "Controls whether commands sent by the client affect the LRU/LFU of accessed keys.",
     .complexity = "O(1)",
     .arguments = "enabled:(ON | OFF)"},
    {.name = "pause",
     .run = pause_clients,
     .arity = -3,
     .group = GROUP_CONNECTION,
     .flags = COMMAND_ADMIN | COMMAND_NOSCRIPT | COMMAND_LOADING | COMMAND_STALE,
     .categories = CATEGORY_CONNECTION,
     .since = "3.0.0",
     .summary = "Suspends commands processing.",
     .complexity = "O(1)",
     .arguments = "timeout:integer [mode:(WRITE | ALL)@6.2.0]"},
    {.name = "reply",
     .run = reply_switch,
     .arity = 3,
     .group = GROUP_CONNECTION,
     .flags =
         COMMAND_ALLOW_BUSY | COMMAND_NOSCRIPT | COMMAND_NO_MULTI | COMMAND_LOADING | COMMAND_STALE,
     .categories = CATEGORY_CONNECTION,
     .since = "3.2.0",
     .summary = "Instructs the server whether to reply to commands.",
     .complexity = "O(1)",
     .arguments = "action:(ON | OFF | SKIP)"},
    {.name = "setinfo",
     .run = setinfo,
     .arity = 4,
     .group = GROUP_CONNECTION,
     .flags = COMMAND_ALLOW_BUSY | COMMAND_NOSCRIPT | COMMAND_LOADING | COMMAND_STALE,
     .categories = CATEGORY_CONNECTION,
     .since = "7.2.0",
     .summary = "Sets information specific to the client or connection.",
     .complexity = "O(1)",
     .arguments = "attr:(LIB-NAME libname:string | LIB-VER libver:string)",
     .tips =
         (const char *const[]){"request_policy:all_nodes", "response_policy:all_succeeded", NULL}},
    {.name = "setname",
     .run = setname,
     .arity = 3,
     .group = GROUP_CONNECTION,
     .flags = COMMAND_ALLOW_BUSY | COMMAND_NOSCRIPT | COMMAND_LOADING | COMMAND_STALE,
     .categories = CATEGORY_CONNECTION,
     .since = "2.6.9",
     .summary = "Sets the connection name.",
     .complexity = "O(1)",
     .arguments = "connection-name:string",
     .tips =
         (const char *const[]){"request_policy:all_nodes", "response_policy:all_succeeded", NULL}},
    {.name = "unblock",
     .run = unblock,
     .arity = -3,
     .group = GROUP_CONNECTION,
     .flags = COMMAND_ADMIN | COMMAND_NOSCRIPT | COMMAND_LOADING | COMMAND_STALE,
     .categories = CATEGORY_CONNECTION,
     .since = "5.0.0",
     .summary = "Unblocks a client blocked by a blocking command from a different connection.",
     .complexity = "O(log N) where N is the number of client connections",
     .arguments = "client-id:integer [unblock-type:(TIMEOUT | ERROR)]"},
    {.name = "unpause",
     .run = unpause_clients,
     .arity = 2,
     .group = GROUP_CONNECTION,
     .flags =
         COMMAND_ADMIN | COMMAND_NOSCRIPT | COMMAND_LOADING | COMMAND_STALE | COMMAND_RUN_PAUSED,
     .categories = CATEGORY_CONNECTION,
     .since = "6.2.0",
     .summary = "Resumes processing commands from paused clients.",
     .complexity = "O(N) Where N is the number of paused clients"},
    {.name = NULL},
};
