/* Inside src/commands only: what the files of the string family share. Its table is in string.c. */
#ifndef COMMANDS_STRING_H
#define COMMANDS_STRING_H

#include "commands/command.h"

void string_get(struct call *call);
void string_getdel(struct call *call);
void string_getex(struct call *call);
void string_getrange(struct call *call);
void string_strlen(struct call *call);

void string_set(struct call *call);
void string_setnx(struct call *call);
void string_setex(struct call *call);
void string_psetex(struct call *call);
void string_getset(struct call *call);
void string_delifeq(struct call *call);

void string_mget(struct call *call);
void string_mset(struct call *call);
void string_msetnx(struct call *call);
void string_msetex(struct call *call);

void string_incr(struct call *call);
void string_decr(struct call *call);
void string_incrby(struct call *call);
void string_decrby(struct call *call);
void string_incrbyfloat(struct call *call);

void string_append(struct call *call);
void string_setrange(struct call *call);

void string_lcs(struct call *call);

/* A string's value as a bulk string; large ones go by reference. */
INLINE void string_reply(struct reply *reply, const struct entry *e) {
    struct blob *blob = entry_blob(e);
    if (UNLIKELY(blob != NULL)) {
        reply_bulk_blob(reply, blob);
    } else {
        reply_bulk(reply, entry_string(e));
    }
}

/* Argument `at` is about to become a value: its blob, when it came in one; else NULL, and its bytes are to be copied. */
INLINE struct blob *string_take_blob(struct call *call, uint32_t at) {
    if (LIKELY(call->request->blob_count == 0)) return NULL;
    return request_take_blob(call->request, at);
}

#endif
