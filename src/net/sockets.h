/* Listening sockets and socket names: the parts of net.c that only talk to the socket calls. Errors are negative errno. */
#ifndef NET_SOCKETS_H
#define NET_SOCKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include "base/compat.h"
#include "net/net.h"

struct net_listener;

/* Send without waiting and without SIGPIPE. Where the flag is missing the socket option or an ignored signal does it. */
#ifdef MSG_NOSIGNAL
enum { SOCKET_SEND_FLAGS = MSG_NOSIGNAL | MSG_DONTWAIT };
#else
enum { SOCKET_SEND_FLAGS = MSG_DONTWAIT };
#endif

ATTR_MUST_USE int socket_set_nonblocking(int fd, bool nonblocking);
ATTR_MUST_USE int socket_set_cloexec(int fd);

/* Accepts one connection, non-blocking and close-on-exec. The descriptor or a negative errno. */
ATTR_MUST_USE int socket_accept(int fd);

/* Fill in out->fd, family, and for a Unix socket path, device and inode. TCP_NODELAY and keepalive are set on the listener:
 * accepted sockets inherit them (tcp(7); the BSDs do the same), and accepting costs no further call. */
ATTR_MUST_USE int socket_listen_tcp(const struct net_listen_options *options, bool nonblocking,
                                    int keepalive_s, struct net_listener *out);
ATTR_MUST_USE int socket_listen_unix(const struct net_listen_options *options, bool nonblocking,
                                     struct net_listener *out);

/* Removes the listener's socket file, unless somebody else has replaced it. */
void socket_unlink_own(const struct net_listener *listener);

uint16_t socket_port(int fd); /* 0: none */
size_t socket_name(int fd, bool peer, char *out, size_t size);
bool socket_peer_is_loopback(int fd);

#endif
