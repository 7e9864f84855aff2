/* Timers: a 4-ary heap of intrusive nodes by due time. Add, move and remove cost O(log n); looking at the next costs O(1). */
#ifndef NET_TIMERS_H
#define NET_TIMERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct timer {
    int64_t due_ms; /* on the monotonic clock */
    uint32_t at;    /* place in the heap + 1; 0: not in it. Zero-initialise */
    void (*fire)(struct timer *timer);
};

struct timers {
    struct timer **heap;
    uint32_t count, capacity;
};

void timers_init(struct timers *timers);
void timers_release(struct timers *timers); /* the nodes are the callers' */
void timer_set(struct timers *timers, struct timer *timer, int64_t due_ms); /* adds or moves */
void timer_cancel(struct timers *timers, struct timer *timer);              /* idempotent */
/* Milliseconds until the next is due: 0 when one is, `max_ms` when none is sooner (-1: no bound). */
int timers_wait_ms(const struct timers *timers, int64_t now_ms, int max_ms);
/* Fires at most count_max of those due (each is removed before its function runs, and may set itself again). */
uint32_t timers_run(struct timers *timers, int64_t now_ms, uint32_t count_max);

#endif
