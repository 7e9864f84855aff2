/* Transactions. A session in MULTI keeps its requests (arguments copied once, blobs by reference) with the commands that they were
 * found to be; EXEC runs them one after the other through dispatch, with nothing in between, and their replies go straight to the
 * session's output behind the array's header.
 *
 * State: none until MULTI or WATCH; SESSION_MULTI while queueing; SESSION_DIRTY_EXEC after a refused request; SESSION_DIRTY_WATCH
 * after a change to a watched key. */
#include "commands/transaction.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "commands/acl_check.h"
#include "commands/watch.h"
#include "session/kept.h"

struct queued {
    struct kept_request *kept;
    struct command_entry *entry;
};

struct transaction {
    struct session_extension extension;
    struct watch_registry *watches;
    struct watcher watcher;
    struct queued *queue;
    uint32_t count, capacity;
    uint32_t flags; /* of all queued commands */
    size_t bytes;
};

/* ---- state */

static struct transaction *transaction_of(const struct session *s) {
    struct session_extension *extension = s->extension[SESSION_EXTENSION_TRANSACTION];
    return extension ? CONTAINER_OF(extension, struct transaction, extension) : NULL;
}

static void drop_queue(struct transaction *t) {
    for (uint32_t i = 0; i < t->count; i++) kept_free(t->queue[i].kept);
    mem_free(t->queue);
    t->queue = NULL;
    t->count = t->capacity = t->flags = 0;
    t->bytes = 0;
}

uint32_t transaction_flags(const struct session *s) {
    const struct transaction *t = transaction_of(s);
    return t ? t->flags : 0;
}

static void release(struct session_extension *extension, struct session *s) {
    struct transaction *t = CONTAINER_OF(extension, struct transaction, extension);
    drop_queue(t);
    watch_clear(t->watches, &t->watcher);
    s->flags &= ~(uint32_t)(SESSION_MULTI | SESSION_DIRTY_EXEC | SESSION_DIRTY_WATCH);
    mem_free(t);
}

static void count(const struct session_extension *extension, struct session_counts *counts) {
    const struct transaction *t = CONST_CONTAINER_OF(extension, struct transaction, extension);
    counts->watched = t->watcher.count;
    if (t->watcher.session->flags & SESSION_MULTI) counts->queued = (int)t->count;
    counts->queued_bytes = t->bytes;
}

static size_t memory_bytes(const struct session_extension *extension) {
    const struct transaction *t = CONST_CONTAINER_OF(extension, struct transaction, extension);
    return t->bytes + t->capacity * sizeof *t->queue;
}

static struct transaction *transaction_make(struct call *call) {
    struct session *s = call->session;
    struct transaction *t = transaction_of(s);
    if (t) return t;
    t = mem_zalloc(sizeof *t);
    t->extension = (struct session_extension){release, count, memory_bytes};
    t->watches = call->host->watches;
    t->watcher.session = s;
    list_init(&t->watcher.keys);
    s->extension[SESSION_EXTENSION_TRANSACTION] = &t->extension;
    return t;
}

/* Everything that MULTI and WATCH began is over. */
static void end(struct session *s) {
    struct transaction *t = transaction_of(s);
    if (!t) return;
    s->extension[SESSION_EXTENSION_TRANSACTION] = NULL;
    release(&t->extension, s);
}

static void exec(struct call *call);

/* ---- queueing */

static bool runs_at_once(const struct command *c) {
    static const char *const names[] = {"exec", "discard", "multi", "watch", "quit", "reset"};
    if (c->group != GROUP_TRANSACTIONS && c->group != GROUP_CONNECTION) return false;
    for (size_t i = 0; i < ARRAY_LENGTH(names); i++) {
        if (span_is(span_of(c->name), names[i])) return true;
    }
    return false;
}

static void append(struct transaction *t, struct kept_request *kept, struct command_entry *entry,
                   uint32_t flags) {
    if (t->count == t->capacity) {
        t->capacity = MAX(t->capacity * 2, 8u);
        t->queue = mem_realloc(t->queue, t->capacity * sizeof *t->queue);
    }
    t->queue[t->count++] = (struct queued){kept, entry};
    t->flags |= flags;
    t->bytes += kept->bytes;
}

