/* Inside src/commands only: what the files of the connection and server families give to each other's tables. */
#ifndef COMMANDS_FAMILIES_H
#define COMMANDS_FAMILIES_H

#include "commands/command.h"

/* Subcommand tables, each at the end of its file. */
extern const struct command acl_subcommands[], client_subcommands[], command_subcommands[], config_subcommands[], latency_subcommands[],
    memory_subcommands[], slowlog_subcommands[];

/* Handlers of commands that fill a file of their own. */
void command_all(struct call *call); /* COMMAND without arguments */
void debug_run(struct call *call);
void lolwut_run(struct call *call);
void monitor_run(struct call *call);

/* COMMAND INFO's and COMMAND DOCS' element for one command, its subcommands included. */
struct command_entry;
void command_info_reply(struct reply *reply, const struct command_entry *entry);
void command_docs_reply(struct reply *reply, const struct command_entry *entry);
void command_key_flags_reply(struct reply *reply, uint32_t flags);

/* The session's name for itself, as CLIENT SETNAME and HELLO take it. False after the error was written; empty unsets it. */
bool client_check_name(struct call *call, struct span name);
bool client_set_name(struct call *call, struct span name); /* false: no memory, answered */

/* Ends another session now; what it waits for is not given to it any more. */
void client_kill(struct session *s);

/* Back to what it was when it came: RESET. */
void client_reset(struct call *call);

#endif
