/* Who waits for which key. One table of waited keys for each database, made as they are needed:
 *
 *   tables[db] --> waited_key: hash, key bytes
 *                      | waiters, first come first
 *                      +-- link -- link -- link        a wait has one link for each different key of its
 *                           |       |       |
 *                          wait    wait    wait         one for each blocked session: the kept request
 *
 * A database's number stands for it: SWAPDB swaps what databases hold, not who waits in them. */
#include "commands/blocking.h"

#include <math.h>

#include "base/alloc.h"
#include "base/check.h"
#include "base/clock.h"
#include "base/hash.h"
#include "commands/acl_check.h"
#include "commands/host.h"
#include "commands/push.h"
#include "commands/registry.h"
#include "commands/tracking.h"
#include "session/kept.h"

struct blocking {
    struct host *host;
    struct db_hook hook; /* in the keyspace's list while anybody waits */
    struct table *tables;
    uint32_t db_count;
    uint64_t key_count, any_change_key_count;
    struct list ready; /* waited keys that have changed, by first change */
};

struct waited_key {
    struct list waiters; /* wait_link.link */
    struct list ready_link;
    struct db *db;
    uint64_t hash;
    uint32_t any_change_count; /* waiters that are told of any change */
    bool ready, serving;
    size_t key_len;
    char key[];
};

struct wait_link {
    struct list link;
    struct waited_key *key;
    struct wait *wait;
};

struct wait {
    struct session *session;
    struct host *host;
    const struct command *command;
    struct kept_request *kept;
    enum entry_type type;
    bool any_change;
    bool silent; /* CLIENT REPLY was off or to skip this request */
    bool again;  /* the repeated handler wants to wait on */
    uint32_t link_count;
    struct wait_link links[];
};

/* ---- waited keys */

static uint64_t waited_key_hash(const void *element) {
    return ((const struct waited_key *)element)->hash;
}

static struct span waited_key_span(const struct waited_key *k) {
    return span_make(k->key, k->key_len);
}

static bool waited_key_has_key(const void *element, struct span key) {
    return span_eq(waited_key_span(element), key);
}

static const struct table_type waited_key_type = {waited_key_hash, waited_key_has_key, NULL};

static struct waited_key *find_key(const struct blocking *b, const struct db *db, struct span key,
                                   uint64_t hash) {
    table_slot *slot = table_find(&b->tables[db->number], hash, key);
    return slot ? table_element(slot) : NULL;
}

static struct waited_key *get_key(struct blocking *b, struct db *db, struct span key) {
    uint64_t hash = hash_bytes(key.data, key.len);
    struct waited_key *k = find_key(b, db, key, hash);
    if (k) return k;
    k = mem_alloc(sizeof *k + key.len);
    *k = (struct waited_key){.db = db, .hash = hash, .key_len = key.len};
    memcpy(k->key, key.data, key.len);
    list_init(&k->waiters);
    list_init(&k->ready_link);
    table_insert(&b->tables[db->number], hash, k);
    if (b->key_count++ == 0) keyspace_hook(b->host->keyspace, &b->hook);
    return k;
}

static void drop_key_if_unused(struct blocking *b, struct waited_key *k) {
    struct table *table = &b->tables[k->db->number];
    if (k->serving || !list_empty(&k->waiters)) return;
    list_remove(&k->ready_link);
    table_remove(table, table_find_element(table, k->hash, k), k->hash);
    mem_free(k);
    if (--b->key_count == 0) keyspace_unhook(b->host->keyspace, &b->hook);
}

/* ---- changes */

static void mark_ready(struct blocking *b, struct waited_key *k) {
    b->host->dispatch.keys_ready = true;
    if (k->ready) return;
    k->ready = true;
    list_push_back(&b->ready, &k->ready_link);
}

static void mark_visited(void *element, void *context) {
    mark_ready(context, element);
}

static void mark_all(struct blocking *b, const struct db *db) {
    uint64_t cursor = 0;
    do {
        cursor = table_scan(&b->tables[db->number], cursor, mark_visited, b);
    } while (cursor);
}

void blocking_ready(struct host *host, struct db *db, struct span key) {
    struct blocking *b = host->blocking;
    struct waited_key *k;
    if (LIKELY(b->key_count == 0)) return;
    k = find_key(b, db, key, hash_bytes(key.data, key.len));
    if (k) mark_ready(b, k);
}

static void on_changed(struct db_hook *hook, struct db *db, struct span key) {
    blocking_ready(CONTAINER_OF(hook, struct blocking, hook)->host, db, key);
}

static void on_flushed(struct db_hook *hook, struct db *db) {
    struct blocking *b = CONTAINER_OF(hook, struct blocking, hook);
    if (db) mark_all(b, db);
    for (uint32_t i = 0; !db && i < b->db_count; i++)
        mark_all(b, keyspace_db(b->host->keyspace, i));
}

