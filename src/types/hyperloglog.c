/* HyperLogLog: dense registers, counting, merging. The sparse representation's changes are in hyperloglog_sparse.c.
 *
 * Dense registers are taken eight at a time: 48 bits spread to a word of eight bytes and back, so that merging compares eight registers
 * with a few operations on words. Of the last eight, too, only their own six bytes are touched. */
#include "types/hyperloglog.h"

#include <math.h>

#include "base/check.h"
#include "base/error.h"
#include "types/column.h"
#include "types/hyperloglog_inside.h"

static const char magic[4] = {'H', 'Y', 'L', 'L'};

bool hll_is_valid(struct span bytes) {
    if (bytes.len < HLL_HEADER_BYTES || memcmp(bytes.data, magic, sizeof magic) != 0) return false;
    uint8_t encoding = (uint8_t)bytes.data[HLL_ENCODING_AT];
    return encoding == HLL_SPARSE || (encoding == HLL_DENSE && bytes.len == HLL_DENSE_BYTES);
}

bool hll_is_dense(struct span bytes) {
    return bytes.data[HLL_ENCODING_AT] == HLL_DENSE;
}

/* ---- the cached estimate */

bool hll_cached(struct span bytes, uint64_t *count) {
    *count = 0;
    for (unsigned i = 0; i < sizeof *count; i++) {
        *count |= (uint64_t)(uint8_t)bytes.data[HLL_CACHE_AT + i] << (8 * i);
    }
    return !(*count & HLL_CACHE_STALE);
}

void hll_set_cached(char *bytes, uint64_t count) {
    for (unsigned i = 0; i < sizeof count; i++) {
        bytes[HLL_CACHE_AT + i] = (char)(uint8_t)(count >> (8 * i));
    }
}

void hll_forget_cached(char *bytes) {
    char *last = bytes + HLL_CACHE_AT + sizeof(uint64_t) - 1;
    *last = (char)(*last | 0x80);
}

/* ---- hashing. MurmurHash64A, in little endian on every machine. */

static const uint64_t murmur_factor = 0xc6a4a7935bd1e995u, murmur_seed = 0xadc83b19u;

static uint64_t load_little(const uint8_t *at, size_t len) {
    uint64_t word = 0;
    for (size_t i = 0; i < len; i++) word |= (uint64_t)at[i] << (8 * i);
    return word;
}

/* Spelled out: compilers make one load or store of it, which they do not of a loop at -O2. */
INLINE uint64_t load_eight(const uint8_t *at) {
    return at[0] | (uint64_t)at[1] << 8 | (uint64_t)at[2] << 16 | (uint64_t)at[3] << 24 |
           (uint64_t)at[4] << 32 | (uint64_t)at[5] << 40 | (uint64_t)at[6] << 48 |
           (uint64_t)at[7] << 56;
}

INLINE void store_eight(uint8_t *at, uint64_t word) {
    at[0] = (uint8_t)word;
    at[1] = (uint8_t)(word >> 8);
    at[2] = (uint8_t)(word >> 16);
    at[3] = (uint8_t)(word >> 24);
    at[4] = (uint8_t)(word >> 32);
    at[5] = (uint8_t)(word >> 40);
    at[6] = (uint8_t)(word >> 48);
    at[7] = (uint8_t)(word >> 56);
}

INLINE uint64_t murmur_mix(uint64_t word) {
    word *= murmur_factor;
    word ^= word >> 47;
    return word * murmur_factor;
}

static uint64_t murmur(struct span bytes) {
    /* the length counts as the 32-bit number that it is elsewhere */
    uint64_t hash = murmur_seed ^ (uint64_t)(int64_t)(int32_t)bytes.len * murmur_factor;
    const uint8_t *at = (const uint8_t *)bytes.data;
    size_t left = bytes.len;
    for (; left >= 8; left -= 8, at += 8)
        hash = (hash ^ murmur_mix(load_eight(at))) * murmur_factor;
    if (left) hash = (hash ^ load_little(at, left)) * murmur_factor;
    hash ^= hash >> 47;
    hash *= murmur_factor;
    return hash ^ hash >> 47;
}

