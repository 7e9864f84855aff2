/* The `arguments` text of a command's row, read into the tree that COMMAND DOCS shows
 * (https://redis.io/docs/latest/commands/command-docs/). The text is what a reader of a manual would expect, with a few marks:
 *
 *   name:type          an argument; types: string integer double key pattern unix-time
 *   TOKEN              a pure token; its name is the same in lower case
 *   name=token         a pure token with another name, or one that is not a word in upper case
 *   TOKEN name:type    an argument with a word before it, as in "EX seconds:integer"
 *   [x]                optional; "[a b]" is an optional block, "[a | b]" an optional choice
 *   name:(a b)         a block of arguments; "name:(a | b)" a choice of one. Without a name: "data" and "condition". Round
 *                      brackets without a name around a single argument only group
 *   TOKEN name:(a b)   a block or choice with a word before it
 *   x...               one or more times; "TOKEN... name:type" repeats the word with its argument
 *   after a type:      "<text>" what is displayed for the argument when that is not its name
 *                      "#1" the number of the key specification; keys have 0, 1, ... by default in their order
 *   after any:         "@6.2.0" the version that brought it, "!2.8.12" the version that deprecated it
 *
 *   "key:key value:string [condition:(NX | XX)] [GET@6.2.0] [expiration:(EX seconds:integer | KEEPTTL)]" */
#ifndef COMMANDS_GRAMMAR_H
#define COMMANDS_GRAMMAR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"

enum grammar_type {
    GRAMMAR_STRING,
    GRAMMAR_INTEGER,
    GRAMMAR_DOUBLE,
    GRAMMAR_KEY,
    GRAMMAR_PATTERN,
    GRAMMAR_UNIX_TIME,
    GRAMMAR_PURE_TOKEN,
    GRAMMAR_ONEOF,
    GRAMMAR_BLOCK,
};
const char *grammar_type_name(enum grammar_type type); /* "unix-time", "pure-token", ... */

enum { GRAMMAR_ARGS_MAX = 128, GRAMMAR_NAME_MAX = 48, GRAMMAR_DEPTH_MAX = 8 };

/* One argument. All spans point into the text; those that were not given have a length of 0. */
struct grammar_arg {
    struct span name, token, display, since, deprecated_since;
    uint8_t type;                /* enum grammar_type */
    bool optional, multiple, multiple_token;
    bool lower_name;             /* the name is the token's: to be shown in lower case */
    int8_t key_spec;             /* -1: none */
    int16_t first_child, next;   /* -1: none */
    uint16_t child_count;
};

struct grammar {
    int16_t first;               /* -1: no arguments */
    uint16_t count;              /* of the outermost */
    uint16_t used;               /* of args */
    struct grammar_arg args[GRAMMAR_ARGS_MAX];
};

/* 0; ERROR_SYNTAX or ERROR_LIMIT for a text that does not follow the above (a mistake in a table: a test reads them all). */
ATTR_MUST_USE int grammar_parse(const char *text, struct grammar *out);

/* The argument's name as it is shown; `out` holds GRAMMAR_NAME_MAX bytes. */
struct span grammar_name(const struct grammar_arg *arg, char *out);

#endif
