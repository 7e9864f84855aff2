#ifndef LOAD_DIE_H
#define LOAD_DIE_H

/* Says why on standard error, and ends the program with status 1. */
_Noreturn void die(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
