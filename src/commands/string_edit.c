/* Changing a part of a string in place. */
#include "commands/host.h"
#include "commands/string.h"

static bool check_length(struct call *call, uint64_t offset, uint64_t len) {
    uint64_t total;
    if (!__builtin_add_overflow(offset, len, &total) &&
        total <= (uint64_t)call->host->settings->proto_max_bulk_bytes) {
        return true;
    }
    reply_error(call->reply, "ERR string exceeds maximum allowed size (proto-max-bulk-len)");
    return false;
}

/* Writes the bytes at the offset, growing the value where need be; answers the new length. */
static void write_part(struct call *call, struct entry *e, size_t offset, struct span bytes,
                       const char *event) {
    size_t len = MAX(entry_string(e).len, offset + bytes.len);
    char *data = db_edit_string(call->db, &e, call->key_hash, len);
    if (!data) {
        reply_error(call->reply, ERROR_MEMORY_TEXT);
        return;
    }
    if (bytes.len) memcpy(data + offset, bytes.data, bytes.len);
    call_event(call, '$', event, call->argv[1]);
    reply_int(call->reply, (int64_t)len);
}

static struct entry *put_new(struct call *call, struct span value, struct blob *blob) {
    struct entry *e = db_put_string(call->db, NULL, call->argv[1], call->key_hash, value, blob,
                                    ENTRY_NO_DEADLINE);
    if (!e) reply_error(call->reply, ERROR_MEMORY_TEXT);
    return e;
}

void string_append(struct call *call) {
    struct span bytes = call->argv[2];
    struct entry *e = call_find_for_write(call, 1);
    if (!call_check_type(call, e, ENTRY_STRING)) return;
    if (!e) {
        if (!put_new(call, bytes, string_take_blob(call, 2))) return;
        call_event(call, '$', "append", call->argv[1]);
        reply_int(call->reply, (int64_t)bytes.len);
        return;
    }
    size_t offset = entry_string(e).len;
    if (check_length(call, offset, bytes.len)) write_part(call, e, offset, bytes, "append");
}

/* A new value of zeros; gone again when its memory is not to be had. */
static struct entry *put_zeros(struct call *call, size_t len) {
    struct entry *e = put_new(call, SPAN(""), NULL);
    if (!e) return NULL;
    if (db_edit_string(call->db, &e, call->key_hash, len)) return e;
    db_remove(call->db, e, call->key_hash, false);
    reply_error(call->reply, ERROR_MEMORY_TEXT);
    return NULL;
}

void string_setrange(struct call *call) {
    struct span bytes = call->argv[3];
    int64_t offset;
    if (!call_int(call, 2, &offset)) return;
    if (offset < 0) {
        reply_error(call->reply, "ERR offset is out of range");
        return;
    }
    struct entry *e = call_find_for_write(call, 1);
    if (!call_check_type(call, e, ENTRY_STRING)) return;
    if (bytes.len == 0) {
        reply_int(call->reply, e ? (int64_t)entry_string(e).len : 0);
        return;
    }
    if (!check_length(call, (uint64_t)offset, bytes.len)) return;
    if (!e) e = put_zeros(call, (size_t)offset + bytes.len);
    if (e) write_part(call, e, (size_t)offset, bytes, "setrange");
}
