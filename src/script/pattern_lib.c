/* string.find, match, gmatch and gsub over pattern.c. */
#include "script/engine.h"
#include "script/pattern.h"

static struct span check_span(lua_State *L, int at) {
    size_t len;
    const char *data = luaL_checklstring(L, at, &len);
    return span_make(data, len);
}

static struct pattern make_pattern(lua_State *L, struct span subject, struct span text) {
    return (struct pattern){.L = L, .subject = subject, .end = text.data + text.len};
}

/* Where the search begins: argument 3, from 1, negative from the end. */
static size_t start_of(lua_State *L, struct span subject) {
    lua_Integer init = luaL_optinteger(L, 3, 1);
    lua_Integer len = (lua_Integer)subject.len;
    if (init < 0) init = init + len + 1;
    if (init < 1) init = 1;
    return (size_t)MIN(init - 1, len);
}

static bool is_plain(struct span text) {
    static const char specials[] = "^$*+?.([%-";
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] && strchr(specials, text.data[i])) return false;
    }
    return true;
}

static int push_place(lua_State *L, struct span subject, const char *at, const char *end) {
    lua_pushinteger(L, at - subject.data + 1);
    lua_pushinteger(L, end - subject.data);
    return 2;
}

static int find_plain(lua_State *L, struct span subject, struct span text, size_t start) {
    const char *from = subject.data + start;
    const char *at = text.len ? memmem(from, subject.len - start, text.data, text.len) : from;
    if (at) return push_place(L, subject, at, at + text.len);
    lua_pushnil(L);
    return 1;
}

static int find_or_match(lua_State *L, bool find) {
    struct span subject = check_span(L, 1), text = check_span(L, 2);
    size_t start = start_of(L, subject);
    if (find && (lua_toboolean(L, 4) || is_plain(text))) return find_plain(L, subject, text, start);
    bool anchored = text.len && text.data[0] == '^';
    struct pattern m = make_pattern(L, subject, text);
    const char *last = subject.data + subject.len;
    for (const char *at = subject.data + start; at <= last; at++) {
        const char *end = pattern_match(&m, at, text.data + anchored);
        if (end && !find) return pattern_push_captures(&m, at, end);
        if (end) {
            push_place(L, subject, at, end);
            return 2 + pattern_push_captures(&m, NULL, NULL);
        }
        if (anchored) break;
    }
    lua_pushnil(L);
    return 1;
}

static int string_find(lua_State *L) {
    return find_or_match(L, true);
}

static int string_match(lua_State *L) {
    return find_or_match(L, false);
}

/* Upvalues: subject, pattern, where to go on. */
static int next_match(lua_State *L) {
    size_t subject_len, text_len;
    const char *data = lua_tolstring(L, lua_upvalueindex(1), &subject_len);
    const char *text = lua_tolstring(L, lua_upvalueindex(2), &text_len);
    struct pattern m = make_pattern(L, span_make(data, subject_len), span_make(text, text_len));
    const char *at = data + (size_t)lua_tointeger(L, lua_upvalueindex(3));
    for (; at <= data + subject_len; at++) {
        const char *end = pattern_match(&m, at, text);
        if (!end) continue;
        lua_pushinteger(L, end - data + (end == at)); /* an empty match moves on, too */
        lua_replace(L, lua_upvalueindex(3));
        return pattern_push_captures(&m, at, end);
    }
    return 0;
}

static int string_gmatch(lua_State *L) {
    luaL_checkstring(L, 1);
    luaL_checkstring(L, 2);
    lua_settop(L, 2);
    lua_pushinteger(L, 0);
    lua_pushcclosure(L, next_match, 3);
    return 1;
}

/* ---- gsub */

/* "%0" the match, "%1" a capture, "%x" x. */
static void add_text(struct pattern *m, luaL_Buffer *out, const char *at, const char *end) {
    size_t len;
    const char *text = lua_tolstring(m->L, 3, &len);
    for (size_t i = 0; i < len; i++) {
        if (text[i] != '%' || ++i >= len) {
            luaL_addchar(out, i < len ? text[i] : '\0');
        } else if (text[i] < '0' || text[i] > '9') {
            luaL_addchar(out, text[i]);
        } else if (text[i] == '0') {
            luaL_addlstring(out, at, (size_t)(end - at));
        } else {
            pattern_push_capture(m, (uint32_t)(text[i] - '1'), at, end);
            luaL_addvalue(out);
        }
    }
}

static void add_replacement(struct pattern *m, luaL_Buffer *out, const char *at, const char *end) {
    lua_State *L = m->L;
    int type = lua_type(L, 3);
    if (type == LUA_TSTRING || type == LUA_TNUMBER) {
        add_text(m, out, at, end);
        return;
    }
    if (type == LUA_TFUNCTION) {
        lua_pushvalue(L, 3);
        int argc = pattern_push_captures(m, at, end);
        lua_call(L, argc, 1);
    } else {
        pattern_push_capture(m, 0, at, end);
        lua_gettable(L, 3);
    }
    if (!lua_toboolean(L, -1)) { /* false and nil leave the match as it is */
        lua_pop(L, 1);
        lua_pushlstring(L, at, (size_t)(end - at));
    } else if (!lua_isstring(L, -1)) {
        luaL_error(L, "invalid replacement value (a %s)", luaL_typename(L, -1));
    }
    luaL_addvalue(out);
}

static int string_gsub(lua_State *L) {
    struct span subject = check_span(L, 1), text = check_span(L, 2);
    int type = lua_type(L, 3);
    lua_Integer count_max = luaL_optinteger(L, 4, (lua_Integer)subject.len + 1), count = 0;
    luaL_argcheck(L,
                  type == LUA_TNUMBER || type == LUA_TSTRING || type == LUA_TFUNCTION ||
                      type == LUA_TTABLE,
                  3, "string/function/table expected");
    bool anchored = text.len && text.data[0] == '^';
    struct pattern m = make_pattern(L, subject, text);
    const char *at = subject.data, *last = subject.data + subject.len;
    luaL_Buffer out;
    luaL_buffinit(L, &out);
    while (count < count_max) {
        const char *end = pattern_match(&m, at, text.data + anchored);
        if (end) {
            count++;
            add_replacement(&m, &out, at, end);
        }
        if (end && end > at) {
            at = end;
        } else if (at < last) {
            luaL_addchar(&out, *at++);
        } else {
            break;
        }
        if (anchored) break;
    }
    luaL_addlstring(&out, at, (size_t)(last - at));
    luaL_pushresult(&out);
    lua_pushinteger(L, count);
    return 2;
}

void script_open_patterns(lua_State *L) {
    static const luaL_Reg functions[] = {
        {"find", string_find},    {"match", string_match}, {"gmatch", string_gmatch},
        {"gfind", string_gmatch}, {"gsub", string_gsub},   {NULL, NULL},
    };
    lua_getglobal(L, "string");
    luaL_register(L, NULL, functions);
    lua_pop(L, 1);
}
