/* The 64-bit hash of keys: seeded at start, so that nobody outside can aim at a bucket. Not a cryptographic digest.
 * All bits are usable; tables take the top bits for the directory and the low 16 for place and tag. Hot path, inline. */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stdint.h>
#include <string.h>

#include "base/compat.h"

/* The process-wide seed. Set once before the first table is made (hash_seed_random), or to a fixed one in tests, where any two numbers
 * will do. */
struct hash_seed {
    uint64_t a, b;
};
extern struct hash_seed hash_seed;
void hash_seed_random(void);
void hash_seed_set(uint64_t a, uint64_t b);

INLINE uint64_t hash_fold(uint64_t a, uint64_t b) {
    __uint128_t product = (__uint128_t)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

uint64_t hash_bytes_long(const char *data, size_t len); /* more than 16 bytes */

INLINE uint64_t hash_bytes(const void *bytes, size_t len) {
    const char *data = bytes;
    uint64_t low = 0, high = 0;
    if (UNLIKELY(len > 16)) return hash_bytes_long(data, len);
    if (len >= 8) {
        memcpy(&low, data, 8);
        memcpy(&high, data + len - 8, 8);
    } else if (len >= 4) {
        uint32_t first, last;
        memcpy(&first, data, 4);
        memcpy(&last, data + len - 4, 4);
        low = first;
        high = last;
    } else if (len > 0) {
        low = (uint64_t)(uint8_t)data[0] << 16 | (uint64_t)(uint8_t)data[len >> 1] << 8 | (uint8_t)data[len - 1];
    }
    uint64_t mixed = hash_fold(low ^ hash_seed.a, high ^ hash_seed.b);
    /* the length apart from the bytes: beside them, a byte could stand for it */
    return hash_fold(mixed ^ hash_seed.b, 0x9e3779b97f4a7c15u ^ hash_seed.a ^ len);
}

#endif
