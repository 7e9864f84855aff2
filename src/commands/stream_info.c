/* XINFO: what there is to know about a stream, its groups and their consumers. */
#include "base/clock.h"
#include "commands/stream.h"

enum { FULL_COUNT = 10 };

/* The stream of argument 2; NULL after the error was written. */
static const struct stream *find(struct call *call) {
    const struct entry *e = call_find(call, 2);
    if (!e) reply_error(call->reply, ERROR_NO_KEY_TEXT);
    return e && call_check_type(call, e, ENTRY_STREAM) ? entry_object(e) : NULL;
}

static void reply_named_int(struct reply *reply, const char *name, int64_t value) {
    reply_bulk_text(reply, name);
    reply_int(reply, value);
}

static void reply_named_id(struct reply *reply, const char *name, struct stream_id id) {
    reply_bulk_text(reply, name);
    stream_reply_id(reply, id);
}

static void reply_name(struct reply *reply, struct span name) {
    reply_bulk_text(reply, "name");
    reply_bulk(reply, name);
}

/* entries-read and lag: null when they are not known. */
static void reply_progress(struct reply *reply, const struct stream *s,
                           const struct stream_group *g) {
    int64_t lag;
    reply_bulk_text(reply, "entries-read");
    if (g->entries_read == STREAM_ENTRIES_READ_UNKNOWN) {
        reply_null(reply);
    } else {
        reply_int(reply, g->entries_read);
    }
    reply_bulk_text(reply, "lag");
    if (stream_group_lag(s, g, &lag)) {
        reply_int(reply, lag);
    } else {
        reply_null(reply);
    }
}

/* ---- XINFO STREAM */

static void reply_edge(struct reply *reply, const char *name, const struct stream *s, bool last) {
    struct stream_range range = {STREAM_ID_ZERO, STREAM_ID_MAX, last};
    struct stream_walk w;
    reply_bulk_text(reply, name);
    if (stream_walk_begin(&w, s, range)) {
        stream_reply_entry(reply, &w);
    } else {
        reply_null(reply);
    }
}

/* Up to `count` (0: all) of what is pending; for a group with the consumers' names. */
static void reply_pending(struct reply *reply, const struct stream_tree *pending, bool names,
                          uint64_t count) {
    uint64_t left = count ? MIN(count, pending->count) : pending->count;
    struct stream_tree_path path;
    reply_bulk_text(reply, "pending");
    reply_array(reply, left);
    for (bool there = stream_tree_first(pending, &path); there && left-- > 0;
         there = stream_tree_next(&path)) {
        const struct stream_pending *p = stream_tree_value(&path);
        reply_array(reply, names ? 4 : 3);
        stream_reply_id(reply, stream_tree_id(&path));
        if (names) reply_bulk(reply, p->consumer->name);
        reply_int(reply, p->delivery_ms);
        reply_int(reply, p->delivery_count);
    }
}

static void reply_full_consumer(struct reply *reply, const struct stream_consumer *c,
                                uint64_t count) {
    reply_map(reply, 5);
    reply_name(reply, c->name);
    reply_named_int(reply, "seen-time", c->seen_ms);
    reply_named_int(reply, "active-time", c->active_ms);
    reply_named_int(reply, "pel-count", (int64_t)c->pending.count);
    reply_pending(reply, &c->pending, false, count);
}

static void reply_full_group(struct reply *reply, const struct stream *s,
                             const struct stream_group *g, uint64_t count) {
    reply_map(reply, 7);
    reply_name(reply, g->name);
    reply_named_id(reply, "last-delivered-id", g->last_id);
    reply_progress(reply, s, g);
    reply_named_int(reply, "pel-count", (int64_t)g->pending.count);
    reply_pending(reply, &g->pending, true, count);
    reply_bulk_text(reply, "consumers");
    reply_array(reply, g->consumers.count);
    for (uint32_t i = 0; i < g->consumers.count; i++)
        reply_full_consumer(reply, stream_consumer_at(g, i), count);
}

static void reply_stream(struct reply *reply, const struct stream *s) {
    reply_named_int(reply, "length", (int64_t)s->length);
    reply_named_int(reply, "radix-tree-keys", (int64_t)s->blocks.count);
    reply_named_int(reply, "radix-tree-nodes", (int64_t)s->blocks.node_count + 1);
    reply_named_id(reply, "last-generated-id", s->last_id);
    reply_named_id(reply, "max-deleted-entry-id", s->max_deleted_id);
    reply_named_int(reply, "entries-added", (int64_t)s->entries_added);
    reply_named_id(reply, "recorded-first-entry-id", s->first_id);
}

static void reply_full(struct reply *reply, const struct stream *s, uint64_t count) {
    reply_map(reply, 9);
    reply_stream(reply, s);
    reply_bulk_text(reply, "entries");
    stream_reply_range(reply, s, (struct stream_range){.high = STREAM_ID_MAX}, count);
    reply_bulk_text(reply, "groups");
    reply_array(reply, s->groups.count);
    for (uint32_t i = 0; i < s->groups.count; i++)
        reply_full_group(reply, s, stream_group_at(s, i), count);
}

