/* The crash report: what a signal that means a bug leaves in the log before the process dies of it. Afterwards the signal is raised
 * again with its default action, so exit codes and core dumps are what they would be without the report.
 *
 * The handler runs on a stack of its own and calls async-signal-safe functions only (backtrace(3), warmed up at install, apart). It
 * prints what was prepared while all was well, the snapshot of INFO, and looks by pointer at what is being executed. */
#ifndef SERVER_CRASH_H
#define SERVER_CRASH_H

#include <stdbool.h>

#include "base/span.h"

/* crash-log-enabled: on or off, at any time. */
void crash_enable(bool on);

/* Keeps a copy of the text for the report's INFO part; called every few seconds with INFO's output. Cut at CRASH_INFO_BYTES. */
enum { CRASH_INFO_BYTES = 16 * 1024 };
void crash_keep_info(struct span text);

/* Where the handler finds what is being executed: host->dispatch.running and the settings. Lengths of the arguments are shown, and
 * their first bytes when hide-user-data-from-log is off. NULL: no longer. */
struct host;
void crash_watch(const struct host *host);

#endif
