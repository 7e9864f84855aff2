/* Bits in words. Words are read with memcpy, so that neither alignment nor the machine's byte order matters to callers.
 *
 * Counting adds bits in columns before it counts any: of eight words, three carry-save steps leave four words that stand for ones,
 * twos, fours and eights, and only the eights are counted at each step (Harley and Seal, in Warren's Hacker's Delight, 5-1). Each
 * column is a vector, which the compiler maps to what the machine has.
 *
 * Combining goes over the result in blocks that stay in the first-level cache, every source in turn over one block. */
#include "types/bits.h"

#include "base/check.h"

enum { WORD_BYTES = sizeof(uint64_t), BLOCK_BYTES = 4096 };

INLINE uint64_t load(const void *at) {
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

INLINE void store(void *at, uint64_t word) {
    memcpy(at, &word, sizeof word);
}

/* ---- counting */

typedef uint64_t column ATTR_VECTOR(16); /* a typedef: C has no other way to name a vector */
enum { STEP_COLUMNS = 8, STEP_BYTES = STEP_COLUMNS * sizeof(column) };

INLINE column load_column(const uint8_t *at) {
    column c;
    memcpy(&c, at, sizeof c);
    return c;
}

/* Adds three columns bit by bit: *sum takes the low bits, the result is the carries. */
INLINE column carry_save(column *sum, column a, column b) {
    column half = *sum ^ a, carry = (*sum & a) | (half & b);
    *sum = half ^ b;
    return carry;
}

/* Set bits of each byte, 0 to 8. */
INLINE column count_bytes(column c) {
    c -= c >> 1 & 0x5555555555555555u;
    c = (c & 0x3333333333333333u) + (c >> 2 & 0x3333333333333333u);
    return (c + (c >> 4)) & 0x0f0f0f0f0f0f0f0fu;
}

/* Sums of four bytes each, in 64-bit lanes. */
INLINE column add_bytes(column c) {
    c = (c & 0x00ff00ff00ff00ffu) + (c >> 8 & 0x00ff00ff00ff00ffu);
    c = (c & 0x0000ffff0000ffffu) + (c >> 16 & 0x0000ffff0000ffffu);
    return (c & 0xffffffffu) + (c >> 32);
}

INLINE uint64_t count_column(column c) {
    c = add_bytes(count_bytes(c));
    return c[0] + c[1];
}

/* Whole steps; returns the bytes taken. */
static size_t count_steps(const uint8_t *at, size_t len, uint64_t *count) {
    column ones = {0}, twos = {0}, fours = {0}, eights = {0};
    size_t taken = 0;
    for (; len - taken >= STEP_BYTES; taken += STEP_BYTES, at += STEP_BYTES) {
        column two_a = carry_save(&ones, load_column(at), load_column(at + 16));
        column two_b = carry_save(&ones, load_column(at + 32), load_column(at + 48));
        column four_a = carry_save(&twos, two_a, two_b);
        two_a = carry_save(&ones, load_column(at + 64), load_column(at + 80));
        two_b = carry_save(&ones, load_column(at + 96), load_column(at + 112));
        column four_b = carry_save(&twos, two_a, two_b);
        eights += add_bytes(count_bytes(carry_save(&fours, four_a, four_b)));
    }
    *count = 8 * (eights[0] + eights[1]) + 4 * count_column(fours) + 2 * count_column(twos) +
             count_column(ones);
    return taken;
}

INLINE uint64_t count_word(uint64_t word) {
    word -= word >> 1 & 0x5555555555555555u;
    word = (word & 0x3333333333333333u) + (word >> 2 & 0x3333333333333333u);
    return ((word + (word >> 4)) & 0x0f0f0f0f0f0f0f0fu) * 0x0101010101010101u >> 56;
}

uint64_t bits_count(const void *bytes, size_t len) {
    const uint8_t *at = bytes;
    uint64_t count = 0, tail = 0;
    if (len >= STEP_BYTES) {
        size_t taken = count_steps(at, len, &count);
        at += taken;
        len -= taken;
    }
    for (; len >= WORD_BYTES; len -= WORD_BYTES, at += WORD_BYTES) count += count_word(load(at));
    if (len) memcpy(&tail, at, len);
    return count + count_word(tail);
}

uint64_t bits_count_range(struct span bytes, uint64_t first, uint64_t last) {
    const uint8_t *data = (const uint8_t *)bytes.data;
    size_t from = (size_t)(first >> 3), to = (size_t)(last >> 3);
    DCHECK(first <= last && to < bytes.len);
    uint8_t before = data[from] & (uint8_t) ~(0xff >> (first & 7));
    uint8_t after = data[to] & (uint8_t)(0x7f >> (last & 7));
    return bits_count(data + from, to - from + 1) - count_word(before) - count_word(after);
}

/* ---- finding */

/* The first bit that is not `skip`'s in whole bytes from..to (not included), or BITS_NOT_FOUND. */
static uint64_t find_in_bytes(const uint8_t *data, size_t from, size_t to, uint8_t skip) {
    uint64_t skip_word = skip ? UINT64_MAX : 0;
    for (; to - from >= 4 * WORD_BYTES; from += 4 * WORD_BYTES) {
        uint64_t a = load(data + from) ^ skip_word, b = load(data + from + 8) ^ skip_word;
        uint64_t c = load(data + from + 16) ^ skip_word, d = load(data + from + 24) ^ skip_word;
        if (a | b | c | d) break;
    }
    for (; to - from >= WORD_BYTES && load(data + from) == skip_word; from += WORD_BYTES) {}
    for (; from < to; from++) {
        uint8_t other = data[from] ^ skip;
        if (other) return 8 * (uint64_t)from + (unsigned)__builtin_clz(other) - 24;
    }
    return BITS_NOT_FOUND;
}

uint64_t bits_find(struct span bytes, uint64_t first, uint64_t last, bool bit) {
    const uint8_t *data = (const uint8_t *)bytes.data;
    size_t from = (size_t)(first >> 3), to = (size_t)(last >> 3);
    uint8_t skip = bit ? 0 : 0xff;
    DCHECK(first <= last && to < bytes.len);
    uint8_t edge = (data[from] ^ skip) & (uint8_t)(0xff >> (first & 7));
    uint64_t found = BITS_NOT_FOUND;
    if (edge) {
        found = 8 * (uint64_t)from + (unsigned)__builtin_clz(edge) - 24;
    } else if (from < to) {
        found = find_in_bytes(data, from + 1, to + 1, skip);
    }
    return found <= last ? found : BITS_NOT_FOUND;
}

/* ---- fields: at most nine bytes, in one number */

static unsigned __int128 load_field(struct span bytes, size_t from, size_t to) {
    unsigned __int128 window = 0;
    for (size_t i = from; i <= to; i++) {
        window = window << 8 | (i < bytes.len ? (uint8_t)bytes.data[i] : 0);
    }
    return window;
}

INLINE uint64_t field_mask(unsigned width) {
    return UINT64_MAX >> (BITS_FIELD_WIDTH_MAX - width);
}

uint64_t bits_field(struct span bytes, uint64_t at, unsigned width) {
    uint64_t last = at + width - 1;
    DCHECK(width >= 1 && width <= BITS_FIELD_WIDTH_MAX);
    return (uint64_t)(load_field(bytes, (size_t)(at >> 3), (size_t)(last >> 3)) >>
                      (7 - (last & 7))) &
           field_mask(width);
}

void bits_put_field(char *bytes, uint64_t at, unsigned width, uint64_t value) {
    uint64_t last = at + width - 1;
    size_t from = (size_t)(at >> 3), to = (size_t)(last >> 3);
    unsigned shift = 7 - (last & 7);
    DCHECK(width >= 1 && width <= BITS_FIELD_WIDTH_MAX);
    unsigned __int128 window = load_field(span_make(bytes, to + 1), from, to);
    window &= ~((unsigned __int128)field_mask(width) << shift);
    window |= (unsigned __int128)(value & field_mask(width)) << shift;
    for (size_t i = to + 1; i-- > from; window >>= 8) bytes[i] = (char)(uint8_t)window;
}

/* ---- combining */

/* How a further source is taken into the block so far. */
enum merge { MERGE_AND, MERGE_OR, MERGE_XOR, MERGE_AND_NOT };

INLINE uint64_t merge_words(enum merge merge, uint64_t to, uint64_t from) {
    switch (merge) {
    case MERGE_AND: return to & from;
    case MERGE_OR: return to | from;
    case MERGE_XOR: return to ^ from;
    case MERGE_AND_NOT: return to & ~from;
    }
    return 0;
}

INLINE void merge_bytes(enum merge merge, uint8_t *to, const uint8_t *from, size_t len) {
    size_t i = 0;
    for (; len - i >= 4 * WORD_BYTES; i += 4 * WORD_BYTES) {
        for (size_t at = i; at < i + 4 * WORD_BYTES; at += WORD_BYTES) {
            store(to + at, merge_words(merge, load(to + at), load(from + at)));
        }
    }
    for (; i < len; i++) to[i] = (uint8_t)merge_words(merge, to[i], from[i]);
}

/* A loop of its own for each, so that the choice is not made for every word. */
static void merge_block(enum merge merge, uint8_t *to, const uint8_t *from, size_t len) {
    switch (merge) {
    case MERGE_AND: merge_bytes(MERGE_AND, to, from, len); break;
    case MERGE_OR: merge_bytes(MERGE_OR, to, from, len); break;
    case MERGE_XOR: merge_bytes(MERGE_XOR, to, from, len); break;
    case MERGE_AND_NOT: merge_bytes(MERGE_AND_NOT, to, from, len); break;
    }
}

/* The part of a source that lies within a block. */
static struct span block_part(struct span source, size_t at, size_t len) {
    if (source.len <= at) return span_make(NULL, 0);
    return span_make(source.data + at, MIN(source.len - at, len));
}

static void fill_block(uint8_t *out, struct span part, size_t len) {
    if (part.len) memcpy(out, part.data, part.len);
    memset(out + part.len, 0, len - part.len);
}

/* Zeros go on where the part ends: only to an AND they matter. */
static void take_in(enum merge merge, uint8_t *out, struct span part, size_t len) {
    merge_block(merge, out, (const uint8_t *)part.data, part.len);
    if (merge == MERGE_AND) memset(out + part.len, 0, len - part.len);
}

/* Bits seen twice are out for good. */
static void take_in_one(uint8_t *out, uint8_t *twice, struct span part) {
    const uint8_t *from = (const uint8_t *)part.data;
    size_t i = 0;
    for (; part.len - i >= WORD_BYTES; i += WORD_BYTES) {
        uint64_t word = load(from + i), once = load(out + i);
        store(twice + i, load(twice + i) | (once & word));
        store(out + i, once | word);
    }
    for (; i < part.len; i++) {
        twice[i] = (uint8_t)(twice[i] | (out[i] & from[i]));
        out[i] |= from[i];
    }
}

struct combine {
    const struct span *sources;
    uint32_t count;
    size_t at, len; /* the block */
};

INLINE struct span source_part(const struct combine *c, uint32_t i) {
    return block_part(c->sources[i], c->at, c->len);
}

static void combine_each(const struct combine *c, enum merge merge, uint8_t *out) {
    fill_block(out, source_part(c, 0), c->len);
    for (uint32_t i = 1; i < c->count; i++) take_in(merge, out, source_part(c, i), c->len);
}

/* The others' union first, then x into it. */
static void combine_union(const struct combine *c, enum merge merge, uint8_t *out) {
    memset(out, 0, c->len);
    for (uint32_t i = 1; i < c->count; i++) take_in(MERGE_OR, out, source_part(c, i), c->len);
    take_in(merge, out, source_part(c, 0), c->len);
}

static void combine_one(const struct combine *c, uint8_t *out) {
    uint8_t twice[BLOCK_BYTES];
    memset(twice, 0, c->len);
    fill_block(out, source_part(c, 0), c->len);
    for (uint32_t i = 1; i < c->count; i++) take_in_one(out, twice, source_part(c, i));
    merge_block(MERGE_AND_NOT, out, twice, c->len);
}

static void combine_not(const struct combine *c, uint8_t *out) {
    memset(out, 0xff, c->len);
    take_in(MERGE_XOR, out, source_part(c, 0), c->len);
}

static void combine_block(enum bits_op op, const struct combine *c, uint8_t *out) {
    switch (op) {
    case BITS_AND: combine_each(c, MERGE_AND, out); break;
    case BITS_OR: combine_each(c, MERGE_OR, out); break;
    case BITS_XOR: combine_each(c, MERGE_XOR, out); break;
    case BITS_NOT: combine_not(c, out); break;
    case BITS_DIFF: combine_each(c, MERGE_AND_NOT, out); break;
    case BITS_DIFF1: combine_union(c, MERGE_AND_NOT, out); break;
    case BITS_ANDOR: combine_union(c, MERGE_AND, out); break;
    case BITS_ONE: combine_one(c, out); break;
    }
}

void bits_combine(enum bits_op op, const struct span *sources, uint32_t count, char *out,
                  size_t len) {
    struct combine c = {.sources = sources, .count = count};
    for (; c.at < len; c.at += c.len) {
        c.len = MIN(len - c.at, BLOCK_BYTES);
        combine_block(op, &c, (uint8_t *)out + c.at);
    }
}
