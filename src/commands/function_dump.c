/* FUNCTION DUMP and RESTORE: the libraries' texts as a dump file holds them, behind one another.
 *
 *   | 245 | string: a library's text |  ...  | footer |          strings and footer: persist/rdb.h */
#include <stdio.h>

#include "commands/function.h"
#include "commands/scripting.h"
#include "persist/rdb.h"

enum {
    RDB_FUNCTION = 245,
    RDB_FUNCTION_EARLY = 246, /* of Redis 7.0's release candidates: name, engine and text apart */
};

void function_dump(struct call *call) {
    struct rdb_writer writer = {0};
    if (!scripting_available(call)) return;
    LIST_FOR_EACH(it, &scripting_functions(call->host)->order) {
        rdb_write_byte(&writer, RDB_FUNCTION);
        rdb_write_string(&writer, LIST_ENTRY(it, struct function_library, link)->code);
    }
    rdb_write_footer(&writer, RDB_VERSION);
    if (writer.failed) {
        reply_error(call->reply, ERROR_MEMORY_TEXT);
    } else {
        reply_bulk(call->reply, buf_span(&writer.out));
    }
    buf_release(&writer.out);
}

/* ---- RESTORE */

enum restore_policy { RESTORE_APPEND, RESTORE_REPLACE, RESTORE_FLUSH };

static bool parse_policy(struct call *call, enum restore_policy *policy) {
    *policy = RESTORE_APPEND;
    if (call->argc > 4) {
        call_subcommand_error(call);
        return false;
    }
    if (call->argc < 4 || call_is(call, 3, "append")) return true;
    if (call_is(call, 3, "replace")) {
        *policy = RESTORE_REPLACE;
    } else if (call_is(call, 3, "flush")) {
        *policy = RESTORE_FLUSH;
    } else {
        reply_error(
            call->reply,
            "ERR Wrong restore policy given, value should be either FLUSH, APPEND or REPLACE.");
        return false;
    }
    return true;
}

static int stage_text(struct library_set *staged, struct span text, char *error, size_t size) {
    struct buf name = {0};
    int rc = library_read_name(text, &name, error, size);
    if (rc == 0 && library_find(staged, buf_span(&name))) {
        snprintf(error, size, "Library '%s' already exists", buf_terminate(&name));
        rc = -1;
    } else if (rc == 0) {
        rc = library_load(staged, buf_span(&name), text, error, size);
    }
    buf_release(&name);
    return rc;
}

static int stage_one(struct library_set *staged, struct rdb_reader *reader,
                     struct rdb_scratch *scratch, char *error, size_t size) {
    unsigned kind;
    struct span text;
    const char *why = NULL;
    if (rdb_read_byte(reader, &kind) < 0) {
        why = "can not read data type";
    } else if (kind == RDB_FUNCTION_EARLY) {
        why = "Pre-GA function format not supported";
    } else if (kind != RDB_FUNCTION) {
        why = "given type is not a function";
    } else if (rdb_read_string(reader, scratch, &text) < 0) {
        why = "Failed loading library payload";
    }
    if (!why) return stage_text(staged, text, error, size);
    snprintf(error, size, "%s", why);
    return -1;
}

static int stage_all(struct library_set *staged, struct span body, char *error, size_t size) {
    struct rdb_reader reader = rdb_reader_of(body);
    struct rdb_scratch scratch = {0};
    int rc = 0;
    while (rc == 0 && rdb_left(&reader)) rc = stage_one(staged, &reader, &scratch, error, size);
    rdb_scratch_release(&scratch);
    return rc;
}

/* All libraries of the payload, or none: the current ones go only when all of the new ones are there. */
static int restore(struct library_set *set, struct span body, enum restore_policy policy,
                   char *error, size_t size) {
    struct library_set staged;
    library_set_init(&staged, set->engine);
    int rc = stage_all(&staged, body, error, size);
    if (rc == 0 && policy == RESTORE_FLUSH) library_set_clear(set);
    if (rc == 0) rc = library_join(set, &staged, policy == RESTORE_REPLACE, error, size);
    library_set_release(&staged);
    return rc;
}

void function_restore(struct call *call) {
    char error[LIBRARY_ERROR_BYTES];
    enum restore_policy policy;
    struct span body;
    if (!parse_policy(call, &policy) || !scripting_available(call)) return;
    if (rdb_check_footer(call->argv[2], &body) < 0) {
        reply_error(call->reply, "ERR DUMP payload version or checksum are wrong");
    } else if (!scripting_functions_engine(call)) {
        return;
    } else if (restore(scripting_functions(call->host), body, policy, error, sizeof error) < 0) {
        reply_errorf(call->reply, "ERR %s", error);
    } else {
        reply_ok(call->reply);
    }
}
