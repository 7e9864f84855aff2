#include "server/signals.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "base/compat.h"
#include "base/log.h"
#include "net/net.h"

/* Handlers have nowhere else to look. */
static volatile sig_atomic_t asked;
static struct net *volatile woken;

static void on_shutdown(int signal_number) {
    static const char insist[] = "You insist... exiting now.\n";
    int saved_errno = errno;
    struct net *net = woken;
    if (asked && signal_number == SIGINT) {
        log_raw(insist, sizeof insist - 1);
        _exit(1);
    }
    asked = signal_number;
    if (net) net_wake(net);
    errno = saved_errno;
}

static void set_handler(int signal_number, void (*handler)(int)) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    sigemptyset(&action.sa_mask);
    action.sa_handler = handler; /* no SA_RESTART: a wait is to end */
    sigaction(signal_number, &action, NULL);
}

void signals_install(struct net *net) {
    static const int shutdown[] = {SIGTERM, SIGINT},
                     ignored[] = {SIGHUP, SIGPIPE, SIGUSR1, SIGUSR2};
    sigset_t all;
    woken = net;
    for (size_t i = 0; i < ARRAY_LENGTH(shutdown); i++) set_handler(shutdown[i], on_shutdown);
    for (size_t i = 0; i < ARRAY_LENGTH(ignored); i++) set_handler(ignored[i], SIG_IGN);
    /* A parent may have left signals blocked. */
    sigfillset(&all);
    sigprocmask(SIG_UNBLOCK, &all, NULL);
}

void signals_forget(void) {
    woken = NULL;
}

int signals_shutdown(void) {
    return asked;
}

void signals_clear(void) {
    asked = 0;
}
