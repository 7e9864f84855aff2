/* See rdb.h for the forms. Nothing here depends on the machine's byte order. */
#include "persist/rdb.h"

#include <errno.h>
#include <math.h>

#include "base/error.h"
#include "persist/crc64.h"
#include "persist/lzf.h"

enum {
    FORM_6 = 0,
    FORM_14 = 1,
    FORM_WIDE = 2,
    FORM_SPECIAL = 3,
    LENGTH_32 = 0x80,
    LENGTH_64 = 0x81,
    SPECIAL_INT8 = 0,
    SPECIAL_INT16 = 1,
    SPECIAL_INT32 = 2,
    SPECIAL_LZF = 3,
    TEXT_NAN = 253, /* in the place of a textual double's length */
    TEXT_INFINITE = 254,
    TEXT_MINUS_INFINITE = 255,
    NUMBER_TEXT_MAX = 11, /* longer texts are no 32-bit number */
    COMPRESS_MIN = 21,    /* shorter strings gain nothing: as in Redis */
};

static uint64_t little(const unsigned char *p, unsigned bytes) {
    uint64_t value = 0;
    while (bytes-- > 0) value = value << 8 | p[bytes];
    return value;
}

static uint64_t big(const unsigned char *p, unsigned bytes) {
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; i++) value = value << 8 | p[i];
    return value;
}

int rdb_read_bytes(struct rdb_reader *r, size_t len, struct span *out) {
    if (len > rdb_left(r)) return ERROR_SYNTAX;
    *out = span_make(r->at, len);
    r->at += len;
    return 0;
}

int rdb_read_byte(struct rdb_reader *r, unsigned *out) {
    if (r->at == r->end) return ERROR_SYNTAX;
    *out = *r->at++;
    return 0;
}

/* A length, or the six bits of a special string. */
static int read_length_or_special(struct rdb_reader *r, uint64_t *out, bool *special) {
    unsigned head, bytes;
    *special = false;
    int status = rdb_read_byte(r, &head);
    if (status) return status;
    switch (head >> 6) {
    case FORM_6: *out = head & 63; return 0;
    case FORM_SPECIAL:
        *special = true;
        *out = head & 63;
        return 0;
    case FORM_14:
        if (rdb_left(r) < 1) return ERROR_SYNTAX;
        *out = (uint64_t)(head & 63) << 8 | *r->at++;
        return 0;
    }
    if (head != LENGTH_32 && head != LENGTH_64) return ERROR_SYNTAX;
    bytes = head == LENGTH_32 ? 4 : 8;
    if (rdb_left(r) < bytes) return ERROR_SYNTAX;
    *out = big(r->at, bytes);
    r->at += bytes;
    return 0;
}

int rdb_read_length(struct rdb_reader *r, uint64_t *out) {
    bool special;
    int status = read_length_or_special(r, out, &special);
    return status ? status : special ? ERROR_SYNTAX : 0;
}

int rdb_read_count(struct rdb_reader *r, size_t bytes_min, uint64_t *out) {
    int status = rdb_read_length(r, out);
    return status ? status : *out > rdb_left(r) / bytes_min ? ERROR_SYNTAX : 0;
}

int rdb_read_int64(struct rdb_reader *r, int64_t *out) {
    if (rdb_left(r) < 8) return ERROR_SYNTAX;
    *out = (int64_t)little(r->at, 8);
    r->at += 8;
    return 0;
}

int rdb_read_double(struct rdb_reader *r, double *out) {
    int64_t bits;
    int status = rdb_read_int64(r, &bits);
    if (!status) memcpy(out, &bits, sizeof *out);
    return status;
}

int rdb_read_text_double(struct rdb_reader *r, double *out) {
    unsigned len;
    struct span text;
    int status = rdb_read_byte(r, &len);
    if (status) return status;
    switch (len) {
    case TEXT_NAN: *out = NAN; return 0;
    case TEXT_INFINITE: *out = INFINITY; return 0;
    case TEXT_MINUS_INFINITE: *out = -INFINITY; return 0;
    }
    status = rdb_read_bytes(r, len, &text);
    if (status) return status;
    return num_parse_double(text, out) ? 0 : ERROR_SYNTAX;
}

static int read_number(struct rdb_reader *r, unsigned bytes, struct rdb_scratch *scratch,
                       struct span *out) {
    if (rdb_left(r) < bytes) return ERROR_SYNTAX;
    unsigned unused = 64 - 8 * bytes;
    int64_t number = (int64_t)(little(r->at, bytes) << unused) >> unused; /* the sign goes up */
    r->at += bytes;
    *out = span_make(scratch->number, num_format_int(scratch->number, number));
    return 0;
}

static int read_compressed(struct rdb_reader *r, struct rdb_scratch *scratch, struct span *out) {
    uint64_t in_len, len;
    struct span in;
    int status = rdb_read_length(r, &in_len);
    if (!status) status = rdb_read_length(r, &len);
    if (status) return status;
    if (in_len > rdb_left(r) || len > in_len * LZF_EXPANSION_MAX) return ERROR_SYNTAX;
    if ((status = rdb_read_bytes(r, in_len, &in))) return status;
    buf_clear(&scratch->unpacked);
    if ((status = buf_try_reserve(&scratch->unpacked, len ? len : 1))) return status;
    if (!lzf_decompress(in, scratch->unpacked.data, len)) return ERROR_SYNTAX;
    scratch->unpacked.len = len;
    *out = buf_span(&scratch->unpacked);
    return 0;
}

