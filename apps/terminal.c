/* terminal.c - the whole terminal for ourselves; see terminal.h. */
#include "terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

/* Another page, no cursor, no new line at the end of one; and the reverse. */
static const char begin[] = "\033[?1049h\033[?25l\033[?7l\033[2J";
static const char end[] = "\033[0m\033[?7h\033[?25h\033[?1049l";

enum { LAST_WORDS_MS = 500 }; /* a terminal that is stopped is not waited for */

static struct termios before;
static volatile sig_atomic_t taken;

/* A write that does not wait. The mark is one of the terminal, not only ours: others that use it
 * must not find it there. */
static ssize_t write_some(const char *text, size_t length)
{
    const int flags = fcntl(STDOUT_FILENO, F_GETFL);

    fcntl(STDOUT_FILENO, F_SETFL, flags | O_NONBLOCK);
    const ssize_t written = write(STDOUT_FILENO, text, length);
    const int error = errno;
    fcntl(STDOUT_FILENO, F_SETFL, flags);
    errno = error;
    return written;
}

tp_status terminal_write(const char *text, size_t length, int patience_ms, size_t *written)
{
    struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};

    *written = 0;
    while (*written < length && poll(&out, 1, patience_ms) > 0) {
        if ((out.revents & (POLLERR | POLLHUP | POLLNVAL)) != 0) {
            return TP_E_CLOSED;
        }
        const ssize_t some = write_some(text + *written, length - *written);
        if (some < 0 && errno != EINTR && errno != EAGAIN) {
            return TP_E_CLOSED;
        }
        *written += some > 0 ? (size_t)some : 0;
    }
    return TP_OK;
}

void terminal_restore(void)
{
    const int error = errno;
    size_t written;

    if (taken) {
        taken = 0;
        terminal_write(end, sizeof end - 1, LAST_WORDS_MS, &written);
        tcsetattr(STDIN_FILENO, TCSANOW, &before);
    }
    errno = error;
}

/* What ends the program for sure: give the terminal back, then let it end as it would have. */
static void on_failure(int number)
{
    terminal_restore();
    signal(number, SIG_DFL);
    raise(number);
}

static void catch_failures(void)
{
    static const int numbers[] = {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGQUIT};
    struct sigaction action = {.sa_handler = on_failure};

    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        sigaction(numbers[i], &action, NULL);
    }
}

tp_status terminal_take(tp_error *err)
{
    struct termios ours;
    size_t written;

    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO) || tcgetattr(STDIN_FILENO, &before) != 0) {
        return tp_fail(err, TP_E_UNSUPPORTED, "this is no terminal");
    }
    ours = before;
    ours.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    ours.c_cc[VMIN] = 0;
    ours.c_cc[VTIME] = 0;
    ours.c_cc[VSUSP] = _POSIX_VDISABLE; /* a program that is stopped would leave the page */
    atexit(terminal_restore);
    catch_failures();
    taken = 1;
    if (tcsetattr(STDIN_FILENO, TCSANOW, &ours) != 0 ||
        terminal_write(begin, sizeof begin - 1, LAST_WORDS_MS, &written) != TP_OK) {
        terminal_restore();
        return tp_fail(err, TP_E_IO, "the terminal: %s", strerror(errno));
    }
    return TP_OK;
}

int terminal_key(void)
{
    unsigned char key;

    return read(STDIN_FILENO, &key, 1) == 1 ? key : -1;
}
