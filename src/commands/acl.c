/* The ACL family. Rules, users and their texts are src/acl's; what becomes of sessions is acl_check.c's. */
#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/num.h"
#include "base/random.h"
#include "commands/acl_check.h"
#include "commands/families.h"

/* ---- one user */

static void setuser(struct call *call) {
    struct acl *acl = call->host->acl;
    struct span name = call->argv[2];
    struct buf error = {0};
    if (acl_has_blanks(name) || name.len > ACL_RULE_BYTES_MAX) {
        reply_error(call->reply, "ERR Usernames can't contain spaces or null characters");
        return;
    }
    const struct acl_user *have = acl_find(acl, name);
    struct acl_user *draft = acl_draft(acl, name);
    if (acl_apply_words(acl, draft, call->argv + 3, call->argc - 3, &error) < 0) {
        reply_errorf(call->reply, "ERR %s", buf_terminate(&error));
        acl_user_free(draft);
    } else {
        if (have) acl_end_subscribers(call, have, draft);
        acl_keep(acl, draft);
        acl_refresh_sessions(call->host);
        reply_ok(call->reply);
    }
    buf_release(&error);
}

static void deluser(struct call *call) {
    struct acl *acl = call->host->acl;
    int64_t count = 0;
    for (uint32_t i = 2; i < call->argc; i++) {
        if (!span_eq(call->argv[i], SPAN("default"))) continue;
        reply_error(call->reply, "ERR The 'default' user cannot be removed");
        return;
    }
    for (uint32_t i = 2; i < call->argc; i++) {
        const struct acl_user *u = acl_find(acl, call->argv[i]);
        if (!u) continue;
        acl_end_sessions(call, u);
        count += acl_remove(acl, call->argv[i]);
    }
    reply_int(call->reply, count);
}

static void put_text(struct call *call, const char *field, const struct acl_selector *s,
                     void (*put)(const struct acl_selector *s, bool quoted, struct buf *out)) {
    struct buf text = {0};
    put(s, false, &text);
    reply_bulk_text(call->reply, field);
    reply_bulk(call->reply, buf_span(&text));
    buf_release(&text);
}

enum { SELECTOR_FIELDS = 3 };

static void put_selector(struct call *call, const struct acl_selector *s) {
    put_text(call, "commands", s, acl_selector_put_commands);
    put_text(call, "keys", s, acl_selector_put_keys);
    put_text(call, "channels", s, acl_selector_put_channels);
}

static void getuser(struct call *call) {
    const struct acl_user *u = acl_find(call->host->acl, call->argv[2]);
    struct reply *reply = call->reply;
    const char *flags[ACL_USER_FLAGS_MAX];
    char hex[SHA256_HEX_DIGITS];
    if (!u) {
        reply_null(reply);
        return;
    }
    reply_map(reply, 3 + SELECTOR_FIELDS);
    reply_bulk_text(reply, "flags");
    uint32_t flag_count = acl_user_flags(u, flags);
    reply_set(reply, flag_count);
    for (uint32_t i = 0; i < flag_count; i++) reply_bulk_text(reply, flags[i]);
    reply_bulk_text(reply, "passwords");
    reply_array(reply, u->password_count);
    for (uint32_t i = 0; i < u->password_count; i++) {
        sha256_hex(u->passwords[i], hex);
        reply_bulk(reply, span_make(hex, sizeof hex));
    }
    put_selector(call, acl_user_root(u));
    reply_bulk_text(reply, "selectors");
    reply_array(reply, u->selector_count - 1);
    for (uint32_t i = 1; i < u->selector_count; i++) {
        reply_map(reply, SELECTOR_FIELDS);
        put_selector(call, u->selectors[i]);
    }
}

static void whoami(struct call *call) {
    reply_bulk(call->reply, acl_user_name(acl_session_user(call->host, call->session)));
}

/* ---- all users */

static void users(struct call *call) {
    const struct acl_users *all = &call->host->acl->users;
    reply_array(call->reply, all->count);
    for (uint32_t i = 0; i < all->count; i++) reply_bulk(call->reply, acl_user_name(all->at[i]));
}

static void list(struct call *call) {
    const struct acl_users *all = &call->host->acl->users;
    struct buf line = {0};
    reply_array(call->reply, all->count);
    for (uint32_t i = 0; i < all->count; i++) {
        buf_clear(&line);
        buf_printf(&line, "user %s ", all->at[i]->name);
        acl_user_put(all->at[i], &line);
        reply_bulk(call->reply, buf_span(&line));
    }
    buf_release(&line);
}

