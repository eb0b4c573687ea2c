/*
 * line.c - the line of a fake robot: its commands, as texts.
 *
 * For trying out lines and guards without a robot. Commands that were obeyed are written as lines
 * "position2d:0 VEL {...}", and "position2d:0 HALT" whenever a device is stopped. Nothing is read.
 * A line that is gone is a failure of the instance, as of any driver. Texts are allocated: this is
 * no line for a thousand commands a second.
 */
#include <stdlib.h>

#include "fake.h"
#include "troupe/port.h"

#define PATIENCE_NS (5 * TP_NS_PER_S)

tp_status tpi_fake_line_open(fake *f, tp_error *err)
{
    const char *url = tp_param_string(f->instance, "port");
    const int64_t now_ns = tp_clock_now_ns(tp_instance_clock(f->instance));

    return url[0] == '\0'
               ? TP_OK
               : tp_port_open(&f->line, f->instance, url, NULL, now_ns + PATIENCE_NS, err);
}

void tpi_fake_line_close(fake *f)
{
    tp_port_close(f->line);
    f->line = NULL;
}

static tp_status say(const fake_device *d, const char *what, const char *value, tp_error *err)
{
    return tp_port_printf(d->owner->line, err, "%s:%u %s%s%s\n",
                          tp_device_interface(d->device)->name, tp_device_addr(d->device)->index,
                          what, value[0] == '\0' ? "" : " ", value);
}

tp_status tpi_fake_line_command(fake_device *d, const tp_message *what, const void *ask,
                                tp_error *err)
{
    char *text = NULL;
    tp_error why = {0};
    tp_status status = TP_OK;

    if (d->owner->line == NULL) {
        return TP_OK;
    }
    d->halted = false;
    if (what->ask != NULL) {
        status = tp_value_text(&text, what->ask, ask, TP_TEXT_JSON);
    }
    if (status == TP_OK) {
        status = say(d, what->name, text != NULL ? text : "", &why);
    }
    free(text);
    if (status != TP_OK && status != TP_E_DENIED) { /* that is a panic, or too late */
        tp_instance_fail(d->owner->instance, status,
                         why.text[0] != '\0' ? why.text : tp_status_text(status));
    }
    return status == TP_OK ? TP_OK : tp_fail(err, status, "%s was not written", what->name);
}

/* A line that is gone is found with the next command. */
void tpi_fake_line_halt(fake_device *d)
{
    if (d->owner->line != NULL && d->kind->halt != NULL) {
        (void)say(d, "HALT", "", NULL);
        d->halted = true;
    }
}
