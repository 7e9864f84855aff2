/* A request is checked against each selector of the user until one allows all of it: the command, then every key with the access that
 * its key specification tells, then every channel. Of the refusals the one that got furthest is told. */
#include "commands/acl_check.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "commands/families.h"
#include "commands/pubsub.h"
#include "resp/window.h"

/* ---- the commands */

static void fill(struct acl_command *commands, const struct command_entry *e) {
    commands[e->id] = (struct acl_command){
        .name = e->full_name,
        .categories = e->categories,
        .subcommand_count = e->subcommand_count,
        .is_subcommand = e->container != NULL,
    };
}

struct acl_catalogue acl_catalogue_of(const struct command_registry *r) {
    struct acl_command *commands = mem_zalloc((registry_id_count(r) + 1) * sizeof *commands);
    struct acl_catalogue catalogue;
    for (uint32_t i = 0; i < registry_count(r); i++) {
        const struct command_entry *e = registry_at(r, i);
        fill(commands, e);
        for (uint32_t j = 0; j < e->subcommand_count; j++) fill(commands, &e->subcommands[j]);
    }
    acl_catalogue_init(&catalogue, commands, registry_id_count(r), category_names, CATEGORY_COUNT);
    return catalogue;
}

/* ---- who a session is */

struct acl_user *acl_session_user(const struct host *host, const struct session *s) {
    return s->user ? s->user : host->acl->default_user;
}

static bool is_open(const struct host *host) {
    const struct acl_user *u = host->acl->default_user;
    return u->enabled && u->no_password;
}

bool acl_session_needs_auth(const struct host *host, const struct session *s) {
    return UNLIKELY(s->flags & SESSION_RESTRICTED) && !(s->flags & SESSION_AUTHENTICATED) &&
           !is_open(host);
}

static void refresh(const struct host *host, struct session *s) {
    bool unknown = !(s->flags & SESSION_AUTHENTICATED) && !is_open(host);
    if (unknown || !acl_session_user(host, s)->unrestricted) {
        s->flags |= SESSION_RESTRICTED;
    } else {
        s->flags &= ~(uint32_t)SESSION_RESTRICTED;
    }
}

void acl_refresh_sessions(const struct host *host) {
    LIST_FOR_EACH(it, &host->sessions->all) {
        refresh(host, LIST_ENTRY(it, struct session, link));
    }
}

/* Who came while there was no password stays when one is set, as in Redis. */
void acl_session_reset(const struct host *host, struct session *s) {
    s->user = NULL;
    s->flags &= ~(uint32_t)SESSION_AUTHENTICATED;
    if (is_open(host)) s->flags |= SESSION_AUTHENTICATED;
    refresh(host, s);
}

void acl_session_login(const struct host *host, struct session *s, struct acl_user *user) {
    s->user = user == host->acl->default_user ? NULL : user;
    s->flags |= SESSION_AUTHENTICATED;
    refresh(host, s);
}

/* ---- what was refused */

static void note(struct host *host, const struct session *s, struct acl_log_event *event) {
    struct buf client = {0};
    host->acl->denied_count[event->why]++;
    session_describe(s, &client);
    event->client = buf_span(&client);
    event->now_ms = clock_real_ms();
    acl_log_add(&host->acl->log, event, (uint64_t)host->settings->acllog_max_len);
    buf_release(&client);
}

bool acl_session_authenticate(struct call *call, struct span user, struct span password) {
    struct acl_user *u = acl_find(call->host->acl, user);
    if (u && acl_user_accepts(u, password)) {
        acl_session_login(call->host, call->session, u);
        return true;
    }
    bool queued = call->flags & CALL_DENY_BLOCKING;
    struct acl_log_event event = {
        .why = ACL_DENIED_AUTH,
        .where = queued ? ACL_CONTEXT_MULTI : ACL_CONTEXT_TOPLEVEL,
        .object = call->argv[0],
        .user = user,
    };
    note(call->host, call->session, &event);
    return false;
}

/* ---- ending sessions */

