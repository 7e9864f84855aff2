/* The fast generator is xoshiro256** by Blackman and Vigna (https://prng.di.unimi.it/), its state
 * filled by their splitmix64. */
#include "base/random.h"

#include <sys/random.h>
#include <unistd.h>

#include "base/check.h"
#include "base/compat.h"

INLINE uint64_t rotate_left(uint64_t x, unsigned bits) {
    return x << bits | x >> (64 - bits);
}

void random_init(struct random *r, uint64_t seed) {
    for (size_t i = 0; i < ARRAY_LENGTH(r->state); i++) {
        uint64_t z = seed += 0x9e3779b97f4a7c15u;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
        z = (z ^ z >> 27) * 0x94d049bb133111ebu;
        r->state[i] = z ^ z >> 31;
    }
}

void random_init_system(struct random *r) {
    do {
        random_bytes(r->state, sizeof r->state);
    } while ((r->state[0] | r->state[1] | r->state[2] | r->state[3]) ==
             0); /* all zero stays zero */
}

uint64_t random_next(struct random *r) {
    uint64_t *s = r->state;
    uint64_t result = rotate_left(s[1] * 5, 7) * 9;
    uint64_t shifted = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= shifted;
    s[3] = rotate_left(s[3], 45);
    return result;
}

/* The high half of next * bound is the answer; the low half tells which draws would favour some
 * values: those are drawn again (Lemire, https://arxiv.org/abs/1805.10941). One multiplication
 * nearly always, no division. */
uint64_t random_below(struct random *r, uint64_t bound) {
    __uint128_t product;
    DCHECK(bound > 0);
    product = (__uint128_t)random_next(r) * bound;
    if (UNLIKELY((uint64_t)product < bound)) {
        uint64_t refused = -bound % bound; /* 2^64 mod bound */
        while ((uint64_t)product < refused) product = (__uint128_t)random_next(r) * bound;
    }
    return (uint64_t)(product >> 64);
}

/* getentropy(3): at most 256 bytes a call, never short, never interrupted. */
void random_bytes(void *out, size_t len) {
    char *at = out;
    while (len > 0) {
        size_t step = MIN(len, 256);
        CHECK(getentropy(at, step) == 0);
        at += step;
        len -= step;
    }
}

void random_hex(char *out, size_t digits) {
    while (digits > 0) {
        uint8_t raw[32];
        size_t step = MIN(digits, sizeof raw * 2);
        random_bytes(raw, (step + 1) / 2);
        for (size_t i = 0; i < step; i++) {
            *out++ = "0123456789abcdef"[i % 2 ? raw[i / 2] & 15 : raw[i / 2] >> 4];
        }
        digits -= step;
    }
}
