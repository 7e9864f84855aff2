/* io_uring's structs from liburing's header, and under names of our own what liburing 2.3 (Linux 6.1) does not know yet. Each is
 * used only after the kernel has said, by a feature bit or by taking it, that it knows it. The values are the kernel's ABI:
 * include/uapi/linux/io_uring.h. */
#ifndef NET_URING_COMPAT_H
#define NET_URING_COMPAT_H

#include <liburing.h>

#define URING_SETUP_NO_SQARRAY (1u << 16) /* 6.6 */
#define URING_FEAT_NO_IOWAIT (1u << 17)   /* 6.15 */
#define URING_ENTER_NO_IOWAIT (1u << 7)   /* 6.15 */
#define URING_FEAT_MIN_TIMEOUT (1u << 15) /* 6.12 */
#define URING_CQE_F_BUF_MORE (1u << 4) /* 6.12: the buffer is not used up, more will follow in it */
#define URING_SEND_ZC_REPORT_USAGE (1u << 3)   /* 6.2 */
#define URING_NOTIF_USAGE_ZC_COPIED (1u << 31) /* 6.2 */
enum { URING_PBUF_RING_INC = 2 }; /* 6.12: incremental consumption of provided buffers */

/* struct io_uring_buf_reg, whose `flags` is called `pad` in 2.3. */
struct uring_buf_reg {
    uint64_t ring_addr;
    uint32_t ring_entries;
    uint16_t bgid;
    uint16_t flags;
    uint64_t resv[3];
};

/* struct io_uring_getevents_arg, whose `min_wait_usec` is called `pad` in 2.3. */
struct uring_getevents_arg {
    uint64_t sigmask;
    uint32_t sigmask_sz;
    uint32_t min_wait_usec;
    uint64_t ts;
};

enum { URING_REGISTER_NAPI = 27 }; /* 6.9 */
struct uring_napi {
    uint32_t busy_poll_us;
    uint8_t prefer_busy_poll;
    uint8_t pad[3];
    uint64_t resv;
};

#endif
