#include "acl/patterns.h"

#include <ctype.h>

#include "base/alloc.h"
#include "base/glob.h"

INLINE struct span text_of(const struct acl_pattern *p) {
    return span_make(p->text, p->len);
}

void patterns_clear(struct acl_patterns *p) {
    for (uint32_t i = 0; i < p->count; i++) mem_free(p->at[i]);
    mem_free(p->at);
    *p = (struct acl_patterns){0};
}

static struct acl_pattern *find(const struct acl_patterns *p, struct span text) {
    for (uint32_t i = 0; i < p->count; i++) {
        if (span_eq(text_of(p->at[i]), text)) return p->at[i];
    }
    return NULL;
}

static void append(struct acl_patterns *p, struct span text, unsigned access) {
    struct acl_pattern *pattern = mem_alloc(sizeof *pattern + text.len);
    pattern->len = text.len;
    pattern->access = (uint8_t)access;
    if (text.len) memcpy(pattern->text, text.data, text.len);
    /* full whenever the count is a power of two */
    if ((p->count & (p->count - 1)) == 0) {
        p->at = mem_realloc(p->at, MAX(2 * p->count, 1u) * sizeof *p->at);
    }
    p->at[p->count++] = pattern;
}

void patterns_add(struct acl_patterns *p, struct span text, unsigned access) {
    struct acl_pattern *have = find(p, text);
    if (have) {
        have->access |= (uint8_t)access;
    } else {
        append(p, text, access);
    }
}

void patterns_copy(struct acl_patterns *to, const struct acl_patterns *from) {
    to->all = from->all;
    for (uint32_t i = 0; i < from->count; i++) {
        append(to, text_of(from->at[i]), from->at[i]->access);
    }
}

bool patterns_have(const struct acl_patterns *p, struct span text) {
    return find(p, text) != NULL;
}

bool acl_patterns_match_key(const struct acl_patterns *keys, struct span key, unsigned access) {
    if (keys->all) return true;
    for (uint32_t i = 0; i < keys->count; i++) {
        const struct acl_pattern *p = keys->at[i];
        if ((p->access & access) == access && glob_match(text_of(p), key, false)) return true;
    }
    return false;
}

bool acl_patterns_match_all(const struct acl_patterns *keys, unsigned access) {
    if (keys->all) return true;
    for (uint32_t i = 0; i < keys->count; i++) {
        const struct acl_pattern *p = keys->at[i];
        if ((p->access & access) == access && span_eq(text_of(p), SPAN("*"))) return true;
    }
    return false;
}

bool acl_patterns_match_channel(const struct acl_patterns *channels, struct span channel,
                                bool is_pattern) {
    if (channels->all) return true;
    if (is_pattern) return patterns_have(channels, channel);
    for (uint32_t i = 0; i < channels->count; i++) {
        if (glob_match(text_of(channels->at[i]), channel, false)) return true;
    }
    return false;
}

bool acl_has_blanks(struct span text) {
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] == '\0' || isspace((unsigned char)text.data[i])) return true;
    }
    return false;
}
