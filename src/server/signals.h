/* Signals that end the server, or must not. The handlers only note what came and wake the loop; the loop asks. Works as PID 1,
 * where the kernel drops signals that have no handler. */
#ifndef SERVER_SIGNALS_H
#define SERVER_SIGNALS_H

struct net;

/* SIGTERM and SIGINT ask for the shutdown: `net` (may be NULL) is woken. A second SIGINT exits at once. SIGHUP, SIGPIPE and the
 * user signals are ignored. */
void signals_install(struct net *net);
void signals_forget(void); /* before net is freed */

/* The signal that asked for the shutdown, or 0. */
int signals_shutdown(void);
/* A refused or cancelled shutdown: a later signal asks again. */
void signals_clear(void);

#endif
