/* Lua values to replies: https://redis.io/docs/latest/develop/programmability/lua-api/#data-type-conversion
 *
 * Nothing in here runs Lua code or raises: tables are read raw. */
#include "script/engine.h"

enum { STACK_NEEDED = 6 };

static void write_value(lua_State *L, struct script_run *run);

/* Pushes the table's field: the table is on top. */
static int raw_field(lua_State *L, const char *name) {
    lua_pushstring(L, name);
    lua_rawget(L, -2);
    return lua_type(L, -1);
}

static struct span string_at(lua_State *L, int at) {
    size_t len;
    const char *data = lua_tolstring(L, at, &len);
    return span_make(data, len);
}

/* ---- errors: the table is on top. */

/* An error that was counted when its command failed is not counted as the script's, too. */
static void hide_from_statistics(lua_State *L, struct reply *out) {
    raw_field(L, "ignore_error_stats_update");
    if (lua_toboolean(L, -1)) out->error_code[0] = '\0';
    lua_pop(L, 1);
}

static void write_error_text(struct reply *out, struct span text) {
    reply_errorf(out, "%.*s", (int)MIN(text.len, (size_t)INT32_MAX), text.data ? text.data : "");
}

static bool write_error(lua_State *L, struct script_run *run) {
    if (raw_field(L, "err") != LUA_TSTRING) {
        lua_pop(L, 1);
        return false;
    }
    struct span text = string_at(L, -1);
    if (text.len && text.data[0] == '-') text = span_make(text.data + 1, text.len - 1);
    write_error_text(run->out, text);
    lua_pop(L, 1);
    hide_from_statistics(L, run->out);
    return true;
}

void script_answer_error(lua_State *L, struct script_run *run) {
    if (!lua_istable(L, -1)) { /* no memory: the handler did not run, or failed itself */
        const char *text = lua_tostring(L, -1);
        reply_errorf(run->out, "ERR %s script: %.*s, on @user_script.",
                     text ? text : "not enough memory", (int)run->name.len, run->name.data);
        return;
    }
    raw_field(L, "source");
    lua_pushvalue(L, -2);
    raw_field(L, "line");
    lua_remove(L, -2);
    lua_pushvalue(L, -3);
    bool has_text = raw_field(L, "err") == LUA_TSTRING;
    lua_remove(L, -2);
    /* Stack: the table, source, line, err. */
    struct span text = has_text ? string_at(L, -1) : SPAN("ERR unknown error");
    const char *source = lua_type(L, -3) == LUA_TSTRING ? lua_tostring(L, -3) : NULL;
    if (source && lua_isnumber(L, -2)) {
        reply_errorf(run->out, "%.*s script: %.*s, on %s:%lld.", (int)MIN(text.len, 65536u),
                     text.data, (int)run->name.len, run->name.data, source,
                     (long long)lua_tointeger(L, -2));
    } else {
        write_error_text(run->out, text);
    }
    lua_pop(L, 3);
    hide_from_statistics(L, run->out);
}

/* ---- tables with a meaning: true when the field is there; the table stays on top. */

static bool write_status(lua_State *L, struct script_run *run) {
    bool is = raw_field(L, "ok") == LUA_TSTRING;
    if (is) reply_status(run->out, lua_tostring(L, -1));
    lua_pop(L, 1);
    return is;
}

static bool write_double(lua_State *L, struct script_run *run) {
    bool is = raw_field(L, "double") == LUA_TNUMBER;
    if (is) reply_double(run->out, lua_tonumber(L, -1));
    lua_pop(L, 1);
    return is;
}

static bool write_map(lua_State *L, struct script_run *run) {
    bool is = raw_field(L, "map") == LUA_TTABLE;
    if (is) {
        uint64_t pairs = 0;
        struct chunk *mark = reply_mark(run->out);
        lua_pushnil(L);
        while (lua_next(L, -2)) {
            lua_pushvalue(L, -2);
            write_value(L, run);
            write_value(L, run);
            pairs++;
        }
        reply_fill_map(run->out, mark, pairs);
    }
    lua_pop(L, 1);
    return is;
}

