/* Loading a library: the globals' proxy shows other globals meanwhile, which have redis.register_function and little else.
 *
 *   loading:   proxy -> {redis, server} -> "nonexistent global variable"
 *   otherwise: proxy -> the globals of scripts
 *
 * What a function looks up when it is called it finds among the latter, although it was made while the library was loaded. */
#include "script/library.h"

#include <stdio.h>

#include "base/clock.h"
#include "script/engine.h"

#define NAME "server.register_function"

/* Where the arguments of register_function are put, whatever way they came. */
enum { AT_NAME = 2, AT_DESCRIPTION, AT_CALLBACK, AT_COUNT = AT_CALLBACK };

/* ---- register_function */

static struct span string_at(lua_State *L, int at) {
    size_t len;
    const char *data = lua_tolstring(L, at, &len);
    return data ? span_make(data, len) : (struct span){0};
}

/* Stack: the list of flags on top. */
static bool read_flags(lua_State *L, uint32_t *flags) {
    for (int i = 1;; i++) {
        lua_pushinteger(L, i);
        lua_gettable(L, -2);
        if (lua_isnil(L, -1)) break;
        uint32_t flag = lua_isstring(L, -1) ? script_flag_named(string_at(L, -1), true) : 0;
        if (!flag) return false;
        *flags |= flag;
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
    return true;
}

/* One pair of the table: its value is on top and stays there. The error's text, or NULL. */
static const char *take_named(lua_State *L, struct span key, uint32_t *flags) {
    if (span_is(key, "function_name")) {
        if (!lua_isstring(L, -1))
            return "ERR function_name argument given to " NAME " must be a string";
        lua_pushvalue(L, -1);
        lua_replace(L, AT_NAME);
    } else if (span_is(key, "description")) {
        if (!lua_isstring(L, -1))
            return "ERR description argument given to " NAME " must be a string";
        lua_pushvalue(L, -1);
        lua_replace(L, AT_DESCRIPTION);
    } else if (span_is(key, "callback")) {
        if (!lua_isfunction(L, -1))
            return "ERR callback argument given to " NAME " must be a function";
        lua_pushvalue(L, -1);
        lua_replace(L, AT_CALLBACK);
    } else if (span_is(key, "flags")) {
        if (!lua_istable(L, -1))
            return "ERR flags argument to " NAME " must be a table representing function flags";
        if (!read_flags(L, flags)) return "ERR unknown flag given";
    } else {
        return "ERR unknown argument given to " NAME;
    }
    return NULL;
}

/* {function_name = ..., callback = ..., description = ..., flags = {...}} */
static const char *read_named(lua_State *L, uint32_t *flags) {
    if (!lua_istable(L, 1))
        return "ERR calling " NAME
               " with a single argument is only applicable to Lua table (representing "
               "named arguments).";
    lua_settop(L, AT_COUNT);
    lua_pushnil(L);
    while (lua_next(L, 1)) {
        if (!lua_isstring(L, -2)) return "ERR named argument key given to " NAME " is not a string";
        lua_pushvalue(
            L, -2); /* a number would be turned into a string in its place, which ends lua_next */
        lua_insert(L, -2);
        const char *error = take_named(L, string_at(L, -2), flags);
        if (error) return error;
        lua_pop(L, 2);
    }
    if (lua_isnil(L, AT_NAME)) return "ERR " NAME " must get a function name argument";
    if (lua_isnil(L, AT_CALLBACK)) return "ERR " NAME " must get a callback argument";
    return NULL;
}

static const char *read_positional(lua_State *L) {
    if (!lua_isstring(L, 1)) return "ERR first argument to " NAME " must be a string";
    if (!lua_isfunction(L, 2)) return "ERR second argument to " NAME " must be a function";
    lua_settop(L, AT_COUNT);
    lua_pushvalue(L, 2);
    lua_replace(L, AT_CALLBACK);
    lua_pushvalue(L, 1);
    lua_replace(L, AT_NAME);
    return NULL;
}

static int register_function(lua_State *L) {
    struct script_engine *engine = script_engine_of(L);
    struct script_loading *loading = engine->loading;
    struct script_registration registration = {0};
    int argc = lua_gettop(L);
    if (!loading)
        return script_raise(L, "ERR " NAME " can only be called on FUNCTION LOAD command");
    if (argc < 1 || argc > 2) return script_raise(L, "ERR wrong number of arguments to " NAME);
    const char *error = argc == 1 ? read_named(L, &registration.flags) : read_positional(L);
    if (error) return script_raise(L, error);
    registration.name = string_at(L, AT_NAME);
    registration.description = string_at(L, AT_DESCRIPTION);
    lua_pushvalue(L, AT_CALLBACK);
    registration.function = luaL_ref(L, LUA_REGISTRYINDEX);
    error = loading->registered(loading->context, &registration);
    if (!error) return 0;
    luaL_unref(L, LUA_REGISTRYINDEX, registration.function);
    return script_raise(L, error);
}

/* ---- the globals while a library is loaded */

static void make_globals(lua_State *L) {
    lua_newtable(L);
    int globals = lua_gettop(L);
    script_open_loading_api(L);
    lua_pushcfunction(L, register_function);
    lua_setfield(L, -2, "register_function");
    script_refuse_missing(L, lua_gettop(L));
    script_push_read_only(L, lua_gettop(L));
    lua_pushvalue(L, -1);
    lua_setfield(L, globals, "redis");
    lua_setfield(L, globals, "server");
    script_refuse_missing(L, globals);
    lua_settop(L, globals);
    lua_pushvalue(L, globals);
    script_set_slot(L, SCRIPT_SLOT_LOADING);
}

/* Pops a table: what the globals' proxy shows from now on. */
static void show_globals(lua_State *L) {
    lua_getmetatable(L, LUA_GLOBALSINDEX);
    lua_insert(L, -2);
    lua_setfield(L, -2, "__index");
    lua_pop(L, 1);
}

/* ---- loading */

static int run_library(lua_State *L) {
    const script_function *function = lua_touserdata(L, 1);
    script_push_slot(L, SCRIPT_SLOT_LOADING);
    if (lua_isnil(L, -1)) {
        lua_pop(L, 1);
        make_globals(L);
    }
    show_globals(L);
    lua_rawgeti(L, LUA_REGISTRYINDEX, *function);
    lua_call(L, 0, 0);
    return 0;
}

void script_check_loading(lua_State *L) {
    const struct script_loading *loading = script_engine_of(L)->loading;
    uint64_t spent_ms = clock_ticks_to_ns(clock_ticks() - loading->began_ticks) / 1000000;
    if (spent_ms >= loading->time_ms_max) script_raise(L, "ERR FUNCTION LOAD timeout");
}

/* What was raised is on top. */
static void put_error(lua_State *L, char *error, size_t size) {
    const char *code = "ERR ";
    if (lua_istable(L, -1)) {
        lua_pushliteral(L, "err");
        lua_rawget(L, -2);
        code = "";
    }
    const char *text = lua_tostring(L, -1);
    snprintf(error, size, "Error registering functions: %s%s", text ? code : "ERR ",
             text ? text : "unknown error");
}

int script_load_library(struct script_loading *loading, struct span code, char *error,
                        size_t size) {
    struct script_engine *engine = loading->engine;
    lua_State *L = engine->lua;
    int top = lua_gettop(L);
    char message[512];
    script_function function;
    if (script_compile(engine, code, "@user_function", &function, message, sizeof message) < 0) {
        snprintf(error, size, "Error compiling function: %s", message);
        return -1;
    }
    loading->began_ticks = clock_ticks();
    engine->loading = loading;
    int rc = lua_cpcall(L, run_library, &function);
    engine->loading = NULL;
    engine->unbounded = true;
    if (rc) put_error(L, error, size);
    script_push_slot(L, SCRIPT_SLOT_GLOBALS);
    show_globals(L);
    lua_settop(L, top);
    script_function_release(engine, function);
    engine->unbounded = false;
    if (rc == LUA_ERRMEM) lua_gc(L, LUA_GCCOLLECT, 0);
    return rc ? -1 : 0;
}
