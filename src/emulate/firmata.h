/* firmata.h - the emulated Arduino with Firmata: what its files share. */
#ifndef TROUPE_EMULATE_FIRMATA_H
#define TROUPE_EMULATE_FIRMATA_H

#include "emulate/board.h"

enum {
    FIRMATA_DIGITAL = 0x90,
    FIRMATA_REPORT_ANALOG = 0xc0,
    FIRMATA_REPORT_DIGITAL = 0xd0,
    FIRMATA_ANALOG = 0xe0,
    FIRMATA_SYSEX = 0xf0,
    FIRMATA_SET_MODE = 0xf4,
    FIRMATA_SET_PIN = 0xf5,
    FIRMATA_SYSEX_END = 0xf7,
    FIRMATA_VERSION = 0xf9,
    FIRMATA_RESET = 0xff,
};
enum {
    FIRMATA_SYSTEM_ANALOG_MAP = 0x69,
    FIRMATA_SYSTEM_CAPABILITY = 0x6b,
    FIRMATA_SYSTEM_PIN_STATE = 0x6d,
    FIRMATA_SYSTEM_EXTENDED = 0x6f,
    FIRMATA_SYSTEM_SERVO = 0x70,
    FIRMATA_SYSTEM_STRING = 0x71,
    FIRMATA_SYSTEM_I2C_REQUEST = 0x76,
    FIRMATA_SYSTEM_I2C_REPLY = 0x77,
    FIRMATA_SYSTEM_I2C_CONFIG = 0x78,
    FIRMATA_SYSTEM_FIRMWARE = 0x79,
    FIRMATA_SYSTEM_SAMPLING = 0x7a,
};
enum {
    FIRMATA_PORTS = 3,
    FIRMATA_LONGEST = 64,
    FIRMATA_NONE = 0x7f,
    FIRMATA_USUAL_SAMPLING_MS = 19,
    FIRMATA_QUERIES = 8,
    FIRMATA_MAJOR = 2,
    FIRMATA_MINOR = 5
};

/* A continuous question for a device on the bus. */
struct firmata_query {
    uint8_t address[2]; /* as it was asked */
    uint8_t where[2];   /* the register, likewise */
    bool used;
};

struct firmata {
    struct board board;
    uint8_t message[1 + FIRMATA_LONGEST]; /* the first byte and its data */
    size_t length;
    bool dropped; /* the rest of a system message that is too long */
    bool analog[BOARD_ANALOGS];
    bool digital[FIRMATA_PORTS];
    uint8_t reported[FIRMATA_PORTS];
    int64_t sampling_us, next_us;
    bool bus;
    struct firmata_query queries[FIRMATA_QUERIES];
};

static inline struct firmata *firmata_of(tpi_emu *emu)
{
    return emu->state;
}

/* ---- firmata_say.c: messages to the host ----------------------------------------------------- */

void tpi_firmata_say_version(tpi_emu *emu);
void tpi_firmata_say_firmware(tpi_emu *emu);
void tpi_firmata_say_string(tpi_emu *emu, const char *text); /* at most 60 characters */
void tpi_firmata_say_analog(tpi_emu *emu, unsigned channel);
void tpi_firmata_say_capabilities(tpi_emu *emu);
void tpi_firmata_say_analog_map(tpi_emu *emu);
void tpi_firmata_say_pin_state(tpi_emu *emu, uint8_t pin);

/* The inputs of a port, if they have changed since they were said last, or always. */
void tpi_firmata_say_digital(tpi_emu *emu, unsigned port, bool always);

#endif
