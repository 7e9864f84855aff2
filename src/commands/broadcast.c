/*   prefixes: name -> prefix -> members, one for each listener
 *                            -> changed keys, by name and in the order of their first change
 *
 * A key is no longer looked for among all prefixes, but once for each different length of them. */
#include "commands/broadcast_inside.h"

#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"

struct changed_key {
    struct list link;
    uint64_t changer_id; /* who changed it last */
    uint32_t len;
    char name[];
};

struct broadcast_length {
    uint32_t len, count; /* how many prefixes are so long */
};

/* ---- tables */

static struct span changed_name(const struct changed_key *k) {
    return span_make(k->name, k->len);
}

static uint64_t changed_hash(const void *element) {
    struct span name = changed_name(element);
    return hash_bytes(name.data, name.len);
}

static bool changed_has_name(const void *element, struct span name) {
    return span_eq(changed_name(element), name);
}

static uint64_t prefix_hash(const void *element) {
    struct span name = broadcast_prefix_name(element);
    return hash_bytes(name.data, name.len);
}

static bool prefix_has_name(const void *element, struct span name) {
    return span_eq(broadcast_prefix_name(element), name);
}

static const struct table_type changed_type = {.hash = changed_hash, .has_key = changed_has_name};
static const struct table_type prefix_type = {.hash = prefix_hash, .has_key = prefix_has_name};

static void *find(const struct table *t, struct span name) {
    table_slot *slot = table_find(t, hash_bytes(name.data, name.len), name);
    return slot ? table_element(slot) : NULL;
}

/* ---- lengths */

static void count_length(struct broadcast *b, uint32_t len) {
    uint32_t i = 0;
    while (i < b->length_count && b->lengths[i].len < len) i++;
    if (i == b->length_count || b->lengths[i].len != len) {
        b->lengths = mem_realloc(b->lengths, (b->length_count + 1) * sizeof *b->lengths);
        memmove(b->lengths + i + 1, b->lengths + i, (b->length_count - i) * sizeof *b->lengths);
        b->lengths[i] = (struct broadcast_length){.len = len};
        b->length_count++;
    }
    b->lengths[i].count++;
}

static void uncount_length(struct broadcast *b, uint32_t len) {
    uint32_t i = 0;
    while (b->lengths[i].len != len) i++;
    if (--b->lengths[i].count) return;
    b->length_count--;
    memmove(b->lengths + i, b->lengths + i + 1, (b->length_count - i) * sizeof *b->lengths);
}

/* ---- joining and leaving */

static struct broadcast_prefix *try_make_prefix(struct broadcast *b, struct span name) {
    struct broadcast_prefix *p = mem_try_alloc(sizeof *p + name.len);
    if (!p) return NULL;
    *p = (struct broadcast_prefix){.len = (uint32_t)name.len};
    list_init(&p->members);
    list_init(&p->dirty_link);
    list_init(&p->changed_order);
    table_init(&p->changed, &changed_type);
    if (name.len) memcpy(p->name, name.data, name.len);
    table_insert(&b->prefixes, hash_bytes(name.data, name.len), p);
    count_length(b, p->len);
    return p;
}

struct broadcast_member *broadcast_try_enter(struct broadcast *b, struct span prefix,
                                             struct broadcast_listener *listener) {
    struct broadcast_prefix *p = find(&b->prefixes, prefix);
    if (!p) p = try_make_prefix(b, prefix);
    if (!p) return NULL;
    struct broadcast_member *m = mem_alloc(sizeof *m);
    *m = (struct broadcast_member){.prefix = p, .listener = listener};
    list_push_back(&p->members, &m->of_prefix);
    return m;
}

static void forget_changed(struct broadcast *b, struct broadcast_prefix *p) {
    table_release(&p->changed, NULL, NULL);
    LIST_FOR_EACH_SAFE(it, &p->changed_order) {
        mem_free(LIST_ENTRY(it, struct changed_key, link));
    }
    list_init(&p->changed_order);
    list_remove(&p->dirty_link);
    b->waiting_bytes -= p->changed_bytes;
    p->changed_bytes = 0;
    p->lost = false;
}

void broadcast_exit(struct broadcast *b, struct broadcast_member *m) {
    struct broadcast_prefix *p = m->prefix;
    list_remove(&m->of_prefix);
    mem_free(m);
    if (!list_empty(&p->members)) return;
    forget_changed(b, p);
    uint64_t hash = prefix_hash(p);
    table_remove(&b->prefixes, table_find_element(&b->prefixes, hash, p), hash);
    uncount_length(b, p->len);
    mem_free(p);
}

/* ---- changes */

enum { RESP_KEY_OVERHEAD = 16 }; /* "$", a length of 32 bits, two line ends */

