/* What DUMP and RESTORE share with others that turn values into bytes and back. */
#ifndef COMMANDS_DUMP_H
#define COMMANDS_DUMP_H

#include "commands/command.h"
#include "persist/value.h"

/* As the settings have them now. */
struct value_limits dump_limits(const struct call *call);

/* Puts a value that was read in the place of `old` (NULL: of none): it is in the entry, or gone, after this. NULL without memory. */
struct entry *dump_put(struct db *db, struct entry *old, struct span key, uint64_t hash,
                       const struct value *value, int64_t deadline_ms);

/* DEBUG RELOAD: writes every value as it would be dumped, reads it back and puts it in its own place. */
void reload_run(struct call *call);

#endif
