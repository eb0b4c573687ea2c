/*
 * mbasedriver - the robots mBase MR5 and MR7 of MoviRobotics: packets as those of P2OS, with a sum
 * of one byte.
 *
 * A packet is FA FB, a length, so many bytes, and the sum of length and bytes. The robot reports by
 * itself. See README.md.
 */
#include <math.h>
#include <string.h>

#include "numbers.h"
#include "troupe/driver/aio.h"
#include "troupe/driver/ir.h"
#include "troupe/driver/position2d.h"
#include "troupe/driver/power.h"
#include "troupe/driver/sonar.h"

enum {
    OPEN = 1,
    CLOSE = 2,
    ENABLE = 4,
    RESET_ORIGIN = 7,
    TRANS_VEL = 11,
    ROT_VEL = 21,
    SONAR = 28,
    STOP = 29,
    ANALOG = 71,
    PID_P = 80,
    PID_I = 81,
    PID_V = 82,
    TRANS_ACC = 90,
    DRIFT = 92,
    WIDTH = 93,
    WHEEL = 94,
    POSITIVE = 0x3b,
    NEGATIVE = 0x1b,
    SONARS = 8,
    ANALOGS = 3,
    EYES = 5, /* three analog ones, two digital ones */
    LONGEST = 8,
    MOST_BYTES = 3 + 255 + 1,
};

static const double pi = 3.14159265358979323846;

struct mbase {
    tp_device *vehicle, *power, *aio, *ir, *sonar; /* NULL if not offered */
    tp_port *port;                                 /* owned; NULL unless it runs */
    double baud, max_speed, max_turn, timeout_s, type;
    double acceleration, gains[3], drift, width, wheel; /* mm */
    bool analog_eyes;
    uint8_t bytes[MOST_BYTES];
    size_t length;
    int64_t heard_ns;
    double pose[3], origin[3]; /* what the robot says; what is subtracted */
    bool known, runs;
    float volts[EYES], eye_volts[EYES], ranges[SONARS];
    uint64_t damaged;
};

static const tp_param mbase_params[] = {
    {"port", "line", "/dev/ttyS0", "the line, for instance /dev/ttyUSB0"},
    {"baud", "1", "115200", "speed of a serial line"},
    {"tipoMBase", "1", "5", "5 for the MR5, 7 for the MR7"},
    {"robotWidth", "1", "0", "distance of the wheels in mm; 0 for that of the type"},
    {"robotWheel", "1", "0", "diameter of a wheel in mm; 0 for that of the type"},
    {"max_trans_vel", "m/s", "0.5", "highest speed; commands above it are limited"},
    {"max_rot_vel", "rad", "1.745329", "the same for turning: an angle per second"},
    {"trans_acel", "1", "500", "acceleration in mm/s^2"},
    {"rot_acel", "1", "135", "ignored: the robot has its own"},
    {"pid_p", "1", "10", "gain of the controller of speeds"},
    {"pid_i", "1", "10", "the same"},
    {"pid_d", "1", "6000", "the same"},
    {"driffactor", "1", "0", "correction of a robot that pulls to one side"},
    {"ir_analog", "bool", "no", "infrared sensors as voltages, not as 0 and 1"},
    {"timeout", "s", "3", "a robot that is silent for so long is started anew"},
    {"debug", "bool", "no", "ignored"},
    {NULL, NULL, NULL, NULL},
};

static struct mbase *mbase_of(const tp_device *device)
{
    return tp_instance_state(tp_device_instance(device));
}

/* ---- Saying ---------------------------------------------------------------------------------- */

static size_t wrap(uint8_t *out, const uint8_t *payload, uint8_t length)
{
    out[0] = 0xfa;
    out[1] = 0xfb;
    out[2] = length;
    memcpy(out + 3, payload, length);
    out[3 + length] = tpi_classic_sum(out + 2, 1U + length);
    return 4U + length;
}

static size_t put_command(uint8_t *out, uint8_t command, int value)
{
    const unsigned size = (unsigned)(value < 0 ? -value : value);
    const uint8_t payload[] = {command, value < 0 ? NEGATIVE : POSITIVE, (uint8_t)size,
                               (uint8_t)(size >> 8)};

    return wrap(out, payload, sizeof payload);
}

