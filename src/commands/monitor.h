/* MONITOR: every executed command as a line to those who asked for it. */
#ifndef COMMANDS_MONITOR_H
#define COMMANDS_MONITOR_H

#include "commands/host.h"

/* Called by dispatch while host->sessions->monitor_count > 0. */
void monitor_feed(struct host *host, struct session *s, const struct span *argv, uint32_t argc);

#endif
