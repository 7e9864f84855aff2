/* HyperLogLog: drafts, and how a register of the sparse representation is raised.
 *
 * The opcode that covers the register is split in up to three: what lies before, the register, what lies behind. Then the opcodes
 * around are looked at, five at most from the one before on, and equal VALs that fit into one are joined. Both are done exactly as
 * Redis does it, so that the same additions make the same bytes. */
#include "base/check.h"
#include "base/error.h"
#include "types/hyperloglog.h"
#include "types/hyperloglog_inside.h"

enum {
    SPLIT_BYTES_MAX = 5, /* XZERO, VAL, XZERO */
    SPLIT_GROWTH_MAX = 3,
    JOIN_STEPS = 5,
};

size_t hll_draft_room(struct span bytes, size_t count) {
    size_t len = MAX(bytes.len, HLL_EMPTY_BYTES);
    size_t grown = len + SPLIT_GROWTH_MAX * (MIN(count, HLL_REGISTER_COUNT) + 1);
    return MAX(grown, HLL_DENSE_BYTES);
}

static void start_search(struct hll_draft *draft) {
    draft->search_at = HLL_HEADER_BYTES;
    draft->search_first = 0;
}

void hll_draft_init(struct hll_draft *draft, char *room, struct span bytes,
                    size_t sparse_max_bytes) {
    static const char empty[HLL_EMPTY_BYTES] = {
        'H', 'Y', 'L', 'L', HLL_SPARSE, [HLL_HEADER_BYTES] = HLL_XZERO | 0x3f, (char)0xff};
    if (bytes.len == 0) bytes = span_make(empty, sizeof empty);
    *draft =
        (struct hll_draft){.bytes = room, .len = bytes.len, .sparse_max_bytes = sparse_max_bytes};
    memcpy(room, bytes.data, bytes.len);
    start_search(draft);
}

int hll_draft_make_dense(struct hll_draft *draft) {
    uint8_t registers[HLL_REGISTER_COUNT] = {0};
    struct span bytes = span_make(draft->bytes, draft->len);
    if (hll_is_dense(bytes)) return 0;
    int rc = hll_merge(registers, bytes);
    if (rc < 0) return rc;
    draft->bytes[HLL_ENCODING_AT] = HLL_DENSE;
    draft->len = HLL_DENSE_BYTES;
    hll_put_dense(draft->bytes, registers);
    return 0;
}

static int raise_dense(struct hll_draft *draft, struct hll_place place) {
    if (hll_register(span_make(draft->bytes, draft->len), place.index) >= place.value) return 0;
    hll_set_register(draft->bytes, place);
    hll_forget_cached(draft->bytes);
    return 1;
}

static int promote(struct hll_draft *draft, struct hll_place place) {
    int rc = hll_draft_make_dense(draft);
    return rc < 0 ? rc : raise_dense(draft, place);
}

/* ---- finding the opcode */

struct opcode {
    size_t at, before; /* its offset and that of the one before it, or 0 */
    uint32_t first;    /* its first register */
    struct hll_run run;
};

/* Leaves the next search's start at the opcode two before the one found, where joining does not reach; at the very start when this
 * search began too late to know it. */
static int find_opcode(struct hll_draft *draft, uint32_t index, struct opcode *out) {
    struct span bytes = span_make(draft->bytes, draft->len);
    struct hll_run run, run_before = {0};
    size_t at = draft->search_at, next = at;
    uint32_t first = draft->search_first;
    *out = (struct opcode){0};
    int rc;
    while ((rc = hll_next_run(bytes, &next, &run)) > 0 && index - first >= run.count) {
        if (out->before) {
            draft->search_at = out->before;
            draft->search_first = first - run_before.count;
        }
        out->before = at;
        run_before = run;
        first += run.count;
        at = next;
    }
    if (rc <= 0) return ERROR_SYNTAX;
    if (out->before <= draft->search_at) start_search(draft);
    out->at = at;
    out->first = first;
    out->run = run;
    return 0;
}

