#include "base/chunk.h"

#include "base/alloc.h"
#include "base/random.h"
#include "test.h"

static struct chunk_pool pool;
static struct chunk_list list;
static uint64_t copied, referenced;

enum { IOV_MAX_TEST = 64 };

static void setup(void) {
    chunk_pool_init(&pool);
    copied = referenced = 0;
    chunk_list_init(&list, &pool, &copied, &referenced);
}

static bool jemalloc(void) {
    return strncmp(mem_allocator(), "jemalloc", 8) == 0;
}

static void put_text(struct chunk_list *to, const char *text) {
    size_t len = strlen(text);
    char *at = chunk_room(to, len);
    memcpy(at, text, len);
    chunk_wrote(to, at + len);
}

static struct blob *blob_of(size_t len, char fill) {
    struct blob *b = blob_try_new(len);
    if (!b) abort();
    memset(b->data, fill, len);
    b->len = len;
    return b;
}

/* Everything in the list, taken in one go; *pieces may be NULL. */
static const char *take_all(struct chunk_list *from, int *pieces) {
    static char text[1 << 20];
    struct iovec iov[IOV_MAX_TEST];
    struct chunk_chain chain;
    int count = chunk_list_take(from, &chain, iov, IOV_MAX_TEST, SIZE_MAX);
    size_t len = 0;
    for (int i = 0; i < count; i++) {
        memcpy(text + len, iov[i].iov_base, iov[i].iov_len);
        len += iov[i].iov_len;
    }
    text[len] = '\0';
    if (len != chain.bytes)
        test_fail(__FILE__, __LINE__, "the chain says %zu bytes, its pieces %zu", chain.bytes, len);
    chunk_chain_release(&chain, &pool);
    if (pieces) *pieces = count;
    return text;
}

static void test_small(void) {
    size_t used_before = mem_used_bytes();
    int pieces;
    setup();
    EXPECT_INT(0, chunk_list_bytes(&list));
    EXPECT_INT(0, chunk_list_memory_bytes(&list));
    put_text(&list, "+OK\r\n");
    put_text(&list, ":1\r\n");
    EXPECT_INT(9, chunk_list_bytes(&list));
    EXPECT_INT(pool.out_bytes, chunk_list_memory_bytes(&list));
    EXPECT_SPAN(SPAN("+OK\r\n:1\r\n"), span_of(take_all(&list, &pieces)));
    EXPECT_INT(1, pieces);
    EXPECT_INT(9, copied);
    EXPECT_INT(0, chunk_list_bytes(&list));
    EXPECT_INT(0, chunk_list_memory_bytes(&list));
    EXPECT_INT(0, pool.out_bytes);
    EXPECT_INT(1, pool.small_count);
    EXPECT_INT(0, take_all(&list, &pieces)[0]);
    EXPECT_INT(0, pieces);
    chunk_pool_release(&pool);
    EXPECT_INT(used_before, mem_used_bytes());
}

/* The second burst takes its chunks from the pool; more than the maximum is not kept. */
static void test_pool(void) {
    size_t used_before = mem_used_bytes(), used;
    struct chunk_list lists[3];
    struct chunk_chain chain;
    char bytes[20000] = "";
    bool exact = jemalloc(); /* others give more than they are asked for */
    struct iovec iov[4];
    setup();
    pool.small_count_max = 2;
    pool.large_count_max = 1;
    for (int round = 0; round < 3; round++) {
        used = mem_used_bytes();
        for (int i = 0; i < 3; i++) {
            chunk_list_init(&lists[i], &pool, &copied, &referenced);
            put_text(&lists[i], "x");
            chunk_put(&lists[i], bytes, sizeof bytes);
            EXPECT(lists[i].head != lists[i].tail);
        }
        if (round && exact) {
            EXPECT_INT(pool.out_bytes / 3 + sizeof(struct chunk) + lists[0].tail->capacity,
                       mem_used_bytes() - used);
        }
        EXPECT_INT(pool.out_bytes, 3 * chunk_list_memory_bytes(&lists[0]));
        chunk_list_clear(&lists[0]);
        for (int i = 1; i < 3; i++) {
            EXPECT_INT(2, chunk_list_take(&lists[i], &chain, iov, 4, SIZE_MAX));
            chunk_chain_release(&chain, &pool);
        }
        EXPECT_INT(2, pool.small_count);
        EXPECT_INT(1, pool.large_count);
        EXPECT_INT(0, pool.out_bytes);
        EXPECT(chunk_pool_idle_bytes(&pool) >= 2 * CHUNK_SMALL_BYTES + CHUNK_LARGE_BYTES);
    }
    chunk_pool_release(&pool);
    EXPECT_INT(0, chunk_pool_idle_bytes(&pool));
    EXPECT_INT(used_before, mem_used_bytes());
}

