#include "acl/catalogue.h"

#include <strings.h>

#include "base/alloc.h"

/* Order of names in lower case, then of length: as many comparisons as a binary search needs. */
static int compare_name(struct span name, const char *other) {
    size_t other_len = strlen(other), len = name.len < other_len ? name.len : other_len;
    int order = len ? strncasecmp(name.data, other, len) : 0;
    if (order) return order;
    return name.len < other_len ? -1 : name.len > other_len;
}

/* Insertion, from the back: the tables come nearly sorted, and it happens once. */
static void sort_names(struct acl_catalogue *c) {
    for (uint32_t i = 0; i < c->count; i++) {
        struct span name = span_of(c->commands[i].name);
        uint32_t at = i;
        for (; at > 0 && compare_name(name, c->commands[c->by_name[at - 1]].name) < 0; at--) {
            c->by_name[at] = c->by_name[at - 1];
        }
        c->by_name[at] = i;
    }
}

void acl_catalogue_init(struct acl_catalogue *c, struct acl_command *commands, uint32_t count,
                        const char *const *categories, uint32_t category_count) {
    *c = (struct acl_catalogue){
        .commands = commands,
        .count = count,
        .by_name = mem_alloc((count + 1) * sizeof *c->by_name),
        .categories = categories,
        .category_count = category_count,
    };
    sort_names(c);
}

void acl_catalogue_release(struct acl_catalogue *c) {
    mem_free(c->commands);
    mem_free(c->by_name);
    *c = (struct acl_catalogue){0};
}

int32_t acl_catalogue_find(const struct acl_catalogue *c, struct span name) {
    uint32_t low = 0, high = c->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2, id = c->by_name[middle];
        int order = compare_name(name, c->commands[id].name);
        if (order == 0) return (int32_t)id;
        if (order < 0) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return -1;
}

uint32_t acl_catalogue_category(const struct acl_catalogue *c, struct span name) {
    for (uint32_t i = 0; i < c->category_count; i++) {
        if (span_is(name, c->categories[i])) return 1u << i;
    }
    return 0;
}
