/* plugged.c - lines that sensors may be plugged into; see plugged.h. */
#include "sensors/host/plugged.h"

#include <glob.h>
#include <stdio.h>
#include <string.h>

#include "platform/folder.h"

bool tpi_plugged_is_pattern(const char *text)
{
    return strpbrk(text, "*[") != NULL;
}

size_t tpi_plugged_list(const char *pattern, tpi_plugged out[TPI_PLUGGED_MOST])
{
    glob_t found = {0};
    size_t count = 0;

    if (glob(pattern, 0, NULL, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc && count < TPI_PLUGGED_MOST; i++) {
            const uint64_t mark = tpi_folder_mark(found.gl_pathv[i]);
            if (mark != 0 && strlen(found.gl_pathv[i]) < TPI_PLUGGED_PATH) {
                snprintf(out[count].path, TPI_PLUGGED_PATH, "%s", found.gl_pathv[i]);
                out[count++].mark = mark;
            }
        }
    }
    globfree(&found);
    return count;
}
