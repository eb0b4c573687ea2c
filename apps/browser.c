/* browser.c - a page in the user's browser; see browser.h. */
#include "browser.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>

extern char **environ;

static bool is_set(const char *name)
{
    const char *value = getenv(name);

    return value != NULL && value[0] != '\0';
}

/* $BROWSER may have several programs, which colons divide: the first one. */
static bool start(const char *program, const char *url, bool wait)
{
    char name[256];
    char *const arguments[] = {name, (char *)(uintptr_t)url, NULL};
    const size_t length = strcspn(program, ":");
    posix_spawn_file_actions_t files;
    pid_t pid = 0;
    int status = 0;

    if (length == 0 || length >= sizeof name) {
        return false;
    }
    memcpy(name, program, length);
    name[length] = '\0';
    (void)posix_spawn_file_actions_init(&files);
    for (int fd = 0; fd < 3; fd++) {
        (void)posix_spawn_file_actions_addopen(&files, fd, "/dev/null", O_RDWR, 0);
    }
    const int error = posix_spawnp(&pid, name, &files, NULL, arguments, environ);
    (void)posix_spawn_file_actions_destroy(&files);
    if (error != 0 || !wait) {
        return error == 0;
    }
    return waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool browser_open(const char *url, bool wait)
{
    if (is_set("BROWSER")) {
        return start(getenv("BROWSER"), url, wait);
    }
    return (is_set("DISPLAY") || is_set("WAYLAND_DISPLAY")) && start("xdg-open", url, wait);
}
