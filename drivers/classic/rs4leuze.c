/*
 * rs4leuze - the scanning range finder RS4 of Leuze on a serial line.
 *
 * The scanner sends scans by itself. Five bytes 00 are in front of each: command, options, perhaps
 * a password, the number of the scan (each byte followed by FE), resolution, first and last step,
 * the ranges in millimetres, and a sum. The lowest bit of a range is always set, so that its bytes
 * are never three times 00. Nothing is sent to the scanner.
 */
#include <math.h>
#include <string.h>

#include "numbers.h"
#include "troupe/driver/laser.h"

enum { GAP = 5, MOST_RANGES = 529, HEAD = 13, MOST_BYTES = 12 + HEAD + 2 * MOST_RANGES + 1 };

static const double degree = 3.14159265358979323846 / 180;

struct rs4 {
    tp_device *laser;
    tp_port *port; /* owned; NULL unless it runs */
    double baud, points, timeout_s, low, high;
    bool invert;
    tp_laser_geom geom;
    uint8_t bytes[MOST_BYTES];
    size_t length;
    unsigned zeros; /* that came last */
    bool inside;    /* of a message */
    int64_t heard_ns;
    float ranges[MOST_RANGES];
};

static const tp_param rs4_params[] = {
    {"port", "line", "/dev/ttyS1", "the line, for instance /dev/ttyUSB0"},
    {"baud", "1", "57600", "speed of a serial line"},
    {"scan_points", "1", "132", "ranges of a scan, less one: 132, 176, 264 or 528"},
    {"min_angle", "rad", "-1.658761", "angle of the first range"},
    {"max_angle", "rad", "1.658761", "angle of the last range"},
    {"invert_data", "bool", "yes", "whether ranges come from left to right, as they usually do"},
    {"pose", "m m rad", "0 0 0", "where it sits on the robot: x y yaw"},
    {"timeout", "s", "2", "a scanner that is silent for so long is started anew"},
    {NULL, NULL, NULL, NULL},
};

static size_t range_count(const struct rs4 *r)
{
    return (size_t)r->points + 1;
}

/* Where the head begins: behind command, options and password. */
static size_t head_at(const struct rs4 *r)
{
    const uint8_t option = r->length > 1 ? r->bytes[1] : 0;
    const unsigned options = option & 3;

    return 2U + (options > 1) + (options > 2) + ((option & 0x20) != 0 ? 8U : 0U);
}

/* Every second byte of the number is FE. */
static bool is_scan(const struct rs4 *r)
{
    const uint8_t *head = r->bytes + head_at(r);

    return head[1] == 0xfe && head[3] == 0xfe && head[5] == 0xfe && head[7] == 0xfe;
}

static void take_scan(tp_instance *self)
{
    struct rs4 *r = tp_instance_state(self);
    const size_t count = range_count(r);
    const uint8_t *at = r->bytes + head_at(r) + HEAD;

    if (!is_scan(r)) {
        return;
    }
    r->heard_ns = tpi_classic_now_ns(self);
    for (size_t i = 0; i < count; i++) {
        const unsigned mm = (unsigned)at[2 * i] << 8 | (at[2 * i + 1] & 0xfeU);
        r->ranges[r->invert ? count - 1 - i : i] = (float)(mm / 1000.0);
    }
    const tp_laser_data data = {.min_angle = (float)r->low,
                                .max_angle = (float)r->high,
                                .resolution = (float)((r->high - r->low) / r->points),
                                .max_range = 50,
                                .ranges_count = (uint32_t)count,
                                .ranges = r->ranges};
    tp_laser_publish_scan(r->laser, &data, 0);
}

static void take_byte(tp_instance *self, uint8_t byte)
{
    struct rs4 *r = tp_instance_state(self);

    if (r->inside) {
        r->bytes[r->length++] = byte;
        if (r->length == head_at(r) + HEAD + 2 * range_count(r) + 1) {
            take_scan(self);
            r->inside = false;
        }
    } else if (byte != 0 && r->zeros >= GAP) {
        r->inside = true;
        r->bytes[0] = byte;
        r->length = 1;
    }
    r->zeros = byte == 0 ? r->zeros + 1 : 0;
    if (r->zeros >= 3) { /* no message has them: one was cut */
        r->inside = false;
    }
}

