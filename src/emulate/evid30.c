/*
 * evid30.c - an emulated Sony EVI-D30: a camera that turns, tilts and zooms, and speaks VISCA.
 *
 * A packet begins with 81 (camera 1) or 88 (all) and ends with FF. A command is acknowledged at
 * once in one of two sockets, and completed when it is done; a third is refused. Pan is counted to
 * the right in 880 steps for 100 degrees, tilt upwards in 300 for 25, zoom from 0 to 1023.
 *
 * Not emulated: focus, exposure, memories, tracking; being switched off.
 */
#include <math.h>
#include <string.h>

#include "emulate/robot.h"
#include "sim/move/actuators.h"

enum { MOST = 16, SOCKETS = 2, ZOOM_END = 1023 };

static const double degree = 3.14159265358979323846 / 180;
static const double pan_step = 100.0 / 880, tilt_step = 25.0 / 300; /* degrees */
static const double zoom_speed = 400;                               /* steps per second */

/* What is done in a socket. */
enum work { IDLE, TURNS, ZOOMS, MOMENT };

struct eye {
    tpi_sim_model pan, tilt;
    uint8_t packet[MOST];
    size_t length;
    enum work sockets[SOCKETS];
    double goal[2]; /* radians to the left, and up */
    double zoom, zoom_goal;
    int zoom_way; /* -1, 0, 1: by speed */
};

static struct eye *eye_of(tpi_emu *emu)
{
    return emu->state;
}

/* ---- Answers --------------------------------------------------------------------------------- */

static void say(tpi_emu *emu, const uint8_t *bytes, size_t length, const char *meaning)
{
    tpi_emu_say(emu, bytes, length, "%s", meaning);
}

static void refuse(tpi_emu *emu, unsigned socket, uint8_t code, const char *why)
{
    const uint8_t out[] = {0x90, (uint8_t)(0x60 | socket), code, 0xff};

    say(emu, out, sizeof out, why);
}

static void put_number(uint8_t *at, long value)
{
    for (int i = 3; i >= 0; i--, value >>= 4) {
        at[i] = (uint8_t)(value & 15);
    }
}

static int number_at(const uint8_t *at)
{
    return (int16_t)(uint16_t)((at[0] & 15) << 12 | (at[1] & 15) << 8 | (at[2] & 15) << 4 |
                               (at[3] & 15));
}

static double position_of(const tpi_emu *emu, tpi_sim_model joint)
{
    tpi_sim_actuator actuator = {0};

    (void)tpi_sim_get_actuator(emu->body.sim, joint, &actuator, NULL);
    return actuator.position;
}

static void answer(tpi_emu *emu, const uint8_t *b)
{
    struct eye *e = eye_of(emu);
    uint8_t out[11] = {0x90, 0x50};

    if (b[2] == 0 && b[3] == 2) {
        static const uint8_t version[] = {0x90, 0x50, 0, 0x20, 4, 2, 0, 1, 2, 0xff};
        say(emu, version, sizeof version, "version");
    } else if (b[2] == 4 && b[3] == 0) {
        out[2] = 2;
        out[3] = 0xff;
        say(emu, out, 4, "power");
    } else if (b[2] == 4 && b[3] == 0x47) {
        put_number(out + 2, lrint(e->zoom));
        out[6] = 0xff;
        say(emu, out, 7, "zoom");
    } else if (b[2] == 6 && b[3] == 0x12) {
        put_number(out + 2, lrint(-position_of(emu, e->pan) / degree / pan_step));
        put_number(out + 6, lrint(position_of(emu, e->tilt) / degree / tilt_step));
        out[10] = 0xff;
        say(emu, out, 11, "place");
    } else {
        refuse(emu, 0, 2, "not understood");
    }
}

/* ---- Commands -------------------------------------------------------------------------------- */

/* The socket for a command, counted from 1, which is acknowledged; 0 if both are taken. */
static unsigned take_socket(tpi_emu *emu, enum work work)
{
    struct eye *e = eye_of(emu);

    for (unsigned i = 0; i < SOCKETS; i++) {
        if (e->sockets[i] == IDLE) {
            const uint8_t out[] = {0x90, (uint8_t)(0x41 + i), 0xff};
            e->sockets[i] = work;
            say(emu, out, sizeof out, "acknowledged");
            return i + 1;
        }
    }
    refuse(emu, 0, 3, "both sockets are taken");
    return 0;
}

