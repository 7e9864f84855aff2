/* Popping, waiting to pop, and picking at random. */
#include "commands/blocking.h"
#include "commands/host.h"
#include "commands/sorted.h"

/* ---- popping */

enum pop_form {
    POP_FLAT,       /* member, score, ... */
    POP_NESTED,     /* [member, score], ... */
    POP_KEY_FLAT,   /* key, member, score */
    POP_KEY_NESTED, /* key, [[member, score], ...] */
};

static void reply_pop_head(struct call *call, enum pop_form form, struct span key, uint64_t count) {
    struct reply *reply = call->reply;
    switch (form) {
    case POP_FLAT: reply_array(reply, count * 2); break;
    case POP_NESTED: reply_array(reply, count); break;
    case POP_KEY_FLAT:
        reply_array(reply, count * 2 + 1);
        reply_bulk(reply, key);
        break;
    case POP_KEY_NESTED:
        reply_array(reply, 2);
        reply_bulk(reply, key);
        reply_array(reply, count);
        break;
    }
}

static void pop(struct sorted_edit *edit, bool max, uint64_t count, enum pop_form form) {
    struct call *call = edit->call;
    bool nested = form == POP_NESTED || form == POP_KEY_NESTED;
    uint64_t there = zset_count(edit->z);
    struct zset_cursor cursor;
    count = MIN(count, there);
    reply_pop_head(call, form, edit->key, count);
    zset_seek(edit->z, max ? there - 1 : 0, &cursor);
    for (uint64_t i = 0; i < count; i++) {
        if (i > 0 && max) zset_previous(&cursor);
        if (i > 0 && !max) zset_next(&cursor);
        if (nested) reply_array(call->reply, 2);
        reply_bulk(call->reply, cursor.member);
        reply_double(call->reply, cursor.score);
    }
    if (count == there) {
        sorted_edit_remove(edit, max ? "zpopmax" : "zpopmin");
        return;
    }
    sorted_edit_remove_range(edit, max ? there - count : 0, count);
    sorted_edit_end(edit, max ? "zpopmax" : "zpopmin");
}

static void pop_one_key(struct call *call, bool max) {
    bool counted = call->argc > 2;
    int64_t count = 1;
    struct sorted_edit edit;
    if (call->argc > 3) {
        call_syntax_error(call);
        return;
    }
    if (counted && !call_int_range(call, 2, 0, INT64_MAX,
                                   "ERR value is out of range, must be positive", &count))
        return;
    if (!sorted_edit_begin(&edit, call, 1)) return;
    if (edit.entry && count > 0) {
        bool nested = counted && call->reply->protocol == 3;
        pop(&edit, max, (uint64_t)count, nested ? POP_NESTED : POP_FLAT);
    } else {
        reply_array(call->reply, 0);
    }
}

void sorted_popmin(struct call *call) {
    pop_one_key(call, false);
}

void sorted_popmax(struct call *call) {
    pop_one_key(call, true);
}

/* ---- the first of several keys that has members */

struct pop_keys {
    uint32_t first, count;
    bool max;
    uint64_t pop_count;
    enum pop_form form;
};

/* True when something was answered. */
static bool pop_first_key(struct call *call, const struct pop_keys *keys) {
    for (uint32_t i = 0; i < keys->count; i++) {
        struct sorted_edit edit;
        if (!sorted_edit_begin(&edit, call, keys->first + i)) return true;
        if (!edit.entry) continue;
        pop(&edit, keys->max, keys->pop_count, keys->form);
        return true;
    }
    return false;
}

static bool parse_pop_count(struct call *call, uint32_t at, struct pop_keys *keys) {
    bool given = false;
    for (; at < call->argc; at += 2) {
        int64_t count;
        if (given || !call_is(call, at, "count") || at + 1 == call->argc) {
            call_syntax_error(call);
            return false;
        }
        if (!call_int_range(call, at + 1, 1, INT64_MAX, "ERR count should be greater than 0",
                            &count))
            return false;
        keys->pop_count = (uint64_t)count;
        given = true;
    }
    return true;
}

/* numkeys key ... MIN | MAX [COUNT count], from argument `at` on. */
static bool parse_pop_keys(struct call *call, uint32_t at, struct pop_keys *keys) {
    int64_t key_count;
    if (!call_int_range(call, at, 1, INT64_MAX, "ERR numkeys should be greater than 0", &key_count))
        return false;
    if (key_count >= (int64_t)(call->argc - at - 1)) {
        call_syntax_error(call);
        return false;
    }
    uint32_t where = at + 1 + (uint32_t)key_count;
    *keys = (struct pop_keys){
        .first = at + 1,
        .count = (uint32_t)key_count,
        .max = call_is(call, where, "max"),
        .pop_count = 1,
        .form = POP_KEY_NESTED,
    };
    if (!keys->max && !call_is(call, where, "min")) {
        call_syntax_error(call);
        return false;
    }
    return parse_pop_count(call, where + 1, keys);
}

void sorted_mpop(struct call *call) {
    struct pop_keys keys;
    if (!parse_pop_keys(call, 1, &keys)) return;
    if (!pop_first_key(call, &keys)) reply_null_array(call->reply);
}

