/* Bits in words: finding, and fields. Words are read with memcpy, so that neither alignment nor the machine's byte order matters to
 * callers. Counting is in bits_count.c, combining in bits_combine.c. */
#include "types/bits.h"

#include "base/check.h"

enum { WORD_BYTES = sizeof(uint64_t) };

INLINE uint64_t load(const void *at) {
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return word;
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
