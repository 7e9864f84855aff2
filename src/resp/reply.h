/* Replies, written straight into a client's output chunks in RESP2 or RESP3 as the client has chosen. Each function writes one
 * element; aggregates announce their length and the caller then writes that many elements (pairs, for a map). Hot path.
 *
 * RESP3 types fall back in RESP2 as Redis does: map -> flat array, set and push -> array, double -> bulk string, boolean -> 0/1,
 * null -> the null bulk string or null array, verbatim and big number -> bulk string. */
#ifndef RESP_REPLY_H
#define RESP_REPLY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/chunk.h"
#include "base/num.h"
#include "base/span.h"

enum { REPLY_REFERENCE_BYTES = 16 * 1024 }; /* blobs from this size on are sent by reference */

struct reply {
    struct chunk_list *out;
    uint8_t protocol;        /* 2 or 3 */
    uint32_t error_count;    /* errors written so far: dispatch compares before and after */
    char error_code[32];     /* first word of the last error ("ERR", "WRONGTYPE"), terminated: ERRORSTATS */
};

/* Texts of statuses and errors are one line each: line ends in them become blanks. An error's text begins with its code ("ERR "
 * where it has none of its own) and the line ends around it are dropped; without a word of at most 31 bytes and a blank at its
 * beginning it counts as "ERR". */
void reply_ok(struct reply *r);
void reply_status(struct reply *r, const char *text);          /* +text */
void reply_error(struct reply *r, const char *text);           /* "-text" */
void reply_errorf(struct reply *r, const char *format, ...) ATTR_PRINTF(2, 3);
void reply_int(struct reply *r, int64_t value);
void reply_bulk(struct reply *r, struct span bytes);
void reply_bulk_text(struct reply *r, const char *text);
void reply_bulk_int(struct reply *r, int64_t value);           /* decimal, as a bulk string */
void reply_bulkf(struct reply *r, const char *format, ...) ATTR_PRINTF(2, 3);
void reply_bulk_blob(struct reply *r, struct blob *blob);      /* whole; by reference from REPLY_REFERENCE_BYTES on */
void reply_bulk_blob_part(struct reply *r, struct blob *blob, size_t offset, size_t len);
void reply_null(struct reply *r);                              /* $-1 or _ */
void reply_null_array(struct reply *r);                        /* *-1 or _ */
void reply_bool(struct reply *r, bool value);
void reply_double(struct reply *r, double value);              /* ,1.5 or a bulk string */
void reply_big_number(struct reply *r, const char *digits);
void reply_verbatim(struct reply *r, const char *extension, struct span text); /* three letters: "txt", "mkd" */
void reply_array(struct reply *r, uint64_t count);
void reply_map(struct reply *r, uint64_t pairs);
void reply_set(struct reply *r, uint64_t count);
void reply_push(struct reply *r, uint64_t count);
void reply_attribute(struct reply *r, uint64_t pairs);         /* RESP3 only: the caller checks the protocol */
void reply_raw(struct reply *r, struct span bytes);            /* bytes that are already RESP */

/* An aggregate whose length is known only after its elements: mark, write them, fill. For maps `count` is in pairs. */
struct chunk *reply_mark(struct reply *r);
void reply_fill_array(struct reply *r, struct chunk *mark, uint64_t count);
void reply_fill_map(struct reply *r, struct chunk *mark, uint64_t pairs);
void reply_fill_set(struct reply *r, struct chunk *mark, uint64_t count);

#endif
