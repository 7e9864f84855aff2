#include "server/metrics.h"

#include <string.h>

void metrics_sample(struct metrics *metrics, int64_t now_ms, const uint64_t totals[METRIC_COUNT]) {
    int64_t elapsed_ms = now_ms - metrics->sampled_ms;
    if (metrics->sampled_ms != 0 && elapsed_ms < METRICS_PERIOD_MS) return;
    for (int i = 0; i < METRIC_COUNT; i++) {
        uint64_t grown = totals[i] >= metrics->last[i] ? totals[i] - metrics->last[i] : 0;
        if (metrics->sampled_ms != 0)
            metrics->per_second[i][metrics->at] = grown * 1000 / (uint64_t)elapsed_ms;
        metrics->last[i] = totals[i];
    }
    if (metrics->sampled_ms != 0) metrics->at = (metrics->at + 1) % METRICS_SAMPLES;
    metrics->sampled_ms = now_ms;
}

uint64_t metrics_rate(const struct metrics *metrics, enum metric metric) {
    uint64_t sum = 0;
    for (int i = 0; i < METRICS_SAMPLES; i++) sum += metrics->per_second[metric][i];
    return sum / METRICS_SAMPLES;
}

void metrics_reset(struct metrics *metrics) {
    memset(metrics, 0, sizeof *metrics);
}
