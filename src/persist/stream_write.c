/* Streams to RDB_STREAM_2, whose form stands in stream_read.c. Our blocks are larger than Redis's nodes, which it walks through for a
 * single entry: entries are written in nodes of the size that it makes by default. */
#include "persist/listpack.h"
#include "persist/value_parts.h"
#include "types/stream_group.h"

enum {
    NODE_BYTES = 4096,
    NODE_ENTRIES = 100,
    FLAG_SAME_FIELDS = 2,
    ID_BYTES = 16,
};

static void write_id_bytes(struct rdb_writer *w, struct stream_id id) {
    unsigned char bytes[ID_BYTES];
    for (int i = 0; i < 8; i++) {
        bytes[i] = (unsigned char)(id.ms >> 8 * (7 - i));
        bytes[8 + i] = (unsigned char)(id.seq >> 8 * (7 - i));
    }
    rdb_write_bytes(w, bytes, sizeof bytes);
}

static void write_id_numbers(struct rdb_writer *w, struct stream_id id) {
    rdb_write_length(w, id.ms);
    rdb_write_length(w, id.seq);
}

/* ---- nodes */

/* The node that is being filled. */
struct node {
    struct stream_id id;     /* of its first entry */
    struct rdb_writer names; /* of its first entry's fields, as elements */
    struct rdb_writer entries;
    uint32_t entry_count;
    uint32_t name_count;
    uint64_t element_count; /* of entries */
};

static void node_clear(struct node *n) {
    buf_clear(&n->names.out);
    buf_clear(&n->entries.out);
    n->entry_count = n->name_count = 0;
    n->element_count = 0;
}

static void node_end(struct node *n, struct rdb_writer *w, uint64_t *node_count) {
    struct rdb_writer head = {0}, id = {0}, zero = {0};
    if (n->entry_count == 0) return;
    listpack_write_number(&head, n->entry_count);
    listpack_write_number(&head, 0); /* deleted */
    listpack_write_number(&head, n->name_count);
    listpack_write_number(&zero, 0);
    write_id_bytes(&id, n->id);
    w->failed |= head.failed || zero.failed || id.failed || n->names.failed || n->entries.failed;
    if (!w->failed) {
        const struct span parts[] = {buf_span(&head.out), buf_span(&n->names.out),
                                     buf_span(&zero.out), buf_span(&n->entries.out)};
        rdb_write_string(w, buf_span(&id.out));
        listpack_write_block(w, parts, ARRAY_LENGTH(parts), 4 + n->name_count + n->element_count);
    }
    buf_release(&head.out);
    buf_release(&zero.out);
    buf_release(&id.out);
    node_clear(n);
    ++*node_count;
}

/* An entry's elements: its names into `names`, for comparing, its values alone or with the names into `pairs`. */
struct entry_parts {
    struct rdb_writer names, values, pairs;
};

static void entry_parts_fill(struct entry_parts *parts, struct stream_walk *walk) {
    struct packed_value field, value;
    buf_clear(&parts->names.out);
    buf_clear(&parts->values.out);
    buf_clear(&parts->pairs.out);
    while (stream_walk_pair(walk, &field, &value)) {
        listpack_write_value(&parts->names, &field);
        listpack_write_value(&parts->values, &value);
        listpack_write_value(&parts->pairs, &field);
        listpack_write_value(&parts->pairs, &value);
    }
}

static void write_span(struct rdb_writer *w, struct span bytes) {
    rdb_write_bytes(w, bytes.data, bytes.len);
}

static void node_add(struct node *n, const struct stream_walk *walk,
                     const struct entry_parts *parts) {
    uint32_t pairs = walk->entry.pair_count;
    struct stream_id id = walk->entry.id;
    if (n->entry_count == 0) {
        n->id = id;
        n->name_count = pairs;
        write_span(&n->names, buf_span(&parts->names.out));
    }
    bool same =
        pairs == n->name_count && span_eq(buf_span(&parts->names.out), buf_span(&n->names.out));
    listpack_write_number(&n->entries, same ? FLAG_SAME_FIELDS : 0);
    listpack_write_number(&n->entries, (int64_t)(id.ms - n->id.ms));
    listpack_write_number(&n->entries, (int64_t)(id.seq - n->id.seq));
    if (!same) listpack_write_number(&n->entries, pairs);
    write_span(&n->entries, buf_span(same ? &parts->values.out : &parts->pairs.out));
    uint64_t elements = same ? 3 + (uint64_t)pairs : 4 + 2 * (uint64_t)pairs;
    listpack_write_number(&n->entries, (int64_t)elements);
    n->element_count += elements + 1;
    n->entry_count++;
    n->entries.failed |= parts->names.failed || parts->values.failed || parts->pairs.failed;
}

static void write_nodes(struct rdb_writer *w, const struct stream *s) {
    struct stream_range all = {.low = STREAM_ID_ZERO, .high = STREAM_ID_MAX};
    struct rdb_writer nodes = {0};
    struct entry_parts parts = {0};
    struct node node = {0};
    struct stream_walk walk;
    uint64_t count = 0;
    for (bool there = stream_walk_begin(&walk, s, all); there; there = stream_walk_next(&walk)) {
        if (node.entries.out.len >= NODE_BYTES || node.entry_count >= NODE_ENTRIES)
            node_end(&node, &nodes, &count);
        entry_parts_fill(&parts, &walk);
        node_add(&node, &walk, &parts);
    }
    node_end(&node, &nodes, &count);
    w->failed |= nodes.failed;
    rdb_write_length(w, count);
    write_span(w, buf_span(&nodes.out));
    struct rdb_writer *used[] = {&nodes,       &parts.names, &parts.values,
                                 &parts.pairs, &node.names,  &node.entries};
    for (size_t i = 0; i < ARRAY_LENGTH(used); i++) buf_release(&used[i]->out);
}

/* ---- groups */

static void write_pending(struct rdb_writer *w, const struct stream_tree *pending, bool whole) {
    struct stream_tree_path path;
    rdb_write_length(w, pending->count);
    for (bool there = stream_tree_first(pending, &path); there; there = stream_tree_next(&path)) {
        const struct stream_pending *p = stream_tree_value(&path);
        write_id_bytes(w, stream_tree_id(&path));
        if (!whole) continue;
        rdb_write_int64(w, p->delivery_ms);
        rdb_write_length(w, (uint64_t)p->delivery_count);
    }
}

static void write_group(struct rdb_writer *w, const struct stream_group *g) {
    rdb_write_string(w, g->name);
    write_id_numbers(w, g->last_id);
    rdb_write_length(w, (uint64_t)g->entries_read);
    write_pending(w, &g->pending, true);
    rdb_write_length(w, g->consumers.count);
    for (uint32_t i = 0; i < g->consumers.count; i++) {
        const struct stream_consumer *c = stream_consumer_at(g, i);
        rdb_write_string(w, c->name);
        rdb_write_int64(w, c->seen_ms);
        write_pending(w, &c->pending, false);
    }
}

void stream_write(struct rdb_writer *w, const struct stream *s) {
    rdb_write_byte(w, RDB_STREAM_2);
    write_nodes(w, s);
    rdb_write_length(w, s->length);
    write_id_numbers(w, s->last_id);
    write_id_numbers(w, s->first_id);
    write_id_numbers(w, s->max_deleted_id);
    rdb_write_length(w, s->entries_added);
    rdb_write_length(w, s->groups.count);
    for (uint32_t i = 0; i < s->groups.count; i++) write_group(w, stream_group_at(s, i));
}
