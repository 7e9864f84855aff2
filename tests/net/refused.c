/* Where io_uring is refused, by a sandbox's filter, a sysctl or for want of memory, AUTO serves over epoll and says why. Each case
 * runs in a child of its own, since a seccomp filter (seccomp(2)) cannot be taken off. */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "net/uring_compat.h"

#include "harness.h"

/* Calls with this number fail with this error from now on. */
static bool refuse(unsigned call, unsigned error) {
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {.len = ARRAY_LENGTH(filter), .filter = filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0) return false;
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}

static void served_by_epoll(const char *why_begins, const char *why_holds) {
    h.kind = NET_BACKEND_AUTO;
    EXPECT(harness_open((struct net_options){0}));
    printf("# %s\n", h.why);
    EXPECT(strcmp(net_backend_name(h.net), "epoll") == 0);
    EXPECT(strncmp(h.why, why_begins, strlen(why_begins)) == 0 && strstr(h.why, why_holds));
    h.echo = true;
    int fd = client_connect();
    EXPECT(client_send(fd, "served", 6));
    char bytes[16];
    ssize_t n = -1;
    UNTIL((n = client_receive(fd, bytes, sizeof bytes)) >= 0);
    EXPECT(n == 6 && memcmp(bytes, "served", 6) == 0);
    close(fd);
    UNTIL(h.closed_count == 1);
    harness_close();
}

static void asked_for(int error) {
    struct net_options options = {.backend = NET_BACKEND_URING};
    struct net *net = NULL;
    char why[128] = "";
    EXPECT_INT(-error, net_new(&options, &net, why, sizeof why));
    EXPECT(strstr(why, strerror(error)));
}

static void in_child(unsigned call, int error, const char *why_begins) {
    int status;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        if (!refuse(call, (unsigned)error)) _exit(77);
        served_by_epoll(why_begins, strerror(error));
        asked_for(error);
        fflush(stdout);
        _exit(test_failures ? 1 : 0);
    }
    EXPECT(waitpid(child, &status, 0) == child && WIFEXITED(status));
    if (WEXITSTATUS(status) == 77) {
        printf("# skipped: no seccomp here\n");
        return;
    }
    EXPECT_INT(0, WEXITSTATUS(status));
}

static void test_setup_eperm(void) {
    in_child(__NR_io_uring_setup, EPERM, "epoll, since io_uring_setup: ");
}
static void test_setup_enosys(void) {
    in_child(__NR_io_uring_setup, ENOSYS, "epoll, since io_uring_setup: ");
}
static void test_setup_enomem(void) {
    in_child(__NR_io_uring_setup, ENOMEM, "epoll, since io_uring_setup: ");
}
static void test_setup_einval(void) { /* every flag is peeled off, to no avail */
    in_child(__NR_io_uring_setup, EINVAL, "epoll, since io_uring_setup: ");
}
static void test_register_eacces(void) {
    in_child(__NR_io_uring_register, EACCES, "epoll, since io_uring provided buffer ring: ");
}
static void test_enter_eperm(void) {
    in_child(__NR_io_uring_enter, EPERM, "epoll, since io_uring multishot receive: ");
}

static void test_unknown_backend(void) {
    struct net_options options = {.backend = NET_BACKEND_SIM};
    struct net *net = NULL;
    char why[128] = "";
    EXPECT_INT(-ENOSYS, net_new(&options, &net, why, sizeof why));
    EXPECT(strstr(why, "this build"));
}

int main(int argc, char **argv) {
    static const struct test tests[] = {
        {"setup_eperm", test_setup_eperm},         {"setup_enosys", test_setup_enosys},
        {"setup_enomem", test_setup_enomem},       {"setup_einval", test_setup_einval},
        {"register_eacces", test_register_eacces}, {"enter_eperm", test_enter_eperm},
        {"unknown_backend", test_unknown_backend},
    };
    alarm(60);
    return test_main(tests, ARRAY_LENGTH(tests), argc, argv);
}
