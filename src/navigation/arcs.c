/* arcs.c - arcs among things that stand and things that move; see vfh.h. */
#include <math.h>

#include "navigation/vfh.h"

static const double step_s = 0.1;
static const double delay_s = 0.3;   /* before a command to brake takes effect */
static const double horizon_s = 1.5; /* of an arc that is driven in thought */
static const double watch_s = 3;     /* movers are looked at for so long */
static const double roomy = 0.6;     /* m: more room to movers is no better */

/* Where the robot is after a way along an arc of a curvature. */
static tpi_nav_pose along(double way, double curvature)
{
    const double a = way * curvature;

    if (fabs(curvature) < 1e-6) {
        return (tpi_nav_pose){way, 0, 0};
    }
    return (tpi_nav_pose){sin(a) / curvature, (1 - cos(a)) / curvature, a};
}

/* The distance of a mover to the robot's outline at a pose, or `most` if it is behind the robot as
 * it drives. */
static double apart(const tpi_nav_outline *o, const tpi_nav_pose *pose, const tpi_nav_mover *mover,
                    double time, bool ahead, double most)
{
    const double dx = mover->x + time * mover->vx - pose->x;
    const double dy = mover->y + time * mover->vy - pose->y;
    const double x = cos(pose->a) * dx + sin(pose->a) * dy;
    const double y = cos(pose->a) * dy - sin(pose->a) * dx;
    const double out_x = fmax(fmax(x - o->front, -o->back - x), 0);
    const double out_y = fmax(fabs(y) - o->side, 0);

    const bool matters = ahead ? x > -o->back : x < o->front;

    return matters ? fmin(hypot(out_x, out_y) - mover->radius, most) : most;
}

double tpi_nav_arc_clearance(const tpi_nav_vfh *vfh, double forward, double turn, double seconds,
                             double brake, double most)
{
    const double curvature = fabs(forward) > 1e-6 ? turn / forward : 0;
    const double sign = forward < 0 ? -1 : 1;
    const double stand_s = brake > 0 ? delay_s + fabs(forward) / brake : seconds;
    double least = most;

    for (double time = 0; time <= fmin(seconds, stand_s); time += step_s) {
        const double braking = brake > 0 ? fmax(time - delay_s, 0) : 0;
        const double way = sign * (fabs(forward) * time - brake * braking * braking / 2);
        const tpi_nav_pose pose = along(way, curvature);
        for (size_t i = 0; i < vfh->mover_count; i++) {
            const double now =
                apart(&vfh->settings.outline, &pose, &vfh->movers[i], time, sign > 0, most);
            least = fmin(least, now);
        }
    }
    return fmax(least, 0);
}

/* What is wrong with an arc; the less the better. */
static double cost_of(const tpi_nav_vfh *vfh, double forward, double turn, double angle,
                      double limit)
{
    const double curvature = fabs(forward) > 1e-6 ? turn / forward : 0;
    const tpi_nav_pose end = along(forward * horizon_s, curvature);
    const double reach = fmax(limit * horizon_s, 0.2);
    const double left = hypot(reach * cos(angle) - end.x, reach * sin(angle) - end.y);
    const double off = fabs(tpi_nav_angle(angle - end.a));
    const double room = tpi_nav_arc_clearance(vfh, forward, turn, watch_s, 0, roomy);

    return left / reach + 0.3 * off + 0.8 * (roomy - room) / roomy + 0.05 * fabs(turn - vfh->turn);
}

bool tpi_nav_arc_choose(tpi_nav_vfh *vfh, double angle, double limit, const tpi_nav_point *points,
                        size_t count, double period)
{
    enum { SPEEDS = 3, TURNS = 9 };
    const tpi_nav_vfh_settings *s = &vfh->settings;
    const double fastest =
        fmin(limit, fmax(vfh->speed, 0) + fmax(s->max_acceleration * period, 0.02));
    const double turnrate =
        s->turnrate.still + (s->turnrate.moving - s->turnrate.still) * fmin(fabs(vfh->speed), 1);
    double best = HUGE_VAL;
    double forward = 0;
    double turn = 0;

    for (int i = 1; i <= SPEEDS; i++) {
        for (int k = 0; k < TURNS; k++) {
            const double v = fastest * i / SPEEDS;
            const double w = turnrate * (2.0 * k / (TURNS - 1) - 1);
            const double part = tpi_nav_vfh_allowed(vfh, v, w, points, count);
            const double cost = cost_of(vfh, part * v, part * w, angle, limit);
            if (part * v >= 0.02 && cost < best) {
                best = cost;
                forward = part * v;
                turn = part * w;
            }
        }
    }
    if (best == HUGE_VAL) {
        return false;
    }
    vfh->speed = forward;
    vfh->turn = turn;
    return true;
}
