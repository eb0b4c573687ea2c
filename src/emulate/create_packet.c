/* create_packet.c - the sensor packets of an emulated Create; see create.h. */
#include <math.h>

#include "emulate/create.h"
#include "sim/move/actuators.h"

enum { FIRST = 7, LAST_FIRST = 42, LAST_SECOND = 58, MOST_SIGNAL = 4095 };
enum { STREAM_HEADER = 19 };
enum { EYE_LEFT = 5, EYE_RIGHT = 6 };

static const double cliff_below = 0.05; /* reflectance: a hole, or a black floor */
static const double wall_m = 0.1;       /* nearer is a wall */
static const double eye_m = 0.4;        /* light bumpers and wall signal reach so far */
static const double volts = 14.4;
static const int celsius = 25;

/* ---- Readings -------------------------------------------------------------------------------- */

static int clamp_word(double value)
{
    return (int)lround(fmin(fmax(value, -32768), 32767));
}

static bool is_cliff(tpi_emu *emu, unsigned index)
{
    return emu->body.lifted ||
           tpi_body_floor(&emu->body, create_of(emu)->parts.cliffs, index) < cliff_below;
}

static int cliff_signal(tpi_emu *emu, unsigned index)
{
    return emu->body.lifted
               ? 0
               : (int)(3000 * tpi_body_floor(&emu->body, create_of(emu)->parts.cliffs, index));
}

/* Light that comes back from what an eye sees: more from nearer. */
static int echo(tpi_emu *emu, unsigned eye, int most)
{
    const double range = tpi_body_range(&emu->body, create_of(emu)->parts.eyes, eye);

    return range < eye_m ? (int)(most * (1 - range / eye_m)) : 0;
}

/* Left, front left, centre left, centre right, front right, right. */
static int light_bump(tpi_emu *emu, unsigned index)
{
    static const unsigned eyes[] = {5, 3, 1, 2, 4, 6};

    return echo(emu, eyes[index], MOST_SIGNAL);
}

static int light_bump_bits(tpi_emu *emu)
{
    int bits = 0;

    for (unsigned i = 0; i < 6; i++) {
        bits |= light_bump(emu, i) > 100 ? 1 << i : 0;
    }
    return bits;
}

static int bumps_and_drops(tpi_emu *emu)
{
    const struct create *c = create_of(emu);
    const int bumps = (tpi_body_bumper(&emu->body, c->parts.bumpers, 1) ? 1 : 0) |
                      (tpi_body_bumper(&emu->body, c->parts.bumpers, 0) ? 2 : 0);
    const int drops = c->second ? 0x0c : 0x1c; /* a Create 1 has a caster that drops */

    return bumps | (emu->body.lifted ? drops : 0);
}

static int buttons(tpi_emu *emu)
{
    const struct create *c = create_of(emu);
    static const int first[] = {1, 4, 0}, second[] = {1, 2, 4};
    int bits = 0;

    for (unsigned i = 0; i < CREATE_BUTTONS; i++) {
        if (c->parts.buttons[i] != TPI_SIM_NONE &&
            tpi_body_button(&emu->body, c->parts.buttons[i])) {
            bits |= c->second ? second[i] : first[i];
        }
    }
    return bits;
}

/* Read and set back to 0; fractions are kept for the next time. */
static int take_sum(double *sum, bool reading)
{
    const double whole = trunc(*sum);

    *sum -= reading ? whole : 0;
    return clamp_word(whole);
}

/* ---- Power ----------------------------------------------------------------------------------- */

static tpi_sim_battery battery_of(tpi_emu *emu)
{
    tpi_sim_battery battery = {.stored = 1, .capacity = 1};

    (void)tpi_sim_get_battery(emu->body.sim, emu->body.model, &battery, NULL);
    if (emu->body.empty) {
        battery.stored = 0;
    }
    return battery;
}

static int milliamp_hours(double joules)
{
    return (int)fmin(joules / volts / 3.6, 65535);
}

static int power_value(tpi_emu *emu, unsigned id)
{
    const tpi_sim_battery battery = battery_of(emu);
    const double full = battery.capacity > 0 ? battery.stored / battery.capacity : 0;

    switch (id) {
    case 21:
        return battery.charge_watts > 0 ? 2 : 0;
    case 22:
        return (int)(volts * 1000 * (0.8 + 0.3 * fmin(full, 1)));
    case 23:
        return clamp_word((battery.charge_watts - battery.watts) / volts * 1000);
    case 24:
        return celsius;
    case 25:
        return milliamp_hours(battery.stored);
    case 26:
        return milliamp_hours(battery.capacity);
    default: /* 34 */
        return battery.charge_watts > 0 ? 2 : 0;
    }
}

/* ---- Packets --------------------------------------------------------------------------------- */

static int drive_value(const struct create_drive *drive, unsigned id)
{
    const int16_t values[] = {drive->velocity, drive->radius, drive->right, drive->left};

    return values[id - 39];
}

