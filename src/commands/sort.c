/* SORT and SORT_RO: https://redis.io/docs/latest/commands/sort/
 *
 * The elements become items: spans into the collection, numbers spelled out in memory of the command's own. Nothing that the command
 * does moves what they point to: it looks keys up, and the clock stands still meanwhile, so none that was found expires.
 *
 * Without an order to find (BY a pattern that is the same for every element) a list or sorted set gives only the part that LIMIT
 * asks for, in its own order. Text is compared by its bytes, as in the C locale. */
#include "commands/sort.h"

#include <errno.h>

#include "base/alloc.h"
#include "commands/acl_check.h"
#include "commands/host.h"
#include "commands/packed_reply.h"
#include "types/chain.h"
#include "types/set.h"
#include "types/zset.h"

struct options {
    bool read_only, descending, alpha, unordered;
    int64_t limit_start, limit_count;
    uint32_t by_at, store_at; /* arguments; 0: none */
    uint32_t get_count;
    struct sort_pattern *gets; /* with get_count */
};

/* The numbers' texts, in pieces that do not move. */
enum { TEXT_PIECE_BYTES = 16 * 1024 };
struct text_piece {
    struct text_piece *next;
    char bytes[TEXT_PIECE_BYTES - sizeof(struct text_piece *)];
};

struct job {
    struct call *call;
    struct options options;
    const struct entry *source; /* NULL: no such key */
    uint64_t source_count;
    struct sort_item *items;
    uint64_t item_count;
    uint64_t start, count; /* the part of items that is asked for */
    struct text_piece *texts;
    size_t text_used; /* of the first piece */
};

/* ---- options */

static bool has_star(struct span s) {
    return s.len && memchr(s.data, '*', s.len);
}

/* BY and GET read keys that no specification names: only for who may read all of them. */
static bool may_follow(struct call *call, const char *option) {
    if (acl_call_may_read_all(call)) return true;
    reply_errorf(call->reply, "ERR %s option of SORT denied due to insufficient ACL permissions.",
                 option);
    return false;
}

/* How many arguments the option at `at` is; 0: it is none. -1: answered. */
static int parse_option(struct call *call, uint32_t at, struct options *o) {
    uint32_t left = call->argc - at - 1;
    if (call_is(call, at, "asc") || call_is(call, at, "desc")) {
        o->descending = call_is(call, at, "desc");
        return 1;
    }
    if (call_is(call, at, "alpha")) {
        o->alpha = true;
        return 1;
    }
    if (call_is(call, at, "limit") && left >= 2) {
        bool good =
            call_int(call, at + 1, &o->limit_start) && call_int(call, at + 2, &o->limit_count);
        return good ? 3 : -1;
    }
    if (left == 0) return 0;
    if (!o->read_only && call_is(call, at, "store")) {
        o->store_at = at + 1;
        return 2;
    }
    if (call_is(call, at, "by")) {
        o->by_at = at + 1;
        o->unordered |= !has_star(call->argv[at + 1]);
        return has_star(call->argv[at + 1]) && !may_follow(call, "BY") ? -1 : 2;
    }
    if (call_is(call, at, "get")) {
        if (!may_follow(call, "GET")) return -1;
        o->gets[o->get_count++] = sort_pattern_parse(call->argv[at + 1]);
        return 2;
    }
    return 0;
}

static bool parse(struct call *call, struct options *o) {
    o->limit_count = -1;
    o->gets = call_scratch(call, (call->argc / 2 + 1) * sizeof *o->gets);
    for (uint32_t at = 2; at < call->argc;) {
        int used = parse_option(call, at, o);
        if (used == 0) call_syntax_error(call);
        if (used <= 0) return false;
        at += (uint32_t)used;
    }
    return true;
}

/* ---- the source */

