/* Work that is due by time: a little every turn, the rest `hz` times a second. Everything here has a budget, so that no turn is
 * made long by it. */
#include "base/clock.h"
#include "base/log.h"
#include "commands/eviction.h"
#include "commands/slowlog.h"
#include "commands/tracking.h"
#include "server/crash.h"
#include "server/info.h"
#include "server/server.h"

enum {
    TIMERS_PER_TURN = 256,
    LAZY_BUDGET_US = 200,
    /* Expiry that is behind takes a quarter of the time at most, in slices: 250 of every 1000 us, more by active-expire-effort. */
    EXPIRE_SLICE_US = 250,
    EXPIRE_PERIOD_US = 1000,
    INFO_PERIOD_MS = 5000,
};

static int64_t expire_budget_us(const struct server *sv) {
    return EXPIRE_SLICE_US + 50 * (sv->settings.active_expire_effort - 1);
}

static void run_expiry(struct server *sv) {
    int64_t begin_us = clock_mono_us();
    if (begin_us < sv->next_expire_us) return;
    sv->expire_pending = keyspace_expire_cycle(sv->keyspace, clock_real_ms(), expire_budget_us(sv));
    int64_t end_us = clock_mono_us();
    sv->next_expire_us = begin_us + EXPIRE_PERIOD_US;
    int64_t threshold_ms = sv->settings.latency_monitor_threshold_ms;
    if (threshold_ms > 0 && end_us - begin_us >= threshold_ms * 1000) {
        latency_add(sv->host.latency, "expire-cycle", (uint32_t)((end_us - begin_us) / 1000));
    }
}

/* CLIENT PAUSE is over: those that it held go on. */
static void end_pause(struct server *sv, int64_t now_ms) {
    struct sessions *all = &sv->sessions;
    if (!all->paused_until_ms || now_ms < all->paused_until_ms) return;
    all->paused_until_ms = 0;
    LIST_FOR_EACH(it, &all->all) {
        struct session *s = LIST_ENTRY(it, struct session, link);
        if (s->stop & SESSION_STOP_PAUSED) session_go(s, SESSION_STOP_PAUSED);
    }
}

static void sample_metrics(struct server *sv, int64_t now_ms) {
    uint64_t totals[METRIC_COUNT] = {
        [METRIC_COMMANDS] = sv->host.dispatch.command_count,
        [METRIC_INPUT_BYTES] = sv->sessions.stats.in_bytes,
        [METRIC_OUTPUT_BYTES] = sv->sessions.stats.out_bytes,
        [METRIC_TURNS] = net_stats(sv->net)->turn_count,
    };
    metrics_sample(&sv->metrics, now_ms, totals);
}

/* A crash report shows INFO as it was a few seconds before. */
static void keep_info(struct server *sv, int64_t now_ms) {
    struct buf text = {0};
    if (now_ms < sv->next_info_ms) return;
    sv->next_info_ms = now_ms + INFO_PERIOD_MS;
    sv->host.info(sv, NULL, 0, &text);
    crash_keep_info(buf_span(&text));
    buf_release(&text);
}

static void run_periodic(struct server *sv, int64_t now_ms) {
    sv->next_cron_ms = now_ms + 1000 / MAX(sv->settings.hz, 1);
    sessions_cron(&sv->sessions, now_ms);
    sample_metrics(sv, now_ms);
    keep_info(sv, now_ms);
    run_expiry(sv);
}

void server_cron(struct server *sv) {
    int64_t now_ms = clock_mono_ms();
    if (UNLIKELY(sv->timers.count)) timers_run(&sv->timers, now_ms, TIMERS_PER_TURN);
    if (UNLIKELY(sv->sessions.paused_until_ms)) end_pause(sv, now_ms);
    if (UNLIKELY(keyspace_lazy_pending(sv->keyspace)))
        keyspace_lazy_step(sv->keyspace, LAZY_BUDGET_US);
    eviction_turn(&sv->host);
    if (UNLIKELY(sv->expire_pending)) run_expiry(sv);
    if (UNLIKELY(now_ms >= sv->next_cron_ms)) run_periodic(sv, now_ms);
}

static int pause_wait_ms(const struct server *sv, int64_t now_ms, int wait_ms) {
    int64_t until_ms = sv->sessions.paused_until_ms;
    if (!until_ms || until_ms - now_ms >= wait_ms) return wait_ms;
    return until_ms > now_ms ? (int)(until_ms - now_ms) : 0;
}

int server_wait_ms(const struct server *sv) {
    int64_t now_ms = clock_mono_ms();
    if (turn_has_waiting(&sv->turn) || keyspace_lazy_pending(sv->keyspace)) return 0;
    if (eviction_pending(&sv->host) || tracking_pending(&sv->host)) return 0;
    if (!list_empty(&sv->sessions.output) || now_ms >= sv->next_cron_ms) return 0;
    int wait_ms = (int)(sv->next_cron_ms - now_ms);
    if (sv->expire_pending) wait_ms = MIN(wait_ms, EXPIRE_PERIOD_US / 1000);
    wait_ms = pause_wait_ms(sv, now_ms, wait_ms);
    return timers_wait_ms(&sv->timers, now_ms, wait_ms);
}
