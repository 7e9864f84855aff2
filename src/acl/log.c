#include "acl/log.h"

#include "base/alloc.h"

const char *acl_denied_name(enum acl_denied why) {
    static const char *const names[ACL_DENIED_COUNT] = {"command", "key", "channel", "auth"};
    return names[why];
}

const char *acl_context_name(enum acl_context where) {
    static const char *const names[] = {"toplevel", "multi", "lua"};
    return names[where];
}

void acl_log_init(struct acl_log *log) {
    *log = (struct acl_log){0};
    list_init(&log->entries);
}

static struct acl_log_entry *entry_of(struct list *link) {
    return LIST_ENTRY(link, struct acl_log_entry, link);
}

static void drop(struct acl_log *log, struct acl_log_entry *e) {
    list_remove(&e->link);
    log->count--;
    mem_free(e->object);
    mem_free(e->user);
    mem_free(e->client);
    mem_free(e);
}

static void trim(struct acl_log *log, uint64_t entries_max) {
    while (log->count > entries_max) drop(log, entry_of(log->entries.prev));
}

void acl_log_release(struct acl_log *log) {
    trim(log, 0);
}

static char *copy(struct span text, size_t *len) {
    char *bytes = mem_alloc(text.len + 1);
    if (text.len) memcpy(bytes, text.data, text.len);
    *len = text.len;
    return bytes;
}

static bool is_same(const struct acl_log_entry *e, const struct acl_log_event *event) {
    int64_t apart_ms = event->now_ms - e->updated_ms;
    if (e->why != event->why || e->where != event->where) return false;
    if (apart_ms > ACL_LOG_GROUP_MS || apart_ms < -ACL_LOG_GROUP_MS) return false;
    return span_eq(span_make(e->object, e->object_len), event->object) &&
           span_eq(span_make(e->user, e->user_len), event->user);
}

static struct acl_log_entry *find_same(struct acl_log *log, const struct acl_log_event *event) {
    int left = ACL_LOG_GROUP_ENTRIES;
    LIST_FOR_EACH(it, &log->entries) {
        if (left-- == 0) break;
        if (is_same(entry_of(it), event)) return entry_of(it);
    }
    return NULL;
}

static void count_up(struct acl_log *log, struct acl_log_entry *e,
                     const struct acl_log_event *event) {
    mem_free(e->client);
    e->client = copy(event->client, &e->client_len);
    e->updated_ms = event->now_ms;
    e->count++;
    list_remove(&e->link);
    list_push_front(&log->entries, &e->link);
}

void acl_log_add(struct acl_log *log, const struct acl_log_event *given, uint64_t entries_max) {
    struct acl_log_event event = *given;
    if (event.object.len > ACL_LOG_OBJECT_BYTES_MAX) event.object.len = ACL_LOG_OBJECT_BYTES_MAX;
    struct acl_log_entry *same = entries_max ? find_same(log, &event) : NULL;
    if (same) {
        count_up(log, same, &event);
    } else if (entries_max) {
        struct acl_log_entry *e = mem_zalloc(sizeof *e);
        e->why = event.why;
        e->where = event.where;
        e->object = copy(event.object, &e->object_len);
        e->user = copy(event.user, &e->user_len);
        e->client = copy(event.client, &e->client_len);
        e->count = 1;
        e->id = log->next_id++;
        e->created_ms = e->updated_ms = event.now_ms;
        list_push_front(&log->entries, &e->link);
        log->count++;
    }
    trim(log, entries_max);
}
