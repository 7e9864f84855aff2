/* Times to live as commands take them, and what happens to a key whose time is already over. */
#ifndef COMMANDS_EXPIRATION_H
#define COMMANDS_EXPIRATION_H

#include "base/clock.h"
#include "commands/command.h"

enum expiration_unit {
    EXPIRATION_S,       /* from now on: EX, EXPIRE */
    EXPIRATION_MS,      /* PX, PEXPIRE */
    EXPIRATION_UNIX_S,  /* a Unix time: EXAT, EXPIREAT */
    EXPIRATION_UNIX_MS, /* PXAT, PEXPIREAT */
};

/* Argument `at` as a deadline in Unix milliseconds: true, or false after the error was written. The first takes positive numbers
 * only, as SET does; the second negative ones too, which give 0: the past. */
bool expiration_parse(struct call *call, uint32_t at, enum expiration_unit unit,
                      int64_t *deadline_ms);
bool expiration_parse_any(struct call *call, uint32_t at, enum expiration_unit unit,
                          int64_t *deadline_ms);

/* The last deadline that a key can hold; what lies behind it (two milliseconds, in the year 292 million) becomes it, and it is shown as
 * the last of 64 bits, which is what somebody who comes here has asked for. */
#define EXPIRATION_MAX_MS (DB_KEEP_DEADLINE - 1)
INLINE int64_t expiration_shown_ms(int64_t deadline_ms) {
    return deadline_ms == EXPIRATION_MAX_MS ? INT64_MAX : deadline_ms;
}

INLINE bool expiration_is_past(int64_t deadline_ms) {
    return deadline_ms <= clock_real_ms();
}

/* Removes the entry of key `at`, whose new deadline has passed: counted and told of as expired. */
void expiration_remove(struct call *call, struct entry *e, uint32_t at);

#endif
