/* A request taken out of its window: one allocation holds the argument array and the bytes; blobs are held by reference. */
#ifndef SESSION_KEPT_H
#define SESSION_KEPT_H

#include "resp/reader.h"

struct kept_request {
    struct kept_request *next;
    struct request request; /* its argv and blobs point into this allocation */
    size_t bytes;           /* of memory, blobs included */
};

struct kept_request *kept_new(const struct request *request); /* NULL without memory */
void kept_free(struct kept_request *kept);

#endif
