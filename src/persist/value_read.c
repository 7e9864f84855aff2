/* Values from their serialized form, collection by collection. What they have in common, the walk over elements in any packing, is in
 * elements.h; streams are in stream_read.c. */
#include "persist/value.h"

#include <errno.h>
#include <math.h>

#include "base/error.h"
#include "base/hash.h"
#include "persist/elements.h"
#include "persist/value_parts.h"

/* What all readers below are given. */
struct source {
    struct rdb_reader *r;
    enum rdb_type type;
    const struct value_limits *limits;
    int64_t now_ms;
};

/* ---- lists */

static int push_element(struct chain *c, struct span bytes, const struct value_limits *limits) {
    const struct chain_item item = {.bytes = bytes};
    return chain_push(c, CHAIN_TAIL, &item, &limits->list);
}

static int read_list_part(const struct source *from, enum elements_form form, struct chain *c) {
    struct elements e;
    struct rdb_scratch scratch = {0};
    struct span bytes;
    int status = elements_begin(&e, from->r, form);
    if (!status) {
        while ((status = elements_next(&e, &scratch, &bytes)) == 1) {
            status = push_element(c, bytes, from->limits);
            if (status) break;
        }
    }
    rdb_scratch_release(&scratch);
    elements_release(&e);
    return status;
}

/* One node of RDB_LIST_LISTPACKS: a large element alone, or a listpack. */
static int read_list_node(const struct source *from, struct chain *c) {
    enum { NODE_PLAIN = 1, NODE_PACKED = 2 };
    struct rdb_scratch scratch = {0};
    struct span bytes;
    uint64_t kind;
    int status = rdb_read_length(from->r, &kind);
    if (status) return status;
    if (kind == NODE_PACKED) return read_list_part(from, ELEMENTS_LISTPACK, c);
    if (kind != NODE_PLAIN) return ERROR_SYNTAX;
    status = rdb_read_string(from->r, &scratch, &bytes);
    if (!status) status = push_element(c, bytes, from->limits);
    rdb_scratch_release(&scratch);
    return status;
}

static int read_list_into(const struct source *from, struct chain *c) {
    uint64_t nodes;
    int status;
    switch ((unsigned)from->type) {
    case RDB_LIST: return read_list_part(from, ELEMENTS_STRINGS, c);
    case RDB_LIST_ZIPLIST: return read_list_part(from, ELEMENTS_ZIPLIST, c);
    }
    status = rdb_read_count(from->r, 1, &nodes);
    for (; !status && nodes > 0; nodes--) {
        status = from->type == RDB_LIST_LISTPACKS ? read_list_node(from, c)
                                                  : read_list_part(from, ELEMENTS_ZIPLIST, c);
    }
    return status;
}

static int read_list(const struct source *from, void **out) {
    struct chain *c = chain_new();
    int status = read_list_into(from, c);
    if (!status && chain_count(c) == 0) status = ERROR_SYNTAX;
    if (status) {
        chain_free(c);
    } else {
        *out = c;
    }
    return status;
}

/* ---- sets */

static int add_member(struct set **s, struct span member, const struct elements *e,
                      const struct set_limits *limits) {
    int status;
    if (!*s) *s = set_new(member, e->count > 0 ? e->count : 1, limits);
    status = set_add(s, member, limits);
    return status < 0 ? status : status == 0 ? ERROR_SYNTAX : 0;
}

static int read_set(const struct source *from, void **out) {
    enum elements_form form = from->type == RDB_SET          ? ELEMENTS_STRINGS
                              : from->type == RDB_SET_INTSET ? ELEMENTS_INTSET
                                                             : ELEMENTS_LISTPACK;
    struct rdb_scratch scratch = {0};
    struct set *s = NULL;
    struct elements e;
    struct span member;
    int status = elements_begin(&e, from->r, form);
    if (!status) {
        while ((status = elements_next(&e, &scratch, &member)) == 1) {
            status = add_member(&s, member, &e, &from->limits->set);
            if (status) break;
        }
        if (!status && !s) status = ERROR_SYNTAX;
    }
    rdb_scratch_release(&scratch);
    elements_release(&e);
    if (!status) {
        *out = s;
    } else if (s) {
        set_free(s);
    }
    return status;
}

/* ---- sorted sets */

static int add_scored(struct zset_build *b, struct span member, double score) {
    uint64_t hash = hash_bytes(member.data, member.len);
    if (isnan(score) || zset_build_find(b, member, hash)) return ERROR_SYNTAX;
    return zset_build_add(b, member, hash, score);
}

