/* vfh_test.c - driving among points: a robot in a plane with walls, step by step. */
#include "navigation/vfh.h"

#include <math.h>
#include <string.h>

#include "support/unit.h"

enum { MOST = 4096 };

static const double pi = 3.14159265358979323846;

/* Walls as points, and a robot among them. */
struct plane {
    tpi_nav_point walls[MOST];
    size_t count;
    tpi_nav_pose robot;
    tpi_nav_vfh vfh;
    double time;
    double nearest; /* the least distance of the outline to a wall so far; negative inside */
};

static void wall(struct plane *p, double x0, double y0, double x1, double y1)
{
    const double length = hypot(x1 - x0, y1 - y0);

    for (double way = 0; way <= length && p->count < MOST; way += 0.05) {
        const double share = length > 0 ? way / length : 0;
        p->walls[p->count++] = (tpi_nav_point){x0 + share * (x1 - x0), y0 + share * (y1 - y0)};
    }
}

static void begin(struct plane *p, double x, double y, double a)
{
    memset(p, 0, sizeof *p);
    p->robot = (tpi_nav_pose){x, y, a};
    p->nearest = HUGE_VAL;
    p->vfh.settings = (tpi_nav_vfh_settings){
        .sectors = 72,
        .view = 3,
        .safety = {0.1, 0.1},
        .turnrate = {0.7, 0.7},
        .lookahead = {1, 2},
        .min_turnrate = 0.17,
        .max_speed = 0.4,
        .speed_narrow = 0.4,
        .speed_wide = 0.4,
        .max_acceleration = 0.4,
        .radius_factor = 1,
        .weight_goal = 5,
        .weight_current = 3,
        .distance_epsilon = 0.3,
        .angle_epsilon = 0.17,
        .outline = {0.22, 0.22, 0.2},
    };
    tpi_nav_vfh_begin(&p->vfh);
}

static size_t look(const struct plane *p, tpi_nav_point *out)
{
    const double c = cos(p->robot.a);
    const double s = sin(p->robot.a);

    for (size_t i = 0; i < p->count; i++) {
        const double dx = p->walls[i].x - p->robot.x;
        const double dy = p->walls[i].y - p->robot.y;
        out[i] = (tpi_nav_point){c * dx + s * dy, c * dy - s * dx};
    }
    return p->count;
}

/* Drive a step of 0.1 s, and note how near it comes. */
static void step(struct plane *p, const tpi_nav_pose *goal)
{
    tpi_nav_point seen[MOST];
    const size_t count = look(p, seen);

    for (size_t i = 0; i < count; i++) {
        const double x = fmax(seen[i].x - 0.22, -0.22 - seen[i].x);
        const double y = fabs(seen[i].y) - 0.2;
        p->nearest = fmin(p->nearest, fmax(x, y));
    }
    tpi_nav_vfh_step(&p->vfh, &p->robot, goal, seen, count, 0.1);
    p->robot.a = tpi_nav_angle(p->robot.a + p->vfh.turn * 0.05);
    p->robot.x += p->vfh.speed * cos(p->robot.a) * 0.1;
    p->robot.y += p->vfh.speed * sin(p->robot.a) * 0.1;
    p->robot.a = tpi_nav_angle(p->robot.a + p->vfh.turn * 0.05);
    p->time += 0.1;
}

static bool reaches(struct plane *p, double x, double y, double a, double seconds)
{
    const tpi_nav_pose goal = {x, y, a};

    while (p->time < seconds && p->vfh.state != TPI_NAV_VFH_DONE) {
        step(p, &goal);
    }
    return p->vfh.state == TPI_NAV_VFH_DONE && hypot(p->robot.x - x, p->robot.y - y) <= 0.37 &&
           fabs(tpi_nav_angle(p->robot.a - a)) <= 0.18;
}

static void an_empty_plane_is_crossed_straight(void **state)
{
    struct plane p;

    (void)state;
    begin(&p, 0, 0, 0);
    assert_true(reaches(&p, 4, 0, 0, 15));
    assert_true(fabs(p.robot.y) < 0.05);
    begin(&p, 0, 0, 0);
    assert_true(reaches(&p, -2, 1, pi / 2, 30)); /* behind it, and then turned */
}

static void a_wall_is_passed(void **state)
{
    struct plane p;

    (void)state;
    begin(&p, 0, 0, 0);
    wall(&p, 2, -1, 2, 1);
    assert_true(reaches(&p, 4, 0, 0, 60));
    assert_true(p.nearest > 0.02);
}

