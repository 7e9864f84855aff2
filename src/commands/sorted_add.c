/* ZADD, ZINCRBY, ZREM. Hot path: sorted_add_pairs with one pair. */
#include <math.h>

#include "commands/sorted.h"

/* ---- adding */

struct outcome {
    uint32_t added, updated;
    bool processed; /* of the last pair: not kept back by a condition */
    double score;   /* its score now */
    const char *error;
};

static bool keeps_out(unsigned flags, double score, double current) {
    return (flags & SORTED_LT && score >= current) || (flags & SORTED_GT && score <= current);
}

static void change_score(struct zset **z, const struct zset_place *place, unsigned flags,
                         struct span member, double score, struct outcome *out) {
    double current = place->score;
    if (flags & SORTED_NX) return;
    if (flags & SORTED_INCR) score += current;
    if (isnan(score)) {
        out->error = "ERR resulting score is not a number (NaN)";
        return;
    }
    if (keeps_out(flags, score, current)) return;
    out->processed = true;
    out->score = score;
    if (score == current) return;
    if (zset_set_score(z, place, member, score) < 0) {
        out->error = ERROR_MEMORY_TEXT;
        return;
    }
    out->updated++;
}

static void add_pair(struct zset **z, unsigned flags, struct span member, double score,
                     const struct zset_limits *limits, struct outcome *out) {
    struct zset_place place;
    out->processed = false;
    if (zset_find(*z, member, &place)) {
        change_score(z, &place, flags, member, score, out);
        return;
    }
    if (flags & SORTED_XX) return;
    if (zset_insert(z, &place, member, score, limits) < 0) {
        out->error = ERROR_MEMORY_TEXT;
        return;
    }
    out->processed = true;
    out->score = score;
    out->added++;
}

static void add_all(struct zset **z, const struct sorted_add *add, const struct zset_limits *limits,
                    struct outcome *out) {
    for (uint32_t i = 0; i < add->count && !out->error; i++) {
        const struct span *member = add->members + (size_t)i * add->step;
        if (add->count > 1 && i % ZSET_AHEAD == 0)
            zset_prefetch(*z, member, add->count - i, add->step);
        add_pair(z, add->flags, *member, add->scores[i], limits, out);
    }
}

static size_t longest(const struct sorted_add *add) {
    size_t len = 0;
    for (uint32_t i = 0; i < add->count; i++)
        len = MAX(len, add->members[(size_t)i * add->step].len);
    return len;
}

/* A key that is not there is made when something was added. */
static void add_to_new(struct sorted_edit *edit, const struct sorted_add *add,
                       const struct zset_limits *limits, const char *event, struct outcome *out) {
    struct zset *z;
    if (add->flags & SORTED_XX) return;
    z = zset_new(add->count, longest(add), limits);
    add_all(&z, add, limits, out);
    if (out->error) {
        zset_free(z);
        return;
    }
    if (db_put_object(edit->call->db, NULL, edit->key, edit->hash, ENTRY_ZSET, z,
                      ENTRY_NO_DEADLINE)) {
        call_event(edit->call, 'z', event, edit->key);
    } else {
        out->error = ERROR_MEMORY_TEXT;
    }
}

static void add_to_old(struct sorted_edit *edit, const struct sorted_add *add,
                       const struct zset_limits *limits, const char *event, struct outcome *out) {
    if (zset_prepare(&edit->z, add->count, longest(add), limits) < 0) {
        out->error = ERROR_MEMORY_TEXT;
        return;
    }
    add_all(&edit->z, add, limits, out);
    sorted_edit_end(edit, out->added || out->updated ? event : NULL);
}

