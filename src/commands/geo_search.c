/* GEOSEARCH, GEOSEARCHSTORE and the older GEORADIUS family: one query, asked for in different words.
 *
 *   parse -> up to nine cells that cover the shape -> what is inside of them and of the shape -> sort, cut -> answer or store */
#include <stdlib.h>

#include "base/buf.h"
#include "commands/geo.h"
#include "commands/sorted.h"

enum query_words {                        /* which words the command takes */
                   WORDS_SEARCH = 1 << 0, /* FROMMEMBER, BYBOX, ... */
                   WORDS_STORE = 1 << 1,  /* STORE key, STOREDIST key */
                   WORDS_FLAG = 1 << 2,   /* STOREDIST alone */
};

enum query_order { ORDER_NONE, ORDER_ASC, ORDER_DESC };

struct query {
    struct call *call;
    unsigned words;
    const struct zset *z; /* NULL: no such key */
    struct geo_shape shape;
    uint32_t store_at; /* 0: answer */
    bool store_distance, with_distance, with_hash, with_point;
    bool from_member, from_point, by_radius, by_box, by_polygon;
    bool any;
    enum query_order order;
    int64_t count; /* 0: all */
    struct buf matches;
    bool out_of_memory;
};

struct match {
    struct span member;
    struct geo_point point;
    double distance, score;
};

/* ---- arguments */

static bool parse_length(struct call *call, uint32_t at, const char *error, double *out) {
    if (num_parse_double(call->argv[at], out)) return true;
    reply_error(call->reply, error);
    return false;
}

static bool parse_radius(struct query *q, uint32_t at) {
    struct geo_shape *shape = &q->shape;
    shape->kind = GEO_CIRCLE;
    if (!parse_length(q->call, at, "ERR need numeric radius", &shape->radius)) return false;
    if (shape->radius < 0) {
        reply_error(q->call->reply, "ERR radius cannot be negative");
        return false;
    }
    return geo_parse_unit(q->call, at + 1, &shape->unit);
}

static bool parse_box(struct query *q, uint32_t at) {
    struct geo_shape *shape = &q->shape;
    shape->kind = GEO_BOX;
    if (!parse_length(q->call, at, "ERR need numeric width", &shape->width) ||
        !parse_length(q->call, at + 1, "ERR need numeric height", &shape->height))
        return false;
    if (shape->width < 0 || shape->height < 0) {
        reply_error(q->call->reply, "ERR height or width cannot be negative");
        return false;
    }
    return geo_parse_unit(q->call, at + 2, &shape->unit);
}

/* *at goes to the last corner. */
static bool parse_polygon(struct query *q, uint32_t *at) {
    struct call *call = q->call;
    int64_t count;
    if (!call_int_range(call, *at, INT32_MIN, INT32_MAX, "ERR invalid number of vertices", &count))
        return false;
    if (count < 3 || (int64_t)(call->argc - *at - 1) / 2 < count) {
        reply_error(call->reply, "ERR GEOSEARCH BYPOLYGON must have at least 3 vertices");
        return false;
    }
    struct geo_point *corners = call_scratch(call, (size_t)count * sizeof *corners);
    for (uint32_t i = 0; i < (uint32_t)count; i++) {
        if (!geo_parse_point(call, *at + 1 + i * 2, &corners[i])) return false;
    }
    q->shape.kind = GEO_POLYGON;
    q->shape.unit = 1;
    q->shape.corners = corners;
    q->shape.corner_count = (uint32_t)count;
    *at += (uint32_t)count * 2;
    return true;
}

/* Without a key there is no such member either, and nothing is said. */
static bool parse_member(struct query *q, uint32_t at) {
    struct span member = q->call->argv[at];
    struct zset_place place;
    if (!q->z) return true;
    if (zset_find(q->z, member, &place)) {
        q->shape.center = geohash_decode(place.score);
        return true;
    }
    reply_errorf(q->call->reply, "ERR member %.*s does not exist", (int)MIN(member.len, 1024),
                 member.data);
    return false;
}

static bool parse_count(struct query *q, uint32_t at) {
    if (!call_int(q->call, at, &q->count)) return false;
    if (q->count > 0) return true;
    reply_error(q->call->reply, "ERR COUNT must be > 0");
    return false;
}

/* Words without an argument. */
static bool parse_flag(struct query *q, uint32_t at) {
    const struct call *call = q->call;
    if (call_is(call, at, "withdist")) {
        q->with_distance = true;
    } else if (call_is(call, at, "withhash")) {
        q->with_hash = true;
    } else if (call_is(call, at, "withcoord")) {
        q->with_point = true;
    } else if (call_is(call, at, "any")) {
        q->any = true;
    } else if (call_is(call, at, "asc")) {
        q->order = ORDER_ASC;
    } else if (call_is(call, at, "desc")) {
        q->order = ORDER_DESC;
    } else if (q->words & WORDS_FLAG && call_is(call, at, "storedist")) {
        q->store_distance = true;
    } else {
        return false;
    }
    return true;
}

