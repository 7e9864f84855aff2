/* Settings as the layers' options, and the functions behind struct host. */
#ifndef SERVER_HOST_H
#define SERVER_HOST_H

#include "server/server.h"

struct keyspace_options server_keyspace_options(const struct server *sv);
struct sessions_options server_sessions_options(struct server *sv);
void server_apply_turn(struct server *sv); /* limits and bounds of the turn */

/* The log as the settings have it. 0 or a negative errno: the file cannot be written. */
ATTR_MUST_USE int server_open_log(const struct settings *settings);
void server_show_title(const struct server *sv);

#endif
