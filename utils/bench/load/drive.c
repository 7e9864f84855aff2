#include "drive.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "die.h"

enum { SEND_BYTES_MAX = 4 << 20 };
#define SILENCE_NS 60000000000u /* without a reply: the server hangs */

struct conn {
    struct replies replies;
    char *out;
    uint64_t *sent_ns; /* by unit % depth; closed loop */
    uint64_t due, sent, done;
    bool sending, touched;
};

struct drive {
    const struct drive_options *options;
    struct drive_result *result;
    struct link_handler handler;
    struct link *link;
    struct conn *conns; /* those that send, then the subscribers */
    uint32_t *touched;  /* connections that may have something to send */
    uint32_t touched_count, conn_count, units_max;
    uint64_t start_ns, measure_ns, last_reply_ns; /* measure_ns: when measuring began; 0: not yet */
    uint64_t built, done, released, deliveries;   /* units of the whole run */
    double gap_ns;                                /* between units that fall due */
    size_t out_bytes;
};

static uint64_t now_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void touch(struct drive *d, uint32_t number) {
    struct conn *c = d->conns + number;
    if (c->touched) return;
    c->touched = true;
    d->touched[d->touched_count++] = number;
}

/* -- replies */

static void note_interval(struct drive *d, uint64_t now, uint64_t latency_ns) {
    struct drive_result *result = d->result;
    uint64_t at = (now - d->measure_ns) / d->options->series_ns;
    if (at >= DRIVE_INTERVALS_MAX) at = DRIVE_INTERVALS_MAX - 1;
    if (result->interval_count <= at) result->interval_count = (uint32_t)at + 1;
    result->series[at].unit_count++;
    if (latency_ns > result->series[at].max_ns) result->series[at].max_ns = latency_ns;
}

/* When the unit falls due that is `index` in the whole run: somewhere in its gap, lest the load beats time with the server. */
static uint64_t due_ns(const struct drive *d, uint64_t index) {
    uint64_t mixed = index * 0x9e3779b97f4a7c15u;
    double within = (double)((mixed ^ mixed >> 32) & 0xffffffffu) * 0x1p-32;
    return d->start_ns + (uint64_t)(((double)index + within) * d->gap_ns);
}

static void unit_done(struct drive *d, uint32_t number, uint64_t now) {
    struct conn *c = d->conns + number;
    uint64_t from = d->options->rate_per_s > 0
                        ? due_ns(d, c->done * d->options->link.conn_count + number)
                        : c->sent_ns[c->done % d->options->depth];
    c->done++;
    d->done++;
    if (!d->measure_ns || from < d->measure_ns) return;
    d->result->unit_count++;
    histogram_add(&d->result->latency, now - from);
    if (d->options->series_ns) note_interval(d, now, now - from);
}

static void deliveries_came(struct drive *d, uint64_t count) {
    d->deliveries += count;
    if (d->measure_ns) d->result->delivery_count += count;
    for (uint32_t i = 0; i < d->options->link.conn_count; i++) touch(d, i);
}

static void on_data(void *arg, uint32_t number, const char *bytes, size_t len) {
    struct drive *d = arg;
    struct conn *c = d->conns + number;
    uint64_t before = c->replies.count, commands = d->options->request->command_count;
    d->last_reply_ns = now_ns();
    replies_read(&c->replies, bytes, len);
    if (number >= d->options->link.conn_count) {
        deliveries_came(d, c->replies.count - before);
        return;
    }
    while (c->replies.count >= (c->done + 1) * commands) unit_done(d, number, d->last_reply_ns);
    if (c->replies.error_count && !d->result->error_count) {
        d->result->error_count = c->replies.error_count;
        memcpy(d->result->error, c->replies.error, sizeof d->result->error);
    }
    touch(d, number);
}

static void on_sent(void *arg, uint32_t number) {
    struct drive *d = arg;
    d->conns[number].sending = false;
    if (number < d->options->link.conn_count) touch(d, number);
}

/* -- sending */

/* How many units may go to a connection now. */
static uint64_t allowed(const struct drive *d, const struct conn *c) {
    const struct drive_options *options = d->options;
    uint64_t most = options->depth - (c->sent - c->done), ahead;
    if (options->rate_per_s > 0) most = most < c->due - c->sent ? most : c->due - c->sent;
    if (options->unit_count) {
        ahead = options->unit_count - d->built;
        most = most < ahead ? most : ahead;
    }
    if (options->subscriber_count) {
        ahead = d->built - d->deliveries / options->subscriber_count;
        ahead = ahead < options->depth ? options->depth - ahead : 0;
        most = most < ahead ? most : ahead;
    }
    return most < d->units_max ? most : d->units_max;
}

static void fill(struct drive *d, uint32_t number, uint64_t now) {
    const struct drive_options *options = d->options;
    struct conn *c = d->conns + number;
    uint64_t count = c->sending ? 0 : allowed(d, c);
    size_t len = 0;
    if (count == 0) return;
    if (!c->out && !(c->out = malloc(d->out_bytes))) die("no memory");
    for (uint64_t i = 0; i < count; i++) {
        len += request_write(options->request, options->keys, d->built++, c->out + len);
        c->sent_ns[c->sent++ % options->depth] = now;
    }
    c->sending = true;
    link_send(d->link, number, c->out, len);
}

