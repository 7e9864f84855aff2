/* Times to live of fields: HEXPIRE, HTTL, HPERSIST and their like; HGETEX, HSETEX, HGETDEL. Valkey's syntax and replies:
 * https://valkey.io/commands/#hash. */
#include <errno.h>

#include "commands/expiration.h"
#include "commands/hash.h"
#include "commands/host.h"
#include "commands/packed_reply.h"

#define NUMFIELDS_ERROR \
    "ERR numfields should be greater than 0 and match the provided number of fields"

/* ---- arguments */

/* Argument `at` as a deadline. Zero and the past are taken, negative ones are not. */
static bool parse_deadline(struct call *call, uint32_t at, enum expiration_unit unit,
                           int64_t *deadline_ms) {
    bool seconds = unit == EXPIRATION_S || unit == EXPIRATION_UNIX_S;
    bool relative = unit == EXPIRATION_S || unit == EXPIRATION_MS;
    int64_t time;
    if (!call_int(call, at, &time)) return false;
    bool wrong = time < 0 || (seconds && __builtin_mul_overflow(time, (int64_t)1000, &time)) ||
                 (relative && __builtin_add_overflow(time, clock_real_ms(), &time));
    if (wrong) {
        reply_errorf(call->reply, "ERR invalid expire time in '%s' command", call->command->name);
        return false;
    }
    *deadline_ms = MIN(time, EXPIRATION_MAX_MS);
    return true;
}

/* The position of FIELDS from `first` on; argc when it is missing or last. */
static uint32_t find_fields_word(const struct call *call, uint32_t first) {
    for (uint32_t at = first; at + 1 < call->argc; at++) {
        if (call_is(call, at, "fields")) return at;
    }
    return call->argc;
}

/* The arguments behind FIELDS are a number and `per_field` times as many others. */
static bool parse_count(struct call *call, uint32_t fields_word, uint32_t per_field,
                        const char *error, uint32_t *count) {
    int64_t number = 0;
    if (fields_word < call->argc && !call_int(call, fields_word + 1, &number)) return false;
    uint32_t rest = fields_word < call->argc ? call->argc - fields_word - 2 : 0;
    if (number < 1 || number > rest || number * per_field != rest) {
        reply_error(call->reply, error);
        return false;
    }
    *count = (uint32_t)number;
    return true;
}

/* "key FIELDS numfields field...": the fields begin at argument 4. */
static bool parse_plain(struct call *call, const char *error, uint32_t *count) {
    if (!call_is(call, 2, "fields")) {
        call_syntax_error(call);
        return false;
    }
    return parse_count(call, 2, 1, error, count);
}

/* ---- HEXPIRE, HPEXPIRE, HEXPIREAT, HPEXPIREAT */

static unsigned condition_of(const struct call *call, uint32_t at) {
    static const char *const words[] = {"nx", "xx", "gt", "lt"};
    static const unsigned conditions[] = {FIELDS_IF_NONE, FIELDS_IF_ANY, FIELDS_IF_LATER,
                                          FIELDS_IF_EARLIER};
    for (unsigned i = 0; i < ARRAY_LENGTH(words); i++) {
        if (call_is(call, at, words[i])) return conditions[i];
    }
    return 0;
}

static bool parse_conditions(struct call *call, uint32_t end, unsigned *conditions) {
    *conditions = 0;
    for (uint32_t at = 3; at < end; at++) {
        unsigned condition = condition_of(call, at);
        if (!condition) {
            struct span word = call->argv[at];
            reply_errorf(call->reply, "ERR Unsupported option %.*s", (int)MIN(word.len, 256),
                         word.data);
            return false;
        }
        *conditions |= condition;
    }
    if (*conditions & FIELDS_IF_NONE && *conditions & ~(unsigned)FIELDS_IF_NONE) {
        reply_error(call->reply,
                    "ERR NX and XX, GT or LT options at the same time are not compatible");
        return false;
    }
    if (*conditions & FIELDS_IF_LATER && *conditions & FIELDS_IF_EARLIER) {
        reply_error(call->reply, "ERR GT and LT options at the same time are not compatible");
        return false;
    }
    return true;
}