void sorted_add_pairs(struct call *call, const struct sorted_add *add) {
    struct zset_limits limits = sorted_limits(call);
    const char *event = add->flags & SORTED_INCR ? "zincr" : "zadd";
    struct outcome out = {0};
    struct sorted_edit edit;
    if (!sorted_edit_begin(&edit, call, 1)) return;
    if (edit.entry) {
        add_to_old(&edit, add, &limits, event, &out);
    } else {
        add_to_new(&edit, add, &limits, event, &out);
    }
    if (out.error) {
        reply_error(call->reply, out.error);
    } else if (!(add->flags & SORTED_INCR)) {
        reply_int(call->reply, add->flags & SORTED_CH ? out.added + out.updated : out.added);
    } else if (out.processed) {
        reply_double(call->reply, out.score);
    } else {
        reply_null(call->reply);
    }
}

/* Options from argument 2 on; returns where the first score stands. */
static uint32_t parse_flags(struct call *call, unsigned *flags) {
    static const struct {
        const char *word;
        unsigned flag;
    } options[] = {
        {"nx", SORTED_NX}, {"xx", SORTED_XX}, {"gt", SORTED_GT},
        {"lt", SORTED_LT}, {"ch", SORTED_CH}, {"incr", SORTED_INCR},
    };
    for (uint32_t at = 2; at < call->argc; at++) {
        uint32_t i = 0;
        while (i < ARRAY_LENGTH(options) && !call_is(call, at, options[i].word)) i++;
        if (i == ARRAY_LENGTH(options)) return at;
        *flags |= options[i].flag;
    }
    return call->argc;
}

static bool check_flags(struct call *call, unsigned flags, uint32_t count) {
    const char *error = NULL;
    bool greater = flags & SORTED_GT, less = flags & SORTED_LT, fresh = flags & SORTED_NX;
    if (flags & SORTED_INCR && count > 1)
        error = "ERR INCR option supports a single increment-element pair";
    if ((greater && fresh) || (less && fresh) || (greater && less))
        error = "ERR GT, LT, and/or NX options at the same time are not compatible";
    if (fresh && flags & SORTED_XX)
        error = "ERR XX and NX options at the same time are not compatible";
    if (error) reply_error(call->reply, error);
    return !error;
}

static void parse_and_add(struct call *call, unsigned flags, uint32_t first) {
    uint32_t rest = call->argc - first;
    if (rest == 0 || rest % 2) {
        call_syntax_error(call);
        return;
    }
    if (!check_flags(call, flags, rest / 2)) return;
    double one, *scores = rest == 2 ? &one : call_scratch(call, rest / 2 * sizeof *scores);
    for (uint32_t i = 0; i < rest / 2; i++) {
        if (!call_double(call, first + i * 2, &scores[i])) return;
    }
    struct sorted_add add = {flags, rest / 2, scores, call->argv + first + 1, 2};
    sorted_add_pairs(call, &add);
}

void sorted_add(struct call *call) {
    unsigned flags = 0;
    bool is_digit = call->argv[2].len > 0 && (unsigned)call->argv[2].data[0] - '0' <= 9;
    uint32_t first = is_digit ? 2 : parse_flags(call, &flags);
    parse_and_add(call, flags, first);
}

void sorted_incrby(struct call *call) {
    unsigned flags = SORTED_INCR;
    uint32_t first = parse_flags(call, &flags);
    parse_and_add(call, flags, first);
}

/* ---- removing */

void sorted_rem(struct call *call) {
    struct sorted_edit edit;
    int64_t removed = 0;
    uint32_t count = call->argc - 2;
    if (!sorted_edit_begin(&edit, call, 1)) return;
    for (uint32_t i = 0; edit.entry && i < count && zset_count(edit.z) > 0; i++) {
        struct zset_place place;
        if (i % ZSET_AHEAD == 0) zset_prefetch(edit.z, call->argv + 2 + i, count - i, 1);
        if (!zset_find(edit.z, call->argv[2 + i], &place)) continue;
        zset_remove(&edit.z, &place);
        removed++;
    }
    if (removed) sorted_edit_end(&edit, "zrem");
    reply_int(call->reply, removed);
}
