/* rondo-server. Start: configuration, background, limits, log; then the layers (the ring belongs to the process and thread that
 * serves, so it is made last); then turns until the end. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/log.h"
#include "server/cli.h"
#include "server/crash.h"
#include "server/daemon.h"
#include "server/host.h"
#include "server/signals.h"
#include "server/title.h"

static int serve(struct server *sv) {
    int rc = server_init(sv);
    if (rc < 0) return 1;
    crash_watch(&sv->host);
    rc = server_listen(sv);
    if (rc == 0) {
        signals_install(sv->net);
        server_show_title(sv);
        daemon_write_pidfile(&sv->settings);
        log_notice("Ready to accept connections");
        daemon_ready(&sv->settings);
        rc = server_run(sv);
        signals_forget();
        daemon_remove_pidfile(&sv->settings);
    }
    crash_watch(NULL);
    server_release(sv);
    return rc < 0 ? 1 : 0;
}

static int start(struct server *sv, int argc, char **argv) {
    if (daemon_detach(&sv->settings) < 0) return 1;
    if (server_open_log(&sv->settings) < 0) return 1;
    clock_init();
    crash_enable(sv->settings.crash_log_enabled);
    cli_log_start(sv->config, argc, argv);
    daemon_check_system(&sv->settings);
    daemon_tune(&sv->settings);
    if (daemon_limits(&sv->settings) < 0) return 1;
    signals_install(NULL);
    mem_purge_in_background();
    return serve(sv);
}

int main(int argc, char **argv) {
    static struct server server;
    int status = 0;
    title_init(argc, argv);
    hash_seed_random();
    clock_init();
    snprintf(server.executable, sizeof server.executable, "%s", argv[0]);
    server.config = config_new(&server.settings);
    if (cli_parse(argc, argv, server.config, &server.settings, &status))
        status = start(&server, argc, argv);
    config_free(server.config);
    log_close();
    return status;
}
