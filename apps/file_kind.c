/* file_kind.c - files of another kind than a command takes; see file_kind.h. */
#include "file_kind.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "called.h"

static const struct {
    const char *ending;
    const char *what;
    const char *command; /* in front of the file */
    const char *option;  /* behind it */
} kinds[] = {
    {".cfg", "a configuration", "run", ""},
    {".world", "a world", "sim", ""},
    {".play", "a program", "play", " --check"},
    {".xml", "a robot file or the manifest of a sensor", "robots --check", ""},
    {".padi", "the description of an interface", "interfaces --load", ""},
    {".urdf", "the description of a robot", "motion check", ""},
    {".mcap", "a recording", "log info", ""},
    {".exp", "an experiment", "log --experiment", ""},
};

bool file_kind_put_other(tpi_buf *out, const char *path, const char *const *wanted,
                         const char *what)
{
    const char *dot = strrchr(path, '.');

    for (size_t i = 0; dot != NULL && i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(kinds[i].ending, dot) != 0 || tpi_text_among(wanted, dot)) {
            continue;
        }
        if (access(path, F_OK) != 0) {
            tpi_buf_printf(out, "%s: %s", path, strerror(errno));
        } else {
            tpi_buf_printf(out, "%s is %s, no %s: %s %s %s%s", path, kinds[i].what, what, called(),
                           kinds[i].command, path, kinds[i].option);
        }
        return true;
    }
    return false;
}
