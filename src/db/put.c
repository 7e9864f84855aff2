/* Putting values: strings inline and as blobs, objects, edits in place. Hot path: db_set_string.
 *
 * A string of up to ENTRY_INLINE_BYTES_MAX bytes lies in its entry, a longer one in a blob. A value is written where the old one
 * lies when layout and size class stay the same; otherwise a new entry takes the old one's slot. */
#include <errno.h>

#include "db/keyspace.h"

struct string_put {
    struct span key;
    uint64_t hash;
    struct span value;
    struct blob *blob; /* the value's, our reference; NULL: none */
    int64_t deadline_ms;
};

/* The clock of a key that is set anew: LFU keeps the history, as Redis does. */
static uint32_t clock_after_put(struct db *db, const struct entry *old) {
    if (old && db->keyspace->options.lfu) return entry_access_clock(old);
    return access_clock_new(db->keyspace);
}

static uint32_t fresh_head(struct db *db, const struct entry *old, enum entry_type type) {
    return (uint32_t)type | clock_after_put(db, old) << ENTRY_HEAD_CLOCK_SHIFT;
}

/* Type, raw and clock anew; the layout stays. */
static void renew_head(struct db *db, struct entry *e, enum entry_type type) {
    uint32_t layout = ENTRY_HEAD_WIDE | ENTRY_HEAD_DEADLINE | ENTRY_HEAD_WORD;
    entry_set_bits(e, ~layout, fresh_head(db, e, type));
}

static void renew_deadline(struct db *db, struct entry *e, uint64_t hash, int64_t deadline_ms) {
    int64_t before_ms = entry_deadline_ms(e);
    if (e->head & ENTRY_HEAD_DEADLINE) entry_store_deadline(e, deadline_ms);
    db_note_deadlines(db, hash, before_ms, deadline_ms);
}

static void overwrite_inline(struct db *db, struct entry *e, const struct string_put *put) {
    renew_head(db, e, ENTRY_STRING);
    renew_deadline(db, e, put->hash, put->deadline_ms);
    if (put->value.len) memmove(entry_inline_data(e), put->value.data, put->value.len);
    entry_store_inline_len(e, put->value.len);
}

/* Puts `e` into the place of `old` (NULL: none) and frees that with its value. */
static void supersede(struct db *db, table_slot *slot, struct entry *old, uint64_t hash,
                      struct entry *e) {
    db_enter(db, slot, old, hash, e);
    if (old) lazy_drop_entry(db->keyspace, old, true);
}

static struct entry *put_inline(struct db *db, table_slot *slot, struct entry *old,
                                const struct string_put *put) {
    bool has_deadline = put->deadline_ms != ENTRY_NO_DEADLINE;
    struct entry *e = old;
    if (old && entry_fits_inline(old, put->value.len, has_deadline)) {
        overwrite_inline(db, old, put);
    } else {
        struct entry_parts parts = {.head = fresh_head(db, old, ENTRY_STRING),
                                    .key = put->key,
                                    .value = put->value,
                                    .value_len = put->value.len,
                                    .deadline_ms = put->deadline_ms};
        e = entry_try_make(&parts);
        if (e) supersede(db, slot, old, put->hash, e);
    }
    if (put->blob) blob_unref(put->blob);
    return e;
}

struct entry *db_put_word(struct db *db, table_slot *slot, struct entry *old,
                          const struct word_put *put) {
    struct entry_parts parts;
    struct entry *e;
    if (old && entry_fits_word(old, put->deadline_ms != ENTRY_NO_DEADLINE)) {
        db->data_bytes -= db_weight(db, old);
        db_forget_inner(db, old);
        if (!put->rewritten) lazy_drop_value(db->keyspace, old, true);
        renew_head(db, old, put->type);
        renew_deadline(db, old, put->hash, put->deadline_ms);
        entry_store_word(old, put->word);
        db->data_bytes += db_weight(db, old);
        return old;
    }
    parts = (struct entry_parts){.head = fresh_head(db, old, put->type),
                                 .key = put->key,
                                 .word = put->word,
                                 .deadline_ms = put->deadline_ms};
    e = entry_try_make(&parts);
    if (e) supersede(db, slot, old, put->hash, e);
    return e;
}

/* The old value's own blob, when the new bytes can be written into it: nobody else reads it, and its class is right. */
static struct blob *reusable_blob(const struct entry *old, size_t len) {
    struct blob *blob = old ? entry_blob(old) : NULL;
    if (!blob || blob->ref_count != 1 || blob->capacity < len) return NULL;
    return blob_class_bytes(blob) == mem_class_bytes(sizeof *blob + len) ? blob : NULL;
}

static struct entry *put_large(struct db *db, table_slot *slot, struct entry *old,
                               const struct string_put *put) {
    struct word_put word_put = {
        .key = put->key, .hash = put->hash, .type = ENTRY_STRING, .deadline_ms = put->deadline_ms};
    struct blob *blob = put->blob, *reused = blob ? NULL : reusable_blob(old, put->value.len);
    struct entry *e;
    if (reused && entry_fits_word(old, put->deadline_ms != ENTRY_NO_DEADLINE)) {
        memmove(reused->data, put->value.data, put->value.len);
        reused->len = put->value.len;
        word_put.word = reused;
        word_put.rewritten = true;
        return db_put_word(db, slot, old, &word_put);
    }
    if (!blob) blob = blob_try_copy(put->value, put->value.len);
    if (!blob) return NULL;
    word_put.word = blob;
    e = db_put_word(db, slot, old, &word_put);
    if (!e) blob_unref(blob);
    return e;
}

