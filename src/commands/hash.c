/* Hashes: https://redis.io/docs/latest/commands/?group=hash. Fields and values are in src/types/fields.c; times to live of fields in
 * hash_expire.c, HSCAN and HRANDFIELD in hash_walk.c, the commands' rows in hash_table.c. Hot path: set_pairs, hash_get, hash_mget,
 * reply_block. */
#include "commands/hash.h"

#include <math.h>

#include "commands/host.h"
#include "commands/long_reply.h"
#include "commands/packed_reply.h"

/* ---- the hash behind a key */

bool hash_find(struct call *call, const struct fields **fields) {
    struct entry *e = call_find(call, 1);
    *fields = NULL;
    if (!call_check_type(call, e, ENTRY_HASH)) return false;
    if (e) *fields = entry_object(e);
    return true;
}

struct fields_limits hash_limits_of(const struct call *call) {
    const struct settings *settings = call->host->settings;
    return (struct fields_limits){
        .packed_count_max = (uint64_t)settings->hash_max_listpack_entries,
        .packed_bytes_max = (uint64_t)settings->hash_max_listpack_value_bytes,
    };
}

bool hash_edit_begin(struct hash_edit *edit, struct call *call) {
    *edit = (struct hash_edit){.call = call, .limits = hash_limits_of(call)};
    edit->entry = call_find_for_write(call, 1);
    if (!edit->entry) return true;
    if (!call_check_type(call, edit->entry, ENTRY_HASH)) return false;
    edit->fields = entry_object(edit->entry);
    edit->bytes_before = fields_memory_bytes(edit->fields);
    return true;
}

void hash_edit_make(struct hash_edit *edit) {
    if (!edit->fields) edit->fields = fields_new();
}

static bool memory_error(struct call *call) {
    reply_error(call->reply, ERROR_MEMORY_TEXT);
    return false;
}

static bool store_new(struct hash_edit *edit) {
    struct call *call = edit->call;
    struct fields *fields = edit->fields;
    if (fields_count(fields) == 0) {
        fields_free(fields);
        edit->fields = NULL;
        return true;
    }
    edit->entry = db_put_object(call->db, NULL, call->argv[1], call->key_hash, ENTRY_HASH, fields,
                                ENTRY_NO_DEADLINE);
    if (!edit->entry) return memory_error(call);
    return true;
}

/* Most hashes have no deadline and never had one: then the entry does not say so, and nothing is to be noted. */
static void note_deadline(struct hash_edit *edit) {
    struct call *call = edit->call;
    bool some = fields_deadline_count(edit->fields) > 0;
    if (LIKELY(!some && entry_inner_deadline_ms(edit->entry) == ENTRY_NO_DEADLINE)) return;
    db_note_inner_deadline(call->db, edit->entry, call->key_hash,
                           some ? fields_earliest_ms(edit->fields) : ENTRY_NO_DEADLINE);
}

void hash_edit_put_back(struct hash_edit *edit) {
    size_t bytes = fields_memory_bytes(edit->fields);
    entry_set_object(edit->entry, edit->fields);
    db_account(edit->call->db, edit->bytes_before, bytes);
    edit->bytes_before = bytes;
    note_deadline(edit);
}

bool hash_edit_store(struct hash_edit *edit) {
    struct call *call = edit->call;
    if (!edit->fields) return true;
    if (edit->entry) {
        hash_edit_put_back(edit);
        db_changed(call->db, call->argv[1]);
        return true;
    }
    if (!store_new(edit)) return false;
    if (edit->entry) note_deadline(edit);
    return true;
}

void hash_count_expired(struct call *call, uint64_t count) {
    keyspace_stats(call->host->keyspace)->expired_field_count += count;
}

static void tell_expired(struct hash_edit *edit) {
    struct call *call = edit->call;
    if (LIKELY(edit->expired_count == 0)) return;
    hash_count_expired(call, edit->expired_count);
    call_event(call, 'h', "hexpired", call->argv[1]);
}

bool hash_edit_tell(struct hash_edit *edit, const char *event) {
    if (!hash_edit_store(edit)) return false;
    tell_expired(edit);
    call_event(edit->call, 'h', event, edit->call->argv[1]);
    return true;
}

void hash_edit_tell_removed(struct hash_edit *edit, const char *event) {
    struct call *call = edit->call;
    if (fields_count(edit->fields) > 0) {
        hash_edit_store(edit);
        call_event(call, 'h', event, call->argv[1]);
        return;
    }
    hash_edit_put_back(edit);
    call_event(call, 'h', event, call->argv[1]);
    db_remove(call->db, edit->entry, call->key_hash, true);
    call_event(call, 'g', "del", call->argv[1]);
}

