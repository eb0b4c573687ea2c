/* nd_settings.c - the configurations of `nd` and `snd`, with Player's names; see vfh_driver.h. */
#include <math.h>
#include <stdlib.h>

#include "forward.h"
#include "vfh_driver.h"

enum { SIDE = 81 };

static const double cell = 0.1; /* m */

const tp_param tpi_nd_params[] = {
    {"goal_tol", "m rad", "0.5 0.17453", "so near is at the goal, and its angle"},
    {"max_speed", "m rad", "0.3 0.7854", "highest speed and turnrate, per second"},
    {"min_speed", "m rad", "0.05 0.17453", "slower ones are not commanded"},
    {"avoid_dist", "m", "0.5", "from this distance on it avoids things"},
    {"safety_dist", "m", "0", "distance to keep on all sides"},
    {"rotate_stuck_time", "s", "2", "turning for so long without progress, it gives up"},
    {"translate_stuck_time", "s", "2", "driving for so long without progress, it gives up"},
    {"translate_stuck_dist", "m", "0.25", "so much motion is progress"},
    {"translate_stuck_angle", "rad", "0.34907", "or so much turning"},
    {"wait_on_stall", "1", "0", "1 to wait while the robot reports a stall"},
    {"laser_buffer", "1", "10", "so many scans are remembered"},
    {"sonar_buffer", "1", "10", "the same of a sonar"},
    {"sonar_bad_transducers", "1", "", "sonars that are ignored"},
    {"outline", "m", "", "front, back and side of the robot from its centre; asked if not given"},
    {"timeout", "s", "1", "a sensor or robot that is silent for so long stops it"},
    {NULL, NULL, NULL, NULL},
};

const tp_param tpi_snd_params[] = {
    {"robot_radius", "m", "0.25", "radius of the robot"},
    {"min_gap_width", "m", "", "narrower gaps are not used; twice the radius if not given"},
    {"obstacle_avoid_dist", "m", "",
     "from this distance on it avoids things; four times the radius if not given"},
    {"max_speed", "m", "0.5", "highest speed, per second"},
    {"max_turn_rate", "rad", "1.0472", "highest turnrate, per second"},
    {"goal_position_tol", "m", "", "so near is at the goal; half the radius if not given"},
    {"goal_angle_tol", "rad", "0.5236", "the same of its angle"},
    {"timeout", "s", "1", "a sensor or robot that is silent for so long stops it"},
    {NULL, NULL, NULL, NULL},
};

/* Two numbers that are at least 0 and not huge. */
static tp_status read_pair(tp_instance *self, const char *name, double *a, double *b, tp_error *err)
{
    *a = tp_param_double_at(self, name, 0);
    *b = tp_param_double_at(self, name, 1);
    tp_param_blame(self, name);
    return tp_param_count(self, name) == 2 && *a >= 0 && *b >= 0 && *a + *b < 1e4
               ? TP_OK
               : tp_fail(err, TP_E_RANGE, "%s needs a length and an angle, not below 0", name);
}

static tp_status read_one(tp_instance *self, const char *name, double *out, tp_error *err)
{
    *out = tp_param_double(self, name);
    tp_param_blame(self, name);
    return *out >= 0 && *out < 1e4
               ? TP_OK
               : tp_fail(err, TP_E_RANGE, "%s is not between 0 and 10000", name);
}

static tp_status read_stuck(tp_instance *self, struct vfh_stuck *s, tp_error *err)
{
    tp_status status = read_one(self, "translate_stuck_time", &s->drive_s, err);

    status = status == TP_OK ? read_one(self, "rotate_stuck_time", &s->turn_s, err) : status;
    status = status == TP_OK ? read_one(self, "translate_stuck_dist", &s->way, err) : status;
    status = status == TP_OK ? read_one(self, "translate_stuck_angle", &s->angle, err) : status;
    s->watched = true;
    s->waits = tp_param_double(self, "wait_on_stall") != 0;
    return status;
}

static tp_status ignore_sonars(tp_instance *self, struct beams *beams, tp_error *err)
{
    for (size_t i = 0; i < tp_param_count(self, "sonar_bad_transducers"); i++) {
        const double at = tp_param_double_at(self, "sonar_bad_transducers", i);
        if (!(at >= 0 && at < BEAMS_MOST_ELEMENTS)) {
            tp_param_blame(self, "sonar_bad_transducers");
            return tp_fail(err, TP_E_RANGE, "there is no sonar %g", at);
        }
        beams->ignored[(size_t)at] = true;
    }
    return TP_OK;
}

