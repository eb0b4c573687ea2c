/* sense.c - what the sensors share; see sense.h. */
#include "sim/sense/sense.h"

#include <stdio.h>

#include "sim/maths.h"

/* ---- Devices --------------------------------------------------------------------------------- */

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
    return &view->sim->trees.plan[view->tree]->members[view->device->member].traits;
}

/* ---- Beacons --------------------------------------------------------------------------------- */

/* What a model is for sensors; SIM_BEACONS for nothing. */
static int beacon_of(const tpi_sim *sim, uint32_t tree, const struct sim_member *member)
{
    switch (member->type->kind) {
    case TPI_SIM_LIGHT:
        return SIM_LIGHTS;
    case TPI_SIM_SOUND:
        return SIM_SOUNDS;
    case TPI_SIM_WIFI:
        return SIM_STATIONS;
    case TPI_SIM_FLOOR:
        return SIM_FLOORS;
    default:
        return (sim->trees.flags[tree] & SIM_MOVING) == 0 &&
                       (member->traits.fiducial_return != 0 ||
                        member->type->kind == TPI_SIM_FIDUCIAL)
                   ? SIM_MARKERS
                   : SIM_BEACONS;
    }
}

/* Count the beacons, and enter them where there is room for them already. */
static void enter_beacons(tpi_sim *sim)
{
    for (int i = 0; i < SIM_BEACONS; i++) {
        sim->beacons[i].count = 0;
    }
    for (uint32_t i = 0; i < sim->trees.count; i++) {
        const struct sim_plan *plan = sim->trees.plan[i];
        for (uint32_t k = 0; k < plan->member_count; k++) {
            const struct sim_member *member = &plan->members[k];
            const int kind = beacon_of(sim, i, member);
            if ((plan->flags & SIM_MARKED) != 0) {
                sim->widest_marker =
                    fmax(sim->widest_marker, hypot(member->place.x, member->place.y));
            }
            if (kind < SIM_BEACONS) {
                struct sim_beacons *beacons = &sim->beacons[kind];
                if (beacons->models != NULL) {
                    beacons->models[beacons->count] = sim->trees.model[i] + k;
                }
                beacons->count++;
            }
        }
    }
}

tp_status tpi_sim_list_beacons(tpi_sim *sim, tp_error *err)
{
    enter_beacons(sim);
    for (int i = 0; i < SIM_BEACONS; i++) {
        struct sim_beacons *beacons = &sim->beacons[i];
        beacons->models = tpi_sim_take(sim, beacons->count, sizeof beacons->models[0]);
        if (beacons->models == NULL) {
            return tp_fail(err, TP_E_NOMEM, "out of memory");
        }
    }
    enter_beacons(sim);
    return TP_OK;
}

/* ---- Properties ------------------------------------------------------------------------------ */

tp_status tpi_sim_read_within(struct sim_reader *reader, tpi_cfg_section *section, const char *name,
                              char unit, double least, double most, double *value)
{
    tp_status status = tpi_sim_read_number(reader, section, name, unit, value);

    if (status == TP_OK && !(*value >= least && *value <= most)) {
        const double worth = unit == 'A' ? reader->radian : unit == 'L' ? reader->metre : 1;
        return tpi_cfg_fail(&tpi_cfg_find(section, name)->place, reader->err,
                            "\"%s\" is from %.6g to %.6g, not %.6g", name, least / worth,
                            most / worth, *value / worth);
    }
    return status;
}

const char *tpi_sim_indexed(tpi_cfg_section *section, const char *name, uint32_t index,
                            char out[32])
{
    snprintf(out, 32, "%s[%u]", name, index);
    return tpi_cfg_find(section, out) != NULL ? out : name;
}

/* ---- Chance ---------------------------------------------------------------------------------- */

double tpi_sim_noise(const struct sim_view *view, double deviation, uint32_t purpose)
{
    if (deviation == 0) {
        return 0;
    }
    return deviation *
           sim_gauss(sim_chance(view->key, (uint64_t)view->sim->time_us, (uint64_t)purpose));
}

double tpi_sim_bias(const struct sim_view *view, double most, uint32_t purpose)
{
    return most * sim_both_ways(sim_chance(view->key, UINT64_MAX, (uint64_t)purpose));
}
