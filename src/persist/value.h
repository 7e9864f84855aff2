/* Values as DUMP gives them and RESTORE takes them: a type, and the content in one of the forms that Redis has had for it.
 *
 *   payload:  | type 1 | content | footer |          the small forms and the footer: rdb.h
 *
 *    0  string     a string                            9  hash    a zipmap (before 2.6)
 *    1  list       count, strings                     10  list    a ziplist
 *    2  set        count, strings                     11  set     an intset
 *    3  zset       count, (string, text of double)    12  zset    a ziplist of member, score, ...
 *    4  hash       count, (string, string)            13  hash    a ziplist of field, value, ...
 *    5  zset       count, (string, double)            14  list    count, ziplists
 *                                                     16  hash    a listpack
 *   15  stream     see stream_read.c                  17  zset    a listpack
 *   19  the same, 7.0                                 18  list    count, (1, string) or (2, listpack)
 *   21  the same, 7.2                                 20  set     a listpack
 *   22  hash       count, (string, string, deadline 8 or -1)           in payloads of Valkey 9
 *   24  hash       minimum 8, count, (length, string, string)          Redis 7.4 on: deadline - minimum + 1, or 0
 *   25  hash       minimum 8, a listpack of field, value, deadline or 0, ...
 *
 * Written are 0, 1, 2, 4, 5 and 19, which all servers from 7.0 on read, and 22 for hashes with deadlines of fields, which Valkey 9 and
 * we read (Redis 8 takes no payload that is newer than its own). Deadlines are Unix times in ms.
 *
 * Reading trusts nothing: a value that is handed out is whole and within the rules of its type. An element that is twice there, a score
 * that is nan, an empty collection, a stream whose parts do not fit together: ERROR_SYNTAX. */
#ifndef PERSIST_VALUE_H
#define PERSIST_VALUE_H

#include "db/entry.h"
#include "persist/rdb.h"
#include "types/chain.h"
#include "types/fields.h"
#include "types/set.h"
#include "types/stream.h"
#include "types/zset.h"

/* What the values become: each type's limits of its small form. */
struct value_limits {
    struct chain_limit list;
    struct set_limits set;
    struct zset_limits zset;
    struct fields_limits hash;
    struct stream_limit stream;
};

/* A value, in an entry or in none yet. */
struct value {
    enum entry_type type;
    void *object;       /* of all types but strings */
    struct span string; /* of strings */
};
INLINE struct value value_of(const struct entry *e) { /* borrowed */
    if (entry_type(e) == ENTRY_STRING)
        return (struct value){.type = ENTRY_STRING, .string = entry_string(e)};
    return (struct value){.type = entry_type(e), .object = entry_object(e)};
}

/* The whole of `body` (a payload without its footer, of that version) must be one value. 0 and *out: the object is the caller's, a
 * string's bytes are in the input or in the scratch. ERROR_SYNTAX or -ENOMEM: nothing is handed out. Of a hash whose fields have all
 * passed their deadline at now_ms nothing is left: `object` is NULL. */
ATTR_MUST_USE int value_read(struct span body, unsigned version, const struct value_limits *limits,
                             int64_t now_ms, struct rdb_scratch *scratch, struct value *out);

/* Writes a payload without its footer; returns the version to be written there, 0 for a hash without a field that is left: nothing
 * was written. w->failed: there was no memory. */
unsigned value_write(struct rdb_writer *w, const struct value *value);

/* Frees the object, at once. */
void value_release(struct value *value);

#endif
