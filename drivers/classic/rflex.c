/*
 * rflex - robots of RWI (iRobot) with the controller rFLEX: B21r, ATRV-Jr, ATRV-Mini, Magellan Pro.
 *
 * The controller reports odometry, inputs, sonars and infrared sensors by itself once it was asked;
 * the battery is asked for once a second. Velocities are those of two axes: along and about. The
 * controller takes a 1B in a velocity for the end of a packet, so such numbers are rounded.
 */
#include "rflex.h"

#include <math.h>
#include <string.h>

#include "troupe/driver/bumper.h"
#include "troupe/driver/ir.h"
#include "troupe/driver/position2d.h"
#include "troupe/driver/power.h"
#include "troupe/driver/sonar.h"
#include "wheels.h"

enum {
    TORQUE = 30000,
    TURN_TORQUE = 35000,
    AXIS = 14,
    SET_DEFAULTS = 10,
    BRAKE_ON = 11,
    BRAKE_OFF = 12
};

static const double pi = 3.14159265358979323846;

struct rflex {
    tp_device *vehicle, *sonar, *sonar2, *bumper, *power, *ir; /* NULL if not offered */
    tp_port *port;                                             /* owned; NULL unless it runs */
    struct rflex_plan plan;
    struct rflex_reader reader;
    int64_t heard_ns, asked_ns;
    bool known;
    int32_t way, heading; /* units, of the last report */
    tp_position2d_data state;
    float ranges[RFLEX_MOST_SONARS];
    uint8_t bumps[RFLEX_MOST_BUMPERS];
    float ir_ranges[RFLEX_MOST_IRS], ir_volts[RFLEX_MOST_IRS];
};

static struct rflex *rflex_of(const tp_device *device)
{
    return tp_instance_state(tp_device_instance(device));
}

/* ---- Saying ---------------------------------------------------------------------------------- */

static tp_status say(struct rflex *r, uint8_t part, uint8_t id, uint8_t code, const uint8_t *data,
                     size_t length, tp_error *err)
{
    uint8_t packet[RFLEX_MOST_PACKET];

    return tp_port_write(r->port, packet, tpi_rflex_write(packet, part, id, code, data, length),
                         err);
}

/* A size that has no 1B in the bytes that the controller stumbles over. */
static uint32_t safe_size(double units)
{
    uint32_t size = (uint32_t)fmin(fabs(units), 2e9);

    if ((size & 0xff00) == 0x1b00) {
        size = (size & 0xffff0000U) | ((size & 0xff) > 127 ? 0x1c00U : 0x1affU);
    }
    if ((size & 0xff000000U) == 0x1b000000U) {
        size = (size & 0xff0000) > 0x7f0000 ? 0x1c000000U : 0x1affffffU;
    }
    return size;
}

static size_t put_axis(const struct rflex_plan *plan, uint8_t out[RFLEX_MOST_PACKET], uint8_t axis,
                       double units)
{
    const double acceleration = axis == 0 ? plan->acceleration * plan->per_metre
                                          : plan->turn_acceleration * plan->per_radian;
    uint8_t data[AXIS] = {axis};

    tpi_rflex_put_u32(data + 1, safe_size(units));
    tpi_rflex_put_u32(data + 5, safe_size(acceleration));
    tpi_rflex_put_u32(data + 9, axis == 0 ? TORQUE : TURN_TORQUE);
    data[13] = units >= 0;
    return tpi_rflex_write(out, RFLEX_MOTORS, 0, 7, data, sizeof data);
}

static tp_status drive(tp_instance *self, double ahead, double turn, tp_error *err)
{
    struct rflex *r = tp_instance_state(self);
    uint8_t packets[2 * RFLEX_MOST_PACKET];
    const size_t first = put_axis(&r->plan, packets, 0, ahead * r->plan.per_metre);
    const size_t second = put_axis(&r->plan, packets + first, 1, turn * r->plan.per_radian);

    return tp_port_write(r->port, packets, first + second, err);
}

