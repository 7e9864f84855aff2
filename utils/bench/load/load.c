/* A load generator for servers that speak RESP: one thread, io_uring or epoll, closed loop or open, its result as one JSON object.
 *
 *     bench-load --port 6379 --connections 50 --depth 16 --seconds 3 -- SET {k} {v}
 *
 * request.h says what a request may hold, drive.h how it is driven; `bench-load --help` lists the options. */
#include <getopt.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "die.h"
#include "drive.h"

struct options {
    struct drive_options drive;
    enum key_order key_order;
    double skew;
    uint64_t space, seed;
    uint32_t value_min, value_max;
    int cpu;
};

static const char help[] =
    "bench-load [OPTION]... -- WORD... [; WORD...]     in a word: {k} key, {v} value, {r} random "
    "number, {s} sequence number\n"
    "  --host ADDRESS (127.0.0.1)   --port PORT (6379)   --unix PATH\n"
    "  --connections N (50)         --depth N (1)        units in flight on each connection\n"
    "  --seconds S (3)              --warmup S (0.5)     what is measured, and what is not, before "
    "it\n"
    "  --count N                    stop after N units, instead\n"
    "  --rate N                     open loop: N units a second, latency from when they were due\n"
    "  --keys ORDER (uniform)       uniform, sequence, zipf:SKEW        --space N (1000000)\n"
    "  --value N[:M] (100)          bytes of a value; with M any number from N to M\n"
    "  --subscribers N              connections that listen to --channel NAME (news)\n"
    "  --server-pid PID             measures the CPU time of that process\n"
    "  --series MS                  units and slowest unit of every interval\n"
    "  --cpu N                      runs on that processor   --epoll   not io_uring   --seed N "
    "(1)\n";

void die(const char *format, ...) {
    va_list args;
    fputs("bench-load: ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    exit(1);
}

static double number_of(const char *name, const char *text, double min, double max) {
    char *end;
    double value = strtod(text, &end);
    if (end == text || *end || !(value >= min && value <= max)) die("--%s: not %s", name, text);
    return value;
}

static void parse_value(struct options *o, const char *text) {
    char *end;
    unsigned long min = strtoul(text, &end, 10), max = min;
    if (end != text && *end == ':') max = strtoul(end + 1, &end, 10);
    if (end == text || *end || max > (512u << 20) || min > max) die("--value: not %s", text);
    o->value_min = (uint32_t)min;
    o->value_max = (uint32_t)max;
}

enum option_code {
    OPTION_HOST = 1000,
    OPTION_PORT,
    OPTION_UNIX,
    OPTION_CONNECTIONS,
    OPTION_DEPTH,
    OPTION_SECONDS,
    OPTION_WARMUP,
    OPTION_COUNT,
    OPTION_RATE,
    OPTION_KEYS,
    OPTION_SPACE,
    OPTION_VALUE,
    OPTION_SUBSCRIBERS,
    OPTION_CHANNEL,
    OPTION_SERVER_PID,
    OPTION_SERIES,
    OPTION_CPU,
    OPTION_EPOLL,
    OPTION_SEED,
    OPTION_HELP,
};

static const struct option option_table[] = {
    {"host", 1, NULL, OPTION_HOST},
    {"port", 1, NULL, OPTION_PORT},
    {"unix", 1, NULL, OPTION_UNIX},
    {"connections", 1, NULL, OPTION_CONNECTIONS},
    {"depth", 1, NULL, OPTION_DEPTH},
    {"seconds", 1, NULL, OPTION_SECONDS},
    {"warmup", 1, NULL, OPTION_WARMUP},
    {"count", 1, NULL, OPTION_COUNT},
    {"rate", 1, NULL, OPTION_RATE},
    {"keys", 1, NULL, OPTION_KEYS},
    {"space", 1, NULL, OPTION_SPACE},
    {"value", 1, NULL, OPTION_VALUE},
    {"subscribers", 1, NULL, OPTION_SUBSCRIBERS},
    {"channel", 1, NULL, OPTION_CHANNEL},
    {"server-pid", 1, NULL, OPTION_SERVER_PID},
    {"series", 1, NULL, OPTION_SERIES},
    {"cpu", 1, NULL, OPTION_CPU},
    {"epoll", 0, NULL, OPTION_EPOLL},
    {"seed", 1, NULL, OPTION_SEED},
    {"help", 0, NULL, OPTION_HELP},
    {NULL, 0, NULL, 0},
};

static void take_option(struct options *o, int code, const char *name, const char *text) {
    struct drive_options *d = &o->drive;
    switch (code) {
    case OPTION_HOST: d->link.host = text; break;
    case OPTION_PORT: d->link.port = (int)number_of(name, text, 1, 65535); break;
    case OPTION_UNIX: d->link.path = text; break;
    case OPTION_CONNECTIONS: d->link.conn_count = (uint32_t)number_of(name, text, 1, 60000); break;
    case OPTION_DEPTH: d->depth = (uint32_t)number_of(name, text, 1, 1000000); break;
    case OPTION_SECONDS: d->measure_ns = (uint64_t)(1e9 * number_of(name, text, 0.01, 1e6)); break;
    case OPTION_WARMUP: d->warmup_ns = (uint64_t)(1e9 * number_of(name, text, 0, 1e6)); break;
    case OPTION_COUNT: d->unit_count = (uint64_t)number_of(name, text, 1, 1e15); break;
    case OPTION_RATE: d->rate_per_s = number_of(name, text, 0.01, 1e9); break;
    case OPTION_KEYS:
        if (!keys_parse(text, &o->key_order, &o->skew)) die("--keys: not %s", text);
        break;
    case OPTION_SPACE: o->space = (uint64_t)number_of(name, text, 1, 1e15); break;
    case OPTION_VALUE: parse_value(o, text); break;
    case OPTION_SUBSCRIBERS: d->subscriber_count = (uint32_t)number_of(name, text, 0, 60000); break;
    case OPTION_CHANNEL: d->channel = text; break;
    case OPTION_SERVER_PID: d->server_pid = (pid_t)number_of(name, text, 1, 1e9); break;
    case OPTION_SERIES: d->series_ns = (uint64_t)(1e6 * number_of(name, text, 0.1, 1e6)); break;
    case OPTION_CPU: o->cpu = (int)number_of(name, text, 0, 1023); break;
    case OPTION_EPOLL: d->link.epoll = true; break;
    case OPTION_SEED: o->seed = (uint64_t)number_of(name, text, 0, 1e15); break;
    case OPTION_HELP: fputs(help, stdout); exit(0);
    default: die("see --help");
    }
}

static void pin(int cpu) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    if (sched_setaffinity(0, sizeof set, &set) != 0) die("processor %d is not to be had", cpu);
}

