/*
 * reb - the UBot of the University of Massachusetts: a robot extension board of K-Team (Kameleon)
 * with the program SerCom, or LPRSerCom, on a serial line.
 *
 * A message is a line, `D,0,-12`; the answer begins with the same letter, in lower case. LPRSerCom
 * says `:` when it hears the next one. Motor 0 is the right wheel, 2 the left. See README.md.
 */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "numbers.h"
#include "troupe/driver/ir.h"
#include "troupe/driver/position2d.h"
#include "troupe/driver/power.h"
#include "turns.h"
#include "wheels.h"

enum { RIGHT = 0, LEFT = 2, BATTERY = 15, EYES = 8, LONGEST = 64 };

/* What an answer is, in tags. */
enum { SAID, MOVED, PLACE_LEFT, PLACE_RIGHT, VOLTAGE, RANGES };

static const double pi = 3.14159265358979323846;
static const double axle = 0.139;
static const double tick_s = 0.01; /* speeds are pulses in it */

struct reb {
    tp_device *vehicle, *power, *ir; /* NULL if not offered */
    tp_port *port;                   /* owned; NULL unless it runs */
    double baud, max_speed, timeout_s;
    double pulses_m; /* in a metre */
    struct turns turns;
    char line[LONGEST];
    size_t length;
    int64_t heard_ns, volts_ns, rolled_ns, answered_ns;
    bool known, powered, infrared;
    bool prompts, ready; /* it says when it hears; it has said so since its last answer */
    int32_t pulses[2];   /* left, right */
    double way[2];
    tp_position2d_data state;
    float volts[EYES], ranges[EYES];
    tp_pose3d places[EYES];
    uint64_t damaged;
};

static const tp_param reb_params[] = {
    {"port", "line", "/dev/ttySA1", "the line, for instance /dev/ttyUSB0"},
    {"baud", "1", "38400", "speed of a serial line"},
    {"subclass", NULL, "slow", "gears of the robot: slow or fast"},
    {"max_speed", "m/s", "0.35", "highest speed of a wheel; commands above it are limited"},
    {"timeout", "s", "3", "a robot that is silent for so long is started anew"},
    {NULL, NULL, NULL, NULL},
};

static struct reb *reb_of(const tp_device *device)
{
    return tp_instance_state(tp_device_instance(device));
}

static void later(struct reb *r, bool urgent, unsigned tag, const char *text)
{
    (void)tpi_turns_add(&r->turns, urgent, tag, text, strlen(text));
}

static void later_number(struct reb *r, bool urgent, unsigned tag, char what, int motor, int value)
{
    char text[TURNS_LONGEST];

    (void)snprintf(text, sizeof text, "%c,%d,%d\r", what, motor, value);
    later(r, urgent, tag, text);
}

/* A board with prompts hears nothing between its answer and the prompt; one may get lost. */
static tp_status say_next(tp_instance *self, tp_error *err)
{
    struct reb *r = tp_instance_state(self);
    const int64_t now = tpi_classic_now_ns(self);

    return r->prompts && !r->ready && now - r->answered_ns < 100 * TP_NS_PER_MS
               ? TP_OK
               : tpi_turns_next(&r->turns, now, err);
}

/* ---- Hearing --------------------------------------------------------------------------------- */

/* The numbers behind the letter, at most `most`; -1 if something else is there. */
static int read_numbers(const char *line, long *out, int most)
{
    const char *at = line + 1;
    int count = 0;

    while (*at == ',' && count < most) {
        char *end = NULL;
        out[count] = strtol(at + 1, &end, 10);
        if (end == at + 1) {
            return -1;
        }
        count++;
        at = end;
    }
    return *at == '\0' ? count : -1;
}

static void take_place(tp_instance *self, unsigned wheel, long value)
{
    struct reb *r = tp_instance_state(self);
    const int32_t pulses = (int32_t)value;
    const int32_t way =
        r->known ? tpi_wheels_ticks((uint32_t)r->pulses[wheel], (uint32_t)pulses) : 0;

    r->pulses[wheel] = pulses;
    r->way[wheel] = (wheel == 1 ? -way : way) / r->pulses_m; /* it faces the other way */
    if (wheel == 1) {
        const int64_t now = tpi_classic_now_ns(self);
        const double seconds = (double)(now - r->rolled_ns) / (double)TP_NS_PER_S;
        const double scale = r->known && seconds > 0 ? 1 / seconds : 0;
        tpi_wheels_roll(&r->state.pos, r->way[0], r->way[1], axle);
        r->state.vel = (tp_pose2d){.px = (r->way[0] + r->way[1]) / 2 * scale,
                                   .pa = (r->way[1] - r->way[0]) / axle * scale};
        r->rolled_ns = now;
        r->known = true;
        tp_position2d_publish_state(r->vehicle, &r->state, 0);
    }
}

