/* What runs for too long: others are served meanwhile and told so, and can end it. */
#include "base/clock.h"
#include "base/log.h"
#include "commands/scripting_inside.h"

bool scripting_on_interrupt(struct script_run *run) {
    struct job_context *x = run->context;
    struct host *host = x->scripting->host;
    int64_t threshold_ms = host->settings->busy_reply_threshold_ms;
    uint64_t spent_ms = clock_ticks_to_ns(clock_ticks() - run->began_ticks) / 1000000;
    if (threshold_ms <= 0 || spent_ms < (uint64_t)threshold_ms) return run->killed;
    if (!run->busy) {
        run->busy = true;
        log_warning("Slow script detected: still in execution after %llu milliseconds. You can try "
                    "killing the script using the %s command. Script name is: %.*s.",
                    (unsigned long long)spent_ms, x->function ? "FUNCTION KILL" : "SCRIPT KILL",
                    (int)run->name.len, run->name.data);
    }
    host->dispatch.busy = true;
    bool ending = host->serve_while_busy && host->serve_while_busy(host->server);
    return run->killed || ending;
}

static const char *const kill_texts[] = {
    "NOTBUSY No scripts in execution right now.",
    "UNKILLABLE Sorry the script already executed write commands against the dataset. You can "
    "either wait the script termination or kill the server in a hard way using the SHUTDOWN "
    "NOSAVE command.",
};

void scripting_kill(struct call *call, bool function) {
    struct script_run *run = call->host->scripting->running;
    const struct job_context *x = run ? run->context : NULL;
    if (!run || !run->busy) {
        reply_error(call->reply, kill_texts[0]);
    } else if (run->wrote) {
        reply_error(call->reply, kill_texts[1]);
    } else if (x->function != function) {
        scripting_refuse_busy(call->host, call->session, NULL);
    } else {
        run->killed = true;
        reply_ok(call->reply);
    }
}

bool scripting_refuse_busy(const struct host *host, struct session *s, const struct command *c) {
    const struct script_run *run = host->scripting->running;
    const struct job_context *x = run ? run->context : NULL;
    if (!run || (c && c->flags & COMMAND_ALLOW_BUSY)) return false;
    reply_errorf(&s->reply,
                 "BUSY Redis is busy running a script. You can only call %s or SHUTDOWN NOSAVE.",
                 x->function ? "FUNCTION KILL" : "SCRIPT KILL");
    return true;
}

bool scripting_running_function(const struct host *host, struct scripting_running *out) {
    const struct script_run *run = host->scripting ? host->scripting->running : NULL;
    const struct job_context *x = run ? run->context : NULL;
    if (!run || !x->function) return false;
    *out = (struct scripting_running){
        .name = run->name,
        .argv = x->call->argv,
        .argc = x->call->argc,
        .duration_ms = clock_ticks_to_ns(clock_ticks() - run->began_ticks) / 1000000,
    };
    return true;
}

bool scripting_runs_script(const struct host *host) {
    const struct script_run *run = host->scripting ? host->scripting->running : NULL;
    const struct job_context *x = run ? run->context : NULL;
    return run && !x->function;
}
