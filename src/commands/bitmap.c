/* Bits of strings. Hot path: SETBIT and GETBIT, one look-up. */
#include "commands/bitmap.h"

#include "commands/host.h"
#include "types/bits.h"

#define BIT_OFFSET_TEXT "ERR bit offset is not an integer or out of range"
#define BIT_VALUE_TEXT "ERR bit is not an integer or out of range"

bool bitmap_offset(struct call *call, uint32_t at, unsigned width, uint64_t *out) {
    struct span text = call->argv[at];
    int64_t offset, unit = 1;
    if (width && text.len && text.data[0] == '#') {
        text = span_make(text.data + 1, text.len - 1);
        unit = width;
    }
    if (!num_parse_int(text, &offset) || __builtin_mul_overflow(offset, unit, &offset) ||
        offset < 0 || offset >> 3 >= call->host->settings->proto_max_bulk_bytes) {
        reply_error(call->reply, BIT_OFFSET_TEXT);
        return false;
    }
    *out = (uint64_t)offset;
    return true;
}

char *bitmap_edit(struct call *call, struct entry **e, size_t len) {
    bool made = !*e;
    char *data = NULL;
    if (made) {
        *e = db_put_string(call->db, NULL, call->argv[1], call->key_hash, SPAN(""), NULL,
                           ENTRY_NO_DEADLINE);
    }
    if (*e) {
        data = db_edit_string(call->db, e, call->key_hash, MAX(len, entry_string(*e).len));
    }
    if (data) return data;
    if (made && *e) db_remove(call->db, *e, call->key_hash, false);
    reply_error(call->reply, ERROR_MEMORY_TEXT);
    return NULL;
}

/* ---- one bit */

static void setbit(struct call *call) {
    uint64_t at;
    int64_t bit;
    if (!bitmap_offset(call, 2, 0, &at)) return;
    if (!call_int_range(call, 3, 0, 1, BIT_VALUE_TEXT, &bit)) return;
    struct entry *e = call_find_for_write(call, 1);
    if (!call_check_type(call, e, ENTRY_STRING)) return;
    struct span value = e ? entry_string(e) : SPAN("");
    bool old = bits_get(value, at);
    if (at >> 3 < value.len && old == bit) {
        entry_set_raw(e);
    } else {
        char *data = bitmap_edit(call, &e, (size_t)(at >> 3) + 1);
        if (!data) return;
        bits_set(data, at, bit);
        call_event(call, '$', "setbit", call->argv[1]);
    }
    reply_int(call->reply, old);
}

static void getbit(struct call *call) {
    uint64_t at;
    if (!bitmap_offset(call, 2, 0, &at)) return;
    struct entry *e = call_find(call, 1);
    if (!call_check_type(call, e, ENTRY_STRING)) return;
    reply_int(call->reply, e && bits_get(entry_string(e), at));
}

/* ---- ranges */

/* [start [end [BYTE | BIT]]], from argument `at` on. */
struct range {
    int64_t start, end;
    bool in_bits, has_end;
};

static bool parse_range(struct call *call, uint32_t at, struct range *out) {
    *out = (struct range){.end = -1};
    if (call->argc > at + 3) {
        call_syntax_error(call);
        return false;
    }
    if (call->argc > at && !call_int(call, at, &out->start)) return false;
    if (call->argc == at + 3) {
        out->in_bits = call_is(call, at + 2, "bit");
        if (!out->in_bits && !call_is(call, at + 2, "byte")) {
            call_syntax_error(call);
            return false;
        }
    }
    out->has_end = call->argc > at + 1;
    return !out->has_end || call_int(call, at + 1, &out->end);
}

/* The bits that the range names in a value: first..last, both included; false: none. */
static bool range_in_bits(const struct range *range, size_t len, uint64_t *first, uint64_t *last) {
    int64_t total = (int64_t)(range->in_bits ? len * 8 : len), start = range->start,
            end = range->end;
    if (start < 0) start = MAX(start + total, 0);
    if (end < 0) end = MAX(end + total, 0);
    if (end >= total) end = total - 1;
    if (start > end) return false;
    *first = (uint64_t)(range->in_bits ? start : start * 8);
    *last = (uint64_t)(range->in_bits ? end : end * 8 + 7);
    return true;
}

static void bitcount(struct call *call) {
    struct range range;
    uint64_t first, last, count = 0;
    if (!parse_range(call, 2, &range)) return;
    struct entry *e = call_find(call, 1);
    if (!call_check_type(call, e, ENTRY_STRING)) return;
    /* what ends before it begins counts nothing, although both may lie before the value's first byte */
    bool backwards = range.start < 0 && range.end < 0 && range.start > range.end;
    if (e && !backwards && range_in_bits(&range, entry_string(e).len, &first, &last)) {
        count = bits_count_range(entry_string(e), first, last);
    }
    reply_int(call->reply, (int64_t)count);
}

