/* A unit of load: one command, or several that are sent and counted together ("MULTI ; INCR {k} ; EXEC").
 *
 *   {k}  key:000000000123, a number from the key order      {r}  a random number below the key space, in its shortest form
 *   {v}  a value of the given size                          {s}  the number of the unit: 0, 1, 2, ... */
#ifndef LOAD_REQUEST_H
#define LOAD_REQUEST_H

#include <stddef.h>
#include <stdint.h>

#include "keys.h"

enum { REQUEST_PIECES_MAX = 4096 };

enum piece_kind { PIECE_LITERAL, PIECE_KEY, PIECE_RANDOM, PIECE_VALUE, PIECE_NUMBER };

/* A command is its head, "*3\r\n", and its arguments, each one or more pieces after a length. */
struct piece {
    enum piece_kind kind;
    uint32_t argument_pieces; /* in the first piece of an argument: how many it has; else 0 */
    char *bytes;              /* PIECE_LITERAL */
    size_t len;
};

struct request {
    struct piece pieces[REQUEST_PIECES_MAX];
    uint32_t piece_count, command_count;
    uint32_t value_min, value_max; /* bytes */
    char *value;                   /* of value_max bytes */
    size_t bytes_max;              /* of a unit */
};

/* words are the commands' words; ";" stands between commands. Ends the program on a request that cannot be. */
void request_init(struct request *request, char **words, int word_count, uint32_t value_min,
                  uint32_t value_max);
void request_release(struct request *request);

/* Writes unit `number`; at most bytes_max bytes. Returns how many. */
size_t request_write(const struct request *request, struct keys *keys, uint64_t number, char *out);

#endif
