/* What the stream commands share: ids as arguments, a stream under change, entries as replies. */
#include <errno.h>
#include <stdlib.h>

#include "base/clock.h"
#include "commands/stream.h"

/* ---- ids */

enum { ID_ARGUMENT_MAX = 127 };

/* Redis takes what strtoull(3) takes, blanks, a plus sign and zeros in front included, but no canonical negative number. */
static bool parse_number(const char *text, uint64_t *out) {
    int64_t number;
    char *end;
    if (num_parse_int(span_of(text), &number)) {
        *out = (uint64_t)number;
        return number >= 0;
    }
    errno = 0;
    *out = strtoull(text, &end, 10);
    return errno == 0 && *text && !*end;
}

bool stream_parse_id(struct span text, const struct stream_id_form *form, struct stream_id *out) {
    char ms[ID_ARGUMENT_MAX + 1], *seq;
    if (text.len > ID_ARGUMENT_MAX) return false;
    if (text.len) memcpy(ms, text.data, text.len);
    ms[text.len] = 0;
    if (form->seq_given) *form->seq_given = true;
    if (strcmp(ms, "-") == 0 || strcmp(ms, "+") == 0) {
        *out = *ms == '-' ? STREAM_ID_ZERO : STREAM_ID_MAX;
        return form->special;
    }
    seq = strchr(ms, '-');
    if (seq) *seq++ = 0;
    if (!parse_number(ms, &out->ms)) return false;
    out->seq = form->missing_seq;
    if (!seq) return true;
    if (form->seq_given && strcmp(seq, "*") == 0) {
        *form->seq_given = false;
        out->seq = 0;
        return true;
    }
    return parse_number(seq, &out->seq);
}

static bool id_or_error(struct call *call, struct span text, const struct stream_id_form *form,
                        struct stream_id *out) {
    if (stream_parse_id(text, form, out)) return true;
    reply_error(call->reply, "ERR Invalid stream ID specified as stream command argument");
    return false;
}

bool stream_id_argument(struct call *call, uint32_t at, struct stream_id *out) {
    static const struct stream_id_form strict = {0};
    return id_or_error(call, call->argv[at], &strict, out);
}

/* An interval's end; *excluded: it does not belong to it. */
static bool interval_argument(struct call *call, uint32_t at, uint64_t missing_seq, bool *excluded,
                              struct stream_id *out) {
    struct stream_id_form form = {.missing_seq = missing_seq};
    struct span text = call->argv[at];
    *excluded = text.len > 1 && text.data[0] == '(';
    form.special = !*excluded;
    if (*excluded) text = span_make(text.data + 1, text.len - 1);
    return id_or_error(call, text, &form, out);
}

bool stream_low_argument(struct call *call, uint32_t at, struct stream_id *out) {
    bool excluded;
    if (!interval_argument(call, at, 0, &excluded, out)) return false;
    if (!excluded || stream_id_increment(out)) return true;
    reply_error(call->reply, "ERR invalid start ID for the interval");
    return false;
}

bool stream_high_argument(struct call *call, uint32_t at, struct stream_id *out) {
    bool excluded;
    if (!interval_argument(call, at, UINT64_MAX, &excluded, out)) return false;
    if (!excluded || stream_id_decrement(out)) return true;
    reply_error(call->reply, "ERR invalid end ID for the interval");
    return false;
}

const struct stream_id *stream_id_arguments(struct call *call, uint32_t first) {
    struct stream_id *ids = call_scratch(call, (call->argc - first) * sizeof *ids);
    for (uint32_t at = first; at < call->argc; at++) {
        if (!stream_id_argument(call, at, &ids[at - first])) return NULL;
    }
    return ids;
}

/* ---- changing */

static bool edit_found(struct stream_edit *edit, struct entry *e) {
    edit->entry = e;
    if (!e) return true;
    if (!call_check_type(edit->call, e, ENTRY_STREAM)) return false;
    edit->stream = entry_object(e);
    edit->bytes_before = stream_memory_bytes(edit->stream);
    return true;
}

bool stream_edit_begin(struct stream_edit *edit, struct call *call, uint32_t at) {
    *edit = (struct stream_edit){.call = call, .at = at, .hash = call_hash(call, at)};
    return edit_found(edit, db_find_for_write(call->db, call->argv[at], edit->hash));
}

