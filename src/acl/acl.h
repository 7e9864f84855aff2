/* All users, by name, with "default" always among them: it is who a client is before it authenticates. Users keep their place in
 * memory as long as they exist: changing one, or loading all anew, replaces what is in it. */
#ifndef ACL_ACL_H
#define ACL_ACL_H

#include "acl/log.h"
#include "acl/user.h"

struct acl_users {
    struct acl_user **at; /* in the order of their names' bytes */
    uint32_t count;
};

struct acl {
    struct acl_catalogue catalogue;
    struct acl_users users;
    struct acl_user *default_user;
    bool all_channels;   /* acl-pubsub-default allchannels: what a new user may do with channels */
    struct acl_log log;
    uint64_t denied_count[ACL_DENIED_COUNT]; /* by enum acl_denied */
};

/* Takes over the catalogue. The default user may do everything, without a password. */
struct acl *acl_new(struct acl_catalogue catalogue);
void acl_free(struct acl *acl);

struct acl_user *acl_find(const struct acl *acl, struct span name); /* NULL: there is none */

/* -- changing one: a draft is the user as it is (or a new one), to be worked on and then kept or thrown away */
struct acl_user *acl_draft(const struct acl *acl, struct span name);
/* Puts the draft in its place; returns the user. The draft is gone. */
struct acl_user *acl_keep(struct acl *acl, struct acl_user *draft);
/* All of the rules or none: 0, or an enum acl_error after `error` was filled with "Error in ACL SETUSER modifier ..." */
ATTR_MUST_USE int acl_apply_words(const struct acl *acl, struct acl_user *draft, const struct span *words, uint32_t count,
                                  struct buf *error);
/* False: no such user, or the default one. Nobody may point at it any more. */
bool acl_remove(struct acl *acl, struct span name);

/* -- all of them, as a file has them: a line "user NAME RULES" each */
/* The users of a text; `path` is what errors call it. NULL after all that is wrong was appended to `error`. Without a default user
 * the text means one that may do everything. */
struct acl_users *acl_parse(const struct acl *acl, struct span text, const char *path, struct buf *error);
struct acl_users *acl_parse_file(const struct acl *acl, const char *path, struct buf *error);
struct acl_user *acl_users_find(const struct acl_users *users, struct span name);
/* Users that are in `fresh` take what stands there, the others are removed: nobody may point at those. `fresh` is gone. */
void acl_replace(struct acl *acl, struct acl_users *fresh);
void acl_users_free(struct acl_users *users);
void acl_put(const struct acl *acl, struct buf *out);
/* Writes the file in one step. 0 or a negative errno. */
ATTR_MUST_USE int acl_save_file(const struct acl *acl, const char *path);

#endif
