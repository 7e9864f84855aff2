/* See ziplist.h for the forms. Nothing here depends on the machine's byte order. */
#include "persist/ziplist.h"

#include "base/error.h"

static uint64_t little(const unsigned char *p, unsigned bytes) {
    uint64_t value = 0;
    while (bytes-- > 0) value = value << 8 | p[bytes];
    return value;
}

static int64_t signed_little(const unsigned char *p, unsigned bytes) {
    unsigned unused = 64 - 8 * bytes;
    return (int64_t)(little(p, bytes) << unused) >> unused;
}

static struct packed_value number_value(int64_t number) {
    return (struct packed_value){.is_int = true, .number = number};
}

/* ---- ziplists */

enum {
    HEADER_BYTES = 10,
    END = 0xff,
    LONG_SIZE = 0xfe,
    COUNT_UNKNOWN = 0xffff,
    HEAD_BYTES_14 = 0x40,
    HEAD_BYTES_32 = 0x80,
    HEAD_INT16 = 0xc0,
    HEAD_INT32 = 0xd0,
    HEAD_INT64 = 0xe0,
    HEAD_INT24 = 0xf0,
    HEAD_INT8 = 0xfe,
    HEAD_SMALL_FIRST = 0xf1,
    HEAD_SMALL_LAST = 0xfd,
};

int ziplist_begin(struct span block, struct ziplist_cursor *c) {
    const unsigned char *p = (const unsigned char *)block.data;
    if (block.len < HEADER_BYTES + 1 || little(p, 4) != block.len) return ERROR_SYNTAX;
    if (p[block.len - 1] != END) return ERROR_SYNTAX;
    uint64_t last = little(p + 4, 4);
    if (last < HEADER_BYTES || last > block.len - 1) return ERROR_SYNTAX;
    *c = (struct ziplist_cursor){.begin = p,
                                 .at = p + HEADER_BYTES,
                                 .end = p + block.len - 1,
                                 .last = p + last,
                                 .count_left = (uint32_t)little(p + 8, 2)};
    c->count_known = c->count_left != COUNT_UNKNOWN;
    return 0;
}

/* Reads a head and its element at `at`, which is before `end`: what both take; 0: there are not so many bytes, or no such head. */
static size_t ziplist_body(const unsigned char *at, const unsigned char *end,
                           struct packed_value *out) {
    size_t left = (size_t)(end - at), head, len;
    if (at[0] >= HEAD_SMALL_FIRST && at[0] <= HEAD_SMALL_LAST) {
        *out = number_value(at[0] - HEAD_SMALL_FIRST);
        return 1;
    }
    if (at[0] >= HEAD_INT16) {
        unsigned width = at[0] == HEAD_INT16   ? 2
                         : at[0] == HEAD_INT32 ? 4
                         : at[0] == HEAD_INT64 ? 8
                         : at[0] == HEAD_INT24 ? 3
                         : at[0] == HEAD_INT8  ? 1
                                               : 0;
        if (width == 0 || left < 1 + width) return 0;
        *out = number_value(signed_little(at + 1, width));
        return 1 + width;
    }
    if (at[0] < HEAD_BYTES_14) {
        head = 1, len = at[0];
    } else if (at[0] < HEAD_BYTES_32) {
        if (left < 2) return 0;
        head = 2, len = (size_t)(at[0] & 63) << 8 | at[1];
    } else {
        if (at[0] != HEAD_BYTES_32 || left < 5) return 0;
        head = 5;
        len = (size_t)at[1] << 24 | (size_t)at[2] << 16 | (size_t)at[3] << 8 | at[4];
    }
    if (len > left - head) return 0;
    *out = (struct packed_value){.bytes = span_make(at + head, len)};
    return head + len;
}

int ziplist_next(struct ziplist_cursor *c, struct packed_value *out) {
    size_t left = (size_t)(c->end - c->at);
    if (left == 0) {
        bool last_is_last = c->previous_bytes == (size_t)(c->end - c->last);
        return (c->count_known && c->count_left > 0) || !last_is_last ? ERROR_SYNTAX : 0;
    }
    if (c->count_known && c->count_left-- == 0) return ERROR_SYNTAX;
    size_t before = c->at[0], before_bytes = 1;
    if (before == LONG_SIZE) {
        if (left < 5) return ERROR_SYNTAX;
        before = little(c->at + 1, 4), before_bytes = 5;
    }
    if (before != c->previous_bytes || left == before_bytes) return ERROR_SYNTAX;
    size_t body = ziplist_body(c->at + before_bytes, c->end, out);
    if (body == 0) return ERROR_SYNTAX;
    c->previous_bytes = before_bytes + body;
    c->at += c->previous_bytes;
    return 1;
}

/* ---- zipmaps */

enum { ZIPMAP_LONG = 254 };

int zipmap_begin(struct span block, struct zipmap_cursor *c) {
    const unsigned char *p = (const unsigned char *)block.data;
    if (block.len < 2 || p[block.len - 1] != END) return ERROR_SYNTAX;
    *c = (struct zipmap_cursor){.at = p + 1, .end = p + block.len - 1, .count_left = p[0]};
    c->count_known = c->count_left < ZIPMAP_LONG;
    return 0;
}

int zipmap_next(struct zipmap_cursor *c, struct packed_value *out) {
    size_t left = (size_t)(c->end - c->at), len, unused = 0;
    if (left == 0) {
        return c->value_next || (c->count_known && c->count_left > 0) ? ERROR_SYNTAX : 0;
    }
    if (!c->value_next && c->count_known && c->count_left-- == 0) return ERROR_SYNTAX;
    len = *c->at++, left--;
    if (len == ZIPMAP_LONG) {
        if (left < 4) return ERROR_SYNTAX;
        len = little(c->at, 4);
        c->at += 4, left -= 4;
    } else if (len > ZIPMAP_LONG) {
        return ERROR_SYNTAX;
    }
    if (c->value_next) {
        if (left == 0) return ERROR_SYNTAX;
        unused = *c->at++, left--;
    }
    if (len > left || unused > left - len) return ERROR_SYNTAX;
    *out = (struct packed_value){.bytes = span_make(c->at, len)};
    c->at += len + unused;
    c->value_next = !c->value_next;
    return 1;
}
