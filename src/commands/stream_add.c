/* XADD, XTRIM, XDEL, XSETID: what changes the entries. Hot path: XADD. */
#include <errno.h>

#include "base/clock.h"
#include "base/error.h"
#include "commands/stream.h"

/* ---- options of XADD and XTRIM */

enum { TRIM_BLOCKS_DEFAULT = 100, TRIM_LIMIT_DEFAULT = 10000, TRIM_LIMIT_MAX = 1000000 };

struct add_options {
    struct stream_trim trim;
    bool limit_given;
    bool no_create;
    bool id_given, seq_given; /* XADD: not "*", not "ms-*" */
    struct stream_id id;
    uint32_t at; /* XADD: of the id */
};

static bool has_text(struct span argument, const char *text) {
    return argument.len == 1 && *argument.data == *text;
}

/* MAXLEN or MINID with what follows; *at is left on the last argument that was taken. */
static bool trim_option(struct call *call, uint32_t *at, enum stream_trim_kind kind,
                        struct stream_trim *trim) {
    int64_t length;
    if (trim->kind != STREAM_TRIM_NONE) {
        reply_error(
            call->reply,
            "ERR syntax error, MAXLEN and MINID options at the same time are not compatible");
        return false;
    }
    ++*at;
    trim->whole_blocks = *at + 1 < call->argc && has_text(call->argv[*at], "~");
    if (trim->whole_blocks || (*at + 1 < call->argc && has_text(call->argv[*at], "="))) ++*at;
    trim->kind = kind;
    if (kind == STREAM_TRIM_BEFORE) return stream_id_argument(call, *at, &trim->before);
    if (!call_int(call, *at, &length)) return false;
    if (length < 0) {
        reply_error(call->reply, "ERR The MAXLEN argument must be >= 0.");
        return false;
    }
    trim->length = (uint64_t)length;
    return true;
}

static bool limit_option(struct call *call, uint32_t *at, struct add_options *options) {
    int64_t limit;
    if (!call_int(call, ++*at, &limit)) return false;
    if (limit < 0) {
        reply_error(call->reply, "ERR The LIMIT argument must be >= 0.");
        return false;
    }
    options->trim.limit = (uint64_t)limit;
    options->limit_given = true;
    return true;
}

/* How the options go together; the limit that stands when none was given. */
static bool finish_options(struct call *call, bool adding, struct add_options *options) {
    struct stream_trim *trim = &options->trim;
    const char *error = NULL;
    if (trim->limit && trim->kind == STREAM_TRIM_NONE) {
        error = "ERR syntax error, LIMIT cannot be used without specifying a trimming strategy";
    } else if (!adding && trim->kind == STREAM_TRIM_NONE) {
        error = "ERR syntax error, XTRIM must be called with a trimming strategy";
    } else if (options->limit_given && !trim->whole_blocks) {
        error = "ERR syntax error, LIMIT cannot be used without the special ~ option";
    }
    if (error) {
        reply_error(call->reply, error);
        return false;
    }
    if (trim->whole_blocks && !options->limit_given) {
        int64_t entries = call->host->settings->stream_node_max_entries;
        trim->limit = entries <= 0 ? TRIM_LIMIT_DEFAULT
                                   : MIN((uint64_t)entries, TRIM_LIMIT_MAX) * TRIM_BLOCKS_DEFAULT;
        trim->limit = MIN(trim->limit, TRIM_LIMIT_MAX);
    }
    return true;
}

static bool id_option(struct call *call, struct add_options *options) {
    const struct stream_id_form form = {.seq_given = &options->seq_given};
    options->id_given = true;
    if (stream_parse_id(call->argv[options->at], &form, &options->id)) return true;
    reply_error(call->reply, "ERR Invalid stream ID specified as stream command argument");
    return false;
}

