/* pty.c - pseudo-terminals on Linux, with the kernel's own struct termios2; see pty.h. */
#define _GNU_SOURCE
#include "platform/pty.h"

#include <asm/termbits.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "platform/line.h"

static bool make_raw(int fd, unsigned baud)
{
    struct termios2 t;

    if (ioctl(fd, TCGETS2, &t) != 0) {
        return false;
    }
    t.c_iflag = IGNPAR;
    t.c_oflag = 0;
    t.c_lflag = 0;
    t.c_cflag = CREAD | CLOCAL | CS8 | (baud > 0 ? BOTHER | (tcflag_t)BOTHER << IBSHIFT : B38400);
    t.c_cc[VMIN] = 1;
    t.c_cc[VTIME] = 0;
    if (baud > 0) {
        t.c_ispeed = baud;
        t.c_ospeed = baud;
    }
    return ioctl(fd, TCSETS2, &t) == 0;
}

/* A side that was never opened does not look closed. */
static bool open_once(const char *path)
{
    const int fd = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC);

    return fd >= 0 && close(fd) == 0;
}

tp_status tpi_pty_open(tpi_pty *pty, unsigned baud, tp_error *err)
{
    char reason[96];

    pty->fd = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
    if (pty->fd < 0 || grantpt(pty->fd) != 0 || unlockpt(pty->fd) != 0 ||
        ptsname_r(pty->fd, pty->path, sizeof pty->path) != 0 || !open_once(pty->path) ||
        !make_raw(pty->fd, baud)) {
        const int error = errno;
        tpi_pty_close(pty);
        return tp_fail(err, TP_E_IO, "cannot open a pseudo-terminal: %s",
                       tpi_line_reason(error, reason, sizeof reason));
    }
    return TP_OK;
}

void tpi_pty_close(tpi_pty *pty)
{
    if (pty->fd >= 0) {
        close(pty->fd);
    }
    pty->fd = -1;
}

bool tpi_pty_is_used(const tpi_pty *pty)
{
    struct pollfd at = {.fd = pty->fd};

    return pty->fd >= 0 && poll(&at, 1, 0) >= 0 && (at.revents & POLLHUP) == 0;
}

unsigned tpi_pty_baud(const tpi_pty *pty)
{
    struct termios2 t;

    return ioctl(pty->fd, TCGETS2, &t) == 0 ? t.c_ospeed : 0;
}
