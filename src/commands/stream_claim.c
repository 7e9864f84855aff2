/* XPENDING, XCLAIM, XAUTOCLAIM: entries that were delivered and not acknowledged. */
#include "base/buf.h"
#include "base/clock.h"
#include "commands/stream.h"

static void no_group_error(struct call *call) {
    struct span key = call->argv[1], name = call->argv[2];
    reply_errorf(call->reply, "NOGROUP No such key '%.*s' or consumer group '%.*s'", (int)key.len,
                 key.data, (int)name.len, name.data);
}

/* The group of arguments 1 and 2; NULL after the error was written. */
static struct stream_group *begin_group(struct stream_edit *edit, struct call *call) {
    struct stream_group *g;
    if (!stream_edit_begin_reading(edit, call, 1)) return NULL;
    g = stream_edit_group(edit, 2);
    if (!g) no_group_error(call);
    return g;
}

/* ---- XPENDING */

struct pending_query {
    struct stream_id low, high;
    int64_t count, idle_ms;
    uint32_t consumer_at; /* 0: of all */
};

static bool parse_pending(struct call *call, struct pending_query *query) {
    uint32_t at = 3;
    *query = (struct pending_query){0};
    if (call_is(call, 3, "IDLE")) {
        if (!call_int(call, 4, &query->idle_ms)) return false;
        at = 5;
        if (call->argc < 8) {
            call_syntax_error(call);
            return false;
        }
    }
    if (!call_int(call, at + 2, &query->count)) return false;
    if (!stream_low_argument(call, at, &query->low)) return false;
    if (!stream_high_argument(call, at + 1, &query->high)) return false;
    if (at + 3 < call->argc) query->consumer_at = at + 3;
    return true;
}

static void pending_summary(struct reply *reply, const struct stream_group *g) {
    struct stream_tree_path path;
    uint64_t written = 0;
    reply_array(reply, 4);
    reply_int(reply, (int64_t)g->pending.count);
    if (g->pending.count == 0) {
        reply_null(reply);
        reply_null(reply);
        reply_null_array(reply);
        return;
    }
    if (stream_tree_first(&g->pending, &path)) stream_reply_id(reply, stream_tree_id(&path));
    if (stream_tree_last(&g->pending, &path)) stream_reply_id(reply, stream_tree_id(&path));
    struct chunk *mark = reply_mark(reply);
    for (uint32_t i = 0; i < g->consumers.count; i++) {
        const struct stream_consumer *c = stream_consumer_at(g, i);
        if (c->pending.count == 0) continue;
        reply_array(reply, 2);
        reply_bulk(reply, c->name);
        reply_bulk_int(reply, (int64_t)c->pending.count);
        written++;
    }
    reply_fill_array(reply, mark, written);
}

static void pending_range(struct reply *reply, const struct stream_tree *pending,
                          const struct pending_query *query) {
    int64_t now_ms = clock_real_ms(), written = 0;
    struct chunk *mark = reply_mark(reply);
    struct stream_tree_path path;
    for (bool there = query->count > 0 && stream_tree_seek(pending, query->low, &path);
         there && written < query->count; there = stream_tree_next(&path)) {
        const struct stream_pending *p = stream_tree_value(&path);
        int64_t idle_ms = now_ms - p->delivery_ms;
        if (stream_id_less(query->high, stream_tree_id(&path))) break;
        if (query->idle_ms && idle_ms < query->idle_ms) continue;
        reply_array(reply, 4);
        stream_reply_id(reply, stream_tree_id(&path));
        reply_bulk(reply, p->consumer->name);
        reply_int(reply, MAX(idle_ms, 0));
        reply_int(reply, p->delivery_count);
        written++;
    }
    reply_fill_array(reply, mark, (uint64_t)written);
}

void stream_xpending(struct call *call) {
    bool summary = call->argc == 3;
    const struct stream_tree *pending;
    struct pending_query query = {0};
    struct stream_edit edit;
    const struct stream_group *g;
    if (!summary && (call->argc < 6 || call->argc > 9)) {
        call_syntax_error(call);
        return;
    }
    if (!summary && !parse_pending(call, &query)) return;
    g = begin_group(&edit, call);
    if (!g) return;
    if (summary) {
        pending_summary(call->reply, g);
        return;
    }
    pending = &g->pending;
    if (query.consumer_at) {
        const struct stream_consumer *c = stream_consumer_find(g, call->argv[query.consumer_at]);
        if (!c) {
            reply_array(call->reply, 0);
            return;
        }
        pending = &c->pending;
    }
    pending_range(call->reply, pending, &query);
}

/* ---- XCLAIM */

