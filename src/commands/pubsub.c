/* Subscriptions are nodes in two directions, so that either end can go at once:
 *
 *   pubsub.topics[kind]  table by name -> topic -> list of subscriptions (in order of arrival)
 *   subscriber           one table by kind -> its subscriptions
 *
 * A topic exists while somebody subscribes to it. PUBLISH builds its message once (push.h). */
#include "commands/pubsub.h"

#include "base/alloc.h"
#include "base/glob.h"
#include "base/hash.h"
#include "commands/push.h"

enum kind { CHANNEL, PATTERN, SHARD, KIND_COUNT };

struct topic {
    struct list subscriptions;
    uint32_t subscriber_count;
    uint32_t len;
    char name[];
};

struct subscription {
    struct list of_topic;
    struct topic *topic;
    struct subscriber *subscriber;
};

struct subscriber {
    struct session_extension extension;
    struct pubsub *pubsub;
    struct session *session;
    struct table subscriptions[KIND_COUNT];
};

struct pubsub {
    struct table topics[KIND_COUNT];
};

/* ---- tables */

INLINE struct span name_of(const struct topic *t) {
    return span_make(t->name, t->len);
}

INLINE uint64_t hash_of(struct span name) {
    return hash_bytes(name.data, name.len);
}

static uint64_t topic_hash(const void *element) {
    return hash_of(name_of(element));
}

static bool topic_has_name(const void *element, struct span name) {
    return span_eq(name_of(element), name);
}

static uint64_t subscription_hash(const void *element) {
    const struct subscription *s = element;
    return topic_hash(s->topic);
}

static bool subscription_has_name(const void *element, struct span name) {
    const struct subscription *s = element;
    return topic_has_name(s->topic, name);
}

static const struct table_type topic_type = {.hash = topic_hash, .has_key = topic_has_name};
static const struct table_type subscription_type = {.hash = subscription_hash,
                                                    .has_key = subscription_has_name};

static void *find(const struct table *t, struct span name) {
    table_slot *slot = table_find(t, hash_of(name), name);
    return slot ? table_element(slot) : NULL;
}

static void forget(struct table *t, struct span name) {
    uint64_t hash = hash_of(name);
    table_remove(t, table_find(t, hash, name), hash);
}

struct pubsub *pubsub_new(void) {
    struct pubsub *p = mem_zalloc(sizeof *p);
    for (int kind = 0; kind < KIND_COUNT; kind++) table_init(&p->topics[kind], &topic_type);
    return p;
}

void pubsub_free(struct pubsub *p) {
    for (int kind = 0; kind < KIND_COUNT; kind++) table_release(&p->topics[kind], NULL, NULL);
    mem_free(p);
}

struct pubsub_counts pubsub_counts(const struct pubsub *p) {
    return (struct pubsub_counts){p->topics[CHANNEL].count, p->topics[PATTERN].count,
                                  p->topics[SHARD].count};
}

/* ---- one session's subscriptions */

static struct subscriber *subscriber_of(const struct session *s) {
    struct session_extension *extension = s->extension[SESSION_EXTENSION_PUBSUB];
    return extension ? CONTAINER_OF(extension, struct subscriber, extension) : NULL;
}

static uint64_t count_of(const struct subscriber *sub, enum kind kind) {
    if (!sub) return 0;
    if (kind == SHARD) return sub->subscriptions[SHARD].count;
    return sub->subscriptions[CHANNEL].count + sub->subscriptions[PATTERN].count;
}

static void set_flag(struct session *s) {
    const struct subscriber *sub = subscriber_of(s);
    bool any = count_of(sub, CHANNEL) || count_of(sub, SHARD);
    s->flags = any ? s->flags | SESSION_PUBSUB : s->flags & ~(uint32_t)SESSION_PUBSUB;
}

static void drop(struct subscriber *sub, enum kind kind, struct subscription *subscription) {
    struct topic *topic = subscription->topic;
    forget(&sub->subscriptions[kind], name_of(topic));
    list_remove(&subscription->of_topic);
    mem_free(subscription);
    if (--topic->subscriber_count) return;
    forget(&sub->pubsub->topics[kind], name_of(topic));
    mem_free(topic);
}

static struct subscription *any_of(const struct subscriber *sub, enum kind kind);

static void release(struct session_extension *extension, struct session *s) {
    struct subscriber *sub = CONTAINER_OF(extension, struct subscriber, extension);
    for (int kind = 0; kind < KIND_COUNT; kind++) {
        while (sub->subscriptions[kind].count) drop(sub, kind, any_of(sub, kind));
        table_release(&sub->subscriptions[kind], NULL, NULL);
    }
    s->flags &= ~(uint32_t)SESSION_PUBSUB;
    mem_free(sub);
}