/* ---- writing opcodes: each returns the bytes written */

static size_t put_val(uint8_t *out, uint32_t value, uint32_t count) {
    out[0] = (uint8_t)(HLL_VAL | (value - 1) << 2 | (count - 1));
    return 1;
}

static size_t put_zeros(uint8_t *out, uint32_t count) {
    if (count <= HLL_ZERO_COUNT_MAX) {
        out[0] = (uint8_t)(count - 1);
        return 1;
    }
    out[0] = (uint8_t)(HLL_XZERO | (count - 1) >> 8);
    out[1] = (uint8_t)(count - 1);
    return 2;
}

static size_t put_run(uint8_t *out, uint32_t value, uint32_t count) {
    if (count == 0) return 0;
    return value ? put_val(out, value, count) : put_zeros(out, count);
}

static size_t split(const struct opcode *old, struct hll_place place, uint8_t *out) {
    uint32_t before = place.index - old->first;
    size_t len = put_run(out, old->run.value, before);
    len += put_val(out + len, place.value, 1);
    return len + put_run(out + len, old->run.value, old->run.count - before - 1);
}

/* Puts `len` bytes in the place of `old_len` ones. */
static void replace(struct hll_draft *draft, size_t at, size_t old_len, const uint8_t *with,
                    size_t len) {
    memmove(draft->bytes + at + len, draft->bytes + at + old_len, draft->len - at - old_len);
    memcpy(draft->bytes + at, with, len);
    draft->len = draft->len - old_len + len;
}

/* Joins the VAL at `at` with an equal one behind it, when one opcode can hold both. */
static bool join(struct hll_draft *draft, size_t at, const struct hll_run *run) {
    struct span bytes = span_make(draft->bytes, draft->len);
    struct hll_run behind;
    size_t next = at + run->bytes;
    uint8_t joined;
    if (hll_next_run(bytes, &next, &behind) <= 0 || behind.value != run->value) return false;
    if (run->count + behind.count > HLL_VAL_COUNT_MAX) return false;
    put_val(&joined, run->value, run->count + behind.count);
    replace(draft, at, 2, &joined, 1);
    return true;
}

static void join_around(struct hll_draft *draft, size_t at) {
    for (unsigned step = 0; step < JOIN_STEPS; step++) {
        struct hll_run run;
        size_t next = at;
        if (hll_next_run(span_make(draft->bytes, draft->len), &next, &run) <= 0) return;
        if (run.value && join(draft, at, &run)) continue; /* perhaps with one more */
        at = next;
    }
}

static int raise_sparse(struct hll_draft *draft, struct hll_place place) {
    struct opcode old;
    uint8_t with[SPLIT_BYTES_MAX];
    if (place.value > HLL_SPARSE_VALUE_MAX) return promote(draft, place);
    int rc = find_opcode(draft, place.index, &old);
    if (rc < 0) return rc;
    if (old.run.value >= place.value) return 0;
    size_t len = split(&old, place, with), grown = draft->len + len - old.run.bytes;
    if (len > old.run.bytes && grown > draft->sparse_max_bytes) return promote(draft, place);
    replace(draft, old.at, old.run.bytes, with, len);
    join_around(draft, old.before ? old.before : old.at);
    hll_forget_cached(draft->bytes);
    return 1;
}

static int raise_register(struct hll_draft *draft, struct hll_place place) {
    if (hll_is_dense(span_make(draft->bytes, draft->len))) return raise_dense(draft, place);
    return raise_sparse(draft, place);
}

int hll_draft_add(struct hll_draft *draft, struct span element) {
    start_search(draft);
    return raise_register(draft, hll_place_of(element));
}

int hll_draft_raise_all(struct hll_draft *draft, const uint8_t *registers) {
    start_search(draft);
    for (uint32_t i = 0; i < HLL_REGISTER_COUNT; i++) {
        if (registers[i] == 0) continue;
        int rc = raise_register(draft, (struct hll_place){.index = i, .value = registers[i]});
        if (rc < 0) return rc;
    }
    return 0;
}
