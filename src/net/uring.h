/* The io_uring backend's state, shared by backend_uring.c (connections, the turn) and uring_listen.c (listeners, watches).
 *
 * user_data of every entry:   63      56 55          32 31                   0
 *                             +---------+--------------+----------------------+
 *                             |   op    |  slot/number |      generation      |
 *                             +---------+--------------+----------------------+ */
#ifndef NET_URING_H
#define NET_URING_H

#include "net/backend.h"
#include "net/uring_buffers.h"
#include "net/uring_files.h"
#include "net/uring_probe.h"
#include "net/uring_ring.h"

enum { URING_WATCH_MAX = 32 };

enum uring_op {
    URING_OP_NONE, /* whose completion says nothing: cancel, close */
    URING_OP_ACCEPT,
    URING_OP_RECEIVE,
    URING_OP_SEND,
    URING_OP_POLL,
};

INLINE uint64_t uring_name(enum uring_op op, uint32_t slot, uint32_t generation) {
    return (uint64_t)op << 56 | (uint64_t)slot << 32 | generation;
}

struct uring_listener {
    bool wanted, armed;
    uint32_t generation;
    int fd;
    uint64_t stale; /* an operation still to be cancelled, 0: none */
};

struct uring_watch {
    bool used, armed;
    uint32_t generation;
    int fd, tag;
    uint64_t stale;
};

struct uring {
    struct net *net;
    struct uring_ring ring;
    struct uring_buffers buffers;
    struct uring_files files;
    struct uring_abilities can;
    struct list dirty;       /* connections with something to do before the wait */
    struct msghdr *messages; /* one per submission entry: lives as long as the entry does */
    uint32_t receive_limit;  /* bytes of one arming of a receive, 0: none */
    uint32_t min_wait_us;    /* as in the options; 0 where the kernel does not have it */
    uint32_t usual_count;    /* completions of a turn on average, times 8 */
    int64_t usual_gap_us;    /* from a wait to its first completion, on average; hybrid polling */
    bool listen_dirty;       /* a listener or a watch is to be armed or cancelled */
    struct uring_listener listeners[NET_LISTENER_MAX];
    struct uring_watch watches[URING_WATCH_MAX];
};

/* A zeroed entry. A full queue is handed over early, without waiting; NULL when even that gives no room (the kernel is out of
 * memory, or its completion queue has overflowed): the work stays marked as due. */
struct io_uring_sqe *uring_entry(struct uring *u);

/* Queues a cancel of the operation with that name; false: no entry. ENOENT and EALREADY are normal answers: what was to be
 * cancelled has just completed. */
bool uring_cancel(struct uring *u, uint64_t target);

/* uring_wait.c. A call that does not wait; 0 or a negative errno. */
ATTR_MUST_USE int uring_enter_now(struct uring *u, enum uring_enter how);
/* The turn's call: hands over what is queued and, when nothing is to be done already, waits; timeout_ms as in
 * net_turn. 0 or a negative errno. */
ATTR_MUST_USE int uring_wait(struct uring *u, int timeout_ms);
/* Another call, without waiting, for completions that are due. */
ATTR_MUST_USE int uring_wait_again(struct uring *u);
/* So many completions were taken. */
void uring_wait_took(struct uring *u, uint32_t count);

/* Listeners and watches: what is due, their completions, and the backend table's entries. */
void uring_listen_arm(struct uring *u);
void uring_accepted(struct uring *u, const struct io_uring_cqe *cqe, uint32_t number,
                    uint32_t generation);
void uring_polled(struct uring *u, const struct io_uring_cqe *cqe, uint32_t number,
                  uint32_t generation);
int uring_listener_add(void *state, int listener, int fd);
void uring_listener_remove(void *state, int listener, int fd);
int uring_watch(void *state, int fd, int tag);
void uring_unwatch(void *state, int fd);

#endif
