#include "commands/redact.h"

/* HELLO [protover] [AUTH user password] [SETNAME name] */
static bool hello_hides(const struct span *argv, uint32_t at) {
    for (uint32_t i = 2; i < at; i++) {
        if (span_is(argv[i], "auth")) return at <= i + 2;
        if (span_is(argv[i], "setname")) i++;
    }
    return false;
}

/* CONFIG SET name value ... */
static bool config_hides(const struct span *argv, uint32_t argc, uint32_t at) {
    static const char *const secrets[] = {"requirepass", "masterauth", "primaryauth",
                                          "tls-key-file-pass", "tls-client-key-file-pass"};
    if (argc < 4 || at < 3 || at % 2 == 0 || !span_is(argv[1], "set")) return false;
    for (size_t i = 0; i < ARRAY_LENGTH(secrets); i++) {
        if (span_is(argv[at - 1], secrets[i])) return true;
    }
    return false;
}

/* ACL SETUSER name rule ..., DELUSER name ..., GETUSER name */
static bool acl_hides(const struct span *argv, uint32_t at) {
    if (at < 2) return false;
    return span_is(argv[1], "setuser") || span_is(argv[1], "deluser") ||
           span_is(argv[1], "getuser");
}

bool redact_hides(const struct span *argv, uint32_t argc, uint32_t at) {
    if (at == 0) return false;
    if (span_is(argv[0], "auth")) return true;
    if (span_is(argv[0], "hello")) return hello_hides(argv, at);
    if (span_is(argv[0], "acl")) return acl_hides(argv, at);
    if (span_is(argv[0], "config")) return config_hides(argv, argc, at);
    return false;
}
