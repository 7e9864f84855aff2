/* COMMAND and its subcommands: the tables told to clients. https://redis.io/docs/latest/commands/command/ */
#include "commands/command.h"

#include <stdio.h>

#include "base/glob.h"
#include "commands/families.h"
#include "commands/host.h"
#include "commands/registry.h"

struct bit_name {
    uint32_t bit;
    const char *name;
};

/* A set of statuses, one for each bit that is there. */
static void reply_bits(struct reply *reply, uint32_t bits, const struct bit_name *names,
                       size_t count) {
    uint64_t members = 0;
    for (size_t i = 0; i < count; i++) members += (bits & names[i].bit) != 0;
    reply_set(reply, members);
    for (size_t i = 0; i < count; i++) {
        if (bits & names[i].bit) reply_status(reply, names[i].name);
    }
}

/* ---- one command: flags, categories, tips */

static const struct bit_name flag_names[] = {
    {COMMAND_WRITE, "write"},
    {COMMAND_READONLY, "readonly"},
    {COMMAND_DENYOOM, "denyoom"},
    {COMMAND_ADMIN, "admin"},
    {COMMAND_PUBSUB, "pubsub"},
    {COMMAND_NOSCRIPT, "noscript"},
    {COMMAND_BLOCKING, "blocking"},
    {COMMAND_LOADING, "loading"},
    {COMMAND_STALE, "stale"},
    {COMMAND_SKIP_MONITOR, "skip_monitor"},
    {COMMAND_SKIP_SLOWLOG, "skip_commandlog"},
    {COMMAND_FAST, "fast"},
    {COMMAND_NO_AUTH, "no_auth"},
    {COMMAND_NO_MANDATORY_KEYS, "no_mandatory_keys"},
    {COMMAND_NO_ASYNC_LOADING, "no_async_loading"},
    {COMMAND_NO_MULTI, "no_multi"},
    {COMMAND_MOVABLE_KEYS, "movablekeys"},
    {COMMAND_ALLOW_BUSY, "allow_busy"},
};

static void reply_categories(struct reply *reply, uint32_t categories) {
    char name[32] = "@";
    reply_set(reply, (uint64_t)__builtin_popcount(categories));
    for (; categories; categories &= categories - 1) {
        snprintf(name + 1, sizeof name - 1, "%s", category_name(categories & -categories));
        reply_status(reply, name);
    }
}

static void reply_tips(struct reply *reply, const char *const *tips) {
    uint64_t count = 0;
    while (tips && tips[count]) count++;
    reply_set(reply, count);
    for (uint64_t i = 0; i < count; i++) reply_bulk_text(reply, tips[i]);
}

/* ---- one command: keys */

void command_key_flags_reply(struct reply *reply, uint32_t flags) {
    static const struct bit_name names[] = {
        {KEY_RO, "RO"},
        {KEY_RW, "RW"},
        {KEY_OW, "OW"},
        {KEY_RM, "RM"},
        {KEY_ACCESS, "access"},
        {KEY_UPDATE, "update"},
        {KEY_INSERT, "insert"},
        {KEY_DELETE, "delete"},
        {KEY_NOT_KEY, "not_key"},
        {KEY_INCOMPLETE, "incomplete"},
        {KEY_VARIABLE_FLAGS, "variable_flags"},
    };
    reply_bits(reply, flags, names, ARRAY_LENGTH(names));
}

static void reply_number(struct reply *reply, const char *name, int64_t value) {
    reply_bulk_text(reply, name);
    reply_int(reply, value);
}

/* "type" and the head of "spec", whose pairs follow. */
static void reply_spec_head(struct reply *reply, const char *type, uint64_t pairs) {
    reply_map(reply, 2);
    reply_bulk_text(reply, "type");
    reply_bulk_text(reply, type);
    reply_bulk_text(reply, "spec");
    reply_map(reply, pairs);
}

/* Neither place nor keyword: only the command's own function finds these keys. */
static bool is_unknown(const struct key_spec *spec) {
    return !spec->keyword && spec->index == 0;
}

static void reply_begin_search(struct reply *reply, const struct key_spec *spec) {
    if (is_unknown(spec)) {
        reply_spec_head(reply, "unknown", 0);
    } else if (spec->keyword) {
        reply_spec_head(reply, "keyword", 2);
        reply_bulk_text(reply, "keyword");
        reply_bulk_text(reply, spec->keyword);
        reply_number(reply, "startfrom", spec->start_from);
    } else {
        reply_spec_head(reply, "index", 1);
        reply_number(reply, "index", spec->index);
    }
}

