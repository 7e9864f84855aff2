/* Sets: https://redis.io/docs/latest/commands/?group=set. Members are in src/types/set.c; SPOP and SRANDMEMBER in set_random.c,
 * what combines sets in set_operations.c, the commands' rows in set_table.c. Hot path: set_add_members, set_is_member. */
#include "commands/set.h"

#include "base/buf.h"
#include "commands/host.h"
#include "commands/long_reply.h"
#include "commands/packed_reply.h"
#include "commands/scan.h"

/* ---- the set behind a key */

struct set_limits set_limits_of(const struct call *call) {
    const struct settings *settings = call->host->settings;
    return (struct set_limits){
        .intset_count_max = (uint64_t)settings->set_max_intset_entries,
        .packed_count_max = (uint64_t)settings->set_max_listpack_entries,
        .packed_bytes_max = (uint64_t)settings->set_max_listpack_value_bytes,
    };
}

bool set_find(struct call *call, uint32_t at, const struct set **set) {
    struct entry *e = call_find(call, at);
    *set = NULL;
    if (!call_check_type(call, e, ENTRY_SET)) return false;
    if (e) *set = entry_object(e);
    return true;
}

bool set_edit_begin(struct set_edit *edit, struct call *call, uint32_t at) {
    *edit = (struct set_edit){.call = call, .at = at, .limits = set_limits_of(call)};
    edit->hash = call_hash(call, at);
    edit->entry = db_find_for_write(call->db, call->argv[at], edit->hash);
    if (!edit->entry) return true;
    if (!call_check_type(call, edit->entry, ENTRY_SET)) return false;
    edit->set = entry_object(edit->entry);
    edit->bytes_before = set_memory_bytes(edit->set);
    return true;
}

bool set_edit_put_new(struct set_edit *edit, struct set *set) {
    struct call *call = edit->call;
    edit->entry = db_put_object(call->db, NULL, call->argv[edit->at], edit->hash, ENTRY_SET, set,
                                ENTRY_NO_DEADLINE);
    if (!edit->entry) {
        reply_error(call->reply, ERROR_MEMORY_TEXT);
        return false;
    }
    edit->set = set;
    edit->bytes_before = set_memory_bytes(set);
    return true;
}

void set_edit_store(struct set_edit *edit) {
    size_t bytes = set_memory_bytes(edit->set);
    entry_set_object(edit->entry, edit->set);
    db_account(edit->call->db, edit->bytes_before, bytes);
    edit->bytes_before = bytes;
}

void set_edit_tell(struct set_edit *edit, const char *event) {
    struct call *call = edit->call;
    set_edit_store(edit);
    db_changed(call->db, call->argv[edit->at]);
    call_event(call, 's', event, call->argv[edit->at]);
}

void set_edit_remove(struct set_edit *edit, const char *event) {
    struct call *call = edit->call;
    struct span key = call->argv[edit->at];
    set_edit_store(edit);
    call_event(call, 's', event, key);
    db_remove(call->db, edit->entry, edit->hash, call->host->settings->lazyfree_lazy_server_del);
    call_event(call, 'g', "del", key);
}

void set_edit_tell_removed(struct set_edit *edit, const char *event) {
    if (set_count(edit->set) == 0) {
        set_edit_remove(edit, event);
    } else {
        set_edit_tell(edit, event);
    }
}

/* ---- SADD, SREM, SMOVE */

static bool memory_error(struct call *call) {
    reply_error(call->reply, ERROR_MEMORY_TEXT);
    return false;
}

/* Arguments from 2 on. False after the error was written; the members before the one that found no memory are in. */
static bool add_arguments(struct call *call, struct set **set, const struct set_limits *limits,
                          int64_t *added_count) {
    uint32_t count = call->argc - 2;
    if (set_prepare(set, count, limits) < 0) return memory_error(call);
    for (uint32_t i = 0; i < count; i++) {
        const struct span *member = call->argv + 2 + i;
        int rc;
        if (i % SET_AHEAD == 0 && count > 1) set_prefetch(*set, member, count - i);
        rc = set_add(set, *member, limits);
        if (rc < 0) return memory_error(call);
        *added_count += rc;
    }
    return true;
}

static void add_to_new(struct set_edit *edit) {
    struct call *call = edit->call;
    struct set *set = set_new(call->argv[2], call->argc - 2, &edit->limits);
    int64_t added_count = 0;
    if (!add_arguments(call, &set, &edit->limits, &added_count)) {
        set_free(set);
    } else if (set_edit_put_new(edit, set)) {
        call_event(call, 's', "sadd", call->argv[1]);
        reply_int(call->reply, added_count);
    }
}

