/* Users as the configuration has them: requirepass, lines "user ...", or the file that aclfile names. */
#ifndef SERVER_USERS_H
#define SERVER_USERS_H

#include "acl/acl.h"
#include "commands/settings.h"

/* Fills the fresh `acl`. 0, or ERROR_SYNTAX after the whole message was appended to `error`. */
ATTR_MUST_USE int users_load(struct acl *acl, const struct settings *settings, struct buf *error);
/* Tells the log of users in the configuration that are off, which may be a mistake. */
void users_warn(const struct acl *acl, const struct settings *settings);
/* Lines "user NAME RULES" for CONFIG REWRITE; none when there is an aclfile. */
void users_put_config(const struct acl *acl, const struct settings *settings, struct buf *out);

#endif
