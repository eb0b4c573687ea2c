/*
 * port.c - lines to hardware, as drivers see them; see troupe/port.h.
 *
 * A port belongs to its owner's thread. Reading is in port_read.c. The owner fetches for watched
 * ports before it calls `input`; what is fetched in between, by a command that waits for
 * its answer, is remembered as fresh, so that `input` hears of what that command left behind.
 */
#include "troupe/port.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "platform/serial.h"
#include "port/port_inside.h"
#include "port/script.h"

enum {
    ROOM = 4096,         /* for bytes that were not read, at first */
    LONGEST_TEXT = 1024, /* of tp_port_printf() */
};

/* ---- Opening and closing --------------------------------------------------------------------- */

static const tp_scheme *scheme_named(const tp_scheme *const *schemes, const char *name,
                                     size_t length)
{
    for (; schemes != NULL && *schemes != NULL; schemes++) {
        if (strlen((*schemes)->name) == length && memcmp((*schemes)->name, name, length) == 0) {
            return *schemes;
        }
    }
    return NULL;
}

static void name_schemes(tpi_buf *out, const tp_scheme *const *schemes)
{
    for (; schemes != NULL && *schemes != NULL; schemes++) {
        tpi_buf_printf(out, ", %s:", (*schemes)->name);
    }
}

static tp_status unknown_scheme(const tpi_port_setup *setup, tp_error *err)
{
    tpi_buf names = {0};

    name_schemes(&names, setup->schemes);
    tp_fail(err, TP_E_UNKNOWN, "a line here is a path, serial:, script:%s", tpi_buf_text(&names));
    tpi_buf_fini(&names);
    return TP_E_UNKNOWN;
}

/* Every line can be a serial or a script; what else there is, the program says. */
tp_status tpi_port_scheme(const tpi_port_setup *setup, const char *url, const tp_scheme **scheme,
                          const char **rest, tp_error *err)
{
    static const tp_scheme *const own[] = {&tpi_scheme_serial, &tpi_scheme_script, NULL};
    const size_t length = strcspn(url, ":");

    if (url[0] == '/') {
        *scheme = &tpi_scheme_serial;
        *rest = url;
        return TP_OK;
    }
    *scheme = url[length] == ':' ? scheme_named(own, url, length) : NULL;
    if (*scheme == NULL && url[length] == ':') {
        *scheme = scheme_named(setup->schemes, url, length);
    }
    *rest = *scheme == NULL ? url : url + length + 1;
    return *scheme == NULL ? unknown_scheme(setup, err) : TP_OK;
}

static tp_status check_count(const tpi_port_owner *owner, tp_error *err)
{
    unsigned count = 0;

    for (const tp_port *port = owner->ports; port != NULL; port = port->next) {
        count++;
    }
    return count < TPI_MOST_PORTS
               ? TP_OK
               : tp_fail(err, TP_E_LIMIT, "an instance has at most %d ports", TPI_MOST_PORTS);
}

static tp_status open_line(tp_port *port, const tp_port_settings *s, int64_t deadline_ns,
                           tp_error *err)
{
    const tpi_port_setup *setup = port->owner->setup;
    const tp_scheme *scheme = NULL;
    tpi_line_options plan = {.url = port->url,
                             .folder = setup->folder == NULL ? "" : setup->folder,
                             .clock = port_clock(port),
                             .deadline_ns = deadline_ns};

    if (s != NULL) {
        plan.settings = (tpi_line_settings){s->baud, s->bits, s->stop_bits, s->parity, s->flow};
    }
    tp_status status = check_count(port->owner, err);
    status = status == TP_OK ? tpi_port_scheme(setup, port->url, &scheme, &plan.rest, err) : status;
    return status == TP_OK ? scheme->open(&port->line, &plan, err) : status;
}

/* A script dies with the server and has no guard. */
static tp_status guard_line(tp_port *port, const void *bytes, size_t length, tp_error *err)
{
    const tpi_line *line = port->line;
    char wrapped[TPI_GUARD_MOST];
    const tp_status status = tpi_port_remember(port->owner, port->url, bytes, length, err);

    if (line->fd < 0 || status != TP_OK) {
        return status;
    }
    if (line->ops->wrap != NULL && length > 0) {
        length = line->ops->wrap(line, bytes, length, wrapped, sizeof wrapped);
        bytes = wrapped;
        if (length == 0) {
            return tp_fail(err, TP_E_SPACE, "at most %d stop bytes", TPI_GUARD_MOST - 1);
        }
    }
    return tpi_guarded_set(&port->guarded, port->owner, line->fd, port->url, bytes, length, err);
}

