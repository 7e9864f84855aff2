/* Inside src/commands only: what the files of the geo family share. Its table is in geo_table.c; the arithmetic in types/geohash.h. */
#ifndef COMMANDS_GEO_H
#define COMMANDS_GEO_H

#include "commands/command.h"
#include "types/geohash.h"

/* Arguments `at` and the next as longitude and latitude; false after the error was written. */
bool geo_parse_point(struct call *call, uint32_t at, struct geo_point *p);
/* Metres in the unit that argument `at` names. */
bool geo_parse_unit(struct call *call, uint32_t at, double *metres);
void geo_reply_point(struct call *call, struct geo_point p);
void geo_reply_distance(struct call *call, double distance);

/* ---- handlers */
int geo_radius_find_keys(const struct span *argv, uint32_t argc, uint32_t *positions,
                         uint16_t *flags, int max);
void geo_add(struct call *call);
void geo_pos(struct call *call);
void geo_dist(struct call *call);
void geo_hash(struct call *call);
void geo_search(struct call *call);
void geo_searchstore(struct call *call);
void geo_radius(struct call *call);
void geo_radius_ro(struct call *call);
void geo_radiusbymember(struct call *call);
void geo_radiusbymember_ro(struct call *call);

#endif
