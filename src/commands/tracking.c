/* Sessions that track, and what they are told.
 *
 *   keys       name -> numbers of those who have read it             (tracked_keys.h)
 *   trackers   number -> tracker                                     one for each session that has ever tracked
 *   broadcast  prefix -> trackers that listen, keys that have changed (broadcast.h)
 *
 * A reader's number has four bytes and is the tracker's own: sessions' ids grow beyond that. A tracker that goes leaves its numbers
 * behind; they name nobody. Messages to a session that is executing wait behind its reply (push.h). */
#include "commands/tracking.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "commands/broadcast.h"
#include "commands/families.h"
#include "commands/push.h"
#include "commands/registry.h"
#include "commands/tracked_keys.h"
#include "resp/window.h"

enum { TRIM_KEYS_PER_TURN = 1000 }; /* of a table over its limit: under a millisecond */

struct tracker {
    struct session_extension extension;
    struct broadcast_listener listener;
    struct tracking *all;
    struct session *session;
    uint32_t number;
    uint32_t options; /* enum tracking_option */
    uint64_t redirect_id;
};

struct tracking {
    struct db_hook hook;
    struct host *host;
    bool hooked;
    struct tracked_keys keys;
    struct broadcast broadcast;
    struct table trackers;
    uint32_t last_number;
    struct buf payload; /* reused */
};

/* ---- trackers */

static struct span number_span(const uint32_t *number) {
    return span_make((const char *)number, sizeof *number);
}

static uint64_t number_hash(const uint32_t *number) {
    return hash_bytes((const char *)number, sizeof *number);
}

static uint64_t tracker_hash(const void *element) {
    return number_hash(&((const struct tracker *)element)->number);
}

static bool tracker_has_number(const void *element, struct span number) {
    return span_eq(number_span(&((const struct tracker *)element)->number), number);
}

static const struct table_type tracker_type = {.hash = tracker_hash, .has_key = tracker_has_number};

static struct tracker *tracker_by_number(const struct tracking *t, uint32_t number) {
    table_slot *slot = table_find(&t->trackers, number_hash(&number), number_span(&number));
    return slot ? table_element(slot) : NULL;
}

static bool is_alive(uint32_t number, void *context) {
    return tracker_by_number(context, number) != NULL;
}

static struct tracker *tracker_of(const struct session *s) {
    struct session_extension *extension = s->extension[SESSION_EXTENSION_TRACKING];
    return extension ? CONTAINER_OF(extension, struct tracker, extension) : NULL;
}

static bool is_on(const struct tracker *tr) {
    return tr->session->flags & SESSION_TRACKING;
}

/* ---- messages */

static void tell_broken(struct tracker *tr) {
    struct session *s = tr->session;
    struct host *host = tr->all->host;
    s->flags |= SESSION_TRACKING_BROKEN;
    if (s->reply.protocol != 3) return;
    struct reply r = push_begin(host, s);
    reply_push(&r, 2);
    reply_bulk_text(&r, "tracking-redir-broken");
    reply_int(&r, (int64_t)tr->redirect_id);
    push_end(host, s);
}

/* `keys` is a RESP array, or has no bytes: all keys. RESP2 has no pushes: there it is a message for one who has subscribed to
 * something. CLIENT REPLY does not silence any of it. */
static void tell(struct tracker *tr, struct push_bytes *keys) {
    static const char push[] = ">2\r\n$10\r\ninvalidate\r\n";
    static const char message[] = "*3\r\n$7\r\nmessage\r\n$20\r\n__redis__:invalidate\r\n";
    struct host *host = tr->all->host;
    struct session *s = tr->session;
    if (s->stop & SESSION_STOP_CLOSING) return;
    if (tr->redirect_id) {
        s = session_by_id(host->sessions, tr->redirect_id);
        if (!s || s->stop & SESSION_STOP_CLOSING) {
            tell_broken(tr);
            return;
        }
    }
    bool resp3 = s->reply.protocol == 3;
    if (!resp3 && !(tr->redirect_id && s->flags & SESSION_PUBSUB)) return;
    struct reply r = push_begin(host, s);
    reply_raw(&r, resp3 ? SPAN(push) : SPAN(message));
    if (keys->bytes.data) {
        push_put_bytes(&r, keys);
    } else {
        reply_null(&r);
    }
    push_end(host, s);
}

