/*
 * kmot - one-axis motor controller on a serial line: the smallest complete driver.
 *
 * Protocol K1: `?` asks for the identification, `V <mm/s>` sets the speed. The motor sends its
 * position, `P <mm>`, several times per second.
 * Not supported: position mode.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "troupe/driver/position1d.h"
#include "troupe/port.h"

struct kmot {
    tp_device *device;
    tp_port *port; /* owned; NULL unless it runs */
    double max_speed;
    tp_position1d_data state;
};

static const tp_param kmot_params[] = {
    {"port", "line", NULL, "the line, for instance /dev/ttyUSB0"},
    {"max_speed", "m/s", "0.5", "commands above this speed are refused"},
    {NULL, NULL, NULL, NULL},
};

static tp_status kmot_set_speed(tp_device *device, const tp_position1d_cmd_vel *ask, tp_error *err)
{
    struct kmot *k = tp_instance_state(tp_device_instance(device));

    if (!(fabs(ask->vel) <= k->max_speed)) { /* written so that not-a-number is refused too */
        return tp_fail(err, TP_E_RANGE, "speed %.3f m/s is over max_speed %.3f m/s", ask->vel,
                       k->max_speed);
    }
    k->state.vel = ask->vel;
    return tp_port_printf(k->port, err, "V %.0f\n", ask->vel * 1000.0);
}

static const tp_position1d_ops kmot_position1d = {.cmd_vel = kmot_set_speed};

static tp_status kmot_init(tp_instance *self, tp_error *err)
{
    struct kmot *k = tp_instance_state(self);

    k->max_speed = tp_param_double(self, "max_speed");
    return tp_offer_position1d(self, NULL, &kmot_position1d, &k->device, err);
}

/* Ask the motor for its identification; it must answer within a second. */
static tp_status identify(tp_instance *self, tp_error *err)
{
    struct kmot *k = tp_instance_state(self);
    const int64_t deadline_ns = tp_clock_now_ns(tp_instance_clock(self)) + TP_NS_PER_S;
    char line[64];
    size_t length = 0;
    tp_status status = tp_port_printf(k->port, err, "?\n");

    if (status == TP_OK) {
        status = tp_port_read_until(k->port, line, sizeof line, '\n', &length, deadline_ns, err);
    }
    if (status == TP_OK && strncmp(line, "K1 ", 3) != 0) {
        status = tp_fail(err, TP_E_DEVICE, "this is no K1 motor");
    }
    return status;
}

static tp_status kmot_start(tp_instance *self, tp_error *err)
{
    struct kmot *k = tp_instance_state(self);
    const int64_t deadline_ns = tp_clock_now_ns(tp_instance_clock(self)) + 5 * TP_NS_PER_S;
    tp_status status =
        tp_port_open(&k->port, self, tp_param_string(self, "port"), NULL, deadline_ns, err);

    status = status == TP_OK ? identify(self, err) : status;
    status = status == TP_OK ? tp_port_guard(k->port, "\nV 0\n", 5, err) : status;
    if (status != TP_OK) {
        tp_port_close(k->port);
        k->port = NULL;
        return status;
    }
    tp_port_watch(k->port, true);
    return TP_OK;
}

/* Bytes have arrived: publish every complete position. */
static tp_status kmot_input(tp_instance *self, tp_port *port, tp_error *err)
{
    struct kmot *k = tp_instance_state(self);
    char line[64];
    size_t length = 0;
    double mm = 0;
    tp_status status;

    while ((status = tp_port_read_until(port, line, sizeof line, '\n', &length, 0, err)) == TP_OK) {
        if (sscanf(line, "P %lf", &mm) == 1) {
            k->state.pos = (float)(mm / 1000.0);
            tp_position1d_publish_state(k->device, &k->state, 0);
        }
    }
    return status == TP_E_TIMEOUT ? TP_OK
                                  : status; /* a time-out means that nothing more is there */
}

static void kmot_halt(tp_device *device, tp_halt how)
{
    struct kmot *k = tp_instance_state(tp_device_instance(device));

    (void)how; /* this motor has one way to stop */
    k->state.vel = 0;
    tp_port_printf(k->port, NULL, "V 0\n");
}

static void kmot_stop(tp_instance *self)
{
    struct kmot *k = tp_instance_state(self);

    tp_port_printf(k->port, NULL, "V 0\n");
    tp_port_close(k->port);
    k->port = NULL;
}

static const tp_driver_ops kmot_ops = {
    .init = kmot_init,
    .start = kmot_start,
    .input = kmot_input,
    .halt = kmot_halt,
    .stop = kmot_stop,
};

extern const tp_driver tp_driver_kmot;
TP_API const tp_driver tp_driver_kmot = {
    .abi = TP_DRIVER_ABI,
    .name = "kmot",
    .summary = "K1 serial motor controller",
    .state_size = sizeof(struct kmot),
    .params = kmot_params,
    .ops = &kmot_ops,
};
