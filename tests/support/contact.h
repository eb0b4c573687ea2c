/* contact.h - robots that are driven against walls and each other, for tests of src/sim. */
#ifndef TROUPE_TESTS_CONTACT_H
#define TROUPE_TESTS_CONTACT_H

#include "sim/move/contact.h"
#include "support/sim.h"

/* Robots that are fast and agile. */
#define FAST "velocity_bounds [-200 200 -200 200 0 0 -9999 9999] drive \"omni\" "

/* Degrees that worlds are turned by. */
static const double turns[] = {0, 30, 45, 77.7, 180, -123.4};

/* ---- Helpers --------------------------------------------------------------------------------- */

static inline void drive(tpi_sim *sim, const char *name, double x, double y, double a)
{
    const double goal[3] = {x, y, a};
    const tpi_sim_model model = sim_named(sim, name);

    if (!sim_info(sim, name).subscribed) {
        tpi_sim_subscribe(sim, model);
    }
    assert_int_equal(tpi_sim_drive(sim, model, TPI_SIM_DRIVE_VELOCITY, goal, NULL), TP_OK);
}

static inline tpi_sim_pose pose_of(const tpi_sim *sim, const char *name)
{
    return tpi_sim_global_pose(sim, sim_named(sim, name));
}

static inline bool is_stalled(const tpi_sim *sim, const char *name)
{
    tpi_sim_motion motion;

    assert_int_equal(tpi_sim_get_motion(sim, sim_named(sim, name), &motion, NULL), TP_OK);
    return motion.stalled;
}

static inline bool overlaps(const tpi_sim *sim, const char *name)
{
    return (sim->trees.flags[sim->tree_of[sim_named(sim, name)]] & SIM_OVERLAPS) != 0;
}

static inline bool touches(const tpi_sim *sim, const char *name)
{
    return (sim->trees.flags[sim->tree_of[sim_named(sim, name)]] & SIM_TOUCHES) != 0;
}

/* How far it has come since it was at `pose`, along and to the left of a direction. */
static inline void assert_came(const tpi_sim *sim, const char *name, tpi_sim_pose pose,
                               double direction, double along, double aside)
{
    const tpi_sim_pose now = pose_of(sim, name);
    const double dx = now.x - pose.x;
    const double dy = now.y - pose.y;

    sim_assert_near(cos(direction) * dx + sin(direction) * dy, along, 2 * SIM_GAP);
    sim_assert_near(cos(direction) * dy - sin(direction) * dx, aside, 2 * SIM_GAP);
}

static inline void assert_stays(tpi_sim *sim, const char *name, double x, double y, double a)
{
    const tpi_sim_pose before = pose_of(sim, name);

    drive(sim, name, x, y, a);
    sim_steps(sim, 5);
    const tpi_sim_pose after = pose_of(sim, name);
    sim_assert_near(after.x, before.x, SIM_CLOSE);
    sim_assert_near(after.y, before.y, SIM_CLOSE);
    sim_assert_near(sim_normal(after.a - before.a), 0, 1e-4);
    assert_true(is_stalled(sim, name));
}

/* ---- By brute force -------------------------------------------------------------------------- */

/* Whether a segment, seen from the middle of a box, comes into it: another way than crossing edges.
 */
static inline bool comes_into(double x0, double y0, double x1, double y1, double half_x,
                              double half_y)
{
    const double d[2] = {x1 - x0, y1 - y0};
    const double p[2] = {x0, y0};
    const double half[2] = {half_x, half_y};
    double from = 0;
    double to = 1;

    for (int i = 0; i < 2; i++) {
        if (d[i] == 0) {
            if (fabs(p[i]) >= half[i]) {
                return false;
            }
            continue;
        }
        const double a = (-half[i] - p[i]) / d[i];
        const double b = (half[i] - p[i]) / d[i];
        from = fmax(from, fmin(a, b));
        to = fmin(to, fmax(a, b));
    }
    return from < to;
}

/* Whether any wall reaches deeper than `deep` into a robot that is a box. */
static inline bool is_in_walls(const tpi_sim *sim, const char *name, double length, double width,
                               double deep)
{
    const tpi_sim_pose pose = pose_of(sim, name);
    const double c = cos(pose.a);
    const double s = sin(pose.a);
    bool in = false;

    for (uint32_t i = 0; i < sim->walls.count; i++) {
        const struct sim_wall *w = &sim->walls.items[i];
        const double x0 = w->x0 - pose.x;
        const double y0 = w->y0 - pose.y;
        const double x1 = w->x1 - pose.x;
        const double y1 = w->y1 - pose.y;
        in |= comes_into(c * x0 + s * y0, c * y0 - s * x0, c * x1 + s * y1, c * y1 - s * x1,
                         length / 2 - deep, width / 2 - deep);
    }
    return in;
}

/* ---- Worlds ---------------------------------------------------------------------------------- */

/* Two robots that face each other, as far apart as said. */
static inline tpi_sim *make_two(double degrees, double far)
{
    const double a = degrees * SIM_PI / 180;
    char text[400];

    snprintf(text, sizeof text,
             "define bot position ( size [0.4 0.3 0.2] " FAST ")"
             "bot ( name \"a\" pose [5 6 0 %.17g] )"
             "bot ( name \"b\" pose [%.17g %.17g 0 %.17g] )",
             degrees, 5 + far * cos(a), 6 + far * sin(a), degrees + 180);
    return sim_make(text);
}

#endif