static tp_status say(tp_instance *self, uint8_t command, int value, tp_error *err)
{
    const struct mbase *m = tp_instance_state(self);
    uint8_t out[LONGEST];

    return tp_port_write(m->port, out, put_command(out, command, value), err);
}

static tp_status say_only(tp_instance *self, uint8_t command, tp_error *err)
{
    const struct mbase *m = tp_instance_state(self);
    uint8_t out[LONGEST];

    return tp_port_write(m->port, out, wrap(out, &command, 1), err);
}

/* No velocities and STOP, after whatever ends a packet that was begun. */
static size_t stop_bytes(uint8_t out[5 * LONGEST], bool closes)
{
    static const uint8_t stop = STOP, end = CLOSE;
    size_t length = LONGEST;

    memset(out, 0, LONGEST);
    length += put_command(out + length, TRANS_VEL, 0);
    length += put_command(out + length, ROT_VEL, 0);
    length += wrap(out + length, &stop, 1);
    return closes ? length + wrap(out + length, &end, 1) : length;
}

/* ---- Hearing --------------------------------------------------------------------------------- */

static int s16(const uint8_t *at)
{
    return (int16_t)(at[0] | at[1] << 8);
}

static double s32(const uint8_t *at)
{
    return (int32_t)((uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
                     (uint32_t)at[3] << 24);
}

/* y, x (mm), an angle (degrees), speeds of both wheels, the battery. */
static void take_motion(struct mbase *m, const uint8_t *report, size_t length)
{
    if (length < 17) {
        return;
    }
    memcpy(m->pose,
           (const double[3]){s32(report + 5) / 1000, s32(report + 1) / 1000,
                             s16(report + 9) * pi / 180},
           sizeof m->pose);
    if (!m->known) {
        m->known = true;
        memcpy(m->origin, m->pose, sizeof m->origin);
    }
    const double unit = 1.20482 / 1000; /* of a speed, in m/s */
    const double left = s16(report + 11) * unit, right = s16(report + 13) * unit;
    const double x = m->pose[0] - m->origin[0], y = m->pose[1] - m->origin[1];
    const double turn = m->origin[2];
    const tp_position2d_data data = {
        .pos = {.px = x * cos(turn) + y * sin(turn),
                .py = -x * sin(turn) + y * cos(turn),
                .pa = remainder(m->pose[2] - turn, 2 * pi)},
        .vel = {.px = (left + right) / 2, .pa = (right - left) / (m->width / 1000)}};
    if (m->vehicle != NULL) {
        tp_position2d_publish_state(m->vehicle, &data, 0);
    }
    if (m->power != NULL) {
        /* 12 bits of 5 V, behind a divider */
        const double volts = (report[15] | report[16] << 8) * 5.0 / 4096 * 1.512 / 0.512;
        const tp_power_data power = {.valid = TP_POWER_MASK_VOLTS | TP_POWER_MASK_PERCENT,
                                     .volts = (float)volts,
                                     .percent = (float)fmin(100, volts / 13 * 100)};
        tp_power_publish_state(m->power, &power, 0);
    }
}

/* Three voltages of 12 bits, two switches. */
static void take_inputs(struct mbase *m, const uint8_t *report, size_t length)
{
    if (length < 1 + 2 * ANALOGS + (EYES - ANALOGS)) {
        return;
    }
    for (unsigned i = 0; i < EYES; i++) {
        const bool analog = i < ANALOGS;
        const int value = analog ? report[1 + 2 * i] | report[2 + 2 * i] << 8
                                 : report[1 + 2 * ANALOGS + i - ANALOGS];
        m->volts[i] = (float)(analog ? value * 5.0 / 4096 : value != 0);
        m->eye_volts[i] = analog && !m->analog_eyes ? (float)(value > 1500) : m->volts[i];
    }
    if (m->aio != NULL) {
        const tp_aio_data data = {.voltages_count = EYES, .voltages = m->volts};
        tp_aio_publish_state(m->aio, &data, 0);
    }
    if (m->ir != NULL) {
        const tp_ir_data data = {.voltages_count = EYES,
                                 .voltages = m->eye_volts,
                                 .ranges_count = EYES,
                                 .ranges = m->eye_volts};
        tp_ir_publish_ranges(m->ir, &data, 0);
    }
}

static void take_sonars(struct mbase *m, const uint8_t *report, size_t length)
{
    for (size_t i = 0; i < report[1] && 2 + 3 * i + 2 < length; i++) {
        const uint8_t *at = report + 2 + 3 * i;
        if (at[0] < SONARS) {
            m->ranges[at[0]] = (float)((at[1] | at[2] << 8) / 1000.0);
        }
    }
    if (m->sonar != NULL) {
        const tp_sonar_data data = {.ranges_count = SONARS, .ranges = m->ranges};
        tp_sonar_publish_ranges(m->sonar, &data, 0);
    }
}

static void take_report(tp_instance *self, const uint8_t *report, size_t length)
{
    struct mbase *m = tp_instance_state(self);

    m->heard_ns = tpi_classic_now_ns(self);
    if (!m->runs) { /* the first one only shows that it is there */
        return;
    }
    if (report[0] == 0x80 || report[0] == 0x82 || report[0] == 0x83) {
        take_motion(m, report, length);
    } else if (report[0] == 0x9a) {
        take_inputs(m, report, length);
    } else if (report[0] == 0x9b && length >= 2) {
        take_sonars(m, report, length);
    }
}

/* Drop `count` bytes, and what cannot begin a packet. */
static void skip(struct mbase *m, size_t count)
{
    while (count < m->length &&
           (m->bytes[count] != 0xfa || (count + 1 < m->length && m->bytes[count + 1] != 0xfb))) {
        count++;
    }
    m->length -= count;
    memmove(m->bytes, m->bytes + count, m->length);
}

/* A packet whose sum is wrong may hide another one: only its first byte is dropped. True if there
 * was one that is right. */
static bool take_byte(tp_instance *self, uint8_t byte)
{
    struct mbase *m = tp_instance_state(self);
    bool found = false;

    m->bytes[m->length++] = byte;
    skip(m, 0);
    while (m->length >= 3 && m->length >= 4U + m->bytes[2]) {
        const size_t length = m->bytes[2];
        const bool right =
            length > 0 && tpi_classic_sum(m->bytes + 2, 1 + length) == m->bytes[3 + length];
        if (right) {
            take_report(self, m->bytes + 3, length);
            found = true;
        } else {
            m->damaged++;
        }
        skip(m, right ? 4 + length : 1);
    }
    return found;
}

static tp_status mbase_input(tp_instance *self, tp_port *port, tp_error *err)
{
    uint8_t bytes[256];
    size_t length = 0;
    tp_status status;

    while ((status = tp_port_read(port, bytes, sizeof bytes, &length, 0, err)) == TP_OK) {
        for (size_t i = 0; i < length; i++) {
            (void)take_byte(self, bytes[i]);
        }
    }
    return status == TP_E_TIMEOUT ? TP_OK : status;
}

static tp_status mbase_poll(tp_instance *self, tp_error *err)
{
    const struct mbase *m = tp_instance_state(self);

    return tpi_classic_check(self, m->heard_ns, m->timeout_s, "the robot", err);
}

/* ---- Commands -------------------------------------------------------------------------------- */

static int limited(double value, double most, double scale)
{
    return (int)lrint(fmax(-most, fmin(most, value)) * scale);
}

static tp_status cmd_vel(tp_device *device, const tp_position2d_cmd_vel *ask, tp_error *err)
{
    tp_instance *self = tp_device_instance(device);
    const struct mbase *m = mbase_of(device);

    if (!isfinite(ask->vel.px) || !isfinite(ask->vel.pa)) {
        return tp_fail(err, TP_E_RANGE, "a velocity is made of numbers");
    }
    const tp_status status = say(self, TRANS_VEL, limited(ask->vel.px, m->max_speed, 1000), err);
    return status == TP_OK ? say(self, ROT_VEL, limited(ask->vel.pa, m->max_turn, 180 / pi), err)
                           : status;
}

static tp_status vehicle_geom(tp_device *device, tp_position2d_geom *answer, tp_error *err)
{
    (void)err;
    *answer = (tp_position2d_geom){.pose = {.px = -0.23},
                                   .size = {.sl = 0.54, .sw = mbase_of(device)->width / 1000}};
    return TP_OK;
}

static tp_status motor_power(tp_device *device, const tp_position2d_power_config *ask,
                             tp_error *err)
{
    return say(tp_device_instance(device), ENABLE, ask->state != 0, err);
}

static tp_status reset_odom(tp_device *device, tp_error *err)
{
    struct mbase *m = mbase_of(device);

    (void)err;
    memcpy(m->origin, m->pose, sizeof m->origin);
    return TP_OK;
}

static tp_status sonar_geom(tp_device *device, tp_sonar_geom *answer, tp_error *err)
{
    static tp_pose3d poses[SONARS] = {{.px = 0.1662, .py = -0.0129, .pyaw = -1.5708},
                                      {.px = 0.1894, .py = -0.0102, .pyaw = -1.0442},
                                      {.px = 0.2063, .py = -0.0053, .pyaw = -0.6079},
                                      {.px = 0.2063, .py = -0.0006, .pyaw = -0.1716},
                                      {.px = 0.2063, .py = 0.0006, .pyaw = 0.1716},
                                      {.px = 0.2063, .py = 0.0053, .pyaw = 0.6079},
                                      {.px = 0.1894, .py = 0.0102, .pyaw = 1.0442},
                                      {.px = 0.1662, .py = 0.0129, .pyaw = 1.5708}};

    (void)device;
    (void)err;
    answer->poses_count = SONARS;
    answer->poses = poses;
    return TP_OK;
}

static tp_status ir_pose(tp_device *device, tp_ir_pose *answer, tp_error *err)
{
    static tp_pose3d poses[EYES] = {{.px = 0.023, .py = 0.085},
                                    {.px = 0.023},
                                    {.px = 0.023, .py = -0.085},
                                    {.px = -0.5, .pyaw = 3.14159},
                                    {.px = -0.25, .py = -0.13, .pyaw = -1.5708}};

    (void)device;
    (void)err;
    answer->poses_count = EYES;
    answer->poses = poses;
    return TP_OK;
}

static const tp_position2d_ops vehicle_ops = {.cmd_vel = cmd_vel,
                                              .req_get_geom = vehicle_geom,
                                              .req_motor_power = motor_power,
                                              .req_reset_odom = reset_odom};
static const tp_sonar_ops sonar_ops = {.req_get_geom = sonar_geom};
static const tp_ir_ops ir_ops = {.req_pose = ir_pose};
static const tp_aio_ops aio_ops = {0};
static const tp_power_ops power_ops = {0};

static void mbase_halt(tp_device *device, tp_halt how)
{
    const struct mbase *m = mbase_of(device);
    uint8_t out[5 * LONGEST];
    const size_t length = stop_bytes(out, false);

    (void)how;
    if (device == m->vehicle) {
        (void)tp_port_write(m->port, out + LONGEST, length - LONGEST, NULL);
    }
}

/* ---- Life ------------------------------------------------------------------------------------ */

static tp_status read_type(tp_instance *self, tp_error *err)
{
    struct mbase *m = tp_instance_state(self);

    if (m->type != 5 && m->type != 7) {
        tp_param_blame(self, "tipoMBase");
        return tp_fail(err, TP_E_RANGE, "tipoMBase is 5 or 7, not %g", m->type);
    }
    m->width = m->width > 0 ? m->width : m->type == 7 ? 495 : 410;
    m->wheel = m->wheel > 0 ? m->wheel : m->type == 7 ? 310 : 190;
    m->analog_eyes = tp_param_bool(self, "ir_analog");
    return TP_OK;
}

static tp_status mbase_init(tp_instance *self, tp_error *err)
{
    struct mbase *m = tp_instance_state(self);
    const struct classic_number numbers[] = {
        {"baud", 300, 12000000, &m->baud},    {"max_trans_vel", 0, 3, &m->max_speed},
        {"max_rot_vel", 0, 15, &m->max_turn}, {"timeout", 0.7, 3600, &m->timeout_s},
        {"tipoMBase", 5, 7, &m->type},        {"robotWidth", 0, 5000, &m->width},
        {"robotWheel", 0, 5000, &m->wheel},   {"trans_acel", 0, 1500, &m->acceleration},
        {"pid_p", 0, 30000, &m->gains[0]},    {"pid_i", 0, 30000, &m->gains[1]},
        {"pid_d", 0, 30000, &m->gains[2]},    {"driffactor", -30000, 30000, &m->drift}};
    const struct classic_offer offers[] = {
        {&tp_interface_position2d, NULL, &vehicle_ops, &m->vehicle},
        {&tp_interface_power, NULL, &power_ops, &m->power},
        {&tp_interface_aio, NULL, &aio_ops, &m->aio},
        {&tp_interface_ir, NULL, &ir_ops, &m->ir},
        {&tp_interface_sonar, NULL, &sonar_ops, &m->sonar}};
    tp_status status = tpi_classic_numbers(self, numbers, sizeof numbers / sizeof numbers[0], err);

    status = status == TP_OK ? read_type(self, err) : status;
    return status == TP_OK ? tpi_classic_offer(self, offers, sizeof offers / sizeof offers[0], err)
                           : status;
}

/* It reports without being asked. */
static tp_status await_report(tp_instance *self, tp_error *err)
{
    struct mbase *m = tp_instance_state(self);
    const int64_t deadline_ns = tpi_classic_now_ns(self) + 3 * TP_NS_PER_S;
    tp_status status = TP_OK;
    uint8_t byte = 0;

    m->length = 0;
    m->known = m->runs = false;
    do {
        status = tp_port_read_all(m->port, &byte, 1, deadline_ns, err);
    } while (status == TP_OK && !take_byte(self, byte));
    return status == TP_E_TIMEOUT
               ? tp_fail(err, TP_E_TIMEOUT, "%s: no robot reports: is it switched on?",
                         tp_port_url(m->port))
               : status;
}

static tp_status set_up(tp_instance *self, tp_error *err)
{
    const struct mbase *m = tp_instance_state(self);
    const struct {
        uint8_t command;
        double value;
        bool wanted;
    } words[] = {{TRANS_ACC, m->acceleration, m->acceleration > 0},
                 {DRIFT, m->drift, true},
                 {WIDTH, m->width, true},
                 {WHEEL, m->wheel, true},
                 {PID_P, m->gains[0], true},
                 {PID_V, m->gains[2], true},
                 {PID_I, m->gains[1], true},
                 {SONAR, 1, m->sonar != NULL},
                 {ANALOG, 1, m->aio != NULL || m->ir != NULL},
                 {ENABLE, m->vehicle != NULL, true}};
    tp_status status = say_only(self, OPEN, err);

    status = status == TP_OK ? say_only(self, STOP, err) : status;
    for (size_t i = 0; i < sizeof words / sizeof words[0] && status == TP_OK; i++) {
        status =
            words[i].wanted ? say(self, words[i].command, (int)lrint(words[i].value), err) : TP_OK;
    }
    return status;
}

static tp_status mbase_start(tp_instance *self, tp_error *err)
{
    struct mbase *m = tp_instance_state(self);
    uint8_t bytes[5 * LONGEST];
    tp_status status = tpi_classic_open(&m->port, self, m->baud, err);

    status = status == TP_OK ? await_report(self, err) : status;
    status = status == TP_OK ? set_up(self, err) : status;
    if (status == TP_OK && m->vehicle != NULL) {
        status = tp_port_guard(m->port, bytes, stop_bytes(bytes, true), err);
    }
    if (status != TP_OK) {
        tp_port_close(m->port);
        m->port = NULL;
        return status;
    }
    m->runs = true;
    m->heard_ns = tpi_classic_now_ns(self);
    tp_instance_set_period(self, 100 * TP_NS_PER_MS);
    tp_port_watch(m->port, true);
    return TP_OK;
}

static void mbase_stop(tp_instance *self)
{
    struct mbase *m = tp_instance_state(self);
    uint8_t out[5 * LONGEST];
    const size_t length = stop_bytes(out, true);

    (void)tp_port_write(m->port, out + LONGEST, length - LONGEST, NULL);
    tp_port_close(m->port);
    m->port = NULL;
}

static const tp_driver_ops mbase_ops = {
    .init = mbase_init,
    .start = mbase_start,
    .poll = mbase_poll,
    .input = mbase_input,
    .halt = mbase_halt,
    .stop = mbase_stop,
};

extern const tp_driver tp_driver_mbasedriver;
TP_API const tp_driver tp_driver_mbasedriver = {
    .abi = TP_DRIVER_ABI,
    .name = "mbasedriver",
    .summary = "the robots mBase of MoviRobotics",
    .state_size = sizeof(struct mbase),
    .params = mbase_params,
    .ops = &mbase_ops,
};
