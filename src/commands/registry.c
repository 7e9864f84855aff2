/* Names to commands: an open-addressing table of 2^k slots, filled once. A slot carries up to eight bytes of the name in lower
 * case, so that a look-up of a short name is one comparison. Hot path: registry_find. */
#include "commands/registry.h"

#include <errno.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/check.h"

enum { NAME_SLOTS = 1024 }; /* over twice the number of commands: runs stay short */

struct name_slot {
    uint64_t head; /* name_head: bytes of the name in lower case */
    struct command_entry *entry;
    const char *name; /* the entry's, or what it was renamed to */
    uint32_t len;
    bool verify; /* the head does not decide: longer, or with bytes that are not letters */
};

struct command_registry {
    struct name_slot slots[NAME_SLOTS];
    struct command_entry *entries;
    uint32_t count, id_count;
    struct error_stat errors[REGISTRY_ERROR_CODES_MAX];
    uint32_t error_count;
    uint64_t error_total;
};

/* ---- names */

/* Up to eight bytes in two overlapping loads: together with the length they decide. Lower case by setting bit 5 everywhere. */
INLINE uint64_t name_head(struct span name) {
    uint64_t head = 0;
    if (name.len >= 8) {
        memcpy(&head, name.data, 8);
    } else if (name.len >= 4) {
        uint32_t first, last;
        memcpy(&first, name.data, 4);
        memcpy(&last, name.data + name.len - 4, 4);
        head = first | (uint64_t)last << 32;
    } else if (name.len > 0) {
        head = (uint64_t)(uint8_t)name.data[0] | (uint64_t)(uint8_t)name.data[name.len >> 1] << 8 |
               (uint64_t)(uint8_t)name.data[name.len - 1] << 16;
    }
    return head | 0x2020202020202020u;
}

INLINE uint32_t name_slot_of(uint64_t head, size_t len) {
    return (uint32_t)(((head ^ len) * 0x9e3779b97f4a7c15u) >> 54);
}

static bool only_letters(struct span name) {
    for (size_t i = 0; i < name.len; i++) {
        if (name.data[i] < 'a' || name.data[i] > 'z') return false;
    }
    return true;
}

static void add_name(struct command_registry *r, struct command_entry *entry) {
    struct span name = span_of(entry->renamed ? entry->renamed : entry->command->name);
    if (name.len == 0) return;
    uint64_t head = name_head(name);
    uint32_t at = name_slot_of(head, name.len);
    while (r->slots[at].entry) at = (at + 1) % NAME_SLOTS;
    r->slots[at] = (struct name_slot){head, entry, name.data, (uint32_t)name.len,
                                      name.len > 8 || !only_letters(name)};
}

struct command_entry *registry_find(const struct command_registry *r, struct span name) {
    uint64_t head = name_head(name);
    for (uint32_t at = name_slot_of(head, name.len); r->slots[at].entry;
         at = (at + 1) % NAME_SLOTS) {
        const struct name_slot *slot = &r->slots[at];
        if (slot->head != head || slot->len != name.len) continue;
        if (!slot->verify || span_is(name, slot->name)) return slot->entry;
    }
    return NULL;
}

struct command_entry *registry_find_subcommand(const struct command_entry *container,
                                               struct span name) {
    for (uint32_t i = 0; i < container->subcommand_count; i++) {
        if (span_is(name, container->subcommands[i].command->name))
            return &container->subcommands[i];
    }
    return NULL;
}

struct command_entry *registry_find_full(const struct command_registry *r, struct span full_name) {
    const char *bar = full_name.len ? memchr(full_name.data, '|', full_name.len) : NULL;
    if (!bar) return registry_find(r, full_name);
    size_t head_len = (size_t)(bar - full_name.data);
    struct command_entry *container = registry_find(r, span_make(full_name.data, head_len));
    if (!container) return NULL;
    return registry_find_subcommand(container, span_make(bar + 1, full_name.len - head_len - 1));
}

/* ---- making it */

/* What Redis derives from flags: https://redis.io/docs/latest/operate/oss_and_stack/management/security/acl/ */
static uint32_t all_categories(const struct command *c) {
    uint32_t set = c->categories;
    if (c->flags & COMMAND_WRITE) set |= CATEGORY_WRITE;
    if (c->flags & COMMAND_READONLY && c->group != GROUP_SCRIPTING) set |= CATEGORY_READ;
    if (c->flags & COMMAND_ADMIN) set |= CATEGORY_ADMIN | CATEGORY_DANGEROUS;
    if (c->flags & COMMAND_PUBSUB) set |= CATEGORY_PUBSUB;
    if (c->flags & COMMAND_BLOCKING) set |= CATEGORY_BLOCKING;
    return set | (c->flags & COMMAND_FAST ? CATEGORY_FAST : CATEGORY_SLOW);
}

static uint32_t rows(const struct command *table) {
    uint32_t n = 0;
    while (table && table[n].name) n++;
    return n;
}

