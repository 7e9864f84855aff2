/* Packed blocks; the layout stands in the header. Every change is one move of what lies behind it, and one reallocation when the
 * size class changes. A block that gets smaller asks for the smaller class; when the allocator refuses, it stays in the larger one,
 * which is safe: the class of the used bytes is never more than what is there. */
#include "types/packed.h"

#include <errno.h>

#include "base/alloc.h"
#include "base/check.h"

enum { HEAD_BYTES_MAX = 9, COUNT_SHIFT = 8 };

/* ---- forms: an element as it is packed */

/* Head bytes (a number's bytes are among them) and what follows them. */
struct form {
    unsigned char head[HEAD_BYTES_MAX];
    unsigned char head_len;
    struct span body;
};

static size_t form_bytes(const struct form *form) {
    return form->head_len + form->body.len;
}

static void put_low_first(unsigned char *out, uint64_t value, unsigned bytes) {
    for (unsigned i = 0; i < bytes; i++) out[i] = (unsigned char)(value >> 8 * i);
}

/* Bytes of the shortest two's complement form: 1 to 8. */
static unsigned number_width(int64_t number) {
    uint64_t magnitude = (uint64_t)(number ^ number >> 63); /* without the sign bit */
    unsigned bits = magnitude ? 64 - (unsigned)__builtin_clzll(magnitude) : 0;
    return bits / 8 + 1;
}

static void form_number(struct form *form, int64_t number) {
    if (number >= 0 && number < 64) {
        form->head[0] = (unsigned char)(0x80 | number);
        form->head_len = 1;
    } else if (number >= -4096 && number < 4096) {
        unsigned shifted = (unsigned)(number + 4096);
        form->head[0] = (unsigned char)(0xc0 | shifted >> 8);
        form->head[1] = (unsigned char)shifted;
        form->head_len = 2;
    } else {
        unsigned width = number_width(number);
        form->head[0] = (unsigned char)(0xf0 | (width - 1));
        put_low_first(form->head + 1, (uint64_t)number, width);
        form->head_len = (unsigned char)(1 + width);
    }
}

static bool may_be_number(struct span bytes) {
    return bytes.len - 1 < NUM_INT_TEXT_MAX - 1 && (unsigned char)bytes.data[0] <= '9';
}

static void form_make(struct form *form, struct span bytes) {
    int64_t number;
    if (may_be_number(bytes) && num_parse_int(bytes, &number)) {
        form->body = span_make(NULL, 0);
        form_number(form, number);
        return;
    }
    form->body = bytes;
    if (LIKELY(bytes.len < 0x80)) {
        form->head[0] = (unsigned char)bytes.len;
        form->head_len = 1;
    } else if (bytes.len < 4096) {
        form->head[0] = (unsigned char)(0xe0 | bytes.len >> 8);
        form->head[1] = (unsigned char)bytes.len;
        form->head_len = 2;
    } else {
        form->head[0] = 0xf8;
        put_low_first(form->head + 1, bytes.len, 4);
        form->head_len = 5;
    }
}

static size_t backward_bytes(unsigned flags, size_t body) {
    return flags & PACKED_BACKWARD ? packed_backward_bytes(body) : 0;
}

/* Writes the size so that it can be read from its end; returns what is behind it. */
static unsigned char *put_backward(unsigned char *out, size_t body) {
    size_t len = packed_backward_bytes(body);
    for (size_t i = len; i-- > 0; body >>= 7) {
        out[i] = (unsigned char)((body & 0x7f) | (i ? 0x80 : 0));
    }
    return out + len;
}

static unsigned char *form_put(const struct form *form, unsigned flags, unsigned char *out) {
    memcpy(out, form->head, form->head_len);
    out += form->head_len;
    if (form->body.len) memcpy(out, form->body.data, form->body.len);
    out += form->body.len;
    return flags & PACKED_BACKWARD ? put_backward(out, form_bytes(form)) : out;
}

static bool form_fits(const struct form *form, packed_at at) {
    if (at[0] != form->head[0]) return false;
    for (unsigned i = 1; i < form->head_len; i++) {
        if (at[i] != form->head[i]) return false;
    }
    return form->body.len == 0 || memcmp(at + form->head_len, form->body.data, form->body.len) == 0;
}

unsigned char *packed_write(unsigned char *out, struct span bytes) {
    struct form form;
    form_make(&form, bytes);
    return form_put(&form, 0, out);
}