void set_add_members(struct call *call) {
    struct set_edit edit;
    int64_t added_count = 0;
    if (!set_edit_begin(&edit, call, 1)) return;
    if (!edit.entry) {
        add_to_new(&edit);
        return;
    }
    bool done = add_arguments(call, &edit.set, &edit.limits, &added_count);
    if (added_count > 0) {
        set_edit_tell(&edit, "sadd");
    } else {
        set_edit_store(&edit);
    }
    if (done) reply_int(call->reply, added_count);
}

void set_remove_members(struct call *call) {
    struct set_edit edit;
    int64_t removed_count = 0;
    uint32_t count = call->argc - 2;
    if (!set_edit_begin(&edit, call, 1)) return;
    for (uint32_t i = 0; edit.entry && i < count && set_count(edit.set) > 0; i++) {
        const struct span *member = call->argv + 2 + i;
        if (i % SET_AHEAD == 0 && count > 1) set_prefetch(edit.set, member, count - i);
        removed_count += set_remove(&edit.set, *member);
    }
    if (removed_count > 0) set_edit_tell_removed(&edit, "srem");
    reply_int(call->reply, removed_count);
}

/* Into the target first: a member that finds no memory there stays where it is. `added` is what set_add said. */
static bool add_to_target(struct set_edit *to, struct span member, int *added) {
    struct call *call = to->call;
    struct set *set = to->entry ? to->set : set_new(member, 1, &to->limits);
    *added = set_add(&set, member, &to->limits);
    if (to->entry) {
        to->set = set;
        set_edit_store(to);
        return *added >= 0 || memory_error(call);
    }
    if (*added < 0) {
        set_free(set);
        return memory_error(call);
    }
    return set_edit_put_new(to, set);
}

static void move_member(struct set_edit *from, struct set_edit *to, struct span member) {
    int added;
    if (!add_to_target(to, member, &added)) return;
    set_remove(&from->set, member);
    set_edit_tell_removed(from, "srem");
    if (added) set_edit_tell(to, "sadd");
    reply_int(from->call->reply, 1);
}

void set_move(struct call *call) {
    struct set_edit from, to;
    struct span member = call->argv[3];
    struct entry *source = call_find_for_write(call, 1);
    if (!source) {
        reply_int(call->reply, 0);
        return;
    }
    if (!set_edit_begin(&from, call, 1) || !set_edit_begin(&to, call, 2)) return;
    bool there = set_has(from.set, member);
    if (!there || from.entry == to.entry) {
        reply_int(call->reply, there);
    } else {
        move_member(&from, &to, member);
    }
}

/* ---- reading */

void set_is_member(struct call *call) {
    const struct set *set;
    if (set_find(call, 1, &set)) reply_int(call->reply, set && set_has(set, call->argv[2]));
}

void set_are_members(struct call *call) {
    const struct set *set;
    uint32_t count = call->argc - 2;
    if (!set_find(call, 1, &set)) return;
    reply_array(call->reply, count);
    for (uint32_t i = 0; i < count; i++) {
        const struct span *member = call->argv + 2 + i;
        if (set && i % SET_AHEAD == 0) set_prefetch(set, member, count - i);
        reply_int(call->reply, set && set_has(set, *member));
    }
}

void set_card(struct call *call) {
    const struct set *set;
    if (!set_find(call, 1, &set)) return;
    reply_int(call->reply, set ? (int64_t)set_count(set) : 0);
}

void set_reply_members(struct reply *reply, const struct set *set, bool as_array) {
    struct packed_value values[SET_WALK_BATCH];
    uint64_t total = set ? set_count(set) : 0;
    struct set_walk walk;
    uint32_t count;
    if (as_array) {
        reply_array(reply, total);
    } else {
        reply_set(reply, total);
    }
    if (total == 0) return;
    set_walk_begin(&walk, set);
    while ((count = set_walk_next(&walk, values))) {
        for (uint32_t i = 0; i < count; i++) reply_packed(reply, values + i);
    }
}

static bool write_members(void *context, struct reply *reply) {
    struct packed_value values[SET_WALK_BATCH];
    uint32_t count = set_walk_next(context, values);
    for (uint32_t i = 0; i < count; i++) reply_packed(reply, values + i);
    return count == 0;
}

