/* Rules and their texts: what a user's description says after a list of rules, and that the description makes the same user. */
#include "acl/acl.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/log.h"
#include "base/random.h"
#include "base/words.h"
#include "test.h"

static const char *const categories[] = {"read", "write", "admin"};
static const struct acl_command commands[] = {
    {"get", 1, 0, false},      {"set", 2, 0, false},       {"select", 0, 0, false},
    {"config", 0, 2, false},   {"config|get", 4, 0, true}, {"config|set", 4, 0, true},
    {"getrange", 1, 0, false}, {"del", 2, 0, false},
};
enum { GET, SET, SELECT, CONFIG, CONFIG_GET, CONFIG_SET };

static struct acl *new_acl(void) {
    struct acl_catalogue catalogue;
    struct acl_command *copy = mem_alloc(sizeof commands);
    memcpy(copy, commands, sizeof commands);
    acl_catalogue_init(&catalogue, copy, ARRAY_LENGTH(commands), categories,
                       ARRAY_LENGTH(categories));
    return acl_new(catalogue);
}

static struct buf text;

/* "OK", or the error, after the rules of one user; its description is in `text`. */
static const char *set_user(struct acl *acl, const char *name, const char *rules) {
    struct words words;
    static char answer[256];
    struct buf error = {0};
    struct acl_user *draft = acl_draft(acl, span_of(name));
    if (words_split_plain(span_of(rules), &words) < 0) return "unsplit";
    int rc = acl_apply_words(acl, draft, words.at, words.count, &error);
    words_release(&words);
    snprintf(answer, sizeof answer, "%s", rc < 0 ? buf_terminate(&error) : "OK");
    buf_release(&error);
    if (rc < 0) {
        acl_user_free(draft);
        return answer;
    }
    buf_clear(&text);
    acl_user_put(acl_keep(acl, draft), &text);
    return answer;
}

#define PREFIX "off sanitize-payload "
#define HASH "5e884898da28047151d0e56f8dc6292773603d0d6aabbdd62a11ef721d1542d8" /* "password" */

static void test_descriptions(void) {
    static const char *const rows[][2] = {
        {"", PREFIX "resetchannels -@all"},
        {"on >password >password ~a ~a &b",
         "on sanitize-payload #" HASH " ~a resetchannels &b -@all"},
        {"#" HASH " nopass", "off nopass sanitize-payload resetchannels -@all"},
        {"nopass resetpass skip-sanitize-payload", "off skip-sanitize-payload resetchannels -@all"},
        {"%R~a %W~b %rw~c %W~a", PREFIX "~a %W~b ~c resetchannels -@all"},
        {"%R", PREFIX "%R~ resetchannels -@all"},
        {"~x allkeys allchannels allcommands", PREFIX "~* &* +@all"},
        {"+@all -GET +get -get", PREFIX "resetchannels +@all -get"},
        {"+config|get +config|set -config", PREFIX "resetchannels -@all -config"},
        {"+@Read -getrange -config|get", PREFIX "resetchannels -@all +@read -getrange -config|get"},
        {"+select|0 +select|1 +select|0", PREFIX "resetchannels -@all +select|1 +select|0"},
        {"+select|0 +select", PREFIX "resetchannels -@all +select"},
        {"+get -@all +set nocommands", PREFIX "resetchannels -@all"},
        {"(+get ~a) (%R~b &c)", PREFIX "resetchannels -@all (~a resetchannels -@all +get) "
                                       "(%R~b resetchannels &c -@all)"},
        {"(+get) clearselectors +set", PREFIX "resetchannels -@all +set"},
        {"on nopass ~a +get (~b) reset", PREFIX "resetchannels -@all"},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
        struct acl *acl = new_acl();
        EXPECT_SPAN(SPAN("OK"), span_of(set_user(acl, "u", rows[i][0])));
        EXPECT_SPAN(span_of(rows[i][1]), buf_span(&text));
        acl_free(acl);
    }
}