/* What GEOSEARCH alone takes. False: an error, which is written unless the word is none of them. */
static bool parse_search_word(struct query *q, uint32_t *at, bool *known) {
    struct call *call = q->call;
    uint32_t i = *at, more = call->argc - 1 - i;
    *known = true;
    if (more >= 1 && !q->from_point && !q->by_polygon && call_is(call, i, "frommember")) {
        q->from_member = true;
        *at = i + 1;
        return parse_member(q, i + 1);
    }
    if (more >= 2 && !q->from_member && !q->by_polygon && call_is(call, i, "fromlonlat")) {
        q->from_point = true;
        *at = i + 2;
        return geo_parse_point(call, i + 1, &q->shape.center);
    }
    if (more >= 2 && !q->by_box && !q->by_polygon && call_is(call, i, "byradius")) {
        q->by_radius = true;
        *at = i + 2;
        return parse_radius(q, i + 1);
    }
    if (more >= 3 && !q->by_radius && !q->by_polygon && call_is(call, i, "bybox")) {
        q->by_box = true;
        *at = i + 3;
        return parse_box(q, i + 1);
    }
    if (more >= 2 && !q->by_radius && !q->by_box && !q->from_member && !q->from_point &&
        call_is(call, i, "bypolygon")) {
        q->by_polygon = true;
        *at = i + 1;
        return parse_polygon(q, at);
    }
    *known = false;
    return false;
}

static bool parse_word(struct query *q, uint32_t *at) {
    struct call *call = q->call;
    uint32_t i = *at;
    bool more = i + 1 < call->argc, known = false;
    if (parse_flag(q, i)) return true;
    if (more && call_is(call, i, "count")) {
        *at = i + 1;
        return parse_count(q, i + 1);
    }
    if (q->words & WORDS_STORE && more &&
        (call_is(call, i, "store") || call_is(call, i, "storedist"))) {
        q->store_distance = call_is(call, i, "storedist");
        q->store_at = *at = i + 1;
        return true;
    }
    if (q->words & WORDS_SEARCH && parse_search_word(q, at, &known)) return true;
    if (!known) call_syntax_error(call);
    return false;
}

static bool check_search(struct query *q) {
    struct call *call = q->call;
    const char *lacks = NULL;
    if (!q->by_radius && !q->by_box && !q->by_polygon) lacks = "BYRADIUS, BYBOX and BYPOLYGON";
    if (!q->from_member && !q->from_point && !q->by_polygon) lacks = "FROMMEMBER or FROMLONLAT";
    if (!lacks) return true;
    reply_errorf(call->reply, "ERR exactly one of %s can be specified for %.*s", lacks,
                 (int)MIN(call->argv[0].len, 64), call->argv[0].data);
    return false;
}

static bool parse_words(struct query *q, uint32_t at) {
    struct reply *reply = q->call->reply;
    for (; at < q->call->argc; at++) {
        if (!parse_word(q, &at)) return false;
    }
    if (q->store_at && (q->with_distance || q->with_hash || q->with_point)) {
        reply_errorf(reply,
                     "ERR %s is not compatible with WITHDIST, WITHHASH and WITHCOORD options",
                     q->words & WORDS_SEARCH ? "GEOSEARCHSTORE" : "STORE option in GEORADIUS");
        return false;
    }
    if (q->words & WORDS_SEARCH && !check_search(q)) return false;
    if (q->any && !q->count) {
        reply_error(reply, "ERR the ANY argument requires COUNT argument");
        return false;
    }
    /* The nearest are meant, unless any will do. */
    if (q->count && q->order == ORDER_NONE && !q->any) q->order = ORDER_ASC;
    return true;
}

/* ---- searching */

static size_t match_count(const struct query *q) {
    return q->matches.len / sizeof(struct match);
}

static struct match *match_at(const struct query *q, size_t i) {
    return (struct match *)(void *)q->matches.data + i;
}

static bool is_enough(const struct query *q) {
    return q->out_of_memory || (q->any && (int64_t)match_count(q) >= q->count);
}

static void try_match(struct query *q, const struct zset_cursor *cursor) {
    struct match match = {.member = cursor->member, .score = cursor->score};
    match.point = geohash_decode(match.score);
    if (!geo_shape_has(&q->shape, match.point, &match.distance)) return;
    if (match.member.data == cursor->text) {
        char *copy = call_scratch(q->call, match.member.len);
        memcpy(copy, cursor->text, match.member.len);
        match.member.data = copy;
    }
    if (buf_try_reserve(&q->matches, sizeof match) < 0) {
        q->out_of_memory = true;
    } else {
        buf_put(&q->matches, &match, sizeof match);
    }
}

static void search_cell(struct query *q, const struct geo_cell *cell) {
    struct ztree_bound low = {.kind = ZTREE_SCORE, .score = (double)cell->low};
    struct zset_cursor cursor;
    bool there = zset_seek(q->z, zset_count_before(q->z, &low), &cursor);
    for (; there && cursor.score < (double)cell->high && !is_enough(q); there = zset_next(&cursor))
        try_match(q, &cursor);
}

