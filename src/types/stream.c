/* Streams: blocks in the tree. A block's key is the first id that it was made for and never changes: it is a lower bound of what the
 * block holds, and above all that the block before it ever held. An empty block goes at once. */
#include "types/stream.h"

#include <errno.h>

#include "base/alloc.h"
#include "base/check.h"
#include "base/error.h"
#include "types/stream_group.h"

/* ---- life */

struct stream *stream_new(void) {
    struct stream *s = mem_zalloc(sizeof *s);
    s->memory_bytes = mem_class_bytes(sizeof *s);
    stream_tree_init(&s->blocks, &s->memory_bytes);
    return s;
}

static void free_block(void *value) {
    stream_block_free(value);
}

void stream_free(struct stream *s) {
    stream_groups_free(s);
    stream_tree_release(&s->blocks, free_block);
    mem_free(s);
}

uint64_t stream_free_effort(const struct stream *s) {
    return s->blocks.count + stream_groups_free_effort(s);
}

bool stream_free_step(struct stream *s, uint32_t effort) {
    for (uint32_t done = 0; done < effort;) {
        uint32_t part = stream_groups_free_step(s);
        if (part == 0) part = stream_tree_release_step(&s->blocks, free_block);
        if (part == 0) {
            mem_free(s);
            return true;
        }
        done += part;
    }
    return false;
}

static void add_block(struct stream *s, struct stream_block *b) {
    stream_tree_insert(&s->blocks, b->base, b);
    s->block_bytes += stream_block_class_bytes(b);
    s->tail = b;
}

/* `b` was changed and may have moved from the path's place; it weighed `before_bytes`. */
static void block_changed(struct stream *s, const struct stream_tree_path *path,
                          struct stream_block *b, size_t before_bytes) {
    const struct stream_block *old = stream_tree_value(path);
    s->block_bytes += stream_block_class_bytes(b) - before_bytes;
    if (old == b) return;
    if (s->tail == old) s->tail = b;
    stream_tree_set_value(path, b);
}

static void tail_changed(struct stream *s, struct stream_block *b, size_t before_bytes) {
    struct stream_tree_path path;
    if (b == s->tail) {
        s->block_bytes += stream_block_class_bytes(b) - before_bytes;
    } else if (stream_tree_last(&s->blocks, &path)) {
        block_changed(s, &path, b, before_bytes);
    }
}

static void drop_block(struct stream *s, struct stream_tree_path *path) {
    struct stream_block *b = stream_tree_value(path);
    struct stream_tree_path last;
    s->block_bytes -= stream_block_class_bytes(b);
    stream_tree_remove_at(&s->blocks, path);
    if (s->tail == b)
        s->tail = stream_tree_last(&s->blocks, &last) ? stream_tree_value(&last) : NULL;
    stream_block_free(b);
}

static bool copy_blocks(struct stream *to, const struct stream *from) {
    struct stream_tree_path path;
    for (bool there = stream_tree_first(&from->blocks, &path); there;
         there = stream_tree_next(&path)) {
        struct stream_block *b = stream_block_try_copy(stream_tree_value(&path));
        if (!b) return false;
        add_block(to, b);
    }
    return true;
}

struct stream *stream_try_copy(const struct stream *s) {
    struct stream *copy = stream_new();
    copy->length = s->length;
    copy->entries_added = s->entries_added;
    copy->first_id = s->first_id;
    copy->last_id = s->last_id;
    copy->max_deleted_id = s->max_deleted_id;
    if (copy_blocks(copy, s) && stream_groups_try_copy(copy, s)) return copy;
    stream_free(copy);
    return NULL;
}

/* ---- adding */

static bool is_full(const struct stream_block *b, uint64_t more_bytes,
                    const struct stream_limit *limit) {
    uint64_t bytes = limit->block_bytes ? MIN(limit->block_bytes, STREAM_ENTRY_BYTES_MAX)
                                        : STREAM_BLOCK_BYTES_DEFAULT;
    if (b->used_bytes + more_bytes >= bytes) return true;
    return limit->block_entries && b->added_count >= limit->block_entries;
}