/* What a burst needed goes at the second trim after it; what is needed all the time stays. */
static void test_trim(void) {
    size_t used_before = mem_used_bytes();
    struct chunk_list lists[20];
    char bytes[2000] = "";
    setup();
    for (int i = 0; i < 20; i++) {
        chunk_list_init(&lists[i], &pool, &copied, &referenced);
        put_text(&lists[i], "x");
        chunk_put(&lists[i], bytes, sizeof bytes);
    }
    for (int i = 0; i < 20; i++) chunk_list_clear(&lists[i]);
    EXPECT_INT(20, pool.small_count);
    chunk_pool_trim(&pool); /* it was all in use since the beginning */
    EXPECT_INT(20, pool.small_count);
    EXPECT_INT(20, pool.large_count);
    for (int i = 0; i < 3; i++) put_text(&lists[i], "x");
    for (int i = 0; i < 3; i++) chunk_list_clear(&lists[i]);
    chunk_pool_trim(&pool);
    EXPECT_INT(3, pool.small_count);
    EXPECT_INT(0, pool.large_count);
    chunk_pool_trim(&pool);
    EXPECT_INT(0, chunk_pool_idle_bytes(&pool));
    chunk_pool_trim(&pool);
    EXPECT_INT(used_before, mem_used_bytes());
    chunk_pool_release(&pool);
}

/* Chunks of the pool do not all begin at the same place within a page. */
static void test_strides(void) {
    struct chunk_list lists[64];
    uint64_t places = 0;
    if (!jemalloc()) return;
    setup();
    for (int i = 0; i < 64; i++) {
        chunk_list_init(&lists[i], &pool, &copied, &referenced);
        put_text(&lists[i], "x");
        places |= (uint64_t)1 << ((uintptr_t)lists[i].head->bytes / 64 % 64);
    }
    EXPECT(__builtin_popcountll(places) >= 16);
    for (int i = 0; i < 64; i++) chunk_list_clear(&lists[i]);
    chunk_pool_release(&pool);
}

static void test_sizes(void) {
    char *at;
    setup();
    at = chunk_room(&list, CHUNK_SMALL_BYTES);
    memset(at, 'a', CHUNK_SMALL_BYTES);
    chunk_wrote(&list, at + CHUNK_SMALL_BYTES);
    EXPECT(list.head == list.tail);
    at = chunk_room(&list, CHUNK_SMALL_BYTES); /* does not fit: a large one follows */
    EXPECT(list.head != list.tail);
    EXPECT(list.tail->capacity >= CHUNK_LARGE_BYTES);
    chunk_wrote(&list, at + 1);
    EXPECT_INT(CHUNK_SMALL_BYTES + 1, chunk_list_bytes(&list));
    chunk_list_clear(&list);
    EXPECT_INT(0, chunk_list_bytes(&list));
    put_text(&list, "x"); /* small again */
    EXPECT(list.tail->capacity < CHUNK_LARGE_BYTES);
    chunk_list_clear(&list);
    chunk_expect(&list, 10);
    EXPECT(list.head == NULL);
    chunk_expect(&list, 10000);
    EXPECT(list.tail->capacity >= CHUNK_LARGE_BYTES);
    chunk_expect(&list, 10000);
    EXPECT(list.head == list.tail);
    chunk_list_clear(&list);
    chunk_pool_release(&pool);
}