size_t packed_element_bytes(const struct packed *p, struct span bytes) {
    struct form form;
    form_make(&form, bytes);
    return form_bytes(&form) + backward_bytes(packed_flags(p), form_bytes(&form));
}

/* ---- life */

static void set_count(struct packed *p, uint32_t count) {
    p->count_and_flags = count << COUNT_SHIFT | packed_flags(p);
}

static struct packed *try_new(unsigned flags, size_t used_bytes) {
    struct packed *p = mem_try_alloc(mem_class_bytes(used_bytes));
    if (!p) return NULL;
    p->used_bytes = (uint32_t)used_bytes;
    p->count_and_flags = flags;
    return p;
}

struct packed *packed_new(unsigned flags) {
    struct packed *p = mem_alloc(mem_class_bytes(sizeof *p));
    p->used_bytes = sizeof *p;
    p->count_and_flags = flags;
    return p;
}

void packed_free(struct packed *p) {
    mem_free(p);
}

struct packed *packed_copy(const struct packed *p) {
    struct packed *copy = try_new(0, p->used_bytes);
    if (copy) memcpy(copy, p, p->used_bytes);
    return copy;
}

size_t packed_class_bytes(const struct packed *p) {
    return mem_class_bytes(p->used_bytes);
}

static size_t bytes_with_flags(const struct packed *p, unsigned flags) {
    size_t bytes = sizeof *p;
    for (packed_at at = packed_first(p); at; at = packed_next(p, at)) {
        size_t body = packed_body_bytes(at);
        bytes += body + backward_bytes(flags, body);
    }
    return bytes;
}

/* Writes the elements of `p` in their order from `out` on. */
static void put_in_order(const struct packed *p, unsigned flags, unsigned char *out) {
    for (packed_at at = packed_first(p); at; at = packed_next(p, at)) {
        size_t body = packed_body_bytes(at);
        memcpy(out, at, body);
        out += body;
        if (flags & PACKED_BACKWARD) out = put_backward(out, body);
    }
}

/* Writes them so that the first ends at `end`, the second before it, and so on. */
static void put_reversed(const struct packed *p, unsigned flags, unsigned char *end) {
    for (packed_at at = packed_first(p); at; at = packed_next(p, at)) {
        size_t body = packed_body_bytes(at);
        end -= body + backward_bytes(flags, body);
        memcpy(end, at, body);
        if (flags & PACKED_BACKWARD) put_backward(end + body, body);
    }
}

struct packed *packed_convert(struct packed *p, unsigned flags, bool reverse) {
    size_t used_bytes;
    struct packed *to;
    if (flags == packed_flags(p) && !reverse) return p;
    used_bytes = bytes_with_flags(p, flags);
    to = used_bytes > PACKED_BYTES_MAX ? NULL : try_new(flags, used_bytes);
    if (!to) return NULL;
    set_count(to, packed_count(p));
    if (reverse) {
        put_reversed(p, flags, (unsigned char *)to + used_bytes);
    } else {
        put_in_order(p, flags, to->bytes);
    }
    packed_free(p);
    return to;
}

/* ---- walking */

packed_at packed_previous(const struct packed *p, packed_at at) {
    size_t body = 0;
    unsigned shift = 0;
    if (at == p->bytes) return NULL;
    do {
        body |= (size_t)(*--at & 0x7f) << shift;
        shift += 7;
    } while (*at & 0x80);
    return at - body;
}

packed_at packed_last(const struct packed *p) {
    if (packed_flags(p) & PACKED_BACKWARD) return packed_previous(p, packed_end(p));
    return packed_index(p, (int64_t)packed_count(p) - 1);
}

packed_at packed_index(const struct packed *p, int64_t index) {
    uint32_t count = packed_count(p);
    packed_at at;
    if (index < 0) index += count;
    if (index < 0 || index >= count) return NULL;
    if (packed_flags(p) & PACKED_BACKWARD && index >= count / 2) {
        at = packed_end(p);
        for (int64_t i = count; i > index; i--) at = packed_previous(p, at);
        return at;
    }
    at = p->bytes;
    if (packed_flags(p) & PACKED_BACKWARD) {
        while (index-- > 0) at = packed_behind(p, at);
    } else {
        while (index-- > 0) at += packed_body_bytes(at);
    }
    return at;
}

