/* The keyspace's storage: lookups, removal, moving between keys and databases, hooks. Putting values is in put.c, deadlines are in
 * expire.c, slow freeing in lazy.c, the access clock in access.c. Hot path: db_find.
 *
 * Accounts (tests/unit/db/db.c recomputes them): data_bytes is the sum of db_weight over all entries; deadline_count and
 * deadline_sum_ms are those of entries whose deadline is not ENTRY_NO_DEADLINE. A blob that two keys share counts for both. */
#include "db/db.h"

#include "base/hash.h"
#include "db/keyspace.h"

static uint64_t type_hash(const void *element) {
    struct span key = entry_key(element);
    return hash_bytes(key.data, key.len);
}

static bool type_has_key(const void *element, struct span key) {
    return entry_has_key(element, key);
}

static int64_t type_deadline_ms(const void *element) {
    return MIN(entry_deadline_ms(element), entry_inner_deadline_ms(element));
}

static const struct table_type entry_table_type = {type_hash, type_has_key, type_deadline_ms};

/* -- life */

static void db_reset(struct db *db, struct keyspace *ks, uint32_t number) {
    *db = (struct db){.keyspace = ks, .number = number, .expire_earliest_ms = ENTRY_NO_DEADLINE};
    table_init(&db->table, &entry_table_type);
}

struct keyspace *keyspace_new(const struct keyspace_options *options) {
    static const struct keyspace_options usual = {.lfu_log_factor = 10, .lfu_decay_minutes = 1};
    struct keyspace *ks = mem_zalloc(sizeof *ks);
    ks->options = options ? *options : usual;
    if (ks->options.db_count == 0) ks->options.db_count = 16;
    if (ks->options.seed) {
        random_init(&ks->random, ks->options.seed);
    } else {
        random_init_system(&ks->random);
    }
    list_init(&ks->hooks);
    list_init(&ks->lazy);
    list_init(&ks->pins);
    ks->active_expire = true;
    access_refresh(ks, clock_real_ms());
    ks->dbs = mem_zalloc(ks->options.db_count * sizeof *ks->dbs);
    for (uint32_t i = 0; i < ks->options.db_count; i++) db_reset(ks->dbs + i, ks, i);
    return ks;
}

static void free_entry_now(void *element, void *context) {
    lazy_drop_entry(context, element, false);
}

void keyspace_free(struct keyspace *ks) {
    if (!ks) return;
    for (uint32_t i = 0; i < ks->options.db_count; i++) {
        table_release(&ks->dbs[i].table, free_entry_now, ks);
    }
    lazy_drain(ks);
    evict_release(ks);
    mem_free(ks->dbs);
    mem_free(ks);
}

void keyspace_set_options(struct keyspace *ks, const struct keyspace_options *options) {
    uint32_t db_count = ks->options.db_count;
    ks->options = *options;
    ks->options.db_count = db_count;
}

void keyspace_register(struct keyspace *ks, enum entry_type type, const struct value_ops *ops) {
    ks->ops[type] = ops;
}

/* -- plain looks */

uint32_t keyspace_db_count(const struct keyspace *ks) {
    return ks->options.db_count;
}

struct db *keyspace_db(struct keyspace *ks, uint32_t number) {
    return number < ks->options.db_count ? ks->dbs + number : NULL;
}

struct keyspace_stats *keyspace_stats(struct keyspace *ks) {
    return &ks->stats;
}

bool keyspace_change_is_own(const struct keyspace *ks) {
    return ks->own_change;
}

struct random *keyspace_random(struct keyspace *ks) {
    return &ks->random;
}

uint64_t keyspace_key_count(const struct keyspace *ks) {
    uint64_t count = 0;
    for (uint32_t i = 0; i < ks->options.db_count; i++) count += ks->dbs[i].table.count;
    return count;
}

size_t db_entry_bytes(const struct db *db, const struct entry *e) {
    return db_weight(db, e);
}

const char *db_encoding(const struct db *db, const struct entry *e) {
    return db->keyspace->ops[entry_type(e)]->encoding(entry_object(e));
}

size_t keyspace_data_bytes(const struct keyspace *ks) {
    size_t bytes = 0;
    for (uint32_t i = 0; i < ks->db_used_count; i++) {
        bytes += ks->dbs[i].data_bytes + ks->dbs[i].table.memory_bytes;
    }
    return bytes;
}

uint64_t db_count(const struct db *db) {
    return db->table.count;
}

/* -- hooks */

void keyspace_hook(struct keyspace *ks, struct db_hook *hook) {
    list_push_back(&ks->hooks, &hook->link);
}

void keyspace_unhook(struct keyspace *ks, struct db_hook *hook) {
    (void)ks;
    list_remove(&hook->link);
}

void db_tell_changed(struct db *db, struct span key) {
    LIST_FOR_EACH_SAFE(it, &db->keyspace->hooks) {
        struct db_hook *hook = LIST_ENTRY(it, struct db_hook, link);
        if (hook->changed) hook->changed(hook, db, key);
    }
}