static void reply_short(struct reply *reply, const struct stream *s) {
    reply_map(reply, 10);
    reply_stream(reply, s);
    reply_named_int(reply, "groups", s->groups.count);
    reply_edge(reply, "first-entry", s, false);
    reply_edge(reply, "last-entry", s, true);
}

static void xinfo_stream(struct call *call) {
    const struct stream *s = find(call);
    int64_t count = FULL_COUNT;
    if (!s) return;
    if (call->argc == 3) {
        reply_short(call->reply, s);
        return;
    }
    if ((call->argc != 4 && call->argc != 6) || !call_is(call, 3, "FULL") ||
        (call->argc == 6 && !call_is(call, 4, "COUNT"))) {
        call_subcommand_error(call);
        return;
    }
    if (call->argc == 6 && !call_int(call, 5, &count)) return;
    reply_full(call->reply, s, count < 0 ? FULL_COUNT : (uint64_t)count);
}

/* ---- XINFO GROUPS, XINFO CONSUMERS */

static void xinfo_groups(struct call *call) {
    const struct stream *s = find(call);
    struct reply *reply = call->reply;
    if (!s) return;
    reply_array(reply, s->groups.count);
    for (uint32_t i = 0; i < s->groups.count; i++) {
        const struct stream_group *g = stream_group_at(s, i);
        reply_map(reply, 6);
        reply_name(reply, g->name);
        reply_named_int(reply, "consumers", g->consumers.count);
        reply_named_int(reply, "pending", (int64_t)g->pending.count);
        reply_named_id(reply, "last-delivered-id", g->last_id);
        reply_progress(reply, s, g);
    }
}

static void xinfo_consumers(struct call *call) {
    const struct stream *s = find(call);
    struct reply *reply = call->reply;
    const struct stream_group *g;
    int64_t now_ms = clock_real_ms();
    if (!s) return;
    g = stream_group_find(s, call->argv[3]);
    if (!g) {
        struct span key = call->argv[2], name = call->argv[3];
        reply_errorf(reply, "NOGROUP No such consumer group '%.*s' for key name '%.*s'",
                     (int)name.len, name.data, (int)key.len, key.data);
        return;
    }
    reply_array(reply, g->consumers.count);
    for (uint32_t i = 0; i < g->consumers.count; i++) {
        const struct stream_consumer *c = stream_consumer_at(g, i);
        reply_map(reply, 4);
        reply_name(reply, c->name);
        reply_named_int(reply, "pending", (int64_t)c->pending.count);
        reply_named_int(reply, "idle", MAX(now_ms - c->seen_ms, 0));
        reply_named_int(reply, "inactive", c->active_ms < 0 ? -1 : now_ms - c->active_ms);
    }
}

static void xinfo_help(struct call *call) {
    static const char *const lines[] = {
        "CONSUMERS <key> <groupname>",
        "    Show consumers of <groupname>.",
        "GROUPS <key>",
        "    Show the stream consumer groups.",
        "STREAM <key> [FULL [COUNT <count>]",
        "    Show information about the stream.",
        NULL,
    };
    call_help(call, lines);
}

static const char *const nondeterministic[] = {"nondeterministic_output", NULL};

const struct command stream_xinfo_subcommands[] = {
    {.name = "consumers",
     .run = xinfo_consumers,
     .arity = 4,
     .group = GROUP_STREAM,
     .flags = COMMAND_READONLY,
     .categories = CATEGORY_STREAM,
     .keys = {KEY_AT(2, KEY_RO | KEY_ACCESS)},
     .since = "5.0.0",
     .summary = "Returns a list of the consumers in a consumer group.",
     .complexity = "O(1)",
     .arguments = "key:key group:string",
     .tips = nondeterministic},
    {.name = "groups",
     .run = xinfo_groups,
     .arity = 3,
     .group = GROUP_STREAM,
     .flags = COMMAND_READONLY,
     .categories = CATEGORY_STREAM,
     .keys = {KEY_AT(2, KEY_RO | KEY_ACCESS)},
     .since = "5.0.0",
     .summary = "Returns a list of the consumer groups of a stream.",
     .complexity = "O(1)",
     .arguments = "key:key"},
    {.name = "help",
     .run = xinfo_help,
     .arity = 2,
     .group = GROUP_STREAM,
     .flags = COMMAND_LOADING | COMMAND_STALE,
     .categories = CATEGORY_STREAM,
     .since = "5.0.0",
     .summary = "Returns helpful text about the different subcommands.",
     .complexity = "O(1)"},
    {.name = "stream",
     .run = xinfo_stream,
     .arity = -3,
     .group = GROUP_STREAM,
     .flags = COMMAND_READONLY,
     .categories = CATEGORY_STREAM,
     .keys = {KEY_AT(2, KEY_RO | KEY_ACCESS)},
     .since = "5.0.0",
     .summary = "Returns information about a stream.",
     .complexity = "O(1)",
     .arguments = "key:key [full-block:(FULL [COUNT count:integer])]"},
    {.name = NULL},
};
