/* XGROUP and XACK. */
#include "base/clock.h"
#include "commands/blocking.h"
#include "commands/stream.h"

/* ---- XGROUP */

static void no_group_error(struct call *call) {
    struct span key = call->argv[2], name = call->argv[3];
    reply_errorf(call->reply, "NOGROUP No such consumer group '%.*s' for key name '%.*s'",
                 (int)name.len, name.data, (int)key.len, key.data);
}

static void no_key_error(struct call *call) {
    reply_error(call->reply,
                "ERR The XGROUP subcommand requires the key to exist. Note that for CREATE you may "
                "want to use the MKSTREAM option to create an empty stream automatically.");
}

struct group_options {
    bool create;
    int64_t entries_read;
};

/* Arguments from 5 on: ENTRIESREAD n; for CREATE also MKSTREAM. */
static bool parse_group_options(struct call *call, bool creating, struct group_options *options) {
    *options = (struct group_options){.entries_read = STREAM_ENTRIES_READ_UNKNOWN};
    for (uint32_t at = 5; at < call->argc; at++) {
        if (creating && call_is(call, at, "MKSTREAM")) {
            options->create = true;
        } else if (at + 1 < call->argc && call_is(call, at, "ENTRIESREAD")) {
            if (!call_int(call, ++at, &options->entries_read)) return false;
            if (options->entries_read < STREAM_ENTRIES_READ_UNKNOWN) {
                reply_error(call->reply, "ERR value for ENTRIESREAD must be positive or -1");
                return false;
            }
        } else {
            call_subcommand_error(call);
            return false;
        }
    }
    return true;
}

/* "$" is the stream's last id. */
static bool group_id(struct call *call, const struct stream *s, bool strict, struct stream_id *id) {
    const struct stream_id_form form = {.special = !strict};
    if (span_eq(call->argv[4], SPAN("$"))) {
        *id = s ? s->last_id : STREAM_ID_ZERO;
        return true;
    }
    if (stream_parse_id(call->argv[4], &form, id)) return true;
    reply_error(call->reply, "ERR Invalid stream ID specified as stream command argument");
    return false;
}

static void xgroup_create(struct call *call) {
    struct group_options options;
    struct stream_edit edit;
    struct stream_id id;
    if (!parse_group_options(call, true, &options) || !stream_edit_begin(&edit, call, 2)) return;
    if (!edit.entry && !options.create) {
        no_key_error(call);
        return;
    }
    if (call->argc > 8) {
        call_subcommand_error(call);
        return;
    }
    if (!group_id(call, edit.stream, true, &id)) return;
    if (!edit.entry && !stream_edit_put_new(&edit, stream_new())) return;
    if (stream_edit_group(&edit, 3)) {
        reply_error(call->reply, "BUSYGROUP Consumer Group name already exists");
        return;
    }
    if (!stream_group_try_add(edit.stream, call->argv[3], id, options.entries_read)) {
        reply_error(call->reply, ERROR_MEMORY_TEXT);
        return;
    }
    stream_edit_tell(&edit, "xgroup-create");
    reply_ok(call->reply);
}

/* The stream of argument 2; false after the error was written. */
static bool begin_existing(struct stream_edit *edit, struct call *call) {
    if (!stream_edit_begin(edit, call, 2)) return false;
    if (!edit->entry) no_key_error(call);
    return edit->entry != NULL;
}

/* And the group of argument 3; NULL after the error was written. */
static struct stream_group *begin_group(struct stream_edit *edit, struct call *call) {
    struct stream_group *g = NULL;
    if (!begin_existing(edit, call)) return NULL;
    g = stream_edit_group(edit, 3);
    if (!g) no_group_error(call);
    return g;
}

static void xgroup_setid(struct call *call) {
    struct group_options options;
    struct stream_edit edit;
    struct stream_group *g;
    struct stream_id id;
    if (!parse_group_options(call, false, &options)) return;
    g = begin_group(&edit, call);
    if (!g) return;
    if (call->argc != 5 && call->argc != 7) {
        call_subcommand_error(call);
        return;
    }
    if (!group_id(call, edit.stream, false, &id)) return;
    g->last_id = id;
    g->entries_read = options.entries_read;
    stream_edit_tell(&edit, "xgroup-setid");
    reply_ok(call->reply);
}

static void xgroup_destroy(struct call *call) {
    struct stream_edit edit;
    struct stream_group *g;
    if (!begin_existing(&edit, call)) return;
    g = stream_edit_group(&edit, 3);
    if (g) {
        stream_edit_drop(&edit, stream_group_cut(edit.stream, g));
        stream_edit_tell(&edit, "xgroup-destroy"); /* its readers wake up to an error */
    }
    reply_int(call->reply, g != NULL);
}

static void xgroup_createconsumer(struct call *call) {
    struct stream_edit edit;
    struct stream_group *g = begin_group(&edit, call);
    if (!g) return;
    if (stream_consumer_find(g, call->argv[4])) {
        reply_int(call->reply, 0);
    } else if (stream_edit_consumer(&edit, g, 4)) {
        reply_int(call->reply, 1);
    }
}

