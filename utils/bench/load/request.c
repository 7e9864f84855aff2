#include "request.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "die.h"

enum { DIGITS_MAX = 20, KEY_BYTES = 16, KEY_DIGITS = 12 };

static struct piece *add_piece(struct request *request, enum piece_kind kind) {
    struct piece *piece = request->pieces + request->piece_count++;
    if (request->piece_count == REQUEST_PIECES_MAX) die("the request is too long");
    *piece = (struct piece){.kind = kind};
    return piece;
}

static void add_literal(struct request *request, const char *bytes, size_t len) {
    struct piece *piece = add_piece(request, PIECE_LITERAL);
    piece->bytes = malloc(len + 1);
    if (!piece->bytes) die("no memory");
    memcpy(piece->bytes, bytes, len);
    piece->len = len;
    request->bytes_max += len;
}

static size_t piece_max(const struct request *request, const struct piece *piece) {
    switch (piece->kind) {
    case PIECE_LITERAL: return piece->len;
    case PIECE_KEY: return KEY_BYTES;
    case PIECE_RANDOM: return DIGITS_MAX;
    case PIECE_NUMBER: return DIGITS_MAX;
    case PIECE_VALUE: return request->value_max;
    }
    return 0;
}

/* "{k}" and its kin: the kind of piece, or PIECE_LITERAL. */
static enum piece_kind place_kind(const char *text) {
    static const struct {
        char text[4];
        enum piece_kind kind;
    } places[] = {
        {"{k}", PIECE_KEY}, {"{r}", PIECE_RANDOM}, {"{v}", PIECE_VALUE}, {"{s}", PIECE_NUMBER}};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        if (strncmp(text, places[i].text, 3) == 0) return places[i].kind;
    }
    return PIECE_LITERAL;
}

static size_t literal_len(const char *text) {
    size_t len = 0;
    while (text[len] && place_kind(text + len) == PIECE_LITERAL) len++;
    return len;
}

/* What never changes is written once, length and line ends included. */
static void add_fixed_argument(struct request *request, const char *word, size_t len) {
    char length[DIGITS_MAX + 8];
    int written = snprintf(length, sizeof length, "$%zu\r\n", len);
    add_literal(request, length, (size_t)written);
    add_literal(request, word, len);
    add_literal(request, "\r\n", 2);
}

static void add_argument(struct request *request, const char *word) {
    uint32_t first = request->piece_count;
    size_t len = literal_len(word);
    if (!word[len]) {
        add_fixed_argument(request, word, len);
        return;
    }
    while (*word) {
        enum piece_kind kind = place_kind(word);
        if (kind == PIECE_LITERAL) {
            len = literal_len(word);
            add_literal(request, word, len);
            word += len;
        } else {
            request->bytes_max += piece_max(request, add_piece(request, kind));
            word += 3;
        }
    }
    request->pieces[first].argument_pieces = request->piece_count - first;
    request->bytes_max += 2 * DIGITS_MAX; /* the length and the line ends, and room to move */
}

static void add_command(struct request *request, char **words, int count) {
    char head[32];
    int len = snprintf(head, sizeof head, "*%d\r\n", count);
    if (count == 0) die("an empty command");
    add_literal(request, head, (size_t)len);
    for (int i = 0; i < count; i++) add_argument(request, words[i]);
    request->command_count++;
}

void request_init(struct request *request, char **words, int word_count, uint32_t value_min,
                  uint32_t value_max) {
    int first = 0;
    memset(request, 0, sizeof *request);
    request->value_min = value_min;
    request->value_max = value_max;
    request->value = malloc((size_t)value_max + 1);
    if (!request->value) die("no memory");
    for (uint32_t i = 0; i < value_max; i++)
        request->value[i] = (char)('a' + (i * 7 + i / 26) % 26);
    for (int i = 0; i <= word_count; i++) {
        if (i < word_count && strcmp(words[i], ";") != 0) continue;
        add_command(request, words + first, i - first);
        first = i + 1;
    }
}

void request_release(struct request *request) {
    for (uint32_t i = 0; i < request->piece_count; i++) free(request->pieces[i].bytes);
    free(request->value);
}

static size_t write_number(char *out, uint64_t number) {
    char digits[DIGITS_MAX];
    size_t len = 0;
    do {
        digits[len++] = (char)('0' + number % 10);
        number /= 10;
    } while (number);
    for (size_t i = 0; i < len; i++) out[i] = digits[len - 1 - i];
    return len;
}

static size_t write_key(char *out, uint64_t number) {
    memcpy(out, "key:", 4);
    for (int i = KEY_BYTES - 1; i >= KEY_BYTES - KEY_DIGITS; i--) {
        out[i] = (char)('0' + number % 10);
        number /= 10;
    }
    return KEY_BYTES;
}

static size_t value_size(const struct request *request, struct keys *keys) {
    if (request->value_min == request->value_max) return request->value_max;
    return request->value_min + keys_below(keys, request->value_max - request->value_min + 1u);
}

static size_t write_piece(const struct request *request, const struct piece *piece,
                          struct keys *keys, uint64_t number, char *out) {
    size_t len;
    switch (piece->kind) {
    case PIECE_LITERAL: memcpy(out, piece->bytes, piece->len); return piece->len;
    case PIECE_KEY: return write_key(out, keys_next(keys));
    case PIECE_RANDOM: return write_number(out, keys_below(keys, keys->space));
    case PIECE_NUMBER: return write_number(out, number);
    case PIECE_VALUE:
        len = value_size(request, keys);
        memcpy(out, request->value, len);
        return len;
    }
    return 0;
}

static size_t write_length(char *out, size_t len) {
    size_t digits = write_number(out + 1, len);
    out[0] = '$';
    memcpy(out + 1 + digits, "\r\n", 2);
    return digits + 3;
}

static size_t write_value(const struct request *request, struct keys *keys, char *out) {
    size_t len = value_size(request, keys), head = write_length(out, len);
    memcpy(out + head, request->value, len);
    memcpy(out + head + len, "\r\n", 2);
    return head + len + 2;
}

/* The length stands before what it measures: the pieces are written behind room for any length, and moved up. */
static size_t write_argument(const struct request *request, const struct piece *piece,
                             struct keys *keys, uint64_t number, char *out) {
    uint32_t count = piece->argument_pieces;
    size_t room = DIGITS_MAX + 3, len = 0, head;
    if (count == 1 && piece->kind == PIECE_VALUE) return write_value(request, keys, out);
    for (uint32_t i = 0; i < count; i++) {
        len += write_piece(request, piece + i, keys, number, out + room + len);
    }
    head = write_length(out, len);
    memmove(out + head, out + room, len);
    memcpy(out + head + len, "\r\n", 2);
    return head + len + 2;
}

size_t request_write(const struct request *request, struct keys *keys, uint64_t number, char *out) {
    char *start = out;
    for (uint32_t i = 0; i < request->piece_count;) {
        const struct piece *piece = request->pieces + i;
        if (piece->argument_pieces) {
            out += write_argument(request, piece, keys, number, out);
            i += piece->argument_pieces;
        } else {
            out += write_piece(request, piece, keys, number, out);
            i++;
        }
    }
    return (size_t)(out - start);
}
