/* Numbers and text. Hot path: num_parse_int, num_format_int, and for scores num_parse_double and
 * num_format_double. libc is asked only for what is rare; its locale must stay "C" for numbers. */
#include "base/num.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/error.h"
#include "base/num_shortest.h"

/* ---- integers */

INLINE unsigned digit_of(char c) { /* more than 9: none */
    return (uint8_t)c - (unsigned)'0';
}

/* Digits only, without a leading zero unless it is all. Two at a step: the chain of multiplications
 * is what takes time. */
static bool parse_digits(const char *at, size_t len, uint64_t *out) {
    uint64_t value = 0;
    size_t i = 0, safe = MIN(len, 19); /* 19 digits always fit */
    if (len == 0 || len > 20 || (at[0] == '0' && len > 1)) return false;
    for (; i + 2 <= safe; i += 2) {
        unsigned tens = digit_of(at[i]), ones = digit_of(at[i + 1]);
        if (tens > 9 || ones > 9) return false;
        value = value * 100 + tens * 10 + ones;
    }
    if (i < safe) {
        unsigned digit = digit_of(at[i++]);
        if (digit > 9) return false;
        value = value * 10 + digit;
    }
    if (i < len) {
        unsigned digit = digit_of(at[i]);
        if (digit > 9 || __builtin_mul_overflow(value, 10, &value)) return false;
        if (__builtin_add_overflow(value, digit, &value)) return false;
    }
    *out = value;
    return true;
}

bool num_parse_uint(struct span text, uint64_t *out) {
    return parse_digits(text.data, text.len, out);
}

bool num_parse_int(struct span text, int64_t *out) {
    uint64_t magnitude;
    if (text.len == 0) return false;
    if (text.data[0] != '-') {
        if (!parse_digits(text.data, text.len, &magnitude) || magnitude > INT64_MAX) return false;
        *out = (int64_t)magnitude;
        return true;
    }
    if (!parse_digits(text.data + 1, text.len - 1, &magnitude)) return false;
    if (magnitude == 0 || magnitude > (uint64_t)INT64_MAX + 1) return false;
    *out = (int64_t)-magnitude;
    return true;
}

size_t num_digits(uint64_t value) {
    static const uint64_t powers[20] = {
        0, /* 0 has one digit too */
        10u,
        100u,
        1000u,
        10000u,
        100000u,
        1000000u,
        10000000u,
        100000000u,
        1000000000u,
        10000000000u,
        100000000000u,
        1000000000000u,
        10000000000000u,
        100000000000000u,
        1000000000000000u,
        10000000000000000u,
        100000000000000000u,
        1000000000000000000u,
        10000000000000000000u,
    };
    /* bits * log10(2) is the number of digits or one too few; 1233/4096 is log10(2) closely enough
     * for 64 bits */
    size_t estimate = (size_t)(64 - __builtin_clzll(value | 1)) * 1233 >> 12;
    return estimate + (value >= powers[estimate]);
}

/* "00" to "99", and the digits' place from the end: the compiler makes multiplications of the
 * divisions by constants. */
static const char two_digits[200] =
    "00010203040506070809101112131415161718192021222324252627282930313233343536373839"
    "40414243444546474849505152535455565758596061626364656667686970717273747576777879"
    "8081828384858687888990919293949596979899";

size_t num_format_uint(char *out, uint64_t value) {
    size_t len = num_digits(value);
    char *at = out + len;
    while (value >= 100) {
        at -= 2;
        memcpy(at, two_digits + value % 100 * 2, 2);
        value /= 100;
    }
    if (value >= 10)
        memcpy(at - 2, two_digits + value * 2, 2);
    else
        at[-1] = (char)('0' + value);
    return len;
}

size_t num_format_int(char *out, int64_t value) {
    if (value >= 0) return num_format_uint(out, (uint64_t)value);
    *out = '-';
    return 1 + num_format_uint(out + 1, -(uint64_t)value);
}

/* ---- doubles */

/* The usual number: digits, perhaps a point and an exponent, that together make mantissa *
 * 10^exponent of which both are doubles without error (mantissa < 2^53, |exponent| <= 22): then one
 * multiplication or division rounds rightly. False for all others, good or bad. A tenth of
 * strtod(3)'s time. */
static bool parse_usual_double(struct span text, double *out) {
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const char *at = text.data, *end, *point = NULL, *first;
    uint64_t mantissa = 0;
    int exponent = 0;
    bool negative;
    double value;
    if (text.len == 0 || text.len > 32) return false; /* and so the exponent cannot overflow */
    end = at + text.len;
    negative = *at == '-';
    first = at += negative;
    for (; at < end; at++) {
        unsigned digit = digit_of(*at);
        if (digit > 9) {
            if (*at != '.' || point) break;
            point = at;
            continue;
        }
        if (mantissa >= (uint64_t)1 << 53) return false;
        mantissa = mantissa * 10 + digit;
    }
    if (at - first <= (point ? 1 : 0) || mantissa > (uint64_t)1 << 53) return false;
    if (point) exponent = (int)(point + 1 - at);
    if (at < end && (*at == 'e' || *at == 'E')) {
        bool down = ++at < end && *at == '-';
        int digits = 0;
        if (at < end && (*at == '-' || *at == '+')) at++;
        if (end - at < 1 || end - at > 4) return false;
        for (; at < end && digit_of(*at) <= 9; at++) digits = digits * 10 + (int)digit_of(*at);
        exponent += down ? -digits : digits;
    }
    if (at != end || exponent < -22 || exponent > 22) return false;
    value = (double)mantissa;
    value = exponent < 0 ? value / powers[-exponent] : value * powers[exponent];
    *out = negative ? -value : value;
    return true;
}

