/* judge.c - whether a movement is allowed, and how fast. */
#include <math.h>
#include <stdio.h>

#include "inhibit.h"

static const double facing = 0.05; /* rad: a heading that is reached */

static bool is_silent(const struct inhibit *h, const struct sensor *sensor, int64_t now_ns)
{
    return now_ns - sensor->heard_ns >= h->timeout_ns;
}

/* Without the eyes of every sensor nothing moves. */
static bool is_blind(const struct inhibit *h, int64_t now_ns, char *why, size_t size)
{
    if (!h->sized) {
        snprintf(why, size, "the size of the robot is not known: give front, back and side");
        return true;
    }
    for (size_t i = 0; i < h->sensor_count; i++) {
        const struct sensor *sensor = &h->sensors[i];
        if (is_silent(h, sensor, now_ns)) {
            snprintf(why, size, "the %s has sent nothing for %g s", sensor->name,
                     (double)h->timeout_ns / (double)TP_NS_PER_S);
            return true;
        }
        if (sensor->trouble != NULL) {
            snprintf(why, size, "the %s %s", sensor->name, sensor->trouble);
            return true;
        }
    }
    return false;
}

bool tpi_inhibit_judge_is_early(const struct inhibit *h, int64_t now_ns)
{
    bool all = h->sized;

    for (size_t i = 0; i < h->sensor_count; i++) {
        all = all && h->sensors[i].heard_ns >= h->begun_ns;
    }
    return !all && now_ns - h->begun_ns < h->timeout_ns;
}

/* The shortest way to anything, and the sensor that sees it. */
static double shortest(const struct inhibit *h, const way_motion *motion, const struct sensor **who)
{
    double least = HUGE_VAL;

    for (size_t i = 0; i < h->sensor_count; i++) {
        const struct sensor *sensor = &h->sensors[i];
        for (uint32_t k = 0; k < sensor->point_count; k++) {
            const double way = tpi_inhibit_way_to_point(&h->outline, motion, sensor->points[k]);
            *who = way < least ? sensor : *who;
            least = fmin(least, way);
        }
    }
    return least;
}

static double judge_motion(const struct inhibit *h, const way_motion *motion, char *why,
                           size_t size)
{
    const struct sensor *who = NULL;
    const double way = shortest(h, motion, &who);
    const bool on_the_spot = motion->forward == 0 && motion->sideways == 0;

    if (way > h->stop_m) {
        return fmin(1, (way - h->stop_m) / (h->slow_m - h->stop_m));
    }
    if (on_the_spot) {
        snprintf(why, size, "the %s sees something where the robot would turn", who->name);
    } else {
        snprintf(why, size, "the %s sees something after %.2f m, stop_distance is %.2f m",
                 who->name, way, h->stop_m);
    }
    return 0;
}

/* A robot that takes a heading turns first, nobody knows how. */
static bool has_to_turn(const struct inhibit *h, const movement *what)
{
    return what->code == TP_POSITION2D_CMD_VEL_HEAD &&
           !(h->heading_known &&
             fabs(remainder(what->head.angle - h->heading, 6.283185307179586)) < facing);
}

double tpi_inhibit_judge(const struct inhibit *h, const movement *what, int64_t now_ns, char *why,
                         size_t size)
{
    const way_motion *motion = &what->motion;
    const way_motion turn = {.turn = 1};
    const bool turns = has_to_turn(h, what);

    why[0] = '\0';
    if (motion->forward == 0 && motion->sideways == 0 && motion->turn == 0 && !turns) {
        return 1;
    }
    if (is_blind(h, now_ns, why, size)) {
        return 0;
    }
    const double factor = judge_motion(h, motion, why, size);
    return turns && factor > 0 ? fmin(factor, judge_motion(h, &turn, why, size)) : factor;
}

int64_t tpi_inhibit_judge_until(const struct inhibit *h)
{
    int64_t first = TP_NEVER;

    for (size_t i = 0; i < h->sensor_count; i++) {
        const int64_t end = h->sensors[i].heard_ns + h->timeout_ns;
        first = end < first ? end : first;
    }
    return first;
}
