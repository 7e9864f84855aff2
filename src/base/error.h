/* One list of error codes for the whole program: negative errno values (errno(3)), and the few below that errno lacks.
 * A function that can fail returns 0 or a positive count when all is well, and one of these otherwise. */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

enum error {
    ERROR_SYNTAX = -10000, /* text that does not follow its grammar */
    ERROR_RANGE = -10001,  /* a number outside its bounds */
    ERROR_LIMIT = -10002,  /* a named bound was reached */
};

/* A short text for any code above or any negative errno. Never NULL, static or thread-local storage. */
const char *error_text(int code);

#endif
