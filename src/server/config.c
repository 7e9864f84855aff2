/* The config table: rows, values, CONFIG GET and CONFIG SET. Looking an option up walks all rows: nobody does it often. */
#include "server/config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/check.h"
#include "base/glob.h"
#include "base/log.h"
#include "base/words.h"
#include "server/config_table.h"

const struct option *config_option_at(uint32_t index) {
    if (index < options_own_count) return &options_own[index];
    index -= options_own_count;
    return index < options_foreign_count ? &options_foreign[index] : NULL;
}

bool config_is_foreign(const struct option *option) {
    return option >= options_foreign && option < options_foreign + options_foreign_count;
}

uint32_t config_index(const struct option *option) {
    if (!config_is_foreign(option)) return (uint32_t)(option - options_own);
    return options_own_count + (uint32_t)(option - options_foreign);
}

const struct option *config_find(struct span name) {
    const struct option *option;
    for (uint32_t i = 0; (option = config_option_at(i)) != NULL; i++) {
        if (span_is(name, option->name) || (option->alias && span_is(name, option->alias))) {
            return option;
        }
    }
    return NULL;
}

bool option_is_sensitive(struct span name) {
    const struct option *option = config_find(name);
    return option && (option->flags & OPTION_SENSITIVE);
}

void config_print(struct config *config, const struct option *option, struct buf *out) {
    option_print(option, config->settings, &config->spare[config_index(option)], out);
}

/* -- life */

/* Words of a value as CONFIG SET, the defaults and the backups have it. */
static int split_value(const struct option *option, struct span value, struct words *out) {
    if (option->flags & OPTION_MULTI) return words_split_plain(value, out);
    *out = (struct words){.at = mem_alloc(sizeof *out->at), .count = 1};
    out->at[0] = value;
    return 0;
}

static const char *set_plain(struct config *config, const struct option *option,
                             struct span value) {
    struct words words;
    const char *problem;
    if (split_value(option, value, &words) != 0) return "too many words";
    problem = option_parse(option, config->settings, &config->spare[config_index(option)], words.at,
                           words.count, config->error);
    words_release(&words);
    return problem;
}

struct config *config_new(struct settings *settings) {
    struct config *config = mem_zalloc(sizeof *config);
    const struct option *option;
    config->settings = settings;
    config->count = options_own_count + options_foreign_count;
    config->spare = mem_zalloc(config->count * sizeof *config->spare);
    config->given = mem_zalloc(config->count * sizeof *config->given);
    for (uint32_t i = 0; (option = config_option_at(i)) != NULL; i++) {
        CHECK(set_plain(config, option, span_of(option->initial)) == NULL);
    }
    return config;
}

static void release_users(struct settings *settings) {
    for (uint32_t i = 0; i < settings->user_count; i++) {
        mem_free(settings->users[i].text);
        mem_free(settings->users[i].file);
    }
    mem_free(settings->users);
    settings->users = NULL;
    settings->user_count = 0;
}

static void release_renames(struct settings *settings) {
    for (uint32_t i = 0; i < settings->rename_count; i++) {
        mem_free(settings->renames[i].from);
        mem_free(settings->renames[i].to);
    }
    mem_free(settings->renames);
    settings->renames = NULL;
    settings->rename_count = 0;
}

void config_free(struct config *config) {
    const struct option *option;
    if (!config) return;
    for (uint32_t i = 0; (option = config_option_at(i)) != NULL; i++) {
        option_release(option, config->settings, &config->spare[i]);
    }
    release_renames(config->settings);
    release_users(config->settings);
    buf_release(&config->warnings);
    buf_release(&config->ignored);
    mem_free(config->file);
    mem_free(config->spare);
    mem_free(config->given);
    mem_free(config);
}

void config_on_apply(struct config *config, enum option_apply id, config_apply *function,
                     void *context) {
    config->apply[id] = (struct config_apply_row){function, context};
}

void config_on_rewrite(struct config *config, void (*put)(void *context, struct buf *out),
                       void *context) {
    config->put_users = put;
    config->put_users_context = context;
}

struct span config_warnings(const struct config *config) {
    return buf_span(&config->warnings);
}

struct span config_ignored(const struct config *config) {
    return buf_span(&config->ignored);
}

const char *config_file(const struct config *config) {
    return config->file ? config->file : "";
}

uint32_t config_given_count(const struct config *config) {
    uint32_t given = config->directive_count;
    for (uint32_t i = 0; i < config->count; i++) given += config->given[i];
    return given;
}

/* -- setting one */

static void note_ignored(struct config *config, const struct option *option) {
    if (config->given[config_index(option)]) return;
    if (config->ignored.len > 0) buf_put_text(&config->ignored, ", ");
    buf_put_text(&config->ignored, option->name);
}

