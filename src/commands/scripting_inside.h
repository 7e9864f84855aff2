/* Inside src/commands only: what the files of scripting share. */
#ifndef COMMANDS_SCRIPTING_INSIDE_H
#define COMMANDS_SCRIPTING_INSIDE_H

#include "commands/scripting.h"

struct scripting {
    struct host *host;
    struct script_engine *engine; /* NULL: no Lua */
    struct script_cache *cache;
    struct library_set functions; /* with an engine of their own */
    struct script_run *running;
    struct session *session; /* the scripts' own */
};

/* What the callbacks know of a run. */
struct job_context {
    struct scripting *scripting;
    struct call *call; /* EVAL's */
    bool over_memory;  /* as the script began */
    bool function;     /* FCALL: whose KILL ends it */
};

/* The engines' callback of that name. scripting_busy.c */
bool scripting_on_interrupt(struct script_run *run);

#endif
