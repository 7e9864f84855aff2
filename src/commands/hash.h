/* Inside src/commands only: what the files of the hash family share. Its table is in hash_table.c.
 *
 * A handler that changes a hash begins an edit, changes edit.fields, and tells: the word goes back into its entry, the accounts are
 * made true, the hooks and the event's readers hear of it. An edit that changed nothing is left as it is. */
#ifndef COMMANDS_HASH_H
#define COMMANDS_HASH_H

#include "commands/command.h"
#include "types/fields.h"

/* The hash of argument 1 under change. */
struct hash_edit {
    struct call *call;
    struct entry *entry;   /* NULL: no such key */
    struct fields *fields; /* NULL: no such key, and none was made */
    size_t bytes_before;
    struct fields_limits limits;
    uint64_t expired_count; /* fields found past their deadline that went or were replaced */
};

struct fields_limits hash_limits_of(const struct call *call);
/* The hash of argument 1 for reading; NULL when there is none. False after WRONGTYPE was written. */
bool hash_find(struct call *call, const struct fields **fields);

/* False after WRONGTYPE was written. */
bool hash_edit_begin(struct hash_edit *edit, struct call *call);
/* Makes a new hash where there is no key; hash_edit_store puts it in. */
void hash_edit_make(struct hash_edit *edit);
/* Sets a field; false after the error was written, with what was done before stored and told. *added (may be NULL): it was not there. */
bool hash_edit_set(struct hash_edit *edit, struct span field, struct span value,
                   int64_t deadline_ms, bool *added);
/* Puts the changed hash of a key that is there back; nobody is told. */
void hash_edit_put_back(struct hash_edit *edit);
/* Puts the changed hash back, or a new one in, and tells the hooks. False after the error was written. */
bool hash_edit_store(struct hash_edit *edit);
/* Stores and tells: `event`, after "hexpired" when fields had expired. False after the error was written. */
bool hash_edit_tell(struct hash_edit *edit, const char *event);
/* After removals: stores and tells, and removes the key of an empty hash. */
void hash_edit_tell_removed(struct hash_edit *edit, const char *event);
/* For what has expired: counted. */
void hash_count_expired(struct call *call, uint64_t count);

/* -- handlers */
void hash_set(struct call *call);
void hash_mset(struct call *call);
void hash_setnx(struct call *call);
void hash_incrby(struct call *call);
void hash_incrbyfloat(struct call *call);
void hash_get(struct call *call);
void hash_mget(struct call *call);
void hash_exists(struct call *call);
void hash_strlen(struct call *call);
void hash_len(struct call *call);
void hash_getall(struct call *call);
void hash_keys(struct call *call);
void hash_vals(struct call *call);
void hash_del(struct call *call);

void hash_scan(struct call *call);
void hash_random(struct call *call);

void hash_expire_s(struct call *call);
void hash_expire_ms(struct call *call);
void hash_expire_at_s(struct call *call);
void hash_expire_at_ms(struct call *call);
void hash_ttl_s(struct call *call);
void hash_ttl_ms(struct call *call);
void hash_expire_time_s(struct call *call);
void hash_expire_time_ms(struct call *call);
void hash_persist(struct call *call);
void hash_getex(struct call *call);
void hash_setex(struct call *call);
void hash_getdel(struct call *call);

#endif
