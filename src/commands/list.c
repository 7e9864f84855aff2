/* Lists, what is pushed, popped and moved: https://redis.io/docs/latest/commands/?group=list. The elements are in src/types/chain.c;
 * waiting is in blocking.c.
 *
 * Every handler that changes a list goes by the same steps: look up, weigh, change, account, tell. Pushing comes before
 * popping where both happen (LMOVE), so that nothing is lost when there is no memory. Hot path: push, pop, range. */
#include "commands/list.h"

#include "commands/blocking.h"
#include "commands/host.h"
#include "commands/long_reply.h"

static struct chain_limit limit_of(const struct call *call) {
    return chain_limit_of(call->host->settings->list_max_listpack_size);
}

/* ---- the list behind a key */

/* False after WRONGTYPE was written. */
bool list_edit_begin(struct list_edit *edit, struct call *call, uint32_t at) {
    *edit = (struct list_edit){.call = call, .at = at, .limit = limit_of(call)};
    edit->hash = call_hash(call, at);
    edit->entry = db_find_for_write(call->db, call->argv[at], edit->hash);
    if (!edit->entry) return true;
    if (!call_check_type(call, edit->entry, ENTRY_LIST)) return false;
    edit->chain = entry_object(edit->entry);
    edit->bytes_before = chain_memory_bytes(edit->chain);
    return true;
}

void list_edit_account(struct list_edit *edit) {
    size_t bytes = chain_memory_bytes(edit->chain);
    db_account(edit->call->db, edit->bytes_before, bytes);
    edit->bytes_before = bytes;
}

void list_edit_tell(struct list_edit *edit, const char *event) {
    struct call *call = edit->call;
    list_edit_account(edit);
    db_changed(call->db, call->argv[edit->at]);
    call_event(call, 'l', event, call->argv[edit->at]);
}

/* After a removal: an empty list goes. */
void list_edit_tell_removed(struct list_edit *edit, const char *event) {
    struct call *call = edit->call;
    struct span key = call->argv[edit->at];
    if (chain_count(edit->chain) > 0) {
        list_edit_tell(edit, event);
        return;
    }
    list_edit_account(edit);
    call_event(call, 'l', event, key);
    db_remove(call->db, edit->entry, edit->hash, true);
    call_event(call, 'g', "del", key);
}

void list_edit_cut(struct list_edit *edit, uint64_t index, uint64_t count) {
    struct chain *cut = chain_cut(edit->chain, index, count, &edit->limit);
    if (cut) keyspace_drop(edit->call->host->keyspace, ENTRY_LIST, cut);
}

const struct chain *list_find(struct call *call, bool *wrong_type) {
    struct entry *e = call_find(call, 1);
    *wrong_type = !call_check_type(call, e, ENTRY_LIST);
    return e && !*wrong_type ? entry_object(e) : NULL;
}

/* ---- elements in and out */

static void reply_value(struct reply *reply, const struct chain_value *v) {
    if (UNLIKELY(v->blob != NULL)) {
        reply_bulk_blob(reply, v->blob);
    } else if (v->value.is_int) {
        reply_bulk_int(reply, v->value.number);
    } else {
        reply_bulk(reply, v->value.bytes);
    }
}

/* ---- replies of ranges, straight from the blocks */

struct range_state {
    struct chain_walk walk;
    uint64_t left;
};

static bool write_range(void *context, struct reply *reply) {
    struct range_state *state = context;
    for (int step = 0; step < LONG_REPLY_STEP; step++) {
        struct chain_value v = chain_walk_value(&state->walk);
        reply_value(reply, &v);
        if (--state->left == 0 || !chain_walk_next(&state->walk)) return true;
    }
    return false;
}

static const struct long_reply_kind range_kind = {
    .state_bytes = sizeof(struct range_state), .type = ENTRY_LIST, .write = write_range};

void list_reply_long_range(struct call *call, const struct chain *c, uint64_t index,
                           uint64_t count) {
    struct range_state state = {.left = count};
    if (count && chain_walk_at(&state.walk, c, index)) long_reply(call, &range_kind, &state, c);
}

void list_reply_range(struct reply *reply, const struct chain *c, uint64_t index, uint64_t count) {
    struct chain_walk w;
    bool there = chain_walk_at(&w, c, index);
    for (; count > 0 && there; count--) {
        struct chain_value v = chain_walk_value(&w);
        reply_value(reply, &v);
        there = chain_walk_next(&w);
    }
}

