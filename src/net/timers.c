#include "net/timers.h"

#include "base/alloc.h"
#include "base/check.h"

/* The heap's order: heap[i] is due no later than its children heap[4i+1..4i+4]. timer->at is the index + 1.
 * Four children to a node: half the depth of a binary heap, and the children's pointers share a cache line. */
enum { CHILDREN = 4, CAPACITY_MIN = 16 };

void timers_init(struct timers *timers) {
    *timers = (struct timers){0};
}

void timers_release(struct timers *timers) {
    for (uint32_t i = 0; i < timers->count; i++) timers->heap[i]->at = 0;
    mem_free(timers->heap);
    timers_init(timers);
}

static void place(struct timers *timers, uint32_t index, struct timer *timer) {
    timers->heap[index] = timer;
    timer->at = index + 1;
}

static void sift_up(struct timers *timers, uint32_t index, struct timer *timer) {
    while (index > 0) {
        uint32_t parent = (index - 1) / CHILDREN;
        if (timers->heap[parent]->due_ms <= timer->due_ms) break;
        place(timers, index, timers->heap[parent]);
        index = parent;
    }
    place(timers, index, timer);
}

static void sift_down(struct timers *timers, uint32_t index, struct timer *timer) {
    for (;;) {
        uint32_t first = index * CHILDREN + 1, soonest = first;
        if (first >= timers->count) break;
        for (uint32_t i = first + 1; i < timers->count && i < first + CHILDREN; i++) {
            if (timers->heap[i]->due_ms < timers->heap[soonest]->due_ms) soonest = i;
        }
        if (timer->due_ms <= timers->heap[soonest]->due_ms) break;
        place(timers, index, timers->heap[soonest]);
        index = soonest;
    }
    place(timers, index, timer);
}

/* The node at `index` may be out of order in either direction. */
static void sift(struct timers *timers, uint32_t index, struct timer *timer) {
    if (index > 0 && timer->due_ms < timers->heap[(index - 1) / CHILDREN]->due_ms) {
        sift_up(timers, index, timer);
    } else {
        sift_down(timers, index, timer);
    }
}

void timer_set(struct timers *timers, struct timer *timer, int64_t due_ms) {
    timer->due_ms = due_ms;
    if (timer->at) {
        sift(timers, timer->at - 1, timer);
        return;
    }
    if (timers->count == timers->capacity) {
        timers->capacity = timers->capacity ? timers->capacity * 2 : CAPACITY_MIN;
        timers->heap = mem_realloc(timers->heap, timers->capacity * sizeof(struct timer *));
    }
    sift_up(timers, timers->count++, timer);
}

void timer_cancel(struct timers *timers, struct timer *timer) {
    if (timer->at == 0) return;
    uint32_t index = timer->at - 1;
    DCHECK(index < timers->count && timers->heap[index] == timer);
    struct timer *last = timers->heap[--timers->count];
    timer->at = 0;
    if (last != timer) sift(timers, index, last);
}

int timers_wait_ms(const struct timers *timers, int64_t now_ms, int max_ms) {
    if (timers->count == 0) return max_ms;
    int64_t wait_ms = timers->heap[0]->due_ms - now_ms;
    if (wait_ms <= 0) return 0;
    if (max_ms < 0) return wait_ms < INT32_MAX ? (int)wait_ms : INT32_MAX;
    return wait_ms < max_ms ? (int)wait_ms : max_ms;
}

uint32_t timers_run(struct timers *timers, int64_t now_ms, uint32_t count_max) {
    uint32_t count = 0;
    while (count < count_max && timers->count && timers->heap[0]->due_ms <= now_ms) {
        struct timer *timer = timers->heap[0];
        timer_cancel(timers, timer);
        timer->fire(timer);
        count++;
    }
    return count;
}