static void count(const struct session_extension *extension, struct session_counts *counts) {
    const struct subscriber *sub = CONST_CONTAINER_OF(extension, struct subscriber, extension);
    counts->channels = (uint32_t)sub->subscriptions[CHANNEL].count;
    counts->patterns = (uint32_t)sub->subscriptions[PATTERN].count;
    counts->shard_channels = (uint32_t)sub->subscriptions[SHARD].count;
}

static size_t memory_bytes(const struct session_extension *extension) {
    const struct subscriber *sub = CONST_CONTAINER_OF(extension, struct subscriber, extension);
    size_t bytes = sizeof *sub;
    for (int kind = 0; kind < KIND_COUNT; kind++) {
        const struct table *t = &sub->subscriptions[kind];
        bytes += t->memory_bytes + t->count * sizeof(struct subscription);
    }
    return bytes;
}

static struct subscriber *subscriber_make(struct call *call) {
    struct session *s = call->session;
    struct subscriber *sub = subscriber_of(s);
    if (sub) return sub;
    sub = mem_zalloc(sizeof *sub);
    sub->extension = (struct session_extension){release, count, memory_bytes};
    sub->pubsub = call->host->pubsub;
    sub->session = s;
    for (int kind = 0; kind < KIND_COUNT; kind++) {
        table_init(&sub->subscriptions[kind], &subscription_type);
    }
    s->extension[SESSION_EXTENSION_PUBSUB] = &sub->extension;
    return sub;
}

static struct topic *topic_make(struct pubsub *p, enum kind kind, struct span name) {
    struct topic *topic = find(&p->topics[kind], name);
    if (topic) return topic;
    topic = mem_alloc(sizeof *topic + name.len);
    list_init(&topic->subscriptions);
    topic->subscriber_count = 0;
    topic->len = (uint32_t)name.len;
    if (name.len) memcpy(topic->name, name.data, name.len);
    table_insert(&p->topics[kind], hash_of(name), topic);
    return topic;
}

static void add(struct subscriber *sub, enum kind kind, struct span name) {
    if (find(&sub->subscriptions[kind], name)) return;
    struct subscription *subscription = mem_alloc(sizeof *subscription);
    subscription->topic = topic_make(sub->pubsub, kind, name);
    subscription->subscriber = sub;
    subscription->topic->subscriber_count++;
    list_push_back(&subscription->topic->subscriptions, &subscription->of_topic);
    table_insert(&sub->subscriptions[kind], hash_of(name), subscription);
}

/* ---- SUBSCRIBE and its opposites */

static const char *const subscribe_words[KIND_COUNT] = {"subscribe", "psubscribe", "ssubscribe"};
static const char *const unsubscribe_words[KIND_COUNT] = {"unsubscribe", "punsubscribe",
                                                          "sunsubscribe"};

static void confirm(struct call *call, const char *word, struct span name, enum kind kind) {
    reply_push(call->reply, 3);
    reply_bulk_text(call->reply, word);
    if (name.data) {
        reply_bulk(call->reply, name);
    } else {
        reply_null(call->reply);
    }
    reply_int(call->reply, (int64_t)count_of(subscriber_of(call->session), kind));
}

static void subscribe_kind(struct call *call, enum kind kind) {
    struct session *s = call->session;
    struct subscriber *sub = subscriber_make(call);
    for (uint32_t i = 1; i < call->argc; i++) {
        add(sub, kind, call->argv[i]);
        confirm(call, subscribe_words[kind], call->argv[i], kind);
    }
    set_flag(s);
}

static void visit_first(void *element, void *context) {
    struct subscription **found = context;
    if (!*found) *found = element;
}

static struct subscription *any_of(const struct subscriber *sub, enum kind kind) {
    struct subscription *found = NULL;
    uint64_t cursor = 0;
    do cursor = table_scan(&sub->subscriptions[kind], cursor, visit_first, &found);
    while (cursor && !found);
    return found;
}

static void unsubscribe_all(struct call *call, enum kind kind) {
    struct subscriber *sub = subscriber_of(call->session);
    if (!sub || !sub->subscriptions[kind].count) {
        confirm(call, unsubscribe_words[kind], (struct span){NULL, 0}, kind);
        return;
    }
    while (sub->subscriptions[kind].count) {
        struct subscription *subscription = any_of(sub, kind);
        struct topic *topic = subscription->topic;
        /* The confirmation counts what is left and needs the name: hold the topic while both are written. */
        topic->subscriber_count++;
        drop(sub, kind, subscription);
        confirm(call, unsubscribe_words[kind], name_of(topic), kind);
        if (--topic->subscriber_count) continue;
        forget(&sub->pubsub->topics[kind], name_of(topic));
        mem_free(topic);
    }
}