static int append_block(struct stream *s, struct stream_id id, const struct span *pairs,
                        uint32_t pair_count) {
    struct stream_block *b = stream_block_try_new(id, pairs, pair_count);
    if (!b) return -ENOMEM;
    b = stream_block_append(b, id, pairs, pair_count); /* it was made for these: there is room */
    if (s->tail) {
        size_t before_bytes = stream_block_class_bytes(s->tail);
        tail_changed(s, stream_block_seal(s->tail), before_bytes);
    }
    add_block(s, b);
    return 0;
}

static int append_tail(struct stream *s, struct stream_id id, const struct span *pairs,
                       uint32_t pair_count) {
    size_t before_bytes = stream_block_class_bytes(s->tail);
    struct stream_block *b = stream_block_append(s->tail, id, pairs, pair_count);
    if (!b) return -ENOMEM;
    tail_changed(s, b, before_bytes);
    return 0;
}

int stream_append(struct stream *s, struct stream_id id, const struct span *pairs,
                  uint32_t pair_count, const struct stream_limit *limit) {
    uint64_t bytes = 0;
    int rc;
    for (uint32_t i = 0; i < 2 * pair_count; i++) bytes += pairs[i].len;
    if (bytes > STREAM_ENTRY_BYTES_MAX) return ERROR_LIMIT;
    rc = s->tail && !is_full(s->tail, bytes, limit) ? append_tail(s, id, pairs, pair_count)
                                                    : append_block(s, id, pairs, pair_count);
    if (rc < 0) return rc;
    if (s->length++ == 0) s->first_id = id;
    s->entries_added++;
    s->last_id = id;
    return 0;
}

/* ---- finding */

/* The entry of `id`; false: there is none. */
static bool find_entry(const struct stream *s, struct stream_id id, struct stream_tree_path *path) {
    const struct stream_block *b;
    struct stream_entry e;
    if (!stream_tree_seek_back(&s->blocks, id, path)) return false;
    b = stream_tree_value(path);
    if (stream_id_less(b->last, id)) return false;
    e.id = b->base;
    for (packed_at at = stream_block_first(b);; at = stream_entry_end(&e)) {
        stream_entry_read(b, at, &e);
        if (!stream_id_less(e.id, id)) return stream_id_equal(e.id, id);
    }
}

bool stream_has(const struct stream *s, struct stream_id id) {
    struct stream_tree_path path;
    return find_entry(s, id, &path);
}

struct stream_id stream_last_entry_id(const struct stream *s) {
    return s->tail ? s->tail->last : STREAM_ID_ZERO;
}

/* ---- removing */

static void find_first_id(struct stream *s) {
    struct stream_tree_path path;
    struct stream_entry e;
    if (!stream_tree_first(&s->blocks, &path)) {
        s->first_id = STREAM_ID_ZERO;
        return;
    }
    const struct stream_block *b = stream_tree_value(&path);
    e.id = b->base;
    stream_entry_read(b, stream_block_first(b), &e);
    s->first_id = e.id;
}

/* From the block at the path, `count` entries from `id` on, not all that it has. */
static void remove_entries(struct stream *s, const struct stream_tree_path *path,
                           struct stream_id id, uint32_t count) {
    struct stream_block *b = stream_tree_value(path);
    size_t before_bytes = stream_block_class_bytes(b);
    block_changed(s, path, stream_block_remove(b, id, count), before_bytes);
}

bool stream_delete(struct stream *s, struct stream_id id) {
    struct stream_tree_path path;
    if (!find_entry(s, id, &path)) return false;
    if (((const struct stream_block *)stream_tree_value(&path))->count == 1) {
        drop_block(s, &path);
    } else {
        remove_entries(s, &path, id, 1);
    }
    s->length--;
    if (stream_id_less(s->max_deleted_id, id)) s->max_deleted_id = id;
    if (stream_id_equal(s->first_id, id)) find_first_id(s);
    return true;
}

/* How many of the block's entries are to go. */
static uint32_t count_before(const struct stream_block *b, struct stream_id before) {
    struct stream_entry e = {.id = b->base};
    packed_at at = stream_block_first(b), end = stream_block_end(b);
    for (uint32_t count = 0; at < end; count++, at = stream_entry_end(&e)) {
        stream_entry_read(b, at, &e);
        if (!stream_id_less(e.id, before)) return count;
    }
    return b->count;
}