/* 0 switches reports off. */
static tp_status ask_reports(struct rflex *r, uint32_t period_us, tp_error *err)
{
    uint8_t data[21] = {0};
    const bool on = period_us > 0;

    tpi_rflex_put_u32(data, period_us);
    tpi_rflex_put_u32(data + 4, on ? 3 : 0);
    tp_status status = say(r, RFLEX_MOTORS, 0, 34, data, 8, err);
    status = status == TP_OK ? say(r, RFLEX_INPUTS, 0, 0, data, 4, err) : status;
    if (status == TP_OK && (r->sonar != NULL || r->sonar2 != NULL)) {
        tpi_rflex_put_u32(data, on ? (uint32_t)r->plan.sonar.echo : 0);
        tpi_rflex_put_u32(data + 4, on ? (uint32_t)r->plan.sonar.ping : 0);
        tpi_rflex_put_u32(data + 8, on ? (uint32_t)r->plan.sonar.set : 0);
        data[12] = on ? 2 : 0;
        status = say(r, RFLEX_SONARS, 4, 0, data, 13, err);
    }
    if (status == TP_OK && r->ir != NULL) {
        static const uint32_t times[5] = {0, 70, 10, 20, 150};
        for (size_t i = 0; i < 5; i++) {
            tpi_rflex_put_u32(data + 4 * i, on ? times[i] : 0);
        }
        data[20] = on ? 2 : 0;
        status = say(r, RFLEX_IRS, 0, 0, data, 21, err);
    }
    return status;
}

/* ---- Hearing --------------------------------------------------------------------------------- */

/* Each axis has its own report; the second one makes a new state. */
static void take_motion(struct rflex *r, const uint8_t *data, size_t length)
{
    const struct rflex_plan *plan = &r->plan;

    if (length < 17 || data[8] > 1) {
        return;
    }
    const int32_t position = (int32_t)tpi_rflex_u32(data + 9);
    const int32_t speed = (int32_t)tpi_rflex_u32(data + 13);
    if (data[8] == 0) {
        const double way = r->known ? (int32_t)((uint32_t)position - (uint32_t)r->way) : 0;
        r->state.pos.px += way / plan->per_metre * cos(r->state.pos.pa);
        r->state.pos.py += way / plan->per_metre * sin(r->state.pos.pa);
        r->state.vel.px = speed / plan->per_metre;
        r->way = position;
        return;
    }
    const double turn = r->known ? (int32_t)((uint32_t)position - (uint32_t)r->heading) : 0;
    r->state.pos.pa = remainder(r->state.pos.pa + turn / plan->per_radian, 2 * pi);
    r->state.vel.pa = speed / plan->per_radian;
    r->heading = position;
    r->known = true;
    if (r->vehicle != NULL) {
        tp_position2d_publish_state(r->vehicle, &r->state, 0);
    }
}

/* Where a sonar of the controller is in the data: boards have gaps in their numbers. */
static int sonar_at(const struct rflex_plan *plan, unsigned number)
{
    const unsigned per_bank = (unsigned)plan->sonar.per_bank;
    const unsigned bank = number / per_bank;
    unsigned at = number % per_bank;

    if (bank >= (unsigned)plan->sonar.banks || at >= plan->sonar.in_bank[bank]) {
        return -1;
    }
    for (unsigned i = 0; i < bank; i++) {
        at += plan->sonar.in_bank[i];
    }
    return at < (unsigned)plan->sonar.count ? (int)at : -1;
}

static void take_sonars(struct rflex *r, const uint8_t *data, size_t length)
{
    const struct rflex_plan *plan = &r->plan;
    const uint32_t all = (uint32_t)plan->sonar.count;
    const uint32_t first =
        r->sonar2 != NULL && plan->sonar.second > 0 ? (uint32_t)fmin(plan->sonar.second, all) : all;

    for (size_t i = 8; i + 2 < length; i += 3) {
        const int at = sonar_at(plan, data[i]);
        const double range = (data[i + 1] << 8 | data[i + 2]) / plan->sonar.per_metre;
        if (at >= 0) {
            r->ranges[at] = (float)fmin(range, plan->sonar.most);
        }
    }
    if (r->sonar != NULL) {
        const tp_sonar_data seen = {.ranges_count = first, .ranges = r->ranges};
        tp_sonar_publish_ranges(r->sonar, &seen, 0);
    }
    if (r->sonar2 != NULL) {
        const tp_sonar_data seen = {.ranges_count = all - first, .ranges = r->ranges + first};
        tp_sonar_publish_ranges(r->sonar2, &seen, 0);
    }
}

