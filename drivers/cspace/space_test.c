/* space_test.c - free space against the plain way: every point for every direction. */
#include "space.h"

#include <math.h>
#include <string.h>

#include "support/memory.h"
#include "support/random.h"
#include "support/unit.h"

enum { MOST = 2000 };

static const double degree = 0.017453292519943295;
static const double far_m = 100;

static double between(random_source *source, double low, double high)
{
    return low + (high - low) * (double)(random_bits(source) >> 11) / 9007199254740992.0;
}

/* ---- The plain way --------------------------------------------------------------------------- */

/* How far a circle goes before it touches the point. */
static double circle_way(double radius, space_point p, double angle)
{
    const double along = p.x * cos(angle) + p.y * sin(angle);
    const double across = p.y * cos(angle) - p.x * sin(angle);
    const double distance = hypot(p.x, p.y);

    if (distance <= radius) {
        return along > 0 ? 0 : far_m;
    }
    if (along <= 0 || fabs(across) >= radius) {
        return far_m;
    }
    return along - sqrt(radius * radius - across * across);
}

/* Where the point, seen from the robot, crosses an edge from outside. */
static double edge_way(space_point a, space_point b, space_point p, space_point u)
{
    const double ex = b.x - a.x;
    const double ey = b.y - a.y;
    const double bottom = ex * u.y - ey * u.x; /* p - t u = a + s e */
    const double t = (ex * (p.y - a.y) - ey * (p.x - a.x)) / bottom;
    const double s = (u.x * (p.y - a.y) - u.y * (p.x - a.x)) / -bottom;

    return bottom != 0 && s >= 0 && s <= 1 && t >= 0 ? t : far_m;
}

static double polygon_way(const space_point *corners, size_t count, space_point p, double angle)
{
    const space_point u = {cos(angle), sin(angle)};
    double way = far_m;

    for (size_t i = 0; i < count; i++) {
        way = fmin(way, edge_way(corners[i], corners[(i + 1) % count], p, u));
    }
    return way;
}

static double plain_way(const space_outline *outline, const space_point *points, uint32_t count,
                        double angle)
{
    double way = far_m;

    for (uint32_t i = 0; i < count; i++) {
        way = fmin(way, outline->radius > 0 ? circle_way(outline->radius, points[i], angle)
                                            : polygon_way(outline->corners, outline->corner_count,
                                                          points[i], angle));
    }
    return way;
}

/* Close to a tangent one of the two may see a point that the other does not see: then one of the
 * neighbouring angles, a hair away, agrees. */
static void assert_same(const space_outline *outline, const space_point *points, uint32_t count,
                        double angle, double way)
{
    const double hair = 1e-9;
    double least = 1e9;

    for (int i = -1; i <= 1; i++) {
        const double plain = plain_way(outline, points, count, angle + i * hair);
        least = fmin(least, fabs(plain - way));
    }
    if (!(least < 1e-6)) {
        fail_msg("at %.12f: %.9f is not %.9f", angle, way,
                 plain_way(outline, points, count, angle));
    }
}

static void check(space *s, const space_outline *outline, const space_point *points, uint32_t count,
                  const space_fan *fan)
{
    static double ways[MOST];

    assert_true(tpi_cspace_space_clear(s, outline, points, count, fan, far_m, ways));
    for (uint32_t i = 0; i < fan->count; i++) {
        assert_same(outline, points, count, fan->first + fan->step * i, ways[i]);
    }
}

/* ---- Scenes ---------------------------------------------------------------------------------- */

static space_fan random_fan(random_source *source)
{
    const uint32_t count = 1 + (uint32_t)(random_bits(source) % 400);
    const double span = between(source, 0.01, 360 * degree);

    return (space_fan){
        .first = between(source, -400, 400) * degree, .step = span / count, .count = count};
}

/* Here and there, or as a laser sees walls: neighbours close to each other. */
static uint32_t random_points(random_source *source, space_point *points, double nearest)
{
    const uint32_t count = (uint32_t)(random_bits(source) % 300);
    const bool walls = random_bits(source) % 2 == 0;
    double range = 3;

    for (uint32_t i = 0; i < count; i++) {
        const double angle = walls ? i * 360 * degree / count : between(source, -4, 4);
        if (!walls || random_bits(source) % 20 == 0) {
            range = nearest + exp(between(source, -5, 3));
        }
        const double at = walls ? range / cos(fmod(angle, 0.4)) : range;
        points[i] = (space_point){at * cos(angle), at * sin(angle)};
    }
    return count;
}

