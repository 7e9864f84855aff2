#include "base/check.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"

static void test_passes(void) {
    int evaluated = 0;
    CHECK(++evaluated == 1);
    EXPECT_INT(1, evaluated);
    DCHECK(evaluated == 1);
}

#ifndef DEBUG
static void test_debug_only(void) {
    int evaluated = 0;
    DCHECK(++evaluated == 7); /* not even evaluated */
    EXPECT_INT(0, evaluated);
}
#else
static void test_debug_only(void) {
    int evaluated = 0;
    DCHECK(++evaluated == 1);
    EXPECT_INT(1, evaluated);
}
#endif

/* A failed check says where on the log's sink, and ends by SIGABRT. */
static void test_fails(void) {
    char text[1024] = "";
    int ends[2], status;
    ssize_t len;
    pid_t pid;
    EXPECT_INT(0, pipe(ends));
    fflush(stdout);
    pid = fork();
    if (pid == 0) {
        signal(SIGABRT, SIG_DFL);
        dup2(ends[1], STDOUT_FILENO);
        CHECK(1 + 1 == 3);
        _exit(0);
    }
    close(ends[1]);
    len = read(ends[0], text, sizeof text - 1);
    close(ends[0]);
    EXPECT(waitpid(pid, &status, 0) == pid);
    EXPECT(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    EXPECT(len > 0 && text[len - 1] == '\n');
    EXPECT(strstr(text, "check.c:") != NULL);
    EXPECT(strstr(text, "1 + 1 == 3") != NULL);
}

/* A condition longer than the message's room is cut, its line still ends. */
static void test_long_condition(void) {
    char condition[2000], text[4096] = "";
    int ends[2], status;
    ssize_t len;
    pid_t pid;
    memset(condition, 'x', sizeof condition - 1);
    condition[sizeof condition - 1] = '\0';
    EXPECT_INT(0, pipe(ends));
    fflush(stdout);
    pid = fork();
    if (pid == 0) {
        signal(SIGABRT, SIG_DFL);
        dup2(ends[1], STDOUT_FILENO);
        check_failed("file.c", 1, condition);
    }
    close(ends[1]);
    len = read(ends[0], text, sizeof text - 1);
    close(ends[0]);
    EXPECT(waitpid(pid, &status, 0) == pid);
    EXPECT(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    EXPECT(len > 100 && text[len - 1] == '\n');
}

int main(int argc, char **argv) {
    static const struct test tests[] = {
        {"check_passes", test_passes},
        {"check_debug_only", test_debug_only},
        {"check_fails", test_fails},
        {"check_long_condition", test_long_condition},
    };
    return test_main(tests, ARRAY_LENGTH(tests), argc, argv);
}
