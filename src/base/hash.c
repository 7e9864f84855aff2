/* The hash of keys longer than 16 bytes; hash.h has the short ones. Every 16 bytes are folded into
 * the state by one 64 x 64 -> 128 bit multiplication, both factors of which hold secret bits; above
 * 64 bytes four states run side by side, since one chain of multiplications would wait for itself.
 * The last 16 bytes are read from the end and may overlap what was read before: no loop over single
 * bytes. Hot path. */
#include "base/hash.h"

#include "base/random.h"

struct hash_seed hash_seed = {0x2545f4914f6cdd1du, 0xa0761d6478bd642fu};

void hash_seed_random(void) {
    random_bytes(&hash_seed, sizeof hash_seed);
}

/* Small numbers would leave factors of the multiplications nearly empty: each is spread over all
 * bits. */
void hash_seed_set(uint64_t a, uint64_t b) {
    struct random r;
    random_init(&r, a);
    hash_seed.a = random_next(&r);
    random_init(&r, ~b);
    hash_seed.b = random_next(&r);
}

INLINE uint64_t read64(const char *data) {
    uint64_t word;
    memcpy(&word, data, sizeof word);
    return word;
}

INLINE uint64_t hash_step(uint64_t state, const char *data, uint64_t salt) {
    return hash_fold(read64(data) ^ salt, read64(data + 8) ^ state);
}

uint64_t hash_bytes_long(const char *data, size_t len) {
    const char *last = data + len - 16;
    uint64_t a = hash_seed.a, b = hash_seed.b, state = a ^ hash_fold(b ^ len, 0x9e3779b97f4a7c15u);
    if (len > 64) {
        uint64_t s1 = state, s2 = state, s3 = state;
        uint64_t salt1 = a ^ 0xd6e8feb86659fd93u, salt2 = b ^ 0xe7037ed1a0b428dbu, salt3 = ~a;
        do {
            state = hash_step(state, data, b);
            s1 = hash_step(s1, data + 16, salt1);
            s2 = hash_step(s2, data + 32, salt2);
            s3 = hash_step(s3, data + 48, salt3);
            data += 64;
        } while (data < last - 48);
        state ^= hash_fold(s1 ^ salt2, s2 ^ salt3) ^ s3;
    }
    while (data < last) {
        state = hash_step(state, data, b);
        data += 16;
    }
    state = hash_step(state, last, b ^ a);
    return hash_fold(state ^ b, 0x9e3779b97f4a7c15u ^ a);
}
