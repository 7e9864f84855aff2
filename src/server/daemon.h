/* The process among others: background, supervisors, its files and limits. In order: daemon_detach before anything that a fork
 * would lose (the ring, the clock's calibration), daemon_limits before the network, daemon_write_pidfile when listening. */
#ifndef SERVER_DAEMON_H
#define SERVER_DAEMON_H

#include "base/compat.h"
#include "commands/settings.h"

/* Finds the supervisor (settings->supervised; auto looks at the environment), and goes into the background when daemonize says so
 * and nobody supervises: the parent exits with 0, the child has a session of its own and /dev/null. SUPERVISED_AUTO in the
 * settings is replaced by what was found, and any by SUPERVISED_NO when it cannot be reached. 0 or a negative errno. */
ATTR_MUST_USE int daemon_detach(struct settings *settings);

/* Tell the supervisor: ready, a line of status, about to stop. Nothing happens without one. */
void daemon_ready(const struct settings *settings);
void daemon_status(const struct settings *settings, const char *text);
void daemon_stopping(const struct settings *settings);

/* The pid file is made when there is a name for it, or by its usual name in the background; a failure is logged. Removed at the
 * end by the process that wrote it. */
void daemon_write_pidfile(const struct settings *settings);
void daemon_remove_pidfile(const struct settings *settings);

/* Raises the limit of descriptors to maxclients and DAEMON_RESERVED_DESCRIPTORS more, or lowers settings->maxclients to what the
 * system allows; logs both as Redis does. -EMFILE: not enough even for one client. */
enum { DAEMON_RESERVED_DESCRIPTORS = 32 };
ATTR_MUST_USE int daemon_limits(struct settings *settings);

/* Linux: transparent huge pages, processors, and the out-of-memory score. Failures are logged. daemon_oom_score counts
 * relative scores from the one the process was started with; it returns NULL or the error text for CONFIG SET. */
void daemon_tune(struct settings *settings);
const char *daemon_oom_score(const struct settings *settings);

/* Group and permissions of the socket file that was just made. */
void daemon_own_socket(const struct settings *settings);

/* Warns about what would show only under load: somaxconn below tcp-backlog, a maxmemory that must be a mistake. */
void daemon_check_system(const struct settings *settings);

#endif
