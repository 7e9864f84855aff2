#include "link.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "die.h"

#ifdef LOAD_HAVE_URING
#define LINK_BEST link_uring
#else
#define LINK_BEST link_epoll
#endif

struct link {
    const struct link_api *api;
    void *impl;
    int *fds;
    uint32_t count;
};

static int connect_tcp(const struct link_options *options) {
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)options->port)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1;
    if (inet_pton(AF_INET, options->host, &address.sin_addr) != 1) {
        die("no address: %s", options->host);
    }
    if (fd < 0) die("socket: %s", strerror(errno));
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    if (connect(fd, (struct sockaddr *)&address, sizeof address) != 0) {
        die("connect to port %d: %s", options->port, strerror(errno));
    }
    return fd;
}

static int connect_unix(const struct link_options *options) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (strlen(options->path) >= sizeof address.sun_path) die("the path is too long");
    memcpy(address.sun_path, options->path, strlen(options->path) + 1);
    if (fd < 0) die("socket: %s", strerror(errno));
    if (connect(fd, (struct sockaddr *)&address, sizeof address) != 0) {
        die("connect to %s: %s", options->path, strerror(errno));
    }
    return fd;
}

static const struct link_api *choose(const struct link_options *options) {
    return options->epoll ? &link_epoll : &LINK_BEST;
}

struct link *link_open(const struct link_options *options, const struct link_handler *handler) {
    struct link *link = calloc(1, sizeof *link);
    if (!link) die("no memory");
    link->count = options->conn_count;
    link->fds = calloc(link->count, sizeof *link->fds);
    if (!link->fds) die("no memory");
    for (uint32_t i = 0; i < link->count; i++) {
        link->fds[i] = options->path ? connect_unix(options) : connect_tcp(options);
    }
    link->api = choose(options);
    link->impl = link->api->open(link->fds, link->count, handler);
    if (!link->impl) { /* io_uring is refused here */
        link->api = &link_epoll;
        link->impl = link->api->open(link->fds, link->count, handler);
    }
    return link;
}

void link_close(struct link *link) {
    link->api->close(link->impl);
    for (uint32_t i = 0; i < link->count; i++) close(link->fds[i]);
    free(link->fds);
    free(link);
}

void link_send(struct link *link, uint32_t conn, const char *bytes, size_t len) {
    link->api->send(link->impl, conn, bytes, len);
}

void link_turn(struct link *link, bool sleep) {
    link->api->turn(link->impl, sleep);
}

const char *link_kind(const struct link *link) {
    return link->api->kind;
}
