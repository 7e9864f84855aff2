/* The process's title lies where the kernel reads it: in the memory of argv and the environment, one block on the stack. The
 * environment is copied away first, so that all of the block can be written. */
#include "server/title.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/buf.h"

extern char **environ;

static struct { char *start, *end; /* of the block; NULL: not taken over */ } block;

/* The value of a template's variable; NULL: no such variable. */
static const char *variable(const struct settings *settings, struct span name, const char *title,
                            const char *config_file, struct buf *scratch) {
    buf_clear(scratch);
    if (span_is(name, "title")) return title;
    if (span_is(name, "server-mode")) return "";
    if (span_is(name, "tls-port")) return "0";
    if (span_is(name, "unixsocket")) return settings->unixsocket ? settings->unixsocket : "";
    if (span_is(name, "config-file")) return config_file;
    if (span_is(name, "port")) {
        buf_put_int(scratch, settings->port);
        return buf_terminate(scratch);
    }
    if (span_is(name, "listen-addr")) {
        if (settings->port == 0) return settings->unixsocket ? settings->unixsocket : "";
        buf_printf(scratch, "%s:%lld", settings->bind_count ? settings->bind[0] : "*",
                   (long long)settings->port);
        return buf_terminate(scratch);
    }
    return NULL;
}

/* False for a template with an unknown variable or an open brace. */
static bool expand(struct span template, const struct settings *settings, const char *title,
                   const char *config_file, struct buf *out) {
    struct buf scratch = {0};
    bool fine = true;
    while (fine && template.len > 0) {
        const char *open = memchr(template.data, '{', template.len), *close = NULL, *value = NULL;
        size_t plain = open ? (size_t)(open - template.data) : template.len;
        buf_put(out, template.data, plain);
        template = span_make(template.data + plain, template.len - plain);
        if (!open) break;
        close = memchr(open, '}', template.len);
        if (close) {
            value = variable(settings, span_make(open + 1, (size_t)(close - open - 1)), title,
                             config_file, &scratch);
        }
        fine = value != NULL;
        if (!fine) break;
        buf_put_text(out, value);
        template = span_make(close + 1, template.len - (size_t)(close + 1 - open));
    }
    while (out->len > 0 && out->data[out->len - 1] == ' ') out->len--;
    buf_release(&scratch);
    return fine;
}

bool title_is_valid(struct span template) {
    static const struct settings none;
    struct buf out = {0};
    bool fine = expand(template, &none, "", "", &out);
    /* Text or variables there must be: an empty title would hide the process. */
    fine = fine && template.len > 0;
    buf_release(&out);
    return fine;
}

void title_init(int argc, char **argv) {
    size_t count = 0;
    char **copy, *end;
    if (argc == 0) return;
    end = argv[0];
    for (int i = 0; i < argc && argv[i] == end; i++) end = argv[i] + strlen(argv[i]) + 1;
    while (environ && environ[count]) {
        if (environ[count] == end) end += strlen(environ[count]) + 1;
        count++;
    }
    copy = mem_alloc((count + 1) * sizeof *copy);
    for (size_t i = 0; i < count; i++) copy[i] = mem_strdup(environ[i]);
    copy[count] = NULL;
    environ = copy;
    block.start = argv[0];
    block.end = end;
}

void title_set(const struct settings *settings, const char *title, const char *config_file) {
    struct buf out = {0};
    size_t room = (size_t)(block.end - block.start);
    if (!block.start || !settings->set_proc_title) return;
    if (expand(span_of(settings->proc_title_template), settings, title, config_file, &out) &&
        room > 0) {
        size_t len = MIN(out.len, room - 1);
        memset(block.start, 0, room);
        memcpy(block.start, out.data, len);
    }
    buf_release(&out);
}
