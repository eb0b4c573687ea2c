/* odometry_test.c - very many vehicles, each with a localizer of its own. */
#include <math.h>
#include <string.h>
#include <time.h>

#include "conformance/idle.h"
#include "troupe/front.h"
#include "troupe/interfaces/localize.h"
#include "troupe/interfaces/position2d.h"

static void begin(idle_crowd *r, uint32_t count)
{
    static const tp_interface *const both[] = {&tp_interface_localize, &tp_interface_position2d,
                                               NULL};

    idle_begin(r, both, count);
}

/* A robot whose odometry is i ahead is believed to be 10 to the left of that. */
static void believe(idle_crowd *r, uint32_t i)
{
    tp_localize_hypoth hypoth = {.mean = {i, 10, 0}, .alpha = 1};
    const tp_localize_data data = {.hypoths_count = 1, .hypoths = &hypoth};
    tp_device *device = tpi_hub_find(r->p->b.hub, BENCH_ROBOT, TP_LOCALIZE_CODE, i);

    assert_int_equal(tp_publish(device, TP_LOCALIZE_DATA_HYPOTHS, &data, 1), TP_OK);
}

static void drive(idle_crowd *r, uint32_t i)
{
    const tp_position2d_data data = {.pos = {.px = i}};
    tp_device *device = tpi_hub_find(r->p->b.hub, BENCH_ROBOT, TP_POSITION2D_CODE, i);

    assert_int_equal(tp_publish(device, TP_POSITION2D_DATA_STATE, &data, 1), TP_OK);
}

static void assert_found(const idle_crowd *r, uint32_t i)
{
    tp_pose3d pose;
    double time_s;
    char odometry[16] = "odom";

    if (i > 0) {
        snprintf(odometry, sizeof odometry, "odom%u", i);
    }
    if (tp_hub_transform(r->p->b.hub, BENCH_ROBOT, odometry, "map", &pose, &time_s, &r->p->b.err) !=
        TP_OK) {
        fail_msg("%s", r->p->b.err.text);
    }
    play_assert_near(pose.px, 0);
    play_assert_near(pose.py, 10);
}

static void each_finds_its_own_whoever_speaks_first(void **state)
{
    static const uint32_t counts[] = {3, 300}; /* without a table, and with one */

    (void)state;
    for (size_t k = 0; k < sizeof counts / sizeof counts[0]; k++) {
        idle_crowd r;
        begin(&r, counts[k]);
        for (uint32_t i = 0; i < counts[k]; i++) {
            if (i % 2 == 0) {
                drive(&r, i);
                believe(&r, i);
            } else {
                believe(&r, i);
                drive(&r, i);
            }
        }
        for (uint32_t i = 0; i < counts[k]; i++) {
            assert_found(&r, i);
        }
        idle_end(&r);
    }
}

static void a_frame_that_changes_is_found_by_its_new_name(void **state)
{
    const tp_geometry other = {.known = TP_GEOMETRY_UNKNOWN,
                               .frame_count = sizeof "base5",
                               .frame = play_chars("base5"),
                               .parent_count = sizeof "odom7",
                               .parent = play_chars("odom7")};
    idle_crowd r;

    (void)state;
    begin(&r, 300);
    believe(&r, 5);
    believe(&r, 7);
    assert_int_equal(tp_publish(tpi_hub_find(r.p->b.hub, BENCH_ROBOT, TP_POSITION2D_CODE, 5),
                                TP_COMMON_DATA_GEOMETRY, &other, 1),
                     TP_OK);
    tp_localize_hypoth hypoth = {.mean = {5, 10, 0}, .alpha = 1};
    const tp_localize_data data = {.hypoths_count = 1, .hypoths = &hypoth};
    drive(&r, 5);
    assert_int_equal(tp_publish(tpi_hub_find(r.p->b.hub, BENCH_ROBOT, TP_LOCALIZE_CODE, 7),
                                TP_LOCALIZE_DATA_HYPOTHS, &data, 2),
                     TP_OK);
    assert_found(&r, 7);
    idle_end(&r);
}

/* How long it takes until so many robots are where they are. */
static double settle(uint32_t count)
{
    idle_crowd r;

    begin(&r, count);
    const clock_t begun = clock();
    for (uint32_t i = 0; i < count; i++) {
        believe(&r, i);
    }
    for (uint32_t i = 0; i < count; i++) {
        drive(&r, i);
    }
    const clock_t taken = clock() - begun;
    assert_found(&r, count - 1);
    idle_end(&r);
    return (double)taken;
}

/* The loop waits meanwhile: sixteen times as many may not take 256 times as long. */
static void very_many_settle_without_looking_at_each_other(void **state)
{
    (void)state;
    double few = settle(500), many = settle(8000);

    for (int i = 0; i < 2; i++) { /* the least of three: other programs disturb single runs */
        few = fmin(few, settle(500));
        many = fmin(many, settle(8000));
    }
    if (many > 64 * few) {
        fail_msg("16 times as many robots take %.0f times as long", many / few);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_finds_its_own_whoever_speaks_first),
        cmocka_unit_test(a_frame_that_changes_is_found_by_its_new_name),
        cmocka_unit_test(very_many_settle_without_looking_at_each_other),
    };

    return cmocka_run_group_tests_name("src/device/odometry", tests, NULL, NULL);
}
