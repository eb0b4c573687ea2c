/*
 * urglaser - Hokuyo's range finders by the names of Player's drivers, urglaser and hokuyo_aist,
 * with their options.
 *
 * The sensor is read by the driver urg, which is the example of a plug-in
 * (examples/driver-out-of-tree); its sources are compiled into this driver, too.
 */
#include <string.h>

#include "urg.h"

/* The example, by another name: see drivers/meson.build. */
extern const tp_driver tp_driver_urglaser_base;

static const tp_param urglaser_params[] = {
    {"port", "line", "/dev/ttyACM0", "the line, for instance /dev/ttyACM0 or tcp:HOST:10940"},
    {"baud", "1", "115200", "speed of a serial line; USB has none"},
    {"min_angle", "rad", "-2.0944", "where a scan begins, counter-clockwise from straight ahead"},
    {"max_angle", "rad", "2.0944", "where it ends"},
    {"cluster", "1", "1", "so many neighbouring readings become one, their smallest"},
    {"continuous", "bool", "yes", "whether the sensor sends by itself or is asked for each scan"},
    {"timeout", "s", "2", "a sensor that is silent for so long is started anew"},
    {"pose", "m m rad", "0 0 0", "where it sits on the robot: x y yaw"},
    {"use_serial", "bool", "no", "ignored; for configurations made for Player"},
    {"scan_skip", "1", "0", "ignored; for configurations made for Player"},
    {"portopts", NULL, "", "as hokuyo_aist has it: only its device, which has to be `port`"},
    {NULL, NULL, NULL, NULL},
};

/* "type=serial,device=/dev/ttyACM0,timeout=1" names the line that `port` names. */
static tp_status check_portopts(tp_instance *self, tp_error *err)
{
    static const char key[] = "device=";
    const char *given = strstr(tp_param_string(self, "portopts"), key);
    const char *port = tp_param_string(self, "port");

    if (given == NULL) {
        return TP_OK;
    }
    given += sizeof key - 1;
    const size_t length = strcspn(given, ",");
    if (strlen(port) == length && strncmp(given, port, length) == 0) {
        return TP_OK;
    }
    tp_param_blame(self, "portopts");
    return tp_fail(err, TP_E_INVALID, "write port \"%.*s\" for the device of portopts",
                   length < 80 ? (int)length : 80, given);
}

static tp_status urglaser_init(tp_instance *self, tp_error *err)
{
    const tp_status status = check_portopts(self, err);

    return status == TP_OK ? tp_driver_urglaser_base.ops->init(self, err) : status;
}

static tp_status urglaser_start(tp_instance *self, tp_error *err)
{
    return tp_driver_urglaser_base.ops->start(self, err);
}

static tp_status urglaser_poll(tp_instance *self, tp_error *err)
{
    return tp_driver_urglaser_base.ops->poll(self, err);
}

static tp_status urglaser_input(tp_instance *self, struct tp_port *port, tp_error *err)
{
    return tp_driver_urglaser_base.ops->input(self, port, err);
}

static void urglaser_stop(tp_instance *self)
{
    tp_driver_urglaser_base.ops->stop(self);
}

static const tp_driver_ops urglaser_ops = {
    .init = urglaser_init,
    .start = urglaser_start,
    .poll = urglaser_poll,
    .input = urglaser_input,
    .stop = urglaser_stop,
};

extern const tp_driver tp_driver_urglaser;
TP_API const tp_driver tp_driver_urglaser = {
    .abi = TP_DRIVER_ABI,
    .name = "urglaser",
    .summary = "Hokuyo range finders that speak SCIP, in configurations made for Player",
    .state_size = sizeof(struct urg),
    .params = urglaser_params,
    .ops = &urglaser_ops,
};

extern const tp_driver tp_driver_hokuyo_aist;
TP_API const tp_driver tp_driver_hokuyo_aist = {
    .abi = TP_DRIVER_ABI,
    .name = "hokuyo_aist",
    .summary = "a second name for urglaser",
    .state_size = sizeof(struct urg),
    .params = urglaser_params,
    .ops = &urglaser_ops,
};