static int read_scored_strings(const struct source *from, struct zset_build *b) {
    struct rdb_scratch scratch = {0};
    struct span member;
    uint64_t count;
    double score;
    int status = rdb_read_count(from->r, 2, &count);
    for (; !status && count > 0; count--) {
        status = rdb_read_string(from->r, &scratch, &member);
        if (status) break;
        status = from->type == RDB_ZSET ? rdb_read_double(from->r, &score)
                                        : rdb_read_text_double(from->r, &score);
        if (!status) status = add_scored(b, member, score);
    }
    rdb_scratch_release(&scratch);
    return status;
}

static int read_scored_block(const struct source *from, struct zset_build *b) {
    struct rdb_scratch member_scratch = {0}, score_scratch = {0};
    struct elements e;
    struct span member, text;
    double score;
    int status = elements_begin(
        &e, from->r, from->type == RDB_ZSET_ZIPLIST ? ELEMENTS_ZIPLIST : ELEMENTS_LISTPACK);
    if (!status) {
        while ((status = elements_next(&e, &member_scratch, &member)) == 1) {
            status = elements_need(&e, &score_scratch, &text);
            if (!status && !num_parse_double(text, &score)) status = ERROR_SYNTAX;
            if (!status) status = add_scored(b, member, score);
            if (status) break;
        }
    }
    rdb_scratch_release(&member_scratch);
    rdb_scratch_release(&score_scratch);
    elements_release(&e);
    return status;
}

static int read_zset(const struct source *from, void **out) {
    struct zset_build b;
    zset_build_begin(&b);
    int status = from->type == RDB_ZSET || from->type == RDB_ZSET_TEXT
                     ? read_scored_strings(from, &b)
                     : read_scored_block(from, &b);
    if (!status && zset_build_count(&b) == 0) status = ERROR_SYNTAX;
    if (!status) {
        *out = zset_build_end(&b, &from->limits->zset);
        if (!*out) status = -ENOMEM;
    }
    if (status) zset_build_abort(&b);
    return status;
}

/* ---- hashes */

struct hash_target {
    struct fields *fields;
    const struct source *from;
    uint64_t expired_count;
};

static int add_field(struct hash_target *to, struct span field, struct span value,
                     int64_t deadline_ms) {
    int status;
    if (deadline_ms <= to->from->now_ms) {
        to->expired_count++;
        return 0;
    }
    status = fields_set(&to->fields, field, value, deadline_ms, &to->from->limits->hash);
    return status < 0 ? status : status == FIELDS_ADDED ? 0 : ERROR_SYNTAX;
}

static enum elements_form hash_form(enum rdb_type type) {
    switch ((unsigned)type) {
    case RDB_HASH_ZIPMAP: return ELEMENTS_ZIPMAP;
    case RDB_HASH_ZIPLIST: return ELEMENTS_ZIPLIST;
    case RDB_HASH: return ELEMENTS_PAIRS;
    }
    return ELEMENTS_LISTPACK;
}

/* The third element of a field in RDB_HASH_TIMED_LISTPACK: a deadline, or 0. */
static int read_deadline_element(struct elements *e, struct rdb_scratch *scratch, int64_t *out) {
    struct span text;
    int status = elements_need(e, scratch, &text);
    if (status) return status;
    if (!num_parse_int(text, out) || *out < 0) return ERROR_SYNTAX;
    if (*out == 0) *out = FIELDS_NO_DEADLINE;
    return 0;
}

static int read_fields(struct hash_target *to, bool timed) {
    struct rdb_scratch scratch[3] = {{.unpacked = {0}}};
    struct elements e;
    struct span field, value;
    int64_t deadline_ms = FIELDS_NO_DEADLINE;
    int status = elements_begin(&e, to->from->r, hash_form(to->from->type));
    if (!status) {
        uint64_t fields = e.count / (timed ? 3 : 2);
        status = fields_prepare(&to->fields, fields, 0, &to->from->limits->hash);
    }
    if (!status) {
        while ((status = elements_next(&e, &scratch[0], &field)) == 1) {
            status = elements_need(&e, &scratch[1], &value);
            if (!status && timed) status = read_deadline_element(&e, &scratch[2], &deadline_ms);
            if (!status) status = add_field(to, field, value, deadline_ms);
            if (status) break;
        }
    }
    for (int i = 0; i < 3; i++) rdb_scratch_release(&scratch[i]);
    elements_release(&e);
    return status;
}

