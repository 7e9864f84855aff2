/* The LZF format, as strings of DUMP payloads have it: literal runs and references to what came up to 8 KiB before.
 *
 *   000lllll                    l + 1 literal bytes follow
 *   lllooooo oooooooo           l + 2 bytes (l from 1 to 6), from o + 1 bytes back; the copy may run into itself
 *   111ooooo llllllll oooooooo  l + 9 bytes, the same
 *
 * (http://oldhome.schmorp.de/marc/liblzf.html describes the library that others use; this is written from the format.) */
#ifndef PERSIST_LZF_H
#define PERSIST_LZF_H

#include <stdbool.h>

#include "base/span.h"

/* No `bytes` of input can make more than that: three bytes make 264 at most. */
#define LZF_EXPANSION_MAX ((size_t)88)

/* Exactly out_len bytes at `out`; false: the input is damaged, or makes more or less. Reads and writes nothing outside. */
bool lzf_decompress(struct span in, char *out, size_t out_len);

/* At most `capacity` bytes at `out`; returns how many, 0 when they do not do. Input of UINT32_MAX bytes at most. */
size_t lzf_compress(struct span in, char *out, size_t capacity);

#endif
