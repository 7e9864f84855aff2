/* Compiled scripts by the SHA-1 of their text. Those that SCRIPT LOAD brought stay until SCRIPT FLUSH; of those that only EVAL has sent a
 * bounded number stays, the least recently used go first. */
#ifndef COMMANDS_SCRIPT_CACHE_H
#define COMMANDS_SCRIPT_CACHE_H

#include "base/list.h"
#include "script/script.h"

struct script_entry {
    struct list link;          /* in use order, those of EVAL; alone: loaded */
    struct script_entry *next; /* of the bucket */
    script_function function;
    uint32_t flags;            /* enum script_flag */
    size_t bytes;              /* memory of this entry */
    size_t len;
    char sha[SHA1_HEX_BYTES];
    char text[];
};

struct script_cache;
struct script_cache *script_cache_new(struct script_engine *engine, uint32_t eval_count_max);
void script_cache_free(struct script_cache *cache); /* while the engine lives */
/* NULL: not there. `sha` in any case of letters; what EVAL has sent counts as used. O(1). */
struct script_entry *script_cache_find(struct script_cache *cache, struct span sha);
/* Compiles and adds what is not there yet (loaded: for good). NULL and the error's text without its code. */
struct script_entry *script_cache_add(struct script_cache *cache, const char *sha, struct span text, bool loaded, char *error,
                                      size_t error_size);
/* It stays from now on. */
void script_cache_keep(struct script_cache *cache, struct script_entry *entry);
void script_cache_clear(struct script_cache *cache);
/* Scripts are compiled in another interpreter from now on: the cache is empty. */
void script_cache_set_engine(struct script_cache *cache, struct script_engine *engine);
uint32_t script_cache_count(const struct script_cache *cache);
size_t script_cache_bytes(const struct script_cache *cache);
uint64_t script_cache_evicted(const struct script_cache *cache);

#endif