/* -- the result */

static void print_latency(const struct histogram *h) {
    static const double shares[] = {0,    0.1,   0.25,  0.5,    0.75,   0.9,     0.95,
                                    0.99, 0.995, 0.999, 0.9995, 0.9999, 0.99999, 1};
    printf("  \"latency_us\": {\"mean\": %.3f, \"max\": %.3f, \"curve\": [",
           (double)histogram_mean(h) / 1e3, (double)h->max_ns / 1e3);
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        printf("%s[%g, %.3f]", i ? ", " : "", shares[i], (double)histogram_at(h, shares[i]) / 1e3);
    }
    printf("]},\n");
}

static void print_cpu(const char *name, const struct cpu_sample *from,
                      const struct cpu_sample *to) {
    printf("  \"%s_cpu_ns\": %llu,\n  \"%s_threads_ns\": ", name,
           (unsigned long long)(to->total_ns - from->total_ns), name);
    cpu_print_threads(stdout, from, to);
    printf(",\n  \"%s_waited_ns\": %llu", name, (unsigned long long)cpu_waited_ns(from, to));
    printf(",\n");
}

static void print_error(const char *text) {
    printf("\"");
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') putchar('\\');
        putchar((unsigned char)*text < ' ' || (unsigned char)*text > '~' ? '?' : *text);
    }
    printf("\"");
}

static void print_series(const struct drive_result *r, const struct drive_options *d) {
    printf("  \"series\": {\"interval_ms\": %g, \"units\": [", (double)d->series_ns / 1e6);
    for (uint32_t i = 0; i < r->interval_count; i++) {
        printf("%s%llu", i ? ", " : "", (unsigned long long)r->series[i].unit_count);
    }
    printf("], \"max_us\": [");
    for (uint32_t i = 0; i < r->interval_count; i++) {
        printf("%s%.1f", i ? ", " : "", (double)r->series[i].max_ns / 1e3);
    }
    printf("]},\n");
}

static void print_result(const struct options *o, const struct drive_result *r) {
    double seconds = (double)r->elapsed_ns / 1e9;
    printf("{\n  \"engine\": \"%s\",\n  \"seconds\": %.6f,\n  \"units\": %llu,\n", r->link_kind,
           seconds, (unsigned long long)r->unit_count);
    printf("  \"units_per_second\": %.1f,\n  \"commands_per_unit\": %u,\n",
           (double)r->unit_count / seconds, o->drive.request->command_count);
    printf("  \"deliveries\": %llu,\n  \"nulls\": %llu,\n  \"late\": %llu,\n",
           (unsigned long long)r->delivery_count, (unsigned long long)r->null_count,
           (unsigned long long)r->late_count);
    print_latency(&r->latency);
    if (o->drive.server_pid) print_cpu("server", &r->server_from, &r->server_to);
    print_cpu("load", &r->load_from, &r->load_to);
    if (o->drive.series_ns) print_series(r, &o->drive);
    printf("  \"errors\": %llu,\n  \"error\": ", (unsigned long long)r->error_count);
    print_error(r->error);
    printf("\n}\n");
}

int main(int argc, char **argv) {
    static struct request request;
    static struct drive_result result;
    struct options o = {.drive = {.link = {.host = "127.0.0.1", .port = 6379, .conn_count = 50},
                                  .depth = 1,
                                  .warmup_ns = 500000000,
                                  .measure_ns = 3000000000,
                                  .channel = "news"},
                        .space = 1000000,
                        .seed = 1,
                        .value_min = 100,
                        .value_max = 100,
                        .cpu = -1};
    struct keys keys;
    int index, code;
    while ((code = getopt_long(argc, argv, "", option_table, &index)) != -1) {
        if (code == '?') return 2;
        take_option(&o, code, option_table[index].name, optarg);
    }
    if (optind == argc) die("what is to be sent? See --help");
    if (o.cpu >= 0) pin(o.cpu);
    request_init(&request, argv + optind, argc - optind, o.value_min, o.value_max);
    keys_init(&keys, o.key_order, o.space, o.skew, o.seed);
    o.drive.request = &request;
    o.drive.keys = &keys;
    drive_run(&o.drive, &result);
    print_result(&o, &result);
    free(result.series);
    request_release(&request);
    return 0;
}