static void reply_find_keys(struct reply *reply, const struct key_spec *spec) {
    if (is_unknown(spec)) {
        reply_spec_head(reply, "unknown", 0);
    } else if (spec->keynum) {
        reply_spec_head(reply, "keynum", 3);
        reply_number(reply, "keynumidx", spec->keynum_index);
        reply_number(reply, "firstkey", spec->first_key);
        reply_number(reply, "keystep", spec->step);
    } else {
        reply_spec_head(reply, "range", 3);
        reply_number(reply, "lastkey", spec->last_key);
        reply_number(reply, "keystep", spec->step);
        reply_number(reply, "limit", spec->limit);
    }
}

static uint32_t key_spec_count(const struct command *c) {
    uint32_t count = 0;
    while (count < COMMAND_KEY_SPECS_MAX && c->keys[count].flags) count++;
    return count;
}

static void reply_key_specs(struct reply *reply, const struct command *c) {
    uint32_t count = key_spec_count(c);
    reply_set(reply, count);
    for (uint32_t i = 0; i < count; i++) {
        reply_map(reply, 3);
        reply_bulk_text(reply, "flags");
        command_key_flags_reply(reply, c->keys[i].flags);
        reply_bulk_text(reply, "begin_search");
        reply_begin_search(reply, &c->keys[i]);
        reply_bulk_text(reply, "find_keys");
        reply_find_keys(reply, &c->keys[i]);
    }
}

/* What clients older than key specifications read: first key, last key, step. All zero: none that this form can tell. */
struct key_triple {
    int32_t first, last, step;
    bool movable; /* it does not tell all keys */
};

static int32_t last_key_position(const struct key_spec *spec) {
    return spec->last_key >= 0 ? spec->index + spec->last_key : spec->last_key;
}

static bool is_plain_range(const struct key_spec *spec) {
    return !is_unknown(spec) && !spec->keyword && !spec->keynum;
}

/* Redis's rules: one range as it is; of several, those with a step of 1 that lie side by side. */
static struct key_triple key_triple_of(const struct command *c) {
    struct key_triple t = {.step = 1};
    uint32_t count = key_spec_count(c);
    if (count == 0) return (struct key_triple){0};
    if (count == 1 && is_plain_range(&c->keys[0])) {
        t.first = c->keys[0].index;
        t.last = last_key_position(&c->keys[0]);
        t.step = c->keys[0].step;
        t.movable = c->keys[0].flags & KEY_INCOMPLETE;
        return t;
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct key_spec *spec = &c->keys[i];
        bool apart = t.last && t.last != spec->index - 1;
        if (!is_plain_range(spec) || spec->step != 1 || apart) {
            t.movable = true;
            continue;
        }
        if (spec->flags & KEY_INCOMPLETE) t.movable = true;
        if (!t.first || spec->index < t.first) t.first = spec->index;
        int32_t last = last_key_position(spec);
        if ((uint32_t)last > (uint32_t)t.last) t.last = last; /* from the end is the furthest */
    }
    if (!t.first) return (struct key_triple){.movable = true};
    return t;
}

/* ---- one command: COMMAND INFO */

void command_info_reply(struct reply *reply, const struct command_entry *entry) {
    const struct command *c = entry->command;
    struct key_triple triple = key_triple_of(c);
    uint32_t flags = c->flags | (triple.movable ? COMMAND_MOVABLE_KEYS : 0);
    reply_array(reply, 10);
    reply_bulk_text(reply, entry->full_name);
    reply_int(reply, c->arity);
    reply_bits(reply, flags, flag_names, ARRAY_LENGTH(flag_names));
    reply_int(reply, triple.first);
    reply_int(reply, triple.last);
    reply_int(reply, triple.step);
    reply_categories(reply, entry->categories);
    reply_tips(reply, c->tips);
    reply_key_specs(reply, c);
    reply_array(reply, entry->subcommand_count);
    for (uint32_t i = 0; i < entry->subcommand_count; i++) {
        command_info_reply(reply, &entry->subcommands[i]);
    }
}

void command_all(struct call *call) {
    const struct command_registry *commands = call->host->commands;
    uint32_t count = registry_count(commands);
    reply_array(call->reply, count);
    for (uint32_t i = 0; i < count; i++) command_info_reply(call->reply, registry_at(commands, i));
}

static void info(struct call *call) {
    if (call->argc == 2) {
        command_all(call);
        return;
    }
    reply_array(call->reply, call->argc - 2);
    for (uint32_t i = 2; i < call->argc; i++) {
        const struct command_entry *e = registry_find_full(call->host->commands, call->argv[i]);
        if (e) {
            command_info_reply(call->reply, e);
        } else {
            reply_null(call->reply);
        }
    }
}

static void count_commands(struct call *call) {
    reply_int(call->reply, registry_count(call->host->commands));
}

