/* Listening, and what happens to a new connection before it is a client. */
#ifndef SERVER_ACCEPT_H
#define SERVER_ACCEPT_H

#include "server/server.h"

/* turn.h's accept: a session, or NULL after the connection was refused. */
struct session *server_accept(void *context, struct net_conn *conn, int tag);

#endif
