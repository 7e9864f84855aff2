/* The interpreter's life, its memory, compiling and running. */
#include "script/engine.h"

#include <lualib.h>
#include <stdio.h>

#include "base/alloc.h"
#include "base/check.h"
#include "base/clock.h"
#include "script/text.h"

static const char slots[SCRIPT_SLOT_COUNT];

void script_push_slot(lua_State *L, enum script_slot slot) {
    lua_pushlightuserdata(L, (void *)(uintptr_t)&slots[slot]);
    lua_rawget(L, LUA_REGISTRYINDEX);
}

void script_set_slot(lua_State *L, enum script_slot slot) {
    lua_pushlightuserdata(L, (void *)(uintptr_t)&slots[slot]);
    lua_insert(L, -2);
    lua_rawset(L, LUA_REGISTRYINDEX);
}

/* ---- memory. Lua's allocator function gives the state that it was made with: the engine. */

static void *allocate(void *context, void *p, size_t old_bytes, size_t new_bytes) {
    struct script_engine *engine = context;
    if (new_bytes == 0) {
        engine->used_bytes -= old_bytes;
        mem_free(p);
        return NULL;
    }
    bool grows = new_bytes > old_bytes;
    if (grows && engine->max_bytes && !engine->unbounded &&
        engine->used_bytes + (new_bytes - old_bytes) > engine->max_bytes)
        return NULL;
    void *result = engine->unbounded ? mem_realloc(p, new_bytes) : mem_try_realloc(p, new_bytes);
    if (!result && !grows) return p; /* Lua counts on shrinking */
    if (result) engine->used_bytes += new_bytes - old_bytes;
    return result;
}

struct script_engine *script_engine_of(lua_State *L) {
    void *engine;
    lua_getallocf(L, &engine);
    return engine;
}

bool script_available(void) {
    return true;
}

size_t script_memory_bytes(const struct script_engine *engine) {
    return engine ? engine->used_bytes : 0;
}

void script_set_memory_max(struct script_engine *engine, size_t bytes) {
    if (engine) engine->max_bytes = bytes;
}

/* ---- ending what takes too long */

/* A killed script is stopped at every line from then on: it cannot catch its end. */
static void hook(lua_State *L, lua_Debug *unused) {
    script_check(L);
}

void script_check(lua_State *L) {
    struct script_engine *engine = script_engine_of(L);
    struct script_run *run = engine->running;
    if (engine->loading) script_check_loading(L);
    if (!run) return;
    if (!run->killed && engine->callbacks->interrupt(run)) run->killed = true;
    if (!run->killed) return;
    lua_sethook(L, hook, LUA_MASKCOUNT | LUA_MASKLINE, 1);
    script_raise(L, run->as_arguments ? "ERR Script killed by user with FUNCTION KILL."
                                      : "ERR Script killed by user with SCRIPT KILL.");
}

static void set_usual_hook(lua_State *L) {
    lua_sethook(L, hook, LUA_MASKCOUNT, SCRIPT_HOOK_COUNT);
}

/* ---- the protected part of a run */

static void push_spans(lua_State *L, const struct span *items, uint32_t count) {
    lua_createtable(L, (int)count, 0);
    for (uint32_t i = 0; i < count; i++) {
        lua_pushlstring(L, items[i].data, items[i].len);
        lua_rawseti(L, -2, (int)i + 1);
    }
}

/* Stack: the run, the script's function. */
static int execute(lua_State *L) {
    struct script_run *run = lua_touserdata(L, 1);
    int argc = 0;
    lua_rawgeti(L, LUA_REGISTRYINDEX, run->function);
    if (run->as_arguments) {
        push_spans(L, run->keys, run->key_count);
        push_spans(L, run->args, run->arg_count);
        argc = 2;
    }
    lua_call(L, argc, 1);
    return 1;
}

/* Turns what was raised into {err, source, line}, while the stack still tells where. */
static int on_error(lua_State *L) {
    lua_Debug at;
    bool known = lua_getstack(L, 1, &at) && lua_getinfo(L, "nSl", &at);
    if (known && at.what && strcmp(at.what, "C") == 0)
        known = lua_getstack(L, 2, &at) && lua_getinfo(L, "nSl", &at);
    if (!lua_istable(L, 1)) {
        const char *text = lua_tostring(L, 1);
        if (!text) text = lua_isnil(L, 1) ? "nil" : luaL_typename(L, 1);
        lua_newtable(L);
        lua_pushfstring(L, "ERR %s", text);
        lua_setfield(L, -2, "err");
        lua_replace(L, 1);
    }
    lua_settop(L, 1);
    if (!known) return 1;
    lua_pushstring(L, "source");
    lua_pushstring(L, at.source);
    lua_rawset(L, 1);
    lua_pushstring(L, "line");
    lua_pushinteger(L, at.currentline);
    lua_rawset(L, 1);
    return 1;
}