static uint32_t count_to_trim(const struct stream *s, const struct stream_block *b,
                              const struct stream_trim *trim) {
    switch (trim->kind) {
    case STREAM_TRIM_NONE: return 0;
    case STREAM_TRIM_LENGTH:
        return s->length > trim->length ? (uint32_t)MIN(s->length - trim->length, b->count) : 0;
    case STREAM_TRIM_BEFORE:
        if (stream_id_less(b->high, trim->before)) return b->count;
        return trim->whole_blocks ? 0 : count_before(b, trim->before);
    }
    return 0;
}

uint64_t stream_trim(struct stream *s, const struct stream_trim *trim) {
    struct stream_tree_path path;
    uint64_t removed = 0;
    while (stream_tree_first(&s->blocks, &path)) {
        const struct stream_block *b = stream_tree_value(&path);
        uint32_t block_count = b->count, count;
        if (trim->limit && removed + block_count > trim->limit) break;
        count = count_to_trim(s, b, trim);
        if (count == 0 || (count < block_count && trim->whole_blocks)) break;
        if (count == block_count) {
            drop_block(s, &path);
        } else {
            remove_entries(s, &path, STREAM_ID_ZERO, count);
        }
        s->length -= count;
        removed += count;
        if (count < block_count) break;
    }
    if (removed) find_first_id(s);
    return removed;
}

/* -- trimming to a few blocks */

enum { CUT_BLOCKS_MIN = 128, CUT_KEEP_MAX = 64 };

/* Collects the last blocks, those that stay whole or in part. False: they are too many. */
static bool collect_kept(const struct stream *s, const struct stream_trim *trim,
                         struct stream_block *kept[CUT_KEEP_MAX], uint32_t *count,
                         uint64_t *length) {
    struct stream_tree_path path;
    *count = 0;
    *length = 0;
    for (bool there = stream_tree_last(&s->blocks, &path); there;
         there = stream_tree_previous(&path)) {
        struct stream_block *b = stream_tree_value(&path);
        if (trim->kind == STREAM_TRIM_LENGTH ? *length >= trim->length
                                             : stream_id_less(b->high, trim->before))
            return true;
        if (*count == CUT_KEEP_MAX) return false;
        kept[(*count)++] = b;
        *length += b->count;
    }
    return false; /* nothing goes */
}

/* All blocks but the last `count` become another stream's. */
static struct stream *cut_blocks(struct stream *s, struct stream_block **kept, uint32_t count) {
    struct stream *cut = stream_new();
    struct stream_tree_path path;
    for (uint32_t i = 0; i < count; i++) {
        s->block_bytes -= stream_block_class_bytes(kept[i]);
        if (stream_tree_last(&s->blocks, &path)) stream_tree_remove_at(&s->blocks, &path);
    }
    stream_tree_count_in(&s->blocks, &cut->memory_bytes);
    cut->blocks = s->blocks;
    cut->block_bytes = s->block_bytes;
    stream_tree_init(&s->blocks, &s->memory_bytes);
    s->block_bytes = 0;
    s->tail = NULL;
    while (count > 0) add_block(s, kept[--count]);
    return cut;
}

uint64_t stream_trim_cut(struct stream *s, const struct stream_trim *trim, struct stream **cut) {
    struct stream_block *kept[CUT_KEEP_MAX];
    uint64_t removed = 0, length;
    uint32_t count;
    *cut = NULL;
    if (!trim->limit && s->blocks.count >= CUT_BLOCKS_MIN &&
        collect_kept(s, trim, kept, &count, &length)) {
        *cut = cut_blocks(s, kept, count);
        removed = s->length - length;
        s->length = length;
        find_first_id(s);
    }
    return removed + stream_trim(s, trim);
}

/* ---- walking */

/* The present entry is at hand: its pairs are next, if it is within the range. */
static bool take(struct stream_walk *w) {
    if (stream_id_less(w->range.high, w->entry.id) || stream_id_less(w->entry.id, w->range.low))
        return false;
    w->pairs_left = w->entry.pair_count;
    w->field = w->block->bytes;
    w->at = w->entry.elements;
    return true;
}

static bool next_forward(struct stream_walk *w, packed_at at) {
    do {
        while (at == stream_block_end(w->block)) {
            if (!stream_tree_next(&w->path)) return false;
            w->block = stream_tree_value(&w->path);
            w->entry.id = w->block->base;
            at = stream_block_first(w->block);
        }
        stream_entry_read(w->block, at, &w->entry);
        at = NULL;
        if (stream_id_less(w->entry.id, w->range.low)) at = stream_entry_end(&w->entry);
    } while (at);
    return take(w);
}

