/* The latency monitor: for each kind of event a ring of seconds with the worst spike of each, and what LATENCY tells of them. */
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "commands/families.h"
#include "commands/host.h"
#include "commands/registry.h"
#include "commands/slowlog.h"

struct latency_monitor {
    struct latency_event **events;
    uint32_t count;
};

struct latency_monitor *latency_new(void) {
    return mem_zalloc(sizeof(struct latency_monitor));
}

static void event_free(struct latency_event *e) {
    mem_free(e->name);
    mem_free(e);
}

void latency_free(struct latency_monitor *m) {
    latency_reset(m, NULL, 0);
    mem_free(m);
}

/* ---- samples */

static struct latency_event *event_new(struct latency_monitor *m, const char *name) {
    struct latency_event *e = mem_zalloc(sizeof *e);
    e->name = mem_strdup(name);
    m->events = mem_realloc(m->events, (m->count + 1) * sizeof(struct latency_event *));
    m->events[m->count++] = e;
    return e;
}

static struct latency_sample *newest_sample(struct latency_event *e) {
    return &e->samples[(e->index + LATENCY_SAMPLES - 1) % LATENCY_SAMPLES];
}

void latency_add(struct latency_monitor *m, const char *event, uint32_t ms) {
    struct latency_event *e = latency_find(m, span_of(event));
    int32_t now_s = (int32_t)(clock_real_us() / 1000000);
    if (!e) e = event_new(m, event);
    e->max_ms = MAX(e->max_ms, ms);
    e->sum_ms += ms;
    e->total_count++;
    struct latency_sample *newest = newest_sample(e);
    if (newest->time_s == now_s) {
        newest->ms = MAX(newest->ms, ms);
        return;
    }
    e->samples[e->index] = (struct latency_sample){now_s, ms};
    e->index = (e->index + 1) % LATENCY_SAMPLES;
}

struct latency_event *latency_find(const struct latency_monitor *m, struct span event) {
    for (uint32_t i = 0; i < m->count; i++) {
        if (span_eq(span_of(m->events[i]->name), event)) return m->events[i];
    }
    return NULL;
}

uint32_t latency_count(const struct latency_monitor *m) {
    return m->count;
}

struct latency_event *latency_at(const struct latency_monitor *m, uint32_t at) {
    return m->events[at];
}

static bool is_named(const struct latency_event *e, const struct span *events, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        if (span_is(events[i], e->name)) return true;
    }
    return count == 0;
}

uint32_t latency_reset(struct latency_monitor *m, const struct span *events, uint32_t count) {
    uint32_t kept = 0, before = m->count;
    for (uint32_t i = 0; i < before; i++) {
        if (is_named(m->events[i], events, count)) {
            event_free(m->events[i]);
        } else {
            m->events[kept++] = m->events[i];
        }
    }
    m->count = kept;
    if (kept == 0) {
        mem_free(m->events);
        m->events = NULL;
    }
    return before - kept;
}

/* The samples that were taken, oldest first; returns how many. */
static uint32_t samples_of(const struct latency_event *e, struct latency_sample *out) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < LATENCY_SAMPLES; i++) {
        const struct latency_sample *sample = &e->samples[(e->index + i) % LATENCY_SAMPLES];
        if (sample->time_s) out[count++] = *sample;
    }
    return count;
}

/* ---- LATENCY LATEST, HISTORY, RESET */

static void latest(struct call *call) {
    const struct latency_monitor *m = call->host->latency;
    reply_array(call->reply, m->count);
    for (uint32_t i = 0; i < m->count; i++) {
        struct latency_event *e = m->events[i];
        const struct latency_sample *newest = newest_sample(e);
        reply_array(call->reply, 6);
        reply_bulk_text(call->reply, e->name);
        reply_int(call->reply, newest->time_s);
        reply_int(call->reply, newest->ms);
        reply_int(call->reply, e->max_ms);
        reply_int(call->reply, (int64_t)e->sum_ms);
        reply_int(call->reply, (int64_t)e->total_count);
    }
}

static void history(struct call *call) {
    const struct latency_event *e = latency_find(call->host->latency, call->argv[2]);
    struct latency_sample samples[LATENCY_SAMPLES];
    uint32_t count = e ? samples_of(e, samples) : 0;
    reply_array(call->reply, count);
    for (uint32_t i = 0; i < count; i++) {
        reply_array(call->reply, 2);
        reply_int(call->reply, samples[i].time_s);
        reply_int(call->reply, samples[i].ms);
    }
}

