/* Merge sort, stable as glibc's qsort is, which clients of Redis have got used to: short runs by insertion, then runs of twice the
 * length from one array to the other. */
#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "commands/sort.h"

enum { RUN_LENGTH = 8 };

struct order {
    enum sort_kind kind;
    bool descending;
};

static int compare_bytes(struct span a, struct span b) {
    size_t len = MIN(a.len, b.len);
    int order = len ? memcmp(a.data, b.data, len) : 0;
    if (order) return order;
    return a.len < b.len ? -1 : a.len > b.len;
}

static int compare_ascending(enum sort_kind kind, const struct sort_item *a,
                             const struct sort_item *b) {
    switch (kind) {
    case SORT_NUMERIC:
        if (a->score != b->score) return a->score < b->score ? -1 : 1;
        return compare_bytes(a->element, b->element);
    case SORT_ALPHA: return compare_bytes(a->element, b->element);
    case SORT_ALPHA_BY:
        if (!a->by.data || !b->by.data) return (a->by.data != NULL) - (b->by.data != NULL);
        return compare_bytes(a->by, b->by);
    }
    return 0;
}

static bool is_behind(const struct order *o, const struct sort_item *a, const struct sort_item *b) {
    int order = compare_ascending(o->kind, a, b);
    return o->descending ? order < 0 : order > 0;
}

static void sort_run(const struct order *o, struct sort_item *items, uint64_t count) {
    for (uint64_t i = 1; i < count; i++) {
        struct sort_item item = items[i];
        uint64_t at = i;
        for (; at > 0 && is_behind(o, &items[at - 1], &item); at--) items[at] = items[at - 1];
        items[at] = item;
    }
}

static void merge(const struct order *o, const struct sort_item *left, uint64_t left_count,
                  const struct sort_item *right, uint64_t right_count, struct sort_item *out) {
    while (left_count > 0 && right_count > 0) {
        if (is_behind(o, left, right)) {
            *out++ = *right++;
            right_count--;
        } else {
            *out++ = *left++;
            left_count--;
        }
    }
    memcpy(out, left, left_count * sizeof *out);
    memcpy(out + left_count, right, right_count * sizeof *out);
}

int sort_order(struct sort_item *items, uint64_t count, enum sort_kind kind, bool descending) {
    struct order o = {kind, descending};
    struct sort_item *from = items, *to, *other;
    for (uint64_t at = 0; at < count; at += RUN_LENGTH) {
        sort_run(&o, items + at, MIN(count - at, (uint64_t)RUN_LENGTH));
    }
    if (count <= RUN_LENGTH) return 0;
    other = to = mem_try_alloc(count * sizeof *to);
    if (!other) return -ENOMEM;
    for (uint64_t length = RUN_LENGTH; length < count; length *= 2) {
        struct sort_item *swap = from;
        for (uint64_t at = 0; at < count; at += 2 * length) {
            uint64_t left = MIN(length, count - at), right = MIN(length, count - at - left);
            merge(&o, from + at, left, from + at + left, right, to + at);
        }
        from = to;
        to = swap;
    }
    if (from != items) memcpy(items, from, count * sizeof *items);
    mem_free(other);
    return 0;
}
