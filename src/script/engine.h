/* Inside src/script only: the engine's parts. Whoever runs inside of Lua may be left by a Lua error at any call of the interpreter that
 * can fail: memory that is not Lua's hangs on the engine, not on the C stack. */
#ifndef SCRIPT_ENGINE_H
#define SCRIPT_ENGINE_H

#include <lauxlib.h>
#include <lua.h>

#include "base/buf.h"
#include "base/chunk.h"
#include "script/script.h"

struct script_text { /* text.h */
    char *data;
    size_t len, capacity;
};

struct script_engine {
    lua_State *lua;
    const struct script_callbacks *callbacks;
    const char *redis_version, *version;
    size_t used_bytes, max_bytes;
    bool unbounded;             /* while an answer is written: nothing there may fail */
    struct script_run *running;
    struct script_loading *loading; /* library.h */
    struct chunk_list replies;  /* of the command that redis.call runs */
    uint64_t copied_bytes, referenced_bytes; /* chunk_list's counters */
    struct buf flat;            /* a reply that took several chunks, in one piece */
    struct buf text;            /* what api functions put together */
    struct script_text built;   /* what libraries put together */
};

/* The engine behind a state. */
struct script_engine *script_engine_of(lua_State *L);

/* What the hook does, for C code that takes long: others may be served, and a killed script is left by an error. */
void script_check(lua_State *L);
void script_check_loading(lua_State *L); /* library.c */

/* Slots of the registry, by the address of these names' rows. */
enum script_slot {
    SCRIPT_SLOT_ENGINE, SCRIPT_SLOT_GLOBALS /* the real table behind the proxy */, SCRIPT_SLOT_PROXIES,
    SCRIPT_SLOT_LOADING /* the globals while a library is loaded */, SCRIPT_SLOT_COUNT
};
void script_push_slot(lua_State *L, enum script_slot slot);
void script_set_slot(lua_State *L, enum script_slot slot); /* pops the value */

/* Opens what scripts may use and closes it off. sandbox.c */
void script_open_sandbox(lua_State *L);
/* Pushes a table that shows the one at `at` and cannot be changed. The same one each time. */
void script_push_read_only(lua_State *L, int at);
/* The table behind a proxy: pushed, true. sandbox.c */
bool script_push_behind(lua_State *L, int at);
/* What the table at `at` does not have is a "nonexistent global variable". sandbox.c */
void script_refuse_missing(lua_State *L, int at);
void script_open_guards(lua_State *L);   /* the functions that know of proxies, into the globals. guards.c */
void script_open_patterns(lua_State *L); /* string.find and its like, into the globals. pattern_lib.c */

/* redis.*: the table is left on the stack. api.c; call and pcall: call.c */
int script_open_api(lua_State *L);
void script_open_loading_api(lua_State *L); /* what a library may use while it is loaded, but register_function */
int script_lua_call(lua_State *L);
int script_lua_pcall(lua_State *L);
int script_lua_acl_check(lua_State *L);

/* {err = text}: "-" before the code goes, "ERR " is put where there is none. */
void script_push_error(lua_State *L, struct span text);
/* Raises it. */
int script_raise(lua_State *L, const char *text);

/* The captured reply as one Lua value. decode.c */
void script_push_reply(lua_State *L, struct script_engine *engine);
/* The value on top as the client's reply; pops it. encode.c */
void script_answer(lua_State *L, struct script_run *run);
/* An error that ended the script. */
void script_answer_error(lua_State *L, struct script_run *run);

#endif
