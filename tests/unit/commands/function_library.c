/* Sets of libraries: joined as a whole or not at all, whatever is refused on the way. */
#include "test.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "base/random.h"
#include "commands/function_library.h"

enum { NAMES = 6, ROUNDS = 400, ERROR_BYTES = LIBRARY_ERROR_BYTES };

static struct chunk_pool chunks;
static struct script_engine *engine;
static char error[ERROR_BYTES];

static void on_log(struct script_run *run, enum script_log_level level, struct span text) {}

static bool begin(void) {
    static const struct script_callbacks callbacks = {.log = on_log};
    struct script_options options = {
        .callbacks = &callbacks,
        .chunks = &chunks,
        .redis_version = "7.2.4",
        .version = "1.0.0",
    };
    hash_seed_set(1, 2);
    chunk_pool_init(&chunks);
    engine = script_engine_new(&options);
    return engine;
}

static void end(void) {
    script_engine_free(engine);
    chunk_pool_release(&chunks);
}

static int load(struct library_set *set, const char *name, const char *text) {
    return library_load(set, span_of(name), span_of(text), error, sizeof error);
}

/* ---- first lines */

static void test_names(void) {
    static const struct {
        const char *text, *name, *error;
    } cases[] = {
        {"#!lua name=abc\n", "abc", NULL},
        {"#!LUA \t NAME='a_1' \r\nrest", "a_1", NULL},
        {"", NULL, "Missing library metadata"},
        {"#", NULL, "Missing library metadata"},
        {"#!lua name=a", NULL, "Invalid library metadata"},
        {"#!lua name=\"a\n", NULL, "Invalid library metadata"},
        {"#!lua\n", NULL, "Library name was not given"},
        {"#!lua name=a name=a\n", NULL,
         "Invalid metadata value, name argument was given multiple times"},
        {"#!lua nam=a\n", NULL, "Invalid metadata value given: nam=a"},
        {"#!python name=a\n", NULL, "Engine 'python' not found"},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct buf name = {0};
        int rc = library_read_name(span_of(cases[i].text), &name, error, sizeof error);
        EXPECT_INT(cases[i].name ? 0 : -1, rc);
        if (cases[i].name) EXPECT_SPAN(span_of(cases[i].name), buf_span(&name));
        if (cases[i].error) EXPECT_SPAN(span_of(cases[i].error), span_of(error));
        buf_release(&name);
    }
}

/* A word of the first line that is longer than the error's text may be. */
static void test_long_words(void) {
    struct buf text = {0}, name = {0};
    buf_put_text(&text, "#!lua ");
    for (int i = 0; i < 3 * ERROR_BYTES; i++) buf_put_char(&text, 'x');
    buf_put_char(&text, '\n');
    EXPECT_INT(-1, library_read_name(buf_span(&text), &name, error, sizeof error));
    EXPECT_INT(ERROR_BYTES - 1, strlen(error));
    EXPECT_INT(0, name.len);
    buf_release(&text);
}

/* ---- finding */

static void test_find(void) {
    struct library_set set;
    if (!begin()) return;
    library_set_init(&set, engine);
    EXPECT_INT(0, load(&set, "l",
                       "#!lua name=l\nredis.register_function('Some_name_of_more_than_16_bytes', "
                       "function() end)"));
    const struct function *f = library_find_function(&set, SPAN("sOME_NAME_OF_MORE_THAN_16_BYTES"));
    EXPECT(f != NULL);
    EXPECT_SPAN(SPAN("Some_name_of_more_than_16_bytes"), f->name);
    EXPECT(!library_find_function(&set, SPAN("some_name_of_more_than_16_byte")));
    EXPECT(!library_find_function(&set, SPAN("")));
    EXPECT(library_find(&set, SPAN("l")) && !library_find(&set, SPAN("L")));
    EXPECT(library_set_bytes(&set) > set.bytes && set.bytes > 0);
    library_set_release(&set);
    end();
}

/* ---- joining, against a model: which library each function belongs to; -1: none */

struct model {
    int owner[NAMES];  /* by function */
    bool there[NAMES]; /* by library */
};

static void make_text(struct buf *text, int library, unsigned functions) {
    buf_clear(text);
    buf_printf(text, "#!lua name=lib%d\n", library);
    for (int i = 0; i < NAMES; i++) {
        if (functions >> i & 1)
            buf_printf(text, "redis.register_function('f%d', function() end)\n", i);
    }
}