static void take_input(struct rflex *r, const uint8_t *data, size_t length)
{
    const unsigned count = (unsigned)r->plan.bumpers;
    const unsigned first = (unsigned)r->plan.bumper_address;

    if (length < 7 || data[4] < first || r->bumper == NULL) {
        return;
    }
    const unsigned at = data[4] - first;
    for (unsigned i = 0; i < 8 && r->plan.bumper_bits && 8 * at + i < count; i++) {
        r->bumps[8 * at + i] = data[6] >> i & 1;
    }
    if (!r->plan.bumper_bits && at < count) {
        r->bumps[at] = data[6] & 0x0f; /* which corners of the panel */
    }
    const tp_bumper_data state = {.bumpers_count = count, .bumpers = r->bumps};
    tp_bumper_publish_state(r->bumper, &state, 0);
}

/* Thirteen bytes for each bank, behind a head of five. */
static void take_irs(struct rflex *r, const uint8_t *data, size_t length)
{
    const struct rflex_plan *plan = &r->plan;
    uint32_t count = 0;

    for (unsigned bank = 0; bank < (unsigned)plan->ir.banks; bank++) {
        for (unsigned i = 0; i < plan->ir.in_bank[bank] && count < (uint32_t)plan->ir.count; i++) {
            const size_t at = ((size_t)plan->ir.base + bank) * 13 + i + 5;
            const double reading = at < length ? data[at] : 0;
            const double range = pow(fmax(reading, 1) / plan->ir.a[count], plan->ir.b[count]);
            const double scale = plan->ir.most > 10 ? 1000 : 1;
            r->ir_volts[count] = (float)reading;
            r->ir_ranges[count++] =
                (float)(!(range >= plan->ir.least) ? 0 : fmin(range, plan->ir.most) / scale);
        }
    }
    if (r->ir != NULL) {
        const tp_ir_data seen = {.voltages_count = count,
                                 .voltages = r->ir_volts,
                                 .ranges_count = count,
                                 .ranges = r->ir_ranges};
        tp_ir_publish_ranges(r->ir, &seen, 0);
    }
}

/* Hundredths of a volt, and whether the brake is on. */
static void take_status(struct rflex *r, const uint8_t *data, size_t length)
{
    if (length >= 9 && r->power != NULL) {
        const tp_power_data state = {
            .valid = TP_POWER_MASK_VOLTS,
            .volts = (float)(tpi_rflex_u32(data + 4) / 100.0 + r->plan.power_offset)};
        tp_power_publish_state(r->power, &state, 0);
    }
}

static void take_packet(tp_instance *self)
{
    struct rflex *r = tp_instance_state(self);
    const uint8_t *b = r->reader.bytes;
    const unsigned what = (unsigned)b[2] << 8 | b[4];

    r->heard_ns = tpi_classic_now_ns(self);
    if (what == (RFLEX_MOTORS << 8 | 33)) {
        take_motion(r, b + 6, b[5]);
    } else if (what == (RFLEX_SONARS << 8 | 2)) {
        take_sonars(r, b + 6, b[5]);
    } else if (what == (RFLEX_INPUTS << 8 | 1)) {
        take_input(r, b + 6, b[5]);
    } else if (what == (RFLEX_IRS << 8 | 1)) {
        take_irs(r, b + 6, b[5]);
    } else if (what == (RFLEX_SYSTEM << 8 | 1)) {
        take_status(r, b + 6, b[5]);
    }
}

static tp_status rflex_input(tp_instance *self, tp_port *port, tp_error *err)
{
    struct rflex *r = tp_instance_state(self);
    uint8_t bytes[256];
    size_t length = 0;
    tp_status status;

    while ((status = tp_port_read(port, bytes, sizeof bytes, &length, 0, err)) == TP_OK) {
        for (size_t i = 0; i < length; i++) {
            if (tpi_rflex_read(&r->reader, bytes[i])) {
                take_packet(self);
            }
        }
    }
    return status == TP_E_TIMEOUT ? TP_OK : status;
}

static tp_status rflex_poll(tp_instance *self, tp_error *err)
{
    struct rflex *r = tp_instance_state(self);
    const int64_t now = tpi_classic_now_ns(self);
    tp_status status = tpi_classic_check(self, r->heard_ns, r->plan.timeout_s, "the robot", err);

    if (status == TP_OK && r->power != NULL && now - r->asked_ns >= TP_NS_PER_S) {
        r->asked_ns = now;
        status = say(r, RFLEX_SYSTEM, 0, 1, NULL, 0, err);
    }
    return status == TP_E_DENIED ? TP_OK : status; /* a panic */
}

/* ---- Requests -------------------------------------------------------------------------------- */

