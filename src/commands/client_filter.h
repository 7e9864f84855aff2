/* The filters of CLIENT LIST and CLIENT KILL: each that is given must fit, and none of the NOT- ones may.
 * https://valkey.io/commands/client-list/ */
#ifndef COMMANDS_CLIENT_FILTER_H
#define COMMANDS_CLIENT_FILTER_H

#include "commands/command.h"

enum client_filter_text {
    CLIENT_FILTER_ADDR,
    CLIENT_FILTER_LADDR,
    CLIENT_FILTER_IP,
    CLIENT_FILTER_USER,
    CLIENT_FILTER_NAME,
    CLIENT_FILTER_LIB_NAME,
    CLIENT_FILTER_LIB_VER,
    CLIENT_FILTER_FLAGS,
    CLIENT_FILTER_CAPA,
    CLIENT_FILTER_TEXT_COUNT,
};

/* Types of clients: session classes, and what there never is here. */
enum { CLIENT_TYPE_ANY = -1, CLIENT_TYPE_PRIMARY = SESSION_CLASS_COUNT };

struct client_ids {
    int64_t *ids;    /* scratch memory, sorted once everything is parsed; NULL: not asked for */
    uint32_t count;
};

/* What must fit ([0]) and what must not ([1]). */
struct client_conditions {
    struct client_ids ids;
    struct span text[CLIENT_FILTER_TEXT_COUNT]; /* data NULL: not asked for */
    int type;                                   /* CLIENT_TYPE_ANY, a session class, CLIENT_TYPE_PRIMARY */
    int64_t db;                                 /* -1: any */
};

struct client_filter {
    struct client_conditions conditions[2];
    bool skip_me;
    int64_t age_s_min, idle_s_min; /* 0: any */
};

void client_filter_init(struct client_filter *filter);
/* Reads the arguments from `at` on. False after the error was written. The filter is valid as long as the call. */
bool client_filter_parse(struct call *call, uint32_t at, struct client_filter *filter);
/* Sessions that are on their way out do not match. */
bool client_filter_matches(const struct client_filter *filter, const struct session *s, const struct session *me);

#endif
