/* A user: who may log in, with what, and what it may do then. */
#ifndef ACL_USER_H
#define ACL_USER_H

#include "acl/selector.h"
#include "base/sha256.h"

enum {
    ACL_RULE_BYTES_MAX = 1024 * 1024, /* longer rules and names are refused as a syntax error */
    ACL_FILE_BYTES_MAX = 256 * 1024 * 1024,
};

struct acl_user {
    char *name;      /* terminated; no blanks and no NULs in it */
    size_t name_len;
    bool enabled;
    bool no_password;       /* any password will do */
    bool skip_sanitize;     /* shown, without effect: payloads are always read with distrust */
    bool unrestricted;      /* kept by acl_user_apply: one selector allows everything */
    uint8_t (*passwords)[SHA256_BYTES];
    uint32_t password_count;
    struct acl_selector **selectors; /* the first one is the root: what rules outside of parentheses are about */
    uint32_t selector_count;
};

/* Disabled, without passwords, with nothing allowed. */
struct acl_user *acl_user_new(const struct acl_catalogue *catalogue, struct span name);
void acl_user_free(struct acl_user *u); /* NULL is fine */
void acl_user_copy(struct acl_user *to, const struct acl_user *from); /* all but the name */
void acl_user_swap(struct acl_user *a, struct acl_user *b);           /* all but the names */

INLINE struct span acl_user_name(const struct acl_user *u) {
    return span_make(u->name, u->name_len);
}
INLINE const struct acl_selector *acl_user_root(const struct acl_user *u) {
    return u->selectors[0];
}

/* One rule: those of selectors, on off nopass resetpass >p <p #hash !hash reset sanitize-payload skip-sanitize-payload
 * clearselectors, and "(rules of a selector)". `all_channels`: what reset does about channels (acl-pubsub-default). 0 or an
 * enum acl_error, and then nothing of this rule was done. */
ATTR_MUST_USE int acl_user_apply(struct acl_user *u, struct span rule, bool all_channels);
/* requirepass: this password and no other, or nopass when it is empty. */
void acl_user_set_password(struct acl_user *u, struct span password);

/* Enabled, and the password is one of its own, or it needs none. The time does not depend on which password was right. */
bool acl_user_accepts(const struct acl_user *u, struct span password);

/* The rules that make such a user: "on nopass sanitize-payload ~* &* +@all". */
void acl_user_put(const struct acl_user *u, struct buf *out);
/* "on", "nopass", ... in the order in which they are shown: writes at most 4, returns how many. */
enum { ACL_USER_FLAGS_MAX = 4 };
uint32_t acl_user_flags(const struct acl_user *u, const char *flags[ACL_USER_FLAGS_MAX]);

/* -- rules that came as words: a selector in parentheses may be spread over several of them */
struct acl_rules {
    struct span *at;
    uint32_t count;
    char *text;      /* what was joined */
};
/* 0, or ACL_ERROR_SYNTAX and the place of the word whose parenthesis is not closed. `words` must outlive the rules. */
ATTR_MUST_USE int acl_rules_join(struct acl_rules *rules, const struct span *words, uint32_t count, uint32_t *unmatched);
void acl_rules_release(struct acl_rules *rules);

#endif
