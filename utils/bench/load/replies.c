#include "replies.h"

#include <stdlib.h>
#include <string.h>

#include "die.h"

static void value_done(struct replies *r) {
    if (--r->open == 0) r->count++;
}

static void note_error(struct replies *r) {
    r->error_count++;
    if (!r->error[0]) memcpy(r->error, r->line + 1, r->line_len);
}

/* A line is whole, its line end cut off: what follows? */
static void line_done(struct replies *r) {
    long long number;
    r->line[r->line_len] = '\0';
    number = strtoll(r->line + 1, NULL, 10);
    if (r->open == 0) r->open = 1;
    switch (r->line[0]) {
    case '-': note_error(r); break;
    case '$':
    case '=':
    case '!':
        if (number < 0) {
            r->null_count++;
            break;
        }
        r->skip = (uint64_t)number + 2;
        return;
    case '*':
    case '~':
    case '>': r->open += number > 0 ? (uint64_t)number : 0; break;
    case '%': r->open += number > 0 ? 2 * (uint64_t)number : 0; break;
    case '_': r->null_count++; break;
    case '+':
    case ':':
    case ',':
    case '#':
    case '(': break;
    default: die("no reply begins with '%.40s'", r->line);
    }
    value_done(r);
}

static size_t take_line(struct replies *r, const char *bytes, size_t len) {
    const char *end = memchr(bytes, '\n', len);
    size_t used = end ? (size_t)(end - bytes) + 1 : len, kept = used;
    if (kept > REPLY_LINE_MAX - 1 - r->line_len) kept = REPLY_LINE_MAX - 1 - r->line_len;
    memcpy(r->line + r->line_len, bytes, kept);
    r->line_len += (uint32_t)kept;
    if (!end) return used;
    while (r->line_len && (r->line[r->line_len - 1] == '\n' || r->line[r->line_len - 1] == '\r')) {
        r->line_len--;
    }
    line_done(r);
    r->line_len = 0;
    return used;
}

void replies_read(struct replies *r, const char *bytes, size_t len) {
    while (len) {
        size_t used;
        if (r->skip) {
            used = r->skip < len ? r->skip : len;
            r->skip -= used;
            if (r->skip == 0) value_done(r);
        } else {
            used = take_line(r, bytes, len);
        }
        bytes += used;
        len -= used;
    }
}
