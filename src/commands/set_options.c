#include "commands/set_options.h"

#include "commands/expiration.h"

/* An option may be repeated, the last one counting, unless its own flag is among the conflicts. */
static const struct option {
    struct span word;
    uint32_t flag, conflicts;
    bool takes_argument;
} options_table[] = {
    {{"EX", 2}, SET_EX, SET_KEEPTTL | SET_PERSIST | (SET_EXPIRATION ^ SET_EX), true},
    {{"PX", 2}, SET_PX, SET_KEEPTTL | SET_PERSIST | (SET_EXPIRATION ^ SET_PX), true},
    {{"NX", 2}, SET_NX, SET_XX | SET_IFEQ, false},
    {{"XX", 2}, SET_XX, SET_NX | SET_IFEQ, false},
    {{"GET", 3}, SET_GET, 0, false},
    {{"KEEPTTL", 7}, SET_KEEPTTL, SET_EXPIRATION | SET_PERSIST, false},
    {{"EXAT", 4}, SET_EXAT, SET_KEEPTTL | SET_PERSIST | (SET_EXPIRATION ^ SET_EXAT), true},
    {{"PXAT", 4}, SET_PXAT, SET_KEEPTTL | SET_PERSIST | (SET_EXPIRATION ^ SET_PXAT), true},
    {{"PERSIST", 7}, SET_PERSIST, SET_EXPIRATION | SET_KEEPTTL, false},
    {{"IFEQ", 4}, SET_IFEQ, SET_NX | SET_XX | SET_IFEQ, true},
};

static const struct option *find_option(struct span word, uint32_t allowed) {
    for (size_t i = 0; i < ARRAY_LENGTH(options_table); i++) {
        const struct option *option = &options_table[i];
        if (option->word.len == word.len && span_eq_nocase(option->word, word)) {
            return option->flag & allowed ? option : NULL;
        }
    }
    return NULL;
}

static enum expiration_unit unit_of(uint32_t flags) {
    if (flags & SET_EX) return EXPIRATION_S;
    if (flags & SET_PX) return EXPIRATION_MS;
    return flags & SET_EXAT ? EXPIRATION_UNIX_S : EXPIRATION_UNIX_MS;
}

bool set_options_parse(struct call *call, uint32_t first, uint32_t allowed,
                       struct set_options *options) {
    uint32_t time_at = 0;
    *options = (struct set_options){.deadline_ms = ENTRY_NO_DEADLINE};
    for (uint32_t i = first; i < call->argc; i++) {
        const struct option *option = find_option(call->argv[i], allowed);
        bool fits = option && !(options->flags & option->conflicts) &&
                    (!option->takes_argument || i + 1 < call->argc);
        if (!fits) {
            call_syntax_error(call);
            return false;
        }
        options->flags |= option->flag;
        if (!option->takes_argument) continue;
        i++;
        if (option->flag == SET_IFEQ) {
            options->expected_at = i;
        } else {
            time_at = i;
        }
    }
    if (options->flags & SET_KEEPTTL) options->deadline_ms = DB_KEEP_DEADLINE;
    return !time_at ||
           expiration_parse(call, time_at, unit_of(options->flags), &options->deadline_ms);
}
