/* vfh_settings.c - the configuration of `vfh`, with Player's names. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "forward.h"
#include "limits.h"
#include "vfh_driver.h"

const tp_param tpi_vfh_params[] = {
    {"cell_size", "m", "0.1", "side of a cell of what it remembers"},
    {"window_diameter", "1", "61", "so many cells along each side are remembered"},
    {"sector_angle", "1", "5", "degrees of a sector of the histogram"},
    {"safety_dist_0ms", "m", "0.1", "distance to keep while it stands"},
    {"safety_dist_1ms", "m", "", "distance to keep at 1 m/s; as while it stands if not given"},
    {"safety_dist", "m", "", "older name: distance to keep at all speeds"},
    {"max_speed", "m", "0.2", "highest speed, in m/s"},
    {"max_speed_narrow_opening", "m", "", "highest speed in a narrow opening"},
    {"max_speed_wide_opening", "m", "", "highest speed in a wide opening"},
    {"max_acceleration", "m", "0.2", "in m/s^2"},
    {"min_turnrate", "rad", "0.17453", "slower turns on the spot are not commanded; per second"},
    {"max_turnrate_0ms", "rad", "0.69813", "fastest turn while it stands; per second"},
    {"max_turnrate_1ms", "rad", "", "fastest turn at 1 m/s"},
    {"max_turnrate", "rad", "", "older name: fastest turn at all speeds"},
    {"min_turn_radius_safety_factor", "1", "1", "of the smallest circle that it can drive"},
    {"free_space_cutoff_0ms", "1", "2000000",
     "the higher, the nearer things must be to count, while it stands"},
    {"free_space_cutoff_1ms", "1", "", "the same at 1 m/s"},
    {"obs_cutoff_0ms", "1", "", "accepted; not used"},
    {"obs_cutoff_1ms", "1", "", "accepted; not used"},
    {"weight_desired_dir", "1", "5", "how much the direction of the goal counts"},
    {"weight_current_dir", "1", "3", "how much the direction taken before counts"},
    {"distance_epsilon", "m", "0.5", "so near is at the goal"},
    {"angle_epsilon", "rad", "0.17453", "so near is its angle"},
    {"escape_speed", "m", "0", "speed of leaving a place where it is stuck"},
    {"escape_time", "s", "0", "how long that takes"},
    {"escape_max_turnrate", "rad", "0", "turning meanwhile; per second"},
    {"synchronous", "1", "0", "accepted; it never holds up the server"},
    {"method", NULL, "vfh+", "vfh+, or arcs: a window of arcs among things that move"},
    {"outline", "m", "", "front, back and side of the robot from its centre; asked if not given"},
    {"timeout", "s", "1", "a sensor or robot that is silent for so long stops it"},
    {NULL, NULL, NULL, NULL},
};

static const struct limits limits[] = {
    {"cell_size", 0.01, 1},
    {"window_diameter", 11, 501},
    {"sector_angle", 1, 45},
    {"safety_dist_0ms", 0, 10},
    {"safety_dist_1ms", 0, 10},
    {"safety_dist", 0, 10},
    {"max_speed", 0.01, 20},
    {"max_speed_narrow_opening", 0.01, 20},
    {"max_speed_wide_opening", 0.01, 20},
    {"max_acceleration", 0.01, 100},
    {"min_turnrate", 0, 10},
    {"max_turnrate_0ms", 0.01, 20},
    {"max_turnrate_1ms", 0.01, 20},
    {"max_turnrate", 0.01, 20},
    {"min_turn_radius_safety_factor", 0, 100},
    {"free_space_cutoff_0ms", 1, 1e12},
    {"free_space_cutoff_1ms", 1, 1e12},
    {"weight_desired_dir", 0, 1e6},
    {"weight_current_dir", 0, 1e6},
    {"distance_epsilon", 0.01, 100},
    {"angle_epsilon", 0.001, 7},
    {"escape_speed", -20, 20},
    {"escape_time", 0, 1000},
    {"escape_max_turnrate", 0, 20},
};

/* The first of these that is given, otherwise what the second one falls back to. */
static double either(const tp_instance *self, const char *older, const char *name)
{
    return older != NULL && tp_param_given(self, older) ? tp_param_double(self, older)
                                                        : tp_param_double(self, name);
}

static double given_or(const tp_instance *self, const char *name, double otherwise)
{
    return tp_param_given(self, name) ? tp_param_double(self, name) : otherwise;
}

