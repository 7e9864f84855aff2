/* HyperLogLog over strings. Dense values are changed where they lie, and only when a register grows. Sparse ones, of a few KiB at
 * most, are changed in a draft, so that a corrupted value or one without memory stays as it was. Hot path: PFADD. */
#include "commands/hyperloglog.h"

#include <errno.h>

#include "commands/host.h"

bool hyperloglog_check(struct call *call, const struct entry *e) {
    if (!call_check_type(call, e, ENTRY_STRING)) return false;
    if (!e || hll_is_valid(entry_string(e))) return true;
    reply_error(call->reply, "WRONGTYPE Key is not a valid HyperLogLog string value.");
    return false;
}

void hyperloglog_corrupted(struct call *call) {
    reply_error(call->reply, "INVALIDOBJ Corrupted HLL object detected");
}

bool hyperloglog_draft(struct call *call, const struct entry *e, size_t count,
                       struct hll_draft *draft) {
    struct span bytes = e ? entry_string(e) : SPAN("");
    if (bytes.len > HLL_SPARSE_BYTES_MAX) {
        hyperloglog_corrupted(call);
        return false;
    }
    hll_draft_init(draft, call_scratch(call, hll_draft_room(bytes, count)), bytes,
                   (size_t)call->host->settings->hll_sparse_max_bytes);
    return true;
}

bool hyperloglog_put(struct call *call, uint32_t at, struct entry **e,
                     const struct hll_draft *draft) {
    struct span key = call->argv[at];
    uint64_t hash = call_hash(call, at);
    bool made = !*e;
    char *data = NULL;
    if (made) *e = db_put_string(call->db, NULL, key, hash, SPAN(""), NULL, ENTRY_NO_DEADLINE);
    if (*e) data = db_edit_string(call->db, e, hash, draft->len);
    if (data) {
        memcpy(data, draft->bytes, draft->len);
        return true;
    }
    if (made && *e) db_remove(call->db, *e, hash, false);
    reply_error(call->reply, ERROR_MEMORY_TEXT);
    return false;
}

/* ---- PFADD: 1 changed, 0 not, negative: answered */

static int add_dense(struct call *call, struct entry *e) {
    char *data = NULL;
    for (uint32_t i = 2; i < call->argc; i++) {
        struct hll_place place = hll_place_of(call->argv[i]);
        if (hll_register(entry_string(e), place.index) >= place.value) continue;
        if (!data) data = db_edit_string(call->db, &e, call->key_hash, HLL_DENSE_BYTES);
        if (!data) {
            reply_error(call->reply, ERROR_MEMORY_TEXT);
            return -ENOMEM;
        }
        hll_set_register(data, place);
    }
    if (data) hll_forget_cached(data);
    return data != NULL;
}

static int add_sparse(struct call *call, struct entry *e) {
    struct hll_draft draft;
    bool changed = !e;
    if (!hyperloglog_draft(call, e, call->argc - 2, &draft)) return -EINVAL;
    for (uint32_t i = 2; i < call->argc; i++) {
        int rc = hll_draft_add(&draft, call->argv[i]);
        if (rc < 0) {
            hyperloglog_corrupted(call);
            return rc;
        }
        changed |= rc > 0;
    }
    if (!e) hll_forget_cached(draft.bytes);
    if (!changed) return 0;
    return hyperloglog_put(call, 1, &e, &draft) ? 1 : -ENOMEM;
}

static void pfadd(struct call *call) {
    struct entry *e = call_find_for_write(call, 1);
    if (!hyperloglog_check(call, e)) return;
    int changed = e && hll_is_dense(entry_string(e)) ? add_dense(call, e) : add_sparse(call, e);
    if (changed < 0) return;
    if (changed) call_event(call, '$', "pfadd", call->argv[1]);
    reply_int(call->reply, changed);
}

/* ---- several keys into one set of registers */

/* False: answered. *dense: one of them is. */
static bool merge_keys(struct call *call, uint8_t *registers, bool *dense) {
    uint32_t count = call->argc - 1;
    const uint64_t *hashes = call_prefetch_keys(call, 1, count, 1);
    memset(registers, 0, HLL_REGISTER_COUNT);
    for (uint32_t i = 0; i < count; i++) {
        call_prefetch_ahead(call, hashes, count, i);
        struct entry *e = call_look(call, 1 + i, hashes[i], 0);
        if (!e) continue;
        if (!hyperloglog_check(call, e)) return false;
        if (hll_is_dense(entry_string(e))) *dense = true;
        if (hll_merge(registers, entry_string(e)) < 0) {
            hyperloglog_corrupted(call);
            return false;
        }
    }
    return true;
}

/* The estimate is kept in the value. That is a change of it; without memory for one it is not kept. */
static void count_one(struct call *call) {
    struct entry *e = call_find(call, 1);
    uint64_t count = 0;
    if (!hyperloglog_check(call, e)) return;
    if (e && !hll_cached(entry_string(e), &count)) {
        if (hll_count(entry_string(e), &count) < 0) {
            hyperloglog_corrupted(call);
            return;
        }
        char *data = db_edit_string(call->db, &e, call->key_hash, entry_string(e).len);
        if (data) hll_set_cached(data, count);
    }
    reply_int(call->reply, (int64_t)count);
}

