/* LOLWUT: a rondo, drawn. The theme A comes back between episodes that are never the same: A B A C A D A. A line is a bar of
 * notes, drawn with the dots of Braille letters. */
#include "commands/families.h"
#include "commands/host.h"

enum {
    ART_COLUMNS = 56,
    ART_SECTIONS = 7,
    ART_ROWS = 3,
    CELL_DOTS_ACROSS = 2,
    CELL_DOTS_DOWN = 4,
    DOTS_ACROSS = ART_COLUMNS * CELL_DOTS_ACROSS,
    DOTS_DOWN = ART_ROWS * CELL_DOTS_DOWN
};

struct section {
    uint8_t dots[DOTS_DOWN][DOTS_ACROSS];
};

/* A melody walks up and down; each of its notes is a short stroke. */
static void compose(struct section *section, struct random *random) {
    int64_t pitch = (int64_t)random_below(random, DOTS_DOWN);
    memset(section, 0, sizeof *section);
    for (int x = 0; x < DOTS_ACROSS;) {
        int len = 2 + (int)random_below(random, 5);
        for (int i = 0; i < len && x + i < DOTS_ACROSS; i++) section->dots[pitch][x + i] = 1;
        x += len + 1;
        pitch += (int64_t)random_below(random, 5) - 2;
        pitch = MIN(MAX(pitch, 0), DOTS_DOWN - 1);
    }
}

/* U+2800 and a bit for each dot; see https://www.unicode.org/charts/PDF/U2800.pdf */
static void put_cell(struct buf *out, const struct section *section, int row, int column) {
    static const uint8_t bits[CELL_DOTS_DOWN][CELL_DOTS_ACROSS] = {
        {0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    unsigned cell = 0;
    for (int y = 0; y < CELL_DOTS_DOWN; y++) {
        for (int x = 0; x < CELL_DOTS_ACROSS; x++) {
            if (section->dots[row * CELL_DOTS_DOWN + y][column * CELL_DOTS_ACROSS + x])
                cell |= bits[y][x];
        }
    }
    buf_put_char(out, (char)0xe2);
    buf_put_char(out, (char)(0xa0 | cell >> 6));
    buf_put_char(out, (char)(0x80 | (cell & 0x3f)));
}

static void put_section(struct buf *out, const struct section *section, char name) {
    for (int row = 0; row < ART_ROWS; row++) {
        buf_put_char(out, row == ART_ROWS / 2 ? name : ' ');
        buf_put_text(out, "  ");
        for (int column = 0; column < ART_COLUMNS; column++) put_cell(out, section, row, column);
        buf_put_char(out, '\n');
    }
}

/* VERSION chooses the art of a server's version; there is one so far, and what follows the number belongs to others' arts. */
void lolwut_run(struct call *call) {
    struct random *random = keyspace_random(call->host->keyspace);
    struct section theme, episode;
    struct buf out = {0};
    int64_t version;
    if (call_is(call, 1, "version") && call->argc >= 3 && !call_int(call, 2, &version)) return;
    compose(&theme, random);
    for (int i = 0; i < ART_SECTIONS; i++) {
        if (i % 2) compose(&episode, random);
        put_section(&out, i % 2 ? &episode : &theme, i % 2 ? (char)('B' + i / 2) : 'A');
    }
    buf_printf(&out, "\nA rondo, for as long as it goes round. Rondo ver. %s\n",
               call->host->version);
    reply_verbatim(call->reply, "txt", buf_span(&out));
    buf_release(&out);
}
