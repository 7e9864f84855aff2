/* The whole server but its sockets under libFuzzer: clients on the scripted backend send what the input says, split as it says, and
 * leave as it says. Nothing may crash, what was read must be whole replies, and all memory must come back; also when allocations
 * fail.
 *
 * Input: a byte of settings, a byte that says which allocation fails (0: none), then the stream. Bytes from 0xf8 on are no text
 * but acts (enum act), some with a number behind them; all others are sent by the client whose turn it is.
 * Seeds: tests/fuzz/corpus/session/, and the transcripts (tests/fuzz/seeds.py). */
#include <stdint.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/check.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/log.h"
#include "net/backend_sim.h"
#include "server/host.h"

enum act {
    ACT_CLOCK = 0xf8,  /* N: time goes on by N * 100 ms */
    ACT_READS = 0xf9,  /* N: reads N * N bytes a turn, 255 everything */
    ACT_END = 0xfa,    /* ends in order */
    ACT_BREAK = 0xfb,  /* is reset */
    ACT_TURN = 0xfc,   /* what was fed so far goes on its way, one turn */
    ACT_SETTLE = 0xfd, /* turns until nothing moves */
    ACT_RUN = 0xfe,    /* N: 256 * N times 'v' */
    ACT_CLIENT = 0xff, /* N: the next bytes are client N's */
};

enum {
    SETTING_PIECE_MASK = 7, /* piece_bytes[] below */
    SETTING_PASSWORD = 1 << 3,
    SETTING_LIMITS = 1 << 4,  /* small output and query buffers */
    SETTING_PAUSE = 1 << 5,   /* execution stops above a little output */
    SETTING_OBSERVE = 1 << 6, /* every command is slow, all events are noted */
    SETTING_SMALL = 1 << 7,   /* small encodings, little memory */
    CLIENTS_MAX = 3,
    TURNS_MAX = 400,
    BUSY_MAX =
        4, /* how often a script that runs for too long lets others be served, in one input */
    RUNS_BYTES_MAX = 256 * 1024,
    DEPTH_MAX = 32,
};

static const size_t piece_bytes[] = {0, 1, 2, 3, 7, 16, 100, 4096};