static void on_swapped(struct db_hook *hook, struct db *first, struct db *second) {
    struct blocking *b = CONTAINER_OF(hook, struct blocking, hook);
    mark_all(b, first);
    mark_all(b, second);
}

/* ---- waiting */

static bool may_block(const struct call *call) {
    return !(call->flags & CALL_DENY_BLOCKING) &&
           !(call->session->flags & (SESSION_MULTI | SESSION_INTERNAL));
}

static void link_key(struct blocking *b, struct wait *w, struct span key) {
    struct waited_key *k = get_key(b, w->session->db, key);
    struct wait_link *link = &w->links[w->link_count];
    if (!list_empty(&k->waiters) && LIST_ENTRY(k->waiters.prev, struct wait_link, link)->wait == w)
        return;
    link->wait = w;
    link->key = k;
    list_push_back(&k->waiters, &link->link);
    if (w->any_change && k->any_change_count++ == 0) b->any_change_key_count++;
    w->link_count++;
}

static void unlink_keys(struct blocking *b, struct wait *w) {
    for (uint32_t i = 0; i < w->link_count; i++) {
        struct waited_key *k = w->links[i].key;
        list_remove(&w->links[i].link);
        if (w->any_change && --k->any_change_count == 0) b->any_change_key_count--;
        drop_key_if_unused(b, k);
    }
}

/* The call was counted when it began to wait; that it failed shows only now. */
static void count_failure(const struct wait *w) {
    struct command_registry *registry = w->host->commands;
    struct command_entry *entry = registry_find_full(registry, span_of(w->command->name));
    registry_count_error(registry, w->session->reply.error_code);
    if (entry) entry->stats.failed_count++;
}

/* A reply outside of a request of its own, unless the client wants none. */
static void begin_reply(struct wait *w) {
    if (w->silent) w->session->reply.out = &w->host->dispatch.muted;
}

static void end_reply(struct wait *w) {
    if (!w->silent) return;
    w->session->reply.out = &w->session->output;
    chunk_list_clear(&w->host->dispatch.muted);
}

static void end_wait(struct session *s, enum session_unblock_reason reason) {
    struct wait *w = s->blocked_on;
    begin_reply(w);
    switch (reason) {
    case SESSION_UNBLOCK_TIMEOUT: reply_null_array(&s->reply); break;
    case SESSION_UNBLOCK_ERROR:
        reply_error(&s->reply, "UNBLOCKED client unblocked via CLIENT UNBLOCK");
        count_failure(w);
        break;
    case SESSION_UNBLOCK_SERVED:
    case SESSION_UNBLOCK_CLOSED: break;
    }
    end_reply(w);
    unlink_keys(w->host->blocking, w);
    kept_free(w->kept);
    mem_free(w);
}

static struct wait *try_new_wait(struct call *call, const struct blocking_options *options) {
    struct request request = *call->request;
    struct wait *w = mem_try_alloc(sizeof *w + options->count * sizeof w->links[0]);
    if (!w) return NULL;
    request.argv = options->argv ? options->argv : call->argv;
    request.argc = call->argc;
    *w = (struct wait){
        .session = call->session,
        .host = call->host,
        .command = call->command,
        .kept = kept_new(&request),
        .type = options->type,
        .any_change = options->any_change,
        .silent = session_is_silent(call->session),
    };
    if (w->kept) return w;
    mem_free(w);
    return NULL;
}

void blocking_wait(struct call *call, const struct blocking_options *options) {
    struct wait *w;
    if (call->flags & CALL_REPEATED) {
        w = call->session->blocked_on;
        w->again = true;
        return;
    }
    if (!may_block(call)) {
        if (options->null_bulk) {
            reply_null(call->reply);
        } else {
            reply_null_array(call->reply);
        }
        return;
    }
    w = try_new_wait(call, options);
    if (!w) {
        reply_error(call->reply, ERROR_MEMORY_TEXT);
        return;
    }
    for (uint32_t i = 0; i < options->count; i++) {
        link_key(call->host->blocking, w, call->argv[options->first + i * MAX(options->step, 1)]);
    }
    session_block(call->session, options->due_ms, w, end_wait);
}

/* ---- serving */

/* The user may have lost what it could do when it began to wait. */
static bool refuse_repeat(struct call *call) {
    struct command_entry *entry = registry_find(call->host->commands, call->argv[0]);
    struct acl_request request = {entry, call->argv, call->argc};
    struct acl_refusal refusal;
    struct buf text = {0};
    if (LIKELY(!(call->session->flags & SESSION_RESTRICTED)) || !entry) return false;
    if (acl_session_check(call->host, call->session, &request, ACL_CONTEXT_TOPLEVEL, &refusal))
        return false;
    acl_refusal_text(acl_session_user(call->host, call->session), &request, &refusal, false, &text);
    reply_errorf(call->reply, "NOPERM %s", buf_terminate(&text));
    registry_count_error(call->host->commands, call->reply->error_code);
    entry->stats.rejected_count++;
    buf_release(&text);
    return true;
}

