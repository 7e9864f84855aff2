#include "server/crash.h"

#include <limits.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "base/compat.h"
#include "base/log.h"
#include "commands/command.h"
#include "commands/host.h"
#include "server/platform.h"
#include "server/stack.h"
#include "server/version.h"

enum { STACK_BYTES = 64 * 1024, SHOWN_ARGS_MAX = 16, SHOWN_ARG_BYTES_MAX = 64 };

static const int crash_signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

/* All that the handler uses is made before: a crash leaves nothing that can be trusted. */
static struct {
    bool on;
    volatile sig_atomic_t running; /* a crash within the report */
    const struct host *volatile host;
    struct {
        char text[CRASH_INFO_BYTES];
        size_t len;
    } info[2]; /* one is whole while the other is written */
    volatile sig_atomic_t info_at;
} crash;
static char stack[STACK_BYTES];

/* -- writing, async-signal-safe */

static void put_bytes(const char *bytes, size_t len) {
    log_raw(bytes, len);
}

static void put_text(const char *text) {
    log_raw(text, strlen(text));
}

static void put_number(uint64_t value, unsigned base, unsigned digits_min) {
    static const char digits[] = "0123456789abcdef";
    char text[24], *at = text + sizeof text;
    do {
        *--at = digits[value % base];
        value /= base;
    } while (value > 0 || text + sizeof text - at < (ptrdiff_t)digits_min);
    log_raw(at, (unsigned long)(text + sizeof text - at));
}

static void put_hex(uint64_t value) {
    put_text("0x");
    put_number(value, 16, 1);
}

static void put_register(const char *name, uint64_t value) {
    put_text(name);
    put_text(":");
    put_number(value, 16, 16);
    put_text("\n");
}

/* -- the parts */

static const char *signal_name(int number) {
    switch (number) {
    case SIGSEGV: return "SIGSEGV";
    case SIGBUS: return "SIGBUS";
    case SIGFPE: return "SIGFPE";
    case SIGILL: return "SIGILL";
    case SIGABRT: return "SIGABRT";
    default: return "a signal";
    }
}

static void report_signal(int number, const siginfo_t *info) {
    put_text(
        "\n\n=== RONDO BUG REPORT START: Cut & paste starting from here ===\nRondo " RONDO_VERSION
        " crashed by signal: ");
    put_number((uint64_t)number, 10, 1);
    put_text(" (");
    put_text(signal_name(number));
    put_text("), si_code: ");
    if (info->si_code < 0) put_text("-");
    put_number((uint64_t)(info->si_code < 0 ? -(int64_t)info->si_code : info->si_code), 10, 1);
    if (number != SIGABRT) {
        put_text("\nAccessing address: ");
        put_hex((uint64_t)(uintptr_t)info->si_addr);
    }
    if (info->si_code <= 0) {
        put_text("\nSent by PID ");
        put_number((uint64_t)info->si_pid, 10, 1);
        put_text(", UID ");
        put_number((uint64_t)info->si_uid, 10, 1);
    }
    put_text("\n");
}

static void report_stack(void *context) {
    char executable[PATH_MAX];
    void *counter;
    put_text("\n------ REGISTERS ------\n");
    counter = platform_registers(context, put_register);
    if (counter) {
        put_text("Crashed running the instruction at: ");
        put_hex((uint64_t)(uintptr_t)counter);
        put_text("\n");
    }
    put_text("\n------ STACK TRACE ------\nExecutable, for addr2line -fie: ");
    put_text(platform_executable(executable, sizeof executable));
    put_text("\n");
    stack_print(put_bytes);
}

static void report_argument(struct span arg, bool show) {
    put_text("argument of ");
    put_number(arg.len, 10, 1);
    put_text(" bytes");
    if (show) {
        char text[SHOWN_ARG_BYTES_MAX];
        size_t len = MIN(arg.len, sizeof text);
        for (size_t i = 0; i < len; i++) {
            text[i] = arg.data[i] >= ' ' && arg.data[i] < 0x7f ? arg.data[i] : '.';
        }
        put_text(": ");
        log_raw(text, len);
    }
    put_text("\n");
}

static void report_command(void) {
    const struct host *host = crash.host;
    const struct call *call = host ? host->dispatch.running : NULL;
    put_text("\n------ CURRENT CLIENT AND COMMAND ------\n");
    if (!call) {
        put_text("none\n");
        return;
    }
    put_text("client id ");
    put_number(call->session->id, 10, 1);
    put_text(", database ");
    put_number(call->db->number, 10, 1);
    put_text(", command '");
    put_text(call->command->name);
    put_text("', argc ");
    put_number(call->argc, 10, 1);
    put_text("\n");
    for (uint32_t i = 0; i < MIN(call->argc, SHOWN_ARGS_MAX); i++) {
        report_argument(call->argv[i], !host->settings->hide_user_data_from_log);
    }
}

static void report_info(void) {
    const char *text = crash.info[crash.info_at].text;
    put_text("\n------ INFO OUTPUT (of some seconds before) ------\n");
    log_raw(text, crash.info[crash.info_at].len);
}

static void die(int number) {
    struct sigaction action;
    sigset_t one;
    memset(&action, 0, sizeof action);
    action.sa_handler = SIG_DFL;
    sigaction(number, &action, NULL);
    sigemptyset(&one);
    sigaddset(&one, number);
    sigprocmask(SIG_UNBLOCK, &one, NULL);
    raise(number);
    _exit(128 + number); /* PID 1 outlives its default actions */
}

/* The most telling parts come first: a later one may crash again, and then the process dies with what there is. */
static void on_crash(int number, siginfo_t *info, void *context) {
    if (crash.running) {
        put_text("\n(the report itself crashed: it ends here)\n");
        die(number);
    }
    crash.running = 1;
    report_signal(number, info);
    report_stack(context);
    report_info();
    report_command();
    put_text("\n=== RONDO BUG REPORT END. Make sure to include from START to END. ===\n\n"
             "       Please report the crash by opening an issue of the project, with the report "
             "above.\n\n"
             "  If a Rondo process is killed by the system's out-of-memory handler, there is no "
             "report.\n\n");
    die(number);
}

/* -- life */

void crash_enable(bool on) {
    struct sigaction action;
    if (on == crash.on) return;
    memset(&action, 0, sizeof action);
    sigemptyset(&action.sa_mask);
    if (on) {
        stack_t own = {.ss_sp = stack, .ss_size = sizeof stack};
        sigaltstack(&own, NULL); /* a stack overflow needs another stack */
        stack_prepare();
        action.sa_sigaction = on_crash;
        action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    } else {
        action.sa_handler = SIG_DFL;
    }
    for (size_t i = 0; i < ARRAY_LENGTH(crash_signals); i++)
        sigaction(crash_signals[i], &action, NULL);
    crash.on = on;
}

void crash_keep_info(struct span text) {
    int next = !crash.info_at;
    size_t len = MIN(text.len, (size_t)CRASH_INFO_BYTES);
    if (len > 0) memcpy(crash.info[next].text, text.data, len);
    crash.info[next].len = len;
    crash.info_at = next;
}

void crash_watch(const struct host *host) {
    crash.host = host;
}
