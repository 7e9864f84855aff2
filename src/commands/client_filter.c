#include "commands/client_filter.h"

#include <stdio.h>
#include <stdlib.h>

#include "acl/acl.h"
#include "base/clock.h"
#include "commands/host.h"

void client_filter_init(struct client_filter *filter) {
    *filter = (struct client_filter){0};
    for (int i = 0; i < 2; i++) {
        filter->conditions[i].type = CLIENT_TYPE_ANY;
        filter->conditions[i].db = -1;
    }
}

/* ---- parsing */

static const char *const text_names[] = {
    [CLIENT_FILTER_ADDR] = "addr",       [CLIENT_FILTER_LADDR] = "laddr",
    [CLIENT_FILTER_IP] = "ip",           [CLIENT_FILTER_USER] = "user",
    [CLIENT_FILTER_NAME] = "name",       [CLIENT_FILTER_LIB_NAME] = "lib-name",
    [CLIENT_FILTER_LIB_VER] = "lib-ver", [CLIENT_FILTER_FLAGS] = "flags",
    [CLIENT_FILTER_CAPA] = "capa",
};

static const char flag_letters[] = "OSMPxbtRBdcuAUreTIiEN";
static const char capability_letters[] = "r";

struct filter_parser {
    struct call *call;
    struct client_filter *filter;
    uint32_t at; /* of the option's name */
};

static struct span option_value(const struct filter_parser *p) {
    return p->call->argv[p->at + 1];
}

static bool refuse_value(struct filter_parser *p, const char *format_head, struct span value) {
    reply_errorf(p->call->reply, "ERR %s%.*s", format_head, (int)MIN(value.len, (size_t)128),
                 value.data);
    return false;
}

static bool refuse_quoted(struct filter_parser *p, const char *what, struct span value) {
    reply_errorf(p->call->reply, "ERR %s '%.*s'", what, (int)MIN(value.len, (size_t)128),
                 value.data);
    return false;
}

/* "ID 3 4 5": all that follow and are numbers. */
static bool parse_ids(struct filter_parser *p, struct client_ids *ids) {
    struct call *call = p->call;
    int64_t id;
    if (!ids->ids) ids->ids = call_scratch(call, call->argc * sizeof *ids->ids);
    for (p->at++; p->at < call->argc && num_parse_int(call->argv[p->at], &id); p->at++) {
        if (id < 1) {
            reply_error(call->reply, "ERR client-id should be greater than 0");
            return false;
        }
        ids->ids[ids->count++] = id;
    }
    return true;
}

static bool parse_seconds(struct filter_parser *p, const char *name, int64_t *out) {
    char error[64];
    snprintf(error, sizeof error, "ERR %s is not an integer or out of range", name);
    if (!call_int_range(p->call, p->at + 1, INT64_MIN, INT64_MAX, error, out)) return false;
    p->at += 2;
    if (*out > 0) return true;
    reply_errorf(p->call->reply, "ERR %s should be greater than 0", name);
    return false;
}

static bool parse_type(struct filter_parser *p, int *type) {
    static const struct {
        const char *name;
        int type;
    } types[] = {
        {"normal", SESSION_CLASS_NORMAL},   {"slave", SESSION_CLASS_REPLICA},
        {"replica", SESSION_CLASS_REPLICA}, {"pubsub", SESSION_CLASS_PUBSUB},
        {"master", CLIENT_TYPE_PRIMARY},    {"primary", CLIENT_TYPE_PRIMARY},
    };
    struct span value = option_value(p);
    p->at += 2;
    for (size_t i = 0; i < ARRAY_LENGTH(types); i++) {
        if (!span_is(value, types[i].name)) continue;
        *type = types[i].type;
        return true;
    }
    return refuse_quoted(p, "Unknown client type", value);
}

static bool parse_db(struct filter_parser *p, bool negated, int64_t *db) {
    const char *name = negated ? "NOT-DB" : "DB";
    char error[64];
    int64_t count = keyspace_db_count(p->call->host->keyspace);
    snprintf(error, sizeof error, "ERR %s is not an integer or out of range", name);
    if (!call_int_range(p->call, p->at + 1, INT32_MIN, INT32_MAX, error, db)) return false;
    p->at += 2;
    if (*db >= 0 && *db < count) return true;
    reply_errorf(p->call->reply, "ERR %s number should be between 0 and %lld", name,
                 (long long)count - 1);
    return false;
}

