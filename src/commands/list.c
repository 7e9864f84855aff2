/* Lists: https://redis.io/docs/latest/commands/?group=list. The elements are in src/types/chain.c; waiting is in blocking.c.
 *
 * Every handler that changes a list goes by the same steps: look up, weigh, change, account, tell. Pushing comes before
 * popping where both happen (LMOVE), so that nothing is lost when there is no memory. Hot path: push, pop, range. */
#include "commands/blocking.h"
#include "commands/command.h"
#include "commands/host.h"
#include "types/chain.h"

static struct chain_limit limit_of(const struct call *call) {
    return chain_limit_of(call->host->settings->list_max_listpack_size);
}

/* ---- the list behind a key */

/* One list under change. */
struct list_edit {
    struct call *call;
    uint32_t at; /* the key's argument */
    uint64_t hash;
    struct entry *entry; /* NULL: no such key */
    struct chain *chain; /* with entry */
    size_t bytes_before;
    struct chain_limit limit;
};

/* False after WRONGTYPE was written. */
static bool edit_begin(struct list_edit *edit, struct call *call, uint32_t at) {
    *edit = (struct list_edit){.call = call, .at = at, .limit = limit_of(call)};
    edit->hash = call_hash(call, at);
    edit->entry = db_find_for_write(call->db, call->argv[at], edit->hash);
    if (!edit->entry) return true;
    if (!call_check_type(call, edit->entry, ENTRY_LIST)) return false;
    edit->chain = entry_object(edit->entry);
    edit->bytes_before = chain_memory_bytes(edit->chain);
    return true;
}

static void edit_account(struct list_edit *edit) {
    size_t bytes = chain_memory_bytes(edit->chain);
    db_account(edit->call->db, edit->bytes_before, bytes);
    edit->bytes_before = bytes;
}

static void edit_tell(struct list_edit *edit, const char *event) {
    struct call *call = edit->call;
    edit_account(edit);
    db_changed(call->db, call->argv[edit->at]);
    call_event(call, 'l', event, call->argv[edit->at]);
}

/* After a removal: an empty list goes. */
static void edit_tell_removed(struct list_edit *edit, const char *event) {
    struct call *call = edit->call;
    struct span key = call->argv[edit->at];
    if (chain_count(edit->chain) > 0) {
        edit_tell(edit, event);
        return;
    }
    edit_account(edit);
    call_event(call, 'l', event, key);
    db_remove(call->db, edit->entry, edit->hash, false);
    call_event(call, 'g', "del", key);
}

