/*
 * firmata.c - an emulated Arduino Uno with StandardFirmata 2.5.
 *
 * A byte from 80 on begins a message; others are its data, seven bits each. A system message stands
 * between F0 and F7; one with more than 64 bytes is dropped. There is nothing on the I2C bus.
 */
#include "emulate/firmata.h"

#include <string.h>

/* ---- Pins ------------------------------------------------------------------------------------ */

static void report_analog(tpi_emu *emu, unsigned channel, bool on)
{
    struct firmata *f = firmata_of(emu);

    if (channel < BOARD_ANALOGS) {
        f->analog[channel] = on;
        if (on) {
            tpi_firmata_say_analog(emu, channel);
        }
    }
}

static bool can_have(unsigned pin, unsigned mode)
{
    switch (mode) {
    case BOARD_ANALOG:
        return tpi_board_is_analog(pin);
    case BOARD_PWM:
        return tpi_board_is_pwm(pin);
    case BOARD_I2C:
        return pin >= BOARD_PINS - 2 && pin < BOARD_PINS;
    default:
        return tpi_board_is_digital(pin);
    }
}

static void set_mode(tpi_emu *emu, unsigned pin, unsigned mode)
{
    struct firmata *f = firmata_of(emu);

    if (mode != BOARD_INPUT && mode != BOARD_OUTPUT && mode != BOARD_ANALOG && mode != BOARD_PWM &&
        mode != BOARD_SERVO && mode != BOARD_I2C && mode != BOARD_PULLUP) {
        tpi_firmata_say_string(emu, "Unknown pin mode");
        return;
    }
    if (pin >= BOARD_PINS || !can_have(pin, mode)) {
        return;
    }
    f->board.mode[pin] = (enum board_mode)mode;
    tpi_board_write(emu, &f->board, pin, mode == BOARD_PULLUP ? 1 : 0);
    if (tpi_board_is_analog(pin)) {
        report_analog(emu, pin - BOARD_FIRST_ANALOG, mode == BOARD_ANALOG);
    }
}

static void write_analog(tpi_emu *emu, unsigned pin, unsigned value)
{
    struct board *board = &firmata_of(emu)->board;

    if (pin < BOARD_PINS && (board->mode[pin] == BOARD_PWM || board->mode[pin] == BOARD_SERVO)) {
        tpi_board_write(emu, board, pin, (uint16_t)value);
    }
}

static void write_digital(tpi_emu *emu, unsigned pin, bool high)
{
    struct board *board = &firmata_of(emu)->board;

    if (pin < BOARD_PINS && board->mode[pin] == BOARD_OUTPUT) {
        tpi_board_write(emu, board, pin, high ? 1 : 0);
    }
}

static void reset(tpi_emu *emu)
{
    struct firmata *f = firmata_of(emu);

    tpi_board_reset(emu, &f->board, BOARD_OUTPUT);
    memset(f->analog, 0, sizeof f->analog);
    memset(f->digital, 0, sizeof f->digital);
    memset(f->queries, 0, sizeof f->queries);
    f->bus = false;
    f->sampling_us = FIRMATA_USUAL_SAMPLING_MS * 1000;
}

/* ---- The bus --------------------------------------------------------------------------------- */

/* Nobody is there: too few bytes came. */
static void answer_query(tpi_emu *emu, const struct firmata_query *query)
{
    const uint8_t bytes[] = {FIRMATA_SYSEX,   FIRMATA_SYSTEM_I2C_REPLY, query->address[0], 0,
                             query->where[0], query->where[1],          FIRMATA_SYSEX_END};

    tpi_firmata_say_string(emu, "I2C: Too few bytes received");
    tpi_emu_say(emu, bytes, sizeof bytes, "I2C: nothing from %02x", query->address[0]);
}

static void keep_query(struct firmata *f, const struct firmata_query *query)
{
    for (unsigned i = 0; i < FIRMATA_QUERIES; i++) {
        if (!f->queries[i].used) {
            f->queries[i] = *query;
            f->queries[i].used = true;
            return;
        }
    }
}

/* Address, mode, and pairs of seven bits: a register and a count, or the count alone. */
static void request_bus(tpi_emu *emu, const uint8_t *data, size_t length)
{
    enum { WRITE, READ_ONCE, READ_ON, STOP };
    struct firmata *f = firmata_of(emu);

    if (!f->bus || length < 2) {
        return;
    }
    struct firmata_query query = {.address = {data[0], data[1] & 7}};
    if (length >= 6) {
        query.where[0] = data[2];
        query.where[1] = data[3];
    }
    switch (data[1] >> 3 & 3) {
    case READ_ONCE:
        answer_query(emu, &query);
        break;
    case READ_ON:
        keep_query(f, &query);
        break;
    case STOP:
        memset(f->queries, 0, sizeof f->queries);
        break;
    default:
        break;
    }
}

