/* The libraries' buffer. */
#include "script/text.h"

struct script_text *script_text_begin(lua_State *L) {
    struct script_text *text = &script_engine_of(L)->built;
    text->len = 0;
    return text;
}

void script_text_grow(lua_State *L, struct script_text *text, size_t more) {
    void *context;
    lua_Alloc resize = lua_getallocf(L, &context);
    size_t need = text->len + more, capacity = text->capacity + text->capacity / 2;
    if (capacity < need) capacity = need < 256 ? 256 : need;
    char *data = resize(context, text->data, text->capacity, capacity);
    if (!data) { /* what scripts have dropped may be enough */
        lua_gc(L, LUA_GCCOLLECT, 0);
        data = resize(context, text->data, text->capacity, capacity);
    }
    if (!data) luaL_error(L, "not enough memory");
    text->data = data;
    text->capacity = capacity;
}

void script_text_trim(struct script_engine *engine, bool all_of_it) {
    struct script_text *text = &engine->built;
    void *context;
    lua_Alloc resize = lua_getallocf(engine->lua, &context);
    if (!text->data || (!all_of_it && text->capacity <= SCRIPT_TEXT_KEPT_BYTES)) return;
    resize(context, text->data, text->capacity, 0);
    *text = (struct script_text){0};
}
