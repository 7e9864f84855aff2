/* Streams from their serialized form:
 *
 *   stream:    | nodes: count, (id as a string of 16 bytes, high ones first; a listpack) | entries there | last id |
 *              [ | first id | highest deleted id | entries ever added |       from RDB_STREAM_2 on ]
 *              | groups: count, group ... |                                   ids but a node's: two lengths
 *   listpack:  | entries | deleted | names: count, name ... | 0 | entry | entry | ...
 *   entry:     | flags | ms | seq | [ pairs: count ] | values, or names and values | how many elements that were |
 *              ms and seq are differences to the node's id; flag 1: deleted, 2: the node's names, which leaves them and the count out
 *   group:     | name | last id | [ entries read ] | pending: count, (id 16, delivered 8, how often) |
 *              | consumers: count, (name, seen 8, [ active 8 from RDB_STREAM_3 on ], pending: count, id 16 ...) |
 */
#include "persist/listpack.h"
#include "persist/value_parts.h"
#include "types/stream_group.h"

#include <errno.h>

#include "base/alloc.h"
#include "base/error.h"

enum {
    FLAG_DELETED = 1,
    FLAG_SAME_FIELDS = 2,
    ID_BYTES = 16,
    PENDING_BYTES_MIN = ID_BYTES + 8 + 1,
    CONSUMER_BYTES_MIN = 1 + 8 + 1,
    GROUP_BYTES_MIN = 1 + 2 + 1 + 1,
    NODE_BYTES_MIN = 1 + ID_BYTES + 1,
    NAME_BYTES_MIN = 2, /* of an element */
};

static struct stream_id id_of(struct span bytes) {
    struct stream_id id = STREAM_ID_ZERO;
    for (int i = 0; i < 8; i++) {
        id.ms = id.ms << 8 | (unsigned char)bytes.data[i];
        id.seq = id.seq << 8 | (unsigned char)bytes.data[8 + i];
    }
    return id;
}

static int read_id_bytes(struct rdb_reader *r, struct stream_id *out) {
    struct span bytes;
    int status = rdb_read_bytes(r, ID_BYTES, &bytes);
    if (!status) *out = id_of(bytes);
    return status;
}

static int read_id_numbers(struct rdb_reader *r, struct stream_id *out) {
    int status = rdb_read_length(r, &out->ms);
    return status ? status : rdb_read_length(r, &out->seq);
}

/* ---- nodes */

/* Elements as bytes: a row of spans, and the digits of those that are numbers. */
struct row {
    struct span *at;
    char (*digits)[NUM_INT_TEXT_MAX];
    uint32_t capacity;
};

static int row_prepare(struct row *row, uint64_t count) {
    if (count <= row->capacity) return 0;
    struct span *at = mem_try_alloc(count * sizeof *at);
    char(*digits)[NUM_INT_TEXT_MAX] = mem_try_alloc(count * sizeof *digits);
    if (!at || !digits) {
        mem_free(at);
        mem_free(digits);
        return -ENOMEM;
    }
    mem_free(row->at);
    mem_free(row->digits);
    *row = (struct row){.at = at, .digits = digits, .capacity = (uint32_t)count};
    return 0;
}

static void row_release(struct row *row) {
    mem_free(row->at);
    mem_free(row->digits);
}

static int row_read(struct row *row, uint32_t place, struct listpack_cursor *c) {
    struct packed_value value;
    int status = listpack_next(c, &value);
    if (status != 1) return status < 0 ? status : ERROR_SYNTAX;
    row->at[place] = packed_value_bytes(&value, row->digits[place]);
    return 0;
}

struct node_reader {
    struct stream *stream;
    const struct stream_limit *limit;
    struct stream_id id;
    struct listpack_cursor c;
    struct row names, pairs;
    uint32_t name_count;
};

/* How many names or pairs follow: no more than there are bytes for. */
static int read_pair_count(struct node_reader *n, uint32_t *out) {
    int64_t count;
    int status = listpack_next_number(&n->c, &count);
    if (status) return status;
    if (count < 1 || count > (n->c.end - n->c.at) / NAME_BYTES_MIN) return ERROR_SYNTAX;
    *out = (uint32_t)count;
    return 0;
}

static int read_node_head(struct node_reader *n, int64_t *entries, int64_t *deleted) {
    int64_t zero;
    int status = listpack_next_number(&n->c, entries);
    if (!status) status = listpack_next_number(&n->c, deleted);
    if (!status && (*entries < 0 || *deleted < 0)) status = ERROR_SYNTAX;
    if (!status) status = read_pair_count(n, &n->name_count);
    if (!status) status = row_prepare(&n->names, n->name_count);
    for (uint32_t i = 0; !status && i < n->name_count; i++) status = row_read(&n->names, i, &n->c);
    if (!status) status = listpack_next_number(&n->c, &zero);
    return status ? status : zero != 0 ? ERROR_SYNTAX : 0;
}

