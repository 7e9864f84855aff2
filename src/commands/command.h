/* What a command is. Each family file ends with one const table of these; dispatch is the only caller of `run`. COMMAND, COMMAND
 * DOCS and GETKEYS answer from the same rows, so a row is the whole truth about a command. */
#ifndef COMMANDS_COMMAND_H
#define COMMANDS_COMMAND_H

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"
#include "db/db.h"
#include "resp/reader.h"
#include "resp/reply.h"
#include "session/session.h"

struct host;
struct command;

/* One execution: everything that a handler may touch. Lives on dispatch's stack. */
struct call {
    struct session *session;
    struct host *host;
    struct db *db;               /* the session's */
    struct reply *reply;         /* where to answer: exactly one element, unless the command says otherwise */
    const struct span *argv;     /* argv[0] is the command's name as sent */
    uint32_t argc;
    uint64_t key_hash;           /* of the command's first key, argv[command->first_key]; 0 when it has none */
    struct request *request;     /* for request_take_blob */
    const struct command *command; /* the subcommand when there is one */
    uint32_t flags;                /* enum call_flag */
};

enum call_flag {
    CALL_DENY_BLOCKING = 1 << 0, /* in a transaction or script: what would block answers at once */
    CALL_REPEATED = 1 << 1,      /* of a session that waited; see blocking.h */
};

enum command_flag {
    COMMAND_WRITE = 1 << 0,
    COMMAND_READONLY = 1 << 1,
    COMMAND_DENYOOM = 1 << 2,     /* refused over maxmemory */
    COMMAND_ADMIN = 1 << 3,
    COMMAND_PUBSUB = 1 << 4,
    COMMAND_NOSCRIPT = 1 << 5,
    COMMAND_BLOCKING = 1 << 6,
    COMMAND_LOADING = 1 << 7,
    COMMAND_STALE = 1 << 8,
    COMMAND_SKIP_MONITOR = 1 << 9,
    COMMAND_SKIP_SLOWLOG = 1 << 10,
    COMMAND_FAST = 1 << 11,
    COMMAND_NO_AUTH = 1 << 12,    /* allowed before AUTH */
    COMMAND_MAY_REPLICATE = 1 << 13,
    COMMAND_NO_MANDATORY_KEYS = 1 << 14,
    COMMAND_PROTECTED = 1 << 15,
    COMMAND_NO_ASYNC_LOADING = 1 << 16,
    COMMAND_NO_MULTI = 1 << 17,
    COMMAND_MOVABLE_KEYS = 1 << 18, /* keys are found by keynum or keyword specs or a `keys` function */
    COMMAND_ALLOW_BUSY = 1 << 19,
    COMMAND_SYSTEM = 1 << 21,       /* not for users: COMMAND DOCS says syscmd */
    COMMAND_RUN_PAUSED = 1 << 20,   /* runs although clients are paused (not Redis's: CLIENT UNPAUSE and its like) */
};

enum command_group {
    GROUP_GENERIC, GROUP_STRING, GROUP_LIST, GROUP_SET, GROUP_SORTED_SET, GROUP_HASH, GROUP_PUBSUB, GROUP_TRANSACTIONS,
    GROUP_CONNECTION, GROUP_SERVER, GROUP_SCRIPTING, GROUP_HYPERLOGLOG, GROUP_GEO, GROUP_STREAM, GROUP_BITMAP,
};

/* ACL categories that do not follow from flags (command_categories adds @write @read @admin @dangerous @fast @slow @pubsub
 * @blocking from them as Redis does). */
enum command_category {
    CATEGORY_KEYSPACE = 1 << 0, CATEGORY_READ = 1 << 1, CATEGORY_WRITE = 1 << 2, CATEGORY_SET = 1 << 3,
    CATEGORY_SORTED_SET = 1 << 4, CATEGORY_LIST = 1 << 5, CATEGORY_HASH = 1 << 6, CATEGORY_STRING = 1 << 7,
    CATEGORY_BITMAP = 1 << 8, CATEGORY_HYPERLOGLOG = 1 << 9, CATEGORY_GEO = 1 << 10, CATEGORY_STREAM = 1 << 11,
    CATEGORY_PUBSUB = 1 << 12, CATEGORY_ADMIN = 1 << 13, CATEGORY_FAST = 1 << 14, CATEGORY_SLOW = 1 << 15,
    CATEGORY_BLOCKING = 1 << 16, CATEGORY_DANGEROUS = 1 << 17, CATEGORY_CONNECTION = 1 << 18,
    CATEGORY_TRANSACTION = 1 << 19, CATEGORY_SCRIPTING = 1 << 20,
};

