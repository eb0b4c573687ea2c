/*
 * tello.c - an emulated Ryze Tello: texts in packets, one for each command and one for each answer.
 *
 * The drone hears nothing before "command". What takes time, taking off, landing and flying a way,
 * is answered when it is done; "rc" is not answered. After 15 seconds without a command it lands.
 * Ten times a second it sends its state to port 8890 of its host. Video, curves and mission pads
 * are not emulated; a flip is answered, and the body stays upright.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "emulate/robot.h"
#include "sim/move/aircraft.h"

enum { LONGEST = 128, STICKS = 4 };

static const double pi = 3.14159265358979323846;
static const double start_m = 0.8, near_m = 0.03, near_rad = 0.03, low_m = 0.05, full_turn = 100;
static const int64_t idle_us = 15000000, most_us = 20000000, flip_us = 1000000, state_us = 100000;

/* What it is doing by itself. */
enum errand { NOTHING, TAKES_OFF, LANDS, FLIES, FLIPS };

struct tello {
    bool hears;       /* "command" has come */
    bool is_up;       /* its motors run */
    int64_t heard_us; /* the last command */
    int64_t up_us;    /* how long it has been flying */
    enum errand errand;
    int64_t errand_us;     /* when it began */
    int64_t state_us;      /* when its state was sent */
    double speed;          /* cm/s, as it was set */
    double goal[4];        /* of the errand */
    double sticks[STICKS]; /* right, ahead, up, clockwise; percent */
};

static struct tello *tello_of(tpi_emu *emu)
{
    return emu->state;
}

static tpi_sim_flight flight_of(const tpi_emu *emu)
{
    tpi_sim_flight flight = {0};

    (void)tpi_sim_get_flight(emu->body.sim, emu->body.model, &flight, NULL);
    return flight;
}

static void say(tpi_emu *emu, const char *text)
{
    tpi_emu_say(emu, text, strlen(text), "%.*s", (int)strcspn(text, "\r\n"), text);
}

/* ---- Flying ---------------------------------------------------------------------------------- */

static void power(tpi_emu *emu, bool on)
{
    tello_of(emu)->is_up = on;
    (void)tpi_sim_set_flight_power(emu->body.sim, emu->body.model, on, NULL);
}

static void rest(tpi_emu *emu)
{
    memset(tello_of(emu)->sticks, 0, sizeof tello_of(emu)->sticks);
}

static void begin(tpi_emu *emu, enum errand errand, const double goal[4])
{
    struct tello *t = tello_of(emu);

    rest(emu);
    t->errand = errand;
    t->errand_us = emu->now_us;
    memcpy(t->goal, goal, sizeof t->goal);
    power(emu, errand != LANDS);
}

/* Give the world what the sticks or the errand want. */
static void steer(tpi_emu *emu)
{
    const struct tello *t = tello_of(emu);
    const double sticks[4] = {t->sticks[1] / 100, -t->sticks[0] / 100, t->sticks[2] / 100,
                              -t->sticks[3] / 100 * full_turn * pi / 180};
    const bool goes = t->errand == TAKES_OFF || t->errand == FLIES || t->errand == FLIPS;

    if (t->is_up) {
        (void)tpi_sim_fly(emu->body.sim, emu->body.model,
                          goes ? TPI_SIM_DRIVE_POSITION : TPI_SIM_DRIVE_VELOCITY,
                          goes ? t->goal : sticks, 0, NULL);
    }
}

static bool is_there(const struct tello *t, const tpi_sim_flight *flight, int64_t now_us)
{
    const double *at = flight->estimate;

    if (t->errand == FLIPS) {
        return now_us - t->errand_us >= flip_us;
    }
    return t->errand == LANDS ? at[2] <= low_m
                              : hypot(at[0] - t->goal[0], at[1] - t->goal[1]) < near_m &&
                                    fabs(at[2] - t->goal[2]) < near_m &&
                                    fabs(remainder(at[3] - t->goal[3], 2 * pi)) < near_rad;
}

