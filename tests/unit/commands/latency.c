#include "fake_host.h"

static struct session *s;

static void begin(void) {
    static const struct command *const tables[] = {commands_server, commands_connection};
    fake_begin(tables, 2);
    s = fake_session();
}

static bool says(struct span text, const char *part) {
    return memmem(text.data, text.len, part, strlen(part)) != NULL;
}

/* latency_add reads the wall clock itself: samples of one second share a place, so a test moves them by hand. */
static void age(const char *event, int32_t seconds) {
    struct latency_event *e = latency_find(fake.host.latency, span_of(event));
    for (int i = 0; i < LATENCY_SAMPLES; i++) {
        if (e->samples[i].time_s) e->samples[i].time_s -= seconds;
    }
}

static void test_samples(void) {
    begin();
    latency_add(fake.host.latency, "command", 10);
    age("command", 1);
    latency_add(fake.host.latency, "command", 30);
    age("command", 1);
    latency_add(fake.host.latency, "command", 20);
    struct latency_event *e = latency_find(fake.host.latency, SPAN("command"));
    EXPECT(e != NULL);
    EXPECT_INT(3, e->index);
    EXPECT_INT(30, e->max_ms);
    EXPECT_INT(60, e->sum_ms);
    EXPECT_INT(3, e->total_count);
    EXPECT_INT(1, latency_count(fake.host.latency));
    EXPECT(latency_find(fake.host.latency, SPAN("fork")) == NULL);
    fake_end();
}

static void test_one_second(void) {
    begin();
    /* The second may change between the calls, but not three times. */
    for (int i = 0; i < 100; i++) latency_add(fake.host.latency, "command", (uint32_t)i);
    struct latency_event *e = latency_find(fake.host.latency, SPAN("command"));
    EXPECT(e->index <= 3);
    EXPECT_INT(99, e->samples[e->index - 1].ms);
    fake_end();
}

static void test_ring(void) {
    begin();
    for (uint32_t i = 0; i < LATENCY_SAMPLES + 5; i++) {
        if (i) age("command", 1);
        latency_add(fake.host.latency, "command", i);
    }
    struct span reply = fake_run(s, "latency history command");
    EXPECT(says(reply, "*160\r\n"));
    EXPECT(says(reply, ":164\r\n"));
    EXPECT(!says(reply, "\r\n:4\r\n"));
    EXPECT(says(fake_run(s, "latency latest"), "*1\r\n*6\r\n$7\r\ncommand\r\n"));
    fake_end();
}

static void test_reset(void) {
    begin();
    latency_add(fake.host.latency, "command", 1);
    latency_add(fake.host.latency, "fork", 1);
    latency_add(fake.host.latency, "expire-cycle", 1);
    EXPECT_SPAN(SPAN(":0\r\n"), fake_run(s, "latency reset nothing"));
    EXPECT_SPAN(SPAN(":1\r\n"), fake_run(s, "latency reset FORK nothing"));
    EXPECT_INT(2, latency_count(fake.host.latency));
    EXPECT_SPAN(SPAN(":2\r\n"), fake_run(s, "latency reset"));
    EXPECT_SPAN(SPAN("*0\r\n"), fake_run(s, "latency latest"));
    EXPECT_SPAN(SPAN("*0\r\n"), fake_run(s, "latency history command"));
    fake_end();
}

static void test_graph(void) {
    begin();
    EXPECT_SPAN(SPAN("-ERR No samples available for event 'x'\r\n"),
                fake_run(s, "latency graph x"));
    for (uint32_t i = 0; i < 100; i++) {
        if (i) age("command", 60);
        latency_add(fake.host.latency, "command", 10 + i);
    }
    struct span reply = fake_run(s, "latency graph command");
    EXPECT(says(reply, "command - high 109 ms, low 10 ms (all time high 109 ms)\n"));
    EXPECT(says(reply, "_"));
    EXPECT(says(reply, "||||"));
    fake_end();
}

static void test_doctor(void) {
    begin();
    EXPECT(says(fake_run(s, "latency doctor"), "latency-monitor-threshold"));
    fake.settings.latency_monitor_threshold_ms = 10;
    EXPECT(says(fake_run(s, "latency doctor"), "No latency spike"));
    latency_add(fake.host.latency, "command", 15);
    struct span reply = fake_run(s, "latency doctor");
    EXPECT(says(reply, "1. command: 1 latency spikes (average 15ms, mean deviation 0ms"));
    EXPECT(says(reply, "SLOWLOG"));
    fake_end();
}

static void count(const char *full_name, uint64_t us) {
    struct command_entry *e = registry_find_full(fake.host.commands, span_of(full_name));
    if (!e->stats.histogram) e->stats.histogram = mem_zalloc(sizeof *e->stats.histogram);
    histogram_add(e->stats.histogram, us);
}

static void test_histogram(void) {
    begin();
    EXPECT_SPAN(SPAN("*0\r\n"), fake_run(s, "latency histogram"));
    count("ping", 1);
    count("ping", 1);
    count("client|id", 1);
    EXPECT_SPAN(SPAN("*2\r\n$4\r\nping\r\n*4\r\n$5\r\ncalls\r\n:2\r\n$14\r\nhistogram_usec\r\n*"
                     "2\r\n:1\r\n:2\r\n"),
                fake_run(s, "latency histogram ping nothing get"));
    EXPECT(says(fake_run(s, "latency histogram client"), "*2\r\n$9\r\nclient|id\r\n"));
    s->reply.protocol = 3;
    EXPECT(says(fake_run(s, "latency histogram"), "%2\r\n"));
    fake_end();
}

int main(int argc, char **argv) {
    static const struct test tests[] = {
        {"latency_samples", test_samples},     {"latency_one_second", test_one_second},
        {"latency_ring", test_ring},           {"latency_reset", test_reset},
        {"latency_graph", test_graph},         {"latency_doctor", test_doctor},
        {"latency_histogram", test_histogram},
    };
    return test_main(tests, ARRAY_LENGTH(tests), argc, argv);
}
