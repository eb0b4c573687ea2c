/* way_test.c - ways of a rectangular robot, against the plain way: moving it step by step. */
#include "way.h"

#include <math.h>

#include "support/random.h"
#include "support/unit.h"

static const way_outline box = {.front = 0.4, .back = 0.2, .side = 0.25};

static void assert_way(const way_motion *motion, double x, double y, double way)
{
    const double got = tpi_inhibit_way_to_point(&box, motion, (way_point){x, y});

    if (!(got == way || fabs(got - way) < 1e-9)) {
        fail_msg("the way to %g %g is %.12f, not %.12f", x, y, got, way);
    }
}

static void forward_counts_what_is_ahead(void **state)
{
    const way_motion forward = {.forward = 0.5};

    (void)state;
    assert_way(&forward, 1, 0, 0.6);
    assert_way(&forward, 1, 0.25, 0.6);
    assert_way(&forward, 1, 0.26, HUGE_VAL);
    assert_way(&forward, -1, 0, HUGE_VAL);
    assert_way(&forward, 0, 0.3, HUGE_VAL);
}

static void backward_and_sideways_count_what_is_there(void **state)
{
    const way_motion backward = {.forward = -2};
    const way_motion left = {.sideways = 1};
    const way_motion slanted = {.forward = 3, .sideways = 4};

    (void)state;
    assert_way(&backward, -1, 0.1, 0.8);
    assert_way(&backward, 1, 0.1, HUGE_VAL);
    assert_way(&left, 0.3, 1, 0.75);
    assert_way(&left, 0.5, 1, HUGE_VAL);
    assert_way(&slanted, 0.4 + 3, 0.25 + 4, 5); /* at the corner */
    assert_way(&slanted, 0.55, 0, 0.25);
    assert_way(&slanted, 0.6, 0, HUGE_VAL); /* it passes the corner */
}

static void standing_still_touches_nothing(void **state)
{
    (void)state;
    assert_way(&(way_motion){0}, 0.1, 0, HUGE_VAL);
}

static void turning_on_the_spot_needs_its_circle(void **state)
{
    const way_motion turn = {.turn = -1};
    const double circle = hypot(0.4, 0.25);

    (void)state;
    assert_true(tpi_inhibit_way_circle(&box) == circle);
    assert_way(&turn, 0, circle - 0.001, 0);
    assert_way(&turn, 0, circle + 0.001, HUGE_VAL);
    assert_way(&turn, -0.3, 0, 0);
}

static void what_is_inside_stops_only_the_way_towards_it(void **state)
{
    const way_motion forward = {.forward = 1};
    const way_motion backward = {.forward = -1};
    const way_motion left = {.sideways = 1};
    const way_motion curve = {.forward = 1, .turn = 0.5};

    (void)state;
    assert_way(&forward, 0.39, 0.1, 0);
    assert_way(&backward, 0.39, 0.1, HUGE_VAL);
    assert_way(&left, 0.39, 0.1, HUGE_VAL);
    assert_way(&backward, -0.19, 0, 0);
    assert_way(&forward, 0.1, 0.249, HUGE_VAL); /* along a wall */
    assert_way(&curve, 0.1, 0.249, 0);          /* into it */
    assert_way(&curve, 0.1, -0.249, HUGE_VAL);  /* away from it */
    assert_way(&left, 0.1, 0.249, 0);
}

/* About a place one to the left: what is ahead on the circle through the front is met there. */
static void an_arc_meets_what_lies_on_it(void **state)
{
    const way_motion left = {.forward = 1, .turn = 1};
    const double half = 1.5707963267948966;

    (void)state;
    /* The point (1, 1) is a quarter of a turn away from (0, 0), at a radius of 1. It is met by the
     * front at x = 0.4. */
    assert_way(&left, 1, 1, half - asin(0.4));
    assert_way(&left, 1.5, 0, HUGE_VAL); /* straight ahead, outside of the circle of any corner */
    assert_way(&left, 0, 1, HUGE_VAL);   /* its centre */
    const way_motion back = {.forward = -1, .turn = -1};
    assert_way(&back, -1, 1, half - asin(0.2));
}