/* Without an end, a value goes on with zeros; with one, it does not. */
static int64_t find_bit(struct span value, const struct range *range, bool bit) {
    uint64_t first, last, found;
    if (!range_in_bits(range, value.len, &first, &last)) return -1;
    found = bits_find(value, first, last, bit);
    if (found != BITS_NOT_FOUND) return (int64_t)found;
    return bit || range->has_end ? -1 : (int64_t)last + 1;
}

static void bitpos(struct call *call) {
    struct range range;
    int64_t bit;
    if (!call_int(call, 2, &bit)) return;
    if (bit != 0 && bit != 1) {
        reply_error(call->reply, "ERR The bit argument must be 1 or 0.");
        return;
    }
    if (!parse_range(call, 3, &range)) return;
    struct entry *e = call_find(call, 1);
    if (!call_check_type(call, e, ENTRY_STRING)) return;
    if (e) {
        reply_int(call->reply, find_bit(entry_string(e), &range, bit));
    } else {
        reply_int(call->reply, bit ? -1 : 0);
    }
}

/* ---- BITOP */

static const struct operation {
    const char *name; /* as in error texts */
    enum bits_op op;
    uint32_t sources_min;
} operations[] = {
    {"AND", BITS_AND, 1},     {"OR", BITS_OR, 1},     {"XOR", BITS_XOR, 1},
    {"NOT", BITS_NOT, 1},     {"DIFF", BITS_DIFF, 2}, {"DIFF1", BITS_DIFF1, 2},
    {"ANDOR", BITS_ANDOR, 2}, {"ONE", BITS_ONE, 1},
};

/* NULL after the error was written. */
static const struct operation *parse_operation(struct call *call) {
    uint32_t source_count = call->argc - 3;
    const struct operation *found = NULL;
    for (size_t i = 0; i < ARRAY_LENGTH(operations) && !found; i++) {
        if (span_is(call->argv[1], operations[i].name)) found = &operations[i];
    }
    if (!found) {
        call_syntax_error(call);
    } else if (found->op == BITS_NOT && source_count != 1) {
        reply_error(call->reply, "ERR BITOP NOT must be called with a single source key.");
        found = NULL;
    } else if (source_count < found->sources_min) {
        reply_errorf(call->reply, "ERR BITOP %s must be called with at least two source keys.",
                     found->name);
        found = NULL;
    }
    return found;
}

/* The values of all source keys and the longest one's length; NULL after the error was written. */
static const struct span *find_sources(struct call *call, uint32_t count, size_t *len) {
    struct span *sources = call_scratch(call, count * sizeof *sources);
    const uint64_t *hashes = call_prefetch_keys(call, 3, count, 1);
    *len = 0;
    for (uint32_t i = 0; i < count; i++) {
        call_prefetch_ahead(call, hashes, count, i);
        struct entry *e = call_look(call, 3 + i, hashes[i], 0);
        if (!call_check_type(call, e, ENTRY_STRING)) return NULL;
        sources[i] = e ? entry_string(e) : span_make(NULL, 0);
        *len = MAX(*len, sources[i].len);
    }
    return sources;
}

static void remove_target(struct call *call, uint64_t hash) {
    struct span key = call->argv[2];
    struct entry *e = db_find_for_write(call->db, key, hash);
    if (!e) return;
    db_remove(call->db, e, hash, call->host->settings->lazyfree_lazy_server_del);
    call_event(call, 'g', "del", key);
}

/* Combines into the old value's bytes, where they will do: a source among them stays readable to the end. */
static bool rewrite_target(struct call *call, uint64_t hash, enum bits_op op,
                           const struct span *sources, size_t len) {
    struct entry *e = db_find_for_write(call->db, call->argv[2], hash);
    char *out = db_rewrite_string(call->db, e, hash, len);
    if (!out) return false;
    bits_combine(op, sources, call->argc - 3, out, len);
    entry_set_raw(e);
    return true;
}

/* Combines beside the old value, which may be a source, and puts it in its place. */
static bool put_target(struct call *call, uint64_t hash, enum bits_op op,
                       const struct span *sources, size_t len) {
    char inline_bytes[ENTRY_INLINE_BYTES_MAX];
    struct blob *blob = len > sizeof inline_bytes ? blob_try_new(len) : NULL;
    struct entry *e = NULL;
    if (blob || len <= sizeof inline_bytes) {
        char *out = blob ? blob->data : inline_bytes;
        bits_combine(op, sources, call->argc - 3, out, len);
        if (blob) blob->len = len;
        e = db_set_string(call->db, call->argv[2], hash, span_make(out, len), blob,
                          ENTRY_NO_DEADLINE);
    }
    if (!e) return false;
    entry_set_raw(e);
    return true;
}

static void store_target(struct call *call, uint64_t hash, enum bits_op op,
                         const struct span *sources, size_t len) {
    if (!rewrite_target(call, hash, op, sources, len) &&
        !put_target(call, hash, op, sources, len)) {
        reply_error(call->reply, ERROR_MEMORY_TEXT);
        return;
    }
    call_event(call, '$', "set", call->argv[2]);
    reply_int(call->reply, (int64_t)len);
}

