/*
 * control_follow.c - the controller that follows a dark line on the floor; see control.h.
 *
 * The eyes of the floor sensor that see dark say on which side the line is: turn there, the more
 * the farther, and drive slower in a turn. Where no eye sees it, it was left on the side to which
 * the robot turned last: go on turning.
 */
#include <math.h>

#include "sim/control.h"
#include "sim/sense/sensors.h"

static const double fast_mps = 0.25;
static const double slow_mps = 0.05;
static const double turn_per_m = 60;   /* rad/s for each metre that the line is aside */
static const double most_turn = 2.0;   /* rad/s */
static const double least_dark = 0.15; /* below that it is no line */

/* The floor sensor of a tree; TPI_SIM_NONE if it has none. */
static tpi_sim_model find_eyes(const tpi_sim *sim, uint32_t tree)
{
    const struct sim_template *template = sim->trees.template[tree];

    for (uint32_t i = 0; i < template->device_count; i++) {
        if (template->devices[i].type->kind == TPI_SIM_FLOOR_SENSOR) {
            return sim->trees.model[tree] + template->devices[i].member;
        }
    }
    return TPI_SIM_NONE;
}

/* How far to the left the line is; false where there is none. */
static bool find_line(const tpi_sim *sim, tpi_sim_model eyes, double *aside)
{
    tpi_sim_floor_values values;
    double dark = 0;
    double sum = 0;

    if (tpi_sim_get_floor(sim, eyes, &values, NULL) != TP_OK) {
        return false;
    }
    for (uint32_t i = 0; i < values.count; i++) {
        const double share = 1 - (double)values.items[i].reflectance;
        tpi_sim_pose pose;
        if (share > least_dark && tpi_sim_get_floor_sensor(sim, eyes, i, &pose, NULL) == TP_OK) {
            dark += share;
            sum += share * pose.y;
        }
    }
    *aside = dark > 0 ? sum / dark : 0;
    return dark > 0;
}

void tpi_sim_control_follow(const tpi_sim *sim, uint32_t tree, double goal[3])
{
    const tpi_sim_model eyes = find_eyes(sim, tree);
    double aside = 0;

    if (eyes == TPI_SIM_NONE) {
        return;
    }
    if (find_line(sim, eyes, &aside)) {
        goal[2] = fmin(fmax(turn_per_m * aside, -most_turn), most_turn);
        goal[0] = fast_mps * (1 - fabs(goal[2]) / (1.5 * most_turn));
    } else {
        goal[2] = goal[2] < 0 ? -most_turn / 2 : most_turn / 2;
        goal[0] = slow_mps;
    }
}
