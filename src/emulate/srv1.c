/*
 * srv1.c - an emulated Surveyor SRV-1 with Blackfin: commands and motion; see srv1.h.
 *
 * Not emulated: programs (X, Q, z, !), the second bank of motors and servos, vision modes, devices
 * on I2C, GPS. Their commands are answered if the protocol has an answer, otherwise as unknown.
 */
#include "emulate/srv1.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "sim/sense/sensors.h"

enum { USUAL_BASE = 40, MOST_BASE = 95, BASE_STEP = 3, SPIN = 70, SPIN_MS = 200, FULL_AD = 4095 };

static const double full_mps = 0.4; /* at 100 */
static const double counts_per_metre = 1000;
static const int64_t failsafe_us = 2000000;

/* ---- Answers --------------------------------------------------------------------------------- */

void tpi_srv1_say(tpi_emu *emu, const char *format, ...)
{
    tpi_buf line = {0};
    va_list args;

    tpi_buf_puts(&line, "##");
    va_start(args, format);
    tpi_buf_vprintf(&line, format, args);
    va_end(args);
    const int shown = (int)line.length;
    tpi_buf_puts(&line, "\r\n");
    tpi_emu_say(emu, line.data, line.length, "%.*s", shown, tpi_buf_text(&line));
    tpi_buf_fini(&line);
}

static void acknowledge(tpi_emu *emu, char command)
{
    const char bytes[] = {'#', command};

    tpi_emu_say(emu, bytes, sizeof bytes, "%.2s", bytes);
}

static void say_version(tpi_emu *emu)
{
    tpi_srv1_say(emu, "Version - SRV-1 Blackfin w/PicoC 1.0 built:12:00:00 - Apr 24 2010");
}

/* ---- Motion ---------------------------------------------------------------------------------- */

static void drive(tpi_emu *emu, int left, int right)
{
    if (!srv1_of(emu)->external) {
        tpi_body_drive(&emu->body, full_mps * left / 100, full_mps * right / 100);
    }
}

/* Servo pulses for motors of another make: 50 stands still. */
static void drive_servos(tpi_emu *emu, uint8_t left, uint8_t right)
{
    if (srv1_of(emu)->external) {
        tpi_body_drive(&emu->body, full_mps * (fmin(left, 100) - 50) / 50,
                       full_mps * (fmin(right, 100) - 50) / 50);
    }
}

/* The answer comes when the time is over, and then the motors stand. */
static void be_busy(tpi_emu *emu, char command, int64_t milliseconds)
{
    struct srv1 *s = srv1_of(emu);

    if (milliseconds == 0) {
        acknowledge(emu, command);
    } else {
        s->busy.until_us = emu->now_us + milliseconds * 1000;
        s->busy.answer = command;
    }
}

static void do_motors(tpi_emu *emu, const uint8_t *c)
{
    struct srv1 *s = srv1_of(emu);

    if (c[0] == 'M') {
        s->base = s->enabled ? s->base : USUAL_BASE;
        s->enabled = true;
        drive(emu, (int8_t)c[1], (int8_t)c[2]);
    }
    be_busy(emu, (char)c[0], c[3] * 10);
}

/* The digits: where they are on a keypad is where it goes. */
static void do_digit(tpi_emu *emu, char digit)
{
    static const int8_t ways[][3] = {
        {'8', 0, 1},  {'2', 0, -1},  {'7', 15, 1},  {'9', -15, 1},
        {'4', 30, 1}, {'6', -30, 1}, {'1', 30, -1}, {'3', -30, -1},
    };
    const struct srv1 *s = srv1_of(emu);

    for (size_t i = 0; i < sizeof ways / sizeof ways[0] && s->enabled; i++) {
        if (ways[i][0] == digit) {
            drive(emu, ways[i][2] * (s->base - ways[i][1]), ways[i][2] * (s->base + ways[i][1]));
        }
    }
    if (digit == '5') {
        drive(emu, 0, 0);
    }
    acknowledge(emu, digit);
}

static void do_spin(tpi_emu *emu, char command)
{
    const int left = command == '0' ? -SPIN : SPIN;

    if (srv1_of(emu)->enabled) {
        drive(emu, left, -left);
    }
    be_busy(emu, command, SPIN_MS);
}