/* Argument `at` as an element; a large one that came in a blob is kept without copying. */
static int push_argument(struct call *call, struct chain *c, enum chain_end end, uint32_t at,
                         const struct chain_limit *limit) {
    struct chain_item item = {.bytes = call->argv[at]};
    int rc;
    if (UNLIKELY(item.bytes.len > limit->bytes) && call->request)
        item.blob = request_take_blob(call->request, at);
    rc = chain_push(c, end, &item, limit);
    if (item.blob) blob_unref(item.blob);
    return rc;
}

/* Arguments from `at` on. All or none. */
static int push_arguments(struct call *call, struct chain *c, enum chain_end end, uint32_t at,
                          const struct chain_limit *limit) {
    uint32_t first = at;
    int rc = 0;
    for (; at < call->argc && rc == 0; at++) rc = push_argument(call, c, end, at, limit);
    if (LIKELY(rc == 0)) return 0;
    for (at--; at > first; at--) chain_drop(c, end, limit);
    return rc;
}

/* Pops up to `count` and writes them as an array, in the order in which they were popped. */
static void pop_range(struct list_edit *edit, enum chain_end end, uint64_t count) {
    struct reply *reply = edit->call->reply;
    count = MIN(count, chain_count(edit->chain));
    reply_array(reply, count);
    if (end == CHAIN_HEAD) {
        list_reply_range(reply, edit->chain, 0, count);
        list_edit_cut(edit, 0, count);
        return;
    }
    for (; count > 0; count--) {
        struct chain_value v = chain_end_value(edit->chain, end);
        reply_value(reply, &v);
        chain_drop(edit->chain, end, &edit->limit);
    }
}

static void pop_one(struct list_edit *edit, enum chain_end end) {
    struct chain_value v = chain_end_value(edit->chain, end);
    reply_value(edit->call->reply, &v);
    chain_drop(edit->chain, end, &edit->limit);
}

static const char *pop_event(enum chain_end end) {
    return end == CHAIN_HEAD ? "lpop" : "rpop";
}

static const char *push_event(enum chain_end end) {
    return end == CHAIN_HEAD ? "lpush" : "rpush";
}

/* ---- LPUSH, RPUSH, LPUSHX, RPUSHX */

/* A chain becomes the value of a key that was not there. False after the error was written. */
static bool put_new(struct list_edit *edit, struct chain *c) {
    struct call *call = edit->call;
    edit->chain = c;
    edit->entry = db_put_object(call->db, NULL, call->argv[edit->at], edit->hash, ENTRY_LIST, c,
                                ENTRY_NO_DEADLINE);
    if (!edit->entry) reply_error(call->reply, ERROR_MEMORY_TEXT);
    edit->bytes_before = edit->entry ? chain_memory_bytes(c) : 0;
    return edit->entry != NULL;
}

static void push_new(struct list_edit *edit, enum chain_end end) {
    struct call *call = edit->call;
    struct chain *c = chain_new();
    if (push_arguments(call, c, end, 2, &edit->limit) < 0) {
        chain_free(c);
        reply_error(call->reply, ERROR_MEMORY_TEXT);
        return;
    }
    if (!put_new(edit, c)) return;
    call_event(call, 'l', push_event(end), call->argv[1]);
    reply_int(call->reply, (int64_t)chain_count(c));
}

static void push(struct call *call, enum chain_end end, bool only_existing) {
    struct list_edit edit;
    if (!list_edit_begin(&edit, call, 1)) return;
    if (!edit.entry) {
        if (only_existing) {
            reply_int(call->reply, 0);
        } else {
            push_new(&edit, end);
        }
        return;
    }
    if (push_arguments(call, edit.chain, end, 2, &edit.limit) < 0) {
        list_edit_account(&edit);
        reply_error(call->reply, ERROR_MEMORY_TEXT);
        return;
    }
    list_edit_tell(&edit, push_event(end));
    reply_int(call->reply, (int64_t)chain_count(edit.chain));
}

void list_lpush(struct call *call) {
    push(call, CHAIN_HEAD, false);
}
void list_rpush(struct call *call) {
    push(call, CHAIN_TAIL, false);
}
void list_lpushx(struct call *call) {
    push(call, CHAIN_HEAD, true);
}
void list_rpushx(struct call *call) {
    push(call, CHAIN_TAIL, true);
}

/* ---- LPOP, RPOP */