/* Some libraries with functions that no two of them have. */
static int stage(struct library_set *staged, struct model *model, struct random *random) {
    struct buf text = {0};
    int rc = 0;
    *model = (struct model){0};
    for (int i = 0; i < NAMES; i++) model->owner[i] = -1;
    for (int library = 0; library < NAMES && rc == 0; library++) {
        unsigned functions =
            (unsigned)random_below(random, 1 << NAMES) & (unsigned)random_below(random, 1 << NAMES);
        for (int i = 0; i < NAMES; i++) {
            if (model->owner[i] >= 0) functions &= ~(1u << i);
        }
        if (!functions || random_below(random, 2)) continue;
        char name[16];
        snprintf(name, sizeof name, "lib%d", library);
        make_text(&text, library, functions);
        rc = library_load(staged, span_of(name), buf_span(&text), error, sizeof error);
        model->there[library] = true;
        for (int i = 0; i < NAMES; i++) {
            if (functions >> i & 1) model->owner[i] = library;
        }
    }
    buf_release(&text);
    return rc;
}

static bool model_join(struct model *to, const struct model *from, bool replace) {
    struct model result = *to;
    for (int library = 0; library < NAMES; library++) {
        if (!from->there[library]) continue;
        if (to->there[library] && !replace) return false;
        result.there[library] = true;
        for (int i = 0; i < NAMES; i++) {
            if (result.owner[i] == library) result.owner[i] = -1;
        }
    }
    for (int i = 0; i < NAMES; i++) {
        if (from->owner[i] >= 0 && result.owner[i] >= 0) return false;
        if (from->owner[i] >= 0) result.owner[i] = from->owner[i];
    }
    *to = result;
    return true;
}

static bool same(const struct library_set *set, const struct model *model) {
    uint64_t libraries = 0, functions = 0;
    for (int i = 0; i < NAMES; i++) {
        char name[16], library[16];
        snprintf(name, sizeof name, "F%d", i);
        const struct function *f = library_find_function(set, span_of(name));
        if (!f != (model->owner[i] < 0)) return false;
        functions += f != NULL;
        snprintf(library, sizeof library, "lib%d", model->owner[i]);
        if (f && !span_eq(f->library->name, span_of(library))) return false;
        snprintf(library, sizeof library, "lib%d", i);
        if (!library_find(set, span_of(library)) != !model->there[i]) return false;
        libraries += model->there[i];
    }
    return set->libraries.count == libraries && set->functions.count == functions;
}

static void test_join(void) {
    struct random random;
    struct library_set set;
    struct model model = {0};
    if (!begin()) return;
    random_init(&random, test_seed());
    library_set_init(&set, engine);
    for (int i = 0; i < NAMES; i++) model.owner[i] = -1;
    for (int round = 0; round < ROUNDS; round++) {
        struct library_set staged;
        struct model added;
        bool replace = random_below(&random, 3) > 0;
        library_set_init(&staged, engine);
        EXPECT_INT(0, stage(&staged, &added, &random));
        EXPECT(same(&staged, &added));
        bool joined = model_join(&model, &added, replace);
        EXPECT_INT(joined ? 0 : -1, library_join(&set, &staged, replace, error, sizeof error));
        EXPECT(same(&set, &model));
        if (joined) EXPECT_INT(0, staged.libraries.count + staged.functions.count);
        library_set_release(&staged);
        if (random_below(&random, 8) == 0) {
            library_set_clear(&set);
            model = (struct model){0};
            for (int i = 0; i < NAMES; i++) model.owner[i] = -1;
            EXPECT_INT(0, set.bytes);
        }
    }
    library_set_release(&set);
    end();
}

/* ---- refused memory: each allocation of a load in its turn */

static void test_refused_memory(void) {
    static const char text[] =
        "#!lua name=l\nlocal t = {1, 2, 3}\n"
        "redis.register_function('f', function() return t end)\n"
        "redis.register_function{function_name='g', callback=function() return 'text' end, "
        "description='some', flags={'no-writes'}}";
    struct library_set set;
    int rc = -1, refused = 0;
    if (!begin()) return;
    library_set_init(&set, engine);
    for (uint64_t nth = 1; rc < 0 && nth < 10000; nth++) {
        script_collect(engine);
        mem_test_fail_at(nth);
        rc = load(&set, "l", text);
        mem_test_fail_at(0);
        if (rc < 0) refused++;
        EXPECT_INT(rc < 0 ? 0 : 1, set.libraries.count);
        EXPECT_INT(rc < 0 ? 0 : 2, set.functions.count);
    }
    EXPECT_INT(0, rc);
    EXPECT(refused > 10);
    library_set_release(&set);
    end();
}

int main(int argc, char **argv) {
    static const struct test tests[] = {
        {"function_library_names", test_names},
        {"function_library_long_words", test_long_words},
        {"function_library_find", test_find},
        {"function_library_join", test_join},
        {"function_library_refused_memory", test_refused_memory},
    };
    return test_main(tests, ARRAY_LENGTH(tests), argc, argv);
}
