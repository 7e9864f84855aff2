#include "commands/lcs_table.h"

#include <errno.h>

#include "base/alloc.h"

static size_t way_bit(const struct lcs_table *t, size_t i, size_t j) {
    return i * t->b.len + j;
}

/* One row of lengths, from row i's to row i + 1's: row[j] belongs to b's first j bytes. */
static void fill_row(struct lcs_table *t, uint32_t *row, size_t i) {
    uint32_t diagonal = 0;
    for (size_t j = 0; j < t->b.len; j++) {
        uint32_t above = row[j + 1], left = row[j];
        if (t->a.data[i] == t->b.data[j]) {
            row[j + 1] = diagonal + 1;
        } else if (above > left) {
            size_t bit = way_bit(t, i, j);
            t->ways[bit / 64] |= (uint64_t)1 << bit % 64;
        } else {
            row[j + 1] = left;
        }
        diagonal = above;
    }
}

int lcs_table_init(struct lcs_table *t, struct span a, struct span b) {
    size_t ways_bytes = (a.len * b.len / 64 + 1) * sizeof *t->ways;
    size_t row_bytes = (b.len + 1) * sizeof(uint32_t);
    uint32_t *row = mem_try_alloc(row_bytes);
    *t = (struct lcs_table){.a = a, .b = b, .i = a.len, .j = b.len};
    if (row) t->ways = mem_try_alloc(ways_bytes);
    if (!t->ways) {
        mem_free(row);
        return -ENOMEM;
    }
    memset(t->ways, 0, ways_bytes);
    memset(row, 0, row_bytes);
    for (size_t i = 0; i < a.len; i++) fill_row(t, row, i);
    t->len = row[b.len];
    mem_free(row);
    return 0;
}

void lcs_table_release(struct lcs_table *t) {
    mem_free(t->ways);
    t->ways = NULL;
}

static bool is_match(const struct lcs_table *t) {
    return t->a.data[t->i - 1] == t->b.data[t->j - 1];
}

static void step_back(struct lcs_table *t) {
    size_t bit = way_bit(t, t->i - 1, t->j - 1);
    if (t->ways[bit / 64] >> bit % 64 & 1) {
        t->i--;
    } else {
        t->j--;
    }
}

bool lcs_table_next(struct lcs_table *t, struct lcs_run *run) {
    while (t->i > 0 && t->j > 0 && !is_match(t)) step_back(t);
    run->len = 0;
    while (t->i > 0 && t->j > 0 && is_match(t)) {
        t->i--;
        t->j--;
        run->len++;
    }
    run->a_first = t->i;
    run->b_first = t->j;
    return run->len > 0;
}
