#include "acl/selector.h"

#include <ctype.h>

#include "acl/patterns.h"
#include "base/alloc.h"
#include "base/log.h"
#include "base/words.h"

/* ---- life */

static size_t word_count(const struct acl_catalogue *c) {
    return (c->count + 63) / 64 + 1;
}

struct acl_selector *acl_selector_new(const struct acl_catalogue *catalogue) {
    struct acl_selector *s = mem_zalloc(sizeof *s);
    s->catalogue = catalogue;
    s->commands = mem_zalloc(word_count(catalogue) * sizeof *s->commands);
    return s;
}

static void clear_rules(struct acl_selector *s) {
    for (uint32_t i = 0; i < s->rule_count; i++) mem_free(s->rules[i]);
    mem_free(s->rules);
    s->rules = NULL;
    s->rule_count = 0;
    for (uint32_t i = 0; i < s->first_arg_count; i++) mem_free(s->first_args[i].text);
    mem_free(s->first_args);
    s->first_args = NULL;
    s->first_arg_count = 0;
}

void acl_selector_free(struct acl_selector *s) {
    clear_rules(s);
    patterns_clear(&s->keys);
    patterns_clear(&s->channels);
    mem_free(s->commands);
    mem_free(s);
}

struct acl_selector *acl_selector_copy(const struct acl_selector *from) {
    struct acl_selector *s = acl_selector_new(from->catalogue);
    memcpy(s->commands, from->commands, word_count(s->catalogue) * sizeof *s->commands);
    s->all_commands = from->all_commands;
    s->begins_with_all = from->begins_with_all;
    s->rule_count = from->rule_count;
    s->first_arg_count = from->first_arg_count;
    if (s->rule_count) s->rules = mem_alloc(s->rule_count * sizeof *s->rules);
    if (s->first_arg_count) s->first_args = mem_alloc(s->first_arg_count * sizeof *s->first_args);
    for (uint32_t i = 0; i < s->rule_count; i++) s->rules[i] = mem_strdup(from->rules[i]);
    for (uint32_t i = 0; i < s->first_arg_count; i++) {
        s->first_args[i] = from->first_args[i];
        s->first_args[i].text = mem_strdup(from->first_args[i].text);
    }
    patterns_copy(&s->keys, &from->keys);
    patterns_copy(&s->channels, &from->channels);
    return s;
}

/* ---- commands: the rules' texts */

static char *rule_text(char sign, struct span name) {
    char *text = mem_alloc(name.len + 2);
    text[0] = sign;
    for (size_t i = 0; i < name.len; i++) text[i + 1] = (char)tolower((unsigned char)name.data[i]);
    text[name.len + 1] = '\0';
    return text;
}

/* A rule about the same name, or about a subcommand or first argument of it, has nothing more to say. */
static bool is_about(const char *rule, const char *name) {
    size_t len = strlen(name);
    return strncmp(rule + 1, name, len) == 0 && (rule[len + 1] == '\0' || rule[len + 1] == '|');
}

static void remember_rule(struct acl_selector *s, char sign, struct span name) {
    char *text = rule_text(sign, name);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < s->rule_count; i++) {
        if (is_about(s->rules[i], text + 1)) {
            mem_free(s->rules[i]);
        } else {
            s->rules[kept++] = s->rules[i];
        }
    }
    s->rules = mem_realloc(s->rules, (kept + 1) * sizeof *s->rules);
    s->rules[kept] = text;
    s->rule_count = kept + 1;
}

/* ---- commands: the bits */

static void set_bit(struct acl_selector *s, uint32_t command, bool allowed) {
    uint64_t bit = 1ull << command % 64;
    if (allowed) {
        s->commands[command / 64] |= bit;
    } else {
        s->commands[command / 64] &= ~bit;
        s->all_commands = false;
    }
}

static void forget_first_args(struct acl_selector *s, uint32_t command) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < s->first_arg_count; i++) {
        if (s->first_args[i].command == command) {
            mem_free(s->first_args[i].text);
        } else {
            s->first_args[kept++] = s->first_args[i];
        }
    }
    s->first_arg_count = kept;
}

/* A container stands for its subcommands too. */
static void set_command(struct acl_selector *s, uint32_t command, bool allowed) {
    uint32_t last = command + s->catalogue->commands[command].subcommand_count;
    for (uint32_t i = command; i <= last; i++) set_bit(s, i, allowed);
    forget_first_args(s, command);
}

static void set_all_commands(struct acl_selector *s, bool allowed) {
    memset(s->commands, allowed ? 0xff : 0, word_count(s->catalogue) * sizeof *s->commands);
    s->all_commands = s->begins_with_all = allowed;
    clear_rules(s);
}

static int apply_category(struct acl_selector *s, char sign, struct span name) {
    const struct acl_catalogue *c = s->catalogue;
    uint32_t category = acl_catalogue_category(c, span_make(name.data + 1, name.len - 1));
    if (!category) return ACL_ERROR_UNKNOWN;
    remember_rule(s, sign, name);
    for (uint32_t i = 0; i < c->count; i++) {
        if (c->commands[i].categories & category) set_command(s, i, sign == '+');
    }
    return 0;
}