static int read_pairs(struct node_reader *n, bool same_fields, uint32_t *pair_count) {
    int status = 0;
    *pair_count = n->name_count;
    if (!same_fields) status = read_pair_count(n, pair_count);
    if (!status) status = row_prepare(&n->pairs, 2 * (uint64_t)*pair_count);
    for (uint32_t i = 0; !status && i < *pair_count; i++) {
        if (same_fields) {
            n->pairs.at[2 * i] = n->names.at[i];
        } else {
            status = row_read(&n->pairs, 2 * i, &n->c);
        }
        if (!status) status = row_read(&n->pairs, 2 * i + 1, &n->c);
    }
    return status;
}

/* 1 when the entry is there, 0 when it is deleted. */
static int read_entry(struct node_reader *n, int64_t flags) {
    bool same_fields = flags & FLAG_SAME_FIELDS;
    int64_t ms, seq, elements;
    uint32_t pair_count;
    int status = listpack_next_number(&n->c, &ms);
    if (!status) status = listpack_next_number(&n->c, &seq);
    if (!status) status = read_pairs(n, same_fields, &pair_count);
    if (!status) status = listpack_next_number(&n->c, &elements);
    if (status) return status;
    if (elements != 3 + (same_fields ? pair_count : 1 + 2 * (int64_t)pair_count))
        return ERROR_SYNTAX;
    if (flags & FLAG_DELETED) return 0;
    struct stream_id id = {n->id.ms + (uint64_t)ms, n->id.seq + (uint64_t)seq};
    if (!stream_id_less(n->stream->last_id, id)) return ERROR_SYNTAX;
    status = stream_append(n->stream, id, n->pairs.at, pair_count, n->limit);
    return status == ERROR_LIMIT ? ERROR_SYNTAX : status < 0 ? status : 1;
}

static int read_entries(struct node_reader *n, struct span block) {
    struct packed_value flags;
    int64_t entries, deleted;
    int status = listpack_begin(block, &n->c);
    if (!status) status = read_node_head(n, &entries, &deleted);
    if (status) return status;
    while ((status = listpack_next(&n->c, &flags)) == 1) {
        if (!flags.is_int || flags.number & ~(int64_t)(FLAG_DELETED | FLAG_SAME_FIELDS))
            return ERROR_SYNTAX;
        status = read_entry(n, flags.number);
        if (status < 0) return status;
        if ((status == 1 ? entries-- : deleted--) == 0) return ERROR_SYNTAX;
    }
    return status ? status : entries || deleted ? ERROR_SYNTAX : 0;
}

static int read_nodes(struct rdb_reader *r, const struct stream_limit *limit, struct stream *s) {
    struct node_reader n = {.stream = s, .limit = limit};
    struct rdb_scratch scratch = {0};
    struct span bytes;
    uint64_t count;
    int status = rdb_read_count(r, NODE_BYTES_MIN, &count);
    for (; !status && count > 0; count--) {
        status = rdb_read_string(r, &scratch, &bytes);
        if (!status && bytes.len != ID_BYTES) status = ERROR_SYNTAX;
        if (status) break;
        n.id = id_of(bytes);
        status = rdb_read_string(r, &scratch, &bytes);
        if (!status) status = read_entries(&n, bytes);
    }
    rdb_scratch_release(&scratch);
    row_release(&n.names);
    row_release(&n.pairs);
    return status;
}

/* ---- what a stream knows of its past */

static int read_past(struct rdb_reader *r, enum rdb_type type, struct stream *s) {
    struct stream_id last_id, first_id, max_deleted_id = STREAM_ID_ZERO;
    uint64_t length, entries_added = s->length;
    int status = rdb_read_length(r, &length);
    if (!status) status = read_id_numbers(r, &last_id);
    if (!status && type != RDB_STREAM) {
        status = read_id_numbers(r, &first_id); /* the entries say so themselves */
        if (!status) status = read_id_numbers(r, &max_deleted_id);
        if (!status) status = rdb_read_length(r, &entries_added);
    }
    if (status) return status;
    if (length != s->length || entries_added < length || entries_added > INT64_MAX ||
        stream_id_less(last_id, s->last_id) || stream_id_less(last_id, max_deleted_id)) {
        return ERROR_SYNTAX;
    }
    s->last_id = last_id;
    s->max_deleted_id = max_deleted_id;
    s->entries_added = entries_added;
    return 0;
}