static void xgroup_delconsumer(struct call *call) {
    struct stream_edit edit;
    struct stream_group *g = begin_group(&edit, call);
    struct stream_consumer *c;
    uint64_t pending = 0;
    if (!g) return;
    c = stream_consumer_find(g, call->argv[4]);
    if (c) {
        pending = c->pending.count;
        stream_edit_drop(&edit, stream_consumer_remove(edit.stream, g, c));
        stream_edit_tell(&edit, "xgroup-delconsumer");
    }
    reply_int(call->reply, (int64_t)pending);
}

static void xgroup_help(struct call *call) {
    static const char *const lines[] = {
        "CREATE <key> <groupname> <id|$> [option]",
        "    Create a new consumer group. Options are:",
        "    * MKSTREAM",
        "      Create the empty stream if it does not exist.",
        "    * ENTRIESREAD entries_read",
        "      Set the group's entries_read counter (internal use).",
        "CREATECONSUMER <key> <groupname> <consumer>",
        "    Create a new consumer in the specified group.",
        "DELCONSUMER <key> <groupname> <consumer>",
        "    Remove the specified consumer.",
        "DESTROY <key> <groupname>",
        "    Remove the specified group.",
        "SETID <key> <groupname> <id|$> [ENTRIESREAD entries_read]",
        "    Set the current group ID and entries_read counter.",
        NULL,
    };
    call_help(call, lines);
}

/* ---- XACK */

void stream_xack(struct call *call) {
    struct stream_edit edit;
    const struct stream_id *ids;
    struct stream_group *g;
    int64_t removed = 0;
    if (!stream_edit_begin_reading(&edit, call, 1)) return;
    g = stream_edit_group(&edit, 2);
    if (!g) {
        reply_int(call->reply, 0);
        return;
    }
    ids = stream_id_arguments(call, 3);
    if (!ids) return;
    for (uint32_t i = 0; i < call->argc - 3; i++) removed += stream_pending_remove(g, ids[i]);
    if (removed) stream_edit_tell(&edit, NULL);
    reply_int(call->reply, removed);
}

const struct command stream_xgroup_subcommands[] = {
    {.name = "create",
     .run = xgroup_create,
     .arity = -5,
     .group = GROUP_STREAM,
     .flags = COMMAND_WRITE | COMMAND_DENYOOM,
     .categories = CATEGORY_STREAM,
     .keys = {KEY_AT(2, KEY_RW | KEY_INSERT)},
     .since = "5.0.0",
     .summary = "Creates a consumer group.",
     .complexity = "O(1)",
     .arguments = "key:key group:string id-selector:(id:string | new-id=$) [MKSTREAM] [ENTRIESREAD "
                  "entriesread:integer<entries-read>]"},
    {.name = "createconsumer",
     .run = xgroup_createconsumer,
     .arity = 5,
     .group = GROUP_STREAM,
     .flags = COMMAND_WRITE | COMMAND_DENYOOM,
     .categories = CATEGORY_STREAM,
     .keys = {KEY_AT(2, KEY_RW | KEY_INSERT)},
     .since = "6.2.0",
     .summary = "Creates a consumer in a consumer group.",
     .complexity = "O(1)",
     .arguments = "key:key group:string consumer:string"},
    {.name = "delconsumer",
     .run = xgroup_delconsumer,
     .arity = 5,
     .group = GROUP_STREAM,
     .flags = COMMAND_WRITE,
     .categories = CATEGORY_STREAM,
     .keys = {KEY_AT(2, KEY_RW | KEY_DELETE)},
     .since = "5.0.0",
     .summary = "Deletes a consumer from a consumer group.",
     .complexity = "O(1)",
     .arguments = "key:key group:string consumer:string"},
    {.name = "destroy",
     .run = xgroup_destroy,
     .arity = 4,
     .group = GROUP_STREAM,
     .flags = COMMAND_WRITE,
     .categories = CATEGORY_STREAM,
     .keys = {KEY_AT(2, KEY_RW | KEY_DELETE)},
     .since = "5.0.0",
     .summary = "Destroys a consumer group.",
     .complexity =
         "O(N) where N is the number of entries in the group's pending entries list (PEL).",
     .arguments = "key:key group:string"},
    {.name = "help",
     .run = xgroup_help,
     .arity = 2,
     .group = GROUP_STREAM,
     .flags = COMMAND_LOADING | COMMAND_STALE,
     .categories = CATEGORY_STREAM,
     .since = "5.0.0",
     .summary = "Returns helpful text about the different subcommands.",
     .complexity = "O(1)"},
    {.name = "setid",
     .run = xgroup_setid,
     .arity = -5,
     .group = GROUP_STREAM,
     .flags = COMMAND_WRITE,
     .categories = CATEGORY_STREAM,
     .keys = {KEY_AT(2, KEY_RW | KEY_UPDATE)},
     .since = "5.0.0",
     .summary = "Sets the last-delivered ID of a consumer group.",
     .complexity = "O(1)",
     .arguments = "key:key group:string id-selector:(id:string | new-id=$) [ENTRIESREAD "
                  "entriesread:integer<entries-read>]"},
    {.name = NULL},
};
