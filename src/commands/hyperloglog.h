/* Inside src/commands only: what the files of the HyperLogLog family share. Its table is in hyperloglog.c. */
#ifndef COMMANDS_HYPERLOGLOG_H
#define COMMANDS_HYPERLOGLOG_H

#include "commands/command.h"
#include "types/hyperloglog.h"

/* False after the error was written: e is not NULL and no HyperLogLog. */
bool hyperloglog_check(struct call *call, const struct entry *e);
void hyperloglog_corrupted(struct call *call);

/* A draft of the value of `e` (NULL: an empty one) with room for `count` additions. False: it is too long to be valid, answered. */
bool hyperloglog_draft(struct call *call, const struct entry *e, size_t count, struct hll_draft *draft);
/* Puts the draft in the place of *e (NULL: makes the key) at argument `at`. False: no memory, answered, all is as before. */
bool hyperloglog_put(struct call *call, uint32_t at, struct entry **e, const struct hll_draft *draft);

void hyperloglog_debug(struct call *call);
void hyperloglog_self_test(struct call *call);

#endif
