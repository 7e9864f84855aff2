/* The longest common subsequence of two strings, as runs of bytes that they share. Pure functions, O(n * m) time.
 *
 * Of the usual table of lengths only one row is kept, and of each cell one bit: which of its neighbours the way back takes. That is
 * a thirty-second of the memory. Where both ways are as long the way back leaves the second string first, as Redis does. */
#ifndef COMMANDS_LCS_TABLE_H
#define COMMANDS_LCS_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compat.h"
#include "base/span.h"

struct lcs_table {
    struct span a, b;
    uint64_t *ways; /* a bit for each pair of bytes: 1 steps back in a, 0 in b */
    uint32_t len;   /* of the subsequence */
    size_t i, j;    /* the bytes before these are still to be walked */
};

/* A run that both strings have: `len` bytes from those positions on. */
struct lcs_run {
    size_t a_first, b_first, len;
};

/* Borrows both strings, each shorter than 4 GiB. 0 or -ENOMEM. */
ATTR_MUST_USE int lcs_table_init(struct lcs_table *t, struct span a, struct span b);
void lcs_table_release(struct lcs_table *t);
/* The runs from the last to the first, once; false when there are no more. */
bool lcs_table_next(struct lcs_table *t, struct lcs_run *run);

#endif
