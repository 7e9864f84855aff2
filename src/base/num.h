/* Numbers to and from text, strictly: no leading blanks, no trailing bytes, no locale. */
#ifndef BASE_NUM_H
#define BASE_NUM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"

enum {
    NUM_INT_TEXT_MAX = 21,    /* bytes for any 64-bit integer in decimal, sign included, no NUL */
    NUM_DOUBLE_TEXT_MAX = 64, /* bytes for num_format_double */
    NUM_LONG_DOUBLE_TEXT_MAX = 5 * 1024, /* Redis's MAX_LONG_DOUBLE_CHARS */
};

/* Decimal only: an optional '-', no '+', no leading zeros ("0" itself is fine), no overflow: the form that OBJECT ENCODING
 * calls int. True and *out on success. */
bool num_parse_int(struct span text, int64_t *out);
bool num_parse_uint(struct span text, uint64_t *out);

/* What strtod(3)/strtold(3) take in the C locale, whole text, no leading blanks, nan refused; inf and infinity taken; overflow and
 * underflow to zero refused; less than NUM_LONG_DOUBLE_TEXT_MAX bytes. */
bool num_parse_double(struct span text, double *out);
bool num_parse_long_double(struct span text, long double *out);

/* Writes decimal digits at `out` (NUM_INT_TEXT_MAX bytes of room), returns the bytes written. No NUL. Hot path. */
size_t num_format_int(char *out, int64_t value);
size_t num_format_uint(char *out, uint64_t value);
size_t num_digits(uint64_t value); /* decimal digits: 1 for 0 */

/* The shortest decimal text that reads back as the same double, in the form that Valkey's replies have: integers without a
 * fraction ("3"; up to 2^62 with all their digits), exponents as in 1e+30 and 1e-7, "-0", "inf", "-inf", "nan". (Valkey itself prints a
 * digit too many for one double in two hundred.) */
size_t num_format_double(char *out, double value);

/* INCRBYFLOAT's form: %.17Lf with the trailing zeros (and point) removed; "-0" becomes "0". */
size_t num_format_long_double(char *out, long double value);

/* "1gb", "100mb", "5k", "1048576": Redis's memory units (k=1000, kb=1024, ...; case-insensitive). 0, ERROR_SYNTAX or ERROR_RANGE. */
int num_parse_memory(struct span text, uint64_t *bytes);

#endif