/* Its line is open or not. */
static void free_port(tp_port *port)
{
    if (port->line != NULL) {
        tpi_guarded_end(&port->guarded, port->owner);
        port->line->ops->close(port->line);
    }
    free(port->url);
    free(port->bytes);
    free(port);
}

/* Write all bytes, whatever the owner refuses. */
static tp_status put(tp_port *port, const void *bytes, size_t length, tp_error *err)
{
    tpi_line *line = port->line;
    const char *at = bytes;
    const char *const end = at + length;

    while (at < end) {
        size_t taken = 0;
        tp_status status = line->ops->write(line, at, (size_t)(end - at), &taken, err);
        if (status != TP_OK) {
            return status;
        }
        at += taken;
        if (taken == 0 &&
            !tpi_line_wait_writable(line->fd, tp_clock_now_ns(tp_clock_real()) + TP_NS_PER_S)) {
            return tp_fail(err, TP_E_TIMEOUT, "%s: the line takes nothing", port->url);
        }
    }
    return TP_OK;
}

/* The stop of a line that was lost comes before anything else. */
static tp_status begin_line(tp_port *port, tp_error *err)
{
    tpi_port_owner *owner = port->owner;
    size_t length = 0;
    const char *stop = tpi_port_due_stop(port, &length);
    tp_status status = put(port, stop, length, err);

    owner->had_ports = true;
    if (status == TP_OK && length > 0 && owner->ops->stopped != NULL) {
        owner->ops->stopped(owner);
    }
    if (status == TP_OK && owner->guard_length > 0) {
        status = guard_line(port, owner->guard, owner->guard_length, err);
    }
    return status;
}