static void test_errors(void) {
    static const char *const rows[][2] = {
        {"+nosuch",
         "Error in ACL SETUSER modifier '+nosuch': Unknown command or category name in ACL"},
        {"+@nosuch",
         "Error in ACL SETUSER modifier '+@nosuch': Unknown command or category name in ACL"},
        {"-select|0",
         "Error in ACL SETUSER modifier '-select|0': Unknown command or category name in ACL"},
        {"+config|nosuch",
         "Error in ACL SETUSER modifier '+config|nosuch': Unknown command or category name in ACL"},
        {"+config|get|x", "Error in ACL SETUSER modifier '+config|get|x': Allowing first-arg of a "
                          "subcommand is not supported"},
        {"+get|", "Error in ACL SETUSER modifier '+get|': Syntax error"},
        {"+", "Error in ACL SETUSER modifier '+': Unknown command or category name in ACL"},
        {"-@", "Error in ACL SETUSER modifier '-@': Unknown command or category name in ACL"},
        {"%~x", "Error in ACL SETUSER modifier '%~x': Syntax error"},
        {"%RR~x", "Error in ACL SETUSER modifier '%RR~x': Syntax error"},
        {"what", "Error in ACL SETUSER modifier 'what': Syntax error"},
        {"<absent",
         "Error in ACL SETUSER modifier '<absent': The password you are trying to remove "
         "from the user does not exist"},
        {"(+get ~a", "Unmatched parenthesis in acl selector starting at '(+get'."},
        {"(", "Unmatched parenthesis in acl selector starting at '('."},
        {"(+nosuch)",
         "Error in ACL SETUSER modifier '(+nosuch)': Unknown command or category name in ACL"},
        {"(\"~a)", "Error in ACL SETUSER modifier '(\"~a)': Syntax error"},
    };
    static const char *const starts[][2] = {
        {"~* ~a", "Error in ACL SETUSER modifier '~a': Adding a pattern after the * pattern (or "
                  "the 'allkeys'"},
        {"&* &a", "Error in ACL SETUSER modifier '&a': Adding a pattern after the * pattern (or "
                  "the 'allchannels'"},
        {"#12",
         "Error in ACL SETUSER modifier '#12': The password hash must be exactly 64 characters"},
    };
    struct acl *acl = new_acl();
    for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
        EXPECT_SPAN(span_of(rows[i][1]), span_of(set_user(acl, "u", rows[i][0])));
        EXPECT(acl_find(acl, SPAN("u")) == NULL); /* all or nothing */
    }
    for (size_t i = 0; i < ARRAY_LENGTH(starts); i++) {
        EXPECT(strncmp(set_user(acl, "u", starts[i][0]), starts[i][1], strlen(starts[i][1])) == 0);
    }
    acl_free(acl);
}

static bool may(const struct acl *acl, uint32_t command, const char *first) {
    return acl_selector_allows(acl_user_root(acl_find(acl, SPAN("u"))), command, span_of(first));
}

static void test_commands(void) {
    struct acl *acl = new_acl();
    EXPECT_SPAN(SPAN("OK"), span_of(set_user(acl, "u", "+config|get +@read +select|0")));
    EXPECT(may(acl, GET, "") && !may(acl, SET, "") && may(acl, CONFIG_GET, "x"));
    EXPECT(!may(acl, CONFIG, "") && !may(acl, CONFIG_SET, "x"));
    EXPECT(may(acl, SELECT, "0") && !may(acl, SELECT, "1"));
    EXPECT_SPAN(SPAN("OK"), span_of(set_user(acl, "u", "+config -config|set -@all +@admin")));
    EXPECT(may(acl, CONFIG_SET, "") && !may(acl, GET, "") && !may(acl, SELECT, "0"));
    EXPECT_SPAN(SPAN("OK"), span_of(set_user(acl, "u", "+@all -config")));
    EXPECT(may(acl, GET, "") && !may(acl, CONFIG_GET, ""));
    acl_free(acl);
}

