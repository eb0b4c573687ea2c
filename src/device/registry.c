/*
 * registry.c - which instances and devices there are.
 *
 * An instance is made in steps: prepared, with its driver's init, when no other can see its
 * devices; enrolled, with its timers; and registered. In between all that can be wrong with it is
 * found (roll.c), so that several can be exchanged for others together or not at all.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "device/answers.h"
#include "device/inside.h"

/* ---- Devices --------------------------------------------------------------------------------- */

size_t tpi_hub_device_count(const tpi_hub *hub)
{
    return hub->device_count;
}

tp_device *tpi_hub_device_at(const tpi_hub *hub, size_t i)
{
    return i < hub->device_count ? hub->devices[i] : NULL;
}

unsigned tp_hub_changes(const tp_hub *hub)
{
    return hub->device_changes;
}

unsigned tpi_hub_device_changes(const tpi_hub *hub)
{
    return hub->device_changes;
}

static bool is_at(const tp_device *device, unsigned robot, unsigned interf, unsigned index)
{
    return device->addr.interf == interf && device->addr.index == index &&
           device->addr.robot == robot;
}

static uint32_t hash(unsigned robot, unsigned interf, unsigned index)
{
    return ((robot * 31 + interf) * 65599 + index) * UINT32_C(2654435769) >> 7;
}

static void index_device(const struct device_index *table, tp_device *device)
{
    const tp_devaddr *addr = &device->addr;
    tp_device **slot = device_index_first(table, hash(addr->robot, addr->interf, addr->index));

    while (*slot != NULL) {
        slot = device_index_next(table, slot);
    }
    *slot = device;
}

/* The table of all devices; NULL if there are few, or no memory for it. */
static const struct device_index *addresses(const tpi_hub *hub)
{
    struct device_index *table = hub->addresses;

    if (hub->device_count < MANY_DEVICES || table->valid) {
        return hub->device_count < MANY_DEVICES ? NULL : table;
    }
    if (!tpi_device_index_begin(table, hub->device_count)) {
        return NULL;
    }
    for (size_t i = 0; i < hub->device_count; i++) {
        index_device(table, hub->devices[i]);
    }
    return table;
}

tp_device *tpi_hub_find(const tpi_hub *hub, unsigned robot, unsigned interf, unsigned index)
{
    const struct device_index *table = addresses(hub);

    assert(hub_is_current(hub));
    if (table != NULL) {
        tp_device **slot = device_index_first(table, hash(robot, interf, index));
        while (*slot != NULL && !is_at(*slot, robot, interf, index)) {
            slot = device_index_next(table, slot);
        }
        return *slot;
    }
    for (size_t i = 0; i < hub->device_count; i++) {
        if (is_at(hub->devices[i], robot, interf, index)) {
            return hub->devices[i];
        }
    }
    return NULL;
}

static tp_status reserve(tpi_hub *hub, size_t more)
{
    const size_t needed = hub->device_count + more;

    if (needed <= hub->device_capacity) {
        return TP_OK;
    }
    const size_t capacity = needed * 2 + 16;
    tp_device **devices = realloc((void *)hub->devices, capacity * sizeof(tp_device *));
    if (devices == NULL) {
        return TP_E_NOMEM;
    }
    hub->devices = devices;
    hub->device_capacity = capacity;
    return TP_OK;
}

static size_t count_devices(const tp_instance *instance)
{
    size_t count = 0;

    for (const tp_device *device = instance->devices; device != NULL; device = device->next) {
        count++;
    }
    return count;
}

static void forget_tables(tpi_hub *hub)
{
    hub->device_changes++;
    hub->addresses->valid = false;
    hub->odometry->valid = false;
}

static void tell_vehicles_apart(const tpi_hub *hub, tp_device *device)
{
    const unsigned other = tpi_geometry_other_vehicle(device);

    if (other != 0 && tpi_hub_find(hub, device->addr.robot, other, device->addr.index) != NULL) {
        tpi_geometry_tell_apart(device);
    }
}