static bool parse_options(struct call *call, bool adding, struct add_options *options) {
    uint32_t at = 2;
    *options = (struct add_options){0};
    for (; at < call->argc; at++) {
        bool more = at + 1 < call->argc;
        options->at = at;
        if (adding && has_text(call->argv[at], "*")) break;
        if (more && call_is(call, at, "MAXLEN")) {
            if (!trim_option(call, &at, STREAM_TRIM_LENGTH, &options->trim)) return false;
        } else if (more && call_is(call, at, "MINID")) {
            if (!trim_option(call, &at, STREAM_TRIM_BEFORE, &options->trim)) return false;
        } else if (more && call_is(call, at, "LIMIT")) {
            if (!limit_option(call, &at, options)) return false;
        } else if (adding && call_is(call, at, "NOMKSTREAM")) {
            options->no_create = true;
        } else if (adding) {
            if (!id_option(call, options)) return false;
            break;
        } else {
            call_syntax_error(call);
            return false;
        }
    }
    options->at = at;
    return finish_options(call, adding, options);
}

/* ---- XADD */

static struct stream_limit limit_of(const struct call *call) {
    const struct settings *settings = call->host->settings;
    return (struct stream_limit){.block_bytes = (uint64_t)settings->stream_node_max_bytes,
                                 .block_entries = (uint64_t)settings->stream_node_max_entries};
}

/* The new entry's id, above `last`; false when that cannot be. */
static bool choose_id(const struct add_options *options, struct stream_id last,
                      struct stream_id *id) {
    uint64_t now_ms = (uint64_t)clock_real_ms();
    *id = options->id;
    if (!options->id_given) {
        *id = last;
        if (now_ms <= last.ms) return stream_id_increment(id);
        *id = (struct stream_id){.ms = now_ms};
    } else if (!options->seq_given && options->id.ms == last.ms) {
        if (last.seq == UINT64_MAX) return false;
        id->seq = last.seq + 1;
    }
    return stream_id_less(last, *id);
}

static bool check_add(struct call *call, const struct add_options *options) {
    if (options->at >= call->argc || call->argc - options->at < 3 ||
        (call->argc - options->at) % 2 == 0) {
        reply_error(call->reply, "ERR wrong number of arguments for 'xadd' command");
        return false;
    }
    if (options->id_given && options->seq_given && stream_id_is_zero(options->id)) {
        reply_error(call->reply, "ERR The ID specified in XADD must be greater than 0-0");
        return false;
    }
    return true;
}

/* Puts the entry into `s`. False after the error was written. */
static bool add_entry(struct call *call, const struct add_options *options, struct stream *s,
                      struct stream_id *id) {
    struct stream_limit limit = limit_of(call);
    uint32_t first = options->at + 1;
    int rc;
    if (stream_id_equal(s->last_id, STREAM_ID_MAX)) {
        reply_error(call->reply, "ERR The stream has exhausted the last possible ID, unable to "
                                 "add more items");
        return false;
    }
    if (!choose_id(options, s->last_id, id)) {
        reply_error(call->reply, "ERR The ID specified in XADD is equal or smaller than the "
                                 "target stream top item");
        return false;
    }
    rc = stream_append(s, *id, call->argv + first, (call->argc - first) / 2, &limit);
    if (rc == ERROR_LIMIT) {
        reply_error(call->reply, "ERR Elements are too large to be stored");
    } else if (rc < 0) {
        reply_error(call->reply, ERROR_MEMORY_TEXT);
    }
    return rc == 0;
}

static void add_new(struct stream_edit *edit, const struct add_options *options) {
    struct call *call = edit->call;
    struct stream *s = stream_new();
    struct stream_id id;
    if (!add_entry(call, options, s, &id)) {
        stream_free(s);
        return;
    }
    if (!stream_edit_put_new(edit, s)) return;
    call_event(call, 't', "xadd", call->argv[1]);
    stream_reply_id(call->reply, id);
    if (options->trim.kind != STREAM_TRIM_NONE && stream_trim(s, &options->trim)) { /* one entry */
        stream_edit_account(edit);
        call_event(call, 't', "xtrim", call->argv[1]);
    }
}

