/* folder.c - a folder for things that live as long as the program, and folders around it. */
#define _GNU_SOURCE /* dladdr */
#include "platform/folder.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Sockets have short paths: a long TMPDIR cannot be used. */
enum { LONGEST_BASE = 24 };

tp_status tpi_folder_make(char *out, size_t size, tp_error *err)
{
    const char *base = getenv("TMPDIR");

    if (base == NULL || base[0] != '/' || strlen(base) > LONGEST_BASE) {
        base = "/tmp";
    }
    (void)snprintf(out, size, "%s/troupe-XXXXXX", base);
    if (mkdtemp(out) == NULL) {
        out[0] = '\0';
        return tp_fail(err, TP_E_IO, "make a folder in %s: %s", base, strerror(errno));
    }
    return TP_OK;
}

void tpi_folder_remove(const char *path)
{
    DIR *folder = path[0] == '\0' ? NULL : opendir(path);
    const struct dirent *entry;

    if (folder == NULL) {
        return;
    }
    while ((entry = readdir(folder)) != NULL) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            (void)unlinkat(dirfd(folder), entry->d_name, 0);
        }
    }
    (void)closedir(folder);
    (void)rmdir(path);
}

/* ---- Around the program ---------------------------------------------------------------------- */

static bool find_program(char *out, size_t size)
{
    const ssize_t length = readlink("/proc/self/exe", out, size - 1);

    out[length > 0 ? length : 0] = '\0';
    return length > 0;
}

/* Of a program as a whole its name is found, with or without a folder. */
static bool find_object(char *out, size_t size)
{
    static const char here;
    Dl_info info;

    return dladdr(&here, &info) != 0 && info.dli_fname != NULL && info.dli_fname[0] == '/' &&
           (size_t)snprintf(out, size, "%s", info.dli_fname) < size;
}

bool tpi_folder_above(bool object, int levels, char *out, size_t size)
{
    char *slash = NULL;

    if (!(object ? find_object(out, size) : find_program(out, size))) {
        return false;
    }
    for (; levels > 0 && (slash = strrchr(out, '/')) != NULL; levels--) {
        *slash = '\0';
    }
    return levels == 0;
}

bool tpi_folder_own(const char *kind, char *out, size_t size, size_t index)
{
    /* As they are installed (bin/troupe, lib/libtroupe-server.so, lib/MACHINE/libtroupe-server.so),
     * or built in the source tree (build/NAME/apps/troupe, build/NAME/src/core/...). */
    static const struct {
        bool library;
        int up;
        const char *down;
    } places[] = {{false, 2, "share/troupe/"},
                  {false, 4, ""},
                  {true, 2, "share/troupe/"},
                  {true, 3, "share/troupe/"},
                  {true, 5, ""}};
    char above[3072];

    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        if (tpi_folder_above(places[i].library, places[i].up, above, sizeof above) &&
            index-- == 0) {
            snprintf(out, size, "%s/%s%s", above, places[i].down, kind);
            return true;
        }
    }
    return false;
}

bool tpi_folder_exists(const char *path)
{
    struct stat about;

    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

uint64_t tpi_folder_mark(const char *path)
{
    struct stat link, file;

    if (lstat(path, &link) != 0 || stat(path, &file) != 0) {
        return 0;
    }
    return ((uint64_t)link.st_ino * 1000003U) ^ ((uint64_t)link.st_ctim.tv_sec << 30) ^
           (uint64_t)link.st_ctim.tv_nsec ^ ((uint64_t)file.st_rdev << 40) ^ 1U;
}
