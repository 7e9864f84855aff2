/* The config table: every option's value, read from the file, the command line and CONFIG SET, shown by CONFIG GET, and written
 * back by CONFIG REWRITE. The values that others read lie in struct settings; this is the one place that changes them.
 *
 * At start: config_new, config_load_file / config_load_stdin / config_load_args in the order in which later ones win, then
 * config_finish_load. At run time: config_set and its callbacks. */
#ifndef SERVER_CONFIG_H
#define SERVER_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/span.h"
#include "commands/settings.h"
#include "resp/reply.h"
#include "server/options.h"

enum { CONFIG_INCLUDE_DEPTH_MAX = 16, CONFIG_FILE_BYTES_MAX = 16 * 1024 * 1024 };

struct config;

/* Fills `settings` with the defaults; the texts in it belong to the config from here on. */
struct config *config_new(struct settings *settings);
void config_free(struct config *config);

/* -- at start. 0, or a negative error after the whole message ("*** FATAL CONFIG FILE ERROR ...", place, line, reason) was
 * appended to `error`. A file's `include` directives are followed, globs too. */
ATTR_MUST_USE int config_load_file(struct config *config, const char *path, struct buf *error);
ATTR_MUST_USE int config_load_stdin(struct config *config, struct buf *error);
/* "--name value value --name value ...": argv[from] up to argv[argc - 1]. */
ATTR_MUST_USE int config_load_args(struct config *config, int argc, char *const *argv, int from, struct buf *error);
/* Lines of text, as in a file; `name` is what error messages call it. */
ATTR_MUST_USE int config_load_text(struct config *config, struct span text, const char *name, struct buf *error);
/* Checks what needs more than one option, or the machine: the log file can be written. */
ATTR_MUST_USE int config_finish_load(struct config *config, struct buf *error);

/* What the start has to say once the log is open: warnings one a line, and the names of the options that were read and have no
 * effect here, separated by ", ". Either may be empty. */
struct span config_warnings(const struct config *config);
struct span config_ignored(const struct config *config);
const char *config_file(const struct config *config); /* absolute, or "" */
uint32_t config_given_count(const struct config *config); /* options and directives in files and arguments */

/* -- at run time */
/* Called after options with this apply id have changed, with the new values in place. NULL when done, or an error text (then the
 * old values come back and the function is called again). One function for an id. */
typedef const char *config_apply(void *context, enum option_apply id);
void config_on_apply(struct config *config, enum option_apply id, config_apply *function, void *context);

/* The map of CONFIG GET: every option that one of the patterns names. */
void config_get(struct config *config, struct reply *reply, const struct span *patterns, uint32_t count);

/* CONFIG SET: all of the pairs or none. `count` counts names and values together. */
struct config_set_options {
    bool loading;     /* DENY_LOADING options are refused */
    bool local_client; /* over loopback or a Unix socket: enable-protected-configs local */
};
void config_set(struct config *config, struct reply *reply, const struct span *pairs, uint32_t count,
                const struct config_set_options *options);
/* The same from code (tests, DEBUG): NULL or the error text, valid until the next call. */
const char *config_set_one(struct config *config, const char *name, const char *value);

/* CONFIG REWRITE with its reply; and the bare work: 0 or a negative errno. */
void config_rewrite_reply(struct config *config, struct reply *reply);
int config_rewrite(struct config *config);

/* The lines "user ..." that a rewritten file is to have, one a line. `put` NULL, as at the start: those of the file stay. */
void config_on_rewrite(struct config *config, void (*put)(void *context, struct buf *out), void *context);

/* The message of a line that stops the start: place, text, reason. `file` NULL: the command line. */
void config_put_fatal(struct buf *error, const char *file, uint32_t line, struct span text, const char *reason);

/* -- for tests and documentation: all rows in order; NULL after the last. */
const struct option *config_option_at(uint32_t index);
const struct option *config_find(struct span name); /* by name or alias, any case */
void config_print(struct config *config, const struct option *option, struct buf *out);
bool option_is_sensitive(struct span name);

#endif
