/*
 * guarded.c - guards of lines: processes that write the stop bytes of a line if the server dies.
 *
 * A guard (platform/guard.h) belongs to a port and to the thread of the port's owner. A guard that
 * ends although it should not is started again at once, and the operator receives a note. A line
 * whose guard cannot be started again is not used any longer.
 */
#include <stdio.h>
#include <string.h>

#include "port/port_inside.h"

enum { MOST_RESTARTS = 10 }; /* for one opening of a line */

static tp_status begin(struct guarded *g, tpi_port_owner *owner, int line, const char *url,
                       tp_error *err)
{
    const char *program = owner->setup->guard_program;
    const tpi_guard_options plan = {.program = program == NULL ? "troupe-guard" : program,
                                    .board = &owner->setup->guards,
                                    .line = line,
                                    .url = url,
                                    .who = owner->setup->guard_of,
                                    .bytes = g->bytes,
                                    .length = g->length};
    tp_status status = tpi_guard_start(&g->guard, &plan, err);

    if (status == TP_OK) {
        atomic_fetch_add(&owner->guarded, 1);
    }
    return status;
}

tp_status tpi_guarded_set(struct guarded *g, tpi_port_owner *owner, int line, const char *url,
                          const void *bytes, size_t length, tp_error *err)
{
    if (length > sizeof g->bytes) {
        return tp_fail(err, TP_E_LIMIT, "a guard has at most %zu bytes", sizeof g->bytes);
    }
    if (length == 0) {
        tpi_guarded_end(g, owner);
        return TP_OK;
    }
    memcpy(g->bytes, bytes, length);
    g->length = length;
    return g->guard == NULL ? begin(g, owner, line, url, err)
                            : tpi_guard_change(g->guard, g->bytes, g->length, err);
}

void tpi_guarded_end(struct guarded *g, tpi_port_owner *owner)
{
    if (g->guard != NULL) {
        tpi_guard_end(g->guard);
        g->guard = NULL;
        g->done = false;
        atomic_fetch_sub(&owner->guarded, 1);
    }
}

int tpi_guarded_fd(const struct guarded *g)
{
    return g->guard == NULL || g->done ? -1 : tpi_guard_fd(g->guard);
}

/* ---- Its end --------------------------------------------------------------------------------- */

/* On the loop. */
static void note(tpi_task *task)
{
    tpi_port_owner *owner = (tpi_port_owner *)((char *)task - offsetof(tpi_port_owner, guard_task));
    char text[sizeof owner->guard_note];

    memcpy(text, owner->guard_note, sizeof text);
    atomic_store(&owner->guard_noted, false);
    owner->ops->note(owner, text);
}

/* A restart that comes before the last note was handled is only counted. */
static void note_restart(tpi_port_owner *owner, const char *url)
{
    if (!atomic_exchange(&owner->guard_noted, true)) {
        (void)snprintf(owner->guard_note, sizeof owner->guard_note,
                       "%s: the guard of %s had ended; it was started again", owner->name, url);
        owner->guard_task.run = note;
        tpi_loop_post(owner->loop, &owner->guard_task);
    }
}

tp_status tpi_guarded_restart(struct guarded *g, tpi_port_owner *owner, int line, const char *url,
                              tp_error *err)
{
    if (atomic_load(&owner->setup->guards.crashed)) { /* it has done what it was for */
        g->done = true;
        return TP_OK;
    }
    tpi_guarded_end(g, owner);
    tp_status status = g->restarts < MOST_RESTARTS
                           ? begin(g, owner, line, url, err)
                           : tp_fail(err, TP_E_LIMIT, "the guard ends again and again");
    if (status == TP_OK) {
        g->restarts++;
        atomic_fetch_add(&owner->guard_restarts, 1);
        note_restart(owner, url);
    }
    return status == TP_OK ? TP_OK : tp_wrap(err, status, url);
}
