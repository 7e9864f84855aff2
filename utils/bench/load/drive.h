/* Driving a server: units of load over many connections, and what is measured of them.
 *
 *   closed loop  every connection keeps `depth` units in flight; a unit's latency begins when it is handed to the kernel
 *   open loop    units fall due at a fixed rate, whatever the server does, and go to the connections in turn. A unit's latency begins
 *                when it was due, even if it had to wait until its connection had less than `depth` in flight: a server that
 *                stalls is charged for everybody whom it kept waiting.
 *
 * A run is bounded by time (after a warm-up that is not counted) or by a number of units. The first error reply ends it. */
#ifndef LOAD_DRIVE_H
#define LOAD_DRIVE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "cpu.h"
#include "histogram.h"
#include "keys.h"
#include "link.h"
#include "replies.h"
#include "request.h"

struct drive_options {
    struct link_options link; /* conn_count: of those that send */
    const struct request *request;
    struct keys *keys;
    uint32_t depth;
    double rate_per_s; /* open loop; 0: closed */
    uint64_t warmup_ns, measure_ns;
    uint64_t unit_count; /* 0: bounded by time */
    uint64_t series_ns;  /* width of an interval of the series; 0: none */
    uint32_t subscriber_count;
    const char *channel; /* that subscribers listen to; a unit waits until they have those `depth` before it */
    pid_t server_pid;    /* whose CPU time is measured; 0: none */
};

/* What happened in one interval of the run. */
struct drive_interval {
    uint64_t unit_count, max_ns;
};

enum { DRIVE_INTERVALS_MAX = 20000 };

struct drive_result {
    const char *link_kind;
    struct histogram latency;
    uint64_t unit_count, delivery_count, elapsed_ns;
    uint64_t null_count;
    uint64_t late_count; /* open loop: units due that were not sent in the measured time */
    uint64_t error_count;
    char error[REPLY_LINE_MAX];
    struct cpu_sample server_from, server_to, load_from, load_to;
    struct drive_interval *series; /* the caller frees it */
    uint32_t interval_count;
};

void drive_run(const struct drive_options *options, struct drive_result *result);

#endif
