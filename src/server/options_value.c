/* Values of options: text to typed and back, by kind. The error texts are Redis's, since scripts and client tests compare them. */
#include "server/options.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/check.h"
#include "base/num.h"
#include "base/words.h"

void *option_at(const struct option *option, struct settings *settings, union option_slot *spare) {
    return option->at == OPTION_NOWHERE ? (void *)spare : (char *)settings + option->at;
}

static const char *parse_bool(bool *flag, struct span word) {
    if (span_is(word, "yes")) {
        *flag = true;
    } else if (span_is(word, "no")) {
        *flag = false;
    } else {
        return "argument must be 'yes' or 'no'";
    }
    return NULL;
}

static bool parse_octal(struct span word, int64_t *out) {
    int64_t value = 0;
    if (word.len == 0 || word.len > 20) return false;
    for (size_t i = 0; i < word.len; i++) {
        if (word.data[i] < '0' || word.data[i] > '7') return false;
        value = value * 8 + (word.data[i] - '0');
    }
    *out = value;
    return true;
}

static bool parse_percent(struct span word, int64_t *out) {
    uint64_t percent;
    if (word.len < 2 || word.data[word.len - 1] != '%') return false;
    if (!num_parse_uint(span_make(word.data, word.len - 1), &percent)) return false;
    if (percent > INT32_MAX) percent = INT32_MAX; /* far over the bound that is checked next */
    *out = -(int64_t)percent;
    return true;
}

static const char *parse_number(const struct option *option, struct span word, int64_t *out) {
    uint64_t bytes;
    if (option->flags & OPTION_MEMORY) {
        if (num_parse_memory(word, &bytes) == 0 && bytes <= INT64_MAX) {
            *out = (int64_t)bytes;
            return NULL;
        }
        if (!(option->flags & OPTION_PERCENT)) return "argument must be a memory value";
        if (parse_percent(word, out)) return NULL;
        return "argument must be a memory or percent value";
    }
    if (option->flags & OPTION_OCTAL) {
        return parse_octal(word, out) ? NULL : "argument couldn't be parsed as an octal number";
    }
    return num_parse_int(word, out) ? NULL : "argument couldn't be parsed into an integer";
}

static const char *check_bounds(const struct option *option, int64_t value, char *error) {
    if ((option->flags & OPTION_PERCENT) && value < 0) {
        if (value >= option->low) return NULL;
        snprintf(error, OPTION_ERROR_BYTES, "percentage argument must be less or equal to %" PRId64,
                 -option->low);
        return error;
    }
    if (value >= option->low && value <= option->high) return NULL;
    if (option->flags & OPTION_OCTAL) {
        snprintf(error, OPTION_ERROR_BYTES,
                 "argument must be between %" PRIo64 " and %" PRIo64 " inclusive",
                 (uint64_t)option->low, (uint64_t)option->high);
    } else {
        snprintf(error, OPTION_ERROR_BYTES,
                 "argument must be between %" PRId64 " and %" PRId64 " inclusive", option->low,
                 option->high);
    }
    return error;
}

static const char *parse_int(const struct option *option, int64_t *number, struct span word,
                             char *error) {
    int64_t value;
    const char *problem = parse_number(option, word, &value);
    if (!problem && (option->flags & OPTION_CLAMPED))
        value = MAX(option->low, MIN(value, option->high));
    if (!problem) problem = check_bounds(option, value, error);
    if (!problem) *number = value;
    return problem;
}

static const struct option_name *find_name(const struct option_name *names, struct span word) {
    for (; names->name; names++) {
        if (span_is(word, names->name)) return names;
    }
    return NULL;
}

static const char *names_error(const struct option_name *names, char *error) {
    size_t len =
        (size_t)snprintf(error, OPTION_ERROR_BYTES, "argument(s) must be one of the following: ");
    for (const struct option_name *name = names; name->name && len < OPTION_ERROR_BYTES; name++) {
        len += (size_t)snprintf(error + len, OPTION_ERROR_BYTES - len, "%s%s",
                                name == names ? "" : ", ", name->name);
    }
    return error;
}

static const char *parse_enum(const struct option *option, int64_t *number,
                              const struct span *words, uint32_t count, char *error) {
    int64_t value = 0;
    if (count == 0) return names_error(option->names, error);
    for (uint32_t i = 0; i < count; i++) {
        const struct option_name *name = find_name(option->names, words[i]);
        if (!name) return names_error(option->names, error);
        value |= name->value;
    }
    *number = value;
    return NULL;
}

static const char *parse_text(const struct option *option, char **out, struct span word) {
    char *text = NULL;
    if (word.len > 0 && memchr(word.data, '\0', word.len))
        return "argument must not contain a NUL byte";
    if (word.len > 0 || !(option->flags & OPTION_EMPTY_IS_NONE)) {
        text = mem_alloc(word.len + 1);
        if (word.len > 0) memcpy(text, word.data, word.len);
        text[word.len] = '\0';
    }
    mem_free(*out);
    *out = text;
    return NULL;
}

