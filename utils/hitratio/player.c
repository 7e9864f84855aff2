/* Plays a trace against a server as a cache's client does: GET, and on a miss SET. Prints one JSON object.
 *
 *     hitratio-player --port 6379 --trace zipf:0.99 --keys 100000 --length 1000000
 *
 * The value of a key always has the same size, --value MIN:MAX. A few GETs travel together, and then the SETs of those that missed.
 * The hit ratio is that of the trace's last three quarters: the first fills the cache. With --rate the trace is stretched, because
 * servers know the time of an access to the second only. */
#include <arpa/inet.h>
#include <errno.h>
#include <getopt.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "../bench/load/cpu.h"
#include "../bench/load/die.h"
#include "trace.h"

enum { BATCH = 16, IN_BYTES = 1 << 20, WARM_SHARE = 4 };

struct options {
    const char *host, *trace;
    int port;
    pid_t server_pid;
    uint64_t key_space, length, seed, value_min, value_max, ttl_s;
    double rate_per_s;
};

struct player {
    const struct options *options;
    struct trace trace;
    int fd;
    char *in, *value, *out;
    size_t in_start, in_end, out_len, out_max;
    uint64_t hits, misses, errors;
    char error[160];
};

void die(const char *format, ...) {
    va_list args;
    fputs("hitratio-player: ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    exit(1);
}

/* -- the connection */

static int connect_to(const struct options *options) {
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)options->port)};
    int fd = socket(AF_INET, SOCK_STREAM, 0), one = 1;
    if (inet_pton(AF_INET, options->host, &address.sin_addr) != 1)
        die("no address: %s", options->host);
    if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address) != 0) {
        die("connect: %s", strerror(errno));
    }
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    return fd;
}

static void flush(struct player *p) {
    for (size_t at = 0; at < p->out_len;) {
        ssize_t sent = send(p->fd, p->out + at, p->out_len - at, MSG_NOSIGNAL);
        if (sent <= 0) die("send: %s", strerror(errno));
        at += (size_t)sent;
    }
    p->out_len = 0;
}

static void receive(struct player *p) {
    ssize_t got;
    if (p->in_start > 0) {
        memmove(p->in, p->in + p->in_start, p->in_end - p->in_start);
        p->in_end -= p->in_start;
        p->in_start = 0;
    }
    got = recv(p->fd, p->in + p->in_end, IN_BYTES - p->in_end, 0);
    if (got <= 0) die("the server closed the connection");
    p->in_end += (size_t)got;
}

/* A line without its end; it lasts until the next receive. */
static char *read_line(struct player *p) {
    for (;;) {
        char *line = p->in + p->in_start, *end = memchr(line, '\n', p->in_end - p->in_start);
        if (end) {
            end[-1] = '\0';
            p->in_start += (size_t)(end - line) + 1;
            return line;
        }
        receive(p);
    }
}

static void skip(struct player *p, size_t len) {
    while (p->in_end - p->in_start < len) {
        len -= p->in_end - p->in_start;
        p->in_start = p->in_end;
        receive(p);
    }
    p->in_start += len;
}

/* True: there was a value. */
static bool read_reply(struct player *p) {
    char *line = read_line(p);
    long len;
    if (line[0] == '-') {
        if (p->errors++ == 0) snprintf(p->error, sizeof p->error, "%s", line + 1);
        return false;
    }
    if (line[0] != '$') return false;
    len = strtol(line + 1, NULL, 10);
    if (len < 0) return false;
    skip(p, (size_t)len + 2);
    return true;
}

/* -- playing */