static void a_very_wide_arc_is_straight(void **state)
{
    const way_motion nearly = {.forward = 1, .turn = 1e-7};

    (void)state;
    assert_way(&nearly, 1, 0.1, 0.6);
}

/* ---- The plain way --------------------------------------------------------------------------- */

static double between(random_source *source, double low, double high)
{
    return low + (high - low) * (double)(random_bits(source) >> 11) / 9007199254740992.0;
}

/* The robot goes on in steps until the point is inside. */
static double stepped(const way_outline *o, const way_motion *m, way_point p, double step)
{
    const double radius = hypot(p.x + m->sideways / m->turn, p.y - m->forward / m->turn);
    double x = 0;
    double y = 0;
    double a = 0;

    for (int i = 0; fabs(a) < 6.28; i++) {
        const double px = cos(a) * (p.x - x) + sin(a) * (p.y - y);
        const double py = cos(a) * (p.y - y) - sin(a) * (p.x - x);
        if (px >= -o->back && px <= o->front && fabs(py) <= o->side) {
            return fabs(m->turn) * step * i * radius;
        }
        const double b = a + m->turn * step; /* along the arc */
        x += m->forward / m->turn * (sin(b) - sin(a)) + m->sideways / m->turn * (cos(b) - cos(a));
        y += m->sideways / m->turn * (sin(b) - sin(a)) - m->forward / m->turn * (cos(b) - cos(a));
        a = b;
    }
    return HUGE_VAL;
}

static void arcs_are_as_small_steps_say(void **state)
{
    random_source source = {1};
    int met = 0;

    (void)state;
    for (int i = 0; i < 1200; i++) {
        const way_outline outline = {between(&source, 0.1, 1), between(&source, 0.1, 1),
                                     between(&source, 0.1, 1)};
        const way_motion motion = {between(&source, -1, 1), between(&source, -0.5, 0.5),
                                   between(&source, -2, 2)};
        const way_point p = {between(&source, -3, 3), between(&source, -3, 3)};
        if (fabs(motion.turn) < 0.05 ||
            (p.x > -outline.back && p.x < outline.front && fabs(p.y) < outline.side)) {
            continue;
        }
        const double step = 0.001;
        const double plain = stepped(&outline, &motion, p, step);
        const double way = tpi_inhibit_way_to_point(&outline, &motion, p);
        const double tolerance = 10 * step;         /* the fastest corner in one step */
        if (plain == HUGE_VAL && way != HUGE_VAL) { /* a corner that is only brushed */
            const double shrunk = tpi_inhibit_way_to_point(
                &(way_outline){outline.front - 0.003, outline.back - 0.003, outline.side - 0.003},
                &motion, p);
            assert_true(shrunk == HUGE_VAL);
        } else if (plain != HUGE_VAL && !(plain - way >= -1e-9 && plain - way < tolerance)) {
            fail_msg("%.6f is not %.6f", way, plain);
        }
        met += plain != HUGE_VAL;
    }
    assert_true(met > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forward_counts_what_is_ahead),
        cmocka_unit_test(backward_and_sideways_count_what_is_there),
        cmocka_unit_test(standing_still_touches_nothing),
        cmocka_unit_test(turning_on_the_spot_needs_its_circle),
        cmocka_unit_test(what_is_inside_stops_only_the_way_towards_it),
        cmocka_unit_test(an_arc_meets_what_lies_on_it),
        cmocka_unit_test(a_very_wide_arc_is_straight),
        cmocka_unit_test(arcs_are_as_small_steps_say),
    };

    return cmocka_run_group_tests_name("way_test", tests, NULL, NULL);
}
