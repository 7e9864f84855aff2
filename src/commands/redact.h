/* Which arguments must not be shown: passwords in what MONITOR and the slow log keep. */
#ifndef COMMANDS_REDACT_H
#define COMMANDS_REDACT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"

#define REDACTED_TEXT "(redacted)"

bool redact_hides(const struct span *argv, uint32_t argc, uint32_t at);

#endif
