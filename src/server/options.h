/* What an option is. The rows of options.c and options_foreign.c are the whole truth about every option: CONFIG GET, SET and
 * REWRITE, the configuration file, the command line and the test of server.conf all go by them.
 *
 * A value is text outside and typed inside. The two functions at the end are each other's inverse: what option_print writes,
 * option_parse takes. That is how the defaults are filled in and how a failed CONFIG SET is undone. */
#ifndef SERVER_OPTIONS_H
#define SERVER_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/span.h"
#include "commands/settings.h"

enum option_kind {
    OPTION_BOOL,    /* bool: yes, no */
    OPTION_INT,     /* int64_t within low..high, in the unit that the flags say */
    OPTION_ENUM,    /* int64_t: one of `names`; with OPTION_MULTI several, or-ed */
    OPTION_TEXT,    /* char *, heap, NULL only when OPTION_EMPTY_IS_NONE */
    OPTION_SPECIAL, /* `special` parses and prints */
};

enum option_flag {
    OPTION_IMMUTABLE = 1 << 0,     /* only at start */
    OPTION_SENSITIVE = 1 << 1,     /* a password: never logged */
    OPTION_HIDDEN = 1 << 2,        /* CONFIG GET shows it by its exact name only */
    OPTION_MULTI = 1 << 3,         /* several words; the parser checks how many */
    OPTION_PROTECTED = 1 << 4,     /* CONFIG SET only as enable-protected-configs allows */
    OPTION_DENY_LOADING = 1 << 5,
    OPTION_EMPTY_IS_NONE = 1 << 6, /* "" means not set, and is not rewritten */
    OPTION_MEMORY = 1 << 7,        /* bytes; 1kb, 5mb, 2gb */
    OPTION_PERCENT = 1 << 8,       /* or 10%, kept as -10 */
    OPTION_OCTAL = 1 << 9,
    OPTION_CLAMPED = 1 << 10,      /* numbers out of bounds count as the nearest bound */
};

/* What is done with an option of a feature that Rondo does not have (the rows of options_foreign). */
enum option_foreign {
    OPTION_IGNORED, /* harmless: checked, kept, shown, without effect */
    OPTION_PINNED,  /* another value than the default is warned about at start and does not take; CONFIG SET refuses it */
    OPTION_REFUSED, /* another value than the default would lose the user something: the start stops, CONFIG SET refuses */
};

/* What the assembly must do after a change at run time; see config_on_apply. */
enum option_apply {
    APPLY_NONE,
    APPLY_LISTEN,      /* port */
    APPLY_BIND,
    APPLY_MAXCLIENTS,
    APPLY_SESSIONS,    /* output and query buffer limits, timeout */
    APPLY_LOG,
    APPLY_HZ,
    APPLY_MAXMEMORY,
    APPLY_KEYSPACE,    /* maxmemory-policy, lfu-*: what the access clock means */
    APPLY_NOTIFY,      /* notify-keyspace-events */
    APPLY_PASSWORD,
    APPLY_USERS,       /* acl-*, acllog-* */
    APPLY_SLOWLOG,
    APPLY_EXPIRE,
    APPLY_TITLE,
    APPLY_CRASH_LOG,
    APPLY_OOM_SCORE,
    APPLY_TRACKING,
    APPLY_SCRIPTS,
    OPTION_APPLY_COUNT,
};

struct option_name {
    const char *name; /* NULL ends the list */
    int64_t value;
};

struct config;

/* The storage of a value that has no field in settings. Special options get the slot of theirs. */
union option_slot {
    bool flag;
    int64_t number;
    char *text;
};

/* Parsers return NULL or an error text, static or in `error` (OPTION_ERROR_BYTES). On an error nothing has changed. */
enum { OPTION_ERROR_BYTES = 256 };
struct option_special {
    const char *(*parse)(struct settings *settings, union option_slot *slot, const struct span *words, uint32_t count,
                         char *error);
    void (*print)(const struct settings *settings, const union option_slot *slot, struct buf *out);
    /* The lines of a rewritten file, without the option's name, one call a line from `line` 0 on; false after the last one.
     * NULL: one line as print has it, quoted when it is empty. */
    bool (*print_line)(const struct settings *settings, uint32_t line, struct buf *out);
    void (*release)(struct settings *settings, union option_slot *slot);
};
extern const struct option_special option_bind, option_dir, option_output_limits, option_events, option_percentiles,
    option_oom_scores;
extern const struct option_special option_words; /* any words, kept as text; "no one" is the empty text */
extern const struct option_special option_save;  /* pairs of numbers, kept as text */

#define OPTION_NOWHERE UINT16_MAX

struct option {
    const char *name, *alias;
    uint8_t kind;    /* enum option_kind */
    uint8_t foreign; /* enum option_foreign; own options: 0 */
    uint8_t apply;   /* enum option_apply */
    uint16_t flags;  /* enum option_flag */
    uint16_t at;     /* offset in struct settings, or OPTION_NOWHERE: the config table keeps it itself */
    int64_t low, high;
    const struct option_name *names;
    const struct option_special *special;
    /* A further check of a value that parses; NULL or an error text. May be NULL. */
    const char *(*check)(const struct span *words, uint32_t count);
    const char *initial; /* the default, as text; a MULTI option's words are separated by blanks */
    const char *doc;     /* one line; for foreign options the feature that is missing */
};

extern const struct option options_own[], options_foreign[];
extern const uint32_t options_own_count, options_foreign_count;

/* Where the value lies: a bool *, int64_t * or char ** by its kind; `spare` for OPTION_NOWHERE. */
void *option_at(const struct option *option, struct settings *settings, union option_slot *spare);

/* Sets the value from its words. NULL, or an error text (see above). */
const char *option_parse(const struct option *option, struct settings *settings, union option_slot *spare,
                         const struct span *words, uint32_t count, char *error);
/* As CONFIG GET shows it. */
void option_print(const struct option *option, struct settings *settings, union option_slot *spare, struct buf *out);
/* As a line of a file has it after the name: memory in units, texts quoted. False: not to be written (text that is not set). */
bool option_print_line(const struct option *option, struct settings *settings, union option_slot *spare, uint32_t line,
                       struct buf *out);
void option_print_memory(struct buf *out, int64_t bytes); /* "100mb": the largest unit that divides it */
void option_release(const struct option *option, struct settings *settings, union option_slot *spare);

#endif