/* What takes time is answered at its end. */
static void follow(tpi_emu *emu)
{
    struct tello *t = tello_of(emu);
    const tpi_sim_flight flight = flight_of(emu);
    const bool done = is_there(t, &flight, emu->now_us);

    if (done || emu->now_us - t->errand_us > most_us) {
        if (t->errand == LANDS) {
            power(emu, false);
        }
        t->errand = NOTHING;
        say(emu, done ? "ok" : "error");
    }
}

/* ---- Commands -------------------------------------------------------------------------------- */

static void take_off(tpi_emu *emu)
{
    const tpi_sim_flight flight = flight_of(emu);
    const double goal[4] = {flight.estimate[0], flight.estimate[1], start_m, flight.estimate[3]};

    if (emu->body.empty || tello_of(emu)->is_up) {
        say(emu, "error");
        return;
    }
    tello_of(emu)->up_us = 0;
    begin(emu, TAKES_OFF, goal);
}

static void land(tpi_emu *emu)
{
    const double nowhere[4] = {0};

    begin(emu, LANDS, nowhere);
}

/* "forward 50": centimetres from 20 to 500, or degrees from 1 to 360; false if it is none. */
static bool fly_way(tpi_emu *emu, const char *text)
{
    static const struct {
        const char *name;
        double along[4];
    } ways[] = {{"forward", {1, 0, 0, 0}}, {"back", {-1, 0, 0, 0}}, {"left", {0, 1, 0, 0}},
                {"right", {0, -1, 0, 0}},  {"up", {0, 0, 1, 0}},    {"down", {0, 0, -1, 0}},
                {"ccw", {0, 0, 0, 1}},     {"cw", {0, 0, 0, -1}}};
    const tpi_sim_flight flight = flight_of(emu);
    const double *at = flight.estimate;
    char name[LONGEST], end;
    double amount, goal[4] = {at[0], at[1], at[2], at[3]};

    if (sscanf(text, "%127s %lf%c", name, &amount, &end) != 2) {
        return false;
    }
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        const double *along = ways[i].along;
        const bool turns = along[3] != 0;
        if (strcmp(ways[i].name, name) != 0) {
            continue;
        }
        if (!tello_of(emu)->is_up || amount < (turns ? 1 : 20) || amount > (turns ? 360 : 500)) {
            say(emu, tello_of(emu)->is_up ? "out of range" : "error Not joystick");
            return true;
        }
        goal[0] += (along[0] * cos(at[3]) - along[1] * sin(at[3])) * amount / 100;
        goal[1] += (along[0] * sin(at[3]) + along[1] * cos(at[3])) * amount / 100;
        goal[2] += along[2] * amount / 100;
        goal[3] += along[3] * amount * pi / 180;
        begin(emu, FLIES, goal);
        return true;
    }
    return false;
}

/* "go 50 0 20 30": centimetres ahead, to the left and up, and a speed. "flip l". False if it is
 * none of them. */
static bool fly_trick(tpi_emu *emu, const char *text)
{
    const tpi_sim_flight flight = flight_of(emu);
    const double *at = flight.estimate;
    double v[4], goal[4] = {at[0], at[1], at[2], at[3]};
    const bool flips = strncmp(text, "flip ", 5) == 0;
    char end;

    if (!flips && strncmp(text, "go ", 3) != 0) {
        return false;
    }
    if (!tello_of(emu)->is_up) {
        say(emu, "error Not joystick");
    } else if (flips) {
        if (strlen(text) == 6 && strchr("lrfb", text[5]) != NULL) {
            begin(emu, FLIPS, goal);
        } else {
            say(emu, "error");
        }
    } else if (sscanf(text, "go %lf %lf %lf %lf%c", &v[0], &v[1], &v[2], &v[3], &end) != 4 ||
               fmax(fmax(fabs(v[0]), fabs(v[1])), fabs(v[2])) > 500 || v[3] < 10 || v[3] > 100) {
        say(emu, "out of range");
    } else {
        goal[0] += (v[0] * cos(at[3]) - v[1] * sin(at[3])) / 100;
        goal[1] += (v[0] * sin(at[3]) + v[1] * cos(at[3])) / 100;
        goal[2] += v[2] / 100;
        begin(emu, FLIES, goal);
    }
    return true;
}

