/* The version, and the Redis version whose behaviour clients may count on. */
#ifndef SERVER_VERSION_H
#define SERVER_VERSION_H

#define RONDO_VERSION "0.1.0"
#define RONDO_REDIS_VERSION "7.2.4"

#endif
