/* The small forms that serialized values are made of: lengths, strings, numbers; and the footer that closes a payload.
 *
 *   length:  00nnnnnn                      6 bits
 *            01nnnnnn nnnnnnnn             14 bits
 *            10000000 and four bytes       32 bits, high byte first
 *            10000001 and eight bytes      64 bits, high byte first
 *   string:  a length and that many bytes, or
 *            11000000 n | 11000001 nn | 11000010 nnnn       a signed number of 1, 2, 4 bytes, low byte first: its decimal text
 *            11000011 length length bytes                   LZF: compressed length, length, compressed bytes
 *   footer:  | version 2 | CRC-64 of all before 8 |         low bytes first
 *
 * Reading trusts nothing: no length is believed beyond what the bytes that are there can make. */
#ifndef PERSIST_RDB_H
#define PERSIST_RDB_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/num.h"
#include "base/span.h"

/* Payloads of later versions are refused: Redis 8.0 writes 12, Valkey 9 writes 80. */
enum {
    RDB_VERSION = 10,              /* what is written: redis-server 7.0 and all later ones take it */
    RDB_VERSION_FIELD_EXPIRY = 80, /* a hash with times of its fields: in Valkey 9's form */
    RDB_VERSION_MAX = 80,
    RDB_FOOTER_BYTES = 10,
};

/* -- reading. Functions return 0, ERROR_SYNTAX for damaged bytes, or -ENOMEM. */
struct rdb_reader {
    const unsigned char *at, *end;
};
INLINE struct rdb_reader rdb_reader_of(struct span bytes) {
    const unsigned char *at = (const unsigned char *)bytes.data;
    return (struct rdb_reader){at, at + bytes.len};
}
INLINE size_t rdb_left(const struct rdb_reader *r) {
    return (size_t)(r->end - r->at);
}
ATTR_MUST_USE int rdb_read_bytes(struct rdb_reader *r, size_t len, struct span *out); /* borrowed */
ATTR_MUST_USE int rdb_read_byte(struct rdb_reader *r, unsigned *out);
ATTR_MUST_USE int rdb_read_length(struct rdb_reader *r, uint64_t *out);
/* A count of things of which each takes `bytes_min` bytes at least (1 or more): one that the rest cannot hold is damage. */
ATTR_MUST_USE int rdb_read_count(struct rdb_reader *r, size_t bytes_min, uint64_t *out);
ATTR_MUST_USE int rdb_read_int64(struct rdb_reader *r, int64_t *out); /* eight bytes, low ones first */
ATTR_MUST_USE int rdb_read_double(struct rdb_reader *r, double *out); /* the same, IEEE 754 */
ATTR_MUST_USE int rdb_read_text_double(struct rdb_reader *r, double *out); /* of ZSETs before 3.2 */

/* Where a string's bytes are put when they do not lie in the input as they are. Zero-initialise, release. */
struct rdb_scratch {
    struct buf unpacked;
    char number[NUM_INT_TEXT_MAX];
};
INLINE void rdb_scratch_release(struct rdb_scratch *scratch) {
    buf_release(&scratch->unpacked);
}
/* The string's bytes: in the input or in the scratch, valid until that is used again. */
ATTR_MUST_USE int rdb_read_string(struct rdb_reader *r, struct rdb_scratch *scratch, struct span *out);

/* Takes the footer off a payload: 0 and what is before it; ERROR_SYNTAX: a later version than RDB_VERSION_MAX, or a wrong checksum. */
ATTR_MUST_USE int rdb_check_footer(struct span payload, struct span *body);
unsigned rdb_footer_version(struct span payload); /* of one that was found good */

/* -- writing. Memory is tried for; once it was refused nothing more is written, and `failed` says so. Zero-initialise; `out` is the
 * caller's to release. */
struct rdb_writer {
    struct buf out;
    bool failed;
};
void rdb_write_bytes(struct rdb_writer *w, const void *bytes, size_t len);
void rdb_write_byte(struct rdb_writer *w, unsigned byte);
void rdb_write_length(struct rdb_writer *w, uint64_t length);
void rdb_write_int64(struct rdb_writer *w, int64_t value);
void rdb_write_double(struct rdb_writer *w, double value);
/* As a number or compressed where that is shorter. */
void rdb_write_string(struct rdb_writer *w, struct span bytes);
void rdb_write_footer(struct rdb_writer *w, unsigned version);

#endif
