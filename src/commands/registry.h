/* All commands of the server: looked up by name, listed, and counted. The tables are const; what is counted lives here. */
#ifndef COMMANDS_REGISTRY_H
#define COMMANDS_REGISTRY_H

#include "commands/command.h"

/* Latency histogram of a command: buckets of powers of two of microseconds, as LATENCY HISTOGRAM shows them, and finer ones
 * inside for percentiles. */
enum { HISTOGRAM_BUCKETS = 176 }; /* 30 powers of two from 1 us to about 1000 s, six parts each: within 12 % */
struct histogram {
    uint64_t count;
    uint32_t buckets[HISTOGRAM_BUCKETS];
};
void histogram_add(struct histogram *h, uint64_t us);
double histogram_percentile_us(const struct histogram *h, double percent); /* 0 when empty */
/* Cumulative counts by power of two, as LATENCY HISTOGRAM: returns the number of (bound_us, count) pairs written. */
int histogram_powers(const struct histogram *h, uint64_t *bound_us, uint64_t *count, int max);

struct command_stats {
    uint64_t call_count, rejected_count, failed_count;
    uint64_t ticks;              /* time spent, in clock_ticks */
    struct histogram *histogram; /* NULL until the first call with latency-tracking on */
};

/* One registered command or subcommand. */
struct command_entry {
    const struct command *command;
    const struct command_entry *container; /* NULL for a command */
    char *full_name;            /* "config|get"; owned */
    char *renamed;              /* rename-command: the name it is found by, "" for none; NULL: its own. Owned */
    struct command_entry *subcommands;
    uint32_t subcommand_count;
    uint32_t id;                /* of ACL bit sets: dense, from 0 */
    uint32_t categories;        /* all of them, those that follow from flags included */
    struct command_stats stats;
};

struct command_registry;
struct command_registry *registry_new(const struct command *const *tables, uint32_t table_count);
void registry_free(struct command_registry *r);
/* rename-command: `from` is found as `to` only, or not at all when `to` is empty. -ENOENT: no such command; -EEXIST: `to` is taken. */
ATTR_MUST_USE int registry_rename(struct command_registry *r, struct span from, struct span to);
/* Case-insensitive. NULL: unknown. Hot path. */
struct command_entry *registry_find(const struct command_registry *r, struct span name);
struct command_entry *registry_find_subcommand(const struct command_entry *container, struct span name);
/* "config|get" or "config". */
struct command_entry *registry_find_full(const struct command_registry *r, struct span full_name);
uint32_t registry_count(const struct command_registry *r);
struct command_entry *registry_at(const struct command_registry *r, uint32_t index); /* in table order */
void registry_reset_stats(struct command_registry *r);
uint32_t registry_id_count(const struct command_registry *r); /* commands and subcommands */
const char *category_name(uint32_t category_bit);             /* "keyspace", without the @ */
enum { CATEGORY_COUNT = 21 };
extern const char *const category_names[CATEGORY_COUNT];      /* by bit */

/* Errors by code, for INFO errorstats: bounded at REGISTRY_ERROR_CODES_MAX different codes. */
enum { REGISTRY_ERROR_CODES_MAX = 128 };
struct error_stat {
    char code[32];
    uint64_t count;
};
void registry_count_error(struct command_registry *r, const char *code);
const struct error_stat *registry_errors(const struct command_registry *r, uint32_t *count);
uint64_t registry_error_total(const struct command_registry *r);

/* Keys of a request by the command's specs or function: at most `max` positions and their KEY_ flags. The count, or -1 when the
 * arguments do not fit the command ("Invalid arguments specified for command"). */
int command_keys(const struct command *command, const struct span *argv, uint32_t argc, uint32_t *positions, uint16_t *flags, int max);

#endif
