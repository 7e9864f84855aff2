/* A build without Lua: there is no engine, and the commands say so. */
#include "script/library.h"

struct script_engine *script_engine_new(const struct script_options *options) {
    return NULL;
}
void script_engine_free(struct script_engine *engine) {}
bool script_available(void) {
    return false;
}
size_t script_memory_bytes(const struct script_engine *engine) {
    return 0;
}
void script_set_memory_max(struct script_engine *engine, size_t bytes) {}
int script_compile(struct script_engine *engine, struct span text, const char *chunk_name,
                   script_function *out, char *error, size_t error_size) {
    return -1;
}
void script_function_release(struct script_engine *engine, script_function function) {}
void script_execute(struct script_run *run) {}
void script_collect(struct script_engine *engine) {}
int script_load_library(struct script_loading *loading, struct span code, char *error,
                        size_t error_size) {
    return -1;
}
