/* BITFIELD: a list of reads and writes of small integers in one string. All of it is parsed before anything is done; results are kept
 * until the value could be written to, so that a request without memory changes nothing. A value is made writable only when a write
 * changes a bit or lengthens it. */
#include "commands/bitmap.h"
#include "types/bits.h"

#define FIELD_TYPE_TEXT                                                                     \
    "ERR Invalid bitfield type. Use something like i16 u8. Note that u64 is not supported " \
    "but i64 is."

enum field_verb { FIELD_GET, FIELD_SET, FIELD_INCRBY };
enum field_overflow { FIELD_WRAP, FIELD_SAT, FIELD_FAIL };

struct field_op {
    uint64_t at;     /* bits */
    int64_t operand; /* of SET and INCRBY */
    int64_t result;
    uint8_t verb, overflow, width;
    bool is_signed;
    bool failed; /* overflowed under FAIL: answered with null */
};

struct field_ops {
    struct field_op *ops;
    uint32_t count;
    bool writes;
    size_t write_bytes; /* how long the value must be for all writes */
};

/* ---- parsing */

static bool parse_type(struct call *call, uint32_t at, struct field_op *op) {
    struct span text = call->argv[at];
    int64_t width;
    if (text.len && (text.data[0] == 'i' || text.data[0] == 'u')) {
        op->is_signed = text.data[0] == 'i';
        if (num_parse_int(span_make(text.data + 1, text.len - 1), &width) && width >= 1 &&
            width <= BITS_FIELD_WIDTH_MAX - !op->is_signed) {
            op->width = (uint8_t)width;
            return true;
        }
    }
    reply_error(call->reply, FIELD_TYPE_TEXT);
    return false;
}

static bool parse_overflow(struct call *call, uint32_t at, enum field_overflow *overflow) {
    if (call_is(call, at, "wrap")) {
        *overflow = FIELD_WRAP;
    } else if (call_is(call, at, "sat")) {
        *overflow = FIELD_SAT;
    } else if (call_is(call, at, "fail")) {
        *overflow = FIELD_FAIL;
    } else {
        reply_error(call->reply, "ERR Invalid OVERFLOW type specified");
        return false;
    }
    return true;
}

/* The verb at argument `at` when enough arguments follow it. */
static bool parse_verb(struct call *call, uint32_t at, struct field_op *op) {
    uint32_t rest = call->argc - at - 1;
    if (call_is(call, at, "get") && rest >= 2) {
        op->verb = FIELD_GET;
    } else if (call_is(call, at, "set") && rest >= 3) {
        op->verb = FIELD_SET;
    } else if (call_is(call, at, "incrby") && rest >= 3) {
        op->verb = FIELD_INCRBY;
    } else {
        call_syntax_error(call);
        return false;
    }
    return true;
}

static bool parse_op(struct call *call, uint32_t at, struct field_ops *all, struct field_op *op) {
    if (!parse_verb(call, at, op)) return false;
    if (!parse_type(call, at + 1, op)) return false;
    if (!bitmap_offset(call, at + 2, op->width, &op->at)) return false;
    if (op->verb == FIELD_GET) return true;
    all->writes = true;
    all->write_bytes = MAX(all->write_bytes, (size_t)((op->at + op->width - 1) >> 3) + 1);
    return call_int(call, at + 3, &op->operand);
}

static bool parse_all(struct call *call, struct field_ops *all) {
    enum field_overflow overflow = FIELD_WRAP;
    *all = (struct field_ops){.ops = call_scratch(call, (call->argc / 3 + 1) * sizeof *all->ops)};
    for (uint32_t at = 2; at < call->argc;) {
        struct field_op *op = &all->ops[all->count];
        if (call_is(call, at, "overflow") && call->argc - at > 1) {
            if (!parse_overflow(call, at + 1, &overflow)) return false;
            at += 2;
            continue;
        }
        *op = (struct field_op){.overflow = (uint8_t)overflow};
        if (!parse_op(call, at, all, op)) return false;
        all->count++;
        at += op->verb == FIELD_GET ? 3 : 4;
    }
    return true;
}

/* ---- arithmetic: in 128 bits nothing overflows but the field */

typedef __int128 wide;

static int64_t sign_extend(uint64_t bits, unsigned width) {
    unsigned shift = BITS_FIELD_WIDTH_MAX - width;
    return (int64_t)(bits << shift) >> shift;
}

static int64_t field_value(const struct field_op *op, uint64_t bits) {
    return op->is_signed ? sign_extend(bits, op->width) : (int64_t)bits;
}

/* What the field is to hold, before it is made to fit. Setting an unsigned field to a negative number means that number's bits. */
static wide wanted_value(const struct field_op *op, int64_t old) {
    if (op->verb == FIELD_INCRBY) return (wide)old + op->operand;
    return op->is_signed ? (wide)op->operand : (wide)(uint64_t)op->operand;
}

