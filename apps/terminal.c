/* terminal.c - the whole terminal for ourselves; see terminal.h. */
#include "terminal.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

/* Another page, no cursor, no new line at the end of one; and the reverse. */
static const char begin[] = "\033[?1049h\033[?25l\033[?7l\033[2J";
static const char end[] = "\033[0m\033[?7h\033[?25h\033[?1049l";

static struct termios before;
static volatile sig_atomic_t taken;

void terminal_give_back(void)
{
    const int error = errno;

    if (taken) {
        taken = 0;
        if (write(STDOUT_FILENO, end, sizeof end - 1) < 0) {
            /* then nobody looks at it any more */
        }
        tcsetattr(STDIN_FILENO, TCSANOW, &before);
    }
    errno = error;
}

/* What ends the program for sure: give the terminal back, then let it end as it would have. */
static void on_failure(int number)
{
    terminal_give_back();
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

    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO) || tcgetattr(STDIN_FILENO, &before) != 0) {
        return tp_fail(err, TP_E_UNSUPPORTED, "this is no terminal");
    }
    ours = before;
    ours.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    ours.c_cc[VMIN] = 0;
    ours.c_cc[VTIME] = 0;
    ours.c_cc[VSUSP] = _POSIX_VDISABLE; /* a program that is stopped would leave the page */
    atexit(terminal_give_back);
    catch_failures();
    taken = 1;
    if (tcsetattr(STDIN_FILENO, TCSANOW, &ours) != 0 ||
        write(STDOUT_FILENO, begin, sizeof begin - 1) < 0) {
        terminal_give_back();
        return tp_fail(err, TP_E_IO, "the terminal: %s", strerror(errno));
    }
    return TP_OK;
}

int terminal_key(void)
{
    unsigned char key;

    return read(STDIN_FILENO, &key, 1) == 1 ? key : -1;
}
