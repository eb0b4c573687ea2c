/*
 * segwayrmp - the Segway RMP, on its CAN bus or on USB.
 *
 * Both carry the same frames: the base reports with 0x400 to 0x407, numbers of 16 bits with their
 * highest byte first, and takes speeds with 0x413. On USB a frame is in a packet of 18 bytes with a
 * sum. The base stops by itself if it hears no speeds for 0.4 s: the driver repeats them. See
 * README.md.
 */
#include <math.h>
#include <string.h>

#include "numbers.h"
#include "troupe/driver/position2d.h"
#include "troupe/driver/position3d.h"
#include "troupe/driver/power.h"
#include "wheels.h"

enum {
    REPORT = 0x400, /* and seven more */
    SPEEDS = 0x413,
    CAN_FRAME = 16,
    USB_PACKET = 18,
    USB_BEGIN = 0xf0,
    MOST_SPEED = 1176, /* 3.576 m/s */
    MOST_TURN = 1024,
};

static const double pi = 3.14159265358979323846;
static const double speed_unit = 328.82963; /* of commands, for 1 m/s */
static const double counts_m = 33215, counts_turn = 112644, counts_mps = 332, counts_degree = 7.8;

struct rmp {
    tp_device *vehicle, *body, *power, *ui; /* NULL if not offered */
    tp_port *port;                          /* owned; NULL unless it runs */
    bool usb;
    double baud, max_speed, max_turn, timeout_s;
    uint8_t bytes[USB_PACKET];
    size_t length;
    int64_t heard_ns;
    int speeds[2]; /* ahead and turn, as the base counts them */
    bool powered, known, runs;
    uint32_t ahead, turned; /* its counters */
    tp_position2d_data state;
    tp_position3d_data attitude;
    uint64_t damaged;
};

static const tp_param rmp_params[] = {
    {"bus", NULL, "canbus", "canbus or usb"},
    {"port", "line", "", "the line; empty for can:can0, or the usb_device"},
    {"usb_device", "line", "/dev/ttyUSB0", "the line for the bus usb"},
    {"baud", "1", "460800", "speed of the line for the bus usb"},
    {"canio", NULL, "kvaser", "ignored: the interface of Linux is used, whatever its maker is"},
    {"max_xspeed", "m/s", "0.5", "highest speed; commands above it are limited"},
    {"max_yawspeed", "rad", "0.698132", "the same for turning: an angle per second"},
    {"timeout", "s", "2", "a base that is silent for so long is started anew"},
    {NULL, NULL, NULL, NULL},
};

static struct rmp *rmp_of(const tp_device *device)
{
    return tp_instance_state(tp_device_instance(device));
}

/* ---- Frames ---------------------------------------------------------------------------------- */

static uint8_t sum_of(const uint8_t bytes[USB_PACKET])
{
    unsigned sum = 0;

    for (unsigned i = 0; i < USB_PACKET - 1; i++) {
        sum += bytes[i];
    }
    sum = (sum & 0xff) + (sum >> 8);
    sum = (sum & 0xff) + (sum >> 8);
    return (uint8_t)(~sum + 1);
}

/* A frame with four numbers, as the line wants it. */
static size_t put_frame(const struct rmp *r, uint8_t out[USB_PACKET], unsigned id,
                        const int numbers[4])
{
    uint8_t *data = out + (r->usb ? 9 : 8);

    memset(out, 0, USB_PACKET);
    for (unsigned i = 0; i < 4; i++) {
        data[2 * i] = (uint8_t)((unsigned)numbers[i] >> 8);
        data[2 * i + 1] = (uint8_t)numbers[i];
    }
    if (r->usb) {
        out[0] = USB_BEGIN;
        out[1] = 0x55;
        out[6] = (uint8_t)(id >> 8);
        out[7] = (uint8_t)id;
        out[17] = sum_of(out);
        return USB_PACKET;
    }
    out[0] = (uint8_t)id;
    out[1] = (uint8_t)(id >> 8);
    out[4] = 8;
    return CAN_FRAME;
}

static tp_status say(tp_instance *self, unsigned id, const int numbers[4], tp_error *err)
{
    const struct rmp *r = tp_instance_state(self);
    uint8_t out[USB_PACKET];

    return tp_port_write(r->port, out, put_frame(r, out, id, numbers), err);
}

static tp_status say_speeds(tp_instance *self, tp_error *err)
{
    const struct rmp *r = tp_instance_state(self);

    return say(self, SPEEDS, (const int[4]){r->speeds[0], r->speeds[1], 0, 0}, err);
}

/* ---- Hearing --------------------------------------------------------------------------------- */