static void reset(struct call *call) {
    reply_int(call->reply, latency_reset(call->host->latency, call->argv + 2, call->argc - 2));
}

/* ---- LATENCY GRAPH: columns of four rows, a label under each that says how long ago it was */

enum { GRAPH_COLUMNS = 80, GRAPH_ROWS = 4, GRAPH_LEVELS = 3 };

static void put_age(char *out, size_t size, int64_t age_s) {
    static const struct {
        int64_t seconds;
        char unit;
    } units[] = {{86400, 'd'}, {3600, 'h'}, {60, 'm'}, {1, 's'}};
    size_t i = 0;
    while (i < ARRAY_LENGTH(units) - 1 && age_s < units[i].seconds) i++;
    snprintf(out, size, "%lld%c", (long long)(MAX(age_s, 0) / units[i].seconds), units[i].unit);
}

/* What a column shows in a row: nothing, the top of its bar ('_' '-' '`' by height), or what fills it. */
static char bar_at(uint32_t height, uint32_t row) {
    uint32_t base = row * GRAPH_LEVELS;
    if (height >= base + GRAPH_LEVELS) return '|';
    if (height < base || (height == base && row > 0)) return ' ';
    return "_-`"[height - base];
}

struct graph {
    struct latency_sample samples[LATENCY_SAMPLES];
    uint32_t count, low_ms, high_ms;
};

static uint32_t bar_height(const struct graph *g, uint32_t at) {
    uint32_t range = g->high_ms - g->low_ms, top = GRAPH_ROWS * GRAPH_LEVELS - 1;
    if (range == 0) return 0;
    return (uint32_t)((uint64_t)(g->samples[at].ms - g->low_ms) * top / range);
}

static void put_columns(struct buf *out, const struct graph *g, uint32_t from, uint32_t to) {
    int64_t now_s = clock_real_ms() / 1000;
    buf_put_char(out, '\n');
    for (uint32_t row = GRAPH_ROWS; row-- > 0;) {
        for (uint32_t i = from; i < to; i++) buf_put_char(out, bar_at(bar_height(g, i), row));
        buf_put_char(out, '\n');
    }
    buf_put_char(out, '\n');
    for (uint32_t line = 0; line < 4; line++) {
        for (uint32_t i = from; i < to; i++) {
            char age[24];
            put_age(age, sizeof age, now_s - g->samples[i].time_s);
            buf_put_char(out, line < strlen(age) ? age[line] : ' ');
        }
        buf_put_char(out, '\n');
    }
}

static void graph_measure(struct graph *g) {
    g->low_ms = g->high_ms = g->samples[0].ms;
    for (uint32_t i = 1; i < g->count; i++) {
        g->low_ms = MIN(g->low_ms, g->samples[i].ms);
        g->high_ms = MAX(g->high_ms, g->samples[i].ms);
    }
}

static void graph(struct call *call) {
    const struct latency_event *e = latency_find(call->host->latency, call->argv[2]);
    struct graph g;
    struct buf out = {0};
    if (!e) {
        struct span name = call->argv[2];
        reply_errorf(call->reply, "ERR No samples available for event '%.*s'",
                     (int)MIN(name.len, (size_t)128), name.data);
        return;
    }
    g.count = samples_of(e, g.samples);
    graph_measure(&g);
    buf_printf(&out, "%s - high %u ms, low %u ms (all time high %u ms)\n", e->name, g.high_ms,
               g.low_ms, e->max_ms);
    for (int i = 0; i < GRAPH_COLUMNS; i++) buf_put_char(&out, '-');
    for (uint32_t from = 0; from < g.count; from += GRAPH_COLUMNS) {
        put_columns(&out, &g, from, MIN(from + GRAPH_COLUMNS, g.count));
    }
    reply_verbatim(call->reply, "txt", buf_span(&out));
    buf_release(&out);
}

/* ---- LATENCY DOCTOR */

struct latency_summary {
    uint32_t count, low_ms, high_ms, average_ms, deviation_ms; /* mean absolute deviation */
    int64_t period_s;                                          /* from the oldest sample to now */
};

