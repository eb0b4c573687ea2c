/* walls.c - see walls.h. */
#include "sim/ray/walls.h"

#include "sim/inside.h"

uint32_t tpi_sim_segment_count(const tpi_sim *sim)
{
    return sim->walls.count;
}

void tpi_sim_get_segment(const tpi_sim *sim, uint32_t index, tpi_sim_segment *segment)
{
    const struct sim_wall *wall = &sim->walls.items[index];

    *segment = (tpi_sim_segment){
        .x0 = wall->x0,
        .y0 = wall->y0,
        .x1 = wall->x1,
        .y1 = wall->y1,
        .z0 = wall->z0,
        .z1 = wall->z1,
        .model = sim->trees.model[wall->tree] + wall->member,
        .obstacle = (wall->flags & SIM_OBSTACLE) != 0,
        .visible = (wall->flags & SIM_VISIBLE) != 0,
    };
}
