/*   | struct kept_request | argv spans | blob records | argument bytes, those of blobs left out | */
#include "session/kept.h"

#include "base/alloc.h"

static bool in_blob(const struct request *request, uint32_t arg) {
    for (uint32_t i = 0; i < request->blob_count; i++) {
        if (request->blobs[i].arg == arg && request->blobs[i].blob) return true;
    }
    return false;
}

static size_t copied_bytes(const struct request *request) {
    size_t bytes = 0;
    for (uint32_t i = 0; i < request->argc; i++) {
        if (!in_blob(request, i)) bytes += request->argv[i].len;
    }
    return bytes;
}

struct kept_request *kept_new(const struct request *request) {
    size_t argv_bytes = request->argc * sizeof(struct span);
    size_t blobs_bytes = request->blob_count * sizeof(struct request_blob);
    size_t total = sizeof(struct kept_request) + argv_bytes + blobs_bytes + copied_bytes(request);
    struct kept_request *kept = mem_try_alloc(total);
    if (!kept) return NULL;
    struct span *argv = (struct span *)(void *)(kept + 1);
    struct request_blob *blobs = (struct request_blob *)(void *)((char *)argv + argv_bytes);
    char *text = (char *)blobs + blobs_bytes;
    for (uint32_t i = 0; i < request->argc; i++) {
        argv[i] = request->argv[i];
        if (in_blob(request, i)) continue;
        if (argv[i].len) memcpy(text, argv[i].data, argv[i].len);
        argv[i].data = text;
        text += argv[i].len;
    }
    kept->bytes = mem_class_bytes(total);
    for (uint32_t i = 0; i < request->blob_count; i++) {
        blobs[i] = request->blobs[i];
        if (!blobs[i].blob) continue;
        blob_ref(blobs[i].blob);
        kept->bytes += blob_class_bytes(blobs[i].blob);
    }
    kept->next = NULL;
    kept->request = *request;
    kept->request.argv = argv;
    kept->request.blobs = blobs;
    return kept;
}

void kept_free(struct kept_request *kept) {
    for (uint32_t i = 0; i < kept->request.blob_count; i++) {
        if (kept->request.blobs[i].blob) blob_unref(kept->request.blobs[i].blob);
    }
    mem_free(kept);
}
