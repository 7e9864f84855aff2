/* Inside src/persist only: streams, whose form is a world of its own. */
#ifndef PERSIST_VALUE_PARTS_H
#define PERSIST_VALUE_PARTS_H

#include "persist/rdb.h"
#include "types/stream.h"

/* The types of values; value.h says what they are. */
enum rdb_type {
    RDB_STRING = 0,
    RDB_LIST = 1,
    RDB_SET = 2,
    RDB_ZSET_TEXT = 3,
    RDB_HASH = 4,
    RDB_ZSET = 5,
    RDB_HASH_ZIPMAP = 9,
    RDB_LIST_ZIPLIST = 10,
    RDB_SET_INTSET = 11,
    RDB_ZSET_ZIPLIST = 12,
    RDB_HASH_ZIPLIST = 13,
    RDB_LIST_ZIPLISTS = 14,
    RDB_STREAM = 15,
    RDB_HASH_LISTPACK = 16,
    RDB_ZSET_LISTPACK = 17,
    RDB_LIST_LISTPACKS = 18,
    RDB_STREAM_2 = 19,
    RDB_SET_LISTPACK = 20,
    RDB_STREAM_3 = 21,
    RDB_HASH_TIMED = 22,
    RDB_HASH_TIMED_OFFSETS = 24,
    RDB_HASH_TIMED_LISTPACK = 25,
};

/* Content of one of the three stream types. 0 and *out, the caller's; ERROR_SYNTAX or -ENOMEM. */
ATTR_MUST_USE int stream_read(struct rdb_reader *r, enum rdb_type type,
                              const struct stream_limit *limit, struct stream **out);
/* As RDB_STREAM_2. */
void stream_write(struct rdb_writer *w, const struct stream *s);

#endif