static bool find_source(struct job *job) {
    struct entry *e = call_find(job->call, 1);
    job->source = e;
    if (!e) return true;
    switch (entry_type(e)) {
    case ENTRY_LIST: job->source_count = chain_count(entry_object(e)); return true;
    case ENTRY_SET: job->source_count = set_count(entry_object(e)); return true;
    case ENTRY_ZSET: job->source_count = zset_count(entry_object(e)); return true;
    case ENTRY_STRING:
    case ENTRY_HASH:
    case ENTRY_STREAM: break;
    }
    reply_error(job->call->reply, ERROR_WRONG_TYPE_TEXT);
    return false;
}

/* LIMIT as Redis reads it: a negative start is 0, a negative count is all. */
static void clamp(struct job *job) {
    const struct options *o = &job->options;
    uint64_t total = job->source_count;
    job->start = o->limit_start < 0 ? 0 : MIN((uint64_t)o->limit_start, total);
    job->count = total - job->start;
    if (o->limit_count >= 0) job->count = MIN(job->count, (uint64_t)o->limit_count);
}

/* ---- loading */

static int spell_out(struct job *job, int64_t number, struct span *out) {
    struct text_piece *piece = job->texts;
    if (!piece || job->text_used + NUM_INT_TEXT_MAX > sizeof piece->bytes) {
        piece = mem_try_alloc(sizeof *piece);
        if (!piece) return -ENOMEM;
        piece->next = job->texts;
        job->texts = piece;
        job->text_used = 0;
    }
    char *text = piece->bytes + job->text_used;
    *out = span_make(text, num_format_int(text, number));
    job->text_used += out->len;
    return 0;
}

static int load_value(struct job *job, const struct packed_value *value, struct sort_item *item) {
    *item = (struct sort_item){.element = value->bytes};
    if (!value->is_int) return 0;
    return spell_out(job, value->number, &item->element);
}

static int load_list(struct job *job, uint64_t from) {
    const struct chain *c = entry_object(job->source);
    bool backward = job->options.unordered && job->options.descending;
    uint64_t count = job->item_count;
    struct chain_walk walk;
    chain_walk_at(&walk, c, backward ? job->source_count - from - count : from);
    for (uint64_t i = 0; i < count; i++) {
        struct chain_value v = chain_walk_value(&walk);
        int rc = load_value(job, &v.value, &job->items[backward ? count - 1 - i : i]);
        if (rc < 0) return rc;
        chain_walk_next(&walk);
    }
    return 0;
}

static int load_set(struct job *job) {
    struct packed_value batch[SET_WALK_BATCH];
    struct set_walk walk;
    uint64_t loaded = 0;
    uint32_t got;
    set_walk_begin(&walk, entry_object(job->source));
    while ((got = set_walk_next(&walk, batch)) > 0) {
        for (uint32_t i = 0; i < got; i++) {
            int rc = load_value(job, &batch[i], &job->items[loaded++]);
            if (rc < 0) return rc;
        }
    }
    return 0;
}

/* Members that are numbers are spelled out in the cursor, where they do not stay. */
static int load_member(struct job *job, const struct zset_cursor *cursor, struct sort_item *item) {
    struct packed_value value = {.bytes = cursor->member};
    value.is_int = cursor->member.data == cursor->text;
    if (value.is_int && !num_parse_int(cursor->member, &value.number)) return -EINVAL;
    return load_value(job, &value, item);
}

static int load_zset(struct job *job, uint64_t from) {
    const struct zset *z = entry_object(job->source);
    bool backward = job->options.unordered && job->options.descending;
    struct zset_cursor cursor;
    zset_seek(z, backward ? job->source_count - 1 - from : from, &cursor);
    for (uint64_t i = 0; i < job->item_count; i++) {
        int rc = load_member(job, &cursor, &job->items[i]);
        if (rc < 0) return rc;
        if (i + 1 < job->item_count) {
            (void)(backward ? zset_previous(&cursor) : zset_next(&cursor));
        }
    }
    return 0;
}

