/* Geohash arithmetic. A grid of step n divides both ranges in 2^n; a cell of it is a pair of lanes, latitude and longitude, and
 * its number has the latitude's bits in the even places. Expressions keep their order of operations: another would round another way. */
#include "types/geohash.h"

#include <math.h>
#include <string.h>

#define EARTH_RADIUS_M 6372797.560856 /* the quadratic mean, WGS-84 */
#define MERCATOR_MAX_M 20037726.37    /* half of the projection's width */
#define RADIANS (M_PI / 180.0)

static double radians(double degrees) {
    return degrees * RADIANS;
}

static double degrees(double angle) {
    return angle / RADIANS;
}

/* ---- lanes */

struct grid_cell {
    uint32_t latitude, longitude;
};

static const struct geo_point range_low = {-GEOHASH_LONGITUDE_MAX, -GEOHASH_LATITUDE_MAX};
static const struct geo_point range_high = {GEOHASH_LONGITUDE_MAX, GEOHASH_LATITUDE_MAX};

/* Every second bit (Hacker's Delight, chapter 7). */
static uint64_t spread(uint32_t lane) {
    uint64_t x = lane;
    x = (x | x << 16) & 0x0000ffff0000ffffu;
    x = (x | x << 8) & 0x00ff00ff00ff00ffu;
    x = (x | x << 4) & 0x0f0f0f0f0f0f0f0fu;
    x = (x | x << 2) & 0x3333333333333333u;
    return (x | x << 1) & 0x5555555555555555u;
}

static uint32_t gather(uint64_t bits) {
    uint64_t x = bits & 0x5555555555555555u;
    x = (x | x >> 1) & 0x3333333333333333u;
    x = (x | x >> 2) & 0x0f0f0f0f0f0f0f0fu;
    x = (x | x >> 4) & 0x00ff00ff00ff00ffu;
    x = (x | x >> 8) & 0x0000ffff0000ffffu;
    return (uint32_t)(x | x >> 16);
}

static uint64_t number_of(struct grid_cell cell) {
    return spread(cell.latitude) | spread(cell.longitude) << 1;
}

static struct grid_cell cell_of(struct geo_point p, struct geo_point low, struct geo_point high,
                                int step) {
    double latitude = (p.latitude - low.latitude) / (high.latitude - low.latitude);
    double longitude = (p.longitude - low.longitude) / (high.longitude - low.longitude);
    double size = (double)(1u << step);
    return (struct grid_cell){(uint32_t)(latitude * size), (uint32_t)(longitude * size)};
}

/* A cell's lower corner; with 1 added to its lanes, the upper one. */
static struct geo_point corner_of(struct grid_cell cell, uint32_t add, int step) {
    double size = (double)(1u << step);
    double latitude_scale = range_high.latitude - range_low.latitude;
    double longitude_scale = range_high.longitude - range_low.longitude;
    return (struct geo_point){
        .latitude = range_low.latitude + ((cell.latitude + add) * 1.0 / size) * latitude_scale,
        .longitude = range_low.longitude + ((cell.longitude + add) * 1.0 / size) * longitude_scale,
    };
}

static double clamp(double value, double limit) {
    return value > limit ? limit : value < -limit ? -limit : value;
}

uint64_t geohash_encode(struct geo_point p) {
    return number_of(cell_of(p, range_low, range_high, GEOHASH_STEP_MAX));
}

/* What the usual machine makes of a double that is no geohash, spelled out: C leaves it open. */
static uint64_t bits_of(double score) {
    if (!(score >= -9223372036854775808.0)) return (uint64_t)1 << 63;
    if (score < 9223372036854775808.0) return (uint64_t)(int64_t)score;
    return score < 18446744073709551616.0 ? (uint64_t)score : 0;
}

struct geo_point geohash_decode(double score) {
    uint64_t bits = bits_of(score);
    struct grid_cell cell = {gather(bits), gather(bits >> 1)};
    struct geo_point low = corner_of(cell, 0, GEOHASH_STEP_MAX);
    struct geo_point high = corner_of(cell, 1, GEOHASH_STEP_MAX);
    return (struct geo_point){
        .longitude = clamp((low.longitude + high.longitude) / 2, GEOHASH_LONGITUDE_MAX),
        .latitude = clamp((low.latitude + high.latitude) / 2, GEOHASH_LATITUDE_MAX),
    };
}

