/* Counting replies in a stream of bytes, RESP2 or RESP3, cut anywhere. Nothing is kept of them but the first error's text. */
#ifndef LOAD_REPLIES_H
#define LOAD_REPLIES_H

#include <stddef.h>
#include <stdint.h>

enum { REPLY_LINE_MAX = 120 };

struct replies {
    uint64_t open;  /* values that the reply at hand still lacks */
    uint64_t skip;  /* bytes of a bulk, its line end included, still to come */
    uint64_t count; /* whole replies */
    uint64_t error_count, null_count;
    uint32_t line_len; /* of the line that has begun */
    char line[REPLY_LINE_MAX];
    char error[REPLY_LINE_MAX]; /* the first one's text, or "" */
};

void replies_read(struct replies *replies, const char *bytes, size_t len);

#endif
