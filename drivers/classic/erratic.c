/*
 * erratic - the robot Erratic of Videre Design: packets in the form of P2OS, with reports of its
 * own.
 *
 * The robot answers SYNC 0, 1 and 2, reports by itself after OPEN, and stops when it has heard
 * nothing for a while; a pulse keeps it going. Positions of its odometry have 12 bits. See
 * README.md.
 */
#include <math.h>
#include <string.h>

#include "numbers.h"
#include "p2os_packet.h"
#include "troupe/driver/aio.h"
#include "troupe/driver/ir.h"
#include "troupe/driver/position2d.h"
#include "troupe/driver/power.h"
#include "troupe/driver/ptz.h"
#include "troupe/driver/sonar.h"

enum {
    PULSE = 0,
    OPEN = 1,
    CLOSE = 2,
    ENABLE = 4,
    TRANS_ACC = 5,
    TRANS_VEL = 11,
    ROT_VEL = 21,
    ROT_ACC = 23,
    SONAR = 28,
    STOP = 29,
    ANALOG = 71,
    SERVO = 75,
    PID_TRANS_P = 80,
    PID_TRANS_V = 81,
    PID_ROT_P = 83,
    PID_ROT_V = 84,
    INPUTS = 16,
    SONARS = 8,
    FLOORS = 4,
};

static const double pi = 3.14159265358979323846;
static const double axle = 0.333;

struct erratic {
    tp_device *vehicle, *power, *aio, *ir, *sonar, *eyes, *tilt; /* NULL if not offered */
    tp_port *port;                                               /* owned; NULL unless it runs */
    double baud, max_speed, max_turn, acceleration, turn_acceleration, timeout_s;
    double gains[4]; /* of the controllers; 0 for the robot's own */
    struct p2os_reader reader;
    int64_t heard_ns, sent_ns;
    bool moves, known;
    int raw[2];               /* x and y of the last report */
    double heading;           /* of the last report */
    double sum[2], offset[3]; /* x and y in m; what is subtracted */
    float volts[INPUTS + FLOORS], floor_volts[FLOORS], floors[FLOORS], ranges[SONARS];
    tp_pose3d places[SONARS];
};

static const tp_param erratic_params[] = {
    {"port", "line", "/dev/erratic", "the line, for instance /dev/ttyUSB0"},
    {"baud", "1", "38400", "speed of a serial line"},
    {"max_trans_vel", "m/s", "0.5", "highest speed; commands above it are limited"},
    {"max_rot_vel", "rad", "1.745329", "the same for turning: an angle per second"},
    {"trans_acc", "m/s^2", "0", "acceleration; 0 for the robot's own"},
    {"rot_acc", "rad", "0", "acceleration of turns; 0 for the robot's own"},
    {"trans_decel", "m/s^2", "0", "ignored: the acceleration counts"},
    {"rot_decel", "rad", "0", "ignored: the acceleration counts"},
    {"pid_trans_p", "1", "0", "gain; 0 for the robot's own"},
    {"pid_trans_v", "1", "0", "gain; 0 for the robot's own"},
    {"pid_rot_p", "1", "0", "gain; 0 for the robot's own"},
    {"pid_rot_v", "1", "0", "gain; 0 for the robot's own"},
    {"motor_pwm_frequency", "1", "0", "ignored"},
    {"motor_pwm_max_on", "1", "0", "ignored"},
    {"direct_wheel_vel_control", "bool", "no", "ignored: speed and turn are sent"},
    {"save_settings_in_robot", "bool", "no", "ignored: nothing is saved in the robot"},
    {"timeout", "s", "3", "a robot that is silent for so long is started anew"},
    {NULL, NULL, NULL, NULL},
};

static struct erratic *erratic_of(const tp_device *device)
{
    return tp_instance_state(tp_device_instance(device));
}

/* ---- Saying ---------------------------------------------------------------------------------- */

static tp_status send(tp_instance *self, const uint8_t *bytes, size_t length, tp_error *err)
{
    struct erratic *e = tp_instance_state(self);

    e->sent_ns = tpi_classic_now_ns(self);
    return tp_port_write(e->port, bytes, length, err);
}

static tp_status say(tp_instance *self, uint8_t command, int argument, tp_error *err)
{
    uint8_t packet[P2OS_MOST_PACKET];

    return send(self, packet, tpi_p2os_command(packet, command, argument), err);
}

