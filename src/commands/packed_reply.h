/* Values as packed blocks hand them out, written as bulk strings; and the brake of replies whose length a client chooses. */
#ifndef COMMANDS_PACKED_REPLY_H
#define COMMANDS_PACKED_REPLY_H

#include "base/clock.h"
#include "commands/command.h"
#include "types/packed.h"

INLINE void reply_packed(struct reply *r, const struct packed_value *value) {
    if (value->is_int) {
        reply_bulk_int(r, value->number);
    } else {
        reply_bulk(r, value->bytes);
    }
}

/* Asked before each element of a reply that may be longer than what it is drawn from: false when the client is over its output limit
 * and was closed. */
enum { REPLY_CHECK_ELEMENTS = 4096 };
INLINE bool reply_may_go_on(struct call *call, uint64_t written) {
    if (LIKELY(written % REPLY_CHECK_ELEMENTS != REPLY_CHECK_ELEMENTS - 1)) return true;
    return session_check_output_limit(call->session, clock_mono_ms());
}

#endif
