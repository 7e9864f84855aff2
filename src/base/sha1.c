/* Four rounds of twenty steps over blocks of 64 bytes; the message schedule is a ring of sixteen words. */
#include "base/sha1.h"

#include <stdint.h>

enum { BLOCK_BYTES = 64, LENGTH_BYTES = 8 };

INLINE uint32_t rotate(uint32_t x, int bits) {
    return x << bits | x >> (32 - bits);
}

INLINE uint32_t load_word(const unsigned char *at) {
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

INLINE uint32_t scheduled(uint32_t ring[16], int step) {
    if (step < 16) return ring[step];
    uint32_t mixed = ring[(step + 13) & 15] ^ ring[(step + 8) & 15] ^ ring[(step + 2) & 15];
    return ring[step & 15] = rotate(mixed ^ ring[step & 15], 1);
}

INLINE uint32_t choose(int step, uint32_t b, uint32_t c, uint32_t d) {
    if (step < 20) return ((b & c) | (~b & d)) + 0x5a827999u;
    if (step < 40) return (b ^ c ^ d) + 0x6ed9eba1u;
    if (step < 60) return ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdcu;
    return (b ^ c ^ d) + 0xca62c1d6u;
}

static void take_block(uint32_t state[5], const unsigned char *block) {
    uint32_t ring[16], a = state[0], b = state[1], c = state[2], d = state[3], e = state[4];
    for (int i = 0; i < 16; i++) ring[i] = load_word(block + i * 4);
    for (int step = 0; step < 80; step++) {
        uint32_t next = rotate(a, 5) + choose(step, b, c, d) + e + scheduled(ring, step);
        e = d;
        d = c;
        c = rotate(b, 30);
        b = a;
        a = next;
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
    state[4] += e;
}

/* What is left of the text, the bit behind it, and its length in bits: one block or two. */
static void take_end(uint32_t state[5], const unsigned char *rest, size_t rest_len, size_t len) {
    unsigned char block[2 * BLOCK_BYTES] = {0};
    size_t blocks = rest_len + 1 + LENGTH_BYTES <= BLOCK_BYTES ? 1 : 2;
    uint64_t bits = (uint64_t)len * 8;
    if (rest_len) memcpy(block, rest, rest_len);
    block[rest_len] = 0x80;
    for (size_t i = 0; i < LENGTH_BYTES; i++) {
        block[blocks * BLOCK_BYTES - 1 - i] = (unsigned char)(bits >> (8 * i));
    }
    for (size_t i = 0; i < blocks; i++) take_block(state, block + i * BLOCK_BYTES);
}

void sha1_hex(struct span text, char *out) {
    static const char digits[] = "0123456789abcdef";
    uint32_t state[5] = {0x67452301u, 0xefcdab89u, 0x98badcfeu, 0x10325476u, 0xc3d2e1f0u};
    const unsigned char *at = (const unsigned char *)text.data;
    size_t left = text.len;
    for (; left >= BLOCK_BYTES; at += BLOCK_BYTES, left -= BLOCK_BYTES) take_block(state, at);
    take_end(state, at, left, text.len);
    for (int i = 0; i < SHA1_HEX_BYTES; i++) {
        out[i] = digits[state[i / 8] >> (28 - 4 * (i % 8)) & 15];
    }
}
