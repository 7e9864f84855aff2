/* The config table: defaults, parsing, CONFIG SET's all or nothing, files and the command line, rewriting. */
#include "server/config.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/chunk.h"
#include "base/log.h"
#include "base/random.h"
#include "test.h"

static struct settings settings;
static struct config *config;

static void open_config(void) {
    memset(&settings, 0, sizeof settings);
    config = config_new(&settings);
}

/* -- replies as text */
static struct chunk_pool pool;
static struct chunk_list list;
static struct reply reply;
static uint64_t copied, referenced;

static void reply_open(uint8_t protocol) {
    chunk_pool_init(&pool);
    chunk_list_init(&list, &pool, &copied, &referenced);
    reply = (struct reply){.out = &list, .protocol = protocol};
}

static void reply_close(struct buf *out) {
    struct chunk_chain chain;
    struct iovec iov[64];
    int count;
    while ((count = chunk_list_take(&list, &chain, iov, 64, 1 << 20)) > 0) {
        for (int i = 0; i < count; i++) buf_put(out, iov[i].iov_base, iov[i].iov_len);
        chunk_chain_release(&chain, &pool);
    }
    chunk_pool_release(&pool);
}

static char said[65536];
static const char *set_words(const char *const *words, uint32_t count, bool local) {
    struct config_set_options how = {.local_client = local};
    struct span pairs[16];
    struct buf out = {0};
    for (uint32_t i = 0; i < count; i++) pairs[i] = span_of(words[i]);
    reply_open(2);
    config_set(config, &reply, pairs, count, &how);
    reply_close(&out);
    snprintf(said, sizeof said, "%s", buf_terminate(&out));
    buf_release(&out);
    return said;
}
#define SET(...)                                  \
    set_words((const char *const[]){__VA_ARGS__}, \
              (uint32_t)(sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *)), false)

static const char *get(const char *name) {
    struct buf out = {0};
    config_print(config, config_find(span_of(name)), &out);
    snprintf(said, sizeof said, "%s", buf_terminate(&out));
    buf_release(&out);
    return said;
}
#define EXPECT_TEXT(expected, actual) EXPECT_SPAN(span_of(expected), span_of(actual))

static void test_defaults(void) {
    static const char *const pairs[][2] = {
        {"port", "6379"},
        {"maxmemory", "0"},
        {"save", ""},
        {"appendonly", "no"},
        {"bind", "* -::*"},
        {"maxmemory-policy", "noeviction"},
        {"hash-max-ziplist-entries", "512"},
        {"slaveof", ""},
        {"client-output-buffer-limit",
         "normal 0 0 0 slave 268435456 67108864 60 pubsub 33554432 8388608 60"},
        {"latency-tracking-info-percentiles", "50 99 99.9"},
        {"oom-score-adj-values", "0 200 800"},
        {"proto-max-bulk-len", "536870912"},
        {"requirepass", ""},
        {"shutdown-on-sigint", "default"},
        {"io-threads", "1"},
        {"unixsocketperm", "0"},
        {"maxmemory-clients", "0"},
        {"net-backend", "auto"},
    };
    open_config();
    for (size_t i = 0; i < ARRAY_LENGTH(pairs); i++) EXPECT_TEXT(pairs[i][1], get(pairs[i][0]));
    EXPECT_INT(6379, settings.port);
    EXPECT_INT(2, settings.bind_count);
    EXPECT(settings.requirepass == NULL);
    EXPECT_INT(512 << 20, settings.proto_max_bulk_bytes);
    config_free(config);
}

/* Every row's default must print as something that parses to the same value: that is what undoing relies on. */
static void test_round_trip(void) {
    const struct option *option;
    open_config();
    for (uint32_t i = 0; (option = config_option_at(i)) != NULL; i++) {
        struct buf before = {0}, after = {0};
        config_print(config, option, &before);
        EXPECT(config_set_one(config, option->name, buf_terminate(&before)) == NULL);
        config_print(config, option, &after);
        EXPECT_SPAN(buf_span(&before), buf_span(&after));
        EXPECT(config_find(span_of(option->name)) == option);
        EXPECT(!option->alias || config_find(span_of(option->alias)) == option);
        EXPECT(option->doc && *option->doc);
        buf_release(&before);
        buf_release(&after);
    }
    config_free(config);
}