static void pop_or_wait(struct call *call, const struct pop_keys *keys, uint32_t timeout_at) {
    struct blocking_options options = {
        .first = keys->first,
        .count = keys->count,
        .type = ENTRY_ZSET,
    };
    if (!blocking_timeout_s(call, timeout_at, &options.due_ms)) return;
    if (!pop_first_key(call, keys)) blocking_wait(call, &options);
}

static void wait_for_one(struct call *call, bool max) {
    struct pop_keys keys = {1, call->argc - 2, max, 1, POP_KEY_FLAT};
    pop_or_wait(call, &keys, call->argc - 1);
}

void sorted_bpopmin(struct call *call) {
    wait_for_one(call, false);
}

void sorted_bpopmax(struct call *call) {
    wait_for_one(call, true);
}

void sorted_bmpop(struct call *call) {
    struct pop_keys keys;
    if (parse_pop_keys(call, 2, &keys)) pop_or_wait(call, &keys, 1);
}

/* ---- ZRANDMEMBER */

static uint64_t random_rank(struct call *call, uint64_t count) {
    return random_below(keyspace_random(call->host->keyspace), count);
}

static void reply_at(struct call *call, const struct zset *z, uint64_t rank, bool with_scores) {
    struct zset_cursor cursor;
    zset_seek(z, rank, &cursor);
    sorted_reply_member(call->reply, &cursor, with_scores);
}

/* `wanted` of all, each the same number of times likely, in order: every member is taken with the chance that is left. */
static void sample_by_walk(struct call *call, const struct zset *z, uint64_t wanted,
                           bool with_scores) {
    struct zset_cursor cursor;
    uint64_t left = zset_count(z);
    zset_seek(z, 0, &cursor);
    for (; wanted > 0; left--) {
        if (random_rank(call, left) < wanted) {
            sorted_reply_member(call->reply, &cursor, with_scores);
            wanted--;
        }
        if (wanted > 0) zset_next(&cursor);
    }
}

/* A set of ranks: open addressing, twice as many places as ranks, rank + 1 in each. */
struct ranks {
    uint64_t *places, mask;
};

static bool ranks_add(struct ranks *ranks, uint64_t rank) {
    uint64_t at = rank * 0x9e3779b97f4a7c15u >> 32 & ranks->mask;
    for (; ranks->places[at]; at = (at + 1) & ranks->mask) {
        if (ranks->places[at] == rank + 1) return false;
    }
    ranks->places[at] = rank + 1;
    return true;
}

/* `wanted` different ranks of many: Floyd's way, one draw each (Bentley and Floyd, A Sample of Brilliance, 1987). */
static bool sample_by_rank(struct call *call, const struct zset *z, uint64_t wanted,
                           bool with_scores) {
    uint64_t count = zset_count(z);
    struct ranks ranks = {.mask = ((uint64_t)2 << (64 - __builtin_clzll(wanted))) - 1};
    ranks.places = mem_try_alloc((ranks.mask + 1) * sizeof *ranks.places);
    if (!ranks.places) return false;
    memset(ranks.places, 0, (ranks.mask + 1) * sizeof *ranks.places);
    sorted_reply_head(call, wanted, with_scores);
    for (uint64_t last = count - wanted; last < count; last++) {
        uint64_t rank = random_rank(call, last + 1);
        if (!ranks_add(&ranks, rank)) ranks_add(&ranks, rank = last);
        reply_at(call, z, rank, with_scores);
    }
    mem_free(ranks.places);
    return true;
}

static void sample(struct call *call, const struct zset *z, int64_t wanted, bool with_scores) {
    enum { WALK_SHARE = 3 }; /* from every third on a walk is quicker */
    uint64_t count = zset_count(z);
    if (wanted < 0) {
        uint64_t repeats = -(uint64_t)wanted;
        sorted_reply_head(call, repeats, with_scores);
        for (uint64_t i = 0; i < repeats && !(call->session->stop & SESSION_STOP_CLOSING); i++)
            reply_at(call, z, random_rank(call, count), with_scores);
        return;
    }
    uint64_t taken = MIN((uint64_t)wanted, count);
    if (taken > 0 && taken < count / WALK_SHARE && !zset_is_packed(z) &&
        sample_by_rank(call, z, taken, with_scores))
        return;
    sorted_reply_head(call, taken, with_scores);
    if (taken > 0) sample_by_walk(call, z, taken, with_scores);
}

static bool parse_sample(struct call *call, int64_t *wanted, bool *with_scores) {
    if (!call_int_range(call, 2, -INT64_MAX, INT64_MAX, NULL, wanted)) return false;
    if (call->argc == 3) return true;
    if (call->argc > 4 || !call_is(call, 3, "withscores")) {
        call_syntax_error(call);
        return false;
    }
    *with_scores = true;
    if (*wanted >= -(INT64_MAX / 2) && *wanted <= INT64_MAX / 2) return true;
    reply_error(call->reply, "ERR value is out of range");
    return false;
}

void sorted_randmember(struct call *call) {
    bool counted = call->argc > 2, with_scores = false;
    const struct zset *z;
    int64_t wanted = 0;
    if (counted && !parse_sample(call, &wanted, &with_scores)) return;
    if (!sorted_find(call, 1, &z)) return;
    if (z && counted) {
        sample(call, z, wanted, with_scores);
    } else if (z) {
        reply_at(call, z, random_rank(call, zset_count(z)), false);
    } else if (counted) {
        reply_array(call->reply, 0);
    } else {
        reply_null(call->reply);
    }
}