static bool write_set(lua_State *L, struct script_run *run) {
    bool is = raw_field(L, "set") == LUA_TTABLE;
    if (is) {
        uint64_t count = 0;
        struct chunk *mark = reply_mark(run->out);
        lua_pushnil(L);
        while (lua_next(L, -2)) {
            lua_pop(L, 1);
            lua_pushvalue(L, -1);
            write_value(L, run);
            count++;
        }
        reply_fill_set(run->out, mark, count);
    }
    lua_pop(L, 1);
    return is;
}

static bool write_big_number(lua_State *L, struct script_run *run) {
    bool is = raw_field(L, "big_number") == LUA_TSTRING;
    if (is) {
        struct span digits = string_at(L, -1);
        char *text = lua_newuserdata(L, digits.len + 1);
        for (size_t i = 0; i <= digits.len; i++) {
            char c = digits.data[i];
            text[i] = c == '\r' || c == '\n' ? ' ' : c;
        }
        reply_big_number(run->out, text);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
    return is;
}

static bool write_verbatim(lua_State *L, struct script_run *run) {
    bool is = raw_field(L, "verbatim_string") == LUA_TTABLE;
    if (is) {
        bool has_format = raw_field(L, "format") == LUA_TSTRING;
        lua_pushvalue(L, -2);
        is = raw_field(L, "string") == LUA_TSTRING && has_format;
        if (is) {
            char extension[4] = "   ";
            struct span format = string_at(L, -3);
            memcpy(extension, format.data, MIN(format.len, (size_t)3));
            reply_verbatim(run->out, extension, string_at(L, -1));
        }
        lua_pop(L, 3);
    }
    lua_pop(L, 1);
    return is;
}

static void write_array(lua_State *L, struct script_run *run) {
    uint64_t count = 0;
    size_t len = lua_objlen(L, -1);
    bool whole = true; /* up to the first nil, which a border need not be */
    for (size_t i = 1; i <= len && whole; i++) {
        lua_rawgeti(L, -1, (int)i);
        whole = !lua_isnil(L, -1);
        lua_pop(L, 1);
        if (whole) count++;
    }
    reply_array(run->out, count);
    for (uint64_t i = 1; i <= count; i++) {
        lua_rawgeti(L, -1, (int)i);
        write_value(L, run);
    }
}

static void write_table(lua_State *L, struct script_run *run) {
    if (write_error(L, run) || write_status(L, run) || write_double(L, run) || write_map(L, run) ||
        write_set(L, run) || write_big_number(L, run) || write_verbatim(L, run))
        return;
    write_array(L, run);
}

/* ---- all values */

static void write_boolean(struct script_run *run, bool value) {
    if (run->reply.protocol == 3) {
        reply_bool(run->out, value);
    } else if (value) {
        reply_int(run->out, 1);
    } else {
        reply_null(run->out);
    }
}

/* What a conversion of C may leave to the machine: what is no 64-bit integer becomes the least one, as x86-64 has it. */
static void write_number(struct script_run *run, double value) {
    bool fits = value >= -9223372036854775808.0 && value < 9223372036854775808.0;
    reply_int(run->out, fits ? (int64_t)value : INT64_MIN);
}

static void write_value(lua_State *L, struct script_run *run) {
    if (!lua_checkstack(L, STACK_NEEDED)) {
        reply_error(run->out, "ERR reached lua stack limit");
        lua_pop(L, 1);
        return;
    }
    switch (lua_type(L, -1)) {
    case LUA_TSTRING: reply_bulk(run->out, string_at(L, -1)); break;
    case LUA_TNUMBER: write_number(run, lua_tonumber(L, -1)); break;
    case LUA_TBOOLEAN: write_boolean(run, lua_toboolean(L, -1)); break;
    case LUA_TTABLE: write_table(L, run); break;
    default: reply_null(run->out);
    }
    lua_pop(L, 1);
}

void script_answer(lua_State *L, struct script_run *run) {
    write_value(L, run);
}
