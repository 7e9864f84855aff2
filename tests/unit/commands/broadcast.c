#include "test.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "base/random.h"
#include "commands/broadcast.h"

/* A listener and what it was told, line by line. */
struct hearer {
    struct broadcast_listener listener;
    struct buf heard;
};

static struct broadcast broadcast;

static void hear(struct broadcast_listener *listener, struct push_bytes *keys) {
    struct hearer *h = CONTAINER_OF(listener, struct hearer, listener);
    for (size_t i = 0; i < keys->bytes.len; i++) {
        char c = keys->bytes.data[i];
        if (c != '\r') buf_put_char(&h->heard, c == '\n' ? ' ' : c);
    }
    if (!keys->bytes.data) buf_put_text(&h->heard, "all ");
}

static struct span heard(struct hearer *h) {
    static char copy[1024];
    size_t len = MIN(h->heard.len, sizeof copy);
    if (len) memcpy(copy, h->heard.data, len);
    buf_clear(&h->heard);
    return span_make(copy, len);
}

static int join(struct hearer *h, const char *prefix) {
    struct span name = span_of(prefix);
    return broadcast_join(&broadcast, &h->listener, &name, 1);
}

static void leave(struct hearer *h) {
    broadcast_leave_all(&broadcast, &h->listener);
    buf_release(&h->heard);
}

static void change(const char *key, uint64_t id) {
    broadcast_changed(&broadcast, span_of(key), id);
}

static void begin(void) {
    hash_seed_set(1, 2);
    broadcast_init(&broadcast);
}

static void test_tell(void) {
    struct hearer a = {0}, b = {0};
    begin();
    EXPECT_INT(0, join(&a, "user:"));
    EXPECT_INT(0, join(&b, "u"));
    EXPECT_INT(0, join(&b, "item"));
    change("user:1", 1);
    change("user", 1);
    change("user:1", 2);
    change("other", 1);
    EXPECT(broadcast_pending(&broadcast));
    broadcast_tell(&broadcast, hear);
    EXPECT(!broadcast_pending(&broadcast));
    EXPECT_INT(0, broadcast.waiting_bytes);
    EXPECT_SPAN(SPAN("*1 $6 user:1 "), heard(&a));
    EXPECT_SPAN(SPAN("*2 $6 user:1 $4 user "), heard(&b));
    broadcast_tell(&broadcast, hear);
    EXPECT_INT(0, heard(&a).len);
    change("item", 1);
    leave(&b);
    EXPECT(!broadcast_pending(&broadcast));
    EXPECT_INT(1, broadcast.prefixes.count);
    change("item", 1);
    EXPECT(!broadcast_pending(&broadcast));
    leave(&a);
    EXPECT_INT(0, broadcast.length_count);
    broadcast_release(&broadcast);
}

static void test_except(void) {
    struct hearer own = {.listener.except_id = 7}, all = {0};
    begin();
    EXPECT_INT(0, join(&own, ""));
    EXPECT_INT(0, join(&all, ""));
    change("a", 7);
    change("b", 1);
    change("c", 0);
    broadcast_tell(&broadcast, hear);
    EXPECT_SPAN(SPAN("*2 $1 b $1 c "), heard(&own));
    EXPECT_SPAN(SPAN("*3 $1 a $1 b $1 c "), heard(&all));
    change("a", 7);
    broadcast_tell(&broadcast, hear);
    EXPECT_INT(0, heard(&own).len);
    EXPECT_SPAN(SPAN("*1 $1 a "), heard(&all));
    change("a", 1);
    change("a", 7);
    change("b", 7);
    change("b", 1);
    broadcast_tell(&broadcast, hear);
    EXPECT_SPAN(SPAN("*1 $1 b "), heard(&own));
    leave(&own);
    leave(&all);
    broadcast_release(&broadcast);
}

static void test_overlap(void) {
    struct hearer h = {0};
    struct span names[] = {SPAN("bar"), SPAN("foo"), SPAN("z")};
    begin();
    EXPECT(broadcast_overlap(&h.listener, SPAN("x")).data == NULL);
    EXPECT_INT(0, broadcast_join(&broadcast, &h.listener, names, 3));
    EXPECT_INT(0, broadcast_join(&broadcast, &h.listener, names, 2));
    EXPECT_INT(3, h.listener.member_count);
    EXPECT_SPAN(SPAN("bar"), broadcast_prefix(&h.listener, 0));
    EXPECT_SPAN(SPAN("z"), broadcast_prefix(&h.listener, 2));
    EXPECT_SPAN(SPAN("foo"), broadcast_overlap(&h.listener, SPAN("foobar")));
    EXPECT_SPAN(SPAN("foo"), broadcast_overlap(&h.listener, SPAN("f")));
    EXPECT_SPAN(SPAN("bar"), broadcast_overlap(&h.listener, SPAN("")));
    EXPECT_SPAN(SPAN("z"), broadcast_overlap(&h.listener, SPAN("zz")));
    EXPECT(broadcast_overlap(&h.listener, SPAN("fa")).data == NULL);
    EXPECT(broadcast_overlap(&h.listener, SPAN("a")).data == NULL);
    EXPECT(broadcast_overlap(&h.listener, SPAN("y")).data == NULL);
    EXPECT_INT(0, join(&h, ""));
    EXPECT(broadcast_overlap(&h.listener, SPAN("y")).data != NULL);
    EXPECT(broadcast_listener_bytes(&h.listener) > 0);
    leave(&h);
    broadcast_release(&broadcast);
}

/* Against the plain way: every prefix compared with every key. */
static void test_prefixes(void) {
    enum { PREFIXES = 200, KEYS = 2000 };
    static struct hearer hearers[PREFIXES];
    static char names[PREFIXES][8];
    static uint32_t wanted[PREFIXES];
    struct random random;
    begin();
    random_init(&random, test_seed());
    memset(hearers, 0, sizeof hearers);
    memset(wanted, 0, sizeof wanted);
    for (int i = 0; i < PREFIXES; i++) {
        size_t len = random_below(&random, 5);
        for (size_t at = 0; at < len; at++) names[i][at] = (char)('a' + random_below(&random, 3));
        names[i][len] = 0;
        EXPECT_INT(0, join(&hearers[i], names[i]));
    }
    for (int k = 0; k < KEYS; k++) {
        char key[32];
        snprintf(key, sizeof key, "%c%c%c%c%d", (char)('a' + random_below(&random, 3)),
                 (char)('a' + random_below(&random, 3)), (char)('a' + random_below(&random, 3)),
                 (char)('a' + random_below(&random, 3)), k);
        change(key, 1);
        for (int i = 0; i < PREFIXES; i++)
            wanted[i] += strncmp(key, names[i], strlen(names[i])) == 0;
    }
    broadcast_tell(&broadcast, hear);
    for (int i = 0; i < PREFIXES; i++) {
        const char *text = buf_terminate(&hearers[i].heard);
        EXPECT_INT(wanted[i], *text ? strtol(text + 1, NULL, 10) : 0);
        leave(&hearers[i]);
    }
    EXPECT_INT(0, broadcast.prefixes.count);
    broadcast_release(&broadcast);
}

int main(int argc, char **argv) {
    static const struct test tests[] = {{"broadcast_tell", test_tell},
                                        {"broadcast_except", test_except},
                                        {"broadcast_overlap", test_overlap},
                                        {"broadcast_prefixes", test_prefixes}};
    return test_main(tests, ARRAY_LENGTH(tests), argc, argv);
}