struct hll_place hll_place_of(struct span element) {
    enum { INDEX_BITS = 14 };
    uint64_t hash = murmur(element), rest = hash >> INDEX_BITS;
    rest |= (uint64_t)1 << HLL_ZEROS_MAX; /* the longest run there can be */
    return (struct hll_place){.index = (uint32_t)(hash & (HLL_REGISTER_COUNT - 1)),
                              .value = (uint8_t)(__builtin_ctzll(rest) + 1)};
}

/* ---- dense registers */

uint8_t hll_register(struct span dense, uint32_t index) {
    const uint8_t *at =
        (const uint8_t *)dense.data + HLL_HEADER_BYTES + index * HLL_REGISTER_BITS / 8;
    unsigned shift = index * HLL_REGISTER_BITS % 8;
    unsigned bits = at[0];
    if (shift > 8 - HLL_REGISTER_BITS) bits |= (unsigned)at[1] << 8;
    return bits >> shift & HLL_REGISTER_MAX;
}

void hll_set_register(char *dense, struct hll_place place) {
    uint8_t *at = (uint8_t *)dense + HLL_HEADER_BYTES + place.index * HLL_REGISTER_BITS / 8;
    unsigned shift = place.index * HLL_REGISTER_BITS % 8;
    bool spills = shift > 8 - HLL_REGISTER_BITS;
    unsigned bits = at[0];
    if (spills) bits |= (unsigned)at[1] << 8;
    bits &= ~((unsigned)HLL_REGISTER_MAX << shift);
    bits |= (unsigned)place.value << shift;
    at[0] = (uint8_t)bits;
    if (spills) at[1] = (uint8_t)(bits >> 8);
}

enum { GROUP = 8, GROUP_BYTES = GROUP * HLL_REGISTER_BITS / 8 };

/* Eight registers, one in each byte, the first in the lowest: halves, quarters, eighths move to their places. */
INLINE uint64_t load_group(const uint8_t *at) {
    uint64_t low = at[0] | (uint64_t)at[1] << 8 | (uint64_t)at[2] << 16;
    uint64_t high = at[3] | (uint64_t)at[4] << 8 | (uint64_t)at[5] << 16;
    uint64_t group = low | high << 32;
    group = (group & 0x00000fff00000fffu) | (group & 0x00fff00000fff000u) << 4;
    return (group & 0x003f003f003f003fu) | (group & 0x0fc00fc00fc00fc0u) << 2;
}

INLINE void store_group(uint8_t *at, uint64_t group) {
    group = (group & 0x003f003f003f003fu) | (group & 0x3f003f003f003f00u) >> 2;
    group = (group & 0x00000fff00000fffu) | (group & 0x0fff00000fff0000u) >> 4;
    for (unsigned i = 0; i < 3; i++) {
        at[i] = (uint8_t)(group >> (8 * i));
        at[i + 3] = (uint8_t)(group >> (32 + 8 * i));
    }
}

/* The larger of each pair of bytes, all of them below 128. */
INLINE uint64_t max_group(uint64_t a, uint64_t b) {
    const uint64_t tops = 0x8080808080808080u;
    uint64_t at_least = ((a | tops) - b) & tops; /* the top stays where a >= b */
    uint64_t mask = (at_least >> 7) * 0xff;
    return (a & mask) | (b & ~mask);
}

/* ---- the same of thirty-two registers: a group in each word of a column */

enum { WIDE_GROUP = COLUMN_WORDS * GROUP, WIDE_BYTES = COLUMN_WORDS * GROUP_BYTES };

/* Between words whose first register is the lowest byte, and memory. Its own inverse. */
INLINE void column_little(column *c) {
    if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__) return;
    for (unsigned i = 0; i < COLUMN_WORDS; i++) (*c)[i] = __builtin_bswap64((*c)[i]);
}

/* Reads two bytes beyond the last group's. */
INLINE void load_wide(column *out, const uint8_t *at) {
    column c = {load_eight(at), load_eight(at + GROUP_BYTES), load_eight(at + 2 * GROUP_BYTES),
                load_eight(at + 3 * GROUP_BYTES)};
    c = (c & 0x0000000000ffffffu) | (c & 0x0000ffffff000000u) << 8;
    c = (c & 0x00000fff00000fffu) | (c & 0x00fff00000fff000u) << 4;
    *out = (c & 0x003f003f003f003fu) | (c & 0x0fc00fc00fc00fc0u) << 2;
}