/* Any bytes at all: an error leaves the value as it was, and what is taken prints as something that is taken again. */
static const char *set_random(const struct option *option, struct random *random) {
    static const char letters[] = "0123456789kmgb%- \t\"'\\{}AKEgxyesno.:,";
    static char text[32];
    size_t len = random_below(random, sizeof text);
    for (size_t i = 0; i < len; i++) text[i] = letters[random_below(random, sizeof letters - 1)];
    text[len] = '\0';
    return config_set_one(config, option->name, text);
}

static void test_random_values(void) {
    struct random random;
    const struct option *option;
    random_init(&random, test_seed());
    open_config();
    for (int round = 0; round < 200; round++) {
        for (uint32_t i = 0; (option = config_option_at(i)) != NULL; i++) {
            struct buf before = {0}, after = {0}, again = {0};
            bool taken;
            if (option->special == &option_dir) continue;
            config_print(config, option, &before);
            taken = set_random(option, &random) == NULL;
            config_print(config, option, &after);
            if (!taken) EXPECT_SPAN(buf_span(&before), buf_span(&after));
            EXPECT(config_set_one(config, option->name, buf_terminate(&after)) == NULL);
            config_print(config, option, &again);
            EXPECT_SPAN(buf_span(&after), buf_span(&again));
            buf_release(&before);
            buf_release(&after);
            buf_release(&again);
        }
    }
    config_free(config);
}

static void test_set_errors(void) {
#define FAILS(name, value, why)                                                                   \
    EXPECT_TEXT("-ERR CONFIG SET failed (possibly related to argument '" name "') - " why "\r\n", \
                SET(name, value))
    open_config();
    FAILS("port", "abc", "argument couldn't be parsed into an integer");
    FAILS("port", "70000", "argument must be between 0 and 65535 inclusive");
    FAILS("maxmemory", "foo", "argument must be a memory value");
    FAILS("maxmemory-clients", "150%", "percentage argument must be less or equal to 100");
    FAILS("maxmemory-clients", "abc", "argument must be a memory or percent value");
    FAILS("lazyfree-lazy-expire", "maybe", "argument must be 'yes' or 'no'");
    FAILS("maxmemory-policy", "foo",
          "argument(s) must be one of the following: volatile-lru, volatile-lfu, volatile-random, "
          "volatile-ttl, allkeys-lru, allkeys-lfu, allkeys-random, noeviction");
    FAILS("databases", "3", "can't set immutable config");
    FAILS("dir", "/", "can't set protected config");
    FAILS("client-output-buffer-limit", "foo",
          "Wrong number of arguments in buffer limit configuration.");
    FAILS("client-output-buffer-limit", "foo 1 2 3",
          "Invalid client class specified in buffer limit configuration.");
    FAILS("client-output-buffer-limit", "normal a 2 3",
          "Error in hard, soft or soft_seconds setting in buffer limit configuration.");
    FAILS("notify-keyspace-events", "q", "Invalid event class character. Use 'Ag$lshzxeKEtmdn'.");
    FAILS("save", "1", "Invalid save parameters");
    FAILS("proc-title-template", "{foo}",
          "template format is invalid or contains unknown variables");
    FAILS("shutdown-on-sigint", "save nosave",
          "shutdown options SAVE and NOSAVE can't be used simultaneously");
    FAILS("oom-score-adj-values", "1 2", "wrong number of arguments");
    FAILS("save", "3600 1",
          "Rondo has no snapshots on disk: NOTHING IS PERSISTED, all data is gone after a restart: "
          "the value can only be ''");
    FAILS("appendonly", "yes", "Rondo has no append-only file: the value can only be no");
    EXPECT_TEXT("-ERR Unknown option or number of arguments for CONFIG SET - 'nosuch'\r\n",
                SET("nosuch", "1"));
    EXPECT_TEXT(
        "-ERR CONFIG SET failed (possibly related to argument 'PORT') - duplicate parameter\r\n",
        SET("port", "1", "PORT", "2"));
    EXPECT_TEXT("-ERR syntax error\r\n", SET("port", "1", "hz"));
    config_free(config);
}

