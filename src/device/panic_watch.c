/*
 * panic_watch.c - panic as a server sees it: what has not stopped yet, and which clients receive a
 * report.
 *
 * Instances on the loop have nobody else to wake them, so they are served here. Then the owner of
 * the server receives a sentence, and the clients receive the state.
 */
#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "device/inside.h"

/* ---- The state ------------------------------------------------------------------------------- */

/* A driver that hangs in an operation does not stop, whatever it is asked to do. */
static void list_owing(const tpi_hub *hub, char *owing, size_t size)
{
    size_t length = 0;

    owing[0] = '\0';
    for (const tp_instance *at = hub->instances; at != NULL; at = at->next) {
        if (tpi_halt_is_owed(at) && length < size) {
            const bool is_away = tpi_trouble_is_on(at) || tpi_stop_is_lost(&at->safety);
            length += (size_t)snprintf(owing + length, size - length, "%s%s%s%s%s",
                                       length > 0 ? ", " : "", tp_instance_name(at),
                                       is_away ? " (" : "", is_away ? tpi_trouble_cause(at) : "",
                                       is_away ? ": whether it has stopped is not known)" : "");
        }
    }
}

void tpi_panic_watch_look(const tpi_hub *hub, tpi_panic_texts *texts, tp_panic_state *out)
{
    tpi_panic_state *state = &texts->state;

    assert(tp_loop_is_current(hub->loop));
    tpi_panic_look(hub->panic, state);
    *out = (tp_panic_state){.active = state->on, .epoch = state->epoch, .count = state->raises};
    if (state->on) {
        const int64_t now_ns = tp_clock_now_ns(tp_loop_clock(hub->loop));
        out->since = state->since_s;
        out->age = (double)(now_ns - state->since_ns) / (double)TP_NS_PER_S;
    }
    out->who = tpi_text_field(state->who, &out->who_count);
    out->why = tpi_text_field(state->why, &out->why_count);
    out->last_who = tpi_text_field(state->last_who, &out->last_who_count);
    out->last_why = tpi_text_field(state->last_why, &out->last_why_count);
    list_owing(hub, texts->owing, sizeof texts->owing);
    out->owing = tpi_text_field(texts->owing, &out->owing_count);
}

tp_status tp_hub_panic(const tp_hub *hub, tp_panic_state **out)
{
    tpi_panic_texts texts;
    tp_panic_state panic;

    tpi_panic_watch_look(hub, &texts, &panic);
    return tp_value_copy((void **)out, &tp_desc_panic_state, &panic, NULL);
}

/* ---- Reports --------------------------------------------------------------------------------- */

/* The owner is told of a panic that is raised for the second time, the fourth, the eighth ...: of
 * every flood, and never of each one. Several can come at once. */
static bool is_told(unsigned raises, unsigned before)
{
    for (unsigned power = 2; power != 0 && power <= raises; power *= 2) {
        if (power > before) {
            return true;
        }
    }
    return false;
}

/* What happened since the last time, for the server's terminal. */
static void report(tpi_hub *hub, const tpi_panic_state *state)
{
    struct panic_watch *watch = &hub->panic_watch;
    const bool changed = state->epoch != watch->epoch;
    const bool again = state->on && !changed && is_told(state->raises, watch->raises);
    char text[2 * TPI_MOVER_LABEL + TPI_PANIC_REASON + 64];

    if (state->on && changed) {
        (void)snprintf(text, sizeof text, "PANIC: nothing may move; raised by %s: %s", state->who,
                       state->why);
    } else if (again) {
        (void)snprintf(text, sizeof text, "PANIC: raised again by %s: %s; %u times in all",
                       state->last_who, state->last_why, state->raises);
    } else {
        (void)snprintf(text, sizeof text, "the panic is over%s%s",
                       watch->resetter[0] != '\0' ? "; it was reset by " : "", watch->resetter);
    }
    if ((changed || again) && watch->changed != NULL) {
        watch->changed(watch->context, text);
    }
    watch->epoch = state->epoch;
    watch->raises = state->raises;
}

/* On the loop. */
static void panic_changed(tpi_task *task)
{
    tpi_hub *hub = (tpi_hub *)((char *)task - offsetof(tpi_hub, panic_watch.task));
    tpi_panic_texts texts;
    tp_panic_state panic;

    atomic_store(&hub->panic_watch.posted, false);
    for (tp_instance *instance = hub->instances; instance != NULL; instance = instance->next) {
        if (instance->on_loop) {
            tpi_stop_serve(&instance->safety);
            tpi_timed_serve(instance);
        }
    }
    tpi_panic_watch_look(hub, &texts, &panic);
    report(hub, &texts.state);
    if (hub->clients != NULL) {
        hub->clients_ops->panic_changed(hub->clients, &panic);
    }
}

/* From whichever thread raises or resets a panic. */
static void post(void *context)
{
    tpi_hub *hub = context;

    if (!atomic_exchange(&hub->panic_watch.posted, true)) {
        tpi_loop_post(hub->loop, &hub->panic_watch.task);
    }
}

bool tpi_hub_reset_panic(tpi_hub *hub, unsigned epoch, const char *by)
{
    assert(tp_loop_is_current(hub->loop));
    if (!tpi_panic_reset(hub->panic, epoch)) {
        return false;
    }
    (void)snprintf(hub->panic_watch.resetter, sizeof hub->panic_watch.resetter, "%s", by);
    return true;
}

/* ---- Life ------------------------------------------------------------------------------------ */

tp_status tpi_panic_watch_begin(tpi_hub *hub, tp_error *err)
{
    hub->panic_watch.task.run = panic_changed;
    return tpi_panic_create(&hub->panic, tp_loop_clock(hub->loop), post, hub, err);
}

void tpi_hub_watch_panic(tpi_hub *hub, void (*changed)(void *context, const char *text),
                         void *context)
{
    hub->panic_watch.changed = changed;
    hub->panic_watch.context = context;
}
