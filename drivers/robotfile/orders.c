/* orders.c - reads orders to devices of the server; see orders.h. */
#include "orders.h"

#include <math.h>
#include <string.h>

#include "base/number.h"

static const struct {
    const char *interface, *words;
    unsigned count; /* of numbers */
} orders[ORDERS] = {
    [ORDER_STOP] = {"", "stop", 0},
    [ORDER_WHEELS] = {"position2d", "position2d wheels", 2},
    [ORDER_GO_TO] = {"position2d", "position2d goto", 3},
    [ORDER_ANALOG] = {"aio", "aio", 1},
    [ORDER_DIGITAL] = {"dio", "dio", 1},
    [ORDER_RANGE] = {"ranger", "ranger", 2},
    [ORDER_BUMPER] = {"bumper", "bumper", 0},
    [ORDER_PERCENT] = {"power", "power percent", 0},
    [ORDER_VOLTS] = {"power", "power volts", 0},
};

/* The rest of an order: numbers, each behind a blank. */
static bool read_numbers(struct order *out, unsigned count, const char *text, size_t length)
{
    for (unsigned i = 0; i < count; i++) {
        if (length < 2 || text[0] != ' ') {
            return false;
        }
        const size_t used = tpi_number_read_f64(text + 1, length - 1, &out->numbers[i]);
        if (used == 0 || !isfinite(out->numbers[i])) {
            return false;
        }
        text += used + 1;
        length -= used + 1;
    }
    return length == 0;
}

bool tpi_robotfile_order_read(struct order *out, const char *text, size_t length)
{
    for (unsigned i = 0; i < ORDERS; i++) {
        const size_t words = strlen(orders[i].words);

        *out = (struct order){.verb = (enum order_verb)i};
        if (length >= words && memcmp(text, orders[i].words, words) == 0 &&
            read_numbers(out, orders[i].count, text + words, length - words)) {
            return true;
        }
    }
    return false;
}

const char *tpi_robotfile_order_interface(enum order_verb verb)
{
    return orders[verb].interface;
}
