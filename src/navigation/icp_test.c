/*
 * icp_test.c - two scans of a room from two places tell how the scanner has moved.
 */
#include "navigation/icp.h"

#include <math.h>

#include "support/unit.h"

static const tpi_nav_icp_settings usual = {.l = 3,
                                           .window = 0.52,
                                           .radial = 0.3,
                                           .gap = 0.5,
                                           .kept = 0.95,
                                           .least = 0.1,
                                           .done = {1e-4, 1e-4, 1e-4},
                                           .most = 500,
                                           .smooth = 2};

/* How far a wall is in a room of 6 m by 4 m with a pillar, seen from a place in it. */
static double range_at(double x, double y, double angle)
{
    const double c = cos(angle), s = sin(angle);
    double range = 1e9;
    const double walls[4] = {c > 0 ? (3 - x) / c : 1e9, c < 0 ? (-3 - x) / c : 1e9,
                             s > 0 ? (2 - y) / s : 1e9, s < 0 ? (-2 - y) / s : 1e9};
    const double along = (1.5 - x) * c + (0.8 - y) * s, across = (1.5 - x) * s - (0.8 - y) * c;

    for (unsigned i = 0; i < 4; i++) {
        range = fmin(range, walls[i]);
    }
    return fabs(across) < 0.3 && along > 0 ? fmin(range, along - sqrt(0.09 - across * across))
                                           : range;
}

static void scan(tpi_nav_icp_scan *out, const tpi_nav_pose *from)
{
    out->count = 0;
    for (int i = -90; i <= 90; i++) {
        const double angle = i * 3.14159265358979 / 180;
        const double range = range_at(from->x, from->y, from->a + angle);
        out->points[out->count++] = (tpi_nav_point){range * cos(angle), range * sin(angle)};
    }
}

static void motions_are_found_without_odometry(void **state)
{
    static tpi_nav_icp_scan before, now;
    const tpi_nav_pose from = {-1, -0.5, 0.2};
    const tpi_nav_pose ways[] = {{0, 0, 0}, {0.1, 0, 0}, {0.05, 0.03, 0.1}, {-0.1, 0.02, -0.15}};

    (void)state;
    scan(&before, &from);
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        const tpi_nav_pose to = tpi_nav_after(&from, &ways[i]);
        tpi_nav_pose motion = {0};
        scan(&now, &to);
        assert_true(tpi_nav_icp(&before, &now, &usual, &motion));
        if (!(hypot(motion.x - ways[i].x, motion.y - ways[i].y) < 0.01 &&
              fabs(motion.a - ways[i].a) < 0.005)) {
            fail_msg("%zu: %g %g %g", i, motion.x, motion.y, motion.a);
        }
    }
}

static void scans_that_say_nothing_leave_the_guess(void **state)
{
    static tpi_nav_icp_scan before, now;
    tpi_nav_pose motion = {0.3, 0.2, 0.1};

    (void)state;
    before.count = now.count = 0;
    assert_false(tpi_nav_icp(&before, &now, &usual, &motion));
    scan(&before, &(tpi_nav_pose){0});
    assert_false(tpi_nav_icp(&before, &now, &usual, &motion));
    now.count = 5; /* all at one place, far from any wall */
    for (size_t i = 0; i < now.count; i++) {
        now.points[i] = (tpi_nav_point){-50, -50};
    }
    assert_false(tpi_nav_icp(&before, &now, &usual, &motion));
    assert_true(motion.x == 0.3 && motion.y == 0.2 && motion.a == 0.1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(motions_are_found_without_odometry),
        cmocka_unit_test(scans_that_say_nothing_leave_the_guess),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