static void test_set_values(void) {
    open_config();
    EXPECT_TEXT("+OK\r\n",
                SET("maxmemory", "100mb", "maxmemory-policy", "ALLKEYS-LRU", "save", ""));
    EXPECT_INT(100 << 20, settings.maxmemory_bytes);
    EXPECT_INT(MAXMEMORY_ALLKEYS_LRU, settings.maxmemory_policy);
    EXPECT_TEXT("+OK\r\n", SET("maxmemory-clients", "5%"));
    EXPECT_TEXT("5%", get("maxmemory-clients"));
    EXPECT_INT(-5, settings.maxmemory_clients);
    EXPECT_TEXT("+OK\r\n", SET("client-output-buffer-limit", "replica 1mb 1kb 7 normal 0 0 0"));
    EXPECT_TEXT("normal 0 0 0 slave 1048576 1024 7 pubsub 33554432 8388608 60",
                get("client-output-buffer-limit"));
    EXPECT_TEXT("+OK\r\n", SET("notify-keyspace-events", "KEA"));
    EXPECT_TEXT("AKE", get("notify-keyspace-events"));
    EXPECT_TEXT("+OK\r\n", SET("notify-keyspace-events", "E$xg"));
    EXPECT_TEXT("g$xE", get("notify-keyspace-events"));
    EXPECT_TEXT("+OK\r\n", SET("latency-tracking-info-percentiles", "50 99.99"));
    EXPECT_TEXT("50 99.99", get("latency-tracking-info-percentiles"));
    EXPECT_TEXT("+OK\r\n", SET("latency-tracking-info-percentiles", ""));
    EXPECT_INT(0, settings.latency_percentile_count);
    EXPECT_TEXT("+OK\r\n", SET("oom-score-adj", "relative"));
    EXPECT_TEXT("yes", get("oom-score-adj"));
    EXPECT_TEXT("+OK\r\n", SET("requirepass", "secret"));
    EXPECT_TEXT("secret", settings.requirepass);
    EXPECT_TEXT("+OK\r\n", SET("requirepass", ""));
    EXPECT(settings.requirepass == NULL);
    EXPECT_TEXT("+OK\r\n", SET("rdbcompression", "no"));
    EXPECT_TEXT("no", get("rdbcompression"));
    EXPECT_TEXT("+OK\r\n", SET("shutdown-on-sigterm", "nosave now"));
    EXPECT_TEXT("nosave now", get("shutdown-on-sigterm"));
    config_free(config);
}

/* -- all or nothing */
static int apply_calls;
static const char *refuse_apply(void *context, enum option_apply id) {
    apply_calls++;
    return settings.port == 7777 ? "Unable to listen on this port. Check server logs." : NULL;
}

static void test_rollback(void) {
    struct log_options quiet = {.level = LOG_LEVEL_NOTHING};
    open_config();
    EXPECT_INT(0, log_open(&quiet));
    apply_calls = 0;
    config_on_apply(config, APPLY_LISTEN, refuse_apply, NULL);
    EXPECT_TEXT("+OK\r\n", SET("port", "7000", "bind", "127.0.0.1"));
    EXPECT_INT(1, apply_calls); /* once for both */
    EXPECT_TEXT("-ERR CONFIG SET failed (possibly related to argument 'port') - "
                "Unable to listen on this port. Check server logs.\r\n",
                SET("hz", "50", "port", "7777", "bind", "::1", "requirepass", "x"));
    EXPECT_INT(3, apply_calls); /* and once more with the old values */
    EXPECT_INT(7000, settings.port);
    EXPECT_TEXT("127.0.0.1", get("bind"));
    EXPECT_INT(10, settings.hz);
    EXPECT(settings.requirepass == NULL);
    EXPECT_TEXT("+OK\r\n", SET("port", "7000")); /* nothing changes: nothing is applied */
    EXPECT_INT(3, apply_calls);
    EXPECT_TEXT("-ERR CONFIG SET failed (possibly related to argument 'timeout') - "
                "argument couldn't be parsed into an integer\r\n",
                SET("hz", "50", "timeout", "x"));
    EXPECT_INT(10, settings.hz);
    config_free(config);
}

static void test_protected(void) {
    open_config();
    settings.enable_protected_configs = PROTECTED_ACTION_LOCAL;
    EXPECT_TEXT("-ERR CONFIG SET failed (possibly related to argument 'dir') - can't set protected "
                "config\r\n",
                SET("dir", "."));
    EXPECT_TEXT("+OK\r\n", set_words((const char *const[]){"dir", "."}, 2, true));
    settings.enable_protected_configs = PROTECTED_ACTION_YES;
    EXPECT_TEXT("+OK\r\n", SET("dir", "."));
    EXPECT_TEXT("-ERR CONFIG SET failed (possibly related to argument 'dir') - No such file or "
                "directory\r\n",
                SET("dir", "/no/such/place"));
    config_free(config);
}

