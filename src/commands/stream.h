/* Inside src/commands only: what the files of the stream family share. Its table is in stream.c. */
#ifndef COMMANDS_STREAM_H
#define COMMANDS_STREAM_H

#include "commands/command.h"
#include "commands/host.h"
#include "types/stream.h"
#include "types/stream_group.h"

/* -- arguments. Each is parse-or-reply: false after the error was written. */
struct stream_id_form {
    uint64_t missing_seq; /* for "ms" alone */
    bool special;         /* "-" and "+" are the lowest and highest id */
    bool *seq_given;      /* not NULL: "ms-*" is taken, too, and sets it to false */
};
bool stream_parse_id(struct span text, const struct stream_id_form *form, struct stream_id *out);
bool stream_id_argument(struct call *call, uint32_t at, struct stream_id *out); /* strict */
/* The ends of an interval, "(" excludes; on return both are included. */
bool stream_low_argument(struct call *call, uint32_t at, struct stream_id *out);
bool stream_high_argument(struct call *call, uint32_t at, struct stream_id *out);
/* Arguments `first` to the last, strict; call_scratch memory. NULL after the error. */
const struct stream_id *stream_id_arguments(struct call *call, uint32_t first);

/* -- one stream under change */
struct stream_edit {
    struct call *call;
    uint32_t at; /* the key's argument */
    uint64_t hash;
    struct entry *entry; /* NULL: no such key */
    struct stream *stream;
    size_t bytes_before;
};
/* False after WRONGTYPE was written. */
bool stream_edit_begin(struct stream_edit *edit, struct call *call, uint32_t at);
/* The same for a command that is counted as reading (hits, misses), although it may change groups. */
bool stream_edit_begin_reading(struct stream_edit *edit, struct call *call, uint32_t at);
void stream_edit_account(struct stream_edit *edit);
void stream_edit_tell(struct stream_edit *edit, const char *event); /* accounts; NULL: no event */
/* What was cut off (NULL: nothing) is freed, in steps when it is large. */
void stream_edit_drop(const struct stream_edit *edit, struct stream *cut);
uint64_t stream_edit_trim(const struct stream_edit *edit, const struct stream_trim *trim); /* how many went */
/* A new stream becomes the value of the key. False after the error was written. */
bool stream_edit_put_new(struct stream_edit *edit, struct stream *s);
/* The group of argument `at`, or NULL. */
struct stream_group *stream_edit_group(const struct stream_edit *edit, uint32_t at);
/* The consumer of argument `at`, made when it is new (with its event), seen now. NULL after the error was written. */
struct stream_consumer *stream_edit_consumer(struct stream_edit *edit, struct stream_group *g,
                                             uint32_t at);

/* -- replies */
void stream_reply_id(struct reply *reply, struct stream_id id);
void stream_reply_entry(struct reply *reply, struct stream_walk *w);
/* Up to `count` entries (0: all) as an array. */
void stream_reply_range(struct reply *reply, const struct stream *s, struct stream_range range,
                        uint64_t count);
/* One entry by id; false, and nothing written, when it is not there. */
bool stream_reply_one(struct reply *reply, const struct stream *s, struct stream_id id);

/* -- handlers */
void stream_xadd(struct call *call);
void stream_xtrim(struct call *call);
void stream_xdel(struct call *call);
void stream_xsetid(struct call *call);

void stream_xlen(struct call *call);
void stream_xrange(struct call *call);
void stream_xrevrange(struct call *call);
void stream_xread(struct call *call);
void stream_xreadgroup(struct call *call);

void stream_xack(struct call *call);
void stream_xclaim(struct call *call);
void stream_xautoclaim(struct call *call);
void stream_xpending(struct call *call);

extern const struct command stream_xgroup_subcommands[], stream_xinfo_subcommands[];

#endif