/* Without memory for the message all keys are named. */
static struct push_bytes message_of_key(struct tracking *t, struct span name) {
    buf_clear(&t->payload);
    if (!broadcast_put_key(&t->payload, name)) return (struct push_bytes){0};
    return (struct push_bytes){.bytes = buf_span(&t->payload)};
}

static void message_release(struct tracking *t, struct push_bytes *message) {
    push_bytes_release(message);
    if (t->payload.capacity > BROADCAST_WAITING_BYTES_MAX) buf_release(&t->payload);
}

/* ---- readers of keys */

/* The key is not tracked any more: tells its readers, but not `changer` when that one does not want to hear of its own changes. */
static void invalidate(struct tracking *t, struct tracked_key *k, const struct session *changer) {
    struct push_bytes message = message_of_key(t, tracked_key_name(k));
    for (uint32_t i = 0; i < k->count; i++) {
        struct tracker *tr = tracker_by_number(t, k->readers[i]);
        if (!tr || !is_on(tr) || tr->options & TRACKING_BCAST) continue;
        if (tr->options & TRACKING_NOLOOP && tr->session == changer) continue;
        tell(tr, &message);
    }
    message_release(t, &message);
    mem_free(k);
}

static void drop_random_key(struct tracking *t) {
    struct random *random = keyspace_random(t->host->keyspace);
    struct tracked_key *k = tracked_keys_take_random(&t->keys, random);
    if (k) invalidate(t, k, NULL);
}

static bool over_limit(const struct tracking *t) {
    int64_t max = t->host->settings->tracking_table_max_keys;
    return max > 0 && t->keys.table.count > (uint64_t)max;
}

/* The key may be the one that goes when the table is full: its reader is told then. Without memory to remember it counts as changed. */
static void remember(struct tracking *t, struct tracker *tr, struct span name, uint64_t hash) {
    int rc = tracked_keys_add(&t->keys, name, hash, tr->number);
    if (rc == 0) return;
    if (rc > 0) {
        if (over_limit(t)) drop_random_key(t);
        return;
    }
    struct push_bytes message = message_of_key(t, name);
    tell(tr, &message);
    message_release(t, &message);
}

/* Whose command is running: the client's, in a script too. */
static const struct session *current(const struct host *host) {
    const struct dispatch_state *state = &host->dispatch;
    if (state->script_caller) return state->script_caller;
    return state->running ? state->running->session : NULL;
}

/* The tracker that is to remember what its session reads now. */
static struct tracker *reader_now(const struct host *host) {
    const struct session *s = current(host);
    struct tracker *tr = s ? tracker_of(s) : NULL;
    if (!tr || !is_on(tr) || tr->options & TRACKING_BCAST) return NULL;
    bool caching = s->flags & SESSION_TRACKING_CACHING;
    if (tr->options & TRACKING_OPTIN && !caching) return NULL;
    if (tr->options & TRACKING_OPTOUT && caching) return NULL;
    return tr;
}

void tracking_called(struct host *host, const struct call *call) {
    const struct command *c = call->command;
    if (!(c->flags & COMMAND_READONLY) || c->flags & COMMAND_PUBSUB) return;
    if (c->group == GROUP_SCRIPTING) return; /* what it runs is looked at */
    struct tracker *tr = reader_now(host);
    if (!tr) return;
    /* Room that is not taken: a script may run any number of commands before the window is cleared. */
    size_t bytes = call->argc * (sizeof(uint32_t) + sizeof(uint16_t));
    uint32_t *positions = (void *)window_memory_try_room(host->window, bytes);
    if (!positions) {
        tell(tr, &(struct push_bytes){0});
        return;
    }
    uint16_t *key_flags = (uint16_t *)(positions + call->argc);
    int count = command_keys(c, call->argv, call->argc, positions, key_flags, (int)call->argc);
    for (int i = 0; i < count; i++) {
        struct span name = call->argv[positions[i]];
        remember(host->tracking, tr, name, hash_bytes(name.data, name.len));
    }
}