/* Fixed places at the bottom of the main stack: what every run pushes. */
enum { STACK_ON_ERROR = 1, STACK_EXECUTE = 2, STACK_GLOBALS = 3 };

/* KEYS and ARGV are made when a script asks for them, and are gone with it. */
static void drop_globals(lua_State *L, struct script_run *run) {
    static const char *const names[] = {"KEYS", "ARGV"};
    for (int i = 0; i < 2; i++) {
        if (!(run->made_globals & 1 << i)) continue;
        lua_pushstring(L, names[i]);
        lua_pushnil(L);
        lua_rawset(L, STACK_GLOBALS);
    }
}

void script_execute(struct script_run *run) {
    struct script_engine *engine = run->engine;
    lua_State *L = engine->lua;
    int top = lua_gettop(L);
    DCHECK(!engine->running);
    run->reply = (struct reply){.out = &engine->replies, .protocol = 2};
    run->wrote = run->killed = run->busy = false;
    run->made_globals = 0;
    engine->running = run;
    lua_pushvalue(L, STACK_EXECUTE);
    lua_pushlightuserdata(L, run);
    int rc = lua_pcall(L, 1, 1, STACK_ON_ERROR);
    engine->unbounded = true;
    if (run->killed) set_usual_hook(L);
    if (rc) {
        script_answer_error(L, run);
    } else {
        script_answer(L, run);
    }
    lua_settop(L, top);
    drop_globals(L, run);
    engine->running = NULL;
    engine->unbounded = false;
    if (rc == LUA_ERRMEM) lua_gc(L, LUA_GCCOLLECT, 0);
    if (engine->replies.head) chunk_list_clear(&engine->replies);
    if (engine->flat.capacity) buf_release(&engine->flat);
    script_text_trim(engine, false);
}

/* ---- compiling */

static void take_message(lua_State *L, char *error, size_t size) {
    const char *text = lua_tostring(L, -1);
    snprintf(error, size, "%s", text ? text : "unknown error");
}

int script_compile(struct script_engine *engine, struct span text, const char *chunk_name,
                   script_function *out, char *error, size_t size) {
    lua_State *L = engine->lua;
    int top = lua_gettop(L);
    if (text.len && text.data[0] == LUA_SIGNATURE[0]) {
        snprintf(error, size, "%s:1: unexpected symbol near 'char(27)'", chunk_name + 1);
        return -1;
    }
    int rc = luaL_loadbuffer(L, text.data ? text.data : "", text.len, chunk_name);
    if (rc) {
        take_message(L, error, size);
        lua_settop(L, top);
        return -1;
    }
    engine->unbounded = true;
    *out = luaL_ref(L, LUA_REGISTRYINDEX);
    engine->unbounded = false;
    return 0;
}

void script_collect(struct script_engine *engine) {
    lua_gc(engine->lua, LUA_GCCOLLECT, 0);
}

void script_function_release(struct script_engine *engine, script_function function) {
    luaL_unref(engine->lua, LUA_REGISTRYINDEX, function);
}

/* ---- making and ending */

static int open_all(lua_State *L) {
    script_open_sandbox(L);
    return 0;
}

static void fill_stack(lua_State *L) {
    lua_pushcfunction(L, on_error);
    lua_pushcfunction(L, execute);
    script_push_slot(L, SCRIPT_SLOT_GLOBALS);
    DCHECK(lua_gettop(L) == STACK_GLOBALS);
}

struct script_engine *script_engine_new(const struct script_options *options) {
    struct script_engine *engine = mem_zalloc(sizeof *engine);
    engine->callbacks = options->callbacks;
    engine->redis_version = options->redis_version;
    engine->version = options->version;
    chunk_list_init(&engine->replies, options->chunks, &engine->copied_bytes,
                    &engine->referenced_bytes);
    engine->lua = lua_newstate(allocate, engine);
    if (!engine->lua || lua_cpcall(engine->lua, open_all, NULL) != 0) {
        script_engine_free(engine);
        return NULL;
    }
    lua_settop(engine->lua, 0);
    fill_stack(engine->lua);
    set_usual_hook(engine->lua);
    engine->max_bytes = options->memory_bytes_max;
    return engine;
}

void script_engine_free(struct script_engine *engine) {
    if (!engine) return;
    if (engine->lua) {
        script_text_trim(engine, true);
        lua_close(engine->lua);
    }
    buf_release(&engine->flat);
    buf_release(&engine->text);
    mem_free(engine);
}
