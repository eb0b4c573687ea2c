/*
 * wheel.c - a plug-in for tests: a base on a line, whose driver can be told to die.
 *
 * It writes "V <speed>\n" for a command, "H\n" when it is halted ("HOLD\n" and "FINISH\n" if that
 * is how), "E\n" when it is stopped. With
 * `own yes` its line is guarded: by "S0\n", or "S1\n" as long as it goes forward. Speeds from 100
 * m/s on are ways to end the server, from 200 m/s on it writes "HANG\n" and hangs.
 */
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "troupe/driver/position2d.h"
#include "troupe/port.h"

struct wheel {
    tp_port *port; /* owned; NULL unless it runs */
    tp_device *device;
};

static const tp_param params[] = {
    {"port", "line", NULL, "the line"},
    {"own", "bool", "no", "guard it"},
    {"slow", "bool", "no", "a crash does not end, as if a core were dumped without end"},
    {NULL, NULL, NULL, NULL},
};

static void die(double way)
{
    char *volatile memory = malloc(8);
    int *volatile nowhere = NULL;

    switch ((int)way) {
    case 100:
        abort();
    case 101:
        *nowhere = 1;
        break;
    case 102:
        exit(3);
    case 103:
        _Exit(0);
    case 104:
        raise(SIGKILL);
        break;
    default: /* what the C library or a sanitizer ends a process for */
        free(memory);
        free(memory);
        break;
    }
}

static void hang(const struct wheel *w)
{
    tp_port_printf(w->port, NULL, "HANG\n");
    for (;;) {
        pause();
    }
}

static tp_status wheel_vel(tp_device *device, const tp_position2d_cmd_vel *cmd, tp_error *err)
{
    tp_instance *self = tp_device_instance(device);
    struct wheel *w = tp_instance_state(self);

    if (cmd->vel.px >= 200) {
        hang(w);
    }
    if (cmd->vel.px >= 100) {
        die(cmd->vel.px);
    }
    if (tp_param_bool(self, "own")) {
        tp_status status = tp_port_guard(w->port, cmd->vel.px > 0 ? "S1\n" : "S0\n", 3, err);
        if (status != TP_OK) {
            return status;
        }
    }
    return tp_port_printf(w->port, err, "V %g\n", cmd->vel.px);
}

static const tp_position2d_ops base_ops = {.cmd_vel = wheel_vel};

static void dump(int number)
{
    (void)number;
    for (;;) {
        pause();
    }
}

static tp_status wheel_init(tp_instance *self, tp_error *err)
{
    struct wheel *w = tp_instance_state(self);

    if (tp_param_bool(self, "slow")) {
        signal(SIGABRT, dump);
    }
    return tp_offer_position2d(self, NULL, &base_ops, &w->device, err);
}

static tp_status wheel_start(tp_instance *self, tp_error *err)
{
    struct wheel *w = tp_instance_state(self);
    const int64_t deadline_ns = tp_clock_now_ns(tp_instance_clock(self)) + 10 * TP_NS_PER_S;
    tp_status status =
        tp_port_open(&w->port, self, tp_param_string(self, "port"), NULL, deadline_ns, err);

    if (status == TP_OK && tp_param_bool(self, "own")) {
        status = tp_port_guard(w->port, "S0\n", 3, err);
    }
    return status;
}

static void wheel_halt(tp_device *device, tp_halt how)
{
    static const char *const words[] = {
        [TP_HALT_BRAKE] = "H", [TP_HALT_HOLD] = "HOLD", [TP_HALT_FINISH] = "FINISH"};
    const struct wheel *w = tp_instance_state(tp_device_instance(device));

    tp_port_printf(w->port, NULL, "%s\n", words[how]);
}

static void wheel_stop(tp_instance *self)
{
    struct wheel *w = tp_instance_state(self);

    tp_port_printf(w->port, NULL, "E\n");
    tp_port_close(w->port);
    w->port = NULL;
}

static const tp_driver_ops ops = {
    .init = wheel_init, .start = wheel_start, .halt = wheel_halt, .stop = wheel_stop};

extern const tp_driver tp_driver_wheel;

TP_API const tp_driver tp_driver_wheel = {
    .abi = TP_DRIVER_ABI,
    .name = "wheel",
    .summary = "a base on a line",
    .state_size = sizeof(struct wheel),
    .params = params,
    .ops = &ops,
};