void geohash_text(struct geo_point p, char out[GEOHASH_TEXT_LEN]) {
    static const char letters[] = "0123456789bcdefghjkmnpqrstuvwxyz";
    struct geo_point low = {-180, -90}, high = {180, 90};
    uint64_t bits = number_of(cell_of(p, low, high, GEOHASH_STEP_MAX));
    for (int i = 0; i < 10; i++) out[i] = letters[bits >> (52 - (i + 1) * 5) & 31];
    out[10] = '0'; /* 52 bits are ten letters and a bit: the eleventh is for old clients */
}

/* ---- distances */

static double latitude_distance(double a, double b) {
    return EARTH_RADIUS_M * fabs(radians(b) - radians(a));
}

/* The haversine formula (https://en.wikipedia.org/wiki/Haversine_formula). */
double geo_distance(struct geo_point a, struct geo_point b) {
    const double same_longitude = 1e-15; /* about 6 nm */
    double v = sin((radians(b.longitude) - radians(a.longitude)) / 2);
    if (fabs(v) <= same_longitude) return latitude_distance(a.latitude, b.latitude);
    double from = radians(a.latitude), to = radians(b.latitude);
    double u = sin((to - from) / 2);
    double h = u * u + cos(from) * cos(to) * v * v;
    return 2.0 * EARTH_RADIUS_M * asin(sqrt(h));
}

static bool box_has(const struct geo_shape *shape, struct geo_point p) {
    struct geo_point beside = {shape->center.longitude, p.latitude};
    if (latitude_distance(p.latitude, shape->center.latitude) > shape->height * shape->unit / 2)
        return false;
    return geo_distance(p, beside) <= shape->width * shape->unit / 2;
}

/* An odd number of sides is crossed on the way out (https://wrfranklin.org/Research/Short_Notes/pnpoly.html). */
static bool polygon_has(const struct geo_shape *shape, struct geo_point p) {
    bool inside = false;
    const struct geo_point *b = &shape->corners[shape->corner_count - 1];
    for (uint32_t i = 0; i < shape->corner_count; i++) {
        const struct geo_point *a = &shape->corners[i];
        if ((a->latitude > p.latitude) != (b->latitude > p.latitude) &&
            p.longitude < (b->longitude - a->longitude) * (p.latitude - a->latitude) /
                                  (b->latitude - a->latitude) +
                              a->longitude)
            inside = !inside;
        b = a;
    }
    return inside;
}

bool geo_shape_has(const struct geo_shape *shape, struct geo_point p, double *distance) {
    if (shape->kind == GEO_BOX && !box_has(shape, p)) return false;
    if (shape->kind == GEO_POLYGON && !polygon_has(shape, p)) return false;
    *distance = geo_distance(shape->center, p);
    return shape->kind != GEO_CIRCLE || *distance <= shape->radius * shape->unit;
}

/* ---- covering a shape with cells */

struct bounds {
    struct geo_point low, high;
};

/* Also sets the center: the direction of the sum of the corners as vectors. */
static struct bounds polygon_bounds(struct geo_shape *shape) {
    struct bounds b = {range_high, range_low};
    double x = 0, y = 0, z = 0;
    for (uint32_t i = 0; i < shape->corner_count; i++) {
        struct geo_point p = shape->corners[i];
        double longitude = radians(p.longitude), latitude = radians(p.latitude);
        b.low.longitude = fmin(b.low.longitude, p.longitude);
        b.low.latitude = fmin(b.low.latitude, p.latitude);
        b.high.longitude = fmax(b.high.longitude, p.longitude);
        b.high.latitude = fmax(b.high.latitude, p.latitude);
        x += cos(latitude) * cos(longitude);
        y += cos(latitude) * sin(longitude);
        z += sin(latitude);
    }
    shape->center.longitude = degrees(atan2(y, x));
    shape->center.latitude = degrees(atan2(z, sqrt(x * x + y * y)));
    return b;
}

/* The edge that is nearer to a pole is the longer one in degrees. */
static struct bounds shape_bounds(struct geo_shape *shape) {
    struct geo_point c = shape->center;
    double height = shape->unit * shape->radius, width = height;
    if (shape->kind == GEO_POLYGON) return polygon_bounds(shape);
    if (shape->kind == GEO_BOX) {
        height = shape->unit * shape->height / 2;
        width = shape->unit * shape->width / 2;
    }
    double up = degrees(height / EARTH_RADIUS_M);
    double edge = c.latitude < 0 ? c.latitude - up : c.latitude + up;
    double aside = degrees(width / EARTH_RADIUS_M / cos(radians(edge)));
    return (struct bounds){{c.longitude - aside, c.latitude - up},
                           {c.longitude + aside, c.latitude + up}};
}