/* What follows from the rest. */
static void complete(tpi_nav_vfh_settings *s, double avoid)
{
    s->sectors = 72;
    s->view = (SIDE / 2.0 - 1) * cell;
    s->safety.moving = s->safety.still;
    s->turnrate.moving = s->turnrate.still;
    s->lookahead = (tpi_nav_pair){fmin(avoid + 0.5, s->view), fmin(avoid + 1.5, s->view)};
    s->speed_narrow = s->speed_wide = s->max_speed;
    s->max_acceleration = fmax(s->max_speed, 0.05);
    s->radius_factor = 1;
    s->weight_goal = 5;
    s->weight_current = 3;
}

static tp_status make_room(struct vfh *v, double memory_s, tp_error *err)
{
    v->most_points = (size_t)SIDE * SIDE;
    v->points = calloc(v->most_points, sizeof *v->points);
    return v->points == NULL ? tp_fail(err, TP_E_NOMEM, "out of memory")
                             : tpi_nav_window_init(&v->window, SIDE, cell, memory_s, err);
}

static tp_status read_motion(tp_instance *self, tpi_nav_vfh_settings *s, tp_error *err)
{
    double least = 0;
    double avoid = 0;
    tp_status status = read_pair(self, "goal_tol", &s->distance_epsilon, &s->angle_epsilon, err);

    status = status == TP_OK ? read_pair(self, "max_speed", &s->max_speed, &s->turnrate.still, err)
                             : status;
    status = status == TP_OK ? read_pair(self, "min_speed", &least, &s->min_turnrate, err) : status;
    status = status == TP_OK ? read_one(self, "avoid_dist", &avoid, err) : status;
    status = status == TP_OK ? read_one(self, "safety_dist", &s->safety.still, err) : status;
    complete(s, avoid);
    return status;
}

tp_status tpi_nd_settings(tp_instance *self, struct vfh *v, tp_error *err)
{
    const double scans =
        fmax(tp_param_double(self, "laser_buffer"), tp_param_double(self, "sonar_buffer"));
    tp_status status = read_motion(self, &v->method.settings, err);

    status = status == TP_OK ? read_stuck(self, &v->stuck, err) : status;
    status = status == TP_OK ? ignore_sonars(self, &v->beams, err) : status;
    status = status == TP_OK ? tpi_vfh_outline(self, v, err) : status;
    status = status == TP_OK ? tpi_forward_seconds(self, "timeout", &v->timeout_ns, err) : status;
    return status == TP_OK ? make_room(v, fmin(fmax(scans * 0.5, 1), 60), err) : status;
}

/* ---- snd ------------------------------------------------------------------------------------- */

/* A length that follows from the radius if it is not given. */
static tp_status read_length(tp_instance *self, const char *name, double fallback, double *out,
                             tp_error *err)
{
    *out = fallback;
    return tp_param_count(self, name) == 0 ? TP_OK : read_one(self, name, out, err);
}

tp_status tpi_snd_settings(tp_instance *self, struct vfh *v, tp_error *err)
{
    tpi_nav_vfh_settings *s = &v->method.settings;
    double radius = 0, gap = 0, avoid = 0;
    tp_status status = read_one(self, "robot_radius", &radius, err);

    if (status == TP_OK && !(radius > 0)) {
        return tp_fail(err, TP_E_RANGE, "robot_radius is not above 0");
    }
    status = status == TP_OK ? read_length(self, "min_gap_width", 2 * radius, &gap, err) : status;
    status = status == TP_OK ? read_length(self, "obstacle_avoid_dist", 4 * radius, &avoid, err)
                             : status;
    status = status == TP_OK
                 ? read_length(self, "goal_position_tol", radius / 2, &s->distance_epsilon, err)
                 : status;
    status = status == TP_OK ? read_one(self, "goal_angle_tol", &s->angle_epsilon, err) : status;
    status = status == TP_OK ? read_one(self, "max_speed", &s->max_speed, err) : status;
    status = status == TP_OK ? read_one(self, "max_turn_rate", &s->turnrate.still, err) : status;
    status = status == TP_OK ? tpi_forward_seconds(self, "timeout", &v->timeout_ns, err) : status;
    s->outline = (tpi_nav_outline){radius, radius, radius};
    v->sized = true;
    s->safety.still = fmax(gap / 2 - radius, 0);
    complete(s, avoid);
    return status == TP_OK ? make_room(v, 5, err) : status;
}
