/* Ranges: each is resolved to ranks first, whatever it is given by. Hot path: ZRANGE. */
#include <math.h>
#include <stdlib.h>

#include "commands/long_reply.h"
#include "commands/sorted.h"

/* ---- which part */

/* Ends of ranges are read less strictly than scores: nothing is 0, too large is infinite, too small 0. */
static bool parse_end_number(struct span text, double *out) {
    char copy[256], *end;
    *out = 0;
    if (text.len == 0 || num_parse_double(text, out)) return true;
    if (text.len >= sizeof copy || text.data[0] == ' ' ||
        (text.data[0] >= '\t' && text.data[0] <= '\r'))
        return false;
    memcpy(copy, text.data, text.len);
    copy[text.len] = 0;
    *out = strtod(copy, &end);
    return end == copy + text.len && !isnan(*out);
}

static bool parse_score_end(struct call *call, uint32_t at, struct sorted_end *end) {
    struct span text = call->argv[at];
    *end = (struct sorted_end){.open = text.len > 0 && text.data[0] == '('};
    if (end->open) text = span_make(text.data + 1, text.len - 1);
    return parse_end_number(text, &end->score);
}

static bool parse_member_end(struct call *call, uint32_t at, struct sorted_end *end) {
    struct span text = call->argv[at];
    if (text.len == 0) return false;
    *end = (struct sorted_end){
        .open = text.data[0] == '(',
        .member = span_make(text.data + 1, text.len - 1),
    };
    switch (text.data[0]) {
    case '(':
    case '[': return true;
    case '-': end->kind = SORTED_END_FIRST; return text.len == 1;
    case '+': end->kind = SORTED_END_LAST; return text.len == 1;
    }
    return false;
}

bool sorted_parse_span(struct call *call, enum sorted_by by, uint32_t low, uint32_t high,
                       struct sorted_span *span) {
    span->by = by;
    switch (by) {
    case SORTED_BY_RANK:
        return call_int(call, low, &span->start) && call_int(call, high, &span->stop);
    case SORTED_BY_SCORE:
        if (parse_score_end(call, low, &span->low) && parse_score_end(call, high, &span->high))
            return true;
        reply_error(call->reply, "ERR min or max is not a float");
        return false;
    case SORTED_BY_MEMBER:
        if (parse_member_end(call, low, &span->low) && parse_member_end(call, high, &span->high))
            return true;
        reply_error(call->reply, "ERR min or max not valid string range item");
        return false;
    }
    return false;
}

static void resolve_ranks(int64_t count, const struct sorted_span *span, bool reverse,
                          uint64_t *from, uint64_t *to) {
    int64_t start = span->start, stop = span->stop;
    *from = *to = 0;
    if (start < 0) start += count;
    if (stop < 0) stop += count;
    start = MAX(start, 0);
    if (start > stop || start >= count) return;
    stop = MIN(stop, count - 1);
    *from = (uint64_t)(reverse ? count - 1 - stop : start);
    *to = *from + (uint64_t)(stop - start) + 1;
}

/* How many elements lie before the end; `behind`: and on it. */
static uint64_t count_before(const struct zset *z, enum sorted_by by, const struct sorted_end *end,
                             bool behind) {
    struct ztree_bound bound = {.score = end->score, .member = end->member};
    if (end->kind == SORTED_END_FIRST) return 0;
    if (end->kind == SORTED_END_LAST) return zset_count(z);
    if (by == SORTED_BY_SCORE) {
        bound.kind = behind ? ZTREE_SCORE_BEHIND : ZTREE_SCORE;
    } else {
        bound.kind = behind ? ZTREE_MEMBER_BEHIND : ZTREE_MEMBER;
    }
    return zset_count_before(z, &bound);
}

void sorted_resolve_span(const struct zset *z, const struct sorted_span *span, bool reverse,
                         uint64_t *from, uint64_t *to) {
    if (span->by == SORTED_BY_RANK) {
        resolve_ranks((int64_t)zset_count(z), span, reverse, from, to);
        return;
    }
    *from = count_before(z, span->by, &span->low, span->low.open);
    *to = count_before(z, span->by, &span->high, !span->high.open);
    if (*to < *from) *to = *from;
}

