/* One element of a large sorted set, in one allocation that the tree and the table both point to.
 *
 *   | score 8 | member len 1 | member bytes |            up to 254 bytes
 *   | score 8 | 255 | member len 4 | member bytes |
 *
 * A 16-byte member makes 25 bytes, of a 32-byte class. An element never moves; only its score changes, through the tree. */
#ifndef TYPES_ZELEMENT_H
#define TYPES_ZELEMENT_H

#include <stdint.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/span.h"

enum { ZELEMENT_SHORT_MAX = 254 };

struct zelement {
    double score;
    unsigned char bytes[];
};

INLINE struct span zelement_member(const struct zelement *e) {
    uint32_t len = e->bytes[0];
    if (LIKELY(len <= ZELEMENT_SHORT_MAX)) return span_make(e->bytes + 1, len);
    memcpy(&len, e->bytes + 1, sizeof len);
    return span_make(e->bytes + 5, len);
}
INLINE size_t zelement_used_bytes(size_t member_len) {
    return sizeof(struct zelement) + (member_len <= ZELEMENT_SHORT_MAX ? 1 : 5) + member_len;
}
INLINE size_t zelement_class_bytes(const struct zelement *e) {
    return mem_class_bytes(zelement_used_bytes(zelement_member(e).len));
}

/* NULL without memory, or for more bytes than four can count. */
INLINE struct zelement *zelement_try_new(struct span member, double score) {
    size_t head_len = member.len <= ZELEMENT_SHORT_MAX ? 1 : 5;
    if (member.len > UINT32_MAX) return NULL;
    struct zelement *e = mem_try_alloc(zelement_used_bytes(member.len));
    if (!e) return NULL;
    e->score = score;
    e->bytes[0] = (unsigned char)(head_len == 1 ? member.len : ZELEMENT_SHORT_MAX + 1);
    if (head_len > 1) {
        uint32_t len = (uint32_t)member.len;
        memcpy(e->bytes + 1, &len, sizeof len);
    }
    if (member.len) memcpy(e->bytes + head_len, member.data, member.len);
    return e;
}
INLINE void zelement_free(struct zelement *e) {
    mem_free_sized(e, zelement_used_bytes(zelement_member(e).len));
}

#endif
