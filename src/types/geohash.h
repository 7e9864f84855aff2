/* Places on earth as numbers: a geohash interleaves the bits of latitude and longitude, 26 of each, so that what is near has near numbers.
 * Ranges are those of EPSG:3857 (https://epsg.io/3857): the poles are outside. Angles are degrees, lengths metres, and the
 * earth a sphere. The arithmetic is Redis's to the last bit: replies show it. */
#ifndef TYPES_GEOHASH_H
#define TYPES_GEOHASH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compat.h"

#define GEOHASH_LATITUDE_MAX 85.05112878
#define GEOHASH_LONGITUDE_MAX 180.0
enum { GEOHASH_STEP_MAX = 26, GEOHASH_CELL_COUNT = 9, GEOHASH_TEXT_LEN = 11 };

struct geo_point {
    double longitude, latitude;
};

INLINE bool geo_point_is_valid(struct geo_point p) {
    return p.longitude >= -GEOHASH_LONGITUDE_MAX && p.longitude <= GEOHASH_LONGITUDE_MAX &&
           p.latitude >= -GEOHASH_LATITUDE_MAX && p.latitude <= GEOHASH_LATITUDE_MAX;
}

/* A valid point's number, and the middle of what a number stands for; any double has one. */
uint64_t geohash_encode(struct geo_point p);
struct geo_point geohash_decode(double score);
/* The usual text form, whose latitudes go to the poles (https://en.wikipedia.org/wiki/Geohash); no NUL. */
void geohash_text(struct geo_point p, char out[GEOHASH_TEXT_LEN]);

double geo_distance(struct geo_point a, struct geo_point b);

struct geo_shape {
    enum geo_shape_kind { GEO_CIRCLE, GEO_BOX, GEO_POLYGON } kind;
    struct geo_point center; /* of a polygon geohash_cover finds it */
    double unit;             /* metres in one of what lengths are given in */
    double radius;           /* GEO_CIRCLE */
    double width, height;    /* GEO_BOX */
    const struct geo_point *corners; /* GEO_POLYGON */
    uint32_t corner_count;
};

/* True with the distance from the center when the point is inside. */
bool geo_shape_has(const struct geo_shape *shape, struct geo_point p, double *distance);

/* Numbers from `low` to below `high`. */
struct geo_cell {
    uint64_t low, high;
};
/* Writes the cells that together hold all that is inside, at most GEOHASH_CELL_COUNT, the center's first; returns how many. */
uint32_t geohash_cover(struct geo_shape *shape, struct geo_cell *cells);

#endif
