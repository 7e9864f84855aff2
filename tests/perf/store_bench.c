/* What the keyspace costs: time per put and find, the slowest single put, memory per key, mass expiry, a whole scan.
 *
 *     make bench-store            or     build/tests/perf/store_bench [keys, default 1000000] [speed memory expire]
 *
 * Keys are 16 bytes, made from a counter on the fly and visited in an order that no cache likes. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/num.h"
#include "db/db.h"

enum { KEY_BYTES = 16, WINDOW = 64, VALUE_BYTES_MAX = 4096 };

static char value_bytes[VALUE_BYTES_MAX];

struct key {
    char bytes[KEY_BYTES];
    uint64_t hash;
};

static void make_key(struct key *key, uint64_t i) {
    static const char digits[] = "0123456789abcdef";
    uint64_t mixed = hash_fold(i + 1, 0x9e3779b97f4a7c15u) ^ i;
    for (int d = 0; d < KEY_BYTES; d++, mixed >>= 4) key->bytes[d] = digits[mixed & 15];
    key->hash = hash_bytes(key->bytes, KEY_BYTES);
}

static struct span key_span(const struct key *key) {
    return span_make(key->bytes, KEY_BYTES);
}

/* The n-th of a full cycle through 0..count-1. */
static uint64_t shuffled(uint64_t n, uint64_t count) {
    return n * 2654435761u % count;
}

static double ns_each(int64_t start_us, uint64_t count) {
    return (double)(clock_mono_us() - start_us) * 1000 / (double)count;
}

INLINE void prefetch(struct db *db, const struct key *keys, int count) {
    for (int k = 0; k < count; k++) db_prefetch_bucket(db, keys[k].hash);
    for (int k = 0; k < count; k++) db_prefetch_entry(db, keys[k].hash);
}

static struct span value_of(size_t len) {
    return span_make(value_bytes, len);
}

/* -- the timed loops: `window` keys are prefetched together, 1: none */

static void run_puts(struct db *db, uint64_t count, size_t len, int window) {
    struct key keys[WINDOW];
    for (uint64_t n = 0; n + (uint64_t)window <= count; n += (uint64_t)window) {
        for (int k = 0; k < window; k++) make_key(keys + k, shuffled(n + (uint64_t)k, count));
        if (window > 1) prefetch(db, keys, window);
        for (int k = 0; k < window; k++) {
            db_set_string(db, key_span(keys + k), keys[k].hash, value_of(len), NULL,
                          ENTRY_NO_DEADLINE);
        }
    }
}

/* Reads every line of the value, as a reply would. offset: above the keys that are there, for misses. */
static uint64_t run_finds(struct db *db, uint64_t count, int window, uint64_t offset) {
    struct key keys[WINDOW];
    char reply[VALUE_BYTES_MAX];
    uint64_t sum = 0;
    for (uint64_t n = 0; n + (uint64_t)window <= count; n += (uint64_t)window) {
        for (int k = 0; k < window; k++) {
            make_key(keys + k, shuffled(n + (uint64_t)k, count) + offset);
        }
        if (window > 1) prefetch(db, keys, window);
        for (int k = 0; k < window; k++) {
            struct entry *e = db_find(db, key_span(keys + k), keys[k].hash, 0);
            struct span value = e ? entry_string(e) : SPAN("");
            memcpy(reply, value.data, value.len);
            __asm__ volatile("" : : "r"(reply) : "memory");
            sum += value.len;
        }
    }
    return sum;
}

static uint64_t run_keys_only(uint64_t count) {
    struct key key;
    uint64_t sum = 0;
    for (uint64_t n = 0; n < count; n++) {
        make_key(&key, shuffled(n, count));
        sum += key.hash;
    }
    return sum;
}

static void count_visit(struct entry *e, void *context) {
    *(uint64_t *)context += entry_key(e).len;
}

static void bench_speed(uint64_t count) {
    struct keyspace *ks = keyspace_new(NULL);
    struct db *db = keyspace_db(ks, 0);
    uint64_t cursor = 0, sum = 0;
    int64_t start_us = clock_mono_us();
    volatile uint64_t sink = run_keys_only(count);
    (void)sink;
    printf("%llu keys of 16 bytes, values of 100; making a key and its hash is in every line: %.0f "
           "ns\n",
           (unsigned long long)count, ns_each(start_us, count));
    start_us = clock_mono_us();
    run_puts(db, count, 100, 1);
    printf("  put, new                    %6.0f ns\n", ns_each(start_us, count));
    for (int window = 1; window <= WINDOW; window += WINDOW - 1) {
        const char *text = window > 1 ? "prefetched" : "          ";
        start_us = clock_mono_us();
        run_finds(db, count, window, 0);
        printf("  find and read    %s %6.0f ns\n", text, ns_each(start_us, count));
        start_us = clock_mono_us();
        run_finds(db, count, window, count);
        printf("  find, absent     %s %6.0f ns\n", text, ns_each(start_us, count));
        start_us = clock_mono_us();
        run_puts(db, count, 100, window);
        printf("  put, overwrite   %s %6.0f ns\n", text, ns_each(start_us, count));
    }
    start_us = clock_mono_us();
    do {
        cursor = db_scan(db, cursor, count_visit, &sum);
    } while (cursor != 0);
    printf("  scan                        %6.0f ns\n", ns_each(start_us, count));
    printf("  table: %.2f bytes a key, %u segments, depth %u\n",
           (double)db->table.memory_bytes / (double)count, db->table.segment_count,
           db->table.depth);
    keyspace_free(ks);
    ks = keyspace_new(NULL);
    start_us = clock_mono_us();
    run_puts(keyspace_db(ks, 0), count, 100, WINDOW);
    printf("  put, new         prefetched %6.0f ns (into memory used before)\n",
           ns_each(start_us, count));
    keyspace_free(ks);
}