static void test_get(void) {
    struct span patterns[] = {SPAN("maxmemory-p*"), SPAN("PORT"), SPAN("slave-r*"), SPAN("port"),
                              SPAN("nothing")};
    struct buf out = {0};
    open_config();
    reply_open(3);
    config_get(config, &reply, patterns, ARRAY_LENGTH(patterns));
    reply_close(&out);
    EXPECT_TEXT("%3\r\n$4\r\nPORT\r\n$4\r\n6379\r\n$16\r\nmaxmemory-policy\r\n$10\r\nnoeviction\r\n"
                "$15\r\nslave-read-only\r\n$3\r\nyes\r\n",
                buf_terminate(&out));
    buf_release(&out);
    config_free(config);
}

static const char *load(const char *text) {
    struct buf error = {0};
    int status = config_load_text(config, span_of(text), "x.conf", &error);
    snprintf(said, sizeof said, "%s", buf_terminate(&error));
    buf_release(&error);
    return status == 0 ? "" : said;
}

static void test_load(void) {
    open_config();
    EXPECT_TEXT("",
                load("# comment\n\n  port   7001 \r\nmaxmemory 2gb\nbind 127.0.0.1 "
                     "::1\nMaxMemory-Policy allkeys-lfu\n"
                     "requirepass \"a b\\x41\\n\"\nclient-output-buffer-limit normal 1mb 0 0\n"
                     "client-output-buffer-limit pubsub 2mb 0 0\nsave \"\"\nappendonly no\n"
                     "list-max-ziplist-entries 128\nrename-command FLUSHALL \"\"\nlogfile \"\"\n"));
    EXPECT_INT(7001, settings.port);
    EXPECT_INT(2, settings.bind_count);
    EXPECT_TEXT("::1", settings.bind[1]);
    EXPECT_TEXT("a bA\n", settings.requirepass);
    EXPECT_INT(1 << 20, settings.output_limit[SESSION_CLASS_NORMAL].hard_bytes);
    EXPECT_INT(2 << 20, settings.output_limit[SESSION_CLASS_PUBSUB].hard_bytes);
    EXPECT_INT(1, settings.rename_count);
    EXPECT_TEXT("FLUSHALL", settings.renames[0].from);
    EXPECT_SPAN(SPAN("save, appendonly"), config_ignored(config));
    EXPECT_INT(0, config_warnings(config).len);
    config_free(config);
}

static void test_load_foreign(void) {
    open_config();
    EXPECT_TEXT("", load("save 3600 1 300 100\nio-threads 4\n"));
    EXPECT_TEXT("", get("save"));
    EXPECT_TEXT("1", get("io-threads"));
    EXPECT_SPAN(
        SPAN("'save 3600 1 300 100' has no effect, the value stays ''. Rondo has no snapshots on "
             "disk: "
             "NOTHING IS PERSISTED, all data is gone after a restart.\n"
             "'io-threads 4' has no effect, the value stays 1. Rondo has no I/O threads.\n"),
        config_warnings(config));
    config_free(config);
}

static void test_load_errors(void) {
#define BAD(text, line, shown, why)                                                               \
    do {                                                                                          \
        open_config();                                                                            \
        EXPECT_TEXT("\n*** FATAL CONFIG FILE ERROR (Rondo 0.1.0) ***\nReading the configuration " \
                    "file, at line " line " of x.conf\n>>> '" shown "'\n" why "\n",               \
                    load(text));                                                                  \
        config_free(config);                                                                      \
    } while (0)
    BAD("port 1\nfoo bar\n", "2", "foo bar", "Bad directive or wrong number of arguments");
    BAD("port", "1", "port", "wrong number of arguments");
    BAD("port 1 2", "1", "port 1 2", "wrong number of arguments");
    BAD("  port \"1\n", "1", "port \"1", "Unbalanced quotes in configuration line");
    BAD("port \"1\"2\n", "1", "port \"1\"2", "Unbalanced quotes in configuration line");
    BAD("appendonly yes", "1", "appendonly yes",
        "Rondo has no append-only file: the value can only be no");
    BAD("replicaof 10.0.0.1 6379", "1", "replicaof 10.0.0.1 6379",
        "Rondo has no replication: the value can only be ''");
    BAD("loadmodule x.so", "1", "loadmodule x.so", "Rondo has no modules");
    BAD("user", "1", "user", "wrong number of arguments");
    BAD("include /no/such/file", "1", "include /no/such/file",
        "Fatal error, can't open config file '/no/such/file': No such file or directory");
}

