/*
 * firmata.c - an emulated Arduino Uno with StandardFirmata 2.5.
 *
 * A byte from 80 on begins a message; others are its data, seven bits each. A system message stands
 * between F0 and F7; one with more than 64 bytes is dropped. There is nothing on the I2C bus.
 */
#include <string.h>

#include "emulate/board.h"

enum {
    DIGITAL = 0x90,
    REPORT_ANALOG = 0xc0,
    REPORT_DIGITAL = 0xd0,
    ANALOG = 0xe0,
    SYSEX = 0xf0,
    SET_MODE = 0xf4,
    SET_PIN = 0xf5,
    SYSEX_END = 0xf7,
    VERSION = 0xf9,
    RESET = 0xff,
};
enum {
    SYSTEM_ANALOG_MAP = 0x69,
    SYSTEM_CAPABILITY = 0x6b,
    SYSTEM_PIN_STATE = 0x6d,
    SYSTEM_EXTENDED = 0x6f,
    SYSTEM_SERVO = 0x70,
    SYSTEM_STRING = 0x71,
    SYSTEM_I2C_REQUEST = 0x76,
    SYSTEM_I2C_REPLY = 0x77,
    SYSTEM_I2C_CONFIG = 0x78,
    SYSTEM_FIRMWARE = 0x79,
    SYSTEM_SAMPLING = 0x7a,
};
enum {
    PORTS = 3,
    LONGEST = 64,
    NONE = 0x7f,
    USUAL_SAMPLING_MS = 19,
    QUERIES = 8,
    MAJOR = 2,
    MINOR = 5
};

static const char firmware[] = "StandardFirmata.ino";

/* A continuous question for a device on the bus. */
struct query {
    uint8_t address[2]; /* as it was asked */
    uint8_t where[2];   /* the register, likewise */
    bool used;
};

struct firmata {
    struct board board;
    uint8_t message[1 + LONGEST]; /* the first byte and its data */
    size_t length;
    bool dropped; /* the rest of a system message that is too long */
    bool analog[BOARD_ANALOGS];
    bool digital[PORTS];
    uint8_t reported[PORTS];
    int64_t sampling_us, next_us;
    bool bus;
    struct query queries[QUERIES];
};

static struct firmata *firmata_of(tpi_emu *emu)
{
    return emu->state;
}

/* ---- To the host ----------------------------------------------------------------------------- */

/* A text in pairs of seven bits. */
static size_t put_text(uint8_t *out, const char *text)
{
    const size_t length = strlen(text);

    for (size_t i = 0; i < length; i++) {
        out[2 * i] = (uint8_t)text[i] & 0x7f;
        out[2 * i + 1] = (uint8_t)text[i] >> 7;
    }
    return 2 * length;
}

static void say_version(tpi_emu *emu)
{
    const uint8_t bytes[] = {VERSION, MAJOR, MINOR};

    tpi_emu_say(emu, bytes, sizeof bytes, "version %d.%d", MAJOR, MINOR);
}

static void say_firmware(tpi_emu *emu)
{
    uint8_t bytes[8 + 2 * sizeof firmware] = {SYSEX, SYSTEM_FIRMWARE, MAJOR, MINOR};
    size_t length = 4 + put_text(bytes + 4, firmware);

    bytes[length++] = SYSEX_END;
    tpi_emu_say(emu, bytes, length, "firmware %s", firmware);
}

static void say_string(tpi_emu *emu, const char *text)
{
    uint8_t bytes[128] = {SYSEX, SYSTEM_STRING};
    size_t length = 2 + put_text(bytes + 2, text);

    bytes[length++] = SYSEX_END;
    tpi_emu_say(emu, bytes, length, "text: %s", text);
}

static void say_analog(tpi_emu *emu, unsigned channel)
{
    const unsigned value = tpi_board_analog(emu, &firmata_of(emu)->board, channel);
    const uint8_t bytes[] = {(uint8_t)(ANALOG + channel), value & 0x7f, (uint8_t)(value >> 7)};

    tpi_emu_say(emu, bytes, sizeof bytes, "A%u is %u", channel, value);
}