struct expire_request {
    unsigned conditions;
    int64_t deadline_ms;
    uint32_t first, count; /* the fields' arguments */
};

static bool parse_expire(struct call *call, enum expiration_unit unit, struct expire_request *r) {
    uint32_t word = find_fields_word(call, 3);
    *r = (struct expire_request){.first = word + 2};
    if (word < call->argc && !parse_conditions(call, word, &r->conditions)) return false;
    return parse_count(call, word, 1, NUMFIELDS_ERROR, &r->count) &&
           parse_deadline(call, 2, unit, &r->deadline_ms);
}

/* What happened to fields, one answer each: written when all is done, since what went wrong in between is one error. */
static void reply_results(struct call *call, const int8_t *results, uint32_t count) {
    reply_array(call->reply, count);
    for (uint32_t i = 0; i < count; i++) reply_int(call->reply, results[i]);
}

static void tell_expire(struct hash_edit *edit, uint64_t changed_count, uint64_t expired_count) {
    if (expired_count > 0) {
        hash_count_expired(edit->call, expired_count);
        hash_edit_tell_removed(edit, "hexpired");
    } else if (changed_count > 0) {
        hash_edit_tell(edit, "hexpire");
    }
}

static void expire_fields(struct call *call, enum expiration_unit unit) {
    uint64_t changed_count = 0, expired_count = 0;
    struct expire_request r;
    struct hash_edit edit;
    int rc = 0;
    if (!parse_expire(call, unit, &r) || !hash_edit_begin(&edit, call)) return;
    int8_t *results = call_scratch(call, r.count);
    for (uint32_t i = 0; i < r.count && rc != -ENOMEM; i++) {
        const struct span *field = call->argv + r.first + i;
        if (edit.fields && i % FIELDS_AHEAD == 0) {
            fields_prefetch(edit.fields, field, r.count - i, 1);
        }
        rc = edit.fields ? fields_expire(&edit.fields, *field, r.deadline_ms, r.conditions)
                         : FIELDS_ABSENT;
        changed_count += rc == FIELDS_CHANGED;
        expired_count += rc == FIELDS_EXPIRED;
        results[i] = (int8_t)rc;
    }
    tell_expire(&edit, changed_count, expired_count);
    if (rc == -ENOMEM) {
        reply_error(call->reply, ERROR_MEMORY_TEXT);
    } else {
        reply_results(call, results, r.count);
    }
}

void hash_expire_s(struct call *call) {
    expire_fields(call, EXPIRATION_S);
}
void hash_expire_ms(struct call *call) {
    expire_fields(call, EXPIRATION_MS);
}
void hash_expire_at_s(struct call *call) {
    expire_fields(call, EXPIRATION_UNIX_S);
}
void hash_expire_at_ms(struct call *call) {
    expire_fields(call, EXPIRATION_UNIX_MS);
}

/* ---- HPERSIST */

void hash_persist(struct call *call) {
    struct hash_edit edit;
    uint32_t count;
    bool changed = false;
    int rc = 0;
    if (!parse_plain(call, NUMFIELDS_ERROR, &count) || !hash_edit_begin(&edit, call)) return;
    int8_t *results = call_scratch(call, count);
    for (uint32_t i = 0; i < count && rc != -ENOMEM; i++) {
        rc = edit.fields ? fields_persist(&edit.fields, call->argv[4 + i]) : FIELDS_ABSENT;
        changed |= rc == FIELDS_CHANGED;
        results[i] = (int8_t)rc;
    }
    if (changed) hash_edit_tell(&edit, "hpersist");
    if (rc == -ENOMEM) {
        reply_error(call->reply, ERROR_MEMORY_TEXT);
    } else {
        reply_results(call, results, count);
    }
}

/* ---- HTTL, HPTTL, HEXPIRETIME, HPEXPIRETIME */

enum { FIELD_ABSENT = -2, FIELD_ENDLESS = -1 };

