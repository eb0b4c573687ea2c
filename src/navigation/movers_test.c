/* movers_test.c - who moves around a robot, and that the robot stands before they come. */
#include "navigation/vfh.h"

#include <math.h>
#include <string.h>

#include "support/unit.h"

enum { BEAMS = 181 };

static const double pi = 3.14159265358979323846;

/* A round thing. */
struct disc {
    double x, y, radius;
};

/* A scan from a pose: what is farther than 6 m is a wall all around. */
static void scan(const tpi_nav_pose *pose, const struct disc *discs, size_t count,
                 tpi_nav_beam *beams)
{
    for (int i = 0; i < BEAMS; i++) {
        const double angle = (i - BEAMS / 2) * pi / (BEAMS - 1);
        const double dx = cos(pose->a + angle);
        const double dy = sin(pose->a + angle);
        double range = 6;
        for (size_t k = 0; k < count; k++) {
            const double x = discs[k].x - pose->x;
            const double y = discs[k].y - pose->y;
            const double along = x * dx + y * dy;
            const double off = fabs(x * dy - y * dx);
            if (along > 0 && off < discs[k].radius) {
                const double near = along - sqrt(discs[k].radius * discs[k].radius - off * off);
                range = fmin(range, near);
            }
        }
        beams[i] = tpi_nav_beam_make(0, 0, angle, range, true);
    }
}

static void somebody_who_walks_is_followed_and_a_pillar_is_not(void **state)
{
    tpi_nav_movers movers;
    tpi_nav_mover out[TPI_NAV_MOST_MOVERS];
    tpi_nav_beam beams[BEAMS];
    tpi_nav_pose pose = {0, 0, 0};

    (void)state;
    tpi_nav_movers_clear(&movers);
    for (int i = 0; i < 20; i++) {
        const struct disc discs[] = {{3, -1.5 + 0.05 * i, 0.2}, {2, 1.5, 0.15}};
        pose = (tpi_nav_pose){0.03 * i, 0, 0.01 * i}; /* the robot moves, too */
        scan(&pose, discs, 2, beams);
        tpi_nav_movers_take(&movers, &pose, beams, BEAMS, 0.1 * i);
    }
    assert_int_equal(tpi_nav_movers_around(&movers, &pose, 1.9, out), 1);
    /* Back in the frame of the odometry: 0.5 m/s along y. */
    const double vx = cos(pose.a) * out[0].vx - sin(pose.a) * out[0].vy;
    const double vy = sin(pose.a) * out[0].vx + cos(pose.a) * out[0].vy;
    assert_true(fabs(vx) < 0.1 && fabs(vy - 0.5) < 0.1);
    assert_int_equal(tpi_nav_movers_around(&movers, &pose, 5, out), 0); /* not seen for long */
}

static void somebody_who_stops_may_walk_on(void **state)
{
    const tpi_nav_pose pose = {0, 0, 0};
    tpi_nav_movers movers;
    tpi_nav_mover out[TPI_NAV_MOST_MOVERS];
    tpi_nav_beam beams[BEAMS];

    (void)state;
    tpi_nav_movers_clear(&movers);
    for (int i = 0; i < 100; i++) { /* walks for two seconds, then stands */
        const struct disc disc = {2, -0.8 + 0.04 * fmin(i, 20), 0.2};
        scan(&pose, &disc, 1, beams);
        tpi_nav_movers_take(&movers, &pose, beams, BEAMS, 0.1 * i);
        const size_t count = tpi_nav_movers_around(&movers, &pose, 0.1 * i, out);
        if (i == 30) {
            assert_int_equal(count, 1);
            assert_true(hypot(out[0].vx, out[0].vy) < 0.1);
            assert_true(out[0].pace > 0.2 && out[0].pace < 0.5);
        }
    }
    assert_int_equal(tpi_nav_movers_around(&movers, &pose, 9.9, out), 0); /* it is a thing now */
}

static void somebody_who_creeps_may_walk_on(void **state)
{
    const tpi_nav_pose pose = {0, 0, 0};
    tpi_nav_movers movers;
    tpi_nav_mover out[TPI_NAV_MOST_MOVERS];
    tpi_nav_beam beams[BEAMS];

    (void)state;
    tpi_nav_movers_clear(&movers);
    for (int i = 0; i < 80; i++) { /* walks for two seconds, then goes on at 6 cm/s */
        const struct disc disc = {1.2, -0.8 + 0.04 * fmin(i, 20) + 0.006 * fmax(i - 20, 0), 0.2};
        scan(&pose, &disc, 1, beams);
        tpi_nav_movers_take(&movers, &pose, beams, BEAMS, 0.1 * i);
    }
    assert_int_equal(tpi_nav_movers_around(&movers, &pose, 7.9, out), 1);
    assert_true(out[0].pace >= 0.2); /* it may be as fast as somebody who begins to walk */
}