/* "speed 30"; false if it is none. */
static bool set_speed(tpi_emu *emu, const char *text)
{
    double speed;
    char end;

    if (strncmp(text, "speed ", 6) != 0) {
        return false;
    }
    const bool good = sscanf(text, "speed %lf%c", &speed, &end) == 1 && speed >= 10 && speed <= 100;
    if (good) {
        tello_of(emu)->speed = speed;
    }
    say(emu, good ? "ok" : "out of range");
    return true;
}

/* "rc 0 50 0 -20"; false if it is none. */
static bool take_sticks(tpi_emu *emu, const char *text)
{
    double v[STICKS];
    char end;

    if (strncmp(text, "rc ", 3) != 0) {
        return false;
    }
    if (sscanf(text, "rc %lf %lf %lf %lf%c", &v[0], &v[1], &v[2], &v[3], &end) != STICKS) {
        say(emu, "error");
        return true;
    }
    for (unsigned i = 0; i < STICKS; i++) {
        tello_of(emu)->sticks[i] = fmin(fmax(v[i], -100), 100);
    }
    return true;
}

/* "battery?"; false if it is no question. */
static bool answer(tpi_emu *emu, const char *text)
{
    const tpi_sim_flight flight = flight_of(emu);
    const double yaw = remainder(-flight.estimate[3], 2 * pi) * 180 / pi;
    const double height = fmax(flight.estimate[2], 0);
    char reply[LONGEST] = "";

    if (strcmp(text, "battery?") == 0) {
        (void)snprintf(reply, sizeof reply, "%d\r\n", emu->body.empty ? 5 : 83);
    } else if (strcmp(text, "height?") == 0) {
        (void)snprintf(reply, sizeof reply, "%.0fdm\r\n", height * 10);
    } else if (strcmp(text, "tof?") == 0) {
        (void)snprintf(reply, sizeof reply, "%.0fmm\r\n", fmax(height * 1000, 100));
    } else if (strcmp(text, "time?") == 0) {
        (void)snprintf(reply, sizeof reply, "%ds\r\n", (int)(tello_of(emu)->up_us / 1000000));
    } else if (strcmp(text, "attitude?") == 0) {
        (void)snprintf(reply, sizeof reply, "pitch:0;roll:0;yaw:%.0f;\r\n", yaw);
    } else if (strcmp(text, "temp?") == 0) {
        (void)snprintf(reply, sizeof reply, "60~62C\r\n");
    } else if (strcmp(text, "speed?") == 0) {
        (void)snprintf(reply, sizeof reply, "%.1f\r\n", tello_of(emu)->speed);
    } else if (strcmp(text, "sdk?") == 0) {
        (void)snprintf(reply, sizeof reply, "20\r\n");
    } else if (strcmp(text, "sn?") == 0) {
        (void)snprintf(reply, sizeof reply, "0TQDEMULATED00\r\n");
    } else if (strcmp(text, "wifi?") == 0) {
        (void)snprintf(reply, sizeof reply, "90\r\n");
    }
    if (reply[0] != '\0') {
        say(emu, reply);
    }
    return reply[0] != '\0';
}

