/* Time. The wall clock and the monotonic clock are read once a turn (clock_refresh) and served from there; clock_ticks reads
 * the processor's counter and is what per-command statistics use. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>

#include "base/compat.h"

void clock_init(void);    /* calibrates ticks (2 ms of spinning), refreshes; call once at start. Ends clock_set_test's freeze */
void clock_refresh(void); /* once a turn */

/* What the last refresh read. Written by clock.c alone; here so that every key's expiry check is a load, not a call. */
extern struct clock_now {
    int64_t real_ms, mono_ms;
} clock_now;

INLINE int64_t clock_real_ms(void) { /* Unix time of the last refresh */
    return clock_now.real_ms;
}
INLINE int64_t clock_mono_ms(void) { /* of the last refresh */
    return clock_now.mono_ms;
}
int64_t clock_real_us(void); /* Unix time, read now */
int64_t clock_mono_us(void); /* read now */

/* A cheap counter for durations. Differences only. On machines without a constant-rate counter it is clock_gettime in ns. */
INLINE uint64_t clock_ticks(void);
uint64_t clock_ticks_to_ns(uint64_t ticks);

/* For tests and the sim backend: freeze both clocks at the given instants; clock_advance_test moves both. */
void clock_set_test(int64_t real_ms, int64_t mono_ms);
void clock_advance_test(int64_t ms);

uint64_t clock_ticks_fallback(void);
#if defined(__x86_64__)
INLINE uint64_t clock_ticks(void) {
    return __builtin_ia32_rdtsc();
}
#elif defined(__aarch64__)
INLINE uint64_t clock_ticks(void) {
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
}
#else
INLINE uint64_t clock_ticks(void) {
    return clock_ticks_fallback();
}
#endif

#endif
