/* A selector: one set of permissions, that is commands, keys and channels that go together. A user has at least one, and may do
 * what any one of them allows.
 *
 * Commands are a bit set by number. What a rule said is kept beside it, in order, because the set alone does not tell "+@read"
 * from the commands that it stood for. Rules and their texts: https://valkey.io/topics/acl/ */
#ifndef ACL_SELECTOR_H
#define ACL_SELECTOR_H

#include "acl/catalogue.h"
#include "base/buf.h"

enum acl_access { ACL_READ = 1, ACL_WRITE = 2, ACL_READ_WRITE = 3 };

/* Why a rule was not taken. */
enum acl_error {
    ACL_ERROR_SYNTAX = -1,
    ACL_ERROR_UNKNOWN = -2,        /* command or category */
    ACL_ERROR_ALL_KEYS = -3,       /* a pattern beside ~* */
    ACL_ERROR_ALL_CHANNELS = -4,   /* a pattern beside &* */
    ACL_ERROR_NO_SUCH_PASSWORD = -5,
    ACL_ERROR_HASH = -6,
    ACL_ERROR_FIRST_ARG = -7,      /* of a subcommand */
    ACL_ERROR_DUPLICATE = -8,      /* a user defined twice */
};
const char *acl_error_text(int error);

struct acl_pattern {
    size_t len;
    uint8_t access; /* of keys; 0 for channels */
    char text[];
};

struct acl_patterns {
    struct acl_pattern **at;
    uint32_t count;
    bool all; /* ~* or &*: there are no others beside it */
};

/* "+select|0": a command that is allowed with this first argument only. */
struct acl_first_arg {
    uint32_t command;
    char *text;
};

struct acl_selector {
    const struct acl_catalogue *catalogue;
    uint64_t *commands;    /* bit set, catalogue->count bits */
    bool all_commands;     /* each bit is set, and nothing was taken away since */
    bool begins_with_all;  /* the rules say what is taken from +@all, not what is given to -@all */
    char **rules;          /* "+get", "-@write": since the last @all, oldest first */
    uint32_t rule_count;
    struct acl_first_arg *first_args;
    uint32_t first_arg_count;
    struct acl_patterns keys, channels;
};

struct acl_selector *acl_selector_new(const struct acl_catalogue *catalogue); /* nothing is allowed */
void acl_selector_free(struct acl_selector *s);
struct acl_selector *acl_selector_copy(const struct acl_selector *s);

/* One rule: +cmd -cmd +cmd|sub +@cat -@cat allcommands nocommands ~p %R~p %W~p %RW~p allkeys resetkeys &p allchannels
 * resetchannels. 0 or an enum acl_error. */
ATTR_MUST_USE int acl_selector_apply(struct acl_selector *s, struct span rule);

/* Texts that acl_selector_apply takes back: separated by blanks, nothing when there is nothing to say. `quoted`: for the inside of
 * parentheses, where quotes count: rules with quotes or parentheses in them are quoted. */
void acl_selector_put_commands(const struct acl_selector *s, bool quoted, struct buf *out); /* begins with +@all or -@all */
void acl_selector_put_keys(const struct acl_selector *s, bool quoted, struct buf *out);
void acl_selector_put_channels(const struct acl_selector *s, bool quoted, struct buf *out);
void acl_selector_put(const struct acl_selector *s, bool quoted, struct buf *out); /* keys, channels, commands */

/* May the command run? `first_arg` is what follows its name. */
bool acl_selector_allows(const struct acl_selector *s, uint32_t command, struct span first_arg);
bool acl_patterns_match_key(const struct acl_patterns *keys, struct span key, unsigned access);
/* A pattern of PSUBSCRIBE is allowed when one of the patterns is the same, letter for letter. */
bool acl_patterns_match_channel(const struct acl_patterns *channels, struct span channel, bool is_pattern);
/* Every key, for this access: by ~* or %R~* and its like. */
bool acl_patterns_match_all(const struct acl_patterns *keys, unsigned access);

/* Blanks and NULs would break a rule's text apart. */
bool acl_has_blanks(struct span text);

#endif
