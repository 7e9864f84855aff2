/* Linked in, it makes the emulated kqueue one of the program's backends. */
#include "net/backend.h"

__attribute__((constructor)) static void register_kqueue(void) {
    net_backend_register(&net_backend_kqueue);
}
