/* plugged.c - lines that sensors may be plugged into; see plugged.h. */
#include "sensors/host/plugged.h"

#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

bool tpi_plugged_is_pattern(const char *text)
{
    return strpbrk(text, "*[") != NULL;
}

/* A link to a pseudo-terminal can be a new link to the same one: both count. */
static uint64_t mark_of(const char *path)
{
    struct stat link, file;

    if (lstat(path, &link) != 0 || stat(path, &file) != 0) {
        return 0;
    }
    return ((uint64_t)link.st_ino * 1000003U) ^ ((uint64_t)link.st_ctim.tv_sec << 30) ^
           (uint64_t)link.st_ctim.tv_nsec ^ ((uint64_t)file.st_rdev << 40) ^ 1U;
}

size_t tpi_plugged_list(const char *pattern, tpi_plugged out[TPI_PLUGGED_MOST])
{
    glob_t found = {0};
    size_t count = 0;

    if (glob(pattern, 0, NULL, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc && count < TPI_PLUGGED_MOST; i++) {
            const uint64_t mark = mark_of(found.gl_pathv[i]);
            if (mark != 0 && strlen(found.gl_pathv[i]) < TPI_PLUGGED_PATH) {
                snprintf(out[count].path, TPI_PLUGGED_PATH, "%s", found.gl_pathv[i]);
                out[count++].mark = mark;
            }
        }
    }
    globfree(&found);
    return count;
}