static tp_status say_only(tp_instance *self, uint8_t command, tp_error *err)
{
    uint8_t packet[P2OS_MOST_PACKET];

    return send(self, packet, tpi_p2os_wrap(packet, &command, 1), err);
}

static size_t stop_bytes(uint8_t *out, bool closes)
{
    static const uint8_t stop = STOP, end = CLOSE;
    size_t length = tpi_p2os_command(out, TRANS_VEL, 0);

    length += tpi_p2os_command(out + length, ROT_VEL, 0);
    length += tpi_p2os_wrap(out + length, &stop, 1);
    return closes ? length + tpi_p2os_wrap(out + length, &end, 1) : length;
}

/* ---- Hearing --------------------------------------------------------------------------------- */

/* The shortest way between two numbers of 12 bits. */
static int change(int from, int to)
{
    const int way = (to - from) & 0xfff;

    return way > 2047 ? way - 4096 : way;
}

static void publish_place(struct erratic *e, const uint8_t *report)
{
    const double left = p2os_s16(report + 9) / 1000.0;
    const double right = p2os_s16(report + 11) / 1000.0;
    const double x = e->sum[0] - e->offset[0];
    const double y = e->sum[1] - e->offset[1];
    const double turn = e->offset[2];
    const tp_position2d_data data = {.pos = {.px = x * cos(turn) + y * sin(turn),
                                             .py = -x * sin(turn) + y * cos(turn),
                                             .pa = remainder(e->heading - turn, 2 * pi)},
                                     .vel = {.px = (left + right) / 2, .pa = (right - left) / axle},
                                     .stall = ((report[14] | report[15]) & 1) != 0};

    if (e->vehicle != NULL) {
        tp_position2d_publish_state(e->vehicle, &data, 0);
    }
    if (e->power != NULL) {
        const tp_power_data power = {.valid = TP_POWER_MASK_VOLTS | TP_POWER_MASK_PERCENT,
                                     .volts = (float)(report[13] / 10.0),
                                     .percent = (float)fmin(100, report[13] / 1.2)};
        tp_power_publish_state(e->power, &power, 0);
    }
}

static void take_motion(struct erratic *e, const uint8_t *report, size_t length)
{
    if (length < 18) {
        return;
    }
    const int raw[2] = {(int)p2os_u16(report + 1) & 0xfff, (int)p2os_u16(report + 4) & 0xfff};
    for (unsigned i = 0; i < 2; i++) {
        e->sum[i] += e->known ? change(e->raw[i], raw[i]) / 1000.0 : 0;
        e->raw[i] = raw[i];
    }
    e->heading = p2os_s16(report + 7) * pi / 2048;
    if (!e->known) { /* clients count from here */
        e->known = true;
        memcpy(e->offset, (const double[3]){0, 0, e->heading}, sizeof e->offset);
    }
    publish_place(e, report);
}

/* Voltages of ten bits, then a byte whose upper half are the floor sensors. */
static void take_inputs(struct erratic *e, const uint8_t *report, size_t length)
{
    const uint32_t count = report[1] < INPUTS ? report[1] : INPUTS;

    if (length < 2U + 2 * (size_t)report[1] + 1) {
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        e->volts[i] = (float)(p2os_u16(report + 2 + 2 * (size_t)i) / 1024.0 * 3.5);
    }
    for (uint32_t i = 0; i < FLOORS; i++) {
        const bool floor = (report[2 + 2 * (size_t)report[1]] >> (4 + i) & 1) != 0;
        e->volts[count + i] = e->floor_volts[i] = floor ? 1 : 0;
        e->floors[i] = floor ? 0.1f : 1;
    }
    if (e->aio != NULL) {
        const tp_aio_data data = {.voltages_count = count + FLOORS, .voltages = e->volts};
        tp_aio_publish_state(e->aio, &data, 0);
    }
    if (e->ir != NULL) {
        const tp_ir_data data = {.voltages_count = FLOORS,
                                 .voltages = e->floor_volts,
                                 .ranges_count = FLOORS,
                                 .ranges = e->floors};
        tp_ir_publish_ranges(e->ir, &data, 0);
    }
}

