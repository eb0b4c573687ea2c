/* device.c - devices: what an instance offers. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/answers.h"
#include "device/inside.h"

/* ---- Offering -------------------------------------------------------------------------------- */

size_t tp_provides_count(const tp_instance *self)
{
    return self->blueprint.provide_count;
}

const tp_interface *tp_provides_interface(const tp_instance *self, size_t i)
{
    return self->blueprint.provides[i].interface;
}

const char *tp_provides_key(const tp_instance *self, size_t i)
{
    return self->blueprint.provides[i].key;
}

size_t tp_provides_section(const tp_instance *self, size_t i)
{
    return self->blueprint.provides[i].section;
}

static const tpi_wanted *find_free(const tp_instance *self, const tp_interface *interface,
                                   const char *key)
{
    for (uint32_t i = 0; i < self->blueprint.provide_count; i++) {
        const tpi_wanted *wanted = &self->blueprint.provides[i];
        if (wanted->interface == interface && (key == NULL || strcmp(key, wanted->key) == 0) &&
            !self->taken[i]) {
            return wanted;
        }
    }
    return NULL;
}

bool tp_provides(const tp_instance *self, const tp_interface *interface, const char *key)
{
    return find_free(self, interface, key) != NULL;
}

/* Whatever else asks for the same address is served too. */
static void mark_taken(tp_instance *self, const tp_devaddr *addr)
{
    for (uint32_t i = 0; i < self->blueprint.provide_count; i++) {
        if (memcmp(&self->blueprint.provides[i].addr, addr, sizeof *addr) == 0) {
            self->taken[i] = true;
        }
    }
}

static tp_status add(tp_instance *self, const tpi_wanted *wanted, const void *ops,
                     tp_handler *handler, tp_device **out, tp_error *err)
{
    tp_device *device = calloc(1, sizeof *device);

    assert(instance_is_current(self));
    if (device == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    device->instance = self;
    device->interface = wanted->interface;
    device->ops = ops;
    device->handler = handler;
    device->addr = wanted->addr;
    device->section = wanted->section;
    snprintf(device->name, sizeof device->name, "%s:%u", wanted->interface->name,
             wanted->addr.index);
    tpi_halt_prepare_device(device);
    tpi_geometry_prepare(device);
    tpi_geometry_told_prepare(device);
    device->follows = tpi_geometry_is_vehicle(device) || tpi_geometry_is_localizer(device);
    tpi_output_add(device);
    mark_taken(self, &wanted->addr);
    *self->last = device;
    self->last = &device->next;
    if (out != NULL) {
        *out = device;
    }
    return TP_OK;
}

/* Whether `provides` has an interface of the same name with another description. */
static bool names_another(const tp_instance *self, const tp_interface *interface)
{
    for (size_t i = 0; i < tp_provides_count(self); i++) {
        const tp_interface *other = tp_provides_interface(self, i);
        if (other != interface && strcmp(other->name, interface->name) == 0) {
            return true;
        }
    }
    return false;
}

tp_status tp_offer(tp_instance *self, const tp_interface *interface, const char *key,
                   const void *ops, tp_handler *handler, tp_device **out, tp_error *err)
{
    const tpi_wanted *wanted = find_free(self, interface, key);

    if (wanted == NULL && names_another(self, interface)) {
        return tp_fail(err, TP_E_INVALID,
                       "the driver has its own description of %s: remove the interface section",
                       interface->name);
    }
    if (wanted == NULL) {
        return tp_fail(err, TP_E_INVALID, "`provides` has no %s%s%s", interface->name,
                       key == NULL ? "" : " with the key ", key == NULL ? "" : key);
    }
    return add(self, wanted, ops, handler, out, err);
}

tp_status tp_offer_at(tp_instance *self, size_t i, const void *ops, tp_handler *handler,
                      tp_device **out, tp_error *err)
{
    return add(self, &self->blueprint.provides[i], ops, handler, out, err);
}

tp_status tp_offer_more(tp_instance *self, const tp_interface *interface, uint16_t index,
                        const void *ops, tp_handler *handler, tp_device **out, tp_error *err)
{
    const tpi_wanted wanted = {.key = "",
                               .interface = interface,
                               .addr = {.host = TP_PLAYER_HOST,
                                        .robot = self->blueprint.robot,
                                        .interf = interface->code,
                                        .index = index}};

    return add(self, &wanted, ops, handler, out, err);
}

tp_instance *tp_device_instance(const tp_device *device)
{
    return device->instance;
}

const tp_devaddr *tp_device_addr(const tp_device *device)
{
    return &device->addr;
}

const tp_interface *tp_device_interface(const tp_device *device)
{
    return device->interface;
}

void tp_device_set_context(tp_device *device, void *context)
{
    device->context = context;
}

void *tp_device_context(const tp_device *device)
{
    return device->context;
}

const char *tpi_device_label(const tp_device *device)
{
    return tpi_properties_label(device);
}

const char *tpi_device_driver_name(const tp_device *device)
{
    return tpi_instance_driver_name(device->instance);
}

tp_status tpi_offers_prepare(tp_instance *self, tp_error *err)
{
    self->taken = tpi_arena_array(&self->arena, self->blueprint.provide_count + 1, sizeof(bool));
    return self->taken == NULL ? tp_fail(err, TP_E_NOMEM, "out of memory") : TP_OK;
}
