/* A recursive descent over the text:
 *
 *   list   = item {" " item}            choice = item {" | " item}
 *   item   = [TOKEN ["..."] " "] body marks
 *   body   = "[" group "]" | [name ":"] "(" group ")" | name ":" type | name "=" token | TOKEN
 *   group  = list | choice
 *
 * Arguments are kept in the order in which they begin; `first_child` and `next` make the tree. */
#include "commands/grammar.h"

#include "base/error.h"

static const char *const type_names[] = {
    [GRAMMAR_STRING] = "string",   [GRAMMAR_INTEGER] = "integer",
    [GRAMMAR_DOUBLE] = "double",   [GRAMMAR_KEY] = "key",
    [GRAMMAR_PATTERN] = "pattern", [GRAMMAR_UNIX_TIME] = "unix-time",
    [GRAMMAR_ONEOF] = "oneof",     [GRAMMAR_PURE_TOKEN] = "pure-token",
    [GRAMMAR_BLOCK] = "block",
};

const char *grammar_type_name(enum grammar_type type) {
    return type_names[type];
}

struct span grammar_name(const struct grammar_arg *arg, char *out) {
    if (!arg->lower_name) return arg->name;
    size_t len = MIN(arg->name.len, (size_t)GRAMMAR_NAME_MAX);
    for (size_t i = 0; i < len; i++) {
        char c = arg->name.data[i];
        out[i] = c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
    }
    return span_make(out, len);
}

struct parser {
    const char *at;
    struct grammar *out;
    int depth, key_count, error;
};

struct group {
    int16_t first, last;
    uint16_t count;
    bool choice;
};

static void fail(struct parser *p, int error) {
    if (!p->error) p->error = error;
}

static bool take(struct parser *p, char c) {
    if (*p->at != c) return false;
    p->at++;
    return true;
}

static bool take_dots(struct parser *p) {
    if (p->at[0] != '.' || p->at[1] != '.' || p->at[2] != '.') return false;
    p->at += 3;
    return true;
}

static void skip_blanks(struct parser *p) {
    while (*p->at == ' ') p->at++;
}

/* Up to a byte of `ends` or the end of the text. */
static struct span take_until(struct parser *p, const char *ends) {
    size_t len = strcspn(p->at, ends);
    struct span word = span_make(p->at, len);
    p->at += len;
    return word;
}

static struct grammar_arg *arg_at(struct parser *p, int16_t at) {
    return &p->out->args[at];
}

static int16_t new_arg(struct parser *p) {
    struct grammar *g = p->out;
    if (g->used == GRAMMAR_ARGS_MAX) {
        fail(p, ERROR_LIMIT);
        return 0;
    }
    g->args[g->used] = (struct grammar_arg){.key_spec = -1, .first_child = -1, .next = -1};
    return (int16_t)g->used++;
}

/* ---- marks */

static void parse_marks(struct parser *p, struct grammar_arg *arg) {
    for (;;) {
        if (take_dots(p)) {
            arg->multiple = true;
        } else if (take(p, '@')) {
            arg->since = take_until(p, "!# )]|");
            /* Versions have points of their own: dots behind one are three more. */
            if (arg->since.len > 3 && !memcmp(arg->since.data + arg->since.len - 3, "...", 3)) {
                arg->since.len -= 3;
                arg->multiple = true;
            }
        } else if (take(p, '!')) {
            arg->deprecated_since = take_until(p, "@# )]|");
        } else if (*p->at == '#') {
            p->at++;
            if (*p->at < '0' || *p->at > '9') return fail(p, ERROR_SYNTAX);
            arg->key_spec = (int8_t)(*p->at++ - '0');
        } else if (take(p, '<')) {
            arg->display = take_until(p, ">");
            if (!take(p, '>')) return fail(p, ERROR_SYNTAX);
        } else {
            return;
        }
    }
}

/* ---- bodies */

static struct group parse_group(struct parser *p, char end);

static void set_children(struct grammar_arg *arg, const struct group *group) {
    arg->type = group->choice ? GRAMMAR_ONEOF : GRAMMAR_BLOCK;
    arg->first_child = group->first;
    arg->child_count = group->count;
}

