/* SHA-256 (FIPS 180-4): the digest under which passwords are kept, and a comparison that does not tell by its time how much of a
 * guess was right. Not for speed: a password is hashed at each AUTH, nothing else is. */
#ifndef BASE_SHA256_H
#define BASE_SHA256_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compat.h"

enum { SHA256_BYTES = 32, SHA256_HEX_DIGITS = 2 * SHA256_BYTES };

void sha256(const void *data, size_t len, uint8_t digest[SHA256_BYTES]);
/* Lower case, no NUL: SHA256_HEX_DIGITS characters. */
void sha256_hex(const uint8_t digest[SHA256_BYTES], char *out);
/* Takes a time that depends on `len` only. */
ATTR_MUST_USE bool secret_equal(const void *a, const void *b, size_t len);

#endif