static void test_put_lengths(void) {
    static char bytes[100000];
    setup();
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (char)(i * 7 >> 3 | 1);
    for (size_t len = 0; len < sizeof bytes; len += 1 + len / 9) {
        struct span got;
        chunk_put(&list, bytes, len);
        EXPECT_INT(len, chunk_list_bytes(&list));
        chunk_put(&list, NULL, 0);
        got = span_make(take_all(&list, NULL), len);
        EXPECT(span_eq(span_make(bytes, len), got));
        EXPECT_INT(0, pool.out_bytes);
    }
    chunk_pool_release(&pool);
}

static void test_references(void) {
    size_t used_before = mem_used_bytes(), chunk_bytes;
    struct blob *b = blob_of(50000, 'b');
    int pieces;
    setup();
    put_text(&list, "$50000\r\n");
    chunk_bytes = chunk_list_memory_bytes(&list);
    chunk_put_blob(&list, b, 0, b->len);
    EXPECT_INT(2, b->ref_count);
    EXPECT_INT(50008, chunk_list_bytes(&list));
    EXPECT_INT(chunk_bytes + sizeof(struct chunk) + 50000, chunk_list_memory_bytes(&list));
    EXPECT_INT(chunk_bytes + sizeof(struct chunk), pool.out_bytes);
    put_text(&list, "\r\n");
    chunk_put_blob(&list, b, 10, 0); /* nothing */
    EXPECT_INT(2, b->ref_count);
    chunk_put_blob(&list, b, 49999, 1);
    EXPECT_INT(3, b->ref_count);
    EXPECT_INT(50001, referenced);
    EXPECT_INT(50011, strlen(take_all(&list, &pieces)));
    EXPECT_INT(4, pieces);
    EXPECT_INT(10, copied);
    EXPECT_INT(1, b->ref_count);
    EXPECT_INT(0, pool.out_bytes);
    chunk_put_blob(&list, b, 0, 5);
    blob_unref(b); /* the list is the last holder */
    chunk_list_clear(&list);
    EXPECT_INT(0, chunk_list_memory_bytes(&list));
    chunk_pool_release(&pool);
    EXPECT_INT(used_before, mem_used_bytes());
}

/* Little between references: small chunks. */
static void test_between_references(void) {
    struct blob *b = blob_of(20000, 'b');
    setup();
    for (int i = 0; i < 20; i++) {
        put_text(&list, "$20000\r\n");
        chunk_put_blob(&list, b, 0, b->len);
    }
    EXPECT(pool.out_bytes < 20 * 2 * CHUNK_SMALL_BYTES);
    EXPECT_INT(20 * 20008, strlen(take_all(&list, NULL)));
    blob_unref(b);
    chunk_pool_release(&pool);
}

static void test_take_by_pieces(void) {
    struct blob *b = blob_of(3, 'b');
    struct chunk_chain first, second;
    struct iovec iov[8];
    setup();
    put_text(&list, "1");
    chunk_put_blob(&list, b, 0, 3);
    put_text(&list, "2");
    chunk_put_blob(&list, b, 0, 3);
    put_text(&list, "tail");
    EXPECT_INT(3, chunk_list_take(&list, &first, iov, 3, SIZE_MAX));
    EXPECT_INT(5, first.bytes);
    EXPECT_SPAN(SPAN("2"), span_make(iov[2].iov_base, iov[2].iov_len));
    EXPECT_INT(7, chunk_list_bytes(&list));
    put_text(&list, "-goes-on"); /* the tail was not taken: it is still written to */
    EXPECT_INT(15, chunk_list_bytes(&list));
    EXPECT_INT(2, chunk_list_take(&list, &second, iov, 8, SIZE_MAX));
    EXPECT_SPAN(SPAN("tail-goes-on"), span_make(iov[1].iov_base, iov[1].iov_len));
    EXPECT_INT(0, chunk_list_bytes(&list));
    EXPECT_INT(0, chunk_list_memory_bytes(&list));
    EXPECT_INT(pool.out_bytes, first.memory_bytes + second.memory_bytes - 6);
    put_text(&list, "new"); /* not into what was taken */
    EXPECT_SPAN(SPAN("tail-goes-on"), span_make(iov[1].iov_base, iov[1].iov_len));
    chunk_chain_release(&second, &pool); /* in any order */
    EXPECT(second.head == NULL && second.bytes == 0);
    chunk_chain_release(&second, &pool); /* empty: harmless */
    chunk_chain_release(&first, &pool);
    EXPECT_INT(1, b->ref_count);
    EXPECT_SPAN(SPAN("new"), span_of(take_all(&list, NULL)));
    blob_unref(b);
    chunk_pool_release(&pool);
}

