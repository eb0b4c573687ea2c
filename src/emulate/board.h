/*
 * board.h - an Arduino Uno on a small robot: pins, and what is wired to them.
 *
 * The firmware of the board is another file (firmata.c, lifa.c). Pins 14 to 19 are A0 to A5. A
 * motor has a pin for its speed and perhaps one for its direction, which is low for ahead. A bumper
 * pulls its pin to ground while it is pressed.
 */
#ifndef TROUPE_EMULATE_BOARD_H
#define TROUPE_EMULATE_BOARD_H

#include "emulate/robot.h"

enum { BOARD_PINS = 20, BOARD_FIRST_ANALOG = 14, BOARD_ANALOGS = 6, BOARD_NO_PIN = 0xff };

/* Modes of pins, with the numbers of Firmata. */
enum board_mode {
    BOARD_INPUT = 0x00,
    BOARD_OUTPUT = 0x01,
    BOARD_ANALOG = 0x02,
    BOARD_PWM = 0x03,
    BOARD_SERVO = 0x04,
    BOARD_I2C = 0x06,
    BOARD_PULLUP = 0x0b,
};

/* What is wired to a pin. */
enum board_part {
    BOARD_NOTHING,
    BOARD_LIGHT_LEFT,
    BOARD_LIGHT_RIGHT,
    BOARD_LINE,
    BOARD_RANGE,
    BOARD_BUMP_LEFT,
    BOARD_BUMP_RIGHT,
    BOARD_LED,
    BOARD_BUZZER,
    BOARD_PARTS
};

struct board {
    enum board_mode mode[BOARD_PINS];
    uint16_t value[BOARD_PINS]; /* that was written last */
    enum board_part part[BOARD_PINS];
    uint8_t speed_pin[2], direction_pin[2]; /* of the left and the right motor; or none */
    tpi_sim_model models[BOARD_PARTS];      /* unused for motors and nothing */
};

/* Find the parts of the body and wire them as usual. */
tp_status tpi_board_start(tpi_emu *emu, struct board *board, tp_error *err);

/* Wire "A0=light_left", "left=5,4". */
tp_status tpi_board_wire(struct board *board, const char *slot, const char *part, tp_error *err);

/* All pins as after switching on: digital ones in this mode, the others analog inputs. */
void tpi_board_reset(tpi_emu *emu, struct board *board, enum board_mode digital);

/* Whether a pin has this ability. */
bool tpi_board_is_digital(unsigned pin); /* not those of the serial line */
bool tpi_board_is_analog(unsigned pin);
bool tpi_board_is_pwm(unsigned pin);

/* Write a value to a pin, in whatever mode it is: 0 and 1, 0 to 255, or degrees. */
void tpi_board_write(tpi_emu *emu, struct board *board, unsigned pin, uint16_t value);

/* A tone on a pin, if something there sounds. */
void tpi_board_tone(tpi_emu *emu, struct board *board, unsigned pin, double hertz, double seconds);

/* Whether a pin is high. */
bool tpi_board_digital(tpi_emu *emu, const struct board *board, unsigned pin);

/* What the converter reads at a channel: 0 to 1023. */
unsigned tpi_board_analog(tpi_emu *emu, const struct board *board, unsigned channel);

#endif
