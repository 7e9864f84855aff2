/* Walks over hashes that clients steer: HSCAN in steps, HRANDFIELD by chance. */
#include "base/buf.h"
#include "commands/hash.h"
#include "commands/host.h"
#include "commands/packed_reply.h"
#include "commands/picks.h"
#include "commands/scan.h"

/* ---- HSCAN */

enum { SCAN_STEPS_A_COUNT = 10 }; /* buckets looked at for each field asked for, at most */

struct scan {
    struct call *call;
    struct scan_options options;
    int64_t seen_count;
    struct buf found; /* of struct field_pair: the reply begins with their number */
    bool out_of_memory;
};

static void reply_pair(struct scan *scan, const struct field_pair *pair) {
    reply_packed(scan->call->reply, &pair->field);
    if (!scan->options.names_only) reply_packed(scan->call->reply, &pair->value);
}

static bool pair_matches(const struct scan *scan, const struct field_pair *pair) {
    char text[NUM_INT_TEXT_MAX];
    return scan_matches(&scan->options, packed_value_bytes(&pair->field, text));
}

static void collect_pair(const struct field_pair *pair, void *context) {
    struct scan *scan = context;
    scan->seen_count++;
    if (!pair_matches(scan, pair)) return;
    if (buf_try_reserve(&scan->found, sizeof *pair) < 0) {
        scan->out_of_memory = true;
        return;
    }
    buf_put(&scan->found, pair, sizeof *pair);
}

static void reply_found(struct scan *scan, uint64_t cursor) {
    struct reply *reply = scan->call->reply;
    size_t count = scan->found.len / sizeof(struct field_pair);
    reply_array(reply, 2);
    reply_bulk_int(reply, (int64_t)cursor);
    reply_array(reply, scan->options.names_only ? count : 2 * count);
    for (size_t i = 0; i < count; i++) {
        struct field_pair pair;
        memcpy(&pair, scan->found.data + i * sizeof pair, sizeof pair);
        reply_pair(scan, &pair);
    }
}

static void scan_table(struct scan *scan, const struct fields *fields, uint64_t cursor) {
    uint64_t steps_left = (uint64_t)scan->options.count;
    if (__builtin_mul_overflow(steps_left, SCAN_STEPS_A_COUNT, &steps_left)) {
        steps_left = UINT64_MAX;
    }
    do {
        cursor = fields_scan(fields, cursor, collect_pair, scan);
    } while (cursor && --steps_left > 0 && scan->seen_count < scan->options.count);
    if (scan->out_of_memory) {
        reply_error(scan->call->reply, ERROR_MEMORY_TEXT);
    } else {
        reply_found(scan, cursor);
    }
    buf_release(&scan->found);
}

/* A small hash comes at once. */
static void scan_small(struct scan *scan, const struct fields *fields) {
    struct reply *reply = scan->call->reply;
    struct field_pair pairs[FIELDS_WALK_BATCH];
    struct fields_walk walk;
    uint64_t total = 0;
    uint32_t count;
    reply_array(reply, 2);
    reply_bulk_int(reply, 0);
    struct chunk *mark = reply_mark(reply);
    fields_walk_begin(&walk, fields);
    while ((count = fields_walk_next(&walk, pairs))) {
        for (uint32_t i = 0; i < count; i++) {
            if (!pair_matches(scan, pairs + i)) continue;
            reply_pair(scan, pairs + i);
            total += scan->options.names_only ? 1 : 2;
        }
    }
    reply_fill_array(reply, mark, total);
}

static void reply_nothing(struct reply *reply) {
    reply_array(reply, 2);
    reply_bulk_int(reply, 0);
    reply_array(reply, 0);
}

void hash_scan(struct call *call) {
    struct scan scan = {.call = call};
    const struct fields *fields;
    uint64_t cursor;
    if (!scan_parse_cursor(call, 2, &cursor) || !hash_find(call, &fields)) return;
    if (!fields) {
        reply_nothing(call->reply);
        return;
    }
    if (!scan_parse_options(call, 3, SCAN_HASH, &scan.options)) return;
    if (fields_encoding_of(fields) == FIELDS_TABLE) {
        scan_table(&scan, fields, cursor);
    } else {
        scan_small(&scan, fields);
    }
}

/* ---- HRANDFIELD
 *
 *   count < 0      so many draws, repeats and all
 *   few of a lot   draws; those that came up before do not count
 *   otherwise      one walk, in which each field is taken with the probability that makes all choices equally likely */

enum { DRAWS_MAX = 100 /* for one field that has not expired */, WALK_FROM_SHARE = 3 };

struct draw {
    struct call *call;
    const struct fields *fields;
    struct random *random;
    bool with_values;
};

