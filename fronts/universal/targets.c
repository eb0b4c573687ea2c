/* targets.c - the robots of the server; matching the devices of the program with one. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inside.h"

/* ---- Robots ---------------------------------------------------------------------------------- */

static bool is_robot(const tp_device *device)
{
    return tp_session_address(device)->interf == TP_UNIVERSAL_CODE;
}

/* "6665:universal:0" */
static void print_address(const tp_device *device, char *out, size_t size)
{
    const tp_devaddr *addr = tp_session_address(device);

    snprintf(out, size, "%u:universal:%u", (unsigned)addr->robot, (unsigned)addr->index);
}

static bool is_word(const char *word, const char *text, size_t length)
{
    return strlen(word) == length && memcmp(word, text, length) == 0;
}

static bool is_named(const tp_device *device, const char *name, size_t length)
{
    char address[48];

    print_address(device, address, sizeof address);
    return is_word(tp_session_label(device), name, length) || is_word(address, name, length) ||
           is_word(strchr(address, ':') + 1, name, length) ||
           is_word(tp_session_driver_name(device), name, length);
}

tp_device *tpi_universalf_find(const struct connection *c, const char *name, size_t length)
{
    size_t place = 0;
    tp_device *device;

    while ((device = tp_session_next_device(c->session, &place)) != NULL) {
        if (is_robot(device) && (name == NULL || (length > 0 && is_named(device, name, length)))) {
            return device;
        }
    }
    return NULL;
}

void tpi_universalf_list(const struct connection *c, tpi_buf *out)
{
    size_t place = 0;
    const tp_device *device;

    while ((device = tp_session_next_device(c->session, &place)) != NULL) {
        char address[48];

        if (is_robot(device)) {
            print_address(device, address, sizeof address);
            tpi_buf_printf(out, "%s\t%s\t%s%s\n", tp_session_label(device), address,
                           tp_session_driver_name(device), device == c->device ? "\t*" : "");
        }
    }
}

bool tpi_universalf_select(struct connection *c, tp_device *device)
{
    tp_device *wanted = device != NULL ? device : tpi_universalf_find(c, NULL, 0);

    if (wanted == c->device) {
        return wanted != NULL;
    }
    if (c->is_open) {
        (void)tp_session_close(c->session, c->device);
    }
    c->device = wanted;
    c->is_open = false;
    c->is_stale = c->port_count > 0;
    return wanted != NULL;
}

static void on_opened(void *context, const tp_msghdr *request, tp_device *device, tp_status status,
                      const tp_error *err)
{
    struct connection *c = tp_connection_state(context);

    assert(front_is_current(c->front));
    (void)request;
    if (tp_connection_is_ending(c->base) || device != c->device) {
        return;
    }
    c->is_open = status == TP_OK;
    if (!c->task.on) {
        return;
    }
    if (status != TP_OK) {
        c->device = NULL;
        tpi_universalf_failed(c, tpi_universalf_fault(status), "%s", err->text);
        return;
    }
    c->task.goes_on = true;
    tp_connection_soon(c->base);
}

/* ---- Devices of the program ------------------------------------------------------------------ */

static void match(struct connection *c)
{
    tp_universal_device devices[TP_UNIVERSAL_MOST_DEVICES];
    const tp_universal_program program = {.devices_count = c->port_count, .devices = devices};

    for (unsigned i = 0; i < c->port_count; i++) {
        devices[i] =
            (tp_universal_device){.classes = c->ports[i].classes,
                                  .classes_count = (uint32_t)strlen(c->ports[i].classes) + 1,
                                  .id = c->ports[i].id,
                                  .command = TP_UNIVERSAL_NO_COMMAND};
    }
    tpi_universalf_ask(c, TP_UNIVERSAL_REQ_MATCH, &program);
}

/* Keep what a device is; false without memory. */
static bool keep(struct port *port, const tp_universal_match *match)
{
    char *text = malloc((size_t)match->explanation_count + 1);

    if (text == NULL) {
        return false;
    }
    if (match->explanation_count > 0) {
        memcpy(text, match->explanation, match->explanation_count);
    }
    text[match->explanation_count] = '\0';
    free(port->explanation);
    port->explanation = text;
    port->part = match->part;
    port->is_inverted = match->is_inverted != 0;
    port->moves = match->moves != 0;
    return true;
}

void tpi_universalf_matched(struct connection *c, const tp_universal_matches *matches)
{
    if (matches == NULL || matches->matches_count != c->port_count) {
        tpi_universalf_failed(c, TPI_FAULT_REFUSED, "the robot has answered for other devices");
        return;
    }
    for (unsigned i = 0; i < c->port_count; i++) {
        if (!keep(&c->ports[i], &matches->matches[i])) {
            tp_connection_give_up(c->base);
            return;
        }
    }
    c->revision = matches->revision;
    c->is_stale = false;
    c->task.goes_on = true;
}

bool tpi_universalf_prepare(struct connection *c)
{
    static const tp_msghdr request = {.type = TP_MSGTYPE_REQ};

    if (c->task.function == TPI_PACKET_TARGETS) {
        return true;
    }
    if (c->device == NULL && !tpi_universalf_select(c, NULL)) {
        tpi_universalf_failed(c, TPI_FAULT_NO_MATCH,
                              "no match: the server has no device of the interface universal");
        return false;
    }
    if (!c->is_open) {
        if (tp_session_open(c->session, c->device, TP_OPEN_MODE, &request, on_opened) != TP_OK) {
            c->device = NULL;
            tpi_universalf_failed(c, TPI_FAULT_REFUSED, "the robot cannot be opened");
        }
        return false;
    }
    if (c->is_stale && c->port_count > 0) {
        match(c);
        return false;
    }
    return true;
}
