/* See listpack.h for the form. Nothing here depends on the machine's byte order. */
#include "persist/listpack.h"

#include "base/error.h"

enum {
    HEADER_BYTES = 6,
    END = 0xff,
    COUNT_UNKNOWN = 0xffff,
    HEAD_BYTES_6 = 0x80,
    HEAD_INT13 = 0xc0,
    HEAD_BYTES_12 = 0xe0,
    HEAD_BYTES_32 = 0xf0,
    HEAD_INT16 = 0xf1,
    HEAD_INT24 = 0xf2,
    HEAD_INT32 = 0xf3,
    HEAD_INT64 = 0xf4,
    BACKWARD_BYTES_MAX = 5,
};

static uint64_t little(const unsigned char *p, unsigned bytes) {
    uint64_t value = 0;
    while (bytes-- > 0) value = value << 8 | p[bytes];
    return value;
}

static int64_t signed_of(uint64_t value, unsigned bits) {
    unsigned unused = 64 - bits;
    return (int64_t)(value << unused) >> unused;
}

int listpack_begin(struct span block, struct listpack_cursor *c) {
    const unsigned char *p = (const unsigned char *)block.data;
    if (block.len < HEADER_BYTES + 1 || little(p, 4) != block.len) return ERROR_SYNTAX;
    if (p[block.len - 1] != END) return ERROR_SYNTAX;
    *c = (struct listpack_cursor){
        .at = p + HEADER_BYTES, .end = p + block.len - 1, .count_left = (uint32_t)little(p + 4, 2)};
    c->count_known = c->count_left != COUNT_UNKNOWN;
    return 0;
}

/* How many bytes a head and its element take; 0: there are not so many. */
static size_t body_bytes(const unsigned char *at, size_t left) {
    size_t head = 0, len = 0; /* the element's bytes: of head and length, and behind them */
    if (at[0] < HEAD_BYTES_6) {
        head = 1;
    } else if (at[0] < HEAD_INT13) {
        head = 1, len = at[0] & 63;
    } else if (at[0] < HEAD_BYTES_12) {
        head = 2;
    } else if (at[0] < HEAD_BYTES_32) {
        if (left < 2) return 0;
        head = 2, len = (size_t)(at[0] & 15) << 8 | at[1];
    } else {
        switch (at[0]) {
        case HEAD_BYTES_32:
            if (left < 5) return 0;
            head = 5, len = little(at + 1, 4);
            break;
        case HEAD_INT16: head = 3; break;
        case HEAD_INT24: head = 4; break;
        case HEAD_INT32: head = 5; break;
        case HEAD_INT64: head = 9; break;
        default: return 0;
        }
    }
    return head > left || len > left - head ? 0 : head + len;
}

static struct packed_value number_value(int64_t number) {
    return (struct packed_value){.is_int = true, .number = number};
}

static struct packed_value value_at(const unsigned char *at, size_t body) {
    if (at[0] < HEAD_BYTES_6) return number_value(at[0]);
    if (at[0] < HEAD_INT13) return (struct packed_value){.bytes = span_make(at + 1, body - 1)};
    if (at[0] < HEAD_BYTES_12)
        return number_value(signed_of((uint64_t)(at[0] & 31) << 8 | at[1], 13));
    if (at[0] < HEAD_BYTES_32) return (struct packed_value){.bytes = span_make(at + 2, body - 2)};
    if (at[0] == HEAD_BYTES_32) return (struct packed_value){.bytes = span_make(at + 5, body - 5)};
    return number_value(signed_of(little(at + 1, (unsigned)body - 1), 8 * ((unsigned)body - 1)));
}

static unsigned put_backward(unsigned char *out, size_t body) {
    unsigned bytes = (unsigned)packed_backward_bytes(body);
    for (unsigned i = 0; i < bytes; i++) {
        unsigned shift = 7 * (bytes - 1 - i);
        out[i] = (unsigned char)((body >> shift & 127) | (i > 0 ? 128 : 0));
    }
    return bytes;
}