void db_changed(struct db *db, struct span key) {
    if (UNLIKELY(!list_empty(&db->keyspace->hooks))) db_tell_changed(db, key);
}

static NOINLINE void tell_event(struct db *db, char event_class, const char *event,
                                struct span key) {
    LIST_FOR_EACH_SAFE(it, &db->keyspace->hooks) {
        struct db_hook *hook = LIST_ENTRY(it, struct db_hook, link);
        if (hook->event) hook->event(hook, db, event_class, event, key);
    }
}

void db_event(struct db *db, char event_class, const char *event, struct span key) {
    if (UNLIKELY(!list_empty(&db->keyspace->hooks))) tell_event(db, event_class, event, key);
}

static void tell_flushed(struct keyspace *ks, struct db *db) {
    LIST_FOR_EACH_SAFE(it, &ks->hooks) {
        struct db_hook *hook = LIST_ENTRY(it, struct db_hook, link);
        if (hook->flushed) hook->flushed(hook, db);
    }
}

/* -- accounts */

size_t db_weight_slow(const struct db *db, const struct entry *e) {
    size_t bytes = entry_memory_bytes(e);
    if (entry_type(e) != ENTRY_STRING) {
        bytes += db->keyspace->ops[entry_type(e)]->memory_bytes(entry_object(e));
    }
    return bytes;
}

void db_account(struct db *db, size_t before_bytes, size_t after_bytes) {
    db->data_bytes += after_bytes - before_bytes;
}

table_slot *db_slot_of(const struct db *db, const struct entry *e, uint64_t hash) {
    table_slot *slot = table_find_element(&db->table, hash, e);
    CHECK(slot && "an entry that is not in this database, or not of this hash");
    return slot;
}

static void note_used(struct keyspace *ks, uint32_t number) {
    if (UNLIKELY(number >= ks->db_used_count)) ks->db_used_count = number + 1;
}

void db_enter(struct db *db, table_slot *slot, struct entry *old, uint64_t hash, struct entry *e) {
    int64_t before_ms = ENTRY_NO_DEADLINE;
    if (old) {
        before_ms = entry_deadline_ms(old);
        db->data_bytes -= db_weight(db, old);
        db_forget_inner(db, old);
        table_slot_set(slot ? slot : db_slot_of(db, old, hash), e);
    } else {
        note_used(db->keyspace, db->number);
        table_insert(&db->table, hash, e);
    }
    db->data_bytes += db_weight(db, e);
    db_note_deadlines(db, hash, before_ms, entry_deadline_ms(e));
    if (UNLIKELY(e->head & ENTRY_HEAD_INNER)) {
        db->inner_count++;
        db_note_inner_deadline(db, e, hash, entry_inner_deadline_ms(e));
    }
    if (!old) db_event(db, 'n', "new", entry_key(e));
}

void db_unlink(struct db *db, table_slot *slot, struct entry *e, uint64_t hash) {
    db->data_bytes -= db_weight(db, e);
    db_note_deadlines(db, hash, entry_deadline_ms(e), ENTRY_NO_DEADLINE);
    db_forget_inner(db, e);
    table_remove(&db->table, slot, hash);
}

/* -- finding */

/* The live entry, or NULL; one that is due goes. */
INLINE struct entry *find_live(struct db *db, struct span key, uint64_t hash) {
    table_slot *slot = db_lookup(db, key, hash);
    struct entry *e;
    if (!slot) return NULL;
    e = table_element(slot);
    if (LIKELY(!db_entry_due(e, clock_real_ms()))) return e;
    db_expire_entry(db, slot, e, hash);
    return NULL;
}

struct entry *db_find(struct db *db, struct span key, uint64_t hash, unsigned flags) {
    struct entry *e = find_live(db, key, hash);
    if (!(flags & DB_LOOK_NO_STATS)) {
        struct keyspace_stats *stats = &db->keyspace->stats;
        stats->hit_count += e != NULL;
        stats->miss_count += e == NULL;
    }
    if (e && !(flags & DB_LOOK_NO_TOUCH)) access_touch(db->keyspace, e);
    return e;
}

struct entry *db_find_whole(struct db *db, struct span key, uint64_t hash) {
    struct entry *e = find_live(db, key, hash);
    if (e) access_touch(db->keyspace, e);
    return e;
}

struct entry *db_find_for_write(struct db *db, struct span key, uint64_t hash) {
    struct entry *e = db_find_whole(db, key, hash);
    if (pins_any(db->keyspace) && e && entry_type(e) != ENTRY_STRING)
        pins_changing(db->keyspace, entry_object(e));
    return e;
}

struct entry *db_random(struct db *db) {
    for (int tries = 0; tries < DB_RANDOM_TRIES; tries++) {
        struct entry *e = table_random(&db->table, &db->keyspace->random);
        uint64_t hash;
        if (!e || !db_entry_due(e, clock_real_ms())) return e;
        hash = type_hash(e);
        db_expire_entry(db, db_slot_of(db, e, hash), e, hash);
    }
    return NULL;
}

/* A walk must not change the table: what is due waits for its end. Beyond SCAN_DUE_MAX of one step, it waits for another. */
enum { SCAN_DUE_MAX = 64 };

