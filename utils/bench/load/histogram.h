/* A latency histogram: 64 equal steps in each power of two, so that a value is off by at most 1.6 %. Times in nanoseconds. */
#ifndef LOAD_HISTOGRAM_H
#define LOAD_HISTOGRAM_H

#include <stdint.h>

enum { HISTOGRAM_STEPS = 64, HISTOGRAM_POWERS = 40 };

struct histogram {
    uint64_t counts[HISTOGRAM_STEPS * HISTOGRAM_POWERS];
    uint64_t total, sum_ns, max_ns;
};

void histogram_clear(struct histogram *h);
void histogram_add(struct histogram *h, uint64_t ns);

/* The latency that `share` (0 to 1) of the values do not exceed: the upper end of its step, at most the maximum. 0 of nothing. */
uint64_t histogram_at(const struct histogram *h, double share);
uint64_t histogram_mean(const struct histogram *h);

#endif
