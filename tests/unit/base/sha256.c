#include "base/sha256.h"

#include "test.h"

static const char *hex_of(const void *data, size_t len) {
    static char hex[SHA256_HEX_DIGITS + 1];
    uint8_t digest[SHA256_BYTES];
    sha256(data, len, digest);
    sha256_hex(digest, hex);
    return hex;
}

/* FIPS 180-2, appendix B. */
static void test_vectors(void) {
    static const struct {
        const char *text, *hex;
    } rows[] = {
        {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
        EXPECT_SPAN(span_of(rows[i].hex), span_of(hex_of(rows[i].text, strlen(rows[i].text))));
    }
    char *million = malloc(1000000);
    memset(million, 'a', 1000000);
    const char *hex = hex_of(million, 1000000);
    free(million);
    EXPECT_SPAN(SPAN("cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
                span_of(hex));
}

/* Around the place where the length needs a block of its own; sums from coreutils. */
static void test_block_ends(void) {
    static const struct {
        size_t len;
        const char *hex;
    } rows[] = {
        {55, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"},
        {56, "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a"},
        {63, "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34"},
        {64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"},
    };
    char text[64];
    memset(text, 'a', sizeof text);
    for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
        EXPECT_SPAN(span_of(rows[i].hex), span_of(hex_of(text, rows[i].len)));
    }
}

static void test_secret_equal(void) {
    EXPECT(secret_equal("abc", "abc", 3));
    EXPECT(!secret_equal("abc", "abd", 3));
    EXPECT(!secret_equal("xbc", "abc", 3));
    EXPECT(secret_equal("x", "y", 0));
}

int main(int argc, char **argv) {
    static const struct test tests[] = {
        {"sha256_vectors", test_vectors},
        {"sha256_block_ends", test_block_ends},
        {"sha256_secret_equal", test_secret_equal},
    };
    return test_main(tests, ARRAY_LENGTH(tests), argc, argv);
}
