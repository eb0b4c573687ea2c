/*
 * stop_report.c - the readers of a device receive the reason when it stops.
 *
 * The instance's thread knows which mover the stop is about. The loop knows the label of that mover
 * and the time of its last message. So a report goes to the loop, which writes the sentence. A
 * report that comes when another mover moves the device already is dropped: the device does not
 * stand, and the new mover would take it for its own stop.
 */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "bus/pool.h"
#include "device/inside.h"

struct report {
    tpi_task task;     /* to the loop; comes first, so that one can be had from the other */
    tp_device *device; /* borrowed: the report counts as an errand of its instance */
    tpi_mover mover;   /* its label is not valid */
    tpi_leaving why;
};

/* ---- The sentence ---------------------------------------------------------------------------- */

/* "its client 127.0.0.1:57952", "the driver vfh0" (such a label says what it is). */
static void print_mover(const char *label, char *out, size_t size)
{
    static const char driver[] = "the driver ";

    if (label == NULL) {
        (void)snprintf(out, size, "its mover");
    } else {
        const bool is_driver = strncmp(label, driver, sizeof driver - 1) == 0;
        (void)snprintf(out, size, "%s%s", is_driver ? "" : "its client ", label);
    }
}

static void print_silence(const tpi_claim_past *past, const char *mover, char *out, size_t size)
{
    if (past->ran_out) {
        (void)snprintf(out, size, "the last command of %s has run out", mover);
    } else if (past->label == NULL) {
        (void)snprintf(out, size, "%s has been silent for longer than its lease", mover);
    } else {
        (void)snprintf(out, size, "%s has been silent for %.1f s", mover,
                       (double)past->silent_ns / (double)TP_NS_PER_S);
    }
}

static void print_reason(const struct report *report, const tpi_claim_past *past, char *out,
                         size_t size)
{
    char mover[TPI_MOVER_LABEL + 16];

    print_mover(past->label, mover, sizeof mover);
    switch (report->why) {
    case TPI_LEAVING_SILENT:
        print_silence(past, mover, out, size);
        break;
    case TPI_LEAVING_DISCONNECTED:
        (void)snprintf(out, size, "the connection of %s was closed", mover);
        break;
    case TPI_LEAVING_CLOSED:
        (void)snprintf(out, size, "%s has closed it", mover);
        break;
    case TPI_LEAVING_FORBIDDEN:
        (void)snprintf(out, size, "%s has lost the right to move it", mover);
        break;
    }
}

/* ---- The way to the readers ------------------------------------------------------------------ */

static void deliver(const struct report *report)
{
    static const tp_status codes[] = {[TPI_LEAVING_SILENT] = TP_E_TIMEOUT,
                                      [TPI_LEAVING_DISCONNECTED] = TP_E_CLOSED,
                                      [TPI_LEAVING_CLOSED] = TP_E_CLOSED,
                                      [TPI_LEAVING_FORBIDDEN] = TP_E_DENIED};
    tp_device *device = report->device;
    char reason[TPI_MOVER_LABEL + 80];
    char text[sizeof device->name + sizeof reason + 16];
    tpi_claim_past past;

    tpi_claim_look_back(&device->safety, &report->mover, &past);
    if (past.label == NULL && tpi_claim_is_moved(&device->safety)) {
        return;
    }
    print_reason(report, &past, reason, sizeof reason);
    (void)snprintf(text, sizeof text, "%s stopped: %s", device->name, reason);
    tpi_device_deliver_failure(device, codes[report->why], text);
}

static void arrive(tpi_task *task)
{
    struct report *report = (struct report *)task;
    tp_instance *self = report->device->instance;

    deliver(report);
    tpi_pool_give(report);
    tpi_errands_count(self, -1);
    tpi_jobs_check(self);
}

void tpi_stop_report_send(tp_device *device, const tpi_mover *mover, tpi_leaving why)
{
    tp_instance *self = device->instance;
    const struct report report = {
        .task.run = arrive, .device = device, .mover = *mover, .why = why};

    assert(device_is_current(device));
    if (self->on_loop) {
        deliver(&report);
        return;
    }
    struct report *copy = tp_device_readers(device) > 0 ? tpi_pool_take(sizeof *copy) : NULL;
    if (copy != NULL) {
        *copy = report;
        tpi_errands_count(self, 1);
        tpi_loop_post(self->hub->loop, &copy->task);
    }
}
