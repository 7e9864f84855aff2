/* The CLIENT family: what clients are told about themselves and each other, and what they may do to each other. */
#include "commands/client.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "commands/acl_check.h"
#include "commands/client_filter.h"
#include "commands/families.h"
#include "commands/host.h"

/* ---- names */

static bool is_printable(struct span text) {
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] < '!' || text.data[i] > '~') return false;
    }
    return true;
}

/* Empty: no text. False after the error was written: the old one stays. */
static bool set_text(struct call *call, char **text, struct span value) {
    char *copy = NULL;
    if (value.len) {
        copy = mem_try_alloc(value.len + 1);
        if (!copy) {
            reply_error(call->reply, ERROR_MEMORY_TEXT);
            return false;
        }
        memcpy(copy, value.data, value.len);
        copy[value.len] = 0;
    }
    mem_free(*text);
    *text = copy;
    return true;
}

/* Spaces would break the fields of CLIENT LIST apart. */
bool client_check_name(struct call *call, struct span name) {
    if (is_printable(name)) return true;
    reply_error(call->reply,
                "ERR Client names cannot contain spaces, newlines or special characters.");
    return false;
}

bool client_set_name(struct call *call, struct span name) {
    return set_text(call, &call->session->name, name);
}

void client_setname(struct call *call) {
    if (!client_check_name(call, call->argv[2])) return;
    if (client_set_name(call, call->argv[2])) reply_ok(call->reply);
}

void client_getname(struct call *call) {
    if (call->session->name) {
        reply_bulk_text(call->reply, call->session->name);
    } else {
        reply_null(call->reply);
    }
}

void client_setinfo(struct call *call) {
    struct span name = call->argv[2];
    char **text = NULL;
    if (call_is(call, 2, "lib-name")) text = &call->session->lib_name;
    if (call_is(call, 2, "lib-ver")) text = &call->session->lib_version;
    if (!text) {
        reply_errorf(call->reply, "ERR Unrecognized option '%.*s'", (int)MIN(name.len, (size_t)128),
                     name.data);
        return;
    }
    if (!is_printable(call->argv[3])) {
        reply_errorf(call->reply, "ERR %.*s cannot contain spaces, newlines or special characters.",
                     (int)name.len, name.data);
        return;
    }
    if (set_text(call, text, call->argv[3])) reply_ok(call->reply);
}

/* What a client says it can do. Redirection never happens here, so it is only remembered. */
void client_capa(struct call *call) {
    for (uint32_t i = 2; i < call->argc; i++) {
        if (call_is(call, i, "redirect")) call->session->flags |= SESSION_CAPA_REDIRECT;
    }
    reply_ok(call->reply);
}

/* ---- showing */

void client_id(struct call *call) {
    reply_int(call->reply, (int64_t)call->session->id);
}

void client_info(struct call *call) {
    struct buf line = {0};
    session_describe(call->session, &line);
    buf_put_char(&line, '\n');
    reply_verbatim(call->reply, "txt", buf_span(&line));
    buf_release(&line);
}

void client_list(struct call *call) {
    struct buf lines = {0};
    struct client_filter filter;
    client_filter_init(&filter);
    if (call->argc == 3) {
        call_syntax_error(call);
        return;
    }
    if (!client_filter_parse(call, 2, &filter)) return;
    LIST_FOR_EACH(it, &call->host->sessions->all) {
        const struct session *s = LIST_ENTRY(it, struct session, link);
        if (!client_filter_matches(&filter, s, call->session)) continue;
        session_describe(s, &lines);
        buf_put_char(&lines, '\n');
    }
    reply_verbatim(call->reply, "txt", buf_span(&lines));
    buf_release(&lines);
}

/* ---- ending others */

void client_kill(struct session *s) {
    session_close(s);
    session_unblock(s, SESSION_UNBLOCK_CLOSED);
}

static void kill_reply(struct call *call, int64_t count) {
    if (call->argc > 3) {
        reply_int(call->reply, count);
    } else if (count == 0) {
        reply_error(call->reply, "ERR No such client");
    } else {
        reply_ok(call->reply);
    }
}

/* CLIENT KILL addr, or the filters of CLIENT LIST. */
void client_kill_filtered(struct call *call) {
    struct client_filter filter;
    struct session *me = call->session;
    int64_t count = 0;
    bool kill_me = false;
    client_filter_init(&filter);
    filter.skip_me = call->argc > 3; /* the old form may end oneself */
    if (call->argc == 3) {
        filter.conditions[0].text[CLIENT_FILTER_ADDR] = call->argv[2];
    } else if (!client_filter_parse(call, 2, &filter)) {
        return;
    }
    LIST_FOR_EACH(it, &call->host->sessions->all) {
        struct session *s = LIST_ENTRY(it, struct session, link);
        if (!client_filter_matches(&filter, s, me)) continue;
        count++;
        if (s == me) {
            kill_me = true;
        } else {
            client_kill(s);
        }
    }
    kill_reply(call, count);
    if (kill_me) session_close_after_reply(me);
}

