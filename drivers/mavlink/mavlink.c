/*
 * mavlink - rovers, boats and drones with ArduPilot or PX4, which speak MAVLink 1 or 2.
 *
 * The driver is a ground station: it sends a heartbeat each second, asks for data, and sends
 * velocities while a client drives. See README.md. Not supported: missions, parameters, fixed-wing
 * aircraft, signatures, positions as targets.
 */
#include "mavlink.h"

#include <math.h>

#include "troupe/driver/gps.h"
#include "troupe/driver/imu.h"
#include "troupe/driver/position2d.h"
#include "troupe/driver/position3d.h"
#include "troupe/driver/power.h"

static const tp_param mav_params[] = {
    {"port", "line", "/dev/ttyACM0",
     "the line, for instance /dev/ttyUSB0, tcp:HOST:5760 or udp:HOST:14550"},
    {"baud", "1", "57600", "speed of a serial line"},
    {"system", "1", "0", "number of the vehicle; 0 for the first that is heard"},
    {"rate", "Hz", "10", "how often the vehicle is to send data"},
    {"max_speed", "m/s", "1", "highest speed; commands above it are limited"},
    {"max_turn", "rad/s", "1", "the same for turning"},
    {"arm", "bool", "yes",
     "whether a velocity arms a vehicle on the ground; one that flies is armed by MOTOR_POWER "
     "only"},
    {"takeoff", "m", "0", "height to which MOTOR_POWER lets an aircraft rise; 0 for not at all"},
    {"timeout", "s", "5", "a vehicle that is silent for so long is started anew"},
    {NULL, NULL, NULL, NULL},
};

/* ---- Devices --------------------------------------------------------------------------------- */

static tp_status drive(tp_device *device, double ahead, double left, double up, double turn,
                       tp_error *err)
{
    const double velocity[3] = {ahead, left, up};

    if (!isfinite(ahead) || !isfinite(left) || !isfinite(up) || !isfinite(turn)) {
        return tp_fail(err, TP_E_RANGE, "a velocity is made of numbers");
    }
    return tpi_mav_drive(tp_device_instance(device), velocity, turn, err);
}

static tp_status ground_velocity(tp_device *device, const tp_position2d_cmd_vel *ask, tp_error *err)
{
    return drive(device, ask->vel.px, ask->vel.py, 0, ask->vel.pa, err);
}

static tp_status space_velocity(tp_device *device, const tp_position3d_cmd_vel *ask, tp_error *err)
{
    return drive(device, ask->vel.px, ask->vel.py, ask->vel.pz, ask->vel.pyaw, err);
}

static tp_status ground_power(tp_device *device, const tp_position2d_power_config *ask,
                              tp_error *err)
{
    return tpi_mav_power(tp_device_instance(device), ask->state != 0, err);
}

static tp_status space_power(tp_device *device, const tp_position3d_power_config *ask,
                             tp_error *err)
{
    return tpi_mav_power(tp_device_instance(device), ask->state != 0, err);
}

/* The protocol has no sizes; the configuration can have a section `geometry`. */
static tp_status ground_geom(tp_device *device, tp_position2d_geom *answer, tp_error *err)
{
    (void)device;
    (void)answer;
    (void)err;
    return TP_OK;
}

static tp_status space_geom(tp_device *device, tp_position3d_geom *answer, tp_error *err)
{
    (void)device;
    (void)answer;
    (void)err;
    return TP_OK;
}

static tp_status ground_reset(tp_device *device, tp_error *err)
{
    (void)err;
    mav_of(device)->place.has_origin = false;
    return TP_OK;
}

static const tp_position2d_ops ground_ops = {.cmd_vel = ground_velocity,
                                             .req_get_geom = ground_geom,
                                             .req_motor_power = ground_power,
                                             .req_reset_odom = ground_reset};
static const tp_position3d_ops space_ops = {.cmd_set_vel = space_velocity,
                                            .req_get_geom = space_geom,
                                            .req_motor_power = space_power,
                                            .req_reset_odom = ground_reset};

