#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#include "test.h"

static char folder[64], file[80], rotated[80];

static void make_folder(void) {
    snprintf(folder, sizeof folder, "/tmp/rondo-log-test-XXXXXX");
    if (!mkdtemp(folder)) abort();
    snprintf(file, sizeof file, "%s/server.log", folder);
    snprintf(rotated, sizeof rotated, "%s/server.log.1", folder);
}

static void remove_folder(void) {
    unlink(file);
    unlink(rotated);
    rmdir(folder);
}

/* The whole file, terminated; "" when there is none. */
static const char *content(const char *path) {
    static char text[65536];
    ssize_t len = 0;
    int fd = open(path, O_RDONLY);
    if (fd >= 0) {
        len = read(fd, text, sizeof text - 1);
        close(fd);
    }
    text[len > 0 ? len : 0] = '\0';
    return text;
}

static int open_at(enum log_level level) {
    struct log_options options = {.level = level, .file = file};
    unlink(file);
    return log_open(&options);
}

/* time(2) may lag a tick behind. */
static time_t second_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return now.tv_sec;
}

static void test_format(void) {
    char prefix[32], expected_time[64];
    const char *text;
    time_t before, after;
    struct tm tm;
    EXPECT_INT(0, open_at(LOG_LEVEL_DEBUG));
    do { /* again if the second turns in between */
        unlink(file);
        before = second_now();
        log_notice("hello %d", 42);
        after = second_now();
    } while (before != after);
    text = content(file);
    localtime_r(&before, &tm);
    strftime(expected_time, sizeof expected_time, "%d %b %Y %H:%M:%S.", &tm);
    snprintf(prefix, sizeof prefix, "%ld:M ", (long)getpid());
    EXPECT(strncmp(text, prefix, strlen(prefix)) == 0);
    text += strlen(prefix);
    EXPECT(strncmp(text, expected_time, strlen(expected_time)) == 0);
    text += strlen(expected_time);
    EXPECT_INT(3, strspn(text, "0123456789"));
    EXPECT_SPAN(SPAN(" * hello 42\n"), span_of(text + 3));
}

static void test_levels(void) {
    const char *text;
    EXPECT_INT(0, open_at(LOG_LEVEL_VERBOSE));
    log_debug("one");
    log_verbose("two");
    log_notice("three");
    log_warning("four");
    text = content(file);
    EXPECT(!strstr(text, "one"));
    EXPECT(strstr(text, " - two\n"));
    EXPECT(strstr(text, " * three\n"));
    EXPECT(strstr(text, " # four\n"));
    EXPECT(!log_enabled(LOG_LEVEL_DEBUG));
    EXPECT(log_enabled(LOG_LEVEL_VERBOSE));
    EXPECT_INT(0, open_at(LOG_LEVEL_DEBUG));
    log_debug("one");
    EXPECT(strstr(content(file), " . one\n"));
    EXPECT_INT(0, open_at(LOG_LEVEL_NOTHING));
    log_warning("four");
    EXPECT_INT(0, content(file)[0]);
    EXPECT(!log_enabled(LOG_LEVEL_WARNING));
}

/* However it is moved away, the next line is in a file of the old name. */
static void test_rotation(void) {
    EXPECT_INT(0, open_at(LOG_LEVEL_NOTICE));
    log_notice("before");
    EXPECT_INT(0, rename(file, rotated));
    log_notice("after");
    EXPECT(strstr(content(rotated), "before") && !strstr(content(rotated), "after"));
    EXPECT(strstr(content(file), "after"));
    EXPECT_INT(0, truncate(file, 0));
    log_notice("third");
    EXPECT(strstr(content(file), "third") && !strstr(content(file), "after"));
}

static void test_long_line(void) {
    char message[5000];
    const char *text;
    memset(message, 'x', sizeof message - 1);
    message[sizeof message - 1] = '\0';
    EXPECT_INT(0, open_at(LOG_LEVEL_NOTICE));
    log_notice("%s", message);
    log_notice("next");
    text = content(file);
    EXPECT(strlen(text) > 1000 && strlen(text) < 1200);
    EXPECT(strstr(text, "xxx\n"));
    EXPECT(strstr(text, " * next\n"));
}

/* What a client sent cannot begin a line. */
static void test_one_line(void) {
    const char *text, *p;
    int lines = 0;
    EXPECT_INT(0, open_at(LOG_LEVEL_NOTICE));
    log_notice("user \"%s\"", "a\r\n1:M fake\x1b[2J\x7f\xc3\xa9");
    text = content(file);
    for (p = text; *p; p++) lines += *p == '\n';
    EXPECT_INT(1, lines);
    EXPECT(strstr(text, "a  1:M fake [2J \xc3\xa9\""));
}

static void test_errno_kept(void) {
    EXPECT_INT(0, open_at(LOG_LEVEL_NOTICE));
    errno = ENOENT;
    log_notice("%s", "x");
    EXPECT_INT(ENOENT, errno);
    log_raw("x", 1);
    EXPECT_INT(ENOENT, errno);
}

static void test_raw(void) {
    EXPECT_INT(0, open_at(LOG_LEVEL_NOTHING)); /* the crash report is written at any level */
    log_raw("=== CRASH\nregisters\n", 20);
    log_raw("", 0);
    EXPECT_SPAN(SPAN("=== CRASH\nregisters\n"), span_of(content(file)));
}

