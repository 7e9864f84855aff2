/* cjson.encode. A table is an array when all its keys are whole numbers from 1 on and it has one; else an object. Recursion is bounded by
 * encode_max_depth and by the room on Lua's stack (8000 slots). Hot path: put_string, put_number. */
#include <math.h>
#include <stdio.h>

#include "base/num.h"
#include "script/json.h"

enum { STRING_PIECE_BYTES = 16 * 1024, ESCAPED_BYTES = 6, NUMBER_BYTES = 32 };

struct encoder {
    lua_State *L;
    const struct json_config *config;
    struct script_text *out;
    uint32_t steps;
    int depth;
};

static void put_value(struct encoder *e);

static int refuse(struct encoder *e, int at, const char *why) {
    return luaL_error(e->L, "Cannot serialise %s: %s", luaL_typename(e->L, at), why);
}

/* ---- strings */

/* The letter after the backslash; 'u': as a number; 0: as it is. "/" is escaped so that "</script>" cannot come out. */
static const char escapes[256] = {
    ['"'] = '"',  ['\\'] = '\\', ['/'] = '/', ['\b'] = 'b', ['\f'] = 'f', ['\n'] = 'n',
    ['\r'] = 'r', ['\t'] = 't',  [127] = 'u', [0] = 'u',    [1] = 'u',    [2] = 'u',
    [3] = 'u',    [4] = 'u',     [5] = 'u',   [6] = 'u',    [7] = 'u',    [11] = 'u',
    [14] = 'u',   [15] = 'u',    [16] = 'u',  [17] = 'u',   [18] = 'u',   [19] = 'u',
    [20] = 'u',   [21] = 'u',    [22] = 'u',  [23] = 'u',   [24] = 'u',   [25] = 'u',
    [26] = 'u',   [27] = 'u',    [28] = 'u',  [29] = 'u',   [30] = 'u',   [31] = 'u',
};

static char *escape(char *at, unsigned char c) {
    static const char digits[] = "0123456789abcdef";
    *at++ = '\\';
    *at++ = escapes[c];
    if (escapes[c] != 'u') return at;
    memcpy(at, "00", 2);
    at[2] = digits[c >> 4];
    at[3] = digits[c & 15];
    return at + 4;
}

static void put_piece(struct encoder *e, const char *text, size_t len) {
    char *start = script_text_reserve(e->L, e->out, len * ESCAPED_BYTES), *at = start;
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)text[i];
        if (UNLIKELY(escapes[c])) {
            at = escape(at, c);
        } else {
            *at++ = (char)c;
        }
    }
    e->out->len += (size_t)(at - start);
}

static void put_string(struct encoder *e, int at) {
    size_t len;
    const char *text = lua_tolstring(e->L, at, &len);
    script_text_put_char(e->L, e->out, '"');
    while (len) {
        size_t piece = MIN(len, (size_t)STRING_PIECE_BYTES);
        put_piece(e, text, piece);
        script_step(e->L, &e->steps, piece);
        text += piece;
        len -= piece;
    }
    script_text_put_char(e->L, e->out, '"');
}

/* ---- numbers */

/* The bound below which a whole number has no more digits than the precision. */
static bool is_short_integer(const struct encoder *e, double number) {
    static const double bounds[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6, 1e7,
                                    1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14};
    double bound = bounds[e->config->precision];
    return number > -bound && number < bound && (double)(int64_t)number == number &&
           (number != 0 || !signbit(number));
}

static bool put_invalid(struct encoder *e, int at, double number) {
    if (LIKELY(isfinite(number))) return false;
    if (e->config->encode_invalid == JSON_INVALID_REFUSED) refuse(e, at, "must not be NaN or Inf");
    const char *text = isnan(number) ? "nan" : number > 0 ? "inf" : "-inf";
    if (e->config->encode_invalid == JSON_INVALID_NULL) text = "null";
    script_text_put(e->L, e->out, text, strlen(text));
    return true;
}

static void put_number(struct encoder *e, int at) {
    double number = lua_tonumber(e->L, at);
    if (put_invalid(e, at, number)) return;
    char *text = script_text_reserve(e->L, e->out, NUMBER_BYTES);
    if (LIKELY(is_short_integer(e, number))) {
        e->out->len += num_format_int(text, (int64_t)number);
    } else {
        e->out->len += (size_t)snprintf(text, NUMBER_BYTES, "%.*g", e->config->precision, number);
    }
}