static void docs(struct call *call) {
    const struct command_registry *commands = call->host->commands;
    struct reply *reply = call->reply;
    uint32_t count = registry_count(commands);
    if (call->argc == 2) {
        reply_map(reply, count);
        for (uint32_t i = 0; i < count; i++) command_docs_reply(reply, registry_at(commands, i));
        return;
    }
    struct chunk *mark = reply_mark(reply);
    uint64_t found = 0;
    for (uint32_t i = 2; i < call->argc; i++) {
        const struct command_entry *e = registry_find_full(commands, call->argv[i]);
        if (!e) continue;
        command_docs_reply(reply, e);
        found++;
    }
    reply_fill_map(reply, mark, found);
}

/* ---- COMMAND LIST */

enum list_filter_kind { LIST_ALL, LIST_MODULE, LIST_CATEGORY, LIST_PATTERN };
struct list_filter {
    enum list_filter_kind kind;
    struct span text;
    uint32_t category; /* 0: unknown, fits none */
};

static uint32_t category_bit(struct span name) {
    for (uint32_t bit = 1; *category_name(bit); bit <<= 1) {
        if (span_is(name, category_name(bit))) return bit;
    }
    return 0;
}

static bool list_parse(struct call *call, struct list_filter *filter) {
    *filter = (struct list_filter){0};
    if (call->argc == 2) return true;
    if (call->argc != 5 || !call_is(call, 2, "filterby")) return false;
    filter->text = call->argv[4];
    if (call_is(call, 3, "module")) {
        filter->kind = LIST_MODULE;
    } else if (call_is(call, 3, "aclcat")) {
        filter->kind = LIST_CATEGORY;
        filter->category = category_bit(filter->text);
    } else if (call_is(call, 3, "pattern")) {
        filter->kind = LIST_PATTERN;
    }
    return filter->kind != LIST_ALL;
}

static bool list_takes(const struct list_filter *filter, const struct command_entry *e) {
    switch (filter->kind) {
    case LIST_ALL: return true;
    case LIST_MODULE: return false; /* there are no modules */
    case LIST_CATEGORY: return e->categories & filter->category;
    case LIST_PATTERN: return glob_match(filter->text, span_of(e->full_name), true);
    }
    return false;
}

static uint64_t list_one(struct reply *reply, const struct list_filter *filter,
                         const struct command_entry *e) {
    if (!list_takes(filter, e)) return 0;
    reply_bulk_text(reply, e->full_name);
    return 1;
}

static void list(struct call *call) {
    const struct command_registry *commands = call->host->commands;
    struct list_filter filter;
    uint64_t count = 0;
    if (!list_parse(call, &filter)) {
        call_syntax_error(call);
        return;
    }
    struct chunk *mark = reply_mark(call->reply);
    for (uint32_t i = 0; i < registry_count(commands); i++) {
        const struct command_entry *e = registry_at(commands, i);
        count += list_one(call->reply, &filter, e);
        for (uint32_t j = 0; j < e->subcommand_count; j++) {
            count += list_one(call->reply, &filter, &e->subcommands[j]);
        }
    }
    reply_fill_array(call->reply, mark, count);
}

/* ---- COMMAND GETKEYS */

static bool has_keys(const struct command *c) {
    if (c->find_keys) return true;
    for (uint32_t i = 0; i < key_spec_count(c); i++) {
        if (!(c->keys[i].flags & KEY_NOT_KEY)) return true;
    }
    return false;
}

/* The command that the arguments from 2 on would run. NULL after an error. */
static const struct command *getkeys_command(struct call *call) {
    const struct command_entry *e = registry_find(call->host->commands, call->argv[2]);
    uint32_t argc = call->argc - 2;
    if (e && e->subcommands && argc > 1) e = registry_find_subcommand(e, call->argv[3]);
    const char *error = NULL;
    if (!e) {
        error = "ERR Invalid command specified";
    } else if (!has_keys(e->command)) {
        error = "ERR The command has no key arguments";
    } else if (e->command->arity > 0 ? argc != (uint32_t)e->command->arity
                                     : argc < (uint32_t)-e->command->arity) {
        error = "ERR Invalid number of arguments specified for command";
    }
    if (!error) return e->command;
    reply_error(call->reply, error);
    return NULL;
}

