/* Deadlines of keys: EXPIRE, TTL, PERSIST and their like. */
#include "commands/expiration.h"
#include "commands/keys.h"

/* ---- EXPIRE, PEXPIRE, EXPIREAT, PEXPIREAT */

enum condition {
    CONDITION_NX = 1 << 0, /* only without a deadline */
    CONDITION_XX = 1 << 1, /* only with one */
    CONDITION_GT = 1 << 2, /* only later: no deadline counts as the latest */
    CONDITION_LT = 1 << 3, /* only earlier */
};

static unsigned condition_of(const struct call *call, uint32_t at) {
    static const char *const words[] = {"nx", "xx", "gt", "lt"};
    for (unsigned i = 0; i < ARRAY_LENGTH(words); i++) {
        if (call_is(call, at, words[i])) return 1u << i;
    }
    return 0;
}

static bool parse_conditions(struct call *call, unsigned *conditions) {
    *conditions = 0;
    for (uint32_t i = 3; i < call->argc; i++) {
        unsigned condition = condition_of(call, i);
        if (!condition) {
            struct span word = call->argv[i];
            reply_errorf(call->reply, "ERR Unsupported option %.*s", (int)MIN(word.len, 256),
                         word.data);
            return false;
        }
        *conditions |= condition;
    }
    if (*conditions & CONDITION_NX && *conditions & ~(unsigned)CONDITION_NX) {
        reply_error(call->reply,
                    "ERR NX and XX, GT or LT options at the same time are not compatible");
        return false;
    }
    if (*conditions & CONDITION_GT && *conditions & CONDITION_LT) {
        reply_error(call->reply, "ERR GT and LT options at the same time are not compatible");
        return false;
    }
    return true;
}

static bool conditions_hold(unsigned conditions, int64_t old_ms, int64_t new_ms) {
    bool had_one = old_ms != ENTRY_NO_DEADLINE;
    if (conditions & CONDITION_NX && had_one) return false;
    if (conditions & CONDITION_XX && !had_one) return false;
    if (conditions & CONDITION_GT && new_ms <= old_ms) return false;
    if (conditions & CONDITION_LT && new_ms >= old_ms) return false;
    return true;
}

static void set_deadline(struct call *call, enum expiration_unit unit) {
    int64_t deadline_ms;
    unsigned conditions;
    if (!parse_conditions(call, &conditions)) return;
    if (!expiration_parse_any(call, 2, unit, &deadline_ms)) return;
    struct entry *e = db_find_whole(call->db, call->argv[1], call->key_hash);
    if (!e || !conditions_hold(conditions, entry_deadline_ms(e), deadline_ms)) {
        reply_int(call->reply, 0);
        return;
    }
    if (expiration_is_past(deadline_ms)) {
        expiration_remove(call, e, 1);
    } else if (db_set_deadline(call->db, e, call->key_hash, deadline_ms)) {
        call_event(call, 'g', "expire", call->argv[1]);
    } else {
        reply_error(call->reply, ERROR_MEMORY_TEXT);
        return;
    }
    reply_int(call->reply, 1);
}

void expire_s(struct call *call) {
    set_deadline(call, EXPIRATION_S);
}

void expire_ms(struct call *call) {
    set_deadline(call, EXPIRATION_MS);
}

void expire_at_s(struct call *call) {
    set_deadline(call, EXPIRATION_UNIX_S);
}

void expire_at_ms(struct call *call) {
    set_deadline(call, EXPIRATION_UNIX_MS);
}

/* ---- TTL, PTTL, EXPIRETIME, PEXPIRETIME */

static int64_t rounded_seconds(int64_t ms) {
    return ms / 1000 + (ms % 1000 >= 500);
}

static void reply_deadline(struct call *call, enum expiration_unit unit) {
    const struct entry *e = call_look(call, 1, call->key_hash, DB_LOOK_NO_TOUCH);
    int64_t deadline_ms = e ? entry_deadline_ms(e) : ENTRY_NO_DEADLINE;
    if (deadline_ms == ENTRY_NO_DEADLINE) {
        reply_int(call->reply, e ? -1 : -2);
        return;
    }
    bool relative = unit == EXPIRATION_S || unit == EXPIRATION_MS;
    bool seconds = unit == EXPIRATION_S || unit == EXPIRATION_UNIX_S;
    int64_t ms = expiration_shown_ms(deadline_ms) - (relative ? clock_real_ms() : 0);
    reply_int(call->reply, seconds ? rounded_seconds(ms) : ms);
}

void expire_ttl_s(struct call *call) {
    reply_deadline(call, EXPIRATION_S);
}

void expire_ttl_ms(struct call *call) {
    reply_deadline(call, EXPIRATION_MS);
}

void expire_time_s(struct call *call) {
    reply_deadline(call, EXPIRATION_UNIX_S);
}

void expire_time_ms(struct call *call) {
    reply_deadline(call, EXPIRATION_UNIX_MS);
}

/* ---- PERSIST */

void expire_persist(struct call *call) {
    struct entry *e = db_find_whole(call->db, call->argv[1], call->key_hash);
    if (!e || entry_deadline_ms(e) == ENTRY_NO_DEADLINE) {
        reply_int(call->reply, 0);
        return;
    }
    if (!db_set_deadline(call->db, e, call->key_hash, ENTRY_NO_DEADLINE)) {
        reply_error(call->reply, ERROR_MEMORY_TEXT);
        return;
    }
    call_event(call, 'g', "persist", call->argv[1]);
    reply_int(call->reply, 1);
}