/* ---- tables: on top of the stack, and left there */

/* The highest index of an array, 0 for an empty table, -1 for an object. */
static double array_length(struct encoder *e) {
    lua_State *L = e->L;
    const struct json_config *config = e->config;
    double highest = 0, count = 0;
    lua_pushnil(L);
    while (lua_next(L, -2)) {
        lua_pop(L, 1);
        double key = lua_type(L, -1) == LUA_TNUMBER ? lua_tonumber(L, -1) : 0;
        if (!(key >= 1 && floor(key) == key)) {
            lua_pop(L, 1);
            return -1;
        }
        highest = MAX(highest, key);
        count++;
        script_step(L, &e->steps, 1);
    }
    bool sparse = config->sparse_ratio > 0 && highest > count * config->sparse_ratio &&
                  highest > config->sparse_safe;
    if (!sparse) return highest;
    if (!config->sparse_convert) refuse(e, -1, "excessively sparse array");
    return -1;
}

static void put_array(struct encoder *e, double length) {
    script_text_put_char(e->L, e->out, '[');
    for (double i = 1; i <= length; i++) {
        if (i > 1) script_text_put_char(e->L, e->out, ',');
        if (i < INT32_MAX) {
            lua_rawgeti(e->L, -1, (int)i);
        } else {
            lua_pushnumber(e->L, i);
            lua_rawget(e->L, -2);
        }
        put_value(e);
        lua_pop(e->L, 1);
    }
    script_text_put_char(e->L, e->out, ']');
}

static void put_key(struct encoder *e) {
    int type = lua_type(e->L, -2);
    if (LIKELY(type == LUA_TSTRING)) {
        put_string(e, -2);
    } else if (type == LUA_TNUMBER) {
        script_text_put_char(e->L, e->out, '"');
        put_number(e, -2);
        script_text_put_char(e->L, e->out, '"');
    } else {
        refuse(e, -2, "table key must be a number or string");
    }
}

static void put_object(struct encoder *e) {
    bool first = true;
    script_text_put_char(e->L, e->out, '{');
    lua_pushnil(e->L);
    while (lua_next(e->L, -2)) {
        if (!first) script_text_put_char(e->L, e->out, ',');
        first = false;
        put_key(e);
        script_text_put_char(e->L, e->out, ':');
        put_value(e);
        lua_pop(e->L, 1);
    }
    script_text_put_char(e->L, e->out, '}');
}

static void put_table(struct encoder *e) {
    e->depth++;
    if (e->depth > e->config->encode_max_depth || !lua_checkstack(e->L, 4))
        luaL_error(e->L, "Cannot serialise, excessive nesting (%d)", e->depth);
    double length = array_length(e);
    if (length > 0) {
        put_array(e, length);
    } else {
        put_object(e);
    }
    e->depth--;
}

/* The value on top, which stays. */
static void put_value(struct encoder *e) {
    script_step(e->L, &e->steps, 1);
    switch (lua_type(e->L, -1)) {
    case LUA_TSTRING: put_string(e, -1); return;
    case LUA_TNUMBER: put_number(e, -1); return;
    case LUA_TTABLE: put_table(e); return;
    case LUA_TBOOLEAN:
        if (lua_toboolean(e->L, -1)) {
            script_text_put(e->L, e->out, "true", 4);
        } else {
            script_text_put(e->L, e->out, "false", 5);
        }
        return;
    case LUA_TLIGHTUSERDATA:
        if (lua_touserdata(e->L, -1)) break;
        script_text_put(e->L, e->out, "null", 4);
        return;
    case LUA_TNIL: script_text_put(e->L, e->out, "null", 4); return;
    default: break;
    }
    refuse(e, -1, "type not supported");
}

int json_encode(lua_State *L) {
    luaL_argcheck(L, lua_gettop(L) == 1, 1, "expected 1 argument");
    struct encoder e = {.L = L, .config = json_config_of(L), .out = script_text_begin(L)};
    put_value(&e);
    lua_pushlstring(L, e.out->data, e.out->len);
    return 1;
}
