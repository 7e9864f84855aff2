/* Glob matching without recursion: only the last '*' is ever tried again. An earlier one needs no
 * second try, because whatever it could swallow beyond its first match only takes text away from
 * what stands behind it.
 *
 * The corner cases are those of Redis: a class without its ']' ends with the pattern; a reversed
 * range is turned round; a backslash in a class makes the next byte literal (and compares it with
 * its case even where case is ignored); a last backslash stands for itself; no pattern but the
 * empty one matches the empty text. Bytes of a range are compared unsigned. */
#include "base/glob.h"

#include <stdint.h>

INLINE uint8_t lower(uint8_t c) {
    return (uint8_t)(c - 'A') < 26 ? c | 0x20 : c;
}

INLINE bool same(uint8_t a, uint8_t b, bool nocase) {
    return a == b || (nocase && lower(a) == lower(b));
}

static bool in_range(uint8_t from, uint8_t to, uint8_t c, bool nocase) {
    uint8_t low = MIN(from, to), high = MAX(from, to);
    if (!nocase) return c >= low && c <= high;
    return lower(c) >= lower(low) && lower(c) <= lower(high);
}

/* A class: *at stands behind its '[' and is left behind its ']' or at the end. */
static bool class_match(const uint8_t **at, const uint8_t *end, uint8_t c, bool nocase,
                        uint32_t *steps) {
    const uint8_t *p = *at;
    bool negated = p < end && *p == '^', found = false;
    if (negated) p++;
    while (p < end && *p != ']') {
        ++*steps;
        if (*p == '\\' && end - p >= 2) {
            found |= p[1] == c;
            p += 2;
        } else if (end - p >= 3 && p[1] == '-') {
            found |= in_range(p[0], p[2], c, nocase);
            p += 3;
        } else {
            found |= same(*p, c, nocase);
            p++;
        }
    }
    *at = p < end ? p + 1 : end;
    return found != negated;
}

/* One element of the pattern that is not a star, against one byte; *at is moved behind it. */
static bool element_match(const uint8_t **at, const uint8_t *end, uint8_t c, bool nocase,
                          uint32_t *steps) {
    const uint8_t *p = *at;
    if (*p == '?') {
        *at = p + 1;
        return true;
    }
    if (*p == '[') {
        *at = p + 1;
        return class_match(at, end, c, nocase, steps);
    }
    if (*p == '\\' && end - p >= 2) p++;
    *at = p + 1;
    return same(*p, c, nocase);
}

INLINE bool is_plain(uint8_t c) {
    return c != '?' && c != '[' && c != '\\' && c != '*';
}

/* Where the pattern behind a star could match next, at `t` or later: where its first byte stands,
 * if that is one. NULL: nowhere. */
static const uint8_t *next_start(const uint8_t *p, const uint8_t *t, const uint8_t *end,
                                 bool nocase) {
    if (t == end) return NULL;
    if (nocase || !is_plain(*p)) return t;
    return memchr(t, *p, (size_t)(end - t));
}

/* Neither is empty. */
static bool match(struct span pattern, struct span text, bool nocase) {
    const uint8_t *p = (const uint8_t *)pattern.data, *pattern_end = p + pattern.len;
    const uint8_t *t = (const uint8_t *)text.data, *text_end = t + text.len;
    /* behind the last star, and the text it was tried at */
    const uint8_t *retry_pattern = NULL, *retry_text = NULL;
    uint32_t steps = 0;
    while (t < text_end) {
        if (++steps > GLOB_STEPS_MAX) return false;
        if (p < pattern_end && *p == '*') {
            while (p < pattern_end && *p == '*') p++;
            if (p == pattern_end) return true;
            retry_pattern = p;
            retry_text = t = next_start(p, t, text_end, nocase);
            if (!t) return false;
        } else if (p < pattern_end && *p == *t && is_plain(*p)) {
            p++;
            t++;
        } else if (p < pattern_end && element_match(&p, pattern_end, *t, nocase, &steps)) {
            t++;
        } else {
            if (!retry_pattern) return false;
            p = retry_pattern;
            retry_text = t = next_start(p, retry_text + 1, text_end, nocase);
            if (!t) return false;
        }
    }
    while (p < pattern_end && *p == '*') p++;
    return p == pattern_end;
}

bool glob_match(struct span pattern, struct span text, bool nocase) {
    if (pattern.len == 0 || text.len == 0) return pattern.len == text.len;
    return match(pattern, text, nocase);
}