static void test_unrestricted(void) {
    struct acl *acl = new_acl();
    EXPECT(acl->default_user->unrestricted);
    EXPECT_SPAN(SPAN("OK"), span_of(set_user(acl, "u", "+@all allkeys allchannels")));
    EXPECT(acl_find(acl, SPAN("u"))->unrestricted);
    EXPECT_SPAN(SPAN("OK"), span_of(set_user(acl, "u", "-get")));
    EXPECT(!acl_find(acl, SPAN("u"))->unrestricted);
    EXPECT_SPAN(SPAN("OK"), span_of(set_user(acl, "u", "(+@all ~* &*)")));
    EXPECT(acl_find(acl, SPAN("u"))->unrestricted);
    EXPECT_SPAN(SPAN("OK"), span_of(set_user(acl, "default", "resetchannels")));
    EXPECT(!acl->default_user->unrestricted);
    acl_free(acl);
}

static void test_passwords(void) {
    struct acl *acl = new_acl();
    EXPECT(acl_user_accepts(acl->default_user, SPAN("anything")));
    EXPECT_SPAN(SPAN("OK"), span_of(set_user(acl, "u", ">one >two")));
    const struct acl_user *u = acl_find(acl, SPAN("u"));
    EXPECT(!acl_user_accepts(u, SPAN("one"))); /* off */
    EXPECT_SPAN(SPAN("OK"), span_of(set_user(acl, "u", "on <one")));
    EXPECT(!acl_user_accepts(u, SPAN("one")) && acl_user_accepts(u, SPAN("two")));
    EXPECT(!acl_user_accepts(u, SPAN("")) && !acl_user_accepts(u, SPAN("twoo")));
    acl_user_set_password(acl->default_user, SPAN("x"));
    EXPECT(!acl_user_accepts(acl->default_user, SPAN("y")));
    acl_user_set_password(acl->default_user, SPAN(""));
    EXPECT(acl_user_accepts(acl->default_user, SPAN("y")));
    acl_free(acl);
}

/* ---- files */

static void test_file_errors(void) {
    static const char file[] =
        "user a on\n\n  user a off\n# no comments\nuser b +nosuch ~* ~x what\n"
        "user c (+get\nuser\n";
    struct acl *acl = new_acl();
    struct buf error = {0};
    EXPECT(acl_parse(acl, SPAN(file), "f", &error) == NULL);
    EXPECT_SPAN(
        SPAN(
            "WARNING: Duplicate user 'a' found on line 3. f:4 should start with user keyword "
            "followed by the username. f:5: Error in applying operation '+nosuch': Unknown command "
            "or category name in ACL. f:5: Adding a pattern after the * pattern (or the 'allkeys' "
            "flag) is not valid and does not have any effect. Try 'resetkeys' to start with an "
            "empty list of patterns. f:6: Unmatched parenthesis in selector definition.f:7 should "
            "start with user keyword followed by the username. WARNING: ACL errors detected, no "
            "change to the previously active ACL rules was performed"),
        buf_span(&error));
    buf_release(&error);
    EXPECT_INT(1, acl->users.count);
    acl_free(acl);
}

/* Users keep their place; those that are not in the text go. */
static void test_replace(void) {
    struct acl *acl = new_acl();
    struct buf error = {0};
    set_user(acl, "stays", "on ~x");
    set_user(acl, "goes", "on");
    const struct acl_user *stays = acl_find(acl, SPAN("stays"));
    struct acl_users *fresh =
        acl_parse(acl, SPAN("user stays off ~y\r\nuser new on  (+get ~z)\n"), "f", &error);
    EXPECT(fresh != NULL);
    acl_replace(acl, fresh);
    EXPECT_INT(3, acl->users.count);
    EXPECT(acl_find(acl, SPAN("stays")) == stays && !stays->enabled);
    EXPECT(!acl_find(acl, SPAN("goes")) && acl_find(acl, SPAN("new")));
    EXPECT(acl_find(acl, SPAN("default")) == acl->default_user);
    EXPECT(!acl_remove(acl, SPAN("default")) && !acl_remove(acl, SPAN("goes")));
    EXPECT(acl_remove(acl, SPAN("new")));
    acl_free(acl);
    buf_release(&error);
}