int64_t packed_number(packed_at at) {
    unsigned head = at[0], width;
    uint64_t value = 0;
    if (head < 0xc0) return head & 0x3f;
    if (head < 0xe0) return (int64_t)((head & 0x1fu) << 8 | at[1]) - 4096;
    width = (head & 7) + 1;
    for (unsigned i = 0; i < width; i++) value |= (uint64_t)at[1 + i] << 8 * i;
    return (int64_t)(value << (64 - 8 * width)) >> (64 - 8 * width);
}

bool packed_equals(packed_at at, struct span bytes) {
    struct form form;
    form_make(&form, bytes);
    return form_fits(&form, at);
}

/* What is sought is short bytes: one comparison of heads dismisses most, and the first eight bytes (the low ones of a word, as on
 * every machine that we build for) most of the rest, without a call. Reads those eight only where the block has them. */
INLINE bool fits_short(packed_at at, packed_at end, struct span bytes, uint64_t first) {
    uint64_t candidate;
    if (LIKELY(at[0] != bytes.len)) return false;
    if ((size_t)(end - at) > sizeof candidate) {
        memcpy(&candidate, at + 1, sizeof candidate);
        if ((candidate ^ first) << (64 - 8 * MIN(bytes.len, sizeof first))) return false;
    }
    return memcmp(at + 1, bytes.data, bytes.len) == 0;
}

/* Both finds: every (skip + 1)-th element; *index counts those looked at. */
INLINE packed_at find(const struct packed *p, packed_at from, struct span bytes, uint32_t skip,
                      uint32_t *index) {
    packed_at end = packed_end(p);
    uint64_t first = 0;
    struct form form;
    bool is_short;
    if (!from) return NULL;
    form_make(&form, bytes);
    is_short = form.body.len && form.head_len == 1;
    if (is_short) memcpy(&first, bytes.data, MIN(bytes.len, sizeof first));
    for (; from < end; ++*index) {
        if (is_short ? fits_short(from, end, bytes, first) : form_fits(&form, from)) return from;
        from = packed_behind(p, from);
        for (uint32_t i = skip; i > 0 && from < end; i--) from = packed_behind(p, from);
    }
    return NULL;
}

packed_at packed_find(const struct packed *p, packed_at from, struct span bytes, uint32_t skip) {
    uint32_t index = 0;
    return find(p, from, bytes, skip, &index);
}

packed_at packed_find_index(const struct packed *p, packed_at from, struct span bytes,
                            uint32_t *index) {
    return find(p, from, bytes, 0, index);
}

/* ---- changing */

/* Makes the allocation that of `used_bytes`, which it is then said to have. NULL: no memory for a larger one. */
static struct packed *resize(struct packed *p, size_t used_bytes) {
    size_t class_bytes = mem_class_bytes(used_bytes);
    struct packed *moved = p;
    if (class_bytes != packed_class_bytes(p)) {
        moved = mem_try_realloc(p, class_bytes);
        if (!moved && used_bytes > p->used_bytes) return NULL;
        if (!moved) moved = p;
    }
    moved->used_bytes = (uint32_t)used_bytes;
    return moved;
}

/* Replaces the `old_bytes` at `offset` by `new_bytes` of room, and adds to the count. *room is the room's address. */
static struct packed *make_room(struct packed *p, size_t offset, size_t old_bytes, size_t new_bytes,
                                uint32_t added, unsigned char **room) {
    size_t used_bytes = p->used_bytes, rest = used_bytes - offset - old_bytes;
    size_t wanted = used_bytes - old_bytes + new_bytes;
    if (wanted > PACKED_BYTES_MAX || added > PACKED_COUNT_MAX - packed_count(p)) return NULL;
    if (wanted < used_bytes)
        memmove((char *)p + offset + new_bytes, (char *)p + offset + old_bytes, rest);
    p = resize(p, wanted);
    if (!p) return NULL;
    if (wanted > used_bytes)
        memmove((char *)p + offset + new_bytes, (char *)p + offset + old_bytes, rest);
    set_count(p, packed_count(p) + added);
    *room = (unsigned char *)p + offset;
    return p;
}

static size_t offset_of(const struct packed *p, packed_at at) {
    return at ? (size_t)(at - (packed_at)p) : p->used_bytes;
}

