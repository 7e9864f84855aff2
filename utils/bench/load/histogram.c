/* Index of a value: below 64 the value itself; above, the power of two it lies in and the 6 bits behind its leading one. */
#include "histogram.h"

#include <string.h>

enum { STEP_BITS = 6 };

void histogram_clear(struct histogram *h) {
    memset(h, 0, sizeof *h);
}

static uint32_t index_of(uint64_t ns) {
    int power = 63 - __builtin_clzll(ns | 1);
    uint32_t index;
    if (power < STEP_BITS) return (uint32_t)ns;
    index = (uint32_t)(power - STEP_BITS + 1) * HISTOGRAM_STEPS +
            (uint32_t)(ns >> (power - STEP_BITS)) - HISTOGRAM_STEPS;
    return index < HISTOGRAM_STEPS * HISTOGRAM_POWERS ? index
                                                      : HISTOGRAM_STEPS * HISTOGRAM_POWERS - 1;
}

static uint64_t upper_of(uint32_t index) {
    uint32_t power = index / HISTOGRAM_STEPS, step = index % HISTOGRAM_STEPS;
    if (power == 0) return index;
    return ((uint64_t)(HISTOGRAM_STEPS + step + 1) << (power - 1)) - 1;
}

void histogram_add(struct histogram *h, uint64_t ns) {
    h->counts[index_of(ns)]++;
    h->total++;
    h->sum_ns += ns;
    if (ns > h->max_ns) h->max_ns = ns;
}

uint64_t histogram_at(const struct histogram *h, double share) {
    uint64_t want = (uint64_t)(share * (double)h->total + 0.5), seen = 0;
    if (want < 1) want = 1;
    for (uint32_t i = 0; i < HISTOGRAM_STEPS * HISTOGRAM_POWERS; i++) {
        seen += h->counts[i];
        if (seen >= want) return upper_of(i) < h->max_ns ? upper_of(i) : h->max_ns;
    }
    return h->max_ns;
}

uint64_t histogram_mean(const struct histogram *h) {
    return h->total ? h->sum_ns / h->total : 0;
}
