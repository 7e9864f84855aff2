/* Inside src/script only: cmsgpack's two halves. https://github.com/msgpack/msgpack/blob/master/spec.md, without its bin and ext types */
#ifndef SCRIPT_MSGPACK_H
#define SCRIPT_MSGPACK_H

#include <lua.h>

/* Tables below this depth are nil. */
enum { MSGPACK_NESTING_MAX = 16 };

int msgpack_unpack(lua_State *L); /* lib_unpack.c */
int msgpack_unpack_one(lua_State *L);
int msgpack_unpack_limit(lua_State *L);

#endif
