/* Counted bytes. The capacity fills the allocator's size class, so that an APPEND soon after finds
 * room. */
#include "base/blob.h"

#include "base/alloc.h"
#include "base/check.h"

/* Bytes to ask the allocator for, 0 when they do not fit a size_t. */
static size_t blob_total(size_t capacity) {
    if (capacity > PTRDIFF_MAX - sizeof(struct blob)) return 0;
    return mem_class_bytes(sizeof(struct blob) + capacity);
}

struct blob *blob_try_new(size_t capacity) {
    size_t total = blob_total(capacity);
    struct blob *b = total ? mem_try_alloc(total) : NULL;
    if (!b) return NULL;
    b->ref_count = 1;
    b->spare = 0;
    b->len = 0;
    b->capacity = total - sizeof *b;
    return b;
}

struct blob *blob_try_copy(struct span bytes, size_t capacity) {
    struct blob *b;
    DCHECK(capacity >= bytes.len);
    b = blob_try_new(capacity);
    if (!b) return NULL;
    if (bytes.len) memcpy(b->data, bytes.data, bytes.len);
    b->len = bytes.len;
    return b;
}

void blob_unref(struct blob *b) {
    DCHECK(b->ref_count > 0);
    if (--b->ref_count == 0) mem_free_sized(b, sizeof *b + b->capacity);
}

size_t blob_class_bytes(const struct blob *b) {
    return mem_class_bytes(sizeof *b + b->capacity);
}

static struct blob *blob_try_grow(struct blob *b, size_t capacity) {
    size_t total = blob_total(capacity);
    struct blob *grown = total ? mem_try_realloc(b, total) : NULL;
    if (grown) grown->capacity = total - sizeof *grown;
    return grown;
}

struct blob *blob_try_own(struct blob *b, size_t capacity) {
    struct blob *copy;
    DCHECK(capacity >= b->len);
    if (b->ref_count == 1) return b->capacity >= capacity ? b : blob_try_grow(b, capacity);
    copy = blob_try_copy(blob_span(b), capacity);
    if (copy) blob_unref(b);
    return copy;
}
