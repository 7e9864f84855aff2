/* Inside resp only: the words of an inline request, as Redis's sdssplitargs takes a line apart. */
#ifndef RESP_INLINE_H
#define RESP_INLINE_H

#include "resp/reader.h"

/* Splits `line` (without its end) into out->argv and out->argc; arguments without quotes are spans into the line, the others
 * are unescaped into the window's memory. READER_REQUEST, READER_ERROR_UNBALANCED_QUOTES or READER_ERROR_MEMORY. */
int inline_split(struct span line, struct window_memory *memory, struct request *out);

#endif