static void stand(tpi_emu *emu)
{
    const struct eye *e = eye_of(emu);

    (void)tpi_sim_actuator_turn(emu->body.sim, e->pan, 0, NULL);
    (void)tpi_sim_actuator_turn(emu->body.sim, e->tilt, 0, NULL);
}

/* Speeds are numbers up to 24 and 20, for 80 and 50 degrees per second. */
static double pan_speed(uint8_t number)
{
    return fmin(fmax(number, 1), 24) / 24 * 80 * degree;
}

static double tilt_speed(uint8_t number)
{
    return fmin(fmax(number, 1), 20) / 20 * 50 * degree;
}

static void go(tpi_emu *emu, const uint8_t *b)
{
    struct eye *e = eye_of(emu);

    if (take_socket(emu, TURNS) == 0) {
        return;
    }
    e->goal[0] = fmax(-100, fmin(100, -number_at(b + 6) * pan_step)) * degree;
    e->goal[1] = fmax(-25, fmin(25, number_at(b + 10) * tilt_step)) * degree;
    (void)tpi_sim_actuator_go(emu->body.sim, e->pan, e->goal[0], pan_speed(b[4]), NULL);
    (void)tpi_sim_actuator_go(emu->body.sim, e->tilt, e->goal[1], tilt_speed(b[5]), NULL);
}

/* 1 is left or up, 2 right or down, 3 stands. It ends what goes to an angle. */
static void turn(tpi_emu *emu, const uint8_t *b)
{
    struct eye *e = eye_of(emu);
    const int pan = b[6] == 1 ? 1 : b[6] == 2 ? -1 : 0;
    const int tilt = b[7] == 1 ? 1 : b[7] == 2 ? -1 : 0;

    if (take_socket(emu, MOMENT) == 0) {
        return;
    }
    for (unsigned i = 0; i < SOCKETS; i++) {
        e->sockets[i] = e->sockets[i] == TURNS ? MOMENT : e->sockets[i];
    }
    (void)tpi_sim_actuator_turn(emu->body.sim, e->pan, pan * pan_speed(b[4]), NULL);
    (void)tpi_sim_actuator_turn(emu->body.sim, e->tilt, tilt * tilt_speed(b[5]), NULL);
}

static void zoom(tpi_emu *emu, const uint8_t *b, bool to_place)
{
    struct eye *e = eye_of(emu);

    if (take_socket(emu, to_place ? ZOOMS : MOMENT) == 0) {
        return;
    }
    if (to_place) {
        e->zoom_goal = fmax(0, fmin(ZOOM_END, number_at(b + 4)));
        e->zoom_way = 0;
    } else {
        e->zoom_way = b[4] == 0 ? 0 : b[4] == 2 || b[4] >> 4 == 2 ? 1 : -1;
        e->zoom_goal = e->zoom_way == 0 ? e->zoom : e->zoom_way > 0 ? ZOOM_END : 0;
    }
}

static void obey(tpi_emu *emu, const uint8_t *b, size_t length)
{
    if (b[2] == 6 && b[3] == 1 && length == 9) {
        turn(emu, b);
    } else if (b[2] == 6 && b[3] == 2 && length == 15) {
        go(emu, b);
    } else if (b[2] == 6 && (b[3] == 4 || b[3] == 5) && length == 5) {
        const uint8_t home[15] = {0x81, 1, 6, 2, 24, 20};
        go(emu, home);
    } else if (b[2] == 4 && b[3] == 0x47 && length == 9) {
        zoom(emu, b, true);
    } else if (b[2] == 4 && b[3] == 7 && length == 6) {
        zoom(emu, b, false);
    } else if (b[2] == 4 && b[3] == 0 && length == 6) {
        (void)take_socket(emu, MOMENT);
    } else {
        refuse(emu, 0, 2, "not understood");
    }
}

