/* Inside src/commands only: the handlers of the function family, for its table. */
#ifndef COMMANDS_FUNCTION_H
#define COMMANDS_FUNCTION_H

#include "commands/command.h"

void function_fcall(struct call *call);
void function_fcall_ro(struct call *call);
/* As struct command's flags_of: FCALL's are those of the function. */
uint32_t function_flags(const struct host *host, const struct command *command, const struct span *argv, uint32_t argc);
void function_load(struct call *call);
void function_delete(struct call *call);
void function_flush(struct call *call);
void function_list(struct call *call);
void function_stats(struct call *call);
void function_kill(struct call *call);
void function_dump(struct call *call);    /* function_dump.c */
void function_restore(struct call *call);

#endif
