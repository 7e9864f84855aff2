/* Which key comes next: numbers below a key space, uniform, in order, or by Zipf's law. The same seed gives the same numbers. */
#ifndef LOAD_KEYS_H
#define LOAD_KEYS_H

#include <stdbool.h>
#include <stdint.h>

enum key_order {
    KEYS_UNIFORM,
    KEYS_SEQUENCE, /* 0, 1, 2, ... and round again */
    KEYS_ZIPF,     /* the k-th most frequent with a frequency of 1 / k^skew; which number is the k-th is scrambled */
};

struct keys {
    enum key_order order;
    uint64_t space, next; /* next: of a sequence */
    uint64_t random[2];
    double skew, low, high, cut; /* of Zipf's law: see keys.c */
    uint64_t shift;              /* added to a rank before scrambling: another one makes other keys frequent */
};

/* skew counts only for Zipf's law: greater than 0. */
void keys_init(struct keys *keys, enum key_order order, uint64_t space, double skew, uint64_t seed);

/* "uniform", "sequence" or "zipf:SKEW". False: it is none of them. */
bool keys_parse(const char *text, enum key_order *order, double *skew);

uint64_t keys_next(struct keys *keys);
uint64_t keys_random(struct keys *keys); /* 64 random bits */
uint64_t keys_below(struct keys *keys, uint64_t bound);
double keys_fraction(struct keys *keys); /* 0 to below 1 */

#endif
