/*
 * bundle.c - a few rays from here and there, such as sixteen sonars.
 *
 * The crowd is asked once for all of them. It receives into which sectors of the circle the rays
 * point, and names only bodies that cover one of these; then each ray of those sectors is compared
 * with the body. At last the rays walk through the grid of walls, unless that says that none is
 * within reach.
 */
#include <math.h>

#include "sim/ray/crowd.h"
#include "sim/ray/group.h"
#include "sim/ray/ray.h"

bool tpi_sim_bundle(const tpi_sim *sim, const struct sim_ranger_group *group,
                    const uint32_t *before, const uint32_t *order, struct sim_walk *walk)
{
    const struct sim_kernel *kernel = tpi_sim_kernel();
    const double free = tpi_sim_room(&sim->walls, walk->frame.x, walk->frame.y);
    struct sim_search search;

    sim_search_init(&search, &sim->crowd, &walk->frame, group, before);
    while (sim_search_next(&search)) {
        kernel->bodies(&sim->crowd, &walk->frame, walk->own, order, &search.found, &walk->rays);
    }
    walk->free = fmax(free - group->offset, 0);
    return free < group->reach;
}
