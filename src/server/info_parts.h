/* Inside server/info*.c only. */
#ifndef SERVER_INFO_PARTS_H
#define SERVER_INFO_PARTS_H

#include "server/info.h"

/* What one walk over all sessions finds; made when the first field needs it. */
struct info_sessions {
    bool seen;
    uint64_t pubsub_count, timeout_count, paused_count;
    uint64_t memory_bytes, pubsub_memory_bytes;
    size_t input_bytes_max, output_bytes_max;
};

struct info {
    const struct info_source *source;
    struct buf *out;
    struct info_counts counts;
    struct info_sessions sessions;
};

struct info_fixed_field {
    const char *name, *value;
};

void info_text(struct info *info, const char *name, const char *value);
void info_uint(struct info *info, const char *name, uint64_t value);
void info_int(struct info *info, const char *name, int64_t value);
void info_ratio(struct info *info, const char *name, double part, double whole); /* two digits; 0 when whole is 0 */
void info_bytes(struct info *info, const char *name, uint64_t bytes);            /* and name_human */
void info_fixed(struct info *info, const struct info_fixed_field *fields, size_t count);

/* The value of an option of our own, as CONFIG GET shows it; cut to `size`. Returns `out`. */
const char *info_option(struct info *info, const char *name, char *out, size_t size);
const struct info_sessions *info_look_at_sessions(struct info *info);
void info_section_memory(struct info *info);
void info_section_stats(struct info *info);
void info_section_commandstats(struct info *info);
void info_section_errorstats(struct info *info);
void info_section_latencystats(struct info *info);
void info_section_rondo(struct info *info);
void info_section_debug(struct info *info);

#endif
