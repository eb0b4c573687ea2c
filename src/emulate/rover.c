/*
 * rover.c - an emulated rover with ArduPilot: MAVLink on a serial line.
 *
 * It sends a heartbeat each second, and other messages at the rates that it was asked for. It hears
 * frames of both versions and speaks version 2, or 1 with the wire "protocol=1". It drives by
 * SET_POSITION_TARGET_LOCAL_NED while it is armed and in the mode GUIDED; a velocity holds for
 * three seconds. North is the world's y, east its x.
 *
 * Not emulated: missions, parameters, radio and joystick, targets that are positions, signatures.
 */
#include <math.h>
#include <string.h>

#include "emulate/robot.h"
#include "sim/sense/sensors.h"

enum { MOST_FRAME = 280, STREAMS = 5, MODE_MANUAL = 0, MODE_HOLD = 4, MODE_GUIDED = 15 };

static const double pi = 3.14159265358979323846;
static const int64_t target_us = 3000000, beat_us = 1000000;

/* Messages, their bytes in the sum, and their lengths. */
struct kind {
    uint8_t id, extra, length;
};

static const struct kind heartbeat = {0, 50, 9}, acknowledge = {77, 143, 3}, text = {253, 83, 51};
/* What it sends on request. */
static const struct kind streams[STREAMS] = {
    {1, 124, 31}, {24, 24, 30}, {26, 170, 22}, {30, 39, 28}, {32, 185, 28}};
/* What it understands. */
static const struct kind heard[] = {{0, 50, 9},    {11, 89, 6},   {66, 148, 6},
                                    {76, 152, 33}, {84, 143, 53}, {69, 243, 11}};

struct rover {
    tpi_sim_model gps, imu;
    bool old; /* speaks version 1 */
    uint8_t frame[MOST_FRAME];
    size_t length;
    uint8_t sequence;
    bool armed;
    uint32_t mode;
    double forward, turn; /* m/s; rad/s, clockwise */
    int64_t told_us;      /* when that was said */
    int64_t next_beat_us;
    int64_t every_us[STREAMS]; /* 0 for never */
    int64_t next_us[STREAMS];
};

static struct rover *rover_of(tpi_emu *emu)
{
    return emu->state;
}

/* ---- Frames ---------------------------------------------------------------------------------- */

static uint16_t checksum(const uint8_t *bytes, size_t length, uint8_t extra)
{
    uint16_t crc = 0xffff;

    for (size_t i = 0; i <= length; i++) {
        crc = (uint16_t)(crc ^ (i < length ? bytes[i] : extra));
        for (int bit = 0; bit < 8; bit++) {
            crc = (uint16_t)((crc & 1) != 0 ? crc >> 1 ^ 0x8408 : crc >> 1);
        }
    }
    return crc;
}

static void say(tpi_emu *emu, const struct kind *what, const uint8_t *payload, const char *meaning)
{
    struct rover *r = rover_of(emu);
    uint8_t out[MOST_FRAME];
    size_t length = what->length;
    size_t head = 6;

    if (r->old) {
        const uint8_t first[6] = {0xfe, what->length, r->sequence++, 1, 1, what->id};
        memcpy(out, first, head);
    } else {
        for (; length > 1 && payload[length - 1] == 0; length--) {
        }
        const uint8_t first[10] = {0xfd, (uint8_t)length, 0, 0, r->sequence++, 1, 1, what->id};
        head = 10;
        memcpy(out, first, head);
    }
    memcpy(out + head, payload, length);
    tpi_put_le16(out + head + length, checksum(out + 1, head - 1 + length, what->extra));
    tpi_emu_say(emu, out, head + length + 2, "%s", meaning);
}

static void put_float(uint8_t *at, double value)
{
    const float small = (float)value;
    uint32_t bits;

    memcpy(&bits, &small, sizeof bits);
    tpi_put_le32(at, bits);
}

static double get_float(const uint8_t *at)
{
    const uint32_t bits = tpi_get_le32(at);
    float value;

    memcpy(&value, &bits, sizeof value);
    return isfinite(value) ? (double)value : 0;
}

/* ---- What it sends --------------------------------------------------------------------------- */