/* The inputs among the pins of a port. */
static uint8_t inputs_of(tpi_emu *emu, unsigned port)
{
    struct board *board = &firmata_of(emu)->board;
    uint8_t bits = 0;

    for (unsigned i = 0; i < 8; i++) {
        const unsigned pin = 8 * port + i;
        if (tpi_board_is_digital(pin) &&
            (board->mode[pin] == BOARD_INPUT || board->mode[pin] == BOARD_PULLUP) &&
            tpi_board_digital(emu, board, pin)) {
            bits |= (uint8_t)(1U << i);
        }
    }
    return bits;
}

static void say_digital(tpi_emu *emu, unsigned port, bool always)
{
    struct firmata *f = firmata_of(emu);
    const uint8_t bits = inputs_of(emu, port);

    if (always || bits != f->reported[port]) {
        const uint8_t bytes[] = {(uint8_t)(DIGITAL + port), bits & 0x7f, bits >> 7};
        f->reported[port] = bits;
        tpi_emu_say(emu, bytes, sizeof bytes, "port %u is %02x", port, bits);
    }
}

static void say_capabilities(tpi_emu *emu)
{
    static const uint8_t digital[] = {BOARD_INPUT, 1, BOARD_PULLUP, 1, BOARD_OUTPUT, 1};
    uint8_t bytes[3 + BOARD_PINS * 16] = {SYSEX, SYSTEM_CAPABILITY + 1};
    size_t length = 2;

    for (unsigned pin = 0; pin < BOARD_PINS; pin++) {
        const struct {
            bool has;
            uint8_t mode, bits;
        } more[] = {{tpi_board_is_analog(pin), BOARD_ANALOG, 10},
                    {tpi_board_is_pwm(pin), BOARD_PWM, 8},
                    {tpi_board_is_digital(pin), BOARD_SERVO, 14},
                    {pin >= BOARD_PINS - 2, BOARD_I2C, 1}};
        if (tpi_board_is_digital(pin)) {
            memcpy(bytes + length, digital, sizeof digital);
            length += sizeof digital;
        }
        for (size_t i = 0; i < sizeof more / sizeof more[0]; i++) {
            if (more[i].has) {
                bytes[length++] = more[i].mode;
                bytes[length++] = more[i].bits;
            }
        }
        bytes[length++] = NONE;
    }
    bytes[length++] = SYSEX_END;
    tpi_emu_say(emu, bytes, length, "capabilities of %d pins", BOARD_PINS);
}

static void say_analog_map(tpi_emu *emu)
{
    uint8_t bytes[3 + BOARD_PINS] = {SYSEX, SYSTEM_ANALOG_MAP + 1};

    for (unsigned pin = 0; pin < BOARD_PINS; pin++) {
        bytes[2 + pin] = tpi_board_is_analog(pin) ? (uint8_t)(pin - BOARD_FIRST_ANALOG) : NONE;
    }
    bytes[2 + BOARD_PINS] = SYSEX_END;
    tpi_emu_say(emu, bytes, sizeof bytes, "analog channels");
}

static void say_pin_state(tpi_emu *emu, uint8_t pin)
{
    const struct board *board = &firmata_of(emu)->board;
    uint8_t bytes[8] = {SYSEX, SYSTEM_PIN_STATE + 1, pin};
    size_t length = 3;

    if (pin < BOARD_PINS) {
        const unsigned value = board->value[pin];
        bytes[length++] = (uint8_t)board->mode[pin];
        bytes[length++] = value & 0x7f;
        if (value >= 0x80) {
            bytes[length++] = value >> 7 & 0x7f;
        }
    }
    bytes[length++] = SYSEX_END;
    tpi_emu_say(emu, bytes, length, "state of pin %u", pin);
}

/* ---- Pins ------------------------------------------------------------------------------------ */

