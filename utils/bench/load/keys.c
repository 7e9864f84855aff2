/* Zipf's law by rejection-inversion (W. Hoermann, G. Derflinger: Rejection-inversion to generate variates from monotone discrete
 * distributions, ACM TOMACS 6, 1996): constant time and no table, for any skew. With h(x) = x^-skew and its integral H:
 *
 *   low = H(1.5) - h(1)    high = H(space + 0.5)    u uniform in (low, high)    x = inverse of H at u, k = x rounded
 *   k is taken when it lies within `cut` above x, or when u >= H(k + 0.5) - h(k); else another u. */
#include "keys.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* xoroshiro128+: https://prng.di.unimi.it/ */
uint64_t keys_random(struct keys *keys) {
    uint64_t a = keys->random[0], b = keys->random[1], sum = a + b;
    b ^= a;
    keys->random[0] = ((a << 24) | (a >> 40)) ^ b ^ (b << 16);
    keys->random[1] = (b << 37) | (b >> 27);
    return sum;
}

static uint64_t mixed(uint64_t x) {
    x = (x ^ (x >> 31)) * 0x7fb5d329728ea185u;
    x = (x ^ (x >> 27)) * 0x81dadef4bc2dd44du;
    return x ^ (x >> 33);
}

uint64_t keys_below(struct keys *keys, uint64_t bound) {
    return (uint64_t)(((__uint128_t)keys_random(keys) * bound) >> 64);
}

double keys_fraction(struct keys *keys) {
    return (double)(keys_random(keys) >> 11) * 0x1p-53;
}

static double density(const struct keys *keys, double x) {
    return exp(-keys->skew * log(x));
}

/* (x^(1 - skew) - 1) / (1 - skew), which at a skew of 1 is log x. */
static double integral(const struct keys *keys, double x) {
    double t = (1 - keys->skew) * log(x);
    return fabs(t) < 1e-9 ? log(x) : expm1(t) / (1 - keys->skew);
}

static double inverse(const struct keys *keys, double y) {
    double t = (1 - keys->skew) * y;
    if (t < -1) t = -1; /* rounding */
    return fabs(t) < 1e-9 ? exp(y) : exp(log1p(t) / (1 - keys->skew));
}

void keys_init(struct keys *keys, enum key_order order, uint64_t space, double skew,
               uint64_t seed) {
    memset(keys, 0, sizeof *keys);
    keys->order = order;
    keys->space = space ? space : 1;
    keys->random[0] = mixed(seed + 0x9e3779b97f4a7c15u);
    keys->random[1] = mixed(seed + 2 * 0x9e3779b97f4a7c15u) | 1;
    if (order != KEYS_ZIPF) return;
    keys->skew = skew;
    keys->low = integral(keys, 1.5) - 1;
    keys->high = integral(keys, (double)keys->space + 0.5);
    keys->cut = 2 - inverse(keys, integral(keys, 2.5) - density(keys, 2));
}

static uint64_t zipf_rank(struct keys *keys) {
    for (;;) {
        double u = keys->high + keys_fraction(keys) * (keys->low - keys->high);
        double x = inverse(keys, u), k = floor(x + 0.5);
        if (k < 1) k = 1;
        if (k > (double)keys->space) k = (double)keys->space;
        if (k - x <= keys->cut || u >= integral(keys, k + 0.5) - density(keys, k)) {
            return (uint64_t)k - 1;
        }
    }
}

/* Neighbours in frequency are to be neighbours neither in number nor in memory: an odd factor is a permutation of 2^n numbers, walked
 * until it comes back below the space. */
static uint64_t scrambled(uint64_t rank, uint64_t space) {
    uint64_t mask = 1;
    while (mask < space) mask = mask << 1 | 1;
    do {
        rank = (rank * 0x9e3779b97f4a7c15u + 0x5bd1e995u) & mask;
        rank = (rank ^ (rank >> 7)) & mask;
    } while (rank >= space);
    return rank;
}

uint64_t keys_next(struct keys *keys) {
    switch (keys->order) {
    case KEYS_UNIFORM: return keys_below(keys, keys->space);
    case KEYS_SEQUENCE: return keys->next++ % keys->space;
    case KEYS_ZIPF: return scrambled((zipf_rank(keys) + keys->shift) % keys->space, keys->space);
    }
    return 0;
}

bool keys_parse(const char *text, enum key_order *order, double *skew) {
    char *end;
    *skew = 0;
    if (strcmp(text, "uniform") == 0) {
        *order = KEYS_UNIFORM;
        return true;
    }
    if (strcmp(text, "sequence") == 0) {
        *order = KEYS_SEQUENCE;
        return true;
    }
    if (strncmp(text, "zipf:", 5) != 0) return false;
    *order = KEYS_ZIPF;
    *skew = strtod(text + 5, &end);
    return *end == '\0' && end != text + 5 && *skew > 0 && *skew < 10;
}
