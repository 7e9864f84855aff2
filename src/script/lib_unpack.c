/* cmsgpack.unpack and its like. Recursion is bounded by the room on Lua's stack (8000 slots, one or two a level). */
#include <limits.h>

#include "script/msgpack.h"
#include "script/text.h"

struct unpacker {
    lua_State *L;
    const unsigned char *at;
    size_t left;
    uint32_t steps;
};

static void unpack_value(struct unpacker *u);

static const unsigned char *take(struct unpacker *u, size_t bytes) {
    if (u->left < bytes) luaL_error(u->L, "Missing bytes in input.");
    const unsigned char *at = u->at;
    u->at += bytes;
    u->left -= bytes;
    return at;
}

static uint64_t take_number(struct unpacker *u, size_t bytes) {
    const unsigned char *at = take(u, bytes);
    uint64_t value = 0;
    for (size_t i = 0; i < bytes; i++) value = value << 8 | at[i];
    return value;
}

static int64_t take_signed(struct unpacker *u, size_t bytes) {
    uint64_t value = take_number(u, bytes) << (64 - 8 * bytes);
    return (int64_t)value >> (64 - 8 * bytes);
}

static void push_string(struct unpacker *u, size_t len) {
    const unsigned char *at = take(u, len);
    lua_pushlstring(u->L, (const char *)at, len);
    script_step(u->L, &u->steps, len);
}

static void push_array(struct unpacker *u, size_t count) {
    lua_newtable(u->L);
    for (size_t i = 1; i <= count; i++) {
        lua_pushnumber(u->L, (lua_Number)i);
        unpack_value(u);
        lua_rawset(u->L, -3);
    }
}

static void push_map(struct unpacker *u, size_t count) {
    lua_newtable(u->L);
    for (size_t i = 0; i < count; i++) {
        unpack_value(u);
        unpack_value(u);
        lua_rawset(u->L, -3);
    }
}

static void push_float(struct unpacker *u) {
    uint32_t bits = (uint32_t)take_number(u, 4);
    float number;
    memcpy(&number, &bits, sizeof number);
    lua_pushnumber(u->L, number);
}

static void push_double(struct unpacker *u) {
    uint64_t bits = take_number(u, 8);
    double number;
    memcpy(&number, &bits, sizeof number);
    lua_pushnumber(u->L, number);
}

/* Those whose first byte carries a part of the value. */
static void unpack_short(struct unpacker *u, unsigned char type) {
    if (type < 0x80 || type >= 0xe0) {
        lua_pushinteger(u->L, (signed char)type);
    } else if (type >= 0xa0 && type < 0xc0) {
        push_string(u, type & 0x1f);
    } else if (type >= 0x90 && type < 0xa0) {
        push_array(u, type & 0xf);
    } else if (type < 0x90) {
        push_map(u, type & 0xf);
    } else {
        luaL_error(u->L, "Bad data format in input.");
    }
}

static void unpack_value(struct unpacker *u) {
    lua_State *L = u->L;
    unsigned char type = *take(u, 1);
    luaL_checkstack(L, 4,
                    "too many return values at once; use unpack_one or unpack_limit instead.");
    script_step(L, &u->steps, 1);
    switch (type) {
    case 0xc0: lua_pushnil(L); return;
    case 0xc2: lua_pushboolean(L, 0); return;
    case 0xc3: lua_pushboolean(L, 1); return;
    case 0xca: push_float(u); return;
    case 0xcb: push_double(u); return;
    case 0xcc: lua_pushinteger(L, (lua_Integer)take_number(u, 1)); return;
    case 0xcd: lua_pushinteger(L, (lua_Integer)take_number(u, 2)); return;
    case 0xce: lua_pushinteger(L, (lua_Integer)take_number(u, 4)); return;
    case 0xcf: /* above 2^63 negative, as in Redis */
    case 0xd3: lua_pushnumber(L, (lua_Number)take_signed(u, 8)); return;
    case 0xd0: lua_pushinteger(L, (lua_Integer)take_signed(u, 1)); return;
    case 0xd1: lua_pushinteger(L, (lua_Integer)take_signed(u, 2)); return;
    case 0xd2: lua_pushinteger(L, (lua_Integer)take_signed(u, 4)); return;
    case 0xd9: push_string(u, take_number(u, 1)); return;
    case 0xda: push_string(u, take_number(u, 2)); return;
    case 0xdb: push_string(u, take_number(u, 4)); return;
    case 0xdc: push_array(u, take_number(u, 2)); return;
    case 0xdd: push_array(u, take_number(u, 4)); return;
    case 0xde: push_map(u, take_number(u, 2)); return;
    case 0xdf: push_map(u, take_number(u, 4)); return;
    default: unpack_short(u, type);
    }
}

/* Neither a limit nor an offset: all there is, without the place where to go on. The string is argument 1. */
static int unpack(lua_State *L, lua_Integer limit, lua_Integer offset) {
    size_t len;
    const char *data = luaL_checklstring(L, 1, &len);
    bool all = limit == 0 && offset == 0;
    if (offset < 0 || limit < 0)
        return luaL_error(L, "Invalid request to unpack with offset of %d and limit of %d.",
                          (int)offset, (int)len);
    if ((size_t)offset > len)
        return luaL_error(L, "Start offset %d greater than input length %d.", (int)offset,
                          (int)len);
    lua_settop(L, 1);
    struct unpacker u = {
        .L = L, .at = (const unsigned char *)data + offset, .left = len - (size_t)offset};
    int count = 0;
    if (all) limit = INT_MAX;
    for (; u.left > 0 && count < limit; count++) unpack_value(&u);
    if (all) return count;
    luaL_checkstack(L, 1, "no room for the offset");
    lua_pushinteger(L, u.left == 0 ? -1 : (lua_Integer)(len - u.left));
    lua_insert(L, 2);
    return count + 1;
}

int msgpack_unpack(lua_State *L) {
    return unpack(L, 0, 0);
}

int msgpack_unpack_one(lua_State *L) {
    return unpack(L, 1, luaL_optinteger(L, 2, 0));
}

int msgpack_unpack_limit(lua_State *L) {
    lua_Integer limit = luaL_checkinteger(L, 2);
    return unpack(L, limit, luaL_optinteger(L, 3, 0));
}