/* False after the error was written. */
static bool has_file(struct call *call) {
    const char *path = call->host->settings->aclfile;
    if (path && *path) return true;
    reply_error(call->reply,
                "ERR This instance is not configured to use an ACL file. You may want to specify "
                "users via the ACL SETUSER command and then issue a CONFIG REWRITE (assuming you "
                "have a configuration file set) in order to store users in the configuration.");
    return false;
}

/* Those whose user is not in the file, or may no longer listen to what they listen to, go first. */
static void load(struct call *call) {
    struct acl *acl = call->host->acl;
    struct buf error = {0};
    if (!has_file(call)) return;
    struct acl_users *fresh = acl_parse_file(acl, call->host->settings->aclfile, &error);
    if (!fresh) {
        reply_errorf(call->reply, "ERR %s", buf_terminate(&error));
        buf_release(&error);
        return;
    }
    for (uint32_t i = 0; i < acl->users.count; i++) {
        struct acl_user *u = acl->users.at[i];
        const struct acl_user *next = acl_users_find(fresh, acl_user_name(u));
        if (next) {
            acl_end_subscribers(call, u, next);
        } else if (u != acl->default_user) {
            acl_end_sessions(call, u);
        }
    }
    acl_replace(acl, fresh);
    acl_refresh_sessions(call->host);
    reply_ok(call->reply);
}

static void save(struct call *call) {
    if (!has_file(call)) return;
    const char *path = call->host->settings->aclfile;
    int rc = acl_save_file(call->host->acl, path);
    if (rc == 0) {
        log_notice("All ACLs saved successfully to %s", path);
        reply_ok(call->reply);
        return;
    }
    log_warning("ACL SAVE to %s: %s", path, error_text(rc));
    reply_error(call->reply, "ERR There was an error trying to save the ACLs. Please check the "
                             "server logs for more information");
}

/* ---- CAT */

static uint64_t put_commands_of(struct call *call, const struct command_entry *e, uint32_t bit) {
    uint64_t count = 0;
    if (e->categories & bit) {
        reply_bulk_text(call->reply, e->full_name);
        count++;
    }
    for (uint32_t i = 0; i < e->subcommand_count; i++) {
        count += put_commands_of(call, &e->subcommands[i], bit);
    }
    return count;
}

static void cat(struct call *call) {
    const struct command_registry *commands = call->host->commands;
    uint64_t count = 0;
    if (call->argc > 3) {
        call_subcommand_error(call);
        return;
    }
    if (call->argc == 2) {
        reply_array(call->reply, CATEGORY_COUNT);
        for (int i = 0; i < CATEGORY_COUNT; i++) reply_bulk_text(call->reply, category_names[i]);
        return;
    }
    uint32_t bit = acl_catalogue_category(&call->host->acl->catalogue, call->argv[2]);
    if (!bit) {
        reply_errorf(call->reply, "ERR Unknown category '%.*s'",
                     (int)MIN(call->argv[2].len, (size_t)128), call->argv[2].data);
        return;
    }
    struct chunk *mark = reply_mark(call->reply);
    for (uint32_t i = 0; i < registry_count(commands); i++) {
        count += put_commands_of(call, registry_at(commands, i), bit);
    }
    reply_fill_array(call->reply, mark, count);
}

/* ---- GENPASS */

enum { GENPASS_BITS = 256, GENPASS_BITS_MAX = 4096 };

static void genpass(struct call *call) {
    char password[GENPASS_BITS_MAX / 4];
    int64_t bits = GENPASS_BITS;
    if (call->argc > 3) {
        call_subcommand_error(call);
        return;
    }
    if (call->argc == 3 && !call_int(call, 2, &bits)) return;
    if (bits <= 0 || bits > GENPASS_BITS_MAX) {
        reply_error(call->reply,
                    "ERR ACL GENPASS argument must be the number of bits for the output password, "
                    "a positive number up to 4096");
        return;
    }
    size_t digits = (size_t)(bits + 3) / 4;
    random_hex(password, digits);
    reply_bulk(call->reply, span_make(password, digits));
}

/* ---- LOG */

static void put_bytes(struct call *call, const char *field, const char *bytes, size_t len) {
    reply_bulk_text(call->reply, field);
    reply_bulk(call->reply, span_make(bytes, len));
}

static void put_number(struct call *call, const char *field, int64_t value) {
    reply_bulk_text(call->reply, field);
    reply_int(call->reply, value);
}

