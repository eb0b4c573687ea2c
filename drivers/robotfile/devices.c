/* devices.c - orders to devices of the server, and their answers; see devices.h. */
#include "devices.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "orders.h"
#include "robotfile.h"
#include "troupe/interfaces/aio.h"
#include "troupe/interfaces/bumper.h"
#include "troupe/interfaces/dio.h"
#include "troupe/interfaces/power.h"
#include "troupe/interfaces/ranger.h"

static const int64_t OLD_NS = 2 * TP_NS_PER_S; /* a reading that counts for nothing */
static const double DEG_TO_RAD = 0.017453292519943295;
static const double FARTHEST_MM = 1e6;

bool tpi_robotfile_has_devices(const struct robotfile *r)
{
    return r->devices != NULL;
}

static bool is_named(const tp_interface *interface, const char *name)
{
    return strcmp(interface->name, name) == 0;
}

/* The next device with an interface; NULL for none. */
static struct devices_item *find(const struct robotfile *r, const char *name,
                                 const struct devices_item *after)
{
    struct robotfile_devices *d = r->devices;

    for (unsigned i = after != NULL ? (unsigned)(after - d->items) + 1 : 0; i < d->count; i++) {
        if (is_named(d->items[i].interface, name)) {
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

/* ---- Moving ---------------------------------------------------------------------------------- */

static tp_status wheels(struct robotfile *r, struct devices_item *base, double left, double right)
{
    const double each = r->wheels.max_speed / 100;
    const tp_position2d_cmd_vel ask = {
        .vel = {.px = (left + right) / 2 * each, .pa = (right - left) * each / r->wheels.width},
        .state = 1};

    return tp_link_command(base->link, TP_POSITION2D_CMD_VEL, &ask);
}

static tp_status go_to(struct robotfile *r, struct devices_item *base, const double at[])
{
    const tp_position2d_cmd_pos ask = {
        .pos = {.px = at[0], .py = at[1], .pa = at[2] * DEG_TO_RAD},
        .vel = {.px = r->wheels.max_speed, .pa = 2 * r->wheels.max_speed / r->wheels.width},
        .state = 1};

    return tp_link_command(base->link, TP_POSITION2D_CMD_POS, &ask);
}

static void move(struct robotfile *r, struct devices_item *base, const struct order *order)
{
    if (base->is_lost) { /* what is sent now could move it when it is back */
        answer(r, "error position2d is lost");
        return;
    }
    const tp_status status = order->verb == ORDER_GO_TO
                                 ? go_to(r, base, order->numbers)
                                 : wheels(r, base, order->numbers[0], order->numbers[1]);

    if (status == TP_OK) {
        answer(r, "ok");
    } else {
        answer(r, "error position2d: %s", tp_status_text(status));
    }
}

static void stop(struct robotfile *r)
{
    struct devices_item *base = find(r, "position2d", NULL);

    r->devices->has_answer = false; /* of what was asked before */
    if (base != NULL) {
        (void)wheels(r, base, 0, 0); /* in a panic it stops by itself */
    }
}

void tpi_robotfile_devices_halt(struct robotfile *r)
{
    struct devices_item *base = r->devices != NULL ? find(r, "position2d", NULL) : NULL;

    if (base != NULL) {
        tp_link_halt(base->link);
    }
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* Whether it has reported what can be used. Lights and distances change all the time: old ones mean
 * that the device is stuck. Others can report changes only. */
static bool is_fresh(const struct robotfile *r, const struct devices_item *item)
{
    const bool grows_old =
        item->interface == &tp_interface_ranger || item->interface == &tp_interface_aio;

    return item->is_heard && (!grows_old || tpi_robotfile_now_ns(r) - item->heard_ns <= OLD_NS);
}

/* Inputs are counted through all devices with the interface. */
static double input(struct robotfile *r, const char *name, double number)
{
    double before = 0;

    for (struct devices_item *item = find(r, name, NULL); item != NULL;
         item = find(r, name, item)) {
        if (!is_fresh(r, item)) {
            break; /* which number its inputs have is not known */
        }
        if (number >= before && number < before + item->count) {
            return item->values[(unsigned)(number - before)];
        }
        before += item->count;
    }
    return (double)NAN;
}

static double nearest(struct robotfile *r, const double sector[])
{
    double found = (double)NAN;

    for (struct devices_item *item = find(r, "ranger", NULL); item != NULL;
         item = find(r, "ranger", item)) {
        if (is_fresh(r, item)) {
            found = fmin(found, tpi_robotfile_devices_nearest(item, sector[0], sector[1]));
        }
    }
    return fmin(found * 1000, isnan(found) ? found : FARTHEST_MM);
}

static double pressed(struct robotfile *r)
{
    double found = (double)NAN;

    for (struct devices_item *item = find(r, "bumper", NULL); item != NULL;
         item = find(r, "bumper", item)) {
        found = is_fresh(r, item) ? fmax(found, item->values[0]) : found;
    }
    return found;
}

static double measure(struct robotfile *r, const struct order *order)
{
    const struct devices_item *item = find(r, "power", NULL);

    switch (order->verb) {
    case ORDER_ANALOG:
    case ORDER_DIGITAL:
        return input(r, tpi_robotfile_order_interface(order->verb), order->numbers[0]);
    case ORDER_RANGE:
        return nearest(r, order->numbers);
    case ORDER_BUMPER:
        return pressed(r);
    case ORDER_PERCENT:
        return item != NULL && is_fresh(r, item) ? item->values[0] : (double)NAN;
    case ORDER_VOLTS:
        return item != NULL && is_fresh(r, item) ? item->values[1] * 1000 : (double)NAN;
    default:
        return (double)NAN;
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
        stop(r);
        return;
    }
    const char *name = tpi_robotfile_order_interface(order.verb);
    struct devices_item *item = find(r, name, NULL);
    if (item == NULL) {
        answer(r, "error there is no %s in requires", name);
    } else if (order.verb == ORDER_WHEELS || order.verb == ORDER_GO_TO) {
        move(r, item, &order);
    } else {
        const double value = measure(r, &order);
        if (isfinite(value)) {
            answer(r, "%s %.4f", name, value);
        } else {
            answer(r, "error %s reports %s", name, is_fresh(r, item) ? "no such value" : "nothing");
        }
    }
}

/* ---- Life ------------------------------------------------------------------------------------ */

bool tpi_robotfile_devices_take(struct robotfile *r, tp_link *from, const tp_msg *msg)
{
    struct robotfile_devices *d = r->devices;
    bool all = true;

    for (unsigned i = 0; i < d->count; i++) {
        struct devices_item *item = &d->items[i];

        if (item->link == from) {
            tpi_robotfile_devices_keep(item, msg, tpi_robotfile_now_ns(r));
        }
        all = all && (item->is_heard || item->interface == &tp_interface_position2d);
    }
    return all;
}

void tpi_robotfile_devices_start(struct robotfile *r)
{
    struct robotfile_devices *d = r->devices;

    d->has_answer = false;
    for (unsigned i = 0; i < d->count; i++) {
        d->items[i].is_heard = d->items[i].is_lost = false;
        d->items[i].beams = (struct devices_beams){.is_known = false};
        tpi_robotfile_devices_ask(&d->items[i]);
    }
}

static tp_status require(struct robotfile *r, size_t i, tp_error *err)
{
    static const tp_interface *const usable[] = {&tp_interface_position2d, &tp_interface_aio,
                                                 &tp_interface_dio,        &tp_interface_ranger,
                                                 &tp_interface_bumper,     &tp_interface_power};
    const tp_interface *interface = tp_requires_interface(r->self, i);
    struct devices_item *item = &r->devices->items[r->devices->count];
    bool is_usable = false;

    for (size_t k = 0; k < sizeof usable / sizeof usable[0]; k++) {
        is_usable = is_usable || usable[k] == interface;
    }
    if (!is_usable) {
        return tp_fail(err, TP_E_UNSUPPORTED,
                       "requires %s: expected position2d, aio, dio, ranger, bumper or power",
                       interface->name);
    }
    if (interface == &tp_interface_position2d && find(r, "position2d", NULL) != NULL) {
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

/* The type of a part begins with the interface that it needs: "position2d", "position2d_wheel". */
static bool is_there(void *context, const tpi_part *part)
{
    const struct robotfile *r = context;
    const char *type = part->device->type;

    for (unsigned i = 0; i < r->devices->count; i++) {
        const char *name = r->devices->items[i].interface->name;
        const size_t length = strlen(name);
        if (strncmp(type, name, length) == 0 && (type[length] == '\0' || type[length] == '_')) {
            return true;
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
        free(r->devices);
    }
}
