/*
 * wbr914 - the robot 914 PC-BOT of White Box Robotics: two stepping motors with controllers of PMD
 * (Magellan), which also read its sensors.
 *
 * A message is an address, a sum, 0, a code and its arguments, highest byte first; an answer is a
 * status, a sum and its values. The sum makes all bytes 0. The controllers answer every message,
 * one at a time. See README.md.
 */
#include <math.h>
#include <string.h>

#include "numbers.h"
#include "troupe/driver/aio.h"
#include "troupe/driver/dio.h"
#include "troupe/driver/ir.h"
#include "troupe/driver/position2d.h"
#include "turns.h"
#include "wheels.h"

enum {
    SET_VELOCITY = 0x11,
    UPDATE = 0x1a,
    GET_POSITION = 0x1d,
    GET_VELOCITY = 0x1e,
    RESET = 0x39,
    SET_POSITION = 0x4d,
    GET_SAMPLE_TIME = 0x61,
    SET_PHASE_COUNTS = 0x75,
    SET_TORQUE = 0x77,
    WRITE_DIGITAL = 0x82,
    READ_DIGITAL = 0x83,
    GET_VERSION = 0x8f,
    SET_ACCELERATION = 0x90,
    SET_DECELERATION = 0x91,
    SET_PROFILE = 0xa0,
    SET_MOTOR_MODE = 0xdc,
    SET_OUTPUT_MODE = 0xe0,
    READ_ANALOG = 0xef,
    RIGHT = 0,
    LEFT = 1, /* it is mounted the other way round */
    INPUTS = 8,
    EYES = 8,
    LONGEST = 8,
};

/* What an answer is, in tags; EYE + 3 is the fourth infrared sensor. */
enum { SAID, MOVED, PLACE, SPEED = PLACE + 2, SWITCHES = SPEED + 2, INPUT, EYE = INPUT + INPUTS };

static const double axle = 0.301;
static const double steps_m = 4.8 * 200 * 64 / (0.125 * 3.14159265358979323846); /* in a metre */

struct wbr {
    tp_device *vehicle, *ir, *aio, *dio; /* NULL if not offered */
    tp_port *port;                       /* owned; NULL unless it runs */
    double baud, torque, max_speed, timeout_s;
    double speed_unit; /* of the controller, for 1 m/s */
    struct turns turns;
    uint8_t answer[LONGEST];
    size_t length;
    int64_t heard_ns;
    bool known, powered;
    int32_t steps[2], speeds[2]; /* left, right */
    uint16_t outputs;
    tp_position2d_data state;
    float volts[INPUTS], eye_volts[EYES], ranges[EYES];
    uint64_t damaged;
};

static const tp_param wbr_params[] = {
    {"port", "line", "/dev/ttyUSB0", "the line, for instance /dev/ttyUSB0"},
    {"baud", "1", "416666", "speed of a serial line"},
    {"torque", "1", "75", "current of the motors in percent of the highest, from 20 to 100"},
    {"max_speed", "m/s", "0.3", "highest speed of a wheel; commands above it are limited"},
    {"timeout", "s", "2", "a robot that is silent for so long is started anew"},
    {"debug", "bool", "no", "ignored"},
    {NULL, NULL, NULL, NULL},
};

static struct wbr *wbr_of(const tp_device *device)
{
    return tp_instance_state(tp_device_instance(device));
}

/* ---- Bytes ----------------------------------------------------------------------------------- */

/* A message with an argument of so many bytes. */
static size_t put(uint8_t out[LONGEST], uint8_t address, uint8_t code, int32_t value, size_t size)
{
    out[0] = address;
    out[1] = out[2] = 0;
    out[3] = code;
    for (size_t i = 0; i < size; i++) {
        out[4 + i] = (uint8_t)((uint32_t)value >> 8 * (size - 1 - i));
    }
    out[1] = (uint8_t)-tpi_classic_sum(out, 4 + size);
    return 4 + size;
}

static int32_t number_at(const uint8_t *at)
{
    return (int32_t)((uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3]);
}

/* How long the answer to a code is. */
static size_t answer_length(uint8_t code)
{
    switch (code) {
    case GET_POSITION:
    case GET_VELOCITY:
    case GET_VERSION:
        return 6;
    case GET_SAMPLE_TIME:
    case READ_ANALOG:
    case READ_DIGITAL:
        return 4;
    default:
        return 2;
    }
}

static void later(struct wbr *w, bool urgent, unsigned tag, uint8_t address, uint8_t code,
                  int32_t value, size_t size)
{
    uint8_t bytes[LONGEST];

    (void)tpi_turns_add(&w->turns, urgent, tag, bytes, put(bytes, address, code, value, size));
}

