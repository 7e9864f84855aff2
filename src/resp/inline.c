/* Inline requests: words between blanks, with "..." (escapes \n \r \t \b \a \xHH, any other character for itself) and '...'
 * (\' only). A closing quote ends its argument: a blank or the line's end must follow. A NUL ends the line, as it does
 * in Redis, where the line is a C string. */
#include "resp/inline.h"

#include "base/check.h"

static bool is_blank(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* What ends an argument outside of quotes: not all blanks do. */
static bool ends_argument(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static char escaped(char c) {
    switch (c) {
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    case 'b': return '\b';
    case 'a': return '\a';
    default: return c;
    }
}

/* A place in the line and one in the unescaped text. */
struct cursor {
    const char *at, *end;
    char *to;
};

/* From behind the opening '"' to behind the closing one; false when there is none. */
static bool take_double_quoted(struct cursor *c) {
    while (c->at < c->end) {
        const char *at = c->at;
        size_t left = (size_t)(c->end - at);
        if (*at == '"') {
            c->at++;
            return true;
        }
        if (*at != '\\' || left < 2) {
            *c->to++ = *at;
            c->at++;
        } else if (left >= 4 && at[1] == 'x' && hex_digit(at[2]) >= 0 && hex_digit(at[3]) >= 0) {
            *c->to++ = (char)(hex_digit(at[2]) << 4 | hex_digit(at[3]));
            c->at += 4;
        } else {
            *c->to++ = escaped(at[1]);
            c->at += 2;
        }
    }
    return false;
}

/* The same for '\''. */
static bool take_single_quoted(struct cursor *c) {
    while (c->at < c->end) {
        if (*c->at == '\'') {
            c->at++;
            return true;
        }
        if (*c->at == '\\' && c->end - c->at >= 2 && c->at[1] == '\'') c->at++;
        *c->to++ = *c->at++;
    }
    return false;
}

/* One argument with quotes in it; false when they do not balance. */
static bool take_quoted_argument(struct cursor *c) {
    while (c->at < c->end && !ends_argument(*c->at)) {
        char first = *c->at++;
        bool closed;
        if (first == '"') {
            closed = take_double_quoted(c);
        } else if (first == '\'') {
            closed = take_single_quoted(c);
        } else {
            *c->to++ = first;
            continue;
        }
        return closed && (c->at == c->end || is_blank(*c->at));
    }
    return true;
}

/* The end of an argument without quotes from `at` on, or the place of its first quote. */
static const char *plain_end(const char *at, const char *end) {
    while (at < end && !ends_argument(*at) && *at != '"' && *at != '\'') at++;
    return at;
}

/* At most so many arguments are in the line: quotes can only make fewer of them. */
static size_t word_count_max(struct span line) {
    size_t count = 0;
    bool blank = true;
    for (size_t i = 0; i < line.len; i++) {
        count += blank && !is_blank(line.data[i]);
        blank = is_blank(line.data[i]);
    }
    return count;
}

int inline_split(struct span line, struct window_memory *memory, struct request *out) {
    const char *nul = line.len ? memchr(line.data, '\0', line.len) : NULL;
    struct cursor c = {.at = line.data};
    struct span *argv;
    char *text = NULL;
    size_t count;
    *out = (struct request){0};
    if (nul) line.len = (size_t)(nul - line.data);
    count = word_count_max(line);
    if (count == 0) return READER_REQUEST;
    c.end = line.data + line.len;
    argv = window_memory_try_alloc(memory, count * sizeof *argv);
    if (!argv) return READER_ERROR_MEMORY;
    for (;;) {
        const char *plain;
        while (c.at < c.end && is_blank(*c.at)) c.at++;
        if (c.at == c.end) break;
        DCHECK(out->argc < count);
        plain = plain_end(c.at, c.end);
        if (plain == c.end || ends_argument(*plain)) {
            argv[out->argc++] = span_make(c.at, (size_t)(plain - c.at));
            c.at = plain;
            continue;
        }
        if (!text) { /* unescaped text is never longer than what is left of the line */
            text = window_memory_try_alloc(memory, (size_t)(c.end - c.at));
            if (!text) return READER_ERROR_MEMORY;
        }
        c.to = text;
        if (!take_quoted_argument(&c)) return READER_ERROR_UNBALANCED_QUOTES;
        argv[out->argc++] = span_make(text, (size_t)(c.to - text));
        text = c.to;
    }
    out->argv = argv;
    return READER_REQUEST;
}