static int load(struct job *job) {
    uint64_t from = 0;
    job->item_count = job->source_count;
    if (job->options.unordered && job->source && entry_type(job->source) != ENTRY_SET) {
        from = job->start;
        job->item_count = job->count;
        job->start = 0;
    }
    if (job->item_count == 0) return 0;
    job->items = mem_try_alloc(job->item_count * sizeof *job->items);
    if (!job->items) return -ENOMEM;
    if (entry_type(job->source) == ENTRY_LIST) return load_list(job, from);
    if (entry_type(job->source) == ENTRY_SET) return load_set(job);
    return load_zset(job, from);
}

/* ---- ordering */

/* Decimal, as Valkey's; 0 when nothing was found. */
static bool parse_score(struct span text, double *score) {
    int64_t number;
    if (num_parse_int(text, &number)) {
        *score = (double)number;
        return true;
    }
    if (text.len && (memchr(text.data, 'x', text.len) || memchr(text.data, 'X', text.len)))
        return false;
    return num_parse_double(text, score);
}

static int weigh(struct job *job, const struct sort_value *value, struct sort_item *item,
                 bool *all_numbers) {
    if (job->options.alpha) {
        item->by = value->found ? value->bytes : span_make(NULL, 0);
        if (value->found && value->is_int) return spell_out(job, value->number, &item->by);
        if (value->found && !item->by.data) item->by.data = "";
        return 0;
    }
    item->score = 0;
    if (value->is_int) {
        item->score = (double)value->number;
    } else if (value->found && !parse_score(value->bytes, &item->score)) {
        *all_numbers = false;
    }
    return 0;
}

static int weigh_by_pattern(struct job *job, bool *all_numbers) {
    struct sort_pattern by = sort_pattern_parse(job->call->argv[job->options.by_at]);
    struct sort_batch batch;
    int rc = sort_batch_init(&batch, &by, 1);
    for (uint64_t at = 0; rc == 0 && at < job->item_count;) {
        int taken = sort_batch_take(&batch, job->call, job->items + at, job->item_count - at);
        if (taken < 0) rc = taken;
        for (int i = 0; i < taken && rc == 0; i++) {
            struct sort_value value = sort_batch_value(&batch, job->call, (uint32_t)i, 0);
            rc = weigh(job, &value, &job->items[at++], all_numbers);
        }
    }
    sort_batch_release(&batch);
    return rc;
}

static int weigh_elements(struct job *job, bool *all_numbers) {
    for (uint64_t i = 0; i < job->item_count; i++) {
        struct sort_item *item = &job->items[i];
        if (!parse_score(item->element, &item->score)) *all_numbers = false;
    }
    return 0;
}

static int order(struct job *job, bool *all_numbers) {
    const struct options *o = &job->options;
    enum sort_kind kind = !o->alpha ? SORT_NUMERIC : o->by_at ? SORT_ALPHA_BY : SORT_ALPHA;
    int rc = 0;
    if (o->unordered) return 0;
    if (o->by_at) {
        rc = weigh_by_pattern(job, all_numbers);
    } else if (!o->alpha) {
        rc = weigh_elements(job, all_numbers);
    }
    if (rc < 0 || !*all_numbers) return rc;
    return sort_order(job->items, job->item_count, kind, o->descending);
}

/* ---- results: elements, or what GET finds of each */

typedef int emit_fn(struct job *job, const struct sort_value *value, void *context);

static int emit_all(struct job *job, emit_fn *emit, void *context) {
    const struct options *o = &job->options;
    if (job->count == 0) return 0; /* there may be no items at all */
    const struct sort_item *items = job->items + job->start;
    struct sort_batch batch;
    int rc = 0;
    for (uint64_t i = 0; i < job->count && o->get_count == 0 && rc == 0; i++) {
        struct sort_value value = {.found = true, .bytes = items[i].element};
        rc = emit(job, &value, context);
    }
    if (o->get_count == 0 || rc < 0) return rc;
    rc = sort_batch_init(&batch, o->gets, o->get_count);
    for (uint64_t at = 0; rc == 0 && at < job->count;) {
        int taken = sort_batch_take(&batch, job->call, items + at, job->count - at);
        if (taken < 0) rc = taken;
        for (uint32_t i = 0; rc == 0 && i < (uint32_t)taken * o->get_count; i++) {
            struct sort_value value =
                sort_batch_value(&batch, job->call, i / o->get_count, i % o->get_count);
            rc = emit(job, &value, context);
        }
        at += (uint64_t)MAX(taken, 0);
    }
    sort_batch_release(&batch);
    return rc;
}

