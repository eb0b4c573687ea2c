/*
 * print_silence.c - see print_silence.h.
 *
 * Of our servers the statistics tell whether the device works. One of a simulated world is silent
 * while that stands still: the `simulation` of the same instance tells.
 */
#include "print_silence.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "called.h"
#include "output.h"
#include "stat_all.h"
#include "stat_text.h"
#include "troupe/interfaces/map.h"
#include "troupe/interfaces/simulation.h"

bool print_has_data(const tp_interface *interface)
{
    for (uint32_t i = 0; i < interface->message_count; i++) {
        /* a map tells only that it has changed, which may be never */
        if (interface->messages[i].kind == TP_KIND_DATA && interface->code != TP_MAP_CODE) {
            return true;
        }
    }
    return false;
}

/* The address of an open device with its robot, which only the server's list tells. */
static bool find_address(tp_devaddr *addr, tp_client *client, const tp_proxy *proxy)
{
    const tp_devaddr *wanted = tp_proxy_addr(proxy);
    tp_client_device *devices = NULL;
    size_t count = 0;
    bool found = false;

    if (tp_client_list(client, &devices, &count, NULL) != TP_OK) {
        return false;
    }
    for (size_t i = 0; i < count && !found; i++) {
        *addr = devices[i].addr;
        found = addr->interf == wanted->interf && addr->index == wanted->index;
    }
    free(devices);
    return found;
}

/* The simulation that a device belongs to; false if it is none of a simulated world's. */
static bool find_simulation(const tp_statistics *all, const tp_device_stat *device, unsigned *index)
{
    for (uint32_t i = 0; i < all->devices_count; i++) {
        const tp_device_stat *other = &all->devices[i];
        if (other->addr.interf == TP_SIMULATION_CODE && other->addr.robot == device->addr.robot &&
            other->instance_count == device->instance_count &&
            memcmp(other->instance, device->instance, device->instance_count) == 0) {
            *index = other->addr.index;
            return true;
        }
    }
    return false;
}

static bool is_set(tp_proxy *simulation, const char *key)
{
    char *value = NULL;
    const bool set = tp_proxy_get_property(simulation, key, &value, NULL) == TP_OK &&
                     value != NULL && strcmp(value, "yes") == 0;

    free(value);
    return set;
}

static void put_world(tpi_buf *out, const struct remote *remote, unsigned index)
{
    char name[32];
    tp_proxy *simulation = NULL;

    snprintf(name, sizeof name, "simulation:%u", index);
    if (tp_client_open(remote->client, name, TP_READ_MODE, &simulation, NULL) != TP_OK) {
        return;
    }
    if (is_set(simulation, "lockstep")) {
        tpi_buf_puts(out, "the world is in lockstep: it moves on when all clients of its device "
                          "world have asked for a STEP");
    } else if (is_set(simulation, "paused")) {
        tpi_buf_printf(out, "the world stands still; it goes on with: %s property ", called());
        if (remote->url != NULL) {
            output_put_clean(out, remote->url, strlen(remote->url));
            tpi_buf_putc(out, '/');
        }
        tpi_buf_printf(out, "%s paused no", name);
    }
    tp_proxy_close(simulation);
}

void print_put_silence(tpi_buf *out, const struct remote *remote, tp_proxy *proxy)
{
    tp_statistics *all = NULL;
    unsigned index = 0;
    tp_devaddr addr;

    if (!tp_client_is_troupe(remote->client) || !tp_client_is_connected(remote->client) ||
        !find_address(&addr, remote->client, proxy) ||
        stat_all(remote->client, &all, NULL) != TP_OK) {
        return;
    }
    const tp_device_stat *stat = stat_find(all, &addr, 0);
    if (stat == NULL) {
        free(all);
        return;
    }
    if (stat->state == TP_DEVICE_STARTING) {
        tpi_buf_puts(out, "its driver is still starting");
    } else if (stat->state == TP_DEVICE_FAILED) {
        tpi_buf_puts(out, "its driver failed: ");
        output_put_clean(out, stat->failure, stat->failure_count);
    } else if (stat->state == TP_DEVICE_TROUBLED) {
        output_put_clean(out, stat->failure, stat->failure_count);
    } else if (find_simulation(all, stat, &index)) {
        put_world(out, remote, index);
    }
    free(all);
}
