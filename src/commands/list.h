/* Inside src/commands only: what the files of the list family share. */
#ifndef COMMANDS_LIST_H
#define COMMANDS_LIST_H

#include "commands/command.h"
#include "types/chain.h"

/* One list under change. */
struct list_edit {
    struct call *call;
    uint32_t at; /* the key's argument */
    uint64_t hash;
    struct entry *entry; /* NULL: no such key */
    struct chain *chain; /* with entry */
    size_t bytes_before;
    struct chain_limit limit;
};

/* Looks argument `at` up. False after WRONGTYPE was written. */
bool list_edit_begin(struct list_edit *edit, struct call *call, uint32_t at);
void list_edit_account(struct list_edit *edit); /* alone: after a change that failed half-way */
void list_edit_tell(struct list_edit *edit, const char *event);         /* accounts and tells */
void list_edit_tell_removed(struct list_edit *edit, const char *event); /* and an empty list goes */
/* Takes elements out; many are freed in steps. */
void list_edit_cut(struct list_edit *edit, uint64_t index, uint64_t count);

/* Argument 1 for reading; NULL: not there, or *wrong_type and the error was written. */
const struct chain *list_find(struct call *call, bool *wrong_type);
/* `count` elements from `index` on, the second of a list that stays: many go out in parts. */
void list_reply_range(struct reply *reply, const struct chain *c, uint64_t index, uint64_t count);
void list_reply_long_range(struct call *call, const struct chain *c, uint64_t index, uint64_t count);

/* -- handlers, for list_table.c */
void list_lpush(struct call *call);
void list_rpush(struct call *call);
void list_lpushx(struct call *call);
void list_rpushx(struct call *call);
void list_lpop(struct call *call);
void list_rpop(struct call *call);
void list_lrange(struct call *call);
void list_llen(struct call *call);
void list_lindex(struct call *call);
void list_lset(struct call *call);
void list_linsert(struct call *call);
void list_lrem(struct call *call);
void list_ltrim(struct call *call);
void list_lpos(struct call *call);
void list_lmove(struct call *call);
void list_rpoplpush(struct call *call);
void list_lmpop(struct call *call);
void list_blpop(struct call *call);
void list_brpop(struct call *call);
void list_blmove(struct call *call);
void list_brpoplpush(struct call *call);
void list_blmpop(struct call *call);

#endif
