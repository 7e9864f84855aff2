/* SCAN and its like (HSCAN, SSCAN, ZSCAN): the cursor and the options that they share. */
#ifndef COMMANDS_SCAN_H
#define COMMANDS_SCAN_H

#include "commands/command.h"

/* What is walked: the options differ. */
enum scan_kind { SCAN_KEYS, SCAN_SET, SCAN_HASH, SCAN_ZSET };

enum { SCAN_COUNT_USUAL = 10, SCAN_ANY_TYPE = -1 };

struct scan_options {
    int64_t count;    /* elements to look at, at least */
    bool has_pattern; /* not "*" */
    struct span pattern;
    int type;        /* enum entry_type, or SCAN_ANY_TYPE; SCAN_KEYS only */
    bool names_only; /* NOVALUES, NOSCORES */
};

/* Argument `at` as a cursor; options from argument `first` on. True, or false after the error was written. */
bool scan_parse_cursor(struct call *call, uint32_t at, uint64_t *cursor);
bool scan_parse_options(struct call *call, uint32_t first, enum scan_kind kind,
                        struct scan_options *options);

bool scan_matches(const struct scan_options *options, struct span name);

#endif