static void do_base(tpi_emu *emu, char command)
{
    struct srv1 *s = srv1_of(emu);
    const int base = s->base + (command == '+' ? BASE_STEP : -BASE_STEP);

    s->base = base > MOST_BASE ? MOST_BASE : base < 0 ? 0 : base;
    acknowledge(emu, command);
}

static void do_failsafe(tpi_emu *emu, const uint8_t *c)
{
    struct srv1_failsafe *f = &srv1_of(emu)->failsafe;

    f->on = c[0] == 'F';
    if (f->on) {
        f->left = (int8_t)(c[1] == 0 ? 1 : c[1]);
        f->right = (int8_t)(c[2] == 0 ? 1 : c[2]);
    }
    acknowledge(emu, (char)c[0]);
}

/* ---- Sensors --------------------------------------------------------------------------------- */

static void say_range(tpi_emu *emu)
{
    const double metres = tpi_body_range(&emu->body, srv1_of(emu)->parts.laser, 0);

    tpi_srv1_say(emu, "Range(cm) = %d", metres < HUGE_VAL ? (int)lround(metres * 100) : 0);
}

static void say_sonars(tpi_emu *emu)
{
    int hundredths[4]; /* of an inch */

    for (unsigned i = 0; i < 4; i++) {
        const double metres = tpi_body_range(&emu->body, srv1_of(emu)->parts.sonar, i);
        hundredths[i] = metres < HUGE_VAL ? (int)lround(metres / 0.0254 * 100) : 0;
    }
    tpi_srv1_say(emu, "ping %d %d %d %d", hundredths[0], hundredths[1], hundredths[2],
                 hundredths[3]);
}

/* 01 and 02 light, 03 the floor, 04 a battery that is full; nothing at others. */
static int converter(tpi_emu *emu, unsigned channel)
{
    const struct srv1_parts *parts = &srv1_of(emu)->parts;

    switch (channel) {
    case 1:
        return (int)(FULL_AD * tpi_body_light(&emu->body, parts->light_left, 0));
    case 2:
        return (int)(FULL_AD * tpi_body_light(&emu->body, parts->light_right, 0));
    case 3:
        return (int)(FULL_AD * tpi_body_floor(&emu->body, parts->line, 0));
    case 4:
        return emu->body.empty ? FULL_AD / 2 : FULL_AD;
    default:
        return 0;
    }
}

static int heading(tpi_emu *emu)
{
    tpi_sim_compass compass = {0};

    (void)tpi_sim_get_compass(emu->body.sim, srv1_of(emu)->parts.compass, &compass, NULL);
    return (int)lround(compass.bearing * 180 / 3.14159265358979323846) % 360;
}

/* Two digits of a channel; -1 if it is none. */
static int channel_of(const uint8_t *digits)
{
    if (digits[0] < '0' || digits[0] > '2' || digits[1] < '1' || digits[1] > '8') {
        return -1;
    }
    return (digits[0] - '0') * 10 + digits[1] - '0';
}

/* Commands that begin with $; false if there is none. */
static bool do_sensor(tpi_emu *emu, const uint8_t *c)
{
    const struct srv1 *s = srv1_of(emu);

    switch (c[1]) {
    case 'E':
        tpi_srv1_say(emu, "$Encoders:  left = %ld  right = %ld", lround(s->counts[0]),
                     lround(s->counts[1]));
        return true;
    case 'A': {
        const int channel = channel_of(c + 2);
        if (channel >= 0) {
            tpi_srv1_say(emu, "$A%02d %04d", channel, converter(emu, (unsigned)channel));
        }
        return channel >= 0;
    }
    case 'C':
        tpi_srv1_say(emu, "$C %03d", heading(emu));
        return true;
    case 'T': /* it stands level: 1 g along the third axis */
        if (c[2] >= '1' && c[2] <= '3') {
            tpi_srv1_say(emu, "$T%c %04d", c[2], c[2] == '3' ? 2400 : 2048);
        }
        return c[2] >= '1' && c[2] <= '3';
    default:
        return false;
    }
}

/* ---- Commands -------------------------------------------------------------------------------- */

