/* shim: a library to be preloaded in tests, that lets large transfers to the files of one folder's
 * filesystem fail as a broken device would. Environment:
 *   SHIM_FOLDER   whose filesystem        SHIM_CALL   write, read, fsync or close
 *   SHIM_ERRNO    the number              SHIM_AFTER  so many calls come through before
 * Small transfers (stamps, records) come through always. */
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LARGE 4096u
#define LARGE_FILE (1 << 20)

static atomic_long calls;

static const char *env(const char *key)
{
    const char *text = getenv(key);
    return text ? text : "";
}

static long number(const char *key)
{
    return strtol(env(key), NULL, 10);
}

static int is_meant(int fd, const char *call)
{
    struct stat file, folder;
    return strcmp(env("SHIM_CALL"), call) == 0 && fstat(fd, &file) == 0 && S_ISREG(file.st_mode) &&
           stat(env("SHIM_FOLDER"), &folder) == 0 && file.st_dev == folder.st_dev;
}

static int fails(int fd, const char *call, size_t size)
{
    if (size < LARGE || !is_meant(fd, call) || atomic_fetch_add(&calls, 1) < number("SHIM_AFTER"))
        return 0;
    errno = (int)number("SHIM_ERRNO");
    return 1;
}

static int file_fails(int fd, const char *call)
{
    struct stat file;
    return fstat(fd, &file) == 0 && file.st_size >= LARGE_FILE && fails(fd, call, LARGE);
}

#define REAL(type, name, ...)                                                                      \
    static type (*real)(__VA_ARGS__);                                                              \
    if (!real)                                                                                     \
    *(void **)&real = dlsym(RTLD_NEXT, name)

ssize_t write(int fd, const void *bytes, size_t size)
{
    REAL(ssize_t, "write", int, const void *, size_t);
    return fails(fd, "write", size) ? -1 : real(fd, bytes, size);
}

ssize_t read(int fd, void *bytes, size_t size)
{
    REAL(ssize_t, "read", int, void *, size_t);
    return fails(fd, "read", size) ? -1 : real(fd, bytes, size);
}

ssize_t pwrite64(int fd, const void *bytes, size_t size, off64_t at)
{
    REAL(ssize_t, "pwrite64", int, const void *, size_t, off64_t);
    return fails(fd, "write", size) ? -1 : real(fd, bytes, size, at);
}

ssize_t pread64(int fd, void *bytes, size_t size, off64_t at)
{
    REAL(ssize_t, "pread64", int, void *, size_t, off64_t);
    return fails(fd, "read", size) ? -1 : real(fd, bytes, size, at);
}

int fsync(int fd)
{
    REAL(int, "fsync", int);
    return file_fails(fd, "fsync") ? -1 : real(fd);
}

int fdatasync(int fd)
{
    REAL(int, "fdatasync", int);
    return file_fails(fd, "fsync") ? -1 : real(fd);
}

int close(int fd)
{
    REAL(int, "close", int);
    int is_to_fail = file_fails(fd, "close"), error = errno;
    int result = real(fd);
    errno = is_to_fail ? error : errno;
    return is_to_fail ? -1 : result;
}