static tp_status set_datatype(tp_device *device, const tp_imu_datatype_config *ask, tp_error *err)
{
    if (ask->value != TP_IMU_DATA_STATE && ask->value != TP_IMU_DATA_CALIB &&
        ask->value != TP_IMU_DATA_EULER) {
        return tp_fail(err, TP_E_RANGE, "the data of this imu is 1, 2 or 4, not %u", ask->value);
    }
    mav_of(device)->datatype = ask->value;
    return TP_OK;
}

static const tp_imu_ops imu_ops = {.req_set_datatype = set_datatype};
static const tp_power_ops power_ops = {0};

static tp_status offer(tp_instance *self, const tp_interface *interface, const void *ops,
                       tp_device **out, tp_error *err)
{
    return tp_provides(self, interface, NULL) ? tp_offer(self, interface, NULL, ops, NULL, out, err)
                                              : TP_OK;
}

static tp_status offer_all(tp_instance *self, tp_error *err)
{
    struct mav *m = tp_instance_state(self);
    tp_status status = offer(self, &tp_interface_position2d, &ground_ops, &m->ground, err);

    status = status == TP_OK ? offer(self, &tp_interface_position3d, &space_ops, &m->space, err)
                             : status;
    status = status == TP_OK ? offer(self, &tp_interface_imu, &imu_ops, &m->imu, err) : status;
    status =
        status == TP_OK ? offer(self, &tp_interface_power, &power_ops, &m->power, err) : status;
    return status == TP_OK && tp_provides(self, &tp_interface_gps, NULL)
               ? tp_offer_gps(self, NULL, &m->gps, err)
               : status;
}

/* ---- Parameters ------------------------------------------------------------------------------ */

static tp_status read_number(tp_instance *self, const char *name, double low, double high,
                             double *out, tp_error *err)
{
    *out = tp_param_double(self, name);
    if (!(*out >= low && *out <= high)) { /* written so that not-a-number is refused too */
        tp_param_blame(self, name);
        return tp_fail(err, TP_E_RANGE, "%s is not from %g to %g", name, low, high);
    }
    return TP_OK;
}

static tp_status mav_init(tp_instance *self, tp_error *err)
{
    struct mav *m = tp_instance_state(self);
    double baud = 0, system = 0, timeout_s = 0;
    const struct {
        const char *name;
        double low, high;
        double *out;
    } numbers[] = {{"baud", 300, 12000000, &baud},         {"system", 0, 255, &system},
                   {"rate", 0.5, 100, &m->plan.rate},      {"max_speed", 0, 30, &m->plan.max_speed},
                   {"max_turn", 0, 10, &m->plan.max_turn}, {"takeoff", 0, 100, &m->plan.takeoff},
                   {"timeout", 1.5, 3600, &timeout_s}};

    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        const tp_status status = read_number(self, numbers[i].name, numbers[i].low, numbers[i].high,
                                             numbers[i].out, err);
        if (status != TP_OK) {
            return status;
        }
    }
    m->plan.baud = (unsigned)baud;
    m->plan.system = (uint8_t)system;
    m->plan.arm = tp_param_bool(self, "arm");
    m->plan.timeout_ns = (int64_t)(timeout_s * (double)TP_NS_PER_S);
    m->datatype = TP_IMU_DATA_EULER;
    return offer_all(self, err);
}

/* ---- Life ------------------------------------------------------------------------------------ */

/* A vehicle: no other ground station, gimbal or camera. */
static bool is_vehicle(const struct mav *m, const struct mav_message *message)
{
    enum { AUTOPILOT = 1, STATION = 6, NO_AUTOPILOT = 8 };

    return message->id == MAV_HEARTBEAT && message->component == AUTOPILOT &&
           message->payload[4] != STATION && message->payload[5] != NO_AUTOPILOT &&
           (m->plan.system == 0 || m->plan.system == message->system);
}

