/* OBJECT: how a value is kept. Looks here leave the access clock as it is. */
#include "commands/host.h"
#include "commands/keys.h"

enum {
    EMBEDDED_BYTES_MAX = 44
}; /* what Redis keeps in one allocation with its header; clients know the number */

/* The entry of key 2; NULL after null was written. */
static const struct entry *look(struct call *call) {
    const struct entry *e = db_find(call->db, call->argv[2], call_hash(call, 2), DB_LOOK_NO_TOUCH);
    if (!e) reply_null(call->reply);
    return e;
}

/* The words that Redis has for a string that came about like this. */
static const char *string_encoding(const struct entry *e) {
    struct span value = entry_string(e);
    int64_t number;
    if (entry_is_raw(e) || value.len > EMBEDDED_BYTES_MAX) return "raw";
    return num_parse_int(value, &number) ? "int" : "embstr";
}

const char *object_encoding(const struct db *db, const struct entry *e) {
    return entry_type(e) == ENTRY_STRING ? string_encoding(e) : db_encoding(db, e);
}

static void encoding(struct call *call) {
    const struct entry *e = look(call);
    if (e) reply_bulk_text(call->reply, object_encoding(call->db, e));
}

static void freq(struct call *call) {
    const struct entry *e = look(call);
    if (!e) return;
    if (!settings_policy_is_lfu(call->host->settings)) {
        reply_error(call->reply,
                    "ERR An LFU maxmemory policy is not selected, access frequency not tracked. "
                    "Please note that when switching between policies at runtime LRU and LFU data "
                    "will take some time to adjust.");
        return;
    }
    reply_int(call->reply, entry_frequency(call->host->keyspace, e));
}

static void idletime(struct call *call) {
    const struct entry *e = look(call);
    if (!e) return;
    if (settings_policy_is_lfu(call->host->settings)) {
        reply_error(call->reply,
                    "ERR An LFU maxmemory policy is selected, idle time not tracked. Please note "
                    "that when switching between policies at runtime LRU and LFU data will take "
                    "some time to adjust.");
        return;
    }
    reply_int(call->reply, (int64_t)entry_idle_s(call->host->keyspace, e));
}

/* A value has one holder: its key. That copies and replies may share its bytes is nobody's business. */
static void refcount(struct call *call) {
    if (look(call)) reply_int(call->reply, 1);
}

static void help(struct call *call) {
    static const char *const lines[] = {
        "ENCODING <key>",
        "    Return the kind of internal representation used in order to store the value",
        "    associated with a <key>.",
        "FREQ <key>",
        "    Return the access frequency index of the <key>. The returned integer is",
        "    proportional to the logarithm of the recent access frequency of the key.",
        "IDLETIME <key>",
        "    Return the idle time of the <key>, that is the approximated number of",
        "    seconds elapsed since the last access to the key.",
        "REFCOUNT <key>",
        "    Return the number of references of the value associated with the specified",
        "    <key>.",
        NULL,
    };
    call_help(call, lines);
}

static const char *const tips[] = {"nondeterministic_output", NULL};

const struct command object_subcommands[] = {
    {.name = "encoding",
     .run = encoding,
     .arity = 3,
     .group = GROUP_GENERIC,
     .flags = COMMAND_READONLY,
     .categories = CATEGORY_KEYSPACE,
     .keys = {KEY_AT(2, KEY_RO)},
     .since = "2.2.3",
     .summary = "Returns the internal encoding of an object.",
     .complexity = "O(1)",
     .arguments = "key:key",
     .tips = tips},
    {.name = "freq",
     .run = freq,
     .arity = 3,
     .group = GROUP_GENERIC,
     .flags = COMMAND_READONLY,
     .categories = CATEGORY_KEYSPACE,
     .keys = {KEY_AT(2, KEY_RO)},
     .since = "4.0.0",
     .summary = "Returns the logarithmic access frequency counter of an object.",
     .complexity = "O(1)",
     .arguments = "key:key",
     .tips = tips},
    {.name = "help",
     .run = help,
     .arity = 2,
     .group = GROUP_GENERIC,
     .flags = COMMAND_LOADING | COMMAND_STALE,
     .categories = CATEGORY_KEYSPACE,
     .since = "6.2.0",
     .summary = "Returns helpful text about the different subcommands.",
     .complexity = "O(1)"},
    {.name = "idletime",
     .run = idletime,
     .arity = 3,
     .group = GROUP_GENERIC,
     .flags = COMMAND_READONLY,
     .categories = CATEGORY_KEYSPACE,
     .keys = {KEY_AT(2, KEY_RO)},
     .since = "2.2.3",
     .summary = "Returns the time since the last access to an object.",
     .complexity = "O(1)",
     .arguments = "key:key",
     .tips = tips},
    {.name = "refcount",
     .run = refcount,
     .arity = 3,
     .group = GROUP_GENERIC,
     .flags = COMMAND_READONLY,
     .categories = CATEGORY_KEYSPACE,
     .keys = {KEY_AT(2, KEY_RO)},
     .since = "2.2.3",
     .summary = "Returns the reference count of a value of a key.",
     .complexity = "O(1)",
     .arguments = "key:key",
     .tips = tips},
    {.name = NULL},
};
