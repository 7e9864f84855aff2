/* Places in sorted sets: https://redis.io/docs/latest/commands/?group=geo. A member's score is its geohash. Searching is in
 * geo_search.c. */
#include "commands/geo.h"

#include <math.h>
#include <stdio.h>

#include "commands/sorted.h"

/* ---- shared */

bool geo_parse_point(struct call *call, uint32_t at, struct geo_point *p) {
    if (!call_double(call, at, &p->longitude) || !call_double(call, at + 1, &p->latitude))
        return false;
    if (geo_point_is_valid(*p)) return true;
    reply_errorf(call->reply, "ERR invalid longitude,latitude pair %f,%f", p->longitude,
                 p->latitude);
    return false;
}

bool geo_parse_unit(struct call *call, uint32_t at, double *metres) {
    static const struct {
        const char *name;
        double metres;
    } units[] = {{"m", 1}, {"km", 1000}, {"ft", 0.3048}, {"mi", 1609.34}};
    for (uint32_t i = 0; i < ARRAY_LENGTH(units); i++) {
        if (!call_is(call, at, units[i].name)) continue;
        *metres = units[i].metres;
        return true;
    }
    reply_error(call->reply, "ERR unsupported unit provided. please use M, KM, FT, MI");
    return false;
}

/* All 17 digits behind the point, less the zeros at the end: a double in RESP3, though not in the form of the others. */
static void reply_coordinate(struct call *call, double value) {
    char text[NUM_LONG_DOUBLE_TEXT_MAX];
    size_t len = num_format_long_double(text + 1, value);
    if (call->reply->protocol == 2) {
        reply_bulk(call->reply, span_make(text + 1, len));
        return;
    }
    text[0] = ',';
    text[len + 1] = '\r';
    text[len + 2] = '\n';
    reply_raw(call->reply, span_make(text, len + 3));
}

void geo_reply_point(struct call *call, struct geo_point p) {
    reply_array(call->reply, 2);
    reply_coordinate(call, p.longitude);
    reply_coordinate(call, p.latitude);
}

void geo_reply_distance(struct call *call, double distance) {
    long long parts = llrint(distance * 10000);
    reply_bulkf(call->reply, "%lld.%04lld", parts / 10000, parts % 10000);
}

static bool find_point(const struct zset *z, struct span member, struct geo_point *p) {
    struct zset_place place;
    if (!z || !zset_find(z, member, &place)) return false;
    *p = geohash_decode(place.score);
    return true;
}

/* ---- GEOADD */

static uint32_t parse_flags(struct call *call, unsigned *flags) {
    uint32_t at = 2;
    for (; at < call->argc; at++) {
        if (call_is(call, at, "nx")) {
            *flags |= SORTED_NX;
        } else if (call_is(call, at, "xx")) {
            *flags |= SORTED_XX;
        } else if (call_is(call, at, "ch")) {
            *flags |= SORTED_CH;
        } else {
            break;
        }
    }
    return at;
}

void geo_add(struct call *call) {
    unsigned flags = 0;
    uint32_t first = parse_flags(call, &flags), rest = call->argc - first;
    if (rest == 0 || rest % 3 || (flags & SORTED_NX && flags & SORTED_XX)) {
        call_syntax_error(call);
        return;
    }
    double *scores = call_scratch(call, rest / 3 * sizeof *scores);
    for (uint32_t i = 0; i < rest / 3; i++) {
        struct geo_point p;
        if (!geo_parse_point(call, first + i * 3, &p)) return;
        scores[i] = (double)geohash_encode(p);
    }
    struct sorted_add add = {flags, rest / 3, scores, call->argv + first + 2, 3};
    sorted_add_pairs(call, &add);
}

/* ---- GEOPOS, GEODIST, GEOHASH */

void geo_pos(struct call *call) {
    const struct zset *z;
    if (!sorted_find(call, 1, &z)) return;
    reply_array(call->reply, call->argc - 2);
    for (uint32_t i = 2; i < call->argc; i++) {
        struct geo_point p;
        if (find_point(z, call->argv[i], &p)) {
            geo_reply_point(call, p);
        } else {
            reply_null_array(call->reply);
        }
    }
}

void geo_dist(struct call *call) {
    const struct zset *z;
    struct geo_point a, b;
    double unit = 1;
    if (call->argc > 5) {
        call_syntax_error(call);
        return;
    }
    if (call->argc == 5 && !geo_parse_unit(call, 4, &unit)) return;
    if (!sorted_find(call, 1, &z)) return;
    if (find_point(z, call->argv[2], &a) && find_point(z, call->argv[3], &b)) {
        geo_reply_distance(call, geo_distance(a, b) / unit);
    } else {
        reply_null(call->reply);
    }
}

void geo_hash(struct call *call) {
    const struct zset *z;
    if (!sorted_find(call, 1, &z)) return;
    reply_array(call->reply, call->argc - 2);
    for (uint32_t i = 2; i < call->argc; i++) {
        char text[GEOHASH_TEXT_LEN];
        struct geo_point p;
        if (find_point(z, call->argv[i], &p)) {
            geohash_text(p, text);
            reply_bulk(call->reply, span_make(text, sizeof text));
        } else {
            reply_null(call->reply);
        }
    }
}
