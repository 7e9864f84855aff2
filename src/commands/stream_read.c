/* XLEN, XRANGE, XREVRANGE, XREAD, XREADGROUP. Hot path. */
#include "base/clock.h"
#include "commands/blocking.h"
#include "commands/long_reply.h"
#include "commands/stream.h"

static const struct stream *find_stream(struct call *call, bool *wrong_type) {
    struct entry *e = call_find(call, 1);
    *wrong_type = !call_check_type(call, e, ENTRY_STREAM);
    return e && !*wrong_type ? entry_object(e) : NULL;
}

void stream_xlen(struct call *call) {
    bool wrong_type;
    const struct stream *s = find_stream(call, &wrong_type);
    if (!wrong_type) reply_int(call->reply, s ? (int64_t)s->length : 0);
}

/* ---- XRANGE, XREVRANGE */

struct range_state {
    struct stream_walk walk;
    uint64_t left;
};

static bool write_range(void *context, struct reply *reply) {
    struct range_state *state = context;
    for (int step = 0; step < LONG_REPLY_STEP; step++) {
        stream_reply_entry(reply, &state->walk);
        if (--state->left == 0 || !stream_walk_next(&state->walk)) return true;
    }
    return false;
}

static const struct long_reply_kind range_kind = {
    .state_bytes = sizeof(struct range_state), .type = ENTRY_STREAM, .write = write_range};

/* A short stream is written while it is counted, a long one counted before. */
static void reply_range(struct call *call, const struct stream *s, struct stream_range range,
                        uint64_t max) {
    enum { LONG_MIN = 1024 };
    struct range_state state;
    if (s->length < LONG_MIN || max < LONG_MIN) {
        stream_reply_range(call->reply, s, range, max);
        return;
    }
    state.left = stream_count_range(s, range, max);
    reply_array(call->reply, state.left);
    if (state.left > 0 && stream_walk_begin(&state.walk, s, range))
        long_reply(call, &range_kind, &state, s);
}

static void range(struct call *call, uint32_t low_at, uint32_t high_at, bool reverse) {
    struct stream_range range = {.reverse = reverse};
    int64_t count = -1;
    bool wrong_type;
    if (!stream_low_argument(call, low_at, &range.low)) return;
    if (!stream_high_argument(call, high_at, &range.high)) return;
    for (uint32_t at = 4; at < call->argc; at += 2) {
        if (!call_is(call, at, "COUNT") || at + 1 == call->argc) {
            call_syntax_error(call);
            return;
        }
        if (!call_int(call, at + 1, &count)) return;
        count = MAX(count, 0);
    }
    const struct stream *s = find_stream(call, &wrong_type);
    if (wrong_type) return;
    if (!s) {
        reply_array(call->reply, 0);
    } else if (count == 0) {
        reply_null_array(call->reply);
    } else {
        reply_range(call, s, range, count < 0 ? UINT64_MAX : (uint64_t)count);
    }
}

void stream_xrange(struct call *call) {
    range(call, 2, 3, false);
}

void stream_xrevrange(struct call *call) {
    range(call, 3, 2, true);
}

/* ---- arguments of XREAD and XREADGROUP */

struct read {
    struct call *call;
    bool grouped;          /* XREADGROUP */
    uint32_t group_at;     /* of its name, the consumer's follows; 0: not given */
    uint32_t first, count; /* keys among the arguments; their ids follow; 0: not given */
    uint64_t entry_count;  /* of each stream at most; 0: all */
    bool no_ack, blocking;
    int64_t due_ms;
    struct read_stream *streams;
    struct chunk *mark; /* of the reply, when it has begun */
    uint32_t answered;
};

struct read_stream {
    struct stream_edit edit;
    struct stream_group *group;
    struct stream_consumer *consumer;
    struct stream_id above; /* entries above it are wanted */
    bool last;              /* "$": those that come from now on */
    bool new;               /* ">": those that the group has not delivered */
};

static bool streams_option(struct read *read, uint32_t at) {
    struct call *call = read->call;
    uint32_t rest = call->argc - at - 1;
    if (rest % 2) {
        reply_errorf(call->reply,
                     "ERR Unbalanced '%s' list of streams: for each stream key an ID or '%c' must "
                     "be specified.",
                     call->command->name, read->grouped ? '>' : '$');
        return false;
    }
    read->first = at + 1;
    read->count = rest / 2;
    return true;
}

/* False after the error was written, when the option is XREADGROUP's. */
static bool group_option(struct read *read, const char *name) {
    if (read->grouped) return true;
    reply_errorf(read->call->reply,
                 "ERR The %s option is only supported by XREADGROUP. You called XREAD instead.",
                 name);
    return false;
}

