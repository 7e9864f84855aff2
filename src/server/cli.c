#include "server/cli.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/log.h"
#include "net/net.h"
#include "server/server.h"
#include "server/version.h"

static const char usage[] =
    "Usage: rondo-server [FILE] [--OPTION VALUE ...] [-]\n"
    "       rondo-server [FILE] [--OPTION VALUE ...] --test-config\n"
    "       rondo-server -h | --help | -v | --version\n"
    "\n"
    "FILE is a configuration file in Redis's format; server.conf describes every option.\n"
    "A lone - (first or last) reads more configuration from standard input. Every option\n"
    "of the file can be given as --OPTION, and then wins over the file.\n"
    "\n"
    "  --test-config   read and check the configuration, say what was found, and exit:\n"
    "                  0 when it is good, 1 when it is not\n"
    "\n"
    "Examples:\n"
    "  rondo-server                                defaults, port 6379\n"
    "  rondo-server /etc/rondo/server.conf\n"
    "  rondo-server --port 7777 --maxmemory 2gb --maxmemory-policy allkeys-lru\n"
    "  rondo-server server.conf --loglevel verbose\n"
    "  echo 'maxmemory 128mb' | rondo-server -\n"
    "  rondo-server /etc/redis/redis.conf --test-config\n";

static void print_version(void) {
    const char *const *backends = net_backends_built();
    printf("Rondo server v=%s redis=%s malloc=%s bits=%zu net=", RONDO_VERSION, RONDO_REDIS_VERSION,
           mem_allocator(), sizeof(void *) * 8);
    for (size_t i = 0; backends[i]; i++) printf("%s%s", i > 0 ? "," : "", backends[i]);
    printf("\n");
}

/* Options that are not configuration. True when one of them was there and has been dealt with. */
static bool answer_word(int argc, char *const *argv) {
    if (argc < 2) return false;
    if (strcmp(argv[1], "-v") == 0 || strcmp(argv[1], "--version") == 0) {
        print_version();
        return true;
    }
    if (strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "--help") == 0) {
        fputs(usage, stdout);
        return true;
    }
    return false;
}

struct arguments {
    char **at; /* argv without the words taken out below */
    int count;
    bool test, from_stdin;
};

static void take_words(struct arguments *arguments, int argc, char *const *argv) {
    arguments->at = mem_zalloc(((size_t)argc + 1) * sizeof *arguments->at);
    for (int i = 0; i < argc; i++) {
        if (i > 0 && strcmp(argv[i], "--test-config") == 0) {
            arguments->test = true;
        } else if (strcmp(argv[i], "-") == 0 && (i == 1 || i == argc - 1)) {
            arguments->from_stdin = true;
        } else {
            arguments->at[arguments->count++] = argv[i];
        }
    }
}

static int load(struct arguments *arguments, struct config *config, const struct settings *settings,
                struct buf *error) {
    int status = 0, options_from = 1;
    if (arguments->count > 1 && arguments->at[1][0] != '-') {
        status = config_load_file(config, arguments->at[1], error);
        options_from = 2;
    }
    if (status == 0 && arguments->from_stdin) status = config_load_stdin(config, error);
    if (status == 0)
        status = config_load_args(config, arguments->count, arguments->at, options_from, error);
    if (status == 0) status = config_finish_load(config, error);
    if (status == 0) status = server_check_settings(settings, error);
    return status;
}

static void report_test(const struct config *config) {
    struct span warnings = config_warnings(config), ignored = config_ignored(config);
    printf("%s: configuration is good, %u options set\n",
           *config_file(config) ? config_file(config) : "command line", config_given_count(config));
    if (warnings.len > 0) printf("warnings:\n%.*s", (int)warnings.len, warnings.data);
    if (ignored.len > 0)
        printf("read, and without effect in Rondo: %.*s\n", (int)ignored.len, ignored.data);
}

bool cli_parse(int argc, char *const *argv, struct config *config, const struct settings *settings,
               int *status) {
    struct arguments arguments = {0};
    struct buf error = {0};
    bool start = false;
    *status = 0;
    if (answer_word(argc, argv)) return false;
    take_words(&arguments, argc, argv);
    if (load(&arguments, config, settings, &error) < 0) {
        fputs(buf_terminate(&error), stderr);
        *status = 1;
    } else if (arguments.test) {
        report_test(config);
    } else {
        start = true;
    }
    mem_free(arguments.at);
    buf_release(&error);
    return start;
}

static void log_lines(struct span lines) {
    while (lines.len > 0) {
        const char *end = memchr(lines.data, '\n', lines.len);
        size_t len = end ? (size_t)(end - lines.data) : lines.len;
        log_warning("WARNING %.*s", (int)len, lines.data);
        len = MIN(len + 1, lines.len);
        lines = span_make(lines.data + len, lines.len - len);
    }
}

void cli_log_start(const struct config *config, int argc, char *const *argv) {
    struct span ignored = config_ignored(config);
    log_notice("Rondo is starting");
    log_notice("Rondo version=%s, bits=%zu, allocator=%s, pid=%ld, just started", RONDO_VERSION,
               sizeof(void *) * 8, mem_allocator(), (long)getpid());
    if (argc == 1) {
        log_warning("Warning: No config file specified, using the default config. In order to "
                    "specify a config file "
                    "use %s /path/to/server.conf",
                    argv[0]);
    } else {
        log_notice("Configuration loaded");
    }
    log_lines(config_warnings(config));
    if (ignored.len > 0) {
        log_notice(
            "These options are of features that Rondo does not have and are without effect: %.*s",
            (int)ignored.len, ignored.data);
    }
}
