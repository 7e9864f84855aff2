/* Blocks of a stream; the layout stands in the header. */
#include "types/stream_block.h"

#include "base/alloc.h"
#include "base/check.h"

enum { NUMBER_BYTES_MAX = 10, PREFIX_BYTES_MAX = 1 + 2 * NUMBER_BYTES_MAX, ID_SHIFT = 1 };
enum id_form { ID_NEXT, ID_LATER, ID_SAME_MS, ID_ANY };

static unsigned char *put_number(unsigned char *out, uint64_t number) {
    for (; number >= 0x80; number >>= 7) *out++ = (unsigned char)(number | 0x80);
    *out++ = (unsigned char)number;
    return out;
}

/* Head and id of an entry behind one with the id `before`. */
static unsigned char *put_prefix(unsigned char *out, struct stream_id before, struct stream_id id,
                                 bool own_fields) {
    unsigned char *head = out++;
    enum id_form form;
    if (id.ms == before.ms) {
        form = id.seq == before.seq + 1 ? ID_NEXT : ID_SAME_MS;
        if (form == ID_SAME_MS) out = put_number(out, id.seq - before.seq);
    } else {
        form = id.seq == 0 ? ID_LATER : ID_ANY;
        out = put_number(out, id.ms - before.ms);
        if (form == ID_ANY) out = put_number(out, id.seq);
    }
    *head = (unsigned char)(form << ID_SHIFT | (own_fields ? STREAM_ENTRY_OWN_FIELDS : 0));
    return out;
}

/* ---- life */

size_t stream_block_class_bytes(const struct stream_block *b) {
    return b->capacity;
}

static struct stream_block *try_alloc(size_t bytes) {
    size_t capacity = mem_class_bytes(bytes);
    struct stream_block *b = mem_try_alloc(capacity);
    if (b) b->capacity = (uint32_t)capacity;
    return b;
}

/* The most that every second one of the spans takes as elements. */
static size_t elements_bytes_max(const struct span *spans, uint32_t count, uint32_t step) {
    size_t bytes = 0;
    for (uint32_t i = 0; i < count; i++) bytes += spans[i * step].len + PACKED_WRITE_EXTRA;
    return bytes;
}

struct stream_block *stream_block_try_new(struct stream_id base, const struct span *pairs,
                                          uint32_t pair_count) {
    size_t names = elements_bytes_max(pairs, pair_count, 2);
    size_t values = elements_bytes_max(pairs + 1, pair_count, 2);
    struct stream_block *b = try_alloc(sizeof *b + names + PREFIX_BYTES_MAX + values);
    unsigned char *out;
    if (!b) return NULL;
    b->base = b->last = b->high = base;
    b->count = b->added_count = 0;
    b->name_count = pair_count;
    out = b->bytes;
    for (uint32_t i = 0; i < pair_count; i++) out = packed_write(out, pairs[2 * i]);
    b->names_bytes = (uint32_t)(out - b->bytes);
    b->used_bytes = (uint32_t)(out - (unsigned char *)b);
    return b;
}

void stream_block_free(struct stream_block *b) {
    mem_free_sized(b, b->capacity);
}

struct stream_block *stream_block_try_copy(const struct stream_block *b) {
    struct stream_block *copy = try_alloc(b->used_bytes);
    uint32_t capacity;
    if (!copy) return NULL;
    capacity = copy->capacity;
    memcpy(copy, b, b->used_bytes);
    copy->capacity = capacity;
    return copy;
}

/* The allocation in the class of `bytes`. NULL: no memory for a larger one; a smaller one that is refused stays. */
static struct stream_block *resize(struct stream_block *b, size_t bytes) {
    size_t capacity = mem_class_bytes(bytes);
    struct stream_block *moved;
    if (capacity == b->capacity) return b;
    moved = mem_try_realloc(b, capacity);
    if (!moved) return capacity < b->capacity ? b : NULL;
    moved->capacity = (uint32_t)capacity;
    return moved;
}

struct stream_block *stream_block_seal(struct stream_block *b) {
    return resize(b, b->used_bytes);
}

/* ---- adding */

static bool has_names(const struct stream_block *b, const struct span *pairs, uint32_t pair_count) {
    packed_at at = b->bytes;
    if (pair_count != b->name_count) return false;
    for (uint32_t i = 0; i < pair_count; i++) {
        if (!packed_equals(at, pairs[2 * i])) return false;
        at += packed_body_bytes(at);
    }
    return true;
}

