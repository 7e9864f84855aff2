/* Sets of integers; the layout stands in the header. The allocation is always of the size class of the bytes in use. Hot path:
 * intset_has and intset_add, whose search is compiled for each width. */
#include "types/intset.h"

#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "base/check.h"

static size_t used_bytes(uint32_t count, uint32_t width) {
    return sizeof(struct intset) + (size_t)count * width;
}

static uint32_t width_for(int64_t number) {
    if (number == (int16_t)number) return 2;
    return number == (int32_t)number ? 4 : 8;
}

/* -- numbers of one width. The width is a constant wherever these are inlined. */

INLINE int64_t load(const unsigned char *bytes, uint32_t index, uint32_t width) {
    int16_t narrow;
    int32_t middle;
    int64_t wide;
    if (width == 2) {
        memcpy(&narrow, bytes + (size_t)index * 2, sizeof narrow);
        return narrow;
    }
    if (width == 4) {
        memcpy(&middle, bytes + (size_t)index * 4, sizeof middle);
        return middle;
    }
    memcpy(&wide, bytes + (size_t)index * 8, sizeof wide);
    return wide;
}

INLINE void store(unsigned char *bytes, uint32_t index, uint32_t width, int64_t number) {
    int16_t narrow = (int16_t)number;
    int32_t middle = (int32_t)number;
    if (width == 2) {
        memcpy(bytes + (size_t)index * 2, &narrow, sizeof narrow);
    } else if (width == 4) {
        memcpy(bytes + (size_t)index * 4, &middle, sizeof middle);
    } else {
        memcpy(bytes + (size_t)index * 8, &number, sizeof number);
    }
}

/* How many are less than `number`: halves the range without a branch on the comparison. */
INLINE uint32_t lower_bound(const unsigned char *bytes, uint32_t count, uint32_t width,
                            int64_t number) {
    uint32_t from = 0;
    while (count > 1) {
        uint32_t half = count / 2;
        from += load(bytes, from + half - 1, width) < number ? half : 0;
        count -= half;
    }
    return from + (count == 1 && load(bytes, from, width) < number);
}

static uint32_t find(const struct intset *s, int64_t number) {
    if (s->width == 2) return lower_bound(s->bytes, s->count, 2, number);
    if (s->width == 4) return lower_bound(s->bytes, s->count, 4, number);
    return lower_bound(s->bytes, s->count, 8, number);
}

static bool is_at(const struct intset *s, uint32_t index, int64_t number) {
    return index < s->count && load(s->bytes, index, s->width) == number;
}

/* -- life */

struct intset *intset_new(void) {
    struct intset *s = mem_alloc(mem_class_bytes(sizeof *s));
    *s = (struct intset){.width = 2};
    return s;
}

void intset_free(struct intset *s) {
    mem_free(s);
}

struct intset *intset_copy(const struct intset *s) {
    size_t bytes = used_bytes(s->count, s->width);
    struct intset *copy = mem_try_alloc(mem_class_bytes(bytes));
    if (copy) memcpy(copy, s, bytes);
    return copy;
}

size_t intset_class_bytes(const struct intset *s) {
    return mem_class_bytes(used_bytes(s->count, s->width));
}

bool intset_has(const struct intset *s, int64_t number) {
    return is_at(s, find(s, number), number);
}

int64_t intset_at(const struct intset *s, uint32_t index) {
    DCHECK(index < s->count);
    return load(s->bytes, index, s->width);
}

/* -- changing */

/* The block for that many numbers of that width; what is in it stays as it is. NULL: no memory for a larger one. */
static struct intset *resize(struct intset *s, uint32_t count, uint32_t width) {
    size_t class_bytes = mem_class_bytes(used_bytes(count, width));
    size_t old_class_bytes = intset_class_bytes(s);
    struct intset *moved;
    if (class_bytes == old_class_bytes) return s;
    moved = mem_try_realloc(s, class_bytes);
    if (!moved && class_bytes < old_class_bytes) return s; /* larger than need be is safe */
    return moved;
}

/* From the last on: no number is overwritten before it was read. */
static void widen(struct intset *s, uint32_t width) {
    for (uint32_t i = s->count; i-- > 0;) {
        store(s->bytes, i, width, load(s->bytes, i, s->width));
    }
    s->width = width;
}

static void insert(struct intset *s, uint32_t at, int64_t number) {
    unsigned char *room = s->bytes + (size_t)at * s->width;
    memmove(room + s->width, room, (size_t)(s->count - at) * s->width);
    store(s->bytes, at, s->width, number);
    s->count++;
}

int intset_add(struct intset **set, int64_t number) {
    struct intset *s = *set;
    uint32_t width = MAX(width_for(number), s->width), at = find(s, number);
    if (is_at(s, at, number)) return 0;
    if (s->count == INTSET_COUNT_MAX) return -ENOMEM;
    s = resize(s, s->count + 1, width);
    if (!s) return -ENOMEM;
    if (width != s->width) widen(s, width);
    insert(s, at, number);
    *set = s;
    return 1;
}

void intset_remove_at(struct intset **set, uint32_t index) {
    struct intset *s = *set, *moved;
    unsigned char *hole = s->bytes + (size_t)index * s->width;
    DCHECK(index < s->count);
    memmove(hole, hole + s->width, (size_t)(s->count - index - 1) * s->width);
    moved = resize(s, s->count - 1, s->width);
    moved->count--;
    *set = moved;
}

bool intset_remove(struct intset **set, int64_t number) {
    uint32_t at = find(*set, number);
    if (!is_at(*set, at, number)) return false;
    intset_remove_at(set, at);
    return true;
}

/* -- checks */

void intset_check(const struct intset *s) {
    CHECK(s->width == 2 || s->width == 4 || s->width == 8);
    CHECK(mem_usable_bytes(s) >= used_bytes(s->count, s->width));
    for (uint32_t i = 1; i < s->count; i++) CHECK(intset_at(s, i - 1) < intset_at(s, i));
}