/* Wait for a heartbeat of a vehicle. Some say nothing until they hear a ground station. */
static tp_status find_vehicle(tp_instance *self, tp_error *err)
{
    struct mav *m = tp_instance_state(self);
    const int64_t deadline_ns = mav_now_ns(self) + m->plan.timeout_ns;
    struct mav_message message;
    tp_status status = tpi_mav_beat(self, err);
    uint8_t byte;

    while (status == TP_OK) {
        status = tp_port_read_all(m->port, &byte, 1, deadline_ns, err);
        if (status == TP_OK) {
            (void)tpi_mav_feed(&m->reader, &byte, 1);
        }
        while (status == TP_OK && tpi_mav_next(&m->reader, &message)) {
            if (is_vehicle(m, &message)) {
                tpi_mav_take_heartbeat(self, &message);
                m->vehicle.heard_ns = mav_now_ns(self);
                return TP_OK;
            }
        }
    }
    if (status == TP_E_TIMEOUT) {
        return tp_fail(err, TP_E_TIMEOUT,
                       "%s: no vehicle says that it is there (HEARTBEAT)%s: is it switched on, and "
                       "are `baud` and `system` right?",
                       tp_port_url(m->port),
                       m->reader.damaged > 0 ? ", but frames with wrong sums came" : "");
    }
    return status;
}

static tp_status mav_start(tp_instance *self, tp_error *err)
{
    struct mav *m = tp_instance_state(self);
    const tp_port_settings settings = {.baud = m->plan.baud};
    tp_status status = tp_port_open(&m->port, self, tp_param_string(self, "port"), &settings,
                                    mav_now_ns(self) + 5 * TP_NS_PER_S, err);

    m->reader = (struct mav_reader){0};
    m->vehicle = (struct mav_vehicle){0};
    m->wish = (struct mav_wish){.asked_ns = mav_now_ns(self) - TP_NS_PER_S};
    m->place = (struct mav_place){0};
    status = status == TP_OK ? find_vehicle(self, err) : status;
    status = status == TP_OK ? tpi_mav_ask_data(self, err) : status;
    if (status == TP_OK && (m->ground != NULL || m->space != NULL)) {
        status = tpi_mav_guard(self, err);
    }
    if (status != TP_OK) {
        tp_port_close(m->port);
        m->port = NULL;
        return status;
    }
    tp_instance_set_period(self, 100 * TP_NS_PER_MS);
    tp_port_watch(m->port, true);
    return TP_OK;
}

static tp_status mav_input(tp_instance *self, tp_port *port, tp_error *err)
{
    struct mav *m = tp_instance_state(self);
    struct mav_message message;
    uint8_t bytes[512];
    size_t length = 0;
    tp_status status;

    while ((status = tp_port_read(port, bytes, sizeof bytes, &length, 0, err)) == TP_OK) {
        for (size_t taken = 0; taken < length;) {
            taken += tpi_mav_feed(&m->reader, bytes + taken, length - taken);
            while (tpi_mav_next(&m->reader, &message)) {
                tpi_mav_report(self, &message);
            }
        }
    }
    return status == TP_E_TIMEOUT ? TP_OK : status;
}

static tp_status mav_poll(tp_instance *self, tp_error *err)
{
    struct mav *m = tp_instance_state(self);

    if (mav_now_ns(self) - m->vehicle.heard_ns > m->plan.timeout_ns) {
        return tp_fail(err, TP_E_TIMEOUT, "the vehicle has said nothing for %.1f s%s",
                       (double)m->plan.timeout_ns / (double)TP_NS_PER_S,
                       m->reader.damaged > 0 ? ", but what has a wrong sum" : "");
    }
    return tpi_mav_keep(self, err);
}

static void mav_halt(tp_device *device, tp_halt how)
{
    const struct mav *m = mav_of(device);

    (void)how; /* no velocity is how it stops */
    if (device == m->ground || device == m->space) {
        tpi_mav_halt(tp_device_instance(device));
    }
}

static void mav_stop(tp_instance *self)
{
    struct mav *m = tp_instance_state(self);

    if (m->ground != NULL || m->space != NULL) {
        tpi_mav_leave(self);
    }
    tp_port_close(m->port);
    m->port = NULL;
}

static const tp_driver_ops mav_ops = {
    .init = mav_init,
    .start = mav_start,
    .poll = mav_poll,
    .input = mav_input,
    .halt = mav_halt,
    .stop = mav_stop,
};

extern const tp_driver tp_driver_mavlink;
TP_API const tp_driver tp_driver_mavlink = {
    .abi = TP_DRIVER_ABI,
    .name = "mavlink",
    .summary = "rovers, boats and drones with ArduPilot or PX4",
    .state_size = sizeof(struct mav),
    .params = mav_params,
    .ops = &mav_ops,
};
