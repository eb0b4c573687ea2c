/*
 * brakes.c - robots that have to stand and still roll, since their acceleration has bounds.
 *
 * Until they stand, their devices owe their stops (tp_device_halting). Every step is followed by a
 * look at the robots that roll. A robot that a client or a controller moves again owes no stop any
 * more. In a panic the world as a whole owes its stop as well, for what is no device.
 *
 * While time stands still, or clients ask for the steps, nothing moves by itself, and no stop is
 * waited for: the client that asks for a stop may be the one that has to ask for the steps.
 */
#include "simulator.h"

static bool time_goes(const simd *s)
{
    return !s->lockstep && !s->pace.paused;
}

static bool is_braking(const simd_device *d)
{
    return d->model != TPI_SIM_NONE && tpi_sim_is_braking(d->owner->world, d->model);
}

static bool any_is_braking(const simd *s)
{
    const uint32_t count = tpi_sim_model_count(s->world);
    tpi_sim_model model = 0;

    while (model < count && !tpi_sim_is_braking(s->world, model)) {
        model++;
    }
    return model < count;
}

void tpi_simd_brakes_watch(simd_device *d)
{
    if (!d->rolls && time_goes(d->owner) && is_braking(d)) {
        d->rolls = true;
        d->owner->brakes.owed++;
        tp_device_halting(d->device);
    }
}

/* Whichever device owes it, the instance does. */
void tpi_simd_brakes_watch_all(simd *s)
{
    if (!s->brakes.all && s->device_count > 0 && time_goes(s) && any_is_braking(s)) {
        s->brakes.all = true;
        s->brakes.owed++;
        tp_device_halting(s->devices[0]->device);
    }
}

/* Those that stand, or all of them. */
static void settle(simd *s, bool everybody)
{
    for (size_t i = 0; i < s->device_count && s->brakes.owed > 0; i++) {
        simd_device *d = s->devices[i];
        if (d->rolls && (everybody || !is_braking(d))) {
            d->rolls = false;
            s->brakes.owed--;
            tp_device_halted(d->device);
        }
    }
    if (s->brakes.all && (everybody || !any_is_braking(s))) {
        s->brakes.all = false;
        s->brakes.owed--;
        tp_device_halted(s->devices[0]->device);
    }
}

void tpi_simd_brakes_look(simd *s)
{
    if (s->brakes.owed > 0) {
        settle(s, false);
    }
}

void tpi_simd_brakes_time_changed(simd *s)
{
    if (!time_goes(s)) {
        settle(s, true);
    } else {
        s->stands = false; /* in a panic, what rolls on is owed again */
        tpi_simd_check_panic(s);
    }
}

void tpi_simd_brakes_forget(simd *s)
{
    settle(s, true);
}