static struct latency_summary summarise(const struct latency_event *e) {
    struct graph g;
    struct latency_summary summary = {0};
    uint64_t sum = 0, deviations = 0;
    summary.count = g.count = samples_of(e, g.samples);
    graph_measure(&g);
    summary.low_ms = g.low_ms;
    summary.high_ms = g.high_ms;
    for (uint32_t i = 0; i < g.count; i++) sum += g.samples[i].ms;
    summary.average_ms = (uint32_t)(sum / g.count);
    for (uint32_t i = 0; i < g.count; i++) {
        int64_t away = (int64_t)g.samples[i].ms - summary.average_ms;
        deviations += (uint64_t)(away < 0 ? -away : away);
    }
    summary.deviation_ms = (uint32_t)(deviations / g.count);
    summary.period_s = MAX(clock_real_ms() / 1000 - g.samples[0].time_s, 1);
    return summary;
}

/* What can be done about each kind of event. */
static const struct {
    const char *event, *advice;
} advices[] = {
    {"command",
     "Look at SLOWLOG GET for the commands that took long: they may walk many elements at "
     "once, or hold up others because the machine is short of processor time."},
    {"fast-command",
     "Commands that should always be quick were not: the process was held up by the "
     "system. Look for swapping, other programs on the same processors, or a "
     "virtual machine that does not get its share."},
    {"expire-cycle",
     "Many keys came due at once. Spreading their expiry times over a longer period "
     "makes each step of removing them shorter."},
    {"eviction-cycle", "Much had to be evicted at once. A larger maxmemory, or smaller values, "
                       "makes each step of evicting shorter."},
};

static void put_event_report(struct buf *out, const struct latency_event *e, uint32_t number) {
    struct latency_summary summary = summarise(e);
    buf_printf(out,
               "%u. %s: %u latency spikes (average %ums, mean deviation %ums, period %.2f sec). "
               "Worst all time event %ums.\n",
               number, e->name, summary.count, summary.average_ms, summary.deviation_ms,
               (double)summary.period_s / summary.count, e->max_ms);
    for (size_t i = 0; i < ARRAY_LENGTH(advices); i++) {
        if (span_is(span_of(e->name), advices[i].event))
            buf_printf(out, "   %s\n", advices[i].advice);
    }
}

static void doctor(struct call *call) {
    const struct latency_monitor *m = call->host->latency;
    struct buf out = {0};
    if (m->count == 0 && call->host->settings->latency_monitor_threshold_ms == 0) {
        buf_put_text(&out,
                     "The latency monitor is off. It can be turned on with CONFIG SET "
                     "latency-monitor-threshold <milliseconds>, for instance to half of what a "
                     "client may have to wait at most.\n");
    } else if (m->count == 0) {
        buf_put_text(&out, "No latency spike was observed during the lifetime of this server, "
                           "or since the last LATENCY RESET.\n");
    } else {
        buf_printf(&out, "Latency spikes of %u kinds were observed:\n\n", m->count);
        for (uint32_t i = 0; i < m->count; i++) put_event_report(&out, m->events[i], i + 1);
    }
    reply_verbatim(call->reply, "txt", buf_span(&out));
    buf_release(&out);
}

/* ---- LATENCY HISTOGRAM */

static bool has_histogram(const struct command_entry *e) {
    return e->stats.histogram && e->stats.histogram->count;
}

static void reply_histogram(struct reply *reply, const struct command_entry *e) {
    uint64_t bounds_us[64], counts[64];
    int count = histogram_powers(e->stats.histogram, bounds_us, counts, 64);
    reply_bulk_text(reply, e->full_name);
    reply_map(reply, 2);
    reply_bulk_text(reply, "calls");
    reply_int(reply, (int64_t)e->stats.histogram->count);
    reply_bulk_text(reply, "histogram_usec");
    reply_map(reply, (uint64_t)count);
    for (int i = 0; i < count; i++) {
        reply_int(reply, (int64_t)bounds_us[i]);
        reply_int(reply, (int64_t)counts[i]);
    }
}

/* A command and its subcommands, as far as they were called; returns how many. Without a reply they are only counted. */
static uint64_t put_histograms(struct reply *reply, const struct command_entry *e) {
    uint64_t count = 0;
    if (has_histogram(e)) {
        if (reply) reply_histogram(reply, e);
        count++;
    }
    for (uint32_t i = 0; i < e->subcommand_count; i++) {
        count += put_histograms(reply, &e->subcommands[i]);
    }
    return count;
}

static uint64_t put_all_histograms(const struct call *call, struct reply *reply) {
    const struct command_registry *commands = call->host->commands;
    uint64_t count = 0;
    if (call->argc == 2) {
        for (uint32_t i = 0; i < registry_count(commands); i++) {
            count += put_histograms(reply, registry_at(commands, i));
        }
        return count;
    }
    for (uint32_t i = 2; i < call->argc; i++) {
        const struct command_entry *e = registry_find_full(commands, call->argv[i]);
        if (e) count += put_histograms(reply, e);
    }
    return count;
}

