/* The table by slices: slice[k][b] is the checksum of the byte b with k zero bytes behind it, so that eight bytes take eight
 * independent look-ups instead of a chain of eight. A checksum is linear: that of a byte is the sum of those of its bits, so the
 * eight constants of each row below make its 256 entries, and the table is a constant of 16 KiB. The bitwise form, one shift a bit,
 * stands in the unit test, which holds the table against it. Hot path: DUMP and RESTORE. */
#include "persist/crc64.h"

#define BIT(b, i, v) ((b) >> (i)&1 ? (v##ull) : 0)
#define ONE(b, s0, s1, s2, s3, s4, s5, s6, s7)                                       \
    (BIT(b, 0, s0) ^ BIT(b, 1, s1) ^ BIT(b, 2, s2) ^ BIT(b, 3, s3) ^ BIT(b, 4, s4) ^ \
     BIT(b, 5, s5) ^ BIT(b, 6, s6) ^ BIT(b, 7, s7))
#define FOUR(b, ...)                                                             \
    ONE((b), __VA_ARGS__), ONE((b) + 1, __VA_ARGS__), ONE((b) + 2, __VA_ARGS__), \
        ONE((b) + 3, __VA_ARGS__)
#define SIXTEEN(b, ...)                                                             \
    FOUR((b), __VA_ARGS__), FOUR((b) + 4, __VA_ARGS__), FOUR((b) + 8, __VA_ARGS__), \
        FOUR((b) + 12, __VA_ARGS__)
#define SIXTY_FOUR(b, ...)                                                                     \
    SIXTEEN((b), __VA_ARGS__), SIXTEEN((b) + 16, __VA_ARGS__), SIXTEEN((b) + 32, __VA_ARGS__), \
        SIXTEEN((b) + 48, __VA_ARGS__)
#define SLICE(...)                                                                             \
    {                                                                                          \
        SIXTY_FOUR(0, __VA_ARGS__), SIXTY_FOUR(64, __VA_ARGS__), SIXTY_FOUR(128, __VA_ARGS__), \
            SIXTY_FOUR(192, __VA_ARGS__)                                                       \
    }

static const uint64_t slice[8][256] = {
    SLICE(0x7ad870c830358979, 0xf5b0e190606b12f2, 0xc038e5739841b68f, 0xab28ecb46814fe75,
          0x7d08ff3b88be6f81, 0xfa11fe77117cdf02, 0xdf7adabd7a6e2d6f, 0x95ac9329ac4bc9b5),
    SLICE(0x89e99ffd73bddf69, 0x388a19a9bfec2db9, 0x711433537fd85b72, 0xe22866a6ffb0b6e4,
          0xef09eb1ea7f6fea3, 0xf54af06e177a6e2d, 0xc1ccc68f76634f31, 0xa8c0ab4db4510d09),
    SLICE(0xf4125129ce4038be, 0xc37d8400c417e217, 0xada22e52d0b85745, 0x701d7af6f9e73de1,
          0xe03af5edf3ce7bc2, 0xeb2ccd88bf0b64ef, 0xfd00bd4226815ab5, 0xd1585cd715952601),
    SLICE(0x8ce168638c796306, 0x329bf69440655567, 0x6537ed2880caaace, 0xca6fda510195559c,
          0xbf8692f15bbd3853, 0x545403b1efede3cd, 0xa8a80763dfdbc79a, 0x7a092894e7201c5f),
    SLICE(0x3504e58b9ba6dd1e, 0x6a09cb17374dba3c, 0xd413962e6e9b7478, 0x837e0a0f85a17b9b,
          0x2da5324c53d5645d, 0x5b4a6498a7aac8ba, 0xb694c9314f559174, 0x4670b431c63cb183),
    SLICE(0xe39d1389931b9354, 0xec6301407ea0b5c3, 0xf39f24d3a5d6f8ed, 0xcc676ff4133a62b1,
          0xb397f9bb7ee35609, 0x4c76d525a5513f79, 0x98edaa4b4aa27ef2, 0x1a8272c5cdd36e8f),
    SLICE(0x62a95de6e302eff2, 0xc552bbcdc605dfe4, 0xa1fc51c8d49c2ca3, 0x68a185c2f1afca2d,
          0xd1430b85e35f945a, 0x89df31589e28bbdf, 0x38e744e264c6e4d5, 0x71ce89c4c98dc9aa),
    SLICE(0x381d0015c96f4444, 0x703a002b92de8888, 0xe074005725bd1110, 0xebb126fd13edb14b,
          0xfc3b6ba97f4cf1fd, 0xd32ff101a60e7091, 0x8d06c450148b7249, 0x3154aef3718177f9),
};

static uint64_t load_little(const unsigned char *p) {
    uint64_t word = 0;
    for (int i = 7; i >= 0; i--) word = word << 8 | p[i]; /* compilers make one load of it */
    return word;
}

uint64_t crc64(uint64_t crc, struct span bytes) {
    const unsigned char *p = (const unsigned char *)bytes.data;
    size_t len = bytes.len;
    for (; len >= 8; p += 8, len -= 8) {
        crc ^= load_little(p);
        crc = slice[7][crc & 0xff] ^ slice[6][crc >> 8 & 0xff] ^ slice[5][crc >> 16 & 0xff] ^
              slice[4][crc >> 24 & 0xff] ^ slice[3][crc >> 32 & 0xff] ^ slice[2][crc >> 40 & 0xff] ^
              slice[1][crc >> 48 & 0xff] ^ slice[0][crc >> 56];
    }
    for (; len > 0; p++, len--) crc = crc >> 8 ^ slice[0][(crc ^ *p) & 0xff];
    return crc;
}
