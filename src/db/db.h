/* The keyspace: numbered databases of entries. Finds, puts, removes, expires; tells subscribers what changed. Expired keys are
 * never visible: every lookup checks, and db_expire_cycle removes in the background.
 *
 * `hash` is always hash_bytes(key): dispatch computes it once, while it prefetches. Entries move: a pointer is valid until the
 * next write to the same key. Sizes that a user chose may fail with -ENOMEM and leave everything as it was. */
#ifndef DB_DB_H
#define DB_DB_H

#include <stdbool.h>
#include <stdint.h>

#include "base/list.h"
#include "base/random.h"
#include "base/span.h"
#include "db/entry.h"
#include "types/table.h"

struct keyspace;

struct db {
    struct table table;
    struct keyspace *keyspace;
    uint32_t
        number; /* its place in the keyspace, for good: SWAPDB swaps contents, so pointers stay true */
    bool expire_running;     /* the active cycle is in mid-round */
    uint64_t deadline_count; /* keys with a deadline */
    uint64_t inner_count;    /* keys whose elements have deadlines */
    int64_t deadline_sum_ms; /* for INFO's avg_ttl: the sum of their deadlines (wraps harmlessly) */
    size_t
        data_bytes; /* entries, blobs and objects; with table.memory_bytes: the database's memory */

    /* of the active cycle, see expire.c */
    struct table_due_walk expire_walk;
    int64_t expire_earliest_ms; /* no deadline outside the walk's view is earlier */
    int64_t expire_spent_us;    /* in this round, where little was due */
    int64_t expire_rest_ms;     /* no new round before this monotonic time */

    uint64_t evict_position; /* where evict.c's walk over keys with deadlines stands */
    uint64_t evict_place;    /* of its next sample; table_sample */
};

/* NULL for all of it: 16 databases, LRU, log factor 10, decay 1 minute, the system's seed. */
struct keyspace_options {
    uint32_t db_count;          /* 0: 16 */
    bool lfu;                   /* the access clock is an LFU counter; false: LRU seconds */
    uint8_t lfu_log_factor;     /* usually 10; 0: every access counts */
    uint32_t lfu_decay_minutes; /* usually 1; 0: no decay */
    uint64_t seed;              /* of sampling; 0: the system's */
};

/* How a value of another type than string is freed, copied and measured; types register theirs before the first use. */
struct value_ops {
    void (*free)(void *object);
    void *(*try_copy)(const void *object);
    size_t (*memory_bytes)(const void *object); /* O(1): asked at every put and remove */
    /* How many blocks freeing touches: above LAZY_EFFORT_MIN it is done in steps. NULL: never. */
    uint64_t (*free_effort)(const void *object);
    bool (*free_step)(void *object, uint32_t effort); /* frees a part; true when all is gone */
    const char *(*encoding)(const void *object);      /* OBJECT ENCODING's name, static */
    /* For objects whose elements have deadlines: removes about `max` that are due and returns how many. *object may move;
     * *earliest_ms is the bound that now holds, ENTRY_NO_DEADLINE when none is left; *empty: nothing is left at all. NULL: never. */
    uint64_t (*expire_step)(void **object, int64_t now_ms, uint64_t max, int64_t *earliest_ms,
                            bool *empty);
    const char *expire_event; /* the keyspace event of such a removal */
};

/* Subscribers to changes: transactions' WATCH, tracking, notifications, a log. Functions may be NULL. A hook must not change the
 * keyspace; it may unhook itself. */
struct db_hook {
    struct list link;
    /* The value or deadline changed, or the key went. */
    void (*changed)(struct db_hook *hook, struct db *db, struct span key);
    void (*flushed)(struct db_hook *hook, struct db *db); /* everything in db went; NULL: all dbs */
    void (*swapped)(struct db_hook *hook, struct db *a, struct db *b);
    /* Keyspace events, with Redis's class letters. */
    void (*event)(struct db_hook *hook, struct db *db, char event_class, const char *event,
                  struct span key);
};

struct keyspace_stats {
    uint64_t hit_count, miss_count, expired_count, evicted_count, expire_cycle_us,
        expire_cycle_capped_count;
    uint64_t expired_field_count; /* elements whose deadline passed */
    uint64_t lazy_freed_count;
};

