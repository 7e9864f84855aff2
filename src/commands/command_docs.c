/* COMMAND DOCS: a command's row as documentation. https://redis.io/docs/latest/commands/command-docs/ */
#include "commands/families.h"
#include "commands/grammar.h"
#include "commands/registry.h"

static const char *const group_names[] = {
    [GROUP_GENERIC] = "generic",
    [GROUP_STRING] = "string",
    [GROUP_LIST] = "list",
    [GROUP_SET] = "set",
    [GROUP_SORTED_SET] = "sorted-set",
    [GROUP_HASH] = "hash",
    [GROUP_PUBSUB] = "pubsub",
    [GROUP_TRANSACTIONS] = "transactions",
    [GROUP_CONNECTION] = "connection",
    [GROUP_SERVER] = "server",
    [GROUP_SCRIPTING] = "scripting",
    [GROUP_HYPERLOGLOG] = "hyperloglog",
    [GROUP_GEO] = "geo",
    [GROUP_STREAM] = "stream",
    [GROUP_BITMAP] = "bitmap",
};

/* The functions below each write a pair, if there is something to tell, and return how many they wrote. With a reply of NULL they
 * only count: a map begins with its length, and thousands of places left open for lengths would be dear. */
static uint64_t put_pair(struct reply *reply, const char *name, struct span value) {
    if (value.len == 0) return 0;
    if (reply) {
        reply_bulk_text(reply, name);
        reply_bulk(reply, value);
    }
    return 1;
}

static uint64_t put_text(struct reply *reply, const char *name, const char *value) {
    return value ? put_pair(reply, name, span_of(value)) : 0;
}

/* ---- arguments */

static uint64_t put_arg_flags(struct reply *reply, const struct grammar_arg *arg) {
    uint64_t count = (uint64_t)arg->optional + arg->multiple + arg->multiple_token;
    if (count == 0) return 0;
    if (!reply) return 1;
    reply_bulk_text(reply, "flags");
    reply_set(reply, count);
    if (arg->optional) reply_status(reply, "optional");
    if (arg->multiple) reply_status(reply, "multiple");
    if (arg->multiple_token) reply_status(reply, "multiple_token");
    return 1;
}

static uint64_t put_key_spec(struct reply *reply, const struct grammar_arg *arg) {
    if (arg->key_spec < 0) return 0;
    if (!reply) return 1;
    reply_bulk_text(reply, "key_spec_index");
    reply_int(reply, arg->key_spec);
    return 1;
}

static uint64_t put_arg_fields(struct reply *reply, const struct grammar_arg *arg) {
    char lower[GRAMMAR_NAME_MAX];
    struct span name = grammar_name(arg, lower);
    uint64_t pairs = 0;
    pairs += put_pair(reply, "name", name);
    pairs += put_text(reply, "type", grammar_type_name(arg->type));
    if (arg->child_count == 0) {
        pairs += put_pair(reply, "display_text", arg->display.len ? arg->display : name);
    }
    pairs += put_key_spec(reply, arg);
    pairs += put_pair(reply, "token", arg->token);
    pairs += put_pair(reply, "since", arg->since);
    pairs += put_pair(reply, "deprecated_since", arg->deprecated_since);
    pairs += put_arg_flags(reply, arg);
    return pairs;
}

static void put_args(struct reply *reply, const struct grammar *grammar, int16_t first,
                     uint16_t count) {
    reply_array(reply, count);
    for (int16_t at = first; at >= 0; at = grammar->args[at].next) {
        const struct grammar_arg *arg = &grammar->args[at];
        reply_map(reply, put_arg_fields(NULL, arg) + (arg->child_count > 0));
        put_arg_fields(reply, arg);
        if (arg->child_count == 0) continue;
        reply_bulk_text(reply, "arguments");
        put_args(reply, grammar, arg->first_child, arg->child_count);
    }
}

static uint64_t put_arguments(struct reply *reply, const char *text) {
    struct grammar grammar;
    if (!text || grammar_parse(text, &grammar) < 0 || grammar.count == 0) return 0;
    if (!reply) return 1;
    reply_bulk_text(reply, "arguments");
    put_args(reply, &grammar, grammar.first, grammar.count);
    return 1;
}

/* ---- the command */

static uint64_t put_doc_flags(struct reply *reply, const struct command *c) {
    bool system = c->flags & COMMAND_SYSTEM, deprecated = c->deprecated_since != NULL;
    if (!system && !deprecated) return 0;
    if (!reply) return 1;
    reply_bulk_text(reply, "doc_flags");
    reply_set(reply, (uint64_t)system + deprecated);
    if (deprecated) reply_status(reply, "deprecated");
    if (system) reply_status(reply, "syscmd");
    return 1;
}

static uint64_t put_subcommands(struct reply *reply, const struct command_entry *entry) {
    if (entry->subcommand_count == 0) return 0;
    if (!reply) return 1;
    reply_bulk_text(reply, "subcommands");
    reply_map(reply, entry->subcommand_count);
    for (uint32_t i = 0; i < entry->subcommand_count; i++) {
        command_docs_reply(reply, &entry->subcommands[i]);
    }
    return 1;
}

static uint64_t put_command(struct reply *reply, const struct command_entry *entry) {
    const struct command *c = entry->command;
    uint64_t pairs = 0;
    pairs += put_text(reply, "summary", c->summary);
    pairs += put_text(reply, "since", c->since);
    pairs += put_text(reply, "group", group_names[c->group]);
    pairs += put_text(reply, "complexity", c->complexity);
    pairs += put_doc_flags(reply, c);
    pairs += put_text(reply, "deprecated_since", c->deprecated_since);
    pairs += put_text(reply, "replaced_by", c->replaced_by);
    pairs += put_arguments(reply, c->arguments);
    pairs += put_subcommands(reply, entry);
    return pairs;
}

/* A pair: the full name and a map of what is known. */
void command_docs_reply(struct reply *reply, const struct command_entry *entry) {
    reply_bulk_text(reply, entry->full_name);
    reply_map(reply, put_command(NULL, entry));
    put_command(reply, entry);
}