void client_unblock(struct call *call) {
    enum session_unblock_reason reason = SESSION_UNBLOCK_TIMEOUT;
    int64_t number;
    if (call_is(call, 3, "error")) {
        reason = SESSION_UNBLOCK_ERROR;
    } else if (call->argc == 4 && !call_is(call, 3, "timeout")) {
        reply_error(call->reply, "ERR CLIENT UNBLOCK reason should be TIMEOUT or ERROR");
        return;
    }
    if (!call_int(call, 2, &number)) return;
    struct session *s = session_by_id(call->host->sessions, (uint64_t)number);
    bool blocked = s && s->unblock;
    if (blocked) session_unblock(s, reason);
    reply_int(call->reply, blocked);
}

/* ---- holding all of them */

void client_pause(struct call *call) {
    struct sessions *all = call->host->sessions;
    int64_t now_ms = clock_mono_ms(), timeout_ms;
    bool writes_only = call_is(call, 3, "write");
    if (call->argc == 4 && !writes_only && !call_is(call, 3, "all")) {
        reply_error(call->reply, "ERR CLIENT PAUSE mode must be WRITE or ALL");
        return;
    }
    if (!call_int_range(call, 2, INT64_MIN, INT64_MAX,
                        "ERR timeout is not an integer or out of range", &timeout_ms)) {
        return;
    }
    if (timeout_ms < 0 || timeout_ms > INT64_MAX - clock_real_ms()) {
        reply_error(call->reply,
                    timeout_ms < 0 ? "ERR timeout is negative" : "ERR timeout is out of range");
        return;
    }
    /* A pause under way is never made weaker or shorter: CLIENT UNPAUSE is for that. */
    bool all_paused = all->paused_until_ms > now_ms && !all->paused_writes_only;
    all->paused_writes_only = writes_only && !all_paused;
    all->paused_until_ms = MAX(all->paused_until_ms, now_ms + timeout_ms);
    reply_ok(call->reply);
}

/* Those that are held go on when the turn sees that the time is over. */
void client_unpause(struct call *call) {
    struct sessions *all = call->host->sessions;
    if (all->paused_until_ms) all->paused_until_ms = clock_mono_ms();
    reply_ok(call->reply);
}

/* ---- switches */

/* After a request that ran silently: its reply is wanted after all. */
static void speak_again(struct call *call) {
    struct session *s = call->session;
    s->flags &= ~(uint32_t)(SESSION_REPLY_OFF | SESSION_REPLY_SKIP | SESSION_REPLY_SKIP_NEXT);
    if (call->reply == &s->reply) s->reply.out = &s->output;
}

void client_reply(struct call *call) {
    struct session *s = call->session;
    if (call_is(call, 2, "on")) {
        speak_again(call);
        reply_ok(call->reply);
    } else if (call_is(call, 2, "off")) {
        s->flags |= SESSION_REPLY_OFF;
    } else if (call_is(call, 2, "skip")) {
        if (!(s->flags & SESSION_REPLY_OFF)) s->flags |= SESSION_REPLY_SKIP_NEXT;
    } else {
        call_syntax_error(call);
    }
}

static void set_flag(struct call *call, enum session_flag flag) {
    if (call_is(call, 2, "on")) {
        call->session->flags |= flag;
    } else if (call_is(call, 2, "off")) {
        call->session->flags &= ~(uint32_t)flag;
    } else {
        call_syntax_error(call);
        return;
    }
    reply_ok(call->reply);
}

void client_no_evict(struct call *call) {
    set_flag(call, SESSION_NO_EVICT);
}

void client_no_touch(struct call *call) {
    set_flag(call, SESSION_NO_TOUCH);
}

/* ---- RESET */

static void drop_extension(struct session *s, enum session_extension_kind kind) {
    struct session_extension *extension = s->extension[kind];
    s->extension[kind] = NULL;
    if (extension) extension->release(extension, s);
}

/* The library's name and version stay: it is still the same library. */
void client_reset(struct call *call) {
    struct session *s = call->session;
    if (s->flags & SESSION_MONITOR) call->host->sessions->monitor_count--;
    drop_extension(s, SESSION_EXTENSION_TRACKING);
    drop_extension(s, SESSION_EXTENSION_TRANSACTION);
    drop_extension(s, SESSION_EXTENSION_PUBSUB);
    speak_again(call);
    s->flags &= SESSION_UNIX | SESSION_INTERNAL | SESSION_CLOSE_AFTER_REPLY | SESSION_CAPA_REDIRECT;
    acl_session_reset(call->host, s);
    s->db = keyspace_db(call->host->keyspace, 0);
    s->reply.protocol = call->reply->protocol = 2;
    mem_free(s->name);
    s->name = NULL;
}
