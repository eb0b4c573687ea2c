/*
 * look.c - a controller for tests: shows what a sensor says by how it turns.
 *
 * Its argument is the sensor: floor, light, bumper or fiducial; "late" is the second light sensor
 * of two, the first of which must not have measured yet. "line" follows a dark line instead.
 * Without an argument it fails and does not say why.
 */
#include <string.h>

#include "troupe/controller.h"

struct look {
    const char *what; /* borrowed */
};

static tp_status look_init(tp_robot *robot, void *state, const char *arguments, tp_error *err)
{
    struct look *l = state;

    (void)robot;
    (void)err;
    l->what = arguments;
    return arguments[0] != '\0' ? TP_OK : TP_E_INVALID;
}

/* Its place and its light, so that one number tells both. */
static double see_floor(const tp_robot *robot)
{
    tp_robot_floor floor;
    double sum = 0;

    for (size_t i = 0; tp_robot_get_floor(robot, i, &floor); i++) {
        sum += 10 * floor.x + floor.y + floor.reflectance + (double)(floor.colour >> 16) / 255;
    }
    return sum;
}

static double see_fiducial(const tp_robot *robot)
{
    tp_robot_fiducial seen;
    double sum = 0;

    for (size_t i = 0; tp_robot_get_fiducial(robot, i, &seen); i++) {
        sum += seen.range + seen.bearing + (double)seen.id / 10;
    }
    return sum;
}

static double see(const tp_robot *robot, const char *what)
{
    double level = 0;
    bool pressed = false;

    if (strcmp(what, "floor") == 0) {
        return see_floor(robot);
    }
    if (strcmp(what, "fiducial") == 0) {
        return see_fiducial(robot);
    }
    if (strcmp(what, "light") == 0) {
        return tp_robot_get_light(robot, 1, &level) || !tp_robot_get_light(robot, 0, &level)
                   ? -1
                   : level;
    }
    if (strcmp(what, "late") == 0) {
        return tp_robot_get_light(robot, 0, &level) || !tp_robot_get_light(robot, 1, &level)
                   ? -1
                   : level;
    }
    return tp_robot_get_bumper(robot, 1, &pressed) || !tp_robot_get_bumper(robot, 0, &pressed) ? -1
           : pressed                                                                           ? 2
                                                                                               : 1;
}

static double line_aside(const tp_robot *robot)
{
    tp_robot_floor floor;
    double aside = 0;

    for (size_t i = 0; tp_robot_get_floor(robot, i, &floor); i++) {
        aside += floor.reflectance < 0.5 ? floor.y : 0;
    }
    return aside;
}

static void look_step(tp_robot *robot, void *state)
{
    const struct look *l = state;

    if (strcmp(l->what, "line") == 0) {
        tp_robot_drive(robot, 0.2, 0, 20 * line_aside(robot));
    } else if (strcmp(l->what, "crash") == 0) {
        const char *volatile nothing = NULL;
        tp_robot_drive(robot, *nothing, 0, 0);
    } else {
        tp_robot_drive(robot, 0, 0, see(robot, l->what));
    }
}

extern const tp_controller tp_controller_look;
__attribute__((visibility("default"))) const tp_controller tp_controller_look = {
    .abi = TP_CONTROLLER_ABI,
    .name = "look",
    .state_size = sizeof(struct look),
    .init = look_init,
    .step = look_step,
};
