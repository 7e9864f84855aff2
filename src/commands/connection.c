/* What a client says about its own connection. */
#include "commands/acl_check.h"
#include "commands/families.h"
#include "commands/host.h"

/* ---- PING, ECHO, QUIT, SELECT */

static void ping(struct call *call) {
    struct span message = call->argc == 2 ? call->argv[1] : SPAN("");
    if (call->argc > 2) {
        reply_error(call->reply, "ERR wrong number of arguments for 'ping' command");
        return;
    }
    /* A RESP2 subscriber tells replies from messages by their shape only. */
    if (call->session->flags & SESSION_PUBSUB && call->reply->protocol == 2) {
        reply_array(call->reply, 2);
        reply_bulk(call->reply, SPAN("pong"));
        reply_bulk(call->reply, message);
    } else if (call->argc == 1) {
        reply_status(call->reply, "PONG");
    } else {
        reply_bulk(call->reply, message);
    }
}

static void echo(struct call *call) {
    reply_bulk(call->reply, call->argv[1]);
}

static void quit(struct call *call) {
    reply_ok(call->reply);
    session_close_after_reply(call->session);
}

static void select_db(struct call *call) {
    int64_t number;
    if (!call_int_range(call, 1, INT32_MIN, INT32_MAX, NULL, &number)) return;
    struct db *db = number < 0 ? NULL : keyspace_db(call->host->keyspace, (uint32_t)number);
    if (!db) {
        reply_error(call->reply, "ERR DB index is out of range");
        return;
    }
    call->session->db = db;
    reply_ok(call->reply);
}

static void reset(struct call *call) {
    client_reset(call);
    reply_status(call->reply, "RESET");
}

/* ---- authentication */

/* False after WRONGPASS was written: the session stays who it was. */
static bool authenticate(struct call *call, struct span user, struct span password) {
    if (acl_session_authenticate(call, user, password)) return true;
    reply_error(call->reply, "WRONGPASS invalid username-password pair or user is disabled.");
    return false;
}

static void auth(struct call *call) {
    struct span user = call->argc == 3 ? call->argv[1] : SPAN("default");
    if (call->argc > 3) {
        call_syntax_error(call);
        return;
    }
    if (call->argc == 2 && call->host->acl->default_user->no_password) {
        reply_error(call->reply,
                    "ERR AUTH <password> called without any password configured for the default "
                    "user. Are you sure your configuration is correct?");
        return;
    }
    if (authenticate(call, user, call->argv[call->argc - 1])) reply_ok(call->reply);
}

/* ---- HELLO */

struct hello {
    int64_t protocol; /* 0: as it is */
    struct span user, password, name;
    bool auth, set_name;
};

static bool hello_parse_options(struct call *call, struct hello *hello) {
    for (uint32_t i = 2; i < call->argc; i++) {
        uint32_t more = call->argc - 1 - i;
        if (call_is(call, i, "auth") && more >= 2) {
            hello->auth = true;
            hello->user = call->argv[i + 1];
            hello->password = call->argv[i + 2];
            i += 2;
        } else if (call_is(call, i, "setname") && more >= 1) {
            hello->set_name = true;
            hello->name = call->argv[++i];
            if (!client_check_name(call, hello->name)) return false;
        } else {
            struct span option = call->argv[i];
            reply_errorf(call->reply, "ERR Syntax error in HELLO option '%.*s'",
                         (int)MIN(option.len, (size_t)128), option.data);
            return false;
        }
    }
    return true;
}

static bool hello_parse(struct call *call, struct hello *hello) {
    *hello = (struct hello){0};
    if (call->argc == 1) return true;
    if (!call_int_range(call, 1, INT64_MIN, INT64_MAX,
                        "ERR Protocol version is not an integer or out of range",
                        &hello->protocol)) {
        return false;
    }
    if (hello->protocol != 2 && hello->protocol != 3) {
        reply_error(call->reply, "NOPROTO unsupported protocol version");
        return false;
    }
    return hello_parse_options(call, hello);
}

static void hello_reply(struct call *call) {
    struct reply *reply = call->reply;
    reply_map(reply, 7);
    reply_bulk_text(reply, "server");
    reply_bulk_text(reply, "redis");
    reply_bulk_text(reply, "version");
    reply_bulk_text(reply, call->host->redis_version);
    reply_bulk_text(reply, "proto");
    reply_int(reply, reply->protocol);
    reply_bulk_text(reply, "id");
    reply_int(reply, (int64_t)call->session->id);
    reply_bulk_text(reply, "mode");
    reply_bulk_text(reply, "standalone");
    reply_bulk_text(reply, "role");
    reply_bulk_text(reply, "master");
    reply_bulk_text(reply, "modules");
    reply_array(reply, 0);
}