/* Writes two bytes beyond the last group's: what lies there is to be written afterwards. */
INLINE void store_wide(uint8_t *at, const column *groups) {
    column c = *groups;
    c = (c & 0x003f003f003f003fu) | (c & 0x3f003f003f003f00u) >> 2;
    c = (c & 0x00000fff00000fffu) | (c & 0x0fff00000fff0000u) >> 4;
    c = (c & 0x0000000000ffffffu) | (c & 0x00ffffff00000000u) >> 8;
    for (unsigned i = 0; i < COLUMN_WORDS; i++) store_eight(at + i * GROUP_BYTES, c[i]);
}

/* Raises registers to those in `groups`. */
INLINE void raise_wide(uint8_t *registers, const column *groups) {
    typedef int8_t lanes ATTR_VECTOR(sizeof(column));
    lanes a, b, more;
    memcpy(&a, registers, sizeof a);
    memcpy(&b, groups, sizeof b);
    more = a > b;
    a = (a & more) | (b & ~more);
    memcpy(registers, &a, sizeof a);
}

/* All but the last few, behind which there is nothing to read or write; returns how many registers that were. */
static ATTR_CLONES uint32_t put_wide(uint8_t *at, const uint8_t *registers) {
    uint32_t i = 0;
    for (; i < HLL_REGISTER_COUNT - WIDE_GROUP; i += WIDE_GROUP, at += WIDE_BYTES) {
        column groups;
        column_load(&groups, registers + i);
        column_little(&groups);
        store_wide(at, &groups);
    }
    return i;
}

static ATTR_CLONES uint32_t merge_wide(uint8_t *registers, const uint8_t *at) {
    uint32_t i = 0;
    for (; i < HLL_REGISTER_COUNT - WIDE_GROUP; i += WIDE_GROUP, at += WIDE_BYTES) {
        column groups;
        load_wide(&groups, at);
        column_little(&groups);
        raise_wide(registers + i, &groups);
    }
    return i;
}

INLINE size_t dense_offset(uint32_t index) {
    return HLL_HEADER_BYTES + index * HLL_REGISTER_BITS / 8;
}

void hll_put_dense(char *bytes, const uint8_t *registers) {
    uint8_t *dense = (uint8_t *)bytes;
    for (uint32_t i = put_wide(dense + dense_offset(0), registers); i < HLL_REGISTER_COUNT;
         i += GROUP) {
        store_group(dense + dense_offset(i), load_eight(registers + i));
    }
}

static void merge_dense(uint8_t *registers, struct span bytes) {
    const uint8_t *dense = (const uint8_t *)bytes.data;
    for (uint32_t i = merge_wide(registers, dense + dense_offset(0)); i < HLL_REGISTER_COUNT;
         i += GROUP) {
        uint64_t group = max_group(load_eight(registers + i), load_group(dense + dense_offset(i)));
        store_eight(registers + i, group);
    }
}

/* ---- sparse runs */

int hll_next_run(struct span sparse, size_t *at, struct hll_run *run) {
    if (*at >= sparse.len) return 0;
    uint8_t opcode = (uint8_t)sparse.data[*at];
    *run = (struct hll_run){.count = 1u + (opcode & 0x3f), .bytes = 1};
    if (opcode & HLL_VAL) {
        run->count = 1u + (opcode & 3);
        run->value = (uint8_t)((opcode >> 2 & 0x1f) + 1);
    } else if (opcode & HLL_XZERO) {
        if (sparse.len - *at < 2) return ERROR_SYNTAX;
        run->count = 1u + ((uint32_t)(opcode & 0x3f) << 8 | (uint8_t)sparse.data[*at + 1]);
        run->bytes = 2;
    }
    *at += run->bytes;
    return 1;
}

