/* device.c - devices of trees: their states, views and subscriptions. */
#include "sim/control.h"
#include "sim/inside.h"
#include "sim/maths.h"

void *tpi_sim_state(const tpi_sim *sim, uint32_t tree, uint32_t device)
{
    return sim->state + sim->trees.state[tree] + sim->trees.template[tree] -> devices[device].state;
}

void tpi_sim_view(const tpi_sim *sim, uint32_t tree, uint32_t device, struct sim_view *view)
{
    const struct sim_template *template = sim->trees.template[tree];
    const struct sim_device *d = &template->devices[device];

    view->sim = sim;
    view->device = d;
    view->config = d->config;
    view->state = tpi_sim_state(sim, tree, device);
    view->samples = sim->samples + sim->trees.samples[tree] + d->samples;
    view->values = sim->values + sim->trees.samples[tree] + d->samples;
    view->frame = tpi_sim_member_frame(sim, tree, d->member);
    view->key = sim_mix2(sim->seed ^ sim->trees.key[tree], template->members[d->member].salt);
    view->tree = tree;
    view->group = sim->trees.group[tree];
    view->scratch = &sim->scratch[0];
}

uint32_t tpi_sim_device_of(const tpi_sim *sim, tpi_sim_model model)
{
    return sim_member_of(sim, model)->device;
}

tp_status tpi_sim_find_device(const tpi_sim *sim, tpi_sim_model model, const tpi_sim_type *type,
                              struct sim_view *view, tp_error *err)
{
    const uint32_t device = model < sim->model_count ? tpi_sim_device_of(sim, model) : TPI_SIM_NONE;

    if (device == TPI_SIM_NONE) {
        return tp_fail(err, TP_E_UNSUPPORTED, "the model is no %s", type->name);
    }
    tpi_sim_view(sim, sim->tree_of[model], device, view);
    if (view->device->type != type) {
        return tp_fail(err, TP_E_UNSUPPORTED, "the model is no %s", type->name);
    }
    return TP_OK;
}

const struct sim_traits *tpi_sim_view_traits(const struct sim_view *view)
{
    return &view->sim->trees.template[view->tree] -> members[view->device->member].traits;
}

/* ---- Subscriptions --------------------------------------------------------------------------- */

static void subscribe(tpi_sim *sim, uint32_t tree, uint32_t device)
{
    struct sim_common *state = tpi_sim_state(sim, tree, device);

    state->subscribers++;
    sim->trees.flags[tree] |= SIM_ACTIVE;
}

void tpi_sim_subscribe(tpi_sim *sim, tpi_sim_model model)
{
    const uint32_t device = tpi_sim_device_of(sim, model);

    if (device != TPI_SIM_NONE) {
        subscribe(sim, sim->tree_of[model], device);
    }
}

static bool is_active(const tpi_sim *sim, uint32_t tree)
{
    for (uint32_t i = 0; i < sim->trees.template[tree] -> device_count; i++) {
        const struct sim_common *state = tpi_sim_state(sim, tree, i);
        if (state->subscribers > 0) {
            return true;
        }
    }
    return false;
}

void tpi_sim_unsubscribe(tpi_sim *sim, tpi_sim_model model)
{
    const uint32_t tree = sim->tree_of[model];
    const uint32_t device = tpi_sim_device_of(sim, model);
    struct sim_view view;

    if (device == TPI_SIM_NONE) {
        return;
    }
    tpi_sim_view(sim, tree, device, &view);
    if (view.state->subscribers > 0 && --view.state->subscribers == 0 &&
        view.device->type->stop != NULL) {
        view.device->type->stop(&view);
    }
    if (!is_active(sim, tree)) {
        sim->trees.flags[tree] &= (uint8_t)~SIM_ACTIVE;
    }
}

/* ---- The beginning --------------------------------------------------------------------------- */

static void start_tree(tpi_sim *sim, uint32_t tree)
{
    const struct sim_template *template = sim->trees.template[tree];

    for (uint32_t i = 0; i < template->device_count; i++) {
        const struct sim_device *device = &template->devices[i];
        struct sim_view view;
        tpi_sim_view(sim, tree, i, &view);
        view.state->updated_us = -1;
        if (device->type->start != NULL) {
            device->type->start(&view);
        }
        if (template->members[device->member].traits.always_on ||
            tpi_sim_control_uses(template->control, device->type->kind)) {
            subscribe(sim, tree, i);
        }
    }
}

void tpi_sim_start_devices(tpi_sim *sim)
{
    for (uint32_t i = 0; i < sim->trees.count; i++) {
        start_tree(sim, i);
    }
}

uint32_t tpi_sim_control(const tpi_sim *sim, tpi_sim_model model)
{
    const uint32_t tree = sim->tree_of[model];

    return sim->trees.model[tree] == model ? sim->trees.template[tree] -> foreign : 0;
}

bool tpi_sim_is_controlled(const tpi_sim *sim, tpi_sim_model model)
{
    const struct sim_template *template = sim->trees.template[sim->tree_of[model]];

    return template->control != 0 || template->foreign != 0;
}
