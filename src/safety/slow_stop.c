/*
 * slow_stop.c - stops that take their time.
 *
 * A driver whose work somebody else does (another device, a process, a server) has only asked it to
 * stop when its `halt` returns. Until the other has confirmed, the device owes its stop: panics and
 * statistics show it, requests to halt are answered after it, and readers receive the reason after
 * it.
 */
#include "safety/safety.h"

void tpi_slow_stop_begin(tpi_device_safety *device)
{
    atomic_fetch_add(&device->slow_stops, 1);
}

bool tpi_slow_stop_end(tpi_device_safety *device)
{
    const int why = device->report_due;

    /* 0: it was stopped as a whole meanwhile */
    if (atomic_load(&device->slow_stops) == 0 || atomic_fetch_sub(&device->slow_stops, 1) > 1) {
        return false;
    }
    device->report_due = TPI_NO_REPORT;
    if (why != TPI_NO_REPORT) {
        device->instance->ops->report(device, &device->report_of, (tpi_leaving)why);
    }
    return true;
}

bool tpi_slow_stop_is_open(const tpi_device_safety *device)
{
    return atomic_load(&device->slow_stops) > 0;
}

void tpi_slow_stop_clear(tpi_device_safety *device)
{
    atomic_store(&device->slow_stops, 0);
    device->report_due = TPI_NO_REPORT;
}

void tpi_slow_stop_report(tpi_device_safety *device, tpi_leaving why)
{
    if (tpi_slow_stop_is_open(device)) {
        device->report_due = (int)why;
        device->report_of = device->doer; /* another one may move it before that */
    } else {
        device->instance->ops->report(device, &device->doer, why);
    }
}
