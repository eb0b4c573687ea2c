/*
 * lifa.c - an emulated Arduino Uno with the firmware of LabVIEW's interface for Arduino.
 *
 * A packet has 15 bytes: FF, a command, its data, zeros, and the sum of the first 14. Most commands
 * are answered with the digit 0. Packets with a wrong sum are dropped, and so is a packet that
 * stays unfinished for a second.
 *
 * Not emulated: I2C and SPI devices, displays, acquisition without questions, stepper motors,
 * infra-red. Their commands are answered as if nothing was connected.
 */
#include <string.h>

#include "emulate/board.h"

enum {
    PACKET = 15,
    START = 0xff,
    SERVOS = 12,
    LOWEST_US = 544,
    HIGHEST_US = 2400,
    BUS_READ = 0x10
};

static const int64_t gap_us = 1000000;

struct lifa {
    struct board board;
    uint8_t packet[PACKET];
    size_t length;
    int64_t input_us;
    uint8_t servo_count;
    uint8_t servo_pins[SERVOS];
    uint16_t servo_us[SERVOS];
};

static struct lifa *lifa_of(tpi_emu *emu)
{
    return emu->state;
}

static void say_done(tpi_emu *emu)
{
    tpi_emu_say(emu, "0", 1, "done");
}

static void say_word(tpi_emu *emu, unsigned first, unsigned second, const char *what)
{
    const uint8_t bytes[] = {(uint8_t)first, (uint8_t)second};

    tpi_emu_say(emu, bytes, sizeof bytes, "%s", what);
}

/* ---- Pins ------------------------------------------------------------------------------------ */

static void set_mode(tpi_emu *emu, unsigned pin, bool output)
{
    struct board *board = &lifa_of(emu)->board;

    if (pin < BOARD_PINS) {
        board->mode[pin] = output ? BOARD_OUTPUT : BOARD_INPUT;
        tpi_board_write(emu, board, pin, 0);
    }
}

/* Writing 1 to an input switches its pull-up on. */
static void write_pin(tpi_emu *emu, unsigned pin, bool high)
{
    struct board *board = &lifa_of(emu)->board;

    if (pin >= BOARD_PINS) {
        return;
    }
    if (board->mode[pin] == BOARD_INPUT || board->mode[pin] == BOARD_PULLUP) {
        board->mode[pin] = high ? BOARD_PULLUP : BOARD_INPUT;
    } else {
        board->mode[pin] = BOARD_OUTPUT;
        tpi_board_write(emu, board, pin, high ? 1 : 0);
    }
}

/* The firmware makes an output of any pin; without a timer it is high from 128 on. */
static void write_duty(tpi_emu *emu, unsigned pin, uint8_t duty)
{
    struct board *board = &lifa_of(emu)->board;

    if (pin < BOARD_PINS) {
        board->mode[pin] = tpi_board_is_pwm(pin) ? BOARD_PWM : BOARD_OUTPUT;
        tpi_board_write(emu, board, pin, tpi_board_is_pwm(pin) ? duty : duty >= 128);
    }
}

static unsigned read_port(tpi_emu *emu)
{
    unsigned bits = 0;

    for (unsigned pin = 0; pin < BOARD_FIRST_ANALOG; pin++) {
        bits |= tpi_board_digital(emu, &lifa_of(emu)->board, pin) ? 1U << pin : 0;
    }
    return bits;
}

/* Six values of ten bits in eight bytes: the first three and a half, then the rest. */
static void say_analogs(tpi_emu *emu)
{
    unsigned v[BOARD_ANALOGS];
    uint8_t bytes[8];

    for (unsigned i = 0; i < BOARD_ANALOGS; i++) {
        v[i] = tpi_board_analog(emu, &lifa_of(emu)->board, i);
    }
    const uint64_t low = v[0] | (uint64_t)v[1] << 10 | (uint64_t)v[2] << 20 | (uint64_t)v[3] << 30;
    const uint32_t high = v[4] | v[5] << 10;
    for (unsigned i = 0; i < 5; i++) {
        bytes[i] = (uint8_t)(low >> 8 * i);
    }
    for (unsigned i = 0; i < 3; i++) {
        bytes[5 + i] = (uint8_t)(high >> 8 * i);
    }
    tpi_emu_say(emu, bytes, sizeof bytes, "A0 to A5");
}