bool stream_edit_begin_reading(struct stream_edit *edit, struct call *call, uint32_t at) {
    *edit = (struct stream_edit){.call = call, .at = at, .hash = call_hash(call, at)};
    return edit_found(edit, call_look(call, at, edit->hash, 0));
}

void stream_edit_account(struct stream_edit *edit) {
    size_t bytes = stream_memory_bytes(edit->stream);
    db_account(edit->call->db, edit->bytes_before, bytes);
    edit->bytes_before = bytes;
}

void stream_edit_tell(struct stream_edit *edit, const char *event) {
    struct call *call = edit->call;
    stream_edit_account(edit);
    db_changed(call->db, call->argv[edit->at]);
    if (event) call_event(call, 't', event, call->argv[edit->at]);
}

void stream_edit_drop(const struct stream_edit *edit, struct stream *cut) {
    if (cut) keyspace_drop(edit->call->host->keyspace, ENTRY_STREAM, cut);
}

uint64_t stream_edit_trim(const struct stream_edit *edit, const struct stream_trim *trim) {
    struct stream *cut;
    uint64_t removed = stream_trim_cut(edit->stream, trim, &cut);
    stream_edit_drop(edit, cut);
    return removed;
}

bool stream_edit_put_new(struct stream_edit *edit, struct stream *s) {
    struct call *call = edit->call;
    edit->entry = db_put_object(call->db, NULL, call->argv[edit->at], edit->hash, ENTRY_STREAM, s,
                                ENTRY_NO_DEADLINE);
    if (!edit->entry) {
        reply_error(call->reply, ERROR_MEMORY_TEXT);
        return false;
    }
    edit->stream = s;
    edit->bytes_before = stream_memory_bytes(s);
    return true;
}

struct stream_group *stream_edit_group(const struct stream_edit *edit, uint32_t at) {
    return edit->stream ? stream_group_find(edit->stream, edit->call->argv[at]) : NULL;
}

struct stream_consumer *stream_edit_consumer(struct stream_edit *edit, struct stream_group *g,
                                             uint32_t at) {
    struct call *call = edit->call;
    struct stream_consumer *c = stream_consumer_find(g, call->argv[at]);
    if (c) {
        c->seen_ms = clock_real_ms();
        return c;
    }
    c = stream_consumer_try_add(edit->stream, g, call->argv[at], clock_real_ms());
    if (c) {
        stream_edit_tell(edit, "xgroup-createconsumer");
    } else {
        reply_error(call->reply, ERROR_MEMORY_TEXT);
    }
    return c;
}

/* ---- replies */

void stream_reply_id(struct reply *reply, struct stream_id id) {
    char text[STREAM_ID_TEXT_MAX];
    reply_bulk(reply, span_make(text, stream_id_format(text, id)));
}

static void reply_value(struct reply *reply, const struct packed_value *value) {
    if (value->is_int) {
        reply_bulk_int(reply, value->number);
    } else {
        reply_bulk(reply, value->bytes);
    }
}

void stream_reply_entry(struct reply *reply, struct stream_walk *w) {
    struct packed_value field, value;
    reply_array(reply, 2);
    stream_reply_id(reply, w->entry.id);
    reply_array(reply, 2 * (uint64_t)w->entry.pair_count);
    while (stream_walk_pair(w, &field, &value)) {
        reply_value(reply, &field);
        reply_value(reply, &value);
    }
}

void stream_reply_range(struct reply *reply, const struct stream *s, struct stream_range range,
                        uint64_t count) {
    struct chunk *mark = reply_mark(reply);
    struct stream_walk w;
    uint64_t written = 0;
    for (bool there = stream_walk_begin(&w, s, range); there; there = stream_walk_next(&w)) {
        stream_reply_entry(reply, &w);
        if (++written == count) break;
    }
    reply_fill_array(reply, mark, written);
}

bool stream_reply_one(struct reply *reply, const struct stream *s, struct stream_id id) {
    struct stream_walk w;
    if (!stream_walk_begin(&w, s, (struct stream_range){.low = id, .high = id})) return false;
    stream_reply_entry(reply, &w);
    return true;
}