static void pop(struct call *call, enum chain_end end) {
    struct list_edit edit;
    int64_t count = 1;
    bool counted = call->argc == 3;
    if (call->argc > 3) {
        reply_errorf(call->reply, "ERR wrong number of arguments for '%s' command",
                     call->command->name);
        return;
    }
    if (counted && !call_int_range(call, 2, 0, INT64_MAX,
                                   "ERR value is out of range, must be positive", &count)) {
        return;
    }
    if (!list_edit_begin(&edit, call, 1)) return;
    if (!edit.entry) {
        if (counted) {
            reply_null_array(call->reply);
        } else {
            reply_null(call->reply);
        }
        return;
    }
    if (count == 0) {
        reply_array(call->reply, 0);
        return;
    }
    if (counted) {
        pop_range(&edit, end, (uint64_t)count);
    } else {
        pop_one(&edit, end);
    }
    list_edit_tell_removed(&edit, pop_event(end));
}

void list_lpop(struct call *call) {
    pop(call, CHAIN_HEAD);
}
void list_rpop(struct call *call) {
    pop(call, CHAIN_TAIL);
}

/* ---- LMOVE, RPOPLPUSH */

/* Bytes of an element that stay when its list changes. */
static struct chain_item copy_item(struct call *call, const struct chain_value *v) {
    char *copy;
    size_t len;
    if (v->blob) return (struct chain_item){.bytes = v->value.bytes, .blob = v->blob};
    if (v->value.is_int) {
        copy = call_scratch(call, NUM_INT_TEXT_MAX);
        len = num_format_int(copy, v->value.number);
    } else {
        len = v->value.bytes.len;
        copy = call_scratch(call, MAX(len, 1));
        if (len) memcpy(copy, v->value.bytes.data, len);
    }
    return (struct chain_item){.bytes = span_make(copy, len)};
}

/* The destination gets the element; false after the error was written. */
static bool move_push(struct list_edit *to, enum chain_end end, const struct chain_item *item) {
    struct call *call = to->call;
    struct chain *c = to->entry ? to->chain : chain_new();
    if (chain_push(c, end, item, &to->limit) < 0) {
        if (to->entry) {
            list_edit_account(to);
        } else {
            chain_free(c);
        }
        reply_error(call->reply, ERROR_MEMORY_TEXT);
        return false;
    }
    if (to->entry) {
        list_edit_tell(to, push_event(end));
        return true;
    }
    if (!put_new(to, c)) return false;
    call_event(call, 'l', push_event(end), call->argv[to->at]);
    return true;
}

/* From argument 1 to argument 2. The source was looked up. */
static void move(struct list_edit *from, enum chain_end pop_end, enum chain_end push_end) {
    struct call *call = from->call;
    struct list_edit to;
    if (!list_edit_begin(&to, call, 2)) return;
    struct chain_value v = chain_end_value(from->chain, pop_end);
    struct chain_item item = copy_item(call, &v);
    if (item.blob) blob_ref(item.blob); /* until it has been sent */
    if (move_push(&to, push_end, &item)) {
        if (item.blob) {
            reply_bulk_blob(call->reply, item.blob);
        } else {
            reply_bulk(call->reply, item.bytes);
        }
        if (to.chain == from->chain) from->bytes_before = to.bytes_before;
        chain_drop(from->chain, pop_end, &from->limit);
        list_edit_tell_removed(from, pop_event(pop_end));
    }
    if (item.blob) blob_unref(item.blob);
}

static bool parse_end(struct call *call, uint32_t at, enum chain_end *end) {
    if (call_is(call, at, "LEFT")) {
        *end = CHAIN_HEAD;
    } else if (call_is(call, at, "RIGHT")) {
        *end = CHAIN_TAIL;
    } else {
        call_syntax_error(call);
        return false;
    }
    return true;
}

static void move_or_null(struct call *call, enum chain_end pop_end, enum chain_end push_end) {
    struct list_edit from;
    if (!list_edit_begin(&from, call, 1)) return;
    if (from.entry) {
        move(&from, pop_end, push_end);
    } else {
        reply_null(call->reply);
    }
}

void list_lmove(struct call *call) {
    enum chain_end pop_end, push_end;
    if (parse_end(call, 3, &pop_end) && parse_end(call, 4, &push_end))
        move_or_null(call, pop_end, push_end);
}

