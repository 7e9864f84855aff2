/* Several strings in one request. The keys' memory is asked for side by side. Hot path: string_mget, string_mset. */
#include <limits.h>

#include "commands/set_options.h"
#include "commands/string.h"

void string_mget(struct call *call) {
    uint32_t count = call->argc - 1;
    const uint64_t *hashes = call_prefetch_keys(call, 1, count, 1);
    reply_array(call->reply, count);
    for (uint32_t i = 0; i < count; i++) {
        call_prefetch_ahead(call, hashes, count, i);
        const struct entry *e = call_look(call, 1 + i, hashes[i], 0);
        if (LIKELY(e != NULL) && LIKELY(entry_type(e) == ENTRY_STRING)) {
            string_reply(call->reply, e);
        } else {
            reply_null(call->reply);
        }
    }
}

/* ---- MSET and its like: pairs from argument `first` on */

struct pairs {
    uint32_t first, count;
    const uint64_t *hashes;
    int64_t deadline_ms;
    bool expires;
};

static struct pairs prepare_pairs(struct call *call, uint32_t first, uint32_t count) {
    return (struct pairs){.first = first,
                          .count = count,
                          .hashes = call_prefetch_keys(call, first, count, 2),
                          .deadline_ms = ENTRY_NO_DEADLINE};
}

/* Are all keys there (or, with `exists` false, is none)? */
static bool all_keys(struct call *call, const struct pairs *pairs, bool exists) {
    for (uint32_t i = 0; i < pairs->count; i++) {
        struct span key = call->argv[pairs->first + i * 2];
        call_prefetch_ahead(call, pairs->hashes, pairs->count, i);
        if ((db_find_for_write(call->db, key, pairs->hashes[i]) != NULL) != exists) return false;
    }
    return true;
}

/* False after the error was written: memory ran out, and the pairs before stay written. */
static bool write_pairs(struct call *call, const struct pairs *pairs) {
    for (uint32_t i = 0; i < pairs->count; i++) {
        uint32_t at = pairs->first + i * 2;
        struct span key = call->argv[at];
        call_prefetch_ahead(call, pairs->hashes, pairs->count, i);
        struct blob *blob = string_take_blob(call, at + 1);
        if (!db_set_string(call->db, key, pairs->hashes[i], call->argv[at + 1], blob,
                           pairs->deadline_ms)) {
            reply_error(call->reply, ERROR_MEMORY_TEXT);
            return false;
        }
        call_event(call, '$', "set", key);
        if (pairs->expires) call_event(call, 'g', "expire", key);
    }
    return true;
}

static bool check_pairs(struct call *call) {
    if (call->argc % 2) return true;
    reply_errorf(call->reply, "ERR wrong number of arguments for '%s' command",
                 call->command->name);
    return false;
}

void string_mset(struct call *call) {
    if (!check_pairs(call)) return;
    struct pairs pairs = prepare_pairs(call, 1, call->argc / 2);
    if (write_pairs(call, &pairs)) reply_ok(call->reply);
}

void string_msetnx(struct call *call) {
    if (!check_pairs(call)) return;
    struct pairs pairs = prepare_pairs(call, 1, call->argc / 2);
    if (!all_keys(call, &pairs, false)) {
        reply_int(call->reply, 0);
    } else if (write_pairs(call, &pairs)) {
        reply_int(call->reply, 1);
    }
}

void string_msetex(struct call *call) {
    static const char *const count_error = "ERR invalid numkeys value or out of range";
    struct set_options options;
    int64_t count;
    if (!call_int_range(call, 1, 1, INT_MAX, count_error, &count)) return;
    if (count > (int64_t)(call->argc - 2) / 2) {
        call_syntax_error(call);
        return;
    }
    uint32_t allowed = SET_NX | SET_XX | SET_KEEPTTL | SET_EXPIRATION;
    if (!set_options_parse(call, 2 + 2 * (uint32_t)count, allowed, &options)) return;
    struct pairs pairs = prepare_pairs(call, 2, (uint32_t)count);
    pairs.deadline_ms = options.deadline_ms;
    pairs.expires = options.flags & SET_EXPIRATION;
    bool conditional = options.flags & (SET_NX | SET_XX);
    if (conditional && !all_keys(call, &pairs, options.flags & SET_XX)) {
        reply_int(call->reply, 0);
    } else if (write_pairs(call, &pairs)) {
        reply_int(call->reply, 1);
    }
}
