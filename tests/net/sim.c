/* The sim backend's own tests: that it keeps net.h's contract, and that the same script gives the same events. */
#include "backend_sim.h"

#include <errno.h>

#include "base/buf.h"
#include "base/clock.h"
#include "test.h"

static struct sim *sim;
static struct net *net;
static int listener;
static char log_text[8192]; /* one letter per event, and the bytes of DATA */
static struct net_conn *last;

static bool start(struct net_options options) {
    char why[64];
    sim = sim_new();
    options.backend = NET_BACKEND_SIM;
    options.sim = sim;
    log_text[0] = '\0';
    last = NULL;
    if (net_new(&options, &net, why, sizeof why) < 0) return false;
    listener = net_listen(net, &(struct net_listen_options){.tag = 5});
    return listener >= 0;
}

static void finish(void) {
    net_free(net);
    sim_free(sim);
}

static int turn(int timeout_ms) {
    static const char letters[] = {
        [NET_EVENT_ACCEPTED] = 'A', [NET_EVENT_DATA] = 'D',  [NET_EVENT_SENT] = 'S',
        [NET_EVENT_CLOSED] = 'C',   [NET_EVENT_READY] = 'R', [NET_EVENT_NONE] = '-',
    };
    struct net_event *events;
    int count = net_turn(net, timeout_ms, &events);
    for (int i = 0; i < count; i++) {
        size_t used = strlen(log_text);
        snprintf(log_text + used, sizeof log_text - used, "%c", letters[events[i].kind]);
        if (events[i].kind == NET_EVENT_ACCEPTED) last = events[i].conn;
        if (events[i].kind != NET_EVENT_DATA) continue;
        used = strlen(log_text);
        snprintf(log_text + used, sizeof log_text - used, "(%.*s)", (int)events[i].data.len,
                 events[i].data.data);
    }
    return count;
}

#define EXPECT_LOG(text) EXPECT_SPAN(span_of(text), span_of(log_text))

static void run(void) {
    while (!sim_idle(sim)) turn(0);
}

static void test_split_feed(void) {
    EXPECT(start((struct net_options){0}));
    int c = sim_connect(sim, listener);
    sim_feed(sim, c, SPAN("abcdefgh"), 3);
    sim_feed(sim, c, SPAN("whole"), 0);
    EXPECT(!sim_accepted(sim, c));
    run();
    EXPECT_LOG("AD(abc)D(def)D(gh)D(whole)");
    sim_end(sim, c);
    run();
    EXPECT_LOG("AD(abc)D(def)D(gh)D(whole)C");
    EXPECT(sim_closed(sim, c));
    EXPECT_INT(0, net_conn_count(net));
    finish();
}

static void test_slow_reader(void) {
    struct iovec pieces[] = {{(char[]){"0123456789"}, 10}, {(char[]){"abcdef"}, 6}};
    EXPECT(start((struct net_options){0}));
    int c = sim_connect(sim, listener);
    run();
    sim_reads(sim, c, 0);
    net_send(net, last, pieces, 2, 16);
    EXPECT_INT(0, turn(0));
    EXPECT(sim_idle(sim) && net_sending(last));
    sim_reads(sim, c, 7);
    EXPECT_INT(0, turn(0));
    EXPECT_SPAN(SPAN("0123456"), sim_output(sim, c));
    EXPECT_INT(0, turn(0));
    EXPECT_INT(1, turn(0));
    EXPECT_SPAN(SPAN("0123456789abcdef"), sim_output(sim, c));
    EXPECT_LOG("AS");
    sim_output_clear(sim, c);
    EXPECT_INT(0, sim_output(sim, c).len);
    finish();
}

static void test_pause(void) {
    EXPECT(start((struct net_options){0}));
    int c = sim_connect(sim, listener);
    run();
    net_pause(net, last);
    EXPECT(sim_paused(sim, c));
    sim_feed(sim, c, SPAN("wait"), 0);
    EXPECT(sim_idle(sim));
    EXPECT_INT(4, sim_unread(sim, c));
    net_resume(net, last);
    run();
    EXPECT_LOG("AD(wait)");
    finish();
}

static void test_ends(void) {
    struct iovec piece = {(char[]){"answer"}, 6};
    EXPECT(start((struct net_options){0}));
    int c = sim_connect(sim, listener);
    sim_feed(sim, c, SPAN("ask"), 0);
    sim_end(sim, c);
    turn(0);
    turn(0);
    net_send(net, last, &piece, 1, 6); /* in answer to the last words */
    run();
    EXPECT_LOG("AD(ask)SC");
    EXPECT_SPAN(SPAN("answer"), sim_output(sim, c));
    int broken = sim_connect(sim, listener);
    sim_break(sim, broken, -ECONNRESET);
    run();
    EXPECT_LOG("AD(ask)SCAC");
    int closed = sim_connect(sim, listener);
    run();
    net_send(net, last, &piece, 1, 6);
    net_close(net, last);
    run();
    EXPECT_LOG("AD(ask)SCACAC");
    EXPECT_INT(0, sim_output(sim, closed).len);
    finish();
}

static void test_accepting(void) {
    EXPECT(start((struct net_options){.event_count_max = 2}));
    net_set_accepting(net, false);
    for (int i = 0; i < 5; i++) EXPECT_INT(i, sim_connect(sim, listener));
    EXPECT_INT(0, turn(0));
    EXPECT(sim_idle(sim));
    net_set_accepting(net, true);
    EXPECT_INT(2, turn(0));
    run();
    EXPECT_LOG("AAAAA");
    EXPECT(net_peer_is_loopback(last));
    finish();
}

static void test_ready_and_clock(void) {
    clock_set_test(1000, 1000);
    EXPECT(start((struct net_options){0}));
    sim_moves_clock(sim, true);
    sim_ready(sim, 3);
    EXPECT_INT(1, turn(50));
    EXPECT_INT(1000, clock_mono_ms());
    EXPECT_INT(0, turn(50));
    EXPECT_INT(1050, clock_mono_ms());
    EXPECT_LOG("R");
    finish();
}

int main(int argc, char **argv) {
    static const struct test tests[] = {
        {"sim_split_feed", test_split_feed}, {"sim_slow_reader", test_slow_reader},
        {"sim_pause", test_pause},           {"sim_ends", test_ends},
        {"sim_accepting", test_accepting},   {"sim_ready_and_clock", test_ready_and_clock},
    };
    return test_main(tests, ARRAY_LENGTH(tests), argc, argv);
}
