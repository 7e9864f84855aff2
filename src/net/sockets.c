#include "net/sockets.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/alloc.h"
#include "net/backend.h"

enum { BACKLOG = 511, KEEPALIVE_PROBES = 3 };

/* One name for the idle time of keepalive: macOS has its own. */
#ifdef TCP_KEEPIDLE
enum { KEEPALIVE_IDLE = TCP_KEEPIDLE };
#else
enum { KEEPALIVE_IDLE = TCP_KEEPALIVE };
#endif

union address {
    struct sockaddr any;
    struct sockaddr_in ip4;
    struct sockaddr_in6 ip6;
    struct sockaddr_un local;
    struct sockaddr_storage storage;
};

int socket_set_nonblocking(int fd, bool nonblocking) {
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0) return -errno;
    int wanted = nonblocking ? flags | O_NONBLOCK : flags & ~O_NONBLOCK;
    return wanted != flags && fcntl(fd, F_SETFL, wanted) < 0 ? -errno : 0;
}

int socket_set_cloexec(int fd) {
    return fcntl(fd, F_SETFD, FD_CLOEXEC) < 0 ? -errno : 0;
}

#ifdef SOCK_NONBLOCK
int socket_accept(int fd) {
    int accepted = accept4(fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    return accepted < 0 ? -errno : accepted;
}
#else /* macOS */
int socket_accept(int fd) {
    int accepted = accept(fd, NULL, NULL);
    if (accepted < 0) return -errno;
    int rc = socket_set_nonblocking(accepted, true);
    if (rc == 0) rc = socket_set_cloexec(accepted);
    if (rc == 0) return accepted;
    close(accepted);
    return rc;
}
#endif

static int set_option(int fd, int level, int name, int value) {
    return setsockopt(fd, level, name, &value, sizeof value) < 0 ? -errno : 0;
}

/* As Redis does it: probes start after the idle time, at intervals of a third of it. */
static int set_keepalive(int fd, int idle_s) {
    int interval_s = MAX(idle_s / KEEPALIVE_PROBES, 1);
    int rc = set_option(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
    if (rc == 0) rc = set_option(fd, IPPROTO_TCP, KEEPALIVE_IDLE, idle_s);
    if (rc == 0) rc = set_option(fd, IPPROTO_TCP, TCP_KEEPINTVL, interval_s);
    if (rc == 0) rc = set_option(fd, IPPROTO_TCP, TCP_KEEPCNT, KEEPALIVE_PROBES);
    return rc;
}

static int socket_new(int family, bool nonblocking) {
    int fd = socket(family, SOCK_STREAM, 0);
    if (fd < 0) return -errno;
    int rc = socket_set_cloexec(fd);
    if (rc == 0) rc = socket_set_nonblocking(fd, nonblocking);
    if (rc < 0) {
        close(fd);
        return rc;
    }
    return fd;
}

static int resolve(const struct net_listen_options *options, struct addrinfo **out) {
    char port[8];
    const char *address = options->address;
    struct addrinfo hints = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE,
                             .ai_socktype = SOCK_STREAM};
    if (!address || strcmp(address, "*") == 0) {
        address = "0.0.0.0";
    } else if (strcmp(address, "::*") == 0) {
        address = "::";
    }
    snprintf(port, sizeof port, "%u", options->port);
    return getaddrinfo(address, port, &hints, out) == 0 ? 0 : -EADDRNOTAVAIL;
}

static int listen_on(int fd, const struct net_listen_options *options) {
    return listen(fd, options->backlog ? options->backlog : BACKLOG) < 0 ? -errno : 0;
}

int socket_listen_tcp(const struct net_listen_options *options, bool nonblocking, int keepalive_s,
                      struct net_listener *out) {
    struct addrinfo *info;
    int rc = resolve(options, &info);
    if (rc < 0) return rc;
    int fd = socket_new(info->ai_family, nonblocking);
    if (fd < 0) {
        freeaddrinfo(info);
        return fd;
    }
    rc = set_option(fd, SOL_SOCKET, SO_REUSEADDR, 1);
    if (rc == 0 && info->ai_family == AF_INET6) rc = set_option(fd, IPPROTO_IPV6, IPV6_V6ONLY, 1);
    if (rc == 0) rc = set_option(fd, IPPROTO_TCP, TCP_NODELAY, 1);
    if (rc == 0 && keepalive_s > 0) rc = set_keepalive(fd, keepalive_s);
    if (rc == 0 && bind(fd, info->ai_addr, info->ai_addrlen) < 0) rc = -errno;
    if (rc == 0) rc = listen_on(fd, options);
    out->fd = fd;
    out->family = (uint8_t)info->ai_family;
    freeaddrinfo(info);
    if (rc < 0) close(fd);
    return rc;
}

/* What an earlier run left behind is in the way of bind; anything but a socket is not ours to remove. */
static void unlink_stale(const char *path) {
    struct stat st;
    if (lstat(path, &st) == 0 && S_ISSOCK(st.st_mode)) unlink(path);
}

/* Nobody can connect between bind and listen, so the mode is in force before the first connection. */
static int bind_unix(int fd, const struct net_listen_options *options, struct net_listener *out) {
    union address address = {.local = {.sun_family = AF_UNIX}};
    size_t len = strlen(options->path);
    struct stat st;
    if (len >= sizeof address.local.sun_path) return -ENAMETOOLONG;
    memcpy(address.local.sun_path, options->path, len + 1);
    unlink_stale(options->path);
    if (bind(fd, &address.any, sizeof address.local) < 0) return -errno;
    int rc = options->mode && chmod(options->path, (mode_t)options->mode) < 0 ? -errno : 0;
    if (rc == 0) rc = listen_on(fd, options);
    if (rc == 0 && lstat(options->path, &st) < 0) rc = -errno;
    if (rc < 0) {
        unlink(options->path);
        return rc;
    }
    out->device = (uint64_t)st.st_dev;
    out->inode = (uint64_t)st.st_ino;
    return 0;
}

int socket_listen_unix(const struct net_listen_options *options, bool nonblocking,
                       struct net_listener *out) {
    int fd = socket_new(AF_UNIX, nonblocking);
    if (fd < 0) return fd;
    int rc = bind_unix(fd, options, out);
    if (rc < 0) {
        close(fd);
        return rc;
    }
    out->fd = fd;
    out->family = AF_UNIX;
    out->path = mem_strdup(options->path);
    return 0;
}

void socket_unlink_own(const struct net_listener *listener) {
    struct stat st;
    if (lstat(listener->path, &st) < 0) return;
    if ((uint64_t)st.st_dev == listener->device && (uint64_t)st.st_ino == listener->inode)
        unlink(listener->path);
}

/* ---- names */

static bool address_get(int fd, bool peer, union address *out) {
    socklen_t len = sizeof *out;
    memset(out, 0, sizeof *out);
    return (peer ? getpeername(fd, &out->any, &len) : getsockname(fd, &out->any, &len)) == 0;
}

uint16_t socket_port(int fd) {
    union address address;
    if (!address_get(fd, false, &address)) return 0;
    if (address.any.sa_family == AF_INET) return ntohs(address.ip4.sin_port);
    if (address.any.sa_family == AF_INET6) return ntohs(address.ip6.sin6_port);
    return 0;
}

static size_t put_name(char *out, size_t size, int family, const char *host, unsigned port) {
    int n = family == AF_INET6 ? snprintf(out, size, "[%s]:%u", host, port)
                               : snprintf(out, size, "%s:%u", host, port);
    if (n < 0) return 0;
    return (size_t)n < size ? (size_t)n : size - 1;
}

size_t socket_name(int fd, bool peer, char *out, size_t size) {
    union address address;
    char host[INET6_ADDRSTRLEN];
    if (!address_get(fd, peer, &address)) return put_name(out, size, AF_UNSPEC, "?", 0);
    switch (address.any.sa_family) {
    case AF_INET:
        inet_ntop(AF_INET, &address.ip4.sin_addr, host, sizeof host);
        return put_name(out, size, AF_INET, host, ntohs(address.ip4.sin_port));
    case AF_INET6:
        inet_ntop(AF_INET6, &address.ip6.sin6_addr, host, sizeof host);
        return put_name(out, size, AF_INET6, host, ntohs(address.ip6.sin6_port));
    case AF_UNIX: break;
    }
    /* The client's end has no name: both are shown as the listener's path. */
    if (peer && !address_get(fd, false, &address)) return put_name(out, size, AF_UNSPEC, "?", 0);
    return put_name(out, size, AF_UNIX, address.local.sun_path, 0);
}

bool socket_peer_is_loopback(int fd) {
    union address address;
    if (!address_get(fd, true, &address)) return false;
    if (address.any.sa_family == AF_INET)
        return (ntohl(address.ip4.sin_addr.s_addr) >> 24) == IN_LOOPBACKNET;
    return address.any.sa_family == AF_INET6 && IN6_IS_ADDR_LOOPBACK(&address.ip6.sin6_addr);
}