/* Sharp's GP2D12: about 27 cm V, from 10 to 80 cm. The board counts 4 mV. */
static void take_ranges(struct reb *r, const long *values)
{
    for (unsigned i = 0; i < EYES; i++) {
        const double volts = (double)values[i] * 0.004;
        r->volts[i] = (float)volts;
        r->ranges[i] = (float)fmax(0.1, fmin(0.8, volts > 0.1 ? 0.27 / (volts - 0.1) : 0.8));
    }
    const tp_ir_data data = {
        .voltages_count = EYES, .voltages = r->volts, .ranges_count = EYES, .ranges = r->ranges};
    tp_ir_publish_ranges(r->ir, &data, 0);
}

static void take_answer(tp_instance *self)
{
    struct reb *r = tp_instance_state(self);
    long values[EYES] = {0};
    const int count = read_numbers(r->line, values, EYES);
    const unsigned tag = r->turns.now.tag;

    r->heard_ns = tpi_classic_now_ns(self);
    if ((tag == PLACE_LEFT || tag == PLACE_RIGHT) && count == 1) {
        take_place(self, tag - PLACE_LEFT, values[0]);
    } else if (tag == VOLTAGE && count == 1) { /* in 20 mV */
        const tp_power_data data = {.valid = TP_POWER_MASK_VOLTS,
                                    .volts = (float)((double)values[0] * 0.02)};
        tp_power_publish_state(r->power, &data, 0);
    } else if (tag == RANGES && count == EYES) {
        take_ranges(r, values);
    } else {
        r->damaged += tag > MOVED;
    }
}

static void take_line(tp_instance *self)
{
    struct reb *r = tp_instance_state(self);

    if (strcmp(r->line, ":") == 0) {
        r->prompts = r->ready = true;
    } else if (r->length > 0 && tpi_turns_listens(&r->turns, tpi_classic_now_ns(self)) &&
               r->line[0] == tolower(r->turns.now.bytes[0])) {
        take_answer(self);
        tpi_turns_answered(&r->turns);
        r->ready = false;
        r->answered_ns = tpi_classic_now_ns(self);
    }
}

/* A line that is too long is dropped: it is none of this board. */
static void take_byte(tp_instance *self, char byte)
{
    struct reb *r = tp_instance_state(self);

    if (byte == '\r' || byte == '\n') {
        r->line[r->length < LONGEST ? r->length : 0] = '\0';
        if (r->length < LONGEST) {
            take_line(self);
        }
        r->length = 0;
    } else if (r->length < LONGEST - 1) {
        r->line[r->length++] = byte;
    } else {
        r->length = LONGEST;
    }
}

static tp_status reb_input(tp_instance *self, tp_port *port, tp_error *err)
{
    char bytes[64];
    size_t length = 0;
    tp_status status;

    while ((status = tp_port_read(port, bytes, sizeof bytes, &length, 0, err)) == TP_OK) {
        for (size_t i = 0; i < length; i++) {
            take_byte(self, bytes[i]);
        }
    }
    return status == TP_E_TIMEOUT ? say_next(self, err) : status;
}

/* ---- Asking ---------------------------------------------------------------------------------- */

static void ask_all(struct reb *r, int64_t now_ns)
{
    if (r->vehicle != NULL) {
        later(r, false, PLACE_LEFT, "H,2\r");
        later(r, false, PLACE_RIGHT, "H,0\r");
    }
    if (r->ir != NULL && r->infrared) {
        later(r, false, RANGES, "W\r");
    }
    if (r->power != NULL && now_ns - r->volts_ns >= TP_NS_PER_S) {
        r->volts_ns = now_ns;
        later(r, false, VOLTAGE, "I,15\r");
    }
}

static tp_status reb_poll(tp_instance *self, tp_error *err)
{
    struct reb *r = tp_instance_state(self);
    const int64_t now = tpi_classic_now_ns(self);
    const bool panic = tp_instance_in_panic(self);
    const tp_status status =
        panic ? TP_OK : tpi_classic_check(self, r->heard_ns, r->timeout_s, "the robot", err);

    if (r->turns.rest.count == 0 && !panic) {
        ask_all(r, now);
    }
    return status == TP_OK ? say_next(self, err) : status;
}