struct keyspace *keyspace_new(const struct keyspace_options *options);
void keyspace_free(struct keyspace *ks);
uint32_t keyspace_db_count(const struct keyspace *ks);
struct db *keyspace_db(struct keyspace *ks, uint32_t number); /* NULL out of range */
void keyspace_swap(struct keyspace *ks, uint32_t a, uint32_t b);
struct keyspace_stats *keyspace_stats(struct keyspace *ks);
void keyspace_set_options(struct keyspace *ks,
                          const struct keyspace_options *options); /* db_count and seed stay */
void keyspace_register(struct keyspace *ks, enum entry_type type, const struct value_ops *ops);
void keyspace_hook(struct keyspace *ks, struct db_hook *hook);
void keyspace_unhook(struct keyspace *ks, struct db_hook *hook);
/* For hooks: what they are told of expired or was evicted, whichever command happened to meet it. */
bool keyspace_change_is_own(const struct keyspace *ks);
struct random *keyspace_random(struct keyspace *ks);
uint64_t keyspace_key_count(const struct keyspace *ks);
/* Data and tables of all databases. O(databases in use): one, usually. */
size_t keyspace_data_bytes(const struct keyspace *ks);
size_t db_entry_bytes(const struct db *db,
                      const struct entry *e); /* of one key: entry, blob and object */
/* OBJECT ENCODING's name of a value that is no string. */
const char *db_encoding(const struct db *db, const struct entry *e);

/* -- reading. Flags: no access-clock update (TOUCH-less looks), no hit/miss count. */
enum { DB_LOOK_NO_TOUCH = 1, DB_LOOK_NO_STATS = 2 };
struct entry *db_find(struct db *db, struct span key, uint64_t hash,
                      unsigned flags); /* counts a hit or miss */
struct entry *db_find_for_write(struct db *db, struct span key,
                                uint64_t hash); /* no hit or miss; touches */
/* The same for who changes the entry as a whole, its name, its deadline or its being there, and leaves the object alone. */
struct entry *db_find_whole(struct db *db, struct span key, uint64_t hash);
INLINE bool db_exists(struct db *db, struct span key, uint64_t hash) {
    return db_find(db, key, hash, DB_LOOK_NO_TOUCH | DB_LOOK_NO_STATS) != NULL;
}
/* Not expired (such ones are removed on the way); NULL when none was found in DB_RANDOM_TRIES tries. */
enum { DB_RANDOM_TRIES = 128 };
struct entry *db_random(struct db *db);
uint64_t db_count(const struct db *db);
/* Visits unexpired entries, each once when nothing changes between the calls; the cursor is table_scan's. The visitor must not
 * change the database. */
uint64_t db_scan(struct db *db, uint64_t cursor, void (*visit)(struct entry *e, void *context),
                 void *context);
/* The same, and then expired entries that it came by are removed: what is visited later may come again. Others do not move. */
uint64_t db_scan_expire(struct db *db, uint64_t cursor,
                        void (*visit)(struct entry *e, void *context), void *context);

INLINE void db_prefetch_bucket(const struct db *db, uint64_t hash) {
    table_prefetch_bucket(&db->table, hash);
}
INLINE void db_prefetch_entry(const struct db *db, uint64_t hash) {
    table_prefetch_element(&db->table, hash);
}

/* -- writing. Each calls the `changed` hooks; keyspace events are the commands' (db_event). Return the entry, or NULL for -ENOMEM.
 * Spans given may point into the old value. */
#define DB_KEEP_DEADLINE (INT64_MAX - 1)
/* Sets a string, replacing a value of any type. `blob` not NULL: its bytes are the value and the reference is taken (also on
 * failure), `value` is ignored. deadline_ms: Unix time, ENTRY_NO_DEADLINE or DB_KEEP_DEADLINE. Overwrites in place when the new
 * value fits the entry's size class. Hot path: one lookup. */
struct entry *db_set_string(struct db *db, struct span key, uint64_t hash, struct span value,
                            struct blob *blob, int64_t deadline_ms);
/* The same when the caller has just looked the key up: `old` from db_find_for_write (NULL: not there). */
struct entry *db_put_string(struct db *db, struct entry *old, struct span key, uint64_t hash,
                            struct span value, struct blob *blob, int64_t deadline_ms);
/* Takes the object over, also on failure (then it is freed). `old` as above. */
struct entry *db_put_object(struct db *db, struct entry *old, struct span key, uint64_t hash,
                            enum entry_type type, void *object, int64_t deadline_ms);
/* The bytes of a string value made writable and `len` long (new bytes are zero): *entry may move. The value turns raw. Returns
 * the first byte, or NULL for -ENOMEM. For APPEND, SETRANGE, SETBIT: growing a large value again leaves room behind. A blob that
 * others hold (a send in flight) is copied first. The hooks are called here, before the caller writes. */
