/* Unions, intersections and differences of sorted sets and sets, whose members count as having the score 1.
 *
 *   parse -> sources (smallest first, unless it is a difference) -> a builder -> answered or stored
 *
 * Sources are walked in batches; what a batch will look up in the others is asked for before it is looked up. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "commands/host.h"
#include "commands/sorted.h"
#include "types/set.h"

enum combine_kind { COMBINE_UNION, COMBINE_INTER, COMBINE_DIFF };
enum aggregate { AGGREGATE_SUM, AGGREGATE_MIN, AGGREGATE_MAX };

struct source {
    const struct zset *zset; /* one of both, or neither: no such key */
    const struct set *set;
    uint64_t count;
    double weight;
};

struct combine {
    struct call *call;
    enum combine_kind kind;
    uint32_t keys_at; /* of numkeys */
    bool store, count_only, with_scores;
    enum aggregate aggregate;
    int64_t limit; /* 0: none */
    struct source *sources;
    uint32_t source_count;
    struct zset_build build;
    int64_t counted;
};

/* ---- arguments */

static bool find_sources(struct combine *c) {
    struct call *call = c->call;
    for (uint32_t i = 0; i < c->source_count; i++) {
        const struct entry *e = call_find(call, c->keys_at + 1 + i);
        struct source *source = &c->sources[i];
        *source = (struct source){.weight = 1};
        if (!e) continue;
        if (entry_type(e) == ENTRY_ZSET) {
            source->zset = entry_object(e);
            source->count = zset_count(source->zset);
        } else if (entry_type(e) == ENTRY_SET) {
            source->set = entry_object(e);
            source->count = set_count(source->set);
        } else {
            reply_error(call->reply, ERROR_WRONG_TYPE_TEXT);
            return false;
        }
    }
    return true;
}

static bool parse_weights(struct combine *c, uint32_t at) {
    for (uint32_t i = 0; i < c->source_count; i++) {
        if (num_parse_double(c->call->argv[at + i], &c->sources[i].weight)) continue;
        reply_error(c->call->reply, "ERR weight value is not a float");
        return false;
    }
    return true;
}

static bool parse_aggregate(struct combine *c, uint32_t at) {
    static const char *const words[] = {"sum", "min", "max"};
    for (int i = 0; i < (int)ARRAY_LENGTH(words); i++) {
        if (!call_is(c->call, at, words[i])) continue;
        c->aggregate = (enum aggregate)i;
        return true;
    }
    call_syntax_error(c->call);
    return false;
}

static bool parse_option(struct combine *c, uint32_t *at) {
    struct call *call = c->call;
    uint32_t i = *at, left = call->argc - i;
    bool scored = c->kind != COMBINE_DIFF && !c->count_only;
    if (scored && left >= c->source_count + 1 && call_is(call, i, "weights")) {
        *at = i + c->source_count;
        return parse_weights(c, i + 1);
    }
    if (scored && left >= 2 && call_is(call, i, "aggregate")) {
        *at = i + 1;
        return parse_aggregate(c, i + 1);
    }
    if (!c->store && !c->count_only && call_is(call, i, "withscores")) {
        c->with_scores = true;
        return true;
    }
    if (c->count_only && left >= 2 && call_is(call, i, "limit")) {
        *at = i + 1;
        return call_int_range(call, i + 1, 0, INT64_MAX, "ERR LIMIT can't be negative", &c->limit);
    }
    call_syntax_error(call);
    return false;
}

static bool parse(struct combine *c) {
    struct call *call = c->call;
    int64_t count;
    if (!call_int(call, c->keys_at, &count)) return false;
    if (count < 1) {
        reply_errorf(call->reply, "ERR at least 1 input key is needed for '%s' command",
                     call->command->name);
        return false;
    }
    if (count > (int64_t)(call->argc - c->keys_at - 1)) {
        call_syntax_error(call);
        return false;
    }
    c->source_count = (uint32_t)count;
    c->sources = call_scratch(call, c->source_count * sizeof *c->sources);
    if (!find_sources(c)) return false;
    for (uint32_t i = c->keys_at + 1 + c->source_count; i < call->argc; i++) {
        if (!parse_option(c, &i)) return false;
    }
    return true;
}

/* ---- walking one source */

enum { BATCH = SET_WALK_BATCH };
_Static_assert((int)BATCH <= (int)ZSET_AHEAD, "one batch is asked for at once");

struct batch {
    struct span members[BATCH];
    double scores[BATCH];
    uint32_t count;
    char texts[BATCH][NUM_INT_TEXT_MAX];
};

struct walk {
    const struct source *source;
    bool begun, there;
    struct zset_cursor cursor;
    struct set_walk set;
};

static void walk_begin(struct walk *walk, const struct source *source) {
    walk->source = source;
    walk->there = false;
    if (source->zset) {
        walk->there = zset_seek(source->zset, 0, &walk->cursor);
    } else if (source->set) {
        set_walk_begin(&walk->set, source->set);
    }
}