static void beat(tpi_emu *emu)
{
    const struct rover *r = rover_of(emu);
    uint8_t out[9] = {0};

    tpi_put_le32(out, r->mode);
    out[4] = 10;                                   /* a rover */
    out[5] = 3;                                    /* ArduPilot */
    out[6] = (uint8_t)(1 | (r->armed ? 0x80 : 0)); /* its own modes */
    out[7] = r->armed ? 4 : 3;
    out[8] = 3;
    say(emu, &heartbeat, out, "HEARTBEAT");
}

static void put_status(tpi_emu *emu, uint8_t *out)
{
    const double *turned = emu->body.turned;

    tpi_put_le16(out + 14, emu->body.empty ? 9800 : 12400);
    tpi_put_le16(out + 16, (uint32_t)lrint(50 + 300 * (fabs(turned[0]) + fabs(turned[1]))));
    out[30] = emu->body.empty ? 3 : 87;
}

static void put_fix(tpi_emu *emu, uint8_t *out)
{
    tpi_sim_fix fix = {0};
    const bool has =
        tpi_sim_get_fix(emu->body.sim, rover_of(emu)->gps, &fix, NULL) == TP_OK && fix.time_us >= 0;
    const double course = fmod(450 - fix.course * 180 / pi, 360);

    tpi_put_le32(out, (uint32_t)emu->now_us);
    tpi_put_le32(out + 4, (uint32_t)(emu->now_us >> 32));
    tpi_put_le32(out + 8, (uint32_t)(int32_t)lrint(fix.latitude * 1e7));
    tpi_put_le32(out + 12, (uint32_t)(int32_t)lrint(fix.longitude * 1e7));
    tpi_put_le32(out + 16, (uint32_t)(int32_t)lrint(fix.altitude * 1000));
    tpi_put_le16(out + 20, 120);
    tpi_put_le16(out + 22, 180);
    tpi_put_le16(out + 24, (uint32_t)lrint(fix.speed * 100));
    tpi_put_le16(out + 26, (uint32_t)lrint(course * 100));
    out[28] = has ? 3 : 0;
    out[29] = has ? 9 : 0;
}

/* Forward, right, down; thousandths. */
static void put_inertia(tpi_emu *emu, uint8_t *out)
{
    tpi_sim_inertia inertia = {0};

    (void)tpi_sim_get_inertia(emu->body.sim, rover_of(emu)->imu, &inertia, NULL);
    tpi_put_le32(out, (uint32_t)(emu->now_us / 1000));
    for (unsigned i = 0; i < 3; i++) {
        const int sign = i == 0 ? 1 : -1;
        const double units[3] = {1000 / 9.80665, 1000, 500};
        const double values[3] = {inertia.acceleration[i], inertia.rate[i], inertia.field[i]};
        for (unsigned k = 0; k < 3; k++) {
            const double value = fmax(-32768, fmin(32767, sign * values[k] * units[k]));
            tpi_put_le16(out + 4 + 6 * (size_t)k + 2 * (size_t)i, (uint32_t)(int32_t)lrint(value));
        }
    }
}

static tpi_sim_pose pose_of(const tpi_emu *emu)
{
    return tpi_sim_global_pose(emu->body.sim, emu->body.model);
}

/* Clockwise from north. */
static double yaw_of(const tpi_emu *emu)
{
    return remainder(pi / 2 - pose_of(emu).a, 2 * pi);
}

static double turning(const tpi_emu *emu)
{
    return (emu->body.turned[0] - emu->body.turned[1]) / emu->body.track; /* clockwise */
}

static void put_attitude(tpi_emu *emu, uint8_t *out)
{
    tpi_put_le32(out, (uint32_t)(emu->now_us / 1000));
    put_float(out + 12, yaw_of(emu));
    put_float(out + 24, turning(emu));
}

static void put_place(tpi_emu *emu, uint8_t *out)
{
    const tpi_sim_pose pose = pose_of(emu);
    const double speed = (emu->body.turned[0] + emu->body.turned[1]) / 2;

    tpi_put_le32(out, (uint32_t)(emu->now_us / 1000));
    put_float(out + 4, pose.y);
    put_float(out + 8, pose.x);
    put_float(out + 12, -pose.z);
    put_float(out + 16, speed * cos(yaw_of(emu)));
    put_float(out + 20, speed * sin(yaw_of(emu)));
}

