/* Inside src/commands only: what the files of the keys family share. Its table is in keys.c. */
#ifndef COMMANDS_KEYS_H
#define COMMANDS_KEYS_H

#include "commands/command.h"

void keys_del(struct call *call);
void keys_unlink(struct call *call);
void keys_exists(struct call *call);
void keys_touch(struct call *call);
void keys_type(struct call *call);
void keys_random(struct call *call);
void keys_dbsize(struct call *call);
void keys_flushdb(struct call *call);
void keys_flushall(struct call *call);
void keys_swapdb(struct call *call);

void rename_replace(struct call *call);
void rename_new(struct call *call);
void rename_move(struct call *call);
void rename_copy(struct call *call);

void expire_s(struct call *call);
void expire_ms(struct call *call);
void expire_at_s(struct call *call);
void expire_at_ms(struct call *call);
void expire_ttl_s(struct call *call);
void expire_ttl_ms(struct call *call);
void expire_time_s(struct call *call);
void expire_time_ms(struct call *call);
void expire_persist(struct call *call);

void dump_dump(struct call *call);
void dump_restore(struct call *call);

void scan_keys(struct call *call);
void scan_scan(struct call *call);

extern const struct command object_subcommands[];
/* OBJECT ENCODING's name for a value of any type, static. */
const char *object_encoding(const struct db *db, const struct entry *e);

#endif