static bool only_of(struct span value, const char *letters) {
    for (size_t i = 0; i < value.len; i++) {
        if (!value.data[i] || !strchr(letters, value.data[i])) return false;
    }
    return true;
}

static bool parse_text(struct filter_parser *p, bool negated, enum client_filter_text kind) {
    struct span value = option_value(p);
    p->at += 2;
    if (kind == CLIENT_FILTER_USER && !acl_find(p->call->host->acl, value)) {
        return refuse_quoted(p, "No such user", value);
    }
    if (kind == CLIENT_FILTER_FLAGS && !only_of(value, flag_letters)) {
        return refuse_value(p,
                            negated ? "Unknown flags found in the NOT-FLAGS filter: "
                                    : "Unknown flags found in the provided filter: ",
                            value);
    }
    if (kind == CLIENT_FILTER_CAPA && !only_of(value, capability_letters)) {
        return refuse_value(p,
                            negated ? "Unknown capa found in the NOT-CAPA filter: "
                                    : "Unknown capa found in the provided filter: ",
                            value);
    }
    p->filter->conditions[negated].text[kind] = value;
    return true;
}

static bool parse_skip_me(struct filter_parser *p) {
    struct span value = option_value(p);
    p->at += 2;
    if (!span_is(value, "yes") && !span_is(value, "no")) {
        call_syntax_error(p->call);
        return false;
    }
    p->filter->skip_me = span_is(value, "yes");
    return true;
}

/* Options that come with and without NOT-. */
static bool parse_condition(struct filter_parser *p, struct span name, bool negated) {
    struct client_conditions *conditions = &p->filter->conditions[negated];
    if (span_is(name, "id")) return parse_ids(p, &conditions->ids);
    if (p->at + 1 < p->call->argc) {
        if (span_is(name, "type")) return parse_type(p, &conditions->type);
        if (span_is(name, "db")) return parse_db(p, negated, &conditions->db);
        for (int kind = 0; kind < CLIENT_FILTER_TEXT_COUNT; kind++) {
            if (span_is(name, text_names[kind]))
                return parse_text(p, negated, (enum client_filter_text)kind);
        }
    }
    call_syntax_error(p->call);
    return false;
}

static bool parse_option(struct filter_parser *p) {
    struct span name = p->call->argv[p->at];
    bool has_value = p->at + 1 < p->call->argc;
    if (has_value && span_is(name, "maxage"))
        return parse_seconds(p, "maxage", &p->filter->age_s_min);
    if (has_value && span_is(name, "idle")) return parse_seconds(p, "idle", &p->filter->idle_s_min);
    if (has_value && span_is(name, "skipme")) return parse_skip_me(p);
    bool negated = name.len > 4 && span_is(span_make(name.data, 4), "not-");
    if (negated) name = span_make(name.data + 4, name.len - 4);
    return parse_condition(p, name, negated);
}