void list_rpoplpush(struct call *call) {
    move_or_null(call, CHAIN_TAIL, CHAIN_HEAD);
}

static void move_or_wait(struct call *call, uint32_t timeout_at, enum chain_end pop_end,
                         enum chain_end push_end) {
    struct blocking_options wait = {.first = 1, .count = 1, .type = ENTRY_LIST, .null_bulk = true};
    struct list_edit from;
    if (!blocking_timeout_s(call, timeout_at, &wait.due_ms)) return;
    if (!list_edit_begin(&from, call, 1)) return;
    if (from.entry) {
        move(&from, pop_end, push_end);
    } else {
        blocking_wait(call, &wait);
    }
}

void list_blmove(struct call *call) {
    enum chain_end pop_end, push_end;
    if (parse_end(call, 3, &pop_end) && parse_end(call, 4, &push_end))
        move_or_wait(call, 5, pop_end, push_end);
}

void list_brpoplpush(struct call *call) {
    move_or_wait(call, 3, CHAIN_TAIL, CHAIN_HEAD);
}

/* ---- the first of several lists: LMPOP, BLPOP, BRPOP, BLMPOP */

struct pop_first {
    uint32_t first, key_count; /* keys among the arguments */
    enum chain_end end;
    bool counted; /* an array of elements, up to count; otherwise one element */
    uint64_t count;
};

/* True when it was answered: something was popped, or a key is of another type. */
static bool pop_first(struct call *call, const struct pop_first *wanted) {
    for (uint32_t i = 0; i < wanted->key_count; i++) {
        struct list_edit edit;
        if (!list_edit_begin(&edit, call, wanted->first + i)) return true;
        if (!edit.entry) continue;
        reply_array(call->reply, 2);
        reply_bulk(call->reply, call->argv[edit.at]);
        if (wanted->counted) {
            pop_range(&edit, wanted->end, wanted->count);
        } else {
            pop_one(&edit, wanted->end);
        }
        list_edit_tell_removed(&edit, pop_event(wanted->end));
        return true;
    }
    return false;
}

static void pop_first_or_wait(struct call *call, const struct pop_first *wanted,
                              uint32_t timeout_at) {
    struct blocking_options wait = {
        .first = wanted->first, .count = wanted->key_count, .type = ENTRY_LIST};
    if (!blocking_timeout_s(call, timeout_at, &wait.due_ms)) return;
    if (!pop_first(call, wanted)) blocking_wait(call, &wait);
}

void list_blpop(struct call *call) {
    struct pop_first wanted = {.first = 1, .key_count = call->argc - 2, .end = CHAIN_HEAD};
    pop_first_or_wait(call, &wanted, call->argc - 1);
}

void list_brpop(struct call *call) {
    struct pop_first wanted = {.first = 1, .key_count = call->argc - 2, .end = CHAIN_TAIL};
    pop_first_or_wait(call, &wanted, call->argc - 1);
}

/* numkeys key [key ...] LEFT|RIGHT [COUNT count], from argument `at` on. */
static bool parse_mpop(struct call *call, uint32_t at, struct pop_first *wanted) {
    int64_t key_count, count = 1;
    if (!call_int_range(call, at, 1, INT64_MAX, "ERR numkeys should be greater than 0", &key_count))
        return false;
    if (key_count >= (int64_t)(call->argc - at) - 1) {
        call_syntax_error(call);
        return false;
    }
    *wanted =
        (struct pop_first){.first = at + 1, .key_count = (uint32_t)key_count, .counted = true};
    at += 1 + (uint32_t)key_count;
    if (!parse_end(call, at++, &wanted->end)) return false;
    if (at < call->argc) {
        if (!call_is(call, at, "COUNT") || at + 1 == call->argc) {
            call_syntax_error(call);
            return false;
        }
        if (!call_int_range(call, at + 1, 1, INT64_MAX, "ERR count should be greater than 0",
                            &count))
            return false;
        if (at + 2 < call->argc) {
            call_syntax_error(call);
            return false;
        }
    }
    wanted->count = (uint64_t)count;
    return true;
}

void list_lmpop(struct call *call) {
    struct pop_first wanted;
    if (parse_mpop(call, 1, &wanted) && !pop_first(call, &wanted)) reply_null_array(call->reply);
}

void list_blmpop(struct call *call) {
    struct pop_first wanted;
    if (parse_mpop(call, 2, &wanted)) pop_first_or_wait(call, &wanted, 1);
}
