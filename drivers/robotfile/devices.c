/* devices.c - orders to devices of the server, and their answers; see devices.h. */
#include "devices.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "robotfile.h"
#include "troupe/interfaces/actarray.h"
#include "troupe/interfaces/aio.h"
#include "troupe/interfaces/audio.h"
#include "troupe/interfaces/blinkenlight.h"
#include "troupe/interfaces/blobfinder.h"
#include "troupe/interfaces/bumper.h"
#include "troupe/interfaces/dio.h"
#include "troupe/interfaces/gripper.h"
#include "troupe/interfaces/laser.h"
#include "troupe/interfaces/power.h"
#include "troupe/interfaces/ranger.h"
#include "troupe/interfaces/sonar.h"
#include "troupe/interfaces/speech.h"

/* What `requires` can list, and the name that types of robot files begin with. */
static const struct {
    const tp_interface *interface;
    const char *name;
} usable[] = {
    {&tp_interface_position2d, "position2d"},
    {&tp_interface_aio, "aio"},
    {&tp_interface_dio, "dio"},
    {&tp_interface_ranger, "ranger"},
    {&tp_interface_sonar, "ranger"},
    {&tp_interface_laser, "ranger"},
    {&tp_interface_bumper, "bumper"},
    {&tp_interface_power, "power"},
    {&tp_interface_blinkenlight, "blinkenlight"},
    {&tp_interface_speech, "speech"},
    {&tp_interface_audio, "audio"},
    {&tp_interface_actarray, "actarray"},
    {&tp_interface_gripper, "gripper"},
    {&tp_interface_blobfinder, "blobfinder"},
};

enum { USABLE = sizeof usable / sizeof usable[0] };

bool tpi_robotfile_has_devices(const struct robotfile *r)
{
    return r->devices != NULL;
}

static const char *name_of(const tp_interface *interface)
{
    for (size_t i = 0; i < USABLE; i++) {
        if (usable[i].interface == interface) {
            return usable[i].name;
        }
    }
    return NULL;
}

struct devices_item *tpi_robotfile_devices_find(const struct robotfile *r, const char *name,
                                                unsigned number)
{
    struct robotfile_devices *d = r->devices;

    for (unsigned i = 0; i < d->count; i++) {
        if (strcmp(name_of(d->items[i].interface), name) == 0 && number-- == 0) {
            return &d->items[i];
        }
    }
    return NULL;
}

/* ---- Answers --------------------------------------------------------------------------------- */

static void answer(struct robotfile *r, const char *format, ...) TP_PRINTF(2, 3);
static void answer(struct robotfile *r, const char *format, ...)
{
    va_list args;

    tpi_buf_clear(&r->devices->answer);
    va_start(args, format);
    tpi_buf_vprintf(&r->devices->answer, format, args);
    va_end(args);
    r->devices->has_answer = true;
}

bool tpi_robotfile_devices_deliver(struct robotfile *r)
{
    char text[256];

    if (r->devices == NULL || !r->devices->has_answer) {
        return false;
    }
    /* A copy: the dialog can write the next order at once. */
    const size_t length =
        r->devices->answer.length < sizeof text ? r->devices->answer.length : sizeof text;
    memcpy(text, tpi_buf_text(&r->devices->answer), length);
    r->devices->has_answer = false;
    tpi_robotfile_universal_trace(r, '<', (const uint8_t *)text, length);
    tpi_dialog_receive(r->dialog, (uint8_t *)text, length, tpi_robotfile_now_ns(r));
    return true;
}

/* ---- Orders ---------------------------------------------------------------------------------- */

/* The device that an order means: some name it by its number. */
static struct devices_item *meant(struct robotfile *r, const struct order *order)
{
    const bool is_numbered = order->verb == ORDER_VOLTAGE || order->verb == ORDER_SWITCH ||
                             order->verb == ORDER_ANALOG_OF || order->verb == ORDER_DIGITAL_OF ||
                             order->verb == ORDER_LIGHT || order->verb == ORDER_TURN ||
                             order->verb == ORDER_MOVE || order->verb == ORDER_ANGLE;
    const double number = is_numbered ? order->numbers[0] : 0;

