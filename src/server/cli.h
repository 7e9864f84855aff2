/* The command line:  rondo-server [FILE | -] [--option value ...] [-]   and the words that end at once. */
#ifndef SERVER_CLI_H
#define SERVER_CLI_H

#include "server/config.h"

/* Reads everything that configures the server: file, standard input, options, later ones winning. Returns true to start the server;
 * false to exit with *status, everything having been said (help and version to standard output, errors to standard error). */
bool cli_parse(int argc, char *const *argv, struct config *config, const struct settings *settings, int *status);

/* What the start has to say once the log is open: version, where the configuration came from, warnings, what was ignored. */
void cli_log_start(const struct config *config, int argc, char *const *argv);

#endif