/* Processor time of this thread: what else runs on the machine does not count. */
static uint64_t cpu_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void bench_slowest_put(uint64_t count) {
    struct keyspace *ks = keyspace_new(NULL);
    struct db *db = keyspace_db(ks, 0);
    uint64_t longest = 0, longest_at = 0, above_50us = 0, above_100us = 0;
    struct key key;
    for (uint64_t n = 0; n < count; n++) {
        uint64_t ns;
        make_key(&key, n);
        ns = cpu_ns();
        db_set_string(db, key_span(&key), key.hash, value_of(10), NULL, ENTRY_NO_DEADLINE);
        ns = cpu_ns() - ns;
        above_50us += ns > 50000;
        above_100us += ns > 100000;
        if (ns > longest) {
            longest = ns;
            longest_at = n;
        }
    }
    printf("filling %llu keys: the slowest put took %.0f us of processor time (the %lluth), %llu "
           "took more than 50 us, %llu more than 100\n",
           (unsigned long long)count, (double)longest / 1000, (unsigned long long)longest_at,
           (unsigned long long)above_50us, (unsigned long long)above_100us);
    keyspace_free(ks);
}

static void bench_memory(size_t value_len) {
    enum { COUNT = 2000000 };
    if (fork() == 0) {
        struct keyspace *ks = keyspace_new(NULL);
        size_t before_bytes = mem_resident_bytes();
        run_puts(keyspace_db(ks, 0), COUNT, value_len, 1);
        printf("memory: 16-byte key, %3zu-byte value: %.1f bytes a key resident, %.1f counted\n",
               value_len, (double)(mem_resident_bytes() - before_bytes) / COUNT,
               (double)keyspace_data_bytes(ks) / COUNT);
        fflush(stdout);
        _exit(0);
    }
    wait(NULL);
}

static void bench_expire(uint64_t count, int64_t budget_us) {
    struct keyspace *ks = keyspace_new(NULL);
    struct db *db = keyspace_db(ks, 0);
    int64_t longest_us = 0, total_us = 0, deadline_ms = clock_real_ms() + 1000;
    uint64_t slices = 0, over = 0;
    bool left = true;
    struct key key;
    for (uint64_t n = 0; n < count; n++) {
        make_key(&key, n);
        db_set_string(db, key_span(&key), key.hash, value_of(10), NULL, deadline_ms);
    }
    while (left) {
        int64_t start_us = clock_mono_us(), slice_us;
        left = keyspace_expire_cycle(ks, deadline_ms, budget_us);
        slice_us = clock_mono_us() - start_us;
        longest_us = MAX(longest_us, slice_us);
        total_us += slice_us;
        over += slice_us > budget_us;
        slices++;
    }
    printf(
        "expiring %llu keys at once, budget %lld us: %llu slices, the longest %lld us, %llu over "
        "budget; %.0f ns a key; %llu keys left, table of %zu bytes\n",
        (unsigned long long)count, (long long)budget_us, (unsigned long long)slices,
        (long long)longest_us, (unsigned long long)over, (double)total_us * 1000 / (double)count,
        (unsigned long long)db_count(db), db->table.memory_bytes);
    keyspace_free(ks);
}

static void bench_lazy(uint64_t count, int64_t budget_us) {
    struct keyspace *ks = keyspace_new(NULL);
    struct db *db = keyspace_db(ks, 0);
    int64_t longest_us = 0, total_us = 0;
    size_t len = (size_t)256 << 20;
    struct blob *blob = blob_try_new(len);
    run_puts(db, count, 10, 1);
    if (blob) {
        memset(blob->data, 'x', len);
        blob->len = len;
        db_set_string(db, SPAN("large"), hash_bytes("large", 5), SPAN(""), blob, ENTRY_NO_DEADLINE);
    }
    db_flush(db, true);
    while (keyspace_lazy_pending(ks)) {
        int64_t start_us = clock_mono_us(), slice_us;
        keyspace_lazy_step(ks, budget_us);
        slice_us = clock_mono_us() - start_us;
        longest_us = MAX(longest_us, slice_us);
        total_us += slice_us;
    }
    printf("flushing %llu keys and a 256 MiB value in steps, budget %lld us: the longest %lld us, "
           "%.0f ms in all\n",
           (unsigned long long)count, (long long)budget_us, (long long)longest_us,
           (double)total_us / 1000);
    keyspace_free(ks);
}

static bool wanted(int argc, char **argv, const char *what) {
    if (argc <= 2) return true;
    for (int i = 2; i < argc; i++) {
        if (strcmp(argv[i], what) == 0) return true;
    }
    return false;
}

int main(int argc, char **argv) {
    uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000000;
    clock_init();
    hash_seed_random();
    memset(value_bytes, 'v', sizeof value_bytes);
    if (wanted(argc, argv, "memory")) {
        bench_memory(10);
        bench_memory(32);
        bench_memory(100);
    }
    if (wanted(argc, argv, "speed")) bench_speed(count);
    if (wanted(argc, argv, "slowest")) bench_slowest_put(count * 10);
    if (wanted(argc, argv, "expire")) bench_expire(count * 5, 1000);
    if (wanted(argc, argv, "lazy")) bench_lazy(count, 500);
    return 0;
}
