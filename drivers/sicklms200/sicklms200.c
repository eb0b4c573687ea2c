/*
 * sicklms200 - the scanning range finders of SICK: LMS 200, 211, 220, 221 and 291.
 *
 * The scanner sends scan after scan: 180 degrees in steps of 1 or 0.5, or 100 degrees in steps of
 * 0.25. See README.md. Not supported: PLS scanners, intensities, several echoes, fields.
 */
#include "sicklms200.h"

#include <math.h>

#include "troupe/driver/laser.h"

static const double degree = 3.14159265358979323846 / 180;

static const tp_param lms_params[] = {
    {"port", "line", "/dev/ttyS1", "the line, for instance /dev/ttyUSB0"},
    {"connect_rate", "1", "9600 38400 500000", "speeds at which the scanner is looked for"},
    {"transfer_rate", "1", "38400", "speed afterwards: 9600, 19200, 38400 or 500000"},
    {"resolution", "1", "50", "hundredths of a degree between ranges: 25, 50 or 100"},
    {"range_res", "1", "1", "resolution of ranges: 1 mm up to 8 m, or 10 mm up to 80 m"},
    {"invert", "bool", "no", "whether it is mounted upside down"},
    {"pose", "m m rad", "0 0 0", "where it sits on the robot: x y yaw"},
    {"size", "m", "0.15 0.15", "how large it is: length width"},
    {"timeout", "s", "2", "a scanner that is silent for so long is started anew"},
    {"retry", "1", "0", "ignored: a scanner that fails is started anew after `restart`"},
    {"delay", "s", "0", "ignored; for configurations made for Player"},
    {"serial_high_speed_mode", "1", "0", "ignored; for configurations made for Player"},
    {"serial_high_speed_baudremap", "1", "0", "ignored; for configurations made for Player"},
    {NULL, NULL, NULL, NULL},
};

static struct lms *lms_of(const tp_device *device)
{
    return tp_instance_state(tp_device_instance(device));
}

static int64_t now_ns(const tp_instance *self)
{
    return tp_clock_now_ns(tp_instance_clock(self));
}

static double half_angle(const struct lms *l)
{
    return (l->resolution == 25 ? 50 : 90) * degree;
}

static double max_range(const struct lms *l)
{
    return l->range_res == 1 ? 8.191 : 81.91;
}

/* ---- Scans ----------------------------------------------------------------------------------- */

/* The answer to "all values": their number and unit, and each in 13 bits. */
static void take_scan(tp_instance *self, const uint8_t *body, size_t length)
{
    struct lms *l = tp_instance_state(self);
    const unsigned head = length >= 3 ? lms_u16(body + 1) : 0;
    const unsigned count = head & 0x3ff;
    const double unit = (head & 0xc000) == 0x4000 ? 0.001 : 0.01;

    if (count == 0 || count > LMS_MOST_RANGES || length < 3 + 2 * (size_t)count) {
        return;
    }
    l->heard_ns = now_ns(self);
    for (unsigned i = 0; i < count; i++) {
        const unsigned at = l->invert ? count - 1 - i : i;
        l->ranges[at] = (float)((lms_u16(body + 3 + 2 * (size_t)i) & 0x1fff) * unit);
    }
    const tp_laser_data data = {.min_angle = (float)-half_angle(l),
                                .max_angle = (float)half_angle(l),
                                .resolution = (float)(l->resolution * degree / 100),
                                .max_range = (float)max_range(l),
                                .ranges_count = count,
                                .ranges = l->ranges,
                                .id = l->number++};
    if (!l->off) {
        tp_laser_publish_scan(l->laser, &data, 0);
    }
}

static tp_status lms_input(tp_instance *self, tp_port *port, tp_error *err)
{
    struct lms *l = tp_instance_state(self);
    uint8_t bytes[256];
    size_t length = 0;
    tp_status status;

    while ((status = tp_port_read(port, bytes, sizeof bytes, &length, 0, err)) == TP_OK) {
        for (size_t i = 0; i < length; i++) {
            if (tpi_lms_read(&l->reader, bytes[i]) && l->reader.bytes[LMS_HEAD] == 0xb0) {
                take_scan(self, l->reader.bytes + LMS_HEAD, tpi_lms_body(&l->reader));
            }
        }
    }
    return status == TP_E_TIMEOUT ? TP_OK : status;
}

static tp_status lms_poll(tp_instance *self, tp_error *err)
{
    const struct lms *l = tp_instance_state(self);

    if (now_ns(self) - l->heard_ns > l->timeout_ns) {
        return tp_fail(err, TP_E_TIMEOUT, "no scan for %.1f s%s",
                       (double)l->timeout_ns / (double)TP_NS_PER_S,
                       l->reader.damaged > 0 ? ", but telegrams with wrong sums" : "");
    }
    return TP_OK;
}

/* ---- Requests -------------------------------------------------------------------------------- */

static tp_status get_geom(tp_device *device, tp_laser_geom *answer, tp_error *err)
{
    const struct lms *l = lms_of(device);

    (void)err;
    answer->pose = l->pose;
    answer->size = l->size;
    return TP_OK;
}

