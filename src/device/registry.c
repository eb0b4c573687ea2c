/*
 * registry.c - which instances and devices there are.
 *
 * An instance is made in two steps: prepared, with its driver's init, when nobody sees its devices;
 * and registered. In between all that can be wrong with it is found, so that several can be
 * exchanged for others together or not at all.
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

/* There is room. */
static void put_devices(tpi_hub *hub, tp_instance *instance)
{
    struct device_index *table = hub->addresses;

    hub->device_changes++;
    hub->odometry->valid = false;
    for (tp_device *device = instance->devices; device != NULL; device = device->next) {
        hub->devices[hub->device_count++] = device;
        tpi_frames_add(device);
        table->valid = table->valid && device_index_has_room(table, hub->device_count);
        if (table->valid) {
            index_device(table, device);
        }
    }
}

/* They stand together. Those who leave together mostly do so in the order in which they came. */
void tpi_registry_take_devices(tp_instance *instance)
{
    tpi_hub *hub = instance->hub;
    size_t first = 0;

    forget_tables(hub);
    while (first < hub->device_count && hub->devices[first]->instance != instance) {
        first++;
    }
    size_t end = first;
    while (end < hub->device_count && hub->devices[end]->instance == instance) {
        end++;
    }
    if (end > first) {
        memmove((void *)&hub->devices[first], (const void *)&hub->devices[end],
                (hub->device_count - end) * sizeof(tp_device *));
        hub->device_count -= end - first;
    }
}

/* ---- Exchanges ------------------------------------------------------------------------------- */

static tp_status check_addresses(const tpi_hub *hub, const tp_instance *instance, tp_error *err)
{
    for (const tp_device *device = instance->devices; device != NULL; device = device->next) {
        const tp_devaddr *addr = &device->addr;
        if (tpi_hub_find(hub, addr->robot, addr->interf, addr->index) != NULL) {
            return tp_fail(err, TP_E_EXISTS, "%s is offered by another driver already",
                           device->name);
        }
    }
    return TP_OK;
}

static tp_status check_frames(const tp_instance *instance, tp_error *err)
{
    tp_status status = TP_OK;

    for (const tp_device *device = instance->devices; device != NULL && status == TP_OK;
         device = device->next) {
        status = tpi_frames_check(device, err);
    }
    return status;
}

/* With the exchange made in the registry, which has room for it: so many `more` devices. */
static tp_status try_exchange(tpi_hub *hub, const tpi_exchange *e, size_t more, size_t *wrong,
                              tp_error *err)
{
    tp_status status = TP_OK;

    for (size_t i = 0; i < e->leaving_count; i++) {
        tpi_registry_take_devices(e->leaving[i]);
    }
    tpi_frames_begin_checks(hub, hub->device_count + more);
    for (*wrong = 0; *wrong < e->coming_count; (*wrong)++) {
        status = check_addresses(hub, e->coming[*wrong], err);
        if (status != TP_OK) {
            return tp_wrap(err, status, e->coming[*wrong]->name);
        }
        put_devices(hub, e->coming[*wrong]);
        status = check_frames(e->coming[*wrong], err);
        if (status != TP_OK) {
            return tp_wrap(err, status, e->coming[*wrong]->name);
        }
    }
    return TP_OK;
}

tp_status tpi_hub_check(tpi_hub *hub, const tpi_exchange *exchange, size_t *wrong, tp_error *err)
{
    const size_t count = hub->device_count;
    size_t more = 0;
    size_t ignored;

    for (size_t i = 0; i < exchange->coming_count; i++) {
        more += count_devices(exchange->coming[i]);
    }
    tp_device **saved = malloc((count + 1) * sizeof(tp_device *));
    if (saved == NULL || reserve(hub, more) != TP_OK) {
        free((void *)saved);
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    for (size_t i = 0; i < count; i++) {
        saved[i] = hub->devices[i];
    }
    tp_status status = try_exchange(hub, exchange, more, wrong == NULL ? &ignored : wrong, err);
    tpi_frames_end_checks(hub);
    for (size_t i = 0; i < count; i++) {
        hub->devices[i] = saved[i];
    }
    hub->device_count = count;
    forget_tables(hub);
    free((void *)saved);
    return status;
}

/* ---- Instances ------------------------------------------------------------------------------- */

tp_status tpi_hub_prepare(tpi_hub *hub, const tpi_blueprint *blueprint, tp_instance **out,
                          tp_error *err)
{
    tp_status status = tpi_instance_create(out, hub, blueprint, err);

    if (status == TP_OK) {
        (*out)->next = hub->instances;
        if (hub->instances != NULL) {
            hub->instances->previous = *out;
        }
        hub->instances = *out;
        tpi_naming_add(*out);
    }
    return status;
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
    tpi_naming_remove(instance);
    tpi_phase_found_again(instance);
}

void tpi_hub_discard(tp_instance *instance)
{
    tpi_registry_forget(instance);
    tpi_worker_join(instance);
    tpi_instance_destroy(instance);
}

tp_status tpi_hub_register(tp_instance *instance)
{
    tpi_hub *hub = instance->hub;

    assert(hub_is_current(hub));
    if (reserve(hub, count_devices(instance)) != TP_OK) {
        return TP_E_NOMEM;
    }
    put_devices(hub, instance);
    instance->added = true;
    for (tp_instance *other = hub->lost_count > 0 ? hub->instances : NULL; other != NULL;
         other = other->next) {
        tpi_phase_find_again(other);
    }
    return TP_OK;
}

tp_status tpi_hub_add(tpi_hub *hub, const tpi_blueprint *blueprint, tp_instance **out,
                      tp_error *err)
{
    tp_instance *instance = NULL;
    tp_status status = tpi_hub_prepare(hub, blueprint, &instance, err);

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
    if (out != NULL) {
        *out = instance;
    }
    return TP_OK;
}