/* In brackets without a name. One argument stays what it is; several become a block or a choice with the usual name. */
static int16_t parse_unnamed(struct parser *p, char end) {
    struct group group = parse_group(p, end);
    if (p->error || (group.count == 1 && !group.choice)) return group.first;
    int16_t at = new_arg(p);
    struct grammar_arg *arg = arg_at(p, at);
    set_children(arg, &group);
    arg->name = group.choice ? SPAN("condition") : SPAN("data");
    return at;
}

static void parse_type(struct parser *p, int16_t at) {
    struct span word = take_until(p, " .)]|<#@!");
    for (int type = 0; type <= GRAMMAR_UNIX_TIME; type++) {
        if (!span_eq(word, span_of(type_names[type]))) continue;
        arg_at(p, at)->type = (uint8_t)type;
        if (type == GRAMMAR_KEY) arg_at(p, at)->key_spec = (int8_t)p->key_count++;
        return;
    }
    fail(p, ERROR_SYNTAX);
}

/* What follows "name": a type, a group or a token. */
static int16_t parse_named(struct parser *p, struct span name) {
    int16_t at = new_arg(p);
    arg_at(p, at)->name = name;
    if (take(p, '=')) {
        arg_at(p, at)->type = GRAMMAR_PURE_TOKEN;
        arg_at(p, at)->token = take_until(p, " )]|@");
    } else if (!take(p, ':')) {
        fail(p, ERROR_SYNTAX);
    } else if (take(p, '(')) {
        struct group group = parse_group(p, ')');
        set_children(arg_at(p, at), &group);
    } else {
        parse_type(p, at);
    }
    return at;
}

/* A word in upper case: of the argument behind it when that has a name, else a pure token. */
static int16_t parse_token(struct parser *p, struct span token) {
    bool repeated = take_dots(p);
    if (p->at[0] == ' ' && p->at[1] >= 'a' && p->at[1] <= 'z') {
        p->at++;
        int16_t at = parse_named(p, take_until(p, ":= )]|"));
        struct grammar_arg *arg = arg_at(p, at);
        arg->token = token;
        if (repeated) arg->multiple = arg->multiple_token = true;
        return at;
    }
    int16_t at = new_arg(p);
    struct grammar_arg *arg = arg_at(p, at);
    arg->type = GRAMMAR_PURE_TOKEN;
    arg->name = arg->token = token;
    arg->lower_name = true;
    arg->multiple = repeated;
    return at;
}

static int16_t parse_item(struct parser *p) {
    int16_t at;
    if (take(p, '[')) {
        at = parse_unnamed(p, ']');
        if (!p->error) arg_at(p, at)->optional = true;
    } else if (take(p, '(')) {
        at = parse_unnamed(p, ')');
    } else {
        bool upper = *p->at >= 'A' && *p->at <= 'Z';
        struct span word = take_until(p, upper ? ":=. )]|@!" : ":= )]|@!");
        if (word.len == 0) fail(p, ERROR_SYNTAX);
        bool named = *p->at == ':' || *p->at == '=';
        at = named || !upper ? parse_named(p, word) : parse_token(p, word);
    }
    if (!p->error) parse_marks(p, arg_at(p, at));
    return at;
}

/* Items up to `end` (0: of the text), which is taken. */
static struct group parse_group(struct parser *p, char end) {
    struct group group = {.first = -1, .last = -1};
    if (++p->depth > GRAMMAR_DEPTH_MAX) fail(p, ERROR_LIMIT);
    for (skip_blanks(p); !p->error && *p->at != end; skip_blanks(p)) {
        if (!*p->at) fail(p, ERROR_SYNTAX);
        if (p->error) break;
        if (take(p, '|')) {
            group.choice = true;
            continue;
        }
        int16_t at = parse_item(p);
        if (p->error) break;
        if (group.first < 0) {
            group.first = at;
        } else {
            arg_at(p, group.last)->next = at;
        }
        group.last = at;
        group.count++;
    }
    if (!p->error && end) p->at++;
    if (!p->error && end && group.count == 0) fail(p, ERROR_SYNTAX);
    p->depth--;
    return group;
}

int grammar_parse(const char *text, struct grammar *out) {
    struct parser p = {.at = text, .out = out};
    out->used = 0;
    struct group group = parse_group(&p, 0);
    out->first = group.first;
    out->count = group.count;
    if (!p.error && group.choice) return ERROR_SYNTAX;
    return p.error;
}