static void end(struct call *call, struct session *s) {
    if (s == call->session) {
        session_close_after_reply(s);
    } else {
        client_kill(s);
    }
}

void acl_end_sessions(struct call *call, const struct acl_user *user) {
    LIST_FOR_EACH(it, &call->host->sessions->all) {
        struct session *s = LIST_ENTRY(it, struct session, link);
        if (s->user != user) continue;
        s->user = NULL;
        s->flags &= ~(uint32_t)SESSION_AUTHENTICATED;
        refresh(call->host, s);
        end(call, s);
    }
}

static bool any_matches(const struct acl_user *u, struct span channel, bool is_pattern) {
    for (uint32_t i = 0; i < u->selector_count; i++) {
        if (acl_patterns_match_channel(&u->selectors[i]->channels, channel, is_pattern))
            return true;
    }
    return false;
}

/* All that was allowed still is, letter for letter: nobody needs to be looked at. */
static bool keeps_channels(const struct acl_user *user, const struct acl_user *next) {
    for (uint32_t i = 0; i < next->selector_count; i++) {
        if (next->selectors[i]->channels.all) return true;
    }
    for (uint32_t i = 0; i < user->selector_count; i++) {
        const struct acl_patterns *had = &user->selectors[i]->channels;
        if (had->all) return false;
        for (uint32_t j = 0; j < had->count; j++) {
            struct span text = span_make(had->at[j]->text, had->at[j]->len);
            if (!any_matches(next, text, true)) return false;
        }
    }
    return true;
}

struct lost {
    const struct acl_user *next;
    bool any;
};

static void visit_subscription(struct span name, bool is_pattern, void *context) {
    struct lost *lost = context;
    lost->any |= !any_matches(lost->next, name, is_pattern);
}

void acl_end_subscribers(struct call *call, const struct acl_user *user,
                         const struct acl_user *next) {
    if (keeps_channels(user, next)) return;
    LIST_FOR_EACH(it, &call->host->sessions->all) {
        struct session *s = LIST_ENTRY(it, struct session, link);
        struct lost lost = {next, false};
        if (acl_session_user(call->host, s) != user) continue;
        pubsub_each(s, visit_subscription, &lost);
        if (lost.any) end(call, s);
    }
}

/* ---- what a request touches */

/* Its keys and channels, found once for all selectors. */
struct touched {
    uint32_t *keys;
    uint16_t *key_flags;
    int key_count; /* negative: not looked for yet */
};

static void find_keys(struct host *host, const struct acl_request *r, struct touched *t) {
    const struct command *c = r->entry->command;
    t->key_count = 0;
    if (!c->keys[0].flags && !c->find_keys) return;
    t->keys = window_memory_alloc(host->window, r->argc * sizeof *t->keys);
    t->key_flags = window_memory_alloc(host->window, r->argc * sizeof *t->key_flags);
    int count = command_keys(c, r->argv, r->argc, t->keys, t->key_flags, (int)r->argc);
    t->key_count = MAX(count, 0); /* arguments that do not fit are for the command to refuse */
}

static unsigned access_of(uint16_t key_flags) {
    unsigned access = key_flags & KEY_ACCESS ? ACL_READ : 0;
    return access | (key_flags & (KEY_INSERT | KEY_DELETE | KEY_UPDATE) ? ACL_WRITE : 0);
}

/* The arguments that are channels: `first` to `last`; none when first is 0. */
struct channel_arguments {
    uint32_t first, last;
    bool patterns;
};

static struct channel_arguments channels_of(const struct acl_request *r) {
    static const struct {
        const char *name;
        bool all, patterns;
    } rows[] = {{"subscribe", true, false},
                {"psubscribe", true, true},
                {"ssubscribe", true, false},
                {"publish", false, false},
                {"spublish", false, false}};
    if (r->entry->command->group != GROUP_PUBSUB) return (struct channel_arguments){0};
    for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
        if (!span_is(span_of(r->entry->full_name), rows[i].name)) continue;
        return (struct channel_arguments){1, rows[i].all ? r->argc - 1 : 1, rows[i].patterns};
    }
    return (struct channel_arguments){0};
}

