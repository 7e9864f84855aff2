/* What handlers share: parse-or-reply, look-ups, scratch memory, HELP. */
#include "commands/command.h"

#include <stdio.h>

#include "base/check.h"
#include "base/hash.h"
#include "commands/host.h"
#include "resp/window.h"

/* ---- arguments */

bool call_int(struct call *call, uint32_t at, int64_t *out) {
    if (num_parse_int(call->argv[at], out)) return true;
    reply_error(call->reply, ERROR_NOT_INT_TEXT);
    return false;
}

bool call_int_range(struct call *call, uint32_t at, int64_t low, int64_t high, const char *error,
                    int64_t *out) {
    if (!num_parse_int(call->argv[at], out)) {
        reply_error(call->reply, error ? error : ERROR_NOT_INT_TEXT);
        return false;
    }
    if (*out >= low && *out <= high) return true;
    if (error) {
        reply_error(call->reply, error);
    } else {
        reply_errorf(call->reply, "ERR value is out of range, value must between %lld and %lld",
                     (long long)low, (long long)high);
    }
    return false;
}

bool call_double(struct call *call, uint32_t at, double *out) {
    if (num_parse_double(call->argv[at], out)) return true;
    reply_error(call->reply, ERROR_NOT_FLOAT_TEXT);
    return false;
}

bool call_is(const struct call *call, uint32_t at, const char *word) {
    return at < call->argc && span_is(call->argv[at], word);
}

/* ---- keys */

uint64_t call_hash(const struct call *call, uint32_t at) {
    if (at == 1 && call->command->keys[0].index == 1) return call->key_hash;
    return hash_bytes(call->argv[at].data, call->argv[at].len);
}

static unsigned look_flags(const struct call *call) {
    return call->session->flags & SESSION_NO_TOUCH ? DB_LOOK_NO_TOUCH : 0;
}

struct entry *call_look(struct call *call, uint32_t at, uint64_t hash, unsigned flags) {
    struct entry *e = db_find(call->db, call->argv[at], hash, flags | look_flags(call));
    if (!e) call_event(call, 'm', "keymiss", call->argv[at]);
    return e;
}

struct entry *call_find(struct call *call, uint32_t at) {
    return call_look(call, at, call_hash(call, at), 0);
}

struct entry *call_find_for_write(struct call *call, uint32_t at) {
    return db_find_for_write(call->db, call->argv[at], call_hash(call, at));
}

bool call_check_type(struct call *call, const struct entry *e, enum entry_type type) {
    if (!e || entry_type(e) == type) return true;
    reply_error(call->reply, ERROR_WRONG_TYPE_TEXT);
    return false;
}

/* Two passes, as the turn does it: the second finds the buckets that the first has asked for. */
const uint64_t *call_prefetch_keys(struct call *call, uint32_t first, uint32_t count,
                                   uint32_t step) {
    uint64_t *hashes = call_scratch(call, count * sizeof *hashes);
    for (uint32_t i = 0; i < count; i++) {
        struct span key = call->argv[first + i * step];
        hashes[i] = hash_bytes(key.data, key.len);
        if (i < 2 * CALL_PREFETCH_AHEAD) db_prefetch_bucket(call->db, hashes[i]);
    }
    for (uint32_t i = 0; i < count && i < CALL_PREFETCH_AHEAD; i++) {
        db_prefetch_entry(call->db, hashes[i]);
    }
    return hashes;
}

void *call_scratch(struct call *call, size_t bytes) {
    return window_memory_alloc(call->host->window, bytes);
}

void call_event(struct call *call, char event_class, const char *event, struct span key) {
    db_event(call->db, event_class, event, key);
}

/* ---- errors and HELP */

void call_syntax_error(struct call *call) {
    reply_error(call->reply, ERROR_SYNTAX_TEXT);
}

void call_upper_name(struct span name, char *out, size_t size) {
    size_t len = MIN(name.len, size - 1);
    for (size_t i = 0; i < len; i++) {
        char c = name.data[i];
        out[i] = c >= 'a' && c <= 'z' ? (char)(c - 32) : c;
    }
    out[len] = 0;
}

void call_subcommand_error(struct call *call) {
    char name[64];
    call_upper_name(call->argv[0], name, sizeof name);
    struct span sub = call->argc > 1 ? call->argv[1] : SPAN("");
    reply_errorf(call->reply,
                 "ERR unknown subcommand or wrong number of arguments for '%.*s'. Try %s HELP.",
                 (int)MIN(sub.len, (size_t)128), sub.data, name);
}

void call_help(struct call *call, const char *const *lines) {
    char name[64];
    uint32_t count = 0;
    call_upper_name(call->argv[0], name, sizeof name);
    while (lines[count]) count++;
    reply_array(call->reply, count + 3);
    char head[160];
    snprintf(head, sizeof head,
             "%s <subcommand> [<arg> [value] [opt] ...]. Subcommands are:", name);
    reply_status(call->reply, head);
    for (uint32_t i = 0; i < count; i++) reply_status(call->reply, lines[i]);
    reply_status(call->reply, "HELP");
    reply_status(call->reply, "    Print this help.");
}
