/* The suite over the emulated kqueue, and what only this backend promises: how many calls it makes, and what a refused change does. */
#include <sys/event.h>
#include <unistd.h>

#include "harness.h"

/* A turn is one kevent call, which carries all changes. */
static void test_one_call_per_turn(void) {
    enum { COUNT = 50 };
    int fds[COUNT];
    EXPECT(harness_open((struct net_options){0}));
    for (int i = 0; i < COUNT; i++) fds[i] = client_connect();
    UNTIL(h.peer_count == COUNT);
    QUIET_TURNS(2);
    uint64_t calls = kqueue_emu_calls, changes = kqueue_emu_changes,
             turns = net_stats(h.net)->turn_count;
    for (int i = 0; i < COUNT; i++) net_pause(h.net, h.peers[i]->conn);
    EXPECT(harness_turn(0));
    EXPECT_INT(changes + COUNT, kqueue_emu_changes);
    for (int i = 0; i < COUNT; i++) net_resume(h.net, h.peers[i]->conn);
    for (int i = 0; i < COUNT; i++) net_pause(h.net, h.peers[i]->conn);
    EXPECT(harness_turn(0));
    EXPECT_INT(changes + COUNT, kqueue_emu_changes); /* taken back before the kernel heard of it */
    EXPECT_INT(net_stats(h.net)->turn_count - turns, kqueue_emu_calls - calls);
    EXPECT_INT(0, kqueue_emu_refused);
    for (int i = 0; i < COUNT; i++) net_resume(h.net, h.peers[i]->conn);
    for (int i = 0; i < COUNT; i++) close(fds[i]);
    UNTIL(h.closed_count == COUNT);
    harness_close();
}

static void test_refused_change_closes(void) {
    EXPECT(harness_open((struct net_options){0}));
    int a = client_connect(), b = client_connect();
    UNTIL(h.peer_count == 2);
    QUIET_TURNS(2);
    kqueue_emu_refuse_fd = net_fd(h.peers[0]->conn);
    net_pause(h.net, h.peers[0]->conn);
    UNTIL(h.closed_count == 1);
    EXPECT(h.peers[0]->closed && h.peers[0]->status < 0);
    EXPECT(client_send(b, "unharmed", 8));
    UNTIL(h.peers[1]->in_bytes == 8);
    close(a);
    close(b);
    UNTIL(h.closed_count == 2);
    harness_close();
}

int main(int argc, char **argv) {
    static const struct test more[] = {
        {"one_call_per_turn", test_one_call_per_turn},
        {"refused_change_closes", test_refused_change_closes},
    };
    return conformance_main(NET_BACKEND_KQUEUE, more, ARRAY_LENGTH(more), argc, argv);
}
