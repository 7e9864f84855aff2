#include "commands/expiration.h"

#include "commands/host.h"

static bool refuse_time(struct call *call) {
    reply_errorf(call->reply, "ERR invalid expire time in '%s' command", call->command->name);
    return false;
}

/* False when the deadline is more than 64 bits hold. */
static bool to_deadline(int64_t time, enum expiration_unit unit, int64_t *deadline_ms) {
    bool seconds = unit == EXPIRATION_S || unit == EXPIRATION_UNIX_S;
    bool relative = unit == EXPIRATION_S || unit == EXPIRATION_MS;
    if (__builtin_mul_overflow(time, seconds ? 1000 : 1, &time)) return false;
    if (__builtin_add_overflow(time, relative ? clock_real_ms() : 0, &time)) return false;
    *deadline_ms = MIN(time, EXPIRATION_MAX_MS);
    return true;
}

bool expiration_parse(struct call *call, uint32_t at, enum expiration_unit unit,
                      int64_t *deadline_ms) {
    int64_t time;
    if (!call_int(call, at, &time)) return false;
    if (time <= 0 || !to_deadline(time, unit, deadline_ms)) return refuse_time(call);
    return true;
}

bool expiration_parse_any(struct call *call, uint32_t at, enum expiration_unit unit,
                          int64_t *deadline_ms) {
    int64_t time;
    if (!call_int(call, at, &time)) return false;
    if (!to_deadline(time, unit, deadline_ms)) return refuse_time(call);
    *deadline_ms = MAX(*deadline_ms, 0);
    return true;
}

void expiration_remove(struct call *call, struct entry *e, uint32_t at) {
    struct host *host = call->host;
    db_remove(call->db, e, call_hash(call, at), host->settings->lazyfree_lazy_expire);
    keyspace_stats(host->keyspace)->expired_count++;
    call_event(call, 'x', "expired", call->argv[at]);
}
