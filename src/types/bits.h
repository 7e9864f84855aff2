/* Strings as bits. Bit 0 is the highest of byte 0, as SETBIT counts them. Pure functions over bytes; what lies beyond the end reads
 * as zero. Hot path: all of them take whole words. */
#ifndef TYPES_BITS_H
#define TYPES_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/span.h"

enum { BITS_FIELD_WIDTH_MAX = 64 };
#define BITS_NOT_FOUND UINT64_MAX

uint64_t bits_count(const void *bytes, size_t len);
/* The same of the bits first..last, both included; last < 8 * bytes.len. */
uint64_t bits_count_range(struct span bytes, uint64_t first, uint64_t last);

/* The first bit of first..last that is `bit`, or BITS_NOT_FOUND; last < 8 * bytes.len. */
uint64_t bits_find(struct span bytes, uint64_t first, uint64_t last, bool bit);

INLINE bool bits_get(struct span bytes, uint64_t at) {
    return at >> 3 < bytes.len && (uint8_t)bytes.data[at >> 3] >> (7 - (at & 7)) & 1;
}
INLINE void bits_set(char *bytes, uint64_t at, bool bit) {
    uint8_t mask = (uint8_t)(0x80 >> (at & 7));
    bytes[at >> 3] = (char)(bit ? (uint8_t)bytes[at >> 3] | mask : (uint8_t)bytes[at >> 3] & ~mask);
}

/* Whole numbers of 1 to BITS_FIELD_WIDTH_MAX bits at any bit, highest first. bits_put_field writes only bytes that the field
 * touches; they must be there. */
uint64_t bits_field(struct span bytes, uint64_t at, unsigned width);
void bits_put_field(char *bytes, uint64_t at, unsigned width, uint64_t value);

/* Of x, the first source, and the others, shorter ones continued with zeros: */
enum bits_op {
    BITS_AND,
    BITS_OR,
    BITS_XOR,
    BITS_NOT,   /* of x alone */
    BITS_DIFF,  /* in x and in no other */
    BITS_DIFF1, /* in one or more others and not in x */
    BITS_ANDOR, /* in x and in one or more others */
    BITS_ONE,   /* in exactly one source */
};
/* Writes `len` bytes: the longest source's length. Where `out` overlaps a source, it begins where that does. */
void bits_combine(enum bits_op op, const struct span *sources, uint32_t count, char *out, size_t len);

#endif