/* In ms: what is left of it, or when it ends. */
static int64_t field_time_ms(const struct fields *fields, struct span field, bool left) {
    struct field_pair pair;
    if (!fields || !fields_get(fields, field, &pair)) return FIELD_ABSENT;
    if (pair.deadline_ms == FIELDS_NO_DEADLINE) return FIELD_ENDLESS;
    return left ? pair.deadline_ms - clock_real_ms() : expiration_shown_ms(pair.deadline_ms);
}

static int64_t rounded_s(int64_t ms) {
    return ms < 0 ? ms : ms / 1000 + (ms % 1000 >= 500);
}

static void reply_times(struct call *call, bool left, bool seconds) {
    const struct fields *fields;
    uint32_t count;
    if (!parse_plain(call, ERROR_SYNTAX_TEXT, &count) || !hash_find(call, &fields)) return;
    reply_array(call->reply, count);
    for (uint32_t i = 0; i < count; i++) {
        int64_t ms = field_time_ms(fields, call->argv[4 + i], left);
        reply_int(call->reply, seconds ? rounded_s(ms) : ms);
    }
}

void hash_ttl_s(struct call *call) {
    reply_times(call, true, true);
}
void hash_ttl_ms(struct call *call) {
    reply_times(call, true, false);
}
void hash_expire_time_s(struct call *call) {
    reply_times(call, false, true);
}
void hash_expire_time_ms(struct call *call) {
    reply_times(call, false, false);
}

/* ---- the options of HGETEX and HSETEX, all before FIELDS */

enum option {
    OPTION_NX = 1 << 0,  /* the key is not there */
    OPTION_XX = 1 << 1,  /* it is */
    OPTION_FNX = 1 << 2, /* none of the fields is there */
    OPTION_FXX = 1 << 3, /* all are */
    OPTION_KEEPTTL = 1 << 4,
    OPTION_PERSIST = 1 << 5,
    OPTION_EX = 1 << 6,
    OPTION_PX = 1 << 7,
    OPTION_EXAT = 1 << 8,
    OPTION_PXAT = 1 << 9,
    OPTION_TIMES = OPTION_EX | OPTION_PX | OPTION_EXAT | OPTION_PXAT,
    OPTION_LIVES = OPTION_TIMES | OPTION_KEEPTTL | OPTION_PERSIST,
    OPTIONS_OF_SET =
        OPTION_NX | OPTION_XX | OPTION_FNX | OPTION_FXX | OPTION_KEEPTTL | OPTION_TIMES,
    OPTIONS_OF_GET = OPTION_PERSIST | OPTION_TIMES,
};

/* An option excludes the others of its group; a repeated one counts once more. */
static const struct option_word {
    const char *word;
    unsigned option, group;
} option_words[] = {
    {"nx", OPTION_NX, OPTION_NX | OPTION_XX},
    {"xx", OPTION_XX, OPTION_NX | OPTION_XX},
    {"fnx", OPTION_FNX, OPTION_FNX | OPTION_FXX},
    {"fxx", OPTION_FXX, OPTION_FNX | OPTION_FXX},
    {"keepttl", OPTION_KEEPTTL, OPTION_KEEPTTL | OPTION_TIMES | OPTION_PERSIST},
    {"persist", OPTION_PERSIST, OPTION_LIVES},
    {"ex", OPTION_EX, OPTION_LIVES},
    {"px", OPTION_PX, OPTION_LIVES},
    {"exat", OPTION_EXAT, OPTION_LIVES},
    {"pxat", OPTION_PXAT, OPTION_LIVES},
};

struct options {
    unsigned given;
    uint32_t time_at;      /* the argument of EX and its like */
    uint32_t first, count; /* the fields' arguments; in pairs with values for HSETEX */
};

static const struct option_word *option_at(const struct call *call, uint32_t at) {
    for (size_t i = 0; i < ARRAY_LENGTH(option_words); i++) {
        if (call_is(call, at, option_words[i].word)) return option_words + i;
    }
    return NULL;
}