static void bitop(struct call *call) {
    size_t len;
    const struct operation *operation = parse_operation(call);
    if (!operation) return;
    const struct span *sources = find_sources(call, call->argc - 3, &len);
    if (!sources) return;
    uint64_t hash = call_hash(call, 2);
    if (len > 0) {
        store_target(call, hash, operation->op, sources, len);
    } else {
        remove_target(call, hash);
        reply_int(call->reply, 0);
    }
}

#define RANGE_ARGUMENTS \
    "[range:(start:integer [end-unit-block:(end:integer [unit:(BYTE | BIT)@7.0.0])])]"

const struct command commands_bitmap[] = {
    {.name = "bitcount",
     .run = bitcount,
     .arity = -2,
     .group = GROUP_BITMAP,
     .flags = COMMAND_READONLY,
     .categories = CATEGORY_BITMAP,
     .keys = {KEY_ONE(KEY_RO | KEY_ACCESS)},
     .since = "2.6.0",
     .summary = "Counts the number of set bits (population counting) in a string.",
     .complexity = "O(N)",
     .arguments = "key:key " RANGE_ARGUMENTS},
    {.name = "bitfield",
     .run = bitfield_run,
     .arity = -2,
     .group = GROUP_BITMAP,
     .flags = COMMAND_WRITE | COMMAND_DENYOOM,
     .categories = CATEGORY_BITMAP,
     .keys = {KEY_ONE(KEY_RW | KEY_ACCESS | KEY_UPDATE | KEY_VARIABLE_FLAGS)},
     .find_keys = bitfield_find_keys,
     .since = "3.2.0",
     .summary = "Performs arbitrary bitfield integer operations on strings.",
     .complexity = "O(1) for each subcommand specified",
     .arguments = "key:key [operation:(GET get-block:(encoding:string offset:integer) | "
                  "write:([OVERFLOW overflow-block:(WRAP | SAT | FAIL)] write-operation:(SET "
                  "set-block:(encoding:string offset:integer value:integer) | INCRBY "
                  "incrby-block:(encoding:string offset:integer increment:integer))))...]"},
    {.name = "bitfield_ro",
     .run = bitfield_run_readonly,
     .arity = -2,
     .group = GROUP_BITMAP,
     .flags = COMMAND_READONLY | COMMAND_FAST,
     .categories = CATEGORY_BITMAP,
     .keys = {KEY_ONE(KEY_RO | KEY_ACCESS)},
     .since = "6.0.0",
     .summary = "Performs arbitrary read-only bitfield integer operations on strings.",
     .complexity = "O(1) for each subcommand specified",
     .arguments = "key:key [GET... get-block:(encoding:string offset:integer)]"},
    {.name = "bitop",
     .run = bitop,
     .arity = -4,
     .group = GROUP_BITMAP,
     .flags = COMMAND_WRITE | COMMAND_DENYOOM,
     .categories = CATEGORY_BITMAP,
     .keys = {KEY_AT(2, KEY_OW | KEY_UPDATE),
              {.flags = KEY_RO | KEY_ACCESS, .index = 3, .last_key = -1, .step = 1}},
     .since = "2.6.0",
     .summary = "Performs bitwise operations on multiple strings, and stores the result.",
     .complexity = "O(N)",
     .arguments = "operation:(AND | OR | XOR | NOT | DIFF@8.2.0 | DIFF1@8.2.0 | ANDOR@8.2.0 | "
                  "ONE@8.2.0) destkey:key key:key..."},
    {.name = "bitpos",
     .run = bitpos,
     .arity = -3,
     .group = GROUP_BITMAP,
     .flags = COMMAND_READONLY,
     .categories = CATEGORY_BITMAP,
     .keys = {KEY_ONE(KEY_RO | KEY_ACCESS)},
     .since = "2.8.7",
     .summary = "Finds the first set (1) or clear (0) bit in a string.",
     .complexity = "O(N)",
     .arguments = "key:key bit:integer " RANGE_ARGUMENTS},
    {.name = "getbit",
     .run = getbit,
     .arity = 3,
     .group = GROUP_BITMAP,
     .flags = COMMAND_READONLY | COMMAND_FAST,
     .categories = CATEGORY_BITMAP,
     .keys = {KEY_ONE(KEY_RO | KEY_ACCESS)},
     .since = "2.2.0",
     .summary = "Returns a bit value by offset.",
     .complexity = "O(1)",
     .arguments = "key:key offset:integer"},
    {.name = "setbit",
     .run = setbit,
     .arity = 4,
     .group = GROUP_BITMAP,
     .flags = COMMAND_WRITE | COMMAND_DENYOOM,
     .categories = CATEGORY_BITMAP,
     .keys = {KEY_ONE(KEY_RW | KEY_ACCESS | KEY_UPDATE)},
     .since = "2.2.0",
     .summary = "Sets or clears the bit at offset of the string value. Creates the key if it "
                "doesn't exist.",
     .complexity = "O(1)",
     .arguments = "key:key offset:integer value:integer"},
    {.name = NULL},
};