/* ---- checking */

/* True, or false and how far it came. */
static bool selector_may(struct host *host, const struct acl_selector *s,
                         const struct acl_request *r, struct touched *t, struct acl_refusal *out) {
    const struct command *c = r->entry->command;
    uint32_t first_at = r->entry->container ? 2 : 1;
    struct span first = first_at < r->argc ? r->argv[first_at] : (struct span){NULL, 0};
    *out = (struct acl_refusal){ACL_DENIED_COMMAND, 0};
    if (!(c->flags & COMMAND_NO_AUTH) && !acl_selector_allows(s, r->entry->id, first)) return false;
    if (!s->keys.all) {
        if (t->key_count < 0) find_keys(host, r, t);
        for (int i = 0; i < t->key_count; i++) {
            *out = (struct acl_refusal){ACL_DENIED_KEY, t->keys[i]};
            struct span key = r->argv[t->keys[i]];
            if (!acl_patterns_match_key(&s->keys, key, access_of(t->key_flags[i]))) return false;
        }
    }
    if (s->channels.all) return true;
    struct channel_arguments channels = channels_of(r);
    for (uint32_t at = channels.first; at && at <= channels.last; at++) {
        *out = (struct acl_refusal){ACL_DENIED_CHANNEL, at};
        if (!acl_patterns_match_channel(&s->channels, r->argv[at], channels.patterns)) return false;
    }
    return true;
}

bool acl_user_may(struct host *host, const struct acl_user *user, const struct acl_request *request,
                  struct acl_refusal *refusal) {
    struct touched touched = {.key_count = -1};
    *refusal = (struct acl_refusal){ACL_DENIED_COMMAND, 0};
    for (uint32_t i = 0; i < user->selector_count; i++) {
        struct acl_refusal this;
        if (selector_may(host, user->selectors[i], request, &touched, &this)) return true;
        if (this.why > refusal->why || (this.why == refusal->why && this.at > refusal->at))
            *refusal = this;
    }
    return false;
}

bool acl_session_check(struct host *host, struct session *s, const struct acl_request *request,
                       enum acl_context where, struct acl_refusal *refusal) {
    const struct acl_user *user = acl_session_user(host, s);
    if (acl_user_may(host, user, request, refusal)) return true;
    struct acl_log_event event = {
        .why = refusal->why,
        .where = where,
        .object = refusal->why == ACL_DENIED_COMMAND ? span_of(request->entry->full_name)
                                                     : request->argv[refusal->at],
        .user = acl_user_name(user),
    };
    note(host, s, &event);
    return false;
}

void acl_refusal_text(const struct acl_user *user, const struct acl_request *request,
                      const struct acl_refusal *refusal, bool verbose, struct buf *out) {
    const char *what = refusal->why == ACL_DENIED_KEY ? "key" : "channel";
    if (refusal->why == ACL_DENIED_COMMAND) {
        buf_printf(out, "User %s has no permissions to run the '%s' command", user->name,
                   request->entry->full_name);
    } else if (verbose) {
        buf_printf(out, "User %s has no permissions to access the '", user->name);
        buf_put_span(out, request->argv[refusal->at]);
        buf_printf(out, "' %s", what);
    } else {
        buf_printf(out, "No permissions to access a %s", what);
    }
}

bool acl_call_may_read_all(const struct call *call) {
    struct host *host = call->host;
    if (LIKELY(!(call->session->flags & SESSION_RESTRICTED))) return true;
    const struct acl_user *user = acl_session_user(host, call->session);
    struct acl_request request = {registry_find(host->commands, call->argv[0]), call->argv,
                                  call->argc};
    struct touched touched = {.key_count = -1};
    if (!request.entry) return false;
    for (uint32_t i = 0; i < user->selector_count; i++) {
        const struct acl_selector *s = user->selectors[i];
        struct acl_refusal refusal;
        if (!acl_patterns_match_all(&s->keys, ACL_READ)) continue;
        if (selector_may(host, s, &request, &touched, &refusal)) return true;
    }
    return false;
}
