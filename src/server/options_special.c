/* The options whose values are more than one number or text. */
#include "server/options.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/num.h"
#include "base/words.h"

static char *copy_text(struct span text) {
    char *copy = mem_alloc(text.len + 1);
    if (text.len > 0) memcpy(copy, text.data, text.len);
    copy[text.len] = '\0';
    return copy;
}

/* A single empty word stands for none: that is how a list is emptied. */
static uint32_t word_count(const struct span *words, uint32_t count) {
    return count == 1 && words[0].len == 0 ? 0 : count;
}

/* ---- bind */
static void bind_release(struct settings *settings, union option_slot *slot) {
    for (uint32_t i = 0; i < settings->bind_count; i++) mem_free(settings->bind[i]);
    settings->bind_count = 0;
}

static const char *bind_parse(struct settings *settings, union option_slot *slot,
                              const struct span *words, uint32_t count, char *error) {
    if (count > SETTINGS_BIND_MAX) return "Too many bind addresses specified.";
    bind_release(settings, slot);
    count = word_count(words, count);
    for (uint32_t i = 0; i < count; i++) settings->bind[i] = copy_text(words[i]);
    settings->bind_count = count;
    return NULL;
}

static void bind_print(const struct settings *settings, const union option_slot *slot,
                       struct buf *out) {
    for (uint32_t i = 0; i < settings->bind_count; i++) {
        if (i > 0) buf_put_char(out, ' ');
        buf_put_text(out, settings->bind[i]);
    }
}

const struct option_special option_bind = {
    .parse = bind_parse, .print = bind_print, .release = bind_release};

/* ---- dir: the working directory itself is the value, so that relative paths of other options always mean the same */
static const char *dir_parse(struct settings *settings, union option_slot *slot,
                             const struct span *words, uint32_t count, char *error) {
    char path[PATH_MAX];
    if (count != 1) return "wrong number of arguments";
    if (words[0].len == 0) return "dir can't be empty";
    if (words[0].len >= sizeof path) return error_text(-ENAMETOOLONG);
    memcpy(path, words[0].data, words[0].len);
    path[words[0].len] = '\0';
    if (chdir(path) != 0) return error_text(-errno);
    mem_free(settings->dir);
    settings->dir = mem_strdup(getcwd(path, sizeof path) ? path : ".");
    return NULL;
}

static void dir_print(const struct settings *settings, const union option_slot *slot,
                      struct buf *out) {
    char path[PATH_MAX];
    if (getcwd(path, sizeof path)) buf_put_text(out, path);
}

static bool dir_print_line(const struct settings *settings, uint32_t line, struct buf *out) {
    char path[PATH_MAX];
    if (line > 0 || !getcwd(path, sizeof path)) return false;
    words_quote(out, span_of(path));
    return true;
}

static void dir_release(struct settings *settings, union option_slot *slot) {
    mem_free(settings->dir);
    settings->dir = NULL;
}

const struct option_special option_dir = {
    .parse = dir_parse, .print = dir_print, .print_line = dir_print_line, .release = dir_release};

/* ---- client-output-buffer-limit: CLASS HARD SOFT SECONDS ..., only the classes that are named change */
static const char *const class_names[SESSION_CLASS_COUNT] = {"normal", "slave", "pubsub"};

static int class_by_name(struct span word) {
    if (span_is(word, "replica")) return SESSION_CLASS_REPLICA;
    for (int i = 0; i < SESSION_CLASS_COUNT; i++) {
        if (span_is(word, class_names[i])) return i;
    }
    return -1;
}

static bool limit_parse(const struct span *words, struct output_limit *out) {
    int64_t seconds;
    if (num_parse_memory(words[1], &out->hard_bytes) != 0) return false;
    if (num_parse_memory(words[2], &out->soft_bytes) != 0) return false;
    if (!num_parse_int(words[3], &seconds) || seconds < 0 || seconds > INT32_MAX) return false;
    out->soft_s = (uint32_t)seconds;
    return true;
}