static void test_take_by_bytes(void) {
    struct blob *b = blob_of(1000, 'b');
    struct chunk_chain chain;
    struct iovec iov[8];
    setup();
    put_text(&list, "12345");
    chunk_put_blob(&list, b, 0, 1000);
    put_text(&list, "end");
    EXPECT_INT(1, chunk_list_take(&list, &chain, iov, 8, 3)); /* a plain piece is taken whole */
    EXPECT_INT(5, chain.bytes);
    chunk_chain_release(&chain, &pool);
    EXPECT_INT(1, chunk_list_take(&list, &chain, iov, 8, 300)); /* a reference is cut */
    EXPECT_INT(300, chain.bytes);
    EXPECT_INT(sizeof(struct chunk) + 300, chain.memory_bytes);
    EXPECT_INT(3, b->ref_count);
    EXPECT_INT(703, chunk_list_bytes(&list));
    chunk_chain_release(&chain, &pool);
    EXPECT_INT(2, b->ref_count);
    EXPECT_INT(1, chunk_list_take(&list, &chain, iov, 8, 700));
    EXPECT_INT(700, chain.bytes);
    chunk_chain_release(&chain, &pool);
    EXPECT_INT(1, b->ref_count);
    EXPECT_SPAN(SPAN("end"), span_of(take_all(&list, NULL)));
    /* a reference as the tail */
    chunk_put_blob(&list, b, 0, 1000);
    EXPECT_INT(1, chunk_list_take(&list, &chain, iov, 8, 999));
    EXPECT_INT(1, chunk_list_bytes(&list));
    put_text(&list, "c");
    EXPECT_SPAN(SPAN("bc"), span_of(take_all(&list, NULL)));
    chunk_chain_release(&chain, &pool);
    EXPECT_INT(1, b->ref_count);
    EXPECT_INT(0, pool.out_bytes);
    blob_unref(b);
    chunk_pool_release(&pool);
}

static void test_room_unused(void) {
    int pieces;
    setup();
    chunk_room(&list, 100); /* and nothing written */
    EXPECT_INT(0, chunk_list_bytes(&list));
    EXPECT(chunk_list_memory_bytes(&list) > 0);
    take_all(&list, &pieces);
    EXPECT_INT(0, pieces);
    EXPECT_INT(0, chunk_list_memory_bytes(&list));
    EXPECT_INT(0, pool.out_bytes);
    chunk_pool_release(&pool);
}

static void test_mark(void) {
    static const char forty[] = "0123456789012345678901234567890123456789";
    struct chunk *outer, *inner;
    setup();
    put_text(&list, "before ");
    outer = chunk_mark(&list);
    put_text(&list, "a ");
    inner = chunk_mark(&list);
    put_text(&list, "b ");
    chunk_fill_mark(&list, inner, "*1 ", 3);
    chunk_fill_mark(&list, outer, forty, CHUNK_MARK_BYTES);
    put_text(&list, "c");
    EXPECT_INT(7 + 40 + 2 + 3 + 2 + 1, chunk_list_bytes(&list));
    EXPECT_SPAN(SPAN("before 0123456789012345678901234567890123456789a *1 b c"),
                span_of(take_all(&list, NULL)));
    EXPECT_INT(55, copied);
    EXPECT_INT(0, pool.out_bytes);
    chunk_pool_release(&pool);
}

/* A mark filled with nothing leaves nothing, wherever it stands. */
static void test_mark_empty(void) {
    struct chunk *first, *second, *last;
    int pieces;
    setup();
    first = chunk_mark(&list);
    second = chunk_mark(&list);
    put_text(&list, "text");
    last = chunk_mark(&list);
    chunk_fill_mark(&list, first, NULL, 0);
    chunk_fill_mark(&list, second, "", 0);
    chunk_fill_mark(&list, last, "", 0);
    EXPECT_SPAN(SPAN("text"), span_of(take_all(&list, &pieces)));
    EXPECT_INT(1, pieces);
    EXPECT_INT(0, pool.out_bytes);
    /* alone, and between references */
    first = chunk_mark(&list);
    chunk_fill_mark(&list, first, "", 0);
    take_all(&list, &pieces);
    EXPECT_INT(0, pieces);
    EXPECT_INT(0, chunk_list_memory_bytes(&list));
    chunk_pool_release(&pool);
}

