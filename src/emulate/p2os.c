/*
 * p2os.c - an emulated Pioneer 3-DX: the controller of MobileRobots (ARCOS), as far as programs
 * that drive and look need it.
 *
 * Packets are FA FB, a length, a payload and a sum. A program says SYNC 0, 1 and 2, then OPEN; from
 * then on the robot reports itself every 100 ms. It stops when it has heard nothing for 2 s. A
 * packet with a wrong sum is dropped without a word.
 *
 * Not emulated: arms, auxiliary lines, configuration packets, encoders, sounds, moves by a distance
 * or an angle. The gyroscope, which GYRO switches on, reads 515 where nothing turns.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "emulate/robot.h"

enum { MOST_PACKET = 206, SONARS = 16, BUMPERS = 5 };

static const int64_t report_us = 100000, watchdog_us = 2000000;
static const double unit_mm = 0.485; /* of x and y */
static const double circle = 2 * 3.14159265358979323846;

/* What the program has done so far. */
enum phase { PHASE_SYNC0, PHASE_SYNC1, PHASE_SYNC2, PHASE_READY, PHASE_OPEN };

struct gripper {
    bool is_open;
    bool moves;
    int64_t until_us;
};

struct pioneer {
    enum phase phase;
    uint8_t packet[MOST_PACKET];
    size_t length;
    tpi_sim_model sonars, bumpers;
    bool motors;
    bool sonar_on, gyro_on;
    double forward, turn; /* wanted: m/s and rad/s */
    double wheels[2];     /* wanted instead, if `by_wheels` */
    bool by_wheels;
    double most_mps, most_radps;
    double x_mm, y_mm, heading; /* of its own odometry */
    int64_t heard_us, next_us;
    uint8_t outputs;
    struct gripper gripper;
};

static struct pioneer *pioneer_of(tpi_emu *emu)
{
    return emu->state;
}

/* ---- Packets --------------------------------------------------------------------------------- */

static uint16_t checksum(const uint8_t *bytes, unsigned count)
{
    uint32_t total = 0;
    unsigned i = 0;

    for (; i + 1 < count; i += 2) {
        total += (uint32_t)bytes[i] * 256 + bytes[i + 1];
    }
    return (uint16_t)(i < count ? (total & 0xffff) ^ bytes[i] : total);
}

static void say(tpi_emu *emu, const uint8_t *payload, unsigned count, const char *meaning)
{
    uint8_t out[MOST_PACKET + 1];

    out[0] = 0xfa;
    out[1] = 0xfb;
    out[2] = (uint8_t)(count + 2);
    memcpy(out + 3, payload, count);
    tpi_put_be16(out + 3 + count, checksum(payload, count));
    tpi_emu_say(emu, out, count + 5, "%s", meaning);
}

/* ---- The report ------------------------------------------------------------------------------ */

static unsigned bumper_bits(tpi_emu *emu, unsigned first)
{
    const struct pioneer *p = pioneer_of(emu);
    unsigned bits = 0;

    for (unsigned i = 0; i < BUMPERS; i++) {
        if (tpi_body_bumper(&emu->body, p->bumpers, first + i)) {
            bits |= 1U << (BUMPERS - i);
        }
    }
    return bits;
}

static unsigned put_sonars(tpi_emu *emu, uint8_t *out)
{
    const struct pioneer *p = pioneer_of(emu);

    for (unsigned i = 0; i < SONARS; i++) {
        const double range = fmin(tpi_body_range(&emu->body, p->sonars, i), 5);
        out[3 * i] = (uint8_t)i;
        tpi_put_le16(out + 3 * i + 1, (uint32_t)lrint(range * 1000));
    }
    return 3 * SONARS;
}

static uint8_t gripper_bits(const struct pioneer *p)
{
    return p->gripper.moves ? 4 : p->gripper.is_open ? 1 : 2;
}

static void report(tpi_emu *emu)
{
    const struct pioneer *p = pioneer_of(emu);
    const double *turned = emu->body.turned;
    const bool moves = fabs(turned[0]) + fabs(turned[1]) > 0.001;
    uint8_t out[20 + 3 * SONARS + 5] = {0};
    unsigned count = 20;

    out[0] = moves ? 0x33 : 0x32;
    tpi_put_le16(out + 1, (uint32_t)(int32_t)lrint(p->x_mm / unit_mm));
    tpi_put_le16(out + 3, (uint32_t)(int32_t)lrint(p->y_mm / unit_mm));
    tpi_put_le16(out + 5, (uint32_t)(int32_t)lrint(remainder(p->heading, circle) / circle * 4096));
    tpi_put_le16(out + 7, (uint32_t)(int32_t)lrint(turned[0] * 1000));
    tpi_put_le16(out + 9, (uint32_t)(int32_t)lrint(turned[1] * 1000));
    out[11] = emu->body.empty ? 95 : 127;
    out[12] = (uint8_t)(bumper_bits(emu, BUMPERS) | emu->body.blocked);
    out[13] = (uint8_t)(bumper_bits(emu, 0) | emu->body.blocked);
    out[16] = (uint8_t)(p->motors | (p->sonar_on ? 0x1e : 0));
    out[18] = 181; /* no compass */
    if (p->sonar_on) {
        out[19] = SONARS;
        count += put_sonars(emu, out + count);
    }
    out[count + 1] = gripper_bits(p);
    out[count + 2] = 128; /* the analog input */
    out[count + 4] = p->outputs;
    say(emu, out, count + 5, "report");
}

