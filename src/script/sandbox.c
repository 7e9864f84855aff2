/* What scripts may use, and that they cannot change it.
 *
 * Stock Lua 5.1 has no read-only tables, so scripts see proxies: empty tables whose metatable reads from the real one and refuses
 * writes. The functions that would look past a metatable (rawset, next, getmetatable, ...) know of them: guards.c.
 *
 *   globals of scripts: proxy -> real globals -> "nonexistent global variable"
 *   each library:       proxy -> real table */
#include <lualib.h>

#include "script/engine.h"
#include "script/libs.h"

/* ---- proxies */

static int refuse_write(lua_State *L) {
    return luaL_error(L, "Attempt to modify a readonly table");
}

bool script_push_behind(lua_State *L, int at) {
    if (!lua_istable(L, at) || !lua_getmetatable(L, at)) return false;
    script_push_slot(L,
                     SCRIPT_SLOT_ENGINE); /* its own userdata, which no script can have: the key */
    lua_rawget(L, -2);
    lua_remove(L, -2);
    if (lua_istable(L, -1)) return true;
    lua_pop(L, 1);
    return false;
}

/* Stack: the real table. Pushes its new proxy. */
static void make_proxy(lua_State *L) {
    lua_newtable(L);
    lua_createtable(L, 0, 3);
    script_push_slot(L, SCRIPT_SLOT_ENGINE);
    lua_pushvalue(L, -4);
    lua_rawset(L, -3);
    lua_pushvalue(L, -3);
    lua_setfield(L, -2, "__index");
    lua_pushcfunction(L, refuse_write);
    lua_setfield(L, -2, "__newindex");
    lua_setmetatable(L, -2);
}

void script_push_read_only(lua_State *L, int at) {
    lua_pushvalue(L, at);
    script_push_slot(L, SCRIPT_SLOT_PROXIES);
    lua_pushvalue(L, -2);
    lua_rawget(L, -2);
    if (lua_isnil(L, -1)) {
        lua_pop(L, 1);
        lua_insert(L, -2); /* proxies, real */
        make_proxy(L);
        lua_pushvalue(L, -2);
        lua_pushvalue(L, -2);
        lua_rawset(L, -5);
    }
    lua_replace(L, -3);
    lua_settop(L, -2);
}

/* ---- globals that are not there */

static void push_arguments(lua_State *L, const struct span *items, uint32_t count) {
    luaL_checkstack(L, 3, "no room for arguments");
    lua_createtable(L, (int)count, 0);
    for (uint32_t i = 0; i < count; i++) {
        lua_pushlstring(L, items[i].data, items[i].len);
        lua_rawseti(L, -2, (int)i + 1);
    }
}

/* KEYS and ARGV come to be when they are asked for: a script that needs none costs none. */
static int make_arguments(lua_State *L, struct script_run *run, int which) {
    if (which == 0) {
        push_arguments(L, run->keys, run->key_count);
    } else {
        push_arguments(L, run->args, run->arg_count);
    }
    lua_pushvalue(L, 2);
    lua_pushvalue(L, -2);
    lua_rawset(L, 1);
    run->made_globals |= (uint8_t)(1 << which);
    return 1;
}

static int missing_global(lua_State *L) {
    struct script_run *run = script_engine_of(L)->running;
    const char *name = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : luaL_typename(L, 2);
    if (run && !run->as_arguments && lua_type(L, 2) == LUA_TSTRING) {
        if (strcmp(name, "KEYS") == 0) return make_arguments(L, run, 0);
        if (strcmp(name, "ARGV") == 0) return make_arguments(L, run, 1);
    }
    return luaL_error(L, "Script attempted to access nonexistent global variable '%s'", name);
}

void script_refuse_missing(lua_State *L, int at) {
    lua_createtable(L, 0, 1);
    lua_pushcfunction(L, missing_global);
    lua_setfield(L, -2, "__index");
    lua_setmetatable(L, at);
}

/* ---- what there is */

static const char *const base_names[] = {
    "_VERSION", "assert",   "error",    "gcinfo", "ipairs", "rawequal",
    "select",   "tonumber", "tostring", "type",   "unpack", "xpcall",
};

static const struct allowed_library {
    const char *name;
    lua_CFunction open;
    const char *only; /* one function of it; NULL: all */
} allowed_libraries[] = {
    {"table", luaopen_table, NULL},
    {"string", luaopen_string, NULL},
    {"math", luaopen_math, NULL},
    {"os", luaopen_os, "clock"},
};

static void open_library(lua_State *L, lua_CFunction open, const char *name) {
    lua_pushcfunction(L, open);
    lua_pushstring(L, name);
    lua_call(L, 1, 0);
}

/* Stack: the new globals at `to`. */
static void copy_base(lua_State *L, int to) {
    open_library(L, luaopen_base, "");
    for (size_t i = 0; i < ARRAY_LENGTH(base_names); i++) {
        lua_getglobal(L, base_names[i]);
        lua_setfield(L, to, base_names[i]);
    }
    lua_getglobal(L, "coroutine");
    lua_setfield(L, to, "coroutine");
}

static void copy_libraries(lua_State *L, int to) {
    for (size_t i = 0; i < ARRAY_LENGTH(allowed_libraries); i++) {
        const struct allowed_library *library = &allowed_libraries[i];
        open_library(L, library->open, library->name);
        lua_getglobal(L, library->name);
        if (library->only) {
            lua_getfield(L, -1, library->only);
            lua_newtable(L);
            lua_insert(L, -2);
            lua_setfield(L, -2, library->only);
            lua_replace(L, -2);
        }
        lua_setfield(L, to, library->name);
    }
}

static void add_api(lua_State *L, int to) {
    lua_pushcfunction(L, script_open_api);
    lua_call(L, 0, 1);
    lua_pushvalue(L, -1);
    lua_setfield(L, to, "redis");
    lua_setfield(L, to, "server");
}

/* Each table among the globals is shown by its proxy. */
static void close_off(lua_State *L, int to) {
    lua_pushnil(L);
    while (lua_next(L, to)) {
        if (lua_istable(L, -1)) {
            script_push_read_only(L, lua_gettop(L));
            lua_pushvalue(L, -3);
            lua_insert(L, -2);
            lua_rawset(L, to); /* of a key that is there: lua_next goes on */
        }
        lua_pop(L, 1);
    }
    script_refuse_missing(L, to);
    script_push_read_only(L, to);
    lua_pushvalue(L, -1);
    lua_setfield(L, to, "_G");
}

void script_open_sandbox(lua_State *L) {
    lua_newuserdata(L, 1);
    script_set_slot(L, SCRIPT_SLOT_ENGINE);
    lua_newtable(L);
    script_set_slot(L, SCRIPT_SLOT_PROXIES);
    lua_newtable(L);
    int to = lua_gettop(L);
    lua_pushvalue(L, to);
    script_set_slot(L, SCRIPT_SLOT_GLOBALS);
    copy_base(L, to);
    copy_libraries(L, to);
    add_api(L, to);
    lua_pushvalue(L, to);
    lua_replace(L, LUA_GLOBALSINDEX);
    script_open_guards(L);
    script_open_patterns(L);
    script_open_libs(L);
    close_off(L, to);
    lua_replace(L, LUA_GLOBALSINDEX); /* chunks that are compiled from now on see the proxy */
    lua_settop(L, 0);
}