/* Always room for the fill, however full the chunk before it is. */
static void test_mark_room(void) {
    setup();
    for (size_t len = 1100; len < 1300; len++) {
        char bytes[1300];
        struct chunk *mark;
        memset(bytes, 'x', len);
        chunk_put(&list, bytes, len);
        mark = chunk_mark(&list);
        put_text(&list, "y");
        chunk_fill_mark(&list, mark, bytes, CHUNK_MARK_BYTES);
        EXPECT_INT(len + CHUNK_MARK_BYTES + 1, strlen(take_all(&list, NULL)));
    }
    chunk_pool_release(&pool);
}

static void test_append(void) {
    struct chunk_list other;
    struct blob *b = blob_of(5, 'b');
    char bytes[3000];
    int pieces;
    setup();
    memset(bytes, 'x', sizeof bytes);
    chunk_list_init(&other, &pool, &copied, &referenced);
    chunk_list_append(&list, &other); /* nothing to nothing */
    EXPECT(list.head == NULL);
    put_text(&other, "one ");
    chunk_list_append(&list, &other); /* to an empty list */
    EXPECT(other.head == NULL);
    EXPECT_INT(0, chunk_list_bytes(&other));
    EXPECT_INT(0, chunk_list_memory_bytes(&other));
    put_text(&list, "two ");
    put_text(&other, "three ");
    chunk_list_append(&list, &other); /* short: joins the tail */
    EXPECT(list.head == list.tail);
    chunk_put_blob(&other, b, 0, 5);
    put_text(&other, " four");
    chunk_list_append(&list, &other);
    put_text(&list, " five"); /* into the tail that came over */
    put_text(&other, "not mine");
    EXPECT_SPAN(SPAN("one two three bbbbb four five"), span_of(take_all(&list, &pieces)));
    EXPECT_INT(3, pieces);
    EXPECT_SPAN(SPAN("not mine"), span_of(take_all(&other, NULL)));
    EXPECT_INT(1, b->ref_count);
    put_text(&list, "a");
    chunk_put(&other, bytes, sizeof bytes);
    chunk_list_append(&list, &other);
    EXPECT_INT(3001, chunk_list_bytes(&list));
    chunk_list_append(&list, &other); /* an empty one changes nothing */
    EXPECT_INT(3001, strlen(take_all(&list, NULL)));
    EXPECT_INT(0, pool.out_bytes);
    EXPECT_INT(29 - 5 + 8 + 3001, copied); /* each byte once */
    blob_unref(b);
    chunk_pool_release(&pool);
}

/* ---- the model: a list is a flat string. Random operations on a few lists and on what was taken
 * from them, everything that can be counted is counted anew after each. */

enum { LISTS = 3, CHAINS = 4, BLOBS = 5, MODEL_BYTES = 1 << 17 };

struct flat {
    char *bytes;
    size_t len;
};

static struct model {
    struct random r;
    struct chunk_list lists[LISTS];
    struct flat flats[LISTS];
    struct chunk_chain chains[CHAINS];
    struct iovec iovs[CHAINS][IOV_MAX_TEST];
    int iov_counts[CHAINS];
    struct flat taken[CHAINS];
    struct blob *blobs[BLOBS];
    uint64_t copied_expected, referenced_expected;
} model;

static void flat_put(struct flat *f, const void *data, size_t len) {
    memcpy(f->bytes + f->len, data, len);
    f->len += len;
}

static void model_write(int l) {
    size_t len = 1 + random_below(&model.r, 200);
    char *at = chunk_room(&model.lists[l], len);
    for (size_t i = 0; i < len; i++) at[i] = (char)random_next(&model.r);
    chunk_wrote(&model.lists[l], at + len);
    flat_put(&model.flats[l], at, len);
    model.copied_expected += len;
}

