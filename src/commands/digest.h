/* Fingerprints of keys and of the whole dataset, for DEBUG DIGEST: equal data gives equal fingerprints, in every process and
 * whatever order keys came in. They find differences in tests; they keep no secrets. */
#ifndef COMMANDS_DIGEST_H
#define COMMANDS_DIGEST_H

#include "db/db.h"

enum { DIGEST_BYTES = 20 };

/* All zero for an empty dataset. False: there is a value of a type that has no fingerprint yet. */
bool digest_keyspace(struct keyspace *ks, uint8_t out[DIGEST_BYTES]);
/* Of the value and of whether it has a deadline. False as above. */
bool digest_value(const struct entry *e, uint8_t out[DIGEST_BYTES]);

#endif
