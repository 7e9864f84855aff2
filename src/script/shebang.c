/* The first line of a script: "#!lua flags=no-writes,allow-oom". */
#include <stdarg.h>
#include <stdio.h>

#include "script/script.h"

static const struct flag_name {
    const char *name;
    uint32_t flag;
} flag_names[] = {
    {"no-writes", SCRIPT_NO_WRITES},
    {"allow-oom", SCRIPT_ALLOW_OOM},
    {"allow-stale", SCRIPT_ALLOW_STALE},
    {"no-cluster", SCRIPT_NO_CLUSTER},
    {"allow-cross-slot-keys", SCRIPT_ALLOW_CROSS_SLOT},
};

uint32_t script_flag_named(struct span name, bool any_case) {
    for (size_t i = 0; i < ARRAY_LENGTH(flag_names); i++) {
        struct span known = span_of(flag_names[i].name);
        if (any_case ? span_eq_nocase(name, known) : span_eq(name, known))
            return flag_names[i].flag;
    }
    return 0;
}

const char *script_flag_at(uint32_t at, uint32_t *flag) {
    if (at >= ARRAY_LENGTH(flag_names)) return NULL;
    *flag = flag_names[at].flag;
    return flag_names[at].name;
}

/* The part up to `end`, and what is behind it. */
static struct span cut(struct span *text, char end) {
    const char *at = text->len ? memchr(text->data, end, text->len) : NULL;
    struct span part = span_make(text->data, at ? (size_t)(at - text->data) : text->len);
    size_t taken = part.len + (at ? 1 : 0);
    *text = span_make(text->data + taken, text->len - taken);
    return part;
}

static bool begins(struct span text, struct span with) {
    return text.len >= with.len && memcmp(text.data, with.data, with.len) == 0;
}

ATTR_PRINTF(3, 4)
static int fail(char *error, size_t size, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(error, size, format, args);
    va_end(args);
    return -1;
}

static int take_flags(struct span list, uint32_t *flags, char *error, size_t size) {
    for (bool more = list.len > 0; more;) {
        size_t len = list.len;
        struct span word = cut(&list, ',');
        uint32_t flag = script_flag_named(word, false);
        more = word.len < len; /* a comma stood behind it, and a word must follow */
        if (!flag)
            return fail(error, size, "Unexpected flag in script shebang: %.*s",
                        (int)MIN(word.len, (size_t)128), word.data);
        *flags |= flag;
    }
    return 0;
}

static int take_option(struct span word, uint32_t *flags, char *error, size_t size) {
    static const struct span prefix = {"flags=", 6};
    if (begins(word, prefix))
        return take_flags(span_make(word.data + prefix.len, word.len - prefix.len), flags, error,
                          size);
    return fail(error, size, "Unknown lua shebang option: %.*s", (int)MIN(word.len, (size_t)128),
                word.data);
}

int script_parse_shebang(struct span text, uint32_t *flags, size_t *taken, char *error,
                         size_t size) {
    *flags = SCRIPT_COMPAT;
    *taken = 0;
    if (!begins(text, SPAN("#!"))) return 0;
    const char *end = memchr(text.data, '\n', text.len);
    if (!end) return fail(error, size, "Invalid script shebang");
    struct span line = span_make(text.data, (size_t)(end - text.data));
    *taken = line.len;
    *flags = 0;
    if (line.len && line.data[line.len - 1] == '\r') line.len--;
    struct span engine = cut(&line, ' ');
    if (!span_is(engine, "#!lua"))
        return fail(error, size, "Unexpected engine in script shebang: %.*s",
                    (int)MIN(engine.len, (size_t)128), engine.data);
    while (line.len) {
        struct span word = cut(&line, ' ');
        if (word.len && take_option(word, flags, error, size) < 0) return -1;
    }
    return 0;
}