/* Somebody comes from behind and walks past; after so many scans in which a part is seen. */
static size_t overtaken_by(double pace, double turn, int scans, tpi_nav_mover *out)
{
    tpi_nav_movers movers;
    tpi_nav_beam beams[BEAMS];
    tpi_nav_pose pose = {0, 0, 0};
    int seen = 0;

    tpi_nav_movers_clear(&movers);
    for (int i = 0; i < 200; i++) {
        const struct disc disc = {-0.4 + 0.1 * pace * i, -0.7, 0.25};
        scan(&pose, &disc, 1, beams);
        tpi_nav_movers_take(&movers, &pose, beams, BEAMS, 0.1 * i);
        seen += beams[1].range < 2;
        if (seen == scans) {
            return tpi_nav_movers_around(&movers, &pose, 0.1 * i, out);
        }
        pose.a += 0.1 * turn;
    }
    fail_msg("it was not seen in %d scans", scans);
    return 0;
}

static void somebody_at_the_edge_of_the_view_is_followed(void **state)
{
    tpi_nav_mover out[TPI_NAV_MOST_MOVERS];

    (void)state;
    assert_int_equal(overtaken_by(0.5, 0, 8, out), 1);
    assert_true(out[0].vx > 0.3 && out[0].vx < 0.7 && fabs(out[0].vy) < 0.2);
    for (int scans = 1; scans < 9; scans++) { /* what only comes into view does not walk */
        assert_int_equal(overtaken_by(0, -0.7, scans, out), 0);
    }
}

static tpi_nav_vfh robot(void)
{
    return (tpi_nav_vfh){.settings = {.sectors = 72,
                                      .view = 3,
                                      .safety = {0.1, 0.1},
                                      .turnrate = {0.7, 0.7},
                                      .lookahead = {1, 2},
                                      .min_turnrate = 0.17,
                                      .max_speed = 0.5,
                                      .speed_narrow = 0.5,
                                      .speed_wide = 0.5,
                                      .max_acceleration = 0.5,
                                      .radius_factor = 1,
                                      .weight_goal = 5,
                                      .weight_current = 3,
                                      .distance_epsilon = 0.3,
                                      .angle_epsilon = 0.2,
                                      .outline = {0.25, 0.25, 0.25}}};
}

static void it_stands_before_somebody_comes_to_it(void **state)
{
    tpi_nav_vfh vfh = robot();

    (void)state;
    assert_true(tpi_nav_vfh_allowed(&vfh, 0.5, 0, NULL, 0) == 1);
    vfh.mover_count = 1;
    vfh.movers[0] = (tpi_nav_mover){.x = 1.2, .vx = -0.6, .radius = 0.3};
    const double part = tpi_nav_vfh_allowed(&vfh, 0.5, 0, NULL, 0);
    assert_true(part < 0.5); /* a thing that stands there would allow all of it */
    vfh.movers[0] = (tpi_nav_mover){.x = 0.7, .vx = -0.6, .radius = 0.3};
    assert_true(tpi_nav_vfh_allowed(&vfh, 0.5, 0, NULL, 0) == 0);
    assert_true(tpi_nav_vfh_allowed(&vfh, -0.1, 0, NULL, 0) == 1); /* backwards is away from it */
    assert_true(tpi_nav_vfh_allowed(&vfh, 0, 0.5, NULL, 0) == 0);  /* its corners would touch it */
    vfh.movers[0] = (tpi_nav_mover){.x = 1.2, .vx = 0.8, .radius = 0.3}; /* goes ahead */
    assert_true(tpi_nav_vfh_allowed(&vfh, 0.5, 0, NULL, 0) == 1);
}

static void it_is_slow_beside_somebody_who_may_turn(void **state)
{
    const tpi_nav_mover near = {.x = 0.1, .y = 0.75, .radius = 0.3, .pace = 0.4};
    tpi_nav_vfh vfh = robot();

    (void)state;
    vfh.mover_count = 1;
    vfh.movers[0] = near; /* 0.2 m from its flank, half a second away */
    const double part = tpi_nav_vfh_allowed(&vfh, 0.5, 0, NULL, 0);
    assert_true(part > 0.2 && part < 0.4);
    assert_true(tpi_nav_vfh_allowed(&vfh, -0.5, 0, NULL, 0) < 0.4);
    vfh.movers[0].x = -0.4; /* behind */
    assert_true(tpi_nav_vfh_allowed(&vfh, 0.5, 0, NULL, 0) == 1);
    vfh.movers[0] = near;
    vfh.movers[0].y = 1.6;
    assert_true(tpi_nav_vfh_allowed(&vfh, 0.5, 0, NULL, 0) == 1);
}