int rdb_read_string(struct rdb_reader *r, struct rdb_scratch *scratch, struct span *out) {
    uint64_t len;
    bool special;
    int status = read_length_or_special(r, &len, &special);
    if (status) return status;
    if (!special) return len > rdb_left(r) ? ERROR_SYNTAX : rdb_read_bytes(r, len, out);
    switch (len) {
    case SPECIAL_INT8: return read_number(r, 1, scratch, out);
    case SPECIAL_INT16: return read_number(r, 2, scratch, out);
    case SPECIAL_INT32: return read_number(r, 4, scratch, out);
    case SPECIAL_LZF: return read_compressed(r, scratch, out);
    }
    return ERROR_SYNTAX;
}

int rdb_check_footer(struct span payload, struct span *body) {
    if (payload.len < RDB_FOOTER_BYTES) return ERROR_SYNTAX;
    body->data = payload.data;
    body->len = payload.len - RDB_FOOTER_BYTES;
    const unsigned char *footer = (const unsigned char *)payload.data + body->len;
    if (little(footer, 2) > RDB_VERSION_MAX) return ERROR_SYNTAX;
    uint64_t checksum = crc64(0, span_make(payload.data, body->len + 2));
    return little(footer + 2, 8) == checksum ? 0 : ERROR_SYNTAX;
}

unsigned rdb_footer_version(struct span payload) {
    return (unsigned)little((const unsigned char *)payload.data + payload.len - RDB_FOOTER_BYTES,
                            2);
}

/* -- writing */
static char *room_for(struct rdb_writer *w, size_t len) {
    if (UNLIKELY(w->failed || buf_try_reserve(&w->out, len))) {
        w->failed = true;
        return NULL;
    }
    return w->out.data + w->out.len;
}

void rdb_write_bytes(struct rdb_writer *w, const void *bytes, size_t len) {
    char *room = room_for(w, len);
    if (!room || len == 0) return;
    memcpy(room, bytes, len);
    w->out.len += len;
}

void rdb_write_byte(struct rdb_writer *w, unsigned byte) {
    char *room = room_for(w, 1);
    if (!room) return;
    *room = (char)byte;
    w->out.len++;
}

static void write_little(struct rdb_writer *w, uint64_t value, unsigned bytes) {
    unsigned char text[8];
    for (unsigned i = 0; i < bytes; i++) text[i] = (unsigned char)(value >> 8 * i);
    rdb_write_bytes(w, text, bytes);
}

static void write_big(struct rdb_writer *w, uint64_t value, unsigned bytes) {
    unsigned char text[8];
    for (unsigned i = 0; i < bytes; i++) text[i] = (unsigned char)(value >> 8 * (bytes - 1 - i));
    rdb_write_bytes(w, text, bytes);
}

void rdb_write_length(struct rdb_writer *w, uint64_t length) {
    if (length < 1 << 6) {
        rdb_write_byte(w, (unsigned)length);
    } else if (length < 1 << 14) {
        write_big(w, FORM_14 << 14 | length, 2);
    } else if (length <= UINT32_MAX) {
        rdb_write_byte(w, LENGTH_32);
        write_big(w, length, 4);
    } else {
        rdb_write_byte(w, LENGTH_64);
        write_big(w, length, 8);
    }
}

void rdb_write_int64(struct rdb_writer *w, int64_t value) {
    write_little(w, (uint64_t)value, 8);
}

void rdb_write_double(struct rdb_writer *w, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    write_little(w, bits, 8);
}

static bool write_number(struct rdb_writer *w, struct span bytes) {
    int64_t number;
    if (bytes.len > NUMBER_TEXT_MAX || !num_parse_int(bytes, &number)) return false;
    if (number != (int32_t)number) return false;
    unsigned special = number == (int8_t)number    ? SPECIAL_INT8
                       : number == (int16_t)number ? SPECIAL_INT16
                                                   : SPECIAL_INT32;
    rdb_write_byte(w, FORM_SPECIAL << 6 | special);
    write_little(w, (uint64_t)number, 1u << special);
    return true;
}

static size_t length_bytes(uint64_t length) {
    return length < 1 << 6 ? 1 : length < 1 << 14 ? 2 : length <= UINT32_MAX ? 5 : 9;
}

/* The compressed form is written where it is to stand, as if its length had as many digits as the whole one's, and moved up. */
static bool write_compressed(struct rdb_writer *w, struct span bytes) {
    if (bytes.len < COMPRESS_MIN || bytes.len >= UINT32_MAX) return false;
    size_t head = 1 + 2 * length_bytes(bytes.len);
    char *room = room_for(w, head + bytes.len);
    if (!room) return false;
    size_t len = lzf_compress(bytes, room + head, bytes.len - 4);
    if (len == 0) return false;
    rdb_write_byte(w, FORM_SPECIAL << 6 | SPECIAL_LZF);
    rdb_write_length(w, len);
    rdb_write_length(w, bytes.len);
    memmove(w->out.data + w->out.len, room + head, len);
    w->out.len += len;
    return true;
}

void rdb_write_string(struct rdb_writer *w, struct span bytes) {
    if (write_number(w, bytes) || write_compressed(w, bytes)) return;
    rdb_write_length(w, bytes.len);
    rdb_write_bytes(w, bytes.data, bytes.len);
}

void rdb_write_footer(struct rdb_writer *w, unsigned version) {
    write_little(w, version, 2);
    if (!w->failed) write_little(w, crc64(0, buf_span(&w->out)), 8);
}