/* ---- Hearing --------------------------------------------------------------------------------- */

static void take_place(struct wbr *w, unsigned wheel, int32_t steps)
{
    const int32_t way = w->known ? tpi_wheels_ticks((uint32_t)w->steps[wheel], (uint32_t)steps) : 0;
    const double metres = (wheel == 0 ? -way : way) / steps_m;

    w->steps[wheel] = steps;
    tpi_wheels_roll(&w->state.pos, wheel == 0 ? metres : 0, wheel == 0 ? 0 : metres, axle);
}

static void take_speed(struct wbr *w, unsigned wheel, int32_t speed)
{
    w->speeds[wheel] = speed;
    if (wheel == 1) { /* the last of the four */
        const double left = -w->speeds[0] / w->speed_unit;
        const double right = w->speeds[1] / w->speed_unit;
        w->known = true;
        w->state.vel = (tp_pose2d){.px = (left + right) / 2, .pa = (right - left) / axle};
        tp_position2d_publish_state(w->vehicle, &w->state, 0);
    }
}

/* Sensors 5 and 7 look farther than the others. */
static void take_eye(struct wbr *w, unsigned eye, unsigned value)
{
    const double seen = value < 80 ? 80 : value;

    w->eye_volts[eye] = (float)(value * 5.0 / 1023);
    w->ranges[eye] = (float)(eye == 5 || eye == 7 ? (16933 / (seen - 8) - 13) / 100
                                                  : (6787 / (seen - 3) - 4) / 100);
    if (eye == EYES - 1) {
        const tp_ir_data data = {.voltages_count = EYES,
                                 .voltages = w->eye_volts,
                                 .ranges_count = EYES,
                                 .ranges = w->ranges};
        tp_ir_publish_ranges(w->ir, &data, 0);
    }
}

static void take_values(struct wbr *w, unsigned tag, const uint8_t *values)
{
    const unsigned analog = (unsigned)(values[0] << 8 | values[1]) >> 6;

    if (tag >= EYE) {
        take_eye(w, tag - EYE, analog);
    } else if (tag >= INPUT) {
        w->volts[tag - INPUT] = (float)(analog * 5.0 / 1023);
        if (tag == EYE - 1) {
            const tp_aio_data data = {.voltages_count = INPUTS, .voltages = w->volts};
            tp_aio_publish_state(w->aio, &data, 0);
        }
    } else if (tag == SWITCHES) { /* the first eight are the lower byte, which comes first */
        const tp_dio_data data = {.count = 16, .bits = (uint32_t)(values[1] << 8 | values[0])};
        tp_dio_publish_values(w->dio, &data, 0);
    } else if (tag >= SPEED) {
        take_speed(w, tag - SPEED, number_at(values));
    } else if (tag >= PLACE) {
        take_place(w, tag - PLACE, number_at(values));
    }
}

static void take_byte(tp_instance *self, uint8_t byte)
{
    struct wbr *w = tp_instance_state(self);

    if (!tpi_turns_listens(&w->turns, tpi_classic_now_ns(self))) {
        w->length = 0;
        return;
    }
    w->answer[w->length++] = byte;
    const bool refused = w->answer[0] > 1; /* 1 says that it was reset */
    const size_t wanted = refused ? 2 : answer_length(w->turns.now.bytes[3]);
    if (w->length < wanted) {
        return;
    }
    if (tpi_classic_sum(w->answer, w->length) != 0 || refused) {
        w->damaged++;
    } else {
        w->heard_ns = tpi_classic_now_ns(self);
        take_values(w, w->turns.now.tag, w->answer + 2);
    }
    w->length = 0;
    tpi_turns_answered(&w->turns);
}

static tp_status wbr_input(tp_instance *self, tp_port *port, tp_error *err)
{
    struct wbr *w = tp_instance_state(self);
    uint8_t bytes[64];
    size_t length = 0;
    tp_status status;

    while ((status = tp_port_read(port, bytes, sizeof bytes, &length, 0, err)) == TP_OK) {
        for (size_t i = 0; i < length; i++) {
            take_byte(self, bytes[i]);
        }
    }
    return status == TP_E_TIMEOUT ? tpi_turns_next(&w->turns, tpi_classic_now_ns(self), err)
                                  : status;
}

/* ---- Asking ---------------------------------------------------------------------------------- */