/* Key specifications, as COMMAND INFO shows them: https://redis.io/docs/latest/develop/reference/key-specs/ */
enum key_flag {
    KEY_RO = 1 << 0, KEY_RW = 1 << 1, KEY_OW = 1 << 2, KEY_RM = 1 << 3,
    KEY_ACCESS = 1 << 4, KEY_UPDATE = 1 << 5, KEY_INSERT = 1 << 6, KEY_DELETE = 1 << 7,
    KEY_NOT_KEY = 1 << 8, KEY_INCOMPLETE = 1 << 9, KEY_VARIABLE_FLAGS = 1 << 10,
};
struct key_spec {
    uint16_t flags;            /* enum key_flag; 0: the spec does not exist */
    int16_t index;             /* begin at this argument; 0: begin after the keyword */
    const char *keyword;       /* begin after this keyword, searched for from `start_from` (negative: from the end) */
    int16_t start_from;
    bool keynum;               /* a count of keys stands at begin + keynum_index; the first key at begin + first_key */
    int16_t keynum_index, first_key;
    int16_t last_key;          /* relative to begin; -1: the last argument, -2 the one before ... */
    int16_t step;              /* 1 for keys side by side */
    int16_t limit;             /* with last_key -1: 2 means the first half of the arguments, ...; 0, 1: all */
};
/* The usual ones: the key is argument 1; all arguments from 1 on; pairs from 1 on. */
#define KEY_ONE(flag_bits) {.flags = (flag_bits), .index = 1, .last_key = 0, .step = 1}
#define KEY_AT(at, flag_bits) {.flags = (flag_bits), .index = (at), .last_key = 0, .step = 1}
#define KEY_ALL(flag_bits) {.flags = (flag_bits), .index = 1, .last_key = -1, .step = 1}
#define KEY_PAIRS(flag_bits) {.flags = (flag_bits), .index = 1, .last_key = -1, .step = 2}

enum { COMMAND_KEY_SPECS_MAX = 4 };

struct command {
    const char *name;           /* lower case; a subcommand's own part ("get" of "config get") */
    void (*run)(struct call *call); /* NULL for a container of subcommands only */
    int16_t arity;              /* with the name; -N: N or more */
    uint8_t group;              /* enum command_group */
    uint32_t flags;             /* enum command_flag */
    uint32_t categories;        /* enum command_category: what does not follow from flags */
    struct key_spec keys[COMMAND_KEY_SPECS_MAX];
    /* Finds keys where the specs cannot: writes at most `max` argument positions, returns how many there are. NULL: the specs do. */
    int (*find_keys)(const struct span *argv, uint32_t argc, uint32_t *positions, uint16_t *flags, int max);
    /* The flags of one request, where what its arguments name has a say (a function's own flags). NULL: always `flags`. */
    uint32_t (*flags_of)(const struct host *host, const struct command *command, const struct span *argv, uint32_t argc);
    const char *since;          /* Redis version, "1.0.0" */
    const char *summary;
    const char *complexity;
    /* The arguments after the name, for COMMAND DOCS:  name:type, [optional], a | b, TOKEN, "..." for repetition:
     *   "key:key value:string [condition:(NX | XX)] [GET] [expiration:(EX seconds:integer | KEEPTTL)]"
     *   "key:key [key:key ...]" is written "key:key..."; "(key:key value:string)..." repeats a block named data.
     * Types: key string integer double pattern unix-time. A bare upper-case word is a pure token. See grammar.h. */
    const char *arguments;
    const struct command *subcommands; /* ends with a row whose name is NULL */
    const char *deprecated_since, *replaced_by; /* NULL unless deprecated; replaced_by as in "`SET` with the `EX` argument" */
    const char *const *tips;    /* NULL-terminated command tips (nondeterministic_output, ...), or NULL */
};

