/* SHA-1 (FIPS 180-4), for names of scripts. Not for anything that has to be secure. */
#ifndef BASE_SHA1_H
#define BASE_SHA1_H

#include "base/span.h"

enum { SHA1_BYTES = 20, SHA1_HEX_BYTES = 40 };

/* The digest in lower-case hexadecimal, SHA1_HEX_BYTES of it. No NUL. */
void sha1_hex(struct span text, char *out);

#endif
