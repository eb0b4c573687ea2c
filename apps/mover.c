/* mover.c - what the commands of troupe motion share; see mover.h. */
#include "mover.h"

#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/number.h"
#include "base/text.h"
#include "output.h"

static const char name[] = "motion";
static const int64_t QUIET_NS = 2 * TP_NS_PER_S;
static const int64_t LIVE_NS = 200 * TP_NS_PER_MS;
static const int64_t LINES_NS = 5 * TP_NS_PER_S;

static volatile sig_atomic_t interrupted;
static tp_motion *running; /* for the signal handler */

/* ---- Life and options ------------------------------------------------------------------------ */

void mover_init(struct mover *m)
{
    *m = (struct mover){.remote = {.command = name}, .start_ns = tp_clock_now_ns(tp_clock_real())};
}

void mover_fini(struct mover *m)
{
    mover_progress_end(m);
    running = NULL;
    tp_motion_destroy(m->robot);
    remote_fini(&m->remote);
}

static const char *const shared[] = {"--url", "-u", "--key", "--key-file", "--timeout", NULL};

bool mover_has_option(const char *option)
{
    return tpi_text_among(shared, option);
}

int mover_option(struct mover *m, int argc, char **argv, int *i)
{
    return remote_option(&m->remote, argc, argv, i);
}

int mover_unexpected(const struct mover *m, const char *argument, const char *const *known)
{
    return remote_unexpected(&m->remote, argument, known);
}

int mover_number(const struct mover *m, const char *what, const char *text, double *value)
{
    const size_t length = strlen(text);

    if (length == 0 || tpi_number_read_f64(text, length, value) != length || !isfinite(*value)) {
        return command_fail(m->remote.command, EXIT_USAGE, "%s is no number: \"%s\"", what, text);
    }
    return EXIT_DONE;
}

/* ---- The connection -------------------------------------------------------------------------- */

/* tp_motion_interrupt() may be called from a signal handler; clang-tidy cannot know that. */
static void on_signal(int number) /* NOLINT(bugprone-signal-handler) */
{
    (void)number;
    interrupted = 1;
    if (running != NULL) {
        tp_motion_interrupt(running); /* NOLINT(bugprone-signal-handler) */
    }
    output_stop(); /* NOLINT(bugprone-signal-handler) */
}

bool mover_is_interrupted(void)
{
    return interrupted != 0;
}

int mover_connect(struct mover *m)
{
    const struct sigaction action = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};
    const tp_motion_options options = {.size = sizeof options,
                                       .name = "troupe motion",
                                       .timeout_ns = m->remote.timeout_ns,
                                       .stay_lost = true,
                                       .renewal = TP_RENEW_LOOP,
                                       .key = m->remote.key,
                                       .key_file = m->remote.key_file};
    tp_error err = {0};

    if (tp_motion_connect(&m->robot, m->remote.url, &options, &err) != TP_OK) {
        return command_fail(m->remote.command, EXIT_FAILED, "%s", err.text);
    }
    running = m->robot;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    return EXIT_DONE;
}

int mover_connect_again(struct mover *m)
{
    running = NULL;
    tp_motion_destroy(m->robot);
    m->robot = NULL;
    return mover_connect(m);
}

int mover_fail(const struct mover *m, const tp_error *err)
{
    tpi_buf text = {0};

    output_put_clean(&text, err->text, strlen(err->text));
    const int result = command_fail(m->remote.command, EXIT_FAILED, "%s", tpi_buf_text(&text));
    tpi_buf_fini(&text);
    return result;
}

int mover_stop(struct mover *m)
{
    tp_error err = {0};

    mover_progress_end(m);
    if (tp_motion_cancel(m->robot, 0, NULL, &err) != TP_OK) {
        mover_fail(m, &err);
        return command_fail(m->remote.command, EXIT_FAILED,
                            "interrupted; the connection is closed, so the server stops the robot");
    }
    return command_fail(m->remote.command, EXIT_FAILED, "interrupted: the robot was stopped");
}

/* ---- Progress -------------------------------------------------------------------------------- */

void mover_progress(struct mover *m, const char *format, ...)
{
    const int64_t now = tp_clock_now_ns(tp_clock_real());
    const bool live = isatty(STDERR_FILENO) == 1;
    va_list args;

    if (now - m->start_ns < QUIET_NS ||
        (m->shown_ns != 0 && now - m->shown_ns < (live ? LIVE_NS : LINES_NS))) {
        return;
    }
    m->shown_ns = now;
    fputs(live ? "\r\033[K" : "", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputs(live ? "" : "\n", stderr);
    fflush(stderr);
}

void mover_progress_end(struct mover *m)
{
    if (m->shown_ns != 0 && isatty(STDERR_FILENO) == 1) {
        fputs("\r\033[K", stderr);
    }
    m->shown_ns = 0;
}

/* One command; TP_E_TIMEOUT is no end. */
static tp_status wait_one(struct mover *m, uint32_t tag, const char *what, tp_error *err)
{
    tp_status status = TP_E_TIMEOUT;
    tp_motion_signalled end = {0};

    while (status == TP_E_TIMEOUT) {
        status = tp_motion_wait(m->robot, tag, LIVE_NS, &end, err);
        mover_progress(m, "%s: %.0f s", what,
                       (double)(tp_clock_now_ns(tp_clock_real()) - m->start_ns) / 1e9);
    }
    if (status == TP_OK && end.signal == TP_MOTION_MODIFIED) {
        mover_progress_end(m);
        printf("modified: %s\n", end.text);
    }
    return status;
}

int mover_wait(struct mover *m, uint32_t first, uint32_t count, const char *what)
{
    int result = EXIT_DONE;

    for (uint32_t i = 0; i < count; i++) {
        tp_error err = {0};
        const tp_status status = wait_one(m, first + i, what, &err);

        if (status == TP_E_INTERRUPTED) {
            return mover_stop(m);
        }
        if (status != TP_OK) {
            mover_progress_end(m);
            result = mover_fail(m, &err);
        }
    }
    mover_progress_end(m);
    return result;
}

const char *mover_dof_name(const tp_motion_robot *robot, uint16_t joint, uint16_t dof, char out[48])
{
    const tp_motion_joint *j = &robot->joints[joint];

    (void)snprintf(out, 48, j->dof_count > 1 ? "%s:%u" : "%s", j->name, dof);
    return out;
}
