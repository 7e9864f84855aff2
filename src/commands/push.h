/* Messages to sessions outside of their own replies: pub/sub, invalidation, monitor. A session that is executing a command gets them
 * behind that command's reply: they wait in its own list until it is written. */
#ifndef COMMANDS_PUSH_H
#define COMMANDS_PUSH_H

#include "commands/host.h"

/* A reply that writes to the session's stream; then push_end. Protocol as the session's. */
struct reply push_begin(struct host *host, struct session *s);
void push_end(struct host *host, struct session *s);

/* Dispatch's: what was pushed to the session while its command ran goes behind the reply. */
void push_deliver_deferred(struct session *s);

/* RESP that many sessions get as a part of their messages: copied where it is small, handed over by reference where it is not. A
 * reference costs a chunk header and a piece of the send, about what 512 copied bytes cost. */
enum { PUSH_REFERENCE_BYTES = 512 };
struct push_bytes {
    struct span bytes; /* the owner's, until the release */
    struct blob *blob; /* made when it is first needed */
};
void push_put_bytes(struct reply *r, struct push_bytes *b);
void push_bytes_release(struct push_bytes *b);

/* A message that many sessions get: built once in RESP2 and in RESP3, and sent as such bytes are. */
struct push_message {
    struct blob *bytes[2]; /* RESP2, RESP3; NULL until somebody needs it */
    struct span kind, pattern, channel, payload; /* pattern.data NULL: none */
};
void push_message_send(struct push_message *m, struct host *host, struct session *s);
void push_message_release(struct push_message *m);

#endif
