/* Reading the configuration at start: files with their includes, standard input, and the command line, all of them lines of
 * "name value ...". The first bad line ends it with a message that says where it stands. */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"
#include "base/words.h"
#include "server/config_table.h"
#include "server/version.h"

/* Where a line stands. */
struct place {
    const char *name; /* of the file; NULL: the command line */
    uint32_t line;
    struct span text;
    struct buf *error;
};

static void fatal_head(struct buf *error) {
    buf_put_text(error, "\n*** FATAL CONFIG FILE ERROR (Rondo " RONDO_VERSION ") ***\n");
}

void config_put_fatal(struct buf *error, const char *file, uint32_t line, struct span text,
                      const char *reason) {
    fatal_head(error);
    if (file) {
        buf_printf(error, "Reading the configuration file, at line %u of %s\n", line, file);
    } else {
        buf_printf(error, "Reading the command line, at option %u\n", line);
    }
    buf_put_text(error, ">>> '");
    buf_put_span(error, text);
    buf_printf(error, "'\n%s\n", reason);
}

static int fail_at(const struct place *place, const char *reason) {
    config_put_fatal(place->error, place->name, place->line, place->text, reason);
    return ERROR_SYNTAX;
}

/* -- directives that are not options */

static int include_one(struct config *config, const struct place *place, const char *path) {
    struct buf text = {0};
    int status = file_read(path, CONFIG_FILE_BYTES_MAX, &text);
    if (status < 0) {
        char reason[PATH_MAX + 128];
        snprintf(reason, sizeof reason, "Fatal error, can't open config file '%s': %s", path,
                 error_text(status));
        fail_at(place, reason);
    } else {
        config->include_depth++;
        status = config_load_text(config, buf_span(&text), path, place->error);
        config->include_depth--;
    }
    buf_release(&text);
    return status;
}

/* A pattern that matches nothing is fine (an empty conf.d); a plain path that is not there is not. */
static int include_pattern(struct config *config, const struct place *place, const char *pattern) {
    glob_t found;
    int status = 0;
    if (glob(pattern, 0, NULL, &found) != 0) return 0;
    for (size_t i = 0; i < found.gl_pathc && status == 0; i++) {
        status = include_one(config, place, found.gl_pathv[i]);
    }
    globfree(&found);
    return status;
}

static int directive_include(struct config *config, const struct place *place,
                             const struct words *words) {
    const char *path;
    if (words->count != 2) return fail_at(place, "wrong number of arguments");
    if (config->include_depth >= CONFIG_INCLUDE_DEPTH_MAX) {
        return fail_at(place, "Too many files that include each other");
    }
    path = words->at[1].data;
    if (strpbrk(path, "*?[")) return include_pattern(config, place, path);
    return include_one(config, place, path);
}

static int directive_rename(struct config *config, const struct place *place,
                            const struct words *words) {
    struct settings *settings = config->settings;
    size_t bytes = (settings->rename_count + 1) * sizeof *settings->renames;
    if (words->count != 3) return fail_at(place, "wrong number of arguments");
    if (words->at[1].len == 0) return fail_at(place, "No such command in rename-command");
    settings->renames = mem_realloc(settings->renames, bytes);
    settings->renames[settings->rename_count++] =
        (struct command_rename){mem_strdup(words->at[1].data), mem_strdup(words->at[2].data)};
    return 0;
}

/* What the line means is found out when the commands are known: server/users.h. */
static int directive_user(struct config *config, const struct place *place,
                          const struct words *words) {
    struct settings *settings = config->settings;
    size_t bytes = (settings->user_count + 1) * sizeof *settings->users;
    struct span text = place->text;
    if (words->count < 2) return fail_at(place, "wrong number of arguments");
    settings->users = mem_realloc(settings->users, bytes);
    struct settings_user *user = &settings->users[settings->user_count++];
    user->text = mem_alloc(text.len + 1);
    memcpy(user->text, text.data, text.len);
    user->text[text.len] = '\0';
    user->file = place->name ? mem_strdup(place->name) : NULL;
    user->line = place->line;
    return 0;
}

static int directive_module(struct config *config, const struct place *place,
                            const struct words *words) {
    return fail_at(place, "Rondo has no modules");
}

static int directive_sentinel(struct config *config, const struct place *place,
                              const struct words *words) {
    return fail_at(place, "sentinel directive while not in sentinel mode");
}

/* Options that Valkey, too, reads without a word: they have had no effect for years. */
static int directive_deprecated(struct config *config, const struct place *place,
                                const struct words *words) {
    return words->count == 2 ? 0 : fail_at(place, "wrong number of arguments");
}

static const struct directive {
    const char *name;
    int (*run)(struct config *config, const struct place *place, const struct words *words);
} directives[] = {
    {"include", directive_include},
    {"rename-command", directive_rename},
    {"user", directive_user},
    {"loadmodule", directive_module},
    {"sentinel", directive_sentinel},
    {"list-max-ziplist-entries", directive_deprecated},
    {"list-max-ziplist-value", directive_deprecated},
    {"lua-replicate-commands", directive_deprecated},
};

/* -- one line */

/* --bind "a b" and bind "a b" mean two words. */
static int set_joined(struct config *config, const struct option *option, const struct place *place,
                      struct span joined) {
    struct words words;
    const char *problem;
    if (words_split(joined, &words) != 0) {
        return fail_at(place, "Unbalanced quotes in configuration line");
    }
    problem = config_parse(config, option, words.at, words.count, true);
    words_release(&words);
    return problem ? fail_at(place, problem) : 0;
}

