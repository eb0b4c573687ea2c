/*
 * finch.c - an emulated BirdBrain Finch 1: reports of eight bytes.
 *
 * A report to the robot is a letter, its arguments and, in the last byte, a number that a reply has
 * too. Only questions are answered. On a line of bytes, a 0 in front of a report (the number of an
 * HID report) is accepted and skipped, and a report that stays unfinished for 100 ms is forgotten,
 * since such a line has no packets.
 */
#include <math.h>
#include <string.h>

#include "emulate/robot.h"
#include "sim/sense/sensors.h"

enum { REPORT = 8, TAPPED = 0x20, SHAKEN = 0x80, SLOWEST = 40, FASTEST = 255, ACCELERATION = 0x99 };

static const int64_t gap_us = 100000;
static const int64_t idle_us = 5000000; /* without a command: it stops and shows colours */
static const double full_mps = 0.35, near_m = 0.15, celsius = 22;

struct finch {
    uint8_t input[REPORT];
    size_t length;
    int64_t input_us;
    int64_t heard_us; /* the last command */
    bool idle;
    uint8_t pings;
    uint32_t colour; /* of the beak */
    bool tapped, shaken, was_blocked, was_lifted;
    tpi_sim_model lights[2], eyes, beak, buzzer, imu;
};

static struct finch *finch_of(tpi_emu *emu)
{
    return emu->state;
}

/* ---- What it does ---------------------------------------------------------------------------- */

static double speed_of(uint8_t backward, uint8_t speed)
{
    const double mps = speed < SLOWEST ? 0 : full_mps * speed / FASTEST;

    return backward != 0 ? -mps : mps;
}

static void show(tpi_emu *emu, uint32_t colour)
{
    struct finch *f = finch_of(emu);

    if (colour != f->colour) {
        f->colour = colour;
        tpi_body_lamp(&emu->body, f->beak, colour);
    }
}

static void stop_all(tpi_emu *emu)
{
    tpi_body_drive(&emu->body, 0, 0);
    show(emu, 0);
    tpi_body_tone(&emu->body, finch_of(emu)->buzzer, 0, 0);
}

static void go_idle(tpi_emu *emu)
{
    stop_all(emu);
    finch_of(emu)->idle = true;
}

/* ---- What it senses -------------------------------------------------------------------------- */

static uint8_t light_of(tpi_emu *emu, unsigned side)
{
    return (uint8_t)lround(255 * tpi_body_light(&emu->body, finch_of(emu)->lights[side], 0));
}

/* The two eyes beside the middle one. */
static uint8_t obstacle_at(tpi_emu *emu, unsigned side)
{
    return tpi_body_range(&emu->body, finch_of(emu)->eyes, 1 + side) < near_m ? 1 : 0;
}

/* An acceleration in six bits, 1.5 g for 32. */
static uint8_t six_bits(double mps2)
{
    const double value = round(mps2 / 9.81 * 32 / 1.5);

    return (uint8_t)((int)fmin(fmax(value, -32), 31) & 0x3f);
}

static void put_acceleration(tpi_emu *emu, uint8_t *reply)
{
    struct finch *f = finch_of(emu);
    tpi_sim_inertia inertia = {.acceleration = {0, 0, 9.81}};

    (void)tpi_sim_get_inertia(emu->body.sim, f->imu, &inertia, NULL);
    if (inertia.time_us < 0) {
        inertia.acceleration[2] = 9.81; /* it has not measured yet */
    }
    reply[0] = ACCELERATION;
    for (unsigned i = 0; i < 3; i++) {
        reply[1 + i] = six_bits(inertia.acceleration[i]);
    }
    reply[4] = (uint8_t)((f->tapped ? TAPPED : 0) | (f->shaken ? SHAKEN : 0));
    f->tapped = f->shaken = false;
}

/* ---- Reports --------------------------------------------------------------------------------- */

/* Commands without an answer; false if it is none. */
static bool act(tpi_emu *emu, const uint8_t *r)
{
    struct finch *f = finch_of(emu);

    switch (r[0]) {
    case 'O':
        tpi_emu_heard(emu, r, REPORT, "beak %u %u %u", r[1], r[2], r[3]);
        show(emu, (uint32_t)r[1] << 16 | (uint32_t)r[2] << 8 | r[3]);
        return true;
    case 'M':
        tpi_emu_heard(emu, r, REPORT, "wheels %c%u %c%u", r[1] != 0 ? '-' : '+', r[2],
                      r[3] != 0 ? '-' : '+', r[4]);
        tpi_body_drive(&emu->body, speed_of(r[1], r[2]), speed_of(r[3], r[4]));
        return true;
    case 'B':
        tpi_emu_heard(emu, r, REPORT, "buzzer %d Hz, %d ms", (uint16_t)tpi_get_be16(r + 3),
                      (uint16_t)tpi_get_be16(r + 1));
        tpi_body_tone(&emu->body, f->buzzer, (uint16_t)tpi_get_be16(r + 3),
                      (uint16_t)tpi_get_be16(r + 1) * 1e-3);
        return true;
    case 'X':
        tpi_emu_heard(emu, r, REPORT, "all off");
        stop_all(emu);
        return true;
    case 'R':
        tpi_emu_heard(emu, r, REPORT, "close: back to idle");
        go_idle(emu);
        return true;
    default:
        return false;
    }
}

