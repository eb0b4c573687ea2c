/* crash.c - the last words of a program that crashes; see crash.h. */
#include "crash.h"

#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "platform/plugin.h"

static const int crashes[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};

enum { CRASHES = sizeof crashes / sizeof crashes[0] };

static struct sigaction before[CRASHES];
static void (*call_first)(void);

void crash_release(void)
{
    for (size_t i = 0; i < CRASHES; i++) {
        sigaction(crashes[i], &before[i], NULL);
    }
}

/* All that a handler may do is write. */
static void say(const char *text)
{
    if (write(STDERR_FILENO, text, strlen(text)) < 0) {
        return; /* nobody hears it */
    }
}

/* Sanitizers have handlers of their own, which come next. */
static void on_crash(int number, siginfo_t *info,
                     void *unused) /* NOLINT(bugprone-signal-handler) */
{
    const char *plugin = tpi_plugin_inside(); /* NOLINT(bugprone-signal-handler) */

    (void)unused;
    if (call_first != NULL) {
        call_first();
    }
    if (plugin != NULL) {
        say("troupe: the plug-in ");
        say(plugin);
        say(" has crashed\n");
    }
    crash_release();
    if (info->si_code <= 0) { /* somebody has sent it: it does not come again by itself */
        raise(number);
    }
}

void crash_catch(void (*first)(void))
{
    struct sigaction action = {.sa_flags = SA_SIGINFO};

    call_first = first;
    action.sa_sigaction = on_crash;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < CRASHES; i++) {
        sigaction(crashes[i], &action, &before[i]);
    }
}