struct stream_block *stream_block_append(struct stream_block *b, struct stream_id id,
                                         const struct span *pairs, uint32_t pair_count) {
    bool own_fields = !has_names(b, pairs, pair_count);
    size_t most = PREFIX_BYTES_MAX + elements_bytes_max(pairs + 1, pair_count, 2);
    unsigned char *out;
    if (own_fields) most += NUMBER_BYTES_MAX + elements_bytes_max(pairs, pair_count, 2);
    if (b->used_bytes + most > b->capacity) {
        b = resize(b, b->used_bytes + most);
        if (!b) return NULL;
    }
    out = put_prefix((unsigned char *)b + b->used_bytes, b->last, id, own_fields);
    if (own_fields) out = put_number(out, pair_count);
    for (uint32_t i = 0; i < pair_count; i++) {
        if (own_fields) out = packed_write(out, pairs[2 * i]);
        out = packed_write(out, pairs[2 * i + 1]);
    }
    b->used_bytes = (uint32_t)(out - (unsigned char *)b);
    b->last = b->high = id;
    b->count++;
    b->added_count++;
    return b;
}

/* ---- removing */

/* The bytes from `from` to `to` go; the entry that stands there then follows one with the id `before`. */
static void close_gap(struct stream_block *b, packed_at from, struct stream_id before,
                      struct stream_entry *next) {
    unsigned char prefix[PREFIX_BYTES_MAX];
    packed_at rest = next->begin + 1, end = stream_block_end(b);
    unsigned char *to = (unsigned char *)b + (from - (packed_at)b);
    size_t len = (size_t)(put_prefix(prefix, before, next->id, next->own_fields) - prefix);
    if (*next->begin >> ID_SHIFT & 1) stream_number_read(&rest);
    if (*next->begin >> ID_SHIFT & 2) stream_number_read(&rest);
    CHECK((size_t)(rest - from) >= len);
    memcpy(to, prefix, len);
    memmove(to + len, rest, (size_t)(end - rest));
    b->used_bytes = (uint32_t)((size_t)(to - (unsigned char *)b) + len + (size_t)(end - rest));
}

/* Memory is given back by the quarter: a block that loses entries one by one does not move each time. */
static struct stream_block *shrink(struct stream_block *b) {
    if (mem_class_bytes(b->used_bytes) > b->capacity / 4 * 3) return b;
    return resize(b, b->used_bytes);
}

struct stream_block *stream_block_remove(struct stream_block *b, struct stream_id id,
                                         uint32_t count) {
    struct stream_entry e = {.id = b->base};
    struct stream_id before = b->base;
    packed_at at = stream_block_first(b), from;
    for (;; at = stream_entry_end(&e)) {
        stream_entry_read(b, at, &e);
        if (!stream_id_less(e.id, id)) break;
        before = e.id;
    }
    from = e.begin;
    for (uint32_t i = 1; i < count; i++) stream_entry_read(b, stream_entry_end(&e), &e);
    at = stream_entry_end(&e);
    if (at < stream_block_end(b)) {
        stream_entry_read(b, at, &e);
        close_gap(b, from, before, &e);
    } else {
        b->used_bytes = (uint32_t)(from - (packed_at)b);
        b->last = before;
    }
    b->count -= count;
    return shrink(b);
}

void stream_block_check(const struct stream_block *b) {
    struct stream_entry e = {.id = b->base};
    packed_at at = b->bytes, end = stream_block_end(b);
    uint32_t count = 0;
    for (uint32_t i = 0; i < b->name_count; i++) at += packed_body_bytes(at);
    CHECK(at == stream_block_first(b) && b->used_bytes <= b->capacity);
    for (; at < end; count++, at = stream_entry_end(&e)) {
        struct stream_id before = e.id;
        stream_entry_read(b, at, &e);
        CHECK(stream_id_less(before, e.id) || (count == 0 && stream_id_equal(before, e.id)));
    }
    CHECK(at == end && count == b->count && count > 0 && count <= b->added_count);
    CHECK(stream_id_equal(e.id, b->last) && stream_id_compare(b->last, b->high) <= 0);
}