/* ---- Servos ---------------------------------------------------------------------------------- */

static uint16_t pulse_of(unsigned degrees)
{
    const unsigned most = degrees < 180 ? degrees : 180;

    return (uint16_t)(LOWEST_US + most * (HIGHEST_US - LOWEST_US) / 180);
}

static unsigned degrees_of(uint16_t pulse)
{
    return (pulse - LOWEST_US + 5U) * 180 / (HIGHEST_US - LOWEST_US);
}

static void set_pulse(struct lifa *l, unsigned servo, unsigned pulse)
{
    l->servo_us[servo] = (uint16_t)(pulse < LOWEST_US    ? LOWEST_US
                                    : pulse > HIGHEST_US ? HIGHEST_US
                                                         : pulse);
}

/* Commands 17 to 1D. */
static void do_servo(tpi_emu *emu, const uint8_t *p)
{
    struct lifa *l = lifa_of(emu);
    const unsigned servo = p[2] < SERVOS ? p[2] : 0;

    switch (p[1]) {
    case 0x17:
        l->servo_count = p[2] < SERVOS ? p[2] : SERVOS;
        break;
    case 0x18:
        l->servo_pins[servo] = p[3];
        l->servo_us[servo] = pulse_of(90);
        break;
    case 0x19:
        set_pulse(l, servo, pulse_of(p[3]));
        break;
    case 0x1a: {
        const uint8_t angle = (uint8_t)degrees_of(l->servo_us[servo]);
        tpi_emu_say(emu, &angle, 1, "servo %u is at %u degrees", servo, angle);
        return;
    }
    case 0x1b:
        set_pulse(l, servo, tpi_get_le16(p + 3));
        break;
    case 0x1c:
        say_word(emu, l->servo_us[servo], l->servo_us[servo] >> 8, "pulse of a servo");
        return;
    default:
        l->servo_pins[servo] = BOARD_NO_PIN;
        break;
    }
    say_done(emu);
}

/* ---- Commands -------------------------------------------------------------------------------- */

static void do_port(tpi_emu *emu, const uint8_t *p)
{
    const unsigned bits = (unsigned)p[2] << 8 | p[3];

    for (unsigned pin = 0; pin < BOARD_FIRST_ANALOG; pin++) {
        write_pin(emu, pin, (bits >> pin & 1) != 0);
    }
}

static void do_tone(tpi_emu *emu, const uint8_t *p)
{
    const double hertz = (uint16_t)tpi_get_be16(p + 3);
    const double milliseconds =
        (uint16_t)tpi_get_be16(p + 5) * 65536.0 + (uint16_t)tpi_get_be16(p + 7);

    if (p[2] < BOARD_PINS) {
        tpi_board_tone(emu, &lifa_of(emu)->board, p[2], hertz,
                       milliseconds > 0 ? milliseconds * 1e-3 : 3600);
    }
}

/* Questions; false if it is none. */
static bool answer(tpi_emu *emu, const uint8_t *p)
{
    struct board *board = &lifa_of(emu)->board;

    switch (p[1]) {
    case 0x00:
        tpi_emu_say(emu, "sync", 4, "here it is");
        return true;
    case 0x06: {
        const uint8_t high = p[2] < BOARD_PINS && tpi_board_digital(emu, board, p[2]) ? 1 : 0;
        tpi_emu_say(emu, &high, 1, "pin %u is %u", p[2], high);
        return true;
    }
    case 0x07: {
        const unsigned bits = read_port(emu);
        say_word(emu, bits, bits >> 8, "pins 0 to 13");
        return true;
    }
    case 0x08: {
        const unsigned value = p[2] < BOARD_ANALOGS ? tpi_board_analog(emu, board, p[2]) : 0;
        say_word(emu, value >> 8, value, "an analog pin");
        return true;
    }
    case 0x09:
        say_analogs(emu);
        return true;
    case 0x2c:
        say_word(emu, 2, 0, "firmware 2.0");
        return true;
    default:
        return false;
    }
}

