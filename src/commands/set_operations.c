/* Sets combined: intersection, union, difference, to the client or into a key.
 *
 * All walk over sets a batch at a time. The batch is tested against one set after the other, and what drops out is not tested
 * again; the look-ups of a batch in a table are prefetched side by side (a miss each, otherwise):
 *
 *   intersection   the smallest set's members that are in all others, the next smallest first
 *   difference     the first set's members that are in none of the others, the largest first; with many others, small against
 *                  the first, their union is made first and tested instead
 *   union          of a few sets: each one's members that are in none of those before it, so that nothing is copied; of many, or
 *                  of small ones whose look-ups are walks: all go into one new set */
#include <stdlib.h>

#include "commands/host.h"
#include "commands/packed_reply.h"
#include "commands/set.h"

enum {
    DIRECT_SETS_MAX = 8,       /* more are united in a new set */
    DIRECT_PACKED_MAX = 128,   /* a larger packed set is not searched over and over */
    SUBTRACT_TOGETHER_MIN = 4, /* sets */
};

/* ---- operands */

struct operands {
    const struct set **sets; /* NULL: no such key, an empty set */
    uint32_t count;
};

/* The sets of arguments from `first` on. False after WRONGTYPE was written. */
static bool find_operands(struct call *call, uint32_t first, uint32_t count, struct operands *out) {
    const uint64_t *hashes = call_prefetch_keys(call, first, count, 1);
    out->sets = call_scratch(call, count * sizeof *out->sets);
    out->count = count;
    for (uint32_t i = 0; i < count; i++) {
        call_prefetch_ahead(call, hashes, count, i);
        if (!set_find(call, first + i, out->sets + i)) return false;
    }
    return true;
}

static uint64_t count_of(const struct set *set) {
    return set ? set_count(set) : 0;
}

static int compare_counts(const void *a, const void *b) {
    uint64_t first = count_of(*(const struct set *const *)a);
    uint64_t second = count_of(*(const struct set *const *)b);
    return (first > second) - (first < second);
}

static int compare_counts_down(const void *a, const void *b) {
    return compare_counts(b, a);
}

/* ---- results */

/* Where members go: a reply, a new set, or a count alone. */
struct sink {
    struct reply *reply;
    struct set *stored;
    struct set_limits limits;
    struct chunk *mark;        /* of the reply's length, once it has begun */
    uint64_t count, count_max; /* count_max: enough, 0 for all */
    bool out_of_memory;
};

static bool sink_full(const struct sink *sink) {
    return sink->out_of_memory || (sink->count_max && sink->count >= sink->count_max);
}

static void sink_put(struct sink *sink, const struct packed_value *value) {
    char text[NUM_INT_TEXT_MAX];
    int rc = 1;
    if (sink->stored) {
        rc = set_add(&sink->stored, packed_value_bytes(value, text), &sink->limits);
    } else if (sink->reply) {
        if (!sink->mark) sink->mark = reply_mark(sink->reply);
        reply_packed(sink->reply, value);
    }
    if (rc < 0) {
        sink->out_of_memory = true;
    } else {
        sink->count += (uint64_t)rc;
    }
}

/* ---- batches */

struct batch {
    struct packed_value values[SET_WALK_BATCH];
    uint32_t count;
};

static bool value_in(const struct set *set, const struct packed_value *value) {
    return value->is_int ? set_has_number(set, value->number) : set_has(set, value->bytes);
}

static void prefetch_batch(const struct set *set, const struct batch *batch) {
    char texts[SET_WALK_BATCH][NUM_INT_TEXT_MAX];
    struct span members[SET_WALK_BATCH];
    if (set_encoding_of(set) != SET_TABLE) return;
    for (uint32_t i = 0; i < batch->count; i++) {
        members[i] = packed_value_bytes(batch->values + i, texts[i]);
    }
    set_prefetch(set, members, batch->count);
}

/* Keeps those members that are in the set, or those that are not. */
static void keep(struct batch *batch, const struct set *set, bool present) {
    uint32_t kept = 0;
    prefetch_batch(set, batch);
    for (uint32_t i = 0; i < batch->count; i++) {
        if (value_in(set, batch->values + i) == present) batch->values[kept++] = batch->values[i];
    }
    batch->count = kept;
}