static bool parse_options(struct call *call, unsigned allowed, uint32_t per_field,
                          struct options *o) {
    uint32_t word = find_fields_word(call, 2);
    *o = (struct options){.first = word + 2};
    for (uint32_t at = 2; word < call->argc && at < word; at++) {
        const struct option_word *found = option_at(call, at);
        bool takes_time = found && found->option & OPTION_TIMES;
        if (!found || !(found->option & allowed) || o->given & found->group & ~found->option ||
            (takes_time && at + 1 >= word)) {
            call_syntax_error(call);
            return false;
        }
        o->given |= found->option;
        if (takes_time) o->time_at = ++at;
    }
    return parse_count(call, word, per_field, NUMFIELDS_ERROR, &o->count);
}

static bool parse_option_deadline(struct call *call, const struct options *o,
                                  int64_t *deadline_ms) {
    enum expiration_unit unit = o->given & OPTION_EX     ? EXPIRATION_S
                                : o->given & OPTION_PX   ? EXPIRATION_MS
                                : o->given & OPTION_EXAT ? EXPIRATION_UNIX_S
                                                         : EXPIRATION_UNIX_MS;
    return parse_deadline(call, o->time_at, unit, deadline_ms);
}

/* ---- HGETEX */

enum get_action { GET_ONLY, GET_EXPIRE, GET_REMOVE, GET_PERSIST };

/* True when the field changed; -ENOMEM is told in *failed. */
static bool act_on(struct fields **fields, struct span field, enum get_action action,
                   int64_t deadline_ms, bool *failed) {
    int rc = 0;
    switch (action) {
    case GET_ONLY: return false;
    case GET_REMOVE: return fields_remove(fields, field);
    case GET_EXPIRE: rc = fields_expire(fields, field, deadline_ms, 0); break;
    case GET_PERSIST: rc = fields_persist(fields, field); break;
    }
    *failed |= rc == -ENOMEM;
    return rc == FIELDS_CHANGED;
}

static void reply_value_or_null(struct call *call, const struct fields *fields, struct span field) {
    struct field_pair pair;
    if (fields && fields_get(fields, field, &pair)) {
        reply_packed(call->reply, &pair.value);
    } else {
        reply_null(call->reply);
    }
}

/* The deadline of a field that finds no memory stays as it was: its value, which was asked for, is answered all the same. */
static void get_fields(struct hash_edit *edit, const struct options *o, enum get_action action,
                       int64_t deadline_ms) {
    static const char *const events[] = {NULL, "hexpire", "hexpired", "hpersist"};
    struct call *call = edit->call;
    uint64_t changed_count = 0;
    bool failed = false;
    reply_array(call->reply, o->count);
    for (uint32_t i = 0; i < o->count; i++) {
        struct span field = call->argv[o->first + i];
        reply_value_or_null(call, edit->fields, field);
        if (edit->fields) {
            changed_count += act_on(&edit->fields, field, action, deadline_ms, &failed);
        }
    }
    if (changed_count == 0) return;
    if (action == GET_REMOVE) hash_count_expired(call, changed_count);
    hash_edit_tell_removed(edit, events[action]);
}

void hash_getex(struct call *call) {
    enum get_action action = GET_ONLY;
    int64_t deadline_ms = FIELDS_NO_DEADLINE;
    struct options o;
    struct hash_edit edit;
    if (!parse_options(call, OPTIONS_OF_GET, 1, &o)) return;
    struct entry *e = call_find(call, 1);
    if (!call_check_type(call, e, ENTRY_HASH)) return;
    if (o.given & OPTION_PERSIST) {
        action = GET_PERSIST;
    } else if (o.given & OPTION_TIMES) {
        if (!parse_option_deadline(call, &o, &deadline_ms)) return;
        action = expiration_is_past(deadline_ms) ? GET_REMOVE : GET_EXPIRE;
    }
    if (hash_edit_begin(&edit, call)) get_fields(&edit, &o, action, deadline_ms);
}

/* ---- HSETEX */

