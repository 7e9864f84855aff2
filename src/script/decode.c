/* A command's reply, which lies in the engine's chunks as it would go to a client, as a Lua value: read where it lies.
 *
 * A sink of Lua calls behind reply.h was considered: every reply function of every command would have to look whether it has one. What is
 * written here is found in the cache a moment later, so reading it costs a few nanoseconds a value, and others nothing.
 * Hot path: read_value, for integers, bulk strings and flat arrays. */
#include "base/check.h"
#include "script/engine.h"

static const char *read_value(lua_State *L, const char *at);

/* A number up to the line end; what was written by reply.c needs no checks. */
INLINE const char *read_number(const char *at, int64_t *out) {
    bool negative = *at == '-';
    int64_t value = 0;
    for (at += negative; *at != '\r'; at++) value = value * 10 + (*at - '0');
    *out = negative ? (int64_t)(0 - (uint64_t)value) : value;
    return at + 2;
}

static struct span read_line(const char **at) {
    const char *end = *at;
    while (*end != '\r') end++;
    struct span line = span_make(*at, (size_t)(end - *at));
    *at = end + 2;
    return line;
}

static void set_field(lua_State *L, const char *name) { /* of the table below the value on top */
    lua_pushstring(L, name);
    lua_insert(L, -2);
    lua_rawset(L, -3);
}

static const char *read_status(lua_State *L, const char *at) {
    struct span line = read_line(&at);
    lua_createtable(L, 0, 1);
    lua_pushlstring(L, line.data, line.len);
    set_field(L, "ok");
    return at;
}

static const char *read_error(lua_State *L, const char *at) {
    struct span line = read_line(&at);
    lua_createtable(L, 0, 2);
    lua_pushlstring(L, line.data, line.len);
    set_field(L, "err");
    lua_pushboolean(L, 1);
    set_field(L, "ignore_error_stats_update");
    return at;
}

INLINE const char *read_bulk(lua_State *L, const char *at) {
    int64_t len;
    at = read_number(at, &len);
    if (len < 0) {
        lua_pushboolean(L, 0);
        return at;
    }
    lua_pushlstring(L, at, (size_t)len);
    return at + len + 2;
}

static const char *read_array(lua_State *L, const char *at) {
    int64_t count;
    at = read_number(at, &count);
    if (count < 0) {
        lua_pushboolean(L, 0);
        return at;
    }
    luaL_checkstack(L, 8, "too many nested replies");
    lua_createtable(L, (int)count, 0);
    for (int64_t i = 1; i <= count; i++) {
        at = read_value(L, at);
        lua_rawseti(L, -2, (int)i);
    }
    return at;
}

/* {map = {...}} and {set = {member = true}}: what is RESP3's own stands in a table that says so. */
static const char *read_map(lua_State *L, const char *at) {
    int64_t count;
    at = read_number(at, &count);
    luaL_checkstack(L, 8, "too many nested replies");
    lua_createtable(L, 0, 1);
    lua_createtable(L, 0, (int)count);
    for (int64_t i = 0; i < count; i++) {
        at = read_value(L, at);
        at = read_value(L, at);
        lua_rawset(L, -3);
    }
    set_field(L, "map");
    return at;
}

static const char *read_set(lua_State *L, const char *at) {
    int64_t count;
    at = read_number(at, &count);
    luaL_checkstack(L, 8, "too many nested replies");
    lua_createtable(L, 0, 1);
    lua_createtable(L, 0, (int)count);
    for (int64_t i = 0; i < count; i++) {
        at = read_value(L, at);
        lua_pushboolean(L, 1);
        lua_rawset(L, -3);
    }
    set_field(L, "set");
    return at;
}

static const char *read_double(lua_State *L, const char *at) {
    struct span line = read_line(&at);
    double value = 0;
    if (!num_parse_double(line, &value)) value = __builtin_nan("");
    lua_createtable(L, 0, 1);
    lua_pushnumber(L, value);
    set_field(L, "double");
    return at;
}

static const char *read_big_number(lua_State *L, const char *at) {
    struct span line = read_line(&at);
    lua_createtable(L, 0, 1);
    lua_pushlstring(L, line.data, line.len);
    set_field(L, "big_number");
    return at;
}

static const char *read_verbatim(lua_State *L, const char *at) {
    int64_t len;
    at = read_number(at, &len);
    lua_createtable(L, 0, 1);
    lua_createtable(L, 0, 2);
    lua_pushlstring(L, at, 3);
    set_field(L, "format");
    lua_pushlstring(L, at + 4, (size_t)len - 4);
    set_field(L, "string");
    set_field(L, "verbatim_string");
    return at + len + 2;
}

/* The attribute goes by; what it is of follows. */
static const char *skip_attribute(lua_State *L, const char *at) {
    at = read_map(L, at);
    lua_pop(L, 1);
    return read_value(L, at);
}

static const char *read_value(lua_State *L, const char *at) {
    int64_t number;
    switch (*at) {
    case '$': return read_bulk(L, at + 1);
    case ':':
        at = read_number(at + 1, &number);
        lua_pushnumber(L, (lua_Number)number);
        return at;
    case '*':
    case '>': return read_array(L, at + 1);
    case '+': return read_status(L, at + 1);
    case '-': return read_error(L, at + 1);
    case '_': lua_pushnil(L); return at + 3;
    case '#': lua_pushboolean(L, at[1] == 't'); return at + 4;
    case ',': return read_double(L, at + 1);
    case '%': return read_map(L, at + 1);
    case '~': return read_set(L, at + 1);
    case '(': return read_big_number(L, at + 1);
    case '=': return read_verbatim(L, at + 1);
    case '|': return skip_attribute(L, at + 1);
    default: CHECK(!"a reply of an unknown type"); return at;
    }
}

/* Several chunks: put together first. */
static const char *flatten(lua_State *L, struct script_engine *engine) {
    struct chunk_list *list = &engine->replies;
    buf_clear(&engine->flat);
    if (buf_try_reserve(&engine->flat, chunk_list_bytes(list) + 1) < 0)
        luaL_error(L, "not enough memory");
    for (const struct chunk *c = list->head; c; c = c->next) {
        struct span bytes = chunk_list_span(list, c);
        buf_put_span(&engine->flat, bytes);
    }
    return engine->flat.data;
}

void script_push_reply(lua_State *L, struct script_engine *engine) {
    struct chunk_list *list = &engine->replies;
    const struct chunk *head = list->head;
    if (UNLIKELY(!head)) { /* a command that answers nothing */
        lua_pushboolean(L, 0);
        return;
    }
    read_value(L, head->next ? flatten(L, engine) : chunk_list_span(list, head).data);
    chunk_list_rewind(list);
}
