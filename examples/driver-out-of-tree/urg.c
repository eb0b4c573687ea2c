/*
 * urg - the scanning range finders of Hokuyo that speak SCIP: URG-04LX, UBG-04LX and their kin.
 *
 * SCIP 2.0 sends scan after scan once it was asked (MD), or one for each question (GD); SCIP 1.1,
 * which old sensors speak, knows questions only (G). Both are offered as ranger, as laser, or as
 * both. Not supported: intensities, several echoes.
 */
#include "urg.h"

#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

static const tp_param urg_params[] = {
    {"port", "line", NULL, "the line, for instance /dev/ttyACM0 or tcp:HOST:10940"},
    {"baud", "1", "19200", "speed of a serial line; USB has none"},
    {"min_angle", "rad", "-2.0944", "where a scan begins, counter-clockwise from straight ahead"},
    {"max_angle", "rad", "2.0944", "where it ends"},
    {"cluster", "1", "1", "so many neighbouring readings become one, their smallest"},
    {"continuous", "bool", "yes", "whether the sensor sends by itself or is asked for each scan"},
    {"timeout", "s", "2", "a sensor that is silent for so long is started anew"},
    {"pose", "m m rad", "0 0 0", "where it sits on the robot: x y yaw"},
    {NULL, NULL, NULL, NULL},
};

static struct urg *urg_of(const tp_device *device)
{
    return tp_instance_state(tp_device_instance(device));
}

static int64_t now_ns(const tp_instance *self)
{
    return tp_clock_now_ns(tp_instance_clock(self));
}

/* ---- Talking while nothing scans ------------------------------------------------------------- */

/* Read one line without its end. */
tp_status urg_read_line(struct urg *u, char line[LONGEST_LINE], size_t *length, int64_t deadline_ns,
                        tp_error *err)
{
    tp_status status =
        tp_port_read_until(u->port, line, LONGEST_LINE, '\n', length, deadline_ns, err);

    while (status == TP_OK && *length > 0 &&
           (line[*length - 1] == '\n' || line[*length - 1] == '\r')) {
        line[--*length] = '\0';
    }
    return status;
}

/* Send a command and read its status. Lines before the echo are of scans that were under way; their
 * number is returned. */
static tp_status ask(tp_instance *self, const char *command, char status[LONGEST_LINE],
                     unsigned *strays, tp_error *err)
{
    struct urg *u = tp_instance_state(self);
    const int64_t deadline_ns = now_ns(self) + TP_NS_PER_S;
    size_t length = 0;
    tp_status result = tp_port_printf(u->port, err, "%s\n", command);

    for (*strays = 0; result == TP_OK; (*strays)++) {
        result = urg_read_line(u, status, &length, deadline_ns, err);
        if (result == TP_OK && strcmp(status, command) == 0) {
            return urg_read_line(u, status, &length, deadline_ns, err);
        }
    }
    return result;
}

/* Read the rest of a reply, and learn what it tells. */
static tp_status learn(tp_instance *self, tp_error *err)
{
    struct urg *u = tp_instance_state(self);
    const int64_t deadline_ns = now_ns(self) + TP_NS_PER_S;
    char line[LONGEST_LINE];
    size_t length = 1;
    tp_status result = TP_OK;

    while (result == TP_OK && length > 0) {
        result = urg_read_line(u, line, &length, deadline_ns, err);
        if (result == TP_OK && length > 0 && !scip_learn(&u->model, line, length)) {
            return tp_fail(err, TP_E_IO, "\"%s\" has a wrong sum", line);
        }
    }
    return result;
}

/* A question that has to be answered with one of the two. */
static tp_status demand(tp_instance *self, const char *command, const char *good, const char *also,
                        tp_error *err)
{
    char status[LONGEST_LINE];
    unsigned strays;
    tp_status result = ask(self, command, status, &strays, err);

    if (result == TP_OK && strncmp(status, good, strlen(good)) != 0 &&
        strncmp(status, also, strlen(also)) != 0) {
        return tp_fail(err, TP_E_DEVICE, "the sensor answers %s with status %s", command, status);
    }
    return result == TP_OK ? learn(self, err) : result;
}

/* ---- Starting -------------------------------------------------------------------------------- */

/* Switch to SCIP 2.0, which a sensor may know or not, and may be in already. One that still sends
 * scans, since nobody has stopped it, is stopped. */
