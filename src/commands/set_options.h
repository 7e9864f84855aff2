/* The options that SET, GETEX, MSETEX and their like share: when to write, what to answer, how long the value lives. */
#ifndef COMMANDS_SET_OPTIONS_H
#define COMMANDS_SET_OPTIONS_H

#include "commands/command.h"

enum set_option {
    SET_NX = 1 << 0,      /* only when the key is not there */
    SET_XX = 1 << 1,      /* only when it is */
    SET_IFEQ = 1 << 2,    /* only when its value is this one */
    SET_GET = 1 << 3,     /* answer the old value */
    SET_KEEPTTL = 1 << 4, /* the deadline stays */
    SET_PERSIST = 1 << 5, /* the deadline goes */
    SET_EX = 1 << 6,
    SET_PX = 1 << 7,
    SET_EXAT = 1 << 8,
    SET_PXAT = 1 << 9,
};
#define SET_EXPIRATION (SET_EX | SET_PX | SET_EXAT | SET_PXAT)

struct set_options {
    uint32_t flags;       /* enum set_option: those given */
    uint32_t expected_at; /* IFEQ's argument */
    int64_t deadline_ms;  /* what a put takes: ENTRY_NO_DEADLINE, DB_KEEP_DEADLINE or a Unix time */
};

/* Reads arguments from `first` to the last one, taking those in `allowed`: true, or false after the error was written. */
bool set_options_parse(struct call *call, uint32_t first, uint32_t allowed,
                       struct set_options *options);

#endif