static void circles_are_as_the_plain_way_says(void **state)
{
    random_source source = {1};
    space s = {0};
    static space_point points[MOST];

    (void)state;
    for (int round = 0; round < 150; round++) {
        const space_outline outline = {.radius = between(&source, 0.01, 2)};
        const space_fan fan = random_fan(&source);
        const double nearest = round % 4 == 0 ? 0 : outline.radius;
        const uint32_t count = random_points(&source, points, nearest);
        check(&s, &outline, points, count, &fan);
    }
    tpi_cspace_space_fini(&s);
}

/* Corners on an ellipse, turned and shifted a little, are convex. */
static void random_outline(random_source *source, space_outline *out)
{
    const size_t count = 3 + random_bits(source) % 9;
    const double length = between(source, 0.2, 2);
    const double width = between(source, 0.2, 2);
    const double turn = between(source, -3, 3);
    space_point corners[12];
    tp_error err = {0};

    for (size_t i = 0; i < count; i++) {
        const double at = ((double)i + between(source, 0, 0.5)) * 360 * degree / (double)count;
        const double x = length * cos(at);
        const double y = width * sin(at);
        corners[i] = (space_point){x * cos(turn) - y * sin(turn), x * sin(turn) + y * cos(turn)};
    }
    if (tpi_cspace_space_outline_set(out, corners, count, &err) != TP_OK) {
        const space_point square[] = {{1, 1}, {1, -1}, {-1, -1}, {-1, 1}};
        assert_int_equal(tpi_cspace_space_outline_set(out, square, 4, &err), TP_OK);
    }
}

static void polygons_are_as_the_plain_way_says(void **state)
{
    random_source source = {2};
    space s = {0};
    static space_point points[MOST];

    (void)state;
    for (int round = 0; round < 150; round++) {
        space_outline outline;
        random_outline(&source, &outline);
        const space_fan fan = random_fan(&source);
        const uint32_t count = random_points(&source, points, 2.01); /* outside of all of them */
        check(&s, &outline, points, count, &fan);
    }
    tpi_cspace_space_fini(&s);
}

/* ---- Cases that can be thought through ------------------------------------------------------- */

static void one_point_ahead_of_a_circle(void **state)
{
    const space_outline outline = {.radius = 1};
    const space_fan fan = {.first = -90 * degree, .step = 30 * degree, .count = 7};
    const space_point point = {2, 0};
    space s = {0};
    double ways[7];

    (void)state;
    assert_true(tpi_cspace_space_clear(&s, &outline, &point, 1, &fan, 8, ways));
    assert_true(ways[0] == 8 && ways[1] == 8);
    assert_true(fabs(ways[2] - sqrt(3)) < 1e-6); /* the tangent */
    assert_true(fabs(ways[3] - 1) < 1e-12);
    assert_true(fabs(ways[4] - sqrt(3)) < 1e-6);
    assert_true(ways[5] == 8 && ways[6] == 8);
    tpi_cspace_space_fini(&s);
}

static void what_is_touched_stops_only_the_way_towards_it(void **state)
{
    const space_outline round = {.radius = 1};
    const space_point corners[] = {{1, 0.5}, {-1, 0.5}, {-1, -0.5}, {1, -0.5}};
    const space_fan fan = {.first = -170 * degree, .step = 20 * degree, .count = 18};
    const space_point points[] = {{0.5, 0.1}, {0.9, -0.2}};
    space_outline box;
    tp_error err = {0};
    space s = {0};
    double ways[18];

    (void)state;
    assert_int_equal(tpi_cspace_space_outline_set(&box, corners, 4, &err), TP_OK);
    for (int i = 0; i < 2; i++) {
        assert_true(
            tpi_cspace_space_clear(&s, i == 0 ? &round : &box, &points[i], 1, &fan, 8, ways));
        for (uint32_t k = 0; k < fan.count; k++) {
            const double angle = fan.first + fan.step * k;
            const double middle = i == 0 ? atan2(0.1, 0.5) : 0;
            const bool towards = cos(angle - middle) > 0;
            assert_true(towards ? ways[k] < 1e-12 : ways[k] == 8);
        }
    }
    tpi_cspace_space_fini(&s);
}