static void report_analog(tpi_emu *emu, unsigned channel, bool on)
{
    struct firmata *f = firmata_of(emu);

    if (channel < BOARD_ANALOGS) {
        f->analog[channel] = on;
        if (on) {
            say_analog(emu, channel);
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
        say_string(emu, "Unknown pin mode");
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
    f->sampling_us = USUAL_SAMPLING_MS * 1000;
}

/* ---- The bus --------------------------------------------------------------------------------- */

/* Nobody is there: too few bytes came. */
static void answer_query(tpi_emu *emu, const struct query *query)
{
    const uint8_t bytes[] = {SYSEX,           SYSTEM_I2C_REPLY, query->address[0], 0,
                             query->where[0], query->where[1],  SYSEX_END};

    say_string(emu, "I2C: Too few bytes received");
    tpi_emu_say(emu, bytes, sizeof bytes, "I2C: nothing from %02x", query->address[0]);
}

static void keep_query(struct firmata *f, const struct query *query)
{
    for (unsigned i = 0; i < QUERIES; i++) {
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
    struct query query = {.address = {data[0], data[1] & 7}};
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

    if (number == SYSTEM_FIRMWARE) {
        say_firmware(emu);
    } else if (number == SYSTEM_CAPABILITY) {
        say_capabilities(emu);
    } else if (number == SYSTEM_ANALOG_MAP) {
        say_analog_map(emu);
    } else if (number == SYSTEM_PIN_STATE && length > 0) {
        say_pin_state(emu, data[0]);
    } else if (number == SYSTEM_EXTENDED) {
        extended_analog(emu, data, length);
    } else if (number == SYSTEM_SERVO && length >= 5) {
        set_mode(emu, data[0], BOARD_SERVO);
    } else if (number == SYSTEM_SAMPLING && length >= 2) {
        set_sampling(emu, fourteen(data));
    } else if (number == SYSTEM_I2C_CONFIG) {
        f->bus = true;
        set_mode(emu, BOARD_PINS - 2, BOARD_I2C);
        set_mode(emu, BOARD_PINS - 1, BOARD_I2C);
    } else if (number == SYSTEM_I2C_REQUEST) {
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

    switch (m[0] < SYSEX ? m[0] & 0xf0 : m[0]) {
    case DIGITAL:
        write_port(emu, low, fourteen(m + 1));
        break;
    case ANALOG:
        write_analog(emu, low, fourteen(m + 1));
        break;
    case REPORT_ANALOG:
        report_analog(emu, low, m[1] != 0);
        break;
    case REPORT_DIGITAL:
        if (low < PORTS) {
            f->digital[low] = m[1] != 0;
            if (m[1] != 0) {
                say_digital(emu, low, true);
            }
        }
        break;
    case SET_MODE:
        set_mode(emu, m[1], m[2]);
        break;
    case SET_PIN:
        write_digital(emu, m[1], m[2] != 0);
        break;
    case VERSION:
        say_version(emu);
        break;
    default: /* RESET */
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
    } messages[] = {{DIGITAL, 3, "write port"},
                    {ANALOG, 3, "write analog"},
                    {REPORT_ANALOG, 2, "report analog"},
                    {REPORT_DIGITAL, 2, "report port"},
                    {SET_MODE, 3, "pin mode"},
                    {SET_PIN, 3, "write pin"},
                    {VERSION, 1, "version?"},
                    {RESET, 1, "reset"}};
    const uint8_t kind = first < SYSEX ? first & 0xf0 : first;

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

    if (byte == SYSEX_END && f->length > 0 && f->message[0] == SYSEX) {
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
    if (f->length > 0 && f->message[0] != SYSEX && f->length == length_of(f->message[0], &name)) {
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
    say_version(emu);
    say_firmware(emu);
}

static void sample(tpi_emu *emu)
{
    struct firmata *f = firmata_of(emu);

    for (unsigned i = 0; i < BOARD_ANALOGS; i++) {
        if (f->analog[i] && f->board.mode[BOARD_FIRST_ANALOG + i] == BOARD_ANALOG) {
            say_analog(emu, i);
        }
    }
    for (unsigned i = 0; i < QUERIES; i++) {
        if (f->queries[i].used) {
            answer_query(emu, &f->queries[i]);
        }
    }
}

static void firmata_tick(tpi_emu *emu)
{
    struct firmata *f = firmata_of(emu);

    for (unsigned port = 0; port < PORTS; port++) {
        if (f->digital[port]) {
            say_digital(emu, port, false);
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