/* Four readings, of 10 bits for 5 V: 300 degrees per second are 2.5 V, to the left is less. */
static void report_gyro(tpi_emu *emu)
{
    enum { READINGS = 4, ZERO = 515 };
    const double *turned = emu->body.turned;
    const double degrees = (turned[1] - turned[0]) / emu->body.track / circle * 360;
    const double reading = fmax(0, fmin(1023, ZERO - degrees * 2.5 / 300 * 1023 / 5));
    uint8_t out[2 + 3 * READINGS] = {0x98, READINGS};

    for (unsigned i = 0; i < READINGS; i++) {
        tpi_put_le16(out + 2 + 3 * i, (uint32_t)lrint(reading));
        out[4 + 3 * i] = 128; /* a temperature */
    }
    say(emu, out, sizeof out, "gyroscope");
}

/* ---- Commands -------------------------------------------------------------------------------- */

static double limited(double value, double most)
{
    return fmax(-most, fmin(most, value));
}

static void drive(tpi_emu *emu)
{
    const struct pioneer *p = pioneer_of(emu);
    const double v = limited(p->forward, p->most_mps);
    const double half = limited(p->turn, p->most_radps) * emu->body.track / 2;

    if (!p->motors) {
        tpi_body_drive(&emu->body, 0, 0);
    } else if (p->by_wheels) {
        tpi_body_drive(&emu->body, p->wheels[0], p->wheels[1]);
    } else {
        tpi_body_drive(&emu->body, v - half, v + half);
    }
}

static void stop(tpi_emu *emu)
{
    struct pioneer *p = pioneer_of(emu);

    p->forward = p->turn = 0;
    p->by_wheels = false;
    drive(emu);
}

static void grip(tpi_emu *emu, int how)
{
    struct gripper *g = &pioneer_of(emu)->gripper;

    if (how == 1 || how == 2) {
        g->is_open = how == 1;
        g->moves = true;
        g->until_us = emu->now_us + 1500000;
    } else if (how == 3 || how == 15) {
        g->moves = false;
    }
}

/* `both` has the left wheel in its higher byte. */
static void set_wheels(struct pioneer *p, int both)
{
    p->by_wheels = true;
    p->wheels[0] = (int8_t)(uint8_t)((unsigned)both >> 8) * 0.02;
    p->wheels[1] = (int8_t)(uint8_t)both * 0.02;
}

/* Commands that change how it drives. */
static const char *drive_by(tpi_emu *emu, unsigned command, int value)
{
    struct pioneer *p = pioneer_of(emu);

    switch (command) {
    case 4:
        p->motors = value != 0;
        p->forward = p->turn = 0;
        p->by_wheels = false;
        return "ENABLE";
    case 6:
        p->most_mps = abs(value) * 1e-3;
        return "SETV";
    case 10:
        p->most_radps = abs(value) * circle / 360;
        return "SETRV";
    case 11:
        p->by_wheels = false;
        p->forward = value * 1e-3;
        return "VEL";
    case 21:
        p->by_wheels = false;
        p->turn = value * circle / 360;
        return "RVEL";
    case 32:
        set_wheels(p, value);
        return "VEL2";
    default:
        return NULL;
    }
}

static const char *do_other(tpi_emu *emu, unsigned command, int value)
{
    struct pioneer *p = pioneer_of(emu);

    switch (command) {
    case 0:
        return "PULSE";
    case 1:
        return "OPEN";
    case 7:
        p->x_mm = p->y_mm = p->heading = 0;
        return "SETO";
    case 28:
        p->sonar_on = (value & 1) != 0;
        return "SONAR";
    case 29:
    case 55:
        stop(emu);
        return "STOP";
    case 30:
        p->outputs = (uint8_t)((p->outputs & ~(value >> 8)) | (value & value >> 8));
        return "DIGOUT";
    case 33:
        grip(emu, value);
        return "GRIPPER";
    case 58:
        p->gyro_on = value != 0;
        return "GYRO";
    default:
        return "not emulated";
    }
}

static void obey(tpi_emu *emu, const uint8_t *packet, unsigned count)
{
    struct pioneer *p = pioneer_of(emu);
    const unsigned command = packet[3];
    const bool has_number = count >= 4 && (packet[4] == 0x3b || packet[4] == 0x1b);
    const int size = has_number ? tpi_get_le16(packet + 5) : 0;
    const int value = has_number && packet[4] == 0x1b ? -size : size;

    if (command == 2) {
        stop(emu);
        p->motors = false;
        p->phase = PHASE_SYNC0;
        tpi_emu_heard(emu, packet, count + 5, "CLOSE");
        return;
    }
    const char *name = drive_by(emu, command, value);
    if (name != NULL) {
        drive(emu);
    } else {
        name = do_other(emu, command, value);
    }
    tpi_emu_heard(emu, packet, count + 5, "%s %d", name, value);
}