static const char *load_args(int argc, const char *const *argv) {
    struct buf error = {0};
    int status = config_load_args(config, argc, (char *const *)(uintptr_t)argv, 1, &error);
    snprintf(said, sizeof said, "%s", buf_terminate(&error));
    buf_release(&error);
    return status == 0 ? "" : said;
}
#define ARGS(...)                                                                            \
    load_args((int)(sizeof((const char *[]){"rondo-server", __VA_ARGS__}) / sizeof(char *)), \
              (const char *const[]){"rondo-server", __VA_ARGS__})

static void test_args(void) {
    open_config();
    EXPECT_TEXT("",
                ARGS("--port", "7002", "--bind", "127.0.0.1", "::1", "--save", "--maxmemory 5mb",
                     "--requirepass", "--x", "--appendonly", "no", "--save"));
    EXPECT_INT(7002, settings.port);
    EXPECT_INT(2, settings.bind_count);
    EXPECT_INT(5 << 20, settings.maxmemory_bytes);
    EXPECT_TEXT("--x", settings.requirepass);
    EXPECT_TEXT("", ARGS("--bind", "10.0.0.1 10.0.0.2"));
    EXPECT_TEXT("10.0.0.2", settings.bind[1]);
    EXPECT_TEXT(
        "\n*** FATAL CONFIG FILE ERROR (Rondo 0.1.0) ***\nReading the command line, at option 2\n"
        ">>> 'nosuch \"1\"'\nBad directive or wrong number of arguments\n",
        ARGS("--port", "1", "--nosuch", "1"));
    config_free(config);
}

/* -- files */
static char directory[64];

static void write_file(const char *name, const char *text) {
    int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0640);
    if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text)) abort();
    close(fd);
}

static const char *read_back(const char *name) {
    int fd = open(name, O_RDONLY);
    ssize_t n = read(fd, said, sizeof said - 1);
    said[n > 0 ? n : 0] = '\0';
    close(fd);
    return said;
}

static void test_include(void) {
    struct buf error = {0};
    open_config();
    write_file("a.conf", "include b.conf\ninclude none*.conf\nport 5\n");
    write_file("b.conf", "maxmemory 1mb\ninclude c*.conf\n");
    write_file("c1.conf", "hz 20\n");
    write_file("c2.conf", "hz 9999\n");
    EXPECT_INT(0, config_load_file(config, "a.conf", &error));
    EXPECT_INT(0, config_finish_load(config, &error));
    EXPECT_INT(500, settings.hz);
    EXPECT_INT(1 << 20, settings.maxmemory_bytes);
    EXPECT_INT(5, settings.port);
    write_file("c2.conf", "include a.conf\n");
    EXPECT(config_load_file(config, "a.conf", &error) < 0);
    EXPECT(strstr(buf_terminate(&error), "Too many files that include each other") != NULL);
    buf_clear(&error);
    EXPECT(config_load_file(config, "none.conf", &error) < 0);
    EXPECT_TEXT("Fatal error, can't open config file 'none.conf': No such file or directory\n",
                buf_terminate(&error));
    buf_release(&error);
    config_free(config);
}

