/* Streams: https://redis.io/docs/latest/commands/?group=stream. The table; entries and groups are in src/types/stream.c and
 * stream_group.c, the handlers in the stream_*.c beside this file. */
#include "commands/stream.h"

/* ---- the value, for the keyspace */

static void value_free(void *object) {
    stream_free(object);
}
static void *value_try_copy(const void *object) {
    return stream_try_copy(object);
}
static size_t value_memory_bytes(const void *object) {
    return stream_memory_bytes(object);
}
static uint64_t value_free_effort(const void *object) {
    return stream_free_effort(object);
}
static bool value_free_step(void *object, uint32_t effort) {
    return stream_free_step(object, effort);
}
static const char *value_encoding(const void *object) {
    (void)object;
    return "stream";
}

const struct value_ops stream_value_ops = {
    .free = value_free,
    .try_copy = value_try_copy,
    .memory_bytes = value_memory_bytes,
    .free_effort = value_free_effort,
    .free_step = value_free_step,
    .encoding = value_encoding,
};

static const char *const nondeterministic[] = {"nondeterministic_output", NULL};

const struct command commands_stream[] = {
    {.name = "xadd",
     .run = stream_xadd,
     .arity = -5,
     .group = GROUP_STREAM,
     .flags = COMMAND_WRITE | COMMAND_DENYOOM | COMMAND_FAST,
     .categories = CATEGORY_STREAM,
     .keys = {KEY_ONE(KEY_RW | KEY_UPDATE)},
     .since = "5.0.0",
     .summary = "Appends a new message to a stream. Creates the key if it doesn't exist.",
     .complexity = "O(1) when adding a new entry, O(N) when trimming where N being the number of "
                   "entries evicted.",
     .arguments =
         "key:key [NOMKSTREAM@6.2.0] [trim:(strategy:(MAXLEN | MINID@6.2.0) [operator:(equal== | "
         "approximately=~)] threshold:string [LIMIT count:integer@6.2.0])] id-selector:(auto-id=* "
         "| id:string) (field:string value:string)...",
     .tips = nondeterministic},
    {.name = "xlen",
     .run = stream_xlen,
     .arity = 2,
     .group = GROUP_STREAM,
     .flags = COMMAND_READONLY | COMMAND_FAST,
     .categories = CATEGORY_STREAM,
     .keys = {KEY_ONE(KEY_RO)},
     .since = "5.0.0",
     .summary = "Returns the number of messages in a stream.",
     .complexity = "O(1)",
     .arguments = "key:key"},
    {.name = "xrange",
     .run = stream_xrange,
     .arity = -4,
     .group = GROUP_STREAM,
     .flags = COMMAND_READONLY,
     .categories = CATEGORY_STREAM,
     .keys = {KEY_ONE(KEY_RO | KEY_ACCESS)},
     .since = "5.0.0",
     .summary = "Returns the messages from a stream within a range of IDs.",
     .complexity =
         "O(N) with N being the number of elements being returned. If N is constant (e.g. always "
         "asking for the first 10 elements with COUNT), you can consider it O(1).",
     .arguments = "key:key start:string end:string [COUNT count:integer]"},
    {.name = "xrevrange",
     .run = stream_xrevrange,
     .arity = -4,
     .group = GROUP_STREAM,
     .flags = COMMAND_READONLY,
     .categories = CATEGORY_STREAM,
     .keys = {KEY_ONE(KEY_RO | KEY_ACCESS)},
     .since = "5.0.0",
     .summary = "Returns the messages from a stream within a range of IDs in reverse order.",
     .complexity = "O(N) with N being the number of elements returned. If N is constant (e.g. "
                   "always asking for the first 10 elements with COUNT), you can consider it O(1).",
     .arguments = "key:key end:string start:string [COUNT count:integer]"},
    {.name = "xread",
     .run = stream_xread,
     .arity = -4,
     .group = GROUP_STREAM,
     .flags = COMMAND_READONLY | COMMAND_BLOCKING | COMMAND_MOVABLE_KEYS,
     .categories = CATEGORY_STREAM,
     .keys = {{.flags = KEY_RO | KEY_ACCESS,
               .keyword = "STREAMS",
               .start_from = 1,
               .last_key = -1,
               .step = 1,
               .limit = 2}},
     .since = "5.0.0",
     .summary = "Returns messages from multiple streams with IDs greater than the ones requested. "
                "Blocks until a message is available otherwise.",
     .arguments = "[COUNT count:integer] [BLOCK milliseconds:integer] STREAMS streams:(key:key... "
                  "id:string...)"},
    {.name = "xdel",
     .run = stream_xdel,
     .arity = -3,
     .group = GROUP_STREAM,
     .flags = COMMAND_WRITE | COMMAND_FAST,
     .categories = CATEGORY_STREAM,
     .keys = {KEY_ONE(KEY_RW | KEY_DELETE)},
     .since = "5.0.0",
     .summary = "Returns the number of messages after removing them from a stream.",
     .complexity =
         "O(1) for each single item to delete in the stream, regardless of the stream size.",
     .arguments = "key:key id:string..."},
    {.name = "xtrim",
     .run = stream_xtrim,
     .arity = -4,
     .group = GROUP_STREAM,
     .flags = COMMAND_WRITE,
     .categories = CATEGORY_STREAM,
     .keys = {KEY_ONE(KEY_RW | KEY_DELETE)},
     .since = "5.0.0",
     .summary = "Deletes messages from the beginning of a stream.",
     .complexity = "O(N), with N being the number of evicted entries. Constant times are very "
                   "small however, since entries are organized in macro nodes containing multiple "
                   "entries that can be released with a single deallocation.",
     .arguments = "key:key trim:(strategy:(MAXLEN | MINID@6.2.0) [operator:(equal== | "
                  "approximately=~)] threshold:string [LIMIT count:integer@6.2.0])",
     .tips = nondeterministic},
    {.name = "xsetid",
     .run = stream_xsetid,
     .arity = -3,
     .group = GROUP_STREAM,
     .flags = COMMAND_WRITE | COMMAND_DENYOOM | COMMAND_FAST,
     .categories = CATEGORY_STREAM,
     .keys = {KEY_ONE(KEY_RW | KEY_UPDATE)},
     .since = "5.0.0",
     .summary = "An internal command for replicating stream values.",
     .complexity = "O(1)",
     .arguments = "key:key last-id:string [ENTRIESADDED entries-added:integer@7.0.0] [MAXDELETEDID "
                  "max-deleted-id:string@7.0.0]"},
    {.name = "xgroup",
     .arity = -2,
     .group = GROUP_STREAM,
     .since = "5.0.0",
     .summary = "A container for consumer groups commands.",
     .complexity = "Depends on subcommand.",
     .subcommands = stream_xgroup_subcommands},
    {.name = "xreadgroup",
     .run = stream_xreadgroup,
     .arity = -7,
     .group = GROUP_STREAM,
     .flags = COMMAND_WRITE | COMMAND_BLOCKING | COMMAND_MOVABLE_KEYS,
     .categories = CATEGORY_STREAM,
     .keys = {{.flags = KEY_RO | KEY_ACCESS,
               .keyword = "STREAMS",
               .start_from = 4,
               .last_key = -1,
               .step = 1,
               .limit = 2}},
     .since = "5.0.0",
     .summary = "Returns new or historical messages from a stream for a consumer in a group. "
                "Blocks until a message is available otherwise.",
     .complexity =
         "For each stream mentioned: O(M) with M being the number of elements returned. If M is "
         "constant (e.g. always asking for the first 10 elements with COUNT), you can consider it "
         "O(1). On the other side when XREADGROUP blocks, XADD will pay the O(N) time in order to "
         "serve the N clients blocked on the stream getting new data.",
     .arguments = "GROUP group-block:(group:string consumer:string) [COUNT count:integer] [BLOCK "
                  "milliseconds:integer] [NOACK] STREAMS streams:(key:key... id:string...)"},
    {.name = "xack",
     .run = stream_xack,
     .arity = -4,
     .group = GROUP_STREAM,
     .flags = COMMAND_WRITE | COMMAND_FAST,
     .categories = CATEGORY_STREAM,
     .keys = {KEY_ONE(KEY_RW | KEY_UPDATE)},
     .since = "5.0.0",
     .summary = "Returns the number of messages that were successfully acknowledged by the "
                "consumer group member of a stream.",
     .complexity = "O(1) for each message ID processed.",
     .arguments = "key:key group:string id:string..."},
    {.name = "xpending",
     .run = stream_xpending,
     .arity = -3,
     .group = GROUP_STREAM,
     .flags = COMMAND_READONLY,
     .categories = CATEGORY_STREAM,
     .keys = {KEY_ONE(KEY_RO | KEY_ACCESS)},
     .since = "5.0.0",
     .summary =
         "Returns the information and entries from a stream consumer group's pending entries list.",
     .complexity = "O(N) with N being the number of elements returned, so asking for a small fixed "
                   "number of entries per call is O(1). O(M), where M is the total number of "
                   "entries scanned when used with the IDLE filter. When the command returns just "
                   "the summary and the list of consumers is small, it runs in O(1) time; "
                   "otherwise, an additional O(N) time for iterating every consumer.",
     .arguments = "key:key group:string [filters:([IDLE min-idle-time:integer@6.2.0] start:string "
                  "end:string count:integer [consumer:string])]",
     .tips = nondeterministic},
    {.name = "xclaim",
     .run = stream_xclaim,
     .arity = -6,
     .group = GROUP_STREAM,
     .flags = COMMAND_WRITE | COMMAND_FAST,
     .categories = CATEGORY_STREAM,
     .keys = {KEY_ONE(KEY_RW | KEY_UPDATE)},
     .since = "5.0.0",
     .summary = "Changes, or acquires, ownership of a message in a consumer group, as if the "
                "message was delivered to a consumer group member.",
     .complexity = "O(log N) with N being the number of messages in the PEL of the consumer group.",
     .arguments = "key:key group:string consumer:string min-idle-time:string id:string... [IDLE "
                  "ms:integer] [TIME unix-time-milliseconds:unix-time] [RETRYCOUNT count:integer] "
                  "[FORCE] [JUSTID] [LASTID lastid:string]",
     .tips = nondeterministic},
    {.name = "xautoclaim",
     .run = stream_xautoclaim,
     .arity = -6,
     .group = GROUP_STREAM,
     .flags = COMMAND_WRITE | COMMAND_FAST,
     .categories = CATEGORY_STREAM,
     .keys = {KEY_ONE(KEY_RW | KEY_DELETE)},
     .since = "6.2.0",
     .summary = "Changes, or acquires, ownership of messages in a consumer group, as if the "
                "messages were delivered to a consumer group member.",
     .complexity = "O(1) if COUNT is small.",
     .arguments = "key:key group:string consumer:string min-idle-time:string start:string [COUNT "
                  "count:integer] [JUSTID]",
     .tips = nondeterministic},
    {.name = "xinfo",
     .arity = -2,
     .group = GROUP_STREAM,
     .since = "5.0.0",
     .summary = "A container for stream introspection commands.",
     .complexity = "Depends on subcommand.",
     .subcommands = stream_xinfo_subcommands},
    {.name = NULL},
};