static const char *limits_parse(struct settings *settings, union option_slot *slot,
                                const struct span *words, uint32_t count, char *error) {
    struct output_limit limits[SESSION_CLASS_COUNT];
    if (count % 4 != 0) return "Wrong number of arguments in buffer limit configuration.";
    memcpy(limits, settings->output_limit, sizeof limits);
    for (uint32_t i = 0; i < count; i += 4) {
        int class = class_by_name(words[i]);
        if (class < 0) return "Invalid client class specified in buffer limit configuration.";
        if (!limit_parse(words + i, &limits[class])) {
            return "Error in hard, soft or soft_seconds setting in buffer limit configuration.";
        }
    }
    memcpy(settings->output_limit, limits, sizeof limits);
    return NULL;
}

static void limits_print(const struct settings *settings, const union option_slot *slot,
                         struct buf *out) {
    for (int i = 0; i < SESSION_CLASS_COUNT; i++) {
        const struct output_limit *limit = &settings->output_limit[i];
        buf_printf(out, "%s%s %llu %llu %u", i > 0 ? " " : "", class_names[i],
                   (unsigned long long)limit->hard_bytes, (unsigned long long)limit->soft_bytes,
                   limit->soft_s);
    }
}

/* A file has a line for each class, with units, and says "replica". */
static bool limits_print_line(const struct settings *settings, uint32_t line, struct buf *out) {
    const struct output_limit *limit;
    if (line >= SESSION_CLASS_COUNT) return false;
    limit = &settings->output_limit[line];
    buf_printf(out, "%s ", line == SESSION_CLASS_REPLICA ? "replica" : class_names[line]);
    option_print_memory(out, (int64_t)limit->hard_bytes);
    buf_put_char(out, ' ');
    option_print_memory(out, (int64_t)limit->soft_bytes);
    buf_printf(out, " %u", limit->soft_s);
    return true;
}

const struct option_special option_output_limits = {
    .parse = limits_parse, .print = limits_print, .print_line = limits_print_line};

/* ---- notify-keyspace-events: class letters. `A` stands for all of those that come before the `n` here. */
static const char event_letters[] = "g$lshzxetdn", event_more[] = "KEm";
enum { EVENT_ALL_COUNT = 10 };

static uint32_t letter_bit(char letter) {
    const char *at = strchr(event_letters, letter);
    if (letter == '\0') return 0;
    if (letter == 'A') return (1u << EVENT_ALL_COUNT) - 1;
    if (at) return 1u << (at - event_letters);
    at = strchr(event_more, letter);
    return at ? 1u << (sizeof event_letters - 1 + (size_t)(at - event_more)) : 0;
}

static const char *events_parse(struct settings *settings, union option_slot *slot,
                                const struct span *words, uint32_t count, char *error) {
    char text[sizeof event_letters + sizeof event_more + 1];
    uint32_t bits = 0, all = letter_bit('A');
    size_t len = 0;
    if (count != 1) return "wrong number of arguments";
    for (size_t i = 0; i < words[0].len; i++) {
        uint32_t bit = letter_bit(words[0].data[i]);
        if (!bit) return "Invalid event class character. Use 'Ag$lshzxeKEtmdn'.";
        bits |= bit;
    }
    if ((bits & all) == all) text[len++] = 'A';
    for (const char *letter = event_letters; *letter && (bits & all) != all; letter++) {
        if (bits & letter_bit(*letter)) text[len++] = *letter;
    }
    for (const char *letter = event_more; *letter; letter++) {
        if (bits & letter_bit(*letter)) text[len++] = *letter;
    }
    /* Redis shows no `n` beside `A`, and would so lose it in a rewrite. */
    if ((bits & all) == all && (bits & letter_bit('n'))) text[len++] = 'n';
    mem_free(settings->notify_keyspace_events);
    settings->notify_keyspace_events = copy_text(span_make(text, len));
    return NULL;
}

static void events_print(const struct settings *settings, const union option_slot *slot,
                         struct buf *out) {
    if (settings->notify_keyspace_events) buf_put_text(out, settings->notify_keyspace_events);
}

static bool events_print_line(const struct settings *settings, uint32_t line, struct buf *out) {
    if (line > 0) return false;
    words_quote(out, span_of(settings->notify_keyspace_events));
    return true;
}

static void events_release(struct settings *settings, union option_slot *slot) {
    mem_free(settings->notify_keyspace_events);
    settings->notify_keyspace_events = NULL;
}

const struct option_special option_events = {.parse = events_parse,
                                             .print = events_print,
                                             .print_line = events_print_line,
                                             .release = events_release};