static void histogram(struct call *call) {
    reply_map(call->reply, put_all_histograms(call, NULL));
    put_all_histograms(call, call->reply);
}

static void help(struct call *call) {
    static const char *const lines[] = {
        "DOCTOR",
        "    Return a human readable latency analysis report.",
        "GRAPH <event>",
        "    Return an ASCII latency graph for the <event> class.",
        "HISTORY <event>",
        "    Return time-latency samples for the <event> class.",
        "LATEST",
        "    Return the latest latency samples for all events.",
        "RESET [<event> ...]",
        "    Reset latency data of one or more <event> classes.",
        "    (default: reset all data for all event classes)",
        "HISTOGRAM [COMMAND ...]",
        "    Return a cumulative distribution of latencies in the format of a histogram for the "
        "specified command "
        "names.",
        "    If no commands are specified then all histograms are replied.",
        NULL,
    };
    call_help(call, lines);
}

const struct command latency_subcommands[] = {
    {.name = "doctor",
     .run = doctor,
     .arity = 2,
     .group = GROUP_SERVER,
     .flags = COMMAND_ADMIN | COMMAND_NOSCRIPT | COMMAND_LOADING | COMMAND_STALE,
     .since = "2.8.13",
     .summary = "Returns a human-readable latency analysis report.",
     .complexity = "O(1)",
     .tips = (const char *const[]){"nondeterministic_output", "request_policy:all_nodes",
                                   "response_policy:special", NULL}},
    {.name = "graph",
     .run = graph,
     .arity = 3,
     .group = GROUP_SERVER,
     .flags = COMMAND_ADMIN | COMMAND_NOSCRIPT | COMMAND_LOADING | COMMAND_STALE,
     .since = "2.8.13",
     .summary = "Returns a latency graph for an event.",
     .complexity = "O(1)",
     .arguments = "event:string",
     .tips = (const char *const[]){"nondeterministic_output", "request_policy:all_nodes",
                                   "response_policy:special", NULL}},
    {.name = "help",
     .run = help,
     .arity = 2,
     .group = GROUP_SERVER,
     .flags = COMMAND_LOADING | COMMAND_STALE,
     .since = "2.8.13",
     .summary = "Returns helpful text about the different subcommands.",
     .complexity = "O(1)"},
    {.name = "histogram",
     .run = histogram,
     .arity = -2,
     .group = GROUP_SERVER,
     .flags = COMMAND_ADMIN | COMMAND_NOSCRIPT | COMMAND_LOADING | COMMAND_STALE,
     .since = "7.0.0",
     .summary = "Returns the cumulative distribution of latencies of a subset or all commands.",
     .complexity =
         "O(N) where N is the number of commands with latency information being retrieved.",
     .arguments = "[command:string...]",
     .tips = (const char *const[]){"nondeterministic_output", "request_policy:all_nodes",
                                   "response_policy:special", NULL}},
    {.name = "history",
     .run = history,
     .arity = 3,
     .group = GROUP_SERVER,
     .flags = COMMAND_ADMIN | COMMAND_NOSCRIPT | COMMAND_LOADING | COMMAND_STALE,
     .since = "2.8.13",
     .summary = "Returns timestamp-latency samples for an event.",
     .complexity = "O(1)",
     .arguments = "event:string",
     .tips = (const char *const[]){"nondeterministic_output", "request_policy:all_nodes",
                                   "response_policy:special", NULL}},
    {.name = "latest",
     .run = latest,
     .arity = 2,
     .group = GROUP_SERVER,
     .flags = COMMAND_ADMIN | COMMAND_NOSCRIPT | COMMAND_LOADING | COMMAND_STALE,
     .since = "2.8.13",
     .summary = "Returns the latest latency samples for all events.",
     .complexity = "O(1)",
     .tips = (const char *const[]){"nondeterministic_output", "request_policy:all_nodes",
                                   "response_policy:special", NULL}},
    {.name = "reset",
     .run = reset,
     .arity = -2,
     .group = GROUP_SERVER,
     .flags = COMMAND_ADMIN | COMMAND_NOSCRIPT | COMMAND_LOADING | COMMAND_STALE,
     .since = "2.8.13",
     .summary = "Resets the latency data for one or more events.",
     .complexity = "O(1)",
     .arguments = "[event:string...]",
     .tips = (const char *const[]){"request_policy:all_nodes", "response_policy:agg_sum", NULL}},
    {.name = NULL},
};