/* ---- ZCOUNT, ZLEXCOUNT, ZREMRANGE... */

static void count_span(struct call *call, enum sorted_by by) {
    struct sorted_span span;
    const struct zset *z;
    uint64_t from = 0, to = 0;
    if (!sorted_parse_span(call, by, 2, 3, &span) || !sorted_find(call, 1, &z)) return;
    if (z) sorted_resolve_span(z, &span, false, &from, &to);
    reply_int(call->reply, (int64_t)(to - from));
}

void sorted_count(struct call *call) {
    count_span(call, SORTED_BY_SCORE);
}

void sorted_lexcount(struct call *call) {
    count_span(call, SORTED_BY_MEMBER);
}

static void remove_span(struct call *call, enum sorted_by by, const char *event) {
    struct sorted_span span;
    struct sorted_edit edit;
    uint64_t from = 0, to = 0;
    if (!sorted_parse_span(call, by, 2, 3, &span) || !sorted_edit_begin(&edit, call, 1)) return;
    if (edit.entry) sorted_resolve_span(edit.z, &span, false, &from, &to);
    if (from < to && to - from == zset_count(edit.z)) {
        sorted_edit_remove(&edit, event);
    } else if (from < to) {
        sorted_edit_remove_range(&edit, from, to - from);
        sorted_edit_end(&edit, event);
    }
    reply_int(call->reply, (int64_t)(to - from));
}

void sorted_remrangebyrank(struct call *call) {
    remove_span(call, SORTED_BY_RANK, "zremrangebyrank");
}

void sorted_remrangebyscore(struct call *call) {
    remove_span(call, SORTED_BY_SCORE, "zremrangebyscore");
}

void sorted_remrangebylex(struct call *call) {
    remove_span(call, SORTED_BY_MEMBER, "zremrangebylex");
}

/* ---- ZRANGE and what came before it */

struct range {
    uint32_t key_at;
    bool store, by_given, reverse_given; /* by the command's name: options may not say it again */
    enum sorted_by by;
    bool reverse, with_scores;
    int64_t offset, limit; /* limit -1: none */
    struct sorted_span span;
};

static bool parse_range_option(struct call *call, struct range *range, uint32_t *at) {
    uint32_t i = *at;
    if (!range->store && call_is(call, i, "withscores")) {
        range->with_scores = true;
    } else if (i + 2 < call->argc && call_is(call, i, "limit")) {
        *at = i + 2;
        return call_int(call, i + 1, &range->offset) && call_int(call, i + 2, &range->limit);
    } else if (!range->reverse_given && call_is(call, i, "rev")) {
        range->reverse = range->reverse_given = true;
    } else if (!range->by_given && call_is(call, i, "bylex")) {
        range->by = SORTED_BY_MEMBER;
        range->by_given = true;
    } else if (!range->by_given && call_is(call, i, "byscore")) {
        range->by = SORTED_BY_SCORE;
        range->by_given = true;
    } else {
        call_syntax_error(call);
        return false;
    }
    return true;
}

static bool parse_range(struct call *call, struct range *range) {
    uint32_t low = range->key_at + 1, high = low + 1;
    range->limit = -1;
    for (uint32_t i = high + 1; i < call->argc; i++) {
        if (!parse_range_option(call, range, &i)) return false;
    }
    if (range->limit != -1 && range->by == SORTED_BY_RANK) {
        reply_error(call->reply, "ERR syntax error, LIMIT is only supported in combination with "
                                 "either BYSCORE or BYLEX");
        return false;
    }
    if (range->with_scores && range->by == SORTED_BY_MEMBER) {
        reply_error(call->reply,
                    "ERR syntax error, WITHSCORES not supported in combination with BYLEX");
        return false;
    }
    /* What is read backwards is given backwards. */
    bool swap = range->reverse && range->by != SORTED_BY_RANK;
    return sorted_parse_span(call, range->by, swap ? high : low, swap ? low : high, &range->span);
}

