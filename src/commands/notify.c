#include "commands/notify.h"

#include "base/alloc.h"
#include "commands/pubsub.h"

struct notifier {
    struct db_hook hook;
    struct host *host;
    bool hooked, keyspace, keyevent;
    bool classes[128];  /* by letter */
    struct buf channel; /* reused */
};

static void publish(struct notifier *n, const char *what, uint32_t db, struct span name,
                    struct span payload) {
    buf_clear(&n->channel);
    buf_printf(&n->channel, "__%s@%u__:", what, db);
    buf_put_span(&n->channel, name);
    pubsub_publish(n->host, buf_span(&n->channel), payload);
}

static void on_event(struct db_hook *hook, struct db *db, char event_class, const char *event,
                     struct span key) {
    struct notifier *n = CONTAINER_OF(hook, struct notifier, hook);
    if (!n->classes[event_class & 127]) return;
    if (n->keyspace) publish(n, "keyspace", db->number, key, span_of(event));
    if (n->keyevent) publish(n, "keyevent", db->number, span_of(event), key);
}

struct notifier *notifier_new(struct host *host) {
    struct notifier *n = mem_zalloc(sizeof *n);
    n->host = host;
    n->hook.event = on_event;
    return n;
}

static void set_hook(struct notifier *n, bool wanted) {
    if (n->hooked == wanted) return;
    n->hooked = wanted;
    if (wanted) {
        keyspace_hook(n->host->keyspace, &n->hook);
    } else {
        keyspace_unhook(n->host->keyspace, &n->hook);
    }
}

void notifier_free(struct notifier *n) {
    set_hook(n, false);
    buf_release(&n->channel);
    mem_free(n);
}

/* `A` is every class but m (misses) and n (new keys), which would be too many. */
void notifier_set(struct notifier *n, const char *classes) {
    static const char all[] = "g$lshzxetd";
    memset(n->classes, 0, sizeof n->classes);
    n->keyspace = n->keyevent = false;
    for (const char *c = classes ? classes : ""; *c; c++) {
        if (*c == 'K') n->keyspace = true;
        if (*c == 'E') n->keyevent = true;
        n->classes[*c & 127] = true;
        for (const char *a = all; *c == 'A' && *a; a++) n->classes[(int)*a] = true;
    }
    set_hook(n, n->keyspace || n->keyevent);
}
