/* Inside src/script only: what cjson's two halves share. */
#ifndef SCRIPT_JSON_H
#define SCRIPT_JSON_H

#include "script/text.h"

enum json_invalid { JSON_INVALID_REFUSED, JSON_INVALID_TAKEN, JSON_INVALID_NULL };

/* What scripts may set: one for cjson, one more for each cjson.new(). The settings outlive the script, as in Redis. */
struct json_config {
    int sparse_convert, sparse_ratio, sparse_safe;
    int encode_max_depth, decode_max_depth;
    int encode_invalid, decode_invalid; /* enum json_invalid */
    int keep_buffer;                    /* shown; the buffer is the engine's */
    int precision;
};

/* The functions' upvalue. */
INLINE struct json_config *json_config_of(lua_State *L) {
    return lua_touserdata(L, lua_upvalueindex(1));
}

int json_encode(lua_State *L); /* lib_json_encode.c */
int json_decode(lua_State *L); /* lib_json_decode.c */

#endif