/* strtod(3) wants a NUL; it skips leading blanks, which we refuse; so does Redis what is too large,
 * and what is not zero but becomes it. */
enum { PARSE_BYTES_MAX = NUM_LONG_DOUBLE_TEXT_MAX };

static bool copy_for_libc(struct span text, char *copy) {
    if (text.len == 0 || text.len >= PARSE_BYTES_MAX || (uint8_t)text.data[0] <= ' ') return false;
    memcpy(copy, text.data, text.len);
    copy[text.len] = '\0';
    errno = 0;
    return true;
}

bool num_parse_double(struct span text, double *out) {
    char copy[PARSE_BYTES_MAX], *end;
    double value;
    if (LIKELY(parse_usual_double(text, out))) return true;
    if (!copy_for_libc(text, copy)) return false;
    value = strtod(copy, &end);
    if ((size_t)(end - copy) != text.len || isnan(value)) return false;
    if (errno == ERANGE && (isinf(value) || value == 0)) return false;
    *out = value;
    return true;
}

bool num_parse_long_double(struct span text, long double *out) {
    char copy[PARSE_BYTES_MAX], *end;
    long double value;
    if (!copy_for_libc(text, copy)) return false;
    value = strtold(copy, &end);
    if ((size_t)(end - copy) != text.len || isnan(value)) return false;
    if (errno == ERANGE && (isinf(value) || value == 0)) return false;
    *out = value;
    return true;
}

static size_t put_exponent(char *out, const char *digits, int count, int exponent) {
    char *at = out;
    *at++ = digits[0];
    if (count > 1) {
        *at++ = '.';
        memcpy(at, digits + 1, (size_t)count - 1);
        at += count - 1;
    }
    *at++ = 'e';
    *at++ = exponent < 0 ? '-' : '+';
    return (size_t)(at - out) + num_format_uint(at, (uint64_t)abs(exponent));
}

/* Where Valkey changes from one notation to the other (its fpconv): an integer gets up to seven
 * zeros behind its digits and a fraction up to six places, or three zeros after its point; else an
 * exponent. */
static size_t put_decimal(char *out, const char *digits, int count, int exponent) {
    int magnitude = exponent + count - 1; /* of the first digit */
    if (exponent >= 0 && magnitude < count + 7) {
        memcpy(out, digits, (size_t)count);
        memset(out + count, '0', (size_t)exponent);
        return (size_t)(count + exponent);
    }
    if (exponent < 0 && (exponent > -7 || abs(magnitude) < 4)) {
        int whole = count + exponent; /* digits before the point */
        if (whole > 0) {
            memcpy(out, digits, (size_t)whole);
            out[whole] = '.';
            memcpy(out + whole + 1, digits + whole, (size_t)-exponent);
            return (size_t)count + 1;
        }
        memcpy(out, "0.", 2);
        memset(out + 2, '0', (size_t)-whole);
        memcpy(out + 2 - whole, digits, (size_t)count);
        return (size_t)(2 - whole + count);
    }
    return put_exponent(out, digits, count, magnitude);
}

size_t num_format_double(char *out, double value) {
    char digits[NUM_INT_TEXT_MAX];
    struct num_decimal shortest;
    int count;
    size_t sign;
    if (isnan(value)) {
        memcpy(out, "nan", 3);
        return 3;
    }
    sign = signbit(value) ? 1 : 0;
    out[0] = '-';
    out += sign;
    value = fabs(value);
    if (isinf(value)) {
        memcpy(out, "inf", 3);
        return sign + 3;
    }
    if (value <= 0x1p62 && value == (double)(uint64_t)value) {
        return sign + num_format_uint(out, (uint64_t)value);
    }
    shortest = num_shortest(value);
    count = (int)num_format_uint(digits, shortest.digits);
    return sign + put_decimal(out, digits, count, shortest.exponent);
}

size_t num_format_long_double(char *out, long double value) {
    int len;
    if (isnan(value)) {
        memcpy(out, "nan", 3);
        return 3;
    }
    if (isinf(value)) {
        memcpy(out, value < 0 ? "-inf" : "inf", value < 0 ? 4 : 3);
        return value < 0 ? 4 : 3;
    }
    len = snprintf(out, NUM_LONG_DOUBLE_TEXT_MAX, "%.17Lf", value);
    CHECK(len > 0 && len < NUM_LONG_DOUBLE_TEXT_MAX);
    while (out[len - 1] == '0') len--;
    if (out[len - 1] == '.') len--;
    if (len == 2 && out[0] == '-' && out[1] == '0') {
        out[0] = '0';
        len = 1;
    }
    return (size_t)len;
}

/* ---- memory sizes */

int num_parse_memory(struct span text, uint64_t *bytes) {
    static const struct {
        const char *name;
        uint64_t factor;
    } units[] = {
        {"", 1},        {"b", 1},        {"k", 1000},       {"kb", 1 << 10},
        {"m", 1000000}, {"mb", 1 << 20}, {"g", 1000000000}, {"gb", 1 << 30},
    };
    uint64_t value = 0;
    size_t digits = 0;
    bool overflow = false;
    for (; digits < text.len && digit_of(text.data[digits]) <= 9; digits++) {
        overflow |= __builtin_mul_overflow(value, 10, &value);
        overflow |= __builtin_add_overflow(value, digit_of(text.data[digits]), &value);
    }
    if (digits == 0) return ERROR_SYNTAX;
    for (size_t i = 0; i < ARRAY_LENGTH(units); i++) {
        struct span unit = span_make(text.data + digits, text.len - digits);
        if (!span_is(unit, units[i].name)) continue;
        if (overflow || __builtin_mul_overflow(value, units[i].factor, &value)) return ERROR_RANGE;
        *bytes = value;
        return 0;
    }
    return ERROR_SYNTAX;
}
