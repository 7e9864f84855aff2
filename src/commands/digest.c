/* Three sums of 64 bits over all bytes, each with a multiplier of its own (odd, from the digits of pi, e and the golden ratio); 20
 * of their 24 bytes are the fingerprint. Fingerprints of keys are xor-ed, so that their order does not matter. */
#include "commands/digest.h"

#include "types/chain.h"
#include "types/fields.h"
#include "types/set.h"
#include "types/stream.h"
#include "types/zset.h"

enum { LANES = 3 };

struct lanes {
    uint64_t sum[LANES];
};

static void mix(struct lanes *l, const void *data, size_t len) {
    static const uint64_t multipliers[LANES] = {0x9e3779b97f4a7c15u, 0x243f6a8885a308d3u,
                                                0xb7e151628aed2a6bu};
    const unsigned char *bytes = data;
    for (size_t i = 0; i < len; i++) {
        for (int lane = 0; lane < LANES; lane++) {
            uint64_t sum = (l->sum[lane] ^ bytes[i]) * multipliers[lane];
            l->sum[lane] = sum ^ sum >> 29;
        }
    }
}

/* The length goes first: "ab" "c" is not "a" "bc". */
static void mix_span(struct lanes *l, struct span text) {
    uint64_t len = text.len;
    unsigned char bytes[8];
    for (int i = 0; i < 8; i++) bytes[i] = (unsigned char)(len >> 8 * i);
    mix(l, bytes, sizeof bytes);
    mix(l, text.data, text.len);
}

static void finish(const struct lanes *l, uint8_t out[DIGEST_BYTES]) {
    for (int i = 0; i < DIGEST_BYTES; i++) {
        uint64_t sum = l->sum[i % LANES];
        sum = (sum ^ sum >> 32) * 0xff51afd7ed558ccdu;
        out[i] = (uint8_t)(sum >> 8 * (i / LANES));
    }
}

/* ---- values */

static void mix_packed(struct lanes *l, const struct packed_value *value) {
    char text[NUM_INT_TEXT_MAX];
    mix_span(l, packed_value_bytes(value, text));
}

/* Elements without an order of their own: their sums are added up. */
static void add_lanes(struct lanes *sum, const struct lanes *one) {
    uint8_t digest[DIGEST_BYTES];
    finish(one, digest);
    for (int i = 0; i < DIGEST_BYTES; i++) sum->sum[i % LANES] += (uint64_t)digest[i] << (i * 2);
}

static void mix_list(struct lanes *l, const struct chain *c) {
    struct chain_walk w;
    for (bool there = chain_walk_at(&w, c, 0); there; there = chain_walk_next(&w)) {
        struct chain_value v = chain_walk_value(&w);
        mix_packed(l, &v.value);
    }
}

static void mix_set(struct lanes *l, const struct set *s) {
    struct packed_value members[SET_WALK_BATCH];
    struct set_walk walk;
    set_walk_begin(&walk, s);
    for (uint32_t n; (n = set_walk_next(&walk, members)) > 0;) {
        for (uint32_t i = 0; i < n; i++) {
            struct lanes one = {{1, 2, 3}};
            mix_packed(&one, &members[i]);
            add_lanes(l, &one);
        }
    }
}

static void mix_hash(struct lanes *l, const struct fields *f) {
    struct field_pair pairs[FIELDS_WALK_BATCH];
    struct fields_walk walk;
    fields_walk_begin(&walk, f);
    for (uint32_t n; (n = fields_walk_next(&walk, pairs)) > 0;) {
        for (uint32_t i = 0; i < n; i++) {
            struct lanes one = {{1, 2, 3}};
            mix_packed(&one, &pairs[i].field);
            mix_packed(&one, &pairs[i].value);
            if (pairs[i].deadline_ms != FIELDS_NO_DEADLINE) mix_span(&one, SPAN("deadline"));
            add_lanes(l, &one);
        }
    }
}

static void mix_sorted_set(struct lanes *l, const struct zset *z) {
    struct zset_cursor cursor;
    for (bool there = zset_seek(z, 0, &cursor); there; there = zset_next(&cursor)) {
        char score[NUM_DOUBLE_TEXT_MAX];
        mix_span(l, cursor.member);
        mix_span(l, span_make(score, num_format_double(score, cursor.score)));
    }
}

/* Entries only: groups and what was deleted are no data. */
static void mix_stream(struct lanes *l, const struct stream *s) {
    struct stream_range all = {.low = STREAM_ID_ZERO, .high = STREAM_ID_MAX};
    struct stream_walk w;
    for (bool there = stream_walk_begin(&w, s, all); there; there = stream_walk_next(&w)) {
        struct packed_value field, value;
        char id[2 * NUM_INT_TEXT_MAX + 1];
        size_t len = num_format_uint(id, w.entry.id.ms);
        id[len++] = '-';
        len += num_format_uint(id + len, w.entry.id.seq);
        mix_span(l, span_make(id, len));
        while (stream_walk_pair(&w, &field, &value)) {
            mix_packed(l, &field);
            mix_packed(l, &value);
        }
    }
}

static void mix_content(struct lanes *l, const struct entry *e) {
    switch (entry_type(e)) {
    case ENTRY_STRING: mix_span(l, entry_string(e)); break;
    case ENTRY_LIST: mix_list(l, entry_object(e)); break;
    case ENTRY_SET: mix_set(l, entry_object(e)); break;
    case ENTRY_HASH: mix_hash(l, entry_object(e)); break;
    case ENTRY_ZSET: mix_sorted_set(l, entry_object(e)); break;
    case ENTRY_STREAM: mix_stream(l, entry_object(e)); break;
    }
}

static void mix_value(struct lanes *l, const struct entry *e) {
    mix_span(l, span_of(entry_type_name(entry_type(e))));
    mix_content(l, e);
    if (entry_deadline_ms(e) != ENTRY_NO_DEADLINE) mix_span(l, SPAN("!!expire!!"));
}

/* ---- keys */

void digest_value(const struct entry *e, uint8_t out[DIGEST_BYTES]) {
    struct lanes l = {{1, 2, 3}};
    mix_value(&l, e);
    finish(&l, out);
}

struct keyspace_digest {
    uint8_t *out;
    uint32_t db;
};

static void add_entry(struct entry *e, void *context) {
    struct keyspace_digest *d = context;
    struct lanes l = {{d->db + 1, d->db + 2, d->db + 3}};
    uint8_t one[DIGEST_BYTES];
    mix_span(&l, entry_key(e));
    mix_value(&l, e);
    finish(&l, one);
    for (int i = 0; i < DIGEST_BYTES; i++) d->out[i] ^= one[i];
}

void digest_keyspace(struct keyspace *ks, uint8_t out[DIGEST_BYTES]) {
    struct keyspace_digest d = {.out = out};
    memset(out, 0, DIGEST_BYTES);
    for (d.db = 0; d.db < keyspace_db_count(ks); d.db++) {
        struct db *db = keyspace_db(ks, d.db);
        uint64_t cursor = 0;
        /* Nothing changes between the steps: every key is met once. */
        do cursor = db_scan(db, cursor, add_entry, &d);
        while (cursor);
    }
}