static void a_point_at_the_centre_or_a_corner_does_no_harm(void **state)
{
    const space_point corners[] = {{1, 0.5}, {-1, 0.5}, {-1, -0.5}, {1, -0.5}};
    const space_outline round = {.radius = 1};
    const space_fan fan = {.first = -180 * degree, .step = degree, .count = 360};
    const space_point points[] = {{0, 0}, {1, 0.5}, {-1, 0}, {1, -0.5}};
    space_outline box;
    tp_error err = {0};
    space s = {0};
    double ways[360];

    (void)state;
    assert_int_equal(tpi_cspace_space_outline_set(&box, corners, 4, &err), TP_OK);
    for (int i = 0; i < 4; i++) {
        assert_true(tpi_cspace_space_clear(&s, &box, &points[i], 1, &fan, 8, ways));
        assert_true(tpi_cspace_space_clear(&s, &round, &points[i], 1, &fan, 8, ways));
        for (uint32_t k = 0; k < fan.count; k++) {
            assert_true(ways[k] >= 0 && ways[k] <= 8);
        }
    }
    tpi_cspace_space_fini(&s);
}

static void nothing_is_farther_than_the_most(void **state)
{
    const space_outline outline = {.radius = 1};
    const space_fan fan = {.first = 0, .step = 1, .count = 1};
    const space_point point = {20, 0};
    space s = {0};
    double way = 0;

    (void)state;
    assert_true(tpi_cspace_space_clear(&s, &outline, &point, 1, &fan, 8, &way));
    assert_true(way == 8);
    tpi_cspace_space_fini(&s);
}

static void no_points_leave_all_free(void **state)
{
    const space_outline outline = {.radius = 1};
    const space_fan fan = {.first = 0, .step = 1, .count = 3};
    space s = {0};
    double ways[3];

    (void)state;
    assert_true(tpi_cspace_space_clear(&s, &outline, NULL, 0, &fan, 5, ways));
    assert_true(ways[0] == 5 && ways[1] == 5 && ways[2] == 5);
    tpi_cspace_space_fini(&s);
}

static void outlines_that_are_none_are_refused(void **state)
{
    static const struct {
        size_t count;
        space_point corners[5];
        const char *why;
    } wrong[] = {
        {2, {{1, 1}, {-1, -1}}, "an outline has 3 to 32 corners, not 2"},
        {3, {{1, 1}, {2, 1}, {1, 2}}, "the outline is not convex around the robot's centre"},
        {5, /* a dent */
         {{1, 1}, {-1, 1}, {-0.2, 0.1}, {-1, -1}, {1, -1}},
         "the outline is not convex around the robot's centre"},
        {3, {{1, 1}, {1, 1}, {-1, -1}}, "the outline is not convex around the robot's centre"},
        {5, /* around twice, as a star */
         {{1, 0}, {-0.809, 0.588}, {0.309, -0.951}, {0.309, 0.951}, {-0.809, -0.588}},
         "the outline is not convex around the robot's centre"},
        {3, {{1, 1}, {NAN, 1}, {0, -1}}, "the outline is not convex around the robot's centre"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        space_outline outline;
        tp_error err = {0};
        assert_int_equal(
            tpi_cspace_space_outline_set(&outline, wrong[i].corners, wrong[i].count, &err),
            TP_E_INVALID);
        assert_string_equal(err.text, wrong[i].why);
    }
}

/* ---- Memory and time ------------------------------------------------------------------------- */

static void a_second_scan_allocates_nothing(void **state)
{
    const space_outline outline = {.radius = 0.3};
    const space_fan fan = {.first = -2, .step = 0.004, .count = 1000};
    random_source source = {3};
    static space_point points[1000];
    static double ways[1000];
    space s = {0};

    (void)state;
    for (int i = 0; i < 1000; i++) {
        points[i] = (space_point){between(&source, -5, 5), between(&source, -5, 5)};
    }
    assert_true(tpi_cspace_space_clear(&s, &outline, points, 1000, &fan, 8, ways));
    const size_t before = memory_allocations();
    for (int i = 0; i < 10; i++) {
        assert_true(tpi_cspace_space_clear(&s, &outline, points, 1000, &fan, 8, ways));
    }
    assert_int_equal(memory_allocations(), before);
    tpi_cspace_space_fini(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(circles_are_as_the_plain_way_says),
        cmocka_unit_test(polygons_are_as_the_plain_way_says),
        cmocka_unit_test(one_point_ahead_of_a_circle),
        cmocka_unit_test(what_is_touched_stops_only_the_way_towards_it),
        cmocka_unit_test(a_point_at_the_centre_or_a_corner_does_no_harm),
        cmocka_unit_test(nothing_is_farther_than_the_most),
        cmocka_unit_test(no_points_leave_all_free),
        cmocka_unit_test(outlines_that_are_none_are_refused),
        cmocka_unit_test(a_second_scan_allocates_nothing),
    };

    return cmocka_run_group_tests_name("space_test", tests, NULL, NULL);
}
