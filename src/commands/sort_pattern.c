/* Patterns of SORT's BY and GET: the first '*' stands for the element, and what follows "->" behind it is a field of the hash at that
 * key. Names are made for a batch of elements, buckets and entries are asked for, and then they are looked up one by one. */
#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "commands/sort.h"
#include "types/fields.h"

struct sort_probe {
    size_t at, len; /* of the key's name in batch->names */
    uint64_t hash;
    struct span element;
};

/* Where "->" with something behind it begins; NULL: nowhere. */
static const char *find_arrow(struct span text) {
    for (size_t i = 0; i + 2 < text.len; i++) {
        if (text.data[i] == '-' && text.data[i + 1] == '>') return text.data + i;
    }
    return NULL;
}

struct sort_pattern sort_pattern_parse(struct span text) {
    struct sort_pattern p = {.is_element = text.len == 1 && text.data[0] == '#'};
    const char *end = text.data + text.len;
    const char *star = text.len ? memchr(text.data, '*', text.len) : NULL, *arrow;
    p.is_constant = !star;
    if (!star) return p;
    p.before = span_make(text.data, (size_t)(star - text.data));
    p.after = span_make(star + 1, (size_t)(end - star - 1));
    arrow = find_arrow(p.after);
    if (!arrow) return p;
    p.field = span_make(arrow + 2, (size_t)(end - arrow - 2));
    p.after.len = (size_t)(arrow - p.after.data);
    return p;
}

int sort_batch_init(struct sort_batch *batch, const struct sort_pattern *patterns,
                    uint32_t pattern_count) {
    *batch = (struct sort_batch){.patterns = patterns, .pattern_count = pattern_count};
    batch->probes = mem_try_alloc((size_t)pattern_count * SORT_BATCH * sizeof *batch->probes);
    return batch->probes ? 0 : -ENOMEM;
}

void sort_batch_release(struct sort_batch *batch) {
    mem_free(batch->probes);
    buf_release(&batch->names);
}

static int make_name(struct buf *names, const struct sort_pattern *p, struct span element,
                     struct sort_probe *probe) {
    size_t len = p->before.len + element.len + p->after.len;
    *probe = (struct sort_probe){.at = names->len, .len = len, .element = element};
    if (p->is_element || p->is_constant) return 0;
    if (buf_try_reserve(names, len) < 0) return -ENOMEM;
    buf_put_span(names, p->before);
    buf_put_span(names, element);
    buf_put_span(names, p->after);
    probe->hash = hash_bytes(names->data + probe->at, len);
    return 0;
}

int sort_batch_take(struct sort_batch *batch, struct call *call, const struct sort_item *items,
                    uint64_t count) {
    struct sort_probe *probe = batch->probes;
    uint32_t taken = 0;
    buf_clear(&batch->names);
    for (; taken < count && taken < SORT_BATCH && batch->names.len < SORT_BATCH_BYTES; taken++) {
        for (uint32_t i = 0; i < batch->pattern_count; i++, probe++) {
            if (make_name(&batch->names, &batch->patterns[i], items[taken].element, probe) < 0)
                return -ENOMEM;
            db_prefetch_bucket(call->db, probe->hash);
        }
    }
    for (const struct sort_probe *p = batch->probes; p < probe; p++) {
        db_prefetch_entry(call->db, p->hash);
    }
    return (int)taken;
}

static struct entry *look_up(struct call *call, struct span key, uint64_t hash) {
    bool no_touch = call->session->flags & SESSION_NO_TOUCH;
    struct entry *e = db_find(call->db, key, hash, no_touch ? DB_LOOK_NO_TOUCH : 0);
    if (!e) call_event(call, 'm', "keymiss", key);
    return e;
}

static struct sort_value string_value(const struct entry *e) {
    if (entry_type(e) != ENTRY_STRING) return (struct sort_value){.found = false};
    return (struct sort_value){.found = true, .bytes = entry_string(e), .blob = entry_blob(e)};
}

static struct sort_value field_value(const struct entry *e, struct span field) {
    struct field_pair pair;
    if (entry_type(e) != ENTRY_HASH || !fields_get(entry_object(e), field, &pair))
        return (struct sort_value){.found = false};
    return (struct sort_value){.found = true,
                               .is_int = pair.value.is_int,
                               .number = pair.value.number,
                               .bytes = pair.value.bytes};
}

struct sort_value sort_batch_value(struct sort_batch *batch, struct call *call, uint32_t element,
                                   uint32_t pattern) {
    const struct sort_pattern *p = &batch->patterns[pattern];
    const struct sort_probe *probe =
        &batch->probes[(size_t)element * batch->pattern_count + pattern];
    const struct entry *e;
    if (p->is_element) return (struct sort_value){.found = true, .bytes = probe->element};
    if (p->is_constant) return (struct sort_value){.found = false};
    e = look_up(call, span_make(batch->names.data + probe->at, probe->len), probe->hash);
    if (!e) return (struct sort_value){.found = false};
    return p->field.data ? field_value(e, p->field) : string_value(e);
}