/* ---- Commands -------------------------------------------------------------------------------- */

static void want_speeds(struct reb *r, const double speeds[2])
{
    tpi_turns_drop(&r->turns, MOVED);
    later_number(r, true, MOVED, 'D', LEFT, (int)lrint(speeds[0] * r->pulses_m * tick_s));
    later_number(r, true, MOVED, 'D', RIGHT, -(int)lrint(speeds[1] * r->pulses_m * tick_s));
}

static tp_status cmd_vel(tp_device *device, const tp_position2d_cmd_vel *ask, tp_error *err)
{
    struct reb *r = reb_of(device);
    double speeds[2];
    const tp_status status = tpi_wheels_speeds(speeds, &ask->vel, axle, r->max_speed, err);

    if (status != TP_OK) {
        return status;
    }
    want_speeds(r, r->powered ? speeds : (const double[2]){0, 0});
    return say_next(tp_device_instance(device), err);
}

/* The board has no switch for its motors: commands of a robot without power are zero. */
static tp_status motor_power(tp_device *device, const tp_position2d_power_config *ask,
                             tp_error *err)
{
    struct reb *r = reb_of(device);

    r->powered = ask->state != 0;
    want_speeds(r, (const double[2]){0, 0});
    return say_next(tp_device_instance(device), err);
}

static tp_status vehicle_geom(tp_device *device, tp_position2d_geom *answer, tp_error *err)
{
    (void)device;
    (void)err;
    answer->size = (tp_bbox3d){.sl = 0.18, .sw = 0.18};
    return TP_OK;
}

static tp_status reset_odom(tp_device *device, tp_error *err)
{
    (void)err;
    reb_of(device)->state.pos = (tp_pose2d){0};
    return TP_OK;
}

static tp_status set_odom(tp_device *device, const tp_position2d_set_odom_req *ask, tp_error *err)
{
    return tpi_wheels_place(&reb_of(device)->state.pos, &ask->pose, err);
}

static tp_status ir_power(tp_device *device, const tp_ir_power_req *ask, tp_error *err)
{
    struct reb *r = reb_of(device);

    r->infrared = ask->state != 0;
    later(r, true, SAID, r->infrared ? "Y,1\r" : "Y,0\r");
    return say_next(tp_device_instance(device), err);
}

static tp_status ir_pose(tp_device *device, tp_ir_pose *answer, tp_error *err)
{
    (void)err;
    answer->poses_count = EYES;
    answer->poses = reb_of(device)->places;
    return TP_OK;
}

static const tp_position2d_ops vehicle_ops = {.cmd_vel = cmd_vel,
                                              .req_get_geom = vehicle_geom,
                                              .req_motor_power = motor_power,
                                              .req_reset_odom = reset_odom,
                                              .req_set_odom = set_odom};
static const tp_ir_ops ir_ops = {.req_pose = ir_pose, .req_power = ir_power};
static const tp_power_ops power_ops = {0};

/* The line that was begun is ended; then both wheels stand. */
static const char stop_text[] = "\rD,2,0\rD,0,0\r";

static void reb_halt(tp_device *device, tp_halt how)
{
    struct reb *r = reb_of(device);

    (void)how;
    if (device == r->vehicle) {
        tpi_turns_interrupt(&r->turns, tpi_classic_now_ns(tp_device_instance(device)), stop_text,
                            sizeof stop_text - 1);
        want_speeds(r, (const double[2]){0, 0});
    }
}

/* ---- Life ------------------------------------------------------------------------------------ */

static tp_status read_gears(tp_instance *self, tp_error *err)
{
    struct reb *r = tp_instance_state(self);
    const char *name = tp_param_string(self, "subclass");

    if (strcmp(name, "slow") == 0) {
        r->pulses_m = 4 * 43 * 16 * 2 / (0.072 * pi); /* encoder, gear, wheel of 72 mm */
    } else if (strcmp(name, "fast") == 0) {
        r->pulses_m = 4 * 14 * 16 * 2 / (0.072 * pi);
    } else {
        tp_param_blame(self, "subclass");
        return tp_fail(err, TP_E_RANGE, "subclass is slow or fast, not \"%.40s\"", name);
    }
    return TP_OK;
}

/* Sensors are a ring, counter-clockwise from straight ahead. */
static void place_eyes(struct reb *r)
{
    for (unsigned i = 0; i < EYES; i++) {
        const double angle = i * pi / 4;
        r->places[i] =
            (tp_pose3d){.px = 0.035 * cos(angle), .py = 0.035 * sin(angle), .pyaw = angle};
    }
}

