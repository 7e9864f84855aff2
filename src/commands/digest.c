/* Three sums of 64 bits over all bytes, each with a multiplier of its own (odd, from the digits of pi, e and the golden ratio); 20
 * of their 24 bytes are the fingerprint. Fingerprints of keys are xor-ed, so that their order does not matter. */
#include "commands/digest.h"

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

static bool mix_value(struct lanes *l, const struct entry *e) {
    if (entry_type(e) != ENTRY_STRING) return false;
    mix_span(l, SPAN("string"));
    mix_span(l, entry_string(e));
    if (entry_deadline_ms(e) != ENTRY_NO_DEADLINE) mix_span(l, SPAN("!!expire!!"));
    return true;
}

bool digest_value(const struct entry *e, uint8_t out[DIGEST_BYTES]) {
    struct lanes l = {{1, 2, 3}};
    if (!mix_value(&l, e)) return false;
    finish(&l, out);
    return true;
}

struct keyspace_digest {
    uint8_t *out;
    uint32_t db;
    bool complete;
};

static void add_entry(struct entry *e, void *context) {
    struct keyspace_digest *d = context;
    struct lanes l = {{d->db + 1, d->db + 2, d->db + 3}};
    uint8_t one[DIGEST_BYTES];
    mix_span(&l, entry_key(e));
    if (!mix_value(&l, e)) d->complete = false;
    finish(&l, one);
    for (int i = 0; i < DIGEST_BYTES; i++) d->out[i] ^= one[i];
}

bool digest_keyspace(struct keyspace *ks, uint8_t out[DIGEST_BYTES]) {
    struct keyspace_digest d = {.out = out, .complete = true};
    memset(out, 0, DIGEST_BYTES);
    for (d.db = 0; d.db < keyspace_db_count(ks); d.db++) {
        struct db *db = keyspace_db(ks, d.db);
        uint64_t cursor = 0;
        /* Nothing changes between the steps: every key is met once. */
        do cursor = db_scan(db, cursor, add_entry, &d);
        while (cursor);
    }
    return d.complete;
}