void transaction_spoil(struct session *s) {
    s->flags |= SESSION_DIRTY_EXEC;
}

bool transaction_queue(const struct host *host, struct dispatch_item *item) {
    struct session *s = item->session;
    const struct command *c = item->entry->command;
    if (runs_at_once(c)) return false;
    if (c->flags & COMMAND_NO_MULTI) {
        reply_errorf(&s->reply, "ERR Command '%s' not allowed inside a transaction",
                     item->entry->full_name);
        transaction_spoil(s);
        return true;
    }
    struct kept_request *kept = kept_new(&item->request);
    if (kept) {
        append(transaction_of(s), kept, item->entry, dispatch_flags(host, c, &item->request));
        reply_status(&s->reply, "QUEUED");
    } else {
        reply_error(&s->reply, ERROR_MEMORY_TEXT);
        transaction_spoil(s);
    }
    return true;
}

/* ---- commands */

static void multi(struct call *call) {
    if (call->session->flags & SESSION_MULTI) {
        reply_error(call->reply, "ERR MULTI calls can not be nested");
        return;
    }
    transaction_make(call);
    call->session->flags |= SESSION_MULTI;
    reply_ok(call->reply);
}

static void discard(struct call *call) {
    if (!(call->session->flags & SESSION_MULTI)) {
        reply_error(call->reply, "ERR DISCARD without MULTI");
        return;
    }
    end(call->session);
    reply_ok(call->reply);
}

static void watch(struct call *call) {
    struct session *s = call->session;
    if (s->flags & SESSION_MULTI) {
        reply_error(call->reply, "ERR WATCH inside MULTI is not allowed");
        return;
    }
    struct transaction *t = transaction_make(call);
    for (uint32_t i = 1; i < call->argc; i++) {
        watch_add(t->watches, &t->watcher, call->db, call->argv[i], call_hash(call, i));
    }
    reply_ok(call->reply);
}

static void unwatch(struct call *call) {
    struct transaction *t = transaction_of(call->session);
    if (t) watch_clear(t->watches, &t->watcher);
    call->session->flags &= ~(uint32_t)SESSION_DIRTY_WATCH;
    reply_ok(call->reply);
}

/* The user may have lost what it could do when the request was queued. */
static bool refuse_queued(struct call *call, const struct command_entry *entry) {
    static const char *const reasons[] = {
        "no permission to execute the command or subcommand",
        "no permission to touch the specified keys",
        "no permission to access one of the channels used as arguments",
    };
    struct acl_request request = {entry, call->argv, call->argc};
    struct acl_refusal refusal;
    if (acl_session_may(call->host, call->session, &request, ACL_CONTEXT_MULTI, &refusal))
        return false;
    reply_errorf(call->reply,
                 "NOPERM ACLs rules changed between the moment the transaction was accumulated and "
                 "the EXEC call. This command is no longer allowed for the following reason: %s",
                 reasons[refusal.why]);
    return true;
}

static void run_queued(struct call *exec, struct queued *queued) {
    struct request *request = &queued->kept->request;
    const struct command *command = queued->entry->command;
    struct session *s = exec->session;
    int16_t key_at = command->keys[0].index;
    struct call call = {
        .session = s,
        .host = exec->host,
        .db = s->db,
        .reply = exec->reply,
        .argv = request->argv,
        .argc = request->argc,
        .request = request,
        .command = command,
        .flags = CALL_DENY_BLOCKING,
    };
    if (key_at > 0 && (uint32_t)key_at < request->argc) {
        call.key_hash = hash_bytes(request->argv[key_at].data, request->argv[key_at].len);
    }
    if (refuse_queued(&call, queued->entry)) return;
    dispatch_call(exec->host, &call, queued->entry);
}

/* Keys are prefetched side by side, as the turn does it. */
static void prefetch_queue(struct call *exec, const struct transaction *t) {
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < t->count && i < CALL_PREFETCH_AHEAD; i++) {
            const struct request *request = &t->queue[i].kept->request;
            int16_t key_at = t->queue[i].entry->command->keys[0].index;
            if (key_at <= 0 || (uint32_t)key_at >= request->argc) continue;
            struct span key = request->argv[key_at];
            uint64_t hash = hash_bytes(key.data, key.len);
            if (pass == 0) db_prefetch_bucket(exec->db, hash);
            if (pass == 1) db_prefetch_entry(exec->db, hash);
        }
    }
}