/* Each SYNC is answered with itself; the last one with names. */
static void synchronize(tpi_emu *emu, const uint8_t *packet, unsigned count)
{
    static const char names[] = "\2Troupe\0Pioneer\0p3dx";
    struct pioneer *p = pioneer_of(emu);
    const unsigned word = packet[3];

    tpi_emu_heard(emu, packet, count + 5, "SYNC %u", word);
    if (p->phase == PHASE_READY && word == 1) {
        p->phase = PHASE_OPEN;
        p->next_us = emu->now_us + report_us;
    } else if (word == 0 || (unsigned)p->phase == word) {
        p->phase = word == 0 ? PHASE_SYNC1 : p->phase + 1;
        if (word == 2) {
            say(emu, (const uint8_t *)names, sizeof names, "SYNC 2");
        } else {
            say(emu, packet + 3, 1, word == 0 ? "SYNC 0" : "SYNC 1");
        }
    }
}

static void take_packet(tpi_emu *emu)
{
    struct pioneer *p = pioneer_of(emu);
    const unsigned count = p->packet[2] - 2U;
    const uint8_t *end = p->packet + 3 + count;

    if (checksum(p->packet + 3, count) != (uint16_t)(end[0] << 8 | end[1])) {
        tpi_emu_heard(emu, p->packet, p->length, "a wrong sum");
        return;
    }
    p->heard_us = emu->now_us;
    if (p->phase == PHASE_OPEN) {
        obey(emu, p->packet, count);
    } else {
        synchronize(emu, p->packet, count);
    }
}

/* ---- Life ------------------------------------------------------------------------------------ */

static void pioneer_input(tpi_emu *emu, const uint8_t *bytes, size_t length)
{
    struct pioneer *p = pioneer_of(emu);

    for (; length > 0; length--, bytes++) {
        p->packet[p->length++] = *bytes;
        if ((p->length == 1 && *bytes != 0xfa) || (p->length == 2 && *bytes != 0xfb) ||
            (p->length == 3 && (*bytes < 3 || *bytes > MOST_PACKET - 3))) {
            p->packet[0] = *bytes;
            p->length = *bytes == 0xfa;
        } else if (p->length > 3 && p->length == p->packet[2] + 3U) {
            take_packet(emu);
            p->length = 0;
        }
    }
}

static tp_status pioneer_start(tpi_emu *emu, tp_error *err)
{
    struct pioneer *p = pioneer_of(emu);
    const struct tpi_emu_part parts[] = {{&p->sonars, "sonars"}, {&p->bumpers, "bumpers"}};

    return tpi_emu_find_parts(emu, parts, sizeof parts / sizeof parts[0], err);
}

static void pioneer_reset(tpi_emu *emu)
{
    struct pioneer *p = pioneer_of(emu);

    p->phase = PHASE_SYNC0;
    p->motors = false;
    p->sonar_on = true;
    p->gyro_on = false;
    p->most_mps = 1.2;
    p->most_radps = 5;
    p->gripper = (struct gripper){.is_open = true};
    stop(emu);
}

static void count_way(tpi_emu *emu)
{
    struct pioneer *p = pioneer_of(emu);
    const double seconds = (double)emu->step_us * 1e-6;
    const double *turned = emu->body.turned;
    const double way = (turned[0] + turned[1]) / 2 * seconds * 1000;

    p->heading += (turned[1] - turned[0]) / emu->body.track * seconds;
    p->x_mm += way * cos(p->heading);
    p->y_mm += way * sin(p->heading);
}

static void pioneer_tick(tpi_emu *emu)
{
    struct pioneer *p = pioneer_of(emu);

    count_way(emu);
    p->gripper.moves = p->gripper.moves && emu->now_us < p->gripper.until_us;
    if (p->phase != PHASE_OPEN) {
        return;
    }
    if (emu->now_us - p->heard_us >= watchdog_us &&
        (p->forward != 0 || p->turn != 0 || p->by_wheels)) {
        tpi_emu_heard(emu, NULL, 0, "nothing for 2 s: it stops");
        stop(emu);
    }
    if (emu->now_us >= p->next_us) {
        p->next_us += report_us;
        report(emu);
        if (p->gyro_on) {
            report_gyro(emu);
        }
    }
}

const tpi_emu_kind tpi_emu_p2os = {
    .name = "p2os",
    .summary = "Pioneer 3-DX: P2OS/ARCOS, serial, 9600 baud",
    .file = "robots/p3dx.inc",
    .macro = "p3dx",
    .radius = 0.28,
    .track = 0.357,
    .baud = 9600,
    .state_size = sizeof(struct pioneer),
    .start = pioneer_start,
    .reset = pioneer_reset,
    .input = pioneer_input,
    .tick = pioneer_tick,
};