static void reply_keys(struct call *call, bool with_flags) {
    const struct command *c = getkeys_command(call);
    const struct span *argv = call->argv + 2;
    uint32_t argc = call->argc - 2;
    if (!c) return;
    uint32_t *positions = call_scratch(call, argc * sizeof *positions);
    uint16_t *flags = call_scratch(call, argc * sizeof *flags);
    int count = command_keys(c, argv, argc, positions, flags, (int)argc);
    if (count <= 0 && !(c->flags & COMMAND_NO_MANDATORY_KEYS)) {
        reply_error(call->reply, "ERR Invalid arguments specified for command");
        return;
    }
    reply_array(call->reply, (uint64_t)MAX(count, 0));
    for (int i = 0; i < count; i++) {
        if (with_flags) reply_array(call->reply, 2);
        reply_bulk(call->reply, argv[positions[i]]);
        if (with_flags) command_key_flags_reply(call->reply, flags[i]);
    }
}

static void getkeys(struct call *call) {
    reply_keys(call, false);
}

static void getkeysandflags(struct call *call) {
    reply_keys(call, true);
}

static void help(struct call *call) {
    static const char *const lines[] = {
        "(no subcommand)",
        "    Return details about all commands.",
        "COUNT",
        "    Return the total number of commands in this server.",
        "LIST",
        "    Return a list of all commands in this server.",
        "INFO [<command-name> ...]",
        "    Return details about multiple commands.",
        "    If no command names are given, documentation details for all",
        "    commands are returned.",
        "DOCS [<command-name> ...]",
        "    Return documentation details about multiple commands.",
        "    If no command names are given, documentation details for all",
        "    commands are returned.",
        "GETKEYS <full-command>",
        "    Return the keys from a full command.",
        "GETKEYSANDFLAGS <full-command>",
        "    Return the keys and the access flags from a full command.",
        NULL,
    };
    call_help(call, lines);
}

const struct command command_subcommands[] = {
    {.name = "count",
     .run = count_commands,
     .arity = 2,
     .group = GROUP_SERVER,
     .flags = COMMAND_LOADING | COMMAND_STALE,
     .categories = CATEGORY_CONNECTION,
     .since = "2.8.13",
     .summary = "Returns a count of commands.",
     .complexity = "O(1)"},
    {.name = "docs",
     .run = docs,
     .arity = -2,
     .group = GROUP_SERVER,
     .flags = COMMAND_LOADING | COMMAND_STALE,
     .categories = CATEGORY_CONNECTION,
     .since = "7.0.0",
     .summary = "Returns documentary information about one, multiple or all commands.",
     .complexity = "O(N) where N is the number of commands to look up",
     .arguments = "[command-name:string...]",
     .tips = (const char *const[]){"nondeterministic_output_order", NULL}},
    {.name = "getkeys",
     .run = getkeys,
     .arity = -3,
     .group = GROUP_SERVER,
     .flags = COMMAND_LOADING | COMMAND_STALE,
     .categories = CATEGORY_CONNECTION,
     .since = "2.8.13",
     .summary = "Extracts the key names from an arbitrary command.",
     .complexity = "O(N) where N is the number of arguments to the command",
     .arguments = "command:string [arg:string...]"},
    {.name = "getkeysandflags",
     .run = getkeysandflags,
     .arity = -3,
     .group = GROUP_SERVER,
     .flags = COMMAND_LOADING | COMMAND_STALE,
     .categories = CATEGORY_CONNECTION,
     .since = "7.0.0",
     .summary = "Extracts the key names and access flags for an arbitrary command.",
     .complexity = "O(N) where N is the number of arguments to the command",
     .arguments = "command:string [arg:string...]"},
    {.name = "help",
     .run = help,
     .arity = 2,
     .group = GROUP_SERVER,
     .flags = COMMAND_LOADING | COMMAND_STALE,
     .categories = CATEGORY_CONNECTION,
     .since = "5.0.0",
     .summary = "Returns helpful text about the different subcommands.",
     .complexity = "O(1)"},
    {.name = "info",
     .run = info,
     .arity = -2,
     .group = GROUP_SERVER,
     .flags = COMMAND_LOADING | COMMAND_STALE,
     .categories = CATEGORY_CONNECTION,
     .since = "2.8.13",
     .summary = "Returns information about one, multiple or all commands.",
     .complexity = "O(N) where N is the number of commands to look up",
     .arguments = "[command-name:string...]",
     .tips = (const char *const[]){"nondeterministic_output_order", NULL}},
    {.name = "list",
     .run = list,
     .arity = -2,
     .group = GROUP_SERVER,
     .flags = COMMAND_LOADING | COMMAND_STALE,
     .categories = CATEGORY_CONNECTION,
     .since = "7.0.0",
     .summary = "Returns a list of command names.",
     .complexity = "O(N) where N is the total number of commands",
     .arguments =
         "[FILTERBY filterby:(MODULE module-name:string | ACLCAT category:string | PATTERN "
         "pattern:pattern)]",
     .tips = (const char *const[]){"nondeterministic_output_order", NULL}},
    {.name = NULL},
};
