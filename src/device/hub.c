/* hub.c - the hub as a whole: made, begun, destroyed. What is in it: registry.c. */
#include "device/hub.h"

#include <assert.h>
#include <stdlib.h>

#include "device/inside.h"

/* ---- Life ------------------------------------------------------------------------------------ */

tp_status tpi_hub_create(tpi_hub **out, tp_loop *loop, const tp_catalogue *catalogue, tp_error *err)
{
    tpi_hub *hub = calloc(1, sizeof *hub);

    if (hub == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    hub->loop = loop;
    hub->addresses = &hub->tables[0];
    hub->odometry = &hub->tables[1];
    hub->catalogue = catalogue;
    hub->begun_ns = tp_clock_now_ns(tp_loop_clock(loop));
    tp_status status = tpi_naming_init(hub, err);
    status = status == TP_OK ? tpi_panic_watch_begin(hub, err) : status;
    if (status != TP_OK) {
        tpi_naming_fini(hub);
        free(hub);
        return status;
    }
    *out = hub;
    return TP_OK;
}

tpi_panic *tpi_panic_of(const tpi_hub *hub)
{
    return hub->panic;
}

void tpi_hub_set_panic_action(tpi_hub *hub, tp_halt how)
{
    tpi_panic_set_way(hub->panic, how);
}

void tpi_hub_set_lines(tpi_hub *hub, const tp_scheme *const *schemes, const char *folder)
{
    hub->lines.schemes = schemes;
    hub->lines.folder = folder;
}

void tpi_hub_set_guard(tpi_hub *hub, const char *program)
{
    hub->lines.guard_program = program;
}

void tpi_hub_set_part(tpi_hub *hub, bool part_of_another, const char *name)
{
    hub->part_of_another = part_of_another;
    hub->lines.guard_of = part_of_another ? "the driver's process" : NULL;
    hub->part = name;
}

void tpi_hub_crash(tpi_hub *hub)
{
    tpi_guard_crash(&hub->lines.guards);
}

void tpi_hub_set_clients(tpi_hub *hub, const tpi_clients_ops *ops, void *clients)
{
    hub->clients_ops = ops;
    hub->clients = clients;
}

void *tpi_hub_clients(const tpi_hub *hub)
{
    return hub->clients;
}

bool tpi_hub_is_part(const tpi_hub *hub)
{
    return hub->part_of_another;
}

int64_t tpi_hub_begun_ns(const tpi_hub *hub)
{
    return hub->begun_ns;
}

const tp_clock *tp_hub_clock(const tp_hub *hub)
{
    return tp_loop_clock(hub->loop);
}

const tp_catalogue *tp_hub_catalogue(const tp_hub *hub)
{
    return hub->catalogue;
}

tp_loop *tpi_hub_loop(const tpi_hub *hub)
{
    return hub->loop;
}

const tp_catalogue *tpi_hub_catalogue(const tpi_hub *hub)
{
    return hub->catalogue;
}

void tpi_instance_begin(tp_instance *instance)
{
    assert(hub_is_current(instance->hub));
    if (instance->blueprint.always_on && instance_phase(instance) == IDLE && instance->added) {
        tpi_phase_start(instance);
    }
}

void tpi_hub_begin(tpi_hub *hub,
                   void (*failed)(void *context, const tp_instance *instance, const char *why),
                   void *context)
{
    tp_instance *at = hub->instances;

    assert(hub_is_current(hub));
    hub->failed = failed;
    hub->failed_context = context;
    while (at != NULL && at->next != NULL) {
        at = at->next;
    }
    for (; at != NULL; at = at->previous) { /* oldest first: later ones may require them */
        tpi_instance_begin(at);
    }
}

/* Answers may wait for instances that ask each other; each makes at most a few more. */
static void work_off(tpi_hub *hub)
{
    bool again = true;

    while (again) {
        again = false;
        for (tp_instance *at = hub->instances; at != NULL; at = at->next) {
            again = again || tpi_jobs_are_posted(at);
            tpi_worker_run_jobs(at);
        }
    }
}

static void stop_instances(tpi_hub *hub)
{
    for (tp_instance *instance = hub->leaving ? NULL : hub->instances; instance != NULL;
         instance = instance->next) {
        tpi_links_close(instance);
        const phase before = tpi_phase_leave(instance);
        if (before == RUNNING || before == STARTING) {
            tpi_worker_stop(instance);
        }
    }
    hub->leaving = true;
}

static void note_busy(const tpi_hub *hub, const tp_instance *instance)
{
    tp_error note = {0};

    (void)tp_fail(&note, TP_E_TIMEOUT, "%s does not end: its driver is busy", instance->name);
    tpi_hub_note(hub, note.text);
}

/* Those that others require are told to quit after them. */
static bool join_workers(const tpi_hub *hub, int64_t patience_ns)
{
    const int64_t least_ns = 100 * TP_NS_PER_MS; /* for those behind one that does not end */
    const int64_t end_ns =
        patience_ns == TP_NEVER ? TP_NEVER : tp_clock_now_ns(tp_clock_real()) + patience_ns;
    bool all = true;

    for (tp_instance *instance = hub->instances; instance != NULL; instance = instance->next) {
        const int64_t soon_ns = tp_clock_now_ns(tp_clock_real()) + least_ns;
        if (!tpi_worker_join_by(instance, end_ns > soon_ns ? end_ns : soon_ns)) {
            note_busy(hub, instance);
            all = false;
        }
    }
    return all;
}

bool tpi_hub_stop(tpi_hub *hub, int64_t patience_ns)
{
    if (hub == NULL || hub->closing) {
        return true;
    }
    stop_instances(hub);
    if (!join_workers(hub, patience_ns)) {
        return false;
    }
    hub->closing = true; /* nothing starts any more, nobody sends */
    tpi_remove_wait(hub);
    do { /* what they posted last */
        tp_loop_turn(hub->loop, false);
    } while (tpi_loop_has_tasks(hub->loop));
    work_off(hub);
    while (hub->instances != NULL) {
        tp_instance *next = hub->instances->next;
        tpi_remove_finish(hub->instances);
        hub->instances = next;
    }
    return true;
}

void tpi_hub_destroy(tpi_hub *hub)
{
    if (hub == NULL) {
        return;
    }
    (void)tpi_hub_stop(hub, TP_NEVER);
    tpi_panic_destroy(hub->panic);
    if (hub->clients != NULL) {
        hub->clients_ops->destroy(hub->clients);
    }
    tpi_naming_fini(hub);
    tpi_device_index_fini(hub->addresses);
    tpi_device_index_fini(hub->odometry);
    free((void *)hub->devices);
    free(hub);
}
