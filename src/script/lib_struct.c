/* struct: values to bytes and back after a format of letters, as Redis has it: https://www.inf.puc-rio.br/~roberto/struct/
 *
 *   > < big, little endian; ![n] alignment; x a zero; b B h H l L T i[n] I[n] integers; f d floats; s a terminated string; c[n] characters
 *
 * Sizes are those of 64-bit machines on every machine. */
#include <ctype.h>
#include <limits.h>

#include "script/libs.h"
#include "script/text.h"

enum { INTEGER_BYTES_MAX = 32, ALIGN_DEFAULT = 8 };

struct format {
    lua_State *L;
    const char *at;
    bool little;
    uint32_t align, steps;
};

static struct format make_format(lua_State *L) {
    bool little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
    return (struct format){.L = L, .at = luaL_checkstring(L, 1), .little = little, .align = 1};
}

/* ---- the format */

static int take_number(struct format *f, int without) {
    int64_t number = 0;
    if (!isdigit((unsigned char)*f->at)) return without;
    for (; isdigit((unsigned char)*f->at); f->at++) {
        number = number * 10 + (*f->at - '0');
        if (number > INT_MAX) luaL_error(f->L, "integral size overflow");
    }
    return (int)number;
}

static size_t integer_size(struct format *f) {
    int size = take_number(f, sizeof(int));
    if (size > INTEGER_BYTES_MAX)
        luaL_error(f->L, "integral size %d is larger than limit of %d", size, INTEGER_BYTES_MAX);
    return (size_t)size;
}

static size_t option_size(struct format *f, char option) {
    switch (option) {
    case 'b':
    case 'B':
    case 'x': return 1;
    case 'h':
    case 'H': return 2;
    case 'f': return 4;
    case 'l':
    case 'L':
    case 'T':
    case 'd': return 8;
    case 'c': return (size_t)take_number(f, 1);
    case 'i':
    case 'I': return integer_size(f);
    default: return 0;
    }
}

static bool is_integer(char option) {
    return option && strchr("bBhHlLTiI", option);
}

/* Bytes before an element of this size. The formula is for powers of two; others give what they give in Redis. */
static size_t padding(const struct format *f, size_t at, char option, size_t size) {
    if (size == 0 || option == 'c') return 0;
    if (size > f->align) size = f->align;
    return (size - (at & (size - 1))) & (size - 1);
}

static void control(struct format *f, char option) {
    int align;
    switch (option) {
    case ' ': return;
    case '>': f->little = false; return;
    case '<': f->little = true; return;
    case '!':
        align = take_number(f, ALIGN_DEFAULT);
        if (align <= 0 || (align & (align - 1)) != 0)
            luaL_error(f->L, "alignment %d is not a power of 2", align);
        f->align = (uint32_t)align;
        return;
    default: luaL_argerror(f->L, 1, lua_pushfstring(f->L, "invalid format option '%c'", option));
    }
}

/* ---- packing */

/* What a conversion in C leaves to the machine is fixed here: as x86-64 has it. */
static uint64_t integer_of(double n) {
    if (n < 0) return n >= -9223372036854775808.0 ? (uint64_t)(int64_t)n : (uint64_t)1 << 63;
    if (n < 18446744073709551616.0) return (uint64_t)n;
    return n != n ? (uint64_t)1 << 63 : 0;
}

static void put_integer(struct format *f, struct script_text *out, uint64_t value, size_t size) {
    char *bytes = script_text_reserve(f->L, out, size);
    for (size_t i = 0; i < size; i++) {
        bytes[f->little ? i : size - 1 - i] = (char)(value & 255);
        value >>= 8;
    }
    out->len += size;
}

static void put_float(struct format *f, struct script_text *out, double number, size_t size) {
    uint64_t bits = 0;
    if (size == sizeof(float)) {
        float single = (float)number;
        uint32_t single_bits;
        memcpy(&single_bits, &single, sizeof single);
        bits = single_bits;
    } else {
        memcpy(&bits, &number, sizeof bits);
    }
    put_integer(f, out, bits, size);
}

/* `size` 0: all of it. How many bytes went out. */
static size_t put_string(struct format *f, struct script_text *out, char option, int arg,
                         size_t size) {
    size_t len;
    const char *text = luaL_checklstring(f->L, arg, &len);
    if (size == 0) size = len;
    luaL_argcheck(f->L, len >= size, arg + 1, "string too short");
    script_text_put(f->L, out, text, size);
    if (option == 's') script_text_put_char(f->L, out, '\0');
    return size + (option == 's');
}

static void pack_one(struct format *f, struct script_text *out, int *arg) {
    char option = *f->at++;
    size_t size = option_size(f, option), pad = padding(f, out->len, option, size);
    memset(script_text_reserve(f->L, out, pad), 0, pad);
    out->len += pad;
    if (is_integer(option)) {
        put_integer(f, out, integer_of(luaL_checknumber(f->L, (*arg)++)), size);
    } else if (option == 'x') {
        script_text_put_char(f->L, out, '\0');
    } else if (option == 'f' || option == 'd') {
        put_float(f, out, luaL_checknumber(f->L, (*arg)++), size);
    } else if (option == 'c' || option == 's') {
        size = put_string(f, out, option, (*arg)++, size);
    } else {
        control(f, option);
    }
    script_step(f->L, &f->steps, size + 1);
}

