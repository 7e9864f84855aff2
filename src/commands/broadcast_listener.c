/* The prefixes of one listener, in order: two that overlap are found next to each other. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "commands/broadcast_inside.h"

int broadcast_compare(struct span a, struct span b) {
    size_t len = MIN(a.len, b.len);
    int order = len ? memcmp(a.data, b.data, len) : 0;
    return order ? order : (a.len > b.len) - (a.len < b.len);
}

struct span broadcast_prefix(const struct broadcast_listener *listener, uint32_t i) {
    return broadcast_prefix_name(listener->members[i]->prefix);
}

/* The first prefix that does not come before the name. */
static uint32_t place_of(const struct broadcast_listener *listener, struct span name) {
    uint32_t low = 0, high = listener->member_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (broadcast_compare(broadcast_prefix(listener, middle), name) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static bool begins_with(struct span name, struct span prefix) {
    return name.len >= prefix.len &&
           (prefix.len == 0 || memcmp(name.data, prefix.data, prefix.len) == 0);
}

/* Those of a listener do not overlap each other, except for the empty one: what overlaps is that, or next to the name's place. */
struct span broadcast_overlap(const struct broadcast_listener *listener, struct span name) {
    uint32_t place = place_of(listener, name);
    if (listener->member_count == 0) return (struct span){0};
    struct span first = broadcast_prefix(listener, 0);
    struct span before = broadcast_prefix(listener, place > 0 ? place - 1 : 0);
    struct span after = broadcast_prefix(listener, MIN(place, listener->member_count - 1));
    if (first.len == 0) return first;
    if (begins_with(name, before)) return before;
    if (begins_with(after, name)) return after;
    return (struct span){0};
}

static int compare_members(const void *a, const void *b) {
    struct broadcast_member *const *first = a, *const *second = b;
    return broadcast_compare(broadcast_prefix_name((*first)->prefix),
                             broadcast_prefix_name((*second)->prefix));
}

int broadcast_join(struct broadcast *b, struct broadcast_listener *listener,
                   const struct span *prefixes, uint32_t prefix_count) {
    uint32_t known = listener->member_count, total = known;
    int rc = 0;
    listener->members =
        mem_realloc(listener->members, (known + prefix_count) * sizeof *listener->members);
    for (uint32_t i = 0; i < prefix_count && rc == 0; i++) {
        uint32_t place = place_of(listener, prefixes[i]);
        if (place < known && span_eq(broadcast_prefix(listener, place), prefixes[i])) continue;
        struct broadcast_member *m = broadcast_try_enter(b, prefixes[i], listener);
        if (m) listener->members[total++] = m;
        if (!m) rc = -ENOMEM;
    }
    listener->member_count = total;
    qsort(listener->members, total, sizeof *listener->members, compare_members);
    return rc;
}

void broadcast_leave_all(struct broadcast *b, struct broadcast_listener *listener) {
    for (uint32_t i = 0; i < listener->member_count; i++) broadcast_exit(b, listener->members[i]);
    mem_free(listener->members);
    listener->members = NULL;
    listener->member_count = 0;
}

size_t broadcast_listener_bytes(const struct broadcast_listener *listener) {
    size_t bytes = listener->member_count * sizeof *listener->members;
    for (uint32_t i = 0; i < listener->member_count; i++) {
        const struct broadcast_prefix *p = listener->members[i]->prefix;
        bytes += mem_class_bytes(sizeof(struct broadcast_member));
        bytes += mem_class_bytes(sizeof *p + p->len);
    }
    return bytes;
}