int listpack_next(struct listpack_cursor *c, struct packed_value *out) {
    unsigned char backward[BACKWARD_BYTES_MAX];
    size_t left = (size_t)(c->end - c->at);
    if (left == 0) return c->count_known && c->count_left > 0 ? ERROR_SYNTAX : 0;
    if (c->count_known && c->count_left-- == 0) return ERROR_SYNTAX;
    size_t body = body_bytes(c->at, left);
    if (body == 0) return ERROR_SYNTAX;
    unsigned bytes = put_backward(backward, body);
    if (bytes > left - body || memcmp(backward, c->at + body, bytes) != 0) return ERROR_SYNTAX;
    *out = value_at(c->at, body);
    c->at += body + bytes;
    return 1;
}

int listpack_next_number(struct listpack_cursor *c, int64_t *out) {
    struct packed_value value;
    int status = listpack_next(c, &value);
    if (status < 0) return status;
    if (status == 0 || !value.is_int) return ERROR_SYNTAX;
    *out = value.number;
    return 0;
}

/* -- writing */
static void write_backward(struct rdb_writer *w, size_t body) {
    unsigned char backward[BACKWARD_BYTES_MAX];
    rdb_write_bytes(w, backward, put_backward(backward, body));
}

static unsigned put_number(unsigned char *out, int64_t number) {
    unsigned bytes = 8;
    if (number >= 0 && number < HEAD_BYTES_6) {
        out[0] = (unsigned char)number;
        return 1;
    }
    if (number >= -4096 && number < 4096) {
        out[0] = (unsigned char)(HEAD_INT13 | (number >> 8 & 31));
        out[1] = (unsigned char)number;
        return 2;
    }
    if (number == (int16_t)number) {
        out[0] = HEAD_INT16, bytes = 2;
    } else if (number == signed_of((uint64_t)number, 24)) {
        out[0] = HEAD_INT24, bytes = 3;
    } else if (number == (int32_t)number) {
        out[0] = HEAD_INT32, bytes = 4;
    } else {
        out[0] = HEAD_INT64;
    }
    for (unsigned i = 0; i < bytes; i++) out[1 + i] = (unsigned char)((uint64_t)number >> 8 * i);
    return 1 + bytes;
}

void listpack_write_number(struct rdb_writer *w, int64_t number) {
    unsigned char bytes[9];
    unsigned len = put_number(bytes, number);
    rdb_write_bytes(w, bytes, len);
    write_backward(w, len);
}

static unsigned put_length(unsigned char *out, size_t len) {
    if (len < 64) {
        out[0] = (unsigned char)(HEAD_BYTES_6 | len);
        return 1;
    }
    if (len < 4096) {
        out[0] = (unsigned char)(HEAD_BYTES_12 | len >> 8);
        out[1] = (unsigned char)len;
        return 2;
    }
    out[0] = HEAD_BYTES_32;
    for (int i = 0; i < 4; i++) out[1 + i] = (unsigned char)(len >> 8 * i);
    return 5;
}

void listpack_write_value(struct rdb_writer *w, const struct packed_value *value) {
    if (value->is_int) {
        listpack_write_number(w, value->number);
        return;
    }
    unsigned char head[5];
    unsigned head_bytes = put_length(head, value->bytes.len);
    rdb_write_bytes(w, head, head_bytes);
    rdb_write_bytes(w, value->bytes.data, value->bytes.len);
    write_backward(w, head_bytes + value->bytes.len);
}

void listpack_write_block(struct rdb_writer *w, const struct span *parts, uint32_t part_count,
                          uint64_t count) {
    struct rdb_writer block = {.failed = w->failed};
    size_t bytes = HEADER_BYTES + 1;
    unsigned char header[HEADER_BYTES];
    for (uint32_t i = 0; i < part_count; i++) bytes += parts[i].len;
    if (count > COUNT_UNKNOWN) count = COUNT_UNKNOWN;
    for (int i = 0; i < 4; i++) header[i] = (unsigned char)(bytes >> 8 * i);
    for (int i = 0; i < 2; i++) header[4 + i] = (unsigned char)(count >> 8 * i);
    rdb_write_bytes(&block, header, sizeof header);
    for (uint32_t i = 0; i < part_count; i++) rdb_write_bytes(&block, parts[i].data, parts[i].len);
    rdb_write_byte(&block, END);
    if (block.failed) {
        w->failed = true;
    } else {
        rdb_write_string(w, buf_span(&block.out));
    }
    buf_release(&block.out);
}
