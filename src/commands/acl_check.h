/* Who a session is, and what it may do. A session whose user may do everything pays nothing: SESSION_RESTRICTED is all that is
 * looked at. The flag is kept right by the functions here, after every change of a user. */
#ifndef COMMANDS_ACL_CHECK_H
#define COMMANDS_ACL_CHECK_H

#include "acl/acl.h"
#include "commands/command.h"
#include "commands/host.h"
#include "commands/registry.h"

/* The registry's commands as rules know them; the registry must outlive it. */
struct acl_catalogue acl_catalogue_of(const struct command_registry *commands);

/* -- who */
struct acl_user *acl_session_user(const struct host *host, const struct session *s); /* never NULL */
void acl_session_reset(const struct host *host, struct session *s); /* as it comes: default, logged in if that needs no password */
void acl_session_login(const struct host *host, struct session *s, struct acl_user *user);
/* User and password are right: logged in. False: counted and logged, to be answered WRONGPASS. */
bool acl_session_authenticate(struct call *call, struct span user, struct span password);
/* After any change of users. */
void acl_refresh_sessions(const struct host *host);
/* Ends the sessions of a user that is about to go; they are nobody's from here on. The call's own takes its reply first. */
void acl_end_sessions(struct call *call, const struct acl_user *user);
/* Ends subscribers of `user` that listen to what it will not be allowed any more, as `next` says. */
void acl_end_subscribers(struct call *call, const struct acl_user *user, const struct acl_user *next);

/* True when it has to authenticate first: the default user is off or has a password, and it has not. */
bool acl_session_needs_auth(const struct host *host, const struct session *s);

/* -- what */
struct acl_request {
    const struct command_entry *entry; /* the subcommand when there is one */
    const struct span *argv;
    uint32_t argc;
};
struct acl_refusal {
    enum acl_denied why;
    uint32_t at; /* the argument that names the key or channel */
};
/* True, or false and why. */
bool acl_user_may(struct host *host, const struct acl_user *user, const struct acl_request *request, struct acl_refusal *refusal);
/* "User x has no permissions to ...", without a code. `verbose` names the key or channel. */
void acl_refusal_text(const struct acl_user *user, const struct acl_request *request, const struct acl_refusal *refusal,
                      bool verbose, struct buf *out);

/* The session's user may run the request. If not: counted and logged for ACL LOG, and `refusal` filled. */
bool acl_session_check(struct host *host, struct session *s, const struct acl_request *request, enum acl_context where,
                       struct acl_refusal *refusal);
/* The same before the refusal is known to matter: one test for those who may do everything. For dispatch, EXEC and scripts:
 *     if (!acl_session_may(host, caller, &request, ACL_CONTEXT_SCRIPT, &refusal)) ... acl_refusal_text(...) */
INLINE bool acl_session_may(struct host *host, struct session *s, const struct acl_request *request, enum acl_context where,
                            struct acl_refusal *refusal) {
    return LIKELY(!(s->flags & SESSION_RESTRICTED)) || acl_session_check(host, s, request, where, refusal);
}

/* The call's command, and reading any key besides: for SORT's BY and GET. */
bool acl_call_may_read_all(const struct call *call);

#endif