static int merge_sparse(uint8_t *registers, struct span bytes) {
    struct hll_run run;
    size_t at = HLL_HEADER_BYTES;
    uint32_t index = 0;
    int rc;
    while ((rc = hll_next_run(bytes, &at, &run)) > 0) {
        if (run.count > HLL_REGISTER_COUNT - index) return ERROR_SYNTAX;
        for (uint32_t end = index + run.count; run.value && index < end; index++) {
            registers[index] = MAX(registers[index], run.value);
        }
        if (!run.value) index += run.count;
    }
    return rc == 0 && index == HLL_REGISTER_COUNT ? 0 : ERROR_SYNTAX;
}

int hll_merge(uint8_t *registers, struct span bytes) {
    if (!hll_is_dense(bytes)) return merge_sparse(registers, bytes);
    merge_dense(registers, bytes);
    return 0;
}

/* ---- the estimate: from how many registers have each value */

struct histogram {
    uint32_t count[HLL_REGISTER_MAX + 1];
};

/* Sigma and tau of the paper: the corrections for registers that are still 0 and that can grow no more. */
static double sigma(double x) {
    double sum = x, before, weight = 1;
    if (x == 1) return INFINITY;
    do {
        x *= x;
        before = sum;
        sum += x * weight;
        weight += weight;
    } while (before != sum);
    return sum;
}

static double tau(double x) {
    double sum = 1 - x, before, weight = 1;
    if (x == 0 || x == 1) return 0;
    do {
        x = sqrt(x);
        before = sum;
        weight *= 0.5;
        sum -= (1 - x) * (1 - x) * weight;
    } while (before != sum);
    return sum / 3;
}

static uint64_t estimate(const struct histogram *h) {
    const double alpha_infinity = 0.721347520444481703680; /* 1 / (2 ln 2) */
    const double m = HLL_REGISTER_COUNT;
    double z = m * tau((m - h->count[HLL_ZEROS_MAX + 1]) / m);
    for (int i = HLL_ZEROS_MAX; i >= 1; i--) {
        z += h->count[i];
        z *= 0.5;
    }
    z += m * sigma(h->count[0] / m);
    return (uint64_t)llround(alpha_infinity * m * m / z);
}

/* Neighbours are mostly equal: counted in eight places, they do not wait for each other. */
enum { PLACES = 8 };

INLINE void note_group(struct histogram places[PLACES], uint64_t group) {
    for (unsigned i = 0; i < GROUP; i++) {
        places[i % PLACES].count[group >> (8 * i) & HLL_REGISTER_MAX]++;
    }
}

static uint64_t estimate_places(struct histogram places[PLACES]) {
    for (unsigned i = 0; i <= HLL_REGISTER_MAX; i++) {
        for (unsigned j = 1; j < PLACES; j++) places[0].count[i] += places[j].count[i];
    }
    return estimate(&places[0]);
}

uint64_t hll_count_registers(const uint8_t *registers) {
    struct histogram places[PLACES] = {0};
    for (uint32_t i = 0; i < HLL_REGISTER_COUNT; i += GROUP) {
        note_group(places, load_eight(registers + i));
    }
    return estimate_places(places);
}

static uint64_t count_dense(struct span bytes) {
    struct histogram places[PLACES] = {0};
    const uint8_t *at = (const uint8_t *)bytes.data + HLL_HEADER_BYTES;
    for (uint32_t i = 0; i < HLL_REGISTER_COUNT; i += GROUP, at += GROUP_BYTES) {
        note_group(places, load_group(at));
    }
    return estimate_places(places);
}

static int count_sparse(struct span bytes, uint64_t *count) {
    struct histogram h = {0};
    struct hll_run run;
    size_t at = HLL_HEADER_BYTES;
    uint32_t seen = 0;
    int rc;
    while ((rc = hll_next_run(bytes, &at, &run)) > 0) {
        if (run.count > HLL_REGISTER_COUNT - seen) return ERROR_SYNTAX;
        h.count[run.value] += run.count;
        seen += run.count;
    }
    if (rc < 0 || seen != HLL_REGISTER_COUNT) return ERROR_SYNTAX;
    *count = estimate(&h);
    return 0;
}

int hll_count(struct span bytes, uint64_t *count) {
    if (!hll_is_dense(bytes)) return count_sparse(bytes, count);
    *count = count_dense(bytes);
    return 0;
}