static tp_status rs4_input(tp_instance *self, tp_port *port, tp_error *err)
{
    uint8_t bytes[256];
    size_t length = 0;
    tp_status status;

    while ((status = tp_port_read(port, bytes, sizeof bytes, &length, 0, err)) == TP_OK) {
        for (size_t i = 0; i < length; i++) {
            take_byte(self, bytes[i]);
        }
    }
    return status == TP_E_TIMEOUT ? TP_OK : status;
}

static tp_status rs4_poll(tp_instance *self, tp_error *err)
{
    const struct rs4 *r = tp_instance_state(self);

    return tpi_classic_check(self, r->heard_ns, r->timeout_s, "the scanner", err);
}

static tp_status get_geom(tp_device *device, tp_laser_geom *answer, tp_error *err)
{
    (void)err;
    *answer = ((struct rs4 *)tp_instance_state(tp_device_instance(device)))->geom;
    return TP_OK;
}

static tp_status get_config(tp_device *device, tp_laser_config *answer, tp_error *err)
{
    const struct rs4 *r = tp_instance_state(tp_device_instance(device));

    (void)err;
    *answer = (tp_laser_config){.min_angle = (float)r->low,
                                .max_angle = (float)r->high,
                                .resolution = (float)((r->high - r->low) / r->points),
                                .max_range = 50,
                                .range_res = 0.002f};
    return TP_OK;
}

static const tp_laser_ops laser_ops = {.req_get_geom = get_geom, .req_get_config = get_config};

static tp_status rs4_init(tp_instance *self, tp_error *err)
{
    struct rs4 *r = tp_instance_state(self);
    const struct classic_number numbers[] = {
        {"baud", 300, 12000000, &r->baud},
        {"scan_points", 132, 528, &r->points},
        {"min_angle", -180 * degree, 180 * degree, &r->low},
        {"max_angle", -180 * degree, 185.04 * degree, &r->high},
        {"timeout", 0.3, 3600, &r->timeout_s}};
    const tp_status status =
        tpi_classic_numbers(self, numbers, sizeof numbers / sizeof numbers[0], err);

    if (status != TP_OK) {
        return status;
    }
    if (fmod(528, r->points) != 0 || r->low >= r->high) {
        tp_param_blame(self, r->low >= r->high ? "max_angle" : "scan_points");
        return tp_fail(err, TP_E_RANGE,
                       r->low >= r->high ? "max_angle is not above min_angle"
                                         : "scan_points is 132, 176, 264 or 528");
    }
    r->invert = tp_param_bool(self, "invert_data");
    r->geom = (tp_laser_geom){.pose = {.px = tp_param_double_at(self, "pose", 0),
                                       .py = tp_param_double_at(self, "pose", 1),
                                       .pyaw = tp_param_double_at(self, "pose", 2)},
                              .size = {.sl = 0.14, .sw = 0.14}};
    return tp_offer_laser(self, NULL, &laser_ops, &r->laser, err);
}

static tp_status rs4_start(tp_instance *self, tp_error *err)
{
    struct rs4 *r = tp_instance_state(self);
    const tp_status status = tpi_classic_open(&r->port, self, r->baud, err);

    if (status == TP_OK) {
        r->inside = false;
        r->zeros = 0;
        r->heard_ns = tpi_classic_now_ns(self);
        tp_instance_set_period(self, 200 * TP_NS_PER_MS);
        tp_port_watch(r->port, true);
    }
    return status;
}

static void rs4_stop(tp_instance *self)
{
    struct rs4 *r = tp_instance_state(self);

    tp_port_close(r->port);
    r->port = NULL;
}

static const tp_driver_ops rs4_ops = {
    .init = rs4_init,
    .start = rs4_start,
    .poll = rs4_poll,
    .input = rs4_input,
    .stop = rs4_stop,
};

extern const tp_driver tp_driver_rs4leuze;
TP_API const tp_driver tp_driver_rs4leuze = {
    .abi = TP_DRIVER_ABI,
    .name = "rs4leuze",
    .summary = "Leuze RS4 range finders",
    .state_size = sizeof(struct rs4),
    .params = rs4_params,
    .ops = &rs4_ops,
};