static int s16(const uint8_t *data, unsigned number)
{
    return (int16_t)(data[2 * number] << 8 | data[2 * number + 1]);
}

/* A counter: its lower half comes first. */
static uint32_t u32(const uint8_t *data, unsigned number)
{
    return (uint32_t)(uint16_t)s16(data, number + 1) << 16 | (uint16_t)s16(data, number);
}

static double radians(int counts)
{
    return counts / counts_degree * pi / 180;
}

static void publish(struct rmp *r)
{
    tp_position3d_data *a = &r->attitude;

    a->pos.px = r->state.pos.px;
    a->pos.py = r->state.pos.py;
    a->pos.pyaw = r->state.pos.pa;
    a->vel.px = r->state.vel.px;
    a->vel.pyaw = r->state.vel.pa;
    if (r->vehicle != NULL) {
        tp_position2d_publish_state(r->vehicle, &r->state, 0);
    }
    if (r->body != NULL) {
        tp_position3d_publish_state(r->body, a, 0);
    }
}

/* How far it has come and turned, over the ends of the counters. */
static void take_way(struct rmp *r, uint32_t ahead, uint32_t turned)
{
    const double way = r->known ? tpi_wheels_ticks(r->ahead, ahead) / counts_m : 0;
    const double turn = r->known ? tpi_wheels_ticks(r->turned, turned) / counts_turn * 2 * pi : 0;
    const double middle = r->state.pos.pa + turn / 2;

    r->ahead = ahead;
    r->turned = turned;
    r->known = true;
    r->state.pos.px += way * cos(middle);
    r->state.pos.py += way * sin(middle);
    r->state.pos.pa = remainder(r->state.pos.pa + turn, 2 * pi);
    publish(r);
}

static void take_power(const struct rmp *r, int ui, int base)
{
    const tp_power_data of_base = {.valid = TP_POWER_MASK_VOLTS, .volts = (float)(base / 4.0)};
    const tp_power_data of_ui = {.valid = TP_POWER_MASK_VOLTS, .volts = (float)(1.4 + ui * 0.0125)};

    if (r->power != NULL) {
        tp_power_publish_state(r->power, &of_base, 0);
    }
    if (r->ui != NULL) {
        tp_power_publish_state(r->ui, &of_ui, 0);
    }
}

static void take_frame(tp_instance *self, unsigned id, const uint8_t *data)
{
    struct rmp *r = tp_instance_state(self);

    if (id < REPORT || id > REPORT + 7) {
        return;
    }
    r->heard_ns = tpi_classic_now_ns(self);
    if (!r->runs) {
        return;
    }
    switch (id - REPORT) {
    case 1:
        r->attitude.pos.ppitch = radians(s16(data, 0));
        r->attitude.vel.ppitch = radians(s16(data, 1));
        r->attitude.pos.proll = radians(s16(data, 2));
        r->attitude.vel.proll = radians(s16(data, 3));
        break;
    case 2: /* it counts turns to the right */
        r->state.vel = (tp_pose2d){.px = (s16(data, 0) + s16(data, 1)) / counts_mps / 2,
                                   .pa = -radians(s16(data, 2))};
        break;
    case 4:
        take_way(r, u32(data, 0), u32(data, 2));
        break;
    case 6:
        take_power(r, (uint16_t)s16(data, 2), (uint16_t)s16(data, 3));
        break;
    default:
        break;
    }
}

/* Is the packet that begins here whole and right? Those of the second channel say the same. */
static void take_packet(tp_instance *self, const uint8_t *bytes)
{
    if (bytes[2] != 0xbb) {
        take_frame(self, (unsigned)(bytes[4] << 3 | bytes[5] >> 5), bytes + 9);
    }
}

static void take_byte(tp_instance *self, uint8_t byte)
{
    struct rmp *r = tp_instance_state(self);

    r->bytes[r->length++] = byte;
    if (!r->usb && r->length == CAN_FRAME) {
        r->length = 0;
        if (r->bytes[4] == 8) {
            take_frame(self, (unsigned)(r->bytes[0] | r->bytes[1] << 8), r->bytes + 8);
        }
    }
    while (r->usb && r->length > 0 && (r->bytes[0] != USB_BEGIN || r->length == USB_PACKET)) {
        const bool whole = r->length == USB_PACKET && r->bytes[0] == USB_BEGIN;
        const bool right = whole && sum_of(r->bytes) == r->bytes[USB_PACKET - 1];
        const size_t drop = right ? USB_PACKET : 1;
        r->damaged += whole && !right;
        if (right) {
            take_packet(self, r->bytes);
        }
        r->length -= drop;
        memmove(r->bytes, r->bytes + drop, r->length);
    }
}