static void unsubscribe_kind(struct call *call, enum kind kind) {
    struct subscriber *sub = subscriber_of(call->session);
    if (call->argc == 1) unsubscribe_all(call, kind);
    for (uint32_t i = 1; i < call->argc; i++) {
        struct subscription *subscription =
            sub ? find(&sub->subscriptions[kind], call->argv[i]) : NULL;
        if (subscription) drop(sub, kind, subscription);
        confirm(call, unsubscribe_words[kind], call->argv[i], kind);
    }
    set_flag(call->session);
}

static void subscribe(struct call *call) {
    subscribe_kind(call, CHANNEL);
}
static void psubscribe(struct call *call) {
    subscribe_kind(call, PATTERN);
}
static void ssubscribe(struct call *call) {
    subscribe_kind(call, SHARD);
}
static void unsubscribe(struct call *call) {
    unsubscribe_kind(call, CHANNEL);
}
static void punsubscribe(struct call *call) {
    unsubscribe_kind(call, PATTERN);
}
static void sunsubscribe(struct call *call) {
    unsubscribe_kind(call, SHARD);
}

struct visitor {
    void (*visit)(struct span name, bool is_pattern, void *context);
    void *context;
    bool is_pattern;
};

static void visit_subscribed(void *element, void *context) {
    const struct subscription *subscription = element;
    const struct visitor *v = context;
    v->visit(name_of(subscription->topic), v->is_pattern, v->context);
}

void pubsub_each(const struct session *s,
                 void (*visit)(struct span name, bool is_pattern, void *context), void *context) {
    const struct subscriber *sub = subscriber_of(s);
    for (int kind = 0; sub && kind < KIND_COUNT; kind++) {
        struct visitor visitor = {visit, context, kind == PATTERN};
        uint64_t cursor = 0;
        if (sub->subscriptions[kind].count == 0) continue;
        do cursor = table_scan(&sub->subscriptions[kind], cursor, visit_subscribed, &visitor);
        while (cursor);
    }
}

/* ---- PUBLISH */

static uint64_t deliver(struct host *host, struct topic *topic, struct push_message *m) {
    LIST_FOR_EACH(it, &topic->subscriptions) {
        struct subscription *subscription = LIST_ENTRY(it, struct subscription, of_topic);
        push_message_send(m, host, subscription->subscriber->session);
    }
    push_message_release(m);
    return topic->subscriber_count;
}

struct publication {
    struct host *host;
    struct span channel, payload;
    uint64_t receiver_count;
};

static void visit_pattern(void *element, void *context) {
    struct publication *p = context;
    struct topic *topic = element;
    if (!glob_match(name_of(topic), p->channel, false)) return;
    struct push_message m = {.kind = SPAN("pmessage"),
                             .pattern = name_of(topic),
                             .channel = p->channel,
                             .payload = p->payload};
    p->receiver_count += deliver(p->host, topic, &m);
}

static uint64_t publish_topic(struct host *host, enum kind kind, struct span name,
                              struct span payload) {
    struct topic *topic = find(&host->pubsub->topics[kind], name);
    if (!topic) return 0;
    struct push_message m = {.kind = kind == SHARD ? SPAN("smessage") : SPAN("message"),
                             .channel = name,
                             .payload = payload};
    return deliver(host, topic, &m);
}

uint64_t pubsub_publish(struct host *host, struct span channel, struct span payload) {
    struct publication p = {host, channel, payload, 0};
    struct table *patterns = &host->pubsub->topics[PATTERN];
    uint64_t cursor = 0;
    p.receiver_count = publish_topic(host, CHANNEL, channel, payload);
    if (patterns->count == 0) return p.receiver_count;
    do cursor = table_scan(patterns, cursor, visit_pattern, &p);
    while (cursor);
    return p.receiver_count;
}

static void publish(struct call *call) {
    reply_int(call->reply, (int64_t)pubsub_publish(call->host, call->argv[1], call->argv[2]));
}

static void spublish(struct call *call) {
    reply_int(call->reply, (int64_t)publish_topic(call->host, SHARD, call->argv[1], call->argv[2]));
}

/* ---- PUBSUB */

struct name_list {
    struct call *call;
    struct span pattern; /* data NULL: all */
    uint64_t count;
};