/* The answer to a question; the meaning of both, NULL if it is none. */
static const char *answer(tpi_emu *emu, const uint8_t *r, uint8_t *reply)
{
    switch (r[0]) {
    case 'T':
        reply[0] = (uint8_t)lround((celsius - 25) * 2.4 + 127);
        return "temperature";
    case 'L':
        reply[0] = light_of(emu, 0);
        reply[1] = light_of(emu, 1);
        return "light, left and right";
    case 'I':
        reply[0] = obstacle_at(emu, 0);
        reply[1] = obstacle_at(emu, 1);
        return "obstacles, left and right";
    case 'A':
        put_acceleration(emu, reply);
        return "acceleration, taps and shakes";
    case 'z':
        reply[0] = ++finch_of(emu)->pings;
        return "ping";
    default:
        return NULL;
    }
}

static void take_report(tpi_emu *emu, const uint8_t *report)
{
    struct finch *f = finch_of(emu);
    uint8_t reply[REPORT] = {0};

    f->heard_us = emu->now_us;
    f->idle = false;
    if (act(emu, report)) {
        return;
    }
    const char *meaning = answer(emu, report, reply);
    tpi_emu_heard(emu, report, REPORT, "%s", meaning == NULL ? "ignored: unknown" : meaning);
    if (meaning != NULL) {
        reply[REPORT - 1] = report[REPORT - 1];
        tpi_emu_say(emu, reply, REPORT, "%s", meaning);
    }
}

static void finch_input(tpi_emu *emu, const uint8_t *bytes, size_t length)
{
    struct finch *f = finch_of(emu);

    if (emu->now_us - f->input_us > gap_us) {
        f->length = 0;
    }
    f->input_us = emu->now_us;
    for (size_t i = 0; i < length; i++) {
        if (f->length == 0 && bytes[i] == 0) {
            continue; /* the number of the report */
        }
        f->input[f->length++] = bytes[i];
        if (f->length == REPORT) {
            f->length = 0;
            take_report(emu, f->input);
        }
    }
}

/* ---- Life ------------------------------------------------------------------------------------ */

static tp_status finch_start(tpi_emu *emu, tp_error *err)
{
    struct finch *f = finch_of(emu);
    const struct tpi_emu_part parts[] = {
        {&f->lights[0], "light_left"}, {&f->lights[1], "light_right"},
        {&f->eyes, "ranger:0"},        {&f->beak, "beak"},
        {&f->buzzer, "buzzer"},        {&f->imu, "imu:0"}};

    return tpi_emu_find_parts(emu, parts, sizeof parts / sizeof parts[0], err);
}

static void finch_reset(tpi_emu *emu)
{
    struct finch *f = finch_of(emu);

    f->length = 0;
    f->pings = 0;
    f->heard_us = emu->now_us;
    f->colour = UINT32_MAX; /* whatever the world shows */
    go_idle(emu);
}

/* The colours of an idle Finch, one each second. */
static void cycle(tpi_emu *emu)
{
    static const uint32_t colours[] = {0xff0000, 0x00ff00, 0x0000ff};

    show(emu, colours[emu->now_us / 1000000 % 3]);
}

static void finch_tick(tpi_emu *emu)
{
    struct finch *f = finch_of(emu);

    f->tapped = f->tapped || (emu->body.blocked && !f->was_blocked);
    f->shaken = f->shaken || (emu->body.lifted && !f->was_lifted);
    f->was_blocked = emu->body.blocked;
    f->was_lifted = emu->body.lifted;
    if (!f->idle && emu->now_us - f->heard_us >= idle_us) {
        tpi_emu_heard(emu, NULL, 0, "no command for 5 s: it stops");
        go_idle(emu);
    }
    if (f->idle) {
        cycle(emu);
    }
}

const tpi_emu_kind tpi_emu_finch = {
    .name = "finch",
    .summary = "BirdBrain Finch 1: reports of eight bytes, as on USB",
    .file = "robots/finch1.inc",
    .macro = "finch1",
    .radius = 0.13,
    .track = 0.1,
    .line_powered = true,
    .state_size = sizeof(struct finch),
    .start = finch_start,
    .reset = finch_reset,
    .input = finch_input,
    .tick = finch_tick,
};