static void fill_touched(struct drive *d) {
    uint64_t now = now_ns();
    uint32_t count = d->touched_count;
    d->touched_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        d->conns[d->touched[i]].touched = false;
        fill(d, d->touched[i], now);
    }
}

/* Open loop: what has fallen due since the last turn. */
static void release_due(struct drive *d) {
    uint32_t conn_count = d->options->link.conn_count;
    uint64_t now = now_ns();
    while (due_ns(d, d->released) <= now) {
        uint32_t number = (uint32_t)(d->released++ % conn_count);
        d->conns[number].due++;
        touch(d, number);
    }
}

/* -- the run */

static void subscribe(struct drive *d) {
    const struct drive_options *options = d->options;
    char text[256];
    int len = snprintf(text, sizeof text, "*2\r\n$9\r\nSUBSCRIBE\r\n$%zu\r\n%s\r\n",
                       strlen(options->channel), options->channel);
    if (len <= 0 || (size_t)len >= sizeof text) die("the channel's name is too long");
    for (uint32_t i = options->link.conn_count; i < d->conn_count; i++) {
        d->conns[i].sending = true;
        link_send(d->link, i, text, (size_t)len);
        if (i % 256 == 0) link_turn(d->link, true);
    }
    while (d->deliveries < options->subscriber_count) link_turn(d->link, true);
    d->deliveries = 0;
}

static void begin_measuring(struct drive *d) {
    if (d->options->server_pid) cpu_take(&d->result->server_from, d->options->server_pid);
    cpu_take(&d->result->load_from, 0);
    d->measure_ns = now_ns();
}

static bool over(const struct drive *d, uint64_t now) {
    if (d->result->error_count) return true;
    if (now > d->last_reply_ns + SILENCE_NS) die("no reply for a minute");
    if (d->options->unit_count) return d->done == d->options->unit_count;
    return d->measure_ns && now >= d->measure_ns + d->options->measure_ns;
}

static void run(struct drive *d) {
    const struct drive_options *options = d->options;
    bool open_loop = options->rate_per_s > 0;
    uint64_t now = d->start_ns = d->last_reply_ns = now_ns();
    if (options->unit_count || options->warmup_ns == 0) {
        begin_measuring(d);
        d->start_ns = d->measure_ns;
    }
    for (uint32_t i = 0; i < options->link.conn_count; i++) touch(d, i);
    for (; !over(d, now); now = now_ns()) {
        if (open_loop) release_due(d);
        fill_touched(d);
        link_turn(d->link, !open_loop);
        if (!d->measure_ns && now >= d->start_ns + options->warmup_ns) begin_measuring(d);
    }
    if (!d->measure_ns) begin_measuring(d); /* an error in the warm-up */
    d->result->elapsed_ns = now_ns() - d->measure_ns;
    if (options->server_pid) cpu_take(&d->result->server_to, options->server_pid);
    cpu_take(&d->result->load_to, 0);
}

static void make(struct drive *d) {
    const struct drive_options *options = d->options;
    struct link_options link = options->link;
    d->conn_count = link.conn_count += options->subscriber_count;
    d->conns = calloc(d->conn_count, sizeof *d->conns);
    d->touched = calloc(d->conn_count, sizeof *d->touched);
    d->result->series = calloc(DRIVE_INTERVALS_MAX, sizeof *d->result->series);
    if (!d->conns || !d->touched || !d->result->series) die("no memory");
    for (uint32_t i = 0; i < options->link.conn_count; i++) {
        d->conns[i].sent_ns = calloc(options->depth, sizeof(uint64_t));
        if (!d->conns[i].sent_ns) die("no memory");
    }
    d->units_max = (uint32_t)(SEND_BYTES_MAX / options->request->bytes_max + 1);
    if (d->units_max > options->depth) d->units_max = options->depth;
    d->out_bytes = d->units_max * options->request->bytes_max;
    d->gap_ns = options->rate_per_s > 0 ? 1e9 / options->rate_per_s : 0;
    d->handler = (struct link_handler){d, on_data, on_sent};
    d->link = link_open(&link, &d->handler);
}

static void release(struct drive *d) {
    link_close(d->link);
    for (uint32_t i = 0; i < d->conn_count; i++) {
        d->result->null_count += d->conns[i].replies.null_count;
        d->result->late_count +=
            d->conns[i].due > d->conns[i].sent ? d->conns[i].due - d->conns[i].sent : 0;
        free(d->conns[i].sent_ns);
        free(d->conns[i].out);
    }
    free(d->conns);
    free(d->touched);
}

void drive_run(const struct drive_options *options, struct drive_result *result) {
    struct drive d = {.options = options, .result = result};
    memset(result, 0, sizeof *result);
    make(&d);
    if (options->subscriber_count) subscribe(&d);
    run(&d);
    result->link_kind = link_kind(d.link);
    release(&d);
}