static tp_status choose_version(tp_instance *self, tp_error *err)
{
    struct urg *u = tp_instance_state(self);
    char status[LONGEST_LINE];
    unsigned strays;
    tp_status result = ask(self, "SCIP2.0", status, &strays, err);

    if (result != TP_OK) {
        return result;
    }
    u->model = scip_urg_04lx;
    result = learn(self, err);
    u->model.version = strcmp(status, "0") == 0 || strncmp(status, "0E", 2) == 0 ? 2 : 1;
    return result == TP_OK && strays > 0 && u->model.version == 2
               ? demand(self, "QT", "00", "00", err)
               : result;
}

static void tell_serial_number(tp_device *device, uint32_t number)
{
    if (device != NULL) {
        tp_device_set_property_number(device, "serial", number);
    }
}

static tp_status identify(tp_instance *self, tp_error *err)
{
    struct urg *u = tp_instance_state(self);
    tp_status status = choose_version(self, err);

    if (status == TP_OK && u->model.version == 1) {
        status = demand(self, "V", "0", "0", err);
    } else if (status == TP_OK) {
        status = demand(self, "VV", "00", "00", err);
        status = status == TP_OK ? demand(self, "PP", "00", "00", err) : status;
    }
    if (status == TP_OK) {
        tell_serial_number(u->ranger, u->model.serial);
        tell_serial_number(u->laser, u->model.serial);
    }
    return status;
}

static unsigned clamp(double step, unsigned low, unsigned high)
{
    return step < low ? low : step > high ? high : (unsigned)step;
}

/* The steps of the scan, from what is wanted and what there is. */
static tp_status choose_steps(struct urg *u, tp_error *err)
{
    const struct scip_model *m = &u->model;
    const double per_radian = m->steps / (2 * pi);

    if (m->steps == 0 || m->steps > 100000 || m->last <= m->first || m->rpm == 0) {
        return tp_fail(err, TP_E_DEVICE, "the sensor's description makes no sense");
    }
    u->first = clamp(ceil(m->front + u->min_angle * per_radian), m->first, m->last);
    u->last = clamp(floor(m->front + u->max_angle * per_radian), m->first, m->last);
    if (u->last < u->first || (u->last - u->first) / u->cluster >= SCIP_MOST_READINGS) {
        return tp_fail(err, TP_E_RANGE, "from min_angle to max_angle there is nothing to measure");
    }
    return TP_OK;
}

/* Ask for scans, or for the next one. */
tp_status urg_request_scan(struct urg *u, tp_error *err)
{
    u->place = ECHO;
    if (u->model.version == 1) {
        return tp_port_printf(u->port, err, "G%03u%03u%02u\n", u->first, u->last, u->cluster);
    }
    if (!u->continuous) {
        return tp_port_printf(u->port, err, "GD%04u%04u%02u\n", u->first, u->last, u->cluster);
    }
    return tp_port_printf(u->port, err, "MD%04u%04u%02u000\n", u->first, u->last, u->cluster);
}

tp_status urg_begin_scanning(tp_instance *self, tp_error *err)
{
    struct urg *u = tp_instance_state(self);

    u->scanning = true;
    u->damaged = 0;
    u->heard_ns = now_ns(self);
    tp_instance_set_period(self, u->timeout_ns / 2);
    return urg_request_scan(u, err);
}

/* MD does it by itself. */
static tp_status switch_laser_on(tp_instance *self, tp_error *err)
{
    const struct urg *u = tp_instance_state(self);

    if (u->model.version == 1) {
        return demand(self, "L1", "0", "0", err);
    }
    return u->continuous ? TP_OK : demand(self, "BM", "00", "02", err);
}

static tp_status urg_start(tp_instance *self, tp_error *err)
{
    struct urg *u = tp_instance_state(self);
    const tp_port_settings settings = {.baud = (unsigned)tp_param_int(self, "baud")};
    tp_status status = tp_port_open(&u->port, self, tp_param_string(self, "port"), &settings,
                                    now_ns(self) + 5 * TP_NS_PER_S, err);

    status = status == TP_OK ? identify(self, err) : status;
    status = status == TP_OK ? choose_steps(u, err) : status;
    status = status == TP_OK ? switch_laser_on(self, err) : status;
    status = status == TP_OK ? urg_begin_scanning(self, err) : status;
    if (status != TP_OK) {
        tp_port_close(u->port);
        u->port = NULL;
        return status;
    }
    tp_port_watch(u->port, true);
    return TP_OK;
}

