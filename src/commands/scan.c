/* Walks over the keys of a database: SCAN in steps, KEYS at once. */
#include "commands/scan.h"

#include <limits.h>

#include "base/buf.h"
#include "base/glob.h"
#include "commands/keys.h"

/* ---- cursor and options */

/* As strtoull(3) reads it, less the minus: blanks, a plus and leading zeros are taken. */
bool scan_parse_cursor(struct call *call, uint32_t at, uint64_t *cursor) {
    struct span text = call->argv[at];
    size_t i = 0;
    while (i < text.len && (text.data[i] == ' ' || (text.data[i] >= '\t' && text.data[i] <= '\r')))
        i++;
    if (i < text.len && text.data[i] == '+') i++;
    while (i + 1 < text.len && text.data[i] == '0') i++;
    if (num_parse_uint(span_make(text.data + i, text.len - i), cursor)) return true;
    reply_error(call->reply, "ERR invalid cursor");
    return false;
}

static bool parse_count(struct call *call, uint32_t at, struct scan_options *options) {
    if (!call_int(call, at, &options->count)) return false;
    if (options->count >= 1) return true;
    call_syntax_error(call);
    return false;
}

static bool parse_type(struct call *call, uint32_t at, struct scan_options *options) {
    struct span name = call->argv[at];
    for (int type = 0; type < ENTRY_TYPE_COUNT; type++) {
        if (span_is(name, entry_type_name((enum entry_type)type))) {
            options->type = type;
            return true;
        }
    }
    reply_errorf(call->reply, "ERR unknown type name '%.*s'", (int)MIN(name.len, 256), name.data);
    return false;
}

static void set_pattern(struct scan_options *options, struct span pattern) {
    options->pattern = pattern;
    options->has_pattern = !span_eq(pattern, SPAN("*"));
}

static bool parse_names_only(struct call *call, bool allowed, const char *error,
                             struct scan_options *options) {
    options->names_only = true;
    if (!allowed) reply_error(call->reply, error);
    return allowed;
}

/* One option at *at, which is moved to its last argument. */
static bool parse_option(struct call *call, uint32_t *at, enum scan_kind kind,
                         struct scan_options *options) {
    uint32_t i = *at;
    if (call_is(call, i, "novalues")) {
        return parse_names_only(call, kind == SCAN_HASH,
                                "ERR NOVALUES option can only be used in HSCAN", options);
    }
    if (call_is(call, i, "noscores")) {
        return parse_names_only(call, kind == SCAN_ZSET,
                                "ERR NOSCORES option can only be used in ZSCAN", options);
    }
    *at = i + 1;
    if (i + 1 < call->argc) {
        if (call_is(call, i, "count")) return parse_count(call, i + 1, options);
        if (kind == SCAN_KEYS && call_is(call, i, "type")) return parse_type(call, i + 1, options);
        if (call_is(call, i, "match")) {
            set_pattern(options, call->argv[i + 1]);
            return true;
        }
    }
    call_syntax_error(call);
    return false;
}

bool scan_parse_options(struct call *call, uint32_t first, enum scan_kind kind,
                        struct scan_options *options) {
    *options = (struct scan_options){.count = SCAN_COUNT_USUAL, .type = SCAN_ANY_TYPE};
    for (uint32_t i = first; i < call->argc; i++) {
        if (!parse_option(call, &i, kind, options)) return false;
    }
    return true;
}

bool scan_matches(const struct scan_options *options, struct span name) {
    return !options->has_pattern || glob_match(options->pattern, name, false);
}

/* ---- SCAN */

enum {
    SCAN_STEPS_A_COUNT = 10
}; /* buckets looked at for each element asked for: an emptied table is walked in bounded steps */

struct scan {
    struct scan_options options;
    int64_t seen_count;
    struct buf found; /* of struct entry *: the reply begins with their number */
    bool out_of_memory;
};

static void collect_entry(struct entry *e, void *context) {
    struct scan *scan = context;
    scan->seen_count++;
    if (scan->options.type != SCAN_ANY_TYPE && (int)entry_type(e) != scan->options.type) return;
    if (!scan_matches(&scan->options, entry_key(e))) return;
    if (buf_try_reserve(&scan->found, sizeof e) < 0) {
        scan->out_of_memory = true;
        return;
    }
    buf_put(&scan->found, &e, sizeof e);
}

static void reply_scan(struct call *call, const struct scan *scan, uint64_t cursor) {
    size_t count = scan->found.len / sizeof(struct entry *);
    reply_array(call->reply, 2);
    reply_bulk_int(call->reply, (int64_t)cursor);
    reply_array(call->reply, count);
    for (size_t i = 0; i < count; i++) {
        const struct entry *e;
        memcpy(&e, scan->found.data + i * sizeof e, sizeof e);
        reply_bulk(call->reply, entry_key(e));
    }
}

void scan_scan(struct call *call) {
    struct scan scan = {0};
    uint64_t cursor;
    if (!scan_parse_cursor(call, 1, &cursor)) return;
    if (!scan_parse_options(call, 2, SCAN_KEYS, &scan.options)) return;
    uint64_t steps_left = (uint64_t)scan.options.count;
    if (__builtin_mul_overflow(steps_left, SCAN_STEPS_A_COUNT, &steps_left)) {
        steps_left = UINT64_MAX;
    }
    do {
        cursor = db_scan_expire(call->db, cursor, collect_entry, &scan);
    } while (cursor && --steps_left > 0 && scan.seen_count < scan.options.count);
    if (scan.out_of_memory) {
        reply_error(call->reply, ERROR_MEMORY_TEXT);
    } else {
        reply_scan(call, &scan, cursor);
    }
    buf_release(&scan.found);
}

/* ---- KEYS */

struct listing {
    struct scan_options options;
    struct reply *reply;
    uint64_t count;
};

static void list_entry(struct entry *e, void *context) {
    struct listing *listing = context;
    if (!scan_matches(&listing->options, entry_key(e))) return;
    reply_bulk(listing->reply, entry_key(e));
    listing->count++;
}

void scan_keys(struct call *call) {
    struct listing listing = {.reply = call->reply};
    struct chunk *mark = reply_mark(call->reply);
    uint64_t cursor = 0;
    set_pattern(&listing.options, call->argv[1]);
    do {
        cursor = db_scan(call->db, cursor, list_entry, &listing);
    } while (cursor);
    reply_fill_array(call->reply, mark, listing.count);
}