/* How many bytes a command has, as far as its bytes tell. */
static size_t length_of(const uint8_t *c, size_t length)
{
    switch (c[0]) {
    case 'M':
    case 'm':
        return 4;
    case 'S':
    case 's':
    case 'F':
        return 3;
    case 'q':
    case 'g':
        return 2;
    case 'v':
        return length < 2 ? 2 : tpi_srv1_vision_length(c[1]);
    case '$':
        return length < 2 ? 2 : c[1] == 'A' ? 4 : c[1] == 'T' ? 3 : 2;
    case 'i':
        return length < 2 ? 2 : c[1] == 'W' ? 6 : c[1] == 'w' || c[1] == 'M' ? 5 : 4;
    default:
        return 1;
    }
}

static bool do_picture(tpi_emu *emu, const uint8_t *c)
{
    struct srv1 *s = srv1_of(emu);

    switch (c[0]) {
    case 'a':
    case 'b':
    case 'c':
        tpi_srv1_use_camera(emu, c[0] - (unsigned)'a');
        break;
    case 'd': /* the largest that is emulated */
    case 'A':
        tpi_srv1_use_camera(emu, SRV1_CAMERAS - 1);
        break;
    case 'q':
        if (c[1] < '1' || c[1] > '8') {
            return false;
        }
        s->vision.quality = c[1] - (unsigned)'0';
        tpi_srv1_say(emu, "quality - %c", c[1]);
        return true;
    case 'I':
        tpi_srv1_send_frame(emu);
        return true;
    case 'v':
        return tpi_srv1_see(emu, c);
    case 'g':
        if ((c[1] < '0' || c[1] > '6') && c[1] != '_') {
            return false;
        }
        tpi_srv1_say(emu, "g%c", c[1]);
        return true;
    default: /* overlay and flip */
        break;
    }
    acknowledge(emu, (char)c[0]);
    return true;
}

/* Nobody is on the bus. */
static bool do_bus(tpi_emu *emu, const uint8_t *c)
{
    const bool writes = c[1] == 'w' || c[1] == 'W';

    if (!writes && c[1] != 'r' && c[1] != 'R' && c[1] != 'M') {
        return false;
    }
    tpi_srv1_say(emu, "i%c%2x%s", c[1], c[2], writes ? "" : " 255");
    return true;
}

static bool do_question(tpi_emu *emu, const uint8_t *c)
{
    switch (c[0]) {
    case 'R':
        say_range(emu);
        return true;
    case 'p':
        say_sonars(emu);
        return true;
    case 'D':
        tpi_srv1_say(emu, "D - %s",
                     emu->body.empty ? "low battery voltage detected" : "battery voltage okay");
        return true;
    case 'V':
        say_version(emu);
        return true;
    case 't':
        tpi_srv1_say(emu, "time - millisecs:  %lld", (long long)(emu->now_us / 1000));
        return true;
    case '$':
        return do_sensor(emu, c);
    case 'i':
        return do_bus(emu, c);
    default:
        return false;
    }
}

static bool do_action(tpi_emu *emu, const uint8_t *c)
{
    switch (c[0]) {
    case 'M':
    case 'm':
        do_motors(emu, c);
        return true;
    case 'S':
        drive_servos(emu, c[1], c[2]);
        acknowledge(emu, 'S');
        return true;
    case '0':
    case '.':
        do_spin(emu, (char)c[0]);
        return true;
    case '+':
    case '-':
        do_base(emu, (char)c[0]);
        return true;
    case '<':
    case '>':
        return true; /* the firmware says nothing */
    case 'F':
    case 'f':
        do_failsafe(emu, c);
        return true;
    case 'l':
    case 'L':
        tpi_body_lamp(&emu->body, srv1_of(emu)->parts.lasers, c[0] == 'l' ? 0xff0000 : 0);
        acknowledge(emu, (char)c[0]);
        return true;
    case 's':
        acknowledge(emu, 's');
        return true;
    default:
        return false;
    }
}

static void execute(tpi_emu *emu, const uint8_t *c, size_t length)
{
    static const char pictures[] = "abcdAqIoOyYgv";
    bool done = false;

    tpi_emu_heard(emu, c, length, "command %c", c[0] >= ' ' && c[0] < 0x7f ? c[0] : '?');
    if (c[0] >= '1' && c[0] <= '9') {
        do_digit(emu, (char)c[0]);
        done = true;
    } else if (c[0] != 0 && strchr(pictures, c[0]) != NULL) {
        done = do_picture(emu, c);
    } else {
        done = do_action(emu, c) || do_question(emu, c);
    }
    if (!done) {
        acknowledge(emu, '?');
    }
}

