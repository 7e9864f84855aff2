/* Background, supervisors, the pid file and limits. Talking to systemd is one datagram, sd_notify(3) tells its form; no library is
 * needed for it. */
#include "server/daemon.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/error.h"
#include "base/log.h"
#include "server/platform.h"

#define PIDFILE_DEFAULT "/var/run/rondo.pid"

/* -- supervisors */

/* 0, or a negative errno; -ENOENT without a supervisor in the environment. */
static int notify(const char *message) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const char *path = getenv("NOTIFY_SOCKET");
    size_t len = path ? strlen(path) : 0;
    int fd, status = 0;
    if (len < 2 || (path[0] != '/' && path[0] != '@')) return -ENOENT;
    if (len >= sizeof address.sun_path) return -ENAMETOOLONG;
    memcpy(address.sun_path, path, len);
    if (path[0] == '@') address.sun_path[0] = '\0'; /* the abstract namespace */
    fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return -errno;
    if (sendto(fd, message, strlen(message), MSG_NOSIGNAL, (struct sockaddr *)&address,
               (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len)) < 0) {
        status = -errno;
    }
    close(fd);
    return status;
}

static enum supervised detect(void) {
    if (getenv("UPSTART_JOB")) return SUPERVISED_UPSTART;
    if (getenv("NOTIFY_SOCKET")) return SUPERVISED_SYSTEMD;
    return SUPERVISED_NO;
}

static bool start_systemd(void) {
    int status = notify("STATUS=Rondo is starting...\n");
    if (status < 0) {
        log_warning("systemd supervision requested, but NOTIFY_SOCKET cannot be used: %s",
                    error_text(status));
        return false;
    }
    log_notice("Supervised by systemd. Please make sure you set appropriate values for "
               "TimeoutStartSec and "
               "TimeoutStopSec in your service unit.");
    return true;
}

static bool start_upstart(void) {
    if (!getenv("UPSTART_JOB")) {
        log_warning("upstart supervision requested, but UPSTART_JOB not found!");
        return false;
    }
    log_notice("supervised by upstart, will stop to signal readiness.");
    raise(SIGSTOP);
    unsetenv("UPSTART_JOB");
    return true;
}

static bool start_supervision(struct settings *settings) {
    bool started = false;
    if (settings->supervised == SUPERVISED_AUTO) settings->supervised = detect();
    switch ((enum supervised)settings->supervised) {
    case SUPERVISED_SYSTEMD: started = start_systemd(); break;
    case SUPERVISED_UPSTART: started = start_upstart(); break;
    case SUPERVISED_AUTO:
    case SUPERVISED_NO: break;
    }
    if (!started) settings->supervised = SUPERVISED_NO;
    return started;
}

static void tell(const struct settings *settings, const char *message) {
    if (settings->supervised != SUPERVISED_SYSTEMD) return;
    if (notify(message) < 0)
        log_warning("systemd supervision error: the notification was not taken");
}

void daemon_ready(const struct settings *settings) {
    tell(settings, "STATUS=Ready to accept connections\nREADY=1\n");
}

void daemon_status(const struct settings *settings, const char *text) {
    char message[256];
    snprintf(message, sizeof message, "STATUS=%s\n", text);
    tell(settings, message);
}

void daemon_stopping(const struct settings *settings) {
    tell(settings, "STATUS=Shutting down\nSTOPPING=1\n");
}

/* -- background */

static int use_null(void) {
    int fd = open("/dev/null", O_RDWR);
    if (fd < 0) return -errno;
    for (int standard = 0; standard <= STDERR_FILENO; standard++) {
        if (dup2(fd, standard) < 0) return -errno;
    }
    if (fd > STDERR_FILENO) close(fd);
    return 0;
}

int daemon_detach(struct settings *settings) {
    pid_t child;
    if (start_supervision(settings) || !settings->daemonize) return 0;
    fflush(NULL);
    child = fork();
    if (child < 0) return -errno;
    if (child > 0) _exit(0);
    setsid();
    return use_null();
}

/* -- files */

static const char *pidfile_name(const struct settings *settings) {
    if (settings->pidfile && *settings->pidfile) return settings->pidfile;
    return settings->daemonize && settings->supervised == SUPERVISED_NO ? PIDFILE_DEFAULT : NULL;
}

void daemon_write_pidfile(const struct settings *settings) {
    const char *name = pidfile_name(settings);
    FILE *file;
    if (!name) return;
    file = fopen(name, "we");
    if (!file || fprintf(file, "%ld\n", (long)getpid()) < 0) {
        log_warning("Failed to write PID file: %s", error_text(-errno));
    }
    if (file) fclose(file);
}

void daemon_remove_pidfile(const struct settings *settings) {
    const char *name = pidfile_name(settings);
    if (!name) return;
    log_notice("Removing the pid file.");
    unlink(name);
}

void daemon_own_socket(const struct settings *settings) {
    const char *path = settings->unixsocket;
    if (!path) return;
    if (settings->unixsocketgroup) {
        struct group *group = getgrnam(settings->unixsocketgroup);
        if (!group) {
            log_warning("No such group for the Unix socket: %s", settings->unixsocketgroup);
        } else if (chown(path, (uid_t)-1, group->gr_gid) != 0) {
            log_warning("Can't give the Unix socket to group %s: %s", settings->unixsocketgroup,
                        error_text(-errno));
        }
    }
    if (settings->unixsocketperm && chmod(path, (mode_t)settings->unixsocketperm) != 0) {
        log_warning("Can't set the permissions of the Unix socket: %s", error_text(-errno));
    }
}