/* The pairs before the one that found no memory stay. */
bool hash_edit_set(struct hash_edit *edit, struct span field, struct span value,
                   int64_t deadline_ms, bool *added) {
    int rc = fields_set(&edit->fields, field, value, deadline_ms, &edit->limits);
    if (UNLIKELY(rc < 0)) {
        hash_edit_store(edit);
        return memory_error(edit->call);
    }
    edit->expired_count += rc == FIELDS_REVIVED;
    if (added) *added = rc != FIELDS_UPDATED;
    return true;
}

/* ---- HSET, HMSET, HSETNX */

static size_t longest(const struct span *texts, uint32_t count) {
    size_t len = 0;
    for (uint32_t i = 0; i < count; i++) len = MAX(len, texts[i].len);
    return len;
}

/* Arguments from 2 on. */
static bool set_pairs(struct hash_edit *edit, uint64_t *added_count) {
    struct call *call = edit->call;
    const struct span *argv = call->argv;
    uint32_t pair_count = (call->argc - 2) / 2;
    hash_edit_make(edit);
    if (fields_prepare(&edit->fields, pair_count, longest(argv + 2, call->argc - 2),
                       &edit->limits) < 0) {
        hash_edit_store(edit);
        return memory_error(call);
    }
    for (uint32_t i = 0; i < pair_count; i++) {
        const struct span *pair = argv + 2 + 2 * (size_t)i;
        bool added;
        if (i % FIELDS_AHEAD == 0 && pair_count > 1) {
            fields_prefetch(edit->fields, pair, pair_count - i, 2);
        }
        if (!hash_edit_set(edit, pair[0], pair[1], FIELDS_NO_DEADLINE, &added)) return false;
        *added_count += added;
    }
    return true;
}

static bool set_from_arguments(struct call *call, uint64_t *added_count) {
    struct hash_edit edit;
    if (call->argc % 2 == 1) {
        reply_errorf(call->reply, "ERR wrong number of arguments for '%s' command",
                     call->command->name);
        return false;
    }
    if (!hash_edit_begin(&edit, call)) return false;
    return set_pairs(&edit, added_count) && hash_edit_tell(&edit, "hset");
}

void hash_set(struct call *call) {
    uint64_t added_count = 0;
    if (set_from_arguments(call, &added_count)) reply_int(call->reply, (int64_t)added_count);
}

void hash_mset(struct call *call) {
    uint64_t added_count = 0;
    if (set_from_arguments(call, &added_count)) reply_ok(call->reply);
}

void hash_setnx(struct call *call) {
    struct hash_edit edit;
    struct field_pair pair;
    uint64_t added_count = 0;
    if (!hash_edit_begin(&edit, call)) return;
    if (edit.fields && fields_get(edit.fields, call->argv[2], &pair)) {
        reply_int(call->reply, 0);
    } else if (set_pairs(&edit, &added_count) && hash_edit_tell(&edit, "hset")) {
        reply_int(call->reply, 1);
    }
}

/* ---- HINCRBY, HINCRBYFLOAT */

/* Writes the result and tells; the deadline stays. */
static bool put_number(struct hash_edit *edit, struct span text, int64_t deadline_ms,
                       const char *event) {
    hash_edit_make(edit);
    return hash_edit_set(edit, edit->call->argv[2], text, deadline_ms, NULL) &&
           hash_edit_tell(edit, event);
}

static bool get_field(const struct hash_edit *edit, struct field_pair *pair) {
    *pair = (struct field_pair){.deadline_ms = FIELDS_NO_DEADLINE};
    return edit->fields && fields_get(edit->fields, edit->call->argv[2], pair);
}

void hash_incrby(struct call *call) {
    char text[NUM_INT_TEXT_MAX];
    struct hash_edit edit;
    struct field_pair pair;
    int64_t by, number;
    if (!call_int(call, 3, &by) || !hash_edit_begin(&edit, call)) return;
    bool found = get_field(&edit, &pair);
    number = pair.value.number;
    if (found && !pair.value.is_int && !num_parse_int(pair.value.bytes, &number)) {
        reply_error(call->reply, "ERR hash value is not an integer");
        return;
    }
    if (__builtin_add_overflow(number, by, &number)) {
        reply_error(call->reply, "ERR increment or decrement would overflow");
        return;
    }
    struct span digits = span_make(text, num_format_int(text, number));
    if (put_number(&edit, digits, pair.deadline_ms, "hincrby")) reply_int(call->reply, number);
}

