#include "script/libs.h"

#include <stddef.h>

const struct script_lib script_libs[] = {
    {"cjson", script_open_json},
    {"cmsgpack", script_open_msgpack},
    {"bit", script_open_bit},
    {"struct", script_open_struct},
    {NULL, NULL},
};

void script_open_libs(lua_State *L) {
    for (const struct script_lib *lib = script_libs; lib->name; lib++) {
        lua_pushcfunction(L, lib->open);
        lua_call(L, 0, 1);
        lua_setglobal(L, lib->name);
    }
}
