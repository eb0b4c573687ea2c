/* safety.c - what the files of this folder share: the devices of an instance, and which thread is
 * woken. */
#include "safety/safety.h"

#include <assert.h>

#include "base/order.h"

/* ---- Life ------------------------------------------------------------------------------------ */

void tpi_safety_init(tpi_instance_safety *instance, const tpi_safety_ops *ops, tpi_panic *panic,
                     tp_loop *loop)
{
    instance->ops = ops;
    instance->panic = panic;
    instance->loop = loop;
    instance->last = &instance->devices;
    instance->epoch = tpi_panic_epoch(panic);
    atomic_init(&instance->served, instance->epoch);
}

static bool moves(const tp_interface *interface)
{
    for (uint32_t i = 0; i < interface->message_count; i++) {
        if (interface->messages[i].effect == TP_EFFECT_MOVES) {
            return true;
        }
    }
    return false;
}

void tpi_safety_add(tpi_instance_safety *instance, tpi_device_safety *device, const char *name,
                    const tp_interface *interface)
{
    device->instance = instance;
    device->name = name;
    device->moves = moves(interface);
    device->report_due = TPI_NO_REPORT;
    tpi_lease_init(&device->lease);
    instance->moves = instance->moves || device->moves;
    *instance->last = device;
    instance->last = &device->next;
}

tp_effect tpi_safety_effect(const tpi_device_safety *device, const tp_message *what)
{
    return device->actuates && what->effect == TP_EFFECT_WRITES ? TP_EFFECT_ACTUATES : what->effect;
}

bool tpi_safety_is_current(const tpi_instance_safety *instance)
{
    return tpi_owner_exists(&instance->owner) ? tpi_owner_is_current(&instance->owner)
                                              : tp_loop_is_current(instance->loop);
}

void tpi_safety_attach(tpi_instance_safety *instance, const tpi_bell *bell, bool uses_others)
{
    assert(tp_loop_is_current(instance->loop));
    instance->bell = bell;
    instance->seat.bell = bell;
    instance->seat.rank = !instance->moves ? TPI_PANIC_LOOKS
                          : uses_others    ? TPI_PANIC_COMMANDS
                                           : TPI_PANIC_MOVES;
    tpi_panic_join(instance->panic, &instance->seat);
}

void tpi_safety_detach(tpi_instance_safety *instance)
{
    assert(tp_loop_is_current(instance->loop));
    instance->bell = NULL;
    tpi_panic_leave(instance->panic, &instance->seat);
}

/* ---- Deadlines ------------------------------------------------------------------------------- */

int64_t tpi_safety_deadline_ns(const tpi_instance_safety *instance)
{
    int64_t first_ns = TP_NEVER;

    for (const tpi_device_safety *at = instance->devices; at != NULL; at = at->next) {
        const int64_t deadline_ns = at->stop_due ? 0 : tpi_lease_deadline(&at->lease);
        first_ns = tpi_smaller(deadline_ns, first_ns);
    }
    return first_ns;
}

int64_t tpi_safety_silence_ns(const tpi_instance_safety *instance, const tpi_device_safety *next)
{
    int64_t shortest_ns = TP_NEVER;

    for (tpi_device_safety *at = instance->devices; at != NULL; at = at->next) {
        const int64_t silence_ns = atomic_load(&at->silence_ns);
        if (silence_ns > 0 && (at == next || at->in_motion)) {
            shortest_ns = tpi_smaller(silence_ns, shortest_ns);
        }
    }
    return shortest_ns == TP_NEVER ? 0 : shortest_ns;
}

void tpi_safety_arm(tpi_instance_safety *instance)
{
    if (instance->timer != NULL) {
        tp_timer_at(instance->timer, tpi_safety_deadline_ns(instance));
    }
}

void tpi_safety_wake(tpi_instance_safety *instance)
{
    if (instance->timer != NULL) {
        tpi_safety_arm(instance);
    } else if (instance->bell != NULL) {
        tpi_bell_ring(instance->bell);
    }
}

/* ---- Panics ---------------------------------------------------------------------------------- */

unsigned tpi_safety_panics_until(unsigned epoch)
{
    return (epoch + 1) / 2;
}

bool tpi_safety_panicked_since(const tpi_instance_safety *instance, unsigned epoch)
{
    return tpi_safety_panics_until(tpi_panic_epoch(instance->panic)) !=
           tpi_safety_panics_until(epoch);
}