/* Ask for everything that is offered, unless the last round is not over yet. */
static void ask_all(struct wbr *w)
{
    if (w->vehicle != NULL) {
        for (unsigned i = 0; i < 4; i++) {
            later(w, false, PLACE + i, i % 2 == 0 ? LEFT : RIGHT,
                  i < 2 ? GET_POSITION : GET_VELOCITY, 0, 0);
        }
    }
    if (w->dio != NULL) {
        later(w, false, SWITCHES, 0, READ_DIGITAL, 0, 2);
    }
    for (int32_t i = 0; i < INPUTS && w->aio != NULL; i++) {
        later(w, false, INPUT + (unsigned)i, 0, READ_ANALOG, i, 2);
    }
    for (int32_t i = 0; i < EYES && w->ir != NULL; i++) {
        later(w, false, EYE + (unsigned)i, 1, READ_ANALOG, i, 2);
    }
}

static tp_status wbr_poll(tp_instance *self, tp_error *err)
{
    struct wbr *w = tp_instance_state(self);
    const tp_status status =
        tp_instance_in_panic(self)
            ? TP_OK
            : tpi_classic_check(self, w->heard_ns, w->timeout_s, "the robot", err);

    if (w->turns.rest.count == 0 && !tp_instance_in_panic(self)) {
        ask_all(w);
    }
    if (w->turns.asked && w->turns.asked_ns + TP_NS_PER_S / 2 <= tpi_classic_now_ns(self)) {
        w->length = 0; /* half an answer */
    }
    return status == TP_OK ? tpi_turns_next(&w->turns, tpi_classic_now_ns(self), err) : status;
}

/* ---- Commands -------------------------------------------------------------------------------- */

static int32_t unit_of(const struct wbr *w, double speed)
{
    return (int32_t)fmax(-2e9, fmin(2e9, speed * w->speed_unit));
}

/* Both speeds, which count when both are there. */
static void want_speeds(struct wbr *w, const double speeds[2])
{
    tpi_turns_drop(&w->turns, MOVED);
    later(w, true, MOVED, LEFT, SET_VELOCITY, -unit_of(w, speeds[0]), 4);
    later(w, true, MOVED, RIGHT, SET_VELOCITY, unit_of(w, speeds[1]), 4);
    later(w, true, MOVED, LEFT, UPDATE, 0, 0);
    later(w, true, MOVED, RIGHT, UPDATE, 0, 0);
}

static tp_status cmd_vel(tp_device *device, const tp_position2d_cmd_vel *ask, tp_error *err)
{
    tp_instance *self = tp_device_instance(device);
    struct wbr *w = wbr_of(device);
    double speeds[2];
    const tp_status status = tpi_wheels_speeds(speeds, &ask->vel, axle, w->max_speed, err);

    if (status != TP_OK) {
        return status;
    }
    want_speeds(w, w->powered ? speeds : (const double[2]){0, 0});
    return tpi_turns_next(&w->turns, tpi_classic_now_ns(self), err);
}

static tp_status motor_power(tp_device *device, const tp_position2d_power_config *ask,
                             tp_error *err)
{
    tp_instance *self = tp_device_instance(device);
    struct wbr *w = wbr_of(device);
    const int32_t torque = ask->state != 0 ? (int32_t)(w->torque * 0x8000 / 100) : 0;

    w->powered = ask->state != 0;
    want_speeds(w, (const double[2]){0, 0});
    for (uint8_t address = 0; address < 2; address++) {
        later(w, true, SAID, address, SET_TORQUE, torque > 0x7fff ? 0x7fff : torque, 2);
        later(w, true, SAID, address, UPDATE, 0, 0);
    }
    return tpi_turns_next(&w->turns, tpi_classic_now_ns(self), err);
}

static tp_status vehicle_geom(tp_device *device, tp_position2d_geom *answer, tp_error *err)
{
    (void)device;
    (void)err;
    answer->size = (tp_bbox3d){.sl = 0.42, .sw = 0.37, .sh = 0.3};
    return TP_OK;
}

static tp_status reset_odom(tp_device *device, tp_error *err)
{
    (void)err;
    wbr_of(device)->state.pos = (tp_pose2d){0};
    return TP_OK;
}

static tp_status set_odom(tp_device *device, const tp_position2d_set_odom_req *ask, tp_error *err)
{
    return tpi_wheels_place(&wbr_of(device)->state.pos, &ask->pose, err);
}

enum { OUTPUTS = 16 };

