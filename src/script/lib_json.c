/* cjson: the table and its settings, as https://kyne.au/~mark/software/lua-cjson-manual.html describes them, with Redis's defaults. */
#include <limits.h>
#include <stdio.h>

#include "script/json.h"
#include "script/libs.h"

enum { DEPTH_DEFAULT = 1000, PRECISION_DEFAULT = 14, PRECISION_MAX = 14 };

/* Missing arguments are nil: they leave a setting as it is. */
static struct json_config *take_arguments(lua_State *L, int count) {
    luaL_argcheck(L, lua_gettop(L) <= count, count + 1, "found too many arguments");
    lua_settop(L, count);
    return json_config_of(L);
}

static void set_integer(lua_State *L, int at, int *setting, int low, int high) {
    if (!lua_isnil(L, at)) {
        char error[64];
        lua_Integer value = luaL_checkinteger(L, at);
        snprintf(error, sizeof error, "expected integer between %d and %d", low, high);
        luaL_argcheck(L, value >= low && value <= high, 1, error);
        *setting = (int)value;
    }
    lua_pushinteger(L, *setting);
}

static void set_choice(lua_State *L, int at, int *setting, const char *const *choices) {
    if (lua_isboolean(L, at)) {
        *setting = lua_toboolean(L, at);
    } else if (!lua_isnil(L, at)) {
        *setting = luaL_checkoption(L, at, NULL, choices);
    }
    if (*setting > 1) {
        lua_pushstring(L, choices[*setting]);
    } else {
        lua_pushboolean(L, *setting);
    }
}

static const char *const off_on[] = {"off", "on", NULL};

static int encode_sparse_array(lua_State *L) {
    struct json_config *config = take_arguments(L, 3);
    set_choice(L, 1, &config->sparse_convert, off_on);
    set_integer(L, 2, &config->sparse_ratio, 0, INT_MAX);
    set_integer(L, 3, &config->sparse_safe, 0, INT_MAX);
    return 3;
}

static int encode_max_depth(lua_State *L) {
    set_integer(L, 1, &take_arguments(L, 1)->encode_max_depth, 1, INT_MAX);
    return 1;
}

static int decode_max_depth(lua_State *L) {
    set_integer(L, 1, &take_arguments(L, 1)->decode_max_depth, 1, INT_MAX);
    return 1;
}

static int encode_number_precision(lua_State *L) {
    set_integer(L, 1, &take_arguments(L, 1)->precision, 1, PRECISION_MAX);
    return 1;
}

static int encode_keep_buffer(lua_State *L) {
    set_choice(L, 1, &take_arguments(L, 1)->keep_buffer, off_on);
    return 1;
}

static int encode_invalid_numbers(lua_State *L) {
    static const char *const choices[] = {"off", "on", "null", NULL};
    set_choice(L, 1, &take_arguments(L, 1)->encode_invalid, choices);
    return 1;
}

static int decode_invalid_numbers(lua_State *L) {
    set_choice(L, 1, &take_arguments(L, 1)->decode_invalid, off_on);
    return 1;
}

static int make_table(lua_State *L) {
    static const luaL_Reg functions[] = {
        {"encode", json_encode},
        {"decode", json_decode},
        {"encode_sparse_array", encode_sparse_array},
        {"encode_max_depth", encode_max_depth},
        {"decode_max_depth", decode_max_depth},
        {"encode_number_precision", encode_number_precision},
        {"encode_keep_buffer", encode_keep_buffer},
        {"encode_invalid_numbers", encode_invalid_numbers},
        {"decode_invalid_numbers", decode_invalid_numbers},
        {"new", make_table},
        {NULL, NULL},
    };
    lua_newtable(L);
    struct json_config *config = lua_newuserdata(L, sizeof *config);
    *config = (struct json_config){.sparse_ratio = 2,
                                   .sparse_safe = 10,
                                   .encode_max_depth = DEPTH_DEFAULT,
                                   .decode_max_depth = DEPTH_DEFAULT,
                                   .decode_invalid = JSON_INVALID_TAKEN,
                                   .keep_buffer = 1,
                                   .precision = PRECISION_DEFAULT};
    for (const luaL_Reg *f = functions; f->name; f++) {
        lua_pushvalue(L, -1);
        lua_pushcclosure(L, f->func, 1);
        lua_setfield(L, -3, f->name);
    }
    lua_pop(L, 1);
    lua_pushlightuserdata(L, NULL);
    lua_setfield(L, -2, "null");
    lua_pushliteral(L, "cjson");
    lua_setfield(L, -2, "_NAME");
    lua_pushliteral(L, "2.1.0");
    lua_setfield(L, -2, "_VERSION");
    return 1;
}

int script_open_json(lua_State *L) {
    return make_table(L);
}