static tp_status switch_laser_off(struct urg *u, tp_error *err)
{
    u->scanning = false;
    return tp_port_printf(u->port, err, u->model.version == 1 ? "L0\n" : "QT\n");
}

static void urg_stop(tp_instance *self)
{
    struct urg *u = tp_instance_state(self);

    switch_laser_off(u, NULL); /* if the line is gone there is nothing that we could do */
    tp_port_close(u->port);
    u->port = NULL;
    if (u->ticket != NULL) { /* nobody else will answer */
        tp_ticket_fail(u->ticket, TP_E_CLOSED, "the sensor was stopped");
        u->ticket = NULL;
    }
}

/* The watchdog. What has come before was read by now. */
static tp_status urg_poll(tp_instance *self, tp_error *err)
{
    const struct urg *u = tp_instance_state(self);

    if (u->scanning && now_ns(self) - u->heard_ns > u->timeout_ns) {
        return tp_fail(err, TP_E_TIMEOUT, "no scan for %.1f s",
                       (double)u->timeout_ns / (double)TP_NS_PER_S);
    }
    return TP_OK;
}

tp_ranger_config urg_config(const struct urg *u)
{
    const struct scip_model *m = &u->model;
    const double step = 2 * pi / m->steps;

    return (tp_ranger_config){
        .min_angle = ((double)u->first - m->front) * step,
        .max_angle = ((double)u->last - m->front) * step,
        .angular_res = u->cluster * step,
        .min_range = m->min_mm / 1000.0,
        .max_range = m->max_mm / 1000.0,
        .range_res = 0.001,
        .frequency = m->rpm / 60.0,
    };
}

/* ---- Requests -------------------------------------------------------------------------------- */

/* On or off; answered when the sensor has said so. */
static tp_status set_power(tp_device *device, bool on, tp_error *err)
{
    struct urg *u = urg_of(device);
    tp_instance *self = tp_device_instance(device);
    tp_status status = TP_OK;

    if (on == u->scanning) {
        return TP_OK;
    }
    if (u->ticket != NULL) {
        return tp_fail(err, TP_E_LIMIT, "it is being switched already");
    }
    if (!on) {
        status = switch_laser_off(u, err);
    } else if (u->model.version == 2 && u->continuous) {
        status = urg_begin_scanning(self, err);
    } else { /* scans are asked for when the laser is on */
        status = tp_port_printf(u->port, err, u->model.version == 1 ? "L1\n" : "BM\n");
    }
    if (status != TP_OK) {
        return status;
    }
    u->ticket = tp_device_defer(device);
    return TP_PENDING;
}

static tp_status ranger_power(tp_device *device, const tp_ranger_power_config *ask, tp_error *err)
{
    return set_power(device, ask->state != 0, err);
}

static tp_status laser_power(tp_device *device, const tp_laser_power_config *ask, tp_error *err)
{
    return set_power(device, ask->state != 0, err);
}

static const tp_bbox3d urg_size = {.sw = 0.05, .sl = 0.05, .sh = 0.07};

static tp_status ranger_geom(tp_device *device, tp_ranger_geom *answer, tp_error *err)
{
    struct urg *u = urg_of(device);

    (void)err;
    answer->pose = u->pose;
    answer->size = urg_size;
    answer->element_poses_count = 1;
    answer->element_poses = &u->element_pose;
    answer->element_sizes_count = 1;
    answer->element_sizes = &u->element_size;
    return TP_OK;
}

static tp_status laser_geom(tp_device *device, tp_laser_geom *answer, tp_error *err)
{
    (void)err;
    answer->pose = urg_of(device)->pose;
    answer->size = urg_size;
    return TP_OK;
}

static tp_status ranger_config(tp_device *device, tp_ranger_config *answer, tp_error *err)
{
    (void)err;
    *answer = urg_config(urg_of(device));
    return TP_OK;
}

static tp_status laser_config(tp_device *device, tp_laser_config *answer, tp_error *err)
{
    const tp_ranger_config config = urg_config(urg_of(device));

    (void)err;
    answer->min_angle = (float)config.min_angle;
    answer->max_angle = (float)config.max_angle;
    answer->resolution = (float)config.angular_res;
    answer->max_range = (float)config.max_range;
    answer->range_res = (float)config.range_res;
    answer->scanning_frequency = (float)config.frequency;
    return TP_OK;
}

