/* What ps and top show. The template's variables are Redis's: {title} {listen-addr} {server-mode} {port} {tls-port}
 * {unixsocket} {config-file}. */
#ifndef SERVER_TITLE_H
#define SERVER_TITLE_H

#include <stdbool.h>

#include "base/span.h"
#include "commands/settings.h"

bool title_is_valid(struct span template);

/* Takes over the memory of argv and the environment (which moves): once, first thing in main. */
void title_init(int argc, char **argv);
/* Shows the template of the settings. `title` is the program's name as it was started. */
void title_set(const struct settings *settings, const char *title, const char *config_file);

#endif
