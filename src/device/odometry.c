/*
 * odometry.c - vehicles and localizers by the frame of the odometry that they share.
 *
 * A vehicle moves in that frame, a localizer moves it. Where there are very many robots each looks
 * for its own only: a table finds it, filled anew after devices or their frames have changed.
 */
#include <string.h>

#include "device/answers.h"

/* The name of the frame; NULL for a device that has nothing to do with one. */
static const char *frame_of(const tp_device *device)
{
    return tpi_geometry_is_vehicle(device)     ? device->frame.parent
           : tpi_geometry_is_localizer(device) ? device->frame.name
                                               : NULL;
}

static void fill(const tpi_hub *hub)
{
    struct device_index *table = hub->odometry;

    if (!tpi_device_index_begin(table, hub->device_count)) {
        return;
    }
    for (size_t i = 0; i < hub->device_count; i++) {
        tp_device *device = hub->devices[i];
        const char *name = frame_of(device);
        if (name != NULL) {
            tp_device **slot =
                device_index_first(table, tpi_device_index_hash(device->addr.robot, name));
            while (*slot != NULL) {
                slot = device_index_next(table, slot);
            }
            *slot = device;
        }
    }
}

struct odometry tpi_odometry_begin(const tpi_hub *hub, unsigned robot, const char *name)
{
    struct odometry walk = {.hub = hub, .robot = robot, .name = name};

    if (hub->device_count >= MANY_DEVICES && !hub->odometry->valid) {
        fill(hub);
    }
    if (hub->device_count >= MANY_DEVICES && hub->odometry->valid) {
        walk.slot = device_index_first(hub->odometry, tpi_device_index_hash(robot, name));
    }
    return walk;
}

/* Of those that the table has for the hash, or of all. */
static tp_device *next(struct odometry *walk)
{
    tp_device *device = NULL;

    if (walk->slot == NULL) {
        return walk->at < walk->hub->device_count ? walk->hub->devices[walk->at++] : NULL;
    }
    device = *walk->slot;
    walk->slot = device_index_next(walk->hub->odometry, walk->slot);
    return device;
}

tp_device *tpi_odometry_next(struct odometry *walk)
{
    tp_device *device = next(walk);

    while (device != NULL) {
        const char *name = frame_of(device);
        if (name != NULL && device->addr.robot == walk->robot && strcmp(name, walk->name) == 0) {
            return device;
        }
        device = next(walk);
    }
    return NULL;
}