bool transaction_is_exec(const struct command *c) {
    return c->run == exec;
}

void transaction_abort(struct session *s, const char *why) {
    end(s);
    reply_errorf(&s->reply, "EXECABORT Transaction discarded because of: %s", why);
}

static bool refuse_exec(struct call *call, struct transaction *t) {
    struct session *s = call->session;
    if (s->flags & SESSION_DIRTY_EXEC) {
        reply_error(call->reply, "EXECABORT Transaction discarded because of previous errors.");
        return true;
    }
    watch_expire(&t->watcher);
    if (!(s->flags & SESSION_DIRTY_WATCH)) return false;
    reply_null_array(call->reply);
    return true;
}

/* The transaction is taken off the session before it runs, so that what runs (RESET is refused, but a command that ends the client is
 * not) finds it outside of MULTI; blocking commands are told by CALL_DENY_BLOCKING. */
static void exec(struct call *call) {
    struct session *s = call->session;
    struct transaction *t = transaction_of(s);
    if (!(s->flags & SESSION_MULTI)) {
        reply_error(call->reply, "ERR EXEC without MULTI");
        return;
    }
    if (refuse_exec(call, t)) {
        end(s);
        return;
    }
    s->extension[SESSION_EXTENSION_TRANSACTION] = NULL;
    s->flags &= ~(uint32_t)SESSION_MULTI;
    watch_clear(t->watches, &t->watcher);
    prefetch_queue(call, t);
    reply_array(call->reply, t->count);
    for (uint32_t i = 0; i < t->count; i++) run_queued(call, &t->queue[i]);
    release(&t->extension, s);
}

/* ---- the table */

enum {
    FLAGS = COMMAND_NOSCRIPT | COMMAND_LOADING | COMMAND_STALE | COMMAND_FAST | COMMAND_ALLOW_BUSY
};

const struct command commands_transaction[] = {
    {.name = "multi",
     .run = multi,
     .arity = 1,
     .group = GROUP_TRANSACTIONS,
     .flags = FLAGS | COMMAND_NO_MULTI,
     .categories = CATEGORY_TRANSACTION,
     .since = "1.2.0",
     .summary = "Starts a transaction.",
     .complexity = "O(1)"},
    {.name = "exec",
     .run = exec,
     .arity = 1,
     .group = GROUP_TRANSACTIONS,
     .flags = COMMAND_NOSCRIPT | COMMAND_LOADING | COMMAND_STALE | COMMAND_SKIP_SLOWLOG,
     .categories = CATEGORY_TRANSACTION,
     .since = "1.2.0",
     .summary = "Executes all commands in a transaction.",
     .complexity = "Depends on commands in the transaction"},
    {.name = "discard",
     .run = discard,
     .arity = 1,
     .group = GROUP_TRANSACTIONS,
     .flags = FLAGS,
     .categories = CATEGORY_TRANSACTION,
     .since = "2.0.0",
     .summary = "Discards a transaction.",
     .complexity = "O(N), when N is the number of queued commands"},
    {.name = "watch",
     .run = watch,
     .arity = -2,
     .group = GROUP_TRANSACTIONS,
     .flags = FLAGS | COMMAND_NO_MULTI,
     .categories = CATEGORY_TRANSACTION,
     .keys = {KEY_ALL(KEY_RO)},
     .since = "2.2.0",
     .summary = "Monitors changes to keys to determine the execution of a transaction.",
     .complexity = "O(1) for every key.",
     .arguments = "key:key..."},
    {.name = "unwatch",
     .run = unwatch,
     .arity = 1,
     .group = GROUP_TRANSACTIONS,
     .flags = FLAGS,
     .categories = CATEGORY_TRANSACTION,
     .since = "2.2.0",
     .summary = "Forgets about watched keys of a transaction.",
     .complexity = "O(1)"},
    {.name = NULL},
};
