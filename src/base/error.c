#include "base/error.h"

#include <limits.h>
#include <string.h>

const char *error_text(int code) {
    if (code >= 0) return "no error";
    switch ((enum error)code) {
    case ERROR_SYNTAX: return "syntax error";
    case ERROR_RANGE: return "out of range";
    case ERROR_LIMIT: return "limit reached";
    }
    return strerror(code == INT_MIN ? INT_MAX : -code);
}