/* The members of `from` that are in all of `others`, or in none of them. */
static void filter(const struct set *from, const struct set *const *others, uint32_t other_count,
                   bool present, struct sink *sink) {
    struct set_walk walk;
    struct batch batch;
    set_walk_begin(&walk, from);
    while (!sink_full(sink) && (batch.count = set_walk_next(&walk, batch.values))) {
        for (uint32_t i = 0; i < other_count && batch.count > 0; i++) {
            if (others[i]) keep(&batch, others[i], present);
        }
        if (sink->stored) prefetch_batch(sink->stored, &batch);
        for (uint32_t i = 0; i < batch.count && !sink_full(sink); i++) {
            sink_put(sink, batch.values + i);
        }
    }
}

/* ---- the operations */

static bool is_among(const struct set *set, const struct set *const *sets, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        if (sets[i] == set) return true;
    }
    return false;
}

static void intersect(struct operands *o, struct sink *sink) {
    qsort(o->sets, o->count, sizeof *o->sets, compare_counts);
    if (o->sets[0]) filter(o->sets[0], o->sets + 1, o->count - 1, true, sink);
}

/* Into a set of its own, as a table unless all are numbers: look-ups in it are short. */
static void unite_into(const struct operands *o, uint32_t first, struct sink *into) {
    for (uint32_t i = first; i < o->count; i++) {
        if (!o->sets[i] || is_among(o->sets[i], o->sets + first, i - first)) continue;
        filter(o->sets[i], NULL, 0, false, into);
    }
}

static struct sink scratch_sink(const struct sink *sink) {
    struct set_limits limits = {.intset_count_max = sink->limits.intset_count_max};
    return (struct sink){.stored = set_new(SPAN("0"), 1, &limits), .limits = limits};
}

static bool unite_directly(const struct operands *o) {
    if (o->count > DIRECT_SETS_MAX) return false;
    for (uint32_t i = 0; i < o->count; i++) {
        const struct set *set = o->sets[i];
        if (set && set_encoding_of(set) == SET_PACKED && set_count(set) > DIRECT_PACKED_MAX) {
            return false;
        }
    }
    return true;
}

static void unite(struct operands *o, struct sink *sink) {
    if (sink->stored) {
        unite_into(o, 0, sink);
    } else if (unite_directly(o)) {
        /* the largest first: its members are not looked up */
        qsort(o->sets, o->count, sizeof *o->sets, compare_counts_down);
        for (uint32_t i = 0; i < o->count && o->sets[i]; i++) {
            if (is_among(o->sets[i], o->sets, i)) continue;
            filter(o->sets[i], o->sets, i, false, sink);
        }
    } else {
        struct sink scratch = scratch_sink(sink);
        unite_into(o, 0, &scratch);
        sink->out_of_memory = scratch.out_of_memory;
        if (!sink->out_of_memory) filter(scratch.stored, NULL, 0, false, sink);
        set_free(scratch.stored);
    }
}

static bool subtract_together(const struct operands *o) {
    uint64_t total = 0;
    for (uint32_t i = 1; i < o->count; i++) total += count_of(o->sets[i]);
    return o->count > SUBTRACT_TOGETHER_MIN && total < set_count(o->sets[0]) / 4 * o->count;
}

static void subtract(struct operands *o, struct sink *sink) {
    const struct set *first = o->sets[0];
    if (!first || is_among(first, o->sets + 1, o->count - 1)) return;
    if (subtract_together(o)) {
        struct sink scratch = scratch_sink(sink);
        unite_into(o, 1, &scratch);
        sink->out_of_memory = scratch.out_of_memory;
        const struct set *others[] = {scratch.stored};
        filter(first, others, 1, false, sink);
        set_free(scratch.stored);
    } else {
        qsort(o->sets + 1, o->count - 1, sizeof *o->sets, compare_counts_down);
        filter(first, o->sets + 1, o->count - 1, false, sink);
    }
}

