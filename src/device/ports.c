/* ports.c - driver instances as owners of ports; see port/owner.h. */
#include <stddef.h>

#include "device/inside.h"

static tp_instance *instance_of(const tpi_port_owner *owner)
{
    return (tp_instance *)((char *)(uintptr_t)owner - offsetof(tp_instance, lines));
}

/* Nothing is written behind the stop bytes of the guards either. What stops something is always
 * written. */
static const char *refuses(const tpi_port_owner *owner)
{
    tp_instance *self = instance_of(owner);

    if (atomic_load(&owner->setup->guards.crashed) || !tpi_stop_may_write(&self->safety)) {
        return "nothing is written in a panic";
    }
    return self->safety.halts || tpi_call_may_write(self) ? NULL
                                                          : "the command is older than its lease";
}

static void note(tpi_port_owner *owner, const char *text)
{
    const tp_instance *self = instance_of(owner);

    if (!self->hub->closing && self->hub->failed != NULL) {
        self->hub->failed(self->hub->failed_context, self, text);
    }
}

static void stopped(tpi_port_owner *owner)
{
    tpi_stop_returned(&instance_of(owner)->safety);
}

void tpi_instance_prepare_ports(tp_instance *self)
{
    static const tpi_port_owner_ops ops = {.refuses = refuses, .note = note, .stopped = stopped};
    tpi_port_owner *lines = &self->lines;

    lines->ops = &ops;
    lines->setup = &self->hub->lines;
    lines->loop = self->hub->loop;
    lines->name = self->name;
    lines->guard = self->blueprint.guard;
    lines->guard_length = self->blueprint.guard_length;
}

tp_status tp_port_open(tp_port **out, tp_instance *self, const char *url,
                       const tp_port_settings *settings, int64_t deadline_ns, tp_error *err)
{
    if (tpi_instance_stays_on_loop(self)) {
        return tp_fail(err, TP_E_UNSUPPORTED,
                       "open %s: a driver that runs on the loop has no ports", url);
    }
    return tpi_port_open(out, &self->lines, url, settings, deadline_ns, err);
}