static int compare_distances(const void *a, const void *b) {
    double first = ((const struct match *)a)->distance,
           second = ((const struct match *)b)->distance;
    return first < second ? -1 : first > second;
}

static int compare_distances_back(const void *a, const void *b) {
    return compare_distances(b, a);
}

static void search(struct query *q) {
    struct geo_cell cells[GEOHASH_CELL_COUNT];
    uint32_t cell_count = geohash_cover(&q->shape, cells);
    for (uint32_t i = 0; i < cell_count && !is_enough(q); i++) search_cell(q, &cells[i]);
    if (q->order == ORDER_NONE || match_count(q) == 0) return;
    qsort(q->matches.data, match_count(q), sizeof(struct match),
          q->order == ORDER_ASC ? compare_distances : compare_distances_back);
}

/* ---- answering */

static void reply_match(struct query *q, const struct match *match) {
    struct reply *reply = q->call->reply;
    int parts = q->with_distance + q->with_hash + q->with_point;
    if (parts) reply_array(reply, (uint64_t)parts + 1);
    reply_bulk(reply, match->member);
    if (q->with_distance) geo_reply_distance(q->call, match->distance / q->shape.unit);
    if (q->with_hash) reply_int(reply, (int64_t)match->score);
    if (q->with_point) geo_reply_point(q->call, match->point);
}

static void reply_matches(struct query *q, size_t count) {
    reply_array(q->call->reply, count);
    for (size_t i = 0; i < count; i++) reply_match(q, match_at(q, i));
}

static struct zset *zset_of_matches(struct query *q, size_t count) {
    struct zset_limits limits = sorted_limits(q->call);
    struct zset_build build;
    struct zset *z = NULL;
    zset_build_begin(&build);
    for (size_t i = 0; i < count; i++) {
        const struct match *match = match_at(q, i);
        uint64_t hash = hash_bytes(match->member.data, match->member.len);
        double score = q->store_distance ? match->distance / q->shape.unit : match->score;
        if (zset_build_find(&build, match->member, hash)) continue;
        if (zset_build_add(&build, match->member, hash, score) < 0) q->out_of_memory = true;
    }
    if (!q->out_of_memory) z = zset_build_end(&build, &limits);
    if (!z) {
        q->out_of_memory = true;
        zset_build_abort(&build);
    }
    return z;
}

static void answer(struct query *q) {
    size_t count = match_count(q);
    struct zset *z = NULL;
    if (q->count) count = (size_t)MIN((int64_t)count, q->count);
    if (q->store_at && count > 0 && !q->out_of_memory) z = zset_of_matches(q, count);
    if (q->out_of_memory) {
        reply_error(q->call->reply, ERROR_MEMORY_TEXT);
    } else if (q->store_at) {
        sorted_store(q->call, q->store_at, z,
                     q->words & WORDS_SEARCH ? "geosearchstore" : "georadiusstore");
    } else {
        reply_matches(q, count);
    }
    buf_release(&q->matches);
}

static void run(struct query *q, uint32_t words_at) {
    if (!parse_words(q, words_at)) return;
    if (q->z) search(q);
    answer(q);
}

void geo_search(struct call *call) {
    struct query q = {.call = call, .words = WORDS_SEARCH};
    if (sorted_find(call, 1, &q.z)) run(&q, 2);
}

void geo_searchstore(struct call *call) {
    struct query q = {.call = call, .words = WORDS_SEARCH | WORDS_FLAG, .store_at = 1};
    if (sorted_find(call, 2, &q.z)) run(&q, 3);
}

static void around_point(struct call *call, unsigned words) {
    struct query q = {.call = call, .words = words};
    if (!sorted_find(call, 1, &q.z) || !geo_parse_point(call, 2, &q.shape.center) ||
        !parse_radius(&q, 4))
        return;
    run(&q, 6);
}

static void around_member(struct call *call, unsigned words) {
    struct query q = {.call = call, .words = words};
    if (!sorted_find(call, 1, &q.z)) return;
    if (q.z && (!parse_member(&q, 2) || !parse_radius(&q, 3))) return;
    run(&q, 5);
}

void geo_radius(struct call *call) {
    around_point(call, WORDS_STORE);
}

void geo_radius_ro(struct call *call) {
    around_point(call, 0);
}

void geo_radiusbymember(struct call *call) {
    around_member(call, WORDS_STORE);
}

void geo_radiusbymember_ro(struct call *call) {
    around_member(call, 0);
}

/* ---- keys: of STORE and STOREDIST the last counts, wherever it stands */

int geo_radius_find_keys(const struct span *argv, uint32_t argc, uint32_t *positions,
                         uint16_t *flags, int max) {
    enum { OPTIONS_AT = 5 };
    int count = 1;
    if (max < 2 || argc < 2) return 0;
    positions[0] = 1;
    flags[0] = KEY_RO | KEY_ACCESS;
    for (uint32_t i = OPTIONS_AT; i + 1 < argc; i++) {
        if (!span_is(argv[i], "store") && !span_is(argv[i], "storedist")) continue;
        positions[1] = ++i;
        flags[1] = KEY_OW | KEY_UPDATE;
        count = 2;
    }
    return count;
}
