/* Inside server/config*.c only: the table's state. */
#ifndef SERVER_CONFIG_TABLE_H
#define SERVER_CONFIG_TABLE_H

#include "server/config.h"

struct config_apply_row {
    config_apply *function;
    void *context;
};

struct config {
    struct settings *settings;
    uint32_t count;           /* rows, own ones first */
    union option_slot *spare; /* by row: values of options without a field in settings */
    bool *given;              /* by row: named in a file or on the command line */
    struct config_apply_row apply[OPTION_APPLY_COUNT];
    char *file; /* absolute path of the file to rewrite, NULL: none */
    struct buf warnings, ignored;
    uint32_t include_depth;
    uint32_t directive_count; /* of those that are not options, includes apart */
    void (*put_users)(void *context, struct buf *out); /* see config_on_rewrite */
    void *put_users_context;
    char error[OPTION_ERROR_BYTES * 2]; /* the last error text that was put together */
};

/* The row's place among all rows. */
uint32_t config_index(const struct option *option);
bool config_is_foreign(const struct option *option);
/* Parses and sets. A foreign option's rule is kept: at start (`starting`) pinned options warn, at run time they refuse. NULL, or
 * the error text. */
const char *config_parse(struct config *config, const struct option *option,
                         const struct span *words, uint32_t count, bool starting);

#endif
