/* A backend without a kernel, for tests of what stands above net.h: a script feeds bytes to connections, split as it likes, and looks
 * at what comes out. No descriptor, no thread, no waiting: the same script gives the same events, always.
 *
 *     struct sim *sim = sim_new();
 *     struct net_options options = {.backend = NET_BACKEND_SIM, .sim = sim};
 *     net_new(&options, &net, why, sizeof why);
 *     int listener = net_listen(net, &(struct net_listen_options){.tag = 1});
 *     int c = sim_connect(sim, listener);
 *     sim_feed(sim, c, SPAN("*1\r\n$4\r\nPING\r\n"), 3);      // three bytes a turn
 *     while (!sim_idle(sim)) handle events of net_turn(net, 0, &events);
 *     EXPECT_SPAN(SPAN("+PONG\r\n"), sim_output(sim, c));
 *     net_free(net);
 *     sim_free(sim);
 *
 * In each turn each connection, in the order of their numbers, gets at most one of: ACCEPTED; the next piece of its feed (unless it
 * is paused); its end. And its send moves on by what the client reads in a turn, which reports SENT when all is read. net_close
 * reports CLOSED in the next turn. Received bytes are a heap block each, freed at the next turn; bytes to send are read only when
 * the client takes them: a sanitizer sees who keeps the one too long or lets go of the other too early.
 *
 * A fuzzer's target makes one sim per input, takes pieces' lengths from the input, and runs turns until sim_idle. */
#ifndef TESTS_NET_BACKEND_SIM_H
#define TESTS_NET_BACKEND_SIM_H

#include "base/span.h"
#include "net/net.h"

struct sim;

struct sim *sim_new(void); /* also registers the backend; a net without options.sim gets the latest one */
void sim_free(struct sim *sim); /* after net_free */

/* A client connects; its number, from 0 on. ACCEPTED comes with the next turn, unless net_set_accepting holds it back. */
int sim_connect(struct sim *sim, int listener);

/* Bytes for the server (copied), in pieces of piece_bytes each (0: all in one), after what was fed before. */
void sim_feed(struct sim *sim, int client, struct span bytes, size_t piece_bytes);
/* After what was fed: the client ends in order, or its connection breaks with a negative errno such as -ECONNRESET. */
void sim_end(struct sim *sim, int client);
void sim_break(struct sim *sim, int client, int status);

/* Bytes that the client reads in a turn; SIZE_MAX (the start) everything, 0 nothing. */
void sim_reads(struct sim *sim, int client, size_t bytes_per_turn);

/* What the client has read so far, until sim_output_clear; valid until the next turn. */
struct span sim_output(const struct sim *sim, int client);
void sim_output_clear(struct sim *sim, int client);

bool sim_accepted(const struct sim *sim, int client);
bool sim_closed(const struct sim *sim, int client);  /* CLOSED was reported, or the connection refused */
bool sim_paused(const struct sim *sim, int client);  /* the server has stopped reading it */
size_t sim_unread(const struct sim *sim, int client); /* fed, and not delivered yet */

/* A READY event for the watch with this tag comes with the next turn. */
void sim_ready(struct sim *sim, int tag);

/* Another turn would bring nothing: nothing is to be delivered (but to paused connections) and no send moves. */
bool sim_idle(const struct sim *sim);

/* On: a turn without events moves the test clock (clock_set_test) on by its timeout, as if it had waited. */
void sim_moves_clock(struct sim *sim, bool on);

#endif
