/* Functions of Lua's libraries that would look past a proxy, load bytecode, or work without an end that anybody could enforce: their
 * places are taken by these. */
#include "base/random.h"
#include "script/engine.h"

static int refuse(lua_State *L) {
    lua_pushliteral(L, "Attempt to modify a readonly table");
    return lua_error(L);
}

static bool is_proxy(lua_State *L, int at) {
    if (!script_push_behind(L, at)) return false;
    lua_pop(L, 1);
    return true;
}

/* The table itself at 1, when a proxy is there. */
static void look_behind(lua_State *L) {
    if (script_push_behind(L, 1)) lua_replace(L, 1);
}

/* ---- tables */

static int guarded_next(lua_State *L) {
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 2);
    look_behind(L);
    if (lua_next(L, 1)) return 2;
    lua_pushnil(L);
    return 1;
}

static int guarded_pairs(lua_State *L) {
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_pushvalue(L, 1);
    lua_pushnil(L);
    return 3;
}

static int guarded_rawget(lua_State *L) {
    luaL_checktype(L, 1, LUA_TTABLE);
    luaL_checkany(L, 2);
    lua_settop(L, 2);
    look_behind(L);
    lua_rawget(L, 1);
    return 1;
}

static int guarded_rawset(lua_State *L) {
    luaL_checktype(L, 1, LUA_TTABLE);
    luaL_checkany(L, 2);
    luaL_checkany(L, 3);
    lua_settop(L, 3);
    if (is_proxy(L, 1)) return refuse(L);
    lua_rawset(L, 1);
    return 1;
}

/* The metatables of strings and of what proxies show are shown by proxies, too. */
static int guarded_getmetatable(lua_State *L) {
    luaL_checkany(L, 1);
    bool ours = lua_type(L, 1) == LUA_TSTRING || is_proxy(L, 1);
    look_behind(L);
    if (!lua_getmetatable(L, 1)) {
        lua_pushnil(L);
        return 1;
    }
    if (ours) {
        script_push_read_only(L, lua_gettop(L));
    } else if (luaL_getmetafield(L, 1, "__metatable")) {
        return 1;
    }
    return 1;
}

static int guarded_setmetatable(lua_State *L) {
    int type = lua_type(L, 2);
    luaL_checktype(L, 1, LUA_TTABLE);
    luaL_argcheck(L, type == LUA_TNIL || type == LUA_TTABLE, 2, "nil or table expected");
    if (is_proxy(L, 1)) return refuse(L);
    if (luaL_getmetafield(L, 1, "__metatable"))
        return luaL_error(L, "cannot change a protected metatable");
    lua_settop(L, 2);
    /* With a proxy's metatable a table would pass for it; that of a proxy is its own and is never handed out. */
    lua_setmetatable(L, 1);
    return 1;
}

/* What changes its first argument. Upvalue 1: the function. */
static int guarded_change(lua_State *L) {
    if (is_proxy(L, 1)) return refuse(L);
    lua_CFunction change = (lua_CFunction)(uintptr_t)lua_touserdata(L, lua_upvalueindex(1));
    return change(L);
}

/* ---- errors. As Redis has it, what was caught of a failed command is its text. */

static int guarded_pcall(lua_State *L) {
    luaL_checkany(L, 1);
    int failed = lua_pcall(L, lua_gettop(L) - 1, LUA_MULTRET, 0);
    if (failed && lua_istable(L, -1)) {
        lua_pushliteral(L, "err");
        lua_rawget(L, -2);
        if (lua_isstring(L, -1)) {
            lua_replace(L, -2);
        } else {
            lua_pop(L, 1);
        }
    }
    luaL_checkstack(L, 1, "no room for the results");
    lua_pushboolean(L, !failed);
    lua_insert(L, 1);
    return lua_gettop(L);
}

/* ---- loading: text only */

static int bytecode(lua_State *L, const char *name) {
    lua_pushnil(L);
    lua_pushfstring(L, "[string \"%s\"]:1: unexpected symbol near 'char(27)'", name);
    return 2;
}

static int loaded(lua_State *L, int rc) {
    if (rc == 0) return 1;
    lua_pushnil(L);
    lua_insert(L, -2);
    return 2;
}

static int guarded_loadstring(lua_State *L) {
    size_t len;
    const char *text = luaL_checklstring(L, 1, &len);
    const char *name = luaL_optstring(L, 2, text);
    if (len && text[0] == LUA_SIGNATURE[0]) return bytecode(L, name);
    return loaded(L, luaL_loadbuffer(L, text, len, name));
}

struct pieces {
    bool began;
};

/* Stack: 1 the function, 2 the name, 3 the piece that is being read. */
static const char *next_piece(lua_State *L, void *context, size_t *len) {
    struct pieces *pieces = context;
    luaL_checkstack(L, 2, "too many nested functions");
    lua_pushvalue(L, 1);
    lua_call(L, 0, 1);
    if (lua_isnil(L, -1)) return NULL;
    if (!lua_isstring(L, -1)) luaL_error(L, "reader function must return a string");
    lua_replace(L, 3);
    const char *text = lua_tolstring(L, 3, len);
    if (*len && !pieces->began && text[0] == LUA_SIGNATURE[0])
        luaL_error(L, "unexpected symbol near 'char(27)'");
    pieces->began = pieces->began || *len;
    return *len ? text : NULL;
}