/* 81 2s FF. */
static void cancel(tpi_emu *emu, unsigned socket)
{
    struct eye *e = eye_of(emu);

    if (socket < 1 || socket > SOCKETS || e->sockets[socket - 1] == IDLE) {
        refuse(emu, socket, 5, "no such socket");
        return;
    }
    if (e->sockets[socket - 1] == TURNS) {
        stand(emu);
    } else if (e->sockets[socket - 1] == ZOOMS) {
        e->zoom_goal = e->zoom;
    }
    e->sockets[socket - 1] = IDLE;
    refuse(emu, socket, 4, "cancelled");
}

static void take_packet(tpi_emu *emu)
{
    struct eye *e = eye_of(emu);
    const uint8_t *b = e->packet;

    if (b[0] == 0x88 && e->length == 4 && b[1] == 0x30) {
        const uint8_t out[] = {0x88, 0x30, (uint8_t)(b[2] + 1), 0xff};
        say(emu, out, sizeof out, "addresses");
    } else if (b[0] == 0x88 && e->length == 5) {
        say(emu, b, e->length, "cleared");
        memset(e->sockets, 0, sizeof e->sockets);
    } else if (b[0] != 0x81 || e->length < 3) {
        tpi_emu_heard(emu, b, e->length, "not for it");
        return;
    } else if (b[1] >> 4 == 2 && e->length == 3) {
        cancel(emu, b[1] & 15);
    } else if (b[1] == 9 && e->length == 5) {
        answer(emu, b);
    } else if (b[1] == 1 && e->length >= 5) {
        obey(emu, b, e->length);
    } else {
        refuse(emu, 0, 2, "not understood");
    }
    tpi_emu_heard(emu, b, e->length, "%02x %02x %02x", b[1], b[2], b[3]);
}

/* ---- Life ------------------------------------------------------------------------------------ */

static void eye_input(tpi_emu *emu, const uint8_t *bytes, size_t length)
{
    struct eye *e = eye_of(emu);

    for (; length > 0; length--, bytes++) {
        if (e->length == MOST || (e->length == 0 && *bytes == 0xff)) {
            e->length = 0;
            continue;
        }
        e->packet[e->length++] = *bytes;
        if (*bytes == 0xff) {
            take_packet(emu);
            e->length = 0;
        }
    }
}

static bool is_there(const tpi_emu *emu, const struct eye *e)
{
    return fabs(position_of(emu, e->pan) - e->goal[0]) < 0.01 * degree &&
           fabs(position_of(emu, e->tilt) - e->goal[1]) < 0.01 * degree;
}

static void eye_tick(tpi_emu *emu)
{
    struct eye *e = eye_of(emu);
    const double step = zoom_speed * (double)emu->step_us * 1e-6;

    e->zoom += fmax(-step, fmin(step, e->zoom_goal - e->zoom));
    for (unsigned i = 0; i < SOCKETS; i++) {
        const enum work work = e->sockets[i];
        const uint8_t out[] = {0x90, (uint8_t)(0x51 + i), 0xff};
        if (work == MOMENT || (work == TURNS && is_there(emu, e)) ||
            (work == ZOOMS && e->zoom == e->zoom_goal)) {
            e->sockets[i] = IDLE;
            say(emu, out, sizeof out, "completed");
        }
    }
}

static tp_status eye_start(tpi_emu *emu, tp_error *err)
{
    struct eye *e = eye_of(emu);
    const struct tpi_emu_part parts[] = {{&e->pan, "pan"}, {&e->tilt, "pan.tilt"}};

    emu->body.flies = true; /* nothing here drives it */
    return tpi_emu_find_parts(emu, parts, sizeof parts / sizeof parts[0], err);
}

static void eye_reset(tpi_emu *emu)
{
    struct eye *e = eye_of(emu);

    e->length = 0;
    e->zoom = e->zoom_goal = 0;
    memset(e->sockets, 0, sizeof e->sockets);
    stand(emu);
}

const tpi_emu_kind tpi_emu_evid30 = {
    .name = "evid30",
    .summary = "Sony EVI-D30 camera: VISCA, serial, 9600 baud; it stands and turns",
    .file = "robots/evid30.inc",
    .macro = "evid30",
    .radius = 0.1,
    .track = 0.1,
    .baud = 9600,
    .state_size = sizeof(struct eye),
    .start = eye_start,
    .reset = eye_reset,
    .input = eye_input,
    .tick = eye_tick,
};