static void send_stream(tpi_emu *emu, unsigned which)
{
    static const struct {
        void (*put)(tpi_emu *emu, uint8_t *out);
        const char *name;
    } how[STREAMS] = {{put_status, "SYS_STATUS"},
                      {put_fix, "GPS_RAW_INT"},
                      {put_inertia, "SCALED_IMU"},
                      {put_attitude, "ATTITUDE"},
                      {put_place, "LOCAL_POSITION_NED"}};
    uint8_t out[64] = {0};

    how[which].put(emu, out);
    say(emu, &streams[which], out, how[which].name);
}

/* ---- What it does ---------------------------------------------------------------------------- */

static void stop(tpi_emu *emu)
{
    rover_of(emu)->forward = rover_of(emu)->turn = 0;
    tpi_body_drive(&emu->body, 0, 0);
}

static void set_mode(tpi_emu *emu, uint32_t mode)
{
    if (mode == MODE_MANUAL || mode == MODE_HOLD || mode == MODE_GUIDED) {
        stop(emu);
        rover_of(emu)->mode = mode;
    }
}

static void complain(tpi_emu *emu, const char *why)
{
    uint8_t out[51] = {2}; /* critical */

    memcpy(out + 1, why, strlen(why));
    say(emu, &text, out, "STATUSTEXT");
}

/* 0 if it did it, 4 if it could not. */
static uint8_t arm(tpi_emu *emu, bool on)
{
    if (on && emu->body.empty) {
        complain(emu, "PreArm: Battery 1 below minimum arming voltage");
        return 4;
    }
    rover_of(emu)->armed = on;
    if (!on) {
        stop(emu);
    }
    return 0;
}

static void set_stream(tpi_emu *emu, unsigned which, double seconds)
{
    struct rover *r = rover_of(emu);

    r->every_us[which] = seconds > 0 ? (int64_t)(fmin(fmax(seconds, 0.02), 3600) * 1e6) : 0;
    r->next_us[which] = emu->now_us + r->every_us[which];
}

/* 0 if there is such a message, 3 if not. */
static uint8_t set_interval(tpi_emu *emu, double id, double microseconds)
{
    for (unsigned i = 0; i < STREAMS; i++) {
        if (streams[i].id == id) {
            set_stream(emu, i, microseconds * 1e-6);
            return 0;
        }
    }
    return 3;
}

static void take_command(tpi_emu *emu, const uint8_t *payload)
{
    const unsigned command = tpi_get_le16(payload + 28);
    const double first = get_float(payload), second = get_float(payload + 4);
    uint8_t out[3] = {0};

    tpi_put_le16(out, command);
    if (command == 400) {
        out[2] = arm(emu, first == 1);
    } else if (command == 511) {
        out[2] = set_interval(emu, first, second);
    } else if (command == 176) {
        set_mode(emu, second >= 0 && second < 100 ? (uint32_t)second : 0);
    } else {
        out[2] = 3;
    }
    say(emu, &acknowledge, out, "COMMAND_ACK");
}

/* Of velocities, forward and the rate of turn count, in the body's frame. */
static void take_target(tpi_emu *emu, const uint8_t *payload)
{
    struct rover *r = rover_of(emu);
    const unsigned ignored = tpi_get_le16(payload + 48);

    if (payload[52] != 8 || !r->armed || r->mode != MODE_GUIDED) {
        return;
    }
    r->forward = (ignored & 0x08) == 0 ? get_float(payload + 16) : 0;
    r->turn = (ignored & 0x800) == 0 ? get_float(payload + 44) : 0;
    r->told_us = emu->now_us;
    const double half = r->turn * emu->body.track / 2;
    tpi_body_drive(&emu->body, r->forward + half, r->forward - half);
}

/* For it, or for all. */
static bool is_mine(uint8_t system)
{
    return system <= 1;
}

static void obey(tpi_emu *emu, uint8_t id, const uint8_t *payload)
{
    if (id == 11 && is_mine(payload[4])) {
        set_mode(emu, tpi_get_le32(payload));
    } else if (id == 66 && is_mine(payload[2])) {
        const unsigned rate = tpi_get_le16(payload);
        for (unsigned i = 0; i < STREAMS; i++) {
            set_stream(emu, i, payload[5] != 0 && rate > 0 ? 1.0 / rate : 0);
        }
    } else if (id == 76 && is_mine(payload[30])) {
        take_command(emu, payload);
    } else if (id == 84 && is_mine(payload[50])) {
        take_target(emu, payload);
    }
}

/* ---- What it hears --------------------------------------------------------------------------- */

