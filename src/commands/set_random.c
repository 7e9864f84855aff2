/* Members by chance: SPOP takes them out, SRANDMEMBER looks.
 *
 * From a small set some members are picked in one walk, in which each is taken with the probability that makes all choices equally
 * likely. From a table they are drawn one by one: it gets smaller as members leave, so that a draw finds one soon however few are
 * left. SRANDMEMBER with most of a table's members walks, too. */
#include "commands/host.h"
#include "commands/packed_reply.h"
#include "commands/picks.h"
#include "commands/set.h"

enum { WALK_FROM_SHARE = 3 };

static struct random *random_of(const struct call *call) {
    return keyspace_random(call->host->keyspace);
}

/* ---- SPOP */

static void reply_taken(const struct packed_value *value, void *context) {
    reply_packed(context, value);
}

/* One member: answered, then removed. The set is not empty. */
static void pop_one(struct set_edit *edit) {
    char text[NUM_INT_TEXT_MAX];
    struct packed_value value = set_random(edit->set, random_of(edit->call));
    reply_packed(edit->call->reply, &value);
    set_remove(&edit->set, packed_value_bytes(&value, text));
}

static void pop_some(struct set_edit *edit, uint64_t count) {
    struct call *call = edit->call;
    reply_set(call->reply, count);
    if (set_encoding_of(edit->set) == SET_TABLE) {
        for (; count > 0; count--) pop_one(edit);
    } else {
        set_sample_out(&edit->set, count, random_of(call), reply_taken, call->reply);
    }
    set_edit_tell(edit, "spop");
}

static void pop_with_count(struct call *call) {
    struct set_edit edit;
    int64_t count;
    if (!call_int_range(call, 2, 0, INT64_MAX, "ERR value is out of range, must be positive",
                        &count)) {
        return;
    }
    if (!set_edit_begin(&edit, call, 1)) return;
    if (!edit.entry || count == 0) {
        reply_set(call->reply, 0);
    } else if ((uint64_t)count >= set_count(edit.set)) {
        set_reply_members(call->reply, edit.set, false);
        set_edit_remove(&edit, "spop");
    } else {
        pop_some(&edit, (uint64_t)count);
    }
}

void set_pop(struct call *call) {
    struct set_edit edit;
    if (call->argc > 3) {
        call_syntax_error(call);
        return;
    }
    if (call->argc == 3) {
        pop_with_count(call);
        return;
    }
    if (!set_edit_begin(&edit, call, 1)) return;
    if (!edit.entry) {
        reply_null(call->reply);
        return;
    }
    pop_one(&edit);
    set_edit_tell_removed(&edit, "spop");
}

/* ---- SRANDMEMBER */

static void draw_with_repeats(struct call *call, const struct set *set, uint64_t count) {
    reply_array(call->reply, count);
    for (uint64_t i = 0; i < count && reply_may_go_on(call, i); i++) {
        struct packed_value value = set_random(set, random_of(call));
        reply_packed(call->reply, &value);
    }
}

/* `count` different ones, fewer than there are. */
static void draw_by_walk(struct call *call, const struct set *set, uint64_t count) {
    struct packed_value values[SET_WALK_BATCH];
    struct random *random = random_of(call);
    uint64_t left = set_count(set);
    struct set_walk walk;
    uint32_t batch;
    reply_array(call->reply, count);
    set_walk_begin(&walk, set);
    while (count > 0 && (batch = set_walk_next(&walk, values))) {
        for (uint32_t i = 0; i < batch; i++, left--) {
            if (random_below(random, left) >= count) continue;
            reply_packed(call->reply, values + i);
            count--;
        }
    }
}

static void draw_different(struct call *call, const struct set *set, uint64_t count) {
    struct picks picks;
    if (!picks_try_init(&picks, count)) {
        reply_error(call->reply, ERROR_MEMORY_TEXT);
        return;
    }
    reply_array(call->reply, count);
    while (count > 0) {
        struct packed_value value = set_random(set, random_of(call));
        if (!picks_add(&picks, value.bytes.data)) continue;
        reply_packed(call->reply, &value);
        count--;
    }
    picks_release(&picks);
}

static void random_with_count(struct call *call, const struct set *set, int64_t count) {
    uint64_t wanted = (uint64_t)count;
    if (!set || count == 0) {
        reply_array(call->reply, 0);
    } else if (count < 0 || count == 1) {
        draw_with_repeats(call, set, count < 0 ? -(uint64_t)count : 1);
    } else if (wanted >= set_count(set)) {
        set_reply_members(call->reply, set, true);
    } else if (set_encoding_of(set) != SET_TABLE || wanted >= set_count(set) / WALK_FROM_SHARE) {
        draw_by_walk(call, set, wanted);
    } else {
        draw_different(call, set, wanted);
    }
}

void set_random_members(struct call *call) {
    const struct set *set;
    int64_t count = 0;
    if (call->argc > 3) {
        call_syntax_error(call);
        return;
    }
    if (call->argc == 3 && !call_int_range(call, 2, -INT64_MAX, INT64_MAX, NULL, &count)) return;
    if (!set_find(call, 1, &set)) return;
    if (call->argc == 3) {
        random_with_count(call, set, count);
    } else if (set) {
        struct packed_value value = set_random(set, random_of(call));
        reply_packed(call->reply, &value);
    } else {
        reply_null(call->reply);
    }
}
