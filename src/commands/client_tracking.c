/* CLIENT TRACKING, CACHING, GETREDIR and TRACKINGINFO. */
#include <stdlib.h>

#include "base/alloc.h"
#include "commands/broadcast.h"
#include "commands/host.h"
#include "commands/tracking.h"

enum { PREFIX_SHOWN_BYTES_MAX = 128 };

/* ---- TRACKING */

struct asked {
    struct tracking_choice choice;
    struct span *prefixes; /* scratch memory, as they were given */
    uint32_t prefix_count;
};

static const struct {
    const char *name;
    enum tracking_option option;
} option_names[] = {
    {"bcast", TRACKING_BCAST},
    {"optin", TRACKING_OPTIN},
    {"optout", TRACKING_OPTOUT},
    {"noloop", TRACKING_NOLOOP},
};

static bool parse_redirect(struct call *call, uint32_t at, struct asked *asked) {
    int64_t id;
    if (asked->choice.redirect_id) {
        reply_error(call->reply, "ERR A client can only redirect to a single other client");
        return false;
    }
    if (!call_int(call, at, &id)) return false;
    asked->choice.redirect_id = (uint64_t)id;
    if (session_by_id(call->host->sessions, (uint64_t)id)) return true;
    reply_error(call->reply, "ERR The client ID you want redirect to does not exist");
    return false;
}

static bool parse_word(struct call *call, uint32_t at, struct asked *asked) {
    for (size_t i = 0; i < ARRAY_LENGTH(option_names); i++) {
        if (!call_is(call, at, option_names[i].name)) continue;
        asked->choice.options |= option_names[i].option;
        return true;
    }
    call_syntax_error(call);
    return false;
}

static bool parse(struct call *call, struct asked *asked) {
    asked->prefixes = call_scratch(call, call->argc * sizeof *asked->prefixes);
    for (uint32_t at = 3; at < call->argc; at++) {
        bool has_value = at + 1 < call->argc;
        if (has_value && call_is(call, at, "redirect")) {
            if (!parse_redirect(call, ++at, asked)) return false;
        } else if (has_value && call_is(call, at, "prefix")) {
            asked->prefixes[asked->prefix_count++] = call->argv[++at];
        } else if (!parse_word(call, at, asked)) {
            return false;
        }
    }
    return true;
}

static const char *conflict(const struct asked *asked, const struct session *s) {
    uint32_t options = asked->choice.options, before = tracking_state(s).options;
    bool bcast = options & TRACKING_BCAST;
    uint32_t opt = options & (TRACKING_OPTIN | TRACKING_OPTOUT);
    uint32_t opt_before = before & (TRACKING_OPTIN | TRACKING_OPTOUT);
    if (!bcast && asked->prefix_count) return "PREFIX option requires BCAST mode to be enabled";
    if (s->flags & SESSION_TRACKING && bcast != !!(before & TRACKING_BCAST))
        return "You can't switch BCAST mode on/off before disabling tracking for this client, and "
               "then re-enabling it with a different mode.";
    if (bcast && opt) return "OPTIN and OPTOUT are not compatible with BCAST";
    if (opt == (TRACKING_OPTIN | TRACKING_OPTOUT))
        return "You can't specify both OPTIN mode and OPTOUT mode";
    if (opt && opt_before && opt != opt_before)
        return "You can't switch OPTIN/OPTOUT mode before disabling tracking for this client, and "
               "then re-enabling it with a different mode.";
    return NULL;
}

static bool refuse_prefix(struct call *call, struct span prefix, const char *which,
                          struct span other) {
    reply_errorf(call->reply,
                 "ERR Prefix '%.*s' overlaps with %s prefix '%.*s'. Prefixes for a single client "
                 "must not overlap.",
                 (int)MIN(prefix.len, (size_t)PREFIX_SHOWN_BYTES_MAX), prefix.data, which,
                 (int)MIN(other.len, (size_t)PREFIX_SHOWN_BYTES_MAX), other.data);
    return false;
}

static int compare_given(const void *a, const void *b) {
    return broadcast_compare(**(const struct span *const *)a, **(const struct span *const *)b);
}

static bool begins_with(struct span name, struct span prefix) {
    return name.len >= prefix.len && span_eq(span_make(name.data, prefix.len), prefix);
}

/* Two of those given that overlap, by their places, which begin as UINT32_MAX and 0; false: none. In order they lie side by side. */
static bool find_overlap(struct call *call, struct asked *asked, uint32_t places[2]) {
    const struct span **order = call_scratch(call, asked->prefix_count * sizeof *order);
    struct span *sorted = call_scratch(call, asked->prefix_count * sizeof *sorted);
    for (uint32_t i = 0; i < asked->prefix_count; i++) order[i] = &asked->prefixes[i];
    qsort(order, asked->prefix_count, sizeof *order, compare_given);
    for (uint32_t i = 0; i < asked->prefix_count; i++) {
        sorted[i] = *order[i];
        if (i == 0 || !begins_with(sorted[i], sorted[i - 1])) continue;
        uint32_t a = (uint32_t)(order[i - 1] - asked->prefixes);
        uint32_t b = (uint32_t)(order[i] - asked->prefixes);
        if (MIN(a, b) >= places[0]) continue;
        places[0] = MIN(a, b);
        places[1] = MAX(a, b);
    }
    asked->choice.prefixes = sorted;
    asked->choice.prefix_count = asked->prefix_count;
    return places[0] != UINT32_MAX;
}

