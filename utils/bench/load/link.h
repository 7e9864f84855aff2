/* The load's connections, a turn at a time: sends are queued, a turn hands them to the kernel and brings what came.
 *
 * Connections are numbered from 0. Bytes given to link_send stay the caller's and must last until `sent`; one send of a connection is
 * in flight at most. Whatever goes wrong with a connection ends the program with a message: a load that lost some measures nothing. */
#ifndef LOAD_LINK_H
#define LOAD_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct link_options {
    const char *host;
    const char *path; /* a Unix socket instead, or NULL */
    int port;
    uint32_t conn_count;
    bool epoll; /* not io_uring, though there is one */
};

struct link_handler {
    void *arg;
    void (*data)(void *arg, uint32_t conn, const char *bytes, size_t len);
    void (*sent)(void *arg, uint32_t conn);
};

struct link;

/* Connects all. The handler lasts as long as the link. */
struct link *link_open(const struct link_options *options, const struct link_handler *handler);
void link_close(struct link *link);

void link_send(struct link *link, uint32_t conn, const char *bytes, size_t len);

/* sleep: until something comes, for 10 ms at most; else looks and goes on. */
void link_turn(struct link *link, bool sleep);
const char *link_kind(const struct link *link);

/* For the implementations. */
struct link_api {
    const char *kind;
    void *(*open)(const int *fds, uint32_t count, const struct link_handler *handler);
    void (*close)(void *impl);
    void (*send)(void *impl, uint32_t conn, const char *bytes, size_t len);
    void (*turn)(void *impl, bool sleep);
};
extern const struct link_api link_epoll;
#ifdef LOAD_HAVE_URING
extern const struct link_api link_uring;
#endif

#endif
