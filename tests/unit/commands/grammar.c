#include "test.h"

#include "base/error.h"
#include "commands/command.h"
#include "commands/grammar.h"
#include "commands/pubsub.h"
#include "commands/transaction.h"

static struct grammar g;
static char lower[GRAMMAR_NAME_MAX];

static const struct grammar_arg *arg(int at) {
    return &g.args[at];
}

static const struct grammar_arg *child(const struct grammar_arg *parent, int number) {
    int16_t at = parent->first_child;
    while (number-- > 0) at = g.args[at].next;
    return &g.args[at];
}

static void test_plain(void) {
    EXPECT_INT(0,
               grammar_parse("key:key value:string n:integer d:double p:pattern t:unix-time", &g));
    EXPECT_INT(6, g.count);
    static const enum grammar_type types[] = {GRAMMAR_KEY,    GRAMMAR_STRING,  GRAMMAR_INTEGER,
                                              GRAMMAR_DOUBLE, GRAMMAR_PATTERN, GRAMMAR_UNIX_TIME};
    int16_t at = g.first;
    for (int i = 0; i < 6; i++, at = g.args[at].next) {
        EXPECT_INT(types[i], arg(at)->type);
        EXPECT_INT(i == 0 ? 0 : -1, arg(at)->key_spec);
        EXPECT(!arg(at)->optional && !arg(at)->multiple);
    }
    EXPECT_INT(-1, at);
    EXPECT_SPAN(SPAN("value"), grammar_name(arg(1), lower));
}

static void test_tokens(void) {
    EXPECT_INT(0, grammar_parse("[GET@6.2.0] EX seconds:integer [equal==] KEEPTTL", &g));
    EXPECT_INT(4, g.count);
    EXPECT_INT(GRAMMAR_PURE_TOKEN, arg(0)->type);
    EXPECT_SPAN(SPAN("get"), grammar_name(arg(0), lower));
    EXPECT_SPAN(SPAN("GET"), arg(0)->token);
    EXPECT_SPAN(SPAN("6.2.0"), arg(0)->since);
    EXPECT(arg(0)->optional);
    EXPECT_INT(GRAMMAR_INTEGER, arg(1)->type);
    EXPECT_SPAN(SPAN("EX"), arg(1)->token);
    EXPECT_SPAN(SPAN("seconds"), grammar_name(arg(1), lower));
    EXPECT(!arg(1)->optional);
    EXPECT_SPAN(SPAN("equal"), grammar_name(arg(2), lower));
    EXPECT_SPAN(SPAN("="), arg(2)->token);
    EXPECT_INT(GRAMMAR_PURE_TOKEN, arg(3)->type);
}

static void test_marks(void) {
    EXPECT_INT(0,
               grammar_parse("key:key... [BY by-pattern:pattern<pattern>#1] "
                             "[GET... get-pattern:pattern<pattern>#1] old:string<ip:port>!2.8.12 "
                             "ID id:integer...@2.8.12 x:string@1.2.3...",
                             &g));
    EXPECT_INT(6, g.count);
    EXPECT(arg(0)->multiple && !arg(0)->multiple_token);
    EXPECT_SPAN(SPAN("pattern"), arg(1)->display);
    EXPECT_INT(1, arg(1)->key_spec);
    EXPECT(arg(1)->optional && !arg(1)->multiple);
    EXPECT(arg(2)->optional && arg(2)->multiple && arg(2)->multiple_token);
    EXPECT_SPAN(SPAN("ip:port"), arg(3)->display);
    EXPECT_SPAN(SPAN("2.8.12"), arg(3)->deprecated_since);
    EXPECT(arg(4)->multiple && !arg(4)->multiple_token);
    EXPECT_SPAN(SPAN("2.8.12"), arg(4)->since);
    EXPECT(arg(5)->multiple);
    EXPECT_SPAN(SPAN("1.2.3"), arg(5)->since);
}

static void test_groups(void) {
    EXPECT_INT(0, grammar_parse("(key:key value:string)... [condition:(NX | XX@2.0.0)]@6.0.0 "
                                "[LIMIT limit:(offset:integer count:integer)] [A | B] one:(C |)",
                                &g));
    EXPECT_INT(5, g.count);
    const struct grammar_arg *at = arg(g.first);
    EXPECT_INT(GRAMMAR_BLOCK, at->type);
    EXPECT_SPAN(SPAN("data"), at->name);
    EXPECT(at->multiple);
    EXPECT_INT(2, at->child_count);
    EXPECT_INT(GRAMMAR_KEY, child(at, 0)->type);
    at = arg(at->next);
    EXPECT_INT(GRAMMAR_ONEOF, at->type);
    EXPECT(at->optional);
    EXPECT_SPAN(SPAN("6.0.0"), at->since);
    EXPECT_SPAN(SPAN("2.0.0"), child(at, 1)->since);
    at = arg(at->next);
    EXPECT_INT(GRAMMAR_BLOCK, at->type);
    EXPECT_SPAN(SPAN("LIMIT"), at->token);
    EXPECT_SPAN(SPAN("limit"), at->name);
    EXPECT_SPAN(SPAN("count"), child(at, 1)->name);
    at = arg(at->next);
    EXPECT_INT(GRAMMAR_ONEOF, at->type);
    EXPECT_SPAN(SPAN("condition"), at->name);
    at = arg(at->next);
    EXPECT_INT(GRAMMAR_ONEOF, at->type);
    EXPECT_INT(1, at->child_count);
}