static const char *const pieces[] = {
    "on",
    "off",
    "nopass",
    ">a",
    ">b",
    "resetpass",
    "~a*",
    "%R~b",
    "%W~b",
    "~\"q'",
    "allkeys",
    "resetkeys",
    "&c",
    "&d)",
    "allchannels",
    "resetchannels",
    "+get",
    "-get",
    "+config",
    "-config|get",
    "+config|set",
    "+@read",
    "-@write",
    "+@all",
    "-@all",
    "+select|1",
    "+select",
    "-select",
    "reset",
    "(~x",
    "+get)",
    "(+@all",
    "-config",
    "%R~\"r\"",
    "&\\s)",
    "skip-sanitize-payload",
    "clearselectors",
};

/* Whatever rules made it, a user's text makes the same user: in a file, and written again. */
static void test_texts_come_back(void) {
    struct random random;
    random_init(&random, test_seed());
    for (int round = 0; round < 3000; round++) {
        struct acl *acl = new_acl();
        struct buf rules = {0}, file = {0}, again = {0}, error = {0};
        for (uint64_t n = random_below(&random, 12); n > 0; n--) {
            buf_printf(&rules, "%s ", pieces[random_below(&random, ARRAY_LENGTH(pieces))]);
        }
        set_user(acl, "u", buf_terminate(&rules));
        acl_put(acl, &file);
        struct acl_users *users = acl_parse(acl, buf_span(&file), "f", &error);
        if (!users)
            test_fail(__FILE__, __LINE__, "%s: %s", buf_terminate(&file), buf_terminate(&error));
        EXPECT(users != NULL);
        acl_replace(acl, users);
        acl_put(acl, &again);
        EXPECT_SPAN(buf_span(&file), buf_span(&again));
        acl_free(acl);
        buf_release(&rules);
        buf_release(&file);
        buf_release(&again);
        buf_release(&error);
    }
}

/* ---- the log */

static void test_log(void) {
    struct acl_log log;
    struct acl_log_event event = {.why = ACL_DENIED_KEY,
                                  .object = SPAN("k"),
                                  .user = SPAN("u"),
                                  .client = SPAN("c"),
                                  .now_ms = 1000};
    acl_log_init(&log);
    acl_log_add(&log, &event, 3);
    event.now_ms += ACL_LOG_GROUP_MS;
    acl_log_add(&log, &event, 3);
    EXPECT_INT(1, log.count);
    const struct acl_log_entry *e = LIST_ENTRY(log.entries.next, struct acl_log_entry, link);
    EXPECT_INT(2, e->count);
    EXPECT_INT(1000, e->created_ms);
    EXPECT_INT(event.now_ms, e->updated_ms);
    event.now_ms += ACL_LOG_GROUP_MS + 1;
    acl_log_add(&log, &event, 3);
    EXPECT_INT(2, log.count);
    event.user = SPAN("v");
    acl_log_add(&log, &event, 3);
    event.where = ACL_CONTEXT_MULTI;
    acl_log_add(&log, &event, 3);
    EXPECT_INT(3, log.count);
    e = LIST_ENTRY(log.entries.next, struct acl_log_entry, link);
    EXPECT_INT(3, e->id);
    acl_log_add(&log, &event, 0);
    EXPECT_INT(0, log.count);
    acl_log_release(&log);
}

int main(int argc, char **argv) {
    static const struct test tests[] = {
        {"acl_descriptions", test_descriptions},
        {"acl_errors", test_errors},
        {"acl_commands", test_commands},
        {"acl_unrestricted", test_unrestricted},
        {"acl_passwords", test_passwords},
        {"acl_file_errors", test_file_errors},
        {"acl_replace", test_replace},
        {"acl_texts_come_back", test_texts_come_back},
        {"acl_log", test_log},
    };
    struct log_options quiet = {.level = LOG_LEVEL_NOTHING};
    CHECK(log_open(&quiet) == 0); /* first arguments are warned about */
    int rc = test_main(tests, ARRAY_LENGTH(tests), argc, argv);
    buf_release(&text);
    return rc;
}