/* Outputs that a command does not name stay as they are. */
static tp_status set_outputs(tp_device *device, const tp_dio_cmd *ask, tp_error *err)
{
    struct wbr *w = wbr_of(device);

    if (ask->count > OUTPUTS) {
        return tp_fail(err, TP_E_RANGE, "there are %d outputs, not %u", OUTPUTS, ask->count);
    }
    const uint32_t mask = (1U << ask->count) - 1;
    w->outputs = (uint16_t)((w->outputs & ~mask) | (ask->digout & mask));
    later(w, true, SAID, 0, WRITE_DIGITAL, (w->outputs & 0xff) << 8 | w->outputs >> 8, 4);
    return tpi_turns_next(&w->turns, tpi_classic_now_ns(tp_device_instance(device)), err);
}

static tp_status ir_pose(tp_device *device, tp_ir_pose *answer, tp_error *err)
{
    static tp_pose3d poses[EYES] = {{.px = 0.03, .py = -0.19, .pyaw = -1.570796},
                                    {.px = 0.19, .py = -0.09, .pyaw = -0.523599},
                                    {.px = 0.21},
                                    {.px = 0.19, .py = 0.09, .pyaw = 0.523599},
                                    {.px = 0.03, .py = 0.19, .pyaw = 1.570796},
                                    {.px = 0.2, .py = -0.06, .pyaw = -1.047198},
                                    {.px = 0.21},
                                    {.px = 0.2, .py = 0.06, .pyaw = 1.047198}};

    (void)device;
    (void)err;
    answer->poses_count = EYES;
    answer->poses = poses;
    return TP_OK;
}

static const tp_position2d_ops vehicle_ops = {.cmd_vel = cmd_vel,
                                              .req_get_geom = vehicle_geom,
                                              .req_motor_power = motor_power,
                                              .req_reset_odom = reset_odom,
                                              .req_set_odom = set_odom};
static const tp_ir_ops ir_ops = {.req_pose = ir_pose};
static const tp_aio_ops aio_ops = {0};
static const tp_dio_ops dio_ops = {.cmd_values = set_outputs};

/* ---- Stopping -------------------------------------------------------------------------------- */

/* No velocities, after whatever ends a message of eight bytes that was begun. */
static size_t stop_bytes(uint8_t out[5 * LONGEST])
{
    size_t length = LONGEST;

    memset(out, 0, LONGEST);
    length += put(out + length, LEFT, SET_VELOCITY, 0, 4);
    length += put(out + length, RIGHT, SET_VELOCITY, 0, 4);
    length += put(out + length, LEFT, UPDATE, 0, 0);
    return length + put(out + length, RIGHT, UPDATE, 0, 0);
}

/* It is said at once, and said again in turn: the first may have met an answer on its way. */
static void wbr_halt(tp_device *device, tp_halt how)
{
    tp_instance *self = tp_device_instance(device);
    struct wbr *w = wbr_of(device);
    uint8_t out[5 * LONGEST];
    const size_t length = stop_bytes(out);

    (void)how;
    if (device == w->vehicle) {
        w->length = 0;
        tpi_turns_interrupt(&w->turns, tpi_classic_now_ns(self), out + LONGEST, length - LONGEST);
        want_speeds(w, (const double[2]){0, 0});
    }
}

/* ---- Life ------------------------------------------------------------------------------------ */

static tp_status wbr_init(tp_instance *self, tp_error *err)
{
    struct wbr *w = tp_instance_state(self);
    const struct classic_number numbers[] = {{"baud", 300, 12000000, &w->baud},
                                             {"torque", 20, 100, &w->torque},
                                             {"max_speed", 0, 2, &w->max_speed},
                                             {"timeout", 0.7, 3600, &w->timeout_s}};
    const struct classic_offer offers[] = {
        {&tp_interface_position2d, NULL, &vehicle_ops, &w->vehicle},
        {&tp_interface_ir, NULL, &ir_ops, &w->ir},
        {&tp_interface_aio, NULL, &aio_ops, &w->aio},
        {&tp_interface_dio, NULL, &dio_ops, &w->dio}};
    const tp_status status =
        tpi_classic_numbers(self, numbers, sizeof numbers / sizeof numbers[0], err);

    return status == TP_OK ? tpi_classic_offer(self, offers, sizeof offers / sizeof offers[0], err)
                           : status;
}