/* There is room. */
static void put_devices(tpi_hub *hub, tp_instance *instance)
{
    struct device_index *table = hub->addresses;

    hub->device_changes++;
    hub->odometry->valid = false;
    for (tp_device *device = instance->devices; device != NULL; device = device->next) {
        tell_vehicles_apart(hub, device);
        hub->devices[hub->device_count++] = device;
        device->listed = true;
        tpi_frames_add(device);
        table->valid = table->valid && device_index_has_room(table, hub->device_count);
        if (table->valid) {
            index_device(table, device);
        }
    }
}

/* One pass for all of them. */
void tpi_hub_unlist(tpi_hub *hub, tp_instance *const *leaving, size_t count)
{
    size_t kept = 0;
    bool listed = false;

    assert(hub_is_current(hub));
    for (size_t i = 0; i < count; i++) {
        for (tp_device *device = leaving[i]->devices; device != NULL; device = device->next) {
            listed = listed || device->listed;
            device->listed = false;
        }
    }
    for (size_t i = 0; listed && i < hub->device_count; i++) {
        hub->devices[kept] = hub->devices[i];
        kept += hub->devices[i]->listed;
    }
    if (listed) {
        hub->device_count = kept;
        forget_tables(hub);
    }
}

/* ---- Instances ------------------------------------------------------------------------------- */

tp_status tpi_hub_prepare(tpi_hub *hub, const tpi_blueprint *blueprint, tpi_building *building,
                          tp_instance **out, tp_error *err)
{
    if (building != NULL) {
        building->blamed = 0;
        building->blamed_param = NULL;
    }
    return tpi_instance_create(out, hub, blueprint, building, err);
}

tp_status tpi_hub_enrol(tp_instance *instance)
{
    tpi_hub *hub = instance->hub;

    assert(hub_is_current(hub) && !instance->enrolled);
    if (reserve(hub, hub->awaited + count_devices(instance)) != TP_OK ||
        tpi_instance_enrol(instance) != TP_OK) {
        return TP_E_NOMEM;
    }
    hub->awaited += count_devices(instance);
    instance->next = hub->instances;
    if (hub->instances != NULL) {
        hub->instances->previous = instance;
    }
    hub->instances = instance;
    return TP_OK;
}

const tp_device *tpi_instance_next_device(const tp_instance *instance, const tp_device *behind)
{
    return behind == NULL ? instance->devices : behind->next;
}

void tpi_registry_forget(tp_instance *instance)
{
    if (instance->previous != NULL) {
        instance->previous->next = instance->next;
    } else {
        instance->hub->instances = instance->next;
    }
    if (instance->next != NULL) {
        instance->next->previous = instance->previous;
    }
    tpi_phase_found_again(instance);
}

void tpi_hub_discard(tp_instance *instance)
{
    if (instance->enrolled) {
        instance->hub->awaited -= count_devices(instance);
        tpi_registry_forget(instance);
        tpi_worker_join(instance);
        tpi_instance_withdraw(instance);
    }
    tpi_instance_destroy(instance);
}

tp_status tpi_hub_register(tp_instance *instance)
{
    tpi_hub *hub = instance->hub;

    assert(hub_is_current(hub));
    if (!instance->enrolled && tpi_hub_enrol(instance) != TP_OK) {
        return TP_E_NOMEM;
    }
    hub->awaited -= count_devices(instance);
    put_devices(hub, instance);
    instance->added = true;
    return TP_OK;
}

void tpi_hub_find_again(tpi_hub *hub)
{
    assert(hub_is_current(hub));
    for (tp_instance *other = hub->lost_count > 0 ? hub->instances : NULL; other != NULL;
         other = other->next) {
        tpi_phase_find_again(other);
    }
}

tp_status tpi_hub_add(tpi_hub *hub, const tpi_blueprint *blueprint, tp_instance **out,
                      tp_error *err)
{
    tp_instance *instance = NULL;
    tp_status status = tpi_hub_prepare(hub, blueprint, NULL, &instance, err);

    if (status != TP_OK) {
        return status;
    }
    status = tpi_hub_check(hub, &(tpi_exchange){.coming = &instance, .coming_count = 1}, NULL, err);
    if (status == TP_OK && tpi_hub_register(instance) != TP_OK) {
        status = tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    if (status != TP_OK) {
        tpi_hub_discard(instance);
        return status;
    }
    tpi_hub_find_again(hub);
    if (out != NULL) {
        *out = instance;
    }
    return TP_OK;
}