static void srv1_input(tpi_emu *emu, const uint8_t *bytes, size_t length)
{
    struct srv1 *s = srv1_of(emu);

    s->heard_us = emu->now_us;
    if (s->busy.until_us > 0) {
        tpi_emu_heard(emu, bytes, length, "lost: it is busy");
        return;
    }
    for (size_t i = 0; i < length; i++) {
        s->command[s->length++] = bytes[i];
        if (s->length == length_of(s->command, s->length)) {
            const size_t whole = s->length;
            s->length = 0;
            execute(emu, s->command, whole);
            if (i + 1 < length) {
                tpi_emu_heard(emu, bytes + i + 1, length - i - 1, "lost: flushed with the answer");
            }
            return;
        }
    }
}

/* ---- Life ------------------------------------------------------------------------------------ */

static tp_status srv1_start(tpi_emu *emu, tp_error *err)
{
    static const char *const cameras[SRV1_CAMERAS] = {"camera_a", "camera_b", "camera_c"};
    struct srv1_parts *p = &srv1_of(emu)->parts;
    const struct tpi_emu_part parts[] = {{&p->light_left, "light_left"},
                                         {&p->light_right, "light_right"},
                                         {&p->line, "line"},
                                         {&p->laser, "laser"},
                                         {&p->sonar, "sonar"},
                                         {&p->compass, "compass"},
                                         {&p->lasers, "lasers"}};
    const tp_status status = tpi_emu_find_parts(emu, parts, sizeof parts / sizeof parts[0], err);

    for (unsigned i = 0; i < SRV1_CAMERAS && status == TP_OK; i++) {
        p->cameras[i] = tpi_body_find(&emu->body, cameras[i]);
        if (p->cameras[i] == TPI_SIM_NONE) {
            return tp_fail(err, TP_E_UNKNOWN, "the body of a srv1 needs a \"%s\"", cameras[i]);
        }
    }
    return status;
}

static tp_status srv1_wire(tpi_emu *emu, const char *slot, const char *part, tp_error *err)
{
    if (strcmp(slot, "motors") != 0) {
        return tpi_emu_no_slot(slot, "motors", err);
    }
    if (strcmp(part, "own") != 0 && strcmp(part, "servo") != 0) {
        return tpi_emu_no_part(part, "own and servo", err);
    }
    srv1_of(emu)->external = part[0] == 's';
    return TP_OK;
}

static void srv1_reset(tpi_emu *emu)
{
    struct srv1 *s = srv1_of(emu);

    s->length = 0;
    s->base = USUAL_BASE;
    s->enabled = false;
    s->vision.quality = 4;
    s->vision.camera = 0;
    tpi_sim_subscribe(emu->body.sim, s->parts.cameras[0]);
    say_version(emu);
}

static void srv1_tick(tpi_emu *emu)
{
    struct srv1 *s = srv1_of(emu);

    for (unsigned i = 0; i < 2; i++) {
        s->counts[i] += emu->body.turned[i] * (double)emu->step_us * 1e-6 * counts_per_metre;
    }
    if (s->vision.owes) {
        tpi_srv1_send_frame(emu);
    }
    if (s->busy.until_us > 0 && emu->now_us >= s->busy.until_us) {
        s->busy.until_us = 0;
        s->heard_us = emu->now_us;
        drive(emu, 0, 0);
        acknowledge(emu, s->busy.answer);
    }
    if (s->failsafe.on && emu->now_us - s->heard_us >= failsafe_us) {
        drive(emu, s->failsafe.left, s->failsafe.right);
    }
}

const tpi_emu_kind tpi_emu_srv1 = {
    .name = "srv1",
    .summary = "Surveyor SRV-1 (Blackfin): characters, serial, 115200 baud, or TCP",
    .file = "robots/srv1.inc",
    .macro = "srv1",
    .radius = 0.09,
    .track = 0.1,
    .baud = 115200,
    .state_size = sizeof(struct srv1),
    .start = srv1_start,
    .wire = srv1_wire,
    .reset = srv1_reset,
    .input = srv1_input,
    .tick = srv1_tick,
};