/* In the order in which they were given, each against those that the session has and then against those behind it. */
static bool check_prefixes(struct call *call, struct asked *asked) {
    const struct broadcast_listener *listener = tracking_state(call->session).listener;
    uint32_t places[2] = {UINT32_MAX, 0};
    bool found = find_overlap(call, asked, places);
    uint32_t last = found ? places[0] + 1 : asked->prefix_count;
    for (uint32_t i = 0; listener && i < last; i++) {
        struct span other = broadcast_overlap(listener, asked->prefixes[i]);
        if (other.data) return refuse_prefix(call, asked->prefixes[i], "an existing", other);
    }
    if (!found) return true;
    return refuse_prefix(call, asked->prefixes[places[0]], "another provided",
                         asked->prefixes[places[1]]);
}

static void turn_on(struct call *call, struct asked *asked) {
    const char *problem = conflict(asked, call->session);
    if (problem) {
        reply_errorf(call->reply, "ERR %s", problem);
        return;
    }
    if (!check_prefixes(call, asked)) return;
    if (tracking_on(call->host, call->session, &asked->choice) < 0) {
        reply_error(call->reply, ERROR_MEMORY_TEXT);
        return;
    }
    reply_ok(call->reply);
}

void client_tracking(struct call *call) {
    struct asked asked = {0};
    if (!parse(call, &asked)) return;
    if (call_is(call, 2, "on")) {
        turn_on(call, &asked);
    } else if (call_is(call, 2, "off")) {
        tracking_off(call->session);
        reply_ok(call->reply);
    } else {
        call_syntax_error(call);
    }
}

/* ---- CACHING */

static const char *caching_problem(uint32_t options, bool yes) {
    if (yes && !(options & TRACKING_OPTIN))
        return "CLIENT CACHING YES is only valid when tracking is enabled in OPTIN mode.";
    if (!yes && !(options & TRACKING_OPTOUT))
        return "CLIENT CACHING NO is only valid when tracking is enabled in OPTOUT mode.";
    return NULL;
}

void client_caching(struct call *call) {
    struct session *s = call->session;
    bool yes = call_is(call, 2, "yes");
    if (!(s->flags & SESSION_TRACKING)) {
        reply_error(call->reply, "ERR CLIENT CACHING can be called only when the client is in "
                                 "tracking mode with OPTIN or OPTOUT mode enabled");
        return;
    }
    if (!yes && !call_is(call, 2, "no")) {
        call_syntax_error(call);
        return;
    }
    const char *problem = caching_problem(tracking_state(s).options, yes);
    if (problem) {
        reply_errorf(call->reply, "ERR %s", problem);
        return;
    }
    s->flags |= SESSION_TRACKING_CACHING;
    reply_ok(call->reply);
}

/* ---- GETREDIR, TRACKINGINFO */

static int64_t redirection(const struct session *s) {
    return s->flags & SESSION_TRACKING ? (int64_t)tracking_state(s).redirect_id : -1;
}

void client_getredir(struct call *call) {
    reply_int(call->reply, redirection(call->session));
}

static void reply_flags(struct call *call) {
    const struct session *s = call->session;
    uint32_t options = tracking_state(s).options, count = 0;
    const char *names[ARRAY_LENGTH(option_names) + 3];
    bool caching = s->flags & SESSION_TRACKING_CACHING;
    names[count++] = s->flags & SESSION_TRACKING ? "on" : "off";
    for (size_t i = 0; i < ARRAY_LENGTH(option_names); i++) {
        enum tracking_option option = option_names[i].option;
        if (!(options & option)) continue;
        names[count++] = option_names[i].name;
        if (caching && option == TRACKING_OPTIN) names[count++] = "caching-yes";
        if (caching && option == TRACKING_OPTOUT) names[count++] = "caching-no";
    }
    if (s->flags & SESSION_TRACKING_BROKEN) names[count++] = "broken_redirect";
    reply_set(call->reply, count);
    for (uint32_t i = 0; i < count; i++) reply_bulk_text(call->reply, names[i]);
}

void client_trackinginfo(struct call *call) {
    const struct broadcast_listener *listener = tracking_state(call->session).listener;
    uint32_t prefix_count = listener ? listener->member_count : 0;
    reply_map(call->reply, 3);
    reply_bulk_text(call->reply, "flags");
    reply_flags(call);
    reply_bulk_text(call->reply, "redirect");
    reply_int(call->reply, redirection(call->session));
    reply_bulk_text(call->reply, "prefixes");
    reply_array(call->reply, prefix_count);
    for (uint32_t i = 0; i < prefix_count; i++)
        reply_bulk(call->reply, broadcast_prefix(listener, i));
}
