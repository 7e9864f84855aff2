/* The shortest decimal of a double, after Raffaello Giulietti's "The Schubfach way to render
 * doubles" (2020), whose proofs the bounds below rest on.
 *
 * A double v = c * 2^q owns the interval of reals that are read as v: half a step to each side, the
 * ends included when c is even. Below a power of two the steps are half as long, so there the
 * interval reaches only a quarter of a step down. With k chosen so that the interval is at least 10^k
 * long and shorter than 10^(k+1), it holds at least one multiple of 10^k and at most one of
 * 10^(k+1). So it is enough to look at the two neighbours of v on the coarser grid, then at the two
 * on the finer. All is done in quarters of 10^k, scaled by one 64 x 128 bit multiplication:
 *
 *       lower        v       upper
 *    -----|----------+---------|------         real line, in units of 10^k / 4
 *    |        |        |        |              multiples of 10^k: tried second
 *    |                                  |      multiples of 10^(k+1): tried first */
#include "base/num_shortest.h"

#include <stdbool.h>
#include <string.h>

#include "base/compat.h"

/* Fixed-point logarithms, exact after the shift for every exponent that a double can have. */
INLINE int log10_of_power_of_2(int q) {
    return q * 315653 >> 20;
}
INLINE int log10_of_three_quarters_of_power_of_2(int q) {
    return (q * 315653 - 131008) >> 20;
}
INLINE int log2_of_power_of_10(int k) {
    return k * 217706 >> 16;
}

/* floor(power * x / 2^128), its last bit set as well if anything was cut off: comparisons stay
 * right ("rounding to odd"). A remainder of one unit may come from the power's own excess and
 * counts as none. */
INLINE uint64_t scale(const uint64_t power[2], uint64_t x) {
    __uint128_t low = (__uint128_t)power[1] * x;
    __uint128_t high = (__uint128_t)power[0] * x + (uint64_t)(low >> 64);
    return (uint64_t)(high >> 64) | ((uint64_t)high > 1);
}

static struct num_decimal without_trailing_zeros(uint64_t digits, int exponent) {
    while (digits % 100 == 0) {
        digits /= 100;
        exponent += 2;
    }
    if (digits % 10 == 0) {
        digits /= 10;
        exponent++;
    }
    return (struct num_decimal){digits, exponent};
}

struct num_decimal num_shortest(double value) {
    uint64_t bits, c, lower, middle, upper, fine, coarse;
    int biased, q, k, shift;
    bool narrow_below, odd, floor_in, ceiling_in;
    const uint64_t *power;

    memcpy(&bits, &value, sizeof bits);
    c = bits & (((uint64_t)1 << 52) - 1);
    biased = (int)(bits >> 52);
    narrow_below = c == 0 && biased > 1;
    q = MAX(biased, 1) - 1075;
    if (biased != 0) c |= (uint64_t)1 << 52;
    odd = c & 1;

    k = narrow_below ? log10_of_three_quarters_of_power_of_2(q) : log10_of_power_of_2(q);
    shift = q + log2_of_power_of_10(-k) + 1; /* 1..4 */
    power = num_powers[-k - NUM_POWERS_MIN];
    lower = scale(power, (4 * c - (narrow_below ? 1 : 2)) << shift) + odd;
    middle = scale(power, 4 * c << shift);
    upper = scale(power, (4 * c + 2) << shift) - odd;

    fine = middle / 4;
    coarse = fine / 10;
    floor_in = lower <= 40 * coarse;
    ceiling_in = 40 * (coarse + 1) <= upper;
    if (coarse != 0 && floor_in != ceiling_in) {
        return without_trailing_zeros(coarse + ceiling_in, k + 1);
    }
    floor_in = lower <= 4 * fine;
    ceiling_in = 4 * (fine + 1) <= upper;
    if (floor_in == ceiling_in) { /* both or neither: the nearer one, the even one of two */
        uint64_t half = 4 * fine + 2;
        ceiling_in = middle > half || (middle == half && (fine & 1));
    }
    return without_trailing_zeros(fine + ceiling_in, k);
}
