/* The log's sink. A line is formatted on the stack and leaves in one write, so lines of a child and
 * its parent do not mix. Nothing here may end or hold up the server: a file that cannot be opened
 * or written, a full disk and a pipe nobody reads lose lines, nothing else. */
#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

enum {
    LOG_MESSAGE_BYTES = 1024, /* a longer message is cut */
    LOG_PREFIX_BYTES = 64,    /* "PID:R 01 Dec 2026 10:00:00.000 * " */
    LOG_FILE_MODE = 0644,
};

static struct {
    enum log_level level;
    bool syslog;
    pid_t pid;           /* who opened the log; another one is a child */
    char file[PATH_MAX]; /* "": standard output */
} sink = {.level = LOG_LEVEL_NOTICE};

/* Not blocking: opening a FIFO without a reader must fail, not wait. */
static int open_file(const char *file) {
    int fd;
    do {
        fd = open(file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK,
                  LOG_FILE_MODE);
    } while (fd < 0 && errno == EINTR);
    return fd < 0 ? -errno : fd;
}

int log_open(const struct log_options *options) {
    const char *file = options->file ? options->file : "";
    if (strlen(file) >= sizeof sink.file) return -ENAMETOOLONG;
    if (*file) {
        int fd = open_file(file);
        if (fd < 0) return fd;
        close(fd);
    }
    log_close();
    tzset(); /* here, since it reads a file: a chroot or a fork may come later */
    sink.level = options->level;
    sink.pid = getpid();
    memcpy(sink.file, file, strlen(file) + 1);
    sink.syslog = options->syslog;
    if (sink.syslog) {
        openlog(options->syslog_ident, LOG_PID | LOG_NDELAY | LOG_NOWAIT, options->syslog_facility);
    }
    return 0;
}

void log_close(void) {
    if (sink.syslog) closelog();
    sink.syslog = false;
    sink.file[0] = '\0';
}

bool log_enabled(enum log_level level) {
    return level >= sink.level && level < LOG_LEVEL_NOTHING;
}

/* Is there room for a line? For a pipe, poll(2) says so only when PIPE_BUF bytes fit, more than a
 * line has; a file is always ready. */
static bool writable(int fd) {
    struct pollfd query = {.fd = fd, .events = POLLOUT};
    return poll(&query, 1, 0) == 1 && query.revents == POLLOUT;
}

/* Async-signal-safe. */
static void write_all(int fd, const char *text, size_t len) {
    while (len > 0) {
        ssize_t n;
        if (!writable(fd)) return;
        n = write(fd, text, MIN(len, PIPE_BUF));
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return;
        text += n;
        len -= (size_t)n;
    }
}

void log_raw(const char *text, unsigned long len) {
    int saved_errno = errno;
    int fd = sink.file[0] ? open_file(sink.file) : STDOUT_FILENO;
    write_all(fd >= 0 ? fd : STDERR_FILENO, text, len);
    if (sink.file[0] && fd >= 0) close(fd);
    errno = saved_errno;
}

/* "PID:R 01 Dec 2026 10:00:00.000 * ". The role is M as for a primary, C in a child. */
static int format_prefix(char *out, size_t size, enum log_level level) {
    static const char months[12][4] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                       "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    pid_t pid = getpid();
    struct timespec now;
    struct tm tm;
    clock_gettime(CLOCK_REALTIME, &now);
    localtime_r(&now.tv_sec, &tm);
    return snprintf(out, size, "%ld:%c %02d %s %04d %02d:%02d:%02d.%03d %c ", (long)pid,
                    sink.pid == 0 || pid == sink.pid ? 'M' : 'C', tm.tm_mday, months[tm.tm_mon],
                    tm.tm_year + 1900, tm.tm_hour, tm.tm_min, tm.tm_sec,
                    (int)(now.tv_nsec / 1000000), ".-*#"[level]);
}

/* What a client sent may stand in a message: it must not be able to begin a line of its own, nor to
 * talk to a terminal. */
static void blank_controls(char *text, size_t len) {
    for (size_t i = 0; i < len; i++) {
        if ((uint8_t)text[i] < ' ' || text[i] == 0x7f) text[i] = ' ';
    }
}

void log_line(enum log_level level, const char *format, ...) {
    static const int priorities[] = {LOG_DEBUG, LOG_INFO, LOG_NOTICE, LOG_WARNING};
    char line[LOG_PREFIX_BYTES + LOG_MESSAGE_BYTES + 1];
    int saved_errno = errno, prefix, len;
    va_list args;
    if (!log_enabled(level)) return;
    prefix = format_prefix(line, LOG_PREFIX_BYTES, level);
    va_start(args, format);
    errno = saved_errno; /* for %m */
    len = vsnprintf(line + prefix, LOG_MESSAGE_BYTES, format, args);
    va_end(args);
    if (len < 0) len = 0;
    if (len >= LOG_MESSAGE_BYTES) len = LOG_MESSAGE_BYTES - 1;
    blank_controls(line + prefix, (size_t)len);
    if (sink.syslog) syslog(priorities[level], "%.*s", len, line + prefix);
    line[prefix + len] = '\n';
    if (sink.file[0]) {
        int fd = open_file(sink.file);
        if (fd >= 0) {
            write_all(fd, line, (size_t)(prefix + len) + 1);
            close(fd);
        }
    } else {
        write_all(STDOUT_FILENO, line, (size_t)(prefix + len) + 1);
    }
    errno = saved_errno;
}