/* `printed` is the value that was asked for and is not the default. */
static const char *keep_rule(struct config *config, const struct option *option,
                             struct span printed, bool starting) {
    const char *initial = *option->initial ? option->initial : "''";
    CHECK(set_plain(config, option, span_of(option->initial)) == NULL);
    if (starting && option->foreign == OPTION_PINNED) {
        buf_printf(&config->warnings,
                   "'%s %.*s' has no effect, the value stays %s. Rondo has no %s.\n", option->name,
                   (int)printed.len, printed.data, initial, option->doc);
        return NULL;
    }
    snprintf(config->error, sizeof config->error, "Rondo has no %s: the value can only be %s",
             option->doc, initial);
    return config->error;
}

const char *config_parse(struct config *config, const struct option *option,
                         const struct span *words, uint32_t count, bool starting) {
    struct buf printed = {0};
    const char *problem =
        option_parse(option, config->settings, &config->spare[config_index(option)], words, count,
                     config->error);
    if (problem || !config_is_foreign(option)) return problem;
    config_print(config, option, &printed);
    if (starting) note_ignored(config, option);
    if (option->foreign != OPTION_IGNORED) {
        struct buf initial = {0};
        CHECK(set_plain(config, option, span_of(option->initial)) == NULL);
        config_print(config, option, &initial);
        if (!span_eq(buf_span(&initial), buf_span(&printed))) {
            problem = keep_rule(config, option, buf_span(&printed), starting);
        }
        buf_release(&initial);
    }
    buf_release(&printed);
    return problem;
}

static const char *set_value(struct config *config, const struct option *option,
                             struct span value) {
    struct words words;
    const char *problem;
    if (split_value(option, value, &words) != 0) return "too many words";
    problem = config_parse(config, option, words.at, words.count, false);
    words_release(&words);
    return problem;
}

/* -- CONFIG GET */

struct shown {
    const struct option *option;
    struct span name; /* as it was asked for, or the row's */
};

struct shown_list {
    struct shown *at;
    uint32_t count;
};

static void show(struct shown_list *list, const struct option *option, struct span name) {
    for (uint32_t i = 0; i < list->count; i++) {
        if (span_eq_nocase(list->at[i].name, name)) return;
    }
    list->at[list->count++] = (struct shown){option, name};
}

static void show_matching(struct shown_list *list, struct span pattern) {
    const struct option *option;
    for (uint32_t i = 0; (option = config_option_at(i)) != NULL; i++) {
        if (option->flags & OPTION_HIDDEN) continue;
        if (glob_match(pattern, span_of(option->name), true)) {
            show(list, option, span_of(option->name));
        }
        if (option->alias && glob_match(pattern, span_of(option->alias), true)) {
            show(list, option, span_of(option->alias));
        }
    }
}

static bool is_pattern(struct span text) {
    return memchr(text.data, '*', text.len) || memchr(text.data, '?', text.len) ||
           memchr(text.data, '[', text.len);
}

static int compare_shown(const void *a, const void *b) {
    return span_compare(((const struct shown *)a)->name, ((const struct shown *)b)->name);
}

void config_get(struct config *config, struct reply *reply, const struct span *patterns,
                uint32_t count) {
    /* Names of all rows with their aliases, and one for each pattern that is a name: no list can be longer. */
    struct shown_list list = {mem_alloc((2 * config->count + count) * sizeof(struct shown)), 0};
    struct buf value = {0};
    for (uint32_t i = 0; i < count; i++) {
        if (is_pattern(patterns[i])) {
            show_matching(&list, patterns[i]);
        } else if (config_find(patterns[i])) {
            show(&list, config_find(patterns[i]), patterns[i]);
        }
    }
    qsort(list.at, list.count, sizeof *list.at, compare_shown);
    reply_map(reply, list.count);
    for (uint32_t i = 0; i < list.count; i++) {
        buf_clear(&value);
        config_print(config, list.at[i].option, &value);
        reply_bulk(reply, list.at[i].name);
        reply_bulk(reply, buf_span(&value));
    }
    buf_release(&value);
    mem_free(list.at);
}

/* -- CONFIG SET: find all, keep the old values as text, set all, apply each id once; on any failure everything goes back. */

struct change {
    const struct option *option;
    struct span name, value;
    struct buf old;
};

struct change_list {
    struct change *at;
    uint32_t count;
    uint32_t failed; /* the one to blame */
};

static const char *change_allowed(const struct config *config, const struct change_list *list,
                                  const struct option *option,
                                  const struct config_set_options *how) {
    int64_t protection = config->settings->enable_protected_configs;
    if (option->flags & OPTION_IMMUTABLE) return "can't set immutable config";
    if ((option->flags & OPTION_PROTECTED) && protection != PROTECTED_ACTION_YES &&
        !(protection == PROTECTED_ACTION_LOCAL && how->local_client)) {
        return "can't set protected config";
    }
    for (uint32_t i = 0; i < list->count; i++) {
        if (list->at[i].option == option) return "duplicate parameter";
    }
    return NULL;
}

static void restore(struct config *config, struct change_list *list, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        const char *problem = set_plain(config, list->at[i].option, buf_span(&list->at[i].old));
        if (!problem) continue;
        log_warning("Failed restoring failed CONFIG SET command. Error setting %s: %s",
                    list->at[i].option->name, problem);
    }
}

