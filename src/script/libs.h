/* The libraries beside Lua's own: each opener leaves its table on the stack, as lua_CFunction does. */
#ifndef SCRIPT_LIBS_H
#define SCRIPT_LIBS_H

#include <lua.h>

struct script_lib {
    const char *name;
    int (*open)(lua_State *L);
};
/* Ends with a row whose name is NULL. */
extern const struct script_lib script_libs[];

int script_open_json(lua_State *L);    /* cjson. lib_json.c, lib_json_decode.c */
int script_open_msgpack(lua_State *L); /* cmsgpack. lib_msgpack.c, lib_unpack.c */
int script_open_bit(lua_State *L);     /* bit. lib_bit.c */
int script_open_struct(lua_State *L);  /* struct. lib_struct.c */

/* Makes a global of each. */
void script_open_libs(lua_State *L);

#endif