static tp_status ranger_intensities(tp_device *device, const tp_ranger_intns_config *ask,
                                    tp_error *err)
{
    (void)device;
    return ask->state == 0 ? TP_OK
                           : tp_fail(err, TP_E_UNSUPPORTED, "the sensor measures no intensities");
}

static tp_status laser_id(tp_device *device, tp_laser_get_id_config *answer, tp_error *err)
{
    (void)err;
    answer->serial_number = urg_of(device)->model.serial;
    return TP_OK;
}

static const tp_ranger_ops urg_ranger = {
    .req_get_geom = ranger_geom,
    .req_power = ranger_power,
    .req_intns = ranger_intensities,
    .req_get_config = ranger_config,
};

static const tp_laser_ops urg_laser = {
    .req_get_geom = laser_geom,
    .req_get_config = laser_config,
    .req_power = laser_power,
    .req_get_id = laser_id,
};

/* ---- Making ---------------------------------------------------------------------------------- */

static tp_status read_params(tp_instance *self, tp_error *err)
{
    struct urg *u = tp_instance_state(self);
    const int64_t baud = tp_param_int(self, "baud");
    const int64_t cluster = tp_param_int(self, "cluster");
    const double timeout_s = tp_param_double(self, "timeout");

    if (baud < 300 || baud > 12000000) {
        return tp_fail(err, TP_E_RANGE, "baud is a speed from 300 to 12000000");
    }
    u->min_angle = tp_param_double(self, "min_angle");
    u->max_angle = tp_param_double(self, "max_angle");
    if (!(u->min_angle < u->max_angle)) { /* written so that not-a-number is refused too */
        return tp_fail(err, TP_E_RANGE, "min_angle is not below max_angle");
    }
    if (cluster < 1 || cluster > 99) {
        return tp_fail(err, TP_E_RANGE, "cluster is a number from 1 to 99");
    }
    if (!(timeout_s >= 0.2 && timeout_s <= 3600)) {
        return tp_fail(err, TP_E_RANGE, "timeout is a time from 0.2 s to an hour");
    }
    u->cluster = (unsigned)cluster;
    u->timeout_ns = (int64_t)(timeout_s * (double)TP_NS_PER_S);
    u->continuous = tp_param_bool(self, "continuous");
    u->pose = (tp_pose3d){.px = tp_param_double_at(self, "pose", 0),
                          .py = tp_param_double_at(self, "pose", 1),
                          .pyaw = tp_param_double_at(self, "pose", 2)};
    return TP_OK;
}

static const tp_property_plan serial_number = {
    .key = "serial",
    .type = TP_PROPERTY_INT,
    .unit = "",
    .doc = "Digits of the sensor's serial number; 0 until it has been asked.",
    .value = "0",
};

/* What every device tells, whatever its interface: where it sits, and its properties. */
static tp_status describe(struct urg *u, tp_device *device, tp_error *err)
{
    const tp_geometry geometry = {
        .known = TP_GEOMETRY_CONFIGURED, .pose = u->pose, .size = urg_size};
    tp_status status = tp_device_set_geometry(device, &geometry);

    return status == TP_OK ? tp_device_add_property(device, &serial_number, err) : status;
}

static tp_status urg_init(tp_instance *self, tp_error *err)
{
    struct urg *u = tp_instance_state(self);
    tp_status status = read_params(self, err);

    if (status == TP_OK && tp_provides(self, &tp_interface_ranger, NULL)) {
        status = tp_offer_ranger(self, NULL, &urg_ranger, &u->ranger, err);
        status = status == TP_OK ? describe(u, u->ranger, err) : status;
    }
    if (status == TP_OK && tp_provides(self, &tp_interface_laser, NULL)) {
        status = tp_offer_laser(self, NULL, &urg_laser, &u->laser, err);
        status = status == TP_OK ? describe(u, u->laser, err) : status;
    }
    return status;
}

static const tp_driver_ops urg_ops = {
    .init = urg_init,
    .start = urg_start,
    .poll = urg_poll,
    .input = urg_input,
    .stop = urg_stop,
};

extern const tp_driver tp_driver_urg;

/* The only symbol that a plug-in has to export. */
TP_API const tp_driver tp_driver_urg = {
    .abi = TP_DRIVER_ABI,
    .name = "urg",
    .summary = "Hokuyo range finders that speak SCIP, such as the URG-04LX",
    .state_size = sizeof(struct urg),
    .params = urg_params,
    .ops = &urg_ops,
};
