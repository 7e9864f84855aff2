/* GNU attributes and builtins under plain names, so that no other file spells them out. */
#ifndef BASE_COMPAT_H
#define BASE_COMPAT_H

#include <stddef.h>
#include <stdint.h> /* also says whether this is glibc */

#define ATTR_MUST_USE __attribute__((warn_unused_result))
#define ATTR_PRINTF(format_at, args_at) __attribute__((format(printf, format_at, args_at)))
#define ATTR_NORETURN __attribute__((noreturn))
#define ATTR_UNUSED __attribute__((unused))
#define ATTR_MALLOC __attribute__((malloc))
#define ATTR_COLD __attribute__((cold))
#define ATTR_PACKED __attribute__((packed))
#define ATTR_VECTOR(bytes) __attribute__((vector_size(bytes)))
#define ATTR_FALLTHROUGH __attribute__((fallthrough))
/* A function compiled once for any processor and once for newer ones; the loader chooses. Not everywhere: it takes glibc. */
#if defined(__x86_64__) && defined(__GLIBC__) && (!defined(__clang__) || __clang_major__ >= 14)
#define ATTR_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define ATTR_CLONES
#endif
#define INLINE static inline __attribute__((always_inline))
#define NOINLINE __attribute__((noinline))

#define LIKELY(condition) __builtin_expect(!!(condition), 1)
#define UNLIKELY(condition) __builtin_expect(!!(condition), 0)
#define PREFETCH(address) __builtin_prefetch(address)
#define PREFETCH_WRITE(address) __builtin_prefetch((address), 1)

#define ARRAY_LENGTH(array) (sizeof(array) / sizeof((array)[0]))
#define CONTAINER_OF(pointer, type, member) \
    ((type *)(void *)((char *)(pointer) - __builtin_offsetof(type, member)))
#define CONST_CONTAINER_OF(pointer, type, member) \
    ((const type *)(const void *)((const char *)(pointer) - __builtin_offsetof(type, member)))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))

#endif