/* RDB_HASH_TIMED_OFFSETS has the deadline before its field and relative to a minimum, RDB_HASH_TIMED behind the value. */
static int read_timed_fields(struct hash_target *to, int64_t minimum_ms) {
    struct rdb_reader *r = to->from->r;
    struct rdb_scratch field_scratch = {0}, value_scratch = {0};
    bool offsets = to->from->type == RDB_HASH_TIMED_OFFSETS;
    uint64_t count, offset = 0;
    struct span field, value;
    int64_t deadline_ms;
    int status = rdb_read_count(r, 3, &count);
    for (; !status && count > 0; count--) {
        if (offsets) status = rdb_read_length(r, &offset);
        if (!status) status = rdb_read_string(r, &field_scratch, &field);
        if (!status) status = rdb_read_string(r, &value_scratch, &value);
        if (!status && !offsets) status = rdb_read_int64(r, &deadline_ms);
        if (status) break;
        if (offsets) deadline_ms = offset ? (int64_t)((uint64_t)minimum_ms + offset - 1) : -1;
        if (deadline_ms < -1 || deadline_ms >= FIELDS_KEEP_DEADLINE) {
            status = ERROR_SYNTAX;
        } else {
            status =
                add_field(to, field, value, deadline_ms < 0 ? FIELDS_NO_DEADLINE : deadline_ms);
        }
    }
    rdb_scratch_release(&field_scratch);
    rdb_scratch_release(&value_scratch);
    return status;
}

static int read_hash(const struct source *from, void **out) {
    struct hash_target to = {.fields = fields_new(), .from = from};
    int64_t minimum_ms = 0;
    int status = 0;
    bool has_minimum =
        from->type == RDB_HASH_TIMED_OFFSETS || from->type == RDB_HASH_TIMED_LISTPACK;
    if (has_minimum) status = rdb_read_int64(from->r, &minimum_ms);
    if (!status && minimum_ms < 0) status = ERROR_SYNTAX;
    if (!status) {
        status = from->type == RDB_HASH_TIMED || from->type == RDB_HASH_TIMED_OFFSETS
                     ? read_timed_fields(&to, minimum_ms)
                     : read_fields(&to, from->type == RDB_HASH_TIMED_LISTPACK);
    }
    uint64_t count = fields_count(to.fields);
    if (!status && count == 0 && to.expired_count == 0) status = ERROR_SYNTAX;
    if (!status && count > 0) {
        *out = to.fields;
    } else {
        fields_free(to.fields);
    }
    return status;
}

/* ---- any value */

static int read_content(const struct source *from, unsigned version, struct rdb_scratch *scratch,
                        struct value *out) {
    struct stream *s;
    int status;
    switch (from->type) {
    case RDB_STRING:
        out->type = ENTRY_STRING;
        return rdb_read_string(from->r, scratch, &out->string);
    case RDB_LIST:
    case RDB_LIST_ZIPLIST:
    case RDB_LIST_ZIPLISTS:
    case RDB_LIST_LISTPACKS: out->type = ENTRY_LIST; return read_list(from, &out->object);
    case RDB_SET:
    case RDB_SET_INTSET:
    case RDB_SET_LISTPACK: out->type = ENTRY_SET; return read_set(from, &out->object);
    case RDB_ZSET:
    case RDB_ZSET_TEXT:
    case RDB_ZSET_ZIPLIST:
    case RDB_ZSET_LISTPACK: out->type = ENTRY_ZSET; return read_zset(from, &out->object);
    case RDB_HASH_TIMED: /* Redis's drafts of field expiry had something else under this number */
        if (version < RDB_VERSION_FIELD_EXPIRY) return ERROR_SYNTAX;
        ATTR_FALLTHROUGH;
    case RDB_HASH:
    case RDB_HASH_ZIPMAP:
    case RDB_HASH_ZIPLIST:
    case RDB_HASH_LISTPACK:
    case RDB_HASH_TIMED_OFFSETS:
    case RDB_HASH_TIMED_LISTPACK: out->type = ENTRY_HASH; return read_hash(from, &out->object);
    case RDB_STREAM:
    case RDB_STREAM_2:
    case RDB_STREAM_3:
        out->type = ENTRY_STREAM;
        status = stream_read(from->r, from->type, &from->limits->stream, &s);
        if (!status) out->object = s;
        return status;
    }
    return ERROR_SYNTAX;
}

void value_release(struct value *value) {
    if (!value->object) return;
    switch (value->type) {
    case ENTRY_STRING: break;
    case ENTRY_LIST: chain_free(value->object); break;
    case ENTRY_SET: set_free(value->object); break;
    case ENTRY_ZSET: zset_free(value->object); break;
    case ENTRY_HASH: fields_free(value->object); break;
    case ENTRY_STREAM: stream_free(value->object); break;
    }
    *value = (struct value){0};
}

int value_read(struct span body, unsigned version, const struct value_limits *limits,
               int64_t now_ms, struct rdb_scratch *scratch, struct value *out) {
    struct rdb_reader r = rdb_reader_of(body);
    struct source from = {.r = &r, .limits = limits, .now_ms = now_ms};
    unsigned type;
    *out = (struct value){0};
    int status = rdb_read_byte(&r, &type);
    if (status) return status;
    from.type = (enum rdb_type)type;
    status = read_content(&from, version, scratch, out);
    if (!status && rdb_left(&r) > 0) status = ERROR_SYNTAX;
    if (status) value_release(out);
    return status;
}
