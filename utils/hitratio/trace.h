/* Traces of key numbers with the habits of caches' clients, the same for the same seed.
 *
 *   zipf:SKEW    popularity by Zipf's law, always the same keys
 *   scan:SKEW    the same, and again and again a scan: a run of keys that nobody asks for a second time, 30 % of all
 *   shift:SKEW   the same as zipf, and with every eighth of the trace other keys become popular */
#ifndef HITRATIO_TRACE_H
#define HITRATIO_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "../bench/load/keys.h"

enum trace_kind { TRACE_ZIPF, TRACE_SCAN, TRACE_SHIFT };

struct trace {
    enum trace_kind kind;
    struct keys keys;
    uint64_t length, at; /* key numbers, and how many were given */
    uint64_t scan_next;  /* a number above the key space */
};

/* False: text is no kind of trace. */
bool trace_init(struct trace *trace, const char *text, uint64_t key_space, uint64_t length, uint64_t seed);
uint64_t trace_next(struct trace *trace);

#endif
