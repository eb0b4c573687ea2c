/*
 * obot - the robot Obot of Botrics, with a Cerebellum controller on a serial line.
 *
 * Every message to the robot is acknowledged with 06, or refused with 15 (hexadecimal); an answer
 * follows, with a sum that is the exclusive-or of its bytes. Velocities are those of the wheels.
 * The driver asks for odometry ten times a second, and for the voltage once.
 */
#include <math.h>
#include <string.h>

#include "numbers.h"
#include "troupe/driver/position2d.h"
#include "troupe/driver/power.h"
#include "wheels.h"

enum { ACK = 6, ODOMETRY = 18, VOLTAGE = 5, LONGEST = ODOMETRY, COMMAND = 10 };

static const double axle = 0.317, tick_m = 0.10795 * 3.14159265358979323846 / 11600;
static const double period_s = 1.9375e-3; /* of the controller: velocities are ticks in it */

/* What the robot answers to next. */
enum asked { NOTHING, ASKED_COMMAND, ASKED_ODOMETRY, ASKED_VOLTAGE };

struct obot {
    tp_device *vehicle, *power; /* NULL if not offered */
    tp_port *port;              /* owned; NULL unless it runs */
    double baud, max_speed, timeout_s;
    enum asked asked;
    bool acknowledged;
    uint8_t bytes[LONGEST];
    size_t length;
    int64_t heard_ns, asked_ns, volts_ns;
    int wheels[2]; /* ticks in a period: left, right */
    bool wanted;   /* they are to be sent */
    bool known;    /* `ticks` are */
    int32_t ticks[2];
    tp_position2d_data state;
    uint64_t damaged;
};

static const tp_param obot_params[] = {
    {"port", "line", "/dev/usb/ttyUSB1", "the line, for instance /dev/ttyUSB0"},
    {"baud", "1", "57600", "speed of a serial line"},
    {"max_speed", "m/s", "1", "highest speed of a wheel; commands above it are limited"},
    {"timeout", "s", "2", "a robot that is silent for so long is started anew"},
    {NULL, NULL, NULL, NULL},
};

static struct obot *obot_of(const tp_device *device)
{
    return tp_instance_state(tp_device_instance(device));
}