static void take_sonars(struct erratic *e, const uint8_t *report, size_t length)
{
    for (size_t i = 0; i < report[1] && 2 + 3 * i + 2 < length; i++) {
        const uint8_t *at = report + 2 + 3 * i;
        if (at[0] < SONARS) {
            e->ranges[at[0]] = (float)(p2os_u16(at + 1) / 1000.0);
        }
    }
    if (e->sonar != NULL) {
        const tp_sonar_data data = {.ranges_count = SONARS, .ranges = e->ranges};
        tp_sonar_publish_ranges(e->sonar, &data, 0);
    }
}

static void take_report(tp_instance *self)
{
    struct erratic *e = tp_instance_state(self);
    const uint8_t *report = e->reader.bytes + P2OS_HEAD;
    const size_t length = tpi_p2os_payload(&e->reader);

    e->heard_ns = tpi_classic_now_ns(self);
    if (report[0] == 0x80 || report[0] == 0x82 || report[0] == 0x83) {
        take_motion(e, report, length);
    } else if (report[0] == 0x9a && length >= 2) {
        take_inputs(e, report, length);
    } else if (report[0] == 0x9b && length >= 2) {
        take_sonars(e, report, length);
    }
}

static tp_status erratic_input(tp_instance *self, tp_port *port, tp_error *err)
{
    struct erratic *e = tp_instance_state(self);
    uint8_t bytes[256];
    size_t length = 0;
    tp_status status;

    while ((status = tp_port_read(port, bytes, sizeof bytes, &length, 0, err)) == TP_OK) {
        for (size_t i = 0; i < length; i++) {
            if (tpi_p2os_read(&e->reader, bytes[i])) {
                take_report(self);
            }
        }
    }
    return status == TP_E_TIMEOUT ? TP_OK : status;
}

static tp_status erratic_poll(tp_instance *self, tp_error *err)
{
    const struct erratic *e = tp_instance_state(self);
    tp_status status = tpi_classic_check(self, e->heard_ns, e->timeout_s, "the robot", err);

    if (status == TP_OK && e->moves && tpi_classic_now_ns(self) - e->sent_ns >= TP_NS_PER_S / 2) {
        status = say_only(self, PULSE, err);
    }
    return status == TP_E_DENIED ? TP_OK : status; /* a panic */
}

/* ---- Commands -------------------------------------------------------------------------------- */

static double limited(double value, double low, double high)
{
    return fmax(low, fmin(high, value));
}

static tp_status cmd_vel(tp_device *device, const tp_position2d_cmd_vel *ask, tp_error *err)
{
    tp_instance *self = tp_device_instance(device);
    struct erratic *e = erratic_of(device);

    if (!isfinite(ask->vel.px) || !isfinite(ask->vel.pa)) {
        return tp_fail(err, TP_E_RANGE, "a velocity is made of numbers");
    }
    const double v = limited(ask->vel.px, -e->max_speed, e->max_speed);
    const double w = limited(ask->vel.pa, -e->max_turn, e->max_turn);
    tp_status status = say(self, TRANS_VEL, (int)lrint(v * 1000), err);
    status = status == TP_OK ? say(self, ROT_VEL, (int)lrint(w * 180 / pi), err) : status;
    e->moves = status == TP_OK && (v != 0 || w != 0);
    return status;
}

static tp_status vehicle_geom(tp_device *device, tp_position2d_geom *answer, tp_error *err)
{
    (void)device;
    (void)err;
    *answer = (tp_position2d_geom){.pose = {.px = -0.1}, .size = {.sl = 0.4, .sw = 0.37}};
    return TP_OK;
}

static tp_status motor_power(tp_device *device, const tp_position2d_power_config *ask,
                             tp_error *err)
{
    return say(tp_device_instance(device), ENABLE, ask->state != 0, err);
}

static tp_status reset_odom(tp_device *device, tp_error *err)
{
    struct erratic *e = erratic_of(device);

    (void)err;
    memcpy(e->offset, (const double[3]){e->sum[0], e->sum[1], e->heading}, sizeof e->offset);
    return TP_OK;
}