static void visit_name(void *element, void *context) {
    struct name_list *list = context;
    struct span name = name_of(element);
    if (list->pattern.data && !glob_match(list->pattern, name, false)) return;
    reply_bulk(list->call->reply, name);
    list->count++;
}

static void list_topics(struct call *call, enum kind kind) {
    struct name_list list = {.call = call};
    uint64_t cursor = 0;
    if (call->argc > 3) {
        call_subcommand_error(call);
        return;
    }
    if (call->argc == 3) list.pattern = call->argv[2];
    struct chunk *mark = reply_mark(call->reply);
    do cursor = table_scan(&call->host->pubsub->topics[kind], cursor, visit_name, &list);
    while (cursor);
    reply_fill_array(call->reply, mark, list.count);
}

static void count_topics(struct call *call, enum kind kind) {
    reply_map(call->reply, call->argc - 2);
    for (uint32_t i = 2; i < call->argc; i++) {
        const struct topic *topic = find(&call->host->pubsub->topics[kind], call->argv[i]);
        reply_bulk(call->reply, call->argv[i]);
        reply_int(call->reply, topic ? topic->subscriber_count : 0);
    }
}

static void pubsub_channels(struct call *call) {
    list_topics(call, CHANNEL);
}
static void pubsub_shardchannels(struct call *call) {
    list_topics(call, SHARD);
}
static void pubsub_numsub(struct call *call) {
    count_topics(call, CHANNEL);
}
static void pubsub_shardnumsub(struct call *call) {
    count_topics(call, SHARD);
}
static void pubsub_numpat(struct call *call) {
    reply_int(call->reply, (int64_t)call->host->pubsub->topics[PATTERN].count);
}
static void pubsub_help(struct call *call) {
    static const char *const lines[] = {
        "CHANNELS [<pattern>]",
        "    Return the currently active channels matching a <pattern> (default: '*').",
        "NUMPAT",
        "    Return number of subscriptions to patterns.",
        "NUMSUB [<channel> ...]",
        "    Return the number of subscribers for the specified channels, excluding",
        "    pattern subscriptions(default: no channels).",
        "SHARDCHANNELS [<pattern>]",
        "    Return the currently active shard level channels matching a <pattern> (default: '*').",
        "SHARDNUMSUB [<shardchannel> ...]",
        "    Return the number of subscribers for the specified shard level channel(s)",
        NULL,
    };
    call_help(call, lines);
}

/* ---- tables */

enum {
    SUBSCRIBE_FLAGS = COMMAND_PUBSUB | COMMAND_NOSCRIPT | COMMAND_LOADING | COMMAND_STALE,
    PUBLISH_FLAGS =
        COMMAND_PUBSUB | COMMAND_LOADING | COMMAND_STALE | COMMAND_FAST | COMMAND_MAY_REPLICATE,
    LOOK_FLAGS = COMMAND_PUBSUB | COMMAND_LOADING | COMMAND_STALE,
};

#define SHARD_KEYS                                                      \
    {                                                                   \
        { .flags = KEY_NOT_KEY, .index = 1, .last_key = -1, .step = 1 } \
    }
#define SHARD_KEY                                                      \
    {                                                                  \
        { .flags = KEY_NOT_KEY, .index = 1, .last_key = 0, .step = 1 } \
    }

static const struct command pubsub_subcommands[] = {
    {.name = "channels",
     .run = pubsub_channels,
     .arity = -2,
     .group = GROUP_PUBSUB,
     .flags = LOOK_FLAGS,
     .since = "2.8.0",
     .summary = "Returns the active channels.",
     .complexity = "O(N) where N is the number of active channels, and assuming constant time "
                   "pattern matching (relatively short channels and patterns)",
     .arguments = "[pattern:pattern]"},
    {.name = "help",
     .run = pubsub_help,
     .arity = 2,
     .group = GROUP_PUBSUB,
     .flags = COMMAND_LOADING | COMMAND_STALE,
     .since = "6.2.0",
     .summary = "Returns helpful text about the different subcommands.",
     .complexity = "O(1)"},
    {.name = "numpat",
     .run = pubsub_numpat,
     .arity = 2,
     .group = GROUP_PUBSUB,
     .flags = LOOK_FLAGS,
     .since = "2.8.0",
     .summary = "Returns a count of unique pattern subscriptions.",
     .complexity = "O(1)"},
    {.name = "numsub",
     .run = pubsub_numsub,
     .arity = -2,
     .group = GROUP_PUBSUB,
     .flags = LOOK_FLAGS,
     .since = "2.8.0",
     .summary = "Returns a count of subscribers to channels.",
     .complexity = "O(N) for the NUMSUB subcommand, where N is the number of requested channels",
     .arguments = "[channel:string...]"},
    {.name = "shardchannels",
     .run = pubsub_shardchannels,
     .arity = -2,
     .group = GROUP_PUBSUB,
     .flags = LOOK_FLAGS,
     .since = "7.0.0",
     .summary = "Returns the active shard channels.",
     .complexity = "O(N) where N is the number of active shard channels, and assuming constant "
                   "time pattern matching (relatively short shard channels).",
     .arguments = "[pattern:pattern]"},
    {.name = "shardnumsub",
     .run = pubsub_shardnumsub,
     .arity = -2,
     .group = GROUP_PUBSUB,
     .flags = LOOK_FLAGS,
     .since = "7.0.0",
     .summary = "Returns the count of subscribers of shard channels.",
     .complexity = "O(N) for the SHARDNUMSUB subcommand, where N is the number of requested "
                   "shard channels",
     .arguments = "[shardchannel:string...]"},
    {.name = NULL},
};

