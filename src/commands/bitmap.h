/* Inside src/commands only: what the files of the bitmap family share. Its table is in bitmap.c. */
#ifndef COMMANDS_BITMAP_H
#define COMMANDS_BITMAP_H

#include "commands/command.h"

/* An offset in bits, below 8 * proto-max-bulk-len. `width` not 0: "#N" counts in fields of that many bits. False: answered. */
bool bitmap_offset(struct call *call, uint32_t at, unsigned width, uint64_t *out);

/* The first key's value, writable and at least `len` bytes long: made when *e is NULL. NULL: no memory, answered; all is as before. */
char *bitmap_edit(struct call *call, struct entry **e, size_t len);

void bitfield_run(struct call *call);
void bitfield_run_readonly(struct call *call);
int bitfield_find_keys(const struct span *argv, uint32_t argc, uint32_t *positions, uint16_t *flags, int max);

#endif