static void next_of_zset(struct walk *walk, struct batch *batch) {
    struct zset_cursor *cursor = &walk->cursor;
    for (; walk->there && batch->count < BATCH; batch->count++) {
        struct span *member = &batch->members[batch->count];
        *member = cursor->member;
        if (member->data == cursor->text) {
            memcpy(batch->texts[batch->count], cursor->text, member->len);
            member->data = batch->texts[batch->count];
        }
        batch->scores[batch->count] = cursor->score;
        walk->there = zset_next(cursor);
    }
}

static void next_of_set(struct walk *walk, struct batch *batch) {
    struct packed_value values[SET_WALK_BATCH];
    batch->count = set_walk_next(&walk->set, values);
    for (uint32_t i = 0; i < batch->count; i++) {
        batch->members[i] = packed_value_bytes(&values[i], batch->texts[i]);
        batch->scores[i] = 1;
    }
}

static bool walk_next(struct walk *walk, struct batch *batch) {
    batch->count = 0;
    if (walk->source->zset) {
        next_of_zset(walk, batch);
    } else if (walk->source->set) {
        next_of_set(walk, batch);
    }
    return batch->count > 0;
}

static bool same_source(const struct source *a, const struct source *b) {
    return a->zset == b->zset && a->set == b->set;
}

static bool source_score(const struct source *source, struct span member, double *score) {
    struct zset_place place;
    *score = 1;
    if (source->set) return set_has(source->set, member);
    if (!source->zset || !zset_find(source->zset, member, &place)) return false;
    *score = place.score;
    return true;
}

static void prefetch(const struct source *source, const struct span *members, uint32_t count) {
    if (source->set) set_prefetch(source->set, members, count);
    if (source->zset) zset_prefetch(source->zset, members, count, 1);
}

/* ---- combining */

static double weigh(const struct source *source, double score) {
    double weighed = source->weight * score;
    return isnan(weighed) ? 0 : weighed;
}

/* Infinities of both signs add up to 0. */
static double join_scores(enum aggregate aggregate, double score, double other) {
    switch (aggregate) {
    case AGGREGATE_SUM: score += other; return isnan(score) ? 0 : score;
    case AGGREGATE_MIN: return other < score ? other : score;
    case AGGREGATE_MAX: return other > score ? other : score;
    }
    return score;
}

static int unite(struct combine *c) {
    struct walk walk;
    struct batch batch;
    for (uint32_t s = 0; s < c->source_count; s++) {
        uint64_t hashes[BATCH];
        walk_begin(&walk, &c->sources[s]);
        while (walk_next(&walk, &batch)) {
            for (uint32_t i = 0; i < batch.count; i++) {
                hashes[i] = hash_bytes(batch.members[i].data, batch.members[i].len);
                table_prefetch_bucket(&c->build.table, hashes[i]);
            }
            for (uint32_t i = 0; i < batch.count; i++) {
                double score = weigh(&c->sources[s], batch.scores[i]);
                struct zelement *e = zset_build_find(&c->build, batch.members[i], hashes[i]);
                if (e) {
                    e->score = join_scores(c->aggregate, e->score, score);
                } else if (zset_build_add(&c->build, batch.members[i], hashes[i], score) < 0) {
                    return -ENOMEM;
                }
            }
        }
    }
    return 0;
}

/* Keeps of the batch what the source has, and joins the scores. */
static void keep_common(const struct combine *c, struct batch *batch, double *raw,
                        const struct source *source) {
    uint32_t kept = 0;
    bool same = same_source(source, c->sources);
    if (!same) prefetch(source, batch->members, batch->count);
    for (uint32_t i = 0; i < batch->count; i++) {
        double other = raw[i];
        if (!same && !source_score(source, batch->members[i], &other)) continue;
        other *= source->weight;
        batch->members[kept] = batch->members[i];
        raw[kept] = raw[i];
        batch->scores[kept++] = join_scores(c->aggregate, batch->scores[i], other);
    }
    batch->count = kept;
}

static int put_batch(struct combine *c, const struct batch *batch) {
    for (uint32_t i = 0; i < batch->count; i++) {
        struct span member = batch->members[i];
        uint64_t hash = hash_bytes(member.data, member.len);
        if (zset_build_add(&c->build, member, hash, batch->scores[i]) < 0) return -ENOMEM;
    }
    return 0;
}

static int intersect(struct combine *c) {
    struct walk walk;
    struct batch batch;
    double raw[BATCH];
    if (c->sources[0].count == 0) return 0;
    walk_begin(&walk, &c->sources[0]);
    while (walk_next(&walk, &batch)) {
        for (uint32_t i = 0; i < batch.count; i++) {
            raw[i] = batch.scores[i];
            batch.scores[i] = weigh(&c->sources[0], raw[i]);
        }
        for (uint32_t s = 1; s < c->source_count; s++) keep_common(c, &batch, raw, &c->sources[s]);
        c->counted += batch.count;
        if (c->count_only && c->limit && c->counted >= c->limit) {
            c->counted = c->limit;
            return 0;
        }
        if (!c->count_only && put_batch(c, &batch) < 0) return -ENOMEM;
    }
    return 0;
}