static uint64_t mixed(uint64_t x) {
    x = (x + 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static void put(struct player *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(struct player *p, const char *format, ...) {
    va_list args;
    int len;
    va_start(args, format);
    len = vsnprintf(p->out + p->out_len, p->out_max - p->out_len, format, args);
    va_end(args);
    p->out_len += (size_t)len;
}

static void put_set(struct player *p, uint64_t key) {
    const struct options *o = p->options;
    uint64_t random = mixed(key ^ o->seed << 32);
    size_t len = (size_t)(o->value_min + random % (o->value_max - o->value_min + 1));
    put(p, "*%d\r\n$3\r\nSET\r\n$16\r\nkey:%012llu\r\n$%zu\r\n", o->ttl_s ? 5 : 3,
        (unsigned long long)key, len);
    memcpy(p->out + p->out_len, p->value, len);
    p->out_len += len;
    put(p, "\r\n");
    if (o->ttl_s) { /* the deadline says nothing of the key's popularity */
        char text[24];
        int digits = snprintf(text, sizeof text, "%llu",
                              (unsigned long long)(o->ttl_s + (random >> 32) % o->ttl_s));
        put(p, "$2\r\nEX\r\n$%d\r\n%s\r\n", digits, text);
    }
}

static void play_batch(struct player *p, uint64_t count, bool counted) {
    uint64_t keys[BATCH], missed[BATCH], missed_count = 0;
    for (uint64_t i = 0; i < count; i++) {
        keys[i] = trace_next(&p->trace);
        put(p, "*2\r\n$3\r\nGET\r\n$16\r\nkey:%012llu\r\n", (unsigned long long)keys[i]);
    }
    flush(p);
    for (uint64_t i = 0; i < count; i++) {
        if (!read_reply(p)) missed[missed_count++] = keys[i];
    }
    for (uint64_t i = 0; i < missed_count; i++) put_set(p, missed[i]);
    flush(p);
    for (uint64_t i = 0; i < missed_count; i++) read_reply(p);
    if (!counted) return;
    p->hits += count - missed_count;
    p->misses += missed_count;
}

static double now_s(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void wait_until(double due_s) {
    double left_s = due_s - now_s();
    if (left_s > 0.001) {
        struct timespec time = {(time_t)left_s, (long)((left_s - (double)(time_t)left_s) * 1e9)};
        nanosleep(&time, NULL);
    }
}

static void play(struct player *p) {
    const struct options *o = p->options;
    double start_s = now_s();
    for (uint64_t at = 0; at < o->length;) {
        uint64_t count = o->length - at < BATCH ? o->length - at : BATCH;
        if (o->rate_per_s > 0) wait_until(start_s + (double)at / o->rate_per_s);
        play_batch(p, count, at >= o->length / WARM_SHARE);
        at += count;
    }
}

/* -- options */

static double number_of(const char *name, const char *text, double min, double max) {
    char *end;
    double value = strtod(text, &end);
    if (end == text || *end || !(value >= min && value <= max)) die("--%s: not %s", name, text);
    return value;
}

static void parse_value(struct options *o, const char *text) {
    char *end;
    o->value_min = o->value_max = strtoull(text, &end, 10);
    if (end != text && *end == ':') o->value_max = strtoull(end + 1, &end, 10);
    if (end == text || *end || o->value_max > 1 << 20 || o->value_min > o->value_max)
        die("--value: not %s", text);
}

static void parse(struct options *o, int argc, char **argv) {
    static const struct option table[] = {
        {"host", 1, NULL, 'h'},       {"port", 1, NULL, 'p'},   {"trace", 1, NULL, 't'},
        {"keys", 1, NULL, 'k'},       {"length", 1, NULL, 'n'}, {"seed", 1, NULL, 's'},
        {"value", 1, NULL, 'v'},      {"ttl", 1, NULL, 'e'},    {"rate", 1, NULL, 'r'},
        {"server-pid", 1, NULL, 'i'}, {NULL, 0, NULL, 0}};
    int code, index;
    while ((code = getopt_long(argc, argv, "", table, &index)) != -1) {
        const char *name = code == '?' ? "" : table[index].name;
        switch (code) {
        case 'h': o->host = optarg; break;
        case 'p': o->port = (int)number_of(name, optarg, 1, 65535); break;
        case 't': o->trace = optarg; break;
        case 'k': o->key_space = (uint64_t)number_of(name, optarg, 1, 1e11); break;
        case 'n': o->length = (uint64_t)number_of(name, optarg, 1, 1e12); break;
        case 's': o->seed = (uint64_t)number_of(name, optarg, 0, 1e9); break;
        case 'v': parse_value(o, optarg); break;
        case 'e': o->ttl_s = (uint64_t)number_of(name, optarg, 1, 1e9); break;
        case 'r': o->rate_per_s = number_of(name, optarg, 1, 1e9); break;
        case 'i': o->server_pid = (pid_t)number_of(name, optarg, 1, 1e9); break;
        default: die("the options stand at the top of player.c");
        }
    }
    if (optind < argc) die("what is %s?", argv[optind]);
}

static void print_result(const struct player *p, double seconds, uint64_t server_ns) {
    uint64_t counted = p->hits + p->misses;
    printf("{\"trace\": \"%s\", \"length\": %llu, \"seconds\": %.3f, \"hits\": %llu, \"misses\": "
           "%llu, ",
           p->options->trace, (unsigned long long)p->options->length, seconds,
           (unsigned long long)p->hits, (unsigned long long)p->misses);
    printf("\"hit_ratio\": %.6f, \"server_cpu_ns\": %llu, \"errors\": %llu, \"error\": \"",
           counted ? (double)p->hits / (double)counted : 0, (unsigned long long)server_ns,
           (unsigned long long)p->errors);
    for (const char *c = p->error; *c; c++) putchar(*c == '"' || *c == '\\' || *c < ' ' ? '?' : *c);
    printf("\"}\n");
}

int main(int argc, char **argv) {
    static struct cpu_sample before, after;
    struct options o = {.host = "127.0.0.1",
                        .port = 6379,
                        .trace = "zipf:0.99",
                        .key_space = 100000,
                        .length = 1000000,
                        .seed = 1,
                        .value_min = 100,
                        .value_max = 1000};
    struct player p = {.options = &o};
    double start_s;
    parse(&o, argc, argv);
    if (!trace_init(&p.trace, o.trace, o.key_space, o.length, o.seed))
        die("no trace is named %s", o.trace);
    p.fd = connect_to(&o);
    p.in = malloc(IN_BYTES);
    p.value = malloc(o.value_max + 1);
    p.out_max = BATCH * (o.value_max + 256);
    p.out = malloc(p.out_max);
    if (!p.in || !p.value || !p.out) die("no memory");
    memset(p.value, 'v', o.value_max);
    if (o.server_pid) cpu_take(&before, o.server_pid);
    start_s = now_s();
    play(&p);
    if (o.server_pid) cpu_take(&after, o.server_pid);
    print_result(&p, now_s() - start_s, after.total_ns - before.total_ns);
    close(p.fd);
    free(p.in);
    free(p.value);
    free(p.out);
    return 0;
}
