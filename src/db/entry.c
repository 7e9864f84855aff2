/* Entries are made here; the layout's picture is in entry.h. */
#include "db/entry.h"

#include "base/check.h"
#include "db/entry_make.h"

const char *entry_type_name(enum entry_type type) {
    static const char *const names[ENTRY_TYPE_COUNT] = {"string", "list", "set",
                                                        "zset",   "hash", "stream"};
    return names[type];
}

size_t entry_memory_bytes(const struct entry *e) {
    const struct blob *blob = entry_blob(e);
    return mem_class_bytes(entry_used_bytes(e)) + (blob ? blob_class_bytes(blob) : 0);
}

uint32_t entry_layout(size_t key_len, size_t inline_len, bool has_deadline, bool has_word) {
    bool wide = key_len > ENTRY_NARROW_LEN_MAX || inline_len > ENTRY_NARROW_LEN_MAX;
    return (wide ? ENTRY_HEAD_WIDE : 0u) | (has_deadline ? ENTRY_HEAD_DEADLINE : 0u) |
           (has_word ? ENTRY_HEAD_WORD : 0u);
}

static void store_lengths(struct entry *e, size_t key_len, size_t inline_len) {
    uint32_t wide_key_len = (uint32_t)key_len;
    DCHECK(key_len <= UINT32_MAX && inline_len <= ENTRY_INLINE_BYTES_MAX);
    if (UNLIKELY(e->head & ENTRY_HEAD_WIDE)) {
        memcpy(e->bytes, &wide_key_len, sizeof wide_key_len);
    } else {
        e->bytes[0] = (uint8_t)key_len;
    }
    entry_store_inline_len(e, inline_len);
}

struct entry *entry_try_make(const struct entry_parts *parts) {
    bool has_deadline = parts->deadline_ms != ENTRY_NO_DEADLINE;
    uint32_t layout = entry_layout(parts->key.len, parts->value_len, has_deadline, parts->word);
    size_t used_bytes = entry_layout_bytes(layout, parts->key.len, parts->value_len);
    struct entry *e = mem_try_alloc(mem_class_bytes(used_bytes)); /* all of it: edits use it up */
    char *key;
    if (UNLIKELY(!e)) return NULL;
    e->head = parts->head | layout;
    store_lengths(e, parts->key.len, parts->value_len);
    if (has_deadline) entry_store_deadline(e, parts->deadline_ms);
    if (parts->word) entry_store_word(e, parts->word);
    key = (char *)e + entry_key_offset(layout);
    if (parts->key.len) memcpy(key, parts->key.data, parts->key.len);
    if (parts->value.len) memcpy(key + parts->key.len, parts->value.data, parts->value.len);
    if (UNLIKELY(parts->value_len > parts->value.len)) {
        memset(key + parts->key.len + parts->value.len, 0, parts->value_len - parts->value.len);
    }
    return e;
}

struct entry_parts entry_take_apart(const struct entry *e) {
    bool has_word = e->head & ENTRY_HEAD_WORD;
    struct span value = has_word ? span_make(NULL, 0) : entry_string(e);
    return (struct entry_parts){
        .head = e->head & ~(uint32_t)(ENTRY_HEAD_WIDE | ENTRY_HEAD_DEADLINE | ENTRY_HEAD_WORD),
        .key = entry_key(e),
        .value = value,
        .value_len = value.len,
        .word = has_word ? entry_word(e) : NULL,
        .deadline_ms = entry_deadline_ms(e),
    };
}

/* The entry keeps its layout, which must have room for what is wanted and cost no larger class than the tightest would. */
static bool fits(const struct entry *e, size_t inline_len, bool has_deadline, bool has_word) {
    size_t key_len = entry_key_len(e);
    uint32_t tight = entry_layout(key_len, inline_len, has_deadline, has_word);
    uint32_t kept = e->head & (ENTRY_HEAD_WIDE | ENTRY_HEAD_DEADLINE | ENTRY_HEAD_WORD);
    size_t class_bytes, kept_bytes = entry_layout_bytes(kept, key_len, inline_len);
    if ((tight & ~kept) || ((tight ^ kept) & ENTRY_HEAD_WORD)) return false;
    if (tight == kept && kept_bytes == entry_used_bytes(e)) return true;
    class_bytes = mem_class_bytes(entry_used_bytes(e));
    return kept_bytes <= class_bytes &&
           mem_class_bytes(entry_layout_bytes(tight, key_len, inline_len)) == class_bytes;
}

bool entry_fits_inline(const struct entry *e, size_t value_len, bool has_deadline) {
    return fits(e, value_len, has_deadline, false);
}

bool entry_fits_word(const struct entry *e, bool has_deadline) {
    return fits(e, 0, has_deadline, true);
}

bool entry_try_widen_for_deadline(struct entry *e) {
    size_t used_bytes = entry_used_bytes(e), at = entry_fixed_bytes(e->head);
    if (mem_class_bytes(used_bytes + 8) != mem_class_bytes(used_bytes)) return false;
    memmove((char *)e + at + 8, (char *)e + at, used_bytes - at);
    e->head |= ENTRY_HEAD_DEADLINE;
    return true;
}
