/* Whole files: reading one, and replacing one in a single step. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stdio.h>

#include "base/buf.h"

/* Appends the file to `out`. 0, -EFBIG above `bytes_max`, or a negative errno. */
ATTR_MUST_USE int file_read(const char *path, size_t bytes_max, struct buf *out);
ATTR_MUST_USE int file_read_stream(FILE *stream, size_t bytes_max, struct buf *out);

/* Writes a new file beside the old one and renames it over that: the file is whole at every moment, whatever fails, and on disk when
 * 0 is returned. The old file's permissions stay; a new one gets what umask allows. 0 or a negative errno. */
ATTR_MUST_USE int file_replace(const char *path, struct span content);

#endif