static void note(struct broadcast *b, struct broadcast_prefix *p, struct span key, uint64_t hash,
                 uint64_t changer_id) {
    table_slot *slot = table_find(&p->changed, hash, key);
    if (slot) {
        ((struct changed_key *)table_element(slot))->changer_id = changer_id;
        return;
    }
    if (list_empty(&p->dirty_link)) list_push_back(&b->dirty, &p->dirty_link);
    struct changed_key *k = p->lost ? NULL : mem_try_alloc(sizeof *k + key.len);
    if (!k) {
        p->lost = true;
        return;
    }
    k->changer_id = changer_id;
    k->len = (uint32_t)key.len;
    if (key.len) memcpy(k->name, key.data, key.len);
    table_insert(&p->changed, hash, k);
    list_push_back(&p->changed_order, &k->link);
    p->changed_bytes += sizeof *k + RESP_KEY_OVERHEAD + key.len;
    b->waiting_bytes += sizeof *k + RESP_KEY_OVERHEAD + key.len;
}

void broadcast_changed(struct broadcast *b, struct span key, uint64_t changer_id) {
    uint64_t hash = 0;
    for (uint32_t i = 0; i < b->length_count && b->lengths[i].len <= key.len; i++) {
        struct broadcast_prefix *p = find(&b->prefixes, span_make(key.data, b->lengths[i].len));
        if (!p) continue;
        if (!hash) hash = hash_bytes(key.data, key.len);
        note(b, p, key, hash, changer_id);
    }
}

/* ---- telling */

static void put_bulk(struct buf *out, struct span text) {
    buf_put_char(out, '$');
    buf_put_int(out, (int64_t)text.len);
    buf_put(out, "\r\n", 2);
    buf_put_span(out, text);
    buf_put(out, "\r\n", 2);
}

bool broadcast_put_key(struct buf *out, struct span key) {
    if (buf_try_reserve(out, key.len + 32) < 0) return false;
    buf_put(out, "*1\r\n", 4);
    put_bulk(out, key);
    return true;
}

static bool is_told(const struct changed_key *k, uint64_t except_id) {
    return !except_id || k->changer_id != except_id;
}

/* How many are told to who does not want to hear of except_id's. */
static uint64_t count_told(const struct broadcast_prefix *p, uint64_t except_id) {
    uint64_t count = 0;
    LIST_FOR_EACH(it, &p->changed_order) {
        count += is_told(LIST_ENTRY(it, struct changed_key, link), except_id);
    }
    return count;
}

/* Without memory the message has no bytes: which keys it would have named is lost. */
static struct push_bytes make_message(const struct broadcast_prefix *p, uint64_t except_id,
                                      uint64_t count, struct buf *out) {
    buf_clear(out);
    if (p->lost || buf_try_reserve(out, p->changed_bytes + 32) < 0) return (struct push_bytes){0};
    buf_put_char(out, '*');
    buf_put_int(out, (int64_t)count);
    buf_put(out, "\r\n", 2);
    LIST_FOR_EACH(it, &p->changed_order) {
        const struct changed_key *k = LIST_ENTRY(it, struct changed_key, link);
        if (is_told(k, except_id)) put_bulk(out, changed_name(k));
    }
    return (struct push_bytes){.bytes = buf_span(out)};
}

/* Most get the same message; only who changed some of the keys and does not want to hear of it gets one of its own. */
static void tell_prefix(struct broadcast *b, struct broadcast_prefix *p,
                        void (*send)(struct broadcast_listener *, struct push_bytes *)) {
    uint64_t all = p->changed.count;
    struct push_bytes message = make_message(p, 0, all, &b->keys);
    LIST_FOR_EACH(it, &p->members) {
        struct broadcast_listener *listener =
            LIST_ENTRY(it, struct broadcast_member, of_prefix)->listener;
        uint64_t except_id = listener->except_id;
        uint64_t told = except_id && !p->lost ? count_told(p, except_id) : all;
        if (told == all) {
            send(listener, &message);
        } else if (told > 0) {
            struct push_bytes own = make_message(p, except_id, told, &b->own_keys);
            send(listener, &own);
            push_bytes_release(&own);
        }
    }
    push_bytes_release(&message);
    forget_changed(b, p);
}

void broadcast_tell(struct broadcast *b,
                    void (*send)(struct broadcast_listener *listener, struct push_bytes *keys)) {
    while (!list_empty(&b->dirty))
        tell_prefix(b, LIST_ENTRY(b->dirty.next, struct broadcast_prefix, dirty_link), send);
    if (b->keys.capacity > BROADCAST_WAITING_BYTES_MAX) buf_release(&b->keys);
    if (b->own_keys.capacity > BROADCAST_WAITING_BYTES_MAX) buf_release(&b->own_keys);
}

/* ---- life */

void broadcast_init(struct broadcast *b) {
    *b = (struct broadcast){0};
    table_init(&b->prefixes, &prefix_type);
    list_init(&b->dirty);
}

void broadcast_release(struct broadcast *b) {
    table_release(&b->prefixes, NULL, NULL);
    mem_free(b->lengths);
    buf_release(&b->keys);
    buf_release(&b->own_keys);
}