/* ---- latency-tracking-info-percentiles */
static const char *percentiles_parse(struct settings *settings, union option_slot *slot,
                                     const struct span *words, uint32_t count, char *error) {
    double percentiles[SETTINGS_PERCENTILES_MAX];
    count = word_count(words, count);
    if (count > SETTINGS_PERCENTILES_MAX)
        return "Too many latency-tracking-info-percentiles specified";
    for (uint32_t i = 0; i < count; i++) {
        if (!num_parse_double(words[i], &percentiles[i])) {
            return "Invalid latency-tracking-info-percentiles parameters";
        }
        if (percentiles[i] < 0 || percentiles[i] > 100) {
            return "latency-tracking-info-percentiles parameters should sit between [0.0,100.0]";
        }
    }
    memcpy(settings->latency_percentiles, percentiles, count * sizeof *percentiles);
    settings->latency_percentile_count = count;
    return NULL;
}

static void percentiles_print(const struct settings *settings, const union option_slot *slot,
                              struct buf *out) {
    for (uint32_t i = 0; i < settings->latency_percentile_count; i++) {
        char text[NUM_DOUBLE_TEXT_MAX];
        if (i > 0) buf_put_char(out, ' ');
        buf_put(out, text, num_format_double(text, settings->latency_percentiles[i]));
    }
}

const struct option_special option_percentiles = {.parse = percentiles_parse,
                                                  .print = percentiles_print};

/* ---- oom-score-adj-values: for a primary, a replica, a child */
static const char *oom_scores_parse(struct settings *settings, union option_slot *slot,
                                    const struct span *words, uint32_t count, char *error) {
    int64_t values[SETTINGS_OOM_SCORES];
    if (count != SETTINGS_OOM_SCORES) return "wrong number of arguments";
    for (uint32_t i = 0; i < count; i++) {
        if (!num_parse_int(words[i], &values[i]) || values[i] < -2000 || values[i] > 2000) {
            return "Invalid oom-score-adj-values, elements must be between -2000 and 2000.";
        }
    }
    memcpy(settings->oom_score_adj_values, values, sizeof values);
    return NULL;
}

static void oom_scores_print(const struct settings *settings, const union option_slot *slot,
                             struct buf *out) {
    for (int i = 0; i < SETTINGS_OOM_SCORES; i++) {
        if (i > 0) buf_put_char(out, ' ');
        buf_put_int(out, settings->oom_score_adj_values[i]);
    }
}

const struct option_special option_oom_scores = {.parse = oom_scores_parse,
                                                 .print = oom_scores_print};

/* ---- words kept as they are, for foreign options */
static void words_store(union option_slot *slot, const struct span *words, uint32_t count) {
    struct buf text = {0};
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0) buf_put_char(&text, ' ');
        buf_put_span(&text, words[i]);
    }
    mem_free(slot->text);
    slot->text = mem_strdup(buf_terminate(&text));
    buf_release(&text);
}

static const char *words_parse(struct settings *settings, union option_slot *slot,
                               const struct span *words, uint32_t count, char *error) {
    if (count == 2 && span_is(words[0], "no") && span_is(words[1], "one")) count = 0;
    words_store(slot, words, word_count(words, count));
    return NULL;
}

static void words_print(const struct settings *settings, const union option_slot *slot,
                        struct buf *out) {
    if (slot->text) buf_put_text(out, slot->text);
}

static void words_slot_release(struct settings *settings, union option_slot *slot) {
    mem_free(slot->text);
    slot->text = NULL;
}

const struct option_special option_words = {
    .parse = words_parse, .print = words_print, .release = words_slot_release};

static const char *save_parse(struct settings *settings, union option_slot *slot,
                              const struct span *words, uint32_t count, char *error) {
    count = word_count(words, count);
    if (count % 2 != 0) return "Invalid save parameters";
    for (uint32_t i = 0; i < count; i++) {
        int64_t value;
        if (!num_parse_int(words[i], &value) || value < (i % 2 == 0 ? 1 : 0)) {
            return "Invalid save parameters";
        }
    }
    words_store(slot, words, count);
    return NULL;
}

const struct option_special option_save = {
    .parse = save_parse, .print = words_print, .release = words_slot_release};