static void model_put(int l) {
    static char bytes[40000];
    size_t len = random_below(&model.r, (uint64_t)1 << (1 + random_below(&model.r, 15)));
    for (size_t i = 0; i < len; i += 64) bytes[i] = (char)random_next(&model.r);
    if (random_below(&model.r, 2)) chunk_expect(&model.lists[l], len);
    chunk_put(&model.lists[l], bytes, len);
    flat_put(&model.flats[l], bytes, len);
    model.copied_expected += len;
}

static void model_put_blob(int l) {
    struct blob *b = model.blobs[random_below(&model.r, BLOBS)];
    size_t offset = random_below(&model.r, b->len + 1),
           len = random_below(&model.r, b->len - offset + 1);
    chunk_put_blob(&model.lists[l], b, offset, len);
    flat_put(&model.flats[l], b->data + offset, len);
    model.referenced_expected += len;
}

/* A mark, something behind it, then its fill. */
static void model_mark(int l) {
    struct chunk_list *to = &model.lists[l];
    struct flat *f = &model.flats[l];
    size_t at = f->len, len = random_below(&model.r, CHUNK_MARK_BYTES + 1);
    struct chunk *mark = chunk_mark(to);
    if (random_below(&model.r, 3)) model_write(l);
    if (random_below(&model.r, 3) == 0) model_put_blob(l);
    chunk_fill_mark(to, mark, "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz", len);
    memmove(f->bytes + at + len, f->bytes + at, f->len - at);
    memcpy(f->bytes + at, "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz", len);
    f->len += len;
    model.copied_expected += len;
}

static void model_append(int l) {
    int from = (l + 1) % LISTS;
    if (model.flats[l].len + model.flats[from].len > MODEL_BYTES) return;
    chunk_list_append(&model.lists[l], &model.lists[from]);
    flat_put(&model.flats[l], model.flats[from].bytes, model.flats[from].len);
    model.flats[from].len = 0;
}

static bool taken_is_right(int c) {
    size_t len = 0;
    for (int i = 0; i < model.iov_counts[c]; i++) {
        const struct iovec *piece = &model.iovs[c][i];
        if (piece->iov_len == 0 || len + piece->iov_len > model.taken[c].len) return false;
        if (memcmp(model.taken[c].bytes + len, piece->iov_base, piece->iov_len) != 0) return false;
        len += piece->iov_len;
    }
    return len == model.taken[c].len && len == model.chains[c].bytes;
}

static bool model_take(int l) {
    int c = (int)random_below(&model.r, CHAINS);
    int iov_max = 1 + (int)random_below(&model.r, IOV_MAX_TEST);
    size_t bytes_max = (size_t)1 << random_below(&model.r, 20);
    struct flat *f = &model.flats[l];
    size_t bytes;
    if (!taken_is_right(c)) return false; /* it stayed as it was */
    chunk_chain_release(&model.chains[c], &pool);
    model.iov_counts[c] =
        chunk_list_take(&model.lists[l], &model.chains[c], model.iovs[c], iov_max, bytes_max);
    bytes = model.chains[c].bytes;
    if (bytes > f->len || (bytes == 0) != (f->len == 0)) return false;
    if (model.iov_counts[c] > iov_max) return false;
    if (bytes < f->len && bytes < bytes_max && model.iov_counts[c] < iov_max)
        return false; /* could be more */
    memcpy(model.taken[c].bytes, f->bytes, bytes);
    model.taken[c].len = bytes;
    memmove(f->bytes, f->bytes + bytes, f->len - bytes);
    f->len -= bytes;
    return taken_is_right(c);
}

static size_t walk(const struct chunk *c, size_t *memory, size_t *references, size_t *length) {
    size_t out = 0;
    for (*memory = *length = 0; c; c = c->next) {
        out += sizeof *c + c->capacity;
        *memory += sizeof *c + (c->blob ? c->ref_len : c->capacity);
        *length += c->blob ? c->ref_len : c->len;
        if (!c->blob) continue;
        for (int b = 0; b < BLOBS; b++) references[b] += c->blob == model.blobs[b];
    }
    return out;
}