static void a_door_is_found(void **state)
{
    struct plane p;

    (void)state;
    begin(&p, 0, 1, 0);
    wall(&p, 2, -5, 2, -0.5);
    wall(&p, 2, 0.5, 2, 5);
    assert_true(reaches(&p, 4, 0, 0, 60));
    assert_true(p.nearest > 0.02);
}

static void a_closed_room_is_not_left_and_nothing_is_touched(void **state)
{
    struct plane p;

    (void)state;
    begin(&p, 0, 0, 0);
    wall(&p, -1, -1, 1, -1);
    wall(&p, 1, -1, 1, 1);
    wall(&p, 1, 1, -1, 1);
    wall(&p, -1, 1, -1, -1);
    assert_false(reaches(&p, 4, 0, 0, 60));
    assert_true(p.nearest > 0);
    assert_true(fabs(p.robot.x) < 1 && fabs(p.robot.y) < 1);
}

static void something_that_appears_stops_it(void **state)
{
    const tpi_nav_pose goal = {5, 0, 0};
    struct plane p;

    (void)state;
    begin(&p, 0, 0, 0);
    while (p.robot.x < 1) {
        step(&p, &goal);
    }
    wall(&p, p.robot.x + 0.5, -3, p.robot.x + 0.5, 3);
    for (int i = 0; i < 100; i++) {
        step(&p, &goal);
    }
    assert_true(p.nearest > 0);
}

static void the_way_of_an_outline_is_exact_within_a_step(void **state)
{
    const tpi_nav_outline o = {0.3, 0.2, 0.2};
    const tpi_nav_point ahead = {1, 0};
    const tpi_nav_point beside = {0, 0.3};
    const tpi_nav_point behind = {-0.25, 0.1};
    const tpi_nav_point inside = {0.29, 0};

    (void)state;
    assert_true(fabs(tpi_nav_outline_way(&o, 0, 0.5, 0, &ahead, 1, 3) - 0.7) < 0.03);
    assert_true(tpi_nav_outline_way(&o, 0, 0.5, 0, &beside, 1, 3) == 3);
    assert_true(tpi_nav_outline_way(&o, 0, -0.5, 0, &behind, 1, 3) < 0.06);
    assert_true(tpi_nav_outline_way(&o, 0, 0, 1, &beside, 1, 3) < 0.5); /* its corner comes */
    assert_true(tpi_nav_outline_way(&o, 0, 0, 0, &ahead, 1, 3) == 3);
    assert_true(tpi_nav_outline_way(&o, 0, 0.5, 0, &inside, 1, 3) < 0.001);
    assert_true(tpi_nav_outline_way(&o, 0, -0.5, 0, &inside, 1, 3) == 3); /* away from it */
}

static void the_window_forgets_what_beams_pass(void **state)
{
    const tpi_nav_pose here = {1, 2, 0};
    const tpi_nav_beam sees = tpi_nav_beam_make(0, 0, 0, 1, true);
    const tpi_nav_beam passes = tpi_nav_beam_make(0, 0, 0, 2.5, false);
    tpi_nav_window window;
    tpi_nav_point out[8];

    (void)state;
    assert_int_equal(tpi_nav_window_init(&window, 61, 0.1, 10, NULL), TP_OK);
    tpi_nav_window_take(&window, &here, &sees, 1, 5);
    assert_int_equal(tpi_nav_window_points(&window, &here, 5, out, 8), 1);
    assert_true(fabs(out[0].x - 1) < 1e-9 && fabs(out[0].y) < 1e-9);
    const tpi_nav_pose turned = {1, 2, pi / 2};
    assert_int_equal(tpi_nav_window_points(&window, &turned, 6, out, 8), 1);
    assert_true(fabs(out[0].x) < 1e-9 && fabs(out[0].y + 1) < 1e-9);
    assert_int_equal(tpi_nav_window_points(&window, &here, 16, out, 8), 0); /* too old */
    tpi_nav_window_take(&window, &here, &passes, 1, 6);
    assert_int_equal(tpi_nav_window_points(&window, &here, 6, out, 8), 0);
    tpi_nav_window_fini(&window);
}

