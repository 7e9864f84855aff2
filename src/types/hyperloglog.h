/* HyperLogLog: how many distinct elements were added, within 0.81 %, in at most 12 KiB. The bytes are Redis's own, so that values
 * move between servers; they are kept as an ordinary string, and everything here reads or writes such bytes.
 *
 *   | "HYLL" | encoding 1 | zeros 3 | cardinality 8, little endian | registers |
 *
 *   cardinality: the last estimate; its highest bit says that registers have changed since
 *   dense:       HLL_REGISTER_COUNT registers of 6 bits, the lowest bits first
 *   sparse:      runs of equal registers, one opcode each, in the registers' order:
 *                  00nnnnnn            n + 1 registers of 0                 (ZERO)
 *                  01nnnnnn nnnnnnnn   n + 1 registers of 0                 (XZERO)
 *                  1vvvvvnn            n + 1 registers of v + 1             (VAL)
 *
 * The hash is MurmurHash64A with a fixed seed: its low 14 bits name a register, which keeps the longest run of zeros that followed them.
 * The estimator is Ertl's (https://arxiv.org/abs/1702.01284). Values come from users: whatever they contain is refused or survived. */
#ifndef TYPES_HYPERLOGLOG_H
#define TYPES_HYPERLOGLOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/span.h"

enum {
    HLL_REGISTER_COUNT = 1 << 14,
    HLL_REGISTER_BITS = 6,
    HLL_REGISTER_MAX = (1 << HLL_REGISTER_BITS) - 1,
    HLL_HEADER_BYTES = 16,
    HLL_DENSE_BYTES = HLL_HEADER_BYTES + HLL_REGISTER_COUNT * HLL_REGISTER_BITS / 8,
    HLL_EMPTY_BYTES = HLL_HEADER_BYTES + 2,
    HLL_SPARSE_BYTES_MAX = HLL_HEADER_BYTES + 2 * HLL_REGISTER_COUNT, /* a longer one is corrupted */
    HLL_SPARSE_VALUE_MAX = 32,
};

/* Whether the header is one, and a dense value's length right. The functions below take only bytes for which it said so. */
bool hll_is_valid(struct span bytes);
bool hll_is_dense(struct span bytes);

/* -- the estimate */
bool hll_cached(struct span bytes, uint64_t *count); /* false: registers have changed since */
void hll_set_cached(char *bytes, uint64_t count);
void hll_forget_cached(char *bytes);
ATTR_MUST_USE int hll_count(struct span bytes, uint64_t *count); /* 0, or ERROR_SYNTAX: corrupted */
uint64_t hll_count_registers(const uint8_t *registers);         /* HLL_REGISTER_COUNT of them, a byte each */

/* -- whole values. Merging raises each register to at least the value's: 0, or ERROR_SYNTAX: corrupted, registers partly raised. */
ATTR_MUST_USE int hll_merge(uint8_t *registers, struct span bytes);
void hll_put_dense(char *bytes, const uint8_t *registers); /* the registers of a dense value; the header stays */
uint8_t hll_register(struct span dense, uint32_t index);
/* One run of equal registers from offset *at on, which goes on to the next. 1; 0 at the end; ERROR_SYNTAX: an opcode cut short. */
struct hll_run {
    uint32_t count;
    uint8_t value;
    uint8_t bytes; /* of the opcode: 1, or 2 for XZERO */
};
ATTR_MUST_USE int hll_next_run(struct span sparse, size_t *at, struct hll_run *run);

/* -- adding. A draft is a copy that is changed in memory with room to grow, and put back as a whole. */
struct hll_draft {
    char *bytes;
    size_t len;
    size_t sparse_max_bytes; /* a sparse value that would grow beyond becomes dense */
    /* where the next register's search may begin: registers were set in ascending order only. See hll_draft_raise_all */
    size_t search_at;
    uint32_t search_first;
};
/* Room for a draft of `bytes` (len 0: of an empty value) to which `count` elements are added, or `count` registers raised. */
size_t hll_draft_room(struct span bytes, size_t count);
/* Copies the value to `room`; an empty sparse value when there is none (len 0). */
void hll_draft_init(struct hll_draft *draft, char *room, struct span bytes, size_t sparse_max_bytes);
/* 1: a register has changed, and the cached estimate is forgotten; 0: none has; ERROR_SYNTAX: corrupted. */
ATTR_MUST_USE int hll_draft_add(struct hll_draft *draft, struct span element);
/* Every register to at least those given. 0 or ERROR_SYNTAX. */
ATTR_MUST_USE int hll_draft_raise_all(struct hll_draft *draft, const uint8_t *registers);
ATTR_MUST_USE int hll_draft_make_dense(struct hll_draft *draft);

/* What an element does to a dense value: looked at first, so that what changes nothing is not written. */
struct hll_place {
    uint32_t index;
    uint8_t value;
};
struct hll_place hll_place_of(struct span element);
void hll_set_register(char *dense, struct hll_place place);

#endif
