/* The redis table, less the calls of commands: https://redis.io/docs/latest/develop/programmability/lua-api/#redis_object */
#include <stdio.h>

#include "script/engine.h"

enum { REPL_NONE = 0, REPL_AOF = 1, REPL_REPLICA = 2, REPL_ALL = 3 };

static struct span string_at(lua_State *L, int at) {
    size_t len;
    const char *data = lua_tolstring(L, at, &len);
    return span_make(data, len);
}

/* ---- replies in words */

/* A text for {ok = ...} or {err = ...}: one string, or an error table is answered. */
static bool one_string(lua_State *L) {
    if (lua_gettop(L) == 1 && lua_type(L, 1) == LUA_TSTRING) return true;
    script_push_error(L, SPAN("ERR wrong number or type of arguments"));
    return false;
}

static int error_reply(lua_State *L) {
    if (!one_string(L)) return 1;
    struct span text = string_at(L, 1);
    /* "-" before the code is allowed; a single word is a text without a code, as in Redis. */
    if (text.len && text.data[0] == '-') {
        script_push_error(L, span_make(text.data + 1, text.len - 1));
    } else if (memchr(text.data, ' ', text.len)) {
        script_push_error(L, text);
    } else {
        lua_pushfstring(L, "ERR %s", text.data);
        script_push_error(L, string_at(L, -1));
    }
    return 1;
}

static int status_reply(lua_State *L) {
    if (!one_string(L)) return 1;
    lua_createtable(L, 0, 1);
    lua_pushvalue(L, 1);
    lua_setfield(L, -2, "ok");
    return 1;
}

static int sha1hex(lua_State *L) {
    char hex[SHA1_HEX_BYTES];
    if (lua_gettop(L) != 1) return script_raise(L, "ERR wrong number of arguments");
    size_t len;
    const char *text = lua_tolstring(L, 1, &len);
    sha1_hex(text ? span_make(text, len) : SPAN(""), hex);
    lua_pushlstring(L, hex, sizeof hex);
    return 1;
}

/* ---- choices */

static int setresp(lua_State *L) {
    struct script_run *run = script_engine_of(L)->running;
    if (lua_gettop(L) != 1) return script_raise(L, "ERR server.setresp() requires one argument.");
    lua_Number version = lua_tonumber(L, 1);
    if (version != 2 && version != 3) return script_raise(L, "ERR RESP version must be 2 or 3.");
    if (run) run->reply.protocol = (uint8_t)version;
    return 0;
}

/* Nothing is replicated; what scripts ask for is checked and taken. */
static int set_repl(lua_State *L) {
    if (lua_gettop(L) != 1) return script_raise(L, "ERR server.set_repl() requires one argument.");
    lua_Number flags = lua_tonumber(L, 1);
    if (flags < REPL_NONE || flags > REPL_ALL)
        return script_raise(L, "ERR Invalid replication flags. Use REPL_AOF, REPL_REPLICA, "
                               "REPL_ALL or REPL_NONE.");
    return 0;
}

static int replicate_commands(lua_State *L) {
    lua_pushboolean(L, 1);
    return 1;
}

/* There is no debugger: as when none is attached. */
static int breakpoint(lua_State *L) {
    lua_pushboolean(L, 0);
    return 1;
}

static int debug(lua_State *L) {
    return 0;
}

static int log_line(lua_State *L) {
    struct script_engine *engine = script_engine_of(L);
    int argc = lua_gettop(L);
    if (argc < 2) return script_raise(L, "ERR server.log() requires two arguments or more.");
    if (!lua_isnumber(L, 1))
        return script_raise(L, "ERR First argument must be a number (log level).");
    lua_Number level = lua_tonumber(L, 1);
    if (level < SCRIPT_LOG_DEBUG || level > SCRIPT_LOG_WARNING)
        return script_raise(L, "ERR Invalid log level.");
    buf_clear(&engine->text);
    for (int i = 2; i <= argc; i++) {
        size_t len;
        const char *text = lua_tolstring(L, i, &len);
        if (!text) continue;
        if (i > 2) buf_put_char(&engine->text, ' ');
        buf_put(&engine->text, text, len);
    }
    engine->callbacks->log(engine->running, (enum script_log_level)level, buf_span(&engine->text));
    buf_release(&engine->text);
    return 0;
}

/* ---- the table */

static const luaL_Reg functions[] = {
    {"call", script_lua_call},
    {"pcall", script_lua_pcall},
    {"acl_check_cmd", script_lua_acl_check},
    {"error_reply", error_reply},
    {"status_reply", status_reply},
    {"sha1hex", sha1hex},
    {"setresp", setresp},
    {"set_repl", set_repl},
    {"replicate_commands", replicate_commands},
    {"breakpoint", breakpoint},
    {"debug", debug},
    {"log", log_line},
    {NULL, NULL},
};

static const luaL_Reg loading_functions[] = {
    {"log", log_line},
    {NULL, NULL},
};

struct constant {
    const char *name; /* NULL ends the table */
    int value;
};
static const struct constant log_levels[] = {
    {"LOG_DEBUG", SCRIPT_LOG_DEBUG},
    {"LOG_VERBOSE", SCRIPT_LOG_VERBOSE},
    {"LOG_NOTICE", SCRIPT_LOG_NOTICE},
    {"LOG_WARNING", SCRIPT_LOG_WARNING},
    {NULL, 0},
};
static const struct constant repl_modes[] = {
    {"REPL_NONE", REPL_NONE},       {"REPL_AOF", REPL_AOF}, {"REPL_SLAVE", REPL_REPLICA},
    {"REPL_REPLICA", REPL_REPLICA}, {"REPL_ALL", REPL_ALL}, {NULL, 0},
};

static void put_constants(lua_State *L, const struct constant *constants) {
    for (; constants->name; constants++) {
        lua_pushinteger(L, constants->value);
        lua_setfield(L, -2, constants->name);
    }
}

/* "7.2.4" as 0x070204. */
static int version_number(const char *version) {
    int number = 0;
    for (int part = 0; part < 3; part++) {
        int value = 0;
        for (; *version >= '0' && *version <= '9'; version++) value = value * 10 + (*version - '0');
        if (*version == '.') version++;
        number = number << 8 | (value & 255);
    }
    return number;
}

static void put_version(lua_State *L, const char *prefix, const char *version) {
    lua_pushfstring(L, "%s_VERSION", prefix);
    lua_pushstring(L, version);
    lua_rawset(L, -3);
    lua_pushfstring(L, "%s_VERSION_NUM", prefix);
    lua_pushinteger(L, version_number(version));
    lua_rawset(L, -3);
}

static void put_versions(lua_State *L) {
    const struct script_engine *engine = script_engine_of(L);
    put_version(L, "REDIS", engine->redis_version);
    put_version(L, "SERVER", engine->version);
    lua_pushliteral(L, "rondo");
    lua_setfield(L, -2, "SERVER_NAME");
}

int script_open_api(lua_State *L) {
    lua_newtable(L);
    luaL_register(L, NULL, functions);
    put_constants(L, log_levels);
    put_constants(L, repl_modes);
    put_versions(L);
    return 1;
}

void script_open_loading_api(lua_State *L) {
    lua_newtable(L);
    luaL_register(L, NULL, loading_functions);
    put_constants(L, log_levels);
    put_versions(L);
}
