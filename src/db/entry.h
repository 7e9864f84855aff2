/* One key and its value in one allocation.
 *
 *   narrow:  | head 4 | key len 1 | value len 1 |              [deadline 8] [word 8] key bytes | value bytes
 *   wide:    | head 4 | key len 4 | value len 4 |              [deadline 8] [word 8] key bytes | value bytes
 *
 *   head:    bits 0-2 type, 3 wide, 4 has deadline, 5 has word (value elsewhere), 6 raw (a string that was edited in place:
 *            OBJECT ENCODING says "raw"), 7 spare, 8-31 access clock (LRU seconds or LFU counter as the policy has it)
 *   word:    a struct blob * for a string of more than ENTRY_INLINE_BYTES_MAX bytes, else the type's object
 *
 * A 16-byte key with a 10-byte value takes 32 bytes, with 32 bytes 54 of a 64-byte class. Entries move when they grow: only the
 * keyspace (db.c) makes and replaces them; everyone else reads through the functions below. */
#ifndef DB_ENTRY_H
#define DB_ENTRY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/blob.h"
#include "base/span.h"

enum entry_type { ENTRY_STRING, ENTRY_LIST, ENTRY_SET, ENTRY_ZSET, ENTRY_HASH, ENTRY_STREAM }; /* TYPE's names in entry_type_name */

enum { ENTRY_INLINE_BYTES_MAX = 2048 };
#define ENTRY_NO_DEADLINE INT64_MAX

struct entry; /* opaque bytes */

enum entry_type entry_type(const struct entry *e);
const char *entry_type_name(enum entry_type type); /* "string", "list", ... */
struct span entry_key(const struct entry *e);
int64_t entry_deadline_ms(const struct entry *e);  /* Unix time; ENTRY_NO_DEADLINE without one */
struct span entry_string(const struct entry *e);   /* the bytes of a string value, wherever they lie */
struct blob *entry_blob(const struct entry *e);    /* of a large string (borrowed), or NULL when it is inline */
void *entry_object(const struct entry *e);         /* of the other types */
bool entry_is_raw(const struct entry *e);
uint32_t entry_access_clock(const struct entry *e);
void entry_set_access_clock(struct entry *e, uint32_t clock);
size_t entry_memory_bytes(const struct entry *e);  /* class bytes of the entry and its blob; objects add their own */

#endif
