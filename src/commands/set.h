/* Inside src/commands only: what the files of the set family share. Its table is in set_table.c.
 *
 * A handler that changes a set begins an edit, changes edit.set, and tells: the word goes back into its entry, the accounts are made
 * true, the hooks and the event's readers hear of it. An edit that changed nothing is left as it is. */
#ifndef COMMANDS_SET_H
#define COMMANDS_SET_H

#include "commands/command.h"
#include "types/set.h"

/* The set of one key under change. */
struct set_edit {
    struct call *call;
    uint32_t at; /* the key's argument */
    uint64_t hash;
    struct entry *entry; /* NULL: no such key */
    struct set *set;     /* with entry */
    size_t bytes_before;
    struct set_limits limits;
};

struct set_limits set_limits_of(const struct call *call);
/* The set of argument `at` for reading; NULL when there is none. False after WRONGTYPE was written. */
bool set_find(struct call *call, uint32_t at, const struct set **set);

/* False after WRONGTYPE was written. */
bool set_edit_begin(struct set_edit *edit, struct call *call, uint32_t at);
/* A new set for a key that is not there. False after the error was written; the set is gone then. */
bool set_edit_put_new(struct set_edit *edit, struct set *set);
void set_edit_store(struct set_edit *edit); /* the changed set goes back; nobody is told */
void set_edit_tell(struct set_edit *edit, const char *event);
/* After removals: stores and tells, and removes the key of an empty set. */
void set_edit_tell_removed(struct set_edit *edit, const char *event);
/* Removes the key with all that is left in it: event, then "del". */
void set_edit_remove(struct set_edit *edit, const char *event);

/* All members as one element: a set or, when `as_array`, an array. */
void set_reply_members(struct reply *reply, const struct set *set, bool as_array);

/* -- handlers */
void set_add_members(struct call *call); /* SADD */
void set_remove_members(struct call *call);
void set_move(struct call *call);
void set_is_member(struct call *call);
void set_are_members(struct call *call);
void set_card(struct call *call);
void set_members(struct call *call);
void set_scan_members(struct call *call); /* SSCAN */

void set_pop(struct call *call);
void set_random_members(struct call *call); /* SRANDMEMBER */

void set_inter(struct call *call);
void set_inter_store(struct call *call);
void set_inter_card(struct call *call);
void set_union(struct call *call);
void set_union_store(struct call *call);
void set_diff(struct call *call);
void set_diff_store(struct call *call);

#endif
