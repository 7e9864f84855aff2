/* kqueue(2) on Linux, for tests alone: enough of it over epoll(7) that src/net/backend_kqueue.c runs its whole conformance suite on
 * the machines that the project is developed on. What it does and does not do: kqueue_emu.c. */
#ifndef TESTS_KQUEUE_EMU_SYS_EVENT_H
#define TESTS_KQUEUE_EMU_SYS_EVENT_H

#include <stdint.h>
#include <time.h>

struct kevent {
    uintptr_t ident;
    int16_t filter;
    uint16_t flags;
    uint32_t fflags;
    int64_t data;
    void *udata;
};

enum { EVFILT_READ = -1, EVFILT_WRITE = -2 };

enum {
    EV_ADD = 0x0001,
    EV_DELETE = 0x0002,
    EV_ENABLE = 0x0004,
    EV_DISABLE = 0x0008,
    EV_ONESHOT = 0x0010,
    EV_CLEAR = 0x0020,
    EV_RECEIPT = 0x0040,
    EV_ERROR = 0x4000,
    EV_EOF = 0x8000,
};

#define EV_SET(event, ident_, filter_, flags_, fflags_, data_, udata_) \
    (*(event) = (struct kevent){(ident_), (filter_), (flags_), (fflags_), (data_), (udata_)})

int kqueue(void);
int kevent(int kq, const struct kevent *changes, int change_count, struct kevent *events, int event_count,
           const struct timespec *timeout);

/* What the emulation counted since the process began: calls of kevent, changes handed over, changes refused. */
extern uint64_t kqueue_emu_calls, kqueue_emu_changes, kqueue_emu_refused;
/* The next change for this descriptor is refused with ENOMEM, as a kernel short of memory would. -1: none. */
extern int kqueue_emu_refuse_fd;

#endif
