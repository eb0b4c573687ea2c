/*
 * geometry_told.c - Player's own data about geometry (GEOM of position2d, ranger, sonar and
 * others).
 *
 * When a driver changes the geometry of a device, readers receive the common data GEOMETRY, which
 * plain Player clients do not know. They receive GEOM instead, if the interface has it. It has the
 * same type as the answer to the interface's question, so the loop asks the driver, and sends the
 * answer on.
 */
#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "device/answers.h"
#include "device/inside.h"

static bool is_about_geometry(const tp_message *what)
{
    return strcmp(what->name, "GEOM") == 0 || strcmp(what->name, "GET_GEOM") == 0 ||
           strcmp(what->name, "GEOMETRY") == 0;
}

/* The first message of a kind that is about geometry; NULL for none. */
static const tp_message *find(const tp_interface *interface, tp_kind kind)
{
    for (uint32_t i = 0; i < interface->message_count; i++) {
        if (interface->messages[i].kind == kind && is_about_geometry(&interface->messages[i])) {
            return &interface->messages[i];
        }
    }
    return NULL;
}

/* ---- On the loop ----------------------------------------------------------------------------- */

static void send(tp_device *device, const tp_msg *answer)
{
    const tp_message *data = device->told.data;
    const tp_msghdr header = {.addr = device->addr,
                              .type = TP_MSGTYPE_DATA,
                              .subtype = data->code,
                              .timestamp = tp_msg_header(answer)->timestamp};
    tp_msg *msg = NULL;

    if (tp_msg_payload(answer) != NULL &&
        tp_msg_create(&msg, &header, data->ask, tp_msg_payload(answer)) == TP_OK) {
        tpi_device_deliver(device, msg);
        tp_msg_unref(msg);
    }
}

static void answered(void *context, tp_status status, tp_msg *answer, const tp_error *err)
{
    tp_device *device = context;

    (void)err; /* a driver that does not know it has nothing to send */
    atomic_store(&device->told.asked, false);
    if (status == TP_OK && answer != NULL) {
        send(device, answer);
    }
}

static void ask(tp_device *device)
{
    const tp_message *question = device->told.question;
    const tp_msghdr header = {
        .addr = device->addr, .type = TP_MSGTYPE_REQ, .subtype = question->code};
    tp_msg *msg = NULL;

    if (device->instance->hub->closing || tp_msg_create(&msg, &header, NULL, NULL) != TP_OK ||
        tpi_call_quietly(device, question, msg, answered, device) != TP_OK) {
        atomic_store(&device->told.asked, false);
    }
    tp_msg_unref(msg);
}

static void run(tpi_task *task)
{
    tp_device *device = (tp_device *)((char *)task - offsetof(tp_device, told.task));
    tp_instance *self = device->instance;

    ask(device);
    tpi_jobs_release(self);
    if (!self->hub->closing) {
        tpi_jobs_check(self);
    }
}

/* ---- Where the instance runs ----------------------------------------------------------------- */

void tpi_geometry_told_prepare(tp_device *device)
{
    const tp_message *question = find(device->interface, TP_KIND_REQUEST);
    const tp_message *data = find(device->interface, TP_KIND_DATA);

    device->told.task.run = run;
    if (question != NULL && data != NULL && question->ask == NULL &&
        question->answer == data->ask) {
        device->told.question = question;
        device->told.data = data;
    }
}

/* A driver with a handler passes on what another device sends, with its GEOM. A change while the
 * driver is asked is part of its answer. */
void tpi_geometry_tell(tp_device *device)
{
    assert(device_is_current(device));
    if (device->told.data != NULL && device->handler == NULL &&
        atomic_load(&device->has_readers) > 0 && !atomic_exchange(&device->told.asked, true)) {
        tpi_jobs_add(device->instance);
        tpi_loop_post(device->instance->hub->loop, &device->told.task);
    }
}
