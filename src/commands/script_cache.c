#include "commands/script_cache.h"

#include <stdio.h>

#include "base/alloc.h"
#include "base/check.h"
#include "base/hash.h"

enum { BUCKETS_MIN = 64 };

struct script_cache {
    struct script_engine *engine;
    struct script_entry **buckets;
    uint32_t bucket_count, count, eval_count, eval_count_max;
    size_t bytes;
    uint64_t evicted_count;
    struct list evals; /* the most recently used last */
};

struct script_cache *script_cache_new(struct script_engine *engine, uint32_t eval_count_max) {
    struct script_cache *cache = mem_zalloc(sizeof *cache);
    cache->engine = engine;
    cache->eval_count_max = eval_count_max;
    cache->bucket_count = BUCKETS_MIN;
    cache->buckets = mem_zalloc(BUCKETS_MIN * sizeof(struct script_entry *));
    list_init(&cache->evals);
    return cache;
}

static struct script_entry **bucket_of(const struct script_cache *cache, const char *sha) {
    return &cache->buckets[hash_bytes(sha, SHA1_HEX_BYTES) & (cache->bucket_count - 1)];
}

static void free_entry(struct script_cache *cache, struct script_entry *e) {
    script_function_release(cache->engine, e->function);
    cache->bytes -= e->bytes;
    cache->count--;
    if (!list_empty(&e->link)) cache->eval_count--;
    list_remove(&e->link);
    mem_free(e);
}

void script_cache_clear(struct script_cache *cache) {
    for (uint32_t i = 0; i < cache->bucket_count; i++) {
        while (cache->buckets[i]) {
            struct script_entry *e = cache->buckets[i];
            cache->buckets[i] = e->next;
            free_entry(cache, e);
        }
    }
}

void script_cache_set_engine(struct script_cache *cache, struct script_engine *engine) {
    DCHECK(cache->count == 0);
    cache->engine = engine;
}

void script_cache_free(struct script_cache *cache) {
    script_cache_clear(cache);
    mem_free(cache->buckets);
    mem_free(cache);
}

struct script_entry *script_cache_find(struct script_cache *cache, struct span sha) {
    char lower[SHA1_HEX_BYTES];
    if (sha.len != SHA1_HEX_BYTES) return NULL;
    for (int i = 0; i < SHA1_HEX_BYTES; i++) {
        char c = sha.data[i];
        lower[i] = c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
    }
    struct script_entry *e = *bucket_of(cache, lower);
    while (e && memcmp(e->sha, lower, sizeof lower) != 0) e = e->next;
    if (e && !list_empty(&e->link) && cache->evals.prev != &e->link) {
        list_remove(&e->link);
        list_push_back(&cache->evals, &e->link);
    }
    return e;
}

static void evict_one(struct script_cache *cache) {
    struct script_entry *e = LIST_ENTRY(cache->evals.next, struct script_entry, link);
    struct script_entry **at = bucket_of(cache, e->sha);
    while (*at != e) at = &(*at)->next;
    *at = e->next;
    free_entry(cache, e);
    cache->evicted_count++;
}

static void grow(struct script_cache *cache) {
    struct script_entry **old = cache->buckets;
    uint32_t old_count = cache->bucket_count;
    cache->bucket_count *= 2;
    cache->buckets = mem_zalloc(cache->bucket_count * sizeof(struct script_entry *));
    for (uint32_t i = 0; i < old_count; i++) {
        while (old[i]) {
            struct script_entry *e = old[i], **at = bucket_of(cache, e->sha);
            old[i] = e->next;
            e->next = *at;
            *at = e;
        }
    }
    mem_free(old);
}

static int compile(struct script_cache *cache, struct script_entry *e, char *error, size_t size) {
    char message[512];
    struct span text = span_make(e->text, e->len);
    size_t taken;
    if (script_parse_shebang(text, &e->flags, &taken, error, size) < 0) return -1;
    text = span_make(text.data + taken,
                     text.len - taken); /* the line end stays: lines keep their numbers */
    if (script_compile(cache->engine, text, "@user_script", &e->function, message,
                       sizeof message) == 0)
        return 0;
    snprintf(error, size, "Error compiling script (new function): %s", message);
    return -1;
}

struct script_entry *script_cache_add(struct script_cache *cache, const char *sha, struct span text,
                                      bool loaded, char *error, size_t size) {
    size_t bytes = sizeof(struct script_entry) + text.len;
    struct script_entry *e = mem_try_alloc(bytes);
    if (!e) {
        snprintf(error, size, "not enough memory for the script");
        return NULL;
    }
    *e = (struct script_entry){.bytes = mem_class_bytes(bytes), .len = text.len};
    memcpy(e->sha, sha, SHA1_HEX_BYTES);
    if (text.len) memcpy(e->text, text.data, text.len);
    if (compile(cache, e, error, size) < 0) {
        mem_free(e);
        return NULL;
    }
    list_init(&e->link);
    if (!loaded) {
        if (cache->eval_count >= cache->eval_count_max) evict_one(cache);
        list_push_back(&cache->evals, &e->link);
        cache->eval_count++;
    }
    if (cache->count >= cache->bucket_count) grow(cache);
    struct script_entry **at = bucket_of(cache, e->sha);
    e->next = *at;
    *at = e;
    cache->count++;
    cache->bytes += e->bytes;
    return e;
}

void script_cache_keep(struct script_cache *cache, struct script_entry *e) {
    if (list_empty(&e->link)) return;
    list_remove(&e->link);
    cache->eval_count--;
}

uint32_t script_cache_count(const struct script_cache *cache) {
    return cache->count;
}

size_t script_cache_bytes(const struct script_cache *cache) {
    return cache->bytes;
}

uint64_t script_cache_evicted(const struct script_cache *cache) {
    return cache->evicted_count;
}