tp_status tpi_port_open(tp_port **out, tpi_port_owner *owner, const char *url,
                        const tp_port_settings *settings, int64_t deadline_ns, tp_error *err)
{
    char who[160];
    tp_port *port = calloc(1, sizeof *port);

    if (port == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    port->owner = owner;
    port->url = malloc(strlen(url) + 1);
    port->bytes = malloc(ROOM);
    port->capacity = ROOM;
    if (port->url == NULL || port->bytes == NULL) {
        free_port(port);
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    memcpy(port->url, url, strlen(url) + 1);
    tp_status status = open_line(port, settings, deadline_ns, err);
    status = status == TP_OK ? begin_line(port, err) : status;
    if (status != TP_OK) {
        (void)snprintf(who, sizeof who, "open %s", url);
        free_port(port);
        return tp_wrap(err, status, who);
    }
    port->next = owner->ports;
    owner->ports = port;
    *out = port;
    return TP_OK;
}

void tp_port_close(tp_port *port)
{
    if (port == NULL) {
        return;
    }
    tp_port **at = &port->owner->ports;
    while (*at != port) {
        at = &(*at)->next;
    }
    *at = port->next;
    free_port(port);
}

void tpi_ports_close(tpi_port_owner *owner)
{
    while (owner->ports != NULL) {
        tp_port *port = owner->ports;
        owner->ports = port->next;
        free_port(port);
    }
    tpi_ports_forget(owner);
}

const char *tp_port_url(const tp_port *port)
{
    return port->url;
}

tp_status tp_port_guard(tp_port *port, const void *bytes, size_t length, tp_error *err)
{
    tp_status status = port->owner->guard_length > 0 ? TP_OK : guard_line(port, bytes, length, err);

    return status == TP_OK ? TP_OK : tp_wrap(err, status, port->url);
}

tp_status tp_port_set_baud(tp_port *port, unsigned baud, tp_error *err)
{
    return port->line->ops->set_baud == NULL ? TP_OK
                                             : port->line->ops->set_baud(port->line, baud, err);
}

/* ---- Writing --------------------------------------------------------------------------------- */

tp_status tp_port_write(tp_port *port, const void *bytes, size_t length, tp_error *err)
{
    const char *refusal = port->owner->ops->refuses(port->owner);

    if (refusal != NULL) {
        return tp_fail(err, TP_E_DENIED, "%s: %s", port->url, refusal);
    }
    const tp_status status = put(port, bytes, length, err);
    port->owner->write_failed = port->owner->write_failed || status != TP_OK;
    return status;
}

tp_status tp_port_printf(tp_port *port, tp_error *err, const char *format, ...)
{
    char text[LONGEST_TEXT];
    va_list args;

    va_start(args, format);
    const int length = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (length < 0 || (size_t)length >= sizeof text) {
        return tp_fail(err, TP_E_SPACE, "%s: a text is longer than %d bytes", port->url,
                       LONGEST_TEXT - 1);
    }
    return tp_port_write(port, text, (size_t)length, err);
}

/* ---- Watching, for the owner ----------------------------------------------------------------- */

void tp_port_watch(tp_port *port, bool on)
{
    port->watched = on;
    port->readable = false;
    port->fresh = port_unread(port) > 0;
}

/* Whether the line itself may be asked. */
static bool listens(const tp_port *port)
{
    return port->watched && port->over.code == TP_OK && port_unread(port) < port->capacity;
}

unsigned tpi_ports_collect(const tpi_port_owner *owner, int *fds)
{
    unsigned count = 0;

    for (const tp_port *port = owner->ports; port != NULL; port = port->next) {
        fds[count++] = listens(port) ? port->line->fd : -1;
        fds[count++] = tpi_guarded_fd(&port->guarded);
    }
    return count;
}

void tpi_ports_mark(tpi_port_owner *owner, unsigned bits)
{
    for (tp_port *port = owner->ports; port != NULL; port = port->next) {
        port->readable = (bits & 1) != 0;
        port->unguarded = (bits & 2) != 0;
        bits >>= 2;
    }
}

tp_status tpi_ports_keep_guarded(tpi_port_owner *owner, tp_error *err)
{
    tp_status status = TP_OK;

    for (tp_port *port = owner->ports; port != NULL && status == TP_OK; port = port->next) {
        const bool ended = port->unguarded;
        port->unguarded = false;
        if (ended) {
            status = tpi_guarded_restart(&port->guarded, owner, port->line->fd, port->url, err);
        }
    }
    return status;
}

/* Whether there is something that `input` has not heard of. */
static bool has_news(const tp_port *port)
{
    return (port->fresh && port_unread(port) > 0) || (port->over.code != TP_OK && !port->told);
}

int64_t tpi_ports_due_ns(const tpi_port_owner *owner)
{
    int64_t due_ns = TP_NEVER;

    for (const tp_port *port = owner->ports; port != NULL; port = port->next) {
        if (port->watched && has_news(port)) {
            return INT64_MIN;
        }
        if (listens(port) && port->line->fd < 0 && port->line->ops->due_ns(port->line) < due_ns) {
            due_ns = port->line->ops->due_ns(port->line);
        }
    }
    return due_ns;
}

/* Fetch, and tell whether `input` is to be called. */
static bool has_input(tp_port *port)
{
    size_t got = 0;

    /* A packet waits until the one before it was read, so that they are not one. */
    const bool is_next = !port->line->is_packets || port_unread(port) == 0;
    if (is_next && listens(port) && (port->readable || port->line->fd < 0)) {
        (void)tpi_port_fetch(port, &got, NULL);
    }
    const bool news = port->watched && has_news(port);
    port->told = port->told || (news && port->over.code != TP_OK);
    port->readable = false;
    return news;
}

static bool is_port(const tpi_port_owner *owner, const tp_port *wanted)
{
    const tp_port *port = owner->ports;

    while (port != NULL && port != wanted) {
        port = port->next;
    }
    return port != NULL;
}

void tpi_ports_serve(tpi_port_owner *owner, bool (*serve)(void *context, tp_port *port),
                     void *context)
{
    tp_port *ports[TPI_MOST_PORTS];
    unsigned count = 0;
    bool goes_on = true;

    for (tp_port *port = owner->ports; port != NULL; port = port->next) {
        ports[count++] = port;
    }
    for (unsigned i = 0; i < count && goes_on; i++) { /* one may close another */
        if (is_port(owner, ports[i]) && has_input(ports[i])) {
            ports[i]->serving = true;
            goes_on = serve(context, ports[i]);
            if (is_port(owner, ports[i])) {
                ports[i]->serving = false;
                ports[i]->fresh = false; /* what `input` left is for its next call */
            }
        }
    }
}
