/* ACL LOG: what was refused lately, newest first. The same refusal again within a minute counts up its entry instead of making
 * another. */
#ifndef ACL_LOG_H
#define ACL_LOG_H

#include <stdint.h>

#include "base/list.h"
#include "base/span.h"

enum acl_denied { ACL_DENIED_COMMAND, ACL_DENIED_KEY, ACL_DENIED_CHANNEL, ACL_DENIED_AUTH, ACL_DENIED_COUNT };
enum acl_context { ACL_CONTEXT_TOPLEVEL, ACL_CONTEXT_MULTI, ACL_CONTEXT_SCRIPT };

const char *acl_denied_name(enum acl_denied why);     /* "command", "key", "channel", "auth" */
const char *acl_context_name(enum acl_context where); /* "toplevel", "multi", "lua" */

struct acl_log_entry {
    struct list link;
    enum acl_denied why;
    enum acl_context where;
    char *object, *user, *client; /* owned, with their lengths */
    size_t object_len, user_len, client_len;
    uint64_t count, id;
    int64_t created_ms, updated_ms; /* Unix time */
};

struct acl_log {
    struct list entries;
    uint32_t count;
    uint64_t next_id;
};

enum {
    ACL_LOG_GROUP_MS = 60 * 1000,  /* the same again within this time is the same entry */
    ACL_LOG_GROUP_ENTRIES = 10,    /* that many of the newest are looked at for it */
    ACL_LOG_OBJECT_BYTES_MAX = 64 * 1024, /* of a key's or channel's name: the rest is cut off */
};

struct acl_log_event {
    enum acl_denied why;
    enum acl_context where;
    struct span object, user, client; /* the command, key or channel; who; CLIENT INFO's line */
    int64_t now_ms;                   /* Unix time */
};

void acl_log_init(struct acl_log *log);
void acl_log_release(struct acl_log *log); /* empty and usable afterwards */
/* Keeps at most `entries_max`; 0: nothing is kept. */
void acl_log_add(struct acl_log *log, const struct acl_log_event *event, uint64_t entries_max);

#endif