/* In Player, a cell's weight falls with the fourth power of its distance. */
static double ahead(double cutoff, double usual)
{
    return usual * pow(2e6 / cutoff, 0.25);
}

static void read_speeds(const tp_instance *self, tpi_nav_vfh_settings *s)
{
    s->max_speed = tp_param_double(self, "max_speed");
    s->speed_narrow = given_or(self, "max_speed_narrow_opening", s->max_speed);
    s->speed_wide = given_or(self, "max_speed_wide_opening", s->max_speed);
    s->max_acceleration = tp_param_double(self, "max_acceleration");
    s->min_turnrate = tp_param_double(self, "min_turnrate");
    s->turnrate.still = either(self, "max_turnrate", "max_turnrate_0ms");
    s->turnrate.moving = given_or(self, "max_turnrate_1ms", s->turnrate.still);
    s->radius_factor = tp_param_double(self, "min_turn_radius_safety_factor");
}

static void read_distances(const tp_instance *self, tpi_nav_vfh_settings *s, double view)
{
    const double cutoff = tp_param_double(self, "free_space_cutoff_0ms");

    s->view = view;
    s->safety.still = either(self, "safety_dist", "safety_dist_0ms");
    s->safety.moving = given_or(self, "safety_dist_1ms", s->safety.still);
    s->lookahead.still = fmin(ahead(cutoff, 1.0), view);
    s->lookahead.moving = fmin(ahead(given_or(self, "free_space_cutoff_1ms", cutoff), 2.0), view);
    s->weight_goal = tp_param_double(self, "weight_desired_dir");
    s->weight_current = tp_param_double(self, "weight_current_dir");
    s->distance_epsilon = tp_param_double(self, "distance_epsilon");
    s->angle_epsilon = tp_param_double(self, "angle_epsilon");
}

tp_status tpi_vfh_outline(tp_instance *self, struct vfh *v, tp_error *err)
{
    const size_t count = tp_param_count(self, "outline");
    tpi_nav_outline *o = &v->method.settings.outline;

    *o = (tpi_nav_outline){0.25, 0.25, 0.25}; /* until the robot says */
    v->sized = count == 3;
    if (count == 0) {
        return TP_OK;
    }
    *o = (tpi_nav_outline){tp_param_double_at(self, "outline", 0),
                           tp_param_double_at(self, "outline", 1),
                           tp_param_double_at(self, "outline", 2)};
    tp_param_blame(self, "outline");
    return count == 3 && o->front > 0 && o->back > 0 && o->side > 0 &&
                   o->front + o->back + o->side < 1e3
               ? TP_OK
               : tp_fail(err, TP_E_RANGE, "outline needs three lengths above 0: front, back, side");
}

static tp_status read_method(tp_instance *self, tpi_nav_vfh_settings *s, tp_error *err)
{
    const char *method = tp_param_string(self, "method");

    s->arcs = strcmp(method, "arcs") == 0;
    tp_param_blame(self, "method");
    return s->arcs || strcmp(method, "vfh+") == 0
               ? TP_OK
               : tp_fail(err, TP_E_INVALID, "method \"%s\" is neither vfh+ nor arcs", method);
}

tp_status tpi_vfh_settings(tp_instance *self, struct vfh *v, tp_error *err)
{
    tpi_nav_vfh_settings *s = &v->method.settings;
    tp_status status = tpi_limits_check(self, limits, sizeof limits / sizeof limits[0], err);

    status = status == TP_OK ? tpi_vfh_outline(self, v, err) : status;
    status = status == TP_OK ? read_method(self, s, err) : status;
    status = status == TP_OK ? tpi_forward_seconds(self, "timeout", &v->timeout_ns, err) : status;
    if (status != TP_OK) {
        return status;
    }
    const uint32_t side = (uint32_t)tp_param_double(self, "window_diameter");
    const double cell = tp_param_double(self, "cell_size");
    s->sectors = (unsigned)(360 / tp_param_double(self, "sector_angle"));
    read_speeds(self, s);
    read_distances(self, s, (side / 2.0 - 1) * cell);
    v->escape.speed = tp_param_double(self, "escape_speed");
    v->escape.duration = tp_param_double(self, "escape_time");
    v->escape.turnrate = tp_param_double(self, "escape_max_turnrate");
    v->most_points = (size_t)side * side;
    v->points = calloc(v->most_points, sizeof *v->points);
    return v->points == NULL ? tp_fail(err, TP_E_NOMEM, "out of memory")
                             : tpi_nav_window_init(&v->window, side, cell, 10, err);
}
