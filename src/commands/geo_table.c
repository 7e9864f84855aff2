/* The rows of the geographic commands; the handlers are in geo.c and geo_search.c. */
#include "commands/geo.h"

const struct command commands_geo[] = {
    {.name = "geoadd",
     .run = geo_add,
     .arity = -5,
     .group = GROUP_GEO,
     .flags = COMMAND_WRITE | COMMAND_DENYOOM,
     .categories = CATEGORY_GEO,
     .keys = {KEY_ONE(KEY_RW | KEY_UPDATE)},
     .since = "3.2.0",
     .summary =
         "Adds one or more members to a geospatial index. The key is created if it doesn't exist.",
     .complexity =
         "O(log(N)) for each item added, where N is the number of elements in the sorted set.",
     .arguments = "key:key [condition:(NX | XX)@6.2.0] [change=CH@6.2.0] data:(longitude:double "
                  "latitude:double member:string)..."},
    {.name = "geopos",
     .run = geo_pos,
     .arity = -2,
     .group = GROUP_GEO,
     .flags = COMMAND_READONLY,
     .categories = CATEGORY_GEO,
     .keys = {KEY_ONE(KEY_RO | KEY_ACCESS)},
     .since = "3.2.0",
     .summary = "Returns the longitude and latitude of members from a geospatial index.",
     .complexity = "O(1) for each member requested.",
     .arguments = "key:key [member:string...]"},
    {.name = "geodist",
     .run = geo_dist,
     .arity = -4,
     .group = GROUP_GEO,
     .flags = COMMAND_READONLY,
     .categories = CATEGORY_GEO,
     .keys = {KEY_ONE(KEY_RO | KEY_ACCESS)},
     .since = "3.2.0",
     .summary = "Returns the distance between two members of a geospatial index.",
     .complexity = "O(1)",
     .arguments = "key:key member1:string member2:string [unit:(M | KM | FT | MI)]"},
    {.name = "geohash",
     .run = geo_hash,
     .arity = -2,
     .group = GROUP_GEO,
     .flags = COMMAND_READONLY,
     .categories = CATEGORY_GEO,
     .keys = {KEY_ONE(KEY_RO | KEY_ACCESS)},
     .since = "3.2.0",
     .summary = "Returns members from a geospatial index as geohash strings.",
     .complexity = "O(1) for each member requested.",
     .arguments = "key:key [member:string...]"},
    {.name = "geosearch",
     .run = geo_search,
     .arity = -7,
     .group = GROUP_GEO,
     .flags = COMMAND_READONLY,
     .categories = CATEGORY_GEO,
     .keys = {KEY_ONE(KEY_RO | KEY_ACCESS)},
     .since = "6.2.0",
     .summary =
         "Queries a geospatial index for members inside an area of a box, circle, or a polygon.",
     .complexity =
         "O(N+log(M)) where N is the number of elements in the grid-aligned bounding box area "
         "around the shape provided as the filter and M is the number of items inside the shape",
     .arguments =
         "key:key [from:(FROMMEMBER member:string | FROMLONLAT fromlonlat:(longitude:double "
         "latitude:double))] by:(circle:(BYRADIUS radius:double unit:(M | KM | FT | "
         "MI)) | box:(BYBOX width:double height:double unit:(M | KM | FT | MI)) | "
         "polygon:(BYPOLYGON num-vertices:integer vertices:(longitude:double "
         "latitude:double)...)@9.0.0) [order:(ASC | DESC)] [count-block:(COUNT count:integer "
         "[ANY])] [WITHCOORD] [WITHDIST] [WITHHASH]"},
    {.name = "geosearchstore",
     .run = geo_searchstore,
     .arity = -8,
     .group = GROUP_GEO,
     .flags = COMMAND_WRITE | COMMAND_DENYOOM,
     .categories = CATEGORY_GEO,
     .keys = {KEY_ONE(KEY_OW | KEY_UPDATE), KEY_AT(2, KEY_RO | KEY_ACCESS)},
     .since = "6.2.0",
     .summary = "Queries a geospatial index for members inside an area of a box, a circle, or a "
                "polygon, optionally stores the result.",
     .complexity =
         "O(N+log(M)) where N is the number of elements in the grid-aligned bounding box area "
         "around the shape provided as the filter and M is the number of items inside the shape",
     .arguments = "destination:key source:key [from:(FROMMEMBER member:string | FROMLONLAT "
                  "fromlonlat:(longitude:double latitude:double))] by:(circle:(BYRADIUS "
                  "radius:double unit:(M | KM | FT | MI)) | box:(BYBOX width:double "
                  "height:double unit:(M | KM | FT | MI)) | polygon:(BYPOLYGON "
                  "num-vertices:integer vertices:(longitude:double latitude:double)...)@9.0.0) "
                  "[order:(ASC | DESC)] [count-block:(COUNT count:integer [ANY])] [STOREDIST]"},
    {.name = "georadius",
     .run = geo_radius,
     .arity = -6,
     .group = GROUP_GEO,
     .flags = COMMAND_WRITE | COMMAND_DENYOOM | COMMAND_MOVABLE_KEYS,
     .categories = CATEGORY_GEO,
     .keys = {KEY_ONE(KEY_RO | KEY_ACCESS),
              {.flags = KEY_OW | KEY_UPDATE | KEY_VARIABLE_FLAGS,
               .keyword = "STORE",
               .start_from = 6,
               .last_key = 0,
               .step = 1},
              {.flags = KEY_OW | KEY_UPDATE | KEY_VARIABLE_FLAGS,
               .keyword = "STOREDIST",
               .start_from = 6,
               .last_key = 0,
               .step = 1}},
     .find_keys = geo_radius_find_keys,
     .since = "3.2.0",
     .summary = "Queries a geospatial index for members within a distance from a coordinate, "
                "optionally stores the result.",
     .complexity =
         "O(N+log(M)) where N is the number of elements inside the bounding box of the circular "
         "area delimited by center and radius and M is the number of items inside the index.",
     .arguments = "key:key longitude:double latitude:double radius:double unit:(M | KM | "
                  "FT | MI) [WITHCOORD] [WITHDIST] [WITHHASH] [count-block:(COUNT "
                  "count:integer [ANY@6.2.0])] [order:(ASC | DESC)] [store:(STORE "
                  "storekey:key<key> | STOREDIST storedistkey:key<key>)]"},
    {.name = "georadius_ro",
     .run = geo_radius_ro,
     .arity = -6,
     .group = GROUP_GEO,
     .flags = COMMAND_READONLY,
     .categories = CATEGORY_GEO,
     .keys = {KEY_ONE(KEY_RO | KEY_ACCESS)},
     .since = "3.2.10",
     .summary =
         "Returns members from a geospatial index that are within a distance from a coordinate.",
     .complexity =
         "O(N+log(M)) where N is the number of elements inside the bounding box of the circular "
         "area delimited by center and radius and M is the number of items inside the index.",
     .arguments = "key:key longitude:double latitude:double radius:double unit:(M | KM | "
                  "FT | MI) [WITHCOORD] [WITHDIST] [WITHHASH] [count-block:(COUNT "
                  "count:integer [ANY@6.2.0])] [order:(ASC | DESC)]"},
    {.name = "georadiusbymember",
     .run = geo_radiusbymember,
     .arity = -5,
     .group = GROUP_GEO,
     .flags = COMMAND_WRITE | COMMAND_DENYOOM | COMMAND_MOVABLE_KEYS,
     .categories = CATEGORY_GEO,
     .keys = {KEY_ONE(KEY_RO | KEY_ACCESS),
              {.flags = KEY_OW | KEY_UPDATE | KEY_VARIABLE_FLAGS,
               .keyword = "STORE",
               .start_from = 5,
               .last_key = 0,
               .step = 1},
              {.flags = KEY_OW | KEY_UPDATE | KEY_VARIABLE_FLAGS,
               .keyword = "STOREDIST",
               .start_from = 5,
               .last_key = 0,
               .step = 1}},
     .find_keys = geo_radius_find_keys,
     .since = "3.2.0",
     .summary = "Queries a geospatial index for members within a distance from a member, "
                "optionally stores the result.",
     .complexity =
         "O(N+log(M)) where N is the number of elements inside the bounding box of the circular "
         "area delimited by center and radius and M is the number of items inside the index.",
     .arguments =
         "key:key member:string radius:double unit:(M | KM | FT | MI) [WITHCOORD] "
         "[WITHDIST] [WITHHASH] [count-block:(COUNT count:integer [ANY])] [order:(ASC | DESC)] "
         "[store:(STORE storekey:key<key> | STOREDIST storedistkey:key<key>)]"},
    {.name = "georadiusbymember_ro",
     .run = geo_radiusbymember_ro,
     .arity = -5,
     .group = GROUP_GEO,
     .flags = COMMAND_READONLY,
     .categories = CATEGORY_GEO,
     .keys = {KEY_ONE(KEY_RO | KEY_ACCESS)},
     .since = "3.2.10",
     .summary = "Returns members from a geospatial index that are within a distance from a member.",
     .complexity =
         "O(N+log(M)) where N is the number of elements inside the bounding box of the circular "
         "area delimited by center and radius and M is the number of items inside the index.",
     .arguments =
         "key:key member:string radius:double unit:(M | KM | FT | MI) [WITHCOORD] "
         "[WITHDIST] [WITHHASH] [count-block:(COUNT count:integer [ANY])] [order:(ASC | DESC)]"},
    {.name = NULL},
};
