/* instance_info.c - what a driver asks of its instance. From any thread, but for neighbours. */
#include <assert.h>

#include "device/inside.h"
#include "troupe/neighbour.h"

void *tp_instance_state(const tp_instance *self)
{
    return self->state;
}

const tp_driver *tp_instance_driver(const tp_instance *self)
{
    return self->blueprint.driver;
}

const char *tp_instance_name(const tp_instance *self)
{
    return self->name;
}

const char *tp_instance_known_as(const tp_instance *self)
{
    return self->hub->part != NULL ? self->hub->part : self->name;
}

const tp_clock *tp_instance_clock(const tp_instance *self)
{
    return tp_loop_clock(self->hub->loop);
}

tp_loop *tp_instance_loop(const tp_instance *self)
{
    return tpi_instance_stays_on_loop(self) ? self->hub->loop : NULL;
}

const tp_device *tp_instance_neighbour(const tp_instance *self, size_t i)
{
    assert(tp_loop_is_current(self->hub->loop));
    return i < tpi_hub_device_count(self->hub) ? tpi_hub_device_at(self->hub, i) : NULL;
}

const tp_catalogue *tp_instance_catalogue(const tp_instance *self)
{
    return self->hub->catalogue;
}
