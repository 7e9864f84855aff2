#include "trace.h"

#include <string.h>

enum {
    SCAN_EVERY = 10000, /* key numbers: 7000 by popularity, then a scan of 3000 */
    SCAN_LENGTH = 3000,
    SHIFT_COUNT = 8,
};

bool trace_init(struct trace *trace, const char *text, uint64_t key_space, uint64_t length,
                uint64_t seed) {
    static const struct {
        const char *name;
        enum trace_kind kind;
    } kinds[] = {{"zipf:", TRACE_ZIPF}, {"scan:", TRACE_SCAN}, {"shift:", TRACE_SHIFT}};
    char law[32] = "zipf:";
    enum key_order order;
    double skew;
    memset(trace, 0, sizeof *trace);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t len = strlen(kinds[i].name);
        if (strncmp(text, kinds[i].name, len) != 0 || strlen(text + len) > 16) continue;
        memcpy(law + 5, text + len, strlen(text + len) + 1);
        if (!keys_parse(law, &order, &skew)) return false;
        trace->kind = kinds[i].kind;
        trace->length = length;
        trace->scan_next = key_space;
        keys_init(&trace->keys, order, key_space, skew, seed);
        return true;
    }
    return false;
}

uint64_t trace_next(struct trace *trace) {
    uint64_t at = trace->at++;
    if (trace->kind == TRACE_SCAN && at % SCAN_EVERY >= SCAN_EVERY - SCAN_LENGTH) {
        return trace->scan_next++;
    }
    if (trace->kind == TRACE_SHIFT) {
        trace->keys.shift = at * SHIFT_COUNT / trace->length * (trace->keys.space / SHIFT_COUNT);
    }
    return keys_next(&trace->keys);
}