static bool model_is_right(void) {
    size_t out = 0, memory, length, references[BLOBS] = {0};
    for (int l = 0; l < LISTS; l++) {
        const struct chunk_list *at = &model.lists[l];
        out += walk(at->head, &memory, references, &length);
        if (memory != chunk_list_memory_bytes(at)) return false;
        if (model.flats[l].len != chunk_list_bytes(at)) return false;
        if ((at->head == NULL) != (at->tail == NULL) || (at->tail && at->tail->next)) return false;
    }
    for (int c = 0; c < CHAINS; c++) {
        out += walk(model.chains[c].head, &memory, references, &length);
        if (memory != model.chains[c].memory_bytes || length != model.chains[c].bytes) return false;
    }
    for (int b = 0; b < BLOBS; b++) {
        if (model.blobs[b]->ref_count != 1 + references[b]) return false;
    }
    return out == pool.out_bytes;
}

static void test_model(void) {
    size_t used_before = mem_used_bytes();
    setup();
    random_init(&model.r, test_seed());
    for (int l = 0; l < LISTS; l++) {
        chunk_list_init(&model.lists[l], &pool, &copied, &referenced);
        model.flats[l] = (struct flat){malloc(2 * MODEL_BYTES), 0};
    }
    for (int c = 0; c < CHAINS; c++) model.taken[c] = (struct flat){malloc(2 * MODEL_BYTES), 0};
    for (int b = 0; b < BLOBS; b++) {
        model.blobs[b] = blob_of((size_t)10 << (3 * b), 'b');
        for (size_t i = 0; i < model.blobs[b]->len; i++)
            model.blobs[b]->data[i] = (char)random_next(&model.r);
    }
    for (int step = 0; step < 60000; step++) {
        int l = (int)random_below(&model.r, LISTS);
        bool full = model.flats[l].len > MODEL_BYTES / 2;
        uint64_t what = random_below(&model.r, 100);
        if (full || what < 25)
            EXPECT(model_take(l));
        else if (what < 50)
            model_write(l);
        else if (what < 60)
            model_put(l);
        else if (what < 75)
            model_put_blob(l);
        else if (what < 85)
            model_mark(l);
        else if (what < 95)
            model_append(l);
        else if (what < 97)
            chunk_room(&model.lists[l], 1 + random_below(&model.r, CHUNK_SMALL_BYTES));
        if (model.flats[l].len > MODEL_BYTES) EXPECT(model_take(l));
        EXPECT(model_is_right());
    }
    for (int l = 0; l < LISTS; l++) {
        for (int c = 0; model.flats[l].len; c++) EXPECT(model_take(l));
        chunk_list_clear(&model.lists[l]);
        free(model.flats[l].bytes);
    }
    EXPECT_INT(model.copied_expected, copied);
    EXPECT_INT(model.referenced_expected, referenced);
    for (int c = 0; c < CHAINS; c++) {
        EXPECT(taken_is_right(c));
        chunk_chain_release(&model.chains[c], &pool);
        free(model.taken[c].bytes);
    }
    for (int b = 0; b < BLOBS; b++) {
        EXPECT_INT(1, model.blobs[b]->ref_count);
        blob_unref(model.blobs[b]);
    }
    EXPECT_INT(0, pool.out_bytes);
    chunk_pool_release(&pool);
    EXPECT_INT(used_before, mem_used_bytes());
}

int main(int argc, char **argv) {
    static const struct test tests[] = {
        {"chunk_small", test_small},
        {"chunk_pool", test_pool},
        {"chunk_trim", test_trim},
        {"chunk_strides", test_strides},
        {"chunk_sizes", test_sizes},
        {"chunk_put_lengths", test_put_lengths},
        {"chunk_references", test_references},
        {"chunk_between_references", test_between_references},
        {"chunk_take_by_pieces", test_take_by_pieces},
        {"chunk_take_by_bytes", test_take_by_bytes},
        {"chunk_room_unused", test_room_unused},
        {"chunk_mark", test_mark},
        {"chunk_mark_empty", test_mark_empty},
        {"chunk_mark_room", test_mark_room},
        {"chunk_append", test_append},
        {"chunk_model", test_model},
    };
    return test_main(tests, ARRAY_LENGTH(tests), argc, argv);
}
