/* cmsgpack: the table, and packing. Every value takes its shortest form; a table is an array when its keys are 1 to n. */
#include "script/libs.h"
#include "script/msgpack.h"
#include "script/text.h"

struct packer {
    lua_State *L;
    struct script_text *out;
    uint32_t steps;
};

static void pack_value(struct packer *p, int level);

/* A type's byte and a big-endian number behind it. */
static void put(struct packer *p, unsigned char type, uint64_t value, int value_bytes) {
    char *at = script_text_reserve(p->L, p->out, 9);
    *at++ = (char)type;
    for (int i = value_bytes; i-- > 0;) *at++ = (char)(value >> (8 * i));
    p->out->len += 1 + (size_t)value_bytes;
}

static void pack_unsigned(struct packer *p, uint64_t n) {
    if (n < 0x80) {
        put(p, (unsigned char)n, 0, 0);
    } else if (n <= UINT8_MAX) {
        put(p, 0xcc, n, 1);
    } else if (n <= UINT16_MAX) {
        put(p, 0xcd, n, 2);
    } else if (n <= UINT32_MAX) {
        put(p, 0xce, n, 4);
    } else {
        put(p, 0xcf, n, 8);
    }
}

static void pack_negative(struct packer *p, int64_t n) {
    if (n >= -32) {
        put(p, (unsigned char)(signed char)n, 0, 0);
    } else if (n >= INT8_MIN) {
        put(p, 0xd0, (uint64_t)n, 1);
    } else if (n >= INT16_MIN) {
        put(p, 0xd1, (uint64_t)n, 2);
    } else if (n >= INT32_MIN) {
        put(p, 0xd2, (uint64_t)n, 4);
    } else {
        put(p, 0xd3, (uint64_t)n, 8);
    }
}

static void pack_float(struct packer *p, double number) {
    float single = (float)number;
    if ((double)single == number) {
        uint32_t bits;
        memcpy(&bits, &single, sizeof bits);
        put(p, 0xca, bits, 4);
    } else {
        uint64_t bits;
        memcpy(&bits, &number, sizeof bits);
        put(p, 0xcb, bits, 8);
    }
}

static void pack_number(struct packer *p, double number) {
    bool fits = number >= -9223372036854775808.0 && number < 9223372036854775808.0;
    if (!fits || (double)(int64_t)number != number) {
        pack_float(p, number);
    } else if (number < 0) {
        pack_negative(p, (int64_t)number);
    } else {
        pack_unsigned(p, (uint64_t)number);
    }
}

static void pack_string(struct packer *p) {
    size_t len;
    const char *text = lua_tolstring(p->L, -1, &len);
    if (len < 32) {
        put(p, (unsigned char)(0xa0 | len), 0, 0);
    } else if (len <= UINT8_MAX) {
        put(p, 0xd9, len, 1);
    } else if (len <= UINT16_MAX) {
        put(p, 0xda, len, 2);
    } else {
        put(p, 0xdb, len, 4);
    }
    script_text_put(p->L, p->out, text, len);
    script_step(p->L, &p->steps, len);
}

/* A short form of up to 15, or 16 or 32 bits. */
static void pack_count(struct packer *p, size_t count, unsigned char small, unsigned char large) {
    if (count < 16) {
        put(p, (unsigned char)(small | count), 0, 0);
    } else if (count <= UINT16_MAX) {
        put(p, large, count, 2);
    } else {
        put(p, large + 1, count, 4);
    }
}

/* ---- tables: on top of the stack, and left there */

/* True: the keys are 1 to n. */
static bool is_array(struct packer *p) {
    double highest = 0, count = 0;
    lua_pushnil(p->L);
    while (lua_next(p->L, -2)) {
        lua_pop(p->L, 1);
        double key = lua_type(p->L, -1) == LUA_TNUMBER ? lua_tonumber(p->L, -1) : 0;
        if (!(key > 0 && key <= INT32_MAX && (double)(int32_t)key == key)) {
            lua_pop(p->L, 1);
            return false;
        }
        highest = MAX(highest, key);
        count++;
        script_step(p->L, &p->steps, 1);
    }
    return highest == count;
}

static void pack_array(struct packer *p, int level) {
    size_t len = lua_objlen(p->L, -1);
    pack_count(p, len, 0x90, 0xdc);
    for (size_t i = 1; i <= len; i++) {
        lua_rawgeti(p->L, -1, (int)i);
        pack_value(p, level + 1);
    }
}

static void pack_map(struct packer *p, int level) {
    size_t count = 0;
    lua_pushnil(p->L);
    while (lua_next(p->L, -2)) {
        lua_pop(p->L, 1);
        count++;
        script_step(p->L, &p->steps, 1);
    }
    pack_count(p, count, 0x80, 0xde);
    lua_pushnil(p->L);
    while (lua_next(p->L, -2)) {
        lua_pushvalue(p->L, -2);
        pack_value(p, level + 1);
        pack_value(p, level + 1);
    }
}

static void pack_table(struct packer *p, int level) {
    luaL_checkstack(p->L, 4, "too many nested tables");
    if (is_array(p)) {
        pack_array(p, level);
    } else {
        pack_map(p, level);
    }
}

/* The value on top, which goes. */
static void pack_value(struct packer *p, int level) {
    int type = lua_type(p->L, -1);
    script_step(p->L, &p->steps, 1);
    if (type == LUA_TSTRING) {
        pack_string(p);
    } else if (type == LUA_TNUMBER) {
        pack_number(p, lua_tonumber(p->L, -1));
    } else if (type == LUA_TBOOLEAN) {
        put(p, lua_toboolean(p->L, -1) ? 0xc3 : 0xc2, 0, 0);
    } else if (type == LUA_TTABLE && level < MSGPACK_NESTING_MAX) {
        pack_table(p, level);
    } else {
        put(p, 0xc0, 0, 0);
    }
    lua_pop(p->L, 1);
}

static int pack(lua_State *L) {
    int argc = lua_gettop(L);
    if (argc == 0) return luaL_argerror(L, 0, "MessagePack pack needs input.");
    luaL_checkstack(L, 4, "too many arguments");
    struct packer p = {.L = L, .out = script_text_begin(L)};
    for (int i = 1; i <= argc; i++) {
        lua_pushvalue(L, i);
        pack_value(&p, 0);
    }
    lua_pushlstring(L, p.out->data, p.out->len);
    return 1;
}

int script_open_msgpack(lua_State *L) {
    static const luaL_Reg functions[] = {
        {"pack", pack},
        {"unpack", msgpack_unpack},
        {"unpack_one", msgpack_unpack_one},
        {"unpack_limit", msgpack_unpack_limit},
        {NULL, NULL},
    };
    lua_newtable(L);
    luaL_register(L, NULL, functions);
    lua_pushliteral(L, "cmsgpack");
    lua_setfield(L, -2, "_NAME");
    lua_pushliteral(L, "lua-cmsgpack 0.4.0");
    lua_setfield(L, -2, "_VERSION");
    return 1;
}
