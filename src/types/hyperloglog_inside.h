/* Inside src/types/hyperloglog*.c only: where things lie in the bytes that hyperloglog.h draws. */
#ifndef TYPES_HYPERLOGLOG_INSIDE_H
#define TYPES_HYPERLOGLOG_INSIDE_H

#include <stdint.h>

enum { HLL_DENSE = 0, HLL_SPARSE = 1 };                 /* encodings */
enum { HLL_ENCODING_AT = 4, HLL_CACHE_AT = 8 };         /* offsets */
enum { HLL_XZERO = 0x40, HLL_VAL = 0x80 };              /* marks of opcodes; ZERO has none */
enum { HLL_ZERO_COUNT_MAX = 64, HLL_VAL_COUNT_MAX = 4 }; /* registers of one opcode */
enum { HLL_ZEROS_MAX = 50 };                            /* bits of the hash that do not name the register */
#define HLL_CACHE_STALE ((uint64_t)1 << 63)

#endif
