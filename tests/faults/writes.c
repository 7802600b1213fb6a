/* Preloaded into a process, notes every write below a folder, and what made it lasting, so that a power cut can be
 * acted out afterwards at any point between two of them. FELTWATCH_BELOW names the folder, FELTWATCH_WRITES the log.
 * A record: kind, length of the path, the path, offset, length of the data, the data. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static int out = -1;

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static void note(char kind, const char *path, int64_t offset, const void *data, uint32_t length) {
    if (out < 0) {
        const char *name = getenv("FELTWATCH_WRITES");
        if (name == NULL) return;
        out = REAL(open)(name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    }
    uint32_t size = (uint32_t)strlen(path);
    uint32_t whole = 1 + 4 + size + 8 + 4 + length;
    char *record = malloc(whole), *at = record;
    *at++ = kind;
    memcpy(at, &size, 4), at += 4;
    memcpy(at, path, size), at += size;
    memcpy(at, &offset, 8), at += 8;
    memcpy(at, &length, 4), at += 4;
    if (length) memcpy(at, data, length);
    if (REAL(write)(out, record, whole) != (ssize_t)whole) abort();
    free(record);
}

/* Gives the path of a file below the folder, or nothing. */
static const char *below(int file, char *path) {
    char name[64];
    const char *folder = getenv("FELTWATCH_BELOW");
    if (folder == NULL || file == out) return NULL;
    snprintf(name, sizeof name, "/proc/self/fd/%d", file);
    ssize_t length = readlink(name, path, PATH_MAX - 1);
    if (length <= 0) return NULL;
    path[length] = 0;
    return strncmp(path, folder, strlen(folder)) ? NULL : path;
}

static ssize_t written(int file, const void *data, size_t length, off64_t offset, int at) {
    char path[PATH_MAX];
    pthread_mutex_lock(&turn);
    const char *name = below(file, path);
    if (name && !at) {
        offset = lseek64(file, 0, fcntl(file, F_GETFL) & O_APPEND ? SEEK_END : SEEK_CUR);
    }
    ssize_t done = at ? REAL(pwrite64)(file, data, length, offset) : REAL(write)(file, data, length);
    if (name && done > 0) note('W', name, offset, data, (uint32_t)done);
    pthread_mutex_unlock(&turn);
    return done;
}

ssize_t write(int file, const void *data, size_t length) { return written(file, data, length, 0, 0); }
ssize_t pwrite(int file, const void *data, size_t length, off_t offset) { return written(file, data, length, offset, 1); }
ssize_t pwrite64(int file, const void *data, size_t length, off64_t offset) { return written(file, data, length, offset, 1); }

static int synced(int file, int (*real)(int)) {
    char path[PATH_MAX];
    int done = real(file);
    pthread_mutex_lock(&turn);
    if (!done && below(file, path)) note('S', path, 0, NULL, 0);
    pthread_mutex_unlock(&turn);
    return done;
}

int fsync(int file) { return synced(file, REAL(fsync)); }
int fdatasync(int file) { return synced(file, REAL(fdatasync)); }

static int cut(int file, off64_t length, int (*real)(int, off64_t)) {
    char path[PATH_MAX];
    int done = real(file, length);
    pthread_mutex_lock(&turn);
    if (!done && below(file, path)) note('T', path, length, NULL, 0);
    pthread_mutex_unlock(&turn);
    return done;
}

int ftruncate(int file, off_t length) { return cut(file, length, REAL(ftruncate64)); }
int ftruncate64(int file, off64_t length) { return cut(file, length, REAL(ftruncate64)); }

int unlink(const char *path) {
    const char *folder = getenv("FELTWATCH_BELOW");
    int done = REAL(unlink)(path);
    if (!done && folder && !strncmp(path, folder, strlen(folder))) {
        pthread_mutex_lock(&turn);
        note('U', path, 0, NULL, 0);
        pthread_mutex_unlock(&turn);
    }
    return done;
}