/* Angles of servos have no answer, and servos nothing that stops them but the place they go to. */
static tp_status servo(tp_device *device, uint8_t number, float angle, tp_error *err)
{
    const int count = (int)lrint(limited(1650 + 6.5 * (double)angle * 180 / pi, 1100, 2300));
    const uint8_t payload[] = {SERVO, 0x2b, 3, number, (uint8_t)count, (uint8_t)(count >> 8)};
    uint8_t packet[P2OS_MOST_PACKET];

    return send(tp_device_instance(device), packet, tpi_p2os_wrap(packet, payload, sizeof payload),
                err);
}

static tp_status cmd_ptz(tp_device *device, const tp_ptz_cmd *ask, tp_error *err)
{
    const bool second = device == erratic_of(device)->tilt;
    const tp_ptz_data now = {.pan = second ? 0 : ask->pan, .tilt = ask->tilt};

    if (!isfinite(ask->pan) || !isfinite(ask->tilt)) {
        return tp_fail(err, TP_E_RANGE, "angles are numbers");
    }
    tp_status status = second ? TP_OK : servo(device, 2, ask->pan, err);
    status = status == TP_OK ? servo(device, second ? 0 : 1, ask->tilt, err) : status;
    if (status == TP_OK) {
        tp_ptz_publish_state(device, &now, 0);
    }
    return status;
}

static tp_status sonar_geom(tp_device *device, tp_sonar_geom *answer, tp_error *err)
{
    (void)err;
    answer->poses_count = SONARS;
    answer->poses = erratic_of(device)->places;
    return TP_OK;
}

static tp_status ir_pose(tp_device *device, tp_ir_pose *answer, tp_error *err)
{
    (void)err;
    answer->poses_count = FLOORS;
    answer->poses = erratic_of(device)->places;
    return TP_OK;
}

static const tp_position2d_ops vehicle_ops = {.cmd_vel = cmd_vel,
                                              .req_get_geom = vehicle_geom,
                                              .req_motor_power = motor_power,
                                              .req_reset_odom = reset_odom};
static const tp_ptz_ops ptz_ops = {.cmd_state = cmd_ptz};
static const tp_sonar_ops sonar_ops = {.req_get_geom = sonar_geom};
static const tp_ir_ops ir_ops = {.req_pose = ir_pose};
static const tp_aio_ops aio_ops = {0};
static const tp_power_ops power_ops = {0};

static void erratic_halt(tp_device *device, tp_halt how)
{
    struct erratic *e = erratic_of(device);
    uint8_t bytes[4 * P2OS_MOST_PACKET];

    (void)how;
    if (device == e->vehicle) {
        e->moves = false;
        (void)send(tp_device_instance(device), bytes, stop_bytes(bytes, false), NULL);
    }
}

/* ---- Life ------------------------------------------------------------------------------------ */

static tp_status offer_all(tp_instance *self, tp_error *err)
{
    struct erratic *e = tp_instance_state(self);
    const struct classic_offer offers[] = {
        {&tp_interface_position2d, NULL, &vehicle_ops, &e->vehicle},
        {&tp_interface_ptz, "tilt", &ptz_ops, &e->tilt},
        {&tp_interface_ptz, NULL, &ptz_ops, &e->eyes},
        {&tp_interface_power, NULL, &power_ops, &e->power},
        {&tp_interface_aio, NULL, &aio_ops, &e->aio},
        {&tp_interface_ir, NULL, &ir_ops, &e->ir},
        {&tp_interface_sonar, NULL, &sonar_ops, &e->sonar}};

    return tpi_classic_offer(self, offers, sizeof offers / sizeof offers[0], err);
}

static tp_status erratic_init(tp_instance *self, tp_error *err)
{
    struct erratic *e = tp_instance_state(self);
    const struct classic_number numbers[] = {
        {"baud", 300, 12000000, &e->baud},          {"max_trans_vel", 0, 3, &e->max_speed},
        {"max_rot_vel", 0, 15, &e->max_turn},       {"trans_acc", 0, 30, &e->acceleration},
        {"rot_acc", 0, 100, &e->turn_acceleration}, {"pid_trans_p", 0, 30000, &e->gains[0]},
        {"pid_trans_v", 0, 30000, &e->gains[1]},    {"pid_rot_p", 0, 30000, &e->gains[2]},
        {"pid_rot_v", 0, 30000, &e->gains[3]},      {"timeout", 0.7, 3600, &e->timeout_s}};
    const tp_status status =
        tpi_classic_numbers(self, numbers, sizeof numbers / sizeof numbers[0], err);

    return status == TP_OK ? offer_all(self, err) : status;
}