static const struct chain *find_list(struct call *call, bool *wrong_type) {
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

/* `count` elements from `index` on, straight from the blocks. */
static void reply_range(struct reply *reply, const struct chain *c, uint64_t index,
                        uint64_t count) {
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
        reply_range(reply, edit->chain, 0, count);
        chain_remove(edit->chain, 0, count, &edit->limit);
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
    if (!edit_begin(&edit, call, 1)) return;
    if (!edit.entry) {
        if (only_existing) {
            reply_int(call->reply, 0);
        } else {
            push_new(&edit, end);
        }
        return;
    }
    if (push_arguments(call, edit.chain, end, 2, &edit.limit) < 0) {
        edit_account(&edit);
        reply_error(call->reply, ERROR_MEMORY_TEXT);
        return;
    }
    edit_tell(&edit, push_event(end));
    reply_int(call->reply, (int64_t)chain_count(edit.chain));
}

static void lpush(struct call *call) {
    push(call, CHAIN_HEAD, false);
}
static void rpush(struct call *call) {
    push(call, CHAIN_TAIL, false);
}
static void lpushx(struct call *call) {
    push(call, CHAIN_HEAD, true);
}
static void rpushx(struct call *call) {
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
    if (!edit_begin(&edit, call, 1)) return;
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
    edit_tell_removed(&edit, pop_event(end));
}

static void lpop(struct call *call) {
    pop(call, CHAIN_HEAD);
}
static void rpop(struct call *call) {
    pop(call, CHAIN_TAIL);
}

/* ---- reading */

static void llen(struct call *call) {
    bool wrong_type;
    const struct chain *c = find_list(call, &wrong_type);
    if (!wrong_type) reply_int(call->reply, c ? (int64_t)chain_count(c) : 0);
}

/* A range as users give it, on `total` elements. False: it is empty. */
static bool clamp_range(int64_t total, int64_t *start, int64_t *stop) {
    if (*start < 0) *start += total;
    if (*stop < 0) *stop += total;
    if (*start < 0) *start = 0;
    if (*stop >= total) *stop = total - 1;
    return *start <= *stop && *start < total;
}

static void lrange(struct call *call) {
    int64_t start, stop;
    bool wrong_type;
    if (!call_int(call, 2, &start) || !call_int(call, 3, &stop)) return;
    const struct chain *c = find_list(call, &wrong_type);
    if (wrong_type) return;
    if (!c || !clamp_range((int64_t)chain_count(c), &start, &stop)) {
        reply_array(call->reply, 0);
        return;
    }
    uint64_t count = (uint64_t)(stop - start) + 1;
    reply_array(call->reply, count);
    reply_range(call->reply, c, (uint64_t)start, count);
}

static void lindex(struct call *call) {
    int64_t index;
    bool wrong_type;
    const struct chain *c = find_list(call, &wrong_type);
    if (wrong_type) return;
    if (!c) {
        reply_null(call->reply);
        return;
    }
    if (!call_int(call, 2, &index)) return;
    if (index < 0) index += (int64_t)chain_count(c);
    if (index < 0 || (uint64_t)index >= chain_count(c)) {
        reply_null(call->reply);
    } else {
        reply_range(call->reply, c, (uint64_t)index, 1);
    }
}

/* ---- LPOS */

struct lpos {
    struct chain_search search;
    bool counted; /* COUNT was given: an array */
};

static bool lpos_rank(struct call *call, uint32_t at, struct chain_search *search) {
    int64_t rank;
    if (!call_int_range(call, at, -INT64_MAX, INT64_MAX, NULL, &rank)) return false;
    if (rank == 0) {
        reply_error(
            call->reply,
            "ERR RANK can't be zero: use 1 to start from the first match, 2 from the second ... "
            "or use negative to start from the end of the list");
        return false;
    }
    search->from = rank < 0 ? CHAIN_TAIL : CHAIN_HEAD;
    search->rank = (uint64_t)(rank < 0 ? -rank : rank);
    return true;
}

static bool lpos_option(struct call *call, uint32_t at, struct lpos *lpos) {
    int64_t value;
    bool more = at + 1 < call->argc;
    if (more && call_is(call, at, "RANK")) return lpos_rank(call, at + 1, &lpos->search);
    if (more && call_is(call, at, "COUNT")) {
        if (!call_int_range(call, at + 1, 0, INT64_MAX, "ERR COUNT can't be negative", &value))
            return false;
        lpos->search.count = (uint64_t)value;
        lpos->counted = true;
        return true;
    }
    if (more && call_is(call, at, "MAXLEN")) {
        if (!call_int_range(call, at + 1, 0, INT64_MAX, "ERR MAXLEN can't be negative", &value))
            return false;
        lpos->search.depth = (uint64_t)value;
        return true;
    }
    call_syntax_error(call);
    return false;
}

struct lpos_reply {
    struct reply *reply;
    uint64_t count;
};

static void lpos_found(uint64_t index, void *context) {
    struct lpos_reply *r = context;
    reply_int(r->reply, (int64_t)index);
    r->count++;
}

static void lpos(struct call *call) {
    struct lpos lpos = {.search = {.from = CHAIN_HEAD, .rank = 1, .count = 1}};
    struct lpos_reply r = {.reply = call->reply};
    struct chunk *mark = NULL;
    bool wrong_type;
    for (uint32_t at = 3; at < call->argc; at += 2) {
        if (!lpos_option(call, at, &lpos)) return;
    }
    const struct chain *c = find_list(call, &wrong_type);
    if (wrong_type) return;
    if (lpos.counted) mark = reply_mark(call->reply);
    if (c) chain_find(c, call->argv[2], &lpos.search, lpos_found, &r);
    if (lpos.counted) {
        reply_fill_array(call->reply, mark, r.count);
    } else if (r.count == 0) {
        reply_null(call->reply);
    }
}

/* ---- changing in place */

static void lset(struct call *call) {
    struct list_edit edit;
    struct chain_item item = {.bytes = call->argv[3]};
    int64_t index;
    int rc;
    if (!edit_begin(&edit, call, 1)) return;
    if (!edit.entry) {
        reply_error(call->reply, ERROR_NO_KEY_TEXT);
        return;
    }
    if (!call_int(call, 2, &index)) return;
    if (index < 0) index += (int64_t)chain_count(edit.chain);
    if (index < 0 || (uint64_t)index >= chain_count(edit.chain)) {
        reply_error(call->reply, ERROR_OUT_OF_RANGE_TEXT);
        return;
    }
    if (item.bytes.len > edit.limit.bytes && call->request)
        item.blob = request_take_blob(call->request, 3);
    rc = chain_set(edit.chain, (uint64_t)index, &item, &edit.limit);
    if (item.blob) blob_unref(item.blob);
    if (rc < 0) {
        edit_account(&edit);
        reply_error(call->reply, ERROR_MEMORY_TEXT);
        return;
    }
    edit_tell(&edit, "lset");
    reply_ok(call->reply);
}

static void linsert(struct call *call) {
    struct list_edit edit;
    struct chain_item item = {.bytes = call->argv[4]};
    bool after = call_is(call, 2, "AFTER");
    int rc;
    if (!after && !call_is(call, 2, "BEFORE")) {
        call_syntax_error(call);
        return;
    }
    if (!edit_begin(&edit, call, 1)) return;
    if (!edit.entry) {
        reply_int(call->reply, 0);
        return;
    }
    rc = chain_insert(edit.chain, call->argv[3], after, &item, &edit.limit);
    if (rc == 0) {
        reply_int(call->reply, -1);
    } else if (rc < 0) {
        edit_account(&edit);
        reply_error(call->reply, ERROR_MEMORY_TEXT);
    } else {
        edit_tell(&edit, "linsert");
        reply_int(call->reply, (int64_t)chain_count(edit.chain));
    }
}

static void lrem(struct call *call) {
    struct list_edit edit;
    int64_t count;
    uint64_t removed;
    if (!call_int_range(call, 2, -INT64_MAX, INT64_MAX, NULL, &count)) return;
    if (!edit_begin(&edit, call, 1)) return;
    if (!edit.entry) {
        reply_int(call->reply, 0);
        return;
    }
    removed = chain_remove_equal(edit.chain, call->argv[3], count < 0 ? CHAIN_TAIL : CHAIN_HEAD,
                                 (uint64_t)(count < 0 ? -count : count), &edit.limit);
    if (removed) edit_tell_removed(&edit, "lrem");
    reply_int(call->reply, (int64_t)removed);
}

static void ltrim(struct call *call) {
    struct list_edit edit;
    int64_t start, stop, total;
    if (!call_int(call, 2, &start) || !call_int(call, 3, &stop)) return;
    if (!edit_begin(&edit, call, 1)) return;
    if (edit.entry) {
        total = (int64_t)chain_count(edit.chain);
        if (!clamp_range(total, &start, &stop)) start = stop = total;
        chain_remove(edit.chain, 0, (uint64_t)start, &edit.limit);
        if (stop < total - 1) {
            chain_remove(edit.chain, (uint64_t)(stop - start) + 1, (uint64_t)(total - 1 - stop),
                         &edit.limit);
        }
        if (chain_count(edit.chain) < (uint64_t)total) {
            edit_tell_removed(&edit, "ltrim");
        } else {
            call_event(call, 'l', "ltrim", call->argv[1]); /* as Redis: an event, but no change */
        }
    }
    reply_ok(call->reply);
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
            edit_account(to);
        } else {
            chain_free(c);
        }
        reply_error(call->reply, ERROR_MEMORY_TEXT);
        return false;
    }
    if (to->entry) {
        edit_tell(to, push_event(end));
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
    if (!edit_begin(&to, call, 2)) return;
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
        edit_tell_removed(from, pop_event(pop_end));
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
    if (!edit_begin(&from, call, 1)) return;
    if (from.entry) {
        move(&from, pop_end, push_end);
    } else {
        reply_null(call->reply);
    }
}