struct packed *packed_insert(struct packed *p, packed_at at, struct span bytes, packed_at *placed) {
    unsigned flags = packed_flags(p);
    unsigned char *room;
    struct form form;
    size_t body;
    if (bytes.len > PACKED_BYTES_MAX) return NULL;
    form_make(&form, bytes);
    body = form_bytes(&form);
    p = make_room(p, offset_of(p, at), 0, body + backward_bytes(flags, body), 1, &room);
    if (!p) return NULL;
    form_put(&form, flags, room);
    if (placed) *placed = room;
    return p;
}

/* The forms are made twice, once for the size, rather than kept: there may be any number of them. */
struct packed *packed_insert_many(struct packed *p, packed_at at, const struct span *bytes,
                                  uint32_t count, packed_at *placed) {
    unsigned flags = packed_flags(p);
    size_t total = 0;
    unsigned char *room;
    struct form form;
    for (uint32_t i = 0; i < count; i++) {
        if (bytes[i].len > PACKED_BYTES_MAX || total > PACKED_BYTES_MAX) return NULL;
        form_make(&form, bytes[i]);
        total += form_bytes(&form) + backward_bytes(flags, form_bytes(&form));
    }
    p = make_room(p, offset_of(p, at), 0, total, count, &room);
    if (!p) return NULL;
    if (placed) *placed = room;
    for (uint32_t i = 0; i < count; i++) {
        form_make(&form, bytes[i]);
        room = form_put(&form, flags, room);
    }
    return p;
}

struct packed *packed_replace(struct packed *p, packed_at at, struct span bytes,
                              packed_at *placed) {
    unsigned flags = packed_flags(p);
    size_t old_bytes = (size_t)(packed_behind(p, at) - at), body;
    unsigned char *room;
    struct form form;
    if (bytes.len > PACKED_BYTES_MAX) return NULL;
    form_make(&form, bytes);
    body = form_bytes(&form);
    p = make_room(p, offset_of(p, at), old_bytes, body + backward_bytes(flags, body), 0, &room);
    if (!p) return NULL;
    form_put(&form, flags, room);
    if (placed) *placed = room;
    return p;
}

struct packed *packed_remove(struct packed *p, packed_at at, uint32_t count, packed_at *next) {
    packed_at end = packed_end(p), behind = at;
    uint32_t removed = 0;
    unsigned char *room;
    for (; removed < count && behind < end; removed++) behind = packed_behind(p, behind);
    set_count(p, packed_count(p) - removed);
    p = make_room(p, offset_of(p, at), (size_t)(behind - at), 0, 0, &room);
    if (next) *next = room < packed_end(p) ? room : NULL;
    return p;
}

int packed_split(struct packed **p, packed_at at, struct packed **rest) {
    size_t offset = offset_of(*p, at), rest_bytes = (*p)->used_bytes - offset;
    struct packed *to = try_new(packed_flags(*p), sizeof *to + rest_bytes);
    uint32_t count = 0;
    if (!to) return -ENOMEM;
    memcpy(to->bytes, (char *)*p + offset, rest_bytes);
    for (packed_at it = to->bytes; it < packed_end(to); it = packed_behind(to, it)) count++;
    set_count(to, count);
    set_count(*p, packed_count(*p) - count);
    *p = resize(*p, offset);
    *rest = to;
    return 0;
}

struct packed *packed_join(struct packed *a, const struct packed *b) {
    size_t bytes = b->used_bytes - sizeof *b;
    unsigned char *room;
    CHECK(packed_flags(a) == packed_flags(b));
    a = make_room(a, a->used_bytes, 0, bytes, packed_count(b), &room);
    if (a) memcpy(room, b->bytes, bytes);
    return a;
}

/* ---- checks */

void packed_check(const struct packed *p) {
    packed_at end = packed_end(p), at = p->bytes, before = NULL;
    uint32_t count = 0;
    CHECK(p->used_bytes >= sizeof *p && p->used_bytes <= PACKED_BYTES_MAX);
    for (; at < end; at = packed_behind(p, at), count++) {
        char text[NUM_INT_TEXT_MAX];
        CHECK(
            packed_equals(at, packed_bytes(at, text))); /* its form is the one that it must have */
        if (packed_flags(p) & PACKED_BACKWARD) CHECK(packed_previous(p, at) == before);
        before = at;
    }
    CHECK(at == end && count == packed_count(p));
    if (packed_flags(p) & PACKED_BACKWARD) CHECK(packed_previous(p, end) == before);
}
