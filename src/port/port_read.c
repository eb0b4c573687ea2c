/*
 * port_read.c - reading from a line, and waiting for it.
 *
 * What has come and was not read is kept, so that a driver can ask for whole lines and blocks.
 */
#include <stdlib.h>
#include <string.h>

#include "port/port_inside.h"

enum { MOST_DRAINED = 64 }; /* times the room: a line that never stops cannot be emptied */

/* ---- Waiting --------------------------------------------------------------------------------- */

/* Wait for the line, the deadline (of the real clock), or the end of the server. */
static tp_status wait_really(tp_port *port, int64_t deadline_ns, tp_error *err)
{
    tpi_port_owner *owner = port->owner;
    const int fds[] = {port->line->fd, owner->bell->fd};

    for (;;) {
        if (atomic_load(owner->ending)) {
            return tp_fail(err, TP_E_CLOSED, "%s: the server ends", port->url);
        }
        if ((tpi_wait(fds, 2, deadline_ns) & 2) == 0) {
            return TP_OK;
        }
        tpi_bell_silence(owner->bell); /* for a job, which has to wait; see ring_again() */
        owner->rung = true;
    }
}

/* Wait until the line may have something, or the deadline. *reached tells that it has come. */
static tp_status wait_for(tp_port *port, int64_t deadline_ns, bool *reached, tp_error *err)
{
    const tp_clock *clock = port_clock(port);
    const tpi_line *line = port->line;
    const int64_t due_ns = line->fd >= 0 ? TP_NEVER : line->ops->due_ns(line);
    const int64_t until_ns = due_ns < deadline_ns ? due_ns : deadline_ns;

    if (line->fd < 0 && clock != tp_clock_real() && until_ns != TP_NEVER) {
        line->ops->skip_to(port->line, until_ns);
        *reached = due_ns > deadline_ns;
        return TP_OK;
    }
    tp_status status = wait_really(port, tpi_line_real_deadline(clock, until_ns), err);
    *reached = tp_clock_now_ns(clock) >= deadline_ns || clock != tp_clock_real();
    return status;
}

/* ---- Reading --------------------------------------------------------------------------------- */

static void move_down(tp_port *port)
{
    if (port->begin > 0) {
        memmove(port->bytes, port->bytes + port->begin, port_unread(port));
        port->end -= port->begin;
        port->begin = 0;
    }
}

static tp_status make_room(tp_port *port, size_t size, tp_error *err)
{
    move_down(port);
    if (size <= port->capacity) {
        return TP_OK;
    }
    char *bytes = realloc(port->bytes, size);
    if (bytes == NULL) {
        return tp_fail(err, TP_E_NOMEM, "%s: out of memory", port->url);
    }
    port->bytes = bytes;
    port->capacity = size;
    return TP_OK;
}

tp_status tpi_port_fetch(tp_port *port, size_t *got, tp_error *err)
{
    *got = 0;
    if (port->over.code == TP_OK && port->end == port->capacity) {
        move_down(port);
    }
    if (port->over.code == TP_OK) {
        const tp_status status = port->line->ops->read(
            port->line, port->bytes + port->end, port->capacity - port->end, got, &port->over);
        port->over.code = status;
    }
    port->end += *got;
    port->fresh = port->fresh || *got > 0;
    return port->over.code == TP_OK ? TP_OK : tp_fail(err, port->over.code, "%s", port->over.text);
}

static tp_status no_answer(const tp_port *port, tp_error *err)
{
    return tp_fail(err, TP_E_TIMEOUT, "%s: no answer in time", port->url);
}

/* Fetch more, waiting for it until the deadline. An `input` that does not wait has all that was
 * there when it was called: more is for its next call, so that a line that never stops cannot keep
 * commands waiting. */
static tp_status fetch_more(tp_port *port, int64_t deadline_ns, tp_error *err)
{
    bool reached = tp_clock_now_ns(port_clock(port)) >= deadline_ns;
    size_t got = 0;

    if (reached && port->serving && port->over.code == TP_OK) {
        return no_answer(port, err);
    }
    for (;;) {
        tp_status status = tpi_port_fetch(port, &got, err);
        if (status != TP_OK || got > 0) {
            return status;
        }
        if (reached) {
            return no_answer(port, err);
        }
        status = wait_for(port, deadline_ns, &reached, err);
        if (status != TP_OK) {
            return status;
        }
    }
}

/* Jobs came while a read waited for the line: the bell rings for them again. */
static void ring_again(tpi_port_owner *owner)
{
    if (owner->rung) {
        owner->rung = false;
        tpi_bell_ring(owner->bell);
    }
}

static void take(tp_port *port, void *bytes, size_t length)
{
    memcpy(bytes, port->bytes + port->begin, length);
    port->begin += length;
    if (port->begin == port->end) {
        port->begin = port->end = 0;
    }
}

tp_status tp_port_read(tp_port *port, void *bytes, size_t size, size_t *length, int64_t deadline_ns,
                       tp_error *err)
{
    tp_status status = port_unread(port) > 0 ? TP_OK : fetch_more(port, deadline_ns, err);

    ring_again(port->owner);
    *length = 0;
    if (status == TP_OK) {
        *length = port_unread(port) < size ? port_unread(port) : size;
        take(port, bytes, *length);
    }
    return status;
}

tp_status tp_port_read_all(tp_port *port, void *bytes, size_t size, int64_t deadline_ns,
                           tp_error *err)
{
    tp_status status = make_room(port, size, err);

    while (status == TP_OK && port_unread(port) < size) {
        status = fetch_more(port, deadline_ns, err);
    }
    ring_again(port->owner);
    if (status == TP_OK) {
        take(port, bytes, size);
    }
    return status;
}

/* How many bytes there are up to and with the first `end`; 0 if it has not come. */
static size_t find_end(const tp_port *port, char end)
{
    const char *begin = port->bytes + port->begin;
    const char *found = port_unread(port) == 0 ? NULL : memchr(begin, end, port_unread(port));

    return found == NULL ? 0 : (size_t)(found - begin) + 1;
}

tp_status tp_port_read_until(tp_port *port, char *text, size_t size, char end, size_t *length,
                             int64_t deadline_ns, tp_error *err)
{
    tp_status status = make_room(port, size, err);
    size_t found = find_end(port, end);

    *length = 0;
    while (status == TP_OK && found == 0 && port_unread(port) + 1 < size) {
        status = fetch_more(port, deadline_ns, err);
        found = find_end(port, end);
    }
    ring_again(port->owner);
    if (status != TP_OK) {
        return status;
    }
    if (found == 0 || found + 1 > size) {
        const size_t dropped = port_unread(port) < size - 1 ? port_unread(port) : size - 1;
        port->begin += dropped;
        return tp_fail(err, TP_E_SPACE, "%s: no end of the line within %zu bytes", port->url,
                       size - 1);
    }
    take(port, text, found);
    text[found] = '\0';
    *length = found;
    return TP_OK;
}

void tp_port_drain(tp_port *port)
{
    size_t got = 1;

    for (unsigned i = 0; i < MOST_DRAINED && got > 0; i++) {
        port->begin = port->end = 0;
        if (tpi_port_fetch(port, &got, NULL) != TP_OK) {
            break;
        }
    }
    port->begin = port->end = 0;
}