static int emit_reply(struct job *job, const struct sort_value *value, void *context) {
    struct reply *reply = job->call->reply;
    uint64_t *written = context;
    if (!reply_may_go_on(job->call, (*written)++)) return -ECANCELED;
    if (!value->found) {
        reply_null(reply);
    } else if (value->is_int) {
        reply_bulk_int(reply, value->number);
    } else if (value->blob) {
        reply_bulk_blob(reply, value->blob);
    } else {
        reply_bulk(reply, value->bytes);
    }
    return 0;
}

struct target {
    struct chain *chain;
    struct chain_limit limit;
};

static int emit_store(struct job *job, const struct sort_value *value, void *context) {
    struct target *target = context;
    char text[NUM_INT_TEXT_MAX];
    struct chain_item item = {.bytes = value->bytes, .blob = value->blob};
    if (!value->found) item.bytes = SPAN("");
    if (value->is_int) item.bytes = span_make(text, num_format_int(text, value->number));
    int rc = chain_push(target->chain, CHAIN_TAIL, &item, &target->limit);
    return MIN(rc, 0);
}

/* Puts the list to its key, or removes what is there when the list is empty. */
static bool put_target(struct job *job, struct chain *chain) {
    struct call *call = job->call;
    struct span key = call->argv[job->options.store_at];
    uint64_t hash = call_hash(call, job->options.store_at);
    struct entry *old = db_find_for_write(call->db, key, hash);
    if (chain_count(chain) > 0) {
        if (!db_put_object(call->db, old, key, hash, ENTRY_LIST, chain, ENTRY_NO_DEADLINE)) {
            return false;
        }
        call_event(call, 'l', "sortstore", key);
        return true;
    }
    chain_free(chain);
    if (old) {
        db_remove(call->db, old, hash, call->host->settings->lazyfree_lazy_server_del);
        call_event(call, 'g', "del", key);
    }
    return true;
}

static void store(struct job *job) {
    struct reply *reply = job->call->reply;
    struct target target = {chain_new(),
                            chain_limit_of(job->call->host->settings->list_max_listpack_size)};
    if (emit_all(job, emit_store, &target) < 0) {
        chain_free(target.chain);
        reply_error(reply, ERROR_MEMORY_TEXT);
        return;
    }
    uint64_t count = chain_count(target.chain);
    if (put_target(job, target.chain)) {
        reply_int(reply, (int64_t)count);
    } else {
        reply_error(reply, ERROR_MEMORY_TEXT);
    }
}

/* The length is known before: who cannot have all of it, for want of memory or over the output limit, is closed. */
static void answer(struct job *job) {
    struct call *call = job->call;
    uint64_t written = 0;
    reply_array(call->reply, job->count * MAX(job->options.get_count, 1u));
    if (emit_all(job, emit_reply, &written) < 0) session_close(call->session);
}

/* ---- the commands */

/* A set has no order of its own: what is stored of one, or given to a script, is sorted anyway, so that it is the same every time. */
static void order_set(struct job *job) {
    struct options *o = &job->options;
    bool is_set = job->source && entry_type(job->source) == ENTRY_SET;
    bool scripted = job->call->session->flags & SESSION_INTERNAL;
    if (!o->unordered || !(o->store_at || scripted) || !is_set) return;
    o->unordered = false;
    o->alpha = true;
    o->by_at = 0;
}

static void release(struct job *job) {
    while (job->texts) {
        struct text_piece *next = job->texts->next;
        mem_free(job->texts);
        job->texts = next;
    }
    mem_free(job->items);
}

