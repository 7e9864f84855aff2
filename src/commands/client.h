/* Inside src/commands only: CLIENT's handlers, for its table. Those of tracking are in tracking.h. */
#ifndef COMMANDS_CLIENT_H
#define COMMANDS_CLIENT_H

#include "commands/command.h"

void client_setname(struct call *call);
void client_getname(struct call *call);
void client_setinfo(struct call *call);
void client_capa(struct call *call);
void client_id(struct call *call);
void client_info(struct call *call);
void client_list(struct call *call);
void client_kill_filtered(struct call *call);
void client_unblock(struct call *call);
void client_pause(struct call *call);
void client_unpause(struct call *call);
void client_reply(struct call *call);
void client_no_evict(struct call *call);
void client_no_touch(struct call *call);

#endif
