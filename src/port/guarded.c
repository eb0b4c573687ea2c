/*
 * guarded.c - lines that are guarded: somebody writes their stop bytes if the server dies.
 *
 * A guard is a process (platform/guard.h) and belongs to a port, where the port's instance runs.
 * One that ends although it should not is started again at once, and the owner of the server is
 * told. A line whose guard cannot be started again is not used any longer: its instance fails.
 */
#include <stdio.h>
#include <string.h>

#include "device/inside.h"
#include "port/port_inside.h"

enum { MOST_RESTARTS = 10 }; /* for one opening of a line */

static tp_status begin(struct guarded *g, tp_instance *self, int line, const char *url,
                       tp_error *err)
{
    const char *program = self->hub->guard_program;
    const tpi_guard_plan plan = {.program = program == NULL ? "troupe-guard" : program,
                                 .board = &self->hub->guards,
                                 .line = line,
                                 .url = url,
                                 .who = self->hub->part_of_another ? "the driver's process" : NULL,
                                 .bytes = g->bytes,
                                 .length = g->length};
    tp_status status = tpi_guard_start(&g->guard, &plan, err);

    if (status == TP_OK) {
        atomic_fetch_add(&self->guarded, 1);
    }
    return status;
}

tp_status tpi_guarded_set(struct guarded *g, tp_instance *self, int line, const char *url,
                          const void *bytes, size_t length, tp_error *err)
{
    if (length > sizeof g->bytes) {
        return tp_fail(err, TP_E_LIMIT, "a guard has at most %zu bytes", sizeof g->bytes);
    }
    if (length == 0) {
        tpi_guarded_end(g, self);
        return TP_OK;
    }
    memcpy(g->bytes, bytes, length);
    g->length = length;
    return g->guard == NULL ? begin(g, self, line, url, err)
                            : tpi_guard_change(g->guard, g->bytes, g->length, err);
}

void tpi_guarded_end(struct guarded *g, tp_instance *self)
{
    if (g->guard != NULL) {
        tpi_guard_end(g->guard);
        g->guard = NULL;
        g->done = false;
        atomic_fetch_sub(&self->guarded, 1);
    }
}

int tpi_guarded_fd(const struct guarded *g)
{
    return g->guard == NULL || g->done ? -1 : tpi_guard_fd(g->guard);
}

/* ---- Its end --------------------------------------------------------------------------------- */

/* On the loop: the owner hears of it. */
void tpi_guarded_told(tpi_task *task)
{
    tp_instance *self = (tp_instance *)((char *)task - offsetof(tp_instance, guard_task));
    char text[sizeof self->guard_note];

    memcpy(text, self->guard_note, sizeof text);
    atomic_store(&self->guard_told, false);
    if (!self->hub->closing && self->hub->failed != NULL) {
        self->hub->failed(self->hub->failed_context, self, text);
    }
}

/* One that comes before the last one was heard is only counted. */
static void tell(tp_instance *self, const char *url)
{
    if (!atomic_exchange(&self->guard_told, true)) {
        (void)snprintf(self->guard_note, sizeof self->guard_note,
                       "%s: the guard of %s had ended; it was started again", self->name, url);
        tpi_loop_post(self->hub->loop, &self->guard_task);
    }
}

tp_status tpi_guarded_restart(struct guarded *g, tp_instance *self, int line, const char *url,
                              tp_error *err)
{
    if (atomic_load(&self->hub->guards.crashed)) { /* it has done what it was for */
        g->done = true;
        return TP_OK;
    }
    tpi_guarded_end(g, self);
    tp_status status = g->restarts < MOST_RESTARTS
                           ? begin(g, self, line, url, err)
                           : tp_fail(err, TP_E_LIMIT, "the guard ends again and again");
    if (status == TP_OK) {
        g->restarts++;
        atomic_fetch_add(&self->guard_restarts, 1);
        tell(self, url);
    }
    return status == TP_OK ? TP_OK : tp_wrap(err, status, url);
}
