/* sense.c - what the sensors share; see sense.h. */
#include "sim/sense/sense.h"

#include "sim/maths.h"

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
    case TPI_SIM_AIRCRAFT:
        return SIM_FLYERS;
    case TPI_SIM_EFFECTOR:
        return SIM_LIMBS;
    case TPI_SIM_RFID_TAG:
        return SIM_TAGS;
    case TPI_SIM_MOTE:
        return SIM_MOTES;
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
        const struct sim_template *template = sim->trees.template[i];
        for (uint32_t k = 0; k < template->member_count; k++) {
            const struct sim_member *member = &template->members[k];
            const int kind = beacon_of(sim, i, member);
            if ((template->flags & SIM_MARKED) != 0) {
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