/* Notes the block's last entries below `end`, which has the id `end_id`. */
static void note_entries(struct stream_walk *w, packed_at end) {
    const struct stream_block *b = w->block;
    struct stream_entry e = {.id = b->base};
    uint32_t count = 0;
    for (packed_at at = stream_block_first(b); at < end; at = stream_entry_end(&e)) {
        stream_entry_read(b, at, &e);
        if (stream_id_less(w->range.high, e.id)) break;
        w->noted[count++ % STREAM_WALK_NOTED] = e;
    }
    w->noted_count = count;
}

static bool next_backward(struct stream_walk *w) {
    while (w->noted_count == 0) {
        if (!stream_tree_previous(&w->path)) return false;
        w->block = stream_tree_value(&w->path);
        note_entries(w, stream_block_end(w->block));
    }
    w->entry = w->noted[--w->noted_count % STREAM_WALK_NOTED];
    /* Older ones than the ring holds were overwritten. */
    if (w->noted_count > 0 && w->noted_count % STREAM_WALK_NOTED == 0)
        note_entries(w, w->entry.begin);
    return take(w);
}

bool stream_walk_begin(struct stream_walk *w, const struct stream *s, struct stream_range range) {
    w->range = range;
    w->noted_count = 0;
    if (stream_id_less(range.high, range.low) || !s->tail) return false;
    if (range.reverse) {
        if (!stream_tree_seek_back(&s->blocks, range.high, &w->path)) return false;
        w->block = stream_tree_value(&w->path);
        note_entries(w, stream_block_end(w->block));
        return next_backward(w);
    }
    if (!stream_tree_seek_back(&s->blocks, range.low, &w->path) &&
        !stream_tree_first(&s->blocks, &w->path))
        return false;
    w->block = stream_tree_value(&w->path);
    w->entry.id = w->block->base;
    return next_forward(w, stream_block_first(w->block));
}

bool stream_walk_next(struct stream_walk *w) {
    struct packed_value field, value;
    if (w->range.reverse) return next_backward(w);
    while (stream_walk_pair(w, &field, &value)) {}
    return next_forward(w, w->at);
}

/* ---- counting */

static uint64_t count_in_block(const struct stream_block *b, const struct stream_range *range) {
    struct stream_entry e = {.id = b->base};
    uint64_t count = 0;
    bool whole = !stream_id_less(b->base, range->low) && !stream_id_less(range->high, b->last);
    if (whole) return b->count;
    for (packed_at at = stream_block_first(b); at < stream_block_end(b);
         at = stream_entry_end(&e)) {
        stream_entry_read(b, at, &e);
        if (stream_id_less(range->high, e.id)) break;
        count += !stream_id_less(e.id, range->low);
    }
    return count;
}

uint64_t stream_count_range(const struct stream *s, struct stream_range range, uint64_t max) {
    struct stream_tree_path path;
    uint64_t count = 0;
    if (stream_id_less(range.high, range.low) || !s->tail) return 0;
    if (!stream_id_less(s->first_id, range.low) && !stream_id_less(range.high, s->last_id))
        return MIN(s->length, max);
    bool there =
        stream_tree_seek_back(&s->blocks, range.low, &path) || stream_tree_first(&s->blocks, &path);
    for (; there && count < max; there = stream_tree_next(&path)) {
        const struct stream_block *b = stream_tree_value(&path);
        if (stream_id_less(range.high, b->base)) break;
        count += count_in_block(b, &range);
    }
    return MIN(count, max);
}

/* ---- checks */

void stream_check(const struct stream *s) {
    struct stream_tree_path path;
    struct stream_id high = STREAM_ID_ZERO;
    const struct stream_block *b = NULL;
    uint64_t count = 0;
    stream_tree_check(&s->blocks);
    for (bool there = stream_tree_first(&s->blocks, &path); there;
         there = stream_tree_next(&path)) {
        b = stream_tree_value(&path);
        stream_block_check(b);
        CHECK(stream_id_equal(b->base, stream_tree_id(&path)));
        CHECK(count == 0 || stream_id_less(high, b->base));
        high = b->high;
        count += b->count;
    }
    CHECK(b == s->tail && count == s->length);
    CHECK(stream_id_compare(high, s->last_id) <= 0);
    stream_groups_check(s);
}