/* True when the handler has answered. */
static bool repeat(struct wait *w) {
    struct session *s = w->session;
    struct host *host = w->host;
    struct request *request = &w->kept->request;
    uint32_t key_at = (uint32_t)w->command->keys[0].index, errors_before = s->reply.error_count;
    struct call call = {
        .session = s,
        .host = host,
        .db = s->db,
        .reply = &s->reply,
        .argv = request->argv,
        .argc = request->argc,
        .request = request,
        .command = w->command,
        .flags = CALL_REPEATED,
    };
    const struct call *outer = host->dispatch.running;
    if (key_at < call.argc)
        call.key_hash = hash_bytes(call.argv[key_at].data, call.argv[key_at].len);
    w->again = false;
    begin_reply(w);
    host->dispatch.running = &call;
    bool refused = refuse_repeat(&call);
    if (!refused) {
        w->command->run(&call);
        if (host->sessions->tracking_count) tracking_called(host, &call);
    }
    host->dispatch.running = outer;
    if (!refused && s->reply.error_count != errors_before) count_failure(w);
    end_reply(w);
    if (UNLIKELY(s->deferred)) push_deliver_deferred(s);
    return !w->again;
}

static struct entry *peek(const struct waited_key *k) {
    return db_find(k->db, waited_key_span(k), k->hash, DB_LOOK_NO_TOUCH | DB_LOOK_NO_STATS);
}

/* Only the session that is served leaves the list, and no session joins it meanwhile. */
static void serve_key(struct blocking *b, struct waited_key *k) {
    list_remove(&k->ready_link);
    k->ready = false;
    k->serving = true;
    LIST_FOR_EACH_SAFE(it, &k->waiters) {
        struct wait *w = LIST_ENTRY(it, struct wait_link, link)->wait;
        const struct entry *e = peek(k);
        if (!e && k->any_change_count == 0) break;
        if (!w->any_change && (!e || entry_type(e) != w->type)) continue;
        if (w->session->stop & SESSION_STOP_CLOSING) continue;
        if (repeat(w)) session_unblock(w->session, SESSION_UNBLOCK_SERVED);
    }
    k->serving = false;
    drop_key_if_unused(b, k);
}

void blocking_serve(struct host *host) {
    struct blocking *b = host->blocking;
    host->dispatch.keys_ready = false;
    while (!list_empty(&b->ready))
        serve_key(b, LIST_ENTRY(b->ready.next, struct waited_key, ready_link));
    host->dispatch.keys_ready = false;
    host->dispatch.ticks = clock_ticks(); /* not the next command's time */
}

/* ---- timeouts */

/* `ms` from now. Redis measures what it refuses against the wall clock. */
static bool set_due(struct call *call, int64_t ms, int64_t *due_ms) {
    if (ms < 0) {
        reply_error(call->reply, "ERR timeout is negative");
        return false;
    }
    if (ms > INT64_MAX - clock_real_ms()) {
        reply_error(call->reply, "ERR timeout is out of range");
        return false;
    }
    *due_ms = ms ? clock_mono_ms() + 1 + ms : 0; /* a part of this millisecond has passed */
    return true;
}

bool blocking_timeout_s(struct call *call, uint32_t at, int64_t *due_ms) {
    long double seconds;
    if (!num_parse_long_double(call->argv[at], &seconds)) {
        reply_error(call->reply, "ERR timeout is not a float or out of range");
        return false;
    }
    if (seconds * 1000 >= (long double)INT64_MAX) {
        reply_error(call->reply, "ERR timeout is out of range");
        return false;
    }
    if (seconds * 1000 < (long double)INT64_MIN) seconds = -1;
    return set_due(call, (int64_t)ceill(seconds * 1000), due_ms);
}

bool blocking_timeout_ms(struct call *call, uint32_t at, int64_t *due_ms) {
    int64_t ms;
    if (num_parse_int(call->argv[at], &ms)) return set_due(call, ms, due_ms);
    reply_error(call->reply, "ERR timeout is not an integer or out of range");
    return false;
}

/* ---- life */

struct blocking *blocking_new(struct host *host) {
    struct blocking *b = mem_zalloc(sizeof *b);
    b->host = host;
    b->hook = (struct db_hook){.changed = on_changed, .flushed = on_flushed, .swapped = on_swapped};
    b->db_count = keyspace_db_count(host->keyspace);
    b->tables = mem_alloc(b->db_count * sizeof *b->tables);
    for (uint32_t i = 0; i < b->db_count; i++) table_init(&b->tables[i], &waited_key_type);
    list_init(&b->ready);
    return b;
}

void blocking_free(struct blocking *b) {
    DCHECK(b->key_count == 0);
    for (uint32_t i = 0; i < b->db_count; i++) table_release(&b->tables[i], NULL, NULL);
    mem_free(b->tables);
    mem_free(b);
}

struct blocking_counts blocking_counts(const struct host *host) {
    return (struct blocking_counts){host->blocking->key_count,
                                    host->blocking->any_change_key_count};
}
