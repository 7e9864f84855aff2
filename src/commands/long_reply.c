/* One allocation for each reply that is under way: what is pinned, whose it is, and where its walk stands. They take turns. */
#include "commands/long_reply.h"

#include <stddef.h>

#include "base/alloc.h"
#include "base/check.h"
#include "base/clock.h"
#include "commands/host.h"
#include "commands/push.h"

enum {
    PART_BYTES = 256 * 1024,           /* written at once, about: some 150 us for small elements */
    PART_STEPS = 128,                  /* and so many steps at most */
    OUTPUT_BYTES_MAX = 2 * PART_BYTES, /* with more than that unsent, it waits */
    UNDER_WAY_MAX = 64,
    TURN_BUDGET_US = 500,
};

struct long_reply {
    struct list link;
    struct session_extension extension;
    struct db_pin pin;
    struct host *host;
    struct session *session;
    const struct long_reply_kind *kind;
    max_align_t state[];
};

struct long_replies {
    struct list under_way;
    uint32_t count;
};

/* True when all is written. */
static bool write_part(const struct long_reply_kind *kind, void *state, struct reply *reply) {
    size_t begin_bytes = chunk_list_bytes(reply->out);
    for (int step = 0; step < PART_STEPS; step++) {
        if (kind->write(state, reply)) return true;
        if (chunk_list_bytes(reply->out) - begin_bytes >= PART_BYTES) break;
    }
    return false;
}

static void write_all(const struct long_reply_kind *kind, void *state, struct reply *reply) {
    while (!kind->write(state, reply)) {}
}

/* ---- the end of one */

static size_t memory_bytes(const struct session_extension *extension) {
    const struct long_reply *l = CONST_CONTAINER_OF(extension, struct long_reply, extension);
    return mem_class_bytes(sizeof *l + l->kind->state_bytes);
}

static void release(struct session_extension *extension, struct session *s) {
    struct long_reply *l = CONTAINER_OF(extension, struct long_reply, extension);
    s->extension[SESSION_EXTENSION_LONG_REPLY] = NULL;
    list_remove(&l->link);
    l->host->long_replies->count--;
    keyspace_unpin(l->host->keyspace, &l->pin);
    mem_free(l);
}

/* All is written: the session goes on. */
static void end(struct long_reply *l) {
    struct session *s = l->session;
    release(&l->extension, s);
    session_go(s, SESSION_STOP_REPLY);
    if (s->deferred) push_deliver_deferred(s);
    session_queue_output(s);
}

static void on_changing(struct db_pin *pin) {
    struct long_reply *l = CONTAINER_OF(pin, struct long_reply, pin);
    if (!(l->session->stop & SESSION_STOP_CLOSING))
        write_all(l->kind, l->state, &l->session->reply);
    end(l);
}

/* ---- the beginning */

static bool may_wait(const struct call *call) {
    const struct session *s = call->session;
    return s->conn && call->reply == &s->reply && s->reply.out == &s->output &&
           !(call->flags & CALL_DENY_BLOCKING) && !(s->flags & SESSION_INTERNAL) &&
           call->host->long_replies->count < UNDER_WAY_MAX;
}

static struct long_reply *try_new(struct call *call, const struct long_reply_kind *kind,
                                  const void *state, const void *object) {
    struct long_reply *l = mem_try_alloc(sizeof *l + kind->state_bytes);
    if (!l) return NULL;
    *l = (struct long_reply){
        .extension = {.release = release, .memory_bytes = memory_bytes},
        .pin = {.type = kind->type, .object = (void *)(uintptr_t)object, .changing = on_changing},
        .host = call->host,
        .session = call->session,
        .kind = kind,
    };
    memcpy(l->state, state, kind->state_bytes);
    return l;
}

void long_reply(struct call *call, const struct long_reply_kind *kind, void *state,
                const void *object) {
    struct session *s = call->session;
    struct long_reply *l;
    if (LIKELY(write_part(kind, state, call->reply))) return;
    l = may_wait(call) ? try_new(call, kind, state, object) : NULL;
    if (!l) {
        write_all(kind, state, call->reply);
        return;
    }
    DCHECK(!s->extension[SESSION_EXTENSION_LONG_REPLY]);
    s->extension[SESSION_EXTENSION_LONG_REPLY] = &l->extension;
    list_push_back(&call->host->long_replies->under_way, &l->link);
    call->host->long_replies->count++;
    keyspace_pin(call->host->keyspace, &l->pin);
    session_stop(s, SESSION_STOP_REPLY);
}

/* ---- going on */

static bool is_ready(const struct long_reply *l) {
    return !(l->session->stop & SESSION_STOP_CLOSING) &&
           session_output_bytes(l->session) < OUTPUT_BYTES_MAX;
}

bool long_replies_ready(const struct host *host) {
    LIST_FOR_EACH(it, &host->long_replies->under_way) {
        if (is_ready(LIST_ENTRY(it, struct long_reply, link))) return true;
    }
    return false;
}

static void go_on(struct long_reply *l) {
    struct session *s = l->session;
    bool done = write_part(l->kind, l->state, &s->reply);
    s->active_ms = clock_mono_ms();
    session_queue_output(s);
    if (done) end(l);
}

void long_replies_continue(struct host *host) {
    struct long_replies *all = host->long_replies;
    if (LIKELY(all->count == 0)) return;
    int64_t until_us = clock_mono_us() + TURN_BUDGET_US;
    for (uint32_t left = all->count; left > 0 && clock_mono_us() < until_us; left--) {
        struct long_reply *l = LIST_ENTRY(all->under_way.next, struct long_reply, link);
        list_remove(&l->link);
        list_push_back(&all->under_way, &l->link);
        if (is_ready(l)) go_on(l);
    }
}

/* ---- life */

struct long_replies *long_replies_new(void) {
    struct long_replies *all = mem_zalloc(sizeof *all);
    list_init(&all->under_way);
    return all;
}

void long_replies_free(struct long_replies *all) {
    DCHECK(all->count == 0);
    mem_free(all);
}
