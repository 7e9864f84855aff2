/* A stream entry's id: milliseconds, then a sequence number within them. Ids of a stream only grow. */
#ifndef TYPES_STREAM_ID_H
#define TYPES_STREAM_ID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compat.h"
#include "base/num.h"

struct stream_id {
    uint64_t ms, seq;
};

#define STREAM_ID_ZERO ((struct stream_id){0, 0})
#define STREAM_ID_MAX ((struct stream_id){UINT64_MAX, UINT64_MAX})
enum { STREAM_ID_TEXT_MAX = 41 };

INLINE int stream_id_compare(struct stream_id a, struct stream_id b) {
    if (a.ms != b.ms) return a.ms < b.ms ? -1 : 1;
    return a.seq < b.seq ? -1 : a.seq > b.seq;
}
INLINE bool stream_id_less(struct stream_id a, struct stream_id b) {
    return a.ms < b.ms || (a.ms == b.ms && a.seq < b.seq);
}
INLINE bool stream_id_equal(struct stream_id a, struct stream_id b) {
    return a.ms == b.ms && a.seq == b.seq;
}
INLINE bool stream_id_is_zero(struct stream_id id) {
    return (id.ms | id.seq) == 0;
}
/* The id behind or before, in place; false when there is none. */
INLINE bool stream_id_increment(struct stream_id *id) {
    if (++id->seq != 0) return true;
    if (++id->ms != 0) return true;
    *id = STREAM_ID_MAX;
    return false;
}
INLINE bool stream_id_decrement(struct stream_id *id) {
    if (id->seq-- != 0) return true;
    if (id->ms-- != 0) return true;
    *id = STREAM_ID_ZERO;
    return false;
}
/* "ms-seq" at `out` (STREAM_ID_TEXT_MAX bytes of room); returns the bytes written. */
INLINE size_t stream_id_format(char *out, struct stream_id id) {
    size_t len = num_format_uint(out, id.ms);
    out[len++] = '-';
    return len + num_format_uint(out + len, id.seq);
}

#endif