static void it_does_not_go_back_blindly_while_somebody_walks(void **state)
{
    const tpi_nav_pose here = {0, 0, 0}, goal = {4, 0, 0};
    const tpi_nav_point corner[] = {{0.275, 0.2}, {0.275, -0.2}};
    tpi_nav_vfh vfh = robot();

    (void)state;
    tpi_nav_vfh_begin(&vfh);
    tpi_nav_vfh_step(&vfh, &here, &goal, corner, 2, 0.1);
    assert_true(vfh.speed < -0.05); /* it is too narrow for turning */
    tpi_nav_vfh_begin(&vfh);
    vfh.speed = vfh.turn = 0;
    vfh.mover_count = 1;
    vfh.movers[0] = (tpi_nav_mover){.x = 1.5, .y = 1, .vy = -0.4, .radius = 0.3, .pace = 0.4};
    tpi_nav_vfh_step(&vfh, &here, &goal, corner, 2, 0.1);
    assert_true(vfh.speed == 0 && vfh.turn == 0);
}

/* Drive towards a goal while somebody crosses the way; the least room between them while the robot
 * moves towards them. */
static double cross(bool arcs, double *left)
{
    tpi_nav_vfh vfh = robot();
    tpi_nav_movers movers;
    tpi_nav_beam beams[BEAMS];
    tpi_nav_point points[BEAMS];
    tpi_nav_pose pose = {0, 0, 0};
    const tpi_nav_pose goal = {4, 0, 0};
    double least = HUGE_VAL;

    vfh.settings.arcs = arcs;
    tpi_nav_movers_clear(&movers);
    tpi_nav_vfh_begin(&vfh);
    for (int i = 0; i < 400 && vfh.state != TPI_NAV_VFH_DONE; i++) {
        const struct disc disc = {1.8, -2 + 0.05 * i, 0.2};
        scan(&pose, &disc, 1, beams);
        size_t count = 0;
        for (int k = 0; k < BEAMS; k++) {
            points[count++] =
                (tpi_nav_point){beams[k].range * beams[k].dx, beams[k].range * beams[k].dy};
        }
        tpi_nav_movers_take(&movers, &pose, beams, BEAMS, 0.1 * i);
        vfh.mover_count = tpi_nav_movers_around(&movers, &pose, 0.1 * i, vfh.movers);
        tpi_nav_vfh_step(&vfh, &pose, &goal, points, count, 0.1);
        const tpi_nav_pose by = {0.1 * vfh.speed, 0, 0.1 * vfh.turn};
        pose = tpi_nav_after(&pose, &by);
        const double ahead = cos(pose.a) * (disc.x - pose.x) + sin(pose.a) * (disc.y - pose.y);
        const double aside = cos(pose.a) * (disc.y - pose.y) - sin(pose.a) * (disc.x - pose.x);
        if (vfh.speed * ahead > 1e-3) {
            const double away = hypot(fmax(fabs(ahead) - 0.25, 0), fmax(fabs(aside) - 0.25, 0));
            least = fmin(least, away - disc.radius);
        }
    }
    *left = hypot(goal.x - pose.x, goal.y - pose.y);
    return least;
}

static void both_methods_let_somebody_pass_and_arrive(void **state)
{
    double left = 0;

    (void)state;
    for (int arcs = 0; arcs < 2; arcs++) {
        assert_true(cross(arcs != 0, &left) > 0.1);
        assert_true(left < 0.35);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(somebody_who_walks_is_followed_and_a_pillar_is_not),
        cmocka_unit_test(somebody_who_stops_may_walk_on),
        cmocka_unit_test(somebody_who_creeps_may_walk_on),
        cmocka_unit_test(somebody_at_the_edge_of_the_view_is_followed),
        cmocka_unit_test(it_stands_before_somebody_comes_to_it),
        cmocka_unit_test(it_is_slow_beside_somebody_who_may_turn),
        cmocka_unit_test(it_does_not_go_back_blindly_while_somebody_walks),
        cmocka_unit_test(both_methods_let_somebody_pass_and_arrive),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
