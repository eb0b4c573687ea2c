/* place.c - free places in a world; see scene.h. */
#include <math.h>

#include "emulate/scene.h"
#include "sim/maths.h"
#include "sim/ray/walls.h"

static const double ring = 0.2, farthest = 20; /* metres between places, and from the middle */

static double distance_to(const tpi_sim_segment *s, double x, double y)
{
    const double ex = s->x1 - s->x0;
    const double ey = s->y1 - s->y0;
    const double length = ex * ex + ey * ey;
    const double along = length > 0 ? ((x - s->x0) * ex + (y - s->y0) * ey) / length : 0;
    const double share = fmin(fmax(along, 0), 1);

    return hypot(x - s->x0 - share * ex, y - s->y0 - share * ey);
}

static bool is_free_of_walls(const tpi_sim *sim, double x, double y, double radius)
{
    for (uint32_t i = 0; i < tpi_sim_segment_count(sim); i++) {
        tpi_sim_segment segment;
        tpi_sim_get_segment(sim, i, &segment);
        if (distance_to(&segment, x, y) <= radius) {
            return false;
        }
    }
    return true;
}

/* Small things count as circles, whether they move or not. */
static bool is_free_of_things(const tpi_sim *sim, double x, double y, double radius)
{
    for (tpi_sim_model i = 0; i < tpi_sim_model_count(sim); i++) {
        tpi_sim_info info;
        tpi_sim_model_info(sim, i, &info);
        const tpi_sim_pose pose = tpi_sim_global_pose(sim, i);
        const double reach = hypot(info.size[0], info.size[1]) / 2;
        if (info.parent == TPI_SIM_NONE && info.obstacle && reach < 1 &&
            hypot(pose.x - x, pose.y - y) <= radius + reach) {
            return false;
        }
    }
    return true;
}

static bool is_free_of_others(const double (*others)[3], size_t count, double x, double y,
                              double radius)
{
    for (size_t i = 0; i < count; i++) {
        if (hypot(others[i][0] - x, others[i][1] - y) <= radius + others[i][2]) {
            return false;
        }
    }
    return true;
}

bool tpi_place_find(const tpi_sim *sim, double radius, const double (*others)[3], size_t count,
                    double *x, double *y)
{
    for (double far = 0; far <= farthest; far += ring) {
        const unsigned places = 1 + (unsigned)(2 * SIM_PI * far / ring);
        for (unsigned i = 0; i < places; i++) {
            double sine;
            double cosine;
            sim_sincos(2 * SIM_PI * i / places, &sine, &cosine);
            *x = far * cosine;
            *y = far * sine;
            if (is_free_of_others(others, count, *x, *y, radius) &&
                is_free_of_things(sim, *x, *y, radius) && is_free_of_walls(sim, *x, *y, radius)) {
                return true;
            }
        }
    }
    return false;
}