/* Ranks in the order in which they are read: from *first on, *count of them, downwards when reverse. */
static void resolve_range(const struct zset *z, const struct range *range, uint64_t *first,
                          uint64_t *count) {
    uint64_t from, to, there, offset = (uint64_t)range->offset;
    sorted_resolve_span(z, &range->span, range->reverse, &from, &to);
    there = to - from;
    if (range->by != SORTED_BY_RANK) {
        if (range->offset < 0) offset = there;
        offset = MIN(offset, there);
        there -= offset;
        if (range->limit >= 0) there = MIN(there, (uint64_t)range->limit);
    } else {
        offset = 0;
    }
    *count = there;
    *first = range->reverse ? to - 1 - offset : from + offset;
}

struct range_state {
    struct zset_cursor cursor;
    uint64_t left;
    bool reverse, with_scores;
};

static bool write_range(void *context, struct reply *reply) {
    struct range_state *state = context;
    for (int step = 0; step < LONG_REPLY_STEP; step++) {
        sorted_reply_member(reply, &state->cursor, state->with_scores);
        if (--state->left == 0) return true;
        if (state->reverse) {
            zset_previous(&state->cursor);
        } else {
            zset_next(&state->cursor);
        }
    }
    return false;
}

static const struct long_reply_kind range_kind = {
    .state_bytes = sizeof(struct range_state), .type = ENTRY_ZSET, .write = write_range};

/* The cursor of a packed set may point into itself, so that it cannot be moved: that is written at once. */
static void reply_range(struct call *call, const struct zset *z, const struct range *range) {
    struct range_state state;
    uint64_t first;
    resolve_range(z, range, &first, &state.left);
    sorted_reply_head(call, state.left, range->with_scores);
    if (state.left == 0) return;
    state.reverse = range->reverse;
    state.with_scores = range->with_scores;
    zset_seek(z, first, &state.cursor);
    if (zset_is_packed(z)) {
        while (!write_range(&state, call->reply)) {}
    } else {
        long_reply(call, &range_kind, &state, z);
    }
}

static int copy_range(struct call *call, const struct zset *z, const struct range *range,
                      struct zset **out) {
    struct zset_limits limits = sorted_limits(call);
    struct zset_cursor cursor;
    uint64_t first, count;
    resolve_range(z, range, &first, &count);
    *out = zset_new(range->by == SORTED_BY_RANK ? count : 0, 0, &limits);
    bool there = count > 0 && zset_seek(z, first, &cursor);
    for (; there;
         there = --count > 0 && (range->reverse ? zset_previous(&cursor) : zset_next(&cursor))) {
        struct zset_place place = {.hash = hash_bytes(cursor.member.data, cursor.member.len)};
        int rc = zset_insert(out, &place, cursor.member, cursor.score, &limits);
        if (rc == 0) continue;
        zset_free(*out);
        return rc;
    }
    return 0;
}

static void run_range(struct call *call, struct range *range) {
    const struct zset *z;
    if (!parse_range(call, range) || !sorted_find(call, range->key_at, &z)) return;
    if (!range->store) {
        if (z) {
            reply_range(call, z, range);
        } else {
            reply_array(call->reply, 0);
        }
        return;
    }
    struct zset *copy = NULL;
    if (z && copy_range(call, z, range, &copy) < 0) {
        reply_error(call->reply, ERROR_MEMORY_TEXT);
    } else {
        sorted_store(call, 1, copy, "zrangestore");
    }
}

void sorted_range(struct call *call) {
    run_range(call, &(struct range){.key_at = 1});
}

void sorted_rangestore(struct call *call) {
    run_range(call, &(struct range){.key_at = 2, .store = true});
}

static void run_named(struct call *call, enum sorted_by by, bool reverse) {
    run_range(
        call,
        &(struct range){
            .key_at = 1, .by = by, .by_given = true, .reverse = reverse, .reverse_given = true});
}

void sorted_revrange(struct call *call) {
    run_named(call, SORTED_BY_RANK, true);
}

void sorted_rangebyscore(struct call *call) {
    run_named(call, SORTED_BY_SCORE, false);
}

void sorted_revrangebyscore(struct call *call) {
    run_named(call, SORTED_BY_SCORE, true);
}

void sorted_rangebylex(struct call *call) {
    run_named(call, SORTED_BY_MEMBER, false);
}

void sorted_revrangebylex(struct call *call) {
    run_named(call, SORTED_BY_MEMBER, true);
}