/* ---- groups */

static int read_group_pending(struct rdb_reader *r, struct stream_group *g) {
    uint64_t count, delivery_count;
    struct stream_id id;
    int64_t delivery_ms;
    int status = rdb_read_count(r, PENDING_BYTES_MIN, &count);
    for (; !status && count > 0; count--) {
        status = read_id_bytes(r, &id);
        if (!status) status = rdb_read_int64(r, &delivery_ms);
        if (!status) status = rdb_read_length(r, &delivery_count);
        if (status) break;
        if (stream_tree_find(&g->pending, id)) return ERROR_SYNTAX;
        stream_pending_add(g, id, delivery_ms)->delivery_count = (int64_t)delivery_count;
    }
    return status;
}

/* Every pending entry is one consumer's: *owned counts them. */
static int read_consumer_pending(struct rdb_reader *r, const struct stream_group *g,
                                 struct stream_consumer *c, uint64_t *owned) {
    struct stream_pending *p;
    struct stream_id id;
    uint64_t count;
    int status = rdb_read_count(r, ID_BYTES, &count);
    for (; !status && count > 0; count--) {
        status = read_id_bytes(r, &id);
        if (status) break;
        p = stream_tree_find(&g->pending, id);
        if (!p || p->consumer) return ERROR_SYNTAX;
        stream_pending_assign(p, id, c);
        ++*owned;
    }
    return status;
}

static int read_consumer(struct rdb_reader *r, enum rdb_type type, struct stream *s,
                         struct stream_group *g, uint64_t *owned) {
    struct rdb_scratch scratch = {0};
    struct stream_consumer *c = NULL;
    struct span name;
    int64_t seen_ms = 0, active_ms;
    int status = rdb_read_string(r, &scratch, &name);
    if (!status) status = rdb_read_int64(r, &seen_ms);
    active_ms = seen_ms;
    if (!status && type == RDB_STREAM_3) status = rdb_read_int64(r, &active_ms);
    if (!status && stream_consumer_find(g, name)) status = ERROR_SYNTAX;
    if (!status) {
        c = stream_consumer_try_add(s, g, name, seen_ms);
        if (!c) status = -ENOMEM;
    }
    rdb_scratch_release(&scratch);
    if (status) return status;
    c->active_ms = active_ms;
    return read_consumer_pending(r, g, c, owned);
}

static int read_group_body(struct rdb_reader *r, enum rdb_type type, struct stream *s,
                           struct stream_group *g) {
    uint64_t consumers, owned = 0;
    int status = read_group_pending(r, g);
    if (!status) status = rdb_read_count(r, CONSUMER_BYTES_MIN, &consumers);
    for (; !status && consumers > 0; consumers--) status = read_consumer(r, type, s, g, &owned);
    return status ? status : owned != g->pending.count ? ERROR_SYNTAX : 0;
}

static int read_group(struct rdb_reader *r, enum rdb_type type, struct stream *s) {
    struct rdb_scratch scratch = {0};
    struct stream_group *g = NULL;
    struct stream_id last_id;
    struct span name;
    uint64_t entries_read = 0;
    int status = rdb_read_string(r, &scratch, &name);
    if (!status) status = read_id_numbers(r, &last_id);
    if (!status) {
        if (type == RDB_STREAM) {
            entries_read = (uint64_t)stream_entries_up_to(s, last_id);
        } else {
            status = rdb_read_length(r, &entries_read);
        }
    }
    if (!status &&
        ((int64_t)entries_read < STREAM_ENTRIES_READ_UNKNOWN || stream_group_find(s, name))) {
        status = ERROR_SYNTAX;
    }
    if (!status) {
        g = stream_group_try_add(s, name, last_id, (int64_t)entries_read);
        if (!g) status = -ENOMEM;
    }
    rdb_scratch_release(&scratch);
    return status ? status : read_group_body(r, type, s, g);
}

static int read_groups(struct rdb_reader *r, enum rdb_type type, struct stream *s) {
    uint64_t count;
    int status = rdb_read_count(r, GROUP_BYTES_MIN, &count);
    for (; !status && count > 0; count--) status = read_group(r, type, s);
    return status;
}

int stream_read(struct rdb_reader *r, enum rdb_type type, const struct stream_limit *limit,
                struct stream **out) {
    struct stream *s = stream_new();
    int status = read_nodes(r, limit, s);
    if (!status) status = read_past(r, type, s);
    if (!status) status = read_groups(r, type, s);
    if (status) {
        stream_free(s);
    } else {
        *out = s;
    }
    return status;
}