static tp_status reb_init(tp_instance *self, tp_error *err)
{
    struct reb *r = tp_instance_state(self);
    const struct classic_number numbers[] = {{"baud", 300, 12000000, &r->baud},
                                             {"max_speed", 0, 1, &r->max_speed},
                                             {"timeout", 0.7, 3600, &r->timeout_s}};
    const struct classic_offer offers[] = {
        {&tp_interface_position2d, NULL, &vehicle_ops, &r->vehicle},
        {&tp_interface_power, NULL, &power_ops, &r->power},
        {&tp_interface_ir, NULL, &ir_ops, &r->ir}};
    tp_status status = tpi_classic_numbers(self, numbers, sizeof numbers / sizeof numbers[0], err);

    place_eyes(r);
    status = status == TP_OK ? read_gears(self, err) : status;
    return status == TP_OK ? tpi_classic_offer(self, offers, sizeof offers / sizeof offers[0], err)
                           : status;
}

/* End what was begun, then switch the infrared sensors; the answer shows that the board is there.
 */
static tp_status greet(tp_instance *self, tp_error *err)
{
    struct reb *r = tp_instance_state(self);
    const int64_t deadline_ns = tpi_classic_now_ns(self) + 2 * TP_NS_PER_S;
    tp_status status = tp_port_printf(r->port, err, "\rY,%d\r", r->ir != NULL);

    while (status == TP_OK || status == TP_E_SPACE) {
        size_t length = 0;
        status =
            tp_port_read_until(r->port, r->line, sizeof r->line, '\n', &length, deadline_ns, err);
        if (status == TP_OK && r->line[0] == 'y') {
            return TP_OK;
        }
    }
    return status == TP_E_TIMEOUT
               ? tp_fail(err, TP_E_TIMEOUT, "%s: no robot answers: is it switched on?",
                         tp_port_url(r->port))
               : status;
}

static void set_up(struct reb *r)
{
    for (int motor = RIGHT; motor <= LEFT && r->vehicle != NULL; motor += LEFT - RIGHT) {
        char text[TURNS_LONGEST];
        const int speed = (int)lrint(r->max_speed * r->pulses_m * tick_s);
        (void)snprintf(text, sizeof text, "A,%d,1000,0,10\r", motor); /* gains for speeds */
        later(r, true, SAID, text);
        (void)snprintf(text, sizeof text, "J,%d,%d,10\r", motor, speed); /* acceleration */
        later(r, true, SAID, text);
    }
}

static tp_status reb_start(tp_instance *self, tp_error *err)
{
    struct reb *r = tp_instance_state(self);
    const tp_port_settings settings = {.baud = (unsigned)r->baud, .stop_bits = 2};
    tp_status status = tpi_classic_open_with(&r->port, self, &settings, err);

    status = status == TP_OK ? greet(self, err) : status;
    if (status == TP_OK && r->vehicle != NULL) {
        status = tp_port_guard(r->port, stop_text, sizeof stop_text - 1, err);
    }
    if (status != TP_OK) {
        tp_port_close(r->port);
        r->port = NULL;
        return status;
    }
    tpi_turns_begin(&r->turns, r->port);
    set_up(r);
    r->known = r->prompts = r->ready = false;
    r->length = 0;
    r->infrared = r->powered = true;
    r->state = (tp_position2d_data){0};
    r->heard_ns = r->rolled_ns = tpi_classic_now_ns(self);
    r->volts_ns = r->heard_ns - TP_NS_PER_S;
    tp_instance_set_period(self, 100 * TP_NS_PER_MS);
    tp_port_watch(r->port, true);
    return TP_OK;
}

static void reb_stop(tp_instance *self)
{
    struct reb *r = tp_instance_state(self);

    (void)tp_port_write(r->port, stop_text, sizeof stop_text - 1, NULL);
    tp_port_close(r->port);
    r->port = NULL;
}

static const tp_driver_ops reb_ops = {
    .init = reb_init,
    .start = reb_start,
    .poll = reb_poll,
    .input = reb_input,
    .halt = reb_halt,
    .stop = reb_stop,
};

extern const tp_driver tp_driver_reb;
TP_API const tp_driver tp_driver_reb = {
    .abi = TP_DRIVER_ABI,
    .name = "reb",
    .summary = "the UBot with K-Team's robot extension board",
    .state_size = sizeof(struct reb),
    .params = reb_params,
    .ops = &reb_ops,
};
