/*
 * chip.h - the firmware: what a board gives, what the parts of the firmware share.
 *
 * One loop does everything: it takes packets from the line (line.c), carries out universal commands
 * that come from there or from the program (acts.c), and runs the program (chip.c). A board is one
 * file: uno.c, microbit.c.
 */
#ifndef TROUPE_FIRMWARE_CHIP_H
#define TROUPE_FIRMWARE_CHIP_H

#include "play/machine.h"

/* ---- The board ---- */

enum { BOARD_PINS = 18, BOARD_CHANNELS = 6, BOARD_DUTIES = 6, BOARD_SERVOS = 2, BOARD_MOTORS = 2 };

void board_start(void);         /* all outputs off; the line and the clock work */
bool board_may_run(void);       /* false if the watchdog has reset it */
void board_feed(void);          /* the watchdog */
uint32_t board_ms(void);        /* since the start */
bool board_take(uint8_t *byte); /* from the line; false if there is none */
void board_send(uint8_t byte);  /* waits while there is no room */
uint16_t board_untouched(void); /* bytes between static memory and the deepest stack so far */

/* The memory that keeps a program: board_read() is in board.h, since it is what the machine does
 * most. */
void board_write(uint16_t at, uint8_t byte);

/* Pins, by their index: digital ones from pin 2 on. */
uint16_t board_analog(uint8_t channel); /* 0 to 1023 */
bool board_digital(uint8_t pin, bool pulls_up);
void board_level(uint8_t pin, bool is_high);
void board_duty(uint8_t output, uint8_t duty); /* 0 to 255 */
void board_servo(uint8_t servo, uint8_t degrees);
void board_motor(uint8_t motor, bool is_back, uint8_t duty);
void board_off(void); /* every output */

/* ---- Universal commands (acts.c) ---- */

/* Errors of docs/universal-protocol.md. */
enum { ACT_FINE, ACT_NOT_AVAILABLE = 1, ACT_BAD_VALUE = 3, ACT_REFUSED = 5, ACT_TOO_LONG = 8 };

/* What a value or a result is on the line. */
enum { KIND_NONE, KIND_NUMBER, KIND_TRUTH, KIND_WORD };

/* A command that the chip knows. */
typedef struct act {
    uint16_t code;
    uint8_t type;   /* the type of its default device; ACT_NO_PORT if it has none */
    uint8_t kind;   /* of its values */
    uint8_t values; /* how many it has at most */
    uint8_t result; /* the kind of its result */
} act;
enum { ACT_NO_PORT = 254 };

/* Find a command. False if the chip does not know it. */
bool act_find(act *out, uint16_t code);

/* Carry it out with a device. The values lie in `row`, `count` of them; the result goes to the
 * first cell. An error, or ACT_FINE. */
uint8_t act_do(const act *what, uint8_t type, uint8_t id, tpi_play_cell *row, uint8_t count);

/* ---- The program (chip.c) ---- */

typedef enum program_state {
    PROGRAM_NONE,    /* nothing that could be executed is stored */
    PROGRAM_STOPPED, /* or not yet started */
    PROGRAM_RUNS,
    PROGRAM_ENDED,
    PROGRAM_FAULTED,
} program_state;

typedef struct program {
    uint8_t state;
    uint8_t reason; /* why the image was refused: examine.h; or the fault */
    uint16_t at;    /* where */
    uint8_t watch;  /* what is told unasked: WATCH_ bits */
    tpi_play_machine machine;
} program;
extern program the_program;

enum { WATCH_PRINTS = 1, WATCH_TRACE = 2 };

void chip_start(void); /* after a reset */
void chip_step(void);  /* a turn of the loop, for ever */

void program_start(void); /* examine what is stored, and run it */
void program_stop(void);  /* all outputs off */

/* ---- The line (line.c) ---- */

/* Packets that come unasked begin with this status. */
enum { LINE_NEWS = 3 };
enum { NEWS_PRINT = 1, NEWS_LOG = 2, NEWS_ACT = 3, NEWS_RESULT = 4, NEWS_END = 5 };

void line_step(void);                                      /* take what has come */
bool line_holds(void);                                     /* a lease of the host runs */
void line_row(uint8_t news, const tpi_play_request *what); /* tell a row of values */
void line_end(void);                                       /* tell how the program has ended */

#endif