struct fuzz {
    struct sim *sim;
    struct server server;
    int clients[CLIENTS_MAX]; /* -1: not connected */
    int at;                   /* whose turn it is */
    struct buf bytes;         /* to be fed to it */
    size_t piece, runs_bytes;
    uint32_t turn_count, busy_count;
    bool (*serve_while_busy)(void *server);
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* ---- what was read is RESP */

/* The bytes of one whole reply at the beginning of `in`, 0 when it is cut short. */
static size_t reply_bytes(struct span in, int depth) {
    size_t line = 0;
    while (line + 1 < in.len && in.data[line] != '\r') line++;
    if (line + 1 >= in.len) return 0;
    CHECK(depth < DEPTH_MAX && line > 0 && in.data[line + 1] == '\n');
    char kind = in.data[0];
    int64_t count = 0;
    bool counted = strchr("$=*~>%|", kind) != NULL;
    CHECK(counted || strchr("+-:_,#(", kind) != NULL);
    if (!counted) return line + 2;
    CHECK(num_parse_int(span_make(in.data + 1, line - 1), &count) && count >= -1);
    if (count < 0) return line + 2;
    if (kind == '$' || kind == '=') {
        size_t end = line + 2 + (size_t)count;
        if (in.len < end + 2) return 0;
        CHECK(in.data[end] == '\r' && in.data[end + 1] == '\n');
        return end + 2;
    }
    size_t used = line + 2;
    if (kind == '%' || kind == '|') count *= 2;
    for (int64_t i = 0; i < count; i++) {
        size_t part = reply_bytes(span_make(in.data + used, in.len - used), depth + 1);
        if (part == 0) return 0;
        used += part;
    }
    return used;
}

/* Whole replies; cut short only where the server has closed the connection. */
static void check_output(const struct fuzz *f, int client) {
    struct span rest = sim_output(f->sim, client);
    while (rest.len > 0) {
        size_t used = reply_bytes(rest, 0);
        if (used == 0) {
            CHECK(sim_closed(f->sim, client));
            return;
        }
        rest = span_make(rest.data + used, rest.len - used);
    }
}

/* ---- the server */

static const char plain_options[] =
    "loglevel nothing\nproto-max-bulk-len 1mb\nclient-query-buffer-limit 2mb\n"
    "databases 4\nport 7777\nbind 127.0.0.1\nset-proc-title no\nbusy-reply-threshold 1\n";
static const struct {
    uint8_t setting;
    const char *lines;
} more_options[] = {
    {SETTING_PASSWORD, "requirepass secret\n"},
    {SETTING_LIMITS, "client-query-buffer-limit 1mb\n"
                     "client-output-buffer-limit normal 64kb 16kb 1\n"},
    {SETTING_PAUSE, "output-pause-bytes 1000\n"},
    {SETTING_OBSERVE,
     "slowlog-log-slower-than 0\nlatency-monitor-threshold 1\nnotify-keyspace-events KEA\n"},
    {SETTING_SMALL,
     "hash-max-listpack-entries 2\nset-max-intset-entries 2\nset-max-listpack-entries 2\n"
     "zset-max-listpack-entries 2\nlist-max-listpack-size 2\nturn-window 3\n"
     "maxmemory-policy allkeys-lfu\n"},
};

/* Nobody waits for an endless script here: others are served some times, as they are by a real server, then it ends. */
static bool serve_while_busy(void *server) {
    struct fuzz *f = CONTAINER_OF(server, struct fuzz, server);
    return f->serve_while_busy(server) || ++f->busy_count >= BUSY_MAX;
}

static void server_start(struct fuzz *f, uint8_t settings) {
    struct server *sv = &f->server;
    struct buf text = {0}, error = {0};
    /* What changes the process would change the fuzzer. */
    static const enum option_apply outside[] = {APPLY_CRASH_LOG, APPLY_LOG, APPLY_OOM_SCORE,
                                                APPLY_TITLE, APPLY_MAXCLIENTS};
    buf_put_text(&text, plain_options);
    for (size_t i = 0; i < ARRAY_LENGTH(more_options); i++) {
        if (settings & more_options[i].setting) buf_put_text(&text, more_options[i].lines);
    }
    sv->config = config_new(&sv->settings);
    CHECK(config_load_text(sv->config, buf_span(&text), "fuzz", &error) == 0);
    sv->settings.net_backend = NET_BACKEND_SIM;
    CHECK(server_init(sv) == 0);
    for (size_t i = 0; i < ARRAY_LENGTH(outside); i++) {
        config_on_apply(sv->config, outside[i], NULL, NULL);
    }
    CHECK(server_listen(sv) == 0);
    f->serve_while_busy = sv->host.serve_while_busy;
    sv->host.serve_while_busy = serve_while_busy;
    buf_release(&text);
    buf_release(&error);
}

static void turn(struct fuzz *f) {
    if (f->server.stopping || f->turn_count >= TURNS_MAX) return;
    f->turn_count++;
    CHECK(turn_run(&f->server.turn, server_wait_ms(&f->server)) == 0);
    server_cron(&f->server);
}

static void settle(struct fuzz *f) {
    for (int i = 0; i < TURNS_MAX / 8; i++) {
        turn(f);
        if (sim_idle(f->sim) && !turn_has_waiting(&f->server.turn)) return;
    }
}

/* ---- the script */

static int client(struct fuzz *f) {
    if (f->clients[f->at] < 0) f->clients[f->at] = sim_connect(f->sim, 0);
    return f->clients[f->at];
}

static void feed(struct fuzz *f) {
    if (f->bytes.len == 0) return;
    sim_feed(f->sim, client(f), buf_span(&f->bytes), f->piece);
    buf_clear(&f->bytes);
}

static void put_run(struct fuzz *f, size_t len) {
    if (f->runs_bytes > RUNS_BYTES_MAX) return;
    f->runs_bytes += len;
    for (size_t i = 0; i < len; i++) buf_put_char(&f->bytes, 'v');
}

static void leave(struct fuzz *f, bool broken) {
    int number = client(f);
    if (broken) {
        sim_break(f->sim, number, -104);
    } else {
        sim_end(f->sim, number);
    }
    turn(f);
    f->clients[f->at] = sim_closed(f->sim, number) ? -1 : number;
}

static void act(struct fuzz *f, enum act act, uint8_t number) {
    if (act != ACT_RUN) feed(f);
    switch (act) {
    case ACT_CLOCK: clock_advance_test(number * 100); break;
    case ACT_READS:
        sim_reads(f->sim, client(f), number == 255 ? SIZE_MAX : (size_t)number * number);
        break;
    case ACT_END: leave(f, false); break;
    case ACT_BREAK: leave(f, true); break;
    case ACT_TURN: turn(f); break;
    case ACT_SETTLE: settle(f); break;
    case ACT_RUN: put_run(f, (size_t)number * 256); break;
    case ACT_CLIENT: f->at = number % CLIENTS_MAX; break;
    }
}

static bool has_number(uint8_t byte) {
    return byte == ACT_CLOCK || byte == ACT_READS || byte == ACT_RUN || byte == ACT_CLIENT;
}

static void play(struct fuzz *f, const uint8_t *data, size_t size) {
    for (size_t i = 0; i < size; i++) {
        if (data[i] < ACT_CLOCK) {
            buf_put_char(&f->bytes, (char)data[i]);
        } else if (has_number(data[i])) {
            uint8_t number = i + 1 < size ? data[i + 1] : 0;
            act(f, data[i], number);
            i++;
        } else {
            act(f, data[i], 0);
        }
    }
    feed(f);
    settle(f);
}

/* Everybody reads what there is. */
static void finish(struct fuzz *f, int client_count) {
    for (int i = 0; i < client_count; i++) sim_reads(f->sim, i, SIZE_MAX);
    f->turn_count = 0;
    settle(f);
    settle(f);
    if (f->server.stopping || !sim_idle(f->sim)) return;
    for (int i = 0; i < client_count; i++) check_output(f, i);
}

static int connected(const struct fuzz *f) {
    int count = 0;
    for (int i = 0; i < CLIENTS_MAX; i++) count = MAX(count, f->clients[i] + 1);
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    size_t used = mem_used_bytes();
    if (size < 3) return 0;
    hash_seed_set(1, 2);
    clock_set_test(1700000000000, 1000000);
    struct fuzz *f = mem_zalloc(sizeof *f);
    f->sim = sim_new();
    f->piece = piece_bytes[data[0] & SETTING_PIECE_MASK];
    for (int i = 0; i < CLIENTS_MAX; i++) f->clients[i] = -1;
    CHECK(log_open(&(struct log_options){.level = LOG_LEVEL_NOTHING}) == 0);
    sim_moves_clock(f->sim, true);
    server_start(f, data[0]);
    mem_test_fail_at(data[1]);
    play(f, data + 2, size - 2);
    mem_test_fail_at(0);
    finish(f, connected(f));
    server_release(&f->server);
    config_free(f->server.config);
    sim_free(f->sim);
    buf_release(&f->bytes);
    mem_free(f);
    CHECK(mem_used_bytes() == used);
    return 0;
}