static bool applied_before(const struct change_list *list, uint32_t at) {
    for (uint32_t i = 0; i < at; i++) {
        if (list->at[i].option->apply == list->at[at].option->apply) return true;
    }
    return false;
}

static const char *apply_one(struct config *config, const struct change_list *list, uint32_t at) {
    enum option_apply id = list->at[at].option->apply;
    const struct config_apply_row *row = &config->apply[id];
    if (id == APPLY_NONE || !row->function || applied_before(list, at)) return NULL;
    return row->function(row->context, id);
}

static const char *apply_all(struct config *config, struct change_list *list) {
    char failure[sizeof config->error];
    for (uint32_t i = 0; i < list->count; i++) {
        const char *problem = apply_one(config, list, i);
        if (!problem) continue;
        /* The text may lie where applying the old values again writes. */
        snprintf(failure, sizeof failure, "%s", problem);
        log_warning("Failed applying new configuration. Possibly related to new %s setting. "
                    "Restoring previous settings.",
                    list->at[i].option->name);
        list->failed = i;
        restore(config, list, list->count);
        for (uint32_t j = 0; j <= i; j++) {
            const char *again = apply_one(config, list, j);
            if (again) log_warning("Failed applying restored failed CONFIG SET command: %s", again);
        }
        memcpy(config->error, failure, sizeof failure);
        return config->error;
    }
    return NULL;
}

static bool is_unchanged(struct config *config, const struct change *change) {
    struct buf now = {0};
    bool same;
    config_print(config, change->option, &now);
    same = span_eq(buf_span(&now), buf_span(&change->old));
    buf_release(&now);
    return same;
}

/* Options that keep their value are not applied: setting `port` to what it is must not close the listener. */
static void drop_unchanged(struct config *config, struct change_list *list) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        if (is_unchanged(config, &list->at[i])) {
            buf_release(&list->at[i].old);
        } else {
            list->at[kept++] = list->at[i];
        }
    }
    list->count = kept;
}

static const char *set_all(struct config *config, struct change_list *list) {
    char failure[sizeof config->error];
    for (uint32_t i = 0; i < list->count; i++) {
        config_print(config, list->at[i].option, &list->at[i].old);
    }
    for (uint32_t i = 0; i < list->count; i++) {
        const char *problem = set_value(config, list->at[i].option, list->at[i].value);
        if (!problem) continue;
        snprintf(failure, sizeof failure, "%s", problem); /* restoring may use config->error */
        list->failed = i;
        restore(config, list, i + 1);
        memcpy(config->error, failure, sizeof failure);
        return config->error;
    }
    drop_unchanged(config, list);
    return apply_all(config, list);
}

static void release_changes(struct change_list *list) {
    for (uint32_t i = 0; i < list->count; i++) buf_release(&list->at[i].old);
    mem_free(list->at);
}

static void reply_set_error(struct reply *reply, const char *name, size_t len,
                            const char *problem) {
    reply_errorf(reply, "ERR CONFIG SET failed (possibly related to argument '%.*s') - %s",
                 (int)len, name, problem);
}

/* Finds the options of all pairs. False after an error reply. */
static bool find_changes(struct config *config, struct reply *reply, const struct span *pairs,
                         uint32_t count, const struct config_set_options *how,
                         struct change_list *list) {
    for (uint32_t i = 0; i < count; i += 2) {
        const struct option *option = config_find(pairs[i]);
        const char *problem;
        if (!option) {
            reply_errorf(reply, "ERR Unknown option or number of arguments for CONFIG SET - '%.*s'",
                         (int)MIN(pairs[i].len, 128), pairs[i].data);
            return false;
        }
        problem = change_allowed(config, list, option, how);
        if (problem) {
            reply_set_error(reply, pairs[i].data, pairs[i].len, problem);
            return false;
        }
        if (how->loading && (option->flags & OPTION_DENY_LOADING)) {
            reply_error(reply, "LOADING Rondo is loading the dataset in memory");
            return false;
        }
        list->at[list->count++] = (struct change){option, pairs[i], pairs[i + 1], {0}};
    }
    return true;
}

void config_set(struct config *config, struct reply *reply, const struct span *pairs,
                uint32_t count, const struct config_set_options *how) {
    struct change_list list = {0};
    const char *problem;
    if (count == 0 || count % 2 != 0) {
        reply_error(reply, "ERR syntax error");
        return;
    }
    list.at = mem_zalloc(count / 2 * sizeof *list.at);
    if (find_changes(config, reply, pairs, count, how, &list)) {
        problem = set_all(config, &list);
        if (problem) {
            const char *name = list.at[list.failed].option->name;
            reply_set_error(reply, name, strlen(name), problem);
        } else {
            reply_ok(reply);
        }
    }
    release_changes(&list);
}

const char *config_set_one(struct config *config, const char *name, const char *value) {
    struct change_list list = {.at = mem_zalloc(sizeof(struct change))};
    const struct option *option = config_find(span_of(name));
    const char *problem = "unknown option";
    if (option) {
        list.at[list.count++] = (struct change){option, span_of(name), span_of(value), {0}};
        problem = set_all(config, &list);
    }
    release_changes(&list);
    return problem;
}
