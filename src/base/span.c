#include "base/span.h"

#include <stdint.h>

/* ASCII only, whatever the locale says. */
static inline uint8_t lower(uint8_t c) {
    return (uint8_t)(c - 'A') < 26 ? c | 0x20 : c;
}

int span_compare(struct span a, struct span b) {
    size_t common = MIN(a.len, b.len);
    int order = common ? memcmp(a.data, b.data, common) : 0;
    if (order != 0) return order;
    return (a.len > b.len) - (a.len < b.len);
}

bool span_eq_nocase(struct span a, struct span b) {
    if (a.len != b.len) return false;
    for (size_t i = 0; i < a.len; i++) {
        if (lower((uint8_t)a.data[i]) != lower((uint8_t)b.data[i])) return false;
    }
    return true;
}

bool span_is(struct span a, const char *text) {
    size_t i = 0;
    for (; i < a.len && text[i]; i++) {
        if (lower((uint8_t)a.data[i]) != lower((uint8_t)text[i])) return false;
    }
    return i == a.len && text[i] == '\0';
}
