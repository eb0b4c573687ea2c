/*
 * board.h - an Arduino Uno with our firmware, on simavr, within this process: as fast as it goes.
 *
 * Its line, pins, EEPROM and memory are at hand, and functions of the firmware can be called.
 */
#ifndef TROUPE_BENCH_CHIP_BOARD_H
#define TROUPE_BENCH_CHIP_BOARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BOARD_HERTZ = 16000000, BOARD_MOST_BYTES = 65536 };

typedef struct board board;

/* A board with this firmware (ELF), reset. Ends the program with a message if that fails. */
board *board_create(const char *path);

/* Reset it: as the button does. The EEPROM stays. */
void board_reset(board *b);

uint64_t board_cycles(const board *b);
void board_run_ms(board *b, unsigned ms);

/* ---- The line ---- */

void board_write(board *b, const uint8_t *bytes, size_t length);

/* The next packet that the board has sent, without its length. False if none comes within some
 * time of the board. */
bool board_packet(board *b, uint8_t *out, size_t size, size_t *length, unsigned ms);

/* Forget what it has sent so far. */
void board_forget(board *b);

/* A function of Extended with its body; the reply is the next packet that is no news. */
bool board_extended(board *b, uint8_t function, const uint8_t *body, size_t length, uint8_t *out,
                    size_t size, size_t *got);

/* ---- Memory and pins ---- */

void board_store(board *b, const uint8_t *bytes, size_t length);
const uint8_t *board_stored(board *b);
void board_analog_mv(board *b, unsigned channel, unsigned mv);
unsigned board_duty_of(const board *b, unsigned pin);
bool board_level_of(const board *b, unsigned pin);

/* How often its converter was started. */
unsigned long board_conversions(const board *b);

/* ---- Functions ---- */

/* The address of a function; 0 for none. */
unsigned board_symbol(const board *b, const char *name);

/* Call a function of the firmware, which does not go on afterwards; arguments are in the registers,
 * as the convention of the compiler says. */
void board_call(board *b, unsigned address);
uint8_t *board_data(board *b);

#endif
