/* Fingerprints of keys and of the whole dataset, for DEBUG DIGEST: equal data gives equal fingerprints, in every process and
 * whatever order keys came in. They find differences in tests; they keep no secrets. */
#ifndef COMMANDS_DIGEST_H
#define COMMANDS_DIGEST_H

#include "db/db.h"

enum { DIGEST_BYTES = 20 };

void digest_keyspace(struct keyspace *ks, uint8_t out[DIGEST_BYTES]); /* all zero for an empty dataset */
void digest_value(const struct entry *e, uint8_t out[DIGEST_BYTES]);  /* of the value and of whether it has a deadline */

#endif