static const struct kind *kind_of(const uint8_t *frame)
{
    const bool old = frame[0] == 0xfe;
    const uint8_t id = frame[old ? 5 : 7];

    for (size_t i = 0; i < sizeof heard / sizeof heard[0]; i++) {
        if (heard[i].id == id && (old || (frame[8] == 0 && frame[9] == 0))) {
            return &heard[i];
        }
    }
    return NULL;
}

static void take_frame(tpi_emu *emu)
{
    struct rover *r = rover_of(emu);
    const size_t head = r->frame[0] == 0xfe ? 6 : 10;
    const size_t length = r->frame[1];
    const struct kind *what = kind_of(r->frame);
    uint8_t payload[256] = {0};

    if (what == NULL) {
        tpi_emu_heard(emu, r->frame, r->length, "not emulated");
    } else if (checksum(r->frame + 1, head - 1 + length, what->extra) !=
               tpi_get_le16(r->frame + head + length)) {
        tpi_emu_heard(emu, r->frame, r->length, "a wrong sum");
    } else {
        memcpy(payload, r->frame + head, length);
        tpi_emu_heard(emu, r->frame, r->length, "message %u", what->id);
        obey(emu, what->id, payload);
    }
}

static size_t wanted(const struct rover *r)
{
    const bool old = r->frame[0] == 0xfe;

    return r->length < 3 ? MOST_FRAME
                         : (old ? 8U : 12U) + r->frame[1] + (!old && (r->frame[2] & 1) ? 13U : 0);
}

static void rover_input(tpi_emu *emu, const uint8_t *bytes, size_t length)
{
    struct rover *r = rover_of(emu);

    for (; length > 0; length--, bytes++) {
        if (r->length == 0 && *bytes != 0xfe && *bytes != 0xfd) {
            continue;
        }
        r->frame[r->length++] = *bytes;
        if (r->length == wanted(r)) {
            take_frame(emu);
            r->length = 0;
        }
    }
}

/* ---- Life ------------------------------------------------------------------------------------ */

static tp_status rover_wire(tpi_emu *emu, const char *slot, const char *part, tp_error *err)
{
    if (strcmp(slot, "protocol") != 0) {
        return tpi_emu_no_slot(slot, "protocol", err);
    }
    if (strcmp(part, "1") != 0 && strcmp(part, "2") != 0) {
        return tpi_emu_no_part(part, "1, 2", err);
    }
    rover_of(emu)->old = part[0] == '1';
    return TP_OK;
}

static tp_status rover_start(tpi_emu *emu, tp_error *err)
{
    struct rover *r = rover_of(emu);
    const struct tpi_emu_part parts[] = {{&r->gps, "gps"}, {&r->imu, "imu"}};

    return tpi_emu_find_parts(emu, parts, sizeof parts / sizeof parts[0], err);
}

static void rover_reset(tpi_emu *emu)
{
    struct rover *r = rover_of(emu);

    r->armed = false;
    r->mode = MODE_MANUAL;
    r->length = 0;
    r->next_beat_us = emu->now_us;
    memset(r->every_us, 0, sizeof r->every_us);
    stop(emu);
}

static void rover_tick(tpi_emu *emu)
{
    struct rover *r = rover_of(emu);

    if ((r->forward != 0 || r->turn != 0) && emu->now_us - r->told_us >= target_us) {
        tpi_emu_heard(emu, NULL, 0, "no target for 3 s: it stops");
        stop(emu);
    }
    if (emu->now_us >= r->next_beat_us) {
        r->next_beat_us = emu->now_us + beat_us;
        beat(emu);
    }
    for (unsigned i = 0; i < STREAMS; i++) {
        if (r->every_us[i] > 0 && emu->now_us >= r->next_us[i]) {
            r->next_us[i] += r->every_us[i];
            send_stream(emu, i);
        }
    }
}

const tpi_emu_kind tpi_emu_rover = {
    .name = "rover",
    .summary = "rover with ArduPilot: MAVLink, serial, 57600 baud",
    .file = "robots/rover.inc",
    .macro = "rover",
    .radius = 0.3,
    .track = 0.4,
    .baud = 57600,
    .state_size = sizeof(struct rover),
    .start = rover_start,
    .wire = rover_wire,
    .reset = rover_reset,
    .input = rover_input,
    .tick = rover_tick,
};