static double limited(double value, double most)
{
    return fmax(-most, fmin(most, value));
}

static tp_status cmd_vel(tp_device *device, const tp_position2d_cmd_vel *ask, tp_error *err)
{
    const struct rflex *r = rflex_of(device);

    if (!isfinite(ask->vel.px) || !isfinite(ask->vel.pa)) {
        return tp_fail(err, TP_E_RANGE, "a velocity is made of numbers");
    }
    return drive(tp_device_instance(device), limited(ask->vel.px, r->plan.max_speed),
                 limited(ask->vel.pa, r->plan.max_turn), err);
}

static tp_status vehicle_geom(tp_device *device, tp_position2d_geom *answer, tp_error *err)
{
    const struct rflex *r = rflex_of(device);

    (void)err;
    answer->size = (tp_bbox3d){.sl = r->plan.length, .sw = r->plan.width};
    return TP_OK;
}

/* Motors off is the brake. */
static tp_status motor_power(tp_device *device, const tp_position2d_power_config *ask,
                             tp_error *err)
{
    return say(rflex_of(device), RFLEX_MOTORS, 0, ask->state != 0 ? BRAKE_OFF : BRAKE_ON, NULL, 0,
               err);
}

static tp_status set_odom(tp_device *device, const tp_position2d_set_odom_req *ask, tp_error *err)
{
    return tpi_wheels_place(&rflex_of(device)->state.pos, &ask->pose, err);
}

static tp_status reset_odom(tp_device *device, tp_error *err)
{
    const tp_position2d_set_odom_req zero = {0};

    return set_odom(device, &zero, err);
}

static tp_status sonar_geom(tp_device *device, tp_sonar_geom *answer, tp_error *err)
{
    struct rflex *r = rflex_of(device);
    const uint32_t all = (uint32_t)r->plan.sonar.count;
    const uint32_t second = r->sonar2 == NULL ? 0 : (uint32_t)fmin(r->plan.sonar.second, all);
    const bool is_second = device == r->sonar2;

    (void)err;
    answer->poses_count = is_second ? all - second : second > 0 ? second : all;
    answer->poses = r->plan.sonar.poses + (is_second ? second : 0);
    return TP_OK;
}

static tp_status bumper_geom(tp_device *device, tp_bumper_geom *answer, tp_error *err)
{
    struct rflex *r = rflex_of(device);

    (void)err;
    answer->bumper_def_count = (uint32_t)r->plan.bumpers;
    answer->bumper_def = r->plan.bumper_places;
    return TP_OK;
}

static tp_status ir_pose(tp_device *device, tp_ir_pose *answer, tp_error *err)
{
    struct rflex *r = rflex_of(device);

    (void)err;
    answer->poses_count = (uint32_t)r->plan.ir.count;
    answer->poses = r->plan.ir.poses;
    return TP_OK;
}

static const tp_position2d_ops vehicle_ops = {.cmd_vel = cmd_vel,
                                              .req_get_geom = vehicle_geom,
                                              .req_motor_power = motor_power,
                                              .req_set_odom = set_odom,
                                              .req_reset_odom = reset_odom};
static const tp_sonar_ops sonar_ops = {.req_get_geom = sonar_geom};
static const tp_bumper_ops bumper_ops = {.req_get_geom = bumper_geom};
static const tp_ir_ops ir_ops = {.req_pose = ir_pose};
static const tp_power_ops power_ops = {0};

/* ---- Life ------------------------------------------------------------------------------------ */

static tp_status offer(tp_instance *self, const tp_interface *interface, const char *key,
                       const void *ops, tp_device **out, tp_error *err)
{
    return tp_provides(self, interface, key) ? tp_offer(self, interface, key, ops, NULL, out, err)
                                             : TP_OK;
}

static tp_status rflex_init(tp_instance *self, tp_error *err)
{
    struct rflex *r = tp_instance_state(self);
    const struct {
        const tp_interface *interface;
        const char *key;
        const void *ops;
        tp_device **out;
    } offers[] = {{&tp_interface_position2d, NULL, &vehicle_ops, &r->vehicle},
                  {&tp_interface_sonar, "bank2", &sonar_ops, &r->sonar2},
                  {&tp_interface_sonar, NULL, &sonar_ops, &r->sonar},
                  {&tp_interface_bumper, NULL, &bumper_ops, &r->bumper},
                  {&tp_interface_ir, NULL, &ir_ops, &r->ir},
                  {&tp_interface_power, NULL, &power_ops, &r->power}};
    tp_status status = tpi_rflex_read_plan(self, &r->plan, err);

    for (size_t i = 0; i < sizeof offers / sizeof offers[0] && status == TP_OK; i++) {
        status = offer(self, offers[i].interface, offers[i].key, offers[i].ops, offers[i].out, err);
    }
    return status;
}