static bool field_conditions_hold(const struct hash_edit *edit, const struct options *o) {
    struct call *call = edit->call;
    if (!(o->given & (OPTION_FNX | OPTION_FXX))) return true;
    if (!edit->fields) return !(o->given & OPTION_FXX);
    for (uint32_t i = 0; i < o->count; i++) {
        struct field_pair pair;
        bool there = fields_get(edit->fields, call->argv[o->first + 2 * i], &pair);
        if (there ? o->given & OPTION_FNX : o->given & OPTION_FXX) return false;
    }
    return true;
}

/* What is set to live until a time that has passed is removed, and told of in full: set, given a deadline, expired. */
static void set_expired(struct hash_edit *edit, const struct options *o) {
    struct call *call = edit->call;
    struct span key = call->argv[1];
    uint64_t removed_count = 0;
    for (uint32_t i = 0; edit->fields && i < o->count; i++) {
        removed_count += fields_remove_any(&edit->fields, call->argv[o->first + 2 * i]);
    }
    hash_count_expired(call, o->count);
    if (removed_count > 0) hash_edit_put_back(edit);
    call_event(call, 'h', "hset", key);
    call_event(call, 'h', "hexpire", key);
    call_event(call, 'h', "hexpired", key);
    if (!edit->fields) {
        call_event(call, 'g', "del", key);
    } else if (fields_count(edit->fields) == 0) {
        db_remove(call->db, edit->entry, call->key_hash, true);
        call_event(call, 'g', "del", key);
    } else if (removed_count > 0) {
        db_changed(call->db, key);
    }
}

static bool set_living(struct hash_edit *edit, const struct options *o, int64_t deadline_ms) {
    struct call *call = edit->call;
    hash_edit_make(edit);
    for (uint32_t i = 0; i < o->count; i++) {
        const struct span *pair = call->argv + o->first + 2 * (size_t)i;
        if (i % FIELDS_AHEAD == 0) fields_prefetch(edit->fields, pair, o->count - i, 2);
        if (!hash_edit_set(edit, pair[0], pair[1], deadline_ms, NULL)) return false;
    }
    if (!hash_edit_tell(edit, "hset")) return false;
    if (o->given & OPTION_TIMES) call_event(call, 'h', "hexpire", call->argv[1]);
    return true;
}

static bool set_fields(struct hash_edit *edit, const struct options *o, int64_t deadline_ms) {
    if (deadline_ms != FIELDS_KEEP_DEADLINE && expiration_is_past(deadline_ms)) {
        set_expired(edit, o);
        return true;
    }
    return set_living(edit, o, deadline_ms);
}

void hash_setex(struct call *call) {
    int64_t deadline_ms = FIELDS_NO_DEADLINE;
    struct options o;
    struct hash_edit edit;
    if (!parse_options(call, OPTIONS_OF_SET, 2, &o) || !hash_edit_begin(&edit, call)) return;
    if ((o.given & OPTION_NX && edit.fields) || (o.given & OPTION_XX && !edit.fields)) {
        reply_int(call->reply, 0);
        return;
    }
    if (o.given & OPTION_KEEPTTL) deadline_ms = FIELDS_KEEP_DEADLINE;
    if (o.given & OPTION_TIMES && !parse_option_deadline(call, &o, &deadline_ms)) return;
    if (!field_conditions_hold(&edit, &o)) {
        reply_int(call->reply, 0);
    } else if (set_fields(&edit, &o, deadline_ms)) {
        reply_int(call->reply, 1);
    }
}

/* ---- HGETDEL */

void hash_getdel(struct call *call) {
    struct hash_edit edit;
    uint32_t count;
    bool removed = false;
    if (!parse_plain(call, NUMFIELDS_ERROR, &count) || !hash_edit_begin(&edit, call)) return;
    reply_array(call->reply, count);
    for (uint32_t i = 0; i < count; i++) {
        struct span field = call->argv[4 + i];
        reply_value_or_null(call, edit.fields, field);
        if (edit.fields) removed |= fields_remove(&edit.fields, field);
    }
    if (removed) hash_edit_tell_removed(&edit, "hdel");
}
