/* sort.c - which parts of a robot are which devices; see robotfile.h. */
#include "robotfile.h"

static bool can(const tpi_wired *wired, tpi_command command, int part)
{
    return tpi_wired_route(wired, command, part)->way != TPI_WAY_NONE;
}

static bool carries(const tpi_wired *wired, int part, const char *class)
{
    const tpi_word word = {class, tpi_vocabulary_find(wired->robot->vocabulary, class)};

    return tpi_classes_find(&wired->parts[part].device->classes, &word) >= 0;
}

void tpi_robotfile_sort_parts(struct robotfile *r)
{
    const tpi_wired *wired = r->loaded->wired;

    r->axis = r->battery = -1;
    for (int i = 0; i < (int)wired->part_count; i++) {
        const tpi_device *device = wired->parts[i].device;

        if (r->axis < 0 && carries(wired, i, "DriveAxis") && can(wired, TPI_MOVE_MOTORS, i)) {
            r->axis = i;
        } else if (r->battery < 0 && carries(wired, i, "Battery") &&
                   can(wired, TPI_READ_COUNT, i)) {
            r->battery = i;
        } else if (device->base == TPI_READ_DIGITAL && r->digital_count < MOST_DIGITAL) {
            r->digital[r->digital_count++] = i;
        } else if ((device->base == TPI_READ_ANALOG || device->base == TPI_READ_COUNT) &&
                   can(wired, TPI_READ_ANALOG, i) && r->analog_count < MOST_ANALOG) {
            r->analog[r->analog_count++] = i;
        }
    }
}
