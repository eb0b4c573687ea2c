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
    ORDER_STOP,    /* stop: everything that moves; no answer */
    ORDER_WHEELS,  /* position2d wheels LEFT RIGHT: percent of the highest speed -> ok */
    ORDER_GO_TO,   /* position2d goto X Y HEADING: metres, degrees -> ok */
    ORDER_ANALOG,  /* aio N -> aio VALUE */
    ORDER_DIGITAL, /* dio N -> dio 0, dio 1 */
    ORDER_RANGE,   /* ranger FROM TO: degrees, to the left -> ranger MILLIMETRES, the nearest */
    ORDER_BUMPER,  /* bumper -> bumper 0, bumper 1: any of them */
    ORDER_PERCENT, /* power percent -> power PERCENT */
    ORDER_VOLTS,   /* power volts -> power MILLIVOLTS */
    ORDERS
};

enum { ORDER_NUMBERS = 3 };

struct order {
    enum order_verb verb;
    double numbers[ORDER_NUMBERS]; /* finite */
};

/* Read an order; false if the text is none. Keeps nothing of it. */
bool tpi_robotfile_order_read(struct order *out, const char *text, size_t length);

/* The interface that carries the order out: "aio"; "" for all. */
const char *tpi_robotfile_order_interface(enum order_verb verb);

#endif