static void put_entry(struct call *call, const struct acl_log_entry *e, int64_t now_ms) {
    struct reply *reply = call->reply;
    reply_map(reply, 10);
    put_number(call, "count", (int64_t)e->count);
    reply_bulk_text(reply, "reason");
    reply_bulk_text(reply, acl_denied_name(e->why));
    reply_bulk_text(reply, "context");
    reply_bulk_text(reply, acl_context_name(e->where));
    put_bytes(call, "object", e->object, e->object_len);
    put_bytes(call, "username", e->user, e->user_len);
    reply_bulk_text(reply, "age-seconds");
    reply_double(reply, (double)(now_ms - e->updated_ms) / 1000);
    put_bytes(call, "client-info", e->client, e->client_len);
    put_number(call, "entry-id", (int64_t)e->id);
    put_number(call, "timestamp-created", e->created_ms);
    put_number(call, "timestamp-last-updated", e->updated_ms);
}

static void show_log(struct call *call) {
    struct acl_log *log = &call->host->acl->log;
    int64_t count = 10, now_ms = clock_real_ms();
    if (call->argc > 3) {
        call_subcommand_error(call);
        return;
    }
    if (call_is(call, 2, "reset")) {
        acl_log_release(log);
        reply_ok(call->reply);
        return;
    }
    if (call->argc == 3 && !call_int(call, 2, &count)) return;
    count = MIN(MAX(count, (int64_t)0), (int64_t)log->count);
    reply_array(call->reply, (uint64_t)count);
    LIST_FOR_EACH(it, &log->entries) {
        if (count-- == 0) break;
        put_entry(call, LIST_ENTRY(it, struct acl_log_entry, link), now_ms);
    }
}

/* ---- DRYRUN */

static struct command_entry *find_command(const struct call *call, const struct span *argv,
                                          uint32_t argc) {
    struct command_entry *e = registry_find(call->host->commands, argv[0]);
    return e && e->subcommands && argc > 1 ? registry_find_subcommand(e, argv[1]) : e;
}

static void dryrun(struct call *call) {
    const struct acl_user *u = acl_find(call->host->acl, call->argv[2]);
    const struct span *argv = call->argv + 3;
    uint32_t argc = call->argc - 3;
    if (!u) {
        reply_errorf(call->reply, "ERR User '%.*s' not found", (int)MIN(argv[-1].len, (size_t)128),
                     argv[-1].data);
        return;
    }
    const struct command_entry *e = find_command(call, argv, argc);
    if (!e) {
        reply_errorf(call->reply, "ERR Command '%.*s' not found",
                     (int)MIN(argv[0].len, (size_t)128), argv[0].data);
        return;
    }
    int32_t arity = e->command->arity;
    if (arity > 0 ? argc != (uint32_t)arity : argc < (uint32_t)-arity) {
        reply_errorf(call->reply, "ERR wrong number of arguments for '%s' command", e->full_name);
        return;
    }
    struct acl_request request = {e, argv, argc};
    struct acl_refusal refusal;
    struct buf text = {0};
    if (acl_user_may(call->host, u, &request, &refusal)) {
        reply_ok(call->reply);
        return;
    }
    acl_refusal_text(u, &request, &refusal, true, &text);
    reply_bulk(call->reply, buf_span(&text));
    buf_release(&text);
}

/* ---- HELP */

static void help(struct call *call) {
    static const char *const lines[] = {
        "CAT [<category>]",
        "    List all commands that belong to <category>, or all command categories",
        "    when no category is specified.",
        "DELUSER <username> [<username> ...]",
        "    Delete a list of users.",
        "DRYRUN <username> <command> [<arg> ...]",
        "    Returns whether the user can execute the given command without executing the command.",
        "GETUSER <username>",
        "    Get the user's details.",
        "GENPASS [<bits>]",
        "    Generate a secure 256-bit user password. The optional `bits` argument can",
        "    be used to specify a different size.",
        "LIST",
        "    Show users details in config file format.",
        "LOAD",
        "    Reload users from the ACL file.",
        "LOG [<count> | RESET]",
        "    Show the ACL log entries.",
        "SAVE",
        "    Save the current config to the ACL file.",
        "SETUSER <username> <attribute> [<attribute> ...]",
        "    Create or modify a user with the specified attributes.",
        "USERS",
        "    List all the registered usernames.",
        "WHOAMI",
        "    Return the current connection username.",
        NULL,
    };
    call_help(call, lines);
}

/* ---- the table */

enum {
    OPEN_FLAGS = COMMAND_NOSCRIPT | COMMAND_LOADING | COMMAND_STALE,
    ADMIN_FLAGS = OPEN_FLAGS | COMMAND_ADMIN,
};