const char *option_parse(const struct option *option, struct settings *settings,
                         union option_slot *spare, const struct span *words, uint32_t count,
                         char *error) {
    void *slot = option_at(option, settings, spare);
    if (!(option->flags & OPTION_MULTI) && count != 1) return "wrong number of arguments";
    if (option->check) {
        const char *problem = option->check(words, count);
        if (problem) return problem;
    }
    switch ((enum option_kind)option->kind) {
    case OPTION_BOOL: return parse_bool(slot, words[0]);
    case OPTION_INT: return parse_int(option, slot, words[0], error);
    case OPTION_ENUM: return parse_enum(option, slot, words, count, error);
    case OPTION_TEXT: return parse_text(option, slot, words[0]);
    case OPTION_SPECIAL: return option->special->parse(settings, slot, words, count, error);
    }
    return "unknown kind of option";
}

void option_print_memory(struct buf *out, int64_t bytes) {
    static const struct {
        const char *unit;
        int64_t bytes;
    } units[] = {{"gb", 1 << 30}, {"mb", 1 << 20}, {"kb", 1 << 10}};
    for (size_t i = 0; i < ARRAY_LENGTH(units) && bytes > 0; i++) {
        if (bytes % units[i].bytes == 0) {
            buf_printf(out, "%" PRId64 "%s", bytes / units[i].bytes, units[i].unit);
            return;
        }
    }
    buf_put_int(out, bytes);
}

static void print_int(const struct option *option, int64_t value, bool with_units,
                      struct buf *out) {
    if ((option->flags & OPTION_PERCENT) && value < 0) {
        buf_printf(out, "%" PRId64 "%%", -value);
    } else if (option->flags & OPTION_OCTAL) {
        buf_printf(out, "%" PRIo64, (uint64_t)value);
    } else if ((option->flags & OPTION_MEMORY) && with_units) {
        option_print_memory(out, value);
    } else {
        buf_put_int(out, value);
    }
}

/* A single name that is the whole value goes first; else every name whose bits are all set. */
static void print_enum(const struct option *option, int64_t value, struct buf *out) {
    bool first = true;
    for (const struct option_name *name = option->names; name->name; name++) {
        if (name->value == value) {
            buf_put_text(out, name->name);
            return;
        }
    }
    for (const struct option_name *name = option->names; name->name; name++) {
        if (name->value == 0 || (value & name->value) != name->value) continue;
        if (!first) buf_put_char(out, ' ');
        buf_put_text(out, name->name);
        first = false;
    }
}

/* NULL data: not set. */
static struct span text_of(const void *slot) {
    const char *text = *(char *const *)slot;
    return span_make(text, text ? strlen(text) : 0);
}

void option_print(const struct option *option, struct settings *settings, union option_slot *spare,
                  struct buf *out) {
    const void *slot = option_at(option, settings, spare);
    switch ((enum option_kind)option->kind) {
    case OPTION_BOOL: buf_put_text(out, *(const bool *)slot ? "yes" : "no"); break;
    case OPTION_INT: print_int(option, *(const int64_t *)slot, false, out); break;
    case OPTION_ENUM: print_enum(option, *(const int64_t *)slot, out); break;
    case OPTION_TEXT: buf_put_span(out, text_of(slot)); break;
    case OPTION_SPECIAL: option->special->print(settings, slot, out); break;
    }
}

static void print_special_line(const struct option *option, const struct settings *settings,
                               const void *slot, struct buf *out) {
    size_t before = out->len;
    option->special->print(settings, slot, out);
    if (out->len == before) buf_put_text(out, "\"\"");
}

bool option_print_line(const struct option *option, struct settings *settings,
                       union option_slot *spare, uint32_t line, struct buf *out) {
    const void *slot = option_at(option, settings, spare);
    if (option->kind == OPTION_SPECIAL && option->special->print_line) {
        return option->special->print_line(settings, line, out);
    }
    if (line > 0) return false;
    switch ((enum option_kind)option->kind) {
    case OPTION_TEXT:
        if (!text_of(slot).data) return false;
        words_quote(out, text_of(slot));
        break;
    case OPTION_INT: print_int(option, *(const int64_t *)slot, true, out); break;
    case OPTION_SPECIAL: print_special_line(option, settings, slot, out); break;
    case OPTION_BOOL:
    case OPTION_ENUM: option_print(option, settings, spare, out); break;
    }
    return true;
}

void option_release(const struct option *option, struct settings *settings,
                    union option_slot *spare) {
    if (option->kind == OPTION_TEXT) {
        char **text = option_at(option, settings, spare);
        mem_free(*text);
        *text = NULL;
    } else if (option->kind == OPTION_SPECIAL && option->special->release) {
        option->special->release(settings, option_at(option, settings, spare));
    }
}