/* The option at `at`: the number of its arguments, or -1 after the error was written. */
static int read_option(struct read *read, uint32_t at) {
    struct call *call = read->call;
    uint32_t more = call->argc - at - 1;
    int64_t count;
    if (more && call_is(call, at, "BLOCK")) {
        read->blocking = true;
        return blocking_timeout_ms(call, at + 1, &read->due_ms) ? 1 : -1;
    }
    if (more && call_is(call, at, "COUNT")) {
        if (!call_int(call, at + 1, &count)) return -1;
        read->entry_count = (uint64_t)MAX(count, 0);
        return 1;
    }
    if (more >= 2 && call_is(call, at, "GROUP")) {
        read->group_at = at + 1;
        return group_option(read, "GROUP") ? 2 : -1;
    }
    if (call_is(call, at, "NOACK")) {
        read->no_ack = true;
        return group_option(read, "NOACK") ? 0 : -1;
    }
    call_syntax_error(call);
    return -1;
}

static bool parse_read(struct read *read) {
    struct call *call = read->call;
    for (uint32_t at = 1; at < call->argc && !read->first; at++) {
        if (at + 1 < call->argc && call_is(call, at, "STREAMS")) {
            if (!streams_option(read, at)) return false;
        } else {
            int taken = read_option(read, at);
            if (taken < 0) return false;
            at += (uint32_t)taken;
        }
    }
    if (!read->first) {
        call_syntax_error(call);
        return false;
    }
    if (read->grouped && !read->group_at) {
        reply_error(call->reply, "ERR Missing GROUP option for XREADGROUP");
        return false;
    }
    return true;
}

/* ---- ids and groups */

static bool meaningless(struct call *call, char id) {
    reply_errorf(call->reply,
                 "ERR The %c ID is meaningless in the context of XREADGROUP: you want to read the "
                 "history of this consumer by specifying a proper ID, or use the > ID to get new "
                 "messages. The %c ID would just return an empty result set.",
                 id, id);
    return false;
}

/* The id in argument `at`: false after the error was written. */
static bool parse_above(const struct read *read, struct read_stream *r, uint32_t at) {
    struct call *call = read->call;
    const struct stream *s = r->edit.stream;
    char special = call->argv[at].len == 1 ? *call->argv[at].data : 0;
    switch (special) {
    case '$':
        if (read->grouped) return meaningless(call, special);
        r->last = true;
        r->above = s ? s->last_id : STREAM_ID_ZERO;
        return true;
    case '+':
        if (read->grouped) return meaningless(call, special);
        r->above = STREAM_ID_ZERO;
        if (s && s->length) {
            r->above = s->last_id;
            stream_id_decrement(&r->above);
        }
        return true;
    case '>':
        r->new = true;
        if (read->grouped) return true;
        reply_error(call->reply, "ERR The > ID can be specified only when calling XREADGROUP using "
                                 "the GROUP <group> <consumer> option.");
        return false;
    default:
        if (!stream_id_argument(call, at, &r->above)) return false;
        r->new = stream_id_equal(r->above, STREAM_ID_MAX); /* nothing is above: as Redis has it */
        return true;
    }
}

static bool find_group(const struct read *read, struct read_stream *r) {
    struct call *call = read->call;
    struct span key = call->argv[r->edit.at], name = call->argv[read->group_at];
    r->group = stream_edit_group(&r->edit, read->group_at);
    if (r->group) return true;
    reply_errorf(call->reply,
                 "NOGROUP No such key '%.*s' or consumer group '%.*s' in XREADGROUP with GROUP "
                 "option",
                 (int)key.len, key.data, (int)name.len, name.data);
    return false;
}

static bool look_up(struct read *read) {
    struct call *call = read->call;
    const uint64_t *hashes = call_prefetch_keys(call, read->first, read->count, 1);
    read->streams = call_scratch(call, read->count * sizeof *read->streams);
    for (uint32_t i = 0; i < read->count; i++) {
        struct read_stream *r = &read->streams[i];
        call_prefetch_ahead(call, hashes, read->count, i);
        *r = (struct read_stream){0};
        if (!stream_edit_begin_reading(&r->edit, call, read->first + i)) return false;
        if (read->grouped && !find_group(read, r)) return false;
        if (!parse_above(read, r, read->first + read->count + i)) return false;
    }
    return true;
}

/* ---- answering */

/* The stream's part of the reply begins: its name. */
static void answer(struct read *read, const struct read_stream *r) {
    struct reply *reply = read->call->reply;
    if (read->answered++ == 0) read->mark = reply_mark(reply);
    if (reply->protocol == 2) reply_array(reply, 2);
    reply_bulk(reply, read->call->argv[r->edit.at]);
}

static void finish_answer(const struct read *read) {
    struct reply *reply = read->call->reply;
    if (reply->protocol == 2) {
        reply_fill_array(reply, read->mark, read->answered);
    } else {
        reply_fill_map(reply, read->mark, read->answered);
    }
}

static struct stream_range range_above(struct stream_id id) {
    struct stream_range range = {.low = id, .high = STREAM_ID_MAX};
    if (!stream_id_increment(&range.low)) range.high = STREAM_ID_ZERO; /* nothing */
    return range;
}