void hash_incrbyfloat(struct call *call) {
    char text[NUM_LONG_DOUBLE_TEXT_MAX], digits[NUM_INT_TEXT_MAX];
    struct hash_edit edit;
    struct field_pair pair;
    long double by, number = 0;
    if (!num_parse_long_double(call->argv[3], &by)) {
        reply_error(call->reply, ERROR_NOT_FLOAT_TEXT);
        return;
    }
    if (isinf(by)) {
        reply_error(call->reply, "ERR value is NaN or Infinity");
        return;
    }
    if (!hash_edit_begin(&edit, call)) return;
    if (get_field(&edit, &pair) &&
        !num_parse_long_double(packed_value_bytes(&pair.value, digits), &number)) {
        reply_error(call->reply, "ERR hash value is not a float");
        return;
    }
    number += by;
    if (isnan(number) || isinf(number)) {
        reply_error(call->reply, "ERR increment would produce NaN or Infinity");
        return;
    }
    struct span result = span_make(text, num_format_long_double(text, number));
    if (put_number(&edit, result, pair.deadline_ms, "hincrbyfloat")) {
        reply_bulk(call->reply, result);
    }
}

/* ---- reading */

static void reply_field(struct reply *reply, const struct fields *fields, struct span field) {
    struct field_pair pair;
    if (fields && fields_get(fields, field, &pair)) {
        reply_packed(reply, &pair.value);
    } else {
        reply_null(reply);
    }
}

void hash_get(struct call *call) {
    const struct fields *fields;
    if (hash_find(call, &fields)) reply_field(call->reply, fields, call->argv[2]);
}

void hash_mget(struct call *call) {
    const struct fields *fields;
    uint32_t count = call->argc - 2;
    if (!hash_find(call, &fields)) return;
    reply_array(call->reply, count);
    for (uint32_t i = 0; i < count; i++) {
        const struct span *field = call->argv + 2 + i;
        if (fields && i % FIELDS_AHEAD == 0) fields_prefetch(fields, field, count - i, 1);
        reply_field(call->reply, fields, *field);
    }
}

void hash_exists(struct call *call) {
    const struct fields *fields;
    struct field_pair pair;
    if (!hash_find(call, &fields)) return;
    reply_int(call->reply, fields && fields_get(fields, call->argv[2], &pair));
}

void hash_strlen(struct call *call) {
    char text[NUM_INT_TEXT_MAX];
    const struct fields *fields;
    struct field_pair pair;
    size_t len = 0;
    if (!hash_find(call, &fields)) return;
    if (fields && fields_get(fields, call->argv[2], &pair)) {
        len = packed_value_bytes(&pair.value, text).len;
    }
    reply_int(call->reply, (int64_t)len);
}

void hash_len(struct call *call) {
    const struct fields *fields;
    if (!hash_find(call, &fields)) return;
    reply_int(call->reply, fields ? (int64_t)fields_count(fields) : 0);
}

/* ---- HGETALL, HKEYS, HVALS */

enum parts { PART_FIELDS = 1, PART_VALUES = 2, PART_BOTH = 3 };

static void reply_count(struct reply *reply, unsigned parts, uint64_t count) {
    if (parts == PART_BOTH) {
        reply_map(reply, count);
    } else {
        reply_array(reply, count);
    }
}

/* A plain packed hash: field and value in turn, straight from the block. */
static void reply_block(struct reply *reply, const struct packed *block, unsigned parts) {
    unsigned part = PART_FIELDS;
    reply_count(reply, parts, packed_count(block) / 2);
    for (packed_at at = packed_first(block); at; at = packed_next(block, at)) {
        struct packed_value value = packed_get(at);
        if (parts & part) reply_packed(reply, &value);
        part = PART_BOTH - part;
    }
}

static uint64_t reply_walk(struct reply *reply, const struct fields *fields, unsigned parts) {
    struct field_pair pairs[FIELDS_WALK_BATCH];
    struct fields_walk walk;
    uint64_t total = 0;
    uint32_t count;
    fields_walk_begin(&walk, fields);
    for (; (count = fields_walk_next(&walk, pairs)); total += count) {
        for (uint32_t i = 0; i < count; i++) {
            if (parts & PART_FIELDS) reply_packed(reply, &pairs[i].field);
            if (parts & PART_VALUES) reply_packed(reply, &pairs[i].value);
        }
    }
    return total;
}

