#include "script/pattern.h"

#include <ctype.h>

#include "script/engine.h"

enum { CAPTURE_OPEN = -1, CAPTURE_POSITION = -2 };

#define ESCAPE '%'

static const char *match(struct pattern *m, const char *at, const char *p);

INLINE const char *subject_end(const struct pattern *m) {
    return m->subject.data + m->subject.len;
}

/* Now and then: has the script been killed, does somebody else want to be served? */
INLINE void count_step(struct pattern *m) {
    if (UNLIKELY(++m->steps >= PATTERN_CHECK_STEPS)) {
        m->steps = 0;
        script_check(m->L);
    }
}

/* ---- single characters */

/* Behind the item that begins at p: a character, a class or a set. */
static const char *item_end(struct pattern *m, const char *p) {
    char c = *p++;
    if (c == ESCAPE) {
        if (p >= m->end) luaL_error(m->L, "malformed pattern (ends with '%%')");
        return p + 1;
    }
    if (c != '[') return p;
    if (p < m->end && *p == '^') p++;
    do { /* a ']' in the first place stands for itself */
        if (p >= m->end) luaL_error(m->L, "malformed pattern (missing ']')");
        c = *p++;
        if (c == ESCAPE) {
            if (p >= m->end) luaL_error(m->L, "malformed pattern (missing ']')");
            p++;
        }
    } while (p >= m->end || *p != ']');
    return p + 1;
}

static bool in_class(unsigned char c, unsigned char letter) {
    bool in;
    switch (tolower(letter)) {
    case 'a': in = isalpha(c); break;
    case 'c': in = iscntrl(c); break;
    case 'd': in = isdigit(c); break;
    case 'l': in = islower(c); break;
    case 'p': in = ispunct(c); break;
    case 's': in = isspace(c); break;
    case 'u': in = isupper(c); break;
    case 'w': in = isalnum(c); break;
    case 'x': in = isxdigit(c); break;
    case 'z': in = c == 0; break;
    default: return letter == c;
    }
    return isupper(letter) ? !in : in;
}

/* [set]: p at its '[', last at its ']'. */
static bool in_set(unsigned char c, const char *p, const char *last) {
    bool found = true;
    if (p[1] == '^') {
        found = false;
        p++;
    }
    while (++p < last) {
        if (*p == ESCAPE) {
            p++;
            if (in_class(c, (unsigned char)*p)) return found;
        } else if (p[1] == '-' && p + 2 < last) {
            if ((unsigned char)p[0] <= c && c <= (unsigned char)p[2]) return found;
            p += 2;
        } else if ((unsigned char)*p == c) {
            return found;
        }
    }
    return !found;
}

/* The character at `at` is one of the item's [p, end). */
static bool fits(struct pattern *m, const char *at, const char *p, const char *end) {
    count_step(m);
    if (at >= subject_end(m)) return false;
    unsigned char c = (unsigned char)*at;
    switch (*p) {
    case '.': return true;
    case ESCAPE: return in_class(c, (unsigned char)p[1]);
    case '[': return in_set(c, p, end - 1);
    default: return (unsigned char)*p == c;
    }
}

/* ---- repetitions: `rest` is the pattern behind the item and its sign */

static const char *match_most(struct pattern *m, const char *at, const char *p, const char *end,
                              const char *rest) {
    ptrdiff_t count = 0;
    while (fits(m, at + count, p, end)) count++;
    for (; count >= 0; count--) {
        const char *found = match(m, at + count, rest);
        if (found) return found;
        count_step(m);
    }
    return NULL;
}

static const char *match_least(struct pattern *m, const char *at, const char *p, const char *end,
                               const char *rest) {
    for (;; at++) {
        const char *found = match(m, at, rest);
        if (found) return found;
        if (!fits(m, at, p, end)) return NULL;
    }
}

/* ---- captures */

static const char *open_capture(struct pattern *m, const char *at, const char *p, ptrdiff_t mark) {
    if (m->capture_count >= PATTERN_CAPTURES_MAX) luaL_error(m->L, "too many captures");
    m->captures[m->capture_count++] = (struct pattern_capture){at, mark};
    const char *found = match(m, at, p);
    if (!found) m->capture_count--;
    return found;
}

static const char *close_capture(struct pattern *m, const char *at, const char *p) {
    uint32_t i = m->capture_count;
    while (i > 0 && m->captures[i - 1].len != CAPTURE_OPEN) i--;
    if (i == 0) luaL_error(m->L, "invalid pattern capture");
    struct pattern_capture *capture = &m->captures[i - 1];
    capture->len = at - capture->start;
    const char *found = match(m, at, p);
    if (!found) capture->len = CAPTURE_OPEN;
    return found;
}

/* %1 to %9: the same bytes again. */
static const char *match_again(struct pattern *m, const char *at, char digit) {
    int index = digit - '1';
    if (index < 0 || (uint32_t)index >= m->capture_count || m->captures[index].len == CAPTURE_OPEN)
        luaL_error(m->L, "invalid capture index");
    ptrdiff_t len = m->captures[index].len;
    if (len == CAPTURE_POSITION) return NULL; /* a place has no bytes */
    if (subject_end(m) - at < len || memcmp(m->captures[index].start, at, (size_t)len) != 0)
        return NULL;
    return at + len;
}