struct scan {
    void (*visit)(struct entry *e, void *context);
    void *context;
    size_t due_count;
    struct entry *due[SCAN_DUE_MAX];
};

static void visit_live(void *element, void *context) {
    struct scan *scan = context;
    if (LIKELY(!db_entry_due(element, clock_real_ms()))) {
        scan->visit(element, scan->context);
    } else if (scan->due_count < SCAN_DUE_MAX) {
        scan->due[scan->due_count++] = element;
    }
}

uint64_t db_scan(struct db *db, uint64_t cursor, void (*visit)(struct entry *e, void *context),
                 void *context) {
    struct scan scan = {.visit = visit, .context = context};
    return table_scan(&db->table, cursor, visit_live, &scan);
}

uint64_t db_scan_expire(struct db *db, uint64_t cursor,
                        void (*visit)(struct entry *e, void *context), void *context) {
    struct scan scan = {.visit = visit, .context = context};
    cursor = table_scan(&db->table, cursor, visit_live, &scan);
    for (size_t i = 0; i < scan.due_count; i++) {
        uint64_t hash = type_hash(scan.due[i]);
        db_expire_entry(db, db_slot_of(db, scan.due[i], hash), scan.due[i], hash);
    }
    return cursor;
}

/* -- removing, moving, copying */

void db_remove(struct db *db, struct entry *entry, uint64_t hash, bool lazy) {
    db_unlink(db, db_slot_of(db, entry, hash), entry, hash);
    db_tell(db, entry);
    lazy_drop_entry(db->keyspace, entry, lazy);
}

/* Puts a new entry where it goes; nothing can fail any more. */
static void arrive(const struct db_place *to, struct entry *e) {
    if (to->old) db_remove(to->db, to->old, to->hash, to->lazy);
    db_enter(to->db, NULL, NULL, to->hash, e);
}

struct entry *db_move(struct db *from, struct entry *entry, uint64_t hash,
                      const struct db_place *to) {
    struct entry_parts parts = entry_take_apart(entry);
    struct entry *e;
    parts.key = to->key;
    e = entry_try_make(&parts);
    if (!e) return NULL;
    db_unlink(from, db_slot_of(from, entry, hash), entry, hash);
    arrive(to, e);
    db_tell(from, entry);
    db_tell(to->db, e);
    entry_free(entry); /* its value lives on in the new one */
    return e;
}

/* Another holder for what the word points to: blobs are counted, objects copied. NULL without memory. */
static void *try_copy_word(struct keyspace *ks, const struct entry *e) {
    if (entry_type(e) == ENTRY_STRING) return blob_ref(entry_blob(e));
    return ks->ops[entry_type(e)]->try_copy(entry_object(e));
}

static void drop_word(struct keyspace *ks, enum entry_type type, void *word) {
    if (type == ENTRY_STRING) {
        blob_unref(word);
    } else {
        ks->ops[type]->free(word);
    }
}

struct entry *db_copy(struct db *from, struct entry *entry, const struct db_place *to) {
    struct keyspace *ks = from->keyspace;
    struct entry_parts parts = entry_take_apart(entry);
    struct entry *e;
    parts.head = (parts.head & 0xff) | access_clock_new(ks) << ENTRY_HEAD_CLOCK_SHIFT;
    parts.key = to->key;
    if (parts.word) {
        parts.word = try_copy_word(ks, entry);
        if (!parts.word) return NULL;
    }
    e = entry_try_make(&parts);
    if (!e) {
        if (parts.word) drop_word(ks, entry_type(entry), parts.word);
        return NULL;
    }
    arrive(to, e);
    db_tell(to->db, e);
    return e;
}

/* -- whole databases */

static void free_entry_lazily(void *element, void *context) {
    lazy_drop_entry(context, element, true);
}

static void flush_quietly(struct db *db, bool lazy) {
    struct table old = db->table;
    db_reset(db, db->keyspace, db->number);
    if (lazy && old.count > LAZY_EFFORT_MIN) {
        lazy_queue_table(db->keyspace, &old);
    } else {
        table_release(&old, lazy ? free_entry_lazily : free_entry_now, db->keyspace);
    }
}

void db_flush(struct db *db, bool lazy) {
    flush_quietly(db, lazy);
    tell_flushed(db->keyspace, db);
}

void keyspace_flush(struct keyspace *ks, bool lazy) {
    for (uint32_t i = 0; i < ks->options.db_count; i++) flush_quietly(ks->dbs + i, lazy);
    tell_flushed(ks, NULL);
}

void keyspace_swap(struct keyspace *ks, uint32_t a, uint32_t b) {
    struct db *first = ks->dbs + a, *second = ks->dbs + b, old = *first;
    if (a == b) return;
    note_used(ks, MAX(a, b));
    *first = *second;
    first->number = a;
    *second = old;
    second->number = b;
    LIST_FOR_EACH_SAFE(it, &ks->hooks) {
        struct db_hook *hook = LIST_ENTRY(it, struct db_hook, link);
        if (hook->swapped) hook->swapped(hook, first, second);
    }
}
