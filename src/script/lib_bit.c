/* bit: operations on 32-bit numbers, as https://bitop.luajit.org/api.html describes them. */
#include <lauxlib.h>
#include <stdint.h>

#include "script/engine.h"
#include "script/libs.h"

/* The argument's lowest 32 bits. Adding 2^52 + 2^51 shifts a double's integer part to the mantissa's end, rounded to the nearest even:
 * numbers up to 2^51 keep their bits, whatever their sign; of larger ones the result is the same as everywhere. */
static uint32_t bits_of(lua_State *L, int at) {
    double number = lua_tonumber(L, at);
    if (number == 0 && !lua_isnumber(L, at)) luaL_typerror(L, at, "number");
    number += 6755399441055744.0;
    uint64_t pattern;
    memcpy(&pattern, &number, sizeof pattern);
    return (uint32_t)pattern;
}

static int answer(lua_State *L, uint32_t bits) {
    lua_pushnumber(L, (int32_t)bits);
    return 1;
}

static int tobit(lua_State *L) {
    return answer(L, bits_of(L, 1));
}

static int bnot(lua_State *L) {
    return answer(L, ~bits_of(L, 1));
}

static int band(lua_State *L) {
    uint32_t bits = bits_of(L, 1);
    for (int i = lua_gettop(L); i > 1; i--) bits &= bits_of(L, i);
    return answer(L, bits);
}

static int bor(lua_State *L) {
    uint32_t bits = bits_of(L, 1);
    for (int i = lua_gettop(L); i > 1; i--) bits |= bits_of(L, i);
    return answer(L, bits);
}

static int bxor(lua_State *L) {
    uint32_t bits = bits_of(L, 1);
    for (int i = lua_gettop(L); i > 1; i--) bits ^= bits_of(L, i);
    return answer(L, bits);
}

static uint32_t rotated_left(uint32_t bits, uint32_t count) {
    return count ? bits << count | bits >> (32 - count) : bits;
}

/* The second argument of shifts: its lowest five bits. */
static uint32_t count_of(lua_State *L) {
    return bits_of(L, 2) & 31;
}

static int lshift(lua_State *L) {
    uint32_t bits = bits_of(L, 1);
    return answer(L, bits << count_of(L));
}

static int rshift(lua_State *L) {
    uint32_t bits = bits_of(L, 1);
    return answer(L, bits >> count_of(L));
}

static int arshift(lua_State *L) {
    uint32_t bits = bits_of(L, 1), count = count_of(L);
    uint32_t sign = bits >> 31 && count ? ~0u << (32 - count) : 0;
    return answer(L, bits >> count | sign);
}

static int rol(lua_State *L) {
    uint32_t bits = bits_of(L, 1);
    return answer(L, rotated_left(bits, count_of(L)));
}

static int ror(lua_State *L) {
    uint32_t bits = bits_of(L, 1);
    return answer(L, rotated_left(bits, (32 - count_of(L)) & 31));
}

static int bswap(lua_State *L) {
    return answer(L, __builtin_bswap32(bits_of(L, 1)));
}

/* The lowest digits, 8 unless the second argument says otherwise; a negative one asks for capitals. */
static int tohex(lua_State *L) {
    uint32_t bits = bits_of(L, 1);
    int64_t count = lua_isnone(L, 2) ? 8 : (int32_t)bits_of(L, 2);
    const char *digits = count < 0 ? "0123456789ABCDEF" : "0123456789abcdef";
    char text[8];
    if (count < 0) count = -count;
    if (count > 8) count = 8;
    for (int64_t i = count; i-- > 0; bits >>= 4) text[i] = digits[bits & 15];
    lua_pushlstring(L, text, (size_t)count);
    return 1;
}

int script_open_bit(lua_State *L) {
    static const luaL_Reg functions[] = {
        {"tobit", tobit},   {"bnot", bnot},     {"band", band},       {"bor", bor}, {"bxor", bxor},
        {"lshift", lshift}, {"rshift", rshift}, {"arshift", arshift}, {"rol", rol}, {"ror", ror},
        {"bswap", bswap},   {"tohex", tohex},   {NULL, NULL},
    };
    lua_newtable(L);
    luaL_register(L, NULL, functions);
    return 1;
}
