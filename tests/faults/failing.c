/* A disk that fails: to be loaded before everything else (LD_PRELOAD).
 *
 * The first byte of the file that FELTWATCH_FAULT names is an error's number; nought is none. While it is another, what
 * would write below the folder that FELTWATCH_DISK names fails with it, as it does on a disk that is full (ENOSPC: what
 * takes room fails, syncing and removing do not), was made read-only by the system (EROFS) or is broken (EIO: reading
 * does not fail, for it comes from the cache).
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const volatile unsigned char *fault;
static const char *disk;

__attribute__((constructor)) static void begin(void)
{
    const char *name = getenv("FELTWATCH_FAULT");
    disk = getenv("FELTWATCH_DISK");
    int handle = name ? open(name, O_RDONLY | O_CLOEXEC) : -1;
    if (handle < 0)
        return;
    void *found = mmap(NULL, 1, PROT_READ, MAP_SHARED, handle, 0);
    close(handle);
    if (found != MAP_FAILED)
        fault = found;
}

static int below(const char *path)
{
    size_t length = disk ? strlen(disk) : 0;
    return length && !strncmp(path, disk, length) && (path[length] == '/' || !path[length]);
}

/* Gives whether what is to be done to a path, or to an open file, fails now; `frees` takes no room. */
static int fails(const char *path, int handle, int frees)
{
    char name[64], found[PATH_MAX];
    if (!fault || !*fault || (frees && *fault == ENOSPC))
        return 0;
    if (!path) {
        snprintf(name, sizeof name, "/proc/self/fd/%d", handle);
        ssize_t length = readlink(name, found, sizeof found - 1);
        if (length < 0)
            return 0;
        found[length] = 0;
        path = found;
    }
    if (!below(path))
        return 0;
    errno = *fault;
    return 1;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t write(int f, const void *data, size_t size) { return fails(0, f, 0) ? -1 : REAL(write)(f, data, size); }
ssize_t pwrite(int f, const void *data, size_t size, off_t at)
{
    return fails(0, f, 0) ? -1 : REAL(pwrite)(f, data, size, at);
}
ssize_t pwrite64(int f, const void *data, size_t size, off64_t at)
{
    return fails(0, f, 0) ? -1 : REAL(pwrite64)(f, data, size, at);
}
int fsync(int f) { return fails(0, f, 1) ? -1 : REAL(fsync)(f); }
int fdatasync(int f) { return fails(0, f, 1) ? -1 : REAL(fdatasync)(f); }
int ftruncate(int f, off_t size) { return fails(0, f, size == 0) ? -1 : REAL(ftruncate)(f, size); }
int ftruncate64(int f, off64_t size) { return fails(0, f, size == 0) ? -1 : REAL(ftruncate64)(f, size); }
int posix_fallocate(int f, off_t at, off_t size)
{
    return fails(0, f, 0) ? *fault : REAL(posix_fallocate)(f, at, size);
}
int posix_fallocate64(int f, off64_t at, off64_t size)
{
    return fails(0, f, 0) ? *fault : REAL(posix_fallocate64)(f, at, size);
}
int rename(const char *from, const char *to) { return fails(to, 0, 1) ? -1 : REAL(rename)(from, to); }
int unlink(const char *path) { return fails(path, 0, 1) ? -1 : REAL(unlink)(path); }
int mkdir(const char *path, mode_t mode) { return fails(path, 0, 0) ? -1 : REAL(mkdir)(path, mode); }
int rmdir(const char *path) { return fails(path, 0, 1) ? -1 : REAL(rmdir)(path); }

/* An open that would make a file fails as a whole; one for writing does where nothing may be written at all. */
static int opens(const char *path, int flags)
{
    int writes = (flags & O_ACCMODE) != O_RDONLY;
    int makes = (flags & O_CREAT) && access(path, F_OK) != 0;
    return (makes || (writes && fault && *fault == EROFS)) && fails(path, 0, 0);
}

#define OPEN(name)                                      \
    int name(const char *path, int flags, ...)          \
    {                                                   \
        va_list rest;                                   \
        va_start(rest, flags);                          \
        mode_t mode = va_arg(rest, mode_t);             \
        va_end(rest);                                   \
        return opens(path, flags) ? -1 : REAL(name)(path, flags, mode); \
    }
OPEN(open)
OPEN(open64)