static void pfcount(struct call *call) {
    uint8_t registers[HLL_REGISTER_COUNT];
    bool dense = false;
    if (call->argc == 2) {
        count_one(call);
    } else if (merge_keys(call, registers, &dense)) {
        reply_int(call->reply, (int64_t)hll_count_registers(registers));
    }
}

static int raise_draft(struct hll_draft *draft, const uint8_t *registers, bool dense) {
    if (!dense) return hll_draft_raise_all(draft, registers);
    int rc = hll_draft_make_dense(draft);
    if (rc == 0) hll_put_dense(draft->bytes, registers); /* the target's own are among them */
    return rc;
}

/* False: answered. */
static bool store_draft(struct call *call, struct entry *e, const uint8_t *registers, bool dense) {
    struct hll_draft draft;
    if (!hyperloglog_draft(call, e, HLL_REGISTER_COUNT, &draft)) return false;
    if (raise_draft(&draft, registers, dense) < 0) {
        hyperloglog_corrupted(call);
        return false;
    }
    hll_forget_cached(draft.bytes);
    return hyperloglog_put(call, 1, &e, &draft);
}

/* Where it lies: the registers hold its own. False: answered. */
static bool store_dense(struct call *call, struct entry *e, const uint8_t *registers) {
    char *data = db_edit_string(call->db, &e, call_hash(call, 1), HLL_DENSE_BYTES);
    if (!data) {
        reply_error(call->reply, ERROR_MEMORY_TEXT);
        return false;
    }
    hll_put_dense(data, registers);
    hll_forget_cached(data);
    return true;
}

static void pfmerge(struct call *call) {
    uint8_t registers[HLL_REGISTER_COUNT];
    bool dense = false;
    if (!merge_keys(call, registers, &dense)) return;
    struct entry *e = call_find_for_write(call, 1);
    bool stored = e && hll_is_dense(entry_string(e)) ? store_dense(call, e, registers)
                                                     : store_draft(call, e, registers, dense);
    if (!stored) return;
    call_event(call, '$', "pfadd", call->argv[1]);
    reply_ok(call->reply);
}

const struct command commands_hyperloglog[] = {
    {.name = "pfadd",
     .run = pfadd,
     .arity = -2,
     .group = GROUP_HYPERLOGLOG,
     .flags = COMMAND_WRITE | COMMAND_DENYOOM | COMMAND_FAST,
     .categories = CATEGORY_HYPERLOGLOG,
     .keys = {KEY_ONE(KEY_RW | KEY_INSERT)},
     .since = "2.8.9",
     .summary = "Adds elements to a HyperLogLog key. Creates the key if it doesn't exist.",
     .complexity = "O(1) to add every element.",
     .arguments = "key:key [element:string...]"},
    {.name = "pfcount",
     .run = pfcount,
     .arity = -2,
     .group = GROUP_HYPERLOGLOG,
     .flags = COMMAND_READONLY | COMMAND_MAY_REPLICATE,
     .categories = CATEGORY_HYPERLOGLOG,
     .keys = {KEY_ALL(KEY_RW | KEY_ACCESS)},
     .since = "2.8.9",
     .summary = "Returns the approximated cardinality of the set(s) observed by the HyperLogLog "
                "key(s).",
     .complexity =
         "O(1) with a very small average constant time when called with a single key. O(N) with "
         "N being the number of keys, and much bigger constant times, when called with multiple "
         "keys.",
     .arguments = "key:key..."},
    {.name = "pfdebug",
     .run = hyperloglog_debug,
     .arity = 3,
     .group = GROUP_HYPERLOGLOG,
     .flags = COMMAND_WRITE | COMMAND_DENYOOM | COMMAND_ADMIN | COMMAND_SYSTEM,
     .categories = CATEGORY_HYPERLOGLOG,
     .keys = {KEY_AT(2, KEY_RW | KEY_ACCESS)},
     .since = "2.8.9",
     .summary = "Internal commands for debugging HyperLogLog values.",
     .complexity = "N/A",
     .arguments = "subcommand:string key:key"},
    {.name = "pfmerge",
     .run = pfmerge,
     .arity = -2,
     .group = GROUP_HYPERLOGLOG,
     .flags = COMMAND_WRITE | COMMAND_DENYOOM,
     .categories = CATEGORY_HYPERLOGLOG,
     .keys = {KEY_ONE(KEY_RW | KEY_ACCESS | KEY_INSERT),
              {.flags = KEY_RO | KEY_ACCESS, .index = 2, .last_key = -1, .step = 1}},
     .since = "2.8.9",
     .summary = "Merges one or more HyperLogLog values into a single key.",
     .complexity = "O(N) to merge N HyperLogLogs, but with high constant times.",
     .arguments = "destkey:key [sourcekey:key...]"},
    {.name = "pfselftest",
     .run = hyperloglog_self_test,
     .arity = 1,
     .group = GROUP_HYPERLOGLOG,
     .flags = COMMAND_ADMIN | COMMAND_SYSTEM,
     .categories = CATEGORY_HYPERLOGLOG,
     .since = "2.8.9",
     .summary = "An internal command for testing HyperLogLog values.",
     .complexity = "N/A"},
    {.name = NULL},
};