static void hello(struct call *call) {
    struct session *s = call->session;
    struct hello asked;
    if (!hello_parse(call, &asked)) return;
    if (asked.auth && !authenticate(call, asked.user, asked.password)) return;
    if (acl_session_needs_auth(call->host, s)) {
        reply_error(call->reply,
                    "NOAUTH HELLO must be called with the client already authenticated, otherwise "
                    "the HELLO <proto> AUTH <user> <pass> option can be used to authenticate the "
                    "client and select the RESP protocol version at the same time");
        return;
    }
    if (asked.set_name && !client_set_name(call, asked.name)) return;
    if (asked.protocol) s->reply.protocol = call->reply->protocol = (uint8_t)asked.protocol;
    hello_reply(call);
}

const struct command commands_connection[] = {
    {.name = "auth",
     .run = auth,
     .arity = -2,
     .group = GROUP_CONNECTION,
     .flags = COMMAND_NOSCRIPT | COMMAND_LOADING | COMMAND_STALE | COMMAND_FAST | COMMAND_NO_AUTH |
              COMMAND_ALLOW_BUSY,
     .categories = CATEGORY_CONNECTION,
     .since = "1.0.0",
     .summary = "Authenticates the connection.",
     .complexity = "O(N) where N is the number of passwords defined for the user",
     .arguments = "[username:string@6.0.0] password:string"},
    {.name = "client",
     .arity = -2,
     .group = GROUP_CONNECTION,
     .since = "2.4.0",
     .summary = "A container for client connection commands.",
     .complexity = "Depends on subcommand.",
     .subcommands = client_subcommands},
    {.name = "echo",
     .run = echo,
     .arity = 2,
     .group = GROUP_CONNECTION,
     .flags = COMMAND_LOADING | COMMAND_STALE | COMMAND_FAST,
     .categories = CATEGORY_CONNECTION,
     .since = "1.0.0",
     .summary = "Returns the given string.",
     .complexity = "O(1)",
     .arguments = "message:string"},
    {.name = "hello",
     .run = hello,
     .arity = -1,
     .group = GROUP_CONNECTION,
     .flags = COMMAND_NOSCRIPT | COMMAND_LOADING | COMMAND_STALE | COMMAND_FAST | COMMAND_NO_AUTH |
              COMMAND_ALLOW_BUSY,
     .categories = CATEGORY_CONNECTION,
     .since = "6.0.0",
     .summary = "Handshakes with the server.",
     .complexity = "O(1)",
     .arguments =
         "[arguments:(protover:integer [AUTH auth:(username:string password:string)] [SETNAME "
         "clientname:string])]"},
    {.name = "ping",
     .run = ping,
     .arity = -1,
     .group = GROUP_CONNECTION,
     .flags = COMMAND_FAST,
     .categories = CATEGORY_CONNECTION,
     .since = "1.0.0",
     .summary = "Returns the server's liveliness response.",
     .complexity = "O(1)",
     .arguments = "[message:string]",
     .tips =
         (const char *const[]){"request_policy:all_shards", "response_policy:all_succeeded", NULL}},
    {.name = "quit",
     .run = quit,
     .arity = -1,
     .group = GROUP_CONNECTION,
     .flags = COMMAND_ALLOW_BUSY | COMMAND_NOSCRIPT | COMMAND_LOADING | COMMAND_STALE |
              COMMAND_FAST | COMMAND_NO_AUTH,
     .categories = CATEGORY_CONNECTION,
     .since = "1.0.0",
     .summary = "Closes the connection.",
     .complexity = "O(1)"},
    {.name = "reset",
     .run = reset,
     .arity = 1,
     .group = GROUP_CONNECTION,
     .flags = COMMAND_NOSCRIPT | COMMAND_LOADING | COMMAND_STALE | COMMAND_FAST | COMMAND_NO_AUTH |
              COMMAND_ALLOW_BUSY,
     .categories = CATEGORY_CONNECTION,
     .since = "6.2.0",
     .summary = "Resets the connection.",
     .complexity = "O(1)"},
    {.name = "select",
     .run = select_db,
     .arity = 2,
     .group = GROUP_CONNECTION,
     .flags = COMMAND_ALLOW_BUSY | COMMAND_LOADING | COMMAND_STALE | COMMAND_FAST,
     .categories = CATEGORY_CONNECTION,
     .since = "1.0.0",
     .summary = "Changes the selected database.",
     .complexity = "O(1)",
     .arguments = "index:integer"},
    {.name = NULL},
};