/* One row per family: each family file exports its table, ended by a row with name NULL. */
extern const struct command commands_connection[], commands_string[], commands_keys[], commands_server[];
extern const struct command commands_list[], commands_zset[], commands_geo[], commands_set[], commands_hash[], commands_stream[];
extern const struct command commands_bitmap[], commands_hyperloglog[], commands_sort[];

/* What the keyspace is told of each type: at the end of its family's file, registered by the server. */
extern const struct value_ops list_value_ops, zset_value_ops, set_value_ops, hash_value_ops,
    stream_value_ops;

/* -- for handlers */
#define ERROR_SYNTAX_TEXT "ERR syntax error"
#define ERROR_WRONG_TYPE_TEXT "WRONGTYPE Operation against a key holding the wrong kind of value"
#define ERROR_NOT_INT_TEXT "ERR value is not an integer or out of range"
#define ERROR_NOT_FLOAT_TEXT "ERR value is not a valid float"
#define ERROR_NO_KEY_TEXT "ERR no such key"
#define ERROR_OUT_OF_RANGE_TEXT "ERR index out of range"
#define ERROR_MEMORY_TEXT "OOM out of memory for this request" /* an allocation for a user-sized value failed */

/* Parse-or-reply helpers: true and *out, or false after the error was written. */
bool call_int(struct call *call, uint32_t at, int64_t *out);                                /* any 64-bit integer */
bool call_int_range(struct call *call, uint32_t at, int64_t low, int64_t high, const char *error, int64_t *out); /* error NULL: the usual texts */
bool call_double(struct call *call, uint32_t at, double *out);
/* The hash of argument `at` (call->key_hash when it is the first key). */
uint64_t call_hash(const struct call *call, uint32_t at);
/* Looks a key up for reading or writing; flags of CLIENT NO-TOUCH are honoured. */
struct entry *call_find(struct call *call, uint32_t at);
struct entry *call_find_for_write(struct call *call, uint32_t at);
/* call_find with the key's hash at hand, as from call_prefetch_keys, and DB_LOOK_ flags. */
struct entry *call_look(struct call *call, uint32_t at, uint64_t hash, unsigned flags);
/* False after WRONGTYPE was written, when e is not NULL and of another type. */
bool call_check_type(struct call *call, const struct entry *e, enum entry_type type);
/* Hashes all keys and prefetches the first ones: argv[first], argv[first+step], ...: hashes go to `hashes` (call_scratch memory). For MGET and its like. */
const uint64_t *call_prefetch_keys(struct call *call, uint32_t first, uint32_t count, uint32_t step);
/* In the loop over those keys, before key `i` is looked up: keeps the prefetching a fixed distance ahead of it. */
enum { CALL_PREFETCH_AHEAD = 32 };
INLINE void call_prefetch_ahead(struct call *call, const uint64_t *hashes, uint32_t count, uint32_t i) {
    if (i + 2 * CALL_PREFETCH_AHEAD < count) db_prefetch_bucket(call->db, hashes[i + 2 * CALL_PREFETCH_AHEAD]);
    if (i + CALL_PREFETCH_AHEAD < count) db_prefetch_entry(call->db, hashes[i + CALL_PREFETCH_AHEAD]);
}
/* Memory for this call only (window memory); 8-byte aligned. */
void *call_scratch(struct call *call, size_t bytes);
bool call_is(const struct call *call, uint32_t at, const char *word); /* case-insensitive */
void call_syntax_error(struct call *call);
/* "ERR unknown subcommand or wrong number of arguments for '%s'. Try %s HELP." */
void call_subcommand_error(struct call *call);
void call_upper_name(struct span name, char *out, size_t size); /* for such texts: cut to fit, terminated */
/* HELP of a container: the lines, framed as Redis does. `lines` is NULL-terminated. */
void call_help(struct call *call, const char *const *lines);
/* A key changed: keyspace event. Class letters: '$' string, 'g' generic, 'x' expired, 'e' evicted, 'n' new ... */
void call_event(struct call *call, char event_class, const char *event, struct span key);

#endif
