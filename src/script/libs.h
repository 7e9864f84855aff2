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

/* Makes a global of each. */
void script_open_libs(lua_State *L);

#endif
