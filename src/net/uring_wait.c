/* How a turn enters the kernel, and how it waits there. One call submits and waits; the ways beside it are options, each measured
 * against that:
 *   apart      one call submits, another one waits
 *   min wait   the wait is for as many completions as turns usually bring, so long; then one is enough
 *   spinning   looks for completions before it sleeps
 *   hybrid     sleeps half of the usual gap before it spins, and does not spin at all when the gap is longer than that pays for
 *
 * Hot path. */
#include <errno.h>

#include "base/clock.h"
#include "net/uring.h"

enum {
    COUNT_SHARE = 8, /* of the past in the averages: one part in so many is new */
    WAIT_COUNT_MAX = 64,
    NAP_US_MIN = 10, /* shorter naps cost more than they save */
};

static int enter(struct uring *u, const struct uring_wait *wait) {
    struct net_stats *stats = &u->net->stats;
    int rc = uring_ring_enter(&u->ring, wait);
    stats->syscall_count++;
    if (rc > 0) stats->submission_count += (uint64_t)rc;
    /* EBUSY and EAGAIN: the kernel wants completions taken first, or is short of memory. Both pass. */
    if (rc >= 0 || rc == -ETIME || rc == -EINTR || rc == -EBUSY || rc == -EAGAIN) return 0;
    return rc;
}

int uring_enter_now(struct uring *u, enum uring_enter how) {
    return enter(u, &(struct uring_wait){.how = how});
}

static bool ready_now(struct uring *u) {
    uint32_t head;
    return uring_ring_ready(&u->ring, &head) != 0;
}

/* A wait for one runs only a few of the pieces of work that are due (20, or the one that woke it). A call that asks for what lies
 * ready already never waits, and lets the kernel run that many: it fetches what is behind, so that a turn's batch is whole. */
int uring_wait_again(struct uring *u) {
    uint32_t head;
    return enter(u, &(struct uring_wait){.how = URING_ENTER_EVENTS,
                                         .count = uring_ring_ready(&u->ring, &head)});
}

void uring_wait_took(struct uring *u, uint32_t count) {
    if (count) u->usual_count += count - u->usual_count / COUNT_SHARE;
}

static int sleep_us(struct uring *u, int64_t timeout_us) {
    uint32_t min_us = u->min_wait_us, usual = u->usual_count / COUNT_SHARE;
    return enter(
        u, &(struct uring_wait){.how = URING_ENTER_WAIT,
                                .count = min_us ? MIN(MAX(usual, 1u), (uint32_t)WAIT_COUNT_MAX) : 1,
                                .min_us = min_us,
                                .timeout_us = timeout_us});
}

/* Looks for completions without sleeping, for so long at most. */
static int spin(struct uring *u, int64_t spin_us) {
    int rc = uring_enter_now(u, URING_ENTER_EVENTS);
    int64_t until_us = clock_mono_us() + spin_us;
    while (rc == 0 && !ready_now(u) && clock_mono_us() < until_us) {
        if (uring_ring_due(&u->ring)) rc = uring_enter_now(u, URING_ENTER_EVENTS);
    }
    return rc;
}

static bool nap_or_spin(struct uring *u, int64_t spin_us, int *rc) {
    int64_t nap_us = u->net->options.busy_poll_hybrid ? u->usual_gap_us / 2 : 0;
    if (nap_us > spin_us) return false;
    if (nap_us >= NAP_US_MIN) *rc = sleep_us(u, nap_us);
    if (*rc == 0 && !ready_now(u)) *rc = spin(u, spin_us);
    return *rc < 0 || ready_now(u);
}

/* A gap much longer than what is spun for counts as a few times that: one quiet hour does not keep spinning off for long. */
static int sleep_polling(struct uring *u, int64_t timeout_us) {
    int64_t spin_us = u->net->options.busy_poll_us, start_us = clock_mono_us();
    int rc = 0;
    if (!nap_or_spin(u, spin_us, &rc)) {
        u->net->stats.wait_count++;
        rc = sleep_us(u, timeout_us);
    }
    int64_t gap_us = MIN(clock_mono_us() - start_us, 4 * spin_us);
    u->usual_gap_us += (gap_us - u->usual_gap_us) / COUNT_SHARE;
    return rc;
}

int uring_wait(struct uring *u, int timeout_ms) {
    bool work = u->net->event_count || ready_now(u) || !list_empty(&u->dirty) || u->listen_dirty;
    if (timeout_ms == 0 || work) return uring_enter_now(u, URING_ENTER_EVENTS);
    int64_t timeout_us = timeout_ms < 0 ? -1 : timeout_ms * 1000ll;
    if (UNLIKELY(u->net->options.submit_apart && uring_ring_queued(&u->ring))) {
        int rc = uring_enter_now(u, URING_ENTER_SUBMIT);
        if (rc < 0) return rc;
    }
    if (UNLIKELY(u->net->options.busy_poll_us != 0)) return sleep_polling(u, timeout_us);
    u->net->stats.wait_count++;
    return sleep_us(u, timeout_us);
}
