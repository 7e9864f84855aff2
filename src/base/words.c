/* Splitting and quoting of configuration lines. The words' bytes lie in one block, which is as long as the line at most, plus a
 * NUL for each word: unquoting only shortens. */
#include "base/words.h"

#include <ctype.h>

#include "base/alloc.h"
#include "base/compat.h"
#include "base/error.h"

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\0' || c == '\v' || c == '\f';
}

static int hex_value(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

static char unescape(char c) {
    switch (c) {
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    case 'b': return '\b';
    case 'a': return '\a';
    default: return c;
    }
}

/* The part in double quotes that begins at `at` (after the quote). Returns the place after the closing quote, NULL without one. */
static const char *take_double(const char *at, const char *end, char **out) {
    while (at < end && *at != '"') {
        if (*at == '\\' && end - at >= 4 && at[1] == 'x' && hex_value(at[2]) >= 0 &&
            hex_value(at[3]) >= 0) {
            *(*out)++ = (char)(hex_value(at[2]) * 16 + hex_value(at[3]));
            at += 4;
        } else if (*at == '\\' && end - at >= 2) {
            *(*out)++ = unescape(at[1]);
            at += 2;
        } else {
            *(*out)++ = *at++;
        }
    }
    return at < end ? at + 1 : NULL;
}

static const char *take_single(const char *at, const char *end, char **out) {
    while (at < end && *at != '\'') {
        if (*at == '\\' && end - at >= 2 && at[1] == '\'') at++;
        *(*out)++ = *at++;
    }
    return at < end ? at + 1 : NULL;
}

/* One word from `at` (not a blank). Returns the place after it, or NULL for quotes that do not close where they should. */
static const char *take_word(const char *at, const char *end, char **out) {
    while (at < end && !is_blank(*at)) {
        if (*at == '"' || *at == '\'') {
            at = *at == '"' ? take_double(at + 1, end, out) : take_single(at + 1, end, out);
            return at && (at == end || is_blank(*at)) ? at : NULL;
        }
        *(*out)++ = *at++;
    }
    return at;
}

/* No more words than bytes: an empty one takes the blank before it. */
static void words_begin(struct words *words, size_t line_len) {
    size_t count = line_len < WORDS_MAX ? line_len + 1 : WORDS_MAX;
    words->at = mem_alloc(sizeof *words->at * count);
    words->text = mem_alloc(2 * line_len + 2);
    words->count = 0;
}

int words_split(struct span line, struct words *out) {
    const char *at = line.data, *end = line.data + line.len;
    char *next;
    words_begin(out, line.len);
    next = out->text;
    for (;;) {
        char *word = next;
        while (at < end && is_blank(*at)) at++;
        if (at == end) return 0;
        if (out->count == WORDS_MAX) {
            words_release(out);
            return ERROR_LIMIT;
        }
        at = take_word(at, end, &next);
        if (!at) {
            words_release(out);
            return ERROR_SYNTAX;
        }
        out->at[out->count++] = span_make(word, (size_t)(next - word));
        *next++ = '\0';
    }
}

int words_split_plain(struct span text, struct words *out) {
    const char *at = text.data, *end = text.data + text.len;
    char *next;
    words_begin(out, text.len);
    next = out->text;
    while (text.len > 0) {
        char *word = next;
        while (at < end && *at != ' ') *next++ = *at++;
        if (out->count == WORDS_MAX) {
            words_release(out);
            return ERROR_LIMIT;
        }
        out->at[out->count++] = span_make(word, (size_t)(next - word));
        *next++ = '\0';
        if (at == end) return 0;
        at++;
    }
    return 0;
}

void words_release(struct words *words) {
    mem_free(words->at);
    mem_free(words->text);
    *words = (struct words){0};
}

void words_quote(struct buf *out, struct span text) {
    static const char plain[] = "\\\"\n\r\t\a\b", letters[] = "\\\"nrtab";
    buf_put_char(out, '"');
    for (size_t i = 0; i < text.len; i++) {
        char c = text.data[i];
        const char *escaped = c ? strchr(plain, c) : NULL;
        if (escaped) {
            buf_put_char(out, '\\');
            buf_put_char(out, letters[escaped - plain]);
        } else if (isprint((unsigned char)c)) {
            buf_put_char(out, c);
        } else {
            buf_printf(out, "\\x%02x", (unsigned)(unsigned char)c);
        }
    }
    buf_put_char(out, '"');
}

struct span span_trim(struct span text) {
    while (text.len > 0 && is_blank(text.data[0]) && text.data[0]) text.data++, text.len--;
    while (text.len > 0 && is_blank(text.data[text.len - 1]) && text.data[text.len - 1]) text.len--;
    return text;
}
