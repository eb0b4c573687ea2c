/* flow_test.c - commands that are split, blocked or suppressed; scans at other angles and with
 * poses. */
#include <math.h>

#include "conformance/puppet.h"
#include "troupe/interfaces/dio.h"
#include "troupe/interfaces/laser.h"
#include "troupe/interfaces/position2d.h"

extern const tp_driver tp_driver_cmdsplitter;
extern const tp_driver tp_driver_inhibitor;
extern const tp_driver tp_driver_laserposeinterpolator;
extern const tp_driver tp_driver_laserrescan;

static const tp_position2d_cmd_vel forward = {.vel = {.px = 0.5}, .state = 1};

static void go(play *p)
{
    play_command(p, TP_POSITION2D_CMD_VEL, &forward);
    puppet_wait(&p->b, 0);
}

static void a_command_reaches_all_devices(void **state)
{
    play *p = play_create();
    const tp_position2d_data data = {.pos = {.px = 3}};

    (void)state;
    play_add(p, &puppet_driver, "position2d:0 position2d:1 position2d:2", NULL, NULL);
    play_add(p, &tp_driver_cmdsplitter, "position2d:10",
             "0@position2d:0 1@position2d:1 2@position2d:2", "devices=3");
    play_open(p);
    go(p);
    for (int i = 0; i < 3; i++) {
        char address[32];
        snprintf(address, sizeof address, "position2d:%d", i);
        const tp_position2d_cmd_vel *got = puppet_last(&p->b, address, TP_POSITION2D_CMD_VEL);
        play_assert_near(got->vel.px, 0.5);
    }
    puppet_send(&p->b, "position2d:0", TP_POSITION2D_DATA_STATE, &data);
    const tp_position2d_data *told = play_last(p, TP_POSITION2D_DATA_STATE);
    assert_non_null(told);
    play_assert_near(told->pos.px, 3);
    play_destroy(p);
}

static void a_switch_blocks_commands_and_stops_what_moves(void **state)
{
    play *p = play_create();
    const tp_dio_data off = {.count = 4, .bits = 9};
    const tp_dio_data on = {.count = 4, .bits = 4};

    (void)state;
    play_add(p, &puppet_driver, "position2d:0 dio:0", NULL, NULL);
    play_add(p, &tp_driver_inhibitor, "comm@position2d:10", "comm@position2d:0 switch@dio:0",
             "bitmask=110");
    play_open(p);
    go(p);
    assert_int_equal(puppet_at(&p->b, "position2d:0")->commands[TP_POSITION2D_CMD_VEL], 1);
    puppet_send(&p->b, "dio:0", TP_DIO_DATA_VALUES, &off);
    assert_int_equal(puppet_at(&p->b, "position2d:0")->halts, 1);
    play_assert_command_refused(p, TP_POSITION2D_CMD_VEL, &forward,
                                "the switch of the inhibitor is off");
    puppet_send(&p->b, "dio:0", TP_DIO_DATA_VALUES, &on);
    go(p);
    assert_int_equal(puppet_at(&p->b, "position2d:0")->commands[TP_POSITION2D_CMD_VEL], 2);
    play_destroy(p);
}

static void commands_that_come_too_soon_are_dropped(void **state)
{
    play *p = play_create();

    (void)state;
    play_add(p, &puppet_driver, "position2d:0", NULL, NULL);
    play_add(p, &tp_driver_inhibitor, "comm@position2d:10", "comm@position2d:0", "msg_interval=1");
    play_open(p);
    go(p);
    go(p);
    assert_int_equal(puppet_at(&p->b, "position2d:0")->commands[TP_POSITION2D_CMD_VEL], 1);
    puppet_wait(&p->b, 1.1);
    go(p);
    assert_int_equal(puppet_at(&p->b, "position2d:0")->commands[TP_POSITION2D_CMD_VEL], 2);
    play_destroy(p);
}

static void a_scan_at_other_angles_is_interpolated(void **state)
{
    float ranges[] = {1, 1.2f, 1.4f, 4, 4};
    const tp_laser_data scan = {.min_angle = -1,
                                .max_angle = 1,
                                .resolution = 0.5f,
                                .max_range = 8,
                                .ranges_count = 5,
                                .ranges = ranges,
                                .id = 7};
    play *p = play_create();

    (void)state;
    play_add(p, &puppet_driver, "laser:0", NULL, NULL);
    play_add(p, &tp_driver_laserrescan, "laser:1", "laser:0",
             "min_angle=-1.25 max_angle=1 scan_count=10");
    play_open(p);
    const tp_laser_data *out =
        puppet_await(&p->r, "laser:0", TP_LASER_DATA_SCAN, &scan, TP_LASER_DATA_SCAN);
    const double wanted[] = {8, 1, 1.1, 1.2, 1.3, 1.4, 4, 4, 4, 4};
    assert_int_equal(out->ranges_count, 10);
    for (int i = 0; i < 10; i++) {
        if (fabs((double)out->ranges[i] - wanted[i]) > 1e-5) {
            fail_msg("reading %d is %g, not %g", i, (double)out->ranges[i], wanted[i]);
        }
    }
    assert_int_equal(out->id, 7);
    play_destroy(p);
}

static void a_scan_waits_for_its_pose(void **state)
{
    float ranges[] = {1, 2};
    const tp_laser_data scan = {
        .resolution = 1, .max_range = 8, .ranges_count = 2, .ranges = ranges};
    const tp_position2d_data before = {.pos = {.px = 1, .pa = 3}};
    const tp_position2d_data after = {.pos = {.px = 2, .pa = -3}};
    play *p = play_create();

    (void)state;
    play_add(p, &puppet_driver, "laser:0 position2d:0", NULL, NULL);
    play_add(p, &tp_driver_laserposeinterpolator, "laser:1", "laser:0 position2d:0", NULL);
    play_open(p);
    puppet_send(&p->b, "position2d:0", TP_POSITION2D_DATA_STATE, &before);
    puppet_send(&p->b, "laser:0", TP_LASER_DATA_SCAN, &scan);
    assert_null(play_last(p, TP_LASER_DATA_SCANPOSE));
    const tp_laser_data_scanpose *out = puppet_await(
        &p->r, "position2d:0", TP_POSITION2D_DATA_STATE, &after, TP_LASER_DATA_SCANPOSE);
    assert_true(out->pose.px >= 1 && out->pose.px <= 2);
    assert_true(fabs(out->pose.pa) >= 3); /* the short way round */
    assert_int_equal(out->scan.ranges_count, 2);
    play_destroy(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_command_reaches_all_devices),
        cmocka_unit_test(a_switch_blocks_commands_and_stops_what_moves),
        cmocka_unit_test(commands_that_come_too_soon_are_dropped),
        cmocka_unit_test(a_scan_at_other_angles_is_interpolated),
        cmocka_unit_test(a_scan_waits_for_its_pose),
    };

    return cmocka_run_group_tests_name("flow_test", tests, NULL, NULL);
}