/* CLIENT CACHING is for the next command, or transaction. */
void tracking_request_ended(struct session *s, const struct command_entry *entry) {
    if (s->flags & SESSION_MULTI || s->stop & SESSION_STOP_BLOCKED) return;
    const struct command_entry *container = entry ? entry->container : NULL;
    if (container && container->command->subcommands == client_subcommands) return;
    s->flags &= ~(uint32_t)SESSION_TRACKING_CACHING;
}

/* ---- changes */

static void tell_listener(struct broadcast_listener *listener, struct push_bytes *keys) {
    tell(CONTAINER_OF(listener, struct tracker, listener), keys);
}

static void on_changed(struct db_hook *hook, struct db *db, struct span key) {
    struct tracking *t = CONTAINER_OF(hook, struct tracking, hook);
    /* What expires or is evicted is nobody's change, whoever happened to look. */
    const struct session *changer = keyspace_change_is_own(db->keyspace) ? NULL : current(t->host);
    broadcast_changed(&t->broadcast, key, changer ? changer->id : 0);
    if (t->broadcast.waiting_bytes > BROADCAST_WAITING_BYTES_MAX)
        broadcast_tell(&t->broadcast, tell_listener);
    if (t->keys.table.count == 0) return;
    struct tracked_key *k = tracked_keys_take(&t->keys, key, hash_bytes(key.data, key.len));
    if (k) invalidate(t, k, changer);
}

/* Names are those of all databases: everything is to be dropped by everybody. */
static void invalidate_all(struct tracking *t) {
    struct push_bytes all_keys = {0};
    LIST_FOR_EACH(it, &t->host->sessions->all) {
        struct session *s = LIST_ENTRY(it, struct session, link);
        if (s->flags & SESSION_TRACKING) tell(tracker_of(s), &all_keys);
    }
    tracked_keys_forget(&t->keys);
}

static void on_flushed(struct db_hook *hook, struct db *db) {
    invalidate_all(CONTAINER_OF(hook, struct tracking, hook));
}

static void on_swapped(struct db_hook *hook, struct db *a, struct db *b) {
    invalidate_all(CONTAINER_OF(hook, struct tracking, hook));
}

/* ---- on and off */

static void set_hook(struct tracking *t) {
    bool wanted = t->host->sessions->tracking_count > 0;
    if (wanted == t->hooked) return;
    t->hooked = wanted;
    if (wanted) {
        keyspace_hook(t->host->keyspace, &t->hook);
    } else {
        keyspace_unhook(t->host->keyspace, &t->hook);
        tracked_keys_forget(&t->keys); /* changes go unnoticed from here on */
    }
}

static void turn_off(struct tracker *tr) {
    struct session *s = tr->session;
    if (!is_on(tr)) return;
    broadcast_leave_all(&tr->all->broadcast, &tr->listener);
    tr->redirect_id = 0;
    tr->options = 0;
    s->flags &= ~(uint32_t)(SESSION_TRACKING | SESSION_TRACKING_BCAST | SESSION_TRACKING_BROKEN |
                            SESSION_TRACKING_CACHING);
    s->all->tracking_count--;
    set_hook(tr->all);
}

static void release(struct session_extension *extension, struct session *s) {
    struct tracker *tr = CONTAINER_OF(extension, struct tracker, extension);
    struct table *trackers = &tr->all->trackers;
    turn_off(tr);
    uint64_t hash = tracker_hash(tr);
    table_remove(trackers, table_find_element(trackers, hash, tr), hash);
    mem_free(tr);
}