/* Whether a point straight ahead is still known after a scan that goes round from an angle. */
static bool stays(double x, double from, double step, int count, double range)
{
    const tpi_nav_pose here = {-2.95, 7.05, 0}; /* in the middle of a cell */
    const tpi_nav_beam sees = tpi_nav_beam_make(0, 0, 0, x, true);
    tpi_nav_beam round[720];
    tpi_nav_window window;
    tpi_nav_point out[8];

    for (int i = 0; i < count; i++) {
        round[i] = tpi_nav_beam_make(0, 0, from + i * step, range, false);
    }
    assert_int_equal(tpi_nav_window_init(&window, 61, 0.1, 10, NULL), TP_OK);
    tpi_nav_window_take(&window, &here, &sees, 1, 5);
    tpi_nav_window_take(&window, &here, round, (size_t)count, 5.1);
    const size_t known = tpi_nav_window_points(&window, &here, 5.1, out, 8);
    assert_true(known == 0 || fabs(out[0].x - x) < 1e-9);
    tpi_nav_window_fini(&window);
    return known == 1;
}

static void a_beam_forgets_what_it_passes_and_nothing_else(void **state)
{
    const double degree = pi / 180;

    (void)state;
    assert_false(stays(1, 0.049, 1, 1, 2.5)); /* at less than half a cell */
    assert_true(stays(1, 0.051, 1, 1, 2.5));
    assert_false(stays(1, 0, 1, 1, 1.2)); /* it ends well behind the cell, or not */
    assert_true(stays(1, 0, 1, 1, 1.05));
    assert_false(stays(1, -90 * degree, degree, 181, 2.5));
    assert_false(stays(1, 90 * degree, -degree, 181, 2.5)); /* upside down */
    assert_false(stays(1, 30 * degree, degree, 360, 2.5));  /* all around, from another side */
    assert_false(stays(1, 400 * degree, degree, 360, 2.5));
    assert_true(stays(1, 10 * degree, degree, 341, 2.5));    /* ahead is the gap */
    assert_true(stays(1, 170 * degree, degree, 21, 2.5));    /* behind */
    assert_false(stays(0.03, 170 * degree, degree, 2, 2.5)); /* in the sensor */
}

static void points_of_a_window_are_kept_apart(void **state)
{
    const tpi_nav_pose here = {0.05, 0.05, 0};
    tpi_nav_beam sees[100];
    tpi_nav_window window;
    tpi_nav_point out[100];
    double sum = 0;

    (void)state;
    for (int i = 0; i < 100; i++) { /* in cells of their own */
        const double x = 0.1 * (i % 10) + 0.5;
        const double y = 0.1 * (i / 10) - 0.5;
        sees[i] = tpi_nav_beam_make(0, 0, atan2(y, x), hypot(x, y), true);
    }
    assert_int_equal(tpi_nav_window_init(&window, 61, 0.1, 10, NULL), TP_OK);
    for (int i = 0; i < 100; i++) { /* one after the other, so that none is behind another */
        tpi_nav_window_take(&window, &here, &sees[(i * 37) % 100], 1, i < 50 ? 1 : 2);
    }
    const size_t known = tpi_nav_window_points(&window, &here, 2, out, 100);
    for (size_t i = 0; i < known; i++) {
        sum += out[i].x;
    }
    assert_true(known > 20 && sum > 0.5 * (double)known);
    assert_true(tpi_nav_window_points(&window, &here, 11.5, out, 100) < known);
    tpi_nav_window_take(&window, &here, sees, 0, 11.5); /* those of the first second are too old */
    assert_true(tpi_nav_window_points(&window, &here, 11.5, out, 100) < known);
    tpi_nav_window_clear(&window);
    assert_int_equal(tpi_nav_window_points(&window, &here, 2, out, 100), 0);
    tpi_nav_window_take(&window, &here, sees, 1, 2);
    assert_int_equal(tpi_nav_window_points(&window, &here, 2, out, 100), 1);
    tpi_nav_window_fini(&window);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_plane_is_crossed_straight),
        cmocka_unit_test(a_wall_is_passed),
        cmocka_unit_test(a_door_is_found),
        cmocka_unit_test(a_closed_room_is_not_left_and_nothing_is_touched),
        cmocka_unit_test(something_that_appears_stops_it),
        cmocka_unit_test(the_way_of_an_outline_is_exact_within_a_step),
        cmocka_unit_test(the_window_forgets_what_beams_pass),
        cmocka_unit_test(a_beam_forgets_what_it_passes_and_nothing_else),
        cmocka_unit_test(points_of_a_window_are_kept_apart),
    };

    return cmocka_run_group_tests_name("vfh_test", tests, NULL, NULL);
}