    return number >= 0 && number < MOST_DEVICES
               ? tpi_robotfile_devices_find(r, tpi_robotfile_order_interface(order->verb),
                                            (unsigned)number)
               : NULL;
}

static void act(struct robotfile *r, struct devices_item *item, const struct order *order)
{
    const char *name = tpi_robotfile_order_interface(order->verb);
    const char *why = NULL;

    if (item->is_lost) { /* what is sent now could move it when it is back */
        answer(r, "error %s is lost", name);
        return;
    }
    const tp_status status = tpi_robotfile_devices_act(r, item, order, &why);
    if (status == TP_OK) {
        answer(r, "ok");
    } else {
        answer(r, "error %s: %s", name, why != NULL ? why : tp_status_text(status));
    }
}

static void measure(struct robotfile *r, const struct devices_item *item, const struct order *order)
{
    const char *name = tpi_robotfile_order_interface(order->verb);
    double values[3];
    const unsigned count = tpi_robotfile_devices_measure(r, order, values);

    if (count == 3) {
        answer(r, "%s %.4f %.4f %.4f", name, values[0], values[1], values[2]);
    } else if (count == 1) {
        answer(r, "%s %.4f", name, values[0]);
    } else {
        answer(r, "error %s reports %s", name,
               tpi_robotfile_devices_is_fresh(r, item) ? "no such value" : "nothing");
    }
}

void tpi_robotfile_devices_write(struct robotfile *r, const uint8_t *bytes, size_t length)
{
    struct order order;

    if (!tpi_robotfile_order_read(&order, (const char *)bytes, length)) {
        answer(r, "error no such order");
        return;
    }
    if (order.verb == ORDER_STOP) {
        r->devices->has_answer = false; /* of what was asked before */
        tpi_robotfile_devices_stop(r);
        return;
    }
    struct devices_item *item = meant(r, &order);
    if (item == NULL) {
        answer(r, "error there is no such %s in requires",
               tpi_robotfile_order_interface(order.verb));
    } else if (tpi_robotfile_order_acts(order.verb)) {
        act(r, item, &order);
    } else {
        measure(r, item, &order);
    }
}

/* ---- Life ------------------------------------------------------------------------------------ */

bool tpi_robotfile_devices_take(struct robotfile *r, tp_link *from, const tp_msg *msg)
{
    struct robotfile_devices *d = r->devices;
    bool all = true;

    for (unsigned i = 0; i < d->count; i++) {
        struct devices_item *item = &d->items[i];

        if (item->link == from && !tpi_robotfile_sensors_take(r, item, msg)) {
            tpi_robotfile_devices_keep(item, msg, tpi_robotfile_now_ns(r));
        }
        all = all && (item->is_heard || item->interface == &tp_interface_position2d ||
                      !tpi_robotfile_devices_reports(item));
    }
    return all;
}

void tpi_robotfile_devices_start(struct robotfile *r)
{
    struct robotfile_devices *d = r->devices;

    d->has_answer = false;
    d->asking = 0;
    for (unsigned i = 0; i < d->count; i++) {
        d->items[i].is_heard = d->items[i].is_lost = false;
        d->items[i].beams = (struct devices_beams){.is_known = false};
        memset(d->items[i].joints, 0, sizeof d->items[i].joints);
        d->items[i].count = 0;
        d->items[i].outputs = 0;
        tpi_robotfile_devices_ask(&d->items[i]);
        tpi_robotfile_sensors_ask(r, &d->items[i]);
    }
}

