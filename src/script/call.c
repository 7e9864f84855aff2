/* redis.call and redis.pcall: Lua's arguments as spans, the command, its reply as a Lua value. Hot path.
 *
 * The arguments stay on Lua's stack while the command runs: their spans point into Lua's strings. Numbers become text here: whole ones
 * without a point, others with as many digits as tell them apart. */
#include "script/engine.h"

enum { SMALL_ARGC_MAX = 32, NUMBER_BYTES = NUM_DOUBLE_TEXT_MAX };

struct arguments {
    struct span *argv;
    char *numbers; /* NUMBER_BYTES for each */
    uint32_t argc;
};

static struct span number_text(char *out, double value) {
    bool whole = value >= -9007199254740992.0 && value <= 9007199254740992.0 &&
                 (double)(int64_t)value == value;
    if (whole) return span_make(out, num_format_int(out, (int64_t)value));
    return span_make(out, num_format_double(out, value));
}

/* False: an argument is neither a string nor a number. */
static bool take_arguments(lua_State *L, struct arguments *args) {
    for (uint32_t i = 0; i < args->argc; i++) {
        int at = (int)i + 1, type = lua_type(L, at);
        if (LIKELY(type == LUA_TSTRING)) {
            size_t len;
            const char *data = lua_tolstring(L, at, &len);
            args->argv[i] = span_make(data, len);
        } else if (type == LUA_TNUMBER) {
            args->argv[i] = number_text(args->numbers + i * NUMBER_BYTES, lua_tonumber(L, at));
        } else {
            return false;
        }
    }
    return true;
}

void script_push_error(lua_State *L, struct span text) {
    lua_createtable(L, 0, 1);
    lua_pushlstring(L, text.data, text.len);
    lua_setfield(L, -2, "err");
}

int script_raise(lua_State *L, const char *text) {
    script_push_error(L, span_of(text));
    return lua_error(L);
}

static int fail(lua_State *L, bool raise, const char *text) {
    script_push_error(L, span_of(text));
    return raise ? lua_error(L) : 1;
}

static int run_command(lua_State *L, bool raise, const struct arguments *args) {
    struct script_engine *engine = script_engine_of(L);
    struct script_run *run = engine->running;
    if (UNLIKELY(!run)) return fail(L, raise, "ERR command calls are not allowed here");
    if (UNLIKELY(engine->replies.sealed_bytes)) chunk_list_clear(&engine->replies);
    engine->callbacks->command(run, args->argv, args->argc);
    const struct chunk *head = engine->replies.head;
    bool failed = head && head->data[0] == '-';
    if (UNLIKELY(args->argc > SMALL_ARGC_MAX))
        lua_settop(L, 0); /* what a reply needs of the stack may be more than these leave */
    script_push_reply(L, engine);
    if (LIKELY(!failed)) return 1;
    return raise ? lua_error(L) : 1;
}

static int call_small(lua_State *L, bool raise, uint32_t argc) {
    struct span argv[SMALL_ARGC_MAX];
    char numbers[SMALL_ARGC_MAX * NUMBER_BYTES];
    struct arguments args = {argv, numbers, argc};
    if (UNLIKELY(!take_arguments(L, &args)))
        return fail(L, raise, "ERR Command arguments must be strings or integers");
    return run_command(L, raise, &args);
}

/* As many as Lua's stack holds: the few values more that are pushed here fit in what every C function is given beyond them
 * (LUA_MINSTACK). */
static int call_large(lua_State *L, bool raise, uint32_t argc) {
    char *memory = lua_newuserdata(L, argc * (sizeof(struct span) + NUMBER_BYTES));
    struct arguments args = {(struct span *)(void *)memory, memory + argc * sizeof(struct span),
                             argc};
    if (!take_arguments(L, &args))
        return fail(L, raise, "ERR Command arguments must be strings or integers");
    return run_command(L, raise, &args);
}

static int call(lua_State *L, bool raise) {
    int argc = lua_gettop(L);
    if (UNLIKELY(argc == 0))
        return fail(L, raise, "ERR Please specify at least one argument for this call");
    if (LIKELY(argc <= SMALL_ARGC_MAX)) return call_small(L, raise, (uint32_t)argc);
    return call_large(L, raise, (uint32_t)argc);
}

int script_lua_call(lua_State *L) {
    return call(L, true);
}

int script_lua_pcall(lua_State *L) {
    return call(L, false);
}

int script_lua_acl_check(lua_State *L) {
    struct script_engine *engine = script_engine_of(L);
    uint32_t argc = (uint32_t)lua_gettop(L);
    if (argc == 0) return script_raise(L, "ERR Please specify at least one argument for this call");
    char *memory = lua_newuserdata(L, argc * (sizeof(struct span) + NUMBER_BYTES));
    struct arguments args = {(struct span *)(void *)memory, memory + argc * sizeof(struct span),
                             argc};
    if (!take_arguments(L, &args))
        return script_raise(L, "ERR Command arguments must be strings or integers");
    if (!engine->running) return script_raise(L, "ERR command calls are not allowed here");
    enum script_acl answer = engine->callbacks->acl_check(engine->running, args.argv, argc);
    if (answer == SCRIPT_ACL_NO_COMMAND)
        return script_raise(L, "ERR Invalid command passed to server.acl_check_cmd()");
    lua_pushboolean(L, answer == SCRIPT_ACL_ALLOWED);
    return 1;
}