static void read_above(struct read *read, struct read_stream *r) {
    const struct stream *s = r->edit.stream;
    if (!s || s->length == 0 || !stream_id_less(r->above, stream_last_entry_id(s))) return;
    answer(read, r);
    stream_reply_range(read->call->reply, s, range_above(r->above), read->entry_count);
}

/* Entries that the group has not delivered, to the consumer. */
static void read_new(struct read *read, struct read_stream *r) {
    struct stream_consumer *c = r->consumer;
    struct reply *reply = read->call->reply;
    struct stream *s = r->edit.stream;
    struct stream_group *g = r->group;
    int64_t now_ms = clock_real_ms();
    uint64_t written = 0;
    struct stream_walk w;
    answer(read, r);
    struct chunk *mark = reply_mark(reply);
    for (bool there = stream_walk_begin(&w, s, range_above(g->last_id)); there;
         there = stream_walk_next(&w)) {
        stream_group_advance(s, g, w.entry.id);
        stream_reply_entry(reply, &w);
        if (!read->no_ack) {
            stream_deliver(g, c, w.entry.id, now_ms);
            c->active_ms = now_ms;
        }
        if (++written == read->entry_count) break;
    }
    reply_fill_array(reply, mark, written);
}

/* What was delivered to the consumer and not acknowledged, above an id. Entries that are gone show their id alone. */
static void read_history(struct read *read, struct read_stream *r) {
    struct reply *reply = read->call->reply;
    struct stream_tree_path path;
    struct stream_id from = r->above;
    uint64_t written = 0;
    answer(read, r);
    struct chunk *mark = reply_mark(reply);
    for (bool there =
             stream_id_increment(&from) && stream_tree_seek(&r->consumer->pending, from, &path);
         there; there = stream_tree_next(&path)) {
        struct stream_pending *p = stream_tree_value(&path);
        if (stream_reply_one(reply, r->edit.stream, stream_tree_id(&path))) {
            p->delivery_ms = clock_real_ms();
            p->delivery_count++;
        } else {
            reply_array(reply, 2);
            stream_reply_id(reply, stream_tree_id(&path));
            reply_null_array(reply);
        }
        if (++written == read->entry_count) break;
    }
    reply_fill_array(reply, mark, written);
}

/* The consumers, before anything is answered: they may be new, and there may be no memory for them. A key may be named twice. */
static bool find_consumers(struct read *read) {
    for (uint32_t i = 0; i < read->count; i++) {
        struct read_stream *r = &read->streams[i];
        r->edit.bytes_before = stream_memory_bytes(r->edit.stream);
        r->consumer = stream_edit_consumer(&r->edit, r->group, read->group_at + 1);
        if (!r->consumer) return false;
    }
    return true;
}

static void read_group(struct read *read, struct read_stream *r) {
    const struct stream *s = r->edit.stream;
    r->edit.bytes_before = stream_memory_bytes(s);
    if (!r->new) {
        read_history(read, r);
    } else if (s->length && stream_id_less(r->group->last_id, stream_last_entry_id(s))) {
        read_new(read, r);
    } else {
        return;
    }
    stream_edit_tell(&r->edit, NULL);
}

/* "$" is now: what is repeated later has ids in its place. */
static const struct span *arguments_from_now(const struct read *read) {
    struct call *call = read->call;
    struct span *argv = call_scratch(call, call->argc * sizeof *argv);
    memcpy(argv, call->argv, call->argc * sizeof *argv);
    for (uint32_t i = 0; i < read->count; i++) {
        char *text;
        if (!read->streams[i].last) continue;
        text = call_scratch(call, STREAM_ID_TEXT_MAX);
        argv[read->first + read->count + i] =
            span_make(text, stream_id_format(text, read->streams[i].above));
    }
    return argv;
}

static void wait_for_entries(const struct read *read) {
    blocking_wait(read->call, &(struct blocking_options){.first = read->first,
                                                         .count = read->count,
                                                         .due_ms = read->due_ms,
                                                         .type = ENTRY_STREAM,
                                                         .any_change = read->grouped,
                                                         .argv = arguments_from_now(read)});
}

static void run_read(struct call *call, bool grouped) {
    struct read read = {.call = call, .grouped = grouped};
    if (!parse_read(&read) || !look_up(&read)) return;
    if (grouped && !find_consumers(&read)) return;
    for (uint32_t i = 0; i < read.count; i++) {
        if (grouped) {
            read_group(&read, &read.streams[i]);
        } else {
            read_above(&read, &read.streams[i]);
        }
    }
    if (read.answered) {
        finish_answer(&read);
    } else if (read.blocking) {
        wait_for_entries(&read);
    } else {
        reply_null_array(call->reply);
    }
}

void stream_xread(struct call *call) {
    run_read(call, false);
}

void stream_xreadgroup(struct call *call) {
    run_read(call, true);
}
