/* Lists, their elements by index and by value: LRANGE, LINDEX, LSET, LINSERT, LREM, LTRIM, LPOS, LLEN. Hot path: list_lrange. */
#include "commands/list.h"

/* ---- reading */

void list_llen(struct call *call) {
    bool wrong_type;
    const struct chain *c = list_find(call, &wrong_type);
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

void list_lrange(struct call *call) {
    int64_t start, stop;
    bool wrong_type;
    if (!call_int(call, 2, &start) || !call_int(call, 3, &stop)) return;
    const struct chain *c = list_find(call, &wrong_type);
    if (wrong_type) return;
    if (!c || !clamp_range((int64_t)chain_count(c), &start, &stop)) {
        reply_array(call->reply, 0);
        return;
    }
    uint64_t count = (uint64_t)(stop - start) + 1;
    reply_array(call->reply, count);
    list_reply_long_range(call, c, (uint64_t)start, count);
}

void list_lindex(struct call *call) {
    int64_t index;
    bool wrong_type;
    const struct chain *c = list_find(call, &wrong_type);
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
        list_reply_range(call->reply, c, (uint64_t)index, 1);
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

void list_lpos(struct call *call) {
    struct lpos lpos = {.search = {.from = CHAIN_HEAD, .rank = 1, .count = 1}};
    struct lpos_reply r = {.reply = call->reply};
    struct chunk *mark = NULL;
    bool wrong_type;
    for (uint32_t at = 3; at < call->argc; at += 2) {
        if (!lpos_option(call, at, &lpos)) return;
    }
    const struct chain *c = list_find(call, &wrong_type);
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

void list_lset(struct call *call) {
    struct list_edit edit;
    struct chain_item item = {.bytes = call->argv[3]};
    int64_t index;
    int rc;
    if (!list_edit_begin(&edit, call, 1)) return;
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
        list_edit_account(&edit);
        reply_error(call->reply, ERROR_MEMORY_TEXT);
        return;
    }
    list_edit_tell(&edit, "lset");
    reply_ok(call->reply);
}

void list_linsert(struct call *call) {
    struct list_edit edit;
    struct chain_item item = {.bytes = call->argv[4]};
    bool after = call_is(call, 2, "AFTER");
    int rc;
    if (!after && !call_is(call, 2, "BEFORE")) {
        call_syntax_error(call);
        return;
    }
    if (!list_edit_begin(&edit, call, 1)) return;
    if (!edit.entry) {
        reply_int(call->reply, 0);
        return;
    }
    rc = chain_insert(edit.chain, call->argv[3], after, &item, &edit.limit);
    if (rc == 0) {
        reply_int(call->reply, -1);
    } else if (rc < 0) {
        list_edit_account(&edit);
        reply_error(call->reply, ERROR_MEMORY_TEXT);
    } else {
        list_edit_tell(&edit, "linsert");
        reply_int(call->reply, (int64_t)chain_count(edit.chain));
    }
}

void list_lrem(struct call *call) {
    struct list_edit edit;
    int64_t count;
    uint64_t removed;
    if (!call_int_range(call, 2, -INT64_MAX, INT64_MAX, NULL, &count)) return;
    if (!list_edit_begin(&edit, call, 1)) return;
    if (!edit.entry) {
        reply_int(call->reply, 0);
        return;
    }
    removed = chain_remove_equal(edit.chain, call->argv[3], count < 0 ? CHAIN_TAIL : CHAIN_HEAD,
                                 (uint64_t)(count < 0 ? -count : count), &edit.limit);
    if (removed) list_edit_tell_removed(&edit, "lrem");
    reply_int(call->reply, (int64_t)removed);
}

void list_ltrim(struct call *call) {
    struct list_edit edit;
    int64_t start, stop, total;
    if (!call_int(call, 2, &start) || !call_int(call, 3, &stop)) return;
    if (!list_edit_begin(&edit, call, 1)) return;
    if (edit.entry) {
        total = (int64_t)chain_count(edit.chain);
        if (!clamp_range(total, &start, &stop)) start = stop = total;
        if (stop < total - 1)
            list_edit_cut(&edit, (uint64_t)(stop + 1), (uint64_t)(total - 1 - stop));
        if (start > 0) list_edit_cut(&edit, 0, (uint64_t)start);
        if (chain_count(edit.chain) < (uint64_t)total) {
            list_edit_tell_removed(&edit, "ltrim");
        } else {
            call_event(call, 'l', "ltrim", call->argv[1]); /* as Redis: an event, but no change */
        }
    }
    reply_ok(call->reply);
}
