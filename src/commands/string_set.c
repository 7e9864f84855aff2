/* Writing one string whole. Hot path: string_set without conditions, one look-up and no allocation but the value's. */
#include "commands/expiration.h"
#include "commands/set_options.h"
#include "commands/string.h"

enum { SET_CONDITIONS = SET_NX | SET_XX | SET_IFEQ };

/* One write: SET and what is like it. */
struct set {
    struct set_options options;
    uint32_t value_at;
    bool numbers; /* answers 1 and 0 instead of OK and null */
};

static void tell_set(struct call *call, const struct set *set) {
    call_event(call, '$', "set", call->argv[1]);
    if (set->options.flags & SET_EXPIRATION) call_event(call, 'g', "expire", call->argv[1]);
}

static void reply_written(struct call *call, const struct set *set) {
    if (set->numbers) {
        reply_int(call->reply, 1);
    } else {
        reply_ok(call->reply);
    }
}

static void reply_not_written(struct call *call, const struct set *set) {
    if (set->numbers) {
        reply_int(call->reply, 0);
    } else {
        reply_null(call->reply);
    }
}

/* ---- without a look at the old value */

static void set_blindly(struct call *call, const struct set *set) {
    struct blob *blob = string_take_blob(call, set->value_at);
    if (UNLIKELY(!db_set_string(call->db, call->argv[1], call->key_hash, call->argv[set->value_at],
                                blob, set->options.deadline_ms))) {
        reply_error(call->reply, ERROR_MEMORY_TEXT);
        return;
    }
    tell_set(call, set);
    reply_written(call, set);
}

/* ---- with one */

/* A value that is to be answered after its entry has changed. */
struct kept_value {
    bool exists;
    struct blob *blob; /* counted */
    struct span bytes; /* of a small value: a copy */
};

static struct kept_value keep_value(struct call *call, const struct entry *e) {
    struct kept_value kept = {.exists = e != NULL};
    if (!e) return kept;
    struct blob *blob = entry_blob(e);
    if (blob) {
        kept.blob = blob_ref(blob);
        return kept;
    }
    struct span value = entry_string(e);
    char *copy = call_scratch(call, value.len);
    if (value.len) memcpy(copy, value.data, value.len);
    kept.bytes = span_make(copy, value.len);
    return kept;
}

static void reply_kept(struct call *call, const struct kept_value *kept) {
    if (!kept->exists) {
        reply_null(call->reply);
    } else if (kept->blob) {
        reply_bulk_blob(call->reply, kept->blob);
    } else {
        reply_bulk(call->reply, kept->bytes);
    }
}

static bool may_write(const struct call *call, const struct entry *old,
                      const struct set_options *options) {
    if (options->flags & SET_NX) return !old;
    if (options->flags & SET_XX) return old;
    if (options->flags & SET_IFEQ) {
        return old && span_eq(entry_string(old), call->argv[options->expected_at]);
    }
    return true;
}

/* A deadline in the past makes the write a removal. False after an error was written. */
static bool write_value(struct call *call, struct entry *old, const struct set *set) {
    int64_t deadline_ms = set->options.deadline_ms;
    if (expiration_is_past(deadline_ms)) {
        if (old) expiration_remove(call, old, 1);
        return true;
    }
    struct blob *blob = string_take_blob(call, set->value_at);
    if (!db_put_string(call->db, old, call->argv[1], call->key_hash, call->argv[set->value_at],
                       blob, deadline_ms)) {
        reply_error(call->reply, ERROR_MEMORY_TEXT);
        return false;
    }
    tell_set(call, set);
    return true;
}

static void write_and_reply_old(struct call *call, struct entry *old, const struct set *set) {
    struct kept_value kept = keep_value(call, old);
    if (write_value(call, old, set)) reply_kept(call, &kept);
    if (kept.blob) blob_unref(kept.blob);
}

static void set_carefully(struct call *call, const struct set *set) {
    uint32_t flags = set->options.flags;
    bool wants_old = flags & SET_GET;
    struct entry *old = wants_old ? call_find(call, 1) : call_find_for_write(call, 1);
    if (flags & (SET_GET | SET_IFEQ) && !call_check_type(call, old, ENTRY_STRING)) return;
    if (!may_write(call, old, &set->options)) {
        if (wants_old && old) {
            string_reply(call->reply, old);
        } else if (wants_old) {
            reply_null(call->reply);
        } else {
            reply_not_written(call, set);
        }
        return;
    }
    if (wants_old) {
        write_and_reply_old(call, old, set);
    } else if (write_value(call, old, set)) {
        reply_written(call, set);
    }
}

/* ---- commands */

void string_set(struct call *call) {
    struct set set = {.options = {.deadline_ms = ENTRY_NO_DEADLINE}, .value_at = 2};
    uint32_t allowed = SET_CONDITIONS | SET_GET | SET_KEEPTTL | SET_EXPIRATION;
    if (call->argc > 3 && !set_options_parse(call, 3, allowed, &set.options)) return;
    if (UNLIKELY(set.options.flags & (SET_CONDITIONS | SET_GET)) ||
        UNLIKELY(expiration_is_past(set.options.deadline_ms))) {
        set_carefully(call, &set);
    } else {
        set_blindly(call, &set);
    }
}

void string_setnx(struct call *call) {
    struct set set = {.options = {.flags = SET_NX, .deadline_ms = ENTRY_NO_DEADLINE},
                      .value_at = 2,
                      .numbers = true};
    set_carefully(call, &set);
}

static void set_expiring(struct call *call, enum expiration_unit unit) {
    struct set set = {.options = {.flags = SET_EX}, .value_at = 3};
    if (expiration_parse(call, 2, unit, &set.options.deadline_ms)) set_blindly(call, &set);
}

void string_setex(struct call *call) {
    set_expiring(call, EXPIRATION_S);
}

void string_psetex(struct call *call) {
    set_expiring(call, EXPIRATION_MS);
}

void string_getset(struct call *call) {
    struct set set = {.options = {.flags = SET_GET, .deadline_ms = ENTRY_NO_DEADLINE},
                      .value_at = 2};
    set_carefully(call, &set);
}

void string_delifeq(struct call *call) {
    struct entry *e = call_find_for_write(call, 1);
    if (!call_check_type(call, e, ENTRY_STRING)) return;
    if (!e || !span_eq(entry_string(e), call->argv[2])) {
        reply_int(call->reply, 0);
        return;
    }
    db_remove(call->db, e, call->key_hash, false);
    call_event(call, 'g', "del", call->argv[1]);
    reply_int(call->reply, 1);
}
