/*
 * stops.c - lines that come back: their stop bytes are written before anything else.
 *
 * A robot whose line is cut while it moves goes on, and nobody can stop it. An owner remembers the
 * stop bytes of its lines by their URLs. When a line has failed, they are due: whenever the line is
 * opened they are written, whatever the owner would refuse otherwise, until the owner says that the
 * hardware works again.
 */
#include <stdlib.h>
#include <string.h>

#include "port/port_inside.h"

struct tpi_line_stop {
    struct tpi_line_stop *next;
    size_t length;
    char bytes[TPI_GUARD_MOST];
    char url[]; /* the line's */
};

static struct tpi_line_stop *stop_of(const tpi_port_owner *owner, const char *url)
{
    struct tpi_line_stop *stop = owner->stops;

    while (stop != NULL && strcmp(stop->url, url) != 0) {
        stop = stop->next;
    }
    return stop;
}

tp_status tpi_port_remember(tpi_port_owner *owner, const char *url, const void *bytes,
                            size_t length, tp_error *err)
{
    struct tpi_line_stop *stop = stop_of(owner, url);

    if (length > sizeof stop->bytes) {
        return tp_fail(err, TP_E_LIMIT, "a guard has at most %zu bytes", sizeof stop->bytes);
    }
    if (stop == NULL && length > 0) {
        const size_t size = strlen(url) + 1;
        stop = calloc(1, sizeof *stop + size);
        if (stop == NULL) {
            return tp_fail(err, TP_E_NOMEM, "out of memory");
        }
        memcpy(stop->url, url, size);
        stop->next = owner->stops;
        owner->stops = stop;
    }
    if (stop != NULL) {
        memcpy(stop->bytes, bytes, length);
        stop->length = length;
    }
    return TP_OK;
}

void tpi_ports_forget(tpi_port_owner *owner)
{
    while (owner->stops != NULL) {
        struct tpi_line_stop *stop = owner->stops;
        owner->stops = stop->next;
        free(stop);
    }
}

void tpi_ports_lost(tpi_port_owner *owner)
{
    owner->stop_is_due = owner->had_ports;
}

void tpi_ports_work(tpi_port_owner *owner)
{
    owner->stop_is_due = false;
    owner->write_failed = false;
}

const char *tpi_port_due_stop(const tp_port *port, size_t *length)
{
    const struct tpi_line_stop *stop =
        port->owner->stop_is_due ? stop_of(port->owner, port->url) : NULL;

    *length = stop == NULL ? 0 : stop->length;
    return stop == NULL ? "" : stop->bytes;
}
