/* limit.c - limits of the process. */
#include "platform/limit.h"

#include <limits.h>
#include <sys/resource.h>

unsigned long tpi_limit_files(void)
{
    struct rlimit limit;

    return getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < LONG_MAX
               ? (unsigned long)limit.rlim_cur
               : LONG_MAX;
}

unsigned long tpi_limit_raise_files(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) {
        return 0;
    }
    limit.rlim_cur = limit.rlim_max;
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0 || getrlimit(RLIMIT_NOFILE, &limit) != 0) {
        return 0;
    }
    return (unsigned long)limit.rlim_cur;
}