static void obey(tpi_emu *emu, const char *text)
{
    if (strcmp(text, "command") == 0 || strcmp(text, "streamon") == 0 ||
        strcmp(text, "streamoff") == 0) {
        say(emu, "ok");
    } else if (strcmp(text, "takeoff") == 0) {
        take_off(emu);
    } else if (strcmp(text, "land") == 0) {
        land(emu);
    } else if (strcmp(text, "stop") == 0) {
        rest(emu);
        tello_of(emu)->errand = NOTHING;
        say(emu, "ok");
    } else if (strcmp(text, "emergency") == 0) {
        tello_of(emu)->errand = NOTHING;
        power(emu, false);
        say(emu, "ok");
    } else if (!take_sticks(emu, text) && !answer(emu, text) && !fly_way(emu, text) &&
               !fly_trick(emu, text) && !set_speed(emu, text)) {
        say(emu, "error");
    }
}

static void tello_input(tpi_emu *emu, const uint8_t *bytes, size_t length)
{
    struct tello *t = tello_of(emu);
    char text[LONGEST];
    const size_t taken = length < LONGEST ? length : LONGEST - 1;

    memcpy(text, bytes, taken);
    text[taken] = '\0';
    text[strcspn(text, "\r\n")] = '\0';
    t->hears = t->hears || strcmp(text, "command") == 0;
    tpi_emu_heard(emu, bytes, length, "%s%s", text, t->hears ? "" : ": not heard before command");
    if (t->hears) {
        t->heard_us = emu->now_us;
        obey(emu, text);
    }
}

/* Its state, ten times a second once it hears. */
static size_t tello_report(tpi_emu *emu, char *out, size_t size)
{
    struct tello *t = tello_of(emu);
    const tpi_sim_flight flight = flight_of(emu);
    const double height = fmax(flight.estimate[2], 0);

    if (!t->hears || emu->now_us - t->state_us < state_us) {
        return 0;
    }
    t->state_us = emu->now_us;
    const int length =
        snprintf(out, size,
                 "pitch:0;roll:0;yaw:%.0f;vgx:0;vgy:0;vgz:0;templ:60;temph:62;tof:%.0f;h:%.0f;"
                 "bat:%d;baro:%.2f;time:%d;agx:0.00;agy:0.00;agz:-1000.00;\r\n",
                 remainder(-flight.estimate[3], 2 * pi) * 180 / pi, fmax(height * 100, 10),
                 height * 100, emu->body.empty ? 5 : 83, height, (int)(t->up_us / 1000000));
    return length > 0 && (size_t)length < size ? (size_t)length : 0;
}

/* ---- Life ------------------------------------------------------------------------------------ */

static tp_status tello_start(tpi_emu *emu, tp_error *err)
{
    tpi_sim_flight flight;

    emu->body.flies = true;
    return tpi_sim_get_flight(emu->body.sim, emu->body.model, &flight, err);
}

static void tello_reset(tpi_emu *emu)
{
    struct tello *t = tello_of(emu);

    *t = (struct tello){.heard_us = emu->now_us, .speed = 100};
    power(emu, false);
}

static void tello_tick(tpi_emu *emu)
{
    struct tello *t = tello_of(emu);

    t->up_us += t->is_up ? emu->step_us : 0;
    if (t->is_up && emu->body.empty) {
        power(emu, false); /* it sinks */
        t->errand = NOTHING;
    }
    if (t->is_up && t->errand == NOTHING && emu->now_us - t->heard_us >= idle_us) {
        tpi_emu_heard(emu, NULL, 0, "no command for 15 s: it lands");
        rest(emu);
        power(emu, false);
    }
    if (t->errand != NOTHING) {
        follow(emu);
    }
    steer(emu);
}

const tpi_emu_kind tpi_emu_tello = {
    .name = "tello",
    .summary = "Ryze Tello: texts in packets, UDP",
    .file = "robots/tello.inc",
    .macro = "tello",
    .radius = 0.12,
    .track = 0.1,
    .is_packets = true,
    .state_size = sizeof(struct tello),
    .start = tello_start,
    .reset = tello_reset,
    .input = tello_input,
    .tick = tello_tick,
    .report = tello_report,
    .report_port = 8890,
};