static void run(struct call *call, bool read_only) {
    struct job job = {.call = call, .options = {.read_only = read_only}};
    bool all_numbers = true;
    if (!parse(call, &job.options) || !find_source(&job)) return;
    order_set(&job);
    clamp(&job);
    if (load(&job) < 0 || order(&job, &all_numbers) < 0) {
        reply_error(call->reply, ERROR_MEMORY_TEXT);
    } else if (!all_numbers) {
        reply_error(call->reply, "ERR One or more scores can't be converted into double");
    } else if (job.options.store_at) {
        store(&job);
    } else {
        answer(&job);
    }
    release(&job);
}

static void sort(struct call *call) {
    run(call, false);
}

static void sort_ro(struct call *call) {
    run(call, true);
}

static uint32_t option_arguments(struct span name) {
    if (span_is(name, "limit")) return 2;
    return span_is(name, "get") || span_is(name, "by") ? 1 : 0;
}

/* The source, and the last target: STORE may stand anywhere. */
static int sort_find_keys(const struct span *argv, uint32_t argc, uint32_t *positions,
                          uint16_t *flags, int max) {
    uint32_t store_at = 0;
    int count = 0;
    for (uint32_t at = 2; at < argc; at += 1 + option_arguments(argv[at])) {
        if (span_is(argv[at], "store") && at + 1 < argc) store_at = at + 1;
    }
    if (count < max) {
        positions[count] = 1;
        flags[count++] = KEY_RO | KEY_ACCESS;
    }
    if (store_at && count < max) {
        positions[count] = store_at;
        flags[count++] = KEY_OW | KEY_UPDATE;
    }
    return count;
}

static int sort_ro_find_keys(const struct span *argv, uint32_t argc, uint32_t *positions,
                             uint16_t *flags, int max) {
    if (max < 1) return 0;
    positions[0] = 1;
    flags[0] = KEY_RO | KEY_ACCESS;
    return 1;
}

#define COMPLEXITY                                                                           \
    "O(N+M*log(M)) where N is the number of elements in the list or set to sort, and M the " \
    "number of returned elements. When the elements are not sorted, complexity is O(N)."
#define ARGUMENTS                                                                              \
    "key:key [BY by-pattern:pattern<pattern>#1] [LIMIT limit:(offset:integer count:integer)] " \
    "[GET... get-pattern:pattern<pattern>#1] [order:(ASC | DESC)] [sorting=ALPHA]"

const struct command commands_sort[] = {
    {.name = "sort",
     .run = sort,
     .arity = -2,
     .group = GROUP_GENERIC,
     .flags = COMMAND_WRITE | COMMAND_DENYOOM | COMMAND_MOVABLE_KEYS,
     .categories = CATEGORY_SET | CATEGORY_SORTED_SET | CATEGORY_LIST | CATEGORY_DANGEROUS,
     .keys = {KEY_ONE(KEY_RO | KEY_ACCESS),
              {.flags = KEY_RO | KEY_ACCESS},
              {.flags = KEY_OW | KEY_UPDATE}},
     .find_keys = sort_find_keys,
     .since = "1.0.0",
     .summary = "Sorts the elements in a list, a set, or a sorted set, optionally storing the "
                "result.",
     .complexity = COMPLEXITY,
     .arguments = ARGUMENTS " [STORE destination:key#2]"},
    {.name = "sort_ro",
     .run = sort_ro,
     .arity = -2,
     .group = GROUP_GENERIC,
     .flags = COMMAND_READONLY | COMMAND_MOVABLE_KEYS,
     .categories = CATEGORY_SET | CATEGORY_SORTED_SET | CATEGORY_LIST | CATEGORY_DANGEROUS,
     .keys = {KEY_ONE(KEY_RO | KEY_ACCESS), {.flags = KEY_RO | KEY_ACCESS}},
     .find_keys = sort_ro_find_keys,
     .since = "7.0.0",
     .summary = "Returns the sorted elements of a list, a set, or a sorted set.",
     .complexity = COMPLEXITY,
     .arguments = ARGUMENTS},
    {.name = NULL},
};
