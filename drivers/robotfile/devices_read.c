/* devices_read.c - what devices of the server measure, as answers to orders; see devices.h. */
#include <math.h>

#include "robotfile.h"
#include "troupe/interfaces/aio.h"
#include "troupe/interfaces/blobfinder.h"
#include "troupe/interfaces/laser.h"
#include "troupe/interfaces/ranger.h"
#include "troupe/interfaces/sonar.h"

static const int64_t OLD_NS = 2 * TP_NS_PER_S; /* a reading that counts for nothing */
static const double FARTHEST_MM = 1e6;

/* Lights, distances and pictures change all the time: old ones mean that the device is stuck.
 * Others can report changes only. */
bool tpi_robotfile_devices_is_fresh(const struct robotfile *r, const struct devices_item *item)
{
    const tp_interface *interface = item->interface;
    const bool grows_old = interface == &tp_interface_ranger || interface == &tp_interface_aio ||
                           interface == &tp_interface_sonar || interface == &tp_interface_laser ||
                           interface == &tp_interface_blobfinder;

    return item->is_heard && (!grows_old || tpi_robotfile_now_ns(r) - item->heard_ns <= OLD_NS);
}

static struct devices_item *fresh(struct robotfile *r, const char *name, unsigned number)
{
    struct devices_item *item = tpi_robotfile_devices_find(r, name, number);

    return item != NULL && tpi_robotfile_devices_is_fresh(r, item) ? item : NULL;
}

/* Inputs are counted through all devices with the interface but sensors that describe themselves:
 * these have devices of their own. */
static double input(struct robotfile *r, const char *name, double number)
{
    const struct devices_item *item;
    double before = 0;

    for (unsigned i = 0; (item = tpi_robotfile_devices_find(r, name, i)) != NULL; i++) {
        if (item->told != NULL) {
            continue;
        }
        if (!tpi_robotfile_devices_is_fresh(r, item)) { /* the numbers behind it are not known */
            break;
        }
        if (number >= before && number < before + item->count) {
            return item->values[(unsigned)(number - before)];
        }
        before += item->count;
    }
    return (double)NAN;
}

/* An input of one device. */
static double input_of(struct robotfile *r, const char *name, const double numbers[])
{
    const struct devices_item *item =
        numbers[0] >= 0 ? fresh(r, name, (unsigned)fmin(numbers[0], MOST_DEVICES)) : NULL;

    return item != NULL && numbers[1] >= 0 && numbers[1] < item->count
               ? item->values[(unsigned)numbers[1]]
               : (double)NAN;
}

static double nearest(struct robotfile *r, const double sector[])
{
    const struct devices_item *item;
    double found = (double)NAN;

    for (unsigned i = 0; (item = tpi_robotfile_devices_find(r, "ranger", i)) != NULL; i++) {
        if (tpi_robotfile_devices_is_fresh(r, item)) {
            found = fmin(found, tpi_robotfile_devices_nearest(item, sector[0], sector[1]));
        }
    }
    return fmin(found * 1000, isnan(found) ? found : FARTHEST_MM);
}

static double pressed(struct robotfile *r, double from, double to)
{
    const struct devices_item *item;
    double found = (double)NAN;

    for (unsigned i = 0; (item = tpi_robotfile_devices_find(r, "bumper", i)) != NULL; i++) {
        if (tpi_robotfile_devices_is_fresh(r, item)) {
            found = fmax(found, tpi_robotfile_devices_pressed(item, from, to));
        }
    }
    return found;
}

/* The angle of a joint in degrees. */
static double angle(struct robotfile *r, const double numbers[])
{
    static const double RAD_TO_DEG = 57.29577951308232;
    const struct devices_item *item =
        numbers[0] >= 0 ? fresh(r, "actarray", (unsigned)fmin(numbers[0], MOST_DEVICES)) : NULL;

    return item != NULL && numbers[1] >= 0 && numbers[1] < item->count
               ? item->values[(unsigned)numbers[1]] * RAD_TO_DEG
               : (double)NAN;
}

/* The largest patch of a channel in all pictures; zeros if there is none. */
static unsigned blob(struct robotfile *r, double channel, double out[3])
{
    const struct devices_item *item;
    unsigned count = 0;

    out[0] = out[1] = out[2] = 0;
    for (unsigned i = 0; (item = tpi_robotfile_devices_find(r, "blobfinder", i)) != NULL; i++) {
        count = tpi_robotfile_devices_is_fresh(r, item) ? 3 : count;
        for (unsigned k = 0; count > 0 && k < item->count; k++) {
            const struct devices_blob *seen = &item->blobs[k];
            if ((double)seen->channel == channel && seen->size > out[2]) {
                out[0] = seen->x;
                out[1] = seen->y;
                out[2] = seen->size;
            }
        }
    }
    return count;
}

/* A value of the first device with the interface. */
static double value(struct robotfile *r, const char *name, unsigned number, double scale)
{
    const struct devices_item *item = fresh(r, name, 0);

    return item != NULL ? item->values[number] * scale : (double)NAN;
}

unsigned tpi_robotfile_devices_measure(struct robotfile *r, const struct order *order,
                                       double out[3])
{
    const char *name = tpi_robotfile_order_interface(order->verb);

    switch (order->verb) {
    case ORDER_ANALOG:
    case ORDER_DIGITAL:
        out[0] = input(r, name, order->numbers[0]);
        break;
    case ORDER_ANALOG_OF:
    case ORDER_DIGITAL_OF:
        out[0] = input_of(r, name, order->numbers);
        break;
    case ORDER_RANGE:
        out[0] = nearest(r, order->numbers);
        break;
    case ORDER_BUMPER:
        out[0] = pressed(r, -(double)INFINITY, (double)INFINITY);
        break;
    case ORDER_BUMPERS:
        out[0] = pressed(r, order->numbers[0], order->numbers[1]);
        break;
    case ORDER_PERCENT:
    case ORDER_BEAMS:
    case ORDER_HEADING:
        out[0] = value(r, name, 0, 1);
        break;
    case ORDER_VOLTS:
        out[0] = value(r, name, 1, 1000);
        break;
    case ORDER_ANGLE:
        out[0] = angle(r, order->numbers);
        break;
    case ORDER_BLOB:
        return blob(r, order->numbers[0], out);
    default:
        return 0;
    }
    return isfinite(out[0]) ? 1 : 0;
}