static tp_status rmp_input(tp_instance *self, tp_port *port, tp_error *err)
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

/* The base wants to hear its speeds again and again. */
static tp_status rmp_poll(tp_instance *self, tp_error *err)
{
    const struct rmp *r = tp_instance_state(self);
    tp_status status = tpi_classic_check(self, r->heard_ns, r->timeout_s, "the base", err);

    if (status == TP_OK && (r->speeds[0] != 0 || r->speeds[1] != 0)) {
        status = say_speeds(self, err);
    }
    return status == TP_E_DENIED ? TP_OK : status; /* a panic */
}

/* ---- Commands -------------------------------------------------------------------------------- */

static int counts_of(double value, double most, double unit, int most_counts)
{
    const double counts = fmax(-most, fmin(most, value)) * unit;

    return (int)lrint(fmax(-most_counts, fmin(most_counts, counts)));
}

static tp_status drive(tp_device *device, double ahead, double turn, tp_error *err)
{
    struct rmp *r = rmp_of(device);

    if (!isfinite(ahead) || !isfinite(turn)) {
        return tp_fail(err, TP_E_RANGE, "a velocity is made of numbers");
    }
    r->speeds[0] = r->powered ? counts_of(ahead, r->max_speed, speed_unit, MOST_SPEED) : 0;
    r->speeds[1] =
        r->powered ? counts_of(turn, r->max_turn, counts_degree * 180 / pi, MOST_TURN) : 0;
    return say_speeds(tp_device_instance(device), err);
}

static tp_status cmd_vel(tp_device *device, const tp_position2d_cmd_vel *ask, tp_error *err)
{
    return drive(device, ask->vel.px, ask->vel.pa, err);
}

static tp_status cmd_vel_3d(tp_device *device, const tp_position3d_cmd_vel *ask, tp_error *err)
{
    return drive(device, ask->vel.px, ask->vel.pyaw, err);
}

static tp_status set_power(tp_device *device, bool on, tp_error *err)
{
    rmp_of(device)->powered = on;
    return on ? TP_OK : drive(device, 0, 0, err);
}

static tp_status motor_power(tp_device *device, const tp_position2d_power_config *ask,
                             tp_error *err)
{
    return set_power(device, ask->state != 0, err);
}

static tp_status motor_power_3d(tp_device *device, const tp_position3d_power_config *ask,
                                tp_error *err)
{
    return set_power(device, ask->state != 0, err);
}

static tp_status vehicle_geom(tp_device *device, tp_position2d_geom *answer, tp_error *err)
{
    (void)device;
    (void)err;
    answer->size = (tp_bbox3d){.sl = 0.508, .sw = 0.61};
    return TP_OK;
}

static tp_status body_geom(tp_device *device, tp_position3d_geom *answer, tp_error *err)
{
    (void)device;
    (void)err;
    answer->size = (tp_bbox3d){.sl = 0.508, .sw = 0.61, .sh = 1.09};
    return TP_OK;
}

static tp_status reset_odom(tp_device *device, tp_error *err)
{
    (void)err;
    rmp_of(device)->state.pos = (tp_pose2d){0};
    return TP_OK;
}

static const tp_position2d_ops vehicle_ops = {.cmd_vel = cmd_vel,
                                              .req_get_geom = vehicle_geom,
                                              .req_motor_power = motor_power,
                                              .req_reset_odom = reset_odom};
static const tp_position3d_ops body_ops = {
    .cmd_set_vel = cmd_vel_3d, .req_get_geom = body_geom, .req_motor_power = motor_power_3d};
static const tp_power_ops power_ops = {0};

static void rmp_halt(tp_device *device, tp_halt how)
{
    struct rmp *r = rmp_of(device);

    (void)how;
    if (device == r->vehicle || device == r->body) {
        r->speeds[0] = r->speeds[1] = 0;
        (void)say_speeds(tp_device_instance(device), NULL);
    }
}

/* ---- Life ------------------------------------------------------------------------------------ */

static tp_status read_bus(tp_instance *self, tp_error *err)
{
    struct rmp *r = tp_instance_state(self);
    const char *bus = tp_param_string(self, "bus");

    r->usb = strcmp(bus, "usb") == 0;
    if (!r->usb && strcmp(bus, "canbus") != 0) {
        tp_param_blame(self, "bus");
        return tp_fail(err, TP_E_RANGE, "bus is canbus or usb, not \"%.40s\"", bus);
    }
    return TP_OK;
}