static const char *const all_nodes[] = {"request_policy:all_nodes", "response_policy:all_succeeded",
                                        NULL};

const struct command acl_subcommands[] = {
    {.name = "cat",
     .run = cat,
     .arity = -2,
     .group = GROUP_SERVER,
     .flags = OPEN_FLAGS,
     .since = "6.0.0",
     .summary = "Lists the ACL categories, or the commands inside a category.",
     .complexity = "O(1) since the categories and commands are a fixed set.",
     .arguments = "[category:string]"},
    {.name = "deluser",
     .run = deluser,
     .arity = -3,
     .group = GROUP_SERVER,
     .flags = ADMIN_FLAGS,
     .since = "6.0.0",
     .summary = "Deletes ACL users, and terminates their connections.",
     .complexity = "O(1) amortized time considering the typical user.",
     .arguments = "username:string...",
     .tips = all_nodes},
    {.name = "dryrun",
     .run = dryrun,
     .arity = -4,
     .group = GROUP_SERVER,
     .flags = ADMIN_FLAGS,
     .since = "7.0.0",
     .summary = "Simulates the execution of a command by a user, without executing the command.",
     .complexity = "O(1).",
     .arguments = "username:string command:string [arg:string...]"},
    {.name = "genpass",
     .run = genpass,
     .arity = -2,
     .group = GROUP_SERVER,
     .flags = OPEN_FLAGS,
     .since = "6.0.0",
     .summary = "Generates a pseudorandom, secure password that can be used to identify ACL users.",
     .complexity = "O(1)",
     .arguments = "[bits:integer]"},
    {.name = "getuser",
     .run = getuser,
     .arity = 3,
     .group = GROUP_SERVER,
     .flags = ADMIN_FLAGS,
     .since = "6.0.0",
     .summary = "Lists the ACL rules of a user.",
     .complexity = "O(N). Where N is the number of password, command and pattern rules that the "
                   "user has.",
     .arguments = "username:string"},
    {.name = "help",
     .run = help,
     .arity = 2,
     .group = GROUP_SERVER,
     .flags = COMMAND_LOADING | COMMAND_STALE,
     .since = "6.0.0",
     .summary = "Returns helpful text about the different subcommands.",
     .complexity = "O(1)"},
    {.name = "list",
     .run = list,
     .arity = 2,
     .group = GROUP_SERVER,
     .flags = ADMIN_FLAGS,
     .since = "6.0.0",
     .summary = "Dumps the effective rules in ACL file format.",
     .complexity = "O(N). Where N is the number of configured users."},
    {.name = "load",
     .run = load,
     .arity = 2,
     .group = GROUP_SERVER,
     .flags = ADMIN_FLAGS,
     .since = "6.0.0",
     .summary = "Reloads the rules from the configured ACL file.",
     .complexity = "O(N). Where N is the number of configured users."},
    {.name = "log",
     .run = show_log,
     .arity = -2,
     .group = GROUP_SERVER,
     .flags = ADMIN_FLAGS,
     .since = "6.0.0",
     .summary = "Lists recent security events generated due to ACL rules.",
     .complexity = "O(N) with N being the number of entries shown.",
     .arguments = "[operation:(count:integer | RESET)]"},
    {.name = "save",
     .run = save,
     .arity = 2,
     .group = GROUP_SERVER,
     .flags = ADMIN_FLAGS,
     .since = "6.0.0",
     .summary = "Saves the effective ACL rules in the configured ACL file.",
     .complexity = "O(N). Where N is the number of configured users.",
     .tips = all_nodes},
    {.name = "setuser",
     .run = setuser,
     .arity = -3,
     .group = GROUP_SERVER,
     .flags = ADMIN_FLAGS,
     .since = "6.0.0",
     .summary = "Creates and modifies an ACL user and its rules.",
     .complexity = "O(N). Where N is the number of rules provided.",
     .arguments = "username:string [rule:string...]",
     .tips = all_nodes},
    {.name = "users",
     .run = users,
     .arity = 2,
     .group = GROUP_SERVER,
     .flags = ADMIN_FLAGS,
     .since = "6.0.0",
     .summary = "Lists all ACL users.",
     .complexity = "O(N). Where N is the number of configured users."},
    {.name = "whoami",
     .run = whoami,
     .arity = 2,
     .group = GROUP_SERVER,
     .flags = OPEN_FLAGS,
     .since = "6.0.0",
     .summary = "Returns the authenticated username of the current connection.",
     .complexity = "O(1)"},
    {.name = NULL},
};