struct claim {
    struct stream_edit edit;
    struct stream_group *group;
    struct stream_consumer *consumer;
    int64_t now_ms, idle_ms;
    int64_t delivery_ms, delivery_count; /* to be set; -1: not given */
    bool force, just_id;
    uint32_t id_count; /* XCLAIM: arguments from 5 on */
    struct stream_id *ids;
    struct stream_id last_id; /* XCLAIM: the group's becomes it, when it is higher */
};

/* A number in argument `at`, or the error that has the option's name. */
static bool claim_number(struct call *call, uint32_t at, const char *name, int64_t *out) {
    if (num_parse_int(call->argv[at], out)) return true;
    reply_errorf(call->reply, "ERR Invalid %s argument for %s", name,
                 call->command->run == stream_xclaim ? "XCLAIM" : "XAUTOCLAIM");
    return false;
}

/* The option at *at, which is left on the last argument that was taken. */
static bool claim_option(struct call *call, uint32_t *at, struct claim *claim) {
    bool more = *at + 1 < call->argc;
    struct span option = call->argv[*at];
    if (span_is(option, "FORCE")) {
        claim->force = true;
    } else if (span_is(option, "JUSTID")) {
        claim->just_id = true;
    } else if (more && span_is(option, "IDLE")) {
        if (!claim_number(call, ++*at, "IDLE option", &claim->delivery_ms)) return false;
        claim->delivery_ms = (int64_t)((uint64_t)claim->now_ms - (uint64_t)claim->delivery_ms);
    } else if (more && span_is(option, "TIME")) {
        return claim_number(call, ++*at, "TIME option", &claim->delivery_ms);
    } else if (more && span_is(option, "RETRYCOUNT")) {
        return claim_number(call, ++*at, "RETRYCOUNT option", &claim->delivery_count);
    } else if (more && span_is(option, "LASTID")) {
        return stream_id_argument(call, ++*at, &claim->last_id);
    } else {
        reply_errorf(call->reply, "ERR Unrecognized XCLAIM option '%.*s'", (int)option.len,
                     option.data);
        return false;
    }
    return true;
}

/* Ids are what can be read as ids; options follow. */
static bool parse_claim(struct call *call, struct claim *claim) {
    static const struct stream_id_form strict = {0};
    uint32_t at = 5;
    if (!claim_number(call, 4, "min-idle-time", &claim->idle_ms)) return false;
    claim->idle_ms = MAX(claim->idle_ms, 0);
    claim->ids = call_scratch(call, (call->argc - 5) * sizeof *claim->ids);
    for (; at < call->argc; at++) {
        if (!stream_parse_id(call->argv[at], &strict, &claim->ids[claim->id_count])) break;
        claim->id_count++;
    }
    for (; at < call->argc; at++) {
        if (!claim_option(call, &at, claim)) return false;
    }
    return true;
}

/* The consumer's from now on. */
static void claim_pending(struct claim *claim, struct stream_pending *p, struct stream_id id) {
    p->delivery_ms = claim->delivery_ms;
    if (claim->delivery_count >= 0) {
        p->delivery_count = claim->delivery_count;
    } else if (!claim->just_id) {
        p->delivery_count++;
    }
    stream_pending_assign(p, id, claim->consumer);
    claim->consumer->active_ms = claim->now_ms;
}

static void reply_claimed(const struct claim *claim, struct stream_id id) {
    if (claim->just_id) {
        stream_reply_id(claim->edit.call->reply, id);
    } else {
        stream_reply_one(claim->edit.call->reply, claim->edit.stream, id);
    }
}

static bool is_idle(const struct claim *claim, const struct stream_pending *p) {
    return claim->idle_ms == 0 || claim->now_ms - p->delivery_ms >= claim->idle_ms;
}

/* True when it was claimed and answered. */
static bool claim_one(struct claim *claim, struct stream_id id, bool *changed) {
    struct stream_pending *p = stream_tree_find(&claim->group->pending, id);
    if (!stream_has(claim->edit.stream, id)) {
        if (p) *changed = stream_pending_remove(claim->group, id);
        return false;
    }
    if (!p && !claim->force) return false;
    if (!p) {
        p = stream_pending_add(claim->group, id, claim->now_ms);
    } else if (!is_idle(claim, p)) {
        return false;
    }
    claim_pending(claim, p, id);
    reply_claimed(claim, id);
    *changed = true;
    return true;
}

