/* Reading one string. Hot path: string_get. */
#include "commands/expiration.h"
#include "commands/set_options.h"
#include "commands/string.h"

/* The string at the first key; NULL after null or an error was written. */
static struct entry *find_string_or_null(struct call *call) {
    struct entry *e = call_find(call, 1);
    if (!e) {
        reply_null(call->reply);
        return NULL;
    }
    return call_check_type(call, e, ENTRY_STRING) ? e : NULL;
}

void string_get(struct call *call) {
    const struct entry *e = find_string_or_null(call);
    if (e) string_reply(call->reply, e);
}

/* The reply holds a large value's bytes itself, so that the key can go before it is sent. */
void string_getdel(struct call *call) {
    struct entry *e = find_string_or_null(call);
    if (!e) return;
    string_reply(call->reply, e);
    db_remove(call->db, e, call->key_hash, false);
    call_event(call, 'g', "del", call->argv[1]);
}

static struct entry *change_deadline(struct call *call, struct entry *e, int64_t deadline_ms,
                                     const char *event) {
    e = db_set_deadline(call->db, e, call->key_hash, deadline_ms);
    if (e) call_event(call, 'g', event, call->argv[1]);
    return e;
}

void string_getex(struct call *call) {
    struct set_options options;
    if (!set_options_parse(call, 2, SET_EXPIRATION | SET_PERSIST, &options)) return;
    struct entry *e = find_string_or_null(call);
    if (!e) return;
    bool expires = options.flags & SET_EXPIRATION;
    if (expires && expiration_is_past(options.deadline_ms)) {
        string_reply(call->reply, e);
        expiration_remove(call, e, 1);
        return;
    }
    if (expires) {
        e = change_deadline(call, e, options.deadline_ms, "expire");
    } else if (options.flags & SET_PERSIST && entry_deadline_ms(e) != ENTRY_NO_DEADLINE) {
        e = change_deadline(call, e, ENTRY_NO_DEADLINE, "persist");
    }
    if (e) {
        string_reply(call->reply, e);
    } else {
        reply_error(call->reply, ERROR_MEMORY_TEXT);
    }
}

void string_strlen(struct call *call) {
    const struct entry *e = call_find(call, 1);
    if (!call_check_type(call, e, ENTRY_STRING)) return;
    reply_int(call->reply, e ? (int64_t)entry_string(e).len : 0);
}

/* ---- GETRANGE, SUBSTR */

struct range {
    size_t offset, len;
};

/* Negative positions count from the end; what lies outside is cut. */
static struct range cut_range(int64_t start, int64_t end, size_t len) {
    int64_t size = (int64_t)len;
    if (start < 0 && end < 0 && start > end) return (struct range){0};
    if (start < 0) start = MAX(start + size, 0);
    if (end < 0) end = MAX(end + size, 0);
    end = MIN(end, size - 1);
    if (start > end) return (struct range){0};
    return (struct range){(size_t)start, (size_t)(end - start) + 1};
}

void string_getrange(struct call *call) {
    int64_t start, end;
    if (!call_int(call, 2, &start) || !call_int(call, 3, &end)) return;
    const struct entry *e = call_find(call, 1);
    if (!call_check_type(call, e, ENTRY_STRING)) return;
    struct span value = e ? entry_string(e) : SPAN("");
    struct range range = cut_range(start, end, value.len);
    struct blob *blob = e ? entry_blob(e) : NULL;
    if (blob) {
        reply_bulk_blob_part(call->reply, blob, range.offset, range.len);
    } else {
        reply_bulk(call->reply, span_make(value.data + range.offset, range.len));
    }
}