static int set_option(struct config *config, const struct option *option, const struct place *place,
                      const struct words *words) {
    const char *problem;
    int status = 0;
    if (!(option->flags & OPTION_MULTI) && words->count != 2) {
        return fail_at(place, "wrong number of arguments");
    }
    if ((option->flags & OPTION_MULTI) && words->count == 2 && words->at[1].len > 0) {
        status = set_joined(config, option, place, words->at[1]);
    } else {
        problem = config_parse(config, option, words->at + 1, words->count - 1, true);
        if (problem) status = fail_at(place, problem);
    }
    config->given[config_index(option)] = true;
    return status;
}

static int run_line(struct config *config, const struct place *place, const struct words *words) {
    const struct option *option = config_find(words->at[0]);
    if (option) return set_option(config, option, place, words);
    for (size_t i = 0; i < ARRAY_LENGTH(directives); i++) {
        if (span_is(words->at[0], directives[i].name)) {
            config->directive_count += directives[i].run != directive_include;
            return directives[i].run(config, place, words);
        }
    }
    if (memchr(words->at[0].data, '.', words->at[0].len)) {
        return fail_at(place, "Rondo has no modules, and so no options of modules");
    }
    return fail_at(place, "Bad directive or wrong number of arguments");
}

static int load_line(struct config *config, const struct place *place) {
    struct words words;
    int status;
    if (place->text.len == 0 || place->text.data[0] == '#') return 0;
    status = words_split(place->text, &words);
    if (status == ERROR_LIMIT) return fail_at(place, "Too many words in configuration line");
    if (status < 0) return fail_at(place, "Unbalanced quotes in configuration line");
    if (words.count > 0) status = run_line(config, place, &words);
    words_release(&words);
    return status;
}

int config_load_text(struct config *config, struct span text, const char *name, struct buf *error) {
    struct place place = {.name = name, .line = 0, .error = error};
    while (text.len > 0) {
        const char *end = memchr(text.data, '\n', text.len);
        size_t len = end ? (size_t)(end - text.data) : text.len;
        int status;
        place.line++;
        place.text = span_trim(span_make(text.data, len));
        status = load_line(config, &place);
        if (status < 0) return status;
        len = MIN(len + 1, text.len);
        text = span_make(text.data + len, text.len - len);
    }
    return 0;
}

/* -- where the lines come from */

static char *absolute_path(const char *path) {
    char directory[PATH_MAX];
    struct buf whole = {0};
    char *copy;
    if (path[0] == '/' || !getcwd(directory, sizeof directory)) return mem_strdup(path);
    buf_printf(&whole, "%s/%s", directory, path);
    copy = mem_strdup(buf_terminate(&whole));
    buf_release(&whole);
    return copy;
}

int config_load_file(struct config *config, const char *path, struct buf *error) {
    struct buf text = {0};
    int status = file_read(path, CONFIG_FILE_BYTES_MAX, &text);
    if (status < 0) {
        buf_printf(error, "Fatal error, can't open config file '%s': %s\n", path,
                   error_text(status));
    } else {
        mem_free(config->file);
        config->file = absolute_path(path); /* now: the file may say `dir` */
        status = config_load_text(config, buf_span(&text), path, error);
    }
    buf_release(&text);
    return status;
}

int config_load_stdin(struct config *config, struct buf *error) {
    struct buf text = {0};
    int status = file_read_stream(stdin, CONFIG_FILE_BYTES_MAX, &text);
    if (status < 0) {
        buf_printf(error, "Fatal error, can't read the configuration from standard input: %s\n",
                   error_text(status));
    } else {
        status = config_load_text(config, buf_span(&text), "standard input", error);
    }
    buf_release(&text);
    return status;
}

/* "--save" without a value, last or before another option, means --save "": scripts that build a command line from an empty list
 * count on it. */
static bool is_empty_save(const char *option, const char *next) {
    return strcasecmp(option, "--save") == 0 && (!next || strncmp(next, "--", 2) == 0);
}

/* An argument that begins with "--" opens an option, unless the one before still lacks its first value ("--requirepass --x"). */
static void args_to_lines(int argc, char *const *argv, int from, struct buf *out) {
    bool has_value = true;
    for (int i = from; i < argc; i++) {
        const char *next = i + 1 < argc ? argv[i + 1] : NULL;
        if (!has_value || strncmp(argv[i], "--", 2) != 0) {
            words_quote(out, span_of(argv[i]));
            buf_put_char(out, ' ');
            has_value = true;
            continue;
        }
        if (out->len > 0) buf_put_char(out, '\n');
        buf_put_text(out, argv[i] + 2);
        buf_put_char(out, ' ');
        has_value = strpbrk(argv[i], " \t") != NULL; /* "--port 6380" in one argument */
        if (is_empty_save(argv[i], next)) {
            buf_put_text(out, "\"\"");
            has_value = true;
        }
    }
}

int config_load_args(struct config *config, int argc, char *const *argv, int from,
                     struct buf *error) {
    struct buf lines = {0};
    int status;
    args_to_lines(argc, argv, from, &lines);
    status = config_load_text(config, buf_span(&lines), NULL, error);
    buf_release(&lines);
    return status;
}

/* -- what needs more than one line */

static int check_log_file(const char *path, struct buf *error) {
    int fd;
    if (!path || !*path) return 0;
    fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0644);
    if (fd >= 0) {
        close(fd);
        return 0;
    }
    if (errno == ENXIO) return 0; /* a FIFO that nobody reads yet */
    fatal_head(error);
    buf_printf(error, "Can't open the log file: %s\n", error_text(-errno));
    return ERROR_SYNTAX;
}

int config_finish_load(struct config *config, struct buf *error) {
    return check_log_file(config->settings->logfile, error);
}