static void add_first_arg(struct acl_selector *s, uint32_t command, struct span text) {
    for (uint32_t i = 0; i < s->first_arg_count; i++) {
        struct acl_first_arg *have = &s->first_args[i];
        if (have->command == command && span_is(text, have->text)) return;
    }
    s->first_args = mem_realloc(s->first_args, (s->first_arg_count + 1) * sizeof *s->first_args);
    char *copy = mem_alloc(text.len + 1);
    memcpy(copy, text.data, text.len);
    copy[text.len] = '\0';
    s->first_args[s->first_arg_count++] = (struct acl_first_arg){command, copy};
}

/* "cmd|word", and no command of that name: the first argument of one that has no subcommands. */
static int apply_first_arg(struct acl_selector *s, struct span name, size_t bar) {
    struct span word = span_make(name.data + bar + 1, name.len - bar - 1);
    int32_t command = acl_catalogue_find(s->catalogue, span_make(name.data, bar));
    if (command < 0) return ACL_ERROR_UNKNOWN;
    const struct acl_command *c = &s->catalogue->commands[command];
    if (c->is_subcommand) return ACL_ERROR_FIRST_ARG;
    if (word.len == 0) return ACL_ERROR_SYNTAX;
    if (c->subcommand_count) return ACL_ERROR_UNKNOWN;
    if (acl_has_blanks(word)) return ACL_ERROR_SYNTAX;
    log_warning("Deprecation warning: Allowing a first arg of an otherwise blocked command is a "
                "misuse of ACL and may get disabled in the future (offender: +%.*s)",
                (int)name.len, name.data);
    add_first_arg(s, (uint32_t)command, word);
    remember_rule(s, '+', name);
    return 0;
}

static int apply_command(struct acl_selector *s, char sign, struct span name) {
    int32_t command = acl_catalogue_find(s->catalogue, name);
    size_t bar = name.len;
    if (command >= 0) {
        set_command(s, (uint32_t)command, sign == '+');
        remember_rule(s, sign, span_of(s->catalogue->commands[command].name));
        return 0;
    }
    while (bar > 0 && name.data[bar - 1] != '|') bar--;
    if (sign == '-' || bar == 0) return ACL_ERROR_UNKNOWN;
    return apply_first_arg(s, name, bar - 1);
}

/* ---- keys and channels */

/* The letters between % and ~, each once. Without a ~ the pattern is empty, as in Redis. */
static int parse_access(struct span *rule, unsigned *access) {
    *access = 0;
    for (size_t i = 1; i < rule->len; i++) {
        int letter = toupper((unsigned char)rule->data[i]);
        unsigned bit = letter == 'R' ? ACL_READ : letter == 'W' ? ACL_WRITE : 0;
        if (bit && !(*access & bit)) {
            *access |= bit;
        } else if (letter == '~' && *access) {
            *rule = span_make(rule->data + i + 1, rule->len - i - 1);
            return 0;
        } else {
            return ACL_ERROR_SYNTAX;
        }
    }
    *rule = SPAN("");
    return 0;
}

static int apply_key_pattern(struct acl_selector *s, struct span rule) {
    unsigned access = ACL_READ_WRITE;
    if (s->keys.all) return ACL_ERROR_ALL_KEYS;
    if (rule.data[0] == '%') {
        int error = parse_access(&rule, &access);
        if (error < 0) return error;
    } else {
        rule = span_make(rule.data + 1, rule.len - 1);
    }
    if (acl_has_blanks(rule)) return ACL_ERROR_SYNTAX;
    patterns_add(&s->keys, rule, access);
    return 0;
}

static int apply_channel_pattern(struct acl_selector *s, struct span rule) {
    if (s->channels.all) return ACL_ERROR_ALL_CHANNELS;
    rule = span_make(rule.data + 1, rule.len - 1);
    if (acl_has_blanks(rule)) return ACL_ERROR_SYNTAX;
    patterns_add(&s->channels, rule, 0);
    return 0;
}

static void set_patterns(struct acl_patterns *patterns, bool all) {
    patterns_clear(patterns);
    patterns->all = all;
}

/* ---- rules */

/* True when the rule is one of the words, or a text that means the same. */
static bool apply_word(struct acl_selector *s, struct span rule) {
    if (span_is(rule, "allkeys") || span_is(rule, "~*")) {
        set_patterns(&s->keys, true);
    } else if (span_is(rule, "resetkeys")) {
        set_patterns(&s->keys, false);
    } else if (span_is(rule, "allchannels") || span_is(rule, "&*")) {
        set_patterns(&s->channels, true);
    } else if (span_is(rule, "resetchannels")) {
        set_patterns(&s->channels, false);
    } else if (span_is(rule, "allcommands") || span_is(rule, "+@all")) {
        set_all_commands(s, true);
    } else if (span_is(rule, "nocommands") || span_is(rule, "-@all")) {
        set_all_commands(s, false);
    } else {
        return false;
    }
    return true;
}

