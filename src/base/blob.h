/* A counted run of bytes: a value large enough to be sent without copying. A blob with more than one holder is never written
 * to: who wants to change it makes a copy first (blob_own). Single-threaded counts.
 *
 *   +-------+------+----------+------- - - ----+
 *   | refs  | len  | capacity | bytes          |
 *   +-------+------+----------+------- - - ----+ */
#ifndef BASE_BLOB_H
#define BASE_BLOB_H

#include <stddef.h>
#include <stdint.h>

#include "base/span.h"

struct blob {
    uint32_t ref_count;
    uint32_t spare;
    size_t len;      /* bytes used */
    size_t capacity; /* bytes of room */
    char data[];
};

struct blob *blob_try_new(size_t capacity);        /* one reference, len 0; NULL without memory */
struct blob *blob_try_copy(struct span bytes, size_t capacity); /* capacity >= bytes.len */
INLINE struct blob *blob_ref(struct blob *b) {
    b->ref_count++;
    return b;
}
void blob_unref(struct blob *b);
INLINE struct span blob_span(const struct blob *b) {
    return span_make(b->data, b->len);
}
size_t blob_class_bytes(const struct blob *b);     /* what the allocator gave for it */

/* A blob that the caller alone holds, with room for `capacity` bytes and the same content: `b` itself when it has one
 * reference (grown if need be), a copy otherwise (the caller's reference to `b` is given up). NULL: no memory, b untouched. */
struct blob *blob_try_own(struct blob *b, size_t capacity);

#endif
