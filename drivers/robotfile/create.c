/*
 * create.c - create and roomba: the same driver by the names of Player's drivers for iRobot's
 * robots, with their options. The robot file is robots/create.xml, or another one of `robot`.
 */
#include "robotfile.h"

static const tp_param create_params[] = {
    {"robot", NULL, "create",
     "the robot file: create, or create2 for Roombas since the series 500"},
    {"wiring", NULL, "", "path of a wiring file: what is plugged in where"},
    {"port", "line", "/dev/ttyS0", "the line, for instance /dev/ttyUSB0 or emulate:create1"},
    {"safe", "bool", "yes", "whether the robot stops at cliffs by itself; it always does here"},
    {"map", NULL, "", "what classes of programs mean: \"Light Sensor=port 2\""},
    {"rate", "Hz", "10", "readings of each sensor per second, as far as the robot answers"},
    {"max_speed", "m/s", "0.5", "the speed of a wheel at full power"},
    {"width", "m", "0.258", "the distance between the wheels"},
    {"motor_speed", "rad/s", "15.7", "the speed of a single motor at full power"},
    {NULL, NULL, NULL, NULL},
};

static tp_status create_init(tp_instance *self, tp_error *err)
{
    if (!tp_param_bool(self, "safe")) {
        tp_instance_note(self, "\"safe 0\" has no effect: the robot is driven in its safe mode, "
                               "where it stops at cliffs and when it is lifted");
    }
    return tpi_robotfile_ops.init(self, err);
}

static tp_status create_start(tp_instance *self, tp_error *err)
{
    return tpi_robotfile_ops.start(self, err);
}

static tp_status create_poll(tp_instance *self, tp_error *err)
{
    return tpi_robotfile_ops.poll(self, err);
}

static void create_data(tp_instance *self, tp_link *from, const tp_msg *msg)
{
    tpi_robotfile_ops.data(self, from, msg);
}

static tp_status create_input(tp_instance *self, struct tp_port *port, tp_error *err)
{
    return tpi_robotfile_ops.input(self, port, err);
}

static void create_halt(tp_device *device, tp_halt how)
{
    tpi_robotfile_ops.halt(device, how);
}

static void create_stop(tp_instance *self)
{
    tpi_robotfile_ops.stop(self);
}

static void create_fini(tp_instance *self)
{
    tpi_robotfile_ops.fini(self);
}

static const tp_driver_ops create_ops = {
    .init = create_init,
    .start = create_start,
    .poll = create_poll,
    .data = create_data,
    .input = create_input,
    .halt = create_halt,
    .stop = create_stop,
    .fini = create_fini,
};

extern const tp_driver tp_driver_create;
TP_API const tp_driver tp_driver_create = {
    .abi = TP_DRIVER_ABI,
    .name = "create",
    .summary = "iRobot Create, in configurations made for Player",
    .state_size = sizeof(struct robotfile),
    .params = create_params,
    .ops = &create_ops,
};

extern const tp_driver tp_driver_roomba;
TP_API const tp_driver tp_driver_roomba = {
    .abi = TP_DRIVER_ABI,
    .name = "roomba",
    .summary = "iRobot Roomba, in configurations made for Player",
    .state_size = sizeof(struct robotfile),
    .params = create_params,
    .ops = &create_ops,
};
