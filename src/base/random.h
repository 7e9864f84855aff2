/* Random numbers: a fast seeded generator for sampling and tests, and the system's for seeds and identifiers. */
#ifndef BASE_RANDOM_H
#define BASE_RANDOM_H

#include <stddef.h>
#include <stdint.h>

/* xoshiro256** state: https://prng.di.unimi.it/ */
struct random {
    uint64_t state[4];
};

void random_init(struct random *r, uint64_t seed);
void random_init_system(struct random *r);
uint64_t random_next(struct random *r);
uint64_t random_below(struct random *r, uint64_t bound); /* 0..bound-1, unbiased; bound > 0 */

/* Fills with bytes of the system's generator (getrandom(2) or its like). Aborts when there is none. */
void random_bytes(void *out, size_t len);
void random_hex(char *out, size_t digits); /* lower case, no NUL */

#endif
