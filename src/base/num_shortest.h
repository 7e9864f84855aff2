/* Inside base/num only: the shortest decimal digits of a double. */
#ifndef BASE_NUM_SHORTEST_H
#define BASE_NUM_SHORTEST_H

#include <stdint.h>

/* digits * 10^exponent; no trailing zeros in digits, 17 digits at most. */
struct num_decimal {
    uint64_t digits;
    int exponent;
};

/* The decimal with the fewest digits that reads back as `value` (positive, finite), and of several
 * the nearest to it. */
struct num_decimal num_shortest(double value);

/* num_powers[i]: the first 128 bits of 10^(NUM_POWERS_MIN + i), high word first, cut off and then
 * one added: floor(10^k * 2^(127 - floor(log2 10^k))) + 1. tests/unit/base/num.c computes them
 * anew. */
enum { NUM_POWERS_MIN = -292, NUM_POWERS_MAX = 324 };
extern const uint64_t num_powers[NUM_POWERS_MAX - NUM_POWERS_MIN + 1][2];

#endif
