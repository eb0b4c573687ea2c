/* plan_inside.h - what the files of the planner share. */
#ifndef TROUPE_NAVIGATION_PLAN_INSIDE_H
#define TROUPE_NAVIGATION_PLAN_INSIDE_H

#include "navigation/plan.h"

enum { PLAN_LEAST_COST = 16 };

/* What a cell costs; 0 if it is closed, by the map or by a thing. */
static inline uint32_t tpi_nav_plan_cost(const tpi_nav_plan *plan, uint32_t cell)
{
    return plan->things != NULL && plan->things[cell] > plan->now ? 0 : plan->cost[cell];
}

/* Make waypoints of the path: plan_way.c. */
tp_status tpi_nav_plan_pull(tpi_nav_plan *plan, tpi_nav_point goal, tp_error *err);

#endif
