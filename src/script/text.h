/* The bytes that a library puts together before they become a Lua string: one buffer of the engine's, counted and bounded like all of the
 * interpreter's memory. What is in it does not outlive the call that began it: an error leaves nothing to be freed. Libraries never run
 * Lua code while they use it. */
#ifndef SCRIPT_TEXT_H
#define SCRIPT_TEXT_H

#include "script/engine.h"

enum {
    SCRIPT_TEXT_KEPT_BYTES = 32 * 1024, /* what stays allocated between scripts */
    SCRIPT_TEXT_CHECK_STEPS = 100000,   /* values, or bytes of strings, between two looks at the clock */
};

/* The engine's buffer, empty. */
struct script_text *script_text_begin(lua_State *L);
/* Room for `more` bytes after the used ones, or a Lua error. */
void script_text_grow(lua_State *L, struct script_text *text, size_t more);
/* Frees what is above SCRIPT_TEXT_KEPT_BYTES; all of it: everything. */
void script_text_trim(struct script_engine *engine, bool all_of_it);

INLINE char *script_text_reserve(lua_State *L, struct script_text *text, size_t more) {
    if (UNLIKELY(text->capacity - text->len < more)) script_text_grow(L, text, more);
    return text->data + text->len;
}

INLINE void script_text_put(lua_State *L, struct script_text *text, const void *data, size_t len) {
    char *at = script_text_reserve(L, text, len);
    if (len) memcpy(at, data, len);
    text->len += len;
}

INLINE void script_text_put_char(lua_State *L, struct script_text *text, char c) {
    *script_text_reserve(L, text, 1) = c;
    text->len++;
}

/* To be called in every loop whose length a script chooses: `steps` is the caller's count of work since the last look at the clock. */
INLINE void script_step(lua_State *L, uint32_t *steps, size_t work) {
    if (LIKELY(work < SCRIPT_TEXT_CHECK_STEPS && (*steps += (uint32_t)work) < SCRIPT_TEXT_CHECK_STEPS)) return;
    *steps = 0;
    script_check(L);
}

#endif
