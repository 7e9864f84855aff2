/* Where the keys of a request are, by its command's key specifications.
 * https://redis.io/docs/latest/develop/reference/key-specs/ */
#include "commands/registry.h"

#include "base/num.h"

struct key_range {
    uint32_t first, last, step; /* positions; last included */
};

/* Where the spec's keys begin; 0: its keyword is not there. */
static uint32_t find_begin(const struct key_spec *spec, const struct span *argv, uint32_t argc) {
    if (!spec->keyword) return (uint32_t)spec->index;
    bool backward = spec->start_from < 0;
    int64_t at = backward ? (int64_t)argc + spec->start_from : spec->start_from;
    for (; at > 0 && at < (int64_t)argc; at += backward ? -1 : 1) {
        if (span_is(argv[at], spec->keyword)) return (uint32_t)at + 1;
    }
    return 0;
}

static int counted_range(const struct key_spec *spec, const struct span *argv, uint32_t argc,
                         uint32_t begin, struct key_range *range) {
    uint32_t count_at = begin + (uint32_t)spec->keynum_index;
    int64_t count;
    if (count_at >= argc || !num_parse_int(argv[count_at], &count)) return -1;
    if (count < 0 || count > (int64_t)argc) return -1;
    range->first = begin + (uint32_t)spec->first_key;
    range->step = (uint32_t)spec->step;
    if (count == 0) return 0;
    int64_t last = range->first + (count - 1) * spec->step;
    if (last >= (int64_t)argc) return -1;
    range->last = (uint32_t)last;
    return 1;
}

/* 1 and a range, 0 for no keys, -1 when the arguments do not fit. */
static int spec_range(const struct key_spec *spec, const struct span *argv, uint32_t argc,
                      struct key_range *range) {
    uint32_t begin = find_begin(spec, argv, argc);
    if (begin == 0) return 0;
    if (spec->keynum) return counted_range(spec, argv, argc, begin, range);
    if (begin >= argc) return spec->keyword || spec->last_key < 0 ? 0 : -1;
    int64_t last;
    if (spec->last_key >= 0) {
        last = begin + spec->last_key;
    } else if (spec->limit <= 1) {
        last = (int64_t)argc + spec->last_key;
    } else {
        last = begin + ((int64_t)argc - begin) / spec->limit + spec->last_key;
    }
    if (last >= (int64_t)argc || last < (int64_t)begin) return -1;
    *range = (struct key_range){begin, (uint32_t)last, (uint32_t)spec->step};
    return 1;
}

int command_keys(const struct command *command, const struct span *argv, uint32_t argc,
                 uint32_t *positions, uint16_t *flags, int max) {
    int count = 0;
    if (command->find_keys) return command->find_keys(argv, argc, positions, flags, max);
    for (int i = 0; i < COMMAND_KEY_SPECS_MAX && command->keys[i].flags; i++) {
        struct key_range range;
        if (command->keys[i].flags & KEY_NOT_KEY) continue;
        int found = spec_range(&command->keys[i], argv, argc, &range);
        if (found < 0) return -1;
        if (found == 0) continue;
        for (uint32_t at = range.first; at <= range.last && count < max; at += range.step) {
            positions[count] = at;
            flags[count++] = command->keys[i].flags;
        }
    }
    return count;
}