char *db_edit_string(struct db *db, struct entry **entry, uint64_t hash, size_t len);
/* For a large value that replaces one of the same size class: the old value's own bytes, `len` of them, to be written all anew; they
 * are still what they were. The deadline goes. NULL: there are none (others hold them, it is no large string, the class differs,
 * `old` is NULL), nothing has changed, and the value has to be put. */
char *db_rewrite_string(struct db *db, struct entry *old, uint64_t hash, size_t len);
/* Sets, moves or removes (ENTRY_NO_DEADLINE) the deadline; the entry may move. */
struct entry *db_set_deadline(struct db *db, struct entry *entry, uint64_t hash,
                              int64_t deadline_ms);
/* After a change of the deadlines within an object: the earliest of them, or a lower bound; ENTRY_NO_DEADLINE: none. See entry.h. */
void db_note_inner_deadline(struct db *db, struct entry *entry, uint64_t hash, int64_t earliest_ms);
/* Removes the key. lazy: a large value is freed in steps. */
void db_remove(struct db *db, struct entry *entry, uint64_t hash, bool lazy);
/* Where a value is to go: a key, and the live entry that is there and goes when the value comes (NULL: none), not before. */
struct db_place {
    struct db *db;
    struct span key;
    uint64_t hash;
    struct entry *old;
    bool lazy; /* a large old value is freed in steps */
};
/* Takes the value out of `from` to another key and/or database (RENAME, MOVE), deadline included. NULL for -ENOMEM. */
struct entry *db_move(struct db *from, struct entry *entry, uint64_t hash, const struct db_place *to);
/* Copies value and deadline. Large strings share the blob. NULL for -ENOMEM. */
struct entry *db_copy(struct db *from, struct entry *entry, const struct db_place *to);
/* Frees an object that is in no entry any more, such as what was cut off one; large ones in steps. */
void keyspace_drop(struct keyspace *ks, enum entry_type type, void *object);
void db_flush(struct db *db, bool lazy);
void keyspace_flush(struct keyspace *ks, bool lazy);
/* An object that somebody reads over several turns. Before it is changed, `changing` is called, which must unpin: it is the last moment
 * to read the rest. When its entry goes meanwhile, the object lives on until the last pin is taken away. Both O(pins). */
struct db_pin {
    struct list link; /* private */
    bool dropped;     /* private */
    enum entry_type type;
    void *object;
    void (*changing)(struct db_pin *pin);
};
void keyspace_pin(struct keyspace *ks, struct db_pin *pin);
void keyspace_unpin(struct keyspace *ks, struct db_pin *pin);

/* An object was changed in place by its command: calls the hooks. */
void db_changed(struct db *db, struct span key);
void db_event(struct db *db, char event_class, const char *event, struct span key);
/* For objects changed in place: what they weighed before and after, so that data_bytes stays true. */
void db_account(struct db *db, size_t before_bytes, size_t after_bytes);

/* -- access clock */
uint64_t entry_idle_s(const struct keyspace *ks, const struct entry *e); /* LRU policy */
uint32_t entry_frequency(const struct keyspace *ks,
                         const struct entry *e); /* LFU policy, decayed */
/* Sets what those two say; more than the clock can tell is as much as it can. */
void entry_set_idle_s(struct entry *e, uint64_t idle_s);
void entry_set_frequency(struct entry *e, uint32_t counter);

/* -- background, called by the turn. Both keep to their budget. */
/* True when due keys are left: call again soon. False: nothing is due before keyspace_next_deadline_hint_ms. */
bool keyspace_expire_cycle(struct keyspace *ks, int64_t now_ms, int64_t budget_us);
void keyspace_set_active_expire(struct keyspace *ks, bool on);
/* When the cycle next has work to look for (Unix time, coarse); ENTRY_NO_DEADLINE: never as things are. O(databases). */
int64_t keyspace_next_deadline_hint_ms(const struct keyspace *ks);

enum {
    LAZY_EFFORT_MIN = 64,
    LAZY_BLOB_BYTES_MIN = 4 * 1024 * 1024
}; /* smaller values are freed at once */
bool keyspace_lazy_pending(const struct keyspace *ks);
size_t keyspace_lazy_objects(const struct keyspace *ks); /* INFO's lazyfree_pending_objects */
void keyspace_lazy_step(struct keyspace *ks, int64_t budget_us);

#endif