static void test_nested(void) {
    EXPECT_INT(0, grammar_parse("[a:(b:(c:string | D) [e:integer])... | F]", &g));
    EXPECT_INT(1, g.count);
    const struct grammar_arg *choice = arg(g.first);
    EXPECT_INT(GRAMMAR_ONEOF, choice->type);
    EXPECT(choice->optional && !choice->multiple);
    const struct grammar_arg *block = child(choice, 0);
    EXPECT_INT(GRAMMAR_BLOCK, block->type);
    EXPECT(block->multiple && !block->optional);
    EXPECT_INT(GRAMMAR_ONEOF, child(block, 0)->type);
    EXPECT(child(block, 1)->optional);
}

static void test_mistakes(void) {
    static const char *const texts[] = {
        "a",      "a:",    "a:text",  "[a:key",  "(a:key", "a:(b:key", "a:key)", "[]",
        "()",     "A | B", "a:key#x", "a:key<b", ":key",   "a b:key",  "a:()",   "[a:key] ]",
        "(a:key", "|",     "a:(|)",   "GET a:",  "a:keys", "@1.0.0",
    };
    for (size_t i = 0; i < ARRAY_LENGTH(texts); i++) {
        if (grammar_parse(texts[i], &g) == 0)
            test_fail(__FILE__, __LINE__, "\"%s\" was taken", texts[i]);
    }
    EXPECT_INT(0, grammar_parse("", &g));
    EXPECT_INT(0, g.count);
    EXPECT_INT(-1, g.first);
}

static void test_limits(void) {
    char deep[64] = "", wide[GRAMMAR_ARGS_MAX * 4 + 8] = "";
    for (int i = 0; i < GRAMMAR_DEPTH_MAX + 1; i++) memcpy(deep + 3 * i, "a:(", 4);
    EXPECT(grammar_parse(deep, &g) < 0);
    for (int i = 0; i < GRAMMAR_ARGS_MAX + 1; i++) memcpy(wide + 2 * i, "A ", 3);
    EXPECT_INT(ERROR_LIMIT, grammar_parse(wide, &g));
    wide[2 * GRAMMAR_ARGS_MAX] = 0;
    EXPECT_INT(0, grammar_parse(wide, &g));
    EXPECT_INT(GRAMMAR_ARGS_MAX, g.count);
}

/* ---- the tables */

static void check_row(const struct command *c, const char *container) {
    const char *bar = container ? "|" : "", *head = container ? container : "";
    int specs = 0;
    if (c->arguments && grammar_parse(c->arguments, &g) < 0) {
        test_fail(__FILE__, __LINE__, "%s%s%s: \"%s\"", head, bar, c->name, c->arguments);
        return;
    }
    while (specs < COMMAND_KEY_SPECS_MAX && c->keys[specs].flags) specs++;
    for (int i = 0; c->arguments && i < g.used; i++) {
        bool key = g.args[i].type == GRAMMAR_KEY;
        if (key && !c->find_keys && g.args[i].key_spec >= specs)
            test_fail(__FILE__, __LINE__, "%s%s%s: a key without specification", head, bar,
                      c->name);
    }
    if (!c->summary || !c->since || c->arity == 0)
        test_fail(__FILE__, __LINE__, "%s%s%s: a row without summary, since or arity", head, bar,
                  c->name);
    if (!c->run && !c->subcommands)
        test_fail(__FILE__, __LINE__, "%s%s%s: nothing to run", head, bar, c->name);
}

static void test_rows(void) {
    static const struct command *const tables[] = {
        commands_connection, commands_string,      commands_keys,        commands_list,
        commands_set,        commands_hash,        commands_zset,        commands_geo,
        commands_stream,     commands_bitmap,      commands_hyperloglog, commands_sort,
        commands_pubsub,     commands_transaction, commands_server,
    };
    for (size_t i = 0; i < ARRAY_LENGTH(tables); i++) {
        for (const struct command *c = tables[i]; c->name; c++) {
            check_row(c, NULL);
            for (const struct command *sub = c->subcommands; sub && sub->name; sub++)
                check_row(sub, c->name);
        }
    }
}

int main(int argc, char **argv) {
    static const struct test tests[] = {
        {"grammar_plain", test_plain},   {"grammar_tokens", test_tokens},
        {"grammar_marks", test_marks},   {"grammar_groups", test_groups},
        {"grammar_nested", test_nested}, {"grammar_mistakes", test_mistakes},
        {"grammar_limits", test_limits}, {"grammar_rows", test_rows},
    };
    return test_main(tests, ARRAY_LENGTH(tests), argc, argv);
}
