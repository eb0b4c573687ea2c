/* devices.c - the devices that the front knows, by number, address, name and topic. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "inside.h"

const struct web_device *tpi_web_device_numbered(const struct web_front *front, uint32_t number)
{
    const bool there =
        number > 0 && number <= front->device_count && front->devices[number - 1].present;

    return there ? &front->devices[number - 1] : NULL;
}

/* `hint` is where it may be: the server lists its devices in the same order every time. */
struct web_device *tpi_web_find_device(const struct web_front *front, const tp_devaddr *addr,
                                       size_t hint)
{
    assert(front_is_current(front));
    if (hint < front->device_count && same_address(&front->devices[hint].addr, addr)) {
        return &front->devices[hint];
    }
    for (size_t i = 0; i < front->device_count; i++) {
        if (same_address(&front->devices[i].addr, addr)) {
            return &front->devices[i];
        }
    }
    return NULL;
}

const struct web_device *tpi_web_device_at(const struct web_front *front, const tp_devaddr *addr,
                                           uint32_t *number)
{
    const struct web_device *device =
        tpi_web_find_device(front, addr, number != NULL ? *number : 0);

    assert(front_is_current(front));
    if (device == NULL || !device->present) {
        return NULL;
    }
    if (number != NULL) {
        *number = (uint32_t)(device - front->devices) + 1;
    }
    return device;
}

/* The first device with this interface and index, of any robot if `robot` is 0. */
static const struct web_device *find_named(const struct web_front *front, unsigned robot,
                                           const char *interface, unsigned index)
{
    for (size_t i = 0; i < front->device_count; i++) {
        const struct web_device *device = &front->devices[i];

        if (device->present && device->addr.index == index &&
            (robot == 0 || device->addr.robot == robot) &&
            strcmp(device->interface->name, interface) == 0) {
            return device;
        }
    }
    return NULL;
}

const struct web_device *tpi_web_device_named(const struct web_front *front, const char *name)
{
    char interface[64];
    unsigned robot = 0, index = 0;
    int end = -1;

    assert(front_is_current(front));
    if (sscanf(name, "%9u:%63[a-z0-9_]:%5u%n", &robot, interface, &index, &end) == 3 &&
        name[end] == '\0') {
        return robot == 0 ? NULL : find_named(front, robot, interface, index);
    }
    end = -1;
    if (sscanf(name, "%63[a-z0-9_]:%5u%n", interface, &index, &end) == 2 && name[end] == '\0') {
        return find_named(front, 0, interface, index);
    }
    return NULL;
}

const struct web_device *tpi_web_device_topic(const struct web_front *front, const char *topic,
                                              const char **rest)
{
    char interface[64];
    unsigned robot = 0, index = 0;
    int end = -1;

    assert(front_is_current(front));
    if (sscanf(topic, "/%9u/%63[a-z0-9_]/%5u/%n", &robot, interface, &index, &end) != 3 ||
        end < 0) {
        return NULL;
    }
    *rest = topic + end;
    return robot == 0 ? NULL : find_named(front, robot, interface, index);
}

const tp_message *tpi_web_message(const struct web_device *device, tp_kind kind, unsigned code)
{
    const tp_message *own = tp_interface_message(device->interface, kind, code);

    return own != NULL ? own : tp_interface_message(&tp_interface_common, kind, code);
}

const tp_message *tpi_web_message_named(const struct web_device *device, tp_kind kind,
                                        const char *name)
{
    const tp_message *own = tp_interface_message_named(device->interface, kind, name);

    return own != NULL ? own : tp_interface_message_named(&tp_interface_common, kind, name);
}
