/* The commands that rules are about, as plain data: whoever has the commands fills it in once. A command's place in `commands` is
 * its number; a container's subcommands stand directly behind it. */
#ifndef ACL_CATALOGUE_H
#define ACL_CATALOGUE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"

struct acl_command {
    const char *name;          /* whole: "get", "config|get"; what it was called before rename-command; borrowed */
    uint32_t categories;       /* bit i: catalogue.categories[i] */
    uint32_t subcommand_count; /* of a container */
    bool is_subcommand;
};

struct acl_catalogue {
    struct acl_command *commands; /* owned */
    uint32_t count;
    uint32_t *by_name;            /* numbers in the order of names */
    const char *const *categories; /* borrowed, without the @ */
    uint32_t category_count;
};

/* Takes over `commands` (from mem_alloc). */
void acl_catalogue_init(struct acl_catalogue *c, struct acl_command *commands, uint32_t count,
                        const char *const *categories, uint32_t category_count);
void acl_catalogue_release(struct acl_catalogue *c);
/* The number of a command by its whole name, any case; -1: there is none. */
int32_t acl_catalogue_find(const struct acl_catalogue *c, struct span name);
/* The bit of a category by its name without the @, any case; 0: there is none. */
uint32_t acl_catalogue_category(const struct acl_catalogue *c, struct span name);

#endif