/* Say something to both motors and hear the values of the second. */
static tp_status both(tp_instance *self, uint8_t code, int32_t value, size_t size, uint8_t *values,
                      tp_error *err)
{
    struct wbr *w = tp_instance_state(self);
    uint8_t bytes[LONGEST];
    tp_status status = TP_OK;

    for (uint8_t address = 0; address < 2 && status == TP_OK; address++) {
        const size_t length = answer_length(code);
        status = tp_port_write(w->port, bytes, put(bytes, address, code, value, size), err);
        status = status == TP_OK ? tp_port_read_all(w->port, bytes, length,
                                                    tpi_classic_now_ns(self) + TP_NS_PER_S, err)
                                 : status;
        if (status == TP_E_TIMEOUT) {
            return tp_fail(err, TP_E_TIMEOUT, "%s: no robot answers: is it switched on?",
                           tp_port_url(w->port));
        }
        if (status == TP_OK && (tpi_classic_sum(bytes, length) != 0 || bytes[0] > 1)) {
            return tp_fail(err, TP_E_DEVICE, "%s: the motor answers 0x%02x with status %u",
                           tp_port_url(w->port), code, bytes[0]);
        }
        memcpy(values, bytes + 2, length - 2);
    }
    return status;
}

static tp_status set_up(tp_instance *self, tp_error *err)
{
    struct wbr *w = tp_instance_state(self);
    const int32_t torque = w->vehicle != NULL ? (int32_t)fmin(0x7fff, w->torque * 327.68) : 0;
    const struct {
        uint8_t code;
        int32_t value;
        size_t size;
    } words[] = {{RESET, 0, 0},
                 {GET_VERSION, 0, 0},
                 {SET_PHASE_COUNTS, 256, 2},
                 {SET_OUTPUT_MODE, 1, 2},
                 {SET_POSITION, 0, 4},
                 {SET_ACCELERATION, 100, 4},
                 {SET_DECELERATION, 250, 4},
                 {SET_PROFILE, 1, 2}, /* velocities, until others come */
                 {SET_MOTOR_MODE, 0, 2},
                 {SET_TORQUE, torque, 2},
                 {UPDATE, 0, 0},
                 {SET_MOTOR_MODE, w->vehicle != NULL, 2},
                 {GET_SAMPLE_TIME, 0, 0}};
    uint8_t values[LONGEST] = {0};
    tp_status status = TP_OK;

    for (size_t i = 0; i < sizeof words / sizeof words[0] && status == TP_OK; i++) {
        status = both(self, words[i].code, words[i].value, words[i].size, values, err);
    }
    const int sample_us = values[0] << 8 | values[1];
    if (status == TP_OK && sample_us == 0) {
        return tp_fail(err, TP_E_DEVICE, "%s: the motors have no sample time",
                       tp_port_url(w->port));
    }
    w->speed_unit = steps_m * sample_us * 65536 / 1e6;
    w->powered = w->vehicle != NULL;
    return status;
}

static tp_status wbr_start(tp_instance *self, tp_error *err)
{
    struct wbr *w = tp_instance_state(self);
    const tp_port_settings settings = {.baud = (unsigned)w->baud, .stop_bits = 2};
    uint8_t bytes[5 * LONGEST];
    tp_status status = tpi_classic_open_with(&w->port, self, &settings, err);

    status = status == TP_OK ? set_up(self, err) : status;
    if (status == TP_OK && w->vehicle != NULL) {
        status = tp_port_guard(w->port, bytes, stop_bytes(bytes), err);
    }
    if (status != TP_OK) {
        tp_port_close(w->port);
        w->port = NULL;
        return status;
    }
    tpi_turns_begin(&w->turns, w->port);
    w->known = false;
    w->length = 0;
    w->outputs = 0;
    w->state = (tp_position2d_data){0};
    w->heard_ns = tpi_classic_now_ns(self);
    tp_instance_set_period(self, 100 * TP_NS_PER_MS);
    tp_port_watch(w->port, true);
    return TP_OK;
}

static void wbr_stop(tp_instance *self)
{
    struct wbr *w = tp_instance_state(self);
    uint8_t out[5 * LONGEST];
    const size_t length = stop_bytes(out);

    (void)tp_port_write(w->port, out + LONGEST, length - LONGEST, NULL);
    tp_port_close(w->port);
    w->port = NULL;
}

static const tp_driver_ops wbr914_ops = {
    .init = wbr_init,
    .start = wbr_start,
    .poll = wbr_poll,
    .input = wbr_input,
    .halt = wbr_halt,
    .stop = wbr_stop,
};

extern const tp_driver tp_driver_wbr914;
TP_API const tp_driver tp_driver_wbr914 = {
    .abi = TP_DRIVER_ABI,
    .name = "wbr914",
    .summary = "the robot 914 PC-BOT of White Box Robotics",
    .state_size = sizeof(struct wbr),
    .params = wbr_params,
    .ops = &wbr914_ops,
};
