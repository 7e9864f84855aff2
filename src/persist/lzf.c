/* Compression looks for three bytes that were seen before through a table of the last place of each hash, as large as the input
 * asks for, so that small inputs do not pay for clearing a large one. Places are offsets + 1; 0: none. */
#include "persist/lzf.h"

#include <stdint.h>

enum {
    LITERAL_RUN_MAX = 32,
    MATCH_MIN = 3,
    MATCH_MAX = 264,
    DISTANCE_MAX = 8192,
    LONG_LENGTH = 7, /* in the head: another byte of length follows */
    PLACES_BITS_MIN = 7,
    PLACES_BITS_MAX = 13,
};

bool lzf_decompress(struct span in, char *out, size_t out_len) {
    const unsigned char *p = (const unsigned char *)in.data, *end = p + in.len;
    size_t at = 0;
    while (p < end) {
        size_t head = *p++;
        if (head < LITERAL_RUN_MAX) {
            size_t len = head + 1;
            if (len > (size_t)(end - p) || len > out_len - at) return false;
            memcpy(out + at, p, len);
            p += len, at += len;
            continue;
        }
        size_t len = head >> 5;
        if (len == LONG_LENGTH) {
            if (p == end) return false;
            len += *p++;
        }
        if (p == end) return false;
        size_t distance = ((head & 31) << 8 | *p++) + 1;
        len += 2;
        if (distance > at || len > out_len - at) return false;
        if (distance >= len) {
            memcpy(out + at, out + at - distance, len);
            at += len;
        } else {
            for (; len > 0; len--, at++) out[at] = out[at - distance];
        }
    }
    return at == out_len;
}

struct output {
    unsigned char *at, *end;
};

static bool put_literals(struct output *out, const unsigned char *from, size_t len) {
    while (len > 0) {
        size_t run = len < LITERAL_RUN_MAX ? len : LITERAL_RUN_MAX;
        if (run + 1 > (size_t)(out->end - out->at)) return false;
        *out->at++ = (unsigned char)(run - 1);
        memcpy(out->at, from, run);
        out->at += run, from += run, len -= run;
    }
    return true;
}

static bool put_match(struct output *out, size_t distance, size_t len) {
    if (out->end - out->at < 3) return false;
    size_t high = (distance - 1) >> 8, rest = len - 2;
    if (rest < LONG_LENGTH) {
        *out->at++ = (unsigned char)(rest << 5 | high);
    } else {
        *out->at++ = (unsigned char)(LONG_LENGTH << 5 | high);
        *out->at++ = (unsigned char)(rest - LONG_LENGTH);
    }
    *out->at++ = (unsigned char)((distance - 1) & 0xff);
    return true;
}

static uint32_t hash_three(const unsigned char *p, unsigned bits) {
    uint32_t three = (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16;
    return three * 2654435761u >> (32 - bits);
}

static size_t match_length(const unsigned char *a, const unsigned char *b, size_t max) {
    size_t len = 0;
    while (len < max && a[len] == b[len]) len++;
    return len;
}

size_t lzf_compress(struct span in, char *out_bytes, size_t capacity) {
    uint32_t places[1 << PLACES_BITS_MAX];
    const unsigned char *from = (const unsigned char *)in.data;
    struct output out = {(unsigned char *)out_bytes, (unsigned char *)out_bytes + capacity};
    if (in.len <= MATCH_MIN || in.len >= UINT32_MAX) return 0;
    unsigned bits = PLACES_BITS_MIN;
    while (bits < PLACES_BITS_MAX && (size_t)1 << bits < in.len) bits++;
    memset(places, 0, sizeof *places << bits);

    size_t at = 0, literals_from = 0;
    while (at + MATCH_MIN <= in.len) {
        uint32_t *place = &places[hash_three(from + at, bits)];
        size_t before = *place;
        *place = (uint32_t)at + 1;
        size_t len = 0;
        if (before > 0 && at - (before - 1) <= DISTANCE_MAX) {
            size_t max = in.len - at < MATCH_MAX ? in.len - at : MATCH_MAX;
            len = match_length(from + before - 1, from + at, max);
        }
        if (len < MATCH_MIN) {
            at++;
            continue;
        }
        if (!put_literals(&out, from + literals_from, at - literals_from)) return 0;
        if (!put_match(&out, at - (before - 1), len)) return 0;
        at += len;
        literals_from = at;
        /* What ends the match begins the next one more often than what lies within it. */
        if (at + 1 <= in.len) places[hash_three(from + at - 2, bits)] = (uint32_t)at - 1;
    }
    if (!put_literals(&out, from + literals_from, in.len - literals_from)) return 0;
    return (size_t)(out.at - (unsigned char *)out_bytes);
}