static void test_rewrite(void) {
    struct buf error = {0}, expected = {0};
    struct stat info;
    char path[128];
    open_config();
    EXPECT(getcwd(path, sizeof path) != NULL);
    write_file(
        "r.conf",
        "# head\n\n  # indented\nport 7003\nslowlog-max-len 5\nmaxmemory 1mb\nmaxmemory 2mb\n"
        "save 3600 1\ninclude b*.none\nrename-command A B\nrdbcompression no\nrequirepass x\n"
        "client-output-buffer-limit normal 1mb 0 0\n# tail");
    EXPECT_INT(0, config_load_file(config, "r.conf", &error));
    EXPECT(config_set_one(config, "maxmemory", "100mb") == NULL);
    EXPECT(config_set_one(config, "timeout", "7") == NULL);
    EXPECT(config_set_one(config, "requirepass", "") == NULL);
    EXPECT(config_set_one(config, "notify-keyspace-events", "KEA") == NULL);
    EXPECT_INT(0, config_rewrite(config));
    buf_printf(
        &expected,
        "# head\n\n  # indented\nport 7003\nslowlog-max-len 5\nmaxmemory 100mb\nsave 3600 "
        "1\ninclude b*.none\n"
        "rename-command A B\nrdbcompression no\nclient-output-buffer-limit normal 1mb 0 0\n# tail\n"
        "# Generated by CONFIG REWRITE\ntimeout 7\ndir \"%s\"\n"
        "client-output-buffer-limit replica 256mb 64mb 60\n"
        "client-output-buffer-limit pubsub 32mb 8mb 60\nnotify-keyspace-events \"AKE\"\n",
        path);
    EXPECT_TEXT(buf_terminate(&expected), read_back("r.conf"));
    EXPECT_INT(0, stat("r.conf", &info));
    EXPECT_INT(0640, info.st_mode & 0777);
    /* Once more: nothing changes. */
    EXPECT_INT(0, config_rewrite(config));
    EXPECT_TEXT(buf_terminate(&expected), read_back("r.conf"));
    buf_release(&expected);
    buf_release(&error);
    config_free(config);
}

/* server.conf has a line for every option of Rondo's own, commented out or not, and setting it all changes nothing. */
static char source[512];

static bool is_named(struct span text, const char *name) {
    struct span rest = text;
    while (rest.len > 0) {
        const char *end = memchr(rest.data, '\n', rest.len);
        struct span line = span_make(rest.data, end ? (size_t)(end - rest.data) : rest.len);
        size_t skip = line.len > 2 && line.data[0] == '#' && line.data[1] == ' ' ? 2 : 0,
               len = strlen(name);
        if (line.len > skip + len && memcmp(line.data + skip, name, len) == 0 &&
            line.data[skip + len] == ' ')
            return true;
        if (!end) break;
        rest = span_make(end + 1, rest.len - line.len - 1);
    }
    return false;
}

static void test_sample(void) {
    struct settings fresh_settings = {0};
    struct config *fresh = config_new(&fresh_settings);
    struct buf error = {0}, text = {0};
    char path[600];
    FILE *file;
    int c;
    snprintf(path, sizeof path, "%s/server.conf", source);
    file = fopen(path, "r");
    EXPECT(file != NULL);
    while ((c = getc(file)) != EOF) buf_put_char(&text, (char)c);
    fclose(file);
    open_config();
    EXPECT_INT(0, config_load_file(config, path, &error));
    EXPECT_INT(0, config_warnings(config).len);
    EXPECT_INT(0, config_ignored(config).len);
    for (uint32_t i = 0; i < options_own_count; i++) {
        const struct option *option = config_option_at(i);
        struct buf now = {0}, initial = {0};
        config_print(config, option, &now);
        config_print(fresh, option, &initial);
        EXPECT_SPAN(buf_span(&initial), buf_span(&now));
        buf_release(&now);
        buf_release(&initial);
        if (!is_named(buf_span(&text), option->name))
            test_fail(__FILE__, __LINE__, "server.conf lacks %s", option->name);
    }
    buf_release(&text);
    config_free(fresh);
    config_free(config);
}

int main(int argc, char **argv) {
    static const struct test tests[] = {
        {"config_defaults", test_defaults},
        {"config_round_trip", test_round_trip},
        {"config_random_values", test_random_values},
        {"config_set_errors", test_set_errors},
        {"config_set_values", test_set_values},
        {"config_rollback", test_rollback},
        {"config_protected", test_protected},
        {"config_get", test_get},
        {"config_load", test_load},
        {"config_load_foreign", test_load_foreign},
        {"config_load_errors", test_load_errors},
        {"config_args", test_args},
        {"config_include", test_include},
        {"config_rewrite", test_rewrite},
        {"config_sample", test_sample},
    };
    int failed;
    if (getenv("RONDO_SOURCE")) {
        snprintf(source, sizeof source, "%s", getenv("RONDO_SOURCE"));
    } else if (!getcwd(source, sizeof source)) {
        return 1;
    }
    snprintf(directory, sizeof directory, "/tmp/rondo-config-XXXXXX");
    if (!mkdtemp(directory) || chdir(directory) != 0) return 1;
    failed = test_main(tests, ARRAY_LENGTH(tests), argc, argv);
    if (system("rm -f -- *.conf") != 0 || chdir("/") != 0 || rmdir(directory) != 0) return 1;
    return failed;
}
