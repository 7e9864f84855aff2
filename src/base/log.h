/* The log: one process-wide sink. Lines look like Redis's: "PID:R 01 Dec 2026 10:00:00.000 * text". */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include <stdbool.h>

#include "base/compat.h"

enum log_level { LOG_LEVEL_DEBUG, LOG_LEVEL_VERBOSE, LOG_LEVEL_NOTICE, LOG_LEVEL_WARNING, LOG_LEVEL_NOTHING };

struct log_options {
    enum log_level level;
    const char *file;          /* NULL or "": standard output. Opened for append at each line: rotation needs no signal */
    bool syslog;
    const char *syslog_ident;  /* borrowed until the next log_open */
    int syslog_facility;       /* LOG_LOCAL0... of syslog.h */
};

/* 0, or a negative errno when the file cannot be written: then nothing has changed. May be called again to change everything, and is
 * after daemonising: R is M in the process that called last, C in its children. Before the first call: standard output, notice. */
ATTR_MUST_USE int log_open(const struct log_options *options);
void log_close(void); /* back to standard output */
bool log_enabled(enum log_level level);
/* One line, at most 1024 bytes; control characters become blanks. Lines that cannot be written at once are lost: a full disk or an
 * unread pipe holds nobody up. errno is kept. */
void log_line(enum log_level level, const char *format, ...) ATTR_PRINTF(2, 3);

#define log_debug(...) (log_enabled(LOG_LEVEL_DEBUG) ? log_line(LOG_LEVEL_DEBUG, __VA_ARGS__) : (void)0)
#define log_verbose(...) log_line(LOG_LEVEL_VERBOSE, __VA_ARGS__)
#define log_notice(...) log_line(LOG_LEVEL_NOTICE, __VA_ARGS__)
#define log_warning(...) log_line(LOG_LEVEL_WARNING, __VA_ARGS__)

/* Async-signal-safe: bytes to the sink as they are, for the crash report. */
void log_raw(const char *text, unsigned long len);

#endif