/* ---- to the client */

typedef void operation(struct operands *o, struct sink *sink);

/* A set reply begins with its length, which is known at the end only. What finds no memory has not begun: only new sets need some,
 * and they are made first. */
static void reply_result(struct call *call, operation *operate) {
    struct sink sink = {.reply = call->reply, .limits = set_limits_of(call)};
    struct operands o;
    if (!find_operands(call, 1, call->argc - 1, &o)) return;
    operate(&o, &sink);
    if (sink.mark) {
        reply_fill_set(call->reply, sink.mark, sink.count);
    } else if (sink.out_of_memory) {
        reply_error(call->reply, ERROR_MEMORY_TEXT);
    } else {
        reply_set(call->reply, 0);
    }
}

void set_inter(struct call *call) {
    reply_result(call, intersect);
}
void set_union(struct call *call) {
    reply_result(call, unite);
}
void set_diff(struct call *call) {
    reply_result(call, subtract);
}

static bool parse_inter_card(struct call *call, int64_t *key_count, int64_t *count_max) {
    *count_max = 0;
    if (!call_int_range(call, 1, 1, INT64_MAX, "ERR numkeys should be greater than 0", key_count)) {
        return false;
    }
    if (*key_count > call->argc - 2) {
        reply_error(call->reply, "ERR Number of keys can't be greater than number of args");
        return false;
    }
    for (uint32_t at = 2 + (uint32_t)*key_count; at < call->argc; at += 2) {
        if (at + 1 == call->argc || !call_is(call, at, "limit")) {
            call_syntax_error(call);
            return false;
        }
        if (!call_int_range(call, at + 1, 0, INT64_MAX, "ERR LIMIT can't be negative", count_max)) {
            return false;
        }
    }
    return true;
}

void set_inter_card(struct call *call) {
    struct sink sink = {0};
    struct operands o;
    int64_t key_count, count_max;
    if (!parse_inter_card(call, &key_count, &count_max)) return;
    if (!find_operands(call, 2, (uint32_t)key_count, &o)) return;
    sink.count_max = (uint64_t)count_max;
    intersect(&o, &sink);
    reply_int(call->reply, (int64_t)sink.count);
}

/* ---- into a key */

static void store_nothing(struct call *call, struct set *empty) {
    uint64_t hash = call_hash(call, 1);
    struct entry *old = db_find_for_write(call->db, call->argv[1], hash);
    set_free(empty);
    if (old) {
        db_remove(call->db, old, hash, call->host->settings->lazyfree_lazy_server_del);
        call_event(call, 'g', "del", call->argv[1]);
    }
    reply_int(call->reply, 0);
}

static void store_set(struct call *call, struct set *set, const char *event) {
    uint64_t hash = call_hash(call, 1), count = set_count(set);
    struct entry *old = db_find_for_write(call->db, call->argv[1], hash);
    if (!db_put_object(call->db, old, call->argv[1], hash, ENTRY_SET, set, ENTRY_NO_DEADLINE)) {
        reply_error(call->reply, ERROR_MEMORY_TEXT);
        return;
    }
    call_event(call, 's', event, call->argv[1]);
    reply_int(call->reply, (int64_t)count);
}

static void store_result(struct call *call, operation *operate, const char *event) {
    struct sink sink = {.limits = set_limits_of(call)};
    struct operands o;
    if (!find_operands(call, 2, call->argc - 2, &o)) return;
    sink.stored = set_new(SPAN("0"), 1, &sink.limits);
    operate(&o, &sink);
    if (sink.out_of_memory) {
        set_free(sink.stored);
        reply_error(call->reply, ERROR_MEMORY_TEXT);
    } else if (sink.count == 0) {
        store_nothing(call, sink.stored);
    } else {
        store_set(call, sink.stored, event);
    }
}

void set_inter_store(struct call *call) {
    store_result(call, intersect, "sinterstore");
}
void set_union_store(struct call *call) {
    store_result(call, unite, "sunionstore");
}
void set_diff_store(struct call *call) {
    store_result(call, subtract, "sdiffstore");
}