/* ---- Messages -------------------------------------------------------------------------------- */

static unsigned fourteen(const uint8_t *data)
{
    return (unsigned)(data[0] | data[1] << 7);
}

static void extended_analog(tpi_emu *emu, const uint8_t *data, size_t length)
{
    unsigned value = 0;

    for (size_t i = 1; i < length && i <= 3; i++) {
        value |= (unsigned)data[i] << 7 * (i - 1);
    }
    if (length > 1) {
        write_analog(emu, data[0], value);
    }
}

static void set_sampling(tpi_emu *emu, unsigned milliseconds)
{
    firmata_of(emu)->sampling_us = milliseconds < 1 ? 1000 : milliseconds * INT64_C(1000);
}

/* The data of a system message without its number. */
static void do_system(tpi_emu *emu, uint8_t number, const uint8_t *data, size_t length)
{
    struct firmata *f = firmata_of(emu);

    if (number == FIRMATA_SYSTEM_FIRMWARE) {
        tpi_firmata_say_firmware(emu);
    } else if (number == FIRMATA_SYSTEM_CAPABILITY) {
        tpi_firmata_say_capabilities(emu);
    } else if (number == FIRMATA_SYSTEM_ANALOG_MAP) {
        tpi_firmata_say_analog_map(emu);
    } else if (number == FIRMATA_SYSTEM_PIN_STATE && length > 0) {
        tpi_firmata_say_pin_state(emu, data[0]);
    } else if (number == FIRMATA_SYSTEM_EXTENDED) {
        extended_analog(emu, data, length);
    } else if (number == FIRMATA_SYSTEM_SERVO && length >= 5) {
        set_mode(emu, data[0], BOARD_SERVO);
    } else if (number == FIRMATA_SYSTEM_SAMPLING && length >= 2) {
        set_sampling(emu, fourteen(data));
    } else if (number == FIRMATA_SYSTEM_I2C_CONFIG) {
        f->bus = true;
        set_mode(emu, BOARD_PINS - 2, BOARD_I2C);
        set_mode(emu, BOARD_PINS - 1, BOARD_I2C);
    } else if (number == FIRMATA_SYSTEM_I2C_REQUEST) {
        request_bus(emu, data, length);
    } else {
        tpi_emu_heard(emu, data, length, "ignored: unknown number");
    }
}

static void write_port(tpi_emu *emu, unsigned port, unsigned bits)
{
    for (unsigned i = 0; i < 8; i++) {
        write_digital(emu, 8 * port + i, (bits >> i & 1) != 0);
    }
}

static void do_message(tpi_emu *emu, const uint8_t *m)
{
    struct firmata *f = firmata_of(emu);
    const unsigned low = m[0] & 0x0f;

    switch (m[0] < FIRMATA_SYSEX ? m[0] & 0xf0 : m[0]) {
    case FIRMATA_DIGITAL:
        write_port(emu, low, fourteen(m + 1));
        break;
    case FIRMATA_ANALOG:
        write_analog(emu, low, fourteen(m + 1));
        break;
    case FIRMATA_REPORT_ANALOG:
        report_analog(emu, low, m[1] != 0);
        break;
    case FIRMATA_REPORT_DIGITAL:
        if (low < FIRMATA_PORTS) {
            f->digital[low] = m[1] != 0;
            if (m[1] != 0) {
                tpi_firmata_say_digital(emu, low, true);
            }
        }
        break;
    case FIRMATA_SET_MODE:
        set_mode(emu, m[1], m[2]);
        break;
    case FIRMATA_SET_PIN:
        write_digital(emu, m[1], m[2] != 0);
        break;
    case FIRMATA_VERSION:
        tpi_firmata_say_version(emu);
        break;
    default: /* FIRMATA_RESET */
        reset(emu);
        break;
    }
}

/* ---- Bytes ----------------------------------------------------------------------------------- */