/* How many have not expired is known at the end only. */
static void reply_live(struct reply *reply, const struct fields *fields, unsigned parts) {
    struct chunk *mark = reply_mark(reply);
    uint64_t count = reply_walk(reply, fields, parts);
    if (parts == PART_BOTH) {
        reply_fill_map(reply, mark, count);
    } else {
        reply_fill_array(reply, mark, count);
    }
}

struct parts_state {
    struct fields_walk walk;
    unsigned parts;
};

static bool write_parts(void *context, struct reply *reply) {
    struct parts_state *state = context;
    struct field_pair pairs[FIELDS_WALK_BATCH];
    uint32_t count = fields_walk_next(&state->walk, pairs);
    for (uint32_t i = 0; i < count; i++) {
        if (state->parts & PART_FIELDS) reply_packed(reply, &pairs[i].field);
        if (state->parts & PART_VALUES) reply_packed(reply, &pairs[i].value);
    }
    return count == 0;
}

static const struct long_reply_kind parts_kind = {
    .state_bytes = sizeof(struct parts_state), .type = ENTRY_HASH, .write = write_parts};

/* Without deadlines the count is that of the walk. */
static void reply_all(struct call *call, const struct fields *fields, unsigned parts) {
    struct parts_state state = {.parts = parts};
    reply_count(call->reply, parts, fields_count(fields));
    fields_walk_begin(&state.walk, fields);
    long_reply(call, &parts_kind, &state, fields);
}

static void reply_parts(struct call *call, unsigned parts) {
    const struct fields *fields;
    if (!hash_find(call, &fields)) return;
    if (!fields) {
        reply_count(call->reply, parts, 0);
    } else if (fields_packed(fields)) {
        reply_block(call->reply, fields_packed(fields), parts);
    } else if (fields_deadline_count(fields) == 0) {
        reply_all(call, fields, parts);
    } else {
        reply_live(call->reply, fields, parts);
    }
}

void hash_getall(struct call *call) {
    reply_parts(call, PART_BOTH);
}
void hash_keys(struct call *call) {
    reply_parts(call, PART_FIELDS);
}
void hash_vals(struct call *call) {
    reply_parts(call, PART_VALUES);
}

/* ---- HDEL, HGETDEL */

void hash_del(struct call *call) {
    struct hash_edit edit;
    int64_t removed_count = 0;
    uint32_t count = call->argc - 2;
    if (!hash_edit_begin(&edit, call)) return;
    for (uint32_t i = 0; edit.fields && i < count && fields_count(edit.fields) > 0; i++) {
        const struct span *field = call->argv + 2 + i;
        if (i % FIELDS_AHEAD == 0 && count > 1) fields_prefetch(edit.fields, field, count - i, 1);
        removed_count += fields_remove(&edit.fields, *field);
    }
    if (removed_count > 0) hash_edit_tell_removed(&edit, "hdel");
    reply_int(call->reply, removed_count);
}

/* ---- what the keyspace is told */

static void value_free(void *object) {
    fields_free(object);
}
static void *value_try_copy(const void *object) {
    return fields_copy(object);
}
static size_t value_memory_bytes(const void *object) {
    return fields_memory_bytes(object);
}
static uint64_t value_free_effort(const void *object) {
    return fields_free_effort(object);
}
static bool value_free_step(void *object, uint32_t effort) {
    return fields_free_step(object, effort);
}
static const char *value_encoding(const void *object) {
    static const char *const names[] = {"listpack", "listpackex", "hashtable"};
    return names[fields_encoding_of(object)];
}
static uint64_t value_expire_step(void **object, int64_t now_ms, uint64_t max, int64_t *earliest_ms,
                                  bool *empty) {
    struct fields *fields = *object;
    uint64_t count = fields_remove_due(&fields, now_ms, max);
    *object = fields;
    *earliest_ms =
        fields_deadline_count(fields) > 0 ? fields_earliest_ms(fields) : ENTRY_NO_DEADLINE;
    *empty = fields_count(fields) == 0;
    return count;
}

const struct value_ops hash_value_ops = {
    .free = value_free,
    .try_copy = value_try_copy,
    .memory_bytes = value_memory_bytes,
    .free_effort = value_free_effort,
    .free_step = value_free_step,
    .encoding = value_encoding,
    .expire_step = value_expire_step,
    .expire_event = "hexpired",
};