static tp_status rmp_init(tp_instance *self, tp_error *err)
{
    struct rmp *r = tp_instance_state(self);
    const struct classic_number numbers[] = {{"baud", 300, 12000000, &r->baud},
                                             {"max_xspeed", 0, 3.6, &r->max_speed},
                                             {"max_yawspeed", 0, 10, &r->max_turn},
                                             {"timeout", 0.2, 3600, &r->timeout_s}};
    const struct classic_offer offers[] = {
        {&tp_interface_position2d, NULL, &vehicle_ops, &r->vehicle},
        {&tp_interface_position3d, NULL, &body_ops, &r->body},
        {&tp_interface_power, "ui", &power_ops, &r->ui},
        {&tp_interface_power, NULL, &power_ops, &r->power}};
    tp_status status = tpi_classic_numbers(self, numbers, sizeof numbers / sizeof numbers[0], err);

    status = status == TP_OK ? read_bus(self, err) : status;
    return status == TP_OK ? tpi_classic_offer(self, offers, sizeof offers / sizeof offers[0], err)
                           : status;
}

static tp_status open_bus(tp_instance *self, tp_error *err)
{
    struct rmp *r = tp_instance_state(self);
    const tp_port_settings settings = {.baud = (unsigned)r->baud};
    const char *given = tp_param_string(self, "port");
    const char *usual = r->usb ? tp_param_string(self, "usb_device") : "can:can0";

    return tp_port_open(&r->port, self, given[0] != '\0' ? given : usual, &settings,
                        tpi_classic_now_ns(self) + 5 * TP_NS_PER_S, err);
}

/* It reports without being asked. A frame of a bus is read as a whole. */
static tp_status await_report(tp_instance *self, tp_error *err)
{
    struct rmp *r = tp_instance_state(self);
    const int64_t deadline_ns = tpi_classic_now_ns(self) + 2 * TP_NS_PER_S;
    tp_status status = TP_OK;

    r->length = 0;
    r->heard_ns = TP_NEVER;
    while (status == TP_OK && r->heard_ns == TP_NEVER) {
        uint8_t bytes[USB_PACKET];
        const size_t size = r->usb ? 1 : CAN_FRAME;
        status = tp_port_read_all(r->port, bytes, size, deadline_ns, err);
        for (size_t i = 0; i < size && status == TP_OK; i++) {
            take_byte(self, bytes[i]);
        }
    }
    return status == TP_E_TIMEOUT
               ? tp_fail(err, TP_E_TIMEOUT, "%s: no base reports: is it switched on?",
                         tp_port_url(r->port))
               : status;
}

static tp_status guard(const struct rmp *r, tp_error *err)
{
    enum { LONGEST = USB_PACKET };
    uint8_t bytes[LONGEST + USB_PACKET] = {0}; /* whatever ends a packet that was begun */
    const size_t before = r->usb ? LONGEST : 0;

    return tp_port_guard(r->port, bytes,
                         before + put_frame(r, bytes + before, SPEEDS, (const int[4]){0}), err);
}

static tp_status rmp_start(tp_instance *self, tp_error *err)
{
    struct rmp *r = tp_instance_state(self);
    tp_status status = open_bus(self, err);

    r->runs = r->known = false;
    r->state = (tp_position2d_data){0};
    r->attitude = (tp_position3d_data){0};
    r->speeds[0] = r->speeds[1] = 0;
    r->powered = true;
    status = status == TP_OK ? await_report(self, err) : status;
    if (status == TP_OK && (r->vehicle != NULL || r->body != NULL)) {
        status = guard(r, err);
    }
    if (status != TP_OK) {
        tp_port_close(r->port);
        r->port = NULL;
        return status;
    }
    r->runs = true;
    r->heard_ns = tpi_classic_now_ns(self);
    tp_instance_set_period(self, 50 * TP_NS_PER_MS);
    tp_port_watch(r->port, true);
    return TP_OK;
}

static void rmp_stop(tp_instance *self)
{
    struct rmp *r = tp_instance_state(self);

    r->speeds[0] = r->speeds[1] = 0;
    (void)say_speeds(self, NULL);
    tp_port_close(r->port);
    r->port = NULL;
}

static const tp_driver_ops rmp_ops = {
    .init = rmp_init,
    .start = rmp_start,
    .poll = rmp_poll,
    .input = rmp_input,
    .halt = rmp_halt,
    .stop = rmp_stop,
};

extern const tp_driver tp_driver_segwayrmp;
TP_API const tp_driver tp_driver_segwayrmp = {
    .abi = TP_DRIVER_ABI,
    .name = "segwayrmp",
    .summary = "the base RMP of Segway",
    .state_size = sizeof(struct rmp),
    .params = rmp_params,
    .ops = &rmp_ops,
};
