#include "persist/elements.h"

#include "base/error.h"

/* ---- integer sets */

enum { INTSET_HEADER_BYTES = 8 };

static uint64_t little(const unsigned char *p, unsigned bytes) {
    uint64_t value = 0;
    while (bytes-- > 0) value = value << 8 | p[bytes];
    return value;
}

static int intset_begin(struct span block, struct intset_cursor *c) {
    const unsigned char *p = (const unsigned char *)block.data;
    if (block.len < INTSET_HEADER_BYTES) return ERROR_SYNTAX;
    uint64_t width = little(p, 4), count = little(p + 4, 4);
    if (width != 2 && width != 4 && width != 8) return ERROR_SYNTAX;
    if (count * width != block.len - INTSET_HEADER_BYTES) return ERROR_SYNTAX;
    *c = (struct intset_cursor){
        .at = p + INTSET_HEADER_BYTES, .end = p + block.len, .width = (unsigned)width};
    return 0;
}

static int intset_next(struct intset_cursor *c, struct packed_value *out) {
    if (c->at == c->end) return 0;
    unsigned unused = 64 - 8 * c->width;
    int64_t number = (int64_t)(little(c->at, c->width) << unused) >> unused;
    if (c->begun && number <= c->previous) return ERROR_SYNTAX;
    c->begun = true;
    c->previous = number;
    c->at += c->width;
    *out = (struct packed_value){.is_int = true, .number = number};
    return 1;
}

/* ---- any form */

static int begin_block(struct elements *e, struct span block) {
    switch (e->form) {
    case ELEMENTS_LISTPACK: {
        int status = listpack_begin(block, &e->listpack);
        if (!status && e->listpack.count_known) e->count = e->listpack.count_left;
        return status;
    }
    case ELEMENTS_ZIPLIST: {
        int status = ziplist_begin(block, &e->ziplist);
        if (!status && e->ziplist.count_known) e->count = e->ziplist.count_left;
        return status;
    }
    case ELEMENTS_ZIPMAP: return zipmap_begin(block, &e->zipmap);
    case ELEMENTS_INTSET: {
        int status = intset_begin(block, &e->intset);
        if (!status) e->count = (size_t)(e->intset.end - e->intset.at) / e->intset.width;
        return status;
    }
    case ELEMENTS_STRINGS:
    case ELEMENTS_PAIRS: break;
    }
    return ERROR_SYNTAX;
}

int elements_begin(struct elements *e, struct rdb_reader *reader, enum elements_form form) {
    struct span block;
    uint64_t strings_each = form == ELEMENTS_PAIRS ? 2 : 1;
    int status;
    *e = (struct elements){.form = form, .reader = reader};
    if (form == ELEMENTS_STRINGS || form == ELEMENTS_PAIRS) {
        status = rdb_read_count(reader, strings_each, &e->left);
        if (!status) e->count = e->left *= strings_each;
        return status;
    }
    status = rdb_read_string(reader, &e->block, &block);
    return status ? status : begin_block(e, block);
}

void elements_release(struct elements *e) {
    rdb_scratch_release(&e->block);
}

static int next_in_block(struct elements *e, struct packed_value *value) {
    switch (e->form) {
    case ELEMENTS_LISTPACK: return listpack_next(&e->listpack, value);
    case ELEMENTS_ZIPLIST: return ziplist_next(&e->ziplist, value);
    case ELEMENTS_ZIPMAP: return zipmap_next(&e->zipmap, value);
    case ELEMENTS_INTSET: return intset_next(&e->intset, value);
    case ELEMENTS_STRINGS:
    case ELEMENTS_PAIRS: break;
    }
    return ERROR_SYNTAX;
}

int elements_next(struct elements *e, struct rdb_scratch *scratch, struct span *out) {
    struct packed_value value;
    int status;
    if (e->form == ELEMENTS_STRINGS || e->form == ELEMENTS_PAIRS) {
        if (e->left == 0) return 0;
        e->left--;
        status = rdb_read_string(e->reader, scratch, out);
        return status ? status : 1;
    }
    status = next_in_block(e, &value);
    if (status == 1) *out = packed_value_bytes(&value, scratch->number);
    return status;
}

int elements_need(struct elements *e, struct rdb_scratch *scratch, struct span *out) {
    int status = elements_next(e, scratch, out);
    return status == 1 ? 0 : status == 0 ? ERROR_SYNTAX : status;
}
