/* pose_test.c - poses against values worked out by hand, and there and back again. */
#include "base/pose.h"

#include <math.h>

#include "support/unit.h"

static const double pi = 3.141592653589793;

static void is_near(double a, double b)
{
    if (!(fabs(a - b) < 1e-9)) {
        fail_msg("%.12f is not %.12f", a, b);
    }
}

static void is_pose(tpi_pose got, tpi_pose wanted)
{
    is_near(got.x, wanted.x);
    is_near(got.y, wanted.y);
    is_near(got.z, wanted.z);
    is_near(remainder(got.roll - wanted.roll, 2 * pi), 0);
    is_near(remainder(got.pitch - wanted.pitch, 2 * pi), 0);
    is_near(remainder(got.yaw - wanted.yaw, 2 * pi), 0);
}

/* Where a point of a frame is, seen from outside: a way of comparing turns without angles. */
static void is_same(tpi_pose a, tpi_pose b)
{
    static const tpi_pose points[] = {{0}, {.x = 1}, {.y = 1}, {.z = 1}};

    for (size_t i = 0; i < sizeof points / sizeof points[0]; i++) {
        const tpi_pose p = tpi_pose_compose(&a, &points[i]);
        const tpi_pose q = tpi_pose_compose(&b, &points[i]);
        is_near(p.x, q.x);
        is_near(p.y, q.y);
        is_near(p.z, q.z);
    }
}

static void a_turned_frame_turns_what_is_in_it(void **state)
{
    (void)state;
    /* Facing left at (1, 2): one ahead is one to the left. */
    is_pose(tpi_pose_compose(&(tpi_pose){.x = 1, .y = 2, .yaw = pi / 2},
                             &(tpi_pose){.x = 1, .yaw = 0.25}),
            (tpi_pose){.x = 1, .y = 3, .yaw = pi / 2 + 0.25});
    /* Nose down by a quarter: ahead is down, up is ahead. */
    is_pose(tpi_pose_compose(&(tpi_pose){.pitch = pi / 2}, &(tpi_pose){.x = 2, .z = 3}),
            (tpi_pose){.x = 3, .z = -2, .pitch = pi / 2});
    /* Rolled to the right by a quarter: left is up. */
    is_pose(tpi_pose_compose(&(tpi_pose){.roll = pi / 2}, &(tpi_pose){.y = 1, .z = 4}),
            (tpi_pose){.y = -4, .z = 1, .roll = pi / 2});
}

/* Fixed axes: first roll, then pitch, then yaw. */
static void angles_are_about_fixed_axes(void **state)
{
    const tpi_pose roll = {.roll = 0.3};
    const tpi_pose pitch = {.pitch = -0.7};
    const tpi_pose yaw = {.yaw = 2};
    const tpi_pose tilted = tpi_pose_compose(&pitch, &roll);

    (void)state;
    is_pose(tpi_pose_compose(&yaw, &tilted), (tpi_pose){.roll = 0.3, .pitch = -0.7, .yaw = 2});
}

static void chains_may_be_taken_from_either_end(void **state)
{
    const tpi_pose a = {1, -2, 3, 0.1, 0.2, 0.3};
    const tpi_pose b = {-0.5, 0.25, 8, -1.1, 0.9, 2.5};
    const tpi_pose c = {4, 4, -4, 3, -1.5, -3};
    const tpi_pose ab = tpi_pose_compose(&a, &b);
    const tpi_pose bc = tpi_pose_compose(&b, &c);

    (void)state;
    is_pose(tpi_pose_compose(&ab, &c), tpi_pose_compose(&a, &bc));
}

static void the_inverse_leads_back(void **state)
{
    (void)state;
    for (double roll = -3; roll <= 3; roll += 0.75) {
        for (double pitch = -1.5; pitch <= 1.5; pitch += 0.5) {
            for (double yaw = -3; yaw <= 3; yaw += 0.75) {
                const tpi_pose pose = {1, 2, -3, roll, pitch, yaw};
                const tpi_pose back = tpi_pose_invert(&pose);
                is_pose(tpi_pose_compose(&pose, &back), (tpi_pose){0});
                is_pose(tpi_pose_compose(&back, &pose), (tpi_pose){0});
                is_pose(tpi_pose_invert(&back), pose);
            }
        }
    }
    is_pose(tpi_pose_invert(&(tpi_pose){.x = 1, .yaw = pi / 2}),
            (tpi_pose){.y = 1, .yaw = -pi / 2});
}

static void straight_up_and_down_all_turning_is_yaw(void **state)
{
    static const double quarters[] = {1.5707963267948966, -1.5707963267948966};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        const tpi_pose odd = {.x = 1, .roll = 0.4, .pitch = quarters[i], .yaw = 1.1};
        const tpi_pose told = tpi_pose_compose(&(tpi_pose){0}, &odd);
        is_near(told.roll, 0);
        is_near(told.pitch, quarters[i]);
        is_near(told.yaw, i == 0 ? 0.7 : 1.5); /* the difference, or the sum */
        is_same(told, odd);
        const tpi_pose back = tpi_pose_invert(&odd);
        is_same(tpi_pose_compose(&odd, &back), (tpi_pose){0});
    }
}

/* Very near to the pole nothing jumps. */
static void near_the_pole_the_turn_is_kept(void **state)
{
    (void)state;
    for (double away = 1e-3; away > 1e-12; away /= 10) {
        const tpi_pose pose = {.roll = -2, .pitch = pi / 2 - away, .yaw = 0.5};
        is_same(tpi_pose_compose(&(tpi_pose){0}, &pose), pose);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_turned_frame_turns_what_is_in_it),
        cmocka_unit_test(angles_are_about_fixed_axes),
        cmocka_unit_test(chains_may_be_taken_from_either_end),
        cmocka_unit_test(the_inverse_leads_back),
        cmocka_unit_test(straight_up_and_down_all_turning_is_yaw),
        cmocka_unit_test(near_the_pole_the_turn_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
