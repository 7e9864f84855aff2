/* Geohashes: known values, and that what a shape has lies in the cells that cover it. */
#include "types/geohash.h"

#include <math.h>

#include "base/random.h"
#include "test.h"

static const struct geo_point palermo = {13.361389, 38.115556}, catania = {15.087269, 37.502669};

static double random_between(struct random *r, double low, double high) {
    return low + (high - low) * (double)(random_next(r) >> 11) / 9007199254740992.0;
}

static void test_known(void) {
    char text[GEOHASH_TEXT_LEN];
    EXPECT_INT(3479099956230698, geohash_encode(palermo));
    EXPECT_INT(3479447370796909, geohash_encode(catania));
    geohash_text(geohash_decode(3479099956230698.0), text);
    EXPECT_SPAN(SPAN("sqc8b49rny0"), span_make(text, sizeof text));
    EXPECT(fabs(geo_distance(palermo, catania) - 166274.15) < 1);
    EXPECT(geo_distance(palermo, palermo) == 0);
}

static void test_round_trip(void) {
    struct random r;
    random_init(&r, test_seed());
    for (int i = 0; i < 10000; i++) {
        struct geo_point p = {random_between(&r, -180, 180), random_between(&r, -85.05, 85.05)};
        struct geo_point q = geohash_decode((double)geohash_encode(p));
        EXPECT(geo_point_is_valid(p) && geo_point_is_valid(q));
        EXPECT(fabs(p.longitude - q.longitude) < 1e-5 && fabs(p.latitude - q.latitude) < 1e-5);
    }
}

/* Scores that are no geohashes are places, too. */
static void test_any_score(void) {
    static const double scores[] = {-1,       -5e300,    5e300, 1e19,
                                    INFINITY, -INFINITY, 0.5,   4503599627370496.0};
    for (size_t i = 0; i < ARRAY_LENGTH(scores); i++)
        EXPECT(geo_point_is_valid(geohash_decode(scores[i])));
}

static bool is_covered(const struct geo_cell *cells, uint32_t count, struct geo_point p) {
    uint64_t number = geohash_encode(p);
    for (uint32_t i = 0; i < count; i++) {
        if (number >= cells[i].low && number < cells[i].high) return true;
    }
    return false;
}

static void make_shape(struct random *r, struct geo_shape *shape, struct geo_point *corners) {
    double x = random_between(r, -150, 150), y = random_between(r, -60, 60);
    *shape = (struct geo_shape){
        .kind = (enum geo_shape_kind)random_below(r, 3), .unit = 1000, .center = {x, y}};
    shape->radius = random_between(r, 0, random_below(r, 2) ? 1000 : 10);
    shape->width = random_between(r, 0, 1000);
    shape->height = random_between(r, 0, 1000);
    if (shape->kind != GEO_POLYGON) return;
    shape->unit = 1;
    shape->corners = corners;
    shape->corner_count = 3 + (uint32_t)random_below(r, 6);
    for (uint32_t i = 0; i < shape->corner_count; i++)
        corners[i] = (struct geo_point){x + random_between(r, -5, 5), y + random_between(r, -5, 5)};
}

static void test_cover(void) {
    struct random r;
    random_init(&r, test_seed());
    int inside = 0;
    for (int i = 0; i < 1000; i++) {
        struct geo_cell cells[GEOHASH_CELL_COUNT];
        struct geo_point corners[16];
        struct geo_shape shape;
        make_shape(&r, &shape, corners);
        uint32_t count = geohash_cover(&shape, cells);
        EXPECT(count >= 1 && count <= GEOHASH_CELL_COUNT);
        for (int k = 0; k < 100; k++) {
            double reach = shape.kind == GEO_CIRCLE ? shape.radius / 60 : 8, distance = -1;
            struct geo_point p = {shape.center.longitude + random_between(&r, -reach, reach),
                                  shape.center.latitude + random_between(&r, -reach, reach)};
            if (!geo_shape_has(&shape, p, &distance)) continue;
            inside++;
            EXPECT(distance >= 0 && is_covered(cells, count, p));
        }
    }
    EXPECT(inside > 1000);
}

int main(int argc, char **argv) {
    static const struct test tests[] = {
        {"geohash_known", test_known},
        {"geohash_round_trip", test_round_trip},
        {"geohash_any_score", test_any_score},
        {"geohash_cover", test_cover},
    };
    return test_main(tests, ARRAY_LENGTH(tests), argc, argv);
}