/* %bxy: from an x to the y that closes it. */
static const char *match_balance(struct pattern *m, const char *at, const char *p) {
    if (m->end - p < 2) luaL_error(m->L, "unbalanced pattern");
    if (at >= subject_end(m) || *at != p[0]) return NULL;
    ptrdiff_t depth = 1;
    for (at++; at < subject_end(m); at++) {
        count_step(m);
        if (*at == p[1]) {
            if (--depth == 0) return at + 1;
        } else if (*at == p[0]) {
            depth++;
        }
    }
    return NULL;
}

/* %f[set]: between what is not of the set and what is. The end of the set, or NULL. */
static const char *match_frontier(struct pattern *m, const char *at, const char *p) {
    if (p >= m->end || *p != '[') luaL_error(m->L, "missing '[' after '%%f' in pattern");
    const char *end = item_end(m, p);
    unsigned char before = at == m->subject.data ? 0 : (unsigned char)at[-1];
    unsigned char here = at >= subject_end(m) ? 0 : (unsigned char)*at;
    return !in_set(before, p, end - 1) && in_set(here, p, end - 1) ? end : NULL;
}

/* ---- items in a row */

/* What begins with '%' and is more than a class. False: it is a class. *at NULL: no match. */
static bool match_special(struct pattern *m, const char **at, const char **p) {
    const char *next = *p + 1;
    char c = next < m->end ? *next : 0;
    if (c == 'b') {
        *at = match_balance(m, *at, next + 1);
        *p += 4;
    } else if (c == 'f') {
        const char *end = match_frontier(m, *at, next + 1);
        if (end) {
            *p = end;
        } else {
            *at = NULL;
        }
    } else if (c >= '0' && c <= '9') {
        *at = match_again(m, *at, c);
        *p += 2;
    } else {
        return false;
    }
    return true;
}

/* An item and its sign. True: *at and *p have moved on; false: *found is the answer. */
static bool match_item(struct pattern *m, const char **at, const char **p, const char **found) {
    const char *end = item_end(m, *p), *item = *p;
    char sign = end < m->end ? *end : 0;
    if (sign == '*' || sign == '+') {
        bool enough = sign == '*' || fits(m, *at, item, end);
        *found = enough ? match_most(m, *at + (sign == '+'), item, end, end + 1) : NULL;
        return false;
    }
    if (sign == '-') {
        *found = match_least(m, *at, item, end, end + 1);
        return false;
    }
    bool one = fits(m, *at, item, end);
    if (sign == '?') {
        *found = one ? match(m, *at + 1, end + 1) : NULL;
        *p = end + 1;
        return !*found;
    }
    *found = NULL;
    *p = end;
    *at += one;
    return one;
}

static const char *match_row(struct pattern *m, const char *at, const char *p) {
    const char *found = NULL;
    while (p < m->end) {
        if (*p == '(') {
            bool position = p + 1 < m->end && p[1] == ')';
            return position ? open_capture(m, at, p + 2, CAPTURE_POSITION)
                            : open_capture(m, at, p + 1, CAPTURE_OPEN);
        }
        if (*p == ')') return close_capture(m, at, p + 1);
        if (*p == '$' && p + 1 == m->end) return at == subject_end(m) ? at : NULL;
        if (*p == ESCAPE && match_special(m, &at, &p)) {
            if (!at) return NULL;
            continue;
        }
        if (!match_item(m, &at, &p, &found)) return found;
    }
    return at;
}

static const char *match(struct pattern *m, const char *at, const char *p) {
    if (m->depth >= PATTERN_DEPTH_MAX) luaL_error(m->L, "pattern too complex");
    m->depth++;
    const char *found = match_row(m, at, p);
    m->depth--;
    return found;
}

const char *pattern_match(struct pattern *m, const char *at, const char *p) {
    m->depth = 0;
    m->capture_count = 0;
    return match(m, at, p);
}

/* ---- what was captured */

void pattern_push_capture(struct pattern *m, uint32_t index, const char *at, const char *end) {
    if (index >= m->capture_count) {
        if (index != 0) luaL_error(m->L, "invalid capture index");
        lua_pushlstring(m->L, at, (size_t)(end - at));
        return;
    }
    const struct pattern_capture *capture = &m->captures[index];
    if (capture->len == CAPTURE_OPEN) luaL_error(m->L, "unfinished capture");
    if (capture->len == CAPTURE_POSITION) {
        lua_pushinteger(m->L, capture->start - m->subject.data + 1);
    } else {
        lua_pushlstring(m->L, capture->start, (size_t)capture->len);
    }
}

int pattern_push_captures(struct pattern *m, const char *at, const char *end) {
    uint32_t count = m->capture_count == 0 && at ? 1 : m->capture_count;
    luaL_checkstack(m->L, (int)count, "too many captures");
    for (uint32_t i = 0; i < count; i++) pattern_push_capture(m, i, at, end);
    return (int)count;
}