const struct command commands_pubsub[] = {
    {.name = "subscribe",
     .run = subscribe,
     .arity = -2,
     .group = GROUP_PUBSUB,
     .flags = SUBSCRIBE_FLAGS,
     .since = "2.0.0",
     .summary = "Listens for messages published to channels.",
     .complexity = "O(N) where N is the number of channels to subscribe to.",
     .arguments = "channel:string..."},
    {.name = "psubscribe",
     .run = psubscribe,
     .arity = -2,
     .group = GROUP_PUBSUB,
     .flags = SUBSCRIBE_FLAGS,
     .since = "2.0.0",
     .summary = "Listens for messages published to channels that match one or more patterns.",
     .complexity = "O(N) where N is the number of patterns to subscribe to.",
     .arguments = "pattern:pattern..."},
    {.name = "ssubscribe",
     .run = ssubscribe,
     .arity = -2,
     .group = GROUP_PUBSUB,
     .flags = SUBSCRIBE_FLAGS,
     .keys = SHARD_KEYS,
     .since = "7.0.0",
     .summary = "Listens for messages published to shard channels.",
     .complexity = "O(N) where N is the number of shard channels to subscribe to.",
     .arguments = "shardchannel:string..."},
    {.name = "unsubscribe",
     .run = unsubscribe,
     .arity = -1,
     .group = GROUP_PUBSUB,
     .flags = SUBSCRIBE_FLAGS,
     .since = "2.0.0",
     .summary = "Stops listening to messages posted to channels.",
     .complexity = "O(N) where N is the number of channels to unsubscribe.",
     .arguments = "[channel:string...]"},
    {.name = "punsubscribe",
     .run = punsubscribe,
     .arity = -1,
     .group = GROUP_PUBSUB,
     .flags = SUBSCRIBE_FLAGS,
     .since = "2.0.0",
     .summary =
         "Stops listening to messages published to channels that match one or more patterns.",
     .complexity = "O(N) where N is the number of patterns to unsubscribe.",
     .arguments = "[pattern:pattern...]"},
    {.name = "sunsubscribe",
     .run = sunsubscribe,
     .arity = -1,
     .group = GROUP_PUBSUB,
     .flags = SUBSCRIBE_FLAGS,
     .keys = SHARD_KEYS,
     .since = "7.0.0",
     .summary = "Stops listening to messages posted to shard channels.",
     .complexity = "O(N) where N is the number of shard channels to unsubscribe.",
     .arguments = "[shardchannel:string...]"},
    {.name = "publish",
     .run = publish,
     .arity = 3,
     .group = GROUP_PUBSUB,
     .flags = PUBLISH_FLAGS,
     .since = "2.0.0",
     .summary = "Posts a message to a channel.",
     .complexity = "O(N+M) where N is the number of clients subscribed to the receiving channel "
                   "and M is the total number of subscribed patterns (by any client).",
     .arguments = "channel:string message:string"},
    {.name = "spublish",
     .run = spublish,
     .arity = 3,
     .group = GROUP_PUBSUB,
     .flags = PUBLISH_FLAGS,
     .keys = SHARD_KEY,
     .since = "7.0.0",
     .summary = "Posts a message to a shard channel.",
     .complexity =
         "O(N) where N is the number of clients subscribed to the receiving shard channel.",
     .arguments = "shardchannel:string message:string"},
    {.name = "pubsub",
     .arity = -2,
     .group = GROUP_PUBSUB,
     .since = "2.8.0",
     .summary = "A container for Pub/Sub commands.",
     .complexity = "Depends on subcommand.",
     .subcommands = pubsub_subcommands},
    {.name = NULL},
};