static void act(tpi_emu *emu, const uint8_t *p)
{
    switch (p[1]) {
    case 0x02:
        set_mode(emu, p[2], p[3] != 0);
        break;
    case 0x03:
        write_pin(emu, p[2], p[3] != 0);
        break;
    case 0x04:
        do_port(emu, p);
        break;
    case 0x05:
        do_tone(emu, p);
        break;
    case 0x0a:
        write_duty(emu, p[2], p[3]);
        break;
    case 0x0b:
        for (unsigned i = 2; i < 5; i++) {
            write_duty(emu, p[i], p[i + 3]);
        }
        break;
    default: /* displays and buses with nothing on them */
        break;
    }
    say_done(emu);
}

static const char *name_of(uint8_t command)
{
    static const char *const names[] = {
        [0x00] = "sync",         [0x01] = "flush",      [0x02] = "pin mode",
        [0x03] = "write pin",    [0x04] = "write port", [0x05] = "tone",
        [0x06] = "read pin",     [0x07] = "read port",  [0x08] = "read analog",
        [0x09] = "read analogs", [0x0a] = "PWM",        [0x0b] = "PWM of 3 pins",
    };

    if (command < sizeof names / sizeof names[0]) {
        return names[command];
    }
    return command >= 0x17 && command <= 0x1d ? "servo" : command == 0x2c ? "firmware?" : "other";
}

static bool is_sound(const uint8_t *packet)
{
    unsigned sum = 0;

    for (unsigned i = 0; i < PACKET - 1; i++) {
        sum += packet[i];
    }
    return packet[0] == START && (sum & 0xff) == packet[PACKET - 1];
}

static void take_packet(tpi_emu *emu, const uint8_t *p)
{
    if (!is_sound(p)) {
        tpi_emu_heard(emu, p, PACKET, "dropped: no packet, or a wrong sum");
        return;
    }
    tpi_emu_heard(emu, p, PACKET, "%s", name_of(p[1]));
    if (p[1] >= 0x17 && p[1] <= 0x1d) {
        do_servo(emu, p);
    } else if (!answer(emu, p) && p[1] != 0x01 && p[1] != BUS_READ && p[1] <= 0x29) {
        act(emu, p);
    }
}

static void lifa_input(tpi_emu *emu, const uint8_t *bytes, size_t length)
{
    struct lifa *l = lifa_of(emu);

    if (emu->now_us - l->input_us > gap_us) {
        l->length = 0;
    }
    l->input_us = emu->now_us;
    for (size_t i = 0; i < length; i++) {
        l->packet[l->length++] = bytes[i];
        if (l->length == PACKET) {
            l->length = 0;
            take_packet(emu, l->packet);
        }
    }
}

/* ---- Life ------------------------------------------------------------------------------------ */

static tp_status lifa_start(tpi_emu *emu, tp_error *err)
{
    return tpi_board_start(emu, &lifa_of(emu)->board, err);
}

static tp_status lifa_wire(tpi_emu *emu, const char *slot, const char *part, tp_error *err)
{
    return tpi_board_wire(&lifa_of(emu)->board, slot, part, err);
}

static void lifa_reset(tpi_emu *emu)
{
    struct lifa *l = lifa_of(emu);

    l->length = 0;
    l->servo_count = 0;
    memset(l->servo_pins, BOARD_NO_PIN, sizeof l->servo_pins);
    for (unsigned i = 0; i < SERVOS; i++) {
        l->servo_us[i] = pulse_of(90);
    }
    tpi_board_reset(emu, &l->board, BOARD_INPUT);
}

static void lifa_tick(tpi_emu *emu)
{
    (void)emu;
}

const tpi_emu_kind tpi_emu_lifa = {
    .name = "lifa",
    .summary = "Arduino Uno with LabVIEW's interface for Arduino, serial, 115200 baud",
    .file = "robots/arduino.inc",
    .macro = "arduino",
    .radius = 0.14,
    .track = 0.13,
    .baud = 115200,
    .line_powered = true,
    .state_size = sizeof(struct lifa),
    .start = lifa_start,
    .wire = lifa_wire,
    .reset = lifa_reset,
    .input = lifa_input,
    .tick = lifa_tick,
};
