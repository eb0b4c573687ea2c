/* hub.c - the hub as a whole: made, begun, destroyed; panic. What is in it: registry.c. */
#include "device/hub.h"
#include "device/inside.h"
#include "safety/moving.h"

#include <stddef.h>
#include <stdlib.h>

/* ---- Panic ----------------------------------------------------------------------------------- */

/* On the loop: instances that run here have nobody else to wake them. */
static void panic_changed(tpi_task *task)
{
    tpi_hub *hub = (tpi_hub *)((char *)task - offsetof(tpi_hub, panic_task));

    atomic_store(&hub->panic_told, false);
    for (tp_instance *instance = hub->instances; instance != NULL; instance = instance->next) {
        if (instance->on_loop) {
            tpi_motion_serve(instance);
            tpi_timed_serve(instance);
        }
    }
    tpi_emergency_tell_all(hub);
}

/* From whichever thread raises or resets a panic. */
static void tell_loop(void *context)
{
    tpi_hub *hub = context;

    if (!atomic_exchange(&hub->panic_told, true)) {
        tpi_loop_post(hub->loop, &hub->panic_task);
    }
}

/* ---- Life ------------------------------------------------------------------------------------ */

tp_status tpi_hub_create(tpi_hub **out, tp_loop *loop, const tp_catalogue *catalogue, tp_error *err)
{
    tpi_hub *hub = calloc(1, sizeof *hub);

    if (hub == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    hub->loop = loop;
    hub->addresses = &hub->tables[0];
    hub->names = &hub->tables[1];
    hub->odometry = &hub->tables[2];
    hub->catalogue = catalogue;
    hub->begun_ns = tp_clock_now_ns(tp_loop_clock(loop));
    hub->panic_task.run = panic_changed;
    tpi_rights_init(hub);
    tp_status status = tpi_panic_create(&hub->panic, tp_loop_clock(loop), tell_loop, hub, err);
    if (status != TP_OK) {
        free(hub);
        return status;
    }
    *out = hub;
    return TP_OK;
}

tpi_panic *tpi_hub_panic(const tpi_hub *hub)
{
    return hub->panic;
}

void tpi_hub_watch_panic(tpi_hub *hub, void (*changed)(void *context, const char *text),
                         void *context)
{
    hub->panic_changed = changed;
    hub->panic_context = context;
}

void tpi_hub_set_panic_action(tpi_hub *hub, tp_halt how)
{
    hub->panic_action = how;
}

void tpi_hub_set_lines(tpi_hub *hub, const tp_scheme *const *schemes, const char *folder)
{
    hub->schemes = schemes;
    hub->folder = folder;
}

void tpi_hub_set_guard(tpi_hub *hub, const char *program)
{
    hub->guard_program = program;
}

void tpi_hub_set_part(tpi_hub *hub, bool part_of_another, const char *name)
{
    hub->part_of_another = part_of_another;
    hub->part = name;
}

void tpi_hub_crash(tpi_hub *hub)
{
    tpi_guard_crash(&hub->guards);
}

tp_loop *tpi_hub_loop(const tpi_hub *hub)
{
    return hub->loop;
}

const tp_catalogue *tpi_hub_catalogue(const tpi_hub *hub)
{
    return hub->catalogue;
}

/* Oldest first, since later ones may require earlier ones. */
static void begin(tp_instance *instance)
{
    if (instance == NULL) {
        return;
    }
    begin(instance->next);
    if (instance->plan.always_on && instance->phase == IDLE && instance->added) {
        tpi_instance_start(instance);
    }
}

void tpi_hub_begin(tpi_hub *hub,
                   void (*failed)(void *context, const tp_instance *instance, const char *why),
                   void *context)
{
    hub->failed = failed;
    hub->failed_context = context;
    begin(hub->instances);
}

/* Answers may wait for instances that ask each other; each makes at most a few more. */
static void work_off(tpi_hub *hub)
{
    bool again = true;

    while (again) {
        again = false;
        for (tp_instance *at = hub->instances; at != NULL; at = at->next) {
            again = again || atomic_load(&at->inbox.posted) != NULL;
            tpi_worker_run_jobs(at);
        }
    }
}

void tpi_hub_destroy(tpi_hub *hub)
{
    if (hub == NULL) {
        return;
    }
    for (tp_instance *instance = hub->instances; instance != NULL; instance = instance->next) {
        tpi_links_close(instance);
        tp_timer_cancel(instance->timer);
        if (instance->phase == RUNNING || instance->phase == STARTING) {
            instance->phase = STOPPING;
            tpi_instance_submit(instance, &instance->stop_job);
        }
    }
    for (tp_instance *instance = hub->instances; instance != NULL; instance = instance->next) {
        tpi_worker_join(instance);
    }
    hub->closing = true;            /* nothing starts any more, nobody sends */
    tp_loop_turn(hub->loop, false); /* what they posted last */
    work_off(hub);
    while (hub->instances != NULL) {
        tp_instance *next = hub->instances->next;
        tpi_remove_finish(hub->instances);
        hub->instances = next;
    }
    tpi_panic_destroy(hub->panic);
    tpi_rights_fini(hub);
    tpi_naming_fini(hub);
    tpi_device_index_fini(hub->addresses);
    tpi_device_index_fini(hub->names);
    tpi_device_index_fini(hub->odometry);
    free((void *)hub->devices);
    free(hub);
}