/* How long a message is with its first byte, and its name; 0 if it is none. */
static size_t length_of(uint8_t first, const char **name)
{
    static const struct {
        uint8_t first, length;
        const char *name;
    } messages[] = {{FIRMATA_DIGITAL, 3, "write port"},
                    {FIRMATA_ANALOG, 3, "write analog"},
                    {FIRMATA_REPORT_ANALOG, 2, "report analog"},
                    {FIRMATA_REPORT_DIGITAL, 2, "report port"},
                    {FIRMATA_SET_MODE, 3, "pin mode"},
                    {FIRMATA_SET_PIN, 3, "write pin"},
                    {FIRMATA_VERSION, 1, "version?"},
                    {FIRMATA_RESET, 1, "reset"}};
    const uint8_t kind = first < FIRMATA_SYSEX ? first & 0xf0 : first;

    for (size_t i = 0; i < sizeof messages / sizeof messages[0]; i++) {
        if (messages[i].first == kind) {
            *name = messages[i].name;
            return messages[i].length;
        }
    }
    return 0;
}

static void end_system(tpi_emu *emu)
{
    struct firmata *f = firmata_of(emu);
    const size_t length = f->length;

    f->length = 0;
    if (f->dropped || length < 2) {
        tpi_emu_heard(emu, f->message, length, "system message: dropped");
        return;
    }
    tpi_emu_heard(emu, f->message, length, "system message %02x", f->message[1]);
    do_system(emu, f->message[1], f->message + 2, length - 2);
}

static void begin_message(tpi_emu *emu, uint8_t byte)
{
    struct firmata *f = firmata_of(emu);

    if (byte == FIRMATA_SYSEX_END && f->length > 0 && f->message[0] == FIRMATA_SYSEX) {
        end_system(emu);
        return;
    }
    f->message[0] = byte;
    f->length = 1;
    f->dropped = false;
}

static void take_byte(tpi_emu *emu, uint8_t byte)
{
    struct firmata *f = firmata_of(emu);
    const char *name = "";

    if (byte >= 0x80) {
        begin_message(emu, byte);
    } else if (f->length > 0 && f->length < sizeof f->message) {
        f->message[f->length++] = byte;
    } else {
        f->dropped = f->length > 0;
    }
    if (f->length > 0 && f->message[0] != FIRMATA_SYSEX &&
        f->length == length_of(f->message[0], &name)) {
        tpi_emu_heard(emu, f->message, f->length, "%s", name);
        f->length = 0;
        do_message(emu, f->message);
    }
}

static void firmata_input(tpi_emu *emu, const uint8_t *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        take_byte(emu, bytes[i]);
    }
}

/* ---- Life ------------------------------------------------------------------------------------ */

static tp_status firmata_start(tpi_emu *emu, tp_error *err)
{
    return tpi_board_start(emu, &firmata_of(emu)->board, err);
}

static tp_status firmata_wire(tpi_emu *emu, const char *slot, const char *part, tp_error *err)
{
    return tpi_board_wire(&firmata_of(emu)->board, slot, part, err);
}

static void firmata_reset(tpi_emu *emu)
{
    struct firmata *f = firmata_of(emu);

    f->length = 0;
    reset(emu);
    f->next_us = emu->now_us + f->sampling_us;
    tpi_firmata_say_version(emu);
    tpi_firmata_say_firmware(emu);
}

static void sample(tpi_emu *emu)
{
    struct firmata *f = firmata_of(emu);

    for (unsigned i = 0; i < BOARD_ANALOGS; i++) {
        if (f->analog[i] && f->board.mode[BOARD_FIRST_ANALOG + i] == BOARD_ANALOG) {
            tpi_firmata_say_analog(emu, i);
        }
    }
    for (unsigned i = 0; i < FIRMATA_QUERIES; i++) {
        if (f->queries[i].used) {
            answer_query(emu, &f->queries[i]);
        }
    }
}

static void firmata_tick(tpi_emu *emu)
{
    struct firmata *f = firmata_of(emu);

    for (unsigned port = 0; port < FIRMATA_PORTS; port++) {
        if (f->digital[port]) {
            tpi_firmata_say_digital(emu, port, false);
        }
    }
    if (emu->now_us >= f->next_us) {
        f->next_us += f->sampling_us > emu->step_us ? f->sampling_us : emu->step_us;
        sample(emu);
    }
}

const tpi_emu_kind tpi_emu_firmata = {
    .name = "firmata",
    .summary = "Arduino Uno with StandardFirmata 2.5, serial, 57600 baud",
    .file = "robots/arduino.inc",
    .macro = "arduino",
    .radius = 0.14,
    .track = 0.13,
    .baud = 57600,
    .line_powered = true,
    .state_size = sizeof(struct firmata),
    .start = firmata_start,
    .wire = firmata_wire,
    .reset = firmata_reset,
    .input = firmata_input,
    .tick = firmata_tick,
};