void stream_xclaim(struct call *call) {
    struct claim claim = {.now_ms = clock_real_ms(), .delivery_ms = -1, .delivery_count = -1};
    uint64_t written = 0;
    bool changed = false;
    claim.group = begin_group(&claim.edit, call);
    if (!claim.group || !parse_claim(call, &claim)) return;
    if (stream_id_less(claim.group->last_id, claim.last_id)) {
        claim.group->last_id = claim.last_id;
        changed = true;
    }
    if (claim.delivery_ms < 0 || claim.delivery_ms > claim.now_ms) claim.delivery_ms = claim.now_ms;
    claim.consumer = stream_edit_consumer(&claim.edit, claim.group, 3);
    if (!claim.consumer) return;
    struct chunk *mark = reply_mark(call->reply);
    for (uint32_t i = 0; i < claim.id_count; i++)
        written += claim_one(&claim, claim.ids[i], &changed);
    reply_fill_array(call->reply, mark, written);
    if (changed) stream_edit_tell(&claim.edit, NULL);
}

/* ---- XAUTOCLAIM */

enum { AUTOCLAIM_COUNT = 100, AUTOCLAIM_LOOKS = 10 };

struct autoclaim {
    struct claim claim;
    struct stream_id next; /* where to look, and where to go on */
    int64_t count;
    struct buf claimed, deleted; /* struct stream_id each */
};

static bool parse_autoclaim(struct call *call, struct autoclaim *a) {
    a->count = AUTOCLAIM_COUNT;
    if (!claim_number(call, 4, "min-idle-time", &a->claim.idle_ms)) return false;
    a->claim.idle_ms = MAX(a->claim.idle_ms, 0);
    if (!stream_low_argument(call, 5, &a->next)) return false;
    for (uint32_t at = 6; at < call->argc; at++) {
        if (at + 1 < call->argc && call_is(call, at, "COUNT")) {
            if (!call_int_range(call, ++at, 1, INT64_MAX / (int64_t)sizeof(struct stream_id),
                                "ERR COUNT must be > 0", &a->count))
                return false;
        } else if (call_is(call, at, "JUSTID")) {
            a->claim.just_id = true;
        } else {
            call_syntax_error(call);
            return false;
        }
    }
    return true;
}

/* Claims or forgets up to count entries, looking at ten times as many; a->next is where to go on, zero at the end. */
static void autoclaim_run(struct autoclaim *a) {
    struct claim *claim = &a->claim;
    struct stream_tree_path path;
    int64_t looks = a->count * AUTOCLAIM_LOOKS, count = a->count;
    for (; stream_tree_seek(&claim->group->pending, a->next, &path); looks--) {
        struct stream_pending *p = stream_tree_value(&path);
        struct stream_id id = stream_tree_id(&path);
        if (looks == 0 || count == 0) {
            a->next = id;
            return;
        }
        if (!stream_has(claim->edit.stream, id)) {
            stream_pending_remove(claim->group, id);
            buf_put(&a->deleted, &id, sizeof id);
            count--;
        } else if (is_idle(claim, p)) {
            claim_pending(claim, p, id);
            buf_put(&a->claimed, &id, sizeof id);
            count--;
        }
        a->next = id;
        if (!stream_id_increment(&a->next)) break;
    }
    a->next = STREAM_ID_ZERO;
}

static void autoclaim_reply(const struct autoclaim *a) {
    struct reply *reply = a->claim.edit.call->reply;
    size_t claimed = a->claimed.len / sizeof a->next, deleted = a->deleted.len / sizeof a->next;
    struct stream_id id;
    reply_array(reply, 3);
    stream_reply_id(reply, a->next);
    reply_array(reply, claimed);
    for (size_t i = 0; i < claimed; i++) {
        memcpy(&id, a->claimed.data + i * sizeof id, sizeof id);
        reply_claimed(&a->claim, id);
    }
    reply_array(reply, deleted);
    for (size_t i = 0; i < deleted; i++) {
        memcpy(&id, a->deleted.data + i * sizeof id, sizeof id);
        stream_reply_id(reply, id);
    }
}

void stream_xautoclaim(struct call *call) {
    struct autoclaim a = {.claim = {.now_ms = clock_real_ms(), .delivery_count = -1}};
    a.claim.delivery_ms = a.claim.now_ms;
    if (!parse_autoclaim(call, &a)) return;
    a.claim.group = begin_group(&a.claim.edit, call);
    if (!a.claim.group) return;
    a.claim.consumer = stream_edit_consumer(&a.claim.edit, a.claim.group, 3);
    if (!a.claim.consumer) return;
    autoclaim_run(&a);
    autoclaim_reply(&a);
    if (a.claimed.len || a.deleted.len) stream_edit_tell(&a.claim.edit, NULL);
    buf_release(&a.claimed);
    buf_release(&a.deleted);
}
