#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/log.h"

/* -- reading */

int file_read_stream(FILE *stream, size_t bytes_max, struct buf *out) {
    char block[4096];
    size_t n, before = out->len;
    errno = 0;
    while ((n = fread(block, 1, sizeof block, stream)) > 0) {
        if (out->len - before + n > bytes_max) return -EFBIG;
        buf_put(out, block, n);
    }
    return ferror(stream) ? (errno ? -errno : -EIO) : 0;
}

int file_read(const char *path, size_t bytes_max, struct buf *out) {
    FILE *stream = fopen(path, "re");
    if (!stream) return -errno;
    int status = file_read_stream(stream, bytes_max, out);
    fclose(stream);
    return status;
}

/* -- replacing */

static int write_all(int fd, struct span bytes) {
    while (bytes.len > 0) {
        ssize_t n = write(fd, bytes.data, bytes.len);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return -errno;
        bytes = span_make(bytes.data + n, bytes.len - (size_t)n);
    }
    return 0;
}

static void sync_directory(const char *path) {
    char directory[PATH_MAX];
    const char *slash = strrchr(path, '/');
    size_t len = slash ? (size_t)(slash - path) : 0;
    int fd;
    if (len >= sizeof directory) return;
    memcpy(directory, path, len);
    directory[len] = '\0';
    fd = open(len ? directory : slash ? "/" : ".", O_RDONLY | O_CLOEXEC | O_DIRECTORY);
    if (fd < 0) return;
    fsync(fd);
    close(fd);
}

static void keep_mode(int fd, const char *path) {
    struct stat old;
    mode_t mask = umask(0);
    umask(mask);
    if (fchmod(fd, stat(path, &old) == 0 ? old.st_mode & 07777 : 0644 & ~mask) != 0) {
        log_warning("Could not chmod %s (%s)", path, error_text(-errno));
    }
}

static int replace(const char *path, struct span content) {
    char temporary[PATH_MAX];
    int fd, status;
    int len = snprintf(temporary, sizeof temporary, "%s.XXXXXX", path);
    if (len < 0 || len >= (int)sizeof temporary) return -ENAMETOOLONG;
    fd = mkostemp(temporary, O_CLOEXEC);
    if (fd < 0) return -errno;
    status = write_all(fd, content);
    if (status == 0 && fsync(fd) != 0) status = -errno;
    if (status == 0) keep_mode(fd, path);
    if (close(fd) != 0 && status == 0) status = -errno;
    if (status == 0 && rename(temporary, path) != 0) status = -errno;
    if (status != 0) unlink(temporary);
    if (status == 0) sync_directory(path);
    return status;
}

int file_replace(const char *path, struct span content) {
    char *target = realpath(path, NULL); /* a link stays a link */
    int status = replace(target ? target : path, content);
    free(target);
    return status;
}