int acl_selector_apply(struct acl_selector *s, struct span rule) {
    if (rule.len == 0 || apply_word(s, rule)) return 0;
    struct span rest = span_make(rule.data + 1, rule.len - 1);
    switch (rule.data[0]) {
    case '~':
    case '%': return apply_key_pattern(s, rule);
    case '&': return apply_channel_pattern(s, rule);
    case '+':
    case '-':
        if (rest.len && rest.data[0] == '@') return apply_category(s, rule.data[0], rest);
        return apply_command(s, rule.data[0], rest);
    default: return ACL_ERROR_SYNTAX;
    }
}

/* ---- texts */

static void put_rule(struct buf *out, const char *head, struct span text, bool quoted) {
    struct buf rule = {0};
    bool plain = true;
    buf_put_text(&rule, head);
    buf_put_span(&rule, text);
    for (size_t i = 0; i < rule.len; i++) plain = plain && !strchr("\"'()", rule.data[i]);
    if (quoted && !plain) {
        words_quote(out, buf_span(&rule));
    } else {
        buf_put_span(out, buf_span(&rule));
    }
    buf_release(&rule);
}

void acl_selector_put_commands(const struct acl_selector *s, bool quoted, struct buf *out) {
    buf_put_text(out, s->begins_with_all ? "+@all" : "-@all");
    for (uint32_t i = 0; i < s->rule_count; i++) {
        buf_put_char(out, ' ');
        put_rule(out, "", span_of(s->rules[i]), quoted);
    }
}

void acl_selector_put_keys(const struct acl_selector *s, bool quoted, struct buf *out) {
    if (s->keys.all) buf_put_text(out, "~*");
    for (uint32_t i = 0; i < s->keys.count; i++) {
        const struct acl_pattern *p = s->keys.at[i];
        const char *head = p->access == ACL_READ ? "%R~" : p->access == ACL_WRITE ? "%W~" : "~";
        if (i > 0) buf_put_char(out, ' ');
        put_rule(out, head, span_make(p->text, p->len), quoted);
    }
}

void acl_selector_put_channels(const struct acl_selector *s, bool quoted, struct buf *out) {
    if (s->channels.all) buf_put_text(out, "&*");
    for (uint32_t i = 0; i < s->channels.count; i++) {
        const struct acl_pattern *p = s->channels.at[i];
        if (i > 0) buf_put_char(out, ' ');
        put_rule(out, "&", span_make(p->text, p->len), quoted);
    }
}

void acl_selector_put(const struct acl_selector *s, bool quoted, struct buf *out) {
    acl_selector_put_keys(s, quoted, out);
    if (s->keys.all || s->keys.count) buf_put_char(out, ' ');
    if (!s->channels.all) {
        buf_put_text(out, "resetchannels");
        if (s->channels.count) buf_put_char(out, ' ');
    }
    acl_selector_put_channels(s, quoted, out);
    buf_put_char(out, ' ');
    acl_selector_put_commands(s, quoted, out);
}

/* ---- questions */

static bool has_first_arg(const struct acl_selector *s, uint32_t command, struct span first_arg) {
    for (uint32_t i = 0; i < s->first_arg_count; i++) {
        const struct acl_first_arg *have = &s->first_args[i];
        if (have->command == command && span_is(first_arg, have->text)) return true;
    }
    return false;
}

bool acl_selector_allows(const struct acl_selector *s, uint32_t command, struct span first_arg) {
    if (s->all_commands || s->commands[command / 64] >> command % 64 & 1) return true;
    return has_first_arg(s, command, first_arg);
}

const char *acl_error_text(int error) {
    switch ((enum acl_error)error) {
    case ACL_ERROR_SYNTAX: return "Syntax error";
    case ACL_ERROR_UNKNOWN: return "Unknown command or category name in ACL";
    case ACL_ERROR_ALL_KEYS:
        return "Adding a pattern after the * pattern (or the 'allkeys' flag) is not valid and does "
               "not have any effect. Try 'resetkeys' to start with an empty list of patterns";
    case ACL_ERROR_ALL_CHANNELS:
        return "Adding a pattern after the * pattern (or the 'allchannels' flag) is not valid and "
               "does not have any effect. Try 'resetchannels' to start with an empty list of "
               "channels";
    case ACL_ERROR_NO_SUCH_PASSWORD:
        return "The password you are trying to remove from the user does not exist";
    case ACL_ERROR_HASH:
        return "The password hash must be exactly 64 characters and contain only lowercase "
               "hexadecimal characters";
    case ACL_ERROR_FIRST_ARG: return "Allowing first-arg of a subcommand is not supported";
    case ACL_ERROR_DUPLICATE:
        return "Duplicate user found. A user can only be defined once in config files";
    }
    return "Wrong format";
}