static void fill_entry(struct command_registry *r, struct command_entry *e,
                       const struct command *command, const struct command_entry *container) {
    struct buf name = {0};
    if (container) buf_printf(&name, "%s|", container->command->name);
    buf_put_text(&name, command->name);
    e->command = command;
    e->container = container;
    e->full_name = mem_strdup(buf_terminate(&name));
    e->id = r->id_count++;
    e->categories = all_categories(command);
    buf_release(&name);
}

static void add_command(struct command_registry *r, const struct command *command) {
    struct command_entry *e = &r->entries[r->count++];
    fill_entry(r, e, command, NULL);
    e->subcommand_count = rows(command->subcommands);
    if (e->subcommand_count)
        e->subcommands = mem_zalloc(e->subcommand_count * sizeof *e->subcommands);
    for (uint32_t i = 0; i < e->subcommand_count; i++) {
        fill_entry(r, &e->subcommands[i], &command->subcommands[i], e);
    }
    add_name(r, e);
}

struct command_registry *registry_new(const struct command *const *tables, uint32_t table_count) {
    struct command_registry *r = mem_zalloc(sizeof *r);
    uint32_t total = 0;
    for (uint32_t i = 0; i < table_count; i++) total += rows(tables[i]);
    CHECK(total < NAME_SLOTS / 2);
    r->entries = mem_zalloc(total * sizeof *r->entries);
    for (uint32_t i = 0; i < table_count; i++) {
        for (const struct command *c = tables[i]; c->name; c++) add_command(r, c);
    }
    return r;
}

static void release_entry(struct command_entry *e) {
    mem_free(e->full_name);
    mem_free(e->renamed);
    mem_free(e->stats.histogram);
}

void registry_free(struct command_registry *r) {
    for (uint32_t i = 0; i < r->count; i++) {
        struct command_entry *e = &r->entries[i];
        for (uint32_t j = 0; j < e->subcommand_count; j++) release_entry(&e->subcommands[j]);
        mem_free(e->subcommands);
        release_entry(e);
    }
    mem_free(r->entries);
    mem_free(r);
}

/* Probing runs do not bear holes: all names are entered anew. */
int registry_rename(struct command_registry *r, struct span from, struct span to) {
    struct command_entry *e = registry_find(r, from);
    if (!e) return -ENOENT;
    if (to.len > 0 && registry_find(r, to)) return -EEXIST;
    mem_free(e->renamed);
    e->renamed = mem_alloc(to.len + 1);
    memcpy(e->renamed, to.data, to.len);
    e->renamed[to.len] = '\0';
    memset(r->slots, 0, sizeof r->slots);
    for (uint32_t i = 0; i < r->count; i++) add_name(r, &r->entries[i]);
    return 0;
}

uint32_t registry_count(const struct command_registry *r) {
    return r->count;
}

struct command_entry *registry_at(const struct command_registry *r, uint32_t index) {
    return &r->entries[index];
}

uint32_t registry_id_count(const struct command_registry *r) {
    return r->id_count;
}

/* ---- statistics */

static void reset_entry(struct command_entry *e) {
    mem_free(e->stats.histogram);
    e->stats = (struct command_stats){0};
}

void registry_reset_stats(struct command_registry *r) {
    for (uint32_t i = 0; i < r->count; i++) {
        struct command_entry *e = &r->entries[i];
        reset_entry(e);
        for (uint32_t j = 0; j < e->subcommand_count; j++) reset_entry(&e->subcommands[j]);
    }
    r->error_count = 0;
    r->error_total = 0;
}

void registry_count_error(struct command_registry *r, const char *code) {
    struct span name = span_of(code);
    r->error_total++;
    for (uint32_t i = 0; i < r->error_count; i++) {
        if (span_eq(span_of(r->errors[i].code), name)) {
            r->errors[i].count++;
            return;
        }
    }
    if (r->error_count == REGISTRY_ERROR_CODES_MAX || name.len >= sizeof r->errors[0].code) return;
    struct error_stat *stat = &r->errors[r->error_count++];
    memcpy(stat->code, name.data, name.len + 1);
    stat->count = 1;
}

const struct error_stat *registry_errors(const struct command_registry *r, uint32_t *count) {
    *count = r->error_count;
    return r->errors;
}

uint64_t registry_error_total(const struct command_registry *r) {
    return r->error_total;
}

/* ---- categories */

const char *const category_names[CATEGORY_COUNT] = {
    "keyspace", "read",   "write",       "set",       "sortedset",  "list",        "hash",
    "string",   "bitmap", "hyperloglog", "geo",       "stream",     "pubsub",      "admin",
    "fast",     "slow",   "blocking",    "dangerous", "connection", "transaction", "scripting",
};

const char *category_name(uint32_t category_bit) {
    uint32_t at = (uint32_t)__builtin_ctz(category_bit);
    return at < CATEGORY_COUNT ? category_names[at] : "";
}
