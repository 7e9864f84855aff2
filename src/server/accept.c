#include "server/accept.h"

#include <errno.h>

#include "base/error.h"
#include "base/log.h"
#include "commands/acl_check.h"
#include "server/daemon.h"

static const char denied[] =
    "DENIED Rondo is running in protected mode because protected mode is enabled and no password "
    "is "
    "set for the default user. In this mode connections are only accepted from the loopback "
    "interface. If you want to connect from external computers, either set a password with the "
    "requirepass option, or turn protection off with CONFIG SET protected-mode no from the same "
    "host, or start the server with --protected-mode no: then make sure that nobody from outside "
    "can reach it.";

/* ---- listening */

static int listen_tcp(struct server *sv, const char *address) {
    bool optional = address[0] == '-';
    const struct settings *settings = &sv->settings;
    struct net_listen_options options = {
        .address = optional ? address + 1 : address,
        .port = (uint16_t)settings->port,
        .backlog = (int)settings->tcp_backlog,
    };
    int listener = net_listen(sv->net, &options);
    if (listener >= 0) {
        sv->listeners[sv->listener_count++] = listener;
        return 0;
    }
    bool absent = listener == -EADDRNOTAVAIL || listener == -EAFNOSUPPORT ||
                  listener == -EPROTONOSUPPORT || listener == -ENOPROTOOPT;
    if (optional && absent) return 0;
    log_warning("Warning: Could not create server TCP listening socket %s:%d: %s", options.address,
                (int)options.port, error_text(listener));
    return listener;
}

static int listen_unix(struct server *sv) {
    const struct settings *settings = &sv->settings;
    struct net_listen_options options = {
        .path = settings->unixsocket,
        .mode = (uint32_t)settings->unixsocketperm,
        .backlog = (int)settings->tcp_backlog,
    };
    int listener = net_listen(sv->net, &options);
    if (listener < 0) {
        log_warning("Failed opening Unix socket %s: %s", options.path, error_text(listener));
        return listener;
    }
    sv->listeners[sv->listener_count++] = listener;
    daemon_own_socket(settings);
    return 0;
}

int server_listen(struct server *sv) {
    const struct settings *settings = &sv->settings;
    for (uint32_t i = 0; settings->port > 0 && i < settings->bind_count; i++) {
        int rc = listen_tcp(sv, settings->bind[i]);
        if (rc < 0) return rc;
    }
    if (settings->unixsocket && *settings->unixsocket) {
        int rc = listen_unix(sv);
        if (rc < 0) return rc;
    }
    if (sv->listener_count > 0) return 0;
    log_warning("Configured to not listen anywhere, exiting.");
    return -EADDRNOTAVAIL;
}

void server_unlisten(struct server *sv) {
    for (uint32_t i = 0; i < sv->listener_count; i++) net_unlisten(sv->net, sv->listeners[i]);
    sv->listener_count = 0;
}

/* ---- accepting */

static bool protected_from(const struct server *sv, const struct net_conn *conn) {
    return sv->settings.protected_mode && !net_peer_is_loopback(conn) &&
           sv->host.acl->default_user->no_password;
}

/* The refusal is a reply like any other, so that it is sent before the connection ends. */
static struct session *refuse(struct server *sv, struct net_conn *conn, const char *text) {
    struct session *s = session_new(&sv->sessions, conn);
    sv->stats.refused_connection_count++;
    sv->sessions.stats.connection_count--;
    reply_error(&s->reply, text);
    session_close_after_reply(s);
    return s;
}

struct session *server_accept(void *context, struct net_conn *conn, int tag) {
    struct server *sv = context;
    struct session *s;
    if (sv->sessions.count >= (uint32_t)sv->settings.maxclients) {
        return refuse(sv, conn, "ERR max number of clients reached");
    }
    if (protected_from(sv, conn)) return refuse(sv, conn, denied);
    s = session_new(&sv->sessions, conn);
    acl_session_reset(&sv->host, s);
    return s;
}