static const struct long_reply_kind members_kind = {
    .state_bytes = sizeof(struct set_walk), .type = ENTRY_SET, .write = write_members};

void set_members(struct call *call) {
    const struct set *set;
    struct set_walk walk;
    if (!set_find(call, 1, &set)) return;
    reply_set(call->reply, set ? set_count(set) : 0);
    if (!set) return;
    set_walk_begin(&walk, set);
    long_reply(call, &members_kind, &walk, set);
}

/* ---- SSCAN */

enum { SCAN_STEPS_A_COUNT = 10 }; /* buckets looked at for each member asked for, at most */

struct scan {
    struct call *call;
    struct scan_options options;
    int64_t seen_count;
    struct buf found; /* of struct span: the reply begins with their number */
    bool out_of_memory;
};

static void collect_member(struct span member, void *context) {
    struct scan *scan = context;
    scan->seen_count++;
    if (!scan_matches(&scan->options, member)) return;
    if (buf_try_reserve(&scan->found, sizeof member) < 0) {
        scan->out_of_memory = true;
        return;
    }
    buf_put(&scan->found, &member, sizeof member);
}

static void reply_found(struct scan *scan, uint64_t cursor) {
    struct reply *reply = scan->call->reply;
    size_t count = scan->found.len / sizeof(struct span);
    reply_array(reply, 2);
    reply_bulk_int(reply, (int64_t)cursor);
    reply_array(reply, count);
    for (size_t i = 0; i < count; i++) {
        struct span member;
        memcpy(&member, scan->found.data + i * sizeof member, sizeof member);
        reply_bulk(reply, member);
    }
}

static void scan_table(struct scan *scan, const struct set *set, uint64_t cursor) {
    uint64_t steps_left = (uint64_t)scan->options.count;
    if (__builtin_mul_overflow(steps_left, SCAN_STEPS_A_COUNT, &steps_left)) {
        steps_left = UINT64_MAX;
    }
    do {
        cursor = set_scan(set, cursor, collect_member, scan);
    } while (cursor && --steps_left > 0 && scan->seen_count < scan->options.count);
    if (scan->out_of_memory) {
        memory_error(scan->call);
    } else {
        reply_found(scan, cursor);
    }
    buf_release(&scan->found);
}

/* A small set comes at once. */
static void scan_small(struct scan *scan, const struct set *set) {
    struct reply *reply = scan->call->reply;
    struct packed_value values[SET_WALK_BATCH];
    struct set_walk walk;
    uint64_t total = 0;
    uint32_t count;
    reply_array(reply, 2);
    reply_bulk_int(reply, 0);
    struct chunk *mark = reply_mark(reply);
    set_walk_begin(&walk, set);
    while ((count = set_walk_next(&walk, values))) {
        for (uint32_t i = 0; i < count; i++) {
            char text[NUM_INT_TEXT_MAX];
            if (!scan_matches(&scan->options, packed_value_bytes(values + i, text))) continue;
            reply_packed(reply, values + i);
            total++;
        }
    }
    reply_fill_array(reply, mark, total);
}

void set_scan_members(struct call *call) {
    struct scan scan = {.call = call};
    const struct set *set;
    uint64_t cursor;
    if (!scan_parse_cursor(call, 2, &cursor) || !set_find(call, 1, &set)) return;
    if (!set) {
        reply_array(call->reply, 2);
        reply_bulk_int(call->reply, 0);
        reply_array(call->reply, 0);
        return;
    }
    if (!scan_parse_options(call, 3, SCAN_SET, &scan.options)) return;
    if (set_encoding_of(set) == SET_TABLE) {
        scan_table(&scan, set, cursor);
    } else {
        scan_small(&scan, set);
    }
}

/* ---- what the keyspace is told */

static void value_free(void *object) {
    set_free(object);
}
static void *value_try_copy(const void *object) {
    return set_copy(object);
}
static size_t value_memory_bytes(const void *object) {
    return set_memory_bytes(object);
}
static uint64_t value_free_effort(const void *object) {
    return set_free_effort(object);
}
static bool value_free_step(void *object, uint32_t effort) {
    return set_free_step(object, effort);
}
static const char *value_encoding(const void *object) {
    static const char *const names[] = {"listpack", "intset", "hashtable"};
    return names[set_encoding_of(object)];
}

const struct value_ops set_value_ops = {
    .free = value_free,
    .try_copy = value_try_copy,
    .memory_bytes = value_memory_bytes,
    .free_effort = value_free_effort,
    .free_step = value_free_step,
    .encoding = value_encoding,
};