/* Looks each member of the first up in all others. */
static int subtract_by_find(struct combine *c) {
    struct walk walk;
    struct batch batch;
    walk_begin(&walk, &c->sources[0]);
    while (walk_next(&walk, &batch)) {
        for (uint32_t s = 1; s < c->source_count; s++) {
            uint32_t kept = 0;
            double score;
            prefetch(&c->sources[s], batch.members, batch.count);
            for (uint32_t i = 0; i < batch.count; i++) {
                if (source_score(&c->sources[s], batch.members[i], &score)) continue;
                batch.members[kept] = batch.members[i];
                batch.scores[kept++] = batch.scores[i];
            }
            batch.count = kept;
        }
        if (put_batch(c, &batch) < 0) return -ENOMEM;
    }
    return 0;
}

/* Takes the first and removes all members of the others. */
static int subtract_by_removal(struct combine *c) {
    struct walk walk;
    struct batch batch;
    walk_begin(&walk, &c->sources[0]);
    while (walk_next(&walk, &batch)) {
        if (put_batch(c, &batch) < 0) return -ENOMEM;
    }
    for (uint32_t s = 1; s < c->source_count && zset_build_count(&c->build) > 0; s++) {
        walk_begin(&walk, &c->sources[s]);
        while (walk_next(&walk, &batch)) {
            for (uint32_t i = 0; i < batch.count; i++) {
                uint64_t hash = hash_bytes(batch.members[i].data, batch.members[i].len);
                zset_build_remove(&c->build, batch.members[i], hash);
            }
        }
    }
    return 0;
}

/* Finding is the cheaper step, and says no early: it is taken unless the first is twice as long as all together. */
static int subtract(struct combine *c) {
    uint64_t finds = 0, removals = 0;
    if (c->sources[0].count == 0) return 0;
    for (uint32_t s = 0; s < c->source_count; s++) {
        if (s > 0 && same_source(&c->sources[s], &c->sources[0])) return 0;
        finds += c->sources[0].count;
        removals += c->sources[s].count;
    }
    return finds / 2 <= removals ? subtract_by_find(c) : subtract_by_removal(c);
}

static int compare_counts(const void *a, const void *b) {
    uint64_t first = ((const struct source *)a)->count, second = ((const struct source *)b)->count;
    return first < second ? -1 : first > second;
}

static int combine(struct combine *c) {
    /* Stable in glibc, as where the order of additions shows in the last digit of sums. */
    if (c->kind != COMBINE_DIFF)
        qsort(c->sources, c->source_count, sizeof *c->sources, compare_counts);
    switch (c->kind) {
    case COMBINE_UNION: return unite(c);
    case COMBINE_INTER: return intersect(c);
    case COMBINE_DIFF: return subtract(c);
    }
    return 0;
}

/* ---- answering */

static void reply_all(struct call *call, const struct zset *z, bool with_scores) {
    struct zset_cursor cursor;
    sorted_reply_head(call, zset_count(z), with_scores);
    for (bool there = zset_seek(z, 0, &cursor); there; there = zset_next(&cursor))
        sorted_reply_member(call->reply, &cursor, with_scores);
}

static void answer(struct combine *c) {
    static const char *const events[] = {"zunionstore", "zinterstore", "zdiffstore"};
    static const struct zset_limits large = {0, 0}; /* it is only read once */
    struct zset_limits limits = c->store ? sorted_limits(c->call) : large;
    struct zset *z = zset_build_end(&c->build, &limits);
    if (!z) {
        zset_build_abort(&c->build);
        reply_error(c->call->reply, ERROR_MEMORY_TEXT);
    } else if (c->store) {
        sorted_store(c->call, 1, z, events[c->kind]);
    } else {
        reply_all(c->call, z, c->with_scores);
        zset_free(z);
    }
}

static void run(struct combine *c) {
    zset_build_begin(&c->build);
    if (!parse(c)) return;
    if (combine(c) < 0) {
        zset_build_abort(&c->build);
        reply_error(c->call->reply, ERROR_MEMORY_TEXT);
    } else if (c->count_only) {
        reply_int(c->call->reply, c->counted);
    } else {
        answer(c);
    }
}

void sorted_union(struct call *call) {
    run(&(struct combine){.call = call, .kind = COMBINE_UNION, .keys_at = 1});
}

void sorted_unionstore(struct call *call) {
    run(&(struct combine){.call = call, .kind = COMBINE_UNION, .keys_at = 2, .store = true});
}

void sorted_inter(struct call *call) {
    run(&(struct combine){.call = call, .kind = COMBINE_INTER, .keys_at = 1});
}

void sorted_interstore(struct call *call) {
    run(&(struct combine){.call = call, .kind = COMBINE_INTER, .keys_at = 2, .store = true});
}

void sorted_intercard(struct call *call) {
    run(&(struct combine){.call = call, .kind = COMBINE_INTER, .keys_at = 1, .count_only = true});
}

void sorted_diff(struct call *call) {
    run(&(struct combine){.call = call, .kind = COMBINE_DIFF, .keys_at = 1});
}

void sorted_diffstore(struct call *call) {
    run(&(struct combine){.call = call, .kind = COMBINE_DIFF, .keys_at = 2, .store = true});
}