static int guarded_load(lua_State *L) {
    struct pieces pieces = {0};
    const char *name = luaL_optstring(L, 2, "=(load)");
    luaL_checktype(L, 1, LUA_TFUNCTION);
    lua_settop(L, 3);
    return loaded(L, lua_load(L, next_piece, &pieces, name));
}

/* ---- collecting. One script must not stop it for all. */

static int guarded_collectgarbage(lua_State *L) {
    static const char *const names[] = {"collect", "count",    "step",       "stop",
                                        "restart", "setpause", "setstepmul", NULL};
    int what = luaL_checkoption(L, 1, "collect", names);
    int step = (int)luaL_optinteger(L, 2, 0);
    switch (what) {
    case 0: lua_pushnumber(L, lua_gc(L, LUA_GCCOLLECT, 0)); break;
    case 1:
        lua_pushnumber(L, lua_gc(L, LUA_GCCOUNT, 0) + lua_gc(L, LUA_GCCOUNTB, 0) / 1024.0);
        break;
    case 2: lua_pushboolean(L, lua_gc(L, LUA_GCSTEP, step)); break;
    case 5:
    case 6: lua_pushnumber(L, 200); break;
    default: lua_pushnumber(L, 0);
    }
    return 1;
}

/* ---- string.rep: the length is known beforehand, and nothing is repeated that adds nothing. */

static int guarded_rep(lua_State *L) {
    size_t len;
    const char *text = luaL_checklstring(L, 1, &len);
    lua_Number number = luaL_checknumber(L, 2);
    size_t count = number >= 1 ? (size_t)MIN(number, 1e15) : 0;
    if (len == 0 || count == 0) {
        lua_pushliteral(L, "");
        return 1;
    }
    if (count > SIZE_MAX / 4 / len || (count * len) >> 40)
        return luaL_error(L, "resulting string too large");
    if (count == 1) {
        lua_pushvalue(L, 1);
        return 1;
    }
    char *bytes = lua_newuserdata(L, len * count);
    for (size_t i = 0; i < count; i++) memcpy(bytes + i * len, text, len);
    lua_pushlstring(L, bytes, len * count);
    return 1;
}

/* ---- math.random, with a state of its own: seeded by chance at the start, not shared with the process. */

static uint64_t *random_state(lua_State *L) {
    return lua_touserdata(L, lua_upvalueindex(1));
}

static double random_fraction(uint64_t *state) { /* splitmix64; [0, 1) */
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return (double)(z >> 11) / 9007199254740992.0;
}

static int own_random(lua_State *L) {
    double r = random_fraction(random_state(L));
    int argc = lua_gettop(L);
    if (argc == 0) {
        lua_pushnumber(L, r);
        return 1;
    }
    if (argc > 2) return luaL_error(L, "wrong number of arguments");
    double low = argc == 1 ? 1 : (double)luaL_checkint(L, 1);
    double high = (double)luaL_checkint(L, argc);
    luaL_argcheck(L, low <= high, argc, "interval is empty");
    lua_pushnumber(L, low + (double)(int64_t)(r * (high - low + 1)));
    return 1;
}

static int own_randomseed(lua_State *L) {
    *random_state(L) = (uint64_t)(int64_t)luaL_checkint(L, 1);
    return 0;
}

/* ---- putting them in their places */

static const luaL_Reg base_guards[] = {
    {"next", guarded_next},
    {"rawget", guarded_rawget},
    {"rawset", guarded_rawset},
    {"getmetatable", guarded_getmetatable},
    {"setmetatable", guarded_setmetatable},
    {"pcall", guarded_pcall},
    {"loadstring", guarded_loadstring},
    {"load", guarded_load},
    {"collectgarbage", guarded_collectgarbage},
    {NULL, NULL},
};

static void guard_changes(lua_State *L) {
    static const char *const names[] = {"insert", "remove", "sort", "setn"};
    lua_getglobal(L, "table");
    for (size_t i = 0; i < ARRAY_LENGTH(names); i++) {
        lua_getfield(L, -1, names[i]);
        lua_CFunction change = lua_tocfunction(L, -1);
        lua_pop(L, 1);
        lua_pushlightuserdata(L, (void *)(uintptr_t)change);
        lua_pushcclosure(L, guarded_change, 1);
        lua_setfield(L, -2, names[i]);
    }
    lua_pop(L, 1);
}

static void open_random(lua_State *L) {
    lua_getglobal(L, "math");
    uint64_t *state = lua_newuserdata(L, sizeof *state);
    random_bytes(state, sizeof *state);
    lua_pushvalue(L, -1);
    lua_pushcclosure(L, own_random, 1);
    lua_setfield(L, -3, "random");
    lua_pushcclosure(L, own_randomseed, 1);
    lua_setfield(L, -2, "randomseed");
    lua_pop(L, 1);
}

void script_open_guards(lua_State *L) {
    for (const luaL_Reg *guard = base_guards; guard->name; guard++) {
        lua_pushcfunction(L, guard->func);
        lua_setglobal(L, guard->name);
    }
    lua_getglobal(L, "next");
    lua_pushcclosure(L, guarded_pairs, 1);
    lua_setglobal(L, "pairs");
    guard_changes(L);
    open_random(L);
    lua_getglobal(L, "string");
    lua_pushcfunction(L, guarded_rep);
    lua_setfield(L, -2, "rep");
    lua_pop(L, 1);
}