static int compare_ids(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

bool client_filter_parse(struct call *call, uint32_t at, struct client_filter *filter) {
    struct filter_parser p = {.call = call, .filter = filter, .at = at};
    while (p.at < call->argc) {
        if (!parse_option(&p)) return false;
    }
    for (int i = 0; i < 2; i++) {
        struct client_ids *ids = &filter->conditions[i].ids;
        if (ids->ids) qsort(ids->ids, ids->count, sizeof *ids->ids, compare_ids);
    }
    return true;
}

/* ---- matching */

/* In a blocking command, or by CLIENT PAUSE. */
static bool is_held(const struct session *s) {
    return s->unblock || s->stop & SESSION_STOP_PAUSED;
}

static bool has_flag(const struct session *s, char letter) {
    const uint32_t shown = SESSION_MONITOR | SESSION_PUBSUB | SESSION_MULTI | SESSION_TRACKING |
                           SESSION_DIRTY_WATCH | SESSION_CLOSE_AFTER_REPLY | SESSION_UNIX |
                           SESSION_NO_EVICT | SESSION_NO_TOUCH;
    switch (letter) {
    case 'O': return s->flags & SESSION_MONITOR;
    case 'P': return s->flags & SESSION_PUBSUB;
    case 'x': return s->flags & SESSION_MULTI;
    case 'b': return is_held(s);
    case 't': return s->flags & SESSION_TRACKING;
    case 'R': return s->flags & SESSION_TRACKING_BROKEN;
    case 'B': return s->flags & SESSION_TRACKING_BCAST;
    case 'd': return s->flags & SESSION_DIRTY_WATCH;
    case 'c': return s->flags & SESSION_CLOSE_AFTER_REPLY;
    case 'U': return s->flags & SESSION_UNIX;
    case 'e': return s->flags & SESSION_NO_EVICT;
    case 'T': return s->flags & SESSION_NO_TOUCH;
    case 'N': return !is_held(s) && !(s->flags & shown);
    }
    return false; /* of a state that no client here is ever in */
}

static bool has_flags(const struct session *s, struct span letters) {
    for (size_t i = 0; i < letters.len; i++) {
        if (!has_flag(s, letters.data[i])) return false;
    }
    return true;
}

/* "10.0.0.1" of "10.0.0.1:6379", "::1" of "[::1]:6379"; Unix sockets have none. */
static bool has_ip(const struct session *s, struct span ip) {
    char peer[NET_NAME_MAX];
    size_t len = session_peer_name(s, peer, sizeof peer);
    if (s->flags & SESSION_UNIX) return false;
    while (len > 0 && peer[len - 1] != ':') len--;
    if (len == 0) return false;
    struct span host = span_make(peer, len - 1);
    if (host.len > 1 && host.data[0] == '[') host = span_make(host.data + 1, host.len - 2);
    return span_eq(host, ip);
}

static bool is_text(const char *text, struct span wanted) {
    return text && span_eq(span_of(text), wanted);
}

static bool has_local_name(const struct session *s, struct span wanted) {
    char local[NET_NAME_MAX] = "";
    if (s->conn) net_local_name(s->conn, local, sizeof local);
    return is_text(local, wanted);
}

static bool has_text(const struct session *s, enum client_filter_text kind, struct span wanted) {
    char peer[NET_NAME_MAX];
    switch (kind) {
    case CLIENT_FILTER_ADDR: session_peer_name(s, peer, sizeof peer); return is_text(peer, wanted);
    case CLIENT_FILTER_LADDR: return has_local_name(s, wanted);
    case CLIENT_FILTER_IP: return has_ip(s, wanted);
    case CLIENT_FILTER_USER: return is_text(s->user ? s->user->name : "default", wanted);
    case CLIENT_FILTER_NAME: return is_text(s->name, wanted);
    case CLIENT_FILTER_LIB_NAME: return is_text(s->lib_name, wanted);
    case CLIENT_FILTER_LIB_VER: return is_text(s->lib_version, wanted);
    case CLIENT_FILTER_FLAGS: return has_flags(s, wanted);
    case CLIENT_FILTER_CAPA: return wanted.len == 0 || s->flags & SESSION_CAPA_REDIRECT;
    case CLIENT_FILTER_TEXT_COUNT: break;
    }
    return false;
}

static bool has_id(const struct session *s, const struct client_ids *ids) {
    int64_t id = (int64_t)s->id;
    return bsearch(&id, ids->ids, ids->count, sizeof id, compare_ids) != NULL;
}

/* Does each of the conditions that were given come out as `wanted`? */
static bool all_are(const struct client_conditions *conditions, const struct session *s,
                    bool wanted) {
    if (conditions->ids.ids && has_id(s, &conditions->ids) != wanted) return false;
    if (conditions->type != CLIENT_TYPE_ANY &&
        ((int)session_class_of(s) == conditions->type) != wanted)
        return false;
    if (conditions->db >= 0 && (s->db->number == conditions->db) != wanted) return false;
    for (int kind = 0; kind < CLIENT_FILTER_TEXT_COUNT; kind++) {
        struct span text = conditions->text[kind];
        if (text.data && has_text(s, (enum client_filter_text)kind, text) != wanted) return false;
    }
    return true;
}

bool client_filter_matches(const struct client_filter *filter, const struct session *s,
                           const struct session *me) {
    int64_t now_ms = clock_mono_ms();
    if (s->stop & SESSION_STOP_CLOSING && !(s->flags & SESSION_CLOSE_AFTER_REPLY)) return false;
    if (filter->skip_me && s == me) return false;
    if (filter->age_s_min && (now_ms - s->created_ms) / 1000 < filter->age_s_min) return false;
    if (filter->idle_s_min && (now_ms - s->active_ms) / 1000 < filter->idle_s_min) return false;
    return all_are(&filter->conditions[0], s, true) && all_are(&filter->conditions[1], s, false);
}
