/*
 * usual.c - fronts that open without a section: the page, and the protocols of some kinds of
 * robots.
 *
 * Which fronts these are is said by the fronts (tp_front), and whether the server has them by its
 * owner (tp_server_options). Devices are counted when fronts are opened: all instances of the file
 * are made then, also on a reload.
 */
#include <string.h>

#include "server/inside.h"

static bool offers(const tp_instance *instance, const char *interface)
{
    const tp_device *device = NULL;

    while ((device = tpi_instance_next_device(instance, device)) != NULL) {
        if (interface[0] == '\0' || strcmp(tp_device_interface(device)->name, interface) == 0) {
            return true;
        }
    }
    return false;
}

bool tpi_usual_has_devices(const tp_server *server, const tp_front *front)
{
    const struct driver_entry *entry = server->file->entries;

    while (entry != NULL &&
           (entry->instance == NULL || !offers(entry->instance, front->usual_for))) {
        entry = entry->next;
    }
    return entry != NULL;
}

bool tpi_usual_may_move(const struct front_entry *entry)
{
    return entry->front->usual_for != NULL && !entry->has_port &&
           (entry->front->flags & TP_FRONT_PER_ROBOT) == 0;
}