/* -- limits */

/* Asks for `wanted` descriptors, less and less until the system agrees; what it is now, and the last refusal's errno. */
static rlim_t raise_limit(struct rlimit limit, rlim_t wanted, int *refusal) {
    enum { STEP = 16 };
    rlim_t old = limit.rlim_cur, hard = limit.rlim_max;
    for (rlim_t best = wanted; best > old; best = best > STEP ? best - STEP : 0) {
        /* The hard limit goes up only when it must, which takes a privilege. */
        limit = (struct rlimit){.rlim_cur = best, .rlim_max = best > hard ? best : hard};
        if (setrlimit(RLIMIT_NOFILE, &limit) == 0) return best;
        *refusal = errno;
    }
    return old;
}

static int lower_maxclients(struct settings *settings, rlim_t wanted, rlim_t got, rlim_t old,
                            int refusal) {
    int64_t asked = settings->maxclients;
    if (got <= DAEMON_RESERVED_DESCRIPTORS) {
        log_warning("Your current 'ulimit -n' of %" PRIu64
                    " is not enough for the server to start. Please increase "
                    "your open file limit to at least %" PRIu64 ". Exiting.",
                    (uint64_t)old, (uint64_t)wanted);
        return -EMFILE;
    }
    settings->maxclients = (int64_t)got - DAEMON_RESERVED_DESCRIPTORS;
    log_warning("You requested maxclients of %" PRId64 " requiring at least %" PRIu64
                " max file descriptors.",
                asked, (uint64_t)wanted);
    log_warning("Server can't set maximum open files to %" PRIu64 " because of OS error: %s.",
                (uint64_t)wanted, error_text(-refusal));
    log_warning("Current maximum open files is %" PRIu64 ". maxclients has been reduced to %" PRId64
                " to compensate "
                "for low ulimit. If you need higher maxclients increase 'ulimit -n'.",
                (uint64_t)got, settings->maxclients);
    return 0;
}

int daemon_limits(struct settings *settings) {
    struct rlimit limit;
    rlim_t wanted = (rlim_t)settings->maxclients + DAEMON_RESERVED_DESCRIPTORS, got;
    int refusal = 0;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) {
        log_warning("Unable to obtain the current NOFILE limit (%s), assuming 1024 and setting the "
                    "max clients "
                    "configuration accordingly.",
                    error_text(-errno));
        settings->maxclients = 1024 - DAEMON_RESERVED_DESCRIPTORS;
        return 0;
    }
    if (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= wanted) return 0;
    got = raise_limit(limit, wanted, &refusal);
    if (got < wanted) return lower_maxclients(settings, wanted, got, limit.rlim_cur, refusal);
    log_notice("Increased maximum number of open files to %" PRIu64
               " (it was originally set to %" PRIu64 ").",
               (uint64_t)wanted, (uint64_t)limit.rlim_cur);
    return 0;
}

/* -- tuning */

static void tune_failed(const char *what, int status) {
    if (status < 0 && status != -ENOTSUP) log_warning("Unable to %s: %s", what, error_text(status));
}

void daemon_tune(struct settings *settings) {
    int score;
    if (settings->disable_thp) tune_failed("disable THP for process", platform_disable_thp());
    if (settings->server_cpulist) {
        tune_failed("use the processors of server-cpulist",
                    platform_set_processors(settings->server_cpulist));
    }
    settings->oom_score_at_start = platform_oom_score_get(&score) == 0 ? score : 0;
    if (settings->oom_score_adj != OOM_SCORE_ADJ_NO) daemon_oom_score(settings);
}

const char *daemon_oom_score(const struct settings *settings) {
    int64_t score = settings->oom_score_adj_values[0];
    int status;
    if (settings->oom_score_adj == OOM_SCORE_ADJ_NO) score = settings->oom_score_at_start;
    if (settings->oom_score_adj == OOM_SCORE_ADJ_RELATIVE) score += settings->oom_score_at_start;
    status = platform_oom_score_set((int)MAX(-1000, MIN(score, 1000)));
    if (status == 0) return NULL;
    log_warning("Unable to write oom_score_adj: %s", error_text(status));
    return "Failed to set current oom_score_adj. Check server logs.";
}

void daemon_check_system(const struct settings *settings) {
    int backlog_max = platform_backlog_max();
    if (backlog_max > 0 && backlog_max < settings->tcp_backlog) {
        log_warning("WARNING: The TCP backlog setting of %" PRId64 " cannot be enforced because "
                    "the system's limit (somaxconn) is the lower value of %d.",
                    settings->tcp_backlog, backlog_max);
    }
    if (settings->maxmemory_bytes > 0 && settings->maxmemory_bytes < 1024 * 1024) {
        log_warning("WARNING: You specified a maxmemory value that is less than 1MB (current value "
                    "is %" PRId64 " bytes). Are you sure this is what you really want?",
                    settings->maxmemory_bytes);
    }
}
