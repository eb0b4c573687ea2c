/*
 * orders.h - the texts that a robot file sends to devices of the server, and their answers.
 *
 * The line "devices" has no wire: a write is one order, which is carried out on the devices that
 * `requires` names. An order is words and numbers with one blank between them.
 */
#ifndef TROUPE_DRIVERS_ROBOTFILE_ORDERS_H
#define TROUPE_DRIVERS_ROBOTFILE_ORDERS_H

#include <stdbool.h>
#include <stddef.h>

enum order_verb {
    ORDER_STOP,       /* stop: everything that moves; no answer */
    ORDER_WHEELS,     /* position2d wheels LEFT RIGHT: percent of the highest speed -> ok */
    ORDER_GO_TO,      /* position2d goto X Y HEADING: metres, degrees -> ok */
    ORDER_HEADING,    /* position2d heading -> position2d DEGREES, 0 to 360 to the left */
    ORDER_ANALOG,     /* aio N -> aio VALUE */
    ORDER_ANALOG_OF,  /* aio of DEVICE N: an input of one device -> aio VALUE */
    ORDER_VOLTAGE,    /* aio set DEVICE N VOLTS -> ok */
    ORDER_DIGITAL,    /* dio N -> dio 0, dio 1 */
    ORDER_DIGITAL_OF, /* dio of DEVICE N -> dio 0, dio 1 */
    ORDER_SWITCH,     /* dio set DEVICE N 0|1 -> ok */
    ORDER_RANGE,      /* ranger FROM TO: degrees, to the left -> ranger MILLIMETRES, the nearest */
    ORDER_BUMPER,     /* bumper -> bumper 0, bumper 1: any of them */
    ORDER_BUMPERS,    /* bumper FROM TO: those between two angles -> the same */
    ORDER_PERCENT,    /* power percent -> power PERCENT */
    ORDER_VOLTS,      /* power volts -> power MILLIVOLTS */
    ORDER_LIGHT,      /* blinkenlight DEVICE LIGHT RED GREEN BLUE: percent -> ok */
    ORDER_SAY,        /* speech say TEXT -> ok */
    ORDER_TONE,       /* audio tone HZ MS -> ok */
    ORDER_ANGLE,      /* actarray angle DEVICE JOINT -> actarray DEGREES */
    ORDER_TURN,       /* actarray turn DEVICE JOINT DEGREES -> ok */
    ORDER_MOVE,       /* actarray move DEVICE JOINT PERCENT: of its reach -> ok */
    ORDER_OPEN,       /* gripper open -> ok */
    ORDER_CLOSE,      /* gripper close -> ok */
    ORDER_BEAMS,      /* gripper beams -> gripper 0, gripper 1: something is between the fingers */
    ORDER_BLOB,       /* blobfinder CHANNEL -> blobfinder X Y SIZE: percent, the largest */
    ORDERS
};

enum { ORDER_NUMBERS = 5 };

struct order {
    enum order_verb verb;
    double numbers[ORDER_NUMBERS]; /* finite */
    const char *text;              /* of ORDER_SAY; borrowed from the order */
    size_t text_length;
};

/* Read an order; false if the text is none. */
bool tpi_robotfile_order_read(struct order *out, const char *text, size_t length);

/* The interface that carries the order out: "aio"; "" for all. */
const char *tpi_robotfile_order_interface(enum order_verb verb);

/* Whether the order writes something; the others read. */
bool tpi_robotfile_order_acts(enum order_verb verb);

#endif
