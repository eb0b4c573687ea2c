/*
 * spin.c - a controller to copy: turns on the spot, as fast as it is told, and stops for what is
 * near.
 *
 *   cc -std=c11 -shared -fPIC -o spin.so spin.c $(pkg-config --cflags troupe)
 *
 * With spin.so beside the world a robot says  ctrl "spin 0.5".
 */
#include <stdlib.h>

#include "troupe/controller.h"

struct spin {
    double turn;
};

static tp_status spin_init(tp_robot *robot, void *state, const char *arguments, tp_error *err)
{
    struct spin *s = state;

    s->turn = arguments[0] == '\0' ? 1 : strtod(arguments, NULL);
    return s->turn != 0 ? TP_OK
                        : tp_fail(err, TP_E_INVALID, "%s cannot spin by \"%s\"",
                                  tp_robot_name(robot), arguments);
}

static void spin_step(tp_robot *robot, void *state)
{
    const struct spin *s = state;
    const double *ranges = NULL;
    const size_t count = tp_robot_get_ranges(robot, 0, &ranges, NULL, NULL);
    const bool near = count > 0 && ranges[count / 2] < 0.5;

    tp_robot_drive(robot, 0, 0, near ? 0 : s->turn);
}

extern const tp_controller tp_controller_spin;
__attribute__((visibility("default"))) const tp_controller tp_controller_spin = {
    .abi = TP_CONTROLLER_ABI,
    .name = "spin",
    .state_size = sizeof(struct spin),
    .init = spin_init,
    .step = spin_step,
};
