/* Histogram of microseconds. Bucket 6k + j holds values in [2^k * (1 + j/6), 2^k * (1 + (j+1)/6)), so that a power of two
 * is always the beginning of a bucket and cumulative counts by power are exact. Values below 1 us count as 1. */
#include "commands/registry.h"

enum { PARTS = 6, POWERS = HISTOGRAM_BUCKETS / PARTS };

static uint32_t bucket_of(uint64_t us) {
    if (us < 2) return 0;
    uint32_t power = 63 - (uint32_t)__builtin_clzll(us);
    if (power >= POWERS) return HISTOGRAM_BUCKETS - 1;
    uint32_t part = (uint32_t)(((us - (1ull << power)) * PARTS) >> power);
    return power * PARTS + part;
}

static double bucket_top(uint32_t bucket) {
    uint64_t base = 1ull << (bucket / PARTS);
    return (double)base * (1.0 + (double)(bucket % PARTS + 1) / PARTS);
}

void histogram_add(struct histogram *h, uint64_t us) {
    h->count++;
    h->buckets[bucket_of(us)]++;
}

double histogram_percentile_us(const struct histogram *h, double percent) {
    double due = (double)h->count * percent / 100.0;
    uint64_t seen = 0;
    if (h->count == 0) return 0;
    for (uint32_t i = 0; i < HISTOGRAM_BUCKETS; i++) {
        seen += h->buckets[i];
        if (h->buckets[i] && (double)seen >= due) return i < PARTS ? 1.0 : bucket_top(i);
    }
    return bucket_top(HISTOGRAM_BUCKETS - 1);
}

int histogram_powers(const struct histogram *h, uint64_t *bound_us, uint64_t *count, int max) {
    uint64_t seen = 0;
    int n = 0;
    for (uint32_t power = 0; power < POWERS && n < max && seen < h->count; power++) {
        uint64_t before = seen;
        for (uint32_t j = 0; j < PARTS; j++) seen += h->buckets[power * PARTS + j];
        if (seen == before) continue;
        bound_us[n] = 1ull << (power == 0 ? 0 : power + 1);
        count[n++] = seen;
    }
    return n;
}