/* Which end a number that does not fit is nearest to. Redis takes the distance to the top in 64 bits, so that a number set too far
 * below it counts as above: kept, since the same requests must leave the same bytes. */
static bool saturates_low(const struct field_op *op, wide value, wide low, wide high) {
    return value < low && (op->verb != FIELD_SET || high - value <= INT64_MAX);
}

/* False: it does not fit, and the operation fails. */
static bool fit_value(const struct field_op *op, wide value, uint64_t *bits) {
    wide one = 1, low = op->is_signed ? -(one << (op->width - 1)) : 0;
    wide high = (op->is_signed ? one << (op->width - 1) : one << op->width) - 1;
    if (value < low || value > high) {
        if (op->overflow == FIELD_FAIL) return false;
        if (op->overflow == FIELD_SAT) value = saturates_low(op, value, low, high) ? low : high;
    }
    *bits = (uint64_t)value & UINT64_MAX >> (BITS_FIELD_WIDTH_MAX - op->width);
    return true;
}

/* ---- execution */

struct field_target {
    struct entry *e; /* NULL: not there */
    char *data;      /* writable, once something was changed */
    bool lengthened;
    bool changed; /* to be told of */
};

static struct span target_bytes(const struct field_target *target) {
    return target->e ? entry_string(target->e) : span_make(NULL, 0);
}

/* False: no memory, answered. */
static bool write_field(struct call *call, struct field_target *target, struct field_op *op) {
    uint64_t old_bits = bits_field(target_bytes(target), op->at, op->width), new_bits;
    int64_t old = field_value(op, old_bits);
    if (!fit_value(op, wanted_value(op, old), &new_bits)) {
        op->failed = true;
        return true;
    }
    op->result = op->verb == FIELD_SET ? old : field_value(op, new_bits);
    target->changed |= target->lengthened || new_bits != old_bits;
    if (new_bits == old_bits) return true;
    if (!target->data) target->data = bitmap_edit(call, &target->e, 0);
    if (!target->data) return false;
    bits_put_field(target->data, op->at, op->width, new_bits);
    return true;
}

static bool prepare_target(struct call *call, struct field_target *target, size_t len) {
    if (target->e && entry_string(target->e).len >= len) {
        entry_set_raw(target->e);
        return true;
    }
    target->data = bitmap_edit(call, &target->e, len);
    target->lengthened = true;
    return target->data != NULL;
}

static bool run_ops(struct call *call, struct field_ops *all, struct field_target *target) {
    if (all->writes && !prepare_target(call, target, all->write_bytes)) return false;
    for (uint32_t i = 0; i < all->count; i++) {
        struct field_op *op = &all->ops[i];
        if (op->verb == FIELD_GET) {
            op->result = field_value(op, bits_field(target_bytes(target), op->at, op->width));
        } else if (!write_field(call, target, op)) {
            return false;
        }
    }
    return true;
}

static void reply_results(struct call *call, const struct field_ops *all) {
    reply_array(call->reply, all->count);
    for (uint32_t i = 0; i < all->count; i++) {
        if (all->ops[i].failed) {
            reply_null(call->reply);
        } else {
            reply_int(call->reply, all->ops[i].result);
        }
    }
}

static void run(struct call *call, bool readonly) {
    struct field_target target = {0};
    struct field_ops all;
    if (!parse_all(call, &all)) return;
    if (readonly && all.writes) {
        reply_error(call->reply, "ERR BITFIELD_RO only supports the GET subcommand");
        return;
    }
    target.e = all.writes ? call_find_for_write(call, 1) : call_find(call, 1);
    if (!call_check_type(call, target.e, ENTRY_STRING)) return;
    if (!run_ops(call, &all, &target)) return;
    if (target.changed) call_event(call, '$', "setbit", call->argv[1]);
    reply_results(call, &all);
}

void bitfield_run(struct call *call) {
    run(call, false);
}

void bitfield_run_readonly(struct call *call) {
    run(call, true);
}

/* Whether the key is only read: as far as can be told without parsing all of it. */
static bool only_reads(const struct span *argv, uint32_t argc) {
    for (uint32_t at = 2; at < argc;) {
        uint32_t rest = argc - at - 1;
        if (span_is(argv[at], "get") && rest >= 2) {
            at += 3;
        } else if (span_is(argv[at], "overflow") && rest >= 1) {
            at += 2;
        } else {
            return false;
        }
    }
    return true;
}

int bitfield_find_keys(const struct span *argv, uint32_t argc, uint32_t *positions, uint16_t *flags,
                       int max) {
    if (max < 1) return 0;
    positions[0] = 1;
    flags[0] = only_reads(argv, argc) ? KEY_RO | KEY_ACCESS : KEY_RW | KEY_ACCESS | KEY_UPDATE;
    return 1;
}
