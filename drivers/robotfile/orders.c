/* orders.c - reads orders to devices of the server; see orders.h. */
#include "orders.h"

#include <math.h>
#include <string.h>

#include "base/number.h"

static const struct {
    const char *interface, *words;
    unsigned count; /* of numbers */
    bool acts;
} orders[ORDERS] = {
    [ORDER_STOP] = {"", "stop", 0, true},
    [ORDER_WHEELS] = {"position2d", "position2d wheels", 2, true},
    [ORDER_GO_TO] = {"position2d", "position2d goto", 3, true},
    [ORDER_HEADING] = {"position2d", "position2d heading", 0, false},
    [ORDER_ANALOG] = {"aio", "aio", 1, false},
    [ORDER_ANALOG_OF] = {"aio", "aio of", 2, false},
    [ORDER_VOLTAGE] = {"aio", "aio set", 3, true},
    [ORDER_DIGITAL] = {"dio", "dio", 1, false},
    [ORDER_DIGITAL_OF] = {"dio", "dio of", 2, false},
    [ORDER_SWITCH] = {"dio", "dio set", 3, true},
    [ORDER_RANGE] = {"ranger", "ranger", 2, false},
    [ORDER_BUMPER] = {"bumper", "bumper", 0, false},
    [ORDER_BUMPERS] = {"bumper", "bumper", 2, false},
    [ORDER_PERCENT] = {"power", "power percent", 0, false},
    [ORDER_VOLTS] = {"power", "power volts", 0, false},
    [ORDER_LIGHT] = {"blinkenlight", "blinkenlight", 5, true},
    [ORDER_SAY] = {"speech", "speech say ", 0, true},
    [ORDER_TONE] = {"audio", "audio tone", 2, true},
    [ORDER_ANGLE] = {"actarray", "actarray angle", 2, false},
    [ORDER_TURN] = {"actarray", "actarray turn", 3, true},
    [ORDER_MOVE] = {"actarray", "actarray move", 3, true},
    [ORDER_OPEN] = {"gripper", "gripper open", 0, true},
    [ORDER_CLOSE] = {"gripper", "gripper close", 0, true},
    [ORDER_BEAMS] = {"gripper", "gripper beams", 0, false},
    [ORDER_BLOB] = {"blobfinder", "blobfinder", 1, false},
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
        if (length < words || memcmp(text, orders[i].words, words) != 0) {
            continue;
        }
        if (i == ORDER_SAY) { /* the rest is the text */
            out->text = text + words;
            out->text_length = length - words;
            return true;
        }
        if (read_numbers(out, orders[i].count, text + words, length - words)) {
            return true;
        }
    }
    return false;
}

const char *tpi_robotfile_order_interface(enum order_verb verb)
{
    return orders[verb].interface;
}

bool tpi_robotfile_order_acts(enum order_verb verb)
{
    return orders[verb].acts;
}
