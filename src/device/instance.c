/* instance.c - driver instances: made and released. Their life in between is in phase.c. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "device/answers.h"
#include "device/inside.h"

/* ---- Init ------------------------------------------------------------------------------------ */

static tp_status check_params(const tp_instance *self, tp_error *err)
{
    const tp_param *param = self->blueprint.driver->params;

    for (; param != NULL && param->name != NULL; param++) {
        if (param->fallback == NULL && !tp_param_given(self, param->name)) {
            return tp_fail(err, TP_E_INVALID, "the parameter \"%s\" is missing: %s", param->name,
                           param->doc);
        }
    }
    return TP_OK;
}

/* What is wrong with a line is reported before it is opened. A line that the driver itself uses is
 * not checked: whether there is such a line is known when it is opened. */
static tp_status check_lines(tp_instance *self, tp_error *err)
{
    const tp_param *param = self->blueprint.driver->params;
    tp_error why;

    for (; param != NULL && param->name != NULL; param++) {
        if (param->unit == NULL || strcmp(param->unit, "line") != 0) {
            continue;
        }
        const char *line = tp_param_string(self, param->name);
        const char *usual = param->fallback == NULL ? "" : param->fallback;
        const tp_status status =
            strcmp(line, usual) == 0 ? TP_OK : tpi_port_check(&self->hub->lines, line, usual, &why);
        if (status != TP_OK) {
            tp_param_blame(self, param->name);
            return tp_fail(err, status, "%s \"%.60s\": %s", param->name, line, why.text);
        }
    }
    return TP_OK;
}

/* Every address in `provides` has to be offered by the driver. */
static tp_status check_provides(const tp_instance *self, tp_error *err)
{
    for (size_t i = 0; i < tp_provides_count(self); i++) {
        if (!self->taken[i]) {
            return tp_fail(err, TP_E_UNSUPPORTED, "the driver %s does not offer %s",
                           self->blueprint.driver->name, tp_provides_interface(self, i)->name);
        }
    }
    return TP_OK;
}

static tp_status run_init(tp_instance *self, tp_error *err)
{
    tp_status status = check_params(self, err);
    if (status != TP_OK) {
        return status;
    }
    self->made = true;
    status = self->blueprint.driver->ops->init(self, err);
    status = status == TP_OK ? check_lines(self, err) : status;
    status = status == TP_OK ? check_provides(self, err) : status;
    return status == TP_OK ? tpi_calls_prepare(self, err) : status;
}

/* ---- What it uses, in its phases ------------------------------------------------------------- */

static void connect(tp_instance *self)
{
    tpi_links_open(self, tpi_phase_connected);
}

static void running(tp_instance *self)
{
    tpi_links_repeat(self);
    tpi_frames_ask(self);
}

static const phase_hooks hooks = {.connect = connect,
                                  .disconnect = tpi_links_close,
                                  .can_connect = tpi_links_are_there,
                                  .running = running};

/* ---- Making and releasing -------------------------------------------------------------------- */

/* What needs neither memory nor the driver. */
static void begin(tp_instance *self, tpi_hub *hub, const tpi_blueprint *blueprint)
{
    self->hub = hub;
    self->blueprint = *blueprint;
    self->on_loop = true; /* until it has a thread */
    self->last = &self->devices;
    tpi_output_init(self);
    tpi_worker_init(self, &tpi_phase_events);
    tpi_halt_prepare(self);
    tpi_instance_prepare_ports(self);
    tpi_phase_init(self, &hooks);
}

static tp_status make(tp_instance *self, tp_error *err)
{
    tp_status status = tpi_naming_choose(self);

    self->state = calloc(1, self->blueprint.driver->state_size + 1);
    status =
        status != TP_OK || self->state == NULL ? tp_fail(err, TP_E_NOMEM, "out of memory") : TP_OK;
    status = status == TP_OK ? tpi_params_prepare(self, err) : status;
    status = status == TP_OK ? tpi_offers_prepare(self, err) : status;
    return status == TP_OK ? run_init(self, err) : status;
}

tp_status tpi_instance_create(tp_instance **out, tpi_hub *hub, const tpi_blueprint *blueprint,
                              tpi_building *building, tp_error *err)
{
    tp_instance *self = calloc(1, sizeof *self);

    if (self == NULL) {
        return tp_fail(err, TP_E_NOMEM, "out of memory");
    }
    begin(self, hub, blueprint);
    self->building = building;
    tpi_owner_take(&self->safety.owner); /* this thread, until the loop has it */
    tp_status status = make(self, err);
    self->building = NULL;
    tpi_owner_drop(&self->safety.owner);
    if (status != TP_OK) {
        tp_wrap(err, status, self->name);
        tpi_instance_destroy(self);
        return status;
    }
    *out = self;
    return TP_OK;
}

tp_status tpi_instance_enrol(tp_instance *self)
{
    tp_status status = tpi_phase_enrol(self);

    assert(hub_is_current(self->hub));
    status = status == TP_OK ? tpi_stop_begin(&self->safety, tpi_instance_stays_on_loop(self), NULL)
                             : status;
    status = status == TP_OK ? tpi_worker_enrol(self) : status;
    if (status != TP_OK) {
        tpi_instance_withdraw(self);
    }
    self->enrolled = status == TP_OK;
    return status;
}

void tpi_instance_withdraw(tp_instance *self)
{
    assert(hub_is_current(self->hub));
    tpi_phase_fini(self);
    tpi_stop_end(&self->safety);
    tpi_timed_fini(self);
    tpi_worker_withdraw(self);
    tpi_output_withdraw(self);
    self->enrolled = false;
}

void tpi_instance_destroy(tp_instance *self)
{
    assert(!self->enrolled);
    tpi_owner_take(&self->safety.owner);
    if (self->made && self->blueprint.driver->ops->fini != NULL) {
        self->blueprint.driver->ops->fini(self);
    }
    tpi_naming_remove(self);
    tpi_ports_close(&self->lines);
    while (self->devices != NULL) {
        tp_device *next = self->devices->next;
        tpi_latch_forget(self->devices);
        free((void *)self->devices->latched);
        tpi_properties_clear(self->devices);
        free(self->devices);
        self->devices = next;
    }
    tpi_links_free(self);
    tpi_worker_destroy(self);
    tpi_calls_fini(self);
    free(self->state);
    tpi_arena_fini(&self->arena);
    free(self);
}
