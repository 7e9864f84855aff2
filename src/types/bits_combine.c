/* Combining bits: a row of every source is taken before the result's row is written, so that the result may lie where a source does.
 *
 * Rows do not go over the end of a source: one that has ended reads as a row of zeros, and what is left before an end is a row of its
 * own, cut short. */
#include "types/bits.h"
#include "types/column.h"

struct row {
    column a, b, c, d;
};
enum { ROW_BYTES = sizeof(struct row) };

struct combine {
    const struct span *sources;
    uint32_t count;
    char *out;
};

static const char zeros[ROW_BYTES];

/* The `len` bytes of source `i` from `at` on, and zeros. */
INLINE void load_row(struct row *row, const struct combine *c, uint32_t i, size_t at, size_t len) {
    const struct span *source = c->sources + i;
    const char *from = source->len > at ? source->data + at : zeros;
    char part[ROW_BYTES] = {0};
    if (len < ROW_BYTES) from = memcpy(part, from, len);
    column_load(&row->a, from);
    column_load(&row->b, from + sizeof row->a);
    column_load(&row->c, from + 2 * sizeof row->a);
    column_load(&row->d, from + 3 * sizeof row->a);
}

INLINE void store_row(const struct row *row, const struct combine *c, size_t at, size_t len) {
    char part[ROW_BYTES], *to = len < ROW_BYTES ? part : c->out + at;
    column_store(to, &row->a);
    column_store(to + sizeof row->a, &row->b);
    column_store(to + 2 * sizeof row->a, &row->c);
    column_store(to + 3 * sizeof row->a, &row->d);
    if (len < ROW_BYTES) memcpy(c->out + at, part, len);
}

/* ---- two rows into one */

enum merge { MERGE_AND, MERGE_OR, MERGE_XOR, MERGE_AND_NOT };

INLINE void merge_columns(enum merge merge, column *to, const column *from) {
    switch (merge) {
    case MERGE_AND: *to &= *from; break;
    case MERGE_OR: *to |= *from; break;
    case MERGE_XOR: *to ^= *from; break;
    case MERGE_AND_NOT: *to &= ~*from; break;
    }
}

INLINE void merge_rows(enum merge merge, struct row *to, const struct row *from) {
    merge_columns(merge, &to->a, &from->a);
    merge_columns(merge, &to->b, &from->b);
    merge_columns(merge, &to->c, &from->c);
    merge_columns(merge, &to->d, &from->d);
}

/* ---- one row of the result. `out` holds the row of x, the first source */

INLINE void fold(enum merge merge, struct row *out, const struct combine *c, size_t at,
                 size_t len) {
    struct row from;
    for (uint32_t i = 1; i < c->count; i++) {
        load_row(&from, c, i, at, len);
        merge_rows(merge, out, &from);
    }
}

/* What the others have together. */
INLINE void others_union(struct row *others, const struct combine *c, size_t at, size_t len) {
    *others = (struct row){{0}, {0}, {0}, {0}};
    fold(MERGE_OR, others, c, at, len);
}

INLINE void others_without(struct row *out, const struct combine *c, size_t at, size_t len) {
    struct row others;
    others_union(&others, c, at, len);
    merge_rows(MERGE_AND_NOT, &others, out);
    *out = others;
}

INLINE void others_and(struct row *out, const struct combine *c, size_t at, size_t len) {
    struct row others;
    others_union(&others, c, at, len);
    merge_rows(MERGE_AND, out, &others);
}

/* Bits seen twice are out for good. */
INLINE void exactly_one(struct row *out, const struct combine *c, size_t at, size_t len) {
    struct row twice = {{0}, {0}, {0}, {0}};
    for (uint32_t i = 1; i < c->count; i++) {
        struct row from, both = *out;
        load_row(&from, c, i, at, len);
        merge_rows(MERGE_AND, &both, &from);
        merge_rows(MERGE_OR, &twice, &both);
        merge_rows(MERGE_OR, out, &from);
    }
    merge_rows(MERGE_AND_NOT, out, &twice);
}

INLINE void invert(struct row *out) {
    out->a = ~out->a;
    out->b = ~out->b;
    out->c = ~out->c;
    out->d = ~out->d;
}

INLINE void combine_row(enum bits_op op, const struct combine *c, size_t at, size_t len) {
    struct row out;
    load_row(&out, c, 0, at, len);
    switch (op) {
    case BITS_AND: fold(MERGE_AND, &out, c, at, len); break;
    case BITS_OR: fold(MERGE_OR, &out, c, at, len); break;
    case BITS_XOR: fold(MERGE_XOR, &out, c, at, len); break;
    case BITS_NOT: invert(&out); break;
    case BITS_DIFF: fold(MERGE_AND_NOT, &out, c, at, len); break;
    case BITS_DIFF1: others_without(&out, c, at, len); break;
    case BITS_ANDOR: others_and(&out, c, at, len); break;
    case BITS_ONE: exactly_one(&out, c, at, len); break;
    }
    store_row(&out, c, at, len);
}

/* ---- all rows */

INLINE size_t whole_rows(enum bits_op op, const struct combine *c, size_t at, size_t end) {
    for (; end - at >= ROW_BYTES; at += ROW_BYTES) combine_row(op, c, at, ROW_BYTES);
    return at;
}

/* A loop of its own for each, so that the choice is not made for every row. Returns where the last whole row ended. */
static ATTR_CLONES size_t combine_rows(enum bits_op op, const struct combine *c, size_t at,
                                       size_t end) {
    switch (op) {
    case BITS_AND: return whole_rows(BITS_AND, c, at, end);
    case BITS_OR: return whole_rows(BITS_OR, c, at, end);
    case BITS_XOR: return whole_rows(BITS_XOR, c, at, end);
    case BITS_NOT: return whole_rows(BITS_NOT, c, at, end);
    case BITS_DIFF: return whole_rows(BITS_DIFF, c, at, end);
    case BITS_DIFF1: return whole_rows(BITS_DIFF1, c, at, end);
    case BITS_ANDOR: return whole_rows(BITS_ANDOR, c, at, end);
    case BITS_ONE: return whole_rows(BITS_ONE, c, at, end);
    }
    return at;
}

/* The nearest end of a source beyond `at`. */
static size_t next_end(const struct combine *c, size_t at, size_t len) {
    size_t end = len;
    for (uint32_t i = 0; i < c->count; i++) {
        size_t source_end = c->sources[i].len;
        if (source_end > at && source_end < end) end = source_end;
    }
    return end;
}

void bits_combine(enum bits_op op, const struct span *sources, uint32_t count, char *out,
                  size_t len) {
    struct combine c = {sources, count, out};
    for (size_t at = 0, end; at < len; at = end) {
        end = next_end(&c, at, len);
        at = combine_rows(op, &c, at, end);
        if (at < end) combine_row(op, &c, at, end - at);
    }
}
