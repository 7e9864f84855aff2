#include "harness.h"

int main(int argc, char **argv) {
    return conformance_main(NET_BACKEND_EPOLL, NULL, 0, argc, argv);
}
