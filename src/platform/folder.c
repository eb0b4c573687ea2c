/* folder.c - a folder for things that live as long as the program. */
#include "platform/folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
