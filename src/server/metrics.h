/* Rates for INFO: the mean of the last METRICS_SAMPLES samples, one every METRICS_PERIOD_MS, as Redis measures them. */
#ifndef SERVER_METRICS_H
#define SERVER_METRICS_H

#include <stdint.h>

enum { METRICS_SAMPLES = 16, METRICS_PERIOD_MS = 100 };

enum metric { METRIC_COMMANDS, METRIC_INPUT_BYTES, METRIC_OUTPUT_BYTES, METRIC_TURNS, METRIC_COUNT };

struct metrics {
    int64_t sampled_ms; /* monotonic; 0: never */
    uint32_t at;        /* next sample to write */
    uint64_t last[METRIC_COUNT];
    uint64_t per_second[METRIC_COUNT][METRICS_SAMPLES];
};

/* `totals` are counters that only grow. Does nothing before the period is over. */
void metrics_sample(struct metrics *metrics, int64_t now_ms, const uint64_t totals[METRIC_COUNT]);
uint64_t metrics_rate(const struct metrics *metrics, enum metric metric);
/* The counters went back to zero (CONFIG RESETSTAT): the rates begin anew. */
void metrics_reset(struct metrics *metrics);

#endif