static void reply_drawn(const struct draw *d, const struct field_pair *pair) {
    struct reply *reply = d->call->reply;
    if (d->with_values && reply->protocol == 3) reply_array(reply, 2);
    reply_packed(reply, &pair->field);
    if (d->with_values) reply_packed(reply, &pair->value);
}

static bool draw_one(const struct draw *d, struct field_pair *pair) {
    for (int tries = 0; tries < DRAWS_MAX; tries++) {
        if (fields_random(d->fields, d->random, pair)) return true;
    }
    return false;
}

static uint64_t draw_with_repeats(const struct draw *d, uint64_t count) {
    struct field_pair pair;
    uint64_t written = 0;
    while (written < count && reply_may_go_on(d->call, written) && draw_one(d, &pair)) {
        reply_drawn(d, &pair);
        written++;
    }
    return written;
}

static uint64_t draw_different(const struct draw *d, struct picks *picks, uint64_t count) {
    uint64_t written = 0, tries_left = count * 10;
    struct field_pair pair;
    while (written < count && tries_left-- > 0 && draw_one(d, &pair)) {
        if (!picks_add(picks, pair.field.bytes.data)) continue;
        reply_drawn(d, &pair);
        written++;
    }
    return written;
}

static uint64_t count_live(const struct fields *fields) {
    struct field_pair pairs[FIELDS_WALK_BATCH];
    struct fields_walk walk;
    uint64_t total = 0;
    uint32_t count;
    if (fields_deadline_count(fields) == 0) return fields_count(fields);
    fields_walk_begin(&walk, fields);
    while ((count = fields_walk_next(&walk, pairs))) total += count;
    return total;
}

static uint64_t draw_by_walk(const struct draw *d, uint64_t count) {
    struct field_pair pairs[FIELDS_WALK_BATCH];
    struct fields_walk walk;
    uint64_t left = count_live(d->fields), wanted = MIN(count, left), written = 0;
    uint32_t batch;
    fields_walk_begin(&walk, d->fields);
    while (written < wanted && (batch = fields_walk_next(&walk, pairs))) {
        for (uint32_t i = 0; i < batch; i++, left--) {
            if (random_below(d->random, left) >= wanted - written) continue;
            reply_drawn(d, pairs + i);
            written++;
        }
    }
    return written;
}

/* False after the error was written. */
static bool draw_unlike(const struct draw *d, uint64_t count, uint64_t *written) {
    struct picks picks;
    bool small = fields_encoding_of(d->fields) != FIELDS_TABLE;
    if (small || count >= fields_count(d->fields) / WALK_FROM_SHARE) {
        *written = draw_by_walk(d, count);
        return true;
    }
    if (!picks_try_init(&picks, count)) return false;
    *written = draw_different(d, &picks, count);
    picks_release(&picks);
    return true;
}

static void random_with_count(struct draw *d, int64_t count) {
    struct reply *reply = d->call->reply;
    uint64_t written = 0;
    if (!d->fields || count == 0) {
        reply_array(reply, 0);
        return;
    }
    struct chunk *mark = reply_mark(reply);
    if (count < 0 || count == 1) {
        written = draw_with_repeats(d, count < 0 ? -(uint64_t)count : 1);
    } else if (!draw_unlike(d, (uint64_t)count, &written)) {
        reply_fill_array(reply, mark, 0);
        return;
    }
    bool flat = d->with_values && reply->protocol == 2;
    reply_fill_array(reply, mark, flat ? 2 * written : written);
}

static void random_alone(struct draw *d) {
    struct field_pair pair;
    if (d->fields && draw_one(d, &pair)) {
        reply_drawn(d, &pair);
    } else {
        reply_null(d->call->reply);
    }
}

static bool parse_random(struct draw *d, int64_t *count) {
    struct call *call = d->call;
    if (!call_int_range(call, 2, -INT64_MAX, INT64_MAX, NULL, count)) return false;
    d->with_values = call->argc == 4 && call_is(call, 3, "withvalues");
    if (call->argc > 4 || (call->argc == 4 && !d->with_values)) {
        call_syntax_error(call);
        return false;
    }
    if (!d->with_values || (*count >= -INT64_MAX / 2 && *count <= INT64_MAX / 2)) return true;
    reply_error(call->reply, "ERR value is out of range");
    return false;
}

void hash_random(struct call *call) {
    struct draw d = {.call = call, .random = keyspace_random(call->host->keyspace)};
    int64_t count = 0;
    if (call->argc > 2 && !parse_random(&d, &count)) return;
    if (!hash_find(call, &d.fields)) return;
    if (call->argc > 2) {
        random_with_count(&d, count);
    } else {
        random_alone(&d);
    }
}