static void count(const struct session_extension *extension, struct session_counts *counts) {
    const struct tracker *tr = CONST_CONTAINER_OF(extension, struct tracker, extension);
    if (is_on(tr)) counts->redirect = (int64_t)tr->redirect_id;
}

static size_t memory_bytes(const struct session_extension *extension) {
    const struct tracker *tr = CONST_CONTAINER_OF(extension, struct tracker, extension);
    return mem_class_bytes(sizeof *tr) + broadcast_listener_bytes(&tr->listener);
}

static struct tracker *tracker_make(struct tracking *t, struct session *s) {
    struct tracker *tr = tracker_of(s);
    if (tr) return tr;
    tr = mem_zalloc(sizeof *tr);
    tr->extension = (struct session_extension){release, count, memory_bytes};
    tr->all = t;
    tr->session = s;
    do tr->number = ++t->last_number;
    while (tracker_by_number(t, tr->number));
    table_insert(&t->trackers, tracker_hash(tr), tr);
    s->extension[SESSION_EXTENSION_TRACKING] = &tr->extension;
    return tr;
}

/* ---- choices */

int tracking_on(struct host *host, struct session *s, const struct tracking_choice *choice) {
    struct tracker *tr = tracker_make(host->tracking, s);
    if (!is_on(tr)) s->all->tracking_count++;
    s->flags &= ~(uint32_t)SESSION_TRACKING_BROKEN;
    s->flags |= SESSION_TRACKING;
    set_hook(tr->all);
    tr->options = choice->options;
    tr->redirect_id = choice->redirect_id;
    tr->listener.except_id = choice->options & TRACKING_NOLOOP ? s->id : 0;
    if (!(choice->options & TRACKING_BCAST)) return 0;
    s->flags |= SESSION_TRACKING_BCAST;
    struct broadcast *b = &tr->all->broadcast;
    if (choice->prefix_count)
        return broadcast_join(b, &tr->listener, choice->prefixes, choice->prefix_count);
    return broadcast_join(b, &tr->listener, &SPAN(""), 1);
}

void tracking_off(struct session *s) {
    struct tracker *tr = tracker_of(s);
    if (tr) turn_off(tr);
}

struct tracking_state tracking_state(const struct session *s) {
    const struct tracker *tr = tracker_of(s);
    if (!tr || !is_on(tr)) return (struct tracking_state){0};
    return (struct tracking_state){tr->options, tr->redirect_id, &tr->listener};
}

/* ---- the turn, life */

void tracking_turn(struct host *host) {
    struct tracking *t = host->tracking;
    if (UNLIKELY(broadcast_pending(&t->broadcast))) broadcast_tell(&t->broadcast, tell_listener);
    for (int i = 0; i < TRIM_KEYS_PER_TURN && over_limit(t); i++) drop_random_key(t);
    if (UNLIKELY(tracked_keys_pending(&t->keys))) (void)tracked_keys_free_step(&t->keys);
}

bool tracking_pending(const struct host *host) {
    const struct tracking *t = host->tracking;
    return broadcast_pending(&t->broadcast) || tracked_keys_pending(&t->keys) || over_limit(t);
}

struct tracking_counts tracking_counts(const struct tracking *t) {
    return (struct tracking_counts){t->keys.table.count, t->keys.reader_count,
                                    t->broadcast.prefixes.count};
}

struct tracking *tracking_new(struct host *host) {
    struct tracking *t = mem_zalloc(sizeof *t);
    t->host = host;
    t->hook = (struct db_hook){.changed = on_changed, .flushed = on_flushed, .swapped = on_swapped};
    tracked_keys_init(&t->keys, is_alive, t);
    broadcast_init(&t->broadcast);
    table_init(&t->trackers, &tracker_type);
    return t;
}

void tracking_free(struct tracking *t) {
    tracked_keys_release(&t->keys);
    broadcast_release(&t->broadcast);
    table_release(&t->trackers, NULL, NULL);
    buf_release(&t->payload);
    mem_free(t);
}
