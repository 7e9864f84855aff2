/* Words of a configuration line, quoted as redis-cli and Redis's files have them: blanks separate; "..." with \n \r \t \b \a
 * \xHH and \<any>; '...' with \'. A closing quote must be followed by a blank or the end. */
#ifndef BASE_WORDS_H
#define BASE_WORDS_H

#include <stdint.h>

#include "base/buf.h"
#include "base/span.h"

enum { WORDS_MAX = 1 << 18 }; /* in one line */

struct words {
    struct span *at;   /* each one followed by a NUL that is not counted */
    uint32_t count;
    char *text;
};

/* 0, ERROR_SYNTAX for unbalanced quotes, ERROR_LIMIT for more than WORDS_MAX. On success release with words_release. */
ATTR_MUST_USE int words_split(struct span line, struct words *out);
/* At each single blank, without quotes: empty words count, an empty text has none. What CONFIG SET does to an option with several words. */
ATTR_MUST_USE int words_split_plain(struct span text, struct words *out);
void words_release(struct words *words);

/* Appends the text in double quotes, so that words_split gives it back. */
void words_quote(struct buf *out, struct span text);

struct span span_trim(struct span text); /* blanks, tabs and line ends at both ends */

#endif