/* Packets that only a Create 2 has. */
static int second_value(tpi_emu *emu, unsigned id)
{
    const struct create *c = create_of(emu);

    switch (id) {
    case 43:
    case 44:
        return (int)((int64_t)floor(c->travel.counts[id - 43]) & 0xffff);
    case 45:
        return light_bump_bits(emu);
    case 54:
    case 55:
        return clamp_word(fabs(emu->body.turned[id - 54]) * 400); /* mA of a wheel */
    case 58:
        return fabs(emu->body.turned[0] + emu->body.turned[1]) > 0.002 ? 1 : 0;
    default:
        return id >= 46 && id <= 51 ? light_bump(emu, id - 46) : 0;
    }
}

/* What the robot does: mode, song, stream, drive. */
static int state_value(tpi_emu *emu, unsigned id)
{
    const struct create *c = create_of(emu);

    switch (id) {
    case 35:
        return (int)c->mode;
    case 36:
        return c->song;
    case 37:
        return emu->now_us < c->song_us ? 1 : 0;
    case 38:
        return c->stream.count;
    default:
        return drive_value(&c->drive, id);
    }
}

static int sensor_value(tpi_emu *emu, unsigned id)
{
    const struct create *c = create_of(emu);

    switch (id) {
    case 7:
        return bumps_and_drops(emu);
    case 8:
        return tpi_body_range(&emu->body, c->parts.eyes, EYE_RIGHT) < wall_m ? 1 : 0;
    case 17:
        return c->second ? 0 : 255; /* no infra-red byte */
    case 18:
        return buttons(emu);
    case 27:
        return echo(emu, EYE_RIGHT, c->second ? 1023 : MOST_SIGNAL);
    case 33:
        return c->parts.cargo == TPI_SIM_NONE
                   ? 0
                   : (int)(1023 * tpi_body_light(&emu->body, c->parts.cargo, 0));
    default:
        break;
    }
    if (id >= 9 && id <= 12) {
        return is_cliff(emu, id - 9) ? 1 : 0;
    }
    return id >= 28 && id <= 31 ? cliff_signal(emu, id - 28) : 0;
}

int tpi_create_value(tpi_emu *emu, unsigned id, bool reading)
{
    struct create *c = create_of(emu);

    if (id == 19 || id == 20) {
        return take_sum(id == 19 ? &c->travel.distance_mm : &c->travel.angle_deg, reading);
    }
    if ((id >= 21 && id <= 26) || id == 34) {
        return power_value(emu, id);
    }
    if (id >= 35 && id <= 42) {
        return state_value(emu, id);
    }
    return id >= 43 ? second_value(emu, id) : sensor_value(emu, id);
}

static bool is_word(unsigned id)
{
    return id == 19 || id == 20 || id == 22 || id == 23 || (id >= 25 && id <= 31) || id == 33 ||
           (id >= 39 && id <= 44) || (id >= 46 && id <= 51) || (id >= 54 && id <= 57);
}

/* The simple packets that a packet or group consists of. */
struct range {
    unsigned id, first, last;
    bool second; /* only a Create 2 has it */
};

static bool find_range(const struct create *c, unsigned id, struct range *found)
{
    static const struct range groups[] = {
        {0, 7, 26, false},   {1, 7, 16, false},   {2, 17, 20, false}, {3, 21, 26, false},
        {4, 27, 34, false},  {5, 35, 42, false},  {6, 7, 42, false},  {100, 7, 58, true},
        {101, 43, 58, true}, {106, 46, 51, true}, {107, 54, 58, true}};

    for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++) {
        if (groups[i].id == id && (c->second || !groups[i].second)) {
            *found = groups[i];
            return true;
        }
    }
    *found = (struct range){id, id, id, false};
    return id >= FIRST && id <= (c->second ? LAST_SECOND : LAST_FIRST);
}

size_t tpi_create_packet_size(const struct create *c, unsigned id)
{
    struct range range;
    size_t size = 0;

    if (find_range(c, id, &range)) {
        for (unsigned i = range.first; i <= range.last; i++) {
            size += is_word(i) ? 2 : 1;
        }
    }
    return size;
}

size_t tpi_create_put_packet(tpi_emu *emu, unsigned id, uint8_t *out)
{
    struct range range;
    size_t length = 0;

    if (!find_range(create_of(emu), id, &range)) {
        return 0;
    }
    for (unsigned i = range.first; i <= range.last; i++) {
        const int value = tpi_create_value(emu, i, true);
        if (is_word(i)) {
            tpi_put_be16(out + length, (uint32_t)value);
            length += 2;
        } else {
            out[length++] = (uint8_t)value;
        }
    }
    return length;
}

void tpi_create_send_stream(tpi_emu *emu)
{
    const struct create_stream *stream = &create_of(emu)->stream;
    uint8_t frame[3 + CREATE_STREAM * (1 + CREATE_LARGEST)] = {STREAM_HEADER};
    size_t length = 2;
    unsigned sum = 0;

    for (unsigned i = 0; i < stream->count; i++) {
        frame[length] = stream->ids[i];
        length += 1 + tpi_create_put_packet(emu, stream->ids[i], frame + length + 1);
    }
    frame[1] = (uint8_t)(length - 2);
    for (size_t i = 0; i < length; i++) {
        sum += frame[i];
    }
    frame[length++] = (uint8_t)(0x100 - (sum & 0xff));
    tpi_emu_say(emu, frame, length, "stream");
}
