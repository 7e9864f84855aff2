/* LCS. The work is bounded as in Redis, by the memory that a whole table of lengths would take. */
#include "base/alloc.h"
#include "commands/host.h"
#include "commands/lcs_table.h"
#include "commands/string.h"

struct lcs_options {
    bool len, idx, with_match_len;
    int64_t match_len_min;
};

static bool parse_options(struct call *call, struct lcs_options *options) {
    *options = (struct lcs_options){0};
    for (uint32_t i = 3; i < call->argc; i++) {
        if (call_is(call, i, "idx")) {
            options->idx = true;
        } else if (call_is(call, i, "len")) {
            options->len = true;
        } else if (call_is(call, i, "withmatchlen")) {
            options->with_match_len = true;
        } else if (call_is(call, i, "minmatchlen") && i + 1 < call->argc) {
            if (!call_int(call, ++i, &options->match_len_min)) return false;
        } else {
            call_syntax_error(call);
            return false;
        }
    }
    if (!options->len || !options->idx) return true;
    reply_error(call->reply, "ERR If you want both the length and indexes, please just use IDX.");
    return false;
}

/* The two strings, empty when absent. */
static bool find_strings(struct call *call, struct span *strings) {
    for (uint32_t i = 0; i < 2; i++) {
        const struct entry *e = call_find(call, 1 + i);
        if (e && entry_type(e) != ENTRY_STRING) {
            reply_error(call->reply, "ERR The specified keys must contain string values");
            return false;
        }
        strings[i] = e ? entry_string(e) : SPAN("");
    }
    return true;
}

static bool check_sizes(struct call *call, struct span a, struct span b) {
    if (a.len >= UINT32_MAX - 1 || b.len >= UINT32_MAX - 1) {
        reply_error(call->reply, "ERR String too long for LCS");
        return false;
    }
    uint64_t cells = ((uint64_t)a.len + 1) * ((uint64_t)b.len + 1);
    if (cells <= (uint64_t)call->host->settings->proto_max_bulk_bytes / sizeof(uint32_t)) {
        return true;
    }
    reply_error(call->reply,
                "ERR Insufficient memory, transient memory for LCS exceeds proto-max-bulk-len");
    return false;
}

static void reply_range(struct reply *reply, size_t first, size_t len) {
    reply_array(reply, 2);
    reply_int(reply, (int64_t)first);
    reply_int(reply, (int64_t)(first + len - 1));
}

static void reply_runs(struct call *call, struct lcs_table *t, const struct lcs_options *options) {
    struct reply *reply = call->reply;
    struct lcs_run run;
    uint64_t count = 0;
    reply_map(reply, 2);
    reply_bulk_text(reply, "matches");
    struct chunk *mark = reply_mark(reply);
    while (lcs_table_next(t, &run)) {
        if ((int64_t)run.len < options->match_len_min) continue;
        reply_array(reply, options->with_match_len ? 3 : 2);
        reply_range(reply, run.a_first, run.len);
        reply_range(reply, run.b_first, run.len);
        if (options->with_match_len) reply_int(reply, (int64_t)run.len);
        count++;
    }
    reply_fill_array(reply, mark, count);
    reply_bulk_text(reply, "len");
    reply_int(reply, t->len);
}

static void reply_subsequence(struct call *call, struct lcs_table *t) {
    struct lcs_run run;
    size_t at = t->len;
    struct blob *blob = blob_try_new(t->len);
    if (!blob) {
        reply_error(call->reply, ERROR_MEMORY_TEXT);
        return;
    }
    blob->len = t->len;
    while (lcs_table_next(t, &run)) {
        at -= run.len;
        memcpy(blob->data + at, t->a.data + run.a_first, run.len);
    }
    reply_bulk_blob(call->reply, blob);
    blob_unref(blob);
}

void string_lcs(struct call *call) {
    struct lcs_options options;
    struct lcs_table table;
    struct span strings[2];
    if (!find_strings(call, strings) || !parse_options(call, &options)) return;
    if (!check_sizes(call, strings[0], strings[1])) return;
    if (lcs_table_init(&table, strings[0], strings[1]) < 0) {
        reply_error(call->reply,
                    "ERR Insufficient memory, failed allocating transient memory for LCS");
        return;
    }
    if (options.idx) {
        reply_runs(call, &table, &options);
    } else if (options.len) {
        reply_int(call->reply, table.len);
    } else {
        reply_subsequence(call, &table);
    }
    lcs_table_release(&table);
}
