/* Inside src/commands only: what the files of the sorted sets' family, and geo over it, share. Its table is in sorted_table.c; the data
 * structure in types/zset.h. */
#ifndef COMMANDS_SORTED_H
#define COMMANDS_SORTED_H

#include "commands/command.h"
#include "types/zset.h"

struct zset_limits sorted_limits(const struct call *call);

/* ---- sorted.c: the sorted set behind a key */

/* One under change: begin, change z as you like, end. */
struct sorted_edit {
    struct call *call;
    struct span key;
    uint64_t hash;
    struct entry *entry; /* NULL: no such key */
    struct zset *z;      /* with entry */
    size_t bytes_before;
};
/* False after WRONGTYPE was written. */
bool sorted_edit_begin(struct sorted_edit *edit, struct call *call, uint32_t at);
/* Accounts and writes z back; with an event also tells of the change, and an empty set goes. */
void sorted_edit_end(struct sorted_edit *edit, const char *event);
/* Takes members out, in steps when they are nearly all. */
void sorted_edit_remove_range(struct sorted_edit *edit, uint64_t rank, uint64_t count);
/* All members were taken at once: the key goes, a large set in steps. */
void sorted_edit_remove(struct sorted_edit *edit, const char *event);

/* For reading. False after an error was written; *z is NULL when there is no such key. */
bool sorted_find(struct call *call, uint32_t at, const struct zset **z);

/* Puts z (NULL or empty: nothing) to argument `at` whatever was there, and answers with its count. Takes z over. */
void sorted_store(struct call *call, uint32_t at, struct zset *z, const char *event);

/* Members and their scores: nested pairs in RESP3, flat in RESP2. */
void sorted_reply_head(struct call *call, uint64_t count, bool with_scores);
INLINE void sorted_reply_member(struct reply *reply, const struct zset_cursor *cursor,
                                bool with_scores) {
    if (with_scores && reply->protocol == 3) reply_array(reply, 2);
    reply_bulk(reply, cursor->member);
    if (with_scores) reply_double(reply, cursor->score);
}

/* ---- sorted_add.c: ZADD's way, with scores already there */
enum sorted_add_flag {
    SORTED_NX = 1 << 0,
    SORTED_XX = 1 << 1,
    SORTED_GT = 1 << 2,
    SORTED_LT = 1 << 3,
    SORTED_CH = 1 << 4,
    SORTED_INCR = 1 << 5,
};
struct sorted_add {
    unsigned flags;
    uint32_t count;
    const double *scores;
    const struct span *members; /* members[0], members[step], ... */
    uint32_t step;
};
void sorted_add_pairs(struct call *call, const struct sorted_add *add);

/* ---- sorted_range.c: which part of a sorted set is meant */
enum sorted_by { SORTED_BY_RANK, SORTED_BY_SCORE, SORTED_BY_MEMBER };

struct sorted_end { /* of a range by score or member */
    enum sorted_end_kind { SORTED_END_AT, SORTED_END_FIRST, SORTED_END_LAST } kind;
    bool open; /* what is there itself is outside */
    double score;
    struct span member;
};
struct sorted_span {
    enum sorted_by by;
    int64_t start, stop; /* ranks, as given */
    struct sorted_end low, high;
};
/* Arguments `low` and `high`; false after the error was written. */
bool sorted_parse_span(struct call *call, enum sorted_by by, uint32_t low, uint32_t high,
                       struct sorted_span *span);
/* The ranks from *from to before *to; reverse: ranks as given count from the end. */
void sorted_resolve_span(const struct zset *z, const struct sorted_span *span, bool reverse,
                         uint64_t *from, uint64_t *to);

/* ---- handlers */
void sorted_add(struct call *call);
void sorted_incrby(struct call *call);
void sorted_rem(struct call *call);
void sorted_card(struct call *call);
void sorted_score(struct call *call);
void sorted_mscore(struct call *call);
void sorted_rank(struct call *call);
void sorted_revrank(struct call *call);
void sorted_count(struct call *call);
void sorted_lexcount(struct call *call);
void sorted_range(struct call *call);
void sorted_rangestore(struct call *call);
void sorted_rangebyscore(struct call *call);
void sorted_revrangebyscore(struct call *call);
void sorted_rangebylex(struct call *call);
void sorted_revrangebylex(struct call *call);
void sorted_revrange(struct call *call);
void sorted_remrangebyrank(struct call *call);
void sorted_remrangebyscore(struct call *call);
void sorted_remrangebylex(struct call *call);
void sorted_popmin(struct call *call);
void sorted_popmax(struct call *call);
void sorted_mpop(struct call *call);
void sorted_bpopmin(struct call *call);
void sorted_bpopmax(struct call *call);
void sorted_bmpop(struct call *call);
void sorted_randmember(struct call *call);
void sorted_union(struct call *call);
void sorted_unionstore(struct call *call);
void sorted_inter(struct call *call);
void sorted_interstore(struct call *call);
void sorted_intercard(struct call *call);
void sorted_diff(struct call *call);
void sorted_diffstore(struct call *call);
void sorted_scan(struct call *call);

#endif