static tp_status require(struct robotfile *r, size_t i, tp_error *err)
{
    const tp_interface *interface = tp_requires_interface(r->self, i);
    struct devices_item *item = &r->devices->items[r->devices->count];

    if (name_of(interface) == NULL) {
        char names[160] = "";
        for (size_t k = 0; k < USABLE; k++) {
            strncat(names,
                    k == 0           ? ""
                    : k + 1 < USABLE ? ", "
                                     : " or ",
                    sizeof names - strlen(names) - 1);
            strncat(names, usable[k].interface->name, sizeof names - strlen(names) - 1);
        }
        return tp_fail(err, TP_E_UNSUPPORTED, "requires %s: expected %s", interface->name, names);
    }
    if (interface == &tp_interface_position2d &&
        tpi_robotfile_devices_find(r, "position2d", 0) != NULL) {
        return tp_fail(err, TP_E_INVALID, "requires: one position2d is enough for a robot");
    }
    if (r->devices->count == MOST_DEVICES) {
        return tp_fail(err, TP_E_LIMIT, "requires: over %d devices", MOST_DEVICES);
    }
    item->interface = interface;
    const tp_status status = tp_require(r->self, interface, NULL, &item->link, err);
    r->devices->count += status == TP_OK;
    return status;
}

unsigned tpi_robotfile_devices_number(const struct robotfile *r, const tpi_part *part)
{
    const tpi_scope *scope = &r->loaded->robot->scope;

    for (unsigned i = 0; i < scope->number_count; i++) {
        if (strcmp(scope->numbers[i], "device") == 0) {
            return part->numbers[i] >= 0 ? (unsigned)fmin(part->numbers[i], MOST_DEVICES) : 0;
        }
    }
    return 0;
}

/* The type of a part begins with the interface that it needs: "position2d", "position2d_wheel". */
static bool is_there(void *context, const tpi_part *part)
{
    const struct robotfile *r = context;
    const char *type = part->device->type;

    for (size_t i = 0; i < USABLE; i++) {
        const size_t length = strlen(usable[i].name);
        if (strncmp(type, usable[i].name, length) == 0 &&
            (type[length] == '\0' || type[length] == '_')) {
            return tpi_robotfile_devices_find(r, usable[i].name,
                                              tpi_robotfile_devices_number(r, part)) != NULL;
        }
    }
    return false;
}

tp_status tpi_robotfile_devices_init(struct robotfile *r, tp_error *err)
{
    const bool by_port = strcmp(tp_param_string(r->self, "port"), "devices") == 0;
    const bool by_file = strcmp(r->loaded->robot->links[0].kind, "devices") == 0;
    const char *name = r->loaded->robot->identity.name;
    tp_status status = TP_OK;

    if (by_port != by_file) {
        tp_param_blame(r->self, "port");
        return by_file ? tp_fail(err, TP_E_INVALID,
                                 "the robot %s consists of devices: write port \"devices\"", name)
                       : tp_fail(err, TP_E_INVALID,
                                 "port \"devices\": the robot %s has a line; name it", name);
    }
    if (!by_file) {
        return TP_OK;
    }
    r->devices = calloc(1, sizeof *r->devices);
    if (r->devices == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    for (size_t i = 0; i < tp_requires_count(r->self) && status == TP_OK; i++) {
        status = require(r, i, err);
    }
    if (status == TP_OK && r->devices->count == 0) {
        status = tp_fail(err, TP_E_INVALID,
                         "the robot %s needs devices: write requires [ \"position2d:0\" ]", name);
    }
    if (status == TP_OK) {
        tpi_wired_leave_out(r->loaded->wired, is_there, r);
    }
    return status;
}

void tpi_robotfile_devices_fini(struct robotfile *r)
{
    if (r->devices != NULL) {
        tpi_buf_fini(&r->devices->answer);
        for (unsigned i = 0; i < r->devices->count; i++) {
            free(r->devices->items[i].told);
        }
        free(r->devices);
    }
}