void stream_xadd(struct call *call) {
    struct add_options options;
    struct stream_edit edit;
    struct stream_id id;
    if (!parse_options(call, true, &options) || !check_add(call, &options)) return;
    if (!stream_edit_begin(&edit, call, 1)) return;
    if (!edit.entry) {
        if (options.no_create) {
            reply_null(call->reply);
        } else {
            add_new(&edit, &options);
        }
        return;
    }
    if (!add_entry(call, &options, edit.stream, &id)) {
        stream_edit_account(&edit);
        return;
    }
    stream_reply_id(call->reply, id);
    call_event(call, 't', "xadd", call->argv[1]);
    bool trimmed =
        options.trim.kind != STREAM_TRIM_NONE && stream_edit_trim(&edit, &options.trim) > 0;
    stream_edit_tell(&edit, trimmed ? "xtrim" : NULL);
}

/* ---- XTRIM, XDEL */

void stream_xtrim(struct call *call) {
    struct add_options options;
    struct stream_edit edit;
    uint64_t removed = 0;
    if (!parse_options(call, false, &options) || !stream_edit_begin(&edit, call, 1)) return;
    if (edit.entry) removed = stream_edit_trim(&edit, &options.trim);
    if (removed) stream_edit_tell(&edit, "xtrim");
    reply_int(call->reply, (int64_t)removed);
}

void stream_xdel(struct call *call) {
    struct stream_edit edit;
    const struct stream_id *ids;
    int64_t removed = 0;
    if (!stream_edit_begin(&edit, call, 1)) return;
    if (!edit.entry) {
        reply_int(call->reply, 0);
        return;
    }
    ids = stream_id_arguments(call, 2);
    if (!ids) return;
    for (uint32_t i = 0; i < call->argc - 2; i++) removed += stream_delete(edit.stream, ids[i]);
    if (removed) stream_edit_tell(&edit, "xdel");
    reply_int(call->reply, removed);
}

/* ---- XSETID */

struct setid {
    struct stream_id last, max_deleted;
    int64_t entries_added; /* -1: not given */
};

static bool parse_setid(struct call *call, struct setid *set) {
    *set = (struct setid){.entries_added = -1};
    if (!stream_id_argument(call, 2, &set->last)) return false;
    for (uint32_t at = 3; at < call->argc; at += 2) {
        bool more = at + 1 < call->argc;
        if (more && call_is(call, at, "ENTRIESADDED")) {
            if (!call_int(call, at + 1, &set->entries_added)) return false;
            if (set->entries_added < 0) {
                reply_error(call->reply, "ERR entries_added must be positive");
                return false;
            }
        } else if (more && call_is(call, at, "MAXDELETEDID")) {
            if (!stream_id_argument(call, at + 1, &set->max_deleted)) return false;
            if (stream_id_less(set->last, set->max_deleted)) {
                reply_error(call->reply, "ERR The ID specified in XSETID is smaller than the "
                                         "provided max_deleted_entry_id");
                return false;
            }
        } else {
            call_syntax_error(call);
            return false;
        }
    }
    return true;
}

static const char *setid_error(const struct stream *s, const struct setid *set) {
    if (stream_id_less(set->last, s->max_deleted_id))
        return "ERR The ID specified in XSETID is smaller than current max_deleted_entry_id";
    if (s->length == 0) return NULL;
    if (stream_id_less(set->last, stream_last_entry_id(s)))
        return "ERR The ID specified in XSETID is smaller than the target stream top item";
    if (set->entries_added != -1 && s->length > (uint64_t)set->entries_added)
        return "ERR The entries_added specified in XSETID is smaller than the target stream length";
    return NULL;
}

void stream_xsetid(struct call *call) {
    struct stream_edit edit;
    struct setid set;
    const char *error;
    if (!parse_setid(call, &set) || !stream_edit_begin(&edit, call, 1)) return;
    error = edit.entry ? setid_error(edit.stream, &set) : ERROR_NO_KEY_TEXT;
    if (error) {
        reply_error(call->reply, error);
        return;
    }
    edit.stream->last_id = set.last;
    if (set.entries_added != -1) edit.stream->entries_added = (uint64_t)set.entries_added;
    if (!stream_id_is_zero(set.max_deleted)) edit.stream->max_deleted_id = set.max_deleted;
    stream_edit_tell(&edit, "xsetid");
    reply_ok(call->reply);
}