static int32_t number_at(const uint8_t *at)
{
    return (int32_t)((uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
                     (uint32_t)at[3] << 24);
}

static void put_number(uint8_t *at, int32_t value)
{
    for (unsigned i = 0; i < 4; i++) {
        at[i] = (uint8_t)((uint32_t)value >> 8 * i);
    }
}

/* ---- Talking --------------------------------------------------------------------------------- */

static size_t put_command(uint8_t out[COMMAND], char what, int left, int right)
{
    out[0] = (uint8_t)what;
    put_number(out + 1, left);
    put_number(out + 5, right);
    out[9] = tpi_classic_xor(out, 9);
    return COMMAND;
}

static tp_status ask(tp_instance *self, enum asked what, const void *bytes, size_t length,
                     tp_error *err)
{
    struct obot *o = tp_instance_state(self);

    o->asked = what;
    o->acknowledged = false;
    o->length = 0;
    o->asked_ns = tpi_classic_now_ns(self);
    return tp_port_write(o->port, bytes, length, err);
}

/* One message at a time: velocities first. */
static tp_status say_next(tp_instance *self, bool due, tp_error *err)
{
    struct obot *o = tp_instance_state(self);
    const int64_t now = tpi_classic_now_ns(self);
    uint8_t out[COMMAND];

    if (o->asked != NOTHING && now - o->asked_ns < 500 * TP_NS_PER_MS) {
        return TP_OK;
    }
    o->asked = NOTHING;
    if (o->wanted) {
        o->wanted = false;
        return ask(self, ASKED_COMMAND, out, put_command(out, 'v', o->wheels[0], o->wheels[1]),
                   err);
    }
    if (o->power != NULL && now - o->volts_ns >= TP_NS_PER_S) {
        o->volts_ns = now;
        return ask(self, ASKED_VOLTAGE, "b", 1, err);
    }
    return due ? ask(self, ASKED_ODOMETRY, "o", 1, err) : TP_OK;
}

/* ---- Hearing --------------------------------------------------------------------------------- */

static void take_odometry(struct obot *o)
{
    const int32_t now[2] = {number_at(o->bytes), number_at(o->bytes + 4)};
    double way[2] = {0, 0};

    for (unsigned i = 0; i < 2; i++) {
        way[i] = o->known ? tpi_wheels_ticks((uint32_t)o->ticks[i], (uint32_t)now[i]) * tick_m : 0;
        o->ticks[i] = now[i];
    }
    o->known = true;
    tpi_wheels_roll(&o->state.pos, way[0], way[1], axle);
    const double right = number_at(o->bytes + 8) * tick_m / period_s;
    const double left = number_at(o->bytes + 12) * tick_m / period_s;
    o->state.vel = (tp_pose2d){.px = (left + right) / 2, .pa = (right - left) / axle};
    if (o->vehicle != NULL) {
        tp_position2d_publish_state(o->vehicle, &o->state, 0);
    }
}

/* An answer is whole. */
static void take_answer(tp_instance *self, size_t length)
{
    struct obot *o = tp_instance_state(self);

    if (tpi_classic_xor(o->bytes, length - 1) != o->bytes[length - 1] ||
        (o->asked == ASKED_ODOMETRY && o->bytes[16] == 1)) { /* no encoders */
        o->damaged++;
    } else if (o->asked == ASKED_ODOMETRY) {
        o->heard_ns = tpi_classic_now_ns(self);
        take_odometry(o);
    } else if (o->power != NULL) {
        const tp_power_data data = {.valid = TP_POWER_MASK_VOLTS,
                                    .volts = (float)(number_at(o->bytes) / 1000.0)};
        tp_power_publish_state(o->power, &data, 0);
    }
    o->asked = NOTHING;
}

static void take_byte(tp_instance *self, uint8_t byte)
{
    struct obot *o = tp_instance_state(self);
    const size_t wanted = o->asked == ASKED_ODOMETRY ? ODOMETRY : VOLTAGE;

    if (o->asked == NOTHING) {
        return;
    }
    if (!o->acknowledged) {
        o->acknowledged = byte == ACK;
        o->damaged += byte != ACK;
        o->asked = byte != ACK || o->asked == ASKED_COMMAND ? NOTHING : o->asked;
        return;
    }
    o->bytes[o->length++] = byte;
    if (o->length == wanted) {
        take_answer(self, wanted);
    }
}

static tp_status obot_input(tp_instance *self, tp_port *port, tp_error *err)
{
    uint8_t bytes[64];
    size_t length = 0;
    tp_status status;

    while ((status = tp_port_read(port, bytes, sizeof bytes, &length, 0, err)) == TP_OK) {
        for (size_t i = 0; i < length; i++) {
            take_byte(self, bytes[i]);
        }
    }
    status = status == TP_E_TIMEOUT ? say_next(self, false, err) : status;
    return status == TP_E_DENIED ? TP_OK : status; /* a panic */
}

static tp_status obot_poll(tp_instance *self, tp_error *err)
{
    const struct obot *o = tp_instance_state(self);
    tp_status status = tp_instance_in_panic(self)
                           ? TP_OK
                           : tpi_classic_check(self, o->heard_ns, o->timeout_s, "the robot", err);

    status = status == TP_OK ? say_next(self, true, err) : status;
    return status == TP_E_DENIED ? TP_OK : status;
}

/* ---- Commands -------------------------------------------------------------------------------- */

/* The controller does not turn slower than five ticks. */
static int ticks_of(double mps)
{
    const int ticks = (int)lrint(mps * period_s / tick_m);
    const int least = 5;

    return ticks > 0 && ticks < least ? least : ticks < 0 && ticks > -least ? -least : ticks;
}

static tp_status cmd_vel(tp_device *device, const tp_position2d_cmd_vel *ask_for, tp_error *err)
{
    struct obot *o = obot_of(device);
    double speeds[2];
    const tp_status status = tpi_wheels_speeds(speeds, &ask_for->vel, axle, o->max_speed, err);

    if (status != TP_OK) {
        return status;
    }
    o->wheels[0] = ticks_of(speeds[0]);
    o->wheels[1] = ticks_of(speeds[1]);
    o->wanted = true;
    return say_next(tp_device_instance(device), false, err);
}

static tp_status get_geom(tp_device *device, tp_position2d_geom *answer, tp_error *err)
{
    (void)device;
    (void)err;
    answer->size = (tp_bbox3d){.sl = 0.45, .sw = 0.45};
    return TP_OK;
}

static tp_status reset_odom(tp_device *device, tp_error *err)
{
    (void)err;
    obot_of(device)->state.pos = (tp_pose2d){0};
    return TP_OK;
}

static const tp_position2d_ops vehicle_ops = {
    .cmd_vel = cmd_vel, .req_get_geom = get_geom, .req_reset_odom = reset_odom};
static const tp_power_ops power_ops = {0};

/* STOP, after whatever ends a command of ten bytes that was begun. */
static size_t stop_bytes(uint8_t out[COMMAND + 1 + COMMAND])
{
    memset(out, 's', COMMAND + 1);
    return COMMAND + 1 + put_command(out + COMMAND + 1, 'v', 0, 0);
}

static void obot_halt(tp_device *device, tp_halt how)
{
    struct obot *o = obot_of(device);
    uint8_t out[COMMAND];

    (void)how;
    if (device == o->vehicle) {
        o->wheels[0] = o->wheels[1] = 0;
        o->wanted = false;
        (void)ask(tp_device_instance(device), ASKED_COMMAND, out, put_command(out, 'v', 0, 0),
                  NULL);
    }
}

/* ---- Life ------------------------------------------------------------------------------------ */

static tp_status obot_init(tp_instance *self, tp_error *err)
{
    struct obot *o = tp_instance_state(self);
    const struct classic_number numbers[] = {{"baud", 300, 12000000, &o->baud},
                                             {"max_speed", 0, 5, &o->max_speed},
                                             {"timeout", 0.7, 3600, &o->timeout_s}};
    tp_status status = tpi_classic_numbers(self, numbers, sizeof numbers / sizeof numbers[0], err);

    if (status == TP_OK && tp_provides(self, &tp_interface_position2d, NULL)) {
        status = tp_offer_position2d(self, NULL, &vehicle_ops, &o->vehicle, err);
    }
    if (status == TP_OK && tp_provides(self, &tp_interface_power, NULL)) {
        status = tp_offer_power(self, NULL, &power_ops, &o->power, err);
    }
    return status;
}

/* Three words begin; a robot that was begun already refuses them and is ended first. */
static tp_status begin(tp_instance *self, tp_error *err)
{
    static const uint8_t words[] = {253, 252, 251}, end = 250;
    struct obot *o = tp_instance_state(self);
    uint8_t answer = 0;
    tp_status status = TP_OK;

    for (unsigned i = 0; i < 2 && answer != ACK && status == TP_OK; i++) {
        const int64_t deadline_ns = tpi_classic_now_ns(self) + TP_NS_PER_S;
        status = i > 0 ? tp_port_write(o->port, &end, 1, err) : TP_OK;
        status = status == TP_OK && i > 0 ? tp_port_read_all(o->port, &answer, 1, deadline_ns, err)
                                          : status;
        status = status == TP_OK ? tp_port_write(o->port, words, sizeof words, err) : status;
        status = status == TP_OK ? tp_port_read_all(o->port, &answer, 1, deadline_ns, err) : status;
    }
    return status == TP_E_TIMEOUT || (status == TP_OK && answer != ACK)
               ? tp_fail(err, TP_E_TIMEOUT, "%s: no robot answers: is it switched on?",
                         tp_port_url(o->port))
               : status;
}

static tp_status obot_start(tp_instance *self, tp_error *err)
{
    struct obot *o = tp_instance_state(self);
    uint8_t bytes[COMMAND + 1 + COMMAND];
    tp_status status = tpi_classic_open(&o->port, self, o->baud, err);

    o->known = o->wanted = false;
    o->state = (tp_position2d_data){0};
    o->heard_ns = tpi_classic_now_ns(self);
    o->volts_ns = o->heard_ns - TP_NS_PER_S;
    status = status == TP_OK ? begin(self, err) : status;
    status = status == TP_OK ? ask(self, ASKED_COMMAND, bytes, put_command(bytes, 'a', 10, 10), err)
                             : status;
    if (status == TP_OK && o->vehicle != NULL) {
        status = tp_port_guard(o->port, bytes, stop_bytes(bytes), err);
    }
    if (status != TP_OK) {
        tp_port_close(o->port);
        o->port = NULL;
        return status;
    }
    tp_instance_set_period(self, 100 * TP_NS_PER_MS);
    tp_port_watch(o->port, true);
    return TP_OK;
}

static void obot_stop(tp_instance *self)
{
    struct obot *o = tp_instance_state(self);
    uint8_t out[COMMAND + 1];

    out[put_command(out, 'v', 0, 0)] = 250;
    (void)tp_port_write(o->port, out, sizeof out, NULL);
    tp_port_close(o->port);
    o->port = NULL;
}

static const tp_driver_ops obot_ops = {
    .init = obot_init,
    .start = obot_start,
    .poll = obot_poll,
    .input = obot_input,
    .halt = obot_halt,
    .stop = obot_stop,
};

extern const tp_driver tp_driver_obot;
TP_API const tp_driver tp_driver_obot = {
    .abi = TP_DRIVER_ABI,
    .name = "obot",
    .summary = "the robot Obot of Botrics",
    .state_size = sizeof(struct obot),
    .params = obot_params,
    .ops = &obot_ops,
};