static void test_raw_large(void) {
    char text[20000];
    memset(text, 'r', sizeof text);
    EXPECT_INT(0, open_at(LOG_LEVEL_NOTICE));
    log_raw(text, sizeof text);
    EXPECT_INT(sizeof text, strlen(content(file)));
}

/* A file that cannot be is refused, and what was set before goes on. */
static void test_refused(void) {
    char long_name[8192];
    struct log_options bad = {.file = "/no/such/folder/server.log"};
    EXPECT_INT(0, open_at(LOG_LEVEL_NOTICE));
    EXPECT_INT(-ENOENT, log_open(&bad));
    bad.file = folder;
    EXPECT_INT(-EISDIR, log_open(&bad));
    memset(long_name, 'x', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = '\0';
    bad.file = long_name;
    EXPECT_INT(-ENAMETOOLONG, log_open(&bad));
    log_notice("still here");
    EXPECT(strstr(content(file), "still here"));
}

/* Opened again with what the sink itself remembers. */
static void test_close_and_reopen(void) {
    EXPECT_INT(0, open_at(LOG_LEVEL_NOTICE));
    log_close();
    EXPECT_INT(0, open_at(LOG_LEVEL_NOTICE));
    log_notice("again");
    EXPECT(strstr(content(file), "again"));
}

/* A full disk, a file gone bad, a FIFO without a reader: lines are lost, the process goes on. */
static void test_bad_sinks(void) {
    struct log_options full = {.level = LOG_LEVEL_NOTICE, .file = "/dev/full"};
    if (access("/dev/full", W_OK) == 0) {
        EXPECT_INT(0, log_open(&full));
        log_notice("lost");
        log_raw("lost", 4);
    }
    EXPECT_INT(0, open_at(LOG_LEVEL_NOTICE));
    unlink(file);
    EXPECT_INT(0, mkdir(file, 0700));
    log_notice("lost");
    EXPECT_INT(0, rmdir(file));
    EXPECT_INT(0, mkfifo(file, 0600));
    log_notice("lost");
    unlink(file);
    log_notice("found");
    EXPECT(strstr(content(file), "found"));
}

/* The end of a child that logs to a pipe as its standard output: its wait status. */
static int log_to_pipe(bool reader) {
    struct log_options to_stdout = {.level = LOG_LEVEL_NOTICE};
    int ends[2], status = -1;
    pid_t pid;
    if (pipe(ends) != 0) return -1;
    fflush(stdout);
    if (!reader) close(ends[0]);
    pid = fork();
    if (pid == 0) {
        alarm(20); /* rather than hang */
        signal(SIGPIPE, SIG_DFL);
        dup2(ends[1], STDOUT_FILENO);
        if (log_open(&to_stdout) != 0) _exit(1);
        for (int i = 0; i < 5000; i++) log_notice("a line that nobody reads, number %d", i);
        _exit(0);
    }
    close(ends[1]);
    waitpid(pid, &status, 0);
    if (reader) close(ends[0]);
    return status;
}

/* A pipe that nobody reads: what it does not take is dropped, and nothing waits. */
static void test_full_pipe(void) {
    EXPECT_INT(0, log_to_pipe(true));
    EXPECT_INT(0, log_to_pipe(false));
}

/* With or without a syslog daemon: the file has the line too. */
static void test_syslog(void) {
    struct log_options options = {.level = LOG_LEVEL_NOTICE,
                                  .file = file,
                                  .syslog = true,
                                  .syslog_ident = "rondo-test",
                                  .syslog_facility = LOG_LOCAL0};
    unlink(file);
    EXPECT_INT(0, log_open(&options));
    log_notice("to both");
    log_close();
    EXPECT(strstr(content(file), " * to both\n"));
    EXPECT_INT(0, open_at(LOG_LEVEL_NOTICE));
}

static void test_child(void) {
    char expected[32];
    int status;
    pid_t pid;
    EXPECT_INT(0, open_at(LOG_LEVEL_NOTICE));
    fflush(stdout);
    pid = fork();
    if (pid == 0) {
        log_notice("from the child");
        _exit(0);
    }
    EXPECT(waitpid(pid, &status, 0) == pid);
    snprintf(expected, sizeof expected, "%ld:C ", (long)pid);
    EXPECT(strncmp(content(file), expected, strlen(expected)) == 0);
}

int main(int argc, char **argv) {
    static const struct test tests[] = {
        {"log_format", test_format},
        {"log_levels", test_levels},
        {"log_rotation", test_rotation},
        {"log_long_line", test_long_line},
        {"log_one_line", test_one_line},
        {"log_errno_kept", test_errno_kept},
        {"log_raw", test_raw},
        {"log_raw_large", test_raw_large},
        {"log_refused", test_refused},
        {"log_close_and_reopen", test_close_and_reopen},
        {"log_bad_sinks", test_bad_sinks},
        {"log_full_pipe", test_full_pipe},
        {"log_syslog", test_syslog},
        {"log_child", test_child},
    };
    int result;
    make_folder();
    result = test_main(tests, ARRAY_LENGTH(tests), argc, argv);
    remove_folder();
    return result;
}