/* No velocities, behind whatever ends a packet that was begun: at most 23 bytes. */
static tp_status guard(struct rflex *r, tp_error *err)
{
    enum { LONGEST = AXIS + 9 };
    uint8_t bytes[LONGEST + 2 * LONGEST] = {0};
    uint8_t packet[RFLEX_MOST_PACKET];
    size_t length = LONGEST;

    bytes[LONGEST - 2] = 0x1b;
    bytes[LONGEST - 1] = 3;
    for (uint8_t axis = 0; axis < 2; axis++) {
        const size_t count = put_axis(&r->plan, packet, axis, 0);
        memcpy(bytes + length, packet, count);
        length += count;
    }
    return tp_port_guard(r->port, bytes, length, err);
}

/* The robot proves that it is there with the first report. */
static tp_status await_report(tp_instance *self, tp_error *err)
{
    struct rflex *r = tp_instance_state(self);
    const int64_t deadline_ns = tpi_classic_now_ns(self) + 2 * TP_NS_PER_S;
    tp_status status = TP_OK;
    uint8_t byte;

    while (status == TP_OK) {
        status = tp_port_read_all(r->port, &byte, 1, deadline_ns, err);
        if (status == TP_OK && tpi_rflex_read(&r->reader, byte)) {
            take_packet(self);
            return TP_OK;
        }
    }
    return status == TP_E_TIMEOUT
               ? tp_fail(err, TP_E_TIMEOUT, "%s: no robot answers: is it switched on?",
                         tp_port_url(r->port))
               : status;
}

static tp_status rflex_start(tp_instance *self, tp_error *err)
{
    struct rflex *r = tp_instance_state(self);
    const tp_port_settings settings = {.baud = (unsigned)r->plan.baud};
    const char *other = tp_param_string(self, "port");
    tp_status status = tp_port_open(
        &r->port, self, other[0] != '\0' ? other : tp_param_string(self, "rflex_serial_port"),
        &settings, tpi_classic_now_ns(self) + 5 * TP_NS_PER_S, err);

    r->reader = (struct rflex_reader){0};
    r->state = (tp_position2d_data){0};
    r->known = false;
    status = status == TP_OK ? ask_reports(r, 100000, err) : status;
    status = status == TP_OK ? say(r, RFLEX_MOTORS, 0, SET_DEFAULTS, NULL, 0, err) : status;
    status = status == TP_OK ? await_report(self, err) : status;
    if (status == TP_OK && r->vehicle != NULL) {
        status = guard(r, err);
    }
    if (status != TP_OK) {
        tp_port_close(r->port);
        r->port = NULL;
        return status;
    }
    r->asked_ns = tpi_classic_now_ns(self) - TP_NS_PER_S;
    tp_instance_set_period(self, 100 * TP_NS_PER_MS);
    tp_port_watch(r->port, true);
    return TP_OK;
}

static void rflex_halt(tp_device *device, tp_halt how)
{
    (void)how;
    if (device == rflex_of(device)->vehicle) {
        (void)drive(tp_device_instance(device), 0, 0, NULL);
    }
}

static void rflex_stop(tp_instance *self)
{
    struct rflex *r = tp_instance_state(self);

    if (r->vehicle != NULL) {
        (void)drive(self, 0, 0, NULL);
    }
    (void)ask_reports(r, 0, NULL);
    tp_port_close(r->port);
    r->port = NULL;
}

static const tp_driver_ops rflex_ops = {
    .init = rflex_init,
    .start = rflex_start,
    .poll = rflex_poll,
    .input = rflex_input,
    .halt = rflex_halt,
    .stop = rflex_stop,
};

extern const tp_driver tp_driver_rflex;
TP_API const tp_driver tp_driver_rflex = {
    .abi = TP_DRIVER_ABI,
    .name = "rflex",
    .summary = "B21r, ATRV and Magellan robots with the controller rFLEX",
    .state_size = sizeof(struct rflex),
    .params = tpi_rflex_params,
    .ops = &rflex_ops,
};