static struct entry *put_string(struct db *db, table_slot *slot, struct entry *old,
                                struct string_put *put) {
    struct entry *e;
    if (put->blob) put->value = blob_span(put->blob);
    if (put->deadline_ms == DB_KEEP_DEADLINE) {
        put->deadline_ms = old ? entry_deadline_ms(old) : ENTRY_NO_DEADLINE;
    }
    if (LIKELY(put->value.len <= ENTRY_INLINE_BYTES_MAX)) {
        e = put_inline(db, slot, old, put);
    } else {
        e = put_large(db, slot, old, put);
    }
    if (LIKELY(e != NULL)) db_tell(db, e);
    return e;
}

struct entry *db_set_string(struct db *db, struct span key, uint64_t hash, struct span value,
                            struct blob *blob, int64_t deadline_ms) {
    struct string_put put = {key, hash, value, blob, deadline_ms};
    table_slot *slot = db_lookup(db, key, hash);
    struct entry *old = slot ? table_element(slot) : NULL;
    if (old && db_entry_due(old, clock_real_ms())) {
        db_expire_entry(db, slot, old, hash);
        slot = NULL;
        old = NULL;
    }
    return put_string(db, slot, old, &put);
}

struct entry *db_put_string(struct db *db, struct entry *old, struct span key, uint64_t hash,
                            struct span value, struct blob *blob, int64_t deadline_ms) {
    struct string_put put = {key, hash, value, blob, deadline_ms};
    return put_string(db, NULL, old, &put);
}

struct entry *db_put_object(struct db *db, struct entry *old, struct span key, uint64_t hash,
                            enum entry_type type, void *object, int64_t deadline_ms) {
    struct word_put put = {key, hash, type, object, deadline_ms, false};
    struct entry *e;
    DCHECK(type != ENTRY_STRING);
    if (deadline_ms == DB_KEEP_DEADLINE) {
        put.deadline_ms = old ? entry_deadline_ms(old) : ENTRY_NO_DEADLINE;
    }
    e = db_put_word(db, NULL, old, &put);
    if (e) {
        db_tell(db, e);
    } else {
        db->keyspace->ops[type]->free(object);
    }
    return e;
}

char *db_rewrite_string(struct db *db, struct entry *old, uint64_t hash, size_t len) {
    struct blob *blob = len > ENTRY_INLINE_BYTES_MAX ? reusable_blob(old, len) : NULL;
    if (!blob) return NULL;
    renew_head(db, old, ENTRY_STRING);
    renew_deadline(db, old, hash, ENTRY_NO_DEADLINE);
    blob->len = len;
    db_tell(db, old);
    return blob->data;
}

/* -- edits */

enum { EDIT_ROOM_BYTES_MAX = 1024 * 1024 };

/* Room for a string that grew before and will again, as Redis gives it: as much again, a MiB at most. */
static size_t room_for(size_t len) {
    return len < EDIT_ROOM_BYTES_MAX ? len * 2 : len + EDIT_ROOM_BYTES_MAX;
}

static void blob_set_len(struct blob *blob, size_t len) {
    if (len > blob->len) memset(blob->data + blob->len, 0, len - blob->len);
    blob->len = len;
}

static bool edit_blob(struct db *db, struct entry *e, size_t len) {
    struct blob *blob = entry_blob(e), *own;
    size_t capacity = MAX(len, blob->len), before_bytes = blob_class_bytes(blob);
    if (len > blob->capacity && entry_is_raw(e)) capacity = room_for(len);
    own = blob_try_own(blob, capacity);
    if (!own) return false;
    blob_set_len(own, len);
    entry_store_word(e, own);
    db_account(db, before_bytes, blob_class_bytes(own));
    return true;
}

/* From an inline value to a new entry with `len` bytes inline or, with more, in a blob. */
static struct entry *edit_moved(struct db *db, struct entry *old, uint64_t hash, size_t len) {
    struct entry_parts parts = entry_take_apart(old);
    struct blob *blob = NULL;
    struct entry *e;
    if (len > ENTRY_INLINE_BYTES_MAX) {
        blob = blob_try_copy(parts.value, len);
        if (!blob) return NULL;
        blob_set_len(blob, len);
        parts.word = blob;
        parts.value = span_make(NULL, 0);
        parts.value_len = 0;
    } else {
        parts.value.len = MIN(parts.value.len, len);
        parts.value_len = len;
    }
    e = entry_try_make(&parts);
    if (!e && blob) blob_unref(blob);
    if (e) supersede(db, NULL, old, hash, e);
    return e;
}

static void edit_inline(struct entry *e, size_t len) {
    size_t old_len = entry_inline_len(e);
    if (len > old_len) memset(entry_inline_data(e) + old_len, 0, len - old_len);
    entry_store_inline_len(e, len);
}

char *db_edit_string(struct db *db, struct entry **entry, uint64_t hash, size_t len) {
    struct entry *e = *entry;
    bool has_deadline = entry_deadline_ms(e) != ENTRY_NO_DEADLINE;
    DCHECK(entry_type(e) == ENTRY_STRING);
    if (e->head & ENTRY_HEAD_WORD) {
        if (!edit_blob(db, e, len)) return NULL;
    } else if (len <= ENTRY_INLINE_BYTES_MAX && entry_fits_inline(e, len, has_deadline)) {
        edit_inline(e, len);
    } else {
        e = edit_moved(db, e, hash, len);
        if (!e) return NULL;
    }
    e->head |= ENTRY_HEAD_RAW;
    *entry = e;
    db_tell(db, e);
    return e->head & ENTRY_HEAD_WORD ? entry_blob(e)->data : entry_inline_data(e);
}