static void lmove(struct call *call) {
    enum chain_end pop_end, push_end;
    if (parse_end(call, 3, &pop_end) && parse_end(call, 4, &push_end))
        move_or_null(call, pop_end, push_end);
}

static void rpoplpush(struct call *call) {
    move_or_null(call, CHAIN_TAIL, CHAIN_HEAD);
}

static void move_or_wait(struct call *call, uint32_t timeout_at, enum chain_end pop_end,
                         enum chain_end push_end) {
    struct blocking_options wait = {.first = 1, .count = 1, .type = ENTRY_LIST, .null_bulk = true};
    struct list_edit from;
    if (!blocking_timeout_s(call, timeout_at, &wait.due_ms)) return;
    if (!edit_begin(&from, call, 1)) return;
    if (from.entry) {
        move(&from, pop_end, push_end);
    } else {
        blocking_wait(call, &wait);
    }
}

static void blmove(struct call *call) {
    enum chain_end pop_end, push_end;
    if (parse_end(call, 3, &pop_end) && parse_end(call, 4, &push_end))
        move_or_wait(call, 5, pop_end, push_end);
}

static void brpoplpush(struct call *call) {
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
        if (!edit_begin(&edit, call, wanted->first + i)) return true;
        if (!edit.entry) continue;
        reply_array(call->reply, 2);
        reply_bulk(call->reply, call->argv[edit.at]);
        if (wanted->counted) {
            pop_range(&edit, wanted->end, wanted->count);
        } else {
            pop_one(&edit, wanted->end);
        }
        edit_tell_removed(&edit, pop_event(wanted->end));
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

static void blpop(struct call *call) {
    struct pop_first wanted = {.first = 1, .key_count = call->argc - 2, .end = CHAIN_HEAD};
    pop_first_or_wait(call, &wanted, call->argc - 1);
}

static void brpop(struct call *call) {
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

static void lmpop(struct call *call) {
    struct pop_first wanted;
    if (parse_mpop(call, 1, &wanted) && !pop_first(call, &wanted)) reply_null_array(call->reply);
}

static void blmpop(struct call *call) {
    struct pop_first wanted;
    if (parse_mpop(call, 2, &wanted)) pop_first_or_wait(call, &wanted, 1);
}

/* ---- the value, for the keyspace */

static void value_free(void *object) {
    chain_free(object);
}
static void *value_try_copy(const void *object) {
    return chain_try_copy(object);
}
static size_t value_memory_bytes(const void *object) {
    return chain_memory_bytes(object);
}
static uint64_t value_free_effort(const void *object) {
    return chain_free_effort(object);
}
static bool value_free_step(void *object, uint32_t effort) {
    return chain_free_step(object, effort);
}
static const char *value_encoding(const void *object) {
    return chain_encoding(object);
}

const struct value_ops list_value_ops = {
    .free = value_free,
    .try_copy = value_try_copy,
    .memory_bytes = value_memory_bytes,
    .free_effort = value_free_effort,
    .free_step = value_free_step,
    .encoding = value_encoding,
};

const struct command commands_list[] = {
    {.name = "lpush",
     .run = lpush,
     .arity = -3,
     .group = GROUP_LIST,
     .flags = COMMAND_WRITE | COMMAND_DENYOOM | COMMAND_FAST,
     .categories = CATEGORY_LIST,
     .keys = {KEY_ONE(KEY_RW | KEY_INSERT)},
     .since = "1.0.0",
     .summary = "Prepends one or more elements to a list. Creates the key if it doesn't exist.",
     .complexity = "O(1) for each element added, so O(N) to add N elements when the command is "
                   "called with multiple arguments.",
     .arguments = "key:key element:string..."},
    {.name = "rpush",
     .run = rpush,
     .arity = -3,
     .group = GROUP_LIST,
     .flags = COMMAND_WRITE | COMMAND_DENYOOM | COMMAND_FAST,
     .categories = CATEGORY_LIST,
     .keys = {KEY_ONE(KEY_RW | KEY_INSERT)},
     .since = "1.0.0",
     .summary = "Appends one or more elements to a list. Creates the key if it doesn't exist.",
     .complexity = "O(1) for each element added, so O(N) to add N elements when the command is "
                   "called with multiple arguments.",
     .arguments = "key:key element:string..."},
    {.name = "lpushx",
     .run = lpushx,
     .arity = -3,
     .group = GROUP_LIST,
     .flags = COMMAND_WRITE | COMMAND_DENYOOM | COMMAND_FAST,
     .categories = CATEGORY_LIST,
     .keys = {KEY_ONE(KEY_RW | KEY_INSERT)},
     .since = "2.2.0",
     .summary = "Prepends one or more elements to a list only when the list exists.",
     .complexity = "O(1) for each element added, so O(N) to add N elements when the command is "
                   "called with multiple arguments.",
     .arguments = "key:key element:string..."},
    {.name = "rpushx",
     .run = rpushx,
     .arity = -3,
     .group = GROUP_LIST,
     .flags = COMMAND_WRITE | COMMAND_DENYOOM | COMMAND_FAST,
     .categories = CATEGORY_LIST,
     .keys = {KEY_ONE(KEY_RW | KEY_INSERT)},
     .since = "2.2.0",
     .summary = "Appends one or more elements to a list only when the list exists.",
     .complexity = "O(1) for each element added, so O(N) to add N elements when the command is "
                   "called with multiple arguments.",
     .arguments = "key:key element:string..."},
    {.name = "lpop",
     .run = lpop,
     .arity = -2,
     .group = GROUP_LIST,
     .flags = COMMAND_WRITE | COMMAND_FAST,
     .categories = CATEGORY_LIST,
     .keys = {KEY_ONE(KEY_RW | KEY_ACCESS | KEY_DELETE)},
     .since = "1.0.0",
     .summary = "Returns and removes one or more elements from the beginning of a list. Deletes "
                "the list if the last element was popped.",
     .complexity = "O(N) where N is the number of elements returned",
     .arguments = "key:key [count:integer@6.2.0]"},
    {.name = "rpop",
     .run = rpop,
     .arity = -2,
     .group = GROUP_LIST,
     .flags = COMMAND_WRITE | COMMAND_FAST,
     .categories = CATEGORY_LIST,
     .keys = {KEY_ONE(KEY_RW | KEY_ACCESS | KEY_DELETE)},
     .since = "1.0.0",
     .summary = "Returns and removes one or more elements from the end of a list. Deletes the list "
                "if the last element was popped.",
     .complexity = "O(N) where N is the number of elements returned",
     .arguments = "key:key [count:integer@6.2.0]"},
    {.name = "lrange",
     .run = lrange,
     .arity = 4,
     .group = GROUP_LIST,
     .flags = COMMAND_READONLY,
     .categories = CATEGORY_LIST,
     .keys = {KEY_ONE(KEY_RO | KEY_ACCESS)},
     .since = "1.0.0",
     .summary = "Returns a range of elements from a list.",
     .complexity = "O(S+N) where S is the distance of start offset from HEAD for small lists, from "
                   "nearest end (HEAD or TAIL) for large lists; and N is the number of elements in "
                   "the specified range.",
     .arguments = "key:key start:integer stop:integer"},
    {.name = "llen",
     .run = llen,
     .arity = 2,
     .group = GROUP_LIST,
     .flags = COMMAND_READONLY | COMMAND_FAST,
     .categories = CATEGORY_LIST,
     .keys = {KEY_ONE(KEY_RO)},
     .since = "1.0.0",
     .summary = "Returns the length of a list.",
     .complexity = "O(1)",
     .arguments = "key:key"},
    {.name = "lindex",
     .run = lindex,
     .arity = 3,
     .group = GROUP_LIST,
     .flags = COMMAND_READONLY,
     .categories = CATEGORY_LIST,
     .keys = {KEY_ONE(KEY_RO | KEY_ACCESS)},
     .since = "1.0.0",
     .summary = "Returns an element from a list by its index.",
     .complexity = "O(N) where N is the number of elements to traverse to get to the element at "
                   "index. This makes asking for the first or the last element of the list O(1).",
     .arguments = "key:key index:integer"},
    {.name = "lset",
     .run = lset,
     .arity = 4,
     .group = GROUP_LIST,
     .flags = COMMAND_WRITE | COMMAND_DENYOOM,
     .categories = CATEGORY_LIST,
     .keys = {KEY_ONE(KEY_RW | KEY_UPDATE)},
     .since = "1.0.0",
     .summary = "Sets the value of an element in a list by its index.",
     .complexity = "O(N) where N is the length of the list. Setting either the first or the last "
                   "element of the list is O(1).",
     .arguments = "key:key index:integer element:string"},
    {.name = "linsert",
     .run = linsert,
     .arity = 5,
     .group = GROUP_LIST,
     .flags = COMMAND_WRITE | COMMAND_DENYOOM,
     .categories = CATEGORY_LIST,
     .keys = {KEY_ONE(KEY_RW | KEY_INSERT)},
     .since = "2.2.0",
     .summary = "Inserts an element before or after another element in a list.",
     .complexity =
         "O(N) where N is the number of elements to traverse before seeing the value pivot. This "
         "means that inserting somewhere on the left end on the list (head) can be considered O(1) "
         "and inserting somewhere on the right end (tail) is O(N).",
     .arguments = "key:key where:(BEFORE | AFTER) pivot:string element:string"},
    {.name = "lrem",
     .run = lrem,
     .arity = 4,
     .group = GROUP_LIST,
     .flags = COMMAND_WRITE,
     .categories = CATEGORY_LIST,
     .keys = {KEY_ONE(KEY_RW | KEY_DELETE)},
     .since = "1.0.0",
     .summary = "Removes elements from a list. Deletes the list if the last element was removed.",
     .complexity =
         "O(N+M) where N is the length of the list and M is the number of elements removed.",
     .arguments = "key:key count:integer element:string"},
    {.name = "ltrim",
     .run = ltrim,
     .arity = 4,
     .group = GROUP_LIST,
     .flags = COMMAND_WRITE,
     .categories = CATEGORY_LIST,
     .keys = {KEY_ONE(KEY_RW | KEY_DELETE)},
     .since = "1.0.0",
     .summary = "Removes elements from both ends of a list. Deletes the list if all elements were "
                "trimmed.",
     .complexity = "O(N) where N is the number of elements to be removed by the operation.",
     .arguments = "key:key start:integer stop:integer"},
    {.name = "lpos",
     .run = lpos,
     .arity = -3,
     .group = GROUP_LIST,
     .flags = COMMAND_READONLY,
     .categories = CATEGORY_LIST,
     .keys = {KEY_ONE(KEY_RO | KEY_ACCESS)},
     .since = "6.0.6",
     .summary = "Returns the index of matching elements in a list.",
     .complexity = "O(N) where N is the number of elements in the list, for the average case. When "
                   "searching for elements near the head or the tail of the list, or when the "
                   "MAXLEN option is provided, the command may run in constant time.",
     .arguments = "key:key element:string [RANK rank:integer] [COUNT num-matches:integer] [MAXLEN "
                  "len:integer]"},
    {.name = "lmove",
     .run = lmove,
     .arity = 5,
     .group = GROUP_LIST,
     .flags = COMMAND_WRITE | COMMAND_DENYOOM,
     .categories = CATEGORY_LIST,
     .keys = {KEY_ONE(KEY_RW | KEY_ACCESS | KEY_DELETE), KEY_AT(2, KEY_RW | KEY_INSERT)},
     .since = "6.2.0",
     .summary = "Returns an element after popping it from one list and pushing it to another. "
                "Deletes the list if the last element was moved.",
     .complexity = "O(1)",
     .arguments = "source:key destination:key wherefrom:(LEFT | RIGHT) whereto:(LEFT | RIGHT)"},
    {.name = "rpoplpush",
     .run = rpoplpush,
     .arity = 3,
     .group = GROUP_LIST,
     .flags = COMMAND_WRITE | COMMAND_DENYOOM,
     .categories = CATEGORY_LIST,
     .keys = {KEY_ONE(KEY_RW | KEY_ACCESS | KEY_DELETE), KEY_AT(2, KEY_RW | KEY_INSERT)},
     .since = "1.2.0",
     .summary = "Returns the last element of a list after removing and pushing it to another list. "
                "Deletes the list if the last element was popped.",
     .complexity = "O(1)",
     .arguments = "source:key destination:key"},
    {.name = "lmpop",
     .run = lmpop,
     .arity = -4,
     .group = GROUP_LIST,
     .flags = COMMAND_WRITE | COMMAND_MOVABLE_KEYS,
     .categories = CATEGORY_LIST,
     .keys = {{.flags = KEY_RW | KEY_ACCESS | KEY_DELETE,
               .index = 1,
               .keynum = true,
               .keynum_index = 0,
               .first_key = 1,
               .step = 1}},
     .since = "7.0.0",
     .summary = "Returns multiple elements from a list after removing them. Deletes the list if "
                "the last element was popped.",
     .complexity =
         "O(N+M) where N is the number of provided keys and M is the number of elements returned.",
     .arguments = "numkeys:integer key:key... where:(LEFT | RIGHT) [COUNT count:integer]"},
    {.name = "blpop",
     .run = blpop,
     .arity = -3,
     .group = GROUP_LIST,
     .flags = COMMAND_WRITE | COMMAND_BLOCKING,
     .categories = CATEGORY_LIST,
     .keys = {{.flags = KEY_RW | KEY_ACCESS | KEY_DELETE, .index = 1, .last_key = -2, .step = 1}},
     .since = "2.0.0",
     .summary = "Removes and returns the first element in a list. Blocks until an element is "
                "available otherwise. Deletes the list if the last element was popped.",
     .complexity = "O(N) where N is the number of provided keys.",
     .arguments = "key:key... timeout:double"},
    {.name = "brpop",
     .run = brpop,
     .arity = -3,
     .group = GROUP_LIST,
     .flags = COMMAND_WRITE | COMMAND_BLOCKING,
     .categories = CATEGORY_LIST,
     .keys = {{.flags = KEY_RW | KEY_ACCESS | KEY_DELETE, .index = 1, .last_key = -2, .step = 1}},
     .since = "2.0.0",
     .summary = "Removes and returns the last element in a list. Blocks until an element is "
                "available otherwise. Deletes the list if the last element was popped.",
     .complexity = "O(N) where N is the number of provided keys.",
     .arguments = "key:key... timeout:double"},
    {.name = "blmove",
     .run = blmove,
     .arity = 6,
     .group = GROUP_LIST,
     .flags = COMMAND_WRITE | COMMAND_DENYOOM | COMMAND_BLOCKING,
     .categories = CATEGORY_LIST,
     .keys = {KEY_ONE(KEY_RW | KEY_ACCESS | KEY_DELETE), KEY_AT(2, KEY_RW | KEY_INSERT)},
     .since = "6.2.0",
     .summary =
         "Pops an element from a list, pushes it to another list and returns it. Blocks until an "
         "element is available otherwise. Deletes the list if the last element was moved.",
     .complexity = "O(1)",
     .arguments = "source:key destination:key wherefrom:(LEFT | RIGHT) whereto:(LEFT | RIGHT) "
                  "timeout:double"},
    {.name = "brpoplpush",
     .run = brpoplpush,
     .arity = 4,
     .group = GROUP_LIST,
     .flags = COMMAND_WRITE | COMMAND_DENYOOM | COMMAND_BLOCKING,
     .categories = CATEGORY_LIST,
     .keys = {KEY_ONE(KEY_RW | KEY_ACCESS | KEY_DELETE), KEY_AT(2, KEY_RW | KEY_INSERT)},
     .since = "2.2.0",
     .summary =
         "Pops an element from a list, pushes it to another list and returns it. Blocks until an "
         "element is available otherwise. Deletes the list if the last element was popped.",
     .complexity = "O(1)",
     .arguments = "source:key destination:key timeout:double"},
    {.name = "blmpop",
     .run = blmpop,
     .arity = -5,
     .group = GROUP_LIST,
     .flags = COMMAND_WRITE | COMMAND_BLOCKING | COMMAND_MOVABLE_KEYS,
     .categories = CATEGORY_LIST,
     .keys = {{.flags = KEY_RW | KEY_ACCESS | KEY_DELETE,
               .index = 2,
               .keynum = true,
               .keynum_index = 0,
               .first_key = 1,
               .step = 1}},
     .since = "7.0.0",
     .summary = "Pops the first element from one of multiple lists. Blocks until an element is "
                "available otherwise. Deletes the list if the last element was popped.",
     .complexity =
         "O(N+M) where N is the number of provided keys and M is the number of elements returned.",
     .arguments =
         "timeout:double numkeys:integer key:key... where:(LEFT | RIGHT) [COUNT count:integer]"},
    {.name = NULL},
};
