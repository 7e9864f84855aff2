#include "commands/function_library.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/words.h"
#include "script/library.h"

#define NAME_TEXT                                                                                  \
    "Library names can only contain letters, numbers, or underscores(_) and must be at least one " \
    "character long"
#define MEMORY_TEXT "not enough memory for the library"

/* ---- names */

static bool name_fits(struct span name) {
    for (size_t i = 0; i < name.len; i++) {
        char c = name.data[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (!letter && !(c >= '0' && c <= '9') && c != '_') return false;
    }
    return name.len > 0;
}

static uint64_t library_hash(const void *element) {
    const struct function_library *library = element;
    return hash_bytes(library->name.data, library->name.len);
}

static bool library_has_name(const void *element, struct span name) {
    const struct function_library *library = element;
    return span_eq(library->name, name);
}

/* The same for names that differ in the case of letters alone. */
static uint64_t function_name_hash(struct span name) {
    uint64_t hash = name.len;
    char piece[16];
    for (size_t at = 0; at < name.len; at += sizeof piece) {
        size_t len = MIN(name.len - at, sizeof piece);
        for (size_t i = 0; i < len; i++) {
            char c = name.data[at + i];
            piece[i] = c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
        }
        hash = hash_fold(hash ^ hash_bytes(piece, len), 0x9e3779b97f4a7c15u);
    }
    return hash;
}

static uint64_t function_hash(const void *element) {
    const struct function *function = element;
    return function_name_hash(function->name);
}

static bool function_has_name(const void *element, struct span name) {
    const struct function *function = element;
    return span_eq_nocase(function->name, name);
}

static const struct table_type library_type = {.hash = library_hash, .has_key = library_has_name};
static const struct table_type function_type = {.hash = function_hash,
                                                .has_key = function_has_name};

/* ---- sets */

void library_set_init(struct library_set *set, struct script_engine *engine) {
    *set = (struct library_set){.engine = engine};
    table_init(&set->libraries, &library_type);
    table_init(&set->functions, &function_type);
    list_init(&set->order);
}

struct function *library_find_function(const struct library_set *set, struct span name) {
    table_slot *slot = table_find(&set->functions, function_name_hash(name), name);
    return slot ? table_element(slot) : NULL;
}

struct function_library *library_find(const struct library_set *set, struct span name) {
    table_slot *slot = table_find(&set->libraries, hash_bytes(name.data, name.len), name);
    return slot ? table_element(slot) : NULL;
}

size_t library_set_bytes(const struct library_set *set) {
    return set->bytes + set->libraries.memory_bytes + set->functions.memory_bytes;
}

static void link_library(struct library_set *set, struct function_library *library) {
    table_insert(&set->libraries, library_hash(library), library);
    list_push_back(&set->order, &library->link);
    set->bytes += library->bytes;
    LIST_FOR_EACH(it, &library->functions) {
        struct function *function = LIST_ENTRY(it, struct function, link);
        table_insert(&set->functions, function_hash(function), function);
    }
}

static void unlink_library(struct library_set *set, struct function_library *library) {
    uint64_t hash = library_hash(library);
    table_remove(&set->libraries, table_find_element(&set->libraries, hash, library), hash);
    list_remove(&library->link);
    set->bytes -= library->bytes;
    LIST_FOR_EACH(it, &library->functions) {
        struct function *function = LIST_ENTRY(it, struct function, link);
        hash = function_hash(function);
        table_remove(&set->functions, table_find_element(&set->functions, hash, function), hash);
    }
}

static void free_library(struct script_engine *engine, struct function_library *library) {
    LIST_FOR_EACH_SAFE(it, &library->functions) {
        struct function *function = LIST_ENTRY(it, struct function, link);
        script_function_release(engine, function->code);
        mem_free(function);
    }
    mem_free(library);
}

void library_delete(struct library_set *set, struct function_library *library) {
    unlink_library(set, library);
    free_library(set->engine, library);
}

void library_set_clear(struct library_set *set) {
    while (!list_empty(&set->order)) {
        library_delete(set, LIST_ENTRY(set->order.next, struct function_library, link));
    }
}

void library_set_release(struct library_set *set) {
    library_set_clear(set);
    table_release(&set->libraries, NULL, NULL);
    table_release(&set->functions, NULL, NULL);
}

/* ---- the first line: "#!lua name=mylib" */

ATTR_PRINTF(3, 4)
static int fail(char *error, size_t size, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(error, size, format, args);
    va_end(args);
    return -1;
}

static bool cut_line(struct span text, struct span *line) {
    const char *end = memchr(text.data, '\n', text.len);
    *line = span_make(text.data, end ? (size_t)(end - text.data) : 0);
    return end && !memchr(line->data, '\0', line->len);
}

static int read_words(const struct words *words, struct span *name, char *error, size_t size) {
    static const struct span prefix = {"name=", 5};
    for (uint32_t i = 1; i < words->count; i++) {
        struct span word = words->at[i];
        bool is_name =
            word.len >= prefix.len && span_eq_nocase(span_make(word.data, prefix.len), prefix);
        if (!is_name)
            return fail(error, size, "Invalid metadata value given: %.*s", (int)MIN(word.len, size),
                        word.data);
        if (name->data)
            return fail(error, size,
                        "Invalid metadata value, name argument was given multiple times");
        *name = span_make(word.data + prefix.len, word.len - prefix.len);
    }
    if (!name->data) return fail(error, size, "Library name was not given");
    if (!name_fits(*name)) return fail(error, size, NAME_TEXT);
    struct span engine = span_make(words->at[0].data + 2, words->at[0].len - 2);
    if (span_is(engine, "lua")) return 0;
    return fail(error, size, "Engine '%.*s' not found", (int)MIN(engine.len, size), engine.data);
}

int library_read_name(struct span text, struct buf *name, char *error, size_t size) {
    struct words words;
    struct span line, found = {0};
    if (text.len < 2 || memcmp(text.data, "#!", 2) != 0)
        return fail(error, size, "Missing library metadata");
    if (!cut_line(text, &line) || words_split(line, &words) < 0)
        return fail(error, size, "Invalid library metadata");
    int rc = read_words(&words, &found, error, size);
    if (rc == 0) buf_put(name, found.data, found.len);
    words_release(&words);
    return rc;
}

/* ---- loading */

static struct function *make_function(const struct script_registration *r, size_t *bytes) {
    size_t size = sizeof(struct function) + r->name.len + r->description.len;
    struct function *function = mem_try_alloc(size);
    if (!function) return NULL;
    *function = (struct function){.code = r->function, .flags = r->flags};
    char *at = function->text;
    memcpy(at, r->name.data, r->name.len);
    function->name = span_make(at, r->name.len);
    if (r->description.data) {
        at += r->name.len;
        memcpy(at, r->description.data, r->description.len);
        function->description = span_make(at, r->description.len);
    }
    *bytes += mem_class_bytes(size);
    return function;
}

struct loading {
    struct function_library *library;
    struct table functions; /* of the library */
};

static const char *on_registered(void *context, const struct script_registration *r) {
    struct loading *loading = context;
    struct function_library *library = loading->library;
    if (!name_fits(r->name)) return "ERR " NAME_TEXT;
    uint64_t hash = function_name_hash(r->name);
    if (table_find(&loading->functions, hash, r->name))
        return "ERR Function already exists in the library";
    struct function *function = make_function(r, &library->bytes);
    if (!function) return "ERR " MEMORY_TEXT;
    function->library = library;
    table_insert(&loading->functions, hash, function);
    list_push_back(&library->functions, &function->link);
    library->function_count++;
    return NULL;
}

static struct function_library *make_library(struct span name, struct span text) {
    size_t bytes = sizeof(struct function_library) + name.len + text.len;
    struct function_library *library = mem_try_alloc(bytes);
    if (!library) return NULL;
    *library = (struct function_library){.bytes = mem_class_bytes(bytes)};
    memcpy(library->text, name.data, name.len);
    memcpy(library->text + name.len, text.data, text.len);
    library->name = span_make(library->text, name.len);
    library->code = span_make(library->text + name.len, text.len);
    list_init(&library->functions);
    return library;
}

static int run_text(struct script_engine *engine, struct function_library *library, char *error,
                    size_t size) {
    struct loading loading = {.library = library};
    struct script_loading script = {
        .engine = engine,
        .time_ms_max = LIBRARY_LOAD_MS_MAX,
        .registered = on_registered,
        .context = &loading,
    };
    struct span line, code = library->code;
    cut_line(code, &line);
    code = span_make(code.data + line.len,
                     code.len - line.len); /* the line end stays: lines keep their numbers */
    table_init(&loading.functions, &function_type);
    int rc = script_load_library(&script, code, error, size);
    table_release(&loading.functions, NULL, NULL);
    if (rc == 0 && library->function_count == 0)
        return fail(error, size, "No functions registered");
    return rc;
}

/* A function of the library that the set has already. */
static const struct function *find_collision(const struct library_set *set,
                                             const struct function_library *library) {
    LIST_FOR_EACH(it, &library->functions) {
        const struct function *function = LIST_ENTRY(it, struct function, link);
        if (library_find_function(set, function->name)) return function;
    }
    return NULL;
}

static int fail_collision(const struct function *function, char *error, size_t size) {
    return fail(error, size, "Function %.*s already exists", (int)MIN(function->name.len, size),
                function->name.data);
}

int library_load(struct library_set *set, struct span name, struct span text, char *error,
                 size_t size) {
    struct function_library *library = make_library(name, text);
    if (!library) return fail(error, size, MEMORY_TEXT);
    int rc = run_text(set->engine, library, error, size);
    const struct function *collision = rc < 0 ? NULL : find_collision(set, library);
    if (collision) rc = fail_collision(collision, error, size);
    if (rc < 0) {
        free_library(set->engine, library);
    } else {
        link_library(set, library);
    }
    return rc;
}

/* ---- joining */

static int check_join(const struct library_set *to, const struct library_set *from, bool replace,
                      char *error, size_t size) {
    LIST_FOR_EACH(it, &from->order) {
        const struct function_library *library = LIST_ENTRY(it, struct function_library, link);
        if (!replace && library_find(to, library->name))
            return fail(error, size, "Library %.*s already exists",
                        (int)MIN(library->name.len, size), library->name.data);
        LIST_FOR_EACH(at, &library->functions) {
            const struct function *function = LIST_ENTRY(at, struct function, link);
            const struct function *other = library_find_function(to, function->name);
            bool leaves = other && replace && library_find(from, other->library->name);
            if (other && !leaves) return fail_collision(function, error, size);
        }
    }
    return 0;
}

int library_join(struct library_set *to, struct library_set *from, bool replace, char *error,
                 size_t size) {
    if (check_join(to, from, replace, error, size) < 0) return -1;
    LIST_FOR_EACH(it, &from->order) {
        const struct function_library *library = LIST_ENTRY(it, struct function_library, link);
        struct function_library *old = library_find(to, library->name);
        if (old) library_delete(to, old);
    }
    while (!list_empty(&from->order)) {
        struct function_library *library =
            LIST_ENTRY(from->order.next, struct function_library, link);
        unlink_library(from, library);
        link_library(to, library);
    }
    return 0;
}