static tp_status get_config(tp_device *device, tp_laser_config *answer, tp_error *err)
{
    const struct lms *l = lms_of(device);

    (void)err;
    *answer = (tp_laser_config){.min_angle = (float)-half_angle(l),
                                .max_angle = (float)half_angle(l),
                                .resolution = (float)(l->resolution * degree / 100),
                                .max_range = (float)max_range(l),
                                .range_res = (float)(l->range_res / 1000.0),
                                .scanning_frequency = (float)(75 * l->resolution / 100.0)};
    return TP_OK;
}

/* The scanner goes on; its scans are not sent. */
static tp_status set_power(tp_device *device, const tp_laser_power_config *ask, tp_error *err)
{
    (void)err;
    lms_of(device)->off = ask->state == 0;
    return TP_OK;
}

static const tp_laser_ops laser_ops = {
    .req_get_geom = get_geom,
    .req_get_config = get_config,
    .req_power = set_power,
};

/* ---- Life ------------------------------------------------------------------------------------ */

static bool is_rate(int64_t rate)
{
    return rate == 9600 || rate == 19200 || rate == 38400 || rate == 500000;
}

static tp_status read_rates(tp_instance *self, tp_error *err)
{
    struct lms *l = tp_instance_state(self);
    const size_t count = tp_param_count(self, "connect_rate");

    if (count < 1 || count > LMS_MOST_RATES) {
        tp_param_blame(self, "connect_rate");
        return tp_fail(err, TP_E_RANGE, "connect_rate has 1 to %d speeds", LMS_MOST_RATES);
    }
    for (size_t i = 0; i <= count; i++) {
        const char *name = i < count ? "connect_rate" : "transfer_rate";
        const double rate = tp_param_double_at(self, name, i < count ? i : 0);
        if (!(rate > 0 && rate < 1e6) || !is_rate((int64_t)rate)) {
            tp_param_blame(self, name);
            return tp_fail(err, TP_E_RANGE, "%s is 9600, 19200, 38400 or 500000, not %g", name,
                           rate);
        }
        if (i < count) {
            l->rates[i] = (unsigned)rate;
        } else {
            l->rate = (unsigned)rate;
        }
    }
    l->rate_count = count;
    return TP_OK;
}

static tp_status read_params(tp_instance *self, tp_error *err)
{
    struct lms *l = tp_instance_state(self);
    const int64_t resolution = tp_param_int(self, "resolution");
    const int64_t range_res = tp_param_int(self, "range_res");
    const double timeout_s = tp_param_double(self, "timeout");

    if (resolution != 25 && resolution != 50 && resolution != 100) {
        tp_param_blame(self, "resolution");
        return tp_fail(err, TP_E_RANGE, "resolution is 25, 50 or 100 hundredths of a degree");
    }
    if (range_res != 1 && range_res != 10) {
        tp_param_blame(self, "range_res");
        return tp_fail(err, TP_E_RANGE, "range_res is 1 or 10 mm");
    }
    if (!(timeout_s >= 0.3 && timeout_s <= 3600)) {
        tp_param_blame(self, "timeout");
        return tp_fail(err, TP_E_RANGE, "timeout is a time from 0.3 s to an hour");
    }
    l->resolution = (unsigned)resolution;
    l->range_res = (unsigned)range_res;
    l->timeout_ns = (int64_t)(timeout_s * (double)TP_NS_PER_S);
    l->invert = tp_param_bool(self, "invert");
    l->pose = (tp_pose3d){.px = tp_param_double_at(self, "pose", 0),
                          .py = tp_param_double_at(self, "pose", 1),
                          .pyaw = tp_param_double_at(self, "pose", 2)};
    l->size = (tp_bbox3d){.sl = tp_param_double_at(self, "size", 0),
                          .sw = tp_param_double_at(self, "size", 1)};
    return read_rates(self, err);
}

static tp_status lms_init(tp_instance *self, tp_error *err)
{
    struct lms *l = tp_instance_state(self);
    tp_status status = read_params(self, err);

    status = status == TP_OK ? tp_offer_laser(self, NULL, &laser_ops, &l->laser, err) : status;
    if (status == TP_OK) {
        const tp_geometry geometry = {
            .known = TP_GEOMETRY_CONFIGURED, .pose = l->pose, .size = l->size};
        status = tp_device_set_geometry(l->laser, &geometry);
    }
    return status;
}

static tp_status lms_start(tp_instance *self, tp_error *err)
{
    struct lms *l = tp_instance_state(self);
    const tp_status status = tpi_lms_connect(self, err);

    if (status != TP_OK) {
        tp_port_close(l->port);
        l->port = NULL;
        return status;
    }
    l->reader = (struct lms_reader){0};
    l->heard_ns = now_ns(self);
    l->off = false;
    tp_instance_set_period(self, 200 * TP_NS_PER_MS);
    tp_port_watch(l->port, true);
    return TP_OK;
}

static void lms_stop(tp_instance *self)
{
    struct lms *l = tp_instance_state(self);

    tpi_lms_quiet(self);
    tp_port_close(l->port);
    l->port = NULL;
}

static const tp_driver_ops lms_ops = {
    .init = lms_init,
    .start = lms_start,
    .poll = lms_poll,
    .input = lms_input,
    .stop = lms_stop,
};

extern const tp_driver tp_driver_sicklms200;
TP_API const tp_driver tp_driver_sicklms200 = {
    .abi = TP_DRIVER_ABI,
    .name = "sicklms200",
    .summary = "SICK LMS 200, 211, 220, 221 and 291 range finders",
    .state_size = sizeof(struct lms),
    .params = lms_params,
    .ops = &lms_ops,
};
