/* Strings as numbers. Hot path: string_incr, one look-up; the new digits mostly fit where the old ones are. */
#include <math.h>

#include "commands/string.h"

static bool put_number(struct call *call, struct entry **e, struct span text, const char *event) {
    *e = db_put_string(call->db, *e, call->argv[1], call->key_hash, text, NULL, DB_KEEP_DEADLINE);
    if (UNLIKELY(!*e)) {
        reply_error(call->reply, ERROR_MEMORY_TEXT);
        return false;
    }
    call_event(call, '$', event, call->argv[1]);
    return true;
}

/* ---- integers */

static void add_int(struct call *call, int64_t increment) {
    struct entry *e = call_find_for_write(call, 1);
    char text[NUM_INT_TEXT_MAX];
    int64_t value = 0;
    if (!call_check_type(call, e, ENTRY_STRING)) return;
    if (e && !num_parse_int(entry_string(e), &value)) {
        reply_error(call->reply, ERROR_NOT_INT_TEXT);
        return;
    }
    if (__builtin_add_overflow(value, increment, &value)) {
        reply_error(call->reply, "ERR increment or decrement would overflow");
        return;
    }
    if (put_number(call, &e, span_make(text, num_format_int(text, value)), "incrby")) {
        reply_int(call->reply, value);
    }
}

void string_incr(struct call *call) {
    add_int(call, 1);
}

void string_decr(struct call *call) {
    add_int(call, -1);
}

void string_incrby(struct call *call) {
    int64_t increment;
    if (call_int(call, 2, &increment)) add_int(call, increment);
}

void string_decrby(struct call *call) {
    int64_t decrement;
    if (!call_int(call, 2, &decrement)) return;
    if (decrement == INT64_MIN) {
        reply_error(call->reply, "ERR decrement would overflow");
        return;
    }
    add_int(call, -decrement);
}

/* ---- floats */

static bool parse_float(struct call *call, struct span text, long double *out) {
    if (num_parse_long_double(text, out)) return true;
    reply_error(call->reply, ERROR_NOT_FLOAT_TEXT);
    return false;
}

/* A whole result looks like an integer but does not count as one: OBJECT ENCODING tells how the value came about. */
static void mark_float(struct call *call, struct entry *e) {
    size_t len = entry_string(e).len;
    int64_t whole;
    if (!num_parse_int(entry_string(e), &whole)) return;
    db_edit_string(call->db, &e, call->key_hash, len);
}

void string_incrbyfloat(struct call *call) {
    struct entry *e = call_find_for_write(call, 1);
    char text[NUM_LONG_DOUBLE_TEXT_MAX];
    long double value = 0, increment;
    if (!call_check_type(call, e, ENTRY_STRING)) return;
    if (e && !parse_float(call, entry_string(e), &value)) return;
    if (!parse_float(call, call->argv[2], &increment)) return;
    value += increment;
    if (isnan(value) || isinf(value)) {
        reply_error(call->reply, "ERR increment would produce NaN or Infinity");
        return;
    }
    struct span sum = span_make(text, num_format_long_double(text, value));
    if (!put_number(call, &e, sum, "incrbyfloat")) return;
    mark_float(call, e);
    reply_bulk(call->reply, sum);
}