static double polygon_radius(const struct geo_shape *shape, const struct bounds *b) {
    struct geo_point corners[4] = {b->low,
                                   b->high,
                                   {b->low.longitude, b->high.latitude},
                                   {b->high.longitude, b->low.latitude}};
    double radius = 0;
    for (int i = 0; i < 4; i++) radius = fmax(radius, geo_distance(shape->center, corners[i]));
    return radius;
}

static double shape_radius_m(const struct geo_shape *shape, const struct bounds *b) {
    double radius = shape->radius;
    if (shape->kind == GEO_BOX) {
        double x = shape->width / 2, y = shape->height / 2;
        radius = sqrt(x * x + y * y);
    }
    if (shape->kind == GEO_POLYGON) radius = polygon_radius(shape, b);
    return radius * shape->unit;
}

/* The finest grid in which three by three cells around the center's hold the radius, but where the check below says otherwise. */
static int step_for(double radius_m, double latitude) {
    int step = 1;
    if (radius_m == 0) return GEOHASH_STEP_MAX;
    for (; radius_m < MERCATOR_MAX_M; radius_m *= 2) step++;
    step -= 2;
    if (fabs(latitude) > 66) step--; /* cells are narrower towards the poles */
    if (fabs(latitude) > 80) step--;
    return step < 1 ? 1 : step > GEOHASH_STEP_MAX ? GEOHASH_STEP_MAX : step;
}

static struct grid_cell neighbour(struct grid_cell cell, int north, int east, int step) {
    uint32_t mask = (1u << step) - 1;
    if (north) cell.latitude = (cell.latitude + (uint32_t)north) & mask;
    if (east) cell.longitude = (cell.longitude + (uint32_t)east) & mask;
    return cell;
}

/* Near an edge of its cell the center may have too little around it. */
static bool is_covered(struct grid_cell center, int step, const struct bounds *b) {
    return !(corner_of(neighbour(center, 1, 0, step), 1, step).latitude < b->high.latitude) &&
           !(corner_of(neighbour(center, -1, 0, step), 0, step).latitude > b->low.latitude) &&
           !(corner_of(neighbour(center, 0, 1, step), 1, step).longitude < b->high.longitude) &&
           !(corner_of(neighbour(center, 0, -1, step), 0, step).longitude > b->low.longitude);
}

struct direction {
    int north, east;
};

/* Does the shape, which the center's cell may contain on that side, not reach there? */
static bool is_useless(struct direction d, const struct geo_point *low,
                       const struct geo_point *high, const struct bounds *b) {
    return (d.north < 0 && low->latitude < b->low.latitude) ||
           (d.north > 0 && high->latitude > b->high.latitude) ||
           (d.east < 0 && low->longitude < b->low.longitude) ||
           (d.east > 0 && high->longitude > b->high.longitude);
}

static struct geo_cell numbers_of(struct grid_cell cell, int step) {
    uint64_t number = number_of(cell);
    int shift = 2 * (GEOHASH_STEP_MAX - step);
    return (struct geo_cell){number << shift, (number + 1) << shift};
}

uint32_t geohash_cover(struct geo_shape *shape, struct geo_cell *cells) {
    static const struct direction directions[GEOHASH_CELL_COUNT] = {
        {0, 0}, {1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, 1}, {1, -1}, {-1, 1}, {-1, -1},
    };
    struct bounds bounds = shape_bounds(shape);
    struct geo_point c = {clamp(shape->center.longitude, GEOHASH_LONGITUDE_MAX),
                          clamp(shape->center.latitude, GEOHASH_LATITUDE_MAX)};
    int step = step_for(shape_radius_m(shape, &bounds), c.latitude);
    struct grid_cell center = cell_of(c, range_low, range_high, step);
    if (step > 1 && !is_covered(center, step, &bounds))
        center = cell_of(c, range_low, range_high, --step);
    struct geo_point low = corner_of(center, 0, step), high = corner_of(center, 1, step);
    uint32_t count = 0;
    for (int i = 0; i < GEOHASH_CELL_COUNT; i++) {
        struct direction d = directions[i];
        if (step >= 2 && is_useless(d, &low, &high, &bounds)) continue;
        cells[count] = numbers_of(neighbour(center, d.north, d.east, step), step);
        /* On a coarse grid neighbours are the same. */
        if (count > 1 && cells[count].low == cells[count - 1].low) continue;
        count++;
    }
    return count;
}
