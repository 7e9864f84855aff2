/* Which elements of a table were picked already, by address: for drawing some different ones out of many. */
#ifndef COMMANDS_PICKS_H
#define COMMANDS_PICKS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/alloc.h"

struct picks { /* open addressing, at most half full */
    const void **slots;
    uint64_t mask;
};

/* Room for `count`. False without memory. */
INLINE bool picks_try_init(struct picks *p, uint64_t count) {
    uint64_t slot_count = 16;
    while (slot_count < count * 2) slot_count *= 2;
    p->mask = slot_count - 1;
    p->slots = mem_try_alloc(slot_count * sizeof *p->slots);
    if (p->slots) memset(p->slots, 0, slot_count * sizeof *p->slots);
    return p->slots;
}
INLINE void picks_release(struct picks *p) {
    mem_free(p->slots);
}
/* False: it was there. */
INLINE bool picks_add(struct picks *p, const void *element) {
    uint64_t at = ((uintptr_t)element * 0x9e3779b97f4a7c15u >> 20) & p->mask;
    while (p->slots[at] && p->slots[at] != element) at = (at + 1) & p->mask;
    if (p->slots[at]) return false;
    p->slots[at] = element;
    return true;
}

#endif
