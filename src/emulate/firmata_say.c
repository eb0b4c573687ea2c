/* firmata_say.c - what an emulated Arduino with Firmata sends; see firmata.h. */
#include "emulate/firmata.h"

#include <string.h>

static const char firmware[] = "StandardFirmata.ino";

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

void tpi_firmata_say_version(tpi_emu *emu)
{
    const uint8_t bytes[] = {FIRMATA_VERSION, FIRMATA_MAJOR, FIRMATA_MINOR};

    tpi_emu_say(emu, bytes, sizeof bytes, "version %d.%d", FIRMATA_MAJOR, FIRMATA_MINOR);
}

void tpi_firmata_say_firmware(tpi_emu *emu)
{
    uint8_t bytes[8 + 2 * sizeof firmware] = {FIRMATA_SYSEX, FIRMATA_SYSTEM_FIRMWARE, FIRMATA_MAJOR,
                                              FIRMATA_MINOR};
    size_t length = 4 + put_text(bytes + 4, firmware);

    bytes[length++] = FIRMATA_SYSEX_END;
    tpi_emu_say(emu, bytes, length, "firmware %s", firmware);
}

void tpi_firmata_say_string(tpi_emu *emu, const char *text)
{
    uint8_t bytes[128] = {FIRMATA_SYSEX, FIRMATA_SYSTEM_STRING};
    size_t length = 2 + put_text(bytes + 2, text);

    bytes[length++] = FIRMATA_SYSEX_END;
    tpi_emu_say(emu, bytes, length, "text: %s", text);
}

void tpi_firmata_say_analog(tpi_emu *emu, unsigned channel)
{
    const unsigned value = tpi_board_analog(emu, &firmata_of(emu)->board, channel);
    const uint8_t bytes[] = {(uint8_t)(FIRMATA_ANALOG + channel), value & 0x7f,
                             (uint8_t)(value >> 7)};

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

void tpi_firmata_say_digital(tpi_emu *emu, unsigned port, bool always)
{
    struct firmata *f = firmata_of(emu);
    const uint8_t bits = inputs_of(emu, port);

    if (always || bits != f->reported[port]) {
        const uint8_t bytes[] = {(uint8_t)(FIRMATA_DIGITAL + port), bits & 0x7f, bits >> 7};
        f->reported[port] = bits;
        tpi_emu_say(emu, bytes, sizeof bytes, "port %u is %02x", port, bits);
    }
}

void tpi_firmata_say_capabilities(tpi_emu *emu)
{
    static const uint8_t digital[] = {BOARD_INPUT, 1, BOARD_PULLUP, 1, BOARD_OUTPUT, 1};
    uint8_t bytes[3 + BOARD_PINS * 16] = {FIRMATA_SYSEX, FIRMATA_SYSTEM_CAPABILITY + 1};
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
        bytes[length++] = FIRMATA_NONE;
    }
    bytes[length++] = FIRMATA_SYSEX_END;
    tpi_emu_say(emu, bytes, length, "capabilities of %d pins", BOARD_PINS);
}

void tpi_firmata_say_analog_map(tpi_emu *emu)
{
    uint8_t bytes[3 + BOARD_PINS] = {FIRMATA_SYSEX, FIRMATA_SYSTEM_ANALOG_MAP + 1};

    for (unsigned pin = 0; pin < BOARD_PINS; pin++) {
        bytes[2 + pin] =
            tpi_board_is_analog(pin) ? (uint8_t)(pin - BOARD_FIRST_ANALOG) : FIRMATA_NONE;
    }
    bytes[2 + BOARD_PINS] = FIRMATA_SYSEX_END;
    tpi_emu_say(emu, bytes, sizeof bytes, "analog channels");
}

void tpi_firmata_say_pin_state(tpi_emu *emu, uint8_t pin)
{
    const struct board *board = &firmata_of(emu)->board;
    uint8_t bytes[8] = {FIRMATA_SYSEX, FIRMATA_SYSTEM_PIN_STATE + 1, pin};
    size_t length = 3;

    if (pin < BOARD_PINS) {
        const unsigned value = board->value[pin];
        bytes[length++] = (uint8_t)board->mode[pin];
        bytes[length++] = value & 0x7f;
        if (value >= 0x80) {
            bytes[length++] = value >> 7 & 0x7f;
        }
    }
    bytes[length++] = FIRMATA_SYSEX_END;
    tpi_emu_say(emu, bytes, length, "state of pin %u", pin);
}