static int pack(lua_State *L) {
    struct format f = make_format(L);
    struct script_text *out = script_text_begin(L);
    int arg = 2;
    lua_pushnil(L); /* an argument too few is nil */
    script_text_reserve(L, out, 1);
    while (*f.at) pack_one(&f, out, &arg);
    lua_pushlstring(L, out->data, out->len);
    return 1;
}

/* ---- unpacking */

static uint64_t get_integer(const struct format *f, const char *data, size_t size) {
    uint64_t value = 0;
    for (size_t i = 0; i < size; i++) {
        value = value << 8 | (unsigned char)data[f->little ? size - 1 - i : i];
    }
    return value;
}

static void push_integer(const struct format *f, const char *data, char option, size_t size) {
    uint64_t value = get_integer(f, data, size);
    if (!islower((unsigned char)option)) {
        lua_pushnumber(f->L, (lua_Number)value);
        return;
    }
    uint64_t sign = ~(uint64_t)0 << ((size * 8 - 1) & 63); /* the sign and what is above it */
    if (value & sign) value |= sign;
    lua_pushnumber(f->L, (lua_Number)(int64_t)value);
}

static void push_float(const struct format *f, const char *data, size_t size) {
    uint64_t bits = get_integer(f, data, size);
    double number;
    if (size == sizeof(float)) {
        uint32_t single_bits = (uint32_t)bits;
        float single;
        memcpy(&single, &single_bits, sizeof single);
        number = single;
    } else {
        memcpy(&number, &bits, sizeof number);
    }
    lua_pushnumber(f->L, number);
}

static void check_room(struct format *f, struct span data, size_t at, size_t size) {
    luaL_argcheck(f->L, size <= data.len && at <= data.len - size, 2, "data string too short");
}

/* "c0": its size is the number that was read before it, which goes. */
static size_t take_size(struct format *f, int *count) {
    if (*count == 0 || !lua_isnumber(f->L, -1))
        luaL_error(f->L, "format 'c0' needs a previous size");
    double size = lua_tonumber(f->L, -1);
    lua_pop(f->L, 1);
    (*count)--;
    return (size_t)integer_of(size);
}

static size_t push_characters(struct format *f, struct span data, size_t at, size_t size,
                              int *count) {
    if (size == 0) {
        size = take_size(f, count);
        check_room(f, data, at, size);
    }
    lua_pushlstring(f->L, data.data + at, size);
    return size;
}

static size_t push_terminated(struct format *f, struct span data, size_t at) {
    const char *end = memchr(data.data + at, '\0', data.len - at);
    if (!end) luaL_error(f->L, "unfinished string in data");
    size_t len = (size_t)(end - (data.data + at));
    lua_pushlstring(f->L, data.data + at, len);
    return len + 1;
}

static void unpack_one(struct format *f, struct span data, size_t *at, int *count) {
    char option = *f->at++;
    size_t size = option_size(f, option);
    *at += padding(f, *at, option, size);
    check_room(f, data, *at, size);
    luaL_checkstack(f->L, 3, "too many results");
    int before = *count;
    if (is_integer(option)) {
        push_integer(f, data.data + *at, option, size);
    } else if (option == 'f' || option == 'd') {
        push_float(f, data.data + *at, size);
    } else if (option == 'c') {
        size = push_characters(f, data, *at, size, count);
    } else if (option == 's') {
        size = push_terminated(f, data, *at);
    } else {
        if (option != 'x') control(f, option);
        before--;
    }
    *count = MIN(*count, before) + 1;
    *at += size;
    script_step(f->L, &f->steps, size + 1);
}

static int unpack(lua_State *L) {
    struct format f = make_format(L);
    struct span data;
    data.data = luaL_checklstring(L, 2, &data.len);
    size_t at = (size_t)luaL_optinteger(L, 3, 1);
    int count = 0;
    luaL_argcheck(L, at > 0, 3, "offset must be 1 or greater");
    at--;
    while (*f.at) unpack_one(&f, data, &at, &count);
    lua_pushinteger(L, (lua_Integer)at + 1);
    return count + 1;
}

static int size(lua_State *L) {
    struct format f = make_format(L);
    size_t at = 0;
    while (*f.at) {
        char option = *f.at++;
        size_t bytes = option_size(&f, option);
        at += padding(&f, at, option, bytes);
        if (option == 's') luaL_argerror(L, 1, "option 's' has no fixed size");
        if (option == 'c' && bytes == 0) luaL_argerror(L, 1, "option 'c0' has no fixed size");
        if (!isalnum((unsigned char)option)) control(&f, option);
        at += bytes;
        script_step(L, &f.steps, 1);
    }
    lua_pushinteger(L, (lua_Integer)at);
    return 1;
}

int script_open_struct(lua_State *L) {
    static const luaL_Reg functions[] = {
        {"pack", pack}, {"unpack", unpack}, {"size", size}, {NULL, NULL}};
    lua_newtable(L);
    luaL_register(L, NULL, functions);
    return 1;
}