/* Say a word until it is answered with itself. */
static tp_status synchronize(tp_instance *self, uint8_t word, tp_error *err)
{
    struct erratic *e = tp_instance_state(self);
    const int64_t deadline_ns = tpi_classic_now_ns(self) + TP_NS_PER_S;
    tp_status status = say_only(self, word, err);
    uint8_t byte;

    while (status == TP_OK) {
        status = tp_port_read_all(e->port, &byte, 1, deadline_ns, err);
        if (status == TP_OK && tpi_p2os_read(&e->reader, byte) &&
            e->reader.bytes[P2OS_HEAD] == word) {
            return TP_OK;
        }
    }
    return status == TP_E_TIMEOUT
               ? tp_fail(err, TP_E_TIMEOUT, "%s: no robot answers: is it switched on?",
                         tp_port_url(e->port))
               : status;
}

static tp_status set_up(tp_instance *self, tp_error *err)
{
    const struct erratic *e = tp_instance_state(self);
    const struct {
        uint8_t command;
        double argument;
        bool wanted;
    } words[] = {{TRANS_ACC, e->acceleration * 1000, e->acceleration > 0},
                 {ROT_ACC, e->turn_acceleration * 180 / pi, e->turn_acceleration > 0},
                 {PID_TRANS_P, e->gains[0], e->gains[0] > 0},
                 {PID_TRANS_V, e->gains[1], e->gains[1] > 0},
                 {PID_ROT_P, e->gains[2], e->gains[2] > 0},
                 {PID_ROT_V, e->gains[3], e->gains[3] > 0},
                 {SONAR, 1, e->sonar != NULL},
                 {ANALOG, 1, e->aio != NULL || e->ir != NULL},
                 {ENABLE, e->vehicle != NULL, true}};
    tp_status status = say_only(self, OPEN, err);

    for (size_t i = 0; i < sizeof words / sizeof words[0] && status == TP_OK; i++) {
        status = words[i].wanted ? say(self, words[i].command, (int)lrint(words[i].argument), err)
                                 : TP_OK;
    }
    return status;
}

/* A packet that was begun has at most eleven bytes. */
static tp_status guard(struct erratic *e, tp_error *err)
{
    enum { LONGEST = 11 };
    uint8_t bytes[LONGEST + 4 * P2OS_MOST_PACKET] = {0};

    return tp_port_guard(e->port, bytes, LONGEST + stop_bytes(bytes + LONGEST, true), err);
}

static tp_status erratic_start(tp_instance *self, tp_error *err)
{
    struct erratic *e = tp_instance_state(self);
    tp_status status = tpi_classic_open(&e->port, self, e->baud, err);

    e->reader = (struct p2os_reader){0};
    e->known = e->moves = false;
    e->sum[0] = e->sum[1] = 0;
    for (uint8_t word = 0; word < 3 && status == TP_OK; word++) {
        status = synchronize(self, word, err);
    }
    status = status == TP_OK ? set_up(self, err) : status;
    if (status == TP_OK && e->vehicle != NULL) {
        status = guard(e, err);
    }
    if (status != TP_OK) {
        tp_port_close(e->port);
        e->port = NULL;
        return status;
    }
    e->heard_ns = tpi_classic_now_ns(self);
    tp_instance_set_period(self, 100 * TP_NS_PER_MS);
    tp_port_watch(e->port, true);
    return TP_OK;
}

static void erratic_stop(tp_instance *self)
{
    struct erratic *e = tp_instance_state(self);
    uint8_t bytes[4 * P2OS_MOST_PACKET];

    (void)send(self, bytes, stop_bytes(bytes, true), NULL);
    tp_port_close(e->port);
    e->port = NULL;
}

static const tp_driver_ops erratic_ops = {
    .init = erratic_init,
    .start = erratic_start,
    .poll = erratic_poll,
    .input = erratic_input,
    .halt = erratic_halt,
    .stop = erratic_stop,
};

extern const tp_driver tp_driver_erratic;
TP_API const tp_driver tp_driver_erratic = {
    .abi = TP_DRIVER_ABI,
    .name = "erratic",
    .summary = "the robot Erratic of Videre Design",
    .state_size = sizeof(struct erratic),
    .params = erratic_params,
    .ops = &erratic_ops,
};
